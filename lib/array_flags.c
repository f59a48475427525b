/* SPDX-License-Identifier: MIT */
/* What the fields of an array say: contiguity, alignment, sizes, and the checks
 * of arguments. */
#include <stdio.h>
#include <string.h>

#include "lib/array.h"

/* 1 when the elements lie without gaps, `step` (1 or -1) leading from the
 * slowest axis to the fastest. Axes of extent 1 do not count. */
static int contiguous(const GpuArray *a, size_t itemsize, int c)
{
  size_t want = itemsize;

  for (unsigned int i = 0; i < a->nd; i++) {
    unsigned int k = c ? a->nd - 1 - i : i;

    if (a->dimensions[k] == 0) return 1;
  }
  for (unsigned int i = 0; i < a->nd; i++) {
    unsigned int k = c ? a->nd - 1 - i : i;

    if (a->dimensions[k] == 1) continue;
    if (a->strides[k] != (ssize_t)want) return 0;
    want *= a->dimensions[k];
  }
  return 1;
}

static int aligned(const GpuArray *a, size_t align)
{
  if (align == 0) align = 1;
  if (a->offset % align != 0) return 0;
  for (unsigned int k = 0; k < a->nd; k++)
    if (a->dimensions[k] > 1 && a->strides[k] % (ssize_t)align != 0) return 0;
  return 1;
}

void GpuArray_fix_flags(GpuArray *a)
{
  const gpuarray_type *t;

  if (a == NULL) return;
  t = gpuarray_get_type(a->typecode);
  a->flags &= GA_WRITEABLE;
  if (contiguous(a, t->size, 1)) a->flags |= GA_C_CONTIGUOUS;
  if (contiguous(a, t->size, 0)) a->flags |= GA_F_CONTIGUOUS;
  if (aligned(a, t->align)) a->flags |= GA_ALIGNED;
}

int ga_array_check(const char *op, int arg, const GpuArray *a)
{
  if (a == NULL) return ga_error(GA_VALUE_ERROR, "%s: argument %d is NULL", op, arg);
  if (a->data == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is a cleared array", op, arg);
  return GA_NO_ERROR;
}

int ga_array_begin(const char *op, GpuArray *r, int arg, const GpuArray *a)
{
  GA_NOT_NULL(op, 1, r);
  if (r == a) return ga_error(GA_VALUE_ERROR, "%s: arguments 1 and %d are one array", op, arg);
  memset(r, 0, sizeof *r);
  return ga_array_check(op, arg, a);
}

int ga_array_check_write(const char *op, int arg, const GpuArray *a)
{
  GA_TRY(ga_array_check(op, arg, a));
  if (!GpuArray_ISWRITEABLE(a))
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is read-only", op, arg);
  return GA_NO_ERROR;
}

int ga_array_check_context(const char *op, int arg1, const GpuArray *a, int arg2, const GpuArray *b)
{
  if (a->data->ctx == b->data->ctx) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: arguments %d and %d are of different contexts", op, arg1,
                  arg2);
}

int ga_array_check_shape(const char *op, int arg1, const GpuArray *a, int arg2, const GpuArray *b)
{
  char ta[GA_SHAPE_TEXT], tb[GA_SHAPE_TEXT];

  if (a->nd == b->nd &&
      (a->nd == 0 || memcmp(a->dimensions, b->dimensions, a->nd * sizeof(size_t)) == 0))
    return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR,
                  "%s: argument %d has shape %s, argument %d needs it too, "
                  "got %s",
                  op, arg1, ga_shape_text(ta, a->nd, a->dimensions), arg2,
                  ga_shape_text(tb, b->nd, b->dimensions));
}

size_t ga_array_size(const GpuArray *a)
{
  size_t n = 1;

  for (unsigned int k = 0; k < a->nd; k++) n *= a->dimensions[k];
  return n;
}

size_t ga_array_bytes(const GpuArray *a)
{
  return ga_array_size(a) * gpuarray_get_elsize(a->typecode);
}

const char *ga_shape_text(char text[GA_SHAPE_TEXT], unsigned int nd, const size_t *dims)
{
  const size_t room = GA_SHAPE_TEXT - 8; /* for ", ...)" */
  size_t len = 1;

  strcpy(text, "(");
  for (unsigned int k = 0; k < nd; k++) {
    char one[32];
    int n = snprintf(one, sizeof one, "%s%zu", k == 0 ? "" : ", ", dims[k]);

    if (len + (size_t)n > room) {
      strcpy(text + len, ", ...)");
      return text;
    }
    memcpy(text + len, one, (size_t)n);
    len += (size_t)n;
  }
  strcpy(text + len, nd == 1 ? ",)" : ")");
  return text;
}

int ga_type_check(const char *op, int arg, int typecode)
{
  if (typecode == GA_SIZE || typecode == GA_SSIZE)
    return ga_error(GA_VALUE_ERROR,
                    "%s: argument %d is %s, a type of kernel arguments; "
                    "arrays take GA_ULONG or GA_LONG",
                    op, arg, typecode == GA_SIZE ? "GA_SIZE" : "GA_SSIZE");
  if (typecode < 0 || gpuarray_get_elsize(typecode) == 0)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is %d, not a typecode of arrays", op, arg,
                    typecode);
  return GA_NO_ERROR;
}

int ga_shape_bytes(const char *op, size_t *bytes, size_t itemsize, unsigned int nd,
                   const size_t *dims)
{
  char text[GA_SHAPE_TEXT];
  size_t n = itemsize;
  int empty = 0, over = 0;

  for (unsigned int k = 0; k < nd; k++) {
    if (dims[k] == 0)
      empty = 1;
    else if (__builtin_mul_overflow(n, dims[k], &n) || n > PTRDIFF_MAX)
      over = 1;
    /* Keeps multiplying nothing that could come back into range. */
    if (over) n = PTRDIFF_MAX;
  }
  if (over)
    return ga_error(GA_XLARGE_ERROR, "%s: shape %s of %zu-byte elements overflows", op,
                    ga_shape_text(text, nd, dims), itemsize);
  *bytes = empty ? 0 : n;
  return GA_NO_ERROR;
}

void ga_order_strides(ssize_t *strides, unsigned int nd, const size_t *dims, size_t itemsize,
                      ga_order order)
{
  ssize_t step = (ssize_t)itemsize;

  for (unsigned int i = 0; i < nd; i++) {
    unsigned int k = order == GA_F_ORDER ? i : nd - 1 - i;

    strides[k] = step;
    /* An extent of 0 would make all slower strides 0. */
    if (dims[k] != 0) step *= (ssize_t)dims[k];
  }
}

ga_order ga_order_of(const GpuArray *a, ga_order order)
{
  if (order != GA_ANY_ORDER) return order;
  return GpuArray_IS_F_CONTIGUOUS(a) && !GpuArray_IS_C_CONTIGUOUS(a) ? GA_F_ORDER : GA_C_ORDER;
}

int ga_same_order(const GpuArray *a, const GpuArray *b)
{
  return (a->flags & b->flags & (GA_C_CONTIGUOUS | GA_F_CONTIGUOUS)) != 0;
}
