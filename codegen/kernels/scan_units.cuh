/* SPDX-License-Identifier: MIT */
/* The units of scan_tall.cu: strips of GA_ACROSS * GA_VEC neighbouring columns, and as many
 * rows as the other lanes of a block have, 32 each. */
#define GA_THREADS GA_BLOCK
#define GA_PARTS (GA_BLOCK / GA_ACROSS / 4)
#define GA_WIDTH (GA_ACROSS * GA_VEC)
#define GA_STRIP(P) GA_WIDTH

struct ga_params {
  GA_OPERANDS(GA_POINTER)
  ga_uint *ticket;
  ga_ulong units, kept, reduced;
  ga_div strips; /* units of the same rows */
  ga_axes<GA_NK> kept_axes;
  ga_axes<GA_NR> scanned_axes;
  ga_uint step[GA_NOP]; /* along the innermost kept axis */
  GA_NUMBERS(GA_NUMBER)
};
