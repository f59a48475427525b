/* SPDX-License-Identifier: MIT */
/** \file
 * Products of vectors and matrices in float16, float32 and float64.
 *
 * Operands of other layouts than BLAS takes, and operands that share memory with
 * the result, are copied first, unless `nocopy` forbids it. A result is written
 * in place: a matrix must be in C or Fortran order without gaps, a vector have a
 * positive stride. With beta 0 what was in it is not read.
 *
 * Every function **Sync** none, and \returns #GA_NO_ERROR; #GA_INVALID_ERROR for
 * other dtypes than float16, float32 and float64; #GA_VALUE_ERROR for a NULL or cleared
 * array, dtypes or shapes that do not fit, arrays of different contexts, a
 * result that is read-only or not contiguous; #GA_UNALIGNED_ERROR for an array
 * that is not aligned; #GA_COPY_ERROR when `nocopy` forbids a copy that is
 * needed; #GA_XLARGE_ERROR for an extent that the device's BLAS cannot take
 * (more than INT_MAX); #GA_UNSUPPORTED_ERROR when there is no BLAS library;
 * #GA_BLAS_ERROR when the library fails; #GA_MEMORY_ERROR.
 */
#ifndef GPUARRAY_BLAS_H
#define GPUARRAY_BLAS_H

#include <gpuarray/buffer_blas.h>
#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Z = X . Y. **Shape** X and Y (n), Z ().
 *
 * \param X a vector
 * \param Y a vector
 * \param Z an array of one element without axes
 * \param nocopy not 0: fail rather than copy
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy);
#define GpuArray_hdot GpuArray_rdot
#define GpuArray_sdot GpuArray_rdot
#define GpuArray_ddot GpuArray_rdot

/** Y = alpha * op(A) . X + beta * Y. **Shape** op(A) (m,n), X (n), Y (m).
 *
 * \param transA what op does to A
 * \param alpha a number
 * \param A a matrix
 * \param X a vector
 * \param beta a number; with 0 Y is not read
 * \param Y a vector, written
 * \param nocopy not 0: fail rather than copy
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X,
                                   double beta, GpuArray *Y, int nocopy);
#define GpuArray_hgemv GpuArray_rgemv
#define GpuArray_sgemv GpuArray_rgemv
#define GpuArray_dgemv GpuArray_rgemv

/** C = alpha * op(A) . op(B) + beta * C. **Shape** op(A) (m,k), op(B) (k,n),
 * C (m,n).
 *
 * \param transA what op does to A
 * \param transB what op does to B
 * \param alpha a number
 * \param A a matrix
 * \param B a matrix
 * \param beta a number; with 0 C is not read
 * \param C a matrix, written; C or Fortran order
 * \param nocopy not 0: fail rather than copy
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha,
                                   GpuArray *A, GpuArray *B, double beta, GpuArray *C, int nocopy);
#define GpuArray_hgemm GpuArray_rgemm
#define GpuArray_sgemm GpuArray_rgemm
#define GpuArray_dgemm GpuArray_rgemm

/** A += alpha * X . Y', the outer product. **Shape** X (m), Y (n), A (m,n).
 *
 * \param alpha a number
 * \param X a vector
 * \param Y a vector
 * \param A a matrix, read and written; C or Fortran order
 * \param nocopy not 0: fail rather than copy
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A, int nocopy);
#define GpuArray_hger GpuArray_rger
#define GpuArray_sger GpuArray_rger
#define GpuArray_dger GpuArray_rger

/** C[i] = alpha * op(A[i]) . op(B[i]) + beta * C[i] for each i. **Shape** op(A[i])
 * (m,k), op(B[i]) (k,n), C (b,m,n); A and B have b matrices too.
 *
 * \param transA what op does to the matrices of A
 * \param transB what op does to those of B
 * \param alpha a number
 * \param A an array of three axes
 * \param B an array of three axes
 * \param beta a number; with 0 C is not read
 * \param C an array of three axes, written; each matrix in C or Fortran order
 * \param nocopy not 0: fail rather than copy
 * \returns see the top of this file */
GPUARRAY_PUBLIC int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB, double alpha,
                                           GpuArray *A, GpuArray *B, double beta, GpuArray *C,
                                           int nocopy);
#define GpuArray_hgemmBatch_3d GpuArray_rgemmBatch_3d
#define GpuArray_sgemmBatch_3d GpuArray_rgemmBatch_3d
#define GpuArray_dgemmBatch_3d GpuArray_rgemmBatch_3d

#ifdef __cplusplus
}
#endif
#endif
