/* SPDX-License-Identifier: MIT */
/* Map, where operands are fast along several axes, or along short ones: a block does a box of
 * up to four axes, GA_EXTENT0 by GA_EXTENT1 by ... elements, the output's fastest axis being
 * axis 0: powers of two, or whole axes. An operand that lies in memory in another order goes by
 * way of shared memory, where it stays in lines along its own fastest axis: threads side by side
 * copy what lies side by side, elements of 1 and 2 bytes as the words of 4 that they lie in. Then
 * threads go along the output's order, GA_VEC neighbours each, take those out of the lines, load
 * the other inputs, and store. As many threads stand side by side along short axes as there are
 * elements, so that few have nothing; each goes on along the others.
 *
 *   a[i,j,k] + b of strides (k, i, j) + c of strides (j, k, i), float32: axes 0, 1, 2 are k,
 *   j, i; b's order is 1, 2, 0, c's is 2, 0, 1; extents 16, 16, 16. Thread 35 copies element j = 3
 *   of the lines k = 0, i = 2 and on of b. Then it does k = 3 of j = 2 of each i.
 *   Extents 5, 20, 32, b's order 0, 2, 1: 160 threads copy 5 by 32 elements of b, one of axis 1 at
 *   a time, then 200 do 5 by 20 by 2 elements each time.
 *   int8, 32, 32, 16: thread 35 copies bytes 12..15 of b's line k = 0, i = 4, which begins 1 past
 *   a word, and one past its end; then does k = 12..15 of j = 4 and each eighth, i = 0, 4, ...
 *
 * Lines are an odd number of words (or wider elements) apart, and so are those along other
 * axes, so that lanes meet few banks twice. How far past a word a line begins is the same
 * for all that a thread takes out: lines of its items are multiples of 4 bytes apart.
 *
 * The generator supplies besides what map_boxes.cuh says:
 *   GA_CROSSED(X)   X(i, T, A, B, C, D) for each operand that goes by way of shared memory:
 *                   its axes of the box from the fastest one on
 *   GA_DIRECT(X)    X(i, T) for the other inputs
 *   GA_WORDS        1: lines of elements of 1 and 2 bytes begin where words do
 *   GA_LANES0, ...  threads side by side along each axis, of GA_BLOCK in all at most
 */
#define GA_EACH 8 /* items of a thread that are loaded at once, at most */

constexpr GA_FN int ga_parts_of(int n, int each) { return (n + each - 1) / each; }
/* Up to `most`, of which parts of n leave least over. */
constexpr GA_FN int ga_even(int n, int most) {
  int best = 1;
  for (int k = 2; k <= most && k <= n; k++)
    if (ga_parts_of(n, k) * k <= ga_parts_of(n, best) * best + (k > 4)) best = k;
  return best;
}

/* How threads go through N0 by N1 by ... items along axes A, B, ...: L0 by L1 by ... of them side
 * by side. Of a thread's items, E0 by E1 by ... follow each other without a jump, which makes a
 * round of at most GA_EACH. */
template <int A, int B, int C, int D, int N0, int N1, int N2, int N3, int L0, int L1, int L2,
          int L3>
struct ga_way {
  static constexpr int I0 = ga_parts_of(N0, L0), I1 = ga_parts_of(N1, L1),
                       I2 = ga_parts_of(N2, L2), I3 = ga_parts_of(N3, L3);
  static constexpr int E0 = ga_even(I0, GA_EACH), E1 = E0 < I0 ? 1 : ga_even(I1, GA_EACH / E0),
                       E2 = E0 * E1 < I0 * I1 ? 1 : ga_even(I2, GA_EACH / (E0 * E1)),
                       E3 = E0 * E1 * E2 < I0 * I1 * I2 ? 1 : ga_even(I3, GA_EACH / (E0 * E1 * E2));
  static constexpr int each = E0 * E1 * E2 * E3, threads = L0 * L1 * L2 * L3;
  static constexpr int R0 = ga_parts_of(I0, E0), R1 = ga_parts_of(I1, E1),
                       R2 = ga_parts_of(I2, E2), rounds = R0 * R1 * R2 * ga_parts_of(I3, E3);

  static constexpr bool several = I0 * I1 * I2 * I3 > 1; /* items of a thread */
  /* No thread has items behind the last ones. */
  static constexpr bool whole = threads == GA_BLOCK && I0 * L0 == N0 && I1 * L1 == N1 &&
                                I2 * L2 == N2 && I3 * L3 == N3 &&
                                rounds * each == I0 * I1 * I2 * I3;

