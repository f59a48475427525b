/* SPDX-License-Identifier: MIT */
/* Elements of reduced axes that lanes walk (reduce_rows.cu), four neighbours at a
 * time, and a lane's part of a chunk of 1024 made of them. Eight fours of a lane are
 * in flight together, 128 elements apart. Where one row is walked that needs no
 * arithmetic.
 *
 * Rows that do not lie on vectors (GA_TURNS) are turned: each lane loads the vectors
 * that begin t elements before its own, so that it has elements 4l-t to 4l+3-t of each
 * 128, and the first lane, of each next 128, its first t. As many as a lane has are
 * joined so (bits 9 8 7); the four that are left go back to their lanes.
 *
 *   float32 from address 4 modulo 16, t 1: lane 0 loads elements -1 to 2, 127 to 130
 *   and so on, 895 to 898 and 1023 to 1026; of each but the first it takes the first
 *   element, of each but the last the others. Its element 3 comes from lane 1.
 *
 * Where several axes are walked and fours are no vectors, chunks are those of
 * reduce_stripes.cuh. */
#define GA_STRIPES (!GA_SHORT && !(GA_VECTOR && (GA_NR == 1 || GA_ALIGNED)))
#define GA_TURNS (!GA_SHORT && GA_VECTOR && GA_NR == 1 && !GA_ALIGNED)

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_index units, reduced, chunks, each;
#if GA_IOTA
  ga_long iota_base, iota_step; /* step along the innermost reduced axis */
#endif
#if GA_PIECES
  ga_index extent; /* of a piece; that of the innermost reduced axis is of its slots */
#endif
  ga_div inner; /* spans of an element; of several reduced axes: elements of a span */
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> reduced_axes;
  ga_uint spans, lanes;
  GA_NUMBERS(GA_NUMBER)
};

/* Four neighbours as they were loaded, and their positions. */
struct ga_four {
#define X(i, T) ga_pack<T, 4> x##i;
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  ga_long iota[4];
#endif
};

/* Whether operand i moves along the axis that is walked by neighbours. */
#define GA_WALKS(i) GA_WALKS_##i

/* Whether rows of operand i begin at the place of their vectors that those of operand GA_FIRST,
 * the first that moves, begin at. */
#define GA_LIES(i) (GA_ALIGNED || GA_AGREES || (i) == GA_FIRST)

/* Element r, the j-th of its four. */
GA_FN void ga_load_one(const ga_params &P, const ga_place &row, ga_index r, ga_four &f,
                       int j) {
  const ga_place at = ga_at(P.reduced_axes, row, r);
#define X(i, T) f.x##i.set(j, ga_load<T>(P.a##i + at.off[i]));
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  f.iota[j] = P.iota_base + at.off[GA_NOP];
#endif
}

/* As ga_join_up, in as little text as may be. */
template <class A> GA_FN A ga_join_few(A a, int bits) {
#pragma unroll 1
  for (int b = 0; b < bits; b++) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
}

/* Whether rows of operand i that follow each other are one, which the first cache has: a four is
 * loaded late, when those that it is joined with have come, as their registers tell how much is on
 * its way to a multiprocessor. */
#define GA_IS_LATE(i) ((i) < 64 && (GA_AGAIN >> ((i) & 63) & 1) != 0)

/* How far fours of a row are turned (below), and those of the first lane's elements
 * that are not its own. */
struct ga_turn {
  ga_uint by, first;
};

#if GA_VECTOR && GA_NR > 1 && GA_ALIGNED

/* N fours, 128 elements apart: as the innermost axis is of whole fours, so are they.
 * No condition is between the loads: past the end it is the last four again. */
