/* SPDX-License-Identifier: MIT */
/* Reductions in no order whose operands or results are fast along different axes: which go by
 * boxes that threads walk along, and that their kernels, run on the host, give what the
 * interpreter gives, to the bit. Skipped where there is no C++ compiler. */
#include "tests/stages.h"
#include "tests/twins.h"

static const ga_target target = {2, 227 * 1024, 0, 0, 0};

static const twin walks[] = {
    {"any(a > b, axis=0)", "a=uint8[45,67,100]/p021 b=uint8[45,67,100]"},
    {"any(a > b, axis=2)", "a=uint8[12,16,11,18,9]/p43210 b=uint8[12,16,11,18,9]/p21304"},
    {"sum(abs(a - b), axis=2)", "a=uint16[65,33,24,6,3]/p43210 b=uint16[65,33,24,6,3]"},
    {"max(a, axis=1) - min(a, axis=1)", "a=uint16[3001,5,31]/p210"},
    {"sum(abs(a - b), axis=(0,1))", "a=int8[33,8,502] b=int8[33,8,502]/p210"},
    {"min(a, axis=1)", "a=int8[441,12,5,31]/p3210"},
    {"argmax(a, axis=1)", "a=uint16[528,8,25,2]/p3210"},
    {"sum(a, axis=4)", "a=uint8[37,4,3,8,96]/p43210"},
    {"sum(abs(a - b), axis=3)", "a=uint32[9,9,31,127]/p3012 b=uint32[9,9,31,127]/p3210"},
    {"sum(a*b[:, ::-1], axis=1)", "a=uint16[40,50,60] b=uint16[40,50,60]/p210"},
    {"sum(a*b[:, :, ::2], axis=1)", "a=int64[40,50,60]/p210 b=int64[40,50,120]"},
    {"max(a*b, axis=1) + c", "a=float32[40,50,60]/p210 b=float32[40,50,60] c=float32[40,1]"},
    {"sum(a*w*b, axis=1)", "a=int32[30,50,60]/p210 b=int32[30,50,60] w=int32[50,1]"},
    {"sum(a*w, axis=1)", "a=int16[300,50,6]/p210 w=int16[300,1,6]"},
    {"any(a > b, axis=1)", "a=complex128[20,50,40]/p210 b=complex128[20,50,40]"},
    {"max(a*b, axis=(1,2)) + c",
     "a=bfloat16[100,7,31,40]/p3210 b=int8[100,7,31,40] c=float32[100,40]"},
    {"sum(a*b*(a > 0), axis=0, where=b < 50)", "a=int8[70,65,61]/p021 b=int8[70,65,61]"},
    {"argmin(a, axis=0)", "a=float32[7,265,61]/p021"},
    {"argmin(a - b, axis=0)", "a=float32[70,65,61]/p021 b=float32[70,65,61]"},
    {"x = a*b; s = sum(x, axis=1); max(x, axis=1) - s",
     "a=int16[40,50,60]/p210 b=int16[40,50,60] s=new"},
};
#define NWALKS (sizeof walks / sizeof walks[0])

START_TEST(walks_give_what_the_interpreter_gives)
{
  ga_program *p = program_of(walks[_i].text, walks[_i].spec);
  unsigned int n = stages_with(p, GA_SKEL_WALKS, &target);
  ck_assert_msg(n == 1, "%s (%s): %u stages walk", walks[_i].text, walks[_i].spec, n);
  ga_program_free(p);
  compare(&walks[_i], &target, _i);
}
END_TEST

