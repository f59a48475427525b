/* SPDX-License-Identifier: MIT */
/* From an address in a kernel's code to its source line, by the debug information
 * of the kernel's object. */
#ifndef GA_CPU_HOSTCUDA_LINES_H
#define GA_CPU_HOSTCUDA_LINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct ga_hc_lines ga_hc_lines;

/* Reads the object's line table; NULL where it has none that can be read. */
ga_hc_lines *ga_hc_lines_read(const void *elf, size_t size);
void ga_hc_lines_free(ga_hc_lines *l); /* accepts NULL */

/* The file and line of `address`, relative to where the object was loaded; 0
 * where it is not known. */
int ga_hc_lines_find(const ga_hc_lines *l, uintptr_t address, const char **file,
                     unsigned int *line);

#endif