template <bool WHOLE, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, const ga_turn &,
                         ga_four (&f)[N]) {
  const ga_index last = (ga_index)P.reduced - 4;
  ga_place at[N];
#pragma unroll
  for (int c = 0; c < N; c++) {
    const ga_index e = r + 128 * c;
    at[c] = ga_at(P.reduced_axes, row, WHOLE || e < last ? e : last);
  }
#define X(i, T)                                                          \
  if constexpr (GA_WALKS(i)) {                                           \
    _Pragma("unroll") for (int c = 0; c < N; c++)                        \
      f[c].x##i.load(P.a##i + at[c].off[i]);                             \
  } else if constexpr (GA_STANDS(i)) {                                   \
    const T t = ga_load<T>(P.a##i + row.off[i]);                         \
    _Pragma("unroll") for (int c = 0; c < N; c++) f[c].x##i.fill(t);     \
  } else {                                                               \
    _Pragma("unroll") for (int c = 0; c < N; c++) {                      \
      const T t = ga_load<T>(P.a##i + at[c].off[i]);                     \
      _Pragma("unroll") for (int j = 0; j < 4; j++) f[c].x##i.set(j, t); \
    }                                                                    \
  }
  GA_INPUTS(X)
#undef X
#if GA_IOTA
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++) f[c].iota[j] = P.iota_base + at[c].off[GA_NOP] + j * P.iota_step;
#endif
}

#elif GA_VECTOR && GA_NR == 1 && !(GA_SHORT && !GA_ALIGNED)

/* Elements of T that are one load. */
template <class T> struct ga_part {
  enum { N = sizeof(T) <= 4 ? 4 : 16 / (int)sizeof(T) };
};

/* Elements `at` to at + 3 of a row of n, at p, as far as they are in a load with one
 * that exists. */
template <bool WHOLE, class T>
GA_FN void ga_load_parts(const char *p, ga_offset at, ga_offset n, ga_pack<T, 4> &r) {
  const int N = ga_part<T>::N;
  if constexpr (N == 4) {
    if (WHOLE || at < n) r.load(p);
  } else {
#pragma unroll
    for (int s = 0; s < 4; s += N)
      if ((WHOLE && GA_ALIGNED) || (at + s < n && at + s + N > 0)) {
        const ga_vec<T, N> t = ga_load_aligned<T, N>(p + s * (int)sizeof(T));
#pragma unroll
        for (int j = 0; j < N; j++) r.set(s + j, t.v[j]);
      }
  }
}

/* Elements `at` to at + 3 of the row at p, which lies on vectors; behind its end its last ones. */
template <bool WHOLE, class T>
GA_FN void ga_load_within(const char *p, ga_offset at, ga_offset n, ga_pack<T, 4> &r) {
  const int N = ga_part<T>::N;
  const ga_offset last = (n - 1) & -(ga_offset)N;
  if constexpr (N == 4) {
    r.load(p + (WHOLE || at < last ? at : last) * (ga_offset)sizeof(T));
  } else {
#pragma unroll
    for (int s = 0; s < 4; s += N) {
      const ga_offset e = WHOLE || at + s < last ? at + s : last;
      const ga_vec<T, N> t = ga_load_aligned<T, N>(p + e * (ga_offset)sizeof(T));
#pragma unroll
      for (int j = 0; j < N; j++) r.set(s + j, t.v[j]);
    }
  }
}

/* The first m elements of b, the others of a. */
template <class T>
GA_FN void ga_mix(ga_pack<T, 4, false> &a, const ga_pack<T, 4, false> &b, ga_uint m) {
#pragma unroll
  for (int j = 0; j < 3; j++) a.v.v[j] = j < (int)m ? b.v.v[j] : a.v.v[j];
}
template <class T>
GA_FN void ga_mix(ga_pack<T, 4, true> &a, const ga_pack<T, 4, true> &b, ga_uint m) {
  const ga_uint bits = m * 8 * (ga_uint)sizeof(T);
#pragma unroll
  for (int w = 0; w < (int)sizeof(T); w++) {
    const ga_uint some = bits > 32u * w ? (1u << (bits & 31)) - 1 : 0;
    const ga_uint mask = bits >= 32u * (w + 1) ? ~0u : some;
    a.v.v[w] = (a.v.v[w] & ~mask) | (b.v.v[w] & mask);
  }
}

/* N fours, 128 elements apart, as far as their elements exist, of the operands that are loaded LATE
 * or of the others. No condition but the end's is between the loads. */
template <bool WHOLE, bool LATE = false, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, const ga_turn &t,
                         ga_four (&f)[N]) {
  const ga_offset at = (ga_offset)r - (ga_offset)t.by, n = (ga_offset)P.reduced;
#define X(i, T)                                                                          \
  if constexpr (GA_IS_LATE(i) != LATE) { /* the other call's */                          \
  } else if constexpr (LATE && GA_WALKS(i) && GA_ALIGNED) {                              \
    _Pragma("unroll") for (int c = 0; c < N; c++)                                        \
      ga_load_within<WHOLE, T>(P.a##i + row.off[i], at + 128 * c, n, f[c].x##i);         \
  } else if constexpr (GA_WALKS(i) && GA_LIES(i)) {                                      \
    const char *p = P.a##i + (row.off[i] + at * (ga_offset)sizeof(T));                   \
    _Pragma("unroll") for (int c = 0; c < N; c++)                                        \
      ga_load_parts<WHOLE, T>(p + 128 * c * (int)sizeof(T), at + 128 * c, n, f[c].x##i);        \
    if constexpr (!GA_ALIGNED) {                                                         \
      ga_pack<T, 4> e = f[N - 1].x##i;                                                   \
      if (t.first) ga_load_parts<WHOLE, T>(p + 128 * N * (int)sizeof(T), at + 128 * N, n, e);   \
      _Pragma("unroll") for (int c = 0; c < N; c++)                                      \
        ga_mix<T>(f[c].x##i, c + 1 < N ? f[c + 1 < N ? c + 1 : c].x##i : e, t.first);    \
    }                                                                                    \
  } else if constexpr (GA_WALKS(i)) {                                                    \
    const char *p = P.a##i + (row.off[i] + at * (ga_offset)sizeof(T));                   \
    _Pragma("unroll") for (int c = 0; c < N; c++)                                        \
      _Pragma("unroll") for (int j = 0; j < 4; j++) {                                    \
        const int k = 128 * c + j + (j < (int)t.first ? 128 : 0);                        \
        if (WHOLE || at + k < n) f[c].x##i.set(j, ga_load<T>(p + k * (int)sizeof(T))); \
      }                                                                                  \
  } else {                                                                               \
    const T x = ga_load<T>(P.a##i + row.off[i]);                                         \
    _Pragma("unroll") for (int c = 0; c < N; c++)                                        \
      _Pragma("unroll") for (int j = 0; j < 4; j++) f[c].x##i.set(j, x);                 \
  }
  GA_INPUTS(X)
#undef X
#if GA_IOTA
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      f[c].iota[j] = P.iota_base + row.off[GA_NOP] +
                     (ga_long)(at + 128 * c + j + (j < (int)t.first ? 128 : 0)) * P.iota_step;
#endif
}

#else

template <bool WHOLE, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, const ga_turn &,
                         ga_four (&f)[N]) {
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (WHOLE || r + c * 128 + j < P.reduced) ga_load_one(P, row, r + c * 128 + j, f[c], j);
}

#endif

/* The j-th of f, or what stands for none. WHOLE: it exists. */
template <bool WHOLE = false>
GA_FN ga_sub ga_element(const ga_params &P, const ga_four &f, int j, bool exists) {
  ga_long iota = 0;
#if GA_IOTA
  iota = f.iota[j];
#endif
  ga_in in;
#define X(i, T) in.x##i = f.x##i.get(j);
  GA_INPUTS(X)
#undef X
  if constexpr (WHOLE) return ga_narrow(ga_leaf(P, in, iota));
  else return ga_narrow(ga_leaf_or_none(P, in, iota, exists));
}

#if GA_TURNS

/* The turn of a row's fours. */
GA_FN ga_turn ga_turn_of(const ga_params &P, const ga_place &row) {
  ga_turn t;
  t.by = 0;
#define X(i, T)           \
  if ((i) == GA_FIRST)    \
    t.by = (ga_uint)((ga_ulong)(P.a##i + row.off[i]) / sizeof(T)) & (ga_part<T>::N - 1);
  GA_INPUTS(X)
#undef X
  t.first = (threadIdx.x & 31) == 0 ? t.by : 0;
  return t;
}

/* Of seven neighbours, four from lane to lane, those from `by` on. */
template <class T> GA_FN void ga_shift_back(T (&u)[4], ga_uint by) {
  T v[7];
#pragma unroll
  for (int j = 0; j < 7; j++)
    v[j] = j < 4 ? u[j & 3] : ga_value_from_lane(u[j & 3], (int)(threadIdx.x + 1) & 31);
#pragma unroll
  for (int j = 0; j < 5; j++) v[j] = by & 2 ? v[j + 2] : v[j];
#pragma unroll
  for (int j = 0; j < 4; j++) u[j] = by & 1 ? v[j + 1] : v[j];
}

#if GA_SUB
#define GA_PART_MEMBERS GA_SUB_MEMBERS
#else
#define GA_PART_MEMBERS GA_MEMBERS
#endif

/* The lane's own four of all lanes' turned ones. */
GA_FN void ga_turn_back(const ga_turn &t, ga_sub (&a)[4]) {
  if (t.by == 0) return;
#define X(T, m)                                                  \
  {                                                              \
    T u[4];                                                      \
    _Pragma("unroll") for (int j = 0; j < 4; j++) u[j] = a[j].m; \
    ga_shift_back(u, t.by);                                      \
    _Pragma("unroll") for (int j = 0; j < 4; j++) a[j].m = u[j]; \
  }
  GA_PART_MEMBERS(X)
#undef X
}

#else

GA_FN ga_turn ga_turn_of(const ga_params &, const ga_place &) {
  ga_turn t;
  t.by = t.first = 0;
  return t;
}
GA_FN void ga_turn_back(const ga_turn &, ga_sub (&)[4]) {}

#endif

/* Whether the j-th of a lane's c-th four exists, after whose first element there are
 * `left`. */
template <bool WHOLE> GA_FN bool ga_exists(ga_offset left, const ga_turn &t, int c, int j) {
  if (GA_TURNS && j < (int)t.first) c++;
  return WHOLE || left > 128 * c + j;
}

/* This lane's part, from its element r on, of a chunk or, where a row has few, of
 * its N times 128 elements. Where GA_ROLL is 1 those that do not exist are passed by. */
template <bool WHOLE, int N>
GA_FN ga_sub ga_fold(const ga_params &P, const ga_place &row, ga_four *f, ga_index r,
                     const ga_turn &t) {
  const ga_offset left = (ga_offset)P.reduced - (ga_offset)(r - t.by);
  ga_sub a[4];
#if GA_AGAIN
  ga_sub b[N][4];
#pragma unroll
  for (int c = 0; c < N; c++) {
    ga_load_fours<WHOLE, true>(P, row, r + 128 * c, t, (ga_four(&)[1])f[c]);
#pragma unroll
    for (int j = 0; j < 4; j++)
      b[c][j] = ga_element(P, f[c], j, ga_exists<WHOLE>(left, t, c, j));
  }
#pragma unroll
  for (int j = 0; j < 4; j++) a[j] = ga_join_leaves<N>([&](int c) { return b[c][j]; });
#else
  if constexpr (GA_ROLL && !WHOLE) {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const auto exists = [&](int c) { return ga_exists<false>(left, t, c, j); };
      a[j] = ga_narrow(ga_identity());
      if (exists(0))
        a[j] = ga_join_existing<N>([&](int c) { return ga_element(P, f[c], j, true); }, exists);
    }
  } else {
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const auto element = [&](int c) {
        return ga_element<WHOLE>(P, f[c], j, ga_exists<WHOLE>(left, t, c, j));
      };
      if constexpr (GA_ROLL) {
        a[j] = ga_join_leaves<N>(element);
      } else {
        ga_sub b[2]; /* of even fours, of odd ones: a short body, made simple before it is copied */
#pragma unroll
        for (int k = 0; k < 2 && k < N; k++) {
          b[k] = element(k);
          if (k + 4 < N) b[k] = ga_combine(b[k], element(k + 4));
          if (k + 2 < N) {
            ga_sub other = element(k + 2);
            if (k + 6 < N) other = ga_combine(other, element(k + 6));
            b[k] = ga_combine(b[k], other);
          }
        }
        a[j] = N > 1 ? ga_combine(b[0], b[1]) : b[0];
      }
    }
  }
#endif
  ga_turn_back(t, a);
#define X(m) \
  if constexpr (WHOLE) a[0].m = a[1].m = a[2].m = a[3].m = N;
  GA_COUNTS(X)
#undef X
  return ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
}

#if !GA_STRIPES

/* The N fours from element r on, which are a chunk or the last of a row, of which this lane has
 * loaded f: every lane gets them, or where GA_FREE its own part. (Long text is there twice, to be
 * short where it may, and that of pairs, whose many elements take longer to be asked for than to be
 * loaded.) */
template <bool WHOLE, int N>
GA_FN ga_sub ga_chunk_of(const ga_params &P, const ga_place &row, ga_four *f, ga_index r,
                         const ga_turn &t) {
  const ga_index at = r + (threadIdx.x & 31) * 4;
  if constexpr (GA_ROLL)
    if (WHOLE || (ga_ulong)r + 1024 <= P.reduced) {
      ga_sub a = ga_fold<true, N>(P, row, f, at, t);
#pragma unroll
      for (int b = 4; b >= 0; b--) a = ga_join_even(a, b);
      return a;
    }
  if constexpr (GA_PAIR && !GA_FREE && !GA_ROLL && !WHOLE && N == 8) {
    const bool cut = (ga_ulong)r + 1024 > P.reduced;
    return ga_join_down(cut ? ga_fold<false, N>(P, row, f, at, t)
                            : ga_fold<true, N>(P, row, f, at, t), 5);
  }
  const ga_sub a = ga_fold<WHOLE, N>(P, row, f, at, t);
  return GA_FREE ? a : ga_join_down(a, 5);
}

template <bool WHOLE, int N>
GA_FN ga_sub ga_chunk(const ga_params &P, const ga_place &row, ga_index r, const ga_turn &t) {
  ga_four f[N];
  ga_load_fours<WHOLE>(P, row, r + (threadIdx.x & 31) * 4, t, f);
  return ga_chunk_of<WHOLE, N>(P, row, f, r, t);
}

#endif
