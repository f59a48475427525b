/* SPDX-License-Identifier: MIT */
/* Between variant_runs.c, which chooses boxes of runs (kernels/map_runs.cu), and variant_images.c,
 * which lays out what those hold in shared memory. */
#ifndef GA_VARIANT_RUNS_H
#define GA_VARIANT_RUNS_H

#include "variant.h"

#define WORD  4   /* bytes that a thread stores, or that are copied where lanes would meet */
#define BANKS 128 /* bytes that all banks of shared memory have side by side */

static inline int has_axis(const ga_variant *v, const ga_layout *l, unsigned int k)
{
  return v->box[k] < l->nk;
}

static inline ssize_t step_of(const ga_variant *v, const ga_layout *l, unsigned int i,
                              unsigned int k)
{
  return has_axis(v, l, k) ? l->strides[i][v->box[k]] : 0;
}

/* Box axis along which rows follow each other. */
static inline unsigned int row_axis(const ga_variant *v) { return v->each != 0 ? 1 : 2; }

/* Elements of a row, of a whole box. */
static inline size_t run_of_box(const ga_variant *v)
{
  return (size_t)v->box_extent[0] * (v->each != 0 ? v->each : v->box_extent[1]);
}

static inline int is_still(const ga_variant *v, const ga_layout *l, unsigned int i)
{
  return step_of(v, l, i, 0) == 0 && step_of(v, l, i, 1) == 0;
}

/* Lanes that meet a bank where they take neighbours along the row's innermost axis, which are
 * `pitch` bytes apart: no more of them than go along it. */
uint64_t ga_lanes_met(const ga_variant *v, size_t pitch);

/* Rows that are taken together are neighbours in operand i's image. */
int ga_lies_beside(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i);

/* How operand i's image lies; returns its bytes, 0 where it cannot. Says whether lanes would meet
 * banks. */
size_t ga_lay_image(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                    ga_image *m, int *meets);

/* The same, 0 also where lanes would meet banks. */
size_t ga_image_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                   ga_image *m);

#endif
