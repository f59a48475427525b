/* SPDX-License-Identifier: MIT */
/* Many products of one shape at once: each matrix checked, then all given to the
 * device, or one after the other where it has no such call. */
#include "lib/blas.h"

#include "lib/capture.h"

static ga_blas_mat one(const ga_blas_mats *m, size_t i)
{
  if (m->stride == NULL) return (ga_blas_mat){m->b[i], m->off[i], m->ld};
  return (ga_blas_mat){m->b[0], m->off[0] + i * (size_t)*m->stride, m->ld};
}

/* Matrix 0 and the last one lie in the buffer, so all between do. */
static int check_strided(const char *op, const char *what, int typecode, cb_order order,
                         size_t rows, size_t cols, const ga_blas_mats *m, size_t batch)
{
  ssize_t reach, last;

  GA_TRY(ga_blas_check_mat(op, what, typecode, order, rows, cols, one(m, 0)));
  if (batch - 1 > PTRDIFF_MAX || __builtin_mul_overflow((ssize_t)(batch - 1), *m->stride, &reach) ||
      m->off[0] > PTRDIFF_MAX || __builtin_add_overflow((ssize_t)m->off[0], reach, &last) ||
      last < 0)
    return ga_error(GA_VALUE_ERROR, "%s: %zu matrices of %s, %zd elements apart, leave its buffer",
                    op, batch, what, *m->stride);
  return ga_blas_check_mat(op, what, typecode, order, rows, cols,
                           (ga_blas_mat){m->b[0], (size_t)last, m->ld});
}

static int check_mats(const char *op, const char *what, int typecode, cb_order order, size_t rows,
                      size_t cols, const ga_blas_mats *m, size_t batch)
{
  if (m->stride != NULL) return check_strided(op, what, typecode, order, rows, cols, m, batch);
  for (size_t i = 0; i < batch; i++)
    GA_TRY(ga_blas_check_mat(op, what, typecode, order, rows, cols, one(m, i)));
  return GA_NO_ERROR;
}

static int check_all_buffers(const char *op, const ga_blas_mats *a, const ga_blas_mats *b,
                             const ga_blas_mats *c, size_t batch)
{
  if (a->b == NULL || b->b == NULL || c->b == NULL ||
      (a->stride == NULL && (a->off == NULL || b->off == NULL || c->off == NULL)))
    return ga_error(GA_VALUE_ERROR, "%s: a list of buffers or offsets is NULL", op);
  for (size_t i = 0; i < (a->stride != NULL ? 1 : batch); i++) {
    GA_TRY(ga_blas_check_buffers(op, a->b[i], b->b[i], c->b[i]));
    if (c->b[i]->ctx != c->b[0]->ctx)
      return ga_error(GA_VALUE_ERROR, "%s: the buffers are of different contexts", op);
  }
  return GA_NO_ERROR;
}

static int one_by_one(const char *op, int typecode, cb_order order, cb_transpose ta,
                      cb_transpose tb, size_t m, size_t n, size_t k, double alpha,
                      const ga_blas_mats *a, const ga_blas_mats *b, double beta,
                      const ga_blas_mats *c, size_t batch)
{
  for (size_t i = 0; i < batch; i++)
    GA_TRY(ga_blas_gemm(op, typecode, order, ta, tb, m, n, k, alpha, one(a, i), one(b, i), beta,
                        one(c, i)));
  return GA_NO_ERROR;
}

/* Matrices without elements are in the buffer wherever their steps lead. */
static void lie_still(ga_blas_mats *m)
{
  static const ssize_t still = 0;
  if (m->stride != NULL) m->stride = &still;
}

/* Its matrices follow each other at rising addresses. */
static int forward(const ga_blas_mats *m) { return m->stride != NULL && *m->stride >= 0; }

int ga_blas_gemms(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                  size_t m, size_t n, size_t k, double alpha, ga_blas_mats a, ga_blas_mats b,
                  double beta, ga_blas_mats c, size_t batch)
{
  int na = ta == cb_no_trans, nb = tb == cb_no_trans;
  const ga_backend *dev;

  if (batch == 0) return GA_NO_ERROR;
  GA_TRY(check_all_buffers(op, &a, &b, &c, batch));
  if (m == 0 || k == 0) lie_still(&a);
  if (k == 0 || n == 0) lie_still(&b);
  if (m == 0 || n == 0) lie_still(&c);
  GA_TRY(ga_blas_check_order(op, order, ta, tb));
  GA_TRY(check_mats(op, "A", typecode, order, na ? m : k, na ? k : m, &a, batch));
  GA_TRY(check_mats(op, "B", typecode, order, nb ? k : n, nb ? n : k, &b, batch));
  GA_TRY(check_mats(op, "C", typecode, order, m, n, &c, batch));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  dev = c.b[0]->ctx->backend;
  /* In a graph matrices anywhere are products one by one: their addresses change. */
  if (ga_capturing(c.b[0]->ctx) && k != 0 && batch > 1 && dev->gemm_strided != NULL &&
      forward(&a) && forward(&b) && forward(&c))
    return ga_blas_capture_gemm(typecode, order, ta, tb, m, n, k, alpha, one(&a, 0), one(&b, 0),
                                beta, one(&c, 0), (ssize_t[]){*a.stride, *b.stride, *c.stride},
                                batch);
  if (ga_capturing(c.b[0]->ctx))
    return one_by_one(op, typecode, order, ta, tb, m, n, k, alpha, &a, &b, beta, &c, batch);
  if (k != 0 && c.stride != NULL && dev->gemm_strided != NULL)
    return dev->gemm_strided(typecode, order, ta, tb, m, n, k, alpha, a.b[0], a.off[0], a.ld,
                             *a.stride, b.b[0], b.off[0], b.ld, *b.stride, beta, c.b[0], c.off[0],
                             c.ld, *c.stride, batch);
  if (k != 0 && c.stride == NULL && dev->gemm_batch != NULL)
    return dev->gemm_batch(typecode, order, ta, tb, m, n, k, alpha, a.b, a.off, a.ld, b.b, b.off,
                           b.ld, beta, c.b, c.off, c.ld, batch);
  return one_by_one(op, typecode, order, ta, tb, m, n, k, alpha, &a, &b, beta, &c, batch);
}
