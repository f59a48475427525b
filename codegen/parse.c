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

#include "ast.h"
#include "arena.h"
#include "caret.h"
#include "lex.h"

typedef struct parser {
  ga_lexer lex;
  ga_token tok;
  ga_ast *ast;
  char *name_end;
  unsigned int depth;
} parser;

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

static int expression(parser *p, int level, int *node);

static int fail(parser *p, const ga_token *t, const char *what)
{
  return ga_caret(GA_VALUE_ERROR, p->lex.text, t->at, "%s", what);
}

static int is_op(const parser *p, int op) { return p->tok.kind == GA_TOK_OP && p->tok.op == op; }

/* The token after the current one becomes the current one. */
static int next(parser *p) { return ga_lex(&p->tok, &p->lex); }

static int expect(parser *p, int op, const char *what)
{
  if (!is_op(p, op)) {
    if (p->tok.kind == GA_TOK_OP && p->tok.op == '=')
      return fail(p, &p->tok,
                  "'=' belongs to a statement (t = ...) or keyword; "
                  "to compare, write '=='");
    return fail(p, &p->tok, what);
  }
  return next(p);
}

static int enter(parser *p)
{
  if (++p->depth > GA_MAXDEPTH + 1) /* the text itself is the first level */
    return ga_caret(GA_XLARGE_ERROR, p->lex.text, p->tok.at, "nested more than %d deep",
                    GA_MAXDEPTH);
  return GA_NO_ERROR;
}

/* Adds a node over kids; its number in *node. */
static int add(parser *p, int *node, const ga_ast_node *n, const int *kids, unsigned int nkid)
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

/* Without the blanks that may stand around a method's dot. */
static const char *keep_name(parser *p, const ga_token *t)
{
  char *s = p->name_end;
  for (size_t i = 0; i < t->len; i++)
    if (strchr(" \t\r\n", p->lex.text[t->at + i]) == NULL) *p->name_end++ = p->lex.text[t->at + i];
  *p->name_end++ = '\0';
  return s;
}

/* A growing list of kids, for calls, tuples and indices. */
typedef struct list {
  int *kids;
  unsigned int n, cap;
} list;

static int append(list *l, int kid)
{
  GA_TRY(ga_grow(&l->kids, &l->cap, (size_t)l->n + 1, sizeof *l->kids));
  l->kids[l->n++] = kid;
  return GA_NO_ERROR;
}

/* Whether what follows the current name is a single '=': a keyword or an
 * assignment. */
static int before_equals(const parser *p)
{
  ga_lexer l = p->lex;
  const char *s = l.text + l.at;
  while (*s == ' ' || *s == '\t') s++;
  return *s == '=' && s[1] != '=';
}

static int argument(parser *p, list *l, int *keyword)
{
  int node;
  if (p->tok.kind == GA_TOK_NAME && before_equals(p)) {
    ga_ast_node n = {GA_AST_KEYWORD, 0, p->tok.at, 0, 0, keep_name(p, &p->tok), {0}, NULL};
    GA_TRY(next(p));
    GA_TRY(next(p));
    GA_TRY(expression(p, 1, &node));
    GA_TRY(add(p, &node, &n, &node, 1));
    *keyword = 1;
    return append(l, node);
  }
  if (is_op(p, '*') || is_op(p, GA_TOK2('*', '*')))
    return fail(p, &p->tok, "arguments are not unpacked; write them out");
  if (*keyword) return fail(p, &p->tok, "an argument by position after one by keyword");
  GA_TRY(expression(p, 1, &node));
  return append(l, node);
}

/* Name and "(" are read; the current token is what follows "(". */
static int arguments(parser *p, list *l)
{
  int keyword = 0;
  while (!is_op(p, ')')) {
    GA_TRY(argument(p, l, &keyword));
    if (is_op(p, ')')) break;
    GA_TRY(expect(p, ',', "expected an operator, ',' or ')' here"));
  }
  p->lex.brackets--;
  return next(p);
}

