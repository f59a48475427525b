/* SPDX-License-Identifier: MIT */
/* GpuArray_maxandargmax: the largest elements along some axes and where they are.
 *
 * It is the expression "m = max(s, axis=k); i = argmax(s, axis=k)", which is one
 * pass over the source. The list of axes gives the order in which positions are
 * counted, so `s` is a view whose reduced axes come last, in that order, and as
 * one axis: a copy is made only where several axes cannot be walked as one. */
#include <stdio.h>
#include <string.h>

#include "gpuarray/arg.h"
#include "gpuarray/expr.h"
#include "lib/array.h"

static const char op[] = "GpuArray_maxandargmax";

static int check_axes(const GpuArray *src, unsigned int n, const unsigned int *axes)
{
  unsigned char seen[GA_MAXND] = {0};

  if (src->nd == 0 || src->nd > GA_MAXND)
    return ga_error(GA_INVALID_ERROR, "%s: argument 3 has %u axes, expected 1 to %d", op, src->nd,
                    GA_MAXND);
  if (n == 0 || n > src->nd)
    return ga_error(GA_INVALID_ERROR, "%s: argument 4 is %u, expected 1 to %u axes", op, n,
                    src->nd);
  for (unsigned int i = 0; i < n; i++) {
    if (axes[i] >= src->nd)
      return ga_error(GA_INVALID_ERROR, "%s: argument 5 has axis %u of an array with %u", op,
                      axes[i], src->nd);
    if (seen[axes[i]]++)
      return ga_error(GA_INVALID_ERROR, "%s: argument 5 has axis %u twice", op, axes[i]);
  }
  return GA_NO_ERROR;
}

/* Argument `arg`, a result, has what is left of the source's shape. */
static int check_result(int arg, const GpuArray *r, const GpuArray *src, unsigned int nd,
                        const size_t *dims)
{
  char want[GA_SHAPE_TEXT], got[GA_SHAPE_TEXT];

  if (r->data->ctx != src->data->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: arguments %d and 3 are of different contexts", op, arg);
  if (!GpuArray_ISWRITEABLE(r))
    return ga_error(GA_VALUE_ERROR, "%s: argument %d is read-only", op, arg);
  if (!GpuArray_ISALIGNED(r))
    return ga_error(GA_UNALIGNED_ERROR, "%s: argument %d is not aligned to its elements", op, arg);
  if (r->nd != nd || (nd != 0 && memcmp(r->dimensions, dims, nd * sizeof *dims) != 0))
    return ga_error(GA_INVALID_ERROR, "%s: argument %d has shape %s, expected %s", op, arg,
                    ga_shape_text(got, r->nd, r->dimensions), ga_shape_text(want, nd, dims));
  return GA_NO_ERROR;
}

static int check_types(const GpuArray *max, const GpuArray *at, const GpuArray *src)
{
  if (ga_dtype_of(src->typecode) == GA_DT_NONE)
    return ga_error(GA_INVALID_ERROR, "%s: argument 3 has typecode %d, which has no order", op,
                    src->typecode);
  if (!GpuArray_ISALIGNED(src))
    return ga_error(GA_UNALIGNED_ERROR, "%s: argument 3 is not aligned to its elements", op);
  if (max->typecode != src->typecode)
    return ga_error(GA_INVALID_ERROR, "%s: argument 1 has typecode %d, argument 3 %d", op,
                    max->typecode, src->typecode);
  if (at->typecode != GA_LONG && at->typecode != GA_ULONG)
    return ga_error(GA_INVALID_ERROR,
                    "%s: argument 2 has typecode %d, expected GA_LONG or GA_ULONG", op,
                    at->typecode);
  return GA_NO_ERROR;
}

/* The order of axes that puts the `n` listed ones last; the extents before them. */
static unsigned int arrange(unsigned int *order, size_t *dims, const GpuArray *src, unsigned int n,
                            const unsigned int *axes)
{
  unsigned int kept = 0;

  for (unsigned int k = 0; k < src->nd; k++) {
    unsigned int i = 0;

    while (i < n && axes[i] != k) i++;
    if (i < n) continue;
    dims[kept] = src->dimensions[k];
    order[kept++] = k;
  }
  memcpy(order + kept, axes, n * sizeof *axes);
  return kept;
}

static int evaluate(GpuArray *max, GpuArray *at, const GpuArray *s, unsigned int axis)
{
  char text[96];
  GpuArray position = *at;

  /* The positions are int64; an existing uint64 array takes them as they are. */
  position.typecode = GA_LONG;
  snprintf(text, sizeof text, "m = max(s, axis=%u); i = argmax(s, axis=%u)", axis, axis);
  return GpuArray_eval(NULL, s->data->ctx, text,
                       GA_ARGS(ga_array("s", s), ga_array("m", max), ga_array("i", &position)));
}

static int check_given(int i, const GpuArray *a)
{
  if (a != NULL && a->data != NULL) return GA_NO_ERROR;
  return ga_error(GA_INVALID_ERROR, "%s: argument %d is %s", op, i,
                  a == NULL ? "NULL" : "a cleared array");
}

int GpuArray_maxandargmax(GpuArray *dstMax, GpuArray *dstArgmax, const GpuArray *src,
                          unsigned int reduxLen, const unsigned int *reduxList)
{
  unsigned int order[GA_MAXND], kept;
  size_t dims[GA_MAXND + 1], n = 1;
  GpuArray moved = {0}, flat = {0};
  int err;

  GA_TRY(check_given(1, dstMax));
  GA_TRY(check_given(2, dstArgmax));
  GA_TRY(check_given(3, src));
  if (reduxList == NULL) return ga_error(GA_INVALID_ERROR, "%s: argument 5 is NULL", op);
  GA_TRY(check_axes(src, reduxLen, reduxList));
  GA_TRY(check_types(dstMax, dstArgmax, src));
  kept = arrange(order, dims, src, reduxLen, reduxList);
  GA_TRY(check_result(1, dstMax, src, kept, dims));
  GA_TRY(check_result(2, dstArgmax, src, kept, dims));
  for (unsigned int i = 0; i < reduxLen; i++) n *= src->dimensions[reduxList[i]];
  if (n == 0)
    return ga_error(GA_VALUE_ERROR,
                    "%s: the largest of no elements: argument 5 lists an axis of "
                    "extent 0",
                    op);
  dims[kept] = n;
  err = GpuArray_transpose(&moved, src, order);
  if (err == GA_NO_ERROR) err = GpuArray_reshape(&flat, &moved, kept + 1, dims, GA_C_ORDER, 0);
  if (err == GA_NO_ERROR) err = evaluate(dstMax, dstArgmax, &flat, kept);
  GpuArray_clear(&flat);
  GpuArray_clear(&moved);
  return err;
}
