/* SPDX-License-Identifier: MIT */
/* What each skeleton's ga_params has between the operands and the numbers. Each pack_ function
 * follows the struct of the kernel file that its comment names. */
#include "gen_pack.h"

/* Where parts of reductions and their tickets are. */
static void put_scratch(ga_pack *p, ga_launch *launch)
{
  launch->scratch_at = ga_put(p, NULL, 8, 8);
  launch->ticket_at = ga_put(p, NULL, 8, 8);
}

/* map_contig.cu */
static void pack_contig(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  ga_put64(p, v->nvec);
  ga_put64(p, v->head);
  ga_put64(p, v->nsingle);
  if (v->iota) {
    ga_put64(p, (uint64_t)l->iota_base);
    ga_put64(p, l->nk != 0 ? (uint64_t)l->iota_step[0] : 0);
  }
  if (v->stepped)
    for (unsigned int i = 0; i < l->noperand; i++) ga_put64(p, (uint64_t)l->strides[i][0]);
  else
    ga_put_steps(p, l, 0, l->nk != 0);
}

/* map_inner.cu */
static void pack_inner(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1, axes[GA_MAXND], n = 0;
  uint64_t rows = v->slots == 0 ? 0 : v->units / v->slots;
  ga_put64(p, v->apart ? v->slots : v->units);
  ga_put64(p, l->dims[inner]);
  if (v->apart) ga_put64(p, rows);
  if (v->iota) {
    ga_put64(p, (uint64_t)l->iota_base);
    ga_put64(p, (uint64_t)l->iota_step[inner]);
  }
  ga_put_div(p, v->wide, v->apart ? (rows + GA_APART_ROWS - 1) / GA_APART_ROWS : v->slots);
  for (unsigned int again = 0; again < 2; again++)
    for (unsigned int k = 0; k < inner; k++)
      if ((v->again >> k & 1) == again) axes[n++] = k;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  ga_put_steps(p, l, inner, 1);
}

/* map_flat.cu */
static void pack_flat(ga_pack *p, const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1, at = 0;
  ga_put64(p, v->nvec);
  ga_put64(p, v->head);
  ga_put64(p, v->nsingle);
  ga_put64(p, v->lap);
  if (v->around != 0) {
    uint64_t all = 1;
    for (unsigned int k = v->around; k < l->nk; k++) all *= l->dims[k];
    ga_put64(p, v->units);
    ga_put_div(p, v->wide, v->lap);
    ga_put_div(p, v->wide, all);
  }
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, l->dims[inner]);
  ga_put_axes(p, v, l, 0, inner, v->nk);
  ga_put_step(p, v, l, inner);
  for (unsigned int i = 0; i < l->noperand; i++)
    ga_put_index(p, v->wide, v->hop * (uint64_t)l->strides[i][v->around]);
  if (v->iota) ga_put_index(p, v->wide, v->hop * (uint64_t)l->iota_step[v->around]);
  if (v->boxed == 0) return;
  ga_put_div(p, v->wide, v->each);
  for (unsigned int i = 0; i < l->noperand; i++) {
    ga_put32(p, at);
    if (i < 64 && v->boxed >> i & 1) at += ga_flat_stage(v, st, i);
  }
}

/* map_strided.cu */
static void pack_strided(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  ga_put64(p, l->kept);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
}

/* map_tile.cu */
static void pack_tile(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1, axes[GA_MAXND], n = 0;
  ga_put64(p, l->dims[inner]);
  ga_put64(p, l->dims[v->cross]);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, v->tiles_x);
  ga_put_div(p, v->wide, v->tiles_y);
  for (unsigned int k = 0; k < inner; k++)
    if (k != (unsigned int)v->cross) axes[n++] = k;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  ga_put_step(p, v, l, inner);
  ga_put_step(p, v, l, (unsigned int)v->cross);
}

/* The axes from `begin` to `end` that a box has nothing of. */
static void put_others(ga_pack *p, const ga_variant *v, const ga_layout *l, unsigned int begin,
                       unsigned int end, unsigned int bound)
{
  unsigned int axes[GA_MAXND], n = 0;
  for (unsigned int k = begin; k < end; k++) {
    unsigned int b = 0;
    while (b < 4 && v->box[b] != k) b++;
    if (b == 4) axes[n++] = k;
  }
  ga_put_axis_list(p, v, l, axes, n, bound);
}

