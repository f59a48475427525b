/* SPDX-License-Identifier: MIT */
/* Chains of rows that are no neighbours in memory, and others that go by way of shared memory: the
 * generated kernel of each, run on the host, gives what the interpreter gives stage by stage, to
 * the bit. Skipped where there is no C++ compiler. */
#include "tests/chains.h"

#define SOFTMAX_OF(view)                                            \
  "x = " view "; t = exp(x - max(x, axis=-1, keepdims=True)); t / " \
  "sum(t, axis=-1, keepdims=True)"

/* Rows that do not lie end to end, go backwards or have gaps; rows of two chunks a warp; columns of
 * which a thread has several. */
static const twin views[] = {
    {SOFTMAX_OF("a[:, 1:]"), "a=float16[11,8,33]"},
    {SOFTMAX_OF("a[:, 1:, 2:]"), "a=float32[7,8,33]"},
    {SOFTMAX_OF("a[1:, :, :-1]"), "a=bfloat16[5,9,6]"},
    {SOFTMAX_OF("a[::-1]"), "a=float32[300,5]"},
    {SOFTMAX_OF("a[::-1, :, 3:]"), "a=float16[3,7,1004]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float32[70,33]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float16[700,6]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float64[9,300]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float64[3,1500]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=bfloat16[3,5000]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float32[3,2048]"},
    {SOFTMAX_OF("a[:, ::-1]"), "a=float32[3,17001]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=bfloat16[70,12]"},
    {SOFTMAX_OF("a[:, 1::2]"), "a=bfloat16[70,13]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=float32[600,100]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=float32[9,2001]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=float16[9,3601]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=float64[5,2100]"},
    {SOFTMAX_OF("a[:, ::2]"), "a=float64[70,40]"},
    {SOFTMAX_OF("a[:, 1::2]"), "a=float32[3,9001]"},
    {SOFTMAX_OF("a[1:, ::-2]"), "a=float32[33,300]"},
    {SOFTMAX_OF("a[::-1, ::-2]"), "a=float16[33,301]"},
    {SOFTMAX_OF("a[:, ::3]"), "a=float32[33,300]"},
    {"x = a[:, ::2]; x - max(x, axis=1, keepdims=True)", "a=int8[300,66]"},
    {"x = a[:, ::-2]; x - max(x, axis=1, keepdims=True)", "a=uint8[5,2101]"},
    {"x = a[:, ::2]*v + b[:, ::-1]; (x - mean(x, axis=1, keepdims=True))*c[::-1] + d[:, None]",
     "a=float32[70,66] b=float16[70,33] v=int8[70,1] c=float32[33] d=int8[70]"},
    {"x = a[:, ::2]*v + b[:, ::-1]; (x - mean(x, axis=1, keepdims=True))*c[::-1] + d[:, None]",
     "a=float32[5,4002] b=float16[5,2001] v=int8[5,1] c=float32[2001] d=int8[5]"},
    {"x = a[:, 1:]*b[:, 1:] + c[:, 1:]*d[:, 1:]; x - mean(x, axis=1, keepdims=True)",
     "a=float32[70,66] b=float16[70,66] c=int8[70,66] d=int16[70,66]"},
    {"x = a[:, ::-1]; o = x - max(x, axis=1, keepdims=True); p = o*2",
     "a=float32[70,33] o=new p=new"},
    {NORM, "a=float16[2,17004]"},
    {NORM, "a=bfloat16[2,32768]"},
    {NORM, "a=float16[5,1800]"},
    {NORM, "a=float16[5,2048]"},
    {SOFTMAX, "a=float16[5,1801]"},
    {SOFTMAX, "a=bfloat16[5,2047]"},
    {DOWN, "a=float32[2,1040]"},
    {DOWN, "a=float32[5,3,40]"},
    {DOWN, "a=float32[8,2056]"},
    {DOWN, "a=float32[13,66]"},
    {DOWN, "a=float16[3,2048]"},
    {DOWN, "a=float16[5,44]"},
    {DOWN, "a=float64[7,34]"},
    {"a - mean(a, axis=0)", "a=float16[5,2088]"},
    {"a - max(a, axis=0)", "a=int8[6,1064]"},
    {"float64(a - max(a, axis=0))", "a=float32[3,1062]"},
    {SOFTMAX, "a=bfloat16[70,20]"},
    {NORM, "a=float16[700,12]"},
    {"a - max(a, axis=1, keepdims=True)", "a=int8[300,20]"},
    {"x = float32(a); x - mean(x, axis=1, keepdims=True)", "a=uint8[70,36]"},
    {"a - max(a, axis=1, keepdims=True)", "a=int8[3,131076]"},
    {"a - max(a, axis=1, keepdims=True)", "a=uint8[2,140001]"},
    {"x = float32(a) - 100; d = x - mean(x, axis=1, keepdims=True); d / sqrt(mean(d*d, axis=1, "
     "keepdims=True))",
     "a=uint8[2,200704]"},
    {"x = a[:, 1:]; x - sum(x, axis=1, keepdims=True)", "a=int8[3,222300]"},
};

