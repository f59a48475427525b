/* SPDX-License-Identifier: MIT */
/* Chooses the variant of kept axes beside a short reduced one (gen.h, kernels/reduce_boxes.cuh). */
#include "variant.h"

#define CHUNK        1024   /* DESIGN.md, "Order of a reduction" */
#define DEPTH        8      /* chunks of a span: at most 2^8 */
#define SHARED       73728  /* bytes of a block, three to a multiprocessor, ... */
#define SHARED_TWO   110592 /* ... or two, where two operands are copied */
#define STATIC_BYTES 2048   /* the kernel's own and the device's */
#define LEAST        64     /* elements of a result */
#define SHORT_BYTES  60     /* of the short axis: longer ones fill sectors as rows do, ... */
#define SHORT_WIDE   80     /* ... of 8-byte elements, ... */
#define SHORT_ODD    280    /* ... where they are not cut into fours, ... */
#define SHORT_NARROW 1100   /* ... and of elements of 2 bytes at the most besides */
#define EACH_MAX     1024   /* as of reduce_rows.cu */
#define STEP_MAX     65535  /* bytes, and ... */
#define EXTENT_MAX   8192   /* ... so many of them: sizes of boxes, fitting or not, have 32 bits */

/* Units of work for each multiprocessor: axes 0 and 2 of [65536, 341, 3] on an H200 take 93 us
 * with 16, 100 with 64. */
enum { BOX_UNITS = 16 };

static unsigned int inner_of(const ga_layout *l) { return l->nk + l->nr - 1; }

ga_box ga_box_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ga_box b = {0, 0, 0};
  for (unsigned int k = 0; k <= i; k++) {
    size_t size = size_of(st, k), bytes;
    if (!is_boxed(v, k)) continue;
    b.from = (b.from + (b.pitch + 4) * v->lines + 15) / 16 * 16;
    bytes = (size_t)(v->width - 1) * (size_t)l->strides[k][l->nk - 1] +
            (l->dims[inner_of(l)] - 1) * (size_t)l->strides[k][inner_of(l)] + size;
    b.vectors = (unsigned int)((bytes + 16 - size + 15) / 16);
    b.pitch = (b.vectors | 1) * 16;
  }
  return b;
}

/* What blocks of tiles of `width` columns and 2^z chunks hold; returns its bytes. */
static size_t fill_box(ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t width,
                       unsigned int z)
{
  uint64_t some = (uint64_t)CHUNK << z, extent = l->dims[inner_of(l)];
  size_t acc = ga_acc_size(st);
  ga_box last;
  if (some > l->reduced) some = l->reduced;
  v->width = (unsigned int)width;
  v->zbits = z;
  v->lines = (unsigned int)((some + extent - 2) / extent + 1);
  last = ga_box_of(v, st, l, st->noperand - 1);
  v->box_end = (last.from + (last.pitch + 4) * v->lines + 15) / 16 * 16;
  v->groups_end = v->box_end + (v->width * (unsigned int)ga_sub_size(st) << z);
  v->groups_end = (v->groups_end + 15) / 16 * 16;
  v->shared = v->groups_end + width * (DEPTH + 1) * acc;
  if (v->shared < 4 * width * acc) v->shared = 4 * width * acc;
  return v->shared;
}

/* The operand is copied: columns and the short axis, one inside the other, fill most of a
 * line. */
static int fills_line(const ga_stage *st, const ga_layout *l, unsigned int i, int *inside)
{
  ssize_t size = (ssize_t)size_of(st, i), column = l->strides[i][l->nk - 1];
  ssize_t row = l->strides[i][inner_of(l)], extent = (ssize_t)l->dims[inner_of(l)];
  ssize_t columns = (ssize_t)l->dims[l->nk - 1];
  if (column <= 0 || row <= 0 || column > STEP_MAX || row > STEP_MAX) return 0;
  *inside = row < column;
  if (*inside) return row <= 2 * size && column >= extent * row && column <= 2 * extent * row;
  return column <= 2 * size && row >= columns * column && row <= 2 * columns * column;
}

