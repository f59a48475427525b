/* SPDX-License-Identifier: MIT */
/* numpy.linalg.norm, of vectors. */
#include <math.h>

#include "infer.h"
#include "promote.h"

/* sum(|x|**p)**(1/p) */
static int norm_of(const ga_call *c, ga_reduce_args *a, double p, ga_val *out)
{
  ga_val x = ga_val_node(a->node), args[2];
  enum ga_dtype d = ga_real_of(c->in->dag.nodes[a->node].dtype);
  int node;
  out->kind = GA_VAL_NODE;
  if (p == 0) {
    GA_TRY(ga_infer_count(c->in, a, a->node, &node));
    return ga_dag_cast(&c->in->dag, &out->index, node, d);
  }
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_absolute, &x, &args[0]));
  a->node = args[0].index;
  if (p > 0 && isinf(p)) GA_TRY(ga_infer_number(c->in, GA_NUM_INT, 0, &a->initial));
  if (isinf(p))
    return ga_reduce_extreme(c->in, a, p > 0 ? GA_REDUCE_max : GA_REDUCE_min, &out->index);
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, p, &args[1]));
  if (p != 1) GA_TRY(ga_infer_power(c->in, c->at, args, 1, &args[0]));
  GA_TRY(ga_reduce_sum(c->in, a, GA_REDUCE_sum, args[0].index, d, &args[0].index));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 1 / p, &args[1]));
  *out = args[0];
  return p == 1 ? GA_NO_ERROR : ga_infer_power(c->in, c->at, args, 1, out);
}

/* numpy.linalg.norm of vectors: of all elements, or along an axis; without ord= the root of the sum
 * of squares, over several axes too. */
static int norm(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"x", "ord", "axis", "keepdims"};
  int kids[4], node;
  enum ga_dtype d;
  ga_reduce_args a;
  double p = 2;
  GA_TRY(ga_call_kids(c, names, 4, 1, kids));
  GA_TRY(ga_call_node(c, &c->in->vals[kids[0]], &node, &d, NULL));
  if (ga_kind(d) != 'f' && ga_kind(d) != 'c')
    GA_TRY(ga_dag_cast(&c->in->dag, &node, node, d = GA_DT_FLOAT64));
  ga_reduce_over(c->in, c->at, node, UINT64_MAX, &a);
  a.moment = 1;
  if (kids[2] >= 0) GA_TRY(ga_reduce_axes(c->in, kids[2], &a));
  if (kids[3] >= 0) GA_TRY(ga_infer_flag(c->in, kids[3], "keepdims", &a.keepdims));
  if (kids[1] >= 0 && ga_ast_at(c->in, kids[1])->kind != GA_AST_NONE) {
    const ga_number *n = ga_val_const(c->in, &c->in->vals[kids[1]]);
    if (n == NULL || n->kind > GA_NUM_FLOAT)
      return ga_infer_fail(c->in, c->at, "norm: ord= is a literal number, inf, or None");
    if (a.axes == 0 || (a.axes & (a.axes - 1)) != 0)
      return ga_infer_fail(c->in, c->at, "norm: ord= is of vectors here: axis=... of one axis");
    p = ga_number_real(n);
  }
  if (p != 2) return norm_of(c, &a, p, out);
  GA_TRY(ga_infer_squared(c->in, c->at, a.node, &node));
  GA_TRY(ga_reduce_sum(c->in, &a, GA_REDUCE_sum, node, ga_real_of(d), &node));
  *out = ga_val_node(node);
  return ga_infer_apply(c->in, c->at, GA_OP_sqrt, out, out);
}

const ga_func_row ga_funcs_norm[] = {{"norm", norm}, {NULL, NULL}};
