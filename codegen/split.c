/* SPDX-License-Identifier: MIT */
/* Reductions that do not tell their order (ga_stage_is_free), over axes that lie apart, some of
 * them short: as a reduction over one of those and another one over the others, of what is left.
 *
 *   max(a, axis=(0, 2)): a of (300,13557,33) in C order
 *     first   max(a, axis=0), 447381 columns of 300   -> t of (13557,33)
 *     then    max(t, axis=1)
 *
 * The first one's rows or columns lie end to end, where one kernel would walk short pieces; what it
 * leaves is written and read again, so it has to be small. */
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "stage.h"

#define PIECE 256  /* bytes of the innermost axis, where it is reduced: longer ones do as rows */
#define SMALL 12   /* bytes that are read for one that is left, at least */
#define LINES 1024 /* rows that are walked by lines, slowly where an operand stands still */

/* Reduced axes that all which is read has as one, slowest first: where each begins in `axis`. */
typedef struct groups {
  unsigned int n, nred, begin[GA_MAXND + 1], axis[GA_MAXND];
} groups;

static int is_read(const ga_operand *o) { return !o->write && o->outer != 1; }

static int go_on(const ga_stage *st, unsigned int a, unsigned int b)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (is_read(o) && o->strides[a] != o->strides[b] * (ssize_t)st->dims[b]) return 0;
  }
  return 1;
}

static void find_groups(groups *g, const ga_lead *o, const ga_stage *st)
{
  g->n = g->nred = 0;
  for (unsigned int j = 0; j < o->n; j++) {
    unsigned int k = o->axis[j];
    if (!st->reduced[k]) continue;
    if (g->nred == 0 || !go_on(st, g->axis[g->nred - 1], k)) g->begin[g->n++] = g->nred;
    g->axis[g->nred++] = k;
  }
  g->begin[g->n] = g->nred;
}

/* What moves along all axes has them in the lead's order. */
static int lie_alike(const ga_lead *o, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *x = &st->operands[i];
    if (!is_read(x)) continue;
    for (unsigned int j = 0; j + 1 < o->n; j++) {
      ssize_t a = x->strides[o->axis[j]], b = x->strides[o->axis[j + 1]];
      if (a != 0 && b != 0 && ga_magnitude(a) < ga_magnitude(b)) return 0;
    }
  }
  return 1;
}

/* What the reductions make has their accumulators' dtypes, is no pair, and nothing behind them asks
 * for an element. */
static int leaves_results(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *n = &st->nodes[i];
    if (n->op == GA_N_REDUCE && n->dtype != st->reductions[n->index].acc) return 0;
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++)
      if (st->nodes[n->arg[k]].level != n->level) return 0;
  }
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].iota >= 0 || st->reductions[i].parts != 0) return 0;
  return 1;
}

/* No operand stands still along a group that moves elsewhere. */
static int moves_along(const groups *g, unsigned int which, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (is_read(o) && !o->outer && o->strides[g->axis[g->begin[which]]] == 0) return 0;
  }
  return 1;
}

/* The group that is reduced first: the slowest that leaves little; g->n: none is. */
static unsigned int choose_group(const groups *g, const ga_lead *o, const ga_stage *st)
{
  unsigned int inner = o->axis[o->n - 1], which = 0;
  double bytes = 0, left = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_read(&st->operands[i]) && st->operands[i].strides[inner] != 0)
      bytes += (double)ga_dtypes[st->operands[i].dtype].size;
  for (unsigned int i = 0; i < st->nreduction; i++)
    left += (double)ga_dtypes[st->reductions[i].acc].size;
  for (; which < g->n; which++) {
    double extent = 1;
    for (unsigned int j = g->begin[which]; j < g->begin[which + 1]; j++)
      extent *= (double)st->dims[g->axis[j]];
    if (extent * bytes >= SMALL * left && (extent < LINES || moves_along(g, which, st))) break;
  }
  return which;
}

