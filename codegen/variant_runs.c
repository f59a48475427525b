/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a map of narrow elements by boxes whose results are runs (gen.h,
 * kernels/map_runs.cu). */
#include "variant_runs.h"

#define RUN_MIN    48  /* bytes of a row that are worth it */
#define RUN_CUT    256 /* the same of one that is cut inside sectors */
#define RUN        256 /* elements of a row that is cut off a longer run */
#define ROWS_LEAST 4   /* of a thread */
#define SETUP      25  /* instructions of a thread before its rows, to so many of one element */
#define BESIDE     8   /* bytes of neighbours that are taken together */
#define SHORTEST   10  /* elements of an innermost axis that boxes of powers of two are bad for */
#define WIDE       320 /* bytes of an axis that tiles would be half full of */
#define WIDE_OUT   288 /* the same of the rows' */
#define ENDS       256 /* bytes of rows, most of which are ends */
#define TILE       128 /* elements of a tile of lines along a row (map_turn.cu) */

size_t ga_widest_moved(const ga_stage *st, const ga_layout *l)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (l->strides[i][l->nk - 1] != 0 && size_of(st, i) > widest) widest = size_of(st, i);
  return widest;
}

/* Elements of a word of the widest operand that moves along rows. */
static int word_elements(const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest_moved(st, l);
  return widest < WORD ? (int)(WORD / widest) : 1;
}

/* All outputs go on along box axis b where axes 0 to b-1 of the box end, which are whole. */
static int goes_on(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int b)
{
  uint64_t n = 1;
  for (unsigned int k = 0; k < b; k++) {
    if (v->box_extent[k] != l->dims[v->box[k]]) return 0;
    n *= v->box_extent[k];
  }
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && l->strides[i][v->box[b]] != (ssize_t)(n * size_of(st, i)))
      return 0;
  return 1;
}

/* Some operand lies in the box in another order than the outputs, whose axes are sorted. */
static int has_crossed(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t last = 0;
    for (unsigned int k = l->nk; k-- > 0 && !st->operands[i].write;) {
      unsigned int b = 0;
      size_t step = ga_magnitude(l->strides[i][k]);
      while (b < 4 && v->box[b] != k) b++;
      if (b == 4 || step == 0) continue;
      if (step < last) return 1;
      last = step;
    }
  }
  return 0;
}

static void put_axis(ga_variant *v, const ga_variant *from, unsigned int k, unsigned int b)
{
  v->box[k] = b < from->nbox ? from->box[b] : GA_NO_AXIS;
  v->box_extent[k] = b < from->nbox ? from->box_extent[b] : 1;
}

/* The box's axes in the order that map_runs.cu has them; returns 0 where they do not fit. */
static int set_axes(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const ga_variant w = *v;
  unsigned int first = 1, rest, big;
  uint64_t part;
  if (w.box[0] + 1 != l->nk || !goes_on(&w, st, l, 0)) return 0;
  if (w.nbox > 1 && goes_on(&w, st, l, 1)) first = 2;
  put_axis(v, &w, 0, first == 2 ? 0 : w.nbox);
  put_axis(v, &w, 1, first - 1);
  rest = w.nbox - first;
  if (rest > 2) return 0;
  big = rest == 2 && w.box_extent[first + 1] > w.box_extent[first] ? first + 1 : first;
  put_axis(v, &w, 2, big);
  put_axis(v, &w, 3, rest == 2 ? 2 * first + 1 - big : w.nbox);
  v->each = 0;
  if (first == 1 || rest == 2 || (rest == 1 && v->box_extent[2] >= 2 * ROWS_LEAST)) return 1;
  part = pow2_ceil(ceil_div(RUN, v->box_extent[0]));
  if (part < v->box_extent[1]) v->each = part;
  return 1;
}

size_t ga_runs_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  ga_variant w = *v;
  size_t all = 0;
  int meets;
  w.vec = word_elements(st, l);
  if (!set_axes(&w, st, l)) return 0;
  w.beside = w.each == 0 ? 2 : 1; /* that several are taken together is likely */
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_image m = {0};
    if (ga_runs_crossed(&w, l, st, i)) all += ga_lay_image(&w, st, l, i, &m, &meets);
  }
  return all;
}

