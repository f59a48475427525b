/* SPDX-License-Identifier: MIT */
/* Views of graph nodes: a view of an elementwise node is that node over views of
 * its arguments, so indexing ends at the arrays and costs nothing:
 *
 *   (a*v)[1:, ::-1]   ->   a[1:, ::-1] * v[::-1]
 *
 * A reduction's result shown with axes added, dropped or permuted stays the same
 * reduction; any other view of it reads the stored result. */
#include <stdlib.h>
#include <string.h>

#include "dag.h"
#include "ops.h"

void ga_view_walk(ga_view *v, unsigned int axis, size_t extent)
{
  v->axis[v->nd] = (int)axis;
  v->count[v->nd] = extent;
  v->step[v->nd++] = 1;
}

void ga_view_new_axis(ga_view *v)
{
  v->axis[v->nd] = -1;
  v->count[v->nd] = 1;
  v->step[v->nd++] = 1;
}

int ga_shape_equal(const ga_shape *x, const ga_shape *y)
{
  for (unsigned int k = 0; k < x->nd && x->nd == y->nd; k++)
    if (x->dims[k] != y->dims[k]) return 0;
  return x->nd == y->nd;
}

static ga_shape shape_of(const ga_view *v)
{
  ga_shape s;
  s.nd = v->nd;
  for (unsigned int u = 0; u < v->nd; u++) s.dims[u] = v->count[u];
  return s;
}

/* The view `v` of a node of shape `full`, for an argument that broadcasts to that
 * shape: its axes are aligned at the end, and an axis it repeats along shows as
 * extent 1. */
static ga_view narrow(const ga_view *v, const ga_dnode *full, const ga_dnode *arg)
{
  ga_view r = *v;
  unsigned int skip = full->nd - arg->nd;
  for (unsigned int k = 0; k < arg->nd; k++)
    r.start[k] = arg->dims[k] == full->dims[k + skip] ? v->start[k + skip] : 0;
  for (unsigned int u = 0; u < v->nd; u++) {
    int t = v->axis[u];
    if (t < 0) continue;
    int k = t - (int)skip;
    if (k >= 0 && arg->dims[k] == full->dims[t]) {
      r.axis[u] = k;
    } else {
      r.axis[u] = k < 0 ? -1 : k;
      r.count[u] = 1;
      r.step[u] = 1;
    }
  }
  return r;
}

static int strided(ga_dag *d, int *out, int node, const ga_view *v, const ssize_t *from,
                   ssize_t offset)
{
  const ga_dnode n = d->nodes[node];
  ga_shape shape = shape_of(v);
  ssize_t strides[GA_MAXND];
  int empty = 0;
  for (unsigned int u = 0; u < v->nd; u++) {
    strides[u] = v->axis[u] < 0 ? 0 : from[v->axis[u]] * v->step[u];
    empty |= v->count[u] == 0;
  }
  for (unsigned int t = 0; t < n.nd && !empty; t++) offset += (ssize_t)v->start[t] * from[t];
  if (n.op == GA_N_LOAD)
    return ga_dag_load(d, out, (unsigned int)n.index, n.dtype, &shape, offset, strides);
  return ga_dag_stored(d, out, n.op == GA_D_STORED ? n.arg[0] : node, &shape, offset, strides);
}

/* Every element is there once: axes only added, dropped (extent 1), permuted. */
static int rearranges(const ga_view *v, const ga_dnode *n)
{
  uint64_t walked = 0;
  for (unsigned int u = 0; u < v->nd; u++) {
    int t = v->axis[u];
    if (t < 0) continue;
    if (v->count[u] != n->dims[t] || (v->step[u] != 1 && v->count[u] != 1)) return 0;
    walked |= (uint64_t)1 << t;
  }
  for (unsigned int t = 0; t < n->nd; t++)
    if (!(walked >> t & 1) && n->dims[t] != 1) return 0;
  return 1;
}

