/* SPDX-License-Identifier: MIT */
/* Reduce, where results do not tell the order and operands, or results, are fast along different
 * axes: by boxes of up to four axes, kept and reduced ones, that have runs of each of them.
 *
 * A box of an operand is copied to shared memory in lines along the axis that it is fast along, and
 * those that go on where this one ends. They begin as far past a word as they do in memory, and lie
 * an odd number of words (or wider elements) apart, so that lanes meet few banks twice whichever
 * way they go. Then threads walk along axis 0 of the box, which is reduced. An item is a column,
 * one place of the kept axes, and a side, one place of the other reduced ones. Lines of 1 and 2
 * bytes an element begin elsewhere past a word each: where walks are long they take every
 * 2^GA_SPLIT-th element, which do alike, and sides are as many times more. Where lines are is found
 * once.
 * A unit is some boxes of the same columns. What its items have is joined at its end, then what
 * 32 units have, by the last of them, and so on.
 *
 *   any(a > b, axis=0) of uint8 [1341, 1001, 100], b in C order, a with axis 1 the fastest: boxes
 *   of 64 by 32 kept ones and 8 rows of axis 0: 2048 items, eight of a thread, which walk along
 *   these. Lines of a are 64 places of axis 1, 17 words; they begin at multiples of 1001 bytes.
 *
 * The generator supplies besides what reduce.cuh says:
 *   GA_BOXED    bit i: operand i is copied; others are read as they are needed
 *   GA_STILL    bit i: and this one is the same all along a walk
 *   GA_ALIGNED  1: lines begin with words
 *   GA_ALIKE    1: lines of a walk begin as far past a word as its first
 *   GA_EXTENT0, ...  extents of the box; GA_INSIDE: axes of it that are reduced, the first ones
 *   GA_SIDES, GA_SPLIT  sides of a column; log2 of from one element of a walk to the next
 *   GA_IMAGE_0, ...  a ga_image for each operand
 *   GA_RESULTS  bytes in shared memory before what items have
 */
#define GA_MOVES(T) (!GA_ALIGNED && sizeof(T) < 4)
#define GA_IN_BOX(i) ((i) < 64 && (GA_BOXED >> ((i) & 63) & 1) != 0)
#define GA_TOGETHER 4 /* elements of a walk */
#define GA_NONE_PAST (512u | 512u << 10 | 512u << 20) /* bits of three places below 512 */
#define GA_EXTENT(K) \
  ((K) == 0 ? GA_EXTENT0 : (K) == 1 ? GA_EXTENT1 : (K) == 2 ? GA_EXTENT2 : GA_EXTENT3)
#define GA_IMAGE(i) constexpr ga_image m = GA_IMAGE_##i

/* How an operand lies in shared memory, in bytes. */
struct ga_image {
  int table, from;  /* before what is known of lines, and before these */
  int lines, words; /* of a box; of a line */
  int along;        /* bit k: lines are along axis k; of those that do not stay, ... */
  int gap[4];       /* ... from line to line along the others; else 0 */
};

/* Columns of a box. */
constexpr GA_FN int ga_columns_of() {
  int n = 1;
  for (int k = GA_INSIDE; k < 4; k++) n *= GA_EXTENT(k);
  return n;
}
enum { GA_COLUMNS = ga_columns_of(), GA_ITEMS = GA_COLUMNS * GA_SIDES };

/* Threads that copy a line of so many words. */
constexpr GA_FN int ga_abreast(int words) {
  return words > 96 ? 32 : words > 48 ? 16 : words >= 6 ? 8 : words >= 3 ? 4 : 2;
}

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_acc *part;
  ga_uint *ticket;
  ga_index units, boxes, each; /* boxes of the same columns; of a unit */
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_index all[4]; /* extents of the box's axes */
  ga_div spans, tiles[4];
  ga_axes<GA_NK> kept_axes; /* but for the box's */
  ga_axes<GA_NR> reduced_axes;
  ga_offset step[4][GA_NOFF];
  ga_uint tickets;
  GA_NUMBERS(GA_NUMBER)
};

/* Where a line begins, from the box's beginning on; where it is in shared memory; its place along
 * the axes that it is not along, ten bits each. */
struct GA_ALIGN(16) ga_line {
  ga_offset at;
  ga_uint to, place;
};

