/* SPDX-License-Identifier: MIT */
/* Between variant.c and the others, each of which chooses the variants of some skeletons: what
 * they ask of a stage's operands. */
#ifndef GA_VARIANT_H
#define GA_VARIANT_H

#include "gen.h"
#include "gen_boxes.h"

static inline uint64_t ceil_div(uint64_t n, uint64_t d) { return n / d + (n % d != 0); }

static inline uint64_t pow2_ceil(uint64_t n)
{
  uint64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

static inline unsigned int log2_of(uint64_t p)
{
  unsigned int b = 0;
  while (p > 1) p /= 2, b++;
  return b;
}

static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
  return b == 0 ? a : common_divisor(b, a % b);
}

/* Operand i is read for each element that is reduced, or of a chain's rows. */
static inline int is_reduced(const ga_stage *st, unsigned int i)
{
  return !st->operands[i].outer && !st->operands[i].write;
}

/* Bytes of an element of operand i. */
static inline size_t size_of(const ga_stage *st, unsigned int i)
{
  return ga_dtypes[st->operands[i].dtype].size;
}

/* Some operand has elements of less than 4 bytes, whose lines are words: boxes of powers of two
 * keep those equally far past a word. */
static inline int ga_is_narrow(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (size_of(st, i) < 4) return 1;
  return 0;
}

/* Some element of some operand does not lie on a multiple of its size. */
int ga_by_bytes(const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* Operand i is read along rows, of which those that follow each other are one and the same: the
 * vector that a matrix is multiplied by. */
static inline int is_repeated(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  return is_reduced(st, i) && l->nk != 0 && l->nr != 0 && l->strides[i][l->nk - 1] == 0 &&
         l->strides[i][l->nk + l->nr - 1] != 0;
}

static inline int any_repeated(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_repeated(st, l, i)) return 1;
  return 0;
}

#define STEP_NEAR 2 /* elements from one to the next that still share memory's sectors */

/* Neighbours along the axis lie close together in operand i. */
static inline int is_near(const ga_stage *st, const ga_layout *l, unsigned int i, unsigned int axis)
{
  ssize_t step = l->strides[i][axis], most = STEP_NEAR * (ssize_t)size_of(st, i);
  return step <= most && step >= -most;
}

/* Operand i goes by way of shared memory. */
static inline int is_boxed(const ga_variant *v, unsigned int i)
{
  return i < 64 && v->boxed >> i & 1;
}

/* Vectors of `vec` elements of operand i, 16 bytes at the most, lie on their size in
 * every row. */
int ga_rows_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                    unsigned int i, int vec);

/* The same at every position of the axes but `along`. */
int ga_vectors_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                       unsigned int i, int vec, unsigned int along);

/* Bytes of an element of the widest operand. */
size_t ga_widest(const ga_stage *st);

/* Operand i's vectors of `vec` elements begin where operand j's do, at every position of the
 * axes but the innermost kept one. Addresses are known modulo 16: of a wider operand j
 * that says too little. */
int ga_vectors_agree(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                     unsigned int i, unsigned int j, int vec);

/* variant_map.c */
void ga_variant_map(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);

/* variant_flat.c: what threads of FLAT have, after the vectors are known. */
void ga_flat_threads(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const ga_target *target);

/* variant_planes.c; returns 0 where another variant is to be chosen. */
int ga_variant_planes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align);

/* variant_laid.c: instead of `other`, which is chosen already, v being as before that; returns 0
 * where that is to stay. */
int ga_variant_laid(ga_variant *v, const ga_variant *other, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);

/* variant_cross.c; returns 0 where another variant is to be chosen. */
int ga_variant_cross(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

/* What operands have in another order is near enough for caches. */
int ga_is_close(const ga_stage *st, const ga_layout *l);

/* variant_shape.c: boxes for operands that are fast along several axes, as much of each as is worth
 * it: of powers of two; of whole short axes; for runs also of equal parts, in more shared memory
 * where they have few bytes on end, and the same of larger ones. In this order: behind each of runs
 * stands the same in more. */
enum ga_shape {
  GA_SHAPE_POWERS,
  GA_SHAPE_WHOLE,
  GA_SHAPE_RUNS,
  GA_SHAPE_ROOMY,
  GA_SHAPE_LONG,
  GA_SHAPE_LONG_ROOMY
};

/* Such a box for map_cross.cu; for map_runs.cu one that has all of axis `all` (l->nk: none). Both
 * return 0 where none is. */
int ga_shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l);
int ga_shape_runs(ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int all,
                  int larger);

/* Shared memory of a box of map_cross.cu. */
size_t ga_box_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l);

/* variant_box.c: the axes that operand i moves along, the fastest first; returns how many. A box of
 * no axes; the axis of a box that is axis k, 4 where there is none; the innermost kept axis that it
 * has nothing of, l->nk where it has all. */
unsigned int ga_own_order(const ga_layout *l, unsigned int i, unsigned int *order);
void ga_no_box(ga_variant *v);
unsigned int ga_in_box(const ga_variant *v, unsigned int k);
unsigned int ga_outside_box(const ga_variant *v, const ga_layout *l);

/* Bytes on end that a box has of operand i, and the axis that makes them more: l->nk for none. The
 * part of all that boxes have which is there. */
uint64_t ga_box_run(const ga_variant *v, const ga_layout *l, const ga_stage *st, unsigned int i,
                    unsigned int *more);
double ga_box_fill(const ga_variant *v, const ga_layout *l);

/* variant_runs.c: bytes of an element of the widest operand that moves along rows. */
size_t ga_widest_moved(const ga_stage *st, const ga_layout *l);

