/* SPDX-License-Identifier: MIT */
/* The table of elementwise operations (ops.def) as data, and names to rows. */
#include "ops.h"

#include <string.h>

const ga_op_info ga_ops[GA_NOP] = {
#define OP(name, nargs, loops, result, flags) \
  [GA_OP_##name - GA_N_OP] = {#name, nargs, loops, GA_RESULT_##result, flags},
#include "ops.def"
#undef OP
};

const ga_reduce_info ga_reduces[GA_NREDUCE] = {
#define REDUCE(name, loops, acc, identity) \
  [GA_REDUCE_##name] = {#name, loops, GA_ACC_##acc, identity},
#include "reduce.def"
#undef REDUCE
};

int ga_node_exact(const ga_stage *st, const ga_node *n)
{
  if (n->op < GA_N_OP) return 1;
  const ga_op_info *info = ga_op_info_of(n->op);
  char kind = ga_dtypes[st->nodes[n->arg[info->nargs - 1]].dtype].kind;
  return info->flags & GA_OP_EXACT || (kind != 'f' && kind != 'c');
}

const char *ga_unalias(const char *name)
{
#define ALIAS(alias, to) \
  if (strcmp(name, #alias) == 0) return #to;
#include "aliases.def"
#undef ALIAS
  return name;
}

int ga_op_named(const char *name)
{
  for (int i = 0; i < GA_NOP; i++)
    if (strcmp(name, ga_ops[i].name) == 0) return GA_N_OP + i;
  return -1;
}

int ga_reduce_named(const char *name)
{
  for (int i = 0; i < GA_NREDUCE; i++)
    if (strcmp(name, ga_reduces[i].name) == 0 && ga_reduces[i].acc != GA_ACC_MOMENT) return i;
  return -1;
}

int ga_scan_named(const char *name)
{
#define SCAN(scan, reduce) \
  if (strcmp(name, #scan) == 0) return GA_REDUCE_##reduce;
#include "scan.def"
#undef SCAN
  return -1;
}
