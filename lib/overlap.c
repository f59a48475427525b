/* SPDX-License-Identifier: MIT */
/* Byte ranges of strided arrays. What is read and what is written are compared by
 * range: two interleaved views (a[::2], a[1::2]) count as overlapping, which costs
 * a temporary and never a wrong result. Two outputs, which an error would refuse,
 * are compared modulo their strides as well, and then, as an output with itself, by a
 * search for two indices of one byte: Diophantine equations with bounds, as NumPy's
 * solve_may_share_memory and solve_may_have_internal_overlap. */
#include "lib/overlap.h"

ga_span ga_span_of(unsigned int nd, const size_t *dims, const ssize_t *strides, size_t itemsize)
{
  ga_span s = {0, 0};
  unsigned int i;
  for (i = 0; i < nd; i++)
    if (dims[i] == 0) return s;
  s.high = (ssize_t)itemsize;
  for (i = 0; i < nd; i++) {
    ssize_t reach = (ssize_t)(dims[i] - 1) * strides[i];
    if (reach < 0)
      s.low += reach;
    else
      s.high += reach;
  }
  return s;
}

static size_t magnitude(ssize_t s) { return s < 0 ? (size_t)0 - (size_t)s : (size_t)s; }

/* The bytes touched but for axes that move by whole multiples of `step`. */
static ga_span within(const ga_strided *a, size_t step)
{
  ga_span s = {0, (ssize_t)a->size};
  unsigned int i;
  for (i = 0; i < a->nd; i++) {
    ssize_t reach = (ssize_t)(a->dims[i] - 1) * a->strides[i];
    if (magnitude(a->strides[i]) % step == 0) continue;
    if (reach < 0)
      s.low += reach;
    else
      s.high += reach;
  }
  return s;
}

/* Both repeat by `step` bytes and, modulo it, lie apart. */
static int apart(const ga_strided *a, const ga_strided *b, size_t step)
{
  ga_span sa = within(a, step), sb = within(b, step);
  size_t wa = (size_t)(sa.high - sa.low), wb = (size_t)(sb.high - sb.low);
  uintptr_t x = ((uintptr_t)a->at + (uintptr_t)sa.low) % step;
  uintptr_t y = ((uintptr_t)b->at + (uintptr_t)sb.low) % step;
  uintptr_t from = (y + step - x) % step;
  return wa <= from && wb <= step - from;
}

static int apart_by_strides_of(const ga_strided *of, const ga_strided *a, const ga_strided *b,
                               size_t *gcd)
{
  unsigned int i;
  for (i = 0; i < of->nd; i++) {
    size_t step = magnitude(of->strides[i]), m = step;
    if (of->dims[i] < 2 || step == 0) continue;
    if (apart(a, b, step)) return 1;
    while (m != 0) {
      size_t rest = *gcd % m;
      *gcd = m;
      m = rest;
    }
  }
  return 0;
}

/* ---- the search ---------------------------------------------------------------- */

enum { MOST_AXES = 64, MOST_WORK = 8192 };

/* An element of one array lies v * step bytes behind one of the other, v from least to
 * most, by this axis; the axes below it, of smaller steps, add low to high. */
typedef struct axis {
  ssize_t step, least, most;
  ssize_t low, high;
  ssize_t gcd; /* of the steps below; 0: there are none */
} axis;

/* Elements share a byte when the second lies less than `ahead` bytes behind the first and
 * less than `behind` before it. */
typedef struct search {
  axis ax[2 * MOST_AXES];
  unsigned int n;
  ssize_t ahead, behind;
  int work;
} search;

