/* SPDX-License-Identifier: MIT */
/* The generated kernels through NVRTC, for every architecture that is promised,
 * with no GPU: each skeleton in its forms, each operation and cast of each
 * dtype, each reduction. A warning of the compiler fails the test too. Skipped,
 * and said, where there is no NVRTC or it does not list an architecture. */
#define _GNU_SOURCE
#include <string.h>

#include "lib/backend.h"
#include "lib/cuda/nvrtc.h"

#include "tests/common.h"
#include "tests/program.h"
#include "tests/stages.h"

static const int archs[] = {75, 80, 86, 89, 90, 100, 120};
#define NARCHS (sizeof archs / sizeof archs[0])

#define BOX_NODES 128 /* of one kernel: more compile slowly */

/* NULL where this machine cannot compile for `arch`. */
static const ga_nvrtc *compiler(int arch)
{
  int got = 0;
  const ga_nvrtc *n = ga_nvrtc_pick(99, arch, &got);
  return n != NULL && got == arch ? n : NULL;
}

static void compile_stage(const ga_stage *st, int arch, unsigned int at, const char *name)
{
  const ga_nvrtc *n = compiler(arch);
  char option[32];
  const char *options[1 + GA_NVRTC_OPTIONS] = {option};
  unsigned char align[80];
  nvrtcProgram p = NULL;
  ga_layout l;
  ga_text t;
  size_t size = 0;
  const ga_target target = {132, 227 * 1024, 0, arch >= 90 ? 8 : 0, arch >= 90};
  /* Every skeleton waits for the kernels ahead of it, so that it may start early. */
  int early = arch >= 90;
  char *image;
  memset(align, (int)at, sizeof align);
  OK(ga_layout_make(&l, st));
  OK(ga_gen_text(&t, st, &l, align, &target));
  ck_assert_int_eq(strstr(ga_str_text(&t.main), "#define GA_WAITS") != NULL, early);
  if (n == NULL) {
    ga_text_clear(&t);
    ga_layout_clear(&l);
    return;
  }
  snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
  ck_assert_int_eq(n->fn.nvrtcCreateProgram(&p, ga_str_text(&t.main), "kernel.cu", (int)t.nheader,
                                            t.bodies, t.names),
                   0);
  ga_source src = {.nheader = t.nheader, .header_names = t.names};
  int r = n->fn.nvrtcCompileProgram(p, 1 + (int)ga_nvrtc_options(n, &src, options + 1), options);
  n->fn.nvrtcGetProgramLogSize(p, &size);
  if (r != 0 || size > 1) {
    char *log = calloc(1, size + 1);
    n->fn.nvrtcGetProgramLog(p, log);
    ck_abort_msg("%s for sm_%d:\n%s\n%s", name, arch, log, ga_str_text(&t.generated));
  }
  n->fn.nvrtcGetCUBINSize(p, &size);
  ck_assert_uint_gt(size, 0);
  image = malloc(size);
  ck_assert_ptr_nonnull(image);
  n->fn.nvrtcGetCUBIN(p, image);
  ck_assert_int_eq(memmem(image, size, "ga_waits", 8) != NULL, early);
  free(image);
  n->fn.nvrtcDestroyProgram(&p);
  ga_text_clear(&t);
  ga_layout_clear(&l);
}

static void compile(const stage_box *b, int arch, unsigned int at, const char *name)
{
  compile_stage(&b->st, arch, at, name);
}

/* ---- skeletons ------------------------------------------------------------ */

typedef struct shape {
  const char *name;
  enum ga_class cls;
  unsigned int nd, at; /* at: addresses modulo 16 */
  size_t dims[5];
  const char *axes;
  ssize_t a[5], o[5]; /* strides in elements */
} shape;

