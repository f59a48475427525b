/* SPDX-License-Identifier: MIT */
/* Reductions: accumulators and results as NumPy 2 types them, reductions over
 * nothing settled here, so that no device meets one. */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "ops.h"
#include "promote.h"

int ga_infer_is_reduction(const char *name)
{
  static const char *const composed[] = {"mean", "var", "std", "count_nonzero", "ptp"};
  name = ga_infer_without_nan(name);
  for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
    if (strcmp(name, composed[i]) == 0) return 1;
  return ga_reduce_named(name) >= 0;
}

enum ga_dtype ga_reduce_acc(enum ga_dtype d)
{
  switch (ga_kind(d)) {
  case 'b':
  case 'i': return GA_DT_INT64;
  case 'u': return GA_DT_UINT64;
  default: return ga_is_half(d) ? GA_DT_FLOAT32 : d;
  }
}

/* The result's shape, and the loop axis of each of its axes. */
static void result_shape(const ga_dnode *x, uint64_t axes, int keepdims, ga_shape *shape, int *map)
{
  shape->nd = 0;
  for (unsigned int k = 0; k < x->nd; k++) {
    int reduced = axes >> k & 1;
    if (reduced && !keepdims) continue;
    map[shape->nd] = reduced ? -1 : (int)k;
    shape->dims[shape->nd++] = reduced ? 1 : x->dims[k];
  }
}

/* What a reduction over nothing gives. */
static int over_nothing(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op,
                        enum ga_dtype acc, const ga_shape *shape, int *out)
{
  ga_number n = {.kind = GA_NUM_INT};
  int weak, arg = ga_reduces[op].acc == GA_ACC_INDEX;
  if (!ga_reduces[op].identity || a->no_identity)
    return ga_infer_fail(in, a->at, "%s of no elements has no value%s", ga_reduces[op].name,
                         arg ? "" : "; give it one: initial=...");
  n.i = op == GA_REDUCE_prod || op == GA_REDUCE_all;
  GA_TRY(ga_weak_const(&in->dag.weak, &n, &weak));
  GA_TRY(ga_dag_param(&in->dag, out, weak, acc));
  return ga_dag_broadcast(&in->dag, out, *out, shape);
}

/* Axes of one element: what is there, without them. */
static int over_one(ga_infer *in, const ga_reduce_args *a, int keepdims, int node, int *out)
{
  const ga_dnode *x = &in->dag.nodes[node];
  ga_view v;
  *out = node;
  if (keepdims || a->axes == 0) return GA_NO_ERROR;
  memset(&v, 0, sizeof v);
  for (unsigned int k = 0; k < x->nd; k++)
    if (!(a->axes >> k & 1)) ga_view_walk(&v, k, x->dims[k]);
  return ga_dag_view(&in->dag, out, node, &v);
}

int ga_reduce_node(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                   enum ga_dtype acc, int keepdims, int *out)
{
  int arg = ga_reduces[op].acc == GA_ACC_INDEX, map[GA_MAXND];
  enum ga_dtype result = arg ? GA_DT_INT64 : acc;
  ga_shape shape;
  GA_TRY(ga_dag_cast(&in->dag, &node, node, acc));
  const ga_dnode *x = &in->dag.nodes[node];
  result_shape(x, a->axes, keepdims, &shape, map);
  if (a->count == 0) return over_nothing(in, a, op, result, &shape, out);
  if (a->axes == 0 || (a->count == 1 && op != GA_REDUCE_moment)) /* each element by itself */
    return arg ? over_nothing(in, a, GA_REDUCE_sum, result, &shape, out)
               : over_one(in, a, keepdims, node, out);
  ga_dreduction r = {op, GA_SCAN_NONE, node, a->axes, acc};
  return ga_dag_reduce(&in->dag, out, &r, result, &shape, map);
}

/* Joins initial= to the reduction's value, elementwise. */
static int with_initial(ga_infer *in, const ga_reduce_args *a, int op, enum ga_dtype dtype,
                        int node, int *out)
{
  ga_val args[2] = {ga_val_node(node), {0}}, r;
  enum ga_dtype acc = in->dag.nodes[node].dtype;
  GA_TRY(ga_infer_cast(in, a->at, &a->initial, dtype, &args[1]));
  GA_TRY(ga_dag_cast(&in->dag, &args[1].index, args[1].index, acc));
  GA_TRY(ga_infer_apply(in, a->at, op, args, &r));
  *out = r.index;
  return GA_NO_ERROR;
}

/* The float64 sum of whole numbers of up to 32 bits is exact in 64, and tells no order. */
static int is_exact(const ga_infer *in, const ga_reduce_args *a, int node, enum ga_dtype dtype)
{
  enum ga_dtype from = in->dag.nodes[node].dtype;
  if (dtype != GA_DT_FLOAT64 || (!ga_is_int(from) && from != GA_DT_BOOL)) return 0;
  return ldexp(a->count, 8 * (int)ga_dtypes[from].size) <= 0x1p63;
}

