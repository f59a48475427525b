/* SPDX-License-Identifier: MIT */
/* A kernel's source: one of the skeletons of kernels/, the scalar functions, and
 * a generated header, ga_stage.h (gen_header.c). Nothing of the expression's text
 * comes through: names are numbered. */
#include <stdlib.h>
#include <string.h>

#include "codegen/kernels.h"
#include "gen_kept.h"

/* ---- what is used where --------------------------------------------------- */

void ga_nodes_reach(unsigned char *use, const ga_stage *st, int node)
{
  if (node < 0 || use[node]) return;
  use[node] = 1;
  /* arguments are earlier nodes: one descending pass marks them all */
  for (int i = node; i >= 0; i--)
    if (use[i])
      for (int k = 0; k < 3; k++)
        if (st->nodes[i].arg[k] >= 0) use[st->nodes[i].arg[k]] = 1;
}

int ga_uses_make(ga_uses *u, const ga_stage *st)
{
  size_t n = st->noperand, m = st->nnode;
  memset(u, 0, sizeof *u);
  u->in = calloc(3 * n + 2 * m + 1, 1);
  if (u->in == NULL) return ga_error_memory("kernel", 3 * n + 2 * m);
  u->outer = u->in + n;
  u->out = u->outer + n;
  u->before = u->out + n;
  u->after = u->before + m;
  for (unsigned int i = 0; i < st->nreduction; i++) {
    ga_nodes_reach(u->before, st, st->reductions[i].node);
    ga_nodes_reach(u->before, st, st->reductions[i].iota);
  }
  if (st->splice != NULL) memcpy(u->in, st->splice->reads, n);
  for (unsigned int i = 0; i < st->nstore; i++) {
    ga_nodes_reach(st->nreduction != 0 ? u->after : u->before, st, st->stores[i].node);
    u->out[st->stores[i].operand] = 1;
  }
  for (size_t i = 0; i < m; i++) {
    if (st->nodes[i].op != GA_N_LOAD) continue;
    const unsigned int op = (unsigned int)st->nodes[i].index;
    if (u->before[i]) u->in[op] = st->operands[op].outer != GA_NUMBER;
    if (u->after[i]) u->outer[op] = 1;
  }
  return GA_NO_ERROR;
}

void ga_uses_clear(ga_uses *u)
{
  free(u->in);
  memset(u, 0, sizeof *u);
}

/* ---- nodes ---------------------------------------------------------------- */

static const struct {
  const char *name;
  int nargs;
} ops[GA_NOP] = {
#define OP(name, nargs, loops, result, flags) [GA_OP_##name - GA_N_OP] = {#name, nargs},
#include "ops.def"
#undef OP
};

/* Rows of float64: of narrower ones that are worked on in float64 registers are too few. */
static int reads_wide(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].write && !st->operands[i].outer && st->operands[i].dtype == GA_DT_FLOAT64)
      return 1;
  return 0;
}

int ga_divides_row(const ga_stage *st, const ga_node *node)
{
  const ga_node *by = node->op == GA_OP_divide ? &st->nodes[node->arg[1]] : NULL;
  if (by == NULL || (by->level & 1) == 0 || (node->level & 1) != 0) return 0;
  if (by->dtype == GA_DT_FLOAT64) return reads_wide(st);
  return ga_dtypes[by->dtype].size == 2 || by->dtype == GA_DT_FLOAT32;
}

int ga_divides_wide(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].dtype == GA_DT_FLOAT64 && ga_divides_row(st, &st->nodes[i])) return 1;
  return 0;
}

static void gen_call(ga_str *s, const ga_stage *st, const ga_node *node, const char *way)
{
  int op = node->op - GA_N_OP, nargs = ops[op].nargs;
  enum ga_dtype loop = st->nodes[node->arg[nargs - 1]].dtype;
  if (ga_divides_row(st, node)) {
    ga_str_addf(s, "ga_divide_by_%s(v%d, kept.d%d)", ga_dtypes[loop].name, node->arg[0],
                node->arg[1]);
    return;
  }
  ga_str_addf(s, "ga_%s%s_%s(", way, ops[op].name, ga_dtypes[loop].name);
  for (int k = 0; k < nargs; k++) ga_str_addf(s, "%sv%d", k != 0 ? ", " : "", node->arg[k]);
  ga_str_add(s, ")");
}

