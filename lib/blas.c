/* SPDX-License-Identifier: MIT */
/* BLAS on buffers: arguments checked, products over nothing done here. The public
 * functions are in blas_api.c; many products at once in blas_batch.c. */
#include "lib/blas.h"

#include <stdlib.h>

#include "gpuarray/arg.h"
#include "gpuarray/expr.h"
#include "lib/buffer.h"
#include "lib/capture.h"
#include "lib/check.h"

/* ---- checks -------------------------------------------------------------- */

int ga_blas_check_buffers(const char *op, const gpudata *x, const gpudata *y, const gpudata *z)
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

int ga_blas_check_order(const char *op, cb_order order, cb_transpose ta, cb_transpose tb)
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

int ga_blas_check_vec(const char *op, const char *what, int typecode, size_t n, ga_blas_vec v)
{
  size_t step = v.inc < 0 ? -(size_t)v.inc : (size_t)v.inc, span;

  if (v.inc == 0) return ga_error(GA_VALUE_ERROR, "%s: the increment of %s is 0", op, what);
  if (n == 0) return GA_NO_ERROR;
  if (__builtin_mul_overflow(n - 1, step, &span) || ++span == 0) span = SIZE_MAX;
  return check_range(op, what, typecode, v.b, v.off, span);
}

int ga_blas_check_mat(const char *op, const char *what, int typecode, cb_order order, size_t rows,
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

int ga_blas_dot(const char *op, int typecode, size_t n, ga_blas_vec x, ga_blas_vec y, gpudata *z,
                size_t offz)
{
  GA_TRY(ga_blas_check_buffers(op, x.b, y.b, z));
  if (x.inc < 0 || y.inc < 0) return ga_error(GA_VALUE_ERROR, "%s: a negative increment", op);
  GA_TRY(ga_blas_check_vec(op, "X", typecode, n, x));
  GA_TRY(ga_blas_check_vec(op, "Y", typecode, n, y));
  GA_TRY(check_range(op, "Z", typecode, z, offz, 1));
  if (n == 0)
    return ga_buffer_set(z, offz * gpuarray_get_elsize(typecode), 0, gpuarray_get_elsize(typecode));
  if (ga_capturing(z->ctx))
    return ga_blas_capture(&(ga_blas_call){.kind = GA_BLAS_DOT,
                                           .typecode = typecode,
                                           .n = n,
                                           .step = {x.inc, y.inc, 0},
                                           .batch = 1},
                           (gpudata *[]){x.b, y.b, z}, (size_t[]){x.off, y.off, offz});
  return z->ctx->backend->dot(typecode, n, x.b, x.off, (size_t)x.inc, y.b, y.off, (size_t)y.inc, z,
                              offz);
}

/* y = beta * y: what a product over nothing leaves. With 0 it is not read. */
int ga_blas_scale(int typecode, size_t n, double beta, ga_blas_vec y)
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

/* A vector that is walked forwards; `copy` holds it where it was not. */
static int forwards(ga_blas_vec *v, gpudata **copy, int typecode, size_t n)
{
  size_t size = gpuarray_get_elsize(typecode), last = (n - 1) * -(size_t)v->inc;
  ssize_t stride = v->inc * (ssize_t)size;
  GpuArray back = {0}, flat = {0};
  int err;

  if (v->inc > 0) return GA_NO_ERROR;
  /* BLAS starts such a vector at its far end. */
  GA_TRY(GpuArray_fromdata(&back, v->b, (v->off + last) * size, typecode, 1, &n, &stride, 0));
  err = GpuArray_copy(&flat, &back, GA_C_ORDER);
  GpuArray_clear(&back);
  if (err != GA_NO_ERROR) return err;
  gpudata_retain(*copy = flat.data);
  *v = (ga_blas_vec){flat.data, 0, 1};
  GpuArray_clear(&flat);
  return GA_NO_ERROR;
}

/* The device multiplies vectors of float16 as matrices of one row, which have positive
 * steps: those that are walked backwards are turned round first, the result after. */
static int half_gemv(const char *op, cb_order order, cb_transpose ta, size_t m, size_t n,
                     double alpha, ga_blas_mat a, ga_blas_vec x, double beta, ga_blas_vec y,
                     size_t nx, size_t ny)
{
  size_t size = gpuarray_get_elsize(GA_HALF);
  ssize_t stride = y.inc * (ssize_t)size;
  GpuArray back = {0}, flat = {0};
  gpudata *cx = NULL;
  int turned = y.inc < 0, err = forwards(&x, &cx, GA_HALF, nx);

  if (err == GA_NO_ERROR && turned) {
    err = GpuArray_fromdata(&back, y.b, (y.off + (ny - 1) * -(size_t)y.inc) * size, GA_HALF, 1, &ny,
                            &stride, 1);
    if (err == GA_NO_ERROR) err = GpuArray_copy(&flat, &back, GA_C_ORDER);
    y = (ga_blas_vec){flat.data, 0, 1};
  }
  if (err == GA_NO_ERROR) err = ga_blas_gemv(op, GA_HALF, order, ta, m, n, alpha, a, x, beta, y);
  if (err == GA_NO_ERROR && turned) err = GpuArray_move(&back, &flat);
  GpuArray_clear(&back);
  GpuArray_clear(&flat);
  gpudata_release(cx);
  return err;
}

int ga_blas_gemv(const char *op, int typecode, cb_order order, cb_transpose ta, size_t m, size_t n,
                 double alpha, ga_blas_mat a, ga_blas_vec x, double beta, ga_blas_vec y)
{
  size_t nx = ta == cb_no_trans ? n : m, ny = ta == cb_no_trans ? m : n;

  GA_TRY(ga_blas_check_buffers(op, a.b, x.b, y.b));
  GA_TRY(ga_blas_check_order(op, order, ta, cb_no_trans));
  GA_TRY(ga_blas_check_mat(op, "A", typecode, order, m, n, a));
  GA_TRY(ga_blas_check_vec(op, "X", typecode, nx, x));
  GA_TRY(ga_blas_check_vec(op, "Y", typecode, ny, y));
  if (ny == 0) return GA_NO_ERROR;
  if (nx == 0) return ga_blas_scale(typecode, ny, beta, y);
  if (typecode == GA_HALF && (x.inc < 0 || y.inc < 0))
    return half_gemv(op, order, ta, m, n, alpha, a, x, beta, y, nx, ny);
  if (ga_capturing(y.b->ctx))
    return ga_blas_capture(&(ga_blas_call){.kind = GA_BLAS_GEMV,
                                           .typecode = typecode,
                                           .order = order,
                                           .ta = ta,
                                           .m = m,
                                           .n = n,
                                           .ld = {a.ld, 0, 0},
                                           .step = {0, x.inc, y.inc},
                                           .batch = 1,
                                           .alpha = alpha,
                                           .beta = beta},
                           (gpudata *[]){a.b, x.b, y.b}, (size_t[]){a.off, x.off, y.off});
  return y.b->ctx->backend->gemv(typecode, order, ta, m, n, alpha, a.b, a.off, a.ld, x.b, x.off,
                                 (int)x.inc, beta, y.b, y.off, (int)y.inc);
}

int ga_blas_gemm(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                 size_t m, size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                 double beta, ga_blas_mat c)
{
  int na = ta == cb_no_trans, nb = tb == cb_no_trans;
  size_t lines = order == cb_row ? m : n, line = order == cb_row ? n : m;

  GA_TRY(ga_blas_check_buffers(op, a.b, b.b, c.b));
  GA_TRY(ga_blas_check_order(op, order, ta, tb));
  GA_TRY(ga_blas_check_mat(op, "A", typecode, order, na ? m : k, na ? k : m, a));
  GA_TRY(ga_blas_check_mat(op, "B", typecode, order, nb ? k : n, nb ? n : k, b));
  GA_TRY(ga_blas_check_mat(op, "C", typecode, order, m, n, c));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  if (k == 0) {
    for (size_t i = 0; i < lines; i++)
      GA_TRY(ga_blas_scale(typecode, line, beta, (ga_blas_vec){c.b, c.off + i * c.ld, 1}));
    return GA_NO_ERROR;
  }
  if (ga_capturing(c.b->ctx))
    return ga_blas_capture_gemm(typecode, order, ta, tb, m, n, k, alpha, a, b, beta, c,
                                (ssize_t[]){0, 0, 0}, 1);
  return c.b->ctx->backend->gemm(typecode, order, ta, tb, m, n, k, alpha, a.b, a.off, a.ld, b.b,
                                 b.off, b.ld, beta, c.b, c.off, c.ld);
}

/* A += alpha * x . y' is a product over an axis of extent 1: x as a matrix of one
 * column, y of one row, each stored with its increment from line to line. */
int ga_blas_ger(const char *op, int typecode, cb_order order, size_t m, size_t n, double alpha,
                ga_blas_vec x, ga_blas_vec y, ga_blas_mat a)
{
  gpudata *cx = NULL, *cy = NULL;
  int row = order == cb_row, err;

  GA_TRY(ga_blas_check_buffers(op, x.b, y.b, a.b));
  GA_TRY(ga_blas_check_order(op, order, cb_no_trans, cb_no_trans));
  GA_TRY(ga_blas_check_vec(op, "X", typecode, m, x));
  GA_TRY(ga_blas_check_vec(op, "Y", typecode, n, y));
  GA_TRY(ga_blas_check_mat(op, "A", typecode, order, m, n, a));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  err = forwards(&x, &cx, typecode, m);
  if (err == GA_NO_ERROR) err = forwards(&y, &cy, typecode, n);
  if (err == GA_NO_ERROR)
    err = ga_blas_gemm(op, typecode, order, row ? cb_no_trans : cb_trans,
                       row ? cb_trans : cb_no_trans, m, n, 1, alpha,
                       (ga_blas_mat){x.b, x.off, (size_t)x.inc},
                       (ga_blas_mat){y.b, y.off, (size_t)y.inc}, 1, a);
  gpudata_release(cx);
  gpudata_release(cy);
  return err;
}
