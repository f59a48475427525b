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
 * GA_LAPS over 1: a thread has as many vectors, `lap` apart, which are whole steps along one axis,
 * the outermost: where they begin in their rows is found once, and so are inputs that stay along
 * that axis.
 *
 *   rows of 33 float16, GA_VEC 8: 33 vectors are 8 rows. 4000 rows, GA_LAPS 4, `lap` 33 * 125:
 *   thread 8 does elements 64..71, of rows 1 and 2, and of rows 1000, 2000 and 3000 further
 *
 * GA_AROUND 1: that axis has others around it: vectors are dealt out in groups of GA_LAPS times
 * `lap`, and where one of a thread's lies beyond the end of the axis, the index is found again.
 *
 *   7 times 4000 such rows + 7 of 33, `lap` 33 * 4, groups of 128 rows: of group 31, rows 3968 to
 *   4095, threads have one vector of the first 4000 rows and three of the next
 *
 * GA_STAGES 1: narrow inputs lie in another order in groups of `group` elements: a block has
 * GA_EACH times as many vectors, and copies the whole groups that they are of to shared memory.
 * Rows are no shorter than a vector.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_DENSE(X)    X(i, T) for each input that lies as the outputs do
 *   GA_STAGED(X)   those that go by way of shared memory
 *   GA_WALKED(X)   the others, but for these where GA_LAPS is over 1:
 *   GA_STILL(X)    those that stay along the axis of the laps
 *   GA_EVEN(X)     those that move along it and stay along a row, which is no shorter than a vector
 * GA_KEEPS 1: GA_EVEN has all that stay along a row, values of which are made once for a row of a
 * vector (map_kept.cuh); 2: they are made once, for each element of a vector, of what stays along
 * the axis of the laps.
 */
#define GA_EACH (GA_STAGES ? 4 : 1)

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong nvec, head, nsingle;
  ga_ulong lap; /* vectors from one of a thread's to the next: threads that have any, ... */
#if GA_AROUND
  ga_ulong threads; /* ... but here */
  ga_div laps, around; /* by `lap`, and by the elements of the axis and those inside it */
#endif
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div inner;
  ga_axes<GA_NK> axes; /* but for the innermost */
  ga_offset step[GA_NOFF]; /* along the innermost */
  ga_offset hop[GA_NOFF];  /* from one of a thread's vectors to the next */
#if GA_STAGES
  ga_div group;
  ga_uint stage[GA_NOP]; /* where inputs lie in shared memory */
#endif
  GA_NUMBERS(GA_NUMBER)
};

#if GA_STAGES
extern __shared__ ga_vec<ga_uint, 4> ga_staged[];
#endif

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
  GA_STILL(X)
  GA_EVEN(X)
  GA_STAGED(X)
#undef X
#if GA_IOTA
  iota = P.iota_base + at.off[GA_NOP];
#endif
  ga_kept kept;
  ga_keep(P, in, kept);
  ga_map(P, in, kept, iota, out);
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

