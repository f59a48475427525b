/* SPDX-License-Identifier: MIT */
/* Between variant_chain.c, which chooses chains of rows, variant_chain_columns.c and
 * variant_chain_staged.c: rows that go by way of shared memory. `live`: bytes of registers
 * that an element takes. */
#ifndef GA_VARIANT_CHAIN_H
#define GA_VARIANT_CHAIN_H

#include "variant.h"

#define CHUNK          1024 /* chain_rows.cu: GA_CHUNK */
#define CHUNKS_MAX     128  /* of a row, where warps join so many; held ones may have more */
#define TEAM_WORDS     2    /* words an element has at the most where a block holds rows */
#define STATIC_SHARED  8192 /* of accumulators, and what the device keeps for itself */
#define CLUSTER_MOST   8    /* blocks that share their memory, but of such long rows */
#define ABREAST_EIGHTS 4    /* ga_variant.abreast: rows of a warp ask the same banks */

/* Blocks that run together wherever a multiprocessor has room for one. */
static inline unsigned int ga_chain_blocks(const ga_target *target)
{
  return target->cluster < CLUSTER_MOST ? target->cluster : CLUSTER_MOST;
}

/* Elements are worked on in 8 bytes or more. */
int ga_chain_is_wide(const ga_stage *st);

/* Blocks of `threads` that a multiprocessor is to have room for: what a thread holds,
 * in registers of 4 bytes, and what else it needs, bounds them. */
unsigned int ga_chain_resident(const ga_stage *st, unsigned int threads, size_t fours, size_t live);

/* Columns lie side by side, and there are blocks enough, or little to do. */
int ga_chain_columns_fit(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                         const ga_target *target, size_t live);
void ga_chain_choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                             const unsigned char *align, size_t live, const ga_target *target);

/* variant_chain_boxes.c: rows of an input in another order than the result; returns 0 where another
 * variant is to be chosen. */
int ga_chain_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                   const ga_target *target);

/* Columns of a block are so few, or results along them so short, that boxes are better. */
int ga_chain_is_few(const ga_variant *v, const ga_stage *st, const ga_layout *l);

/* Operands that are staged, of which those `apart`, napart of them, row by row; how far the
 * elements of rows lie apart at most, 0: all are neighbours; bytes that an element of a row takes,
 * or would if results had places of their own, and of the smallest element. */
typedef struct ga_staging {
  uint64_t set, apart, repeats;
  unsigned int napart;
  int spread;
  size_t bytes, all, least;
} ga_staging;

/* Returns 0 if there are none, or some can neither be staged nor read as they are. */
int ga_chain_staged_operands(ga_staging *g, const ga_variant *v, const ga_stage *st,
                             const ga_layout *l);

/* Shared memory of a block with so many chunks in it, all that it has included. */
size_t ga_chain_staged_room(uint64_t chunks, const ga_staging *g);

/* Rows of a middle axis: few lanes of few registers each, and groups of rows in little memory;
 * returns 0 where rows are not such, or too large. */
int ga_chain_abreast(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                     const ga_target *target);

/* Lanes that hold a row in few registers, and rows of a block in little memory; v->staged
 * stays 0 where there are none. */
void ga_chain_stage_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target);

/* Elements of a staged row that lie together as vectors, in all operands: 1, 2 or 4. */
int ga_chain_piece(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align);

/* Whether it would stage rows that are longer than a chunk, a warp each, in little memory. */
int ga_chain_stages_warps(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target);

/* A block whose shared memory holds a row that is staged, or its part of one, as results go past
 * it; returns 0 where that is not to be. */
int ga_chain_hold_row(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target);

/* A block that has a row, or its part of one. */
void ga_chain_stage_block(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target);

/* Whether results along rows of several axes, whose fours an end cuts, or that go backwards, are
 * stored in parts of sectors, and their elements read one by one: a kernel a level is faster, but
 * for short ones. So it is where long ones do not lie on vectors, or are made functions of 8 bytes
 * for several levels, which leave a multiprocessor few warps. */
int ga_chain_cut(const ga_stage *st, const ga_layout *l, const unsigned char *align);

#endif
