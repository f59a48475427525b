/* SPDX-License-Identifier: MIT */
/* Runs of plans become nodes: one for each stage, which is a launch, or on a
 * device that interprets stages the address and numbers of each. The run is kept
 * too, so that a number changed by name goes the way it went at the call. */
#include <stdlib.h>
#include <string.h>

#include "lib/expr_run.h"
#include "lib/graph.h"

/* ---- the arguments of a stage --------------------------------------------------------- */

/* Where parameter i of a stage is in its node's arguments. */
static size_t param_at(const ga_step *step, const ga_stage *st, unsigned int i)
{
  if (step->exec == NULL) return step->launch.param_at[i];
  return st->noperand * sizeof(void *) + i * sizeof(ga_value);
}

static void put_number(unsigned char *args, const ga_step *step, const ga_stage *st, unsigned int i,
                       const ga_value *v)
{
  size_t size = step->exec != NULL ? sizeof *v : ga_dtypes[st->params[i].dtype].size;

  memcpy(args + param_at(step, st, i), v->bytes, size);
}

int ga_gexpr_numbers(const ga_gexpr *x, unsigned int stage, const ga_value *given,
                     unsigned char *args)
{
  const ga_program *p = x->plan->program;
  const ga_stage *st = x->plan->steps[stage].stage;
  ga_value v;

  for (unsigned int i = 0; i < st->nparam; i++) {
    memset(&v, 0, sizeof v);
    GA_TRY(ga_param_value(&v, p, &st->params[i], given));
    put_number(args, &x->plan->steps[stage], st, i, &v);
  }
  return GA_NO_ERROR;
}

/* The members that run a stage keep its operands' addresses first, then numbers. */
static int run_interpreted(gpucontext *ctx, const ga_work *n)
{
  void *const *addr = n->args;

  return ctx->backend->stage_run(n->what, ctx, addr, (const ga_value *)(addr + n->n));
}

/* ---- capturing ---------------------------------------------------------------------- */

static const char *name_of(const ga_run *r, unsigned int arg) { return r->call->expr->names[arg]; }

static int capture_names(gpugraph *g, const ga_run *r)
{
  const ga_call *c = r->call;
  size_t i = g->exprs.n - 1;

  for (unsigned int k = 0; k < c->n; k++) {
    const gpuarg *a = &c->args[k];
    double f = a->kind == GA_ARG_FLOAT ? a->v.f : 0;

    if (a->kind == GA_ARG_ARRAY || a->kind == GA_ARG_NEW) {
      if (a->v.array->data != NULL)
        GA_TRY(ga_capture_array(g, GA_GRAPH_NONE, 0, a->v.array, 0, name_of(r, k)));
      continue;
    }
    if (a->kind == GA_ARG_SCALAR)
      GA_TRY(ga_capture_number(g, GA_GRAPH_NONE, name_of(r, k), a->typecode, a->v.ptr));
    else if (a->kind == GA_ARG_INT)
      GA_TRY(ga_capture_number(g, GA_GRAPH_NONE, name_of(r, k), GA_LONG, &a->v.i));
    else
      GA_TRY(ga_capture_number(g, GA_GRAPH_NONE, name_of(r, k), GA_DOUBLE, &f));
    ga_named *n = &g->named.v[g->named.n - 1];
    n->kind = a->kind;
    n->node = GA_GRAPH_NONE;
    n->expr = i;
    n->arg = k;
    g->exprs.v[i].given[k] = n->value;
  }
  return GA_NO_ERROR;
}

/* Outputs that the stages write in shadows: the moves behind them are calls of their own. */
static int capture_shadowed(gpugraph *g, const ga_run *r)
{
  const ga_program *p = r->plan->program;

  for (unsigned int i = 0; r->nshadow > 0 && i < p->nslot; i++) {
    const ga_slot *s = &p->slots[i];
    const GpuArray *a = s->kind == GA_SLOT_ARG ? r->call->args[s->arg].v.array : r->call->into;

    if (r->shadow[i] != NULL)
      GA_TRY(ga_capture_array(g, GA_GRAPH_NONE, 0, a, GA_WRITES_LATER, NULL));
  }
  return GA_NO_ERROR;
}

