/* SPDX-License-Identifier: MIT */
/* Map, class TILE: some operands are fast along another axis (y) than the output
 * (x, the innermost); they go through shared memory.
 *
 * A block does a tile of GA_TILE by GA_TILE elements. For each crossed operand
 * its threads run along y and put what they read into shared memory; then they
 * run along x, read that back across, read the others, and store. A row of the
 * shared tile is one element longer than it need be, so that neither way meets
 * the same bank twice.
 *
 *   m + m.T of 45 x 45 float32: GA_TILE 32, 2 x 2 tiles; the last has 13 rows of
 *   13. In it thread 5 of warp 1 reads m.T at x = 1, 9 (y = 5), stores tile[1][5]
 *   and tile[9][5], then computes elements y = 1, 9 of x = 5 with tile[5][1] and
 *   tile[5][9].
 *
 * The generator supplies besides what map.cuh says:
 *   GA_TILE         32, or 64 where the widest operand has no 4 bytes
 *   GA_CROSSED(X)   X(i, T) for each operand that goes through a tile
 *   GA_DIRECT(X)    the other inputs
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nx, ny;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div tiles_x, tiles_y;
  ga_axes<GA_NK> axes; /* but for x and y */
  ga_offset x_step[GA_NOFF], y_step[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};

#define GA_STEP (GA_BLOCK / 32) /* rows of a tile that are done at once */

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
#define X(i, T) __shared__ T tile##i[GA_TILE][GA_TILE + 1];
  GA_CROSSED(X)
#undef X
  const ga_index rest = ga_quotient((ga_index)blockIdx.x, P.tiles_x);
  const ga_index outer = ga_quotient(rest, P.tiles_y);
  const ga_ulong x0 = (ga_ulong)(blockIdx.x - rest * P.tiles_x.d) * GA_TILE;
  const ga_ulong y0 = (ga_ulong)(rest - outer * P.tiles_y.d) * GA_TILE;
  const int nx = P.nx - x0 < GA_TILE ? (int)(P.nx - x0) : GA_TILE;
  const int ny = P.ny - y0 < GA_TILE ? (int)(P.ny - y0) : GA_TILE;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    off[o] = (ga_offset)x0 * P.x_step[o] + (ga_offset)y0 * P.y_step[o];
  ga_walk(P.axes, outer, off);

#pragma unroll
  for (int j = 0; j < GA_TILE; j += GA_STEP)
#pragma unroll
    for (int k = 0; k < GA_TILE; k += 32) {
      const int x = warp + j, y = lane + k;
      if (x >= nx || y >= ny) continue;
#define X(i, T) \
  tile##i[x][y] = ga_load<T>(P.a##i + (off[i] + x * P.x_step[i] + y * P.y_step[i]));
      GA_CROSSED(X)
#undef X
    }
  __syncthreads();

#pragma unroll
  for (int j = 0; j < GA_TILE; j += GA_STEP * 4)
#pragma unroll
    for (int k = 0; k < GA_TILE; k += 32) {
      const int x = lane + k;
      ga_in in[4];
#pragma unroll
      for (int n = 0; n < 4; n++) {
        const int y = warp + j + n * GA_STEP;
        if (x >= nx || y >= ny) continue;
#define X(i, T) \
  in[n].x##i = ga_load<T>(P.a##i + (off[i] + x * P.x_step[i] + y * P.y_step[i]));
        GA_DIRECT(X)
#undef X
#define X(i, T) in[n].x##i = tile##i[x][y];
        GA_CROSSED(X)
#undef X
      }
#pragma unroll
      for (int n = 0; n < 4; n++) {
        const int y = warp + j + n * GA_STEP;
        ga_long iota = 0;
        ga_out out;
        if (x >= nx || y >= ny) continue;
#if GA_IOTA
        iota = P.iota_base + off[GA_NOP] + x * P.x_step[GA_NOP] + y * P.y_step[GA_NOP];
#endif
        ga_map(P, in[n], iota, out);
#define X(i, T) \
  ga_store<T>(P.a##i + (off[i] + x * P.x_step[i] + y * P.y_step[i]), out.y##i);
        GA_OUTPUTS(X)
#undef X
      }
    }
}
