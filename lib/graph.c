/* SPDX-License-Identifier: MIT */
/* The public functions of graphs, but for updates (graph_update.c). A device that
 * has graphs of its own gets the nodes as they come; on one that has none a replay
 * does them one by one. */
#include "lib/graph.h"

#include <stdlib.h>
#include <string.h>

#include "lib/check.h"
#include "lib/context.h"

/* ---- nodes one by one ---------------------------------------------------------------- */

/* A buffer at an address, for the members that take buffers. */
static struct _gpudata buffer_at(gpucontext *ctx, void *ptr)
{
  return (struct _gpudata){.ptr = ptr, .ctx = ctx, .size = PTRDIFF_MAX};
}

int ga_work_run(gpucontext *ctx, const ga_work *n)
{
  void *const *at = n->args;
  struct _gpudata to, from;

  if (n->kind == GA_WORK_OTHER) return n->run(ctx, n);
  if (n->kind == GA_WORK_LAUNCH)
    return ctx->backend->launch(n->func, n->grid, n->block, n->shared, n->args, n->nargs);
  to = buffer_at(ctx, at[0]);
  if (n->kind == GA_WORK_SET) return ctx->backend->set(&to, 0, n->byte, n->n);
  if (n->kind == GA_WORK_WRITE) return ctx->backend->write(&to, 0, n->host, n->n);
  from = buffer_at(ctx, at[1]);
  return ctx->backend->copy(&to, 0, &from, 0, n->n);
}

static int run_nodes(const gpugraph *g)
{
  for (size_t i = 0; i < g->nodes.n; i++) GA_TRY(ga_work_run(g->ctx, &g->nodes.v[i].n));
  return GA_NO_ERROR;
}

/* ---- making and freeing ----------------------------------------------------------------- */

static void free_lists(gpugraph *g)
{
  for (size_t i = 0; i < g->nodes.n; i++) {
    free(g->nodes.v[i].n.args);
    free(g->nodes.v[i].n.host);
    free(g->nodes.v[i].places);
  }
  for (size_t i = 0; i < g->exprs.n; i++) {
    if (g->exprs.v[i].owned) ga_plan_free(g->exprs.v[i].plan);
    ga_expr_release(g->exprs.v[i].e);
    free(g->exprs.v[i].given);
  }
  for (size_t i = 0; i < g->kernels.n; i++) gpukernel_release(g->kernels.v[i]);
  free(g->nodes.v);
  free(g->held.v);
  free(g->exprs.v);
  free(g->named.v);
  free(g->kernels.v);
  free(g->places.v);
}

void ga_graph_free(gpugraph *g)
{
  if (g == NULL) return;
  if (g->exec != NULL) g->ctx->backend->graph_free(g->exec);
  g->nheld = g->nnamed = 0;
  ga_capture_forget(g);
  free_lists(g);
  ga_lock_clear(&g->lock);
  gpucontext_deref(g->ctx);
  free(g);
}

int gpugraph_begin(gpucontext *ctx)
{
  static const char op[] = "gpugraph_begin";
  gpugraph *g;
  int err;

  GA_NOT_NULL(op, 1, ctx);
  if (ga_capturing(ctx))
    return ga_error(GA_INVALID_ERROR, "%s: the thread is capturing on this context already", op);
  g = calloc(1, sizeof *g);
  if (g == NULL) return ga_error_memory(op, sizeof *g);
  ga_lock_init(&g->lock);
  g->ctx = ctx;
  ga_context_retain(ctx);
  err = ctx->backend->graph_new != NULL ? ctx->backend->graph_new(&g->exec, ctx) : GA_NO_ERROR;
  if (err != GA_NO_ERROR) {
    ga_graph_free(g);
    return err;
  }
  g->next = ga_captures;
  ga_captures = g;
  atomic_fetch_add(&ctx->captures, 1);
  return GA_NO_ERROR;
}

/* Takes the thread's capture off its list. */
static gpugraph *stop(gpucontext *ctx)
{
  gpugraph **at = &ga_captures, *g;

  while ((*at)->ctx != ctx) at = &(*at)->next;
  g = *at;
  *at = g->next;
  atomic_fetch_sub(&ctx->captures, 1);
  ga_capture_forget(g);
  return g;
}

int gpugraph_end(gpugraph **res, gpucontext *ctx)
{
  static const char op[] = "gpugraph_end";
  gpugraph *g;
  int err;

  if (res != NULL) *res = NULL;
  GA_NOT_NULL(op, 2, ctx);
  if (!ga_capturing(ctx))
    return ga_error(GA_INVALID_ERROR, "%s: the thread is not capturing on this context", op);
  g = stop(ctx);
  err = g->failed;
  if (res == NULL) {
    ga_graph_free(g);
    return GA_NO_ERROR;
  }
  if (err != GA_NO_ERROR)
    (void)ga_error(err, "%s: a call could not be captured: %s", op, g->why);
  else if (g->exec != NULL)
    err = ctx->backend->graph_ready(g->exec);
  if (err != GA_NO_ERROR)
    ga_graph_free(g);
  else
    *res = g;
  return err;
}

/* ---- using -------------------------------------------------------------------------------- */

int gpugraph_replay(gpugraph *g)
{
  static const char op[] = "gpugraph_replay";
  int err;

  GA_NOT_NULL(op, 1, g);
  if (ga_capturing(g->ctx)) return ga_capture_refuse(g->ctx, op, "no replay");
  ga_lock_take(&g->lock);
  err = g->exec != NULL ? g->ctx->backend->graph_run(g->exec) : run_nodes(g);
  ga_lock_give(&g->lock);
  return err;
}

size_t gpugraph_nodes(const gpugraph *g) { return g != NULL ? g->nodes.n : 0; }

gpucontext *gpugraph_context(const gpugraph *g) { return g != NULL ? g->ctx : NULL; }

void gpugraph_free(gpugraph *g) { ga_graph_free(g); }
