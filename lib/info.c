/* SPDX-License-Identifier: MIT */
/* What the devices found on this machine (gpuarray/info.h). */
#include "gpuarray/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/backend.h"
#include "lib/util/error.h"

static const ga_backend *const backends[] = {&ga_cuda_backend, &ga_cpu_backend};

/* Libraries are installed as libname.so.1.2.3 behind links: the digits are the
 * version of one that does not tell. */
static void version_of_file(gpuarray_library *lib)
{
  char *real = realpath(lib->path, NULL);
  const char *so = real ? strstr(real, ".so.") : NULL;
  if (so != NULL) snprintf(lib->version, sizeof lib->version, "%s", so + 4);
  free(real);
}

int gpuarray_library_get(unsigned int i, gpuarray_library *res)
{
  if (res == NULL) return ga_error(GA_VALUE_ERROR, "library: argument 2 is NULL");
  if (res->size != sizeof *res)
    return ga_error(GA_VALUE_ERROR, "library: argument 2 has size %zu, expected %zu", res->size,
                    sizeof *res);
  gpuarray_library *lib = calloc(1, sizeof *lib);
  if (lib == NULL) return ga_error_memory("library", sizeof *lib);
  lib->size = sizeof *lib;
  int found = 0;
  for (size_t b = 0, first = 0; b < sizeof backends / sizeof backends[0] && !found; b++) {
    unsigned int n = 0;
    for (; !found && backends[b]->library != NULL; n++) {
      memset(lib, 0, sizeof *lib);
      if (!backends[b]->library(n, lib)) break;
      found = first + n == i;
    }
    first += n;
  }
  if (!found) {
    free(lib);
    return ga_error(GA_INVALID_ERROR, "library: there is no library number %u", i);
  }
  lib->size = sizeof *lib;
  if (lib->path[0] != '\0' && lib->version[0] == '\0') version_of_file(lib);
  *res = *lib;
  free(lib);
  return GA_NO_ERROR;
}
