/* SPDX-License-Identifier: MIT */
/* Shapes of the boxes of maps (kernels/map_cross.cu, map_runs.cu): as many bytes on end of each
 * operand as are wanted, as far as they fit in shared memory. */
#include "variant.h"

#define LONG      16   /* elements of an innermost axis that is not short */
#define RUN       256  /* bytes on end that are wanted of every operand; of narrow ones half */
#define RUN_MIN   8    /* and that are worth it */
#define RUN_OUT   4    /* of runs' results so many times as of what they are made of */
#define WHOLE     64   /* elements of an axis of which a box has all */
#define ENOUGH    8192 /* bytes of a box */
#define BITS_MIN  11   /* map_cross.cu: what a block's threads do at once */
#define BITS_MAX  12
#define BITS_EVEN 16
#define ROOM      76000 /* bytes of shared memory of three blocks a multiprocessor */
#define ROOM_RUNS 40000 /* the same of five, of runs, ... */
#define ROOM_MORE 65000 /* ... and of three, where five have few bytes on end */
#define ROOM_LONG 60000 /* the same for longer rows, ... */
#define ROOM_MOST 72000 /* ... and where those have few bytes on end */

/* Elements of a box. */
static uint64_t volume(const ga_variant *v)
{
  uint64_t n = 1;
  for (unsigned int b = 0; b < v->nbox; b++) n *= v->box_extent[b];
  return n;
}

/* Bytes of shared memory that the box of operand i has, whose lines are along axis `fastest`
 * (map_cross.cu, ga_lines). */
static size_t lines_bytes(const ga_variant *v, const ga_stage *st, unsigned int i,
                          unsigned int fastest)
{
  size_t size = size_of(st, i), unit = size < 4 ? 4 : size, line = size * v->box_extent[fastest];
  size_t n = (ceil_div(line, unit) + (size < 4)) | 1;
  for (unsigned int b = 0; b < 4; b++)
    if (b != fastest && b < v->nbox && v->box_extent[b] != 1) n = n * v->box_extent[b] | 1;
  return (n * unit + 15) / 16 * 16;
}

size_t ga_box_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t n = 0;
  unsigned int order[4];
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_box_order(v, l, st, i, order)) n += lines_bytes(v, st, i, order[0]);
  return n;
}

/* Small boxes keep more warps; bytes need runs. (On an H200, share of the ceiling with 11, 12 and
 * 13 bits: float32 0.85, 0.87, 0.73, float16 0.57, 0.70, 0.59; int8 with 13 and 14 0.51, 0.56.) */
static unsigned int most_bits(size_t widest) { return widest == 1 ? BITS_MAX + 2 : BITS_MAX; }

static int box_fits(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                    enum ga_shape how)
{
  if (volume(v) > (uint64_t)1 << most) return 0;
  if (how >= GA_SHAPE_RUNS) {
    static const size_t rooms[] = {ROOM_RUNS, ROOM_MORE, ROOM_LONG, ROOM_MOST};
    return ga_runs_bytes(v, st, l) <= rooms[how - GA_SHAPE_RUNS];
  }
  return ga_box_bytes(v, st, l) <= (ga_widest(st) < 16 ? ROOM : ROOM * 3 / 2);
}

/* Makes the box longer along axis k, to its end where that is near; returns 0 where it does not
 * fit. */
