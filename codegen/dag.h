/* SPDX-License-Identifier: MIT */
/* The typed, shaped expression graph of one text: every node once (equal nodes
 * are found, not added), arguments before users. Made by infer*.c through the
 * makers of simplify.c, cut into stages by stage.c.
 *
 * A view never becomes a copy: indexing moves through elementwise nodes down to
 * the arrays they read (view.c), so GA_N_LOAD carries the strides. */
#ifndef GA_CODEGEN_DAG_H
#define GA_CODEGEN_DAG_H

#include "arena.h"
#include "weak.h"

/* Node kinds beside those of codegen.h. */
enum {
  GA_D_BROADCAST = -2, /* arg[0], broadcast to the node's shape */
  GA_D_STORED = -1     /* a view of the stored value of arg[0], a reduction's
                          result; strides in bytes over its C order */
};

typedef struct ga_shape {
  unsigned int nd;
  size_t dims[GA_MAXND];
} ga_shape;

typedef struct ga_dnode {
  int op; /* enum ga_node_op, enum ga_op, or one of the above */
  enum ga_dtype dtype;
  int arg[3];
  int index; /* LOAD: bind; PARAM: weak node; REDUCE: ga_dag.reductions */
  unsigned int nd;
  const size_t *dims;
  ssize_t offset;         /* LOAD, STORED: bytes */
  const ssize_t *strides; /* LOAD, STORED: bytes, 0 where the extent is 1 */
  const int *map;         /* REDUCE: the loop axis of each axis, -1: extent 1 */
  int next;               /* of the same hash */
} ga_dnode;

/* What `map` says of the one axis of a scan over several: it walks all of them, in
 * C order. */
#define GA_AXIS_FLAT GA_MAXND

/* A reduction over `axes` (bit k: axis k of arg's shape). Several nodes may show
 * its result with axes dropped, added or permuted. A scan is one that keeps its
 * axis; over several axes it has one axis for them all. */
typedef struct ga_dreduction {
  enum ga_reduce_op op;
  enum ga_scan scan;
  int arg;
  uint64_t axes;
  enum ga_dtype acc;
} ga_dreduction;

enum { GA_DAG_HASH = 1024, GA_MAXDAG = 1 << 16 };

typedef struct ga_dag {
  ga_arena arena;
  ga_weak weak;
  unsigned int n, cap;
  ga_dnode *nodes;
  unsigned int nreduction, redcap;
  ga_dreduction *reductions;
  int hash[GA_DAG_HASH];
} ga_dag;

/* simplify.c: makers. Each gives the node that has these properties, an earlier
 * one if there is one; GA_XLARGE_ERROR beyond GA_MAXDAG nodes. */
void ga_dag_init(ga_dag *d);
void ga_dag_clear(ga_dag *d);
int ga_dag_load(ga_dag *d, int *out, unsigned int bind, enum ga_dtype dtype, const ga_shape *shape,
                ssize_t offset, const ssize_t *strides);
int ga_dag_stored(ga_dag *d, int *out, int of, const ga_shape *shape, ssize_t offset,
                  const ssize_t *strides);
int ga_dag_param(ga_dag *d, int *out, int weak, enum ga_dtype dtype);
int ga_dag_cast(ga_dag *d, int *out, int arg, enum ga_dtype to);
int ga_dag_broadcast(ga_dag *d, int *out, int arg, const ga_shape *shape);
/* Arguments have the dtypes of the loop and shapes that broadcast to `shape`. */
int ga_dag_op(ga_dag *d, int *out, int op, enum ga_dtype dtype, const int *args, int nargs,
              const ga_shape *shape);
/* map: of `shape`'s axes to arg's. */
int ga_dag_reduce(ga_dag *d, int *out, const ga_dreduction *r, enum ga_dtype dtype,
                  const ga_shape *shape, const int *map);

void ga_dag_shape(const ga_dag *d, int node, ga_shape *shape);

/* view.c: a view of a node. axis[u] is the axis of the node that axis u of the
 * view walks, -1 for a new axis of extent 1; every axis of the node has a first
 * position and, where it is walked, an extent and a step. */
typedef struct ga_view {
  unsigned int nd;
  int axis[GA_MAXND];
  size_t count[GA_MAXND]; /* of view axis u */
  ssize_t step[GA_MAXND]; /* of view axis u */
  size_t start[GA_MAXND]; /* of node axis t */
} ga_view;

int ga_dag_view(ga_dag *d, int *out, int node, const ga_view *v);
/* One axis more of the view: all of the node's `axis`, which has `extent` elements, or a new one.
 */
void ga_view_walk(ga_view *v, unsigned int axis, size_t extent);
void ga_view_new_axis(ga_view *v);

int ga_shape_equal(const ga_shape *x, const ga_shape *y);

/* "(4,3)", as NumPy writes shapes; cut where it does not fit. */
void ga_dims_text(char *text, size_t size, unsigned int nd, const size_t *dims);

#endif
