/* SPDX-License-Identifier: MIT */
/** \file
 * Elementwise kernels written in C: the text is C of the device, run for every
 * element of its arrays.
 *
 *     gpuelemwise_arg args[3] = {{"x", GA_FLOAT, GE_READ},
 *                                {"y", GA_FLOAT, GE_WRITE},
 *                                {"k", GA_INT, GE_SCALAR}};
 *     void *values[3] = {&a, &r, &n};
 *     GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "y = k * x * x", 3, args, 1, 0);
 *     if (ge == NULL) return 1;
 *     GA_OR_DIE(GpuElemwise_call(ge, values, GE_BROADCAST));
 *     GpuElemwise_free(ge);
 *
 * Expressions (expr.h) type and check their text, and need no compiler on the
 * CPU; these give the text to it as it is.
 */
#ifndef GPUARRAY_ELEMWISE_H
#define GPUARRAY_ELEMWISE_H

#include <gpuarray/buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An elementwise kernel. */
typedef struct _GpuElemwise GpuElemwise;

/** One argument of an elementwise kernel. */
typedef struct _gpuelemwise_arg {
  const char *name; /**< in the text; no word of C++, CUDA or cluda.h */
  int typecode;     /**< of its elements */
  int flags;        /**< #GE_SCALAR, #GE_READ, #GE_WRITE or'ed */
} gpuelemwise_arg;

#define GE_SCALAR 0x0001 /**< argument: one number */
#define GE_READ   0x0002 /**< argument: is read */
#define GE_WRITE  0x0004 /**< argument: is written */

#define GE_NOADDR64    0x0001 /**< creation: refuse arrays that need 64-bit offsets */
#define GE_CONVERT_F16 0x0002 /**< creation: compute with half as float */

#define GE_BROADCAST  0x0100 /**< call: inputs of extent 1 are repeated */
#define GE_NOCOLLAPSE 0x0200 /**< call: do not merge axes */
#define GE_PADSHAPE   0x0400 /**< call: missing axes count as extent 1 in front */

/** Makes a kernel and compiles it for contiguous arrays; other layouts are
 * compiled when a call has them. Any number of threads may call it at once.
 *
 * The text is statements; it sees its arguments by their names, the vocabulary of
 * cluda.h and what the preamble declares. #GE_READ arguments have the element's
 * value, #GE_WRITE ones are stored after the text; an argument may be both.
 *
 * \param ctx a context
 * \param preamble text before it, at file level: functions, macros; may be NULL
 * \param expr the text
 * \param n number of arguments
 * \param args the arguments; copied
 * \param nd ignored: kernels are made for the ranks that calls have
 * \param flags #GE_NOADDR64, #GE_CONVERT_F16 or'ed
 * \returns the kernel; NULL on error, and gpuarray_error_message() says whether an
 * argument is wrong or what the compiler said */
GPUARRAY_PUBLIC GpuElemwise *GpuElemwise_new(gpucontext *ctx, const char *preamble,
                                             const char *expr, unsigned int n,
                                             gpuelemwise_arg *args, unsigned int nd, int flags);

/** Frees a kernel.
 *
 * \param ge a kernel, may be NULL */
GPUARRAY_PUBLIC void GpuElemwise_free(GpuElemwise *ge);

/** Runs a kernel. **Shape** that of the first output; without #GE_BROADCAST all
 * are equal, without #GE_PADSHAPE all ranks are. **Layout** any. **Sync** none.
 * Arrays may overlap: the result is as if every input had been read before
 * anything was written.
 *
 * \param ge a kernel
 * \param args for each argument a GpuArray, or the address of a number
 * \param flags #GE_BROADCAST, #GE_PADSHAPE, #GE_NOCOLLAPSE or'ed
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL or cleared argument, an array
 * of another type or context, one that is written and read-only, outputs that
 * overlap, or shapes that do not fit; #GA_UNALIGNED_ERROR; #GA_XLARGE_ERROR for
 * arrays that need 64-bit offsets with #GE_NOADDR64; #GA_MEMORY_ERROR;
 * #GA_LOAD_ERROR, on the CPU #GA_UNSUPPORTED_ERROR, when the compiler is gone;
 * #GA_IMPL_ERROR when it or the device fails */
GPUARRAY_PUBLIC int GpuElemwise_call(GpuElemwise *ge, void **args, int flags);

#ifdef __cplusplus
}
#endif
#endif
