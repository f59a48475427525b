/* SPDX-License-Identifier: MIT */
/* Calls become nodes. A call's memory and names are noted first (held, named,
 * places); ga_capture_add() makes them part of the graph, and the next call drops
 * what was not: a call refused half way leaves nothing behind.
 *
 * The first error of a capture is kept. A sequence with a call missing is not what
 * the program wrote, so gpugraph_end() then makes no graph. */
#include "lib/capture.h"

#include <stdlib.h>
#include <string.h>

#include "lib/graph.h"

_Thread_local gpugraph *ga_captures;

gpugraph *ga_capture_of(const gpucontext *ctx)
{
  gpugraph *g = ga_captures;

  while (g != NULL && g->ctx != ctx) g = g->next;
  return g;
}

void *ga_graph_grow(void *v, size_t *cap, size_t size)
{
  size_t more = *cap > 0 ? 2 * *cap : 8;
  void *p = realloc(v, more * size);

  if (p != NULL) *cap = more;
  return p;
}

int ga_graph_memory(size_t bytes) { return ga_error_memory("capture", bytes); }

int ga_capture_done(gpugraph *g, int err)
{
  if (err != GA_NO_ERROR && g->failed == GA_NO_ERROR) {
    g->failed = err;
    snprintf(g->why, sizeof g->why, "%s", ga_error_message());
  }
  return err;
}

int ga_capture_refuse(gpucontext *ctx, const char *op, const char *what)
{
  return ga_capture_done(ga_capture_of(ctx),
                         ga_error(GA_INVALID_ERROR,
                                  "%s: %s while the thread captures a graph on this context "
                                  "(gpugraph_begin)",
                                  op, what));
}

/* ---- describing a call ----------------------------------------------------------- */

void ga_capture_forget(gpugraph *g)
{
  while (g->held.n > g->nheld) gpudata_release(g->held.v[--g->held.n].b);
  while (g->named.n > g->nnamed) {
    ga_named *name = &g->named.v[--g->named.n];

    free(name->dims);
    free(name->name);
  }
  g->places.n = 0;
}

void ga_capture_call(gpugraph *g)
{
  ga_capture_forget(g);
  g->call++;
}

void ga_capture_keep(gpugraph *g)
{
  g->nheld = g->held.n;
  g->nnamed = g->named.n;
}

/* The number among those held of this array, which is added if it is new to the
 * call. */
static int hold(gpugraph *g, size_t *i, gpudata *b, char *first, ga_span span, int write)
{
  ga_held *h;

  for (*i = g->held.n; (*i)-- > 0;) {
    h = &g->held.v[*i];
    if (h->call != g->call) break;
    if (h->first == first && h->span.low == span.low && h->span.high == span.high) {
      h->write |= write;
      return GA_NO_ERROR;
    }
  }
  if (!GA_ROOM(g->held)) return ga_graph_memory(sizeof *h);
  *i = g->held.n;
  g->held.v[g->held.n++] = (ga_held){b, first, span, write, g->call};
  gpudata_retain(b);
  __atomic_fetch_or(&b->flags, GA_BUFFER_CAPTURED, __ATOMIC_RELAXED);
  return GA_NO_ERROR;
}

static int place(gpugraph *g, size_t at, ptrdiff_t delta, size_t held)
{
  if (at == GA_GRAPH_NONE) return GA_NO_ERROR;
  if (!GA_ROOM(g->places)) return ga_graph_memory(sizeof *g->places.v);
  g->places.v[g->places.n++] = (ga_place){at, held, delta};
  return GA_NO_ERROR;
}

/* Room for a name; the rest of it is filled in by the caller, who then counts it. */
static int name_it(ga_named **res, gpugraph *g, const char *name, int kind, int typecode)
{
  ga_named *n;

  if (!GA_ROOM(g->named)) return ga_graph_memory(sizeof *n);
  n = *res = &g->named.v[g->named.n];
  memset(n, 0, sizeof *n);
  n->name = strdup(name);
  if (n->name == NULL) return ga_graph_memory(strlen(name) + 1);
  n->kind = kind;
  n->typecode = typecode;
  n->call = g->call;
  n->held = n->expr = n->node = GA_GRAPH_NONE;
  return GA_NO_ERROR;
}

static int name_array(gpugraph *g, const char *name, const GpuArray *a, size_t held)
{
  size_t bytes = a->nd * (sizeof *a->dimensions + sizeof *a->strides);
  ga_named *n;

  GA_TRY(name_it(&n, g, name, GA_ARG_ARRAY, a->typecode));
  n->dims = malloc(bytes + 1);
  if (n->dims == NULL) {
    free(n->name);
    return ga_graph_memory(bytes);
  }
  n->strides = (ssize_t *)(n->dims + a->nd);
  if (a->nd > 0) memcpy(n->dims, a->dimensions, a->nd * sizeof *a->dimensions);
  if (a->nd > 0) memcpy(n->strides, a->strides, a->nd * sizeof *a->strides);
  n->nd = a->nd;
  n->held = held;
  g->named.n++;
  return GA_NO_ERROR;
}

int ga_capture_array(gpugraph *g, size_t at, ptrdiff_t delta, const GpuArray *a, int write,
                     const char *name)
{
  ga_span span = ga_span_of(a->nd, a->dimensions, a->strides, gpuarray_get_elsize(a->typecode));
  size_t held;

  GA_TRY(hold(g, &held, a->data, (char *)a->data->ptr + a->offset, span, write));
  GA_TRY(place(g, at, delta, held));
  return name != NULL ? name_array(g, name, a, held) : GA_NO_ERROR;
}

