/* SPDX-License-Identifier: MIT */
/* Boxes of up to four axes that blocks do, one each. Neighbouring ones, which share sectors of
 * memory, are done at about the same time: by bands of `band` boxes along each axis.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_EXTENT0, ... extents of the box
 *   GA_ROW_AXES, GA_NR of a chain: the axes that are reduced, 4 bits each, the innermost of a
 *                   row in the lowest, and how many they are
 */
#define GA_EXTENT(K) \
  ((K) == 0 ? GA_EXTENT0 : (K) == 1 ? GA_EXTENT1 : (K) == 2 ? GA_EXTENT2 : GA_EXTENT3)

#ifdef GA_ROW_AXES
GA_FN int ga_in_turn(int j) { return j; } /* chain_levels.cuh */

/* The n-th reduced axis, and whether axis k is one. */
constexpr GA_FN int ga_reduced_axis(int n) { return GA_ROW_AXES >> 4 * n & 15; }
constexpr GA_FN bool ga_is_reduced(int k) {
  for (int n = 0; n < GA_NR; n++)
    if (ga_reduced_axis(n) == k) return true;
  return false;
}
constexpr GA_FN ga_uint ga_elements_of_row() {
  ga_uint n = 1;
  for (int k = 0; k < 4; k++)
    if (ga_is_reduced(k)) n *= GA_EXTENT(k);
  return n;
}
#endif

struct ga_params {
  GA_OPERANDS(GA_POINTER)
#ifdef GA_ROW_AXES
  static constexpr ga_uint reduced = ga_elements_of_row();
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
