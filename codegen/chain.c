/* SPDX-License-Identifier: MIT */
/* Which stages one kernel may run row by row, and those stages as one (codegen.h,
 * ga_chain). The stages stay as they are, for devices that run them one by one and
 * for rows that are too long.
 *
 *   softmax     stage 0  max(x)           level 0 max, level 1 m
 *               stage 1  sum(exp(x - m))  level 2 exp(x - m), level 3 s
 *               stage 2  exp(x - m) / s   level 4
 *
 * A stage joins when it has the chain's loop and reads, besides arrays, only what a
 * member leaves for the very row, or what was there before the chain. The chain
 * walks the reduced axes as each member would alone, or is none: the order of a
 * reduction is the array's. */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "stage.h"

/* A chain in the making. */
typedef struct joiner {
  const ga_program *p;
  ga_chain *c;
  unsigned int nodecap, opcap, paramcap, redcap, storecap;
  int *node;    /* of the member's node: the chain's */
  int *operand; /* of the member's operand: the chain's, -1: a member's result */
  int *result;  /* of slot: the chain's node that is stored there, -1 */
} joiner;

static int is_map(const ga_stage *st) { return st->nreduction == 0; }

/* ---- who may join ----------------------------------------------------------- */

static const ga_operand *writer_in(const ga_stage *st, unsigned int slot)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && st->operands[i].slot == slot) return &st->operands[i];
  return NULL;
}

static int is_member(const ga_chain *c, unsigned int stage)
{
  for (unsigned int i = 0; i < c->nmember; i++)
    if (c->members[i] == stage) return 1;
  return 0;
}

/* The operand that a stage before `stage` writes the slot by, and that stage. An
 * argument is read as it was before. */
static const ga_operand *find_writer(const ga_program *p, unsigned int slot, unsigned int stage,
                                     unsigned int *at)
{
  for (*at = 0; *at < stage && p->slots[slot].kind != GA_SLOT_ARG; ++*at) {
    const ga_operand *o = writer_in(&p->stages[*at], slot);
    if (o != NULL) return o;
  }
  return NULL;
}

/* `read` sees, all along a row, the one element that `write` leaves for it. */
static int same_row(const ga_stage *st, const ga_operand *read, const ga_operand *write)
{
  if (read->offset != write->offset) return 0;
  for (unsigned int k = 0; k < st->nd; k++)
    if (st->dims[k] > 1 && read->strides[k] != (st->reduced[k] ? 0 : write->strides[k])) return 0;
  return 1;
}

static int same_loop(const ga_stage *x, const ga_stage *y)
{
  return x->nd == y->nd && memcmp(x->dims, y->dims, x->nd * sizeof *x->dims) == 0;
}

/* Accumulators of more than one value are not made for rows that are kept. */
static int has_pairs(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].iota >= 0 || st->reductions[i].op == GA_REDUCE_moment) return 1;
  return 0;
}

static int may_join(const ga_program *p, const ga_chain *c, unsigned int stage)
{
  const ga_stage *st = &p->stages[stage], *first = &p->stages[c->members[0]];
  int depends = 0;
  if (st->scan || first->scan) return 0;
  if (!same_loop(st, first) || has_pairs(st) || c->nmember == GA_MAXCHAIN) return 0;
  if (!is_map(st) && memcmp(st->reduced, first->reduced, st->nd) != 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i], *from;
    unsigned int at;
    if (o->write || (from = find_writer(p, o->slot, stage, &at)) == NULL) continue;
    if (is_member(c, at)) {
      if (!same_row(first, o, from)) return 0;
      depends = 1;
    } else if (at > c->members[0]) {
      return 0;
    }
  }
  return depends;
}

/* ---- members as one stage ------------------------------------------------------ */

static int add_param(joiner *j, const ga_param *x, int *out)
{
  ga_stage *st = &j->c->stage;
  for (*out = 0; *out < (int)st->nparam; ++*out)
    if (st->params[*out].weak == x->weak && st->params[*out].dtype == x->dtype) return GA_NO_ERROR;
  GA_TRY(ga_grow(&st->params, &j->paramcap, (size_t)st->nparam + 1, sizeof *st->params));
  st->params[st->nparam++] = *x;
  return GA_NO_ERROR;
}

