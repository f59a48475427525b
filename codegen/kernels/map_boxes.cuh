/* SPDX-License-Identifier: MIT */
/* Boxes of up to four axes that blocks do, one each. Neighbouring ones, which share sectors of
 * memory, are done at about the same time: by bands of `band` boxes along each axis.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_EXTENT0, ... extents of the box
 *   GA_REDUCED_AXIS of a chain: the axis that is reduced
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
#ifdef GA_REDUCED_AXIS
  static constexpr ga_uint reduced = GA_REDUCED_AXIS == 0   ? GA_EXTENT0
                                     : GA_REDUCED_AXIS == 1 ? GA_EXTENT1
                                     : GA_REDUCED_AXIS == 2 ? GA_EXTENT2
                                                            : GA_EXTENT3;
#endif
  ga_ulong n[4]; /* 1 where there are fewer axes */
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div bands[4];
  ga_axes<GA_NK> axes; /* but for those of the box */
  ga_offset step[4][GA_NOFF];
  ga_uint band[4]; /* log2 of the boxes of a band */
#if GA_TILES
  ga_uint *ticket; /* scan_cross_long.cu */
  ga_ulong kept, reduced;
  ga_div strips;
#endif
  GA_NUMBERS(GA_NUMBER)
};

#define GA_EXTENT(K) \
  ((K) == 0 ? GA_EXTENT0 : (K) == 1 ? GA_EXTENT1 : (K) == 2 ? GA_EXTENT2 : GA_EXTENT3)

#ifdef GA_REDUCED_AXIS
GA_FN int ga_in_turn(int j) { return j; } /* chain_levels.cuh */
#endif

constexpr GA_FN int ga_least(int a, int b) { return a < b ? a : b; }

/* A place in the box, or how much of it there is. */
struct ga_spot {
  int at[4];
};

/* Where a box begins, the block's if none else is given, and how much there is of it; false:
 * nothing. */
GA_FN bool ga_find_box(const ga_params &P, ga_offset (&off)[GA_NOFF], ga_spot &n,
                       ga_index outer = (ga_index)blockIdx.x) {
  int place[4];
  ga_index begin[4];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = 0;
#pragma unroll
  for (int k = 3; k >= 0; k--) {
    if (GA_EXTENT(k) == 1) continue;
    place[k] = (int)(outer & ((1u << P.band[k]) - 1));
    outer >>= P.band[k];
  }
  bool there = true;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    n.at[k] = 1;
    if (GA_EXTENT(k) == 1) continue;
    const ga_index rest = ga_quotient(outer, P.bands[k]), all = (ga_index)P.n[k];
    const ga_index box = ((outer - rest * P.bands[k].d) << P.band[k]) + place[k];
    begin[k] = box * GA_EXTENT(k);
    there = there && begin[k] < all;
    n.at[k] = all - begin[k] < GA_EXTENT(k) ? (int)(all - begin[k]) : GA_EXTENT(k);
    outer = rest;
  }
  if (!there) return false;
#pragma unroll
  for (int k = 0; k < 4; k++)
#pragma unroll
    for (int o = 0; o < GA_NOFF && GA_EXTENT(k) != 1; o++)
      off[o] += (ga_offset)begin[k] * P.step[k][o];
  ga_walk(P.axes, outer, off);
  return true;
}
