/* SPDX-License-Identifier: MIT */
/* The parts of a reduction: the accumulator, one element as an accumulator, two
 * accumulators as one, and what follows. An accumulator has a member r<i> for
 * each reduction, i<i> where it carries a position, t<i> and n<i> where a sum and a
 * count. */
#include "gen_extent.h"
#include "promote.h"
#include "variant.h"

static const char *const reduce_names[] = {
#define REDUCE(name, loops, acc, identity) [GA_REDUCE_##name] = #name,
#include "reduce.def"
#undef REDUCE
};

/* Scans hold extremes of whole numbers of 1 and 2 bytes as words: joining two is one
 * instruction then, where bytes are cut out and filled up again each time. */
static int is_word(const ga_stage *st, const ga_reduction *r)
{
  return st->scan && (r->op == GA_REDUCE_min || r->op == GA_REDUCE_max) && ga_is_whole(r->acc) &&
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

static void extend(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  (void)name;
  (void)i;
  ga_extent_add(arg, ga_device_size(dtype));
}

size_t ga_acc_size(const ga_stage *st)
{
  ga_extent e = {0, 4};
  ga_acc_members(st, extend, &e);
  return ga_extent_whole(&e);
}

struct sub_extent {
  ga_extent e;
  const ga_stage *st;
};

static void extend_whole_sub(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  struct sub_extent *s = arg;
  int narrow = name == 'r' && ga_is_narrow_sum(s->st, &s->st->reductions[i]);
  extend(&s->e, narrow ? GA_DT_INT32 : dtype, name, i);
}

static void extend_sub(void *arg, enum ga_dtype dtype, char name, unsigned int i)
{
  if (name != 'n') extend_whole_sub(arg, dtype, name, i);
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
  return ga_extent_whole(&s.e);
}

static size_t acc_align(const ga_stage *st)
{
  ga_extent e = {0, 4};
  ga_acc_members(st, extend, &e);
  return ga_extent_align(&e);
}

static size_t sub_align(const ga_stage *st)
{
  struct sub_extent s = {{0, 4}, st};
  ga_acc_members(st, extend_whole_sub, &s);
  return ga_extent_align(&s.e);
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
  return ga_is_whole(from) && ga_dtypes[from].size <= 2 && ga_is_int(r->acc);
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
  ga_str_addf(s,
              "\nstruct GA_ALIGN(%zu) ga_sub {\n#define X(T, m) T m;\n  GA_SUB_MEMBERS(X)\n"
              "#undef X\n};\n\n",
              sub_align(st));
  for (int wide = 0; wide < 2; wide++) {
    ga_str_add(s, wide ? "GA_FN ga_acc ga_widen(const ga_sub &a) {\n  ga_acc r;\n"
                       : "GA_FN ga_sub ga_narrow(const ga_acc &a) {\n  ga_sub r;\n");
    ga_str_addf(s, "#define X(T, m) r.m = (T)a.m;\n  %s(X)\n#undef X\n  return r;\n}\n\n",
                wide ? "GA_MEMBERS" : "GA_SUB_MEMBERS");
  }
  return 1;
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
  ga_gen_keys(s, st);
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
  ga_str_addf(s,
              "\nstruct GA_ALIGN(%zu) ga_acc {\n#define X(T, m) T m;\n  GA_MEMBERS(X)\n"
              "#undef X\n};\n\n",
              acc_align(st));
  gen_leaf(s, st, u);
  gen_combine(s, st, 0, "");
  if (gen_sub(s, st)) gen_combine(s, st, 1, "");
  ga_gen_narrow_sums(s, st);
  if (v->by_bytes) ga_gen_leaf_four(s, st, u->before);
  if (ga_has_moment(st)) {
    gen_combine(s, st, ga_narrows(st), "_even");
    gen_combine(s, st, ga_narrows(st), "_cut");
  }
  if (!st->scan)
    ga_gen_extreme(s, st,
                   v->skeleton == GA_SKEL_ROWS || v->skeleton == GA_SKEL_DOWN ||
                       (v->skeleton == GA_SKEL_NARROW && v->loose));
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
