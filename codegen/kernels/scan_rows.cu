/* SPDX-License-Identifier: MIT */
/* Scan, classes SCAN_ROWS and SCAN_GATHER: the scanned axes are walked by lanes.
 *
 * A chunk of 1024 elements is a warp's: lane l holds, for s in 0..7, group l of segment
 * s, elements 128s + 4l to 128s + 4l + 3. A tile of 8 chunks is a block's.
 *
 * GA_TILES 1: a unit is one tile of one row. Blocks draw their units by ticket, so a
 * unit's predecessors have always begun. Each publishes what its tile makes (TOTAL), and
 * waits for that of the tiles before it in its span, and for what all up to the span
 * before makes (PREFIX). The last tile of a span publishes what the span makes, looks
 * back over the spans before, past totals, to the nearest prefix (Merrill and Garland,
 * 2016), folds from there and publishes the span's own prefix. That is the left fold of
 * all spans however far back that prefix is: a prefix is that fold itself. So timing
 * changes no bit, and the only chain is one of spans.
 * A status is a 64-bit word for each 4 bytes of an accumulator, state above, value
 * below: no fence orders value and state. The last block to need no other's clears
 * the statuses for the next launch.
 *
 *   one row of 20000 elements: 3 units; unit 2 has 3616 elements, its warps 4 to 7
 *   none. It waits for the totals of units 0 and 1; there is no span before.
 *
 * GA_TILES 0, GA_TEAM 8: a row of at most 8192 elements is a block's unit, GA_TEAM 1:
 * one of at most 1024 a warp's, GA_SHORT 1: one of at most 128 that of 2^lanes lanes.
 *
 * GA_VECTOR 1 (SCAN_ROWS): the scanned axis is of unit step in each operand, or still
 * (`step`): a group is one load.
 */
#define GA_ROWS 4  /* GA_SHORT: rows of a lane */
#define GA_WINDOWS 4 /* of 32 spans, that a look back goes through */

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_uint *ticket; /* units begun, units looked back, 2 unused; statuses: units, spans */
  ga_ulong units, reduced;
  ga_div tiles;
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> scanned_axes;
  ga_uint lanes, spans; /* spans: of a row */
  ga_uint step[GA_NOP];
  GA_NUMBERS(GA_NUMBER)
};

/* Elements r to r + 3 exist, and are one load. */
GA_FN bool ga_is_group(const ga_params &P, ga_index r) {
  return GA_VECTOR && (ga_ulong)r + 4 <= P.reduced;
}

#define GA_GROUP(i, T, to)                                                      \
  {                                                                             \
    ga_vec<T, 4> t;                                                             \
    if (P.step[i])                                                              \
      t = ga_load_vec<T, 4, GA_ALIGNED>(P.a##i + at.off[i]);                    \
    else                                                                        \
      t = ga_splat<T, 4>(ga_load<T>(P.a##i + at.off[i]));                       \
    _Pragma("unroll") for (int j = 0; j < 4; j++) to[j].x##i = t.v[j];          \
  }

/* The operands of a group, as far as its elements exist. */
GA_FN void ga_load_group(const ga_params &P, const ga_place &row, ga_index r, ga_in (&in)[4]) {
  if (ga_is_group(P, r)) {
    const ga_place at = ga_at(P.scanned_axes, row, r);
#define X(i, T) GA_GROUP(i, T, in)
    GA_INPUTS(X)
#undef X
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    if (r + j >= P.reduced) continue;
    const ga_place at = ga_at(P.scanned_axes, row, r + j);
#define X(i, T) in[j].x##i = ga_load<T>(P.a##i + at.off[i]);
    GA_INPUTS(X)
#undef X
  }
}

/* The same read after the scan, and the results stored. */
GA_FN void ga_store_group(const ga_params &P, const ga_place &row, ga_index r,
                          const ga_acc (&a)[4]) {
  ga_outer outer[4];
  ga_out out[4];
  if (ga_is_group(P, r)) {
    const ga_place at = ga_at(P.scanned_axes, row, r);
#define X(i, T) GA_GROUP(i, T, outer)
    GA_OUTERS(X)
#undef X
#pragma unroll
    for (int j = 0; j < 4; j++) ga_post(P, a[j], outer[j], out[j]);
#define X(i, T) GA_STORE(i, T, 4)
    GA_OUTPUTS(X)
#undef X
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; j++) {
    if (r + j >= P.reduced) continue;
    const ga_place at = ga_at(P.scanned_axes, row, r + j);
#define X(i, T) outer[j].x##i = ga_load<T>(P.a##i + at.off[i]);
    GA_OUTERS(X)
#undef X
    ga_post(P, a[j], outer[j], out[j]);
#define X(i, T) ga_store<T>(P.a##i + at.off[i], out[j].y##i);
    GA_OUTPUTS(X)
#undef X
  }
}

/* A group's elements, each joined with those before it in the group. */
GA_FN void ga_scan_group(const ga_params &P, const ga_in (&in)[4], ga_index r, ga_acc (&a)[4]) {
#pragma unroll
  for (int j = 0; j < 4; j++) {
    a[j] = r + j < P.reduced ? ga_leaf(P, in[j], 0) : ga_identity();
    if (j > 0) a[j] = ga_combine(a[j - 1], a[j]);
  }
}

/* Each lane's groups with those before it among 2^bits aligned lanes. */
GA_FN ga_acc ga_scan_lanes(ga_acc v, int bits) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int b = 0; b < 5; b++) {
    if (b >= bits) break;
    const ga_acc left = ga_from_lane(v, ((lane >> b << b) - 1) & 31);
    if (lane >> b & 1) v = ga_combine(left, v);
  }
  return v;
}

#if GA_SHORT

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  const int lane = threadIdx.x & 31, sub = lane & ((1 << P.lanes) - 1);
  const ga_index rows = GA_BLOCK >> P.lanes; /* of one pass of a block */
  const ga_index k = (ga_index)blockIdx.x * GA_ROWS * rows + (threadIdx.x >> P.lanes);
  const ga_index r = sub * 4;
  ga_in in[GA_ROWS][4];
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++)
    if (k + n * rows < P.units) ga_load_group(P, ga_seek(P.kept_axes, k + n * rows), r, in[n]);
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    ga_acc a[4];
    const bool is = k + n * rows < P.units;
    ga_scan_group(P, in[n], r, a);
    ga_acc before = ga_from_lane(ga_scan_lanes(a[3], (int)P.lanes), (lane - 1) & 31);
    if (sub == 0) before = ga_identity();
    ga_group_results(a, before, sub == 0);
    if (is) ga_store_group(P, ga_seek(P.kept_axes, k + n * rows), r, a);
  }
}

