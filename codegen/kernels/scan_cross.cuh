/* SPDX-License-Identifier: MIT */
/* Scans where operands are fast along different axes (scan_cross.cu, scan_cross_long.cu): a block
 * has a box (map_boxes.cuh) of up to three kept axes and the scanned one, which is number 3,
 * GA_EXTENT3 rows of it. A thread walks down the rows of a column; neighbouring threads have
 * columns that are neighbours along axis GA_SIDE0, then GA_SIDE1, then GA_SIDE2, and so ask for
 * neighbours of the operands that are fast that way. The others (GA_STAGED, bit i: operand i) go by
 * way of shared memory: read there, or written from there, in their own order; and so do inputs of
 * many rows, which are on their way together.
 *
 * The generator supplies besides:
 *   GA_WAYS(X)  X(i, T, area, unit, units, phased, merged, a0, a1, a2, a3, p0, p1, p2, p3) for each
 *               staged operand: where its box lies in shared memory, bytes that are moved at once
 *               and how many of these a line has along its fastest axis, whether they are the
 *               aligned ones around it, whether a line is all of the fastest two axes, the box's
 *               axes from the fastest on, and bytes from one position of those (along the first:
 *               from one unit) to the next
 *   GA_ALONG    1: a column's rows are more than GA_EXTENT3, and it has a thread; else threads have
 *               columns in turn, with all of their rows
 */
#define GA_COLUMNS (GA_EXTENT0 * GA_EXTENT1 * GA_EXTENT2)
#if GA_TILES /* scan_strips.cuh */
#define GA_PARTS (GA_EXTENT3 / 128)
#define GA_ACROSS 32
#define GA_VEC ((GA_COLUMNS + 31) / 32)
#define GA_WIDTH (GA_ACROSS * GA_VEC)
#define GA_STRIP(P) GA_COLUMNS
#endif
#define GA_GROUPS (GA_EXTENT3 > 8 ? 4 : GA_EXTENT3 > 4 ? 2 : 1) /* of a thread at a time */
#define GA_ROWS (4 * GA_GROUPS)
#define GA_ONCE (!GA_ALONG && GA_EXTENT3 <= GA_ROWS) /* a thread has all rows at once */
#define GA_BATCH 16 /* elements on their way to or from registers */

extern __shared__ ga_sixteen ga_held[];

#define GA_TURNS_OF(n, d) (((n) + (d) - 1) / (d))
/* Threads side by side along `n` positions, `most` or fewer, that have as many turns each. */
#define GA_EVEN(n, most) GA_TURNS_OF(n, GA_TURNS_OF(n, most))

template <int BYTES> struct ga_moved_as {
  typedef ga_vec<ga_uint, BYTES / 4> type;
};
template <> struct ga_moved_as<1> {
  typedef ga_ubyte type;
};
template <> struct ga_moved_as<2> {
  typedef ga_ushort type;
};

/* How a staged operand's box is moved: position j of `axis` is that of its j-th fastest axis, of
 * which `lanes` threads have neighbours, `turns` times. */
template <class T, int FROM, int U, int N, bool AROUND, bool BOTH, int A0, int A1, int A2, int A3,
          int P0, int P1, int P2, int P3>
