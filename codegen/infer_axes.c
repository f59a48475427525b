/* SPDX-License-Identifier: MIT */
/* What stands in a reduction's or scan's parentheses: axis=, dtype=, keepdims=, ddof=,
 * initial=, where=, in NumPy's places or by name. */
#include <string.h>

#include "infer.h"
#include "promote.h"

enum param { AXIS, DTYPE, KEEPDIMS, INITIAL, WHERE, DDOF, EXCLUSIVE, NPARAM };

static const char *const param_names[NPARAM] = {"axis",  "dtype", "keepdims", "initial",
                                                "where", "ddof",  "exclusive"};

/* Which of them each reduction or scan takes, and which may stand without its name. */
static const struct takes {
  const char *name;
  unsigned int params, places;
} takes[] = {
    {"sum", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << INITIAL | 1 << WHERE, 2},
    {"prod", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << INITIAL | 1 << WHERE, 2},
    {"min", 1 << AXIS | 1 << KEEPDIMS | 1 << INITIAL | 1 << WHERE, 1},
    {"max", 1 << AXIS | 1 << KEEPDIMS | 1 << INITIAL | 1 << WHERE, 1},
    {"any", 1 << AXIS | 1 << KEEPDIMS | 1 << WHERE, 1},
    {"all", 1 << AXIS | 1 << KEEPDIMS | 1 << WHERE, 1},
    {"mean", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << WHERE, 2},
    {"var", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << WHERE | 1 << DDOF, 2},
    {"std", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << WHERE | 1 << DDOF, 2},
    {"cumsum", 1 << AXIS | 1 << DTYPE | 1 << EXCLUSIVE, 2},
    {"cumprod", 1 << AXIS | 1 << DTYPE | 1 << EXCLUSIVE, 2},
    {"cummax", 1 << AXIS | 1 << EXCLUSIVE, 1},
    {"cummin", 1 << AXIS | 1 << EXCLUSIVE, 1},
    {".reduce", 1 << AXIS | 1 << DTYPE | 1 << KEEPDIMS | 1 << INITIAL | 1 << WHERE, 2},
    {".accumulate", 1 << AXIS | 1 << DTYPE, 2},
    {"", 1 << AXIS | 1 << KEEPDIMS, 1}, /* all others */
};

/* A row whose name begins with a dot is any ufunc's. */
static const struct takes *takes_of(const char *name)
{
  const struct takes *t = takes;
  const char *dot = strchr(name, '.');
  name = ga_infer_without_nan(name);
  while (t->name[0] != '\0' && strcmp(t->name, name) != 0 &&
         (dot == NULL || strcmp(t->name, dot) != 0))
    t++;
  return t;
}

/* ---- axis= ------------------------------------------------------------- */

int ga_infer_axis(ga_infer *in, int kid, unsigned int nd, unsigned int *axis)
{
  size_t at = ga_ast_at(in, kid)->at;
  const ga_number *n = ga_val_const(in, &in->vals[kid]);
  if (n == NULL || n->kind != GA_NUM_INT)
    return ga_infer_fail(in, at, "an axis is a literal integer, a tuple of them, or None");
  ga_int128 i = n->i < 0 ? n->i + nd : n->i;
  *axis = (unsigned int)i;
  if (i >= 0 && i < (ga_int128)nd) return GA_NO_ERROR;
  char text[48];
  ga_int128_text(text, n->i);
  return ga_infer_fail(in, at, "axis %s is out of bounds for an array of %u ax%s", text, nd,
                       nd == 1 ? "is" : "es");
}

static int add_axis(ga_infer *in, ga_reduce_args *a, int kid)
{
  const ga_number *n = ga_val_const(in, &in->vals[kid]);
  unsigned int nd = in->dag.nodes[a->node].nd, axis;
  /* NumPy's ufuncs take axis 0 of a 0-d array; its moments do not */
  if (nd == 0 && !a->tuple && !a->moment && n != NULL && n->kind == GA_NUM_INT &&
      (n->i == 0 || n->i == -1))
    return GA_NO_ERROR;
  GA_TRY(ga_infer_axis(in, kid, nd, &axis));
  uint64_t bit = (uint64_t)1 << axis;
  if (a->axes & bit)
    return ga_infer_fail(in, ga_ast_at(in, kid)->at, "axis %u is given twice", axis);
  a->axes |= bit;
  return GA_NO_ERROR;
}

