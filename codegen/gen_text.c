/* SPDX-License-Identifier: MIT */
/* A kernel's source: one of the skeletons of kernels/, the scalar functions, and
 * a generated header, ga_stage.h, that says what the skeleton is to do: the
 * variant as #defines, the operands as lists, the nodes as a function. Nothing
 * of the expression's text comes through: names are numbered. */
#include <stdlib.h>
#include <string.h>

#include "codegen/kernels.h"
#include "gen.h"

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
    if (u->before[i]) u->in[st->nodes[i].index] = 1;
    if (u->after[i]) u->outer[st->nodes[i].index] = 1;
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

int ga_divides_row(const ga_stage *st, const ga_node *node)
{
  const ga_node *by = node->op == GA_OP_divide ? &st->nodes[node->arg[1]] : NULL;
  return by != NULL && ga_dtypes[by->dtype].size == 2 && (by->level & 1) != 0 &&
         (node->level & 1) == 0;
}

static void gen_call(ga_str *s, const ga_stage *st, const ga_node *node)
{
  int op = node->op - GA_N_OP, nargs = ops[op].nargs;
  enum ga_dtype loop = st->nodes[node->arg[nargs - 1]].dtype;
  if (ga_divides_row(st, node)) {
    ga_str_addf(s, "ga_divide_by_%s(v%d, kept.d%d)", ga_dtypes[loop].name, node->arg[0],
                node->arg[1]);
    return;
  }
  ga_str_addf(s, "ga_%s_%s(", ops[op].name, ga_dtypes[loop].name);
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
    case GA_N_LOAD:
      gen_cast(s, st->operands[node->index].dtype, node->dtype, after ? "outer.x" : "in.x",
               node->index);
      break;
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
      gen_cast(s, result_dtype(r), node->dtype, r->iota >= 0 ? "acc.i" : "acc.r", node->index);
      break;
    default: gen_call(s, st, node);
    }
    ga_str_add(s, ";\n");
  }
}

/* ---- the header ----------------------------------------------------------- */

void ga_gen_list(ga_str *s, const ga_stage *st, const char *name, const unsigned char *in)
{
  ga_str_addf(s, "#define %s(X)", name);
  for (unsigned int i = 0; i < st->noperand; i++)
    if (in == NULL || in[i])
      ga_str_addf(s, " X(%u, %s)", i, ga_dtypes[st->operands[i].dtype].device);
  ga_str_add(s, "\n");
}

void ga_gen_numbers(ga_str *s, const ga_stage *st)
{
  ga_str_add(s, "#define GA_NUMBERS(X)");
  for (unsigned int i = 0; i < st->nparam; i++)
    ga_str_addf(s, " X(%u, %s)", i, ga_dtypes[st->params[i].dtype].device);
  ga_str_add(s, "\n");
}

static void gen_scan_defines(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_EXCLUSIVE %d\n", st->scan == GA_SCAN_EXCLUSIVE);
  if (v->skeleton == GA_SKEL_SCAN_BOXES || v->skeleton == GA_SKEL_SCAN_LONG) {
    ga_str_addf(s,
                "#define GA_ONE %d\n#define GA_TILES %d\n#define GA_SKEW %d\n"
                "#define GA_MIN_BLOCKS %u\n",
                v->form == GA_FORM_SHORT, v->form == GA_FORM_TILES, v->skewed, v->resident);
    if (v->form == GA_FORM_TILES)
      ga_str_addf(s, "#define GA_VEC %d\n#define GA_PARTS %d\n#define GA_THREADS %u\n", v->vec,
                  v->fours, v->block);
    return;
  }
  ga_str_addf(s, "#define GA_VECTOR %d\n#define GA_STORE_VEC %d\n", v->vector, v->store_vec);
  ga_str_addf(s, "#define GA_SHORT %d\n#define GA_TILES %d\n", v->form == GA_FORM_SHORT,
              v->form == GA_FORM_TILES);
  ga_str_addf(s, "#define GA_TEAM %d\n", v->form < GA_FORM_BLOCK ? 1 : GA_BLOCK / 32);
  ga_str_addf(s, "#define GA_VEC %d\n#define GA_MIN_BLOCKS %u\n", v->vec, v->resident);
  ga_str_addf(s, "#define GA_MOVES %d\n", v->moves);
  ga_str_addf(s, "#define GA_HOLD %d\n#define GA_COPIED %d\n", v->hold, v->copied);
  if (v->skeleton == GA_SKEL_SCAN_COLUMNS) {
    ga_str_addf(s, "#define GA_STRIPS %u\n", v->block / GA_BLOCK);
    return;
  }
  ga_str_addf(s, "#define GA_LOADS %d\n", v->loads);
  if (v->skeleton == GA_SKEL_SCAN_TALL)
    ga_str_addf(s, "#define GA_ACROSS %d\n#define GA_NSLOTS %d\n", v->across, GA_TALL_ROWS);
  else
    ga_str_addf(s, "#define GA_TURNS %d\n#define GA_NSLOTS %d\n", v->turns, 8 * v->turns);
}

