/* SPDX-License-Identifier: MIT */
/* The text's tokens, as Python's: names, numbers, operators. */
#ifndef GA_CODEGEN_LEX_H
#define GA_CODEGEN_LEX_H

#include "ast.h"

enum ga_token_kind { GA_TOK_END, GA_TOK_NAME, GA_TOK_NUMBER, GA_TOK_OP };

/* An operator of one or two or three characters, as one number. */
#define GA_TOK2(a, b)    ((a) | (b) << 8)
#define GA_TOK3(a, b, c) ((a) | (b) << 8 | (c) << 16)

typedef struct ga_token {
  enum ga_token_kind kind;
  int op; /* OP; a newline outside brackets is ';' */
  size_t at, len;
  ga_number number; /* NUMBER */
} ga_token;

typedef struct ga_lexer {
  const char *text;
  size_t at;
  unsigned int brackets; /* open ones; kept by the parser */
} ga_lexer;

/* GA_VALUE_ERROR with a caret for what is no token. */
int ga_lex(ga_token *t, ga_lexer *l);

/* lex_number.c: the number at l->at. */
int ga_lex_number(ga_token *t, ga_lexer *l);

#endif
