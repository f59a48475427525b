/* SPDX-License-Identifier: MIT */
/* Map, class TILE: some operands are fast along another axis (y) than the output
 * (x, the innermost); they go through shared memory.
 *
 * A block does a tile of GA_SIDE elements along x and GA_TALL times as many along y,
 * moved as words of GA_VEC elements each. Of a crossed operand a thread reads GA_VEC
 * words along y, at neighbouring x, turns them into GA_VEC words along x and puts
 * those into shared memory; then the warps run along x, read the words back, read the
 * others, and store. Word w of row y lies at place w ^ (y / GA_VEC) modulo 32, so that
 * neither way meets the same bank twice.
 *
 *   m + m.T of 45 x 45 float32: GA_VEC 1, GA_SIDE 32, 2 x 2 tiles; the last has 13
 *   rows of 13. In it thread 5 of warp 1 reads m.T at x = 1, 9 (y = 5) and puts them
 *   at tile[5][1 ^ 5] and tile[5][9 ^ 5], then computes elements y = 1, 9 of x = 5
 *   with tile[1][5 ^ 1] and tile[9][5 ^ 9].
 *   int8 of 256 x 256: GA_VEC 4, GA_SIDE 128; thread 5 of warp 1 reads the four
 *   bytes y = 20..23 of x = 4, 5, 6, 7 and puts the four bytes x = 4..7 of y = 20
 *   at tile[20][1 ^ 5], of y = 21 at tile[21][1 ^ 5], ...
 *
 * GA_VEC is over 1 only where every word of every operand that moves along x lies on its size and
 * the extents of x and y are multiples of it. Bit i of GA_STILL: direct operand i does not move
 * along x, and words of several elements are made of one. map_tiles.cuh says what the generator
 * supplies besides.
 */
#define GA_SIDE (32 * GA_VEC)
#define GA_ROWS (GA_TALL * GA_SIDE)
#define GA_EACH (32 / GA_WARPS) /* words a thread reads, rows it does, at once */
#define GA_GROUPS (GA_VEC * GA_TALL) /* of GA_EACH rows */
#define GA_IS_STILL(i) ((i) < 64 && (GA_STILL >> (i) % 64 & 1) != 0)

/* A word along x. */
template <class T, bool STILL> GA_FN ga_words<T, GA_VEC> ga_load_direct(const char *p) {
  if constexpr (STILL) return ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(p)));
  else return ga_load_words<T, GA_VEC, true>(p);
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
#define X(i, T) __shared__ ga_words<T, GA_VEC> tile##i[GA_ROWS][32];
  GA_CROSSED(X)
#undef X
  const ga_index rest = ga_quotient((ga_index)blockIdx.x, P.tiles_x);
  const ga_index outer = ga_quotient(rest, P.tiles_y);
  const ga_ulong x0 = (ga_ulong)(blockIdx.x - rest * P.tiles_x.d) * GA_SIDE;
  const ga_ulong y0 = (ga_ulong)(rest - outer * P.tiles_y.d) * GA_ROWS;
  const int nx = P.nx - x0 < GA_SIDE ? (int)(P.nx - x0) : GA_SIDE;
  const int ny = P.ny - y0 < GA_ROWS ? (int)(P.ny - y0) : GA_ROWS;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    off[o] = (ga_offset)x0 * P.x_step[o] + (ga_offset)y0 * P.y_step[o];
  ga_walk(P.axes, outer, off);

  /* word warp + j * GA_WARPS of row lane * GA_VEC, and the rows below it; the same
   * GA_SIDE rows further down */
#define X(i, T)                                                                          \
  ga_words<T, GA_VEC> c##i[GA_TALL][GA_EACH][GA_VEC];                                    \
  {                                                                                      \
    const char *p = P.a##i + (off[i] + warp * GA_VEC * P.x_step[i] +                     \
                              lane * GA_VEC * P.y_step[i]);                              \
    _Pragma("unroll") for (int j = 0; j < GA_EACH; j++)                                  \
      _Pragma("unroll") for (int q = 0; q < GA_VEC; q++)                                 \
        _Pragma("unroll") for (int h = 0; h < GA_TALL; h++)                              \
          if ((warp + j * GA_WARPS) * GA_VEC + q < nx && lane * GA_VEC + h * GA_SIDE < ny) \
            c##i[h][j][q] = ga_load_words<T, GA_VEC, true>(                              \
                p + ((j * GA_WARPS * GA_VEC + q) * P.x_step[i] + h * GA_SIDE * P.y_step[i])); \
  }
  GA_CROSSED(X)
