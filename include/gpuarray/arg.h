/* SPDX-License-Identifier: MIT */
/** \file
 * Typed arguments of expressions and of raw kernels.
 *
 *     GpuArray_eval(&b, ctx, "k*a", GA_ARGS(ga_array("a", &a), ga_float("k", 2)));
 *     GpuKernel_launch(&k, grid, block, 0,
 *                      GA_ARGS(ga_array(NULL, &a), ga_scalar(NULL, GA_INT, &n)));
 */
#ifndef GPUARRAY_ARG_H
#define GPUARRAY_ARG_H

#include <gpuarray/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a gpuarg carries. */
enum ga_argkind {
  GA_ARG_ARRAY = 1, /**< an existing array: read, and written when assigned to */
  GA_ARG_NEW = 2,   /**< a GpuArray to be created by an assignment */
  GA_ARG_INT = 3,   /**< weak integer, typed by its neighbours as Python's int */
  GA_ARG_FLOAT = 4, /**< weak float, as Python's float */
  GA_ARG_SCALAR = 5 /**< number with a dtype of its own, as a NumPy scalar */
};

/** One argument. Make it with the functions below; `name` may be NULL for raw
 * kernels, whose arguments go by position. Nothing is copied or retained. */
typedef struct _gpuarg {
  const char *name;
  int kind;     /**< enum ga_argkind */
  int typecode; /**< of a GA_ARG_SCALAR */
  union {
    GpuArray *array;   /**< GA_ARG_ARRAY, GA_ARG_NEW */
    int64_t i;         /**< GA_ARG_INT */
    double f;          /**< GA_ARG_FLOAT */
    const void *ptr;   /**< GA_ARG_SCALAR: the value */
  } v;
  int flags; /**< 0 */
} gpuarg;

/* inline makers and GA_ARGS / GA_DIMS: filled in by the arrays part */

#ifdef __cplusplus
}
#endif
#endif
