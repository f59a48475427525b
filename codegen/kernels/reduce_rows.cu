/* SPDX-License-Identifier: MIT */
/* Reduce, classes ROWS and GATHER: the reduced axes are walked by lanes.
 *
 * A chunk of 1024 reduced elements is a warp's: lane l holds, for c in 0..7 and
 * j in 0..3, element 128c + 4l + j, so that the order of DESIGN.md joins
 * registers (bits 9 8 7: c), the four elements of a load (bits 0 1: j), lanes
 * (bits 6 to 2). The results of successive chunks of a warp are kept in
 * successive lanes and joined, lowest bit first, 32 at a time.
 *
 * A span is an aligned power of two of chunks: `each` chunks for each of GA_TEAM
 * warps (1, or all of a block). A unit is one span of one output element. Where
 * an element has several spans (GA_SPANS 1), the last block to finish one (by the
 * element's ticket) joins them. Units are in the order that memory is in: the spans of an
 * element follow each other, but where several axes are reduced the elements of a span do.
 * GA_DEALT: a row is one span of up to GA_JOINS runs of `each` chunks, which warps take in turn.
 *
 *   one row of 70000 elements, GA_TEAM 8, each 2: 69 chunks (the last has 368
 *   elements), spans of 16: 5 units. In span 4 warp 0 takes chunks 64 and 65,
 *   warp 2 chunk 68 and one that does not exist, warps 3 to 7 nothing.
 *
 * The compiler's time follows the text that is left after inlining and unrolling, so there
 * is one path for each thing, and what only a row's or a kernel's end does is loops:
 *   GA_WHOLE 1  the elements that a lane loads together all exist
 *   GA_EACH     bound of `each`: 1, 32 or 1024
 *   GA_WALKS_0, ...  1: the operand moves along the innermost reduced axis
 *   GA_LAST     0, or fours of the last chunk of a row of few
 *   GA_AGAIN    bit i: rows of operand i that follow each other are one
 *   GA_FIRST, GA_AGREES  the first operand that moves; 1: the rows of all that move begin at the
 *               place of their vectors that its rows begin at
 *
 * GA_SHORT 1: at most 128 * GA_FOURS reduced elements, 2^lanes lanes for a row of
 * them, GA_ROWS rows at once.
 *
 *   rows of 33 elements: 16 lanes (9 have elements, lane 8 one), 2 rows a warp.
 *
 * Where no order is to be kept (reduce_slabs.cuh) and a row is loaded at once, GA_ROWS rows are.
 *
 * GA_PAIR 1: elements of 2 bytes at most, of which two chunks are loaded together.
 *
 * GA_VECTOR 1 (ROWS): the innermost reduced axis is of unit step or still in
 * each operand. GA_STRIPES 1: lanes hold neighbours instead of fours
 * (reduce_stripes.cuh).
 */
#define GA_JOINS 128 /* spans of an element: at most 256 times this */
#ifdef GA_DEALT
#define GA_PLACES GA_JOINS
#else
#define GA_PLACES (GA_SPANS ? GA_JOINS : GA_WARPS)
#endif

#if GA_SHORT && GA_PIECES

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_index rows = GA_BLOCK >> P.lanes;
  ga_slot_rows(P, (ga_index)blockIdx.x * GA_ROWS * rows + (threadIdx.x >> P.lanes), rows,
               threadIdx.x & ((1 << P.lanes) - 1));
}

#elif GA_SHORT

#if GA_ARG && GA_NR == 1

/* argmin and argmax of a row: values are compared alone, then the first place that has the
 * row's is looked for, of numbers counted from where positions are least. */
GA_FN ga_acc ga_short_row(const ga_params &P, ga_four (&f)[GA_FOURS], ga_index k, ga_index r) {
  const ga_uint flip = P.iota_step > 0 ? 0 : ~0u, left = (ga_uint)(P.reduced - r);
  const bool any = r < P.reduced;
  ga_acc a = ga_identity();
  ga_uint at = ~0u;
#if GA_AGAIN
  const ga_turn none = {0, 0};
  ga_load_fours<GA_WHOLE, true>(P, ga_seek(P.kept_axes, k), r, none, f);
#endif
#pragma unroll
  for (int e = 0; e < 4 * GA_FOURS; e++)
    if (GA_WHOLE || (any && e / 4 * 128 + e % 4 < left))
      a.r0 = ga_better(a.r0, ga_element(P, f[e / 4], e % 4, true).r0);
#pragma unroll
  for (int b = 0; b < 5; b++)
    if (b < (int)P.lanes) a.r0 = ga_better(a.r0, ga_exchange_value(a.r0, 1 << b));
#pragma unroll
  for (int e = 0; e < 4 * GA_FOURS; e++)
    if (GA_WHOLE || (any && e / 4 * 128 + e % 4 < left)) {
      const ga_uint n = ((ga_uint)r + e / 4 * 128 + e % 4) ^ flip;
      if (n < at && ga_keep(ga_element(P, f[e / 4], e % 4, true).r0, 0, a.r0, 1)) at = n;
    }
#pragma unroll
  for (int b = 0; b < 5; b++)
    if (b < (int)P.lanes) {
      const ga_uint other = ga_exchange_value(at, 1 << b);
      at = other < at ? other : at;
    }
  a.i0 = P.iota_base + ga_seek(P.kept_axes, k).off[GA_NOP] + (ga_long)(at ^ flip) * P.iota_step;
  return a;
}

