/* SPDX-License-Identifier: MIT */
/* Reductions whose result does not tell the order of the elements (GA_FREE: whole
 * numbers, extremes, any, all, positions of extremes), of reduce_rows.cu: a lane
 * loads 16 bytes of the widest operand several times over (GA_SLAB elements each), joins
 * all it meets, and lanes are joined last. What lies before a row's first vector and
 * behind its last is fewer elements than lanes: each has one. Operands that begin at other
 * places of their vectors are shifted to the first one's.
 *
 *   rows of 1001 int8, the first from address 5 modulo 16: elements 11 to 986 are 61
 *   vectors, lanes 0 to 10 have elements 0 to 10, lanes 11 to 24 have 987 to 1000.
 *
 * Of several reduced axes whose innermost one is long (GA_LONG) each piece of that is walked so.
 *
 * argmin and argmax compare values alone. Where one slab is all that a warp has
 * (GA_ONE_SLAB: of 4 bytes an element) each lane looks for its best element in what it holds; else
 * (GA_LATE) they remember where a slab began, of elements of 1 and 2 bytes which of the lane's
 * vectors it was (GA_KEYS: the best of each, above the vector's number), and the element is looked
 * for when all is joined.
 */
#if !GA_SHORT

#define GA_ONE_SLAB (GA_EACH == 1 && GA_SLAB == 4 && GA_NR == 1)
/* argmin and argmax: positions are found last, of a row or of each of its pieces. */
#define GA_LATE (GA_ARG && GA_VECTOR && (GA_NR == 1 || GA_LONG) && !GA_ONE_SLAB)
#define GA_LATE_ROW (GA_LATE && !GA_LONG)
#if GA_LATE
GA_FN ga_acc ga_settle(const ga_params &P, const ga_place &row, ga_acc a);
#endif

#if GA_FREE && GA_VECTOR && (GA_NR == 1 || GA_LONG)

#if GA_LONG
#define GA_INNER (GA_NR <= 3 ? GA_NR - 1 : (int)P.reduced_axes.n - 1)
#define GA_PIECE P.reduced_axes.dim[GA_INNER]
#define GA_SETTLERS 1 /* warps that look for a position together */
#define GA_EXTENT ((ga_index)GA_PIECE.d)
#else
#define GA_SETTLERS GA_TEAM
#define GA_EXTENT P.reduced
#endif

