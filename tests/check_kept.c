/* SPDX-License-Identifier: MIT */
/* What maps make once of inputs that stay along rows, and of numbers (codegen/gen_kept.h): which
 * kernel has it, and that it gives what the interpreter gives, also where a vector has elements of
 * two rows, or is cut by a row's end. */
#include "codegen/gen_kept.h"
#include "codegen/variant.h"
#include "tests/twins.h"

enum { D = GA_KEEPS_DIVISOR, B = D | GA_KEEPS_BFLOAT, R = GA_KEEPS_ROOT, F = GA_KEEPS_FUNCTION };

static const struct kept {
  twin twin;
  int skeleton, keeps;
} kept[] = {
    {{"a / b", "a=float16[1003] b=float16[1]"}, GA_SKEL_CONTIG, D},
    {{"a / 3.7", "a=bfloat16[1003]"}, GA_SKEL_CONTIG, B},
    {{"a / b", "a=complex64[1003] b=complex64[1]"}, GA_SKEL_CONTIG, D},
    {{"a / b", "a=complex128[1003] b=complex128[1]"},
     GA_SKEL_CONTIG,
     GA_KEEPS_NONE}, /* no vectors */
    {{"a + sqrt(b)", "a=float64[1003] b=float64[1]"}, GA_SKEL_CONTIG, R},
    {{"a + b", "a=float16[1003] b=float16[1]"}, GA_SKEL_CONTIG, GA_KEEPS_NONE},
    {{"a * sqrt(a)", "a=float16[1003]"}, GA_SKEL_CONTIG, GA_KEEPS_NONE},
    {{"b / a", "a=float16[1003] b=float16[1]"}, GA_SKEL_CONTIG, GA_KEEPS_NONE},
    /* rows of whole vectors */
    {{"(a - b) / sqrt(c + 1e-5)", "a=bfloat16[33,64] b=bfloat16[33,1] c=bfloat16[33,1]"},
     GA_SKEL_INNER,
     B | R},
    {{"(a - b) / c", "a=float32[3,11,64] b=float32[11,1] c=float64[3,1,1]"}, GA_SKEL_INNER, D},
    {{"a + b", "a=float16[33,64] b=float16[33,1]"}, GA_SKEL_INNER, GA_KEEPS_NONE},
    /* rows laid end to end */
    {{"(a - b) / sqrt(c + 1e-5)", "a=float16[33,61] b=float16[33,1] c=float16[33,1]"},
     GA_SKEL_FLAT,
     D | R},
    {{"(a - b) / sqrt(c)", "a=bfloat16[33,7] b=bfloat16[33,1] c=bfloat16[33,1]"},
     GA_SKEL_FLAT,
     GA_KEEPS_NONE}, /* shorter than a vector */
    {{"(a - b) / sqrt(c)", "a=bfloat16[33,8] b=bfloat16[33,1] c=bfloat16[33,1]"},
     GA_SKEL_INNER,
     B | R},
    {{"(a - b) / sqrt(c)", "a=bfloat16[33,9] b=bfloat16[33,1] c=bfloat16[33,1]"},
     GA_SKEL_FLAT,
     B | R},
    {{"(a[:, ::-1] - b) / sqrt(c)", "a=float16[33,100] b=float16[33,1] c=float16[33,1]"},
     GA_SKEL_FLAT,
     D | R},
    {{"a[:, ::2] / c + b", "a=bfloat16[33,602] b=bfloat16[301] c=bfloat16[33,1]"}, GA_SKEL_FLAT, B},
    {{"a[::-1] / 3.7", "a=float16[1003]"}, GA_SKEL_FLAT, D},
    {{"a / sqrt(b) + c", "a=float64[3,5,17] b=float64[5,1] c=float64[3,1,17]"},
     GA_SKEL_FLAT,
     D | R},
    /* elements of two bytes off vectors: rows by themselves, if they are long */
    {{"a[:, 1:] / c", "a=float16[33,96] c=float16[33,1]"}, GA_SKEL_RUNS, GA_KEEPS_NONE},
    {{"a[:, 1:] / sqrt(c)", "a=float16[33,96] c=float16[33,1]"}, GA_SKEL_FLAT, D | R},
    {{"a[:, 1:] / c", "a=float16[33,97] c=float16[33,1]"}, GA_SKEL_INNER, D},
    {{"a / c", "a=float16[33,97] c=float16[33,1]"}, GA_SKEL_FLAT, D},
    {{"a / c + b", "a=float16[33,97] b=float16[97] c=float16[33,1]"}, GA_SKEL_FLAT, D},
    {{"a[:, 1:] / c + b", "a=float16[33,102] b=float32[33,101] c=float16[33,1]"}, GA_SKEL_FLAT, D},
    {{"x = sqrt(b); a*x", "a=float32[33,65] b=float32[33,1]"}, GA_SKEL_FLAT, R},
    {{"where(a > b, a / b, exp(b))", "a=float32[33,65] b=float32[33,1]"}, GA_SKEL_FLAT, D | F},
    {{"sqrt(b) + 0*a", "a=float32[40] b=float32[1]"}, GA_SKEL_CONTIG, R},
    {{"a[:, 1:] + sqrt(c)*d", "a=int8[33,202] c=float16[33,1] d=float16[1]"}, GA_SKEL_INNER, R},
    /* tiles of words, and of lines */
    {{"(a.T - b) / sqrt(c + 1e-5)", "a=bfloat16[128,1024] b=bfloat16[1024,1] c=bfloat16[1024,1]"},
     GA_SKEL_TILE,
     B | R},
    {{"a.T + b", "a=bfloat16[128,1024] b=bfloat16[1024,1]"}, GA_SKEL_TILE, GA_KEEPS_NONE},
    {{"(a.T - b) / sqrt(c + 1e-5)", "a=float32[128,1024] b=float32[1024,1] c=float32[1024,1]"},
     GA_SKEL_TILE,
     GA_KEEPS_NONE}, /* words of one element */
    {{"(a.T - b) / sqrt(c + 1e-5)", "a=bfloat16[333,1001] b=bfloat16[1001,1] c=bfloat16[1001,1]"},
     GA_SKEL_TURN,
     B | R},
    {{"exp(a.T - b) / c", "a=float16[257,501] b=float16[501,1] c=float16[501,1]"},
     GA_SKEL_TURN,
     GA_KEEPS_NONE},
};
#define NKEPT (sizeof kept / sizeof kept[0])

