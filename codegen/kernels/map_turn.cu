/* SPDX-License-Identifier: MIT */
/* Map, class TILE, where rows begin anywhere: some operands are fast along another axis
 * (y) than the output (x, the innermost), and tiles would cut words, or sectors. Lines are
 * kept as the words that they lie in, elements are taken out of those, and each row of
 * the output is cut where its vectors are.
 *
 * A block does GA_SIDE elements along x and GA_HEIGHT along y. Of a crossed operand,
 * warps copy the lines of GA_HEIGHT neighbours along y, one for each x, as aligned words
 * of 4 bytes to shared memory. Then a warp does a row of the output: its lanes GA_VEC
 * neighbours each, from the last multiple of GA_SKEW elements in memory before the row's
 * tile on; so GA_SKEW lines more are kept than the tile is wide. Lines are an odd number
 * of words apart, and GA_VEC of them one more, so lanes meet no bank twice.
 *
 *   int8 of 1001 x 1003: GA_VEC 8, GA_SKEW 32, GA_SIDE 256, GA_HEIGHT 124. Row y = 1 of the
 *   output begins at byte 1003, so x = 245 at a multiple of 32: in tile 1 (x = 256..) lane 0
 *   does x = 245..252. Its operand's line 245 begins at byte 245 * 1001, 1 past a word.
 *
 * A warp's lines are GA_WARPS apart, which keeps what they are past a word the same; of its
 * rows those that are GA_SKEW apart are cut alike, and done one after the other. map_tiles.cuh
 * says what the generator supplies besides GA_HEIGHT and GA_SKEW, a multiple of GA_WARPS.
 */
#define GA_SIDE (32 * GA_VEC)
#define GA_LINES (GA_SIDE + GA_SKEW)
#define GA_EACH 4 /* rows that a thread does at once */
#define GA_LINE_WORDS(T) ((GA_HEIGHT * (int)sizeof(T) + 3) / 4 + (sizeof(T) < 4))
#define GA_PITCH(T) (GA_LINE_WORDS(T) | 1)

/* Words from the beginning of a tile to line n. */
template <class T> GA_FN int ga_line_at(int n) { return n * GA_PITCH(T) + n / GA_VEC; }

/* Lines [first, last) of the tile, `ny` elements each; line 0 begins at p, the others
 * `step` from each other. */
template <class T>
GA_FN void ga_copy_lines(ga_uint *tile, const char *p, ga_offset step, int first, int last,
                         int ny) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  p += warp * step;
  const int past = (int)((ga_ulong)p & 3), n = (past + ny * (int)sizeof(T) + 3) / 4;
  const ga_shared to = ga_shared_at(tile + (ga_line_at<T>(warp) + lane));
  p += 4 * lane - past;
#pragma unroll
  for (int k = 0; k < GA_LINES; k += GA_WARPS) {
    const bool on = (ga_uint)(k + warp - first) < (ga_uint)(last - first);
    ga_copy_if<4>(to, 4 * ga_line_at<T>(k), p, on && lane < n);
    p += GA_WARPS * step;
  }
}

/* GA_VEC neighbours along x from p on, `step` from each other, of which [from, to) are
 * there. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_beside(const char *p, ga_offset step, int from, int to) {
  ga_vec<T, GA_VEC> r = ga_splat<T, GA_VEC>(T());
  if (from >= to) return ga_words_of<T, GA_VEC>(r);
  if (step == 0) return ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(p)));
  if (step == (ga_offset)sizeof(T) && from == 0 && to == GA_VEC)
    return ga_load_words<T, GA_VEC, GA_ALIGNED>(p);
  if (step == (ga_offset)sizeof(T) && GA_VEC * sizeof(T) <= 16) /* else 16 bytes may hold none */
    return ga_load_part<T, GA_VEC, GA_ALIGNED>(p, from, to);
#pragma unroll
  for (int k = 0; k < GA_VEC; k++)
    if (k >= from && k < to) r.v[k] = ga_load<T>(p + k * step);
  return ga_words_of<T, GA_VEC>(r);
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
#define X(i, T) __shared__ ga_uint tile##i[GA_LINES * GA_PITCH(T) + GA_LINES / GA_VEC];
  GA_CROSSED(X)
#undef X
  const ga_index rest = ga_quotient((ga_index)blockIdx.x, P.tiles_x);
  const ga_index outer = ga_quotient(rest, P.tiles_y);
  const ga_offset x0 = (ga_offset)(blockIdx.x - rest * P.tiles_x.d) * GA_SIDE - GA_SKEW;
  const ga_offset y0 = (ga_offset)(rest - outer * P.tiles_y.d) * GA_HEIGHT;
  const ga_offset nx = (ga_offset)P.nx - x0;
  const int ny = (ga_offset)P.ny - y0 < GA_HEIGHT ? (int)((ga_offset)P.ny - y0) : GA_HEIGHT;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int first = x0 < 0 ? GA_SKEW : 0, last = nx < GA_LINES ? (int)nx : GA_LINES;
  ga_offset off[GA_NOFF];
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = x0 * P.x_step[o] + y0 * P.y_step[o];
  ga_walk(P.axes, outer, off);

