/* SPDX-License-Identifier: MIT */
/* Where boxes of runs (kernels/map_runs.cu) are faster than another variant of a map that fits as
 * well. Figures: an H200, us by the other and by runs. */
#include "gen_kept.h"
#include "variant.h"

#define FULL     0.8       /* share of boxes that is there, at least, ... */
#define FULLER   1.25      /* ... but where tiles have this much less of theirs */
#define MANY     (1 << 20) /* elements, at least, of what few boxes would be */
#define CROSSED  64        /* elements of two bytes along lines, at least, that are whole */
#define LINE     128       /* bytes of a row that are worth it */
#define CUT      8         /* bytes that rows of bytes are cut at multiples of, at least */
#define SHORTEST 5         /* elements of rows that vectors of all rows are slow for, ... */
#define BYTES    4         /* ... of bytes, ... */
#define LONGEST  256       /* ... bytes of them, ... */
#define LONG     2048      /* ... of several of bytes */

/* The box has all of axis k. */
static int has_all(const ga_variant *w, const ga_layout *l, unsigned int k)
{
  for (unsigned int b = 0; b < 4; b++)
    if (w->box[b] == k) return w->box_extent[b] == l->dims[k];
  return 0;
}

/* Rows are cut at sectors of memory. */
static int cuts_sectors(const ga_variant *w, const ga_stage *st)
{
  return (size_t)w->skew * size_of(st, w->first) == SECTOR;
}

/* The share of boxes, or of tiles, that is there. */
static double fills(const ga_variant *v, const ga_layout *l)
{
  double side = 32.0 * v->vec, there = 1;
  if (v->skeleton != GA_SKEL_TILE && v->skeleton != GA_SKEL_TURN) {
    for (unsigned int b = 0; b < 4; b++) {
      uint64_t n, boxes;
      if (v->box[b] >= l->nk) continue;
      n = l->dims[v->box[b]];
      boxes = ceil_div(n, v->box_extent[b]);
      there *= (double)n / (double)(boxes * v->box_extent[b]);
    }
    return there;
  }
  there = (double)l->dims[l->nk - 1] * (double)l->dims[v->cross];
  there /= (double)v->tiles_x * side * (double)v->tiles_y;
  return there / (v->skeleton == GA_SKEL_TURN ? v->height : side * v->tall);
}

/* Tiles: where rows are short and whole, and fill few of those. (float16 [193676, 7, 33] plus one
 * in Fortran order 283 and 97, int16 [777, 886, 65]/f where > a row of them 105 and 74, uint64
 * [500, 500, 67]/t 95 and 82, but three quarters full uint64 [48, 4, 910, 96]/t 72 and 86.) Those
 * of single elements of two bytes are slower however full they are, if runs are cut at sectors:
 * layer norm's map of float16 [65, 21509, 48]/t 249 and 111, rms's of [528, 1001, 127]/p021 122
 * and 93. */
static int beats_tiles(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                       const ga_layout *l)
{
  const double most = other->vec == 1 && ga_widest_moved(st, l) <= 2 ? 0.8 : 0.72;
  if (w->beside != 1 || !has_all(w, l, l->nk - 1)) return 0;
  return fills(other, l) < most ||
         (other->vec == 1 && ga_widest_moved(st, l) == 2 && cuts_sectors(w, st) && l->kept > MANY);
}

/* Some input of a byte an element goes along rows otherwise than by elements. */
static int steps_bytes(const ga_variant *other, const ga_stage *st, const ga_layout *l)
{
  if (ga_widest(st) != 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][l->nk - 1];
    if (step != 0 && step != 1 && !ga_layout_crossed(l, st, i, other->cross)) return 1;
  }
  return 0;
}

/* Lines: where rows are short and whole, and fill three fifths of tiles' at most; where lines do
 * so, or are of two operands and taken together; or bytes backwards or in steps lie beside. (int8
 * [1376592, 65]/t < an int64 for each row 238 and 79, float32 of float16 [65, 688296]/f times int16
 * of [1, 688296] 99 and 81, int16 [100, 447392]/t < one in Fortran order 80 and 57, uint8 [349525,
 * 256]/t plus one in steps of two 116 and 99, float16 [65, 1032444]/f plus one 106 and 77; but int8
 * [932068, 96] turned plus another 83 and 89, bfloat16 [10240, 17, 257]/f < a number 57 and 65,
 * float16 [33, 2033601]/f plus one, whose rows begin at no words, 88 and 92, bfloat16 [65, 24,
 * 28679]/f 84 and 107.) */
