/* SPDX-License-Identifier: MIT */
/* Elements of reduced axes that lanes walk (reduce_rows.cu), four neighbours at a
 * time, and a lane's part of a chunk of 1024 made of them. Eight fours of a lane are
 * in flight together, 128 elements apart. Where one row is walked that needs no
 * arithmetic, and where the row lies is asked once for all eight: fours that do not
 * lie on their size are two loads or three.
 *
 *   float32 from address 4 modulo 16: element 0, elements 1 and 2, element 3.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_ulong units, reduced, chunks;
#if GA_IOTA
  ga_long iota_base, iota_step; /* step along the innermost reduced axis */
#endif
  ga_div spans;
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> reduced_axes;
  ga_ulong each;
  ga_uint lanes, cut; /* cut: the innermost reduced axis is no multiple of 4 */
  ga_uint step[GA_NOP];
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

/* Whether elements r to r+3 all exist, and lie side by side. */
GA_FN bool ga_is_four(const ga_params &P, ga_index r) {
  if (r + 4 > P.reduced) return false;
#if GA_VECTOR && GA_NR > 1
  if (P.cut) return ga_in_row(r, P.reduced_axes.dim[P.reduced_axes.n - 1]);
#endif
  return true;
}

/* Whether N elements at p can be one load. */
template <class T, int N> GA_FN bool ga_lies_on(const char *p) {
  return ((ga_ulong)p & ((N * sizeof(T) < 16 ? N * sizeof(T) : 16) - 1)) == 0;
}

#if GA_VECTOR && GA_NR > 1

GA_FN void ga_load_four(const ga_params &P, const ga_place &row, ga_index r, ga_four &f) {
  const ga_place at = ga_at(P.reduced_axes, row, r);
#define X(i, T)                                                                  \
  if (!GA_MOVES(i)) {                                                            \
    const T t = ga_load<T>(P.a##i + at.off[i]);                                  \
    _Pragma("unroll") for (int j = 0; j < 4; j++) f.x##i.set(j, t);              \
  } else if constexpr (GA_ALIGNED) {                                             \
    f.x##i.load(P.a##i + at.off[i]);                                             \
  } else {                                                                       \
    const ga_vec<T, 4> t = ga_load_any<T, 4>(P.a##i + at.off[i]);                \
    _Pragma("unroll") for (int j = 0; j < 4; j++) f.x##i.set(j, t.v[j]);         \
  }
  GA_INPUTS(X)
#undef X
#if GA_IOTA
#pragma unroll
  for (int j = 0; j < 4; j++) f.iota[j] = P.iota_base + at.off[GA_NOP] + j * P.iota_step;
#endif
}

/* N fours, 128 elements apart, as far as their elements exist: whole ones first,
 * all in flight together; then, rarely, those that an end cuts, by elements. */
template <bool WHOLE, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, ga_four (&f)[N]) {
#pragma unroll
  for (int c = 0; c < N; c++)
    if (ga_is_four(P, r + c * 128)) ga_load_four(P, row, r + c * 128, f[c]);
  if (!P.cut && ga_is_four(P, r + (N - 1) * 128)) return;
#pragma unroll 1
  for (int c = 0; c < N && r + c * 128 < P.reduced; c++) {
    ga_four e;
    if (ga_is_four(P, r + c * 128)) continue;
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r + c * 128 + j < P.reduced) ga_load_one(P, row, r + c * 128 + j, e, j);
#pragma unroll
    for (int d = 0; d < N; d++)
      if (d == c) f[d] = e;
  }
}

#elif GA_VECTOR

/* Four neighbours at p, which lies on AT elements: in one, two or three loads. */
template <class T, int AT> GA_FN void ga_load_pieces(const char *p, ga_pack<T, 4> &r) {
  if constexpr (AT == 4) {
    r.load(p);
  } else {
    const int first = AT == 2 ? 0 : 1;
    const ga_vec<T, 2> a = ga_load_aligned<T, 2>(p + first * sizeof(T));
    r.set(first, a.v[0]);
    r.set(first + 1, a.v[1]);
    if constexpr (AT == 2) {
      const ga_vec<T, 2> b = ga_load_aligned<T, 2>(p + 2 * sizeof(T));
      r.set(2, b.v[0]);
      r.set(3, b.v[1]);
    } else {
      r.set(0, ga_load<T>(p));
      r.set(3, ga_load<T>(p + 3 * sizeof(T)));
    }
  }
}

/* N fours, 128 elements apart, as far as their elements exist (WHOLE: all do).
 * Where they lie is asked once for all of them. */
