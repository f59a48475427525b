/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan of rows that seeks extremes of single bytes (gen.h,
 * kernels/scan_bytes.cu). */
#include "variant_scan.h"

#define PARTS 8   /* of a warp, at most, ... */
#define PART  512 /* ... of so many bytes */

/* Whether all that a scan of rows does is to seek extremes of single bytes, in one array of rows
 * one after the other and into another such, which vectors begin in at the same places. */
static int scans_bytes(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  const ga_node *n;
  if (l->cls != GA_CLASS_SCAN_ROWS || l->nr != 1 || l->nk != 1 || st->noperand != 2 ||
      st->scan == GA_SCAN_EXCLUSIVE || st->nstore != 1 || !ga_seeks_extreme(st))
    return 0;
  n = &st->nodes[st->stores[0].node];
  if (n->op != GA_N_REDUCE || st->operands[0].dtype != st->operands[1].dtype) return 0;
  if (align[0] != align[1] || st->operands[0].write == st->operands[1].write) return 0;
  for (unsigned int i = 0; i < 2; i++)
    if (size_of(st, i) != 1 || l->strides[i][0] != (ssize_t)l->reduced || l->strides[i][1] != 1)
      return 0;
  return st->reductions[0].acc == st->operands[0].dtype;
}

/* A block has a row: as many warps as hold it, or a part of it, as many times as leave few of them
 * without any in the last turn. */
static int choose_long_bytes(ga_variant *v, const ga_layout *l, const ga_target *target)
{
  uint64_t parts = ceil_div(l->reduced + 15, PART), warps, turns = 1;
  if (l->kept < ROWS_EACH * (uint64_t)target->nproc || l->reduced > 1u << 30) return 0;
  while (ceil_div(parts, PARTS * turns) > WARPS + 1) turns++;
  warps = ceil_div(parts, PARTS * turns);
  v->form = GA_FORM_ALONG;
  v->loads = (int)ceil_div(parts, warps * turns);
  v->block = LANES * (unsigned int)warps;
  v->resident = 4 * GA_BLOCK / v->block;
  v->each = 1;
  v->grid = l->kept;
  return 1;
}

int ga_scan_bytes(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                  const ga_target *target)
{
  uint64_t n = l->reduced, step = 16 / common_divisor(n, 16), bytes = PARTS * PART;
  if (n < 4 || !scans_bytes(st, l, align)) return 0;
  if (n + 15 > bytes) {
    if (!choose_long_bytes(v, l, target)) return 0;
  } else {
    while ((bytes + 30) / n >= 255) bytes /= 2;
    v->form = GA_FORM_WARP;
    v->loads = (int)(bytes / PART);
    v->each = (bytes - 15) / n;
    if (align[0] == 0 && bytes / n / step * step * 16 >= v->each * 15)
      v->each = bytes / n / step * step; /* all begin on vectors */
    v->resident = 4;
    v->grid = ceil_div(l->kept, v->each * WARPS);
  }
  v->skeleton = GA_SKEL_SCAN_BYTES;
  return 1;
}
