/* SPDX-License-Identifier: MIT */
/* A chain of rows, classes ROWS and GATHER: a row is read once, and stays on the
 * chip until the last of its results is written.
 *
 * The order of DESIGN.md, as in reduce_rows.cu: lane l of a warp holds, for c in
 * 0..7 and j in 0..3, element 128c + 4l + j of a chunk.
 *
 * GA_TEAM 0: at most two chunks a row, 2^GA_LANES lanes for it, GA_FOURS fours a lane, so
 * many elements apart as all lanes have. Within 128 elements fours beyond the lanes
 * stand for further lanes; beyond, for c.
 *
 *   rows of 36 elements: 4 lanes of 3 fours, 8 rows a warp; lane 1 has elements 4 to
 *   7 and 20 to 23, for lanes 1 and 5 of the chunk, and would have 36 to 39;
 *   rows of 300 elements: 16 lanes of 5 fours; lane 1 has elements 4 to 7, 68 to 71,
 *   132 to 135, 196 to 199 and 260 to 263, for lanes 1 and 17 of c 0 and 1, and 1 of 2;
 *   rows of 1280 elements: 32 lanes of 10 fours, the last two of the second chunk.
 *
 * GA_ROWS: of a thread, one after the other, where rows are very short.
 *
 * GA_TEAM 1: a block a row, or GA_CLUSTER blocks that run together and write to each
 * other's shared memory. GA_HELD 0: a warp for each chunk, whose elements stay in its
 * registers, or for two, of narrow elements (GA_FOURS 16). GA_HELD 1: each warp of the block
 * does every so-manieth chunk; what later levels need again lies in shared memory, where
 * each thread finds what it put there itself.
 *
 *   rows of 40000 elements, 16 warps: warp 7 does chunks 7, 23 and 39 (64 elements); of float16, 2
 *   blocks of 10 warps: warp 9 of the second one does chunks 38 and 39.
 *
 * GA_HELD 1 and GA_STAGED 1: a cluster may have the row too, and levels read what was copied
 * (chain_staged.cuh).
 *
 *   rows of 50257 bfloat16, 2 blocks of 25 chunks: warp 3 of 7 of the second one does chunks 28,
 *   35, 42 and 49 (81 elements).
 *
 * GA_HALVES: a warp has half a chunk, of each 8 elements the first or the last four, and
 * a lane two of a four, so that 8-byte elements take half the registers. Halves are
 * joined as chunks are: bit 2 of an element's number is the last that a chunk joins.
 *
 *   rows of 2000 float64, 4 warps: lane 5 of warp 3 has elements 1046 and 1047, 1174
 *   and 1175, and on to 1942 and 1943.
 *
 * GA_WHOLE: rows are of unit step or still in each operand, and 1: their innermost axis
 * is a multiple of 4, so a four is whole or not there; 2: no lane lacks one.
 */

/* A chunk, or a row of some lanes; every lane gets it. */
template <class A>
GA_FN A ga_fold(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept, ga_index r) {
  A a;
#if GA_CUTS
  if (ga_is_chunk(P, r))
    a = ga_fold_lane<A, true>(P, f, kept, r);
  else
#endif
    a = ga_fold_lane<A, false>(P, f, kept, r);
#if GA_HALVES
  a = ga_combine(a, ga_exchange(a, 1));
#pragma unroll
  for (int b = 4; b > 0; b--) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
#elif (GA_FOURS << GA_LANES) > 256
  const A next = ga_fold_lane<A, false, 8>(P, f, kept, r);
  return ga_combine(ga_join_down(a, GA_LANES), ga_join_down(next, GA_LANES));
#else
  return ga_join_down(a, GA_LANES);
#endif
}

/* Four chunks of a row from number `at` on. */
template <class A> GA_FN A ga_join_four_chunks(const A *s, ga_uint n, ga_uint at) {
  A a[4];
#pragma unroll
  for (ga_uint k = 0; k < 4; k++) {
    ga_identity(a[k]);
    if (at + k < n) a[k] = s[at + k];
  }
  return ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
}

