/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan (gen.h, kernels/scan_rows.cu, scan_columns.cu). */
#include "variant.h"

#define SHORT_ROW    128  /* scan_rows.cu: a row of 2^lanes lanes */
#define SHORT_ROWS   4    /* scan_rows.cu: GA_ROWS */
#define CHUNK        1024 /* DESIGN.md, "Order of a scan" */
#define WARPS        (GA_BLOCK / 32)
#define TICKETS      4  /* scan_rows.cu: ga_params.ticket, before the statuses */
#define SPREAD       16 /* scan_rows.cu: GA_SPREAD */
#define COLUMN_BYTES 4  /* scan_columns.cu: of a lane and row, at least */

static uint64_t ceil_div(uint64_t n, uint64_t d) { return n / d + (n % d != 0); }

static size_t size_of(const ga_stage *st, unsigned int i)
{
  return ga_dtypes[st->operands[i].dtype].size;
}

/* Registers of 4 bytes that a thread needs for `n` elements at a time. */
static unsigned int resident(const ga_stage *st, size_t n)
{
  size_t words = 24 + n * ga_acc_size(st) / 4;
  return words <= 64 ? 4 : words <= 80 ? 3 : words <= 128 ? 2 : 1;
}

/* Which operands move along `axis`, as vectors of v->vec: are they aligned? */
static void find_aligned(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align, unsigned int axis)
{
  v->aligned = v->store_vec = v->vector;
  for (unsigned int i = 0; i < st->noperand && v->vector; i++) {
    if (l->strides[i][axis] == 0 || ga_vectors_aligned(st, l, align, i, v->vec, axis)) continue;
    if (st->operands[i].write)
      v->store_vec = 0;
    else
      v->aligned = 0;
  }
}

static void choose_rows(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  unsigned int inner = l->nk + l->nr - 1;
  v->skeleton = GA_SKEL_SCAN_ROWS;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = 4;
  v->vector = l->cls == GA_CLASS_SCAN_ROWS && !v->bytes;
  v->resident = resident(st, 32 + 8);
  find_aligned(v, st, l, align, inner);
  v->units = l->kept;
  v->tiles = 1;
  if (l->reduced <= SHORT_ROW) {
    v->form = GA_FORM_SHORT;
    while (((uint64_t)4 << v->lanes) < l->reduced) v->lanes++;
    v->grid = ceil_div(l->kept, (uint64_t)(GA_BLOCK >> v->lanes) * SHORT_ROWS);
  } else if (l->reduced <= CHUNK) {
    v->form = GA_FORM_WARP;
    v->grid = ceil_div(l->kept, WARPS);
  } else {
    v->form = l->reduced <= GA_SCAN_TILE ? GA_FORM_BLOCK : GA_FORM_TILES;
    v->tiles = ceil_div(l->reduced, GA_SCAN_TILE);
    v->spans = ceil_div(l->reduced, GA_SCAN_SPAN);
    v->units = l->kept * v->tiles;
    v->grid = v->units;
  }
}

/* Neighbouring columns of a lane: as many as give the widest operand 4 bytes. */
static int column_vector(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk - 1;
  size_t widest = 1, vec;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner];
    if (step != (ssize_t)size_of(st, i) && (step != 0 || st->operands[i].write)) return 1;
    if (size_of(st, i) > widest) widest = size_of(st, i);
  }
  vec = widest >= COLUMN_BYTES ? 1 : COLUMN_BYTES / widest;
  while (l->dims[inner] % vec != 0) vec /= 2;
  return (int)vec;
}

/* Whole segments by a block, or, where there are warps enough, all rows by a warp. */
static void choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                           const unsigned char *align, const ga_target *target)
{
  uint64_t units;
  v->skeleton = GA_SKEL_SCAN_COLUMNS;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = v->bytes ? 1 : column_vector(st, l);
  v->vector = v->vec > 1;
  v->resident = resident(st, (16 + 12) * (size_t)v->vec);
  find_aligned(v, st, l, align, l->nk - 1);
  units = ceil_div(l->kept, 32 * (uint64_t)v->vec);
  v->form =
      l->reduced <= 16 || units >= (uint64_t)target->nproc * 32 ? GA_FORM_WARP : GA_FORM_BLOCK;
  v->grid = v->form == GA_FORM_WARP ? ceil_div(units, WARPS) : units;
}

/* Many rows: chunks by blocks. */
static void choose_tall(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  v->skeleton = GA_SKEL_SCAN_TALL;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = v->bytes ? 1 : column_vector(st, l);
  if (v->vec > 2) v->vec = 2;
  v->vector = v->vec > 1;
  v->resident = resident(st, 40 * (size_t)v->vec);
  find_aligned(v, st, l, align, l->nk - 1);
  v->form = GA_FORM_TILES;
  v->tiles = ceil_div(l->kept, 8 * (uint64_t)v->vec);
  v->units = v->tiles * ceil_div(l->reduced, CHUNK);
  v->grid = v->units;
}

/* Whether blocks that walk down all rows keep the card busy. H200, 16384 x 16384
 * float32: 649 us for 1433 us by chunks; 262144 x 1000, where they do not: 16.8 ms by
 * rows' tiles, 1.4 by chunks. */
static int enough_columns(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target)
{
  uint64_t columns = 32 * (uint64_t)(v->bytes ? 1 : column_vector(st, l));
  return l->reduced <= CHUNK || ceil_div(l->kept, columns) >= target->nproc;
}

int ga_variant_scan(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  if (l->kept == 0 || l->nr == 0)
    return ga_error(GA_VALUE_ERROR, "kernel: a scan of one element or none");
  if (l->cls != GA_CLASS_SCAN_COLUMNS)
    choose_rows(v, st, l, align);
  else if (enough_columns(v, st, l, target))
    choose_columns(v, st, l, align, target);
  else
    choose_tall(v, st, l, align);
  if (v->form == GA_FORM_TILES && v->units >= UINT32_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a scan of %llu tiles, at most %u",
                    (unsigned long long)v->units, UINT32_MAX - 1);
  return GA_NO_ERROR;
}

size_t ga_scan_tickets(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t spans = ceil_div(l->reduced, GA_SCAN_SPAN), tiles = ceil_div(l->reduced, GA_SCAN_TILE);
  uint64_t words = ga_acc_size(st) / 4, each; /* each: words of a row or column */
  if (v->form != GA_FORM_TILES) return 0;
  if (v->skeleton == GA_SKEL_SCAN_TALL)
    each = (ceil_div(l->reduced, CHUNK) + tiles + spans) * words;
  else
    each = tiles * words + spans * SPREAD;
  return TICKETS + (size_t)(l->kept * each) * 2;
}