  static GA_FN_MEMBER ga_spot spot_of(int n, int n0, int n1, int n2, int s0, int s1, int s2,
                                      int s3) {
    ga_spot s;
    s.at[A] = n % n0 * s0;
    n /= n0;
    s.at[B] = n % n1 * s1;
    n /= n1;
    s.at[C] = n % n2 * s2;
    s.at[D] = n / n2 * s3;
    return s;
  }
  /* Where thread n begins, item j of a round is from there, and round r. */
  static GA_FN_MEMBER ga_spot of_thread(ga_uint n) {
    ga_spot s;
    s.at[A] = (int)(n % L0);
    n /= L0;
    s.at[B] = (int)(n % L1);
    n /= L1;
    s.at[C] = (int)(n % L2);
    s.at[D] = (int)(n / L2);
    return s;
  }
  static GA_FN_MEMBER ga_spot of_item(int j) {
    return spot_of(j, E0, E1, E2, L0, L1, L2, L3);
  }
  static GA_FN_MEMBER ga_spot of_round(int r) {
    return spot_of(r, R0, R1, R2, E0 * L0, E1 * L1, E2 * L2, E3 * L3);
  }
  /* Whether a thread's items are in several places along axis k. */
  static constexpr GA_FN_MEMBER bool moves(int k) {
    return (k == A ? I0 : k == B ? I1 : k == C ? I2 : I3) > 1;
  }
};

/* The same, with as many side by side along each axis in turn as there are. */
template <int A, int B, int C, int D, int N0, int N1, int N2, int N3> struct ga_way_along {
  static constexpr int L0 = ga_least(N0, GA_BLOCK), L1 = ga_least(N1, GA_BLOCK / L0),
                       L2 = ga_least(N2, GA_BLOCK / (L0 * L1)),
                       L3 = ga_least(N3, GA_BLOCK / (L0 * L1 * L2));
  typedef ga_way<A, B, C, D, N0, N1, N2, N3, L0, L1, L2, L3> type;
};

/* How an operand's box lies in shared memory: lines along axis A. */
template <class T, int A> struct ga_lines {
  static constexpr int size = (int)sizeof(T), unit = size < 4 ? 4 : size;
  /* words, or elements, of a line that begins where words do */
  static constexpr int words = ga_parts_of(GA_EXTENT(A) * size, unit);
  /* from one to the next along axis k; 4: of all */
  template <int K> static constexpr GA_FN_MEMBER int units() {
    if constexpr (K == 0)
      return (words + (size < 4)) | 1;
    else if constexpr (K - 1 == A || GA_EXTENT(K - 1) == 1)
      return units<K - 1>();
    else
      return units<K - 1>() * GA_EXTENT(K - 1) | 1;
  }
  static constexpr int gap0 = units<0>() * unit, gap1 = units<1>() * unit,
                       gap2 = units<2>() * unit, gap3 = units<3>() * unit, all = units<4>() * unit;
};

/* What was counted in items of GA_VEC elements, in elements. */
GA_FN ga_spot ga_item(ga_spot s) {
  s.at[0] *= GA_VEC;
  return s;
}

/* Bytes from the box's beginning to the spot in operand o, but for what axis `but` adds. */
GA_FN ga_offset ga_reach(const ga_params &P, int o, const ga_spot &s, int but = 4) {
  ga_offset r = 0;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_EXTENT(k) != 1 && k != but) r += s.at[k] * P.step[k][o];
  return r;
}

/* Bytes to the spot's line in shared memory. */
template <class T, int A> GA_FN int ga_line_at(const ga_spot &s) {
  typedef ga_lines<T, A> lines;
  return (A == 0 ? 0 : s.at[0] * lines::gap0) + (A == 1 ? 0 : s.at[1] * lines::gap1) +
         (A == 2 ? 0 : s.at[2] * lines::gap2) + (A == 3 ? 0 : s.at[3] * lines::gap3);
}

/* Spot s is among the n, as far as axes can tell that a thread's items move along, or others
 * (`moves` false), but for axis `but`. */
template <class WAY>
GA_FN bool ga_is_there(const ga_spot &s, const ga_spot &n, bool moves, int but) {
  bool on = true;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (GA_EXTENT(k) != 1 && k != but && WAY::moves(k) == moves) on = on && s.at[k] < n.at[k];
  return on;
}

/* What is left of the n from spot t on: nothing where `on` is false. */
GA_FN ga_spot ga_left(const ga_spot &n, const ga_spot &t, bool on = true) {
  ga_spot r;
#pragma unroll
  for (int k = 0; k < 4; k++) r.at[k] = on ? n.at[k] - t.at[k] : 0;
  return r;
}

/* Bytes from element 0 of a line of operand o to its lowest. */
template <int A> GA_FN ga_offset ga_lowest(const ga_params &P, int o, const ga_spot &n) {
  return P.step[A][o] < 0 ? (n.at[A] - 1) * P.step[A][o] : 0;
}

