/* SPDX-License-Identifier: MIT */
/* Graphs: arrays and numbers changed between replays. */
#include "tests/graph_device.h"

START_TEST(names_get_other_arrays_and_numbers)
{
  GpuArray x = ramp(100, 0), y = ramp(100, 50), r, s;
  int64_t shift = 3;
  short half = 2;
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "t = k*x; t + shift - sum(t)*0",
                   GA_ARGS(ga_array("x", &x), ga_float("k", 2), ga_int("shift", shift))));
  OK(GpuArray_eval(
      &s, ctx, "sum(r*k) * half",
      GA_ARGS(ga_array("r", &r), ga_float("k", 2), ga_scalar("half", GA_SHORT, &half))));
  g = end();
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 99) == 201 && at(&s, 0) == 2 * (9900 + 300) * 2);
  OK(gpugraph_set(g, GA_ARGS(ga_float("k", 3))));
  OK(gpugraph_set(g, GA_ARGS(ga_array("x", &y), ga_int("shift", -1))));
  half = 1;
  OK(gpugraph_set(g, GA_ARGS(ga_scalar("half", GA_SHORT, &half))));
  refs(1, &x);
  refs(2, &y);
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 99) == 3 * 149 - 1 && at(&s, 0) == 3 * (3 * 9950 - 100));
  GpuArray_clear(&y);
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 0) == 149);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&r);
  GpuArray_clear(&s);
}
END_TEST

/* A call on no elements is no node; its arguments have their names all the same. */
START_TEST(calls_on_nothing_have_names)
{
  GpuArray x = ramp(10, 0), none, y = zeros(0), r, s;
  gpugraph *g;
  OK(GpuArray_slice(&none, &x, ":0"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "k*x", GA_ARGS(ga_array("x", &none), ga_float("k", 2))));
  OK(GpuArray_eval(&s, ctx, "h + z", GA_ARGS(ga_array("z", &x), ga_float("h", 1))));
  g = end();
  OK(gpugraph_set(g, GA_ARGS(ga_float("k", 3))));
  OK(gpugraph_set(g, GA_ARGS(ga_array("x", &y))));
  OK(gpugraph_set(g, GA_ARGS(ga_float("h", 5))));
  OK(gpugraph_replay(g));
  ck_assert(at(&s, 9) == 14 && r.dimensions[0] == 0);
  gpugraph_free(g);
  GpuArray_clear(&none);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&r);
  GpuArray_clear(&s);
}
END_TEST

START_TEST(two_arrays_swap)
{
  GpuArray x = ramp(10, 0), y = zeros(10);
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval_into(&y, "x + 1", GA_ARGS(ga_array("x", &x))));
  g = end();
  for (int i = 0; i < 10; i++) {
    OK(gpugraph_replay(g));
    OK(gpugraph_replace(g, 2, (const GpuArray *[]){&x, &y}, (const GpuArray *[]){&y, &x}));
  }
  ck_assert(at(&x, 9) == 19 && at(&y, 9) == 18);
  refs(2, &x);
  gpugraph_free(g);
  refs(1, &x);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}
END_TEST

/* One array under two names, and two numbers under one. */
START_TEST(one_array_does_not_become_two)
{
  GpuArray x = ramp(4, 0), y = ramp(4, 10), z = ramp(4, 100), r;
  const GpuArray *old[2] = {&x, &x}, *by[2] = {&y, &z};
  gpugraph *g;
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&r, ctx, "k*(p + 2*q)",
                   GA_ARGS(ga_array("p", &x), ga_array("q", &x), ga_int("k", 1))));
  g = end();
  FAILS(GA_VALUE_ERROR, "argument 'q' was captured as one array with another",
        gpugraph_set(g, GA_ARGS(ga_array("p", &y), ga_array("q", &z))));
  FAILS(GA_VALUE_ERROR, "array 1 was captured as one array", gpugraph_replace(g, 2, old, by));
  FAILS(GA_VALUE_ERROR, "argument 'k' is given twice",
        gpugraph_set(g, GA_ARGS(ga_int("k", 2), ga_int("k", 3))));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 3) == 9);
  OK(gpugraph_set(g, GA_ARGS(ga_array("p", &y), ga_array("q", &y))));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 3) == 39);
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
  GpuArray_clear(&r);
}
END_TEST

