/* SPDX-License-Identifier: MIT */
/* Chooses the variant of reduced axes that lanes walk (gen.h, kernels/reduce_rows.cu): how a row's
 * elements are loaded, who walks it, and what of its length the text knows. */
#include "variant.h"

#define CHUNK        1024 /* DESIGN.md, "Order of a reduction" */
#define STRETCH      1280 /* elements of the innermost of several axes: whole chunks are often */
#define WARPS        (GA_BLOCK / 32)
#define SHORT_ROW    512         /* reduce_rows.cu: GA_SHORT */
#define EACH_MAX     1024        /* reduce_rows.cu: ga_run; what no order joins may have more */
#define SPANS_MAX    (256 * 128) /* reduce_rows.cu: GA_JOINS */
#define RUNS_MAX     128         /* reduce_rows.cu: GA_JOINS */
#define INDEX_MAX    2146435071  /* of 31 bits, less what a last block may go beyond */
#define SLAB_LOADS   8           /* of a lane at once */
#define STEP_BYTES   2           /* from neighbour to neighbour, where that is not one element */
#define SLAB_VECTORS 16          /* the same, of which some have steps */
#define ROWS_MAX     4           /* of a warp at once */
#define SLOTS_LEAST  4           /* of a short row off vectors that is walked by slots */
#define LONG_LEAST   32          /* vectors of a piece that is walked as a row is, ... */
#define LONG_SLOTS   128         /* ... where slots can do it too */
#define SLOTS_MAX    4           /* of a lane then */
#define LAST_MAX     6           /* fours of a row's last chunk that the text tells, of ... */
#define FEW          8           /* ... chunks */
#define SPAN_BYTES   262144      /* of a span of rows, where there are many */
#define TURN_BYTES   65536       /* and at least, where there are TURN_UNITS */

/* Units of work that keep the card busy to the end, for each multiprocessor.
 * Measured on an H200: rows 0.91 of the read ceiling with 8, 0.97 with 16, 0.985 with
 * 32, 0.97 with 64. TURN_UNITS: of one long row; as many turns of two, three and four blocks, as
 * registers may allow. */
enum { ROW_UNITS = 32, TURN_UNITS = 12 };

/* Neighbours of each operand that moves along the innermost reduced axis are so near each other
 * that vectors hold what is between them too; those further apart are as fast one by one. */
static int has_steps(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->cls != GA_CLASS_GATHER) return 0;
  if (st->noperand > 64) return 0; /* bits of `ragged` */
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].iota >= 0) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) &&
        (l->strides[i][inner] > STEP_BYTES || l->strides[i][inner] < -STEP_BYTES))
      return 0;
  return 1;
}

/* Whether rows are walked by slabs (reduce_slabs.cuh), in no order. */
static int has_slabs(const ga_stage *st, const ga_layout *l)
{
  return ga_stage_is_free(st) && l->nr == 1 && l->reduced > SHORT_ROW &&
         (l->cls == GA_CLASS_ROWS || has_steps(st, l));
}

/* In no order, and by vectors. */
static int by_vectors(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  return v->pieces != 0 || has_slabs(st, l);
}

/* The most spans of rows: of 256 KiB each, where that leaves four to a multiprocessor.
 * On an H200 256 MB of int8 take 81, 69, 71 and 72 us with 4, 8, 16 and 32, 64 MB of
 * float32 18.3, 19.1, 19.4 and 19.5. Where three blocks run at once, or it is not known how many,
 * four take two turns, of which the second is a third full: TURN_UNITS are quicker (256 MB of
 * uint8, squared, 80.6 and 71.2 us), but not of 128 MB of few instructions (max of int8 33.5 and
 * 34.7). */
