/* SPDX-License-Identifier: MIT */
/* Makers of graph nodes (dag.h). They simplify as they make, and nothing they do
 * changes a bit: equal nodes are shared, a cast to the same dtype and a broadcast
 * to the same shape are no node at all, and what nothing uses is never staged. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dag.h"
#include "ops.h"

void ga_dag_init(ga_dag *d)
{
  memset(d, 0, sizeof *d);
  for (int i = 0; i < GA_DAG_HASH; i++) d->hash[i] = -1;
}

void ga_dag_clear(ga_dag *d)
{
  ga_arena_clear(&d->arena);
  ga_weak_clear(&d->weak);
  free(d->nodes);
  free(d->reductions);
  ga_dag_init(d);
}

static unsigned int mix(unsigned int h, uint64_t v)
{
  v = (v ^ h) * UINT64_C(0x9e3779b97f4a7c15);
  return (unsigned int)(v >> 32);
}

static unsigned int hash_of(const ga_dnode *n)
{
  unsigned int h = mix(0, (uint64_t)(n->op + 16) << 8 | (uint64_t)n->dtype);
  for (int i = 0; i < 3; i++) h = mix(h, (uint64_t)(int64_t)n->arg[i]);
  h = mix(h, (uint64_t)(int64_t)n->index);
  h = mix(h, (uint64_t)n->offset);
  for (unsigned int k = 0; k < n->nd; k++) {
    h = mix(h, n->dims[k]);
    if (n->strides != NULL) h = mix(h, (uint64_t)n->strides[k]);
    if (n->map != NULL) h = mix(h, (uint64_t)(int64_t)n->map[k]);
  }
  return h % GA_DAG_HASH;
}

static int same(const ga_dnode *x, const ga_dnode *y)
{
  size_t nd = x->nd;
  return x->op == y->op && x->dtype == y->dtype && x->index == y->index && x->nd == y->nd &&
         x->offset == y->offset && memcmp(x->arg, y->arg, sizeof x->arg) == 0 &&
         memcmp(x->dims, y->dims, nd * sizeof *x->dims) == 0 &&
         (x->strides == NULL || memcmp(x->strides, y->strides, nd * sizeof *x->strides) == 0) &&
         (x->map == NULL || memcmp(x->map, y->map, nd * sizeof *x->map) == 0);
}

static void *keep(ga_dag *d, const void *from, size_t size)
{
  void *p = ga_arena_alloc(&d->arena, size);
  return p == NULL ? NULL : memcpy(p, from, size);
}

/* The arrays of `n` are the caller's; they are copied if the node is new. */
static int add(ga_dag *d, int *out, ga_dnode *n)
{
  unsigned int h = hash_of(n);
  for (int i = d->hash[h]; i >= 0; i = d->nodes[i].next)
    if (same(&d->nodes[i], n)) {
      *out = i;
      return GA_NO_ERROR;
    }
  if (d->n >= GA_MAXDAG)
    return ga_error(GA_XLARGE_ERROR, "expression: more than %d operations", GA_MAXDAG);
  GA_TRY(ga_grow(&d->nodes, &d->cap, (size_t)d->n + 1, sizeof *d->nodes));
  if ((n->dims = keep(d, n->dims, n->nd * sizeof *n->dims)) == NULL) return GA_MEMORY_ERROR;
  if (n->strides != NULL && (n->strides = keep(d, n->strides, n->nd * sizeof *n->strides)) == NULL)
    return GA_MEMORY_ERROR;
  if (n->map != NULL && (n->map = keep(d, n->map, n->nd * sizeof *n->map)) == NULL)
    return GA_MEMORY_ERROR;
  n->next = d->hash[h];
  d->nodes[d->n] = *n;
  *out = d->hash[h] = (int)d->n++;
  return GA_NO_ERROR;
}

static ga_dnode blank(int op, enum ga_dtype dtype, const ga_shape *shape)
{
  ga_dnode n = {.op = op, .dtype = dtype, .arg = {-1, -1, -1}, .index = -1};
  n.nd = shape->nd;
  n.dims = shape->dims;
  return n;
}