#else

/* A warp's chunk. */
struct ga_chunk {
  ga_acc a[8][4];   /* elements, each with those before it in its group */
  ga_acc groups[8]; /* the lane's group with those before it in its segment */
};

/* Scans the chunk from this lane's element r on; returns what all of it makes. */
GA_FN ga_acc ga_scan_chunk(const ga_params &P, const ga_place &row, ga_index r, ga_chunk &c) {
  ga_in in[8][4];
  ga_acc total = ga_identity();
#pragma unroll
  for (int s = 0; s < 8; s++) ga_load_group(P, row, r + 128 * s, in[s]);
#pragma unroll
  for (int s = 0; s < 8; s++) {
    ga_scan_group(P, in[s], r + 128 * s, c.a[s]);
    c.groups[s] = ga_scan_lanes(c.a[s][3], 5);
    total = ga_combine(total, ga_from_lane(c.groups[s], 31));
  }
  return total;
}

/* Finishes it, `before` being what all before the chunk makes. */
GA_FN void ga_finish_chunk(const ga_params &P, const ga_place &row, ga_index r,
                           const ga_acc &before, ga_chunk &c) {
  const int lane = threadIdx.x & 31;
  ga_acc segments = ga_identity();
#pragma unroll
  for (int s = 0; s < 8; s++) {
    ga_acc groups = ga_from_lane(c.groups[s], (lane - 1) & 31);
    if (lane == 0) groups = ga_identity();
    ga_group_results(c.a[s], ga_combine(ga_combine(before, segments), groups),
                     r + 128 * s == 0);
    segments = ga_combine(segments, ga_from_lane(c.groups[s], 31));
    if (r + 128 * s < P.reduced) ga_store_group(P, row, r + 128 * s, c.a[s]);
  }
}

#if GA_TEAM == 1

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  const ga_ulong u = (ga_ulong)blockIdx.x * GA_WARPS + (threadIdx.x >> 5);
  const ga_index r = (threadIdx.x & 31) * 4;
  ga_chunk c;
  if (u >= P.units) return;
  const ga_place row = ga_seek(P.kept_axes, (ga_index)u);
  ga_scan_chunk(P, row, r, c);
  ga_finish_chunk(P, row, r, ga_identity(), c);
}

#else

#if GA_TILES

/* Where the statuses of tiles and spans are; spans are apart, as many wait for one. */
#define GA_SPREAD 16

GA_FN ga_ulong ga_tile_at(ga_ulong u) { return u * GA_WORDS; }
GA_FN ga_ulong ga_span_at(const ga_params &P, ga_ulong s) {
  return P.units * GA_WORDS + s * GA_SPREAD;
}

/* Waits until this lane's span, and that of every lane above the highest prefix, is
 * there: number `end` - 32 + lane, which is nothing below `first`. Returns the lane of
 * that prefix, -1 where there is none. */
GA_FN int ga_wait(const ga_params &P, ga_long end, ga_long first, ga_acc &v) {
  const ga_long s = end - 32 + (threadIdx.x & 31);
  for (;;) {
    ga_uint state = GA_TOTAL;
    v = ga_identity();
    if (s >= first) state = ga_inspect(P.ticket, ga_span_at(P, (ga_ulong)s), v);
    const ga_uint prefix = __ballot_sync(GA_FULL, state == GA_PREFIX);
    const ga_uint ready = __ballot_sync(GA_FULL, state != GA_NONE);
    const int lane = 31 - __clz((int)prefix);
    const ga_uint above = lane == 31 ? 0 : GA_FULL << (lane + 1);
    if ((ready & above) == above) return lane;
  }
}

