/* SPDX-License-Identifier: MIT */
/* How many kernels a stage can have: shapes, strides, addresses and values by
 * chance give no more texts than codegen/gen.h says, and two calls that differ in
 * extents or values only share theirs. */
#include "codegen/gen.h"
#include "gpuarray.h"
#include "tests/cache_place.h"
#include "tests/common.h"
#include "tests/program.h"
#include "tests/stages.h"

static const ga_target target = {132, 227 * 1024, 0, 0, 0};
static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % n;
}

#define KEPT 4096
static char *texts[KEPT];
static unsigned int ntexts, ncrossed; /* of those, of SCAN_CROSS and its long form */

static char *text_of(const ga_stage *st, const unsigned char *align)
{
  ga_layout l;
  ga_text t;
  OK(ga_layout_make(&l, st));
  if (l.kept == 0) {
    ga_layout_clear(&l);
    return NULL;
  }
  int err = ga_gen_text(&t, st, &l, align, &target);
  if (err == GA_XLARGE_ERROR || err == GA_UNSUPPORTED_ERROR) {
    /* more blocks or leaves than a launch may have, or a row that does not fit */
    ga_layout_clear(&l);
    return NULL;
  }
  OK(err);
  size_t n = t.main.len + t.generated.len;
  char *s = malloc(n + 1);
  memcpy(s, t.main.s, t.main.len);
  memcpy(s + t.main.len, t.generated.s, t.generated.len + 1);
  ga_text_clear(&t);
  ga_layout_clear(&l);
  return s;
}

static void keep(char *s)
{
  if (s == NULL) return;
  for (unsigned int i = 0; i < ntexts; i++)
    if (strcmp(texts[i], s) == 0) {
      free(s);
      return;
    }
  ck_assert_uint_lt(ntexts, KEPT);
  ncrossed += strstr(s, "#include \"scan_cross") != NULL;
  texts[ntexts++] = s;
}

/* Strides of an operand over the axes: dense in some order, padded, stepped,
 * broadcast, reversed. Those of the largest extents wrap. */
static void random_strides(ssize_t *s, unsigned int nd, const size_t *dims, int full)
{
  unsigned int order[6];
  size_t step = 4 * (size_t)(1 + (rnd(4) == 0));
  for (unsigned int k = 0; k < nd; k++) order[k] = k;
  for (unsigned int k = nd; k > 1 && rnd(2); k--) {
    unsigned int j = rnd(k), t = order[k - 1];
    order[k - 1] = order[j];
    order[j] = t;
  }
  for (unsigned int k = nd; k-- > 0;) {
    unsigned int axis = order[k];
    s[axis] = (ssize_t)(!full && rnd(4) == 0 ? 0 : rnd(6) == 0 ? -step : step);
    step *= dims[axis];
    if (rnd(4) == 0) step += 4 * (size_t)rnd(5);
  }
}

enum { MAP, REDUCE, CHAIN, SCAN, NKINDS };

/* x = a + b, its sum, (x - sum), or its scan, over axes of chance. */
static void random_stage(stage_box *b, int kind, unsigned char *align)
{
  static const size_t extents[] = {1, 2, 3, 5, 31, 33, 64, 129, 1000, 2000, 70000, 1ul << 20};
  size_t dims[6];
  ssize_t s[6];
  char axes[7] = "kkkkkk";
  unsigned int nd = rnd(7);
  int reduce = kind != MAP;
  for (unsigned int k = 0; k < nd; k++) {
    dims[k] = extents[rnd(nd > 3 ? 8 : 12)];
    if (reduce && kind != SCAN && rnd(2)) axes[k] = 'r';
    if (kind == SCAN && rnd(nd + 1) == 0) axes[k] = 's';
  }
  if (reduce && kind != SCAN && nd > 0) axes[rnd(nd)] = 'r';
  if (kind == SCAN) {
    nd = nd > 0 ? nd : 1;
    unsigned int k = rnd(nd);
    axes[k] = 's';
    dims[k] = extents[1 + rnd(nd > 3 ? 7 : 11)];
  }
  if (reduce && nd == 0) {
    nd = 1;
    dims[0] = 1;
    axes[0] = 'r';
  }
  box_init(b, nd, dims, axes);
  int inputs = kind == SCAN ? 1 + (int)rnd(2) : 2;
  for (int i = 0; i < inputs; i++) {
    random_strides(s, nd, dims, i == 0);
    box_operand(b, GA_DT_FLOAT32, s, BOX_IN);
  }
  if (kind == REDUCE || rnd(2))
    box_c_order(b, kind == REDUCE ? 'k' : '*', 4, s);
  else
    random_strides(s, nd, dims, 1);
  box_operand(b, GA_DT_FLOAT32, s, BOX_OUT);
  int x = box_load(b, 0, 0);
  if (inputs == 2) x = box_op(b, GA_OP_add, x, box_load(b, 1, 0));
  int sum = reduce ? box_reduce(b, GA_REDUCE_sum, x, -1) : -1;
  if (kind == CHAIN) {
    b->operands[2].outer = 0;
    sum = box_node(b, GA_OP_subtract, GA_DT_FLOAT32, 2, box_load(b, 0, 2), sum, -1, -1);
  }
  box_store(b, inputs, reduce ? sum : x);
  for (int i = 0; i < 3; i++)
    align[i] = (unsigned char)(rnd(2) ? 0 : rnd(8) ? 4 * rnd(4) : rnd(16));
}

