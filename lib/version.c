/* SPDX-License-Identifier: MIT */
/* The library's own version, for programs that were built against another. */
#include "gpuarray/version.h"

const char *gpuarray_version(void) { return GPUARRAY_VERSION; }
