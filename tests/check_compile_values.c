/* SPDX-License-Identifier: MIT */
/* Each operation, cast, reduction and scan of each dtype through NVRTC, and chains in
 * their forms. */
#define _GNU_SOURCE
#include "codegen/gen.h"
#include "tests/compile.h"
#include "tests/program.h"

#define BOX_NODES 128 /* of one kernel: more compile slowly */

/* ---- scalar functions ----------------------------------------------------- */

static const struct {
  int nargs;
  const char *loops;
  int flags;
} rows[GA_NOP] = {
#define OP(name, nargs, loops, result, flags) [GA_OP_##name - GA_N_OP] = {nargs, loops, flags},
#include "codegen/ops.def"
#undef OP
};

static enum ga_dtype part(enum ga_dtype t)
{
  return t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : t == GA_DT_COMPLEX128 ? GA_DT_FLOAT64 : t;
}

static const int results[GA_NOP] = {
#define OP(name, nargs, loops, result, flags) [GA_OP_##name - GA_N_OP] = GA_RESULT_##result,
#include "codegen/ops.def"
#undef OP
};

/* All operations of one dtype, added up. */
START_TEST(operations_compile)
{
  enum ga_dtype t = (enum ga_dtype)_i;
  stage_box b;
  ssize_t s[1] = {ga_dtypes[t].size};
  box_init(&b, 1, (size_t[]){1000}, NULL);
  int x = box_operand(&b, t, s, BOX_IN), y = box_operand(&b, t, s, BOX_IN);
  int o = box_operand(&b, t, s, BOX_OUT);
  int u = box_load(&b, x, 0), v = box_load(&b, y, 0), sum = u;
  int cond = box_cast(&b, GA_DT_BOOL, u);
  for (int op = 0; op < GA_NOP && b.st.nnode + 6 < BOX_NODES; op++) {
    enum ga_dtype r = results[op] == GA_RESULT_BOOL   ? GA_DT_BOOL
                      : results[op] == GA_RESULT_REAL ? part(t)
                                                      : t;
    if (strchr(rows[op].loops, ga_dtypes[t].ch) == NULL) continue;
    int n = rows[op].flags & GA_OP_COND
                ? box_node(&b, GA_N_OP + op, r, 0, cond, u, v, -1)
                : box_node(&b, GA_N_OP + op, r, 0, u, rows[op].nargs > 1 ? v : -1, -1, -1);
    if (r != t) n = box_cast(&b, t, n);
    sum = box_op(&b, GA_OP_add, sum, n);
    if (b.st.nnode + 6 >= BOX_NODES) { /* full: one kernel more */
      box_store(&b, o, sum);
      compile(&b, 90, 0, ga_dtypes[t].name);
      b.st.nnode = 3;
      b.st.nstore = 0;
      sum = u;
    }
  }
  box_store(&b, o, sum);
  compile(&b, 90, 0, ga_dtypes[t].name);
}
END_TEST

/* One dtype into every other and back. */
START_TEST(casts_compile)
{
  enum ga_dtype t = (enum ga_dtype)_i;
  stage_box b;
  ssize_t s[1] = {ga_dtypes[t].size};
  box_init(&b, 1, (size_t[]){1000}, NULL);
  int x = box_operand(&b, t, s, BOX_IN), o = box_operand(&b, t, s, BOX_OUT);
  int u = box_load(&b, x, 0), sum = u;
  for (int to = 0; to < GA_NDTYPE; to++)
    sum = box_op(&b, GA_OP_add, sum, box_cast(&b, t, box_cast(&b, (enum ga_dtype)to, u)));
  box_store(&b, o, sum);
  compile(&b, 90, 0, ga_dtypes[t].name);
}
END_TEST

static const struct {
  const char *name, *loops;
} reductions[GA_NREDUCE] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = {#name, loops},
#include "codegen/reduce.def"
#undef REDUCE
};

