/* SPDX-License-Identifier: MIT */
/* Python's numbers as text: "2", "0.5", "arg 1", "(arg 1 multiply 2)". */
#include "ops.h"
#include "weak_print.h"

static void print_const(ga_str *s, const ga_number *x) {
  char text[48];
  switch (x->kind) {
    case GA_NUM_BOOL: ga_str_add(s, x->i ? "True" : "False"); break;
    case GA_NUM_INT:
      ga_int128_text(text, x->i);
      ga_str_add(s, text);
      break;
    case GA_NUM_FLOAT: ga_str_addf(s, "%.17g", x->re); break;
    default: ga_str_addf(s, "(%.17g%+.17gj)", x->re, x->im); break;
  }
}

void ga_weak_print(ga_str *s, const ga_weak *w, int node) {
  const ga_weak_node *n = &w->nodes[node];
  switch (n->kind) {
    case GA_WEAK_CONST: print_const(s, &n->number); return;
    case GA_WEAK_BIND: case GA_WEAK_STRONG: ga_str_addf(s, "arg %u", n->bind); return;
    default: break;
  }
  ga_str_add(s, "(");
  if (n->b >= 0) {
    ga_weak_print(s, w, n->a);
    ga_str_add(s, " ");
  }
  ga_str_addf(s, "%s ", ga_op_info_of(n->op)->name);
  ga_weak_print(s, w, n->b >= 0 ? n->b : n->a);
  ga_str_add(s, ")");
}
