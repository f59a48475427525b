/* SPDX-License-Identifier: MIT */
/* The levels of a chain: reductions that it does one after the other, and which of them read what
 * (gen.h, ga_chain_reads). */
#include <stdlib.h>
#include <string.h>

#include "gen.h"

int ga_is_chain(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nstore && st->nreduction != 0; i++)
    if (!st->operands[st->stores[i].operand].outer) return 1;
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->nodes[st->reductions[i].node].level > 0) return 1;
  return 0;
}

int ga_chain_levels(const ga_stage *st)
{
  int n = 0;
  for (unsigned int i = 0; i < st->nreduction; i++) {
    int level = st->nodes[st->reductions[i].node].level / 2 + 1;
    if (level > n) n = level;
  }
  return n;
}

int ga_chain_reads_make(ga_chain_reads *r, const ga_stage *st)
{
  size_t n = st->noperand + 1u;
  r->at = calloc(2 * n, sizeof *r->at);
  if (r->at == NULL) return ga_error_memory("kernel", 2 * n * sizeof *r->at);
  r->last = r->at + n;
  for (size_t i = 0; i < n; i++) r->at[i] = r->last[i] = -1;
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *x = &st->nodes[i];
    if (x->op != GA_N_LOAD) continue;
    if (r->at[x->index] < 0 || r->at[x->index] > x->level / 2) r->at[x->index] = x->level / 2;
    if (r->last[x->index] < x->level / 2) r->last[x->index] = x->level / 2;
  }
  for (unsigned int i = 0; i < st->nstore; i++) {
    int to = st->stores[i].operand;
    r->at[to] =
        st->operands[to].outer ? st->nodes[st->stores[i].node].level / 2 : ga_chain_levels(st);
  }
  return GA_NO_ERROR;
}

void ga_chain_reads_clear(ga_chain_reads *r) { free(r->at); }
