/* SPDX-License-Identifier: MIT */
/* How temporaries lie: what a reduction leaves for later stages has its kept axes in the order
 * that its input has them in, so that input and temporary are walked alike, and axes that go on
 * in the one go on in the other (2 and 300 of [2, 111848, 300] in order 1, 2, 0 are 600 columns).
 *
 *   a of (2,3,4) in Fortran order, m = max(a, axis=1, keepdims=True): m of (2,1,4)
 *     C order: m 4 0 1      as a lies: m 1 0 2
 *
 * Only where rows of the input would be walked by less than a sector of memory else: the map that
 * follows has results in C order, and rather reads the temporary so.
 *
 * Stages that read the temporary walk it by strides, so theirs are changed with the writer's.
 * Where one reads a view that is not of whole axes, or reduces it along one of these, it stays in C
 * order: orders of reductions are never touched. */
#include "layout.h"
#include "program.h"

/* Axes of a temporary: bytes from one to the next in C order, and as its input lies. */
typedef struct turn {
  unsigned int slot, n;
  size_t extent[GA_MAXND];
  ssize_t from[GA_MAXND], to[GA_MAXND];
} turn;

/* The fastest axis of `lead` is kept and short, and another kept one goes on behind it. */
static int is_cut(const ga_stage *st, const ga_operand *lead)
{
  uint64_t run = ga_dtypes[lead->dtype].size;
  for (int passes = 0; passes < 2; passes++) {
    unsigned int k = 0;
    while (k < st->nd && (st->dims[k] == 1 || ga_magnitude(lead->strides[k]) != run)) k++;
    if (k == st->nd || st->reduced[k]) return 0;
    run *= st->dims[k];
    if (passes == 0 && run >= SECTOR) return 0;
  }
  return 1;
}

/* The kept axes of what `o` writes, the slowest of `lead` first; returns whether that is not C
 * order. */
static int sort_axes(turn *t, const ga_program *p, const ga_stage *st, const ga_operand *o,
                     const ga_operand *lead)
{
  uint64_t step[GA_MAXND];
  ssize_t at = (ssize_t)ga_dtypes[p->slots[o->slot].dtype].size;
  int turned = 0;
  t->slot = o->slot;
  t->n = 0;
  for (unsigned int k = 0; k < st->nd; k++) {
    unsigned int j = t->n;
    if (st->dims[k] == 0) return 0;
    if (st->dims[k] == 1 || o->strides[k] == 0) continue;
    for (; j > 0; j--) {
      uint64_t mine = ga_magnitude(lead->strides[k]);
      if (step[j - 1] > mine || (step[j - 1] == mine && t->from[j - 1] > o->strides[k])) break;
      step[j] = step[j - 1];
      t->from[j] = t->from[j - 1];
      t->extent[j] = t->extent[j - 1];
    }
    step[j] = ga_magnitude(lead->strides[k]);
    t->from[j] = o->strides[k];
    t->extent[j] = st->dims[k];
    t->n++;
  }
  for (unsigned int j = t->n; j-- > 0; at *= (ssize_t)t->extent[j]) {
    t->to[j] = at;
    turned |= t->to[j] != t->from[j];
  }
  return turned;
}

/* The axis that o walks along loop axis k, t->n where it is none of them. */
static unsigned int axis_of(const turn *t, const ga_stage *st, const ga_operand *o, unsigned int k)
{
  unsigned int j = 0;
  while (j < t->n && (o->strides[k] != t->from[j] || st->dims[k] > t->extent[j])) j++;
  return j;
}

/* The operand walks axes of the temporary, each by one axis of the loop at most, and none that is
 * reduced. */
static int walks_axes(const turn *t, const ga_stage *st, const ga_operand *o)
{
  uint64_t seen = 0;
  if (o->offset != 0) return 0;
  for (unsigned int k = 0; k < st->nd; k++) {
    unsigned int j;
    if (st->dims[k] == 1 || o->strides[k] == 0) continue;
    j = axis_of(t, st, o, k);
    if (j == t->n || st->reduced[k] || seen >> j & 1) return 0;
    seen |= (uint64_t)1 << j;
  }
  return 1;
}

static int may_turn(const turn *t, const ga_program *p)
{
  for (unsigned int s = 0; s < p->nstage; s++)
    for (unsigned int i = 0; i < p->stages[s].noperand; i++)
      if (p->stages[s].operands[i].slot == t->slot &&
          !walks_axes(t, &p->stages[s], &p->stages[s].operands[i]))
        return 0;
  return 1;
}

static void turn_axes(const turn *t, ga_program *p)
{
  for (unsigned int s = 0; s < p->nstage; s++) {
    ga_stage *st = &p->stages[s];
    for (unsigned int i = 0; i < st->noperand; i++) {
      ga_operand *o = &st->operands[i];
      for (unsigned int k = 0; k < st->nd && o->slot == t->slot; k++) {
        unsigned int j = axis_of(t, st, o, k);
        if (o->strides[k] != 0 && j < t->n) o->strides[k] = t->to[j];
      }
    }
  }
}

void ga_temporaries_turn(ga_program *p)
{
  for (unsigned int s = 0; s < p->nstage; s++) {
    const ga_stage *st = &p->stages[s];
    const ga_operand *lead = ga_layout_lead(st);
    if (st->nreduction == 0 || st->scan || lead == NULL || !is_cut(st, lead)) continue;
    for (unsigned int i = 0; i < st->noperand; i++) {
      const ga_operand *o = &st->operands[i];
      turn t;
      if (!o->write || p->slots[o->slot].kind != GA_SLOT_TEMP) continue;
      if (sort_axes(&t, p, st, o, lead) && may_turn(&t, p)) turn_axes(&t, p);
    }
  }
}
