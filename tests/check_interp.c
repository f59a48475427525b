/* SPDX-License-Identifier: MIT */
/* The CPU device's interpreter against the reference of cpu_stage.h: maps and
 * reductions of every shape, layout and thread count give the reference's bits,
 * and write nothing else. */
#include "tests/common.h"

#include <math.h>
#include <pthread.h>

#include "lib/cpu/cpu.h"
#include "lib/util/pool.h"
#include "tests/cpu_stage.h"

static const unsigned int thread_counts[] = {1, 2, 3, 8};

/* Equal bytes, or both NaN: NaN's sign and payload are not promised. */
static int same(enum ga_dtype t, const unsigned char *a, const unsigned char *b)
{
  size_t size = ga_dtypes[t].size, parts = ga_dtypes[t].kind == 'c' ? 2 : 1;
  enum ga_dtype pt = part_dtype(t);
  if (memcmp(a, b, size) == 0) return 1;
  for (size_t i = 0; i < parts; i++, a += size / parts, b += size / parts) {
    double x, y;
    const void *pa[] = {a}, *pb[] = {b};
    if (memcmp(a, b, size / parts) == 0) continue;
    ga_cpu_cast(pt, GA_DT_FLOAT64)(1, &x, pa);
    ga_cpu_cast(pt, GA_DT_FLOAT64)(1, &y, pb);
    if (x == x || y == y) return 0;
  }
  return 1;
}

static void describe(const stage_case *c, char *s, size_t n)
{
  size_t at = (size_t)snprintf(s, n, "class %d, dims", c->l.cls);
  for (unsigned int k = 0; k < c->st.nd; k++)
    at += (size_t)snprintf(s + at, n - at, " %zu%s", c->st.dims[k], c->st.reduced[k] ? "r" : "");
  for (unsigned int i = 0; i < c->st.nreduction; i++)
    at += (size_t)snprintf(s + at, n - at, ", reduce %d of %s", c->reductions[i].op,
                           ga_dtypes[c->reductions[i].acc].name);
}

/* Memory after a run equals the reference's, byte by byte outside NaNs. */
static void compare(const stage_case *c, unsigned char *const *got, const char *how)
{
  char what[512];
  for (unsigned int i = 0; i < c->st.noperand; i++) {
    enum ga_dtype t = c->operands[i].dtype;
    size_t size = ga_dtypes[t].size;
    if (c->alias[i] >= 0 || memcmp(got[i], c->want[i], c->bytes[i]) == 0) continue;
    for (size_t at = c->base[i] % size; at + size <= c->bytes[i]; at += size)
      if (!same(t, got[i] + at, c->want[i] + at)) {
        describe(c, what, sizeof what);
        ck_abort_msg("%s: %s: operand %u (%s) differs at byte %zd of its first element", how, what,
                     i, ga_dtypes[t].name, (ssize_t)at - (ssize_t)c->base[i]);
      }
  }
}

static void run_once_with(const stage_case *c, void *exec)
{
  unsigned char *got[MAX_OPERANDS] = {NULL};
  void *addr[MAX_OPERANDS];
  char how[64];
  for (unsigned int i = 0; i < c->st.noperand; i++) {
    if (c->alias[i] >= 0) continue;
    got[i] = malloc(c->bytes[i]);
    ck_assert_ptr_nonnull(got[i]);
    memcpy(got[i], c->mem[i], c->bytes[i]);
  }
  for (unsigned int i = 0; i < c->st.noperand; i++) addr[i] = operand_at(got, c, (int)i);
  OK(ga_cpu_stage_run(exec, NULL, addr, c->values));
  snprintf(how, sizeof how, "%u threads", ga_pool_threads());
  compare(c, got, how);
  for (unsigned int i = 0; i < c->st.noperand; i++) free(got[i]);
}

/* Computes the reference, compiles the stage, runs with every thread count. */
static void check_ready(stage_case *c)
{
  void *exec;
  case_reference(c);
  OK(ga_cpu_stage_new(&exec, NULL, &c->st, &c->l));
  for (size_t i = 0; i < sizeof thread_counts / sizeof *thread_counts; i++) {
    ga_pool_limit(thread_counts[i]);
    run_once_with(c, exec);
  }
  ga_cpu_stage_free(exec);
  case_end(c);
}

