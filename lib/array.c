/* SPDX-License-Identifier: MIT */
/* Arrays made, viewed and cleared.
 *
 * Invariant of every array made here: with an element at all, all of its
 * elements lie in the buffer; the bytes of its elements, were they packed, fit
 * PTRDIFF_MAX. `dimensions` and `strides` are allocated even without axes. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* Room for `nd` axes; `a` is zeroed when there is none. */
static int init(const char *op, GpuArray *a, int typecode, unsigned int nd)
{
  size_t n = nd != 0 ? nd : 1;

  memset(a, 0, sizeof *a);
  a->dimensions = calloc(n, sizeof *a->dimensions);
  a->strides = calloc(n, sizeof *a->strides);
  if (a->dimensions == NULL || a->strides == NULL) {
    GpuArray_clear(a);
    return ga_error_memory(op, n * (sizeof *a->dimensions + sizeof *a->strides));
  }
  a->nd = nd;
  a->typecode = typecode;
  return GA_NO_ERROR;
}

static int check_axes(const char *op, int arg, unsigned int nd, const size_t *dims)
{
  if (nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is %u, at most %d axes are possible", op, arg,
                    nd, GA_MAXND);
  if (nd != 0) GA_NOT_NULL(op, arg + 1, dims);
  return GA_NO_ERROR;
}

int ga_array_new(const char *op, GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                 const size_t *dims, ga_order order)
{
  size_t itemsize, bytes;
  int err;

  GA_NOT_NULL(op, 1, a);
  memset(a, 0, sizeof *a);
  GA_NOT_NULL(op, 2, ctx);
  GA_TRY(ga_type_check(op, 3, typecode));
  GA_TRY(check_axes(op, 4, nd, dims));
  if (order != GA_ANY_ORDER && order != GA_C_ORDER && order != GA_F_ORDER)
    return ga_error(GA_VALUE_ERROR, "%s: argument 6 is %d, expected a ga_order", op, (int)order);
  itemsize = gpuarray_get_elsize(typecode);
  GA_TRY(ga_shape_bytes(op, &bytes, itemsize, nd, dims));
  GA_TRY(init(op, a, typecode, nd));
  if (nd != 0) memcpy(a->dimensions, dims, nd * sizeof *dims);
  ga_order_strides(a->strides, nd, dims, itemsize, order);
  a->data = gpudata_alloc(ctx, bytes, NULL, GA_BUFFER_READ_WRITE, &err);
  if (a->data == NULL) {
    GpuArray_clear(a);
    return err;
  }
  a->flags = GA_WRITEABLE;
  GpuArray_fix_flags(a);
  return GA_NO_ERROR;
}

int GpuArray_empty(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                   ga_order ord)
{
  return ga_array_new("GpuArray_empty", a, ctx, typecode, nd, dims, ord);
}

int GpuArray_zeros(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                   ga_order ord)
{
  int err;

  GA_TRY(ga_array_new("GpuArray_zeros", a, ctx, typecode, nd, dims, ord));
  err = gpudata_memset(a->data, 0, 0);
  if (err != GA_NO_ERROR) GpuArray_clear(a);
  return err;
}

/* The axes of `a` from the slowest in memory to the fastest; equal ones keep
 * their order. */
static void by_stride(unsigned int *axes, const GpuArray *a)
{
  for (unsigned int k = 0; k < a->nd; k++) {
    size_t s = a->strides[k] < 0 ? -(size_t)a->strides[k] : (size_t)a->strides[k];
    unsigned int i = k;

    for (; i > 0; i--) {
      ssize_t t = a->strides[axes[i - 1]];

      /* A stride of 0 says nothing of an axis' place. */
      if (s == 0 || t == 0 || (t < 0 ? -(size_t)t : (size_t)t) >= s) break;
      axes[i] = axes[i - 1];
    }
    axes[i] = k;
  }
}

int GpuArray_empty_like(GpuArray *r, const GpuArray *a)
{
  static const char op[] = "GpuArray_empty_like";
  unsigned int axes[GA_MAXND];
  ssize_t step;

  GA_TRY(ga_array_begin(op, r, 2, a));
  GA_TRY(ga_array_new(op, r, a->data->ctx, a->typecode, a->nd, a->dimensions, GA_C_ORDER));
  by_stride(axes, a);
  step = (ssize_t)gpuarray_get_elsize(a->typecode);
  for (unsigned int i = a->nd; i-- > 0;) {
    r->strides[axes[i]] = step;
    if (r->dimensions[axes[i]] != 0) step *= (ssize_t)r->dimensions[axes[i]];
  }
  GpuArray_fix_flags(r);
  return GA_NO_ERROR;
}

