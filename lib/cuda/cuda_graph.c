/* SPDX-License-Identifier: MIT */
/* Graphs of the driver, built node by node, each after the one before. Nothing is
 * captured from the context's stream, so other threads may use it meanwhile and an
 * error leaves nothing behind; only what other libraries launch (cuBLAS) is taken
 * from a stream of the graph's own, and becomes a child graph.
 *
 * Scratch and tickets in the nodes' arguments are the context's: replays run on its
 * stream, one after the other and after all else there, and its areas live as long
 * as it does. */
#include <stdlib.h>
#include <string.h>

#include "cublas_load.h"
#include "cubin.h"
#include "cuda_blas.h"

typedef struct node {
  CUgraphNode n;
  CUgraph child; /* of OTHER */
  int kernel;
} node;

typedef struct graph {
  ga_cuda *c;
  CUgraph g;
  CUgraphExec exec;
  CUstream side; /* made when first needed */
  node *nodes;
  size_t nnode, cap;
  int writes;    /* some node reads host memory */
  ga_func *last; /* launched by it */
} graph;

/* ---- parameters ------------------------------------------------------------------------- */

static CUDA_MEMSET_NODE_PARAMS set_params(const ga_work *w)
{
  CUdeviceptr const *to = w->args;
  return (CUDA_MEMSET_NODE_PARAMS){
      .dst = *to, .value = (unsigned char)w->byte, .elementSize = 1, .width = w->n, .height = 1};
}

static CUDA_MEMCPY3D copy_params(const ga_work *w)
{
  CUdeviceptr const *at = w->args;
  CUDA_MEMCPY3D p;
  memset(&p, 0, sizeof p);
  p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  p.dstDevice = at[0];
  p.srcMemoryType = w->kind == GA_WORK_WRITE ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  if (w->kind == GA_WORK_WRITE)
    p.srcHost = w->host;
  else
    p.srcDevice = at[1];
  p.WidthInBytes = w->n;
  p.Height = p.Depth = 1;
  return p;
}

/* The kernel's, with `extra` as room for what they point to. */
typedef struct launch_params {
  CUDA_KERNEL_NODE_PARAMS p;
  size_t nargs;
  void *extra[5];
} launch_params;

static void fill_launch(launch_params *l, const ga_work *w)
{
  void *extra[5] = {CU_LAUNCH_PARAM_BUFFER_POINTER, w->args, CU_LAUNCH_PARAM_BUFFER_SIZE, &l->nargs,
                    CU_LAUNCH_PARAM_END};
  memset(l, 0, sizeof *l);
  l->nargs = w->nargs;
  memcpy(l->extra, extra, sizeof extra);
  l->p.func = w->func->fn;
  l->p.gridDimX = (unsigned int)w->grid[0];
  l->p.gridDimY = (unsigned int)w->grid[1];
  l->p.gridDimZ = (unsigned int)w->grid[2];
  l->p.blockDimX = (unsigned int)w->block[0];
  l->p.blockDimY = (unsigned int)w->block[1];
  l->p.blockDimZ = (unsigned int)w->block[2];
  l->p.sharedMemBytes = (unsigned int)w->shared;
  l->p.extra = w->nargs > 0 ? l->extra : NULL;
}

/* What the work launches, captured from the graph's own stream. Relaxed: this and
 * other threads may load modules and allocate meanwhile. */
static int capture(graph *g, const ga_work *w, CUgraph *child)
{
  ga_cuda *c = g->c;
  int err = ga_cuda_blas_setup(&c->base);
  *child = NULL;
  if (err == GA_NO_ERROR) err = ga_cuda_blas_space(c);
  if (err != GA_NO_ERROR) return err;
  if (g->side == NULL) GA_CUDA(c, "capture: stream", ga_cu.cuStreamCreate(&g->side, 0));
  GA_CUDA(c, "capture", ga_cu.cuStreamBeginCapture_v2(g->side, CU_STREAM_CAPTURE_MODE_RELAXED));
  ga_cuda_blas_side = g->side;
  err = w->run(&c->base, w);
  ga_cuda_blas_side = NULL;
  CUresult r = ga_cu.cuStreamEndCapture(g->side, child);
  if (err == GA_NO_ERROR && r != CUDA_SUCCESS) err = ga_cuda_error(c, "capture", r);
  if (err == GA_NO_ERROR) return err;
  if (r == CUDA_SUCCESS && *child != NULL) (void)ga_cu.cuGraphDestroy(*child);
  *child = NULL;
fail:
  return err;
}

/* ---- building ----------------------------------------------------------------------------- */

