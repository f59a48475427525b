/* SPDX-License-Identifier: MIT */
/* Boxes of up to four axes that a block has of every operand (gen.h: box, box_extent), whatever the
 * kernel: what all that choose or lay out one ask. Axes are the layout's, kept and reduced ones. */
#include "variant.h"

unsigned int ga_own_order(const ga_layout *l, unsigned int i, unsigned int *order)
{
  unsigned int n = 0;
  for (unsigned int k = l->nk + l->nr; k-- > 0;) {
    unsigned int at = n;
    if (l->strides[i][k] == 0) continue;
    for (; at > 0 && ga_magnitude(l->strides[i][order[at - 1]]) > ga_magnitude(l->strides[i][k]);
         at--)
      order[at] = order[at - 1];
    order[at] = k;
    n++;
  }
  return n;
}

void ga_no_box(ga_variant *v)
{
  v->nbox = 0;
  for (unsigned int b = 0; b < 4; b++) {
    v->box[b] = GA_NO_AXIS;
    v->box_extent[b] = 1;
  }
}

unsigned int ga_in_box(const ga_variant *v, unsigned int k)
{
  unsigned int b = 0;
  while (b < 4 && v->box[b] != k) b++;
  return b;
}

unsigned int ga_outside_box(const ga_variant *v, const ga_layout *l)
{
  for (unsigned int k = l->nk; k-- > 0;)
    if (ga_in_box(v, k) == 4) return k;
  return l->nk;
}

int ga_box_order(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                 unsigned int order[4])
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own), m = 0, crossed = 0;
  unsigned char had[4] = {0};
  for (unsigned int j = 0; j < n; j++) {
    unsigned int b = ga_in_box(v, own[j]);
    if (b == 4) continue;
    had[b] = 1;
    crossed |= m > 0 && order[m - 1] > b;
    order[m++] = b;
  }
  for (unsigned int b = 0; b < 4; b++)
    if (!had[b]) order[m++] = b;
  return crossed && !st->operands[i].write;
}

uint64_t ga_box_run(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                    unsigned int *more)
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own);
  uint64_t run = size_of(st, i);
  *more = l->nk;
  for (unsigned int j = 0; j < n; j++) {
    unsigned int b = ga_in_box(v, own[j]);
    uint64_t e = b == 4 ? 1 : v->box_extent[b];
    if (j > 0 && ga_magnitude(l->strides[i][own[j]]) > 2 * run) break; /* gaps are larger */
    if (e < l->dims[own[j]]) *more = own[j];
    run *= e < l->dims[own[j]] ? e : l->dims[own[j]];
    if (e < l->dims[own[j]]) break;
  }
  return run;
}

double ga_box_fill(const ga_variant *v, const ga_layout *l)
{
  double there = 1;
  for (unsigned int b = 0; b < v->nbox; b++) {
    uint64_t side = v->box_extent[b];
    there *= (double)l->dims[v->box[b]] / (double)(ceil_div(l->dims[v->box[b]], side) * side);
  }
  return there;
}

uint64_t ga_box_bands(const ga_variant *v, const ga_layout *l, unsigned int b)
{
  uint64_t boxes = ceil_div(l->dims[v->box[b]], v->box_extent[b]);
  return ceil_div(boxes, (uint64_t)1 << v->band[b]);
}
