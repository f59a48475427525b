/* SPDX-License-Identifier: MIT */
/* Memory of one pass (arena.h): a list of blocks, filled from the front. */
#include "arena.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/error.h"

#define BLOCK 8192

struct ga_arena_block {
  struct ga_arena_block *next;
  size_t used, cap;
  max_align_t data[];
};

void *ga_arena_alloc(ga_arena *a, size_t size)
{
  const size_t unit = sizeof(max_align_t);
  if (size > SIZE_MAX / 2) {
    ga_error_memory("expression", size);
    return NULL;
  }
  size = (size + unit) / unit * unit; /* at least one unit */
  if (a->head == NULL || a->head->cap - a->head->used < size) {
    size_t cap = size > BLOCK ? size : BLOCK;
    struct ga_arena_block *b = malloc(sizeof *b + cap);
    if (b == NULL) {
      ga_error_memory("expression", cap);
      return NULL;
    }
    b->next = a->head;
    b->used = 0;
    b->cap = cap;
    a->head = b;
  }
  void *p = (char *)a->head->data + a->head->used;
  a->head->used += size;
  return memset(p, 0, size);
}

void ga_arena_clear(ga_arena *a)
{
  while (a->head != NULL) {
    struct ga_arena_block *b = a->head;
    a->head = b->next;
    free(b);
  }
}

int ga_grow(void *p, unsigned int *cap, size_t need, size_t size)
{
  if (need <= *cap) return GA_NO_ERROR;
  size_t n = *cap ? *cap : 16;
  while (n < need) n *= 2;
  if (n > UINT_MAX / 2 || n > SIZE_MAX / size) return ga_error_memory("expression", SIZE_MAX);
  void *old;
  memcpy(&old, p, sizeof old); /* p points to a pointer of some type */
  void *grown = realloc(old, n * size);
  if (grown == NULL) return ga_error_memory("expression", n * size);
  memcpy(p, &grown, sizeof grown);
  *cap = (unsigned int)n;
  return GA_NO_ERROR;
}
