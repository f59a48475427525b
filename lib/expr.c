/* SPDX-License-Identifier: MIT */
/* The public functions of expressions. An expression is parsed once; what it
 * does for given dtypes and shapes is a plan (plan.c), made at the first such call
 * and found again by the next ones without a lock. */
#include "lib/expr.h"

#include <stdlib.h>
#include <string.h>

#include "lib/argkind.h"
#include "lib/capture.h"
#include "lib/context.h"

static char *copy_name(const char *name)
{
  size_t n = strlen(name) + 1;
  char *s = malloc(n);
  if (s != NULL) memcpy(s, name, n);
  return s;
}

static int take_names(GpuExpr *e, unsigned int n, const gpuarg *args)
{
  unsigned int i;
  if (n > 0 && args == NULL)
    return ga_error(GA_VALUE_ERROR, "expression: %u arguments but args is NULL", n);
  e->kinds = calloc(n + 1u, sizeof *e->kinds);
  e->names = calloc(n + 1u, sizeof *e->names);
  if (e->kinds == NULL || e->names == NULL)
    return ga_error_memory("expression", n * sizeof *e->names);
  e->narg = n;
  for (i = 0; i < n; i++) {
    if (args[i].name == NULL || args[i].name[0] == '\0')
      return ga_error(GA_VALUE_ERROR, "expression: argument %u has no name", i);
    if (args[i].kind < GA_ARG_ARRAY || args[i].kind > GA_ARG_SCALAR)
      return ga_error(GA_VALUE_ERROR, "expression: argument '%.80s' has kind %d: it is made by %s",
                      args[i].name, args[i].kind, ga_argkind_maker(args[i].kind));
    e->kinds[i] = args[i].kind;
    e->names[i] = copy_name(args[i].name);
    if (e->names[i] == NULL) return ga_error_memory("expression", strlen(args[i].name));
  }
  return GA_NO_ERROR;
}

int ga_expr_new(GpuExpr **res, gpucontext *ctx, const char *text, unsigned int n,
                const gpuarg *args, int counted)
{
  GpuExpr *e = calloc(1, sizeof *e);
  int err;

  *res = NULL;
  if (e == NULL) return ga_error_memory("expression", sizeof *e);
  atomic_init(&e->refcnt, 1);
  atomic_init(&e->plans, NULL);
  atomic_init(&e->nplan, 0);
  atomic_init(&e->jobs, NULL);
  e->ctx = ctx;
  err = take_names(e, n, args);
  if (err == GA_NO_ERROR) err = ga_parse(&e->ast, text);
  if (err != GA_NO_ERROR) {
    ga_expr_release(e);
    return err;
  }
  e->counted = counted;
  if (counted) ga_context_retain(ctx);
  *res = e;
  return GA_NO_ERROR;
}

void ga_expr_release(GpuExpr *e)
{
  ga_plan *p, *next;
  unsigned int i;
  if (e == NULL || atomic_fetch_sub(&e->refcnt, 1) != 1) return;
  ga_jobs_free(e);
  for (p = atomic_load(&e->plans); p != NULL; p = next) {
    next = p->next;
    ga_plan_free(p);
  }
  for (i = 0; i < e->narg && e->names != NULL; i++) free(e->names[i]);
  free(e->names);
  free(e->kinds);
  ga_ast_free(e->ast);
  if (e->counted) gpucontext_deref(e->ctx);
  free(e);
}

/* Runs the plan, and gives it up unless it is kept. */
static int run_plan(GpuExpr *e, ga_plan *plan, const ga_call *c, GpuArray *out, int *begun)
{
  int err = ga_plan_run(plan, c, out, begun);
  if (plan->nkey == 0 && !ga_capture_owns(e->ctx, plan)) ga_plan_free(plan);
  return err;
}

/* Where there is no memory for copies that only make it faster, it goes without. */
int ga_expr_call(GpuExpr *e, GpuArray *out, GpuArray *into, unsigned int n, const gpuarg *args,
                 int unsafe)
{
  ga_call c;
  ga_plan *plan = NULL;
  int begun = 0, copies = 0;
  int err = ga_call_init(&c, e, n, args, into, unsafe, 0);
  if (err == GA_NO_ERROR) err = ga_call_plan(&plan, e, &c, 0);
  if (err == GA_NO_ERROR) {
    copies = plan->copies;
    err = run_plan(e, plan, &c, out, &begun);
  }
  if (err == GA_MEMORY_ERROR && copies && !begun) {
    err = ga_call_lean(&plan, e, &c);
    if (err == GA_NO_ERROR) err = run_plan(e, plan, &c, out, &begun);
  }
  ga_call_clear(&c);
  return err;
}