static uint64_t row_units(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target)
{
  uint64_t least = ga_enough(target, ROW_UNITS / 8), most = ga_enough(target, ROW_UNITS);
  uint64_t turns = ga_enough(target, TURN_UNITS);
  double elements = (double)l->reduced * (double)l->kept, bytes = 0, part = TURN_BYTES;
  uint64_t n = (uint64_t)(elements * (double)ga_widest_reduced(st) / SPAN_BYTES);
  for (unsigned int i = 0; i < st->noperand; i++)
    if (l->nr != 0 && is_reduced(st, i) && l->strides[i][l->nk + l->nr - 1] != 0)
      bytes += (double)size_of(st, i) * elements;
  if (v->resident > (ga_stage_is_free(st) ? 2 : 3)) part *= 2;
  if ((v->resident > 2 || by_vectors(v, st, l)) && bytes >= (double)turns * part) least = turns;
  return n < least ? least : n > most ? most : n;
}

/* Neighbours of operand i have steps. */
static int is_ragged(const ga_variant *v, unsigned int i) { return i < 64 && v->ragged >> i & 1; }

/* All that moves by one element begins at the same place of its vectors as the first that moves in
 * whole ones of four, in every row. */
static int rows_agree(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, int vec)
{
  unsigned int last = l->nk + l->nr - 1, n = st->noperand;
  int agree = 1;
  v->first = n;
  for (unsigned int i = 0; i < n; i++) {
    if (!is_reduced(st, i) || l->strides[i][last] == 0) continue;
    if (l->strides[i][last] != (ssize_t)size_of(st, i)) v->ragged |= (uint64_t)1 << i;
    if (is_ragged(v, i)) continue;
    if (v->first == n || (size_of(st, v->first) > 4 && size_of(st, i) <= 4)) v->first = i;
  }
  for (unsigned int i = 0; i < n; i++) {
    ssize_t a = (ssize_t)size_of(st, i), b;
    if (!is_reduced(st, i) || l->strides[i][last] == 0 || is_ragged(v, i)) continue;
    b = (ssize_t)size_of(st, v->first);
    agree &= ga_vectors_agree(st, l, align, i, v->first, vec);
    if (l->nk != 0)
      agree &= (l->strides[i][l->nk - 1] / a - l->strides[v->first][l->nk - 1] / b) % vec == 0;
  }
  return agree;
}

/* Vectors of `slab` elements of operand i are shifted where they lie elsewhere than the first that
 * moves (reduce_vectors.cuh: GA_ASIDE). */
static int can_shift(const ga_stage *st, unsigned int i, uint64_t slab)
{
  return size_of(st, i) < 4 && slab * size_of(st, i) >= 4;
}

/* Inputs that are loaded late, as rows that follow each other are one (reduce_fours.cuh). Longer
 * rows of narrow elements load two chunks together, of free ones slabs, and moments, whose text is
 * long, all that they join. */
static uint64_t late_inputs(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t late = 0;
  if (l->cls != GA_CLASS_ROWS || l->nr != 1 || v->bytes || ga_has_moment(st)) return 0;
  if (l->reduced < 4 || (l->reduced <= SHORT_ROW && !v->aligned)) return 0;
  if (l->reduced > SHORT_ROW && (ga_widest_reduced(st) <= 2 || has_slabs(st, l))) return 0;
  for (unsigned int i = 0; i < st->noperand && i < 64; i++)
    if (is_repeated(st, l, i)) late |= (uint64_t)1 << i;
  return late;
}

