/* SPDX-License-Identifier: MIT */
/* The named operations (gpuarray/ops.h): ops_api.def expanded into functions that
 * check their arrays and evaluate the row's expression. The context keeps the
 * expression at the row's number, so a call finds it without a lock or a look at the
 * text. */
#include "gpuarray/ops.h"

#include <string.h>

#include "gpuarray/expr.h"
#include "lib/array.h"
#include "lib/expr.h"

/* An operand; its number among the function's arguments is the caller's. */
static int check_operand(const char *op, int arg, const GpuArray *a)
{
  GA_TRY(ga_array_check(op, arg, a));
  if (ga_dtype_of(a->typecode) == GA_DT_NONE)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d has typecode %d, expected a type of numbers",
                    op, arg, a->typecode);
  return GA_NO_ERROR;
}

/* The rows whose expressions a context keeps ready. */
enum named {
#define UNARY(name, text)  NAMED_##name,
#define BINARY(name, text) NAMED_##name,
#define SCALED(name, text) NAMED_##name,
#define AFFINE(name, text) NAMED_##name,
#include "ops_api.def"
  NAMED_dot,
  NNAMED,
  NAMED_none = GA_NNAMED /* found by its text */
};
_Static_assert((int)NNAMED <= (int)GA_NNAMED, "the context has room for every row");

/* Puts the function before what is said of its expression, whose text gets lines of its
 * own; returns `err`. */
static int told_by(const char *op, int err)
{
  const char *said = ga_error_message();
  if (err == GA_NO_ERROR) return err;
  return ga_error(err, "%s:%s%s", op, strchr(said, '\n') != NULL ? "\n" : " ", said);
}

/* Evaluates `text` into a new array, or with `into` an existing one. */
static int evaluate(const char *op, enum named row, GpuArray *out, int into, const char *text,
                    unsigned int n, const gpuarg *args)
{
  gpucontext *ctx;
  GpuExpr *e;
  int err = GA_NO_ERROR;

  GA_NOT_NULL(op, 1, out);
  for (unsigned int i = 0; i < n && !into; i++)
    if (args[i].kind == GA_ARG_ARRAY && args[i].v.array == out)
      return ga_error(GA_VALUE_ERROR, "%s: arguments 1 and %u are one array", op, i + 2);
  if (into)
    err = ga_array_check(op, 1, out);
  else
    memset(out, 0, sizeof *out);
  for (unsigned int i = 0; i < n && err == GA_NO_ERROR; i++)
    if (args[i].kind == GA_ARG_ARRAY) err = check_operand(op, (int)i + 2, args[i].v.array);
  GA_TRY(err);
  ctx = into ? out->data->ctx : args[0].v.array->data->ctx;
  err = ga_expr_named(&e, ctx, row, text, n, args);
  if (err != GA_NO_ERROR) return told_by(op, err);
  err = ga_expr_call(e, into ? NULL : out, into ? out : NULL, n, args, 0);
  ga_expr_release(e);
  if (err != GA_NO_ERROR && !into) memset(out, 0, sizeof *out);
  return told_by(op, err);
}

