/* SPDX-License-Identifier: MIT */
/* A chain of columns, class COLUMNS: a column is read once, and stays in the registers
 * of 2^GA_LANES lanes, or of so many for each of its chunks (GA_TEAM 1), until the
 * last of its results is written. A block has GA_ACROSS columns side by side.
 *
 * Lanes hold what those of a row do (chain_rows.cu), but the lanes of a column are
 * GA_ACROSS threads apart, so that what neighbours load lies side by side. Accumulators
 * change places in shared memory, where a warp gets those of a column to join. GA_VEC 2: elements
 * of two bytes at most, of which a thread has two columns, loaded and stored together.
 *
 * GA_CLUSTER > 1: GA_PARTS blocks have the lanes of a chunk in turns, lane 0, 2 and on
 * and lane 1, 3 and on where they are two, or a block has GA_OWN chunks of fewer columns;
 * they send each other their accumulators.
 *
 *   softmax over 3000 rows: 6 blocks of 8 lanes of 16 fours, 32 columns; lane 1 of block
 *   3 is lane 3 of chunk 1's 16: rows 1036 to 1039, 1100 to 1103 and on;
 *   over 10000 rows: 5 blocks of 8 columns, each of 2 chunks of 16 lanes of 16 fours;
 *
 *   softmax over 300 rows of 1000 columns: 8 lanes of 10 fours, 32 columns a block;
 *   lane 1 has rows 4 to 7, 36 to 39 and on to 292 to 295; the last of 32 blocks has
 *   8 columns.
 *
 * GA_GROUPS > 1: a lane has a column, and a block so many groups of GA_ACROSS columns.
 *
 *   variance over 8 rows of 32 columns, four of a thread: 8 threads a group, 32 groups.
 *
 * GA_FLAT: columns that lie side by side are of several axes, as what a column has of its own goes
 * along the last of them alone.
 *
 *   layer norm over 16000 rows of [1023, 6], gamma of 6: 6138 columns.
 */

/* Of a column's parts, GA_SIDE apart, the join: a chunk's by the highest bit first, chunks by the
 * lowest. */
template <class A> GA_FN A ga_join_strips(const A *t) {
#if GA_TEAM || GA_CLUSTER > 1
  const ga_uint n =
      GA_CLUSTER > 1 ? GA_CLUSTER * GA_OWN : blockDim.x / (GA_LANE_COUNT * GA_ACROSS);
  A c[GA_STRIPS];
#pragma unroll
  for (ga_uint k = 0; k < GA_STRIPS; k++) {
    ga_identity(c[k]);
    if (k < n) c[k] = t[k * GA_SIDE];
  }
#pragma unroll
  for (ga_uint b = GA_PARTS / 2; b > 0; b /= 2)
#pragma unroll
    for (ga_uint k = 0; k < GA_STRIPS; k++)
      if (k % GA_PARTS < b) c[k] = ga_combine(c[k], c[k + b]);
#pragma unroll
  for (ga_uint b = GA_PARTS; b < GA_STRIPS; b *= 2)
#pragma unroll
    for (ga_uint k = 0; k < GA_STRIPS; k += 2 * b) c[k] = ga_combine(c[k], c[k + b]);
  return c[0];
#else
  return t[0];
#endif
}

/* Accumulators of a thread's columns: s has a thread's, t is to have one for each of a chunk's
 * columns. */
template <class A>
GA_FN void ga_join_columns(A (&a)[GA_VEC], A *s, A *t, ga_ulong *barrier) {
  const ga_uint at = threadIdx.x / GA_ACROSS, x = threadIdx.x % GA_ACROSS * GA_VEC;
  const ga_uint lane = threadIdx.x & (GA_LANE_COUNT - 1), pitch = GA_SIDE + 1;
#pragma unroll
  for (int v = 0; v < GA_VEC; v++) s[at * pitch + x + v] = a[v];
  __syncthreads();
#pragma unroll
  for (int v = 0; v < GA_VEC; v++) {
    const ga_uint column = (threadIdx.x >> GA_NEAR) + v * (GA_THREADS >> GA_NEAR);
    const A all = ga_join_down(
        s[(column / GA_SIDE * GA_LANE_COUNT + lane) * pitch + column % GA_SIDE], GA_NEAR);
#if GA_CLUSTER > 1
#pragma unroll
    for (ga_uint k = lane; k < GA_CLUSTER; k += GA_LANE_COUNT)
      ga_send(t + ga_cluster_rank() * (GA_OWN * GA_SIDE) + column, barrier, all, k);
#else
    if (lane == 0) t[column] = all;
#endif
  }
#if GA_CLUSTER > 1
  ga_receive(barrier);
#else
  __syncthreads();
#endif
#pragma unroll
  for (int v = 0; v < GA_VEC; v++) a[v] = ga_join_strips(t + x + v);
}

