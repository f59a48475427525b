/* SPDX-License-Identifier: MIT */
/* A growing string. The first failed allocation makes it `failed` and later
 * additions do nothing, so that a printer checks once, at its end. */
#ifndef GA_UTIL_STR_H
#define GA_UTIL_STR_H

#include <stdarg.h>
#include <stddef.h>

#include "error.h"

typedef struct ga_str {
  char *s; /* NUL-terminated once anything was added; NULL before */
  size_t len, cap;
  int failed;
} ga_str;

void ga_str_add(ga_str *s, const char *text);
void ga_str_addn(ga_str *s, const char *text, size_t n);
void ga_str_addf(ga_str *s, const char *fmt, ...) GA_PRINTF(2, 3);
void ga_str_addv(ga_str *s, const char *fmt, va_list ap);
/* The text so far, "" when empty; valid until the next addition. */
const char *ga_str_text(const ga_str *s);
void ga_str_clear(ga_str *s); /* frees; the string is empty and usable again */

#endif