static ssize_t gcd_of(ssize_t a, ssize_t b)
{
  while (b != 0) {
    ssize_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void begin(search *s, size_t ahead, size_t behind)
{
  s->n = 0;
  s->ahead = (ssize_t)ahead;
  s->behind = (ssize_t)behind;
  s->work = MOST_WORK;
}

/* Axes are kept in the order of their steps, smallest first. */
static void add_axis(search *s, ssize_t step, ssize_t least, ssize_t most)
{
  unsigned int k;
  for (k = s->n++; k > 0 && s->ax[k - 1].step > step; k--) s->ax[k] = s->ax[k - 1];
  s->ax[k] = (axis){step, least, most, 0, 0, 0};
}

static void sum_up(search *s)
{
  for (unsigned int i = 1; i < s->n; i++) {
    const axis *b = &s->ax[i - 1];
    s->ax[i].low = b->low + b->least * b->step;
    s->ax[i].high = b->high + b->most * b->step;
    s->ax[i].gcd = gcd_of(b->step, b->gcd);
  }
}

static ssize_t floor_div(ssize_t a, ssize_t b) { return a / b - (a % b < 0); }

/* The axes above the first n add `sum` bytes; `differ`: they make two elements of what may
 * be one. Do two share a byte, or is that not told in time? Only such v are tried as the
 * axes below can make up for; of v and -v, where they are the same two, one. */
static int finds(search *s, unsigned int n, ssize_t sum, int differ)
{
  if (n == 0) return differ && sum < s->ahead && -sum < s->behind;
  const axis *a = &s->ax[n - 1];
  ssize_t low = -floor_div(s->behind - 1 + a->high + sum, a->step);
  ssize_t high = floor_div(s->ahead - 1 - a->low - sum, a->step);
  if (low < (differ ? a->least : 0)) low = differ ? a->least : 0;
  if (high > a->most) high = a->most;
  for (ssize_t v = low; v <= high; v++) {
    ssize_t at = sum + v * a->step;
    if (--s->work < 0) return 1;
    if (a->gcd != 0) {
      ssize_t over = at - floor_div(at, a->gcd) * a->gcd;
      if (over >= s->ahead && a->gcd - over >= s->behind) continue;
    }
    if (finds(s, n - 1, at, differ || v != 0)) return 1;
  }
  return 0;
}

/* ---- two arrays ------------------------------------------------------------------ */

/* Adds an array's axes, the second's forwards (`way` 1), the first's backwards (-1): what
 * then would go towards lower addresses is begun at its other end, which returns how far
 * the start moves by that. Axes of one step are one. */
static ssize_t add_moves(search *s, const ga_strided *a, int way)
{
  ssize_t from = 0;
  for (unsigned int i = 0; i < a->nd; i++) {
    ssize_t step = (ssize_t)magnitude(a->strides[i]), n = (ssize_t)a->dims[i] - 1;
    unsigned int k;
    if (n == 0 || step == 0) continue;
    if ((a->strides[i] < 0) == (way > 0)) from -= n * step;
    for (k = 0; k < s->n && s->ax[k].step != step; k++) continue;
    if (k < s->n)
      s->ax[k].most += n;
    else
      add_axis(s, step, 0, n);
  }
  return from;
}

int ga_strided_meet(const ga_strided *a, const ga_strided *b)
{
  ga_span sa = ga_span_of(a->nd, a->dims, a->strides, a->size);
  ga_span sb = ga_span_of(b->nd, b->dims, b->strides, b->size);
  search s;
  size_t gcd = 0;
  if (!ga_span_meets(a->at, sa, b->at, sb)) return 0;
  if (apart_by_strides_of(a, a, b, &gcd) || apart_by_strides_of(b, a, b, &gcd)) return 0;
  if (gcd != 0 && apart(a, b, gcd)) return 0;
  if (a->nd > MOST_AXES || b->nd > MOST_AXES) return 1;
  begin(&s, a->size, b->size);
  ssize_t from = (ssize_t)((uintptr_t)b->at - (uintptr_t)a->at);
  from += add_moves(&s, a, -1) + add_moves(&s, b, 1);
  sum_up(&s);
  return finds(&s, s.n, from, 1);
}

/* ---- one array with itself --------------------------------------------------------- */

/* Each step is past all that the axes below it and an element reach. */
static int nested(const search *s)
{
  unsigned int i;
  for (i = 0; i < s->n && s->ax[i].step >= s->ax[i].high + s->ahead; i++) continue;
  return i == s->n;
}

/* More bytes are asked for than lie between the first and the last. */
static int crowded(const search *s)
{
  const axis *last = &s->ax[s->n - 1];
  size_t bytes = (size_t)s->ahead;
  for (unsigned int i = 0; i < s->n; i++)
    if (__builtin_mul_overflow(bytes, (size_t)s->ax[i].most + 1, &bytes)) return 1;
  return bytes > (size_t)(last->high + last->most * last->step + s->ahead);
}

int ga_overlaps_itself(unsigned int nd, const size_t *dims, const ssize_t *strides, size_t itemsize)
{
  search s;
  unsigned int i;

  for (i = 0; i < nd; i++)
    if (dims[i] == 0) return 0;
  if (nd > MOST_AXES) return 1;
  begin(&s, itemsize, itemsize);
  for (i = 0; i < nd; i++)
    if (dims[i] > 1)
      add_axis(&s, (ssize_t)magnitude(strides[i]), 1 - (ssize_t)dims[i], (ssize_t)dims[i] - 1);
  sum_up(&s);
  if (nested(&s)) return 0;
  if (s.ax[0].step == 0 || crowded(&s)) return 1;
  return finds(&s, s.n, 0, 0);
}