template <bool WHOLE, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, ga_four (&f)[N]) {
  const ga_offset left = (ga_offset)(P.reduced - r);
#if GA_SHORT && !GA_ALIGNED /* too few fours to ask where they lie, and an end in each row */
#define GA_FOURS_OF(i, T)                                                             \
  _Pragma("unroll") for (int c = 0; c < N; c++)                                       \
    _Pragma("unroll") for (int j = 0; j < 4; j++) if (left > 128 * c + j)             \
      f[c].x##i.set(j, ga_load<T>(p + (128 * c + j) * (int)sizeof(T)));
#else
#define GA_PIECES(i, T, AT)                                                            \
  _Pragma("unroll") for (int c = 0; c < N; c++)                                       \
    if (WHOLE || left >= 128 * c + 4)                                                  \
      ga_load_pieces<T, AT>(p + 128 * c * (int)sizeof(T), f[c].x##i);
#define GA_FOURS_OF(i, T)                                                             \
  if constexpr (GA_ALIGNED) {                                                         \
    GA_PIECES(i, T, 4)                                                                \
  } else if (ga_lies_on<T, 2>(p)) {                                                   \
    GA_PIECES(i, T, 2)                                                                \
  } else {                                                                            \
    GA_PIECES(i, T, 1)                                                                \
  }
#endif
#define X(i, T)                                                                       \
  if (GA_MOVES(i)) {                                                                  \
    const char *p = P.a##i + (row.off[i] + (ga_offset)r * (ga_offset)sizeof(T));      \
    GA_FOURS_OF(i, T)                                                                 \
  } else {                                                                            \
    const T t = ga_load<T>(P.a##i + row.off[i]);                                      \
    _Pragma("unroll") for (int c = 0; c < N; c++)                                     \
      _Pragma("unroll") for (int j = 0; j < 4; j++) f[c].x##i.set(j, t);              \
  }
  GA_INPUTS(X)
#undef X
#if GA_IOTA
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      f[c].iota[j] = P.iota_base + row.off[GA_NOP] + (ga_long)(r + 128 * c + j) * P.iota_step;
#endif
  /* the elements of a four that the end cuts */
  if (!WHOLE && !(GA_SHORT && !GA_ALIGNED) && left > 0 && left < 128 * N && (left & 127) < 4) {
#pragma unroll
    for (int j = 0; j < 3; j++) {
      ga_four e;
      if (j >= (left & 127)) break;
      ga_load_one(P, row, r + (left & ~127) + j, e, j);
#define X(i, T) f[c].x##i.set(j, c == left >> 7 ? e.x##i.get(j) : f[c].x##i.get(j));
#pragma unroll
      for (int c = 0; c < N; c++) {
        GA_INPUTS(X)
      }
#undef X
    }
  }
}

#else

template <bool WHOLE, int N>
GA_FN void ga_load_fours(const ga_params &P, const ga_place &row, ga_index r, ga_four (&f)[N]) {
#pragma unroll
  for (int c = 0; c < N; c++)
#pragma unroll
    for (int j = 0; j < 4; j++)
      if (r + c * 128 + j < P.reduced) ga_load_one(P, row, r + c * 128 + j, f[c], j);
}

#endif

/* Element r, the j-th of f, or what stands for none. WHOLE: it exists. */
template <bool WHOLE>
GA_FN ga_sub ga_element(const ga_params &P, const ga_four &f, int j, ga_index r) {
  ga_long iota = 0;
#if GA_IOTA
  iota = f.iota[j];
#endif
  ga_in in;
#define X(i, T) in.x##i = f.x##i.get(j);
  GA_INPUTS(X)
#undef X
  return ga_narrow(WHOLE || r < P.reduced ? ga_leaf(P, in, iota) : ga_identity());
}

/* What ga_fold is, where GA_ROLL is 1, for what does not exist everywhere: in as
 * little text as may be. */
template <int N> GA_FN ga_sub ga_fold_cut(const ga_params &P, const ga_four *f, ga_index r) {
  ga_sub b[4 * N];
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int c = 0; c < N; c++) b[j * N + c] = ga_element<false>(P, f[c], j, r + 128 * c + j);
#pragma unroll 1
  for (int h = N / 2; h > 0; h /= 2)
#pragma unroll 1
    for (int i = 0; i < 4 * N; i++)
      if ((i & (N - 1)) < h) b[i] = ga_combine(b[i], b[i + h]);
#pragma unroll 1
  for (int h = N; h < 4 * N; h *= 2)
#pragma unroll 1
    for (int i = 0; i < 4 * N; i += 2 * h) b[i] = ga_combine(b[i], b[i + h]);
  return b[0];
}

/* This lane's part, from its element r on, of a chunk or, where a row has few, of
 * its N times 128 elements. */
template <bool WHOLE, int N>
GA_FN ga_sub ga_fold(const ga_params &P, const ga_four *f, ga_index r) {
  if constexpr (GA_ROLL && !WHOLE) {
    return ga_fold_cut<N>(P, f, r);
  } else {
    ga_sub a[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const auto element = [&](int c) {
        return ga_element<WHOLE>(P, f[c], j, r + 128 * c + j);
      };
      if constexpr (GA_ROLL) {
        a[j] = ga_join_leaves<N>(element);
      } else {
        ga_sub b[N];
#pragma unroll
        for (int c = 0; c < N; c++) b[c] = element(c);
#pragma unroll
        for (int h = N / 2; h > 0; h /= 2)
#pragma unroll
          for (int c = 0; c < N / 2; c++)
            if (c < h) b[c] = ga_combine(b[c], b[c + h]);
        a[j] = b[0];
      }
    }
    return ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3]));
  }
}

/* This lane's part of the chunk from element r on. */
GA_FN ga_sub ga_chunk(const ga_params &P, const ga_place &row, ga_index r) {
  const ga_index at = r + (threadIdx.x & 31) * 4;
  ga_four f[8];
  ga_load_fours<false>(P, row, at, f);
  return (ga_ulong)r + 1024 <= P.reduced ? ga_fold<true, 8>(P, f, at)
                                         : ga_fold<false, 8>(P, f, at);
}