static uint64_t all_axes(unsigned int nd)
{
  return nd == 64 ? ~(uint64_t)0 : ((uint64_t)1 << nd) - 1;
}

static void count(const ga_infer *in, ga_reduce_args *a)
{
  const ga_dnode *x = &in->dag.nodes[a->node];
  a->count = 1;
  for (unsigned int k = 0; k < x->nd; k++)
    if (a->axes >> k & 1) a->count *= (double)x->dims[k];
}

int ga_reduce_axes(ga_infer *in, int kid, ga_reduce_args *a)
{
  const ga_ast_node *n = ga_ast_at(in, kid);
  a->axes = 0;
  a->tuple = n->kind == GA_AST_TUPLE;
  if (n->kind == GA_AST_NONE) {
    a->axes = all_axes(in->dag.nodes[a->node].nd);
  } else if (!a->tuple) {
    GA_TRY(add_axis(in, a, kid));
  } else {
    for (unsigned int i = 0; i < n->nkid; i++) GA_TRY(add_axis(in, a, ga_ast_kid(in, kid, i)));
  }
  count(in, a);
  return GA_NO_ERROR;
}

void ga_reduce_over(const ga_infer *in, size_t at, int node, uint64_t axes, ga_reduce_args *a)
{
  memset(a, 0, sizeof *a);
  a->at = at;
  a->a = ga_val_node(node);
  a->node = node;
  a->axes = axes & all_axes(in->dag.nodes[node].nd);
  a->dtype = GA_DT_NONE;
  count(in, a);
}

/* ---- the others -------------------------------------------------------- */

/* Truths of the array's shape, or that broadcast to it. */
static int set_where(ga_infer *in, ga_reduce_args *a, const ga_val *v, size_t at)
{
  const ga_number *n = ga_val_const(in, v);
  if (n != NULL && n->kind == GA_NUM_BOOL && n->i) return GA_NO_ERROR;
  if (v->kind == GA_VAL_NODE && in->dag.nodes[v->index].dtype != GA_DT_BOOL)
    return ga_infer_fail(in, at, "where= is an array of bool; write a comparison: where=m != 0");
  GA_TRY(ga_infer_cast(in, at, v, GA_DT_BOOL, &a->where));
  return ga_infer_broadcast_to(in, at, "where=", a->node, &a->where.index);
}

int ga_infer_flag(const ga_infer *in, int kid, const char *name, int *flag)
{
  const ga_number *n = ga_val_const(in, &in->vals[kid]);
  if (n == NULL || n->kind > GA_NUM_INT)
    return ga_infer_fail(in, ga_ast_at(in, kid)->at, "%s= is True or False", name);
  *flag = n->i != 0;
  return GA_NO_ERROR;
}

static int set_param(ga_infer *in, ga_reduce_args *a, enum param p, int kid)
{
  const ga_val *v = &in->vals[kid];
  const ga_number *n = ga_val_const(in, v);
  size_t at = ga_ast_at(in, kid)->at;
  int none = ga_ast_at(in, kid)->kind == GA_AST_NONE;
  switch (p) {
  case AXIS: return ga_reduce_axes(in, kid, a);
  case DTYPE:
    if (v->kind != GA_VAL_DTYPE && !none)
      return ga_infer_fail(in, at, "dtype= is the name of a dtype, such as float64");
    if (!none) a->dtype = v->dtype;
    return GA_NO_ERROR;
  case KEEPDIMS: return ga_infer_flag(in, kid, "keepdims", &a->keepdims);
  case WHERE: return set_where(in, a, v, at);
  case EXCLUSIVE: return ga_infer_flag(in, kid, "exclusive", &a->exclusive);
  case INITIAL:
    if (v->kind != GA_VAL_NODE && v->kind != GA_VAL_WEAK && !none)
      return ga_infer_fail(in, at, "initial= is a number");
    if (v->kind == GA_VAL_NODE && in->dag.nodes[v->index].nd != 0)
      return ga_infer_fail(in, at, "initial= is one number, not an array with axes");
    a->initial = *v;
    a->no_identity = none;
    return GA_NO_ERROR;
  default:
    if (n == NULL || n->kind > GA_NUM_FLOAT)
      return ga_infer_fail(in, at, "ddof= is a literal number");
    a->ddof = ga_number_real(n);
    return GA_NO_ERROR;
  }
}

