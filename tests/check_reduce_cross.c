/* SPDX-License-Identifier: MIT */
/* Reductions whose operands are fast along several axes: which go by way of shared memory, and
 * that their kernels, run on the host, give what the interpreter gives, to the bit. Skipped
 * where there is no C++ compiler. */
#include "tests/twins.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};

static const twin crossed[] = {
    {"sum(a*b)", "a=float32[64,1024] b=float32[64,1024]/p10"},
    {"sum(a*b)", "a=float32[33,1024] b=float32[33,1024]/p10"},
    {"sum(a*b)", "a=float32[41,2048] b=float32[41,2048]/p10"},
    {"sum(a*b)", "a=float32[300,4096] b=float32[300,4096]/p10"},
    {"sum(a*b)", "a=float32[37,1025] b=float32[37,1025]/p10"},
    {"sum(a*b)", "a=float32[77,3000] b=float32[77,3000]/p10"},
    {"sum(a*b)", "a=float32[19,1999] b=float32[19,1999]/p10"},
    {"sum(a[1:]*b[:-1])", "a=float32[20,1600] b=float32[20,1600]/p10"},
    {"sum(a[:, 1:]*b[1:])", "a=float32[21,1601] b=float32[22,1600]/p10"},
    {"sum(a*b)", "a=float32[900,64] b=float32[900,64]/p10"},
    {"sum(a*b)", "a=float32[701,100] b=float32[701,100]/p10"},
    {"sum(a*b)", "a=float32[5001,9] b=float32[5001,9]/p10"},
    {"sum(a*b)", "a=float32[9000,3] b=float32[9000,3]/p10"},
    {"sum(a*b)", "a=float32[70,600] b=float32[70,600]/p10"},
    {"sum(a*b)", "a=float16[77,1500] b=float16[77,1500]/p10"},
    {"sum(a*b)", "a=float64[37,1500] b=float64[37,1500]/p10"},
    {"sum(a*b)", "a=int8[99,1100] b=int8[99,1100]/p10"},
    {"sum(a*b)", "a=int8[99,1100] b=float64[99,1100]/p10"},
    {"max(a*b - c)", "a=bfloat16[50,1200] b=int16[50,1200]/p10 c=float32[50,1200]/p10"},
    {"sum(a*b, axis=1)", "a=float32[40,1024] b=float32[40,1024]/p10"},
    {"sum(a*b, axis=1) + c", "a=float32[43,2500] b=float32[43,2500]/p10 c=float32[43]"},
    {"sum(a*b, axis=0)", "a=float32[2500,43] b=float32[2500,43]/p10"},
    {"sum(a*b, axis=1)", "a=float32[300,100] b=float32[300,100]/p10"},
    {"sum(a*b, axis=1)", "a=float16[300,65] b=float16[300,65]/p10"},
    {"x = a*b; s = sum(x, axis=1); max(x, axis=1)/s",
     "a=float32[41,700] b=float32[41,700]/p10 s=new"},
    {"sum(a*b, axis=(1,2))", "a=float32[3,20,1100] b=float32[3,20,1100]/p021"},
    {"sum(a*b, axis=(1,2))", "a=float32[5,40,40] b=float32[5,40,40]/p021"},
    {"sum(a*b, axis=2)", "a=float32[5,40,140] b=float32[5,40,140]/p021"},
    {"sum(a*b, axis=1)", "a=float32[5,140,40] b=float32[5,140,40]/p021"},
    {"sum(a*b)", "a=float32[5,20,1100] b=float32[5,20,1100]/p021"},
    {"sum(a*b)", "a=float32[7,21,90] b=float32[7,21,90]/p021"},
    {"sum(a*b)", "a=float32[3,19,31,70] b=float32[3,19,31,70]/p0231"},
    {"sum(a*b)", "a=float32[31,19,40] b=float32[31,19,40]/p210"},
    {"sum(a*b, axis=(0,2))", "a=float32[9,20,300] b=float32[9,20,300]/p021"},
    {"sum(a*b, axis=(0,2,3))", "a=float32[5,16,9,40] b=float32[5,16,9,40]/p0231"},
    {"sum(a[:, ::-1]*b)", "a=float32[33,1300] b=float32[33,1300]/p10"},
    {"sum(a[::-1]*b)", "a=float32[33,1300] b=float32[33,1300]"},
    {"mean((a - b)*(a - b)*w)", "a=float32[70,1300] b=float32[70,1300]/p10 w=float32[1300]"},
    {"any(a > b, axis=1)", "a=uint8[65,1300] b=uint8[65,1300]/p10"},
    {"sum(a*b)", "a=int8[16,2048] b=int8[16,2048]/p10"},
    {"sum(a*b)", "a=float16[8,1024] b=float16[8,1024]/p10"},
    {"sum(a*b, axis=1)", "a=float16[8,4096] b=float16[8,4096]/p10"},
    {"sum(a*b*c*d)",
     "a=float32[64,1024] b=float32[64,1024]/p10 c=float32[64,1024]/p10 d=float32[64,1024]/p10"},
    {"sum(a*b)", "a=float32[9,3000] b=float32[9,3000]/p10"},
    {"sum(a*b[::2])", "a=float32[41,1400] b=float32[82,1400]/p10"},
    {"sum(a*b[::-2])", "a=float32[41,1400] b=float32[82,1400]/p10"},
    {"sum(a*b[::-1])", "a=int8[99,1100] b=int8[99,1100]/p10"},
    {"sum(a*b[:, ::2])", "a=int8[99,1100]/p10 b=int8[99,2200]"},
    {"sum(a*b[::-1])", "a=float16[300,100] b=float16[300,100]/p10"},
    {"sum(a*b[::-2])", "a=float16[301,90] b=float16[602,90]/p10"},
    {"sum(a*b[::-1], axis=1)", "a=float32[43,2500] b=float32[43,2500]/p10"},
    {"sum(a*b[::2]*c[::-1], axis=1)", "a=float64[43,90] b=int16[86,90]/p10 c=float32[43,90]/p10"},
    {"sum(a*b[:, ::-1], axis=(0,2))", "a=float32[9,20,300] b=float32[9,20,300]/p021"},
    {"max(a*b[:, ::-2])", "a=float16[7,21,90] b=float16[7,42,90]/p021"},
    {"max(a*b, axis=(0,2))", "a=float16[70,3,1300] b=float16[70,3,1300]/p210"},
    {"max(a*b, axis=(1,2,3))", "a=int32[2,40,21,256] b=int32[2,40,21,256]/p1302"},
    {"sum(a*b, axis=(0,2))", "a=int8[70,3,2048] b=int8[70,3,2048]/p210"},
    {"sum(a*b, axis=(1,3))", "a=uint16[2,33,3,301] b=uint16[2,33,3,301]/p0321"},
    {"any(a > b)", "a=float32[7,21,90] b=float32[7,21,90]/p021"},
    {"x = a*b; s = sum(x); max(x) + s", "a=int64[300,140] b=int64[300,140]/p10 s=new"},
    {"max(a*b)", "a=int32[300,128] b=int32[300,128]/p10"},
    {"max(a*b)", "a=int32[300,129] b=int32[300,129]/p10"},
    {"min(a*b[::-2])", "a=int16[41,2100] b=int16[82,2100]/p10"},
    {"sum(a*b)", "a=int64[301,1100] b=int64[301,1100]/p10"},
    {"sum(a*b)", "a=int64[61,9,140] b=int64[61,9,140]/p210"},
    {"sum(abs(a - b))", "a=int32[35,1100] b=int32[35,1100]/p10"},
    {"any(a > b)", "a=float64[64,777] b=uint16[64,777]/p10"},
    {"max(a - b*c, axis=(0,2,3))",
     "a=int32[24,5,7,64]/p1203 b=int32[24,5,7,64] c=int32[24,5,7,64]/p1320"},
};
#define NCROSSED (sizeof crossed / sizeof crossed[0])

