/* SPDX-License-Identifier: MIT */
/* Makes plans: types and cuts the text (codegen), lays out each stage, and asks
 * the device for its form of it. This is the only place that asks whether a
 * device interprets stages or compiles their text. */
#include "lib/plan.h"

#include <stdlib.h>
#include <string.h>

void ga_plan_align(unsigned char *align, const ga_program *p, const ga_stage *st,
                   const ga_layout *l, const unsigned char *low,
                   unsigned char into_low) {
  unsigned int i;
  for (i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    const ga_slot *s = &p->slots[o->slot];
    unsigned int at = 0;
    if (s->kind == GA_SLOT_ARG) at = low[s->arg];
    if (s->kind == GA_SLOT_RESULT) at = into_low;
    align[i] = (unsigned char)((at + (size_t)o->offset + (size_t)l->offset[i]) % 16);
  }
}

static int compile_step(ga_step *step, gpucontext *ctx, const ga_stage *st,
                        const unsigned char *align) {
  ga_text text = {0};
  ga_source src = {0};
  ga_module *m;
  int err;

  err = ga_gen_text(&text, st, &step->layout, align, &ctx->target);
  if (err == GA_NO_ERROR)
    err = ga_gen_launch(&step->launch, st, &step->layout, align, &ctx->target);
  if (err == GA_NO_ERROR) {
    src.text = ga_str_text(&text.main);
    src.nheader = text.nheader;
    src.header_names = text.names;
    src.header_bodies = text.bodies;
    src.fast = ctx->target.fast;
    err = ga_cache_module(&m, ctx, &src, NULL);
  }
  if (err == GA_NO_ERROR)
    err = ctx->backend->module_func(&step->func, m, text.entry);
  ga_text_clear(&text);
  return err;
}

static int make_step(ga_step *step, gpucontext *ctx, const ga_program *p,
                     const ga_stage *st, const unsigned char *low,
                     unsigned char into_low, int dry) {
  unsigned char few[64], *align = few;
  int err;

  GA_TRY(ga_layout_make(&step->layout, st));
  if (dry || step->layout.kept == 0) return GA_NO_ERROR;
  if (ctx->backend->stage_new != NULL)
    return ctx->backend->stage_new(&step->exec, ctx, st, &step->layout);
  if (st->noperand > sizeof few && (align = malloc(st->noperand)) == NULL)
    return ga_error_memory("expression", st->noperand);
  ga_plan_align(align, p, st, &step->layout, low, into_low);
  err = compile_step(step, ctx, st, align);
  if (align != few) free(align);
  return err;
}

/* Which existing arrays are written, and how much room a run needs. */
static void survey(ga_plan *plan, const ga_bind *into) {
  const ga_program *p = plan->program;
  unsigned int i, k;
  for (k = 0; k < p->nstage; k++) {
    const ga_stage *st = &p->stages[k];
    if (st->noperand > plan->nbig) plan->nbig = st->noperand;
    if (st->nparam > plan->npar) plan->npar = st->nparam;
    for (i = 0; i < st->noperand; i++) {
      unsigned int s = st->operands[i].slot;
      int exists = p->slots[s].kind == GA_SLOT_ARG ||
                   (p->slots[s].kind == GA_SLOT_RESULT && into != NULL);
      if (st->operands[i].write && exists && !plan->inplace[s]) {
        plan->inplace[s] = 1;
        plan->ninplace++;
      }
    }
  }
}

int ga_plan_new(ga_plan **res, gpucontext *ctx, const ga_ast *ast, unsigned int n,
                const ga_bind *binds, const unsigned char *low, const ga_bind *into,
                unsigned char into_low, int unsafe, int dry) {
  ga_plan *plan = calloc(1, sizeof *plan);
  unsigned int k;
  int err;

  *res = NULL;
  if (plan == NULL) return ga_error_memory("expression", sizeof *plan);
  plan->ctx = ctx;
  err = ga_program_new(&plan->program, ast, n, binds, into, unsafe);
  if (err != GA_NO_ERROR) goto fail;
  plan->steps = calloc(plan->program->nstage + 1u, sizeof *plan->steps);
  plan->inplace = calloc(plan->program->nslot + 1u, sizeof *plan->inplace);
  if (plan->steps == NULL || plan->inplace == NULL) {
    err = ga_error_memory("expression", plan->program->nstage * sizeof *plan->steps);
    goto fail;
  }
  for (k = 0; k < plan->program->nstage; k++) {
    err = make_step(&plan->steps[k], ctx, plan->program, &plan->program->stages[k], low,
                    into_low, dry);
    if (err != GA_NO_ERROR) goto fail;
  }
  survey(plan, into);
  *res = plan;
  return GA_NO_ERROR;
fail:
  ga_plan_free(plan);
  return err;
}

void ga_plan_free(ga_plan *plan) {
  unsigned int k;
  if (plan == NULL) return;
  if (plan->steps != NULL)
    for (k = 0; k < plan->program->nstage; k++) {
      ga_step *step = &plan->steps[k];
      if (step->exec != NULL) plan->ctx->backend->stage_free(step->exec);
      ga_launch_clear(&step->launch);
      ga_layout_clear(&step->layout);
    }
  free(plan->steps);
  free(plan->inplace);
  free(plan->key);
  ga_program_free(plan->program);
  free(plan);
}