static void gen_cast(ga_str *s, enum ga_dtype from, enum ga_dtype to, const char *what, int i)
{
  if (from == to)
    ga_str_addf(s, "%s%d", what, i);
  else
    ga_str_addf(s, "ga_cast_%s_%s(%s%d)", ga_dtypes[from].name, ga_dtypes[to].name, what, i);
}

/* `from`: the element that is worked on, of each operand that is no number. */
static void gen_load(ga_str *s, const ga_stage *st, const ga_node *node, const char *from)
{
  enum ga_dtype t = st->operands[node->index].dtype;
  if (st->operands[node->index].outer != GA_NUMBER)
    gen_cast(s, t, node->dtype, from, node->index);
  else if (t == node->dtype)
    ga_str_addf(s, "ga_load<%s>(P.a%d)", ga_dtypes[t].device, node->index);
  else
    ga_str_addf(s, "ga_cast_%s_%s(ga_load<%s>(P.a%d))", ga_dtypes[t].name,
                ga_dtypes[node->dtype].name, ga_dtypes[t].device, node->index);
}

/* What a reduction leaves: positions for argmin and argmax. */
static enum ga_dtype result_dtype(const ga_reduction *r)
{
  return r->iota >= 0 ? GA_DT_INT64 : r->acc;
}

void ga_gen_nodes(ga_str *s, const ga_stage *st, const unsigned char *use, int after)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *node = &st->nodes[i];
    const ga_reduction *r;
    if (!use[i]) continue;
    ga_str_addf(s, "  const %s v%u = ", ga_dtypes[node->dtype].device, i);
    switch (node->op) {
    case GA_N_LOAD: gen_load(s, st, node, after ? "outer.x" : "in.x"); break;
    case GA_N_PARAM:
      gen_cast(s, st->params[node->index].dtype, node->dtype, "P.p", node->index);
      break;
    case GA_N_IOTA: ga_str_add(s, "iota"); break;
    case GA_N_CAST:
      gen_cast(s, st->nodes[node->arg[0]].dtype, node->dtype, "v", node->arg[0]);
      break;
    case GA_N_REDUCE:
      r = &st->reductions[node->index];
      if (r->op == GA_REDUCE_moment) { /* no number, where the sum is not finite */
        ga_str_addf(s, "acc.r%d + (acc.t%d - acc.t%d)", node->index, node->index, node->index);
        break;
      }
      if (ga_is_ranked(st, r)) {
        ga_str_addf(s, "ga_unrank_float64(acc.r%d)", node->index);
        break;
      }
      gen_cast(s, result_dtype(r), node->dtype, r->iota >= 0 ? "acc.i" : "acc.r", node->index);
      break;
    default: gen_call(s, st, node, "");
    }
    ga_str_add(s, ";\n");
  }
}

void ga_gen_fours(ga_str *s, const ga_stage *st, const unsigned char *use)
{
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *node = &st->nodes[i];
    if (!use[i] || ga_dtypes[node->dtype].size != 1) continue;
    ga_str_addf(s, "  const ga_uint v%u = ", i);
    if (node->op == GA_N_LOAD && st->operands[node->index].outer == GA_NUMBER) {
      ga_str_add(s, "ga_four_of(");
      gen_load(s, st, node, "");
      ga_str_add(s, ")");
    } else if (node->op == GA_N_LOAD) {
      ga_str_addf(s, "in.x%d", node->index);
    } else if (node->op == GA_N_PARAM) {
      ga_str_add(s, "ga_four_of(");
      gen_cast(s, st->params[node->index].dtype, node->dtype, "P.p", node->index);
      ga_str_add(s, ")");
    } else {
      gen_call(s, st, node, "four_");
    }
    ga_str_add(s, ";\n");
  }
}

