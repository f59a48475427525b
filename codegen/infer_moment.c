/* SPDX-License-Identifier: MIT */
/* mean, var and std in terms of sums, step by step as NumPy computes them: var is
 * two passes, the mean and then the sum of |x - mean|^2. The 16-bit floats are
 * worked on in float32 and rounded once, at the end. */
#include "infer.h"
#include "promote.h"

static int is_small(enum ga_dtype d) { return d == GA_DT_FLOAT16 || d == GA_DT_BFLOAT16; }

/* node / n. A count that the dtype cannot hold divides in twice the width. */
static int divide(ga_infer *in, size_t at, int node, double n, int *out)
{
  enum ga_dtype d = in->dag.nodes[node].dtype, wide = d;
  ga_val args[2], r;
  if ((double)(float)n != n && d == GA_DT_FLOAT32) wide = GA_DT_FLOAT64;
  if ((double)(float)n != n && d == GA_DT_COMPLEX64) wide = GA_DT_COMPLEX128;
  GA_TRY(ga_dag_cast(&in->dag, &node, node, wide));
  args[0] = ga_val_node(node);
  GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, n, &args[1]));
  GA_TRY(ga_infer_apply(in, at, GA_OP_divide, args, &r));
  return ga_dag_cast(&in->dag, out, r.index, ga_is_int(d) || d == GA_DT_BOOL ? GA_DT_FLOAT64 : d);
}

/* The dtype sums run in, for a result of dtype `d`. */
static enum ga_dtype work_dtype(enum ga_dtype d) { return is_small(d) ? GA_DT_FLOAT32 : d; }

static enum ga_dtype default_dtype(enum ga_dtype d)
{
  return ga_kind(d) == 'f' || ga_kind(d) == 'c' ? d : GA_DT_FLOAT64;
}

int ga_infer_mean(ga_infer *in, const ga_reduce_args *a, int *out)
{
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  enum ga_dtype to = a->dtype != GA_DT_NONE ? a->dtype : default_dtype(d);
  int node = a->node;
  if (a->dtype != GA_DT_NONE) GA_TRY(ga_dag_cast(&in->dag, &node, node, to));
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, node, work_dtype(to), &node));
  GA_TRY(divide(in, a->at, node, a->count, &node));
  return ga_dag_cast(&in->dag, out, node, to);
}

/* |x|^2, in x's real dtype. */
static int squared(ga_infer *in, size_t at, int node, int *out)
{
  ga_val x = ga_val_node(node), part[2];
  int complex = ga_kind(in->dag.nodes[node].dtype) == 'c';
  for (int i = 0; i < 1 + complex; i++) {
    part[i] = x;
    if (complex) GA_TRY(ga_infer_apply(in, at, i == 0 ? GA_OP_real : GA_OP_imag, &x, &part[i]));
    GA_TRY(ga_infer_apply(in, at, GA_OP_square, &part[i], &part[i]));
  }
  if (complex) GA_TRY(ga_infer_apply(in, at, GA_OP_add, part, &part[0]));
  *out = part[0].index;
  return GA_NO_ERROR;
}

int ga_infer_var(ga_infer *in, const ga_reduce_args *a, int root, int *out)
{
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  enum ga_dtype to = a->dtype != GA_DT_NONE ? a->dtype : default_dtype(d), work = work_dtype(to);
  ga_reduce_args keep = *a;
  ga_val x[2], diff, r;
  int node;
  if (ga_kind(to) != 'f' && ga_kind(to) != 'c')
    return ga_infer_fail(in, a->at, "the dtype of a variance is a float or complex one");
  /* Leading axes may go: it broadcasts the same, and is the mean(a, axis=0) that
   * the text may hold as well. */
  if ((a->axes & (a->axes + 1)) != 0) keep.keepdims = 1;
  GA_TRY(ga_reduce_sum(in, &keep, GA_REDUCE_sum, a->node, work, &node));
  GA_TRY(divide(in, a->at, node, a->count, &x[1].index));
  GA_TRY(ga_dag_cast(&in->dag, &x[0].index, a->node, ga_promote(work, d)));
  x[0].kind = x[1].kind = GA_VAL_NODE;
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, x, &diff));
  GA_TRY(squared(in, a->at, diff.index, &node));
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, node, ga_real_of(work), &node));
  double freedom = a->count - a->ddof;
  GA_TRY(divide(in, a->at, node, freedom > 0 ? freedom : 0, &node));
  if (root) {
    ga_val v = ga_val_node(node);
    GA_TRY(ga_infer_apply(in, a->at, GA_OP_sqrt, &v, &r));
    node = r.index;
  }
  /* NumPy gives an explicit complex dtype= a complex result */
  return ga_dag_cast(&in->dag, out, node, a->dtype != GA_DT_NONE ? to : ga_real_of(to));
}
