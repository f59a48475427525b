/* SPDX-License-Identifier: MIT */
/* The typing pass (infer.h): one loop over the tree's nodes in their post-order,
 * statements included; a name means what was last assigned to it, else what is
 * bound, else a constant, dtype or function of the language. */
#include "infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "promote.h"

static const struct constant {
  const char *name;
  double value;
} constants[] = {
    {"pi", 3.14159265358979323846},
    {"e", 2.71828182845904523536},
    {"inf", INFINITY},
    {"nan", NAN},
    {"euler_gamma", 0.57721566490153286061},
};

static ga_var *var_of(const ga_infer *in, const char *name)
{
  for (unsigned int i = 0; i < in->nvar; i++)
    if (strcmp(in->vars[i].name, name) == 0) return &in->vars[i];
  return NULL;
}

static int bind_of(const ga_infer *in, const char *name)
{
  for (unsigned int i = 0; i < in->nbind; i++)
    if (strcmp(in->binds[i].name, name) == 0) return (int)i;
  return -1;
}

int ga_infer_hidden(const ga_infer *in, const char *name)
{
  return var_of(in, name) != NULL || bind_of(in, name) >= 0;
}

int ga_infer_module(const ga_infer *in, const ga_ast_node *n)
{
  if (!ga_infer_hidden(in, n->module)) return GA_NO_ERROR;
  return ga_infer_fail(in, n->at, "'%s' is a bound name here, which hides the module", n->module);
}

/* ---- names ------------------------------------------------------------- */

static int load(ga_infer *in, unsigned int bind, ga_val *out)
{
  const ga_bind *b = &in->binds[bind];
  ga_shape shape = {.nd = b->nd};
  int node;
  if (b->nd > 0) memcpy(shape.dims, b->dims, b->nd * sizeof *b->dims);
  GA_TRY(ga_dag_load(&in->dag, &node, bind, b->dtype, &shape, 0, b->strides));
  *out = ga_val_node(node);
  return GA_NO_ERROR;
}

static int bound(ga_infer *in, size_t at, unsigned int bind, ga_val *out)
{
  const ga_bind *b = &in->binds[bind];
  int weak;
  out->kind = GA_VAL_WEAK;
  switch (b->kind) {
  case GA_BIND_ARRAY: return load(in, bind, out);
  case GA_BIND_WEAK_INT: return ga_weak_bind(&in->dag.weak, bind, GA_NUM_INT, &out->index);
  case GA_BIND_WEAK_FLOAT: return ga_weak_bind(&in->dag.weak, bind, GA_NUM_FLOAT, &out->index);
  case GA_BIND_SCALAR:
    GA_TRY(ga_weak_strong(&in->dag.weak, bind, b->dtype, &weak));
    out->kind = GA_VAL_NODE;
    return ga_dag_param(&in->dag, &out->index, weak, b->dtype);
  default: return ga_infer_fail(in, at, "'%.60s' is read before it is assigned", b->name);
  }
}

static int name_value(ga_infer *in, const ga_ast_node *n, ga_val *out)
{
  const ga_var *var = n->module == NULL ? var_of(in, n->name) : NULL;
  int bind = n->module == NULL ? bind_of(in, n->name) : -1;
  if (n->module != NULL) GA_TRY(ga_infer_module(in, n));
  if (var != NULL) {
    *out = var->val;
    return GA_NO_ERROR;
  }
  if (bind >= 0) return bound(in, n->at, (unsigned int)bind, out);
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
    if (strcmp(constants[i].name, n->name) == 0)
      return ga_infer_number(in, GA_NUM_FLOAT, constants[i].value, out);
  if (strcmp(n->name, "newaxis") == 0) return GA_NO_ERROR; /* ga_infer_index() knows it */
  const char *name = ga_unalias(n->name);
  out->dtype = ga_dtype_named(name, strlen(name));
  if (out->dtype != GA_DT_NONE) {
    out->kind = GA_VAL_DTYPE;
    return GA_NO_ERROR;
  }
  if (ga_infer_is_function(n->name)) {
    out->kind = GA_VAL_FUNC;
    return GA_NO_ERROR;
  }
  return ga_infer_fail(in, n->at, "unknown name '%.60s'", n->name);
}

