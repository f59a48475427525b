/* SPDX-License-Identifier: MIT */
/* Reductions and scans that leave elements out: NaN (nansum, nancumprod, nanvar, ...) and what
 * where= says. By NumPy's definitions: what is left out becomes what changes nothing (0, 1, the
 * least or greatest value), and means and variances divide by how many others there are. */
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

int ga_leaves_nan(const ga_infer *in, const char *name, int node)
{
  char kind = ga_kind(in->dag.nodes[node].dtype);
  return ga_infer_without_nan(name) != name && (kind == 'f' || kind == 'c');
}

/* A reduction, and which of its elements it has. */
typedef struct masked {
  ga_infer *in;
  const ga_reduce_args *a;
  ga_val keep; /* bool, of the shape of a->node */
  int nan;     /* NaN is left out: divided as nanmean and nanvar divide */
} masked;

static int mask(masked *m)
{
  ga_val x = ga_val_node(m->a->node), number;
  m->keep = m->a->where;
  if (!m->nan) return GA_NO_ERROR;
  GA_TRY(ga_infer_apply(m->in, m->a->at, GA_OP_isnan, &x, &number));
  GA_TRY(ga_infer_apply(m->in, m->a->at, GA_OP_logical_not, &number, &number));
  if (m->keep.kind == GA_VAL_OTHER) {
    m->keep = number;
    return GA_NO_ERROR;
  }
  return ga_infer_binary(m->in, m->a->at, GA_OP_logical_and, &m->a->where, &number, &m->keep);
}

/* where(keep, x, n) */
static int fill(const masked *m, const ga_number *n, int x, int *out)
{
  ga_val choice[3] = {m->keep, ga_val_node(x), {GA_VAL_WEAK, 0, GA_DT_NONE}};
  GA_TRY(ga_weak_const(&m->in->dag.weak, n, &choice[2].index));
  GA_TRY(ga_infer_apply(m->in, m->a->at, GA_OP_where, choice, &choice[0]));
  *out = choice[0].index;
  return GA_NO_ERROR;
}

/* How many elements are there. */
static int count(const masked *m, int keepdims, ga_val *out)
{
  ga_reduce_args plain = *m->a;
  plain.initial = (ga_val){0};
  plain.keepdims = keepdims;
  out->kind = GA_VAL_NODE;
  return ga_infer_count(m->in, &plain, m->keep.index, &out->index);
}

static int sum(const masked *m, int node, int keepdims, enum ga_dtype d, int *out)
{
  static const ga_number zero = {.kind = GA_NUM_INT};
  ga_reduce_args a = *m->a;
  a.keepdims = keepdims;
  GA_TRY(fill(m, &zero, node, &node));
  return ga_reduce_sum(m->in, &a, GA_REDUCE_sum, node, d, out);
}

/* x / n in the dtype that NumPy divides them in, back in x's own. */
static int divide(const masked *m, int node, const ga_val *n, int *out)
{
  ga_val args[2] = {ga_val_node(node), *n}, r;
  GA_TRY(ga_infer_apply(m->in, m->a->at, GA_OP_divide, args, &r));
  return ga_dag_cast(&m->in->dag, out, r.index, m->in->dag.nodes[node].dtype);
}

/* The dtype of sums: float64 of whole numbers. */
static enum ga_dtype sum_dtype(const masked *m)
{
  enum ga_dtype d = m->in->dag.nodes[m->a->node].dtype;
  if (m->a->dtype != GA_DT_NONE) return m->a->dtype;
  return ga_kind(d) == 'f' || ga_kind(d) == 'c' ? d : GA_DT_FLOAT64;
}

/* mean= of float16 is summed in float32, nanmean in float16. */
static int mean(const masked *m, int *out)
{
  enum ga_dtype d = sum_dtype(m), work = d;
  ga_val n;
  if (!m->nan && m->a->dtype == GA_DT_NONE && ga_is_half(d)) work = GA_DT_FLOAT32;
  GA_TRY(count(m, m->a->keepdims, &n));
  GA_TRY(sum(m, m->a->node, m->a->keepdims, work, out));
  GA_TRY(divide(m, *out, &n, out));
  return ga_dag_cast(&m->in->dag, out, *out, d);
}

/* |x - mean|^2 */
static int squares(const masked *m, int *out)
{
  ga_infer *in = m->in;
  ga_val x[2] = {ga_val_node(m->a->node), {GA_VAL_NODE, 0, GA_DT_NONE}}, far, n;
  enum ga_dtype own = in->dag.nodes[m->a->node].dtype;
  GA_TRY(count(m, 1, &n));
  GA_TRY(sum(m, m->a->node, 1, sum_dtype(m), &x[1].index));
  GA_TRY(divide(m, x[1].index, &n, &x[1].index));
  GA_TRY(ga_infer_apply(in, m->a->at, GA_OP_subtract, x, &far));
  if (m->nan) GA_TRY(ga_dag_cast(&in->dag, &far.index, far.index, own));
  return ga_infer_squared(in, m->a->at, far.index, out);
}

/* The sum of squares over the number of elements less ddof: where that is not above 0, NaN of
 * nanvar, else what a division by 0 gives. */
