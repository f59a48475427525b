/* SPDX-License-Identifier: MIT */
/* Shared libraries found and bound at run time. A library is opened whole or
 * not at all: one needed symbol missing closes it again, and the message names
 * the file and the symbol. */
#ifndef GA_DL_H
#define GA_DL_H

#include <stddef.h>

#include "lib/util/error.h"

typedef struct ga_dl {
  void *handle;
  char path[1024]; /* the file that was opened */
} ga_dl;

/* One function of a table: where in the table its pointer goes. */
typedef struct ga_dl_symbol {
  const char *name;
  size_t at;
  int optional;
} ga_dl_symbol;

/* Opens `file` (a path, or a name for the loader to find) and stores the
 * functions of `symbols` at their places in `table`. GA_LOAD_ERROR. */
int ga_dl_open(ga_dl *dl, const char *what, const char *file, const ga_dl_symbol *symbols, size_t n,
               void *table);
void ga_dl_close(ga_dl *dl);

/* Opens the library called `name` where it is first found: the loader's path,
 * CUDA_HOME, CUDA_PATH, the usual prefixes. GA_LOAD_ERROR. */
int ga_dl_find(ga_dl *dl, const char *what, const char *name, const ga_dl_symbol *symbols, size_t n,
               void *table);

#endif
