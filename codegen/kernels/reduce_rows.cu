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
 * an element has several spans, the last block to finish one (by the element's
 * ticket) joins them. Units are in the order that memory is in: the spans of an element
 * follow each other, but where several axes are reduced the elements of a span do.
 *
 *   one row of 70000 elements, GA_TEAM 8, each 2: 69 chunks (the last has 368
 *   elements), spans of 16: 5 units. In span 4 warp 0 takes chunks 64 and 65,
 *   warp 2 chunk 68 and one that does not exist, warps 3 to 7 nothing.
 *
 * GA_SHORT 1: at most 128 * GA_FOURS reduced elements, 2^lanes lanes for a row of
 * them, GA_ROWS rows at once.
 *
 *   rows of 33 elements: 16 lanes (9 have elements, lane 8 one), 2 rows a warp.
 *
 * GA_PAIR 1: elements of 2 bytes at most, of which two chunks are loaded together.
 *
 * GA_VECTOR 1 (ROWS): the innermost reduced axis is of unit step or still in
 * each operand (`step`). GA_STRIPES 1: lanes hold neighbours instead of fours
 * (reduce_stripes.cuh).
 */
#define GA_JOINS 128 /* spans of an element: at most 256 times this */

GA_FN void ga_finish(const ga_params &P, ga_index k, const ga_acc &acc) {
  const ga_place row = ga_seek(P.kept_axes, k);
  ga_outer outer;
  ga_out out;
#define X(i, T) outer.x##i = ga_load<T>(P.a##i + row.off[i]);
  GA_OUTERS(X)
#undef X
  ga_post(P, P.reduced ? acc : ga_empty(), outer, out);
#define X(i, T) ga_store<T>(P.a##i + row.off[i], out.y##i);
  GA_OUTPUTS(X)
#undef X
}

#if GA_SHORT

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
      ga_load_fours(P, ga_seek(P.kept_axes, k + n * rows), r, none, f[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    const ga_index row = k + n * rows;
    ga_sub a;
    if (P.reduced == (ga_ulong)GA_FOURS << (P.lanes + 2))
      a = ga_fold<true, GA_FOURS>(P, f[n], r, none);
    else
      a = ga_fold<false, GA_FOURS>(P, f[n], r, none);
    a = ga_join_down(a, (int)P.lanes);
    if (sub == 0 && row < P.units) ga_finish(P, row, ga_widen(a));
  }
}

#else

#if !GA_FREE

/* Chunks first to first + each - 1 of a row, by a whole warp; every lane gets
 * them. `each` is a power of two, at most 1024: 32 results fill the lanes, are
 * joined, and fill a lane of the next level. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_place &row, ga_ulong first, ga_uint each) {
  const ga_uint lane = threadIdx.x & 31;
  const ga_ulong exist = P.chunks > first ? P.chunks - first : 0;
  const ga_uint n = exist < each ? (ga_uint)exist : each;
  const ga_turn t = ga_turn_of(P, row);
  ga_acc a = ga_identity(), low = a, high = a;
  ga_uint i = 0;
#pragma unroll 1
  while (i < n) {
    const ga_index r = (ga_index)(first + i) * 1024;
#if GA_PAIR && !GA_STRIPES
    if ((ga_ulong)r + 2048 <= P.reduced && i + 1 < each) {
      ga_four f[16];
      ga_load_fours(P, row, r + lane * 4, t, f);
      a = ga_widen(ga_join_down(ga_fold<true, 8>(P, f, r, t), 5));
      if (lane == (i & 31)) low = a;
      a = ga_widen(ga_join_down(ga_fold<true, 8>(P, f + 8, r, t), 5));
      i++;
    } else
#endif
      a = ga_widen(ga_chunk(P, row, r, t));
    if (each == 1) return a;
    if (lane == (i & 31)) low = a;
    i++;
    if ((i & 31) != 0 && i != n) continue;
    a = ga_join_up(low, 5);
    if (each <= 32) return a;
    low = ga_identity();
    if (lane == (i - 1) >> 5) high = a;
  }
  return ga_join_up(high, 5);
}

#endif

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_ulong warps = (ga_ulong)gridDim.x * GA_WARPS;
#pragma unroll 1
  for (ga_ulong u = (ga_ulong)blockIdx.x * GA_WARPS + (threadIdx.x >> 5); u < P.units;
       u += warps) {
    const ga_place row = ga_seek(P.kept_axes, (ga_index)u);
    const ga_acc a = ga_settle(P, row, ga_run(P, row, 0, (ga_uint)P.each));
    if ((threadIdx.x & 31) == 0) ga_finish(P, (ga_index)u, a);
  }
}

#else

/* Joins the warps of a block, lowest bit first; thread 0 gets the result. */
GA_FN ga_acc ga_join_warps(const ga_acc &a, ga_acc *shared) {
  const ga_uint lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ga_acc b = a;
  if (lane == 0) shared[warp] = a;
  __syncthreads();
  if (warp == 0) b = ga_join_up(lane < GA_WARPS ? shared[lane] : ga_identity(), 3);
  __syncthreads();
  return b;
}

