/* SPDX-License-Identifier: MIT */
/* Map, operands of 1 and 2 bytes an element that hold a short axis (y, 3 to 24) beside the one
 * that the results are long along (x): images of channels that become planes, or are added to
 * such. A block does some of x and all of y in three steps. Of the operands that hold y so, what
 * it needs is copied to shared memory as it lies, one line of memory; then that is laid there as
 * the results lie; then rows of results are done by vectors, as if all operands lay so. Each step
 * goes along what it writes, whatever the others do; rows' ends are a matter of the last alone.
 *
 * x is axis 1 of the box, y axis 2. Rows are cut where vectors of the first output lie in memory:
 * the row that begins n elements past one begins as far, up to whole words, past 16 bytes. What is
 * laid out are squares of 4 by 4 or 2 by 2 elements, as words of either side.
 *
 *   int8 [9000, 12] to 12 rows of 9000, a box of 512 by 12: 6144 bytes are copied. A thread takes
 *   the words of rows 4 to 7 at x = 4, 5, 6, 7, which are bytes 52, 64, 76 and 88, and puts the
 *   words of rows 4, 5, 6, 7 at x = 4. Row 5 begins 8 bytes past 16 in memory, so it is laid out
 *   from byte 8 on, and its x = 4 is at 12; its first vector are 8 elements, the others 16.
 *
 * The generator supplies besides what map_boxes.cuh says:
 *   GA_CROSSED(X)   X(i, T, STEP, FROM, TO) for each operand that goes by way of shared memory:
 *                   STEP bytes from one x to the next; where its line is copied to, and laid out
 *   GA_DIRECT(X)    X(i, T, STILL) for the others, which move along x by one element, or
 *                   (STILL 1) not at all
 *   GA_TABLE        where it is kept how far rows are past vectors
 *   GA_WORDS        1: all words of lines begin where words of memory do
 *   GA_ALIKE        1: all rows are as far past a vector; GA_EXACT 1: they are whole vectors
 */
constexpr int ga_rows = (GA_EXTENT2 + 3) / 4 * 4; /* with some that are not there */
constexpr int ga_slots = GA_EXACT ? GA_EXTENT1 / GA_VEC : (GA_EXTENT1 + 2 * GA_VEC - 2) / GA_VEC;

/* How elements are laid out. */
template <class T> struct ga_laid {
  static constexpr int size = (int)sizeof(T), side = 4 / size; /* of a square */
  static constexpr int pitch = ((GA_EXTENT1 + 2 * GA_VEC) * size + 4 + 15) / 16 * 16;
  static constexpr int squares = side * pitch + 16; /* lie in other banks than those above */
  static GA_FN_MEMBER int row(int n) { return n * pitch + (int)((ga_uint)n / side) * 16; }
  /* Bytes to the first element of a row that is so far past a vector; of each byte of a word. */
  static GA_FN_MEMBER int first(int past) { return (past * size + 3) & ~3; }
  static GA_FN_MEMBER ga_uint firsts(ga_uint pasts) {
    return (pasts * size + 0x03030303u) & 0xfcfcfcfcu;
  }
};

/* How far rows are past a vector: one, and those of a square by the bytes of a word. */
struct ga_pasts {
  const unsigned char *table;
  int all;
  GA_FN_MEMBER int of(int row) const { return GA_ALIKE ? all : table[row]; }
  template <int SIDE> GA_FN_MEMBER ga_uint of_square(int row) const {
    if (GA_ALIKE) return (ga_uint)all * 0x01010101u;
    if constexpr (SIDE == 4) return *(const ga_uint *)(table + row);
    return *(const ga_ushort *)(table + row);
  }
};

/* n, and what follows it by steps, as `high` and `low` of it and a divisor. */
template <int DIVISOR, int STEP> struct ga_digits {
  int low, high;
  GA_FN_MEMBER void begin(int n) {
    high = (int)((ga_uint)n / DIVISOR);
    low = n - high * DIVISOR;
  }
  GA_FN_MEMBER void next() {
    low += STEP % DIVISOR;
    high += STEP / DIVISOR;
    if (STEP % DIVISOR == 0 || low < DIVISOR) return;
    low -= DIVISOR;
    high++;
  }
};

