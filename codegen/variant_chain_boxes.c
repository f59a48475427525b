/* SPDX-License-Identifier: MIT */
/* Chains whose input lies in another order than the result, or that are reduced along several axes,
 * by boxes in shared memory (kernels/chain_boxes.cu): which there are, and the box. */
#include <string.h>

#include "variant_chain.h"

#define AXES      4           /* of a box, at most */
#define FEW       16          /* columns of a block that boxes are better than */
#define RAGGED    136         /* bytes of rows that they are better for, too */
#define LEAST     (16 * 1024) /* bytes of a box */
#define REGISTERS 32          /* of a lane's fours */
#define WHOLE_RUN 32          /* bytes on end of both operands, at least */
#define OWN       1024        /* bytes of shared memory that a block takes besides */
#define WIDEST    (84 * 1024) /* bytes of a box that the result's runs are made longer in */
#define LONG_ROW                                                                                 \
  1024               /* bytes of a row along the input, from which on a level's kernel is faster \
                      */
#define PARTS    256 /* elements of rows of several axes, ... */
#define PART_RUN 256 /* ... and bytes of a kept axis that is long */
#define SMALL    8   /* part of the elements that inputs besides the box's have at most */

/* Bytes on end that are wanted of both operands, as long as the box takes no more than so many. */
static const struct {
  size_t run, bytes;
} wanted[] = {{128, 36 * 1024}, {64, 72 * 1024}, {WHOLE_RUN, 104 * 1024}};

/* A box in the making: operands `in` and `out`, axes of the layout in the order that each has them,
 * the fastest first, and elements of the box along each axis. */
typedef struct boxing {
  const ga_stage *st;
  const ga_layout *l;
  unsigned int in, out, nd, order[2][GA_MAXND];
  int turned; /* those are two orders */
  uint64_t extent[GA_MAXND];
} boxing;

/* How the input lies in the box: bytes from one to the next along each axis, and of all. */
typedef struct lines {
  unsigned int apart, lanes;
  size_t place[GA_MAXND], bytes;
} lines;

/* Axes in the order of operand i's steps; returns 0 where it does not go forth along all. */
static int order_axes(const boxing *b, unsigned int i, unsigned int *order)
{
  const ssize_t *steps = b->l->strides[i];
  if (ga_own_order(b->l, i, order) < b->nd) return 0;
  for (unsigned int k = 0; k < b->nd; k++)
    if (steps[k] < 0) return 0;
  return steps[order[0]] == (ssize_t)size_of(b->st, i);
}

/* Operand i is read along rows, and has so few elements that caches hold those asked for. */
static int is_small(const boxing *b, unsigned int i)
{
  uint64_t n = 1;
  for (unsigned int k = 0; k < b->nd; k++)
    if (b->l->strides[i][k] != 0) n *= b->l->dims[k];
  return !b->st->operands[i].write && n <= b->l->kept * b->l->reduced / SMALL;
}

/* Two or three rows of elements of two bytes, of which a thread has one column where they are no
 * vectors: most of its instructions are for where that is. */
static int is_thin(const ga_stage *st, const ga_layout *l)
{
  return l->nr == 1 && l->reduced <= 3 && ga_widest_reduced(st) == 2;
}

/* The one input, but for small ones, and the one result along rows, of the same size and, where one
 * axis is reduced and rows are not thin, in orders of their own. */
static int find_operands(boxing *b)
{
  const ga_stage *st = b->st;
  unsigned int n[2] = {0, 0};
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (o->outer || is_small(b, i)) continue;
    n[o->write]++;
    if (o->write)
      b->out = i;
    else
      b->in = i;
  }
  if (n[0] != 1 || n[1] != 1 || size_of(st, b->in) != size_of(st, b->out)) return 0;
  if (size_of(st, b->in) > 8 || b->in >= 64) return 0;
  if (!order_axes(b, b->in, b->order[0]) || !order_axes(b, b->out, b->order[1])) return 0;
  b->turned = memcmp(b->order[0], b->order[1], b->nd * sizeof *b->order[0]) != 0;
  return b->turned || b->l->nr > 1 || is_thin(st, b->l);
}

/* The map makes functions of 8 bytes an element, as a level before it did. */
static int maps_functions(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].level == 2 * ga_chain_levels(st) && ga_dtypes[st->nodes[i].dtype].size >= 8 &&
        ga_needs_math(st, &st->nodes[i]))
      return 1;
  return 0;
}

/* Whether rows of several axes are better so than level by level: short ones where they are of 8
 * bytes an element, or of one level in the result's order, and along no long kept axis then. */
static int parts_pay(const boxing *b)
{
  unsigned int k = b->order[0][0];
  uint64_t reduced = b->l->reduced, most = maps_functions(b->st) ? PARTS / 2 : PARTS;
  if (b->l->nr == 1) return 1;
  if (ga_chain_is_wide(b->st) && reduced > most) return 0;
  if (b->turned) return 1;
  if (k < b->l->nk && b->l->dims[k] * size_of(b->st, b->in) > PART_RUN) return 0;
  return reduced <= PARTS || ga_chain_levels(b->st) > 1;
}

