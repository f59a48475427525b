/* SPDX-License-Identifier: MIT */
/* Cuts the graph into stages. A stage is one kernel: a map, or reductions over
 * the same axes of the same loop, or one scan, with maps before and after.
 *
 *   t = exp(a - max(a, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)
 *     stage 0  reduce  max(a)                        -> m, one element per row
 *     stage 1  reduce  sum(exp(a - m))               -> s
 *     stage 2  map     exp(a - m) / s
 *
 * Elementwise nodes are computed again wherever they are used (exp above), never
 * stored; only results of reductions, with the arithmetic on them that their kept
 * axes allow, go through slots between stages. Reduction stages come first, in
 * waves of dependency, then one map for each shape among the outputs. */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* ---- what depends on what ---------------------------------------------- */

/* What the outputs need; results that nothing asks for are never computed. */
static void find_live(ga_stager *s)
{
  const ga_infer *in = s->in;
  for (unsigned int i = 0; i < in->noutput; i++) s->live[in->outputs[i].node] = 1;
  for (unsigned int i = s->d->n; i-- > 0;)
    for (int k = 0; s->live[i] && k < 3 && s->d->nodes[i].arg[k] >= 0; k++)
      s->live[s->d->nodes[i].arg[k]] = 1;
}

static void find_waves(ga_stager *s)
{
  for (unsigned int i = 0; i < s->d->n; i++) {
    const ga_dnode *n = &s->d->nodes[i];
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++)
      if (s->wave[n->arg[k]] > s->wave[i]) s->wave[i] = s->wave[n->arg[k]];
    if (n->op == GA_N_REDUCE) s->wave[i]++;
  }
}

/* Whether node i, which depends on stage s->ready[i], can be computed at the end
 * of it: then each of its elements is of one element of the kept axes. */
static int fits_after(ga_stager *s, int i, int *map)
{
  const ga_dnode *n = &s->d->nodes[i];
  for (unsigned int k = 0; k < n->nd; k++) map[k] = -1;
  for (int a = 0; a < 3 && n->arg[a] >= 0; a++) {
    int arg = n->arg[a];
    const ga_dnode *x = &s->d->nodes[arg];
    if (s->ready[arg] != s->ready[i]) continue;
    if (!s->post[arg]) return 0;
    for (unsigned int k = 0; k < n->nd; k++) {
      if (n->dims[k] == 1) continue;
      int j = (int)(k + x->nd) - (int)n->nd;
      if (j < 0 || x->dims[j] != n->dims[k]) return 0; /* repeated along axis k */
      if (map[k] >= 0 && map[k] != s->map[arg][j]) return 0;
      map[k] = s->map[arg][j];
    }
  }
  return 1;
}

static int find_ready(ga_stager *s)
{
  for (unsigned int i = 0; i < s->d->n; i++) {
    const ga_dnode *n = &s->d->nodes[i];
    s->ready[i] = -1;
    if (!s->live[i]) continue;
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++)
      if (s->ready[n->arg[k]] > s->ready[i]) s->ready[i] = s->ready[n->arg[k]];
    if (n->op == GA_N_REDUCE) {
      s->ready[i] = s->group_of[n->index];
      s->post[i] = 1;
      s->map[i] = n->map;
    } else if (s->ready[i] >= 0 && n->op != GA_D_STORED) {
      int *map = ga_arena_alloc(&s->arena, n->nd * sizeof *map);
      if (map == NULL) return GA_MEMORY_ERROR;
      s->post[i] = (unsigned char)fits_after(s, (int)i, map);
      s->map[i] = map;
    }
  }
  return GA_NO_ERROR;
}

/* ---- slots ------------------------------------------------------------- */

static int new_slot(ga_stager *s, enum ga_slot_kind kind, int arg, int node, unsigned int *out)
{
  ga_program *p = s->p;
  GA_TRY(ga_grow(&p->slots, &s->slotcap, (size_t)p->nslot + 1, sizeof *p->slots));
  ga_slot *slot = &p->slots[p->nslot];
  const ga_bind *b = kind == GA_SLOT_ARG ? &s->in->binds[arg] : NULL;
  const ga_dnode *n = b == NULL ? &s->d->nodes[node] : NULL;
  memset(slot, 0, sizeof *slot);
  slot->kind = kind;
  slot->arg = arg < 0 ? 0 : (unsigned int)arg;
  slot->dtype = b ? b->dtype : n->dtype;
  slot->nd = b ? b->nd : n->nd;
  if (slot->nd > 0) memcpy(slot->dims, b ? b->dims : n->dims, slot->nd * sizeof *slot->dims);
  *out = p->nslot++;
  return GA_NO_ERROR;
}

