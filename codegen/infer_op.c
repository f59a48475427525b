/* SPDX-License-Identifier: MIT */
/* Elementwise operations: Python's operators on Python's numbers, NumPy's ufuncs
 * on the rest. Dtypes go by promotion of the arrays, then of Python's numbers
 * beside them, then to the first loop that takes all of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "ops.h"
#include "promote.h"

ga_val ga_val_node(int node)
{
  ga_val v = {GA_VAL_NODE, node, GA_DT_NONE};
  return v;
}

static enum ga_number_kind weak_type(const ga_infer *in, const ga_val *v)
{
  return in->dag.weak.nodes[v->index].type;
}

const ga_number *ga_val_const(const ga_infer *in, const ga_val *v)
{
  if (v->kind != GA_VAL_WEAK || in->dag.weak.nodes[v->index].kind != GA_WEAK_CONST) return NULL;
  return &in->dag.weak.nodes[v->index].number;
}

int ga_infer_number(ga_infer *in, enum ga_number_kind kind, double x, ga_val *out)
{
  ga_number n = {.kind = kind};
  if (kind == GA_NUM_INT)
    n.i = (ga_int128)x;
  else
    n.re = x;
  out->kind = GA_VAL_WEAK;
  return ga_weak_const(&in->dag.weak, &n, &out->index);
}

static int need_value(const ga_infer *in, size_t at, const ga_val *v)
{
  if (v->kind == GA_VAL_NODE || v->kind == GA_VAL_WEAK) return GA_NO_ERROR;
  if (v->kind == GA_VAL_FUNC)
    return ga_infer_fail(in, at, "a function stands where a value is expected; call it: f(x)");
  if (v->kind == GA_VAL_DTYPE)
    return ga_infer_fail(in, at, "a dtype stands where a value is expected; cast with %s(x)",
                         ga_dtypes[v->dtype].name);
  return ga_infer_fail(in, at, "expected an array or a number here");
}

int ga_infer_param(ga_infer *in, size_t at, int weak, enum ga_dtype d, int *node)
{
  const ga_weak_node *w = &in->dag.weak.nodes[weak];
  if (w->kind == GA_WEAK_CONST && !ga_number_fits(d, &w->number)) {
    char text[48];
    const char *holds = ga_number_fits(GA_DT_INT64, &w->number)    ? "int64"
                        : ga_number_fits(GA_DT_UINT64, &w->number) ? "uint64"
                                                                   : NULL;
    ga_int128_text(text, w->number.i);
    if (holds == NULL)
      return ga_infer_fail(
          in, at,
          "the integer %s does not fit %s, nor any other integer dtype; write it as a float", text,
          ga_dtypes[d].name);
    return ga_infer_fail(in, at,
                         "the integer %s does not fit %s; cast the array, or write the "
                         "number with a dtype: %s(%s)",
                         text, ga_dtypes[d].name, holds, text);
  }
  return ga_dag_param(&in->dag, node, weak, d);
}

/* The dtype of a value among others whose arrays promote to `beside`. */
static enum ga_dtype dtype_beside(const ga_infer *in, const ga_val *v, enum ga_dtype beside)
{
  if (v->kind == GA_VAL_NODE) return in->dag.nodes[v->index].dtype;
  const ga_number *n = ga_val_const(in, v);
  if (n != NULL && n->kind == GA_NUM_INT && beside == GA_DT_NONE &&
      !ga_number_fits(GA_DT_INT64, n) && n->i > 0)
    return GA_DT_UINT64; /* as np.array(2**63) */
  return ga_promote_weak(beside, weak_type(in, v));
}

int ga_infer_node(ga_infer *in, size_t at, const ga_val *v, enum ga_dtype beside, int *node)
{
  GA_TRY(need_value(in, at, v));
  if (v->kind == GA_VAL_WEAK)
    return ga_infer_param(in, at, v->index, dtype_beside(in, v, beside), node);
  *node = v->index;
  return GA_NO_ERROR;
}

