/* SPDX-License-Identifier: MIT */
/* BLAS on buffers (gpuarray/buffer_blas.h). */
#include "lib/blas.h"

#include <stdlib.h>

#include "gpuarray/arg.h"
#include "gpuarray/expr.h"
#include "lib/check.h"

/* ---- checks -------------------------------------------------------------- */

static int check_buffers(const char *op, const gpudata *x, const gpudata *y, const gpudata *z)
{
  if (x == NULL || y == NULL || z == NULL)
    return ga_error(GA_VALUE_ERROR, "%s: %s buffer is NULL", op,
                    x == NULL   ? "the first"
                    : y == NULL ? "the second"
                                : "the third");
  if (x->ctx != z->ctx || y->ctx != z->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: the buffers are of different contexts", op);
  return GA_NO_ERROR;
}

static int check_order(const char *op, cb_order order, cb_transpose ta, cb_transpose tb)
{
  if (order != cb_row && order != cb_column)
    return ga_error(GA_VALUE_ERROR, "%s: order %d, expected cb_row or cb_column", op, (int)order);
  if ((unsigned)ta > cb_conj_trans || (unsigned)tb > cb_conj_trans)
    return ga_error(GA_VALUE_ERROR, "%s: transposition %d, expected a cb_transpose", op,
                    (unsigned)ta > cb_conj_trans ? (int)ta : (int)tb);
  return GA_NO_ERROR;
}

/* `n` elements from `off` on, in `b`; `n` may be beyond all numbers. */
static int check_range(const char *op, const char *what, int typecode, const gpudata *b, size_t off,
                       size_t n)
{
  size_t have = b->size / gpuarray_get_elsize(typecode);

  if (off <= have && n <= have - off) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: %s has %zu elements from %zu on, its buffer %zu", op, what,
                  n, off, have);
}

static int check_vec(const char *op, const char *what, int typecode, size_t n, ga_blas_vec v)
{
  size_t step = v.inc < 0 ? -(size_t)v.inc : (size_t)v.inc, span;

  if (v.inc == 0) return ga_error(GA_VALUE_ERROR, "%s: the increment of %s is 0", op, what);
  if (n == 0) return GA_NO_ERROR;
  if (__builtin_mul_overflow(n - 1, step, &span) || ++span == 0) span = SIZE_MAX;
  return check_range(op, what, typecode, v.b, v.off, span);
}

static int check_mat(const char *op, const char *what, int typecode, cb_order order, size_t rows,
                     size_t cols, ga_blas_mat a)
{
  size_t lines = order == cb_row ? rows : cols, line = order == cb_row ? cols : rows, span;

  if (a.ld < line || a.ld == 0)
    return ga_error(GA_VALUE_ERROR,
                    "%s: the leading dimension of %s is %zu, expected %zu at "
                    "least",
                    op, what, a.ld, line != 0 ? line : 1);
  if (lines == 0 || line == 0) return GA_NO_ERROR;
  if (__builtin_mul_overflow(lines - 1, a.ld, &span) || __builtin_add_overflow(span, line, &span))
    span = SIZE_MAX;
  return check_range(op, what, typecode, a.b, a.off, span);
}

/* ---- the operations ------------------------------------------------------ */

static int no_blas(const char *op, const gpucontext *ctx)
{
  return ga_error(GA_DEVSUP_ERROR, "%s: the %s device does not have it", op, ctx->backend->name);
}

int ga_blas_dot(const char *op, int typecode, size_t n, ga_blas_vec x, ga_blas_vec y, gpudata *z,
                size_t offz)
{
  GA_TRY(check_buffers(op, x.b, y.b, z));
  if (x.inc < 0 || y.inc < 0) return ga_error(GA_VALUE_ERROR, "%s: a negative increment", op);
  GA_TRY(check_vec(op, "X", typecode, n, x));
  GA_TRY(check_vec(op, "Y", typecode, n, y));
  GA_TRY(check_range(op, "Z", typecode, z, offz, 1));
  if (z->ctx->backend->dot == NULL) return no_blas(op, z->ctx);
  return z->ctx->backend->dot(typecode, n, x.b, x.off, (size_t)x.inc, y.b, y.off, (size_t)y.inc, z,
                              offz);
}

/* y = beta * y: what a product over nothing leaves. With 0 it is not read. */
static int scale(int typecode, size_t n, double beta, ga_blas_vec y)
{
  size_t size = gpuarray_get_elsize(typecode);
  ssize_t stride = (y.inc < 0 ? -y.inc : y.inc) * (ssize_t)size;
  GpuArray v = {0}, zero = {0};
  int err;

  if (beta == 1) return GA_NO_ERROR;
  GA_TRY(GpuArray_fromdata(&v, y.b, y.off * size, typecode, 1, &n, &stride, 1));
  if (beta == 0) {
    err = GpuArray_zeros(&zero, y.b->ctx, typecode, 0, NULL, GA_C_ORDER);
    if (err == GA_NO_ERROR) err = GpuArray_setarray(&v, &zero);
  } else {
    err = GpuArray_eval_into(&v, "beta*y", GA_ARGS(ga_array("y", &v), ga_float("beta", beta)));
  }
  GpuArray_clear(&zero);
  GpuArray_clear(&v);
  return err;
}

