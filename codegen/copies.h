/* SPDX-License-Identifier: MIT */
/* Between copies.c and split.c, which make of a reduction several stages whose temporaries lie as
 * what it reads does. */
#ifndef GA_CODEGEN_COPIES_H
#define GA_CODEGEN_COPIES_H

#include "gen.h"

/* The axes of a stage's loop that have more than one element, as the first array that moves along
 * all of them (`lead`) has them in memory, the slowest first: it tells the order of the reduction
 * (layout.c), which temporaries that lie so never change. */
typedef struct ga_lead {
  const ga_operand *lead;
  unsigned int n, axis[GA_MAXND];
  double bytes; /* of it */
} ga_lead;

/* Returns 0 where there is none, it has two axes alike, or fewer bytes. */
int ga_lead_find(ga_lead *o, const ga_stage *st, size_t least);

/* Of operand `lead`, whatever it has for bytes. */
int ga_lead_of(ga_lead *o, const ga_stage *st, const ga_operand *lead);

/* Operand x as `copy` of it lies in the lead's order: of the axes that it moves along, and the
 * `inner` fastest ones. Returns the copy's bytes. */
double ga_lead_lay(ga_operand *copy, const ga_lead *o, const ga_stage *st, const ga_operand *x,
                   unsigned int inner);

/* A temporary for it. */
int ga_lead_slot(ga_program *p, const ga_lead *o, const ga_stage *st, ga_operand *copy);

/* A small input whose copy has rows that are much longer. */
int ga_small_copy(ga_operand *copy, const ga_lead *o, const ga_stage *st, const ga_operand *x);

/* crossing.c: bits of the operands that are copied in the order of *o, as they cross it. *left:
 * bytes that such copies may have yet, of which those of these are taken. */
int ga_crossing_find(uint64_t *which, ga_lead *o, const ga_stage *st, size_t least,
                     const ga_target *target, double *left);

/* split.c: a reduction over several axes in no order, as one over some of them, *first, and what is
 * left of it in *st; *done 0: it is not to be. */
int ga_split_stage(ga_program *p, ga_stage *st, size_t least, ga_stage *first, int *done);

#endif
