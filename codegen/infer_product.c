/* SPDX-License-Identifier: MIT */
/* Products that are summed, or laid across each other: dot of vectors, vdot, vecdot, outer, norm,
 * average. */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "promote.h"

/* The sum of x*y, or conj(x)*y, over `axes`, in the dtype of the product, as NumPy's products of
 * vectors are. */
static int sum_product(const ga_call *c, const ga_val *x, int conjugate, const ga_val *y,
                       uint64_t axes, ga_val *out)
{
  ga_val t = *x;
  ga_reduce_args a;
  if (conjugate && ga_kind(c->in->dag.nodes[x->index].dtype) == 'c')
    GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_conjugate, x, &t));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &t, y, &t));
  enum ga_dtype d = c->in->dag.nodes[t.index].dtype;
  ga_reduce_over(c->in, c->at, t.index, axes, &a);
  out->kind = GA_VAL_NODE;
  if (d == GA_DT_BOOL)
    return ga_reduce_node(c->in, &a, GA_REDUCE_any, t.index, GA_DT_BOOL, 0, &out->index);
  return ga_reduce_sum(c->in, &a, GA_REDUCE_sum, t.index, d, &out->index);
}

static int two_nodes(const ga_call *c, ga_val *v, ga_shape *shape)
{
  enum ga_dtype d;
  for (int i = 0; i < 2; i++) {
    int node;
    GA_TRY(ga_call_node(c, &v[i], &node, &d, &shape[i]));
    v[i] = ga_val_node(node);
  }
  return GA_NO_ERROR;
}

/* dot, inner and matmul of vectors, and of a number and anything but for matmul. */
static int dot(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "b"};
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(ga_call_values(c, names, 2, 2, v));
  GA_TRY(two_nodes(c, v, s));
  if ((s[0].nd == 0 || s[1].nd == 0) && strcmp(c->n->name, "matmul") != 0)
    return ga_call_op(c, GA_OP_multiply, &v[0], &v[1], out);
  if (s[0].nd != 1 || s[1].nd != 1)
    return ga_infer_fail(c->in, c->at,
                         "%s is of two vectors here; of matrices call GpuArray_rgemm or "
                         "GpuArray_rgemv, or write sum(x*y, axis=...)",
                         c->n->name);
  if (s[0].dims[0] != s[1].dims[0])
    return ga_infer_fail(c->in, c->at, "%s: the vectors have %zu and %zu elements", c->n->name,
                         s[0].dims[0], s[1].dims[0]);
  return sum_product(c, &v[0], 0, &v[1], UINT64_MAX, out);
}

static int vdot(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "b"};
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(ga_call_values(c, names, 2, 2, v));
  GA_TRY(two_nodes(c, v, s));
  int same = s[0].nd == s[1].nd;
  for (unsigned int k = 0; k < s[0].nd && same; k++) same = s[0].dims[k] == s[1].dims[k];
  if (!same) return ga_infer_fail(c->in, c->at, "vdot takes two arrays of the same shape here");
  return sum_product(c, &v[0], 1, &v[1], UINT64_MAX, out);
}

/* Along one axis, the last by default; the arrays broadcast along the others alone. */
static int vecdot(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"x1", "x2", "axis"};
  ga_val v[2];
  ga_shape s[2], both;
  int kids[3];
  unsigned int axis, from_end = 1;
  GA_TRY(ga_call_kids(c, names, 3, 2, kids));
  for (int i = 0; i < 2; i++) v[i] = c->in->vals[kids[i]];
  GA_TRY(two_nodes(c, v, s));
  if (s[0].nd == 0 || s[1].nd == 0)
    return ga_infer_fail(c->in, c->at, "vecdot takes arrays of one axis at least");
  const int nodes[2] = {v[0].index, v[1].index};
  GA_TRY(ga_infer_broadcast(c->in, c->at, nodes, 2, &both));
  axis = both.nd - 1;
  if (kids[2] >= 0) {
    unsigned int least = s[0].nd < s[1].nd ? s[0].nd : s[1].nd;
    if (s[0].nd != s[1].nd && ga_val_const(c->in, &c->in->vals[kids[2]]) != NULL &&
        ga_val_const(c->in, &c->in->vals[kids[2]])->i >= 0)
      return ga_infer_fail(c->in, c->at,
                           "vecdot: of arrays of different ranks the axis is counted "
                           "from the last one: axis=-1");
    GA_TRY(ga_infer_axis(c->in, kids[2], least, &axis));
    from_end = least - axis;
    axis = both.nd - from_end;
  }
  if (s[0].dims[s[0].nd - from_end] != s[1].dims[s[1].nd - from_end])
    return ga_infer_fail(c->in, c->at, "vecdot: the vectors have %zu and %zu elements",
                         s[0].dims[s[0].nd - from_end], s[1].dims[s[1].nd - from_end]);
  return sum_product(c, &v[0], 1, &v[1], (uint64_t)1 << axis, out);
}

/* a[:, None] * b */
static int outer(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "b"};
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(ga_call_values(c, names, 2, 2, v));
  GA_TRY(two_nodes(c, v, s));
  if (s[0].nd != 1 || s[1].nd != 1)
    return ga_infer_fail(c->in, c->at, "outer takes two arrays of one axis");
  ga_view down = {.nd = 2, .axis = {0, -1}, .count = {s[0].dims[0], 1}, .step = {1, 1}};
  GA_TRY(ga_dag_view(&c->in->dag, &v[0].index, v[0].index, &down));
  return ga_call_op(c, GA_OP_multiply, &v[0], &v[1], out);
}

/* ---- norm -------------------------------------------------------------- */

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

/* ---- average ----------------------------------------------------------- */

/* Weights of one axis along the one axis of `a`, as an array that broadcasts to x. */
static int lay_along(const ga_call *c, const ga_reduce_args *a, const ga_shape *x, ga_val *w,
                     const ga_shape *ws)
{
  ga_view v = {.nd = x->nd};
  unsigned int axis = 0;
  while (axis + 1 < x->nd && !(a->axes >> axis & 1)) axis++;
  if (ws->nd != 1 || a->tuple || x->nd == 0 || a->axes != (uint64_t)1 << axis ||
      ws->dims[0] != x->dims[axis])
    return ga_infer_fail(c->in, c->at,
                         "average: weights have the array's shape, or one axis of the length of "
                         "the one that is averaged: axis=...");
  for (unsigned int k = 0; k < v.nd; k++) {
    v.axis[k] = k == axis ? 0 : -1;
    v.count[k] = k == axis ? ws->dims[0] : 1;
    v.step[k] = 1;
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
  int same = ws.nd == shape.nd;
  for (unsigned int k = 0; k < ws.nd && same; k++) same = ws.dims[k] == shape.dims[k];
  if (!same) GA_TRY(lay_along(c, a, &shape, &w, &ws));
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

const ga_func_row ga_funcs_product[] = {
    {"dot", dot},       {"inner", dot},   {"matmul", dot},      {"norm", norm}, {"vdot", vdot},
    {"vecdot", vecdot}, {"outer", outer}, {"average", average}, {NULL, NULL},
};
