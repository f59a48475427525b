/* SPDX-License-Identifier: MIT */
/* Makes plans: types and cuts the text (codegen), lays out each stage, and asks
 * the device for its form of it. This is the only place that asks whether a
 * device interprets stages or compiles their text. */
#include "lib/plan.h"

#include <stdlib.h>
#include <string.h>

unsigned char *ga_plan_align(const ga_program *p, const ga_stage *st, const ga_layout *l,
                             const unsigned char *low, unsigned char into_low)
{
  unsigned char *align = malloc(st->noperand + 1u);
  unsigned int i;
  for (i = 0; i < st->noperand && align != NULL; i++) {
    const ga_operand *o = &st->operands[i];
    const ga_slot *s = &p->slots[o->slot];
    unsigned int at = 0;
    if (s->kind == GA_SLOT_ARG) at = low[s->arg];
    if (s->kind == GA_SLOT_RESULT) at = into_low;
    align[i] = (unsigned char)((at + (size_t)o->offset + (size_t)l->offset[i]) % 16);
  }
  return align;
}

/* Lays `st` out as the next step. */
static int add_step(ga_plan *plan, const ga_stage *st, const ga_chain *chain)
{
  ga_step *step = &plan->steps[plan->nstep];
  step->stage = st;
  step->chain = chain;
  GA_TRY(ga_layout_make(&step->layout, st));
  plan->nstep++;
  return GA_NO_ERROR;
}

static const ga_chain *chain_of(const ga_program *p, unsigned int stage)
{
  unsigned int i, k;
  for (i = 0; i < p->nchain; i++)
    for (k = 0; k < p->chains[i].nmember; k++)
      if (p->chains[i].members[k] == stage) return &p->chains[i];
  return NULL;
}

/* The chain as a step, where the device compiles and its rows or columns fit on chip. Devices
 * that interpret run the members one by one: same order, same bits. */
static int try_chain(ga_plan *plan, const ga_chain *chain, const unsigned char *low,
                     unsigned char into_low)
{
  ga_step *step = &plan->steps[plan->nstep];
  unsigned char *align;
  int fits;
  if (plan->ctx->backend->stage_new != NULL) return GA_NO_ERROR;
  GA_TRY(add_step(plan, &chain->stage, chain));
  align = ga_plan_align(plan->program, &chain->stage, &step->layout, low, into_low);
  if (align == NULL) return ga_error_memory("expression", chain->stage.noperand);
  fits = ga_gen_chain_fits(&chain->stage, &step->layout, align, &plan->ctx->target);
  free(align);
  if (fits) return GA_NO_ERROR;
  ga_layout_clear(&step->layout);
  plan->nstep--;
  return GA_NO_ERROR;
}

static int is_chained(const ga_plan *plan, const ga_chain *chain)
{
  unsigned int k;
  for (k = 0; k < plan->nstep && chain != NULL; k++)
    if (plan->steps[k].chain == chain) return 1;
  return 0;
}

/* Stages in order, each chain in the place of its first member. */
static int add_steps(ga_plan *plan, const unsigned char *low, unsigned char into_low)
{
  const ga_program *p = plan->program;
  unsigned int k;
  for (k = 0; k < p->nstage; k++) {
    const ga_chain *chain = chain_of(p, k);
    if (chain != NULL && chain->members[0] == k) GA_TRY(try_chain(plan, chain, low, into_low));
    if (!is_chained(plan, chain)) GA_TRY(add_step(plan, &p->stages[k], NULL));
  }
  return GA_NO_ERROR;
}

/* What the device runs for the steps. */
static int make_steps(ga_plan *plan, const unsigned char *low, unsigned char into_low)
{
  const ga_backend *backend = plan->ctx->backend;
  unsigned int k;
  if (backend->stage_new == NULL) return ga_plan_kernels(plan, low, into_low);
  for (k = 0; k < plan->nstep; k++) {
    ga_step *step = &plan->steps[k];
    if (step->layout.kept == 0) continue;
    GA_TRY(backend->stage_new(&step->exec, plan->ctx, step->stage, &step->layout));
  }
  return GA_NO_ERROR;
}

