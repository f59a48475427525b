/* SPDX-License-Identifier: MIT */
/* Questions about elements that are several operations: isclose and allclose, which infinity, real
 * or not; by NumPy's definitions. */
#include <math.h>

#include "infer.h"
#include "promote.h"

/* ---- isclose ----------------------------------------------------------- */

/* |y|, whether y is finite, and whether it is NaN; of a Python number in Python's arithmetic, so
 * that it stays one: y*(1 - 2*(y < 0)), y - y == 0, y != y. */
typedef struct other {
  ga_val y, size, finite, nan;
} other;

/* Python does not order complex numbers: only a literal one has its size here. */
static int of_complex(const ga_call *c, ga_number y, other *o)
{
  const ga_number finite = {.i = isfinite(y.re) && isfinite(y.im)};
  const ga_number nan = {.i = isnan(y.re) || isnan(y.im)};
  o->finite.kind = o->nan.kind = GA_VAL_WEAK;
  GA_TRY(ga_weak_const(&c->in->dag.weak, &finite, &o->finite.index));
  GA_TRY(ga_weak_const(&c->in->dag.weak, &nan, &o->nan.index));
  return ga_infer_number(c->in, GA_NUM_FLOAT, hypot(y.re, y.im), &o->size);
}

static int of_number(const ga_call *c, other *o)
{
  ga_val zero, one, two, t;
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 0, &zero));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 1, &one));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 2, &two));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &o->y, &one, &o->y));
  GA_TRY(ga_call_op(c, GA_OP_less, &o->y, &zero, &t));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &two, &t, &t));
  GA_TRY(ga_call_op(c, GA_OP_subtract, &one, &t, &t));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &o->y, &t, &o->size));
  GA_TRY(ga_call_op(c, GA_OP_subtract, &o->y, &o->y, &t));
  GA_TRY(ga_call_op(c, GA_OP_equal, &t, &zero, &o->finite));
  return ga_call_op(c, GA_OP_not_equal, &o->y, &o->y, &o->nan);
}

/* An array of whole numbers is one of floats here, whose least value has a size. */
static int of_array(const ga_call *c, other *o)
{
  enum ga_dtype d;
  int node;
  GA_TRY(ga_call_node(c, &o->y, &node, &d, NULL));
  GA_TRY(ga_infer_cast(c->in, c->at, &o->y, ga_promote_weak(d, GA_NUM_FLOAT), &o->y));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_absolute, &o->y, &o->size));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_isfinite, &o->y, &o->finite));
  return ga_infer_apply(c->in, c->at, GA_OP_isnan, &o->y, &o->nan);
}

static int of_other(const ga_call *c, other *o)
{
  const ga_number *n = ga_val_const(c->in, &o->y);
  if (n != NULL && n->kind == GA_NUM_COMPLEX) return of_complex(c, *n, o);
  if (o->y.kind == GA_VAL_WEAK && c->in->dag.weak.nodes[o->y.index].type != GA_NUM_COMPLEX)
    return of_number(c, o);
  return of_array(c, o);
}

/* |a - b| <= atol + rtol*|b| where b is finite, or a == b, or both NaN if these are equal. */
static int isclose(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "b", "rtol", "atol", "equal_nan"};
  ga_val v[5], far, bound, t;
  const ga_val *x = &v[0];
  other o;
  int kids[5], equal_nan = 0;
  GA_TRY(ga_call_kids(c, names, 5, 2, kids));
  if (kids[4] >= 0) GA_TRY(ga_infer_flag(c->in, kids[4], names[4], &equal_nan));
  GA_TRY(ga_call_values(c, names, 5, 2, v));
  if (v[2].kind == GA_VAL_OTHER) GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 1e-5, &v[2]));
  if (v[3].kind == GA_VAL_OTHER) GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 1e-8, &v[3]));
  o.y = v[1];
  GA_TRY(of_other(c, &o));
  GA_TRY(ga_call_op(c, GA_OP_subtract, x, &o.y, &far));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_absolute, &far, &far));
  GA_TRY(ga_call_op(c, GA_OP_multiply, &v[2], &o.size, &bound));
  GA_TRY(ga_call_op(c, GA_OP_add, &v[3], &bound, &bound));
  GA_TRY(ga_call_op(c, GA_OP_less_equal, &far, &bound, out));
  GA_TRY(ga_call_op(c, GA_OP_bitwise_and, out, &o.finite, out));
  GA_TRY(ga_call_op(c, GA_OP_equal, x, &o.y, &t));
  GA_TRY(ga_call_op(c, GA_OP_bitwise_or, out, &t, out));
  if (!equal_nan) return GA_NO_ERROR;
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_isnan, x, &t));
  GA_TRY(ga_call_op(c, GA_OP_bitwise_and, &t, &o.nan, &t));
  return ga_call_op(c, GA_OP_bitwise_or, out, &t, out);
}

static int allclose(const ga_call *c, ga_val *out)
{
  ga_reduce_args a;
  GA_TRY(isclose(c, out));
  ga_reduce_over(c->in, c->at, out->index, UINT64_MAX, &a);
  return ga_reduce_node(c->in, &a, GA_REDUCE_all, a.node, GA_DT_BOOL, 0, &out->index);
}

/* ---- which infinity, real or not --------------------------------------- */

static int is_infinity(const ga_call *c, double infinity, ga_val *out)
{
  ga_val v, n;
  enum ga_dtype d;
  GA_TRY(ga_call_one(c, &v, &d));
  if (ga_kind(d) == 'c')
    return ga_infer_fail(c->in, c->at, "%s is not defined for %s", c->n->name, ga_dtypes[d].name);
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, infinity, &n));
  return ga_call_op(c, GA_OP_equal, &v, &n, out);
}

static int isposinf(const ga_call *c, ga_val *out) { return is_infinity(c, INFINITY, out); }
static int isneginf(const ga_call *c, ga_val *out) { return is_infinity(c, -INFINITY, out); }

/* Whether the imaginary part is 0, or is not. */
static int has_imaginary(const ga_call *c, int op, ga_val *out)
{
  ga_val v, zero;
  enum ga_dtype d;
  GA_TRY(ga_call_one(c, &v, &d));
  if (ga_kind(d) != 'c') return ga_infer_constant(c->in, op == GA_OP_equal, v.index, out);
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_imag, &v, &v));
  GA_TRY(ga_infer_number(c->in, GA_NUM_INT, 0, &zero));
  return ga_call_op(c, op, &v, &zero, out);
}

static int isreal(const ga_call *c, ga_val *out) { return has_imaginary(c, GA_OP_equal, out); }
static int iscomplex(const ga_call *c, ga_val *out)
{
  return has_imaginary(c, GA_OP_not_equal, out);
}

const ga_func_row ga_funcs_test[] = {
    {"isclose", isclose}, {"allclose", allclose},   {"isposinf", isposinf}, {"isneginf", isneginf},
    {"isreal", isreal},   {"iscomplex", iscomplex}, {NULL, NULL},
};
