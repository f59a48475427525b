/* SPDX-License-Identifier: MIT */
/* Batches, the public functions. Products with a vector are products of matrices:
 *
 *   y = op(A) x   is   y' = x' op(A)', x' and y' of one row, whose elements lie an
 *                 increment apart: that of a matrix stored by columns, its leading
 *                 dimension
 *   A += x y'     is a product over an axis of extent 1 */
#include <stdlib.h>

#include "lib/blas.h"
#include "gpuarray/util.h"
#include "lib/check.h"

static int check_flags(const char *op, int flags)
{
  if (flags == 0) return GA_NO_ERROR;
  return ga_error(GA_INVALID_ERROR, "%s: the flags are 0x%x, expected 0", op, (unsigned)flags);
}

/* A list of offsets in bytes, in elements. */
static int elements(const char *op, size_t **res, const size_t *off, size_t n, int typecode)
{
  size_t size = gpuarray_get_elsize(typecode);

  if (off == NULL) return ga_error(GA_VALUE_ERROR, "%s: a list of offsets is NULL", op);
  *res = malloc(n * sizeof **res);
  if (*res == NULL) return ga_error_memory(op, n * sizeof **res);
  for (size_t i = 0; i < n; i++) {
    if (off[i] % size != 0)
      return ga_error(GA_UNALIGNED_ERROR, "%s: offset %zu of a list is %zu bytes, elements are %zu",
                      op, i, off[i], size);
    (*res)[i] = off[i] / size;
  }
  return GA_NO_ERROR;
}

/* Three lists of buffers with offsets in bytes. */
typedef struct lists {
  gpudata **b[3];
  size_t *bytes[3], *off[3];
} lists;

static int open_lists(const char *op, lists *l, size_t n, int typecode)
{
  for (int i = 0; i < 3; i++) GA_TRY(elements(op, &l->off[i], l->bytes[i], n, typecode));
  return GA_NO_ERROR;
}

static void close_lists(lists *l)
{
  for (int i = 0; i < 3; i++) free(l->off[i]);
}

static ga_blas_mats mats(const lists *l, int i, size_t ld)
{
  return (ga_blas_mats){l->b[i], l->off[i], ld, NULL};
}

static int gemv_batch(const char *op, int typecode, cb_order order, cb_transpose ta, size_t m,
                      size_t n, double alpha, size_t lda, size_t incx, double beta, size_t incy,
                      lists *l, size_t batch, int flags)
{
  size_t nx = ta == cb_no_trans ? n : m, ny = ta == cb_no_trans ? m : n;
  int err, stored = order == cb_row ? ta == cb_no_trans : ta != cb_no_trans;

  GA_TRY(check_flags(op, flags));
  if (batch == 0) return GA_NO_ERROR;
  GA_TRY(ga_blas_check_order(op, order, ta, cb_no_trans));
  if (incx == 0 || incy == 0) return ga_error(GA_VALUE_ERROR, "%s: an increment is 0", op);
  err = open_lists(op, l, batch, typecode);
  /* Stored by rows, A is its transpose stored by columns. */
  if (err == GA_NO_ERROR)
    err =
        ga_blas_gemms(op, typecode, cb_column, cb_no_trans, stored ? cb_no_trans : cb_trans, 1, ny,
                      nx, alpha, mats(l, 1, incx), mats(l, 0, lda), beta, mats(l, 2, incy), batch);
  close_lists(l);
  return err;
}

static int ger_batch(const char *op, int typecode, cb_order order, size_t m, size_t n, double alpha,
                     size_t incx, size_t incy, size_t lda, lists *l, size_t batch, int flags)
{
  int row = order == cb_row, err;

  GA_TRY(check_flags(op, flags));
  if (batch == 0) return GA_NO_ERROR;
  if (incx == 0 || incy == 0) return ga_error(GA_VALUE_ERROR, "%s: an increment is 0", op);
  err = open_lists(op, l, batch, typecode);
  if (err == GA_NO_ERROR)
    err = ga_blas_gemms(op, typecode, order, row ? cb_no_trans : cb_trans,
                        row ? cb_trans : cb_no_trans, m, n, 1, alpha, mats(l, 0, incx),
                        mats(l, 1, incy), 1, mats(l, 2, lda), batch);
  close_lists(l);
  return err;
}

