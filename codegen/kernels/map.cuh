/* SPDX-License-Identifier: MIT */
/* What the map skeletons share.
 *
 * The generator supplies, in ga_stage.h:
 *   GA_INPUTS(X)   X(i, T) for each operand i, of device type T, that is read
 *   GA_OUTPUTS(X)  X(i, T) for each operand that is written
 *   GA_OPERANDS(X) both, in the order of the operands
 *   GA_NUMBERS(X)  X(i, T) for each number
 *   GA_FIRST       the operand whose alignment vectors follow: the first output
 *   GA_FIRST_T     its type, GA_FIRST_ADDRESS its address
 *   GA_VEC         elements of a vector, 1 where there are none
 *   GA_ALIGNED     1: every operand that moves with the vectors lies on them
 *   GA_STORE_VEC   1: so does every output
 *   ga_map(P, in, iota, out)  the stage: reads in.x0, in.x1, ..., P.p0, ...
 *                  and `iota`, assigns out.y2, ...
 * and the skeleton defines ga_params with members a0, a1, ... (addresses, as
 * char *), p0, p1, ... (numbers) and iota_base.
 */
struct ga_in {
#define X(i, T) T x##i;
  GA_INPUTS(X)
#undef X
  char unused;
};

struct ga_out {
#define X(i, T) T y##i;
  GA_OUTPUTS(X)
#undef X
  char unused;
};

#define GA_POINTER(i, T) char *a##i;
#define GA_NUMBER(i, T) T p##i;
