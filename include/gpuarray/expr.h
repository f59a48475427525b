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

/** A compiled expression. Immutable: any number of threads may call it at once.
 *
 * What it does for given dtypes, shapes, strides and alignments is planned (and
 * its kernels compiled, or taken from the cache) at the first such call and found
 * again by later ones, which then take no lock and allocate nothing but the
 * arrays they create. */
typedef struct _GpuExpr GpuExpr;

/** Evaluates a text once.
 *
 * A name bound by ga_array() is read, and written in place when the text assigns
 * to it; one bound by ga_new() is created by its assignment; other assigned names
 * are temporaries, which take no memory where they fuse. Results are as if every
 * input had been read before anything was written, whatever overlaps.
 *
 * **Shape** inputs broadcast against each other as NumPy's do; assigned arrays
 * must have exactly the shape of what is assigned. **Type** as NumPy 2 promotes;
 * an existing array takes what casts to it under NumPy's `same_kind`.
 * **Layout** any strides; created arrays are in C order. **Sync** returns when the
 * work is in the context's stream; reading the result waits for it.
 *
 * \param out takes the value of the last statement, created: clear it when done. Not an
 * argument's array. Zeroed on error. NULL when the text assigns and has no value worth keeping
 * \param ctx where to compute; every array must be of this context
 * \param text the expression (doc/language.md), NUL-terminated
 * \param n number of arguments
 * \param args the arguments; GA_ARGS() writes both
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL argument, a text with a
 * mistake (the message shows it with a caret), shapes that do not fit, a number
 * that does not fit its dtype, an array of another context, an output that is
 * read-only or overlaps itself or another; #GA_UNSUPPORTED_ERROR for a dtype no
 * expression computes with; #GA_UNALIGNED_ERROR for an array not aligned to its
 * dtype; #GA_XLARGE_ERROR for a text, rank or size beyond the limits;
 * #GA_MEMORY_ERROR; #GA_LOAD_ERROR when no compiler for kernels is found;
 * #GA_IMPL_ERROR when compiler, driver or an earlier kernel failed */
GPUARRAY_PUBLIC int GpuArray_eval(GpuArray *out, gpucontext *ctx, const char *text, unsigned int n,
                                  const gpuarg *args);

/** Evaluates a text once and writes its value into an existing array.
 *
 * **Shape** the value's shape must be that of `out`: it is not broadcast.
 * **Type** cast to `out`'s under `same_kind`. **Layout** any, also of inputs that
 * overlap `out`. **Sync** as GpuArray_eval().
 *
 * \param out the array; its context is where the text is computed. Untouched when
 * the text, a shape or a dtype is refused
 * \param text the expression
 * \param n number of arguments
 * \param args the arguments
 * \returns as GpuArray_eval() */
GPUARRAY_PUBLIC int GpuArray_eval_into(GpuArray *out, const char *text, unsigned int n,
                                       const gpuarg *args);

/** Makes an expression for many calls.
 *
 * \param e takes the expression, NULL on error; free it with GpuExpr_free()
 * \param ctx where it will compute; retained
 * \param text the expression
 * \param n number of arguments
 * \param args names and kinds of the arguments. When every array is given the text
 * is typed for them, so that mistakes show here; an array may be NULL where it
 * is not known yet. Nothing is run, and nothing of `args` is kept
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR, #GA_UNSUPPORTED_ERROR, #GA_XLARGE_ERROR and
 * #GA_MEMORY_ERROR as when it is evaluated */
GPUARRAY_PUBLIC int GpuExpr_new(GpuExpr **e, gpucontext *ctx, const char *text, unsigned int n,
                                const gpuarg *args);

/** Calls an expression; its value is created. **Sync** as GpuArray_eval().
 *
 * \param e the expression
 * \param out as in GpuArray_eval()
 * \param n number of arguments, as when it was made
 * \param args the arguments in the order in which it was made, of the same kinds;
 * dtypes, shapes and values may differ. Names are not looked at
 * \returns as GpuArray_eval(); #GA_VALUE_ERROR when number or kinds differ */
GPUARRAY_PUBLIC int GpuExpr_call(GpuExpr *e, GpuArray *out, unsigned int n, const gpuarg *args);

/** Calls an expression; its value is written into an existing array, as by
 * GpuArray_eval_into().
 *
 * \returns as GpuExpr_call() */
