/* SPDX-License-Identifier: MIT */
/* Inside the kernel cache: what cache.c and cache_disk.c share. */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "lib/backend.h"
#include "lib/util/hash.h"
#include "lib/util/str.h"

typedef struct ga_kernel_cache ga_kernel_cache;

/* Adds all that the binary of `src` on `ctx` depends on, the compiler aside. */
int ga_cache_key(ga_str *s, const gpucontext *ctx, const ga_source *src);

#endif