static int is_chain(const ga_variant *v)
{
  return v->skeleton == GA_SKEL_CHAIN || v->skeleton == GA_SKEL_CHAIN_COLUMNS;
}

static void gen_defines(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_WIDE %d\n#define GA_BYTES %d\n", v->wide, v->bytes);
  ga_str_addf(s, "#define GA_NOP %u\n#define GA_IOTA %d\n", st->noperand, v->iota);
  ga_str_addf(s, "#define GA_NK %u\n#define GA_NR %u\n", v->nk, v->nr);
  ga_str_addf(s, "#define GA_ALIGNED %d\n", v->aligned);
  if (is_chain(v)) return;
  if (st->scan) {
    gen_scan_defines(s, st, v);
    return;
  }
  if (st->nreduction != 0) {
    ga_str_addf(s, "#define GA_VECTOR %d\n", v->vector);
    if (v->skeleton == GA_SKEL_ROWS)
      ga_str_addf(s,
                  "#define GA_SHORT %d\n#define GA_TEAM %d\n#define GA_PAIR %d\n"
                  "#define GA_SLAB %d\n#define GA_FOURS %d\n#define GA_ROWS %d\n"
                  "#define GA_WHOLE %d\n#define GA_EACH %d\n#define GA_SPANS %d\n",
                  v->form == GA_FORM_SHORT, v->form == GA_FORM_BLOCK ? GA_BLOCK / 32 : 1, v->narrow,
                  v->slab, v->fours, v->rows, v->whole, v->chunks, v->spans > 1);
    else
      ga_str_addf(s, "#define GA_LOADS %d\n", v->loads);
    ga_str_addf(s, "#define GA_STILL 0x%llxull\n", (unsigned long long)v->still);
    if (v->skeleton == GA_SKEL_COLUMNS)
      ga_str_addf(s, "#define GA_TAIL %d\n#define GA_WHOLE %d\n#define GA_SPANS %d\n", v->tail != 0,
                  v->whole, v->chunks > 1);
    if (v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_DOWN)
      ga_str_addf(s, "#define GA_LOOSE %d\n", v->loose);
    if (v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_BOXES)
      ga_str_addf(s, "#define GA_BOXES %d\n", v->skeleton == GA_SKEL_BOXES);
    if (v->skeleton == GA_SKEL_DOWN)
      ga_str_addf(s, "#define GA_FOURS %d\n#define GA_STORE_VEC %d\n", v->fours, v->store_vec);
    if (v->skeleton == GA_SKEL_BOXES)
      ga_str_addf(s, "#define GA_BOXED 0x%llxull\n#define GA_ONE %d\n",
                  (unsigned long long)v->boxed, v->chunks == 1);
    if (v->skeleton == GA_SKEL_PAIRS)
      ga_str_addf(
          s,
          "#define GA_ALONG_X 0x%llxull\n#define GA_LENGTHWISE 0x%llxull\n"
          "#define GA_XBITS %u\n#define GA_STAGE %d\n#define GA_UNIT %d\n#define GA_HIGH %d\n"
          "#define GA_WHOLE %d\n#define GA_DEPTH %d\n#define GA_STORE_VEC %d\n",
          (unsigned long long)v->boxed, (unsigned long long)v->linear, v->xbits, v->loads, v->rows,
          v->fours, v->whole, v->groups > 255 ? 16 : 8, v->store_vec);
    if (v->skeleton == GA_SKEL_REDUCE_CROSS)
      ga_str_addf(s,
                  "#define GA_BOXED 0x%llxull\n#define GA_WHOLE %d\n#define GA_SHORT %d\n"
                  "#define GA_KEPT %d\n#define GA_PASSES %d\n#define GA_LINEAR 0x%llxull\n",
                  (unsigned long long)v->boxed, v->whole, v->form == GA_FORM_SHORT, v->kept_rows,
                  v->form != GA_FORM_SHORT && !v->kept_rows && v->line % 1024 != 0,
                  (unsigned long long)v->linear);
    ga_str_addf(s, "#define GA_VEC %d\n#define GA_MIN_BLOCKS %u\n", v->vec, v->resident);
    return;
  }
  ga_str_addf(s, "#define GA_VEC %d\n#define GA_STORE_VEC %d\n", v->vec, v->store_vec);
  if (v->skeleton == GA_SKEL_CONTIG) ga_str_addf(s, "#define GA_STEPPED %d\n", v->stepped);
  if (v->skeleton == GA_SKEL_INNER) ga_str_addf(s, "#define GA_EXACT %d\n", v->exact);
  if (v->skeleton == GA_SKEL_INNER || v->skeleton == GA_SKEL_TURN || v->skeleton == GA_SKEL_CROSS)
    ga_str_addf(s, "#define GA_GUARDED %d\n", !v->exact && st->splice != NULL);
  if (v->skeleton == GA_SKEL_INNER) ga_str_addf(s, "#define GA_APART %d\n", v->apart);
  if (v->skeleton == GA_SKEL_TILE)
    ga_str_addf(s, "#define GA_TALL %d\n#define GA_STILL 0x%llxull\n", v->tall,
                (unsigned long long)v->still);
  if (v->skeleton == GA_SKEL_INNER || v->skeleton == GA_SKEL_STRIDED)
    ga_str_addf(s, "#define GA_GAPS %d\n", v->gaps);
  if (v->skeleton == GA_SKEL_PLANES) ga_str_addf(s, "#define GA_CHANNELS %d\n", v->channels);
  if (v->skeleton == GA_SKEL_TURN)
    ga_str_addf(s, "#define GA_HEIGHT %d\n#define GA_SKEW %d\n", v->height, v->skew);
  for (int k = 0; k < 4 && v->skeleton == GA_SKEL_CROSS; k++)
    ga_str_addf(s, "#define GA_BITS%d %u\n#define GA_LANES%d %u\n", k, v->box_bits[k], k,
                v->box_lanes[k]);
  if (v->skeleton == GA_SKEL_CROSS) ga_str_addf(s, "#define GA_WORDS %d\n", v->whole);
  if (v->skeleton == GA_SKEL_FLAT)
    ga_str_addf(s,
                "#define GA_SHORT %d\n#define GA_STEPS %d\n#define GA_LAPS %d\n"
                "#define GA_STAGES %d\n",
                v->shorter, v->stepped, v->laps, v->boxed != 0);
  ga_str_addf(s, "#define GA_FIRST %u\n#define GA_FIRST_ADDRESS P.a%u\n", v->first, v->first);
  ga_str_addf(s, "#define GA_FIRST_T %s\n", ga_dtypes[st->operands[v->first].dtype].device);
}

