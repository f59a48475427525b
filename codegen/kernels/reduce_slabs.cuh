/* SPDX-License-Identifier: MIT */
/* Reductions whose result does not tell the order of the elements (GA_FREE: whole
 * numbers, extremes, any, all, positions of extremes), of reduce_rows.cu: a lane
 * loads 16 bytes of the widest operand eight times over (GA_SLAB elements each), joins
 * all it meets, and lanes are joined last. Vectors that begin before a row or go on
 * behind it are asked for each element; rows of operands that begin at different places
 * of their vectors are done by elements.
 *
 * argmin and argmax (GA_LATE) compare values alone, and remember where a slab began;
 * the element is looked for when all is joined.
 */
#if !GA_SHORT

/* argmin and argmax: positions are found last. */
#define GA_LATE (GA_ARG && GA_VECTOR && GA_NR == 1)
#if !GA_LATE
GA_FN ga_acc ga_settle(const ga_params &, const ga_place &, const ga_acc &a) { return a; }
#endif

#if GA_FREE && GA_VECTOR && GA_NR == 1

/* GA_SLAB elements for each load: eight loads of 16 bytes of the widest
 * operand, apart by what a warp loads at once. */
struct ga_slab {
#define X(i, T) ga_pack<T, GA_SLAB> x##i[8];
  GA_INPUTS(X)
#undef X
};
#define GA_SLAB_ALL (8 * 32 * GA_SLAB)

/* How many elements before the row its vectors begin; -1 where it has none, or those of
 * its operands begin differently. */
