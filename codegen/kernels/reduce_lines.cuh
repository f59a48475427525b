/* SPDX-License-Identifier: MIT */
/* The order of DESIGN.md in reduce_narrow.cu. A thread loads eight vectors, 128 rows apart,
 * joins them (bits 9 8 7 of the row's number) and puts the result into shared memory, where
 * 128 rows are left. There threads join the rows of bits 0 1 6 5, then of 4 3 2. What is
 * loaded next is on its way meanwhile. The passes of a span are joined as a binary counter
 * carries.
 *
 * Where lines are chunks, 2^zbits are done in a pass: a chunk of few columns has too few
 * vectors for a block. Where they are rows a pass is a chunk or one of 2^parts of it, that of the
 * rows whose bit 2, or 3 2, or 4 3 2, are its number: so rows may be long and passes short.
 */
#if !GA_LOOSE

#define GA_GROUPS  8 /* rows of bits 4 3 2 */

/* Eight vectors as they were loaded, 128 rows apart; of an operand that stands still one, which is
 * loaded as they are used. */
struct ga_eighths {
#define X(i, T) ga_pack<T, GA_VEC> x##i[GA_STANDS(i) ? 1 : 8];
  GA_INPUTS(X)
#undef X
  ga_offset at;   /* of the first one's first element in its line; below 0 in a first vector */
  ga_offset some; /* element j of the c-th exists where j + c * ga_apart() is less */
  bool whole;     /* all that are used do */
};

/* What shared memory holds of a row: an accumulator but for counts, which its number tells. */
struct GA_ALIGN(alignof(ga_sub)) ga_row {
#define X(m) decltype(ga_sub::m) m;
  GA_VALUES(X)
#undef X
};

GA_FN void ga_to_row(const ga_sub &a, ga_row &row) {
#define X(m) row.m = a.m;
  GA_VALUES(X)
#undef X
}

GA_FN ga_sub ga_with_counts(ga_sub a, ga_uint count) {
  (void)count;
#define X(m) a.m = (decltype(a.m))count;
  GA_COUNTS(X)
#undef X
  return a;
}

GA_FN ga_sub ga_from_row(const ga_row &row, ga_uint count) {
  ga_sub a;
#define X(m) a.m = row.m;
  GA_VALUES(X)
#undef X
  return ga_with_counts(a, count);
}

GA_FN ga_offset ga_apart(const ga_params &P) {
  return 128 * (ga_offset)(P.flat ? P.pitch : GA_VEC);
}

/* Row number n of those of a chunk that lie in shared memory in part `part` of it, whose bits are
 * those of the rows' numbers that are joined last, the first of them lowest. */
GA_FN ga_uint ga_row_of(const ga_params &P, ga_uint n, ga_uint part) {
  return (n & 3) + ((n & ~3u) << P.parts) + (__brev(part) >> (30 - P.parts));
}

GA_FN ga_uint ga_part_of(const ga_params &P, ga_ulong pass) {
  return (ga_uint)pass & ((1u << P.parts) - 1);
}

/* Rows that chunk n has. */
GA_FN ga_ulong ga_rows_left(const ga_params &P, ga_ulong n) {
  const ga_ulong left = P.reduced > n * 1024 ? P.reduced - n * 1024 : 0;
  return left < 1024 ? left : 1024;
}

/* Of an operand that stands still, what a vector has that begins `at` elements behind its line's
 * first. */
template <class T>
GA_FN void ga_load_still(const ga_params &P, const ga_tile &tile, const char *p, ga_offset step,
                         ga_offset at, ga_pack<T, GA_VEC> &x) {
  const ga_uint end = P.flat ? (ga_uint)P.width.d : tile.width;
  ga_uint column = at < 0 ? 0 : (ga_uint)at;
  if (P.flat) column -= (ga_uint)ga_quotient((ga_index)column, P.width) * end;
  if (column >= end) column = end - 1;
#pragma unroll
  for (int j = 0; j < GA_VEC; j++) {
    x.set(j, ga_load<T>(p + (ga_offset)column * step));
    if (at + j >= 0 && ++column == end) column = P.flat ? 0 : end - 1;
  }
}

