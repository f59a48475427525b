/* SPDX-License-Identifier: MIT */
/* 128-bit hashes (XXH3): of one block, or of parts one after the other. */
#ifndef GA_UTIL_HASH_H
#define GA_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct ga_hash {
  uint64_t lo, hi;
} ga_hash;

ga_hash ga_hash_bytes(const void *p, size_t n);
int ga_hash_equal(ga_hash a, ga_hash b);

/* 32 hexadecimal digits and a NUL. */
void ga_hash_text(char text[33], ga_hash h);

#endif
