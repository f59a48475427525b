/* SPDX-License-Identifier: MIT */
/* Which arrays may share memory: what decides whether an expression may write
 * in place. */
#ifndef GA_OVERLAP_H
#define GA_OVERLAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The bytes [low, high) that a strided array touches, relative to its first
 * element; both 0 when it has none. */
typedef struct ga_span {
  ssize_t low, high;
} ga_span;

ga_span ga_span_of(unsigned int nd, const size_t *dims, const ssize_t *strides, size_t itemsize);

/* 1 when two arrays whose first elements are at `a` and `b` may share a byte. */
static inline int ga_span_meets(const char *a, ga_span sa, const char *b, ga_span sb)
{
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (sa.low == sa.high || sb.low == sb.high) return 0;
  return x + (uintptr_t)sa.low < y + (uintptr_t)sb.high &&
         y + (uintptr_t)sb.low < x + (uintptr_t)sa.high;
}

/* A strided array whose first element is at `at`. */
typedef struct ga_strided {
  const char *at;
  unsigned int nd;
  const size_t *dims;
  const ssize_t *strides;
  size_t size; /* bytes of an element */
} ga_strided;

/* 1 when two arrays share a byte, or when neither their strides, as of the halves of each
 * row of a matrix or of its even and its odd columns, nor a search of some thousand steps
 * told. */
int ga_strided_meet(const ga_strided *a, const ga_strided *b);

/* 1 when two elements of the array share a byte, or when a search of some thousand
 * steps did not tell. */
int ga_overlaps_itself(unsigned int nd, const size_t *dims, const ssize_t *strides,
                       size_t itemsize);

#endif
