/* SPDX-License-Identifier: MIT */
/* Decimal digits of binary floating-point numbers, exact: the fewest that tell a
 * number from its neighbours of the same type, or as many as asked for. */
#ifndef GA_DIGITS_H
#define GA_DIGITS_H

#include <stdint.h>

#include "lib/util/dtype.h"

/* A number of a real dtype, taken apart. */
typedef struct ga_real {
  enum { GA_REAL_FINITE, GA_REAL_INF, GA_REAL_NAN } cls;
  int neg;       /* sign bit */
  uint64_t mant; /* |x| is mant * 2^exp2 */
  int exp2;
  int uneven;   /* the neighbour below is half as far as the one above */
  double value; /* x; exact */
} ga_real;

/* The number at `p`, of dtype FLOAT16, BFLOAT16, FLOAT32 or FLOAT64. */
ga_real ga_real_load(enum ga_dtype t, const void *p);

typedef struct ga_decimal {
  int n;   /* digits, 1 or more */
  int exp; /* the first one stands for digit * 10^exp */
  char digits[64];
} ga_decimal;

enum ga_cut { GA_CUT_TOTAL, GA_CUT_FRACTION };

/* The digits of |x|, finite: the fewest that identify it, but at most `most` and
 * at least `least` of them (-1: no bound), rounded half to even where they are
 * cut. `cut` says whether all digits count or those after the point. */
void ga_digits(ga_decimal *d, const ga_real *x, enum ga_cut cut, int most, int least);

#endif
