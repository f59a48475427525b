/* SPDX-License-Identifier: MIT */
/* The table of Python numbers of one text (weak.h). */
#include "weak.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "promote.h"

#define MAXDEPTH 200 /* of ga_weak_eval() */

static int same_double(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

static int same(const ga_weak_node *x, const ga_weak_node *y)
{
  return x->kind == y->kind && x->type == y->type && x->dtype == y->dtype && x->of == y->of &&
         x->op == y->op && x->a == y->a && x->b == y->b && x->bind == y->bind &&
         x->number.i == y->number.i && same_double(x->number.re, y->number.re) &&
         same_double(x->number.im, y->number.im);
}

static int add(ga_weak *w, const ga_weak_node *x, int *out)
{
  for (unsigned int i = 0; i < w->n; i++)
    if (same(&w->nodes[i], x)) {
      *out = (int)i;
      return GA_NO_ERROR;
    }
  GA_TRY(ga_grow(&w->nodes, &w->cap, (size_t)w->n + 1, sizeof *w->nodes));
  w->nodes[w->n] = *x;
  *out = (int)w->n++;
  return GA_NO_ERROR;
}

int ga_weak_const(ga_weak *w, const ga_number *x, int *out)
{
  ga_weak_node n = {.kind = GA_WEAK_CONST, .type = x->kind, .a = -1, .b = -1, .number = *x};
  return add(w, &n, out);
}

int ga_weak_bind(ga_weak *w, unsigned int bind, enum ga_number_kind type, int *out)
{
  ga_weak_node n = {.kind = GA_WEAK_BIND, .type = type, .a = -1, .b = -1, .bind = bind};
  return add(w, &n, out);
}

int ga_weak_strong(ga_weak *w, unsigned int bind, enum ga_dtype dtype, int *out)
{
  ga_weak_node n = {.kind = GA_WEAK_STRONG, .dtype = dtype, .a = -1, .b = -1, .bind = bind};
  return add(w, &n, out);
}

static int is_const(const ga_weak *w, int node)
{
  return node < 0 || w->nodes[node].kind == GA_WEAK_CONST;
}

int ga_weak_op(ga_weak *w, int op, int a, int b, int *out, const char **why)
{
  const ga_weak_node *x = &w->nodes[a], *y = b < 0 ? x : &w->nodes[b];
  ga_weak_node n = {.kind = GA_WEAK_OP, .op = op, .a = a, .b = b};
  if (is_const(w, a) && is_const(w, b)) {
    ga_number r;
    GA_TRY(ga_number_op(&r, op, &x->number, &y->number, why));
    return ga_weak_const(w, &r, out);
  }
  GA_TRY(ga_number_op_check(op, x->type, y->type, why));
  n.type = ga_number_op_type(op, x->type, y->type);
  n.depth = 1 + (x->depth > y->depth ? x->depth : y->depth);
  if (n.depth > MAXDEPTH) {
    *why = "arithmetic on numbers alone, too deeply nested";
    return GA_XLARGE_ERROR;
  }
  return add(w, &n, out);
}

int ga_weak_wrap(ga_weak *w, int a, enum ga_dtype d, int *out)
{
  const ga_weak_node *x = &w->nodes[a];
  ga_weak_node n = {
      .kind = GA_WEAK_WRAP, .type = GA_NUM_INT, .dtype = d, .a = a, .b = -1, .depth = x->depth};
  ga_number r = x->number;
  *out = a;
  if (x->kind == GA_WEAK_STRONG || x->type != GA_NUM_INT || !ga_is_int(d)) return GA_NO_ERROR;
  if (x->kind != GA_WEAK_CONST) return add(w, &n, out);
  ga_number_wrap(&r, d);
  return ga_weak_const(w, &r, out);
}

int ga_weak_bound(ga_weak *w, int a, enum ga_dtype d, enum ga_dtype all, int upper, int *out)
{
  const ga_weak_node *x = &w->nodes[a];
  ga_weak_node n = {.kind = upper ? GA_WEAK_MOST : GA_WEAK_LEAST,
                    .type = GA_NUM_INT,
                    .dtype = all,
                    .of = d,
                    .a = a,
                    .b = -1,
                    .depth = x->depth};
  *out = a;
  if (x->kind == GA_WEAK_STRONG || x->type != GA_NUM_INT || !ga_is_int(d)) return GA_NO_ERROR;
  if (x->kind != GA_WEAK_CONST) return add(w, &n, out);
  ga_number r = x->number;
  ga_number_bound(&r, d, all, upper);
  return ga_weak_const(w, &r, out);
}

void ga_weak_clear(ga_weak *w)
{
  free(w->nodes);
  memset(w, 0, sizeof *w);
}

int ga_weak_eval(ga_number *x, const ga_weak *w, int node, const ga_value *numbers,
                 const char **why)
{
  const ga_weak_node *n = &w->nodes[node];
  ga_number a, b = {0};
  switch (n->kind) {
  case GA_WEAK_CONST: *x = n->number; return GA_NO_ERROR;
  case GA_WEAK_BIND:
    memset(x, 0, sizeof *x);
    x->kind = n->type;
    if (n->type == GA_NUM_INT)
      x->i = numbers[n->bind].i;
    else
      x->re = numbers[n->bind].d;
    return GA_NO_ERROR;
  case GA_WEAK_OP:
    GA_TRY(ga_weak_eval(&a, w, n->a, numbers, why));
    if (n->b >= 0) GA_TRY(ga_weak_eval(&b, w, n->b, numbers, why));
    GA_TRY(ga_number_op(x, n->op, &a, n->b >= 0 ? &b : &a, why));
    if (x->kind == n->type) return GA_NO_ERROR;
    *why = x->kind == GA_NUM_COMPLEX
               ? "a negative number to a fractional power known only at the call is complex; write "
                 "the base as a complex number"
               : "an integer to a negative power known only at the call; write the "
                 "base or the exponent as a float";
    return GA_VALUE_ERROR;
  case GA_WEAK_WRAP:
    GA_TRY(ga_weak_eval(x, w, n->a, numbers, why));
    ga_number_wrap(x, n->dtype);
    return GA_NO_ERROR;
  case GA_WEAK_LEAST:
  case GA_WEAK_MOST:
    GA_TRY(ga_weak_eval(x, w, n->a, numbers, why));
    ga_number_bound(x, n->of, n->dtype, n->kind == GA_WEAK_MOST);
    return GA_NO_ERROR;
  default: *why = "a number with a dtype is not one of Python's"; return GA_VALUE_ERROR;
  }
}
