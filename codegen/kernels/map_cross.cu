/* SPDX-License-Identifier: MIT */
/* Map, where operands are fast along several axes, or along short ones: a block does a box of
 * up to four axes, 2^GA_BITS0 by 2^GA_BITS1 by ... elements, the output's fastest axis
 * being axis 0. An operand that lies in memory in another order goes by way of shared memory,
 * where it stays in lines along its own fastest axis: threads side by side copy what lies
 * side by side, elements of 1 and 2 bytes as the words of 4 that they lie in. Then threads go
 * along the output's order, GA_VEC neighbours each, take those out of the lines, load the
 * other inputs, and store. Axes may be shorter than their power of two: threads that have
 * nothing wait.
 *
 *   a[i,j,k] + b of strides (k, i, j) + c of strides (j, k, i), float32: axes 0, 1, 2 are k,
 *   j, i; b's order is 1, 2, 0, c's is 2, 0, 1; GA_BITS 4, 4, 4. Thread 35 copies element j = 3
 *   of the lines k = 0, i = 2 and on of b. Then it does k = 3 of j = 2 of each i.
 *   int8, 5, 5, 4: thread 35 copies bytes 12..15 of b's line k = 0, i = 4, which begins 1 past
 *   a word, and one past its end; then does k = 12..15 of j = 4 and each eighth, i = 0, 4, ...
 *
 * Lines are an odd number of words (or wider elements) apart, and so are those along other
 * axes, so that lanes meet few banks twice. How far past a word a line begins is the same
 * for all that a thread takes out: lines of its items are multiples of 4 bytes apart.
 * Neighbouring boxes, which share sectors of memory, are done at about the same time: by bands
 * of `band` boxes along each axis.
 *
 * The generator supplies besides what operands.cuh says:
 *   GA_CROSSED(X)   X(i, T, A, B, C, D) for each operand that goes by way of shared memory:
 *                   its axes of the box from the fastest one on
 *   GA_DIRECT(X)    X(i, T) for the other inputs
 *   GA_WORDS        1: lines of elements of 1 and 2 bytes begin where words do
 *   GA_LANES0, ...  log2 of the threads along each axis, of 2^8 in all
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong n[4]; /* 1 where there are fewer axes */
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div bands[4];
  ga_axes<GA_NK> axes; /* but for those of the box */
  ga_offset step[4][GA_NOFF];
  ga_uint band[4]; /* log2 of the boxes of a band */
  GA_NUMBERS(GA_NUMBER)
};

#define GA_BITS (GA_BITS0 + GA_BITS1 + GA_BITS2 + GA_BITS3)
#define GA_BIT(K) ((K) == 0 ? GA_BITS0 : (K) == 1 ? GA_BITS1 : (K) == 2 ? GA_BITS2 : GA_BITS3)
#define GA_LANE(K) ((K) == 0 ? GA_LANES0 : (K) == 1 ? GA_LANES1 : (K) == 2 ? GA_LANES2 : GA_LANES3)
#define GA_VEC_BITS (GA_VEC == 4 ? 2 : GA_VEC == 2 ? 1 : 0)
#define GA_ITEMS (1 << (GA_BITS - GA_VEC_BITS - 8)) /* of a thread, GA_VEC elements each */
#define GA_EACH 8                                   /* that are loaded at once */

/* A place in the box. */
struct ga_spot {
  int at[4];
};

/* How an operand's box lies in shared memory: lines along axis A. */
template <class T, int A> struct ga_lines {
  static constexpr int size = (int)sizeof(T), unit = size < 4 ? 4 : size;
  static constexpr int word_bits = size == 1 ? (GA_BIT(A) < 2 ? 0 : GA_BIT(A) - 2)
                                 : size == 2 ? (GA_BIT(A) < 1 ? 0 : GA_BIT(A) - 1) : GA_BIT(A);
  static constexpr int words = 1 << word_bits; /* of a line that begins where words do */
  /* words, or elements, from one to the next along axis k; 4: of all */
  template <int K> static constexpr GA_FN_MEMBER int units() {
    if constexpr (K == 0)
      return (words + (size < 4)) | 1;
    else if constexpr (K - 1 == A || GA_BIT(K - 1) == 0)
      return units<K - 1>();
    else
      return units<K - 1>() << GA_BIT(K - 1) | 1;
  }
  static constexpr int gap0 = units<0>() * unit, gap1 = units<1>() * unit,
                       gap2 = units<2>() * unit, gap3 = units<3>() * unit, all = units<4>() * unit;
};

