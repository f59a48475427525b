/* SPDX-License-Identifier: MIT */
/* Chooses a kernel's variant and its geometry from stage, layout, alignment and
 * target (gen.h). Text and launch are both made from the result, so they agree. */
#include <string.h>

#include "variant.h"

#define CHUNK       1024 /* DESIGN.md, "Order of a reduction" */
#define WARPS       (GA_BLOCK / 32)
#define SHORT_ROW   512         /* reduce_rows.cu: GA_SHORT */
#define EACH_MAX    1024        /* reduce_rows.cu: ga_run */
#define SPANS_MAX   (256 * 128) /* reduce_rows.cu: GA_JOINS */
#define PASSES_MAX  256         /* reduce_columns.cu: GA_DEPTH */
#define WIDE_MAX    5           /* reduce_columns.cu: xbits where a span has passes */
#define STEPS_MAX   4           /* reduce_columns.cu: ga_down, bits */
#define ACC_MAX     256         /* bytes of an accumulator: shared memory holds GA_JOINS */
#define ACC_COLUMN  64          /* the same where columns are walked */
#define ACCS_MAX    16          /* bytes of what a thread joins of its columns, ... */
#define ACCS_MOMENT 24          /* ... with a moment */
#define SPAN_BYTES  262144      /* of a span of rows, where there are many */

static uint64_t ceil_div(uint64_t n, uint64_t d) { return n / d + (n % d != 0); }

static uint64_t pow2_ceil(uint64_t n)
{
  uint64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

static unsigned int log2_of(uint64_t p)
{
  unsigned int b = 0;
  while (p > 1) p /= 2, b++;
  return b;
}

unsigned int ga_rank_bound(unsigned int n)
{
  return n <= 1 ? 1 : n <= 3 ? n : n <= 8 ? 8 : GA_MAXND;
}

static size_t size_of(const ga_stage *st, unsigned int i)
{
  return ga_dtypes[st->operands[i].dtype].size;
}

/* Some element of some operand does not lie on a multiple of its size. */
static int by_bytes(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i);
    if (align[i] % size != 0) return 1;
    for (unsigned int k = 0; k < l->nk + l->nr; k++)
      if (l->strides[i][k] % size != 0) return 1;
  }
  return 0;
}

static int uses_iota(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].op == GA_N_IOTA) return 1;
  return 0;
}

int ga_vectors_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                       unsigned int i, int vec, unsigned int along)
{
  size_t bytes = (size_t)vec * size_of(st, i);
  if (bytes > 16) bytes = 16;
  if (align[i] % bytes != 0) return 0;
  for (unsigned int k = 0; k < l->nk + l->nr; k++)
    if (k != along && l->strides[i][k] % (ssize_t)bytes != 0) return 0;
  return 1;
}

int ga_rows_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                    unsigned int i, int vec)
{
  return ga_vectors_aligned(st, l, align, i, vec, l->nk + l->nr - 1);
}

int ga_has_moment(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->reductions[i].op == GA_REDUCE_moment) return 1;
  return 0;
}

/* Inputs that do not move along the reduced axes, where texts tell: a moment's first
 * elements, which would take as many registers as what moves. */
static uint64_t still_inputs(const ga_stage *st, const ga_layout *l)
{
  uint64_t still = 0;
  for (unsigned int i = 0; i < st->noperand && i < 64 && ga_has_moment(st); i++) {
    int moves = st->operands[i].outer || st->operands[i].write;
    for (unsigned int k = l->nk; k < l->nk + l->nr; k++) moves |= l->strides[i][k] != 0;
    if (!moves) still |= (uint64_t)1 << i;
  }
  return still;
}

static int is_still(const ga_variant *v, unsigned int i) { return i < 64 && v->still >> i & 1; }

/* Blocks that a multiprocessor is to have room for: what a thread holds, in
 * registers of 4 bytes, bounds them. It holds `loads` vectors of `vec` elements,
 * `accs` accumulators, and `other` addresses and indices. */
static unsigned int resident(const ga_variant *v, const ga_stage *st, size_t loads, size_t vec,
                             size_t accs, size_t other)
{
  size_t n = other + accs * ga_acc_size(st) / 4;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && !st->operands[i].write)
      n += (is_still(v, i) ? 1 : loads) * ((vec * size_of(st, i) + 3) / 4) + 2;
  return n <= 68 ? 4 : n <= 76 ? 3 : n <= 130 ? 2 : 1;
}

