/* SPDX-License-Identifier: MIT */
/* Between variant_scan.c, variant_scan_rows.c, variant_scan_bytes.c and variant_scan_cross.c. */
#ifndef GA_VARIANT_SCAN_H
#define GA_VARIANT_SCAN_H

#include "variant.h"

#define LANES        32
#define GROUP        4     /* DESIGN.md */
#define STATIC_BYTES 2048  /* of shared memory: the kernel's own and the device's */
#define REGISTERS    65536 /* of a multiprocessor */
#define WARPS        (GA_BLOCK / 32)
#define ROWS_EACH    4  /* of a multiprocessor, where blocks walk along rows, at least */
#define BESIDE_LEAST 96 /* elements of rows beside each other: they are walked by 128 */

/* Bytes of an element of what is read before the scan, of all operands, and of `slot`: some
 * neighbours of what is read before, in words (scan_slots.cuh). */
typedef struct ga_scan_sizes {
  size_t in, all, slot;
} ga_scan_sizes;

/* Which operands move along `axis`, as vectors of v->vec: are they aligned? */
void ga_scan_aligned(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, unsigned int axis);

/* kernels/scan_rows.cu */
int ga_scan_rows(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                 const ga_target *target, const ga_scan_sizes *sizes);

/* Whether neighbours of rows that are read `step` elements apart are put in order as they are
 * loaded (kernels/steps.cuh): of long rows (H200, int64 of 8388: 102 us otherwise, 106 so), and
 * every second one, those of up to 4 bytes. */
int ga_scan_knows_step(const ga_layout *l, ssize_t size, ssize_t step);

/* kernels/scan_beside.cu; 0: another variant is to be chosen; 2: is better, if there is one, as
 * blocks are few. */
int ga_scan_beside(ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align, const ga_target *target, const ga_scan_sizes *sizes);

/* Whether what comes after a scan reads operands. */
int ga_scan_reads_after(const ga_stage *st, int *after);

/* kernels/scan_sheets.cuh; *chosen 0: the same. */
int ga_scan_sheets(ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align, const ga_target *target, int *chosen);

/* variant_scan_ways.c: finds what ga_scan_way_of asks of how operands lie in memory. */
void ga_scan_lie(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* kernels/scan_cross.cu, scan_cross_long.cu; *chosen 0: the same. `beside`: ga_scan_beside
 * returns 1. */
int ga_scan_cross(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                  const ga_target *target, int beside, int *chosen);

/* kernels/scan_bytes.cu; the same. */
int ga_scan_bytes(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                  const ga_target *target);

#endif
