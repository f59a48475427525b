/* SPDX-License-Identifier: MIT */
/* Numbers written as NumPy writes them. The locale does not matter. */
#ifndef GA_FORMAT_H
#define GA_FORMAT_H

#include "lib/digits.h"
#include "lib/util/str.h"

/* What becomes of zeros at the end of a fraction. */
enum ga_trim {
  GA_TRIM_KEEP,  /* they stay, and are added up to the digits asked for: "1.500" */
  GA_TRIM_ZEROS, /* they go, the point stays: "1." */
  GA_TRIM_ONE,   /* one stays: "1.0" */
  GA_TRIM_POINT  /* the point goes too: "1" */
};

typedef struct ga_format {
  int exponent;  /* 1: scientific */
  int precision; /* digits after the point, at most; -1: no bound */
  int least;     /* and at least; -1: no bound */
  enum ga_trim trim;
  int plus;       /* 1: write the sign of positive numbers */
  int pad_left;   /* characters before the point, at least; 0 */
  int pad_right;  /* after it; positional only; 0 */
  int exp_digits; /* of the exponent, at least; 0 is 2 */
} ga_format;

/* Appends a finite number. */
void ga_format_real(ga_str *s, const ga_real *x, const ga_format *f);

/* Appends str() of the NumPy scalar of dtype `t` at `p`. */
void ga_format_scalar(ga_str *s, enum ga_dtype t, const void *p);

#endif
