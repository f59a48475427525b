/* SPDX-License-Identifier: MIT */
/* The parts of a chain (kernels/chain.cuh): for each level its accumulator, one
 * element as one, two as one, and what follows for the row; then the map. What a
 * level leaves for later ones is a member v<node> of ga_kept. */
#include <stdlib.h>
#include <string.h>

#include "gen_extent.h"
#include "gen_kept.h"
#include "ops.h"
#include "variant_chain.h"

/* Node sets of one level, and what the levels leave each other. */
typedef struct chain {
  ga_str *s;
  const ga_stage *st;
  ga_chain_reads reads;
  unsigned char *use;  /* [nnode] scratch: of the level being printed */
  unsigned char *kept; /* [nnode] GA_KEPT_ of a node */
  unsigned char *list; /* [noperand] scratch */
  int *carried;        /* [nnode] of a node: the one of an earlier level that is carried, -1 */
  int narrows;         /* rows are of a chunk at most: 32 bits hold sums of narrow integers */
} chain;

static int is_store_along_rows(const chain *c, unsigned int i)
{
  return !c->st->operands[c->st->stores[i].operand].outer;
}

static int level_of(const chain *c, const ga_reduction *r) { return c->st->nodes[r->node].level; }

/* ---- lists ------------------------------------------------------------------- */

static void gen_operands(chain *c, const char *name, int outer, int write)
{
  for (unsigned int i = 0; i < c->st->noperand; i++) {
    const ga_operand *o = &c->st->operands[i];
    c->list[i] = o->outer == outer && o->write == write && c->reads.at[i] >= 0;
  }
  ga_gen_list(c->s, c->st, name, c->list);
}

/* How far lanes are apart that would ask the same bank of shared memory for elements of
 * `widest` bytes, 0: no two. Elements of less than 4 bytes that lie side by side are read as
 * words. */
static unsigned int turn_of(const ga_variant *v, size_t widest)
{
  unsigned int apart = (unsigned int)(32 / widest);
  if (v->abreast == 0 && widest < 4) return 0;
  if (v->abreast == 0 && v->lanes < 5) return v->by_row != 0 ? apart : 0;
  if (v->abreast == 0) return v->spread > 1 ? apart / 2 : apart;
  apart >>= v->abreast - 1;
  return apart >= 1u << v->lanes ? 0 : apart != 0 ? apart : 1;
}

/* Where staged operands lie in shared memory: inputs, and then outputs in their place, or behind
 * them where threads have several rows. */
static void gen_areas(chain *c, const ga_variant *v)
{
  size_t area[2] = {0, 0}, widest = 0;
  size_t least = 8;
  unsigned int apart = 0, turn;
  int cuts;
  for (unsigned int i = 0; i < c->st->noperand && v->rows > 1; i++)
    if (v->staged >> i & 1 && !c->st->operands[i].write)
      area[1] += ga_dtypes[c->st->operands[i].dtype].size;
  ga_str_addf(c->s, "#define GA_STAGED %d\n", v->staged != 0);
  for (unsigned int i = 0; i < c->st->noperand && v->staged != 0; i++) {
    const ga_operand *o = &c->st->operands[i];
    int staged = (int)(v->staged >> i & 1);
    ga_str_addf(c->s, "#define ga_staged%u %d\n#define ga_area%u %zu\n", i, staged, i,
                area[o->write]);
    ga_str_addf(c->s, "#define ga_apart%u %d\n#define ga_low%u %u\n", i, (int)(v->by_row >> i & 1),
                i, v->by_row >> i & 1 ? apart++ : 0);
    ga_str_addf(c->s, "#define ga_again%u %d\n", i, (int)(v->repeats >> i & 1));
    if (!staged) continue;
    area[o->write] += ga_dtypes[o->dtype].size;
    if (ga_dtypes[o->dtype].size > widest) widest = ga_dtypes[o->dtype].size;
    if (ga_dtypes[o->dtype].size < least) least = ga_dtypes[o->dtype].size;
  }
  turn = v->staged != 0 ? turn_of(v, widest) : 0;
  cuts = v->held || turn == 0;
  if (v->staged == 0) cuts = !v->held && ga_widest_reduced(c->st) <= 2 && !ga_chain_is_wide(c->st);
  ga_str_addf(c->s, "#define GA_CUTS %d\n", v->team && v->whole != 2 && cuts);
  ga_str_addf(c->s, "#define GA_ABREAST %d\n#define GA_TURN %u\n#define GA_PIECE %d\n",
              v->abreast != 0, turn, turn == 0 && v->piece > 1 ? v->piece : 1);
  ga_str_addf(c->s, "#define GA_APART %u\n#define GA_STEPS %d\n#define GA_SPREAD %d\n", apart,
              v->spread != 0, v->spread > 1 ? v->spread : 1);
  ga_str_addf(c->s, "#define GA_SLACK %zu\n", ga_chain_slack(least));
  if (v->held && v->staged != 0)
    ga_str_addf(c->s, "#define GA_RUN %zu\n#define GA_CHUNKS %u\n", widest < 2 ? 8 : 16 / widest,
                v->places);
}

