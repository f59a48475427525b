/* SPDX-License-Identifier: MIT */
/* Python's numbers as text: "2", "0.5", "arg 1", "(arg 1 multiply 2)". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops.h"
#include "weak_print.h"

/* The fewest digits that read back as x, with a point in every locale. */
static void print_double(ga_str *s, double x)
{
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break; /* written and read in the same locale */
  }
  char *comma = strchr(text, ',');
  if (comma != NULL) *comma = '.';
  ga_str_add(s, text);
}

static void print_const(ga_str *s, const ga_number *x)
{
  char text[48];
  switch (x->kind) {
  case GA_NUM_BOOL: ga_str_add(s, x->i ? "True" : "False"); break;
  case GA_NUM_INT:
    ga_int128_text(text, x->i);
    ga_str_add(s, text);
    break;
  case GA_NUM_FLOAT: print_double(s, x->re); break;
  default:
    ga_str_add(s, "(");
    print_double(s, x->re);
    if (!(x->im < 0)) ga_str_add(s, "+");
    print_double(s, x->im);
    ga_str_add(s, "j)");
  }
}

void ga_weak_print(ga_str *s, const ga_weak *w, int node)
{
  const ga_weak_node *n = &w->nodes[node];
  switch (n->kind) {
  case GA_WEAK_CONST: print_const(s, &n->number); return;
  case GA_WEAK_BIND:
  case GA_WEAK_STRONG: ga_str_addf(s, "arg %u", n->bind); return;
  case GA_WEAK_WRAP:
    ga_str_addf(s, "%s(", ga_dtypes[n->dtype].name);
    ga_weak_print(s, w, n->a);
    ga_str_add(s, ")");
    return;
  case GA_WEAK_LEAST:
  case GA_WEAK_MOST:
    ga_str_addf(s, "%s(", ga_dtypes[n->dtype].name);
    ga_weak_print(s, w, n->a);
    ga_str_add(s, n->kind == GA_WEAK_MOST ? " or most)" : " or least)");
    return;
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