/* Rows of one matrix, one after the other. */
START_TEST(views_are_arrays_of_their_own)
{
  GpuArray m = square(8, 0), first, row, sum;
  gpugraph *g;
  OK(GpuArray_slice(&first, &m, "0"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(&sum, ctx, "sum(row)", GA_ARGS(ga_array("row", &first))));
  g = end();
  FAILS(GA_VALUE_ERROR, "in none of the captured calls",
        gpugraph_replace(g, 1, (const GpuArray *[]){&m}, (const GpuArray *[]){&m}));
  for (int i = 0; i < 8; i++) {
    char index[2] = {(char)('0' + i), 0};
    OK(GpuArray_slice(&row, &m, index));
    OK(gpugraph_set(g, GA_ARGS(ga_array("row", &row))));
    OK(gpugraph_replay(g));
    ck_assert(at(&sum, 0) == 28 + 64 * i);
    GpuArray_clear(&row);
  }
  gpugraph_free(g);
  GpuArray_clear(&sum);
  GpuArray_clear(&first);
  GpuArray_clear(&m);
}
END_TEST

/* Two outputs, each between the elements of the other, of a call that reads both reversed:
 * one may go where the call reads, but not where it writes the other. */
START_TEST(outputs_stay_apart)
{
  GpuArray m = ramp(64, 0), x, y, z, onto;
  const GpuArray *old[1] = {&y}, *by[1] = {&onto};
  gpugraph *g;
  OK(GpuArray_slice(&x, &m, "0:32:8"));
  OK(GpuArray_slice(&y, &m, "28::-8"));
  OK(GpuArray_slice(&z, &m, "60:32:-8"));
  OK(GpuArray_slice(&onto, &m, "24::-8"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval(NULL, ctx, "x = x[::-1] + y; y = x + z[::-1]",
                   GA_ARGS(ga_array("x", &x), ga_array("y", &y), ga_array("z", &z))));
  g = end();
  FAILS(GA_VALUE_ERROR, "would share memory", gpugraph_set(g, GA_ARGS(ga_array("y", &onto))));
  FAILS(GA_VALUE_ERROR, "would share memory", gpugraph_replace(g, 1, old, by));
  OK(gpugraph_set(g, GA_ARGS(ga_array("y", &z))));
  gpugraph_free(g);
  GpuArray_clear(&m);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
  GpuArray_clear(&onto);
}
END_TEST

/* Every refusal, after which the graph is as it was. */
START_TEST(wrong_updates_change_nothing)
{
  GpuArray x = ramp(100, 0), y = ramp(100, 50), r = zeros(100), longer = ramp(101, 0), off, flipped,
           wrong, readonly, part, u8;
  const GpuArray *old[1] = {&x}, *by[1] = {&y}, *cleared[1] = {&wrong};
  size_t n = 100;
  gpugraph *g;
  OK(GpuArray_cast(&u8, &x, GA_UBYTE));
  memset(&wrong, 0, sizeof wrong);
  OK(GpuArray_slice(&off, &longer, "1:"));
  OK(GpuArray_slice(&flipped, &y, "::-1"));
  OK(GpuArray_fromdata(&readonly, y.data, 0, GA_FLOAT, 1, &n, NULL, 0));
  OK(GpuArray_slice(&part, &longer, ":-1"));
  OK(gpugraph_begin(ctx));
  OK(GpuArray_eval_into(&r, "x*k", GA_ARGS(ga_array("x", &x), ga_float("k", 2))));
  OK(GpuArray_eval_into(&part, "x + j", GA_ARGS(ga_array("x", &x), ga_int("j", 7))));
  OK(GpuArray_eval_into(&u8, "u + i", GA_ARGS(ga_array("u", &u8), ga_int("i", 1))));
  OK(GpuArray_eval_into(&r, "r + a", GA_ARGS(ga_array("r", &r), ga_float("a", 0))));
  OK(GpuArray_eval_into(&r, "r + a", GA_ARGS(ga_array("r", &r), ga_float("a", 1))));
  g = end();
#define BAD(text, ...) FAILS(GA_VALUE_ERROR, text, gpugraph_set(g, GA_ARGS(__VA_ARGS__)))
  BAD("no captured call has an argument 'q'; they have x, k, j, u, i, r, a", ga_float("q", 1));
  BAD("made by ga_int(), the captured one by ga_", ga_int("k", 1));
  BAD("made by ga_float(), the captured one by ga_", ga_float("x", 1));
  BAD("is NULL", ga_array("x", NULL));
  BAD("without data", ga_array("x", &wrong));
  BAD("is float32(101,), the captured one is float32(100,)", ga_array("x", &longer));
  BAD("is uint8(100,), the", ga_array("x", &u8));
  BAD("modulo 16 of 4, expected 0", ga_array("x", &off));
  BAD("other strides", ga_array("x", &flipped));
  BAD("is written and read-only", ga_array("r", &readonly));
  BAD("would share memory", ga_array("x", &r));
  BAD("300", ga_float("k", 5), ga_int("i", 300));
  BAD("one thing in call 3 and another in call 4", ga_float("a", 5));
  BAD("has no name", ga_float(NULL, 5));
  FAILS(GA_VALUE_ERROR, "argument 1", gpugraph_set(NULL, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 3", gpugraph_set(g, 1, NULL));
  FAILS(GA_VALUE_ERROR, "argument 1", gpugraph_replace(NULL, 0, NULL, NULL));
  FAILS(GA_VALUE_ERROR, "argument 3", gpugraph_replace(g, 1, NULL, by));
  FAILS(GA_VALUE_ERROR, "argument 4", gpugraph_replace(g, 1, old, NULL));
  FAILS(GA_VALUE_ERROR, "without data", gpugraph_replace(g, 1, cleared, by));
  FAILS(GA_VALUE_ERROR, "none of the captured", gpugraph_replace(g, 1, by, old));
  OK(gpugraph_set(g, 0, NULL));
  OK(gpugraph_replay(g));
  ck_assert(at(&r, 99) == 199 && at(&part, 99) == 106);
  refs(3, &y); /* its own and two views' */
  gpugraph_free(g);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&r);
  GpuArray_clear(&u8);
  GpuArray_clear(&off);
  GpuArray_clear(&part);
  GpuArray_clear(&flipped);
  GpuArray_clear(&readonly);
  GpuArray_clear(&longer);
}
END_TEST

static const test_case cases[] = {CASE(names_get_other_arrays_and_numbers),
                                  CASE(two_arrays_swap),
                                  CASE(calls_on_nothing_have_names),
                                  CASE(views_are_arrays_of_their_own),
                                  CASE(outputs_stay_apart),
                                  CASE(one_array_does_not_become_two),
                                  CASE(wrong_updates_change_nothing),
                                  CASE_END};

int main(void) { return test_main_with("graph_update", cases, open_context, close_context); }
