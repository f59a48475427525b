/* SPDX-License-Identifier: MIT */
/* A growing string (lib/util/str.h). Capacity doubles, so a text of n bytes
 * costs O(n); a failed or overflowing growth sets `failed` for good and leaves
 * the text as it was. */
#include "lib/util/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and a NUL. */
static int reserve(ga_str *s, size_t n)
{
  size_t need, cap;
  char *p;

  if (s->failed) return 0;
  if (n > SIZE_MAX / 2 - 1 - s->len) goto fail;
  need = s->len + n + 1;
  if (need <= s->cap) return 1;
  cap = s->cap < 64 ? 64 : s->cap * 2;
  if (cap < need) cap = need;
  p = realloc(s->s, cap);
  if (p == NULL) goto fail;
  s->s = p;
  s->cap = cap;
  return 1;
fail:
  s->failed = 1;
  return 0;
}

void ga_str_addn(ga_str *s, const char *text, size_t n)
{
  if (!reserve(s, n)) return;
  if (n != 0) memcpy(s->s + s->len, text, n);
  s->len += n;
  s->s[s->len] = '\0';
}

void ga_str_add(ga_str *s, const char *text) { ga_str_addn(s, text, strlen(text)); }

void ga_str_addv(ga_str *s, const char *fmt, va_list ap)
{
  va_list measure;
  int len;

  va_copy(measure, ap);
  len = vsnprintf(NULL, 0, fmt, measure);
  va_end(measure);
  if (len < 0) {
    s->failed = 1;
    return;
  }
  if (!reserve(s, (size_t)len)) return;
  vsnprintf(s->s + s->len, (size_t)len + 1, fmt, ap);
  s->len += (size_t)len;
}

void ga_str_addf(ga_str *s, const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  ga_str_addv(s, fmt, ap);
  va_end(ap);
}

const char *ga_str_text(const ga_str *s) { return s->s != NULL ? s->s : ""; }

void ga_str_clear(ga_str *s)
{
  if (s == NULL) return;
  free(s->s);
  *s = (ga_str){0};
}
