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
 * GA_ALONG 1: there are rows enough for the card: a block walks along one, tile after tile, the
 * next GA_TURNS of which are on their way to shared memory. No block waits for another.
 *
 * Neither, GA_TEAM 8: a row of at most a tile is the unit of a block, which has a warp
 * for each of its chunks; GA_TEAM 1: one of at most a chunk is a warp's, GA_SHORT 1: one
 * of at most a segment that of 2^lanes lanes.
 *
 * GA_VECTOR 1 (SCAN_ROWS): the scanned axis is of unit step in each operand, or still
 * (`step`), or an input has GA_STEP: a group is one load, or two or three.
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
      ga_load_groups(P, ga_seek(P.kept_axes, k + n * rows), r, g[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    ga_sub a[GA_VEC];
    ga_acc results[1][GA_VEC];
    const bool is = k + n * rows < P.units;
    ga_scan_group(P, g[n][0], a);
    const ga_sub up = ga_scan_lanes(a[GA_VEC - 1], (int)P.lanes);
    ga_sub before = ga_from_lane(up, (lane - 1) & 31);
    if (sub == 0) before = ga_narrow(ga_identity());
    ga_group_results(results[0], a, ga_widen(before), sub == 0);
    if (is) ga_finish_groups(P, ga_seek(P.kept_axes, k + n * rows), r, results);
  }
}

#else

/* Segments that are finished side by side. */
#define GA_TOGETHER \
  (GA_VEC > 4 ? 16 / GA_VEC : GA_TURNED || GA_ALONG || sizeof(ga_acc) > 4 ? 4 : 8)

/* Of a chunk; rows of a warp may have fewer. */
#define GA_SEGS (GA_TEAM == 1 && !GA_COPIED ? GA_LOADS : 8)

/* Whether the warp has elements where this lane has element r; of long groups only, as others are
 * worked on side by side. */
GA_FN bool ga_has_segment(const ga_params &P, ga_index r) {
  return GA_VEC == 4 || __any_sync(GA_FULL, r < (ga_index)P.reduced);
}

/* Scans chunk t of the warp's from this lane's element r on; returns what all of it makes, in lane
 * 0. */
GA_FN ga_sub ga_begin(const ga_params &P, const ga_place &row, ga_index r, int t, ga_chunks &c) {
  enum { MOST = GA_LOADS > GA_TOGETHER ? GA_LOADS : GA_TOGETHER };
  enum { N = MOST < GA_SEGS ? MOST : GA_SEGS, STEPS = GA_STAYS ? GA_SEGS / N : 1 };
  ga_sub total = ga_narrow(ga_identity());
#pragma unroll STEPS
  for (int s = 0; s < GA_SEGS; s += N) {
    ga_sub groups[N];
    if (!ga_has_segment(P, r + GA_SEGMENT * s)) break;
#pragma unroll
    for (int f = 0; f < N; f += GA_LOADS) {
      ga_loaded g[GA_LOADS];
      if (!GA_COPIED) ga_load_groups(P, row, r + GA_SEGMENT * (s + f), g);
#pragma unroll
      for (int b = 0; b < GA_LOADS; b++) {
        ga_sub a[GA_VEC];
#if GA_COPIED
        ga_get_group(P, row, 8 * t + s + f + b, g[b]);
#endif
        ga_scan_group(P, g[b], a);
        ga_keep_group(c, 8 * t + s + f + b, g[b], a);
        groups[f + b] = a[GA_VEC - 1];
      }
    }
    total = ga_join_groups(c, 8 * t + s, total, groups);
  }
  return total;
}

/* Finishes it, `before` being what all before the chunk makes. */
GA_FN void ga_end(const ga_params &P, const ga_place &row, ga_index r, int t,
                  const ga_acc &before, const ga_chunks &c) {
  enum { N = GA_TOGETHER < GA_SEGS ? GA_TOGETHER : GA_SEGS, STEPS = GA_STAYS ? GA_SEGS / N : 1 };
  const int lane = threadIdx.x & 31;
  ga_sub segments = ga_narrow(ga_identity());
#pragma unroll STEPS
  for (int s = 0; s < GA_SEGS; s += N) {
    const ga_index at = r + GA_SEGMENT * s;
    ga_sub a[N][GA_VEC], groups[N];
    ga_acc results[N][GA_VEC];
    if (!ga_has_segment(P, at)) break;
#pragma unroll
    for (int b = 0; b < N; b++) groups[b] = ga_kept_group(P, row, c, 8 * t + s + b, a[b]);
#pragma unroll
    for (int b = 0; b < N; b++) {
      ga_sub left = ga_from_lane(groups[b], (lane - 1) & 31);
      if (lane == 0) left = ga_narrow(ga_identity());
      const ga_acc base = ga_combine(ga_combine(before, ga_widen(segments)), ga_widen(left));
      ga_results_of(P, row, 8 * t + s + b, a[b], base, at + b * GA_SEGMENT == 0, results[b]);
      segments = ga_combine(segments, ga_from_lane(groups[b], 31));
    }
    ga_finish_groups(P, row, at, results);
  }
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
  if (!GA_COPIED || GA_STAYS) ga_begin(P, row, r, 0, c);
  ga_end(P, row, r, 0, ga_identity(), c);
}