static int view_reduce(ga_dag *d, int *out, int node, const ga_view *v)
{
  const ga_dnode n = d->nodes[node];
  ga_shape shape = shape_of(v);
  int map[GA_MAXND];
  ssize_t c_order[GA_MAXND];
  if (rearranges(v, &n)) {
    ga_dreduction r = d->reductions[n.index];
    for (unsigned int u = 0; u < v->nd; u++) map[u] = v->axis[u] < 0 ? -1 : n.map[v->axis[u]];
    return ga_dag_reduce(d, out, &r, n.dtype, &shape, map);
  }
  ssize_t step = ga_dtypes[n.dtype].size;
  for (unsigned int t = n.nd; t-- > 0;) {
    c_order[t] = n.dims[t] == 1 ? 0 : step;
    step *= (ssize_t)n.dims[t];
  }
  return strided(d, out, node, v, c_order, 0);
}

/* The view of one node whose arguments' views are in made[]. */
static int rebuild(ga_dag *d, int *out, int node, const ga_view *v, const int *made)
{
  const ga_dnode n = d->nodes[node];
  ga_shape shape = shape_of(v);
  int args[3], nargs = 0;
  switch (n.op) {
  case GA_N_PARAM: *out = node; return GA_NO_ERROR;
  case GA_N_LOAD:
  case GA_D_STORED: return strided(d, out, node, v, n.strides, n.offset);
  case GA_N_REDUCE: return view_reduce(d, out, node, v);
  case GA_D_BROADCAST: return ga_dag_broadcast(d, out, made[n.arg[0]], &shape);
  case GA_N_CAST: return ga_dag_cast(d, out, made[n.arg[0]], n.dtype);
  default: break;
  }
  while (nargs < 3 && n.arg[nargs] >= 0) {
    args[nargs] = made[n.arg[nargs]];
    nargs++;
  }
  return ga_dag_op(d, out, n.op, n.dtype, args, nargs, &shape);
}

static int is_leaf(int op)
{
  return op == GA_N_PARAM || op == GA_N_LOAD || op == GA_D_STORED || op == GA_N_REDUCE;
}

/* Two users of one argument ask for the same view of it: an axis either has the
 * root's extent on the whole way down or repeats along it. */
int ga_dag_view(ga_dag *d, int *out, int node, const ga_view *v)
{
  ga_arena arena = {0};
  const unsigned int n = (unsigned int)node + 1;
  ga_view **views = ga_arena_alloc(&arena, n * sizeof *views);
  int *made = ga_arena_alloc(&arena, n * sizeof *made);
  int err = GA_MEMORY_ERROR;
  if (views == NULL || made == NULL) goto done;
  if ((views[node] = ga_arena_alloc(&arena, sizeof **views)) == NULL) goto done;
  *views[node] = *v;
  for (unsigned int i = n; i-- > 0;) { /* from the root down: which view of each */
    const ga_dnode x = d->nodes[i];
    if (views[i] == NULL || is_leaf(x.op)) continue;
    for (int k = 0; k < 3 && x.arg[k] >= 0; k++) {
      ga_view a = narrow(views[i], &x, &d->nodes[x.arg[k]]);
      ga_view **to = &views[x.arg[k]];
      if (*to != NULL) continue;
      if ((*to = ga_arena_alloc(&arena, sizeof **to)) == NULL) goto done;
      **to = a;
    }
  }
  for (unsigned int i = 0; i < n; i++) {
    if (views[i] == NULL) continue;
    if ((err = rebuild(d, &made[i], (int)i, views[i], made)) != GA_NO_ERROR) goto done;
  }
  *out = made[node];
  /* Numbers have no axes: what is made of them alone is broadcast to the view. */
  ga_shape shape = shape_of(v);
  err = ga_dag_broadcast(d, out, *out, &shape);
done:
  ga_arena_clear(&arena);
  return err;
}
