/* SPDX-License-Identifier: MIT */
/* A chain of rows, classes ROWS and GATHER: a row is read once, and stays on the
 * chip until the last of its results is written.
 *
 * The order of DESIGN.md, as in reduce_rows.cu: lane l of a warp holds, for c in
 * 0..7 and j in 0..3, element 128c + 4l + j of a chunk.
 *
 * GA_TEAM 0: at most a chunk a row, 2^GA_LANES lanes for it, GA_FOURS fours a lane, so
 * many elements apart as all lanes have. Up to 128 elements fours beyond the lanes
 * stand for further lanes; beyond, for c.
 *
 *   rows of 33 elements: 4 lanes of 3 fours, 8 rows a warp; lane 1 has elements 4 to
 *   7 and 20 to 23, for lanes 1 and 5 of the chunk, and would have 36 to 39;
 *   rows of 300 elements: a warp, 3 fours a lane (the third of lanes 0 to 10 only).
 *
 * GA_TEAM 1: a block a row, or GA_CLUSTER blocks that run together and write to each
 * other's shared memory. GA_HELD 0: a warp for each chunk, whose elements stay in its
 * registers. GA_HELD 1: each warp of the block does every so-manieth chunk;
 * what later levels need again lies in shared memory, where each thread finds what
 * it put there itself.
 *
 *   rows of 40000 elements, 16 warps: warp 7 does chunks 7, 23 and 39 (64 elements).
 *
 * GA_WHOLE: rows are one axis, of unit step or still in each operand, and 1: their
 * extent is a multiple of 4, so a four is whole or not there; 2: no lane lacks one.
 */

/* ---- one level ---------------------------------------------------------------- */

/* The j-th element of the four that r begins as an accumulator, or what stands for
 * none. */
template <class A>
GA_FN A ga_element(const ga_params &P, const ga_four &f, const ga_kept &kept, int j, ga_index r) {
  A acc;
  ga_leaf(P, f.get(j), kept, acc);
  if (!ga_exists(P, r, j)) ga_identity(acc);
  return acc;
}

/* Four elements, bits 0 and 1. */
template <class A>
GA_FN A ga_fold_four(const ga_params &P, const ga_four &f, const ga_kept &kept, ga_index r) {
  return ga_combine(ga_combine(ga_element<A>(P, f, kept, 0, r), ga_element<A>(P, f, kept, 1, r)),
                    ga_combine(ga_element<A>(P, f, kept, 2, r), ga_element<A>(P, f, kept, 3, r)));
}

/* The tree over N fours from the c-th on, S apart, the highest bit first: over element
 * j of each, or, j being 4, over all four of each. */
template <class A, int N, int S> struct ga_tree {
  GA_FN A of(const ga_params &P, const ga_four (&f)[GA_FOURS], const ga_kept &kept, int c,
             int j, ga_index r) {
    const A left = ga_tree<A, N / 2, S * 2>::of(P, f, kept, c, j, r);
    if (c + S >= GA_FOURS) return left;
    return ga_combine(left, ga_tree<A, N / 2, S * 2>::of(P, f, kept, c + S, j, r));
  }
};
template <class A, int S> struct ga_tree<A, 1, S> {
  GA_FN A of(const ga_params &P, const ga_four (&f)[GA_FOURS], const ga_kept &kept, int c,
             int j, ga_index r) {
    if (j == 4) return ga_fold_four<A>(P, f[c], kept, r + c * GA_PITCH);
    return ga_element<A>(P, f[c], kept, j, r + c * GA_PITCH);
  }
};

/* A chunk, or a row of some lanes; every lane gets it. */
template <class A>
GA_FN A ga_fold(const ga_params &P, const ga_four (&f)[GA_FOURS], const ga_kept &kept, ga_index r) {
#if GA_LANES < 5
  return ga_join_down(ga_tree<A, 4, 1>::of(P, f, kept, 0, 4, r), GA_LANES);
#else
  A a[4];
#pragma unroll
  for (int j = 0; j < 4; j++) a[j] = ga_tree<A, 8, 1>::of(P, f, kept, 0, j, r);
  return ga_join_down(ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3])), 5);
#endif
}

/* ---- the ends of a level and of a row ------------------------------------------- */

/* What follows level L's reduction, by each thread; `first` writes. */
template <int L, class A>
GA_FN void ga_finish(const ga_params &P, const ga_place &at, const A &acc, ga_kept &kept,
                     bool first) {
  ga_row row;
#define X(i, T) \
  if (ga_at##i == L) row.x##i = ga_load<T>(P.a##i + at.off[i]);
  GA_ROW_INPUTS(X)
#undef X
  ga_after(P, acc, row, kept);
#define X(i, T) \
  if (ga_at##i == L && first) ga_store<T>(P.a##i + at.off[i], row.y##i);
  GA_ROW_OUTPUTS(X)
#undef X
}

/* Joins the chunks of a row, s having an accumulator for each; every thread gets the
 * result. */
template <class A> GA_FN A ga_join_chunks(const A *s, ga_uint n) {
  A a[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const ga_uint at = (threadIdx.x & 31) * 4 + k;
    ga_identity(a[k]);
    if (at < n) a[k] = s[at];
  }
  return ga_join_up(ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3])), 5);
}

