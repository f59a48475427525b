/* SPDX-License-Identifier: MIT */
/* Scan of boxes (scan_boxes.cuh) in several units: GA_PARTS segments of 128 rows each, a part of
 * a chunk, or chunks up to a tile, and all columns, at most GA_WIDTH, of a box. What units tell
 * each other is scan_strips.cuh's, a box being a strip.
 *
 *   20000 rows of 3 columns, GA_PARTS 16: units of 2048 rows, 24576 bytes of float32; 192
 *   times a thread walks. Unit 9 has 1568 rows: 13 segments, of which the last has 32 rows. It
 *   waits for chunks 16 and 17 and for tiles 0 and 1.
 *
 * Spans of few columns are soon read, so that what one waits for of another is told at once:
 * the end of a tile does not wait for spans to say what its span's tiles make, and that of a
 * span publishes what it makes itself, and looks back over spans as over tiles.
 */
/* What comes before a unit in each of its columns; and what all of its tile up to its end
 * makes. */
struct ga_before {
  ga_acc spans[GA_WIDTH], tiles[GA_WIDTH], chunks[GA_WIDTH], segments[GA_WIDTH];
  ga_acc tile[GA_WIDTH];
};

/* Publishes what the unit makes in column c, and waits for the segments and chunks
 * before it. made(p, c): what its segment p makes in column c. */
template <class Made>
GA_FN void ga_wait_chunks(const ga_params &P, const ga_unit &u, const Made &made,
                          ga_before &before, int c, ga_ulong k) {
  const int n = (int)(u.segment & 7), m = (int)(u.chunk & 7);
  ga_acc totals[GA_CHUNKS];
  before.segments[c] = ga_identity();
  if (GA_FEW > 1) {
    if (u.more && !u.ends_chunk)
      for (int p = 0; p < GA_PARTS; p++)
        ga_publish(P.ticket, ga_status_at(P, 0, u.segment + p, k), GA_TOTAL, made(p, c));
    before.segments[c] = ga_fold_totals(P, 0, u.segment - n, n, k);
  }
#pragma unroll
  for (int i = 0; i < GA_CHUNKS; i++) {
    totals[i] = before.segments[c];
#pragma unroll
    for (int p = 0; p < GA_PARTS / GA_CHUNKS; p++)
      totals[i] = ga_combine(totals[i], made(i * 8 + p, c));
    if (u.ends_chunk && !u.ends_tile)
      ga_publish(P.ticket, ga_status_at(P, 1, u.chunk + i, k), GA_TOTAL, totals[i]);
  }
  ga_acc total = ga_fold_totals(P, 1, u.chunk - m, m, k);
  before.chunks[c] = total;
#pragma unroll
  for (int i = 0; i < GA_CHUNKS; i++) total = ga_combine(total, totals[i]);
  before.tile[c] = total;
  if (u.ends_tile && !u.ends_span)
    ga_publish(P.ticket, ga_status_at(P, 2, u.tile, k), GA_TOTAL, total);
}

/* Waits for the tiles (level 2) or spans (3) before the unit, or both; where it ends a tile
 * (`ends`), publishes what those up to its end make as soon as it is known. */
GA_FN void ga_wait_tiles(const ga_params &P, const ga_unit &u, int level, int last, bool ends,
                         ga_before &before, int c, ga_ulong k) {
  ga_acc up = ga_identity();
#pragma unroll 1
  for (; level <= last; level++) {
    const bool spans = level == 3;
    const ga_acc x =
        ga_fold_back(P, level, spans ? u.span : u.tile, (int)(spans ? u.span : u.tile & 31), k);
    (spans ? before.spans : before.tiles)[c] = x;
    if (!ends) continue;
    up = ga_combine(x, spans ? up : before.tile[c]);
    ga_publish(P.ticket, ga_status_at(P, last, last == 3 ? u.span : u.tile, k),
               level < last ? GA_TOTAL : GA_PREFIX, up);
  }
  if (ends) __threadfence(); /* a prefix need not be read by anyone */
}

/* What comes before the unit: of each of a lane's columns, a warp waits for segments and
 * chunks, one for tiles, one for spans; but where it ends a tile, one for segments to tiles, as
 * what others wait for is not to wait for spans, and where it ends a span one for all. */
