/* SPDX-License-Identifier: MIT */
/* Copies beside reductions, for devices whose kernels read vectors: of small inputs that lie in
 * another order than the array they are joined with, of large ones where that is slow (crossing.c),
 * and of results. Each is a map of its own, before the reduction or behind it.
 *
 *   sum(a*b): a of (1000,64,2,128) in C order, b of (64,2,1) in Fortran order
 *     a 65536 1024 512 4    b 0 4 256 0      rows of 128 elements, each with a number of b
 *     copied over them:     b 0 1024 512 4   rows of 16384 elements
 *
 * The first array that moves along every axis of the loop (`lead`) tells the order of the
 * reduction (layout.c), in which copies lie: they never change it, but where nobody can tell. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "copies.h"
#include "layout.h"
#include "stage.h"

#define CROSSING    (1u << 30) /* bytes of all copies of inputs that cross */
#define SMALL       16         /* a copy of an input is so many times smaller than what is read */
#define LONG        512        /* elements of a row that are enough, ... */
#define FOURS       64         /* ... or of fours */
#define GAIN        4          /* rows are to be so many times longer */
#define WRITTEN     5 /* results that boxes can have are smaller by this than what is read, ... */
#define WRITTEN_ONE 2 /* ... of elements of a byte, ... */
#define WRITTEN_GAP 8 /* ... and those with gaps between them */
#define MADE_OF     1024 /* bytes that a result is made of: where more, few are stored, ... */
#define MADE_OF_FEW 160  /* ... or where they are not LONG columns */
#define GAPS        4    /* rows are so many times longer than the gaps behind them, ... */
#define WIDE        96   /* ... and have fewer bytes, ... */
#define WIDE_ORDER  160  /* ... where an order is kept */

static size_t bytes_of(const ga_operand *o) { return ga_dtypes[o->dtype].size; }

int ga_lead_of(ga_lead *o, const ga_stage *st, const ga_operand *lead)
{
  o->lead = lead;
  o->n = 0;
  o->bytes = (double)bytes_of(o->lead);
  for (unsigned int k = 0; k < st->nd; k++) {
    unsigned int j = o->n;
    uint64_t step = ga_magnitude(o->lead->strides[k]);
    o->bytes *= (double)st->dims[k];
    if (st->dims[k] == 1) continue;
    if (step == 0) return 0;
    for (; j > 0 && ga_magnitude(o->lead->strides[o->axis[j - 1]]) <= step; j--) {
      if (ga_magnitude(o->lead->strides[o->axis[j - 1]]) == step) return 0;
      o->axis[j] = o->axis[j - 1];
    }
    o->axis[j] = k;
    o->n++;
  }
  return o->n != 0;
}

int ga_lead_find(ga_lead *o, const ga_stage *st, size_t least)
{
  const ga_operand *lead = ga_layout_lead(st);
  return lead != NULL && ga_lead_of(o, st, lead) && o->bytes >= (double)least;
}

/* Step of operand x along the axis, in the direction that `lead` has there. */
static ssize_t step_of(const ga_lead *o, const ga_operand *x, unsigned int axis)
{
  return o->lead->strides[axis] < 0 ? -x->strides[axis] : x->strides[axis];
}

/* Elements from `from` axes, of the kind of the last of them, that both `lead` and x walk as one
 * axis: x in neighbours, or standing still. */
static uint64_t row_of(const ga_lead *o, const ga_stage *st, const ga_operand *x, unsigned int n)
{
  unsigned int k = o->axis[n - 1];
  ssize_t lead = step_of(o, o->lead, k), step = step_of(o, x, k);
  uint64_t row = 1;
  if (step != 0 && step != (ssize_t)bytes_of(x)) return 1;
  for (unsigned int j = n; j-- > 0;) {
    unsigned int axis = o->axis[j];
    if (st->reduced[axis] != st->reduced[k]) break;
    if (step_of(o, o->lead, axis) != lead || step_of(o, x, axis) != step) break;
    row *= st->dims[axis];
    lead *= (ssize_t)st->dims[axis];
    step *= (ssize_t)st->dims[axis];
  }
  return row;
}

