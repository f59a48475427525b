/* SPDX-License-Identifier: MIT */
/* The generated header of a kernel, ga_stage.h, which says what the skeleton is to do: the variant
 * as #defines, the operands as lists, the nodes as functions. */
#include <stdlib.h>

#include "gen_boxes.h"
#include "gen_kept.h"

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
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].outer == GA_NUMBER) {
      ga_str_add(s, "template <class T> GA_FN T ga_load(const char *p);\n");
      break;
    }
}

static void gen_scan_defines(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  int again = ga_stage_is_free(st);
  for (unsigned int i = 0; i < st->nreduction; i++)
    again &= st->reductions[i].op == GA_REDUCE_min || st->reductions[i].op == GA_REDUCE_max;
  ga_str_addf(s, "#define GA_EXCLUSIVE %d\n#define GA_AGAIN %d\n", st->scan == GA_SCAN_EXCLUSIVE,
              again);
  if (v->skeleton == GA_SKEL_SCAN_BOXES || v->skeleton == GA_SKEL_SCAN_SHEETS ||
      v->skeleton == GA_SKEL_SCAN_LONG) {
    ga_str_addf(s,
                "#define GA_ONE %d\n#define GA_ALONG %d\n#define GA_TILES %d\n#define GA_SKEW %d\n"
                "#define GA_OUTSIDE 0x%llxull\n#define GA_MIN_BLOCKS %u\n#define GA_LEVELS %d\n",
                v->form == GA_FORM_SHORT, v->form == GA_FORM_ALONG, v->form == GA_FORM_TILES,
                v->skewed, (unsigned long long)v->outside, v->resident,
                v->form != GA_FORM_SHORT             ? 3
                : v->skeleton == GA_SKEL_SCAN_SHEETS ? v->fours
                                                     : 5);
    if (v->skeleton == GA_SKEL_SCAN_SHEETS) ga_str_addf(s, "#define GA_OVER %d\n", v->axes == 2);
    if (v->form == GA_FORM_TILES)
      ga_str_addf(s, "#define GA_VEC %d\n#define GA_PARTS %d\n#define GA_THREADS %u\n", v->vec,
                  v->fours, v->block);
    return;
  }
  if (v->skeleton == GA_SKEL_SCAN_CROSS || v->skeleton == GA_SKEL_SCAN_CROSS_LONG) {
    ga_str_addf(s, "#define GA_TILES %d\n#define GA_ALONG %d\n#define GA_STAGED 0x%llxull\n",
                v->form == GA_FORM_TILES, v->form != GA_FORM_SHORT, (unsigned long long)v->boxed);
    for (unsigned int b = 0; b < 4; b++)
      ga_str_addf(s, "#define GA_EXTENT%u %u\n", b, v->box_extent[b]);
    for (unsigned int b = 0; b < 3; b++)
      ga_str_addf(s, "#define GA_SIDE%u %u\n", b, v->box_lanes[b]);
    ga_str_addf(s, "#define GA_THREADS %u\n#define GA_MIN_BLOCKS %u\n", v->block, v->resident);
    return;
  }
  if (v->skeleton == GA_SKEL_SCAN_BYTES) {
    ga_str_addf(s,
                "#define GA_SEGS %d\n#define GA_LONG %d\n#define GA_THREADS %u\n"
                "#define GA_MIN_BLOCKS %u\n",
                v->loads, v->form == GA_FORM_ALONG, v->block, v->resident);
    ga_gen_extreme(s, st, 0);
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
    ga_str_addf(s,
                "#define GA_BESIDE %d\n#define GA_ALONG %d\n#define GA_TURNS %d\n"
                "#define GA_NSLOTS %d\n#define GA_AHEAD %u\n",
                v->skeleton == GA_SKEL_SCAN_BESIDE ? v->rows : 0, v->form == GA_FORM_ALONG,
                v->turns, 8 * v->turns, v->ahead);
  if (v->skeleton == GA_SKEL_SCAN_BESIDE)
    ga_str_addf(s, "#define GA_ACROSS 0x%llxull\n#define GA_WORDS %d\n",
                (unsigned long long)v->boxed, v->whole);
}

static int is_chain(const ga_variant *v)
{
  return v->skeleton == GA_SKEL_CHAIN || v->skeleton == GA_SKEL_CHAIN_COLUMNS ||
         v->skeleton == GA_SKEL_CHAIN_BOXES;
}

static void gen_reduce_defines(ga_str *s, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_VECTOR %d\n", v->vector);
  if (v->skeleton == GA_SKEL_ROWS)
    ga_str_addf(
        s,
        "#define GA_SHORT %d\n#define GA_TEAM %d\n#define GA_PAIR %d\n"
        "#define GA_SLAB %d\n#define GA_PIECES %d\n#define GA_LONG %d\n"
        "#define GA_FOURS %d\n#define GA_ROWS %d\n"
        "#define GA_LOADS %d\n#define GA_WHOLE %d\n#define GA_EACH %d\n#define GA_SPANS %d\n"
        "#define GA_AGREES %d\n#define GA_FIRST %u\n#define GA_LAST %d\n"
        "#define GA_AGAIN 0x%llxull\n",
        v->form == GA_FORM_SHORT, v->form == GA_FORM_BLOCK ? GA_BLOCK / 32 : 1, v->narrow, v->slab,
        v->pieces == 1, v->pieces == GA_LONG_PIECES, v->fours, v->rows, v->loads, v->whole,
        v->chunks, v->spans > 1, v->agrees, v->first, v->last, (unsigned long long)v->repeats);
  else
    ga_str_addf(s, "#define GA_LOADS %d\n", v->loads);
  ga_str_addf(s, "#define GA_STILL 0x%llxull\n", (unsigned long long)v->still);
  if (v->skeleton == GA_SKEL_COLUMNS)
    ga_str_addf(s, "#define GA_TAIL %d\n#define GA_WHOLE %d\n#define GA_SPANS %d\n", v->tail != 0,
                v->whole, v->chunks > 1);
  if (v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_DOWN)
    ga_str_addf(s, "#define GA_LOOSE %d\n", v->loose);
  if (v->skeleton == GA_SKEL_GROUPS)
    ga_str_addf(s, "#define GA_LOOSE 1\n#define GA_STORE_VEC %d\n", v->store_vec);
  if (v->fold > 1) ga_str_add(s, "#define GA_FOLDS 1\n");
  if (v->parted > 1) ga_str_addf(s, "#define GA_PARTED %u\n", ga_rank_bound(v->parted));
  if (v->padded != 0) ga_str_add(s, "#define GA_GAPS 1\n");
  if (v->stretches) ga_str_add(s, "#define GA_STRETCHES 1\n");
  if (v->dealt) ga_str_add(s, "#define GA_DEALT 1\n");
  if (v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_BOXES)
    ga_str_addf(s, "#define GA_BOXES %d\n#define GA_FIRST %u\n", v->skeleton == GA_SKEL_BOXES,
                v->first);
  if (v->skeleton == GA_SKEL_DOWN)
    ga_str_addf(s, "#define GA_FOURS %d\n#define GA_STORE_VEC %d\n#define GA_WOVEN %d\n", v->fours,
                v->store_vec, v->woven);
  if (v->skeleton == GA_SKEL_BOXES)
    ga_str_addf(s, "#define GA_BOXED 0x%llxull\n#define GA_ONE %d\n", (unsigned long long)v->boxed,
                v->chunks == 1);
  if (v->skeleton == GA_SKEL_PAIRS)
    ga_str_addf(s,
                "#define GA_ALONG_X 0x%llxull\n#define GA_LENGTHWISE 0x%llxull\n"
                "#define GA_XBITS %u\n#define GA_STAGE %d\n#define GA_UNIT %d\n#define GA_HIGH %d\n"
                "#define GA_WHOLE %d\n#define GA_DEPTH %d\n#define GA_STORE_VEC %d\n",
                (unsigned long long)v->boxed, (unsigned long long)v->linear, v->xbits, v->loads,
                v->rows, v->fours, v->whole, v->groups > 255 ? 16 : 8, v->store_vec);
  if (v->skeleton == GA_SKEL_REDUCE_CROSS)
    ga_str_addf(s,
                "#define GA_BOXED 0x%llxull\n#define GA_WHOLE %d\n#define GA_SHORT %d\n"
                "#define GA_STEPS %d\n#define GA_LOOSE %d\n"
                "#define GA_KEPT %d\n#define GA_PASSES %d\n#define GA_LINEAR 0x%llxull\n",
                (unsigned long long)v->boxed, v->whole, v->form == GA_FORM_SHORT, v->stepped,
                v->loose, v->kept_rows,
                v->form != GA_FORM_SHORT && !v->kept_rows && !v->loose && v->line % 1024 != 0,
                (unsigned long long)v->linear);
  ga_str_addf(s, "#define GA_VEC %d\n#define GA_MIN_BLOCKS %u\n", v->vec, v->resident);
}

static void gen_map_defines(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_VEC %d\n#define GA_STORE_VEC %d\n", v->vec, v->store_vec);
  if (v->by_bytes) ga_str_add(s, "#define GA_BY_BYTES 1\n");
  if (v->keeps != GA_KEEPS_NONE) ga_str_addf(s, "#define GA_KEEPS %d\n", v->by_laps ? 2 : 1);
  if (v->skeleton == GA_SKEL_CONTIG) ga_str_addf(s, "#define GA_STEPPED %d\n", v->stepped);
  if ((v->skeleton == GA_SKEL_CONTIG && !v->stepped) || v->skeleton == GA_SKEL_INNER)
    ga_str_addf(s, "#define GA_STILL 0x%llxull\n", (unsigned long long)v->still);
  if (v->skeleton == GA_SKEL_INNER) ga_str_addf(s, "#define GA_EXACT %d\n", v->exact);
  if (v->skeleton == GA_SKEL_INNER || v->skeleton == GA_SKEL_TURN || v->skeleton == GA_SKEL_CROSS ||
      v->skeleton == GA_SKEL_LAID)
    ga_str_addf(s, "#define GA_GUARDED %d\n", !v->exact && st->splice != NULL);
  if (v->skeleton == GA_SKEL_INNER)
    ga_str_addf(s, "#define GA_APART %d\n", v->apart ? GA_APART_ROWS : 0);
  if (v->skeleton == GA_SKEL_TILE)
    ga_str_addf(s, "#define GA_TALL %d\n#define GA_STILL 0x%llxull\n", v->tall,
                (unsigned long long)v->still);
  if (v->skeleton == GA_SKEL_INNER || v->skeleton == GA_SKEL_STRIDED)
    ga_str_addf(s, "#define GA_GAPS %d\n", v->gaps);
  if (v->skeleton == GA_SKEL_PLANES) ga_str_addf(s, "#define GA_CHANNELS %d\n", v->channels);
  if (v->skeleton == GA_SKEL_TURN)
    ga_str_addf(s, "#define GA_HEIGHT %d\n#define GA_SKEW %d\n", v->height, v->skew);
  for (int k = 0; k < 4 && v->skeleton == GA_SKEL_CROSS; k++)
    ga_str_addf(s, "#define GA_EXTENT%d %u\n#define GA_LANES%d %u\n", k, v->box_extent[k], k,
                v->box_lanes[k]);
  if (v->skeleton == GA_SKEL_CROSS) ga_str_addf(s, "#define GA_WORDS %d\n", v->whole);
  if (v->skeleton == GA_SKEL_RUNS)
    ga_str_addf(s,
                "#define GA_EXTENT0 %u\n#define GA_EXTENT1 %u\n"
                "#define GA_EXTENT2 %u\n#define GA_EXTENT3 %u\n#define GA_SPLIT %u\n"
                "#define GA_CUT %d\n#define GA_STRIDE %u\n#define GA_BESIDE %u\n",
                v->box_extent[0], v->box_extent[1], v->box_extent[2], v->box_extent[3],
                (unsigned int)v->each, v->skew, v->steps, v->beside);
  for (int k = 0; k < 4 && v->skeleton == GA_SKEL_LAID; k++)
    ga_str_addf(s, "#define GA_EXTENT%d %u\n", k, v->box_extent[k]);
  if (v->skeleton == GA_SKEL_LAID)
    ga_str_addf(s, "#define GA_WORDS %d\n#define GA_ALIKE %d\n#define GA_EXACT %d\n", v->whole,
                v->agrees, v->exact);
  if (v->skeleton == GA_SKEL_FLAT)
    ga_str_addf(s,
                "#define GA_SHORT %d\n#define GA_STEPS %d\n#define GA_LAPS %d\n"
                "#define GA_AROUND %d\n#define GA_STAGES %d\n",
                v->shorter, v->stepped, v->laps, v->around != 0, v->boxed != 0);
  ga_str_addf(s, "#define GA_FIRST %u\n#define GA_FIRST_ADDRESS P.a%u\n", v->first, v->first);
  ga_str_addf(s, "#define GA_FIRST_T %s\n", ga_dtypes[st->operands[v->first].dtype].device);
}

static void gen_defines(ga_str *s, const ga_stage *st, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_WIDE %d\n#define GA_BYTES %d\n", v->wide, v->bytes);
  ga_str_addf(s, "#define GA_NOP %u\n#define GA_IOTA %d\n", st->noperand, v->iota);
  ga_str_addf(s, "#define GA_NK %u\n#define GA_NR %u\n", v->nk, v->nr);
  ga_str_addf(s, "#define GA_ALIGNED %d\n", v->aligned);
  if (is_chain(v)) return;
  if (st->scan)
    gen_scan_defines(s, st, v);
  else if (st->nreduction != 0)
    gen_reduce_defines(s, v);
  else
    gen_map_defines(s, st, v);
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

/* SCAN_CROSS: the staged operands, and how their boxes lie. */
static void gen_scan_ways(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v)
{
  unsigned int area = 0;
  ga_str_add(s, "#define GA_WAYS(X)");
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_scan_way w = ga_scan_way_of(v, st, l, i);
    if (!(v->boxed >> i & 1)) continue;
    ga_str_addf(s, " X(%u, %s, %u, %u, %u, %d, %d", i, ga_dtypes[st->operands[i].dtype].device,
                area, w.unit, w.units, w.phased, w.merged);
    for (unsigned int j = 0; j < 4; j++) ga_str_addf(s, ", %u", w.order[j]);
    for (unsigned int j = 0; j < 4; j++) ga_str_addf(s, ", %u", w.pitch[j]);
    ga_str_add(s, ")");
    area += w.bytes;
  }
  ga_str_add(s, "\n");
}

/* RUNS: inputs that have images, and how those lie, and the others. */
static int gen_images(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                      const unsigned char *in)
{
  ga_image *images = calloc(st->noperand, sizeof *images);
  if (images == NULL) return ga_error_memory("kernel", st->noperand);
  ga_runs_images(v, st, l, images);
  for (int crossed = 0; crossed < 2; crossed++) {
    ga_str_add(s, crossed ? "#define GA_CROSSED(X)" : "#define GA_DIRECT(X)");
    for (unsigned int i = 0; i < st->noperand; i++) {
      const ga_image *m = &images[i];
      const char *type = ga_dtypes[st->operands[i].dtype].device;
      if (!in[i] || ga_runs_crossed(v, l, st, i) != crossed) continue;
      if (crossed)
        ga_str_addf(s, " X(%u, ga_image<%s, %u, %u, %u, %u, %u, %u, %u, %u, %u, %u>)", i, type,
                    m->from, m->pitch[0], m->pitch[1], m->pitch[2], m->pitch[3], m->apart, m->back,
                    m->lanes, m->beside, m->grain);
      else
        ga_str_addf(s, " X(%u, %s, %u)", i, type, m->still);
    }
    ga_str_add(s, "\n");
  }
  free(images);
  return GA_NO_ERROR;
}

/* LAID: inputs that go by way of shared memory, and the others. */
static void gen_laid(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                     const unsigned char *in)
{
  unsigned int table = 0, end;
  for (int crossed = 0; crossed < 2; crossed++) {
    ga_str_add(s, crossed ? "#define GA_CROSSED(X)" : "#define GA_DIRECT(X)");
    for (unsigned int i = 0; i < st->noperand; i++) {
      const ga_laid m = ga_laid_of(v, st, l, i, &table, &end);
      const char *type = ga_dtypes[st->operands[i].dtype].device;
      if (!in[i] || (m.step != 0) != crossed) continue;
      if (crossed)
        ga_str_addf(s, " X(%u, %s, %u, %u, %u)", i, type, m.step, m.from, m.to);
      else
        ga_str_addf(s, " X(%u, %s, %d)", i, type, l->strides[i][v->box[1]] == 0);
    }
    ga_str_add(s, "\n");
  }
  ga_str_addf(s, "#define GA_TABLE %u\n", table);
}

/* WALKS: the box, and how operands lie in shared memory. */
static void gen_walk_images(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v)
{
  ga_str_addf(s, "#define GA_BOXED 0x%llxull\n#define GA_ALIKE %d\n", (unsigned long long)v->boxed,
              v->whole);
  ga_str_addf(s, "#define GA_INSIDE %u\n#define GA_SIDES %u\n#define GA_SPLIT %u\n", v->steps,
              v->nrows, v->xbits);
  ga_str_addf(s, "#define GA_RESULTS %u\n", v->box_end);
  for (int k = 0; k < 4; k++) ga_str_addf(s, "#define GA_EXTENT%d %u\n", k, v->box_extent[k]);
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_walk_image m = {0};
    size_t end;
    if (i < 64 && v->boxed >> i & 1) m = ga_walks_image(v, st, l, i, &end);
    ga_str_addf(s, "#define GA_IMAGE_%u {%u, %u, %u, %u, %u, {%u, %u, %u, %u}}\n", i, m.table,
                m.from, m.lines, m.words, m.along, m.gap[0], m.gap[1], m.gap[2], m.gap[3]);
  }
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

/* The same of inputs (of scans all that is read) whose neighbours are no vectors: from one to the
 * next (steps.cuh). */
static void gen_steps(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v,
                      const ga_uses *u)
{
  int rows = v->skeleton == GA_SKEL_ROWS || st->scan;
  unsigned int axis = rows ? l->nk + l->nr - 1 : l->nk - 1;
  for (unsigned int i = 0; i < l->noperand; i++) {
    int ragged = i < 64 && v->ragged >> i & 1;
    ssize_t size = (ssize_t)ga_dtypes[st->operands[i].dtype].size;
    if (!u->in[i] && !(st->scan && u->outer[i])) continue;
    ga_str_addf(s, "#define GA_STEP_%u %d\n", i, ragged ? (int)(l->strides[i][axis] / size) : 0);
  }
}

int ga_gen_header(ga_str *s, const ga_stage *st, const ga_layout *l, const ga_variant *v)
{
  int err = GA_NO_ERROR;
  ga_uses u;
  gen_defines(s, st, v);
  if (is_chain(v)) return ga_gen_chain(s, st, v);
  GA_TRY(ga_uses_make(&u, st));
  if (v->skeleton == GA_SKEL_ROWS || v->skeleton == GA_SKEL_COLUMNS || v->skeleton == GA_SKEL_DOWN)
    gen_walks(s, l, v, u.in);
  if (v->skeleton == GA_SKEL_ROWS || v->skeleton == GA_SKEL_NARROW || v->skeleton == GA_SKEL_DOWN ||
      v->skeleton == GA_SKEL_SCAN_ROWS || v->skeleton == GA_SKEL_SCAN_BESIDE)
    gen_steps(s, st, l, v, &u);
  ga_gen_list(s, st, "GA_OPERANDS", NULL);
  ga_gen_list(s, st, "GA_INPUTS", u.in);
  if (st->nreduction != 0) ga_gen_list(s, st, "GA_OUTERS", u.outer);
  ga_gen_list(s, st, "GA_OUTPUTS", u.out);
  if (v->skeleton == GA_SKEL_TILE || v->skeleton == GA_SKEL_TURN)
    err = gen_two_lists(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_FLAT) err = gen_ways(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_PLANES) err = gen_weaves(s, st, l, v, &u);
  if (v->skeleton == GA_SKEL_CROSS) err = gen_crossed(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_SCAN_CROSS || v->skeleton == GA_SKEL_SCAN_CROSS_LONG)
    gen_scan_ways(s, st, l, v);
  if (v->skeleton == GA_SKEL_LAID) gen_laid(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_RUNS) err = gen_images(s, st, l, v, u.in);
  if (v->skeleton == GA_SKEL_WALKS) gen_walk_images(s, st, l, v);
  ga_gen_numbers(s, st);
  ga_str_add(s, "\n");
  if (st->splice != NULL)
    ga_gen_splice(s, st);
  else if (st->nreduction != 0)
    ga_gen_reduce(s, st, &u, v);
  else
    ga_gen_map(s, st, &u, v);
  ga_uses_clear(&u);
  return err;
}