/* How a row's elements are loaded, and what that takes. */
static void load_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = 4;
  v->narrow = ga_widest_reduced(st) <= 2;
  v->slab = (int)(16 / ga_widest_reduced(st));
  v->vector = (l->cls == GA_CLASS_ROWS || has_slabs(st, l)) && !v->bytes;
  v->aligned = v->vector;
  v->agrees = v->vector && rows_agree(v, st, l, align, has_slabs(st, l) ? v->slab : 4);
  for (unsigned int i = 0; i < st->noperand && v->vector; i++) {
    const ga_operand *op = &st->operands[i];
    if (op->outer || op->write || l->strides[i][l->nk + l->nr - 1] == 0) continue;
    if (is_ragged(v, i)) continue;
    if (!ga_rows_aligned(st, l, align, i, has_slabs(st, l) ? v->slab : 4)) v->aligned = 0;
  }
  if (v->vector && l->nr > 1 && l->dims[l->nk + l->nr - 1] % 4 != 0) v->aligned = 0;
  v->repeats = late_inputs(v, st, l);
  /* moments run at 0.90 of the read ceiling so, at 0.83 with room for 5 */
  v->resident = ga_resident(v, st, 8, 4, ga_has_moment(st) ? 2 : 5, 28);
  v->stretches = v->vector && !v->aligned && !ga_stage_is_free(st) && l->nr > 1 &&
                 l->dims[l->nk + l->nr - 1] >= STRETCH;
  if (v->stretches) v->agrees = 0;              /* not asked for, and texts are the fewer */
  v->narrow &= v->agrees && !ga_has_moment(st); /* whose text is long: registers are few */
  if (!v->vector || (l->nr > 1 && !v->aligned)) v->resident = ga_resident(v, st, 32, 1, 5, 28);
  if ((v->narrow || l->nr > 1 || !v->aligned) && v->resident > 3) v->resident = 3;
}

/* Rows that `most` warps have one by one would keep fewer of them busy than the blocks' whose
 * warps have the row's chunks: some warps have one row more than others. */
static int leaves_idle(uint64_t rows, uint64_t chunks, uint64_t most)
{
  uint64_t turns = ceil_div(rows, most), warps = WARPS * pow2_ceil(ceil_div(chunks, WARPS));
  return chunks > 1 && (double)rows / (double)(turns * most) + 0.1 < (double)chunks / (double)warps;
}

/* Operands that move along the innermost reduced axis by one element: how many; 0: some move
 * otherwise. *aligned: each of their rows lies on vectors of `vec`. */
static unsigned int along_rows(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                               int vec, int *aligned)
{
  unsigned int inner = l->nk + l->nr - 1, n = 0;
  *aligned = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!is_reduced(st, i) || l->strides[i][inner] == 0) continue;
    if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
    *aligned &= ga_rows_aligned(st, l, align, i, vec);
    n++;
  }
  return n;
}

int ga_has_slots(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                 const unsigned char *align)
{
  uint64_t slab = 16 / ga_widest_reduced(st);
  int aligned;
  unsigned int moving;
  if (v->bytes || v->iota || !ga_stage_is_free(st)) return 0;
  if (l->cls != GA_CLASS_ROWS || l->nr != 1 || slab < 8) return 0;
  if (l->reduced > SHORT_ROW || l->reduced < slab) return 0;
  moving = along_rows(st, l, align, (int)slab, &aligned);
  if (aligned && l->reduced % slab == 0) return moving != 0;
  return l->reduced >= SLOTS_LEAST * slab && moving == 1 && slab == 16 &&
         (ga_sums_narrow(st) || ga_seeks_extreme(st));
}

/* Lanes of a row that is walked by slots, and slots of a lane: as few as fit in all, and of those
 * the fewest lanes, as each finds where its rows are. */
static void shape_slots(ga_variant *v, const ga_stage *st)
{
  uint64_t least = 0;
  for (int loads = SLOTS_MAX; loads > 0; loads--) {
    uint64_t lanes = pow2_ceil(ceil_div(v->slots, (uint64_t)loads)), n = lanes * (uint64_t)loads;
    if (lanes > 32 || (least != 0 && n >= least)) continue;
    least = n;
    v->loads = loads;
    v->lanes = (unsigned int)log2_of(lanes);
  }
  v->fours = 1;
  v->rows = ROWS_MAX / v->loads;
  v->resident = ga_resident(v, st, (size_t)(v->loads * v->rows), (size_t)v->slab, 5, 28);
}

