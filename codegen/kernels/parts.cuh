/* SPDX-License-Identifier: MIT */
/* Vectors of which only some elements are there: ends of rows, and rows that other rows
 * follow. Nothing is asked for but the aligned words that hold one of these, and nothing
 * stored but these, so threads that have an end do what their neighbours do.
 *
 *   int8, N 16, elements 3 to 15, p at 5 modulo 16: both words around p, shifted by 5;
 *   stored as a byte and three words of 4
 */
/* Asks for the aligned words of 4*N bytes, GAP + 1 of them, that hold bytes [begin, end) of
 * those from p on, and for no other; returns how many bytes p is past a word. */
template <int N, int GAP>
GA_FN int ga_row_ask(ga_vec<ga_uint, N> (&w)[GAP + 1], const char *p, int begin, int end) {
  const int at = (int)((ga_ulong)p & (4 * N - 1));
  const ga_vec<ga_uint, N> *q = (const ga_vec<ga_uint, N> *)(p - at);
#pragma unroll
  for (int k = 0; k <= GAP; k++) {
    w[k] = ga_splat<ga_uint, N>(0);
    if (begin + at < 4 * N * (k + 1) && end + at > 4 * N * k) w[k] = q[k];
  }
  return at;
}

/* Elements [first, last) of the N from p on; the others are anything. ALIGNED: p lies on
 * the vector. */
template <class T, int N, bool ALIGNED>
GA_FN ga_words<T, N> ga_load_part(const char *p, int first, int last) {
  const int size = (int)sizeof(T), bytes = N * size;
  if constexpr (N == 1 || (ALIGNED && bytes >= 4)) {
    return ga_load_words<T, N, true>(p);
  } else if constexpr (bytes < 4) {
    ga_vec<T, N> v = ga_splat<T, N>(T());
#pragma unroll
    for (int k = 0; k < N; k++)
      if (k >= first && k < last) v.v[k] = ga_load<T>(p + k * size);
    return ga_words_of<T, N>(v);
  } else {
    ga_vec<ga_uint, bytes / 4> w[2];
    ga_words<T, N> r;
    const int at = ga_row_ask<bytes / 4, 1>(w, p, first * size, last * size);
    w[0] = ga_shift_words<bytes / 4, size >= 4>(w[0], w[1], (ga_uint)at);
    memcpy(&r, &w[0], sizeof r);
    return r;
  }
}

/* The same beside others that move; STILL: one element for all. */
template <class T, int N, bool ALIGNED, bool STILL>
GA_FN ga_words<T, N> ga_load_beside(const char *p, int first, int last) {
  if (STILL) return ga_words_of<T, N>(ga_splat<T, N>(ga_load<T>(p)));
  return ga_load_part<T, N, ALIGNED>(p, first, last);
}

/* Those elements on their way: all operands are asked for before one of them is shifted, which
 * waits for it. */
template <class T, int N, bool ALIGNED,
          bool SHIFTED = !ALIGNED && !GA_BYTES && (N > 1) && (N * (int)sizeof(T) >= 4) &&
                         (N * (int)sizeof(T) <= 16)>
struct ga_asked {
  ga_words<T, N> w;
  GA_FN_MEMBER void ask(const char *p, int first, int last) {
    if constexpr (N * sizeof(T) > 16) /* whole ones only, as map_contig.cu has */
      w = ga_load_words<T, N, ALIGNED>(p);
    else
      w = ga_load_part<T, N, ALIGNED>(p, first, last);
  }
  GA_FN_MEMBER void take(const ga_vec<T, N> &v) { w = ga_words_of<T, N>(v); }
  GA_FN_MEMBER ga_words<T, N> get() const { return w; }
};
template <class T, int N, bool ALIGNED> struct ga_asked<T, N, ALIGNED, true> {
  ga_vec<ga_uint, N * (int)sizeof(T) / 4> w[2];
  int at;
  GA_FN_MEMBER void ask(const char *p, int first, int last) {
    const int size = (int)sizeof(T);
    at = ga_row_ask<N * size / 4, 1>(w, p, first * size, last * size);
  }
  GA_FN_MEMBER void take(const ga_vec<T, N> &v) {
    memcpy(&w[0], &v, sizeof v);
    w[1] = w[0];
    at = 0;
  }
  GA_FN_MEMBER ga_words<T, N> get() const {
    const ga_vec<ga_uint, N * (int)sizeof(T) / 4> v =
        ga_shift_words<N * (int)sizeof(T) / 4, sizeof(T) >= 4>(w[0], w[1], (ga_uint)at);
    ga_words<T, N> r;
    memcpy(&r, &v, sizeof r);
    return r;
  }
};

/* The same of elements that are stored: words where p lies on the vector (ALIGNED). */
template <class T, int N, bool ALIGNED>
GA_FN void ga_store_part(char *p, const ga_vec<T, N> &v, int first, int last) {
  const int size = (int)sizeof(T), each = ALIGNED && size < 4 && N * size >= 4 ? 4 / size : 1;
#pragma unroll
  for (int k = 0; k < N; k += each) {
    if (each > 1 && k >= first && k + each <= last) {
      ga_vec<T, each> t;
#pragma unroll
      for (int j = 0; j < each; j++) t.v[j] = v.v[k + j];
      ga_store_aligned<T, each>(p + k * size, t);
      continue;
    }
#pragma unroll
    for (int j = 0; j < each; j++)
      if (k + j >= first && k + j < last) ga_store<T>(p + (k + j) * size, v.v[k + j]);
  }
}