/* The same of an input that stays along a row. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_walk_even(const char *p, const char *q, ga_index rest) {
  const int left = rest < GA_VEC ? (int)rest : GA_VEC;
  const T a = ga_load<T>(p);
  T b = a;
  if (left < GA_VEC) b = ga_load<T>(q);
  if constexpr (sizeof(T) < 4 && GA_VEC * sizeof(T) >= 4)
    return ga_join_rows<T>(ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(a)),
                           ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(b)), left);
  ga_vec<T, GA_VEC> x;
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) x.v[k] = k < left ? a : b;
  return ga_words_of<T, GA_VEC>(x);
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

/* Place `to` of a staged input, in shared memory. */
#define GA_AT(i, to)                                                             \
  ((const char *)ga_staged + (int)(P.stage[i] + ((ga_uint)(ga_ulong)(P.a##i + base.off[i]) & 15) + \
                                   (ga_uint)((to) - base.off[i])))

/* The vectors that begin with vector t, `most` of them; returns how many of those were done. */
GA_FN int ga_vectors(const ga_params &P, ga_ulong t, const ga_place &base, int most) {
  const ga_ulong e = P.head + t * GA_VEC;
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
  bool on[GA_LAPS];
  ga_ulong b[GA_LAPS];
#if GA_AROUND
  const ga_ulong past = e - (ga_ulong)ga_quotient((ga_index)e, P.around) * P.around.d;
#endif
#pragma unroll
  for (int n = 0; n < GA_LAPS; n++) {
    on[n] = n == 0 || t + P.lap * n < P.nvec;
    b[n] = e + P.lap * n * GA_VEC;
#if GA_AROUND
    on[n] = n == 0 || (on[n] && n < most && past + (b[n] - e) + GA_VEC <= P.around.d);
#endif
  }
#if GA_SHORT
#define GA_WALK(i, T, n)                                                         \
  _Pragma("unroll") for (int k = 0; k < GA_VEC; k++)                             \
    w##i[n].v[k] = ga_load<T>(P.a##i + (at[k].off[i] + n * P.hop[i]));
#define GA_HELD(T) ga_vec<T, GA_VEC>
#define GA_OPEN(T, x) x
#else
#define GA_WALK(i, T, n)                                                         \
  w##i[n] = ga_walk_row<T>(P.a##i + (at.off[i] + n * P.hop[i]),                  \
                           P.a##i + (next.off[i] + n * P.hop[i]), left, P.step[i]);
#define GA_HELD(T) ga_words<T, GA_VEC>
#define GA_OPEN(T, x) ga_elements<T, GA_VEC>(x)
#endif
#define X(i, T) GA_HELD(T) w##i[1]; GA_WALK(i, T, 0)
  GA_STILL(X)
#undef X
#define X(i, T) GA_HELD(T) w##i[GA_LAPS];
  GA_WALKED(X)
#undef X
#define X(i, T)                                                                  \
  const ga_words<T, GA_VEC> w##i[1] = {                                          \
      ga_walk_row<T>(GA_AT(i, at.off[i]), GA_AT(i, next.off[i]), left, P.step[i])};
  GA_STAGED(X)
#undef X
#if GA_KEEPS == 1
  ga_in rows[GA_LAPS][2];
#else
#define X(i, T) ga_words<T, GA_VEC> w##i[GA_LAPS];
  GA_EVEN(X)
#undef X
#endif
#define X(i, T) ga_asked<T, GA_VEC, GA_ALIGNED> w##i[GA_LAPS];
  GA_DENSE(X)
#undef X
#pragma unroll
  for (int n = 0; n < GA_LAPS; n++) {
    if (!on[n]) continue;
#define X(i, T) w##i[n].ask(P.a##i + b[n] * sizeof(T), 0, GA_VEC);
    GA_DENSE(X)
#undef X
#if GA_KEEPS == 1
#define X(i, T)                                                                  \
  rows[n][0].x##i = ga_load<T>(P.a##i + (at.off[i] + n * P.hop[i]));             \
  if (left < GA_VEC) rows[n][1].x##i = ga_load<T>(P.a##i + (next.off[i] + n * P.hop[i]));
#else
#define X(i, T)                                                                  \
  w##i[n] = ga_walk_even<T>(P.a##i + (at.off[i] + n * P.hop[i]),                 \
                            P.a##i + (next.off[i] + n * P.hop[i]), left);
#endif
    GA_EVEN(X)
#undef X
#define X(i, T) GA_WALK(i, T, n)
    GA_WALKED(X)
#undef X
  }
#if !GA_BY_BYTES
#define X(i, T) const ga_vec<T, GA_VEC> v##i = GA_OPEN(T, w##i[0]);
  GA_STILL(X)
  GA_STAGED(X)
#undef X
#endif
#if GA_KEEPS == 2
  ga_kept each[GA_VEC];
#pragma unroll
  for (int k = 0; k < GA_VEC; k++) {
    ga_in in;
#define X(i, T) in.x##i = v##i.v[k];
    GA_STILL(X)
#undef X
    ga_keep(P, in, each[k]);
  }
#endif
#pragma unroll
  for (int n = 0; n < GA_LAPS; n++) {
    if (!on[n]) return n;
#if GA_BY_BYTES
    ga_bytes_in in;
    ga_bytes_out out;
#define X(i, T) in.x##i = w##i[0];
    GA_STILL(X)
    GA_STAGED(X)
#undef X
#define X(i, T) in.x##i = w##i[n];
    GA_WALKED(X)
    GA_EVEN(X)
#undef X
#define X(i, T) in.x##i = w##i[n].get();
    GA_DENSE(X)
#undef X
    ga_map_bytes(P, in, out);
#define X(i, T) const ga_vec<T, GA_VEC> r##i = ga_elements<T, GA_VEC>(out.y##i);
    GA_OUTPUTS(X)
#undef X
#else
#define X(i, T) const ga_vec<T, GA_VEC> v##i = GA_OPEN(T, w##i[n]);
    GA_WALKED(X)
#undef X
#if GA_KEEPS != 1
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i[n]);
    GA_EVEN(X)
#undef X
#endif
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(w##i[n].get());
    GA_DENSE(X)
#undef X
#define X(i, T) ga_vec<T, GA_VEC> r##i;
    GA_OUTPUTS(X)
#undef X
    ga_kept kept;
#if GA_KEEPS == 1
    ga_keep(P, rows[n][0], kept);
    ga_kept next_kept = kept;
    if (left < GA_VEC) ga_keep(P, rows[n][1], next_kept);
#endif
#pragma unroll
    for (int k = 0; k < GA_VEC; k++) {
      ga_in in;
      ga_out out;
      ga_long iota = 0;
#define X(i, T) in.x##i = v##i.v[k];
      GA_WALKED(X)
      GA_STILL(X)
      GA_DENSE(X)
      GA_STAGED(X)
#if GA_KEEPS != 1
      GA_EVEN(X)
#endif
#undef X
#if GA_IOTA && GA_SHORT
      iota = P.iota_base + at[k].off[GA_NOP] + n * P.hop[GA_NOP];
#elif GA_IOTA
      iota = P.iota_base + (k < left ? at : next).off[GA_NOP] + n * P.hop[GA_NOP] +
             k * P.step[GA_NOP];
#endif
#if GA_KEEPS == 1
      if (k >= (int)left) kept = next_kept;
#elif GA_KEEPS
      kept = each[k];
#endif
      ga_map(P, in, kept, iota, out);
#define X(i, T) r##i.v[k] = out.y##i;
      GA_OUTPUTS(X)
#undef X
    }
#endif
#define X(i, T) GA_STORE_RESULTS(i, T, ga_store_past, P.a##i + b[n] * sizeof(T))
    GA_OUTPUTS(X)
#undef X
  }
  return GA_LAPS;
}

#if GA_STAGES
/* Copies the whole groups that elements [begin, end) are of, which lie from `base` on. */
GA_FN void ga_stage_groups(const ga_params &P, ga_ulong begin, ga_ulong end, const ga_place &base) {
  const ga_index first = ga_quotient((ga_index)begin, P.group);
  const ga_index last = ga_quotient((ga_index)(end - 1), P.group) + 1;
#define X(i, T)                                                                  \
  {                                                                              \
    const char *p = P.a##i + base.off[i];                                        \
    const int past = (int)((ga_ulong)p & 15);                                    \
    const int bytes = past + (int)((last - first) * P.group.d * sizeof(T));      \
    _Pragma("unroll 4")                                                          \
    for (int b = 16 * (int)threadIdx.x; b < bytes; b += 16 * GA_BLOCK)           \
      ga_copy_beside<16>((char *)ga_staged + (P.stage[i] + b), p - past + b);    \
  }
  GA_STAGED(X)
#undef X
  ga_wait_for_copies();
}
#endif

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  ga_place base = {};
  ga_ulong t = (ga_ulong)blockIdx.x * (GA_BLOCK * GA_EACH) + threadIdx.x;
#if GA_STAGES
  const ga_ulong begin = t - threadIdx.x;
  if (begin < P.lap) {
    const ga_ulong rest = P.lap - begin, e = P.head + begin * GA_VEC;
    base = ga_of_element(P, ga_quotient((ga_index)e, P.group) * P.group.d);
    ga_stage_groups(P, e, e + GA_VEC * (rest < GA_BLOCK * GA_EACH ? rest : GA_BLOCK * GA_EACH),
                    base);
  }
  __syncthreads();
#pragma unroll 1
  for (int k = 0; k < GA_EACH && t < P.lap; k++, t += GA_BLOCK) ga_vectors(P, t, base, 1);
#pragma unroll 1
  for (; t < (begin + GA_BLOCK * GA_EACH) && t - P.lap < P.nsingle; t += GA_BLOCK) {
    const ga_ulong e = t - P.lap;
    ga_single(P, e < P.head ? e : e + P.nvec * GA_VEC);
  }
#elif GA_AROUND
  if (t < P.threads) {
    t += (ga_ulong)ga_quotient((ga_index)t, P.laps) * (GA_LAPS - 1) * P.lap;
#pragma unroll 1
    for (int n = 0, more; n < GA_LAPS && t < P.nvec; n += more, t += more * P.lap)
      more = ga_vectors(P, t, base, GA_LAPS - n);
    return;
  }
  t -= P.threads;
  if (t < P.nsingle) ga_single(P, t < P.head ? t : t + P.nvec * GA_VEC);
#else
  if (t < P.lap) {
    ga_vectors(P, t, base, GA_LAPS);
    return;
  }
  t -= P.lap;
  if (t < P.nsingle) ga_single(P, t < P.head ? t : t + P.nvec * GA_VEC);
#endif
}
