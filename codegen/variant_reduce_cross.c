/* SPDX-License-Identifier: MIT */
/* Chooses the variant of reductions whose operands are fast along several axes (gen.h,
 * kernels/reduce_cross.cu). */
#include "variant.h"

#define CHUNK     1024   /* DESIGN.md, "Order of a reduction" */
#define PIECE     128    /* of a chunk, a lane's four: shorter rows would leave lanes idle */
#define LEAST     64     /* elements of a result */
#define ROWS      8      /* that an operand crosses, at least */
#define FEW_ROWS  16     /* the same, whose chunks are of more lines where no order is kept */
#define RUN       64     /* bytes that lines have, if there are so many, ... */
#define RUN_SHORT 32     /* ... or so many in order: where they begin anywhere, or are narrow */
#define SHARED    73728  /* bytes of a block leave three to a multiprocessor, ... */
#define MOST      110592 /* ... or two */
#define LINES     1280   /* where chunks begin in several ones */
#define SHORTEST  8      /* row: of shorter ones lanes have neighbours in either order */
#define WORTH     4      /* chunks that rows which are short have together, at least */
#define ELEMENTS  8192   /* of a box: a chunk for each warp */
#define REGISTERS 40     /* of a thread besides its elements */

static unsigned int inner_of(const ga_layout *l) { return l->nk + l->nr - 1; }

/* Operand i is fast along the axis. */
static int is_fast(const ga_stage *st, const ga_layout *l, unsigned int i, unsigned int axis)
{
  return l->strides[i][axis] != 0 && is_near(st, l, i, axis);
}

/* Marks the operands that cross, which all are fast along v->cross; another one is to move along
 * both axes, and slowly along that one. */
static int find_crossed(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = inner_of(l);
  int against = 0;
  v->cross = -1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!is_reduced(st, i) || is_near(st, l, i, inner)) continue;
    for (unsigned int k = 0; k < inner && v->cross < 0; k++)
      if (is_fast(st, l, i, k) && l->dims[k] >= ROWS) v->cross = (int)k;
    if (v->cross < 0 || !is_fast(st, l, i, (unsigned int)v->cross)) return 0;
    v->boxed |= (uint64_t)1 << i;
    v->stepped |= l->strides[i][v->cross] != (ssize_t)size_of(st, i);
  }
  for (unsigned int i = 0; i < st->noperand && v->boxed != 0; i++)
    against |= is_reduced(st, i) && !is_boxed(v, i) && l->strides[i][inner] != 0 &&
               !is_near(st, l, i, (unsigned int)v->cross);
  return against;
}

/* Bytes from a row's element to the next row's, of operand i that crosses. */
static size_t step_of(const ga_variant *v, const ga_layout *l, unsigned int i)
{
  ssize_t step = l->strides[i][v->cross];
  return (size_t)(step < 0 ? -step : step);
}

ga_box ga_cross_box_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ga_box b = {0, 0, 0};
  for (unsigned int k = 0; k <= i; k++) {
    size_t size = size_of(st, k), slack = v->aligned ? 0 : 16 - size;
    if (!is_boxed(v, k)) continue;
    if (b.pitch != 0) b.from += (v->lines * b.pitch + (v->aligned ? 0 : v->lines) + 15) / 16 * 16;
    b.vectors = (unsigned int)(((v->nrows - 1) * step_of(v, l, k) + size + slack + 15) / 16);
    b.pitch = (b.vectors | 1) * 16;
  }
  return b;
}

/* Operand i is walked along all reduced axes as along one, or, where it crosses or no order is
 * kept, along those inside its rows. */
static int is_linear(const ga_variant *v, const ga_layout *l, unsigned int i)
{
  int inside = v->loose || (is_boxed(v, i) && !v->kept_rows);
  unsigned int from = inside ? (unsigned int)v->cross + 1 : l->nk;
  for (unsigned int k = from; k < inner_of(l); k++)
    if (l->strides[i][k] != l->strides[i][k + 1] * (ssize_t)l->dims[k + 1]) return 0;
  return 1;
}

