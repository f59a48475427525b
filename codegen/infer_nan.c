/* SPDX-License-Identifier: MIT */
/* Reductions and scans that leave NaN out, by NumPy's definitions: NaN becomes what changes nothing
 * (0, 1, the least or greatest value), and means and variances divide by how many others there are.
 * Of whole numbers they are the plain reductions. */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "ops.h"
#include "promote.h"

const char *ga_infer_without_nan(const char *name)
{
  static const char *const names[] = {"sum", "prod", "min",    "max",    "mean",
                                      "var", "std",  "cumsum", "cumprod"};
  if (strncmp(name, "nan", 3) != 0) return name;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name + 3, names[i]) == 0) return name + 3;
  return name;
}

int ga_nan_counts(const ga_infer *in, const char *name, int node)
{
  char kind = ga_kind(in->dag.nodes[node].dtype);
  return ga_infer_without_nan(name) != name && (kind == 'f' || kind == 'c');
}

static int is_nan(ga_infer *in, size_t at, int node, ga_val *out)
{
  ga_val x = ga_val_node(node);
  return ga_infer_apply(in, at, GA_OP_isnan, &x, out);
}

/* where(isnan(like), n, x) */
static int fill_like(ga_infer *in, size_t at, int like, const ga_number *n, int x, int *out)
{
  ga_val choice[3] = {{GA_VAL_OTHER, 0, GA_DT_NONE}, {GA_VAL_WEAK, 0, GA_DT_NONE}, ga_val_node(x)};
  GA_TRY(is_nan(in, at, like, &choice[0]));
  GA_TRY(ga_weak_const(&in->dag.weak, n, &choice[1].index));
  GA_TRY(ga_infer_apply(in, at, GA_OP_where, choice, &choice[0]));
  *out = choice[0].index;
  return GA_NO_ERROR;
}

/* How many elements of `node`, of a's shape, are numbers. */
static int count_numbers(ga_infer *in, const ga_reduce_args *a, int node, int *out)
{
  ga_reduce_args plain = *a;
  ga_val v;
  plain.initial = (ga_val){0};
  GA_TRY(is_nan(in, a->at, node, &v));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_logical_not, &v, &v));
  return ga_infer_count(in, &plain, v.index, out);
}

/* x / n in the dtype that NumPy divides them in, back in x's own. */
static int divide(ga_infer *in, size_t at, int node, const ga_val *n, int *out)
{
  ga_val args[2] = {ga_val_node(node), *n}, r;
  GA_TRY(ga_infer_apply(in, at, GA_OP_divide, args, &r));
  return ga_dag_cast(&in->dag, out, r.index, in->dag.nodes[node].dtype);
}

static int mean(ga_infer *in, const ga_reduce_args *a, int *out)
{
  static const ga_number zero = {.kind = GA_NUM_INT};
  ga_val count = {GA_VAL_NODE, 0, GA_DT_NONE};
  int node = a->node;
  enum ga_dtype d = a->dtype != GA_DT_NONE ? a->dtype : in->dag.nodes[node].dtype;
  GA_TRY(count_numbers(in, a, node, &count.index));
  GA_TRY(fill_like(in, a->at, node, &zero, node, &node));
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, node, d, &node));
  return divide(in, a->at, node, &count, out);
}

/* |x - mean|^2, 0 where x is NaN. */
static int squares(ga_infer *in, const ga_reduce_args *a, int *out)
{
  static const ga_number zero = {.kind = GA_NUM_INT};
  ga_reduce_args kept = *a;
  ga_val x[2] = {ga_val_node(a->node), {GA_VAL_NODE, 0, GA_DT_NONE}}, r[2];
  enum ga_dtype d = in->dag.nodes[a->node].dtype;
  int complex = ga_kind(d) == 'c';
  kept.keepdims = 1;
  GA_TRY(mean(in, &kept, &x[1].index));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, x, &r[0]));
  GA_TRY(ga_dag_cast(&in->dag, &r[0].index, r[0].index, d));
  GA_TRY(fill_like(in, a->at, a->node, &zero, r[0].index, &r[0].index));
  r[1] = r[0];
  for (int i = 0; i < 1 + complex; i++) {
    if (complex) GA_TRY(ga_infer_apply(in, a->at, i ? GA_OP_imag : GA_OP_real, &r[0], &x[i]));
    GA_TRY(ga_infer_apply(in, a->at, GA_OP_square, complex ? &x[i] : &r[0], &x[i]));
  }
  if (complex) GA_TRY(ga_infer_apply(in, a->at, GA_OP_add, x, &x[0]));
  *out = x[0].index;
  return GA_NO_ERROR;
}

