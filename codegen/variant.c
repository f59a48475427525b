/* SPDX-License-Identifier: MIT */
/* Chooses a kernel's variant and its geometry from stage, layout, alignment and
 * target (gen.h). Text and launch are both made from the result, so they agree. */
#include <string.h>

#include "variant.h"

#define ACC_MAX    256 /* bytes of an accumulator: shared memory holds GA_JOINS */
#define ACC_COLUMN 64  /* the same where columns are walked; narrow sums' wait apart */

#define LATE_LOADS 2 /* vectors of an input that is loaded late (kernels/reduce_fours.cuh) */

#define CROSS_SHORT 64   /* elements of a column: of more, operands that cross are staged */
#define CROSS_FAR   1024 /* bytes from column to column; nearer ones share what caches hold */

unsigned int ga_rank_bound(unsigned int n)
{
  return n <= 1 ? 1 : n <= 3 ? n : n <= 8 ? 8 : GA_MAXND;
}

int ga_by_bytes(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i);
    if (align[i] % size != 0) return 1;
    for (unsigned int k = 0; k < l->nk + l->nr; k++)
      if (l->strides[i][k] % size != 0) return 1;
  }
  return 0;
}

static int uses_iota(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].op == GA_N_IOTA) return 1;
  return 0;
}

int ga_vectors_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                       unsigned int i, int vec, unsigned int along)
{
  size_t bytes = (size_t)vec * size_of(st, i);
  if (bytes > 16) bytes = 16;
  if (align[i] % bytes != 0) return 0;
  for (unsigned int k = 0; k < l->nk + l->nr; k++)
    if (k != along && l->strides[i][k] % (ssize_t)bytes != 0) return 0;
  return 1;
}

int ga_rows_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                    unsigned int i, int vec)
{
  return ga_vectors_aligned(st, l, align, i, vec, l->nk + l->nr - 1);
}

int ga_vectors_agree(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                     unsigned int i, unsigned int j, int vec)
{
  ssize_t a = (ssize_t)size_of(st, i), b = (ssize_t)size_of(st, j);
  if ((vec < 16 / a ? vec : 16 / a) > 16 / b) return 0;
  if ((align[i] / a - align[j] / b) % vec != 0) return 0;
  for (unsigned int k = 0; k < l->nk + l->nr; k++)
    if (k + 1 != l->nk && (l->strides[i][k] / a - l->strides[j][k] / b) % vec != 0) return 0;
  return 1;
}

size_t ga_widest(const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (size_of(st, i) > widest) widest = size_of(st, i);
  return widest;
}

int ga_has_moment(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].op == GA_REDUCE_moment) return 1;
  return 0;
}

/* Inputs that do not move along the reduced axes, as a mean that elements are taken from, or a
 * moment's first elements: texts read them once, in as few registers. (Rows of one axis do so
 * anyway; those of narrow elements are slower by more blocks of fewer registers.) */
static uint64_t still_inputs(const ga_stage *st, const ga_layout *l)
{
  uint64_t still = 0;
  if (l->cls == GA_CLASS_ROWS && l->nr == 1 && ga_widest_reduced(st) < 8 && !ga_has_moment(st))
    return 0;
  for (unsigned int i = 0; i < st->noperand && i < 64; i++) {
    int moves = !is_reduced(st, i);
    for (unsigned int k = l->nk; k < l->nk + l->nr; k++) moves |= l->strides[i][k] != 0;
    if (!moves) still |= (uint64_t)1 << i;
  }
  return still;
}

int ga_is_still(const ga_variant *v, unsigned int i) { return i < 64 && v->still >> i & 1; }

size_t ga_widest_moving(const ga_variant *v, const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && !ga_is_still(v, i) && size_of(st, i) > widest) widest = size_of(st, i);
  return widest;
}

/* Vectors of input i that a thread has at once: one where it stays, few where it is loaded late. */
static size_t loads_of(const ga_variant *v, unsigned int i, size_t loads)
{
  if (ga_is_still(v, i)) return 1;
  return i < 64 && v->repeats >> i & 1 && loads > LATE_LOADS ? LATE_LOADS : loads;
}

unsigned int ga_resident(const ga_variant *v, const ga_stage *st, size_t loads, size_t vec,
                         size_t accs, size_t other)
{
  size_t n = other + accs * ga_acc_size(st) / 4;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i)) n += loads_of(v, i, loads) * ((vec * size_of(st, i) + 3) / 4) + 2;
  return n <= 68 ? 4 : n <= 76 ? 3 : n <= 130 ? 2 : 1;
}

uint64_t ga_enough(const ga_target *target, unsigned int units)
{
  return (uint64_t)(target->nproc != 0 ? target->nproc : 1) * units;
}

int ga_makes_functions(const ga_stage *st, size_t least)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (!(st->nodes[i].level & 1) && ga_dtypes[st->nodes[i].dtype].size >= least &&
        ga_needs_math(st, &st->nodes[i]))
      return 1;
  return 0;
}

