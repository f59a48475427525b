/* SPDX-License-Identifier: MIT */
/* Chains whose input lies in another order than the result: the kernel of each, run on the host,
 * gives what the interpreter gives stage by stage, to the bit. Nothing is run where there is no C++
 * compiler. */
#include "tests/chains.h"

#define LOG_SOFTMAX(x, axis)                                  \
  "x = " x "; d = x - max(x, axis=" axis ", keepdims=True); " \
  "d - log(sum(exp(d), axis=" axis ", keepdims=True))"
#define LAYER_NORM(x, axis)                                    \
  "x = " x "; d = x - mean(x, axis=" axis ", keepdims=True); " \
  "d / sqrt(mean(d*d, axis=" axis ", keepdims=True) + 1e-5)"
#define SOFTMAX_ALONG(x, axis)                                     \
  "x = " x "; t = exp(x - max(x, axis=" axis ", keepdims=True)); " \
  "t / sum(t, axis=" axis ", keepdims=True)"
#define CENTER(x, axis) "x = " x "; x - mean(x, axis=" axis ", keepdims=True)"
#define SHARE(x, axis)  "x = " x "; x / sum(abs(x), axis=" axis ", keepdims=True)"

/* Boxes of two axes to four, whole ones and parts, rows of one lane and several, runs of one axis
 * and several, elements of one byte to eight, results that rows have one of. */
static const twin boxes[] = {
    {LOG_SOFTMAX("a.T", "2"), "a=bfloat16[48,3,37,3]"},
    {LAYER_NORM("a.T", "0"), "a=bfloat16[70,3,11,3]"},
    {SHARE("a.T", "4"), "a=bfloat16[32,6,5,33,2]"},
    {CENTER("a.T", "1"), "a=float64[7,12,2,45]"},
    {SHARE("a.T", "1"), "a=float32[24,3,77]"},
    {SHARE("swapaxes(swapaxes(a, 1, 2), 0, 1)", "1"), "a=bfloat16[5,131,100]"},
    {LOG_SOFTMAX("a.T", "0"), "a=float64[77,3,5,2,3]"},
    {LAYER_NORM("a.T", "2"), "a=float32[48,71,2]"},
    {CENTER("a.T", "0"), "a=float16[40,31,130]"},
    {LOG_SOFTMAX("a.T", "0"), "a=float64[37,47]"},
    {SHARE("a.T", "0"), "a=float16[67,509]"},
    {LAYER_NORM("a.T", "0"), "a=float32[41,181]"},
    {LAYER_NORM("a.T", "1"), "a=float16[37,9,71]"},
    {"x = a.T; x - max(x, axis=1, keepdims=True)", "a=int8[41,5,67]"},
    {"x = a.T; m = max(x, axis=1); x*2 - m[:, None]", "a=int16[41,5,67] m=new"},
    {"x = a.T; m = max(x, axis=1, keepdims=True); x - m", "a=int64[41,5,67] m=new"},
    {SHARE("a.T", "1"), "a=complex64[41,5,67]"},
    {SHARE("a.T", "0"), "a=float32[33,7,2]"},
    {LAYER_NORM("a", "1"), "a=float16[40,33,3,65]/p1320"},
    {LOG_SOFTMAX("a.T", "2"), "a=bfloat16[71,64,4,5]"},
    {LAYER_NORM("a.T", "2") "*g + b", "a=float32[48,71,2] g=float32[48] b=float32[48]"},
    {LAYER_NORM("a.T", "1") "*g[:, None] + b",
     "a=float16[37,9,71] g=float16[9] b=float16[71,1,37]"},
    {"x = a.T; t = x*v; t - mean(t, axis=1, keepdims=True) + w",
     "a=bfloat16[41,5,67] v=bfloat16[5,1] w=int8[67,1,1]"},
    /* short rows along the result whose last four lacks two elements */
    {LAYER_NORM("a", "1"), "a=float16[531,17]/p10"},
    {SHARE("a", "1"), "a=float64[301,3]/p10"},
    /* of several axes, apart and not, in one order and two */
    {SHARE("a", "(0,2)"), "a=float16[8,777,5]"},
    {SOFTMAX_ALONG("a", "(0,3)"), "a=bfloat16[17,71,8,4]/p3210"},
    {SOFTMAX_ALONG("a", "(2,4)"), "a=float16[71,7,3,8,17]/p43210"},
    {LOG_SOFTMAX("a", "(1,3)"), "a=float16[3,65,85,3]"},
    {SOFTMAX_ALONG("a", "(1,4)"), "a=float64[2,17,3,47,7]"},
    {LOG_SOFTMAX("a", "(1,3)"), "a=float64[3,41,10,5,17]"},
    {LAYER_NORM("a", "(2,3)"), "a=float32[3,10,100,5,22]/p10342"},
    {LAYER_NORM("a", "(1,4)"), "a=float64[42,40,5,3,3]/p43210"},
    {SHARE("a", "(0,3)"), "a=bfloat16[32,3,7,8,48]"},
    {CENTER("a", "(1,2)"), "a=bfloat16[144,128,2]/p210"},
    {CENTER("a", "(0,2,4)"), "a=float32[7,5,6,13,6]"},
    {LAYER_NORM("a", "(0,2)") "*g + b", "a=float16[9,77,31] g=float16[77,1] b=float16[9,1,31]"},
    {LAYER_NORM("a[1:, :, 1:]", "(0,2)"), "a=float32[10,77,33]"},
    {"m = max(a, axis=(0,2)); a*2 - m[:, None]", "a=int16[11,67,5] m=new"},
    /* two rows and three off vectors */
    {LAYER_NORM("a", "1"), "a=bfloat16[8,2,4193]"},
    {SOFTMAX_ALONG("a", "0"), "a=float16[3,7001]"},
    {CENTER("a", "1"), "a=bfloat16[3,3,777]"},
    /* rows that have elements in common */
    {SHARE("a", "(1,2)"), "a=float32[1000,3,5]/o"},
    {CENTER("a", "(0,2)"), "a=float16[3,101,7]/o"},
};

