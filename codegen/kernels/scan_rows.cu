/* SPDX-License-Identifier: MIT */
/* Scan, classes SCAN_ROWS and SCAN_GATHER: the scanned axes are walked by lanes.
 *
 * A chunk of 1024 elements is a warp's: lane l holds, for s in 0..7, group l of segment
 * s, elements 128s + 4l to 128s + 4l + 3. A tile of 8 chunks is a block's. Where no
 * result tells the order (GA_FREE), groups, and with them segments, chunks and tiles,
 * may be of 8 or 16 elements (GA_VEC): as many as make 16 bytes.
 *
 * GA_TILES 1: a unit is GA_TURNS tiles of one row (scan_tiles.cuh). They wait in shared
 * memory (scan_groups.cuh) until what comes before them is known.
 *
 *   one row of 20000 elements: 3 units; unit 2 has 3616 elements, its warps 4 to 7
 *   none. It waits for the totals of units 0 and 1; there is no span before.
 *
 * GA_TILES 0, GA_TEAM 8: a row of at most a tile is the unit of a block, which has a warp
 * for each of its chunks; GA_TEAM 1: one of at most a chunk is a warp's, GA_SHORT 1: one
 * of at most a segment that of 2^lanes lanes.
 *
 * GA_VECTOR 1 (SCAN_ROWS): the scanned axis is of unit step in each operand, or still
 * (`step`): a group is one load.
 */
#define GA_ROWS 4 /* GA_SHORT: rows of a lane */

#if GA_SHORT

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const int lane = threadIdx.x & 31, sub = lane & ((1 << P.lanes) - 1);
  const ga_index rows = GA_BLOCK >> P.lanes; /* of one pass of a block */
  const ga_index k = (ga_index)blockIdx.x * GA_ROWS * rows + (threadIdx.x >> P.lanes);
  const ga_index r = sub * GA_VEC;
  ga_loaded g[GA_ROWS][1];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++)
    if (k + n * rows < P.units)
      ga_load_groups<false>(P, ga_seek(P.kept_axes, k + n * rows), r, g[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    ga_sub a[GA_VEC];
    ga_acc results[GA_VEC];
    const bool is = k + n * rows < P.units;
    ga_scan_group<false>(P, g[n][0], r, a);
    const ga_sub up = ga_scan_lanes(a[GA_VEC - 1], (int)P.lanes);
    ga_sub before = ga_from_lane(up, (lane - 1) & 31);
    if (sub == 0) before = ga_narrow(ga_identity());
    ga_group_results(results, a, ga_widen(before), sub == 0);
    if (is) ga_store_group<false>(P, ga_seek(P.kept_axes, k + n * rows), r, results);
  }
}

#else

/* Scans chunk t of the warp's from this lane's element r on; returns what all of it
 * makes. WHOLE: all of its elements exist. */
template <bool WHOLE>
GA_FN ga_sub ga_scan_chunk(const ga_params &P, const ga_place &row, ga_index r, int t,
                           ga_chunks &c) {
  enum { STEPS = WHOLE || GA_HOLD == 0 || GA_TURNED ? 8 : 1 }; /* else a loop: less text */
  ga_sub total = ga_narrow(ga_identity()), groups[8];
#pragma unroll STEPS
  for (int s = 0; s < 8; s += GA_LOADS) {
    ga_loaded g[GA_LOADS];
    if (!GA_COPIED) ga_load_groups<WHOLE>(P, row, r + GA_SEGMENT * s, g);
#pragma unroll
    for (int b = 0; b < GA_LOADS; b++) {
      ga_sub a[GA_VEC];
#if GA_COPIED
      ga_get(8 * t + s + b, g[b]);
#endif
      ga_scan_group<WHOLE>(P, g[b], r + GA_SEGMENT * (s + b), a);
      if (!GA_COPIED) ga_keep_group(c, 8 * t + s + b, g[b], a);
      groups[s + b] = ga_scan_lanes(a[GA_VEC - 1], 5);
      total = ga_combine(total, ga_from_lane(groups[s + b], 31));
    }
  }
#pragma unroll
  for (int s = 0; s < 8; s++) c.groups[t][s] = groups[s];
  return total;
}

/* Finishes it, `before` being what all before the chunk makes. */
template <bool WHOLE>
GA_FN void ga_finish_chunk(const ga_params &P, const ga_place &row, ga_index r, int t,
                           const ga_acc &before, const ga_chunks &c) {
  const int lane = threadIdx.x & 31;
  enum { STEPS = WHOLE || GA_HOLD == 0 || GA_TURNED ? 8 : 1 };
  ga_sub segments = ga_narrow(ga_identity()), groups[8];
#pragma unroll
  for (int s = 0; s < 8; s++) groups[s] = c.groups[t][s];
#pragma unroll STEPS
  for (int s = 0; s < 8; s++) {
    const ga_index at = r + GA_SEGMENT * s;
    ga_sub a[GA_VEC], left = ga_from_lane(groups[s], (lane - 1) & 31);
    ga_acc results[GA_VEC];
    if (lane == 0) left = ga_narrow(ga_identity());
    const ga_acc base = ga_combine(ga_combine(before, ga_widen(segments)), ga_widen(left));
    ga_kept_group<WHOLE>(P, c, 8 * t + s, at, base, a);
    ga_group_results<GA_JOINED>(results, a, base, at == 0);
    segments = ga_combine(segments, ga_from_lane(groups[s], 31));
    if (WHOLE || at - (GA_TURNED ? lane * GA_VEC : 0) < P.reduced)
      ga_store_group<WHOLE>(P, row, at, results);
  }
}

