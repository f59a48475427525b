/* SPDX-License-Identifier: MIT */
/** \file
 * Named operations: each is a prepared NumPy expression behind a C function.
 *
 *     gpucontext *ctx;
 *     GpuArray a = {0}, b = {0}, s = {0};
 *     float x[4] = {1, 2, 3, 4};
 *     double sum;
 *     GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *     GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4), x));
 *     GA_OR_DIE(GpuArray_scale(&b, &a, 2));
 *     GA_OR_DIE(GpuArray_sumsq(&s, &b));
 *     GA_OR_DIE(GpuArray_tohost(&sum, sizeof sum, GA_DOUBLE, &s));
 *     GpuArray_clear(&s); GpuArray_clear(&b); GpuArray_clear(&a);
 *     gpucontext_deref(ctx);
 *
 * What holds for all of them. **Shape** as NumPy broadcasts; the reductions take
 * all axes and give one number, an array without axes. **Type** NumPy 2's
 * promotion; numbers given as `double` are weak, as Python's floats: with an
 * array of floats they do not change its type, with integers they give float64.
 * **Layout** any. **Sync** none. Arrays may overlap: the result is as if every
 * input had been read before anything was written.
 *
 * The plain function makes `out` (overwritten, not cleared first; zeroed on
 * error). The `_into` form writes an existing array of exactly the result's shape
 * and of a type that NumPy's same_kind rule allows.
 *
 * Every function \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL or cleared
 * array, arrays of different contexts, shapes that do not fit (the message names
 * them), a type that the operation does not have, or an existing array that is
 * read-only, of another shape or of an unfit type; #GA_UNALIGNED_ERROR for an
 * array that is not aligned; #GA_MEMORY_ERROR; #GA_LOAD_ERROR or #GA_IMPL_ERROR
 * when the device or its compiler fails.
 */
#ifndef GPUARRAY_OPS_H
#define GPUARRAY_OPS_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Elementwise -------------------------------------------------------- */

/** k * a.
 *
 * \param out the array to make
 * \param a an array
 * \param k a number
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_scale(GpuArray *out, const GpuArray *a, double k);
/** As GpuArray_scale(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_scale_into(GpuArray *out, const GpuArray *a, double k);

/** k * a + b.
 *
 * \param out the array to make
 * \param a an array
 * \param k a number
 * \param b a number
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_axpb(GpuArray *out, const GpuArray *a, double k, double b);
/** As GpuArray_axpb(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_axpb_into(GpuArray *out, const GpuArray *a, double k, double b);

/** a + b.
 *
 * \param out the array to make
 * \param a an array
 * \param b an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_add(GpuArray *out, const GpuArray *a, const GpuArray *b);
/** As GpuArray_add(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_add_into(GpuArray *out, const GpuArray *a, const GpuArray *b);

/** a - b.
 *
 * \param out the array to make
 * \param a an array
 * \param b an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_sub(GpuArray *out, const GpuArray *a, const GpuArray *b);
/** As GpuArray_sub(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_sub_into(GpuArray *out, const GpuArray *a, const GpuArray *b);

/** a * b, element by element.
 *
 * \param out the array to make
 * \param a an array
 * \param b an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_mul(GpuArray *out, const GpuArray *a, const GpuArray *b);
/** As GpuArray_mul(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_mul_into(GpuArray *out, const GpuArray *a, const GpuArray *b);

/** a / b: true division, float64 for integers.
 *
 * \param out the array to make
 * \param a an array
 * \param b an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_div(GpuArray *out, const GpuArray *a, const GpuArray *b);
/** As GpuArray_div(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_div_into(GpuArray *out, const GpuArray *a, const GpuArray *b);

/** -a.
 *
 * \param out the array to make
 * \param a an array, not of bool
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_neg(GpuArray *out, const GpuArray *a);
/** As GpuArray_neg(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_neg_into(GpuArray *out, const GpuArray *a);

/** y = k * x + y, in place. **Shape** x must repeat to y's.
 *
 * \param y an array, read and written
 * \param k a number
 * \param x an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_axpy(GpuArray *y, double k, const GpuArray *x);

/** The elements as another type, converted as numpy's astype() does.
 *
 * \param out the array to make; Fortran order if `a` lies so (and not in C order
 * too), else C
 * \param a an array
 * \param typecode the type
 * \returns see the top of this file; #GA_UNSUPPORTED_ERROR for a conversion of
 * types that have none. GpuArray_move() converts into an existing array */
GPUARRAY_PUBLIC int GpuArray_cast(GpuArray *out, const GpuArray *a, int typecode);

/* ---- Reductions to one number ------------------------------------------- */

/** sum(a * b) of two vectors of one length, in the order that is the same on
 * every device (GpuArray_rdot() asks BLAS).
 *
 * \param out the array to make
 * \param a a vector
 * \param b a vector
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_dot(GpuArray *out, const GpuArray *a, const GpuArray *b);
/** As GpuArray_dot(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_dot_into(GpuArray *out, const GpuArray *a, const GpuArray *b);

/** sum(a). bool and integers are added in 64 bits, the 16-bit floats in float32.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_sum(GpuArray *out, const GpuArray *a);
/** As GpuArray_sum(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_sum_into(GpuArray *out, const GpuArray *a);

/** sum(a * a), the squares in the type of `a`.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_sumsq(GpuArray *out, const GpuArray *a);
/** As GpuArray_sumsq(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_sumsq_into(GpuArray *out, const GpuArray *a);

/** mean(a); NaN for no elements.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_mean(GpuArray *out, const GpuArray *a);
/** As GpuArray_mean(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_mean_into(GpuArray *out, const GpuArray *a);

/** min(a); NaN if one is. No elements are #GA_VALUE_ERROR.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_min(GpuArray *out, const GpuArray *a);
/** As GpuArray_min(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_min_into(GpuArray *out, const GpuArray *a);

/** max(a); NaN if one is. No elements are #GA_VALUE_ERROR.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_max(GpuArray *out, const GpuArray *a);
/** As GpuArray_max(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_max_into(GpuArray *out, const GpuArray *a);

/** The Euclidean norm: the root of the sum of the squared magnitudes, as
 * numpy.linalg.norm(a.ravel()). float64 for bool and integers, the real part's
 * type for complex numbers; the 16-bit floats are squared and added in float32.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_norm(GpuArray *out, const GpuArray *a);
/** As GpuArray_norm(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_norm_into(GpuArray *out, const GpuArray *a);

/* ---- Scans ---------------------------------------------------------------- */

/** The running sum of all elements in C order: element i is the sum of those from 0
 * to i. **Shape** one axis. **Type** as GpuArray_sum()'s. Along one axis, exclusive, or
 * of products, least and greatest values: `cumsum`, `cumprod`, `cummax` and `cummin` in an
 * expression.
 *
 * \param out the array to make
 * \param a an array
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_cumsum(GpuArray *out, const GpuArray *a);
/** As GpuArray_cumsum(), into an existing array. */
GPUARRAY_PUBLIC int GpuArray_cumsum_into(GpuArray *out, const GpuArray *a);

#ifdef __cplusplus
}
#endif
#endif
