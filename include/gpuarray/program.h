/* SPDX-License-Identifier: MIT */
/** \file
 * What a program writes around its calls: end it when a call fails, and clean
 * up at the end of a block. Nothing here is part of the library itself.
 *
 *     GA_AUTOPTR(gpucontext) ctx = NULL;
 *     GA_AUTO(GpuArray) a = {0};
 *     GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *     GA_OR_DIE(GpuArray_arange(&a, ctx, GA_FLOAT, 0, 10, 1));
 *     GA_OR_DIE(GpuArray_print(stdout, &a));
 */
#ifndef GPUARRAY_PROGRAM_H
#define GPUARRAY_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <gpuarray/error.h>
#include <gpuarray/expr.h>
#include <gpuarray/graph.h>
#include <gpuarray/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Prints where a call failed and why, and ends the program with status 1.
 * Used by #GA_OR_DIE. */
static inline void ga_die(const char *file, int line, const char *call, int err)
{
  fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, call, gpuarray_error_message(),
          gpuarray_error_str(err));
  exit(1);
}

/** Calls, and ends the program with a message when the call fails. */
#define GA_OR_DIE(call)                                                                   \
  do {                                                                                    \
    int ga_or_die_err_ = (call);                                                          \
    if (ga_or_die_err_ != GA_NO_ERROR) ga_die(__FILE__, __LINE__, #call, ga_or_die_err_); \
  } while (0)

#if defined(__GNUC__)
/** Declares a struct (GpuArray, GpuKernel, GpuModule) that is cleared when its
 * block is left. Initialise it: `GA_AUTO(GpuArray) a = {0};`. */
#define GA_AUTO(T) __attribute__((cleanup(T##_clear))) T

/** Declares a pointer (gpucontext, gpudata, gpukernel, GpuExpr) whose reference
 * is given back when its block is left: `GA_AUTOPTR(gpucontext) ctx = NULL;`. */
#define GA_AUTOPTR(T) __attribute__((cleanup(ga_autoptr_##T))) T *

static inline void ga_autoptr_gpucontext(gpucontext **p) { gpucontext_deref(*p); }
static inline void ga_autoptr_gpudata(gpudata **p) { gpudata_release(*p); }
static inline void ga_autoptr_gpukernel(gpukernel **p) { gpukernel_release(*p); }
static inline void ga_autoptr_gpugraph(gpugraph **p) { gpugraph_free(*p); }
static inline void ga_autoptr_GpuExpr(GpuExpr **p) { GpuExpr_free(*p); }
#endif

#ifdef __cplusplus
}
#endif
#endif