/* The dtype that `op` accumulates t in. */
static enum ga_dtype accumulator(int op, enum ga_dtype t)
{
  if (op != GA_REDUCE_sum && op != GA_REDUCE_prod) return t;
  switch (ga_dtypes[t].kind) {
  case 'b':
  case 'i': return GA_DT_INT64;
  case 'u': return GA_DT_UINT64;
  case 'f': return t == GA_DT_FLOAT64 ? t : GA_DT_FLOAT32;
  default: return t;
  }
}

START_TEST(reductions_compile)
{
  int op = _i / GA_NDTYPE;
  enum ga_dtype t = (enum ga_dtype)(_i % GA_NDTYPE), acc = accumulator(op, t);
  int arg = op == GA_REDUCE_argmin || op == GA_REDUCE_argmax;
  stage_box b;
  ssize_t s[1] = {ga_dtypes[t].size}, none[1] = {0};
  if (strchr(reductions[op].loops, ga_dtypes[t].ch) == NULL) return;
  box_init(&b, 1, (size_t[]){1000000}, "r");
  int x = box_operand(&b, t, s, BOX_IN),
      o = box_operand(&b, arg ? GA_DT_INT64 : acc, none, BOX_OUT);
  int v = box_load(&b, x, 0);
  if (acc != t) v = box_cast(&b, acc, v);
  box_store(&b, o, box_reduce(&b, (enum ga_reduce_op)op, v, arg ? box_iota(&b) : -1));
  compile(&b, 90, 0, reductions[op].name);
}
END_TEST

/* As many at once as shared memory has room for, sums of 32 bits in chunks among them. */
static const char *const many[] = {
    "a=float64[5000,333] b=float64[5000,333] c=int8[5000,333]",
    "a=int8[5000,333] b=int8[5000,333] c=int8[5000,333]",
    "a=float32[5000,333] b=float32[5000,333] c=int8[5000,333]",
};

START_TEST(many_reductions_compile)
{
  ga_program *p = program_of("sum(a, axis=0) + sum(b, axis=0) + sum(c, axis=0) + sum(a*b, axis=0)"
                             " + sum(a*a, axis=0) + sum(b*b, axis=0) + sum(a - b, axis=0)"
                             " + sum(a + b, axis=0)",
                             many[_i]);
  compile_stage(&p->stages[0], 90, 0, many[_i]);
  ga_program_free(p);
}
END_TEST

/* ---- chains ---------------------------------------------------------------- */

/* Rows of every form: lanes, a warp, a block, shared memory or a cluster; cut or not,
 * aligned, by way of shared memory or neither. Architectures but one get the first and
 * the cluster's. */
static const char *const chains[] = {
    "a=float32[9,33] g=float32[33]",       "a=float32[9,128] g=float16[128]",
    "a=float16[9,1000] g=float32[1000]",   "a=float32[9,1023] g=int8[1023]",
    "a=float32[9,4096] g=float64[4096]",   "a=float64[9,5001] g=float64[5001]",
    "a=bfloat16[9,20000] g=float32[1]",    "a=float32[9,40001] g=float32[40001]",
    "a=complex64[9,2000] g=float32[2000]", "a=float16[9,4095] g=float16[4095]",
    "a=float64[9,33] g=float32[33]",       "a=int8[9,300] g=float32[300]",
    "a=float64[9,3002] g=float64[3002]",   "a=float64[9,16384] g=float64[1]",
    "a=float32[9,1280] g=float32[1280]",   "a=float16[9,1101] g=float16[1101]",
};

/* Columns: a lane each, lanes, chunks; each second may ask for clusters. */
static const char *const columns[] = {
    "a=float32[33,1000] g=float16[1000]", "a=float64[300,70] g=float64[70]",
    "a=bfloat16[2000,80] g=float32[1]",   "a=float32[1024,5000] g=float32[5000]",
    "a=float16[3000,5008] g=float32[1]",  "a=float16[6000,5008] g=float16[5008]",
    "a=float16[90,64] g=float16[64]",     "a=float32[6000,5000] g=float32[5000]",
    "a=float16[90,700,6] g=float32[6]",   "a=float16[6000,800,16] g=float16[16]",
};

