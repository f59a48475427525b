/* SPDX-License-Identifier: MIT */
/* Runs a plan: finds or creates the arrays of its slots, and gives each stage to
 * the device in turn. Nothing is allocated here but the arrays themselves.
 *
 * Results are as if every input had been read before anything was written. An
 * output that is an existing array is written in place unless a stage still reads
 * what it overwrites (lib/inplace.c); then its stages write a shadow of the same
 * layout, which is moved over the array at the end. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture.h"
#include "lib/expr_run.h"

/* Addresses for this many slots, operands and numbers are kept on the stack. */
#define FEW 32

static const GpuArray *existing(const ga_run *r, const ga_slot *s)
{
  return s->kind == GA_SLOT_ARG ? r->call->args[s->arg].v.array : r->call->into;
}

static int create(GpuArray *a, gpucontext *ctx, const ga_slot *s)
{
  return GpuArray_empty(a, ctx, ga_dtypes[s->dtype].typecode, s->nd, s->dims, GA_C_ORDER);
}

/* Bytes of a created slot, which GpuArray_empty would refuse past SIZE_MAX too. */
static int slot_bytes(size_t *bytes, const ga_slot *s)
{
  size_t n = ga_dtypes[s->dtype].size;
  unsigned int i;
  for (i = 0; i < s->nd; i++)
    if (s->dims[i] == 0) n = 0;
  for (i = 0; i < s->nd && n > 0; i++)
    if (__builtin_mul_overflow(n, s->dims[i], &n) || n > SSIZE_MAX)
      return ga_error(GA_XLARGE_ERROR, "expression: a result is larger than the address space");
  *bytes = n == 0 ? 1 : n;
  return GA_NO_ERROR;
}

static int place_slot(ga_run *r, unsigned int i)
{
  gpucontext *ctx = r->plan->ctx;
  const ga_slot *s = &r->plan->program->slots[i];
  GpuArray *a = NULL;
  size_t bytes = 1;
  int err;

  r->base[i] = NULL;
  if (s->kind == GA_SLOT_TEMP && !r->plan->used[i]) return GA_NO_ERROR;
  if (s->kind == GA_SLOT_ARG || (s->kind == GA_SLOT_RESULT && r->call->into != NULL)) {
    const GpuArray *e = existing(r, s);
    r->base[i] = (char *)e->data->ptr + e->offset;
    return GA_NO_ERROR;
  }
  if (s->kind == GA_SLOT_NEW) a = r->call->args[s->arg].v.array;
  if (s->kind == GA_SLOT_RESULT) a = r->out;
  if (a != NULL) {
    GA_TRY(create(a, ctx, s));
    r->base[i] = (char *)a->data->ptr;
    return GA_NO_ERROR;
  }
  err = slot_bytes(&bytes, s);
  if (err == GA_NO_ERROR) r->temp[i] = gpudata_alloc(ctx, bytes, NULL, GA_BUFFER_READ_WRITE, &err);
  if (err == GA_NO_ERROR) r->base[i] = (char *)r->temp[i]->ptr;
  return err;
}

/* Values are given to the array of the caller; each must be one of its own. */
static int check_outputs(const ga_run *r)
{
  const ga_program *p = r->plan->program;
  const ga_call *c = r->call;
  unsigned int i, k;
  if (p->result < 0 && (r->out != NULL || c->into != NULL))
    return ga_error(GA_VALUE_ERROR,
                    "expression: the text only assigns and has no value for the output");
  if (p->result >= 0 && r->out == NULL && c->into == NULL && r->plan->ninplace == 0) {
    for (i = 0; i < p->nslot && p->slots[i].kind != GA_SLOT_NEW; i++) {
    }
    if (i == p->nslot)
      return ga_error(GA_VALUE_ERROR,
                      "expression: the output is NULL and the text assigns nothing");
  }
  for (i = 0; i < c->n; i++) {
    const GpuArray *a = c->args[i].v.array;
    if (c->args[i].kind != GA_ARG_ARRAY && c->args[i].kind != GA_ARG_NEW) continue;
    if (r->out != NULL && a == r->out)
      return ga_error(GA_VALUE_ERROR,
                      "expression: the output is the array of argument '%.80s'; "
                      "to write it in place assign to its name or use the _into form",
                      c->args[i].name);
    if (c->args[i].kind != GA_ARG_NEW) continue;
    for (k = 0; k < c->n; k++)
      if (k != i && (c->args[k].kind == GA_ARG_ARRAY || c->args[k].kind == GA_ARG_NEW) &&
          c->args[k].v.array == a)
        return ga_error(GA_VALUE_ERROR,
                        "expression: arguments '%.80s' and '%.80s' are one array, "
                        "which ga_new would create",
                        c->args[i].name, c->args[k].name);
  }
  return GA_NO_ERROR;
}

