/* SPDX-License-Identifier: MIT */
/* How large a struct of a kernel is, and what its GA_ALIGN says: members one after the other, each
 * aligned to its size. */
#ifndef GA_CODEGEN_GEN_EXTENT_H
#define GA_CODEGEN_GEN_EXTENT_H

#include <stddef.h>

typedef struct ga_extent {
  size_t size, align; /* bytes; begins as {0, 4} */
} ga_extent;

static inline void ga_extent_add(ga_extent *e, size_t size)
{
  e->size = (e->size + size - 1) / size * size + size;
  if (size > e->align) e->align = size;
}

/* With padding behind the last member. */
static inline size_t ga_extent_whole(const ga_extent *e)
{
  return (e->size + e->align - 1) / e->align * e->align;
}

/* GA_ALIGN. Where a struct ends in padding it is what its widest member asks for: with less NVRTC
 * 13 takes it to end with its last member, and of an array of such the last one is lost. */
static inline size_t ga_extent_align(const ga_extent *e)
{
  return e->size % e->align != 0 ? e->align : 4;
}

#endif