/* The array of a slot, if it exists before the call. */
static const ga_bind *existing(const ga_slot *s, const ga_bind *binds, const ga_bind *into)
{
  return s->kind == GA_SLOT_ARG ? &binds[s->arg] : s->kind == GA_SLOT_RESULT ? into : NULL;
}

/* Where existing arrays extend to. */
static void measure(ga_plan *plan, const ga_bind *binds, const ga_bind *into)
{
  unsigned int i;
  for (i = 0; i < plan->program->nslot; i++) {
    const ga_bind *b = existing(&plan->program->slots[i], binds, into);
    if (b == NULL) continue;
    plan->span[i] = ga_span_of(b->nd, b->dims, b->strides, ga_dtypes[b->dtype].size);
    if (plan->inplace[i] &&
        (ga_overlaps_itself(b->nd, b->dims, b->strides, ga_dtypes[b->dtype].size) ||
         ga_inplace_rereads(plan, i)))
      plan->folded = 1;
  }
}

/* Which arrays are used, and how much room a run needs. */
static void survey(ga_plan *plan, const ga_bind *into)
{
  const ga_program *p = plan->program;
  unsigned int i, k;
  for (k = 0; k < plan->nstep; k++) {
    const ga_stage *st = plan->steps[k].stage;
    if (st->noperand > plan->nbig) plan->nbig = st->noperand;
    if (st->nparam > plan->npar) plan->npar = st->nparam;
    for (i = 0; i < st->noperand; i++) {
      unsigned int s = st->operands[i].slot;
      int exists =
          p->slots[s].kind == GA_SLOT_ARG || (p->slots[s].kind == GA_SLOT_RESULT && into != NULL);
      plan->used[s] = 1;
      if (st->operands[i].write && exists && !plan->inplace[s]) {
        plan->inplace[s] = 1;
        plan->ninplace++;
      }
    }
  }
}

int ga_plan_new(ga_plan **res, gpucontext *ctx, const ga_ast *ast, unsigned int n,
                const ga_bind *binds, const unsigned char *low, const ga_bind *into,
                unsigned char into_low, int unsafe, enum ga_making how)
{
  ga_plan *plan = calloc(1, sizeof *plan);
  int err;

  *res = NULL;
  if (plan == NULL) return ga_error_memory("expression", sizeof *plan);
  plan->ctx = ctx;
  err = ga_program_new(&plan->program, ast, n, binds, into, unsafe);
  if (err == GA_NO_ERROR && ctx->backend->stage_new == NULL && how != GA_MAKE_LEAN) {
    unsigned int before = plan->program->nstage;
    err = ga_copies_add(plan->program, GA_COPIES_LEAST, &ctx->target);
    plan->copies = plan->program->nstage != before;
  }
  if (err != GA_NO_ERROR) goto fail;
  plan->steps = calloc(plan->program->nstage + 1u, sizeof *plan->steps);
  plan->inplace = calloc(plan->program->nslot + 1u, sizeof *plan->inplace);
  plan->used = calloc(plan->program->nslot + 1u, 1);
  plan->span = calloc(plan->program->nslot + 1u, sizeof *plan->span);
  if (plan->steps == NULL || plan->inplace == NULL || plan->used == NULL || plan->span == NULL) {
    err = ga_error_memory("expression", plan->program->nstage * sizeof *plan->steps);
    goto fail;
  }
  err = add_steps(plan, low, into_low);
  if (err == GA_NO_ERROR && how != GA_MAKE_DRY) err = make_steps(plan, low, into_low);
  if (err != GA_NO_ERROR) goto fail;
  survey(plan, into);
  measure(plan, binds, into);
  *res = plan;
  return GA_NO_ERROR;
fail:
  ga_plan_free(plan);
  return err;
}

void ga_plan_free(ga_plan *plan)
{
  unsigned int k;
  if (plan == NULL) return;
  if (plan->steps != NULL)
    for (k = 0; k < plan->nstep; k++) {
      ga_step *step = &plan->steps[k];
      if (step->exec != NULL) plan->ctx->backend->stage_free(step->exec);
      ga_launch_clear(&step->launch);
      ga_layout_clear(&step->layout);
    }
  free(plan->steps);
  free(plan->used);
  free(plan->inplace);
  free(plan->span);
  free(plan->key);
  ga_program_free(plan->program);
  free(plan);
}
