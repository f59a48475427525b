/* SPDX-License-Identifier: MIT */
/* Reduce, class COLUMNS, of few rows of one reduced axis, where there are threads enough with
 * one for a column: a thread has GA_VEC columns and walks down their rows. No thread waits
 * for another.
 *
 * GA_LOOSE 1: the result does not tell the order; elements are joined as they come
 * (reduce_some.cuh).
 * GA_LOOSE 0: at most 4 * GA_FOURS rows. The order of DESIGN.md joins four rows (bits 0 and 1 of
 * their numbers) first, which is done as they come, then those fours, highest bit first.
 *
 *   21 rows: fours of rows 0 to 3, ..., 16 to 19, and 20 alone. The fifth is joined to the
 *   first, the sixth to the second; the third to the first, the fourth to the second; those
 *   two.
 *
 * GA_WOVEN n: the n elements of a column lie side by side, and the columns one behind the other: a
 * thread loads n vectors and takes the rows out of them.
 *
 *   3 elements, GA_VEC 4, bytes a0 b0 c0 a1  b1 c1 a2 b2  c2 a3 b3 c3: three rows of 4.
 *
 * GA_WALKS_0, ...: 0: the operand does not move along the columns.
 * GA_VECTOR 1: a thread's columns are neighbours, which lie on vectors (GA_ALIGNED 1) or
 * anywhere. Else they are 32 apart, and those of a warp's lanes are neighbours.
 */
struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_ulong units, reduced, inner;
#if GA_IOTA
  ga_long iota_base;
#endif
  ga_div vectors;           /* threads of a row */
  ga_axes<GA_NK> kept_axes; /* but for the columns */
  ga_offset inner_step[GA_NOFF], row_step[GA_NOFF];
  GA_NUMBERS(GA_NUMBER)
};
