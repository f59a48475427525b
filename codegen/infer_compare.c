/* SPDX-License-Identifier: MIT */
/* Comparisons of integers are of their values, as in NumPy 2: a Python integer
 * that does not fit the array's dtype has a known answer, and signed with uint64
 * never meets in float64, where neighbours fall together. */
#include "infer.h"
#include "promote.h"

/* y OP x for x OP y. */
static int mirrored(int op)
{
  switch (op) {
  case GA_OP_less: return GA_OP_greater;
  case GA_OP_less_equal: return GA_OP_greater_equal;
  case GA_OP_greater: return GA_OP_less;
  case GA_OP_greater_equal: return GA_OP_less_equal;
  default: return op;
  }
}

int ga_infer_constant(ga_infer *in, int truth, int like, ga_val *out)
{
  ga_number n = {.kind = GA_NUM_BOOL, .i = truth};
  ga_shape shape;
  int weak, node;
  GA_TRY(ga_weak_const(&in->dag.weak, &n, &weak));
  GA_TRY(ga_dag_param(&in->dag, &node, weak, GA_DT_BOOL));
  ga_dag_shape(&in->dag, like, &shape);
  GA_TRY(ga_dag_broadcast(&in->dag, &node, node, &shape));
  *out = ga_val_node(node);
  return GA_NO_ERROR;
}

/* signed s OP unsigned u, both 64 bits: by the sign, then as unsigned. */
static int signed_unsigned(ga_infer *in, size_t at, int op, const ga_val *s, const ga_val *u,
                           ga_val *out)
{
  int below = op == GA_OP_less || op == GA_OP_less_equal || op == GA_OP_not_equal;
  ga_val zero, sign[2], args[2], parts[2];
  GA_TRY(ga_infer_number(in, GA_NUM_INT, 0, &zero));
  sign[0] = *s;
  sign[1] = zero;
  GA_TRY(ga_infer_apply(in, at, below ? GA_OP_less : GA_OP_greater_equal, sign, &parts[0]));
  GA_TRY(ga_infer_cast(in, at, s, GA_DT_UINT64, &args[0]));
  args[1] = *u;
  GA_TRY(ga_infer_apply(in, at, op, args, &parts[1]));
  return ga_infer_apply(in, at, below ? GA_OP_logical_or : GA_OP_logical_and, parts, out);
}

/* A Python integer beside an integer array: *done where it is settled here, else
 * *weak may have become an int64 number. */
static int weak_int(ga_infer *in, int op, ga_val *weak, const ga_val *array, ga_val *out, int *done)
{
  const ga_weak_node *w = &in->dag.weak.nodes[weak->index];
  enum ga_dtype d = in->dag.nodes[array->index].dtype;
  int node;
  *done = 0;
  if (w->type > GA_NUM_INT || !ga_is_int(d)) return GA_NO_ERROR;
  if (w->kind == GA_WEAK_CONST) {
    if (ga_number_fits(d, &w->number)) return GA_NO_ERROR;
    int above = w->number.i > 0; /* of every element; op is number OP element */
    int truth = op == GA_OP_not_equal || (above ? op == GA_OP_greater || op == GA_OP_greater_equal
                                                : op == GA_OP_less || op == GA_OP_less_equal);
    *done = 1;
    return ga_infer_constant(in, truth, array->index, out);
  }
  GA_TRY(ga_dag_param(&in->dag, &node, weak->index, GA_DT_INT64));
  *weak = ga_val_node(node);
  return GA_NO_ERROR;
}

int ga_infer_compare(ga_infer *in, size_t at, int op, const ga_val *x, const ga_val *y, ga_val *out)
{
  ga_val args[2] = {*x, *y};
  int done = 0;
  for (int i = 0; i < 2 && !done; i++)
    if (args[i].kind == GA_VAL_WEAK && args[1 - i].kind == GA_VAL_NODE)
      GA_TRY(weak_int(in, i == 0 ? op : mirrored(op), &args[i], &args[1 - i], out, &done));
  if (done) return GA_NO_ERROR;
  if (args[0].kind == GA_VAL_NODE && args[1].kind == GA_VAL_NODE) {
    enum ga_dtype a = in->dag.nodes[args[0].index].dtype, b = in->dag.nodes[args[1].index].dtype;
    if (ga_kind(a) == 'i' && b == GA_DT_UINT64)
      return signed_unsigned(in, at, op, &args[0], &args[1], out);
    if (ga_kind(b) == 'i' && a == GA_DT_UINT64)
      return signed_unsigned(in, at, mirrored(op), &args[1], &args[0], out);
  }
  return ga_infer_apply(in, at, op, args, out);
}
