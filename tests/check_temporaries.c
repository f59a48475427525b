/* SPDX-License-Identifier: MIT */
/* How temporaries lie between a reduction and what reads it: as the reduction's input where its
 * rows of memory would be cut else, in C order otherwise, and what comes of it. */
#include "tests/device.h"
#include "tests/program.h"
#include "tests/values.h"

#include "gpuarray.h"

/* Bytes of a step along each axis, as the last stage reads the first temporary. */
static const struct {
  const char *text, *spec;
  ssize_t steps[4];
} orders[] = {
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[2,40,300]/p120", {2, 0, 4}},
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[15,40,300]/p120", {2, 0, 30}},
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[16,40,300]/p120", {600, 0, 2}},
    {"a - mean(a, axis=1, keepdims=True)", "a=float64[3,40,300]/p120", {8, 0, 24}},
    {"a - mean(a, axis=1, keepdims=True)", "a=float64[4,40,300]/p120", {2400, 0, 8}},
    {"a - max(a, axis=0, keepdims=True)", "a=float32[9,7,17,5]/p2031", {0, 4, 140, 28}},
    /* C order, rows, an axis between that is reduced, only one that is kept */
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[3,40,2]", {4, 0, 2}},
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[2,40,30]/p021", {60, 0, 2}},
    {"a - mean(a, axis=1, keepdims=True)", "a=bfloat16[2,40,30]/p210", {60, 0, 2}},
    {"a - mean(a, axis=(1,2), keepdims=True)", "a=bfloat16[2,40,30]/p120", {2, 0, 0}},
    /* read by a view of it */
    {"m = max(a, axis=1, keepdims=True); a - m[::-1]", "a=bfloat16[2,40,30]/p120", {-60, 0, 2}},
};

START_TEST(temporaries_lie_as_told)
{
  ga_program *p = program_of(orders[_i].text, orders[_i].spec);
  const ga_stage *st = &p->stages[p->nstage - 1];
  const ga_operand *o = NULL;
  for (unsigned int i = 0; i < st->noperand && o == NULL; i++)
    if (p->slots[st->operands[i].slot].kind == GA_SLOT_TEMP) o = &st->operands[i];
  ck_assert_msg(o != NULL, "%s: no temporary", orders[_i].text);
  for (unsigned int k = 0; k < st->nd; k++)
    ck_assert_msg(o->strides[k] == orders[_i].steps[k], "%s (%s): axis %u steps by %zd",
                  orders[_i].text, orders[_i].spec, k, o->strides[k]);
  ga_program_free(p);
}
END_TEST

/* The same values in C order and with the first axis fastest give the same. */
static const char *const texts[] = {
    "a - max(a, axis=1, keepdims=True)",
    "m = max(a, axis=1, keepdims=True); a*2 - m - min(a - m, axis=1, keepdims=True)",
    "m = max(a, axis=1, keepdims=True); a - m[::-1]",
    "m = max(a, axis=1); m[:, None] + a + min(m, axis=0)",
    "m = max(a, axis=1); n = min(a, axis=1); (m - n)[:, None] - a*m[:, None]",
    "m = max(a, axis=1, keepdims=True); max(a - m, axis=(0, 2))",
    "m = max(a, axis=1); a + cumsum(m, axis=1)[:, None]",
    "m = max(a, axis=1); a[:, :, :4] + m[:, None, 1:5]",
    "m = max(a, axis=1); a + m[:, None] + sum(m)",
};

START_TEST(order_in_memory_changes_nothing)
{
  enum { N = 3 * 4 * 5 };
  gpucontext *ctx = test_context();
  double values[N], want[N];
  size_t n = 1;
  GpuArray a, t, f, r;
  for (int i = 0; i < N; i++) values[i] = i * 7919 % 61;
  make(ctx, &a, GA_FLOAT, GA_DIMS(3, 4, 5), values);
  OK(GpuArray_eval(&r, ctx, texts[_i], GA_ARGS(ga_array("a", &a))));
  for (unsigned int k = 0; k < r.nd; k++) n *= r.dimensions[k];
  OK(GpuArray_tohost(want, n * sizeof *want, GA_DOUBLE, &r));
  GpuArray_clear(&r);
  OK(GpuArray_eval(&t, ctx, "transpose(a, (1, 2, 0)) + 0", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_transpose(&f, &t, (unsigned int[]){2, 0, 1}));
  ck_assert_int_eq(f.strides[0], 4);
  OK(GpuArray_eval(&r, ctx, texts[_i], GA_ARGS(ga_array("a", &f))));
  expect(&r, n, want);
  GpuArray_clear(&r);
  GpuArray_clear(&f);
  GpuArray_clear(&t);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(temporaries_lie_as_told, sizeof orders / sizeof orders[0]),
    CASE_LOOP(order_in_memory_changes_nothing, sizeof texts / sizeof texts[0]),
    CASE_END,
};

int main(void) { return test_main("temporaries", cases); }
