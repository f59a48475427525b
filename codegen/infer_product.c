/* SPDX-License-Identifier: MIT */
/* Products that are summed, or laid across each other: dot of vectors, vdot, vecdot, outer. */
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

/* The arrays of f(a, b), and their shapes. */
static int operands(const ga_call *c, ga_val *v, ga_shape *shape)
{
  static const char *const names[] = {"a", "b"};
  GA_TRY(ga_call_values(c, names, 2, 2, v));
  return two_nodes(c, v, shape);
}

/* dot, inner and matmul of vectors, and of a number and anything but for matmul. */
static int dot(const ga_call *c, ga_val *out)
{
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(operands(c, v, s));
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
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(operands(c, v, s));
  if (!ga_shape_equal(&s[0], &s[1]))
    return ga_infer_fail(c->in, c->at, "vdot takes two arrays of the same shape here");
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
  ga_val v[2];
  ga_shape s[2];
  GA_TRY(operands(c, v, s));
  if (s[0].nd != 1 || s[1].nd != 1)
    return ga_infer_fail(c->in, c->at, "outer takes two arrays of one axis");
  ga_view down = {.nd = 2, .axis = {0, -1}, .count = {s[0].dims[0], 1}, .step = {1, 1}};
  GA_TRY(ga_dag_view(&c->in->dag, &v[0].index, v[0].index, &down));
  return ga_call_op(c, GA_OP_multiply, &v[0], &v[1], out);
}

const ga_func_row ga_funcs_product[] = {
    {"dot", dot},       {"inner", dot},   {"matmul", dot}, {"vdot", vdot},
    {"vecdot", vecdot}, {"outer", outer}, {NULL, NULL},
};
