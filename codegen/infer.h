/* SPDX-License-Identifier: MIT */
/* Tree to graph: dtypes by NumPy 2's rules, shapes, and every function of the
 * language in terms of ops.def and reduce.def. One value per tree node. */
#ifndef GA_CODEGEN_INFER_H
#define GA_CODEGEN_INFER_H

#include "dag.h"

enum ga_val_kind {
  GA_VAL_OTHER, /* tuple, slice, None, ...: the tree node itself is looked at */
  GA_VAL_NODE,  /* an array: graph node `index` */
  GA_VAL_WEAK,  /* a Python number: weak node `index` */
  GA_VAL_DTYPE, /* the name of a dtype, for dtype= */
  GA_VAL_FUNC   /* the name of a function, not called */
};

typedef struct ga_val {
  enum ga_val_kind kind;
  int index;
  enum ga_dtype dtype; /* DTYPE */
} ga_val;

/* A name that a statement assigned. */
typedef struct ga_var {
  const char *name;
  ga_val val;
} ga_var;

/* What the program is to leave behind: bind `bind`'s array or, with bind -1, the
 * value of the text. */
typedef struct ga_output {
  enum ga_slot_kind kind;
  int bind;
  int node;
} ga_output;

typedef struct ga_infer {
  const ga_ast *ast;
  unsigned int nbind;
  const ga_bind *binds;
  const ga_bind *into;
  int unsafe;
  ga_dag dag;
  ga_val *vals; /* of tree nodes */
  unsigned int nvar, varcap;
  ga_var *vars;
  unsigned int noutput, outcap;
  ga_output *outputs;
} ga_infer;

/* infer.c: walks the tree; the caller clears `in` in any case. */
int ga_infer_run(ga_infer *in);
void ga_infer_clear(ga_infer *in);
/* Whether a bound or assigned name hides what the language calls `name`. */
int ga_infer_hidden(const ga_infer *in, const char *name);
/* That none hides the module before the name of node n. */
int ga_infer_module(const ga_infer *in, const ga_ast_node *n);

/* infer_error.c: a caret under byte `at`, the message, and the names with their
 * dtypes and shapes. Returns GA_VALUE_ERROR. */
int ga_infer_fail(const ga_infer *in, size_t at, const char *fmt, ...) GA_PRINTF(3, 4);
/* The same for a failed call that gave `why` (GA_VALUE_ERROR) or has recorded its
 * own message. */
int ga_infer_why(const ga_infer *in, size_t at, int err, const char *why);
/* "float32(4000,4000)" of a value. */
void ga_val_text(const ga_infer *in, const ga_val *v, char *text, size_t size);

/* infer_op.c: elementwise operations. `at` is where errors point. */
int ga_infer_unary(ga_infer *in, size_t at, int op, const ga_val *x, ga_val *out);
int ga_infer_binary(ga_infer *in, size_t at, int op, const ga_val *x, const ga_val *y, ga_val *out);
/* NumPy's function `op`: arguments cast to the loop, broadcast. */
int ga_infer_apply(ga_infer *in, size_t at, int op, const ga_val *args, ga_val *out);
/* x ** y, or power(x, y). */
int ga_infer_power(ga_infer *in, size_t at, const ga_val *args, int is_operator, ga_val *out);
/* The value as a graph node beside arrays of dtype `beside` (GA_DT_NONE). */
int ga_infer_node(ga_infer *in, size_t at, const ga_val *v, enum ga_dtype beside, int *node);
/* A Python number as a parameter of dtype `d`. */
int ga_infer_param(ga_infer *in, size_t at, int weak, enum ga_dtype d, int *node);
int ga_infer_cast(ga_infer *in, size_t at, const ga_val *v, enum ga_dtype to, ga_val *out);
/* The shape that the nodes broadcast to; -1 stands for a number. */
int ga_infer_broadcast(ga_infer *in, size_t at, const int *nodes, int n, ga_shape *shape);
/* *node over the shape of node `like`, which it has to broadcast to; `what` names it. */
int ga_infer_broadcast_to(ga_infer *in, size_t at, const char *what, int like, int *node);
ga_val ga_val_node(int node);
/* A Python number made here: kind FLOAT or INT of value x. */
int ga_infer_number(ga_infer *in, enum ga_number_kind kind, double x, ga_val *out);
/* The value's number when it is a Python number known now, else NULL. */
const ga_number *ga_val_const(const ga_infer *in, const ga_val *v);

/* infer_compare.c: integers compare as integers, whatever their types. */
int ga_infer_compare(ga_infer *in, size_t at, int op, const ga_val *x, const ga_val *y,
                     ga_val *out);
/* The same answer everywhere over the shape of node `like`. */
int ga_infer_constant(ga_infer *in, int truth, int like, ga_val *out);

/* infer_call.c */
int ga_infer_call(ga_infer *in, int node, ga_val *out);
int ga_infer_attribute(ga_infer *in, int node, ga_val *out);
/* Whether the language calls a function so. */
int ga_infer_is_function(const char *name);

/* A call of a function that is several operations, or a view. */
typedef struct ga_call {
  ga_infer *in;
  size_t at;
  const ga_ast_node *n;
  int node;
} ga_call;

/* infer_args.c. The arguments by position or name: tree nodes, -1 those not given. The first
 * `least` have to be. */
int ga_call_kids(const ga_call *c, const char *const *names, unsigned int n, unsigned int least,
                 int *kids);
