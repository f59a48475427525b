/* SPDX-License-Identifier: MIT */
/* Calls: casts, reductions, scans, functions of several operations, ufuncs; and what
 * people call that is no part of an expression. */
#include <string.h>

#include "infer.h"
#include "ops.h"

static const struct hint {
  const char *name, *instead;
} hints[] = {
    {"dot", "call GpuArray_rdot, GpuArray_rgemv or GpuArray_rgemm, or write sum(x*y)"},
    {"matmul", "call GpuArray_rgemm"},
    {"vdot", "write sum(conj(x)*y)"},
    {"inner", "write sum(x*y)"},
    {"outer", "write x[:, None] * y"},
    {"einsum", "write sum(..., axis=...) of a product, or call GpuArray_rgemm"},
    {"transpose", "write x.T"},
    {"reshape", "call GpuArray_reshape before"},
    {"astype", "write the dtype as a function: float32(x)"},
    {"array", "bind an array to a name"},
    {"zeros", "call GpuArray_zeros before"},
    {"arange", "call GpuArray_arange before"},
    {"accumulate", "write cumsum, cumprod, cummax or cummin, or add.accumulate"},
    {"reduce", "write sum, prod, max, min, all or any, or add.reduce"},
    {"sort", "sorting is no part of the language"},
    {"print", "an expression has a value; it prints nothing"},
    {"len", "write the number"},
    {"average", "write mean(x), or sum(x*w) / sum(w)"},
    {"norm", "write sqrt(sum(x*x))"},
};

/* Ufuncs' methods, which are other functions with another default: axis 0. */
static const struct ufunc {
  const char *name, *reduce, *accumulate;
} ufuncs[] = {
    {"add", "sum", "cumsum"},     {"multiply", "prod", "cumprod"}, {"maximum", "max", "cummax"},
    {"minimum", "min", "cummin"}, {"logical_and", "all", NULL},    {"logical_or", "any", NULL},
};

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

/* "add.reduce": `dot` points at the dot. */
static int method_call(ga_infer *in, int node, const char *dot, ga_val *out)
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
  if (ga_infer_hidden(in, ufuncs[i].name))
    return ga_infer_fail(in, n->at, "'%s' is a bound name here, which hides the function",
                         ufuncs[i].name);
  if (reduce) return ga_infer_reduce(in, node, ufuncs[i].reduce, out);
  if (ufuncs[i].accumulate != NULL) return ga_infer_scan(in, node, ufuncs[i].accumulate, out);
  return ga_infer_fail(in, n->at, "%s is no scan here; of %s there is reduce", n->name,
                       ufuncs[i].name);
}

int ga_infer_call(ga_infer *in, int node, ga_val *out)
{
  const ga_ast_node *n = ga_ast_at(in, node);
  const char *dot = strchr(n->name, '.');
  if (dot != NULL) return method_call(in, node, dot, out);
  const char *name = ga_unalias(n->name);
  enum ga_dtype to = ga_dtype_named(name, strlen(name));
  int op = ga_op_named(name), found;
  if (ga_infer_hidden(in, n->name))
    return ga_infer_fail(in, n->at, "'%.60s' is a bound name here, which hides the function",
                         n->name);
  if (to != GA_DT_NONE) return cast_call(in, node, to, out);
  if (ga_infer_is_reduction(name)) return ga_infer_reduce(in, node, name, out);
  if (ga_scan_named(name) >= 0) return ga_infer_scan(in, node, name, out);
  GA_TRY(ga_infer_func(in, node, name, out, &found));
  if (found) return GA_NO_ERROR;
  if (op >= 0) return op_call(in, node, op, out);
  return unknown(in, n);
}
