/* SPDX-License-Identifier: MIT */
/* The set's hashes lie open, in at most half of its slots; 0 is a free one. */
#include "hostcuda_names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/hash.h"

static uint64_t key(const char *name, size_t n)
{
  uint64_t h = ga_hash_bytes(name, n).lo;
  return h != 0 ? h : 1;
}

/* The slot of k, or the free one for it. */
static uint64_t *find(const ga_hc_names *s, uint64_t k)
{
  size_t i = k & (s->nslot - 1);
  while (s->slots[i] != 0 && s->slots[i] != k) i = (i + 1) & (s->nslot - 1);
  return &s->slots[i];
}

static void grow(ga_hc_names *s)
{
  ga_hc_names larger = {.n = s->n, .nslot = s->nslot != 0 ? 2 * s->nslot : 256};
  larger.slots = calloc(larger.nslot, sizeof *larger.slots);
  if (larger.slots == NULL) {
    s->failed = 1;
    return;
  }
  for (size_t i = 0; i < s->nslot; i++)
    if (s->slots[i] != 0) *find(&larger, s->slots[i]) = s->slots[i];
  free(s->slots);
  *s = larger;
}

void ga_hc_names_add(ga_hc_names *s, const char *name, size_t n)
{
  const uint64_t k = key(name, n);
  if (2 * s->n >= s->nslot) grow(s);
  if (s->failed) return;
  uint64_t *slot = find(s, k);
  s->n += *slot == 0;
  *slot = k;
}

int ga_hc_names_has(const ga_hc_names *s, const char *name, size_t n)
{
  return s->n > 0 && *find(s, key(name, n)) != 0;
}

void ga_hc_names_clear(ga_hc_names *s)
{
  free(s->slots);
  memset(s, 0, sizeof *s);
}