static int lengthwise_of(const ga_variant *v, unsigned int i)
{
  if (i >= 64) return 0;
  return v->ragged >> i & 1 ? 2 : (int)(v->lengthwise >> i & 1);
}

static void gen_lists(chain *c, const ga_variant *v)
{
  ga_str *s = c->s;
  int levels = ga_chain_levels(c->st), maps = 0;
  for (unsigned int i = 0; i < c->st->nstore; i++) maps |= is_store_along_rows(c, i);
  ga_str_addf(s, "#define GA_VECTOR %d\n#define GA_STORE_VEC %d\n#define GA_MOVES %d\n", v->vector,
              v->store_vec, v->moves);
  ga_str_addf(s, "#define GA_WHOLE %d\n#define GA_TEAM %d\n#define GA_HELD %d\n", v->whole, v->team,
              v->held);
  ga_str_addf(s, "#define GA_CLUSTER %u\n#define GA_LANES %u\n#define GA_HALVES %d\n", v->cluster,
              v->lanes, v->halves);
  ga_str_addf(s, "#define GA_ARG %d\n#define GA_ROWS %d\n", v->iota, v->rows);
  if (v->iota) ga_str_addf(s, "#define GA_FALLS %d\n", v->falls);
  if (v->skeleton == GA_SKEL_CHAIN_COLUMNS) {
    ga_str_addf(s, "#define GA_ACROSS %d\n#define GA_VEC %d\n#define GA_TURNED %d\n", v->across,
                v->vec, v->turned);
    ga_str_addf(s, "#define GA_FLAT %d\n#define GA_TILED %d\n#define GA_LAP %u\n", v->axes > 1,
                v->tiled != 0, v->common);
    for (unsigned int i = 0; i < c->st->noperand; i++)
      ga_str_addf(s, "#define ga_lengthwise%u %d\n#define ga_tiled%u %d\n", i, lengthwise_of(v, i),
                  i, i < 64 && v->tiled >> i & 1);
  }
  for (unsigned int k = 0; k < 4 && v->skeleton == GA_SKEL_CHAIN_BOXES; k++)
    ga_str_addf(s, "#define GA_EXTENT%u %u\n#define GA_PLACE%u %u\n", k, v->box_extent[k], k,
                v->place[k]);
  for (unsigned int i = 0; i < c->st->noperand && v->skeleton == GA_SKEL_CHAIN_BOXES; i++)
    ga_str_addf(s, "#define ga_boxed%u %d\n", i, is_boxed(v, i));
  if (v->skeleton == GA_SKEL_CHAIN_BOXES)
    ga_str_addf(s,
                "#define GA_ROW_AXES 0x%x\n#define GA_LINES_APART %u\n#define GA_LINE_LANES %u\n"
                "#define GA_RUN %u\n#define GA_BOX_ORDER 0x%x\n",
                v->row_axes, v->lines_apart, v->line_lanes, v->runs, v->box_order);
  ga_str_addf(s, "#define GA_FOURS %d\n#define GA_THREADS %u\n#define GA_MIN_BLOCKS %u\n", v->fours,
              v->threads, v->resident);
  ga_str_add(s, "#define GA_LEVELS(X)");
  for (int j = 0; j < levels; j++) ga_str_addf(s, " X(%d)", j);
  ga_str_addf(s, "\n#define GA_MAP %d\n#define GA_MAPS %d\n", levels, maps);
  ga_gen_list(s, c->st, "GA_OPERANDS", NULL);
  gen_operands(c, "GA_INPUTS", 0, 0);
  gen_operands(c, "GA_OUTPUTS", 0, 1);
  gen_operands(c, "GA_ROW_INPUTS", 1, 0);
  gen_operands(c, "GA_ROW_OUTPUTS", 1, 1);
  for (unsigned int i = 0; i < c->st->noperand; i++)
    ga_str_addf(s, "#define ga_at%u %d\n#define ga_last%u %d\n", i, c->reads.at[i], i,
                c->reads.last[i]);
  gen_areas(c, v);
  ga_gen_numbers(s, c->st);
  ga_str_add(s, "\n");
}