/* Marks them; returns how many there are. */
static unsigned int box_operands(ga_variant *v, const ga_stage *st, const ga_layout *l, int *inside)
{
  unsigned int n = 0;
  int in;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!is_reduced(st, i) || !fills_line(st, l, i, &in)) continue;
    if (n != 0 && in != *inside) continue;
    *inside = in;
    v->boxed |= (uint64_t)1 << i;
    n++;
  }
  return n;
}

/* As few tiles as fit, whose lines begin with sectors where that is had cheaply; then as many
 * chunks. Columns that lie inside the short axis are not cut. Returns 0 where lines have more
 * of other chunks than half of a box's. */
static int shape_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l, int inside,
                       size_t most)
{
  uint64_t columns = l->dims[l->nk - 1], extent = l->dims[inner_of(l)];
  uint64_t chunks = ceil_div(l->reduced, CHUNK), some, whole;
  unsigned int z = 0;
  v->tiles = ceil_div(columns, GA_BLOCK);
  while (fill_box(v, st, l, ceil_div(columns, v->tiles), 0) > most)
    if (!inside || ++v->tiles > columns) return 0;
  whole = SECTOR / common_divisor(SECTOR, extent * ga_widest_reduced(st));
  if (v->tiles > 1 && v->width >= 4 * whole) v->width = (unsigned int)(v->width / whole * whole);
  v->tiles = ceil_div(columns, v->width);
  while (chunks >> z > 1 && z < 4 && fill_box(v, st, l, v->width, z + 1) <= most) z++;
  fill_box(v, st, l, v->width, z);
  some = (uint64_t)CHUNK << z;
  if (some > l->reduced) some = l->reduced;
  return v->lines * extent * 2 <= some * 3;
}

/* Bytes that the short axis has at the most. */
static uint64_t most_short(const ga_stage *st, const ga_layout *l)
{
  if (ga_widest_reduced(st) > 4) return SHORT_WIDE;
  if (l->dims[inner_of(l)] % 4 == 0) return SHORT_BYTES;
  return ga_widest_reduced(st) > 2 ? SHORT_ODD : SHORT_NARROW;
}

int ga_variant_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  ga_variant w = *v;
  size_t most = target->shared > STATIC_BYTES ? target->shared - STATIC_BYTES : 0, limit;
  unsigned int n;
  int inside = 0;
  if (v->bytes || v->iota || ga_has_moment(st) || l->nk == 0 || l->nr < 2 || l->kept == 0) return 0;
  if (l->reduced < LEAST || l->dims[inner_of(l)] > EXTENT_MAX) return 0;
  if (st->noperand > 64) return 0; /* bits of `boxed` */
  n = box_operands(&w, st, l, &inside);
  if (n == 0 || n > 2) return 0;
  if (inside && l->dims[inner_of(l)] * ga_widest_reduced(st) > most_short(st, l)) return 0;
  limit = n == 1 ? SHARED : SHARED_TWO;
  if (!shape_boxes(&w, st, l, inside, most < limit ? most : limit)) return 0;
  w.skeleton = GA_SKEL_BOXES;
  w.vec = 1;
  w.tail = 0;
  w.line = l->dims[inner_of(l)];
  w.loads = l->reduced > CHUNK / 2 ? 8 : (int)pow2_ceil(ceil_div(l->reduced, 128));
  w.chunks = l->reduced <= CHUNK ? 1 : EACH_MAX;
  w.nk = ga_rank_bound(l->nk - 1);
  w.nr = ga_rank_bound(l->nr - 1);
  w.resident = n == 1 && ga_sub_size(st) <= 8 ? 3 : 2;
  if (!ga_cut_chunks(&w, l, target, BOX_UNITS)) return 0;
  *v = w;
  return 1;
}