/* "(" is the current token. Of a method the value before the dot is `self`, else -1. */
static int call(parser *p, const ga_token *name, const char *module, int self, int *node)
{
  list l = {0};
  ga_ast_node n = {GA_AST_CALL, self >= 0, name->at, 0, 0, keep_name(p, name), {0}, module};
  int err = self >= 0 ? append(&l, self) : GA_NO_ERROR;
  p->lex.brackets++;
  if (err == GA_NO_ERROR) err = next(p);
  if (err == GA_NO_ERROR) err = arguments(p, &l);
  if (err == GA_NO_ERROR) err = add(p, node, &n, l.kids, l.n);
  free(l.kids);
  return err;
}

/* "(" is the current token: a value in parentheses, or a tuple. */
static int parenthesis(parser *p, int *node)
{
  list l = {0};
  int err, tuple = 0;
  ga_ast_node n = {GA_AST_TUPLE, 0, p->tok.at, 0, 0, NULL, {0}, NULL};
  p->lex.brackets++;
  if ((err = next(p)) != GA_NO_ERROR) goto done;
  tuple = is_op(p, ')');
  while (!is_op(p, ')')) {
    if ((err = expression(p, 1, node)) != GA_NO_ERROR) goto done;
    if ((err = append(&l, *node)) != GA_NO_ERROR) goto done;
    if (is_op(p, ')')) break;
    tuple = 1;
    err = expect(p, ',', "expected an operator or ')' here");
    if (err != GA_NO_ERROR) goto done;
  }
  p->lex.brackets--;
  if ((err = next(p)) != GA_NO_ERROR) goto done;
  if (tuple) err = add(p, node, &n, l.kids, l.n);
done:
  free(l.kids);
  return err;
}

/* Whether the current token is the dot of a ufunc's method, which is *m. */
static int before_method(const parser *p, ga_token *m)
{
  static const char *const methods[] = {"accumulate", "reduce"};
  ga_lexer l = p->lex;
  if (!is_op(p, '.') || ga_lex(m, &l) != GA_NO_ERROR || m->kind != GA_TOK_NAME) return 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strlen(methods[i]) == m->len && memcmp(methods[i], l.text + m->at, m->len) == 0) return 1;
  return 0;
}

/* add.reduce(...): the current token is the dot. */
static int method_call(parser *p, const ga_token *ufunc, const char *module, const ga_token *method,
                       int *node)
{
  ga_token name = *ufunc;
  name.len = method->at + method->len - ufunc->at;
  GA_TRY(next(p));
  GA_TRY(next(p));
  if (!is_op(p, '('))
    return fail(p, &p->tok, "expected '(' here: add.reduce(x), add.accumulate(x)");
  return call(p, &name, module, -1, node);
}

/* Where NumPy keeps its functions; NULL: *t is none of these. Within a module: linalg alone. */
static const char *module_named(const parser *p, const ga_token *t, int within)
{
  static const char *const modules[] = {"linalg", "np", "numpy"};
  for (size_t i = 0; i < (within ? 1 : sizeof modules / sizeof *modules); i++)
    if (strlen(modules[i]) == t->len && memcmp(modules[i], p->lex.text + t->at, t->len) == 0)
      return modules[i];
  return NULL;
}

/* Name *t is read; where it and a dot are a module's, *t becomes the name after them. */
static int after_modules(parser *p, ga_token *t, const char **module)
{
  const char *m;
  *module = NULL;
  for (int i = 0; i < 2 && is_op(p, '.') && (m = module_named(p, t, i)) != NULL; i++) {
    if (i == 0) *module = m;
    GA_TRY(next(p));
    if (p->tok.kind != GA_TOK_NAME) return fail(p, &p->tok, "expected a name of NumPy's here");
    *t = p->tok;
    GA_TRY(next(p));
  }
  return GA_NO_ERROR;
}

static int name(parser *p, int *node)
{
  ga_token t = p->tok, method;
  ga_ast_node n = {GA_AST_NAME, 0, 0, 0, 0, NULL, {0}, NULL};
  GA_TRY(next(p));
  GA_TRY(after_modules(p, &t, &n.module));
  const char *s = p->lex.text + t.at;
  n.at = t.at;
  if (n.module == NULL) {
    n.number.kind = GA_NUM_BOOL;
    if (t.len == 4 && memcmp(s, "None", 4) == 0) n.kind = GA_AST_NONE;
    if (t.len == 4 && memcmp(s, "True", 4) == 0) n.kind = GA_AST_NUMBER, n.number.i = 1;
    if (t.len == 5 && memcmp(s, "False", 5) == 0) n.kind = GA_AST_NUMBER;
  }
  if (n.kind != GA_AST_NAME) return add(p, node, &n, NULL, 0);
  if (is_op(p, '(')) return call(p, &t, n.module, -1, node);
  if (before_method(p, &method)) return method_call(p, &t, n.module, &method, node);
  n.name = keep_name(p, &t);
  return add(p, node, &n, NULL, 0);
}