/* ---- the source ----------------------------------------------------------- */

/* Once: some parts of a kernel stand on the same file. */
static void add_header(ga_text *t, const char *name, const char *body)
{
  for (unsigned int i = 0; i < t->nheader; i++)
    if (strcmp(t->names[i], name) == 0) return;
  ga_str_addf(&t->main, "#include \"%s\"\n", name);
  t->names[t->nheader] = name;
  t->bodies[t->nheader++] = body;
}

#define KERNEL(stem, extension)                          \
  {                                                      \
#stem "." #extension, ga_kernel_##stem##_##extension \
  }

typedef struct kernel_file {
  const char *name, *body;
} kernel_file;

#define SCALAR(file, symbol, use) +1
enum {
  SCALAR_FILES = 0
#include "scalar_files.def"
};
#undef SCALAR
enum { OTHER_FILES = 8, SKELETON_FILES = 12 };
_Static_assert(SCALAR_FILES + OTHER_FILES + SKELETON_FILES <= GA_TEXT_HEADERS,
               "a text has room for its headers");

/* What a skeleton includes before it, and itself last; then none. */
static const kernel_file skeletons[][SKELETON_FILES + 1] = {
    [GA_SKEL_CONTIG] = {KERNEL(parts, cuh), KERNEL(map_kept, cuh), KERNEL(map_contig, cu)},
    [GA_SKEL_INNER] = {KERNEL(parts, cuh), KERNEL(map_kept, cuh), KERNEL(map_inner, cu)},
    [GA_SKEL_FLAT] = {KERNEL(parts, cuh), KERNEL(map_kept, cuh), KERNEL(copies, cuh),
                      KERNEL(map_flat, cu)},
    [GA_SKEL_STRIDED] = {KERNEL(map_strided, cu)},
    [GA_SKEL_TILE] = {KERNEL(map_kept, cuh), KERNEL(map_tiles, cuh), KERNEL(map_tile, cu)},
    [GA_SKEL_TURN] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_kept, cuh),
                      KERNEL(map_tiles, cuh), KERNEL(map_turn, cu)},
    [GA_SKEL_CROSS] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_boxes, cuh),
                       KERNEL(map_cross, cu)},
    [GA_SKEL_RUNS] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_boxes, cuh),
                      KERNEL(map_runs, cu)},
    [GA_SKEL_LAID] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_boxes, cuh),
                      KERNEL(map_laid, cu)},
    [GA_SKEL_PLANES] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_planes, cu)},
    [GA_SKEL_ROWS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_fours, cuh),
                      KERNEL(reduce_stripes, cuh), KERNEL(words, cuh), KERNEL(reduce_words, cuh),
                      KERNEL(reduce_vectors, cuh), KERNEL(reduce_pieces, cuh), KERNEL(steps, cuh),
                      KERNEL(reduce_keys, cuh), KERNEL(reduce_slabs, cuh), KERNEL(reduce_rows, cu)},
    [GA_SKEL_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_columns, cu)},
    [GA_SKEL_NARROW] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_narrow, cuh),
                        KERNEL(steps, cuh), KERNEL(reduce_lines, cuh), KERNEL(reduce_keys, cuh),
                        KERNEL(words, cuh), KERNEL(reduce_words, cuh), KERNEL(reduce_some, cuh),
                        KERNEL(reduce_loose, cuh), KERNEL(reduce_narrow, cu)},
    [GA_SKEL_DOWN] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_down, cuh),
                      KERNEL(reduce_keys, cuh), KERNEL(words, cuh), KERNEL(reduce_words, cuh),
                      KERNEL(reduce_some, cuh), KERNEL(reduce_beside, cuh), KERNEL(steps, cuh),
                      KERNEL(reduce_down, cu)},
    [GA_SKEL_GROUPS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                        KERNEL(reduce_groups, cuh), KERNEL(words, cuh), KERNEL(reduce_words, cuh),
                        KERNEL(reduce_some, cuh), KERNEL(reduce_beside, cuh),
                        KERNEL(reduce_groups, cu)},
    [GA_SKEL_BOXES] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                       KERNEL(reduce_narrow, cuh), KERNEL(reduce_boxes, cuh),
                       KERNEL(reduce_narrow, cu)},
    [GA_SKEL_REDUCE_CROSS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                              KERNEL(reduce_cross, cu)},
    [GA_SKEL_WALKS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                       KERNEL(reduce_walks, cu)},
    [GA_SKEL_PAIRS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_beside, cuh),
                       KERNEL(reduce_pairs, cu)},
    [GA_SKEL_CHAIN] = {KERNEL(lanes, cuh), KERNEL(chain, cuh), KERNEL(chain_shift, cuh),
                       KERNEL(chain_fours, cuh), KERNEL(copies, cuh), KERNEL(chain_staged, cuh),
                       KERNEL(chain_results, cuh), KERNEL(chain_levels, cuh),
                       KERNEL(reduce_keys, cuh), KERNEL(chain_places, cuh), KERNEL(chain_rows, cu)},
    [GA_SKEL_CHAIN_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(chain, cuh), KERNEL(chain_strips, cuh),
                               KERNEL(copies, cuh), KERNEL(chain_tiles, cuh),
                               KERNEL(chain_levels, cuh), KERNEL(chain_columns, cu)},
    [GA_SKEL_CHAIN_BOXES] = {KERNEL(lanes, cuh), KERNEL(chain, cuh), KERNEL(copies, cuh),
                             KERNEL(map_boxes, cuh), KERNEL(chain_levels, cuh),
                             KERNEL(chain_boxes, cu)},
    [GA_SKEL_SCAN_ROWS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(steps, cuh), KERNEL(scan_slots, cuh),
                           KERNEL(scan_rows, cuh), KERNEL(scan_turned, cuh),
                           KERNEL(scan_groups, cuh), KERNEL(scan_tiles, cuh),
                           KERNEL(scan_rows, cu)},
    [GA_SKEL_SCAN_BESIDE] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                             KERNEL(copies, cuh), KERNEL(steps, cuh), KERNEL(scan_slots, cuh),
                             KERNEL(scan_rows, cuh), KERNEL(scan_turned, cuh),
                             KERNEL(scan_groups, cuh), KERNEL(scan_beside, cu)},
    [GA_SKEL_SCAN_BYTES] = {KERNEL(lanes, cuh), KERNEL(scan_bytes, cu)},
    [GA_SKEL_SCAN_TALL] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(scan_slots, cuh), KERNEL(scan_units, cuh),
                           KERNEL(scan_strips, cuh), KERNEL(scan_down, cuh), KERNEL(scan_tall, cu)},
    [GA_SKEL_SCAN_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                              KERNEL(copies, cuh), KERNEL(scan_slots, cuh), KERNEL(scan_down, cuh),
                              KERNEL(scan_columns, cu)},
    [GA_SKEL_SCAN_BOXES] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                            KERNEL(copies, cuh), KERNEL(scan_boxes, cuh), KERNEL(scan_walks, cuh),
                            KERNEL(scan_boxes, cu)},
    [GA_SKEL_SCAN_SHEETS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                             KERNEL(copies, cuh), KERNEL(scan_sheets, cuh), KERNEL(scan_walks, cuh),
                             KERNEL(scan_boxes, cu)},
    [GA_SKEL_SCAN_CROSS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                            KERNEL(copies, cuh), KERNEL(map_boxes, cuh), KERNEL(scan_cross, cuh),
                            KERNEL(scan_cross, cu)},
    [GA_SKEL_SCAN_CROSS_LONG] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                                 KERNEL(copies, cuh), KERNEL(map_boxes, cuh),
                                 KERNEL(scan_cross, cuh), KERNEL(scan_strips, cuh),
                                 KERNEL(scan_cross_long, cu)},
    [GA_SKEL_SCAN_LONG] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(scan_boxes, cuh), KERNEL(scan_walks, cuh),
                           KERNEL(scan_strips, cuh), KERNEL(scan_long, cu)},
};