void ga_dag_shape(const ga_dag *d, int node, ga_shape *shape)
{
  const ga_dnode *n = &d->nodes[node];
  shape->nd = n->nd;
  memcpy(shape->dims, n->dims, n->nd * sizeof *n->dims);
}

/* Strides over axes of extent 1 mean nothing: made 0, so that equal views are
 * equal nodes. */
static int add_strided(ga_dag *d, int *out, ga_dnode *n, const ssize_t *strides)
{
  ssize_t s[GA_MAXND];
  for (unsigned int k = 0; k < n->nd; k++) s[k] = n->dims[k] == 1 ? 0 : strides[k];
  n->strides = s;
  return add(d, out, n);
}

int ga_dag_load(ga_dag *d, int *out, unsigned int bind, enum ga_dtype dtype, const ga_shape *shape,
                ssize_t offset, const ssize_t *strides)
{
  ga_dnode n = blank(GA_N_LOAD, dtype, shape);
  n.index = (int)bind;
  n.offset = offset;
  return add_strided(d, out, &n, strides);
}

int ga_dag_stored(ga_dag *d, int *out, int of, const ga_shape *shape, ssize_t offset,
                  const ssize_t *strides)
{
  ga_dnode n = blank(GA_D_STORED, d->nodes[of].dtype, shape);
  n.arg[0] = of;
  n.offset = offset;
  return add_strided(d, out, &n, strides);
}

int ga_dag_param(ga_dag *d, int *out, int weak, enum ga_dtype dtype)
{
  ga_shape none = {0};
  ga_dnode n = blank(GA_N_PARAM, dtype, &none);
  n.index = weak;
  return add(d, out, &n);
}

int ga_dag_cast(ga_dag *d, int *out, int arg, enum ga_dtype to)
{
  ga_shape shape;
  if (d->nodes[arg].dtype == to) {
    *out = arg;
    return GA_NO_ERROR;
  }
  ga_dag_shape(d, arg, &shape);
  ga_dnode n = blank(GA_N_CAST, to, &shape);
  n.arg[0] = arg;
  return add(d, out, &n);
}

int ga_dag_broadcast(ga_dag *d, int *out, int arg, const ga_shape *shape)
{
  const ga_dnode *a = &d->nodes[arg];
  ga_dnode n = blank(GA_D_BROADCAST, a->dtype, shape);
  if (a->nd == shape->nd && memcmp(a->dims, shape->dims, a->nd * sizeof *a->dims) == 0) {
    *out = arg;
    return GA_NO_ERROR;
  }
  n.arg[0] = arg;
  return add(d, out, &n);
}

int ga_dag_op(ga_dag *d, int *out, int op, enum ga_dtype dtype, const int *args, int nargs,
              const ga_shape *shape)
{
  ga_dnode n = blank(op, dtype, shape);
  for (int i = 0; i < nargs; i++) n.arg[i] = args[i];
  return add(d, out, &n);
}

int ga_dag_reduce(ga_dag *d, int *out, const ga_dreduction *r, enum ga_dtype dtype,
                  const ga_shape *shape, const int *map)
{
  ga_dnode n = blank(GA_N_REDUCE, dtype, shape);
  unsigned int i = 0;
  while (i < d->nreduction && !(d->reductions[i].op == r->op && d->reductions[i].scan == r->scan &&
                                d->reductions[i].arg == r->arg &&
                                d->reductions[i].axes == r->axes && d->reductions[i].acc == r->acc))
    i++;
  if (i == d->nreduction) {
    GA_TRY(ga_grow(&d->reductions, &d->redcap, (size_t)i + 1, sizeof *d->reductions));
    d->reductions[d->nreduction++] = *r;
  }
  n.index = (int)i;
  n.arg[0] = r->arg;
  n.map = map;
  return add(d, out, &n);
}

void ga_dims_text(char *text, size_t size, unsigned int nd, const size_t *dims)
{
  size_t at = 0;
  at += (size_t)snprintf(text, size, "(");
  for (unsigned int k = 0; k < nd && at < size; k++)
    at += (size_t)snprintf(text + at, size - at, "%s%zu", k ? "," : "", dims[k]);
  if (at < size) snprintf(text + at, size - at, "%s", nd == 1 ? ",)" : ")");
}