static int variance(const masked *m, int root, int *out)
{
  ga_infer *in = m->in;
  const size_t at = m->a->at;
  ga_val n[2], zero, choice[3];
  int node, whole = m->a->ddof == floor(m->a->ddof) && fabs(m->a->ddof) < 0x1p53;
  GA_TRY(ga_infer_number(in, GA_NUM_INT, 0, &zero));
  GA_TRY(count(m, m->a->keepdims, &n[0]));
  GA_TRY(ga_infer_number(in, whole ? GA_NUM_INT : GA_NUM_FLOAT, m->a->ddof, &n[1]));
  GA_TRY(ga_infer_apply(in, at, GA_OP_subtract, n, &n[0]));
  GA_TRY(ga_infer_compare(in, at, GA_OP_less_equal, &n[0], &zero, &choice[0]));
  n[1] = zero;
  if (!m->nan) GA_TRY(ga_infer_apply(in, at, GA_OP_maximum, n, &n[0]));
  GA_TRY(squares(m, &node));
  enum ga_dtype d = m->a->dtype != GA_DT_NONE ? ga_real_of(m->a->dtype) : in->dag.nodes[node].dtype;
  GA_TRY(sum(m, node, m->a->keepdims, d, &node));
  GA_TRY(divide(m, node, &n[0], &node));
  choice[2] = ga_val_node(node);
  if (m->nan) {
    GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, NAN, &choice[1]));
    GA_TRY(ga_infer_apply(in, at, GA_OP_where, choice, &choice[2]));
  }
  if (root) GA_TRY(ga_infer_apply(in, at, GA_OP_sqrt, &choice[2], &choice[2]));
  *out = choice[2].index; /* NumPy gives an explicit complex dtype= a complex result */
  return m->a->dtype == GA_DT_NONE ? GA_NO_ERROR : ga_dag_cast(&in->dag, out, *out, m->a->dtype);
}

/* Of NaN alone: NaN. */
static int extreme(const masked *m, enum ga_reduce_op op, int *out)
{
  ga_infer *in = m->in;
  ga_reduce_args filled = *m->a;
  ga_val choice[3], far;
  int node, some;
  GA_TRY(ga_reduce_first(in, op, in->dag.nodes[m->a->node].dtype, &node));
  far = ga_val_node(node);
  choice[0] = m->keep;
  choice[1] = ga_val_node(m->a->node);
  choice[2] = far;
  GA_TRY(ga_infer_apply(in, m->a->at, GA_OP_where, choice, &choice[1]));
  filled.node = choice[1].index;
  GA_TRY(ga_reduce_extreme(in, &filled, op, out));
  if (m->a->initial.kind != GA_VAL_OTHER) return GA_NO_ERROR;
  GA_TRY(ga_reduce_node(in, m->a, GA_REDUCE_any, m->keep.index, GA_DT_BOOL, m->a->keepdims, &some));
  choice[0] = ga_val_node(some);
  choice[1] = ga_val_node(*out);
  GA_TRY(ga_infer_number(in, GA_NUM_FLOAT, NAN, &choice[2]));
  GA_TRY(ga_infer_apply(in, m->a->at, GA_OP_where, choice, &choice[0]));
  *out = choice[0].index;
  return GA_NO_ERROR;
}

/* What NumPy asks of dtype= and initial=. */
static int check(const masked *m, const char *name, int op)
{
  const ga_reduce_args *a = m->a;
  if (m->nan && op < 0 && a->dtype != GA_DT_NONE && ga_kind(a->dtype) != 'f' &&
      ga_kind(a->dtype) != 'c')
    return ga_infer_fail(m->in, a->at, "%s: dtype= is a float's or a complex one", name);
  if (op >= 0 && a->where.kind != GA_VAL_OTHER && a->initial.kind == GA_VAL_OTHER &&
      (a->no_identity || !ga_reduces[op].identity))
    return ga_infer_fail(m->in, a->at, "%s needs initial= beside where=", name);
  return GA_NO_ERROR;
}

int ga_infer_masked(ga_infer *in, const char *name, ga_reduce_args *a, int *out, int *found)
{
  const char *plain = ga_infer_without_nan(name);
  masked m = {in, a, {0}, ga_leaves_nan(in, name, a->node)};
  ga_number n = {.kind = GA_NUM_INT};
  int scan = ga_scan_named(plain), op = scan >= 0 ? scan : ga_reduce_named(plain);
  *found = m.nan || a->where.kind != GA_VAL_OTHER;
  if (!*found) return GA_NO_ERROR;
  GA_TRY(check(&m, name, op));
  GA_TRY(mask(&m));
  if (strcmp(plain, "mean") == 0) return mean(&m, out);
  if (strcmp(plain, "var") == 0) return variance(&m, 0, out);
  if (strcmp(plain, "std") == 0) return variance(&m, 1, out);
  if (ga_reduces[op].acc == GA_ACC_SAME) {
    if (a->dtype != GA_DT_NONE) GA_TRY(ga_dag_cast(&in->dag, &a->node, a->node, a->dtype));
    return extreme(&m, (enum ga_reduce_op)op, out);
  }
  *found = 0;
  n.i = op == GA_REDUCE_prod || op == GA_REDUCE_all;
  return fill(&m, &n, a->node, &a->node);
}
