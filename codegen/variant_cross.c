/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map whose operands are fast along several axes, or along short
 * ones (gen.h, kernels/map_cross.cu). */
#include "variant.h"

#define LONG     16   /* axes from this extent on are tiles' (map_tile.cu, map_turn.cu) */
#define SMALL    4096 /* elements of two axes */
#define SHORT    64   /* bytes along an axis that fill half of a narrow tile at most */
#define BITS_MIN 11   /* map_cross.cu: what a block's threads do at once */
#define BAND     2    /* log2 of the boxes of a band */
#define WARP     32   /* threads */
#define RESIDENT 8    /* blocks of a multiprocessor that threads suffice for */
#define OWN      1024 /* bytes of shared memory that each block takes besides */
#define COPIED   204800

/* The axis that operand i goes on along where its first LONG elements leave the output's
 * order; l->nk where they do not. */
static unsigned int leaves_at(const ga_layout *l, unsigned int i)
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own), k = l->nk;
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
int ga_is_close(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    uint64_t n = 1;
    for (unsigned int k = leaves_at(l, i); k < l->nk; k++) n *= l->dims[k];
    if (n > SMALL) return 0;
  }
  return 1;
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
  if (widest > 8 || ga_is_narrow(st)) return 0;
  if (nx <= SHORT) return fills(nx) < 0.6 || cuts_lines(st, l);
  return ny <= SHORT && fills(ny) < (widest == 4 ? 0.8 : 0.6);
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
  return ga_is_narrow(st) ? nx < vec : nx % vec != 0;
}

int ga_variant_cross(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  if (v->bytes || l->nk < 2 || l->kept == 0) return 0;
  if (!is_crossed(st, l) && !is_slim(st, l)) return 0;
  if (ga_variant_runs(v, st, l, align, target, GA_OR_BOXES)) return 1;
  if (!ga_shape_box(&w, st, l)) return 0;
  if (!gains(&w, st, l)) return 0;
  w.shared = ga_leave_cache(ga_box_bytes(&w, st, l), target);
  if (w.shared > target->shared) return 0;
  if (!take_words(&w, st, l, align)) return 0;
  w.aligned = 1; /* outputs are: else vec is 1 */
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int order[4];
    if (st->operands[i].write || l->strides[i][l->nk - 1] != (ssize_t)size_of(st, i)) continue;
    if (!ga_box_order(&w, l, st, i, order)) w.aligned &= ga_rows_aligned(st, l, align, i, w.vec);
  }
  share_out(&w, ga_is_narrow(st));
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
