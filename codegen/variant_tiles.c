/* SPDX-License-Identifier: MIT */
/* Chooses the variants of maps whose inputs cross their results: tiles of single words
 * (kernels/map_tile.cu) and of lines (kernels/map_turn.cu). */
#include "gen_kept.h"
#include "variant.h"

#define SHARED_MAX 49152 /* bytes of a block without asking for more */

/* Input i stays along the innermost axis. */
static int is_still_inside(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  return !st->operands[i].write && l->strides[i][l->nk - 1] == 0;
}

/* Tells inputs that stay along rows apart, and keeps values of them, but not divisors alone of
 * other elements than bfloat16. (On an H200, us of 256 MB: exp(a - b)/c of float16 [65536, 1024]
 * transposed 90, kept 95, bfloat16 103 and 97, (a - b)/sqrt(c + 1e-5) 106 and 99, 130 and 98; of
 * [65472, 1025] 146 and 111, 157 and 107, float32 [32736, 1025] 108 and 75.) */
static void keep_some(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  ga_choose_kept(v, st, l, 1);
  if (v->keeps == GA_KEEPS_DIVISOR) v->keeps = GA_KEEPS_NONE;
}

/* Every operand's words of `vec` elements, along the axis it is fast on, lie on their size. */
static int words_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                         int cross, int vec)
{
  unsigned int inner = l->nk - 1;
  if (l->dims[inner] % (size_t)vec != 0 || l->dims[cross] % (size_t)vec != 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int fast = ga_layout_crossed(l, st, i, cross) ? (unsigned int)cross : inner;
    ssize_t size = (ssize_t)size_of(st, i), bytes = vec * size;
    if (i < 64 && is_still_inside(st, l, i)) continue;
    if (l->strides[i][fast] != size || align[i] % bytes != 0) return 0;
    for (unsigned int k = 0; k < l->nk; k++)
      if (k != fast && l->strides[i][k] % bytes != 0) return 0;
  }
  return 1;
}

/* Tiles' words are aligned, and no row or line of an operand begins inside a sector of memory. */
static int tile_fits(const ga_stage *st, const ga_layout *l, const unsigned char *align, int cross,
                     int vec)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    for (unsigned int k = 0; k < l->nk && !is_still_inside(st, l, i); k++)
      if (l->strides[i][k] != (ssize_t)size_of(st, i) && l->strides[i][k] % SECTOR != 0) return 0;
  return words_aligned(st, l, align, cross, vec);
}

/* Shared memory of the tiles of the crossed operands. */
static size_t tile_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t n = 0, side = 32 * (size_t)v->vec;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_layout_crossed(l, st, i, v->cross)) {
      size_t word = (size_t)v->vec * size_of(st, i);
      n += (size_t)v->tall * side * 32 * (word < 4 ? 4 : word);
    }
  return n;
}

/* Whether to read 256 bytes of each crossed operand on end: where only such are read, by
 * elements of 4 bytes, and nothing cuts the memory's sectors. (On an H200 0.86 to 0.90 of
 * the copy ceiling become 0.95; elements cut anew, bytes and others' latency lose.) Of elements of
 * 2 bytes where one operand is crossed and one at most is not (80 x 128 x 6250 of float16 0.78 and
 * 0.86, a sum with the transposed 0.96 and 0.97; two that are not 0.82 and 0.76). */
static int tile_tall(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align)
{
  unsigned int crossed = 0, direct = 0;
  if (v->bytes || l->dims[v->cross] <= 32 * (size_t)v->vec) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (size_of(st, i) != (v->vec == 1 ? 4 : 2)) return 0;
    if (ga_layout_crossed(l, st, i, v->cross))
      crossed++;
    else
      direct += !st->operands[i].write;
  }
  if (v->vec != 1) return crossed == 1 && direct <= 1;
  if (direct != 0) return 0;
  return words_aligned(st, l, align, v->cross, 4);
}

/* Elements of a tile's words: 4 bytes of the widest operand, and where that is of 4 bytes and
 * another is narrower 8, so that stored lines fill memory's. (On an H200, share of the copy ceiling
 * with 4 and 8: float32 transposed to float16 0.81 and 0.94, back 0.72 and 0.92.) */
static int tile_vec(const ga_variant *v, const ga_stage *st)
{
  size_t widest = ga_widest(st), least = widest;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (size_of(st, i) < least) least = size_of(st, i);
  if (widest == 4 && least < 4) return 2;
  return v->vec >= 4 ? v->vec / 4 : 1;
}

