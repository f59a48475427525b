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

/* Columns of several axes that only results, or what else is not reduced, have apart are walked as
 * those of one; results find their places at the end. */
int ga_variant_parted(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  ssize_t strides[OPERANDS][GA_MAXND];
  ga_variant w = *v;
  ga_layout m = *l;
  if (l->nk < 2 || l->nr != 1 || st->noperand > OPERANDS || l->kept == 0) return 0;
  if (l->dims[l->nk - 1] * ga_widest_reduced(st) >= PARTED_ROW) return 0;
  w.parted = merged_axes(st, l);
  if (w.parted < 2) return 0;
  m.nk = l->nk - (w.parted - 1);
  for (unsigned int k = m.nk; k < l->nk; k++) m.dims[m.nk - 1] *= l->dims[k];
  m.dims[m.nk] = l->dims[l->nk];
  m.strides = strides;
  for (unsigned int i = 0; i < st->noperand; i++) {
    memcpy(strides[i], l->strides[i], sizeof strides[i]);
    strides[i][m.nk - 1] = l->strides[i][l->nk - 1];
    strides[i][m.nk] = l->strides[i][l->nk];
  }
  if (!ga_variant_narrow(&w, st, &m, align, target)) return 0;
  *v = w;
  return 1;
}
