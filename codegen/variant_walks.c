/* SPDX-License-Identifier: MIT */
/* Chooses the variant of reductions in no order whose operands or results are fast along different
 * axes (gen.h, kernels/reduce_walks.cu). */
#include "variant.h"

#define RUN        128   /* bytes on end that a box is to have of each operand, ... */
#define RUN_MIN    32    /* ... and at least */
#define ROOM       57000 /* bytes of shared memory of a block, four to a multiprocessor, ... */
#define ROOM_MIN   13000 /* ... fewer where there are few boxes */
#define ITEMS      256   /* at least, as threads have one each, ... */
#define ITEMS_MOST 8192  /* ... and at most */
#define WALK       4     /* elements of a walk, at least, ... */
#define WALK_ALIKE 16    /* ... if it does not take neighbours, as their lines begin elsewhere */
#define WALK_GOOD  8     /* shorter runs are better than shorter walks */
#define WALK_MOST  256
#define FEW        8  /* an operand of a smaller share of the elements is read as it is needed */
#define RESULTS    4  /* their sectors matter from such a share of what is read on */
#define UNITS      16 /* of work for each multiprocessor */
#define UNITS_MIN  4
#define AXES       4     /* of a box */
#define LINE       16    /* bytes that are known of one (kernels/reduce_walks.cu, ga_line) */
#define WHOLE      128   /* axes that a box has all of; of longer ones powers of two */
#define PLACES     512   /* along an axis: ga_line has 10 bits */
#define JOINED     32    /* units that one joins */
#define LEAST      32768 /* bytes that each multiprocessor is to read */

static unsigned int rank_of(const ga_layout *l) { return l->nk + l->nr; }

/* The axis that operand i is fast along; the rank where it does not move. */
static unsigned int fast_axis(const ga_layout *l, unsigned int i)
{
  unsigned int own[GA_MAXND];
  return ga_own_order(l, i, own) > 0 ? own[0] : rank_of(l);
}

static double elements_of(const ga_layout *l, unsigned int i)
{
  double n = 1;
  for (unsigned int k = 0; k < rank_of(l); k++)
    if (l->strides[i][k] != 0) n *= (double)l->dims[k];
  return n;
}

/* Marks the box's axes that lines of operand i are along: the one that it is fast along, and where
 * the box has all of that the next one, if gaps are small. Returns a line's bytes. */
static size_t mark_line(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i,
                        ga_walk_image *m)
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own);
  size_t bytes = size_of(st, i);
  for (unsigned int j = 0; j < n; j++) {
    unsigned int b = ga_in_box(v, own[j]);
    size_t step = ga_magnitude(l->strides[i][own[j]]);
    if (b == AXES || (m->along != 0 && 4 * step > 5 * bytes)) break;
    m->along |= 1u << b;
    bytes += step * (v->box_extent[b] - 1);
    if (v->box_extent[b] < l->dims[own[j]]) break;
  }
  return bytes;
}

/* How operand i lies; *bytes of all its lines. */
static ga_walk_image lay_image(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                               unsigned int i, size_t *bytes)
{
  const size_t size = size_of(st, i), unit = size < 4 ? 4 : size;
  const size_t slack = size < 4 && !v->aligned ? 4 - size : 0;
  ga_walk_image m = {.lines = 1};
  size_t n;
  m.words = (unsigned int)ceil_div(mark_line(v, st, l, i, &m) + slack, unit);
  n = m.words | 1;
  for (unsigned int b = 0; b < AXES; b++) {
    if (v->box[b] == GA_NO_AXIS || m.along >> b & 1 || v->box_extent[b] == 1) continue;
    if (l->strides[i][v->box[b]] == 0) continue;
    m.gap[b] = (unsigned int)(n * unit);
    m.lines *= v->box_extent[b];
    n = n * v->box_extent[b] | 1;
  }
  *bytes = n * unit;
  return m;
}