/* TILE, TURN: the inputs in two lists. */
static int gen_two_lists(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                         const unsigned char *in)
{
  static const char *const names[2] = {"GA_DIRECT", "GA_CROSSED"};
  unsigned char *list = calloc(st->noperand, 1);
  if (list == NULL) return ga_error_memory("kernel", st->noperand);
  for (int n = 0; n < 2; n++) {
    for (unsigned int i = 0; i < st->noperand; i++)
      list[i] = in[i] && ga_layout_crossed(l, st, i, v->cross) == n;
    ga_gen_list(s, st, names[n], list);
  }
  free(list);
  return GA_NO_ERROR;
}

/* FLAT: the inputs by the way threads have them. */
static int gen_ways(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                    const unsigned char *in)
{
  static const char *const names[] = {"GA_DENSE", "GA_WALKED", "GA_STILL", "GA_EVEN", "GA_STAGED"};
  unsigned char *list = calloc(st->noperand, 1);
  if (list == NULL) return ga_error_memory("kernel", st->noperand);
  for (int way = 0; way < 5; way++) {
    for (unsigned int i = 0; i < st->noperand; i++)
      list[i] = in[i] && (int)ga_way_of(v, l, st, i) == way;
    ga_gen_list(s, st, names[way], list);
  }
  free(list);
  return GA_NO_ERROR;
}