static const shape shapes[] = {
    {"contig", GA_CLASS_CONTIG, 1, 0, {1000}, NULL, {1}, {1}},
    {"contig shifted", GA_CLASS_CONTIG, 1, 8, {1000}, NULL, {1}, {1}},
    {"contig by bytes", GA_CLASS_CONTIG, 1, 1, {1000}, NULL, {1}, {1}},
    {"inner", GA_CLASS_INNER, 2, 0, {10, 64}, NULL, {68, 1}, {64, 1}},
    {"inner shifted",
     GA_CLASS_INNER,
     4,
     4,
     {9, 9, 9, 65},
     NULL,
     {65000, 6500, 650, 1},
     {5265, 585, 65, 1}},
    {"flat", GA_CLASS_INNER, 2, 4, {100, 33}, NULL, {34, 1}, {33, 1}},
    {"flat in 4-d", GA_CLASS_STRIDED, 4, 0, {9, 9, 9, 5}, NULL, {5, 0, 45, 1}, {405, 45, 5, 1}},
    {"flat, short rows", GA_CLASS_STRIDED, 2, 0, {100, 3}, NULL, {0, 1}, {3, 1}},
    {"flat, backwards", GA_CLASS_STRIDED, 2, 0, {100, 33}, NULL, {66, -1}, {33, 1}},
    {"flat, in steps", GA_CLASS_STRIDED, 1, 0, {1000}, NULL, {2}, {1}},
    {"gaps", GA_CLASS_INNER, 2, 0, {100, 33}, NULL, {33, 1}, {34, 1}},
    {"gaps, long rows", GA_CLASS_INNER, 2, 0, {100, 1001}, NULL, {1001, 1}, {1002, 1}},
    {"turned", GA_CLASS_TILE, 2, 0, {123, 249}, NULL, {1, 123}, {249, 1}},
    {"strided", GA_CLASS_STRIDED, 2, 0, {100, 40}, NULL, {80, 2}, {40, 1}},
    {"tile", GA_CLASS_TILE, 2, 0, {100, 100}, NULL, {1, 100}, {100, 1}},
    {"tile in 4-d",
     GA_CLASS_TILE,
     4,
     0,
     {9, 100, 9, 100},
     NULL,
     {90000, 1, 90000000, 100},
     {90000, 900, 100, 1}},
    {"strided wide",
     GA_CLASS_STRIDED,
     5,
     0,
     {9, 9, 9, 9, 1ul << 20},
     NULL,
     {1, 9, 81, 729, 6561},
     {6561ll << 20, 729ll << 20, 81ll << 20, 9ll << 20, 9}},
    {"rows", GA_CLASS_ROWS, 1, 0, {1ul << 24}, "r", {1}, {0}},
    {"rows wide", GA_CLASS_ROWS, 2, 4, {3, 1ul << 33}, "kr", {1ll << 33, 1}, {1, 0}},
    {"rows, many", GA_CLASS_ROWS, 2, 0, {100000, 1500}, "kr", {1500, 1}, {1, 0}},
    {"rows, short", GA_CLASS_ROWS, 2, 0, {100000, 33}, "kr", {33, 1}, {1, 0}},
    {"rows of rows", GA_CLASS_ROWS, 3, 0, {100, 10, 200}, "krr", {2222, 204, 1}, {1, 0, 0}},
    {"gather", GA_CLASS_GATHER, 3, 0, {100, 10, 200}, "krr", {4444, 408, 2}, {1, 0, 0}},
    {"gather bytes", GA_CLASS_GATHER, 2, 1, {100, 2000}, "kr", {4444, 2}, {1, 0}},
    {"columns", GA_CLASS_COLUMNS, 2, 0, {5000, 400}, "rk", {400, 1}, {0, 1}},
    {"columns, short", GA_CLASS_COLUMNS, 2, 0, {50, 40000}, "rk", {40000, 1}, {0, 1}},
    {"columns, narrow", GA_CLASS_COLUMNS, 2, 0, {5000, 33}, "rk", {33, 1}, {0, 1}},
    {"columns, tail", GA_CLASS_GATHER, 3, 0, {500, 40, 8}, "rkr", {320, 8, 1}, {0, 1, 0}},
    {"columns, tail of 16", GA_CLASS_ROWS, 3, 0, {500, 40, 16}, "rkr", {640, 16, 1}, {0, 1, 0}},
    {"columns apart",
     GA_CLASS_COLUMNS,
     4,
     0,
     {9, 50, 9, 403},
     "rkrk",
     {300000, 5000, 500, 1},
     {0, 403, 0, 1}},
    {"scan", GA_CLASS_SCAN_ROWS, 1, 0, {1ul << 24}, "s", {1}, {1}},
    {"scan wide", GA_CLASS_SCAN_ROWS, 2, 4, {3, 1ul << 33}, "ks", {1ll << 33, 1}, {1ll << 33, 1}},
    {"scan, tile", GA_CLASS_SCAN_ROWS, 2, 0, {1000, 8000}, "ks", {8000, 1}, {8000, 1}},
    {"scan, chunk", GA_CLASS_SCAN_ROWS, 2, 0, {100000, 1000}, "ks", {1000, 1}, {1000, 1}},
    {"scan, short", GA_CLASS_SCAN_ROWS, 2, 0, {100000, 33}, "ks", {33, 1}, {33, 1}},
    {"scan of all", GA_CLASS_SCAN_GATHER, 3, 0, {9, 100, 300}, "sss", {1, 9, 900}, {30000, 300, 1}},
    {"scan by bytes", GA_CLASS_SCAN_ROWS, 2, 1, {100, 20000}, "ks", {20000, 1}, {20000, 1}},
    {"scan of columns", GA_CLASS_SCAN_COLUMNS, 2, 0, {5000, 4000}, "sk", {4000, 1}, {4000, 1}},
    {"scan of columns, many",
     GA_CLASS_SCAN_COLUMNS,
     2,
     4,
     {50, 400000},
     "sk",
     {400000, 1},
     {400000, 1}},
    {"scan of columns apart",
     GA_CLASS_SCAN_COLUMNS,
     4,
     0,
     {9, 50, 9, 404},
     "kksk",
     {300000, 5000, 500, 1},
     {181800, 3636, 404, 1}},
};
#define NSHAPES (sizeof shapes / sizeof shapes[0])

