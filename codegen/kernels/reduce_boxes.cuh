/* SPDX-License-Identifier: MIT */
/* Kept axes beside a short reduced one, in reduce_narrow.cu, by way of shared memory: what
 * lies together in memory is of several columns, and of few rows of each.
 *
 * A line is what a tile of columns has in memory for one position of the outer reduced axes:
 * the innermost of them (P.extent) whole. A box is the lines of 2^zbits chunks. It is copied as
 * the aligned vectors it lies in; a line begins in shared memory where it does modulo 16, an
 * odd number of vectors behind the one before, which keeps lanes off each other's banks. Then a
 * warp folds a column's chunk: a lane has elements 32 apart (reduce_stripes.cuh).
 *
 *   axes 0 and 2 of 65536 x 341 x 3 float32, tiles of 16 columns: lines of 48 elements, in 12 or
 *   13 vectors; a chunk is in 342 or 343 of them. Element 1024 of column 2 is in line 341, the
 *   second of the three there.
 *
 * GA_BOXED: bit i: operand i is copied; others are read as they are needed. GA_LOADS: pieces
 * of 128 elements of a chunk. GA_ONE 1: a column has one chunk. */
#define GA_IN_BOX(i) ((GA_BOXED >> (i) & 1) != 0)

/* 16 bytes to shared memory, while the thread goes on; `some` 0: nothing is read. */
GA_FN void ga_copy_vector(char *to, const char *from, bool some) {
#if GA_COPIES
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   (ga_uint)__cvta_generic_to_shared(to)),
               "l"(from), "r"(some ? 16 : 0)
               : "memory");
#else
  if (some) *(ga_quad *)to = *(const ga_quad *)from;
#endif
}

/* Where the lines of operand i begin, less what their first elements' numbers stand for. */
GA_FN ga_uint *ga_begins(const ga_params &P, char *held, int i) {
  return (ga_uint *)(held + P.box[i].from + P.lines * P.box[i].pitch);
}

/* Copies the aligned vectors of `lines` lines, the first being the a-th of the tile. */
GA_FN void ga_fetch_box(const ga_params &P, const ga_tile &tile, ga_index a, ga_uint lines,
                        char *held) {
#define X(i, T)                                                                                \
  if constexpr (GA_IN_BOX(i)) {                                                                \
    const ga_box &b = P.box[i];                                                                \
    char *to = held + b.from;                                                                  \
    ga_uint *begins = ga_begins(P, held, i);                                                   \
    const ga_uint bytes = (ga_uint)((tile.width - 1) * P.inner_step[i] +                       \
                                    (P.extent - 1) * P.row_step[i] + sizeof(T));               \
    _Pragma("unroll 1") for (ga_uint n = threadIdx.x; n < lines; n += GA_BLOCK) {              \
      const char *p = P.a##i + ga_at(P.outer_axes, tile.at, a + n).off[i];                     \
      begins[n] = b.from + ((ga_uint)(ga_ulong)p & 15) +                                       \
                  n * (b.pitch - P.extent * (ga_uint)P.row_step[i]);                           \
    }                                                                                          \
    _Pragma("unroll 4") for (ga_uint v = threadIdx.x; v < lines * b.vectors; v += GA_BLOCK) {  \
      const ga_uint n = ga_divide_small(v, b.by_vectors), k = (v - n * b.vectors) * 16;        \
      const char *p = P.a##i + ga_at(P.outer_axes, tile.at, a + n).off[i];                     \
      const ga_uint phase = (ga_uint)(ga_ulong)p & 15;                                         \
      ga_copy_vector(to + n * b.pitch + k, p - phase + k, k < phase + bytes);                  \
    }                                                                                          \
  }
  GA_INPUTS(X)
#undef X
}

/* Where an element lies in each operand's box, and which of which line it is. */
struct ga_box_place {
#define X(i, T) ga_uint x##i;
  GA_INPUTS(X)
#undef X
  ga_uint line, within;
};

/* Element number r of those from the box's first line on. */
GA_FN ga_box_place ga_box_at(const ga_params &P, char *held, ga_uint r) {
  ga_box_place at;
  at.line = ga_divide_small(r, P.by_extent);
  at.within = r - at.line * P.extent;
#define X(i, T) \
  if constexpr (GA_IN_BOX(i)) at.x##i = ga_begins(P, held, i)[at.line] + r * (ga_uint)P.row_step[i];
  GA_INPUTS(X)
#undef X
  return at;
}

/* What a column has one of. */
GA_FN ga_in ga_box_still(const ga_params &P, const ga_tile &tile, ga_uint column) {
  ga_in in;
#define X(i, T)               \
  if constexpr (GA_STANDS(i)) \
    in.x##i = ga_load<T>(P.a##i + (tile.at.off[i] + (ga_offset)column * P.inner_step[i]));
  GA_INPUTS(X)
#undef X
  return in;
}

/* One element of a column, a being the box's first line; `in`: what the column has one of. */
GA_FN ga_sub ga_box_element(const ga_params &P, const ga_tile &tile, char *held, ga_index a,
                            const ga_box_place &at, ga_uint column, ga_in in) {
#define X(i, T)                                                                              \
  if constexpr (GA_IN_BOX(i)) {                                                              \
    in.x##i = *(const T *)(held + at.x##i + column * (ga_uint)P.inner_step[i]);              \
  } else if constexpr (!GA_STANDS(i)) {                                                      \
    in.x##i = ga_load<T>(P.a##i + (ga_at(P.outer_axes, tile.at, a + at.line).off[i] +        \
                                   (ga_offset)column * P.inner_step[i] +                     \
                                   (ga_offset)at.within * P.row_step[i]));                   \
  }
  GA_INPUTS(X)
