/* SPDX-License-Identifier: MIT */
/* Maps by boxes of runs instead of tiles, lines, boxes of powers of two, and vectors of all rows
 * (codegen/variant_pay.c): which are, and that their kernels, run on the host, give what the
 * interpreter gives (twins.h). */
#include "codegen/gen_boxes.h"
#include "tests/twins.h"

static const struct run {
  twin twin;
  unsigned int stages; /* that go by runs, or are laid out */
} runs[] = {
    /* tiles: short rows that fill few of them; of narrow elements one by one also four fifths */
    {{"a + b", "a=float16[300,7,33] b=float16[300,7,33]/p210"}, 1},
    {{"where(a > b, a, b)", "a=float16[33,5,90,48]/p3210 b=float16[33,1,1,48]/p3210"}, 1},
    {{"float32(a) * b[:, :, 1:]", "a=int8[200,16,33]/p210 b=int8[200,16,34]"}, 1},
    {{"where(a > b, a, b)", "a=int16[130,86,65]/p210 b=int16[86,65]"}, 1},
    {{"a * 2", "a=uint64[100,9,67]/p210"}, 1},
    {{"a * 2", "a=complex64[100,9,67]/p210"}, 1},
    {{"maximum(a, b[:, :, ::2])", "a=int16[300,12,48]/p210 b=int16[300,12,96]"}, 1},
    {{"a * 2", "a=uint64[96,4,10,96]/p3210"}, 0},
    {{"a + 1", "a=int16[64,300,96]/p201"}, 0},
    {{"a + b", "a=float32[300,7,64] b=float32[300,7,64]/p210"}, 0},
    /* lines: short rows that fill half of them, short lines, two of them, bytes in steps */
    {{"a < b", "a=int8[1500,65]/p10 b=int64[1500,1]"}, 1},
    {{"a * 2", "a=float32[1300,65]/p10"}, 1},
    {{"a * b + 1", "a=bfloat16[96,3,19,16,65] b=uint32[96,3,19,16,65]/p43210"}, 1},
    {{"float32(a) * b", "a=float16[65,3000]/p10 b=int16[3000]"}, 1},
    {{"a < b", "a=int16[100,3000]/p10 b=int16[100,3000]/p10"}, 1},
    {{"a + b[:, ::2]", "a=uint8[900,256]/p10 b=uint8[900,512]"}, 1},
    {{"a < b", "a=bfloat16[640,17,257]/p210 b=bfloat16[1,1,1]"}, 0},
    {{"a - b", "a=int8[3000,96] b=int8[3000,96]/p10"}, 0},
    {{"a * 2", "a=float16[1023,1022]/p10"}, 0},
    {{"a + b[:, ::2]", "a=uint16[900,256]/p10 b=uint16[900,512]"}, 0},
    /* boxes of powers of two that are a third empty, or store elements one by one */
    {{"a*b + 1", "a=bfloat16[17,40,300]/p210 b=bfloat16[17,1,300]/p201"}, 1},
    {{"float32(a) * b[:, :, :, :, ::2]", "a=int8[8,5,8,21,128]/p03241 b=int8[1,1,8,1,256]"}, 1},
    {{"a * 2", "a=uint32[7,40,2,17,65]/p04213"}, 1},
    {{"a * 2", "a=uint16[7,90,255]/p210"}, 1},
    {{"where(a > b[:, :, ::2], a, b[:, :, ::2])", "a=int8[3,300,128]/p210 b=int8[3,300,256]"}, 1},
    {{"a * 2", "a=float64[33,10,10,33]/p3210"}, 0},
    {{"a - b", "a=int64[900,17] b=int64[900,17]/p10"}, 0},
    /* vectors of all rows: short rows none of which lie as the results do */
    {{"a[:, ::2] < b[:, 1:]", "a=uint16[700,130] b=uint16[700,66]"}, 1},
    {{"-a[:, ::-1]", "a=int8[4000,24]"}, 1},
    {{"a[:, 1:] + b", "a=uint8[4000,18] b=uint8[4000,17]/p10"}, 1},
    {{"a[:, 1:] * 2", "a=uint8[4000,18]"}, 1},
    {{"a[:, ::-1] * 2", "a=int16[4000,5]"}, 1},
    {{"a[:, 1:] - a[:, :-1]", "a=uint8[130,1025]"}, 1},
    {{"-a[:, ::-1]", "a=int8[4000,4]"}, 1},
    {{"-a[:, ::-1]", "a=int8[4000,3]"}, 0},
    {{"a[:, ::-1] * 2", "a=int16[4000,4]"}, 0},
    {{"a[:, ::-1] * 2", "a=int16[400,129]"}, 0},
    {{"a[:, ::-1] + b", "a=uint16[900,48] b=uint16[900,48]"}, 0},
    {{"a[:, 1:] * 2", "a=uint8[130,1025]"}, 0},
    {{"a[:, :, ::-1] + b", "a=bfloat16[71,100,24] b=bfloat16[100,24]"}, 0},
    {{"a[:, ::-1] * 2", "a=float32[900,33]"}, 0},
};
#define NRUNS (sizeof runs / sizeof runs[0])

