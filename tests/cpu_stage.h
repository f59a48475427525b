/* SPDX-License-Identifier: MIT */
/* Stages built by hand and by chance, and what they give when every element is
 * computed by itself, in the order that DESIGN.md defines: the reference that
 * the CPU device's interpreter is held against. The reference calls the same
 * loops with n = 1, so it tests how blocks are cut, not what the loops compute. */
#ifndef TESTS_CPU_STAGE_H
#define TESTS_CPU_STAGE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "lib/cpu/loops.h"

enum { MAX_NODES = 64, MAX_OPERANDS = 8, GUARD = 64 };

typedef struct stage_case {
  ga_stage st;
  ga_node nodes[MAX_NODES];
  ga_operand operands[MAX_OPERANDS];
  ga_param params[MAX_NODES];
  ga_reduction reductions[4];
  ga_store stores[4];
  ga_value values[MAX_NODES];
  unsigned char *mem[MAX_OPERANDS];  /* whole memory of an operand, guards included */
  unsigned char *want[MAX_OPERANDS]; /* the same after the reference */
  size_t bytes[MAX_OPERANDS], base[MAX_OPERANDS];
  int alias[MAX_OPERANDS]; /* operand whose memory this one is, or -1 */
  ga_layout l;
} stage_case;

static uint64_t rng_state = 1;

static inline uint64_t rng(void)
{
  rng_state ^= rng_state << 13;
  rng_state ^= rng_state >> 7;
  rng_state ^= rng_state << 17;
  return rng_state * 0x2545F4914F6CDD1DULL;
}

static inline size_t below(size_t n) { return (size_t)((rng() >> 20) % n); }

static inline void case_begin(stage_case *c, unsigned int nd, const size_t *dims)
{
  memset(c, 0, sizeof *c);
  c->st.nd = nd;
  for (unsigned int k = 0; k < nd; k++) c->st.dims[k] = dims[k];
  c->st.nodes = c->nodes;
  c->st.operands = c->operands;
  c->st.params = c->params;
  c->st.reductions = c->reductions;
  c->st.stores = c->stores;
  for (int i = 0; i < MAX_OPERANDS; i++) c->alias[i] = -1;
}

static inline int add_node(stage_case *c, int op, enum ga_dtype t, int level, int index, int a,
                           int b, int d)
{
  c->nodes[c->st.nnode] = (ga_node){op, t, level, {a, b, d}, index};
  return (int)c->st.nnode++;
}

/* C order over the axes it is indexed by (`outer`: the kept ones). */
static inline int add_operand(stage_case *c, enum ga_dtype t, int outer, int write)
{
  ga_operand *o = &c->operands[c->st.noperand];
  *o = (ga_operand){.slot = c->st.noperand, .dtype = t, .outer = outer, .write = write};
  ssize_t step = ga_dtypes[t].size;
  for (unsigned int k = c->st.nd; k-- > 0;) {
    if (outer && c->st.reduced[k]) continue;
    o->strides[k] = step;
    step *= (ssize_t)c->st.dims[k];
  }
  return (int)c->st.noperand++;
}

static inline int add_load(stage_case *c, int operand)
{
  return add_node(c, GA_N_LOAD, c->operands[operand].dtype, c->operands[operand].outer, operand, -1,
                  -1, -1);
}

static inline int add_param(stage_case *c, enum ga_dtype t, double v)
{
  double d = v;
  const void *src[] = {&d};
  ga_cpu_cast(GA_DT_FLOAT64, t)(1, c->values[c->st.nparam].bytes, src);
  c->params[c->st.nparam].dtype = t;
  return add_node(c, GA_N_PARAM, t, 0, (int)c->st.nparam++, -1, -1, -1);
}

static inline int add_op(stage_case *c, int op, enum ga_dtype t, int a, int b)
{
  return add_node(c, op, t, c->nodes[a].level, 0, a, b, -1);
}

static inline int add_reduce(stage_case *c, enum ga_reduce_op op, int node)
{
  int index = op == GA_REDUCE_argmin || op == GA_REDUCE_argmax, iota = -1;
  enum ga_dtype t = c->nodes[node].dtype;
  if (index) iota = add_node(c, GA_N_IOTA, GA_DT_INT64, 0, 0, -1, -1, -1);
  c->reductions[c->st.nreduction] = (ga_reduction){op, node, t, iota, 0};
  return add_node(c, GA_N_REDUCE, index ? GA_DT_INT64 : t, 1, (int)c->st.nreduction++, -1, -1, -1);
}

static inline int add_store(stage_case *c, int node)
{
  int o = add_operand(c, c->nodes[node].dtype, c->nodes[node].level & 1, 1);
  c->stores[c->st.nstore++] = (ga_store){o, node};
  return o;
}

static inline void set_iota(stage_case *c)
{
  int64_t step = 1;
  for (unsigned int k = c->st.nd; k-- > 0;)
    if (c->st.reduced[k]) {
      c->st.iota_step[k] = step;
      step *= (int64_t)c->st.dims[k];
    }
}

/* ---- memory --------------------------------------------------------------------- */

