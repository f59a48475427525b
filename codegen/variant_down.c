/* SPDX-License-Identifier: MIT */
/* Chooses the variant of few rows that threads walk down, and of rows of few elements, which are
 * such columns woven (gen.h, kernels/reduce_down.cuh). */
#include "variant.h"

#define ROWS_MAX    1024 /* more have variants of their own (variant_narrow.c) */
#define ROWS_FEW    32   /* in the order of DESIGN.md: a thread's registers hold their fours */
#define ROWS_SMALL  56   /* the same of elements of 2 bytes, which columns would pad to 64 */
#define HELD_MAX    128  /* bytes of those; twice that of one column */
#define LEAST       32   /* columns */
#define LOADS_MAX   32   /* rows, ... */
#define LOADS_FEW   8    /* ... and such as are shifted */
#define LOAD_BYTES  128  /* that a thread loads at once */
#define OUT_BYTES   32   /* that it writes, where it reads few rows */
#define OUT_ROWS    8    /* which are so many */
#define WOVEN_MAX   7    /* elements of a column side by side, */
#define WOVEN_BYTES 2    /* ... bytes of one, */
#define WOVEN_ROW   10   /* ... and of all where results are no wider */
#define RAGGED      2    /* blocks of a multiprocessor where vectors are made of several */

/* Threads for each multiprocessor: without the fewer others are faster, without the more a
 * thread has fewer columns. */
enum { DOWN_THREADS = 512, DOWN_ENOUGH = 4096 };

/* Each input that moves along the columns moves by one element, or marked in v->ragged, has others
 * between them or goes backwards. */
static int has_neighbours(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  v->ragged = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][l->nk - 1];
    if (!is_reduced(st, i) || step == 0 || step == (ssize_t)size_of(st, i)) continue;
    if (i >= 64 || size_of(st, i) > 8 || !is_near(st, l, i, l->nk - 1)) return 0;
    v->ragged |= (uint64_t)1 << i;
  }
  return 1;
}

/* All of them (`written` 0), or all outputs, lie on vectors in each row. */
static int on_vectors(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, int written)
{
  unsigned int inner = l->nk - 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (written ? !st->operands[i].write : !is_reduced(st, i)) continue;
    if (!written && l->strides[i][inner] == 0) continue;
    if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
    if (!ga_vectors_aligned(st, l, align, i, v->vec, inner)) return 0;
  }
  return 1;
}

/* Bytes of an element of the widest output. */
static size_t widest_written(const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && size_of(st, i) > widest) widest = size_of(st, i);
  return widest;
}

/* Threads, where each has v->vec columns. */
static uint64_t down_units(ga_variant *v, const ga_layout *l)
{
  uint64_t inner = l->dims[l->nk - 1], lanes = v->vector ? 1 : 32;
  v->tiles = ceil_div(inner, (uint64_t)v->vec * lanes) * lanes;
  return l->kept / inner * v->tiles;
}

/* A thread's columns are vectors in each row. */
static int has_vectors(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align)
{
  return v->vector && l->dims[l->nk - 1] % (uint64_t)v->vec == 0 && on_vectors(v, st, l, align, 0);
}

/* The same, or vectors of half as many, as long as they have 8 bytes. */
static int finds_vectors(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  int vec = v->vec, least = (int)(8 / ga_widest_reduced(st));
  while (!has_vectors(v, st, l, align) && v->vec / 2 >= least && v->vec > 2) v->vec /= 2;
  if (has_vectors(v, st, l, align)) return 1;
  v->vec = vec;
  return 0;
}

/* Rows are so few that what is stored counts: of several inputs, where results are wider. */
static int stores_much(const ga_stage *st, const ga_layout *l)
{
  uint64_t inputs = 0;
  for (unsigned int i = 0; i < st->noperand; i++) inputs += (uint64_t)is_reduced(st, i);
  return l->reduced <= OUT_ROWS &&
         (l->reduced * inputs <= OUT_ROWS || widest_written(st) > ga_widest_reduced(st));
}

/* Columns of a thread: 16 bytes of the widest input, as far as registers hold what is joined
 * of them; whole words where keys are made of them (reduce_keys.cuh). Where rows do not lie on
 * vectors elements of 1 and 2 bytes are shifted together, unless there are as many outputs, which
 * would be stored one by one. Returns 0 where they are wider and rows not few: those are faster in
 * tiles of columns. */
