/* SPDX-License-Identifier: MIT */
/* Byte ranges of strided arrays. What is read and what is written are compared by
 * range: two interleaved views (a[::2], a[1::2]) count as overlapping, which costs
 * a temporary and never a wrong result. Two outputs, which an error would refuse,
 * are compared modulo their strides as well. Whether an output overlaps itself is found
 * out exactly, by a search for two indices of one byte: Diophantine equations with
 * bounds, as NumPy's solve_may_have_internal_overlap. */
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

int ga_strided_meet(const ga_strided *a, const ga_strided *b)
{
  ga_span sa = ga_span_of(a->nd, a->dims, a->strides, a->size);
  ga_span sb = ga_span_of(b->nd, b->dims, b->strides, b->size);
  size_t gcd = 0;
  if (!ga_span_meets(a->at, sa, b->at, sb)) return 0;
  if (apart_by_strides_of(a, a, b, &gcd) || apart_by_strides_of(b, a, b, &gcd)) return 0;
  return gcd == 0 || !apart(a, b, gcd);
}

/* ---- one array with itself --------------------------------------------------- */

enum { MOST_AXES = 64, MOST_WORK = 8192 };

typedef struct axis {
  ssize_t step, n; /* bytes, never negative; the largest index */
  ssize_t below;   /* how far the axes below move, and an element reaches */
  ssize_t gcd;     /* of the steps below; 0: there are none */
} axis;

static ssize_t gcd_of(ssize_t a, ssize_t b)
{
  while (b != 0) {
    ssize_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The axes that move, smallest step first; their number. */
static unsigned int sort_axes(axis *ax, unsigned int nd, const size_t *dims, const ssize_t *strides,
                              ssize_t size)
{
  ssize_t below = size - 1, gcd = 0;
  unsigned int i, k, n = 0;
  for (i = 0; i < nd; i++) {
    ssize_t step = (ssize_t)magnitude(strides[i]);
    if (dims[i] < 2) continue;
    for (k = n++; k > 0 && ax[k - 1].step > step; k--) ax[k] = ax[k - 1];
    ax[k] = (axis){step, (ssize_t)dims[i] - 1, 0, 0};
  }
  for (i = 0; i < n; i++) {
    ax[i].below = below;
    ax[i].gcd = gcd;
    below += ax[i].n * ax[i].step;
    gcd = gcd_of(ax[i].step, gcd);
  }
  return n;
}

/* Each step is past all that the axes below it reach. */
static int nested(const axis *ax, unsigned int n)
{
  unsigned int i;
  for (i = 0; i < n && ax[i].step > ax[i].below; i++) continue;
  return i == n;
}

/* More bytes are asked for than lie between the first and the last. */
static int crowded(const axis *ax, unsigned int n, ssize_t size)
{
  size_t bytes = (size_t)size;
  for (unsigned int i = 0; i < n; i++)
    if (__builtin_mul_overflow(bytes, (size_t)ax[i].n + 1, &bytes)) return 1;
  return bytes > (size_t)(ax[n - 1].below + ax[n - 1].n * ax[n - 1].step) + 1;
}

static ssize_t floor_div(ssize_t a, ssize_t b) { return a / b - (a % b < 0); }

/* Two indices differ by v along the axes above these, `sum` bytes in all, and `differ`
 * somewhere: may they lie less than an element apart? Only such v are tried as the
 * axes below can make up for; of v and -v, which are the same two, one. */
static int meets(const axis *ax, unsigned int n, ssize_t sum, int differ, ssize_t size, int *work)
{
  const axis *a = &ax[n - 1];
  ssize_t low, high, v;
  if (n == 0) return differ;
  low = -floor_div(a->below + sum, a->step);
  high = floor_div(a->below - sum, a->step);
  if (low < (differ ? -a->n : 0)) low = differ ? -a->n : 0;
  if (high > a->n) high = a->n;
  for (v = low; v <= high; v++) {
    ssize_t at = sum + v * a->step, over = a->gcd != 0 ? magnitude(at) % (size_t)a->gcd : 0;
    if (--*work < 0) return 1;
    if (over >= size && a->gcd - over >= size) continue;
    if (meets(ax, n - 1, at, differ || v != 0, size, work)) return 1;
  }
  return 0;
}

int ga_overlaps_itself(unsigned int nd, const size_t *dims, const ssize_t *strides, size_t itemsize)
{
  axis ax[MOST_AXES];
  int work = MOST_WORK;
  unsigned int i, n;

  for (i = 0; i < nd; i++)
    if (dims[i] == 0) return 0;
  if (nd > MOST_AXES) return 1;
  n = sort_axes(ax, nd, dims, strides, (ssize_t)itemsize);
  if (nested(ax, n)) return 0;
  if (ax[0].step == 0 || crowded(ax, n, (ssize_t)itemsize)) return 1;
  return meets(ax, n, 0, 0, (ssize_t)itemsize, &work);
}
