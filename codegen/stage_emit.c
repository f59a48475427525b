/* SPDX-License-Identifier: MIT */
/* Writes a decided stage down: nodes in order of evaluation, operands with their
 * strides over the loop's axes, parameters, reductions, stores. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "stage.h"

typedef struct emitter {
  ga_stager *s;
  ga_stage *st;
  int g, level;
  unsigned int nodecap, opcap, paramcap, redcap, storecap;
  int *made;         /* of graph node: the stage's node at this level, -1 */
  int *reduction_at; /* of reduction: its place in the stage */
  /* The shape being computed, aligned at its end with every node's: loop axis of
   * each of its axes, -1 where the extent is 1. */
  unsigned int nd;
  int axis[GA_MAXND];
} emitter;

static int add_node(emitter *e, const ga_node *n, int *out)
{
  ga_stage *st = e->st;
  GA_TRY(ga_grow(&st->nodes, &e->nodecap, (size_t)st->nnode + 1, sizeof *st->nodes));
  st->nodes[st->nnode] = *n;
  *out = (int)st->nnode++;
  return GA_NO_ERROR;
}

static int add_operand(emitter *e, const ga_operand *o, int *out)
{
  ga_stage *st = e->st;
  for (unsigned int i = 0; i < st->noperand && !o->write; i++) {
    const ga_operand *x = &st->operands[i];
    if (x->slot == o->slot && x->offset == o->offset && x->outer == o->outer && !x->write &&
        memcmp(x->strides, o->strides, sizeof o->strides) == 0) {
      *out = (int)i;
      return GA_NO_ERROR;
    }
  }
  GA_TRY(ga_grow(&st->operands, &e->opcap, (size_t)st->noperand + 1, sizeof *st->operands));
  st->operands[st->noperand] = *o;
  *out = (int)st->noperand++;
  return GA_NO_ERROR;
}

/* One axis that walks all of the loop's, in C order. */
static void walk_flat(const ga_stage *st, ga_operand *o, ssize_t step)
{
  for (unsigned int k = st->nd; k-- > 0;) {
    o->strides[k] = step;
    step *= (ssize_t)st->dims[k];
  }
}

/* An array of nd axes, aligned at the end with the shape being computed, as the
 * loop walks it. */
static ga_operand walked(const emitter *e, unsigned int slot, unsigned int nd, const size_t *dims,
                         const ssize_t *strides)
{
  ga_operand o;
  memset(&o, 0, sizeof o);
  o.slot = slot;
  o.dtype = e->s->p->slots[slot].dtype;
  o.outer = e->level;
  for (unsigned int k = 0; k < nd; k++) {
    int loop = e->axis[k + e->nd - nd];
    if (dims[k] == 1 || loop < 0) continue;
    if (loop == GA_AXIS_FLAT)
      walk_flat(e->st, &o, strides[k]);
    else
      o.strides[loop] = strides[k];
  }
  return o;
}

static void c_strides(unsigned int nd, const size_t *dims, size_t size, ssize_t *strides)
{
  size_t step = size;
  for (unsigned int k = nd; k-- > 0;) {
    strides[k] = (ssize_t)step;
    step *= dims[k];
  }
}

/* ---- nodes ------------------------------------------------------------- */

static int emit_load(emitter *e, const ga_operand *o, int *out)
{
  ga_node n = {GA_N_LOAD, o->dtype, e->level, {-1, -1, -1}, -1};
  GA_TRY(add_operand(e, o, &n.index));
  return add_node(e, &n, out);
}

static int emit_param(emitter *e, const ga_dnode *x, int *out)
{
  ga_stage *st = e->st;
  ga_node n = {GA_N_PARAM, x->dtype, e->level, {-1, -1, -1}, 0};
  while (n.index < (int)st->nparam &&
         !(st->params[n.index].weak == x->index && st->params[n.index].dtype == x->dtype))
    n.index++;
  if (n.index == (int)st->nparam) {
    GA_TRY(ga_grow(&st->params, &e->paramcap, (size_t)st->nparam + 1, sizeof *st->params));
    st->params[st->nparam++] = (ga_param){x->dtype, x->index};
  }
  return add_node(e, &n, out);
}

