/* SPDX-License-Identifier: MIT */
/* Reductions in reduce_narrow.cu whose result does not tell the order. A thread has the same
 * place in each line that it meets, so its vectors' elements are of the same columns: it joins
 * them as they come. What threads have is joined in shared memory at the end of a span.
 *
 * The line of narrow columns is as many vectors as are whole rows and a block's threads.
 * Blocks are of 32 to GA_BLOCK threads: the fewer, the more each has of a small outer element.
 * Vectors that have elements of other spans are done element by element.
 *
 *   3 columns of uint8: lines of 255 vectors, 1360 rows; a span of 128000 rows is 94 of
 *   them and 30 vectors.
 *   1001 columns of int8: 5 tiles of 201 columns; lines of 14 vectors, 16 lines at once.
 */
#if GA_LOOSE

/* A thread's place: in each operand, from one line it meets to the next, and how many
 * elements there are from there on, where only whole vectors count; `from` to `to` - 1 of them are
 * the tile's. */
struct ga_lane {
  ga_place at, step;
  ga_offset left, apart;
  int from, to;
  ga_uint n; /* lines it has met */
};

/* That of a row and column of a tile, `line` being those before the row's own. */
GA_FN ga_acc ga_whole(const ga_params &P, const ga_tile &tile, const ga_some &some, ga_ulong row,
                      ga_uint column, ga_uint lines) {
#if GA_ARG
  ga_acc a = ga_identity();
  if (ga_is_nothing(some)) return a;
  row += (ga_ulong)(ga_line_of(P, some) - lines) * P.rows;
  a.r0 = ga_value_of(some);
  a.i0 = P.iota_base + tile.at.off[GA_NOP] + (ga_long)row * P.row_step[GA_NOP] +
         (ga_long)column * P.inner_step[GA_NOP];
  return a;
#else
  return ga_widen(some);
#endif
}

/* What the rows of a tile that follow row `first`, `apart` apart, have left in `lanes` for a
 * column, joined. */
GA_FN ga_acc ga_join_lanes(const ga_params &P, const ga_tile &tile, const ga_some *lanes,
                           ga_uint total, ga_ulong row, ga_uint column, ga_uint first,
                           ga_uint apart) {
#if GA_KEYS
  ga_some best = ga_nothing();
  ga_uint at = first;
#else
  ga_acc all = ga_identity();
#endif
#pragma unroll 4
  for (ga_uint m = first; m < P.rows; m += apart) {
    const ga_uint s = ga_slot(P, tile, m) + column, over = s < total ? 0 : 1;
    const ga_some some = lanes[s - over * total];
#if GA_KEYS
    const ga_some key = ga_is_nothing(some) ? some : ga_key_before(P, some, over);
    if (GA_FALLS ? key < best : key <= best) continue;
    best = key;
    at = m;
#else
    all = ga_combine(all, ga_whole(P, tile, some, row + m, column, over));
#endif
  }
#if GA_KEYS
  return ga_whole(P, tile, best, row + at, column, 0);
#else
  return all;
#endif
}

/* Whether the c-th of the lines that are loaded together has a whole vector of the thread's, from
 * where t is on; and all of those. */
GA_FN bool ga_has_line(const ga_lane &t, int c) { return t.left - c * t.apart >= GA_VEC; }
GA_FN void ga_load_lines(const ga_params &P, ga_lane &t, ga_vectors &l) {
#define X(i, T)                                                                              \
  _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++)                                       \
    if (c == 0 || ga_has_line(t, c))                                                         \
      ga_load_neighbours<GA_STEP(i)>(l.x##i[c], P.a##i + (t.at.off[i] + c * t.step.off[i]),  \
                                     t.from, t.to);                                          \
  t.at.off[i] += GA_LOADS * t.step.off[i];
  GA_INPUTS(X)
#undef X
}

