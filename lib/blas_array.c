/* SPDX-License-Identifier: MIT */
/* BLAS on arrays (gpuarray/blas.h): shapes and types checked, layouts brought to
 * what BLAS takes.
 *
 * A vector that BLAS takes has a positive step. A matrix has a step of one element
 * along one axis and a larger one along the other; which axis it is only turns
 * "A" into "A transposed", so views by rows or columns need no copy. Operands
 * that share memory with the result are copied too. */
#include <limits.h>

#include "gpuarray/blas.h"
#include "lib/array.h"
#include "lib/blas.h"
#include "lib/overlap.h"

/* Argument `arg` is a float array of `nd` axes of the type and context of `out`. */
static int check_operand(const char *op, int arg, const GpuArray *a, unsigned int nd,
                         const GpuArray *out)
{
  GA_TRY(ga_array_check(op, arg, a));
  if (a->typecode != GA_FLOAT && a->typecode != GA_DOUBLE && a->typecode != GA_HALF)
    return ga_error(GA_INVALID_ERROR,
                    "%s: argument %d has typecode %d, expected GA_HALF, "
                    "GA_FLOAT or GA_DOUBLE",
                    op, arg, a->typecode);
  if (a->nd != nd)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d has %u axes, expected %u", op, arg, a->nd, nd);
  if (a->typecode != out->typecode)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d has typecode %d, the result %d", op, arg,
                    a->typecode, out->typecode);
  if (a->data->ctx != out->data->ctx)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d and the result are of different contexts", op,
                    arg);
  if (!GpuArray_ISALIGNED(a))
    return ga_error(GA_UNALIGNED_ERROR, "%s: argument %d is not aligned to its elements", op, arg);
  return GA_NO_ERROR;
}

static int check_extent(const char *op, const char *what, size_t got, size_t expected)
{
  if (got == expected) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: %s has %zu, expected %zu", op, what, got, expected);
}

/* 1 when `a`, read, and `out`, written, may share a byte. */
static int meets(const GpuArray *a, const GpuArray *out)
{
  size_t size = gpuarray_get_elsize(a->typecode);

  if (!GpuArray_share(a, out)) return 0;
  return ga_span_meets((const char *)a->data->ptr + a->offset,
                       ga_span_of(a->nd, a->dimensions, a->strides, size),
                       (const char *)out->data->ptr + out->offset,
                       ga_span_of(out->nd, out->dimensions, out->strides, size));
}

/* 1 when axis `k` steps by a whole number of elements, `least` or more. */
static int steps(const GpuArray *a, unsigned int k, size_t least)
{
  ssize_t size = (ssize_t)gpuarray_get_elsize(a->typecode), inc = a->strides[k] / size;

  return a->strides[k] % size == 0 && inc > 0 && (size_t)inc >= least && inc <= INT_MAX;
}

static int is_vector(const GpuArray *a) { return a->dimensions[0] <= 1 || steps(a, 0, 1); }

/* 1 when axis `k` of a matrix is the one that BLAS may step over fast. */
static int is_fast(const GpuArray *a, unsigned int k)
{
  size_t n = a->dimensions[k];
  ssize_t size = (ssize_t)gpuarray_get_elsize(a->typecode);

  return (n <= 1 || a->strides[k] == size) &&
         (a->dimensions[1 - k] <= 1 || steps(a, 1 - k, n != 0 ? n : 1));
}

static ga_blas_vec vector_of(const GpuArray *a)
{
  ssize_t size = (ssize_t)gpuarray_get_elsize(a->typecode);

  return (ga_blas_vec){a->data, a->offset / (size_t)size,
                       a->dimensions[0] <= 1 ? 1 : a->strides[0] / size};
}

/* As a matrix in `order`, transposed if its own order is the other. */
static ga_blas_mat matrix_of(const GpuArray *a, cb_order order, cb_transpose *t)
{
  size_t size = gpuarray_get_elsize(a->typecode), ld;
  unsigned int fast = order == cb_row ? 1 : 0;

  if (!is_fast(a, fast)) {
    fast = 1 - fast;
    *t = *t == cb_no_trans ? cb_trans : cb_no_trans;
  }
  ld = a->dimensions[1 - fast] <= 1 ? a->dimensions[fast] : (size_t)a->strides[1 - fast] / size;
  return (ga_blas_mat){a->data, a->offset / size, ld != 0 ? ld : 1};
}

