/* SPDX-License-Identifier: MIT */
/* Chooses the variant and the geometry of kernels/reduce_columns.cu: columns, and kept axes
 * with a short reduced one inside (tails). */
#include "variant.h"

#define CHUNK       1024 /* DESIGN.md, "Order of a reduction" */
#define SPANS_MAX   (256 * 128)
#define PASSES_MAX  256   /* reduce_columns.cu: GA_DEPTH */
#define WIDE_MAX    5     /* reduce_columns.cu: xbits where a span has passes */
#define STEPS_MAX   4     /* reduce_columns.cu: ga_down, bits */
#define ACCS_MAX    16    /* bytes of what a thread joins of its columns, ... */
#define ACCS_MOMENT 24    /* ... with a moment */
#define TAIL_LEAST  2     /* log2 of the elements of a tail, ... */
#define TAIL_BYTES  64    /* ... and bytes of it at most: longer ones fill a line as rows do */
#define LINE_BYTES  128   /* of columns side by side, to fill a line of memory */
#define MATH_WIDE   40    /* registers that a function of 8 bytes takes besides */
#define TAIL_ROWS   512   /* rows of fewer are short ones (reduce_rows.cu) */
#define SPAN_COST   49152 /* bytes that are read while a span begins and ends */

/* Units of work for each multiprocessor: on an H200 columns make 0.93 of the read ceiling
 * with 4 and with 16. */
enum { COLUMN_UNITS = 4 };

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
  v->vec = (int)(16 / ga_widest_reduced(st));
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
    if (is_reduced(st, i) && !ga_is_still(v, i)) bytes += (size_t)v->vec * size_of(st, i);
  for (v->loads = 4; v->loads < 32; v->loads *= 2)
    if ((size_t)v->loads * 2 * bytes > 128 || (size_t)v->loads * 2 * ga_sub_size(st) > 128) break;
}

/* Which of the bits that number a chunk's rows, in the order they are joined in,
 * are a thread's loads and steps, and which its y. A tail's lie in vectors and lanes. */
static void column_bits(ga_variant *v, unsigned int nbits)
{
  unsigned int order[10], n = 0, begin, least = v->tail > 2 ? v->tail : 2;
  for (unsigned int b = nbits; b-- > 7;) order[n++] = b;
  for (unsigned int b = 0; b < 2 && b < nbits && v->tail == 0; b++) order[n++] = b;
  for (unsigned int b = nbits < 7 ? nbits : 7; b-- > least;) order[n++] = b;
  begin = n - v->ybits;
  for (unsigned int k = 0; k < n; k++) v->bit[k < begin ? k : 10 - n + k] = 1u << order[k];
  v->steps = 1u << (begin - log2_of((uint64_t)v->loads));
  v->chunk_rows = 1u << nbits;
}

/* Bits of a chunk's rows, at least those that a thread loads at once. */
static unsigned int row_bits(ga_variant *v, const ga_layout *l, unsigned int most)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  unsigned int x = most > WIDE_MAX ? WIDE_MAX : most;
  unsigned int nbits = chunks > 1 ? 10 : log2_of(pow2_ceil(l->reduced));
  while (v->loads > 4 &&
         ((unsigned int)v->loads > 1u << nbits || (chunks > 1 && (unsigned int)v->loads > 4u << x)))
    v->loads /= 2;
  return nbits < log2_of((uint64_t)v->loads) ? log2_of((uint64_t)v->loads) : nbits;
}

/* The block's shape: wide tiles first; then narrower ones, of 128 bytes a row at the least,
 * where there are too few. */
static void shape_block(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target, uint64_t vectors)
{
  uint64_t outer = l->kept / l->dims[l->nk - 1], chunks = ceil_div(l->reduced, CHUNK);
  unsigned int most = log2_of(pow2_ceil(vectors)), nbits = row_bits(v, l, most), least, rest;
  size_t bytes = (size_t)(v->vector ? v->vec : 1) * size_of(st, 0);
  rest = nbits - log2_of((uint64_t)v->loads);
  v->xbits = most > WIDE_MAX ? WIDE_MAX : most;
  while (rest > STEPS_MAX + 8 - v->xbits) v->xbits--;
  for (least = 0; bytes << least < 128; least++) continue;
  for (; v->xbits > least && v->xbits + rest > 8; v->xbits--)
    if (outer * ceil_div(vectors, (uint64_t)1 << v->xbits) * chunks >=
        ga_enough(target, COLUMN_UNITS))
      break;
  v->ybits = rest < 8 - v->xbits ? rest : 8 - v->xbits;
  if (v->xbits + v->ybits < 8) v->xbits = most < 8 - v->ybits ? most : 8 - v->ybits;
  v->zbits = 8 - v->xbits - v->ybits;
  column_bits(v, nbits);
}

/* The same of columns with a tail: loads of 128 bytes a thread, bits 9 8 7 and as many more as
 * that takes. Of those left as few are y's as leave GA_LEADERS columns to a block: a y more is
 * a barrier for less work (axes 0, 2, 4 of 4096 x 16 x 8 x 32 x 16 on an H200: 245 us with one
 * bit of y, 252 with two, 267 with three). */
