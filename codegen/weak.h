/* SPDX-License-Identifier: MIT */
/* Python's numbers: literals, numbers bound by name, and Python's own
 * arithmetic on them, computed on the host. Constant parts are folded while the
 * text is typed; what depends on bound numbers stays a small tree, evaluated at
 * each call by ga_param_value(). */
#ifndef GA_CODEGEN_WEAK_H
#define GA_CODEGEN_WEAK_H

#include "ast.h"

enum ga_weak_kind {
  GA_WEAK_CONST,  /* number */
  GA_WEAK_BIND,   /* bind `bind`, a weak int or float */
  GA_WEAK_STRONG, /* bind `bind`, a number with a dtype: never computed with */
  GA_WEAK_OP,     /* op over a, b */
  GA_WEAK_WRAP,   /* the integer a modulo 2^bits of `dtype`, as a C cast has it */
  GA_WEAK_LEAST,  /* the integer a, or the least of `dtype` where no `of` is below it */
  GA_WEAK_MOST    /* the integer a, or the greatest of `dtype` where no `of` is above it */
};

typedef struct ga_weak_node {
  enum ga_weak_kind kind;
  enum ga_number_kind type; /* of the value */
  enum ga_dtype dtype;      /* STRONG, WRAP, LEAST, MOST */
  enum ga_dtype of;         /* LEAST, MOST */
  int op, a, b;
  unsigned int bind;
  unsigned int depth;
  ga_number number;
} ga_weak_node;

typedef struct ga_weak {
  unsigned int n, cap;
  ga_weak_node *nodes;
} ga_weak;

/* weak.c. Each sets *out to a node's number; GA_XLARGE_ERROR for arithmetic on
 * bound numbers nested too deep. */
int ga_weak_const(ga_weak *w, const ga_number *x, int *out);
int ga_weak_bind(ga_weak *w, unsigned int bind, enum ga_number_kind type, int *out);
int ga_weak_strong(ga_weak *w, unsigned int bind, enum ga_dtype dtype, int *out);
/* `op` is that of an operator; b is -1 for a unary one. GA_VALUE_ERROR with no
 * caret: the caller has the place; *why is a constant text. */
int ga_weak_op(ga_weak *w, int op, int a, int b, int *out, const char **why);
/* `a` as where() stores it: an integer that int64 or uint64 holds wraps into the
 * integer dtype d. Other numbers and dtypes: `a` itself. */
int ga_weak_wrap(ga_weak *w, int a, enum ga_dtype d, int *out);
/* `a` as clip() takes a bound of elements of the integer dtype d beside others, all
 * of dtype `all` together: one that none of them can pass becomes the extreme of
 * `all`. Other numbers and dtypes: `a` itself. */
int ga_weak_bound(ga_weak *w, int a, enum ga_dtype d, enum ga_dtype all, int upper, int *out);
void ga_weak_clear(ga_weak *w);

/* The value of a node. Constants need no numbers. GA_VALUE_ERROR with *why. */
int ga_weak_eval(ga_number *x, const ga_weak *w, int node, const ga_value *numbers,
                 const char **why);

/* weak_arith.c: Python's operators. GA_VALUE_ERROR with *why: division by zero,
 * an integer beyond 127 bits, types Python refuses. */
int ga_number_op(ga_number *r, int op, const ga_number *x, const ga_number *y, const char **why);
/* Whether Python has the operator for these types at all, whatever the values. */
int ga_number_op_check(int op, enum ga_number_kind x, enum ga_number_kind y, const char **why);
/* The type of the result; for int ** int: int. */
enum ga_number_kind ga_number_op_type(int op, enum ga_number_kind x, enum ga_number_kind y);
double ga_number_real(const ga_number *x); /* x as a float, the real part */

/* weak_store.c: `x` as one element of `d`, rounded to nearest; GA_VALUE_ERROR
 * when an integer does not fit. ga_number_wrap() makes one fit that is in the
 * range of int64 or uint64. */
int ga_number_store(ga_value *v, enum ga_dtype d, const ga_number *x);
int ga_number_fits(enum ga_dtype d, const ga_number *x);
void ga_number_wrap(ga_number *x, enum ga_dtype d);
/* Whether the integer x bounds every element of the integer dtype d from above
 * (`upper`) or below; ga_number_bound() makes one that does the extreme of `all`. */
int ga_number_bounds(const ga_number *x, enum ga_dtype d, int upper);
void ga_number_bound(ga_number *x, enum ga_dtype d, enum ga_dtype all, int upper);
void ga_int128_text(char text[48], ga_int128 v);

#endif
