/* SPDX-License-Identifier: MIT */
/* Scans: cumsum, cumprod, cummax and cummin, typed as NumPy's accumulate types
 * them; with no axis over all elements in C order, which gives an array of one
 * axis. `exclusive=True` leaves each element out of its own result: the first one
 * is the reduction of nothing, 0, 1, or the least or greatest value of the dtype. */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "ops.h"
#include "promote.h"

/* An exclusive scan begins with it. */
int ga_reduce_first(ga_infer *in, enum ga_reduce_op op, enum ga_dtype d, int *out)
{
  ga_number n = {.kind = GA_NUM_INT};
  int up = op == GA_REDUCE_min, bits = 8 * (int)ga_dtypes[d].size, weak;
  ga_int128 half = (ga_int128)1 << (bits - 1);
  switch (op == GA_REDUCE_min || op == GA_REDUCE_max ? ga_kind(d) : ' ') {
  case ' ': n.i = op == GA_REDUCE_prod; break;
  case 'b': n.i = up; break;
  case 'i': n.i = up ? half - 1 : -half; break;
  case 'u': n.i = up ? 2 * half - 1 : 0; break;
  default:
    n.kind = ga_kind(d) == 'c' ? GA_NUM_COMPLEX : GA_NUM_FLOAT;
    n.re = up ? INFINITY : -INFINITY;
    n.im = n.kind == GA_NUM_COMPLEX ? n.re : 0;
  }
  GA_TRY(ga_weak_const(&in->dag.weak, &n, &weak));
  return ga_dag_param(&in->dag, out, weak, d);
}

/* The result's shape, and the loop axis of each of its axes. */
static void result_shape(const ga_dnode *x, int flat, ga_shape *shape, int *map)
{
  shape->nd = flat ? 1 : x->nd;
  shape->dims[0] = 1;
  for (unsigned int k = 0; k < x->nd; k++) {
    map[flat ? 0 : k] = flat ? GA_AXIS_FLAT : x->dims[k] == 1 ? -1 : (int)k;
    if (flat)
      shape->dims[0] *= x->dims[k];
    else
      shape->dims[k] = x->dims[k];
  }
}

/* A scan of one element at most: the element, or what nothing gives. */
static int scan_of_one(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                       const ga_shape *shape, int *out)
{
  ga_view v = {.nd = 1, .axis = {-1}, .count = {1}, .step = {1}};
  if (a->exclusive || a->count == 0) {
    GA_TRY(ga_reduce_first(in, op, in->dag.nodes[node].dtype, out));
    return ga_dag_broadcast(&in->dag, out, *out, shape);
  }
  *out = node;
  return shape->nd == in->dag.nodes[node].nd ? GA_NO_ERROR : ga_dag_view(&in->dag, out, node, &v);
}

/* The scan `op` of `node` in dtype acc. */
static int scan_node(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                     enum ga_dtype acc, int *out)
{
  int map[GA_MAXND], flat;
  ga_shape shape;
  GA_TRY(ga_dag_cast(&in->dag, &node, node, acc));
  const ga_dnode *x = &in->dag.nodes[node];
  flat = x->nd == 0 || (a->axes & (a->axes - 1)) != 0;
  result_shape(x, flat, &shape, map);
  if (a->count <= 1) return scan_of_one(in, a, op, node, &shape, out);
  ga_dreduction r = {op, a->exclusive ? GA_SCAN_EXCLUSIVE : GA_SCAN_INCLUSIVE, node, a->axes, acc};
  return ga_dag_reduce(&in->dag, out, &r, acc, &shape, map);
}

int ga_infer_scan(ga_infer *in, int node, const char *name, ga_val *out)
{
  ga_reduce_args a;
  enum ga_reduce_op op = (enum ga_reduce_op)ga_scan_named(ga_infer_without_nan(name));
  GA_TRY(ga_infer_reduce_args(in, node, name, &a));
  if (a.method && (a.tuple || (a.axes & (a.axes - 1)) != 0 || in->dag.nodes[a.node].nd == 0))
    return ga_infer_fail(in, a.at, "%s runs along one axis of an array; %s(x) along all",
                         ga_ast_at(in, node)->name, name);
  if (a.tuple) return ga_infer_fail(in, a.at, "%s takes one axis, or None for all; no tuple", name);
  if (ga_reduces[op].acc != GA_ACC_SUM && in->dag.nodes[a.node].nd == 0)
    return ga_infer_fail(in, a.at, "%s cannot accumulate on a scalar", name);
  int found; /* never: a scan of numbers is the plain one of what is filled */
  GA_TRY(ga_infer_masked(in, name, &a, &out->index, &found));
  enum ga_dtype d = in->dag.nodes[a.node].dtype;
  out->kind = GA_VAL_NODE;
  if (ga_reduces[op].acc != GA_ACC_SUM)
    return scan_node(in, &a, op, a.node, a.dtype != GA_DT_NONE ? a.dtype : d, &out->index);
  d = a.dtype != GA_DT_NONE ? a.dtype : ga_sum_dtype(d);
  GA_TRY(ga_dag_cast(&in->dag, &node, a.node, d));
  GA_TRY(scan_node(in, &a, op, node, ga_reduce_acc(d), &node));
  return ga_dag_cast(&in->dag, &out->index, node, d);
}
