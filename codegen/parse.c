/* SPDX-License-Identifier: MIT */
/* Text to tree: Python's grammar of expressions, by precedence climbing.
 *
 *   text       = statement { ";" statement }
 *   statement  = [ NAME "=" ] expression
 *   expression = factor { OPERATOR factor }       by the table below
 *   factor     = ("-" | "+" | "~") factor | primary [ "**" factor ]
 *   primary    = atom { "[" item { "," item } "]" | "." NAME [ "(" arguments ")" ] }
 *   atom       = NUMBER | name | function "(" arguments ")" | "(" expression ")" | tuple
 *   name       = [ ( "np" | "numpy" | "linalg" ) "." [ "linalg" "." ] ] NAME
 *   function   = name [ ".reduce" | ".accumulate" ]
 *
 * Nodes are added after their kids, which makes the array post-ordered. Only
 * brackets, unary operators and ** recurse, to GA_MAXDEPTH at most. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "caret.h"
#include "parse.h"

/* Binary operators; a higher level binds closer. ** is factor()'s. */
static const struct binary {
  int tok, level, op;
} binaries[] = {
    {'<', 1, GA_OP_less},
    {'>', 1, GA_OP_greater},
    {GA_TOK2('<', '='), 1, GA_OP_less_equal},
    {GA_TOK2('>', '='), 1, GA_OP_greater_equal},
    {GA_TOK2('=', '='), 1, GA_OP_equal},
    {GA_TOK2('!', '='), 1, GA_OP_not_equal},
    {'|', 2, GA_OP_bitwise_or},
    {'^', 3, GA_OP_bitwise_xor},
    {'&', 4, GA_OP_bitwise_and},
    {GA_TOK2('<', '<'), 5, GA_OP_left_shift},
    {GA_TOK2('>', '>'), 5, GA_OP_right_shift},
    {'+', 6, GA_OP_add},
    {'-', 6, GA_OP_subtract},
    {'*', 7, GA_OP_multiply},
    {'/', 7, GA_OP_divide},
    {GA_TOK2('/', '/'), 7, GA_OP_floor_divide},
    {'%', 7, GA_OP_remainder},
};

int ga_parse_fail(ga_parser *p, const ga_token *t, const char *what)
{
  return ga_caret(GA_VALUE_ERROR, p->lex.text, t->at, "%s", what);
}

/* The token after the current one becomes the current one. */
int ga_parse_next(ga_parser *p) { return ga_lex(&p->tok, &p->lex); }

int ga_parse_expect(ga_parser *p, int op, const char *what)
{
  if (!ga_parse_is_op(p, op)) {
    if (p->tok.kind == GA_TOK_OP && p->tok.op == '=')
      return ga_parse_fail(p, &p->tok,
                           "'=' belongs to a statement (t = ...) or keyword; "
                           "to compare, write '=='");
    return ga_parse_fail(p, &p->tok, what);
  }
  return ga_parse_next(p);
}

static int enter(ga_parser *p)
{
  if (++p->depth > GA_MAXDEPTH + 1) /* the text itself is the first level */
    return ga_caret(GA_XLARGE_ERROR, p->lex.text, p->tok.at, "nested more than %d deep",
                    GA_MAXDEPTH);
  return GA_NO_ERROR;
}

/* Adds a node over kids; its number in *node. */
int ga_parse_add(ga_parser *p, int *node, const ga_ast_node *n, const int *kids, unsigned int nkid)
{
  ga_ast *t = p->ast;
  if (t->nnode >= GA_MAXAST)
    return ga_caret(GA_XLARGE_ERROR, p->lex.text, n->at,
                    "an expression of more than %d numbers, names and operators", GA_MAXAST);
  GA_TRY(ga_grow(&t->nodes, &t->cap, (size_t)t->nnode + 1, sizeof *t->nodes));
  GA_TRY(ga_grow(&t->kids, &t->kidcap, (size_t)t->nkid + nkid + 1, sizeof *t->kids));
  ga_ast_node *to = &t->nodes[t->nnode];
  *to = *n;
  to->kid = t->nkid;
  to->nkid = nkid;
  for (unsigned int i = 0; i < nkid; i++) t->kids[t->nkid++] = kids[i];
  *node = (int)t->nnode++;
  return GA_NO_ERROR;
}

int ga_parse_append(ga_kids *l, int kid)
{
  GA_TRY(ga_grow(&l->kids, &l->cap, (size_t)l->n + 1, sizeof *l->kids));
  l->kids[l->n++] = kid;
  return GA_NO_ERROR;
}

