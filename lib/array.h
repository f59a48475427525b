/* SPDX-License-Identifier: MIT */
/* Arrays, to the rest of the library: checks that public functions share, and
 * the steps that several of them are made of.
 *
 *   array.c           made, cleared, viewed
 *   array_flags.c     contiguity and alignment; shapes compared and written out
 *   array_index.c     part of an array by numbers, and cut into views
 *   array_slice.c     part of an array by NumPy's index text
 *   array_axes.c      transposed, broadcast
 *   array_reshape.c   another shape, without copying where that can be
 *   array_copy.c      written into one another, joined
 *   array_host.c      from and to the host
 *   array_fill.c      full, arange
 *   array_show.c      described, dumped
 *   print.c           printed as NumPy does
 */
#ifndef GA_ARRAY_H
#define GA_ARRAY_H

#include "gpuarray/array.h"
#include "lib/backend.h"
#include "lib/check.h"

/* Argument `arg` of `op` is an array with data. */
int ga_array_check(const char *op, int arg, const GpuArray *a);
/* How a function that makes `r` (argument 1) from `a` (argument `arg`) begins:
 * checks both, zeroes `r`. */
int ga_array_begin(const char *op, GpuArray *r, int arg, const GpuArray *a);
/* As ga_array_check(), and it may be written. */
int ga_array_check_write(const char *op, int arg, const GpuArray *a);
/* Both have data and one context; equal shapes. */
int ga_array_check_context(const char *op, int arg1, const GpuArray *a, int arg2,
                           const GpuArray *b);
int ga_array_check_shape(const char *op, int arg1, const GpuArray *a, int arg2, const GpuArray *b);

/* Its elements: their number, and their bytes. They fit: every array that the
 * library made was checked. */
size_t ga_array_size(const GpuArray *a);
size_t ga_array_bytes(const GpuArray *a);

/* "(3, 4)", cut with "..." where it does not fit. */
enum { GA_SHAPE_TEXT = 128 };
const char *ga_shape_text(char text[GA_SHAPE_TEXT], unsigned int nd, const size_t *dims);

/* `typecode` is one that arrays may have. */
int ga_type_check(const char *op, int arg, int typecode);

/* Bytes of an array of these extents; GA_XLARGE_ERROR when they overflow. */
int ga_shape_bytes(const char *op, size_t *bytes, size_t itemsize, unsigned int nd,
                   const size_t *dims);

/* Strides of an array without gaps. */
void ga_order_strides(ssize_t *strides, unsigned int nd, const size_t *dims, size_t itemsize,
                      ga_order order);

/* Fills `v` with a view of `data` (+1 reference) with room for `nd` axes, whose
 * extents and strides the caller sets before GpuArray_fix_flags(). Typecode,
 * offset and writeability are those of `a`. On error `v` is zeroed. */
int ga_array_view_nd(const char *op, GpuArray *v, const GpuArray *a, unsigned int nd);

/* `order` resolved for a new array made from `a`: ANY keeps Fortran order. */
ga_order ga_order_of(const GpuArray *a, ga_order order);

/* 1 when both lie in memory alike, without gaps and in the same order. */
int ga_same_order(const GpuArray *a, const GpuArray *b);

/* GpuArray_empty() for `op`; the strides as ga_order_strides(). */
int ga_array_new(const char *op, GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd,
                 const size_t *dims, ga_order order);

/* GpuArray_move() once the arguments are known to be right. */
int ga_array_move(const char *op, GpuArray *dst, const GpuArray *src);

/* Fills `r` as `a` repeated to a shape (GpuArray_broadcast_to()). */
int ga_array_broadcast(const char *op, GpuArray *r, const GpuArray *a, unsigned int nd,
                       const size_t *dims);

/* Strides of the elements of `a`, read in `order`, under a new shape of as many
 * elements; 0 when no strides do that. */
int ga_reshape_strides(ssize_t *strides, const GpuArray *a, unsigned int nd, const size_t *dims,
                       ga_order order);

#endif
