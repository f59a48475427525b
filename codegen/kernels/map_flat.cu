/* SPDX-License-Identifier: MIT */
/* Map, class FLAT: the outputs lie in memory as the loop counts, without gaps, but
 * some input does not: it is broadcast, or its rows are padded, so that no row
 * begins where a vector does.
 *
 * As in map_contig.cu one thread does one vector of GA_VEC elements of all rows laid
 * end to end, and single threads what lies before the first aligned vector and behind
 * the last. Dense operands move by vectors; of walked ones a thread finds the row of
 * its first element by a division and asks for each element where it lies: in that
 * row or, behind its end, in the next.
 *
 *   rows of 33 float32 + a vector of 33, GA_VEC 4: thread 8 does elements 32..35;
 *   c = 32, 1 is left of row 0: elements 32 of the vector, then 0, 1, 2 as of row 1
 *
 * GA_SHORT 1: rows may be shorter than a vector; each element is divided by itself.
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

/* Element k of those that a thread walks: the first `left` are in the row at p, the
 * others in the one at q, which are where element 0 would be. Rows that stay or have
 * unit step take no arithmetic of their own. */
template <class T>
GA_FN void ga_walk_row(T (&x)[GA_VEC], const char *p, const char *q, ga_index left,
                       ga_offset step) {
  if (step == 0) {
    const T a = ga_load<T>(p);
    T b = a;
    if (left < GA_VEC) b = ga_load<T>(q);
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x[k] = k < left ? a : b;
  } else if (step == (ga_offset)sizeof(T)) {
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x[k] = ga_load<T>((k < left ? p : q) + k * (int)sizeof(T));
  } else {
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) x[k] = ga_load<T>((k < left ? p : q) + k * step);
  }
}

GA_FN void ga_vector(const ga_params &P, ga_ulong e) {
#if GA_SHORT
  ga_place at[GA_VEC];
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) at[k] = ga_of_element(P, e + k);
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
  T v##i[GA_VEC];                                                                \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                             \
    v##i[k] = ga_load<T>(P.a##i + at[k].off[i]);
#else
#define X(i, T)                                                                  \
  T v##i[GA_VEC];                                                                \
  ga_walk_row<T>(v##i, P.a##i + at.off[i], P.a##i + next.off[i], left, P.step[i]);
#endif
  GA_WALKED(X)
#undef X
#define X(i, T) const ga_vec<T, GA_VEC> u##i = ga_elements<T, GA_VEC>(w##i);
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
#define X(i, T) in.x##i = v##i[k];
    GA_WALKED(X)
#undef X
#define X(i, T) in.x##i = u##i.v[k];
    GA_DENSE(X)
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
