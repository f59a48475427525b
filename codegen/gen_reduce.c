/* SPDX-License-Identifier: MIT */
/* The parts of a reduction: the accumulator, one element as an accumulator, two
 * accumulators as one, and what follows. An accumulator has a member r<i> for
 * each reduction, i<i> where it carries a position, t<i> and n<i> where a sum and a
 * count. */
#include "promote.h"
#include "variant.h"

static const char *const reduce_names[] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = #name,
#include "reduce.def"
#undef REDUCE
};

static int is_whole(enum ga_dtype t)
{
  return ga_dtypes[t].kind == 'b' || ga_dtypes[t].kind == 'i' || ga_dtypes[t].kind == 'u';
}

/* Scans hold extremes of whole numbers of 1 and 2 bytes as words: joining two is one
 * instruction then, where bytes are cut out and filled up again each time. */
static int is_word(const ga_stage *st, const ga_reduction *r)
{
  return st->scan && (r->op == GA_REDUCE_min || r->op == GA_REDUCE_max) && is_whole(r->acc) &&
         ga_dtypes[r->acc].size < 4;
}

int ga_is_ranked(const ga_stage *st, const ga_reduction *r)
{
  return st->scan && (r->op == GA_REDUCE_min || r->op == GA_REDUCE_max) && r->acc == GA_DT_FLOAT64;
}

void ga_acc_members(const ga_stage *st, ga_member_fn member, void *arg)
{
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    enum ga_dtype dtype = is_word(st, r) ? GA_DT_INT32 : r->acc;
    member(arg, ga_is_ranked(st, r) ? GA_DT_INT64 : dtype, 'r', i);
    if (r->iota >= 0) member(arg, GA_DT_INT64, 'i', i);
    if (r->op == GA_REDUCE_moment) member(arg, r->acc, 't', i);
    if (r->op == GA_REDUCE_moment) member(arg, r->acc, 'n', i);
  }
}

size_t ga_device_size(enum ga_dtype dtype) { return ga_dtypes[dtype].size; }

struct extent {
  size_t size, align;
};

static void extend(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  struct extent *e = arg;
  size_t size = ga_device_size(dtype);
  (void)name;
  (void)i;
  e->size = (e->size + size - 1) / size * size + size;
  if (size > e->align) e->align = size;
}

size_t ga_acc_size(const ga_stage *st)
{
  struct extent e = {0, 4};
  ga_acc_members(st, extend, &e);
  return (e.size + e.align - 1) / e.align * e.align;
}

struct sub_extent {
  struct extent e;
  const ga_stage *st;
};

static void extend_sub(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  struct sub_extent *s = arg;
  int narrow = name == 'r' && ga_is_narrow_sum(s->st, &s->st->reductions[i]);
  if (name == 'n') return;
  extend(&s->e, narrow ? GA_DT_INT32 : dtype, name, i);
}

int ga_narrows(const ga_stage *st)
{
  int any = 0;
  for (unsigned int i = 0; i < st->nreduction; i++) any |= ga_is_narrow_sum(st, &st->reductions[i]);
  return any;
}

/* The same of a ga_sub, but for counts, which are those of neighbours. */
size_t ga_sub_size(const ga_stage *st)
{
  struct sub_extent s = {{0, 4}, st};
  ga_acc_members(st, extend_sub, &s);
  return (s.e.size + s.e.align - 1) / s.e.align * s.e.align;
}

static void declare(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  ga_str_addf(arg, " X(%s, %c%u)", ga_dtypes[dtype].device, name, i);
}

static void name_count(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  (void)dtype;
  if (name == 'n') ga_str_addf(arg, " X(%c%u)", name, i);
}

static void name_value(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  (void)dtype;
  if (name != 'n') ga_str_addf(arg, " X(%c%u)", name, i);
}

