/* SPDX-License-Identifier: MIT */
/* Contexts, to the rest of the library. */
#ifndef GA_CONTEXT_H
#define GA_CONTEXT_H

#include "lib/backend.h"

/* props.c: sets the defaults. */
void ga_props_default(gpucontext_props *p);

/* devices.c: the device that a name, the environment and nothing at all stand
 * for. `backend` NULL: the first GPU that works, else the CPU. `dev` is -1 where
 * the name has no number. `stands_in` is 1 when the CPU takes a GPU's place. */
typedef struct ga_device {
  const ga_backend *backend;
  int dev;
  int stands_in;
} ga_device;

int ga_device_named(ga_device *d, const char *op, const char *name);

/* context.c: one more reference. */
void ga_context_retain(gpucontext *ctx);

/* Context properties, for buffers and kernels too. `op` is the public function. */
int ga_context_property(const char *op, gpucontext *ctx, int prop, void *res);

#endif