/* Slots of `slab` elements of what moves along them lie on vectors of all, or are shifted where
 * they do not: *agree tells which. */
static int slots_lie(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, uint64_t slab, int *agree)
{
  *agree = rows_agree(v, st, l, align, (int)slab);
  for (unsigned int i = 0; i < st->noperand && !*agree; i++)
    if (is_reduced(st, i) && i != v->first && l->strides[i][l->nk + l->nr - 1] != 0 &&
        !can_shift(st, i, slab))
      return 0;
  return 1;
}

/* Each piece's positions come before those of the next, or behind: of what has no keys, whose
 * positions are those of slabs, few pieces are looked into so. */
static int counts_on(const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  for (unsigned int k = l->nk; k < inner; k++)
    if (ga_magnitude(l->iota_step[k]) < ga_magnitude(l->iota_step[inner])) return 0;
  return 1;
}

/* Pieces of several axes that are so long that each is walked as a row is, where no order is to be
 * kept: operands' elements lie side by side, backwards or not, or every second one is the row's. */
static int has_long(const ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t least)
{
  unsigned int inner = l->nk + l->nr - 1, moving = 0;
  if (!ga_stage_is_free(st) || v->bytes || l->nr < 2 || st->noperand > 64) return 0;
  if (l->reduced <= SHORT_ROW || l->dims[inner] < least * (uint64_t)v->slab) return 0;
  if (v->iota && !ga_has_keys(st) && !counts_on(l)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner], size = (ssize_t)size_of(st, i);
    if (!is_reduced(st, i) || step == 0) continue;
    if (step != size && (v->iota || (step != -size && step != 2 * size && step != -2 * size)))
      return 0;
    moving++;
  }
  return moving != 0;
}

static void take_long(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  v->pieces = GA_LONG_PIECES;
  v->vector = v->aligned = 1;
  v->resident = ga_resident(v, st, 8, 4, 5, 28);
  if (v->resident > 3) v->resident = 3;
  v->agrees = rows_agree(v, st, l, align, v->slab);
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && l->strides[i][l->nk + l->nr - 1] != 0 && !is_ragged(v, i))
      v->aligned &= ga_rows_aligned(st, l, align, i, v->slab);
}

/* Several axes are walked by slots along the innermost one, where no order is to be kept: of 16
 * bytes of the widest operand, or of 8 where those are whole vectors. */
static void find_pieces(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  uint64_t n, walked, slots, slab = (uint64_t)v->slab, half = slab / 2;
  unsigned int moving;
  int aligned, agree;
  if (!ga_stage_is_free(st) || v->iota || v->bytes || l->nr == 0) return;
  if (!ga_has_slots(v, st, l, align) && (l->nr < 2 || l->reduced <= SHORT_ROW)) return;
  n = l->dims[l->nk + l->nr - 1];
  if (l->nr > 1 && half >= 2 && n % slab != 0 && n % half == 0 &&
      along_rows(st, l, align, (int)half, &aligned) != 0 && aligned)
    slab = half;
  moving = along_rows(st, l, align, (int)slab, &aligned);
  if (n < slab || moving == 0) return;
  if (!slots_lie(v, st, l, align, slab, &agree) && !aligned) return;
  slots = aligned ? ceil_div(n, slab) : (n + slab - 2) / slab + 1;
  walked = l->reduced / n * slots * slab;
  if (!v->wide && walked > INDEX_MAX) return;
  v->slab = (int)slab;
  v->slots = slots;
  v->walked = walked;
  v->agrees = agree;
  v->pieces = v->vector = 1;
  v->aligned = aligned && n % slab == 0;
}

/* Rows in order, few, that a block each has: no other block fills what warps leave that have no
 * chunks of an aligned power of two of them, so that smaller runs are dealt to them in turn, where
 * the warp that has most then has an eighth less. (On an H200, us: mean(a*a) of float32 rows of
 * 70001, 456 of them, 45.1 and 38.8.) */
