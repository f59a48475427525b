/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map whose operands are fast along several axes, or along short
 * ones (gen.h, kernels/map_cross.cu). */
#include "variant.h"

#define LONG      16   /* axes from this extent on are tiles' (map_tile.cu, map_turn.cu) */
#define SMALL     4096 /* elements of two axes */
#define RUN       256  /* bytes on end that are wanted of every operand; of narrow ones half */
#define RUN_MIN   8    /* and that are worth it */
#define SHORT     64   /* bytes along an axis that fill half of a narrow tile at most */
#define WHOLE     64   /* elements of an axis of which a box has all */
#define ENOUGH    8192 /* bytes of a box */
#define BITS_MIN  11   /* map_cross.cu: what a block's threads do at once */
#define BITS_MAX  12
#define ROOM      76000 /* bytes of shared memory of three blocks a multiprocessor */
#define ROOM_RUNS 40000 /* the same of five, of runs */
#define BAND      2     /* log2 of the boxes of a band */
#define WARP      32    /* threads */
#define RESIDENT  8     /* blocks of a multiprocessor that threads suffice for */
#define OWN       1024  /* bytes of shared memory that each block takes besides */
#define COPIED    204800

/* The axes that operand i moves along, the fastest first; returns how many. */
static unsigned int own_order(const ga_layout *l, unsigned int i, unsigned int *order)
{
  unsigned int n = 0;
  for (unsigned int k = l->nk; k-- > 0;) {
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

/* The axis of the box that is axis k, v->nbox where there is none. */
static unsigned int in_box(const ga_variant *v, unsigned int k)
{
  unsigned int b = 0;
  while (b < v->nbox && v->box[b] != k) b++;
  return b;
}

int ga_box_order(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                 unsigned int order[4])
{
  unsigned int own[GA_MAXND], n = own_order(l, i, own), m = 0, crossed = 0;
  unsigned char had[4] = {0};
  for (unsigned int j = 0; j < n; j++) {
    unsigned int b = in_box(v, own[j]);
    if (b == v->nbox) continue;
    had[b] = 1;
    crossed |= m > 0 && order[m - 1] > b;
    order[m++] = b;
  }
  for (unsigned int b = 0; b < 4; b++)
    if (!had[b]) order[m++] = b;
  return crossed && !st->operands[i].write;
}

static void end_box(ga_variant *v)
{
  for (unsigned int b = v->nbox; b < 4; b++) {
    v->box[b] = GA_NO_AXIS;
    v->box_extent[b] = 1;
  }
}

uint64_t ga_box_bands(const ga_variant *v, const ga_layout *l, unsigned int b)
{
  uint64_t boxes = ceil_div(l->dims[v->box[b]], v->box_extent[b]);
  return ceil_div(boxes, (uint64_t)1 << v->band[b]);
}

/* Elements of the box along axis k. */
static uint64_t extent(const ga_variant *v, const ga_layout *l, unsigned int k)
{
  unsigned int b = in_box(v, k);
  uint64_t n = b == v->nbox ? 1 : v->box_extent[b];
  return n < l->dims[k] ? n : l->dims[k];
}

/* Some operand has elements of less than 4 bytes, whose lines are words: boxes of powers of two
 * keep those equally far past a word. */
static int is_narrow(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (size_of(st, i) < 4) return 1;
  return 0;
}

/* Elements of a box. */
static uint64_t volume(const ga_variant *v)
{
  uint64_t n = 1;
  for (unsigned int b = 0; b < v->nbox; b++) n *= v->box_extent[b];
  return n;
}

/* Bytes on end that a box has of operand i, and the axis that makes them more: l->nk for none. */
static uint64_t run_of(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                       unsigned int *more)
{
  unsigned int own[GA_MAXND], n = own_order(l, i, own);
  uint64_t run = size_of(st, i);
  *more = l->nk;
  for (unsigned int j = 0; j < n; j++) {
    uint64_t e = extent(v, l, own[j]), step = ga_magnitude(l->strides[i][own[j]]);
    if (j > 0 && step > 2 * run) break; /* gaps beside it are larger */
    run *= e;
    if (e == l->dims[own[j]]) continue;
    *more = own[j];
    break;
  }
  return run;
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

static size_t box_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t n = 0;
  unsigned int order[4];
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_box_order(v, l, st, i, order)) n += lines_bytes(v, st, i, order[0]);
  return n;
}

/* Small boxes keep more warps; bytes need runs. (On an H200, share of the ceiling with 11, 12 and
 * 13 bits: float32 0.85, 0.87, 0.73, float16 0.57, 0.70, 0.59; int8 with 13 and 14 0.51, 0.56.) */
static unsigned int most_bits(const ga_stage *st)
{
  return ga_widest(st) == 1 ? BITS_MAX + 2 : BITS_MAX;
}

static int box_fits(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                    int whole)
{
  ga_variant w = *v;
  if (volume(v) > (uint64_t)1 << most) return 0;
  end_box(&w);
  if (whole && is_narrow(st)) return ga_runs_bytes(&w, st, l) <= ROOM_RUNS;
  return box_bytes(&w, st, l) <= (ga_widest(st) < 16 ? ROOM : ROOM * 3 / 2);
}

/* Makes the box longer along axis k, to its end where that is near; returns 0 where it does not
 * fit. */
static int lengthen(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int k,
                    unsigned int most, int whole)
{
  ga_variant w = *v;
  unsigned int b = in_box(v, k);
  if (b == w.nbox) {
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
  if (whole && l->dims[k] <= (l->dims[k] <= WHOLE ? 3 : 2) * (size_t)w.box_extent[b] / 2) {
    unsigned int extent = w.box_extent[b], bits = w.box_bits[b];
    w.box_extent[b] = (unsigned int)l->dims[k];
    w.box_bits[b] = log2_of(pow2_ceil(l->dims[k]));
    if (!box_fits(&w, st, l, most, whole)) {
      w.box_extent[b] = extent;
      w.box_bits[b] = bits;
    }
  }
  if (!box_fits(&w, st, l, most, whole)) return 0;
  *v = w;
  return 1;
}

/* The innermost axis that the box has nothing of; l->nk where there is none. */
static unsigned int outside(const ga_variant *v, const ga_layout *l)
{
  for (unsigned int k = l->nk; k-- > 0;)
    if (in_box(v, k) == v->nbox) return k;
  return l->nk;
}

/* The axis that operand i goes on along where its first LONG elements leave the output's
 * order; l->nk where they do not. */
static unsigned int leaves_at(const ga_layout *l, unsigned int i)
{
  unsigned int own[GA_MAXND], n = own_order(l, i, own), k = l->nk;
  uint64_t run = 1;
  for (unsigned int j = 0; j < n && run < LONG; j++) {
    do k--; /* the next axis that it moves along */
    while (l->strides[i][k] == 0);
    if (own[j] != k) return own[j];
    run *= l->dims[own[j]];
  }
  return l->nk;
}

/* What operands have in another order is near enough for caches: map_flat.cu is better. */
static int is_close(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    uint64_t n = 1;
    for (unsigned int k = leaves_at(l, i); k < l->nk; k++) n *= l->dims[k];
    if (n > SMALL) return 0;
  }
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
static uint64_t bytes_wanted(const ga_variant *v, const ga_stage *st, const ga_layout *l, int whole)
{
  if (!is_narrow(st)) return ENOUGH;
  if (whole) return 2 * ENOUGH;
  return size_of(st, v->first) >= 4 && l->dims[l->nk - 1] < LONG ? 4 * ENOUGH : ENOUGH;
}

/* A box that has RUN bytes on end of each operand, as far as it fits: whichever has least
 * gets more. It has all of axis `all`, l->nk for none. */
static int shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                     int whole, unsigned int all)
{
  unsigned char done[GA_MAXND * 2] = {0};
  const int flat = l->cls != GA_CLASS_TILE && ga_widest(st) > 1 && is_close(st, l);
  const uint64_t enough = bytes_wanted(v, st, l, whole) / ga_widest(st);
  v->nbox = 0;
  if (st->noperand > sizeof done) return 0;
  if (all < l->nk) {
    v->nbox = 1;
    v->box[0] = all;
    v->box_extent[0] = (unsigned int)l->dims[all];
    v->box_bits[0] = log2_of(pow2_ceil(l->dims[all]));
  }
  for (;;) {
    unsigned int best = st->noperand, axis = 0;
    uint64_t least = is_narrow(st) ? RUN / 2 : RUN;
    for (unsigned int i = 0; i < st->noperand; i++) {
      unsigned int more;
      uint64_t run = run_of(v, l, st, i, &more);
      if (done[i] || more == l->nk || run >= least || is_few(l, i)) continue;
      least = run;
      best = i;
      axis = more;
    }
    if (best == st->noperand) break;
    if (!lengthen(v, st, l, axis, most, whole)) done[best] = 1;
  }
  for (;;) {
    unsigned int b = 0, axis;
    if (volume(v) >= enough) return 1;
    while (b < v->nbox && v->box_extent[b] >= l->dims[v->box[b]]) b++;
    axis = b < v->nbox ? v->box[b] : flat ? l->nk : outside(v, l);
    if (axis == l->nk || !lengthen(v, st, l, axis, most, whole))
      return volume(v) >= (is_narrow(st) ? (uint64_t)1 << BITS_MIN : enough / 2);
  }
}

/* Whether operands are fast along several axes, or along short ones, or bytes along two that are
 * powers of two, which few kernels fill boxes of, and small beside a tile. Planes that become woven
 * rows of a few channels are as fast by vectors of all rows (map_flat.cu). */
static int is_crossed(const ga_stage *st, const ga_layout *l)
{
  unsigned int first = l->nk, inner = l->nk - 1;
  uint64_t nx = l->dims[inner], ny;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int k = leaves_at(l, i);
    if (st->operands[i].write || k == l->nk) continue;
    if (l->strides[i][inner] == 0 && nx >= LONG) continue; /* one element for all of those */
    if (first != l->nk && first != k) return 1;
    first = k;
  }
  if (first == l->nk) return 0;
  ny = l->dims[first];
  if (ga_widest(st) == 1 && nx * ny <= SMALL && nx == pow2_ceil(nx) && ny == pow2_ceil(ny))
    return 1;
  return ny < LONG || (nx < LONG && first + 1 != inner);
}