int ga_capture_bytes(gpugraph *g, size_t at, gpudata *b, size_t off, size_t n, int write)
{
  size_t held;

  GA_TRY(hold(g, &held, b, (char *)b->ptr + off, (ga_span){0, (ssize_t)n}, write));
  return place(g, at, 0, held);
}

int ga_capture_number(gpugraph *g, size_t at, const char *name, int typecode, const void *value)
{
  ga_named *n;

  if (gpuarray_get_elsize(typecode) > sizeof n->value) return GA_NO_ERROR;
  GA_TRY(name_it(&n, g, name, GA_ARG_SCALAR, typecode));
  memcpy(n->value.bytes, value, gpuarray_get_elsize(typecode));
  n->node = g->nodes.n;
  n->at = at;
  g->named.n++;
  return GA_NO_ERROR;
}

int ga_capture_kernel(gpugraph *g, gpukernel *k)
{
  if (!GA_ROOM(g->kernels)) return ga_graph_memory(sizeof *g->kernels.v);
  g->kernels.v[g->kernels.n++] = k;
  gpukernel_retain(k);
  return GA_NO_ERROR;
}

/* ---- nodes ------------------------------------------------------------------------- */

static int fill(ga_graph_node *n, const gpugraph *g, const ga_work *node)
{
  size_t bytes = g->places.n * sizeof *n->places;

  *n = (ga_graph_node){.n = *node, .expr = GA_GRAPH_NONE, .nplace = g->places.n};
  n->n.args = malloc(node->nargs + 1);
  n->places = malloc(bytes + 1);
  if (n->n.args == NULL || n->places == NULL) {
    free(n->n.args);
    free(n->places);
    return ga_graph_memory(node->nargs + bytes);
  }
  if (node->nargs > 0) memcpy(n->n.args, node->args, node->nargs);
  if (bytes > 0) memcpy(n->places, g->places.v, bytes);
  return GA_NO_ERROR;
}

int ga_capture_add(gpugraph *g, const ga_work *node)
{
  ga_graph_node *n;
  int err = GA_NO_ERROR;

  if (!GA_ROOM(g->nodes)) return ga_graph_memory(sizeof *n);
  n = &g->nodes.v[g->nodes.n];
  GA_TRY(fill(n, g, node));
  if (g->exec != NULL) err = g->ctx->backend->graph_add(g->exec, &n->n);
  if (err != GA_NO_ERROR) {
    free(n->n.args);
    free(n->places);
    return err;
  }
  g->nodes.n++;
  g->nheld = g->held.n;
  g->nnamed = g->named.n;
  g->places.n = 0;
  return GA_NO_ERROR;
}

static int copy_bytes(gpugraph *g, gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff,
                      size_t n)
{
  char *args[2] = {(char *)dst->ptr + dstoff, (char *)src->ptr + srcoff};
  ga_work node = {.kind = GA_WORK_COPY, .n = n, .args = args, .nargs = sizeof args};

  ga_capture_call(g);
  GA_TRY(ga_capture_bytes(g, 0, dst, dstoff, n, 1));
  GA_TRY(ga_capture_bytes(g, sizeof *args, src, srcoff, n, 0));
  return ga_capture_add(g, &node);
}

/* Ranges that overlap go through memory of their own. */
int ga_capture_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n)
{
  const char *d = (char *)dst->ptr + dstoff, *s = (char *)src->ptr + srcoff;
  gpugraph *g = ga_capture_of(dst->ctx);
  gpudata *between;
  int err;

  if (d == s) return GA_NO_ERROR;
  if (d >= s + n || s >= d + n)
    return ga_capture_done(g, copy_bytes(g, dst, dstoff, src, srcoff, n));
  between = gpudata_alloc(dst->ctx, n, NULL, GA_BUFFER_READ_WRITE, &err);
  if (err == GA_NO_ERROR) err = copy_bytes(g, between, 0, src, srcoff, n);
  if (err == GA_NO_ERROR) err = copy_bytes(g, dst, dstoff, between, 0, n);
  gpudata_release(between);
  return ga_capture_done(g, err);
}

/* A node that writes `n` bytes of a buffer. */
static int write_bytes(ga_work *node, gpudata *b, size_t off)
{
  gpugraph *g = ga_capture_of(b->ctx);
  char *to = (char *)b->ptr + off;
  int err;

  node->args = &to;
  node->nargs = sizeof to;
  ga_capture_call(g);
  err = ga_capture_bytes(g, 0, b, off, node->n, 1);
  if (err == GA_NO_ERROR) err = ga_capture_add(g, node);
  return ga_capture_done(g, err);
}

int ga_capture_set(gpudata *b, size_t off, int byte, size_t n)
{
  return write_bytes(&(ga_work){.kind = GA_WORK_SET, .n = n, .byte = byte}, b, off);
}

int ga_capture_write(gpudata *b, size_t off, const void *src, size_t n)
{
  ga_work node = {.kind = GA_WORK_WRITE, .n = n, .host = malloc(n)};
  int err;

  if (node.host == NULL) return ga_capture_done(ga_capture_of(b->ctx), ga_graph_memory(n));
  memcpy(node.host, src, n);
  err = write_bytes(&node, b, off);
  if (err != GA_NO_ERROR) free(node.host);
  return err;
}