ga_walk_image ga_walks_image(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                             unsigned int i, size_t *end)
{
  ga_walk_image m = {0};
  size_t at = 0, bytes;
  for (unsigned int k = 0; k <= i; k++) {
    if (!is_boxed(v, k)) continue;
    m = lay_image(v, st, l, k, &bytes);
    m.table = (unsigned int)at;
    m.from = m.table + LINE * m.lines;
    at = (m.from + bytes + 15) / 16 * 16;
  }
  *end = at;
  return m;
}

/* Extents of a box, by the layout's axes; the walked one; whether it is to have runs of results. */
typedef struct shape {
  uint64_t extent[GA_MAXND];
  unsigned int walked;
  int results;
} shape;

/* Bytes on end of operand i, and the axis that makes them more: the rank where none does. */
static uint64_t run_of(const shape *s, const ga_stage *st, const ga_layout *l, unsigned int i,
                       unsigned int *more)
{
  unsigned int own[GA_MAXND], n = ga_own_order(l, i, own);
  uint64_t run = size_of(st, i);
  *more = rank_of(l);
  for (unsigned int j = 0; j < n; j++) {
    uint64_t step = ga_magnitude(l->strides[i][own[j]]);
    if (j > 0 && step > 2 * run) break; /* gaps beside it are larger */
    run += step * (s->extent[own[j]] - 1);
    if (s->extent[own[j]] >= l->dims[own[j]]) continue;
    *more = own[j];
    break;
  }
  return run;
}

/* The box's axes: the walked one, other reduced ones, kept ones, results' fastest first. Returns 0
 * where they are too many. */
static int set_axes(ga_variant *v, const ga_stage *st, const ga_layout *l, const shape *s)
{
  unsigned int n = 1, out = 0, kept;
  while (!st->operands[out].write) out++;
  v->box[0] = s->walked;
  for (unsigned int k = rank_of(l); k-- > l->nk;)
    if (s->extent[k] > 1 && k != s->walked) {
      if (n == AXES) return 0;
      v->box[n++] = k;
    }
  v->steps = kept = n;
  for (unsigned int k = l->nk; k-- > 0;) {
    unsigned int at = n;
    if (s->extent[k] == 1) continue;
    if (n == AXES) return 0;
    for (; at > kept &&
           ga_magnitude(l->strides[out][v->box[at - 1]]) > ga_magnitude(l->strides[out][k]);
         at--)
      v->box[at] = v->box[at - 1];
    v->box[at] = k;
    n++;
  }
  v->nbox = n;
  for (unsigned int b = 0; b < AXES; b++) {
    if (b >= n) v->box[b] = GA_NO_AXIS;
    v->box_extent[b] = b < n ? (unsigned int)s->extent[v->box[b]] : 1;
  }
  return 1;
}

/* Elements from one to the next of a walk whose lines all begin as far past a word. */
static unsigned int least_split(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int split = 1;
  for (unsigned int i = 0; i < st->noperand && !v->aligned; i++) {
    unsigned int each = size_of(st, i) < 4 ? 4 / (unsigned int)size_of(st, i) : 1;
    ga_walk_image m = {0};
    if (!is_boxed(v, i)) continue;
    mark_line(v, st, l, i, &m);
    if (!(m.along & 1) && each > split) split = each;
  }
  return split;
}

/* What a block holds; returns its bytes, SIZE_MAX where the box has too many axes or items, or
 * places (kernels/reduce_walks.cu, GA_NONE_PAST). */
static size_t fill_block(ga_variant *v, const ga_stage *st, const ga_layout *l, const shape *s)
{
  unsigned int split;
  if (!set_axes(v, st, l, s)) return SIZE_MAX;
  v->width = v->nrows = 1;
  for (unsigned int b = 0; b < AXES; b++) {
    if (v->box_extent[b] >= PLACES) return SIZE_MAX;
    if (b >= v->steps) v->width *= v->box_extent[b];
    if (b > 0 && b < v->steps) v->nrows *= v->box_extent[b];
  }
  split = least_split(v, st, l);
  v->whole = v->box_extent[0] >= WALK_ALIKE * split;
  if (!v->whole) split = 1;
  while ((uint64_t)v->width * v->nrows * split < ITEMS && v->box_extent[0] >= 2 * WALK * split)
    split *= 2;
  v->nrows *= split;
  v->xbits = log2_of(split);
  if ((uint64_t)v->width * v->nrows > ITEMS_MOST) return SIZE_MAX;
  ga_walks_image(v, st, l, st->noperand - 1, &v->shared);
  v->box_end = (unsigned int)v->shared;
  v->shared += (size_t)v->width * v->nrows * ga_acc_size(st);
  return v->shared;
}

