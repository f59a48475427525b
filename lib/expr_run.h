/* SPDX-License-Identifier: MIT */
/* One run of a plan, between expr_run.c and inplace.c. */
#ifndef GA_EXPR_RUN_H
#define GA_EXPR_RUN_H

#include "lib/expr.h"

/* Arrays are indexed by slot. */
typedef struct ga_run {
  const ga_plan *plan;
  const ga_call *call;
  GpuArray *out;    /* where the value goes when it is created, or NULL */
  char **base;      /* address of the first element */
  char **target;    /* the same, for writing: differs when there is a shadow */
  gpudata **temp;   /* temporaries, or NULL */
  gpudata **shadow; /* stand-ins for arrays still being read, or NULL */
  unsigned int nshadow;
  unsigned int placed; /* slots that have their array */
} ga_run;

/* Before the stages: refuses outputs that overlap themselves or each other or
 * are read-only (GA_VALUE_ERROR), and makes the shadows that are needed. */
int ga_inplace_prepare(ga_run *r);

/* After the stages: moves the shadows over their arrays. */
int ga_inplace_finish(ga_run *r);

/* expr_run.c: the arguments of a stage's launch, with scratch and tickets. */
int ga_step_pack(const ga_step *step, const ga_stage *st, gpucontext *ctx, void *const *addr,
                 const ga_value *num, unsigned char *args);

#endif
