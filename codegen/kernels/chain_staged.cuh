/* SPDX-License-Identifier: MIT */
/* Rows that lie end to end but not on vectors, by way of shared memory: a block copies
 * all that its rows hold as aligned vectors, each lane reads its elements there and
 * leaves its results there, and the block copies those out (chain_results.cuh).
 *
 *   256 rows of 33 float32, a lane each, from address 4 modulo 16 on: 33792 bytes,
 *   as 2113 vectors, of which the first and the last have 12 and 4 of them. They lie
 *   in shared memory from 4 on; row 5 from 4 + 5 * 132 on. Lanes read 33 elements
 *   apart: no bank is asked twice.
 *
 * Where a warp has a row, its lanes read four elements apart, and those that are GA_TURN
 * lanes apart take a four's elements in other orders, 1032 and so on, which keeps them
 * off each other's banks. The tree does not see it: it joins 0 and 1, 2 and 3, and both.
 *
 * GA_ABREAST: the rows are of a middle axis, those of the short axis inside it beside each
 * other, and a block has whole groups of such.
 *
 *   axis 1 of [1000, 341, 3]: blocks of 30 rows of 8 lanes, which are 10 groups of 1023
 *   elements; element r of row 7, which is row 1 of group 2, is the (2 * 1023 + 3r + 1)-th.
 *
 * GA_ROWS: of a thread, one after the other; results then have places of their own.
 *
 * GA_HELD: what was copied stays, and each level reads it again.
 *
 * ga_again<i>: rows of operand i, which is not staged, that follow each other are often one: a
 * thread of several reads it again where it is another.
 *
 * ga_apart<i>: rows of operand i do not lie end to end, or not in the order of the results. Each is
 * copied by its own vectors, as far as it reaches, GA_SPREAD elements from one to the next at most,
 * to places that are odd numbers of vectors apart. GA_STEPS: some move by other steps than one
 * element, or backwards: what lies between is copied too.
 *
 *   rows of 5 float16, 14 bytes apart, from addresses 0, 14, 12 and 10 modulo 16 on: 1, 2, 2 and 2
 *   vectors, to byte 0, 48, 96 and 144; row 2 is there from byte 108 on.
 *
 * GA_PIECE: elements of a row, of each operand that is staged, that lie together as a vector.
 *
 * Operand i is staged where ga_staged<i>; it then has ga_area<i> bytes for each of
 * `room` elements before it, inputs and outputs each from the start. Others are the
 * same for all rows and are read by elements. No aligned 16 bytes are touched that
 * hold nothing of an operand. */
#if GA_STAGED

#if GA_ABREAST
#define GA_BESIDE P.kept_axes.dim[GA_NK - 1] /* rows of a group */

/* Rows of a block. */
GA_FN ga_index ga_teams_abreast(const ga_params &P) {
  return ga_quotient(blockDim.x >> GA_LANES, GA_BESIDE) * GA_BESIDE.d;
}
#endif

/* What the block has: `count` elements, from `at` on. Element r of the lane's row is
 * the (own + r * step)-th of them. Of rows apart it is the block's `row`-th of `rows`. */
struct ga_staged_rows {
  char *shared;
  ga_place at;
  ga_index room, count, own, step;
#define X(i, T) mutable const char *seen##i; /* what the fours of operand i were read from */
  GA_INPUTS(X)
#undef X
#if GA_APART
  ga_uint row, rows;
  ga_ulong (*low)[GA_BLOCK >> GA_LANES]; /* where rows begin in memory, of each operand apart */
#endif
};

/* Chunks of a block that has a row, or its part of one. */
GA_FN ga_index ga_part_of_row(const ga_params &P) {
  return (ga_index)((P.reduced + GA_CHUNK * GA_CLUSTER - 1) / (GA_CHUNK * GA_CLUSTER));
}

/* Which of a block's rows the team has: those of neighbours are 2^spaced rows apart, so that lanes
 * of a warp are off each other's banks: rows of 129 float16 that follow each other begin in two. */