/* PLANES: inputs and outputs by the way they lie. */
static int gen_weaves(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                      const ga_uses *u)
{
  static const char *const names[2][3] = {{"GA_WOVEN", "GA_PLANES", "GA_EVEN"},
                                          {"GA_WOVEN_OUT", "GA_PLANES_OUT", "GA_EVEN_OUT"}};
  unsigned char *list = calloc(st->noperand, 1);
  if (list == NULL) return ga_error_memory("kernel", st->noperand);
  for (int how = 0; how < 3; how++)
    for (int out = 0; out < 2; out++) {
      for (unsigned int i = 0; i < st->noperand; i++)
        list[i] =
            (out ? u->out : u->in)[i] && (int)ga_weave_of(l, st, i, v->along, v->cross) == how;
      ga_gen_list(s, st, names[out][how], list);
    }
  free(list);
  return GA_NO_ERROR;
}

/* CROSS: inputs in the output's order, and the others with their own. */
static int gen_crossed(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                       const unsigned char *in)
{
  unsigned char *list = calloc(st->noperand, 1);
  unsigned int o[4];
  if (list == NULL) return ga_error_memory("kernel", st->noperand);
  ga_str_add(s, "#define GA_CROSSED(X)");
  for (unsigned int i = 0; i < st->noperand; i++) {
    int crossed = ga_box_order(v, l, st, i, o);
    list[i] = in[i] && !crossed;
    if (in[i] && crossed)
      ga_str_addf(s, " X(%u, %s, %u, %u, %u, %u)", i, ga_dtypes[st->operands[i].dtype].device, o[0],
                  o[1], o[2], o[3]);
  }
  ga_str_add(s, "\n");
  ga_gen_list(s, st, "GA_DIRECT", list);
  free(list);
  return GA_NO_ERROR;
}

/* Which operands move along the axis whose neighbours are loaded together: the innermost
 * reduced one, or columns. */
static void gen_walks(ga_str *s, const ga_layout *l, const ga_variant *v, const unsigned char *in)
{
  int columns = v->skeleton != GA_SKEL_ROWS;
  unsigned int inner = columns && !v->tail ? l->nk - 1 : l->nk + l->nr - 1;
  for (unsigned int i = 0; i < l->noperand; i++)
    if (in[i])
      ga_str_addf(s, "#define GA_WALKS_%u %d\n", i,
                  (!columns && !v->vector) || (l->nk + l->nr != 0 && l->strides[i][inner] != 0));
}

static int gen_stage(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v)
{
  int err = GA_NO_ERROR;
  ga_uses u;
  gen_defines(s, st, v);
  if (is_chain(v)) return ga_gen_chain(s, st, v);
  GA_TRY(ga_uses_make(&u, st));
  if (v->skeleton == GA_SKEL_ROWS || v->skeleton == GA_SKEL_COLUMNS || v->skeleton == GA_SKEL_DOWN)
    gen_walks(s, l, v, u.in);
  ga_gen_list(s, st, "GA_OPERANDS", NULL);
  ga_gen_list(s, st, "GA_INPUTS", u.in);
  if (st->nreduction != 0) ga_gen_list(s, st, "GA_OUTERS", u.outer);
  ga_gen_list(s, st, "GA_OUTPUTS", u.out);
  if (v->skeleton == GA_SKEL_TILE || v->skeleton == GA_SKEL_TURN)
    err = gen_two_lists(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_FLAT) err = gen_ways(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_PLANES) err = gen_weaves(s, st, l, v, &u);
  if (v->skeleton == GA_SKEL_CROSS) err = gen_crossed(s, st, l, v, u.in);
  ga_gen_numbers(s, st);
  ga_str_add(s, "\n");
  if (st->splice != NULL)
    ga_gen_splice(s, st);
  else if (st->nreduction != 0)
    ga_gen_reduce(s, st, &u);
  else
    ga_gen_map(s, st, &u);
  ga_uses_clear(&u);
  return err;
}

/* ---- the source ----------------------------------------------------------- */

