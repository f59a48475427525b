/* SPDX-License-Identifier: MIT */
/* Whole numbers of 1 and 2 bytes by the words of a pack that they lie in. Sums
 * (GA_NARROW_SUMS): one instruction adds those of a word, each by its weight. Extremes
 * (GA_EXTREME): one compares both halves of two words; a byte is the upper one of its half,
 * what lies below decides between equals alone. What is asked of each element and rises or falls
 * with it, is asked of the greatest or least: whether any is above 3.
 *   GA_GREATEST 1: the greatest element is sought; GA_EXTREME_SIGNED 1: there are negative ones
 *   GA_BOTH(X): X(m, end) for each member, where several reductions seek both ends: the greatest
 *               element, `most`, or the `least` one */
#if defined(GA_NARROW_SUMS)

/* `sum` and element j, or SQUARE its square. */
template <bool SQUARE, class S, class T, int N>
GA_FN S ga_add_element(S sum, const ga_pack<T, N, true> &p, int j) {
  const int each = 4 / (int)sizeof(T);
  if constexpr (SQUARE) return sum + (S)p.get(j) * (S)p.get(j);
  else return ga_dot(sum, T(), p.v.v[j / each], 1u << j % each * 8);
}
template <bool SQUARE, class S, class T, int N>
GA_FN S ga_add_element(S sum, const ga_pack<T, N, false> &p, int j) {
  const S x = (S)p.get(j);
  return sum + (SQUARE ? x * x : x);
}

/* `sum` and the elements whose bits are set in `some`, or their squares. */
template <bool SQUARE, class S, class T, int N>
GA_FN S ga_add_some(S sum, const ga_pack<T, N, true> &p, ga_uint some) {
  const int each = 4 / (int)sizeof(T);
#pragma unroll
  for (int w = 0; w < N / each; w++) {
    const ga_uint bits = some >> each * w & ((1u << each) - 1);
    const ga_uint weights = bits * 0x204081u & 0x1010101u;
    if constexpr (!SQUARE) {
      sum = ga_dot(sum, T(), p.v.v[w], weights);
    } else if constexpr (sizeof(T) == 1) {
      const ga_uint v = p.v.v[w] & weights * 255;
      sum = ga_dot(sum, T(), v, v);
    } else {
#pragma unroll
      for (int e = 0; e < each; e++)
        if (bits >> e & 1) sum = ga_add_element<true>(sum, p, each * w + e);
    }
  }
  return sum;
}

#endif

#if defined(GA_EXTREME) && (!defined(__CUDA_ARCH__) || defined(__GPUARRAY_CPU__) || \
                            __CUDA_ARCH__ >= (GA_KEYS == 2 ? 800 : 900))
#define GA_EXTREME_WORDS 1