/* So many stages of the text go by `skeleton`. */
static void expect_stages(const struct run *r, enum ga_skeleton skeleton)
{
  ga_program *p = program_of(r->twin.text, r->twin.spec);
  unsigned int n = stages_with(p, skeleton, &large_card);
  ck_assert_msg(n == r->stages, "%s (%s): %u stages go so", r->twin.text, r->twin.spec, n);
  ga_program_free(p);
}

START_TEST(runs_are_chosen_where_they_are_faster) { expect_stages(&runs[_i], GA_SKEL_RUNS); }
END_TEST

START_TEST(runs_give_what_the_interpreter_gives)
{
  if (runs[_i].stages != 0) compare(&runs[_i].twin, &large_card, _i);
}
END_TEST

/* Rows of a thread: fewer than it does at once, not the same number for all, groups of them, and
 * boxes that end early. */
static const twin counts[] = {
    {"a*b + 1", "a=int8[5,9000] b=int8[5,9000]/p10"},
    {"a * 2", "a=bfloat16[3,5001]/p10"},
    {"a * 2", "a=uint8[7,8,101,33]/p3210"},
    {"a + b", "a=bfloat16[7,2500] b=bfloat16[7,2500]/p10"},
    {"a < b", "a=int16[24,1500]/p10 b=int16[24,1500]/p10"},
    {"a*b + 1", "a=int16[20,300,24]/p021 b=int16[20,300,24]"},
    {"a * 2", "a=bfloat16[24,10,5,23,24]/p43210"},
    {"maximum(a, b)", "a=int16[8,100,559] b=int16[8,100,559]/p120"},
};
#define NCOUNTS (sizeof counts / sizeof counts[0])

START_TEST(rows_of_any_number_do_so) { compare(&counts[_i], &large_card, _i); }
END_TEST

/* What a thread has of a row, and how long that is: twice as much where results are bytes, unless
 * rows are cut at words or elements are of 4 bytes; longer ones where they are short, unless beside
 * an operand that has no image. */
static const struct shape {
  twin twin;
  int vec;
  unsigned int row;
} shapes[] = {
    {{"a < b", "a=int16[400,127] b=int16[400,127]/p10"}, 4, 4 * 127},
    {{"a < b", "a=float16[31,300,33]/p210 b=float16[31,1,1]"}, 4, 8 * 33},
    {{"a < b", "a=float16[31,301,33]/p210 b=float16[31,1,1]"}, 2, 8 * 33},
    {{"a < b", "a=float32[96,64,16]/p210 b=float32[96,64,16]/p210"}, 1, 8 * 16},
    {{"a < b", "a=float64[64,16,127]/p201 b=float64[64,1,127]"}, 2, 4 * 127},
    {{"a < b", "a=int16[1203,17,17]/p210 b=int16[1,1,1]"}, 4, 17 * 17},
    {{"maximum(a, b)", "a=int16[1203,17,17]/p210 b=int16[1,1,1]"}, 2, 8 * 17},
    {{"-a", "a=int8[1202,4,65]/p210"}, 4, 4 * 65},
    {{"-a", "a=int8[1200,6,129]/p210"}, 4, 2 * 129},
    {{"a*b[:, ::-1] + 1", "a=int8[900,1000]/p10 b=int8[900,1000]"}, 4, 256},
    {{"-a", "a=float16[65,12,12,12,28]/p43210"}, 2, 8 * 28},
    {{"a < b", "a=int16[28,3002]/p10 b=int16[28,3002]"}, 4, 256},
};
#define NSHAPES (sizeof shapes / sizeof shapes[0])

START_TEST(rows_are_long_and_taken_by_words)
{
  const unsigned char align[64] = {0};
  const struct shape *s = &shapes[_i];
  ga_program *p = program_of(s->twin.text, s->twin.spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &large_card));
  ck_assert_int_eq(v.skeleton, GA_SKEL_RUNS);
  ck_assert_int_eq(v.vec, s->vec);
  ck_assert_uint_le(ga_runs_images(&v, &p->stages[0], &l, NULL), v.shared);
  ck_assert_uint_eq(v.box_extent[0] * (v.each != 0 ? v.each : v.box_extent[1]), s->row);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

START_TEST(however_long_they_give_what_the_interpreter_gives)
{
  compare(&shapes[_i].twin, &large_card, _i);
}
END_TEST

/* Short axes that lie beside the results' long one (kernels/map_laid.cu): which are laid out, and
 * that rows of any place and length, ends of boxes, and elements that are not there do no harm. */
