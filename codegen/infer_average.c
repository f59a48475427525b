/* SPDX-License-Identifier: MIT */
/* average: a mean, or one with weights. */
#include "infer.h"
#include "promote.h"

/* Weights of one axis along the one axis of `a`, as an array that broadcasts to x. */
static int lay_along(const ga_call *c, const ga_reduce_args *a, const ga_shape *x, ga_val *w,
                     const ga_shape *ws)
{
  ga_view v = {0};
  unsigned int axis = 0;
  while (axis + 1 < x->nd && !(a->axes >> axis & 1)) axis++;
  if (ws->nd != 1 || a->tuple || x->nd == 0 || a->axes != (uint64_t)1 << axis ||
      ws->dims[0] != x->dims[axis])
    return ga_infer_fail(c->in, c->at,
                         "average: weights have the array's shape, or one axis of the length of "
                         "the one that is averaged: axis=...");
  for (unsigned int k = 0; k < x->nd; k++) {
    if (k == axis)
      ga_view_walk(&v, 0, ws->dims[0]);
    else
      ga_view_new_axis(&v);
  }
  GA_TRY(ga_dag_view(&c->in->dag, &w->index, w->index, &v));
  return ga_dag_broadcast(&c->in->dag, &w->index, w->index, x);
}

/* sum(x*w) / sum(w) in the dtype of both, which is a float's. */
static int weighted(const ga_call *c, ga_reduce_args *a, const ga_val *weights, ga_val *out)
{
  ga_val x = ga_val_node(a->node), w, t;
  enum ga_dtype d = c->in->dag.nodes[a->node].dtype, of;
  ga_shape shape, ws;
  GA_TRY(ga_call_node(c, weights, &w.index, &of, &ws));
  w.kind = GA_VAL_NODE;
  ga_dag_shape(&c->in->dag, a->node, &shape);
  if (!ga_shape_equal(&shape, &ws)) GA_TRY(lay_along(c, a, &shape, &w, &ws));
  if (ga_kind(d) != 'f' && ga_kind(d) != 'c') of = ga_promote(of, GA_DT_FLOAT64);
  d = ga_promote(d, of);
  GA_TRY(ga_infer_cast(c->in, c->at, &x, d, &x));
  GA_TRY(ga_infer_cast(c->in, c->at, &w, d, &w));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &x, &w, &t));
  GA_TRY(ga_reduce_sum(c->in, a, GA_REDUCE_sum, t.index, d, &t.index));
  GA_TRY(ga_reduce_sum(c->in, a, GA_REDUCE_sum, w.index, d, &w.index));
  return ga_call_op(c, GA_OP_divide, &t, &w, out);
}

static int average(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "axis", "weights", "returned", "keepdims"};
  int kids[5], node, returned = 0;
  enum ga_dtype d;
  ga_reduce_args a;
  GA_TRY(ga_call_kids(c, names, 5, 1, kids));
  GA_TRY(ga_call_node(c, &c->in->vals[kids[0]], &node, &d, NULL));
  if (kids[3] >= 0) GA_TRY(ga_infer_flag(c->in, kids[3], "returned", &returned));
  if (returned)
    return ga_infer_fail(c->in, c->at, "average has one value; the weights are sum(weights)");
  ga_reduce_over(c->in, c->at, node, UINT64_MAX, &a);
  a.moment = 1;
  if (kids[1] >= 0) GA_TRY(ga_reduce_axes(c->in, kids[1], &a));
  if (kids[4] >= 0) GA_TRY(ga_infer_flag(c->in, kids[4], "keepdims", &a.keepdims));
  out->kind = GA_VAL_NODE;
  if (kids[2] < 0 || ga_ast_at(c->in, kids[2])->kind == GA_AST_NONE)
    return ga_infer_mean(c->in, &a, &out->index);
  return weighted(c, &a, &c->in->vals[kids[2]], out);
}

const ga_func_row ga_funcs_average[] = {{"average", average}, {NULL, NULL}};