START_TEST(texts_of_many_stages_are_few)
{
  /* What chance met when this was written, and a third more. Boxes of scans that cross, whose
   * extents texts have, are counted apart. */
  static const unsigned int most[] = {2400, 2000, 1100, 1140}, most_crossed = 2400;
  ntexts = ncrossed = 0;
  for (int round = 0; round < 20000; round++) {
    stage_box b;
    unsigned char align[3];
    random_stage(&b, _i, align);
    ga_layout l;
    int err = ga_layout_make(&l, &b.st);
    ga_layout_clear(&l);
    if (err == GA_XLARGE_ERROR) continue;
    keep(text_of(&b.st, align));
  }
  ck_assert_uint_gt(ntexts, _i == MAP ? 20 : 50); /* chance met many */
  ck_assert_msg(ntexts - ncrossed <= most[_i], "%u texts of 20000 stages, at most %u",
                ntexts - ncrossed, most[_i]);
  ck_assert_msg(ncrossed <= most_crossed, "%u of crossed scans, at most %u", ncrossed,
                most_crossed);
  ck_assert_int_eq(_i == SCAN, ncrossed > 0);
  while (ntexts > 0) free(texts[--ntexts]);
}
END_TEST

/* A view of chance of an array of chance, with the extents of `dims` or 1. */
static void random_view(GpuArray *v, gpucontext *ctx, unsigned int nd, const size_t *dims)
{
  static const char *const cuts[] = {":%zu", "1:%zu", "::2", "::-1", ":1"};
  char spec[160] = "";
  size_t room[4];
  int cut[4];
  GpuArray a;
  for (unsigned int k = 0; k < nd; k++) {
    cut[k] = (int)rnd(5);
    room[k] = cut[k] == 1 ? dims[k] + 1 : cut[k] == 2 ? 2 * dims[k] : dims[k] + rnd(3);
    if (cut[k] == 3) room[k] = dims[k];
    snprintf(spec + strlen(spec), sizeof spec - strlen(spec), cuts[cut[k]],
             cut[k] == 1 ? dims[k] + 1 : dims[k]);
    strcat(spec, k + 1 < nd ? ", " : "");
  }
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, nd, room, rnd(2) ? GA_C_ORDER : GA_F_ORDER));
  OK(GpuArray_slice(v, &a, spec));
  GpuArray_clear(&a);
}

static const struct {
  const char *text;
  unsigned int bound;
} expressions[] = {
    {"a*2 + b", GA_MAP_VARIANTS(2)},
    {"sum(a + b, axis=-1)", GA_REDUCE_VARIANTS(2)},
    {"max(a + b, axis=0)", GA_REDUCE_VARIANTS(2)},
    {"s = sum(a, axis=-1); s*2 + sum(b, axis=-1)", 2 * GA_REDUCE_VARIANTS(1) + GA_MAP_VARIANTS(2)},
};