static int add_want(ga_group *g, int node, unsigned int slot)
{
  GA_TRY(ga_grow(&g->wants, &g->wantcap, (size_t)g->nwant + 1, sizeof *g->wants));
  g->wants[g->nwant++] = (ga_want){node, slot};
  return GA_NO_ERROR;
}

/* Slots of the arrays that live nodes read. */
static int find_args(ga_stager *s)
{
  unsigned int slot;
  for (unsigned int b = 0; b < s->in->nbind; b++) s->arg_slot[b] = -1;
  for (unsigned int i = 0; i < s->d->n; i++)
    if (s->live[i] && s->d->nodes[i].op == GA_N_LOAD) s->arg_slot[s->d->nodes[i].index] = 0;
  for (unsigned int i = 0; i < s->in->noutput; i++)
    if (s->in->outputs[i].kind == GA_SLOT_ARG) s->arg_slot[s->in->outputs[i].bind] = 0;
  for (unsigned int b = 0; b < s->in->nbind; b++) {
    if (s->arg_slot[b] < 0) continue;
    GA_TRY(new_slot(s, GA_SLOT_ARG, (int)b, -1, &slot));
    s->arg_slot[b] = (int)slot;
  }
  return GA_NO_ERROR;
}

/* ---- what each stage leaves behind ------------------------------------- */

static int map_group(ga_stager *s, int node, int *out)
{
  const ga_dnode *n = &s->d->nodes[node];
  unsigned int g = 0;
  for (; g < s->ngroup; g++) {
    const ga_group *x = &s->groups[g];
    if (x->map && x->shape.nd == n->nd &&
        memcmp(x->shape.dims, n->dims, n->nd * sizeof *n->dims) == 0)
      break;
  }
  if (g == s->ngroup) {
    GA_TRY(ga_grow(&s->groups, &s->groupcap, (size_t)g + 1, sizeof *s->groups));
    memset(&s->groups[g], 0, sizeof s->groups[g]);
    s->groups[g].map = 1;
    ga_dag_shape(s->d, node, &s->groups[g].shape);
    s->ngroup++;
  }
  *out = (int)g;
  return GA_NO_ERROR;
}

static int place_output(ga_stager *s, const ga_output *o)
{
  unsigned int slot;
  int g, node = o->node;
  int created = o->kind == GA_SLOT_NEW || (o->kind == GA_SLOT_RESULT && s->in->into == NULL);
  if (o->kind == GA_SLOT_ARG)
    slot = (unsigned int)s->arg_slot[o->bind];
  else
    GA_TRY(new_slot(s, o->kind, o->bind, node, &slot));
  if (o->kind == GA_SLOT_RESULT) s->p->result = (int)slot;
  if (s->ready[node] >= 0 && s->post[node]) {
    g = s->ready[node];
    if (created) s->slot_of[node] = (int)slot; /* later stages may read it there */
  } else {
    GA_TRY(map_group(s, node, &g));
  }
  return add_want(&s->groups[g], node, slot);
}

int ga_stage_source(const ga_stager *s, int node, int g)
{
  const ga_dnode *n = &s->d->nodes[node];
  if (n->op == GA_D_STORED) return n->arg[0];
  return s->ready[node] >= 0 && s->ready[node] < g && s->post[node] ? node : -1;
}

void ga_stage_mark(ga_stager *s, int g, const int *roots, unsigned int nroot)
{
  memset(s->mark, 0, s->d->n);
  for (unsigned int i = 0; i < nroot; i++) s->mark[roots[i]] = 1;
  for (unsigned int i = s->d->n; i-- > 0;) {
    const ga_dnode *n = &s->d->nodes[i];
    if (!s->mark[i] || n->op == GA_N_REDUCE || ga_stage_source(s, (int)i, g) >= 0) continue;
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++) s->mark[n->arg[k]] = 1;
  }
}

/* Has what stage g reads from slots stored by earlier stages, and notes which of
 * its own reductions it needs. */
static int demand(ga_stager *s, int g)
{
  for (unsigned int i = 0; i < s->d->n; i++) {
    if (!s->mark[i]) continue;
    int from = ga_stage_source(s, (int)i, g);
    if (from < 0) {
      if (s->d->nodes[i].op == GA_N_REDUCE) s->need[s->d->nodes[i].index] = 1;
      continue;
    }
    if (s->slot_of[from] >= 0) continue;
    unsigned int slot;
    GA_TRY(new_slot(s, GA_SLOT_TEMP, -1, from, &slot));
    s->slot_of[from] = (int)slot;
    GA_TRY(add_want(&s->groups[s->ready[from]], from, slot));
  }
  return GA_NO_ERROR;
}

