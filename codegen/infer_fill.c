/* SPDX-License-Identifier: MIT */
/* Other elements of the same shape: astype, zeros_like, ones_like, full_like, and nan_to_num, which
 * has numbers in the place of those that are none. */
#include <math.h>

#include "infer.h"
#include "promote.h"

static int dtype_of(const ga_call *c, int kid, enum ga_dtype *d)
{
  if (c->in->vals[kid].kind != GA_VAL_DTYPE)
    return ga_infer_fail(c->in, ga_ast_at(c->in, kid)->at,
                         "%s: a dtype is expected here, such as float64", c->n->name);
  *d = c->in->vals[kid].dtype;
  return GA_NO_ERROR;
}

static int astype(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"x", "dtype"};
  int kids[2];
  enum ga_dtype d;
  GA_TRY(ga_call_kids(c, names, 2, 2, kids));
  GA_TRY(dtype_of(c, kids[1], &d));
  return ga_infer_cast(c->in, c->at, &c->in->vals[kids[0]], d, out);
}

/* `v` in the dtype named by tree node `kid`, else that of `like`, over the shape of `like`. */
static int filled(const ga_call *c, const ga_val *like, const ga_val *v, int kid, ga_val *out)
{
  enum ga_dtype d;
  int node;
  GA_TRY(ga_call_node(c, like, &node, &d, NULL));
  if (kid >= 0 && ga_ast_at(c->in, kid)->kind != GA_AST_NONE) GA_TRY(dtype_of(c, kid, &d));
  GA_TRY(ga_infer_cast(c->in, c->at, v, d, out));
  return ga_infer_broadcast_to(c->in, c->at, "full_like: the value", node, &out->index);
}

static int like(const ga_call *c, int value, ga_val *out)
{
  static const char *const names[] = {"a", "dtype"};
  int kids[2];
  ga_val n;
  GA_TRY(ga_call_kids(c, names, 2, 1, kids));
  GA_TRY(ga_infer_number(c->in, GA_NUM_INT, value, &n));
  return filled(c, &c->in->vals[kids[0]], &n, kids[1], out);
}

static int zeros_like(const ga_call *c, ga_val *out) { return like(c, 0, out); }
static int ones_like(const ga_call *c, ga_val *out) { return like(c, 1, out); }

static int full_like(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"a", "fill_value", "dtype"};
  int kids[3];
  GA_TRY(ga_call_kids(c, names, 3, 2, kids));
  return filled(c, &c->in->vals[kids[0]], &c->in->vals[kids[1]], kids[2], out);
}

/* ---- nan_to_num -------------------------------------------------------- */

static double greatest(enum ga_dtype d)
{
  switch (d) {
  case GA_DT_FLOAT16: return 65504;
  case GA_DT_BFLOAT16: return 0x1.fep127;
  case GA_DT_FLOAT32: return 0x1.fffffep127;
  default: return 0x1.fffffffffffffp1023;
  }
}

/* where(test(x), n, x) */
static int replace(const ga_call *c, int test, const ga_val *n, ga_val *x)
{
  ga_val choice[3] = {{GA_VAL_OTHER, 0, GA_DT_NONE}, *n, *x}, infinity;
  enum ga_dtype d = c->in->dag.nodes[x->index].dtype;
  if (test == 0) {
    GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_isnan, x, &choice[0]));
  } else {
    GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, test * (double)INFINITY, &infinity));
    GA_TRY(ga_call_op(c, GA_OP_equal, x, &infinity, &choice[0]));
  }
  GA_TRY(ga_infer_cast(c->in, c->at, n, d, &choice[1]));
  if (c->in->dag.nodes[choice[1].index].nd > 0)
    GA_TRY(ga_infer_broadcast_to(c->in, c->at, "nan_to_num: what replaces", x->index,
                                 &choice[1].index));
  return ga_infer_apply(c->in, c->at, GA_OP_where, choice, x);
}

/* NaN, inf and -inf of real numbers by what stands in v[2], v[3] and v[4]. */
static int replace_all(const ga_call *c, const ga_val *v, ga_val *x)
{
  double most = greatest(c->in->dag.nodes[x->index].dtype);
  ga_val n[3];
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, 0, &n[0]));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, most, &n[1]));
  GA_TRY(ga_infer_number(c->in, GA_NUM_FLOAT, -most, &n[2]));
  for (int i = 0; i < 3; i++)
    if (v[2 + i].kind != GA_VAL_OTHER) n[i] = v[2 + i];
  GA_TRY(replace(c, 0, &n[0], x));
  GA_TRY(replace(c, 1, &n[1], x));
  return replace(c, -1, &n[2], x);
}

/* Of complex numbers each part. Whole numbers have nothing to replace. */
static int nan_to_num(const ga_call *c, ga_val *out)
{
  static const char *const names[] = {"x", "copy", "nan", "posinf", "neginf"};
  ga_val v[5], re, im;
  enum ga_dtype d;
  int node;
  GA_TRY(ga_call_values(c, names, 5, 1, v));
  GA_TRY(ga_call_node(c, &v[0], &node, &d, NULL));
  *out = ga_val_node(node);
  if (ga_kind(d) != 'f' && ga_kind(d) != 'c') return GA_NO_ERROR;
  if (ga_kind(d) == 'f') return replace_all(c, v, out);
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_real, out, &re));
  GA_TRY(ga_infer_apply(c->in, c->at, GA_OP_imag, out, &im));
  GA_TRY(replace_all(c, v, &re));
  GA_TRY(replace_all(c, v, &im));
  return ga_call_complex(c, &re, &im, out);
}

const ga_func_row ga_funcs_fill[] = {
    {"astype", astype},       {"zeros_like", zeros_like}, {"ones_like", ones_like},
    {"full_like", full_like}, {"nan_to_num", nan_to_num}, {NULL, NULL},
};