static int wrong_name(ga_infer *in, const ga_ast_node *k, const char *name)
{
  if (strcmp(k->name, "where") == 0)
    return ga_infer_fail(in, k->at, "%s takes no 'where='; write %s(where(condition, x, ...))",
                         name, name);
  if (strcmp(k->name, "out") == 0)
    return ga_infer_fail(in, k->at, "%s takes no 'out='; write a statement: name = %s(...)", name,
                         name);
  return ga_infer_fail(in, k->at, "%s takes no '%.60s='", name, k->name);
}

/* Which parameter kid i of the call is; NPARAM for the array. */
static int which(ga_infer *in, int node, const struct takes *t, const char *name, unsigned int i,
                 enum param *p)
{
  const ga_ast_node *k = ga_ast_at(in, ga_ast_kid(in, node, i));
  *p = NPARAM;
  if (k->kind != GA_AST_KEYWORD) {
    if (i > t->places && !(t->params & (1 << EXCLUSIVE | 1 << KEEPDIMS)))
      return ga_infer_fail(in, k->at, "%s takes an array, an axis and a dtype", name);
    if (i > t->places)
      return ga_infer_fail(in, k->at, "%s takes this argument by name only: %s=True", name,
                           param_names[t->params >> EXCLUSIVE & 1 ? EXCLUSIVE : KEEPDIMS]);
    if (i > 0) *p = i == 1 ? AXIS : DTYPE;
    return GA_NO_ERROR;
  }
  const char *key = strcmp(k->name, "correction") == 0 ? "ddof" : k->name;
  if (i > 0)
    for (int q = 0; q < NPARAM; q++)
      if (strcmp(param_names[q], key) == 0 && t->params >> q & 1) *p = (enum param)q;
  return *p == NPARAM ? wrong_name(in, k, name) : GA_NO_ERROR;
}

int ga_infer_reduce_args(ga_infer *in, int node, const char *name, ga_reduce_args *a)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  const struct takes *t;
  unsigned int given = 0;
  memset(a, 0, sizeof *a);
  a->method = strchr(n->name, '.') != NULL;
  if (a->method) name = n->name;
  t = takes_of(name);
  a->at = n->at;
  a->dtype = GA_DT_NONE;
  a->moment = !a->method && (t->params >> DTYPE & 1) &&
              !(t->params >> INITIAL & 1 || t->params >> EXCLUSIVE & 1);
  if (n->nkid == 0) return ga_infer_fail(in, n->at, "%s needs an array", name);
  for (unsigned int i = 0; i < n->nkid; i++) {
    int kid = ga_ast_kid(in, node, i);
    enum param p;
    GA_TRY(which(in, node, t, name, i, &p));
    if (p == NPARAM) {
      a->a = in->vals[kid];
      GA_TRY(ga_infer_node(in, ga_ast_at(in, kid)->at, &a->a, GA_DT_NONE, &a->node));
      a->axes = all_axes(in->dag.nodes[a->node].nd);
      if (a->method) a->axes &= 1;
      if (ga_leaves_nan(in, name, a->node)) a->moment = 0; /* ufuncs' sums, divided */
      continue;
    }
    if (given >> p & 1)
      return ga_infer_fail(in, ga_ast_at(in, kid)->at, "%s: '%s' is given twice", name,
                           param_names[p]);
    given |= 1u << p;
    if (ga_ast_at(in, kid)->kind == GA_AST_KEYWORD) kid = ga_ast_kid(in, kid, 0);
    GA_TRY(set_param(in, a, p, kid));
  }
  count(in, a);
  return GA_NO_ERROR;
}
