/* SPDX-License-Identifier: MIT */
/* Which scalar functions a stage's kernel needs (kernels/use.cuh): all of them
 * would take the compiler several times as long as the kernel itself. */
#include <string.h>

#include "gen.h"

/* What a node reads before it is converted to the node's dtype. */
static enum ga_dtype source_dtype(const ga_stage *st, const ga_node *node)
{
  const ga_reduction *r;
  switch (node->op) {
  case GA_N_LOAD: return st->operands[node->index].dtype;
  case GA_N_PARAM: return st->params[node->index].dtype;
  case GA_N_REDUCE: r = &st->reductions[node->index]; return r->iota >= 0 ? GA_DT_INT64 : r->acc;
  case GA_N_CAST: return st->nodes[node->arg[0]].dtype;
  default: return node->dtype;
  }
}

/* hypot is exact, by a formula of its own, but lies among those. */
int ga_needs_math(const ga_stage *st, const ga_node *node)
{
  const ga_op_info *op;
  if (node->op < GA_N_OP) return 0;
  op = &ga_ops[node->op - GA_N_OP];
  return (!(op->flags & GA_OP_EXACT) || node->op == GA_OP_hypot) &&
         strchr("fc", ga_dtypes[st->nodes[node->arg[op->nargs - 1]].dtype].kind) != NULL;
}

/* Is it one whose functions are only there when asked for (kernels/use.cuh)? Of complex numbers
 * sums, products and quotients are there. */
static int needs_more(const ga_stage *st, const ga_node *node)
{
  const ga_op_info *op;
  if (node->op < GA_N_OP) return 0;
  op = &ga_ops[node->op - GA_N_OP];
  if (!(op->flags & GA_OP_PLAIN)) return 1;
  if (ga_dtypes[st->nodes[node->arg[op->nargs - 1]].dtype].kind != 'c') return 0;
  return node->op == GA_OP_absolute || node->op == GA_OP_sqrt || node->op == GA_OP_minimum ||
         node->op == GA_OP_maximum;
}

/* Of the dtypes marked; complex numbers are made of floats, and with more use it all. */
static unsigned int uses_of(const unsigned char *used, int more)
{
  unsigned int uses = GA_USES_ALL;
  for (int t = 0; t < GA_NDTYPE; t++) {
    if (!used[t]) continue;
    if (t == GA_DT_FLOAT16 || t == GA_DT_BFLOAT16)
      uses |= GA_USES_HALF | GA_USES_FLOAT;
    else if (ga_dtypes[t].kind == 'f')
      uses |= GA_USES_FLOAT;
    else if (ga_dtypes[t].kind == 'c')
      uses |= GA_USES_COMPLEX | GA_USES_FLOAT | (more ? GA_USES_HYPOT | GA_USES_CAST : 0);
    else
      uses |= GA_USES_INT;
  }
  return uses;
}

unsigned int ga_gen_use(ga_str *s, const ga_stage *st)
{
  unsigned char used[GA_NDTYPE] = {0};
  int cast = 0, math = 0, order = 0, moment = 0, divisor = 0, more = st->splice != NULL;
  for (unsigned int i = 0; i < st->nnode; i++) {
    enum ga_dtype from = source_dtype(st, &st->nodes[i]);
    used[st->nodes[i].dtype] = used[from] = 1;
    cast |= from != st->nodes[i].dtype && st->nodes[i].op < GA_N_OP;
    math |= ga_needs_math(st, &st->nodes[i]);
    more |= needs_more(st, &st->nodes[i]);
    divisor |= ga_divides_row(st, &st->nodes[i]);
  }
  for (unsigned int i = 0; i < st->noperand; i++) used[st->operands[i].dtype] = 1;
  for (unsigned int i = 0; i < st->nreduction; i++) {
    used[st->reductions[i].acc] = 1;
    moment |= st->reductions[i].op == GA_REDUCE_moment;
    order |= st->reductions[i].iota >= 0;
  }
  if (cast || math || st->nreduction != 0) more |= used[GA_DT_COMPLEX64] || used[GA_DT_COMPLEX128];
  unsigned int uses = uses_of(used, more);
  if (cast) uses |= GA_USES_CAST;
  if (math) uses |= GA_USES_MATH | GA_USES_HYPOT;
  if (math && uses & GA_USES_COMPLEX) uses |= GA_USES_COMPLEX_MATH;
  if (st->nreduction != 0) uses |= GA_USES_REDUCE;
  ga_str_add(s, "#define GA_ONLY 1\n");
  for (int t = 0; t < GA_NDTYPE; t++)
    if (used[t]) ga_str_addf(s, "#define GA_USE_%s 1\n", ga_dtypes[t].name);
  if (cast) ga_str_add(s, "#define GA_USE_CAST 1\n");
  if (math) ga_str_add(s, "#define GA_USE_MATH 1\n");
  if (order) ga_str_add(s, "#define GA_USE_ORDER 1\n");
  if (more) ga_str_add(s, "#define GA_USE_MORE 1\n");
  if (divisor) ga_str_add(s, "#define GA_USE_DIVISOR 1\n");
  if (st->nreduction != 0) ga_str_add(s, "#define GA_USE_REDUCE 1\n");
  if (moment) ga_str_add(s, "#define GA_USE_MOMENT 1\n");
  return uses;
}
