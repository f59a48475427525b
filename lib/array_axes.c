/* SPDX-License-Identifier: MIT */
/* Axes permuted, and axes repeated: views whose elements stay where they are. */
#include <string.h>

#include "lib/array.h"

static int check_permutation(const char *op, int arg, const GpuArray *a, const unsigned int *axes)
{
  unsigned char seen[GA_MAXND] = {0};

  if (axes == NULL) return GA_NO_ERROR;
  for (unsigned int k = 0; k < a->nd; k++) {
    if (axes[k] >= a->nd)
      return ga_error(GA_VALUE_ERROR, "%s: argument %d has axis %u of an array with %u", op, arg,
                      axes[k], a->nd);
    if (seen[axes[k]]++)
      return ga_error(GA_VALUE_ERROR, "%s: argument %d has axis %u twice", op, arg, axes[k]);
  }
  return GA_NO_ERROR;
}

static void permute(GpuArray *r, const size_t *dims, const ssize_t *strides,
                    const unsigned int *axes)
{
  for (unsigned int k = 0; k < r->nd; k++) {
    unsigned int from = axes != NULL ? axes[k] : r->nd - 1 - k;

    r->dimensions[k] = dims[from];
    r->strides[k] = strides[from];
  }
  GpuArray_fix_flags(r);
}

int GpuArray_transpose(GpuArray *res, const GpuArray *a, const unsigned int *new_axes)
{
  static const char op[] = "GpuArray_transpose";

  GA_TRY(ga_array_begin(op, res, 2, a));
  GA_TRY(check_permutation(op, 3, a, new_axes));
  GA_TRY(ga_array_view_nd(op, res, a, a->nd));
  permute(res, a->dimensions, a->strides, new_axes);
  return GA_NO_ERROR;
}

int GpuArray_transpose_inplace(GpuArray *a, const unsigned int *new_axes)
{
  static const char op[] = "GpuArray_transpose_inplace";
  size_t dims[GA_MAXND];
  ssize_t strides[GA_MAXND];

  GA_TRY(ga_array_check(op, 1, a));
  GA_TRY(check_permutation(op, 2, a, new_axes));
  memcpy(dims, a->dimensions, a->nd * sizeof *dims);
  memcpy(strides, a->strides, a->nd * sizeof *strides);
  permute(a, dims, strides, new_axes);
  return GA_NO_ERROR;
}

int ga_array_broadcast(const char *op, GpuArray *r, const GpuArray *a, unsigned int nd,
                       const size_t *dims)
{
  char ta[GA_SHAPE_TEXT], tr[GA_SHAPE_TEXT];
  size_t bytes;

  if (nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "%s: %u axes, at most %d are possible", op, nd, GA_MAXND);
  if (nd < a->nd)
    return ga_error(GA_VALUE_ERROR, "%s: shape %s does not repeat to %s, which has fewer axes", op,
                    ga_shape_text(ta, a->nd, a->dimensions), ga_shape_text(tr, nd, dims));
  for (unsigned int k = 0; k < a->nd; k++) {
    unsigned int to = nd - a->nd + k;

    if (a->dimensions[k] != 1 && a->dimensions[k] != dims[to])
      return ga_error(GA_VALUE_ERROR,
                      "%s: shape %s does not repeat to %s: axis %u has %zu, "
                      "expected 1 or %zu",
                      op, ga_shape_text(ta, a->nd, a->dimensions), ga_shape_text(tr, nd, dims), k,
                      a->dimensions[k], dims[to]);
  }
  GA_TRY(ga_shape_bytes(op, &bytes, gpuarray_get_elsize(a->typecode), nd, dims));
  GA_TRY(ga_array_view_nd(op, r, a, nd));
  for (unsigned int k = 0; k < nd; k++) {
    unsigned int from = k - (nd - a->nd);

    r->dimensions[k] = dims[k];
    if (k >= nd - a->nd && a->dimensions[from] == dims[k])
      r->strides[k] = a->strides[from];
    else
      r->strides[k] = 0;
  }
  r->flags = 0;
  GpuArray_fix_flags(r);
  return GA_NO_ERROR;
}

int GpuArray_broadcast_to(GpuArray *r, const GpuArray *a, unsigned int nd, const size_t *dims)
{
  static const char op[] = "GpuArray_broadcast_to";

  GA_TRY(ga_array_begin(op, r, 2, a));
  if (nd != 0) GA_NOT_NULL(op, 4, dims);
  return ga_array_broadcast(op, r, a, nd, dims);
}
