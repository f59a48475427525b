/* SPDX-License-Identifier: MIT */
/* The body of a map that the user wrote. The text stands in a function of its
 * own, where only its own names are seen: its operands and numbers, and the
 * vocabulary of cluda.h.
 *
 *   GA_FN void ga_user(ga_float a, ga_float &r, ga_int n) {
 *   r = a * n
 *   ;
 *   }
 *   ga_map: { ga_float r; ga_user(in.x0, r, P.p0); out.y1 = r; }
 */
#include "codegen.h"
#include "gen.h"

static int is_float(const ga_stage *st, enum ga_dtype t)
{
  return st->splice->half_as_float && t == GA_DT_FLOAT16;
}

static const char *type_of(const ga_stage *st, enum ga_dtype t)
{
  return is_float(st, t) ? "ga_float" : ga_dtypes[t].device;
}

static void gen_function(ga_str *s, const ga_stage *st)
{
  const char *comma = "";
  ga_str_add(s, "GA_FN void ga_user(");
  for (unsigned int i = 0; i < st->noperand; i++, comma = ", ")
    ga_str_addf(s, "%s%s %s%s", comma, type_of(st, st->operands[i].dtype),
                st->operands[i].write ? "&" : "", st->splice->names[i]);
  for (unsigned int i = 0; i < st->nparam; i++, comma = ", ")
    ga_str_addf(s, "%s%s %s", comma, type_of(st, st->params[i].dtype), st->splice->numbers[i]);
  ga_str_addf(s, ") {\n%s\n;\n}\n", st->splice->text);
}

/* A value as the text sees it. */
static void gen_value(ga_str *s, const ga_stage *st, enum ga_dtype t, const char *what,
                      unsigned int i)
{
  if (is_float(st, t))
    ga_str_addf(s, "ga_half2float(%s%u)", what, i);
  else
    ga_str_addf(s, "%s%u", what, i);
}

static void gen_arguments(ga_str *s, const ga_stage *st)
{
  const char *comma = "";
  for (unsigned int i = 0; i < st->noperand; i++, comma = ", ") {
    ga_str_add(s, comma);
    if (st->operands[i].write)
      ga_str_addf(s, "v%u", i);
    else
      gen_value(s, st, st->operands[i].dtype, "in.x", i);
  }
  for (unsigned int i = 0; i < st->nparam; i++, comma = ", ") {
    ga_str_add(s, comma);
    gen_value(s, st, st->params[i].dtype, "P.p", i);
  }
}

void ga_gen_splice(ga_str *s, const ga_stage *st)
{
  gen_function(s, st);
  ga_str_add(s, "template <class GA_P, class GA_I, class GA_O>\n"
                "GA_FN void ga_map(const GA_P &P, const GA_I &in, ga_long iota, GA_O &out) "
                "{\n");
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!st->operands[i].write) continue;
    ga_str_addf(s, "  %s v%u = ", type_of(st, st->operands[i].dtype), i);
    if (st->splice->reads[i])
      gen_value(s, st, st->operands[i].dtype, "in.x", i);
    else
      ga_str_add(s, "{}");
    ga_str_add(s, ";\n");
  }
  ga_str_add(s, "  ga_user(");
  gen_arguments(s, st);
  ga_str_add(s, ");\n");
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!st->operands[i].write) continue;
    ga_str_addf(s,
                is_float(st, st->operands[i].dtype) ? "  out.y%u = ga_float2half(v%u);\n"
                                                    : "  out.y%u = v%u;\n",
                i, i);
  }
  ga_str_add(s, "}\n");
}