/* Item n of the box in the order of axes A, B, C, D, of which axis A has WORDS bits. */
template <int WORDS, int A, int B, int C, int D> GA_FN ga_spot ga_spot_of(int n) {
  ga_spot s;
  s.at[A] = n & ((1 << WORDS) - 1);
  n >>= WORDS;
  s.at[B] = n & ((1 << GA_BIT(B)) - 1);
  n >>= GA_BIT(B);
  s.at[C] = n & ((1 << GA_BIT(C)) - 1);
  n >>= GA_BIT(C);
  s.at[D] = n;
  return s;
}

/* Where thread n begins in the output's order. */
GA_FN ga_spot ga_thread_spot(int n) {
  ga_spot s;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    s.at[k] = (n & ((1 << GA_LANE(k)) - 1)) << (k == 0 ? GA_VEC_BITS : 0);
    n >>= GA_LANE(k);
  }
  return s;
}

/* Where its item n is from there. */
GA_FN ga_spot ga_item_spot(int n) {
  ga_spot s;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int low = GA_LANE(k) + (k == 0 ? GA_VEC_BITS : 0), bits = GA_BIT(k) - low;
    s.at[k] = (n & ((1 << bits) - 1)) << low;
    n >>= bits;
  }
  return s;
}

/* Bytes from the box's beginning to the spot in operand o, but for what axis `but` adds. */
GA_FN ga_offset ga_reach(const ga_params &P, int o, const ga_spot &s, int but = 4) {
  ga_offset r = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_BIT(k) != 0 && k != but) r += s.at[k] * P.step[k][o];
  return r;
}

/* Bytes to the spot's line in shared memory. */
template <class T, int A> GA_FN int ga_line_at(const ga_spot &s) {
  typedef ga_lines<T, A> lines;
  return (A == 0 ? 0 : s.at[0] * lines::gap0) + (A == 1 ? 0 : s.at[1] * lines::gap1) +
         (A == 2 ? 0 : s.at[2] * lines::gap2) + (A == 3 ? 0 : s.at[3] * lines::gap3);
}

/* Spot a + b, whose bits are apart, is among the n, but for axis `but`. */
GA_FN bool ga_is_there(const ga_spot &a, const ga_spot &b, const int (&n)[4], int but) {
  bool on = true;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_BIT(k) != 0 && k != but) on = on && a.at[k] < n[k] - b.at[k];
  return on;
}

/* Bytes from element 0 of a line of operand o to its lowest. */
template <int A> GA_FN ga_offset ga_lowest(const ga_params &P, int o, const int (&n)[4]) {
  return P.step[A][o] < 0 ? (n[A] - 1) * P.step[A][o] : 0;
}

/* The box of operand o, which begins at p; n: what is there of it. */
template <class T, int A, int B, int C, int D>
GA_FN void ga_copy_box(char *tile, const ga_params &P, int o, const char *p, const int (&n)[4]) {
  typedef ga_lines<T, A> lines;
  constexpr int bits = GA_BITS - GA_BIT(A) + lines::word_bits;
  const bool narrow = lines::size < 4;
  const ga_spot t = ga_spot_of<lines::word_bits, A, B, C, D>((int)threadIdx.x);
  const ga_shared to = ga_shared_at(tile + ga_line_at<T, A>(t) + t.at[A] * lines::unit);
  p += ga_reach(P, o, t, A) + (narrow ? ga_lowest<A>(P, o, n) : t.at[A] * P.step[A][o]);
#pragma unroll 8
  for (int j = 0; j < 1 << bits; j += GA_BLOCK) {
    const ga_spot s = ga_spot_of<lines::word_bits, A, B, C, D>(j);
    const char *q = p + ga_reach(P, o, s, A);
    const int w = t.at[A] + s.at[A];
    bool on = ga_is_there(t, s, n, A);
    if (narrow) {
      const int past = GA_WORDS ? 0 : (int)((ga_ulong)q & 3);
      q += 4 * w - past;
      on = on && 4 * w < past + n[A] * lines::size;
    } else {
      q += s.at[A] * P.step[A][o];
      on = on && w < n[A];
    }
    ga_copy_if<lines::unit, true>(to, ga_line_at<T, A>(s) + s.at[A] * lines::unit, q, on);
  }
  if (!narrow || GA_WORDS) return;
  p -= ga_reach(P, o, t, A);
#pragma unroll 4
  for (int j = 0; j < 1 << (GA_BITS - GA_BIT(A)); j += GA_BLOCK) { /* words behind those */
    const ga_spot s = ga_spot_of<0, A, B, C, D>(j + (int)threadIdx.x), none = {};
    const char *const q = p + ga_reach(P, o, s, A);
    const int past = (int)((ga_ulong)q & 3);
    const bool on = j + (int)threadIdx.x < 1 << (GA_BITS - GA_BIT(A)) &&
                    4 * lines::words < past + n[A] * lines::size && ga_is_there(s, none, n, A);
    ga_copy_if<lines::unit, true>(ga_shared_at(tile + ga_line_at<T, A>(s)), 4 * lines::words,
                                  q + 4 * lines::words - past, on);
  }
}

