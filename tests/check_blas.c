/* SPDX-License-Identifier: MIT */
/* dot, gemv and gemm on arrays and buffers against loops in C, over layouts; and
 * what they refuse. */
#include <math.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/blas.h"

static gpucontext *ctx;
static int have_blas;

static void open_context(void)
{
  ctx = test_context();
  int err = gpublas_setup(ctx);
  have_blas = err == GA_NO_ERROR;
  const char *strict = getenv("GA_TEST_STRICT");
  if (!have_blas) {
    ck_assert_int_eq(err, GA_UNSUPPORTED_ERROR);
    ck_assert_msg(strict == NULL || strcmp(strict, "1") != 0, "%s", gpuarray_error_message());
  }
}
static void close_context(void) { gpucontext_deref(ctx); }

/* Small whole numbers: every product and sum is exact. */
static double value(size_t i) { return (double)(i * 7 % 23) - 11; }

/* An m x n matrix in one of several layouts, and its values in C order. */
enum { NLAYOUT = 6 };
static GpuArray matrix(int typecode, size_t m, size_t n, int layout, double *values)
{
  GpuArray base = {0}, v = {0}, d = {0};
  static const char *const specs[NLAYOUT] = {"", "", "1:-1, 2:", "1:, ::2", "::-1", ":, ::-1"};
  size_t rows = m + (layout == 2 ? 2 : layout == 3), cols = n + (layout == 2 ? 2 : 0);
  if (layout == 3) cols = 2 * n;
  for (size_t i = 0; i < m * n; i++) values[i] = value(i + m);
  OK(GpuArray_zeros(&base, ctx, typecode, GA_DIMS(rows, cols),
                    layout == 1 ? GA_F_ORDER : GA_C_ORDER));
  OK(GpuArray_slice(&v, &base, specs[layout]));
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, GA_DIMS(m, n), values));
  OK(GpuArray_move(&v, &d));
  GpuArray_clear(&d);
  GpuArray_clear(&base);
  return v;
}

static GpuArray vector(int typecode, size_t n, int layout, double *values)
{
  static const char *const specs[] = {"", "::2", "::-1"};
  GpuArray base = {0}, v = {0}, d = {0};
  for (size_t i = 0; i < n; i++) values[i] = value(i * 3 + 1);
  OK(GpuArray_zeros(&base, ctx, typecode, GA_DIMS(layout == 1 ? 2 * n : n), GA_C_ORDER));
  OK(GpuArray_slice(&v, &base, specs[layout]));
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, GA_DIMS(n), values));
  OK(GpuArray_move(&v, &d));
  GpuArray_clear(&d);
  GpuArray_clear(&base);
  return v;
}

static const int types[2] = {GA_FLOAT, GA_DOUBLE};
enum { M = 7, N = 5, K = 9, BIG = 33 };

START_TEST(dot_matches_a_loop)
{
  static const size_t sizes[] = {0, 1, 31, 33, 1023, 1025};
  static double a[1025], b[1025];
  if (!have_blas) return;
  for (int t = 0; t < 2; t++)
    for (int s = 0; s < 6; s++)
      for (int l = 0; l < 9; l++) {
        GpuArray x = vector(types[t], sizes[s], l % 3, a), y = vector(types[t], sizes[s], l / 3, b);
        GpuArray z = {0};
        double want = 0, got = -1;
        for (size_t i = 0; i < sizes[s]; i++) want += a[i] * b[i];
        OK(GpuArray_full(&z, ctx, types[t], GA_DIMS(), 99));
        OK(GpuArray_rdot(&x, &y, &z, 0));
        OK(GpuArray_tohost(&got, sizeof got, GA_DOUBLE, &z));
        ck_assert_msg(got == want, "dot:%d:%zu:%d: %g, expected %g", types[t], sizes[s], l, got,
                      want);
        GpuArray_clear(&x);
        GpuArray_clear(&y);
        GpuArray_clear(&z);
      }
}
END_TEST