#define GEMM_BATCH(t, T, code)                                                                   \
  int gpublas_##t##gemmBatch(cb_order order, cb_transpose transA, cb_transpose transB, size_t M, \
                             size_t N, size_t K, T alpha, gpudata **A, size_t *offA, size_t lda, \
                             gpudata **B, size_t *offB, size_t ldb, T beta, gpudata **C,         \
                             size_t *offC, size_t ldc, size_t batchCount, int flags)             \
  {                                                                                              \
    static const char op[] = "gpublas_" #t "gemmBatch";                                          \
    GA_TRY(check_flags(op, flags));                                                              \
    return ga_blas_gemms(op, code, order, transA, transB, M, N, K, alpha,                        \
                         (ga_blas_mats){A, offA, lda, NULL}, (ga_blas_mats){B, offB, ldb, NULL}, \
                         beta, (ga_blas_mats){C, offC, ldc, NULL}, batchCount);                  \
  }
#define GEMM_3D(t, T, code)                                                                      \
  int gpublas_##t##gemm3D(cb_order order, cb_transpose transA, cb_transpose transB, size_t M,    \
                          size_t N, size_t K, T alpha, gpudata *A, size_t offA, size_t lda,      \
                          ssize_t strideA, gpudata *B, size_t offB, size_t ldb, ssize_t strideB, \
                          T beta, gpudata *C, size_t offC, size_t ldc, ssize_t strideC,          \
                          size_t batchCount, int flags)                                          \
  {                                                                                              \
    static const char op[] = "gpublas_" #t "gemm3D";                                             \
    GA_TRY(check_flags(op, flags));                                                              \
    return ga_blas_gemms(op, code, order, transA, transB, M, N, K, alpha,                        \
                         (ga_blas_mats){&A, &offA, lda, &strideA},                               \
                         (ga_blas_mats){&B, &offB, ldb, &strideB}, beta,                         \
                         (ga_blas_mats){&C, &offC, ldc, &strideC}, batchCount);                  \
  }
#define GEMV_BATCH(t, T, code)                                                                 \
  int gpublas_##t##gemvBatch(cb_order order, cb_transpose transA, size_t M, size_t N, T alpha, \
                             gpudata **A, size_t *offA, size_t lda, gpudata **x, size_t *offX, \
                             size_t incX, T beta, gpudata **y, size_t *offY, size_t incY,      \
                             size_t batchCount, int flags)                                     \
  {                                                                                            \
    lists l = {{A, x, y}, {offA, offX, offY}, {NULL}};                                         \
    return gemv_batch("gpublas_" #t "gemvBatch", code, order, transA, M, N, alpha, lda, incX,  \
                      beta, incY, &l, batchCount, flags);                                      \
  }
#define GER_BATCH(t, T, code)                                                                    \
  int gpublas_##t##gerBatch(cb_order order, size_t M, size_t N, T alpha, gpudata **x,            \
                            size_t *offX, size_t incX, gpudata **y, size_t *offY, size_t incY,   \
                            gpudata **A, size_t *offA, size_t lda, size_t batchCount, int flags) \
  {                                                                                              \
    lists l = {{x, y, A}, {offX, offY, offA}, {NULL}};                                           \
    return ger_batch("gpublas_" #t "gerBatch", code, order, M, N, alpha, incX, incY, lda, &l,    \
                     batchCount, flags);                                                         \
  }
#define ALL(t, T, code) \
  GEMM_BATCH(t, T, code) GEMM_3D(t, T, code) GEMV_BATCH(t, T, code) GER_BATCH(t, T, code)
ALL(h, float, GA_HALF)
ALL(s, float, GA_FLOAT)
ALL(d, double, GA_DOUBLE)
