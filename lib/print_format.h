/* SPDX-License-Identifier: MIT */
/* How the elements of one array are written: alike wide, so that columns align. */
#ifndef GA_PRINT_FORMAT_H
#define GA_PRINT_FORMAT_H

#include "lib/format.h"

/* One column of real numbers. */
typedef struct ga_real_format {
  enum ga_dtype t;
  ga_format f;
} ga_real_format;

typedef struct ga_element_format {
  enum ga_dtype t;
  int width;             /* integers: characters */
  ga_real_format re, im; /* real and complex numbers */
} ga_element_format;

/* Chooses the format for the `n` elements at `data` that are to be printed;
 * `s` is for its own use. */
void ga_element_format_init(ga_element_format *f, enum ga_dtype t, const char *data, size_t n,
                            ga_str *s);

/* Appends one element. */
void ga_element_format_add(ga_str *s, const ga_element_format *f, const char *p);

#endif