static void check_case(stage_case *c)
{
  OK(case_ready(c));
  check_ready(c);
}

/* ---- plain cases ------------------------------------------------------------------- */

static const size_t sizes[] = {0, 1, 2, 31, 33, 255, 1023, 1024, 1025, 4097, 65537, 1000003};
enum { NSIZES = sizeof sizes / sizeof *sizes };

START_TEST(add_of_every_size)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int b = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_op(&c, GA_OP_add, GA_DT_FLOAT32, a, b));
  check_case(&c);
}
END_TEST

START_TEST(numbers_fill_blocks)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int b = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int ten = add_param(&c, GA_DT_FLOAT32, 10), two = add_param(&c, GA_DT_FLOAT32, 2);
  int x = add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, ten);
  int y = add_op(&c, GA_OP_add, GA_DT_FLOAT32, b, two);
  x = add_op(&c, GA_OP_add, GA_DT_FLOAT32, x, two);
  y = add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, y, ten);
  add_store(&c, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, x, y));
  check_case(&c);
}
END_TEST

START_TEST(sum_of_squares_of_every_size)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, a)));
  check_case(&c);
}
END_TEST

START_TEST(argmax_of_every_size)
{
  stage_case c;
  if (sizes[_i] == 0) return;
  case_begin(&c, 1, &sizes[_i]);
  c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_INT8, 0, 0));
  int first = add_reduce(&c, GA_REDUCE_argmax, a);
  int last = add_reduce(&c, GA_REDUCE_max, a);
  add_store(&c, first);
  add_store(&c, last);
  set_iota(&c);
  check_case(&c);
}
END_TEST

/* A NaN wins, the first of several; so does the first of equal numbers. */
START_TEST(argmin_meets_nan_and_ties)
{
  static const float odd[] = {0.0f, -0.0f, -1e30f, 1e30f, NAN};
  size_t n = 50000;
  for (int nans = 0; nans < 5; nans++) {
    stage_case c;
    case_begin(&c, 1, &n);
    c.st.reduced[0] = 1;
    int o = add_operand(&c, GA_DT_FLOAT32, 0, 0), a = add_load(&c, o);
    add_store(&c, add_reduce(&c, _i ? GA_REDUCE_argmax : GA_REDUCE_argmin, a));
    set_iota(&c);
    OK(case_ready(&c));
    for (int i = 0; i < 12; i++) {
      size_t at = c.base[o] + 4 * below(n);
      memcpy(c.mem[o] + at, &odd[below(nans > 1 ? 5 : 4)], 4);
      memcpy(c.want[o] + at, c.mem[o] + at, 4);
    }
    check_ready(&c);
  }
}
END_TEST

static const size_t shapes[][2] = {{3, 1000},   {1000, 3},   {33, 31},    {1, 5000},   {5000, 1},
                                   {1025, 257}, {257, 1025}, {40, 4097},  {4097, 40},  {20000, 32},
                                   {32, 20000}, {300, 2100}, {2100, 300}, {5, 0},      {0, 5},
                                   {1500, 16},  {1023, 64},  {129, 128},  {128, 1024}, {131, 1},
                                   {65, 2},     {3000, 2}};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

static void reduce_axis(const size_t *dims, int axis, enum ga_dtype t)
{
  stage_case c;
  if (dims[axis] == 0 && dims[!axis] != 0 && t == GA_DT_INT64) return;
  case_begin(&c, 2, dims);
  c.st.reduced[axis] = 1;
  int a = add_load(&c, add_operand(&c, t, 0, 0));
  int s = add_reduce(&c, GA_REDUCE_sum, a);
  int v = add_load(&c, add_operand(&c, t, 1, 0));
  add_store(&c, add_op(&c, GA_OP_multiply, t, s, v));
  if (t == GA_DT_INT64) {
    add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
    add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    set_iota(&c);
  }
  check_case(&c);
}

