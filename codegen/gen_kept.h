/* SPDX-License-Identifier: MIT */
/* Values that a kernel makes once for many elements (ga_kept of kernels): a chain's of each row,
 * and what maps make of inputs that stay along rows, and of numbers. */
#ifndef GA_GEN_KEPT_H
#define GA_GEN_KEPT_H

#include "gen.h"

enum { GA_KEPT_VALUE = 1, GA_KEPT_DIVISOR = 2 };

/* Sets kept[i] of the nodes that another level reads, which the caller has cleared. */
void ga_find_kept(unsigned char *kept, const ga_stage *st);

/* Prints ga_kept. */
void ga_gen_kept(ga_str *s, const ga_stage *st, const unsigned char *kept);

/* Prints how its members of nodes of `level` are set. */
void ga_gen_keep(ga_str *s, const ga_stage *st, const unsigned char *kept, int level);

enum { GA_KEPT_NODES = 256 }; /* of a map that keeps values, at most */

/* Sets moves[i] of a map: node i is of another input than `still` ones, or of its place. */
void ga_find_moves(unsigned char *moves, const ga_stage *st, uint64_t still);

/* What a map makes of the inputs `still` (bit i: input i) and numbers alone, in bits: nothing that
 * is long; what it divides by; the same of bfloat16, whose quotients are longer; square roots;
 * functions that are longer. */
enum {
  GA_KEEPS_NONE,
  GA_KEEPS_DIVISOR = 1,
  GA_KEEPS_BFLOAT = 2,
  GA_KEEPS_ROOT = 4,
  GA_KEEPS_FUNCTION = 8
};
int ga_map_keeps(const ga_stage *st, uint64_t still);

/* Bits of the first 64 inputs that stay along the innermost axis of a map. */
uint64_t ga_staying_inputs(const ga_stage *st, const ga_layout *l);

/* What is made of those is made once for a vector, if there is any; `always`: the text tells them
 * apart where there is none, too. */
void ga_choose_kept(ga_variant *v, const ga_stage *st, const ga_layout *l, int always);

/* A map whose nodes of `still` inputs and numbers alone are at level 1, as those of a chain's rows
 * are; of its stage it has what is not its own. */
typedef struct ga_kept_map {
  ga_stage st;
  ga_node nodes[GA_KEPT_NODES];
} ga_kept_map;

const ga_stage *ga_level_map(ga_kept_map *w, const ga_stage *st, uint64_t still);

#endif
