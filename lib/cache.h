/* SPDX-License-Identifier: MIT */
/* Inside the kernel cache: what cache.c and cache_disk.c share. */
#ifndef GA_CACHE_H
#define GA_CACHE_H

#include "lib/backend.h"
#include "lib/util/hash.h"
#include "lib/util/str.h"

typedef struct ga_kernel_cache ga_kernel_cache;

/* ---- cache.c ----------------------------------------------------------------- */

/* A module of `src` that the caller frees, the binary from disk or the compiler. */
int ga_cache_load(ga_module **m, gpucontext *ctx, const ga_source *src, char **log);

/* From now on the context frees `m`, when it closes. GA_MEMORY_ERROR: it is still
 * the caller's. */
int ga_cache_adopt(gpucontext *ctx, ga_module *m);

/* ---- cache_make.c ------------------------------------------------------------- */

/* Adds all that the binary of `src` on `ctx` depends on, the compiler aside. */
int ga_cache_key(ga_str *s, const gpucontext *ctx, const ga_source *src);

/* 0: the text includes files that are not among its headers, so that the key does
 * not tell its content. The second looks through one text alone, for sources of
 * which the rest is ours. */
int ga_cache_is_closed(const ga_source *src);
int ga_cache_text_is_closed(const ga_source *src, const char *text);

/* The binary of `src`, malloc'ed, from disk or else from the compiler; `fresh`:
 * what the disk has is not good. `key` is NULL for sources that are not kept. */
int ga_cache_binary(void **bin, size_t *size, gpucontext *ctx, const ga_source *src,
                    const ga_str *key, int fresh, char **log);

#endif