START_TEST(crossed_operands_give_what_the_interpreter_gives) { compare(&crossed[_i], &target, _i); }
END_TEST

/* How many stages of a text cross. */
static const struct {
  twin twin;
  unsigned int stages;
} kinds[] = {
    {{"sum(a*b)", "a=float32[8192,8192] b=float32[8192,8192]/p10"}, 1},
    {{"sum(a*b)", "a=float64[8191,8193] b=float64[8191,8193]/p10"}, 1},
    {{"sum(a*b)", "a=int8[8191,8193] b=int8[8191,8193]/p10"}, 1},
    {{"sum(a*b, axis=0)", "a=float32[8192,8192] b=float32[8192,8192]/p10"}, 1},
    {{"sum(a*b)", "a=float32[8192,8192]/p10 b=float32[8192,8192]/p10"}, 0},
    {{"sum(a*w, axis=1)", "a=float32[8192,8192]/p10 w=float32[8192]"}, 0},
    {{"sum(a)", "a=float32[64,64,64]/p120"}, 0},
    {{"sum(a*b)", "a=float32[5,1000000] b=float32[5,1000000]/p10"}, 0},
    {{"sum(a*b)", "a=float32[1000000,3] b=float32[1000000,3]/p10"}, 0},
    {{"argmax(a*b)", "a=float32[8192,8192] b=float32[8192,8192]/p10"}, 0},
};

