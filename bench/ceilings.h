/* SPDX-License-Identifier: MIT */
/* The ceilings of a device, measured in this process. */
#ifndef BENCH_CEILINGS_H
#define BENCH_CEILINGS_H

#include <gpuarray.h>

typedef struct ceilings {
  double copy, add, read, write; /* GB/s, bytes read plus bytes written */
  double flops;                  /* GFLOP/s, float32 products and sums, each rounded */
  double launch;                 /* seconds of host time a bare launch; 0 on a CPU */
} ceilings;

/* On a GPU by hand-written kernels over `bytes` a buffer; on the CPU by plain
 * loops on as many threads as the device uses. */
int ceilings_measure(ceilings *c, gpucontext *ctx, size_t bytes, double budget);

/* The ceiling for a mix of bytes read and written, GB/s. */
double ceiling_for(const ceilings *c, double bytes_read, double bytes_written);

#endif