static int lengthen(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int k,
                    unsigned int most, enum ga_shape how)
{
  ga_variant w = *v;
  unsigned int b = ga_in_box(v, k);
  if (b == 4) {
    if (w.nbox == 4) return 0;
    for (b = w.nbox++; b > 0 && w.box[b - 1] < k; b--) { /* as the output has them */
      w.box[b] = w.box[b - 1];
      w.box_bits[b] = w.box_bits[b - 1];
      w.box_extent[b] = w.box_extent[b - 1];
    }
    w.box[b] = k;
    w.box_bits[b] = 0;
  }
  w.box_extent[b] = 1u << ++w.box_bits[b];
  if (how != GA_SHAPE_POWERS &&
      l->dims[k] <= (l->dims[k] <= WHOLE ? 3 : 2) * (size_t)w.box_extent[b] / 2) {
    unsigned int extent = w.box_extent[b], bits = w.box_bits[b];
    w.box_extent[b] = (unsigned int)l->dims[k];
    w.box_bits[b] = log2_of(pow2_ceil(l->dims[k]));
    if (!box_fits(&w, st, l, most, how)) {
      w.box_extent[b] = extent;
      w.box_bits[b] = bits;
    }
  }
  if (!box_fits(&w, st, l, most, how)) return 0;
  *v = w;
  return 1;
}

/* Operand i stays along the innermost axis and has an eighth of the elements at most: boxes need
 * no run of it. (On an H200, bool [150, 17, 55, 17, 40] in order 41230 and one of [150, 17, 1, 1,
 * 1]: 184.7 us with, 80.7 without.) */
static int is_few(const ga_layout *l, unsigned int i)
{
  uint64_t n = 1;
  for (unsigned int k = 0; k < l->nk; k++)
    if (l->strides[i][k] != 0) n *= l->dims[k];
  return l->strides[i][l->nk - 1] == 0 && n <= l->kept / 8;
}

/* Bytes of the widest operand that a box should have: more of runs, and of short rows of wide
 * results of narrow elements, of which a block would have few. (On an H200, us: bfloat16 [1021,
 * 5000, 9] reversed to int64 193 and 142, but int16 [12, 500, 2000] to float64 35.2 and 35.8.) */
static uint64_t bytes_wanted(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                             enum ga_shape how)
{
  if (how >= GA_SHAPE_RUNS) return 2 * ENOUGH;
  if (!ga_is_narrow(st)) return ENOUGH;
  return size_of(st, v->first) >= 4 && l->dims[l->nk - 1] < LONG ? 4 * ENOUGH : ENOUGH;
}

/* The operand that a box has least bytes on end of, the axis that makes them more, and how many
 * that are less than `least`; st->noperand: none of those that are not `done`. Results of runs
 * count less: their ends are what is slow. */
static unsigned int least_run(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                              const unsigned char *done, enum ga_shape how, unsigned int *axis,
                              uint64_t *least)
{
  unsigned int best = st->noperand, more;
  for (unsigned int i = 0; i < st->noperand; i++) {
    uint64_t run = ga_box_run(v, l, st, i, &more);
    if (how >= GA_SHAPE_RUNS && st->operands[i].write) run /= RUN_OUT;
    if (done[i] || more == l->nk || run >= *least || is_few(l, i)) continue;
    *least = run;
    best = i;
    *axis = more;
  }
  return best;
}

/* A box that has RUN bytes on end of each operand, as far as it fits: whichever has least
 * gets more. It has all of axis `all`, l->nk for none. */
static int shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                     enum ga_shape how, unsigned int all)
{
  unsigned char done[GA_MAXND * 2] = {0};
  const int flat = l->cls != GA_CLASS_TILE && ga_widest(st) > 1 && ga_is_close(st, l);
  const int runs = how >= GA_SHAPE_RUNS;
  const uint64_t enough =
      bytes_wanted(v, st, l, how) / (runs ? ga_widest_moved(st, l) : ga_widest(st));
  ga_no_box(v);
  if (st->noperand > sizeof done) return 0;
  if (all < l->nk) {
    v->nbox = 1;
    v->box[0] = all;
    v->box_extent[0] = (unsigned int)l->dims[all];
    v->box_bits[0] = log2_of(pow2_ceil(l->dims[all]));
  }
  for (;;) {
    unsigned int best, axis = 0;
    uint64_t least = ga_is_narrow(st) || runs ? RUN / 2 : RUN;
    best = least_run(v, st, l, done, how, &axis, &least);
    if (best == st->noperand) break;
    if (!lengthen(v, st, l, axis, most, how)) done[best] = 1;
  }
  for (;;) {
    unsigned int b = 0, axis;
    if (volume(v) >= enough) return 1;
    while (b < v->nbox && v->box_extent[b] >= l->dims[v->box[b]]) b++;
    axis = b < v->nbox ? v->box[b] : flat ? l->nk : ga_outside_box(v, l);
    if (axis == l->nk || !lengthen(v, st, l, axis, most, how))
      return volume(v) >= (ga_is_narrow(st) ? (uint64_t)1 << BITS_MIN : enough / 2);
  }
}

