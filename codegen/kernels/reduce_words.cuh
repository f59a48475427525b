/* SPDX-License-Identifier: MIT */
/* Whole numbers of 1 and 2 bytes by the words of a pack that they lie in. Sums
 * (GA_NARROW_SUMS): one instruction adds those of a word, each by its weight. Extremes
 * (GA_EXTREME): one compares both halves of two words; a byte is the upper one of its half,
 * what lies below decides between equals alone. What is asked of each element and rises or falls
 * with it, is asked of the greatest or least: whether any is above 3.
 *   GA_GREATEST 1: the greatest element is sought; GA_EXTREME_SIGNED 1: there are negative ones */
#if defined(GA_NARROW_SUMS)

/* `sum` and the elements of word w, the lowest byte of `weights` being the first one's. */
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
#define GA_DOT(T, dot)                                                                      \
  template <int N>                                                                          \
  GA_FN ga_int ga_add_word(ga_int sum, const ga_pack<T, N, true> &p, int w, ga_uint weights) { \
    asm(dot " %0, %1, %2, %0;" : "+r"(sum) : "r"(p.v.v[w]), "r"(weights));                  \
    return sum;                                                                             \
  }
GA_DOT(ga_byte, "dp4a.s32.s32")
GA_DOT(ga_ubyte, "dp4a.u32.u32")
GA_DOT(ga_short, "dp2a.lo.s32.s32")
GA_DOT(ga_ushort, "dp2a.lo.u32.u32")
#else
template <class T, int N>
GA_FN ga_int ga_add_word(ga_int sum, const ga_pack<T, N, true> &p, int w, ga_uint weights) {
  const int each = 4 / (int)sizeof(T);
  for (int e = 0; e < each; e++)
    sum += (ga_int)(weights >> 8 * e & 1) * (ga_int)p.get(w * each + e);
  return sum;
}
#endif

/* `sum` and element j. */
template <class T, int N>
GA_FN ga_int ga_add_element(ga_int sum, const ga_pack<T, N, true> &p, int j) {
  const int each = 4 / (int)sizeof(T);
  return ga_add_word(sum, p, j / each, 1u << j % each * 8);
}
template <class T, int N>
GA_FN ga_int ga_add_element(ga_int sum, const ga_pack<T, N, false> &p, int j) {
  return sum + (ga_int)p.get(j);
}

/* `sum` and the elements whose bits are set in `some`. */
template <class T, int N>
GA_FN ga_int ga_add_some(ga_int sum, const ga_pack<T, N, true> &p, ga_uint some) {
  const int each = 4 / (int)sizeof(T);
#pragma unroll
  for (int w = 0; w < N / each; w++) {
    const ga_uint bits = some >> each * w & ((1u << each) - 1);
    sum = ga_add_word(sum, p, w, bits * 0x204081u & 0x1010101u);
  }
  return sum;
}

#endif

#if defined(GA_EXTREME) && \
    (!defined(__CUDA_ARCH__) || defined(__GPUARRAY_CPU__) || __CUDA_ARCH__ >= 900)
#define GA_EXTREME_WORDS 1

/* The better one of each half of a and b. */
GA_FN ga_uint ga_better_word(ga_uint a, ga_uint b) {
  return ga_better_halves<GA_GREATEST, GA_EXTREME_SIGNED>(a, b);
}

/* What is as bad as can be, in each place of a word. */
template <class T> GA_FN ga_uint ga_worst_word() {
  return ga_worst_parts<4 / (int)sizeof(T), GA_GREATEST, GA_EXTREME_SIGNED>();
}

/* Of each place of some words the best number, as words of T are taken. */
template <class T> struct ga_best_words {
  enum { BYTES = sizeof(T) == 1 };
  ga_uint upper, lower; /* BYTES: of the upper ones of halves, of the lower ones */
  GA_FN_MEMBER void begin(ga_uint w) {
    upper = w;
    lower = w << 8;
  }
  GA_FN_MEMBER void begin_worst() { begin(ga_worst_word<T>()); }
  GA_FN_MEMBER void take(ga_uint w) {
    upper = ga_better_word(upper, w);
    if (BYTES) lower = ga_better_word(lower, w << 8);
  }
  GA_FN_MEMBER void join(const ga_best_words &b) {
    upper = ga_better_word(upper, b.upper);
    if (BYTES) lower = ga_better_word(lower, b.lower);
  }
  GA_FN_MEMBER ga_uint all() const {
    return BYTES ? (upper & 0xff00ff00u) | (lower >> 8 & 0xff00ffu) : upper;
  }
};

/* The best of each place in p[0], p[1], ... as far as `exists` has them, in p[0]. */
template <class T, int N, int LINES, class E>
GA_FN void ga_merge_packs(ga_pack<T, N, true> (&p)[LINES], const E &exists) {
#pragma unroll
  for (int w = 0; w < N * (int)sizeof(T) / 4; w++) {
    ga_best_words<T> best;
    best.begin(p[0].v.v[w]);
#pragma unroll
    for (int c = 1; c < LINES; c++)
      if (exists(c)) best.take(p[c].v.v[w]);
    p[0].v.v[w] = best.all();
  }
}
template <class T, int N, int LINES, class E>
GA_FN void ga_merge_packs(ga_pack<T, N, false> (&)[LINES], const E &) {}

/* Takes those elements of p whose bits are set in `some`, of each word by their places. */
template <class T, int N>
GA_FN void ga_take_pack(ga_best_words<T> &best, const ga_pack<T, N, true> &p, ga_uint some) {
  const int each = 4 / (int)sizeof(T);
#pragma unroll
  for (int w = 0; w < N / each; w++) {
    const ga_uint bits = some >> each * w & ((1u << each) - 1);
    const ga_uint mask = sizeof(T) == 1 ? (bits * 0x204081u & 0x1010101u) * 255u
                                        : (bits * 0x8001u & 0x10001u) * 0xffffu;
    best.take((p.v.v[w] & mask) | (ga_worst_word<T>() & ~mask));
  }
}

#else
#define GA_EXTREME_WORDS 0
#endif