/* Units of work that keep the card busy to the end, for each multiprocessor.
 * Measured on an H200: rows 0.91 of the read ceiling with 8, 0.97 with 16, 0.985 with
 * 32, 0.97 with 64; columns 0.93 with 4 and 16. */
enum { ROW_UNITS = 32, COLUMN_UNITS = 4 };

static uint64_t enough(const ga_target *target, unsigned int units)
{
  return (uint64_t)(target->nproc != 0 ? target->nproc : 1) * units;
}

/* Bytes of an element of the widest reduced operand. */
static size_t widest_reduced(const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && !st->operands[i].write && size_of(st, i) > widest)
      widest = size_of(st, i);
  return widest;
}

/* The most spans of rows: of 256 KiB each, where that leaves four to a multiprocessor.
 * On an H200 256 MB of int8 take 81, 69, 71 and 72 us with 4, 8, 16 and 32, 64 MB of
 * float32 18.3, 19.1, 19.4 and 19.5. */
static uint64_t row_units(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  uint64_t least = enough(target, ROW_UNITS / 8), most = enough(target, ROW_UNITS);
  uint64_t n =
      (uint64_t)((double)l->reduced * (double)l->kept * (double)widest_reduced(st) / SPAN_BYTES);
  return n < least ? least : n > most ? most : n;
}

/* Whether rows are walked by slabs (reduce_slabs.cuh), in no order. */
static int has_slabs(const ga_stage *st, const ga_layout *l)
{
  return ga_stage_is_free(st) && l->cls == GA_CLASS_ROWS && l->nr == 1 && l->reduced > SHORT_ROW;
}

/* How a row's elements are loaded, and what that takes. */
static void load_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align)
{
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = 4;
  v->narrow = widest_reduced(st) <= 2;
  v->slab = (int)(16 / widest_reduced(st));
  /* moments run at 0.90 of the read ceiling so, at 0.83 with room for 5 */
  v->resident = resident(v, st, 8, 4, ga_has_moment(st) ? 2 : 5, 28);
  v->vector = l->cls == GA_CLASS_ROWS && !v->bytes;
  v->aligned = v->vector;
  for (unsigned int i = 0; i < st->noperand && v->vector; i++) {
    const ga_operand *op = &st->operands[i];
    if (op->outer || op->write || l->strides[i][l->nk + l->nr - 1] == 0) continue;
    if (!ga_rows_aligned(st, l, align, i, has_slabs(st, l) ? v->slab : 4)) v->aligned = 0;
  }
  if (v->vector && l->nr > 1 && l->dims[l->nk + l->nr - 1] % 4 != 0) v->aligned = 0;
  if (!v->vector || (l->nr > 1 && !v->aligned)) v->resident = resident(v, st, 32, 1, 5, 28);
  if ((v->narrow || l->nr > 1 || !v->aligned) && v->resident > 3) v->resident = 3;
}

/* Who walks a row, and how rows are cut into spans. */
static int shape_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), most = row_units(st, l, target);
  v->fours = v->rows = 1;
  v->spans = v->each = 1;
  v->units = l->kept;
  if (l->reduced <= SHORT_ROW) {
    v->form = GA_FORM_SHORT;
    v->fours = (int)pow2_ceil(ceil_div(l->reduced, 128));
    v->rows = v->fours == 1 ? 4 : 8 / v->fours;
    v->lanes = v->fours > 1 ? 5 : log2_of(pow2_ceil(ceil_div(l->reduced, 4)));
    v->grid = ceil_div(l->kept, (uint64_t)(GA_BLOCK >> v->lanes) * (uint64_t)v->rows);
    return GA_NO_ERROR;
  }
  if ((l->kept >= enough(target, ROW_UNITS) || chunks == 1) && chunks <= EACH_MAX) {
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
  if (v->spans > SPANS_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a reduction over %llu elements, at most %llu",
                    (unsigned long long)l->reduced,
                    (unsigned long long)SPANS_MAX * EACH_MAX * WARPS * CHUNK);
  v->units = l->kept * v->spans;
  v->grid = v->units;
  return GA_NO_ERROR;
}

/* What of a row's length the text knows: whether the elements that are loaded together
 * all exist, and how many chunks a warp has. */
static void bound_rows(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t unit = v->narrow && v->each > 1 ? 2 * CHUNK : CHUNK;
  if (has_slabs(st, l) && v->each > 1) unit = 256 * (uint64_t)v->slab;
  if (unit < CHUNK) unit = CHUNK;
  if (v->form == GA_FORM_SHORT) unit = (uint64_t)v->fours << (v->lanes + 2);
  v->whole = l->reduced != 0 && l->reduced % unit == 0;
  if (has_slabs(st, l) && (!v->aligned || v->each * CHUNK % unit != 0)) v->whole = 0;
  v->chunks = v->each == 1 ? 1 : v->each <= 32 ? 32 : EACH_MAX;
}

