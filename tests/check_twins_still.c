/* SPDX-License-Identifier: MIT */
/* Reductions of elements less, or beside, what stands still along the reduced axes, as a mean of
 * each column does: which kernels they take, and that those give what the interpreter gives
 * (twins.h). */
#include "tests/twins.h"

static const twin twins[] = {
    {"sum((a - m)*(a - m), axis=(0, 2))", "a=float32[501,33,3] m=float32[33,1]"},
    {"sum((a - m)*b, axis=(0, 2))", "a=float16[801,77,7] b=float16[801,77,7] m=float32[77,1]"},
    {"max(a - m, axis=(0, 2)) - c", "a=float16[91,77,7] m=float16[77,1] c=float16[77]"},
    {"mean(abs(a - m), axis=(0, 2))", "a=float32[47,5,255] m=float32[5,1]"},
    {"sum((a - m)*(a - m), axis=(0, 2))", "a=float64[40,7,100] m=float64[7,1]"},
    {"sum((a - m)*(a - m), axis=1)", "a=float64[9,3000] m=float64[9,1]"},
    {"sum(abs(a - m), axis=1)", "a=float32[5,1500,300] m=float32[5,1,300]"},
    {"sum((a - m)*(a - m), axis=0)", "a=float16[3000,33] m=float16[33]"},
    {"sum((a[:, 1:] - m)*2, axis=0)", "a=float32[2100,34] m=float32[33]"},
    {"sum((a[:, 1:] - m)*2, axis=0)", "a=float16[2100,4] m=float16[3]"},
    {"sum(a - m[::-1], axis=1)", "a=bfloat16[3,2100,12] m=bfloat16[3,1,12]"},
    {"max(a - m, axis=0)", "a=float16[2100,5] m=float16[5]"},
    {"any(a > m, axis=0)", "a=int8[2100,70] m=int8[70]"},
    {"sum(a > m, axis=0)", "a=int8[2100,63] m=float32[63]"},
    {"sum((a - m)*(a - m), axis=0)", "a=int8[2100,64] m=float32[64]"},
};

START_TEST(kernel_gives_what_the_interpreter_gives) { compare(&twins[_i], &large_card, _i); }
END_TEST

/* What stands still beside columns, as a mean of each, keeps them from no kernel but where that is
 * as fast; small outer elements are no tiles. */
static const struct {
  twin twin;
  enum ga_skeleton skeleton;
} kernels[] = {
    {{"sum((a - m)*(a - m), axis=0)", "a=float16[3000,33] m=float16[33]"}, GA_SKEL_NARROW},
    {{"sum((a - m)*(a - m), axis=0)", "a=float32[3000,64] m=float32[64]"}, GA_SKEL_NARROW},
    {{"sum(exp(a - m), axis=0)", "a=float32[3000,63] m=float32[63]"}, GA_SKEL_NARROW},
    {{"sum(exp(a - m), axis=0)", "a=float32[3000,64] m=float32[64]"}, GA_SKEL_COLUMNS},
    {{"sum(exp(a - m), axis=0)", "a=float16[3000,64] m=float16[64]"}, GA_SKEL_NARROW},
    {{"max(a - m, axis=0)", "a=int8[3000,64] m=float32[64]"}, GA_SKEL_COLUMNS},
    {{"max(a - m, axis=0)", "a=int8[3000,65] m=float32[65]"}, GA_SKEL_NARROW},
    {{"max(a[:, 1:] - m, axis=0)", "a=float16[3000,4] m=float16[3]"}, GA_SKEL_COLUMNS},
    {{"max(a[:, 1:] - m, axis=0)", "a=float16[3000,5] m=float16[4]"}, GA_SKEL_NARROW},
    {{"max(a[:, :, 1:], axis=1)", "a=bfloat16[257,255,10]"}, GA_SKEL_COLUMNS},
    {{"max(a[:, :, 1:], axis=1)", "a=bfloat16[256,255,10]"}, GA_SKEL_NARROW},
    {{"max(a[:, :, 1:], axis=1)", "a=bfloat16[257,256,10]"}, GA_SKEL_NARROW},
    {{"max(a[:, :, 1:], axis=1)", "a=bfloat16[257,255,11]"}, GA_SKEL_NARROW},
};
#define NKERNELS (sizeof kernels / sizeof kernels[0])

START_TEST(stages_take_these_kernels)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(kernels[_i].twin.text, kernels[_i].twin.spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_msg(v.skeleton == kernels[_i].skeleton, "%s: %d", kernels[_i].twin.text, v.skeleton);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(stages_take_these_kernels, NKERNELS),
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, sizeof twins / sizeof twins[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins-still: no C++ compiler; nothing was run\n");
  return test_main("twins-still", cases);
}