static int down_vector(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, const ga_target *target)
{
  size_t held = ga_lane_size(v, st) * (size_t)v->fours, widest = ga_widest_reduced(st);
  int few = stores_much(st, l), least = ga_has_keys(st) ? (int)(4 / widest) : 1;
  v->vec = ga_has_moment(st) ? 1 : (int)(16 / widest);
  while (v->vec > least && !v->loose && (size_t)v->vec * held > HELD_MAX) v->vec /= 2;
  while (v->vec > least && few && (size_t)v->vec * widest_written(st) > OUT_BYTES) v->vec /= 2;
  v->vector = has_neighbours(v, st, l);
  while (v->vec > 1 && (size_t)v->vec * widest > 8 &&
         down_units(v, l) < ga_enough(target, DOWN_ENOUGH))
    v->vec /= 2;
  if (v->vec > least && v->iota && down_units(v, l) < ga_enough(target, DOWN_THREADS)) v->vec /= 2;
  v->aligned = l->reduced <= OUT_ROWS || widest >= 4 ? finds_vectors(v, st, l, align)
                                                     : has_vectors(v, st, l, align);
  if (v->vector && !v->aligned && v->ragged == 0 && v->loose && !v->iota && widest >= 4 &&
      l->reduced > ROWS_FEW)
    return 0;
  v->store_vec = v->vector && on_vectors(v, st, l, align, 1);
  if (!v->aligned && ((few && !v->store_vec) || widest >= 4)) v->vector = v->store_vec = 0;
  if (!v->vector) v->ragged = 0;
  if (!v->vector && v->vec > 4) v->vec = 4;
  return 1;
}

static void down_loads(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t row = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i)) row += (size_t)v->vec * size_of(st, i);
  const int most = v->vector && !v->aligned ? LOADS_FEW : v->loose ? LOADS_MAX : 4 * v->fours;
  for (v->loads = 4; v->loads < most && (uint64_t)v->loads < l->reduced; v->loads *= 2)
    if (2 * (size_t)v->loads * row > LOAD_BYTES) break;
}

/* The greatest or least bytes are found four at once as they come. */
static int joins_words(const ga_stage *st, const ga_layout *l)
{
  return ga_widest_reduced(st) == 1 && l->reduced > 2 && ga_seeks_extremes(st);
}

/* Threads, unless they are few. */
static int down_grid(ga_variant *v, const ga_layout *l, const ga_target *target)
{
  v->units = down_units(v, l);
  if (v->units < ga_enough(target, DOWN_THREADS)) return 0;
  v->nk = ga_rank_bound(l->nk - 1);
  v->spans = 1;
  v->grid = ceil_div(v->units, GA_BLOCK);
  return 1;
}

int ga_variant_down(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  uint64_t most = ga_widest_reduced(st) <= 2 && !ga_has_moment(st) ? ROWS_SMALL : ROWS_FEW;
  ga_variant w = *v;
  int shifted;
  if (v->bytes || l->nr != 1 || l->kept == 0 || l->reduced == 0) return 0;
  w.loose = ga_stage_is_free(st) && (v->iota || l->reduced > OUT_ROWS || joins_words(st, l));
  if (v->iota && !w.loose) return 0;
  if (l->dims[l->nk - 1] < LEAST) return 0;
  if (l->reduced >= (w.loose ? ROWS_MAX : most + 1)) return 0;
  w.skeleton = GA_SKEL_DOWN;
  w.fours = w.loose ? 1 : (int)pow2_ceil(ceil_div(l->reduced, 4));
  if (ga_sub_size(st) * (size_t)w.fours > 2 * HELD_MAX) return 0;
  if (!down_vector(&w, st, l, align, target)) return 0;
  down_loads(&w, st, l);
  if (!down_grid(&w, l, target)) return 0;
  shifted = w.vector && !w.aligned; /* two vectors make one */
  w.resident = ga_resident(&w, st, (size_t)w.loads << shifted, (size_t)w.vec, 0,
                           24 + (size_t)(w.vec * w.fours) * ga_lane_size(&w, st) / 4);
  if (w.ragged != 0 && w.resident > RAGGED) w.resident = RAGGED;
  *v = w;
  return 1;
}

/* Every input has the elements of a column side by side, and columns one behind the other on
 * vectors. Elements of 4 bytes and more are as fast by rows, and those of so many that rows are
 * vectors faster. */
static int has_woven(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  size_t widest = ga_widest_reduced(st);
  if (l->reduced < 2 || l->reduced > WOVEN_MAX) return 0;
  if (l->reduced * widest > WOVEN_ROW && widest_written(st) <= widest) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i);
    if (!is_reduced(st, i)) continue;
    if (size > WOVEN_BYTES || l->strides[i][1] != size) return 0;
    if (l->strides[i][0] != size * (ssize_t)l->reduced || align[i] % 16 != 0) return 0;
  }
  return 1;
}

int ga_variant_woven(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  if (v->bytes || v->iota || ga_has_moment(st) || l->nk != 1 || l->nr != 1) return 0;
  if (!has_woven(st, l, align)) return 0;
  w.skeleton = GA_SKEL_DOWN;
  w.woven = (int)l->reduced;
  w.loads = l->reduced <= 4 ? 4 : 8;
  w.fours = w.loads / 4;
  w.vector = w.aligned = 1;
  w.vec = (int)(16 / ga_widest_reduced(st));
  while (w.vec > 4 && (size_t)w.vec * widest_written(st) > OUT_BYTES) w.vec /= 2;
  if (!down_grid(&w, l, target)) return 0;
  w.store_vec = on_vectors(&w, st, l, align, 1);
  w.resident = ga_resident(&w, st, 2 * (size_t)w.loads, (size_t)w.vec, 0,
                           24 + (size_t)(w.vec * w.fours) * ga_lane_size(&w, st) / 4);
  *v = w;
  return 1;
}