struct ga_box {
  ga_place at;
  ga_uint n[4]; /* what there is of it along each axis */
};

/* Box number i of the kept axes, or of the reduced ones. */
template <bool REDUCED> GA_FN void ga_place_box(const ga_params &P, ga_index i, ga_box &b) {
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if ((k < GA_INSIDE) != REDUCED) continue;
    const ga_index rest = ga_quotient(i, P.tiles[k]);
    const ga_index begin = (i - rest * P.tiles[k].d) * GA_EXTENT(k), left = P.all[k] - begin;
    b.n[k] = left < GA_EXTENT(k) ? (ga_uint)left : GA_EXTENT(k);
#define X(o) b.at.off[o] += (ga_offset)begin * P.step[k][o];
    GA_OFFSETS(X)
#undef X
    i = rest;
  }
  if constexpr (REDUCED) ga_walk(P.reduced_axes, i, b.at.off);
  else ga_walk(P.kept_axes, i, b.at.off);
}

/* Takes the place along axis k off i, which counts those along it fastest. */
GA_FN ga_uint ga_take_axis(int k, ga_uint &i) {
  const ga_uint rest = i / GA_EXTENT(k), at = i - rest * GA_EXTENT(k);
  i = rest;
  return at;
}

/* Bytes from the lowest element of a line of operand i to the first, and to the highest, n[k] being
 * there along axis k. */
struct ga_reach {
  ga_int before, all;
};

GA_FN ga_reach ga_reach_of(const ga_params &P, int i, int along, const ga_uint (&n)[4]) {
  ga_reach r = {0, 0};
#pragma unroll
  for (int k = 0; k < 4; k++) {
    if ((along >> k & 1) == 0) continue;
    const ga_int far = (ga_int)P.step[k][i] * (ga_int)(n[k] - 1);
    r.before -= far < 0 ? far : 0;
    r.all += far < 0 ? -far : far;
  }
  return r;
}

/* Notes where the lines of all operands are. */
GA_FN void ga_find_lines(const ga_params &P, char *held) {
#define X(i, T)                                                                      \
  if constexpr (GA_IN_BOX(i)) {                                                      \
    GA_IMAGE(i);                                                                     \
    _Pragma("unroll 1") for (int q = (int)threadIdx.x; q < m.lines; q += GA_BLOCK) { \
      ga_line line = {0, (ga_uint)m.from, 0};                                        \
      ga_uint rest = (ga_uint)q, bit = 0;                                            \
      _Pragma("unroll") for (int k = 0; k < 4; k++) {                                \
        if (m.gap[k] == 0) continue;                                                 \
        const ga_uint at = ga_take_axis(k, rest);                                    \
        line.at += (ga_offset)at * P.step[k][i];                                     \
        line.to += at * (ga_uint)m.gap[k];                                           \
        line.place |= at << bit;                                                     \
        bit += 10;                                                                   \
      }                                                                              \
      ((ga_line *)(held + m.table))[q] = line;                                       \
    }                                                                                \
  }
  GA_INPUTS(X)
#undef X
}

/* Bytes past a word, of elements that may lie there. */
template <class T> GA_FN ga_uint ga_past(ga_uint address) {
  return GA_MOVES(T) ? address & 3 : 0;
}