#if GA_CLUSTER > 1
extern "C" __global__ void __cluster_dims__(GA_CLUSTER, 1, 1)
    __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
#else
extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
#endif
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
#if GA_GROUPS > 1
  const ga_index unit = (ga_index)blockIdx.x * GA_GROUPS + threadIdx.x / GA_ACROSS;
  const ga_uint rank = 0, lane = 0;
  if (unit >= P.units) return;
#else
  const ga_index unit = blockIdx.x / GA_CLUSTER;
  const ga_uint rank = ga_cluster_rank(), lane = threadIdx.x / GA_ACROSS; /* all chunks' */
#endif
  const ga_index outer = ga_quotient(unit, P.tiles);
  const ga_index tile = unit - outer * P.tiles.d;
  const ga_index begin = tile * (GA_SIDE - GA_LAP);
  const ga_index x = begin + threadIdx.x % GA_ACROSS * GA_VEC;
  const ga_uint chunk = rank * GA_OWN / GA_PARTS + (GA_SPLIT ? 0 : lane >> GA_NEAR);
  const ga_index r = chunk * GA_CHUNK +
                     ((lane & (GA_LANE_COUNT - 1)) * GA_PARTS + rank % GA_PARTS) * 4;
  const bool exists = x < P.columns;
  /* Lanes beyond the last column have that. If it has a name here, NVRTC makes a thread's last load
   * of int64 wait for all others. */
#if GA_FLAT
  const ga_place column = ga_seek(P.kept_axes, outer * (ga_index)P.columns +
                                                   (exists ? x : (ga_index)P.columns - GA_VEC));
#else
  ga_place column = ga_seek(P.kept_axes, outer);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    column.off[o] += (ga_offset)(exists ? x : (ga_index)P.columns - GA_VEC) * P.column[o];
#endif
  ga_four f[GA_VEC][GA_FOURS];
  ga_kept kept[GA_VEC];
  __shared__ ga_ulong arrived[GA_MAP];
#define X(j)                                                                      \
  if (threadIdx.x == 0)                                                           \
    ga_expect(arrived + j, GA_CLUSTER * GA_OWN * GA_SIDE * (ga_uint)sizeof(ga_acc##j));
  GA_LEVELS(X)
#undef X
  ga_cluster_arrive();
#if GA_LANES || GA_TEAM
#define X(j)                                                                      \
  __shared__ ga_acc##j s##j[GA_THREADS / GA_ACROSS * (GA_SIDE + 1)];              \
  __shared__ ga_acc##j                                                            \
      t##j[GA_CLUSTER > 1 ? GA_CLUSTER * GA_OWN * GA_SIDE : GA_THREADS * GA_VEC >> GA_LANES];
  GA_LEVELS(X)
#undef X
#define GA_JOIN(a, j) ga_join_columns(a, s##j, t##j, arrived + j)
#else
#define GA_JOIN(a, j) (void)0
#endif
#if GA_TILED
  extern __shared__ ga_sixteen ga_shared_tile[];
  ga_tile own =
      ga_find_tile(P, (char *)ga_shared_tile, outer, begin, r - lane * (4 * GA_PARTS));
  ga_copy_tile(P, own, r);
#define GA_READ(j) ga_read_tile<j>(P, own, column, r, f)
#else
#define GA_READ(j) ga_load_fours<j>(P, column, r, f)
#endif
  const bool first = exists && rank + lane == 0 && x - begin < GA_SIDE - GA_LAP;
#define X(j)                                                                      \
  {                                                                               \
    ga_acc##j a[GA_VEC];                                                          \
    GA_READ(j);                                                                   \
    _Pragma("unroll") for (int v = 0; v < GA_VEC; v++)                            \
      a[v] = ga_fold_lane<ga_acc##j, false>(P, f[v], kept[v], r);                 \
    if (j == 0) ga_cluster_wait();                                                \
    GA_JOIN(a, j);                                                                \
    _Pragma("unroll") for (int v = 0; v < GA_VEC; v++)                            \
      ga_finish<j>(P, ga_next(P, column, v), a[v], kept[v], first);                \
  }
  GA_LEVELS(X)
#undef X
#if GA_TILED
  ga_map_tile(P, own, column, r, f, kept, exists);
#elif GA_MAPS && GA_TURNED
  ga_map_turned(P, column, tile * GA_SIDE, r, f, kept, exists);
#elif GA_MAPS
  ga_map_fours(P, column, r, f, kept, exists);
#endif
}