#undef X

  const int x = lane * GA_VEC;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] += x * P.x_step[o] + warp * P.y_step[o];

#define X(i, T) ga_words<T, GA_VEC> d##i[GA_GROUPS][GA_EACH];
  GA_DIRECT(X)
#undef X
#pragma unroll
  for (int g = -1; g < GA_GROUPS; g++) {
    const int next = g + 1, from = g * GA_EACH * GA_WARPS; /* row `from + warp` is the first */
#pragma unroll
    for (int n = 0; n < GA_EACH && next < GA_GROUPS; n++) {
      const int y = (next * GA_EACH + n) * GA_WARPS;
      if (x >= nx || y + warp >= ny) continue;
#define X(i, T)                                                                          \
  d##i[next][n] = ga_load_direct<T, GA_IS_STILL(i)>(P.a##i + (off[i] + y * P.y_step[i]));
      GA_DIRECT(X)
#undef X
    }
    if (g < 0) continue;
    if (g == 0) {
#define X(i, T)                                                                          \
  _Pragma("unroll") for (int h = 0; h < GA_TALL; h++)                                    \
    _Pragma("unroll") for (int j = 0; j < GA_EACH; j++)                                  \
      _Pragma("unroll") for (int r = 0; r < GA_VEC; r++) {                               \
        ga_vec<T, GA_VEC> t;                                                             \
        _Pragma("unroll") for (int q = 0; q < GA_VEC; q++)                               \
          t.v[q] = ga_elements<T, GA_VEC>(c##i[h][j][q]).v[r];                           \
        tile##i[h * GA_SIDE + lane * GA_VEC + r][(warp + j * GA_WARPS) ^ lane] =         \
            ga_words_of<T, GA_VEC>(t);                                                   \
      }
      GA_CROSSED(X)
#undef X
      __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < GA_EACH; n++) {
      const int y = from + n * GA_WARPS;
      /* of the words in this row of a tile */
      const int turn = (y + warp) / GA_VEC & (GA_TALL > 1 ? 31 : -1);
      ga_in in[GA_VEC];
      ga_out out[GA_VEC];
      if (x >= nx || y + warp >= ny) continue;
#define X(i, T)                                                                          \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                                     \
    in[k].x##i = ga_elements<T, GA_VEC>(d##i[g][n]).v[k];
      GA_DIRECT(X)
#undef X
#define X(i, T)                                                                          \
  {                                                                                      \
    const ga_words<T, GA_VEC> w = tile##i[y + warp][lane ^ turn];                        \
    _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                                   \
      in[k].x##i = ga_elements<T, GA_VEC>(w).v[k];                                       \
  }
      GA_CROSSED(X)
#undef X
      ga_kept kept;
      ga_keep(P, in[0], kept);
#pragma unroll
      for (int k = 0; k < GA_VEC; k++) {
        ga_long iota = 0;
#if GA_IOTA
        iota = P.iota_base + off[GA_NOP] + y * P.y_step[GA_NOP] + k * P.x_step[GA_NOP];
#endif
        ga_map(P, in[k], kept, iota, out[k]);
      }
#define X(i, T)                                                                          \
  {                                                                                      \
    char *p = P.a##i + (off[i] + y * P.y_step[i]);                                       \
    ga_vec<T, GA_VEC> t;                                                                 \
    _Pragma("unroll") for (int k = 0; k < GA_VEC; k++) t.v[k] = out[k].y##i;             \
    if (GA_VEC == 1) ga_store<T>(p, t.v[0]);                                             \
    else ga_store_aligned<T, GA_VEC>(p, t);                                              \
  }
      GA_OUTPUTS(X)
#undef X
    }
  }
}
