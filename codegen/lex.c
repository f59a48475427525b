/* SPDX-License-Identifier: MIT */
/* Text to tokens (lex.h): blanks and comments skipped, names, operators. What
 * people write from other languages' habit is refused with what to write. */
#include "lex.h"

#include <string.h>

#include "caret.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(ga_lexer *l)
{
  for (;;) {
    char c = l->text[l->at];
    if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && l->brackets > 0)) {
      l->at++;
    } else if (c == '\\' && l->text[l->at + 1] == '\n') {
      l->at += 2;
    } else if (c == '#') {
      while (l->text[l->at] != '\0' && l->text[l->at] != '\n') l->at++;
    } else {
      return;
    }
  }
}

/* Spellings that are no operators here, and what to write instead. */
static const struct wrong {
  const char *spelling, *instead;
} wrongs[] = {
    {"===", "'===' is no operator; write '=='"},
    {"<>", "'<>' is no operator; write '!='"},
    {"&&", "'&&' is no operator; write '&' between bools, or logical_and(x, y)"},
    {"||", "'||' is no operator; write '|' between bools, or logical_or(x, y)"},
    {"->", "'->' is no operator here"},
    {":=", "':=' is no operator here; write a statement: name = ...; ..."},
    {"**=", "'**=' is no operator here; write name = name ** ..."},
    {"//=", "'//=' is no operator here; write name = name // ..."},
    {"<<=", "'<<=' is no operator here; write name = name << ..."},
    {">>=", "'>>=' is no operator here; write name = name >> ..."},
    {"+=", "'+=' is no operator here; write name = name + ..."},
    {"-=", "'-=' is no operator here; write name = name - ..."},
    {"*=", "'*=' is no operator here; write name = name * ..."},
    {"/=", "'/=' is no operator here; write name = name / ..."},
    {"%=", "'%=' is no operator here; write name = name % ..."},
    {"&=", "'&=' is no operator here; write name = name & ..."},
    {"|=", "'|=' is no operator here; write name = name | ..."},
    {"^=", "'^=' is no operator here; write name = name ^ ..."},
    {"?", "'?' is no operator here; write where(condition, x, y)"},
    {"\"", "text strings have no place in an expression"},
    {"'", "text strings have no place in an expression"},
    {"{", "braces have no place in an expression"},
    {"}", "braces have no place in an expression"},
    {"`", "no operator"},
    {"$", "no operator"},
};

/* The longest first. */
static const char *const operators[] = {"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+",
                                        "-",   "*",  "/",  "%",  "@",  "&",  "|",  "^",  "~",  "<",
                                        ">",   "(",  ")",  "[",  "]",  ",",  ":",  ".",  "=",  ";"};

static int lex_operator(ga_token *t, ga_lexer *l)
{
  const char *s = l->text + l->at;
  for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++)
    if (strncmp(s, wrongs[i].spelling, strlen(wrongs[i].spelling)) == 0)
      return ga_caret(GA_VALUE_ERROR, l->text, l->at, "%s", wrongs[i].instead);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    size_t n = strlen(operators[i]);
    if (strncmp(s, operators[i], n) != 0) continue;
    t->kind = GA_TOK_OP;
    t->op = 0;
    for (size_t k = 0; k < n; k++) t->op |= operators[i][k] << 8 * k;
    t->len = n;
    l->at += n;
    return GA_NO_ERROR;
  }
  if (*s == '!')
    return ga_caret(GA_VALUE_ERROR, l->text, l->at,
                    "'!' is no operator; write ~ before a bool, or logical_not(x)");
  if ((unsigned char)*s >= 128)
    return ga_caret(GA_VALUE_ERROR, l->text, l->at,
                    "a character outside ASCII; names are letters, digits and _");
  if ((unsigned char)*s < 32 || *s == 127)
    return ga_caret(GA_VALUE_ERROR, l->text, l->at, "a control character, code %d",
                    (unsigned char)*s);
  return ga_caret(GA_VALUE_ERROR, l->text, l->at, "unexpected '%c'", *s);
}

/* Words of Python that are no names here. */
static const struct word {
  const char *word, *instead;
} words[] = {
    {"and", "'and' does not work on arrays; write '&' between bools, or logical_and(x, y)"},
    {"or", "'or' does not work on arrays; write '|' between bools, or logical_or(x, y)"},
    {"not", "'not' does not work on arrays; write '~' before a bool, or logical_not(x)"},
    {"if", "'if' does not work on arrays; write where(condition, x, y)"},
    {"else", "'else' does not work on arrays; write where(condition, x, y)"},
    {"in", "'in' does not work on arrays; write any(x == y)"},
    {"is", "'is' does not work on arrays; write '=='"},
    {"lambda", "an expression has no functions of its own"},
    {"for", "an expression has no loops; it works on whole arrays"},
    {"while", "an expression has no loops; it works on whole arrays"},
    {"def", "an expression has no functions of its own"},
    {"return", "the value is the last statement's: leave out 'return'"},
    {"import", "NumPy's functions are known by name: leave out 'import'"},
};

static int lex_name(ga_token *t, ga_lexer *l)
{
  const char *s = l->text + l->at;
  t->kind = GA_TOK_NAME;
  while (is_letter(s[t->len]) || is_digit(s[t->len])) t->len++;
  l->at += t->len;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == t->len && memcmp(words[i].word, s, t->len) == 0)
      return ga_caret(GA_VALUE_ERROR, l->text, t->at, "%s", words[i].instead);
  return GA_NO_ERROR;
}

int ga_lex(ga_token *t, ga_lexer *l)
{
  skip_blanks(l);
  const char *s = l->text + l->at;
  memset(t, 0, sizeof *t);
  t->at = l->at;
  if (*s == '\0') return GA_NO_ERROR; /* GA_TOK_END */
  if (*s == '\n') {
    t->kind = GA_TOK_OP;
    t->op = ';';
    t->len = 1;
    l->at++;
    return GA_NO_ERROR;
  }
  if (is_digit(*s) || (*s == '.' && is_digit(s[1]))) return ga_lex_number(t, l);
  return is_letter(*s) ? lex_name(t, l) : lex_operator(t, l);
}
