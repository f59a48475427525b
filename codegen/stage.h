/* SPDX-License-Identifier: MIT */
/* Between stage.c, which decides the stages, and stage_emit.c, which writes them
 * down as ga_stage. */
#ifndef GA_CODEGEN_STAGE_H
#define GA_CODEGEN_STAGE_H

#include "infer.h"

/* Bounds: reductions of one text, reductions of one stage. */
enum { GA_MAXREDUCTION = 1024, GA_MAXSTAGEREDUCTION = 8 };

/* A value a stage leaves in a slot. */
typedef struct ga_want {
  int node;
  unsigned int slot;
} ga_want;

/* A stage to be: the reductions of one loop, or a map. */
typedef struct ga_group {
  int wave; /* 1: reads arrays only; n: reads results of wave n-1 */
  int map;  /* 1: no reduction */
  ga_shape shape;
  uint64_t axes;
  unsigned int nreduction;
  int reductions[GA_MAXSTAGEREDUCTION]; /* of ga_dag.reductions */
  unsigned int nwant, wantcap;
  ga_want *wants;
} ga_group;

typedef struct ga_stager {
  const ga_infer *in;
  const ga_dag *d;
  ga_arena arena;
  unsigned char *live; /* of node: an output needs it */
  int *wave;           /* of node */
  /* Of node: the last stage whose reductions it depends on, -1 for none; whether
   * it is computed at the end of that stage, by its kept axes; and then the
   * stage's loop axis of each of its axes, -1 where the extent is 1. */
  int *ready;
  unsigned char *post;
  const int **map;
  unsigned char *mark; /* of node, scratch of ga_stage_mark() */
  int *group_of;       /* of reduction */
  unsigned char *need; /* of reduction: some stage's value uses it */
  int *slot_of;        /* of node: where its value is stored for later stages, -1 */
  int *arg_slot;       /* of bind, -1 */
  unsigned int ngroup, groupcap;
  ga_group *groups; /* in order of execution */
  unsigned int slotcap;
  ga_program *p;
} ga_stager;

/* The stored value a node evaluated in stage g is read from: a slot's node, or -1
 * when the node is computed there. */
int ga_stage_source(const ga_stager *s, int node, int g);

/* Marks in s->mark what stage g evaluates for the roots; nodes read from slots
 * are marked, their arguments are not. */
void ga_stage_mark(ga_stager *s, int g, const int *roots, unsigned int nroot);

/* Cuts the graph of `in` into p's slots and stages. */
int ga_stage_program(const ga_infer *in, ga_program *p);

/* chain.c: p's chains, of its stages. */
int ga_chain_find(ga_program *p);

/* stage_group.c: s->groups of reductions, in order; s->group_of. */
int ga_stage_groups(ga_stager *s);

/* stage_emit.c: stage g as *st. */
int ga_stage_emit(ga_stager *s, int g, ga_stage *st);
void ga_stage_clear(ga_stage *st);

#endif