/* A stored value: `from`'s slot, seen as node x sees it. */
static int emit_stored(emitter *e, const ga_dnode *x, int from, int *out)
{
  const ga_dnode *f = &e->s->d->nodes[from];
  ssize_t strides[GA_MAXND];
  ga_operand o;
  unsigned int slot = (unsigned int)e->s->slot_of[from];
  if (x->op == GA_D_STORED) {
    o = walked(e, slot, x->nd, x->dims, x->strides);
    o.offset = x->offset;
  } else {
    c_strides(f->nd, f->dims, ga_dtypes[f->dtype].size, strides);
    o = walked(e, slot, f->nd, f->dims, strides);
  }
  return emit_load(e, &o, out);
}

static int emit_node(emitter *e, int i, int *out)
{
  const ga_dnode *x = &e->s->d->nodes[i];
  int from = ga_stage_source(e->s, i, e->g);
  ga_node n = {x->op, x->dtype, e->level, {-1, -1, -1}, -1};
  if (from >= 0) return emit_stored(e, x, from, out);
  switch (x->op) {
  case GA_N_PARAM: return emit_param(e, x, out);
  case GA_N_REDUCE: n.index = e->reduction_at[x->index]; return add_node(e, &n, out);
  case GA_D_BROADCAST: *out = e->made[x->arg[0]]; return GA_NO_ERROR;
  case GA_N_LOAD: {
    ga_operand o = walked(e, (unsigned int)e->s->arg_slot[x->index], x->nd, x->dims, x->strides);
    o.offset = x->offset;
    return emit_load(e, &o, out);
  }
  default: break;
  }
  for (int k = 0; k < 3 && x->arg[k] >= 0; k++) n.arg[k] = e->made[x->arg[k]];
  return add_node(e, &n, out);
}

/* Everything the roots need at this level that is not made yet. */
static int emit_nodes(emitter *e, const int *roots, unsigned int nroot)
{
  ga_stage_mark(e->s, e->g, roots, nroot);
  for (unsigned int i = 0; i < e->s->d->n; i++)
    if (e->s->mark[i] && e->made[i] < 0) GA_TRY(emit_node(e, (int)i, &e->made[i]));
  return GA_NO_ERROR;
}

static void forget(emitter *e)
{
  for (unsigned int i = 0; i < e->s->d->n; i++) e->made[i] = -1;
}

/* ---- stores ------------------------------------------------------------ */

static int emit_store(emitter *e, const ga_want *w)
{
  const ga_stager *s = e->s;
  const ga_dnode *x = &s->d->nodes[w->node];
  const ga_slot *slot = &s->p->slots[w->slot];
  ssize_t strides[GA_MAXND];
  const ssize_t *from = strides;
  ga_store store;
  if (slot->kind == GA_SLOT_ARG)
    from = s->in->binds[slot->arg].strides;
  else if (slot->kind == GA_SLOT_RESULT && s->in->into != NULL)
    from = s->in->into->strides;
  else
    c_strides(x->nd, x->dims, ga_dtypes[x->dtype].size, strides);
  ga_operand o = walked(e, w->slot, x->nd, x->dims, from);
  o.write = 1;
  GA_TRY(add_operand(e, &o, &store.operand));
  store.node = e->made[w->node];
  GA_TRY(ga_grow(&e->st->stores, &e->storecap, (size_t)e->st->nstore + 1, sizeof store));
  e->st->stores[e->st->nstore++] = store;
  return GA_NO_ERROR;
}

/* The values of one stage, computed over the loop axes that `axis` names. */
static int emit_wants(emitter *e, const ga_group *g)
{
  forget(e);
  for (unsigned int i = 0; i < g->nwant; i++) {
    const ga_dnode *x = &e->s->d->nodes[g->wants[i].node];
    int axis[GA_MAXND];
    for (unsigned int k = 0; k < x->nd; k++)
      axis[k] = x->dims[k] == 1 ? -1 : g->map ? (int)k : e->s->map[g->wants[i].node][k];
    if (i > 0 && (x->nd != e->nd || memcmp(axis, e->axis, x->nd * sizeof *axis) != 0)) forget(e);
    e->nd = x->nd;
    memcpy(e->axis, axis, x->nd * sizeof *axis);
    GA_TRY(emit_nodes(e, &g->wants[i].node, 1));
    GA_TRY(emit_store(e, &g->wants[i]));
  }
  return GA_NO_ERROR;
}

