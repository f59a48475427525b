/* SPDX-License-Identifier: MIT */
/* A stage's loop in canonical form (codegen.h, ga_layout). A pure function of
 * extents and strides: the bits of a reduction hang on it, so both devices call
 * this one and neither reorders afterwards.
 *
 *   1. axes of extent 1 go; a group (kept, reduced) with an extent of 0 becomes
 *      one axis of extent 0;
 *   2. operands take precedence: for a map or scan the full ones, written before read,
 *      then the others; for a reduction the full ones read inside it, then those
 *      broadcast there, then what only the kept axes index. Full: no step of 0;
 *   3. an axis is walked from its other end where the first operand that moves
 *      along it moves backwards;
 *   4. axes are sorted by the operands' |strides|, descending, kept before
 *      reduced; equal ones stay in the stage's order, and so do scanned ones,
 *      which are not flipped either;
 *   5. neighbours of one group that every operand and the iota walk as one merge;
 *   6. kept axes of a chain of rows may be flipped and sorted once more, its results taking
 *      precedence: no reduction hangs on them.
 *
 *   a of shape (2,1,3,4) reversed in its last axis, and an output in C order:
 *     dims  2 1 3 4    a 48 48 16 -4    out 48 48 16 4
 *   the output decides, so nothing is flipped; 2 and 3 merge:
 *     dims  6 4        a 16 -4          out 16 4
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

/* Linear indices that a kernel forms may exceed the number of elements by less
 * than this (a last, partial block). */
#define SLACK (1 << 20)

static int is_reduction(const ga_stage *st) { return st->nreduction != 0 && !st->scan; }

/* The operand moves along every axis that it is indexed by. */
static int is_full(const ga_stage *st, const ga_operand *op)
{
  for (unsigned int k = 0; k < st->nd; k++)
    if (st->dims[k] > 1 && op->strides[k] == 0) return 0;
  return 1;
}

const ga_operand *ga_layout_lead(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *op = &st->operands[i];
    if (!op->write && !op->outer && is_full(st, op)) return op;
  }
  return NULL;
}

/* 0 comes first. */
static int precedence(const ga_stage *st, const ga_operand *op)
{
  int full = is_full(st, op);
  if (is_reduction(st)) return op->outer || op->write ? 2 : !full;
  return full ? !op->write : 2;
}

static void order_operands(const ga_stage *st, unsigned int *ops)
{
  unsigned int n = 0;
  for (int want = 0; want < 3; want++)
    for (unsigned int i = 0; i < st->noperand; i++)
      if (precedence(st, &st->operands[i]) == want) ops[n++] = i;
}

int ga_layout_compare(const ga_layout *l, const ga_axis_order *o, unsigned int a, unsigned int b)
{
  for (unsigned int i = 0; i < o->n; i++) {
    uint64_t x = ga_magnitude(l->strides[o->ops[i]][a]);
    uint64_t y = ga_magnitude(l->strides[o->ops[i]][b]);
    if (x != y) return x > y ? -1 : 1;
  }
  return 0;
}

static void swap_axes(ga_layout *l, unsigned int a, unsigned int b)
{
  size_t d = l->dims[a];
  int64_t t = l->iota_step[a];
  l->dims[a] = l->dims[b];
  l->dims[b] = d;
  l->iota_step[a] = l->iota_step[b];
  l->iota_step[b] = t;
  for (unsigned int i = 0; i < l->noperand; i++) {
    ssize_t s = l->strides[i][a];
    l->strides[i][a] = l->strides[i][b];
    l->strides[i][b] = s;
  }
}

/* Insertion sort: stable, and an axis list is short. */
static void sort_axes(ga_layout *l, const ga_axis_order *o, unsigned int begin, unsigned int end)
{
  for (unsigned int k = begin + 1; k < end; k++)
    for (unsigned int j = k; j > begin && ga_layout_compare(l, o, j - 1, j) > 0; j--) {
      int axis = l->walk[j];
      l->walk[j] = l->walk[j - 1];
      l->walk[j - 1] = axis;
      swap_axes(l, j - 1, j);
    }
}

static int has_iota(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].op == GA_N_IOTA) return 1;
  return 0;
}