static int add_expr(gpugraph *g, const ga_run *r)
{
  ga_gexpr *x;
  size_t bytes = r->call->n * sizeof *x->given;

  if (!GA_ROOM(g->exprs)) return ga_graph_memory(sizeof *x);
  x = &g->exprs.v[g->exprs.n];
  *x = (ga_gexpr){.e = (GpuExpr *)r->call->expr, .plan = (ga_plan *)r->plan, .call = g->call};
  x->given = calloc(1, bytes + 1);
  if (x->given == NULL) return ga_graph_memory(bytes);
  x->owned = r->plan->nkey == 0;
  atomic_fetch_add(&x->e->refcnt, 1);
  g->exprs.n++;
  return GA_NO_ERROR;
}

int ga_capture_plan(const ga_run *r)
{
  gpugraph *g = ga_capture_of(r->plan->ctx);
  int err;

  ga_capture_call(g);
  err = add_expr(g, r);
  if (err == GA_NO_ERROR) err = capture_names(g, r);
  if (err == GA_NO_ERROR) err = capture_shadowed(g, r);
  return ga_capture_done(g, err);
}

int ga_capture_owns(gpucontext *ctx, const ga_plan *plan)
{
  const gpugraph *g = ga_capturing(ctx) ? ga_capture_of(ctx) : NULL;

  for (size_t i = 0; g != NULL && i < g->exprs.n; i++)
    if (g->exprs.v[i].plan == plan) return 1;
  return 0;
}

/* Operand i of a stage, whose address is at `at`. */
static int capture_operand(gpugraph *g, const ga_run *r, const ga_operand *o, const char *addr,
                           size_t at)
{
  const ga_slot *s = &r->plan->program->slots[o->slot];
  gpudata *own = o->write && r->shadow[o->slot] != NULL ? r->shadow[o->slot] : r->temp[o->slot];
  const GpuArray *a = NULL;

  if (s->kind == GA_SLOT_ARG || s->kind == GA_SLOT_NEW) a = r->call->args[s->arg].v.array;
  if (s->kind == GA_SLOT_RESULT) a = r->call->into != NULL ? r->call->into : r->out;
  if (own == NULL && a != NULL)
    return ga_capture_array(g, at, addr - ((char *)a->data->ptr + a->offset), a, o->write, NULL);
  GA_TRY(ga_capture_bytes(g, at, own, 0, own->size, 1));
  g->places.v[g->places.n - 1].delta = addr - (char *)own->ptr;
  return GA_NO_ERROR;
}

static int capture_node(gpugraph *g, const ga_run *r, unsigned int k, const ga_work *node,
                        void *const *addr)
{
  const ga_step *step = &r->plan->steps[k];
  const ga_stage *st = step->stage;
  ga_graph_node *n;

  for (unsigned int i = 0; i < st->noperand; i++)
    GA_TRY(capture_operand(g, r, &st->operands[i], addr[i],
                           step->exec != NULL ? i * sizeof *addr : step->launch.operand_at[i]));
  GA_TRY(ga_capture_add(g, node));
  n = &g->nodes.v[g->nodes.n - 1];
  n->expr = g->exprs.n - 1;
  n->stage = k;
  return GA_NO_ERROR;
}

int ga_capture_stage(const ga_run *r, unsigned int k, void *const *addr, const ga_value *num)
{
  const ga_step *step = &r->plan->steps[k];
  const ga_stage *st = step->stage;
  const ga_launch *l = &step->launch;
  gpugraph *g = ga_capture_of(r->plan->ctx);
  ga_work node = {.kind = GA_WORK_OTHER,
                  .what = step->exec,
                  .n = st->noperand,
                  .run = run_interpreted,
                  .nargs = st->noperand * sizeof *addr + st->nparam * sizeof *num};
  int err = GA_NO_ERROR;

  if (step->exec == NULL) {
    node = (ga_work){
        .kind = GA_WORK_LAUNCH, .func = step->func, .shared = l->shared, .nargs = l->nargs};
    memcpy(node.grid, l->grid, sizeof node.grid);
    memcpy(node.block, l->block, sizeof node.block);
  }
  node.args = calloc(1, node.nargs + 1);
  if (node.args == NULL) err = ga_graph_memory(node.nargs);
  if (err == GA_NO_ERROR && step->exec == NULL)
    err = ga_step_pack(step, st, r->plan->ctx, addr, num, node.args);
  if (err == GA_NO_ERROR && step->exec != NULL) {
    memcpy(node.args, addr, st->noperand * sizeof *addr);
    for (unsigned int i = 0; i < st->nparam; i++) put_number(node.args, step, st, i, &num[i]);
  }
  if (err == GA_NO_ERROR) err = capture_node(g, r, k, &node, addr);
  free(node.args);
  return ga_capture_done(g, err);
}
