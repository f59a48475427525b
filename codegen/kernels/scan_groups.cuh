/* SPDX-License-Identifier: MIT */
/* Scans of rows: a group is GA_VEC neighbours of a lane, loaded and stored at once; and
 * where the groups of a unit wait until what comes before them is known.
 *
 *   GA_HOLD 0  in registers, each element joined with those before it in its group
 *   GA_HOLD 1  in shared memory, as they were loaded; they are worked on twice
 *   GA_HOLD 2  in shared memory, as in registers: where operands are wider
 *   GA_COPIED 1  they are copied there (scan_slots.cuh): the scanned axis is one, of unit
 *                step in each operand, and rows lie on 16 bytes
 *   GA_COPIED 2  they are copied there whatever the scanned axes are and wherever rows lie
 *                (scan_turned.cuh)
 *   GA_COPIED 3  they are copied there as they lie, wherever rows begin; the axis is as for 1
 *
 * Shared memory is a thread's own slots, so no barrier is needed, and more than
 * registers hold: 192 KB a multiprocessor for 128, with as many more loads in flight.
 * GA_VECTOR 1: the scanned axis is of unit step in each operand, or still (`step`), or what is read
 * has GA_STEP (steps.cuh).
 */

/* Elements of the group from r on. */
GA_FN int ga_existing(const ga_params &P, ga_index r) {
  const ga_index end = (ga_index)P.reduced;
  return r + GA_VEC <= end ? GA_VEC : r < end ? (int)(end - r) : 0;
}

/* Groups of 32 bytes: two neighbouring lanes move one group together, then the other,
 * so that what a warp moves at once is whole sectors (H200, cumsum of 2^28 float64: 1544 us
 * to 1282). Exchanged, `w` is the lane's own group, or from it: its half of each. Not where
 * lanes side by side may have rows of their own, or none. */
#define GA_IS_PAIR(T) (!GA_SHORT && GA_VEC * sizeof(T) == 32)
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

/* `bytes` of the 4*N at p, which is aligned to elements (ga_load_shifted). */
template <int N> GA_FN ga_vec<ga_uint, N> ga_load_shifted_part(const char *p, int bytes) {
  typedef ga_vec<ga_uint, N> word;
  const ga_uint at = (ga_uint)((ga_ulong)p & (4 * N - 1));
  const word *q = (const word *)(p - at);
  word low = {}, high = {};
  if (bytes > 0) low = q[0];
  if (4 * N - (int)at < bytes) high = q[1];
  return ga_shift_words<N>(low, high, at);
}

/* n neighbours at `a`, STEP (0: one) elements apart, of an operand that moves (`step`) along the
 * scanned axis; what there is behind them reaches no result that exists, but no 16 bytes are asked
 * for that hold none. */
template <int STEP, class T>
GA_FN void ga_load_there(ga_words<T, GA_VEC> &w, const char *a, ga_uint step, int n) {
  enum { SIZE = (int)sizeof(T), BYTES = GA_VEC * SIZE, PART = BYTES < 16 ? BYTES : 16 };
  enum { EACH = PART / SIZE, NEXT = (STEP != 0 ? STEP : 1) * SIZE };
  if (!GA_MOVES && !step) {
    if (n > 0) w = ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(a)));
  } else if constexpr (PART < 4 || SIZE >= 16) {
    ga_vec<T, GA_VEC> v = {};
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      if (j < n) v.v[j] = ga_load<T>(a + j * NEXT);
    w = ga_words_of<T, GA_VEC>(v);
  } else if constexpr (STEP != 0) {
#pragma unroll
    for (int k = 0; k < GA_VEC; k += EACH) {
      const int left = n > k ? n - k : 0;
      ga_pack<T, EACH> x;
      ga_load_steps<STEP>(x, a + k * NEXT, 0, left < EACH ? left : (int)EACH);
      memcpy((char *)&w + k * SIZE, &x, sizeof x);
    }
  } else {
#pragma unroll
    for (int k = 0; k < BYTES; k += PART) {
      ga_vec<ga_uint, PART / 4> x = {};
      if (!GA_ALIGNED)
        x = ga_load_shifted_part<PART / 4>(a + k, n * SIZE - k);
      else if (k < n * SIZE)
        x = *(const ga_vec<ga_uint, PART / 4> *)(a + k);
      memcpy((char *)&w + k, &x, sizeof x);
    }
  }
}

/* Operand i, n elements from r on, wherever they lie. */
template <class T>
GA_FN void ga_load_each(ga_words<T, GA_VEC> &w, const ga_params &P, const char *a, int i,
                        const ga_place &row, ga_index r, int n) {
  ga_vec<T, GA_VEC> v = {};
#pragma unroll
  for (int j = 0; j < GA_VEC; j++)
    if (j < n) v.v[j] = ga_load<T>(a + ga_at(P.scanned_axes, row, r + j).off[i]);
  w = ga_words_of<T, GA_VEC>(v);
}

