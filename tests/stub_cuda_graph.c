/* SPDX-License-Identifier: MIT */
/* The stub driver's graphs: lists of nodes, done in order when launched. Each node
 * must follow the one before it, and what is set must be a node of the graph that
 * the executable one was made from. Capturing takes whatever is launched on the
 * stream meanwhile as nothing: one child graph, counted. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/stub_cuda.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default")))

enum { OK = 0, INVALID = 1, OOM = 2, DEVICE = 2, HOST = 1 };
enum kind { KERNEL, COPY, SET, CHILD };

/* As in the driver's header. */
typedef struct kernel_params {
  void *func;
  unsigned int grid[3], block[3], shared;
  void **params, **extra;
} kernel_params;

typedef struct set_params {
  unsigned long long dst;
  size_t pitch;
  unsigned int value, size;
  size_t width, height;
} set_params;

typedef struct copy_params {
  size_t from[4];
  int from_type;
  const void *from_host;
  unsigned long long from_device;
  void *from_array, *unused0;
  size_t from_pitch, from_height;
  size_t to[4];
  int to_type;
  void *to_host;
  unsigned long long to_device;
  void *to_array, *unused1;
  size_t to_pitch, to_height, width, height, depth;
} copy_params;

typedef struct node {
  enum kind kind;
  set_params set;
  copy_params copy;
  size_t nargs;
  unsigned char args[256];
  struct node *before, *next;
} node;

typedef struct graph {
  node *first, *last;
  int loose; /* the last node has yet to be told what it comes after */
  struct graph *next;
} graph;

/* What the driver holds, so that a test may leave it things: LeakSanitizer finds them. */
static graph *held;

static int hold(graph *g)
{
  g->next = held;
  held = g;
  return OK;
}

static void let_go(graph *g)
{
  graph **at = &held;
  while (*at != g) at = &(*at)->next;
  *at = g->next;
  free(g);
}

static int spend(void)
{
  int r = stub.graph_result;
  if (stub.fault) return stub.fault;
  if (r == OK || stub.graph_result_after-- > 0) return OK;
  stub.graph_result = 0;
  return r;
}

API int cuGraphCreate(graph **g, unsigned int flags)
{
  int r = spend();
  if (r != OK || flags != 0) return r != OK ? r : INVALID;
  *g = calloc(1, sizeof **g);
  if (*g == NULL) return OOM;
  stub.graphs++;
  return hold(*g);
}

API int cuGraphDestroy(graph *g)
{
  while (g->first != NULL) {
    node *next = g->first->next;
    free(g->first);
    g->first = next;
  }
  let_go(g);
  stub.graphs--;
  return OK;
}

/* Adds a node that comes after the last one, and after nothing else. */
static int add(node **res, graph *g, node *const *after, size_t nafter, enum kind kind)
{
  int r = spend();
  if (r != OK) return r;
  if (nafter != (g->last != NULL) && kind != KERNEL) return INVALID;
  if (nafter > 0 && after[0] != g->last) return INVALID;
  if (g->loose) return INVALID;
  g->loose = nafter == 0 && g->last != NULL;
  node *n = calloc(1, sizeof *n);
  if (n == NULL) return OOM;
  n->kind = kind;
  n->before = g->last;
  *(g->last != NULL ? &g->last->next : &g->first) = n;
  g->last = *res = n;
  return OK;
}

static int take_kernel(node *n, const kernel_params *p)
{
  n->nargs = p->extra != NULL ? *(size_t *)p->extra[3] : 0;
  if (p->params != NULL || p->func == NULL || n->nargs > sizeof n->args) return INVALID;
  if (n->nargs > 0) memcpy(n->args, p->extra[1], n->nargs);
  return OK;
}

API int cuGraphAddKernelNode(node **n, graph *g, node *const *after, size_t nafter,
                             const kernel_params *p)
{
  int r = add(n, g, after, nafter, KERNEL);
  return r != OK ? r : take_kernel(*n, p);
}

API int cuGraphAddMemcpyNode(node **n, graph *g, node *const *after, size_t nafter,
                             const copy_params *p, void *cu)
{
  int r = cu == NULL ? INVALID : add(n, g, after, nafter, COPY);
  if (r == OK) (*n)->copy = *p;
  return r;
}

API int cuGraphAddMemsetNode(node **n, graph *g, node *const *after, size_t nafter,
                             const set_params *p, void *cu)
{
  int r = cu == NULL ? INVALID : add(n, g, after, nafter, SET);
  if (r == OK) (*n)->set = *p;
  return r;
}