/* The same by calls: as many compilations as documented, none of them twice. */
START_TEST(expression_compiles_as_many_kernels_as_documented)
{
  gpucontext *ctx;
  GpuExpr *e;
  long met = 0;
  fresh();
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  OK(GpuExpr_new(&e, ctx, expressions[_i].text, GA_ARGS(ga_array("a", NULL), ga_array("b", NULL))));
  for (int round = 0; round < 2; round++) {
    seed = 5;
    for (int i = 0; i < 400; i++) {
      size_t dims[4];
      GpuArray a, b, r;
      unsigned int nd = 1 + rnd(4);
      for (unsigned int k = 0; k < nd; k++) dims[k] = 1 + rnd(nd > 2 ? 9 : 70);
      random_view(&a, ctx, nd, dims);
      random_view(&b, ctx, nd, dims);
      OK(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
      GpuArray_clear(&a);
      GpuArray_clear(&b);
      GpuArray_clear(&r);
    }
    if (round == 0) met = compiled();
  }
  ck_assert_int_eq(compiled(), met);
  ck_assert_int_gt(met, 10);
  ck_assert_msg(met <= (long)expressions[_i].bound, "%s: %ld kernels, at most %u are documented",
                expressions[_i].text, met, expressions[_i].bound);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

static const struct {
  const char *text, *one, *two;
} pairs[] = {
    {"k*a", "a=float32[1000] k=int", "a=float32[33,77] k=int"},
    {"a + b", "a=float32[40,52] b=float32[52]", "a=float32[4000,500] b=float32[500]"},
    {"a + b.T", "a=float32[400,520] b=float32[520,400]", "a=float32[72,640] b=float32[640,72]"},
    {"a + b.T", "a=int8[301,501] b=int8[501,301]", "a=int8[4001,999] b=int8[999,4001]"},
    {"sum(a)", "a=float32[100000]", "a=float32[7000,400]"},
    {"sum(a, axis=1)", "a=float32[1000,100]", "a=float32[77,28]"},
    {"sum(a, axis=0)", "a=float32[1000,100]", "a=float32[900,36]"},
    {"sum(a, axis=0)", "a=float32[3000,100]", "a=float32[5000,35]"},
    {"sum(a, axis=0)", "a=float16[3000,1001]", "a=float16[1025,2002]"},
    {"mean(a, axis=0)", "a=uint8[3000,3]", "a=uint8[5000,1001]"},
    {"argmax(a, axis=1)", "a=float32[10,3000]", "a=float32[8,5000]"},
    {"cumsum(a)", "a=float32[45000]", "a=float32[300,500]"},
    {"cumsum(a, axis=1)", "a=float32[10,300]", "a=float32[80,500]"},
    {"cumsum(a, axis=1)", "a=float32[10,600]", "a=float32[80,1000]"},
    {"cumsum(a, axis=0)", "a=float32[3000,100]", "a=float32[2000,500]"},
    {"cumsum(a, axis=0)", "a=float32[3000,3]", "a=float32[20000,7]"},
    {"cumsum(a, axis=1)", "a=float32[3000,33]", "a=float32[500,7]"},
};

/* Two expressions of as many kernels have the same texts. */
static void same_texts(ga_program *p, ga_program *q)
{
  unsigned char align[16] = {0};
  ck_assert_uint_eq(p->nstage, q->nstage);
  for (unsigned int k = 0; k < p->nstage; k++) {
    char *s = text_of(&p->stages[k], align), *t = text_of(&q->stages[k], align);
    ck_assert_str_eq(s, t);
    free(s);
    free(t);
  }
  ga_program_free(p);
  ga_program_free(q);
}

START_TEST(text_holds_no_extent)
{
  same_texts(program_of(pairs[_i].text, pairs[_i].one), program_of(pairs[_i].text, pairs[_i].two));
}
END_TEST

START_TEST(text_holds_no_value)
{
  const char *a = "a=float32[100]";
  same_texts(program_of("2*a + 0.5", a), program_of("3*a + 12345.678", a));
}
END_TEST

START_TEST(text_holds_no_name)
{
  unsigned char align[4] = {0};
  ga_program *p = program_of("2*secret", "secret=float32[100]");
  char *s = text_of(&p->stages[0], align);
  ck_assert_ptr_null(strstr(s, "secret"));
  free(s);
  ga_program_free(p);
}
END_TEST

/* Addresses are known modulo 16: rows of complex128, cut anew at each vector of two, do not tell
 * where float64 beside them lie. */
START_TEST(turned_rows_claim_what_is_known)
{
  static const struct {
    const char *text, *spec, *holds;
  } turned[] = {
      {"a.T + b", "a=float32[252,121] b=float32[121,252]", "GA_ALIGNED 1"},
      {"a.T + (b + float64(0))", "a=float32[252,121] b=float32[121,252]", "GA_ALIGNED 1"},
      {"a.T + (b + float64(0))", "a=float32[252,121] b=float64[121,252]", "GA_ALIGNED 1"},
      {"a.T + complex128(b)", "a=float32[252,121] b=float64[121,252]", "GA_ALIGNED 0"},
      {"x = a.T + 1; y = a.T*2.5", "a=float32[252,121] x=new y=new", "GA_STORE_VEC 1"},
      {"x = a.T + complex128(1); y = a.T*2", "a=float32[252,121] x=new y=new", "GA_STORE_VEC 0"},
  };
  unsigned char align[16] = {0};
  ga_program *p = program_of(turned[_i].text, turned[_i].spec);
  char *s = text_of(&p->stages[0], align);
  ck_assert_msg(strstr(s, "GA_HEIGHT") != NULL, "%s is not turned", turned[_i].text);
  ck_assert_msg(strstr(s, turned[_i].holds) != NULL, "%s: not %s", turned[_i].text,
                turned[_i].holds);
  free(s);
  ga_program_free(p);
}
END_TEST

/* ---- bad input ------------------------------------------------------------ */

START_TEST(generator_refuses_bad_arguments)
{
  stage_box b;
  ga_layout l;
  ga_text t;
  ga_launch launch;
  unsigned char align[4] = {0};
  box_init(&b, 1, (size_t[]){10}, NULL);
  int a = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4}, BOX_IN);
  int o = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4}, BOX_OUT);
  OK(ga_layout_make(&l, &b.st));
  FAILS(GA_VALUE_ERROR, "stores nothing", ga_gen_text(&t, &b.st, &l, align, &target));
  box_store(&b, o, box_load(&b, a, 0));
  FAILS(GA_VALUE_ERROR, "NULL", ga_gen_text(NULL, &b.st, &l, align, &target));
  FAILS(GA_VALUE_ERROR, "NULL", ga_gen_text(&t, NULL, &l, align, &target));
  FAILS(GA_VALUE_ERROR, "NULL", ga_gen_launch(&launch, &b.st, NULL, align, &target));
  FAILS(GA_VALUE_ERROR, "NULL", ga_gen_launch(&launch, &b.st, &l, NULL, &target));
  FAILS(GA_VALUE_ERROR, "NULL", ga_gen_launch(&launch, &b.st, &l, align, NULL));
  b.nodes[0].level = 2;
  FAILS(GA_UNSUPPORTED_ERROR, "level 2", ga_gen_text(&t, &b.st, &l, align, &target));
  b.nodes[0].level = 0;
  b.st.noperand = 1;
  FAILS(GA_VALUE_ERROR, "operands", ga_gen_text(&t, &b.st, &l, align, &target));
  ga_layout_clear(&l);
  ga_text_clear(NULL);
  ga_launch_clear(NULL);
}
END_TEST