/* A view of `a`, or a copy in C order where BLAS cannot take it as it is. */
static int prepare(const char *op, int arg, GpuArray *use, const GpuArray *a, const GpuArray *out,
                   int nocopy)
{
  int fits = a->nd == 1 ? is_vector(a) : is_fast(a, 0) || is_fast(a, 1), shares = meets(a, out);

  if (fits && !shares) return GpuArray_view(use, a);
  if (nocopy)
    return ga_error(GA_COPY_ERROR, "%s: argument %d %s needs a copy", op, arg,
                    fits ? "shares memory with the result and" : "has a layout that");
  return GpuArray_copy(use, a, GA_C_ORDER);
}

int GpuArray_rdot(GpuArray *X, GpuArray *Y, GpuArray *Z, int nocopy)
{
  static const char op[] = "GpuArray_rdot";
  GpuArray x = {0}, y = {0};
  int err;

  GA_TRY(ga_array_check_write(op, 3, Z));
  GA_TRY(check_operand(op, 1, X, 1, Z));
  GA_TRY(check_operand(op, 2, Y, 1, Z));
  GA_TRY(check_operand(op, 3, Z, 0, Z));
  GA_TRY(check_extent(op, "argument 2", Y->dimensions[0], X->dimensions[0]));
  GA_TRY(gpublas_setup(Z->data->ctx));
  err = prepare(op, 1, &x, X, Z, nocopy);
  if (err == GA_NO_ERROR) err = prepare(op, 2, &y, Y, Z, nocopy);
  if (err == GA_NO_ERROR)
    err = ga_blas_dot(op, Z->typecode, x.dimensions[0], vector_of(&x), vector_of(&y), Z->data,
                      Z->offset / gpuarray_get_elsize(Z->typecode));
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  return err;
}

static int check_trans(const char *op, int arg, cb_transpose t)
{
  if ((unsigned)t <= cb_conj_trans) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: argument %d is %d, expected a cb_transpose", op, arg,
                  (int)t);
}

int GpuArray_rgemv(cb_transpose transA, double alpha, GpuArray *A, GpuArray *X, double beta,
                   GpuArray *Y, int nocopy)
{
  static const char op[] = "GpuArray_rgemv";
  unsigned int inner = transA == cb_no_trans;
  GpuArray a = {0}, x = {0};
  ga_blas_mat m;
  int err;

  GA_TRY(check_trans(op, 1, transA));
  GA_TRY(ga_array_check_write(op, 6, Y));
  GA_TRY(check_operand(op, 3, A, 2, Y));
  GA_TRY(check_operand(op, 4, X, 1, Y));
  GA_TRY(check_operand(op, 6, Y, 1, Y));
  GA_TRY(check_extent(op, "argument 4", X->dimensions[0], A->dimensions[inner]));
  GA_TRY(check_extent(op, "argument 6", Y->dimensions[0], A->dimensions[1 - inner]));
  if (!is_vector(Y))
    return ga_error(GA_VALUE_ERROR, "%s: argument 6 has stride %zd, expected a positive one", op,
                    Y->strides[0]);
  GA_TRY(gpublas_setup(Y->data->ctx));
  if (ga_array_size(Y) == 0) return GA_NO_ERROR;
  err = prepare(op, 3, &a, A, Y, nocopy);
  if (err == GA_NO_ERROR) err = prepare(op, 4, &x, X, Y, nocopy);
  if (err == GA_NO_ERROR) {
    cb_order order = is_fast(&a, 1) ? cb_row : cb_column;

    m = matrix_of(&a, order, &transA);
    err = ga_blas_gemv(op, Y->typecode, order, transA, a.dimensions[0], a.dimensions[1], alpha, m,
                       vector_of(&x), beta, vector_of(Y));
  }
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  return err;
}