START_TEST(gemv_matches_a_loop)
{
  double a[M * N], xs[M], ys[M], got[M];
  if (!have_blas) return;
  for (int c = 0; c < 2 * 2 * NLAYOUT * 3 * 2; c++) {
    int type = types[c % 2], trans = c / 2 % 2, la = c / 4 % NLAYOUT, lx = c / 4 / NLAYOUT % 3;
    int ly = c / 4 / NLAYOUT / 3;
    size_t nx = trans ? M : N, ny = trans ? N : M;
    GpuArray A = matrix(type, M, N, la, a), x = vector(type, nx, lx, xs),
             y = vector(type, ny, ly, ys);
    OK(GpuArray_rgemv(trans ? cb_trans : cb_no_trans, 2, &A, &x, -3, &y, 0));
    OK(GpuArray_tohost(got, ny * sizeof *got, GA_DOUBLE, &y));
    for (size_t i = 0; i < ny; i++) {
      double want = -3 * ys[i];
      for (size_t k = 0; k < nx; k++) want += 2 * (trans ? a[k * N + i] : a[i * N + k]) * xs[k];
      ck_assert_msg(got[i] == want, "gemv:%d:%d:%d,%d,%d: element %zu is %g, expected %g", type,
                    trans, la, lx, ly, i, got[i], want);
    }
    GpuArray_clear(&A);
    GpuArray_clear(&x);
    GpuArray_clear(&y);
  }
}
END_TEST

static void check_gemm(int type, size_t m, size_t n, size_t k, int ta, int tb, int la, int lb,
                       int lc)
{
  static double a[BIG * BIG], b[BIG * BIG], c[BIG * BIG], got[BIG * BIG];
  GpuArray A = ta ? matrix(type, k, m, la, a) : matrix(type, m, k, la, a);
  GpuArray B = tb ? matrix(type, n, k, lb, b) : matrix(type, k, n, lb, b);
  GpuArray C = matrix(type, m, n, lc, c);
  OK(GpuArray_rgemm(ta ? cb_trans : cb_no_trans, tb ? cb_conj_trans : cb_no_trans, 0.5, &A, &B, 2,
                    &C, 0));
  OK(GpuArray_tohost(got, m * n * sizeof *got, GA_DOUBLE, &C));
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double want = 2 * c[i * n + j];
      for (size_t l = 0; l < k; l++)
        want += 0.5 * (ta ? a[l * m + i] : a[i * k + l]) * (tb ? b[j * k + l] : b[l * n + j]);
      ck_assert_msg(got[i * n + j] == want,
                    "gemm:%d:%zux%zux%zu:%d%d:%d,%d,%d: (%zu, %zu) is %g, "
                    "expected %g",
                    type, m, n, k, ta, tb, la, lb, lc, i, j, got[i * n + j], want);
    }
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
}

START_TEST(gemm_matches_a_loop)
{
  if (!have_blas) return;
  for (int l = 0; l < NLAYOUT * NLAYOUT * 2; l++)
    for (int t = 0; t < 4; t++)
      check_gemm(types[l % 2], M, N, K, t % 2, t / 2, l % NLAYOUT, l / 2 / NLAYOUT, l / 7 % 2);
}
END_TEST

START_TEST(gemm_takes_awkward_sizes)
{
  static const size_t sizes[] = {0, 1, 31, 33};
  if (!have_blas) return;
  for (int s = 0; s < 64; s++)
    check_gemm(types[s % 2], sizes[s % 4], sizes[s / 4 % 4], sizes[s / 16], s % 2, s / 2 % 2, s % 2,
               s / 2 % 2, s / 4 % 2);
}
END_TEST

START_TEST(product_over_nothing_scales_the_result)
{
  double y[3] = {1, NAN, 3}, got[3];
  GpuArray a = {0}, x = {0}, r = {0};
  if (!have_blas) return;
  OK(GpuArray_zeros(&a, ctx, GA_DOUBLE, GA_DIMS(3, 0), GA_C_ORDER));
  OK(GpuArray_zeros(&x, ctx, GA_DOUBLE, GA_DIMS(0), GA_C_ORDER));
  OK(GpuArray_fromhost(&r, ctx, GA_DOUBLE, GA_DIMS(3), y));
  OK(GpuArray_rgemv(cb_no_trans, 1, &a, &x, 2, &r, 0));
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &r));
  ck_assert(got[0] == 2 && isnan(got[1]) && got[2] == 6);
  OK(GpuArray_rgemv(cb_no_trans, 1, &a, &x, 0, &r, 0)); /* with beta 0 y is not read */
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &r));
  ck_assert(got[0] == 0 && got[1] == 0 && got[2] == 0);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(beta_0_does_not_read_the_result)
{
  double nans[4] = {NAN, NAN, NAN, NAN}, ones[4] = {1, 1, 1, 1}, got[4];
  GpuArray a = {0}, c = {0};
  if (!have_blas) return;
  OK(GpuArray_fromhost(&a, ctx, GA_DOUBLE, GA_DIMS(2, 2), ones));
  OK(GpuArray_fromhost(&c, ctx, GA_DOUBLE, GA_DIMS(2, 2), nans));
  OK(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a, &a, 0, &c, 0));
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &c));
  for (int i = 0; i < 4; i++) ck_assert(got[i] == 2);
  GpuArray_clear(&a);
  GpuArray_clear(&c);
}
END_TEST