/* `n` rows can be taken together: they are whole words of some image, and none has a part of
 * them. */
static int takes_beside(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align, unsigned int n)
{
  const unsigned int rows = row_axis(v);
  int some = 0;
  if (!has_axis(v, l, rows) || (v->each != 0 && !has_axis(v, l, 0))) return 0;
  if (l->dims[v->box[rows]] % n != 0 || v->box_extent[rows] % n != 0) return 0;
  if (ga_magnitude(step_of(v, l, v->first, rows)) % WORD != 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!ga_runs_crossed(v, l, st, i) || !ga_lies_beside(v, st, l, i)) continue;
    if (n * size_of(st, i) > BESIDE || n * size_of(st, i) < WORD) return 0;
    if (!ga_vectors_aligned(st, l, align, i, (int)n, v->box[rows])) return 0;
    some = 1;
  }
  return some;
}

/* Whether that gains where lines are apart: for innermost axes of few elements of 2 bytes; for
 * others not where boxes of powers of two are full, nor with several images or few bytes of a row;
 * of results that are one run not for elements of 2 bytes alone. (On an H200, share of the ceiling
 * by those boxes and together: uint8 [24, .] transposed 0.61 and 0.84, 60 0.57 and 0.77, into
 * [., 60] 0.64 and 0.72, [., 64] 0.90 and 0.82, float16 into [., 28] 0.87 and 0.80, of
 * [457, 5000, 28] and one that is off alignment 0.70 and 0.84; int16 [10000, 257, 24] and /f 0.71
 * and 0.80, two of float16 [1000, 3200, 20] 0.72 and 0.64, of bfloat16 [80, 53, 1001, 10] 0.57 and
 * 0.70, uint8 of rows of 64 0.63 and 0.40.) */
static int gains_beside(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int apart = 0, inputs = 0, crossed = 0, k = 0;
  uint64_t whole;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_image m = {0};
    inputs += !st->operands[i].write;
    if (!ga_runs_crossed(v, l, st, i)) continue;
    ga_image_of(v, st, l, i, &m);
    if (m.beside) apart |= m.apart;
    crossed++;
  }
  if (!apart) return 1;
  while (k < 3 && !(has_axis(v, l, k) && v->box_extent[k] == l->dims[v->box[k]])) k++;
  if (k == 3) return 0;
  whole = v->box_extent[k];
  if (v->each != 0) return whole != pow2_ceil(whole) && (ga_widest(st) == 1 || inputs > 1);
  if (v->beside < 4) return 0;
  if (k == 0 && whole <= SHORTEST && ga_widest(st) == 2) return 1;
  return 5 * whole <= 4 * pow2_ceil(whole) && crossed == 1 &&
         run_of_box(v) * size_of(st, v->first) >= BANKS;
}

/* Rows that are taken together, the most that can be. */
static void choose_beside(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align)
{
  for (unsigned int n = BESIDE; n >= 2; n /= 2) {
    ga_variant w = *v;
    w.beside = n;
    if (w.each != 0) w.each = 1;
    if (!takes_beside(&w, st, l, align, n) || ga_runs_images(&w, st, l, NULL) == 0) continue;
    if (run_of_box(&w) * size_of(st, w.first) < RUN_MIN || !gains_beside(&w, st, l)) continue;
    *v = w;
    return;
  }
  v->beside = 1;
}

/* Where rows are cut, and how many apart are cut alike. */
static void cut_rows(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  const size_t size = size_of(st, v->first);
  uint64_t rows = v->each != 0 ? ceil_div(v->box_extent[1], v->each) : v->box_extent[2];
  size_t step = ga_magnitude(step_of(v, l, v->first, row_axis(v)));
  uint64_t cut = SECTOR, alike, slots;
  uint64_t least = 0, each = v->beside > ROWS_LEAST ? 1 : ROWS_LEAST / v->beside;
  if (v->each != 0) step *= v->each;
  alike = cut / common_divisor(cut, step);
  while (cut > WORD && alike > 1 && (v->beside > 1 || ROWS_LEAST * alike > rows)) {
    cut /= 2;
    alike = cut / common_divisor(cut, step);
  }
  v->skew = (int)(cut / size);
  rows = ceil_div(rows, v->beside);
  slots = ceil_div(run_of_box(v) + (uint64_t)v->skew - 1, (uint64_t)v->vec);
  slots = ceil_div(slots, SECTOR / WORD) * (SECTOR / WORD);
  v->steps = 0;
  for (uint64_t n = alike; n < rows + alike; n += alike) { /* what a thread has to do */
    uint64_t turns = ceil_div(n * slots, GA_BLOCK), groups = ceil_div(rows, n);
    uint64_t times = ceil_div(groups, each), done = times * ceil_div(groups, times) * v->beside;
    uint64_t cost = turns * (SETUP + done * (uint64_t)(v->vec + 1));
    if (v->steps != 0 && cost >= least) continue;
    least = cost;
    v->steps = (unsigned int)n;
  }
}

