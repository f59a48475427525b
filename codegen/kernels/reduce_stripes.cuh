/* SPDX-License-Identifier: MIT */
/* Chunks of reduce_rows.cu whose fours are no vectors (GA_STRIPES): of strided
 * elements, and of several axes, the innermost of which is no multiple of 4 or lies
 * on no vectors. A lane holds, for k in 0..31, element 32k + l, so that lanes load
 * neighbours; the order of DESIGN.md joins registers (bits 9 8 7: k's highest), lanes
 * (bits 0 1), registers (bits 6 5: k's lowest), lanes (bits 4 3 2).
 *
 * GA_STRETCHES: of several axes the innermost often has all of a chunk.
 *
 *   511 columns of 1023, 513 times: element 510 is lane 30's with k 15, lane 31 goes
 *   on in the next row, at 511.
 */
#if GA_STRIPES

/* Elements 32 apart as they were loaded, and their positions. */
struct ga_stripe {
#define X(i, T) T x##i[32];
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  ga_long iota[32];
#endif
};

/* Element k of a stripe, from where it lies. */
GA_FN void ga_load_of_stripe(const ga_params &P, const ga_place &at, int k, ga_stripe &s) {
#define X(i, T) \
  if (!GA_STANDS(i)) s.x##i[k] = ga_load<T>(P.a##i + at.off[i]);
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  s.iota[k] = P.iota_base + at.off[GA_NOP];
#endif
}

#ifdef GA_STRETCHES
/* The chunk from element r on, all of whose elements lie along the innermost axis: without walking
 * the axes for each. Returns whether that is so. */
GA_FN bool ga_load_piece(const ga_params &P, const ga_place &row, ga_index r, ga_stripe &s) {
  const int inner = (GA_NR <= 3 ? GA_NR : (int)P.reduced_axes.n) - 1;
  const ga_div &extent = P.reduced_axes.dim[inner];
  const ga_index first = r - (threadIdx.x & 31), begin = ga_quotient(first, extent) * extent.d;
  if (first - begin + 1024 > extent.d) return false;
  ga_place at = ga_at(P.reduced_axes, row, r);
#pragma unroll
  for (int k = 0; k < 32; k++) {
    ga_load_of_stripe(P, at, k, s);
#pragma unroll
    for (int o = 0; o < GA_NOFF; o++) at.off[o] += 32 * P.reduced_axes.step[inner][o];
  }
  return true;
}
#endif

/* No condition is between the loads: past the end it is the last element again. */
GA_FN void ga_load_stripe(const ga_params &P, const ga_place &row, ga_index r, ga_stripe &s) {
  const ga_index last = (ga_index)P.reduced - 1;
  bool loaded = false;
#ifdef GA_STRETCHES
  loaded = ga_load_piece(P, row, r, s);
#endif
  if (!loaded)
#pragma unroll
    for (int k = 0; k < 32; k++) {
      const ga_index e = r + 32 * k;
      ga_load_of_stripe(P, ga_at(P.reduced_axes, row, GA_WHOLE || e < last ? e : last), k, s);
    }
#define X(i, T)                                                     \
  if constexpr (GA_STANDS(i)) {                                     \
    const T x = ga_load<T>(P.a##i + row.off[i]);                    \
    _Pragma("unroll") for (int k = 0; k < 32; k++) s.x##i[k] = x;   \
  }
  GA_INPUTS(X)
#undef X
}

/* Joins the lanes of bit b. WHOLE: they have as many elements each. */
template <bool WHOLE> GA_FN ga_sub ga_join_bit(const ga_sub &a, int b) {
  return WHOLE ? ga_join_even(a, b) : ga_combine(a, ga_exchange(a, 1 << b));
}

/* Element k of them, or what stands for none. WHOLE: it exists. */
template <bool WHOLE>
GA_FN ga_sub ga_stripe_element(const ga_params &P, const ga_stripe &s, ga_index r, int k) {
  ga_long iota = 0;
  ga_in in;
#define X(i, T) in.x##i = s.x##i[k];
  GA_INPUTS(X)
#undef X
#if GA_IOTA
  iota = s.iota[k];
#endif
  return ga_narrow(ga_leaf_or_none(P, in, iota, WHOLE || r + 32 * k < (ga_index)P.reduced));
}

template <bool WHOLE>
GA_FN ga_sub ga_fold_stripe(const ga_params &P, const ga_stripe &s, ga_index r) {
  ga_sub a[4];
  if constexpr (GA_ROLL && !WHOLE) {
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const auto exists = [&](int c) { return r + 128 * c + 32 * k < (ga_index)P.reduced; };
      a[k] = ga_narrow(ga_identity());
      if (exists(0))
        a[k] = ga_join_existing<8>(
            [&](int c) { return ga_stripe_element<true>(P, s, r, 4 * c + k); }, exists);
    }
  } else {
#pragma unroll
    for (int k = 0; k < 4; k++)
      a[k] = ga_join_leaves<8>(
          [&](int c) { return ga_stripe_element<WHOLE>(P, s, r, 4 * c + k); });
  }
#if GA_FREE
  return ga_combine(ga_combine(a[0], a[2]), ga_combine(a[1], a[3]));
#else
#pragma unroll
  for (int k = 0; k < 4; k++) a[k] = ga_join_bit<WHOLE>(ga_join_bit<WHOLE>(a[k], 0), 1);
  a[0] = ga_combine(ga_combine(a[0], a[2]), ga_combine(a[1], a[3]));
#pragma unroll
  for (int b = 4; b >= 2; b--) a[0] = ga_join_bit<WHOLE>(a[0], b);
  return a[0];
#endif
}

/* The chunk from element r on: every lane gets it, or where GA_FREE its own part. */
template <bool, int>
GA_FN ga_sub ga_chunk(const ga_params &P, const ga_place &row, ga_index r, const ga_turn &) {
  const ga_index at = r + (threadIdx.x & 31);
  ga_stripe s;
  ga_load_stripe(P, row, at, s);
  if constexpr (GA_ROLL && !GA_WHOLE)
    if ((ga_ulong)r + 1024 <= P.reduced) return ga_fold_stripe<true>(P, s, at);
  return ga_fold_stripe<GA_WHOLE>(P, s, at);
}

#endif
