/* SPDX-License-Identifier: MIT */
/** \file
 * What the library found on this machine: the other libraries that it looks for
 * when it runs.
 *
 *     gpuarray_library lib;
 *     unsigned int i;
 *     lib.size = sizeof lib;
 *     for (i = 0; gpuarray_library_get(i, &lib) == GA_NO_ERROR; i++)
 *       printf("%s %s %s\n", lib.name, lib.version, *lib.path ? lib.path : lib.problem);
 */
#ifndef GPUARRAY_INFO_H
#define GPUARRAY_INFO_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A library that is looked for at run time. */
typedef struct _gpuarray_library {
  size_t size;        /**< sizeof(gpuarray_library), set by the caller */
  char name[32];      /**< what it is: "CUDA driver" */
  char version[128];  /**< as it says itself or as its file is named; may be "" */
  char path[1024];    /**< its file; "" when it was not found */
  char problem[1024]; /**< why it was not found, or cannot be used; else "" */
} gpuarray_library;

/** Tells of a library: where it is, or why it is not there. Looks for it, and
 * loads it, if that was not done yet.
 *
 * \param i number, from 0
 * \param lib where the answer goes; its `size` is set by the caller; otherwise
 * untouched on error
 * \returns #GA_NO_ERROR, also for a library that was not found;
 * #GA_INVALID_ERROR when there is no `i`-th; #GA_VALUE_ERROR when `lib` is NULL
 * or its size is not that of these headers */
GPUARRAY_PUBLIC int gpuarray_library_get(unsigned int i, gpuarray_library *lib);

#ifdef __cplusplus
}
#endif
#endif
