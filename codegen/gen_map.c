/* SPDX-License-Identifier: MIT */
/* The body of a map: one element in, one element out. */
#include "gen.h"

void ga_gen_map(ga_str *s, const ga_stage *st, const ga_uses *u)
{
  ga_str_add(s, "template <class GA_P, class GA_I, class GA_O>\n"
                "GA_FN void ga_map(const GA_P &P, const GA_I &in, ga_long iota, GA_O &out) "
                "{\n");
  ga_gen_nodes(s, st, u->before, 0);
  for (unsigned int i = 0; i < st->nstore; i++)
    ga_str_addf(s, "  out.y%u = v%d;\n", st->stores[i].operand, st->stores[i].node);
  ga_str_add(s, "}\n");
}