static int choose_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, const ga_target *target)
{
  load_rows(v, st, l, align);
  GA_TRY(shape_rows(v, st, l, target));
  bound_rows(v, st, l);
  return GA_NO_ERROR;
}

/* Every reduced operand moves along the columns by one element or not at all, and
 * lies on `vec` of them in each row, where vec is not 1. */
static int columns_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                           int vec)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *op = &st->operands[i];
    ssize_t step = l->strides[i][l->nk - 1], bytes = (ssize_t)((size_t)vec * size_of(st, i));
    if (op->outer || op->write || step == 0) continue;
    if (step != (ssize_t)size_of(st, i)) return 0;
    if (vec == 1) continue;
    if (align[i] % bytes != 0) return 0;
    for (unsigned int k = 0; k < l->nk + l->nr; k++)
      if (k != l->nk - 1 && l->strides[i][k] % bytes != 0) return 0;
  }
  return 1;
}

static size_t accs_max(const ga_stage *st) { return ga_has_moment(st) ? ACCS_MOMENT : ACCS_MAX; }

/* Columns of a thread: what gives the widest operand 16 bytes, as far as the
 * accumulators allow and there are columns for a warp. */
static void column_vector(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align)
{
  uint64_t inner = l->dims[l->nk - 1];
  size_t acc = ga_sub_size(st);
  v->vec = (int)(16 / widest_reduced(st));
  while (v->vec > 1 && (size_t)v->vec * acc > accs_max(st)) v->vec /= 2;
  v->vector = v->vec > 1 && !v->bytes && inner >= 2 * (uint64_t)v->vec &&
              inner % (uint64_t)v->vec == 0 && columns_aligned(st, l, align, v->vec);
  while (!v->vector && v->vec > 1 && (uint64_t)v->vec / 2 * 32 >= inner) v->vec /= 2;
}

/* Rows that a thread loads at once: 128 bytes of them. */
static void column_loads(ga_variant *v, const ga_stage *st)
{
  size_t bytes = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && !st->operands[i].write && !is_still(v, i))
      bytes += (size_t)v->vec * size_of(st, i);
  for (v->loads = 4; v->loads < 32; v->loads *= 2)
    if ((size_t)v->loads * 2 * bytes > 128 || (size_t)v->loads * 2 * ga_sub_size(st) > 128) break;
}

/* Which of the bits that number a chunk's rows, in the order they are joined in,
 * are a thread's loads and steps, and which its y. */
static void column_bits(ga_variant *v, unsigned int nbits)
{
  unsigned int order[10], n = 0, begin = nbits - v->ybits;
  for (unsigned int b = nbits; b-- > 7;) order[n++] = b;
  for (unsigned int b = 0; b < 2 && b < nbits; b++) order[n++] = b;
  for (unsigned int b = nbits < 7 ? nbits : 7; b-- > 2;) order[n++] = b;
  for (unsigned int k = 0; k < nbits; k++) v->bit[k < begin ? k : 10 - nbits + k] = 1u << order[k];
  v->steps = 1u << (begin - log2_of((uint64_t)v->loads));
  v->chunk_rows = 1u << nbits;
}

/* The block's shape, and how the rows are cut into spans. Wide tiles first; then
 * narrower ones, of 128 bytes a row at the least, where there are too few. */