START_TEST(these_stages_cross)
{
  ga_program *p = program_of(kinds[_i].twin.text, kinds[_i].twin.spec);
  unsigned int n = stages_with(p, GA_SKEL_REDUCE_CROSS, &target);
  ck_assert_msg(n == kinds[_i].stages, "%s (%s): %u stages", kinds[_i].twin.text,
                kinds[_i].twin.spec, n);
  ga_program_free(p);
}
END_TEST

/* Pieces of 128 elements that a chunk has where no order is kept. */
static const struct {
  twin twin;
  int pieces;
} loose[] = {
    {{"sum(a*b)", "a=int32[300,2048] b=int32[300,2048]/p10"}, 2},
    {{"sum(a*b)", "a=int32[301,2048] b=int32[301,2048]/p10"}, 2},
    {{"sum(a*b)", "a=int32[300,512] b=int32[300,512]/p10"}, 4},
    {{"sum(a*b)", "a=int32[300,513] b=int32[300,513]/p10"}, 2},
    {{"sum(a*b)", "a=int32[16,2048] b=int32[16,2048]/p10"}, 2},
    {{"sum(a*b)", "a=int32[15,2048] b=int32[15,2048]/p10"}, 4},
    {{"sum(a*b)", "a=int16[300,2048] b=int16[300,2048]/p10"}, 4},
    {{"sum(a*b)", "a=int8[301,2048] b=int8[301,2048]/p10"}, 4},
    {{"sum(a*b)", "a=int8[16,2048] b=int8[16,2048]/p10"}, 4},
    {{"sum(a*b)", "a=int64[300,2048] b=int64[300,2048]/p10"}, 8},
    {{"sum(a*b)", "a=int64[301,2048] b=int64[301,2048]/p10"}, 2},
    {{"sum(a*b)", "a=int64[301,9,140] b=int64[301,9,140]/p210"}, 4},  /* b's lines lie apart */
    {{"sum(a*b)", "a=float32[301,2048] b=float32[301,2048]/p10"}, 8}, /* in order */
};

START_TEST(chunks_in_no_order_have_few_pieces)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(loose[_i].twin.text, loose[_i].twin.spec);
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->stages[0]));
  OK(ga_variant_choose(&v, &p->stages[0], &l, align, &target));
  ck_assert_int_eq(v.skeleton, GA_SKEL_REDUCE_CROSS);
  ck_assert_int_eq(v.loads, loose[_i].pieces);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(crossed_operands_give_what_the_interpreter_gives, NCROSSED),
    CASE_LOOP(these_stages_cross, sizeof kinds / sizeof kinds[0]),
    CASE_LOOP(chunks_in_no_order_have_few_pieces, sizeof loose / sizeof loose[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("reduce-cross: no C++ compiler; no kernel was run\n");
  return test_main("reduce-cross", cases);
}
