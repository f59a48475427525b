/* SPDX-License-Identifier: MIT */
/* What the C++ compiler says of a user's text, told as of that text: without the private folder,
 * the parameters and the table that the library adds to it. */
#include "hostcuda_log.h"

#include <stdlib.h>
#include <string.h>

/* Takes each `what`, and what it ends with, out of a text, in place. */
static void hide(char *text, const char *what, const char *end)
{
  size_t n = strlen(what), m = strlen(end);
  char *to = text;
  if (text == NULL) return;
  for (const char *p = text; *p != '\0';) {
    if (*p == what[0] && strncmp(p, what, n) == 0 && strncmp(p + n, end, m) == 0)
      p += n + m;
    else
      *to++ = *p++;
  }
  *to = '\0';
}

void ga_hc_hide_folder(char *text, const char *folder) { hide(text, folder, "/"); }

void ga_hc_log_unclosed(ga_str *s, const ga_hc_text *t)
{
  const ga_hc_token *k = &t->tok[ga_hc_unclosed(t)];
  s->len = 0;
  if (k->kind != GA_HC_END)
    ga_str_addf(s, "%s:%u: error: no '}' closes this '{'\n", t->files[k->file].name, k->line);
}

/* What the compiler says of the table behind the text follows from what it said of the
 * text; where that is nothing, from a brace that nothing closes. */
static void drop_table(ga_str *log, const ga_str *unclosed)
{
  char *error = strstr(log->s, "error: "), *table = strstr(log->s, "In file included from table:");
  if (error == NULL || table == NULL) return;
  if (error < table) {
    log->len = (size_t)(table - log->s);
    *table = '\0';
  } else if (unclosed->len > 0) {
    log->len = 0;
    ga_str_add(log, unclosed->s);
  }
}

void ga_hc_log_clean(ga_str *log, const char *folder, const ga_str *unclosed)
{
  if (log->s == NULL) return;
  drop_table(log, unclosed);
  ga_hc_hide_folder(log->s, folder);
  hide(log->s, "uint3, uint3, dim3, dim3", ", ");
  hide(log->s, "uint3, uint3, dim3, dim3", "");
}

int ga_hc_log_refused(const char *log)
{
  const char *end = strstr(log, " is not available on the cpu device"), *item, *line;
  if (end == NULL) return GA_NO_ERROR;
  for (line = end; line > log && line[-1] != '\n';) line--;
  for (item = end; item > line && strncmp(item - 2, ": ", 2) != 0;) item--;
  const char *where = memchr(line, ':', (size_t)(end - line));
  if (where == NULL || item == line) return GA_NO_ERROR;
  return ga_error(GA_UNSUPPORTED_ERROR,
                  "compile: %.*s:%lu: %.*s is not available on the cpu device", (int)(where - line),
                  line, strtoul(where + 1, NULL, 10), (int)(end - item), item);
}
