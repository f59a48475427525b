/* SPDX-License-Identifier: MIT */
/** \file
 * Kernels in CUDA C: one source, one kernel, its arguments by position.
 *
 * module.h has several kernels from a source, typed arguments and launches in
 * one call.
 */
#ifndef GPUARRAY_KERNEL_H
#define GPUARRAY_KERNEL_H

#include <gpuarray/buffer.h>
#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kernel and room for its arguments. */
typedef struct _GpuKernel {
  gpukernel *k; /**< the kernel */
  void **args;  /**< set by GpuKernel_setarg() */
} GpuKernel;

/** Compiles a kernel.
 *
 * \param k the kernel to initialise; zeroed on error
 * \param ctx a context
 * \param count number of strings, at least 1
 * \param strs the source, in pieces that are joined
 * \param lens bytes of each piece; NULL, or 0 for a piece: up to its NUL
 * \param name name of the kernel
 * \param argcount number of its arguments
 * \param types type of each, #GA_BUFFER for buffers
 * \param flags ga_usefl values or'ed
 * \param err_str where the compiler's words go, to be freed with free(); may be
 * NULL
 * \returns the codes of gpukernel_init() */
GPUARRAY_PUBLIC int GpuKernel_init(GpuKernel *k, gpucontext *ctx, unsigned int count,
                                   const char **strs, const size_t *lens, const char *name,
                                   unsigned int argcount, const int *types, int flags,
                                   char **err_str);

/** Releases a kernel and zeroes the struct; a zeroed one may be cleared.
 *
 * \param k a kernel, may be NULL */
GPUARRAY_PUBLIC void GpuKernel_clear(GpuKernel *k);

/** The context of a kernel.
 *
 * \param k a kernel
 * \returns the context, not retained; NULL for a cleared kernel */
GPUARRAY_PUBLIC gpucontext *GpuKernel_context(GpuKernel *k);

/** Keeps an argument for GpuKernel_call() without arguments.
 *
 * \param k a kernel
 * \param i number of the argument
 * \param val the gpudata for a #GA_BUFFER, else the address of the value
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL or cleared kernel, or too
 * large an `i` */
GPUARRAY_PUBLIC int GpuKernel_setarg(GpuKernel *k, unsigned int i, void *val);

/** Chooses a grid for `n` elements. The grid may have fewer or more threads than
 * elements: kernels need a loop and a bounds check.
 *
 * \param k a kernel
 * \param n number of elements
 * \param gs blocks; 0 on entry: chosen
 * \param ls threads of a block; 0 on entry: chosen
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument or a cleared
 * kernel; #GA_IMPL_ERROR when the driver fails */
GPUARRAY_PUBLIC int GpuKernel_sched(GpuKernel *k, size_t n, size_t *gs, size_t *ls);

/** Runs a kernel. **Sync** none: it is queued.
 *
 * \param k a kernel
 * \param n number of axes of the grid, 1 to 3
 * \param gs blocks along each axis
 * \param ls threads of a block along each axis
 * \param shared bytes of dynamic shared memory
 * \param args the arguments; NULL: those that were set
 * \returns the codes of gpukernel_call() */
GPUARRAY_PUBLIC int GpuKernel_call(GpuKernel *k, unsigned int n, const size_t *gs, const size_t *ls,
                                   size_t shared, void **args);

/** The calling thread's last message.
 *
 * \param k a kernel, may be NULL
 * \param err an error code
 * \returns as gpucontext_error() */
GPUARRAY_PUBLIC const char *GpuKernel_error(const GpuKernel *k, int err);

#ifdef __cplusplus
}
#endif
#endif