START_TEST(views_give_what_their_stages_give) { check_chain(&views[_i], 0, _i); }
END_TEST

/* Rows so short that a thread has several, of few multiprocessors. */
static const twin several[] = {
    {SOFTMAX, "a=float16[8200,3]"},
    {NORM "*g + b", "a=bfloat16[8200,5] g=float32[5] b=float16[5]"},
    {SOFTMAX, "a=float32[5000,5]"},
    {SOFTMAX_OF("a[1:]"), "a=float16[4200,14]"},
    {"a - max(a, axis=1, keepdims=True)", "a=int8[16400,7]"},
    {DOWN, "a=float16[8200,3,2]"},
    {DOWN, "a=bfloat16[700,5,12]"},
    {"m = max(a*b, axis=1); d = a - m[:,None]; d*b",
     "a=float32[5000,3] b=int8[5000,3] m=new d=new"},
    {"a = a - max(a, axis=1, keepdims=True); a", "a=float16[8200,7]"},
};

START_TEST(threads_have_several_rows)
{
  const unsigned char align[64] = {0};
  ga_program *p = program_of(several[_i].text, several[_i].spec);
  ga_layout l;
  ga_variant v;
  target.nproc = 1;
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &target));
  ck_assert_int_gt(v.rows, 1);
  ga_layout_clear(&l);
  ga_program_free(p);
  check_chain(&several[_i], 1, _i);
  target.nproc = 132;
}
END_TEST

/* Columns whose rows do not begin with sectors of memory go by tiles: of one tile, a whole one, one
 * that ends in the columns which the next has too, the last of one column; of several axes. */
#define NORM_DOWN \
  "d = a - mean(a, axis=-2, keepdims=True); d / sqrt(mean(d*d, axis=-2, keepdims=True) + 1e-5)"
#define SHARE_DOWN "a / sum(abs(a), axis=-2, keepdims=True)"
static const twin tiles[] = {
    {NORM_DOWN, "a=float16[100,2301]"},
    {NORM_DOWN, "a=bfloat16[8,97,205]"},
    {SHARE_DOWN, "a=float16[4,96,451]"},
    {SHARE_DOWN, "a=float16[9,128,239]"},
    {SHARE_DOWN, "a=float16[9,127,241]"},
    {SHARE_DOWN, "a=bfloat16[3,128,1447]"},
    {NORM_DOWN, "a=float16[2,99,1460]"},
    {NORM_DOWN, "a=float16[2,99,1462]"},
    {NORM_DOWN, "a=float16[4,102,482]"},
    {NORM_DOWN, "a=float16[2,102,1447]"},
    {"s = sum(abs(a), axis=0); a / s", "a=float16[100,2001] s=new"},
    {"a = a / sum(abs(a), axis=0, keepdims=True)", "a=float16[100,2001]"},
    {"a = a - mean(a, axis=-2, keepdims=True)", "a=bfloat16[4,101,481]"},
    {"a / (sum(abs(a), axis=0, keepdims=True) + v)", "a=float16[100,401,5] v=float16[401,1]"},
    {"a / sum(abs(a), axis=0, keepdims=True) * g", "a=float16[100,1933] g=float16[100,1]"},
};