/* Whether boxes of whole short axes are better than those of powers of two (variant_cross.c):
 * images are one line each; or rows are off words, or of whole axes that are no powers of two. */
static int gains(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                 const unsigned char *align, enum ga_instead instead)
{
  if (instead != GA_OR_BOXES || v->beside > 1 || !ga_rows_aligned(st, l, align, v->first, v->vec))
    return 1;
  if (has_axis(v, l, 0) && v->box_extent[0] != pow2_ceil(v->box_extent[0])) return 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_image m = {0};
    if (ga_runs_crossed(v, l, st, i) && (ga_image_of(v, st, l, i, &m) == 0 || m.apart != 0))
      return 0;
  }
  return 1;
}

/* Boxes of powers of two are three quarters full of so many. */
static int fills_box(uint64_t n) { return 4 * n >= 3 * pow2_ceil(n); }

/* Four lanes meet a bank, of long rows of bytes, or of boxes of three axes. (On an H200, share of
 * the ceiling by boxes of powers of two and by runs: int8 [20, 3000000] 0.74 and 0.69, [44, 909088]
 * plus one as it lies 0.77 and 0.66, float16 [4285, 500, 14]/f 0.77 and 0.66; but [3157, 500, 19]/f
 * 0.56 and 0.61, int8 two of [2000000, 20] 0.56 and 0.74.) */
static int is_held_up(const ga_variant *v, int ncrossed, uint64_t met)
{
  if (met <= 2) return 0;
  if (v->vec == WORD) return v->box[0] == GA_NO_AXIS && ncrossed == 1;
  return v->nbox > 2 && fills_box(v->box_extent[0]);
}

/* Rows are cut inside sectors, and short, or by words beside inputs that lie as they do, and lanes
 * meet banks (`met`) or boxes of powers of two are three quarters full. (On an H200, share of the
 * ceiling by others and by runs: uint8 of 9 x 250 x 17777, rows of 64, 0.38 and 0.26; plus one as
 * it lies int8 of 30 x 13333 0.60 and 0.43, int16 of 10 x 1999977 0.71 and 0.60, int8 of 27 x
 * 1481481 0.56 and 0.44, 9 x 4444445 0.40 and 0.45; cut at 8 bytes int8 of 9 x 4444444 0.52 and
 * 0.71.) */
static int is_cut(const ga_variant *v, const ga_stage *st, int direct, uint64_t met)
{
  size_t cut = (size_t)v->skew * size_of(st, v->first);
  size_t row = run_of_box(v) / (size_t)v->vec * WORD; /* bytes of the widest operand */
  if (met == 1 && !fills_box(v->box_extent[2])) return 0;
  return cut < SECTOR && (row <= RUN_CUT || (direct && cut <= WORD));
}

/* The axis of at most WIDE bytes that others cross, the other one being long; l->nk where there is
 * none. */
static unsigned int wide_axis(const ga_stage *st, const ga_layout *l)
{
  const unsigned int inner = l->nk - 1;
  const int cross = l->cls == GA_CLASS_TILE ? ga_layout_cross_axis(l, st) : -1;
  uint64_t nx, ny;
  if (cross < 0) return l->nk;
  nx = l->dims[inner] * ga_widest(st);
  ny = l->dims[cross] * ga_widest(st);
  if (nx <= WIDE && ny > WIDE) return inner;
  return ny <= WIDE && nx > WIDE ? (unsigned int)cross : l->nk;
}

