/* SPDX-License-Identifier: MIT */
/* The CPU device's interpreter against the reference of cpu_stage.h: stages made by
 * chance, of any operations, dtypes, layouts and reductions. */
#include "tests/interp_case.h"

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

/* Elements of which a block has one, as numbers of steps, what goes through them, and alone:
 * maximum(2*v, (a - v)*w) + (v + w), v being one for each row and w for all; v*v. */
START_TEST(blocks_have_one_of_some)
{
  static const size_t extents[] = {1, 2, 7, 31, 64, 500, 1024, 1025, 2500, 9000, 66000};
  static const enum ga_dtype types[] = {GA_DT_FLOAT32, GA_DT_FLOAT64, GA_DT_INT32};
  const size_t n = extents[_i / 3], dims[] = {n > 9000 ? 2 : 5, n};
  const enum ga_dtype t = types[_i % 3];
  for (int reduced = 0; reduced < 4; reduced++) {
    stage_case c;
    case_begin(&c, 2, dims);
    c.st.reduced[1] = reduced & 1;
    c.st.reduced[0] = reduced >> 1;
    int ops[3];
    for (int i = 0; i < 3; i++) ops[i] = add_operand(&c, t, 0, 0);
    c.operands[ops[1]].strides[0] = (ssize_t)ga_dtypes[t].size;
    c.operands[ops[1]].strides[1] = 0;
    c.operands[ops[2]].strides[0] = c.operands[ops[2]].strides[1] = 0;
    int a = add_load(&c, ops[0]), v = add_load(&c, ops[1]), w = add_load(&c, ops[2]);
    int two = add_op(&c, GA_OP_multiply, t, add_param(&c, t, 2), v);
    int x = add_op(&c, GA_OP_multiply, t, add_op(&c, GA_OP_subtract, t, a, v), w);
    x = add_op(&c, GA_OP_maximum, t, two, x);
    x = add_op(&c, GA_OP_add, t, x, add_op(&c, GA_OP_add, t, v, w));
    int y = add_op(&c, GA_OP_square, t, v, -1);
    if (reduced != 0) {
      x = add_reduce(&c, GA_REDUCE_max, x);
      y = add_reduce(&c, GA_REDUCE_max, y);
    }
    add_store(&c, x);
    add_store(&c, y);
    check_case(&c);
  }
}
END_TEST

/* any() is decided before the end of a row, or is not, while max() and sum() beside it go on: the
 * first's condition is for it alone, the second's is read by where(), too. */
START_TEST(some_folds_are_decided_early)
{
  static const double bounds[] = {-1e30, 0, 1.5, 90, 1e30};
  static const size_t extents[] = {5, 1024, 1025, 5000, 20000, 100003};
  const size_t dims[] = {3, extents[_i / 5]};
  for (int reduced = 1; reduced < 4; reduced++) {
    stage_case c;
    case_begin(&c, 2, dims);
    c.st.reduced[1] = 1;
    c.st.reduced[0] = reduced == 2;
    int a = add_load(&c, add_operand(&c, GA_DT_FLOAT32, 0, 0));
    int bound = add_param(&c, GA_DT_FLOAT32, bounds[_i % 5]);
    int alone = add_op(&c, GA_OP_greater, GA_DT_BOOL, a, bound);
    int both = add_op(&c, GA_OP_less, GA_DT_BOOL, a, bound);
    int where = add_node(&c, GA_OP_where, GA_DT_FLOAT32, 0, 0, both, a, bound);
    add_store(&c, add_reduce(&c, GA_REDUCE_any, alone));
    add_store(&c, add_reduce(&c, GA_REDUCE_any, both));
    add_store(&c, add_reduce(&c, GA_REDUCE_max, a));
    add_store(&c, add_reduce(&c, reduced == 3 ? GA_REDUCE_max : GA_REDUCE_sum, where));
    set_iota(&c);
    check_case(&c);
  }
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(maps_by_chance, 20),
                                    CASE_LOOP(reductions_by_chance, 20),
                                    CASE_LOOP(blocks_have_one_of_some, 33),
                                    CASE_LOOP(some_folds_are_decided_early, 30), CASE_END};
  return test_main("interp_chance", cases);
}