/* Where a thread takes its neighbour e of an operand out of its lines. */
template <class T, int A>
GA_FN const char *ga_taken_from(const char *tile, const ga_params &P, int o, const char *p,
                                const int (&n)[4], const ga_spot &t, int e) {
  typedef ga_lines<T, A> lines;
  const ga_spot s = {{t.at[0] + e, t.at[1], t.at[2], t.at[3]}};
  const char *q = tile + ga_line_at<T, A>(s);
  if (lines::size >= 4) return q + s.at[A] * lines::size;
  p += ga_reach(P, o, s, A) + ga_lowest<A>(P, o, n);
  q += s.at[A] * (int)P.step[A][o] - (int)ga_lowest<A>(P, o, n);
  return GA_WORDS ? q : q + (int)((ga_ulong)p & 3);
}

/* Bytes from there to the same of an item. */
template <class T, int A> GA_FN int ga_item_at(const ga_params &P, int o, const ga_spot &s) {
  const int step = sizeof(T) < 4 ? (int)P.step[A][o] : (int)sizeof(T);
  return ga_line_at<T, A>(s) + s.at[A] * step;
}

/* GA_VEC neighbours from p on, of which `last` are there; they are `step` apart, an
 * element or nothing where there are several. */
template <class T> GA_FN ga_words<T, GA_VEC> ga_beside(const char *p, ga_offset step, int last) {
  if (GA_VEC > 1 && step != 0) return ga_load_part<T, GA_VEC, GA_ALIGNED>(p, 0, last);
  return ga_words_of<T, GA_VEC>(ga_splat<T, GA_VEC>(ga_load<T>(p)));
}

#define X(i, T, A, B, C, D) alignas(16) char tile##i[ga_lines<T, A>::all];
struct ga_tiles {
  GA_CROSSED(X)
};
#undef X

extern "C" __global__ void __launch_bounds__(GA_BLOCK)
ga_kernel(const __grid_constant__ ga_params P) {
  GA_ENTER();
  extern __shared__ ga_tiles ga_held[];
  ga_tiles &tiles = ga_held[0];
  ga_offset off[GA_NOFF];
  int n[4], place[4];
  ga_index outer = (ga_index)blockIdx.x;
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] = 0;
#pragma unroll
  for (int k = 3; k >= 0; k--) {
    place[k] = (int)(outer & ((1u << P.band[k]) - 1));
    outer >>= P.band[k];
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const ga_index rest = ga_quotient(outer, P.bands[k]);
    const ga_ulong box = ((ga_ulong)(outer - rest * P.bands[k].d) << P.band[k]) + place[k];
    const ga_ulong begin = box << GA_BIT(k);
    if (begin >= P.n[k]) return;
    n[k] = P.n[k] - begin < 1 << GA_BIT(k) ? (int)(P.n[k] - begin) : 1 << GA_BIT(k);
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) off[o] += (ga_offset)begin * P.step[k][o];
    outer = rest;
  }
  ga_walk(P.axes, outer, off);