/* ---- statements -------------------------------------------------------- */

static int set_var(ga_infer *in, const char *name, const ga_val *v)
{
  ga_var *var = var_of(in, name);
  if (var == NULL) {
    GA_TRY(ga_grow(&in->vars, &in->varcap, (size_t)in->nvar + 1, sizeof *in->vars));
    var = &in->vars[in->nvar++];
    var->name = name;
  }
  var->val = *v;
  return GA_NO_ERROR;
}

/* The last value of a name is what its array gets. */
static int set_output(ga_infer *in, enum ga_slot_kind kind, int bind, int node)
{
  unsigned int i = 0;
  while (i < in->noutput && !(in->outputs[i].bind == bind)) i++;
  if (i == in->noutput) {
    GA_TRY(ga_grow(&in->outputs, &in->outcap, (size_t)i + 1, sizeof *in->outputs));
    in->noutput++;
  }
  in->outputs[i] = (ga_output){kind, bind, node};
  return GA_NO_ERROR;
}

/* The value as it is written into an existing array: of its dtype and shape. */
static int convert(ga_infer *in, size_t at, const ga_val *v, const ga_bind *to, const char *what,
                   ga_val *out)
{
  ga_val x = *v;
  char text[512], shape[512];
  if (v->kind == GA_VAL_WEAK && in->dag.weak.nodes[v->index].type <= GA_NUM_INT && !in->unsafe &&
      to->dtype != GA_DT_BOOL) {
    GA_TRY(ga_infer_cast(in, at, v, to->dtype, &x)); /* checks that it fits */
  } else {
    GA_TRY(ga_infer_node(in, at, v, GA_DT_NONE, &x.index));
    x.kind = GA_VAL_NODE;
  }
  const ga_dnode *n = &in->dag.nodes[x.index];
  ga_val_text(in, &x, text, sizeof text);
  if (!in->unsafe && !ga_cast_same_kind(n->dtype, to->dtype))
    return ga_infer_fail(in, at, "the value is %s, %s is %s; write the cast: %s(...)", text, what,
                         ga_dtypes[to->dtype].name, ga_dtypes[to->dtype].name);
  if (n->nd != to->nd || (n->nd > 0 && memcmp(n->dims, to->dims, n->nd * sizeof *n->dims) != 0)) {
    ga_dims_text(shape, sizeof shape, to->nd, to->dims);
    return ga_infer_fail(in, at, "the value is %s, %s has shape %s; the shapes must be equal", text,
                         what, shape);
  }
  return ga_infer_cast(in, at, &x, to->dtype, out);
}

static int assign(ga_infer *in, const ga_ast_node *n, const ga_val *v)
{
  int bind = bind_of(in, n->name);
  char what[80] = "the array";
  ga_val x = *v;
  if (v->kind != GA_VAL_NODE && v->kind != GA_VAL_WEAK)
    return ga_infer_fail(in, n->at, "expected an array or a number after '='");
  if (bind >= 0 && in->binds[bind].kind == GA_BIND_ARRAY) {
    strcpy(what, "'");
    strncat(what, n->name, 60);
    strcat(what, "'");
    GA_TRY(convert(in, n->at, v, &in->binds[bind], what, &x));
    GA_TRY(set_output(in, GA_SLOT_ARG, bind, x.index));
  } else if (bind >= 0 && in->binds[bind].kind == GA_BIND_NEW) {
    int node;
    GA_TRY(ga_infer_node(in, n->at, v, GA_DT_NONE, &node));
    GA_TRY(set_output(in, GA_SLOT_NEW, bind, node));
    if (v->kind == GA_VAL_NODE) x = ga_val_node(node);
  }
  return set_var(in, n->name, &x);
}