GA_FN ga_uint ga_spaced(const ga_params &P, ga_uint team) {
  const ga_uint bits = 8 - GA_LANES; /* GA_BLOCK is 2^8 */
  return ((team << P.spaced) | (team >> (bits - P.spaced))) & ((1u << bits) - 1);
}

/* Where the k-th row of a block begins. */
GA_FN ga_index ga_own_place(const ga_params &P, ga_index k) {
#if GA_ABREAST
  const ga_index group = ga_quotient(k, GA_BESIDE);
  return group * GA_BESIDE.d * (ga_index)P.reduced + (k - group * GA_BESIDE.d);
#else
  return k * (ga_index)P.reduced;
#endif
}

/* `first`: of a block's rows, or, where they have several, its element of their row. */
GA_FN ga_staged_rows ga_find_rows(const ga_params &P, char *shared, const ga_place &row,
                                  ga_index first, ga_index k) {
  const ga_index n = (ga_index)P.reduced;
  ga_staged_rows s;
  s.shared = shared;
  s.step = 1;
#define X(i, T) s.seen##i = nullptr;
  GA_INPUTS(X)
#undef X
#if GA_TEAM
  const ga_index most = ga_part_of_row(P) * GA_CHUNK;
  s.at = ga_at(P, row, first);
  s.room = most * GA_SPREAD + 16;
  s.count = first >= n ? 0 : n - first < most ? n - first : most;
  s.own = 0 - first;
#else
  const ga_index units = (ga_index)P.units - first;
#if GA_ABREAST
  const ga_index teams = ga_teams_abreast(P) * GA_ROWS;
  s.step = GA_BESIDE.d;
#else
  const ga_index teams = GA_ROWS * GA_BLOCK >> GA_LANES;
#endif
  s.own = ga_own_place(P, k - first);
  s.at = ga_seek(P.kept_axes, first);
#if GA_APART
  s.room = (teams * ((n - 1) * GA_SPREAD + 1 + GA_SLACK) + GA_FOURS * GA_PITCH + 47) / 16 * 16;
  s.row = k - first;
  s.rows = units < teams ? units : teams;
#else
  s.room = ((teams - s.step) * n + GA_FOURS * GA_PITCH * s.step + 47) / 16 * 16;
#endif
  s.count = (units < teams ? units : teams) * n;
#endif
  return s;
}

GA_FN ga_uint ga_phase(const char *p) { return (ga_uint)(ga_ulong)p & 15; }

/* ---- rows apart, and those with steps ---------------------------------------- */

/* Bytes from an element of operand i to the next of its row. */
template <class T> GA_FN ga_offset ga_step_of(const ga_params &P, int i) {
  return GA_STEPS ? (ga_offset)(ga_int)P.step[i] : (ga_offset)sizeof(T);
}

/* Bytes before the first of n elements that lie among theirs. */
GA_FN ga_uint ga_before(ga_offset step, ga_index n) {
  return step < 0 && n > 0 ? (ga_uint)((ga_offset)(n - 1) * -step) : 0;
}

/* Bytes that n elements reach over. */
template <class T> GA_FN ga_uint ga_reach(ga_offset step, ga_index n) {
  const ga_offset apart = step < 0 ? -step : step;
  return n == 0 ? 0 : (ga_uint)((ga_offset)(n - 1) * apart) + (ga_uint)sizeof(T);
}

/* Elements of a row, or of the block's part of one. */
GA_FN ga_index ga_part(const ga_params &P, const ga_staged_rows &s) {
  return GA_TEAM ? s.count : (ga_index)P.reduced;
}

/* Where in memory the block's elements of operand i begin, and their bytes: of rows end to end,
 * or of a part of one. */
template <class T>
GA_FN char *ga_low_of(const ga_params &P, const ga_staged_rows &s, char *p, int i) {
  return p + s.at.off[i] - ga_before(ga_step_of<T>(P, i), ga_part(P, s));
}
template <class T> GA_FN ga_uint ga_bytes_of(const ga_params &P, const ga_staged_rows &s, int i) {
  return GA_TEAM ? ga_reach<T>(ga_step_of<T>(P, i), s.count) : (ga_uint)(s.count * sizeof(T));
}

