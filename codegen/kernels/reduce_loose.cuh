/* SPDX-License-Identifier: MIT */
#if GA_LOOSE

/* Reductions in reduce_narrow.cu whose result does not tell the order (sums of integers of
 * 16 bits at most in float64 too: they are exact). A thread has the same place in each line
 * that it meets, so its vectors' elements are of the same columns: it joins them as they
 * come. What threads have is joined in shared memory at the end of a span.
 *
 * The line of narrow columns is as many vectors as are whole rows and a block's threads.
 * Vectors that have elements of other spans are done element by element.
 *
 *   3 columns of uint8: lines of 255 vectors, 1360 rows; a span of 128000 rows is 94 of
 *   them and 30 vectors.
 *   1001 columns of int8: 5 tiles of 201 columns; lines of 14 vectors, 16 lines at once.
 */
struct ga_vectors {
#define X(i, T) ga_pack<T, GA_VEC> x##i[GA_LOADS];
  GA_INPUTS(X)
#undef X
};

/* A thread's place: in each operand, from one line it meets to the next, and how many
 * elements there are from there on, where only whole vectors count. */
struct ga_lane {
  ga_place at, step;
  ga_offset left, apart;
  ga_uint n; /* lines it has met */
};

/* What a thread has of a column. Positions are found last: argmin and argmax remember the
 * line, numbered from the end where positions fall along the rows. */
#if GA_KEYS
typedef ga_int ga_some; /* reduce_keys.cuh */
GA_FN ga_some ga_nothing() { return GA_NO_KEY; }
#elif GA_ARG
struct ga_some {
  ga_value best;
  ga_uint line;
};
#define GA_NOWHERE  0xffffffffu
#define GA_LINE(n)  (P.row_step[GA_NOP] > 0 ? (n) : GA_NOWHERE - 1 - (n))
GA_FN ga_some ga_nothing() {
  ga_some r;
  r.best = ga_identity().r0;
  r.line = GA_NOWHERE;
  return r;
}
#else
typedef ga_sub ga_some;
GA_FN ga_some ga_nothing() { return ga_narrow(ga_identity()); }
#endif

/* That of a row and column of a tile, `line` being those before the row's own. */
GA_FN ga_acc ga_whole(const ga_params &P, const ga_tile &tile, const ga_some &some, ga_ulong row,
                      ga_uint column, ga_uint lines) {
#if GA_ARG
  ga_acc a = ga_identity();
#if GA_KEYS
  if (some == GA_NO_KEY) return a;
  row += (ga_ulong)(ga_key_line(P, some) - lines) * P.rows;
  a.r0 = ga_key_value(some);
#else
  if (some.line == GA_NOWHERE) return a;
  row += (ga_ulong)(GA_LINE(some.line) - lines) * P.rows;
  a.r0 = some.best;
#endif
  a.i0 = P.iota_base + tile.at.off[GA_NOP] + (ga_long)row * P.row_step[GA_NOP] +
         (ga_long)column * P.inner_step[GA_NOP];
  return a;
#else
  return ga_widen(some);
#endif
}

/* `sum` and element j of a pack: one instruction for what lies in a word. */
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
#define GA_PICK(T, dot, size)                                                                   \
  template <int N> GA_FN ga_int ga_add_narrow(ga_int sum, const ga_pack<T, N, true> &p, int j) { \
    asm(dot " %0, %1, %2, %0;"                                                                  \
        : "+r"(sum)                                                                             \
        : "r"(p.v.v[j * size / 4]), "r"(1 << (j * size % 4 * 8 / size)));                       \
    return sum;                                                                                 \
  }
GA_PICK(ga_byte, "dp4a.s32.s32", 1)
GA_PICK(ga_ubyte, "dp4a.u32.u32", 1)
GA_PICK(ga_short, "dp2a.lo.s32.s32", 2)
GA_PICK(ga_ushort, "dp2a.lo.u32.u32", 2)
#endif
template <class A> GA_FN ga_int ga_add_narrow(ga_int sum, const A &p, int j) {
  return sum + (ga_int)p.get(j);
}

/* Joins element j of the c-th vector, in line n of the thread's, to `a`. */
GA_FN void ga_add(const ga_params &P, ga_some &a, const ga_vectors &l, int c, int j, ga_uint n) {
#if defined(GA_NARROW_SUMS)
#define X(i, m) a.m = ga_add_narrow(a.m, l.x##i[c], j);
  GA_NARROW_SUMS(X)
#undef X
#elif GA_KEYS
#define X(i, T) const ga_int key = ga_key_of(l.x##i[c], j, ga_line_number(P, n));
  GA_INPUTS(X)
#undef X
  a = a > key ? a : key;
#else
  ga_in in;
#define X(i, T) in.x##i = l.x##i[c].get(j);
  GA_INPUTS(X)
#undef X
#if GA_ARG
  const ga_value x = ga_leaf(P, in, 0).r0;
  if (ga_keep(a.best, a.line, x, GA_LINE(n))) return;
  a.best = x;
  a.line = GA_LINE(n);
#else
  a = ga_combine(a, ga_narrow(ga_leaf(P, in, 0)));
#endif
#endif
}

