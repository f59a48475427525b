/* SPDX-License-Identifier: MIT */
/* A set of names. Of two whose 64-bit hashes agree one may be taken for the other:
 * for what is asked here that is too much, and so harmless. */
#ifndef GA_CPU_HOSTCUDA_NAMES_H
#define GA_CPU_HOSTCUDA_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct ga_hc_names {
  uint64_t *slots;
  size_t n, nslot;
  int failed; /* memory ran out: what was added since is not in it */
} ga_hc_names;

void ga_hc_names_add(ga_hc_names *s, const char *name, size_t n);
int ga_hc_names_has(const ga_hc_names *s, const char *name, size_t n);
void ga_hc_names_clear(ga_hc_names *s);

#endif
