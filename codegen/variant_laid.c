/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map of narrow elements that hold a short axis beside the results' long
 * one (gen.h, kernels/map_laid.cu). */
#include "variant.h"

#define SHORTEST 3 /* elements of the short axis */
#define LONGEST  24
#define LEAST    512   /* of the long one */
#define WORD     4     /* bytes of a square's side */
#define BOX      16384 /* bytes of a box of the widest operand, and up to half as many more */
#define LINE     4096  /* of a row of what is laid out, at most */
#define ROOM     54000 /* bytes of shared memory of four blocks a multiprocessor */

/* Operand i holds axis y beside the innermost one, in lines of memory without long gaps. */
static int is_woven(const ga_stage *st, const ga_layout *l, unsigned int i, unsigned int y)
{
  const ssize_t size = (ssize_t)size_of(st, i), line = size * (ssize_t)l->dims[y];
  const ssize_t step = l->strides[i][l->nk - 1];
  return size <= 2 && l->strides[i][y] == size && step >= line && step <= 2 * line;
}

/* Operand i goes by way of shared memory. */
static int is_crossed(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  const ssize_t step = l->strides[i][l->nk - 1];
  return !st->operands[i].write && step != 0 && step != (ssize_t)size_of(st, i);
}

/* The axis that all of those hold so; l->nk where there is none, or an output does not go on along
 * the innermost axis. */
static unsigned int short_axis(const ga_stage *st, const ga_layout *l)
{
  unsigned int y = l->nk;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (st->operands[i].write && l->strides[i][l->nk - 1] != (ssize_t)size_of(st, i)) return l->nk;
    if (!is_crossed(st, l, i)) continue;
    for (unsigned int k = 0; k + 1 < l->nk && y == l->nk; k++)
      if (is_woven(st, l, i, k)) y = k;
    if (y == l->nk || !is_woven(st, l, i, y)) return l->nk;
  }
  return y;
}

ga_laid ga_laid_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                   unsigned int *table, unsigned int *end)
{
  const uint64_t n = v->box_extent[1], rows = ceil_div(v->box_extent[2], WORD) * WORD;
  ga_laid m = {0};
  size_t at = 0;
  for (int out = 0; out < 2; out++) /* lines, then what they are laid out as */
    for (unsigned int k = 0; k < st->noperand; k++) {
      const size_t size = size_of(st, k), side = WORD / size;
      const size_t step = (size_t)l->strides[k][l->nk - 1];
      const size_t pitch = ((n + 2 * (uint64_t)v->vec) * size + WORD + 15) / 16 * 16;
      if (!is_crossed(st, l, k)) continue;
      if (k == i) m.step = (unsigned int)step;
      if (k == i) *(out ? &m.to : &m.from) = (unsigned int)at;
      at += out ? rows / side * (side * pitch + 16) : (n * step + 3 * 16) / 16 * 16;
    }
  *table = (unsigned int)at;
  *end = (unsigned int)(at + ceil_div(rows, 16) * 16);
  return m;
}

static unsigned int laid_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int table, end;
  ga_laid_of(v, st, l, st->noperand, &table, &end);
  return end;
}

/* Some of the long axis: BOX bytes and all of it where that fits, else equal parts of sectors. */
static int shape(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t widest, size_t laid)
{
  const uint64_t nx = l->dims[v->box[1]], ny = v->box_extent[2], sector = SECTOR / widest;
  uint64_t n = 1;
  while (2 * n * ny * 2 * widest <= 3 * BOX && 2 * n * laid <= LINE) n *= 2;
  for (; n >= 4 * (uint64_t)v->vec; n /= 2) {
    v->box_extent[1] = (unsigned int)nx;
    if (nx <= 2 * n && laid_bytes(v, st, l) <= ROOM) return 1;
    v->box_extent[1] = (unsigned int)(ceil_div(ceil_div(nx, ceil_div(nx, n)), sector) * sector);
    if (laid_bytes(v, st, l) <= ROOM) return 1;
  }
  return 0;
}

/* What vectors are aligned to, and words of squares. Returns 0 for bytes whose lines begin inside
 * words: each takes two, and they lose. */
static int align_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, unsigned int y)
{
  const size_t cut = (size_t)v->vec * size_of(st, v->first);
  v->exact = v->box_extent[1] % (unsigned int)v->vec == 0 &&
             l->dims[l->nk - 1] % (unsigned int)v->vec == 0 &&
             ga_rows_aligned(st, l, align, v->first, v->vec);
  v->agrees = v->exact || ga_magnitude(l->strides[v->first][y]) % cut == 0;
  v->aligned = v->store_vec = v->whole = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const int along = ga_vectors_agree(st, l, align, i, v->first, v->vec);
    if (is_crossed(st, l, i)) {
      const int words = ga_vectors_aligned(st, l, align, i, (int)(WORD / size_of(st, i)), y);
      if (size_of(st, i) == 1 && !words) return 0;
      v->whole &= words;
    } else if (st->operands[i].write) {
      v->store_vec &= along;
    } else if (l->strides[i][l->nk - 1] != 0) {
      v->aligned &= along;
    }
  }
  return 1;
}

/* Instead of boxes of runs, of powers of two, and planes off vectors. (H200, us by those and so:
 * int16 [24, 1864135]/f < one in Fortran order 133 and 90, int16 [8, 5592405] times one in Fortran
 * order plus 1 105 and 73, bfloat16 [7, 6391320] plus one so 84 and 69, float16 [7, 6235,
 * 1025]/p120 where greater than one of [6235] 58 and 53, uint8 [12, 7456540]/p10 as float32 168 and
 * 146; but int16 [33, 1355735] 77 and 84, uint16 [48, 1398100]/f 81 and 84, two of uint8 [31,
 * 2886403]/t 86 and 113, two of int64 [31, 360800] 66 and 80.) */
int ga_variant_laid(ga_variant *v, const ga_variant *other, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  const enum ga_skeleton had = other->skeleton;
  ga_variant w = *v;
  size_t widest, laid = 1;
  unsigned int y;
  if (had != GA_SKEL_RUNS && had != GA_SKEL_CROSS && had != GA_SKEL_PLANES) return 0;
  if (had == GA_SKEL_PLANES && other->store_vec && other->aligned) return 0;
  if (v->bytes || v->iota || l->nk < 2 || l->kept == 0 || l->dims[l->nk - 1] < LEAST) return 0;
  widest = ga_widest_moved(st, l);
  if (widest > 4) return 0;
  y = short_axis(st, l);
  if (y == l->nk || l->dims[y] < SHORTEST || l->dims[y] > LONGEST) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_crossed(st, l, i) && size_of(st, i) > laid) laid = size_of(st, i);
  ga_no_box(&w);
  w.skeleton = GA_SKEL_LAID;
  w.vec = (int)(16 / widest);
  w.nbox = 2;
  w.box[1] = l->nk - 1;
  w.box[2] = y;
  w.box_extent[2] = (unsigned int)l->dims[y];
  if (!shape(&w, st, l, widest, laid) || !align_rows(&w, st, l, align, y)) return 0;
  w.shared = ga_leave_cache(laid_bytes(&w, st, l), target);
  if (w.shared > target->shared) return 0;
  for (unsigned int b = 0; b < 4; b++) w.band[b] = 0;
  w.nk = ga_rank_bound(l->nk - 2);
  w.grid = l->kept / l->dims[l->nk - 1] / l->dims[y] * ga_box_bands(&w, l, 1);
  *v = w;
  return 1;
}