double ga_lead_lay(ga_operand *copy, const ga_lead *o, const ga_stage *st, const ga_operand *x,
                   unsigned int inner)
{
  ssize_t step = (ssize_t)bytes_of(x);
  double bytes = (double)step;
  *copy = *x;
  copy->offset = 0;
  for (unsigned int j = o->n; j-- > 0;) {
    unsigned int k = o->axis[j];
    if (x->strides[k] == 0 && j + inner < o->n) continue;
    bytes *= (double)st->dims[k];
    copy->strides[k] = step;
    if (o->lead->strides[k] < 0) {
      copy->offset += step * (ssize_t)(st->dims[k] - 1);
      copy->strides[k] = -step;
    }
    step *= (ssize_t)st->dims[k];
  }
  return bytes;
}

/* A small input whose copy has rows that are much longer. */
int ga_small_copy(ga_operand *copy, const ga_lead *o, const ga_stage *st, const ga_operand *x)
{
  uint64_t row = row_of(o, st, x, o->n), best = GAIN * row - 1;
  int found = 0;
  if (row >= LONG || (row >= FOURS && row % 4 == 0)) return 0;
  for (unsigned int inner = 0; inner < o->n; inner++) {
    ga_operand c;
    uint64_t longer;
    if (ga_lead_lay(&c, o, st, x, inner) * SMALL > o->bytes) break;
    longer = row_of(o, st, &c, o->n);
    if (longer <= best || (found && best >= LONG && ga_stage_is_free(st))) continue;
    best = longer;
    *copy = c;
    found = 1;
  }
  return found;
}

/* Results that are many for what they are made of, and lie far apart where the kept axes of what is
 * read go on. Boxes (reduce_walks.cu) have them without a copy, but not bytes quickly. */
static int find_results(ga_operand *copy, const ga_lead *o, const ga_stage *st, const ga_operand *x)
{
  unsigned int n = o->n;
  double bytes, count;
  while (n > 0 && st->reduced[o->axis[n - 1]]) n--;
  if (n == 0 || ga_magnitude(x->strides[o->axis[n - 1]]) < SECTOR) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *in = &st->operands[i];
    ssize_t step = in->strides[o->axis[n - 1]];
    if (!in->write && ga_magnitude(step) > ga_magnitude(o->lead->strides[o->axis[n - 1]])) return 0;
  }
  for (unsigned int j = 0; j < n; j++)
    if (!st->reduced[o->axis[j]] && x->strides[o->axis[j]] == 0) return 0;
  bytes = ga_lead_lay(copy, o, st, x, 0);
  count = bytes / (double)bytes_of(x);
  if (ga_stage_is_free(st) && bytes * (bytes_of(o->lead) > 1 ? WRITTEN : WRITTEN_ONE) > o->bytes)
    return 0;
  return count * (n == o->n && row_of(o, st, o->lead, n) >= LONG ? MADE_OF : MADE_OF_FEW) >=
         o->bytes;
}

/* Kept axes, the fastest one and the next, that all which is read has as one but for gaps behind
 * rows: of how many elements a row is with its gap, 0: there are none. They become one axis, some
 * of whose results are of what lies in the gaps. */
static uint64_t find_gaps(const ga_lead *o, const ga_stage *st, unsigned int *outer)
{
  unsigned int n = o->n - 1, inner = o->axis[n];
  uint64_t row = 0, shown = st->dims[inner];
  double results = 0;
  if (st->reduced[inner]) return 0;
  if (shown * bytes_of(o->lead) >= (ga_stage_is_free(st) ? WIDE : WIDE_ORDER)) return 0;
  do {
    if (n-- == 0) return 0;
  } while (st->reduced[o->axis[n]]);
  *outer = o->axis[n];
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *x = &st->operands[i];
    ssize_t step = x->strides[inner], next = x->strides[*outer];
    if (x->write) results += (double)bytes_of(x);
    if (x->write || (step == 0 && next == 0)) continue;
    if (step == 0 || next % step != 0 || next / step <= 0) return 0;
    if (row != 0 && row != (uint64_t)(next / step)) return 0;
    row = (uint64_t)(next / step);
  }
  for (unsigned int k = 0; k < st->nd; k++)
    if (!st->reduced[k]) results *= (double)st->dims[k];
  if (row <= shown || GAPS * (row - shown) > shown) return 0;
  return results * WRITTEN_GAP <= o->bytes ? row : 0;
}