/* A float of Python's is cut to an integer, which has to fit, as int(x) does. */
static int check_cut(ga_infer *in, size_t at, const ga_number *n, enum ga_dtype to)
{
  if (n == NULL || n->kind != GA_NUM_FLOAT || !ga_is_int(to)) return GA_NO_ERROR;
  double one = ldexp(1, 8 * ga_dtypes[to].size - (ga_kind(to) == 'i')), x = trunc(n->re);
  if (x >= (ga_kind(to) == 'i' ? -one : 0) && x < one) return GA_NO_ERROR;
  return ga_infer_fail(in, at, "the float %g does not fit %s", n->re, ga_dtypes[to].name);
}

int ga_infer_cast(ga_infer *in, size_t at, const ga_val *v, enum ga_dtype to, ga_val *out)
{
  int node;
  GA_TRY(need_value(in, at, v));
  if (v->kind == GA_VAL_WEAK) {
    enum ga_number_kind k = weak_type(in, v);
    if (k == GA_NUM_COMPLEX && ga_kind(to) != 'c' && ga_kind(to) != 'b')
      return ga_infer_fail(in, at, "a complex number has no %s value; write real(x)",
                           ga_dtypes[to].name);
    GA_TRY(check_cut(in, at, ga_val_const(in, v), to));
    enum ga_dtype d = k == GA_NUM_FLOAT && ga_is_int(to) ? GA_DT_FLOAT64 : to;
    GA_TRY(ga_infer_param(in, at, v->index, d, &node));
  } else {
    node = v->index;
  }
  GA_TRY(ga_dag_cast(&in->dag, &node, node, to));
  *out = ga_val_node(node);
  return GA_NO_ERROR;
}

/* The extent that node `i` has at axis `k` of `shape`, 1 where it has none. */
static size_t extent_at(const ga_infer *in, int i, const ga_shape *shape, unsigned int k)
{
  if (i < 0 || in->dag.nodes[i].nd + k < shape->nd) return 1;
  return in->dag.nodes[i].dims[in->dag.nodes[i].nd + k - shape->nd];
}

static int no_broadcast(ga_infer *in, size_t at, const int *nodes, int last, unsigned int k,
                        const ga_shape *shape)
{
  char text[2][512];
  int first = 0; /* the operand that set this extent */
  while (extent_at(in, nodes[first], shape, k) != shape->dims[k]) first++;
  ga_val v[2] = {ga_val_node(nodes[first]), ga_val_node(nodes[last])};
  ga_val_text(in, &v[0], text[0], sizeof text[0]);
  ga_val_text(in, &v[1], text[1], sizeof text[1]);
  return ga_infer_fail(in, at,
                       "shapes do not broadcast: operand %d is %s, operand %d is %s; "
                       "axis %d has %zu and %zu",
                       first + 1, text[0], last + 1, text[1], (int)k - (int)shape->nd,
                       shape->dims[k], extent_at(in, nodes[last], shape, k));
}

int ga_infer_broadcast(ga_infer *in, size_t at, const int *nodes, int n, ga_shape *shape)
{
  shape->nd = 0;
  for (int i = 0; i < n; i++)
    if (nodes[i] >= 0 && in->dag.nodes[nodes[i]].nd > shape->nd)
      shape->nd = in->dag.nodes[nodes[i]].nd;
  for (unsigned int k = 0; k < shape->nd; k++) shape->dims[k] = 1;
  for (int i = 0; i < n; i++) {
    for (unsigned int k = 0; k < shape->nd; k++) {
      size_t extent = extent_at(in, nodes[i], shape, k);
      if (extent == shape->dims[k] || extent == 1) continue;
      if (shape->dims[k] != 1) return no_broadcast(in, at, nodes, i, k, shape);
      shape->dims[k] = extent;
    }
  }
  return GA_NO_ERROR;
}

int ga_infer_broadcast_to(ga_infer *in, size_t at, const char *what, int like, int *node)
{
  const int both[2] = {like, *node};
  ga_shape own, shape;
  ga_dag_shape(&in->dag, like, &own);
  GA_TRY(ga_infer_broadcast(in, at, both, 2, &shape));
  if (!ga_shape_equal(&shape, &own))
    return ga_infer_fail(in, at, "%s does not broadcast to the shape of the array", what);
  return ga_dag_broadcast(&in->dag, node, *node, &own);
}