static void deal_runs(ga_variant *v, const ga_stage *st, uint64_t chunks, const ga_target *target)
{
  uint64_t run = pow2_ceil(ceil_div(chunks, RUNS_MAX)), longest;
  if (ga_stage_is_free(st) || v->spans > 1 || v->units > ga_enough(target, 2 * v->resident)) return;
  if (v->narrow && run < 2) run = 2;
  longest = ceil_div(ceil_div(chunks, run), WARPS) * run;
  if (8 * longest > 7 * v->each) return;
  v->each = run;
  v->dealt = 1;
}

/* Who walks a row, and how rows are cut into spans. */
static int shape_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t chunks = ceil_div(v->walked, CHUNK), most = row_units(v, st, l, target);
  v->fours = v->rows = 1;
  v->spans = v->each = 1;
  v->units = l->kept;
  if (l->reduced <= SHORT_ROW) {
    v->form = GA_FORM_SHORT;
    v->fours = l->reduced > 128 ? (int)ceil_div(l->reduced, 128) : 1;
    v->rows = v->fours == 1 ? 4 : 8 / v->fours;
    v->lanes = v->fours > 1 ? 5 : log2_of(pow2_ceil(ceil_div(l->reduced, 4)));
    if (v->repeats != 0) v->resident = ga_resident(v, st, (size_t)(v->fours * v->rows), 4, 5, 28);
    if (v->pieces) shape_slots(v, st);
    v->grid = ceil_div(l->kept, (uint64_t)(GA_BLOCK >> v->lanes) * (uint64_t)v->rows);
    return GA_NO_ERROR;
  }
  if ((l->kept >= ga_enough(target, ROW_UNITS) || chunks == 1) && chunks <= EACH_MAX &&
      !leaves_idle(l->kept, chunks, ga_enough(target, ROW_UNITS))) {
    v->form = GA_FORM_WARP;
    v->each = pow2_ceil(chunks);
    v->grid = ceil_div(v->units, WARPS);
    return GA_NO_ERROR;
  }
  v->form = GA_FORM_BLOCK;
  for (;; v->each *= 2) {
    v->spans = ceil_div(chunks, WARPS * v->each);
    if (v->spans == 1 || v->each == EACH_MAX) break;
    if (l->kept <= most && v->spans * l->kept <= most) break;
  }
  if (ga_stage_is_free(st)) { /* any parts do: such as leave no warp idle */
    uint64_t slabs = ceil_div(8 * (uint64_t)v->slab, 32);
    if (by_vectors(v, st, l)) {
      v->spans = l->kept != 0 && most > l->kept ? most / l->kept : 1;
      if (v->spans > ceil_div(chunks, WARPS)) v->spans = ceil_div(chunks, WARPS);
    }
    v->each = ceil_div(chunks, WARPS * v->spans);
    if (v->each > slabs) v->each = ceil_div(v->each, slabs) * slabs;
    v->spans = ceil_div(chunks, WARPS * v->each);
  }
  if (v->spans > SPANS_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a reduction over %llu elements, at most %llu",
                    (unsigned long long)l->reduced,
                    (unsigned long long)SPANS_MAX * EACH_MAX * WARPS * CHUNK);
  v->units = l->kept * v->spans;
  v->grid = v->units;
  deal_runs(v, st, chunks, target);
  return GA_NO_ERROR;
}

/* Vectors that a lane loads at once at the most: such as have steps are made of two or four, such
 * as are shifted of two. */