GA_FN int ga_slab_before(const ga_params &P, const ga_place &row) {
  int before = -2;
#define X(i, T)                                                                           \
  {                                                                                       \
    const int m = (int)((ga_ulong)(P.a##i + row.off[i]) / sizeof(T) & (GA_SLAB - 1));     \
    before = P.step[i] && (before == -2 || before == m) ? m : -1;                         \
  }
  GA_INPUTS(X)
#undef X
  return before;
}

GA_FN void ga_load_slab(const ga_params &P, const ga_place &row, ga_index r, ga_slab &s) {
#define X(i, T)                                                                       \
  {                                                                                   \
    const char *p = P.a##i + (row.off[i] + (ga_offset)r * (ga_offset)sizeof(T));      \
    _Pragma("unroll") for (int c = 0; c < 8; c++)                                     \
      s.x##i[c].load(p + c * 32 * GA_SLAB * (int)sizeof(T));                          \
  }
  GA_INPUTS(X)
#undef X
}

GA_FN ga_sub ga_slab_leaf(const ga_params &P, const ga_slab &s, int c, int j) {
  ga_in in;
#define X(i, T) in.x##i = s.x##i[c].get(j);
  GA_INPUTS(X)
#undef X
  return ga_narrow(ga_leaf(P, in, 0));
}

#if GA_ARG

/* The best value of a lane's elements. */
GA_FN ga_value ga_slab_best(const ga_params &P, const ga_slab &s) {
  ga_value v[4];
#pragma unroll
  for (int c = 0; c < 8; c++)
#pragma unroll
    for (int j = 0; j < GA_SLAB; j++) {
      const ga_value x = ga_slab_leaf(P, s, c, j).r0;
      const int k = (c * GA_SLAB + j) & 3;
      v[k] = c * GA_SLAB + j < 4 ? x : ga_better(v[k], x);
    }
  return ga_better(ga_better(v[0], v[1]), ga_better(v[2], v[3]));
}

/* Values alone: a position, which rises or falls along a row (`up`), is that of a
 * slab until ga_settle looks for the element in it. Positions that fall count from
 * below zero, so that of equals the smaller comes first. */
GA_FN ga_acc ga_slabs(const ga_params &P, const ga_place &row, int, ga_index &r, ga_index to) {
  const bool up = P.iota_step > 0;
  ga_acc a = ga_identity();
#pragma unroll 1
  for (; to - r >= GA_SLAB_ALL; r += GA_SLAB_ALL) {
    ga_slab s;
    ga_load_slab(P, row, r + (threadIdx.x & 31) * GA_SLAB, s);
    const ga_value v = ga_slab_best(P, s);
    if (ga_keep(a.r0, a.i0 != 0x7fffffffffffffffll ? 0 : 2, v, up)) continue;
    a.r0 = v;
    a.i0 = up ? (ga_long)r : -(ga_long)(r + GA_SLAB_ALL - 1);
  }
  return a;
}

/* The first element from a slab's position on that has the value, by a warp; its
 * position as the expression has it. */
GA_FN ga_acc ga_settle(const ga_params &P, const ga_place &row, ga_acc a) {
  const bool up = P.iota_step > 0;
  const ga_index from = (ga_index)(up ? a.i0 : -a.i0), lane = threadIdx.x & 31;
  ga_index at = GA_SLAB_ALL;
#pragma unroll 1
  for (ga_index k = lane; k < GA_SLAB_ALL; k += 256) {
    ga_four f[8];
#pragma unroll
    for (int c = 0; c < 8; c++) {
      const ga_index e = up ? from + k + 32 * c : from - k - 32 * c;
      if (e < P.reduced) ga_load_one(P, row, e, f[c], 0);
    }
#pragma unroll
    for (int c = 7; c >= 0; c--) {
      const ga_index e = up ? from + k + 32 * c : from - k - 32 * c;
      if (e < P.reduced && ga_keep(ga_element(P, f[c], 0, true).r0, 0, a.r0, 1)) at = k + 32 * c;
    }
#pragma unroll
    for (int b = 16; b > 0; b /= 2) {
      const ga_index other = ga_exchange_value(at, b);
      at = other < at ? other : at;
    }
    if (at < GA_SLAB_ALL) break;
  }
  a.i0 = P.iota_base + row.off[GA_NOP] + (ga_long)(up ? from + at : from - at) * P.iota_step;
  return a;
}

#else

/* Whether the ends of rows are loaded as vectors. Of aligned rows of 4 bytes an element and
 * more they are few elements, which cost less than the registers. */
#define GA_ENDS (!GA_ALIGNED || GA_SLAB > 4)
#define GA_SOME (GA_SLAB <= 4 ? 8 : 32 / GA_SLAB) /* loads that ends are done by */

GA_FN ga_acc ga_join_four(const ga_sub (&a)[4]) {
  return ga_widen(ga_combine(ga_combine(a[0], a[1]), ga_combine(a[2], a[3])));
}

/* Elements from..to - 1 of a row as far as they are in GA_SOME loads from `at` on, which
 * begin before the row or go on behind it. */
GA_FN ga_acc ga_slab_end(const ga_params &P, const ga_place &row, ga_offset at, ga_offset from,
                         ga_offset to) {
  const ga_offset mine = at + (ga_offset)(threadIdx.x & 31) * GA_SLAB;
  ga_slab s;
  ga_sub a[4];
#define X(i, T)                                                                        \
  {                                                                                    \
    const char *p = P.a##i + (row.off[i] + mine * (ga_offset)sizeof(T));               \
    _Pragma("unroll") for (int c = 0; c < GA_SOME; c++) {                              \
      const ga_offset e = mine + c * 32 * GA_SLAB;                                     \
      if (e < to && e + GA_SLAB > from) s.x##i[c].load(p + c * 32 * GA_SLAB * (int)sizeof(T)); \
    }                                                                                  \
  }
  GA_INPUTS(X)
#undef X
#pragma unroll
  for (int k = 0; k < 4; k++) a[k] = ga_narrow(ga_identity());
#pragma unroll
  for (int c = 0; c < GA_SOME; c++)
    if (at + c * 32 * GA_SLAB < to)
#pragma unroll
      for (int j = 0; j < GA_SLAB; j++) {
        const ga_offset e = mine + c * 32 * GA_SLAB + j;
        if ((ga_index)(e - from) < (ga_index)(to - from))
          a[j & 3] = ga_combine(a[j & 3], ga_slab_leaf(P, s, c, j));
      }
  return ga_join_four(a);
}

/* Elements r to `to` - 1, vectors of which begin `before` elements before the row. */
GA_FN ga_acc ga_slabs(const ga_params &P, const ga_place &row, int before, ga_index &r,
                      ga_index to) {
  const ga_offset from = (ga_offset)r;
  ga_offset at = GA_ENDS ? from - before : from;
  ga_acc all = ga_identity();
#pragma unroll 1
  while (at < (ga_offset)to) {
    if (!GA_ENDS && (ga_offset)to - at < GA_SLAB_ALL) break;
    if (GA_ENDS && (at < from || (ga_offset)to - at < GA_SLAB_ALL)) {
      all = ga_combine(all, ga_slab_end(P, row, at, from, (ga_offset)to));
      at += GA_SOME * 32 * GA_SLAB;
      continue;
    }
    ga_slab s;
    ga_sub a[4];
    ga_load_slab(P, row, (ga_index)at + (threadIdx.x & 31) * GA_SLAB, s);
#pragma unroll
    for (int c = 0; c < 8; c++)
#pragma unroll
      for (int j = 0; j < GA_SLAB; j++) {
        const ga_sub x = ga_slab_leaf(P, s, c, j);
        const int k = (c * GA_SLAB + j) & 3;
        a[k] = c * GA_SLAB + j < 4 ? x : ga_combine(a[k], x);
      }
    all = ga_combine(all, ga_join_four(a));
    at += GA_SLAB_ALL;
  }
  r = GA_ENDS ? to : (ga_index)at;
  return all;
}

#endif
#endif

#if GA_FREE

/* Chunks first to first + each - 1 of a row, by a whole warp; every lane gets
 * them. No order to keep: a lane joins all it meets, lanes are joined last. */
GA_FN ga_acc ga_run(const ga_params &P, const ga_place &row, ga_ulong first, ga_uint each) {
  const ga_ulong end = (first + each) * 1024;
  const ga_index to = (ga_index)(end < P.reduced ? end : P.reduced);
  ga_index r = (ga_index)(first * 1024);
  ga_acc a = ga_identity();
  if (first >= P.chunks) return a;
#if GA_VECTOR && GA_NR == 1
  const int before = ga_slab_before(P, row);
  if (GA_ARG ? before == 0 : before >= 0) a = ga_slabs(P, row, before, r, to);
#endif
#if GA_VECTOR && GA_NR > 1
#pragma unroll 1
  for (; r < to; r += 1024) a = ga_combine(a, ga_widen(ga_chunk(P, row, r, ga_turn_of(P, row))));
#else
#pragma unroll 1
  for (r += threadIdx.x & 31; r < to; r += 256) {
    ga_four f[8];
#pragma unroll
    for (int c = 0; c < 8; c++)
      if (r + 32 * c < to) ga_load_one(P, row, r + 32 * c, f[c], 0);
#pragma unroll
    for (int c = 0; c < 8; c++)
      if (r + 32 * c < to) {
#if GA_LATE
        f[c].iota[0] = P.iota_step > 0 ? (ga_long)(r + 32 * c) : -(ga_long)(r + 32 * c);
#endif
        a = ga_combine(a, ga_widen(ga_element(P, f[c], 0, true)));
      }
  }
#endif
  return ga_join_down(a, 5);
}

#endif
#endif