static void put_box_steps(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  size_t word = v->wide ? 8 : 4;
  for (unsigned int b = 0; b < 4; b++)
    if (v->box[b] < l->nk + l->nr)
      ga_put_step(p, v, l, v->box[b]);
    else
      ga_put(p, NULL, word * (l->noperand + (v->iota != 0)), word);
}

/* map_boxes.cuh */
static void pack_map_boxes(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  const unsigned int axes = l->nk + l->nr;
  for (unsigned int b = 0; b < 4; b++) ga_put64(p, v->box[b] < axes ? l->dims[v->box[b]] : 1);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  for (unsigned int b = 0; b < 4; b++)
    ga_put_div(p, v->wide, v->box[b] < axes ? ga_box_bands(v, l, b) : 1);
  put_others(p, v, l, 0, l->nk, v->nk);
  put_box_steps(p, v, l);
  for (unsigned int b = 0; b < 4; b++) ga_put32(p, v->band[b]);
}

/* map_planes.cu */
static void pack_planes(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int axes[GA_MAXND], n = 0;
  ga_put64(p, l->dims[v->along]);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, v->tiles_x);
  for (unsigned int k = 0; k < l->nk; k++)
    if ((int)k != v->cross && (int)k != v->along) axes[n++] = k;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  ga_put_step(p, v, l, (unsigned int)v->along);
  ga_put_step(p, v, l, (unsigned int)v->cross);
}

/* reduce_rows.cu */
static void pack_rows(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  put_scratch(p, launch);
  ga_put_index(p, v->wide, v->units);
  ga_put_index(p, v->wide, v->walked);
  ga_put_index(p, v->wide, (v->walked + 1023) / 1024);
  ga_put_index(p, v->wide, v->each);
  if (v->iota) {
    ga_put64(p, (uint64_t)l->iota_base);
    ga_put64(p, l->nr != 0 ? (uint64_t)l->iota_step[inner] : 0);
  }
  if (v->pieces == 1) ga_put_index(p, v->wide, l->dims[inner]);
  ga_put_div(p, v->wide, l->nr > 1 ? l->kept : v->spans);
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put32(p, v->spans);
  ga_put32(p, v->lanes);
}

/* reduce_columns.cu */
static void pack_columns(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  put_scratch(p, launch);
  ga_put64(p, l->reduced);
  ga_put64(p, l->dims[inner]);
  ga_put64(p, v->each);
  ga_put64(p, v->groups);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, v->spans);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_axes(p, v, l, 0, inner, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put_step(p, v, l, inner);
  ga_put32(p, v->xbits);
  ga_put32(p, v->ybits);
  ga_put32(p, v->zbits);
  ga_put32(p, v->steps);
  ga_put32(p, v->chunk_rows);
  for (int k = 0; k < 10; k++) ga_put32(p, v->bit[k]);
  if (v->tail) ga_put32(p, v->tail - 2);
}

/* reduce_down.cuh */
static void pack_down(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  ga_put64(p, v->units);
  ga_put64(p, l->reduced);
  ga_put64(p, l->dims[inner]);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_axes(p, v, l, 0, inner, v->nk);
  ga_put_step(p, v, l, inner);
  ga_put_step(p, v, l, l->nk);
}

/* For ga_divide_small (reduce.cuh). */
static uint64_t reciprocal(uint64_t d) { return ((uint64_t)1 << 32) / d + 1; }

/* reduce_groups.cuh */
static void pack_groups(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  ga_put64(p, v->units);
  ga_put64(p, l->reduced);
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_step(p, v, l, inner);
  ga_put32(p, l->dims[inner]);
  ga_put32(p, l->reduced * l->dims[inner]);
  ga_put32(p, v->groups);
  ga_put32(p, v->line);
  ga_put32(p, v->line > 1 ? reciprocal(v->line) : 0);
  ga_put32(p, v->width);
  ga_put32(p, v->width > 1 ? reciprocal(v->width) : 0);
  ga_put32(p, v->zbits);
  ga_put32(p, v->box_end);
}