/* The better one of each half of a and b; of floats any NaN. */
template <bool GREATEST = GA_GREATEST> GA_FN ga_uint ga_better_word(ga_uint a, ga_uint b) {
#if GA_KEYS != 2
  return ga_better_halves<GREATEST, GA_EXTREME_SIGNED>(a, b);
#elif defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
#if GA_RANK_INFINITY == 0x7c00
  if (GA_GREATEST) asm("max.NaN.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  else asm("min.NaN.f16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
#else
  if (GA_GREATEST) asm("max.NaN.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
  else asm("min.NaN.bf16x2 %0, %0, %1;" : "+r"(a) : "r"(b));
#endif
  return a;
#else
  ga_value x[2], y[2];
  memcpy(x, &a, 4);
  memcpy(y, &b, 4);
  for (int h = 0; h < 2; h++) x[h] = ga_better(x[h], y[h]);
  memcpy(&a, x, 4);
  return a;
#endif
}

/* What is as bad as can be, in each place of a word. */
template <class T, bool GREATEST = GA_GREATEST> GA_FN ga_uint ga_worst_word() {
  return ga_worst_parts<4 / (int)sizeof(T), GREATEST, GA_EXTREME_SIGNED>();
}

/* Of each place of some words the best number, as words of T are taken. */
template <class T, bool GREATEST = GA_GREATEST> struct ga_best_words {
  enum { BYTES = sizeof(T) == 1 };
  ga_uint upper, lower; /* BYTES: of the upper ones of halves, of the lower ones */
  GA_FN_MEMBER void begin(ga_uint w) {
    upper = w;
    lower = w << 8;
  }
  GA_FN_MEMBER void begin_worst() { begin(ga_worst_word<T, GREATEST>()); }
  GA_FN_MEMBER void take(ga_uint w) {
    upper = ga_better_word<GREATEST>(upper, w);
    if (BYTES) lower = ga_better_word<GREATEST>(lower, w << 8);
  }
  GA_FN_MEMBER void join(const ga_best_words &b) {
    upper = ga_better_word<GREATEST>(upper, b.upper);
    if (BYTES) lower = ga_better_word<GREATEST>(lower, b.lower);
  }
  GA_FN_MEMBER T one() const { /* of all places */
    const ga_uint u = BYTES ? ga_better_word<GREATEST>(upper, lower) : upper;
    T x;
    ga_cut(ga_better_word<GREATEST>(u, u << 16), 32 - 8 * (int)sizeof(T), x);
    return x;
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

#if defined(GA_BOTH)
/* The greatest of each place in p[0], the least in p[1]. */
template <class T, int N, int LINES, class E>
GA_FN void ga_merge_ends(ga_pack<T, N, true> (&p)[LINES], const E &exists) {
#pragma unroll
  for (int w = 0; w < N * (int)sizeof(T) / 4; w++) {
    ga_best_words<T, true> most;
    ga_best_words<T, false> least;
    most.begin(p[0].v.v[w]);
    least.begin(p[0].v.v[w]);
#pragma unroll
    for (int c = 1; c < LINES; c++)
      if (exists(c)) {
        most.take(p[c].v.v[w]);
        least.take(p[c].v.v[w]);
      }
    p[0].v.v[w] = most.all();
    p[1].v.v[w] = least.all();
  }
}
template <class T, int N, int LINES, class E>
GA_FN void ga_merge_ends(ga_pack<T, N, false> (&)[LINES], const E &) {}
#endif

/* Takes those elements of p whose bits are set in `some`, of each word by their places. */
template <class T, bool GREATEST, int N>
GA_FN void ga_take_pack(ga_best_words<T, GREATEST> &best, const ga_pack<T, N, true> &p,
                        ga_uint some) {
  const int each = 4 / (int)sizeof(T);
#pragma unroll
  for (int w = 0; w < N / each; w++) {
    const ga_uint bits = some >> each * w & ((1u << each) - 1);
    const ga_uint mask = sizeof(T) == 1 ? (bits * 0x204081u & 0x1010101u) * 255u
                                        : (bits * 0x8001u & 0x10001u) * 0xffffu;
    best.take((p.v.v[w] & mask) | (ga_worst_word<T, GREATEST>() & ~mask));
  }
}

#if defined(GA_BOTH)
/* Of each place the greatest number and the least one. */
template <class T> struct ga_end_words {
  ga_best_words<T, true> most;
  ga_best_words<T, false> least;
  GA_FN_MEMBER void begin_worst() {
    most.begin_worst();
    least.begin_worst();
  }
  GA_FN_MEMBER void join(const ga_end_words &b) {
    most.join(b.most);
    least.join(b.least);
  }
};
template <class T, int N>
GA_FN void ga_take_pack(ga_end_words<T> &ends, const ga_pack<T, N, true> &p, ga_uint some) {
  ga_take_pack(ends.most, p, some);
  ga_take_pack(ends.least, p, some);
}
#endif

#else
#define GA_EXTREME_WORDS 0
#endif
