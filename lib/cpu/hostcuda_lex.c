/* SPDX-License-Identifier: MIT */
/* Preprocessed C++ to tokens. Each knows its file and line, from the markers that
 * the preprocessor leaves (# 12 "file"). Other directives are passed over, and so
 * reach the compiler as they are. Operators are single characters but for those
 * that must not be split (-> and ::): brackets are all that matters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hostcuda_text.h"

typedef struct lexer {
  ga_hc_text *t;
  const char *p, *folder;
  unsigned int line, file, cap;
  int failed;
} lexer;

int ga_hc_is(const ga_hc_token *t, const char *word)
{
  return strncmp(t->s, word, t->n) == 0 && word[t->n] == '\0' && t->kind != GA_HC_STRING;
}

/* The number of file `name` (n characters, as the marker has it). */
static unsigned int file_number(lexer *l, const char *name, size_t n)
{
  ga_hc_text *t = l->t;
  size_t prefix = strlen(l->folder);
  int user = n > prefix + 1 && memcmp(name, l->folder, prefix) == 0 && name[prefix] == '/';
  if (user) {
    name += prefix + 1;
    n -= prefix + 1;
  }
  if (n >= 7 && memcmp(name, "system/", 7) == 0) user = 0;
  for (unsigned int i = 0; i < t->nfile; i++)
    if (strlen(t->files[i].name) == n && memcmp(t->files[i].name, name, n) == 0) return i;
  ga_hc_file *files = realloc(t->files, (t->nfile + 1) * sizeof *files);
  if (files != NULL) t->files = files;
  char *copy = files != NULL ? strndup(name, n) : NULL;
  if (copy == NULL) {
    l->failed = 1;
    return 0;
  }
  files[t->nfile].name = copy;
  files[t->nfile].user = user;
  return t->nfile++;
}

/* A line that begins with #: a marker sets line and file. */
static void directive(lexer *l)
{
  const char *p = l->p + 1, *end = strchr(l->p, '\n');
  if (end == NULL) end = l->p + strlen(l->p);
  while (*p == ' ') p++;
  if (strncmp(p, "line ", 5) == 0) p += 5;
  if (isdigit((unsigned char)*p)) {
    unsigned long line = strtoul(p, NULL, 10);
    const char *open = memchr(p, '"', (size_t)(end - p));
    const char *close = open != NULL ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    if (close != NULL) {
      l->file = file_number(l, open + 1, (size_t)(close - open - 1));
      l->line = (unsigned int)line - 1; /* the newline that follows counts */
    }
  }
  l->p = end;
}

static void add(lexer *l, int kind, const char *s, const char *end)
{
  ga_hc_text *t = l->t;
  if (t->ntok == l->cap) {
    unsigned int cap = l->cap != 0 ? 2 * l->cap : 4096;
    ga_hc_token *tok = realloc(t->tok, cap * sizeof *tok);
    if (tok == NULL) {
      l->failed = 1;
      return;
    }
    t->tok = tok;
    l->cap = cap;
  }
  t->tok[t->ntok++] = (ga_hc_token){s, (unsigned int)(end - s), l->line, (unsigned short)l->file,
                                    (unsigned char)kind};
}

/* Behind the string or character whose opening quote is at p. */
static const char *skip_quoted(const char *p)
{
  const char quote = *p++;
  while (*p != '\0' && *p != quote && *p != '\n') p += *p == '\\' && p[1] != '\0' ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

/* Behind R"x(...)x" whose quote is at p; counts the lines in it. */
static const char *skip_raw(lexer *l, const char *p)
{
  char close[20] = ")";
  size_t n = strcspn(p + 1, "(");
  if (n > 16) return skip_quoted(p);
  memcpy(close + 1, p + 1, n);
  close[n + 1] = '"';
  const char *end = strstr(p, close);
  end = end != NULL ? end + n + 2 : p + strlen(p);
  for (; p < end; p++) l->line += *p == '\n';
  return end;
}

static int is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static void word(lexer *l)
{
  const char *s = l->p, *p = s;
  unsigned int line = l->line;
  while (is_name(*p) || (unsigned char)*p >= 0x80) p++;
  if (*p == '"' && p - s <= 3 && p[-1] == 'R') {
    l->p = skip_raw(l, p);
    add(l, GA_HC_STRING, s, l->p);
    if (!l->failed) l->t->tok[l->t->ntok - 1].line = line;
    return;
  }
  if ((*p == '"' || *p == '\'') && p - s <= 2 && strchr("uUL", *s) != NULL) {
    l->p = skip_quoted(p);
    add(l, GA_HC_STRING, s, l->p);
    return;
  }
  l->p = p;
  add(l, GA_HC_NAME, s, p);
}

static void number(lexer *l)
{
  const char *s = l->p, *p = s;
  while (is_name(*p) || *p == '.' || (*p == '\'' && is_name(p[1])) ||
         ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]) != NULL &&
          !(s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && strchr("eE", p[-1]) != NULL)))
    p++;
  l->p = p;
  add(l, GA_HC_NUMBER, s, p);
}

int ga_hc_lex(ga_hc_text *t, const char *folder)
{
  lexer l = {.t = t, .p = t->text, .folder = folder, .line = 1};
  int fresh = 1; /* nothing but blanks on this line so far */
  l.file = file_number(&l, "?", 1);
  while (*l.p != '\0' && !l.failed) {
    char c = *l.p;
    if (c == '\n') {
      l.line++;
      l.p++;
      fresh = 1;
    } else if (isspace((unsigned char)c)) {
      l.p++;
    } else if (c == '#' && fresh) {
      directive(&l);
    } else {
      fresh = 0;
      if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)l.p[1]))) {
        number(&l);
      } else if (is_name(c) || (unsigned char)c >= 0x80) {
        word(&l);
      } else if (c == '"' || c == '\'') {
        const char *s = l.p;
        l.p = skip_quoted(s);
        add(&l, GA_HC_STRING, s, l.p);
      } else {
        int two = (c == ':' && l.p[1] == ':') || (c == '-' && l.p[1] == '>');
        l.p += 1 + two;
        add(&l, GA_HC_PUNCT, l.p - 1 - two, l.p);
      }
    }
  }
  /* Several, so that a step past an unclosed bracket stays inside. */
  for (int i = 0; i < 4; i++) add(&l, GA_HC_END, l.p, l.p);
  return l.failed ? ga_error_memory("compile", t->ntok * sizeof *t->tok) : GA_NO_ERROR;
}
