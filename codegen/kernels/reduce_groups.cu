/* SPDX-License-Identifier: MIT */
/* The kernel of reduce_groups.cuh. */
struct ga_groups {
  ga_index first;
  ga_uint n, before; /* elements of the first word before the first group */
  char *parts;
#define X(i, T) const char *a##i;
  GA_INPUTS(X)
#undef X
};

/* A group: its first element, those before its first word, its words, those behind. */
struct ga_group {
  ga_uint at, head, words, tail;
};

GA_FN ga_group ga_group_at(const ga_params &P, const ga_groups &b, ga_uint n) {
  ga_group g;
  g.at = n * P.size;
  g.head = GA_ALIGNED ? 0 : (0u - b.before - g.at) & (GA_VEC - 1);
  g.words = (P.size - g.head) / GA_VEC;
  g.tail = (P.size - g.head) % GA_VEC;
  return g;
}

GA_FN ga_uint ga_group_of(ga_uint t, ga_uint by) { return by ? ga_divide_small(t, by) : t; }

/* Copies the block's groups, which `held` has room for. */
GA_FN ga_groups ga_fetch_groups(const ga_params &P, char *held) {
  ga_groups b;
  b.first = (ga_index)blockIdx.x * P.groups;
  b.n = P.units - b.first < P.groups ? (ga_uint)(P.units - b.first) : P.groups;
  b.parts = held + P.parts_at;
  const ga_place at = ga_seek(P.kept_axes, b.first * P.inner);
#define X(i, T)                                                                   \
  {                                                                               \
    const char *p = P.a##i + at.off[i];                                           \
    const ga_uint phase = (ga_uint)(ga_ulong)p & 15;                              \
    const ga_uint end = phase + b.n * P.size * (ga_uint)sizeof(T);                \
    for (ga_uint v = threadIdx.x * 16; v < end; v += GA_BLOCK * 16)               \
      ga_copy_beside<16>(held + v, p - phase + v);                                \
    b.a##i = held + phase;                                                        \
    b.before = phase / (ga_uint)sizeof(T) & (GA_VEC - 1);                         \
    held += (P.groups * P.size * (ga_uint)sizeof(T) + 30) / 16 * 16;              \
  }
  GA_INPUTS(X)
#undef X
  return b;
}

/* ---- what a thread has of the columns of its words ------------------------------ */

#if GA_EXTREME_WORDS

#define X(i, T) typedef T ga_sought;
GA_EXTREME(X)
#undef X
typedef ga_uint ga_part;
struct ga_joined {
  ga_best_words<ga_sought> best;
  GA_FN_MEMBER void begin() { best.begin_worst(); }
  GA_FN_MEMBER void take(const ga_params &, const ga_vectors &l, int c) {
#define X(i, T) best.take(l.x##i[c].v.v[0]);
    GA_EXTREME(X)
#undef X
  }
  GA_FN_MEMBER void join(const ga_part *part) { best.take(*part); }
  GA_FN_MEMBER void put(ga_part *part) const { *part = best.all(); }
};

/* What the j-th element of some parts stands for. */
GA_FN ga_sub ga_part_get(const ga_params &P, const ga_part *parts, ga_uint j) {
  ga_in in;
#define X(i, T) in.x##i = ((const T *)parts)[j];
  GA_EXTREME(X)
#undef X
  return ga_narrow(ga_leaf(P, in, 0));
}

#else

struct ga_part {
  ga_sub of[GA_VEC];
};
struct ga_joined {
  ga_part a;
  GA_FN_MEMBER void begin() {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) a.of[j] = ga_nothing();
  }
  GA_FN_MEMBER void take(const ga_params &P, const ga_vectors &l, int c) {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) ga_add(P, a.of[j], l, c, j, 0);
  }
  GA_FN_MEMBER void join(const ga_part *part) {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) a.of[j] = ga_combine(a.of[j], part->of[j]);
  }
  GA_FN_MEMBER void put(ga_part *part) const { *part = a; }
};
GA_FN ga_sub ga_part_get(const ga_params &, const ga_part *parts, ga_uint j) {
  return ((const ga_sub *)parts)[j];
}

#endif

/* N words of a group from element e on, `step` elements apart. */
template <int N>
GA_FN void ga_take_words(const ga_params &P, const ga_groups &b, ga_uint e, ga_uint step,
                         ga_joined &a) {
  ga_vectors l;
#define X(i, T)                                                                  \
  _Pragma("unroll") for (int c = 0; c < N; c++)                                  \
    l.x##i[c].load(b.a##i + (e + c * step) * (ga_uint)sizeof(T));
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int c = 0; c < N; c++) a.take(P, l, c);
}