#define X(i, T, A, B, C, D) ga_copy_box<T, A, B, C, D>(tiles.tile##i, P, i, P.a##i + off[i], n);
  GA_CROSSED(X)
#undef X
  const ga_spot t = ga_thread_spot((int)threadIdx.x);
#define X(i, T, A, B, C, D)                                                         \
  const char *c##i[GA_VEC];                                                         \
  _Pragma("unroll") for (int e = 0; e < GA_VEC; e++)                                \
    c##i[e] = ga_taken_from<T, A>(tiles.tile##i, P, i, P.a##i + off[i], n, t, e);
  GA_CROSSED(X)
#undef X
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] += ga_reach(P, o, t);

#pragma unroll 1
  for (int g = 0; g < GA_ITEMS; g += GA_EACH) {
    const ga_spot from = ga_item_spot(g);
    const ga_spot u = {{t.at[0] + from.at[0], t.at[1] + from.at[1], t.at[2] + from.at[2],
                        t.at[3] + from.at[3]}};
    ga_offset at[GA_NOFF];
    int last[GA_EACH]; /* of an item's neighbours that are there */
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) at[o] = off[o] + ga_reach(P, o, from);
#define X(i, T) ga_words<T, GA_VEC> d##i[GA_EACH];
    GA_DIRECT(X)
#undef X
#pragma unroll
    for (int j = 0; j < GA_EACH; j++) {
      const ga_spot s = ga_item_spot(j);
      const int rest = n[0] - u.at[0] - s.at[0];
      last[j] = !ga_is_there(u, s, n, 0) || rest < 0 ? 0 : rest < GA_VEC ? rest : GA_VEC;
#define X(i, T)                                                                     \
  d##i[j] = ga_words<T, GA_VEC>();                                                  \
  if (last[j] > 0)                                                                  \
    d##i[j] = ga_beside<T>(P.a##i + (at[i] + ga_reach(P, i, s)), P.step[0][i], last[j]);
      GA_DIRECT(X)
#undef X
    }
    if (g == 0) {
      ga_wait_for_copies();
      __syncthreads();
    }
#define X(i, T, A, B, C, D) const int g##i = ga_item_at<T, A>(P, i, from);
    GA_CROSSED(X)
#undef X
#pragma unroll
    for (int j = 0; j < GA_EACH; j++) {
      const ga_spot s = ga_item_spot(j);
#define X(i, T) ga_vec<T, GA_VEC> r##i;
      GA_OUTPUTS(X)
#undef X
#define X(i, T) const ga_vec<T, GA_VEC> v##i = ga_elements<T, GA_VEC>(d##i[j]);
      GA_DIRECT(X)
#undef X
#pragma unroll
      for (int e = 0; e < GA_VEC; e++) {
        ga_in in;
        ga_out out;
        ga_long iota = 0;
        if ((GA_GUARDED || !GA_WORDS) && e >= last[j]) continue; /* backward lines begin at n */
#define X(i, T) in.x##i = v##i.v[e];
        GA_DIRECT(X)
#undef X
#define X(i, T, A, B, C, D)                                                         \
  in.x##i = *(const T *)(c##i[e] + (g##i + ga_item_at<T, A>(P, i, s)));
        GA_CROSSED(X)
#undef X
#if GA_IOTA
        iota = P.iota_base + at[GA_NOP] + ga_reach(P, GA_NOP, s) + e * P.step[0][GA_NOP];
#endif
        ga_map(P, in, iota, out);
#define X(i, T) r##i.v[e] = out.y##i;
        GA_OUTPUTS(X)
#undef X
      }
#define X(i, T)                                                                     \
  {                                                                                 \
    char *p = P.a##i + (at[i] + ga_reach(P, i, s));                                 \
    if (GA_VEC == 1) {                                                              \
      if (last[j] > 0) ga_store<T>(p, r##i.v[0]);                                   \
    } else if (last[j] == GA_VEC) {                                                 \
      ga_store_aligned<T, GA_VEC>(p, r##i);                                         \
    } else {                                                                        \
      _Pragma("unroll") for (int e = 0; e < GA_VEC; e++)                            \
        if (e < last[j]) ga_store<T>(p + e * (int)sizeof(T), r##i.v[e]);            \
    }                                                                               \
  }
      GA_OUTPUTS(X)
#undef X
    }
  }
}
