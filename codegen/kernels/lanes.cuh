/* SPDX-License-Identifier: MIT */
/* Accumulators of a warp's lanes, joined in the order of DESIGN.md ("Order of a
 * reduction"). What is included next defines for its accumulators A
 *   ga_combine(a, b)       a being the left one; either may be, to the bit
 *   ga_exchange(a, mask)   the accumulator of the lane whose number differs in the
 *                          bits of `mask`
 */
#define GA_FULL 0xffffffffu

/* Before loops that join: GA_ROLL 1, if ga_combine is long, they stay loops. */
#if GA_ROLL
#define GA_UNROLL_JOINS _Pragma("unroll 1")
#else
#define GA_UNROLL_JOINS _Pragma("unroll")
#endif

/* Joins the lanes of each aligned group of 2^bits, lowest bit first: chunks. */
template <class A> GA_FN A ga_join_up(A a, int bits) {
  GA_UNROLL_JOINS
  for (int b = 0; b < 5; b++)
    if (b < bits) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
}

/* The same, highest bit first: bits 6 to 2 inside a chunk. */
template <class A> GA_FN A ga_join_down(A a, int bits) {
  GA_UNROLL_JOINS
  for (int b = 4; b >= 0; b--)
    if (b < bits) a = ga_combine(a, ga_exchange(a, 1 << b));
  return a;
}