#if GA_CLUSTER > 1

GA_FN ga_uint ga_cluster_rank() {
  ga_uint r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}

GA_FN void ga_cluster_arrive() { asm volatile("barrier.cluster.arrive.release;" ::: "memory"); }
GA_FN void ga_cluster_wait() { asm volatile("barrier.cluster.wait.acquire;" ::: "memory"); }

/* Gives s[chunk] to each block of the cluster; all have all when it returns. */
template <class A> GA_FN void ga_share(A *s, ga_uint chunk, const A &a) {
  const ga_uint lane = threadIdx.x & 31;
  if (lane < GA_CLUSTER) {
    ga_ulong to;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"((ga_ulong)(s + chunk)), "r"(lane));
    *(A *)to = a;
  }
  ga_cluster_arrive();
  ga_cluster_wait();
}

#else

GA_FN ga_uint ga_cluster_rank() { return 0; }
GA_FN void ga_cluster_arrive() {}
GA_FN void ga_cluster_wait() {}

template <class A> GA_FN void ga_share(A *s, ga_uint chunk, const A &a) {
  if ((threadIdx.x & 31) == 0) s[chunk] = a;
  __syncthreads();
}

#endif

#if !GA_TEAM

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  const ga_ulong at = (ga_ulong)blockIdx.x * GA_BLOCK + threadIdx.x;
  const bool exists = at >> GA_LANES < P.units;
  const ga_index k = (ga_index)(exists ? at >> GA_LANES : P.units - 1);
  const ga_index r = ((ga_uint)at & ((1u << GA_LANES) - 1)) * 4;
  const ga_place row = ga_seek(P.kept_axes, k);
  ga_four f[GA_FOURS];
  ga_kept kept;
#define X(j)                                                                 \
  ga_load_fours<j>(P, row, r, f);                                            \
  ga_finish<j>(P, row, ga_fold<ga_acc##j>(P, f, kept, r), kept, exists && r == 0);
  GA_LEVELS(X)
#undef X
#if GA_MAPS
  ga_map_fours(P, row, r, f, kept, exists);
#endif
}

#else

#if GA_HELD

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
  const ga_uint warp = threadIdx.x >> 5, warps = blockDim.x >> 5, lane = threadIdx.x & 31;
  const ga_place row = ga_seek(P.kept_axes, (ga_index)(blockIdx.x / GA_CLUSTER));
  ga_kept kept;
#if GA_HELD
  extern __shared__ ga_ulong ga_held[];
  char *const held = (char *)ga_held;
  const ga_uint n = (ga_uint)((P.reduced + GA_CHUNK - 1) / GA_CHUNK);
  const ga_index room = n * GA_CHUNK;
#define X(j)                                                                      \
  _Pragma("unroll 1") for (ga_uint chunk = warp; chunk < n; chunk += warps) {     \
    const ga_index r = chunk * GA_CHUNK + lane * 4;                               \
    ga_four f[GA_FOURS];                                                          \
    ga_take<j>(held, room, r, f);                                                 \
    ga_load_fours<j>(P, row, r, f);                                               \
    ga_put<j>(held, room, r, f);                                                  \
    const ga_acc##j a = ga_fold<ga_acc##j>(P, f, kept, r);                        \
    if (lane == 0) s##j[chunk] = a;                                               \
  }                                                                               \
  __syncthreads();                                                                \
  ga_finish<j>(P, row, ga_join_chunks(s##j, n), kept, threadIdx.x == 0);
  GA_LEVELS(X)
#undef X
#if GA_MAPS
#pragma unroll 1
  for (ga_uint chunk = warp; chunk < n; chunk += warps) {
    const ga_index r = chunk * GA_CHUNK + lane * 4;
    ga_four f[GA_FOURS];
    ga_take<GA_MAP>(held, room, r, f);
    ga_map_fours(P, row, r, f, kept, true);
  }
#endif
#else
  const ga_uint rank = ga_cluster_rank(), chunk = rank * warps + warp;
  const ga_index r = chunk * GA_CHUNK + lane * 4;
  ga_four f[GA_FOURS];
  ga_cluster_arrive(); /* waited for before the first write to another block */
#define X(j)                                                                      \
  {                                                                               \
    ga_load_fours<j>(P, row, r, f);                                               \
    const ga_acc##j a = ga_fold<ga_acc##j>(P, f, kept, r);                        \
    if (j == 0) ga_cluster_wait();                                                \
    ga_share(s##j, chunk, a);                                                     \
    ga_finish<j>(P, row, ga_join_chunks(s##j, warps * GA_CLUSTER), kept,          \
                 rank == 0 && threadIdx.x == 0);                                  \
  }
  GA_LEVELS(X)
#undef X
#if GA_MAPS
  ga_map_fours(P, row, r, f, kept, true);
#endif
#endif
}

#endif
