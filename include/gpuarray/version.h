/* SPDX-License-Identifier: MIT */
/** \file
 * The version of the library: of these headers at compile time, of the library
 * that is loaded at run time. configure reads the numbers from here.
 *
 *     #if GPUARRAY_VERSION_AT_LEAST(0, 1, 0)
 *     printf("built for %s, runs with %s\n", GPUARRAY_VERSION, gpuarray_version());
 *     #endif
 */
#ifndef GPUARRAY_VERSION_H
#define GPUARRAY_VERSION_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUARRAY_VERSION_MAJOR 0
#define GPUARRAY_VERSION_MINOR 1
#define GPUARRAY_VERSION_MICRO 0

#define GPUARRAY_VERSION_TEXT_(x) #x
#define GPUARRAY_VERSION_JOIN_(a, b, c) \
  GPUARRAY_VERSION_TEXT_(a) "." GPUARRAY_VERSION_TEXT_(b) "." GPUARRAY_VERSION_TEXT_(c)

/** The headers' version as a string literal: "0.1.0". */
#define GPUARRAY_VERSION \
  GPUARRAY_VERSION_JOIN_(GPUARRAY_VERSION_MAJOR, GPUARRAY_VERSION_MINOR, GPUARRAY_VERSION_MICRO)

/** The headers' version as one number that grows: 1000000*major + 1000*minor + micro. */
#define GPUARRAY_VERSION_NUMBER \
  (1000000 * GPUARRAY_VERSION_MAJOR + 1000 * GPUARRAY_VERSION_MINOR + GPUARRAY_VERSION_MICRO)

/** 1 when the headers are of this version or a later one; for #if. */
#define GPUARRAY_VERSION_AT_LEAST(major, minor, micro) \
  (GPUARRAY_VERSION_NUMBER >= 1000000 * (major) + 1000 * (minor) + (micro))

/** The version of the library that is running, as GPUARRAY_VERSION writes it.
 *
 * \returns a string that lives as long as the library; never NULL.
 */
GPUARRAY_PUBLIC const char *gpuarray_version(void);

#ifdef __cplusplus
}
#endif
#endif
