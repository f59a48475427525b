/* SPDX-License-Identifier: MIT */
/* Which texts are chains, and which of those fit on chip. */
#include "tests/chains.h"

#define PIECES      "a - mean(a, axis=(0,2), keepdims=True)"
#define PIECES_NORM "d = " PIECES "; d / sqrt(mean(d*d, axis=(0,2), keepdims=True) + 1e-5)"

/* How a text is cut: chains, their members, operands that they read along the rows,
 * all operands (temporaries that only members read are none). */
static const struct {
  const char *text, *spec;
  unsigned int chains, members, along, operands;
} cuts[] = {
    {SOFTMAX, "a=float32[9,1000]", 1, 3, 1, 2},
    {NORM "*g + b", "a=float32[9,1000] g=float32[1000] b=float32[1000]", 1, 3, 3, 4},
    {"var(a, axis=1)", "a=float32[9,1000]", 1, 2, 1, 2},
    {"m = mean(a, axis=1); v = var(a, axis=1); m", "a=float32[9,1000] m=new v=new", 1, 2, 1, 4},
    {"a - mean(a)", "a=float32[1000]", 1, 2, 1, 2},
    {"a - mean(a, axis=0)", "a=float32[9,1000]", 1, 2, 1, 2},
    {"t = sum(a, axis=1); max(a/t[:,None], axis=1) + max(b/t[:,None], axis=1)",
     "a=float32[9,100] b=float32[9,100]", 1, 3, 2, 3},
    {"sum(a, axis=0) + sum(a, axis=1)", "a=float32[9,9]", 0, 0, 0, 0},
    {"a - argmax(a, axis=1)[:,None]", "a=float32[9,100]", 0, 0, 0, 0},
    {"s = sum(a, axis=1); a - s[::-1, None]", "a=float32[9,9]", 0, 0, 0, 0},
    {"s = sum(a, axis=1); a - s", "a=float32[9,9]", 0, 0, 0, 0},
    {"s = sum(a, axis=1, keepdims=True); sum(a.T - s, axis=1)", "a=float32[9,9]", 1, 2, 2, 3},
    {"sum(a)", "a=float32[9,9]", 0, 0, 0, 0},
};

START_TEST(chains_are_these)
{
  ga_program *p = program_of(cuts[_i].text, cuts[_i].spec);
  ck_assert_msg(p->nchain == cuts[_i].chains, "%s: %u chains", cuts[_i].text, p->nchain);
  if (p->nchain == 1) {
    const ga_chain *c = &p->chains[0];
    unsigned int along = 0;
    for (unsigned int i = 0; i < c->stage.noperand; i++)
      along += !c->stage.operands[i].write && !c->stage.operands[i].outer;
    ck_assert_msg(c->nmember == cuts[_i].members && along == cuts[_i].along &&
                      c->stage.noperand == cuts[_i].operands,
                  "%s: %u members, %u operands along rows, %u in all", cuts[_i].text, c->nmember,
                  along, c->stage.noperand);
  }
  ga_program_free(p);
}
END_TEST