/* What is added to the program. */
typedef struct adding {
  ga_program *p;
  ga_stage *stages;
  unsigned int nstage, stagecap;
  size_t least; /* bytes of a lead */
  double left;  /* bytes that copies of inputs which cross may have yet */
  const ga_target *target;
} adding;

/* The copy's elements, from an operand to another: both have their steps along axes of `dims`. */
static int add_map(adding *a, const ga_lead *o, const size_t *dims, const ga_operand *from,
                   const ga_operand *to)
{
  const ga_operand *moved = from->write ? from : to;
  ga_stage *map;
  GA_TRY(ga_grow(&a->stages, &a->stagecap, (size_t)a->nstage + 1, sizeof *a->stages));
  map = &a->stages[a->nstage++];
  memset(map, 0, sizeof *map);
  map->nodes = calloc(1, sizeof *map->nodes);
  map->operands = calloc(2, sizeof *map->operands);
  map->stores = calloc(1, sizeof *map->stores);
  if (map->nodes == NULL || map->operands == NULL || map->stores == NULL)
    return ga_error_memory("expression", sizeof *map);
  map->nnode = map->nstore = 1;
  map->noperand = 2;
  map->nodes[0] = (ga_node){GA_N_LOAD, from->dtype, 0, {-1, -1, -1}, 0};
  map->stores[0] = (ga_store){1, 0};
  for (int i = 0; i < 2; i++) {
    const ga_operand *x = i ? to : from;
    map->operands[i] = (ga_operand){.slot = x->slot, .dtype = x->dtype, .offset = x->offset};
    map->operands[i].write = i;
  }
  for (unsigned int j = 0; j < o->n; j++) {
    unsigned int k = o->axis[j];
    if (moved->strides[k] == 0) continue;
    map->dims[map->nd] = dims[k];
    map->operands[0].strides[map->nd] = from->strides[k];
    map->operands[1].strides[map->nd++] = to->strides[k];
  }
  return GA_NO_ERROR;
}

int ga_lead_slot(ga_program *p, const ga_lead *o, const ga_stage *st, ga_operand *copy)
{
  unsigned int cap = 0;
  ga_slot *slot;
  GA_TRY(ga_grow(&p->slots, &cap, (size_t)p->nslot + 1, sizeof *p->slots));
  slot = &p->slots[p->nslot];
  memset(slot, 0, sizeof *slot);
  slot->kind = GA_SLOT_TEMP;
  slot->dtype = copy->dtype;
  for (unsigned int j = 0; j < o->n; j++)
    if (copy->strides[o->axis[j]] != 0) slot->dims[slot->nd++] = st->dims[o->axis[j]];
  copy->slot = p->nslot++;
  return GA_NO_ERROR;
}

/* Puts the copy of an input in its place. */
static int use_copy(adding *a, const ga_lead *o, ga_stage *st, ga_operand *x, ga_operand *copy)
{
  GA_TRY(ga_lead_slot(a->p, o, st, copy));
  GA_TRY(add_map(a, o, st->dims, x, copy));
  *x = *copy;
  return GA_NO_ERROR;
}

/* Copies of inputs whose fast axes differ. */
static int copy_crossing(adding *a, ga_stage *st)
{
  ga_lead o;
  uint64_t which;
  GA_TRY(ga_crossing_find(&which, &o, st, a->least, a->target, &a->left));
  for (unsigned int i = 0; i < st->noperand && which != 0; i++) {
    ga_operand *x = &st->operands[i], copy;
    if (!(which >> i & 1)) continue;
    ga_lead_lay(&copy, &o, st, x, 0);
    GA_TRY(use_copy(a, &o, st, x, &copy));
  }
  return GA_NO_ERROR;
}