/* What is read along rows is read once; what a row has one of, by each member. */
static int add_operand(joiner *j, const ga_operand *o, int *out)
{
  ga_stage *st = &j->c->stage;
  for (*out = 0; *out < (int)st->noperand && !o->write && !o->outer; ++*out) {
    const ga_operand *x = &st->operands[*out];
    if (x->slot == o->slot && x->offset == o->offset && !x->outer && !x->write &&
        memcmp(x->strides, o->strides, sizeof o->strides) == 0)
      return GA_NO_ERROR;
  }
  *out = (int)st->noperand;
  GA_TRY(ga_grow(&st->operands, &j->opcap, (size_t)st->noperand + 1, sizeof *st->operands));
  st->operands[st->noperand++] = *o;
  return GA_NO_ERROR;
}

static int add_operands(joiner *j, const ga_stage *from)
{
  for (unsigned int i = 0; i < from->noperand; i++) {
    const ga_operand *o = &from->operands[i];
    j->operand[i] = -1;
    if (o->write || j->result[o->slot] >= 0) continue;
    GA_TRY(add_operand(j, o, &j->operand[i]));
  }
  return GA_NO_ERROR;
}

static int add_node(joiner *j, const ga_stage *from, unsigned int i, int level)
{
  ga_stage *st = &j->c->stage;
  ga_node n = from->nodes[i];
  if (n.op == GA_N_LOAD && j->operand[n.index] < 0) {
    j->node[i] = j->result[from->operands[n.index].slot];
    return GA_NO_ERROR;
  }
  n.level += level;
  for (int k = 0; k < 3; k++)
    if (n.arg[k] >= 0) n.arg[k] = j->node[n.arg[k]];
  if (n.op == GA_N_LOAD) n.index = j->operand[n.index];
  if (n.op == GA_N_PARAM) GA_TRY(add_param(j, &from->params[n.index], &n.index));
  if (n.op == GA_N_REDUCE)
    n.index += (int)st->nreduction - (int)from->nreduction; /* they were added before */
  j->node[i] = (int)st->nnode;
  GA_TRY(ga_grow(&st->nodes, &j->nodecap, (size_t)st->nnode + 1, sizeof *st->nodes));
  st->nodes[st->nnode++] = n;
  return GA_NO_ERROR;
}

static int add_reductions(joiner *j, const ga_stage *from)
{
  ga_stage *st = &j->c->stage;
  GA_TRY(ga_grow(&st->reductions, &j->redcap, (size_t)st->nreduction + from->nreduction,
                 sizeof *st->reductions));
  for (unsigned int i = 0; i < from->nreduction; i++)
    st->reductions[st->nreduction++] = from->reductions[i];
  return GA_NO_ERROR;
}

/* Somebody but the chain's members reads the slot, or it is nobody's temporary. */
static int is_stored(const joiner *j, unsigned int slot)
{
  if (j->p->slots[slot].kind != GA_SLOT_TEMP) return 1;
  for (unsigned int k = 0; k < j->p->nstage; k++) {
    const ga_stage *st = &j->p->stages[k];
    if (is_member(j->c, k)) continue;
    for (unsigned int i = 0; i < st->noperand; i++)
      if (st->operands[i].slot == slot && !st->operands[i].write) return 1;
  }
  return 0;
}

static int add_stores(joiner *j, const ga_stage *from)
{
  ga_stage *st = &j->c->stage;
  for (unsigned int i = 0; i < from->nstore; i++) {
    const ga_operand *o = &from->operands[from->stores[i].operand];
    ga_store s = {-1, j->node[from->stores[i].node]};
    if (j->p->slots[o->slot].kind != GA_SLOT_ARG) j->result[o->slot] = s.node;
    if (!is_stored(j, o->slot)) continue;
    GA_TRY(add_operand(j, o, &s.operand));
    GA_TRY(ga_grow(&st->stores, &j->storecap, (size_t)st->nstore + 1, sizeof s));
    st->stores[st->nstore++] = s;
  }
  return GA_NO_ERROR;
}

static int add_member(joiner *j, const ga_stage *from, int level)
{
  ga_stage *st = &j->c->stage;
  unsigned int first = st->nreduction;
  GA_TRY(add_operands(j, from));
  GA_TRY(add_reductions(j, from));
  for (unsigned int i = 0; i < from->nnode; i++) GA_TRY(add_node(j, from, i, level));
  for (; first < st->nreduction; first++)
    st->reductions[first].node = j->node[st->reductions[first].node];
  return add_stores(j, from);
}

