/* SPDX-License-Identifier: MIT */
/* The named operations against loops in C. */
#include <math.h>
#include <stdint.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/expr.h"
#include "gpuarray/ops.h"

static gpucontext *ctx;

static void open_context(void) { ctx = test_context(); }
static void close_context(void) { gpucontext_deref(ctx); }

enum { NSIZE = 7, MOST = 99991 };
static const size_t sizes[NSIZE] = {0, 1, 31, 33, 1023, 1025, MOST};
static float x[MOST], y[MOST], got[MOST];

static void fill(size_t n)
{
  for (size_t i = 0; i < n; i++) {
    x[i] = (float)(i % 97) * 0.25f - 10;
    y[i] = (float)(i % 89) * 0.5f + 1;
  }
}

static GpuArray vector(const float *data, size_t n)
{
  GpuArray a = {0};
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(n), data));
  return a;
}

static double number(GpuArray *r)
{
  double d = 0;
  ck_assert_uint_eq(r->nd, 0);
  OK(GpuArray_tohost(&d, sizeof d, GA_DOUBLE, r));
  GpuArray_clear(r);
  return d;
}

typedef int binary(GpuArray *, const GpuArray *, const GpuArray *);
static float add(float a, float b) { return a + b; }
static float sub(float a, float b) { return a - b; }
static float mul(float a, float b) { return a * b; }
static float quotient(float a, float b) { return a / b; }

START_TEST(binary_operations_match_a_loop)
{
  static const struct {
    binary *f, *into;
    float (*want)(float, float);
  } ops[] = {{GpuArray_add, GpuArray_add_into, add},
             {GpuArray_sub, GpuArray_sub_into, sub},
             {GpuArray_mul, GpuArray_mul_into, mul},
             {GpuArray_div, GpuArray_div_into, quotient}};
  size_t n = sizes[_i];
  fill(n);
  GpuArray a = vector(x, n), b = vector(y, n), r = {0};
  for (int k = 0; k < 4; k++) {
    OK(ops[k].f(&r, &a, &b));
    ck_assert_int_eq(r.typecode, GA_FLOAT);
    OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &r));
    for (size_t i = 0; i < n; i++) ck_assert(got[i] == ops[k].want(x[i], y[i]));
    OK(GpuArray_memset(&r, 0));
    OK(ops[k].into(&r, &a, &b));
    OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &r));
    for (size_t i = 0; i < n; i++) ck_assert(got[i] == ops[k].want(x[i], y[i]));
    GpuArray_clear(&r);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}
END_TEST

START_TEST(scaling_operations_match_a_loop)
{
  size_t n = sizes[_i];
  fill(n);
  GpuArray a = vector(x, n), b = vector(y, n), r = {0};
  OK(GpuArray_scale(&r, &a, 2.5));
  OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &r));
  for (size_t i = 0; i < n; i++) ck_assert(got[i] == 2.5f * x[i]);
  OK(GpuArray_axpb_into(&r, &a, -3, 0.5));
  OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &r));
  for (size_t i = 0; i < n; i++) ck_assert(got[i] == -3.f * x[i] + 0.5f);
  OK(GpuArray_neg_into(&r, &r)); /* in place */
  OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &r));
  for (size_t i = 0; i < n; i++) ck_assert(got[i] == -(-3.f * x[i] + 0.5f));
  GpuArray_clear(&r);
  OK(GpuArray_axpb(&r, &a, -3, 0.5));
  OK(GpuArray_scale_into(&r, &r, 2));
  GpuArray_clear(&r);
  OK(GpuArray_neg(&r, &a));
  GpuArray_clear(&r);
  OK(GpuArray_axpy(&b, 1.5, &a));
  OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, &b));
  for (size_t i = 0; i < n; i++) ck_assert(got[i] == 1.5f * x[i] + y[i]);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}
END_TEST