/* The same as values; those not given stay of kind OTHER, as does None. */
int ga_call_values(const ga_call *c, const char *const *names, unsigned int n, unsigned int least,
                   ga_val *vals);
/* An argument as a graph node, its dtype, and its shape where `shape` is not NULL. */
int ga_call_node(const ga_call *c, const ga_val *v, int *node, enum ga_dtype *dtype,
                 ga_shape *shape);
/* The one argument of f(x) as a graph node, and its dtype. */
int ga_call_one(const ga_call *c, ga_val *x, enum ga_dtype *dtype);
/* An operator. */
int ga_call_op(const ga_call *c, int op, const ga_val *x, const ga_val *y, ga_val *out);
/* re + im*1j, of the complex dtype of their dtype; where im is finite, to the sign of a zero. */
int ga_call_complex(const ga_call *c, const ga_val *re, const ga_val *im, ga_val *out);

typedef struct ga_func_row {
  const char *name; /* NULL ends a table */
  int (*infer)(const ga_call *c, ga_val *out);
} ga_func_row;

/* infer_func.c, infer_test.c, infer_fill.c, infer_product.c, infer_norm.c, infer_average.c,
 * infer_view.c */
extern const ga_func_row ga_funcs_elementwise[], ga_funcs_test[], ga_funcs_fill[],
    ga_funcs_product[], ga_funcs_norm[], ga_funcs_average[], ga_funcs_view[];

/* infer_reduce.c, infer_moment.c. `name` is unaliased. */
int ga_infer_is_reduction(const char *name);
int ga_infer_reduce(ga_infer *in, int node, const char *name, ga_val *out);

/* A reduction's arguments. */
typedef struct ga_reduce_args {
  size_t at;
  ga_val a;
  int node;      /* a, as a graph node */
  uint64_t axes; /* of node */
  int tuple;     /* they were given as a tuple */
  int moment;    /* mean, var, std */
  int method;    /* of a ufunc: axis 0 unless another is given */
  int keepdims;
  enum ga_dtype dtype; /* NONE: the default */
  ga_val initial;      /* kind OTHER: none */
  ga_val where;        /* a bool node of a's shape; kind OTHER: all */
  int no_identity;     /* initial=None: nothing has no value */
  double ddof;
  int exclusive; /* scans */
  double count;  /* elements reduced to one */
} ga_reduce_args;

/* The plain reduction `op` of `node` over args' axes, accumulated in `acc`. */
int ga_reduce_node(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                   enum ga_dtype acc, int keepdims, int *out);
int ga_reduce_extreme(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int *out);
int ga_reduce_sum(ga_infer *in, const ga_reduce_args *a, enum ga_reduce_op op, int node,
                  enum ga_dtype dtype, int *out);
enum ga_dtype ga_reduce_acc(enum ga_dtype d); /* reduce.def's SUM, given the result's dtype */
enum ga_dtype ga_sum_dtype(enum ga_dtype d);  /* of a sum of d: NumPy's default */
/* |x|^2, in x's real dtype. */
int ga_infer_squared(ga_infer *in, size_t at, int node, int *out);
int ga_infer_mean(ga_infer *in, const ga_reduce_args *a, int *out);
int ga_infer_var(ga_infer *in, const ga_reduce_args *a, int root, int *out);
int ga_infer_count(ga_infer *in, const ga_reduce_args *a, int node, int *out);

/* infer_masked.c. `name`, or without its "nan" where it is nansum, nancumprod, nanvar, ... */
const char *ga_infer_without_nan(const char *name);
/* Whether `name` is such a one of elements that can be NaN. */
int ga_leaves_nan(const ga_infer *in, const char *name, int node);
/* A reduction or scan that leaves elements out. Where it is the plain one of what was done to
 * a->node, or leaves nothing out, it is left to the caller: *found is 0. */
int ga_infer_masked(ga_infer *in, const char *name, ga_reduce_args *a, int *out, int *found);

/* infer_axes.c: axis=, keepdims=, dtype=, ... of call `node`. */
int ga_infer_reduce_args(ga_infer *in, int node, const char *name, ga_reduce_args *a);
/* The arguments of a reduction that nobody wrote: of `node` over those of `axes` that it has; */
void ga_reduce_over(const ga_infer *in, size_t at, int node, uint64_t axes, ga_reduce_args *a);
/* over those that tree node `kid` tells instead: an integer, a tuple of them, None. */
int ga_reduce_axes(ga_infer *in, int kid, ga_reduce_args *a);
/* The literal True or False of tree node `kid`, argument `name`. */
int ga_infer_flag(const ga_infer *in, int kid, const char *name, int *flag);
/* The literal integer of tree node `kid` as an axis of an array of nd axes. */
int ga_infer_axis(ga_infer *in, int kid, unsigned int nd, unsigned int *axis);

/* infer_scan.c. What the reduction of nothing gives: 0, 1, the least or greatest value of d. */
int ga_reduce_first(ga_infer *in, enum ga_reduce_op op, enum ga_dtype d, int *out);
/* cumsum(x, axis=None, dtype=None, exclusive=False), ... */
int ga_infer_scan(ga_infer *in, int node, const char *name, ga_val *out);

/* infer_index.c: a[...] */
int ga_infer_index(ga_infer *in, int node, ga_val *out);

static inline const ga_ast_node *ga_ast_at(const ga_infer *in, int node)
{
  return &in->ast->nodes[node];
}
static inline int ga_ast_kid(const ga_infer *in, int node, unsigned int i)
{
  return in->ast->kids[in->ast->nodes[node].kid + i];
}

#endif
