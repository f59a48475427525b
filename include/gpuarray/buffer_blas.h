/* SPDX-License-Identifier: MIT */
/** \file
 * BLAS on buffers: single (s) and double (d) precision.
 *
 * Offsets, increments and leading dimensions count elements. A context's BLAS
 * is made ready by gpublas_setup(); the GpuArray_ functions of blas.h call it
 * themselves. The result is not promised to have the same bits on every device.
 *
 * Every function \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL buffer,
 * buffers of different contexts, a wrong order or transposition, a leading
 * dimension smaller than a row (or column), an increment of 0 or a range
 * beyond a buffer; #GA_XLARGE_ERROR for an extent that BLAS cannot take;
 * #GA_UNSUPPORTED_ERROR when there is no BLAS library; #GA_DEVSUP_ERROR when the
 * device lacks the operation; #GA_BLAS_ERROR when the library fails.
 * **Sync** none.
 */
#ifndef GPUARRAY_BUFFER_BLAS_H
#define GPUARRAY_BUFFER_BLAS_H

#include <gpuarray/buffer.h>
#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Order in which a matrix lies in memory. */
typedef enum _cb_order {
  cb_row,   /**< rows one after the other */
  cb_column /**< columns one after the other */
} cb_order;

#define cb_c cb_row          /**< C's order */
#define cb_fortran cb_column /**< Fortran's order */

/** Side from which a matrix multiplies. */
typedef enum _cb_side { cb_left, cb_right } cb_side;

/** What is done to a matrix first. */
typedef enum _cb_transpose {
  cb_no_trans,  /**< nothing */
  cb_trans,     /**< it is transposed */
  cb_conj_trans /**< it is transposed and conjugated */
} cb_transpose;

/** Triangle of a matrix that is read. */
typedef enum _cb_uplo { cb_upper, cb_lower } cb_uplo;

/** Makes the context's BLAS ready. Calling it again does nothing.
 *
 * \param ctx a context
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR when `ctx` is NULL;
 * #GA_UNSUPPORTED_ERROR when there is no BLAS library; #GA_BLAS_ERROR when it
 * fails */
GPUARRAY_PUBLIC int gpublas_setup(gpucontext *ctx);

/** Kept for programs that call it: BLAS goes with its context.
 *
 * \param ctx a context, may be NULL */
GPUARRAY_PUBLIC void gpublas_teardown(gpucontext *ctx);

/** The calling thread's last message.
 *
 * \param ctx a context, may be NULL
 * \returns the text */
GPUARRAY_PUBLIC const char *gpublas_error(gpucontext *ctx);

/** Z[0] = sum of X[i] * Y[i] over `N` elements, single precision. */
GPUARRAY_PUBLIC int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX,
                                 gpudata *Y, size_t offY, size_t incY, gpudata *Z,
                                 size_t offZ);
/** As gpublas_sdot(), double precision. */
GPUARRAY_PUBLIC int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX,
                                 gpudata *Y, size_t offY, size_t incY, gpudata *Z,
                                 size_t offZ);

/** Y = alpha * op(A) . X + beta * Y, A being `M` by `N` before op, single
 * precision. With beta 0 Y is not read. */
GPUARRAY_PUBLIC int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                                  float alpha, gpudata *A, size_t offA, size_t lda,
                                  gpudata *X, size_t offX, int incX, float beta,
                                  gpudata *Y, size_t offY, int incY);
/** As gpublas_sgemv(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                                  double alpha, gpudata *A, size_t offA, size_t lda,
                                  gpudata *X, size_t offX, int incX, double beta,
                                  gpudata *Y, size_t offY, int incY);

/** C = alpha * op(A) . op(B) + beta * C, op(A) being `M` by `K` and op(B) `K` by
 * `N`, single precision. With beta 0 C is not read. */
GPUARRAY_PUBLIC int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B, size_t offB,
                                  size_t ldb, float beta, gpudata *C, size_t offC,
                                  size_t ldc);
/** As gpublas_sgemm(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                                  size_t M, size_t N, size_t K, double alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B, size_t offB,
                                  size_t ldb, double beta, gpudata *C, size_t offC,
                                  size_t ldc);

#ifdef __cplusplus
}
#endif
#endif