/* The box of operand o, which begins at p; n: what is there of it. */
template <class T, int A, int B, int C, int D>
GA_FN void ga_copy_box(char *tile, const ga_params &P, int o, const char *p, const ga_spot &n) {
  typedef ga_lines<T, A> lines;
  typedef typename ga_way_along<A, B, C, D, lines::words, GA_EXTENT(B), GA_EXTENT(C),
                                GA_EXTENT(D)>::type way;
  const bool narrow = lines::size < 4;
  const ga_spot t = way::of_thread(threadIdx.x);
  const bool any = threadIdx.x < way::threads && ga_is_there<way>(t, n, false, narrow ? A : 4);
  const ga_spot room = ga_left(n, t, any);
  const int last = any ? n.at[A] * lines::size : -4;
  const ga_shared to = ga_shared_at(tile + ga_line_at<T, A>(t) + t.at[A] * lines::unit);
  p += ga_reach(P, o, t, A) + (narrow ? ga_lowest<A>(P, o, n) : t.at[A] * P.step[A][o]);
#pragma unroll 1
  for (int r = 0; r < way::rounds; r++) {
    const ga_spot from = way::of_round(r);
    const ga_spot rest = ga_left(room, from);
    const char *const pr = p + ga_reach(P, o, from, A);
    const int at = ga_line_at<T, A>(from) + from.at[A] * lines::unit;
#pragma unroll
    for (int j = 0; j < way::each; j++) {
      const ga_spot s = way::of_item(j);
      const char *q = pr + ga_reach(P, o, s, A);
      bool on = (any || way::several) && ga_is_there<way>(s, rest, true, narrow ? A : 4);
      if (narrow) {
        const int w = t.at[A] + from.at[A] + s.at[A], past = GA_WORDS ? 0 : (int)((ga_ulong)q & 3);
        q += 4 * w - past;
        on = on && 4 * w < past + last;
      } else {
        q += (from.at[A] + s.at[A]) * P.step[A][o];
      }
      ga_copy_if<lines::unit, true>(to, at + (ga_line_at<T, A>(s) + s.at[A] * lines::unit), q, on);
    }
  }
  if (!narrow || GA_WORDS) return;
  p -= ga_reach(P, o, t, A);
  constexpr int count = GA_EXTENT(B) * GA_EXTENT(C) * GA_EXTENT(D);
  typedef ga_way<B, C, D, A, GA_EXTENT(B), GA_EXTENT(C), GA_EXTENT(D), 1, GA_EXTENT(B),
                 GA_EXTENT(C), GA_EXTENT(D), 1> lines_of;
#pragma unroll 4
  for (int j = 0; j < count; j += GA_BLOCK) { /* words behind those */
    ga_spot s = lines_of::of_thread(j + threadIdx.x);
    s.at[A] = 0;
    const char *const q = p + ga_reach(P, o, s, A);
    const int past = (int)((ga_ulong)q & 3);
    const bool on = j + (int)threadIdx.x < count &&
                    4 * lines::words < past + n.at[A] * lines::size &&
                    ga_is_there<lines_of>(s, n, false, A);
    ga_copy_if<lines::unit, true>(ga_shared_at(tile + ga_line_at<T, A>(s)), 4 * lines::words,
                                  q + 4 * lines::words - past, on);
  }
}

/* Where a thread takes its neighbour e of an operand out of its lines. */
template <class T, int A>
GA_FN const char *ga_taken_from(const char *tile, const ga_params &P, int o, const char *p,
                                const ga_spot &n, const ga_spot &t, int e) {
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
  ga_spot n;
  if (!ga_find_box(P, off, n)) return;

#define X(i, T, A, B, C, D) ga_copy_box<T, A, B, C, D>(tiles.tile##i, P, i, P.a##i + off[i], n);
  GA_CROSSED(X)
#undef X
  typedef ga_way<0, 1, 2, 3, GA_EXTENT0 / GA_VEC, GA_EXTENT1, GA_EXTENT2, GA_EXTENT3, GA_LANES0,
                 GA_LANES1, GA_LANES2, GA_LANES3> way;
  const ga_spot t = ga_item(way::of_thread(threadIdx.x));
#define X(i, T, A, B, C, D)                                                         \
  const char *c##i[GA_VEC];                                                         \
  _Pragma("unroll") for (int e = 0; e < GA_VEC; e++)                                \
    c##i[e] = ga_taken_from<T, A>(tiles.tile##i, P, i, P.a##i + off[i], n, t, e);
  GA_CROSSED(X)
#undef X
#pragma unroll
  for (int o = 0; o < GA_NOFF; o++) off[o] += ga_reach(P, o, t);

  const bool any = threadIdx.x < way::threads && ga_is_there<way>(t, n, false, 4);
  const ga_spot room = ga_left(n, t, any);
#pragma unroll 1
  for (int g = 0; g < way::rounds; g++) {
    const ga_spot from = ga_item(way::of_round(g)), rest = ga_left(room, from);
    ga_offset at[GA_NOFF];
    int last[way::each]; /* of an item's neighbours that are there */
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) at[o] = off[o] + ga_reach(P, o, from);
#define X(i, T) ga_words<T, GA_VEC> d##i[way::each];
    GA_DIRECT(X)
#undef X
#pragma unroll
    for (int j = 0; j < way::each; j++) {
      const ga_spot s = ga_item(way::of_item(j));
      const int on = (any || way::several) && ga_is_there<way>(s, rest, true, 4);
      last[j] = on && GA_VEC > 1 ? ga_least(rest.at[0] - s.at[0], GA_VEC) : on;
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
    for (int j = 0; j < way::each; j++) {
      const ga_spot s = ga_item(way::of_item(j));
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
        /* backward lines begin at n */
        if ((GA_GUARDED || !GA_WORDS || !way::whole) && e >= last[j]) continue;
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