/* Vector v of the lines of pass number `pass`. */
GA_FN void ga_load_eighths(const ga_params &P, const ga_tile &tile, ga_ulong pass, ga_uint v,
                           ga_eighths &l) {
  const ga_uint line = (ga_uint)ga_quotient((ga_index)v, P.line);
  const ga_uint inside = P.flat ? 0 : ga_row_of(P, line, ga_part_of(P, pass));
  const ga_uint begin = (v - line * (ga_uint)P.line.d) * GA_VEC;
  const ga_uint before = ga_before(P, tile, inside);
  const ga_ulong row = (P.flat ? (pass << P.zbits) + line : pass >> P.parts) * 1024;
  const ga_offset rows = (ga_offset)ga_rows_left(P, row / 1024), apart = ga_apart(P);
  const ga_offset at = (ga_offset)begin - (ga_offset)before;
  if (P.flat)
    l.some = rows ? rows * (ga_offset)P.pitch - GA_BEHIND(P) - at : 0;
  else
    l.some = begin < before + tile.width ? (rows - (ga_offset)inside) * GA_VEC : 0;
  l.at = at;
  l.whole = rows == 1024;
  if (line >= P.lines) l.some = 0;
#define X(i, T)                                                                            \
  if constexpr (!GA_STANDS(i)) {                                                           \
    const char *p = P.a##i + (tile.at.off[i] +                                             \
                              (ga_offset)(row + inside) * P.row_step[i] +                  \
                              at * (ga_offset)sizeof(T));                                  \
    const ga_offset step = 128 * P.row_step[i];                                            \
    ga_offset left = l.some;                                                               \
    _Pragma("unroll") for (int c = 0; c < 8; c++, p += step, left -= apart)                \
      if (left > 0) l.x##i[c].load(p);                                                     \
  }
  GA_INPUTS(X)
#undef X
}

/* Element j of the c-th. */
template <bool WHOLE>
GA_FN ga_sub ga_eighth(const ga_params &P, const ga_eighths &l, int c, int j) {
  ga_in in;
#define X(i, T) in.x##i = l.x##i[GA_STANDS(i) ? 0 : c].get(j);
  GA_INPUTS(X)
#undef X
  return ga_narrow(ga_leaf_or_none(P, in, 0, WHOLE || j < l.some - c * ga_apart(P)));
}

/* The eight joined. Where the text of a join is long, those that are missing are passed by. */
template <bool WHOLE>
GA_FN void ga_fold_eighths(const ga_params &P, const ga_eighths &l, ga_row (&r)[GA_VEC]) {
  if constexpr (GA_ROLL && !WHOLE) {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++) {
      ga_sub a = ga_narrow(ga_identity());
      if (j < l.some)
        a = ga_join_existing<8>([&](int c) { return ga_eighth<true>(P, l, c, j); },
                                [&](int c) { return j < l.some - c * ga_apart(P); });
      ga_to_row(a, r[j]);
    }
  } else {
#pragma unroll
    for (int j = 0; j < GA_VEC; j++)
      ga_to_row(ga_join_leaves<8>([&](int c) { return ga_eighth<WHOLE>(P, l, c, j); }), r[j]);
  }
}