/* Shared memory of a box of runs, as far as it is one yet. */
size_t ga_runs_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l);

/* Shared memory that a block of `bytes` asks for. */
size_t ga_leave_cache(size_t bytes, const ga_target *target);

/* variant_runs.c: what else there is: boxes of powers of two, not those, tiles. Returns 0 where
 * another variant is to be chosen. */
enum ga_instead { GA_OR_BOXES, GA_OR_ELEMENTS, GA_OR_TILES };
int ga_variant_runs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target, enum ga_instead instead);

/* The same instead of `other`, which is chosen already, v being as before that; variant_pay.c says
 * where boxes w of runs are faster. */
int ga_variant_runs_instead(ga_variant *v, const ga_variant *other, const ga_stage *st,
                            const ga_layout *l, const unsigned char *align,
                            const ga_target *target);
int ga_runs_pay(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                const ga_layout *l);

/* variant_tiles.c: inputs that cross results by tiles of words; 0 where these do not fit, and the
 * loop is walked as it is. */
int ga_variant_tile(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align);

/* Lines turned by way of shared memory, where tiles' words, or sectors of memory, are cut; 0 where
 * they do not fit, or tiles would be half empty, of bytes two thirds. */
int ga_variant_turn(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align);

/* Some reduction is a moment. */
int ga_has_moment(const ga_stage *st);

/* Elements of at least so many bytes are made functions of, not only sums and products. */
int ga_makes_functions(const ga_stage *st, size_t least);

/* Bytes of an element of the widest reduced operand. */
size_t ga_widest_reduced(const ga_stage *st);

/* The text knows that operand i does not move along the reduced axes. */
int ga_is_still(const ga_variant *v, unsigned int i);

/* Bytes of an element of the widest reduced operand but for those. */
size_t ga_widest_moving(const ga_variant *v, const ga_stage *st);

/* `units` for each multiprocessor. */
uint64_t ga_enough(const ga_target *target, unsigned int units);

/* Blocks that a multiprocessor is to have room for: what a thread holds, in
 * registers of 4 bytes, bounds them. It holds `loads` vectors of `vec` elements,
 * `accs` accumulators, and `other` addresses and indices. */
unsigned int ga_resident(const ga_variant *v, const ga_stage *st, size_t loads, size_t vec,
                         size_t accs, size_t other);

/* variant_columns.c */
int ga_variant_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, const ga_target *target);

/* Whether a kept axis with a short reduced one inside is walked as columns are; sets
 * v->tail; 2: the columns fill a line of memory. */
int ga_has_tail(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* variant_narrow.c; whether a few columns of bytes are as many as are walked faster than staged. */
int ga_walks_lines(const ga_stage *st, const ga_layout *l, const ga_target *target);

/* Returns 0 where another variant is to be chosen. */
int ga_variant_narrow(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

/* Bytes of what a thread has of a column where the order does not matter: positions are those
 * of lines (kernels/reduce_some.cuh). */
size_t ga_lane_size(const ga_variant *v, const ga_stage *st);

/* variant_merged.c: the same of rows that hold a reduced axis besides, and of columns that are
 * several axes only of results. Both return 0 where another variant is to be chosen. */
int ga_variant_folded(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);
int ga_variant_parted(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

/* variant_down.c; both return 0 where another variant is to be chosen. */
int ga_variant_down(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);
int ga_variant_woven(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

/* variant_groups.c; returns 0 where another variant is to be chosen. */
int ga_variant_groups(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

/* How chunks of 2^zbits at once are cut into spans, for about `units` of work for each
 * multiprocessor; returns 0 where they are too many. */
int ga_cut_chunks(ga_variant *v, const ga_layout *l, const ga_target *target, unsigned int units);

/* variant_boxes.c; returns 0 where another variant is to be chosen. */
int ga_variant_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const ga_target *target);

/* variant_reduce_cross.c; returns 0 where another variant is to be chosen. */
int ga_variant_reduce_cross(ga_variant *v, const ga_stage *st, const ga_layout *l,
                            const unsigned char *align, const ga_target *target);

/* variant_walks.c; returns 0 where another variant is to be chosen. */
int ga_variant_walks(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

/* variant_rows.c. Whether short rows are walked by slots: */
int ga_has_slots(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                 const unsigned char *align);
int ga_variant_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);

/* variant_pairs.c; returns 0 where another variant is to be chosen. */
int ga_variant_pairs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

/* variant_scan.c */
int ga_variant_scan(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target);

/* How what is read before a scan of rows is copied (scan_slots.cuh: GA_COPIED): 0: not at all, 1,
 * or GA_SHIFTED. */
enum { GA_TURNED = 2, GA_SHIFTED };
int ga_scan_copies(int *how, const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* Whether groups of rows that are copied are longer than DESIGN.md's. */
int ga_scan_widens(const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* Elements of a group of rows whose scan's order cannot be told: as many as make 16 bytes, where
 * rows lie on them and are a segment of such groups at most; else 4. */
int ga_scan_vector(const ga_stage *st, const ga_layout *l, const unsigned char *align);

/* variant_scan_boxes.c; *chosen 0: another variant is to be chosen. */
int ga_variant_scan_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align, const ga_target *target, int *chosen);

/* variant_chain.c; the stage is a chain's, and fits. */
int ga_variant_chain(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target);

/* Short rows that do not lie on vectors, as a chain of their reduction alone has them;
 * returns 0 where another variant is to be chosen. */
int ga_variant_staged(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target);

#endif