/* Copies the words that a box's lines lie in: some threads those of a line. */
GA_FN void ga_fetch_lines(const ga_params &P, const ga_box &b, char *held) {
#define X(i, T)                                                                             \
  if constexpr (GA_IN_BOX(i)) {                                                             \
    GA_IMAGE(i);                                                                            \
    constexpr int unit = sizeof(T) < 4 ? 4 : (int)sizeof(T), side = ga_abreast(m.words);    \
    const ga_uint first = threadIdx.x % side * unit;                                        \
    const ga_reach reach = ga_reach_of(P, i, m.along, b.n);                                 \
    const ga_uint bytes = (ga_uint)reach.all + (ga_uint)sizeof(T);                          \
    const ga_line *lines = (const ga_line *)(held + m.table);                               \
    const ga_shared to = ga_shared_at(held);                                                \
    const char *from = P.a##i + (b.at.off[i] - (ga_offset)reach.before + (ga_offset)first); \
    ga_uint limit = GA_NONE_PAST, bit = 0;                                                  \
    _Pragma("unroll") for (int k = 0; k < 4; k++) {                                         \
      if (m.gap[k] == 0) continue;                                                          \
      limit += (b.n[k] - 1) << bit;                                                         \
      bit += 10;                                                                            \
    }                                                                                       \
    _Pragma("unroll 2") for (int q = 0; q < m.lines; q += GA_BLOCK / side) {                \
      const int own = q + (int)threadIdx.x / side;                                          \
      if (m.lines % (GA_BLOCK / side) != 0 && own >= m.lines) continue;                     \
      const ga_line line = lines[own];                                                      \
      const char *p = from + line.at;                                                       \
      const ga_uint past = ga_past<T>((ga_uint)(ga_ulong)p);                                \
      const bool on = ((limit - line.place) & GA_NONE_PAST) == GA_NONE_PAST;                \
      const ga_int left = on ? (ga_int)(past + bytes - first) : 0;                          \
      const ga_shared at = to + (line.to + first);                                          \
      p -= past;                                                                            \
      _Pragma("unroll") for (int j = 0; j < m.words * unit; j += side * unit)               \
        ga_copy_if<unit, true>(at, j, p + j, j < left);                                     \
    }                                                                                       \
  }
  GA_INPUTS(X)
#undef X
}

/* What items of a box have in common in each operand: in shared memory from where on, and the
 * low bits of its address; or where it is in memory. */
struct ga_base {
#define X(i, T)     \
  const char *p##i; \
  ga_uint line##i;
  GA_INPUTS(X)
#undef X
};

GA_FN ga_base ga_base_of(const ga_params &P, const ga_box &b, const char *held) {
  ga_base base;
#define X(i, T)                                                                 \
  base.line##i = 0;                                                             \
  if constexpr (GA_IN_BOX(i)) {                                                 \
    GA_IMAGE(i);                                                                \
    const ga_int before = ga_reach_of(P, i, m.along, b.n).before;               \
    base.p##i = held + (m.from + before);                                       \
    base.line##i = (ga_uint)(ga_ulong)(P.a##i + b.at.off[i]) - (ga_uint)before; \
  } else {                                                                      \
    base.p##i = P.a##i + b.at.off[i];                                           \
  }
  GA_INPUTS(X)
#undef X
  return base;
}

/* Where a walk is in each operand, and how it goes on. */
struct ga_walker {
#define X(i, T)      \
  const char *p##i;  \
  ga_offset step##i; \
  ga_uint line##i, next##i;
  GA_INPUTS(X)
#undef X
  ga_long iota;
};

/* The walk from place `at` of the box on. */
GA_FN ga_walker ga_walk_from(const ga_params &P, const ga_base &base, ga_long iota,
                             const ga_uint (&at)[4]) {
  ga_walker w;
#define X(i, T)                                                                          \
  w.p##i = base.p##i, w.step##i = (ga_offset)(P.step[0][i] << GA_SPLIT);                 \
  w.line##i = base.line##i, w.next##i = 0;                                               \
  if constexpr (GA_IN_BOX(i)) {                                                          \
    GA_IMAGE(i);                                                                         \
    ga_int to = 0;                                                                       \
    _Pragma("unroll") for (int k = 0; k < 4; k++) {                                      \
      to += (ga_int)at[k] * (m.along >> k & 1 ? (ga_int)P.step[k][i] : m.gap[k]);        \
      if (GA_MOVES(T) && m.gap[k] != 0) w.line##i += at[k] * (ga_uint)P.step[k][i];      \
    }                                                                                    \
    if (!(m.along & 1)) w.next##i = (ga_uint)w.step##i;                                  \
    if (!(m.along & 1)) w.step##i = (ga_offset)(m.gap[0] << GA_SPLIT);                   \
    w.p##i += to + (GA_ALIKE ? (ga_int)ga_past<T>(w.line##i) : 0);                       \
  } else {                                                                               \
    ga_offset to = 0;                                                                    \
    _Pragma("unroll") for (int k = 0; k < 4; k++) to += (ga_offset)at[k] * P.step[k][i]; \
    w.p##i += to;                                                                        \
  }
  GA_INPUTS(X)
#undef X
  w.iota = iota;
#if GA_IOTA
#pragma unroll
  for (int k = 0; k < 4; k++) w.iota += (ga_long)((ga_offset)at[k] * P.step[k][GA_NOP]);
#endif
  return w;
}