START_TEST(rows_follow_the_order)
{
  reduce_axis(shapes[_i], 1, GA_DT_FLOAT32);
  reduce_axis(shapes[_i], 1, GA_DT_INT64);
}
END_TEST

START_TEST(columns_follow_the_order)
{
  reduce_axis(shapes[_i], 0, GA_DT_FLOAT32);
  reduce_axis(shapes[_i], 0, GA_DT_INT64);
}
END_TEST

/* sum((a - v[:, None]) * (b - w)) over either axis: loads that stand still. */
START_TEST(reductions_of_broadcasts)
{
  for (int axis = 0; axis < 2; axis++) {
    stage_case c;
    case_begin(&c, 2, shapes[_i]);
    c.st.reduced[axis] = 1;
    int ops[4];
    for (int i = 0; i < 4; i++) ops[i] = add_operand(&c, GA_DT_FLOAT64, 0, 0);
    c.operands[ops[1]].strides[0] = 8;
    c.operands[ops[1]].strides[1] = 0;
    c.operands[ops[3]].strides[0] = 0;
    int a = add_load(&c, ops[0]), v = add_load(&c, ops[1]);
    int b = add_load(&c, ops[2]), w = add_load(&c, ops[3]);
    int x = add_op(&c, GA_OP_subtract, GA_DT_FLOAT64, a, v);
    int y = add_op(&c, GA_OP_subtract, GA_DT_FLOAT64, b, w);
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, add_op(&c, GA_OP_multiply, GA_DT_FLOAT64, x, y)));
    check_case(&c);
  }
}
END_TEST

/* So many numbers that a chunk takes several blocks, beside values that are read
 * where they lie, stand still, or are numbers themselves. */
static void reduce_long(const size_t *dims, unsigned int nd, int first_too)
{
  stage_case c;
  case_begin(&c, nd, dims);
  c.st.reduced[nd - 1] = 1;
  if (first_too) c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT64, 0, 0));
  int still = add_operand(&c, GA_DT_FLOAT64, 0, 0), x = a;
  for (unsigned int k = 0; k < nd; k++) c.operands[still].strides[k] = 0;
  int s = add_load(&c, still), k = -1;
  for (int i = 0; i < 12; i++) {
    k = add_param(&c, GA_DT_FLOAT64, i - 5.25);
    x = add_op(&c, i % 2 ? GA_OP_add : GA_OP_multiply, GA_DT_FLOAT64, x, k);
  }
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, x));
  add_store(&c, add_reduce(&c, GA_REDUCE_argmin, a));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, s));
  int sum = add_reduce(&c, GA_REDUCE_sum, k);
  add_store(&c, sum);
  set_iota(&c);
  check_case(&c);
}

START_TEST(reductions_of_long_expressions)
{
  if (sizes[_i] > 0 && sizes[_i] < 100000) reduce_long(&sizes[_i], 1, 0);
  if (_i < (int)NSHAPES - 9) reduce_long(shapes[_i], 2, _i % 2);
}
END_TEST

START_TEST(transposed_operands_meet)
{
  stage_case c;
  size_t n = shapes[_i][0], m = shapes[_i][1];
  case_begin(&c, 2, shapes[_i]);
  int a = add_operand(&c, GA_DT_FLOAT32, 0, 0), t = add_operand(&c, GA_DT_FLOAT32, 0, 0);
  c.operands[t].strides[0] = 4;
  c.operands[t].strides[1] = 4 * (ssize_t)n;
  (void)m;
  add_store(&c, add_op(&c, GA_OP_add, GA_DT_FLOAT32, add_load(&c, a), add_load(&c, t)));
  check_case(&c);
}
END_TEST

START_TEST(output_in_place)
{
  stage_case c;
  case_begin(&c, 1, &sizes[_i]);
  int a = add_operand(&c, GA_DT_FLOAT32, 0, 0), b = add_operand(&c, GA_DT_FLOAT32, 0, 0);
  int x = add_load(&c, a), y = add_load(&c, b);
  int s1 = add_store(&c, y); /* a, b = b, a - b */
  int s2 = add_store(&c, add_op(&c, GA_OP_subtract, GA_DT_FLOAT32, x, y));
  c.alias[s1] = a;
  c.alias[s2] = b;
  check_case(&c);
}
END_TEST

