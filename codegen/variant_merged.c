/* SPDX-License-Identifier: MIT */
/* Chooses the variant of reductions whose columns are others to what is read than to results, as
 * those of kernels/reduce_narrow.cuh: more of them, or along fewer axes. */
#include <string.h>

#include "variant.h"

#define OPERANDS    8
#define TILE_BYTES  256  /* of a row's part in a tile (variant_narrow.c) */
#define FOLD_MOST   128  /* columns that are joined at the end */
#define PARTED_MOST 3    /* kept axes that are one of what is read, where ... */
#define PARTED_ROW  1024 /* ... the innermost one has less bytes */
#define GAPS        4    /* rows are so many times longer than the gaps behind them, ... */
#define FLAT_MOST   128  /* ... and have so many columns with them */

/* Rows inside of which the innermost reduced axis lies are walked as one axis of columns, as many
 * of which as that axis has are joined at the end. */
int ga_variant_folded(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  ssize_t strides[OPERANDS][GA_MAXND];
  unsigned int column = l->nk - 1, inner = l->nk + 1;
  ga_variant w = *v;
  ga_layout m = *l;
  if (l->nk == 0 || l->nr != 2 || st->noperand > OPERANDS || l->dims[inner] > FOLD_MOST) return 0;
  if (l->dims[inner] > TILE_BYTES / ga_widest_reduced(st) / 2) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    memcpy(strides[i], l->strides[i], sizeof strides[i]);
    if (!is_reduced(st, i)) continue;
    if (l->strides[i][column] != (ssize_t)l->dims[inner] * l->strides[i][inner]) return 0;
    strides[i][column] = l->strides[i][inner];
  }
  m.nr = 1;
  m.strides = strides;
  m.dims[column] *= l->dims[inner];
  m.kept *= l->dims[inner];
  m.reduced /= l->dims[inner];
  w.fold = (unsigned int)l->dims[inner];
  if (!ga_variant_narrow(&w, st, &m, align, target)) return 0;
  *v = w;
  return 1;
}

/* Axes of kept columns, the innermost ones, that all which is reduced has as one. */
static unsigned int merged_axes(const ga_stage *st, const ga_layout *l)
{
  unsigned int n = 1;
  for (unsigned int k = l->nk - 1; k > 0 && n < PARTED_MOST; k--, n++) {
    if (l->iota_step[k] != 0 || l->iota_step[k - 1] != 0) return n;
    for (unsigned int i = 0; i < st->noperand; i++)
      if (is_reduced(st, i) && l->strides[i][k - 1] != (ssize_t)l->dims[k] * l->strides[i][k])
        return n;
  }
  return n;
}

/* Elements of a row of a few columns with the gap behind it, where all that is reduced has the same
 * ones; 0: it has none, or a wide one. */
static uint64_t padded_row(const ga_stage *st, const ga_layout *l)
{
  uint64_t row = 0, shown = l->dims[0];
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][0], next = l->strides[i][1];
    if (!is_reduced(st, i)) continue;
    if (step <= 0 || next <= 0 || next % step != 0) return 0;
    if (row != 0 && row != (uint64_t)(next / step)) return 0;
    row = (uint64_t)(next / step);
  }
  return row > shown && GAPS * (row - shown) <= shown && row <= FLAT_MOST ? row : 0;
}

/* Columns of several axes that only results, or what else is not reduced, have apart are walked as
 * those of one; results find their places at the end. So are a few columns in rows that gaps
 * follow, which are columns without a result. */
int ga_variant_parted(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  ssize_t strides[OPERANDS][GA_MAXND];
  ga_variant w = *v;
  ga_layout m = *l;
  if (l->nk == 0 || l->nr != 1 || st->noperand > OPERANDS || l->kept == 0) return 0;
  if (l->dims[l->nk - 1] * ga_widest_reduced(st) >= PARTED_ROW) return 0;
  if (l->nk == 1) w.padded = padded_row(st, l);
  w.parted = merged_axes(st, l);
  if (w.parted < 2 && w.padded == 0) return 0;
  m.nk = l->nk - (w.parted - 1);
  for (unsigned int k = m.nk; k < l->nk; k++) m.dims[m.nk - 1] *= l->dims[k];
  if (w.padded != 0) m.dims[0] = m.kept = w.padded;
  m.dims[m.nk] = l->dims[l->nk];
  m.strides = strides;
  for (unsigned int i = 0; i < st->noperand; i++) {
    memcpy(strides[i], l->strides[i], sizeof strides[i]);
    strides[i][m.nk - 1] = l->strides[i][l->nk - 1];
    strides[i][m.nk] = l->strides[i][l->nk];
  }
  if (!ga_variant_narrow(&w, st, &m, align, target)) return 0;
  if (w.padded != 0 && !w.flat) return 0;
  *v = w;
  return 1;
}