#else

GA_FN ga_acc ga_short_row(const ga_params &P, ga_four (&f)[GA_FOURS], ga_index k, ga_index r) {
  const ga_turn none = {0, 0};
  const ga_place row = ga_seek(P.kept_axes, k);
  return ga_widen(ga_join_down(ga_fold<GA_WHOLE, GA_FOURS>(P, row, f, r, none), (int)P.lanes));
}

#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const int sub = threadIdx.x & ((1 << P.lanes) - 1);
  const ga_index rows = GA_BLOCK >> P.lanes; /* of one pass of a block */
  const ga_index k = ((ga_index)blockIdx.x * GA_ROWS * rows) + (threadIdx.x >> P.lanes);
  const ga_index r = sub * 4;
  const ga_turn none = {0, 0};
  ga_four f[GA_ROWS][GA_FOURS];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++)
    if (k + n * rows < P.units)
      ga_load_fours<GA_WHOLE>(P, ga_seek(P.kept_axes, k + n * rows), r, none, f[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const ga_index row = k + n * rows;
    const ga_index own = row < P.units ? row : P.units - 1;
    const ga_acc a = ga_short_row(P, f[n], own, r);
    if (sub == 0 && row < P.units) ga_finish(P, row, a);
  }
}

#else

#if !GA_FREE && GA_LAST && !GA_ROLL

/* A row of few chunks, of which all but the last are whole, by a whole warp; every lane gets it.
 * The last one's GA_LAST fours are loaded with the chunk before. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_place &row, ga_index) {
  const ga_uint lane = threadIdx.x & 31;
  const ga_turn t = ga_turn_of(P, row);
  ga_four g[GA_LAST];
#if GA_EACH == 1
  ga_load_fours<false>(P, row, lane * 4, t, g);
  return ga_widen(ga_chunk_of<false, GA_LAST>(P, row, g, 0, t));
#else
  const ga_uint whole = (ga_uint)P.chunks - 1;
  const ga_index last = whole * 1024;
  ga_acc low = ga_identity();
#pragma unroll 1
  for (ga_uint i = 0; i < whole; i++) {
    ga_four f[8];
    ga_load_fours<true>(P, row, i * 1024 + lane * 4, t, f);
    if (i + 1 == whole) ga_load_fours<false>(P, row, last + lane * 4, t, g);
    const ga_acc a = ga_widen(ga_chunk_of<true, 8>(P, row, f, i * 1024, t));
    if (lane == i) low = a;
  }
  const ga_acc a = ga_widen(ga_chunk_of<false, GA_LAST>(P, row, g, last, t));
  if (lane == whole) low = a;
  return ga_join_few(low, 5);
#endif
}

#elif !GA_FREE

/* Chunks first to first + P.each - 1 of a row, by a whole warp; every lane gets
 * them. P.each is a power of two, at most GA_EACH: 32 results fill the lanes, are
 * joined, and fill a lane of the next level. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_place &row, ga_index first) {
  const ga_index exist = first < P.chunks ? P.chunks - first : 0;
  const ga_uint n = exist < P.each ? (ga_uint)exist : P.each;
  const ga_turn t = ga_turn_of(P, row);
  ga_acc low = ga_identity();
#if GA_EACH == 1
  if (n != 0) low = ga_widen(ga_chunk<GA_WHOLE, 8>(P, row, first * 1024, t));
  return low;
#else
  const ga_uint lane = threadIdx.x & 31;
#if GA_EACH > 32
  ga_acc high = low;
#endif
#pragma unroll 1
  for (ga_uint i = 0; i < n; i++) {
    const ga_index r = (first + i) * 1024;
#if GA_PAIR && !GA_STRIPES
    ga_four f[16];
    ga_load_fours<GA_WHOLE>(P, row, r + lane * 4, t, f);
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
      const ga_acc a = ga_widen(ga_chunk_of<GA_WHOLE, 8>(P, row, f, r + 1024 * k, t));
      if (lane == ((i + k) & 31)) low = a;
#pragma unroll
      for (int c = 0; c < 8; c++) f[c] = f[c + 8];
    }
    i++;
#else
    const ga_acc a = ga_widen(ga_chunk<GA_WHOLE, 8>(P, row, r, t));
    if (lane == (i & 31)) low = a;
#endif
#if GA_EACH > 32
    if ((i & 31) != 31 && i + 1 < n) continue;
    low = ga_join_few(low, 5);
    if (lane == i >> 5) high = low;
    low = ga_identity();
  }
  return ga_join_few(high, 5);
#else
  }
  return ga_join_few(low, 5);
#endif
#endif
}

#endif

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_index warp = ga_value_from_lane(threadIdx.x >> 5, 0);
  const ga_index u = ((ga_index)blockIdx.x * GA_WARPS + warp) * GA_ROWS;
  if (u >= (ga_index)P.units) return;
#if GA_ROWS > 1
  ga_slab_rows(P, u);
#else
  const ga_place row = ga_seek(P.kept_axes, u);
  ga_acc a = ga_run(P, row, 0);
#if GA_LATE_ROW
  a = ga_settle(P, row, a);
#endif
  if ((threadIdx.x & 31) == 0) ga_finish(P, u, a);
#endif
}

#else

/* Joins the first `n`, at most 256, of an array: one to a lane, or eight, all in flight
 * together. Every lane of the warp gets the result. */