START_TEST(reduction_over_nothing)
{
  static const size_t dims[2] = {0, 7};
  stage_case c;
  void *exec;
  case_begin(&c, 2, dims);
  c.st.reduced[0] = 1;
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  add_store(&c, add_reduce(&c, GA_REDUCE_prod, a));
  check_case(&c);
  case_begin(&c, 2, dims);
  c.st.reduced[0] = 1;
  a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
  OK(case_ready(&c));
  FAILS(GA_VALUE_ERROR, "no identity", ga_cpu_stage_new(&exec, NULL, &c.st, &c.l));
  ck_assert_ptr_null(exec);
  case_end(&c);
}
END_TEST

/* ---- several callers ----------------------------------------------------------------- */

typedef struct shared_run {
  const stage_case *c;
  void *exec;
} shared_run;

static void *run_often(void *arg)
{
  const shared_run *s = arg;
  for (int i = 0; i < 10; i++) run_once_with(s->c, s->exec);
  return NULL;
}

static void share_stage(stage_case *c)
{
  pthread_t t[4];
  shared_run s = {.c = c};
  OK(case_ready(c));
  case_reference(c);
  OK(ga_cpu_stage_new(&s.exec, NULL, &c->st, &c->l));
  ga_pool_limit(3);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, run_often, &s), 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  ga_cpu_stage_free(s.exec);
  case_end(c);
}

START_TEST(threads_share_a_stage)
{
  static const size_t dims[2] = {301, 1100};
  stage_case c;
  case_begin(&c, 2, dims);
  int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  int k = add_param(&c, GA_DT_FLOAT32, 3);
  add_store(&c, add_op(&c, GA_OP_multiply, GA_DT_FLOAT32, a, k));
  share_stage(&c);
  for (int axis = 0; axis < 2; axis++) {
    case_begin(&c, 2, dims);
    c.st.reduced[axis] = 1;
    a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
    add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
    share_stage(&c);
  }
  case_begin(&c, 2, dims);
  c.st.reduced[0] = c.st.reduced[1] = 1;
  a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
  add_store(&c, add_reduce(&c, GA_REDUCE_sum, a));
  share_stage(&c);
}
END_TEST

/* Runs of two stages in turn on one thread do not mix up their numbers. */
START_TEST(numbers_are_each_calls_own)
{
  size_t n = 700;
  stage_case c[2];
  void *exec[2];
  for (int i = 0; i < 2; i++) {
    case_begin(&c[i], 1, &n);
    int a = add_load(&c[i], add_operand(&c[i], GA_DT_FLOAT32, 0, 0));
    int k = add_param(&c[i], GA_DT_FLOAT32, 3 + i);
    add_store(&c[i], add_op(&c[i], GA_OP_multiply, GA_DT_FLOAT32, a, k));
    OK(case_ready(&c[i]));
    OK(ga_cpu_stage_new(&exec[i], NULL, &c[i].st, &c[i].l));
  }
  for (int round = 0; round < 20; round++) {
    stage_case *one = &c[round % 3 == 0];
    float k = (float)(round % 4);
    memcpy(one->values[0].bytes, &k, sizeof k);
    memcpy(one->want[1], one->mem[1], one->bytes[1]);
    case_reference(one);
    run_once_with(one, exec[round % 3 == 0]);
  }
  for (int i = 0; i < 2; i++) {
    ga_cpu_stage_free(exec[i]);
    case_end(&c[i]);
  }
}
END_TEST

/* ---- cases by chance ------------------------------------------------------------------ */

static size_t random_dim(void)
{
  static const size_t some[] = {1, 1, 2, 3, 5, 7, 8, 16, 31, 33, 64, 100, 129, 257};
  return some[below(sizeof some / sizeof *some)];
}

