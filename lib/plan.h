/* SPDX-License-Identifier: MIT */
/* A plan: an expression made ready for given dtypes, shapes, strides and
 * alignments. It holds the program and its steps, which are stages or, where the
 * device can, chains of stages; for each its layout and what the device runs: an
 * interpreter's object or a compiled kernel with packed arguments. Immutable once
 * made, so any number of threads may run it. */
#ifndef GA_PLAN_H
#define GA_PLAN_H

#include "lib/backend.h"
#include "lib/overlap.h"

/* One launch: a stage of the program, or a chain of stages. */
typedef struct ga_step {
  const ga_stage *stage;
  const ga_chain *chain; /* NULL: `stage` is the program's own */
  ga_layout layout;
  void *exec;    /* devices that interpret */
  ga_func *func; /* devices that compile; NULL: nothing to run */
  ga_launch launch;
} ga_step;

typedef struct ga_plan {
  struct ga_plan *next; /* in the list of its expression */
  gpucontext *ctx;      /* not counted: the expression holds it */
  uint64_t *key;        /* what it was made for: lib/expr_call.c */
  size_t nkey;          /* words */
  ga_program *program;
  unsigned int nstep;
  ga_step *steps;
  unsigned char *used; /* [nslot] 1: some step reads or writes it */
  int *inplace;        /* [nslot] 1: an existing array that some step writes */
  int ninplace;
  ga_span *span;     /* [nslot] bytes of an existing array around its first element */
  int copies;        /* arrays are copied first because that is faster (codegen/copies.c) */
  int folded;        /* one of those written overlaps itself, or is read once it is written */
  unsigned int nbig; /* most operands of a step */
  unsigned int npar; /* most params of a step */
} ga_plan;

/* How a plan is made: all of it, without what the device runs (layouts only), or with no copies
 * that need memory to be faster. */
enum ga_making { GA_MAKE_ALL, GA_MAKE_DRY, GA_MAKE_LEAN };

/* `low[s]` is the address of the first element of slot s modulo 16 (created
 * slots: 0). */
int ga_plan_new(ga_plan **plan, gpucontext *ctx, const ga_ast *ast, unsigned int n,
                const ga_bind *binds, const unsigned char *low, const ga_bind *into,
                unsigned char into_low, int unsafe, enum ga_making how);
void ga_plan_free(ga_plan *plan); /* accepts NULL */

/* Addresses of a stage's operands modulo 16, for ga_gen_text and ga_gen_launch, malloc'ed;
 * NULL: no memory. */
unsigned char *ga_plan_align(const ga_program *p, const ga_stage *st, const ga_layout *l,
                             const unsigned char *low, unsigned char into_low);

/* plan_kernels.c: the kernels of all steps, on devices that compile. */
int ga_plan_kernels(ga_plan *plan, const unsigned char *low, unsigned char into_low);

/* inplace.c: 1 when array `slot` of the plan, which a step writes, is read by a later one, or
 * by the same one at other elements. */
int ga_inplace_rereads(const ga_plan *plan, unsigned int slot);

#endif
