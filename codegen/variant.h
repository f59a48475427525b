/* SPDX-License-Identifier: MIT */
/* Between variant.c, variant_map.c, variant_narrow.c, variant_chain.c and variant_scan.c: what they
 * ask of a stage's operands. */
#ifndef GA_VARIANT_H
#define GA_VARIANT_H

#include "gen.h"

/* Vectors of `vec` elements of operand i, 16 bytes at the most, lie on their size in
 * every row. */
int ga_rows_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                    unsigned int i, int vec);

/* The same at every position of the axes but `along`. */
int ga_vectors_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                       unsigned int i, int vec, unsigned int along);

/* variant_map.c */
void ga_variant_map(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align);

/* Some reduction is a moment. */
int ga_has_moment(const ga_stage *st);

/* variant_narrow.c; returns 0 where another variant is to be chosen. */
int ga_variant_narrow(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

/* variant_scan.c */
int ga_variant_scan(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);

/* variant_chain.c; the stage is a chain's, and fits. */
int ga_variant_chain(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

#endif