/* NumPy refuses these for bool although the int8 loop would take it. */
static int refuse_bool(ga_infer *in, size_t at, int op, enum ga_dtype d)
{
  if (d != GA_DT_BOOL) return GA_NO_ERROR;
  if (op == GA_OP_negative)
    return ga_infer_fail(in, at, "'-' of a bool array; write ~x or logical_not(x)");
  if (op == GA_OP_subtract)
    return ga_infer_fail(in, at, "'-' between bools; write x ^ y or logical_xor(x, y)");
  if (op == GA_OP_positive || op == GA_OP_sign)
    return ga_infer_fail(in, at, "%s of a bool array; cast it: int8(x)", ga_op_info_of(op)->name);
  return GA_NO_ERROR;
}

static int no_loop(ga_infer *in, size_t at, const ga_op_info *info, const enum ga_dtype *types)
{
  char text[128];
  size_t len = 0;
  for (int i = 0; i < info->nargs; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? ", " : "",
                            ga_dtypes[types[i]].name);
  return ga_infer_fail(in, at, "%s is not defined for %s", info->name, text);
}

/* Values that are their own result: floor of integers, absolute of uint8, real of reals. */
static int same_value(ga_infer *in, int op, const int *node, ga_val *out)
{
  int flags = ga_op_info_of(op)->flags;
  char kind = ga_kind(in->dag.nodes[*node].dtype);
  int natural = kind == 'b' || kind == 'u', whole = natural || kind == 'i';
  if (!((flags & GA_OP_INTSAME && whole) || (op == GA_OP_absolute && natural) ||
        (flags & GA_OP_REALSAME && kind != 'c')))
    return 0;
  *out = ga_val_node(*node);
  if (op == GA_OP_conjugate && kind == 'b') /* NumPy's smallest loop is int8 */
    return ga_dag_cast(&in->dag, &out->index, *node, GA_DT_INT8) == GA_NO_ERROR ? 1 : -1;
  return 1;
}

/* The dtype each argument is cast to, and the loop. */
static int resolve(ga_infer *in, size_t at, int op, const ga_val *args, enum ga_dtype *types,
                   enum ga_dtype *loop)
{
  const ga_op_info *info = ga_op_info_of(op);
  enum ga_dtype beside = GA_DT_NONE;
  for (int i = 0; i < info->nargs; i++) {
    GA_TRY(need_value(in, at, &args[i]));
    if (args[i].kind == GA_VAL_NODE && !(i == 0 && info->flags & GA_OP_COND))
      beside = ga_promote(beside, in->dag.nodes[args[i].index].dtype);
  }
  for (int i = 0; i < info->nargs; i++)
    types[i] = info->flags & GA_OP_COND && args[i].kind == GA_VAL_WEAK
                   ? ga_promote_weak(beside, weak_type(in, &args[i])) /* no uint64: it wraps */
                   : dtype_beside(in, &args[i], beside);
  if (info->flags & GA_OP_TRUTH) {
    *loop = GA_DT_BOOL;
  } else {
    enum ga_dtype all = GA_DT_NONE;
    for (int i = 0; i < info->nargs; i++) all = ga_promote(all, types[i]);
    GA_TRY(refuse_bool(in, at, op, all));
    *loop = ga_loop_of(info, types);
  }
  return GA_NO_ERROR;
}

/* Whether integers are finite is known of an array, and needs no floats of what is computed: each
 * is equal to itself, and numbers that do not fit are refused still. */
static int asks_finite(const ga_infer *in, int op, const ga_val *arg)
{
  char kind = arg->kind == GA_VAL_NODE ? ga_kind(in->dag.nodes[arg->index].dtype) : 'f';
  return (op == GA_OP_isnan || op == GA_OP_isinf || op == GA_OP_isfinite) &&
         (kind == 'b' || kind == 'i' || kind == 'u');
}