API int cuGraphAddChildGraphNode(node **n, graph *g, node *const *after, size_t nafter,
                                 graph *child)
{
  return child == NULL ? INVALID : add(n, g, after, nafter, CHILD);
}

typedef struct edge {
  unsigned char from, to, type, reserved[5];
} edge;

/* From a kernel that is done early to the kernel added last. */
API int cuGraphAddDependencies_v2(graph *g, node *const *from, node *const *to, const edge *e,
                                  size_t n)
{
  int r = spend();
  if (r != OK) return r;
  if (n != 1 || !g->loose || to[0] != g->last || from[0] != g->last->before) return INVALID;
  if (e->from != 1 || e->to != 0 || e->type != 1 || from[0]->kind != KERNEL) return INVALID;
  g->loose = 0;
  stub.early_edges++;
  return OK;
}

/* The nodes are shared with the graph, which outlives it. */
API int cuGraphInstantiateWithFlags(graph **e, graph *g, unsigned long long flags)
{
  int r = spend();
  if (r != OK || flags != 0 || g->loose) return r != OK ? r : INVALID;
  *e = malloc(sizeof **e);
  if (*e == NULL) return OOM;
  **e = *g;
  stub.execs++;
  return hold(*e);
}

API int cuGraphExecDestroy(graph *e)
{
  let_go(e);
  stub.execs--;
  return OK;
}

static int has(const graph *e, const node *n, enum kind kind)
{
  const node *m = e->first;
  while (m != NULL && m != n) m = m->next;
  return m != NULL && m->kind == kind;
}

API int cuGraphExecKernelNodeSetParams(graph *e, node *n, const kernel_params *p)
{
  int r = spend();
  if (r != OK || !has(e, n, KERNEL)) return r != OK ? r : INVALID;
  stub.node_sets++;
  return take_kernel(n, p);
}

API int cuGraphExecMemcpyNodeSetParams(graph *e, node *n, const copy_params *p, void *cu)
{
  int r = spend();
  if (r != OK || cu == NULL || !has(e, n, COPY)) return r != OK ? r : INVALID;
  n->copy = *p;
  stub.node_sets++;
  return OK;
}

API int cuGraphExecMemsetNodeSetParams(graph *e, node *n, const set_params *p, void *cu)
{
  int r = spend();
  if (r != OK || cu == NULL || !has(e, n, SET)) return r != OK ? r : INVALID;
  n->set = *p;
  stub.node_sets++;
  return OK;
}

API int cuGraphExecChildGraphNodeSetParams(graph *e, node *n, graph *child)
{
  int r = spend();
  if (r != OK || child == NULL || !has(e, n, CHILD)) return r != OK ? r : INVALID;
  stub.node_sets++;
  return OK;
}

static int run_copy(const copy_params *p)
{
  const void *from = p->from_type == HOST ? p->from_host : (void *)(uintptr_t)p->from_device;
  if (p->to_type != DEVICE || p->height != 1 || p->depth != 1) return INVALID;
  memcpy((void *)(uintptr_t)p->to_device, from, p->width);
  stub.copies++;
  return OK;
}

static int run(const node *n)
{
  switch (n->kind) {
  case KERNEL:
    stub.launches++;
    stub.nargs = n->nargs;
    memcpy(stub.args, n->args, n->nargs);
    return OK;
  case COPY: return run_copy(&n->copy);
  case SET:
    if (n->set.size != 1 || n->set.height != 1) return INVALID;
    memset((void *)(uintptr_t)n->set.dst, (int)n->set.value, n->set.width);
    return OK;
  case CHILD: break;
  }
  return OK;
}

API int cuGraphLaunch(graph *e, void *s)
{
  int r = s == NULL ? INVALID : spend();
  for (const node *n = e->first; n != NULL && r == OK; n = n->next) r = run(n);
  stub.graph_launches += r == OK;
  return r;
}

API int cuStreamBeginCapture_v2(void *s, int mode)
{
  int r = spend();
  if (r != OK || s == NULL || mode != 2 || stub.capturing) return r != OK ? r : INVALID;
  stub.capturing = 1;
  return OK;
}

API int cuStreamEndCapture(void *s, graph **g)
{
  int r = spend();
  if (s == NULL || !stub.capturing) return INVALID;
  stub.capturing = 0;
  *g = NULL;
  return r != OK ? r : cuGraphCreate(g, 0);
}