/* Bytes on end that the box has of the input (0) or the result (1), and the axis that makes them
 * more: nd for none. */
static size_t run_of(const boxing *b, int which, unsigned int *more)
{
  unsigned int i = which ? b->out : b->in;
  size_t run = size_of(b->st, i);
  *more = b->nd;
  for (unsigned int j = 0; j < b->nd; j++) {
    unsigned int k = b->order[which][j];
    if (b->l->strides[i][k] != (ssize_t)run) break;
    run *= b->extent[k];
    if (b->extent[k] == b->l->dims[k]) continue;
    *more = k;
    break;
  }
  return run;
}

/* Neighbours `step` bytes apart meet banks more than twice. */
static int meets_banks(size_t step) { return step % 16 == 0; }

/* Results take the places of what is read, so that what overlaps itself lies apart. */
static void lay_lines(const boxing *b, lines *n)
{
  size_t size = size_of(b->st, b->in), unit = size < 4 ? 4 : size, line = size, span = size, words;
  *n = (lines){.lanes = log2_of(GA_BLOCK)};
  for (unsigned int j = 0; j < b->nd; j++) {
    unsigned int k = b->order[0][j];
    size_t step = (size_t)b->l->strides[b->in][k], place = step;
    if (b->extent[k] == 1) continue;
    if (n->apart == 0 && step >= line && step <= 2 * line && (line == size || !meets_banks(step))) {
      line += (b->extent[k] - 1) * step;
    } else {
      n->apart |= 1u << k % 32;
      place = span + 2 * unit;
      place += (step % unit + unit - place % unit) % unit;
      if (place / unit % 2 == 0) place += unit;
    }
    n->place[k] = place;
    span += (b->extent[k] - 1) * place;
  }
  words = ceil_div(line, unit) + (size < 4);
  while (n->lanes > 0 && 4 * (ceil_div(words, 1u << n->lanes) << n->lanes) > 5 * words) n->lanes--;
  n->bytes = ceil_div(span + 2 * unit, 16) * 16;
}

static unsigned int axes_of(const boxing *b)
{
  unsigned int n = 0;
  for (unsigned int k = 0; k < b->nd; k++) n += b->extent[k] > 1;
  return n;
}

/* Makes the box longer along axis k, to its end where that is near; returns 0 where it has no more
 * room. */
static int lengthen(boxing *b, unsigned int k, size_t most)
{
  boxing w = *b;
  lines n;
  w.extent[k] *= 2;
  if (2 * b->l->dims[k] <= 3 * w.extent[k]) w.extent[k] = b->l->dims[k];
  lay_lines(&w, &n);
  if (axes_of(&w) > AXES || n.bytes > most) return 0;
  *b = w;
  return 1;
}

/* As many bytes on end as there is room for, whichever operand has less getting more; returns 0
 * where one has less than a sector. */
static int shape_box(boxing *b)
{
  unsigned int more[2];
  size_t run[2];
  for (unsigned int p = 0; p < sizeof wanted / sizeof *wanted; p++) {
    int done[2] = {0, 0};
    for (;;) {
      int which;
      for (which = 0; which < 2; which++) {
        run[which] = run_of(b, which, &more[which]);
        done[which] |= run[which] >= wanted[p].run || more[which] == b->nd;
      }
      if (done[0] && done[1]) break;
      which = done[0] || (!done[1] && run[1] < run[0]);
      if (!lengthen(b, more[which], wanted[p].bytes)) done[which] = 1;
    }
    if ((run[0] >= wanted[p].run || more[0] == b->nd) &&
        (run[1] >= wanted[p].run || more[1] == b->nd))
      return 1;
  }
  return 0;
}

/* The result's runs become longer where they are short of a line: sectors that they begin and end
 * within are stored in parts, which costs more than those that are read twice. */
static void widen_runs(boxing *b, const ga_target *target)
{
  size_t most = target->shared < WIDEST + OWN ? target->shared - OWN : WIDEST;
  unsigned int more;
  while (run_of(b, 1, &more) < wanted[0].run && more != b->nd && lengthen(b, more, most)) {
  }
}

/* Small boxes have more of the result, or of the input. */
static void fill_box(boxing *b)
{
  for (int which = 1; which >= 0; which--) {
    unsigned int more;
    lines n;
    for (;;) {
      lay_lines(b, &n);
      run_of(b, which, &more);
      if (n.bytes >= LEAST || more == b->nd || !lengthen(b, more, wanted[0].bytes)) break;
    }
  }
}

