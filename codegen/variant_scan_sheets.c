/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan of sheets (kernels/scan_sheets.cuh): few rows of many columns, or
 * rows that vectors do not fit. */
#include "variant_scan.h"

#define SEGMENT     128
#define LEAST_BYTES 2048 /* of shared memory: the kernel's own and the device's */
#define SHEET_BYTES 8192 /* of it that a sheet asks for, at least */
#define WIDE_AXIS   4096 /* columns of an axis that blocks have parts of, */
#define BACK_AXIS   128  /* and of one that is read backwards: rows of others are copied whole */
#define OPERANDS    8
#define BLOCKS_EACH 2  /* of a multiprocessor, at least, */
#define BLOCKS_MOST 5  /* and at a time, or one less, where such have more columns than threads */
#define END_BYTES   30 /* around a row, up to vectors */
#define FEW_WIDE    12 /* rows that are better so though they lie well: of 8 bytes an element, */
#define FEW_WORDS   64 /* of 4, */
#define FEW_ROWS    32 /* of others */
#define SOME_ROWS   48 /* the same where they do not, but have gaps */

static size_t far(ssize_t step, uint64_t n) { return (size_t)(step < 0 ? -step : step) * (n - 1); }

/* Columns of a sheet: of the innermost kept axis, or of two. */
static uint64_t columns_of(const ga_variant *v, const ga_layout *l)
{
  uint64_t n = l->dims[l->nk - 1];
  return v->axes == 2 ? n * l->dims[l->nk - 2] : n;
}

/* Whether columns count along `axes` axes as memory does, with gaps no longer than what is read, in
 * outputs without any. */
static int fits_axes(const ga_stage *st, const ga_layout *l, unsigned int axes)
{
  unsigned int inner = l->nk - 1;
  if (l->nk < axes) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i),
            row = (ssize_t)far(l->strides[i][inner], l->dims[inner] + 1);
    ssize_t step = l->strides[i][inner];
    if (st->operands[i].write ? step != size : step > 2 * size || step < -2 * size) return 0;
    if (axes == 1) continue;
    if (st->operands[i].write
            ? l->strides[i][inner - 1] != row
            : l->strides[i][inner - 1] < row || l->strides[i][inner - 1] > 2 * row)
      return 0;
  }
  return 1;
}

/* Columns of an axis from which on it is one that blocks have parts of. */
static uint64_t wide_axis(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (l->strides[i][l->nk - 1] < 0) return BACK_AXIS;
  return WIDE_AXIS;
}

/* The first input that lies as output `out` does; the stage's noperand where none does. */
static unsigned int input_like(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                               unsigned int out)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    unsigned int k = 0;
    if (st->operands[i].write || size_of(st, i) != size_of(st, out) || align[i] != align[out])
      continue;
    while (k < l->nk + 1 && l->strides[i][k] == l->strides[out][k]) k++;
    if (k == l->nk + 1) return i;
  }
  return st->noperand;
}

/* The first output that lies as an input does takes its place. */
static void find_boxed(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align)
{
  v->boxed = 0;
  for (unsigned int i = 0; i < st->noperand && v->boxed == 0; i++) {
    if (!st->operands[i].write) continue;
    v->like = input_like(st, l, align, i);
    if (v->like < st->noperand) v->boxed = (uint64_t)1 << i;
  }
}

/* Columns that a block shares with the next: what a sector may have of it; none where all rows of
 * results begin with sectors. */
static unsigned int shared_columns(const ga_stage *st, const ga_layout *l,
                                   const unsigned char *align)
{
  size_t least = SECTOR;
  int cut = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (!st->operands[i].write) continue;
    if (size_of(st, i) < least) least = size_of(st, i);
    cut |= align[i] != 0;
    for (unsigned int k = 0; k < l->nk + 1; k++)
      cut |= k != l->nk - 1 && l->strides[i][k] % SECTOR != 0;
  }
  return cut ? SECTOR / (unsigned int)least - 1 : 0;
}

/* Bytes that a row of operand i takes in shared memory, as many more than a multiple of 16 as rows
 * of memory are. */
static size_t row_bytes(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int i)
{
  unsigned int inner = l->nk - 1;
  uint64_t n = v->width, over = v->axes == 2 ? (n - 1) / l->dims[inner] + 1 : 0;
  ssize_t step = l->strides[i][inner];
  size_t bytes = far(step, n) + size_of(st, i) + END_BYTES;
  if (v->axes == 2 && step < 0)
    bytes = over * (size_t)l->strides[i][inner - 1] + far(step, l->dims[inner] + 1) + END_BYTES;
  else if (v->axes == 2)
    bytes += over * ((size_t)l->strides[i][inner - 1] - far(step, l->dims[inner] + 1));
  return bytes + (((size_t)l->strides[i][l->nk] - bytes) & 15);
}

static size_t area_of(const ga_variant *v, const ga_stage *st, const ga_layout *l, unsigned int n)
{
  uint64_t rows = v->form == GA_FORM_ALONG ? v->each : l->reduced;
  size_t at = 0;
  for (unsigned int i = 0; i < n; i++)
    if (!is_boxed(v, i)) at += (rows * row_bytes(v, st, l, i) + 31) / 16 * 16;
  if (n < st->noperand && is_boxed(v, n)) return area_of(v, st, l, v->like);
  return at;
}

/* Log2 of the threads that copy a row of operand i: those that are done the soonest. */
static unsigned int copying_lanes(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                                  unsigned int i)
{
  uint64_t rows = v->form == GA_FORM_ALONG ? v->each : l->reduced, least = UINT64_MAX;
  size_t vectors = row_bytes(v, st, l, i) / 16;
  unsigned int found = 0;
  for (unsigned int lanes = log2_of(GA_BLOCK); lanes >= 2; lanes--) {
    uint64_t turns = ceil_div(rows, GA_BLOCK >> lanes);
    uint64_t cost = turns * (ceil_div(vectors, (uint64_t)1 << lanes) + 1); /* 1: to find the row */
    if (cost >= least) continue;
    least = cost;
    found = lanes;
  }
  return found;
}