static int value(ga_infer *in, const ga_ast_node *n, const ga_val *v, int last)
{
  ga_val x = *v;
  if (!last) return GA_NO_ERROR;
  if (in->into != NULL) {
    GA_TRY(convert(in, n->at, v, in->into, "the array it is written to", &x));
  } else {
    GA_TRY(ga_infer_node(in, n->at, v, GA_DT_NONE, &x.index));
  }
  return set_output(in, GA_SLOT_RESULT, -1, x.index);
}

/* ---- the walk ---------------------------------------------------------- */

static int number(ga_infer *in, const ga_ast_node *n, ga_val *out)
{
  out->kind = GA_VAL_WEAK;
  return ga_weak_const(&in->dag.weak, &n->number, &out->index);
}

static int visit(ga_infer *in, int node)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  const ga_val *kid = n->nkid ? &in->vals[in->ast->kids[n->kid]] : NULL;
  ga_val *out = &in->vals[node];
  switch (n->kind) {
  case GA_AST_NUMBER: return number(in, n, out);
  case GA_AST_NAME: return name_value(in, n, out);
  case GA_AST_UNARY: return ga_infer_unary(in, n->at, n->op, kid, out);
  case GA_AST_BINARY:
    return ga_infer_binary(in, n->at, n->op, kid, &in->vals[ga_ast_kid(in, node, 1)], out);
  case GA_AST_CALL: return ga_infer_call(in, node, out);
  case GA_AST_INDEX: return ga_infer_index(in, node, out);
  case GA_AST_ATTRIBUTE: return ga_infer_attribute(in, node, out);
  case GA_AST_ASSIGN: return assign(in, n, kid);
  case GA_AST_VALUE: return value(in, n, kid, node == (int)in->ast->nnode - 1);
  default: return GA_NO_ERROR; /* looked at by the node that uses it */
  }
}

static int check_binds(const ga_infer *in)
{
  for (unsigned int i = 0; i < in->nbind; i++) {
    const ga_bind *b = &in->binds[i];
    if (b->name == NULL) return ga_error(GA_VALUE_ERROR, "expression: argument %u has no name", i);
    for (unsigned int j = 0; j < i; j++)
      if (strcmp(b->name, in->binds[j].name) == 0)
        return ga_error(GA_VALUE_ERROR, "expression: arguments %u and %u are both called '%s'", j,
                        i, b->name);
    if (b->kind == GA_BIND_ARRAY && b->nd > GA_MAXND)
      return ga_error(GA_VALUE_ERROR, "expression: '%s' has %u axes; at most %d are taken", b->name,
                      b->nd, GA_MAXND);
  }
  return GA_NO_ERROR;
}

/* Every array to be created was assigned, and a wanted value is there. */
static int check_outputs(const ga_infer *in)
{
  const ga_ast_node *last = &in->ast->nodes[in->ast->nnode - 1];
  if (in->into != NULL && last->kind != GA_AST_VALUE)
    return ga_infer_fail(in, last->at, "the last statement only assigns: the text has no value");
  for (unsigned int i = 0; i < in->nbind; i++)
    if (in->binds[i].kind == GA_BIND_NEW && var_of(in, in->binds[i].name) == NULL)
      return ga_error(GA_VALUE_ERROR,
                      "expression: '%s' is to be created, but the text does not assign it",
                      in->binds[i].name);
  return GA_NO_ERROR;
}

int ga_infer_run(ga_infer *in)
{
  ga_dag_init(&in->dag);
  GA_TRY(check_binds(in));
  in->vals = calloc(in->ast->nnode, sizeof *in->vals);
  if (in->vals == NULL) return ga_error_memory("expression", in->ast->nnode * sizeof *in->vals);
  for (unsigned int i = 0; i < in->ast->nnode; i++) GA_TRY(visit(in, (int)i));
  return check_outputs(in);
}

void ga_infer_clear(ga_infer *in)
{
  ga_dag_clear(&in->dag);
  free(in->vals);
  free(in->vars);
  free(in->outputs);
  memset(in, 0, sizeof *in);
}
