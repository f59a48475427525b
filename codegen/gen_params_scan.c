/* SPDX-License-Identifier: MIT */
/* What the ga_params of scans have between the operands and the numbers, as gen_params.c has it of
 * the others. */
#include "gen_pack.h"

/* The kept axes, one of them as the last. */
static void put_axis_last(ga_pack *p, const ga_variant *v, const ga_layout *l, int last)
{
  unsigned int axes[GA_MAXND], n = 0;
  for (unsigned int k = 0; k < l->nk; k++)
    if ((int)k != last) axes[n++] = k;
  axes[n++] = (unsigned int)last;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
}

/* scan_rows.cu */
static void pack_scan_rows(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                           const ga_layout *l)
{
  launch->ticket_at = ga_put(p, NULL, 8, 8);
  ga_put64(p, v->units);
  ga_put64(p, l->reduced);
  ga_put64(p, ga_scan_tickets(v, st, l) / 2);
  ga_put_div(p, v->wide, v->side ? l->kept : v->tiles);
  if (v->skeleton == GA_SKEL_SCAN_BESIDE)
    put_axis_last(p, v, l, v->cross);
  else
    ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put32(p, v->lanes);
  ga_put32(p, (uint64_t)v->side);
  ga_put32(p, v->tiles);
  ga_put32(p, v->spans);
  ga_put_steps(p, l, l->nk + l->nr - 1, 1);
}

/* scan_bytes.cu */
static void pack_scan_bytes(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  ga_put64(p, l->kept);
  ga_put_div(p, v->wide, l->reduced);
  ga_put32(p, v->each);
  ga_put32(p, (15 + l->reduced - 1) / l->reduced * l->reduced);
}

/* scan_tall.cu */
static void pack_scan_tall(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  launch->ticket_at = ga_put(p, NULL, 8, 8);
  ga_put64(p, v->units);
  ga_put64(p, l->kept);
  ga_put64(p, l->reduced);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put_steps(p, l, l->nk - 1, 1);
}

/* scan_columns.cu */
static void pack_scan_columns(ga_pack *p, const ga_variant *v, const ga_layout *l)
{
  ga_put64(p, l->kept);
  ga_put64(p, l->reduced);
  ga_put_axes(p, v, l, 0, l->nk, v->nk);
  ga_put_axes(p, v, l, l->nk, l->nr, v->nr);
  ga_put_steps(p, l, l->nk - 1, 1);
}

/* map_boxes.cuh, for scan_cross.cu: of the scanned axis, the last, each block has all. */
static void pack_scan_cross(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_layout *l)
{
  unsigned int axes[GA_MAXND], n = 0;
  for (unsigned int b = 0; b < 4; b++) ga_put64(p, v->box[b] <= l->nk ? l->dims[v->box[b]] : 1);
  for (unsigned int b = 0; b < 4; b++)
    ga_put_div(p, v->wide, v->box[b] < l->nk ? ga_box_bands(v, l, b) : 1);
  for (unsigned int k = 0; k < l->nk; k++)
    if (k != v->box[0] && k != v->box[1] && k != v->box[2]) axes[n++] = k;
  ga_put_axis_list(p, v, l, axes, n, v->nk);
  for (unsigned int b = 0; b < 4; b++)
    if (v->box[b] <= l->nk)
      ga_put_step(p, v, l, v->box[b]);
    else
      ga_put(p, NULL, (v->wide ? 8 : 4) * l->noperand, v->wide ? 8 : 4);
  for (unsigned int b = 0; b < 4; b++) ga_put32(p, v->band[b]);
  if (v->form != GA_FORM_TILES) return;
  launch->ticket_at = ga_put(p, NULL, 8, 8);
  ga_put64(p, v->tiles * v->width);
  ga_put64(p, l->reduced);
  ga_put_div(p, v->wide, v->tiles);
}

