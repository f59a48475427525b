/* SPDX-License-Identifier: MIT */
/* The body of a map: one element in, one element out; of bytes also four. */
#include "gen_kept.h"

int ga_is_of_bytes(const ga_stage *st, const ga_node *node)
{
  if (ga_dtypes[node->dtype].size != 1) return 0;
  switch ((int)node->op) {
  case GA_N_LOAD: return st->operands[node->index].dtype == node->dtype;
  case GA_N_PARAM:
  case GA_OP_equal:
  case GA_OP_not_equal:
  case GA_OP_less:
  case GA_OP_less_equal:
  case GA_OP_greater:
  case GA_OP_greater_equal:
  case GA_OP_where:
  case GA_OP_logical_and:
  case GA_OP_logical_or:
  case GA_OP_logical_xor:
  case GA_OP_logical_not:
  case GA_OP_bitwise_and:
  case GA_OP_bitwise_or:
  case GA_OP_bitwise_xor:
  case GA_OP_invert: return 1;
  case GA_OP_absolute: return node->dtype == GA_DT_INT8;
  case GA_OP_add:
  case GA_OP_subtract:
  case GA_OP_multiply:
  case GA_OP_square:
  case GA_OP_negative:
  case GA_OP_minimum:
  case GA_OP_maximum: return node->dtype != GA_DT_BOOL;
  default: return 0;
  }
}

/* Sums, products and bits alone take as many instructions element by element. */
static int gains_by_fours(const ga_node *node)
{
  switch ((int)node->op) {
  case GA_OP_absolute:
  case GA_OP_minimum:
  case GA_OP_maximum:
  case GA_OP_equal:
  case GA_OP_not_equal:
  case GA_OP_less:
  case GA_OP_less_equal:
  case GA_OP_greater:
  case GA_OP_greater_equal:
  case GA_OP_where: return 1;
  default: return 0;
  }
}

int ga_maps_bytes(const ga_stage *st)
{
  int gains = 0;
  if (st->splice != NULL) return 0; /* a program's own text, of no nodes */
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (!ga_is_of_bytes(st, &st->nodes[i])) return 0;
    gains |= gains_by_fours(&st->nodes[i]);
  }
  for (unsigned int i = 0; i < st->nstore; i++)
    if (st->operands[st->stores[i].operand].dtype != st->nodes[st->stores[i].node].dtype) return 0;
  return gains;
}

static void gen_stores(ga_str *s, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nstore; i++)
    ga_str_addf(s, "  out.y%u = v%d;\n", st->stores[i].operand, st->stores[i].node);
  ga_str_add(s, "}\n");
}

/* The same of four elements in a word. */
static void gen_map_four(ga_str *s, const ga_stage *st, const ga_uses *u)
{
  ga_str_add(s, "template <class GA_P, class GA_I, class GA_O>\n"
                "GA_FN void ga_map_four(const GA_P &P, const GA_I &in, GA_O &out) {\n");
  ga_gen_fours(s, st, u->before);
  gen_stores(s, st);
}

/* A map that keeps values, its nodes at two levels (gen_kept.h). */
static void gen_map_kept(ga_str *s, const ga_stage *st, const ga_uses *u)
{
  unsigned char kept[GA_KEPT_NODES] = {0}, use[2][GA_KEPT_NODES];
  ga_find_kept(kept, st);
  for (unsigned int i = 0; i < st->nstore; i++)
    if (st->nodes[st->stores[i].node].level) kept[st->stores[i].node] |= GA_KEPT_VALUE;
  ga_gen_kept(s, st, kept);
  for (unsigned int i = 0; i < st->nnode; i++) {
    use[0][i] = u->before[i] && !st->nodes[i].level;
    use[1][i] = u->before[i] && st->nodes[i].level;
  }
  ga_str_add(s, "template <class GA_P, class GA_I>\n"
                "GA_FN void ga_keep(const GA_P &P, const GA_I &in, ga_kept &kept) {\n");
  ga_gen_nodes(s, st, use[1], 0);
  ga_gen_keep(s, st, kept, 1);
  ga_str_add(s, "}\n\ntemplate <class GA_P, class GA_I, class GA_O>\n"
                "GA_FN void ga_map(const GA_P &P, const GA_I &in, const ga_kept &kept, "
                "ga_long iota, GA_O &out) {\n");
  for (unsigned int i = 0; i < st->nnode; i++)
    if (kept[i] & GA_KEPT_VALUE)
      ga_str_addf(s, "  const %s v%u = kept.v%u;\n", ga_dtypes[st->nodes[i].dtype].device, i, i);
  ga_gen_nodes(s, st, use[0], 0);
  gen_stores(s, st);
}

void ga_gen_map(ga_str *s, const ga_stage *st, const ga_uses *u, const ga_variant *v)
{
  if (v->keeps != GA_KEEPS_NONE) {
    gen_map_kept(s, st, u);
    return;
  }
  ga_str_add(s, "template <class GA_P, class GA_I, class GA_O>\n"
                "GA_FN void ga_map(const GA_P &P, const GA_I &in, ga_long iota, GA_O &out) "
                "{\n");
  ga_gen_nodes(s, st, u->before, 0);
  gen_stores(s, st);
  if (v->by_bytes) gen_map_four(s, st, u);
}
