/* SPDX-License-Identifier: MIT */
/* Functions that are exact rewritings into the rows of ops.def, by NumPy's own
 * definitions: clip, round, sinc, and angle and imag of real arguments. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "promote.h"

static int apply2(const ga_call *c, int op, const ga_val *x, const ga_val *y, ga_val *out)
{
  ga_val args[2] = {*x, *y};
  return ga_infer_apply(c->in, c->at, op, args, out);
}

/* NumPy drops a Python bound that no element of an integer array can pass. One that
 * is known only at the call becomes the extreme of the result's dtype `all`. */
static int drop_bound(const ga_call *c, enum ga_dtype d, enum ga_dtype all, ga_val *bound,
                      int upper)
{
  const ga_number *n = ga_val_const(c->in, bound);
  if (bound->kind != GA_VAL_WEAK || !ga_is_int(d)) return GA_NO_ERROR;
  if (n == NULL) return ga_weak_bound(&c->in->dag.weak, bound->index, d, all, upper, &bound->index);
  if (n->kind == GA_NUM_INT && ga_number_bounds(n, d, upper)) bound->kind = GA_VAL_OTHER;
  return GA_NO_ERROR;
}

/* The dtype that x and both bounds have together. */
static enum ga_dtype clip_dtype(const ga_infer *in, const ga_val *v)
{
  enum ga_dtype d[3] = {GA_DT_NONE, GA_DT_NONE, GA_DT_NONE}, all;
  for (int i = 0; i < 3; i++)
    if (v[i].kind == GA_VAL_NODE) d[i] = in->dag.nodes[v[i].index].dtype;
  all = ga_promote_all(d, 3);
  for (int i = 1; i < 3; i++)
    if (v[i].kind == GA_VAL_WEAK) d[i] = ga_promote_weak(all, in->dag.weak.nodes[v[i].index].type);
  return ga_promote_all(d, 3);
}

/* maximum, then minimum. What is clipped is an array to NumPy, also when it is a
 * Python number; the pull of each bound on the dtype is felt before the first step. */
static int clip(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "min", "max"};
  ga_val v[3], x;
  enum ga_dtype d, all;
  int node;
  GA_TRY(ga_call_values(c, names, 3, 1, v));
  GA_TRY(ga_infer_node(c->in, c->at, &v[0], GA_DT_NONE, &node));
  x = v[0] = ga_val_node(node);
  d = c->in->dag.nodes[node].dtype;
  all = clip_dtype(c->in, v);
  for (int i = 1; i < 3; i++) GA_TRY(drop_bound(c, d, all, &v[i], i == 2));
  if (v[1].kind != GA_VAL_OTHER && v[2].kind != GA_VAL_OTHER)
    GA_TRY(ga_infer_cast(c->in, c->at, &x, all, &x));
  if (v[1].kind != GA_VAL_OTHER) GA_TRY(apply2(c, GA_OP_maximum, &x, &v[1], &x));
  if (v[2].kind != GA_VAL_OTHER) GA_TRY(apply2(c, GA_OP_minimum, &x, &v[2], &x));
  *out = x;
  return GA_NO_ERROR;
}

/* x * 10**n, rint, / 10**n. */
static int round_real(const ga_call *c, int decimals, const ga_val *x, ga_val *out)
{
  ga_val scale, y;
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, pow(10, abs(decimals)), &scale));
  GA_TRY(apply2(c, decimals > 0 ? GA_OP_multiply : GA_OP_divide, x, &scale, &y));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_rint, &y, &y));
  return apply2(c, decimals > 0 ? GA_OP_divide : GA_OP_multiply, &y, &scale, out);
}

/* Its parts by themselves: a complex quotient is not that of the parts. Where the imaginary part
 * is no finite number in the end, numbers are left as they are: 1j times it has no real part. */
static int round_complex(const ga_call *c, int decimals, const ga_val *x, ga_val *out)
{
  ga_val re, im, choice[3];
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_real, x, &re));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_imag, x, &im));
  GA_TRY(round_real(c, decimals, &re, &re));
  GA_TRY(round_real(c, decimals, &im, &im));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_isfinite, &im, &choice[0]));
  GA_TRY(ga_call_complex(c, &re, &im, &choice[1]));
  choice[2] = *x;
  return ga_infer_apply(c->in, c->at, GA_OP_where, choice, out);
}

