/* SPDX-License-Identifier: MIT */
/* XXH3-128 of xxHash, compiled in. */
#include "hash.h"

#include <stdio.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

ga_hash ga_hash_bytes(const void *p, size_t n)
{
  XXH128_hash_t h = XXH3_128bits(p, n);
  ga_hash r = {h.low64, h.high64};
  return r;
}

int ga_hash_equal(ga_hash a, ga_hash b) { return a.lo == b.lo && a.hi == b.hi; }

void ga_hash_text(char text[33], ga_hash h)
{
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
}