/* The `bytes` at p, at most MOST, to shared memory, as far past 16 bytes; returns that. */
template <int MOST> GA_FN int ga_copy_line(char *to, const char *p, int bytes) {
  constexpr int step = 16 * GA_BLOCK, turns = (MOST + 15 + step - 1) / step;
  const int past = (int)((ga_ulong)p & 15), lane = 16 * (int)threadIdx.x;
  const int left = past + bytes - lane;
#pragma unroll
  for (int t = 0; t < turns; t++)
    if (t * step < left) ga_copy_beside<16>(to + lane + t * step, p - past + lane + t * step);
  return past;
}

/* Words of SIDE elements of as many x, which become words of as many rows. */
template <int SIDE> GA_FN void ga_turn_square(ga_uint (&w)[SIDE]) {
  if constexpr (SIDE == 4) {
    const ga_uint a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[0], w[1], 0x7362);
    const ga_uint c = __byte_perm(w[2], w[3], 0x5140), d = __byte_perm(w[2], w[3], 0x7362);
    w[0] = __byte_perm(a, c, 0x5410);
    w[1] = __byte_perm(a, c, 0x7632);
    w[2] = __byte_perm(b, d, 0x5410);
    w[3] = __byte_perm(b, d, 0x7632);
  } else {
    const ga_uint a = w[0];
    w[0] = __byte_perm(a, w[1], 0x5410);
    w[1] = __byte_perm(a, w[1], 0x7632);
  }
}

/* Lays the line that begins at byte `from` of shared memory out from byte `to` on; there are nx of
 * x. A thread takes several squares below each other; a warp has four of them side by side, which
 * with eight rows of squares lie in all banks. */
template <class T, int STEP>
GA_FN void ga_lay(char *shared, int to, int from, const ga_pasts &pasts, int nx) {
  typedef ga_laid<T> laid;
  constexpr int side = laid::side, squares = ga_rows / side, abreast = 4;
  constexpr int across = (GA_EXTENT1 + side - 1) / side;
  constexpr int wanted = across * squares / GA_BLOCK, most = side == 4 ? 2 : 4;
  constexpr int each = wanted < 1 ? 1 : wanted < most ? wanted : most;
  constexpr int down = (squares + each - 1) / each;
  ga_digits<down, GA_BLOCK / abreast> at;
  at.begin((int)threadIdx.x / abreast);
#pragma unroll 1
  for (; at.high < (across + abreast - 1) / abreast; at.next()) {
    const int row = at.low * side;
    const int x = (at.high * abreast + (int)threadIdx.x % abreast) * side;
    if (x >= nx) continue;
    int c[side];
#pragma unroll
    for (int k = 0; k < side; k++) {
      const bool on = GA_EXTENT1 % side == 0 || x + k < GA_EXTENT1;
      c[k] = on ? from + (x + k) * STEP : c[0];
    }
#pragma unroll
    for (int e = 0; e < each; e++) {
      const int square = at.low + e * down;
      if (squares % each != 0 && square >= squares) continue;
      const ga_uint past = laid::firsts(pasts.of_square<side>(square * side));
      char *const p = shared + (to + square * laid::squares + x * laid::size);
      ga_uint w[side];
#pragma unroll
      for (int k = 0; k < side; k++) {
        const int at_word = (GA_WORDS ? c[k] : c[k] & ~3) + row * laid::size;
        const ga_uint *const u = (const ga_uint *)(shared + at_word) + e * down;
        w[k] = GA_WORDS ? u[0] : __funnelshift_r(u[0], u[1], c[k] * 8);
      }
      ga_turn_square<side>(w);
#pragma unroll
      for (int k = 0; k < side; k++)
        *(ga_uint *)(p + (laid::pitch * k + (int)(past >> 8 * k & 255))) = w[k];
    }
  }
}

