/* SPDX-License-Identifier: MIT */
/* A program as text, line by line what codegen.h declares:
 *
 *   slot 0: arg 0 float32(4,3)
 *   slot 1: result float32(4)
 *   stage 0: reduce (4,3) over axes 1
 *     o0: slot 0 float32 +0 [12,4]
 *     o1: slot 1 float32 +0 [4,0] outer write
 *     p0: float32 = 2
 *     n0 = load o0 -> float32
 *     n1 = multiply n0 n0 -> float32
 *     r0 = sum n1 in float32
 *     n2' = reduce r0 -> float32            ' : over the kept axes
 *     o1 <- n2
 *
 * A chain's levels have a ' each. */
#include "ops.h"
#include "program.h"
#include "weak_print.h"

static void print_dims(ga_str *s, unsigned int nd, const size_t *dims)
{
  ga_str_add(s, "(");
  for (unsigned int k = 0; k < nd; k++) ga_str_addf(s, "%s%zu", k ? "," : "", dims[k]);
  ga_str_add(s, ")");
}

static void print_slot(ga_str *s, unsigned int i, const ga_slot *x)
{
  ga_str_addf(s, "slot %u: ", i);
  switch (x->kind) {
  case GA_SLOT_ARG: ga_str_addf(s, "arg %u ", x->arg); break;
  case GA_SLOT_NEW: ga_str_addf(s, "new %u ", x->arg); break;
  case GA_SLOT_RESULT: ga_str_add(s, "result "); break;
  case GA_SLOT_TEMP: ga_str_add(s, "temp "); break;
  }
  ga_str_add(s, ga_dtypes[x->dtype].name);
  print_dims(s, x->nd, x->dims);
  ga_str_add(s, "\n");
}

static void print_operand(ga_str *s, unsigned int i, const ga_stage *st)
{
  const ga_operand *o = &st->operands[i];
  ga_str_addf(s, "  o%u: slot %u %s %+lld [", i, o->slot, ga_dtypes[o->dtype].name,
              (long long)o->offset);
  for (unsigned int k = 0; k < st->nd; k++)
    ga_str_addf(s, "%s%lld", k ? "," : "", (long long)o->strides[k]);
  ga_str_addf(s, "]%s%s\n",
              o->outer == GA_NUMBER ? " number"
              : o->outer            ? " outer"
                                    : "",
              o->write ? " write" : "");
}

static void print_node(ga_str *s, unsigned int i, const ga_node *n)
{
  ga_str_addf(s, "  n%u", i);
  for (int k = 0; k < n->level; k++) ga_str_add(s, "'");
  ga_str_add(s, " = ");
  switch (n->op) {
  case GA_N_LOAD: ga_str_addf(s, "load o%d", n->index); break;
  case GA_N_PARAM: ga_str_addf(s, "param p%d", n->index); break;
  case GA_N_IOTA: ga_str_add(s, "iota"); break;
  case GA_N_CAST: ga_str_addf(s, "cast n%d", n->arg[0]); break;
  case GA_N_REDUCE: ga_str_addf(s, "reduce r%d", n->index); break;
  default:
    ga_str_add(s, ga_op_info_of(n->op)->name);
    for (int k = 0; k < 3 && n->arg[k] >= 0; k++) ga_str_addf(s, " n%d", n->arg[k]);
  }
  ga_str_addf(s, " -> %s\n", ga_dtypes[n->dtype].name);
}

/* Reductions of elements of levels below `level`, from the first not yet printed. */
static void print_reductions(ga_str *s, const ga_stage *st, unsigned int *next, int level)
{
  for (; *next < st->nreduction; ++*next) {
    const ga_reduction *r = &st->reductions[*next];
    if (st->nodes[r->node].level >= level) return;
    ga_str_addf(s, "  r%u = %s n%d in %s\n", *next, ga_reduces[r->op].name, r->node,
                ga_dtypes[r->acc].name);
  }
}

static void print_stage(ga_str *s, const ga_stage *st, const ga_weak *weak)
{
  unsigned int reduction = 0;
  print_dims(s, st->nd, st->dims);
  if (st->nreduction) ga_str_add(s, st->scan ? " along axes" : " over axes");
  for (unsigned int k = 0; k < st->nd; k++)
    if (st->reduced[k]) ga_str_addf(s, " %u", k);
  ga_str_add(s, st->scan == GA_SCAN_EXCLUSIVE ? " exclusive\n" : "\n");
  for (unsigned int k = 0; k < st->noperand; k++) print_operand(s, k, st);
  for (unsigned int k = 0; k < st->nparam; k++) {
    ga_str_addf(s, "  p%u: %s = ", k, ga_dtypes[st->params[k].dtype].name);
    ga_weak_print(s, weak, st->params[k].weak);
    ga_str_add(s, "\n");
  }
  for (unsigned int k = 0; k < st->nnode; k++) {
    print_reductions(s, st, &reduction, st->nodes[k].level);
    print_node(s, k, &st->nodes[k]);
  }
  print_reductions(s, st, &reduction, 2 * GA_MAXCHAIN);
  for (unsigned int k = 0; k < st->nstore; k++)
    ga_str_addf(s, "  o%d <- n%d\n", st->stores[k].operand, st->stores[k].node);
}

static void print_chain(ga_str *s, unsigned int i, const ga_chain *c, const ga_weak *weak)
{
  ga_str_addf(s, "chain %u: stages", i);
  for (unsigned int k = 0; k < c->nmember; k++) ga_str_addf(s, " %u", c->members[k]);
  ga_str_add(s, ", rows of ");
  print_stage(s, &c->stage, weak);
}

void ga_program_print(ga_str *s, const ga_program *p)
{
  for (unsigned int i = 0; i < p->nslot; i++) print_slot(s, i, &p->slots[i]);
  for (unsigned int i = 0; i < p->nstage; i++) {
    ga_str_addf(s, "stage %u: %s ", i,
                p->stages[i].scan         ? "scan"
                : p->stages[i].nreduction ? "reduce"
                                          : "map");
    print_stage(s, &p->stages[i], ga_program_weak(p));
  }
  for (unsigned int i = 0; i < p->nchain; i++) print_chain(s, i, &p->chains[i], ga_program_weak(p));
  if (p->result >= 0)
    ga_str_addf(s, "value: slot %d\n", p->result);
  else
    ga_str_add(s, "no value\n");
}
