/* SPDX-License-Identifier: MIT */
/* Every skeleton in its forms through NVRTC, with elements of every size, and with
 * GpuElemwise's text. */
#define _GNU_SOURCE
#include "tests/compile.h"

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
    {"turned, lines vectors apart",
     GA_CLASS_TILE,
     3,
     0,
     {32, 33, 56},
     NULL,
     {33, 1, 1056},
     {1848, 56, 1}},
    {"woven", GA_CLASS_STRIDED, 3, 0, {2, 3, 5008}, NULL, {15024, 1, 3}, {15024, 5008, 1}},
    {"woven shifted", GA_CLASS_STRIDED, 3, 8, {2, 3, 5001}, NULL, {15003, 1, 3}, {15003, 5001, 1}},
    {"planes", GA_CLASS_STRIDED, 3, 0, {2, 5008, 4}, NULL, {20032, 1, 5008}, {20032, 4, 1}},
    {"planes shifted", GA_CLASS_STRIDED, 3, 8, {2, 5001, 4}, NULL, {20004, 1, 5001}, {20004, 4, 1}},
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
    {"columns, few rows", GA_CLASS_COLUMNS, 2, 0, {21, 1ul << 20}, "rk", {1l << 20, 1}, {0, 1}},
    {"columns, few shifted", GA_CLASS_COLUMNS, 2, 4, {30, 999999}, "rk", {999999, 1}, {0, 1}},
    {"columns, uneven", GA_CLASS_COLUMNS, 2, 0, {5000, 4001}, "rk", {4001, 1}, {0, 1}},
    {"columns, narrow", GA_CLASS_COLUMNS, 2, 0, {5000, 33}, "rk", {33, 1}, {0, 1}},
    {"boxes", GA_CLASS_GATHER, 3, 0, {500, 41, 3}, "rkr", {123, 3, 1}, {0, 1, 0}},
    {"boxes, one chunk", GA_CLASS_GATHER, 3, 0, {50, 41, 3}, "rkr", {123, 3, 1}, {0, 1, 0}},
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
    {"scan of boxes",
     GA_CLASS_SCAN_COLUMNS,
     3,
     0,
     {1000, 1001, 3},
     "ksk",
     {3003, 3, 1},
     {3003, 3, 1}},
    {"scan of rows as boxes", GA_CLASS_SCAN_ROWS, 2, 0, {10000, 65}, "ks", {65, 1}, {65, 1}},
    {"scan across boxes", GA_CLASS_SCAN_COLUMNS, 2, 0, {100, 100000}, "sk", {1, 100}, {100000, 1}},
    {"scan that crosses", GA_CLASS_SCAN_COLUMNS, 2, 0, {64, 100000}, "sk", {1, 64}, {100000, 1}},
    {"scan that crosses, long",
     GA_CLASS_SCAN_COLUMNS,
     3,
     0,
     {300, 200, 300},
     "ksk",
     {1, 300, 60000},
     {60000, 300, 1}},
    {"scan that crosses, few", GA_CLASS_SCAN_GATHER, 2, 0, {16, 9000}, "ks", {1, 16}, {9000, 1}},
    {"scan of long boxes",
     GA_CLASS_SCAN_COLUMNS,
     3,
     0,
     {2, 30000, 33},
     "ksk",
     {990000, 33, 1},
     {990000, 33, 1}},
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
    {"scan of a sheet",
     GA_CLASS_SCAN_COLUMNS,
     2,
     4,
     {5, 1000001},
     "sk",
     {1000001, 1},
     {1000001, 1}},
    {"scan of sheets",
     GA_CLASS_SCAN_COLUMNS,
     4,
     0,
     {4, 11, 9001, 97},
     "kskk",
     {9700000, 880000, 97, -1},
     {9604067, 873097, 97, 1}},
    {"scan along a sheet",
     GA_CLASS_SCAN_COLUMNS,
     2,
     0,
     {300, 300001},
     "sk",
     {300001, 1},
     {300001, 1}},
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

/* Operands that are fast along three axes (map_cross.cu). */
START_TEST(crossed_operands_compile)
{
  static const enum ga_dtype types[] = {GA_DT_INT8, GA_DT_FLOAT16, GA_DT_FLOAT32, GA_DT_FLOAT64,
                                        GA_DT_COMPLEX128};
  enum ga_dtype t = types[_i / NARCHS];
  const ssize_t n = ga_dtypes[t].size;
  const ssize_t strides[4][3] = {{5000, 100, 1}, {5000, 1, 50}, {1, 4000, 40}, {5000, 100, 1}};
  stage_box b;
  int v = -1;
  box_init(&b, 3, (size_t[]){40, 50, 100}, NULL);
  for (int i = 0; i < 4; i++) {
    const ssize_t *s = strides[i];
    int x = box_operand(&b, t, (ssize_t[]){s[0] * n, s[1] * n, s[2] * n}, i < 3 ? BOX_IN : BOX_OUT);
    if (i == 3)
      box_store(&b, x, v);
    else
      v = i == 0 ? box_load(&b, x, 0) : box_op(&b, GA_OP_add, v, box_load(&b, x, 0));
  }
  compile(&b, archs[_i % NARCHS], 0, "crossed");
}
END_TEST