/* ---- nodes --------------------------------------------------------------------- */

static void begin_level(chain *c) { memset(c->use, 0, c->st->nnode); }

/* Prints what the marked nodes of `level` need, and those. */
static void gen_nodes(chain *c, int level)
{
  const ga_stage *st = c->st;
  for (unsigned int i = st->nnode; i-- > 0;) {
    if (!c->use[i] || st->nodes[i].level != level || c->carried[i] >= 0) continue;
    for (int k = 0; k < 3; k++)
      if (st->nodes[i].arg[k] >= 0) c->use[st->nodes[i].arg[k]] = 1;
  }
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (!c->use[i] || st->nodes[i].level != level || c->carried[i] < 0) continue;
    ga_str_addf(c->s, "  const %s v%u = in.k%d;\n", ga_dtypes[st->nodes[i].dtype].device, i,
                c->carried[i]);
    c->use[i] = 0;
  }
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (!c->use[i] || st->nodes[i].level == level) continue;
    if (c->kept[i] & GA_KEPT_VALUE)
      ga_str_addf(c->s, "  const %s v%u = kept.v%u;\n", ga_dtypes[st->nodes[i].dtype].device, i, i);
    c->use[i] = 0;
  }
  ga_gen_nodes(c->s, st, c->use, level & 1);
}

/* A node that another level reads, or a row's that is stored along rows. */
static void find_kept(chain *c)
{
  const ga_stage *st = c->st;
  ga_find_kept(c->kept, st);
  for (unsigned int i = 0; i < st->nstore; i++)
    if (is_store_along_rows(c, i) && (st->nodes[st->stores[i].node].level & 1))
      c->kept[st->stores[i].node] |= GA_KEPT_VALUE;
}

/* ---- what elements carry ---------------------------------------------------------- */

/* Nodes i and k are of the same value for each element, at levels of their own. */
static int same_value(const ga_stage *st, int i, int k)
{
  const ga_node *x = &st->nodes[i], *y = &st->nodes[k];
  if (i == k) return 1;
  if (x->op != y->op || x->dtype != y->dtype || x->index != y->index) return 0;
  if ((x->level & 1) || (y->level & 1)) return 0;
  for (int n = 0; n < 3; n++) {
    if ((x->arg[n] < 0) != (y->arg[n] < 0)) return 0;
    if (x->arg[n] >= 0 && !same_value(st, x->arg[n], y->arg[n])) return 0;
  }
  return 1;
}

/* The node of an earlier level whose value node i has, if it is a function of 16-bit floats, which
 * the compiler does not see to be the same; else -1. */
static int earlier_of(const ga_stage *st, unsigned int i)
{
  const ga_node *x = &st->nodes[i];
  if ((x->level & 1) || ga_dtypes[x->dtype].size != 2 || !ga_needs_math(st, x)) return -1;
  for (unsigned int k = 0; k < i; k++)
    if (st->nodes[k].level < x->level && same_value(st, (int)k, (int)i)) return (int)k;
  return -1;
}

int ga_chain_carries(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (earlier_of(st, i) >= 0) return 1;
  return 0;
}

/* Such values stay with the elements that are kept in registers. */
static void find_carried(chain *c, const ga_variant *v)
{
  for (unsigned int i = 0; i < c->st->nnode; i++)
    c->carried[i] = v->held ? -1 : earlier_of(c->st, i);
}

static int is_carried(const chain *c, unsigned int i)
{
  for (unsigned int k = i + 1; k < c->st->nnode; k++)
    if (c->carried[k] == (int)i) return 1;
  return 0;
}