/* N elements of a walk, joined to `a`; `in` has those that stand still. */
template <int N> GA_FN void ga_walk_some(const ga_params &P, ga_walker &w, ga_in in, ga_sub &a) {
  ga_in some[N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    some[k] = in;
#define X(i, T)                                                          \
  if constexpr (!GA_STANDS(i)) {                                         \
    const char *p = w.p##i;                                              \
    if constexpr (GA_IN_BOX(i) && !GA_ALIKE) p += ga_past<T>(w.line##i); \
    some[k].x##i = GA_IN_BOX(i) ? *(const T *)p : ga_load<T>(p);         \
    w.p##i += w.step##i;                                                 \
    w.line##i += w.next##i;                                              \
  }
    GA_INPUTS(X)
#undef X
  }
#pragma unroll
  for (int k = 0; k < N; k++) {
    a = ga_combine(a, ga_narrow(ga_leaf(P, some[k], w.iota)));
#if GA_IOTA
    w.iota += (ga_long)(P.step[0][GA_NOP] << GA_SPLIT);
#endif
  }
}

/* The walk of a column's side, of n elements. */
GA_FN ga_sub ga_walk_side(const ga_params &P, ga_walker w, ga_uint n) {
  ga_sub a = ga_narrow(ga_identity());
  ga_in in;
#define X(i, T) \
  if constexpr (GA_STANDS(i)) in.x##i = ga_load<T>(w.p##i);
  GA_INPUTS(X)
#undef X
#pragma unroll 1
  for (; n >= GA_TOGETHER; n -= GA_TOGETHER) ga_walk_some<GA_TOGETHER>(P, w, in, a);
#pragma unroll 1
  for (; n > 0; n--) ga_walk_some<1>(P, w, in, a);
  return a;
}

/* The place of a column; whether the box has it. */
GA_FN bool ga_find_column(const ga_box &b, ga_uint column, ga_uint (&at)[4]) {
  bool there = true;
#pragma unroll
  for (int k = GA_INSIDE; k < 4; k++) {
    at[k] = ga_take_axis(k, column);
    there = there && at[k] < b.n[k];
  }
  return there;
}

/* Joins what each item finds in the box to what it has. */
GA_FN void ga_fold_box(const ga_params &P, const ga_box &b, const char *held, ga_acc *all) {
  const ga_base base = ga_base_of(P, b, held);
#if GA_IOTA
  const ga_long iota = P.iota_base + b.at.off[GA_NOP];
#else
  const ga_long iota = 0;
#endif
#pragma unroll 1
  for (ga_uint m = threadIdx.x; m < GA_ITEMS; m += GA_BLOCK) {
    ga_uint side = m / GA_COLUMNS, at[4];
    bool there = ga_find_column(b, m - side * GA_COLUMNS, at);
#pragma unroll
    for (int k = 1; k < GA_INSIDE; k++) {
      at[k] = ga_take_axis(k, side);
      there = there && at[k] < b.n[k];
    }
    at[0] = side;
    if (!there) continue;
    const ga_walker w = ga_walk_from(P, base, iota, at);
    const ga_uint n = (b.n[0] + (1u << GA_SPLIT) - 1 - at[0]) >> GA_SPLIT;
    all[m] = ga_combine(all[m], ga_widen(ga_walk_side(P, w, n)));
  }
}

/* Joins the sides of each column. */
GA_FN void ga_join_sides(const ga_params &P, ga_acc *all) {
  __syncthreads();
#pragma unroll 1
  for (ga_uint some = GA_SIDES; some > 1;) {
    const ga_uint half = (some + 1) / 2;
    for (ga_uint m = threadIdx.x; m < (some - half) * GA_COLUMNS; m += GA_BLOCK)
      all[m] = ga_combine(all[m], all[m + half * GA_COLUMNS]);
    some = half;
    __syncthreads();
  }
}

/* Publishes what a unit has of its columns; whichever is the last of 32 joins theirs, and so on.
 * Returns whether `all` has what all make. */
GA_FN bool ga_join_units(const ga_params &P, ga_index tile, ga_uint span, ga_acc *all) {
  __shared__ ga_uint last;
  ga_acc *part = P.part + (ga_ulong)tile * P.spans.d * GA_COLUMNS;
  ga_uint *ticket = P.ticket + (ga_ulong)tile * P.tickets;
  ga_ulong pitch = GA_COLUMNS;
#pragma unroll 1
  for (ga_uint some = (ga_uint)P.spans.d; some > 1; some = (some + 31) / 32) {
    const ga_uint first = span & ~31u, n = some - first < 32 ? some - first : 32;
    for (ga_uint m = threadIdx.x; m < GA_COLUMNS; m += GA_BLOCK) part[span * pitch + m] = all[m];
    __syncthreads();
    if (threadIdx.x == 0) last = ga_take_ticket(ticket + span / 32) == n - 1;
    __syncthreads();
    if (!last) return false;
    if (threadIdx.x == 0) ticket[span / 32] = 0;
#pragma unroll 1
    for (ga_uint m = threadIdx.x; m < GA_ITEMS; m += GA_BLOCK) {
      const ga_uint side = m / GA_COLUMNS;
      const ga_acc *p = part + (first * pitch + (m - side * GA_COLUMNS));
      ga_acc a = ga_identity();
#pragma unroll 8
      for (ga_uint s = side; s < n; s += GA_SIDES) a = ga_combine(a, ga_fetch(p + s * pitch));
      all[m] = a;
    }
    ga_join_sides(P, all);
    ticket += (some + 31) / 32;
    span /= 32;
    pitch *= 32;
  }
  return true;
}

/* What follows the reduction of a column. */
GA_FN void ga_finish_column(const ga_params &P, const ga_box &b, ga_uint column,
                            const ga_acc &acc) {
  ga_place place = b.at;
  ga_uint at[4];
  ga_outer outer;
  ga_out out;
  if (!ga_find_column(b, column, at)) return;
#pragma unroll
  for (int k = GA_INSIDE; k < 4; k++) {
#define X(o) place.off[o] += (ga_offset)at[k] * P.step[k][o];
    GA_OFFSETS(X)
#undef X
  }
#define X(i, T) outer.x##i = ga_load<T>(P.a##i + place.off[i]);
  GA_OUTERS(X)
#undef X
  ga_post(P, acc, outer, out);
#define X(i, T) ga_store<T>(P.a##i + place.off[i], out.y##i);
  GA_OUTPUTS(X)
#undef X
}

GA_FN void ga_do_unit(const ga_params &P, ga_index unit, char *held) {
  ga_acc *all = (ga_acc *)(held + GA_RESULTS);
  const ga_index tile = ga_quotient(unit, P.spans);
  const ga_uint span = (ga_uint)(unit - tile * P.spans.d);
  const ga_index first = (ga_index)span * P.each, left = P.boxes - first;
  const ga_index end = first + (left < P.each ? left : P.each);
  ga_box kept;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) kept.at.off[o] = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) kept.n[k] = 1;
  ga_place_box<false>(P, tile, kept);
  for (ga_uint m = threadIdx.x; m < GA_ITEMS; m += GA_BLOCK) all[m] = ga_identity();
#pragma unroll 1
  for (ga_index r = first; r < end; r++) {
    ga_box b = kept;
    ga_place_box<true>(P, r, b);
    ga_fetch_lines(P, b, held);
    ga_wait_for_copies();
    __syncthreads();
    ga_fold_box(P, b, held, all);
    __syncthreads();
  }
  ga_join_sides(P, all);
  if (P.spans.d > 1 && !ga_join_units(P, tile, span, all)) return;
  for (ga_uint m = threadIdx.x; m < GA_COLUMNS; m += GA_BLOCK)
    ga_finish_column(P, kept, m, all[m]);
}

extern "C" __global__ void __launch_bounds__(GA_BLOCK, GA_MIN_BLOCKS)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  char *held = (char *)ga_held;
  ga_find_lines(P, held);
  __syncthreads();
#pragma unroll 1
  for (ga_ulong unit = blockIdx.x; unit < P.units; unit += gridDim.x) {
    ga_do_unit(P, (ga_index)unit, held);
    __syncthreads();
  }
}
