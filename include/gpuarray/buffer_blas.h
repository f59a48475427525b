/* SPDX-License-Identifier: MIT */
/** \file
 * BLAS on buffers: half (h), single (s) and double (d) precision. Half is
 * multiplied and added in single precision and rounded once.
 *
 * Offsets, increments and leading dimensions count elements. A context's BLAS
 * is made ready by gpublas_setup(); the GpuArray_ functions of blas.h call it
 * themselves. The result is not promised to have the same bits on every device.
 *
 * Every function \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL buffer,
 * buffers of different contexts, a wrong order or transposition, a leading
 * dimension smaller than a row (or column), an increment of 0 or a range
 * beyond a buffer; #GA_XLARGE_ERROR for an extent that BLAS cannot take;
 * #GA_UNSUPPORTED_ERROR when there is no BLAS library; #GA_BLAS_ERROR when the
 * library fails.
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

#define cb_c       cb_row    /**< C's order */
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

/** Z[0] = sum of X[i] * Y[i] over `N` elements, half precision. */
GPUARRAY_PUBLIC int gpublas_hdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                                 size_t offY, size_t incY, gpudata *Z, size_t offZ);
/** Z[0] = sum of X[i] * Y[i] over `N` elements, single precision. */
GPUARRAY_PUBLIC int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                                 size_t offY, size_t incY, gpudata *Z, size_t offZ);
/** As gpublas_sdot(), double precision. */
GPUARRAY_PUBLIC int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y,
                                 size_t offY, size_t incY, gpudata *Z, size_t offZ);

/** Y = alpha * op(A) . X + beta * Y, A being `M` by `N` before op, single
 * precision. With beta 0 Y is not read. */
GPUARRAY_PUBLIC int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                                  int incY);
/** As gpublas_sgemv(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                                  double alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, double beta, gpudata *Y, size_t offY,
                                  int incY);
/** As gpublas_sgemv(), half precision. */
GPUARRAY_PUBLIC int gpublas_hgemv(cb_order order, cb_transpose transA, size_t M, size_t N,
                                  float alpha, gpudata *A, size_t offA, size_t lda, gpudata *X,
                                  size_t offX, int incX, float beta, gpudata *Y, size_t offY,
                                  int incY);

/** C = alpha * op(A) . op(B) + beta * C, op(A) being `M` by `K` and op(B) `K` by
 * `N`, single precision. With beta 0 C is not read. */
GPUARRAY_PUBLIC int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                                  float beta, gpudata *C, size_t offC, size_t ldc);
/** As gpublas_sgemm(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                                  size_t M, size_t N, size_t K, double alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                                  double beta, gpudata *C, size_t offC, size_t ldc);
/** As gpublas_sgemm(), half precision. */
GPUARRAY_PUBLIC int gpublas_hgemm(cb_order order, cb_transpose transA, cb_transpose transB,
                                  size_t M, size_t N, size_t K, float alpha, gpudata *A,
                                  size_t offA, size_t lda, gpudata *B, size_t offB, size_t ldb,
                                  float beta, gpudata *C, size_t offC, size_t ldc);

/** A += alpha * X . Y', A being `M` by `N`, half precision. */
GPUARRAY_PUBLIC int gpublas_hger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                                 gpudata *A, size_t offA, size_t lda);
/** As gpublas_hger(), single precision. */
GPUARRAY_PUBLIC int gpublas_sger(cb_order order, size_t M, size_t N, float alpha, gpudata *X,
                                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                                 gpudata *A, size_t offA, size_t lda);
/** As gpublas_hger(), double precision. */
GPUARRAY_PUBLIC int gpublas_dger(cb_order order, size_t M, size_t N, double alpha, gpudata *X,
                                 size_t offX, int incX, gpudata *Y, size_t offY, int incY,
                                 gpudata *A, size_t offA, size_t lda);

/* Many at once: `batchCount` matrices of one shape; 0 does nothing. `flags` must be 0.
 * The results must not overlap. */