static int numbers(ga_value *v, const ga_run *r, const ga_stage *st, ga_value *given)
{
  const ga_call *c = r->call;
  unsigned int i;
  if (st->nparam == 0) return GA_NO_ERROR;
  for (i = 0; i < c->n; i++) {
    const gpuarg *a = &c->args[i];
    memset(&given[i], 0, sizeof given[i]);
    if (a->kind == GA_ARG_INT) given[i].i = a->v.i;
    if (a->kind == GA_ARG_FLOAT) given[i].d = a->v.f;
    if (a->kind == GA_ARG_SCALAR)
      memcpy(given[i].bytes, a->v.ptr, ga_dtypes[ga_dtype_of(a->typecode)].size);
  }
  for (i = 0; i < st->nparam; i++)
    GA_TRY(ga_param_value(&v[i], r->plan->program, &st->params[i], given));
  return GA_NO_ERROR;
}

int ga_step_pack(const ga_step *step, const ga_stage *st, gpucontext *ctx, void *const *addr,
                 const ga_value *num, unsigned char *args)
{
  const ga_launch *l = &step->launch;
  void *scratch = NULL, *tickets = NULL;
  unsigned int i;

  memcpy(args, l->args, l->nargs);
  for (i = 0; i < st->noperand; i++) memcpy(args + l->operand_at[i], &addr[i], sizeof addr[i]);
  for (i = 0; i < st->nparam; i++)
    memcpy(args + l->param_at[i], num[i].bytes, ga_dtypes[st->params[i].dtype].size);
  if (l->scratch > 0 || l->ntickets > 0) {
    GA_TRY(ctx->backend->scratch(ctx, l->scratch, l->ntickets, &scratch, &tickets));
    if (l->scratch_at != (size_t)-1) memcpy(args + l->scratch_at, &scratch, sizeof scratch);
    if (l->ticket_at != (size_t)-1) memcpy(args + l->ticket_at, &tickets, sizeof tickets);
  }
  return GA_NO_ERROR;
}

static int launch(const ga_step *step, const ga_stage *st, gpucontext *ctx, void *const *addr,
                  const ga_value *num, unsigned char *args)
{
  const ga_launch *l = &step->launch;
  GA_TRY(ga_step_pack(step, st, ctx, addr, num, args));
  return ctx->backend->launch(step->func, l->grid, l->block, l->shared, args, l->nargs);
}

static int run_stage(const ga_run *r, unsigned int k, void **addr, ga_value *num, ga_value *given)
{
  const ga_step *step = &r->plan->steps[k];
  const ga_stage *st = step->stage;
  gpucontext *ctx = r->plan->ctx;
  unsigned char few[2048], *args = few;
  unsigned int i;
  int err;

  GA_TRY(numbers(num, r, st, given));
  if (step->exec == NULL && step->func == NULL) return GA_NO_ERROR; /* no elements */
  for (i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    char *base = o->write ? r->target[o->slot] : r->base[o->slot];
    addr[i] = base + o->offset + step->layout.offset[i];
  }
  if (ga_capturing(ctx)) return ga_capture_stage(r, k, addr, num);
  if (step->exec != NULL) return ctx->backend->stage_run(step->exec, ctx, addr, num);
  if (step->launch.nargs > sizeof few && (args = malloc(step->launch.nargs)) == NULL)
    return ga_error_memory("expression", step->launch.nargs);
  err = launch(step, st, ctx, addr, num, args);
  if (args != few) free(args);
  return err;
}