/* Vector `slot` of a row that is laid out from p on. */
template <class T> GA_FN ga_words<T, GA_VEC> ga_of_laid(const char *p, int slot, int past) {
  typedef ga_laid<T> laid;
  constexpr int bytes = GA_VEC * laid::size, n = bytes / 4;
  p += slot * bytes;
  ga_words<T, GA_VEC> r = *(const ga_words<T, GA_VEC> *)p;
  if constexpr (!GA_EXACT) {
    const int bits = 8 * (laid::first(past) - past * laid::size);
    const ga_uint last = *(const ga_uint *)(p + bytes);
#pragma unroll
    for (int k = 0; k < n; k++)
      r.v[k] = __funnelshift_r(r.v[k], k + 1 < n ? r.v[k + 1 < n ? k + 1 : k] : last, bits);
  }
  return r;
}

/* The first n, or last n, elements of a vector of small ones that p lies on: by as many bytes as
 * there are, then half as many. */
template <class T, int N, bool LAST>
GA_FN void ga_store_some(char *p, const ga_vec<T, N> &v, int n) {
  const int size = (int)sizeof(T), all = N * size / 4;
  ga_uint w[4];
  memcpy(w, &v, 4 * all);
  n *= size;
  if (LAST) p += 4 * all;
  if constexpr (all == 4) {
    if (n & 8) {
      const int k = LAST ? 2 : 0;
      if (LAST) p -= 8;
      ga_vec<ga_uint, 2> t = {{w[k], w[k + 1]}};
      *(ga_vec<ga_uint, 2> *)p = t;
      if (!LAST) p += 8;
    }
    w[0] = ((n & 8) != 0) != LAST ? w[2] : w[0];
    w[1] = ((n & 8) != 0) != LAST ? w[3] : w[1];
  }
  if constexpr (all >= 2) {
    if (n & 4) {
      if (LAST) p -= 4;
      *(ga_uint *)p = w[LAST];
      if (!LAST) p += 4;
    }
    w[0] = ((n & 4) != 0) != LAST ? w[1] : w[0];
  }
  if (n & 2) {
    if (LAST) p -= 2;
    *(ga_ushort *)p = (ga_ushort)(LAST ? w[0] >> 16 : w[0]);
    if (!LAST) p += 2;
  }
  if (size == 1 && (n & 1)) {
    const int bit = ((n & 2) != 0) != LAST ? 16 : 0;
    if (LAST) p -= 1;
    *(unsigned char *)p = (unsigned char)(w[0] >> (LAST ? bit + 8 : bit));
  }
}

/* Elements [from, to) of a vector that p lies on. */
template <class T, int N, bool ALIGNED>
GA_FN void ga_store_ends(char *p, const ga_vec<T, N> &v, int from, int to) {
  if constexpr (ALIGNED && sizeof(T) < 4 && N * sizeof(T) >= 4) {
    if (from == 0) return ga_store_some<T, N, false>(p, v, to);
    if (to == N) return ga_store_some<T, N, true>(p, v, N - from);
  }
  ga_store_part<T, N, ALIGNED>(p, v, from, to);
}

/* Vectors that a thread does at once: loads are to overlap. */
#define X(i, T, STILL) +!STILL
constexpr int ga_each = 0 GA_DIRECT(X) > 0 ? 2 : 1;
#undef X

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_vec<ga_uint, 4> ga_held[];
  char *const shared = (char *)ga_held;
  ga_offset off[GA_NOFF];
  ga_spot part;
  if (!ga_find_box(P, off, part)) return;

  const int nx = part.at[1];
#define X(i, T, STEP, FROM, TO)                                                          \
  const int from##i = FROM + ga_copy_line<GA_EXTENT1 * STEP>(                            \
                                 shared + FROM, P.a##i + off[i],                         \
                                 (nx - 1) * STEP + GA_EXTENT2 * (int)sizeof(T));
  GA_CROSSED(X)
#undef X
  const auto past_of = [&](int row) {
    const char *p = GA_FIRST_ADDRESS + (off[GA_FIRST] + row * P.step[2][GA_FIRST]);
    return (int)((ga_ulong)p / sizeof(GA_FIRST_T)) & (GA_VEC - 1);
  };
  unsigned char *const table = (unsigned char *)shared + GA_TABLE;
  const ga_pasts pasts = {table, GA_EXACT ? 0 : past_of(0)};
  if (!GA_ALIKE && threadIdx.x < ga_rows)
    table[threadIdx.x] = (unsigned char)past_of((int)threadIdx.x);
  ga_wait_for_copies();
  __syncthreads();