static void gen_carried(chain *c)
{
  ga_str_add(c->s, "#define GA_CARRIED(X)");
  for (unsigned int i = 0; i < c->st->nnode; i++)
    if (is_carried(c, i))
      ga_str_addf(c->s, " X(%u, %s)", i, ga_dtypes[c->st->nodes[i].dtype].device);
  ga_str_add(c->s, "\n\n");
}

/* ---- one level -------------------------------------------------------------------- */

/* The accumulator of argmin or argmax, and what is compared. */
static void gen_place(chain *c)
{
  const ga_reduction *r = &c->st->reductions[0];
  ga_gen_best(c->s, c->st);
  ga_str_add(c->s, "struct GA_ALIGN(4) ga_acc0 {\n  ga_value r0;\n  ga_long i0;\n};\n\n");
  ga_str_addf(c->s, "GA_FN ga_value ga_no_value() { return ga_identity_%s_%s().value; }\n\n",
              ga_reduces[r->op].name, ga_dtypes[r->acc].name);
}

static int is_narrow(const chain *c, unsigned int i)
{
  return c->narrows && ga_is_narrow_sum(c->st, &c->st->reductions[i]);
}

static void gen_acc(chain *c, int j)
{
  const ga_stage *st = c->st;
  const ga_reduction *r = st->reductions;
  ga_extent e = {0, 4};
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (level_of(c, &r[i]) == 2 * j)
      ga_extent_add(&e, ga_device_size(is_narrow(c, i) ? GA_DT_INT32 : r[i].acc));
  ga_str_addf(c->s, "struct GA_ALIGN(%zu) ga_acc%d {\n", ga_extent_align(&e), j);
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (level_of(c, &r[i]) == 2 * j)
      ga_str_addf(c->s, "  %s r%u;\n", is_narrow(c, i) ? "ga_int" : ga_dtypes[r[i].acc].device, i);
  ga_str_addf(c->s, "};\n\nGA_FN void ga_identity(ga_acc%d &acc) {\n", j);
  for (unsigned int i = 0; i < st->nreduction; i++) {
    if (level_of(c, &r[i]) != 2 * j) continue;
    if (is_narrow(c, i))
      ga_str_addf(c->s, "  acc.r%u = 0;\n", i);
    else
      ga_str_addf(c->s, "  acc.r%u = ga_identity_%s_%s();\n", i, ga_reduces[r[i].op].name,
                  ga_dtypes[r[i].acc].name);
  }
  ga_str_addf(c->s, "}\n\nGA_FN ga_acc%d ga_combine(const ga_acc%d &a, const ga_acc%d &b) {\n", j,
              j, j);
  ga_str_addf(c->s, "  ga_acc%d acc;\n", j);
  for (unsigned int i = 0; i < st->nreduction; i++) {
    if (level_of(c, &r[i]) != 2 * j) continue;
    if (is_narrow(c, i))
      ga_str_addf(c->s, "  acc.r%u = a.r%u + b.r%u;\n", i, i, i);
    else
      ga_str_addf(c->s, "  acc.r%u = ga_reduce_%s_%s(a.r%u, b.r%u);\n", i, ga_reduces[r[i].op].name,
                  ga_dtypes[r[i].acc].name, i, i);
  }
  ga_str_add(c->s, "  return acc;\n}\n\n");
}

/* `what` is done with each value that elements carry from this level on. */
static void gen_carry(chain *c, int level, const char *what)
{
  for (unsigned int i = 0; i < c->st->nnode; i++)
    if (c->st->nodes[i].level == level && is_carried(c, i)) ga_str_addf(c->s, what, i, i);
}

/* The node that reduction i joins: sums in 32 bits need no float64 in between. */
static int leaf_of(const chain *c, unsigned int i)
{
  int node = c->st->reductions[i].node;
  return is_narrow(c, i) && c->st->nodes[node].op == GA_N_CAST ? c->st->nodes[node].arg[0] : node;
}

