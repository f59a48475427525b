/* SPDX-License-Identifier: MIT */
/* What stands in the parentheses of a function that is several operations, or a view, and the steps
 * that such functions share. */
#include <string.h>

#include "infer.h"
#include "promote.h"

int ga_call_kids(const ga_call *c, const char *const *names, unsigned int n, unsigned int least,
                 int *kids)
{
  for (unsigned int i = 0; i < n; i++) kids[i] = -1;
  for (unsigned int i = 0; i < c->n->nkid; i++) {
    int kid = ga_ast_kid(c->in, c->node, i);
    const ga_ast_node *k = ga_ast_at(c->in, kid);
    unsigned int to = i;
    if (k->kind == GA_AST_KEYWORD) {
      for (to = 0; to < n && strcmp(names[to], k->name) != 0; to++) continue;
      if (to == n) return ga_infer_fail(c->in, k->at, "%s takes no '%.60s='", c->n->name, k->name);
      kid = ga_ast_kid(c->in, kid, 0);
    }
    if (to >= n)
      return ga_infer_fail(c->in, c->at, "%s takes at most %u argument%s, got %u", c->n->name, n,
                           n == 1 ? "" : "s", c->n->nkid);
    if (kids[to] >= 0)
      return ga_infer_fail(c->in, k->at, "%s: '%s' is given twice", c->n->name, names[to]);
    kids[to] = kid;
  }
  for (unsigned int i = 0; i < least; i++)
    if (kids[i] < 0 || ga_ast_at(c->in, kids[i])->kind == GA_AST_NONE)
      return ga_infer_fail(c->in, c->at, "%s needs '%s'", c->n->name, names[i]);
  return GA_NO_ERROR;
}

int ga_call_values(const ga_call *c, const char *const *names, unsigned int n, unsigned int least,
                   ga_val *vals)
{
  int kids[8];
  GA_TRY(ga_call_kids(c, names, n, least, kids));
  memset(vals, 0, n * sizeof *vals);
  for (unsigned int i = 0; i < n; i++) {
    if (kids[i] < 0) continue;
    const ga_ast_node *k = ga_ast_at(c->in, kids[i]);
    vals[i] = c->in->vals[kids[i]];
    if (vals[i].kind == GA_VAL_OTHER && k->kind != GA_AST_NONE)
      return ga_infer_fail(c->in, k->at, "%s: expected an array or a number here", c->n->name);
  }
  return GA_NO_ERROR;
}

int ga_call_node(const ga_call *c, const ga_val *v, int *node, enum ga_dtype *dtype,
                 ga_shape *shape)
{
  GA_TRY(ga_infer_node(c->in, c->at, v, GA_DT_NONE, node));
  *dtype = c->in->dag.nodes[*node].dtype;
  if (shape != NULL) ga_dag_shape(&c->in->dag, *node, shape);
  return GA_NO_ERROR;
}

int ga_call_one(const ga_call *c, ga_val *x, enum ga_dtype *dtype)
{
  static const char *const names[] = {"x"};
  int node;
  GA_TRY(ga_call_values(c, names, 1, 1, x));
  GA_TRY(ga_call_node(c, x, &node, dtype, NULL));
  *x = ga_val_node(node);
  return GA_NO_ERROR;
}

int ga_call_op(const ga_call *c, int op, const ga_val *x, const ga_val *y, ga_val *out)
{
  return ga_infer_binary(c->in, c->at, op, x, y, out);
}

/* As re - 0j and -0 + 1j, beside which an imaginary -0 stays. */
int ga_call_complex(const ga_call *c, const ga_val *re, const ga_val *im, ga_val *out)
{
  static const ga_number i = {.kind = GA_NUM_COMPLEX, .re = -0.0, .im = 1};
  enum ga_dtype d = ga_promote_weak(c->in->dag.nodes[re->index].dtype, GA_NUM_COMPLEX);
  ga_val unit = {.kind = GA_VAL_WEAK}, x, y;
  GA_TRY(ga_weak_const(&c->in->dag.weak, &i, &unit.index));
  GA_TRY(ga_infer_cast(c->in, c->at, re, d, &x));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_conjugate, &x, &x));
  GA_TRY(ga_call_op(c, GA_OP_multiply, im, &unit, &y));
  return ga_call_op(c, GA_OP_add, &x, &y, out);
}
