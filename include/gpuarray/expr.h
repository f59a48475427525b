/* SPDX-License-Identifier: MIT */
/** \file
 * NumPy expressions on arrays.
 *
 *     gpucontext *ctx;
 *     GpuArray a, r;
 *     float x[4] = {1, 2, 3, 4};
 *     double s;
 *     GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *     GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4), x));
 *     GA_OR_DIE(GpuArray_eval(&r, ctx, "sum(a*a)", GA_ARGS(ga_array("a", &a))));
 *     GA_OR_DIE(GpuArray_tohost(&s, sizeof s, GA_DOUBLE, &r));
 *     GpuArray_clear(&r); GpuArray_clear(&a); gpucontext_deref(ctx);
 *
 * doc/language.md describes the language.
 */
#ifndef GPUARRAY_EXPR_H
#define GPUARRAY_EXPR_H

#include <gpuarray/arg.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled expression: immutable, may be called from several threads. */
typedef struct _GpuExpr GpuExpr;

GPUARRAY_PUBLIC int GpuArray_eval(GpuArray *out, gpucontext *ctx, const char *text,
                                  unsigned int n, const gpuarg *args);
GPUARRAY_PUBLIC int GpuArray_eval_into(GpuArray *out, const char *text,
                                       unsigned int n, const gpuarg *args);
GPUARRAY_PUBLIC int GpuExpr_new(GpuExpr **e, gpucontext *ctx, const char *text,
                                unsigned int n, const gpuarg *args);
GPUARRAY_PUBLIC int GpuExpr_call(GpuExpr *e, GpuArray *out, unsigned int n,
                                 const gpuarg *args);
GPUARRAY_PUBLIC int GpuExpr_call_into(GpuExpr *e, GpuArray *out, unsigned int n,
                                      const gpuarg *args);
GPUARRAY_PUBLIC void GpuExpr_free(GpuExpr *e);

/** What a call of an expression does, for these arguments. */
typedef struct _gpuexpr_info {
  size_t size;          /**< sizeof(gpuexpr_info), set by the caller */
  unsigned int stages;  /**< kernels run one after the other */
  unsigned int temporaries; /**< arrays created between stages */
  uint64_t bytes_read;  /**< by all kernels; bytes */
  uint64_t bytes_written;
  int typecode;         /**< of the value, -1 when the text only assigns */
  unsigned int nd;      /**< of the value */
} gpuexpr_info;

/* The arrays of these two need no data: only nd, dimensions, strides, typecode. */
GPUARRAY_PUBLIC int GpuExpr_query(GpuExpr *e, gpuexpr_info *info, size_t *dims,
                                  unsigned int n, const gpuarg *args);
GPUARRAY_PUBLIC int GpuExpr_explain(GpuExpr *e, char **text, unsigned int n,
                                    const gpuarg *args);

#ifdef __cplusplus
}
#endif
#endif
