/* SPDX-License-Identifier: MIT */
/* How many vectors threads of a map have whose index is found once, and along which axis they lie
 * apart (codegen/variant_flat.c): check_kernels.c has what comes of it. */
#include "codegen/gen.h"
#include "tests/program.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};

static ga_variant variant_of(const char *text, const char *spec)
{
  const unsigned char align[8] = {0};
  ga_program *p = program_of(text, spec);
  ga_variant v;
  ga_layout l;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &target));
  ga_layout_clear(&l);
  ga_program_free(p);
  return v;
}

static const struct {
  const char *text, *spec;
  int laps;
  unsigned int around;
} laps[] = {
    /* quotients and exp of two bytes, where inputs move along rows */
    {"a + b", "a=float16[80000,333] b=float16[333]", 1, 0},
    {"a / b", "a=float16[80000,333] b=float16[333]", 4, 0},
    {"a / b", "a=float32[80000,333] b=float32[333]", 1, 0},
    {"exp(a)", "a=float16[80000,333]", 1, 0},
    {"exp(a - b) / c", "a=bfloat16[80000,333] b=bfloat16[333] c=bfloat16[333]", 4, 0},
    {"exp(a - b) / c", "a=float32[80000,333] b=float32[333] c=float32[333]", 1, 0},
    {"exp(a - b) / c", "a=float16[80000,333] b=float16[80000,1] c=float16[80000,1]", 1, 0},
    {"log(a - b) / c", "a=float16[80000,333] b=float16[333] c=float16[333]", 1, 0},
    /* along an axis that others are around: the outermost one first, if there is anything to it */
    {"a / b", "a=float16[100,6711,100] b=float16[100,1,100]", 4, 1},
    {"a + b", "a=float16[100,6711,100] b=float16[100,1,100]", 1, 0},
    {"a + b", "a=uint8[33,542294,5] b=uint8[33,1,5]", 1, 0},
    {"a / b", "a=float16[100,6711,100] b=float16[100,1,1]", 1, 0},
    {"a / b", "a=float16[100,6711,100] b=float16[6711,100]", 4, 0},
    {"a / b", "a=float16[30,40,1000,100] b=float16[30,40,1,100]/p1023", 4, 2},
    /* four laps of 150 vectors are half of an axis of 96 rows of 100, two of one of 48 */
    {"a / b", "a=float16[5000,96,100] b=float16[5000,1,100]", 4, 1},
    {"a / b", "a=float16[5000,95,100] b=float16[5000,1,100]", 2, 1},
    {"a / b", "a=float16[5000,48,100] b=float16[5000,1,100]", 2, 1},
    {"a / b", "a=float16[5000,47,100] b=float16[5000,1,100]", 1, 0},
    /* enough threads for 132 multiprocessors */
    {"a / b", "a=float16[12,7210,100] b=float16[12,1,100]", 4, 1},
    {"a / b", "a=float16[12,7200,100] b=float16[12,1,100]", 2, 1},
    {"a / b", "a=float16[6,7200,100] b=float16[6,1,100]", 1, 0},
};

START_TEST(threads_have_so_many_laps)
{
  ga_variant v = variant_of(laps[_i].text, laps[_i].spec);
  if (v.skeleton != GA_SKEL_FLAT) v.laps = 1;
  ck_assert_msg(v.laps == laps[_i].laps && v.around == laps[_i].around,
                "%s (%s): %d laps along axis %u", laps[_i].text, laps[_i].spec, v.laps, v.around);
}
END_TEST

/* What goes by boxes of runs instead: short rows of laps that lie otherwise than the results do,
 * tiles of single elements of two bytes where they are many, long lines of such. */
static const struct {
  const char *text, *spec;
  int runs;
} instead[] = {
    {"a[:, ::-1] / b", "a=float16[80000,128] b=float16[128]", 1},
    {"a[:, ::-1] / b", "a=float16[80000,129] b=float16[129]", 0},
    {"a[:, ::-1] / b", "a=float32[80000,33] b=float32[33]", 0},
    {"a[:, :, ::2] / b", "a=float16[100,6711,66] b=float16[100,1,33]", 1},
    {"a[:, :, ::2] + b", "a=float16[100,6711,66] b=float16[100,1,33]", 0},
    {"a + 1", "a=float16[52,1001,127]/p021", 1},
    {"a + 1", "a=float16[5,1001,127]/p021", 0},
    {"a + 1", "a=float16[65,2150,48]/p210", 1},
    {"a + 1", "a=float16[65,103244]/p10", 1},
    {"a + 1", "a=float16[64,103244]/p10", 0},
    {"a + 1", "a=float16[65,10324]/p10", 0},
};

START_TEST(runs_are_instead_of_laps_tiles_and_lines)
{
  const ga_variant v = variant_of(instead[_i].text, instead[_i].spec);
  ck_assert_msg((v.skeleton == GA_SKEL_RUNS) == instead[_i].runs, "%s (%s): skeleton %d",
                instead[_i].text, instead[_i].spec, v.skeleton);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(runs_are_instead_of_laps_tiles_and_lines, sizeof instead / sizeof instead[0]),
    CASE_LOOP(threads_have_so_many_laps, sizeof laps / sizeof laps[0]),
    CASE_END,
};

int main(void) { return test_main("laps", cases); }
