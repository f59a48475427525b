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
    w[0] = ga_shift_words<bytes / 4>(w[0], w[1], (ga_uint)at);
    memcpy(&r, &w[0], sizeof r);
    return r;
  }
}

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
