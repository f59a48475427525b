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

/* Leaves of a tree are taken in an order in which few wait to be joined: the i-th is leaf number
 * ga_leaf_of(i), so that the highest bit of a number is joined first. */
template <int BITS> GA_FN int ga_leaf_of(int i) {
  int leaf = 0;
#pragma unroll
  for (int b = 0; b < BITS; b++) leaf |= (i >> b & 1) << (BITS - 1 - b);
  return leaf;
}

/* Joins the i-th leaf, a, to those that wait, of a tree that has leaves 0 to n-1: after the last
 * (which need not exist) a is all of them. */
template <int BITS, class A> GA_FN void ga_join_leaf(A (&waits)[BITS + 1], int i, int n, A &a) {
#pragma unroll
  for (int k = 0; k < BITS; k++) {
    if (!(i >> k & 1)) {
      waits[k] = a;
      break;
    }
    a = ga_leaf_of<BITS>(i >> k << k) < n ? ga_combine(waits[k], a) : waits[k];
  }
}

#if defined(GA_BYTE_SUM)

/* A sum of bytes, which tells no order: what words make is added four at a time. */
template <class A, bool ALL, int FIRST = 0>
GA_FN A ga_fold_lane(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &, ga_index r) {
  const int most = FIRST + (256 >> GA_LANES);
  A a;
  ga_identity(a);
#pragma unroll
  for (int c = FIRST; c < GA_FOURS && c < most; c++) {
    ga_four_in in;
    ga_uint weights = 0;
#define X(i, T) in.x##i = f[c].x##i.v.v[0];
    GA_INPUTS(X)
#undef X
#pragma unroll
    for (int j = 0; j < 4; j++)
      weights |= ALL || ga_exists(P, r, c, ga_in_turn(j)) ? 1u << 8 * j : 0;
    a.r0 = ga_dot(a.r0, GA_BYTE_SUM(), ga_leaf_four(P, in), weights);
  }
  return a;
}

#else

/* The lane's fours, from the FIRST on of one chunk, before they are joined with other lanes': a
 * tree over those within 128 elements, of one over each's elements, of one over those that are as
 * far into further 128. */
template <class A, bool ALL, int FIRST = 0>
GA_FN A ga_fold_lane(const ga_params &P, ga_four (&f)[GA_FOURS], const ga_kept &kept, ga_index r) {
  const int apart = 32 >> GA_LANES, n = GA_FOURS - FIRST;
  const int near = 5 - GA_LANES, wide = GA_HALVES ? 1 : 2;
  const int far = n > 4 * apart ? 3 : n > 2 * apart ? 2 : n > apart ? 1 : 0;
  A waits[near + 1], four[wide + 1], e[far + 1], a;
#pragma unroll
  for (int i = 0; i < apart; i++) {
    const int c = ga_leaf_of<near>(i), more = (n - c + apart - 1) / apart;
    if (c < n) {
#pragma unroll
      for (int j = 0; j < GA_WIDTH; j++) {
#pragma unroll
        for (int h = 0; h < 1 << far; h++) {
          const int d = ga_leaf_of<far>(h);
          if (d < more) a = ga_element<A, ALL>(P, f, kept, FIRST + c + d * apart, j, r);
          ga_join_leaf<far>(e, h, more, a);
        }
        ga_join_leaf<wide>(four, j, GA_WIDTH, a);
      }
    }
    ga_join_leaf<near>(waits, i, n, a);
  }
  return a;
}

#endif

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