/* Lines begin with vectors of 16 bytes: those behind a row's end begin a row later. */
static int lines_aligned(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align)
{
  if (!v->kept_rows && !v->loose && v->form != GA_FORM_SHORT && v->line % CHUNK != 0) return 0;
  if (v->stepped) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_boxed(v, i) &&
        !ga_vectors_aligned(st, l, align, i, (int)(16 / size_of(st, i)), (unsigned int)v->cross))
      return 0;
  return 1;
}

/* Elements of a chunk, at most. */
static unsigned int chunk_of(const ga_variant *v)
{
  return v->loose ? PIECE * (unsigned int)v->loads : CHUNK;
}

/* Rows of a box: `height`, and those that its last chunk goes on into. */
static size_t fill_box(ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t height)
{
  uint64_t band = height * v->line, all = l->dims[v->cross] * v->line;
  int cut = band % CHUNK != 0 || (all % CHUNK != 0 && all != l->reduced);
  ga_box last;
  v->width = (unsigned int)height;
  v->nrows = v->width;
  if (v->form == GA_FORM_SHORT && cut) v->nrows += (unsigned int)(CHUNK / v->line) + 1;
  last = ga_cross_box_of(v, st, l, st->noperand - 1);
  v->shared = last.from + v->lines * last.pitch + (v->aligned ? 0 : v->lines);
  return v->shared;
}

/* Rows whose elements of operand i are a line's least. */
static uint64_t least_rows(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                           unsigned int i)
{
  size_t size = size_of(st, i), run = v->loose || (v->aligned && size >= 4) ? RUN : RUN_SHORT;
  size_t step = step_of(v, l, i);
  return run > step ? run / step : 1;
}

/* As many rows as lines ask for and give each warp a chunk; fewer, where those do not fit. */
static int shape_box(ga_variant *v, const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  uint64_t height = 1, least = 1, most_lines = chunk_of(v);
  uint64_t line = v->line < most_lines ? v->line : most_lines;
  uint64_t rows = l->dims[v->cross];
  size_t most = target->shared < MOST ? target->shared : MOST;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_boxed(v, i) && least < least_rows(v, st, l, i)) least = least_rows(v, st, l, i);
  height = ELEMENTS / pow2_ceil(line);
  if (height < least) height = least;
  if (v->loose && !v->aligned && height > 2 * least) height = 2 * least;
  while (height / 2 >= rows) height /= 2;
  while (height > least && fill_box(v, st, l, height) > SHARED) height /= 2;
  while (height > 1 && fill_box(v, st, l, height) > most) height /= 2;
  return fill_box(v, st, l, height) <= most && (v->loose ? 4 : 2) * height >= least;
}

/* Pieces of a chunk where rows are long and no order is kept: few, whose lines are long then, as
 * the sectors at their ends are read for little. Lines of 64 bytes on vectors have none. (H200, us,
 * 256 MB, of 8 pieces, 4 and 2: any of int32 [128, 1025, 255]/p201 and C order 140, 105 and 76, sum
 * of uint64 [1000, 16777]/f so 138, 78 and 76, on vectors 73, 85 and 77, of float64 [65, 7, 31, 12,
 * 100] 170, 87 and 106, any of uint16 [96, 607, 1152]/t 133, 106 and 117, of 8 rows of int32 68, 71
 * and 84.) */
static int few_pieces(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  size_t widest = 1;
  int linear = 1, wide = 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (is_boxed(v, i) && size_of(st, i) > widest) widest = size_of(st, i);
    if (is_reduced(st, i)) linear &= (int)(v->linear >> i & 1), wide &= size_of(st, i) >= 8;
  }
  if (widest >= 8 && v->aligned) return 8;
  return widest <= 2 || l->dims[v->cross] < FEW_ROWS || (wide && !linear) ? 4 : 2;
}

