/* SPDX-License-Identifier: MIT */
/* Calls: casts, reductions, scans, functions of several operations, views, ufuncs, methods and
 * attributes; and what people call that is no part of an expression. */
#include <string.h>

#include "infer.h"
#include "ops.h"

static const struct hint {
  const char *name, *instead;
} hints[] = {
    {"einsum", "write sum(..., axis=...) of a product, or call GpuArray_rgemm"},
    {"reshape", "call GpuArray_reshape before"},
    {"ravel", "call GpuArray_reshape before"},
    {"concatenate", "call GpuArray_concatenate before"},
    {"nanargmax", "write argmax(where(isnan(x), -inf, x))"},
    {"nanargmin", "write argmin(where(isnan(x), inf, x))"},
    {"array", "bind an array to a name"},
    {"zeros", "call GpuArray_zeros before"},
    {"arange", "call GpuArray_arange before"},
    {"accumulate", "write cumsum, cumprod, cummax or cummin, or add.accumulate"},
    {"reduce", "write sum, prod, max, min, all or any, or add.reduce"},
    {"sort", "sorting is no part of the language"},
    {"print", "an expression has a value; it prints nothing"},
    {"len", "write the number"},
};

/* Ufuncs' methods, which are other functions with another default: axis 0. */
static const struct ufunc {
  const char *name, *reduce, *accumulate;
} ufuncs[] = {
    {"add", "sum", "cumsum"},     {"multiply", "prod", "cumprod"}, {"maximum", "max", "cummax"},
    {"minimum", "min", "cummin"}, {"logical_and", "all", NULL},    {"logical_or", "any", NULL},
};

static const ga_func_row *const tables[] = {ga_funcs_elementwise, ga_funcs_test, ga_funcs_fill,
                                            ga_funcs_product,     ga_funcs_norm, ga_funcs_average,
                                            ga_funcs_view};

static const ga_func_row *func_named(const char *name)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    for (const ga_func_row *f = tables[i]; f->name != NULL; f++)
      if (strcmp(f->name, name) == 0) return f;
  return NULL;
}

int ga_infer_is_function(const char *name)
{
  name = ga_unalias(name);
  return ga_op_named(name) >= 0 || ga_scan_named(ga_infer_without_nan(name)) >= 0 ||
         ga_infer_is_reduction(name) || func_named(name) != NULL;
}

/* ---- calls ------------------------------------------------------------- */

static int unknown(const ga_infer *in, const ga_ast_node *n)
{
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strcmp(hints[i].name, n->name) == 0)
      return ga_infer_fail(in, n->at, "no function '%s' here; %s", n->name, hints[i].instead);
  return ga_infer_fail(in, n->at, "unknown function '%.60s'", n->name);
}

static int cast_call(ga_infer *in, int node, enum ga_dtype to, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  if (n->nkid != 1 || ga_ast_at(in, ga_ast_kid(in, node, 0))->kind == GA_AST_KEYWORD)
    return ga_infer_fail(in, n->at, "%s takes 1 argument, got %u", n->name, n->nkid);
  return ga_infer_cast(in, n->at, &in->vals[ga_ast_kid(in, node, 0)], to, out);
}

static int op_call(ga_infer *in, int node, int op, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  const ga_op_info *info = ga_op_info_of(op);
  ga_val args[3];
  for (unsigned int i = 0; i < n->nkid; i++) {
    const ga_ast_node *kid = ga_ast_at(in, ga_ast_kid(in, node, i));
    if (kid->kind == GA_AST_KEYWORD)
      return ga_infer_fail(in, kid->at, "%s takes no '%.60s='", info->name, kid->name);
  }
  if ((int)n->nkid != info->nargs)
    return ga_infer_fail(in, n->at, "%s takes %d argument%s, got %u", info->name, info->nargs,
                         info->nargs == 1 ? "" : "s", n->nkid);
  for (int i = 0; i < info->nargs; i++) args[i] = in->vals[ga_ast_kid(in, node, (unsigned)i)];
  if (op >= GA_OP_equal && op <= GA_OP_greater_equal)
    return ga_infer_compare(in, n->at, op, &args[0], &args[1], out);
  if (op == GA_OP_power) return ga_infer_power(in, n->at, args, 0, out);
  return ga_infer_apply(in, n->at, op, args, out);
}