/* Joins all whole vectors of a thread to `a`. */
#if GA_EXTREME_WORDS && defined(GA_BOTH)
GA_FN void ga_walk_lines(const ga_params &P, ga_lane t, ga_some (&a)[GA_VEC]) {
  ga_vectors l;
  if (t.left < GA_VEC) return;
#define X(i, T)                                                               \
  const int words = GA_VEC * (int)sizeof(T) / 4;                              \
  ga_end_words<T> ends[words];                                                \
  _Pragma("unroll") for (int w = 0; w < words; w++) ends[w].begin_worst();    \
  _Pragma("unroll 1") for (; t.left >= GA_VEC; t.left -= GA_LOADS * t.apart) { \
    ga_load_lines(P, t, l);                                                   \
    _Pragma("unroll") for (int c = 0; c < GA_LOADS; c++)                      \
      if (c == 0 || ga_has_line(t, c))                                        \
        _Pragma("unroll") for (int w = 0; w < words; w++) {                   \
          ends[w].most.take(l.x##i[c].v.v[w]);                                \
          ends[w].least.take(l.x##i[c].v.v[w]);                               \
        }                                                                     \
  }                                                                           \
  _Pragma("unroll") for (int w = 0; w < words; w++) {                         \
    l.x##i[0].v.v[w] = ends[w].most.all();                                    \
    l.x##i[1].v.v[w] = ends[w].least.all();                                   \
  }
  GA_EXTREME(X)
#undef X
#pragma unroll
  for (int c = 0; c < 2; c++)
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) ga_add(P, a[j], l, c, j, 0);
}
#else
GA_FN void ga_walk_lines(const ga_params &P, ga_lane t, ga_some (&a)[GA_VEC]) {
#pragma unroll 1
  for (; t.left >= GA_VEC; t.left -= GA_LOADS * t.apart, t.n += GA_LOADS) {
    ga_vectors l;
    ga_load_lines(P, t, l);
    ga_merge_lines(l, [&](int c) { return ga_has_line(t, c); });
#pragma unroll
    for (int c = 0; c < GA_LINES_LEFT; c++)
      if (c == 0 || ga_has_line(t, c))
#pragma unroll
        for (int j = 0; j < GA_VEC; j++) ga_add(P, a[j], l, c, j, t.n + c);
  }
}
#endif

/* The same of a vector, `from` elements behind `at`, of which elements -from to n - from - 1
 * are the span's. */
GA_FN void ga_walk_end(const ga_params &P, const ga_place &at, ga_offset from, ga_offset n,
                       ga_uint line, ga_some (&a)[GA_VEC]) {
  const int low = from < 0 ? (int)-from : 0, high = n - from < GA_VEC ? (int)(n - from) : GA_VEC;
  ga_vectors l;
#define X(i, T)                                                                         \
  ga_load_neighbours<GA_STEP(i)>(l.x##i[0], P.a##i + (at.off[i] + from * GA_NEXT(i, T)), \
                                 low, high);
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
  const ga_offset n = rows * (ga_offset)P.pitch - GA_BEHIND(P);
  const ga_offset begin = (ga_offset)x * GA_VEC - (ga_offset)before;
  ga_some *lanes = (ga_some *)held, a[GA_VEC];
  ga_place at = tile.at;
  ga_lane t;
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) a[j] = ga_nothing();
#define X(i, T)                                                                             \
  at.off[i] += (ga_offset)row * P.row_step[i];                                              \
  t.step.off[i] = P.flat ? (ga_offset)(per * GA_VEC) * GA_NEXT(i, T)                        \
                         : (ga_offset)P.lines * P.row_step[i];                              \
  t.at.off[i] = at.off[i] + (ga_offset)line * P.row_step[i] + begin * GA_NEXT(i, T);
  GA_INPUTS(X)
#undef X
  t.apart = (ga_offset)(P.flat ? per * GA_VEC : P.lines * GA_VEC);
  t.left = P.flat ? n - begin : (rows - (ga_offset)line) * GA_VEC;
  if (line >= P.lines || (!P.flat && begin >= (ga_offset)tile.width)) t.left = 0;
  t.from = !P.flat && begin < 0 ? (int)-begin : 0;
  const ga_offset reach = (ga_offset)tile.width - begin;
  t.to = !P.flat && reach < GA_VEC ? (int)reach : GA_VEC;
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
    all = ga_join_lanes(P, tile, lanes, total, row, threadIdx.x - g * (ga_uint)P.width.d, g,
                        1u << P.zbits);
  __syncthreads();
  if (g >> P.zbits == 0) held[threadIdx.x] = all;
  ga_join_halves(P, held, P.zbits);
  return threadIdx.x < P.width.d ? held[threadIdx.x] : all;
}

#endif