/* Blocks of a multiprocessor that registers are left for: elements that do not cross are loaded
 * all at once. */
static unsigned int resident(const ga_variant *v, const ga_stage *st)
{
  size_t n = REGISTERS;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && !is_boxed(v, i))
      n += 4 * (size_t)v->loads * ((size_of(st, i) + 3) / 4);
  return n <= 80 ? 3 : n <= 128 ? 2 : 1;
}

/* Tickets of a result of so many chunks, of which 256 are joined at a time. */
static uint64_t tickets_of(uint64_t chunks)
{
  uint64_t n = 0;
  for (; chunks > 1; chunks = ceil_div(chunks, 256)) n += ceil_div(chunks, 256);
  return n;
}

int ga_variant_reduce_cross(ga_variant *v, const ga_stage *st, const ga_layout *l,
                            const unsigned char *align, const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), run;
  ga_variant w = *v;
  if (v->bytes || v->iota || ga_has_moment(st) || l->nr == 0 || l->kept == 0) return 0;
  if (st->noperand > 64) return 0; /* bits of `boxed` */
  if (l->reduced < LEAST || chunks > UINT32_MAX / 2 || !find_crossed(&w, st, l)) return 0;
  w.skeleton = GA_SKEL_REDUCE_CROSS;
  w.kept_rows = (unsigned int)w.cross < l->nk;
  w.whole = l->reduced % CHUNK == 0;
  w.form = GA_FORM_WARP;
  w.line = 1;
  for (unsigned int k = (unsigned int)w.cross + 1; k < l->nk + l->nr; k++) w.line *= l->dims[k];
  w.loose = !w.kept_rows && w.line > PIECE && ga_stage_is_free(st);
  if (w.kept_rows)
    w.line = l->reduced;
  else if (w.line < CHUNK && !w.loose)
    w.form = GA_FORM_SHORT;
  if (w.line < CHUNK && !w.kept_rows && l->dims[w.cross] * w.line < WORTH * CHUNK) return 0;
  w.lines = w.line % CHUNK == 0 ? CHUNK : LINES;
  if (w.form == GA_FORM_SHORT || w.kept_rows || w.loose)
    w.lines = (unsigned int)(w.line < CHUNK ? w.line : CHUNK);
  w.aligned = lines_aligned(&w, st, l, align);
  run = w.loose ? w.line : l->reduced;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && is_linear(&w, l, i)) w.linear |= (uint64_t)1 << i;
  w.loads = run > CHUNK / 2 ? 8 : (int)pow2_ceil(ceil_div(run, PIECE));
  if (w.loose && w.loads == 8) w.loads = few_pieces(&w, st, l);
  if (w.loose && w.lines > chunk_of(&w)) w.lines = chunk_of(&w);
  if (w.loose) w.whole = w.line % (PIECE * (uint64_t)w.loads) == 0;
  if (w.line < SHORTEST || !shape_box(&w, st, l, target)) return 0;
  w.nk = ga_rank_bound(l->nk);
  w.nr = ga_rank_bound(l->nr);
  w.resident = resident(&w, st);
  w.vec = 1;
  w.tiles = ceil_div(l->dims[w.cross], w.width);
  w.steps = w.form == GA_FORM_SHORT ? 1 : (unsigned int)ceil_div(w.line, chunk_of(&w));
  w.groups = 1;
  for (unsigned int k = l->nk; k < (unsigned int)w.cross; k++) w.groups *= l->dims[k];
  w.grid = w.tiles * w.steps * w.groups;
  w.spans = w.loose ? w.grid : chunks;
  w.units = l->kept * w.spans;
  w.tickets = (unsigned int)tickets_of(w.spans);
  w.grid *= w.kept_rows ? l->kept / l->dims[w.cross] : l->kept;
  *v = w;
  return 1;
}
