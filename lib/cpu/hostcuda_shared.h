/* SPDX-License-Identifier: MIT */
/* The static shared memory that a kernel's object asks for. */
#ifndef GA_CPU_HOSTCUDA_SHARED_H
#define GA_CPU_HOSTCUDA_SHARED_H

#include <stddef.h>

/* As CUDA has it: static, and static and dynamic together where it is asked for. */
enum { GA_HC_SHARED_STATIC = 49152, GA_HC_SHARED_MOST = 232448 };

/* The function of the object that declares the most: its bytes, and its name. */
size_t ga_hc_shared_largest(const void *elf, size_t size, char name[128]);

/* What kernel `name` declares itself; of several instances called so the least. */
size_t ga_hc_shared_of(const void *elf, size_t size, const char *name);

/* Where the compiler notes that it has constructed a variable: offsets in the storage, of bytes
 * that no thread of a kernel writes by an access that is checked. `at` to be freed. */
typedef struct ga_hc_guards {
  size_t *at, n;
} ga_hc_guards;
ga_hc_guards ga_hc_shared_guards(const void *elf, size_t size);

#endif