/* How many elements before the row its vectors begin. */
GA_FN int ga_slab_before(const ga_params &P, const ga_place &row) {
  int before = 0;
  if (GA_ALIGNED) return 0;
#define X(i, T)        \
  if ((i) == GA_FIRST) \
    before = (int)((ga_ulong)(P.a##i + row.off[i]) / sizeof(T) & (GA_SLAB - 1));
  GA_INPUTS(X)
#undef X
  return before;
}

/* Neighbours from p on, which lie on their vector: if not, or if they have steps, they are as fast
 * one by one, but for small ones (GA_ASIDE). */
template <int STEP, bool LIES, class T>
GA_FN void ga_load_pack(const char *p, ga_pack<T, GA_SLAB> &r) {
  if constexpr (STEP != 0 && sizeof(T) < 4) {
    ga_load_steps<STEP, T, GA_SLAB>(r, p, 0, GA_SLAB);
  } else if constexpr (STEP == 0 && LIES) {
    r.load(p);
  } else {
    const int step = (STEP != 0 ? STEP : 1) * (int)sizeof(T);
#pragma unroll
    for (int j = 0; j < GA_SLAB; j++) r.set(j, ga_load<T>(p + j * step));
  }
}

/* A lane's vectors, the first of which is element r, as far as they begin before `end`. */
GA_FN void ga_load_slab(const ga_params &P, const ga_place &row, ga_index r, ga_index end,
                        ga_slab &s) {
#define X(i, T)                                                                                \
  if constexpr (GA_ASIDE(i, T)) {                                                              \
    const char *p = P.a##i + (row.off[i] + (ga_offset)r * (ga_offset)sizeof(T));               \
    _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++)                                       \
      if (GA_WHOLE || r + c * 32 * GA_SLAB < end)                                              \
        s.y##i[c].ask(p + c * 32 * GA_SLAB * (int)sizeof(T), 0, GA_SLAB);                      \
  } else if constexpr (GA_WALKS(i)) {                                                          \
    const char *p = P.a##i + (row.off[i] + (ga_offset)r * GA_NEXT(i, T));                      \
    _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++)                                       \
      if (GA_WHOLE || r + c * 32 * GA_SLAB < end)                                              \
        ga_load_pack<GA_STEP(i), GA_LIES(i)>(p + c * 32 * GA_SLAB * GA_NEXT(i, T), s.x##i[c]); \
  } else {                                                                                     \
    const T x = ga_load<T>(P.a##i + row.off[i]);                                               \
    _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++) s.x##i[c].fill(x);                    \
  }
  GA_INPUTS(X)
#undef X
  s.shift();
}

/* A lane's vectors joined, the first of which is element r, as far as there are any. */
GA_FN ga_best ga_fold_slab(const ga_params &P, const ga_slab &s, ga_index r, ga_index end) {
#if GA_EXTREME_WORDS
  ga_uint some[GA_LOADS];
#pragma unroll
  for (int c = 0; c < GA_LOADS; c++) some[c] = GA_WHOLE || r + c * 32 * GA_SLAB < end;
  return ga_join_vectors<true>(P, s, some);
#else
  ga_best a[4];
#pragma unroll
  for (int c = 0; c < 4; c++) a[c] = ga_no_best();
#pragma unroll
  for (int c = 0; c < GA_LOADS; c++) {
    const ga_best x = ga_join_vector<true>(P, ga_no_best(), s, c, 0);
    if (GA_WHOLE || r + c * 32 * GA_SLAB < end) a[c & 3] = c < 4 ? x : ga_join_best(a[c & 3], x);
  }
  return ga_join_best(ga_join_best(a[0], a[1]), ga_join_best(a[2], a[3]));
#endif
}

/* Elements of a row as a warp has them: from `at` to `end` they are vectors; of what lies beside
 * those the lane has element `beside`, if that is less than `to`. */
struct ga_stretch {
  ga_index at, end, beside, to;
};

#if GA_KEYS

typedef ga_int ga_slab_best;
GA_FN ga_slab_best ga_slab_none() { return GA_NO_KEY; }

/* Joins to `best` a lane's vectors of slab s, which begins at element r and, for the lane, at
 * `mine`, as far as they begin before `t.end`; the slabs before are joined. */
GA_FN void ga_join_slab(const ga_params &P, const ga_place &, const ga_stretch &t,
                        ga_slab_best &best, const ga_slab &s, ga_index r, ga_index mine) {
#pragma unroll
  for (int c = 0; c < GA_LOADS; c++) {
    const ga_uint n = (ga_uint)(r - t.at) / (32 * GA_SLAB) + c;
#if GA_EXTREME_WORDS
    ga_slab_words words;
#define X(i, T)                                                                \
  words.begin(s.x##i[c].v.v[0]);                                               \
  _Pragma("unroll") for (int w = 1; w < GA_SLAB * (int)sizeof(T) / 4; w++)     \
    words.take(s.x##i[c].v.v[w]);
    GA_EXTREME(X)
#undef X
    const ga_value x = words.one();
#else
    const ga_value x = ga_join_vector<true>(P, ga_no_best(), s, c, 0);
#endif
    const ga_int key = ga_key_above(x, ga_line_number(P, n));
    if ((GA_WHOLE || mine + c * 32 * GA_SLAB < t.end) && key > best) best = key;
  }
}

/* The value, and where its vector begins, or ends where positions fall. */
GA_FN ga_acc ga_slab_acc(const ga_params &P, const ga_stretch &t, ga_slab_best best) {
  const ga_index first = t.at + (ga_key_line(P, best) * 32 + (threadIdx.x & 31)) * GA_SLAB;
  ga_acc a = ga_identity();
  if (best == GA_NO_KEY) return a;
  a.r0 = ga_key_value(best);
  a.i0 = P.iota_step > 0 ? (ga_long)first : -(ga_long)(first + GA_SLAB - 1);
  return a;
}

#else

typedef ga_acc ga_slab_best;
GA_FN ga_slab_best ga_slab_none() { return ga_identity(); }
GA_FN ga_acc ga_slab_acc(const ga_params &, const ga_stretch &, const ga_slab_best &a) { return a; }

#if GA_ARG && GA_ONE_SLAB
/* Which of a lane's elements is the first that is as good as `best`, or where positions fall
 * along the row the last one; -1: none is. They are 32 at the most, a bit of a word each. */
GA_FN int ga_find_best(const ga_params &P, const ga_slab &s, ga_index r, ga_index end,
                       ga_best best) {
  ga_uint found = 0;
#pragma unroll
  for (int c = 0; c < GA_LOADS; c++)
#pragma unroll
    for (int j = 0; j < GA_SLAB; j++)
      if (!ga_keep(best, 1, ga_best_of(ga_slab_leaf(P, s, c, j)), 0) &&
          (GA_WHOLE || r + c * 32 * GA_SLAB < end))
        found |= 1u << (c * GA_SLAB + j);
  return P.iota_step > 0 ? __ffs((ga_int)found) - 1 : 31 - __clz((ga_int)found);
}
#endif

/* Joins to `all` a lane's part of slab s, which begins at element r and, for the lane, at
 * `mine`, before `t.end`; the slabs before are joined. For positions, which rise or fall along a
 * row, the slab's is taken until ga_settle looks for the element in it. Those that fall count from
 * below zero, so that of equals the smaller comes first. */
GA_FN void ga_join_slab(const ga_params &P, const ga_place &row, const ga_stretch &t,
                        ga_slab_best &all, const ga_slab &s, ga_index r, ga_index mine) {
  const ga_best a = ga_fold_slab(P, s, mine, t.end);
#if GA_ARG && GA_ONE_SLAB
  const int k = ga_find_best(P, s, mine, t.end, a);
  if (k < 0) return;
  const ga_index e = mine + k / GA_SLAB * (32 * GA_SLAB) + k % GA_SLAB;
  all.r0 = a;
  all.i0 = P.iota_base + row.off[GA_NOP] + (ga_long)e * P.iota_step;
#elif GA_ARG
  const bool up = P.iota_step > 0;
  if (ga_keep(all.r0, all.i0 != 0x7fffffffffffffffll ? 0 : 2, a, up)) return;
  all.r0 = a;
  all.i0 = up ? (ga_long)r : -(ga_long)(r + GA_SLAB_ALL - 1);
#else
  all = ga_combine(all, ga_widen(a));
#endif
}

#endif

/* Elements `from` to `to` - 1, vectors of which begin `before` elements before the row. (Only
 * pieces are cut anywhere.) */
GA_FN ga_stretch ga_stretch_of(int before, ga_index from, ga_index to) {
  const ga_index lane = threadIdx.x & 31;
  ga_stretch t;
  t.at = from + (ga_index)(-(before + (GA_LONG ? (int)from : 0)) & (GA_SLAB - 1));
  if (t.at > to) t.at = to;
  t.end = GA_WHOLE ? to : t.at + (to - t.at) / GA_SLAB * GA_SLAB;
  t.beside = from + lane < t.at ? from + lane : t.end + (lane - (t.at - from));
  t.to = GA_WHOLE ? 0 : to;
  return t;
}

/* Element r of a row, the j-th of f. */
GA_FN void ga_load_of_row(const ga_params &P, const ga_place &row, ga_index r, ga_four &f, int j) {
#if GA_LONG
  const auto &step = P.reduced_axes.step[GA_INNER];
#define X(i, T) f.x##i.set(j, ga_load<T>(P.a##i + (row.off[i] + (ga_offset)r * step[i])));
  GA_INPUTS(X)
#undef X
#else
  ga_load_one(P, row, r, f, j);
#endif
}

/* What lies beside the vectors: all of it is loaded and joined as one element of a lane. */
GA_FN void ga_load_beside(const ga_params &P, const ga_place &row, const ga_stretch &t,
                          ga_four &f) {
  if constexpr (GA_WHOLE) return;
  if (t.beside >= t.to) return;
  ga_load_of_row(P, row, t.beside, f, 0);
#if GA_LATE
  f.iota[0] = P.iota_step > 0 ? (ga_long)t.beside : -(ga_long)t.beside;
#endif
}
GA_FN void ga_join_beside(const ga_params &P, const ga_stretch &t, const ga_four &f,
                          ga_acc &all) {
  if constexpr (GA_WHOLE) return;
  if (t.beside < t.to) all = ga_combine(all, ga_widen(ga_element(P, f, 0, true)));
}

/* Joins all of t. */
GA_FN ga_acc ga_slabs(const ga_params &P, const ga_place &row, const ga_stretch &t) {
  ga_slab_best best = ga_slab_none();
  ga_four beside;
#pragma unroll 1
  for (ga_index at = t.at; at < t.end; at += GA_SLAB_ALL) {
    const ga_index mine = at + (threadIdx.x & 31) * GA_SLAB;
    ga_slab s;
    ga_load_slab(P, row, mine, t.end, s);
    ga_join_slab(P, row, t, best, s, at, mine);
  }
  ga_load_beside(P, row, t, beside);
  ga_acc all = ga_slab_acc(P, t, best);
  ga_join_beside(P, t, beside, all);
  return all;
}

#if GA_ROWS > 1

/* GA_ROWS rows of a slab each, from row u on: all are loaded before any is joined, and each is
 * finished by a lane. */
GA_FN void ga_slab_rows(const ga_params &P, ga_index u) {
  const ga_index lane = threadIdx.x & 31, rows = P.units - u;
  ga_stretch t[GA_ROWS];
  ga_slab s[GA_ROWS];
  ga_four beside[GA_ROWS];
  ga_acc mine = ga_identity();
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    if (n >= rows) break;
    const ga_place row = ga_seek(P.kept_axes, u + n);
    t[n] = ga_stretch_of(ga_slab_before(P, row), 0, P.reduced);
    ga_load_slab(P, row, t[n].at + lane * GA_SLAB, t[n].end, s[n]);
    ga_load_beside(P, row, t[n], beside[n]);
  }
#pragma unroll
  for (int n = 0; n < GA_ROWS; n++) {
    if (n >= rows) break;
    ga_slab_best best = ga_slab_none();
    ga_join_slab(P, ga_seek(P.kept_axes, u + n), t[n], best, s[n], t[n].at,
                 t[n].at + lane * GA_SLAB);
    ga_acc a = ga_slab_acc(P, t[n], best);
    ga_join_beside(P, t[n], beside[n], a);
    a = ga_join_few(a, 5);
    if (lane == n) mine = a;
  }
#if GA_LATE
#pragma unroll 1
  for (int n = 0; n < GA_ROWS; n++) {
    if (n >= rows) break;
    ga_acc a;
#define X(T, m) a.m = ga_value_from_lane(mine.m, n);
    GA_MEMBERS(X)
#undef X
    a = ga_settle(P, ga_seek(P.kept_axes, u + n), a);
    if (lane == n) mine = a;
  }
#endif
  if (lane < GA_ROWS && lane < rows) ga_finish(P, u + lane, mine);
}

#endif

#endif

#if GA_LATE

#if GA_KEYS

/* The first element from a vector's position on that has the value; its position as the expression
 * has it. */
GA_FN ga_acc ga_settle(const ga_params &P, const ga_place &row, ga_acc a) {
  const bool up = P.iota_step > 0;
  const ga_index from = (ga_index)(up ? a.i0 : -a.i0), k = threadIdx.x & 31;
  const ga_index e = up ? from + k : from - k;
  bool found = false;
  if (k < GA_SLAB && e < GA_EXTENT) {
    ga_four f;
    ga_load_of_row(P, row, e, f, 0);
    found = ga_keep(ga_element(P, f, 0, true).r0, 0, a.r0, 1);
  }
  const ga_index at = (ga_index)__ffs((ga_int)__ballot_sync(GA_FULL, found)) - 1;
  a.i0 = P.iota_base + row.off[GA_NOP] + (ga_long)(up ? from + at : from - at) * P.iota_step;
  return a;
}

#else

/* The first element from a slab's position on that has the value, by all that walk the
 * row; its position as the expression has it. */
GA_FN ga_acc ga_settle(const ga_params &P, const ga_place &row, ga_acc a) {
  const bool up = P.iota_step > 0;
  const ga_index from = (ga_index)(up ? a.i0 : -a.i0);
  ga_uint at = GA_SLAB_ALL;
#pragma unroll 1
  for (ga_uint k = threadIdx.x & (32 * GA_SETTLERS - 1); k < GA_SLAB_ALL;
       k += 128 * GA_SETTLERS) {
    ga_four f[4];
#pragma unroll
    for (int c = 0; c < 4; c++) {
      const ga_index e = up ? from + k + 32 * GA_SETTLERS * c : from - k - 32 * GA_SETTLERS * c;
      if (e < GA_EXTENT) ga_load_of_row(P, row, e, f[c], 0);
    }
#pragma unroll
    for (int c = 3; c >= 0; c--) {
      const ga_index e = up ? from + k + 32 * GA_SETTLERS * c : from - k - 32 * GA_SETTLERS * c;
      if (e < GA_EXTENT && ga_keep(ga_element(P, f[c], 0, true).r0, 0, a.r0, 1))
        at = k + 32 * GA_SETTLERS * c;
    }
    if (GA_SETTLERS == 1 ? __any_sync(GA_FULL, at < GA_SLAB_ALL) : at < GA_SLAB_ALL) break;
  }
#if GA_SETTLERS > 1
  __shared__ ga_uint least;
  if (threadIdx.x == 0) least = GA_SLAB_ALL;
  __syncthreads();
  if (at < GA_SLAB_ALL) atomicMin(&least, at);
  __syncthreads();
  at = least;
#else
#pragma unroll 1
  for (int b = 16; b > 0; b /= 2) {
    const ga_uint other = ga_exchange_value(at, b);
    at = other < at ? other : at;
  }
#endif
  a.i0 = P.iota_base + row.off[GA_NOP] + (ga_long)(up ? from + at : from - at) * P.iota_step;
  return a;
}

#endif

#endif

#if GA_LONG

/* Elements `from` to `to` - 1 of a row, piece by piece. A position is looked for where its piece's
 * may come before the one that is known. */
GA_FN ga_acc ga_long_pieces(const ga_params &P, const ga_place &row, ga_index from, ga_index to) {
  ga_acc all = ga_identity();
#pragma unroll 1
  for (ga_index r = from; r < to;) {
    const ga_index begin = r - ga_quotient(r, GA_PIECE) * GA_EXTENT, left = GA_EXTENT - begin;
    const ga_index end = begin + (left < to - r ? left : to - r);
    const ga_place piece = ga_at(P.reduced_axes, row, r - begin);
    ga_acc a = ga_slabs(P, piece, ga_stretch_of(ga_slab_before(P, piece), begin, end));
#if GA_LATE
    a = ga_join_few(a, 5);
    const ga_long first = P.iota_base + piece.off[GA_NOP] +
                          (P.iota_step > 0 ? a.i0 : -a.i0) * P.iota_step;
    if (!ga_keep(all.r0, all.i0, a.r0, first)) all = ga_combine(all, ga_settle(P, piece, a));
#else
    all = ga_combine(all, a);
#endif
    r += end - begin;
  }
  return all;
}

#endif

#if GA_FREE

/* Chunks first to first + P.each - 1 of a row, by a whole warp; every lane gets
 * them. No order to keep: a lane joins all it meets, lanes are joined last. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_place &row, ga_index first) {
  const ga_index from = first * 1024, end = from + P.each * 1024;
  const ga_index to = end < P.reduced ? end : P.reduced;
  ga_acc a = ga_identity();
  if (first >= P.chunks) return a;
#if GA_PIECES
  a = ga_pieces(P, row, from, to);
#elif GA_LONG
  a = ga_long_pieces(P, row, from, to);
#elif GA_VECTOR && GA_NR == 1
  a = ga_slabs(P, row, ga_stretch_of(ga_slab_before(P, row), from, to));
#else
#pragma unroll 1
  for (ga_index r = from; r < to; r += 1024)
    a = ga_combine(a, ga_widen(ga_chunk<GA_WHOLE, 8>(P, row, r, ga_turn_of(P, row))));
#endif
  return ga_join_few(a, 5);
}

#endif
#endif