/* A transpose beside more operands than a variant has bits for (map_tile.cu). */
START_TEST(tiles_of_many_operands_compile)
{
  stage_box b;
  int v;
  box_init(&b, 2, (size_t[]){64, 96}, NULL);
  v = box_load(&b, box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){4, 256}, BOX_IN), 0);
  for (int i = 0; i < 70; i++) {
    int x = box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){800, 4}, BOX_IN);
    v = box_op(&b, GA_OP_add, v, box_load(&b, x, 0));
  }
  box_store(&b, box_operand(&b, GA_DT_FLOAT32, (ssize_t[]){384, 4}, BOX_OUT), v);
  compile(&b, 90, 0, "many operands");
}
END_TEST

/* Reductions of two operands that are fast along two axes (reduce_cross.cu): rows of whole chunks,
 * of others, shorter than a chunk, and kept; in order and in none. */
START_TEST(crossed_reductions_compile)
{
  static const enum ga_dtype types[] = {GA_DT_INT8, GA_DT_FLOAT16, GA_DT_FLOAT32, GA_DT_FLOAT64,
                                        GA_DT_COMPLEX64};
  static const size_t dims[][2] = {{400, 2048}, {400, 2001}, {4000, 100}, {400, 2000}};
  enum ga_dtype t = types[_i < 20 ? _i % 5 : 2 + _i % 3];
  const ssize_t n = ga_dtypes[t].size;
  const size_t *d = dims[_i / 5 % 4];
  const ssize_t along[] = {(ssize_t)d[1] * n, n}, across[] = {n, (ssize_t)d[0] * n};
  stage_box b;
  box_init(&b, 2, d, _i / 5 % 4 == 3 ? "kr" : "rr");
  int x = box_operand(&b, t, along, BOX_IN), y = box_operand(&b, t, across, BOX_IN);
  int o = box_operand(&b, t, (ssize_t[]){n, 0}, BOX_OUT);
  int v = box_op(&b, GA_OP_multiply, box_load(&b, x, 0), box_load(&b, y, 0));
  box_store(&b, o, box_reduce(&b, _i < 20 ? GA_REDUCE_max : GA_REDUCE_sum, v, -1));
  compile(&b, archs[_i % (int)NARCHS], 0, "crossed reduction");
}
END_TEST

/* Reductions in no order of two operands that are fast along two kept axes (reduce_walks.cu): lines
 * that begin with words, with others, walked by neighbours or alike; of one, whose results cross.
 */
START_TEST(walked_reductions_compile)
{
  static const enum ga_dtype types[] = {GA_DT_INT8, GA_DT_FLOAT16, GA_DT_FLOAT32, GA_DT_FLOAT64,
                                        GA_DT_COMPLEX128};
  static const size_t dims[][3] = {
      {400, 200, 256}, {401, 201, 257}, {17, 2001, 1001}, {2000, 2001, 1001}};
  enum ga_dtype t = types[_i % 5];
  const ssize_t n = ga_dtypes[t].size;
  const size_t *d = dims[_i / 5];
  const ssize_t a[] = {(ssize_t)(d[1] * d[2]) * n, (ssize_t)d[2] * n, n};
  const ssize_t b[] = {(ssize_t)(d[1] * d[2]) * n, n, (ssize_t)d[1] * n};
  stage_box box;
  box_init(&box, 3, d, "rkk");
  int x = box_operand(&box, t, a, BOX_IN), y = box_operand(&box, t, b, BOX_IN);
  int o = box_operand(&box, t, (ssize_t[]){0, (ssize_t)d[2] * n, n}, BOX_OUT);
  int v = box_op(&box, GA_OP_multiply, box_load(&box, x, 0), box_load(&box, y, 0));
  box_store(&box, o, box_reduce(&box, GA_REDUCE_max, v, -1));
  compile(&box, archs[_i % (int)NARCHS], 0, "walked reduction");
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

static const test_case cases[] = {
    CASE_LOOP(spliced_texts_compile, NMAP *NSPLICE),
    CASE_LOOP(skeletons_compile_everywhere, NSHAPES *NARCHS),
    CASE_LOOP(skeletons_compile_for_all_sizes, NSHAPES * 5),
    CASE_LOOP(crossed_operands_compile, 5 * NARCHS),
    CASE_LOOP(walked_reductions_compile, 20),
    CASE_LOOP(crossed_reductions_compile, 40),
    CASE(tiles_of_many_operands_compile),
    CASE_END,
};

int main(void) { return compile_main("compile", cases); }