/* "(" is the current token: a value in parentheses, or a tuple. */
static int parenthesis(ga_parser *p, int *node)
{
  ga_kids l = {0};
  int err, tuple = 0;
  ga_ast_node n = {.kind = GA_AST_TUPLE, .at = p->tok.at};
  p->lex.brackets++;
  if ((err = ga_parse_next(p)) != GA_NO_ERROR) goto done;
  tuple = ga_parse_is_op(p, ')');
  while (!ga_parse_is_op(p, ')')) {
    if ((err = ga_parse_expression(p, 1, node)) != GA_NO_ERROR) goto done;
    if ((err = ga_parse_append(&l, *node)) != GA_NO_ERROR) goto done;
    if (ga_parse_is_op(p, ')')) break;
    tuple = 1;
    err = ga_parse_expect(p, ',', "expected an operator or ')' here");
    if (err != GA_NO_ERROR) goto done;
  }
  p->lex.brackets--;
  if ((err = ga_parse_next(p)) != GA_NO_ERROR) goto done;
  if (tuple) err = ga_parse_add(p, node, &n, l.kids, l.n);
done:
  free(l.kids);
  return err;
}

static int atom(ga_parser *p, int *node)
{
  ga_token t = p->tok;
  ga_ast_node n = {.kind = GA_AST_NUMBER, .at = t.at, .number = t.number};
  if (ga_parse_is_op(p, '(')) return parenthesis(p, node);
  if (t.kind == GA_TOK_END) return ga_parse_fail(p, &t, "the text ends where a value is expected");
  if (t.kind == GA_TOK_NAME) return ga_parse_name(p, node);
  if (ga_parse_is_op(p, '['))
    return ga_parse_fail(p, &t, "lists are not values here; bind an array to a name");
  if (t.kind == GA_TOK_OP) {
    if (t.op != GA_TOK3('.', '.', '.'))
      return ga_parse_fail(p, &t, "expected a number, a name or '(' here");
    n.kind = GA_AST_ELLIPSIS;
  }
  GA_TRY(ga_parse_next(p));
  return ga_parse_add(p, node, &n, NULL, 0);
}

/* One of a[item, item]. */
static int item(ga_parser *p, int *node)
{
  ga_ast_node n = {.kind = GA_AST_SLICE, .at = p->tok.at};
  int part[3] = {-1, -1, -1}, i = 0;
  for (;;) {
    if (!ga_parse_is_op(p, ':') && !ga_parse_is_op(p, ',') && !ga_parse_is_op(p, ']'))
      GA_TRY(ga_parse_expression(p, 1, &part[i]));
    if (!ga_parse_is_op(p, ':')) break;
    if (++i == 3) return ga_parse_fail(p, &p->tok, "a slice has three parts: start:stop:step");
    GA_TRY(ga_parse_next(p));
  }
  if (i == 0 && part[0] < 0) return ga_parse_fail(p, &p->tok, "expected an index here");
  if (i > 0) return ga_parse_add(p, node, &n, part, 3);
  *node = part[0];
  return GA_NO_ERROR;
}

/* "[" is the current token, *node the base. */
static int index_of(ga_parser *p, int *node)
{
  ga_kids l = {0};
  int err, it;
  ga_ast_node n = {.kind = GA_AST_INDEX, .at = p->tok.at};
  p->lex.brackets++;
  if ((err = ga_parse_append(&l, *node)) != GA_NO_ERROR) goto done;
  if ((err = ga_parse_next(p)) != GA_NO_ERROR) goto done;
  do {
    if ((err = item(p, &it)) != GA_NO_ERROR) goto done;
    if ((err = ga_parse_append(&l, it)) != GA_NO_ERROR) goto done;
    if (ga_parse_is_op(p, ']')) break;
    if ((err = ga_parse_expect(p, ',', "expected ',', ':' or ']' here")) != GA_NO_ERROR) goto done;
  } while (!ga_parse_is_op(p, ']'));
  p->lex.brackets--;
  if ((err = ga_parse_next(p)) != GA_NO_ERROR) goto done;
  err = ga_parse_add(p, node, &n, l.kids, l.n);
done:
  free(l.kids);
  return err;
}

static int primary(ga_parser *p, int *node)
{
  GA_TRY(atom(p, node));
  for (;;) {
    if (ga_parse_is_op(p, '['))
      GA_TRY(index_of(p, node));
    else if (ga_parse_is_op(p, '.'))
      GA_TRY(ga_parse_attribute(p, node));
    else
      return GA_NO_ERROR;
  }
}

static int unary_op(const ga_parser *p)
{
  if (ga_parse_is_op(p, '-')) return GA_OP_negative;
  if (ga_parse_is_op(p, '+')) return GA_OP_positive;
  if (ga_parse_is_op(p, '~')) return GA_OP_invert;
  return -1;
}

static int factor(ga_parser *p, int *node)
{
  ga_ast_node n = {.kind = GA_AST_UNARY, .op = unary_op(p), .at = p->tok.at};
  int kids[2];
  GA_TRY(enter(p));
  if (n.op >= 0) {
    GA_TRY(ga_parse_next(p));
    GA_TRY(factor(p, &kids[0]));
    GA_TRY(ga_parse_add(p, node, &n, kids, 1));
  } else {
    GA_TRY(primary(p, node));
    if (ga_parse_is_op(p, GA_TOK2('*', '*'))) {
      n.kind = GA_AST_BINARY;
      n.op = GA_OP_power;
      n.at = p->tok.at;
      kids[0] = *node;
      GA_TRY(ga_parse_next(p));
      GA_TRY(factor(p, &kids[1]));
      GA_TRY(ga_parse_add(p, node, &n, kids, 2));
    }
  }
  p->depth--;
  return GA_NO_ERROR;
}