/* The share of tiles' 32 lines that so many fill. */
static double fills(uint64_t n) { return (double)n / (double)(ceil_div(n, WARP) * WARP); }

/* Lines of some input begin inside sectors of memory. */
static int cuts_lines(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].write && l->strides[i][l->nk - 1] % SECTOR != 0 &&
        l->strides[i][l->nk - 1] != (ssize_t)size_of(st, i))
      return 1;
  return 0;
}

/* Narrow ones that cross along one axis, of which that or the innermost fills half of a tile at
 * most, and which are no small matrices. (On an H200, share of the copy ceiling by tiles and boxes:
 * uint8 of 64 matrices of 16 x 100352 0.26 and 0.86, turned back 0.16 and 0.92, of 64 x 50176 0.75
 * and 0.89, 0.61 and 0.91, float16 of 32 x 50176 0.88 and 0.94, 0.79 and 0.94, odd ones uint8 of
 * 27 x 5000000 0.33 and 0.66, turned back 0.30 and 0.59, 63 x 1969230 0.37 and 0.64; by boxes lose
 * uint8 of 100 x 1500001, 0.75 and 0.49.) Wider ones where few of tiles' lines are there, or rows
 * are short and lines cut sectors. (float32 of 33 x 969600 0.64 and 0.86, turned back 0.54 and
 * 0.78, float64 0.76 and 0.92, 0.74 and 0.88, float32 of 60 x 533300 turned 0.75 and 0.82; not so
 * 48 x 173608, 0.90 and 0.77.) */