static const struct run laid[] = {
    {{"a*b + 1", "a=int16[8,5001] b=int16[8,5001]/p10"}, 1},
    {{"a + b[:, 1:]", "a=bfloat16[7,4104]/p10 b=bfloat16[7,4105]"}, 1},
    {{"where(a > b, a, b)", "a=int16[24,3001] b=int16[24,3001]/p10"}, 1},
    {{"a < b", "a=int16[24,3001]/p10 b=int16[24,3001]/p10"}, 1},
    {{"where(a > b, a, b)", "a=uint8[16,4001]/p10 b=int16[16,4001]"}, 1},
    {{"a - b[:, 1:]", "a=int8[4,9001]/p10 b=int8[4,9002]"}, 1},
    {{"a + b", "a=uint8[5,12,3901]/p021 b=uint8[5,12,3901]"}, 1},
    {{"maximum(a, b)", "a=uint8[5,12,3904]/p021 b=uint8[12,1]"}, 1},
    {{"where(a > b, a, b)", "a=float16[7,5,1025]/p120 b=float16[5,1]"}, 1},
    {{"float32(a) * b", "a=uint8[12,2560] b=uint8[12,2560]/p10"}, 1},
    {{"a * 2", "a=bfloat16[3,5001]/p10"}, 1},
    {{"a * 2", "a=float16[17,512]/p10"}, 1},
    {{"o = a - b; a*b + 1", "a=int16[8,5001] b=int16[8,5001]/p10 o=int16[8,5001]"}, 1},
    {{"o = a*b + 1", "a=int16[8,5001] b=int16[8,5001]/p10 o=int16[8,5001]"}, 1},
    {{"o = a*b + 1", "a=int16[8,5001] b=int16[8,5001]/p10 o=int16[8,5001]/s"}, 0},
    /* an output lies otherwise, steps, or elements or lines of another kind */
    {{"o = a - b; a*b + 1", "a=int16[8,5001] b=int16[8,5001]/p10 o=int16[8,5001]/p10"}, 0},
    {{"a + b[:, ::2]", "a=uint16[7,3000]/p10 b=uint16[7,6000]"}, 0},
    {{"a + b", "a=bfloat16[7,4104] b=bfloat16[7,4104]/p10"}, 0},
    {{"a * 2", "a=float16[17,511]/p10"}, 0},
    {{"a * 2", "a=bfloat16[2,5001]/p10"}, 0},
    {{"a * 2", "a=bfloat16[25,5001]/p10"}, 0},
    {{"a * 2", "a=int8[5,9001]/p10"}, 0},
    {{"a * 2", "a=int16[8,5000]/p10"}, 0},
    {{"a + b", "a=int32[12,5001] b=int32[12,5001]/p10"}, 0},
    {{"a + b", "a=int16[12,5001]/p10 b=int64[12,5001]"}, 0},
};
#define NLAID (sizeof laid / sizeof laid[0])

START_TEST(short_axes_are_laid_out_where_that_is_faster) { expect_stages(&laid[_i], GA_SKEL_LAID); }
END_TEST

START_TEST(laid_out_they_give_what_the_interpreter_gives)
{
  if (laid[_i].stages != 0) compare(&laid[_i].twin, &large_card, _i);
}
END_TEST

/* Quotients of short rows, of which two multiprocessors have laps. */
static const twin lapped[] = {
    {"a[:, ::-1] / b", "a=float16[5000,33] b=float16[33]"},
    {"a[:, ::2] / b", "a=bfloat16[9000,34] b=bfloat16[17]"},
    {"exp(a[:, 1:] - b) / c", "a=float16[3000,101] b=float16[100] c=float16[100]"},
    {"(a[:, :, ::-1] - b) / c", "a=bfloat16[3,2100,33] b=bfloat16[3,1,33] c=bfloat16[3,1,33]"},
};
#define NLAPPED (sizeof lapped / sizeof lapped[0])

START_TEST(short_rows_of_laps_go_by_runs)
{
  const struct run r = {lapped[_i], 1};
  ga_program *p = program_of(r.twin.text, r.twin.spec);
  ck_assert_uint_eq(stages_with(p, GA_SKEL_RUNS, &small_card), 1);
  ga_program_free(p);
  compare(&r.twin, &small_card, _i);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(short_rows_of_laps_go_by_runs, NLAPPED),
    CASE_LOOP(runs_are_chosen_where_they_are_faster, NRUNS),
    CASE_LOOP(runs_give_what_the_interpreter_gives, NRUNS),
    CASE_LOOP(rows_of_any_number_do_so, NCOUNTS),
    CASE_LOOP(rows_are_long_and_taken_by_words, NSHAPES),
    CASE_LOOP(however_long_they_give_what_the_interpreter_gives, NSHAPES),
    CASE_LOOP(short_axes_are_laid_out_where_that_is_faster, NLAID),
    CASE_LOOP(laid_out_they_give_what_the_interpreter_gives, NLAID),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("twins_runs: no C++ compiler; nothing was run\n");
  return test_main("twins_runs", cases);
}
