/* SPDX-License-Identifier: MIT */
/* A chain of columns, class COLUMNS: a column is read once, and stays in the registers
 * of 2^GA_LANES lanes, or of so many for each of its chunks (GA_TEAM 1), until the
 * last of its results is written. A block has GA_ACROSS columns side by side.
 *
 * Lanes hold what those of a row do (chain_rows.cu), but the lanes of a column are
 * GA_ACROSS threads apart, so that what neighbours load lies side by side. Accumulators
 * change places in shared memory, where a warp gets those of a column to join.
 *
 *   softmax over 300 rows of 1000 columns: 8 lanes of 10 fours, 32 columns a block;
 *   lane 1 has rows 4 to 7, 36 to 39 and on to 292 to 295; the last of 32 blocks has
 *   8 columns.
 */

#define GA_LANE_COUNT (1 << GA_LANES)

/* A column's accumulator: s has one a thread, t is to have one for each of a chunk's
 * columns. */
template <class A> GA_FN A ga_join_column(const A &a, A *s, A *t) {
  const ga_uint pitch = GA_ACROSS + 1, at = threadIdx.x / GA_ACROSS, x = threadIdx.x % GA_ACROSS;
  const ga_uint column = threadIdx.x >> GA_LANES, lane = threadIdx.x & (GA_LANE_COUNT - 1);
  s[at * pitch + x] = a;
  __syncthreads();
  const A all = ga_join_down(
      s[(column / GA_ACROSS * GA_LANE_COUNT + lane) * pitch + column % GA_ACROSS], GA_LANES);
  if (lane == 0) t[column] = all;
  __syncthreads();
#if GA_TEAM
  A c[GA_STRIPS];
#pragma unroll
  for (ga_uint k = 0; k < GA_STRIPS; k++) {
    ga_identity(c[k]);
    if (k < (blockDim.x >> GA_LANES) / GA_ACROSS) c[k] = t[k * GA_ACROSS + x];
  }
  return ga_combine(ga_combine(c[0], c[1]), ga_combine(c[2], c[3]));
#else
  return t[x];
#endif
}

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_index outer = ga_quotient((ga_index)blockIdx.x, P.tiles);
  const ga_index tile = (ga_index)blockIdx.x - outer * P.tiles.d;
  const ga_index x = tile * GA_ACROSS + threadIdx.x % GA_ACROSS;
  const ga_uint lane = threadIdx.x / GA_ACROSS; /* all chunks' */
  const ga_index r = (ga_index)(lane >> GA_LANES) * GA_CHUNK + (lane & (GA_LANE_COUNT - 1)) * 4;
  const bool exists = x < P.columns;
  ga_place column = ga_seek(P.kept_axes, outer);
  ga_four f[GA_FOURS];
  ga_kept kept;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    column.off[o] += (ga_offset)(exists ? x : (ga_index)P.columns - 1) * P.column[o];
#if GA_LANES || GA_TEAM
#define X(j)                                                                      \
  __shared__ ga_acc##j s##j[GA_THREADS / GA_ACROSS * (GA_ACROSS + 1)];            \
  __shared__ ga_acc##j t##j[GA_THREADS >> GA_LANES];
  GA_LEVELS(X)
#undef X
#define GA_JOIN(a, j) ga_join_column(a, s##j, t##j)
#else
#define GA_JOIN(a, j) a
#endif
#define X(j)                                                                      \
  {                                                                               \
    ga_load_fours<j>(P, column, r, f);                                            \
    const ga_acc##j a = ga_fold_lane<ga_acc##j>(P, f, kept, r);                   \
    ga_finish<j>(P, column, GA_JOIN(a, j), kept, exists && lane == 0);            \
  }
  GA_LEVELS(X)
#undef X
#if GA_MAPS
  ga_map_fours(P, column, r, f, kept, exists);
#endif
}