#define X(i, T, STEP, FROM, TO) ga_lay<T, STEP>(shared, TO, from##i, pasts, nx);
  GA_CROSSED(X)
#undef X
  __syncthreads();

  ga_digits<ga_slots, GA_BLOCK> place;
  place.begin((int)threadIdx.x);
#pragma unroll 1
  while (place.high < GA_EXTENT2) {
    int slot[ga_each], row[ga_each], past[ga_each], from[ga_each], to[ga_each];
    ga_offset at[ga_each][GA_NOFF];
#define X(i, T, STILL) ga_words<T, GA_VEC> d##i[ga_each];
    GA_DIRECT(X)
#undef X
#pragma unroll
    for (int e = 0; e < ga_each; e++) {
      slot[e] = place.low;
      row[e] = place.high;
      from[e] = to[e] = 0;
      place.next();
      if (row[e] >= GA_EXTENT2) continue;
      past[e] = pasts.of(row[e]);
      const int x = slot[e] * GA_VEC - past[e];
      from[e] = x < 0 ? -x : 0;
      to[e] = ga_least(nx - x, GA_VEC);
#pragma unroll
      for (int o = 0; o < GA_NOFF; o++) at[e][o] = off[o] + row[e] * P.step[2][o];
#define X(i, T, STILL)                                                                   \
  at[e][i] += STILL ? 0 : x * (int)sizeof(T);                                            \
  if (from[e] < to[e])                                                                   \
    d##i[e] = ga_load_beside<T, GA_VEC, GA_ALIGNED, STILL>(P.a##i + at[e][i], from[e],   \
                                                           to[e]);
      GA_DIRECT(X)
#undef X
#define X(i, T) at[e][i] += x * (int)sizeof(T);
      GA_OUTPUTS(X)
#undef X
    }
#pragma unroll
    for (int e = 0; e < ga_each; e++) {
      if (from[e] >= to[e]) continue;
#define X(i, T, STEP, FROM, TO)                                                          \
  const ga_words<T, GA_VEC> c##i =                                                       \
      ga_of_laid<T>(shared + (TO + ga_laid<T>::row(row[e])), slot[e], past[e]);
      GA_CROSSED(X)
#undef X
#if GA_BY_BYTES
      ga_bytes_in in;
      ga_bytes_out out;
#define X(i, ...) in.x##i = c##i;
      GA_CROSSED(X)
#undef X
#define X(i, T, STILL) in.x##i = d##i[e];
      GA_DIRECT(X)
#undef X
      ga_map_bytes(P, in, out);
#define X(i, T) const ga_vec<T, GA_VEC> r##i = ga_elements<T, GA_VEC>(out.y##i);
      GA_OUTPUTS(X)
#undef X
#else
#define X(i, T, ...) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(c##i);
      GA_CROSSED(X)
#undef X
#define X(i, T, STILL) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(d##i[e]);
      GA_DIRECT(X)
#undef X
#define X(i, T) ga_vec<T, GA_VEC> r##i;
      GA_OUTPUTS(X)
#undef X
#pragma unroll
      for (int k = 0; k < GA_VEC; k++) {
        ga_in in;
        ga_out out;
        if (GA_GUARDED && (k < from[e] || k >= to[e])) continue;
#define X(i, ...) in.x##i = v##i.v[k];
        GA_CROSSED(X)
        GA_DIRECT(X)
#undef X
        ga_map(P, in, 0, out);
#define X(i, T) r##i.v[k] = out.y##i;
        GA_OUTPUTS(X)
#undef X
      }
#endif
#define X(i, T)                                                                          \
  {                                                                                      \
    char *p = P.a##i + at[e][i];                                                         \
    if (from[e] == 0 && to[e] == GA_VEC)                                                 \
      GA_STORE_RESULTS(i, T, ga_store_aligned, p)                                        \
    else                                                                                 \
      ga_store_ends<T, GA_VEC, GA_STORE_VEC || i == GA_FIRST>(p, r##i, from[e], to[e]);  \
  }
      GA_OUTPUTS(X)
#undef X
    }
  }
}