static int run_stages(const ga_run *r)
{
  struct {
    void *addr[FEW];
    ga_value num[FEW], given[FEW];
  } few;
  const ga_plan *p = r->plan;
  void **addr = few.addr;
  ga_value *num = few.num, *given = few.given;
  void *many = NULL;
  unsigned int k;
  int err = GA_NO_ERROR;

  if (p->nbig > FEW || p->npar > FEW || r->call->n > FEW) {
    size_t n = (size_t)p->npar + r->call->n;
    many = malloc(n * sizeof *num + p->nbig * sizeof *addr);
    if (many == NULL) return ga_error_memory("expression", n * sizeof *num);
    num = many;
    given = num + p->npar;
    addr = (void **)(given + r->call->n);
  }
  for (k = 0; k < p->nstep && err == GA_NO_ERROR; k++) err = run_stage(r, k, addr, num, given);
  free(many);
  return err;
}

/* What a failed run created goes; what the caller owned before stays. */
static void undo(ga_run *r)
{
  unsigned int i;
  for (i = 0; i < r->placed; i++) {
    const ga_slot *s = &r->plan->program->slots[i];
    if (s->kind == GA_SLOT_NEW) GpuArray_clear(r->call->args[s->arg].v.array);
    if (s->kind == GA_SLOT_RESULT && r->call->into == NULL && r->out != NULL)
      GpuArray_clear(r->out);
  }
}

static int run(ga_run *r)
{
  const ga_plan *plan = r->plan;
  unsigned int i;
  int err = check_outputs(r);

  for (i = 0; i < plan->program->nslot && err == GA_NO_ERROR; i++) {
    err = place_slot(r, i);
    r->target[i] = r->base[i];
    if (err == GA_NO_ERROR) r->placed++;
  }
  if (err == GA_NO_ERROR && plan->ninplace > 0) err = ga_inplace_prepare(r);
  if (err == GA_NO_ERROR && ga_capturing(plan->ctx)) err = ga_capture_plan(r);
  if (err == GA_NO_ERROR) err = run_stages(r);
  if (err == GA_NO_ERROR && r->nshadow > 0) err = ga_inplace_finish(r);
  if (err == GA_NO_ERROR && ga_capturing(plan->ctx)) ga_capture_keep(ga_capture_of(plan->ctx));
  if (err != GA_NO_ERROR) undo(r);
  for (i = 0; i < plan->program->nslot; i++) {
    if (r->temp[i] != NULL) gpudata_release(r->temp[i]);
    if (r->shadow[i] != NULL) gpudata_release(r->shadow[i]);
  }
  return err;
}

int ga_plan_run(const ga_plan *plan, const ga_call *c, GpuArray *out, int *begun)
{
  struct {
    char *base[FEW], *target[FEW];
    gpudata *temp[FEW], *shadow[FEW];
  } few;
  size_t n = plan->program->nslot;
  ga_run r = {plan, c, out, few.base, few.target, few.temp, few.shadow, 0, 0};
  void **many = NULL;
  int err;

  *begun = 0;
  if (n > FEW) {
    many = malloc(4 * n * sizeof *many);
    if (many == NULL) return ga_error_memory("expression", 4 * n * sizeof *many);
    r.base = (char **)many;
    r.target = r.base + n;
    r.temp = (gpudata **)(r.target + n);
    r.shadow = r.temp + n;
  }
  memset(r.temp, 0, n * sizeof *r.temp);
  memset(r.shadow, 0, n * sizeof *r.shadow);
  err = run(&r);
  *begun = r.placed == n;
  free(many);
  return err;
}
