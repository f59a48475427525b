/* SPDX-License-Identifier: MIT */
/* Arrays written into one another.
 *
 * Two arrays of one type and one order without gaps are one copy of bytes. All
 * else is the expression "src" (lib/move.c), which takes the types of
 * lib/util/dtype.h. Types it does not know (vectors, 128-bit numbers, the
 * program's own) can still be copied to themselves: as words, along one axis
 * more. */
#include <string.h>

#include "lib/array.h"
#include "lib/expr.h"

/* A view of `a` as words of its elements: one axis more, of that many. */
static int as_words(const char *op, GpuArray *v, const GpuArray *a)
{
  static const int words[][2] = {{8, GA_ULONG}, {4, GA_UINT}, {2, GA_USHORT}, {1, GA_UBYTE}};
  const gpuarray_type *t = gpuarray_get_type(a->typecode);
  size_t align = t->align != 0 ? t->align : 1;
  int i = 0;

  if (a->nd == GA_MAXND)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: %d axes of typecode %d", op, GA_MAXND, a->typecode);
  GA_TRY(ga_array_view_nd(op, v, a, a->nd + 1));
  while (t->size % (size_t)words[i][0] != 0 || align % (size_t)words[i][0] != 0) i++;
  memcpy(v->dimensions, a->dimensions, a->nd * sizeof *a->dimensions);
  memcpy(v->strides, a->strides, a->nd * sizeof *a->strides);
  v->dimensions[a->nd] = t->size / (size_t)words[i][0];
  v->strides[a->nd] = words[i][0];
  v->typecode = words[i][1];
  GpuArray_fix_flags(v);
  return GA_NO_ERROR;
}

static int move_words(const char *op, GpuArray *dst, const GpuArray *src)
{
  GpuArray d = {0}, s = {0};
  int err = as_words(op, &d, dst);

  if (err == GA_NO_ERROR) err = as_words(op, &s, src);
  if (err == GA_NO_ERROR) err = ga_expr_move(&d, &s);
  GpuArray_clear(&d);
  GpuArray_clear(&s);
  return err;
}

int ga_array_move(const char *op, GpuArray *dst, const GpuArray *src)
{
  int known = ga_dtype_of(dst->typecode) != GA_DT_NONE && ga_dtype_of(src->typecode) != GA_DT_NONE;
  size_t bytes = ga_array_bytes(dst);

  if (!known && dst->typecode != src->typecode)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: no conversion from typecode %d to %d", op,
                    src->typecode, dst->typecode);
  if (bytes == 0) return GA_NO_ERROR;
  if (dst->typecode == src->typecode && ga_same_order(dst, src))
    return gpudata_move(dst->data, dst->offset, src->data, src->offset, bytes);
  return known ? ga_expr_move(dst, src) : move_words(op, dst, src);
}

static int check_aligned(const char *op, int arg, const GpuArray *a)
{
  if (GpuArray_ISALIGNED(a)) return GA_NO_ERROR;
  return ga_error(GA_UNALIGNED_ERROR, "%s: argument %d is not aligned to its elements", op, arg);
}

int GpuArray_move(GpuArray *dst, const GpuArray *src)
{
  static const char op[] = "GpuArray_move";

  GA_TRY(ga_array_check_write(op, 1, dst));
  GA_TRY(ga_array_check(op, 2, src));
  GA_TRY(ga_array_check_context(op, 1, dst, 2, src));
  GA_TRY(ga_array_check_shape(op, 1, dst, 2, src));
  GA_TRY(check_aligned(op, 1, dst));
  GA_TRY(check_aligned(op, 2, src));
  return ga_array_move(op, dst, src);
}

int GpuArray_setarray(GpuArray *a, const GpuArray *v)
{
  static const char op[] = "GpuArray_setarray";
  GpuArray all = {0};
  int err;

  GA_TRY(ga_array_check_write(op, 1, a));
  GA_TRY(ga_array_check(op, 2, v));
  GA_TRY(ga_array_check_context(op, 1, a, 2, v));
  GA_TRY(check_aligned(op, 1, a));
  GA_TRY(check_aligned(op, 2, v));
  GA_TRY(ga_array_broadcast(op, &all, v, a->nd, a->dimensions));
  err = ga_array_move(op, a, &all);
  GpuArray_clear(&all);
  return err;
}

int GpuArray_copy(GpuArray *res, const GpuArray *a, ga_order order)
{
  static const char op[] = "GpuArray_copy";
  int err;

  GA_TRY(ga_array_begin(op, res, 2, a));
  GA_TRY(check_aligned(op, 2, a));
  if (order != GA_ANY_ORDER && order != GA_C_ORDER && order != GA_F_ORDER)
    return ga_error(GA_VALUE_ERROR, "%s: argument 3 is %d, expected a ga_order", op, (int)order);
  GA_TRY(ga_array_new(op, res, a->data->ctx, a->typecode, a->nd, a->dimensions,
                      ga_order_of(a, order)));
  err = ga_array_move(op, res, a);
  if (err != GA_NO_ERROR) GpuArray_clear(res);
  return err;
}