GA_FN void ga_walk_groups(const ga_params &P, const ga_groups &b) {
  const ga_uint step = P.threads * GA_VEC;
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < b.n * P.threads; t += GA_BLOCK) {
    const ga_uint n = ga_group_of(t, P.by_threads);
    const ga_group g = ga_group_at(P, b, n);
    const ga_uint end = g.words * GA_VEC;
    const ga_uint from = g.at + g.head;
    ga_uint e = (t - n * P.threads) * GA_VEC;
    ga_joined a;
    a.begin();
#pragma unroll 1
    for (; e + (GA_LOADS - 1) * step < end; e += GA_LOADS * step)
      ga_take_words<GA_LOADS>(P, b, from + e, step, a);
#pragma unroll 1
    for (; e < end; e += step) ga_take_words<1>(P, b, from + e, step, a);
    a.put((ga_part *)b.parts + t);
  }
}

#if GA_ALIGNED

/* Columns of a word, of which each `results`-th of a group's parts has some rows. */
GA_FN void ga_finish_groups(const ga_params &P, const ga_groups &b) {
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < b.n * P.results; t += GA_BLOCK) {
    const ga_uint n = ga_group_of(t, P.by_results), x = t - n * P.results;
    const ga_part *part = (const ga_part *)b.parts + n * P.threads + x;
    const ga_index column = (b.first + n) * P.inner + x * GA_VEC;
    ga_joined a;
    ga_part joined;
    ga_acc all[GA_VEC];
    a.begin();
#pragma unroll 1
    for (ga_uint k = x; k < P.threads; k += P.results, part += P.results) a.join(part);
    a.put(&joined);
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) all[j] = ga_widen(ga_part_get(P, &joined, j));
    ga_finish_beside<1>(P, ga_seek(P.kept_axes, column), P.inner_step, all, 0, GA_VEC);
  }
}

#else

GA_FN ga_sub ga_element(const ga_params &P, const ga_groups &b, ga_uint e) {
  ga_in in;
#define X(i, T) in.x##i = *(const T *)(b.a##i + e * (ga_uint)sizeof(T));
  GA_INPUTS(X)
#undef X
  return ga_narrow(ga_leaf(P, in, 0));
}

/* A column: each `inner`-th element of a group's parts, of which the first is that behind the
 * head, and what it has of head and tail. */
GA_FN ga_sub ga_join_column(const ga_params &P, const ga_groups &b, ga_uint n, ga_uint x,
                            ga_uint lane) {
  const ga_group g = ga_group_at(P, b, n);
  const ga_part *parts = (const ga_part *)b.parts + n * P.threads;
  ga_sub a = ga_nothing();
  ga_uint e = x;
#pragma unroll 1
  for (; e < g.head; e += P.inner)
    if (lane == 0) a = ga_combine(a, ga_element(P, b, g.at + e));
#pragma unroll 4
  for (e += lane * P.inner - g.head; e < P.threads * GA_VEC; e += P.inner << P.join_bits)
    a = ga_combine(a, ga_part_get(P, parts, e));
#pragma unroll 1
  for (e = P.inner - x; e <= g.tail; e += P.inner)
    if (lane == 0) a = ga_combine(a, ga_element(P, b, g.at + P.size - e));
  return a;
}

GA_FN void ga_finish_groups(const ga_params &P, const ga_groups &b) {
  const ga_uint lane = threadIdx.x & ((1u << P.join_bits) - 1), all = b.n * P.results;
  ga_uint t = threadIdx.x >> P.join_bits;
#pragma unroll 1
  for (ga_uint k = 0; k < all; k += GA_BLOCK >> P.join_bits, t += GA_BLOCK >> P.join_bits) {
    const bool exists = t < all;
    const ga_uint n = exists ? ga_group_of(t, P.by_results) : 0, x = exists ? t - n * P.results : 0;
    const ga_sub a = ga_join_down(ga_join_column(P, b, n, x, lane), (int)P.join_bits);
    if (exists && lane == 0) ga_finish(P, (b.first + n) * P.inner + x, ga_widen(a));
  }
}

#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  const ga_groups b = ga_fetch_groups(P, (char *)ga_held);
  ga_wait_for_copies();
  __syncthreads();
  ga_walk_groups(P, b);
  __syncthreads();
  ga_finish_groups(P, b);
}