int ga_blas_gemv(const char *op, int typecode, cb_order order, cb_transpose ta, size_t m, size_t n,
                 double alpha, ga_blas_mat a, ga_blas_vec x, double beta, ga_blas_vec y)
{
  size_t nx = ta == cb_no_trans ? n : m, ny = ta == cb_no_trans ? m : n;

  GA_TRY(check_buffers(op, a.b, x.b, y.b));
  GA_TRY(check_order(op, order, ta, cb_no_trans));
  GA_TRY(check_mat(op, "A", typecode, order, m, n, a));
  GA_TRY(check_vec(op, "X", typecode, nx, x));
  GA_TRY(check_vec(op, "Y", typecode, ny, y));
  if (ny == 0) return GA_NO_ERROR;
  if (nx == 0) return scale(typecode, ny, beta, y);
  if (y.b->ctx->backend->gemv == NULL) return no_blas(op, y.b->ctx);
  return y.b->ctx->backend->gemv(typecode, order, ta, m, n, alpha, a.b, a.off, a.ld, x.b, x.off,
                                 (int)x.inc, beta, y.b, y.off, (int)y.inc);
}

int ga_blas_gemm(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                 size_t m, size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                 double beta, ga_blas_mat c)
{
  int na = ta == cb_no_trans, nb = tb == cb_no_trans;
  size_t lines = order == cb_row ? m : n, line = order == cb_row ? n : m;

  GA_TRY(check_buffers(op, a.b, b.b, c.b));
  GA_TRY(check_order(op, order, ta, tb));
  GA_TRY(check_mat(op, "A", typecode, order, na ? m : k, na ? k : m, a));
  GA_TRY(check_mat(op, "B", typecode, order, nb ? k : n, nb ? n : k, b));
  GA_TRY(check_mat(op, "C", typecode, order, m, n, c));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  if (k == 0) {
    for (size_t i = 0; i < lines; i++)
      GA_TRY(scale(typecode, line, beta, (ga_blas_vec){c.b, c.off + i * c.ld, 1}));
    return GA_NO_ERROR;
  }
  if (c.b->ctx->backend->gemm == NULL) return no_blas(op, c.b->ctx);
  return c.b->ctx->backend->gemm(typecode, order, ta, tb, m, n, k, alpha, a.b, a.off, a.ld, b.b,
                                 b.off, b.ld, beta, c.b, c.off, c.ld);
}

/* ---- the public functions ------------------------------------------------ */

int gpublas_setup(gpucontext *ctx)
{
  GA_NOT_NULL("gpublas_setup", 1, ctx);
  return ctx->backend->blas_setup != NULL ? ctx->backend->blas_setup(ctx)
                                          : no_blas("gpublas_setup", ctx);
}

void gpublas_teardown(gpucontext *ctx) { (void)ctx; }

const char *gpublas_error(gpucontext *ctx) { return gpucontext_error(ctx, GA_BLAS_ERROR); }

/* A size_t increment as a signed one; none that large is in any buffer. */
static ga_blas_vec vec(gpudata *b, size_t off, size_t inc)
{
  return (ga_blas_vec){b, off, inc > PTRDIFF_MAX ? PTRDIFF_MAX : (ssize_t)inc};
}

int gpublas_sdot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y, size_t offY,
                 size_t incY, gpudata *Z, size_t offZ)
{
  return ga_blas_dot("gpublas_sdot", GA_FLOAT, N, vec(X, offX, incX), vec(Y, offY, incY), Z, offZ);
}

int gpublas_ddot(size_t N, gpudata *X, size_t offX, size_t incX, gpudata *Y, size_t offY,
                 size_t incY, gpudata *Z, size_t offZ)
{
  return ga_blas_dot("gpublas_ddot", GA_DOUBLE, N, vec(X, offX, incX), vec(Y, offY, incY), Z, offZ);
}

int gpublas_sgemv(cb_order order, cb_transpose transA, size_t M, size_t N, float alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *X, size_t offX, int incX, float beta,
                  gpudata *Y, size_t offY, int incY)
{
  return ga_blas_gemv("gpublas_sgemv", GA_FLOAT, order, transA, M, N, alpha,
                      (ga_blas_mat){A, offA, lda}, (ga_blas_vec){X, offX, incX}, beta,
                      (ga_blas_vec){Y, offY, incY});
}

int gpublas_dgemv(cb_order order, cb_transpose transA, size_t M, size_t N, double alpha, gpudata *A,
                  size_t offA, size_t lda, gpudata *X, size_t offX, int incX, double beta,
                  gpudata *Y, size_t offY, int incY)
{
  return ga_blas_gemv("gpublas_dgemv", GA_DOUBLE, order, transA, M, N, alpha,
                      (ga_blas_mat){A, offA, lda}, (ga_blas_vec){X, offX, incX}, beta,
                      (ga_blas_vec){Y, offY, incY});
}

int gpublas_sgemm(cb_order order, cb_transpose transA, cb_transpose transB, size_t M, size_t N,
                  size_t K, float alpha, gpudata *A, size_t offA, size_t lda, gpudata *B,
                  size_t offB, size_t ldb, float beta, gpudata *C, size_t offC, size_t ldc)
{
  return ga_blas_gemm("gpublas_sgemm", GA_FLOAT, order, transA, transB, M, N, K, alpha,
                      (ga_blas_mat){A, offA, lda}, (ga_blas_mat){B, offB, ldb}, beta,
                      (ga_blas_mat){C, offC, ldc});
}

int gpublas_dgemm(cb_order order, cb_transpose transA, cb_transpose transB, size_t M, size_t N,
                  size_t K, double alpha, gpudata *A, size_t offA, size_t lda, gpudata *B,
                  size_t offB, size_t ldb, double beta, gpudata *C, size_t offC, size_t ldc)
{
  return ga_blas_gemm("gpublas_dgemm", GA_DOUBLE, order, transA, transB, M, N, K, alpha,
                      (ga_blas_mat){A, offA, lda}, (ga_blas_mat){B, offB, ldb}, beta,
                      (ga_blas_mat){C, offC, ldc});
}
