/* SPDX-License-Identifier: MIT */
/* Map, class FLAT: the outputs lie in memory as the loop counts, without gaps, but
 * some input does not: it is broadcast, or its rows are padded, so that no row
 * begins where a vector does.
 *
 * As in map_contig.cu one thread does one vector of GA_VEC elements of all rows laid
 * end to end, and single threads what lies before the first aligned vector and behind
 * the last. Dense operands move by vectors; of walked ones a thread finds the row of
 * its first element by a division and asks for elements where they lie: in that
 * row or, behind its end, in the next.
 *
 *   rows of 33 float32 + a vector of 33, GA_VEC 4: thread 8 does elements 32..35;
 *   c = 32, 1 is left of row 0: elements 32 of the vector, then 0, 1, 2 as of row 1
 *
 * GA_SHORT 1: rows may be shorter than a vector; each element is divided by itself.
 * GA_STEPS 0: walked inputs stay or step by one element along a row; 1: narrow ones by one
 * or two, either way; 2: by anything. Narrow ones come as aligned vectors, shifted, but for 2.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_WALKED(X)   X(i, T) for each input that is not dense
 *   GA_DENSE(X)    the other inputs
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nvec, head, nsingle;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div inner;
  ga_axes<GA_NK> axes; /* but for the innermost */
  ga_offset step[GA_NOFF]; /* along the innermost */
  GA_NUMBERS(GA_NUMBER)
};

/* Where element c of a row lies. */
GA_FN ga_place ga_of_row(const ga_params &P, ga_index row, ga_offset c) {
  ga_place at = ga_seek(P.axes, row);
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) at.off[o] += c * P.step[o];
  return at;
}

GA_FN ga_place ga_of_element(const ga_params &P, ga_ulong e) {
  const ga_index row = ga_quotient((ga_index)e, P.inner);
  return ga_of_row(P, row, (ga_offset)((ga_index)e - row * P.inner.d));
}

GA_FN void ga_single(const ga_params &P, ga_ulong e) {
  const ga_place at = ga_of_element(P, e);
  ga_in in;
  ga_out out;
  ga_long iota = 0;
#define X(i, T) in.x##i = ga_load<T>(P.a##i + e * sizeof(T));
  GA_DENSE(X)
#undef X
#define X(i, T) in.x##i = ga_load<T>(P.a##i + at.off[i]);
  GA_WALKED(X)
#undef X
#if GA_IOTA
  iota = P.iota_base + at.off[GA_NOP];
#endif
  ga_map(P, in, iota, out);
#define X(i, T) ga_store<T>(P.a##i + e * sizeof(T), out.y##i);
  GA_OUTPUTS(X)
#undef X
}

#if !GA_SHORT
/* The vector that a thread walks: its first `left` elements are in the row at p, the
 * others in the one at q, which are where element 0 would be. Rows that stay or have unit
 * step take no arithmetic of their own. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_walk_each(const char *p, const char *q, ga_index left,
                                       ga_offset step) {
  ga_vec<T, GA_VEC> x;
  if (step == 0) {
    const T a = ga_load<T>(p);
    T b = a;
    if (left < GA_VEC) b = ga_load<T>(q);
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x.v[k] = k < left ? a : b;
  } else if (step == (ga_offset)sizeof(T)) {
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x.v[k] = ga_load<T>((k < left ? p : q) + k * (int)sizeof(T));
  } else {
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x.v[k] = ga_load<T>((k < left ? p : q) + k * step);
  }
  return ga_words_of<T, GA_VEC>(x);
}

/* Narrow elements [first, last) of a vector whose element 0 is at p, the others GAP
 * elements from one to the next, behind it or (back) before it. */
template <class T, int GAP>
GA_FN ga_words<T, GA_VEC> ga_row_near(const char *p, int first, int last, bool back) {
  const int size = (int)sizeof(T), gap = GAP * size, N = GA_VEC * size / 4;
  const int begin = back ? GA_VEC - last : first, end = back ? GA_VEC - first : last;
  ga_uint u[GAP * N];
  ga_words<T, GA_VEC> r;
  ga_vec<ga_uint, N> w[GAP + 1];
  const int at = ga_row_ask<N, GAP>(w, back ? p - (GA_VEC - 1) * gap : p, begin * gap,
                                    (end - 1) * gap + size);
#pragma unroll
  for (int k = 0; k < GAP; k++) {
    const ga_vec<ga_uint, N> v = ga_shift_words<N>(w[k], w[k + 1], (ga_uint)at);
#pragma unroll
    for (int j = 0; j < N; j++) u[k * N + j] = v.v[j];
  }
#pragma unroll
  for (int k = 0; k < N && GAP == 2; k++)
    u[k] = __byte_perm(u[2 * k], u[2 * k + 1], size == 1 ? 0x6420 : 0x5410);
#pragma unroll
  for (int k = 0; k < N; k++)
    r.v[k] = back ? __byte_perm(u[N - 1 - k], 0, size == 1 ? 0x0123 : 0x1032) : u[k];
  return r;
}