/* NaN where no more than ddof numbers are there. */
static int variance(ga_infer *in, const ga_reduce_args *a, int root, int *out)
{
  ga_val n[2] = {{GA_VAL_NODE, 0, GA_DT_NONE}, {0}}, free, choice[3], zero;
  int node, whole = a->ddof == floor(a->ddof) && fabs(a->ddof) < 0x1p53;
  GA_TRY(count_numbers(in, a, a->node, &n[0].index));
  GA_TRY(ga_infer_number(in, whole ? GA_NUM_INT : GA_NUM_FLOAT, a->ddof, &n[1]));
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_subtract, n, &free));
  GA_TRY(squares(in, a, &node));
  enum ga_dtype d = a->dtype != GA_DT_NONE ? ga_real_of(a->dtype) : in->dag.nodes[node].dtype;
  GA_TRY(ga_reduce_sum(in, a, GA_REDUCE_sum, node, d, &node));
  GA_TRY(divide(in, a->at, node, &free, &node));
  GA_TRY(ga_infer_number(in, GA_NUM_INT, 0, &zero));
  GA_TRY(ga_infer_compare(in, a->at, GA_OP_less_equal, &free, &zero, &choice[0]));
  GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, NAN, &choice[1]));
  choice[2] = ga_val_node(node);
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_where, choice, &choice[2]));
  if (root) GA_TRY(ga_infer_apply(in, a->at, GA_OP_sqrt, &choice[2], &choice[2]));
  *out = choice[2].index;
  return GA_NO_ERROR;
}

/* NaN where nothing else is there, and no initial=. */
static int extreme(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int *out)
{
  ga_number far = {.kind = GA_NUM_FLOAT, .re = op == GA_REDUCE_min ? INFINITY : -INFINITY};
  ga_reduce_args filled = *a;
  ga_val choice[3];
  int only;
  if (ga_kind(in->dag.nodes[a->node].dtype) == 'c') {
    far.kind = GA_NUM_COMPLEX;
    far.im = far.re;
  }
  GA_TRY(fill_like(in, a->at, a->node, &far, a->node, &filled.node));
  GA_TRY(ga_reduce_extreme(in, &filled, op, out));
  if (a->initial.kind != GA_VAL_OTHER) return GA_NO_ERROR;
  GA_TRY(is_nan(in, a->at, a->node, &choice[0]));
  GA_TRY(ga_reduce_node(in, a, GA_REDUCE_all, choice[0].index, GA_DT_BOOL, a->keepdims, &only));
  choice[0] = ga_val_node(only);
  GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, NAN, &choice[1]));
  choice[2] = ga_val_node(*out);
  GA_TRY(ga_infer_apply(in, a->at, GA_OP_where, choice, &choice[0]));
  *out = choice[0].index;
  return GA_NO_ERROR;
}

int ga_infer_nan(ga_infer *in, const char *name, ga_reduce_args *a, int *out, int *found)
{
  const char *plain = ga_infer_without_nan(name);
  ga_number n = {.kind = GA_NUM_INT};
  int scan = ga_scan_named(plain), op = scan >= 0 ? scan : ga_reduce_named(plain);
  *found = ga_nan_counts(in, name, a->node);
  if (!*found) return GA_NO_ERROR;
  if (strcmp(plain, "mean") == 0) return mean(in, a, out);
  if (strcmp(plain, "var") == 0) return variance(in, a, 0, out);
  if (strcmp(plain, "std") == 0) return variance(in, a, 1, out);
  if (ga_reduces[op].acc == GA_ACC_SAME) return extreme(in, a, (enum ga_reduce_op)op, out);
  *found = 0;
  n.i = op == GA_REDUCE_prod;
  return fill_like(in, a->at, a->node, &n, a->node, &a->node);
}