/* Those of which a block would have less than a sector of a row on some cards, which have a kernel
 * a level of them. */
static const char *const cut_columns[] = {
    "a=bfloat16[2000,77] g=float32[1]",
    "a=float16[3000,5000] g=float32[1]",
    "a=float16[6000,5000] g=float16[5000]",
    "a=float16[6000,800,6] g=float16[6]",
};

/* Those that go by tiles: a lane a column, and in clusters of parts of every width. */
static const char *const tiles[] = {
    "a=float16[100,260001]", "a=float16[300,130001]", "a=bfloat16[1000,70001]",
    "a=float32[500,70001]",  "a=float32[1000,40001]",
};

/* The same of an array whose transpose is walked down: elements are vectors along the columns,
 * or results, of 4 bytes and more; and of rows that go backwards, as what all have does then. */
#define DOWN   "x = a.T; d = x - mean(x, axis=0, keepdims=True); d*2"
#define ACROSS "x = a.T; d = x - mean(x, axis=1, keepdims=True); d*2"
#define GAMMA  "x = a.T; d = x - mean(x, axis=1, keepdims=True); d*g"
#define BACK   "x = a[:, ::-1]; d = x - mean(x, axis=1, keepdims=True); d*g"
static const char *const lengthwise[][2] = {
    {DOWN, "a=float32[300,1000]"},
    {ACROSS, "a=float32[300,1000]"},
    {DOWN, "a=float16[1500,512]"},
    {DOWN, "a=float64[72,300]"},
    {ACROSS, "a=float64[72,300]"},
    {DOWN, "a=float32[304,1000]"},
    {ACROSS, "a=float32[304,1000]"},
    {BACK, "a=float32[300,192] g=float16[192]"},
    {GAMMA, "a=float32[2047,300] g=float32[2047]"},
    {GAMMA, "a=float16[303,300] g=float16[303]"},
};

/* Of an array in another order than the result, by boxes of up to four axes. */
static const char *const boxes[] = {
    "a=float16[48,3,1000]", "a=float64[7,12,2,45,1]", "a=bfloat16[33,100,64]",
    "a=int8[41,5,67]",      "a=float32[48,71,2]",
};

static void compile_chain(const char *text, const char *spec, int arch, unsigned int at)
{
  ga_program *p = program_of(text, spec);
  ck_assert_uint_eq(p->nchain, 1);
  compile_stage(&p->chains[0].stage, arch, at, spec);
  ga_program_free(p);
}

/* The same, or where a card of that architecture does not take it as a chain what it has instead.
 */
static void compile_chain_or_stages(const char *text, const char *spec, int arch)
{
  const ga_target target = target_of(arch);
  const unsigned char align[80] = {0};
  ga_program *p = program_of(text, spec);
  ga_layout l;
  ck_assert_uint_eq(p->nchain, 1);
  OK(ga_layout_make(&l, &p->chains[0].stage));
  if (ga_gen_chain_fits(&p->chains[0].stage, &l, align, &target))
    compile_stage(&p->chains[0].stage, arch, 0, spec);
  else
    for (unsigned int k = 0; k < p->nstage; k++) compile_stage(&p->stages[k], arch, 0, spec);
  ga_layout_clear(&l);
  ga_program_free(p);
}

#define NORM_DOWN "d = a - mean(a, axis=0); d / sqrt(sum(d*d, axis=0) + 1)"

START_TEST(chains_compile)
{
  int arch = archs[_i];
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k += arch == 90 ? 1 : 7)
    compile_chain("d = a - mean(a, axis=1, keepdims=True); s = sum(d*d, axis=1); "
                  "d / sqrt(s[:, None] + 1)*g",
                  chains[k], arch, k % 2 ? 0 : 4 * ((unsigned int)k & 2));
  for (size_t k = 0; k < sizeof lengthwise / sizeof *lengthwise; k += arch == 90 ? 1 : 3)
    compile_chain(lengthwise[k][0], lengthwise[k][1], arch, 0);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k += arch == 90 ? 1 : 2)
    compile_chain(NORM_DOWN "*g", columns[k], arch, 0);
  for (size_t k = 0; k < sizeof cut_columns / sizeof *cut_columns; k++)
    compile_chain_or_stages(NORM_DOWN "*g", cut_columns[k], arch);
  for (size_t k = 0; k < sizeof tiles / sizeof *tiles; k += arch == 90 ? 1 : 3)
    compile_chain(NORM_DOWN, tiles[k], arch, 0);
  for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k += arch == 90 ? 1 : 4)
    compile_chain("x = a.T; x - max(x, axis=-2, keepdims=True)", boxes[k], arch, 0);
}
END_TEST

