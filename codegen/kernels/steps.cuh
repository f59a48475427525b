/* SPDX-License-Identifier: MIT */
/* Neighbours along an axis that do not lie on vectors, or backwards, or with others between them:
 * the aligned words around them, shifted together and put in order.
 *
 * GA_STEP(i): 0: neighbours of operand i lie on vectors, or are loaded otherwise; else elements
 * from one of them to the next: 1, -1, 2 or -2.
 */
#define GA_STEP(i) GA_STEP_##i

/* Bytes from one of operand i's neighbours to the next. */
#define GA_NEXT(i, T) ((ga_offset)sizeof(T) * (GA_STEP(i) != 0 ? GA_STEP(i) : 1))

/* Elements `from` to `to` - 1 of the N, 16 bytes at the most, that follow each other from p on.
 * Touches no aligned word that holds none of them. */
template <class T, int N>
GA_FN ga_vec<ga_uint, N * (int)sizeof(T) / 4> ga_load_part(const char *p, int from, int to) {
  const int bytes = N * (int)sizeof(T);
  typedef ga_vec<ga_uint, bytes / 4> word;
  const int at = (int)((ga_ulong)p & (bytes - 1));
  const word *q = (const word *)(p - at);
  word low, high;
#pragma unroll
  for (int k = 0; k < bytes / 4; k++) low.v[k] = high.v[k] = 0;
  if (from < to && at + from * (int)sizeof(T) < bytes) low = q[0];
  if (from < to && at + to * (int)sizeof(T) > bytes) high = q[1];
  return ga_shift_words<bytes / 4, sizeof(T) >= 4>(low, high, (ga_uint)at);
}

/* The elements of w, the last one first. */
template <class T, int W> GA_FN ga_vec<ga_uint, W> ga_backwards(const ga_vec<ga_uint, W> &w) {
  const int each = sizeof(T) <= 4 ? 1 : (int)sizeof(T) / 4;
  ga_vec<ga_uint, W> r;
#pragma unroll
  for (int k = 0; k < W; k++) {
    const ga_uint u = w.v[W - each - k / each * each + k % each];
    r.v[k] = sizeof(T) == 1   ? __byte_perm(u, 0, 0x0123)
             : sizeof(T) == 2 ? __byte_perm(u, 0, 0x1032)
                              : u;
  }
  return r;
}

/* Every second element of a and what follows it, b. */
template <class T, int W>
GA_FN ga_vec<ga_uint, W> ga_every_second(const ga_vec<ga_uint, W> &a, const ga_vec<ga_uint, W> &b) {
  const int each = sizeof(T) <= 4 ? 1 : (int)sizeof(T) / 4;
  ga_uint u[2 * W];
  ga_vec<ga_uint, W> r;
#pragma unroll
  for (int k = 0; k < W; k++) {
    u[k] = a.v[k];
    u[W + k] = b.v[k];
  }
#pragma unroll
  for (int k = 0; k < W; k++)
    r.v[k] = sizeof(T) == 1   ? __byte_perm(u[2 * k], u[2 * k + 1], 0x6420)
             : sizeof(T) == 2 ? __byte_perm(u[2 * k], u[2 * k + 1], 0x5410)
                              : u[2 * (k / each * each) + k % each];
  return r;
}

/* The same, STEP (1, -1, 2 or -2) elements from one of them to the next, of which elements `from`
 * to `to` - 1 exist. */
template <int STEP, class T, int N>
GA_FN void ga_load_steps(ga_pack<T, N> &r, const char *p, int from, int to) {
  const int size = (int)sizeof(T), bytes = N * size;
  if constexpr (bytes < 4) {
#pragma unroll
    for (int k = 0; k < N; k++)
      if (k >= from && k < to) r.set(k, ga_load<T>(p + k * STEP * size));
  } else if constexpr (STEP < 0) {
    ga_vec<ga_uint, bytes / 4> w;
    ga_load_steps<-STEP, T, N>(r, p + (N - 1) * STEP * size, N - to, N - from);
    memcpy(&w, &r.v, bytes);
    w = ga_backwards<T>(w);
    memcpy(&r.v, &w, bytes);
  } else {
    ga_vec<ga_uint, bytes / 4> w;
    if constexpr (STEP == 1) {
      w = ga_load_part<T, N>(p, from, to);
    } else {
      const int low = 2 * from, high = 2 * to - 1;
      w = ga_every_second<T>(
          ga_load_part<T, N>(p, low, high < N ? high : N),
          ga_load_part<T, N>(p + bytes, low > N ? low - N : 0, from < to ? high - N : 0));
    }
    memcpy(&r.v, &w, bytes);
  }
}

/* The vector at p, or, where STEP is not 0, those elements `from` to `to` - 1 of it that exist. */
template <int STEP, class T, int N>
GA_FN void ga_load_neighbours(ga_pack<T, N> &r, const char *p, int from, int to) {
  if constexpr (STEP == 0)
    r.load(p);
  else
    ga_load_steps<STEP, T, N>(r, p, from, to);
}
