/* SPDX-License-Identifier: MIT */
/* Part of an array by start, stop and step of every axis, and an array cut into
 * views along an axis. */
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/* Elements start, start + step, ... before stop. 0 when there are none. */
static size_t count(ssize_t start, ssize_t stop, ssize_t step)
{
  size_t way, by;

  if (step > 0 ? stop <= start : stop >= start) return 0;
  way = step > 0 ? (size_t)stop - (size_t)start : (size_t)start - (size_t)stop;
  by = step > 0 ? (size_t)step : -(size_t)step;
  return (way - 1) / by + 1;
}

/* Numbers of one axis: allowed at all, and if so that many elements in *n. */
static int check_axis(const char *op, unsigned int axis, size_t extent, ssize_t start, ssize_t stop,
                      ssize_t step, size_t *n)
{
  ssize_t dim = (ssize_t)extent, last = dim - (step == 0);

  if (start < (step == 0 ? 0 : -1) || start > last)
    return ga_error(GA_VALUE_ERROR, "%s: start %zd of axis %u, expected %d to %zd", op, start, axis,
                    step == 0 ? 0 : -1, last);
  *n = 1;
  if (step == 0) return GA_NO_ERROR;
  if (stop < -1 || stop > dim)
    return ga_error(GA_VALUE_ERROR, "%s: stop %zd of axis %u, expected -1 to %zd", op, stop, axis,
                    dim);
  /* A stop on the wrong side is wrong when it is a whole step away. */
  if ((stop - start) / step < 0)
    return ga_error(GA_VALUE_ERROR, "%s: axis %u goes from %zd to %zd by %zd", op, axis, start,
                    stop, step);
  *n = count(start, stop, step);
  if (*n != 0 && (start < 0 || start == dim))
    return ga_error(GA_VALUE_ERROR,
                    "%s: start %zd of axis %u has no element, expected 0 to "
                    "%zd",
                    op, start, axis, dim - 1);
  return GA_NO_ERROR;
}

/* Writes the part of `a` into `r`, which has room for it and may be `a`. */
static void apply(GpuArray *r, const GpuArray *a, const ssize_t *starts, const ssize_t *stops,
                  const ssize_t *steps)
{
  size_t first = a->offset, off = first;
  unsigned int nd = 0, all = a->nd;

  for (unsigned int k = 0; k < all; k++) {
    size_t n = steps[k] == 0 ? 1 : count(starts[k], stops[k], steps[k]);
    ssize_t stride = a->strides[k];

    if (n != 0) off += (size_t)(starts[k] * stride);
    if (steps[k] == 0) continue;
    /* With one element or none a step beyond all numbers changes nothing. */
    if (__builtin_mul_overflow(stride, steps[k], &stride)) stride = a->strides[k];
    r->dimensions[nd] = n;
    r->strides[nd++] = stride;
  }
  r->nd = nd;
  /* Without elements the offset stays where it is sure to be in the buffer. */
  r->offset = ga_array_size(r) != 0 ? off : first;
  GpuArray_fix_flags(r);
}

static int check(const char *op, const GpuArray *a, const ssize_t *starts, const ssize_t *stops,
                 const ssize_t *steps, int arg)
{
  size_t n;

  if (a->nd == 0) return GA_NO_ERROR;
  GA_NOT_NULL(op, arg, starts);
  GA_NOT_NULL(op, arg + 1, stops);
  GA_NOT_NULL(op, arg + 2, steps);
  for (unsigned int k = 0; k < a->nd; k++)
    GA_TRY(check_axis(op, k, a->dimensions[k], starts[k], stops[k], steps[k], &n));
  return GA_NO_ERROR;
}

int GpuArray_index(GpuArray *r, const GpuArray *a, const ssize_t *starts, const ssize_t *stops,
                   const ssize_t *steps)
{
  static const char op[] = "GpuArray_index";

  GA_TRY(ga_array_begin(op, r, 2, a));
  GA_TRY(check(op, a, starts, stops, steps, 3));
  GA_TRY(ga_array_view_nd(op, r, a, a->nd));
  apply(r, a, starts, stops, steps);
  return GA_NO_ERROR;
}

int GpuArray_index_inplace(GpuArray *a, const ssize_t *starts, const ssize_t *stops,
                           const ssize_t *steps)
{
  static const char op[] = "GpuArray_index_inplace";

  GA_TRY(ga_array_check(op, 1, a));
  GA_TRY(check(op, a, starts, stops, steps, 2));
  apply(a, a, starts, stops, steps);
  return GA_NO_ERROR;
}

/* Elements [from, to) of an axis. */
static int cut(const char *op, GpuArray *r, const GpuArray *a, unsigned int axis, size_t from,
               size_t to)
{
  GA_TRY(ga_array_view_nd(op, r, a, a->nd));
  memcpy(r->dimensions, a->dimensions, a->nd * sizeof *a->dimensions);
  memcpy(r->strides, a->strides, a->nd * sizeof *a->strides);
  r->dimensions[axis] = to - from;
  if (ga_array_size(r) != 0) r->offset += from * (size_t)a->strides[axis];
  GpuArray_fix_flags(r);
  return GA_NO_ERROR;
}

static int check_split(const char *op, GpuArray **rs, const GpuArray *a, size_t n, const size_t *p,
                       unsigned int axis)
{
  GA_NOT_NULL(op, 1, rs);
  GA_TRY(ga_array_check(op, 2, a));
  if (n != 0) GA_NOT_NULL(op, 4, p);
  if (axis >= a->nd)
    return ga_error(GA_VALUE_ERROR, "%s: argument 5 is axis %u of an array with %u", op, axis,
                    a->nd);
  for (size_t i = 0; i < n; i++)
    if (p[i] > a->dimensions[axis] || (i != 0 && p[i] < p[i - 1]))
      return ga_error(GA_VALUE_ERROR, "%s: cut %zu is %zu, expected %zu to %zu", op, i, p[i],
                      i != 0 ? p[i - 1] : 0, a->dimensions[axis]);
  for (size_t i = 0; i <= n; i++)
    if (rs[i] == NULL || rs[i] == a)
      return ga_error(GA_VALUE_ERROR, "%s: array %zu of argument 1 is %s", op, i,
                      rs[i] == NULL ? "NULL" : "argument 2");
  return GA_NO_ERROR;
}

int GpuArray_split(GpuArray **rs, const GpuArray *a, size_t n, size_t *p, unsigned int axis)
{
  static const char op[] = "GpuArray_split";
  size_t from = 0;

  GA_TRY(check_split(op, rs, a, n, p, axis));
  for (size_t i = 0; i <= n; i++) {
    size_t to = i < n ? p[i] : a->dimensions[axis];
    int err = cut(op, rs[i], a, axis, from, to);

    if (err != GA_NO_ERROR) {
      while (i-- > 0) GpuArray_clear(rs[i]);
      return err;
    }
    from = to;
  }
  return GA_NO_ERROR;
}
