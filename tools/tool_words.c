/* SPDX-License-Identifier: MIT */
/* Words of a line, quoted as in a shell; nothing is expanded. */
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Copies one word, unquoted, to `out`; returns where it ends, NULL when a quote
 * stays open. */
static const char *copy_word(char **out, const char *p)
{
  char *w = *out;
  while (*p != '\0' && !is_space(*p)) {
    if (*p == '\'') {
      const char *end = strchr(p + 1, '\'');
      if (end == NULL) return NULL;
      memcpy(w, p + 1, (size_t)(end - p - 1));
      w += end - p - 1;
      p = end + 1;
    } else if (*p == '"') {
      for (p++; *p != '"'; p++) {
        if (*p == '\\' && p[1] != '\0' && strchr("\\\"$`", p[1])) p++;
        if (*p == '\0') return NULL;
        *w++ = *p;
      }
      p++;
    } else {
      if (*p == '\\' && p[1] != '\0') p++;
      *w++ = *p++;
    }
  }
  *w = '\0';
  *out = w;
  return p;
}

char **tool_words(const char *line, int *n, const char **why)
{
  /* A word needs two characters of the line (itself and a space) and no more
   * room than it takes there: one block holds pointers and text. */
  size_t len = strlen(line), most = len / 2 + 2;
  char **words = malloc(most * sizeof *words + len + most);
  if (words == NULL) {
    *why = "out of memory";
    return NULL;
  }
  char *text = (char *)(words + most);
  *n = 0;
  for (;;) {
    while (is_space(*line)) line++;
    if (*line == '\0' || *line == '#') break;
    words[(*n)++] = text;
    line = copy_word(&text, line);
    if (line == NULL) {
      *why = "a quote is not closed";
      free(words);
      return NULL;
    }
    text++;
  }
  words[*n] = NULL;
  return words;
}

void tool_words_free(char **words) { free(words); }