static int shape_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1], outer = l->kept / inner;
  uint64_t vectors = ceil_div(inner, (uint64_t)v->vec), chunks = ceil_div(l->reduced, CHUNK);
  unsigned int most = log2_of(pow2_ceil(vectors)), least, nbits, rest;
  size_t bytes = (size_t)(v->vector ? v->vec : 1) * size_of(st, 0);
  nbits = chunks > 1 ? 10 : log2_of(pow2_ceil(l->reduced));
  v->xbits = most > WIDE_MAX ? WIDE_MAX : most;
  while (v->loads > 4 && ((unsigned int)v->loads > 1u << nbits ||
                          (chunks > 1 && (unsigned int)v->loads > 4u << v->xbits)))
    v->loads /= 2;
  if (nbits < log2_of((uint64_t)v->loads)) nbits = log2_of((uint64_t)v->loads);
  rest = nbits - log2_of((uint64_t)v->loads);
  while (rest > STEPS_MAX + 8 - v->xbits) v->xbits--;
  for (least = 0; bytes << least < 128; least++) continue;
  for (; v->xbits > least && v->xbits + rest > 8; v->xbits--)
    if (outer * ceil_div(vectors, (uint64_t)1 << v->xbits) * chunks >= enough(target, COLUMN_UNITS))
      break;
  v->ybits = rest < 8 - v->xbits ? rest : 8 - v->xbits;
  if (v->xbits + v->ybits < 8) v->xbits = most < 8 - v->ybits ? most : 8 - v->ybits;
  v->zbits = 8 - v->xbits - v->ybits;
  column_bits(v, nbits);
  v->tiles = ceil_div(vectors, (uint64_t)1 << v->xbits);
  v->groups = outer * v->tiles;
  v->units = ceil_div(v->groups, (uint64_t)1 << v->zbits);
  for (v->each = 1;; v->each *= 2) {
    v->spans = ceil_div(chunks, v->each);
    if (v->spans == 1 || v->each == PASSES_MAX) break;
    if (v->spans * v->units <= enough(target, COLUMN_UNITS)) break;
  }
  if (v->spans > SPANS_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a reduction over %llu elements is too long",
                    (unsigned long long)l->reduced);
  v->units *= v->spans;
  v->grid = v->units < GA_GRID_MAX ? v->units : GA_GRID_MAX;
  return GA_NO_ERROR;
}

static int choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align, const ga_target *target)
{
  v->nk = ga_rank_bound(l->nk - 1);
  v->nr = ga_rank_bound(l->nr);
  column_vector(v, st, l, align);
  column_loads(v, st);
  if (l->kept != 0) GA_TRY(shape_columns(v, st, l, target));
  v->aligned = v->vector || (v->xbits == 5 && !v->bytes && columns_aligned(st, l, align, 1));
  v->resident = resident(v, st, (size_t)v->loads, (size_t)v->vec, 5 * (size_t)v->vec, 52);
  return GA_NO_ERROR;
}

static int check_stage(const ga_stage *st, const ga_layout *l)
{
  if (l->noperand != st->noperand)
    return ga_error(GA_VALUE_ERROR, "kernel: the layout has %u operands, the stage %u", l->noperand,
                    st->noperand);
  if (st->nstore == 0) return ga_error(GA_VALUE_ERROR, "kernel: the stage stores nothing");
  for (unsigned int i = 0; i < st->nnode && !ga_is_chain(st); i++)
    if (st->nodes[i].level > 1)
      return ga_error(GA_UNSUPPORTED_ERROR,
                      "kernel: node %u is at level %d, at most one reduction is fused", i,
                      st->nodes[i].level);
  if (st->nreduction != 0 && ga_acc_size(st) > ACC_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: %u reductions at once need %zu bytes, at most %d",
                    st->nreduction, ga_acc_size(st), ACC_MAX);
  return GA_NO_ERROR;
}

int ga_variant_choose(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  GA_TRY(check_stage(st, l));
  memset(v, 0, sizeof *v);
  v->wide = l->wide;
  v->bytes = by_bytes(st, l, align);
  v->iota = uses_iota(st);
  v->nk = v->nr = 1;
  v->block = GA_BLOCK;
  if (ga_is_chain(st)) return ga_variant_chain(v, st, l, align, target);
  v->still = still_inputs(st, l);
  switch (l->cls) {
  case GA_CLASS_CONTIG:
  case GA_CLASS_INNER:
  case GA_CLASS_STRIDED:
  case GA_CLASS_TILE: ga_variant_map(v, st, l, align); break;
  case GA_CLASS_SCAN_ROWS:
  case GA_CLASS_SCAN_COLUMNS:
  case GA_CLASS_SCAN_GATHER: GA_TRY(ga_variant_scan(v, st, l, align, target)); break;
  case GA_CLASS_COLUMNS:
    if (ga_variant_narrow(v, st, l, align, target)) break;
    if (ga_acc_size(st) <= ACC_COLUMN) {
      v->skeleton = GA_SKEL_COLUMNS;
      GA_TRY(choose_columns(v, st, l, align, target));
      break;
    }
    /* fall through */
  default: v->skeleton = GA_SKEL_ROWS; GA_TRY(choose_rows(v, st, l, align, target));
  }
  if (v->grid > GA_GRID_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: %llu blocks, at most %u", (unsigned long long)v->grid,
                    GA_GRID_MAX);
  return GA_NO_ERROR;
}
