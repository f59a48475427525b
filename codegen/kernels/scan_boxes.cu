/* SPDX-License-Identifier: MIT */
/* Scan of boxes (scan_boxes.cuh) of a block: those that fit in shared memory, P.each of them; or
 * (GA_ALONG) one that does not, P.each rows of it, whole segments, after the other. Or of its part
 * of a sheet (scan_sheets.cuh), whole or along it.
 *
 *   300 x 1000 x 3 float32, P.each 3: 100 blocks of 9 columns, 36000 bytes each; a column
 *   has 32 quarters of segments, so 288 times a thread walks down 32 rows (the last 9, 8).
 *   900 x 3000 x 33 float32, GA_ALONG, P.each 256: 900 blocks of 12 turns, 33792 bytes each.
 *
 * A thread walks down what it has of a column four by four: neighbouring threads have
 * neighbouring columns, so that they mostly ask different banks. Of rows of one segment (GA_ONE)
 * it has all; else a quarter of a segment, and walks twice: first for what those make, from which
 * the block finds what comes before each segment.
 */
extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_share share = ga_share_of(P);
  const ga_uint columns = share.columns;
  ga_passed *const passed = (ga_passed *)((char *)ga_copy + P.totals);
  ga_acc *const quarters = (ga_acc *)(passed + (GA_ALONG ? columns : 0));
  const ga_levels none = {ga_identity(), ga_identity(), ga_identity()};
  ga_ulong first = 0;
#pragma unroll 1
  do {
    const ga_ulong left = P.reduced - first;
    const ga_uint rows = GA_ALONG && left > P.each ? P.each : (ga_uint)left;
    const ga_uint units = columns * ((rows + GA_ROWS - 1) / GA_ROWS);
    const ga_uint segments = columns * ((rows + GA_SEGMENT - 1) / GA_SEGMENT);
    const ga_uint whole = columns * (rows / GA_SEGMENT);
    ga_acc *const made = quarters + units, *const bases = made + segments;
    if (first > 0) __syncthreads();
    ga_take(P, share, first, rows);
    ga_wait_for_copies();
    __syncthreads();
#pragma unroll 1
    for (int pass = GA_ONE; pass < 2; pass++) {
#pragma unroll(GA_ONE && GA_LEVELS < 2 ? 4 : 1)
      for (ga_uint u = threadIdx.x; u < units; u += GA_THREADS) {
        const ga_uint s = GA_ONE ? 0 : u / columns, c = u - s * columns, r = s * GA_ROWS;
        const int n = rows - r < GA_ROWS ? (int)(rows - r) : GA_ROWS;
        ga_spot to = ga_spot_of(P, share, first, rows, c, r);
        ga_earlier e = {};
        if (!GA_ONE && pass == 0) {
          if (n == GA_ROWS) quarters[u] = ga_walk_whole<false>(P, to, e, false);
          continue;
        }
        if (!GA_ONE) {
          ga_join_quarters(e, quarters + (s & ~3u) * columns + c, columns, s & 3);
          e.base = bases[s / 4 * columns + c];
        }
        ga_walk_rows(P, to, n, e, first + r == 0);
      }
      __syncthreads();
      if (GA_ONE || pass == 1) break;
      ga_join_segments(quarters, made, columns, whole);
      __syncthreads();
      for (ga_uint c = threadIdx.x; GA_ALONG && c < columns; c += GA_THREADS) {
        ga_passed w = first > 0 ? passed[c] : ga_nothing_passed();
#pragma unroll 1
        for (ga_uint v = c; v < segments; v += columns) {
          bases[v] = ga_before_next(w);
          if (v < whole) ga_end_segment(w, first / GA_SEGMENT + v / columns, made[v]);
        }
        passed[c] = w;
      }
      for (ga_uint v = threadIdx.x; !GA_ALONG && v < segments; v += GA_THREADS)
        bases[v] = ga_before_segment(made + v % columns, v / columns, columns, 0, none);
      __syncthreads();
    }
    ga_leave(P, share, first, rows);
  } while (GA_ALONG && (first += P.each) < P.reduced);
}
