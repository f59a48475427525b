/* SPDX-License-Identifier: MIT */
/* The parsed text. Nodes stand in post-order (kids before the node that uses
 * them), so every later pass is a loop over an array and no text, however
 * deep its operators nest, makes one recurse.
 *
 *   "2*sum(a, axis=1)"
 *     0 NUMBER 2   1 NAME a   2 NUMBER 1   3 KEYWORD axis(2)   4 CALL sum(1,3)
 *     5 BINARY multiply(0,4)  6 VALUE(5)
 */
#ifndef GA_CODEGEN_AST_H
#define GA_CODEGEN_AST_H

#include "codegen.h"

/* Python's integers, as far as they are kept. */
__extension__ typedef __int128 ga_int128;
__extension__ typedef unsigned __int128 ga_uint128;

enum ga_number_kind { GA_NUM_BOOL, GA_NUM_INT, GA_NUM_FLOAT, GA_NUM_COMPLEX };

/* A Python number: i for bool and int, re (and im) for float and complex. */
typedef struct ga_number {
  enum ga_number_kind kind;
  ga_int128 i;
  double re, im;
} ga_number;

enum ga_ast_kind {
  GA_AST_NUMBER,   /* number */
  GA_AST_NAME,     /* name */
  GA_AST_UNARY,    /* op; kid */
  GA_AST_BINARY,   /* op; 2 kids */
  GA_AST_CALL,     /* name; kids: arguments, KEYWORDs last; op 1: x.name(...), x being kid 0 */
  GA_AST_KEYWORD,  /* name; kid */
  GA_AST_TUPLE,    /* kids */
  GA_AST_INDEX,    /* kids: base, items */
  GA_AST_SLICE,    /* 3 kids, -1 where left out; only as an item */
  GA_AST_ELLIPSIS, /* only as an item */
  GA_AST_NONE,
  GA_AST_ATTRIBUTE, /* name; kid */
  GA_AST_ASSIGN,    /* name; kid. A statement */
  GA_AST_VALUE      /* kid. A statement */
};

typedef struct ga_ast_node {
  enum ga_ast_kind kind;
  int op;                 /* enum ga_op; CALL */
  size_t at;              /* byte of the text that an error points at */
  unsigned int kid, nkid; /* ga_ast.kids[kid], ... */
  const char *name;       /* NUL-terminated, owned by the tree */
  ga_number number;
  const char *module; /* NAME, CALL: np of np.sum(x), which no name sum hides; else NULL */
} ga_ast_node;

struct ga_ast {
  char *text;
  unsigned int nnode, cap;
  ga_ast_node *nodes;
  unsigned int nkid, kidcap;
  int *kids;
  char *names; /* storage of all names */
};

/* Bounds of the parser: beyond them GA_XLARGE_ERROR. */
enum { GA_MAXTEXT = 1 << 20, GA_MAXAST = 1 << 14, GA_MAXDEPTH = 150 };

#endif
