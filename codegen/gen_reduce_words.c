/* SPDX-License-Identifier: MIT */
/* What reductions do of several elements of 1 and 2 bytes at once: sums of them or of their
 * squares, sums and truths of what bytes make, the greatest and the least, keys of those
 * (kernels/reduce_vectors.cuh, reduce_words.cuh, reduce_keys.cuh). */
#include "promote.h"
#include "variant.h"

/* The node whose numbers r sums: where those of r's own are squares of whole numbers of 1 or 2
 * bytes, in a type that they fit, what is squared. */
static int summed_node(const ga_stage *st, const ga_reduction *r)
{
  const ga_node *n = &st->nodes[r->node], *x;
  if (r->op != GA_REDUCE_sum || !ga_is_int(r->acc)) return r->node;
  if (n->op == GA_N_CAST) n = &st->nodes[n->arg[0]];
  if (n->op != GA_OP_square || st->nodes[n->arg[0]].op != GA_N_CAST) return r->node;
  x = &st->nodes[st->nodes[n->arg[0]].arg[0]];
  if (!ga_is_whole(x->dtype) || ga_dtypes[x->dtype].size > 2) return r->node;
  if (ga_dtypes[n->dtype].size != 2 * ga_dtypes[x->dtype].size) return r->node;
  if (x->dtype != GA_DT_BOOL && ga_dtypes[x->dtype].kind != ga_dtypes[n->dtype].kind)
    return r->node;
  return st->nodes[n->arg[0]].arg[0];
}

static int sums_squares(const ga_stage *st, const ga_reduction *r)
{
  return summed_node(st, r) != r->node;
}

/* Node n is an element of an operand, which is no number. */
static int loads_element(const ga_stage *st, const ga_node *n)
{
  return n->op == GA_N_LOAD && st->operands[n->index].outer != GA_NUMBER;
}

/* The operand of 1 or 2 bytes an element that reduction i sums as it is, or whose squares it sums;
 * -1: it does something else. */
static int summed_operand(const ga_stage *st, unsigned int i)
{
  const ga_reduction *r = &st->reductions[i];
  const ga_node *n = &st->nodes[summed_node(st, r)];
  if (!sums_squares(st, r)) {
    if (!ga_is_narrow_sum(st, r)) return -1;
    if (n->op == GA_N_CAST) n = &st->nodes[n->arg[0]];
  }
  return loads_element(st, n) ? n->index : -1;
}

int ga_sums_narrow(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (summed_operand(st, i) < 0) return 0;
  return 1;
}

/* What a sum of whole numbers of a byte sums, in its own type. */
static const ga_node *summed_bytes(const ga_stage *st)
{
  const ga_node *n = &st->nodes[st->reductions[0].node];
  return n->op == GA_N_CAST ? &st->nodes[n->arg[0]] : n;
}

/* All that comes before the reduction is, but for node `but`. */
static int are_of_bytes(const ga_stage *st, int but)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].level == 0 && (int)i != but && !ga_is_of_bytes(st, &st->nodes[i])) return 0;
  return 1;
}

int ga_sums_bytes(const ga_stage *st)
{
  const ga_node *n;
  if (st->nreduction != 1 || st->splice != NULL || st->scan) return 0;
  if (!ga_is_narrow_sum(st, &st->reductions[0])) return 0;
  n = summed_bytes(st);
  if (ga_dtypes[n->dtype].size != 1 || n->op == GA_N_LOAD) return 0;
  return are_of_bytes(st, st->reductions[0].node);
}

/* Whether any or all are true. */
static int asks_truths(const ga_stage *st)
{
  return st->reductions[0].op == GA_REDUCE_any || st->reductions[0].op == GA_REDUCE_all;
}

int ga_asks_bytes(const ga_stage *st)
{
  if (st->nreduction != 1 || st->splice != NULL || st->scan || !asks_truths(st)) return 0;
  if (st->nodes[st->reductions[0].node].op == GA_N_LOAD || ga_seeks_extreme(st)) return 0;
  return are_of_bytes(st, -1);
}

void ga_gen_leaf_four(ga_str *s, const ga_stage *st, const unsigned char *use)
{
  const ga_node *n = summed_bytes(st);
  if (asks_truths(st))
    ga_str_addf(s, "#define GA_BYTE_ASKED %d\n", st->reductions[0].op == GA_REDUCE_any);
  else
    ga_str_addf(s, "#define GA_BYTE_SUM %s\n",
                ga_dtypes[n->dtype].kind == 'i' ? "ga_byte" : "ga_ubyte");
  ga_str_add(s, "template <class GA_P, class GA_I>\n"
                "GA_FN ga_uint ga_leaf_four(const GA_P &P, const GA_I &in) {\n");
  ga_gen_fours(s, st, use);
  ga_str_addf(s, "  return v%d;\n}\n\n", (int)(n - st->nodes));
}

void ga_gen_narrow_sums(ga_str *s, const ga_stage *st)
{
  if (!ga_sums_narrow(st)) return;
  ga_str_add(s, "#define GA_NARROW_SUMS(X)");
  for (unsigned int i = 0; i < st->nreduction; i++)
    ga_str_addf(s, " X(%d, r%u, %d)", summed_operand(st, i), i,
                sums_squares(st, &st->reductions[i]));
  ga_str_add(s, "\n");
}

/* The element of 1 or 2 bytes whose value, as another type may hold it, is node n. */
static const ga_node *small_element(const ga_stage *st, const ga_node *n)
{
  for (; n->op == GA_N_CAST; n = &st->nodes[n->arg[0]])
    if (ga_promote(st->nodes[n->arg[0]].dtype, n->dtype) != n->dtype) return NULL;
  if (!loads_element(st, n) || st->operands[n->index].dtype != n->dtype) return NULL;
  return ga_is_whole(n->dtype) && ga_dtypes[n->dtype].size <= 2 ? n : NULL;
}

