/* SPDX-License-Identifier: MIT */
/* Byte ranges of strided arrays. Overlap is answered conservatively, by range:
 * two interleaved views (a[::2], a[1::2]) count as overlapping, which costs a
 * temporary and never a wrong result. */
#include "lib/overlap.h"

ga_span ga_span_of(unsigned int nd, const size_t *dims, const ssize_t *strides,
                   size_t itemsize) {
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

int ga_span_meets(const char *a, ga_span sa, const char *b, ga_span sb) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (sa.low == sa.high || sb.low == sb.high) return 0;
  return x + (uintptr_t)sa.low < y + (uintptr_t)sb.high &&
         y + (uintptr_t)sb.low < x + (uintptr_t)sa.high;
}

static size_t magnitude(ssize_t s) { return s < 0 ? (size_t)0 - (size_t)s : (size_t)s; }

int ga_overlaps_itself(unsigned int nd, const size_t *dims, const ssize_t *strides,
                       size_t itemsize) {
  size_t reach = itemsize; /* bytes the axes taken so far span */
  size_t below = 0;        /* steps up to this one are taken */
  unsigned int i, left = 0;

  for (i = 0; i < nd; i++) {
    if (dims[i] == 0) return 0;
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
