/* SPDX-License-Identifier: MIT */
/* The parts of a reduction: the accumulator, one element as an accumulator, two
 * accumulators as one, and what follows. An accumulator has a member r<i> for
 * each reduction, and i<i> where it carries a position. */
#include "gen.h"

static const char *const reduce_names[] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = #name,
#include "reduce.def"
#undef REDUCE
};

void ga_acc_members(const ga_stage *st, ga_member_fn member, void *arg) {
  for (unsigned int i = 0; i < st->nreduction; i++) {
    member(arg, st->reductions[i].acc, 'r', i);
    if (st->reductions[i].iota >= 0) member(arg, GA_DT_INT64, 'i', i);
  }
}

size_t ga_device_size(enum ga_dtype dtype) { return ga_dtypes[dtype].size; }

struct extent {
  size_t size, align;
};

static void extend(void *arg, enum ga_dtype dtype, char name, unsigned int i) {
  struct extent *e = arg;
  size_t size = ga_device_size(dtype);
  (void)name;
  (void)i;
  e->size = (e->size + size - 1) / size * size + size;
  if (size > e->align) e->align = size;
}

size_t ga_acc_size(const ga_stage *st) {
  struct extent e = {0, 4};
  ga_acc_members(st, extend, &e);
  return (e.size + e.align - 1) / e.align * e.align;
}

static void declare(void *arg, enum ga_dtype dtype, char name, unsigned int i) {
  ga_str_addf(arg, " X(%s, %c%u)", ga_dtypes[dtype].device, name, i);
}

static void gen_leaf(ga_str *s, const ga_stage *st, const ga_uses *u) {
  ga_str_add(s, "template <class GA_P, class GA_I>\n"
                "GA_FN ga_acc ga_leaf(const GA_P &P, const GA_I &in, ga_long iota) {\n");
  ga_gen_nodes(s, st, u->before, 0);
  ga_str_add(s, "  ga_acc acc;\n");
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    ga_str_addf(s, "  acc.r%u = v%d;\n", i, r->node);
    if (r->iota >= 0) ga_str_addf(s, "  acc.i%u = v%d;\n", i, r->iota);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

static void gen_combine(ga_str *s, const ga_stage *st) {
  ga_str_add(s, "GA_FN ga_acc ga_combine(const ga_acc &a, const ga_acc &b) {\n");
  ga_str_add(s, "  ga_acc acc;\n");
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    const char *op = reduce_names[r->op], *type = ga_dtypes[r->acc].name;
    if (r->iota < 0) {
      ga_str_addf(s, "  acc.r%u = ga_reduce_%s_%s(a.r%u, b.r%u);\n", i, op, type, i, i);
      continue;
    }
    ga_str_addf(s, "  const bool k%u = ga_keep_%s_%s(a.r%u, a.i%u, b.r%u, b.i%u);\n", i,
                op, type, i, i, i, i);
    ga_str_addf(s, "  acc.r%u = k%u ? a.r%u : b.r%u;\n", i, i, i, i);
    ga_str_addf(s, "  acc.i%u = k%u ? a.i%u : b.i%u;\n", i, i, i, i);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

static const int has_empty[] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = identity,
#include "reduce.def"
#undef REDUCE
};

/* `what`: identity or empty. Where nothing has no value, the front end has seen
 * to it that there is something. */
static void gen_constant(ga_str *s, const ga_stage *st, const char *what) {
  ga_str_addf(s, "GA_FN ga_acc ga_%s() {\n  ga_acc acc;\n", what);
  for (unsigned int i = 0; i < st->nreduction; i++) {
    const ga_reduction *r = &st->reductions[i];
    ga_str_addf(s, "  acc.r%u = ga_%s_%s_%s()%s;\n", i,
                has_empty[r->op] ? what : "identity", reduce_names[r->op],
                ga_dtypes[r->acc].name, r->iota >= 0 ? ".value" : "");
    if (r->iota >= 0) ga_str_addf(s, "  acc.i%u = 0x7fffffffffffffffll;\n", i);
  }
  ga_str_add(s, "  return acc;\n}\n\n");
}

void ga_gen_reduce(ga_str *s, const ga_stage *st, const ga_uses *u) {
  ga_str_add(s, "#define GA_MEMBERS(X)");
  ga_acc_members(st, declare, s);
  ga_str_add(s, "\nstruct GA_ALIGN(4) ga_acc {\n#define X(T, m) T m;\n  GA_MEMBERS(X)\n"
                "#undef X\n};\n\n");
  gen_leaf(s, st, u);
  gen_combine(s, st);
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
