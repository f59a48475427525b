/* SPDX-License-Identifier: MIT */
/* The kernels of a plan's steps. Those that memory does not have are read from disk
 * or compiled side by side (lib/util/tasks.h): compiling takes tens of milliseconds
 * a kernel, and a chain that goes by levels has three. */
#include <stdlib.h>

#include "lib/plan.h"
#include "lib/util/forks.h"
#include "lib/util/tasks.h"

/* One step's kernel on its way. */
typedef struct making {
  ga_task task;
  ga_step *step; /* NULL: nothing to make */
  gpucontext *ctx;
  unsigned int forks; /* of the process that waits for it */
  ga_text text;
  ga_source source;
  ga_kept_error error;
} making;

/* The step's text and packed launch. */
static int write_text(making *w, ga_step *step, const unsigned char *align)
{
  const ga_target *target = &w->ctx->target;
  GA_TRY(ga_gen_text(&w->text, step->stage, &step->layout, align, target));
  GA_TRY(ga_gen_launch(&step->launch, step->stage, &step->layout, align, target));
  w->source.text = ga_str_text(&w->text.main);
  w->source.nheader = w->text.nheader;
  w->source.header_names = w->text.names;
  w->source.header_bodies = w->text.bodies;
  w->source.fast = target->fast;
  return GA_NO_ERROR;
}

static int take(const making *w, ga_step *step, ga_module *m)
{
  return w->ctx->backend->module_func(&step->func, m, w->text.entry);
}

/* A task, so its error is kept for who waits: in a forked child nobody does. */
static void make(void *arg)
{
  making *w = arg;
  ga_module *m;
  int err;
  if (w->forks != ga_forks()) return;
  err = ga_cache_module(&m, w->ctx, &w->source, NULL);
  if (err == GA_NO_ERROR) err = take(w, w->step, m);
  ga_error_keep(&w->error, err);
}

/* The step's kernel if it is in memory; else it is to be made. */
static int prepare(making *w, ga_plan *plan, ga_step *step, const unsigned char *low,
                   unsigned char into_low)
{
  unsigned char *align = ga_plan_align(plan->program, step->stage, &step->layout, low, into_low);
  ga_module *m = NULL;
  int err;

  if (align == NULL) return ga_error_memory("expression", step->stage->noperand);
  w->ctx = plan->ctx;
  err = write_text(w, step, align);
  free(align);
  GA_TRY(err);
  GA_TRY(ga_cache_held(&m, w->ctx, &w->source));
  if (m != NULL) return take(w, step, m);
  w->step = step;
  w->forks = ga_forks();
  w->task.run = make;
  w->task.arg = w;
  return GA_NO_ERROR;
}

/* All that are to be made; of several that fail the first one's error is told. */
static int make_all(making *all, unsigned int n)
{
  unsigned int k, missing = 0;
  int err = GA_NO_ERROR;
  for (k = 0; k < n; k++) missing += all[k].step != NULL;
  for (k = 0; k < n; k++)
    if (all[k].step != NULL && (missing == 1 || !ga_task_start(&all[k].task))) make(&all[k]);
  for (k = 0; k < n; k++) ga_task_wait(&all[k].task);
  for (k = 0; k < n && err == GA_NO_ERROR; k++) err = ga_error_retell(&all[k].error);
  return err;
}

int ga_plan_kernels(ga_plan *plan, const unsigned char *low, unsigned char into_low)
{
  making *all = calloc(plan->nstep + 1u, sizeof *all);
  unsigned int k;
  int err = GA_NO_ERROR;

  if (all == NULL) return ga_error_memory("expression", (plan->nstep + 1u) * sizeof *all);
  for (k = 0; k < plan->nstep && err == GA_NO_ERROR; k++)
    if (plan->steps[k].layout.kept != 0)
      err = prepare(&all[k], plan, &plan->steps[k], low, into_low);
  if (err == GA_NO_ERROR) err = make_all(all, plan->nstep);
  for (k = 0; k < plan->nstep; k++) {
    ga_text_clear(&all[k].text);
    ga_error_forget(&all[k].error);
  }
  free(all);
  return err;
}