static int is_slim(const ga_stage *st, const ga_layout *l)
{
  const int cross = ga_layout_cross_axis(l, st);
  const size_t widest = ga_widest(st);
  uint64_t most = SHORT / widest, nx = l->dims[l->nk - 1], ny;
  if (cross < 0) return 0;
  ny = l->dims[cross];
  if (nx <= SHORT && ny <= SHORT && cross + 2 == (int)l->nk) return 0;
  if (widest <= 2) return nx <= most || ny <= most;
  if (widest > 8 || is_narrow(st)) return 0;
  if (nx <= SHORT) return fills(nx) < 0.6 || cuts_lines(st, l);
  return ny <= SHORT && fills(ny) < (widest == 4 ? 0.8 : 0.6);
}

/* Elements that are there of all that blocks have, and runs of every operand. */
static int is_worth(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  double there = 1;
  for (unsigned int b = 0; b < v->nbox; b++) {
    uint64_t side = v->box_extent[b];
    there *= (double)l->dims[v->box[b]] / (double)(ceil_div(l->dims[v->box[b]], side) * side);
  }
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more;
    if (l->strides[i][l->nk - 1] == 0) continue;
    if (run_of(v, l, st, i, &more) < RUN_MIN && more != l->nk) return 0;
  }
  return there > 0.3;
}