GA_FN ga_acc ga_join_256(const ga_acc *part, ga_uint n) {
  const ga_uint lane = threadIdx.x & 31, first = n > 32 ? lane * 8 : lane;
  ga_acc a[8];
  a[0] = ga_identity();
  if (first < n) a[0] = part[first];
  if (n > 32) {
#pragma unroll
    for (int k = 1; k < 8; k++) {
      a[k] = ga_identity();
      if (first + k < n) a[k] = part[first + k];
    }
    GA_UNROLL_JOINS
    for (int h = 1; h < 8; h *= 2)
      GA_UNROLL_JOINS
      for (int k = 0; k < 8; k += 2 * h) a[k] = ga_combine(a[k], a[k + h]);
  }
  return ga_join_few(a[0], 5);
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_acc shared[GA_PLACES];
  const ga_uint lane = threadIdx.x & 31, warp = ga_value_from_lane(threadIdx.x >> 5, 0);
  const ga_index outer = ga_quotient(blockIdx.x, P.inner);
  const ga_index inner = blockIdx.x - outer * P.inner.d;
  const ga_index k = GA_NR > 1 ? inner : outer, span = GA_NR > 1 ? outer : inner;
  const ga_place row = ga_seek(P.kept_axes, k);
#ifdef GA_DEALT
  const ga_uint runs = ((ga_uint)P.chunks - 1) / (ga_uint)P.each + 1;
  ga_acc a;
#pragma unroll 1
  for (ga_uint i = warp; i < runs; i += GA_WARPS) {
    a = ga_run(P, row, (span * GA_JOINS + i) * P.each);
    if (lane == 0) shared[i] = a;
  }
  __syncthreads();
  if (warp == 0) a = ga_join_256(shared, runs);
#else
  ga_acc a = ga_run(P, row, (span * GA_WARPS + warp) * P.each);
  if (lane == 0) shared[warp] = a;
  __syncthreads();
#endif
#if GA_SPANS
  __shared__ ga_uint last;
  ga_acc *const part = P.part + (ga_ulong)k * P.spans;
  const ga_acc *from = shared;
  ga_uint n = GA_WARPS;
  bool joined = false;
#pragma unroll 1
  for (;;) {
#pragma unroll 1
    for (ga_uint g = warp; g * 256 < n; g += GA_WARPS) {
      a = ga_join_256(from + g * 256, n - g * 256);
      if (lane == 0) shared[g] = a;
    }
    if (!joined && threadIdx.x == 0) {
      part[span] = a;
      last = ga_take_ticket(P.ticket + k) == P.spans - 1;
    }
    __syncthreads();
    if (n > 256) {
      n = (n + 255) / 256;
      from = shared;
    } else if (joined) {
      break;
    } else if (last) {
      joined = true;
      n = P.spans;
      from = part;
    } else {
      return;
    }
  }
  if (threadIdx.x == 0) P.ticket[k] = 0;
#else
#ifndef GA_DEALT
  if (warp == 0) a = ga_join_few(lane < GA_WARPS ? shared[lane] : ga_identity(), 3);
#endif
#if GA_LATE_ROW
  if (threadIdx.x == 0) shared[0] = a;
  __syncthreads();
#endif
#endif
#if GA_LATE_ROW
  a = ga_settle(P, row, shared[0]);
#endif
  if (threadIdx.x == 0) ga_finish(P, k, a);
}

#endif
#endif