/* Makes the box longer along axis k, to its end where that is near; 0: it does not fit. */
static int lengthen(ga_variant *v, shape *s, const ga_stage *st, const ga_layout *l, unsigned int k,
                    size_t room)
{
  shape longer = *s;
  uint64_t n = 2 * s->extent[k];
  if (s->extent[k] >= l->dims[k]) return 0;
  longer.extent[k] = l->dims[k] <= WHOLE && 2 * l->dims[k] <= 3 * n ? l->dims[k] : n;
  if (k == s->walked && longer.extent[k] > WALK_MOST) return 0;
  if (fill_block(v, st, l, &longer) > room) return 0;
  *s = longer;
  return 1;
}

/* Makes runs longer, the shortest first, until all have `want` bytes or do not fit: of what is
 * copied, or of results. */
static void lengthen_runs(ga_variant *v, shape *s, const ga_stage *st, const ga_layout *l,
                          int results, uint64_t want, size_t room)
{
  unsigned char done[64] = {0};
  for (;;) {
    unsigned int best = st->noperand, axis = 0, more;
    uint64_t least = want;
    for (unsigned int i = 0; i < st->noperand; i++) {
      uint64_t run;
      if (done[i] || !(results ? st->operands[i].write : is_boxed(v, i))) continue;
      run = run_of(s, st, l, i, &more);
      if (run >= least || more == rank_of(l)) continue;
      least = run;
      best = i;
      axis = more;
    }
    if (best == st->noperand) return;
    if (!lengthen(v, s, st, l, axis, room)) done[best] = 1;
  }
}

/* A box that has runs of each operand, filled up along the walked axis, then along others. Returns
 * the least of those runs. */
static uint64_t shape_box(ga_variant *v, shape *s, const ga_stage *st, const ga_layout *l,
                          uint64_t want, size_t room)
{
  uint64_t least = want;
  for (unsigned int k = 0; k < rank_of(l); k++) s->extent[k] = 1;
  s->walked = l->nk;
  for (unsigned int k = l->nk; k < rank_of(l); k++)
    if (l->dims[k] > l->dims[s->walked]) s->walked = k;
  lengthen_runs(v, s, st, l, 0, want, room);
  if (s->results) lengthen_runs(v, s, st, l, 1, SECTOR, room);
  for (unsigned int k = l->nk; k < rank_of(l); k++)
    if (s->extent[k] > s->extent[s->walked]) s->walked = k;
  while (lengthen(v, s, st, l, s->walked, room)) {
  }
  for (int inside = 1; inside >= 0; inside--)
    for (unsigned int k = rank_of(l); k-- > 0;)
      while (s->extent[k] > (uint64_t)inside && lengthen(v, s, st, l, k, room)) {
      }
  fill_block(v, st, l, s);
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int more;
    uint64_t run = is_boxed(v, i) ? run_of(s, st, l, i, &more) : want;
    if (run < least && more != rank_of(l)) least = run;
  }
  return least;
}

/* Marks what is copied, and whether results are so many that their sectors matter. Returns 0 where
 * a large operand has no neighbours, or all are few bytes. */
static int mark_operands(ga_variant *v, shape *s, const ga_stage *st, const ga_layout *l,
                         const ga_target *target)
{
  double all = (double)l->kept * (double)l->reduced, bytes = 0, sectors = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int axis = fast_axis(l, i);
    if (st->operands[i].write && axis < rank_of(l)) sectors += (double)l->kept * SECTOR;
    if (!is_reduced(st, i) || elements_of(l, i) * FEW < all) continue;
    if (axis == rank_of(l) || !is_near(st, l, i, axis)) return 0;
    v->boxed |= (uint64_t)1 << i;
    bytes += elements_of(l, i) * (double)size_of(st, i);
  }
  s->results = sectors * RESULTS >= bytes;
  return bytes >= (double)ga_enough(target, 1) * LEAST;
}