/* How the crossed operands' elements of 1 and 2 bytes are taken out of words: neighbours that
 * a thread has, whether lines begin where words do, and threads along each axis. Returns 0
 * where such lines have gaps. */
static int take_words(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  const unsigned int inner = l->nk - 1;
  unsigned int order[4], apart = 0, all = 0, vec, left = 8;
  v->vec = ga_widest(st) < 4 ? 4 / (int)ga_widest(st) : 1;
  v->whole = 1;
  if (v->box[0] != inner) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i);
    int crossed = ga_box_order(v, l, st, i, order);
    if (!crossed && l->strides[i][inner] != (ssize_t)size &&
        (st->operands[i].write || l->strides[i][inner] != 0))
      v->vec = 1;
    if (size >= 4 || !crossed) continue;
    if (ga_magnitude(l->strides[i][v->box[order[0]]]) != size) return 0;
    if (apart < (size == 1 ? 2 : 1)) apart = size == 1 ? 2 : 1;
    if (l->strides[i][v->box[order[0]]] < 0 || (size << v->box_bits[order[0]]) % 4 != 0)
      v->whole = 0;
    v->whole &= ga_vectors_aligned(st, l, align, i, 4 / (int)size, v->box[order[0]]);
  }
  for (unsigned int b = 0; b < 4; b++) all += v->box_bits[b];
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && !ga_rows_aligned(st, l, align, i, v->vec)) v->vec = 1;
  if (v->box_bits[0] < 2) v->vec = 1;
  while (v->vec > 1 && all < BITS_MIN + log2_of((uint64_t)v->vec)) v->vec /= 2;
  vec = log2_of((uint64_t)v->vec);
  for (unsigned int b = 0; b < 4; b++) { /* what keeps items' lines as far past a word */
    unsigned int bits = b == 0 ? v->box_bits[0] - vec : v->box_bits[b];
    unsigned int want = b > 0 ? apart : apart > vec ? apart - vec : 0;
    v->box_lanes[b] = want < bits ? want : bits;
    left -= v->box_lanes[b];
  }
  for (unsigned int b = 0; b <= 4; b++) { /* a sector's or a warp's neighbours, then the others */
    unsigned int bits = b == 4 ? v->box_bits[0] - vec : b == 0 ? 5 - vec : v->box_bits[b];
    unsigned int *lanes = &v->box_lanes[b & 3], more;
    if (b == 0 && bits > v->box_bits[0] - vec) bits = v->box_bits[0] - vec;
    more = bits > *lanes ? bits - *lanes : 0;
    if (more > left) more = left;
    *lanes += more;
    left -= more;
  }
  return 1;
}

/* Threads along each axis, of which narrow elements have powers of two: of the innermost some
 * that fill sectors, or a warp, then of the others, then of the innermost again. */