/* Elements of 4 bytes and more leave time to ask for each of them. */
GA_FN void ga_put_eighths(const ga_params &P, const ga_tile &tile, ga_eighths &l, ga_row *to) {
  ga_row r[GA_VEC];
#define X(i, T)           \
  if constexpr (GA_STANDS(i)) \
    ga_load_still(P, tile, P.a##i + tile.at.off[i], P.inner_step[i], l.at, l.x##i[0]);
  GA_INPUTS(X)
#undef X
  if ((GA_VEC > 4 || GA_ROLL) && l.whole)
    ga_fold_eighths<true>(P, l, r);
  else
    ga_fold_eighths<false>(P, l, r);
  ga_put(to, r);
}

/* get(0) to get(2^bits - 1), at most 16, joined by the bits of their numbers, lowest first, as a
 * binary counter carries: in little text. */
template <class F> GA_FN ga_sub ga_join_counted(ga_uint bits, const F &get) {
  ga_sub waits[4], a;
#pragma unroll 1
  for (ga_uint n = 0;; n++) {
    ga_uint k = 0;
    a = get(n);
#pragma unroll 1
    for (; n >> k & 1; k++) a = ga_combine(waits[k], a);
    if (n + 1 == 1u << bits) return a;
    waits[k] = a;
  }
}

/* Rows of bits 0 1 6 5, the first being number `first` in shared memory: 16 joined to one. `left`:
 * rows that the chunk has. */
template <bool WHOLE>
GA_FN ga_sub ga_join_sixteen(const ga_params &P, const ga_tile &tile, ga_uint part,
                             const ga_row *s, ga_uint first, ga_uint left) {
  const ga_uint quarter = 4 * (GA_GROUPS >> P.parts);
  ga_sub a = ga_narrow(ga_identity());
  if constexpr (GA_ROLL && !WHOLE)
    return ga_join_counted(4, [&](ga_uint n) {
      const ga_uint k = first + (n & 3) + (n >> 2 & 1) * 2 * quarter + (n >> 3) * quarter;
      const ga_uint row = ga_row_of(P, k, part);
      return ga_from_row(s[k * P.pitch + ga_before(P, tile, row)],
                         left > row ? (left - row + 127) / 128 : 0);
    });
#pragma unroll 1
  for (ga_uint h = 0; h < 2 * quarter; h += quarter) { /* bit 5; 32 rows are whole vectors */
    const ga_uint row = ga_row_of(P, first + h, part);
    ga_uint at[4];
#pragma unroll
    for (int k = 0; k < 4; k++) at[k] = (first + h + k) * P.pitch + ga_before(P, tile, row + k);
    const ga_sub b = ga_join_leaves<8>([&](int k) {
      return ga_from_row(s[at[(k >> 2) + (k & 2)] + (k & 1) * 2 * quarter * P.pitch], 8);
    });
    a = h != 0 ? ga_combine_some<true>(a, b) : b;
  }
  return a;
}

/* Of the rows of each line that lie in shared memory, 16 of bits 0 1 6 5 to one. */
GA_FN void ga_join_rows(const ga_params &P, const ga_tile &tile, ga_ulong pass, const ga_row *rows,
                        ga_sub *groups) {
  const ga_uint some = GA_GROUPS >> P.parts, part = ga_part_of(P, pass);
  const ga_uint n = some * (ga_uint)P.width.d << P.zbits;
#pragma unroll 1
  for (ga_uint t = threadIdx.x; t < n; t += GA_BLOCK) {
    const ga_uint g = (ga_uint)ga_quotient((ga_index)t, P.width), z = g >> (3 - P.parts);
    const ga_uint first = (g & (some - 1)) * 4;
    const ga_row *s = rows + (z * (ga_uint)P.line.d * GA_VEC + t - g * P.width.d);
    if constexpr (GA_ROLL) {
      const ga_ulong left = ga_rows_left(P, P.flat ? (pass << P.zbits) + z : pass >> P.parts);
      if (left < 1024) {
        groups[t] = ga_join_sixteen<false>(P, tile, part, s, first, (ga_uint)left);
        continue;
      }
    }
    groups[t] = ga_join_sixteen<true>(P, tile, part, s, first, 1024);
  }
}

/* Joins what is left of a pass, chunks of which number n is the first, and carries them. `whole`:
 * none lacks a row. */
GA_FN void ga_join_pass(const ga_params &P, const ga_sub *groups, ga_uint n, bool whole,
                        ga_acc *stack) {
  const ga_uint width = (ga_uint)P.width.d, some = GA_GROUPS >> P.parts;
  const ga_sub *s = groups + threadIdx.x;
#pragma unroll 1
  for (ga_uint z = 0; z < 1u << P.zbits; z++, n++, s += some * width) {
    ga_sub a;
    if constexpr (GA_ROLL) {
      if (whole && P.parts == 0)
        a = ga_join_leaves<GA_GROUPS>(
            [&](int q) { return ga_with_counts(s[q * width], 1024 / GA_GROUPS); });
      else
        a = ga_join_counted(3 - P.parts, [&](ga_uint q) {
          return s[(__brev(q) >> 1 >> (28 + P.parts)) * width];
        });
    } else {
      a = ga_join_leaves<GA_GROUPS>([&](int q) {
        return (ga_uint)q < some ? s[q * width] : ga_narrow(ga_identity());
      });
    }
    ga_carry(P, ga_widen(a), n, stack);
  }
}

/* Span number `span` of a tile: threads below its width get its columns. */
GA_FN ga_acc ga_span(const ga_params &P, const ga_tile &tile, ga_ulong span, ga_acc *held) {
  const ga_uint total = P.lines * (ga_uint)P.line.d, turns = (total + GA_BLOCK - 1) / GA_BLOCK;
  const ga_uint some = (GA_GROUPS >> P.parts) * (ga_uint)P.width.d << P.zbits;
  const ga_ulong chunks = (P.reduced + 1023) / 1024, begin = span * P.passes;
  const ga_ulong left = (((chunks << P.parts) + (1u << P.zbits) - 1) >> P.zbits) - begin;
  const ga_uint passes = (ga_uint)(left < P.passes ? left : P.passes);
  ga_row *rows = (ga_row *)held;
  ga_sub *groups = (ga_sub *)(rows + total * GA_VEC);
  ga_acc *stack = (ga_acc *)(groups + ((some + 3) & ~3u)) + threadIdx.x; /* on 16 bytes */
  ga_uint pass = 0, turn = 0, v = total;
  ga_eighths l;
#pragma unroll 1
  do {
    const bool done = turn == turns;
    if (v < total) ga_put_eighths(P, tile, l, rows + v * GA_VEC);
    if (done) turn = 0, pass++;
    v = turn++ * GA_BLOCK + threadIdx.x;
    if (pass < passes) ga_load_eighths(P, tile, begin + pass, v, l);
    if (!done) continue;
    __syncthreads();
    ga_join_rows(P, tile, begin + pass - 1, rows, groups);
    __syncthreads();
    if (threadIdx.x < tile.width)
      ga_join_pass(P, groups, (pass - 1) << P.zbits,
                   ((((begin + pass) << P.zbits) >> P.parts) << 10) <= P.reduced, stack);
  } while (pass < passes);
  return ga_carried(P, threadIdx.x < tile.width ? passes << P.zbits : 0, stack);
}

#endif
