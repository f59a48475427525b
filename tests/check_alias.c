/* SPDX-License-Identifier: MIT */
/* Arrays that an expression reads and writes: what was there before is what is read,
 * whatever views of one buffer the operands are; overlapping outputs are refused. */
#include "tests/device.h"
#include "tests/values.h"

#include "gpuarray.h"

static gpucontext *ctx;

static void setup(void) { ctx = test_context(); }
static void teardown(void) { gpucontext_deref(ctx); }

static const double ramp[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

START_TEST(assignment_writes_in_place)
{
  GpuArray a, s;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(4), ramp);
  OK(GpuArray_eval(NULL, ctx, "a = a*10 + 1", GA_ARGS(ga_array("a", &a))));
  EXPECT(&a, 1, 11, 21, 31);
  /* a read before an assignment sees the old values, after it the new ones */
  OK(GpuArray_eval(&s, ctx, "t = a; a = a + 1; t + a", GA_ARGS(ga_array("a", &a))));
  EXPECT(&a, 2, 12, 22, 32);
  EXPECT(&s, 3, 23, 43, 63);
  GpuArray_clear(&s);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(reversed_and_transposed_inputs_are_read_before_they_are_written)
{
  GpuArray a, m;
  setup();
  make(ctx, &a, GA_INT, GA_DIMS(5), ramp);
  OK(GpuArray_eval(NULL, ctx, "a = a + a[::-1]*10", GA_ARGS(ga_array("a", &a))));
  EXPECT(&a, 40, 31, 22, 13, 4);
  make(ctx, &m, GA_DOUBLE, GA_DIMS(3, 3), ramp);
  OK(GpuArray_eval(NULL, ctx, "m = m - m.T", GA_ARGS(ga_array("m", &m))));
  EXPECT(&m, 0, -2, -4, 2, 0, -2, 4, 2, 0);
  GpuArray_clear(&a);
  GpuArray_clear(&m);
  teardown();
}
END_TEST

START_TEST(large_arrays_are_read_before_they_are_written)
{
  enum { N = 700, M = N * N };
  int *x = malloc(M * sizeof *x);
  GpuArray a, m, f;
  setup();
  OK(GpuArray_arange(&a, ctx, GA_INT, 0, M, 1));
  OK(GpuArray_eval(NULL, ctx, "a = a + a[::-1]*2", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_tohost(x, M * sizeof *x, GA_INT, &a));
  for (int i = 0; i < M; i++) ck_assert_int_eq(x[i], i + 2 * (M - 1 - i));
  OK(GpuArray_arange(&f, ctx, GA_INT, 0, M, 1));
  OK(GpuArray_reshape(&m, &f, GA_DIMS(N, N), GA_C_ORDER, 1));
  OK(GpuArray_eval(NULL, ctx, "m = m - m.T*2", GA_ARGS(ga_array("m", &m))));
  OK(GpuArray_tohost(x, M * sizeof *x, GA_INT, &m));
  for (int i = 0; i < M; i++) ck_assert_int_eq(x[i], i - 2 * (i % N * N + i / N));
  GpuArray_clear(&a);
  GpuArray_clear(&f);
  GpuArray_clear(&m);
  free(x);
  teardown();
}
END_TEST

/* Stages that read the array come after the one that writes it. */
START_TEST(later_stages_read_what_an_array_was)
{
  GpuArray a, c, m;
  setup();
  make(ctx, &a, GA_DOUBLE, GA_DIMS(4), ramp);
  OK(GpuArray_eval(NULL, ctx, "c = a[::-1]; a = cumsum(a)",
                   GA_ARGS(ga_array("a", &a), ga_new("c", &c))));
  EXPECT(&a, 0, 1, 3, 6);
  EXPECT(&c, 3, 2, 1, 0);
  GpuArray_clear(&c);
  make(ctx, &m, GA_INT, GA_DIMS(1, 4), ramp);
  OK(GpuArray_eval(&c, ctx, "c = m*m; m = max(m, axis=0, keepdims=True) + 1; c",
                   GA_ARGS(ga_array("m", &m))));
  EXPECT(&m, 1, 2, 3, 4);
  EXPECT(&c, 0, 1, 4, 9);
  GpuArray_clear(&c);
  GpuArray_clear(&m);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(shifted_view_of_one_buffer_goes_through_a_temporary)
{
  GpuArray a, lo, hi;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(6), ramp);
  OK(GpuArray_slice(&lo, &a, ":-1"));
  OK(GpuArray_slice(&hi, &a, "1:"));
  OK(GpuArray_eval_into(&hi, "lo*2", GA_ARGS(ga_array("lo", &lo))));
  EXPECT(&a, 0, 0, 2, 4, 6, 8);
  GpuArray_clear(&lo);
  GpuArray_clear(&hi);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(later_stage_still_reads_the_old_values)
{
  GpuArray a;
  setup();
  make(ctx, &a, GA_DOUBLE, GA_DIMS(4), ramp);
  OK(GpuArray_eval(NULL, ctx, "b = a / sum(a); a = b", GA_ARGS(ga_array("a", &a))));
  EXPECT(&a, 0, 1.0 / 6, 2.0 / 6, 3.0 / 6);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(two_outputs_swap)
{
  GpuArray a, b;
  const double other[] = {10, 20, 30};
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(3), ramp);
  make(ctx, &b, GA_FLOAT, GA_DIMS(3), other);
  OK(GpuArray_eval(NULL, ctx, "t = a; a = b; b = t",
                   GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  EXPECT(&a, 10, 20, 30);
  EXPECT(&b, 0, 1, 2);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  teardown();
}
END_TEST

START_TEST(outputs_that_overlap_are_refused)
{
  GpuArray a, v, w;
  const size_t dims[] = {4};
  const ssize_t strides[] = {0};
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(6), ramp);
  OK(GpuArray_slice(&v, &a, ":4"));
  OK(GpuArray_slice(&w, &a, "2:"));
  FAILS(GA_VALUE_ERROR, "overlap",
        GpuArray_eval(NULL, ctx, "v = w + 1; w = v*2",
                      GA_ARGS(ga_array("v", &v), ga_array("w", &w))));
  GpuArray_clear(&w);
  OK(GpuArray_fromdata(&w, a.data, 0, GA_FLOAT, 1, dims, strides, 1));
  FAILS(GA_VALUE_ERROR, "overlap", GpuArray_eval_into(&w, "v", GA_ARGS(ga_array("v", &v))));
  EXPECT(&a, 0, 1, 2, 3, 4, 5);
  GpuArray_clear(&v);
  GpuArray_clear(&w);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

/* Steps of 3 and 2 elements: 0 2 4, 3 5 7. */
START_TEST(outputs_that_interleave_are_written)
{
  GpuArray a, x, w;
  const size_t dims[] = {2, 3};
  const ssize_t strides[] = {6, 4};
  setup();
  make(ctx, &a, GA_HALF, GA_DIMS(8), ramp);
  make(ctx, &x, GA_HALF, GA_DIMS(2, 3), ramp);
  OK(GpuArray_fromdata(&w, a.data, 0, GA_HALF, 2, dims, strides, 1));
  OK(GpuArray_eval_into(&w, "x + 10", GA_ARGS(ga_array("x", &x))));
  EXPECT(&a, 10, 1, 11, 13, 12, 14, 6, 15);
  OK(GpuArray_eval(NULL, ctx, "w = w*2", GA_ARGS(ga_array("w", &w))));
  EXPECT(&a, 20, 1, 22, 26, 24, 28, 6, 30);
  GpuArray_clear(&w);
  GpuArray_clear(&x);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

static const test_case cases[] = {
    CASE(assignment_writes_in_place),
    CASE(reversed_and_transposed_inputs_are_read_before_they_are_written),
    CASE(large_arrays_are_read_before_they_are_written),
    CASE(later_stages_read_what_an_array_was),
    CASE(shifted_view_of_one_buffer_goes_through_a_temporary),
    CASE(later_stage_still_reads_the_old_values),
    CASE(two_outputs_swap),
    CASE(outputs_that_overlap_are_refused),
    CASE(outputs_that_interleave_are_written),
    CASE_END,
};

int main(void) { return test_main("alias", cases); }