static int atom(parser *p, int *node)
{
  ga_token t = p->tok;
  ga_ast_node n = {GA_AST_NUMBER, 0, t.at, 0, 0, NULL, t.number, NULL};
  if (is_op(p, '(')) return parenthesis(p, node);
  if (t.kind == GA_TOK_END) return fail(p, &t, "the text ends where a value is expected");
  if (t.kind == GA_TOK_NAME) return name(p, node);
  if (is_op(p, '[')) return fail(p, &t, "lists are not values here; bind an array to a name");
  if (t.kind == GA_TOK_OP) {
    if (t.op != GA_TOK3('.', '.', '.')) return fail(p, &t, "expected a number, a name or '(' here");
    n.kind = GA_AST_ELLIPSIS;
  }
  GA_TRY(next(p));
  return add(p, node, &n, NULL, 0);
}

/* One of a[item, item]. */
static int item(parser *p, int *node)
{
  ga_ast_node n = {GA_AST_SLICE, 0, p->tok.at, 0, 0, NULL, {0}, NULL};
  int part[3] = {-1, -1, -1}, i = 0;
  for (;;) {
    if (!is_op(p, ':') && !is_op(p, ',') && !is_op(p, ']')) GA_TRY(expression(p, 1, &part[i]));
    if (!is_op(p, ':')) break;
    if (++i == 3) return fail(p, &p->tok, "a slice has three parts: start:stop:step");
    GA_TRY(next(p));
  }
  if (i == 0 && part[0] < 0) return fail(p, &p->tok, "expected an index here");
  if (i > 0) return add(p, node, &n, part, 3);
  *node = part[0];
  return GA_NO_ERROR;
}

/* "[" is the current token, *node the base. */
static int index_of(parser *p, int *node)
{
  list l = {0};
  int err, it;
  ga_ast_node n = {GA_AST_INDEX, 0, p->tok.at, 0, 0, NULL, {0}, NULL};
  p->lex.brackets++;
  if ((err = append(&l, *node)) != GA_NO_ERROR) goto done;
  if ((err = next(p)) != GA_NO_ERROR) goto done;
  do {
    if ((err = item(p, &it)) != GA_NO_ERROR) goto done;
    if ((err = append(&l, it)) != GA_NO_ERROR) goto done;
    if (is_op(p, ']')) break;
    if ((err = expect(p, ',', "expected ',', ':' or ']' here")) != GA_NO_ERROR) goto done;
  } while (!is_op(p, ']'));
  p->lex.brackets--;
  if ((err = next(p)) != GA_NO_ERROR) goto done;
  err = add(p, node, &n, l.kids, l.n);
done:
  free(l.kids);
  return err;
}

/* What follows a value: .T, .sum(axis=1). */
static int attribute(parser *p, int *node)
{
  ga_token dot = p->tok, name;
  GA_TRY(next(p));
  name = p->tok;
  if (name.kind != GA_TOK_NAME) return fail(p, &name, "expected a name after the '.'");
  GA_TRY(next(p));
  if (is_op(p, '(')) return call(p, &name, NULL, *node, node);
  ga_ast_node n = {GA_AST_ATTRIBUTE, 0, dot.at, 0, 0, keep_name(p, &name), {0}, NULL};
  return add(p, node, &n, node, 1);
}

static int primary(parser *p, int *node)
{
  GA_TRY(atom(p, node));
  for (;;) {
    if (is_op(p, '['))
      GA_TRY(index_of(p, node));
    else if (is_op(p, '.'))
      GA_TRY(attribute(p, node));
    else
      return GA_NO_ERROR;
  }
}

