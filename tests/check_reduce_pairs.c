/* SPDX-License-Identifier: MIT */
/* Reductions whose operands are broadcast against each other: which have tiles of results, and
 * that their kernels, run on the host, give what the interpreter gives, to the bit. Skipped
 * where there is no C++ compiler. */
#include "tests/twins.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};

static const twin pairs[] = {
    {"sum((a - b)**2, axis=2)", "a=float32[256,1,64] b=float32[1,256,64]"},
    {"sum((a - b)**2, axis=2)", "a=float32[250,1,3] b=float32[1,261,3]"},
    {"sum((a - b)**2, axis=2)", "a=float32[250,1,2] b=float32[1,261,2]"},
    {"sum((a - b)**2, axis=2)", "a=float32[250,1,5] b=float32[1,261,5]"},
    {"sum((a - b)**2, axis=2)", "a=float32[250,1,40] b=float32[1,261,40]"},
    {"sum((a - b)**2, axis=2)", "a=float32[250,1,43] b=float32[1,261,43]"},
    {"sum((b - a)**2, axis=2)", "a=float32[250,1,128] b=float32[1,261,128]"},
    {"sum((b - a)**2, axis=2)", "a=float32[250,1,130] b=float32[1,261,130]"},
    {"sum((b - a)**2, axis=2)", "a=float32[200,1,256] b=float32[1,256,256]"},
    {"sum((b - a)**2, axis=2)", "a=float32[200,1,300] b=float32[1,256,300]"},
    {"sum((b - a)**2, axis=2)", "a=float32[200,1,512] b=float32[1,256,512]"},
    {"sum((b - a)**2, axis=2)", "a=float32[200,1,640] b=float32[1,256,640]"},
    {"sum((b - a)**2, axis=2)", "a=float32[193,1,1024] b=float32[1,256,1024]"},
    {"sum((b - a)**2, axis=2)", "a=float32[193,1,1025] b=float32[1,256,1025]"},
    {"sum((b - a)**2, axis=2)", "a=float32[193,1,3072] b=float32[1,256,3072]"},
    {"sum((b - a)**2, axis=2)", "a=float32[193,1,2500] b=float32[1,256,2500]"},
    {"sum(a*b, axis=1)", "a=float32[256,100,1] b=float32[1,100,256]"},
    {"sum(a*b, axis=1)", "a=float64[256,100,1] b=float64[1,100,256]"},
    {"sum(a*b, axis=1)", "a=float16[256,100,1] b=float16[1,100,259]"},
    {"sum(a*b, axis=1)", "a=int8[256,100,1] b=int8[1,100,256]"},
    {"sum(a*b, axis=0)", "a=int64[99,256,1] b=int64[99,1,256]"},
    {"sum(a*b, axis=0)", "a=float32[99,256,1] b=float32[99,1,256]/p201"},
    {"sum(a*b*w, axis=2) + c*d",
     "a=float32[256,1,77] b=float16[1,256,77] w=float64[77] c=float32[256,1] d=int8[256]"},
    {"max(abs(a - b), axis=3)", "a=float32[5,70,1,33] b=float32[5,1,80,33]"},
    {"max(abs(a - b), axis=2)", "a=float32[5,70,33,1] b=float32[5,1,33,80]"},
    {"any(a > b, axis=2)", "a=uint8[300,1,20] b=int16[1,300,20]"},
    {"min(a[::-1] + b[:, :, ::-1], axis=2)", "a=int32[5000,1,21] b=int32[1,8,21]"},
    {"min(a + b, axis=2)", "a=int32[10,1,21] b=int32[1,5001,21]"},
    {"sum(a*b, axis=2)", "a=float32[20,1,100] b=float32[1,3001,100]"},
    {"x = (a - b)**2; s = sum(x, axis=2); max(x, axis=2) - s",
     "a=float32[256,1,31] b=float32[256,31] s=new"},
    {"o = o + sum(a*b, axis=2); o*2", "a=float32[256,1,31] b=float32[254,31] o=float32[256,254]"},
    {"o = sum(a*b, axis=2)", "a=float32[256,1,31] b=float32[252,31] o=float32[256,252]/p10"},
    {"sum(a[1:]*b, axis=2)", "a=complex64[257,1,31] b=float32[252,31]"},
};
#define NPAIRS (sizeof pairs / sizeof pairs[0])

START_TEST(pairs_give_what_the_interpreter_gives)
{
  ga_program *p = program_of(pairs[_i].text, pairs[_i].spec);
  unsigned int n = stages_with(p, GA_SKEL_PAIRS, &target);
  ck_assert_msg(n == 1, "%s (%s): %u stages have tiles", pairs[_i].text, pairs[_i].spec, n);
  ga_program_free(p);
  compare(&pairs[_i], &target, _i);
}
END_TEST

static const twin others[] = {
    {"sum(a*b, axis=2)", "a=float32[4096,1,64] b=float32[4096,64]/p10"},
    {"sum(a*b, axis=1)", "a=float32[4096,4096] b=float32[4096]"},
    {"sum(a*b, axis=2)", "a=float32[4096,1,64] b=float32[7,64]"},
    {"sum(a*b, axis=2)", "a=float32[64,1,10000] b=float32[64,10000]"},
    {"argmax(a*b, axis=2)", "a=float32[4096,1,64] b=float32[4096,64]"},
    {"sum(a*b*c, axis=2)", "a=float32[512,1,64] b=float32[512,64] c=float32[512,512,1]"},
};

START_TEST(others_have_no_tiles)
{
  ga_program *p = program_of(others[_i].text, others[_i].spec);
  unsigned int n = stages_with(p, GA_SKEL_PAIRS, &target), want = _i == 0;
  ck_assert_msg(n == want, "%s (%s): %u stages", others[_i].text, others[_i].spec, n);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(pairs_give_what_the_interpreter_gives, NPAIRS),
    CASE_LOOP(others_have_no_tiles, sizeof others / sizeof others[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("reduce-pairs: no C++ compiler; no kernel was run\n");
  return test_main("reduce-pairs", cases);
}