/* Whether the box that has all of such an axis is better than tiles of lines, of one operand that
 * crosses: it lies in one line, and rows are cut alike; or results are one run, of which tiles
 * would be a third empty. (On an H200, share of the copy ceiling by tiles and by runs: [75, .]
 * transposed int8 0.68 and 0.86, float16 0.65 and 0.86, 150 0.61 and 0.66, 0.70 and 0.86, 257 int8
 * 0.61 and 0.85, but odd rows 0.61 and 0.38; into odd [., 75] int8 0.45 and 0.75, float16 0.72 and
 * 0.77, 150 0.47 and 0.66, 0.73 and 0.70, 40 float16 0.43 and 0.85, 100 0.84 and 0.77.) */
static int is_wide(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int wide)
{
  const uint64_t n = l->dims[wide], tiles = ceil_div(n, TILE) * TILE;
  unsigned int crossed = 0, direct = 0, apart = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ga_image m = {0};
    if (ga_runs_crossed(v, l, st, i)) {
      ga_image_of(v, st, l, i, &m);
      apart |= m.apart;
      crossed++;
    } else if (!st->operands[i].write) {
      direct++;
    }
  }
  if (crossed != 1 || direct > 1) return 0;
  if (wide + 1 == l->nk) return v->each != 0 && 10 * n < 7 * tiles && n * ga_widest(st) <= WIDE_OUT;
  return apart == 0 && step_of(v, l, v->first, row_axis(v)) % SECTOR == 0;
}

/* What a box's operands are. */
typedef struct parts {
  int ncrossed, direct; /* inputs that have images; whether some other one moves along rows */
  uint64_t met;         /* lanes that meet a bank */
} parts;

static void count_blocks(ga_variant *v, const ga_layout *l)
{
  v->nk = ga_rank_bound(l->nk - v->nbox);
  v->grid = l->kept;
  for (unsigned int k = 0; k < 4; k++) {
    v->band[k] = 0;
    if (!has_axis(v, l, k)) continue;
    if (v->box[k] + 1 != l->nk && l->dims[v->box[k]] > 2 * (uint64_t)v->box_extent[k])
      v->band[k] = 2;
    v->grid = v->grid / l->dims[v->box[k]] * ga_box_bands(v, l, k) << v->band[k];
  }
}

/* What the box's operands are, and which lie on vectors; returns 0 where an image does not fit. */
static int see_parts(ga_variant *v, parts *p, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align)
{
  *p = (parts){.met = 1};
  v->aligned = v->store_vec = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    int along = ga_vectors_agree(st, l, align, i, v->first, v->vec);
    if (st->operands[i].write)
      v->store_vec &= along;
    else if (ga_runs_crossed(v, l, st, i)) {
      ga_image m = {0};
      uint64_t meets;
      if (ga_image_of(v, st, l, i, &m) == 0) return 0;
      meets = ga_lanes_met(v, m.pitch[has_axis(v, l, 0) ? 0 : 1]);
      if (meets > p->met) p->met = meets;
      p->ncrossed++;
    } else if (!is_still(v, l, i)) {
      v->aligned &= along;
      p->direct = 1;
    }
  }
  return p->ncrossed != 0;
}

/* Shared memory for the images, as v->vec and the box have them; returns 0 where they do not fit.
 */
static int make_images(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target)
{
  v->shared = ga_runs_images(v, st, l, NULL);
  if (v->shared == 0) return 0;
  v->shared = ga_leave_cache(v->shared, target);
  return v->shared <= target->shared;
}

/* Boxes that have all of axis `wide` (l->nk: none), `larger` ones if so; returns 0 where none fit.
 */
static int make_runs(ga_variant *v, parts *p, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target, unsigned int wide,
                     int larger)
{
  if (!ga_shape_runs(v, st, l, wide, larger) || !set_axes(v, st, l)) return 0;
  v->vec = word_elements(st, l);
  choose_beside(v, st, l, align);
  if (!make_images(v, st, l, target)) return 0;
  if (run_of_box(v) * size_of(st, v->first) < RUN_MIN) return 0;
  cut_rows(v, st, l);
  v->skeleton = GA_SKEL_RUNS;
  count_blocks(v, l);
  return see_parts(v, p, st, l, align);
}