#undef X
  return ga_narrow(ga_leaf(P, in, 0));
}

/* Lanes of bit b joined. */
GA_FN ga_sub ga_join_bit(const ga_sub &a, int b) { return ga_combine(a, ga_exchange(a, 1 << b)); }

/* Of the chunk that begins with the r-th element of the box, whose first line is a, and has
 * `some` elements: columns `column` and so on, `apart` apart, into `to`. WHOLE: it lacks none.
 * KEPT: each lane keeps where its elements lie; else they are found anew, in little text. */
template <bool KEPT, bool WHOLE>
GA_FN void ga_fold_columns(const ga_params &P, const ga_tile &tile, char *held, ga_index a,
                           ga_uint r, ga_uint some, ga_uint column, ga_uint apart, ga_sub *to) {
  const ga_uint lane = threadIdx.x & 31, last = some - 1;
  ga_box_place at[KEPT ? 4 * GA_LOADS : 1];
  if constexpr (KEPT) {
#pragma unroll
    for (int k = 0; k < 4 * GA_LOADS; k++) {
      const ga_uint e = 32 * k + lane;
      at[k] = ga_box_at(P, held, r + (WHOLE || e < last ? e : last));
    }
  }
#pragma unroll 1
  for (; column < tile.width; column += apart) {
    const ga_in still = ga_box_still(P, tile, column);
    ga_sub first, second;
#pragma unroll(KEPT ? 4 : 1)
    for (int j = 0; j < 4; j++) {
      const int q = (j & 1) * 2 + j / 2; /* bits 6 and 5, the former first */
      ga_sub part = ga_join_leaves<GA_LOADS>([&](int c) {
        const ga_uint e = 32 * (4 * c + q) + lane;
        if (!WHOLE && e > last) return ga_narrow(ga_identity());
        if constexpr (KEPT)
          return ga_box_element(P, tile, held, a, at[4 * c + q], column, still);
        else
          return ga_box_element(P, tile, held, a, ga_box_at(P, held, r + e), column, still);
      });
      if constexpr (!GA_FREE) part = ga_join_bit(ga_join_bit(part, 0), 1);
      if (j == 0) first = part;
      if (j == 1) first = ga_combine(first, part);
      if (j == 2) second = part;
      if (j == 3) second = ga_combine(second, part);
    }
    first = ga_combine(first, second);
#pragma unroll(KEPT ? 5 : 1)
    for (int b = 4; b >= (GA_FREE ? 0 : 2); b--) first = ga_join_bit(first, b);
    if (lane == 0) to[column] = first;
  }
}

/* The columns of chunks that the warp has of a box, z of which are `apart` apart. */
GA_FN void ga_fold_box(const ga_params &P, const ga_tile &tile, char *held, ga_index a,
                       ga_uint skip, ga_uint some, ga_sub *groups) {
  const ga_uint warp = threadIdx.x >> 5, many = 1u << P.zbits;
  const ga_uint sides = many < GA_WARPS ? many : GA_WARPS, apart = GA_WARPS / sides;
#pragma unroll 1
  for (ga_uint z = warp & (sides - 1); z * 1024 < some; z += sides) {
    const ga_uint at = skip + z * 1024, left = some - z * 1024, column = warp / sides;
    ga_sub *to = groups + z * (ga_uint)P.width.d;
    if constexpr (GA_ONE)
      ga_fold_columns<true, false>(P, tile, held, a, at, left, column, apart, to);
    else if (left >= 1024)
      ga_fold_columns<true, true>(P, tile, held, a, at, left, column, apart, to);
    else
      ga_fold_columns<false, false>(P, tile, held, a, at, left, column, apart, to);
  }
}

/* Span number `span` of a tile: threads below its width get its columns. */
GA_FN ga_acc ga_span(const ga_params &P, const ga_tile &tile, ga_ulong span, ga_acc *shared) {
  const ga_uint width = (ga_uint)P.width.d;
  const ga_ulong most = (P.passes << P.zbits) * 1024, left = P.reduced - span * most;
  const ga_ulong begin = span * most, end = begin + (left < most ? left : most);
  char *held = (char *)shared;
  ga_sub *groups = (ga_sub *)(held + P.box_end);
  ga_acc *stack = (ga_acc *)(held + P.groups_end) + threadIdx.x;
  ga_uint n = 0;
#pragma unroll 1
  for (ga_ulong r = begin; r < end; r += 1024u << P.zbits) {
    const ga_uint some = (ga_uint)(end - r < 1024u << P.zbits ? end - r : 1024u << P.zbits);
    const ga_index a = ga_quotient((ga_index)r, P.line);
    const ga_uint skip = (ga_uint)((ga_index)r - a * P.line.d);
    ga_fetch_box(P, tile, a, ga_divide_small(skip + some - 1, P.by_extent) + 1, held);
    ga_wait_for_copies();
    __syncthreads();
    ga_fold_box(P, tile, held, a, skip, some, groups);
    __syncthreads();
    if (threadIdx.x < tile.width)
#pragma unroll 1
      for (ga_uint z = 0; z * 1024 < some; z++)
        ga_carry(P, ga_widen(groups[z * width + threadIdx.x]), n++, stack);
  }
  return ga_carried(P, n, stack);
}