/* The box's axes in the result's order, and how many of those are a run. */
static void put_axes(ga_variant *v, const boxing *b, const lines *n)
{
  size_t run = size_of(b->st, b->out);
  int on = 1;
  ga_no_box(v);
  v->runs = v->row_axes = 0;
  for (unsigned int j = 0; j < b->nd; j++) {
    unsigned int k = b->order[1][j];
    on = on && b->l->strides[b->out][k] == (ssize_t)run;
    run *= b->extent[k];
    if (b->extent[k] > 1) {
      if (k >= b->l->nk) v->row_axes |= v->nbox << 4 * (b->nd - 1 - k);
      if (on) v->runs = v->nbox + 1;
      v->box[v->nbox] = k;
      v->box_extent[v->nbox] = (unsigned int)b->extent[k];
      v->place[v->nbox] = (unsigned int)n->place[k];
      v->lines_apart |= (n->apart >> k & 1) << v->nbox;
      v->nbox++;
    }
    on = on && b->extent[k] == b->l->dims[k];
  }
  for (unsigned int a = v->nbox; a < AXES; a++) {
    v->box[a] = GA_NO_AXIS;
    v->box_extent[a] = 1;
    v->box_order |= a << 4 * a;
  }
  for (unsigned int j = 0, at = 0; j < b->nd; j++)
    for (unsigned int a = 0; a < v->nbox; a++)
      if (v->box[a] == b->order[0][j]) v->box_order |= a << 4 * at++;
}

/* Lanes of a row: as few as have few registers each, and leave no thread idle. */
static int share_rows(ga_variant *v, const boxing *b, size_t live)
{
  uint64_t fours = ceil_div(b->l->reduced, 4), each = fours /* of a lane */, rows = 1;
  for (unsigned int k = 0; k < b->l->nk; k++) rows *= b->extent[k];
  for (; v->lanes < 5 && each > 1; v->lanes++, each = ceil_div(fours, (uint64_t)1 << v->lanes))
    if (each * live <= REGISTERS && rows << v->lanes >= GA_BLOCK) break;
  v->fours = (int)each;
  v->whole = (uint64_t)v->fours * (4u << v->lanes) == b->l->reduced ? 2 : b->l->reduced % 4 == 0;
  return (uint64_t)v->fours * live <= 2 * REGISTERS;
}

/* Rows that go on along the input for more than a kilobyte. */
static int goes_along(const boxing *b)
{
  unsigned int k = b->order[0][0];
  return k >= b->l->nk && b->l->dims[k] * size_of(b->st, b->in) > LONG_ROW;
}

int ga_chain_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                   const ga_target *target)
{
  boxing b = {.st = st, .l = l, .nd = l->nk + l->nr};
  ga_variant w = *v;
  unsigned int blocks;
  lines n;
  if (l->nr > AXES - 1 || l->nk == 0 || l->kept == 0 || v->bytes || b.nd > 32) return 0;
  if (l->reduced < 2 || l->reduced > CHUNK || ga_acc_size(st) > 16 || !find_operands(&b)) return 0;
  if (goes_along(&b) || !parts_pay(&b)) return 0;
  for (unsigned int k = 0; k < b.nd; k++) b.extent[k] = k < l->nk ? 1 : l->dims[k];
  if (!shape_box(&b)) return 0;
  widen_runs(&b, target);
  fill_box(&b);
  lay_lines(&b, &n);
  if (n.bytes + OWN > target->shared || !share_rows(&w, &b, live)) return 0;
  put_axes(&w, &b, &n);
  w.skeleton = GA_SKEL_CHAIN_BOXES;
  w.boxed = (uint64_t)1 << b.in;
  w.line_lanes = n.lanes;
  w.shared = n.bytes;
  w.cluster = 1;
  w.vec = 4;
  w.rows = 1;
  w.threads = w.block = GA_BLOCK;
  w.nk = ga_rank_bound(b.nd - w.nbox);
  w.nr = l->nr;
  w.grid = l->kept * l->reduced;
  for (unsigned int a = 0; a < w.nbox; a++) {
    uint64_t all = l->dims[w.box[a]];
    w.band[a] = a > 0 && all > 2 * (uint64_t)w.box_extent[a] ? 2 : 0;
    w.grid = w.grid / all * ga_box_bands(&w, l, a) << w.band[a];
  }
  if (w.grid > GA_GRID_MAX) return 0;
  blocks = (unsigned int)(target->shared / (n.bytes + OWN));
  w.resident = ga_chain_resident(st, GA_BLOCK, (size_t)w.fours, live);
  if (w.resident > blocks) w.resident = blocks;
  *v = w;
  return 1;
}

/* Short rows of results whose last four lacks two elements or three: threads that have whole
 * columns store parts of fours. */
static int are_ragged(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t last = l->reduced % 4;
  return v->turned && l->reduced * ga_widest_reduced(st) <= RAGGED &&
         (l->reduced < 4 || last == 1 || last == 2);
}

int ga_chain_is_few(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (v->skeleton != GA_SKEL_CHAIN_COLUMNS) return 0;
  if (v->vec == 1 && !v->turned && is_thin(st, l)) return 1;
  return v->across * v->vec < FEW || are_ragged(v, st, l);
}