/* Log2 of the lanes that have all chunks where each has 4 * own. */
GA_FN constexpr int ga_join_lanes(ga_uint own) {
  int bits = 0;
  while ((4 * own << bits) < GA_CHUNKS) bits++;
  return bits;
}

/* Joins the chunks of a row, s having an accumulator for each; every thread gets the
 * result. */
template <class A> GA_FN A ga_join_chunks(const A *s, ga_uint n) {
  constexpr ga_uint own = GA_CHUNKS < 128 ? 1 : GA_CHUNKS / 128;
  constexpr int bits = ga_join_lanes(own);
  const ga_uint lane = threadIdx.x & ((1u << bits) - 1);
  A a[own];
#pragma unroll
  for (ga_uint k = 0; k < own; k++)
    a[k] = ga_join_four_chunks(s, n, (lane * own + k) * 4);
#pragma unroll
  for (ga_uint b = 1; b < own; b *= 2)
#pragma unroll
    for (ga_uint k = 0; k < own; k += 2 * b) a[k] = ga_combine(a[k], a[k + b]);
  return ga_join_up(a[0], bits);
}

/* Gives s[chunk] to each block of the cluster. */
template <class A> GA_FN void ga_give(A *s, ga_ulong *barrier, ga_uint chunk, const A &a) {
  const ga_uint lane = threadIdx.x & 31;
#if GA_CLUSTER > 1
  if (lane < GA_CLUSTER) ga_send(s + chunk, barrier, a, lane);
#else
  if (lane == 0) s[chunk] = a;
#endif
}

/* All blocks have what all gave when it returns. */
GA_FN void ga_take_all(ga_ulong *barrier) {
#if GA_CLUSTER > 1
  ga_receive(barrier);
#else
  __syncthreads();
#endif
}

/* The first element that the warp's lane has of its n-th chunk, or half. */
GA_FN ga_index ga_begin_of(ga_uint n) {
  const ga_uint lane = threadIdx.x & 31;
#if GA_HALVES
  return (n >> 1) * GA_CHUNK + (lane >> 1) * 8 + (n & 1) * 4 + (lane & 1) * 2;
#else
  return n * (GA_FOURS * GA_PITCH) + lane * 4;
#endif
}

#if GA_STAGED
#define GA_READ(j) ga_read_fours<j>(P, rows, row, r, f)
#else
#define GA_READ(j) ga_load_fours<j>(P, row, r, f)
#endif

#if !GA_TEAM

/* The n-th row of the thread; its block's first. One that does not exist stands for another. */
struct ga_own_row {
  ga_index first, k;
  bool exists;
};

GA_FN ga_own_row ga_find_row(const ga_params &P, ga_uint n) {
  ga_own_row own;
#if GA_ABREAST
  const ga_index teams = ga_teams_abreast(P), team = threadIdx.x >> GA_LANES;
  own.first = (ga_index)blockIdx.x * (teams * GA_ROWS);
  own.exists = team < teams && own.first + n * teams + team < P.units;
  own.k = own.exists ? own.first + n * teams + team : own.first;
#else
  const ga_uint teams = GA_BLOCK >> GA_LANES;
  ga_uint team = threadIdx.x >> GA_LANES;
#if GA_STAGED
  team = ga_spaced(P, team);
#endif
  const ga_ulong at = ((ga_ulong)blockIdx.x * GA_ROWS + n) * teams + team;
  own.first = (ga_index)blockIdx.x * (GA_ROWS * teams);
  own.exists = at < P.units;
  own.k = (ga_index)(own.exists ? at : P.units - 1);
#endif
  return own;
}

extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_index r = (threadIdx.x & ((1u << GA_LANES) - 1)) * 4;
  ga_own_row own = ga_find_row(P, 0);
  ga_place row = ga_seek(P.kept_axes, own.k);
  ga_four f[GA_FOURS];
  ga_kept kept;
#if GA_STAGED
  extern __shared__ ga_sixteen ga_held[];
  ga_staged_rows rows = ga_find_rows(P, (char *)ga_held, row, own.first, own.k);
#if GA_APART
  __shared__ ga_ulong low[GA_APART][GA_BLOCK >> GA_LANES];
  rows.low = low;
  ga_note_rows(P, rows, row);
#endif
  ga_fetch_rows(P, rows);
#endif
#pragma unroll 1
  for (ga_uint n = 1;; n++) {
#if GA_ARG
    GA_READ(0);
    ga_finish<0>(P, row, ga_find_place(P, f, kept, row, r), kept, own.exists && r == 0);
#else
#define X(j)                                                                 \
    GA_READ(j);                                                              \
    ga_finish<j>(P, row, ga_fold<ga_acc##j>(P, f, kept, r), kept, own.exists && r == 0);
    GA_LEVELS(X)
#undef X
#endif
#if GA_MAPS && GA_STAGED
    ga_map_rows(P, rows, row, r, f, kept, own.exists);
#endif
    if (n == GA_ROWS) break;
#if GA_ROWS > 1
    own = ga_find_row(P, n);
    row = ga_seek(P.kept_axes, own.k);
    rows.own = ga_own_place(P, own.k - own.first);
#endif
  }
#if GA_MAPS && GA_STAGED
  ga_put_rows(P, rows);
#elif GA_MAPS
  ga_map_fours(P, row, r, f, kept, own.exists);
#endif
}

#else

#if GA_HELD && !GA_STAGED

/* Shared memory has, for each operand that a later level reads again, an element for
 * each of `room`, whole chunks of the row. */