/** As gpublas_sgemm() for each i, of the matrices at A[i], B[i], C[i], half precision.
 *
 * \returns the codes of gpublas_sgemm(); #GA_VALUE_ERROR for lists that are NULL;
 * #GA_INVALID_ERROR for `flags` that are not 0; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int gpublas_hgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                                       size_t ldb, float beta, gpudata **C, size_t *offC,
                                       size_t ldc, size_t batchCount, int flags);
/** As gpublas_hgemmBatch(), single precision. */
GPUARRAY_PUBLIC int gpublas_sgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                                       size_t M, size_t N, size_t K, float alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                                       size_t ldb, float beta, gpudata **C, size_t *offC,
                                       size_t ldc, size_t batchCount, int flags);
/** As gpublas_hgemmBatch(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemmBatch(cb_order order, cb_transpose transA, cb_transpose transB,
                                       size_t M, size_t N, size_t K, double alpha, gpudata **A,
                                       size_t *offA, size_t lda, gpudata **B, size_t *offB,
                                       size_t ldb, double beta, gpudata **C, size_t *offC,
                                       size_t ldc, size_t batchCount, int flags);

/** As gpublas_sgemm() for each i, of the matrices `i * stride` elements further on;
 * strides may be 0 (but for C) or negative, half precision.
 *
 * \returns the codes of gpublas_sgemm(); #GA_INVALID_ERROR for `flags` that are not
 * 0 */
GPUARRAY_PUBLIC int gpublas_hgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);
/** As gpublas_hgemm3D(), single precision. */
GPUARRAY_PUBLIC int gpublas_sgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                                    size_t M, size_t N, size_t K, float alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                                    size_t offB, size_t ldb, ssize_t strideB, float beta,
                                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);
/** As gpublas_hgemm3D(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemm3D(cb_order order, cb_transpose transA, cb_transpose transB,
                                    size_t M, size_t N, size_t K, double alpha, gpudata *A,
                                    size_t offA, size_t lda, ssize_t strideA, gpudata *B,
                                    size_t offB, size_t ldb, ssize_t strideB, double beta,
                                    gpudata *C, size_t offC, size_t ldc, ssize_t strideC,
                                    size_t batchCount, int flags);

/** As gpublas_sgemv() for each i, half precision. The offsets count bytes here.
 *
 * \returns the codes of gpublas_sgemv(); #GA_VALUE_ERROR for lists that are NULL;
 * #GA_UNALIGNED_ERROR for an offset that is not of a whole element;
 * #GA_INVALID_ERROR for `flags` that are not 0; #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int gpublas_hgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                                       float alpha, gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX, float beta,
                                       gpudata **y, size_t *offY, size_t incY, size_t batchCount,
                                       int flags);
/** As gpublas_hgemvBatch(), single precision. */
GPUARRAY_PUBLIC int gpublas_sgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                                       float alpha, gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX, float beta,
                                       gpudata **y, size_t *offY, size_t incY, size_t batchCount,
                                       int flags);
/** As gpublas_hgemvBatch(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N,
                                       double alpha, gpudata **A, size_t *offA, size_t lda,
                                       gpudata **x, size_t *offX, size_t incX, double beta,
                                       gpudata **y, size_t *offY, size_t incY, size_t batchCount,
                                       int flags);

/** As gpublas_sger() for each i, half precision. The offsets count bytes here.
 *
 * \returns the codes of gpublas_hgemvBatch() */
GPUARRAY_PUBLIC int gpublas_hgerBatch(cb_order order, size_t M, size_t N, float alpha, gpudata **x,
                                      size_t *offX, size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA, size_t lda,
                                      size_t batchCount, int flags);
/** As gpublas_hgerBatch(), single precision. */
GPUARRAY_PUBLIC int gpublas_sgerBatch(cb_order order, size_t M, size_t N, float alpha, gpudata **x,
                                      size_t *offX, size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA, size_t lda,
                                      size_t batchCount, int flags);
/** As gpublas_hgerBatch(), double precision. */
GPUARRAY_PUBLIC int gpublas_dgerBatch(cb_order order, size_t M, size_t N, double alpha, gpudata **x,
                                      size_t *offX, size_t incX, gpudata **y, size_t *offY,
                                      size_t incY, gpudata **A, size_t *offA, size_t lda,
                                      size_t batchCount, int flags);

#ifdef __cplusplus
}
#endif
#endif
