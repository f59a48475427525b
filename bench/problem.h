/* SPDX-License-Identifier: MIT */
/* Problem strings: what a bench row computes, on which arrays.
 *
 *   bias: m + v -> o | m=float32[4000,4000] v=float32[4000] o=float32[4000,4000]/f
 *
 * name, expression, optionally the array the value is written into (without one
 * each call creates its result), and the arrays. After the shape a slash and
 * letters tell the layout:
 *   f  Fortran order        t  axes reversed: a transposed view
 *   s  every second element of the last axis
 *   r  last axis reversed   u  first element one past an aligned address
 *   p  and digits: the axes in the order they lie in memory, p201: axis 2 outermost
 */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <gpuarray.h>

#define PROBLEM_MAXARGS 8

typedef struct problem {
  char name[64], text[1024];
  unsigned int n;
  char names[PROBLEM_MAXARGS][16];
  GpuArray arrays[PROBLEM_MAXARGS];
  gpuarg args[PROBLEM_MAXARGS];
  int into; /* number of the array that is written, -1: created by each call */
} problem;

/* Copies `spec` with %N (2^log2n), %R (its square root) and their quotients (%N/32,
 * at least 1) replaced by numbers. */
void problem_expand(char *out, size_t size, const char *spec, int log2n);

/* Makes the arrays of `spec` on ctx, filled with numbers in [0.5, 1.5), whole
 * ones in [1, 13] for integers. Prints why on stderr when it cannot. */
int problem_init(problem *p, gpucontext *ctx, const char *spec);
void problem_clear(problem *p);

/* One call. A created result is cleared. */
int problem_run(problem *p, GpuExpr *e);

#endif
