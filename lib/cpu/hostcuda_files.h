/* SPDX-License-Identifier: MIT */
/* The private folder a compilation works in: made under TMPDIR (else /tmp), open
 * to its owner only, and removed with all that is in it. */
#ifndef GA_CPU_HOSTCUDA_FILES_H
#define GA_CPU_HOSTCUDA_FILES_H

#include "hostcuda.h"

typedef struct ga_hc_folder {
  char path[256]; /* "" when there is none */
} ga_hc_folder;

int ga_hc_folder_make(ga_hc_folder *f);
void ga_hc_folder_remove(ga_hc_folder *f);

/* Writes, or reads, a file in it. A name may have folders of its own, which are
 * made; it may not leave the folder. *data is malloc'ed, with a NUL behind. */
int ga_hc_folder_write(const ga_hc_folder *f, const char *name, const char *data, size_t size);
int ga_hc_folder_read(const ga_hc_folder *f, const char *name, char **data, size_t *size);

/* The library's own headers, in system/. */
int ga_hc_folder_system(const ga_hc_folder *f);
/* A number that tells other versions of them apart, never 0: a kernel in the cache
 * was compiled with one of them. */
unsigned int ga_hc_headers_id(void);

#endif
