/* SPDX-License-Identifier: MIT */
/* Blocks of the CPU device. A large block comes fresh from the system page by
 * page, each at the price of a fault, and for outputs of tens of megabytes the
 * faults cost more than the work; so freed large blocks are kept and handed out
 * again. Small ones are left to malloc, which does the same.
 *
 * The cache is bounded: by gpucontext_props_alloc_cache(), else by
 * GPUARRAY_CPU_CACHE_MB, else by an eighth of the machine's memory; the longest
 * unused blocks go first. Before an allocation fails, all of it is given back. */
#ifndef GA_CPU_MEMORY_H
#define GA_CPU_MEMORY_H

#include <pthread.h>
#include <stddef.h>

enum { GA_CPU_NCLASS = 160 }; /* 4 sizes per power of two, from 64 KiB up */

struct ga_cpu_block;

typedef struct ga_cpu_cache {
  pthread_mutex_t lock;
  size_t bound, held;                           /* bytes */
  unsigned int forks;                           /* behind the process that made it */
  struct ga_cpu_block *by_class[GA_CPU_NCLASS]; /* latest freed first */
  struct ga_cpu_block *oldest, *newest;
} ga_cpu_cache;

/* `bound` 0: from the environment. */
void ga_cpu_cache_init(ga_cpu_cache *c, size_t bound);
void ga_cpu_cache_clear(ga_cpu_cache *c);

#endif