struct ga_way {
  enum { AREA = FROM, SIZE = (int)sizeof(T), UNIT = U, PHASED = AROUND, FASTEST = A0 };
  enum { MERGED = BOTH, NEXT = A1, HAS_ROWS = A0 == 3 || (BOTH && A1 == 3) };
  enum { EACH = PHASED || MERGED ? 1 : UNIT / SIZE }; /* elements that a thread has of a unit */
  enum { E0 = N, E1 = MERGED ? 1 : GA_EXTENT(A1), E2 = GA_EXTENT(A2), E3 = GA_EXTENT(A3) };
  enum { L0 = GA_EVEN(E0, GA_THREADS), L1 = GA_EVEN(E1, GA_THREADS / L0) };
  enum { L2 = GA_EVEN(E2, GA_THREADS / L0 / L1), L3 = GA_EVEN(E3, GA_THREADS / L0 / L1 / L2) };
  typedef typename ga_moved_as<UNIT>::type unit;
  static constexpr GA_FN_MEMBER int axis(int j) {
    return j == 0 ? A0 : j == 1 ? A1 : j == 2 ? A2 : A3;
  }
  static constexpr GA_FN_MEMBER int pitch(int j) {
    return j == 0 ? P0 : j == 1 ? P1 : j == 2 ? P2 : P3;
  }
  static constexpr GA_FN_MEMBER int extent(int j) {
    return j == 0 ? E0 : j == 1 ? E1 : j == 2 ? E2 : E3;
  }
  static constexpr GA_FN_MEMBER int lanes(int j) {
    return j == 0 ? L0 : j == 1 ? L1 : j == 2 ? L2 : L3;
  }
  static constexpr GA_FN_MEMBER int turns(int j) { return GA_TURNS_OF(extent(j), lanes(j)); }
  static constexpr GA_FN_MEMBER int all() { return turns(0) * turns(1) * turns(2) * turns(3); }
  /* Bytes from one element along axis k to the next. */
  static constexpr GA_FN_MEMBER int step(int k) {
    return k == A0 ? SIZE : k == A1 ? P1 : k == A2 ? P2 : P3;
  }
  /* How far behind a unit's begin the element at p lies, in memory. */
  static GA_FN_MEMBER int phase(const char *p) {
    return PHASED ? (int)((ga_ulong)p & (UNIT - 1)) : 0;
  }
};

template <int I> struct ga_way_of : ga_way<char, 0, 1, 1, false, false, 0, 1, 2, 3, 1, 1, 1, 1> {};
#define X(i, T, ...) template <> struct ga_way_of<i> : ga_way<T, __VA_ARGS__> {};
GA_WAYS(X)
#undef X
#define GA_IS_STAGED(i) ((i) < 64 && (GA_STAGED >> ((i) & 63) & 1) != 0)

/* A unit in memory, of which the box has bytes `low` to `high` - 1; `is`: any. */
struct ga_piece {
  char *p;
  int low, high;
  bool is;
};

/* A thread's units of a staged operand that begins at `a`, the m-th of them being at position x of
 * the box. */
template <class W> struct ga_share {
  int x[4];
  bool on;

  GA_FN_MEMBER ga_share() {
    int t = threadIdx.x;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      x[j] = t % W::lanes(j);
      t /= W::lanes(j);
    }
    on = t == 0;
  }
  GA_FN_MEMBER int at(int j, int m) const {
    int turn = m;
    for (int k = 0; k < j; k++) turn /= W::turns(k);
    return x[j] + turn % W::turns(j) * W::lanes(j);
  }
  GA_FN_MEMBER int place(int m) const {
    int p = W::AREA;
#pragma unroll
    for (int j = 0; j < 4; j++) p += at(j, m) * W::pitch(j);
    return p;
  }
  GA_FN_MEMBER ga_piece find(char *a, const ga_offset (&step)[4], const ga_spot &n, int m) const {
    const int before = at(0, m) * W::UNIT;
    ga_offset p = 0;
    ga_piece u;
    u.is = on;
#pragma unroll
    for (int j = 1; j < 4; j++) {
      p += (ga_offset)at(j, m) * step[W::axis(j)];
      u.is = u.is && at(j, m) < n.at[W::axis(j)];
    }
    const int phase = W::phase(a + p);
    const int line = n.at[W::FASTEST] * (W::MERGED ? n.at[W::NEXT] : 1) * W::SIZE;
    u.is = u.is && before < phase + line;
    u.low = phase - before;
    u.high = u.low + line;
    u.p = W::UNIT == W::SIZE ? a + (p + (ga_offset)at(0, m) * step[W::FASTEST])
                             : a + p - phase + before;
    return u;
  }
};