/* Appends the axes of one group; returns how many. */
static unsigned int take_axes(ga_layout *l, const ga_stage *st, unsigned int at, int reduced)
{
  unsigned int n = at;
  int iota = has_iota(st);
  for (unsigned int k = 0; k < st->nd; k++)
    if (st->reduced[k] == reduced && st->dims[k] == 0) {
      l->dims[at] = 0;
      l->iota_step[at] = 0;
      for (unsigned int i = 0; i < st->noperand; i++) l->strides[i][at] = 0;
      return 1;
    }
  for (unsigned int k = 0; k < st->nd; k++) {
    if (st->reduced[k] != reduced || st->dims[k] == 1) continue;
    l->dims[n] = st->dims[k];
    l->walk[n] = (int)k;
    l->iota_step[n] = iota ? st->iota_step[k] : 0;
    for (unsigned int i = 0; i < st->noperand; i++) l->strides[i][n] = st->operands[i].strides[k];
    n++;
  }
  return n - at;
}

static int too_large(void)
{
  return ga_error(GA_XLARGE_ERROR, "layout: the loop's indices or byte offsets exceed 63 bits");
}

/* Walks axis k from its other end. */
static int flip_axis(ga_layout *l, unsigned int k)
{
  int64_t last = (int64_t)(l->dims[k] - 1), step;
  for (unsigned int i = 0; i < l->noperand; i++) {
    ssize_t *s = &l->strides[i][k];
    if (__builtin_mul_overflow(*s, last, &step) ||
        __builtin_add_overflow(l->offset[i], step, &l->offset[i]) || *s == INT64_MIN)
      return too_large();
    *s = -*s;
  }
  if (__builtin_mul_overflow(l->iota_step[k], last, &step) ||
      __builtin_add_overflow(l->iota_base, step, &l->iota_base))
    return too_large();
  l->iota_step[k] = -l->iota_step[k];
  l->walk[k] = ~l->walk[k];
  return GA_NO_ERROR;
}

/* The first n axes. */
static int flip_axes(ga_layout *l, const ga_axis_order *o, unsigned int n)
{
  for (unsigned int k = 0; k < n; k++) {
    if (l->dims[k] == 0) continue;
    for (unsigned int i = 0; i < o->n; i++) {
      ssize_t s = l->strides[o->ops[i]][k];
      if (s < 0) GA_TRY(flip_axis(l, k));
      if (s != 0) break;
    }
  }
  return GA_NO_ERROR;
}

/* Every operand and the iota walk axes a and a+1 as one. */
static int can_merge(const ga_layout *l, unsigned int a)
{
  int64_t n = (int64_t)l->dims[a + 1], step;
  for (unsigned int i = 0; i < l->noperand; i++)
    if (__builtin_mul_overflow(l->strides[i][a + 1], n, &step) || step != l->strides[i][a])
      return 0;
  return !__builtin_mul_overflow(l->iota_step[a + 1], n, &step) && step == l->iota_step[a];
}

/* Merges in axes [begin, begin+n); returns how many remain. The axes behind the
 * group move down. */
static unsigned int merge_axes(ga_layout *l, unsigned int begin, unsigned int n, unsigned int total)
{
  unsigned int a = begin;
  while (a + 1 < begin + n) {
    if (!can_merge(l, a)) {
      a++;
      continue;
    }
    l->dims[a + 1] *= l->dims[a];
    for (unsigned int k = a; k + 1 < total; k++) swap_axes(l, k, k + 1);
    n--;
    total--;
  }
  return n;
}

/* Products of the extents, refused past 62 bits so that no index overflows. */
static int count(uint64_t *n, const ga_layout *l, unsigned int begin, unsigned int end)
{
  *n = 1;
  for (unsigned int k = begin; k < end; k++)
    if (__builtin_mul_overflow(*n, (uint64_t)l->dims[k], n) || *n >> 62) return too_large();
  return GA_NO_ERROR;
}

/* Bytes around its elements that kernels of maps make addresses of: up to 32 elements
 * before a row (map_turn.cu), and the row after the last (map_flat.cu). */
static int64_t margin(const ga_layout *l, unsigned int i)
{
  int64_t outer = 0, inner = 0;
  if (l->nr != 0) return 0;
  for (unsigned int k = 0; k < l->nk; k++) {
    int64_t step = l->strides[i][k] < 0 ? -l->strides[i][k] : l->strides[i][k];
    if (step > INT32_MAX) return INT32_MAX;
    if (step > outer) outer = step;
    inner = step;
  }
  return outer + 32 * inner;
}