static void share_out(ga_variant *v, int narrow)
{
  unsigned int left = GA_BLOCK;
  for (unsigned int b = 0; b < 4 && narrow; b++) v->box_lanes[b] = 1u << v->box_lanes[b];
  if (narrow) return;
  for (unsigned int b = 0; b <= 4; b++) {
    unsigned int *lanes = &v->box_lanes[b & 3], n = v->box_extent[b & 3];
    if (b == 0)
      *lanes = n <= WARP ? n : (unsigned int)ceil_div(n, ceil_div(n, WARP));
    else if (b < 4)
      *lanes = n < left ? n : left;
    else if (left > 1)
      *lanes = n < *lanes * left ? n : *lanes * left;
    left /= b == 4 ? 1 : *lanes;
  }
}

/* Shared memory that a block of `bytes` asks for, more where as many of them would share a
 * multiprocessor as leave its first cache too little for copies on their way. (H200, three float32
 * operands in three orders: six blocks that leave 23 KiB 0.60 of the ceiling, five 0.77.) */
size_t ga_leave_cache(size_t bytes, const ga_target *target)
{
  size_t all = target->shared + OWN, blocks = COPIED / (bytes + OWN);
  size_t least = all / (blocks + 1) + 16 - OWN;
  return blocks == 0 || blocks >= RESIDENT || bytes > least ? bytes : least;
}

/* The largest box that is worth it: smaller ones fit ends better. */
static int fit_box(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int most,
                   int whole, unsigned int all)
{
  const ga_variant was = *v;
  while (!shape_box(v, st, l, most, whole, all) || !is_worth(v, st, l)) {
    if (most-- == BITS_MAX) return 0;
    *v = was;
  }
  end_box(v);
  return 1;
}

int ga_shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int all)
{
  return fit_box(v, st, l, most_bits(st) + (all < l->nk ? 3 : 1), 1, all);
}

/* Some operand lies in the box in another order than the output, or rows are no vectors: else those
 * are better. (On an H200, us, by boxes and by rows: maximum of int16 [20, 500, 16, 48, 8] and
 * [20, 500, 16, 1, 8] 158 and 60, so float16 of rows of 9 187 and 67, float32 of rows of 8 63.4 and
 * 60.3, but int8 of rows of 8 88 and 110, float64 of rows of 5 119 and 126.) */
static int gains(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const size_t vec = 16 / ga_widest(st), nx = l->dims[l->nk - 1];
  unsigned int order[4];
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_box_order(v, l, st, i, order)) return 1;
  return is_narrow(st) ? nx < vec : nx % vec != 0;
}

int ga_variant_cross(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  if (v->bytes || l->nk < 2 || l->kept == 0) return 0;
  if (!is_crossed(st, l) && !is_slim(st, l)) return 0;
  if (ga_variant_runs(v, st, l, align, target, GA_OR_BOXES)) return 1;
  if (!fit_box(&w, st, l, most_bits(st), !is_narrow(st), l->nk)) return 0;
  if (!gains(&w, st, l)) return 0;
  w.shared = ga_leave_cache(box_bytes(&w, st, l), target);
  if (w.shared > target->shared) return 0;
  if (!take_words(&w, st, l, align)) return 0;
  w.aligned = 1; /* outputs are: else vec is 1 */
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int order[4];
    if (st->operands[i].write || l->strides[i][l->nk - 1] != (ssize_t)size_of(st, i)) continue;
    if (!ga_box_order(&w, l, st, i, order)) w.aligned &= ga_rows_aligned(st, l, align, i, w.vec);
  }
  share_out(&w, is_narrow(st));
  w.skeleton = GA_SKEL_CROSS;
  w.nk = ga_rank_bound(l->nk - w.nbox);
  w.grid = l->kept;
  for (unsigned int b = 0; b < w.nbox; b++) {
    w.band[b] = b > 0 && l->dims[w.box[b]] > (uint64_t)2 << w.box_bits[b] ? BAND : 0;
    w.grid = w.grid / l->dims[w.box[b]] * ga_box_bands(&w, l, b) << w.band[b];
  }
  *v = w;
  return 1;
}