/* From the last stage to the first: what it wants is known when it is reached. */
static int demand_all(ga_stager *s)
{
  for (unsigned int g = s->ngroup; g-- > 0;) {
    ga_group *group = &s->groups[g];
    int roots[GA_MAXSTAGEREDUCTION];
    unsigned int n = 0;
    int *wants = ga_arena_alloc(&s->arena, group->nwant * sizeof *wants);
    if (wants == NULL) return GA_MEMORY_ERROR;
    for (unsigned int i = 0; i < group->nwant; i++) wants[i] = group->wants[i].node;
    ga_stage_mark(s, (int)g, wants, group->nwant);
    GA_TRY(demand(s, (int)g));
    for (unsigned int i = 0; i < group->nreduction; i++)
      if (s->need[group->reductions[i]]) roots[n++] = s->d->reductions[group->reductions[i]].arg;
    ga_stage_mark(s, (int)g, roots, n);
    GA_TRY(demand(s, (int)g));
  }
  return GA_NO_ERROR;
}

/* ---- the program ------------------------------------------------------- */

static int emit_all(ga_stager *s)
{
  ga_program *p = s->p;
  if (s->ngroup == 0) return GA_NO_ERROR;
  p->stages = calloc(s->ngroup, sizeof *p->stages);
  if (p->stages == NULL) return ga_error_memory("expression", s->ngroup * sizeof *p->stages);
  for (unsigned int g = 0; g < s->ngroup; g++) {
    if (s->groups[g].nwant == 0) continue;
    p->nstage++; /* before emitting: a failed stage is cleared with the rest */
    GA_TRY(ga_stage_emit(s, (int)g, &p->stages[p->nstage - 1]));
  }
  return GA_NO_ERROR;
}

static int allocate(ga_stager *s)
{
  size_t n = s->d->n, r = s->d->nreduction;
  s->live = ga_arena_alloc(&s->arena, n);
  s->wave = ga_arena_alloc(&s->arena, n * sizeof *s->wave);
  s->ready = ga_arena_alloc(&s->arena, n * sizeof *s->ready);
  s->post = ga_arena_alloc(&s->arena, n);
  s->map = ga_arena_alloc(&s->arena, n * sizeof *s->map);
  s->mark = ga_arena_alloc(&s->arena, n);
  s->slot_of = ga_arena_alloc(&s->arena, n * sizeof *s->slot_of);
  s->group_of = ga_arena_alloc(&s->arena, r * sizeof *s->group_of);
  s->need = ga_arena_alloc(&s->arena, r);
  s->arg_slot = ga_arena_alloc(&s->arena, s->in->nbind * sizeof *s->arg_slot);
  if (!s->live || !s->wave || !s->ready || !s->post || !s->map || !s->mark || !s->slot_of ||
      !s->group_of || !s->need || !s->arg_slot)
    return GA_MEMORY_ERROR;
  for (size_t i = 0; i < n; i++) s->slot_of[i] = -1;
  return GA_NO_ERROR;
}

int ga_stage_program(const ga_infer *in, ga_program *p)
{
  ga_stager s = {.in = in, .d = &in->dag, .p = p};
  int err = GA_XLARGE_ERROR;
  p->result = -1;
  if (in->dag.nreduction > GA_MAXREDUCTION) {
    ga_error(err, "expression: %u reductions; at most %d are taken", in->dag.nreduction,
             GA_MAXREDUCTION);
    goto done;
  }
  if ((err = allocate(&s)) != GA_NO_ERROR) goto done;
  find_live(&s);
  find_waves(&s);
  if ((err = ga_stage_groups(&s)) != GA_NO_ERROR) goto done;
  if ((err = find_ready(&s)) != GA_NO_ERROR) goto done;
  if ((err = find_args(&s)) != GA_NO_ERROR) goto done;
  for (unsigned int i = 0; i < in->noutput; i++)
    if ((err = place_output(&s, &in->outputs[i])) != GA_NO_ERROR) goto done;
  if ((err = demand_all(&s)) != GA_NO_ERROR) goto done;
  err = emit_all(&s);
done:
  for (unsigned int g = 0; g < s.ngroup; g++) free(s.groups[g].wants);
  free(s.groups);
  ga_arena_clear(&s.arena);
  return err;
}
