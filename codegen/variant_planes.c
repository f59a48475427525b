/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map between woven channels and planes of them (gen.h,
 * kernels/map_planes.cu). */
#include "variant.h"

#define CHANNELS      8     /* at most */
#define EVEN_CHANNELS 4     /* the same where no operand is of planes */
#define SHARED_MAX    49120 /* bytes of a block without asking for more, less padding */

enum ga_weave ga_weave_of(const ga_layout *l, const ga_stage *st, unsigned int i, int x, int c)
{
  ssize_t size = (ssize_t)ga_dtypes[st->operands[i].dtype].size;
  if (l->strides[i][c] == size && l->strides[i][x] == size * (ssize_t)l->dims[c])
    return GA_WEAVE_WOVEN;
  if (l->strides[i][x] == size) return GA_WEAVE_PLANES;
  return l->strides[i][x] == 0 && !st->operands[i].write ? GA_WEAVE_EVEN : GA_WEAVE_OTHER;
}

/* Bytes of the run of an operand that a block has, spread out. */
static size_t run_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  size_t size = ga_dtypes[st->operands[i].dtype].size;
  return (GA_BLOCK * size * (size_t)v->vec * l->dims[v->cross] + 16) / 16 * 9 / 8 * 16 + 32;
}

/* Whether all operands are woven, planes, or even, such that this is better than what else
 * there is; and what else the text knows. Outputs that are woven are vectors of all rows laid
 * end to end otherwise (map_flat.cu), which is as fast but for narrow elements; where those
 * take one byte even operands alone suffice. (On an H200, share of the copy ceiling, that and
 * this: float32 to 5 channels 0.96 and 0.85, uint8 to 3 0.56 and 0.97; plus one of each
 * channel uint8 of 3 0.75 and 0.93, of 7 0.75 and 0.73, float16 of 4 0.98 and 0.92.) */
static int weave(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  size_t in = 0, out = 0, planes_out = 0;
  int narrow = v->vec >= 8, woven = 0, planes = 0;
  v->aligned = v->store_vec = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    enum ga_weave how = ga_weave_of(l, st, i, v->along, v->cross);
    int write = st->operands[i].write;
    if (how == GA_WEAVE_OTHER) return 0;
    if (how == GA_WEAVE_EVEN) continue;
    if (ga_dtypes[st->operands[i].dtype].size * (size_t)v->vec < 4) return 0;
    if (how == GA_WEAVE_WOVEN && write && !narrow) return 0;
    if (how == GA_WEAVE_WOVEN) {
      *(write ? &out : &in) += run_bytes(v, st, l, i);
      woven = 1;
      continue;
    }
    planes = 1;
    if (write) planes_out += run_bytes(v, st, l, i);
    if (!ga_vectors_aligned(st, l, align, i, v->vec, (unsigned int)v->along))
      *(write ? &v->store_vec : &v->aligned) = 0;
  }
  if (!v->store_vec) out += planes_out;
  if (v->vec == 16 && l->dims[v->cross] <= EVEN_CHANNELS) planes = 1;
  return woven && planes && in <= SHARED_MAX && out <= SHARED_MAX;
}

/* The axes that some operand is woven along: v->cross of 2 to CHANNELS, and v->along. */
static int find_axes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align)
{
  for (unsigned int c = l->nk; c-- > 0;) {
    if (l->dims[c] > CHANNELS) continue;
    for (unsigned int x = l->nk; x-- > 0;) {
      uint64_t side = GA_BLOCK * (uint64_t)v->vec, nx = l->dims[x];
      if (x == c || 2 * nx < ceil_div(nx, side) * side) continue;
      v->cross = (int)c;
      v->along = (int)x;
      if (weave(v, st, l, align)) return 1;
    }
  }
  return 0;
}

int ga_variant_planes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  ga_variant w = *v;
  uint64_t nx;
  if (v->bytes || st->splice != NULL || l->nk < 2 || l->kept == 0) return 0;
  if (v->vec < 4) return 0; /* elements of 8 bytes fill sectors: float64 of 2 0.92, so 0.88 */
  if (!find_axes(&w, st, l, align)) return 0;
  nx = l->dims[w.along];
  w.skeleton = GA_SKEL_PLANES;
  w.channels = (int)l->dims[w.cross];
  w.nk = ga_rank_bound(l->nk - 2);
  w.tiles_x = ceil_div(nx, GA_BLOCK * (uint64_t)w.vec);
  w.grid = l->kept / nx / l->dims[w.cross] * w.tiles_x;
  *v = w;
  return 1;
}