/* Integers are whole already, and are rounded to tens and more in float64. */
static int round_to(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "decimals"};
  ga_val v[2], x;
  int node;
  GA_TRY(ga_call_values(c, names, 2, 1, v));
  const ga_number *n = ga_val_const(c->in, &v[1]);
  if (v[1].kind != GA_VAL_OTHER && (n == NULL || n->kind > GA_NUM_INT))
    return ga_infer_fail(c->in, c->at, "round: the decimals are a literal integer");
  int decimals = n == NULL ? 0 : n->i > 400 ? 400 : n->i < -400 ? -400 : (int)n->i;
  GA_TRY(ga_infer_node(c->in, c->at, &v[0], GA_DT_NONE, &node));
  x = ga_val_node(node);
  enum ga_dtype own = c->in->dag.nodes[node].dtype;
  *out = x;
  if (own == GA_DT_BOOL && decimals != 0)
    return ga_infer_fail(c->in, c->at, "round: decimals of a bool array; cast it: float64(x)");
  if (ga_is_int(own) && decimals >= 0) return GA_NO_ERROR;
  if (decimals == 0) return ga_infer_apply(c->in, c->at, GA_OP_rint, &x, out);
  if (ga_kind(own) == 'c') return round_complex(c, decimals, &x, out);
  if (ga_is_int(own)) GA_TRY(ga_infer_cast(c->in, c->at, &x, GA_DT_FLOAT64, &x));
  GA_TRY(round_real(c, decimals, &x, out));
  return ga_is_int(own) ? ga_infer_cast(c->in, c->at, out, own, out) : GA_NO_ERROR;
}

/* y = pi*x; y = where(y, y, eps); sin(y)/y */
static int sinc(const ga_call *c, ga_val *out)
{
  ga_val x, pi, eps, choice[3], y;
  enum ga_dtype d;
  GA_TRY(ga_call_one(c, &x, &d));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 3.14159265358979323846, &pi));
  GA_TRY(apply2(c, GA_OP_multiply, &pi, &x, &y));
  double tiny = 1e-20;
  switch (c->in->dag.nodes[y.index].dtype) {
  case GA_DT_FLOAT16: tiny = ldexp(1, -10); break;
  case GA_DT_BFLOAT16: tiny = ldexp(1, -7); break;
  case GA_DT_FLOAT32: tiny = ldexp(1, -23); break;
  case GA_DT_FLOAT64: tiny = ldexp(1, -52); break;
  default: break;
  }
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, tiny, &eps));
  choice[0] = choice[1] = y;
  choice[2] = eps;
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_where, choice, &y));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_sin, &y, &x));
  return apply2(c, GA_OP_divide, &x, &y, out);
}

/* real and imag of a Python number are its own attributes; 0: it is none, or
 * complex and not known yet. */
static int number_part(const ga_call *c, int op, const ga_val *v, ga_val *out, int *done)
{
  const ga_number *n = ga_val_const(c->in, v);
  *done = v->kind == GA_VAL_WEAK &&
          (n != NULL || c->in->dag.weak.nodes[v->index].type != GA_NUM_COMPLEX);
  if (!*done) return GA_NO_ERROR;
  enum ga_number_kind kind = c->in->dag.weak.nodes[v->index].type;
  int complex = kind == GA_NUM_COMPLEX;
  if (complex) return ga_infer_number(c->in, GA_NUM_FLOAT, op == GA_OP_real ? n->re : n->im, out);
  if (op == GA_OP_real && kind != GA_NUM_BOOL) {
    *out = *v;
    return GA_NO_ERROR;
  }
  if (op == GA_OP_real) return ga_infer_unary(c->in, c->at, GA_OP_positive, v, out);
  return ga_infer_number(c->in, kind == GA_NUM_FLOAT ? GA_NUM_FLOAT : GA_NUM_INT, 0, out);
}

/* real, imag and angle; only complex arguments have rows. */
static int part(const ga_call *c, int op, ga_val *out)
{
  static const char *const names[] = {"x"};
  ga_val v[1], zero;
  int node, done = 0;
  ga_shape shape;
  GA_TRY(ga_call_values(c, names, 1, 1, v));
  if (op != GA_OP_angle) GA_TRY(number_part(c, op, &v[0], out, &done));
  if (done) return GA_NO_ERROR;
  GA_TRY(ga_infer_node(c->in, c->at, &v[0], GA_DT_NONE, &node));
  v[0] = ga_val_node(node);
  enum ga_dtype d = c->in->dag.nodes[node].dtype;
  if (ga_kind(d) == 'c' || op == GA_OP_real) return ga_infer_apply(c->in, c->at, op, v, out);
  GA_TRY(ga_infer_number(c->in, GA_NUM_INT, 0, &zero));
  if (op == GA_OP_angle) return apply2(c, GA_OP_arctan2, &zero, &v[0], out);
  GA_TRY(ga_infer_cast(c->in, c->at, &zero, d, out));
  ga_dag_shape(&c->in->dag, node, &shape);
  return ga_dag_broadcast(&c->in->dag, &out->index, out->index, &shape);
}

static int real_part(const ga_call *c, ga_val *out) { return part(c, GA_OP_real, out); }
static int imag_part(const ga_call *c, ga_val *out) { return part(c, GA_OP_imag, out); }
static int angle(const ga_call *c, ga_val *out) { return part(c, GA_OP_angle, out); }

const ga_func_row ga_funcs_elementwise[] = {
    {"clip", clip},      {"round", round_to}, {"sinc", sinc}, {"real", real_part},
    {"imag", imag_part}, {"angle", angle},    {NULL, NULL},
};
