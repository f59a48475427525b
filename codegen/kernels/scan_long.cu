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
             P.area[i], P.down[i]);
  GA_INPUTS(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
  bool done = false;
  const ga_unit at = ga_unit_at(P, unit, box);
#pragma unroll 1
  for (int pass = 0; pass < 2; pass++) {
#pragma unroll 1
    for (ga_uint u = threadIdx.x; u < units; u += GA_THREADS) {
      const ga_uint s = ga_row_number(P, u), c = u - s * P.inner, r = s * GA_ROWS;
      const int n = r >= rows ? 0 : rows - r < GA_ROWS ? (int)(rows - r) : GA_ROWS;
      ga_earlier e = {};
      ga_spot to = {box, {}};
#define X(i, T) \
  { \
    const ga_part part = ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows); \
    to.at[i] = P.area[i] + part.phase + part.origin + r * (ga_uint)P.down[i] + \
               c * (ga_uint)P.step[i] + (GA_SKEW == 1 ? s * 16 : 0); \
  }
      GA_OPERANDS(X)
#undef X
      if (pass == 0) {
        if (n == GA_ROWS) quarters[u] = ga_walk_whole<false>(P, to, e, false);
        continue;
      }
      ga_join_quarters(e, quarters + (s & ~3u) * P.inner + c, P.inner, s & 3);
      e.base = bases[s / 4 * P.inner + c];
      ga_walk_rows(P, to, n, e, first + r == 0);
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
      const ga_uint s = ga_row_number(P, v), c = v - s * P.inner;
      bases[v] = ga_before_segment(made + c, s, P.inner, (ga_uint)at.segment & 63,
                                   ga_before_unit(before, (int)c));
    }
    __syncthreads();
  }
#define X(i, T) \
  ga_copy_out<T>(ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows), \
                 P.area[i], P.down[i]);
  GA_OUTPUTS(X)
#undef X
  if (__syncthreads_or(done)) ga_clear(P, at);
}