/* Whether some linear index or byte offset leaves 31 bits. */
static int decide_width(ga_layout *l)
{
  uint64_t total;
  if (__builtin_mul_overflow(l->kept, l->reduced, &total) || total >> 62) return too_large();
  l->wide = total > INT32_MAX - SLACK;
  if (total == 0) return GA_NO_ERROR;
  for (unsigned int i = 0; i < l->noperand; i++) {
    int64_t low = 0, high = 16; /* the last element's own bytes */
    for (unsigned int k = 0; k < l->nk + l->nr; k++) {
      int64_t reach, *end;
      if (__builtin_mul_overflow(l->strides[i][k], (int64_t)(l->dims[k] - 1), &reach))
        return too_large();
      end = reach < 0 ? &low : &high;
      if (__builtin_add_overflow(*end, reach, end)) return too_large();
    }
    if (low < INT32_MIN + margin(l, i) || high > INT32_MAX - margin(l, i)) l->wide = 1;
  }
  return GA_NO_ERROR;
}

/* Results along rows come first. */
static void order_results(const ga_stage *st, unsigned int *ops)
{
  unsigned int n = 0;
  for (int results = 1; results >= 0; results--)
    for (unsigned int i = 0; i < st->noperand; i++)
      if ((st->operands[i].write && !st->operands[i].outer) == results) ops[n++] = i;
}

/* Some result has a row whose sectors of memory other rows share. */
static int cuts_sectors(const ga_layout *l, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (o->write && !o->outer && l->reduced * ga_dtypes[o->dtype].size % SECTOR != 0) return 1;
  }
  return 0;
}

/* Rows of a chain follow each other as its results do, where those share sectors: parts of
 * them are written one by one else. */
static int sort_rows(ga_layout *l, const ga_stage *st, unsigned int *ops)
{
  const ga_axis_order o = {st->noperand, ops};
  int walk[GA_MAXND];
  if (!is_reduction(st) || l->cls == GA_CLASS_COLUMNS || !cuts_sectors(l, st)) return GA_NO_ERROR;
  memcpy(walk, l->walk, sizeof walk); /* of reduced axes, which stay */
  order_results(st, ops);
  GA_TRY(flip_axes(l, &o, l->nk));
  sort_axes(l, &o, 0, l->nk);
  l->nk = merge_axes(l, 0, l->nk, l->nk + l->nr);
  memcpy(l->walk, walk, sizeof walk);
  return decide_width(l);
}

static int canonicalize(ga_layout *l, const ga_stage *st, const ga_axis_order *o)
{
  l->nk = take_axes(l, st, 0, 0);
  l->nr = take_axes(l, st, l->nk, 1);
  GA_TRY(flip_axes(l, o, l->nk + (st->scan ? 0 : l->nr)));
  sort_axes(l, o, 0, l->nk);
  if (!st->scan) sort_axes(l, o, l->nk, l->nk + l->nr);
  l->nwalk = l->nr;
  memmove(l->walk, l->walk + l->nk, l->nr * sizeof *l->walk);
  GA_TRY(count(&l->kept, l, 0, l->nk));
  GA_TRY(count(&l->reduced, l, l->nk, l->nk + l->nr));
  l->nr = merge_axes(l, l->nk, l->nr, l->nk + l->nr);
  l->nk = merge_axes(l, 0, l->nk, l->nk + l->nr);
  GA_TRY(decide_width(l));
  l->cls = ga_layout_class(l, st, o);
  return GA_NO_ERROR;
}

int ga_layout_make(ga_layout *l, const ga_stage *st)
{
  unsigned int *ops = NULL, n;
  ga_axis_order o;
  int err;

  if (l == NULL || st == NULL)
    return ga_error(GA_VALUE_ERROR, "layout: argument %d is NULL", l == NULL ? 1 : 2);
  memset(l, 0, sizeof *l);
  if (st->nd > GA_MAXND)
    return ga_error(GA_VALUE_ERROR, "layout: %u axes, at most %d", st->nd, GA_MAXND);
  n = st->noperand != 0 ? st->noperand : 1;
  l->noperand = st->noperand;
  l->strides = calloc(n, sizeof *l->strides);
  l->offset = calloc(n, sizeof *l->offset);
  ops = calloc(n, sizeof *ops);
  if (l->strides == NULL || l->offset == NULL || ops == NULL) {
    err = ga_error_memory("layout", n * sizeof *l->strides);
    goto fail;
  }
  order_operands(st, ops);
  o.n = st->noperand;
  o.ops = ops;
  err = canonicalize(l, st, &o);
  if (err == GA_NO_ERROR) err = sort_rows(l, st, ops);
  if (err != GA_NO_ERROR) goto fail;
  free(ops);
  return GA_NO_ERROR;

fail:
  free(ops);
  ga_layout_clear(l);
  return err;
}

void ga_layout_clear(ga_layout *l)
{
  if (l == NULL) return;
  free(l->strides);
  free(l->offset);
  memset(l, 0, sizeof *l);
}