static int beats_lines(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                       const ga_layout *l)
{
  const unsigned int cross = (unsigned int)other->cross;
  unsigned int crossed = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    crossed += ga_layout_crossed(l, st, i, cross) != 0;
  if (steps_bytes(other, st, l) && cuts_sectors(w, st)) return 1;
  if (w->beside > 1) return crossed > 1 && has_all(w, l, cross);
  if (has_all(w, l, l->nk - 1))
    return 5 * l->dims[l->nk - 1] < 3 * other->tiles_x * 32 * (uint64_t)other->vec;
  const size_t size = ga_widest_moved(st, l);
  if (size_of(st, w->first) != size || !has_all(w, l, cross)) return 0;
  if (size == 2 && (l->kept <= MANY || l->dims[cross] <= CROSSED || l->dims[l->nk - 1] % 2 != 0))
    return 0;
  return (size == 2 || size == 4) && fills(other, l) < (size == 4 ? 0.6 : 0.55);
}

/* Boxes of powers of two: where those are a third empty, or store elements one by one. (bfloat16
 * [17, 8772, 300]/p210 times one of [17, 1, 300] 131 and 71, float32 of int8 in order 03241 211 and
 * 125, uint16 [7, 37596, 255]/p210 104 and 87; but uint8 [255, 12, 29241]/p021, whose rows are cut
 * at words, 99 and 105, and uint16 [24, 7, 266305]/f so 77 and 108.) */
static int beats_boxes(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                       const ga_layout *l)
{
  const size_t size = size_of(st, w->first);
  const uint64_t row = w->each != 0 ? w->each : w->box_extent[1];
  const int cut = w->each == 0 && !cuts_sectors(w, st) && !(size == 1 && w->skew >= CUT);
  if (ga_widest_moved(st, l) > 4 || cut) return 0;
  if (fills(other, l) < 0.7) return 1;
  return other->vec == 1 && w->vec > 1 && w->box_extent[0] * row * size >= LINE;
}

/* Some input has other steps along rows than from one element to a neighbour. */
static int has_steps(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_magnitude(l->strides[i][l->nk - 1]) > size_of(st, i)) return 1;
  return 0;
}

/* Vectors of all rows laid end to end: short rows none of which lie as the results do. (uint16 rows
 * of 65 in steps of two < rows of 65 out of 66 119 and 75, int8 of 24 backwards 91 and 68, uint8 of
 * 17 out of 18 88 and 72, of 4 backwards 80 and 68, neighbours in rows of 1025 95 and 79; but
 * beside one that lies as the results do uint16 of 48 63 and 68, float16 of 3 49 and 55, int8 of
 * 999 backwards alone 71 and 87, bfloat16 of 24 plus a matrix of [100, 24] 52 and 75.) Where
 * threads have laps also beside such as stay along outer axes: quotients of reversed float16 rows
 * of 33 111 and 71, of 100 120 and 71, of 128 97 and 71, of every second of 7 98 and 97. Not where
 * vectors have functions made once for a row, and elements are neighbours: (a - b)/sqrt(c + 1e-5)
 * of reversed float16 rows of 20 94 by vectors and 107 by runs, of 100 92 and 136, of bfloat16 rows
 * of 20 off vectors 103 and 122; but a/c so 93 and 88, every second of 65 73 and 68. */
static int beats_vectors(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                         const ga_layout *l)
{
  const unsigned int inner = l->nk - 1;
  const size_t size = ga_widest_moved(st, l), row = l->dims[inner] * size_of(st, w->first);
  const int lapped = other->laps > 2;
  const int long_ones = GA_KEEPS_FUNCTION | (other->by_laps ? 0 : GA_KEEPS_ROOT);
  unsigned int moving = 0, shared = 0;
  if (other->keeps & long_ones && !has_steps(st, l)) return 0;
  if (size > 2 || l->cls == GA_CLASS_TILE || !has_all(w, l, inner)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int k = 0;
    if (st->operands[i].write || l->strides[i][inner] == 0) continue;
    if (ga_layout_dense(l, st, i)) return 0;
    while (k < inner && l->strides[i][k] != 0) k++;
    shared += k < inner;
    moving++;
  }
  if (moving == 0 || (shared != 0 && size != 1 && !lapped) ||
      l->dims[inner] < (size == 1 ? BYTES : SHORTEST))
    return 0;
  return row <= (size == 1 && moving > 1 && cuts_sectors(w, st) ? LONG : LONGEST);
}

int ga_runs_pay(const ga_variant *w, const ga_variant *other, const ga_stage *st,
                const ga_layout *l)
{
  const double full = fills(w, l);
  if (full < FULL && (other->skeleton != GA_SKEL_TILE || full < FULLER * fills(other, l))) return 0;
  switch ((int)other->skeleton) {
  case GA_SKEL_TILE: return beats_tiles(w, other, st, l);
  case GA_SKEL_TURN: return beats_lines(w, other, st, l);
  case GA_SKEL_CROSS: return beats_boxes(w, other, st, l);
  case GA_SKEL_FLAT: return beats_vectors(w, other, st, l);
  default: return 0;
  }
}
