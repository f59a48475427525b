/* SPDX-License-Identifier: MIT */
/** \file
 * Raw CUDA C kernels: a source text, its kernels and globals.
 */
#ifndef GPUARRAY_MODULE_H
#define GPUARRAY_MODULE_H

#include <gpuarray/arg.h>
#include <gpuarray/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _GpuModule {
  struct _gpumodule *m;
} GpuModule;

GPUARRAY_PUBLIC int GpuModule_init(GpuModule *m, gpucontext *ctx, const char *source,
                                   const char *const *options);
GPUARRAY_PUBLIC int GpuModule_kernel(GpuKernel *k, GpuModule *m, const char *name);
GPUARRAY_PUBLIC int GpuModule_global(gpudata **b, GpuModule *m, const char *name);
GPUARRAY_PUBLIC void GpuModule_clear(GpuModule *m);
GPUARRAY_PUBLIC int GpuKernel_build(GpuKernel *k, gpucontext *ctx, const char *source,
                                    const char *name);
GPUARRAY_PUBLIC int GpuKernel_launch(GpuKernel *k, const size_t grid[3],
                                     const size_t block[3], size_t shared,
                                     unsigned int n, const gpuarg *args);

#ifdef __cplusplus
}
#endif
#endif