/* Copies of inputs; where text knows what stands still it is left so. */
static int copy_inputs(adding *a, const ga_lead *o, ga_stage *st)
{
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].op == GA_REDUCE_moment) return GA_NO_ERROR;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_operand *x = &st->operands[i], copy;
    if (x->write || x->outer || x == o->lead || !ga_small_copy(&copy, o, st, x)) continue;
    GA_TRY(use_copy(a, o, st, x, &copy));
  }
  return GA_NO_ERROR;
}

/* Copies of results; of the two axes that become one, `row` elements apart, `outer` then has extent
 * 1. What lies in the gaps is read, and reduced into what no map copies. */
static int copy_results(adding *a, const ga_lead *o, ga_stage *st)
{
  unsigned int outer = 0, inner = o->axis[o->n - 1];
  uint64_t row = find_gaps(o, st, &outer);
  size_t dims[GA_MAXND];
  memcpy(dims, st->dims, sizeof dims);
  if (row != 0) {
    st->dims[inner] += (st->dims[outer] - 1) * row;
    st->dims[outer] = 1;
  }
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_operand *x = &st->operands[i], copy, from;
    if (row != 0 && !x->write) x->strides[outer] = 0;
    if (!x->write) continue;
    if (row != 0)
      ga_lead_lay(&copy, o, st, x, 0);
    else if (!find_results(&copy, o, st, x))
      continue;
    if (row != 0) copy.strides[outer] = 0;
    GA_TRY(ga_lead_slot(a->p, o, st, &copy));
    from = copy;
    if (row != 0) from.strides[outer] = (ssize_t)row * copy.strides[inner];
    GA_TRY(add_map(a, o, dims, &from, x));
    *x = copy;
  }
  return GA_NO_ERROR;
}

/* The stage, which is moved, with its copies; *at tells where it is then. */
static int add_stage(adding *a, ga_stage *st, int alone, unsigned int *at)
{
  ga_stage first = {0};
  ga_lead o;
  int err = GA_NO_ERROR, done = 0, copies = alone && st->nreduction != 0 && !st->scan;
  if (copies) GA_TRY(copy_crossing(a, st));
  if (copies) err = ga_split_stage(a->p, st, a->least, &first, &done);
  if (err == GA_NO_ERROR && done) err = add_stage(a, &first, 1, at);
  if (err != GA_NO_ERROR) ga_stage_clear(&first);
  GA_TRY(err);
  copies = copies && ga_lead_find(&o, st, a->least);
  if (copies) GA_TRY(copy_inputs(a, &o, st));
  GA_TRY(ga_grow(&a->stages, &a->stagecap, (size_t)a->nstage + 1, sizeof *a->stages));
  *at = a->nstage++;
  memset(&a->stages[*at], 0, sizeof *st);
  if (copies) GA_TRY(copy_results(a, &o, st));
  a->stages[*at] = *st;
  memset(st, 0, sizeof *st);
  return GA_NO_ERROR;
}

static int is_alone(const ga_program *p, unsigned int stage)
{
  for (unsigned int i = 0; i < p->nchain; i++)
    for (unsigned int k = 0; k < p->chains[i].nmember; k++)
      if (p->chains[i].members[k] == stage) return 0;
  return 1;
}

int ga_copies_add(ga_program *p, size_t least, const ga_target *target)
{
  adding a = {.p = p, .least = least, .left = CROSSING, .target = target};
  unsigned int *place = malloc((p->nstage + 1u) * sizeof *place);
  int err = place == NULL ? ga_error_memory("expression", p->nstage * sizeof *place) : GA_NO_ERROR;
  for (unsigned int k = 0; k < p->nstage && err == GA_NO_ERROR; k++)
    err = add_stage(&a, &p->stages[k], is_alone(p, k), &place[k]);
  if (err == GA_NO_ERROR) {
    for (unsigned int i = 0; i < p->nchain; i++)
      for (unsigned int k = 0; k < p->chains[i].nmember; k++)
        p->chains[i].members[k] = place[p->chains[i].members[k]];
    free(p->stages);
    p->stages = a.stages;
    p->nstage = a.nstage;
  } else {
    for (unsigned int k = 0; k < a.nstage; k++) ga_stage_clear(&a.stages[k]);
    free(a.stages);
  }
  free(place);
  return err;
}
