/* SPDX-License-Identifier: MIT */
/* Scan of boxes (scan_boxes.cuh) that fit in shared memory: a block has P.each of them.
 *
 *   300 x 1000 x 3 float32, P.each 3: 100 blocks of 9 columns, 36000 bytes each; a column
 *   has 8 segments, so 72 threads walk, each down 128 rows (the last 9 down 104).
 *
 * A thread walks down a segment of 128 rows of a column, four by four: neighbouring threads
 * have neighbouring columns, so that they mostly ask different banks. Where columns have
 * several segments (GA_ONE 0), it walks twice: first for what they make, which the others
 * then know.
 */
/* What the segments of a column before number s make, theirs being `pitch` apart. */
GA_FN ga_acc ga_before_segment(const ga_acc *totals, ga_uint s, ga_uint pitch) {
  ga_acc tiles = ga_identity(), chunks = tiles, segments = tiles;
#pragma unroll 1
  for (ga_uint i = 0; i < s; i++) {
    segments = ga_combine(segments, totals[i * pitch]);
    if ((i & 7) == 7) {
      chunks = ga_combine(chunks, segments);
      segments = ga_identity();
    }
    if ((i & 63) == 63) {
      tiles = ga_combine(tiles, chunks);
      chunks = ga_identity();
    }
  }
  return ga_combine(ga_combine(tiles, chunks), segments);
}

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  ga_acc *totals = (ga_acc *)((char *)ga_copy + P.totals);
  const ga_ulong k = (ga_ulong)blockIdx.x * P.each;
  const ga_uint boxes = P.boxes - k < P.each ? (ga_uint)(P.boxes - k) : P.each;
  const ga_uint rows = (ga_uint)P.reduced, columns = boxes * P.inner;
  const ga_uint units = columns * ((rows + GA_SEGMENT - 1) / GA_SEGMENT);
#define X(i, T) \
  ga_copy_in(ga_part_of(P, P.a##i, i, (int)sizeof(T), k, 0, boxes, rows), P.area[i]);
  GA_INPUTS(X)
#undef X
  ga_wait_for_copies();
  __syncthreads();
#pragma unroll 1
  for (int pass = GA_ONE; pass < 2; pass++) {
#pragma unroll 1
    for (ga_uint u = threadIdx.x; u < units; u += GA_THREADS) {
      const ga_uint s = GA_ONE ? 0 : u / columns, c = u - s * columns, box = c / P.inner;
      const ga_uint r = s * GA_SEGMENT, left = rows - r;
      const int n = left < GA_SEGMENT ? (int)left : GA_SEGMENT;
      ga_uint at[GA_NOP];
#define X(i, T) \
  { \
    const ga_part part = ga_part_of(P, P.a##i, i, (int)sizeof(T), k, 0, boxes, rows); \
    at[i] = P.area[i] + part.phase + part.origin + box * (ga_uint)P.pitch[i] + \
            r * (ga_uint)P.down[i] + (c - box * P.inner) * (ga_uint)P.step[i]; \
  }
      GA_OPERANDS(X)
#undef X
      if (!GA_ONE && pass == 0)
        totals[u] = ga_walk_rows<false>(P, at, n, ga_identity(), false);
      else
        ga_walk_rows<true>(P, at, n,
                           GA_ONE ? ga_identity() : ga_before_segment(totals + c, s, columns),
                           s == 0);
    }
    __syncthreads();
  }
#define X(i, T) \
  ga_copy_out<T>(ga_part_of(P, P.a##i, i, (int)sizeof(T), k, 0, boxes, rows), \
                 P.area[i]);
  GA_OUTPUTS(X)
#undef X
}