/* What fits on chip, by the device's shared memory and the blocks that may share it. */
static const struct {
  const char *text, *spec;
  unsigned int shared, cluster;
  int fits;
} sizes[] = {
    {SOFTMAX, "a=float32[9,16384]", 0, 0, 1},
    {SOFTMAX, "a=float32[9,49152]", 227 * 1024, 0, 1},
    {SOFTMAX, "a=float32[9,49152]", 99 * 1024, 0, 0},
    {SOFTMAX, "a=float32[9,65536]", 227 * 1024, 0, 0},
    {SOFTMAX, "a=float32[9,131072]", 0, 8, 1},
    {SOFTMAX, "a=float32[9,131073]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=float32[9,212992]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=float32[9,212993]", 227 * 1024, 8, 0},
    {SOFTMAX, "a=float32[9,425984]", 227 * 1024, 16, 1},
    {SOFTMAX, "a=float32[9,425985]", 227 * 1024, 16, 0},
    {SOFTMAX, "a=float64[9,221184]", 227 * 1024, 16, 1},
    {SOFTMAX, "a=float16[9,524288]", 227 * 1024, 16, 1},
    {SOFTMAX, "a=float16[9,524289]", 227 * 1024, 16, 0},
    {SOFTMAX, "a=float32[9,425984]", 200 * 1024, 16, 0},
    {SOFTMAX, "a=float32[9,131073]", 227 * 1024, 0, 0},
    {SOFTMAX, "a=float64[9,221184]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=float64[9,221185]", 227 * 1024, 8, 0},
    {"m = max(a, axis=1, keepdims=True); s = sum(a*m, axis=1, keepdims=True); (a - s)/sum(a*s, "
     "axis=1, keepdims=True) + min(a*s, axis=1, keepdims=True)",
     "a=float64[9,131073]", 227 * 1024, 8, 0},
    {SOFTMAX, "a=float16[9,111616]", 227 * 1024, 0, 1},
    {SOFTMAX, "a=float16[9,111617]", 227 * 1024, 0, 0},
    {SOFTMAX, "a=float64[9,16384]", 48 * 1024, 0, 1},
    {SOFTMAX, "a=float64[9,20000]", 227 * 1024, 0, 1},
    {SOFTMAX, "a=float16[9,262144]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=bfloat16[9,131076]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=bfloat16[9,131073]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=float16[9,425984]", 227 * 1024, 8, 1},
    {SOFTMAX, "a=float16[9,425985]", 227 * 1024, 8, 0},
    {SOFTMAX, "a=float16[9,131076]", 227 * 1024, 0, 0},
    {"a - mean(a, axis=0)", "a=float32[900,1000]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float32[4096,5000]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float32[16384,5000]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float32[16385,5000]", 227 * 1024, 8, 0},
    {"a - mean(a, axis=0)", "a=float32[4097,5000]", 227 * 1024, 0, 0},
    {"a - mean(a, axis=0)", "a=float32[4096,500]", 227 * 1024, 8, 0},
    {"a - mean(a, axis=0)", "a=float16[2048,5000]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float16[4096,5001]", 227 * 1024, 0, 0},
    {"a - mean(a, axis=0)", "a=float16[8192,5008]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float16[16384,5008]", 227 * 1024, 8, 0},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[200,5000,2]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float16[4096,5008]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float16[4096,5000]", 227 * 1024, 8, 0},
    {DOWN, "a=float16[4096,5000]", 227 * 1024, 8, 1},
    {"s = sum(a, axis=1, keepdims=True); sum(a.T - s, axis=1)", "a=float32[9,9]", 227 * 1024, 8, 0},
    {DOWN, "a=float32[9000,5000]", 227 * 1024, 8, 1},
    {DOWN, "a=float32[9000,5001]", 227 * 1024, 8, 0},
    {"a - mean(a, axis=0)", "a=float64[3000,2400]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float64[3000,2401]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=float64[5000,3000]", 227 * 1024, 8, 1},
    {"a - mean(a, axis=0)", "a=int32[5000,3000]", 227 * 1024, 8, 0},
    {"exp(a) - mean(exp(a), axis=0)", "a=float64[5000,3000]", 227 * 1024, 8, 0},
    {PIECES, "a=float32[12,900,5]", 227 * 1024, 8, 1},
    {PIECES, "a=float32[51,900,5]", 227 * 1024, 8, 1},
    {PIECES, "a=float32[52,900,5]", 227 * 1024, 8, 0},
    {PIECES, "a=float32[32,900,8]", 227 * 1024, 8, 1},
    {PIECES, "a=float32[33,900,8]", 227 * 1024, 8, 0},
    {PIECES, "a=float32[12,900,16]", 227 * 1024, 8, 1},
    {PIECES, "a=float32[20,900,10,64]", 227 * 1024, 8, 1},
    {PIECES, "a=float32[20,900,10,65]", 227 * 1024, 8, 0},
    {"d = " PIECES "; d/max(d, axis=(0,2), keepdims=True)", "a=float32[204,900,5]", 227 * 1024, 8,
     1},
    {"d = " PIECES "; d/max(d, axis=(0,2), keepdims=True)", "a=float32[205,900,5]", 227 * 1024, 8,
     0},
    {"d = " PIECES "; d/max(d, axis=(0,2), keepdims=True)", "a=float64[51,900,5]", 227 * 1024, 8,
     1},
    {"d = " PIECES "; d/max(d, axis=(0,2), keepdims=True)", "a=float64[52,900,5]", 227 * 1024, 8,
     0},
    {"d = " PIECES "; exp(d)/sum(exp(d), axis=(0,2), keepdims=True)", "a=float64[25,900,5]",
     227 * 1024, 8, 1},
    {"d = " PIECES "; exp(d)/sum(exp(d), axis=(0,2), keepdims=True)", "a=float64[26,900,5]",
     227 * 1024, 8, 0},
    {"x = a[:,:,:100]; x - mean(x, axis=(0,2), keepdims=True)", "a=float32[3,900,101]", 227 * 1024,
     8, 1},
    {"x = a[:,:,:400]; x - mean(x, axis=(0,2), keepdims=True)", "a=float32[3,900,401]", 227 * 1024,
     8, 0},
    {"d = " PIECES "; exp(d)/sum(exp(d), axis=(0,2), keepdims=True)", "a=float64[8,900,128]",
     227 * 1024, 8, 1},
    {"d = " PIECES "; exp(d)/sum(exp(d), axis=(0,2), keepdims=True)", "a=float64[8,900,132]",
     227 * 1024, 8, 0},
    {"exp(" PIECES ")", "a=float64[8,900,132]", 227 * 1024, 8, 1},
    {"d = " PIECES "; exp(d)/sum(exp(d), axis=(0,2), keepdims=True)", "a=float32[8,900,132]",
     227 * 1024, 8, 1},
    {TURNED("1"), "a=float32[8192,300]", 227 * 1024, 8, 1},
    {TURNED("0"), "a=float32[5000,8192]", 227 * 1024, 8, 1},
};

