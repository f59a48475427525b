/* SPDX-License-Identifier: MIT */
/* Accumulators of a warp's lanes, joined in the order of DESIGN.md ("Order of a
 * reduction"). What is included next defines for its accumulators A
 *   ga_combine(a, b)       a being the left one; either may be, to the bit
 *   ga_exchange(a, mask)   the accumulator of the lane whose number differs in the
 *                          bits of `mask`
 */
#define GA_FULL 0xffffffffu

/* `v`, of which each word went through f. */
template <class T, class F> GA_FN T ga_by_words(T v, const F &f) {
  if constexpr (sizeof(T) == 4) { /* without a loop: NVRTC takes longer for one than for a word */
    ga_uint w;
    memcpy(&w, &v, 4);
    w = f(w);
    memcpy(&v, &w, 4);
    return v;
  }
  ga_uint w[(sizeof(T) + 3) / 4];
  w[(sizeof(T) - 1) / 4] = 0; /* the last word may be padded */
  memcpy(w, &v, sizeof(T));
#pragma unroll
  for (int k = 0; k < (int)(sizeof(T) + 3) / 4; k++) w[k] = f(w[k]);
  memcpy(&v, w, sizeof(T));
  return v;
}

/* The value of another lane. */
template <class T> GA_FN T ga_value_from_lane(T v, int lane) {
  return ga_by_words(v, [&](ga_uint w) { return __shfl_sync(GA_FULL, w, lane); });
}

/* The value `by` lanes before, its own where that is none of its 2^k aligned `lanes`. */
template <class T> GA_FN T ga_value_from_left(T v, int by, int lanes) {
  return ga_by_words(v, [&](ga_uint w) { return __shfl_up_sync(GA_FULL, w, by, lanes); });
}

/* The value of the lane whose number differs in the bits of `mask`. */
template <class T> GA_FN T ga_exchange_value(T v, int mask) {
  return ga_by_words(v, [&](ga_uint w) { return __shfl_xor_sync(GA_FULL, w, mask); });
}

/* Before loops that join: GA_ROLL 1, if ga_combine is long, they stay loops. */
#if GA_ROLL
#define GA_UNROLL_JOINS _Pragma("unroll 1")
#else
#define GA_UNROLL_JOINS _Pragma("unroll")
#endif

/* leaf(0) to leaf(N - 1), joined by the bits of their numbers, highest first. No array
 * holds them: one of accumulators of several members is stored to memory, read or not. */
template <int N, int H = 1, class F> GA_FN auto ga_join_leaves(const F &leaf, int c = 0) {
  if constexpr (H >= N) {
    return leaf(c);
  } else {
    const auto a = ga_join_leaves<N, 2 * H>(leaf, c);
    return c + H < N ? ga_combine(a, ga_join_leaves<N, 2 * H>(leaf, c + H)) : a;
  }
}

/* The same of those that exist: leaf(0) does, and where exists(c) is false no leaf does whose
 * number has c's bits. */
template <int N, int H = 1, class F, class E>
GA_FN auto ga_join_existing(const F &leaf, const E &exists, int c = 0) {
  if constexpr (H >= N) {
    return leaf(c);
  } else {
    auto a = ga_join_existing<N, 2 * H>(leaf, exists, c);
    if (c + H < N && exists(c + H))
      a = ga_combine_cut(a, ga_join_existing<N, 2 * H>(leaf, exists, c + H));
    return a;
  }
}

/* Joins the lanes of each aligned group of 2^bits, lowest bit first: chunks. */
template <class A> GA_FN A ga_join_up(A a, int bits) {
  GA_UNROLL_JOINS
  for (int b = 0; b < 5; b++)
    if (b < bits) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
}

/* The same, highest bit first: bits 6 to 2 inside a chunk. */
template <class A> GA_FN A ga_join_down(A a, int bits) {
  GA_UNROLL_JOINS
  for (int b = 4; b >= 0; b--)
    if (b < bits) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
}
