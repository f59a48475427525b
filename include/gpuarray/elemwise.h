/* SPDX-License-Identifier: MIT */
/** \file
 * Arguments of elementwise kernels written in C: types and flags.
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
  const char *name; /**< in the expression */
  int typecode;     /**< of its elements */
  int flags;        /**< #GE_SCALAR, #GE_READ, #GE_WRITE or'ed */
} gpuelemwise_arg;

#define GE_SCALAR 0x0001 /**< argument: one number */
#define GE_READ 0x0002   /**< argument: is read */
#define GE_WRITE 0x0004  /**< argument: is written */

#define GE_NOADDR64 0x0001    /**< creation: refuse arrays that need 64-bit offsets */
#define GE_CONVERT_F16 0x0002 /**< creation: compute with half as float */

#define GE_BROADCAST 0x0100  /**< call: inputs of extent 1 are repeated */
#define GE_NOCOLLAPSE 0x0200 /**< call: do not merge axes */
#define GE_PADSHAPE 0x0400   /**< call: missing axes count as extent 1 in front */

#ifdef __cplusplus
}
#endif
#endif