/* The dtype of the parts of a complex one, else itself. */
static inline enum ga_dtype part_dtype(enum ga_dtype t)
{
  return t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : t == GA_DT_COMPLEX128 ? GA_DT_FLOAT64 : t;
}

/* Numbers of every dtype, few of them NaN or infinite. */
static inline void random_fill(enum ga_dtype t, unsigned char *p, size_t n)
{
  size_t size = ga_dtypes[t].size;
  if (ga_dtypes[t].kind == 'i' || ga_dtypes[t].kind == 'u' || t == GA_DT_BOOL) {
    for (size_t i = 0; i < n * size; i++)
      p[i] = t == GA_DT_BOOL ? (unsigned char)(rng() >> 63) : (unsigned char)(rng() >> 40);
    return;
  }
  size_t parts = ga_dtypes[t].kind == 'c' ? 2 : 1, part = size / parts;
  enum ga_dtype pt = part_dtype(t);
  for (size_t i = 0; i < n * parts; i++) {
    double d = ((double)(int64_t)(rng() >> 12) - 2251799813685248.0) / 1e15;
    const void *src[] = {&d};
    ga_cpu_cast(GA_DT_FLOAT64, pt)(1, p + i * part, src);
  }
}

/* Lays out, allocates and fills every operand. */
static inline int case_ready(stage_case *c)
{
  int err = ga_layout_make(&c->l, &c->st);
  if (err != GA_NO_ERROR) return err;
  for (unsigned int i = 0; i < c->st.noperand; i++) {
    const ga_operand *o = &c->operands[i];
    size_t size = ga_dtypes[o->dtype].size, low = 0, high = 0;
    if (c->alias[i] >= 0) continue;
    for (unsigned int k = 0; k < c->st.nd; k++) {
      ssize_t reach = c->st.dims[k] > 0 ? o->strides[k] * (ssize_t)(c->st.dims[k] - 1) : 0;
      if (reach < 0)
        low += (size_t)-reach;
      else
        high += (size_t)reach;
    }
    c->bytes[i] = low + high + size + 2 * GUARD;
    c->base[i] = GUARD + low;
    c->mem[i] = malloc(c->bytes[i]);
    c->want[i] = malloc(c->bytes[i]);
    if (c->mem[i] == NULL || c->want[i] == NULL) abort();
    memset(c->mem[i], 0, c->bytes[i]);
    random_fill(o->dtype, c->mem[i] + c->base[i] % size, (c->bytes[i] - size) / size);
    memcpy(c->want[i], c->mem[i], c->bytes[i]);
  }
  return GA_NO_ERROR;
}

static inline void case_end(stage_case *c)
{
  for (int i = 0; i < MAX_OPERANDS; i++) {
    free(c->mem[i]);
    free(c->want[i]);
  }
  ga_layout_clear(&c->l);
}

static inline unsigned char *operand_at(unsigned char *const *mem, const stage_case *c, int i)
{
  int m = c->alias[i] >= 0 ? c->alias[i] : i;
  return mem[m] + c->base[m] + c->l.offset[i];
}

/* ---- the reference ----------------------------------------------------------------- */

typedef struct reference {
  stage_case *c;
  size_t pos[GA_MAXND];
  ga_value node[MAX_NODES];
  ga_value reduced[4];
} reference;

static inline unsigned char *element(reference *r, int operand)
{
  unsigned char *p = operand_at(r->c->want, r->c, operand);
  for (unsigned int k = 0; k < r->c->l.nk + r->c->l.nr; k++)
    p += (ssize_t)r->pos[k] * r->c->l.strides[operand][k];
  return p;
}

static inline void eval_node(reference *r, int i)
{
  const ga_node *n = &r->c->nodes[i];
  const void *src[3] = {NULL, NULL, NULL};
  unsigned char *to = r->node[i].bytes;
  int nargs = n->op >= GA_N_OP ? ga_ops[n->op - GA_N_OP].nargs : n->op == GA_N_CAST;
  for (int k = 0; k < nargs; k++) src[k] = r->node[n->arg[k]].bytes;
  if (n->op == GA_N_LOAD)
    memcpy(to, element(r, n->index), ga_dtypes[n->dtype].size);
  else if (n->op == GA_N_PARAM)
    memcpy(to, r->c->values[n->index].bytes, sizeof(ga_value));
  else if (n->op == GA_N_IOTA) {
    r->node[i].i = r->c->l.iota_base;
    for (unsigned int k = 0; k < r->c->l.nk + r->c->l.nr; k++)
      r->node[i].i += (int64_t)r->pos[k] * r->c->l.iota_step[k];
  } else if (n->op == GA_N_REDUCE) {
    r->node[i] = r->reduced[n->index];
  } else if (n->op == GA_N_CAST) {
    ga_cpu_cast(r->c->nodes[n->arg[0]].dtype, n->dtype)(1, to, src);
  } else {
    ga_cpu_loop(n->op, r->c->nodes[n->arg[nargs - 1]].dtype)(1, to, src);
  }
}