static void shape_stage(stage_box *b, const shape *s, enum ga_dtype from, enum ga_dtype to)
{
  ssize_t a[5], o[5];
  for (int k = 0; k < 5; k++) {
    a[k] = s->a[k] * ga_dtypes[from].size;
    o[k] = s->o[k] * ga_dtypes[to].size;
  }
  box_init(b, s->nd, s->dims, s->axes);
  int x = box_operand(b, from, a, BOX_IN), y = box_operand(b, to, o, BOX_OUT);
  int v = box_cast(b, to, box_load(b, x, 0)), k = box_param(b, to, 0);
  v = box_op(b, GA_OP_add, v, k);
  if (s->axes != NULL && strpbrk(s->axes, "rs") != NULL) v = box_reduce(b, GA_REDUCE_max, v, -1);
  box_store(b, y, v);
}

START_TEST(skeletons_compile_everywhere)
{
  const shape *s = &shapes[_i / NARCHS];
  int arch = archs[_i % NARCHS];
  stage_box b;
  ga_layout l;
  shape_stage(&b, s, GA_DT_FLOAT32, GA_DT_FLOAT32);
  OK(ga_layout_make(&l, &b.st));
  ck_assert_msg(l.cls == s->cls, "%s: class %d, not %d", s->name, (int)l.cls, (int)s->cls);
  ga_layout_clear(&l);
  compile(&b, arch, s->at, s->name);
}
END_TEST

/* Every size of element meets every skeleton. */
START_TEST(skeletons_compile_for_all_sizes)
{
  static const enum ga_dtype from[] = {GA_DT_INT8, GA_DT_FLOAT16, GA_DT_FLOAT64, GA_DT_COMPLEX64,
                                       GA_DT_COMPLEX128};
  const shape *s = &shapes[_i / 5];
  stage_box b;
  shape_stage(&b, s, from[_i % 5], from[_i % 5]);
  compile(&b, 90, s->at, s->name);
  shape_stage(&b, s, from[_i % 5], GA_DT_COMPLEX128);
  compile(&b, 90, s->at, s->name);
}
END_TEST

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

/* ---- the user's text -------------------------------------------------------- */

static const struct {
  enum ga_dtype dtype;
  int half_as_float;
  const char *text;
} splices[] = {
    {GA_DT_FLOAT32, 0, "y = twice(x) * k; z += y; // a comment"},
    {GA_DT_FLOAT64, 0, "y = twice((float)x) * k; z += y"},
    {GA_DT_INT8, 0, "y = x << k; z += y"},
    {GA_DT_UINT64, 0, "y = x * 3u + k; z ^= y"},
    {GA_DT_FLOAT16, 1, "y = twice(x) * k; z += y"},
    {GA_DT_FLOAT16, 0, "y = ga_float2half(twice(ga_half2float(x)) * k); z = y"},
};
enum { NSPLICE = sizeof splices / sizeof splices[0], NMAP = 14 /* shapes of maps */ };