ga_scan_sheet ga_scan_sheet_of(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                               unsigned int i)
{
  ga_scan_sheet s = {0};
  s.area = area_of(v, st, l, i);
  if (i == st->noperand) return s;
  s.row = l->strides[i][l->nk];
  s.step = l->strides[i][l->nk - 1];
  s.over = v->axes == 2 ? l->strides[i][l->nk - 2] : 0;
  s.down = row_bytes(v, st, l, i);
  s.lanes = copying_lanes(v, st, l, i);
  return s;
}

static size_t bytes_for(ga_variant *v, const ga_stage *st, const ga_layout *l, uint64_t columns)
{
  size_t totals = 0;
  v->width = (unsigned int)columns;
  if (v->form == GA_FORM_ALONG) totals = (v->each / SEGMENT * 6 + 4) * columns * ga_acc_size(st);
  return area_of(v, st, l, st->noperand) + totals;
}

/* As many columns as `most` bytes have room for. */
static uint64_t columns_for(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t most)
{
  size_t one = bytes_for(v, st, l, 1), more = bytes_for(v, st, l, 1025) - one;
  uint64_t n = one >= most || more == 0 ? 0 : (most - one) * 1024 / more;
  while (n > 0 && bytes_for(v, st, l, n) > most) n--;
  if (n > GA_BLOCK) n -= n % GA_BLOCK;
  return n < columns_of(v, l) + v->common ? n : columns_of(v, l) + v->common;
}

/* How many columns blocks have: so many that as many blocks as have room are at work, no more than
 * there are for these, and so few that those have. */
static int choose_width(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  uint64_t all = columns_of(v, l), sheets = l->kept / all, n = 0, each = BLOCKS_MOST, fill;
  for (; each >= BLOCKS_MOST - 1 && n < GA_BLOCK; each--)
    n = columns_for(v, st, l, target->shared / each - LEAST_BYTES);
  if (bytes_for(v, st, l, n) < SHEET_BYTES) return 0;
  fill = ceil_div(ceil_div(l->kept, BLOCKS_MOST * (uint64_t)target->nproc), GA_BLOCK) * GA_BLOCK;
  if (n > fill) n = fill;
  if (v->common == 0 && n < all) n -= n % SECTOR;
  if (n < SECTOR || n < 4 * (uint64_t)v->common) return 0;
  v->tiles = ceil_div(all, n - v->common);
  n = ceil_div(all, v->tiles) + v->common; /* as many each */
  if (v->common == 0 && v->tiles > 1) n = ceil_div(n, SECTOR) * SECTOR;
  v->shared = bytes_for(v, st, l, n);
  v->grid = sheets * v->tiles;
  return v->grid >= (uint64_t)BLOCKS_EACH * target->nproc;
}

/* Rows that are better off as sheets: any number where lanes of columns that walk down them would
 * have single elements of 1 or 2 bytes, of one segment where such of 4 would cut sectors, or where
 * rows of bytes run backwards, else few. */
static uint64_t most_rows(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  unsigned int inner = l->nk - 1;
  size_t widest = ga_widest(st), read = 0;
  int off = 0, gaps = 0, back = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i), word = size < 4 ? 4 : size == 4 ? SECTOR : size;
    ssize_t step = l->strides[i][inner];
    if (!st->operands[i].write && size > read) read = size;
    gaps |= far(step, 2) != size;
    back |= step < 0;
    off |= step != (ssize_t)size || align[i] % word % 16 != 0 || l->dims[inner] * size % word != 0;
    for (unsigned int k = 0; k < l->nk + 1; k++)
      off |= k != inner && l->strides[i][k] % (ssize_t)word != 0;
  }
  if (read >= 8) return FEW_WIDE;
  if (widest == 4 && !off) return FEW_WORDS;
  if (widest >= 8 || !off) return FEW_ROWS;
  if (gaps) return SOME_ROWS;
  return widest > 2 || (back && read == 1) ? SEGMENT : UINT64_MAX;
}

int ga_scan_sheets(ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align, const ga_target *target, int *chosen)
{
  const ga_variant was = *v;
  int after;
  *chosen = 0;
  if (v->bytes || l->cls != GA_CLASS_SCAN_COLUMNS || l->nr != 1 || l->nk == 0 ||
      st->noperand > OPERANDS || !fits_axes(st, l, 1) || l->reduced > most_rows(st, l, align))
    return GA_NO_ERROR;
  GA_TRY(ga_scan_reads_after(st, &after));
  if (after) return GA_NO_ERROR;
  v->form = l->reduced <= SEGMENT ? GA_FORM_SHORT : GA_FORM_ALONG;
  v->axes = 1;
  if (v->form == GA_FORM_SHORT && l->dims[l->nk - 1] < wide_axis(st, l) && fits_axes(st, l, 2))
    v->axes = 2;
  v->common = shared_columns(st, l, align);
  v->each = SEGMENT;
  while (((uint64_t)4 << v->fours) < l->reduced && v->fours < 5) v->fours++;
  v->resident = ga_acc_size(st) <= 8 ? 4 : 2;
  find_boxed(v, st, l, align);
  if (!choose_width(v, st, l, target)) {
    *v = was;
    return GA_NO_ERROR;
  }
  v->skeleton = GA_SKEL_SCAN_SHEETS;
  v->nk = ga_rank_bound(l->nk - v->axes);
  *chosen = 1;
  return GA_NO_ERROR;
}