/* Zeroes an array that a failed call would have created, so that it may be
 * cleared; not one that is an input too (a mistake, but it still holds data). */
static void zero(GpuArray *a, unsigned int n, const gpuarg *args)
{
  unsigned int i;
  for (i = 0; i < n; i++)
    if (args[i].kind == GA_ARG_ARRAY && args[i].v.array == a) return;
  memset(a, 0, sizeof *a);
}

static int zero_new(int err, GpuArray *out, unsigned int n, const gpuarg *args)
{
  unsigned int i;
  if (err == GA_NO_ERROR) return err;
  if (args == NULL) n = 0;
  if (out != NULL) zero(out, n, args);
  for (i = 0; i < n; i++)
    if (args[i].kind == GA_ARG_NEW && args[i].v.array != NULL) zero(args[i].v.array, n, args);
  return err;
}

static int null_arg(const char *what)
{
  return ga_error(GA_VALUE_ERROR, "expression: %s is NULL", what);
}

/* Types the text for these arguments, so that a mistake shows when the object is
 * made; where an array is not known yet, at the first call. */
static int check_text(GpuExpr *e, unsigned int n, const gpuarg *args)
{
  ga_plan *plan = NULL;
  ga_call c;
  unsigned int i;
  int err;
  for (i = 0; i < n; i++)
    if (args[i].kind == GA_ARG_ARRAY && args[i].v.array == NULL) return GA_NO_ERROR;
  err = ga_call_init(&c, e, n, args, NULL, 0, 1);
  if (err == GA_NO_ERROR) err = ga_call_plan(&plan, e, &c, 1);
  ga_plan_free(plan);
  ga_call_clear(&c);
  return err;
}

int GpuExpr_new(GpuExpr **res, gpucontext *ctx, const char *text, unsigned int n,
                const gpuarg *args)
{
  GpuExpr *e;
  int err;
  if (res == NULL) return null_arg("the place for the expression");
  *res = NULL;
  if (ctx == NULL) return null_arg("the context");
  if (text == NULL) return null_arg("the text");
  GA_TRY(ga_expr_new(&e, ctx, text, n, args, 1));
  err = check_text(e, n, args);
  if (err != GA_NO_ERROR) {
    ga_expr_release(e);
    return err;
  }
  *res = e;
  return GA_NO_ERROR;
}

void GpuExpr_free(GpuExpr *e) { ga_expr_release(e); }

int GpuExpr_call(GpuExpr *e, GpuArray *out, unsigned int n, const gpuarg *args)
{
  if (e == NULL) return zero_new(null_arg("the expression"), out, n, args);
  return zero_new(ga_expr_call(e, out, NULL, n, args, 0), out, n, args);
}

int GpuExpr_call_into(GpuExpr *e, GpuArray *out, unsigned int n, const gpuarg *args)
{
  if (e == NULL) return zero_new(null_arg("the expression"), NULL, n, args);
  if (out == NULL) return zero_new(null_arg("the output"), NULL, n, args);
  return zero_new(ga_expr_call(e, NULL, out, n, args, 0), NULL, n, args);
}

static int eval(GpuArray *out, GpuArray *into, gpucontext *ctx, const char *text, unsigned int n,
                const gpuarg *args)
{
  GpuExpr *e;
  int err;
  if (ctx == NULL) return null_arg("the context");
  if (text == NULL) return null_arg("the text");
  GA_TRY(ga_expr_cached(&e, ctx, text, n, args));
  err = ga_expr_call(e, out, into, n, args, 0);
  ga_expr_release(e);
  return err;
}

int GpuArray_eval(GpuArray *out, gpucontext *ctx, const char *text, unsigned int n,
                  const gpuarg *args)
{
  return zero_new(eval(out, NULL, ctx, text, n, args), out, n, args);
}

int GpuArray_eval_into(GpuArray *out, const char *text, unsigned int n, const gpuarg *args)
{
  if (out == NULL || out->data == NULL)
    return zero_new(null_arg("the output or its data"), NULL, n, args);
  return zero_new(eval(NULL, out, out->data->ctx, text, n, args), NULL, n, args);
}
