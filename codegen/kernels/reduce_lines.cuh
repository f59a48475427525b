/* SPDX-License-Identifier: MIT */
/* The order of DESIGN.md in reduce_narrow.cu. A thread loads eight vectors, 128 rows apart,
 * joins them (bits 9 8 7 of the row's number) and puts the result into shared memory, where
 * 128 rows are left. There threads join the rows of bits 0 1 6 5, then of 4 3 2. What is
 * loaded next is on its way meanwhile. The chunks of a span are joined as a binary counter
 * carries.
 *
 * Where lines are chunks, 2^zbits are done in a pass: a chunk of few columns has too few
 * vectors for a block.
 */
#if !GA_LOOSE

#define GA_GROUPS  8 /* rows of bits 4 3 2 */

/* Eight vectors as they were loaded, 128 rows apart. */
struct ga_eighths {
#define X(i, T) ga_pack<T, GA_VEC> x##i[8];
  GA_INPUTS(X)
#undef X
  ga_offset some; /* element j of the c-th exists where j + c * ga_apart() is less */
};

GA_FN ga_offset ga_apart(const ga_params &P) {
  return 128 * (ga_offset)(P.flat ? P.pitch : GA_VEC);
}

/* Vector v of the lines of the pass that begins with chunk `first`. */
GA_FN void ga_load_eighths(const ga_params &P, const ga_tile &tile, ga_ulong first, ga_uint v,
                           ga_eighths &l) {
  const ga_uint line = (ga_uint)ga_quotient((ga_index)v, P.line);
  const ga_uint begin = (v - line * (ga_uint)P.line.d) * GA_VEC, before = ga_before(P, tile, line);
  const ga_ulong row = (P.flat ? first + line : first) * 1024;
  const ga_ulong left = P.reduced > row ? P.reduced - row : 0;
  const ga_offset rows = (ga_offset)(left < 1024 ? left : 1024), apart = ga_apart(P);
  const ga_offset at = (ga_offset)begin - (ga_offset)before; /* below 0 in a first vector */
  if (P.flat)
    l.some = rows ? rows * (ga_offset)P.pitch - at : 0;
  else
    l.some = begin < before + tile.width ? (rows - (ga_offset)line) * GA_VEC : 0;
  if (line >= P.lines) l.some = 0;
#define X(i, T)                                                                            \
  {                                                                                        \
    const char *p = P.a##i + (tile.at.off[i] +                                             \
                              (ga_offset)(P.flat ? row : row + line) * P.row_step[i] +     \
                              at * (ga_offset)sizeof(T));                                  \
    const ga_offset step = 128 * P.row_step[i];                                            \
    ga_offset left = l.some;                                                               \
    _Pragma("unroll") for (int c = 0; c < 8; c++, p += step, left -= apart)                \
      if (left > 0) l.x##i[c].load(p);                                                     \
  }
  GA_INPUTS(X)
#undef X
}

template <bool WHOLE>
GA_FN void ga_fold_eighths(const ga_params &P, const ga_eighths &l, ga_sub (&a)[GA_VEC]) {
  ga_offset left[8];
#pragma unroll
  for (int c = 0; c < 8; c++) left[c] = l.some - c * ga_apart(P);
#pragma unroll
  for (int j = 0; j < GA_VEC; j++)
    a[j] = ga_join_leaves<8>([&](int c) {
      ga_in in;
#define X(i, T) in.x##i = l.x##i[c].get(j);
      GA_INPUTS(X)
#undef X
      return ga_narrow(ga_leaf_or_none(P, in, 0, WHOLE || j < left[c]));
    });
}

/* The eight joined. Elements of 4 bytes and more leave time to ask for each of them. */
GA_FN void ga_put_eighths(const ga_params &P, const ga_eighths &l, ga_sub *to) {
  ga_sub a[GA_VEC];
  if (GA_VEC > 4 && l.some >= GA_VEC + 7 * ga_apart(P))
    ga_fold_eighths<true>(P, l, a);
  else
    ga_fold_eighths<false>(P, l, a);
  ga_put(to, a);
}

/* Of the 128 rows of each line, 16 of bits 0 1 6 5 to one. */
GA_FN void ga_join_rows(const ga_params &P, const ga_tile &tile, const ga_sub *rows,
                        ga_sub *groups) {
  const ga_uint n = GA_GROUPS * P.width.d << P.zbits;
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < n; t += GA_BLOCK) {
    const ga_uint g = (ga_uint)ga_quotient((ga_index)t, P.width), first = g % GA_GROUPS * 4;
    const ga_sub *s = rows + (g / GA_GROUPS * (ga_uint)P.line.d * GA_VEC + t - g * P.width.d);
    ga_sub a = ga_narrow(ga_identity());
#pragma unroll 1
    for (ga_uint h = 0; h < 64; h += 32) { /* bit 5; 32 rows are whole vectors */
      ga_uint at[4];
#pragma unroll
      for (int k = 0; k < 4; k++) at[k] = ga_slot(P, tile, first + h + k);
      const ga_sub b = ga_join_leaves<8>(
          [&](int k) { return s[at[(k >> 2) + (k & 2)] + (k & 1) * 64 * P.pitch]; });
      a = h != 0 ? ga_combine(a, b) : b;
    }
    groups[t] = a;
  }
}

/* Span number `span` of a tile: threads below its width get its columns. */
GA_FN ga_acc ga_span(const ga_params &P, const ga_tile &tile, ga_ulong span, ga_acc *held) {
  const ga_uint total = P.lines * (ga_uint)P.line.d, turns = (total + GA_BLOCK - 1) / GA_BLOCK;
  const ga_ulong most = P.passes << P.zbits, chunks = (P.reduced + 1023) / 1024 - span * most;
  const ga_uint some = (ga_uint)(chunks < most ? chunks : most);
  const ga_uint passes = (some + (1u << P.zbits) - 1) >> P.zbits;
  ga_sub *rows = (ga_sub *)held, *groups = rows + total * GA_VEC;
  ga_acc *stack = (ga_acc *)(groups + (GA_GROUPS * P.width.d << P.zbits)) + threadIdx.x;
  ga_ulong chunk = span * most;
  ga_uint turn = 0, n = 0, v = 0;
  ga_eighths l;
#pragma unroll 1
  for (ga_uint k = 0; k <= passes * turns; k++) {
    const bool done = turn == turns;
    if (k > 0 && v < total) ga_put_eighths(P, l, rows + v * GA_VEC);
    if (done) turn = 0;
    v = turn++ * GA_BLOCK + threadIdx.x;
    if (done) chunk += 1u << P.zbits;
    if (k < passes * turns) ga_load_eighths(P, tile, chunk, v, l);
    if (!done) continue;
    __syncthreads();
    ga_join_rows(P, tile, rows, groups);
    __syncthreads();
    if (threadIdx.x < tile.width)
#pragma unroll 1
      for (ga_uint z = 0; z < 1u << P.zbits; z++, n++) {
        const ga_sub *s = groups + (GA_GROUPS * z * (ga_uint)P.width.d + threadIdx.x);
        const auto group = [&](int q) { return s[q * (ga_uint)P.width.d]; };
        ga_carry(P, ga_widen(ga_join_leaves<GA_GROUPS>(group)), n, stack);
      }
  }
  return ga_carried(P, n, stack);
}

#endif
