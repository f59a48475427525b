/* SPDX-License-Identifier: MIT */
/** \file
 * The version of the binary interface: 1000 * major + minor.
 */
#ifndef GPUARRAY_ABI_VERSION
#define GPUARRAY_ABI_VERSION 3000
#endif