START_TEST(reductions_match_a_loop)
{
  size_t n = sizes[_i];
  double sum = 0, sumsq = 0, dot = 0, min = INFINITY, max = -INFINITY;
  fill(n);
  for (size_t i = 0; i < n; i++) { /* exact: few bits each */
    sum += x[i];
    sumsq += (double)x[i] * x[i];
    dot += (double)x[i] * y[i];
    min = fmin(min, x[i]);
    max = fmax(max, x[i]);
  }
  GpuArray a = vector(x, n), b = vector(y, n), r = {0};
  double tol = 1e-5;
  OK(GpuArray_sum(&r, &a));
  ck_assert_double_le(fabs(number(&r) - sum), tol * (fabs(sum) + 1));
  OK(GpuArray_sumsq(&r, &a));
  ck_assert_double_le(fabs(number(&r) - sumsq), tol * sumsq);
  OK(GpuArray_norm(&r, &a));
  ck_assert_double_le(fabs(number(&r) - sqrt(sumsq)), tol * sqrt(sumsq));
  OK(GpuArray_dot(&r, &a, &b));
  ck_assert_double_le(fabs(number(&r) - dot), tol * (fabs(dot) + 1));
  if (n != 0) {
    OK(GpuArray_mean(&r, &a));
    ck_assert_double_le(fabs(number(&r) - sum / (double)n), tol * 10);
    OK(GpuArray_min(&r, &a));
    ck_assert(number(&r) == min);
    OK(GpuArray_max(&r, &a));
    ck_assert(number(&r) == max);
  } else {
    FAILS(GA_VALUE_ERROR, "", GpuArray_min(&r, &a));
    FAILS(GA_VALUE_ERROR, "GpuArray_max:\nmax(a)\n", GpuArray_max(&r, &a));
    ck_assert_ptr_null(r.data);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}
END_TEST

/* Of integers: exact, in 64 bits, in C order whatever the layout. */
START_TEST(running_sums_are_of_all_elements)
{
  static const signed char v[6] = {100, 27, -128, 1, 2, 127};
  static const int64_t c[6] = {100, 127, -1, 0, 2, 129}, f[6] = {100, 101, 128, 130, 2, 129};
  int64_t got[6];
  GpuArray a = {0}, t = {0}, r = {0};
  OK(GpuArray_fromhost(&a, ctx, GA_BYTE, GA_DIMS(2, 3), v));
  OK(GpuArray_transpose(&t, &a, NULL));
  OK(GpuArray_cumsum(&r, &a));
  ck_assert_uint_eq(r.nd, 1);
  OK(GpuArray_tohost(got, sizeof got, GA_LONG, &r));
  ck_assert_mem_eq(got, c, sizeof c);
  OK(GpuArray_cumsum_into(&r, &t));
  OK(GpuArray_tohost(got, sizeof got, GA_LONG, &r));
  ck_assert_mem_eq(got, f, sizeof f);
  FAILS(GA_VALUE_ERROR, "", GpuArray_cumsum_into(&t, &a)); /* not of its shape */
  GpuArray_clear(&a);
  GpuArray_clear(&t);
  GpuArray_clear(&r);
}
END_TEST

/* Along any axis, with and without the element itself, and where the elements are; more of them
 * than a block and a tile. */
START_TEST(integers_are_scanned_along_any_axis)
{
  enum { ROWS = 1300, COLS = 37, N = ROWS * COLS };
  static int64_t v[N], down[N], along[N], before[N], got[N];
  GpuArray a = {0}, r = {0};
  for (size_t i = 0; i < N; i++) {
    v[i] = (int64_t)(i * 2654435761u % 1000) - 300;
    down[i] = v[i] + (i < COLS ? 0 : down[i - COLS]);
    before[i] = i < COLS ? 0 : down[i - COLS];
    along[i] = v[i] + (i % COLS == 0 ? 0 : along[i - 1]);
  }
  OK(GpuArray_fromhost(&a, ctx, GA_LONG, GA_DIMS(ROWS, COLS), v));
  OK(GpuArray_eval(&r, ctx, "cumsum(a, axis=0, exclusive=True)", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(got, sizeof got, GA_LONG, &r));
  ck_assert_mem_eq(got, before, sizeof got);
  OK(GpuArray_eval_into(&r, "cumsum(a, axis=1)", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(got, sizeof got, GA_LONG, &r));
  ck_assert_mem_eq(got, along, sizeof got);
  OK(GpuArray_eval_into(&a, "cumsum(a, axis=0)", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(got, sizeof got, GA_LONG, &a));
  ck_assert_mem_eq(got, down, sizeof got);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(reductions_write_existing_numbers)
{
  fill(10);
  GpuArray a = vector(x, 10), r = {0}, pair = {0};
  typedef int unary(GpuArray *, const GpuArray *);
  static unary *const into[] = {GpuArray_sum_into, GpuArray_sumsq_into, GpuArray_mean_into,
                                GpuArray_min_into, GpuArray_max_into,   GpuArray_norm_into};
  OK(GpuArray_zeros(&r, ctx, GA_DOUBLE, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&pair, ctx, GA_FLOAT, GA_DIMS(2), GA_C_ORDER));
  for (int k = 0; k < 6; k++) {
    OK(into[k](&r, &a));
    FAILS(GA_VALUE_ERROR, "", into[k](&pair, &a));
  }
  OK(GpuArray_dot_into(&r, &a, &a));
  GpuArray_clear(&pair);
  GpuArray_clear(&a);
  ck_assert_double_gt(number(&r), 0);
}
END_TEST

START_TEST(types_promote_as_numpys)
{
  GpuArray i = {0}, f = {0}, b = {0}, r = {0};
  int32_t four[4] = {1, -2, 3, 4};
  float half[4] = {0.5f, 1.5f, 2.5f, 3.5f};
  unsigned char truth[4] = {1, 0, 1, 1};
  OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(4), four));
  OK(GpuArray_fromhost(&f, ctx, GA_FLOAT, GA_DIMS(4), half));
  OK(GpuArray_fromhost(&b, ctx, GA_BOOL, GA_DIMS(4), truth));
  OK(GpuArray_add(&r, &i, &f));
  ck_assert_int_eq(r.typecode, GA_DOUBLE);
  GpuArray_clear(&r);
  OK(GpuArray_scale(&r, &i, 2));
  ck_assert_int_eq(r.typecode, GA_DOUBLE);
  GpuArray_clear(&r);
  OK(GpuArray_div(&r, &i, &i));
  ck_assert_int_eq(r.typecode, GA_DOUBLE);
  GpuArray_clear(&r);
  OK(GpuArray_sum(&r, &b));
  ck_assert_int_eq(r.typecode, GA_LONG);
  ck_assert(number(&r) == 3);
  OK(GpuArray_norm(&r, &i));
  ck_assert_int_eq(r.typecode, GA_DOUBLE);
  ck_assert(number(&r) == sqrt(30));
  FAILS(GA_VALUE_ERROR, "", GpuArray_neg(&r, &b));
  FAILS(GA_VALUE_ERROR, "", GpuArray_add_into(&i, &i, &f)); /* float64 into int32 */
  FAILS(GA_VALUE_ERROR, "GpuArray_axpy:\n", GpuArray_axpy(&i, 0.5, &f));
  GpuArray_clear(&i);
  GpuArray_clear(&f);
  GpuArray_clear(&b);
}
END_TEST

START_TEST(norm_of_complex_is_real)
{
  GpuArray a = {0}, r = {0}, h = {0};
  float z[4] = {3, 4, 0, 12};
  OK(GpuArray_fromhost(&a, ctx, GA_CFLOAT, GA_DIMS(2), z));
  OK(GpuArray_norm(&r, &a));
  ck_assert_int_eq(r.typecode, GA_FLOAT);
  ck_assert(number(&r) == 13);
  GpuArray_clear(&a);
  OK(GpuArray_full(&h, ctx, GA_HALF, GA_DIMS(4), 300));
  OK(GpuArray_norm(&r, &h)); /* the squares do not fit float16 */
  ck_assert_int_eq(r.typecode, GA_HALF);
  ck_assert(number(&r) == 600);
  GpuArray_clear(&h);
}
END_TEST

START_TEST(cast_converts_any_type)
{
  static const int codes[] = {GA_BOOL,  GA_BYTE,   GA_UBYTE,  GA_SHORT,  GA_USHORT,
                              GA_INT,   GA_UINT,   GA_LONG,   GA_ULONG,  GA_HALF,
                              GA_FLOAT, GA_BFLOAT, GA_DOUBLE, GA_CFLOAT, GA_CDOUBLE};
  enum { N = sizeof codes / sizeof codes[0] };
  fill(12);
  for (int k = 0; k < N; k++) {
    GpuArray a = {0}, t = {0}, r = {0}, back = {0};
    double d[6];
    OK(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 6, 1));
    OK(GpuArray_reshape_inplace(&a, GA_DIMS(2, 3), GA_C_ORDER));
    OK(GpuArray_transpose(&t, &a, NULL));
    OK(GpuArray_cast(&r, &t, codes[k]));
    ck_assert_int_eq(r.typecode, codes[k]);
    ck_assert_int_ne(GpuArray_IS_F_CONTIGUOUS(&r), 0);
    OK(GpuArray_cast(&back, &r, GA_DOUBLE));
    OK(GpuArray_tohost(d, sizeof d, GA_DOUBLE, &back));
    for (int i = 0; i < 6; i++) {
      double want = i % 2 * 3 + i / 2;
      ck_assert(d[i] == (codes[k] == GA_BOOL ? want != 0 : want));
    }
    GpuArray_clear(&a);
    GpuArray_clear(&t);
    GpuArray_clear(&r);
    GpuArray_clear(&back);
  }
}
END_TEST

START_TEST(shapes_broadcast_or_are_named)
{
  fill(12);
  GpuArray a = vector(x, 12), row = {0}, col = {0}, bad = vector(y, 5), r = {0};
  OK(GpuArray_reshape(&row, &a, GA_DIMS(1, 12), GA_C_ORDER, 1));
  OK(GpuArray_reshape(&col, &a, GA_DIMS(12, 1), GA_C_ORDER, 1));
  OK(GpuArray_mul(&r, &row, &col));
  ck_assert_uint_eq(r.nd, 2);
  ck_assert_uint_eq(r.dimensions[0], 12);
  FAILS(GA_VALUE_ERROR, "", GpuArray_add_into(&row, &row, &col));
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "12", GpuArray_add(&r, &a, &bad));
  ck_assert_ptr_null(r.data);
  FAILS(GA_VALUE_ERROR, "(5,)", GpuArray_dot(&r, &a, &bad));
  FAILS(GA_VALUE_ERROR, "2 axes", GpuArray_dot(&r, &a, &row));
  FAILS(GA_VALUE_ERROR, "", GpuArray_axpy(&bad, 1, &a));
  GpuArray_clear(&a);
  GpuArray_clear(&row);
  GpuArray_clear(&col);
  GpuArray_clear(&bad);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
  gpucontext *two = test_context();
  fill(4);
  GpuArray a = vector(x, 4), none = {0}, other = {0}, v = {0}, r = {0};
  OK(GpuArray_zeros(&other, two, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&v, ctx, GA_FLOAT4, GA_DIMS(4), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", GpuArray_add(NULL, &a, &a));
  FAILS(GA_VALUE_ERROR, "argument 2 is NULL", GpuArray_add(&r, NULL, &a));
  FAILS(GA_VALUE_ERROR, "argument 3 is a cleared", GpuArray_add(&r, &a, &none));
  FAILS(GA_VALUE_ERROR, "argument 1 is a cleared", GpuArray_add_into(&none, &a, &a));
  FAILS(GA_VALUE_ERROR, "context", GpuArray_add(&r, &a, &other));
  FAILS(GA_VALUE_ERROR, "GpuArray_add_into: expression: argument 'a'",
        GpuArray_add_into(&other, &a, &a));
  FAILS(GA_VALUE_ERROR, "typecode 297", GpuArray_sum(&r, &v));
  FAILS(GA_VALUE_ERROR, "one array", GpuArray_add(&a, &a, &a));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_norm(&r, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_dot(NULL, &a, &a));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_dot(&r, &a, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_axpy(NULL, 1, &a));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_axpy(&a, 1, NULL));
  FAILS(GA_VALUE_ERROR, "not a typecode", GpuArray_cast(&r, &a, -3));
  FAILS(GA_UNSUPPORTED_ERROR, "no conversion", GpuArray_cast(&r, &a, GA_FLOAT4));
  a.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "", GpuArray_scale_into(&a, &a, 2));
  ck_assert_ptr_null(r.data);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
  GpuArray_clear(&other);
  gpucontext_deref(two);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(binary_operations_match_a_loop, NSIZE),
                                  CASE_LOOP(scaling_operations_match_a_loop, NSIZE),
                                  CASE_LOOP(reductions_match_a_loop, NSIZE),
                                  CASE(running_sums_are_of_all_elements),
                                  CASE(integers_are_scanned_along_any_axis),
                                  CASE(reductions_write_existing_numbers),
                                  CASE(types_promote_as_numpys),
                                  CASE(norm_of_complex_is_real),
                                  CASE(cast_converts_any_type),
                                  CASE(shapes_broadcast_or_are_named),
                                  CASE(bad_arguments_are_refused),
                                  CASE_END};

int main(void) { return test_main_with("ops", cases, open_context, close_context); }