static int join_members(joiner *j)
{
  const ga_program *p = j->p;
  const ga_stage *first = &p->stages[j->c->members[0]];
  ga_stage *st = &j->c->stage;
  st->nd = first->nd;
  memcpy(st->dims, first->dims, sizeof st->dims);
  memcpy(st->reduced, first->reduced, sizeof st->reduced);
  for (unsigned int i = 0; i < p->nslot; i++) j->result[i] = -1;
  for (unsigned int i = 0; i < j->c->nmember; i++)
    GA_TRY(add_member(j, &p->stages[j->c->members[i]], 2 * (int)i));
  return GA_NO_ERROR;
}

/* ---- the order of the members' reductions ---------------------------------------- */

/* Each reduction reads elements of the loop, not only what a row has one of; each
 * reducing member alone is walked as the chain is. */
static int check_walks(const joiner *j, int *same)
{
  ga_layout chain = {0}, own = {0};
  const ga_stage *all = &j->c->stage;
  int err = ga_layout_make(&chain, all);
  *same = 1;
  for (unsigned int i = 0; i < all->nreduction; i++)
    *same &= !(all->nodes[all->reductions[i].node].level & 1);
  for (unsigned int i = 0; i < j->c->nmember && err == GA_NO_ERROR && *same; i++) {
    const ga_stage *st = &j->p->stages[j->c->members[i]];
    if (is_map(st)) continue;
    err = ga_layout_make(&own, st);
    *same = err == GA_NO_ERROR && own.nwalk == chain.nwalk && own.reduced != 0 &&
            memcmp(own.walk, chain.walk, own.nwalk * sizeof *own.walk) == 0;
    ga_layout_clear(&own);
  }
  ga_layout_clear(&chain);
  return err;
}

/* ---- all chains -------------------------------------------------------------------- */

static int make_joiner(joiner *j, const ga_program *p, ga_chain *c)
{
  size_t nodes = 1, operands = 1, bytes;
  for (unsigned int k = 0; k < p->nstage; k++) {
    if (p->stages[k].nnode > nodes) nodes = p->stages[k].nnode;
    if (p->stages[k].noperand > operands) operands = p->stages[k].noperand;
  }
  bytes = (nodes + operands + p->nslot) * sizeof(int);
  *j = (joiner){.p = p, .c = c};
  if ((j->node = calloc(1, bytes)) == NULL) return ga_error_memory("expression", bytes);
  j->operand = j->node + nodes;
  j->result = j->operand + operands;
  return GA_NO_ERROR;
}

/* The members that follow the first; a map ends the chain. */
static void find_members(const ga_program *p, const unsigned char *taken, ga_chain *c)
{
  for (unsigned int k = c->members[0] + 1; k < p->nstage; k++) {
    if (taken[k] || !may_join(p, c, k)) continue;
    c->members[c->nmember++] = k;
    if (is_map(&p->stages[k])) return;
  }
}

static int try_chain(ga_program *p, unsigned char *taken, unsigned int first)
{
  ga_chain *c = &p->chains[p->nchain];
  joiner j;
  int same, err;
  memset(c, 0, sizeof *c);
  c->members[c->nmember++] = first;
  if (is_map(&p->stages[first]) || has_pairs(&p->stages[first])) return GA_NO_ERROR;
  find_members(p, taken, c);
  if (c->nmember < 2) return GA_NO_ERROR;
  GA_TRY(make_joiner(&j, p, c));
  err = join_members(&j);
  if (err == GA_NO_ERROR) err = check_walks(&j, &same);
  free(j.node);
  if (err != GA_NO_ERROR || !same) {
    ga_stage_clear(&c->stage);
    return err;
  }
  for (unsigned int i = 0; i < c->nmember; i++) taken[c->members[i]] = 1;
  p->nchain++;
  return GA_NO_ERROR;
}

int ga_chain_find(ga_program *p)
{
  unsigned char *taken;
  int err = GA_NO_ERROR;
  if (p->nstage < 2) return GA_NO_ERROR;
  taken = calloc(p->nstage, 1);
  p->chains = calloc(p->nstage / 2, sizeof *p->chains);
  if (taken == NULL || p->chains == NULL)
    err = ga_error_memory("expression", p->nstage * sizeof *p->chains);
  for (unsigned int k = 0; k < p->nstage && err == GA_NO_ERROR; k++)
    if (!taken[k] && p->nchain < p->nstage / 2) err = try_chain(p, taken, k);
  free(taken);
  return err;
}