int GpuArray_rgemm(cb_transpose transA, cb_transpose transB, double alpha, GpuArray *A, GpuArray *B,
                   double beta, GpuArray *C, int nocopy)
{
  static const char op[] = "GpuArray_rgemm";
  unsigned int ka = transA == cb_no_trans, kb = transB != cb_no_trans;
  GpuArray a = {0}, b = {0};
  ga_blas_mat ma, mb, mc;
  cb_transpose same = cb_no_trans;
  cb_order order;
  int err;

  GA_TRY(check_trans(op, 1, transA));
  GA_TRY(check_trans(op, 2, transB));
  GA_TRY(ga_array_check_write(op, 7, C));
  GA_TRY(check_operand(op, 4, A, 2, C));
  GA_TRY(check_operand(op, 5, B, 2, C));
  GA_TRY(check_operand(op, 7, C, 2, C));
  GA_TRY(check_extent(op, "the inner axis of argument 5", B->dimensions[kb], A->dimensions[ka]));
  GA_TRY(check_extent(op, "axis 0 of argument 7", C->dimensions[0], A->dimensions[1 - ka]));
  GA_TRY(check_extent(op, "axis 1 of argument 7", C->dimensions[1], B->dimensions[1 - kb]));
  if (!GpuArray_ISONESEGMENT(C))
    return ga_error(GA_VALUE_ERROR, "%s: argument 7 is not contiguous", op);
  GA_TRY(gpublas_setup(C->data->ctx));
  if (ga_array_size(C) == 0) return GA_NO_ERROR;
  err = prepare(op, 4, &a, A, C, nocopy);
  if (err == GA_NO_ERROR) err = prepare(op, 5, &b, B, C, nocopy);
  if (err == GA_NO_ERROR) {
    order = GpuArray_IS_C_CONTIGUOUS(C) ? cb_row : cb_column;
    ma = matrix_of(&a, order, &transA);
    mb = matrix_of(&b, order, &transB);
    mc = matrix_of(C, order, &same);
    err = ga_blas_gemm(op, C->typecode, order, transA, transB, C->dimensions[0], C->dimensions[1],
                       A->dimensions[ka], alpha, ma, mb, beta, mc);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  return err;
}

int GpuArray_rger(double alpha, GpuArray *X, GpuArray *Y, GpuArray *A, int nocopy)
{
  static const char op[] = "GpuArray_rger";
  GpuArray x = {0}, y = {0};
  cb_transpose same = cb_no_trans;
  int err;

  GA_TRY(ga_array_check_write(op, 4, A));
  GA_TRY(check_operand(op, 2, X, 1, A));
  GA_TRY(check_operand(op, 3, Y, 1, A));
  GA_TRY(check_operand(op, 4, A, 2, A));
  GA_TRY(check_extent(op, "axis 0 of argument 4", A->dimensions[0], X->dimensions[0]));
  GA_TRY(check_extent(op, "axis 1 of argument 4", A->dimensions[1], Y->dimensions[0]));
  if (!GpuArray_ISONESEGMENT(A))
    return ga_error(GA_VALUE_ERROR, "%s: argument 4 is not contiguous", op);
  GA_TRY(gpublas_setup(A->data->ctx));
  if (ga_array_size(A) == 0) return GA_NO_ERROR;
  err = prepare(op, 2, &x, X, A, nocopy);
  if (err == GA_NO_ERROR) err = prepare(op, 3, &y, Y, A, nocopy);
  if (err == GA_NO_ERROR) {
    cb_order order = GpuArray_IS_C_CONTIGUOUS(A) ? cb_row : cb_column;

    err = ga_blas_ger(op, A->typecode, order, A->dimensions[0], A->dimensions[1], alpha,
                      vector_of(&x), vector_of(&y), matrix_of(A, order, &same));
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  return err;
}

/* ---- batches ------------------------------------------------------------- */

/* Matrix 0 of `a`, as if it were all: borrows its fields. */
static GpuArray matrix0(const GpuArray *a)
{
  GpuArray m = *a;

  m.nd = 2;
  m.dimensions++;
  m.strides++;
  GpuArray_fix_flags(&m);
  return m;
}

/* As prepare(): BLAS takes the matrices, any whole number of elements apart. */
static int prepare3(const char *op, int arg, GpuArray *use, const GpuArray *a, const GpuArray *out,
                    int nocopy)
{
  GpuArray m = matrix0(a);
  int shares = meets(a, out), fits = is_fast(&m, 0) || is_fast(&m, 1);

  fits = fits && a->strides[0] % (ssize_t)gpuarray_get_elsize(a->typecode) == 0;
  if (fits && !shares) return GpuArray_view(use, a);
  if (nocopy)
    return ga_error(GA_COPY_ERROR, "%s: argument %d %s needs a copy", op, arg,
                    fits ? "shares memory with the result and" : "has a layout that");
  return GpuArray_copy(use, a, GA_C_ORDER);
}

static int check_batch(const char *op, cb_transpose ta, cb_transpose tb, const GpuArray *A,
                       const GpuArray *B, const GpuArray *C)
{
  unsigned int ka = ta == cb_no_trans, kb = tb != cb_no_trans;
  GpuArray c;

  GA_TRY(check_trans(op, 1, ta));
  GA_TRY(check_trans(op, 2, tb));
  GA_TRY(ga_array_check_write(op, 7, C));
  GA_TRY(check_operand(op, 4, A, 3, C));
  GA_TRY(check_operand(op, 5, B, 3, C));
  GA_TRY(check_operand(op, 7, C, 3, C));
  GA_TRY(check_extent(op, "axis 0 of argument 4", A->dimensions[0], C->dimensions[0]));
  GA_TRY(check_extent(op, "axis 0 of argument 5", B->dimensions[0], C->dimensions[0]));
  GA_TRY(check_extent(op, "the inner axis of argument 5", B->dimensions[1 + kb],
                      A->dimensions[1 + ka]));
  GA_TRY(check_extent(op, "axis 1 of argument 7", C->dimensions[1], A->dimensions[2 - ka]));
  GA_TRY(check_extent(op, "axis 2 of argument 7", C->dimensions[2], B->dimensions[2 - kb]));
  c = matrix0(C);
  if (!GpuArray_ISONESEGMENT(&c) || (C->dimensions[0] > 1 && C->strides[0] == 0))
    return ga_error(GA_VALUE_ERROR, "%s: the matrices of argument 7 are not contiguous", op);
  return GA_NO_ERROR;
}

static ga_blas_mats matrices(const GpuArray *a, const ga_blas_mat *m, ssize_t *stride)
{
  *stride = a->strides[0] / (ssize_t)gpuarray_get_elsize(a->typecode);
  return (ga_blas_mats){&a->data, &m->off, m->ld, stride};
}

int GpuArray_rgemmBatch_3d(cb_transpose transA, cb_transpose transB, double alpha, GpuArray *A,
                           GpuArray *B, double beta, GpuArray *C, int nocopy)
{
  static const char op[] = "GpuArray_rgemmBatch_3d";
  GpuArray a = {0}, b = {0}, a0, b0, c0;
  cb_transpose same = cb_no_trans;
  size_t k;
  int err;

  GA_TRY(check_batch(op, transA, transB, A, B, C));
  GA_TRY(gpublas_setup(C->data->ctx));
  if (ga_array_size(C) == 0) return GA_NO_ERROR;
  k = A->dimensions[transA == cb_no_trans ? 2 : 1];
  err = prepare3(op, 4, &a, A, C, nocopy);
  if (err == GA_NO_ERROR) err = prepare3(op, 5, &b, B, C, nocopy);
  if (err == GA_NO_ERROR) {
    ga_blas_mat ma, mb, mc;
    ssize_t sa, sb, sc;
    cb_order order;

    a0 = matrix0(&a);
    b0 = matrix0(&b);
    c0 = matrix0(C);
    order = GpuArray_IS_C_CONTIGUOUS(&c0) ? cb_row : cb_column;
    ma = matrix_of(&a0, order, &transA);
    mb = matrix_of(&b0, order, &transB);
    mc = matrix_of(&c0, order, &same);
    err = ga_blas_gemms(op, C->typecode, order, transA, transB, C->dimensions[1], C->dimensions[2],
                        k, alpha, matrices(&a, &ma, &sa), matrices(&b, &mb, &sb), beta,
                        matrices(C, &mc, &sc), C->dimensions[0]);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  return err;
}