GPUARRAY_PUBLIC int GpuExpr_call_into(GpuExpr *e, GpuArray *out, unsigned int n,
                                      const gpuarg *args);

/** Begins, in the background, what the first call with such arguments would wait for:
 * planning, and compiling or loading its kernels. Returns at once. A call that comes
 * before it is ready waits for it; nothing is compiled twice.
 *
 *     GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", &a), ga_array("b", &b)));
 *     ...
 *     if (GpuExpr_ready(e)) GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a), ga_array("b", &b)));
 *
 * Only dtypes, shapes, strides and addresses modulo 16 are looked at, before it
 * returns, so arrays need no data; one without is taken to begin where an
 * allocation does. **Sync** none; a forked child does itself what its parent had not
 * finished.
 *
 * \param e the expression
 * \param into the array that GpuExpr_call_into() will write; NULL for GpuExpr_call()
 * \param n number of arguments
 * \param args the arguments, as for GpuExpr_call()
 * \returns #GA_NO_ERROR: it is under way, or was done before; #GA_VALUE_ERROR,
 * #GA_UNSUPPORTED_ERROR, #GA_XLARGE_ERROR for arguments that no call would take;
 * #GA_MEMORY_ERROR; #GA_LOAD_ERROR or #GA_IMPL_ERROR when the same was begun before
 * and failed so: what is found out later is told by the wait, by calls, and here */
GPUARRAY_PUBLIC int GpuExpr_compile_async(GpuExpr *e, const GpuArray *into, unsigned int n,
                                          const gpuarg *args);

/** Tells whether the background has finished all that GpuExpr_compile_async() began
 * for this expression, well or not. Does not wait.
 *
 * \param e the expression
 * \returns 1: it has, or nothing was begun; 0: not yet */
GPUARRAY_PUBLIC int GpuExpr_ready(GpuExpr *e);

/** Waits until all that GpuExpr_compile_async() began for this expression is finished.
 *
 * \param e the expression
 * \returns #GA_NO_ERROR; what the first of them that failed met, as a call would
 * return it: #GA_VALUE_ERROR for NULL, a text with a mistake or shapes that do not fit;
 * #GA_LOAD_ERROR without a compiler; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when compiler or
 * driver fails */
GPUARRAY_PUBLIC int GpuExpr_wait(GpuExpr *e);

/** Frees an expression; no call of it may be under way. What the background has not
 * begun for it is dropped, and what it has is waited for.
 *
 * \param e the expression, or NULL */
GPUARRAY_PUBLIC void GpuExpr_free(GpuExpr *e);

/** What a call of an expression does, for given arguments. */
typedef struct _gpuexpr_info {
  size_t size;              /**< sizeof(gpuexpr_info), set by the caller */
  unsigned int stages;      /**< kernels run one after the other */
  unsigned int temporaries; /**< arrays created between stages */
  uint64_t bytes_read;      /**< by all kernels, each element of each input once */
  uint64_t bytes_written;   /**< likewise */
  int typecode;             /**< of the value, -1 when the text only assigns */
  unsigned int nd;          /**< of the value */
} gpuexpr_info;

/** Tells what a call would do and the shape of its value. Runs and compiles
 * nothing, so the arrays need no data: nd, dimensions, strides and typecode are
 * enough.
 *
 * \param e the expression
 * \param info `size` is set by the caller; the rest is filled in
 * \param dims takes the extents of the value: room for 64, or NULL
 * \param n number of arguments
 * \param args the arguments, as for GpuExpr_call()
 * \returns as GpuExpr_new() */
GPUARRAY_PUBLIC int GpuExpr_query(GpuExpr *e, gpuexpr_info *info, size_t *dims, unsigned int n,
                                  const gpuarg *args);

/** Tells in words what a call would do: stages, layouts, bytes, which promise of
 * doc/numbers.md each stage is under, and the kernels' text. For people; the
 * wording may change. The arrays need no data.
 *
 * \param e the expression
 * \param text takes the words, malloc'ed: free() them. NULL on error
 * \param n number of arguments
 * \param args the arguments, as for GpuExpr_call()
 * \returns as GpuExpr_new() */
GPUARRAY_PUBLIC int GpuExpr_explain(GpuExpr *e, char **text, unsigned int n, const gpuarg *args);

#ifdef __cplusplus
}
#endif
#endif
