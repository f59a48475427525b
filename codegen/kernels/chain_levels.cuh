/* SPDX-License-Identifier: MIT */
/* One level of a chain: what a lane makes of the fours that it has, in the order of
 * DESIGN.md, and what follows the level's reduction. Lane l of 2^GA_LANES has, as its
 * f-th four, elements 4l + 4f * 2^GA_LANES and on of a row or a chunk; bits 2 to 6 of an
 * element's number that are no lane's bits, and bits 7 to 9, number its fours.
 *
 * Before this come ga_params, with a member `reduced`, and
 *   ga_exists(P, r, c, j)  whether element j of the lane's c-th four is one of the row,
 *                          its first four beginning at r
 *   ga_in_turn(j)          which of a four's elements is its j-th here
 */

/* The j-th element of a lane's c-th four as an accumulator, or what stands for none.
 * ALL: the lane lacks no element. */
template <class A, bool ALL>
GA_FN A ga_element(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept, int c,
                   int j, ga_index r) {
  A acc;
  ga_one in = f[c].get(j);
  ga_leaf(P, in, kept, acc);
  ga_carry(f[c], j, in, acc);
  if (!ALL && !ga_exists(P, r, c, ga_in_turn(j))) ga_identity(acc);
  return acc;
}

/* The tree over the j-th elements of N fours of a lane from the C-th on, S apart, the highest bit
 * first, those of them that there are (others are not even looked at, for the compiler's sake). */
template <class A, bool ALL, int N, int S, int C>
GA_FN A ga_join_elements(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept, int j,
                         ga_index r) {
  if constexpr (N == 1 || C + S >= GA_FOURS) {
    return ga_element<A, ALL>(P, f, kept, C, j, r);
  } else {
    const A left = ga_join_elements<A, ALL, N / 2, S * 2, C>(P, f, kept, j, r);
    return ga_combine(left, ga_join_elements<A, ALL, N / 2, S * 2, C + S>(P, f, kept, j, r));
  }
}

/* The same over N fours, each with those that stand for further places of its chunk. */
template <class A, bool ALL, int N, int S, int C>
GA_FN A ga_join_fours(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept,
                      ga_index r) {
  if constexpr (N == 1 || C + S >= GA_FOURS) {
    const int apart = 32 >> GA_LANES; /* fours of a lane within 128 elements */
    const A even = ga_combine(ga_join_elements<A, ALL, 8, apart, C>(P, f, kept, 0, r),
                              ga_join_elements<A, ALL, 8, apart, C>(P, f, kept, 1, r));
    if constexpr (GA_WIDTH == 2)
      return even;
    else
      return ga_combine(even,
                        ga_combine(ga_join_elements<A, ALL, 8, apart, C>(P, f, kept, 2, r),
                                   ga_join_elements<A, ALL, 8, apart, C>(P, f, kept, 3, r)));
  } else {
    const A left = ga_join_fours<A, ALL, N / 2, S * 2, C>(P, f, kept, r);
    return ga_combine(left, ga_join_fours<A, ALL, N / 2, S * 2, C + S>(P, f, kept, r));
  }
}

/* The lane's fours, from the FIRST on of one chunk, before they are joined with other lanes'. */
template <class A, bool ALL, int FIRST = 0>
GA_FN A ga_fold_lane(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept, ga_index r) {
  return ga_join_fours<A, ALL, (32 >> GA_LANES), 1, FIRST>(P, f, kept, r);
}

/* What follows level L's reduction, by each thread; `first` writes. */
template <int L, class A>
GA_FN void ga_finish(const ga_params &P, const ga_place &at, const A &acc, ga_kept &kept,
                     bool first) {
  ga_row row;
#define X(i, T) \
  if (ga_at##i == L) row.x##i = ga_load<T>(P.a##i + at.off[i]);
  GA_ROW_INPUTS(X)
#undef X
  ga_after(P, acc, row, kept);
#define X(i, T) \
  if (ga_at##i == L && first) ga_store<T>(P.a##i + at.off[i], row.y##i);
  GA_ROW_OUTPUTS(X)
#undef X
}