/* Lanes i to end - 1 joined to x, from the left. */
GA_FN ga_acc ga_fold_lanes(ga_acc x, const ga_acc &v, int i, int end) {
#pragma unroll 8
  for (; i < end; i++) x = ga_combine(x, ga_from_lane(v, i));
  return x;
}

/* What spans `first` to s - 1 make; by a whole warp. */
GA_FN ga_acc ga_look_back(const ga_params &P, ga_ulong s, ga_ulong first) {
  ga_acc v[GA_WINDOWS], x = ga_identity();
  int lane = -1, m = 0;
  while (lane < 0) {
#pragma unroll
    for (int n = 0; n < GA_WINDOWS; n++)
      if (lane < 0) {
        lane = ga_wait(P, (ga_long)s - 32 * n, (ga_long)first, v[n]);
        m = n;
      }
  }
#pragma unroll
  for (int n = GA_WINDOWS - 1; n >= 0; n--) {
    if (n == m) x = ga_from_lane(v[n], lane);
    if (n <= m) x = ga_fold_lanes(x, v[n], n == m ? lane + 1 : 0, 32);
  }
  return x;
}

/* What all before tile t of row k, which makes `total`, makes; by a whole warp: lane l
 * waits for tile l of the span, lane 31 for the span before. */
GA_FN ga_acc ga_before_tile(const ga_params &P, ga_ulong u, ga_ulong k, ga_uint t,
                            const ga_acc &total) {
  const int lane = threadIdx.x & 31, p = (int)(t % 32);
  const ga_ulong first = k * P.spans, s = first + t / 32;
  ga_acc spans = ga_identity(), tiles = spans, v = spans;
  if (lane == 0) ga_publish(P.ticket, ga_tile_at(u), GA_TOTAL, total);
  if (lane < p)
    v = ga_await(P.ticket, ga_tile_at(u - p + lane), GA_TOTAL);
  else if (lane == 31 && p != 31 && s != first)
    v = ga_await(P.ticket, ga_span_at(P, s - 1), GA_PREFIX);
  __syncwarp();
  tiles = ga_fold_lanes(tiles, v, 0, p);
  if (p != 31) return ga_combine(ga_from_lane(v, 31), tiles);
  const ga_acc whole = ga_combine(tiles, total);
  if (s != first) {
    if (lane == 0) ga_publish(P.ticket, ga_span_at(P, s), GA_TOTAL, whole);
    spans = ga_look_back(P, s, first);
  }
  if (lane == 0) ga_publish(P.ticket, ga_span_at(P, s), GA_PREFIX, ga_combine(spans, whole));
  return ga_combine(spans, tiles);
}

/* All statuses as they were found; by a whole warp. */
GA_FN void ga_clear(const ga_params &P) {
  const ga_ulong n = ga_span_at(P, P.units / P.tiles.d * P.spans);
  ga_ulong *status = (ga_ulong *)(P.ticket + 4);
  for (ga_ulong i = threadIdx.x & 31; i < n; i += 32) status[i] = 0;
  if ((threadIdx.x & 31) == 0) P.ticket[0] = P.ticket[1] = 0;
}

#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  __shared__ ga_acc chunks[GA_WARPS];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  ga_uint u = blockIdx.x, t = 0;
  ga_index k = u;
#if GA_TILES
  __shared__ ga_acc before;
  __shared__ ga_uint drawn;
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  u = drawn;
  k = ga_quotient((ga_index)u, P.tiles);
  t = u - (ga_uint)k * (ga_uint)P.tiles.d;
#endif
  const ga_place row = ga_seek(P.kept_axes, k);
  const ga_index r = (ga_index)t * 8192 + warp * 1024 + lane * 4;
  ga_chunk c;
  ga_acc a = ga_scan_chunk(P, row, r, c), total = ga_identity();
  if (lane == 0) chunks[warp] = a;
  __syncthreads();
  a = total;
#pragma unroll
  for (int w = 0; w < GA_WARPS; w++) {
    if (w == warp) a = total;
    total = ga_combine(total, chunks[w]);
  }
#if GA_TILES
  if (warp == 0) {
    const ga_acc prior = ga_before_tile(P, u, k, t, total);
    if (lane == 0) before = prior;
  }
  __syncthreads();
  a = ga_combine(before, a);
  ga_uint done = 0;
  if (threadIdx.x == 0) {
    __threadfence();
    done = atomicAdd(P.ticket + 1, 1u);
  }
#endif
  ga_finish_chunk(P, row, r, a, c);
#if GA_TILES
  if (warp == 0 && __shfl_sync(GA_FULL, done, 0) == (ga_uint)P.units - 1) ga_clear(P);
#endif
}

#endif
#endif