/* Joins the first `n` <= 256 of an array, eight to a lane, all in flight together;
 * every lane of the warp gets the result. `fetch`: other blocks wrote them. */
GA_FN ga_acc ga_join_256(const ga_acc *part, ga_uint n, bool fetch) {
  ga_acc a[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    const ga_uint at = (threadIdx.x & 31) * 8 + k;
    a[k] = at >= n ? ga_identity() : fetch ? ga_fetch(part + at) : part[at];
  }
  GA_UNROLL_JOINS
  for (int h = 1; h < 8; h *= 2)
    GA_UNROLL_JOINS
    for (int k = 0; k < 8; k += 2 * h) a[k] = ga_combine(a[k], a[k + h]);
  return ga_join_up(a[0], 5);
}

/* Joins the `n` finished spans from `part` on; every thread gets the result. At
 * most GA_JOINS groups of 256, then the groups as one, which goes to shared[1]. */
GA_FN ga_acc ga_join_spans(const ga_acc *part, ga_uint n, ga_acc *shared) {
  const ga_uint lane = threadIdx.x & 31, groups = (n + 255) / 256;
  ga_acc a;
#pragma unroll 1
  for (int level = 0; level < 2; level++) {
#pragma unroll 1
    for (ga_uint g = threadIdx.x >> 5; g * 256 < n; g += GA_WARPS) {
      const ga_uint rest = n - g * 256;
      a = ga_join_256(part + g * 256, rest < 256 ? rest : 256, level == 0);
      if (lane == 0) shared[g + level] = a;
    }
    __syncthreads();
    part = shared;
    n = groups;
  }
  return shared[1];
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_acc shared[GA_JOINS + 1];
  __shared__ ga_uint last;
  const ga_ulong warp = threadIdx.x >> 5;
#pragma unroll 1
  for (ga_ulong u = blockIdx.x; u < P.units; u += gridDim.x) {
    const ga_index outer = ga_quotient((ga_index)u, P.inner);
    const ga_index inner = (ga_index)u - outer * P.inner.d;
    const ga_index k = GA_NR > 1 ? inner : outer, span = GA_NR > 1 ? outer : inner;
    const ga_place row = ga_seek(P.kept_axes, k);
    ga_acc a = ga_run(P, row, (span * GA_WARPS + warp) * P.each, (ga_uint)P.each);
    a = ga_join_warps(a, shared);
    if (P.spans == 1) {
      if (warp == 0) a = ga_settle(P, row, a);
      if (threadIdx.x == 0) ga_finish(P, k, a);
      continue;
    }
    if (threadIdx.x == 0) {
      P.part[(ga_ulong)k * P.spans + span] = a;
      last = ga_take_ticket(P.ticket + k) == P.spans - 1;
    }
    __syncthreads();
    if (last) {
      a = ga_join_spans(P.part + (ga_ulong)k * P.spans, P.spans, shared);
      if (warp == 0) a = ga_settle(P, row, a);
      if (threadIdx.x == 0) {
        P.ticket[k] = 0;
        ga_finish(P, k, a);
      }
    }
    __syncthreads();
  }
}

#endif
#endif