static int has_graphs(void)
{
  return ga_cu.cuGraphCreate != NULL && ga_cu.cuGraphDestroy != NULL &&
         ga_cu.cuGraphAddKernelNode != NULL && ga_cu.cuGraphAddMemcpyNode != NULL &&
         ga_cu.cuGraphAddMemsetNode != NULL && ga_cu.cuGraphAddChildGraphNode != NULL &&
         ga_cu.cuGraphInstantiateWithFlags != NULL && ga_cu.cuGraphExecDestroy != NULL &&
         ga_cu.cuGraphLaunch != NULL && ga_cu.cuGraphExecKernelNodeSetParams != NULL &&
         ga_cu.cuGraphExecMemcpyNodeSetParams != NULL &&
         ga_cu.cuGraphExecMemsetNodeSetParams != NULL &&
         ga_cu.cuGraphExecChildGraphNodeSetParams != NULL &&
         ga_cu.cuStreamBeginCapture_v2 != NULL && ga_cu.cuStreamEndCapture != NULL;
}

int ga_cuda_graph_new(void **res, gpucontext *ctx)
{
  ga_cuda *c = ga_cuda_of(ctx);
  int pushed, err;
  *res = NULL;
  if (!has_graphs()) return GA_NO_ERROR; /* a driver before CUDA 11.4 */
  graph *g = calloc(1, sizeof *g);
  if (g == NULL) return ga_error_memory("capture", sizeof *g);
  g->c = c;
  err = ga_cuda_enter(c, "capture", &pushed);
  if (err == GA_NO_ERROR) {
    CUresult r = ga_cu.cuGraphCreate(&g->g, 0);
    if (r != CUDA_SUCCESS) err = ga_cuda_error(c, "capture", r);
    ga_cuda_exit(pushed);
  }
  if (err != GA_NO_ERROR) {
    free(g);
    return err;
  }
  *res = g;
  return GA_NO_ERROR;
}

/* A kernel after a kernel, started early if it waits by itself (launch.c). */
static CUresult add_launch(graph *g, node *n, const CUgraphNode *after, size_t nafter,
                           const ga_work *w, const launch_params *l)
{
  static const CUgraphEdgeData early = {
      CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, {0}};
  if (nafter == 0 || !w->func->waits || !g->nodes[g->nnode - 1].kernel)
    return ga_cu.cuGraphAddKernelNode(&n->n, g->g, after, nafter, &l->p);
  CUresult r = ga_cu.cuGraphAddKernelNode(&n->n, g->g, NULL, 0, &l->p);
  return r != CUDA_SUCCESS ? r : ga_cu.cuGraphAddDependencies_v2(g->g, after, &n->n, &early, 1);
}

static int add_kernel(graph *g, node *n, const CUgraphNode *after, size_t nafter, const ga_work *w)
{
  launch_params l;
  GA_TRY(ga_cuda_launch_check(w->func, w->grid, w->block, w->shared));
  fill_launch(&l, w);
  n->kernel = 1;
  CUresult r = add_launch(g, n, after, nafter, w, &l);
  if (r != CUDA_SUCCESS) return ga_cuda_launch_error(w->func, w->grid, w->block, w->shared, r);
  g->last = w->func;
  return GA_NO_ERROR;
}

static int add(graph *g, node *n, const CUgraphNode *after, size_t nafter, const ga_work *w)
{
  ga_cuda *c = g->c;
  CUDA_MEMSET_NODE_PARAMS set;
  CUDA_MEMCPY3D copy;
  int err = GA_NO_ERROR;
  switch (w->kind) {
  case GA_WORK_LAUNCH: return add_kernel(g, n, after, nafter, w);
  case GA_WORK_SET:
    set = set_params(w);
    GA_CUDA(c, "capture: set", ga_cu.cuGraphAddMemsetNode(&n->n, g->g, after, nafter, &set, c->cu));
    break;
  case GA_WORK_COPY:
  case GA_WORK_WRITE:
    copy = copy_params(w);
    GA_CUDA(c, "capture: copy",
            ga_cu.cuGraphAddMemcpyNode(&n->n, g->g, after, nafter, &copy, c->cu));
    break;
  case GA_WORK_OTHER:
    GA_TRY(capture(g, w, &n->child));
    GA_CUDA(c, "capture", ga_cu.cuGraphAddChildGraphNode(&n->n, g->g, after, nafter, n->child));
    break;
  }
  return GA_NO_ERROR;
fail:
  if (n->child != NULL) (void)ga_cu.cuGraphDestroy(n->child);
  return err;
}

