/* SPDX-License-Identifier: MIT */
/* Variances in one pass: joined in the tree that DESIGN.md gives ("Variance"), written
 * here once more, element by element; as near to the exact value as two passes are, where
 * the mean is far from 0 and where the first element is far from the others. Small whole numbers
 * have two sums instead. */
#include <math.h>

#include "gpuarray/array.h"
#include "gpuarray/expr.h"
#include "gpuarray/ops.h"
#include "tests/device.h"

static gpucontext *ctx;
static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

/* ---- the tree ------------------------------------------------------------------ */

typedef struct moment {
  double m2, sum, n;
} moment;

/* n elements from x on, `step` apart; what they are moved by. */
typedef struct run {
  const double *x;
  size_t n, step;
  double by;
} run;

static moment join(moment a, moment b)
{
  volatile double d = a.sum - b.sum, p, q, w = a.n + a.n, m = a.m2 + b.m2;
  if (b.n == 0) return a;
  if (a.n != b.n) {
    p = a.sum * b.n;
    q = b.sum * a.n;
    d = p - q;
    w = a.n * b.n * (a.n + b.n);
  }
  w = 1 / w;
  p = d * w;
  q = p * d;
  return (moment){m + q, a.sum + b.sum, a.n + b.n};
}

/* The elements of a chunk whose numbers have the bits of `at`, and any of the first
 * `level` of the order. */
static moment of_chunk(const run *c, unsigned int level, size_t at)
{
  static const unsigned int order[] = {9, 8, 7, 0, 1, 6, 5, 4, 3, 2};
  if (level == 0 && at >= c->n) return (moment){0, 0, 0};
  if (level == 0) return (moment){0, c->x[at * c->step] - c->by, 1};
  moment a = of_chunk(c, level - 1, at);
  return join(a, of_chunk(c, level - 1, at | (size_t)1 << order[level - 1]));
}

static moment of_chunks(const run *r)
{
  size_t half = 1024;
  if (r->n <= half) return of_chunk(r, 10, 0);
  while (2 * half < r->n) half *= 2;
  run a = {r->x, half, r->step, r->by}, b = {r->x + half * r->step, r->n - half, r->step, r->by};
  return join(of_chunks(&a), of_chunks(&b));
}

static double tree_var(const double *x, size_t n, size_t step)
{
  return of_chunks(&(run){x, n, step, x[0]}).m2 / (double)n;
}

/* ---- data ---------------------------------------------------------------------- */

static uint32_t seed;

/* About normal, of mean 0 and deviation 1. */
static double noise(void)
{
  double s = 0;
  for (int i = 0; i < 12; i++) {
    seed = seed * 1664525 + 1013904223;
    s += (double)(seed >> 8) / (1 << 24);
  }
  return s - 6;
}

static double *noises(size_t n, double mean)
{
  double *x = malloc(n * sizeof *x);
  ck_assert_ptr_nonnull(x);
  for (size_t i = 0; i < n; i++) x[i] = mean + noise();
  return x;
}

/* The text over `a`, of `nd` axes; `n` results. */
static void eval(const char *text, int typecode, unsigned int nd, const size_t *dims,
                 const double *x, double *to, size_t n)
{
  GpuArray d, a, r;
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, nd, dims, x));
  OK(GpuArray_cast(&a, &d, typecode));
  OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(to, n * sizeof *to, GA_DOUBLE, &r));
  GpuArray_clear(&d);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}

/* ---- the order ----------------------------------------------------------------- */

static const size_t counts[] = {2, 3, 5, 31, 33, 127, 129, 300, 1000, 1024, 1025, 2048, 5001};
static const size_t widths[] = {3, 20, 300, 3000};
enum { NCOUNT = sizeof counts / sizeof *counts, NWIDTH = sizeof widths / sizeof *widths };

START_TEST(columns_are_joined_in_the_order_of_the_array)
{
  size_t dims[2] = {counts[_i % NCOUNT], widths[_i / NCOUNT]};
  double *x = noises(dims[0] * dims[1], 3), *got = malloc(dims[1] * sizeof *got);
  ck_assert_ptr_nonnull(got);
  eval("var(a, axis=0)", GA_DOUBLE, 2, dims, x, got, dims[1]);
  for (size_t i = 0; i < dims[1]; i++)
    ck_assert_msg(got[i] == tree_var(x + i, dims[0], dims[1]), "%zux%zu, column %zu: %a for %a",
                  dims[0], dims[1], i, got[i], tree_var(x + i, dims[0], dims[1]));
  free(x);
  free(got);
}
END_TEST