/* Whether rows are pieces so short, or columns. */
static int is_cut(const groups *g, const ga_lead *o, const ga_stage *st)
{
  uint64_t bytes = ga_dtypes[o->lead->dtype].size;
  if (g->n < 2 || g->nred == o->n) return 0;
  if (!st->reduced[o->axis[o->n - 1]]) return 1;
  for (unsigned int j = g->begin[g->n - 1]; j < g->nred; j++) bytes *= st->dims[g->axis[j]];
  return bytes < PIECE;
}

/* Columns of all that is read, of pieces with gaps between them, are read slowly; those of bytes
 * gain still. (H200, us, in one step and in two: mean of uint32 [768, 43691, 2] out of rows of 3
 * along 0 and 2 150 and 375, minima of float16 [1928, 2, 32, 17, 64] along all but 2, off vectors,
 * 68 and 82, of every second of [100, 41943, 64] along 0 and 2 135 and 160.) */
static int has_gaps(const groups *g, unsigned int which, const ga_lead *o, const ga_stage *st)
{
  unsigned int inner = o->axis[o->n - 1], next = o->axis[o->n - 2];
  uint64_t size = ga_dtypes[o->lead->dtype].size, step = ga_magnitude(o->lead->strides[inner]);
  if (size == 1 || !st->reduced[inner] || g->axis[g->begin[which]] != o->axis[0]) return 0;
  return step != size || ga_magnitude(o->lead->strides[next]) != step * st->dims[inner];
}

static void *copy_of(const void *from, unsigned int n, size_t size)
{
  void *to = calloc(n + 1u, size);
  if (to != NULL && n != 0) memcpy(to, from, n * size);
  return to;
}

/* Takes operands and nodes of a stage: of level 0, or the others. */
typedef struct taking {
  ga_stage *to;
  const ga_stage *from;
  int *node, *operand; /* their numbers there, -1 */
} taking;

static void take_nodes(taking *t, int level)
{
  for (unsigned int i = 0; i < t->from->nnode; i++) {
    ga_node n = t->from->nodes[i];
    if (n.level != level || n.op == GA_N_REDUCE) continue;
    for (int k = 0; k < 3 && n.arg[k] >= 0; k++) n.arg[k] = t->node[n.arg[k]];
    if (n.op == GA_N_LOAD) n.index = t->operand[n.index];
    t->node[i] = (int)t->to->nnode;
    t->to->nodes[t->to->nnode++] = n;
  }
}

static void take_operands(taking *t, int read)
{
  for (unsigned int i = 0; i < t->from->noperand; i++) {
    if (is_read(&t->from->operands[i]) != read) continue;
    t->operand[i] = (int)t->to->noperand;
    t->to->operands[t->to->noperand++] = t->from->operands[i];
  }
}

/* An empty stage of the same loop, with room for all that `st` has and its reductions twice. */
static int begin_stage(ga_stage *to, const ga_stage *st)
{
  unsigned int more = 2 * st->nreduction;
  *to = *st;
  to->nnode = to->noperand = to->nstore = 0;
  to->nodes = calloc(st->nnode + more, sizeof *to->nodes);
  to->operands = calloc(st->noperand + more, sizeof *to->operands);
  to->stores = calloc(st->nstore + more, sizeof *to->stores);
  to->params = copy_of(st->params, st->nparam, sizeof *to->params);
  to->reductions = copy_of(st->reductions, st->nreduction, sizeof *to->reductions);
  if (!to->nodes || !to->operands || !to->stores || !to->params || !to->reductions)
    return ga_error_memory("expression", st->nnode * sizeof *to->nodes);
  return GA_NO_ERROR;
}

