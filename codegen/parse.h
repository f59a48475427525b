/* SPDX-License-Identifier: MIT */
/* The parser's state, and the steps that parse.c and parse_name.c share. */
#ifndef GA_CODEGEN_PARSE_H
#define GA_CODEGEN_PARSE_H

#include "lex.h"

typedef struct ga_parser {
  ga_lexer lex;
  ga_token tok;
  ga_ast *ast;
  char *name_end;
  unsigned int depth;
} ga_parser;

/* A growing list of kids, for calls, tuples and indices. */
typedef struct ga_kids {
  int *kids;
  unsigned int n, cap;
} ga_kids;

static inline int ga_parse_is_op(const ga_parser *p, int op)
{
  return p->tok.kind == GA_TOK_OP && p->tok.op == op;
}

/* parse.c: GA_VALUE_ERROR with a caret under *t; */
int ga_parse_fail(ga_parser *p, const ga_token *t, const char *what);
/* the token after the current one becomes the current one; */
int ga_parse_next(ga_parser *p);
/* the same, if the current one is operator `op`, else the message `what`; */
int ga_parse_expect(ga_parser *p, int op, const char *what);
/* adds a node over kids, its number in *node; */
int ga_parse_add(ga_parser *p, int *node, const ga_ast_node *n, const int *kids, unsigned int nkid);
int ga_parse_append(ga_kids *l, int kid);
/* an expression of operators of `level` and closer. */
int ga_parse_expression(ga_parser *p, int level, int *node);

/* parse_name.c: name *t in the tree's storage, without the blanks that may stand around a dot; */
const char *ga_parse_keep(ga_parser *p, const ga_token *t);
/* whether what follows the current name is a single '=': a keyword or an assignment; */
int ga_parse_before_equals(const ga_parser *p);
/* what begins with a name: the name, a number, or a call; */
int ga_parse_name(ga_parser *p, int *node);
/* what follows a value behind a dot: .T, .sum(axis=1). */
int ga_parse_attribute(ga_parser *p, int *node);

#endif
