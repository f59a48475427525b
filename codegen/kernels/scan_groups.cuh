/* SPDX-License-Identifier: MIT */
/* Scans of rows: a group is GA_VEC neighbours of a lane, loaded and stored at once; and
 * where the groups of a unit wait until what comes before them is known.
 *
 *   GA_HOLD 0  in registers, each element joined with those before it in its group
 *   GA_HOLD 1  in shared memory, as they were loaded; they are worked on twice
 *   GA_HOLD 2  in shared memory, as in registers: where operands are wider
 *   GA_COPIED 1, GA_HOLD 1: they are copied there (scan_slots.cuh): the scanned axis is
 *                one, of unit step in each operand, and rows lie on 16 bytes
 *   GA_COPIED 2, GA_HOLD 1: they are copied there whatever the scanned axes are and
 *                wherever rows lie (scan_turned.cuh)
 *
 * Shared memory is a thread's own slots, so no barrier is needed, and more than
 * registers hold: 192 KB a multiprocessor for 128, with as many more loads in flight.
 * GA_VECTOR 1: the scanned axis is of unit step in each operand, or still (`step`).
 */

/* Elements of the group from r on. */
GA_FN int ga_existing(const ga_params &P, ga_index r) {
  const ga_index end = (ga_index)P.reduced;
  return r + GA_VEC <= end ? GA_VEC : r < end ? (int)(end - r) : 0;
}

/* Groups of 32 bytes: two neighbouring lanes move one group together, then the other,
 * so that what a warp moves at once is whole sectors (H200, cumsum of 2^28 float64: 1544 us
 * to 1282). Exchanged, `w` is the lane's own group, or from it: its half of each. */
#define GA_IS_PAIR(T) (GA_VEC * sizeof(T) == 32)
template <class W> GA_FN W ga_exchange_halves(W w) {
  const bool odd = threadIdx.x & 1;
  ga_uint u[8];
  memcpy(u, &w, sizeof u);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const ga_uint other = __shfl_xor_sync(GA_FULL, odd ? u[k] : u[4 + k], 1);
    if (odd)
      u[k] = other;
    else
      u[4 + k] = other;
  }
  memcpy(&w, u, sizeof u);
  return w;
}

/* Where the lane's halves are, one 32 bytes after the other, its own group being at `a`. */
GA_FN ga_offset ga_half_at() { return (threadIdx.x & 1) ? -16 : 0; }

/* Neighbours at `a`, of an operand that moves (`step`) along the scanned axis. */
template <class T, bool PAIR>
GA_FN ga_words<T, GA_VEC> ga_load_whole(const char *a, ga_uint step) {
  if (PAIR) {
    typedef ga_vec<ga_uint, 4> half;
    ga_words<T, GA_VEC> w;
    const half low = *(const half *)(a + ga_half_at());
    const half high = *(const half *)(a + ga_half_at() + 32);
    memcpy(&w, &low, 16);
    memcpy((char *)&w + 16, &high, 16);
    return w;
  }
  if (!GA_MOVES && !step) return ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(a)));
  return ga_load_words<T, GA_VEC, GA_ALIGNED>(a);
}

/* Operand i, n elements from r on, one by one. */
template <class T>
GA_FN ga_words<T, GA_VEC> ga_load_part(const ga_params &P, const char *a, int i,
                                       const ga_place &row, ga_index r, int n) {
  ga_vec<T, GA_VEC> v = {};
  if (GA_VECTOR) {
#pragma unroll 1
    for (int j = 0; j < n; j++)
      v.v[j] = ga_load<T>(a + ga_at(P.scanned_axes, row, r + j).off[i]);
  } else {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      if (j < n) v.v[j] = ga_load<T>(a + ga_at(P.scanned_axes, row, r + j).off[i]);
  }
  return ga_words_of<T, GA_VEC>(v);
}

/* The operands of N groups, GA_SEGMENT apart, from r on, as far as they exist (WHOLE: all
 * do): whole ones first, so that nothing waits before all are asked for. */