static uint64_t slab_loads(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t vectors = 0;
  int lie = v->aligned || v->agrees;
  for (unsigned int i = 0; i < st->noperand && (v->ragged != 0 || !lie); i++) {
    ssize_t step = l->strides[i][l->nk + l->nr - 1], size = (ssize_t)size_of(st, i);
    if (!is_reduced(st, i) || step == 0) continue;
    if (is_ragged(v, i))
      vectors += size >= 4 ? 1 : step == -size ? 2 : 4;
    else
      vectors += lie || i == v->first || !can_shift(st, i, (uint64_t)v->slab) ? 1 : 2;
  }
  if (vectors * SLAB_LOADS <= SLAB_VECTORS) return SLAB_LOADS;
  return 2 * vectors <= SLAB_VECTORS ? SLAB_VECTORS / vectors : 2;
}

/* Vectors that a lane loads at once of what the warp has of a row, and where that is all of it, of
 * how many rows. */
static void bound_slabs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  uint64_t row = v->form == GA_FORM_WARP ? v->walked : v->each * CHUNK;
  uint64_t piece = v->pieces == GA_LONG_PIECES ? l->dims[l->nk + l->nr - 1] : row;
  uint64_t loads = ceil_div((piece < row ? piece : row) / (uint64_t)v->slab, 32);
  uint64_t turns = ceil_div(loads, slab_loads(v, st, l));
  v->loads = (int)ceil_div(loads, turns);
  if (v->form != GA_FORM_WARP || turns > 1 || v->pieces || !v->vector || v->ragged != 0) return;
  v->rows = SLAB_LOADS / v->loads < ROWS_MAX ? SLAB_LOADS / v->loads : ROWS_MAX;
  while (v->rows > 1 && v->units < (uint64_t)v->rows * ga_enough(target, ROW_UNITS)) v->rows /= 2;
  if (v->rows == 1) return;
  v->grid = ceil_div(v->units, (uint64_t)WARPS * (uint64_t)v->rows);
  v->resident = ga_resident(v, st, (size_t)(v->loads * v->rows), (size_t)v->slab, 5, 28);
}

/* What of a row's length the text knows: whether the elements that are loaded together
 * all exist, and how many chunks a warp has. */
static void bound_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target)
{
  uint64_t unit = v->narrow && v->each > 1 ? 2 * CHUNK : CHUNK;
  if (has_slabs(st, l) || (v->pieces && v->form != GA_FORM_SHORT)) {
    bound_slabs(v, st, l, target);
    unit = 32 * (uint64_t)(v->loads * v->slab);
  } else if (v->form == GA_FORM_WARP && v->vector && (l->nr == 1 || v->aligned)) {
    uint64_t chunks = ceil_div(l->reduced, CHUNK);
    v->last = (int)ceil_div(l->reduced - (chunks - 1) * CHUNK, 128);
    if (v->last > LAST_MAX || chunks > FEW) v->last = 0;
  }
  if (v->form == GA_FORM_SHORT) unit = (uint64_t)v->fours << (v->lanes + 2);
  v->whole = l->reduced != 0 && l->reduced % unit == 0 && !v->pieces;
  if (has_slabs(st, l) && !v->aligned) v->whole = 0;
  if (v->form == GA_FORM_BLOCK && v->each * CHUNK % unit != 0) v->whole = 0;
  v->chunks = v->each == 1 ? 1 : v->each <= 32 ? 32 : EACH_MAX;
}

int ga_variant_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  int long_pieces;
  v->skeleton = GA_SKEL_ROWS;
  load_rows(v, st, l, align);
  v->walked = l->reduced;
  long_pieces = has_long(v, st, l, LONG_SLOTS);
  if (!long_pieces) find_pieces(v, st, l, align);
  if (long_pieces || (!v->pieces && has_long(v, st, l, LONG_LEAST))) take_long(v, st, l, align);
  GA_TRY(shape_rows(v, st, l, target));
  bound_rows(v, st, l, target);
  v->by_bytes =
      v->vector && (v->pieces || has_slabs(st, l)) && (ga_sums_bytes(st) || ga_asks_bytes(st));
  return GA_NO_ERROR;
}
