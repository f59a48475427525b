/* SPDX-License-Identifier: MIT */
/* Python's number literals: 2, 1_000, 0x1f, 0o17, 0b101, 2.5e-3, 2j. Integers
 * are kept to 127 bits; decimal fractions are rounded correctly, whatever the
 * locale of the process. */
#define _GNU_SOURCE /* strtod_l */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "caret.h"
#include "lex.h"
#include "lib/util/str.h"

#define MAXINT ((ga_int128)(~(ga_uint128)0 >> 1))

static int digit_of(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static int is_word(char c)
{
  return digit_of(c) < 10 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The end of digits of `base` from `at`, single underscores between digits
 * allowed; `at` itself when there is none. */
static size_t digits(const char *text, size_t at, int base)
{
  size_t i = at;
  while (digit_of(text[i]) < base || (text[i] == '_' && i > at && digit_of(text[i + 1]) < base))
    i++;
  return i;
}

/* Digits [from, to) as an integer. */
static int read_int(ga_number *n, const ga_lexer *l, size_t from, size_t to, int base)
{
  ga_int128 v = 0;
  for (size_t i = from; i < to; i++) {
    if (l->text[i] == '_') continue;
    int d = digit_of(l->text[i]);
    if (v > (MAXINT - d) / base)
      return ga_caret(GA_VALUE_ERROR, l->text, l->at,
                      "an integer of more than 127 bits; write it as a float");
    v = v * base + d;
  }
  n->kind = GA_NUM_INT;
  n->i = v;
  return GA_NO_ERROR;
}

/* Text [from, to), a decimal number, as the nearest double. */
static int read_float(double *x, const ga_lexer *l, size_t from, size_t to)
{
  ga_str s = {0};
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  for (size_t i = from; i < to; i++)
    if (l->text[i] != '_') ga_str_addn(&s, l->text + i, 1);
  int ok = c != (locale_t)0 && !s.failed;
  if (ok) *x = strtod_l(ga_str_text(&s), NULL, c);
  if (c != (locale_t)0) freelocale(c);
  ga_str_clear(&s);
  return ok ? GA_NO_ERROR : ga_error_memory("expression", to - from);
}

/* 0x, 0o, 0b at l->at: the base, 10 if there is none. */
static int prefix(const char *s)
{
  if (s[0] != '0') return 10;
  switch (s[1]) {
  case 'x':
  case 'X': return 16;
  case 'o':
  case 'O': return 8;
  case 'b':
  case 'B': return 2;
  default: return 10;
  }
}

static int bad(const ga_lexer *l, size_t at)
{
  return ga_caret(GA_VALUE_ERROR, l->text, at,
                  "this is no number; after '%.*s' comes a digit or an operator",
                  at - l->at > 40 ? 40 : (int)(at - l->at), l->text + l->at);
}

int ga_lex_number(ga_token *t, ga_lexer *l)
{
  const char *text = l->text;
  size_t from = l->at, to;
  int base = prefix(text + from), whole = 1;
  t->kind = GA_TOK_NUMBER;
  if (base != 10) {
    size_t first = from + 2 + (text[from + 2] == '_');
    to = digits(text, first, base);
    if (to == first || is_word(text[to])) return bad(l, to);
    GA_TRY(read_int(&t->number, l, first, to, base));
  } else {
    to = digits(text, from, 10);
    if (text[to] == '.') whole = 0, to = digits(text, to + 1, 10);
    if (text[to] == 'e' || text[to] == 'E') {
      size_t sign = to + 1 + (text[to + 1] == '+' || text[to + 1] == '-');
      size_t end = digits(text, sign, 10);
      if (end == sign) return bad(l, sign);
      whole = 0;
      to = end;
    }
    int imaginary = text[to] == 'j' || text[to] == 'J';
    if (is_word(text[to + imaginary])) return bad(l, to + imaginary);
    if (imaginary) {
      t->number.kind = GA_NUM_COMPLEX;
      GA_TRY(read_float(&t->number.im, l, from, to));
    } else if (!whole) {
      t->number.kind = GA_NUM_FLOAT;
      GA_TRY(read_float(&t->number.re, l, from, to));
    } else {
      GA_TRY(read_int(&t->number, l, from, to, 10));
      if (text[from] == '0' && t->number.i != 0)
        return ga_caret(GA_VALUE_ERROR, text, from,
                        "a decimal integer with leading zeros; octal is 0o17");
    }
    to += (size_t)imaginary;
  }
  l->at = to;
  t->len = to - from;
  return GA_NO_ERROR;
}