static void random_dims(unsigned int nd, size_t *dims, size_t most)
{
  size_t n = 1;
  for (unsigned int k = 0; k < nd; k++) {
    do dims[k] = random_dim();
    while (n * dims[k] > most && dims[k] > 1);
    n *= dims[k];
  }
  if (below(4) == 0 && nd > 0) {
    unsigned int k = (unsigned int)below(nd);
    size_t rest = n / dims[k];
    if (rest > 0 && rest < most) dims[k] = 1 + below(most / rest);
  }
  if (below(40) == 0 && nd > 0) dims[below(nd)] = 0;
}

/* Axes in any order, with gaps, backwards, broadcast. */
static void random_strides(stage_case *c, int i)
{
  ga_operand *o = &c->operands[i];
  unsigned int order[GA_MAXND], nd = c->st.nd;
  int shuffle = below(2) == 0, gaps = below(3) == 0, unaligned = below(6) == 0;
  for (unsigned int k = 0; k < nd; k++) order[k] = k;
  for (unsigned int k = 0; shuffle && k + 1 < nd; k++) {
    size_t j = k + below(nd - k);
    unsigned int t = order[k];
    order[k] = order[j];
    order[j] = t;
  }
  ssize_t step = (ssize_t)ga_dtypes[o->dtype].size + (unaligned ? 1 : 0);
  for (unsigned int n = nd; n-- > 0;) {
    unsigned int k = order[n];
    o->strides[k] = 0;
    if (o->outer && c->st.reduced[k]) continue;
    if (!o->write && below(6) == 0) continue;
    if (gaps && below(2) == 0) step *= 2;
    o->strides[k] = below(5) == 0 ? -step : step;
    step *= (ssize_t)c->st.dims[k] + (gaps && below(3) == 0);
    if (step == 0) step = 1;
  }
}

static int as_dtype(stage_case *c, int node, enum ga_dtype t)
{
  if (c->nodes[node].dtype == t) return node;
  return add_node(c, GA_N_CAST, t, c->nodes[node].level, 0, node, -1, -1);
}

/* An operation of any loop on nodes of this level, converted to what it takes. */
static int random_op(stage_case *c, const int *have, size_t n, int level)
{
  for (;;) {
    int op = GA_N_OP + (int)below(GA_NOP);
    const ga_op_info *info = &ga_ops[op - GA_N_OP];
    enum ga_dtype t = ga_dtype_char(info->loops[below(strlen(info->loops))]);
    int arg[3] = {-1, -1, -1};
    if (!(info->flags & GA_OP_EXACT) && below(4) != 0) continue;
    for (int k = 0; k < info->nargs; k++)
      arg[k] = as_dtype(c, have[below(n)], k == 0 && info->flags & GA_OP_COND ? GA_DT_BOOL : t);
    enum ga_dtype res = t;
    if (info->result == GA_RESULT_BOOL) res = GA_DT_BOOL;
    if (info->result == GA_RESULT_REAL && t == GA_DT_COMPLEX64) res = GA_DT_FLOAT32;
    if (info->result == GA_RESULT_REAL && t == GA_DT_COMPLEX128) res = GA_DT_FLOAT64;
    return add_node(c, op, res, level, 0, arg[0], arg[1], arg[2]);
  }
}

static enum ga_dtype random_dtype(void)
{
  return below(2) == 0 ? GA_DT_FLOAT32 : (enum ga_dtype)below(GA_NDTYPE);
}

/* Loads, a number or two, and some operations on them; the last one. */
static int random_tree(stage_case *c, int level, int start, int *have, size_t *n)
{
  if (start >= 0) have[(*n)++] = start;
  size_t loads = 1 + below(2);
  for (size_t i = 0; i < loads; i++) {
    int o = add_operand(c, random_dtype(), level, 0);
    random_strides(c, o);
    have[(*n)++] = add_load(c, o);
  }
  if (below(2) == 0) have[(*n)++] = add_param(c, random_dtype(), (double)below(7) - 2.5);
  size_t ops = below(4);
  for (size_t i = 0; i < ops; i++) {
    have[*n] = random_op(c, have, *n, level);
    (*n)++;
  }
  return have[*n - 1];
}