int ga_infer_apply(ga_infer *in, size_t at, int op, const ga_val *args, ga_val *out)
{
  if (asks_finite(in, op, &args[0])) {
    const ga_val both[] = {args[0], args[0]};
    if (in->dag.nodes[args[0].index].op == GA_N_LOAD)
      return ga_infer_constant(in, op == GA_OP_isfinite, args[0].index, out);
    return ga_infer_apply(in, at, op == GA_OP_isfinite ? GA_OP_equal : GA_OP_not_equal, both, out);
  }
  const ga_op_info *info = ga_op_info_of(op);
  enum ga_dtype types[3], loop;
  int nodes[3], made;
  ga_shape shape;
  GA_TRY(resolve(in, at, op, args, types, &loop));
  if (info->flags & (GA_OP_INTSAME | GA_OP_REALSAME) || op == GA_OP_absolute) {
    GA_TRY(ga_infer_node(in, at, &args[0], GA_DT_NONE, &nodes[0]));
    int same = same_value(in, op, nodes, out);
    if (same) return same < 0 ? GA_MEMORY_ERROR : GA_NO_ERROR;
  }
  if (loop == GA_DT_NONE) return no_loop(in, at, info, types);
  for (int i = 0; i < info->nargs; i++) nodes[i] = args[i].kind == GA_VAL_NODE ? args[i].index : -1;
  GA_TRY(ga_infer_broadcast(in, at, nodes, info->nargs, &shape));
  for (int i = 0; i < info->nargs; i++) {
    enum ga_dtype to = i == 0 && info->flags & GA_OP_COND ? GA_DT_BOOL : loop;
    int weak = args[i].index;
    /* where() only stores its numbers, and NumPy's stores wrap */
    if (args[i].kind == GA_VAL_WEAK && info->flags & GA_OP_COND)
      GA_TRY(ga_weak_wrap(&in->dag.weak, weak, to, &weak));
    if (args[i].kind == GA_VAL_WEAK)
      GA_TRY(ga_infer_param(in, at, weak, to, &nodes[i]));
    else
      GA_TRY(ga_dag_cast(&in->dag, &nodes[i], args[i].index, to));
  }
  enum ga_dtype result = info->result == GA_RESULT_BOOL   ? GA_DT_BOOL
                         : info->result == GA_RESULT_REAL ? ga_real_of(loop)
                                                          : loop;
  GA_TRY(ga_dag_op(&in->dag, &made, op, result, nodes, info->nargs, &shape));
  *out = ga_val_node(made);
  return GA_NO_ERROR;
}

/* The shortcut for x to the literal power e, -1: none. */
static int power_shortcut(double e, int whole)
{
  if (e == 2) return GA_OP_square;
  if (whole) return -1;
  return e == 0.5 ? GA_OP_sqrt : e == -1 ? GA_OP_reciprocal : -1;
}

/* Whether the e-th power is products. Of float32 and float64 the third's error is 1.3 units. */
static int is_products(enum ga_dtype loop, double e)
{
  if (e != floor(e) || e > 16 || (e < 3 && !(ga_is_half(loop) && e >= -5 && e <= -2))) return 0;
  return ga_is_int(loop) || (ga_kind(loop) == 'f' && (loop != GA_DT_FLOAT64 || e == 3));
}

/* The dtype of the products. In float32 those from -5 to 16 round to the nearest powers of all
 * values of float16 and bfloat16, in float64 to float32's, or ones 2^-24 units farther. */
static enum ga_dtype products_dtype(enum ga_dtype loop, int e)
{
  return ga_is_half(loop) ? GA_DT_FLOAT32 : loop == GA_DT_FLOAT32 && e > 3 ? GA_DT_FLOAT64 : loop;
}

/* x**e: for each bit of e below its highest the square so far, and where it is set x once more; of
 * 1/x where e is negative. */
