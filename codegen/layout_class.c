/* SPDX-License-Identifier: MIT */
/* Which class of kernel walks a canonical loop: codegen.h's enum ga_class says
 * what each asks for. Classes change how fast a kernel is, never what it gives. */
#include "layout.h"

/* A map's inner axis shorter than this is not worth vectors. */
#define INNER_MIN 32
/* The same for the inner of several reduced axes, one of whole fours and any. */
#define ROW_MIN_FOURS 16
#define ROW_MIN       128
/* Axes shorter than this are not worth a tile. */
#define CROSS_MIN 16
/* Steps of up to this many elements still share the memory's transactions, or the caches':
 * what lies between is asked for by other tiles. */
#define CROSS_STEP 8

/* Each operand that counts has unit step along axis k or stays where it is. */
static int unit_or_still(const ga_layout *l, const ga_stage *st, unsigned int k)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *op = &st->operands[i];
    if (op->outer) continue;
    if (l->strides[i][k] != 0 && l->strides[i][k] != ga_dtypes[op->dtype].size) return 0;
  }
  return 1;
}

/* Some written operand stays where it is along axis k. */
static int written_still(const ga_layout *l, const ga_stage *st, unsigned int k)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && l->strides[i][k] == 0) return 1;
  return 0;
}

int ga_layout_crossed(const ga_layout *l, const ga_stage *st, unsigned int i, int axis)
{
  const ga_operand *op = &st->operands[i];
  uint64_t size = ga_dtypes[op->dtype].size, fast, slow;
  if (op->write || axis < 0) return 0;
  fast = ga_magnitude(l->strides[i][axis]);
  slow = ga_magnitude(l->strides[i][l->nk - 1]);
  return fast != 0 && fast <= CROSS_STEP * size && slow > CROSS_STEP * size && slow > fast;
}

int ga_layout_dense(const ga_layout *l, const ga_stage *st, unsigned int i)
{
  ssize_t step = ga_dtypes[st->operands[i].dtype].size;
  for (unsigned int k = l->nk; k-- > 0; step *= (ssize_t)l->dims[k])
    if (l->strides[i][k] != step) return 0;
  return 1;
}

int ga_layout_cross_axis(const ga_layout *l, const ga_stage *st)
{
  if (l->nk < 2 || l->dims[l->nk - 1] < CROSS_MIN) return -1;
  for (unsigned int i = 0; i < st->noperand; i++)
    for (int k = (int)l->nk - 2; k >= 0; k--)
      if (l->dims[k] >= CROSS_MIN && ga_layout_crossed(l, st, i, k)) return k;
  return -1;
}

static enum ga_class map_class(const ga_layout *l, const ga_stage *st)
{
  unsigned int inner = l->nk - 1;
  if (l->nk == 0 || l->kept == 0) return GA_CLASS_CONTIG;
  if (unit_or_still(l, st, inner) && !written_still(l, st, inner)) {
    if (l->nk == 1) return GA_CLASS_CONTIG;
    if (l->dims[inner] >= INNER_MIN) return GA_CLASS_INNER;
  }
  return ga_layout_cross_axis(l, st) >= 0 ? GA_CLASS_TILE : GA_CLASS_STRIDED;
}

static enum ga_class reduce_class(const ga_layout *l, const ga_stage *st, const ga_axis_order *o)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->nr == 0 || l->reduced == 0) return GA_CLASS_GATHER;
  if (l->nk != 0 && ga_layout_compare(l, o, l->nk - 1, inner) > 0) return GA_CLASS_COLUMNS;
  if (unit_or_still(l, st, inner) &&
      (l->nr == 1 || l->dims[inner] >= (l->dims[inner] % 4 == 0 ? ROW_MIN_FOURS : ROW_MIN)))
    return GA_CLASS_ROWS;
  return GA_CLASS_GATHER;
}

static enum ga_class scan_class(const ga_layout *l, const ga_stage *st, const ga_axis_order *o)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->nr != 1) return GA_CLASS_SCAN_GATHER;
  if (l->nk != 0 && ga_layout_compare(l, o, l->nk - 1, inner) > 0) return GA_CLASS_SCAN_COLUMNS;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner];
    if (step != ga_dtypes[st->operands[i].dtype].size && (step != 0 || st->operands[i].write))
      return GA_CLASS_SCAN_GATHER;
  }
  return GA_CLASS_SCAN_ROWS;
}

enum ga_class ga_layout_class(const ga_layout *l, const ga_stage *st, const ga_axis_order *o)
{
  if (st->scan) return scan_class(l, st, o);
  return st->nreduction != 0 ? reduce_class(l, st, o) : map_class(l, st);
}