/* Elements that are there of all that blocks have, and runs of every operand. */
static int is_worth(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more;
    if (l->strides[i][l->nk - 1] == 0) continue;
    if (ga_box_run(v, l, st, i, &more) < RUN_MIN && more != l->nk) return 0;
  }
  return ga_box_fill(v, l) > 0.3;
}

/* Axes of runs' boxes are cut into equal parts of whole sectors, or not at all where that fits: of
 * powers of two the last one may be half empty. */
static void even_out(ga_variant *v, const ga_stage *st, const ga_layout *l, enum ga_shape how)
{
  const uint64_t sector = SECTOR / ga_widest_moved(st, l);
  for (unsigned int b = 0; b < v->nbox; b++) {
    uint64_t n = l->dims[v->box[b]], part = v->box_extent[b];
    ga_variant w = *v;
    if (part >= n) continue;
    w.box_extent[b] = (unsigned int)n;
    w.box_bits[b] = log2_of(pow2_ceil(n));
    if (n > 2 * part || !box_fits(&w, st, l, BITS_EVEN, how)) {
      n = ceil_div(ceil_div(n, ceil_div(n, part)), sector) * sector;
      if (n >= part) continue;
      w.box_extent[b] = (unsigned int)n;
      w.box_bits[b] = log2_of(pow2_ceil(n));
    }
    *v = w;
  }
}

/* The largest box that is worth it: smaller ones fit ends better. */
static int fit_box(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                   enum ga_shape how, unsigned int all)
{
  const ga_variant was = *v;
  while (!shape_box(v, st, l, most, how, all) || !is_worth(v, st, l)) {
    if (most-- == BITS_MAX) return 0;
    *v = was;
  }
  if (how >= GA_SHAPE_RUNS) even_out(v, st, l, how);
  return 1;
}

int ga_shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  enum ga_shape how = ga_is_narrow(st) ? GA_SHAPE_POWERS : GA_SHAPE_WHOLE;
  return fit_box(v, st, l, most_bits(ga_widest(st)), how, l->nk);
}

/* (H200, us of three blocks a multiprocessor where five have 64 bytes on end, and of five:
 * where(a > b, a, b) of int8 [3, 1, 233017, 128]/f and /s 95 and 120, of bfloat16 [1024, 1000,
 * 44]/s and /t 94 and 124.) */
int ga_shape_runs(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int all,
                  int larger)
{
  const enum ga_shape how = larger ? GA_SHAPE_LONG : GA_SHAPE_RUNS;
  static const unsigned char none[GA_MAXND * 2] = {0};
  const unsigned int most =
      most_bits(ga_widest_moved(st, l)) + (all < l->nk ? 3 : 1) + (larger ? 2 : 0);
  uint64_t run = RUN / 2, more = RUN / 2;
  unsigned int axis;
  ga_variant w = *v;
  int fits = fit_box(v, st, l, most, how, all);
  if (fits && least_run(v, st, l, none, GA_SHAPE_WHOLE, &axis, &run) == st->noperand) return 1;
  if (!fit_box(&w, st, l, most, how + 1, all)) return fits;
  least_run(&w, st, l, none, GA_SHAPE_WHOLE, &axis, &more);
  if (!fits || more > run) *v = w;
  return 1;
}