template <int L>
GA_FN void ga_put(char *shared, ga_index room, ga_index r, const ga_four (&f)[GA_FOURS]) {
#define X(i, T)                                                                  \
  if (ga_last##i > ga_at##i) {                                                   \
    if (ga_at##i == L)                                                           \
      _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                       \
        f[c].x##i.store(shared + (r + c * GA_PITCH) * sizeof(T));                \
    shared += room * sizeof(T);                                                  \
  }
  GA_INPUTS(X)
#undef X
}

/* What level L reads of that. */
template <int L>
GA_FN void ga_take(const char *shared, ga_index room, ga_index r, ga_four (&f)[GA_FOURS]) {
#define X(i, T)                                                                  \
  if (ga_last##i > ga_at##i) {                                                   \
    if (ga_at##i < L && ga_last##i >= L)                                         \
      _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                       \
        f[c].x##i.load(shared + (r + c * GA_PITCH) * sizeof(T));                 \
    shared += room * sizeof(T);                                                  \
  }
  GA_INPUTS(X)
#undef X
}

#endif

#if GA_CLUSTER > 1
extern "C" __global__ void __cluster_dims__(GA_CLUSTER, 1, 1)
    __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
#else
extern "C" __global__ void __launch_bounds__(GA_THREADS, GA_MIN_BLOCKS)
#endif
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
#define X(j) __shared__ ga_acc##j s##j[GA_CHUNKS];
  GA_LEVELS(X)
#undef X
  const ga_uint warp = ga_value_from_lane(threadIdx.x >> 5, 0), warps = blockDim.x >> 5;
  const ga_place row = ga_seek(P.kept_axes, (ga_index)(blockIdx.x / GA_CLUSTER));
  ga_kept kept;
#if GA_HELD && !GA_STAGED
  extern __shared__ ga_ulong ga_held[];
  char *const held = (char *)ga_held;
  const ga_uint n = (ga_uint)((P.reduced + GA_CHUNK - 1) / GA_CHUNK);
  const ga_index room = n * GA_CHUNK;
#define X(j)                                                                      \
  _Pragma("unroll 1") for (ga_uint chunk = warp; chunk < n; chunk += warps) {     \
    const ga_index r = ga_begin_of(chunk);                                        \
    ga_four f[GA_FOURS];                                                          \
    ga_take<j>(held, room, r, f);                                                 \
    ga_load_fours<j>(P, row, r, f);                                               \
    ga_put<j>(held, room, r, f);                                                  \
    const ga_acc##j a = ga_fold<ga_acc##j>(P, f, kept, r);                        \
    ga_give(s##j, (ga_ulong *)0, chunk, a);                                       \
  }                                                                               \
  __syncthreads();                                                                \
  ga_finish<j>(P, row, ga_join_chunks(s##j, n), kept, threadIdx.x == 0);
  GA_LEVELS(X)
#undef X
#if GA_MAPS
#pragma unroll 1
  for (ga_uint chunk = warp; chunk < n; chunk += warps) {
    const ga_index r = ga_begin_of(chunk);
    ga_four f[GA_FOURS];
    ga_take<GA_MAP>(held, room, r, f);
    ga_map_fours(P, row, r, f, kept, true);
  }
#endif
#else
  const ga_uint rank = ga_cluster_rank();
#if GA_HELD
  const ga_uint n = (ga_uint)((P.reduced + GA_CHUNK - 1) / GA_CHUNK), each = ga_part_of_row(P);
  const ga_uint begin = rank * each, end = begin + each < n ? begin + each : n;
#else
  const ga_uint n = warps * GA_CLUSTER, begin = rank * warps, chunk = begin + warp;
  const ga_index r = ga_begin_of(chunk);
  ga_four f[GA_FOURS];
#endif
#if GA_STAGED
  extern __shared__ ga_sixteen ga_held[];
  const ga_staged_rows rows =
      ga_find_rows(P, (char *)ga_held, row, (ga_index)(begin >> GA_HALVES) * GA_CHUNK, 0);
  ga_fetch_rows(P, rows);
#endif
  __shared__ ga_ulong arrived[GA_MAP];
#define X(j) \
  if (threadIdx.x == 0) ga_expect(arrived + j, n * (ga_uint)sizeof(ga_acc##j));
  GA_LEVELS(X)
#undef X
  ga_cluster_arrive();
#if GA_HELD
#define GA_GIVE_ALL(j)                                                                     \
  if (j == 0) ga_cluster_wait();                                                           \
  _Pragma("unroll 1") for (ga_uint chunk = begin + warp; chunk < end; chunk += warps) {    \
    const ga_index r = ga_begin_of(chunk);                                                 \
    ga_four f[GA_FOURS];                                                                   \
    GA_READ(j);                                                                            \
    ga_give(s##j, arrived + j, chunk, ga_fold<ga_acc##j>(P, f, kept, r));                  \
  }
#else
#define GA_GIVE_ALL(j)                                                                     \
  {                                                                                        \
    GA_READ(j);                                                                            \
    const ga_acc##j a = ga_fold<ga_acc##j>(P, f, kept, r);                                 \
    if (j == 0) ga_cluster_wait();                                                         \
    ga_give(s##j, arrived + j, chunk, a);                                                  \
  }
#endif
#define X(j)                                                                               \
  GA_GIVE_ALL(j)                                                                           \
  ga_take_all(arrived + j);                                                                \
  ga_finish<j>(P, row, ga_join_chunks(s##j, n), kept, rank == 0 && threadIdx.x == 0);
  GA_LEVELS(X)
#undef X
#if GA_MAPS && GA_HELD
  ga_map_part(P, rows, kept);
#elif GA_MAPS && GA_STAGED
  ga_map_rows(P, rows, row, r, f, kept, true);
  ga_put_rows(P, rows);
#elif GA_MAPS
  ga_map_fours(P, row, r, f, kept, true);
#endif
#endif
}

#endif
