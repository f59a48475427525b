/* SPDX-License-Identifier: MIT */
/* What a GpuExpr is made of, and what the rest of the library may ask of
 * expressions.
 *
 *   expr.c        the public functions
 *   expr_call.c   a call's arguments: checked, bound, made into a plan's key
 *   expr_run.c    runs a plan: creates outputs, mends overlaps, launches stages
 *   expr_ahead.c  plans made in the background
 *   expr_cache.c  the expressions of GpuArray_eval, kept by the context
 *   explain.c     what a call would do, in words
 *   plan.c        makes plans
 */
#ifndef GA_EXPR_H
#define GA_EXPR_H

#include <pthread.h>

#include "gpuarray/expr.h"
#include "lib/plan.h"

typedef struct ga_job ga_job;

struct _GpuExpr {
  gpucontext *ctx;
  int counted; /* 1: holds a reference on ctx (not so in the context's cache) */
  atomic_uint refcnt;
  ga_ast *ast;
  unsigned int narg;
  int *kinds;               /* [narg] enum ga_argkind */
  char **names;             /* [narg] */
  _Atomic(ga_plan *) plans; /* newest first; entries are never removed */
  atomic_uint nplan;
  _Atomic(ga_job *) jobs; /* expr_ahead.c: newest first, never removed */
};

/* The most plans an expression keeps; later ones live for one call. */
#define GA_MAXPLANS 1024

/* A call, its arguments checked and bound. */
typedef struct ga_call {
  const GpuExpr *expr;
  unsigned int n;
  const gpuarg *args;
  GpuArray *into; /* existing array for the value, or NULL */
  int unsafe;     /* any cast into `into` */
  uint64_t *key;  /* what the plan is looked up by */
  size_t nkey, cap;
  uint64_t few[192];
} ga_call;

/* What a call is for. All but GA_CALL_RUN may name arrays without data. */
enum ga_call_mode {
  GA_CALL_RUN,
  GA_CALL_DRY,  /* to be looked at: its plan runs nothing */
  GA_CALL_AHEAD /* to be run later: its key is that of GA_CALL_RUN */
};

/* expr_call.c; `dry` is an enum ga_call_mode. */
int ga_call_init(ga_call *c, const GpuExpr *e, unsigned int n, const gpuarg *args, GpuArray *into,
                 int unsafe, int dry);
void ga_call_clear(ga_call *c);
int ga_call_plan(ga_plan **plan, GpuExpr *e, const ga_call *c, int dry);
int ga_call_same(const ga_call *a, const ga_call *b);
int ga_call_lean(ga_plan **plan, GpuExpr *e, const ga_call *c); /* the caller's, not kept */
int ga_call_planned(const GpuExpr *e, const ga_call *c);        /* 1: its plan is kept */
int ga_call_make(GpuExpr *e, const ga_call *c);                 /* makes it, if it is not */

/* expr_ahead.c. ga_jobs_await: waits for the background if it makes this plan. */
void ga_jobs_await(GpuExpr *e, const ga_call *c);
void ga_jobs_free(GpuExpr *e);

/* expr_run.c; *begun: what it needs memory for was there, and some of it may have run. */
int ga_plan_run(const ga_plan *plan, const ga_call *c, GpuArray *out, int *begun);

/* expr.c */
int ga_expr_new(GpuExpr **e, gpucontext *ctx, const char *text, unsigned int n, const gpuarg *args,
                int counted);
void ga_expr_release(GpuExpr *e); /* accepts NULL */
int ga_expr_call(GpuExpr *e, GpuArray *out, GpuArray *into, unsigned int n, const gpuarg *args,
                 int unsafe);

/* expr_cache.c: the expression of this text and these names, with a reference
 * for the caller. */
int ga_expr_cached(GpuExpr **e, gpucontext *ctx, const char *text, unsigned int n,
                   const gpuarg *args);
/* The same for row `i` of the named operations, which stays as long as the context;
 * from GA_NNAMED on, as ga_expr_cached(). */
enum { GA_NNAMED = 16 };
int ga_expr_named(GpuExpr **e, gpucontext *ctx, unsigned int i, const char *text, unsigned int n,
                  const gpuarg *args);
void ga_expr_cache_free(struct ga_expr_cache *c); /* accepts NULL */

/* move.c: dst[...] = src, any cast, any layouts, equal shapes, one context. They
 * may overlap. */
int ga_expr_move(GpuArray *dst, const GpuArray *src);

#endif
