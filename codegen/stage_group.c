/* SPDX-License-Identifier: MIT */
/* Which reductions share a pass over the data. Those of the same loop, reduced
 * axes and wave may, if the pass walks each as it would be walked alone: the order
 * of a reduction is the array's, and must not depend on what else is in the text.
 * A scan has a pass of its own.
 *
 *   s = sum(a); q = sum(a*a)      one pass
 *   s = sum(a); q = sum(a.T)      two: their orders differ */
#include <string.h>

#include "stage.h"

/* What a reduction reads, and the order that its first full operand sets. */
typedef struct reads {
  unsigned int n;
  const int *leaves; /* node numbers, ascending */
  int plain;         /* leaves are arrays only, and order[] is strict */
  unsigned int nr;
  int order[GA_MAXND]; /* reduced axes, largest stride first; ~k: walked backwards */
} reads;

static int is_full(const ga_dnode *n, const ga_dnode *loop)
{
  if (n->op != GA_N_LOAD) return 0;
  for (unsigned int k = 0; k < loop->nd; k++) {
    if (loop->dims[k] == 1) continue;
    if (k + n->nd < loop->nd) return 0;
    if (n->strides[k + n->nd - loop->nd] == 0) return 0;
  }
  return 1;
}

/* Sorts the reduced axes by the strides of `n`; 0 when two are equal. */
static int order_by(reads *r, const ga_dnode *n, const ga_dnode *loop, uint64_t axes)
{
  unsigned int skip = loop->nd - n->nd;
  uint64_t size[GA_MAXND];
  for (unsigned int k = 0; k < loop->nd; k++) {
    if (!(axes >> k & 1) || loop->dims[k] == 1) continue;
    ssize_t s = n->strides[k - skip];
    unsigned int at = r->nr++;
    for (; at > 0 && size[at - 1] <= ga_magnitude(s); at--) {
      if (size[at - 1] == ga_magnitude(s)) return 0;
      size[at] = size[at - 1];
      r->order[at] = r->order[at - 1];
    }
    size[at] = ga_magnitude(s);
    r->order[at] = s < 0 ? ~(int)k : (int)k;
  }
  return 1;
}

static int find_reads(ga_stager *s, const ga_dreduction *red, reads *r)
{
  const ga_dag *d = s->d;
  const ga_dnode *loop = &d->nodes[red->arg], *full = NULL;
  unsigned int n = 0;
  memset(r, 0, sizeof *r);
  memset(s->mark, 0, d->n);
  s->mark[red->arg] = 1;
  for (int i = red->arg; i >= 0; i--) {
    const ga_dnode *x = &d->nodes[i];
    if (!s->mark[i]) continue;
    if (x->op == GA_N_LOAD || x->op == GA_D_STORED || x->op == GA_N_REDUCE) {
      n++;
      continue;
    }
    for (int k = 0; k < 3 && x->arg[k] >= 0; k++) s->mark[x->arg[k]] = 1;
  }
  int *leaves = ga_arena_alloc(&s->arena, n * sizeof *leaves);
  if (leaves == NULL) return GA_MEMORY_ERROR;
  r->leaves = leaves;
  r->plain = 1;
  for (int i = 0; i <= red->arg; i++) {
    const ga_dnode *x = &d->nodes[i];
    if (!s->mark[i]) continue;
    if (x->op == GA_D_STORED || x->op == GA_N_REDUCE) r->plain = 0;
    if (x->op == GA_N_LOAD && full == NULL && is_full(x, loop)) full = x;
    if (x->op == GA_N_LOAD || x->op == GA_D_STORED || x->op == GA_N_REDUCE) leaves[r->n++] = i;
  }
  if (full == NULL || !order_by(r, full, loop, red->axes)) r->plain = 0;
  return GA_NO_ERROR;
}

static int same_order(const reads *x, const reads *y)
{
  if (x->n == y->n && memcmp(x->leaves, y->leaves, x->n * sizeof *x->leaves) == 0) return 1;
  return x->plain && y->plain && x->nr == y->nr &&
         memcmp(x->order, y->order, x->nr * sizeof *x->order) == 0;
}

static int joins(const ga_stager *s, const ga_group *g, int reduction, int wave, const reads *all)
{
  const ga_dreduction *r = &s->d->reductions[reduction];
  const ga_dnode *x = &s->d->nodes[r->arg];
  if (r->scan != GA_SCAN_NONE || s->d->reductions[g->reductions[0]].scan != GA_SCAN_NONE) return 0;
  if (g->wave != wave || g->axes != r->axes || g->shape.nd != x->nd ||
      g->nreduction == GA_MAXSTAGEREDUCTION ||
      memcmp(g->shape.dims, x->dims, x->nd * sizeof *x->dims) != 0)
    return 0;
  for (unsigned int i = 0; i < g->nreduction; i++)
    if (!same_order(&all[g->reductions[i]], &all[reduction])) return 0;
  return 1;
}

static int place(ga_stager *s, int reduction, int wave, const reads *all)
{
  const ga_dreduction *r = &s->d->reductions[reduction];
  unsigned int g = 0;
  while (g < s->ngroup && !joins(s, &s->groups[g], reduction, wave, all)) g++;
  if (g == s->ngroup) {
    GA_TRY(ga_grow(&s->groups, &s->groupcap, (size_t)g + 1, sizeof *s->groups));
    memset(&s->groups[g], 0, sizeof s->groups[g]);
    s->groups[g].wave = wave;
    s->groups[g].axes = r->axes;
    ga_dag_shape(s->d, r->arg, &s->groups[g].shape);
    s->ngroup++;
  }
  s->groups[g].reductions[s->groups[g].nreduction++] = reduction;
  return GA_NO_ERROR;
}

int ga_stage_groups(ga_stager *s)
{
  const ga_dag *d = s->d;
  int last = 0;
  reads *all = ga_arena_alloc(&s->arena, d->nreduction * sizeof *all);
  int *wave = ga_arena_alloc(&s->arena, d->nreduction * sizeof *wave);
  if (all == NULL || wave == NULL) return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < d->n; i++) {
    const ga_dnode *x = &d->nodes[i];
    if (x->op != GA_N_REDUCE || !s->live[i] || wave[x->index] != 0) continue;
    wave[x->index] = s->wave[i];
    if (s->wave[i] > last) last = s->wave[i];
    GA_TRY(find_reads(s, &d->reductions[x->index], &all[x->index]));
  }
  for (int w = 1; w <= last; w++)
    for (unsigned int i = 0; i < d->nreduction; i++)
      if (wave[i] == w) GA_TRY(place(s, (int)i, w, all));
  for (unsigned int g = 0; g < s->ngroup; g++)
    for (unsigned int i = 0; i < s->groups[g].nreduction; i++)
      s->group_of[s->groups[g].reductions[i]] = (int)g;
  return GA_NO_ERROR;
}