int ga_variant_tile(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align)
{
  uint64_t side;
  v->cross = ga_layout_cross_axis(l, st);
  v->vec = tile_vec(v, st);
  if (v->bytes || !words_aligned(st, l, align, v->cross, v->vec)) v->vec = 1;
  v->tall = tile_tall(v, st, l, align) ? 2 : 1;
  if (tile_bytes(v, st, l) > SHARED_MAX) v->vec = v->tall = 1;
  if (tile_bytes(v, st, l) > SHARED_MAX) return 0;
  side = 32 * (uint64_t)v->vec;
  v->skeleton = GA_SKEL_TILE;
  v->still = 0;
  if (v->vec > 1) keep_some(v, st, l);
  v->nk = ga_rank_bound(l->nk - 2);
  v->tiles_x = ceil_div(l->dims[l->nk - 1], side);
  v->tiles_y = ceil_div(l->dims[v->cross], side * (uint64_t)v->tall);
  v->grid = l->kept / l->dims[l->nk - 1] / l->dims[v->cross] * v->tiles_x * v->tiles_y;
  return 1;
}

/* How tiles of lines are cut: elements along y that 128 bytes of a line hold wherever in a word
 * it begins, elements that a lane stores, and elements that rows are cut at multiples of. Narrow
 * tiles, and cuts anywhere in a sector of memory, are for rows that others do not fit; results of 8
 * bytes have two a lane (mixed ones: uint16 turned into int64 0.55 and 0.83 of the ceiling);
 * results of 1 byte are cut at sectors where nothing but lines of one operand is read. (On an H200,
 * share of the copy ceiling with cuts at 8 and 32 bytes: odd int8 0.66 and 0.78, plus another as it
 * lies 0.83 and 0.78, two turned 0.75 and 0.57.) Returns 0 where the lines do not fit, are no
 * words, or gain nothing (two operands of 4 bytes an element). */
static int turn_shape(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  static const struct {
    int vec, skew;
  } ways[] = {{8, 32}, {8, 8}, {4, 32}, {4, 8}, {2, 8}};
  const int byte = size_of(st, v->first) == 1, big = size_of(st, v->first) >= 8;
  size_t widest = 0, n = 0, direct = 0;
  int words = 1; /* lines begin where words do */
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!ga_layout_crossed(l, st, i, v->cross)) {
      direct += !st->operands[i].write;
      continue;
    }
    if (size_of(st, i) > 4 || l->strides[i][v->cross] != (ssize_t)size_of(st, i)) return 0;
    if (size_of(st, i) > widest) widest = size_of(st, i);
    words &= ga_vectors_aligned(st, l, align, i, (int)(4 / size_of(st, i)), (unsigned int)v->cross);
    n++;
  }
  if (n == 0 || n > 2 || (n == 2 && widest == 4)) return 0;
  v->height = (int)((words ? 128 : 124) / widest);
  v->tiles_x = 0;
  for (unsigned int k = 0; k < sizeof ways / sizeof *ways; k++) {
    uint64_t side = 32 * (uint64_t)ways[k].vec, width = 32 * (uint64_t)v->vec * v->tiles_x;
    size_t cut = (size_t)ways[k].skew * size_of(st, v->first);
    int whole = cut <= 16 && ga_rows_aligned(st, l, align, v->first, ways[k].skew);
    uint64_t past = whole ? 0 : (uint64_t)ways[k].skew - 1; /* rows begin as far past a cut */
    uint64_t tiles = ceil_div(l->dims[l->nk - 1] + past, side);
    if (ways[k].vec == 8 && (n != 1 || !byte)) continue;
    if ((ways[k].vec == 2) != big) continue;
    if (ways[k].skew == 32 && (n != 1 || direct != 0 || !byte)) continue;
    if (v->tiles_x != 0 && 4 * tiles * side > 3 * width) continue;
    v->vec = ways[k].vec;
    v->skew = ways[k].skew;
    v->tiles_x = tiles;
  }
  return 1;
}

int ga_variant_turn(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align)
{
  const unsigned int inner = l->nk - 1;
  const uint64_t nx = l->dims[inner];
  ga_variant t = *v;
  uint64_t ny, least;
  t.cross = ga_layout_cross_axis(l, st);
  if (v->bytes || tile_fits(st, l, align, t.cross, v->vec >= 8 ? v->vec / 4 : 4)) return 0;
  if (!turn_shape(&t, st, l, align)) return 0;
  ny = l->dims[t.cross];
  t.tiles_y = ceil_div(ny, (uint64_t)t.height);
  least = size_of(st, t.first) == 1 ? 3 : 2; /* tiles by bytes are worse */
  if (least * nx * ny < t.tiles_x * 32 * (uint64_t)t.vec * t.tiles_y * (uint64_t)t.height) return 0;
  t.aligned = t.store_vec = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    int along = ga_vectors_agree(st, l, align, i, t.first, t.vec);
    if (st->operands[i].write) {
      if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
      t.store_vec &= along;
    } else if (!ga_layout_crossed(l, st, i, t.cross) && !is_still_inside(st, l, i)) {
      t.aligned &= along;
    }
  }
  t.skeleton = GA_SKEL_TURN;
  keep_some(&t, st, l);
  t.nk = ga_rank_bound(l->nk - 2);
  t.grid = l->kept / nx / ny * t.tiles_x * t.tiles_y;
  *v = t;
  return 1;
}
