/* SPDX-License-Identifier: MIT */
/* Another shape for the same elements.
 *
 * Strides for it exist when every run of old axes that a run of new axes
 * replaces is itself walked as one. With old shape (6, 4), strides (32, 8) and
 * new shape (2, 3, 2, 2): 6 = 2 * 3 and 4 = 2 * 2 are such runs; each old one is
 * a single axis, so strides (96, 32, 16, 8) do it. Old axes whose strides do not
 * nest can be split but not joined. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* The axes of a C-order reading: Fortran order reads the axes backwards. */
static unsigned int at(unsigned int i, unsigned int nd, ga_order order)
{
  return order == GA_F_ORDER ? nd - 1 - i : i;
}

/* 1 when old axes [from, to) nest: each steps over the whole of the next. */
static int one_run(const size_t *dims, const ssize_t *strides, unsigned int from, unsigned int to)
{
  for (unsigned int k = from; k + 1 < to; k++) {
    ssize_t whole;

    if (__builtin_mul_overflow(strides[k + 1], dims[k + 1], &whole) || strides[k] != whole)
      return 0;
  }
  return 1;
}

int ga_reshape_strides(ssize_t *strides, const GpuArray *a, unsigned int nd, const size_t *dims,
                       ga_order order)
{
  size_t od[GA_MAXND], np, op;
  ssize_t os[GA_MAXND], step;
  unsigned int ond = 0, oi = 0, ni = 0, oj, nj;

  for (unsigned int i = 0; i < nd; i++)
    if (dims[i] == 0) {
      ga_order_strides(strides, nd, dims, gpuarray_get_elsize(a->typecode), order);
      return 1;
    }
  for (unsigned int i = 0; i < a->nd; i++) { /* axes of extent 1 do not matter */
    unsigned int k = at(i, a->nd, order);

    if (a->dimensions[k] == 1) continue;
    od[ond] = a->dimensions[k];
    os[ond++] = a->strides[k];
  }
  while (ni < nd && oi < ond) {
    oj = oi + 1;
    nj = ni + 1;
    op = od[oi];
    np = dims[at(ni, nd, order)];
    while (np != op)
      if (np < op)
        np *= dims[at(nj++, nd, order)];
      else
        op *= od[oj++];
    if (!one_run(od, os, oi, oj)) return 0;
    step = os[oj - 1];
    for (unsigned int i = nj; i-- > ni;) {
      strides[at(i, nd, order)] = step;
      step *= (ssize_t)dims[at(i, nd, order)];
    }
    ni = nj;
    oi = oj;
  }
  /* What is left are axes of extent 1. */
  step = ond != 0 ? os[ond - 1] : (ssize_t)gpuarray_get_elsize(a->typecode);
  for (; ni < nd; ni++) strides[at(ni, nd, order)] = step;
  return 1;
}

/* Same number of elements, a shape that can be. */
static int check(const char *op, const GpuArray *a, unsigned int nd, const size_t *dims,
                 ga_order order, int arg)
{
  char ta[GA_SHAPE_TEXT], tr[GA_SHAPE_TEXT];
  size_t itemsize = gpuarray_get_elsize(a->typecode), bytes;

  if (nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is %u, at most %d axes are possible", op, arg,
                    nd, GA_MAXND);
  if (nd != 0) GA_NOT_NULL(op, arg + 1, dims);
  if (order != GA_ANY_ORDER && order != GA_C_ORDER && order != GA_F_ORDER)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is %d, expected a ga_order", op, arg + 2,
                    (int)order);
  GA_TRY(ga_shape_bytes(op, &bytes, itemsize, nd, dims));
  if (bytes != ga_array_bytes(a))
    return ga_error(GA_INVALID_ERROR,
                    "%s: shape %s has %zu elements, argument 1 of shape %s "
                    "has %zu",
                    op, ga_shape_text(tr, nd, dims), bytes / itemsize,
                    ga_shape_text(ta, a->nd, a->dimensions), ga_array_size(a));
  return GA_NO_ERROR;
}

static int no_copy(const char *op, const GpuArray *a, unsigned int nd, const size_t *dims)
{
  char ta[GA_SHAPE_TEXT], tr[GA_SHAPE_TEXT];

  return ga_error(GA_COPY_ERROR, "%s: shape %s to %s needs a copy of this layout", op,
                  ga_shape_text(ta, a->nd, a->dimensions), ga_shape_text(tr, nd, dims));
}

/* A copy of `a` read in `order`, placed in `order` under the new shape. */
static int copy(const char *op, GpuArray *res, const GpuArray *a, unsigned int nd,
                const size_t *dims, ga_order order)
{
  GpuArray old = {0};
  int err;

  GA_TRY(ga_array_new(op, res, a->data->ctx, a->typecode, nd, dims, order));
  err = ga_array_view_nd(op, &old, res, a->nd);
  if (err != GA_NO_ERROR) goto fail;
  memcpy(old.dimensions, a->dimensions, a->nd * sizeof *a->dimensions);
  ga_order_strides(old.strides, a->nd, a->dimensions, gpuarray_get_elsize(a->typecode), order);
  GpuArray_fix_flags(&old);
  err = ga_array_move(op, &old, a);
  if (err != GA_NO_ERROR) goto fail;
  GpuArray_clear(&old);
  return GA_NO_ERROR;
fail:
  GpuArray_clear(&old);
  GpuArray_clear(res);
  return err;
}

int GpuArray_reshape(GpuArray *res, const GpuArray *a, unsigned int nd, const size_t *newdims,
                     ga_order ord, int nocopy)
{
  static const char op[] = "GpuArray_reshape";
  ssize_t strides[GA_MAXND];

  GA_TRY(ga_array_begin(op, res, 2, a));
  GA_TRY(check(op, a, nd, newdims, ord, 3));
  ord = ga_order_of(a, ord);
  if (!ga_reshape_strides(strides, a, nd, newdims, ord)) {
    if (nocopy) return no_copy(op, a, nd, newdims);
    return copy(op, res, a, nd, newdims, ord);
  }
  GA_TRY(ga_array_view_nd(op, res, a, nd));
  if (nd != 0) {
    memcpy(res->dimensions, newdims, nd * sizeof *newdims);
    memcpy(res->strides, strides, nd * sizeof *strides);
  }
  GpuArray_fix_flags(res);
  return GA_NO_ERROR;
}

int GpuArray_reshape_inplace(GpuArray *a, unsigned int nd, const size_t *newdims, ga_order ord)
{
  static const char op[] = "GpuArray_reshape_inplace";
  size_t *dims;
  ssize_t *strides;

  GA_TRY(ga_array_check(op, 1, a));
  GA_TRY(check(op, a, nd, newdims, ord, 2));
  dims = calloc(nd + 1u, sizeof *dims);
  strides = calloc(nd + 1u, sizeof *strides);
  if (dims == NULL || strides == NULL) {
    free(dims);
    free(strides);
    return ga_error_memory(op, (nd + 1u) * (sizeof *dims + sizeof *strides));
  }
  if (!ga_reshape_strides(strides, a, nd, newdims, ga_order_of(a, ord))) {
    free(dims);
    free(strides);
    return no_copy(op, a, nd, newdims);
  }
  if (nd != 0) memcpy(dims, newdims, nd * sizeof *dims);
  free(a->dimensions);
  free(a->strides);
  a->dimensions = dims;
  a->strides = strides;
  a->nd = nd;
  GpuArray_fix_flags(a);
  return GA_NO_ERROR;
}
