/* SPDX-License-Identifier: MIT */
/* argmin and argmax of rows of a few lanes (GA_ARG 1: one level, no map): values are compared
 * alone; then each lane looks for the row's among its elements, and the first place wins, or
 * the last where positions fall along the row (GA_FALLS). Elements of 1 and 2 bytes are keys
 * (reduce_keys.cuh): 4c + j for a lane, the place in the row for lanes that are joined.
 *
 *   rows of 10, a lane each: element 4c + j is bit 4c + j of what is found; of bits 2 and 7
 *   the place is 2.
 */
#if GA_ARG

#if GA_KEYS

/* The row's value above its place, in each lane of it. */
GA_FN ga_int ga_best_key(const ga_params &P, const ga_four (&f)[GA_FOURS], ga_index r) {
  ga_int best = GA_NO_KEY;
#define X(i, T)                                                                            \
  _Pragma("unroll") for (int e = 0; e < 4 * GA_FOURS; e++) {                               \
    const ga_uint n = ga_line_number(P, (ga_uint)(e / 4 * 4 + ga_in_turn(e % 4)));          \
    const ga_int key = ga_key_of(f[e / 4].x##i, e % 4, n);                                 \
    if (ga_exists(P, r, e / 4, ga_in_turn(e % 4)) && key > best) best = key;                \
  }
  GA_INPUTS(X)
#undef X
  if (best != GA_NO_KEY) {
    const ga_uint e = ga_key_line(P, best), n = (ga_uint)r + e / 4 * GA_PITCH + e % 4;
    best = (ga_int)(((ga_uint)best & ~GA_LINES_MASK) | (ga_line_number(P, n) & GA_LINES_MASK));
  }
#pragma unroll
  for (int b = 0; b < GA_LANES; b++) {
    const ga_int other = ga_exchange_value(best, 1 << b);
    best = other > best ? other : best;
  }
  return best;
}

#else

/* The j-th element of the lane's c-th four. */
GA_FN ga_value ga_value_at(const ga_params &P, const ga_four (&f)[GA_FOURS], const ga_kept &kept,
                           int c, int j) {
  ga_one in = f[c].get(j);
  ga_acc0 acc;
  ga_leaf(P, in, kept, acc);
  return acc.r0;
}

/* The first bit of w, or the last. */
GA_FN int ga_bit_of(ga_uint w) { return GA_FALLS ? 31 - __clz((ga_int)w) : __ffs((ga_int)w) - 1; }

/* The first element of the lane, or the last, of those found, its number in the row; their
 * numbers in a four are turned. */
GA_FN ga_uint ga_place_of(const ga_uint (&found)[2], ga_index r) {
  const bool near = found[GA_FALLS] != 0;
  const ga_uint w = near ? found[GA_FALLS] : found[!GA_FALLS];
  const int word = near ? GA_FALLS : !GA_FALLS, c = ga_bit_of(w) / 4;
  ga_uint four = w >> 4 * c & 15;
#if GA_TURN
  if (ga_in_turn(0) & 1) four = (four & 5) << 1 | (four >> 1 & 5);
  if (ga_in_turn(0) & 2) four = (four & 3) << 2 | four >> 2;
#endif
  return (ga_uint)r + (ga_uint)((word * 8 + c) * GA_PITCH + ga_bit_of(four));
}

#endif

/* The row's value and its position; every lane of it gets them. */
GA_FN ga_acc0 ga_find_place(const ga_params &P, const ga_four (&f)[GA_FOURS], const ga_kept &kept,
                            const ga_place &row, ga_index r) {
  ga_acc0 a;
#if GA_KEYS
  const ga_int best = ga_best_key(P, f, r);
  const ga_uint place = ga_key_line(P, best);
  a.r0 = ga_key_value(best);
#else
  const ga_uint flip = GA_FALLS ? ~0u : 0;
  ga_uint found[2] = {0, 0}, at = ~0u;
  a.r0 = ga_no_value();
#pragma unroll
  for (int e = 0; e < 4 * GA_FOURS; e++)
    if (ga_exists(P, r, e / 4, ga_in_turn(e % 4)))
      a.r0 = ga_better(a.r0, ga_value_at(P, f, kept, e / 4, e % 4));
#pragma unroll
  for (int b = 0; b < GA_LANES; b++) a.r0 = ga_better(a.r0, ga_exchange_value(a.r0, 1 << b));
#pragma unroll
  for (int e = 0; e < 4 * GA_FOURS; e++)
    if (ga_exists(P, r, e / 4, ga_in_turn(e % 4)) &&
        ga_keep(ga_value_at(P, f, kept, e / 4, e % 4), 0, a.r0, 1))
      found[e / 32] |= 1u << e % 32;
  if ((found[0] | found[1]) != 0) at = ga_place_of(found, r) ^ flip;
#pragma unroll
  for (int b = 0; b < GA_LANES; b++) {
    const ga_uint other = ga_exchange_value(at, 1 << b);
    at = other < at ? other : at;
  }
  const ga_uint place = at ^ flip;
#endif
  a.i0 = P.iota_base + row.off[GA_NOP] + (ga_long)place * P.iota_step;
  return a;
}

#endif