START_TEST(rows_fit_or_do_not)
{
  ga_program *p = program_of(sizes[_i].text, sizes[_i].spec);
  const ga_target t = {132, sizes[_i].shared, 0, sizes[_i].cluster, 0};
  const unsigned char align[64] = {0};
  ga_layout l;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  ck_assert_msg(ga_gen_chain_fits(&p->chains[0].stage, &l, align, &t) == sizes[_i].fits,
                "%s (%s) in %u bytes, %u blocks", sizes[_i].text, sizes[_i].spec, sizes[_i].shared,
                sizes[_i].cluster);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Rows that only two chunks a warp hold are a chain where all operands lie on their elements. */
START_TEST(rows_beside_odd_addresses_do_not_fit)
{
  static const ga_target t = {132, 227 * 1024, 0, 8, 0};
  ga_program *p = program_of("(a - mean(a, axis=1, keepdims=True))*c[:, None]",
                             "a=float16[9,131076] c=float16[9]");
  const ga_stage *st = &p->chains[0].stage;
  unsigned char align[64] = {0};
  ga_layout l;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, st));
  for (int odd = 0; odd < 2; odd++) {
    for (unsigned int i = 0; i < st->noperand; i++)
      if (st->operands[i].strides[1] == 0) align[i] = (unsigned char)odd;
    ck_assert_int_eq(ga_gen_chain_fits(st, &l, align, &t), !odd);
  }
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* Chunks of a cluster's blocks that the column has not: lanes stop at its end. */
static const struct {
  const char *text, *spec;
} odd_chunks[] = {
    {"a - mean(a, axis=0)", "a=float32[9216,5000]"},
    {"a - mean(a, axis=0)", "a=float32[10240,5000]"},
    {"a - mean(a, axis=0)", "a=float32[15360,8]"},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[200,3072,8]"},
    {"a - mean(a, axis=1, keepdims=True)", "a=float32[200,5120,8]"},
};

START_TEST(columns_end_where_they_end)
{
  ga_program *p = program_of(odd_chunks[_i].text, odd_chunks[_i].spec);
  const ga_target t = {132, 227 * 1024, 0, 8, 0};
  const unsigned char align[16] = {0};
  uint64_t own;
  ga_layout l;
  ga_variant v;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &t));
  ck_assert_int_eq(v.skeleton, GA_SKEL_CHAIN_COLUMNS);
  ck_assert_uint_gt(v.cluster, 1);
  own = v.threads / (unsigned int)v.across >> v.lanes;
  ck_assert_msg(v.whole != 2 || v.cluster * own <= l.reduced / 1024, "%s: %u blocks of %u chunks",
                odd_chunks[_i].spec, v.cluster, (unsigned int)own);
  ga_layout_clear(&l);
  ga_program_free(p);
}
END_TEST