/* Stores what the box has of a unit: all of it, or some elements at an end of a line. */
template <class W> GA_FN void ga_store_piece(const ga_piece &u, const typename W::unit &v) {
  if constexpr (W::PHASED) {
    typedef typename ga_moved_as<W::SIZE>::type element;
    const char *from = (const char *)&v;
    if (u.low > 0 || u.high < W::UNIT) {
#pragma unroll
      for (int k = 0; k < W::UNIT; k += W::SIZE)
        if (k >= u.low && k < u.high) *(element *)(u.p + k) = *(const element *)(from + k);
      return;
    }
  }
  *(typename W::unit *)u.p = v;
}

/* Operand `a`, whose box begins there, to shared memory (IN), or from there. */
template <class W, bool IN>
GA_FN void ga_move_box(char *a, const ga_offset (&step)[4], const ga_spot &n) {
  typedef typename W::unit unit;
  const ga_share<W> share;
  char *held = (char *)ga_held;
  if constexpr (IN && W::UNIT >= 4) {
    const ga_shared to = ga_shared_at(held);
#pragma unroll
    for (int m = 0; m < W::all(); m++) {
      const ga_piece from = share.find(a, step, n, m);
      ga_copy_if<W::UNIT>(to, share.place(m), from.p, from.is);
    }
  } else {
#pragma unroll
    for (int b = 0; b < W::all(); b += GA_BATCH) {
      unit v[GA_BATCH];
#pragma unroll
      for (int m = b; m < b + GA_BATCH; m++) {
        if (m >= W::all()) continue;
        const ga_piece from = share.find(a, step, n, m);
        if (from.is) v[m - b] = *(const unit *)(IN ? from.p : held + share.place(m));
      }
#pragma unroll
      for (int m = b; m < b + GA_BATCH; m++) {
        if (m >= W::all()) continue;
        const ga_piece to = share.find(a, step, n, m);
        if (to.is && IN)
          *(unit *)(held + share.place(m)) = v[m - b];
        else if (to.is)
          ga_store_piece<W>(to, v[m - b]);
      }
    }
  }
}