/* The elements of `a` lie in its buffer, which is argument 2. */
static int check_inside(const char *op, const GpuArray *a, size_t itemsize)
{
  ssize_t low = 0, high = 0, way;

  if (a->offset > a->data->size) goto outside;
  for (unsigned int k = 0; k < a->nd; k++)
    if (a->dimensions[k] == 0) return GA_NO_ERROR;
  for (unsigned int k = 0; k < a->nd; k++) {
    ssize_t *end = a->strides[k] < 0 ? &low : &high;

    if (__builtin_mul_overflow(a->dimensions[k] - 1, a->strides[k], &way) ||
        __builtin_add_overflow(*end, way, end))
      return ga_error(GA_XLARGE_ERROR, "%s: axis %u with extent %zu and stride %zd overflows", op,
                      k, a->dimensions[k], a->strides[k]);
  }
  if (a->offset < -(size_t)low) goto outside;
  if (a->data->size - a->offset < itemsize || a->data->size - a->offset - itemsize < (size_t)high)
    goto outside;
  return GA_NO_ERROR;
outside:
  return ga_error(GA_VALUE_ERROR,
                  "%s: elements from byte %zd to %zd beyond offset %zu, "
                  "argument 2 has %zu bytes",
                  op, low, high, a->offset, a->data->size);
}

int GpuArray_fromdata(GpuArray *a, gpudata *data, size_t offset, int typecode, unsigned int nd,
                      const size_t *dims, const ssize_t *strides, int writeable)
{
  static const char op[] = "GpuArray_fromdata";
  size_t itemsize, bytes;
  int err;

  GA_NOT_NULL(op, 1, a);
  memset(a, 0, sizeof *a);
  GA_NOT_NULL(op, 2, data);
  GA_TRY(ga_type_check(op, 4, typecode));
  GA_TRY(check_axes(op, 5, nd, dims));
  itemsize = gpuarray_get_elsize(typecode);
  GA_TRY(ga_shape_bytes(op, &bytes, itemsize, nd, dims));
  GA_TRY(init(op, a, typecode, nd));
  if (nd != 0) memcpy(a->dimensions, dims, nd * sizeof *dims);
  if (strides == NULL)
    ga_order_strides(a->strides, nd, dims, itemsize, GA_C_ORDER);
  else if (nd != 0)
    memcpy(a->strides, strides, nd * sizeof *strides);
  a->data = data;
  a->offset = offset;
  gpudata_retain(data);
  err = check_inside(op, a, itemsize);
  if (err != GA_NO_ERROR) {
    GpuArray_clear(a);
    return err;
  }
  a->flags = writeable ? GA_WRITEABLE : 0;
  GpuArray_fix_flags(a);
  return GA_NO_ERROR;
}

int ga_array_view_nd(const char *op, GpuArray *v, const GpuArray *a, unsigned int nd)
{
  memset(v, 0, sizeof *v);
  GA_TRY(init(op, v, a->typecode, nd));
  v->data = a->data;
  v->offset = a->offset;
  v->flags = a->flags & GA_WRITEABLE;
  gpudata_retain(v->data);
  return GA_NO_ERROR;
}

int GpuArray_view(GpuArray *v, const GpuArray *a)
{
  static const char op[] = "GpuArray_view";

  GA_TRY(ga_array_begin(op, v, 2, a));
  GA_TRY(ga_array_view_nd(op, v, a, a->nd));
  memcpy(v->dimensions, a->dimensions, a->nd * sizeof *a->dimensions);
  memcpy(v->strides, a->strides, a->nd * sizeof *a->strides);
  v->flags = a->flags;
  return GA_NO_ERROR;
}

void GpuArray_clear(GpuArray *a)
{
  if (a == NULL) return;
  gpudata_release(a->data);
  free(a->dimensions);
  free(a->strides);
  memset(a, 0, sizeof *a);
}

int GpuArray_share(const GpuArray *a, const GpuArray *b)
{
  if (a == NULL || b == NULL || a->data == NULL || b->data == NULL) return 0;
  return gpudata_share(a->data, b->data, NULL) == 1;
}

gpucontext *GpuArray_context(const GpuArray *a)
{
  return a != NULL ? gpudata_context(a->data) : NULL;
}

int GpuArray_devptr(void **p, const GpuArray *a)
{
  GA_NOT_NULL("GpuArray_devptr", 1, p);
  GA_TRY(ga_array_check("GpuArray_devptr", 2, a));
  *p = (char *)a->data->ptr + a->offset;
  return GA_NO_ERROR;
}

int GpuArray_sync(GpuArray *a)
{
  GA_TRY(ga_array_check("GpuArray_sync", 1, a));
  return gpudata_sync(a->data);
}