/* The lane's halves of two groups, its own beginning at `a`, with element r. */
template <class T>
GA_FN void ga_load_halves(ga_words<T, GA_VEC> &w, const ga_params &P, const char *a, ga_index r) {
  typedef ga_vec<ga_uint, 4> half;
  const ga_index first = r + ((threadIdx.x & 1) ? -GA_VEC / 2 : 0);
#pragma unroll
  for (int h = 0; h < 2; h++) {
    half x = {};
    if (first + h * GA_VEC < (ga_index)P.reduced) x = *(const half *)(a + ga_half_at() + 32 * h);
    memcpy((char *)&w + 16 * h, &x, 16);
  }
}

#define GA_PAIRS(i, T) (GA_VECTOR && GA_ALIGNED && GA_MOVES && GA_STEP(i) == 0 && GA_IS_PAIR(T))

/* The operands of N groups, GA_SEGMENT apart, from r on, as far as they exist: all are asked for
 * before anything waits. */
template <int N>
GA_FN void ga_load_groups(const ga_params &P, const ga_place &row, ga_index r, ga_loaded (&g)[N]) {
#pragma unroll
  for (int b = 0; b < N; b++) {
    const ga_index at = r + b * GA_SEGMENT;
    const ga_place p = ga_at(P.scanned_axes, row, at);
    const int n = ga_existing(P, at);
#define X(i, T)                                                                 \
  if constexpr (GA_PAIRS(i, T))                                                 \
    ga_load_halves<T>(g[b].x##i, P, P.a##i + p.off[i], at);                     \
  else if constexpr (GA_VECTOR)                                                 \
    ga_load_there<GA_STEP(i), T>(g[b].x##i, P.a##i + p.off[i], P.step[i], n);   \
  else                                                                          \
    ga_load_each<T>(g[b].x##i, P, P.a##i, i, row, at, n);
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int b = 0; b < N; b++) {
#define X(i, T) \
  if constexpr (GA_PAIRS(i, T)) g[b].x##i = ga_exchange_halves(g[b].x##i);
    GA_INPUTS(X)
#undef X
  }
}

#if GA_SHIFTED
#define GA_ROOM(T) ga_strip<T>::room()
#else
#define GA_ROOM(T) GA_SLOTS(ga_words<T, GA_VEC>)
#endif

#if GA_COPIED
/* Operand i of the warp's chunk t, from element r on, on its way to its slots. */
template <class T>
GA_FN void ga_fetch(const ga_params &P, char *held, const char *a, int i, int t,
                    const ga_place &row, ga_index r) {
  const ga_ulong left = (ga_ulong)r < P.reduced ? P.reduced - r : 0;
#if GA_TURNED
  ga_fetch_elements<T>(P, held, a, i, t, row, r, left);
#elif GA_SHIFTED
  ga_fetch_strip<T>(held, t, a + ga_at(P.scanned_axes, row, r).off[i], left * sizeof(T));
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
  held += GA_ROOM(T);
  GA_INPUTS(X)
#undef X
  ga_end_copies();
}
#endif

#if GA_HOLD == 1 || GA_COPIED
/* Group n of those that wait as they were loaded. */
GA_FN void ga_get_group(const ga_params &P, const ga_place &row, int n, ga_loaded &g) {
#if GA_SHIFTED
  char *held = (char *)ga_held;
#define X(i, T)                                                                             \
  ga_get_shifted<T>(g.x##i, held, n,                                                        \
                    (ga_uint)(ga_ulong)(P.a##i + ga_at(P.scanned_axes, row, 0).off[i]) & 15); \
  held += GA_ROOM(T);
  GA_INPUTS(X)
#undef X
#else
  ga_get(n, g);
#endif
}
#endif

/* Its elements, each joined with those before it in the group, and (JOINED) with `base`. What
 * stands for elements behind the row's end reaches none that exists. */
template <bool JOINED = false>
GA_FN void ga_scan_group(const ga_params &P, const ga_loaded &g, ga_sub (&a)[GA_VEC],
                         const ga_acc &base = ga_acc()) {
  ga_in in[GA_VEC];
#define X(i, T)                                                                 \
  {                                                                             \
    const ga_vec<T, GA_VEC> t = ga_elements<T, GA_VEC>(g.x##i);                 \
    _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) in[j].x##i = t.v[j];     \
  }
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) {
    a[j] = ga_narrow(ga_leaf(P, in[j], 0));
    if (j > 0)
      a[j] = ga_combine(a[j - 1], a[j]);
    else if (JOINED)
      a[j] = ga_combine(ga_narrow(base), a[j]);
  }
}

/* Whether a lane's group from r on is stored as a whole, or its halves of two are. */
template <class T> GA_FN bool ga_is_whole(const ga_params &P, ga_index r) {
  enum { ALL = GA_IS_PAIR(T) ? 2 * GA_VEC : GA_VEC };
  return (r & ~(ga_index)(ALL - 1)) + ALL <= (ga_index)P.reduced;
}

/* That, at `a`. */
template <class T>
GA_FN void ga_store_whole(const ga_params &P, char *a, ga_index r, const T (&t)[GA_VEC]) {
  ga_vec<T, GA_VEC> v;
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) v.v[j] = t[j];
  if constexpr (GA_IS_PAIR(T)) {
    typedef ga_vec<ga_uint, 4> half;
    half low, high;
    v = ga_exchange_halves(v);
    memcpy(&low, &v, 16);
    memcpy(&high, (const char *)&v + 16, 16);
    if (!ga_is_whole<T>(P, r)) return;
    *(half *)(a + ga_half_at()) = low;
    *(half *)(a + ga_half_at() + 32) = high;
  } else if (ga_is_whole<T>(P, r)) {
    ga_store_aligned<T, GA_VEC>(a, v);
  }
}

/* The others of N groups of output i, one element after the other: each lane has one at most. */
template <class T, int N>
GA_FN void ga_store_rest(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                         const T (&t)[N][GA_VEC]) {
  T rest[GA_VEC] = {};
  int n = 0;
#pragma unroll
  for (int b = 0; b < N; b++) {
    const ga_index at = r + b * GA_SEGMENT;
    if (ga_is_whole<T>(P, at) || ga_existing(P, at) == 0) continue;
    n = ga_existing(P, at);
    a += ga_at(P.scanned_axes, row, at).off[i];
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) rest[j] = t[b][j];
  }
#pragma unroll 1
  for (int j = 0; j < n; j++) {
    ga_store<T>(a + j * (int)sizeof(T), rest[0]);
#pragma unroll
    for (int k = 1; k < GA_VEC; k++) rest[k - 1] = rest[k];
  }
}

/* Output i, n elements from r on, wherever they lie. */
template <class T>
GA_FN void ga_store_each(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                         int n, const T (&t)[GA_VEC]) {
#pragma unroll
  for (int j = 0; j < GA_VEC; j++)
    if (j < n) ga_store<T>(a + ga_at(P.scanned_axes, row, r + j).off[i], t[j]);
}

/* Whether results are neighbours along the scanned axis, and pass through shared memory. */
#define GA_RUNS (GA_VECTOR || GA_BESIDE)
#define GA_STORE_TURNED \
  (GA_BESIDE ? !GA_STORE_VEC : GA_TURNED || (GA_VECTOR && !GA_STORE_VEC && !GA_SHORT))

/* Output i's elements of N groups, GA_SEGMENT apart, from r on. */
template <class T, int N>
GA_FN void ga_store_groups(const ga_params &P, char *a, int i, const ga_place &row, ga_index r,
                           const T (&t)[N][GA_VEC]) {
  enum { RUN = !GA_STORE_TURNED ? 1 : ga_run<T>() < N ? ga_run<T>() : N };
#pragma unroll
  for (int b = 0; b < N; b += RUN) {
    const ga_index at = r + b * GA_SEGMENT;
    if constexpr (GA_STORE_TURNED)
      ga_store_turned<T, RUN>(P, a, i, row, at, t + b);
    else if constexpr (GA_RUNS && GA_STORE_VEC)
      ga_store_whole<T>(P, a + ga_at(P.scanned_axes, row, at).off[i], at, t[b]);
    else
      ga_store_each<T>(P, a, i, row, at, ga_existing(P, at), t[b]);
  }
  if constexpr (!GA_STORE_TURNED && GA_RUNS && GA_STORE_VEC)
    if (!ga_is_whole<T>(P, r + (N - 1) * GA_SEGMENT)) ga_store_rest<T>(P, a, i, row, r, t);
}

/* What is read after the scan of N groups, and the results stored. */
template <int N>
GA_FN void ga_finish_groups(const ga_params &P, const ga_place &row, ga_index r,
                            const ga_acc (&a)[N][GA_VEC]) {
  ga_out out[N][GA_VEC];
#pragma unroll
  for (int b = 0; b < N; b++) {
    const ga_index at = r + b * GA_SEGMENT;
    const int n = ga_existing(P, at);
    const ga_place p = ga_at(P.scanned_axes, row, at);
    ga_outer outer[GA_VEC];
#define X(i, T)                                                                 \
  {                                                                             \
    ga_words<T, GA_VEC> w = {};                                                 \
    if constexpr (GA_VECTOR)                                                    \
      ga_load_there<GA_STEP(i), T>(w, P.a##i + p.off[i], P.step[i], n);         \
    else                                                                        \
      ga_load_each<T>(w, P, P.a##i, i, row, at, n);                             \
    const ga_vec<T, GA_VEC> t = ga_elements<T, GA_VEC>(w);                      \
    _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) outer[j].x##i = t.v[j];  \
  }
    GA_OUTERS(X)
#undef X
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) ga_post(P, a[b][j], outer[j], out[b][j]);
  }
#define X(i, T)                                                                 \
  {                                                                             \
    T t[N][GA_VEC];                                                             \
    _Pragma("unroll") for (int b = 0; b < N; b++)                               \
      _Pragma("unroll") for (int j = 0; j < GA_VEC; j++) t[b][j] = out[b][j].y##i; \
    ga_store_groups<T>(P, P.a##i, i, row, r, t);                                \
  }
  GA_OUTPUTS(X)
#undef X
}

/* Each lane's groups with those before it among 2^bits aligned lanes. */
#if GA_AGAIN
GA_FN ga_sub ga_scan_lanes(ga_sub v, int bits) {
#pragma unroll
  for (int b = 0; b < 5; b++) {
    ga_sub left; /* or the lane's own */
#define X(T, m) left.m = ga_value_from_left(v.m, 1 << b, 1 << bits);
    GA_MEMBERS(X)
#undef X
    v = ga_combine(left, v);
  }
  return v;
}
#else
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
#endif

/* What the lanes' groups make, in lane 0. */
GA_FN ga_sub ga_join_lanes(ga_sub v) {
#pragma unroll
  for (int b = 0; b < 5; b++) v = ga_combine(v, ga_exchange(v, 1 << b));
  return v;
}

#if !GA_SHORT

/* Whether what a group makes with those before it stays in registers until its results; else it is
 * made again, by a text that is a loop. Long groups are then joined to what comes before them from
 * their first element on, which no result tells (JOINED). */
#define GA_STAYS (GA_HOLD == 0 || GA_VEC > 4 || GA_TURNS > 2)
#define GA_JOINED (GA_HOLD == 1 && GA_VEC > 4)
#define GA_NGROUPS (GA_ALONG ? 8 : 8 * GA_TURNS) /* of the chunks that are worked on */

/* What a warp has in registers of its chunks, each of another tile. */
struct ga_chunks {
#if GA_HOLD == 0
  ga_sub a[8][GA_VEC];
#endif
#if GA_STAYS
  ga_sub groups[GA_NGROUPS];
#endif
  char unused;
};

/* Keeps group n, `a` having been made of `g`. */
GA_FN void ga_keep_group(ga_chunks &c, int n, const ga_loaded &g, const ga_sub (&a)[GA_VEC]) {
#if GA_HOLD == 1 && !GA_COPIED
  ga_put(n, g);
#elif GA_HOLD == 2
  ga_put(n, a);
#elif GA_HOLD == 0
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) c.a[n & 7][j] = a[j];
#endif
}

/* What the groups of N segments make, number n and those behind it, joined to `total` from the
 * left, in lane 0; v: the lane's. */
template <int N>
GA_FN ga_sub ga_join_groups(ga_chunks &c, int n, ga_sub total, const ga_sub (&v)[N]) {
#pragma unroll
  for (int b = 0; b < N; b++) {
#if GA_STAYS
    ga_sub &group = c.groups[(n + b) & (GA_NGROUPS - 1)];
    group = ga_scan_lanes(v[b], 5);
    total = ga_combine(total, ga_from_lane(group, 31));
#else
    total = ga_combine(total, ga_join_lanes(v[b]));
#endif
  }
  return total;
}

/* Group n again (but where GA_JOINED its elements, which wait for what comes before them).
 * Returns it with those before it in its segment. */
GA_FN ga_sub ga_kept_group(const ga_params &P, const ga_place &row, const ga_chunks &c, int n,
                           ga_sub (&a)[GA_VEC]) {
#if GA_HOLD == 0
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) a[j] = c.a[n & 7][j];
#elif GA_HOLD == 2
  ga_get(n, a);
#elif !GA_JOINED
  ga_loaded g;
  ga_get_group(P, row, n, g);
  ga_scan_group(P, g, a);
#endif
#if GA_STAYS
  return c.groups[n & (GA_NGROUPS - 1)];
#else
  return ga_scan_lanes(a[GA_VEC - 1], 5);
#endif
}

/* The results of that group, `base` being what comes before it; `first`: of the row. */
GA_FN void ga_results_of(const ga_params &P, const ga_place &row, int n, ga_sub (&a)[GA_VEC],
                         const ga_acc &base, bool first, ga_acc (&results)[GA_VEC]) {
#if GA_JOINED
  ga_loaded g;
  ga_get_group(P, row, n, g);
  ga_scan_group<true>(P, g, a, base);
#endif
  ga_group_results<GA_JOINED>(results, a, base, first);
}

#endif