template <class Made>
GA_FN void ga_wait_before(const ga_params &P, const ga_unit &u, const Made &made,
                          ga_before &before) {
  const int lane = threadIdx.x & 31;
  for (int job = threadIdx.x >> 5; job < 3 * GA_VEC; job += GA_THREADS / 32) {
    const int c = lane * GA_VEC + job / 3, what = job % 3;
    const ga_ulong k = u.strip * GA_STRIP(P) + c;
    if (lane >= GA_ACROSS || c >= (int)GA_STRIP(P) || k >= P.kept) continue;
    if (what == 0) ga_wait_chunks(P, u, made, before, c, k);
    if (what == 0 ? u.ends_tile : what == 1 ? !u.ends_tile : !u.ends_span)
      ga_wait_tiles(P, u, what == 2 ? 3 : 2, what == 2 || u.ends_span ? 3 : 2, what == 0, before,
                    c, k);
  }
}

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_before before;
  __shared__ ga_uint drawn;
  const ga_uint segments = P.inner * GA_PARTS, units = segments * 4;
  ga_acc *const quarters = (ga_acc *)((char *)ga_copy + P.totals);
  ga_acc *const made = quarters + units, *const bases = made + segments;
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  const ga_index unit = ga_quotient((ga_index)drawn, P.strips);
  const ga_uint box = drawn - (ga_uint)unit * (ga_uint)P.strips.d;
  const ga_ulong first = (ga_ulong)unit * (GA_PARTS * GA_SEGMENT), left = P.reduced - first;
  const ga_uint rows = left < GA_PARTS * GA_SEGMENT ? (ga_uint)left : GA_PARTS * GA_SEGMENT;
#define X(i, T) \
  ga_copy_in(ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows), \
             P.area[i]);
  GA_INPUTS(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
  bool done = false;
  const ga_unit at = ga_unit_at(P, (ga_ulong)unit, box);
#pragma unroll 1
  for (int pass = 0; pass < 2; pass++) {
#pragma unroll 1
    for (ga_uint u = threadIdx.x; u < units; u += GA_THREADS) {
      const ga_uint s = u / P.inner, c = u - s * P.inner, r = s * GA_ROWS;
      const int n = r >= rows ? 0 : rows - r < GA_ROWS ? (int)(rows - r) : GA_ROWS;
      ga_earlier e = {};
      ga_uint to[GA_NOP];
#define X(i, T) \
  { \
    const ga_part part = ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows); \
    to[i] = P.area[i] + part.phase + part.origin + r * (ga_uint)P.down[i] + \
            c * (ga_uint)P.step[i]; \
  }
      GA_OPERANDS(X)
#undef X
      if (pass == 0) {
        quarters[u] = ga_walk_rows<false>(P, to, n, e, false);
        continue;
      }
      ga_join_quarters(e, quarters + (s & ~3u) * P.inner + c, P.inner, s & 3);
      e.base = bases[s / 4 * P.inner + c];
      ga_walk_rows<true>(P, to, n, e, first + r == 0);
    }
    __syncthreads();
    if (pass == 1) break;
    ga_join_segments(quarters, made, P.inner, segments);
    __syncthreads();
    ga_wait_before(P, at, [&](int p, int c) { return made[(ga_uint)p * P.inner + (ga_uint)c]; },
                   before);
    __syncthreads();
    done = threadIdx.x == 0 && ga_is_last(P, at);
    for (ga_uint v = threadIdx.x; v < segments; v += GA_THREADS) {
      const ga_uint c = v % P.inner;
      bases[v] = ga_before_segment(made + c, v / P.inner, P.inner, (ga_uint)at.segment & 63,
                                   {ga_combine(before.spans[c], before.tiles[c]),
                                    before.chunks[c], before.segments[c]});
    }
    __syncthreads();
  }
#define X(i, T) \
  ga_copy_out<T>(ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows), \
                 P.area[i]);
  GA_OUTPUTS(X)
#undef X
  if (__syncthreads_or(done)) ga_clear(P, at);
}