/* What an H200 does with the text's one chain. */
static ga_variant variant_of(const char *text, const char *spec)
{
  ga_program *p = program_of(text, spec);
  const ga_target t = {132, 227 * 1024, 0, 8, 0};
  const unsigned char align[16] = {0};
  ga_layout l;
  ga_variant v;
  OK(ga_layout_make(&l, &p->chains[0].stage));
  OK(ga_variant_choose(&v, &p->chains[0].stage, &l, align, &t));
  ga_layout_clear(&l);
  ga_program_free(p);
  return v;
}

/* Threads of a block of columns, and blocks of a multiprocessor: of pairs of elements of two bytes
 * two large ones, where there were one, but not where they carry functions or many make them. */
#define LOG_DOWN \
  "d = a - max(a, axis=0, keepdims=True); d - log(sum(exp(d), axis=0, keepdims=True))"
#define CENTER "a - mean(a, axis=0)"
static const struct {
  const char *text, *spec;
  unsigned int threads, resident;
} blocks[] = {
    {CENTER, "a=float16[300,223696]", 512, 2},    {CENTER, "a=bfloat16[512,131072]", 512, 2},
    {CENTER, "a=float32[300,111848]", 256, 3},    {DOWN, "a=float16[300,223696]", 512, 1},
    {LOG_DOWN, "a=bfloat16[350,134216]", 512, 2}, {LOG_DOWN, "a=bfloat16[400,134216]", 512, 1},
};

START_TEST(columns_have_so_many_blocks)
{
  const ga_variant v = variant_of(blocks[_i].text, blocks[_i].spec);
  ck_assert_int_eq(v.skeleton, GA_SKEL_CHAIN_COLUMNS);
  ck_assert_msg(v.threads == blocks[_i].threads && v.resident == blocks[_i].resident,
                "%s (%s): blocks of %u threads, %u", blocks[_i].text, blocks[_i].spec, v.threads,
                v.resident);
}
END_TEST

/* Fours of a thread, and whether all are there or not, of rows of several axes: two chunks a warp
 * where those are of two bytes, of several levels and make no functions. */
static const struct {
  const char *text, *spec;
  int fours, whole;
} fours[] = {
    {PIECES_NORM, "a=bfloat16[16,2796,1500]", 16, 1},
    {PIECES_NORM, "a=bfloat16[16,2796,1536]", 16, 2},
    {PIECES_NORM, "a=bfloat16[16,2796,1024]", 8, 2},
    {PIECES_NORM, "a=float32[16,2796,1500]", 8, 1},
    {PIECES, "a=bfloat16[16,2796,1500]", 8, 1},
    {"exp(" PIECES ")", "a=bfloat16[16,2796,1500]", 8, 1},
    {PIECES_NORM, "a=bfloat16[5,44739,300]", 12, 1},
    {PIECES_NORM, "a=bfloat16[4,44739,256]", 8, 2},
};

START_TEST(rows_of_several_axes_are_fours)
{
  const ga_variant v = variant_of(fours[_i].text, fours[_i].spec);
  ck_assert_int_eq(v.skeleton, GA_SKEL_CHAIN);
  ck_assert_msg(v.fours == fours[_i].fours && v.whole == fours[_i].whole,
                "%s (%s): %d fours, whole %d", fours[_i].text, fours[_i].spec, v.fours, v.whole);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(rows_of_several_axes_are_fours, sizeof fours / sizeof fours[0]),
    CASE_LOOP(columns_have_so_many_blocks, sizeof blocks / sizeof blocks[0]),
    CASE_LOOP(chains_are_these, sizeof cuts / sizeof cuts[0]),
    CASE_LOOP(rows_fit_or_do_not, sizeof sizes / sizeof sizes[0]),
    CASE(rows_beside_odd_addresses_do_not_fit),
    CASE_LOOP(columns_end_where_they_end, sizeof odd_chunks / sizeof odd_chunks[0]),
    CASE_END,
};

int main(void) { return test_main("chain-fits", cases); }