static void gen_leaf(chain *c, int j)
{
  const ga_stage *st = c->st;
  ga_str_addf(c->s,
              "template <class GA_P, class GA_I>\nGA_FN void ga_leaf(const GA_P &P, "
              "GA_I &in, const ga_kept &kept, ga_acc%d &acc) {\n",
              j);
  begin_level(c);
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (level_of(c, &st->reductions[i]) == 2 * j) c->use[leaf_of(c, i)] = 1;
  gen_nodes(c, 2 * j);
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (level_of(c, &st->reductions[i]) == 2 * j)
      ga_str_addf(c->s, "  acc.r%u = %sv%d;\n", i, is_narrow(c, i) ? "(ga_int)" : "",
                  leaf_of(c, i));
  gen_carry(c, 2 * j, "  in.k%u = v%u;\n");
  ga_str_addf(c->s,
              "}\n\ntemplate <class GA_F, class GA_I>\nGA_FN void ga_carry(GA_F &f, int j, "
              "const GA_I &in, const ga_acc%d &) {\n",
              j);
  gen_carry(c, 2 * j, "  f.k%u.set(j, in.k%u);\n");
  ga_str_add(c->s, "}\n\n");
}

static void gen_after(chain *c, int j)
{
  const ga_stage *st = c->st;
  int level = 2 * j + 1;
  ga_str_addf(c->s,
              "template <class GA_P, class GA_X>\nGA_FN void ga_after(const GA_P &P, "
              "const ga_acc%d &acc, GA_X &outer, ga_kept &kept) {\n",
              j);
  begin_level(c);
  for (unsigned int i = 0; i < st->nnode; i++)
    c->use[i] = c->kept[i] != 0 && st->nodes[i].level == level;
  for (unsigned int i = 0; i < st->nstore; i++)
    if (!is_store_along_rows(c, i) && st->nodes[st->stores[i].node].level == level)
      c->use[st->stores[i].node] = 1;
  gen_nodes(c, level);
  ga_gen_keep(c->s, st, c->kept, level);
  for (unsigned int i = 0; i < st->nstore; i++)
    if (!is_store_along_rows(c, i) && st->nodes[st->stores[i].node].level == level)
      ga_str_addf(c->s, "  outer.y%d = v%d;\n", st->stores[i].operand, st->stores[i].node);
  ga_str_add(c->s, "}\n\n");
}

static void gen_map(chain *c)
{
  const ga_stage *st = c->st;
  ga_str_add(c->s,
             "template <class GA_P, class GA_I, class GA_O>\nGA_FN void ga_map(const GA_P &P, "
             "const GA_I &in, const ga_kept &kept, GA_O &out) {\n");
  begin_level(c);
  for (unsigned int i = 0; i < st->nstore; i++)
    if (is_store_along_rows(c, i)) c->use[st->stores[i].node] = 1;
  gen_nodes(c, 2 * ga_chain_levels(st));
  for (unsigned int i = 0; i < st->nstore; i++)
    if (is_store_along_rows(c, i))
      ga_str_addf(c->s, "  out.y%d = v%d;\n", st->stores[i].operand, st->stores[i].node);
  ga_str_add(c->s, "}\n");
}

int ga_gen_chain(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  chain c = {.s = s, .st = st, .narrows = !v->team && v->cluster == 1};
  size_t n = st->nnode + 1u, bytes = 2 * n + st->noperand;
  GA_TRY(ga_chain_reads_make(&c.reads, st));
  if ((c.carried = calloc(1, n * sizeof *c.carried + bytes)) == NULL) {
    ga_chain_reads_clear(&c.reads);
    return ga_error_memory("kernel", n * sizeof *c.carried + bytes);
  }
  c.use = (unsigned char *)(c.carried + n);
  c.kept = c.use + n;
  c.list = c.kept + n;
  gen_lists(&c, v);
  find_kept(&c);
  ga_gen_kept(s, st, c.kept);
  find_carried(&c, v);
  gen_carried(&c);
  for (int j = 0; j < ga_chain_levels(st); j++) {
    if (v->iota)
      gen_place(&c);
    else
      gen_acc(&c, j);
    gen_leaf(&c, j);
    if (v->by_bytes) {
      for (unsigned int i = 0; i < st->nnode; i++) c.use[i] = st->nodes[i].level == 0;
      ga_gen_leaf_four(s, st, c.use);
    }
    gen_after(&c, j);
  }
  gen_map(&c);
  free(c.carried);
  ga_chain_reads_clear(&c.reads);
  return GA_NO_ERROR;
}
