/* SPDX-License-Identifier: MIT */
/* The driver without this library: the same addition, launched and replayed by its
 * own calls on the context's stream. What bench/launch.c measures the library by. */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include <gpuarray.h>

typedef struct driver driver;

/* NULL when the context is not of CUDA or the driver lacks something. */
driver *driver_open(gpucontext *ctx, GpuArray *r, GpuArray *a, GpuArray *b, unsigned int n);
int driver_launch(void *d);               /* one launch */
int driver_capture(driver *d, int count); /* a graph of that many, one after the other */
int driver_replay(void *d);
int driver_wait(void *d);
void driver_close(driver *d);

#endif