START_TEST(strided_rows_are_joined_in_the_order_of_the_array)
{
  size_t dims[2] = {3, counts[_i] * 3};
  double *x = noises(dims[0] * dims[1], -2), got[3];
  eval("var(a[:, ::3], axis=1)", GA_DOUBLE, 2, dims, x, got, 3);
  for (size_t i = 0; i < 3; i++) {
    double want = tree_var(x + i * dims[1], counts[_i], 3);
    ck_assert_msg(got[i] == want, "%zu elements: %a for %a", counts[_i], got[i], want);
  }
  free(x);
}
END_TEST

START_TEST(long_rows_are_joined_in_the_order_of_the_array)
{
  static const size_t lengths[] = {131073, 262144, 1000003};
  size_t n = lengths[_i];
  double *x = noises(n, 1), got[2], want = tree_var(x, n, 1);
  eval("var(a)", GA_DOUBLE, 1, &n, x, got, 1);
  ck_assert_msg(got[0] == want, "%zu elements: %a for %a", n, got[0], want);
  free(x);
}
END_TEST

/* ---- what is asked beside it ------------------------------------------------------ */

START_TEST(a_mean_beside_a_variance_is_the_mean_alone)
{
  static const char *const axes[] = {"axis=0", "axis=1", "axis=(0, 1)", "axis=None"};
  size_t dims[3] = {90, 77, 53}, n = _i == 3 ? 1 : _i == 2 ? 53 : _i == 1 ? 90 * 53 : 77 * 53;
  double *x = noises(90 * 77 * 53, 7), *both = malloc(2 * n * sizeof *both);
  char text[128];
  ck_assert_ptr_nonnull(both);
  for (int typecode = GA_FLOAT; typecode <= GA_DOUBLE; typecode++) {
    snprintf(text, sizeof text, "mean(a, %s)", axes[_i]);
    eval(text, typecode, 3, dims, x, both, n);
    snprintf(text, sizeof text, "m = mean(a, %s); v = var(a, %s); m + 0*v", axes[_i], axes[_i]);
    eval(text, typecode, 3, dims, x, both + n, n);
    ck_assert_msg(memcmp(both, both + n, n * sizeof *both) == 0, "%s", text);
  }
  free(x);
  free(both);
}
END_TEST

/* ---- exactness ------------------------------------------------------------------- */

static const struct {
  int typecode;
  double mean, first; /* first: what element 0 is moved by */
} places[] = {
    {GA_DOUBLE, 0, 0},  {GA_DOUBLE, 1e8, 0},   {GA_DOUBLE, -1e8, 1e8}, {GA_DOUBLE, 0, 1e12},
    {GA_DOUBLE, 1, -1}, {GA_FLOAT, 0, 0},      {GA_FLOAT, 1e4, 0},     {GA_FLOAT, 1e4, -1e4},
    {GA_FLOAT, 0, 1e6}, {GA_FLOAT, 1000, 500},
};

/* In 64 bits of fraction, from deviations that are exact in them or nearly. */
static double exact_var(const double *x, size_t n, size_t step)
{
  long double sum = 0, m2 = 0;
  for (size_t i = 0; i < n; i++) sum += (long double)x[i * step] - x[step];
  sum /= (long double)n;
  for (size_t i = 0; i < n; i++) {
    long double d = (long double)x[i * step] - x[step] - sum;
    m2 += d * d;
  }
  return (double)(m2 / (long double)n);
}

START_TEST(a_distance_from_zero_costs_nothing)
{
  int typecode = places[_i].typecode;
  double got[64], unit = typecode == GA_DOUBLE ? 0x1p-53 : 0x1p-24;
  for (size_t columns = 1; columns <= 64; columns *= 64) {
    size_t dims[2] = {200003 / columns, columns};
    double *x = noises(dims[0] * columns, places[_i].mean);
    for (size_t k = 0; k < columns; k++) x[k] += places[_i].first;
    for (size_t i = 0; i < dims[0] * columns && typecode == GA_FLOAT; i++) x[i] = (float)x[i];
    eval("var(a, axis=0)", typecode, 2, dims, x, got, columns);
    for (size_t k = 0; k < columns; k++) {
      double want = exact_var(x + k, dims[0], columns), error = fabs(got[k] - want) / want / unit;
      ck_assert_msg(error <= 18, "mean %g, first by %g: %g for %g, %g units", places[_i].mean,
                    places[_i].first, got[k], want, error);
    }
    free(x);
  }
}
END_TEST

