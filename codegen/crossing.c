/* SPDX-License-Identifier: MIT */
/* Reductions of arrays whose fast axes differ: which of the arrays are copied first, and in whose
 * order.
 *
 *   sum(a*b): a of (333,12596,16) in C order, b in Fortran order
 *     b copied as a lies, by a map; then one row of 67 million
 *
 * Maps turn arrays near the card's limit whatever the axes are, so a copy is worth its two passes
 * where kernels that walk both take 2.5 times as long as memory would, and more. Which do was
 * measured (doc/decisions/reductions.md). */
#include "copies.h"
#include "layout.h"
#include "variant.h"

#define NEAR   1024 /* elements that are walked at about the same time */
#define DOWN   32   /* of them, of a column */
#define AXES   3    /* that are walked quickly */
#define NARROW 2    /* bytes of an element: walked slowly where no vectors are */
#define USED   256  /* bytes that lanes take from a sector in all: more are worth no copy */
#define ROW    96   /* elements of rows that cross: fewer leave lanes idle */

static int is_read(const ga_operand *o) { return !o->write && !o->outer; }

/* Of each axis that `o` names, how many positions are walked at about the same time. */
static void find_near(uint64_t *near, const ga_lead *o, const ga_stage *st)
{
  uint64_t all = 1;
  unsigned int last = o->n;
  for (unsigned int j = o->n; j-- > 0;) {
    uint64_t extent = st->dims[o->axis[j]], some = (NEAR + all - 1) / all;
    near[j] = extent < some ? extent : some;
    all *= near[j];
    if (last == o->n && st->reduced[o->axis[j]]) last = j;
  }
  if (last + 1 >= o->n) return; /* rows */
  all = st->dims[o->axis[last]] < DOWN ? st->dims[o->axis[last]] : DOWN;
  if (near[last] < all) near[last] = all;
}

/* Bytes of x that lie side by side and are walked at about the same time; how often each is. */
static uint64_t piece_of(const ga_lead *o, const ga_stage *st, const ga_operand *x, uint64_t *times)
{
  uint64_t near[GA_MAXND], piece = ga_dtypes[x->dtype].size;
  find_near(near, o, st);
  *times = 1;
  for (unsigned int j = 0; j < o->n; j++)
    if (x->strides[o->axis[j]] == 0) *times *= near[j];
  for (;;) {
    uint64_t least = UINT64_MAX;
    unsigned int next = 0;
    for (unsigned int j = 0; j < o->n; j++) {
      uint64_t step = ga_magnitude(x->strides[o->axis[j]]);
      if (near[j] > 1 && step != 0 && step < least) least = step, next = j;
    }
    if (least > 2 * piece) return piece;
    piece = least * near[next];
    if (near[next] < st->dims[o->axis[next]]) return piece;
    near[next] = 0;
  }
}

/* x has its axes in another order than `o`; *whole: it moves along all of them. */
static int is_turned(const ga_lead *o, const ga_operand *x, int *whole)
{
  uint64_t last = UINT64_MAX;
  int turned = 0;
  *whole = 1;
  for (unsigned int j = 0; j < o->n; j++) {
    uint64_t step = ga_magnitude(x->strides[o->axis[j]]);
    if (step == 0) *whole = 0;
    if (step == 0) continue;
    turned |= step > last;
    last = step;
  }
  return turned;
}

/* Whether kernels that walk arrays which cross are slow: where the order is kept in several passes
 * of lines, rows are short, of single bytes without vectors, or gaps make the place of each of many
 * elements be looked for; boxes of a short axis that is reduced. */
static int is_slow(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest_reduced(st);
  int gaps = 0;
  if (v->skeleton == GA_SKEL_WALKS) return !v->whole;
  for (unsigned int i = 0; i < st->noperand; i++)
    gaps |= is_reduced(st, i) && !((v->linear | v->boxed) >> i & 1);
  if (v->loose) return gaps && (widest == 1 || (widest <= NARROW && l->nr > AXES));
  if (v->kept_rows) return l->reduced < ROW || (widest == 1 && !v->aligned);
  return v->form == GA_FORM_SHORT ? widest == 1 : v->lines > 1024;
}

/* The same of others, which read x as it lies. */
static int is_scattered(const ga_lead *o, const ga_stage *st, const ga_operand *x, int whole)
{
  uint64_t step = ga_magnitude(x->strides[o->axis[o->n - 1]]);
  uint64_t times, piece = piece_of(o, st, x, &times);
  if (piece < SECTOR && piece * times < USED) return 1;
  return ga_widest_reduced(st) <= NARROW && whole && step > 2 * ga_dtypes[x->dtype].size;
}

/* Inputs that lie in another order than `o`, as bits. */
static uint64_t find_turned(const ga_lead *o, const ga_stage *st)
{
  uint64_t which = 0;
  int whole;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_read(&st->operands[i]) && is_turned(o, &st->operands[i], &whole))
      which |= (uint64_t)1 << i;
  return which;
}

/* Inputs that are better copied in the order of `o`, the stage's lead, as bits. */
static int find_slow(uint64_t *which, const ga_lead *o, const ga_stage *st, const ga_target *target)
{
  const unsigned char align[64] = {0};
  int any, slow = 0, whole, err;
  ga_layout l;
  ga_variant v;
  *which = 0;
  if (find_turned(o, st) == 0) return GA_NO_ERROR;
  GA_TRY(ga_layout_make(&l, st));
  err = ga_variant_choose(&v, st, &l, align, target);
  if (err != GA_NO_ERROR) {
    ga_layout_clear(&l);
    return err;
  }
  any = v.skeleton == GA_SKEL_REDUCE_CROSS || v.skeleton == GA_SKEL_WALKS;
  if (any) slow = is_slow(&v, st, &l);
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *x = &st->operands[i];
    ga_operand copy;
    if (!is_read(x) || !is_turned(o, x, &whole) || ga_small_copy(&copy, o, st, x)) continue;
    if (any ? slow : is_scattered(o, st, x, whole)) *which |= (uint64_t)1 << i;
  }
  ga_layout_clear(&l);
  return GA_NO_ERROR;
}

static double copied_bytes(uint64_t which, const ga_lead *o, const ga_stage *st)
{
  double bytes = 0;
  ga_operand copy;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (which >> i & 1) bytes += ga_lead_lay(&copy, o, st, &st->operands[i], 0);
  return bytes;
}

int ga_crossing_find(uint64_t *which, ga_lead *o, const ga_stage *st, size_t least,
                     const ga_target *target, double *left)
{
  double best;
  *which = 0;
  if (st->noperand > 64 || !ga_lead_find(o, st, least)) return GA_NO_ERROR;
  GA_TRY(find_slow(which, o, st, target));
  if (*which == 0) return GA_NO_ERROR;
  best = copied_bytes(*which, o, st);
  for (unsigned int i = 0; i < st->noperand && ga_stage_is_free(st); i++) {
    const ga_operand *x = &st->operands[i];
    ga_lead other;
    uint64_t turned;
    if (!is_read(x) || !ga_lead_of(&other, st, x)) continue;
    turned = find_turned(&other, st);
    if (copied_bytes(turned, &other, st) >= best) continue;
    best = copied_bytes(turned, &other, st);
    *which = turned;
    *o = other;
  }
  if (best > *left) *which = 0;
  if (*which != 0) *left -= best;
  return GA_NO_ERROR;
}