/* Vectors that a row may reach over, and bytes from one in shared memory to the next. */
GA_FN ga_uint ga_row_vectors(ga_uint reach) { return (reach + 30) / 16; }
GA_FN ga_uint ga_row_pitch(ga_uint reach) { return (ga_row_vectors(reach) | 1) * 16; }

/* f(b, more) for bytes b + more from `begin` to `end`, vector by vector, by the block's threads:
 * four of each at once, where there is a map, for which it has registers (argmax of rows of 100
 * takes 0.96 of the time one by one). */
template <class F> GA_FN void ga_share_vectors(ga_uint begin, ga_uint end, const F &f) {
#if GA_MAPS
  const ga_uint n = 16 * (GA_TEAM || GA_ABREAST ? blockDim.x : GA_BLOCK);
#pragma unroll 1
  for (ga_uint b = begin + threadIdx.x * 16; b < end; b += 4 * n) {
#pragma unroll
    for (ga_uint k = 0; k < 4; k++)
      if (k == 0 || b + k * n < end) f(b, k * n);
  }
#else
  for (ga_uint b = begin + threadIdx.x * 16; b < end; b += 16 * blockDim.x) f(b, 0);
#endif
}

/* The bytes from p on to the same place modulo 16. */
GA_FN void ga_fetch_bytes(char *to, const char *p, ga_uint bytes) {
  const ga_uint phase = ga_phase(p);
  const char *from = p - phase;
  if (bytes != 0) /* a cluster may have blocks too many */
    ga_share_vectors(0, phase + bytes, [&](ga_uint b, ga_uint more) {
      ga_copy_beside<16>(to + b + more, from + b + more);
    });
}

#if GA_APART

/* Vector v of row k, for all, by the block's threads. */
template <class F> GA_FN void ga_each_vector(ga_uint rows, ga_uint vectors, const F &f) {
  const ga_uint down = blockDim.x / vectors, along = blockDim.x - down * vectors;
  ga_uint k = threadIdx.x / vectors, v = threadIdx.x - k * vectors;
  while (k < rows) {
    f(k, v);
    k += down;
    v += along;
    if (v >= vectors) {
      v -= vectors;
      k++;
    }
  }
}

