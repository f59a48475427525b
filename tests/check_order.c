/* SPDX-License-Identifier: MIT */
/* Kernels that follow each other see all that those before them wrote, also where
 * their blocks are in place before those have ended: long chains in which every
 * element is read by another block than wrote it, called and replayed. */
#include <math.h>

#include "tests/graph_device.h"

static const size_t lengths[] = {1, 33, 1025, 70000, 1000003};
enum { NLENGTH = sizeof lengths / sizeof *lengths, STEPS = 400 };

/* b = a reversed, plus one; a = b reversed, plus one. */
static void step(GpuArray *to, const GpuArray *from)
{
  OK(GpuArray_eval_into(to, "x[::-1] + 1", GA_ARGS(ga_array("x", from))));
}

static void expect(const GpuArray *a, size_t n, int steps)
{
  ck_assert(at(a, 0) == (float)steps);
  ck_assert(at(a, n / 2) == (float)(n / 2) / 8 + (float)steps);
  ck_assert(at(a, n - 1) == (float)(n - 1) / 8 + (float)steps);
}

static GpuArray start(size_t n)
{
  GpuArray i, a;
  OK(GpuArray_arange(&i, ctx, GA_FLOAT, 0, (double)n, 1));
  OK(GpuArray_eval(&a, ctx, "i / 8", GA_ARGS(ga_array("i", &i))));
  GpuArray_clear(&i);
  return a;
}

START_TEST(chain_of_calls_is_in_order)
{
  size_t n = lengths[_i];
  GpuArray a = start(n), b = zeros(n);
  for (int i = 0; i < STEPS; i += 2) {
    step(&b, &a);
    step(&a, &b);
  }
  expect(&a, n, STEPS);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}
END_TEST

START_TEST(chain_in_a_graph_is_in_order)
{
  size_t n = lengths[_i];
  GpuArray a = start(n), b = zeros(n);
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  for (int i = 0; i < 20; i += 2) {
    step(&b, &a);
    step(&a, &b);
  }
  g = end();
  for (int i = 0; i < STEPS / 20; i++) OK(gpugraph_replay(g));
  expect(&a, n, STEPS);
  gpugraph_free(g);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
}
END_TEST

/* Small kernels after large ones and the other way round, temporaries handed on at
 * once, a reduction's scratch and tickets used again and again. */
static void mixed(GpuArray *sum, GpuArray *x, GpuArray *big)
{
  OK(GpuArray_eval_into(big, "big*0 + x[0]", GA_ARGS(ga_array("big", big), ga_array("x", x))));
  OK(GpuArray_eval_into(sum, "sum(big) / 1000003", GA_ARGS(ga_array("big", big))));
  OK(GpuArray_eval_into(x, "x*0 + s + 1", GA_ARGS(ga_array("x", x), ga_array("s", sum))));
}

START_TEST(reductions_between_maps_are_in_order)
{
  GpuArray x = zeros(5), big = zeros(1000003), sum;
  gpugraph *g;
  OK(GpuArray_zeros(&sum, ctx, GA_FLOAT, 0, NULL, GA_C_ORDER));
  for (int i = 0; i < 30; i++) mixed(&sum, &x, &big);
  OK(gpugraph_begin(ctx));
  for (int i = 0; i < 5; i++) mixed(&sum, &x, &big);
  g = end();
  for (int i = 0; i < 6; i++) OK(gpugraph_replay(g));
  ck_assert_msg(fabsf(at(&x, 4) - 60) < 0.01f, "%f", (double)at(&x, 4));
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&big);
  GpuArray_clear(&sum);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(chain_of_calls_is_in_order, NLENGTH),
                                  CASE_LOOP(chain_in_a_graph_is_in_order, NLENGTH),
                                  CASE(reductions_between_maps_are_in_order), CASE_END};

int main(void) { return test_main_with("order", cases, open_context, close_context); }