/* reduce_narrow.cuh, reduce_cross.cu: ga_box */
static void put_box(ga_pack *p, ga_box b)
{
  ga_put32(p, b.from);
  ga_put32(p, b.pitch);
  ga_put32(p, b.vectors);
  ga_put32(p, b.vectors != 0 ? reciprocal(b.vectors) : 0);
}

/* reduce_narrow.cuh: GA_BOXES */
static void pack_boxes(ga_pack *p, const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  ga_put_axes(p, v, l, l->nk, l->nr - 1, v->nr);
  ga_put32(p, v->box_end);
  ga_put32(p, v->groups_end);
  ga_put32(p, l->dims[inner]);
  ga_put32(p, reciprocal(l->dims[inner]));
  for (unsigned int i = 0; i < l->noperand; i++) put_box(p, ga_box_of(v, st, l, i));
}

/* reduce_narrow.cuh */
static void pack_narrow(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1, row = v->skeleton == GA_SKEL_BOXES ? l->nk + l->nr - 1 : l->nk;
  unsigned int outer = v->parted > 1 ? l->nk - v->parted : inner; /* axes */
  uint64_t fold = v->fold > 1 ? v->fold : 1, columns = fold;
  for (unsigned int k = outer; k < l->nk; k++) columns *= l->dims[k];
  put_scratch(p, launch);
  ga_put64(p, v->units);
  ga_put64(p, l->reduced / fold);
  ga_put64(p, v->padded != 0 ? v->padded : columns);
  ga_put64(p, v->each);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  ga_put_div(p, v->wide, v->spans);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_div(p, v->wide, v->width);
  ga_put_div(p, v->wide, v->line);
  ga_put_axes(p, v, l, 0, outer, v->nk);
  ga_put_step(p, v, l, fold > 1 ? l->nk + 1 : inner);
  ga_put_step(p, v, l, row);
  if (fold > 1) {
    ga_put_step(p, v, l, inner);
    ga_put32(p, fold);
  }
  if (v->parted > 1) ga_put_axes(p, v, l, outer, v->parted, ga_rank_bound(v->parted));
  if (v->padded != 0) ga_put32(p, l->dims[inner]);
  ga_put32(p, v->flat);
  ga_put32(p, v->lines);
  ga_put32(p, v->nrows);
  ga_put32(p, v->pitch);
  ga_put32(p, v->slip);
  ga_put32(p, v->zbits);
  ga_put32(p, v->ybits);
  ga_put32(p, v->tickets);
}

/* reduce_cross.cu */
static void pack_reduce_cross(ga_pack *p, ga_launch *launch, const ga_variant *v,
                              const ga_stage *st, const ga_layout *l)
{
  unsigned int axes[GA_MAXND], n = 0;
  put_scratch(p, launch);
  ga_put_index(p, v->wide, l->reduced);
  ga_put_index(p, v->wide, l->dims[v->cross]);
  ga_put_index(p, v->wide, v->line);
  ga_put_index(p, v->wide, v->spans);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_div(p, v->wide, v->steps);
  ga_put_div(p, v->wide, v->groups);
  for (unsigned int k = 0; k < l->nk; k++)
    if ((int)k != v->cross) axes[n++] = k;
  if (v->kept_rows) axes[n++] = (unsigned int)v->cross;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put_step(p, v, l, l->nk + l->nr - 1);
  ga_put_step(p, v, l, (unsigned int)v->cross);
  ga_put32(p, v->width);
  ga_put32(p, v->lines);
  ga_put32(p, v->nrows);
  ga_put32(p, reciprocal(v->line));
  ga_put32(p, v->tickets);
  for (unsigned int i = 0; i < l->noperand; i++) put_box(p, ga_cross_box_of(v, st, l, i));
}

/* reduce_walks.cu */
static void pack_walks(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  uint64_t all[4];
  put_scratch(p, launch);
  ga_put_index(p, v->wide, v->units);
  ga_put_index(p, v->wide, v->tiles);
  ga_put_index(p, v->wide, v->each);
  if (v->iota) ga_put64(p, (uint64_t)l->iota_base);
  for (unsigned int b = 0; b < 4; b++) all[b] = b < v->nbox ? l->dims[v->box[b]] : 1;
  for (unsigned int b = 0; b < 4; b++) ga_put_index(p, v->wide, all[b]);
  ga_put_div(p, v->wide, v->spans);
  for (unsigned int b = 0; b < 4; b++)
    ga_put_div(p, v->wide, (all[b] + v->box_extent[b] - 1) / v->box_extent[b]);
  put_others(p, v, l, 0, l->nk, v->nk);
  put_others(p, v, l, l->nk, l->nk + l->nr, v->nr);
  put_box_steps(p, v, l);
  ga_put32(p, v->tickets);
}