static unsigned int count(const char *text, const char *what)
{
  unsigned int n = 0;
  while ((text = strstr(text, what)) != NULL) {
    text += strlen(what);
    n++;
  }
  return n;
}

/* Every kernel of the skeleton begins with GA_ENTER(). */
static int enters(const kernel_file *f)
{
  const char *body;
  while (f[1].name != NULL) f++;
  body = f->body;
  unsigned int n = count(body, "\nga_kernel(");
  return n > 0 && count(body, ") {\n  GA_ENTER();\n") == n;
}

int ga_gen_given(const void *res, const ga_stage *st, const ga_layout *l,
                 const unsigned char *align, const ga_target *target)
{
  const void *const given[] = {res, st, l, align, target};
  for (int i = 0; i < 5; i++)
    if (given[i] == NULL) return ga_error(GA_VALUE_ERROR, "kernel: argument %d is NULL", i + 1);
  return GA_NO_ERROR;
}

/* Rows of a chain whose threads have more than four elements: scalar_float.cuh. */
static int has_long_rows(const ga_variant *v)
{
  return (v->skeleton == GA_SKEL_CHAIN && (v->team || v->fours > 1)) ||
         (v->skeleton == GA_SKEL_CHAIN_BOXES && v->fours > 1);
}

int ga_gen_text(ga_text *t, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                const ga_target *target)
{
  ga_scan_words words;
  ga_kept_map kept;
  ga_variant v;
  unsigned int uses;
  int err;
  GA_TRY(ga_gen_given(t, st, l, align, target));
  memset(t, 0, sizeof *t);
  ga_scan_by_words(&words, &st, &l, align);
  GA_TRY(ga_variant_choose(&v, st, l, align, target));
  if (v.keeps != GA_KEEPS_NONE) st = ga_level_map(&kept, st, v.still);
  err = ga_gen_header(&t->generated, st, l, &v);
  if (err != GA_NO_ERROR) goto fail;
  uses = ga_gen_use(&t->main, st);
  if (has_long_rows(&v)) ga_str_add(&t->main, "#define GA_LONG_ROWS\n");
  if (target->overlap && enters(skeletons[v.skeleton])) ga_str_add(&t->main, "#define GA_WAITS\n");
  add_header(t, "types.cuh", ga_kernel_types_cuh);
#define SCALAR(file, symbol, use) add_header(t, file, uses &(use) ? symbol : "");
#include "scalar_files.def"
#undef SCALAR
  if (st->splice != NULL) {
    add_header(t, "cluda.h", ga_kernel_cluda_cuh);
    if (st->splice->preamble[0] != '\0') add_header(t, "preamble", st->splice->preamble);
  }
  if (st == &words.st || v.by_bytes) add_header(t, "words.cuh", ga_kernel_words_cuh);
  if (v.by_bytes) add_header(t, "bytes.cuh", ga_kernel_bytes_cuh);
  if (ga_divides_wide(st)) add_header(t, "quotient.cuh", ga_kernel_quotient_cuh);
  add_header(t, "ga_stage.h", NULL);
  t->bodies[t->nheader - 1] = ga_str_text(&t->generated);
  add_header(t, "prelude.cuh", ga_kernel_prelude_cuh);
  add_header(t, "operands.cuh", ga_kernel_operands_cuh);
  for (const kernel_file *f = skeletons[v.skeleton]; f->name != NULL; f++)
    add_header(t, f->name, f->body);
  t->entry = "ga_kernel";
  if (t->main.failed || t->generated.failed) {
    err = ga_error_memory("kernel", t->main.len + t->generated.len);
    goto fail;
  }
  return GA_NO_ERROR;

fail:
  ga_text_clear(t);
  return err;
}

void ga_text_clear(ga_text *t)
{
  if (t == NULL) return;
  ga_str_clear(&t->main);
  ga_str_clear(&t->generated);
  memset(t, 0, sizeof *t);
}