/* Twice as many elements a thread, where results are bytes and rows are cut at twice that at least:
 * stored by one or two bytes those took as many instructions as words. (On an H200, us: int16
 * [352272, 127] < one in order 10 72 and 63, [154807, 17, 17]/t < a number 102 and 94, bfloat16 of
 * 24 beside each other < one off alignment 129 and 109, float64 [5504, 16, 127]/p201 < a row in
 * steps of two 36.5 and 34; but cut at words float16 [31, 43733, 33]/t < a column 55 and 63, four
 * of float32 [96, 14564, 16]/f < one so 67 and 101.) */
static void widen(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                  const ga_target *target)
{
  const size_t widest = ga_widest_moved(st, l);
  ga_variant w = *v;
  parts p;
  if (widest == 4 || v->vec >= WORD) return;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && size_of(st, i) != 1) return;
  w.vec *= 2; /* of which images are laid out */
  if (!make_images(&w, st, l, target)) return;
  cut_rows(&w, st, l);
  if (w.skew >= 2 * w.vec && see_parts(&w, &p, st, l, align)) *v = w;
}

/* Longer rows, of a chosen box whose rows are less than ENDS bytes: most of what is done there are
 * ends. Not beside operands that are read as they lie, which fewer blocks leave waiting. (On an
 * H200, us: int8 [516222, 4, 65]/t rows of 130 and of 260 119 and 106, [61624, 2, 33, 33]/p3210 170
 * and 155, int16 [154807, 17, 17]/t < a number 94 and 68, bfloat16 [24, 100, 5, 233, 24]/f 93 and
 * 84; but [31, 537, 7, 16, 24] times one so plus 1 91 and 115, float16 [193676, 7, 33] and one so
 * 96 and 103; and where rows are not longer int16 [2, 256, 43691, 3]/t 111 and 128.) */
static void lengthen(ga_variant *v, const ga_variant *before, const parts *p, const ga_stage *st,
                     const ga_layout *l, const unsigned char *align, const ga_target *target,
                     unsigned int wide)
{
  ga_variant w = *before;
  parts q;
  if (p->direct || v->each != 0 || run_of_box(v) * size_of(st, v->first) >= ENDS) return;
  if (!make_runs(&w, &q, st, l, align, target, wide, 1) || q.direct || w.each != 0) return;
  for (unsigned int b = 0; b < 4; b++)
    if (w.box[b] != v->box[b] || w.box_extent[b] < v->box_extent[b]) return;
  if (run_of_box(&w) > run_of_box(v)) *v = w;
}

static int may_run(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t widest)
{
  return !v->bytes && !v->iota && ga_widest(st) <= widest && l->nk >= 2 && l->kept != 0;
}

int ga_variant_runs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target, enum ga_instead instead)
{
  const unsigned int wide = instead == GA_OR_TILES ? wide_axis(st, l) : l->nk;
  ga_variant w = *v;
  parts p;
  if (!may_run(v, st, l, 2) || (instead == GA_OR_TILES && wide == l->nk)) return 0;
  if (!make_runs(&w, &p, st, l, align, target, wide, 0) || !has_crossed(&w, st, l)) return 0;
  if (wide < l->nk ? !is_wide(&w, st, l, wide) : !gains(&w, st, l, align, instead)) return 0;
  if (w.beside == 1 && (is_cut(&w, st, p.direct, p.met) || is_held_up(&w, p.ncrossed, p.met)))
    return 0;
  lengthen(&w, v, &p, st, l, align, target, wide);
  widen(&w, st, l, align, target);
  *v = w;
  return 1;
}

int ga_variant_runs_instead(ga_variant *v, const ga_variant *other, const ga_stage *st,
                            const ga_layout *l, const unsigned char *align, const ga_target *target)
{
  unsigned int wide;
  ga_variant w = *v;
  parts p;
  if (!may_run(v, st, l, 8)) return 0;
  wide = wide_axis(st, l);
  if (!make_runs(&w, &p, st, l, align, target, wide, 0)) return 0;
  if (!ga_runs_pay(&w, other, st, l)) return 0;
  lengthen(&w, v, &p, st, l, align, target, wide);
  widen(&w, st, l, align, target);
  *v = w;
  return 1;
}
