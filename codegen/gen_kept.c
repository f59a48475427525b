/* SPDX-License-Identifier: MIT */
/* Values that are made once (gen_kept.h). Compilers make again, for each element, what is the same
 * for many of them where that has branches, or instructions of 16-bit floats; and only who knows
 * that a divisor is the same can divide by less. */
#include <string.h>

#include "gen_kept.h"

void ga_find_kept(unsigned char *kept, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    for (int k = 0; k < 3; k++) {
      int arg = st->nodes[i].arg[k];
      if (arg < 0 || st->nodes[arg].level == st->nodes[i].level) continue;
      kept[arg] |= k == 1 && ga_divides_row(st, &st->nodes[i]) ? GA_KEPT_DIVISOR : GA_KEPT_VALUE;
    }
}

void ga_gen_kept(ga_str *s, const ga_stage *st, const unsigned char *kept)
{
  ga_str_add(s, "struct ga_kept {\n");
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (kept[i] & GA_KEPT_VALUE)
      ga_str_addf(s, "  %s v%u;\n", ga_dtypes[st->nodes[i].dtype].device, i);
    if (kept[i] & GA_KEPT_DIVISOR)
      ga_str_addf(s, "  %s d%u;\n",
                  st->nodes[i].dtype == GA_DT_FLOAT64   ? "ga_wide_divisor"
                  : st->nodes[i].dtype == GA_DT_FLOAT32 ? "ga_long_divisor"
                                                        : "ga_divisor",
                  i);
  }
  ga_str_add(s, "  char unused;\n};\n\n");
}

void ga_gen_keep(ga_str *s, const ga_stage *st, const unsigned char *kept, int level)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (st->nodes[i].level != level) continue;
    if (kept[i] & GA_KEPT_VALUE) ga_str_addf(s, "  kept.v%u = v%u;\n", i, i);
    if (kept[i] & GA_KEPT_DIVISOR)
      ga_str_addf(s, "  kept.d%u = ga_divisor_%s(v%u);\n", i, ga_dtypes[st->nodes[i].dtype].name,
                  i);
  }
}

void ga_find_moves(unsigned char *moves, const ga_stage *st, uint64_t still)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *n = &st->nodes[i];
    moves[i] =
        n->op == GA_N_IOTA || (n->op == GA_N_LOAD && !(n->index < 64 && still >> n->index & 1) &&
                               st->operands[n->index].outer != GA_NUMBER);
    for (int k = 0; k < 3; k++) moves[i] |= n->arg[k] >= 0 && moves[n->arg[k]];
  }
}

int ga_map_keeps(const ga_stage *st, uint64_t still)
{
  unsigned char moves[GA_KEPT_NODES];
  int keeps = GA_KEEPS_NONE;
  if (st->nnode > GA_KEPT_NODES || st->splice != NULL) return GA_KEEPS_NONE;
  ga_find_moves(moves, st, still);
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *n = &st->nodes[i];
    if (n->op == GA_OP_divide && !moves[n->arg[1]])
      keeps |= GA_KEEPS_DIVISOR | (n->dtype == GA_DT_BFLOAT16 ? GA_KEEPS_BFLOAT : 0);
    else if (!moves[i] && n->op == GA_OP_sqrt)
      keeps |= GA_KEEPS_ROOT;
    else if (!moves[i] && ga_needs_math(st, n))
      keeps |= GA_KEEPS_FUNCTION;
  }
  return keeps;
}

uint64_t ga_staying_inputs(const ga_stage *st, const ga_layout *l)
{
  uint64_t still = 0;
  for (unsigned int i = 0; i < st->noperand && i < 64 && l->nk != 0; i++)
    if (!st->operands[i].write && l->strides[i][l->nk - 1] == 0) still |= (uint64_t)1 << i;
  return still;
}

void ga_choose_kept(ga_variant *v, const ga_stage *st, const ga_layout *l, int always)
{
  v->still = ga_staying_inputs(st, l);
  v->keeps = v->vec > 1 ? ga_map_keeps(st, v->still) : GA_KEEPS_NONE;
  if (v->keeps == GA_KEEPS_NONE && !always) v->still = 0;
}

const ga_stage *ga_level_map(ga_kept_map *w, const ga_stage *st, uint64_t still)
{
  unsigned char moves[GA_KEPT_NODES];
  ga_find_moves(moves, st, still);
  w->st = *st;
  w->st.nodes = memcpy(w->nodes, st->nodes, st->nnode * sizeof *st->nodes);
  for (unsigned int i = 0; i < st->nnode; i++) w->nodes[i].level = !moves[i];
  return &w->st;
}