/* Joins all whole vectors of a thread to `a`. */
GA_FN void ga_walk_lines(const ga_params &P, ga_lane t, ga_some (&a)[GA_VEC]) {
#pragma unroll 1
  for (; t.left >= GA_VEC; t.left -= GA_LOADS * t.apart, t.n += GA_LOADS) {
    ga_vectors l;
#define X(i, T)                                                                  \
  _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++)                           \
    if (c == 0 || t.left - c * t.apart >= GA_VEC)                                \
      l.x##i[c].load(P.a##i + (t.at.off[i] + c * t.step.off[i]));                \
  t.at.off[i] += GA_LOADS * t.step.off[i];
    GA_INPUTS(X)
#undef X
#pragma unroll
    for (int c = 0; c < GA_LOADS; c++)
      if (c == 0 || t.left - c * t.apart >= GA_VEC)
#pragma unroll
        for (int j = 0; j < GA_VEC; j++) ga_add(P, a[j], l, c, j, t.n + c);
  }
}

/* The same of a vector, `from` elements behind `at`, of which elements -from to n - from - 1
 * are the span's. */
GA_FN void ga_walk_end(const ga_params &P, const ga_place &at, ga_offset from, ga_offset n,
                       ga_uint line, ga_some (&a)[GA_VEC]) {
  ga_vectors l;
#define X(i, T) l.x##i[0].load(P.a##i + (at.off[i] + from * (ga_offset)sizeof(T)));
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int j = 0; j < GA_VEC; j++)
    if (from + j >= 0 && from + j < n) ga_add(P, a[j], l, 0, j, line);
}

/* Span number `span` of a tile: threads below its width get its columns. */
GA_FN ga_acc ga_span(const ga_params &P, const ga_tile &tile, ga_ulong span, ga_acc *held) {
  const ga_uint per = (ga_uint)P.line.d, total = P.lines * per * GA_VEC;
  const ga_uint line = (ga_uint)ga_quotient((ga_index)threadIdx.x, P.line);
  const ga_uint x = threadIdx.x - line * per;
  const ga_uint before = ga_before(P, tile, line);
  const ga_ulong row = span * P.passes, behind = P.reduced - row;
  const ga_offset rows = (ga_offset)(behind < P.passes ? behind : P.passes);
  const ga_offset n = rows * (ga_offset)P.pitch, begin = (ga_offset)x * GA_VEC - (ga_offset)before;
  ga_some *lanes = (ga_some *)held, a[GA_VEC];
  ga_place at = tile.at;
  ga_lane t;
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) a[j] = ga_nothing();
#define X(i, T)                                                                             \
  at.off[i] += (ga_offset)row * P.row_step[i];                                              \
  t.step.off[i] = P.flat ? (ga_offset)(per * GA_VEC * (ga_uint)sizeof(T))                   \
                         : (ga_offset)P.lines * P.row_step[i];                              \
  t.at.off[i] = at.off[i] + (ga_offset)line * P.row_step[i] + begin * (ga_offset)sizeof(T);
  GA_INPUTS(X)
#undef X
  t.apart = (ga_offset)(P.flat ? per * GA_VEC : P.lines * GA_VEC);
  t.left = P.flat ? n - begin : (rows - (ga_offset)line) * GA_VEC;
  if (line >= P.lines || (!P.flat && begin >= (ga_offset)tile.width)) t.left = 0;
  t.n = 0;
  if (P.flat && line == 0 && begin < 0) {
    t.n = 1;
    t.left -= t.apart;
#define X(i, T) t.at.off[i] += t.step.off[i];
    GA_INPUTS(X)
#undef X
  }
  ga_walk_lines(P, t, a);
  if (P.flat && line == 0) {
    const ga_offset end = n + (ga_offset)before, last = end / GA_VEC;
#pragma unroll 1
    for (int e = 0; e < 2; e++) {
      const ga_offset v = e ? last : 0;
      if (e ? end % GA_VEC == 0 || (last == 0 && before != 0) : before == 0) continue;
      const ga_index q = ga_quotient((ga_index)v, P.line);
      if ((ga_index)v - q * P.line.d == x)
        ga_walk_end(P, at, v * GA_VEC - (ga_offset)before, n, (ga_uint)q, a);
    }
  }
  if (threadIdx.x * GA_VEC < total) ga_put(lanes + threadIdx.x * GA_VEC, a);
  __syncthreads();
  const ga_uint g = (ga_uint)ga_quotient((ga_index)threadIdx.x, P.width);
  ga_acc all = ga_identity();
  if (g >> P.zbits == 0)
#pragma unroll 4
    for (ga_uint m = g; m < P.rows; m += 1u << P.zbits) {
      const ga_uint column = threadIdx.x - g * (ga_uint)P.width.d, s = ga_slot(P, tile, m) + column;
      const ga_uint over = s < total ? 0 : 1;
      all = ga_combine(all, ga_whole(P, tile, lanes[s - over * total], row + m, column, over));
    }
  __syncthreads();
  if (g >> P.zbits == 0) held[threadIdx.x] = all;
  ga_join_halves(P, held, P.zbits);
  return held[threadIdx.x < P.width.d ? threadIdx.x : 0];
}

#endif