static ga_variant variant_of(const char *text, const char *spec, const ga_target *card, int at)
{
  unsigned char align[64];
  ga_program *p = program_of(text, spec);
  ga_layout l;
  ga_variant v;
  memset(align, at, sizeof align);
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, card));
  ga_layout_clear(&l);
  ga_program_free(p);
  return v;
}

START_TEST(tiles_give_what_stages_give)
{
  target.nproc = 1; /* a few tiles are enough */
  ck_assert_uint_ne(variant_of(tiles[_i].text, tiles[_i].spec, &target, 0).tiled, 0);
  check_chain(&tiles[_i], 1, _i);
  target.nproc = 132;
}
END_TEST

/* Which columns do, and how many blocks share them. */
static const struct {
  const char *text, *spec;
  int at;
  unsigned int blocks; /* 0: they do not */
} tiled[] = {
    {SHARE_DOWN, "a=float16[96,260001]", 0, 1},
    {SHARE_DOWN, "a=float16[95,260001]", 0, 0},
    {SHARE_DOWN, "a=float16[96,260000]", 0, 0},
    {SHARE_DOWN, "a=float16[96,260001]", 2, 0},
    {SHARE_DOWN, "a=float16[128,260001]", 0, 1},
    {SHARE_DOWN, "a=float16[128,70001]", 0, 0},
    {SHARE_DOWN, "a=float16[2000,128,127]", 0, 0}, /* half a tile */
    {SHARE_DOWN, "a=float16[129,130001]", 0, 2},
    {NORM_DOWN, "a=float16[1000,70001]", 0, 8},
    {NORM_DOWN, "a=float16[1025,70001]", 0, 0},
    {SHARE_DOWN, "a=float32[128,70001]", 0, 0},
    {SHARE_DOWN, "a=float32[129,70001]", 0, 2},
    {NORM_DOWN, "a=float32[512,70001]", 0, 4},
    {NORM_DOWN, "a=float32[1024,70001]", 0, 8},
    {NORM_DOWN, "a=float32[1024,70000]", 0, 0},
    {SHARE_DOWN, "a=float64[512,70001]", 0, 0},
    {SHARE_DOWN, "a=float64[513,70001]", 0, 8},
    {NORM_DOWN, "a=float64[513,70001]", 0, 0},
    {"t = exp(a - max(a, axis=-2, keepdims=True)); t / sum(t, axis=-2, keepdims=True)",
     "a=float16[100,260001]", 0, 0},
    {"(a + b) / sum(a, axis=-2, keepdims=True)", "a=float16[100,260001] b=float16[100,260001]", 0,
     0},
    {NORM_DOWN " * g", "a=float16[100,260001] g=float16[260001]", 0, 0},
    {"float32(a) / sum(a, axis=-2, keepdims=True)", "a=float16[100,260001]", 0, 0},
};

START_TEST(columns_are_tiled_or_not)
{
  const ga_target card = {132, 227 * 1024, 0, 16, 0};
  const ga_variant v = variant_of(tiled[_i].text, tiled[_i].spec, &card, tiled[_i].at);
  ck_assert_msg((v.tiled != 0) == (tiled[_i].blocks != 0), "%s", tiled[_i].spec);
  if (v.tiled == 0) return;
  ck_assert_uint_eq(v.cluster, tiled[_i].blocks);
  ck_assert_uint_eq((unsigned int)v.across << v.lanes, v.threads * v.cluster);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(views_give_what_their_stages_give, sizeof views / sizeof views[0]),
    CASE_LOOP(threads_have_several_rows, sizeof several / sizeof several[0]),
    CASE_LOOP(tiles_give_what_stages_give, sizeof tiles / sizeof tiles[0]),
    CASE_LOOP(columns_are_tiled_or_not, sizeof tiled / sizeof tiled[0]),
    CASE_END,
};

int main(void)
{
  if (!host_kernel_available()) printf("chain-views: no C++ compiler; nothing was run\n");
  return test_main("chain-views", cases);
}