static int unary_op(const parser *p)
{
  if (is_op(p, '-')) return GA_OP_negative;
  if (is_op(p, '+')) return GA_OP_positive;
  if (is_op(p, '~')) return GA_OP_invert;
  return -1;
}

static int factor(parser *p, int *node)
{
  ga_ast_node n = {GA_AST_UNARY, unary_op(p), p->tok.at, 0, 0, NULL, {0}, NULL};
  int kids[2];
  GA_TRY(enter(p));
  if (n.op >= 0) {
    GA_TRY(next(p));
    GA_TRY(factor(p, &kids[0]));
    GA_TRY(add(p, node, &n, kids, 1));
  } else {
    GA_TRY(primary(p, node));
    if (is_op(p, GA_TOK2('*', '*'))) {
      n.kind = GA_AST_BINARY;
      n.op = GA_OP_power;
      n.at = p->tok.at;
      kids[0] = *node;
      GA_TRY(next(p));
      GA_TRY(factor(p, &kids[1]));
      GA_TRY(add(p, node, &n, kids, 2));
    }
  }
  p->depth--;
  return GA_NO_ERROR;
}

static const struct binary *binary_here(const parser *p)
{
  if (p->tok.kind != GA_TOK_OP) return NULL;
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].tok == p->tok.op) return &binaries[i];
  return NULL;
}

/* Operators of `level` and closer, from the left. */
static int expression(parser *p, int level, int *node)
{
  int compared = 0;
  GA_TRY(factor(p, node));
  for (const struct binary *b; (b = binary_here(p)) != NULL && b->level >= level;) {
    ga_ast_node n = {GA_AST_BINARY, b->op, p->tok.at, 0, 0, NULL, {0}, NULL};
    int kids[2] = {*node, -1};
    if (b->level == 1 && compared++)
      return fail(p, &p->tok, "comparisons do not chain; write (x < y) & (y < z)");
    GA_TRY(next(p));
    GA_TRY(expression(p, b->level + 1, &kids[1]));
    GA_TRY(add(p, node, &n, kids, 2));
  }
  if (is_op(p, '@'))
    return fail(p, &p->tok,
                "matrix products are no part of an expression; call "
                "GpuArray_rgemm or GpuArray_rgemv, or write sum(x*y, axis=...)");
  return GA_NO_ERROR;
}

static int statement(parser *p)
{
  ga_token t = p->tok;
  ga_ast_node n = {GA_AST_VALUE, 0, t.at, 0, 0, NULL, {0}, NULL};
  int node;
  if (t.kind == GA_TOK_NAME && before_equals(p)) {
    n.kind = GA_AST_ASSIGN;
    n.name = keep_name(p, &t);
    if (strcmp(n.name, "True") == 0 || strcmp(n.name, "False") == 0 || strcmp(n.name, "None") == 0)
      return ga_caret(GA_VALUE_ERROR, p->lex.text, t.at, "cannot assign to %s", n.name);
    GA_TRY(next(p));
    GA_TRY(next(p));
  }
  GA_TRY(expression(p, 1, &node));
  if (is_op(p, ','))
    return fail(p, &p->tok,
                "a statement has one value; write several as "
                "x = ...; y = ...");
  if (is_op(p, '='))
    return fail(p, &p->tok, "only a name can be assigned to; to compare, write '=='");
  if (is_op(p, ')')) return fail(p, &p->tok, "')' without a '(' before it");
  if (is_op(p, ']')) return fail(p, &p->tok, "']' without a '[' before it");
  if (p->tok.kind != GA_TOK_END && !is_op(p, ';'))
    return fail(p, &p->tok, "expected an operator, ';' or the end here");
  return add(p, &node, &n, &node, 1);
}

static int statements(parser *p)
{
  unsigned int n = 0;
  GA_TRY(next(p));
  while (p->tok.kind != GA_TOK_END) {
    if (is_op(p, ';')) {
      GA_TRY(next(p));
      continue;
    }
    GA_TRY(statement(p));
    n++;
  }
  if (n == 0) return fail(p, &p->tok, "the text is empty; expected an expression");
  return GA_NO_ERROR;
}

int ga_parse(ga_ast **ast, const char *text)
{
  parser p = {0};
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
