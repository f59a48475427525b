/* SPDX-License-Identifier: MIT */
/* Scan of boxes whose operands are fast along different axes (scan_cross.cuh), by blocks that have
 * all rows of their columns, at once or (GA_ALONG) GA_EXTENT3 after the other.
 *
 *   cumsum(a, axis=2) of float16 [333, 3149, 64] in Fortran order, the result in C order: boxes of
 *   128 x 2 columns and all 64 rows. Lanes read neighbours of the first axis, row by row, and leave
 *   their results in shared memory, where they are 2 * 64 elements on end.
 *
 *   maximum.accumulate(a, axis=0) of float32 [864, 100, 777], the same: boxes of 256 columns along
 *   the last axis, 32 rows at a time, of which a is copied as 256 times 128 bytes.
 */
extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  ga_offset off[GA_NOFF];
  ga_spot n;
  ga_spots at;
  ga_column c;
  if (!ga_find_box(P, off, n)) return;
#if GA_ALONG
  ga_begin_column(c);
#pragma unroll 1
  for (ga_ulong first = 0; first < P.n[3]; first += GA_EXTENT3) {
    n.at[3] = P.n[3] - first < GA_EXTENT3 ? (int)(P.n[3] - first) : GA_EXTENT3;
    ga_move_boxes<true>(P, off, n);
    ga_wait_for_copies();
    __syncthreads();
    if ((int)threadIdx.x < GA_COLUMNS && ga_find_column(P, off, n, threadIdx.x, at))
      ga_walk_column<true>(P, at, c, (ga_uint)(first / GA_ROWS), n.at[3]);
    __syncthreads();
    ga_move_boxes<false>(P, off, n);
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) off[o] += (ga_offset)GA_EXTENT3 * P.step[3][o];
  }
#else
  ga_move_boxes<true>(P, off, n);
  ga_wait_for_copies();
  __syncthreads();
#pragma unroll 1
  for (int k = threadIdx.x; k < GA_COLUMNS; k += GA_THREADS) {
    if (!ga_find_column(P, off, n, k, at)) continue;
    ga_begin_column(c);
    ga_walk_column<true>(P, at, c, 0, n.at[3]);
  }
  __syncthreads();
  ga_move_boxes<false>(P, off, n);
#endif
}