/* From lap to lap of a thread's vectors: more than a small card's threads have at once. */
static const struct kept lapped[] = {
    {{"(a - b) / sqrt(c + 1e-5)", "a=bfloat16[4001,128] b=bfloat16[128] c=bfloat16[128]"},
     GA_SKEL_FLAT,
     B | R},
    {{"(a - b) / sqrt(c + 1e-5)", "a=float16[4001,100] b=float16[100] c=float16[100]"},
     GA_SKEL_FLAT,
     D | R},
    {{"exp(a - b) / c", "a=bfloat16[4001,99] b=bfloat16[99] c=bfloat16[99]"}, GA_SKEL_FLAT, B},
    {{"a / c", "a=float16[4001,101] c=float16[101]"}, GA_SKEL_FLAT, GA_KEEPS_NONE},
    {{"a - log(c)", "a=float16[4001,101] c=float16[101]"}, GA_SKEL_FLAT, F},
    {{"a - log(c)", "a=float16[4001,104] c=float16[104]"}, GA_SKEL_INNER, GA_KEEPS_NONE},
    {{"a / sqrt(c) + b", "a=float16[40007,9] b=float16[40007,1] c=float16[9]"},
     GA_SKEL_FLAT,
     D | R},
    {{"a / sqrt(c)", "a=bfloat16[7,1001,60] c=bfloat16[7,1,60]"}, GA_SKEL_FLAT, B | R},
    {{"a[:, ::-1] - log(c)", "a=float16[4001,50] c=float16[50]"}, GA_SKEL_FLAT, F},
};
#define NLAPPED (sizeof lapped / sizeof lapped[0])

static ga_variant check(const struct kept *t, const ga_target *target)
{
  unsigned char align[8];
  ga_program *p = program_of(t->twin.text, t->twin.spec);
  ga_variant v;
  ga_layout l;
  OK(ga_layout_make(&l, &p->stages[0]));
  for (unsigned int i = 0; i < p->stages[0].noperand; i++)
    align[i] = (unsigned char)((p->stages[0].operands[i].offset + l.offset[i]) & 15);
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, target));
  ck_assert_msg((int)v.skeleton == t->skeleton && v.keeps == t->keeps,
                "%s (%s): skeleton %d keeps %d", t->twin.text, t->twin.spec, v.skeleton, v.keeps);
  ga_layout_clear(&l);
  ga_program_free(p);
  return v;
}

START_TEST(kernels_keep_what_is_meant) { ck_assert(!check(&kept[_i], &large_card).by_laps); }
END_TEST

START_TEST(laps_keep_what_is_meant)
{
  const ga_variant v = check(&lapped[_i], &small_card);
  ck_assert_int_eq(v.by_laps, v.keeps != GA_KEEPS_NONE);
}
END_TEST

START_TEST(kernel_gives_what_the_interpreter_gives)
{
  fenced = 1;
  compare(&kept[_i].twin, &large_card, _i);
}
END_TEST

START_TEST(kernel_of_laps_gives_what_the_interpreter_gives)
{
  fenced = 1;
  compare(&lapped[_i].twin, &small_card, _i);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(kernels_keep_what_is_meant, NKEPT),
    CASE_LOOP(laps_keep_what_is_meant, NLAPPED),
    CASE_LOOP(kernel_of_laps_gives_what_the_interpreter_gives, NLAPPED),
    CASE_LOOP(kernel_gives_what_the_interpreter_gives, NKEPT),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("kept: no C++ compiler; only choices were checked\n");
  return test_main("kept", cases);
}