static int is_number(const ga_stage *st, const ga_node *n)
{
  while (n->op == GA_N_CAST) n = &st->nodes[n->arg[0]];
  return n->op == GA_N_PARAM || (n->op == GA_N_LOAD && !loads_element(st, n));
}

/* The element that node n, which is true or not, rises with, or falls. */
static const ga_node *compared_element(const ga_stage *st, const ga_node *n, int *falls)
{
  int less = n->op == GA_OP_less || n->op == GA_OP_less_equal;
  const ga_node *a, *b;
  if (!less && n->op != GA_OP_greater && n->op != GA_OP_greater_equal) return NULL;
  a = &st->nodes[n->arg[0]];
  b = &st->nodes[n->arg[1]];
  *falls = less != is_number(st, a);
  if (ga_dtypes[a->dtype].kind == 'c') return NULL;
  if (is_number(st, a)) return small_element(st, b);
  return is_number(st, b) ? small_element(st, a) : NULL;
}

/* The element whose least or greatest is all that r seeks; *greatest: which of them, *bits:
 * whether as numbers without a sign. NULL: it seeks something else. */
static const ga_node *sought_element(const ga_stage *st, const ga_reduction *r, int *greatest,
                                     int *bits)
{
  const ga_node *n = &st->nodes[r->node], *e = small_element(st, n);
  int falls = 0;
  *bits = 0;
  if (r->op == GA_REDUCE_any || r->op == GA_REDUCE_all) {
    *bits = n->op == GA_N_CAST && n->dtype == GA_DT_BOOL;
    if (*bits) e = small_element(st, &st->nodes[n->arg[0]]);
    if (e == NULL) e = compared_element(st, n, &falls);
  } else if (r->op != GA_REDUCE_min && r->op != GA_REDUCE_max) {
    return NULL;
  }
  *greatest = (r->op == GA_REDUCE_max || r->op == GA_REDUCE_any) != falls;
  return e;
}

/* The same where it is all that the stage seeks. */
static const ga_node *extreme_element(const ga_stage *st, int *greatest, int *bits)
{
  return st->nreduction != 1 ? NULL : sought_element(st, &st->reductions[0], greatest, bits);
}

int ga_seeks_extreme(const ga_stage *st)
{
  int greatest, bits;
  return extreme_element(st, &greatest, &bits) != NULL;
}

/* The element whose least and greatest are all that several reductions seek. */
static const ga_node *extremes_element(const ga_stage *st, int *bits)
{
  const ga_node *all = NULL;
  int greatest, other;
  if (st->nreduction < 2) return NULL;
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_node *e = sought_element(st, &st->reductions[i], &greatest, i == 0 ? bits : &other);
    if (e == NULL || (i > 0 && (other != *bits || e->index != all->index))) return NULL;
    all = e;
  }
  return all;
}

int ga_seeks_extremes(const ga_stage *st)
{
  int bits;
  return ga_seeks_extreme(st) || extremes_element(st, &bits) != NULL;
}

/* GA_BOTH: X(m, end) for each member, what it is at the element `most` or `least`. */
static void gen_both(ga_str *s, const ga_stage *st)
{
  int greatest, bits;
  ga_str_add(s, "#define GA_BOTH(X)");
  for (unsigned int i = 0; i < st->nreduction; i++) {
    sought_element(st, &st->reductions[i], &greatest, &bits);
    ga_str_addf(s, " X(r%u, %s)", i, greatest ? "most" : "least");
  }
  ga_str_add(s, "\n");
}

void ga_gen_extreme(ga_str *s, const ga_stage *st, int both)
{
  int greatest = 1, bits;
  const ga_node *e = extreme_element(st, &greatest, &bits);
  if (e == NULL && both && (e = extremes_element(st, &bits)) != NULL) gen_both(s, st);
  if (e == NULL && ga_has_keys(st)) {
    e = &st->nodes[st->reductions[0].node];
    greatest = st->reductions[0].op == GA_REDUCE_argmax;
  }
  if (e == NULL) return;
  ga_str_addf(
      s, "#define GA_EXTREME(X) X(%d, %s)\n#define GA_GREATEST %d\n#define GA_EXTREME_SIGNED %d\n",
      e->index, ga_dtypes[e->dtype].device, greatest, ga_dtypes[e->dtype].kind == 'i' && !bits);
}

int ga_has_keys(const ga_stage *st)
{
  const ga_reduction *r = &st->reductions[0];
  return st->nreduction == 1 && r->iota >= 0 && loads_element(st, &st->nodes[r->node]) &&
         ga_dtypes[r->acc].size <= 2;
}

void ga_gen_keys(ga_str *s, const ga_stage *st)
{
  const ga_reduction *r = &st->reductions[0];
  const ga_dtype_info *t = &ga_dtypes[r->acc];
  uint32_t signs = t->size == 1 ? 0x80808080u : 0x80008000u, flip = 0;
  if (!ga_has_keys(st)) return;
  if (t->kind == 'u' || t->kind == 'b') flip = signs;
  if (r->op == GA_REDUCE_argmin) flip ^= t->kind == 'f' ? signs : 0xffffffffu;
  ga_str_addf(s, "#define GA_KEYS %d\n#define GA_RANK_FLIP 0x%xu\n", t->kind == 'f' ? 2 : 1,
              (unsigned int)flip);
  if (t->kind == 'f')
    ga_str_addf(s, "#define GA_RANK_INFINITY 0x%x\n", r->acc == GA_DT_FLOAT16 ? 0x7c00 : 0x7f80);
}