/* Where the thread's row begins, in each operand apart. */
GA_FN void ga_note_rows(const ga_params &P, const ga_staged_rows &s, const ga_place &row) {
  const ga_index n = (ga_index)P.reduced;
  if ((threadIdx.x & ((1u << GA_LANES) - 1)) != 0) return;
#define X(i, T)                                                                          \
  if (ga_apart##i)                                                                       \
    s.low[ga_low##i][threadIdx.x >> GA_LANES] =                                          \
        (ga_ulong)(P.a##i + row.off[i] - ga_before(ga_step_of<T>(P, i), n));
  GA_INPUTS(X)
  GA_OUTPUTS(X)
#undef X
  (void)n;
}

GA_FN void ga_fetch_apart(char *to, const ga_ulong *low, ga_uint rows, ga_uint reach) {
  const ga_uint pitch = ga_row_pitch(reach);
  ga_each_vector(rows, ga_row_vectors(reach), [&](ga_uint k, ga_uint v) {
    const ga_uint phase = (ga_uint)low[k] & 15;
    if (v * 16 < phase + reach)
      ga_copy_beside<16>(to + k * pitch + v * 16, (const char *)(low[k] - phase) + v * 16);
  });
}

#endif

GA_FN void ga_fetch_rows(const ga_params &P, const ga_staged_rows &s) {
#define X(i, T)                                                                          \
  if (ga_staged##i && !ga_apart##i)                                                      \
    ga_fetch_bytes(s.shared + ga_area##i * s.room, ga_low_of<T>(P, s, P.a##i, i),        \
                   ga_bytes_of<T>(P, s, i));
  GA_INPUTS(X)
#undef X
#if GA_APART
  __syncthreads();
#define X(i, T)                                                                          \
  if (ga_apart##i)                                                                       \
    ga_fetch_apart(s.shared + ga_area##i * s.room, s.low[ga_low##i], s.rows,             \
                   ga_reach<T>(ga_step_of<T>(P, i), (ga_index)P.reduced));
  GA_INPUTS(X)
#undef X
#endif
  ga_wait_for_copies();
  __syncthreads();
}

/* Where in its area the lane's row, which begins at `row`, has element 0 of operand i, at p. */
template <class T, int APART>
GA_FN ga_uint ga_own_at(const ga_params &P, const ga_staged_rows &s, char *p, const ga_place &row,
                        int i) {
  const ga_offset step = ga_step_of<T>(P, i);
  const ga_uint before = ga_before(step, ga_part(P, s));
#if GA_APART
  if (APART)
    return s.row * ga_row_pitch(ga_reach<T>(step, (ga_index)P.reduced)) +
           ga_phase(p + row.off[i] - before) + before;
#endif
  return ga_phase(ga_low_of<T>(P, s, p, i)) + before +
         (ga_uint)s.own * (ga_uint)(GA_TEAM ? step : (ga_offset)sizeof(T));
}

/* p + at + more: as one number where that is not known, else as a place and a known distance. */
template <class C> GA_FN C *ga_beyond(C *p, ga_uint at, ga_uint more) {
  return GA_TURN || GA_ABREAST || GA_STEPS ? p + (at + more) : p + at + more;
}

/* Four elements, `step` apart, from p + at + more on, p being a multiple of 16 and `more` of 4. */
template <class T>
GA_FN ga_vec<T, GA_WIDTH> ga_read_four(const char *p, ga_uint at, ga_uint more, ga_uint step) {
  const int n = (int)sizeof(T);
  ga_vec<T, GA_WIDTH> r;
  if constexpr (GA_PIECE > 1) {
#pragma unroll
    for (int j = 0; j < GA_WIDTH; j += GA_PIECE) {
      const auto piece = *(const ga_vec<T, GA_PIECE> *)(p + at + more + j * n);
#pragma unroll
      for (int e = 0; e < GA_PIECE; e++) r.v[j + e] = piece.v[e];
    }
  } else if constexpr (n >= 4 || GA_TURN || GA_HALVES || GA_ABREAST) {
#pragma unroll
    for (int j = 0; j < GA_WIDTH; j++)
      r.v[j] = *(const T *)(ga_beyond(p, at, more) + ga_in_turn(j) * step * n);
  } else {
    const ga_uint *q = (const ga_uint *)(p + (at & ~3u) + more);
    ga_uint u[n + 1];
    ga_vec<ga_uint, n> w;
#pragma unroll
    for (int k = 0; k <= n; k++) u[k] = q[k];
#pragma unroll
    for (int k = 0; k < n; k++) w.v[k] = __funnelshift_r(u[k], u[k + 1], (at & 3) * 8);
    memcpy(&r, &w, sizeof r);
  }
  return r;
}

/* The last element that the block has of the lane's row; a cluster's last block may have none. */
GA_FN ga_index ga_last_of(const ga_params &P, const ga_staged_rows &s) {
  return GA_TEAM ? (s.count ? s.count - 1 : 0) - s.own : (ga_index)P.reduced - 1;
}

/* The same of a row that moves by `step` bytes, elements r and on, or the last for those that it
 * has not. */
template <class T>
GA_FN ga_vec<T, GA_WIDTH> ga_read_steps(const char *p, ga_uint at, ga_offset step, ga_index r,
                                        ga_index last) {
  ga_vec<T, GA_WIDTH> v;
#pragma unroll
  for (int j = 0; j < GA_WIDTH; j++) {
    const ga_index e = r + ga_in_turn(j);
    v.v[j] = *(const T *)(p + (at + (ga_uint)(e < last ? e : last) * (ga_uint)step));
  }
  return v;
}

/* Which way operand i, which is not staged, moves along a row, an element at a time: forth (1),
 * back (-1), or not at all. */
GA_FN int ga_plain_way(const ga_params &P, int i) {
  return !ga_moves(P, i) ? 0 : GA_STEPS && (ga_int)P.step[i] < 0 ? -1 : 1;
}

/* The lane's c-th four of such an operand, p being where its first begins. VECTORS 2: those that
 * move forth lie as vectors do; 1: they may; 0: they do not, and are read by elements, which is
 * shorter and no slower than two vectors shifted. */
template <class T, int VECTORS>
GA_FN ga_vec<T, GA_WIDTH> ga_read_plain(const ga_params &P, const char *p, int way, ga_index r,
                                        int c) {
  ga_vec<T, GA_WIDTH> v;
  if (way == 0) return ga_splat<T, GA_WIDTH>(ga_load<T>(p));
  if (way < 0) {
#pragma unroll
    for (int j = 0; j < GA_WIDTH; j++)
      if (ga_exists(P, r, c, ga_in_turn(j)))
        v.v[j] = ga_load<T>(p - (c * GA_PITCH + ga_in_turn(j)) * (int)sizeof(T));
    return v;
  }
  p += c * GA_PITCH * (int)sizeof(T);
  if constexpr (!GA_TURN && VECTORS)
    if (ga_exists(P, r, c, GA_WIDTH - 1)) return ga_load_vec<T, GA_WIDTH, VECTORS == 2>(p);
#pragma unroll
  for (int j = 0; j < GA_WIDTH; j++)
    if (ga_exists(P, r, c, ga_in_turn(j)))
      v.v[j] = ga_load<T>(p + ga_in_turn(j) * (int)sizeof(T));
  return v;
}

/* What level L reads of the lane's fours from element r on; first, where they stay. What the map
 * alone reads and is not staged it reads four by four. */
template <int L>
GA_FN void ga_read_fours(const ga_params &P, const ga_staged_rows &s, const ga_place &row,
                         ga_index r, ga_four (&f)[GA_FOURS]) {
  const ga_place here = ga_at(P, row, r);
  const ga_index last = ga_last_of(P, s);
#define X(i, T)                                                                        \
  if constexpr (ga_again##i) {                                                         \
    const char *p = P.a##i + here.off[i];                                              \
    if (ga_at##i == L && p != s.seen##i) {                                             \
      _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                             \
        f[c].x##i.take(ga_read_plain<T, 1>(P, p, ga_plain_way(P, i), r, c));           \
      s.seen##i = p;                                                                   \
    }                                                                                  \
  } else if constexpr (GA_HELD ? ga_at##i <= L && ga_last##i >= L : ga_at##i == L) {   \
    const char *p = s.shared + ga_area##i * s.room;                                    \
    const ga_uint own = ga_own_at<T, ga_apart##i>(P, s, P.a##i, row, i);               \
    const ga_uint at = GA_STEPS ? own : own + (ga_uint)(r * s.step) * (ga_uint)sizeof(T); \
    const ga_uint step = (ga_uint)s.step;                                              \
    _Pragma("unroll") for (int c = 0; c < GA_FOURS; c++)                               \
      if constexpr (ga_staged##i && GA_STEPS)                                          \
        f[c].x##i.take(ga_read_steps<T>(p, at, ga_step_of<T>(P, i), r + c * GA_PITCH, last)); \
      else if constexpr (ga_staged##i)                                                 \
        f[c].x##i.take(ga_read_four<T>(p, at, c * GA_PITCH * (int)sizeof(T) * step, step)); \
      else if constexpr (L < GA_MAP)                                                   \
        f[c].x##i.take(                                                                \
            ga_read_plain<T, 1>(P, P.a##i + here.off[i], ga_plain_way(P, i), r, c));   \
  }
  GA_INPUTS(X)
#undef X
}

#endif
