/* SPDX-License-Identifier: MIT */
/* BLAS on buffers, the public functions (gpuarray/buffer_blas.h): one row of the
 * list at the end for each precision. */
#include "lib/blas.h"

#include "gpuarray/types.h"
#include "lib/check.h"

int gpublas_setup(gpucontext *ctx)
{
  GA_NOT_NULL("gpublas_setup", 1, ctx);
  return ctx->backend->blas_setup(ctx);
}

void gpublas_teardown(gpucontext *ctx) { (void)ctx; }

const char *gpublas_error(gpucontext *ctx) { return gpucontext_error(ctx, GA_BLAS_ERROR); }

/* A size_t increment as a signed one; none that large is in any buffer. */
static ga_blas_vec vec(gpudata *b, size_t off, size_t inc)
{
  return (ga_blas_vec){b, off, inc > PTRDIFF_MAX ? PTRDIFF_MAX : (ssize_t)inc};
}

#define DOT(t, T, code)                                                                         \
  int gpublas_##t##dot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y, size_t offY, \
                       size_t incY, gpudata *Z, size_t offZ)                                    \
  {                                                                                             \
    return ga_blas_dot("gpublas_" #t "dot", code, N, vec(X, offX, incX), vec(Y, offY, incY), Z, \
                       offZ);                                                                   \
  }
#define GEMV(t, T, code)                                                                        \
  int gpublas_##t##gemv(cb_order order, cb_transpose transA, size_t M, size_t N, T alpha,       \
                        gpudata *A, size_t offA, size_t lda, gpudata *X, size_t offX, int incX, \
                        T beta, gpudata *Y, size_t offY, int incY)                              \
  {                                                                                             \
    return ga_blas_gemv("gpublas_" #t "gemv", code, order, transA, M, N, alpha,                 \
                        (ga_blas_mat){A, offA, lda}, (ga_blas_vec){X, offX, incX}, beta,        \
                        (ga_blas_vec){Y, offY, incY});                                          \
  }
#define GEMM(t, T, code)                                                                      \
  int gpublas_##t##gemm(cb_order order, cb_transpose transA, cb_transpose transB, size_t M,   \
                        size_t N, size_t K, T alpha, gpudata *A, size_t offA, size_t lda,     \
                        gpudata *B, size_t offB, size_t ldb, T beta, gpudata *C, size_t offC, \
                        size_t ldc)                                                           \
  {                                                                                           \
    return ga_blas_gemm("gpublas_" #t "gemm", code, order, transA, transB, M, N, K, alpha,    \
                        (ga_blas_mat){A, offA, lda}, (ga_blas_mat){B, offB, ldb}, beta,       \
                        (ga_blas_mat){C, offC, ldc});                                         \
  }
#define GER(t, T, code)                                                                      \
  int gpublas_##t##ger(cb_order order, size_t M, size_t N, T alpha, gpudata *X, size_t offX, \
                       int incX, gpudata *Y, size_t offY, int incY, gpudata *A, size_t offA, \
                       size_t lda)                                                           \
  {                                                                                          \
    return ga_blas_ger("gpublas_" #t "ger", code, order, M, N, alpha,                        \
                       (ga_blas_vec){X, offX, incX}, (ga_blas_vec){Y, offY, incY},           \
                       (ga_blas_mat){A, offA, lda});                                         \
  }
#define ALL(t, T, code) DOT(t, T, code) GEMV(t, T, code) GEMM(t, T, code) GER(t, T, code)
ALL(h, float, GA_HALF)
ALL(s, float, GA_FLOAT)
ALL(d, double, GA_DOUBLE)
