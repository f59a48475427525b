/* SPDX-License-Identifier: MIT */
/* Errors that point into the text (caret.h). The caret stands by characters,
 * not bytes, so text around it may be UTF-8. */
#include "caret.h"

#include <string.h>

#include "lib/util/str.h"

#define WIDTH 76 /* of the text shown, in bytes */

static int continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* The part of the text to show: [*from, *to), one line, around `at`. */
static void window(const char *text, size_t at, size_t *from, size_t *to)
{
  size_t a = at, b = at;
  while (a > 0 && text[a - 1] != '\n') a--;
  while (text[b] != '\0' && text[b] != '\n') b++;
  if (b - a > WIDTH) {
    if (at - a > WIDTH / 2) a = at - WIDTH / 2;
    if (b - a > WIDTH) b = a + WIDTH;
    while (a < at && continues(text[a])) a++;
    while (b > at && continues(text[b])) b--;
  }
  *from = a;
  *to = b;
}

static void add_line(ga_str *s, const char *text, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) {
    unsigned char c = (unsigned char)text[i];
    char ch = c < 32 || c == 127 ? ' ' : (char)c; /* a tab is one column */
    ga_str_addn(s, &ch, 1);
  }
}

int ga_caret(int code, const char *text, size_t at, const char *fmt, ...)
{
  ga_str line = {0}, s = {0};
  va_list ap;
  size_t from, to;
  window(text, at, &from, &to);
  int cut = from > 0 && text[from - 1] != '\n';
  if (cut) ga_str_add(&line, "...");
  add_line(&line, text, from, to);
  if (text[to] != '\0' && text[to] != '\n') ga_str_add(&line, "...");
  size_t column = cut ? 3 : 0;
  for (size_t i = from; i < at; i++) column += !continues(text[i]);

  va_start(ap, fmt);
  ga_str_addv(&s, fmt, ap);
  va_end(ap);
  ga_error(code, "%s\n%*s^ %s", ga_str_text(&line), (int)column, "", ga_str_text(&s));
  ga_str_clear(&line);
  ga_str_clear(&s);
  return code;
}
