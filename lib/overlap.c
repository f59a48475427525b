/* SPDX-License-Identifier: MIT */
/* Byte ranges of strided arrays. What is read and what is written are compared by
 * range: two interleaved views (a[::2], a[1::2]) count as overlapping, which costs
 * a temporary and never a wrong result. Two outputs, which an error would refuse,
 * are compared modulo their strides as well. */
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

int ga_overlaps_itself(unsigned int nd, const size_t *dims, const ssize_t *strides, size_t itemsize)
{
  size_t reach = itemsize; /* bytes the axes taken so far span */
  size_t below = 0;        /* steps up to this one are taken */
  unsigned int i, left = 0;

  for (i = 0; i < nd; i++)
    if (dims[i] == 0) return 0;
  for (i = 0; i < nd; i++) {
    if (dims[i] > 1) {
      if (strides[i] == 0) return 1;
      left++;
    }
  }
  /* Smallest step first: each must clear all that the smaller ones reach. */
  while (left > 0) {
    size_t step = SIZE_MAX;
    unsigned int same = 0;
    size_t grown;
    for (i = 0; i < nd; i++) {
      size_t m = magnitude(strides[i]);
      if (dims[i] > 1 && m > below && m < step) step = m;
    }
    if (step < reach) return 1;
    grown = reach;
    for (i = 0; i < nd; i++)
      if (dims[i] > 1 && magnitude(strides[i]) == step) {
        same++;
        grown = reach + (dims[i] - 1) * step;
      }
    if (same > 1) return 1;
    reach = grown;
    below = step;
    left -= same;
  }
  return 0;
}