#else

/* What the first n of the warps' chunks make. */
GA_FN ga_acc ga_fold_chunks(const ga_sub (&chunks)[GA_WARPS], int n) {
  ga_acc x = ga_identity();
#pragma unroll
  for (int w = 0; w < GA_WARPS; w++)
    if (w < n) x = ga_combine(x, ga_widen(chunks[w]));
  return x;
}

#if GA_ALONG

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_sub chunks[2][GA_WARPS]; /* of this tile, while others are at the last one's */
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const ga_place row = ga_seek(P.kept_axes, blockIdx.x);
  ga_acc spans = ga_identity(), tiles = ga_identity();
  ga_index first = warp * GA_CHUNK; /* of the warp's chunk */
#pragma unroll 1
  for (int t = 0; t < GA_TURNS; t++) ga_fetch_chunk(P, row, first + t * GA_TILE, t);
#pragma unroll 1
  for (ga_uint n = 0; n < P.tiles; n++, first += GA_TILE) {
    const int t = (int)(n % GA_TURNS);
    const ga_index next = first + GA_TURNS * GA_TILE;
    const bool is = __any_sync(GA_FULL, first < (ga_index)P.reduced);
    ga_chunks c;
    ga_sub total = ga_narrow(ga_identity());
    ga_copied(GA_TURNS - 1);
    if (is) total = ga_begin(P, row, first + lane * GA_VEC, t, c);
    if (lane == 0) chunks[n & 1][warp] = total;
    if (GA_HOLD == 0) { /* the chunk is in registers */
      __syncwarp();
      ga_fetch_chunk(P, row, next, t);
    }
    __syncthreads();
    const ga_acc before =
        ga_combine(ga_combine(spans, tiles), ga_fold_chunks(chunks[n & 1], warp));
    if (is) ga_end(P, row, first + lane * GA_VEC, t, before, c);
    if (GA_HOLD != 0) {
      __syncwarp();
      ga_fetch_chunk(P, row, next, t);
    }
    tiles = ga_combine(tiles, ga_fold_chunks(chunks[n & 1], GA_WARPS));
    if (n % 32 != 31) continue;
    spans = ga_combine(spans, tiles);
    tiles = ga_identity();
  }
}

#else

/* A block's unit: the t-th of row k. */
struct ga_unit {
  ga_index k;
  ga_uint t;
};
#if GA_TILES
GA_FN ga_unit ga_unit_of(const ga_params &P, ga_uint drawn) {
  const ga_uint high = (ga_uint)ga_quotient((ga_index)drawn, P.inner);
  const ga_uint low = drawn - high * (ga_uint)P.inner.d;
  ga_unit u;
  u.k = P.side ? low : high;
  u.t = P.side ? high : low;
  return u;
}
#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_sub chunks[GA_TURNS][GA_WARPS];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
#if GA_TILES
  __shared__ ga_acc before[GA_TURNS];
  __shared__ ga_uint drawn;
  if (threadIdx.x == 0) drawn = ga_draw(P.ticket);
  __syncthreads();
  const ga_unit u = ga_unit_of(P, drawn);
#else
  const ga_unit u = {blockIdx.x, 0};
#endif
  const ga_place row = ga_seek(P.kept_axes, u.k);
  const ga_index r = (ga_index)u.t * (GA_TURNS * GA_TILE) + warp * GA_CHUNK + lane * GA_VEC;
  enum { TURNS = GA_STAYS ? GA_TURNS : 1 }; /* whose text is side by side */
  ga_chunks c;
#if GA_COPIED
#pragma unroll 1
  for (int n = 0; n < GA_TURNS; n++)
    ga_fetch_chunk(P, row, r - lane * GA_VEC + n * GA_TILE, n);
#endif
#pragma unroll TURNS
  for (int n = 0; n < GA_TURNS; n++) {
#if GA_COPIED
    ga_copied(GA_TURNS - 1 - n);
#endif
    const ga_sub a = ga_begin(P, row, r + n * GA_TILE, n, c);
    if (lane == 0) chunks[n][warp] = a;
  }
  __syncthreads();
#if GA_TILES
  ga_uint done = 0;
  if (threadIdx.x == GA_BLOCK - 1) ga_tell_loaded(P.ticket);
  if (warp == 0) { /* the unit is found again: it takes no register until then */
    const ga_unit own = ga_unit_of(P, drawn);
    const ga_acc total = ga_fold_chunks(chunks[lane % GA_TURNS], GA_WARPS);
    ga_before_tiles(P, own.k, own.t, total, before);
  }
  __syncthreads();
  if (threadIdx.x == 0) done = atomicAdd(P.ticket + 1, 1u);
#endif
#pragma unroll TURNS
  for (int n = 0; n < GA_TURNS; n++) {
    ga_acc mine = ga_fold_chunks(chunks[n], warp);
#if GA_TILES
    mine = ga_combine(before[n], mine);
#endif
    ga_end(P, row, r + n * GA_TILE, n, mine, c);
  }
#if GA_TILES
  if (__syncthreads_or(threadIdx.x == 0 && done == (ga_uint)P.units - 1)) ga_clear(P);
#endif
}

#endif
#endif
#endif