template <bool IN>
GA_FN void ga_move_boxes(const ga_params &P, const ga_offset (&off)[GA_NOFF], const ga_spot &n) {
#define X(i, T)                                                                             \
  if constexpr (GA_IS_STAGED(i)) {                                                          \
    const ga_offset step[4] = {P.step[0][i], P.step[1][i], P.step[2][i], P.step[3][i]};     \
    ga_move_box<ga_way_of<i>, IN>(P.a##i + off[i], step, n);                                \
  }
  if constexpr (IN) {
    GA_INPUTS(X)
  } else {
    GA_OUTPUTS(X)
  }
#undef X
}

/* Where row 0 of a column lies: in memory (`off`; of a staged operand the line that it is in), and
 * in shared memory (`held`). */
struct ga_spots : ga_place {
  int held[GA_NOP];
};

/* That of the box's column `c`; false: there is none. */
GA_FN bool ga_find_column(const ga_params &P, const ga_offset (&off)[GA_NOFF], const ga_spot &n,
                          int c, ga_spots &at) {
  int x[3];
  x[GA_SIDE0] = c % GA_EXTENT(GA_SIDE0);
  x[GA_SIDE1] = c / GA_EXTENT(GA_SIDE0) % GA_EXTENT(GA_SIDE1);
  x[GA_SIDE2] = c / (GA_EXTENT(GA_SIDE0) * GA_EXTENT(GA_SIDE1));
#define X(i, T)                                                                 \
  {                                                                             \
    typedef ga_way_of<i> way;                                                   \
    ga_offset line = off[i], own = off[i];                                      \
    at.held[i] = way::AREA;                                                     \
    _Pragma("unroll") for (int k = 0; k < 3; k++) {                             \
      const ga_offset far = (ga_offset)x[k] * P.step[k][i];                     \
      own += far;                                                               \
      at.held[i] += x[k] * way::step(k);                                        \
      if (k != way::FASTEST && !(way::MERGED && k == way::NEXT)) line += far;   \
    }                                                                           \
    if (way::HAS_ROWS) at.held[i] += way::phase(P.a##i + line);                 \
    at.off[i] = GA_IS_STAGED(i) && !way::HAS_ROWS ? line : own;                 \
  }
  GA_OPERANDS(X)
#undef X
  return x[0] < n.at[0] && x[1] < n.at[1] && x[2] < n.at[2];
}

/* What a column's rows so far make: before a segment, before the groups of its last rows; one, two,
 * four: aligned 16, 32, 64 rows before the next 16, where their number has bit 0, 1, 2 set. */
struct ga_column : ga_passed {
  ga_acc groups, one, two, four, held[3];
};

/* Where no result tells the order (GA_FREE) rows are joined one after the other, not by groups: all
 * before them is `groups` then. */

/* The groups of the segment up to one that, with those before it in its 16 rows, makes u. */
GA_FN ga_acc ga_up_to(const ga_column &c, const ga_acc &u) {
  return GA_ONCE ? u : ga_combine(c.four, ga_combine(c.two, ga_combine(c.one, u)));
}

/* After 16 rows, number w of all, that make u. */
GA_FN void ga_next_rows(ga_column &c, ga_uint w, const ga_acc &u) {
  c.groups = GA_FREE ? u : ga_up_to(c, u);
  if (GA_FREE) return;
  if ((w & 1) == 0) c.held[0] = u;
  if ((w & 3) == 1) c.held[1] = ga_combine(c.held[0], u);
  if ((w & 7) == 3) c.held[2] = c.groups;
  if (GA_ALONG && (w & 7) == 7) {
    ga_end_segment(c, w / 8, c.groups);
    c.groups = ga_identity();
  }
  c.one = w + 1 & 1 ? c.held[0] : ga_identity();
  c.two = w + 1 & 2 ? c.held[1] : ga_identity();
  c.four = w + 1 & 4 ? c.held[2] : ga_identity();
}

/* The element of operand i that is j rows on. A staged one lies in a line of its own, whose phase
 * follows from where that begins in memory, unless rows are its fastest axis. */
template <int I> GA_FN char *ga_element(const ga_params &P, char *a, const ga_spots &at, int j) {
  typedef ga_way_of<I> way;
  const ga_offset off = at.off[I] + (ga_offset)j * P.step[3][I];
  if (!GA_IS_STAGED(I)) return a + off;
  const int phase = way::HAS_ROWS ? 0 : way::phase(a + off);
  return (char *)ga_held + (at.held[I] + j * way::step(3) + phase);
}

/* Elements of a thread that are one unit of a staged operand. */
#define GA_UNIT_OF(i) (GA_IS_STAGED(i) && ga_way_of<i>::FASTEST == 3 ? (int)ga_way_of<i>::EACH : 1)

template <class T, int N> struct GA_ALIGN(N * sizeof(T)) ga_some {
  T v[N];
};

template <int I, class T>
GA_FN void ga_load_rows(const ga_params &P, char *a, const ga_spots &at, int rows,
                        T (&t)[GA_ROWS]) {
  enum { N = GA_UNIT_OF(I) };
#pragma unroll
  for (int d = 0; d < GA_ROWS; d += N) {
    if (d >= rows) continue;
    const ga_some<T, N> some = *(const ga_some<T, N> *)ga_element<I>(P, a, at, d);
#pragma unroll
    for (int e = 0; e < N; e++) t[d + e] = some.v[e];
  }
}

template <int I, class T>
GA_FN void ga_store_rows(const ga_params &P, char *a, const ga_spots &at, int rows,
                         const T (&t)[GA_ROWS]) {
  enum { N = GA_UNIT_OF(I) };
#pragma unroll
  for (int d = 0; d < GA_ROWS; d += N) {
    ga_some<T, N> some;
    if (d >= rows) continue;
#pragma unroll
    for (int e = 0; e < N; e++) some.v[e] = t[d + e];
    *(ga_some<T, N> *)ga_element<I>(P, a, at, d) = some;
  }
}

/* Walks down `rows` of a column, of which the first is number w * GA_ROWS. STORE: leaves their
 * results. */
template <bool STORE>
GA_FN void ga_walk_column(const ga_params &P, ga_spots at, ga_column &c, ga_uint w, int rows) {
  if (GA_FREE && GA_TILES && STORE) c.groups = ga_combine(c.spans, c.groups);
#pragma unroll 1
  do {
    ga_in in[GA_ROWS];
    ga_out out[GA_ROWS];
    ga_acc a[GA_GROUPS][4], u[GA_GROUPS];
#define X(i, T)                                                                 \
  {                                                                             \
    T t[GA_ROWS] = {};                                                          \
    ga_load_rows<i>(P, P.a##i, at, rows, t);                                    \
    _Pragma("unroll") for (int d = 0; d < GA_ROWS; d++) in[d].x##i = t[d];      \
  }
    GA_INPUTS(X)
#undef X
#pragma unroll
    for (int q = 0; q < GA_GROUPS; q++)
#pragma unroll
      for (int j = 0; j < 4; j++) {
        a[q][j] = ga_leaf(P, in[4 * q + j], 0);
        if (GA_FREE && j == 0) a[q][j] = ga_combine(q == 0 ? c.groups : a[q - 1][3], a[q][j]);
        if (j > 0) a[q][j] = ga_combine(a[q][j - 1], a[q][j]);
      }
    u[0] = a[0][3];
#if GA_EXTENT3 > 4
    u[1] = ga_combine(u[0], a[1][3]);
#endif
#if GA_EXTENT3 > 8
    u[2] = ga_combine(u[1], a[2][3]);
    u[3] = ga_combine(u[1], ga_combine(a[2][3], a[3][3]));
#endif
    if (GA_FREE) u[GA_GROUPS - 1] = a[GA_GROUPS - 1][3];
    const ga_acc before = ga_before_next(c);
#pragma unroll
    for (int q = GA_GROUPS - 1; STORE && q >= 0; q--) {
      const bool first = w == 0 && q == 0;
      if (GA_FREE) {
        ga_group_results<true>(a[q], a[q], q == 0 ? c.groups : a[q > 0 ? q - 1 : 0][3], first);
        continue;
      }
      const ga_acc groups = q == 0 ? c.groups : ga_up_to(c, u[q > 0 ? q - 1 : 0]);
      ga_group_results(a[q], a[q], GA_ALONG ? ga_combine(before, groups) : groups, first);
    }
#pragma unroll
    for (int d = 0; STORE && d < GA_ROWS; d++) {
      ga_outer outer;
      ga_post(P, a[d / 4][d % 4], outer, out[d]);
    }
#define X(i, T)                                                                 \
  {                                                                             \
    T t[GA_ROWS];                                                               \
    _Pragma("unroll") for (int d = 0; STORE && d < GA_ROWS; d++) t[d] = out[d].y##i; \
    if (STORE) ga_store_rows<i>(P, P.a##i, at, rows, t);                        \
  }
    GA_OUTPUTS(X)
#undef X
    if (GA_ONCE) return;
    ga_next_rows(c, w++, u[GA_GROUPS - 1]);
#pragma unroll
    for (int i = 0; i < GA_NOP; i++) at.off[i] += (ga_offset)GA_ROWS * P.step[3][i];
#define X(i, T) at.held[i] += GA_ROWS * ga_way_of<i>::step(3);
    GA_OPERANDS(X)
#undef X
  } while ((rows -= GA_ROWS) > 0);
}

GA_FN void ga_begin_column(ga_column &c) {
  (ga_passed &)c = ga_nothing_passed();
  c.groups = c.one = c.two = c.four = c.held[0] = c.held[1] = c.held[2] = ga_identity();
}