template <bool WHOLE, int N>
GA_FN void ga_load_groups(const ga_params &P, const ga_place &row, ga_index r, ga_loaded (&g)[N]) {
#define GA_PAIRS(T) (WHOLE && GA_VECTOR && GA_ALIGNED && GA_MOVES && GA_IS_PAIR(T))
#pragma unroll
  for (int b = 0; b < N && GA_VECTOR; b++) {
    const ga_index at = r + b * GA_SEGMENT;
    const ga_place p = ga_at(P.scanned_axes, row, at);
#define X(i, T)                                                                 \
  if (WHOLE || ga_existing(P, at) == GA_VEC)                                    \
    g[b].x##i = ga_load_whole<T, GA_PAIRS(T)>(P.a##i + p.off[i], P.step[i]);
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int b = 0; b < N; b++) {
#define X(i, T) \
  if constexpr (GA_PAIRS(T)) g[b].x##i = ga_exchange_halves(g[b].x##i);
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int b = 0; b < N; b++) {
    const ga_index at = r + b * GA_SEGMENT;
    const int n = WHOLE ? GA_VEC : ga_existing(P, at);
    if (GA_VECTOR && n == GA_VEC) continue;
#define X(i, T) g[b].x##i = ga_load_part<T>(P, P.a##i, i, row, at, n);
    GA_INPUTS(X)
#undef X
  }
}

#if GA_COPIED
/* Operand i of the warp's chunk t, from element r on, on its way to its slots. */
template <class T>
GA_FN void ga_fetch(const ga_params &P, char *held, const char *a, int i, int t,
                    const ga_place &row, ga_index r) {
  const ga_ulong left = (ga_ulong)r < P.reduced ? P.reduced - r : 0;
#if GA_TURNED
  ga_fetch_elements<T>(P, held, a, i, t, row, r, left);
#else
  ga_copy_chunk<ga_words<T, GA_VEC>>(held, 8 * t, a + ga_at(P.scanned_axes, row, r).off[i],
                                     left * sizeof(T));
#endif
}

/* The same of all operands. */
GA_FN void ga_fetch_chunk(const ga_params &P, const ga_place &row, ga_index r, int t) {
  char *held = (char *)ga_held;
#define X(i, T)                                  \
  ga_fetch<T>(P, held, P.a##i, i, t, row, r);    \
  held += GA_SLOTS(ga_words<T, GA_VEC>);
  GA_INPUTS(X)
#undef X
  ga_end_copies();
}
#endif

/* Its elements, each joined with those before it in the group, and (JOINED) with `base`. */
template <bool WHOLE, bool JOINED = false>
GA_FN void ga_scan_group(const ga_params &P, const ga_loaded &g, ga_index r, ga_sub (&a)[GA_VEC],
                         const ga_acc &base = ga_acc()) {
  const int n = WHOLE ? GA_VEC : ga_existing(P, r);
  ga_in in[GA_VEC];
#define X(i, T)                                                                 \
  {                                                                             \
    const ga_vec<T, GA_VEC> t = ga_elements<T, GA_VEC>(g.x##i);                 \
    _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) in[j].x##i = t.v[j];     \
  }
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) a[j] = ga_narrow(ga_leaf(P, in[j], 0));
  if (n != GA_VEC) {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      if (j >= n) a[j] = ga_narrow(ga_identity());
  }
  if constexpr (JOINED) a[0] = ga_combine(ga_narrow(base), a[0]);
#pragma unroll
  for (int j = 1; j < GA_VEC; j++) a[j] = ga_combine(a[j - 1], a[j]);
}

/* Operand i, n elements from r on, one by one. */
template <class T>
GA_FN void ga_store_part(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                         int n, const T (&t)[GA_VEC]) {
  if (GA_VECTOR) {
#pragma unroll 1
    for (int j = 0; j < n; j++) ga_store<T>(a + ga_at(P.scanned_axes, row, r + j).off[i], t[j]);
  } else {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      if (j < n) ga_store<T>(a + ga_at(P.scanned_axes, row, r + j).off[i], t[j]);
  }
}

template <class W> GA_FN void ga_store_pair(char *a, const W &w) {
  typedef ga_vec<ga_uint, 4> half;
  const W r = ga_exchange_halves(w);
  half low, high;
  memcpy(&low, &r, 16);
  memcpy(&high, (const char *)&r + 16, 16);
  *(half *)(a + ga_half_at()) = low;
  *(half *)(a + ga_half_at() + 32) = high;
}

/* Output i's elements of the group, as `t`. */
#define GA_RESULTS(i, T)                                                        \
  T t[GA_VEC];                                                                  \
  _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) t[j] = out[j].y##i;