static void add_header(ga_text *t, const char *name, const char *body)
{
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

/* What a skeleton includes before it, and itself last. */
enum { SKELETON_FILES = 11 };
static const kernel_file skeletons[][SKELETON_FILES] = {
    [GA_SKEL_CONTIG] = {KERNEL(map_contig, cu)},
    [GA_SKEL_INNER] = {KERNEL(parts, cuh), KERNEL(map_inner, cu)},
    [GA_SKEL_FLAT] = {KERNEL(parts, cuh), KERNEL(copies, cuh), KERNEL(map_flat, cu)},
    [GA_SKEL_STRIDED] = {KERNEL(map_strided, cu)},
    [GA_SKEL_TILE] = {KERNEL(map_tiles, cuh), KERNEL(map_tile, cu)},
    [GA_SKEL_TURN] = {KERNEL(copies, cuh), KERNEL(map_tiles, cuh), KERNEL(map_turn, cu)},
    [GA_SKEL_CROSS] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_cross, cu)},
    [GA_SKEL_PLANES] = {KERNEL(copies, cuh), KERNEL(parts, cuh), KERNEL(map_planes, cu)},
    [GA_SKEL_ROWS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_fours, cuh),
                      KERNEL(reduce_stripes, cuh), KERNEL(reduce_slabs, cuh),
                      KERNEL(reduce_rows, cu)},
    [GA_SKEL_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_columns, cu)},
    [GA_SKEL_NARROW] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_narrow, cuh),
                        KERNEL(reduce_lines, cuh), KERNEL(reduce_keys, cuh),
                        KERNEL(reduce_some, cuh), KERNEL(reduce_loose, cuh),
                        KERNEL(reduce_narrow, cu)},
    [GA_SKEL_DOWN] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_down, cuh),
                      KERNEL(reduce_keys, cuh), KERNEL(reduce_some, cuh), KERNEL(reduce_down, cu)},
    [GA_SKEL_BOXES] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                       KERNEL(reduce_narrow, cuh), KERNEL(reduce_boxes, cuh),
                       KERNEL(reduce_narrow, cu)},
    [GA_SKEL_REDUCE_CROSS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(copies, cuh),
                              KERNEL(reduce_cross, cu)},
    [GA_SKEL_PAIRS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(reduce_pairs, cu)},
    [GA_SKEL_CHAIN] = {KERNEL(lanes, cuh), KERNEL(chain, cuh), KERNEL(chain_shift, cuh),
                       KERNEL(chain_fours, cuh), KERNEL(copies, cuh), KERNEL(chain_staged, cuh),
                       KERNEL(chain_levels, cuh), KERNEL(reduce_keys, cuh),
                       KERNEL(chain_places, cuh), KERNEL(chain_rows, cu)},
    [GA_SKEL_CHAIN_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(chain, cuh), KERNEL(chain_strips, cuh),
                               KERNEL(chain_levels, cuh), KERNEL(chain_columns, cu)},
    [GA_SKEL_SCAN_ROWS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(scan_slots, cuh), KERNEL(scan_rows, cuh),
                           KERNEL(scan_turned, cuh), KERNEL(scan_groups, cuh),
                           KERNEL(scan_tiles, cuh), KERNEL(scan_rows, cu)},
    [GA_SKEL_SCAN_TALL] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(scan_slots, cuh), KERNEL(scan_units, cuh),
                           KERNEL(scan_strips, cuh), KERNEL(scan_down, cuh), KERNEL(scan_tall, cu)},
    [GA_SKEL_SCAN_COLUMNS] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                              KERNEL(copies, cuh), KERNEL(scan_slots, cuh), KERNEL(scan_down, cuh),
                              KERNEL(scan_columns, cu)},
    [GA_SKEL_SCAN_BOXES] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                            KERNEL(copies, cuh), KERNEL(scan_boxes, cuh), KERNEL(scan_boxes, cu)},
    [GA_SKEL_SCAN_LONG] = {KERNEL(lanes, cuh), KERNEL(reduce, cuh), KERNEL(scan, cuh),
                           KERNEL(copies, cuh), KERNEL(scan_boxes, cuh), KERNEL(scan_strips, cuh),
                           KERNEL(scan_long, cu)},
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

int ga_gen_text(ga_text *t, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                const ga_target *target)
{
  ga_variant v;
  unsigned int uses;
  int err;
  GA_TRY(ga_gen_given(t, st, l, align, target));
  memset(t, 0, sizeof *t);
  GA_TRY(ga_variant_choose(&v, st, l, align, target));
  err = gen_stage(&t->generated, st, l, &v);
  if (err != GA_NO_ERROR) goto fail;
  uses = ga_gen_use(&t->main, st);
  if (target->overlap && enters(skeletons[v.skeleton])) ga_str_add(&t->main, "#define GA_WAITS\n");
  add_header(t, "types.cuh", ga_kernel_types_cuh);
#define SCALAR(file, symbol, use) add_header(t, file, uses &(use) ? symbol : "");
#include "scalar_files.def"
#undef SCALAR
  if (st->splice != NULL) {
    add_header(t, "cluda.h", ga_kernel_cluda_cuh);
    if (st->splice->preamble[0] != '\0') add_header(t, "preamble", st->splice->preamble);
  }
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
