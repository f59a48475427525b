/* SPDX-License-Identifier: MIT */
/** \file
 * Graphs: a sequence of calls captured once and replayed often, at a fraction of
 * the cost of making the calls.
 *
 *     gpucontext *ctx;
 *     gpugraph *g;
 *     GpuArray x, y, r;
 *     float v[4] = {1, 2, 3, 4};
 *     GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *     GA_OR_DIE(GpuArray_fromhost(&x, ctx, GA_FLOAT, GA_DIMS(4), v));
 *     GA_OR_DIE(gpugraph_begin(ctx));
 *     GA_OR_DIE(GpuArray_eval(&y, ctx, "k*x", GA_ARGS(ga_array("x", &x), ga_float("k", 2))));
 *     GA_OR_DIE(GpuArray_eval(&r, ctx, "sum(y)", GA_ARGS(ga_array("y", &y))));
 *     GA_OR_DIE(gpugraph_end(&g, ctx));
 *     GA_OR_DIE(gpugraph_replay(g));
 *     GA_OR_DIE(gpugraph_set(g, GA_ARGS(ga_float("k", 3))));
 *     GA_OR_DIE(gpugraph_replay(g));
 *     GA_OR_DIE(GpuArray_print(stdout, &r));
 *     gpugraph_free(g);
 *     GpuArray_clear(&r); GpuArray_clear(&y); GpuArray_clear(&x); gpucontext_deref(ctx);
 *
 * **What a capture takes** Between gpugraph_begin() and gpugraph_end() nothing is
 * run: the calling thread's expressions, named operations, raw kernels, copies,
 * fills and BLAS calls on the context become nodes, which a replay does in the
 * same order. Kernels are compiled, and arrays allocated, when the call is made;
 * the graph holds the memory that its nodes use, so arrays may be cleared after. A
 * write from the host is captured with the bytes it was given. Other threads' calls
 * run at once, on this context too, and each thread captures for itself.
 *
 * **What it refuses** Reads to the host, waiting (gpucontext_sync(),
 * gpudata_sync()), copies from or to other contexts, collectives and replays are
 * errors with #GA_INVALID_ERROR. After such an error, or when memory ran out for a
 * node, gpugraph_end() makes no graph and says why; the context is as usable as
 * before.
 */
#ifndef GPUARRAY_GRAPH_H
#define GPUARRAY_GRAPH_H

#include <gpuarray/arg.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A captured sequence of calls on one context. Any thread may use it, one after
 * the other: a replay or an update waits for one under way in another thread. */
typedef struct _gpugraph gpugraph;

/** Begins to capture the calling thread's calls on a context. **Sync** none.
 *
 * \param ctx a context
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL; #GA_INVALID_ERROR when the
 * thread is capturing on this context already; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when
 * the driver fails */
GPUARRAY_PUBLIC int gpugraph_begin(gpucontext *ctx);

/** Ends the calling thread's capture and makes its graph. **Sync** none; nothing
 * has been run.
 *
 * \param g takes the graph, NULL on error; free it with gpugraph_free(). NULL: the
 * capture is thrown away
 * \param ctx the context it was begun on
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for a NULL context; #GA_INVALID_ERROR when
 * the thread is not capturing on it; the code of the first call that could not be
 * captured, with its message; #GA_IMPL_ERROR when the driver fails. On each but the second the
 * capture has ended */
GPUARRAY_PUBLIC int gpugraph_end(gpugraph **g, gpucontext *ctx);

/** Does the captured calls again, in order. **Sync** returns when the work is in the
 * context's stream; reading a result waits for it.
 *
 * \param g a graph
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL; #GA_INVALID_ERROR while the
 * thread is capturing on the graph's context, or in a forked child of a GPU's; #GA_IMPL_ERROR when
 * the device fails; what the calls would return that the device only then finds */
GPUARRAY_PUBLIC int gpugraph_replay(gpugraph *g);

/** Gives named arguments other values, for the replays to come.
 *
 * The names are those of the captured calls' arguments (ga_array("x", &x)): of
 * expressions, of GpuKernel_launch() and of named operations, whose operands are
 * called as in their texts. All calls that have an argument of a name get its new
 * value; an array must be the same one in all of them, and a number equal. An array
 * is replaced in all that it is used for, under other names too: what was captured as
 * one array stays one.
 *
 * An array may stand anywhere in the context's memory but must be like the one it
 * replaces. The graph holds it from then on, and no longer the old one. **Shape,
 * Type, Layout** dtype, extents and strides are those of the old one; the address
 * modulo 16 too. **Sync** none: replays that were started before keep the old
 * values.
 *
 * \param g a graph
 * \param n number of arguments
 * \param args the new values; several arrays change at once, so two may be swapped
 * \returns #GA_NO_ERROR; #GA_VALUE_ERROR for NULL, a name that no call has or that
 * stands for different things, a number given twice, one array that would become two,
 * another kind, dtype, shape, strides or alignment, a read-only array that is written, a
 * number that does not fit its dtype, or an array that shares memory with another of the
 * same call where the old one did not; #GA_MEMORY_ERROR; #GA_IMPL_ERROR when the driver
 * fails. On error nothing has changed */
GPUARRAY_PUBLIC int gpugraph_set(gpugraph *g, unsigned int n, const gpuarg *args);

/** Puts other arrays in the place of some, whatever their names, in all captured
 * calls: also in copies, fills and BLAS calls, which have none.
 *
 * An array is found by its memory: all arguments that begin at its first element
 * and extend over the same bytes. A view of it that begins elsewhere is an array of
 * its own. **Shape, Type, Layout, Sync** as gpugraph_set().
 *
 * \param g a graph
 * \param n number of arrays
 * \param old arrays of the captured calls
 * \param by what comes in their places; all change at once
 * \returns as gpugraph_set(); #GA_VALUE_ERROR for an array that no call uses */
GPUARRAY_PUBLIC int gpugraph_replace(gpugraph *g, unsigned int n, const GpuArray *const *old,
                                     const GpuArray *const *by);

/** Counts the nodes: kernels, copies, fills and BLAS calls of one replay.
 *
 * \param g a graph
 * \returns their number; 0 for NULL */
GPUARRAY_PUBLIC size_t gpugraph_nodes(const gpugraph *g);

/** The context of a graph.
 *
 * \param g a graph
 * \returns the context, not retained; NULL for NULL */
GPUARRAY_PUBLIC gpucontext *gpugraph_context(const gpugraph *g);

/** Frees a graph. Replays that were started are finished.
 *
 * \param g a graph, or NULL */
GPUARRAY_PUBLIC void gpugraph_free(gpugraph *g);

#ifdef __cplusplus
}
#endif
#endif