START_TEST(what_is_not_finite_has_no_variance)
{
  static const double values[] = {INFINITY, -INFINITY, NAN};
  static const size_t places_of[] = {0, 1, 700, 1499};
  size_t dims[2] = {1500, 40}, at = places_of[_i % 4];
  double *x = noises(1500 * 40, 0), got[40];
  x[at * 40 + 5] = values[_i / 4];
  eval("var(a, axis=0)", GA_FLOAT, 2, dims, x, got, 40);
  for (int k = 0; k < 40; k++) ck_assert_msg(isnan(got[k]) == (k == 5), "column %d: %g", k, got[k]);
  free(x);
}
END_TEST

/* Two exact sums, up to where n sum(x^2) - sum(x)^2 fills 63 bits, though its terms pass 64: half
 * of the elements are the least there is and half the greatest. */
START_TEST(whole_numbers_have_exact_variances)
{
  static const struct {
    int typecode, least, greatest;
    size_t n;
  } rows[] = {{GA_UBYTE, 0, 255, 1 << 24},
              {GA_BYTE, -128, 127, 1 << 24},
              {GA_USHORT, 0, 65535, 1 << 16},
              {GA_SHORT, -32768, 32767, 1 << 16}};
  double got, d = (rows[_i].greatest - rows[_i].least) / 2.0;
  short *x = malloc(rows[_i].n * sizeof *x);
  GpuArray a = {0}, wide = {0}, r = {0};
  for (size_t i = 0; i < rows[_i].n; i++)
    x[i] = (short)(i % 2 ? rows[_i].greatest : rows[_i].least);
  OK(GpuArray_fromhost(&wide, ctx, GA_SHORT, 1, &rows[_i].n, x));
  OK(GpuArray_cast(&a, &wide, rows[_i].typecode));
  OK(GpuArray_eval(&r, ctx, "var(a)", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(&got, sizeof got, GA_DOUBLE, &r));
  ck_assert_msg(got == d * d, "%.17g, expected %.17g", got, d * d);
  GpuArray_clear(&wide);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
  free(x);
}
END_TEST

/* As NumPy: the mean is real, so imaginary parts are squared as they are. */
START_TEST(a_real_dtype_keeps_imaginary_parts)
{
  size_t dims[2] = {90, 20};
  double *x = noises(1800, 5), got[20], want[20];
  for (int i = 0; i < 2; i++) {
    const char *re = i ? "a.T" : "a", *axis = i ? "1" : "0";
    char text[160];
    snprintf(text, sizeof text, "var(%s + 2j*(%s - 4), axis=%s, dtype=float64)", re, re, axis);
    eval(text, GA_DOUBLE, 2, dims, x, got, 20);
    snprintf(text, sizeof text, "var(%s, axis=%s) + 4*mean((%s - 4)**2, axis=%s)", re, axis, re,
             axis);
    eval(text, GA_DOUBLE, 2, dims, x, want, 20);
    for (int k = 0; k < 20; k++)
      ck_assert_msg(fabs(got[k] - want[k]) <= 1e-13 * want[k], "%s: %g for %g", text, got[k],
                    want[k]);
  }
  free(x);
}
END_TEST

START_TEST(too_few_degrees_of_freedom_divide_by_nothing)
{
  size_t dims[2] = {4, 20};
  double *x = noises(80, 0), got[20];
  eval("var(a, axis=0, ddof=5)", GA_DOUBLE, 2, dims, x, got, 20);
  for (int k = 0; k < 20; k++) ck_assert(isinf(got[k]));
  eval("var(a*0, axis=0, ddof=4)", GA_DOUBLE, 2, dims, x, got, 20);
  for (int k = 0; k < 20; k++) ck_assert(isnan(got[k]));
  eval("var(a, axis=0, ddof=nan)", GA_DOUBLE, 2, dims, x, got, 20);
  for (int k = 0; k < 20; k++) ck_assert(isnan(got[k]));
  free(x);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(columns_are_joined_in_the_order_of_the_array, NCOUNT *NWIDTH),
    CASE_LOOP(strided_rows_are_joined_in_the_order_of_the_array, NCOUNT),
    CASE_LOOP(long_rows_are_joined_in_the_order_of_the_array, 3),
    CASE_LOOP(a_mean_beside_a_variance_is_the_mean_alone, 4),
    CASE_LOOP(a_distance_from_zero_costs_nothing, sizeof places / sizeof *places),
    CASE_LOOP(what_is_not_finite_has_no_variance, 12),
    CASE_LOOP(whole_numbers_have_exact_variances, 4),
    CASE(a_real_dtype_keeps_imaginary_parts),
    CASE(too_few_degrees_of_freedom_divide_by_nothing),
    CASE_END};

int main(void) { return test_main_with("moment", cases, open_context, close_context); }