size_t ga_widest_reduced(const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && size_of(st, i) > widest) widest = size_of(st, i);
  return widest;
}

/* Shared memory holds the accumulators of columns that threads walk down. */
static int columns_fit(const ga_stage *st)
{
  return ga_acc_size(st) <= (ga_narrows(st) ? ACC_COLUMN - 8 : ACC_COLUMN);
}

static int check_stage(const ga_stage *st, const ga_layout *l)
{
  if (l->noperand != st->noperand)
    return ga_error(GA_VALUE_ERROR, "kernel: the layout has %u operands, the stage %u", l->noperand,
                    st->noperand);
  if (st->nstore == 0) return ga_error(GA_VALUE_ERROR, "kernel: the stage stores nothing");
  for (unsigned int i = 0; i < st->nnode && !ga_is_chain(st); i++)
    if (st->nodes[i].level > 1)
      return ga_error(GA_UNSUPPORTED_ERROR,
                      "kernel: node %u is at level %d, at most one reduction is fused", i,
                      st->nodes[i].level);
  if (st->nreduction != 0 && ga_acc_size(st) > ACC_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: %u reductions at once need %zu bytes, at most %d",
                    st->nreduction, ga_acc_size(st), ACC_MAX);
  return GA_NO_ERROR;
}

/* Columns are short, and lie along them in some operand, far apart: threads beside each other would
 * each read from lines of their own. */
static int columns_cross(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->reduced >= CROSS_SHORT || l->nr != 1 || ga_has_moment(st)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && l->strides[i][inner] != 0 && is_near(st, l, i, inner) &&
        ga_magnitude(l->strides[i][l->nk - 1]) > CROSS_FAR)
      return 1;
  return 0;
}

int ga_variant_choose(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  int tail;
  GA_TRY(check_stage(st, l));
  memset(v, 0, sizeof *v);
  v->wide = l->wide;
  v->bytes = ga_by_bytes(st, l, align);
  v->iota = uses_iota(st);
  v->nk = v->nr = 1;
  v->block = GA_BLOCK;
  if (ga_is_chain(st)) return ga_variant_chain(v, st, l, align, target);
  v->still = still_inputs(st, l);
  switch (l->cls) {
  case GA_CLASS_CONTIG:
  case GA_CLASS_INNER:
  case GA_CLASS_STRIDED:
  case GA_CLASS_TILE: ga_variant_map(v, st, l, align, target); break;
  case GA_CLASS_SCAN_ROWS:
  case GA_CLASS_SCAN_COLUMNS:
  case GA_CLASS_SCAN_GATHER: GA_TRY(ga_variant_scan(v, st, l, align, target)); break;
  case GA_CLASS_COLUMNS:
    if (ga_variant_pairs(v, st, l, align, target)) break;
    if (ga_variant_reduce_cross(v, st, l, align, target)) break;
    if (ga_variant_walks(v, st, l, align, target)) break;
    if (columns_cross(st, l)) {
      GA_TRY(ga_variant_rows(v, st, l, align, target));
      break;
    }
    if (ga_variant_parted(v, st, l, align, target)) break;
    if (ga_variant_groups(v, st, l, align, target)) break;
    if (ga_walks_lines(st, l, target) && ga_variant_narrow(v, st, l, align, target)) break;
    if (ga_variant_staged(v, st, l, align, target)) break;
    if (ga_variant_narrow(v, st, l, align, target)) break;
    if (ga_variant_down(v, st, l, align, target)) break;
    if (columns_fit(st)) {
      if (ga_variant_boxes(v, st, l, target)) break;
      GA_TRY(ga_variant_columns(v, st, l, align, target));
      break;
    }
    /* fall through */
  default:
    if (ga_variant_woven(v, st, l, align, target)) break;
    if (ga_variant_pairs(v, st, l, align, target)) break;
    if (ga_variant_reduce_cross(v, st, l, align, target)) break;
    if (ga_variant_walks(v, st, l, align, target)) break;
    if (ga_variant_folded(v, st, l, align, target)) break;
    tail = columns_fit(st) ? ga_has_tail(v, st, l, align) : 0;
    if (tail == 2 || (tail && !ga_variant_boxes(v, st, l, target))) {
      GA_TRY(ga_variant_columns(v, st, l, align, target));
      break;
    }
    if (tail || (columns_fit(st) && ga_variant_boxes(v, st, l, target))) break;
    if (!ga_has_slots(v, st, l, align) && ga_variant_staged(v, st, l, align, target)) break;
    GA_TRY(ga_variant_rows(v, st, l, align, target));
  }
  if (v->grid > GA_GRID_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: %llu blocks, at most %u", (unsigned long long)v->grid,
                    GA_GRID_MAX);
  return GA_NO_ERROR;
}
