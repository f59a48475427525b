/* SPDX-License-Identifier: MIT */
/* How boxes lie in shared memory, of which texts and packed launches both tell kernels (gen.h,
 * ga_variant: box, box_extent). */
#ifndef GA_GEN_BOXES_H
#define GA_GEN_BOXES_H

#include "gen.h"

/* variant_box.c: the axes of the box from operand i's fastest on, and whether it is an input and
 * that another order than the box's; how many bands of boxes lie along axis b. */
int ga_box_order(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                 unsigned int order[4]);
uint64_t ga_box_bands(const ga_variant *v, const ga_layout *l, unsigned int b);

/* BOXES, REDUCE_CROSS: where lines of operand i lie in shared memory, and how: bytes, vectors of
 * one. */
typedef struct ga_box {
  unsigned int from, pitch, vectors;
} ga_box;

ga_box ga_box_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i);
ga_box ga_cross_box_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i);

/* RUNS: how operand i's image lies (kernels/map_runs.cu). */
typedef struct ga_image {
  unsigned int from, pitch[4], apart, back, lanes, still, beside, grain;
} ga_image;

/* Whether operand i has one; all of them (NULL: none): returns their bytes, 0 where they do not
 * fit. */
int ga_runs_crossed(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i);
size_t ga_runs_images(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                      ga_image *images);

/* LAID: how operand i goes by way of shared memory (kernels/map_laid.cu): bytes from one x to the
 * next, 0: it does not; where its line is copied to, and laid out. `table`: how far rows are past
 * vectors; *end: bytes of all. */
typedef struct ga_laid {
  unsigned int step, from, to;
} ga_laid;

ga_laid ga_laid_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                   unsigned int *table, unsigned int *end);

/* SCAN_BOXES, SCAN_LONG: how operand i lies along rows, columns and boxes, in bytes; columns of
 * a box, and how many boxes there are. */
typedef struct ga_scan_box {
  ssize_t down, step, pitch;
  uint64_t inner, boxes;
} ga_scan_box;

ga_scan_box ga_scan_box_of(const ga_variant *v, const ga_layout *l, unsigned int i);
size_t ga_scan_area(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int n);
size_t ga_scan_totals(const ga_variant *v, const ga_stage *st, const ga_layout *l);

/* SCAN_SHEETS: how operand i lies along rows and columns, in bytes (kernels/scan_sheets.cuh), and
 * its copy; i == noperand: where all copies end. */
typedef struct ga_scan_sheet {
  ssize_t row, over, step;
  size_t area, down;
  unsigned int lanes; /* log2 of the threads that copy a row */
} ga_scan_sheet;

ga_scan_sheet ga_scan_sheet_of(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                               unsigned int i);

/* SCAN_CROSS: how operand i's box lies in shared memory: its axes from the fastest on, bytes that
 * are moved at once and how many of them make a line, bytes from one position to the next, and of
 * all; whether units are the aligned ones around it, and a line is all of the fastest two axes. */
typedef struct ga_scan_way {
  unsigned int order[4], pitch[4], unit, units, bytes;
  int phased, merged;
} ga_scan_way;

ga_scan_way ga_scan_way_of(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                           unsigned int i);

/* WALKS: how operand i lies in shared memory (kernels/reduce_walks.cu); *end: bytes of all up to
 * it. */
typedef struct ga_walk_image {
  unsigned int table, from, lines, words, along, gap[4];
} ga_walk_image;

ga_walk_image ga_walks_image(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                             unsigned int i, size_t *end);

#endif