/* scan_boxes.cuh */
static void pack_scan_boxes(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                            const ga_layout *l)
{
  if (v->form == GA_FORM_TILES) {
    launch->ticket_at = ga_put(p, NULL, 8, 8);
    ga_put64(p, l->kept);
    ga_put_div(p, v->wide, v->tiles);
  } else {
    ga_put64(p, v->units);
    ga_put32(p, v->each);
  }
  ga_put64(p, l->reduced);
  for (unsigned int i = 0; i < st->noperand; i++)
    ga_put64(p, (uint64_t)ga_scan_box_of(v, l, i).pitch);
  ga_put_div(p, v->wide, ga_scan_box_of(v, l, 0).inner);
  ga_put32(p, ga_scan_box_of(v, l, 0).inner);
  ga_put32(p, ga_scan_totals(v, st, l));
  for (unsigned int i = 0; i < st->noperand; i++) ga_put32(p, ga_scan_area(v, st, l, i));
  for (unsigned int i = 0; i < st->noperand; i++)
    ga_put32(p, (uint64_t)ga_scan_box_of(v, l, i).down);
  for (unsigned int i = 0; i < st->noperand; i++)
    ga_put32(p, (uint64_t)ga_scan_box_of(v, l, i).step);
}

/* scan_sheets.cuh */
static void pack_scan_sheets(ga_pack *p, const ga_variant *v, const ga_stage *st,
                             const ga_layout *l)
{
  unsigned int inner = l->nk - 1, n = st->noperand;
  ga_put64(p, l->dims[inner] * (v->axes == 2 ? l->dims[inner - 1] : 1));
  ga_put32(p, v->each);
  ga_put32(p, v->width - v->common);
  ga_put32(p, v->common);
  for (unsigned int i = 0; i < n; i++) ga_put32(p, ga_scan_sheet_of(v, st, l, i).lanes);
  ga_put64(p, l->reduced);
  for (unsigned int i = 0; i < n; i++) ga_put64(p, (uint64_t)ga_scan_sheet_of(v, st, l, i).row);
  for (unsigned int i = 0; i < n; i++) ga_put64(p, (uint64_t)ga_scan_sheet_of(v, st, l, i).over);
  ga_put_div(p, v->wide, v->tiles);
  ga_put_div(p, v->wide, l->dims[inner]);
  ga_put_axes(p, v, l, 0, l->nk - v->axes, v->nk);
  ga_put32(p, ga_scan_sheet_of(v, st, l, n).area);
  for (unsigned int i = 0; i < n; i++) ga_put32(p, ga_scan_sheet_of(v, st, l, i).area);
  for (unsigned int i = 0; i < n; i++) ga_put32(p, ga_scan_sheet_of(v, st, l, i).down);
  for (unsigned int i = 0; i < n; i++) ga_put32(p, (uint64_t)ga_scan_sheet_of(v, st, l, i).step);
}

void ga_pack_scan_params(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                         const ga_layout *l)
{
  switch (v->skeleton) {
  case GA_SKEL_SCAN_BESIDE:
  case GA_SKEL_SCAN_ROWS: pack_scan_rows(p, launch, v, st, l); break;
  case GA_SKEL_SCAN_CROSS:
  case GA_SKEL_SCAN_CROSS_LONG: pack_scan_cross(p, launch, v, l); break;
  case GA_SKEL_SCAN_BYTES: pack_scan_bytes(p, v, l); break;
  case GA_SKEL_SCAN_COLUMNS: pack_scan_columns(p, v, l); break;
  case GA_SKEL_SCAN_TALL: pack_scan_tall(p, launch, v, l); break;
  case GA_SKEL_SCAN_SHEETS: pack_scan_sheets(p, v, st, l); break;
  case GA_SKEL_SCAN_BOXES:
  case GA_SKEL_SCAN_LONG: pack_scan_boxes(p, launch, v, st, l); break;
  default: break;
  }
}
