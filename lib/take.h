/* SPDX-License-Identifier: MIT */
/* Rows gathered by index on devices that compile. */
#ifndef GA_TAKE_H
#define GA_TAKE_H

#include "lib/backend.h"

/* take_kernel.c: by kernels/take.cu, on a device that compiles; now, or with `g` as
 * a node of it. */
int ga_take_kernel(gpucontext *ctx, const ga_take *t, gpugraph *g);

#endif
