/* SPDX-License-Identifier: MIT */
/** \file
 * Raw CUDA C: a source text, its kernels and globals, launched with typed
 * arguments.
 *
 *     const char *source =
 *         "__global__ void doublify(float *a, int n) {\n"
 *         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
 *         "  if (i < n) a[i] *= 2;\n"
 *         "}\n";
 *     GpuKernel k;
 *     int n = 1000;
 *     size_t grid[3] = {4, 1, 1}, block[3] = {256, 1, 1};
 *     GA_OR_DIE(GpuKernel_build(&k, ctx, source, "doublify"));
 *     GA_OR_DIE(GpuKernel_launch(&k, grid, block, 0,
 *                                GA_ARGS(ga_array(NULL, &a), ga_scalar(NULL, GA_INT, &n))));
 *     GpuKernel_clear(&k);
 *
 * A source may include "cluda.h" (types and indices by names that are the same
 * on every device) and, where the CUDA toolkit is installed, its headers. It is
 * compiled as C++17; functions without a qualifier are for the device; and
 * arithmetic follows the compiler's defaults, as nvcc's do: a product and a sum
 * may be contracted.
 */
#ifndef GPUARRAY_MODULE_H
#define GPUARRAY_MODULE_H

#include <gpuarray/arg.h>
#include <gpuarray/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled source. A zeroed struct may be cleared. */
typedef struct _GpuModule {
  struct _gpumodule *m; /**< NULL: cleared */
} GpuModule;

/** Compiles a source. Each module has globals of its own.
 *
 * \param m the module to initialise; cleared on error
 * \param ctx a context
 * \param source CUDA C++
 * \param options of NVRTC, ended by NULL; NULL: none
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument or an option that NVRTC
 * does not know (the CPU leaves such options alone); #GA_UNSUPPORTED_ERROR on the CPU
 * for CUDA C that it does not have, or when there is no C++ compiler; #GA_IMPL_ERROR
 * when the source does not compile (the message has the compiler's words and the
 * numbered source) or the device fails; #GA_LOAD_ERROR when there is no NVRTC for a GPU;
 * #GA_SYS_ERROR when the machine cannot start the C++ compiler or hold its files;
 * #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuModule_init(GpuModule *m, gpucontext *ctx, const char *source,
                                   const char *const *options);

/** A kernel of a module, by its name in the source: `scale`, with or without
 * extern "C", or `ns::scale`. A template's instance (`scale<float>`) is compiled
 * when it is first asked for, apart: its globals are not the module's.
 *
 * \param k the kernel to initialise, for GpuKernel_launch(); zeroed on error. It
 * stays good when the module is cleared
 * \param m a module
 * \param name the kernel
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, a cleared module, or
 * when no kernel or more than one has that name; the codes of GpuModule_init()
 * for a template's instance */
GPUARRAY_PUBLIC int GpuModule_kernel(GpuKernel *k, GpuModule *m, const char *name);

/** A global (`__device__` or `__constant__` variable) of a module, as a buffer.
 *
 * \param b the buffer, with one reference; NULL on error. It stays good when the
 * module is cleared
 * \param m a module
 * \param name the variable
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, a cleared module or
 * a name that is not there; #GA_IMPL_ERROR when the device fails;
 * #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuModule_global(gpudata **b, GpuModule *m, const char *name);

/** Releases a module and zeroes the struct.
 *
 * \param m a module, may be NULL */
GPUARRAY_PUBLIC void GpuModule_clear(GpuModule *m);

/** Compiles a source and takes one kernel of it. Kernels built of one source
 * share its globals.
 *
 * \param k the kernel to initialise, for GpuKernel_launch(); zeroed on error
 * \param ctx a context
 * \param source CUDA C++
 * \param name the kernel, as GpuModule_kernel() takes it
 * \returns the codes of GpuModule_init() and GpuModule_kernel() */
GPUARRAY_PUBLIC int GpuKernel_build(GpuKernel *k, gpucontext *ctx, const char *source,
                                    const char *name);

/** Runs a kernel. **Sync** none: it is queued.
 *
 * \param k a kernel
 * \param grid blocks along each axis
 * \param block threads of a block along each axis
 * \param shared bytes of dynamic shared memory; above the usual limit the kernel
 * opts in, up to what the device has
 * \param n number of arguments
 * \param args arrays pass the address of their first element (their offset is
 * added), ga_scalar() passes the value; numbers without a type are refused.
 * Strides are not looked at
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, a cleared kernel, an
 * array of another context, another number or size of arguments than the kernel
 * takes (where the driver tells: CUDA 12.4), or a grid, block or shared memory
 * that the device does not have; #GA_IMPL_ERROR when the device fails;
 * #GA_MEMORY_ERROR */
GPUARRAY_PUBLIC int GpuKernel_launch(GpuKernel *k, const size_t grid[3], const size_t block[3],
                                     size_t shared, unsigned int n, const gpuarg *args);

#ifdef __cplusplus
}
#endif
#endif
