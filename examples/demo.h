/* SPDX-License-Identifier: MIT */
/* The other side of the demo's table: the same work on the CPU without the
 * library, by BLAS where BLAS has it and by a loop where it has not. */
#ifndef DEMO_H
#define DEMO_H

#include <stddef.h>

/* One of the four computations. `out` is as large as `a`, but one number for a
 * sum. */
typedef void demo_fn(float *out, const float *a, const float *b, size_t n);

typedef struct demo_work {
  const char *what, *text;
  size_t dims[2];
  unsigned int nd, ninput;
  int sum;            /* the result is one number, with a stated error */
  demo_fn *reference; /* naive C, each step rounded as NumPy rounds it */
  demo_fn *fast;      /* what to race against */
  const char *rival;  /* its name */
} demo_work;

extern const demo_work demo_works[];
extern const int demo_nwork;

/* Looks for OpenBLAS; without it the BLAS rows race against loops. Returns 1 when
 * it is there. */
int demo_find_blas(void);

#endif
