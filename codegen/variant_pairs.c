/* SPDX-License-Identifier: MIT */
/* Chooses the variant of reductions whose operands are broadcast against each other (gen.h,
 * kernels/reduce_pairs.cu). */
#include "variant.h"

#define CHUNK       1024   /* DESIGN.md, "Order of a reduction" */
#define VEC         4      /* results of a thread along x and y */
#define LEAST       8      /* results along x and y */
#define TILES       16     /* fewer leave most of a device idle, which rows do not */
#define STAGE       32     /* turns */
#define UNIT        8      /* turns, where all units are whole, or half as many */
#define DEPTH       16     /* bits of the units' number, at most */
#define SIZE        8      /* bytes of an element and of an accumulator, at most */
#define NARROW_ROWS 32768  /* elements of 16 bits that 32 bits sum */
#define SHARED      110592 /* bytes of a block, two to a multiprocessor */

/* Each operand stands still along x or y, and some move along either. */
static int is_pair(const ga_stage *st, const ga_layout *l, unsigned int x, unsigned int y)
{
  unsigned int across = 0, down = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!is_reduced(st, i)) continue;
    if (l->strides[i][x] != 0 && l->strides[i][y] != 0) return 0;
    across += l->strides[i][x] != 0;
    down += l->strides[i][y] != 0;
  }
  return across != 0 && down != 0 && l->dims[x] >= LEAST && l->dims[y] >= LEAST;
}

/* The axes of the largest tile; along x results lie closer together. */
static int find_pair(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int out = st->stores[0].operand;
  uint64_t most = 0;
  for (unsigned int y = 0; y < l->nk; y++)
    for (unsigned int x = y + 1; x < l->nk; x++) {
      uint64_t size = l->dims[x] < l->dims[y] ? l->dims[x] : l->dims[y];
      ssize_t along = l->strides[out][x], down = l->strides[out][y];
      int turned = (along < 0 ? -along : along) > (down < 0 ? -down : down);
      if (size <= most || !is_pair(st, l, x, y)) continue;
      most = size;
      v->along = (int)(turned ? y : x);
      v->cross = (int)(turned ? x : y);
    }
  return most != 0;
}

/* Results along the side of a tile that operand i moves along. */
static unsigned int side_of(const ga_variant *v, unsigned int i)
{
  return (unsigned int)VEC << (is_boxed(v, i) ? v->xbits : 8 - v->xbits);
}

size_t ga_pairs_area(const ga_variant *v, const ga_stage *st, unsigned int n)
{
  size_t bytes = 0;
  for (unsigned int i = 0; i < n; i++)
    if (is_reduced(st, i)) bytes += (size_t)v->loads * (side_of(v, i) * size_of(st, i) + 16);
  return bytes;
}

/* Which operands move along x, and in which neighbours along the reduced axis are. */
static int mark_operands(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!is_reduced(st, i)) continue;
    if (size_of(st, i) > SIZE) return 0;
    if (l->strides[i][v->along] != 0) v->boxed |= (uint64_t)1 << i;
    if (l->strides[i][l->nk] != 0 && is_near(st, l, i, l->nk)) v->linear |= (uint64_t)1 << i;
  }
  return 1;
}

/* A tile is a square, but where there are few results along one of its sides. */
static void shape_tile(ga_variant *v, const ga_layout *l)
{
  v->xbits = 4;
  while (v->xbits > 2 && (uint64_t)VEC << (v->xbits - 1) >= l->dims[v->along]) v->xbits--;
  while (v->xbits >= 4 && v->xbits < 6 &&
         (uint64_t)VEC << (8 - (v->xbits + 1)) >= l->dims[v->cross])
    v->xbits++;
  v->tiles_x = ceil_div(l->dims[v->along], (uint64_t)VEC << v->xbits);
  v->tiles_y = ceil_div(l->dims[v->cross], (uint64_t)VEC << (8 - v->xbits));
  v->units = v->tiles_x * v->tiles_y * (l->kept / l->dims[v->along] / l->dims[v->cross]);
}

/* The turns of a chunk, and units of all. */
static void shape_turns(ga_variant *v, const ga_layout *l)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), turns = chunks > 1 ? CHUNK : pow2_ceil(l->reduced);
  if (turns < VEC) turns = VEC;
  v->loads = turns < STAGE ? (int)turns : STAGE;
  v->steps = (unsigned int)(turns / (uint64_t)v->loads);
  v->fours = turns > 128 ? (int)log2_of(turns / 128) : 0;
  v->ybits = log2_of(turns > 128 ? 128 : turns) - 2;
  v->rows = l->reduced % turns == 0 ? UNIT : UNIT / 2;
  if ((uint64_t)v->rows > turns) v->rows = (int)turns;
  v->whole = l->reduced % turns == 0 || (v->fours == 0 && l->reduced % 4 == 0);
  v->groups = chunks * (turns / (uint64_t)v->rows);
}

/* Outputs lie on vectors in each row along x. */
static int stores_vectors(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                          unsigned int x)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && (l->strides[i][x] != (ssize_t)size_of(st, i) ||
                                  !ga_vectors_aligned(st, l, align, i, VEC, x)))
      return 0;
  return 1;
}

int ga_variant_pairs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  if (v->bytes || v->iota || ga_has_moment(st) || st->noperand > 64) return 0;
  if (l->nr != 1 || l->kept == 0 || l->reduced < 2 || ga_sub_size(st) > SIZE) return 0;
  if (ga_narrows(st) && l->reduced > NARROW_ROWS) return 0;
  if (!find_pair(&w, st, l) || !mark_operands(&w, st, l)) return 0;
  w.skeleton = GA_SKEL_PAIRS;
  w.vec = VEC;
  shape_tile(&w, l);
  shape_turns(&w, l);
  w.shared = ga_pairs_area(&w, st, st->noperand);
  if (w.units < TILES || w.groups >> DEPTH != 0) return 0;
  if (w.shared > SHARED || w.shared > target->shared) return 0;
  w.store_vec = stores_vectors(st, l, align, (unsigned int)w.along);
  w.nk = ga_rank_bound(l->nk - 2);
  w.spans = 1;
  w.grid = w.units;
  w.resident = ga_sub_size(st) <= 4 && ga_widest_reduced(st) <= 4 ? 2 : 1;
  *v = w;
  return 1;
}