/* Lanes along the innermost kept axis would each have sectors of their own, of some operand (as
 * those of rows have) or of results. */
static int is_crossed(const shape *s, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (st->operands[i].write && s->results && fast_axis(l, i) != inner) return 1;
    if (l->cls == GA_CLASS_COLUMNS && is_reduced(st, i) &&
        ga_magnitude(l->strides[i][inner]) > SECTOR)
      return 1;
  }
  return 0;
}

/* Lines begin with words, whichever they are. */
static int lines_aligned(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_boxed(v, i) && size_of(st, i) < 4 &&
        (l->strides[i][fast_axis(l, i)] < 0 ||
         !ga_vectors_aligned(st, l, align, i, 4 / (int)size_of(st, i), fast_axis(l, i))))
      return 0;
  return 1;
}

/* Boxes of the same columns, cut into units. */
static void cut_boxes(ga_variant *v, const ga_layout *l, const ga_target *target)
{
  uint64_t enough = ga_enough(target, UNITS);
  v->groups = v->tiles = 1;
  for (unsigned int k = 0; k < rank_of(l); k++) {
    unsigned int b = ga_in_box(v, k);
    uint64_t n = b == AXES ? l->dims[k] : ceil_div(l->dims[k], v->box_extent[b]);
    if (k < l->nk)
      v->groups *= n;
    else
      v->tiles *= n;
  }
  v->spans = v->groups >= enough ? 1 : ceil_div(enough, v->groups);
  if (v->spans > v->tiles) v->spans = v->tiles;
  v->each = ceil_div(v->tiles, v->spans);
  v->spans = ceil_div(v->tiles, v->each);
  v->units = v->groups * v->spans;
  v->tickets = 0;
  for (uint64_t n = v->spans; n > 1; n = ceil_div(n, JOINED))
    v->tickets += (unsigned int)ceil_div(n, JOINED);
}

/* The longest runs that leave walks long, in smaller boxes where those would be few. Returns 0
 * where runs are too short, or something is not copied along its own lines. */
static int choose_box(ga_variant *v, shape *s, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  size_t room = target->shared < ROOM ? target->shared : ROOM;
  uint64_t want = RUN, run, walk;
  for (;; want /= 2) {
    run = shape_box(v, s, st, l, want, room);
    walk = s->extent[s->walked];
    if (want == RUN_MIN || (run >= want && (walk >= WALK_GOOD || walk >= l->dims[s->walked])))
      break;
  }
  for (;; room /= 2) {
    cut_boxes(v, l, target);
    if (v->units >= ga_enough(target, UNITS_MIN) || room / 2 < ROOM_MIN) break;
    run = shape_box(v, s, st, l, want, room / 2);
  }
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_boxed(v, i) && ga_in_box(v, fast_axis(l, i)) == AXES) return 0;
  return run >= RUN_MIN / 2 && v->shared <= target->shared;
}

int ga_variant_walks(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  shape s;
  if (v->bytes || !ga_stage_is_free(st) || l->nr == 0 || l->nk == 0) return 0;
  if (l->kept == 0 || l->reduced == 0) return 0;
  if (st->noperand > 64) return 0; /* bits of `boxed` */
  if (!mark_operands(&w, &s, st, l, target) || !is_crossed(&s, st, l)) return 0;
  w.aligned = lines_aligned(&w, st, l, align);
  if (!choose_box(&w, &s, st, l, target)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && !is_boxed(&w, i) && l->strides[i][s.walked] == 0)
      w.still |= (uint64_t)1 << i;
  w.skeleton = GA_SKEL_WALKS;
  w.nk = ga_rank_bound(l->nk);
  w.nr = ga_rank_bound(l->nr);
  w.vec = 1;
  w.resident = 4;
  w.grid = w.units;
  if (w.grid > ga_enough(target, w.resident)) w.grid = ga_enough(target, w.resident);
  if (w.aligned) w.whole = 1;
  *v = w;
  return 1;
}
