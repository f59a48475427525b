/* SPDX-License-Identifier: MIT */
/* Rows gathered by index, as a device is asked for it: everything in words of
 * `word` bytes, axes of a row collapsed. codegen/kernels/take.cu says what is
 * done with it. */
#ifndef GA_TAKE_H
#define GA_TAKE_H

#include "lib/backend.h"

typedef struct ga_take {
  char *r;           /* n words, in C order */
  const char *v;     /* first row */
  const char *index; /* n / row of them */
  uint32_t *bad;     /* set to 1 by an index beyond the rows; NULL: not told */
  uint64_t n, row, rows;
  int64_t step; /* bytes from a row of v to the next */
  int64_t dims[GA_MAXND], steps[GA_MAXND];
  unsigned int nk; /* axes of a row, 1 at least */
  unsigned int word;
  enum ga_dtype dtype; /* of an index */
  int wide;            /* words or bytes inside a row pass 31 bits */
} ga_take;

/* take_kernel.c: by kernels/take.cu, on a device that compiles. */
int ga_take_kernel(gpucontext *ctx, const ga_take *t);

#endif