#define X(i, T) ga_copy_lines<T>(tile##i, P.a##i + off[i], P.x_step[i], first, last, ny);
  GA_CROSSED(X)
#undef X

#pragma unroll 1
  for (int c = 0; c < GA_SKEW; c += GA_WARPS) {
    const int row = c + warp;
    const ga_ulong at = (ga_ulong)(GA_FIRST_ADDRESS + (off[GA_FIRST] + row * P.y_step[GA_FIRST]));
    const int line = GA_SKEW - (int)(at / sizeof(GA_FIRST_T) % GA_SKEW); /* of lane 0 */
    const int x = line + lane * GA_VEC;
    const int from = first > x ? first - x : 0, to = last - x < GA_VEC ? last - x : GA_VEC;
#define X(i, T)                                                                          \
  const char *c##i[GA_VEC];                                                              \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++) {                                   \
    const int same = GA_VEC * sizeof(T) % 4 == 0 ? 0 : lane * GA_VEC;                     \
    const char *p = P.a##i + (off[i] + (line + k + same) * P.x_step[i]);                 \
    c##i[k] = (const char *)(tile##i + (ga_line_at<T>(line + k) + lane * ga_line_at<T>(GA_VEC))) + \
              ((int)((ga_ulong)p & 3) + row * (int)sizeof(T));                           \
  }
    GA_CROSSED(X)
#undef X
    ga_offset at_row[GA_NOFF];
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++)
      at_row[o] = off[o] + x * P.x_step[o] + row * P.y_step[o];
#pragma unroll 1
    for (int g = 0; g + c < GA_HEIGHT; g += GA_EACH * GA_SKEW) {
#define X(i, T) ga_words<T, GA_VEC> d##i[GA_EACH];
      GA_DIRECT(X)
#undef X
#pragma unroll
      for (int n = 0; n < GA_EACH; n++) {
        const int y = g + n * GA_SKEW;
        if (row + y >= ny) continue;
#define X(i, T)                                                                          \
  d##i[n] = n > 0 && P.y_step[i] == 0                                                    \
                ? d##i[0]                                                                \
                : ga_beside<T>(P.a##i + (at_row[i] + y * P.y_step[i]), P.x_step[i], from, to);
        GA_DIRECT(X)
#undef X
      }
      if (g + c == 0) {
        ga_wait_for_copies();
        __syncthreads();
      }
#pragma unroll
      for (int n = 0; n < GA_EACH; n++) {
        const int y = g + n * GA_SKEW;
        if (row + y >= ny) continue;
#define X(i, T) ga_vec<T, GA_VEC> r##i;
        GA_OUTPUTS(X)
#undef X
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(d##i[n]);
        GA_DIRECT(X)
#undef X
        ga_in in;
        ga_kept kept;
#define X(i, T) in.x##i = v##i.v[0];
        GA_DIRECT(X)
#undef X
        ga_keep(P, in, kept);
#pragma unroll
        for (int k = 0; k < GA_VEC; k++) {
          ga_out out;
          ga_long iota = 0;
          if (GA_GUARDED && (k < from || k >= to)) continue;
#define X(i, T) in.x##i = v##i.v[k];
          GA_DIRECT(X)
#undef X
#define X(i, T) in.x##i = *(const T *)(c##i[k] + y * (int)sizeof(T));
          GA_CROSSED(X)
#undef X
#if GA_IOTA
          iota = P.iota_base + at_row[GA_NOP] + y * P.y_step[GA_NOP] + k * P.x_step[GA_NOP];
#endif
          ga_map(P, in, kept, iota, out);
#define X(i, T) r##i.v[k] = out.y##i;
          GA_OUTPUTS(X)
#undef X
        }
#define X(i, T)                                                                          \
  {                                                                                      \
    char *p = P.a##i + (at_row[i] + y * P.y_step[i]);                                    \
    if (from == 0 && to == GA_VEC)                                                       \
      GA_STORE_RESULTS(i, T, ga_store_aligned, p)                                        \
    else                                                                                 \
      ga_store_part<T, GA_VEC, GA_STORE_VEC || i == GA_FIRST>(p, r##i, from, to);        \
  }
        GA_OUTPUTS(X)
#undef X
      }
    }
  }
}