int GpuArray_transfer(GpuArray *res, const GpuArray *a)
{
  static const char op[] = "GpuArray_transfer";

  GA_TRY(ga_array_check_write(op, 1, res));
  GA_TRY(ga_array_check(op, 2, a));
  if (res->typecode != a->typecode)
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: argument 2 has typecode %d, argument 1 %d", op,
                    a->typecode, res->typecode);
  GA_TRY(ga_array_check_shape(op, 1, res, 2, a));
  if (!ga_same_order(res, a))
    return ga_error(GA_UNSUPPORTED_ERROR, "%s: the arrays have gaps or different orders", op);
  return gpudata_transfer(res->data, res->offset, a->data, a->offset, ga_array_bytes(a));
}

/* Array `i` of those to join fits the shape so far, and adds to `axis`. */
static int join(const char *op, size_t *dims, const GpuArray *first, const GpuArray *a, size_t i,
                unsigned int axis)
{
  char t0[GA_SHAPE_TEXT], ti[GA_SHAPE_TEXT];
  int fits = a->nd == first->nd;

  if (a->data->ctx != first->data->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: array %zu of argument 2 is of another context", op, i);
  GA_TRY(check_aligned(op, 2, a));
  for (unsigned int k = 0; fits && k < a->nd; k++) fits = k == axis || a->dimensions[k] == dims[k];
  if (!fits)
    return ga_error(GA_VALUE_ERROR,
                    "%s: array %zu has shape %s, array 0 %s; they may differ along axis %u only",
                    op, i, ga_shape_text(ti, a->nd, a->dimensions),
                    ga_shape_text(t0, first->nd, first->dimensions), axis);
  if (__builtin_add_overflow(dims[axis], a->dimensions[axis], &dims[axis]))
    return ga_error(GA_XLARGE_ERROR, "%s: the extents of axis %u overflow", op, axis);
  return GA_NO_ERROR;
}

/* The shape of the arrays joined, and that they can be. */
static int joined(const char *op, size_t *dims, const GpuArray **as, size_t n, unsigned int axis)
{
  for (size_t i = 0; i < n; i++)
    if (as[i] == NULL || as[i]->data == NULL)
      return ga_error(GA_VALUE_ERROR, "%s: array %zu of argument 2 is %s", op, i,
                      as[i] == NULL ? "NULL" : "cleared");
  if (axis >= as[0]->nd)
    return ga_error(GA_VALUE_ERROR, "%s: argument 4 is axis %u of arrays with %u", op, axis,
                    as[0]->nd);
  memcpy(dims, as[0]->dimensions, as[0]->nd * sizeof *dims);
  dims[axis] = 0;
  for (size_t i = 0; i < n; i++) GA_TRY(join(op, dims, as[0], as[i], i, axis));
  return GA_NO_ERROR;
}

int GpuArray_concatenate(GpuArray *r, const GpuArray **as, size_t n, unsigned int axis, int restype)
{
  static const char op[] = "GpuArray_concatenate";
  size_t dims[GA_MAXND], pos = 0;
  int err = GA_NO_ERROR;

  GA_NOT_NULL(op, 1, r);
  memset(r, 0, sizeof *r);
  GA_NOT_NULL(op, 2, as);
  if (n == 0) return ga_error(GA_VALUE_ERROR, "%s: argument 3 is 0, nothing to join", op);
  GA_TRY(ga_type_check(op, 5, restype));
  GA_TRY(joined(op, dims, as, n, axis));
  GA_TRY(ga_array_new(op, r, as[0]->data->ctx, restype, as[0]->nd, dims, GA_C_ORDER));
  for (size_t i = 0; i < n && err == GA_NO_ERROR; i++) {
    GpuArray part = {0};
    size_t extent = as[i]->dimensions[axis];

    if (ga_array_size(as[i]) == 0) continue;
    err = ga_array_view_nd(op, &part, r, r->nd);
    if (err != GA_NO_ERROR) break;
    memcpy(part.dimensions, as[i]->dimensions, r->nd * sizeof *part.dimensions);
    memcpy(part.strides, r->strides, r->nd * sizeof *part.strides);
    part.offset += pos * (size_t)r->strides[axis];
    GpuArray_fix_flags(&part);
    err = ga_array_move(op, &part, as[i]);
    GpuArray_clear(&part);
    pos += extent;
  }
  if (err != GA_NO_ERROR) GpuArray_clear(r);
  return err;
}