/* The first stage: what is reduced, along the axes of one group, into temporaries. */
static int make_first(ga_program *p, taking *t, const ga_lead *o)
{
  ga_stage *to = t->to;
  take_operands(t, 1);
  take_nodes(t, 0);
  for (unsigned int i = 0; i < to->nreduction; i++) {
    ga_reduction *r = &to->reductions[i];
    ga_operand x = {.dtype = r->acc, .write = 1, .outer = 1}, *out = &to->operands[to->noperand];
    for (unsigned int k = 0; k < to->nd; k++) x.strides[k] = !to->reduced[k] && to->dims[k] > 1;
    ga_lead_lay(out, o, to, &x, 0);
    GA_TRY(ga_lead_slot(p, o, to, out));
    r->node = t->node[r->node];
    to->nodes[to->nnode] = (ga_node){GA_N_REDUCE, r->acc, 1, {-1, -1, -1}, (int)i};
    to->stores[to->nstore++] = (ga_store){(int)to->noperand++, (int)to->nnode++};
  }
  return GA_NO_ERROR;
}

/* What is left: those temporaries reduced along the other axes, and all that follows. */
static void make_rest(taking *t, const ga_stage *first)
{
  ga_stage *to = t->to;
  for (unsigned int i = 0; i < to->nreduction; i++) {
    ga_reduction *r = &to->reductions[i];
    ga_operand x = first->operands[first->stores[i].operand];
    x.write = x.outer = 0;
    to->nodes[to->nnode] = (ga_node){GA_N_LOAD, r->acc, 0, {-1, -1, -1}, (int)to->noperand};
    to->operands[to->noperand++] = x;
    r->node = (int)to->nnode++;
  }
  take_operands(t, 0);
  for (unsigned int i = 0; i < t->from->nnode; i++) { /* several may be one reduction's */
    if (t->from->nodes[i].op != GA_N_REDUCE) continue;
    t->node[i] = (int)to->nnode;
    to->nodes[to->nnode++] = t->from->nodes[i];
  }
  take_nodes(t, 1);
  for (unsigned int i = 0; i < t->from->nstore; i++) {
    const ga_store *s = &t->from->stores[i];
    to->stores[to->nstore++] = (ga_store){t->operand[s->operand], t->node[s->node]};
  }
}

static int make_both(ga_program *p, const ga_lead *o, const groups *g, unsigned int which,
                     const ga_stage *st, ga_stage *first, ga_stage *rest)
{
  int *numbers = calloc(st->nnode + st->noperand + 1u, sizeof *numbers), err;
  taking t = {first, st, numbers, numbers + st->nnode};
  if (numbers == NULL) return ga_error_memory("expression", st->nnode * sizeof *numbers);
  err = begin_stage(first, st);
  if (err == GA_NO_ERROR) err = begin_stage(rest, st);
  if (err == GA_NO_ERROR) {
    memset(first->reduced, 0, sizeof first->reduced);
    for (unsigned int j = g->begin[which]; j < g->begin[which + 1]; j++) {
      first->reduced[g->axis[j]] = 1;
      rest->dims[g->axis[j]] = 1;
      rest->reduced[g->axis[j]] = 0;
    }
    err = make_first(p, &t, o);
  }
  if (err == GA_NO_ERROR) {
    t.to = rest;
    make_rest(&t, first);
  }
  free(numbers);
  return err;
}

int ga_split_stage(ga_program *p, ga_stage *st, size_t least, ga_stage *first, int *done)
{
  int err;
  unsigned int which;
  ga_stage rest = {0};
  ga_lead o;
  groups g;
  *done = 0;
  if (st->splice != NULL || !ga_stage_is_free(st) || !ga_lead_find(&o, st, least))
    return GA_NO_ERROR;
  find_groups(&g, &o, st);
  if (!is_cut(&g, &o, st) || !lie_alike(&o, st) || !leaves_results(st)) return GA_NO_ERROR;
  which = choose_group(&g, &o, st);
  if (which == g.n || has_gaps(&g, which, &o, st)) return GA_NO_ERROR;
  err = make_both(p, &o, &g, which, st, first, &rest);
  if (err != GA_NO_ERROR) {
    ga_stage_clear(&rest);
    return err;
  }
  ga_stage_clear(st);
  *st = rest;
  *done = 1;
  return GA_NO_ERROR;
}
