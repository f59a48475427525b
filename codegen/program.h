/* SPDX-License-Identifier: MIT */
/* What codegen's own files see of a program beyond codegen.h. */
#ifndef GA_CODEGEN_PROGRAM_H
#define GA_CODEGEN_PROGRAM_H

#include "weak.h"

/* The Python numbers that ga_param.weak refers to. */
const ga_weak *ga_program_weak(const ga_program *p);

/* temporaries.c: temporaries lie as what they are reductions of does. */
void ga_temporaries_turn(ga_program *p);

#endif
