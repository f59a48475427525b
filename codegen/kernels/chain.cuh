/* SPDX-License-Identifier: MIT */
/* What a chain is made of: reductions of the same rows, one after the other, each
 * with what the ones before it left, and a map over the rows at the end.
 *
 *   softmax of rows: level 0 max(x); level 1 sum(exp(x - m)); map exp(x - m) / s
 *
 * The generator supplies, in ga_stage.h:
 *   GA_LEVELS(X)    X(j) for each reduction level, 0 first
 *   GA_LANES        log2 of the lanes that have a row, or a chunk of it
 *   GA_MAP          the map's level: how many reduction levels there are
 *   GA_INPUTS(X)    X(i, T) for each operand i, of device type T, that is read along
 *                   the rows; ga_at<i>: the level that reads it first
 *   GA_OUTPUTS(X)   X(i, T) for each operand that is written along the rows
 *   GA_ROW_INPUTS(X), GA_ROW_OUTPUTS(X)   X(i, T) for each that has an element a
 *                   row; ga_at<i>: the level after whose reduction it is read or
 *                   written
 *   GA_OPERANDS(X)  all, in the order of the operands
 *   GA_NUMBERS(X)   X(i, T) for each number
 *   GA_MIN_BLOCKS   blocks that a multiprocessor is to have room for
 *   GA_NK, GA_NR    bounds of the kept and the reduced axes (see ga_axes)
 *   ga_acc<j>       an accumulator of level j, with functions
 *                     ga_leaf(P, in, kept, acc): one element's
 *                     ga_combine(a, b), a being the left one
 *                     ga_identity(acc): leaves what it is combined with unchanged
 *                     ga_after(P, acc, row, kept): what follows the reduction; reads
 *                       row.x3, assigns row.y4 and members of
 *                     ga_carry(f, j, in, acc): leaves the four f what its element j
 *                       carries to later levels
 *   GA_CARRIED(X)   X(i, T) for each value that elements carry (members k<i> of `in`),
 *                   which some ga_leaf sets and later levels read
 *   ga_kept         what a row's later levels use of earlier ones
 *   ga_map(P, in, kept, out): one element of the map
 * and the skeleton defines ga_params with members a0, ..., p0, ...
 *
 * Everything here may swap the sides of ga_combine: each combination is
 * commutative to the bit. */
#define GA_PITCH (4 << GA_LANES) /* elements from a four of a lane to its next */

/* The elements that a row has one of. */
struct ga_row {
#define X(i, T) T x##i;
  GA_ROW_INPUTS(X)
#undef X
#define X(i, T) T y##i;
  GA_ROW_OUTPUTS(X)
#undef X
  char unused;
};

/* An element, and what it carries from level to level. */
struct ga_one : ga_in {
#define X(i, T) T k##i;
  GA_CARRIED(X)
#undef X
};

/* Four neighbours, as they were loaded. */
struct ga_four {
#define X(i, T) ga_pack<T, 4> x##i;
  GA_INPUTS(X)
#undef X
#define X(i, T) ga_pack<T, 4> k##i;
  GA_CARRIED(X)
#undef X
  GA_FN_MEMBER ga_one get(int j) const {
    ga_one in;
#define X(i, T) in.x##i = x##i.get(j);
    GA_INPUTS(X)
#undef X
#define X(i, T) in.k##i = k##i.get(j);
    GA_CARRIED(X)
#undef X
    return in;
  }
};

/* The accumulator of the lane whose number differs in the bits of `mask`. */
template <class A> GA_FN A ga_exchange(const A &a, int mask) { return ga_exchange_value(a, mask); }

/* Whether the j-th element of a lane's c-th four exists, its first four beginning at
 * r. Where lanes have a row or a column, only their last fours can lack some. */
template <class GA_P> GA_FN bool ga_exists(const GA_P &P, ga_index r, int c, int j) {
  if (GA_WHOLE == 2 || (!GA_TEAM && c + 1 < GA_FOURS)) return true;
  return r + c * GA_PITCH + (GA_WHOLE ? 0 : j) < P.reduced;
}
