/* SPDX-License-Identifier: MIT */
/* Between layout.c, which brings a loop into canonical form, layout_class.c, which
 * says how kernels should walk it, and the generator. */
#ifndef GA_LAYOUT_H
#define GA_LAYOUT_H

#include "codegen.h"

#define SECTOR 32 /* bytes that memory moves at least */

/* The first array read that moves along every axis of the loop, NULL where there is none: a
 * reduction follows its order in memory. */
const ga_operand *ga_layout_lead(const ga_stage *st);

/* Operand numbers in order of precedence. */
typedef struct ga_axis_order {
  unsigned int n;
  const unsigned int *ops;
} ga_axis_order;

/* Whether canonical axis a goes outside axis b: -1, 1, or 0 for a tie. */
int ga_layout_compare(const ga_layout *l, const ga_axis_order *o, unsigned int a, unsigned int b);

enum ga_class ga_layout_class(const ga_layout *l, const ga_stage *st, const ga_axis_order *o);

/* Of a map: the axis along which crossed operands are fast, -1 where there are
 * none; and whether operand i is one. */
int ga_layout_cross_axis(const ga_layout *l, const ga_stage *st);
int ga_layout_crossed(const ga_layout *l, const ga_stage *st, unsigned int i, int axis);

/* The elements of operand i lie in memory as the kept axes count, without gaps. */
int ga_layout_dense(const ga_layout *l, const ga_stage *st, unsigned int i);

#endif