/* Results that no vector fits go by way of shared memory, one after the other. */
START_TEST(scans_of_many_results_compile)
{
  ga_program *p = program_of("s = cumsum(a, axis=1); t = complex128(s); u = int64(s);"
                             " w = float64(s); x = complex64(s); y = uint64(s); y",
                             "a=float32[3,8001]");
  compile_stage(&p->stages[0], archs[_i], 0, "scan of many results");
  ga_program_free(p);
}
END_TEST

static const enum ga_reduce_op scans[] = {
#define SCAN(name, reduce) GA_REDUCE_##reduce,
#include "codegen/scan.def"
#undef SCAN
};
#define NSCANS (sizeof scans / sizeof scans[0])

START_TEST(scans_compile)
{
  enum ga_reduce_op op = scans[_i / GA_NDTYPE];
  enum ga_dtype t = (enum ga_dtype)(_i % GA_NDTYPE), acc = accumulator((int)op, t);
  stage_box b;
  ssize_t s[1] = {ga_dtypes[t].size}, o[1] = {ga_dtypes[acc].size};
  box_init(&b, 1, (size_t[]){1000000}, "s");
  b.st.scan = GA_SCAN_EXCLUSIVE;
  int x = box_operand(&b, t, s, BOX_IN), y = box_operand(&b, acc, o, BOX_OUT);
  int v = box_load(&b, x, 0);
  if (acc != t) v = box_cast(&b, acc, v);
  box_store(&b, y, box_reduce(&b, op, v, -1));
  compile(&b, 90, 0, reductions[op].name);
}
END_TEST

/* Complex operations one by one: sums, products and quotients without the functions that others
 * stand on. */
START_TEST(complex_operations_compile_alone)
{
  static const struct {
    const char *text;
    int more;
  } alone[] = {{"x + y", 0},  {"x*y - 2*x", 0}, {"x/(y + 1)", 0},     {"-square(x)", 0},
               {"abs(x)", 1}, {"sqrt(x)", 1},   {"maximum(x, y)", 1}, {"real(x)", 1},
               {"x + f", 1},  {"sum(x)", 1},    {"exp(x)", 1}};
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
    ga_program *p = program_of(alone[i].text, _i ? "x=complex128[1000] y=complex128[1000] f=float32"
                                                 : "x=complex64[1000] y=complex64[1000] f=float32");
    ga_str use = {0};
    ga_gen_use(&use, &p->stages[0]);
    ck_assert_msg(alone[i].more == (strstr(ga_str_text(&use), "GA_USE_MORE") != NULL ||
                                    strstr(ga_str_text(&use), "GA_USE_MATH") != NULL),
                  "%s", alone[i].text);
    ga_str_clear(&use);
    compile_stage(&p->stages[0], 90, 0, alone[i].text);
    ga_program_free(p);
  }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(complex_operations_compile_alone, 2),
    CASE_LOOP(chains_compile, NARCHS),
    CASE_LOOP(scans_of_many_results_compile, NARCHS),
    CASE_LOOP(operations_compile, GA_NDTYPE),
    CASE_LOOP(casts_compile, GA_NDTYPE),
    CASE_LOOP(reductions_compile, GA_NREDUCE *GA_NDTYPE),
    CASE_LOOP(many_reductions_compile, sizeof many / sizeof *many),
    CASE_LOOP(scans_compile, NSCANS *GA_NDTYPE),
    CASE_END,
};

int main(void) { return compile_main("compile_values", cases); }