static void gen_leaf(ga_str *s, const ga_stage *st, const ga_uses *u)
{
  ga_str_add(s, "template <class GA_P, class GA_I>\n"
                "GA_FN ga_acc ga_leaf(const GA_P &P, const GA_I &in, ga_long iota) {\n");
  ga_gen_nodes(s, st, u->before, 0);
  ga_str_add(s, "  ga_acc acc;\n");
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    if (r->op == GA_REDUCE_moment) {
      ga_str_addf(s, "  acc.r%u = -0.0%s;\n  acc.t%u = v%d;\n  acc.n%u = 1;\n", i,
                  r->acc == GA_DT_FLOAT32 ? "f" : "", i, r->node, i);
      continue;
    }
    if (ga_is_ranked(st, r))
      ga_str_addf(s, "  acc.r%u = ga_rank_%s_float64(v%d);\n", i, reduce_names[r->op], r->node);
    else
      ga_str_addf(s, "  acc.r%u = v%d;\n", i, r->node);
    if (r->iota >= 0) ga_str_addf(s, "  acc.i%u = v%d;\n", i, r->iota);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

int ga_is_narrow_sum(const ga_stage *st, const ga_reduction *r)
{
  const ga_node *n = &st->nodes[r->node];
  enum ga_dtype from = n->dtype;
  if (r->op != GA_REDUCE_sum || ga_dtypes[r->acc].size != 8) return 0;
  if (n->op == GA_N_CAST) from = st->nodes[n->arg[0]].dtype;
  if (n->op == GA_N_LOAD) from = st->operands[n->index].dtype;
  return is_whole(from) && ga_dtypes[from].size <= 2 && ga_is_int(r->acc);
}

static void declare_sub(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  struct sub {
    ga_str *s;
    const ga_stage *st;
  } *sub = arg;
  int narrow = name == 'r' && ga_is_narrow_sum(sub->st, &sub->st->reductions[i]);
  ga_str_addf(sub->s, " X(%s, %c%u)", narrow ? "ga_int" : ga_dtypes[dtype].device, name, i);
}

/* ga_sub: an accumulator inside a chunk, narrower where integers allow it. */
static int gen_sub(ga_str *s, const ga_stage *st)
{
  struct {
    ga_str *s;
    const ga_stage *st;
  } sub = {s, st};
  int any = ga_narrows(st);
  ga_str_addf(s, "#define GA_SUB %d\n", any);
  if (!any) return 0;
  ga_str_add(s, "#define GA_SUB_MEMBERS(X)");
  ga_acc_members(st, declare_sub, &sub);
  ga_str_add(s, "\nstruct GA_ALIGN(4) ga_sub {\n#define X(T, m) T m;\n  GA_SUB_MEMBERS(X)\n"
                "#undef X\n};\n\n");
  for (int wide = 0; wide < 2; wide++) {
    ga_str_add(s, wide ? "GA_FN ga_acc ga_widen(const ga_sub &a) {\n  ga_acc r;\n"
                       : "GA_FN ga_sub ga_narrow(const ga_acc &a) {\n  ga_sub r;\n");
    ga_str_addf(s, "#define X(T, m) r.m = (T)a.m;\n  %s(X)\n#undef X\n  return r;\n}\n\n",
                wide ? "GA_MEMBERS" : "GA_SUB_MEMBERS");
  }
  return 1;
}

/* The node whose numbers r sums: where those of r's own are squares of whole numbers of 1 or 2
 * bytes, in a type that they fit, what is squared. */
static int summed_node(const ga_stage *st, const ga_reduction *r)
{
  const ga_node *n = &st->nodes[r->node], *x;
  if (r->op != GA_REDUCE_sum || !ga_is_int(r->acc)) return r->node;
  if (n->op == GA_N_CAST) n = &st->nodes[n->arg[0]];
  if (n->op != GA_OP_square || st->nodes[n->arg[0]].op != GA_N_CAST) return r->node;
  x = &st->nodes[st->nodes[n->arg[0]].arg[0]];
  if (!is_whole(x->dtype) || ga_dtypes[x->dtype].size > 2) return r->node;
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

/* GA_NARROW_SUMS: X(i, m, square) for each member, the sum of operand i or of its squares. */
static void gen_narrow_sums(ga_str *s, const ga_stage *st)
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
  return is_whole(n->dtype) && ga_dtypes[n->dtype].size <= 2 ? n : NULL;
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

static void combine_moments(ga_str *s, const char *type, unsigned int i, const char *how)
{
  ga_str_addf(s, "  const ga_moment_%s m%u = ga_reduce%s_moment_%s(", type, i, how, type);
  ga_str_addf(s, "ga_pack_moment_%s(a.r%u, a.t%u, a.n%u), ", type, i, i, i);
  ga_str_addf(s, "ga_pack_moment_%s(b.r%u, b.t%u, b.n%u));\n", type, i, i, i);
  ga_str_addf(s, "  acc.r%u = m%u.m2;\n  acc.t%u = m%u.sum;\n  acc.n%u = m%u.n;\n", i, i, i, i, i,
              i);
}

/* kernels/words.cuh, up to the arguments; of a word of 2 bytes the upper half is nothing. */
static void call_parts(ga_str *s, const ga_reduction *r, unsigned int i, const char *what)
{
  ga_str_addf(s, "  acc.r%u = (%s)ga_%s_parts<%d, %d, %d>", i, ga_dtypes[r->acc].device, what,
              r->parts, r->op == GA_REDUCE_max, ga_dtypes[r->acc].kind == 'i');
}

/* `how`: what moments are joined by, "", "_even" or "_cut" (kernels/scalar_reduce.cuh). */
static void gen_combine(ga_str *s, const ga_stage *st, int sub, const char *how)
{
  const char *acc = sub ? "ga_sub" : "ga_acc";
  ga_str_addf(s, "GA_FN %s ga_combine%s(const %s &a, const %s &b) {\n  %s acc;\n", acc, how, acc,
              acc, acc);
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    const char *op = reduce_names[r->op], *type = ga_dtypes[r->acc].name;
    if (sub && ga_is_narrow_sum(st, r)) {
      ga_str_addf(s, "  acc.r%u = a.r%u + b.r%u;\n", i, i, i);
      continue;
    }
    if (r->parts) {
      call_parts(s, r, i, "better");
      ga_str_addf(s, "((ga_uint)a.r%u, (ga_uint)b.r%u);\n", i, i);
      continue;
    }
    if (is_word(st, r) || ga_is_ranked(st, r)) {
      ga_str_addf(s, "  acc.r%u = a.r%u %c b.r%u ? a.r%u : b.r%u;\n", i, i,
                  r->op == GA_REDUCE_max ? '>' : '<', i, i, i);
      continue;
    }
    if (r->op == GA_REDUCE_moment) {
      combine_moments(s, type, i, how);
      continue;
    }
    if (r->iota < 0) {
      ga_str_addf(s, "  acc.r%u = ga_reduce_%s_%s(a.r%u, b.r%u);\n", i, op, type, i, i);
      continue;
    }
    ga_str_addf(s, "  const bool k%u = ga_keep_%s_%s(a.r%u, a.i%u, b.r%u, b.i%u);\n", i, op, type,
                i, i, i, i);
    ga_str_addf(s, "  acc.r%u = k%u ? a.r%u : b.r%u;\n", i, i, i, i);
    ga_str_addf(s, "  acc.i%u = k%u ? a.i%u : b.i%u;\n", i, i, i, i);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

int ga_reduction_is_free(const ga_reduction *r)
{
  switch (r->op) {
  case GA_REDUCE_sum:
  case GA_REDUCE_prod: return r->acc == GA_DT_INT64 || r->acc == GA_DT_UINT64;
  case GA_REDUCE_min:
  case GA_REDUCE_max: return r->acc != GA_DT_COMPLEX64 && r->acc != GA_DT_COMPLEX128;
  case GA_REDUCE_moment: return 0;
  default: return 1;
  }
}

int ga_stage_is_free(const ga_stage *st)
{
  int arg = st->nreduction == 1 && st->reductions[0].iota >= 0;
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (!ga_reduction_is_free(&st->reductions[i]) || (!arg && st->reductions[i].iota >= 0))
      return 0;
  return st->nreduction != 0;
}

int ga_has_keys(const ga_stage *st)
{
  const ga_reduction *r = &st->reductions[0];
  return st->nreduction == 1 && r->iota >= 0 && loads_element(st, &st->nodes[r->node]) &&
         ga_dtypes[r->acc].size <= 2;
}

/* GA_KEYS: 1 of whole numbers, 2 of floats; how their bits are ranked (reduce_keys.cuh). */
static void gen_keys(ga_str *s, const ga_stage *st)
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

/* GA_FREE, GA_ARG, GA_ROLL. */
static void gen_free(ga_str *s, const ga_stage *st)
{
  int arg = st->nreduction == 1 && st->reductions[0].iota >= 0, free = ga_stage_is_free(st),
      roll = 0;
  for (unsigned int i = 0; i < st->nreduction; i++)
    roll |= st->reductions[i].op == GA_REDUCE_moment;
  ga_str_addf(s, "#define GA_FREE %d\n#define GA_ARG %d\n#define GA_ROLL %d\n", free, arg, roll);
  if (arg) ga_gen_best(s, st);
}

void ga_gen_best(ga_str *s, const ga_stage *st)
{
  const ga_reduction *r = &st->reductions[0];
  gen_keys(s, st);
  ga_str_addf(s, "typedef %s ga_value;\n", ga_dtypes[r->acc].device);
  ga_str_addf(s,
              "GA_FN ga_value ga_better(ga_value a, ga_value b) {\n"
              "  return ga_%s_%s(a, b);\n}\n",
              r->op == GA_REDUCE_argmin ? "minimum" : "maximum", ga_dtypes[r->acc].name);
  ga_str_addf(s,
              "GA_FN bool ga_keep(ga_value a, ga_long i, ga_value b, ga_long j) {\n"
              "  return ga_keep_%s_%s(a, i, b, j);\n}\n\n",
              reduce_names[r->op], ga_dtypes[r->acc].name);
}

static const int has_empty[] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = identity,
#include "reduce.def"
#undef REDUCE
};

/* `what`: identity or empty. Where nothing has no value, the front end has seen
 * to it that there is something. */
static void gen_constant(ga_str *s, const ga_stage *st, const char *what)
{
  ga_str_addf(s, "GA_FN ga_acc ga_%s() {\n  ga_acc acc;\n", what);
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    if (r->op == GA_REDUCE_moment) {
      ga_str_addf(s, "  acc.r%u = acc.t%u = acc.n%u = 0;\n", i, i, i);
      continue;
    }
    if (r->parts) {
      call_parts(s, r, i, "worst");
      ga_str_add(s, "();\n");
      continue;
    }
    if (ga_is_ranked(st, r)) {
      ga_str_addf(s, "  acc.r%u = ga_rank_%s_float64(ga_identity_%s_float64());\n", i,
                  reduce_names[r->op], reduce_names[r->op]);
      continue;
    }
    ga_str_addf(s, "  acc.r%u = ga_%s_%s_%s()%s;\n", i, has_empty[r->op] ? what : "identity",
                reduce_names[r->op], ga_dtypes[r->acc].name, r->iota >= 0 ? ".value" : "");
    if (r->iota >= 0) ga_str_addf(s, "  acc.i%u = 0x7fffffffffffffffll;\n", i);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

void ga_gen_reduce(ga_str *s, const ga_stage *st, const ga_uses *u, const ga_variant *v)
{
  ga_str_add(s, "#define GA_MEMBERS(X)");
  ga_acc_members(st, declare, s);
  ga_str_add(s, "\n#define GA_COUNTS(X)");
  ga_acc_members(st, name_count, s);
  ga_str_add(s, "\n#define GA_VALUES(X)");
  ga_acc_members(st, name_value, s);
  ga_str_add(s, "\nstruct GA_ALIGN(4) ga_acc {\n#define X(T, m) T m;\n  GA_MEMBERS(X)\n"
                "#undef X\n};\n\n");
  gen_leaf(s, st, u);
  gen_combine(s, st, 0, "");
  if (gen_sub(s, st)) gen_combine(s, st, 1, "");
  gen_narrow_sums(s, st);
  if (v->by_bytes) ga_gen_leaf_four(s, st, u->before);
  if (ga_has_moment(st)) {
    gen_combine(s, st, ga_narrows(st), "_even");
    gen_combine(s, st, ga_narrows(st), "_cut");
  }
  if (!st->scan) ga_gen_extreme(s, st, v->skeleton == GA_SKEL_ROWS);
  gen_free(s, st);
  gen_constant(s, st, "identity");
  gen_constant(s, st, "empty");
  ga_str_add(s, "template <class GA_P, class GA_X, class GA_O>\n"
                "GA_FN void ga_post(const GA_P &P, const ga_acc &acc, const GA_X &outer, "
                "GA_O &out) {\n");
  ga_gen_nodes(s, st, u->after, 1);
  for (unsigned int i = 0; i < st->nstore; i++)
    ga_str_addf(s, "  out.y%u = v%d;\n", st->stores[i].operand, st->stores[i].node);
  ga_str_add(s, "}\n");
}
