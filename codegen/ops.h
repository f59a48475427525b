/* SPDX-License-Identifier: MIT */
/* Names to rows of ops.def, reduce.def and aliases.def. */
#ifndef GA_CODEGEN_OPS_H
#define GA_CODEGEN_OPS_H

#include "codegen.h"

/* reduce.def's acc column. */
enum ga_acc { GA_ACC_SAME, GA_ACC_SUM, GA_ACC_BOOL, GA_ACC_INDEX, GA_ACC_MOMENT };

typedef struct ga_reduce_info {
  const char *name;
  const char *loops;
  enum ga_acc acc;
  int identity;
} ga_reduce_info;

extern const ga_reduce_info ga_reduces[GA_NREDUCE]; /* indexed by enum ga_reduce_op */

static inline const ga_op_info *ga_op_info_of(int op) { return &ga_ops[op - GA_N_OP]; }

/* The row's own name for an alias, else `name`. */
const char *ga_unalias(const char *name);
int ga_op_named(const char *name);     /* GA_OP_*, -1 if there is none */
int ga_reduce_named(const char *name); /* the function's GA_REDUCE_*, -1 if there is none */
int ga_scan_named(const char *name);   /* the scan's GA_REDUCE_*, -1 if there is none */

#endif