static void random_store(stage_case *c, int node)
{
  int level = c->nodes[node].level;
  if (c->st.nreduction > 0 && level == 0) { /* a number */
    node = add_node(c, GA_N_CAST, c->nodes[node].dtype, 1, 0, node, -1, -1);
  }
  int o = add_store(c, node);
  random_strides(c, o);
}

START_TEST(maps_by_chance)
{
  for (int round = 0; round < 60; round++) {
    stage_case c;
    size_t dims[5], n = 0;
    int have[MAX_NODES];
    unsigned int nd = (unsigned int)below(5);
    rng_state = 0x9E3779B97F4A7C15ULL * (uint64_t)(_i * 1000 + round + 1);
    random_dims(nd, dims, 3000);
    case_begin(&c, nd, dims);
    random_store(&c, random_tree(&c, 0, -1, have, &n));
    if (below(3) == 0) random_store(&c, have[below(n)]);
    check_case(&c);
  }
}
END_TEST

static int random_reduction(stage_case *c, int node)
{
  static const enum ga_dtype accs[] = {GA_DT_INT64,   GA_DT_UINT64,    GA_DT_FLOAT32,
                                       GA_DT_FLOAT64, GA_DT_COMPLEX64, GA_DT_COMPLEX128};
  enum ga_reduce_op op = (enum ga_reduce_op)below(GA_NREDUCE);
  enum ga_dtype t = c->nodes[node].dtype;
  if (op == GA_REDUCE_sum || op == GA_REDUCE_prod) t = accs[below(6)];
  if (op == GA_REDUCE_any || op == GA_REDUCE_all) t = GA_DT_BOOL;
  if (ga_cpu_combine(op, t) == NULL) op = GA_REDUCE_any, t = GA_DT_BOOL;
  return add_reduce(c, op, as_dtype(c, node, t));
}

START_TEST(reductions_by_chance)
{
  for (int round = 0; round < 60; round++) {
    stage_case c;
    size_t dims[5], n = 0, m = 0, empty = 0;
    int have[MAX_NODES], after[MAX_NODES];
    rng_state = 0x9E3779B97F4A7C15ULL * (uint64_t)(_i * 1000 + round + 7777);
    unsigned int nd = 1 + (unsigned int)below(4);
    random_dims(nd, dims, 6000);
    case_begin(&c, nd, dims);
    for (unsigned int k = 0; k < nd; k++) {
      c.st.reduced[k] = below(2) == 0;
      empty |= dims[k] == 0;
    }
    if (empty) continue;
    int value = random_tree(&c, 0, -1, have, &n);
    int r = random_reduction(&c, value);
    if (below(3) == 0) after[m++] = random_reduction(&c, have[below(n)]);
    random_store(&c, random_tree(&c, 1, r, after, &m));
    if (below(3) == 0) random_store(&c, r);
    set_iota(&c);
    check_case(&c);
  }
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(add_of_every_size, NSIZES),
                                    CASE_LOOP(numbers_fill_blocks, NSIZES),
                                    CASE_LOOP(sum_of_squares_of_every_size, NSIZES),
                                    CASE_LOOP(argmax_of_every_size, NSIZES),
                                    CASE_LOOP(argmin_meets_nan_and_ties, 2),
                                    CASE_LOOP(rows_follow_the_order, NSHAPES),
                                    CASE_LOOP(columns_follow_the_order, NSHAPES),
                                    CASE_LOOP(reductions_of_broadcasts, NSHAPES - 9),
                                    CASE_LOOP(reductions_of_long_expressions, NSIZES),
                                    CASE_LOOP(transposed_operands_meet, NSHAPES),
                                    CASE_LOOP(output_in_place, NSIZES),
                                    CASE(reduction_over_nothing),
                                    CASE(threads_share_a_stage),
                                    CASE(numbers_are_each_calls_own),
                                    CASE_LOOP(maps_by_chance, 20),
                                    CASE_LOOP(reductions_by_chance, 20),
                                    CASE_END};
  return test_main("interp", cases);
}
