/* SPDX-License-Identifier: MIT */
/** \file
 * Arrays in NumPy's .npy files.
 */
#ifndef GPUARRAY_IO_H
#define GPUARRAY_IO_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

GPUARRAY_PUBLIC int GpuArray_load(GpuArray *a, gpucontext *ctx, const char *path);
GPUARRAY_PUBLIC int GpuArray_save(const char *path, const GpuArray *a);

#ifdef __cplusplus
}
#endif
#endif