static int infer_products(ga_infer *in, size_t at, const ga_val *x, enum ga_dtype loop, int e,
                          ga_val *out)
{
  ga_val factors[2];
  int bit = 1, n = abs(e);
  GA_TRY(ga_infer_cast(in, at, x, products_dtype(loop, e), &factors[1]));
  if (e < 0) GA_TRY(ga_infer_apply(in, at, GA_OP_reciprocal, &factors[1], &factors[1]));
  factors[0] = factors[1];
  while (bit * 4 <= n) bit *= 2;
  for (; bit != 0; bit /= 2) {
    GA_TRY(ga_infer_apply(in, at, GA_OP_square, &factors[0], &factors[0]));
    if (n & bit) GA_TRY(ga_infer_apply(in, at, GA_OP_multiply, factors, &factors[0]));
  }
  return ga_infer_cast(in, at, &factors[0], loop, out);
}

static int has_elements(const ga_infer *in, const ga_val *x)
{
  if (x->kind != GA_VAL_NODE) return 1;
  const ga_dnode *n = &in->dag.nodes[x->index];
  for (unsigned int i = 0; i < n->nd; i++)
    if (n->dims[i] == 0) return 0;
  return 1;
}

/* NumPy's own shortcuts for literal powers are taken too: the square and the root
 * of a float are not pow()'s bits. Its ** squares a bool array as int8. */
int ga_infer_power(ga_infer *in, size_t at, const ga_val *args, int is_operator, ga_val *out)
{
  const ga_number *n = ga_val_const(in, &args[1]);
  enum ga_dtype types[3], loop;
  ga_val x;
  if (n == NULL || n->kind == GA_NUM_COMPLEX) return ga_infer_apply(in, at, GA_OP_power, args, out);
  double e = ga_number_real(n);
  int squares = e == 2 && n->kind == GA_NUM_INT && is_operator;
  GA_TRY(resolve(in, at, GA_OP_power, args, types, &loop));
  if (ga_is_int(loop) && e < 0 && has_elements(in, &args[0]))
    return ga_infer_fail(in, at,
                         "integers have no negative powers; write the base or the "
                         "exponent as a float");
  int op = loop == GA_DT_NONE ? -1 : power_shortcut(e, ga_is_int(loop));
  int products = op < 0 && is_products(loop, e);
  if ((op < 0 && !products) || args[0].kind != GA_VAL_NODE)
    return ga_infer_apply(in, at, GA_OP_power, args, out);
  const ga_dnode *base = &in->dag.nodes[args[0].index];
  if (squares && base->dtype == GA_DT_BOOL && base->nd > 0) loop = GA_DT_INT8;
  GA_TRY(ga_infer_cast(in, at, &args[0], loop, &x));
  return products ? infer_products(in, at, &x, loop, (int)e, out)
                  : ga_infer_apply(in, at, op, &x, out);
}

int ga_infer_unary(ga_infer *in, size_t at, int op, const ga_val *x, ga_val *out)
{
  const char *why = "";
  GA_TRY(need_value(in, at, x));
  if (x->kind == GA_VAL_NODE) return ga_infer_apply(in, at, op, x, out);
  out->kind = GA_VAL_WEAK;
  int err = ga_weak_op(&in->dag.weak, op, x->index, -1, &out->index, &why);
  return ga_infer_why(in, at, err, why);
}

int ga_infer_binary(ga_infer *in, size_t at, int op, const ga_val *x, const ga_val *y, ga_val *out)
{
  ga_val args[2] = {*x, *y};
  const char *why = "";
  GA_TRY(need_value(in, at, x));
  GA_TRY(need_value(in, at, y));
  if (x->kind == GA_VAL_WEAK && y->kind == GA_VAL_WEAK) {
    out->kind = GA_VAL_WEAK;
    int err = ga_weak_op(&in->dag.weak, op, x->index, y->index, &out->index, &why);
    return ga_infer_why(in, at, err, why);
  }
  if (op >= GA_OP_equal && op <= GA_OP_greater_equal)
    return ga_infer_compare(in, at, op, x, y, out);
  if (op == GA_OP_power) return ga_infer_power(in, at, args, 1, out);
  return ga_infer_apply(in, at, op, args, out);
}
