/* SPDX-License-Identifier: MIT */
/* The live buffers of the process's CPU contexts, for checked kernels: what they
 * may touch. Always kept, since a buffer may be older than the wish to check. */
#ifndef GA_CPU_HOSTCUDA_TRACK_H
#define GA_CPU_HOSTCUDA_TRACK_H

#include <stddef.h>
#include <stdint.h>

/* A buffer is made, and freed. Without memory for it a buffer is not known, and
 * kernels that are checked may not touch it. */
void ga_hc_track_add(const void *p, size_t size);
void ga_hc_track_remove(const void *p);

/* Memory of a kernel's own, known as buffers are. */
void *ga_hc_allocate(unsigned long align, unsigned long size);
void ga_hc_release(void *p);

/* The buffer that `p` lies in, as [*low, *high); 0: none. */
int ga_hc_track_find(const void *p, uintptr_t *low, uintptr_t *high);

/* The buffer that ends nearest below p, or begins nearest above it; 0: none. */
int ga_hc_track_near(const void *p, uintptr_t *low, uintptr_t *high);

#endif
