/* SPDX-License-Identifier: MIT */
/* Scan of boxes (scan_boxes.cuh) in several units: GA_PARTS segments of 128 rows each, all
 * of a chunk or a half or a quarter, and all columns, at most GA_WIDTH, of a box. What units
 * tell each other is scan_strips.cuh's, a box being a strip.
 *
 *   20000 rows of 3 columns, GA_PARTS 8: units of 1024 rows, 12288 bytes of float32; 24
 *   threads walk. Unit 19 has 544 rows: 5 segments, of which the last has 32 rows. It waits
 *   for chunks 16 to 18 and tiles 0 and 1.
 */
extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  __shared__ ga_before before;
  __shared__ ga_uint drawn;
  ga_acc *totals = (ga_acc *)((char *)ga_copy + P.totals);
  if (threadIdx.x == 0) drawn = atomicAdd(P.ticket, 1u);
  __syncthreads();
  const ga_index unit = ga_quotient((ga_index)drawn, P.strips);
  const ga_uint box = drawn - (ga_uint)unit * (ga_uint)P.strips.d;
  const ga_ulong first = (ga_ulong)unit * (GA_PARTS * GA_SEGMENT), left = P.reduced - first;
  const ga_uint rows = left < GA_PARTS * GA_SEGMENT ? (ga_uint)left : GA_PARTS * GA_SEGMENT;
  const ga_uint units = P.inner * GA_PARTS;
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
      const ga_uint s = u / P.inner, c = u - s * P.inner, r = s * GA_SEGMENT;
      const int n = r >= rows ? 0 : rows - r < GA_SEGMENT ? (int)(rows - r) : GA_SEGMENT;
      ga_uint to[GA_NOP];
#define X(i, T) \
  { \
    const ga_part part = ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows); \
    to[i] = P.area[i] + part.phase + part.origin + r * (ga_uint)P.down[i] + \
            c * (ga_uint)P.step[i]; \
  }
      GA_OPERANDS(X)
#undef X
      if (pass == 0)
        totals[u] = ga_walk_rows<false>(P, to, n, ga_identity(), false);
      else
        ga_walk_rows<true>(P, to, n, ga_base(before, (int)s, (int)c), first + r == 0);
    }
    __syncthreads();
    if (pass == 1) break;
    const auto made = [&](int p, int c) { return totals[p * (int)P.inner + c]; };
    ga_wait_before(P, at, made, before);
    __syncthreads();
    if (threadIdx.x < 32) ga_publish_prefixes(P, at, before);
    done = threadIdx.x == 0 && ga_is_last(P, at);
  }
#define X(i, T) \
  ga_copy_out<T>(ga_part_of(P, P.a##i, i, (int)sizeof(T), box, first, 1, rows), \
                 P.area[i]);
  GA_OUTPUTS(X)
#undef X
  if (__syncthreads_or(done)) ga_clear(P, at);
}