static inline void eval_level(reference *r, int level)
{
  for (unsigned int i = 0; i < r->c->st.nnode; i++)
    if ((r->c->nodes[i].level & 1) == level || r->c->nodes[i].op == GA_N_PARAM)
      eval_node(r, (int)i);
}

static inline void set_pos(reference *r, unsigned int begin, unsigned int end, uint64_t i)
{
  for (unsigned int k = end; k-- > begin;) {
    r->pos[k] = (size_t)(i % r->c->l.dims[k]);
    i /= r->c->l.dims[k];
  }
}

/* Values of one reduction along r, as (value, index) pairs. */
typedef struct pair {
  ga_value v, i;
} pair;

static inline pair join(const ga_reduction *r, pair a, pair b)
{
  pair p = {{{0}}, {{0}}};
  void *acc[2] = {p.v.bytes, p.i.bytes};
  const void *left[2] = {a.v.bytes, a.i.bytes}, *right[2] = {b.v.bytes, b.i.bytes};
  ga_cpu_combine(r->op, r->acc)(1, acc, left, right);
  return p;
}

/* The tree of one chunk from its root: bit order[depth] splits; returns 0 where no
 * element is. */
static inline int chunk_tree(const ga_reduction *r, const pair *x, size_t n, int depth, size_t at,
                             pair *res)
{
  static const int order[10] = {2, 3, 4, 5, 6, 1, 0, 7, 8, 9};
  pair a, b;
  if (depth == 10) {
    if (at < n) *res = x[at];
    return at < n;
  }
  int left = chunk_tree(r, x, n, depth + 1, at, &a);
  int right = chunk_tree(r, x, n, depth + 1, at | (size_t)1 << order[depth], &b);
  *res = left && right ? join(r, a, b) : left ? a : b;
  return left || right;
}

/* The tree over chunks [at, at + 2^depth). */
static inline int whole_tree(const ga_reduction *r, const pair *x, size_t n, int depth, size_t at,
                             pair *res)
{
  pair a, b;
  size_t first = at * 1024;
  if (first >= n) return 0;
  if (depth == 0) return chunk_tree(r, x + first, n - first < 1024 ? n - first : 1024, 0, 0, res);
  int left = whole_tree(r, x, n, depth - 1, at, &a);
  int right = whole_tree(r, x, n, depth - 1, at + ((size_t)1 << (depth - 1)), &b);
  *res = left && right ? join(r, a, b) : a;
  return left;
}

static inline void reduce_here(reference *r)
{
  const ga_stage *st = &r->c->st;
  size_t n = (size_t)r->c->l.reduced;
  pair *x[4];
  for (unsigned int i = 0; i < st->nreduction; i++) {
    x[i] = calloc(n + 1, sizeof **x);
    if (x[i] == NULL) abort();
  }
  for (size_t k = 0; k < n; k++) {
    set_pos(r, r->c->l.nk, r->c->l.nk + r->c->l.nr, k);
    eval_level(r, 0);
    for (unsigned int i = 0; i < st->nreduction; i++) {
      x[i][k].v = r->node[st->reductions[i].node];
      if (st->reductions[i].iota >= 0) x[i][k].i = r->node[st->reductions[i].iota];
    }
  }
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *red = &st->reductions[i];
    pair p = {{{0}}, {{0}}};
    if (n == 0)
      ga_cpu_empty(red->op, red->acc, &p.v);
    else
      whole_tree(red, x[i], n, 40, 0, &p);
    r->reduced[i] = red->iota >= 0 ? p.i : p.v;
    free(x[i]);
  }
}

/* Computes every output into c->want, all inputs having been read before. */
static inline void case_reference(stage_case *c)
{
  reference *r = calloc(1, sizeof *r);
  size_t kept = (size_t)c->l.kept;
  unsigned char *out[4];
  if (r == NULL) abort();
  r->c = c;
  for (unsigned int i = 0; i < c->st.nstore; i++)
    if ((out[i] = malloc(kept * 16 + 16)) == NULL) abort();
  for (size_t k = 0; k < kept; k++) {
    set_pos(r, 0, c->l.nk, k);
    for (unsigned int a = c->l.nk; a < GA_MAXND; a++) r->pos[a] = 0;
    if (c->st.nreduction > 0) {
      reduce_here(r);
      for (unsigned int a = c->l.nk; a < GA_MAXND; a++) r->pos[a] = 0;
    }
    eval_level(r, c->st.nreduction > 0);
    for (unsigned int i = 0; i < c->st.nstore; i++)
      memcpy(out[i] + 16 * k, r->node[c->stores[i].node].bytes, 16);
  }
  for (size_t k = 0; k < kept; k++) {
    set_pos(r, 0, c->l.nk, k);
    for (unsigned int i = 0; i < c->st.nstore; i++) {
      const ga_store *s = &c->stores[i];
      memcpy(element(r, s->operand), out[i] + 16 * k,
             ga_dtypes[c->operands[s->operand].dtype].size);
    }
  }
  for (unsigned int i = 0; i < c->st.nstore; i++) free(out[i]);
  free(r);
}

#endif