/* How many stages of a text walk on a large card. */
static const struct {
  twin twin;
  unsigned int stages;
} kinds[] = {
    {{"any(a > b, axis=0)", "a=uint8[1341,1001,100]/p021 b=uint8[1341,1001,100]"}, 1},
    {{"any(a > b, axis=0)", "a=uint8[22,1001,100]/p021 b=uint8[22,1001,100]"}, 1},
    {{"any(a > b, axis=0)", "a=uint8[21,1001,100]/p021 b=uint8[21,1001,100]"}, 0},
    {{"any(a > b, axis=0)", "a=uint8[1341,1001,100] b=uint8[1341,1001,100]"}, 0},
    {{"sum(a*b, axis=0)", "a=float32[1341,1001,100]/p021 b=float32[1341,1001,100]"}, 0},
    {{"max(a*b, axis=0)", "a=float32[1341,1001,100]/p021 b=float32[1341,1001,100]"}, 1},
    {{"max(a*b, axis=0)", "a=float32[1341,1001,8]/p021 b=float32[1341,1001,8]"}, 0},
    {{"max(a*b, axis=2)", "a=int16[1341,101,1000]/p021 b=int16[1341,101,1000]"}, 0},
    {{"min(a, axis=1)", "a=int8[144320,12,5,31]/p3210"}, 1},
    {{"min(a, axis=1)", "a=int8[12320,140,5,31]/p3210"}, 0},
    {{"argmax(a, axis=1)", "a=uint16[32768,8,256,2]/p3210"}, 1},
    {{"var(a, axis=1)", "a=int16[32768,8,256,2]/p3210"}, 1},
    {{"max(a[:, :, ::3]*b, axis=0)", "a=int16[134,100,3003]/p012 b=int16[134,100,1001]/p021"}, 0},
};

START_TEST(these_stages_walk)
{
  static const ga_target large = {132, 227 * 1024, 0, 0, 0};
  ga_program *p = program_of(kinds[_i].twin.text, kinds[_i].twin.spec);
  unsigned int n = stages_with(p, GA_SKEL_WALKS, &large);
  ck_assert_msg(n == kinds[_i].stages, "%s (%s): %u stages", kinds[_i].twin.text,
                kinds[_i].twin.spec, n);
  ga_program_free(p);
}
END_TEST

/* Past 2^32 bytes, in a space that is mostly holes: maxima of [3, 3000, 12] along the last axis,
 * which lies outside of the second in memory. */
START_TEST(walks_reach_far)
{
  const ssize_t gap = ((ssize_t)1 << 32) + 64, from[] = {gap, 4, 12000}, to[] = {4, 12, 0};
  const size_t space = (size_t)3 * (size_t)gap;
  static int32_t got[9000];
  char *base[2] = {NULL, (char *)got};
  stage_box b;
  ga_variant v;
  ga_layout l;
  base[0] =
      mmap(NULL, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (!host_kernel_available() || base[0] == MAP_FAILED) return;
  box_init(&b, 3, (size_t[]){3, 3000, 12}, "kkr");
  int a = box_operand(&b, GA_DT_INT32, from, BOX_IN);
  int o = box_operand(&b, GA_DT_INT32, to, BOX_OUT);
  box_store(&b, o, box_reduce(&b, GA_REDUCE_max, box_load(&b, a, 0), -1));
  OK(ga_layout_make(&l, &b.st));
  OK(ga_variant_choose(&v, &b.st, &l, (unsigned char[]){0, 0}, &target));
  ck_assert(v.skeleton == GA_SKEL_WALKS && v.wide);
  ga_layout_clear(&l);
  for (int n = 0; n < 9000 * 12; n++) {
    int32_t x = n % 97 * 31 % 89 + n / 36000;
    memcpy(base[0] + n / 36000 * gap + n / 12 % 3000 * 4 + n % 12 * 12000, &x, 4);
  }
  host_kernel_run(&b.st, base, NULL, &target, 0, NULL);
  for (int k = 0; k < 9000; k++) {
    int32_t most = 0;
    for (int n = 12 * k; n < 12 * k + 12; n++) {
      int32_t x = n % 97 * 31 % 89 + n / 36000;
      if (x > most) most = x;
    }
    ck_assert_int_eq(got[k / 3000 + k % 3000 * 3], most);
  }
  munmap(base[0], space);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(walks_give_what_the_interpreter_gives, NWALKS),
    CASE(walks_reach_far),
    CASE_LOOP(these_stages_walk, sizeof kinds / sizeof kinds[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("reduce-walks: no C++ compiler; no kernel was run\n");
  return test_main("reduce-walks", cases);
}