START_TEST(boxes_give_what_stages_give)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(boxes[_i].text, boxes[_i].spec);
  ga_variant v;
  ga_layout l;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &target));
  ck_assert_msg(v.skeleton == GA_SKEL_CHAIN_BOXES, "%s (%s)", boxes[_i].text, boxes[_i].spec);
  ga_layout_clear(&l);
  ga_program_free(p);
  check_chain(&boxes[_i], 1, _i);
}
END_TEST

/* Rows of more than a kilobyte along the input are a kernel a level. */
static const struct {
  const char *text, *spec;
  int fits;
} longest[] = {
    {SHARE("a.T", "0"), "a=float16[90001,512]", 1},
    {SHARE("a.T", "0"), "a=float16[90001,513]", 0},
};

START_TEST(long_rows_along_the_input_are_no_boxes)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(longest[_i].text, longest[_i].spec);
  ga_layout l;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  ck_assert_int_eq(ga_gen_chain_fits(&p->chains[0].stage, &l, align, &target), longest[_i].fits);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Elements of the box along the result's fastest axis: a line, or as many as 84 KB have room for.
 */
static const struct {
  const char *text, *spec;
  unsigned int run;
} runs[] = {
    {LAYER_NORM("a", "1"), "a=float16[128,33,244,65]/p1320", 32},
    {SHARE("a", "1"), "a=bfloat16[1000,5,13422]/p120", 64},
    {SHARE("a", "1"), "a=float64[2040,32,257]/p210", 16},
    {SHARE("a", "0"), "a=float64[258,65,1001]/p021", 4}, /* 8: 87 KB */
};

START_TEST(results_have_long_runs)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(runs[_i].text, runs[_i].spec);
  ga_variant v;
  ga_layout l;
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &target));
  ck_assert_int_eq(v.skeleton, GA_SKEL_CHAIN_BOXES);
  ck_assert_msg(v.box_extent[0] == runs[_i].run, "%s (%s): runs of %u", runs[_i].text,
                runs[_i].spec, v.box_extent[0]);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(results_have_long_runs, sizeof runs / sizeof runs[0]),
    CASE_LOOP(long_rows_along_the_input_are_no_boxes, sizeof longest / sizeof longest[0]),
    CASE_LOOP(boxes_give_what_stages_give, sizeof boxes / sizeof boxes[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("chain-boxes: no C++ compiler; nothing was run\n");
  return test_main("chain-boxes", cases);
}