static void shape_tail(ga_variant *v, const ga_stage *st, uint64_t vectors)
{
  unsigned int most = log2_of(pow2_ceil(vectors)), rest;
  size_t bytes = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && !ga_is_still(v, i)) bytes += 4 * size_of(st, i);
  for (v->loads = 8; v->loads < 8 << (7 - v->tail) && v->loads < 32; v->loads *= 2)
    if ((size_t)v->loads * 2 * bytes > 128) break;
  rest = 10 - v->tail - log2_of((uint64_t)v->loads);
  v->ybits = v->tail < 5 ? 5 - v->tail : 0;
  while (v->ybits < rest && most + v->ybits < 8) v->ybits++;
  if (v->ybits > rest) v->ybits = rest;
  v->xbits = most < 8 - v->ybits ? most : 8 - v->ybits;
  v->zbits = 8 - v->xbits - v->ybits;
  column_bits(v, 10);
}

/* Blocks of a multiprocessor to leave registers for. Elements that are loaded one by one are not
 * packed before all are there; those of a byte take most when they are used. */
static unsigned int column_resident(const ga_variant *v, const ga_stage *st)
{
  size_t loads = (size_t)v->loads, vec = (size_t)v->vec, accs = v->tail ? 2 : 2 * vec;
  size_t other = 12 + (ga_makes_functions(st, 8) ? MATH_WIDE : 0);
  if (ga_widest_reduced(st) == 1) return 2;
  return v->vector ? ga_resident(v, st, loads, vec, accs, other)
                   : ga_resident(v, st, loads * vec, 1, accs, other);
}

/* Shorter spans where there are several, and all are done an eighth sooner so: such as are not run
 * at once take a turn more, and a span's begin and end count as SPAN_COST bytes. (H200, us: var
 * along 1 and 2 of int32 [1023, 16400, 4] in Fortran order, 288 units 149, 1056 of them 107.) */
static void more_spans(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target)
{
  uint64_t room = ga_enough(target, column_resident(v, st)), chunks = ceil_div(l->reduced, CHUNK);
  double bytes = 0, least = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && !ga_is_still(v, i)) bytes += (double)size_of(st, i);
  bytes *= (double)l->reduced * (double)l->kept;
  for (uint64_t each = v->each; each > 0; each /= 2) {
    uint64_t spans = ceil_div(chunks, each), units = v->units * spans;
    double cost = (double)ceil_div(units, room) * (bytes / (double)units + SPAN_COST);
    if (spans > SPANS_MAX) break;
    if (least != 0 && 8 * cost > 7 * least) continue;
    least = cost;
    v->each = each;
    v->spans = spans;
  }
}

/* The block, and how the rows are cut into spans. */
static int shape_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1], chunks = ceil_div(l->reduced, CHUNK);
  uint64_t vectors = v->tail ? inner << (v->tail - 2) : ceil_div(inner, (uint64_t)v->vec);
  if (v->tail)
    shape_tail(v, st, vectors);
  else
    shape_block(v, st, l, target, vectors);
  v->tiles = ceil_div(vectors, (uint64_t)1 << v->xbits);
  v->groups = l->kept / inner * v->tiles;
  v->units = ceil_div(v->groups, (uint64_t)1 << v->zbits);
  for (v->each = 1;; v->each *= 2) {
    v->spans = ceil_div(chunks, v->each);
    if (v->spans == 1 || v->each == PASSES_MAX) break;
    if (v->spans * v->units <= ga_enough(target, COLUMN_UNITS)) break;
  }
  if (v->spans > 1) more_spans(v, st, l, target);
  if (v->spans > SPANS_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a reduction over %llu elements is too long",
                    (unsigned long long)l->reduced);
  v->units *= v->spans;
  v->grid = v->units;
  v->chunks = chunks > 1 ? PASSES_MAX : 1;
  v->whole = l->reduced != 0 && l->reduced % v->chunk_rows == 0;
  return GA_NO_ERROR;
}

/* Each reduced operand has neighbours along the tail, on whole vectors, or stands still; those
 * that have them come back to the next column before they go on to the rows around. */
int ga_has_tail(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  unsigned int inner = l->nk + l->nr - 1, tail;
  if (l->nr < 2 || l->nk == 0 || l->kept == 0 || l->reduced <= TAIL_ROWS || v->bytes) return 0;
  tail = log2_of(l->dims[inner]);
  if (tail < TAIL_LEAST || l->dims[inner] * ga_widest_reduced(st) > TAIL_BYTES ||
      l->dims[inner] != (size_t)1 << tail)
    return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t column = l->strides[i][l->nk - 1], row = l->strides[i][inner - 1];
    if (!is_reduced(st, i) || l->strides[i][inner] == 0) continue;
    if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
    if ((column < 0 ? -column : column) > (row < 0 ? -row : row)) return 0;
    if (!ga_vectors_aligned(st, l, align, i, 4, inner)) return 0;
  }
  v->tail = tail;
  return l->dims[l->nk - 1] * l->dims[inner] * ga_widest_reduced(st) < LINE_BYTES ? 1 : 2;
}

int ga_variant_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, const ga_target *target)
{
  v->skeleton = GA_SKEL_COLUMNS;
  if (l->nr == 1 && ga_widest_moving(v, st) == 1 && !ga_has_moment(st)) v->still = 0; /* as fast */
  v->nk = ga_rank_bound(l->nk - 1);
  v->nr = ga_rank_bound(l->nr);
  if (v->tail) {
    v->vec = 4;
    v->vector = 1;
  } else {
    column_vector(v, st, l, align);
    column_loads(v, st);
  }
  if (l->kept != 0) GA_TRY(shape_columns(v, st, l, target));
  v->aligned = v->vector || (v->xbits == 5 && !v->bytes && columns_aligned(st, l, align, 1));
  v->resident = column_resident(v, st);
  return GA_NO_ERROR;
}