/* ---- reductions -------------------------------------------------------- */

static int emit_iota(emitter *e, int *iota)
{
  ga_stage *st = e->st;
  ga_node n = {GA_N_IOTA, GA_DT_INT64, 0, {-1, -1, -1}, -1};
  int64_t step = 1;
  if (*iota >= 0) return GA_NO_ERROR;
  for (unsigned int k = st->nd; k-- > 0;) {
    if (!st->reduced[k]) continue;
    st->iota_step[k] = step;
    step *= (int64_t)st->dims[k];
  }
  return add_node(e, &n, iota);
}

static int emit_reductions(emitter *e, const ga_group *g)
{
  const ga_dag *d = e->s->d;
  int roots[GA_MAXSTAGEREDUCTION], iota = -1;
  unsigned int n = 0;
  e->level = 0;
  e->nd = g->shape.nd;
  for (unsigned int k = 0; k < e->nd; k++) {
    e->axis[k] = (int)k;
    e->st->reduced[k] = g->axes >> k & 1;
  }
  forget(e);
  for (unsigned int i = 0; i < g->nreduction; i++)
    if (e->s->need[g->reductions[i]]) roots[n++] = d->reductions[g->reductions[i]].arg;
  GA_TRY(emit_nodes(e, roots, n));
  for (unsigned int i = 0; i < g->nreduction; i++) {
    const ga_dreduction *r = &d->reductions[g->reductions[i]];
    ga_reduction to = {r->op, e->made[r->arg], r->acc, -1, 0};
    if (!e->s->need[g->reductions[i]]) continue;
    if (ga_reduces[r->op].acc == GA_ACC_INDEX) {
      GA_TRY(emit_iota(e, &iota));
      to.iota = iota;
    }
    GA_TRY(ga_grow(&e->st->reductions, &e->redcap, (size_t)e->st->nreduction + 1, sizeof to));
    e->st->scan = r->scan;
    e->reduction_at[g->reductions[i]] = (int)e->st->nreduction;
    e->st->reductions[e->st->nreduction++] = to;
  }
  e->level = 1;
  return GA_NO_ERROR;
}

/* An array of one element, read for each that is reduced, is as good as a number: kernels ask for
 * it where they use it, and choose their ways by what else they read. What moments are taken
 * from stays among what they read first. */
static void find_numbers(ga_stage *st)
{
  static const ssize_t still[GA_MAXND];
  unsigned int moves = 0;
  if (st->nreduction == 0 || st->scan) return;
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].op == GA_REDUCE_moment) return;
  for (int found = 0; found < 2; found++)
    for (unsigned int i = 0; i < st->noperand; i++) {
      ga_operand *o = &st->operands[i];
      if (o->outer || o->write) continue;
      if (memcmp(o->strides, still, sizeof still) != 0)
        moves++;
      else if (found && moves != 0)
        o->outer = GA_NUMBER;
    }
}

int ga_stage_emit(ga_stager *s, int g, ga_stage *st)
{
  const ga_group *group = &s->groups[g];
  emitter e = {.s = s, .st = st, .g = g};
  st->nd = group->shape.nd;
  memcpy(st->dims, group->shape.dims, st->nd * sizeof *st->dims);
  e.made = ga_arena_alloc(&s->arena, s->d->n * sizeof *e.made);
  e.reduction_at = ga_arena_alloc(&s->arena, s->d->nreduction * sizeof *e.reduction_at);
  if (e.made == NULL || e.reduction_at == NULL) return GA_MEMORY_ERROR;
  if (!group->map) GA_TRY(emit_reductions(&e, group));
  GA_TRY(emit_wants(&e, group));
  find_numbers(st);
  return GA_NO_ERROR;
}

void ga_stage_clear(ga_stage *st)
{
  free(st->nodes);
  free(st->operands);
  free(st->params);
  free(st->reductions);
  free(st->stores);
  memset(st, 0, sizeof *st);
}