/* GpuElemwise's text in every skeleton of maps, for the oldest and newest GPUs too. */
START_TEST(spliced_texts_compile)
{
  static const char *const names[] = {"x", "y", "z"}, *const numbers[] = {"k"};
  static const unsigned char reads[] = {1, 0, 1};
  const shape *s = &shapes[_i / NSPLICE];
  const int some[] = {75, 90, 120};
  ga_splice splice = {splices[_i % NSPLICE].text,
                      "WITHIN_KERNEL ga_float twice(ga_float v) { return 2 * v; }\n",
                      names,
                      numbers,
                      reads,
                      splices[_i % NSPLICE].half_as_float};
  enum ga_dtype t = splices[_i % NSPLICE].dtype;
  stage_box b;
  ssize_t a[5], o[5];
  for (int k = 0; k < 5; k++) {
    a[k] = s->a[k] * ga_dtypes[t].size;
    o[k] = s->o[k] * ga_dtypes[t].size;
  }
  box_init(&b, s->nd, s->dims, s->axes);
  box_operand(&b, t, a, BOX_IN);
  b.stores[0] = (ga_store){box_operand(&b, t, o, BOX_OUT), -1};
  b.stores[1] = (ga_store){box_operand(&b, t, o, BOX_OUT), -1};
  b.st.nstore = 2;
  b.params[b.st.nparam++].dtype = GA_DT_INT32;
  b.st.splice = &splice;
  for (int k = 0; k < 3; k++)
    if (some[k] == 90 || s == shapes) compile(&b, some[k], s->at, s->name);
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
};

/* Columns: a lane each, lanes, chunks, clusters. */
static const char *const columns[] = {
    "a=float32[33,1000] g=float16[1000]", "a=float64[300,70] g=float64[70]",
    "a=bfloat16[2000,77] g=float32[1]",   "a=float32[1024,5000] g=float32[5000]",
    "a=float16[3000,5000] g=float32[1]",
};

static void compile_chain(const char *text, const char *spec, int arch, unsigned int at)
{
  ga_program *p = program_of(text, spec);
  ck_assert_uint_eq(p->nchain, 1);
  compile_stage(&p->chains[0].stage, arch, at, spec);
  ga_program_free(p);
}

START_TEST(chains_compile)
{
  int arch = archs[_i];
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k += arch == 90 ? 1 : 7)
    compile_chain("d = a - mean(a, axis=1, keepdims=True); s = sum(d*d, axis=1); "
                  "d / sqrt(s[:, None] + 1)*g",
                  chains[k], arch, k % 2 ? 0 : 4 * ((unsigned int)k & 2));
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k += arch == 90 ? 1 : 2)
    compile_chain("d = a - mean(a, axis=0); d / sqrt(sum(d*d, axis=0) + 1)*g", columns[k], arch, 0);
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

static const test_case cases[] = {
    CASE_LOOP(spliced_texts_compile, NMAP *NSPLICE),
    CASE_LOOP(chains_compile, NARCHS),
    CASE_LOOP(skeletons_compile_everywhere, NSHAPES *NARCHS),
    CASE_LOOP(skeletons_compile_for_all_sizes, NSHAPES * 5),
    CASE_LOOP(operations_compile, GA_NDTYPE),
    CASE_LOOP(casts_compile, GA_NDTYPE),
    CASE_LOOP(reductions_compile, GA_NREDUCE *GA_NDTYPE),
    CASE_LOOP(scans_compile, NSCANS *GA_NDTYPE),
    CASE_END,
};

int main(void)
{
  int strict = getenv("GA_TEST_STRICT") != NULL, missing = 0;
  for (size_t i = 0; i < NARCHS; i++)
    if (compiler(archs[i]) == NULL) {
      printf("compile: no NVRTC that lists sm_%d; skipped\n", archs[i]);
      missing++;
    }
  if (missing != 0 && strict) return EXIT_FAILURE;
  if (missing == (int)NARCHS) return 77;
  setenv("CK_FORK", "no", 0); /* NVRTC starts slowly: once is enough */
  return test_main("compile", cases);
}