/* A chunk, of which all lanes' elements exist, or some do. (They vote, as the compiler has to
 * know that they agree: else each exchange of lanes has a second text, for some of them.) */
GA_FN bool ga_is_whole(const ga_params &P, ga_index r) {
  return !GA_TURNED &&
         __all_sync(GA_FULL, r - (threadIdx.x & 31) * GA_VEC + GA_CHUNK <= P.reduced);
}

GA_FN ga_sub ga_begin(const ga_params &P, const ga_place &row, ga_index r, int t, ga_chunks &c) {
  if (ga_is_whole(P, r)) return ga_scan_chunk<true>(P, row, r, t, c);
  return ga_scan_chunk<false>(P, row, r, t, c);
}

GA_FN void ga_end(const ga_params &P, const ga_place &row, ga_index r, int t,
                  const ga_acc &before, const ga_chunks &c) {
  if (ga_is_whole(P, r))
    ga_finish_chunk<true>(P, row, r, t, before, c);
  else
    ga_finish_chunk<false>(P, row, r, t, before, c);
}

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_ulong u = (ga_ulong)blockIdx.x * GA_WARPS + (threadIdx.x >> 5);
  const ga_index r = (threadIdx.x & 31) * GA_VEC;
  ga_chunks c;
  if (!__all_sync(GA_FULL, u < P.units)) return;
  const ga_place row = ga_seek(P.kept_axes, (ga_index)u);
#if GA_COPIED
  ga_fetch_chunk(P, row, 0, 0);
  ga_copied(0);
#endif
  ga_begin(P, row, r, 0, c);
  ga_end(P, row, r, 0, ga_identity(), c);
}

#else

/* What the block's chunks of turn t make, from those of each warp; `mine`: those before
 * this warp's. (Of fewer warps what they make is not asked for.) */
GA_FN ga_acc ga_join_chunks(const ga_sub (&chunks)[GA_TURNS][GA_WARPS], int t, ga_acc &mine) {
  ga_acc total = ga_identity();
#pragma unroll
  for (int w = 0; w < GA_WARPS; w++) {
    if (w == (int)threadIdx.x >> 5) mine = total;
    total = ga_combine(total, ga_widen(chunks[t][w]));
  }
  return total;
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_sub chunks[GA_TURNS][GA_WARPS];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  ga_uint u = blockIdx.x, t = 0;
  ga_index k = u;
#if GA_TILES
  __shared__ ga_acc before[GA_TURNS];
  __shared__ ga_uint drawn;
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  u = drawn;
  k = ga_quotient((ga_index)u, P.tiles);
  t = u - (ga_uint)k * (ga_uint)P.tiles.d;
#endif
  const ga_place row = ga_seek(P.kept_axes, k);
  const ga_index r = (ga_index)t * (GA_TURNS * GA_TILE) + warp * GA_CHUNK + lane * GA_VEC;
  ga_chunks c;
  ga_acc mine[GA_TURNS];
#if GA_COPIED
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++)
    ga_fetch_chunk(P, row, r - lane * GA_VEC + n * GA_TILE, n);
#endif
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++) {
#if GA_COPIED
    ga_copied(GA_TURNS - 1 - n);
#endif
    const ga_sub a = ga_begin(P, row, r + n * GA_TILE, n, c);
    if (lane == 0) chunks[n][warp] = a;
  }
  __syncthreads();
#if GA_TILES
  ga_acc total[GA_TURNS];
  ga_uint done = 0;
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++) total[n] = ga_join_chunks(chunks, n, mine[n]);
  if (warp == 0) ga_before_tiles(P, u, k, t, total, before);
  __syncthreads();
  if (threadIdx.x == 0) done = atomicAdd(P.ticket + 1, 1u);
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++) mine[n] = ga_combine(before[n], mine[n]);
#else
  ga_join_chunks(chunks, 0, mine[0]);
#endif
#pragma unroll
  for (int n = 0; n < GA_TURNS; n++)
    ga_end(P, row, r + n * GA_TILE, n, mine[n], c);
#if GA_TILES
  if (__syncthreads_or(threadIdx.x == 0 && done == (ga_uint)P.units - 1)) ga_clear(P);
#endif
}

#endif
#endif