START_TEST(operand_that_is_the_result_is_read_first)
{
  double v[4] = {1, 2, 3, 4}, got[4];
  GpuArray a = {0}, t = {0};
  if (!have_blas) return;
  OK(GpuArray_fromhost(&a, ctx, GA_DOUBLE, GA_DIMS(2, 2), v));
  OK(GpuArray_transpose(&t, &a, NULL));
  FAILS(GA_COPY_ERROR, "shares memory",
        GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a, &t, 0, &a, 1));
  OK(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a, &t, 0, &a, 0));
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &a));
  ck_assert(got[0] == 5 && got[1] == 11 && got[2] == 11 && got[3] == 25);
  GpuArray_clear(&a);
  GpuArray_clear(&t);
}
END_TEST

START_TEST(copy_is_refused_where_forbidden)
{
  double v[BIG];
  GpuArray x = vector(GA_FLOAT, 6, 2, v), y = vector(GA_FLOAT, 6, 1, v), z = {0}, m = {0};
  if (have_blas) {
    OK(GpuArray_zeros(&z, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
    FAILS(GA_COPY_ERROR, "argument 1", GpuArray_rdot(&x, &y, &z, 1));
    OK(GpuArray_rdot(&y, &y, &z, 1)); /* a positive step needs none */
    double a[36];
    m = matrix(GA_FLOAT, 6, 6, 5, a);
    FAILS(GA_COPY_ERROR, "argument 3", GpuArray_rgemv(cb_no_trans, 1, &m, &y, 0, &y, 1));
    GpuArray_clear(&m);
    m = matrix(GA_FLOAT, 6, 6, 2, a);
    GpuArray r = vector(GA_FLOAT, 6, 0, v);
    OK(GpuArray_rgemv(cb_no_trans, 1, &m, &y, 0, &r, 1)); /* nor do rows of a wider matrix */
    GpuArray_clear(&r);
  }
  GpuArray_clear(&m);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
  gpucontext *two = test_context();
  GpuArray f = {0}, d = {0}, i = {0}, z = {0}, m = {0}, o = {0}, none = {0}, c = {0};
  OK(GpuArray_zeros(&f, ctx, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&d, ctx, GA_DOUBLE, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&i, ctx, GA_INT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&z, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&m, ctx, GA_FLOAT, GA_DIMS(3, 4), GA_C_ORDER));
  OK(GpuArray_zeros(&o, two, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "typecode", GpuArray_rdot(&f, &d, &z, 0)); /* mixed dtypes */
  FAILS(GA_INVALID_ERROR, "typecode 5", GpuArray_rdot(&i, &i, &z, 0));
  FAILS(GA_VALUE_ERROR, "axes", GpuArray_rdot(&f, &f, &f, 0));
  FAILS(GA_VALUE_ERROR, "axes", GpuArray_rdot(&m, &f, &z, 0));
  FAILS(GA_VALUE_ERROR, "context", GpuArray_rdot(&o, &f, &z, 0));
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_rdot(&f, &none, &z, 0));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_rdot(NULL, &f, &z, 0));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_rdot(&f, &f, NULL, 0));
  FAILS(GA_VALUE_ERROR, "expected 3", GpuArray_rgemv(cb_trans, 1, &m, &f, 0, &f, 0));
  FAILS(GA_VALUE_ERROR, "expected 3", GpuArray_rgemv(cb_no_trans, 1, &m, &f, 0, &f, 0));
  FAILS(GA_VALUE_ERROR, "cb_transpose", GpuArray_rgemv((cb_transpose)3, 1, &m, &f, 0, &f, 0));
  FAILS(GA_VALUE_ERROR, "inner axis",
        GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &m, &m, 0, &m, 0));
  FAILS(GA_VALUE_ERROR, "axis 1", GpuArray_rgemm(cb_no_trans, cb_trans, 1, &m, &m, 0, &m, 0));
  OK(GpuArray_zeros(&c, ctx, GA_FLOAT, GA_DIMS(3, 6), GA_C_ORDER));
  GpuArray gap = {0};
  OK(GpuArray_slice(&gap, &c, ":, ::2"));
  FAILS(GA_VALUE_ERROR, "contiguous", GpuArray_rgemm(cb_no_trans, cb_trans, 1, &m, &m, 0, &gap, 0));
  f.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuArray_rgemv(cb_no_trans, 1, &m, &f, 0, &f, 0));
  GpuArray un = {0};
  OK(GpuArray_fromdata(&un, m.data, 2, GA_FLOAT, GA_DIMS(4), NULL, 1));
  FAILS(GA_UNALIGNED_ERROR, "argument 1", GpuArray_rdot(&un, &f, &z, 0));
  GpuArray_clear(&un);
  GpuArray_clear(&gap);
  GpuArray_clear(&c);
  GpuArray_clear(&f);
  GpuArray_clear(&d);
  GpuArray_clear(&i);
  GpuArray_clear(&z);
  GpuArray_clear(&m);
  GpuArray_clear(&o);
  gpucontext_deref(two);
}
END_TEST

