/* SPDX-License-Identifier: MIT */
/* Names, and what is written with them: calls with their arguments, methods and attributes, ufuncs'
 * methods, NumPy's modules before a name (the grammar is parse.c's). */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "parse.h"

/* Without the blanks that may stand around a method's dot. */
const char *ga_parse_keep(ga_parser *p, const ga_token *t)
{
  char *s = p->name_end;
  for (size_t i = 0; i < t->len; i++)
    if (strchr(" \t\r\n", p->lex.text[t->at + i]) == NULL) *p->name_end++ = p->lex.text[t->at + i];
  *p->name_end++ = '\0';
  return s;
}

/* Whether what follows the current name is a single '=': a keyword or an
 * assignment. */
int ga_parse_before_equals(const ga_parser *p)
{
  ga_lexer l = p->lex;
  const char *s = l.text + l.at;
  while (*s == ' ' || *s == '\t') s++;
  return *s == '=' && s[1] != '=';
}

static int argument(ga_parser *p, ga_kids *l, int *keyword)
{
  int node;
  if (p->tok.kind == GA_TOK_NAME && ga_parse_before_equals(p)) {
    ga_ast_node n = {.kind = GA_AST_KEYWORD, .at = p->tok.at, .name = ga_parse_keep(p, &p->tok)};
    GA_TRY(ga_parse_next(p));
    GA_TRY(ga_parse_next(p));
    GA_TRY(ga_parse_expression(p, 1, &node));
    GA_TRY(ga_parse_add(p, &node, &n, &node, 1));
    *keyword = 1;
    return ga_parse_append(l, node);
  }
  if (ga_parse_is_op(p, '*') || ga_parse_is_op(p, GA_TOK2('*', '*')))
    return ga_parse_fail(p, &p->tok, "arguments are not unpacked; write them out");
  if (*keyword) return ga_parse_fail(p, &p->tok, "an argument by position after one by keyword");
  GA_TRY(ga_parse_expression(p, 1, &node));
  return ga_parse_append(l, node);
}

/* Name and "(" are read; the current token is what follows "(". */
static int arguments(ga_parser *p, ga_kids *l)
{
  int keyword = 0;
  while (!ga_parse_is_op(p, ')')) {
    GA_TRY(argument(p, l, &keyword));
    if (ga_parse_is_op(p, ')')) break;
    GA_TRY(ga_parse_expect(p, ',', "expected an operator, ',' or ')' here"));
  }
  p->lex.brackets--;
  return ga_parse_next(p);
}

/* "(" is the current token. Of a method the value before the dot is `self`, else -1. */
static int call(ga_parser *p, const ga_token *name, const char *module, int self, int *node)
{
  ga_kids l = {0};
  ga_ast_node n = {.kind = GA_AST_CALL,
                   .op = self >= 0,
                   .at = name->at,
                   .name = ga_parse_keep(p, name),
                   .module = module};
  int err = self >= 0 ? ga_parse_append(&l, self) : GA_NO_ERROR;
  p->lex.brackets++;
  if (err == GA_NO_ERROR) err = ga_parse_next(p);
  if (err == GA_NO_ERROR) err = arguments(p, &l);
  if (err == GA_NO_ERROR) err = ga_parse_add(p, node, &n, l.kids, l.n);
  free(l.kids);
  return err;
}

/* Whether the current token is the dot of a ufunc's method, which is *m. */
static int before_method(const ga_parser *p, ga_token *m)
{
  static const char *const methods[] = {"accumulate", "reduce"};
  ga_lexer l = p->lex;
  if (!ga_parse_is_op(p, '.') || ga_lex(m, &l) != GA_NO_ERROR || m->kind != GA_TOK_NAME) return 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strlen(methods[i]) == m->len && memcmp(methods[i], l.text + m->at, m->len) == 0) return 1;
  return 0;
}

/* add.reduce(...): the current token is the dot. */
static int method_call(ga_parser *p, const ga_token *ufunc, const char *module,
                       const ga_token *method, int *node)
{
  ga_token name = *ufunc;
  name.len = method->at + method->len - ufunc->at;
  GA_TRY(ga_parse_next(p));
  GA_TRY(ga_parse_next(p));
  if (!ga_parse_is_op(p, '('))
    return ga_parse_fail(p, &p->tok, "expected '(' here: add.reduce(x), add.accumulate(x)");
  return call(p, &name, module, -1, node);
}

/* Where NumPy keeps its functions; NULL: *t is none of these. Within a module: linalg alone. */
static const char *module_named(const ga_parser *p, const ga_token *t, int within)
{
  static const char *const modules[] = {"linalg", "np", "numpy"};
  for (size_t i = 0; i < (within ? 1 : sizeof modules / sizeof *modules); i++)
    if (strlen(modules[i]) == t->len && memcmp(modules[i], p->lex.text + t->at, t->len) == 0)
      return modules[i];
  return NULL;
}

/* Name *t is read; where it and a dot are a module's, *t becomes the name after them. */
static int after_modules(ga_parser *p, ga_token *t, const char **module)
{
  const char *m;
  *module = NULL;
  for (int i = 0; i < 2 && ga_parse_is_op(p, '.') && (m = module_named(p, t, i)) != NULL; i++) {
    if (i == 0) *module = m;
    GA_TRY(ga_parse_next(p));
    if (p->tok.kind != GA_TOK_NAME)
      return ga_parse_fail(p, &p->tok, "expected a name of NumPy's here");
    *t = p->tok;
    GA_TRY(ga_parse_next(p));
  }
  return GA_NO_ERROR;
}

int ga_parse_name(ga_parser *p, int *node)
{
  ga_token t = p->tok, method;
  ga_ast_node n = {.kind = GA_AST_NAME};
  GA_TRY(ga_parse_next(p));
  GA_TRY(after_modules(p, &t, &n.module));
  const char *s = p->lex.text + t.at;
  n.at = t.at;
  if (n.module == NULL) {
    n.number.kind = GA_NUM_BOOL;
    if (t.len == 4 && memcmp(s, "None", 4) == 0) n.kind = GA_AST_NONE;
    if (t.len == 4 && memcmp(s, "True", 4) == 0) n.kind = GA_AST_NUMBER, n.number.i = 1;
    if (t.len == 5 && memcmp(s, "False", 5) == 0) n.kind = GA_AST_NUMBER;
  }
  if (n.kind != GA_AST_NAME) return ga_parse_add(p, node, &n, NULL, 0);
  if (ga_parse_is_op(p, '(')) return call(p, &t, n.module, -1, node);
  if (before_method(p, &method)) return method_call(p, &t, n.module, &method, node);
  n.name = ga_parse_keep(p, &t);
  return ga_parse_add(p, node, &n, NULL, 0);
}

/* What follows a value: .T, .sum(axis=1). */
int ga_parse_attribute(ga_parser *p, int *node)
{
  ga_token dot = p->tok, name;
  GA_TRY(ga_parse_next(p));
  name = p->tok;
  if (name.kind != GA_TOK_NAME) return ga_parse_fail(p, &name, "expected a name after the '.'");
  GA_TRY(ga_parse_next(p));
  if (ga_parse_is_op(p, '(')) return call(p, &name, NULL, *node, node);
  ga_ast_node n = {.kind = GA_AST_ATTRIBUTE, .at = dot.at, .name = ga_parse_keep(p, &name)};
  return ga_parse_add(p, node, &n, node, 1);
}
