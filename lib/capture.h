/* SPDX-License-Identifier: MIT */
/* Capturing: between gpugraph_begin() and gpugraph_end() the calls that one thread
 * makes on a context become nodes of a graph instead of being run. Whoever gives
 * work to a device asks ga_capturing() first, which outside of captures is one load:
 *
 *   if (ga_capturing(ctx)) return ga_capture_set(b, off, byte, n);
 *   return ctx->backend->set(b, off, byte, n);
 *
 * Memory is allocated as ever, outside of the graph, which retains what its nodes
 * use. Other threads' calls run at once, on the same context too.
 *
 * A call is described piece by piece: ga_capture_call(), the memory it uses and the
 * numbers that have names, with the places in the arguments where they stand, then
 * ga_capture_add() for each node. What was described and not added is forgotten. */
#ifndef GA_CAPTURE_H
#define GA_CAPTURE_H

#include "gpuarray/array.h"
#include "lib/backend.h"
#include "lib/overlap.h"

struct ga_plan;
struct ga_run;

/* The graph that the calling thread's calls on `ctx` go to, or NULL. */
gpugraph *ga_capture_of(const gpucontext *ctx);

static inline int ga_capturing(const gpucontext *ctx)
{
  return __builtin_expect(atomic_load_explicit(&ctx->captures, memory_order_relaxed) != 0, 0) &&
         ga_capture_of(ctx) != NULL;
}

/* ---- capture.c: calls of one node ---------------------------------------------- */

int ga_capture_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);
int ga_capture_set(gpudata *b, size_t off, int byte, size_t n);
int ga_capture_write(gpudata *b, size_t off, const void *src, size_t n);
/* What a graph cannot hold: the error, which spoils the capture. */
int ga_capture_refuse(gpucontext *ctx, const char *op, const char *what);

/* ---- capture.c: any call ----------------------------------------------------------- */

/* A new call begins. */
void ga_capture_call(gpugraph *g);
/* The call is done: its names stay, though arrays without elements need no node. */
void ga_capture_keep(gpugraph *g);
/* How a call writes what it uses: itself, or by a move behind it. */
enum { GA_WRITES = 1, GA_WRITES_LATER = 2 };
/* It uses `a`; the address of its first element, plus `delta`, is at `at`. `name`
 * NULL: none. */
int ga_capture_array(gpugraph *g, size_t at, ptrdiff_t delta, const GpuArray *a, int write,
                     const char *name);
/* It uses bytes [off, off + n) of a buffer. */
int ga_capture_bytes(gpugraph *g, size_t at, gpudata *b, size_t off, size_t n, int write);
/* The number at `at` has a name. */
int ga_capture_number(gpugraph *g, size_t at, const char *name, int typecode, const void *value);
/* Adds a node, which is copied with its arguments; `host` becomes the graph's. */
int ga_capture_add(gpugraph *g, const ga_work *node);
/* `k` lives as long as the graph. */
int ga_capture_kernel(gpugraph *g, gpukernel *k);
/* Passes `err` on; one that is an error spoils the capture. */
int ga_capture_done(gpugraph *g, int err);

/* ---- expr_capture.c ------------------------------------------------------------------ */

/* A run of a plan begins, its slots placed; then each of its stages. */
int ga_capture_plan(const struct ga_run *r);
int ga_capture_stage(const struct ga_run *r, unsigned int k, void *const *addr,
                     const ga_value *num);
/* 1 when the thread's capture runs `plan`, which it then frees if nobody else does. */
int ga_capture_owns(gpucontext *ctx, const struct ga_plan *plan);

#endif