START_TEST(too_many_parameters_are_refused)
{
  enum { N = 80 };
  static stage_box b;
  ga_layout l;
  ga_launch launch;
  unsigned char align[N] = {0};
  size_t dims[24];
  ssize_t s[24];
  for (int k = 0; k < 24; k++) dims[k] = 2;
  box_init(&b, 24, dims, NULL);
  int sum = -1;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 24; k++) s[k] = (ssize_t)4 << ((k * 7 + i) % 24 + 6);
    int o = box_operand(&b, GA_DT_FLOAT32, s, i == N - 1 ? BOX_OUT : BOX_IN);
    if (i == N - 1) break;
    int x = box_load(&b, o, 0);
    sum = sum < 0 ? x : box_op(&b, GA_OP_add, sum, x);
  }
  box_store(&b, N - 1, sum);
  OK(ga_layout_make(&l, &b.st));
  FAILS(GA_XLARGE_ERROR, "bytes of parameters", ga_gen_launch(&launch, &b.st, &l, align, &target));
  ga_layout_clear(&l);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(expression_compiles_as_many_kernels_as_documented, 4),
    CASE_LOOP(texts_of_many_stages_are_few, NKINDS),
    CASE_LOOP(text_holds_no_extent, sizeof pairs / sizeof pairs[0]),
    CASE_LOOP(turned_rows_claim_what_is_known, 6),
    CASE(text_holds_no_value),
    CASE(text_holds_no_name),
    CASE(generator_refuses_bad_arguments),
    CASE(too_many_parameters_are_refused),
    CASE_END,
};

int main(void) { return test_main("variants", cases); }