static const struct binary *binary_here(const ga_parser *p)
{
  if (p->tok.kind != GA_TOK_OP) return NULL;
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].tok == p->tok.op) return &binaries[i];
  return NULL;
}

/* Operators of `level` and closer, from the left. */
int ga_parse_expression(ga_parser *p, int level, int *node)
{
  int compared = 0;
  GA_TRY(factor(p, node));
  for (const struct binary *b; (b = binary_here(p)) != NULL && b->level >= level;) {
    ga_ast_node n = {.kind = GA_AST_BINARY, .op = b->op, .at = p->tok.at};
    int kids[2] = {*node, -1};
    if (b->level == 1 && compared++)
      return ga_parse_fail(p, &p->tok, "comparisons do not chain; write (x < y) & (y < z)");
    GA_TRY(ga_parse_next(p));
    GA_TRY(ga_parse_expression(p, b->level + 1, &kids[1]));
    GA_TRY(ga_parse_add(p, node, &n, kids, 2));
  }
  if (ga_parse_is_op(p, '@'))
    return ga_parse_fail(p, &p->tok,
                         "matrix products are no part of an expression; call "
                         "GpuArray_rgemm or GpuArray_rgemv, or write sum(x*y, axis=...)");
  return GA_NO_ERROR;
}

static int statement(ga_parser *p)
{
  ga_token t = p->tok;
  ga_ast_node n = {.kind = GA_AST_VALUE, .at = t.at};
  int node;
  if (t.kind == GA_TOK_NAME && ga_parse_before_equals(p)) {
    n.kind = GA_AST_ASSIGN;
    n.name = ga_parse_keep(p, &t);
    if (strcmp(n.name, "True") == 0 || strcmp(n.name, "False") == 0 || strcmp(n.name, "None") == 0)
      return ga_caret(GA_VALUE_ERROR, p->lex.text, t.at, "cannot assign to %s", n.name);
    GA_TRY(ga_parse_next(p));
    GA_TRY(ga_parse_next(p));
  }
  GA_TRY(ga_parse_expression(p, 1, &node));
  if (ga_parse_is_op(p, ','))
    return ga_parse_fail(p, &p->tok,
                         "a statement has one value; write several as "
                         "x = ...; y = ...");
  if (ga_parse_is_op(p, '='))
    return ga_parse_fail(p, &p->tok, "only a name can be assigned to; to compare, write '=='");
  if (ga_parse_is_op(p, ')')) return ga_parse_fail(p, &p->tok, "')' without a '(' before it");
  if (ga_parse_is_op(p, ']')) return ga_parse_fail(p, &p->tok, "']' without a '[' before it");
  if (p->tok.kind != GA_TOK_END && !ga_parse_is_op(p, ';'))
    return ga_parse_fail(p, &p->tok, "expected an operator, ';' or the end here");
  return ga_parse_add(p, &node, &n, &node, 1);
}

static int statements(ga_parser *p)
{
  unsigned int n = 0;
  GA_TRY(ga_parse_next(p));
  while (p->tok.kind != GA_TOK_END) {
    if (ga_parse_is_op(p, ';')) {
      GA_TRY(ga_parse_next(p));
      continue;
    }
    GA_TRY(statement(p));
    n++;
  }
  if (n == 0) return ga_parse_fail(p, &p->tok, "the text is empty; expected an expression");
  return GA_NO_ERROR;
}

int ga_parse(ga_ast **ast, const char *text)
{
  ga_parser p = {0};
  size_t len;
  int err;
  if (ast == NULL) return ga_error(GA_VALUE_ERROR, "parse: the place for the result is NULL");
  *ast = NULL;
  if (text == NULL) return ga_error(GA_VALUE_ERROR, "parse: the text is NULL");
  len = strlen(text);
  if (len > GA_MAXTEXT)
    return ga_error(GA_XLARGE_ERROR, "parse: a text of %zu bytes; at most %d are read", len,
                    GA_MAXTEXT);
  p.ast = calloc(1, sizeof *p.ast);
  if (p.ast == NULL) return ga_error_memory("parse", sizeof *p.ast);
  p.ast->text = malloc(len + 1);
  p.ast->names = malloc(2 * len + 1); /* each name and its NUL */
  if (p.ast->text == NULL || p.ast->names == NULL) {
    err = ga_error_memory("parse", 3 * len);
    goto fail;
  }
  memcpy(p.ast->text, text, len + 1);
  p.lex.text = p.ast->text;
  p.name_end = p.ast->names;
  if ((err = statements(&p)) != GA_NO_ERROR) goto fail;
  *ast = p.ast;
  return GA_NO_ERROR;
fail:
  ga_ast_free(p.ast);
  return err;
}

void ga_ast_free(ga_ast *ast)
{
  if (ast == NULL) return;
  free(ast->text);
  free(ast->names);
  free(ast->nodes);
  free(ast->kids);
  free(ast);
}