START_TEST(buffers_are_checked)
{
  float v[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, got = 0;
  gpucontext *two = test_context();
  gpudata *b = gpudata_alloc(ctx, sizeof v, v, GA_BUFFER_INIT, NULL);
  gpudata *z = gpudata_alloc(ctx, sizeof v, v, GA_BUFFER_INIT, NULL);
  gpudata *o = gpudata_alloc(two, sizeof v, v, GA_BUFFER_INIT, NULL);
  if (have_blas) {
    OK(gpublas_sdot(3, b, 1, 2, b, 0, 1, z, 2)); /* 2 4 6 . 1 2 3 */
    OK(gpudata_read(&got, z, 8, 4));
    ck_assert(got == 28);
  }
  FAILS(GA_VALUE_ERROR, "increment", gpublas_sdot(3, b, 0, 0, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "its buffer 12", gpublas_sdot(13, b, 0, 1, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "its buffer 6", gpublas_ddot(7, b, 0, 1, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "Z", gpublas_sdot(3, b, 0, 1, b, 0, 1, z, 12));
  FAILS(GA_VALUE_ERROR, "Y has", gpublas_sdot(3, b, 0, 1, b, 0, (size_t)-1, z, 0));
  FAILS(GA_VALUE_ERROR, "X has", gpublas_sdot((size_t)-1, b, 0, 1, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "contexts", gpublas_sdot(3, o, 0, 1, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "NULL", gpublas_sdot(3, NULL, 0, 1, b, 0, 1, z, 0));
  FAILS(GA_VALUE_ERROR, "leading dimension",
        gpublas_sgemv(cb_row, cb_no_trans, 2, 3, 1, b, 0, 2, b, 0, 1, 0, z, 0, 1));
  FAILS(GA_VALUE_ERROR, "order",
        gpublas_sgemv((cb_order)5, cb_no_trans, 2, 3, 1, b, 0, 3, b, 0, 1, 0, z, 0, 1));
  FAILS(
      GA_VALUE_ERROR, "A has",
      gpublas_dgemm(cb_column, cb_no_trans, cb_no_trans, 3, 3, 3, 1, b, 0, 3, b, 0, 3, 0, z, 0, 3));
  FAILS(GA_VALUE_ERROR, "transposition",
        gpublas_sgemm(cb_row, cb_no_trans, (cb_transpose)9, 3, 3, 3, 1, b, 0, 3, b, 0, 3, 0, z, 0,
                      3));
  FAILS(GA_VALUE_ERROR, "NULL", gpublas_setup(NULL));
  gpublas_teardown(ctx);
  ck_assert_str_eq(gpublas_error(ctx), gpuarray_error_message());
  gpudata_release(b);
  gpudata_release(z);
  gpudata_release(o);
  gpucontext_deref(two);
}
END_TEST

static const test_case cases[] = {CASE(dot_matches_a_loop),
                                  CASE(gemv_matches_a_loop),
                                  CASE(gemm_matches_a_loop),
                                  CASE(gemm_takes_awkward_sizes),
                                  CASE(product_over_nothing_scales_the_result),
                                  CASE(beta_0_does_not_read_the_result),
                                  CASE(operand_that_is_the_result_is_read_first),
                                  CASE(copy_is_refused_where_forbidden),
                                  CASE(bad_arguments_are_refused),
                                  CASE(buffers_are_checked),
                                  CASE_END};

int main(void) { return test_main_with("blas", cases, open_context, close_context); }