#define UNARY(name, text)                                                                      \
  int GpuArray_##name(GpuArray *out, const GpuArray *a)                                        \
  {                                                                                            \
    return evaluate("GpuArray_" #name, NAMED_##name, out, 0, text, GA_ARGS(ga_array("a", a))); \
  }                                                                                            \
  int GpuArray_##name##_into(GpuArray *out, const GpuArray *a)                                 \
  {                                                                                            \
    return evaluate("GpuArray_" #name "_into", NAMED_##name, out, 1, text,                     \
                    GA_ARGS(ga_array("a", a)));                                                \
  }
#define BINARY(name, text)                                                        \
  int GpuArray_##name(GpuArray *out, const GpuArray *a, const GpuArray *b)        \
  {                                                                               \
    return evaluate("GpuArray_" #name, NAMED_##name, out, 0, text,                \
                    GA_ARGS(ga_array("a", a), ga_array("b", b)));                 \
  }                                                                               \
  int GpuArray_##name##_into(GpuArray *out, const GpuArray *a, const GpuArray *b) \
  {                                                                               \
    return evaluate("GpuArray_" #name "_into", NAMED_##name, out, 1, text,        \
                    GA_ARGS(ga_array("a", a), ga_array("b", b)));                 \
  }
#define SCALED(name, text)                                                 \
  int GpuArray_##name(GpuArray *out, const GpuArray *a, double k)          \
  {                                                                        \
    return evaluate("GpuArray_" #name, NAMED_##name, out, 0, text,         \
                    GA_ARGS(ga_array("a", a), ga_float("k", k)));          \
  }                                                                        \
  int GpuArray_##name##_into(GpuArray *out, const GpuArray *a, double k)   \
  {                                                                        \
    return evaluate("GpuArray_" #name "_into", NAMED_##name, out, 1, text, \
                    GA_ARGS(ga_array("a", a), ga_float("k", k)));          \
  }
#define AFFINE(name, text)                                                          \
  int GpuArray_##name(GpuArray *out, const GpuArray *a, double k, double b)         \
  {                                                                                 \
    return evaluate("GpuArray_" #name, NAMED_##name, out, 0, text,                  \
                    GA_ARGS(ga_array("a", a), ga_float("k", k), ga_float("b", b))); \
  }                                                                                 \
  int GpuArray_##name##_into(GpuArray *out, const GpuArray *a, double k, double b)  \
  {                                                                                 \
    return evaluate("GpuArray_" #name "_into", NAMED_##name, out, 1, text,          \
                    GA_ARGS(ga_array("a", a), ga_float("k", k), ga_float("b", b))); \
  }
#include "ops_api.def"

int GpuArray_axpy(GpuArray *y, double k, const GpuArray *x)
{
  static const char op[] = "GpuArray_axpy";

  GA_TRY(ga_array_check(op, 1, y));
  GA_TRY(check_operand(op, 1, y));
  GA_TRY(check_operand(op, 3, x));
  return told_by(op,
                 GpuArray_eval_into(y, "k*x + y",
                                    GA_ARGS(ga_array("x", x), ga_float("k", k), ga_array("y", y))));
}

int GpuArray_cast(GpuArray *out, const GpuArray *a, int typecode)
{
  static const char op[] = "GpuArray_cast";
  int err;

  GA_TRY(ga_array_begin(op, out, 2, a));
  if (!GpuArray_ISALIGNED(a))
    return ga_error(GA_UNALIGNED_ERROR, "%s: argument 2 is not aligned to its elements", op);
  GA_TRY(ga_array_new(op, out, a->data->ctx, typecode, a->nd, a->dimensions,
                      ga_order_of(a, GA_ANY_ORDER)));
  err = ga_array_move(op, out, a);
  if (err != GA_NO_ERROR) GpuArray_clear(out);
  return err;
}

/* sum(a*b) would repeat a vector of one element. */
static int dot(const char *op, GpuArray *out, int into, const GpuArray *a, const GpuArray *b)
{
  if (out != NULL && !into && out != a && out != b) memset(out, 0, sizeof *out);
  GA_TRY(ga_array_check(op, 2, a));
  GA_TRY(ga_array_check(op, 3, b));
  if (a->nd != 1 || b->nd != 1)
    return ga_error(GA_VALUE_ERROR, "%s: argument %d has %u axes, expected 1", op,
                    a->nd != 1 ? 2 : 3, a->nd != 1 ? a->nd : b->nd);
  GA_TRY(ga_array_check_shape(op, 2, a, 3, b));
  return evaluate(op, NAMED_dot, out, into, "sum(a*b)",
                  GA_ARGS(ga_array("a", a), ga_array("b", b)));
}

int GpuArray_dot(GpuArray *out, const GpuArray *a, const GpuArray *b)
{
  return dot("GpuArray_dot", out, 0, a, b);
}

int GpuArray_dot_into(GpuArray *out, const GpuArray *a, const GpuArray *b)
{
  return dot("GpuArray_dot_into", out, 1, a, b);
}

static const char *norm_text(const GpuArray *a)
{
  enum ga_dtype t = a != NULL ? ga_dtype_of(a->typecode) : GA_DT_NONE;

  switch (t != GA_DT_NONE ? ga_dtypes[t].kind : 'f') {
  case 'c': return "sqrt(sum(real(a)*real(a) + imag(a)*imag(a)))";
  case 'f':
    if (t == GA_DT_FLOAT16) return "float16(sqrt(sum(float32(a)*float32(a))))";
    if (t == GA_DT_BFLOAT16) return "bfloat16(sqrt(sum(float32(a)*float32(a))))";
    return "sqrt(sum(a*a))";
  }
  return "sqrt(sum(float64(a)*float64(a)))";
}

int GpuArray_norm(GpuArray *out, const GpuArray *a)
{
  return evaluate("GpuArray_norm", NAMED_none, out, 0, norm_text(a), GA_ARGS(ga_array("a", a)));
}

int GpuArray_norm_into(GpuArray *out, const GpuArray *a)
{
  return evaluate("GpuArray_norm_into", NAMED_none, out, 1, norm_text(a),
                  GA_ARGS(ga_array("a", a)));
}