int ga_reduce_sum(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                  enum ga_dtype dtype, int *out)
{
  enum ga_dtype acc = ga_reduce_acc(dtype);
  if (op == GA_REDUCE_sum && is_exact(in, a, node, dtype)) {
    GA_TRY(ga_reduce_node(in, a, op, node, GA_DT_INT64, a->keepdims, &node));
    GA_TRY(ga_dag_cast(&in->dag, &node, node, acc));
  } else {
    GA_TRY(ga_dag_cast(&in->dag, &node, node, dtype));
    GA_TRY(ga_reduce_node(in, a, op, node, acc, a->keepdims, &node));
  }
  if (a->initial.kind != GA_VAL_OTHER)
    GA_TRY(
        with_initial(in, a, op == GA_REDUCE_sum ? GA_OP_add : GA_OP_multiply, dtype, node, &node));
  return ga_dag_cast(&in->dag, out, node, dtype);
}

int ga_reduce_extreme(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int *out)
{
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  ga_shape shape;
  int map[GA_MAXND];
  if (a->initial.kind == GA_VAL_OTHER)
    return ga_reduce_node(in, a, op, a->node, d, a->keepdims, out);
  if (a->count == 0) {
    ga_val v;
    GA_TRY(ga_infer_cast(in, a->at, &a->initial, d, &v));
    result_shape(&in->dag.nodes[a->node], a->axes, a->keepdims, &shape, map);
    return ga_dag_broadcast(&in->dag, out, v.index, &shape);
  }
  GA_TRY(ga_reduce_node(in, a, op, a->node, d, a->keepdims, out));
  return with_initial(in, a, op == GA_REDUCE_min ? GA_OP_minimum : GA_OP_maximum, d, *out, out);
}

/* any and all; as methods of ufuncs they take initial= and the one dtype they have. */
static int truth(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int *out)
{
  int join = op == GA_REDUCE_any ? GA_OP_logical_or : GA_OP_logical_and;
  if (a->dtype != GA_DT_NONE && a->dtype != GA_DT_BOOL)
    return ga_infer_fail(in, a->at, "the dtype of %s is bool", ga_op_info_of(join)->name);
  GA_TRY(ga_reduce_node(in, a, op, a->node, GA_DT_BOOL, a->keepdims, out));
  if (a->initial.kind == GA_VAL_OTHER) return GA_NO_ERROR;
  return with_initial(in, a, join, GA_DT_BOOL, *out, out);
}

/* How many elements of `node`, which has a's shape, are not zero. */
int ga_infer_count(ga_infer *in, const ga_reduce_args *a, int node, int *out)
{
  GA_TRY(ga_dag_cast(&in->dag, &node, node, GA_DT_BOOL));
  return ga_reduce_sum(in, a, GA_REDUCE_sum, node, GA_DT_INT64, out);
}

static int ptp(ga_infer *in, const ga_reduce_args *a, int *out)
{
  ga_val v[2] = {{GA_VAL_NODE, 0, GA_DT_NONE}, {GA_VAL_NODE, 0, GA_DT_NONE}}, r;
  GA_TRY(ga_reduce_extreme(in, a, GA_REDUCE_max, &v[0].index));
  GA_TRY(ga_reduce_extreme(in, a, GA_REDUCE_min, &v[1].index));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, v, &r));
  *out = r.index;
  return GA_NO_ERROR;
}

/* NumPy's default: bool and small integers count in 64 bits. */
enum ga_dtype ga_sum_dtype(enum ga_dtype d)
{
  char k = ga_kind(d);
  return k == 'f' || k == 'c' ? d : ga_reduce_acc(d);
}

static int index_of(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int *out)
{
  if (a->tuple)
    return ga_infer_fail(in, a->at, "%s takes one axis, or None for all; no tuple",
                         ga_reduces[op].name);
  return ga_reduce_node(in, a, op, a->node, in->dag.nodes[a->node].dtype, a->keepdims, out);
}

int ga_infer_reduce(ga_infer *in, int node, const char *name, ga_val *out)
{
  ga_reduce_args a;
  int found = 0;
  GA_TRY(ga_infer_reduce_args(in, node, name, &a));
  enum ga_dtype d = in->dag.nodes[a.node].dtype;
  out->kind = GA_VAL_NODE;
  GA_TRY(ga_infer_masked(in, name, &a, &out->index, &found));
  if (found) return GA_NO_ERROR;
  name = ga_infer_without_nan(name);
  int op = ga_reduce_named(name);
  if (strcmp(name, "mean") == 0) return ga_infer_mean(in, &a, &out->index);
  if (strcmp(name, "var") == 0) return ga_infer_var(in, &a, 0, &out->index);
  if (strcmp(name, "std") == 0) return ga_infer_var(in, &a, 1, &out->index);
  if (strcmp(name, "count_nonzero") == 0) return ga_infer_count(in, &a, a.node, &out->index);
  if (strcmp(name, "ptp") == 0) return ptp(in, &a, &out->index);
  switch (ga_reduces[op].acc) {
  case GA_ACC_SUM:
    return ga_reduce_sum(in, &a, (enum ga_reduce_op)op, a.node,
                         a.dtype != GA_DT_NONE ? a.dtype : ga_sum_dtype(d), &out->index);
  case GA_ACC_SAME:
    if (a.dtype != GA_DT_NONE) GA_TRY(ga_dag_cast(&in->dag, &a.node, a.node, a.dtype));
    return ga_reduce_extreme(in, &a, (enum ga_reduce_op)op, &out->index);
  case GA_ACC_BOOL: return truth(in, &a, (enum ga_reduce_op)op, &out->index);
  default: return index_of(in, &a, (enum ga_reduce_op)op, &out->index);
  }
}
