/* SPDX-License-Identifier: MIT */
/* Python's numbers as text, for program_print.c. */
#ifndef GA_CODEGEN_WEAK_PRINT_H
#define GA_CODEGEN_WEAK_PRINT_H

#include "weak.h"

void ga_weak_print(ga_str *s, const ga_weak *w, int node);

#endif