/* A bound name hides the function `name` of call n, unless NumPy's is asked for. */
static int check_hidden(const ga_infer *in, const ga_ast_node *n, const char *name)
{
  if (n->module != NULL) return ga_infer_module(in, n);
  if (!ga_infer_hidden(in, name)) return GA_NO_ERROR;
  return ga_infer_fail(in, n->at, "'%.60s' is a bound name here, which hides the function", name);
}

/* "add.reduce": `dot` points at the dot. */
static int ufunc_method(ga_infer *in, int node, const char *dot, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  size_t len = (size_t)(dot - n->name), i = 0, most = sizeof ufuncs / sizeof *ufuncs;
  int reduce = strcmp(dot, ".reduce") == 0;
  while (i < most && (strlen(ufuncs[i].name) != len || memcmp(ufuncs[i].name, n->name, len) != 0))
    i++;
  if (i == most)
    return ga_infer_fail(in, n->at,
                         "%.60s: only add, multiply, maximum, minimum, logical_and and logical_or "
                         "have '%s' here",
                         n->name, dot + 1);
  GA_TRY(check_hidden(in, n, ufuncs[i].name));
  if (reduce) return ga_infer_reduce(in, node, ufuncs[i].reduce, out);
  if (ufuncs[i].accumulate != NULL) return ga_infer_scan(in, node, ufuncs[i].accumulate, out);
  return ga_infer_fail(in, n->at, "%s is no scan here; of %s there is reduce", n->name,
                       ufuncs[i].name);
}

/* ---- attributes and methods of arrays ---------------------------------- */

int ga_infer_attribute(ga_infer *in, int node, ga_val *out)
{
  static const struct attribute {
    const char *name, *func;
  } attributes[] = {
      {"T", "transpose"}, {"mT", "matrix_transpose"}, {"real", "real"}, {"imag", "imag"}};
  const ga_ast_node *n = ga_ast_at(in, node);
  const ga_val *v = &in->vals[ga_ast_kid(in, node, 0)];
  const ga_call c = {in, n->at, n, node};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (strcmp(attributes[i].name, n->name) != 0) continue;
    if (i < 2 && v->kind != GA_VAL_NODE) return ga_infer_fail(in, n->at, "only arrays have axes");
    return func_named(attributes[i].func)->infer(&c, out);
  }
  return ga_infer_fail(in, n->at,
                       "no attribute '%.60s' here; arrays have T, mT, real, imag, and methods such "
                       "as sum(axis=...)",
                       n->name);
}

/* The functions that are methods of NumPy's arrays too, with the same arguments after the array. */
static int is_method(const char *name)
{
  static const char *const methods[] = {
      "all",       "any",     "argmax", "argmin", "astype",   "clip",      "conj",
      "conjugate", "cumprod", "cumsum", "max",    "mean",     "min",       "prod",
      "round",     "squeeze", "std",    "sum",    "swapaxes", "transpose", "var"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i], name) == 0) return 1;
  return 0;
}

static int check_method(ga_infer *in, int node)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  if (!is_method(n->name))
    return ga_infer_fail(in, n->at, "arrays have no method '%.60s' here", n->name);
  if (in->vals[ga_ast_kid(in, node, 0)].kind != GA_VAL_NODE)
    return ga_infer_fail(in, n->at, "only arrays have methods");
  return GA_NO_ERROR;
}

int ga_infer_call(ga_infer *in, int node, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  const char *dot = strchr(n->name, '.');
  if (n->op) GA_TRY(check_method(in, node));
  if (dot != NULL) return ufunc_method(in, node, dot, out);
  const char *name = ga_unalias(n->name);
  enum ga_dtype to = ga_dtype_named(name, strlen(name));
  int op = ga_op_named(name);
  const ga_func_row *func = func_named(name);
  if (!n->op) GA_TRY(check_hidden(in, n, n->name));
  if (to != GA_DT_NONE) return cast_call(in, node, to, out);
  if (ga_infer_is_reduction(name)) return ga_infer_reduce(in, node, name, out);
  if (ga_scan_named(ga_infer_without_nan(name)) >= 0) return ga_infer_scan(in, node, name, out);
  if (func != NULL) return func->infer(&(ga_call){in, n->at, n, node}, out);
  if (op >= 0) return op_call(in, node, op, out);
  return unknown(in, n);
}