/* The same, `step` bytes from one to the next: one element or two, or none. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_row_vector(const char *p, int first, int last, ga_offset step) {
  const bool back = step < 0;
  if (step == 0) return ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(p)));
  if (GA_STEPS == 1 && (back ? -step : step) != (ga_offset)sizeof(T))
    return ga_row_near<T, 2>(p, first, last, back);
  return ga_row_near<T, 1>(p, first, last, back);
}

/* The first `left` elements of a, the others of b. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_join_rows(ga_words<T, GA_VEC> a, const ga_words<T, GA_VEC> &b,
                                       int left) {
#pragma unroll
  for (int k = 0; k < (int)(sizeof a / sizeof a.v[0]); k++) {
    const int bits = left * 8 * (int)sizeof(T) - 32 * k;
    const ga_uint mask = bits >= 32 ? ~0u : bits <= 0 ? 0 : (1u << bits) - 1;
    a.v[k] = (a.v[k] & mask) | (b.v[k] & ~mask);
  }
  return a;
}

/* As ga_walk_each, but narrow elements come by words. Those of unit step are asked for in
 * both rows before any are used. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_walk_row(const char *p, const char *q, ga_index rest,
                                      ga_offset step) {
  const int size = (int)sizeof(T), N = GA_VEC * size / 4;
  const int left = rest < GA_VEC ? (int)rest : GA_VEC;
  if constexpr (GA_STEPS == 2 || size >= 4 || N == 0) {
    return ga_walk_each<T>(p, q, rest, step);
  } else if (GA_STEPS == 1 || step == 0) {
    const ga_words<T, GA_VEC> r = ga_row_vector<T>(p, 0, left, step);
    return left == GA_VEC ? r : ga_join_rows<T>(r, ga_row_vector<T>(q, left, GA_VEC, step), left);
  } else {
    ga_vec<ga_uint, N> a[2], b[2];
    const int at = ga_row_ask<N, 1>(a, p, 0, left * size);
    const int past = ga_row_ask<N, 1>(b, q, left * size, (left < GA_VEC ? 4 : -4) * N);
    a[0] = ga_shift_words<N>(a[0], a[1], (ga_uint)at);
    if (left == GA_VEC) return a[0];
    return ga_join_rows<T>(a[0], ga_shift_words<N>(b[0], b[1], (ga_uint)past), left);
  }
}
#endif

#if GA_SHORT
/* Where elements e and on lie. One after the other where rows follow each other in equal
 * steps, which takes a third of the instructions. */
GA_FN void ga_following(const ga_params &P, ga_ulong e, ga_place (&at)[GA_VEC]) {
  const ga_index row = ga_quotient((ga_index)e, P.inner);
  ga_index c = (ga_index)e - row * P.inner.d;
  ga_offset back[GA_NOFF]; /* from a row's last element to the next row */
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++)
    back[o] = P.axes.step[0][o] - (ga_offset)(P.inner.d - 1) * P.step[o];
  at[0] = ga_of_row(P, row, (ga_offset)c);
#pragma unroll
  for (int k = 1; k < GA_VEC; k++) {
    if (GA_NK > 1) {
      at[k] = ga_of_element(P, e + k);
      continue;
    }
    const bool on = ++c == P.inner.d;
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++)
      at[k].off[o] = at[k - 1].off[o] + (on ? back[o] : P.step[o]);
    if (on) c = 0;
  }
}
#endif

GA_FN void ga_vector(const ga_params &P, ga_ulong e) {
#if GA_SHORT
  ga_place at[GA_VEC];
  ga_following(P, e, at);
#else
  const ga_index row = ga_quotient((ga_index)e, P.inner);
  const ga_index c = (ga_index)e - row * P.inner.d, left = P.inner.d - c;
  const ga_place at = ga_of_row(P, row, (ga_offset)c);
  ga_place next = at;
  if (left < GA_VEC) next = ga_of_row(P, row + 1, -(ga_offset)left);
#endif
#define X(i, T)                                                                  \
  const ga_words<T, GA_VEC> w##i =                                               \
      ga_load_words<T, GA_VEC, GA_ALIGNED>(P.a##i + e * sizeof(T));
  GA_DENSE(X)
#undef X
#if GA_SHORT
#define X(i, T)                                                                  \
  ga_vec<T, GA_VEC> v##i;                                                        \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                             \
    v##i.v[k] = ga_load<T>(P.a##i + at[k].off[i]);
  GA_WALKED(X)
#undef X
#else
#define X(i, T)                                                                  \
  const ga_words<T, GA_VEC> w##i =                                               \
      ga_walk_row<T>(P.a##i + at.off[i], P.a##i + next.off[i], left, P.step[i]);
  GA_WALKED(X)
#undef X
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i);
  GA_WALKED(X)
#undef X
#endif
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i);
  GA_DENSE(X)
#undef X
#define X(i, T) ga_vec<T, GA_VEC> r##i;
  GA_OUTPUTS(X)
#undef X
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_in in;
    ga_out out;
    ga_long iota = 0;
#define X(i, T) in.x##i = v##i.v[k];
    GA_INPUTS(X)
#undef X
#if GA_IOTA && GA_SHORT
    iota = P.iota_base + at[k].off[GA_NOP];
#elif GA_IOTA
    iota = P.iota_base + (k < left ? at : next).off[GA_NOP] + k * P.step[GA_NOP];
#endif
    ga_map(P, in, iota, out);
#define X(i, T) r##i.v[k] = out.y##i;
    GA_OUTPUTS(X)
#undef X
  }
#define X(i, T) GA_STORE_RESULTS(i, T, ga_store_past, P.a##i + e * sizeof(T))
  GA_OUTPUTS(X)
#undef X
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  ga_ulong t = (ga_ulong)blockIdx.x * GA_BLOCK + threadIdx.x;
  if (t < P.nvec) {
    ga_vector(P, P.head + t * GA_VEC);
    return;
  }
  t -= P.nvec;
  if (t < P.nsingle) ga_single(P, t < P.head ? t : t + P.nvec * GA_VEC);
}