/* reduce_pairs.cu */
static void pack_pairs(ga_pack *p, const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int axes[GA_MAXND], n = 0, x = (unsigned int)v->along, y = (unsigned int)v->cross;
  ga_put_index(p, v->wide, l->reduced);
  ga_put_index(p, v->wide, l->dims[x]);
  ga_put_index(p, v->wide, l->dims[y]);
  ga_put_div(p, v->wide, v->tiles_x);
  ga_put_div(p, v->wide, v->tiles_y);
  for (unsigned int k = 0; k < l->nk; k++)
    if (k != x && k != y) axes[n++] = k;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  ga_put_step(p, v, l, x);
  ga_put_step(p, v, l, y);
  ga_put_step(p, v, l, l->nk);
  ga_put32(p, v->ybits);
  ga_put32(p, v->steps);
  for (unsigned int i = 0; i < l->noperand; i++) ga_put32(p, ga_pairs_area(v, st, i));
}

/* chain_rows.cu */
static void pack_chain(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  ga_put64(p, l->kept);
  ga_put64(p, l->reduced);
  if (v->iota) {
    ga_put64(p, (uint64_t)l->iota_base);
    ga_put64(p, (uint64_t)l->iota_step[inner]);
  }
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put32(p, l->nr != 0 && l->dims[inner] % 4 != 0);
  ga_put32(p, v->spaced);
  for (unsigned int i = 0; i < l->noperand; i++)
    ga_put32(p, l->nr != 0 ? (uint32_t)l->strides[i][inner] : 0);
}

/* chain_columns.cu */
static void pack_chain_columns(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  uint64_t columns = 1;
  for (unsigned int k = l->nk - v->axes; k < l->nk; k++) columns *= l->dims[k];
  ga_put64(p, l->reduced);
  ga_put64(p, columns);
  ga_put64(p, l->kept / columns * v->tiles);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_axes(p, v, l, 0, v->axes > 1 ? l->nk : inner, v->nk);
  ga_put_step(p, v, l, inner);
  ga_put_step(p, v, l, l->nk);
}

void ga_pack_params(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                    const ga_layout *l)
{
  switch (v->skeleton) {
  case GA_SKEL_CONTIG: pack_contig(p, v, l); break;
  case GA_SKEL_INNER: pack_inner(p, v, l); break;
  case GA_SKEL_FLAT: pack_flat(p, v, st, l); break;
  case GA_SKEL_STRIDED: pack_strided(p, v, l); break;
  case GA_SKEL_TILE:
  case GA_SKEL_TURN: pack_tile(p, v, l); break;
  case GA_SKEL_CROSS:
  case GA_SKEL_RUNS:
  case GA_SKEL_LAID:
  case GA_SKEL_CHAIN_BOXES: pack_map_boxes(p, v, l); break;
  case GA_SKEL_PLANES: pack_planes(p, v, l); break;
  case GA_SKEL_ROWS: pack_rows(p, launch, v, l); break;
  case GA_SKEL_COLUMNS: pack_columns(p, launch, v, l); break;
  case GA_SKEL_NARROW: pack_narrow(p, launch, v, l); break;
  case GA_SKEL_DOWN: pack_down(p, v, l); break;
  case GA_SKEL_GROUPS: pack_groups(p, v, l); break;
  case GA_SKEL_BOXES:
    pack_narrow(p, launch, v, l);
    pack_boxes(p, v, st, l);
    break;
  case GA_SKEL_REDUCE_CROSS: pack_reduce_cross(p, launch, v, st, l); break;
  case GA_SKEL_WALKS: pack_walks(p, launch, v, l); break;
  case GA_SKEL_PAIRS: pack_pairs(p, v, st, l); break;
  case GA_SKEL_CHAIN: pack_chain(p, v, l); break;
  case GA_SKEL_CHAIN_COLUMNS: pack_chain_columns(p, v, l); break;
  default: ga_pack_scan_params(p, launch, v, st, l); break;
  }
}
