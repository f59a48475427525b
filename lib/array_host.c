/* SPDX-License-Identifier: MIT */
/* Arrays from and to host memory: as bytes of an array without gaps (write,
 * read, memset), and as elements in C order (fromhost, tohost). */
#include <string.h>

#include "lib/array.h"
#include "lib/buffer.h"

/* `size` bytes of `a`, which lie together. */
static int check_bytes(const char *op, int arg, const GpuArray *a, size_t size)
{
  size_t bytes = ga_array_bytes(a);

  if (!GpuArray_ISONESEGMENT(a))
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: argument %d has gaps", op, arg);
  if (size > bytes)
    return ga_error(GA_VALUE_ERROR, "%s: %zu bytes, argument %d has %zu", op, size, arg, bytes);
  return GA_NO_ERROR;
}

int GpuArray_write(GpuArray *dst, const void *src, size_t src_sz)
{
  static const char op[] = "GpuArray_write";

  GA_TRY(ga_array_check_write(op, 1, dst));
  if (src_sz != 0) GA_NOT_NULL(op, 2, src);
  GA_TRY(check_bytes(op, 1, dst, src_sz));
  return gpudata_write(dst->data, dst->offset, src, src_sz);
}

int GpuArray_read(void *dst, size_t dst_sz, const GpuArray *src)
{
  static const char op[] = "GpuArray_read";

  if (dst_sz != 0) GA_NOT_NULL(op, 1, dst);
  GA_TRY(ga_array_check(op, 3, src));
  GA_TRY(check_bytes(op, 3, src, dst_sz));
  return gpudata_read(dst, src->data, src->offset, dst_sz);
}

int GpuArray_memset(GpuArray *a, int data)
{
  static const char op[] = "GpuArray_memset";

  GA_TRY(ga_array_check_write(op, 1, a));
  GA_TRY(check_bytes(op, 1, a, 0));
  return ga_buffer_set(a->data, a->offset, data, ga_array_bytes(a));
}

int GpuArray_fromhost(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                      const size_t *dims, const void *src)
{
  static const char op[] = "GpuArray_fromhost";
  size_t bytes;
  int err;

  GA_TRY(ga_array_new(op, a, ctx, typecode, nd, dims, GA_C_ORDER));
  bytes = ga_array_bytes(a);
  if (bytes == 0) return GA_NO_ERROR;
  if (src == NULL)
    err = ga_error(GA_VALUE_ERROR, "%s: argument 6 is NULL", op);
  else
    err = gpudata_write(a->data, 0, src, bytes);
  if (err != GA_NO_ERROR) GpuArray_clear(a);
  return err;
}

int GpuArray_tohost(void *dst, size_t size, int typecode, const GpuArray *a)
{
  static const char op[] = "GpuArray_tohost";
  char text[GA_SHAPE_TEXT];
  GpuArray packed = {0};
  size_t bytes;
  int err;

  GA_TRY(ga_array_check(op, 4, a));
  GA_TRY(ga_type_check(op, 3, typecode));
  GA_TRY(ga_shape_bytes(op, &bytes, gpuarray_get_elsize(typecode), a->nd, a->dimensions));
  if (size != bytes)
    return ga_error(GA_VALUE_ERROR,
                    "%s: argument 2 is %zu bytes, shape %s of %zu-byte "
                    "elements needs %zu",
                    op, size, ga_shape_text(text, a->nd, a->dimensions),
                    gpuarray_get_elsize(typecode), bytes);
  if (bytes != 0) GA_NOT_NULL(op, 1, dst);
  if (typecode == a->typecode && GpuArray_IS_C_CONTIGUOUS(a))
    return gpudata_read(dst, a->data, a->offset, bytes);
  if (!GpuArray_ISALIGNED(a))
    return ga_error(GA_UNALIGNED_ERROR, "%s: argument 4 is not aligned to its elements", op);
  GA_TRY(ga_array_new(op, &packed, a->data->ctx, typecode, a->nd, a->dimensions, GA_C_ORDER));
  err = ga_array_move(op, &packed, a);
  if (err == GA_NO_ERROR) err = gpudata_read(dst, packed.data, 0, bytes);
  GpuArray_clear(&packed);
  return err;
}