/* What is read after the scan, and the results stored. */
template <bool WHOLE>
GA_FN void ga_store_group(const ga_params &P, const ga_place &row, ga_index r,
                          const ga_acc (&a)[GA_VEC]) {
  const int n = WHOLE ? GA_VEC : ga_existing(P, r);
  const ga_place at = ga_at(P.scanned_axes, row, r);
  ga_outer outer[GA_VEC];
  ga_out out[GA_VEC];
#define X(i, T)                                                                 \
  {                                                                             \
    const ga_vec<T, GA_VEC> t = ga_elements<T, GA_VEC>(                         \
        GA_VECTOR && n == GA_VEC                                                \
            ? ga_load_whole<T, false>(P.a##i + at.off[i], P.step[i])            \
            : ga_load_part<T>(P, P.a##i, i, row, r, n));                        \
    _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) outer[j].x##i = t.v[j];  \
  }
  GA_OUTERS(X)
#undef X
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) ga_post(P, a[j], outer[j], out[j]);
#if GA_TURNED
  const ga_index first = r - (threadIdx.x & 31) * GA_VEC;
  const int there = first + GA_SEGMENT <= P.reduced ? GA_SEGMENT : (int)(P.reduced - first);
#define X(i, T)                                                                 \
  {                                                                             \
    GA_RESULTS(i, T)                                                            \
    ga_store_turned<T>(P, P.a##i, i, row, r, there, t);                         \
  }
  GA_OUTPUTS(X)
#undef X
#else
  if (GA_VECTOR && n == GA_VEC) {
#define X(i, T)                                                                 \
  if constexpr (WHOLE && GA_STORE_VEC && GA_IS_PAIR(T)) {                       \
    ga_vec<T, GA_VEC> t;                                                        \
    _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) t.v[j] = out[j].y##i;    \
    ga_store_pair(P.a##i + at.off[i], ga_words_of<T, GA_VEC>(t));               \
  } else if constexpr (WHOLE && !GA_STORE_VEC) {                                \
    GA_RESULTS(i, T)                                                            \
    ga_store_turned<T>(P, P.a##i, i, row, r, GA_SEGMENT, t);                    \
  } else                                                                        \
    GA_STORE(i, T, GA_VEC)
    GA_OUTPUTS(X)
#undef X
    return;
  }
  if constexpr (!WHOLE || !GA_VECTOR) {
#define X(i, T)                                                                 \
  {                                                                             \
    GA_RESULTS(i, T)                                                            \
    ga_store_part<T>(P, P.a##i, i, row, r, n, t);                               \
  }
    GA_OUTPUTS(X)
#undef X
  }
#endif
}

/* Each lane's groups with those before it among 2^bits aligned lanes. */
GA_FN ga_sub ga_scan_lanes(ga_sub v, int bits) {
  const int lane = threadIdx.x & 31;
#pragma unroll
  for (int b = 0; b < 5; b++) {
    if (b >= bits) break;
    const ga_sub left = ga_from_lane(v, ((lane >> b << b) - 1) & 31);
    if (lane >> b & 1) v = ga_combine(left, v);
  }
  return v;
}

#if !GA_SHORT

/* A warp's part of a unit: GA_TURNS chunks, each of another tile. */
struct ga_chunks {
  ga_sub groups[GA_TURNS][8]; /* the lane's group with those before it in its segment */
#if GA_HOLD == 0
  ga_sub a[8 * GA_TURNS][GA_VEC];
#endif
};

/* Keeps group n, `a` having been made of `g`. */
GA_FN void ga_keep_group(ga_chunks &c, int n, const ga_loaded &g, const ga_sub (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_put(n, g);
#elif GA_HOLD == 2
  ga_put(n, a);
#else
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) c.a[n][j] = a[j];
#endif
}

/* Where results do not tell the order, a group that is worked on again is joined to what comes
 * before it from its first element on. */
#define GA_JOINED (GA_FREE && GA_HOLD == 1 && !GA_SUB)

/* Group n again, from element r on, `base` being what comes before it. */
template <bool WHOLE>
GA_FN void ga_kept_group(const ga_params &P, const ga_chunks &c, int n, ga_index r,
                         const ga_acc &base, ga_sub (&a)[GA_VEC]) {
#if GA_HOLD == 1
  ga_loaded g;
  ga_get(n, g);
  ga_scan_group<WHOLE, GA_JOINED>(P, g, r, a, base);
#elif GA_HOLD == 2
  ga_get(n, a);
#else
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) a[j] = c.a[n][j];
#endif
}

#endif
