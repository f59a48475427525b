/* SPDX-License-Identifier: MIT */
/* Several operations in one loop (ga_steps) against the loops of one operation each, of every
 * instruction set and to the bit: all lengths up to some strips, addresses that are not aligned,
 * the destination in place of a source, nothing written past the end. */
#include <math.h>
#include <stdio.h>

#include "codegen/oploops.h"
#include "lib/cpu/loops.h"
#include "tests/common.h"

enum { MOST = 300, ROOM = (MOST + 2) * 8 };

static const enum ga_dtype dtypes[] = {GA_DT_FLOAT32, GA_DT_FLOAT64, GA_DT_INT32,
                                       GA_DT_UINT32,  GA_DT_INT64,   GA_DT_UINT64};
static const int ops[] = {GA_OP_add,  GA_OP_subtract, GA_OP_multiply, GA_OP_divide,  GA_OP_square,
                          GA_OP_sqrt, GA_OP_negative, GA_OP_absolute, GA_OP_maximum, GA_OP_minimum};

static unsigned char memory[GA_STEPS + 3][ROOM];

static void fill(enum ga_dtype t, unsigned char *p, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    static const double ends[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
    double x = (double)(rand() % 2001 - 1000) / 8;
    if (ga_dtypes[t].kind == 'f' && rand() % 8 == 0) x = ends[rand() % 5];
    if (t == GA_DT_FLOAT32) {
      float v = (float)x;
      memcpy(p + i * sizeof v, &v, sizeof v);
    } else if (t == GA_DT_FLOAT64) {
      memcpy(p + i * sizeof x, &x, sizeof x);
    } else {
      int64_t v = (int64_t)(x * 1e7);
      memcpy(p + i * ga_dtypes[t].size, &v, ga_dtypes[t].size);
    }
  }
}

/* NaN is NaN, whatever its bits. */
static void same_nan(enum ga_dtype t, unsigned char *p, size_t n)
{
  for (size_t i = 0; i < n; i++, p += ga_dtypes[t].size) {
    double d = 0;
    float f = 0;
    if (t == GA_DT_FLOAT64) memcpy(&d, p, sizeof d);
    if (t == GA_DT_FLOAT32) memcpy(&f, p, sizeof f);
    if (d != d || f != f) memset(p, 0xff, ga_dtypes[t].size);
  }
}

/* The same by loops of one operation, to `want`. */
static void one_by_one(enum ga_dtype t, size_t n, void *want, const void *const *src, size_t nstep,
                       const int *op, const int *arg, const unsigned char *step)
{
  static unsigned char spread[ROOM];
  memcpy(want, src[0], n * ga_dtypes[t].size);
  for (size_t k = 0; k < nstep; k++) {
    const void *y = src[k + 1];
    if (step[k] >= GA_STEP_ONE) {
      ga_cpu_fill(ga_dtypes[t].size, n, spread, y);
      y = spread;
    }
    const void *pair[2] = {arg[k] ? y : want, arg[k] ? want : y};
    ga_cpu_loop(op[k], t)(n, want, pair);
  }
}

/* Random steps on n elements of dtype t; with `over`, to where source number `over - 1` is. */
static void check_some(const ga_loops *l, enum ga_dtype t, size_t n, size_t over)
{
  const size_t size = ga_dtypes[t].size, nstep = 1 + (size_t)rand() % GA_STEPS;
  const void *src[GA_STEPS + 1];
  unsigned char want[ROOM], step[GA_STEPS], *dst = memory[GA_STEPS + 1] + 1;
  int op[GA_STEPS], arg[GA_STEPS];
  for (size_t k = 0; k <= nstep; k++) {
    src[k] = memory[k] + (size_t)rand() % 9;
    fill(t, (unsigned char *)(uintptr_t)src[k], n);
  }
  for (size_t k = 0; k < nstep; k++) {
    int s = -1;
    while (s < 0) {
      op[k] = ops[(size_t)rand() % (sizeof ops / sizeof *ops)];
      arg[k] = ga_ops[op[k] - GA_N_OP].nargs == 2 ? rand() % 2 : 0;
      s = ga_cpu_step(op[k], t, arg[k]);
    }
    int one = ga_ops[op[k] - GA_N_OP].nargs == 2 && rand() % 2 && k + 2 != over;
    step[k] = (unsigned char)(s + (one ? GA_STEP_ONE : 0));
  }
  one_by_one(t, n, want, src, nstep, op, arg, step);
  if (over > 0 && over <= nstep + 1) dst = (unsigned char *)(uintptr_t)src[over - 1];
  memset(dst + n * size, 0x5a, size);
  l->steps[t](n, dst, src, nstep, step);
  same_nan(t, want, n);
  same_nan(t, dst, n);
  ck_assert_msg(memcmp(dst, want, n * size) == 0, "%s %s: %zu elements, %zu steps from %d on",
                l->name, ga_dtypes[t].name, n, nstep, step[0]);
  for (size_t i = 0; i < size; i++) ck_assert_uint_eq(dst[n * size + i], 0x5a);
}

START_TEST(steps_are_the_operations)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
    for (size_t n = 0; n <= MOST; n++)
      for (size_t over = 0; over < 4; over++) check_some(l, dtypes[k], n, over);
}
END_TEST

START_TEST(numbers_take_the_place_of_nan)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  static const unsigned char step = GA_STEP_FILL_ONE;
  const float number = 2.5f;
  float x[MOST], r[MOST];
  if (l == NULL) return;
  for (size_t n = 0; n <= MOST; n++) {
    fill(GA_DT_FLOAT32, (unsigned char *)x, n);
    l->steps[GA_DT_FLOAT32](n, r, (const void *const[]){x, &number}, 1, &step);
    for (size_t i = 0; i < n; i++) {
      float want = isnan(x[i]) ? number : x[i];
      ck_assert_mem_eq(&r[i], &want, sizeof want);
    }
  }
}
END_TEST

START_TEST(there_are_no_other_steps)
{
  ck_assert_int_eq(ga_cpu_step(GA_OP_exp, GA_DT_FLOAT32, 0), -1);
  ck_assert_int_eq(ga_cpu_step(GA_OP_divide, GA_DT_INT32, 0), -1);
  ck_assert_int_eq(ga_cpu_step(GA_OP_add, GA_DT_FLOAT16, 0), -1);
  ck_assert_int_eq(ga_cpu_step(GA_OP_absolute, GA_DT_UINT32, 0), -1);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(steps_are_the_operations, GA_NISA),
    CASE_LOOP(numbers_take_the_place_of_nan, GA_NISA),
    CASE(there_are_no_other_steps),
    CASE_END,
};

int main(void) { return test_main("steps", cases); }
