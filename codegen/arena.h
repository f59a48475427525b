/* SPDX-License-Identifier: MIT */
/* Memory that lives as long as one pass: many small pieces, freed at once. */
#ifndef GA_CODEGEN_ARENA_H
#define GA_CODEGEN_ARENA_H

#include <stddef.h>

typedef struct ga_arena {
  struct ga_arena_block *head;
} ga_arena;

/* `size` zeroed bytes, aligned for any type and never NULL for 0; NULL with a
 * message recorded when memory is gone. */
void *ga_arena_alloc(ga_arena *a, size_t size);
void ga_arena_clear(ga_arena *a);

/* Grows a malloc'ed array to hold at least `need` elements of `size` bytes, by
 * doubling; *p and *cap are unchanged on failure. */
int ga_grow(void *p, unsigned int *cap, size_t need, size_t size);

#endif
