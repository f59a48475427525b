/* SPDX-License-Identifier: MIT */
/* Graphs, inside. A graph is a list of nodes, each with its arguments filled in,
 * and what it takes to change them: the memory that each call uses, the places in
 * the arguments where addresses stand, and the names of arrays and numbers.
 *
 *   capture.c         calls become nodes
 *   expr_capture.c    runs of plans do
 *   blas_capture.c    BLAS calls do
 *   graph.c           the public functions
 *   graph_update.c    arrays and numbers changed between replays: found, checked
 *   graph_change.c    ... and changed
 */
#ifndef GA_GRAPH_H
#define GA_GRAPH_H

#include "gpuarray/graph.h"
#include "lib/capture.h"
#include "lib/expr.h"
#include "lib/util/lock.h"

/* Memory that a call uses: an array, known by its first element and its extent. */
typedef struct ga_held {
  gpudata *b; /* retained */
  char *first;
  ga_span span; /* bytes from the first element on */
  int write;    /* GA_WRITES, GA_WRITES_LATER or'ed */
  size_t call;
} ga_held;

/* An address in a node's arguments: that of a held array, plus `delta`. */
typedef struct ga_place {
  size_t at, held;
  ptrdiff_t delta;
} ga_place;

typedef struct ga_graph_node {
  ga_work n;
  size_t expr; /* of exprs; NONE: of no expression */
  unsigned int stage;
  size_t nplace;
  ga_place *places;
} ga_graph_node;

/* A run of a plan. */
typedef struct ga_gexpr {
  GpuExpr *e; /* retained */
  ga_plan *plan;
  int owned; /* the plan is the graph's */
  size_t call;
  ga_value *given; /* [e->narg] */
} ga_gexpr;

/* An argument that has a name. */
typedef struct ga_named {
  char *name;
  int kind;     /* enum ga_argkind */
  int typecode; /* of an array, a scalar */
  size_t call;
  size_t held; /* arrays */
  unsigned int nd;
  size_t *dims; /* [nd], with the strides behind */
  ssize_t *strides;
  ga_value value;
  size_t expr;      /* numbers: NONE when they are in a node as they are */
  unsigned int arg; /* ... of the expression */
  size_t node, at;
} ga_named;

/* A list that grows; `more` is only on the way. */
#define GA_LIST(type) \
  struct {            \
    type *v;          \
    void *more;       \
    size_t n, cap;    \
  }

#define GA_GRAPH_NONE ((size_t)-1)

struct _gpugraph {
  gpucontext *ctx; /* retained */
  void *exec;      /* the device's, NULL: nodes are run one by one */
  ga_lock lock;    /* one replay or update at a time */
  GA_LIST(ga_graph_node) nodes;
  GA_LIST(ga_held) held;
  GA_LIST(ga_gexpr) exprs;
  GA_LIST(ga_named) named;
  GA_LIST(gpukernel *) kernels;
  /* while capturing */
  GA_LIST(ga_place) places; /* of the node to come */
  size_t call;              /* the number of calls so far */
  size_t nheld, nnamed;     /* that belong to nodes */
  struct _gpugraph *next;   /* of the thread's captures */
  int failed;               /* the first error's code */
  char why[400];            /* and message */
};

/* Makes room for one more; 0 when there is none. */
void *ga_graph_grow(void *v, size_t *cap, size_t size);
#define GA_ROOM(list)                                                                 \
  ((list).n < (list).cap ||                                                           \
   (((list).more = ga_graph_grow((list).v, &(list).cap, sizeof *(list).v)) != NULL && \
    ((list).v = (list).more, 1)))

/* expr_capture.c: writes the numbers of a stage into `args`. */
int ga_gexpr_numbers(const ga_gexpr *x, unsigned int stage, const ga_value *given,
                     unsigned char *args);

/* graph.c: does a node's work now. */
int ga_work_run(gpucontext *ctx, const ga_work *n);

/* The message for a piece of a graph that there is no memory for. */
int ga_graph_memory(size_t bytes);

/* graph.c: accepts NULL */
void ga_graph_free(gpugraph *g);
/* capture.c: drops what was described and belongs to no node. */
void ga_capture_forget(gpugraph *g);

/* The calling thread's captures, newest first. */
extern _Thread_local gpugraph *ga_captures;

#endif
