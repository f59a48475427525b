/* SPDX-License-Identifier: MIT */
/* Members of a kernel's ga_params, appended one by one at the offsets CUDA gives them. */
#ifndef GA_GEN_PACK_H
#define GA_GEN_PACK_H

#include "gen_boxes.h"

/* What is being packed. Grows; the first failure sticks. */
typedef struct ga_pack {
  unsigned char *bytes;
  size_t size, cap, align; /* align: of the struct so far */
  int err;
} ga_pack;

static inline size_t ga_round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Appends a member; returns where it lies. NULL data: zeros. */
size_t ga_put(ga_pack *p, const void *data, size_t size, size_t align);

void ga_put32(ga_pack *p, uint64_t value);

void ga_put64(ga_pack *p, uint64_t v);

/* ga_index and ga_offset */
void ga_put_index(ga_pack *p, int wide, uint64_t v);

/* prelude.cuh: ga_div. With s the smallest power whose 2^s is not below d, mul
 * is 2^w * (2^s - d) / d + 1, w being the bits of a ga_index. */
void ga_put_div(ga_pack *p, int wide, uint64_t d);

/* One step along an axis: what it adds to each ga_offset of off[GA_NOFF]. */
void ga_put_step(ga_pack *p, const ga_variant *v, const ga_layout *l, unsigned int axis);

/* prelude.cuh: ga_axes<bound> of n axes */
void ga_put_axis_list(ga_pack *p, const ga_variant *v, const ga_layout *l, const unsigned int *axes,
                      unsigned int n, unsigned int bound);

/* The same of axes [begin, begin + n). */
void ga_put_axes(ga_pack *p, const ga_variant *v, const ga_layout *l, unsigned int begin,
                 unsigned int n, unsigned int bound);

/* Whether each operand moves along `axis`, as `step` of the skeletons. */
void ga_put_steps(ga_pack *p, const ga_layout *l, unsigned int axis, int any);

/* gen_params.c: what the skeleton has between addresses and numbers; notes in `launch` where
 * scratch memory and tickets are. */
void ga_pack_params(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                    const ga_layout *l);

/* gen_params_scan.c: the same of a scan. */
void ga_pack_scan_params(ga_pack *p, ga_launch *launch, const ga_variant *v, const ga_stage *st,
                         const ga_layout *l);

#endif