int ga_cuda_graph_add(void *graph_, const ga_work *w)
{
  graph *g = graph_;
  node n = {0};
  int pushed, err;
  if (g->nnode == g->cap) {
    size_t cap = g->cap > 0 ? 2 * g->cap : 16;
    node *more = realloc(g->nodes, cap * sizeof *more);
    if (more == NULL) return ga_error_memory("capture", cap * sizeof *more);
    g->nodes = more;
    g->cap = cap;
  }
  GA_TRY(ga_cuda_enter(g->c, "capture", &pushed));
  err = add(g, &n, g->nnode > 0 ? &g->nodes[g->nnode - 1].n : NULL, g->nnode > 0, w);
  ga_cuda_exit(pushed);
  if (err != GA_NO_ERROR) return err;
  g->writes |= w->kind == GA_WORK_WRITE;
  g->nodes[g->nnode++] = n;
  return GA_NO_ERROR;
}

int ga_cuda_graph_ready(void *graph_)
{
  graph *g = graph_;
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(g->c, "gpugraph_end", &pushed));
  GA_CUDA(g->c, "gpugraph_end", ga_cu.cuGraphInstantiateWithFlags(&g->exec, g->g, 0));
fail:
  ga_cuda_exit(pushed);
  return err;
}

/* ---- changing, running, freeing ------------------------------------------------------------ */

static int set(graph *g, node *n, const ga_work *w)
{
  ga_cuda *c = g->c;
  launch_params l;
  CUDA_MEMSET_NODE_PARAMS set;
  CUDA_MEMCPY3D copy;
  CUgraph child = NULL;
  int err = GA_NO_ERROR;
  switch (w->kind) {
  case GA_WORK_LAUNCH:
    fill_launch(&l, w);
    GA_CUDA(c, "gpugraph_set", ga_cu.cuGraphExecKernelNodeSetParams(g->exec, n->n, &l.p));
    break;
  case GA_WORK_SET:
    set = set_params(w);
    GA_CUDA(c, "gpugraph_set", ga_cu.cuGraphExecMemsetNodeSetParams(g->exec, n->n, &set, c->cu));
    break;
  case GA_WORK_COPY:
  case GA_WORK_WRITE:
    copy = copy_params(w);
    GA_CUDA(c, "gpugraph_set", ga_cu.cuGraphExecMemcpyNodeSetParams(g->exec, n->n, &copy, c->cu));
    break;
  case GA_WORK_OTHER:
    GA_TRY(capture(g, w, &child));
    GA_CUDA(c, "gpugraph_set", ga_cu.cuGraphExecChildGraphNodeSetParams(g->exec, n->n, child));
    break;
  }
fail:
  if (child != NULL) (void)ga_cu.cuGraphDestroy(child);
  return err;
}

int ga_cuda_graph_set(void *graph_, size_t i, const ga_work *w)
{
  graph *g = graph_;
  int pushed, err;
  GA_TRY(ga_cuda_enter(g->c, "gpugraph_set", &pushed));
  err = set(g, &g->nodes[i], w);
  ga_cuda_exit(pushed);
  return err;
}

int ga_cuda_graph_run(void *graph_)
{
  graph *g = graph_;
  int pushed, err = GA_NO_ERROR;
  GA_TRY(ga_cuda_enter(g->c, "gpugraph_replay", &pushed));
  GA_CUDA(g->c, "gpugraph_replay", ga_cu.cuGraphLaunch(g->exec, g->c->stream));
  if (g->last != NULL) atomic_store_explicit(&g->c->last, (uintptr_t)g->last, memory_order_relaxed);
fail:
  ga_cuda_exit(pushed);
  return err;
}

/* The driver finishes replays under way by itself, but not before the host memory
 * that they read is gone. */
static void destroy(graph *g)
{
  if (g->writes && g->exec != NULL) (void)ga_cu.cuStreamSynchronize(g->c->stream);
  if (g->exec != NULL) (void)ga_cu.cuGraphExecDestroy(g->exec);
  for (size_t i = 0; i < g->nnode; i++)
    if (g->nodes[i].child != NULL) (void)ga_cu.cuGraphDestroy(g->nodes[i].child);
  if (g->g != NULL) (void)ga_cu.cuGraphDestroy(g->g);
  if (g->side != NULL) (void)ga_cu.cuStreamDestroy_v2(g->side);
}

void ga_cuda_graph_free(void *graph_)
{
  graph *g = graph_;
  int pushed;
  if (g == NULL) return;
  if (ga_cuda_usable(g->c) && ga_cuda_enter(g->c, "gpugraph_free", &pushed) == GA_NO_ERROR) {
    destroy(g);
    ga_cuda_exit(pushed);
  }
  free(g->nodes);
  free(g);
}
