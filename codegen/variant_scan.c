/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan (gen.h, kernels/scan_columns.cu, scan_tall.cu). */
#include <string.h>

#include "variant_scan.h"

#define SEGMENT      128  /* DESIGN.md */
#define LOAD_BYTES   64   /* of a thread, on their way together */
#define CHUNK        1024 /* DESIGN.md, "Order of a scan" */
#define TICKETS      4    /* scan_groups.cuh: ga_params.ticket, before the statuses */
#define SPREAD       16   /* scan_tiles.cuh: GA_SPREAD */
#define MANY_NARROW  1024 /* columns of units, whose rows are to be longer than a sector */
#define WIDE_BLOCKS  3 /* of a multiprocessor, whose units' accumulators are of 8 bytes or more */
#define COLUMN_BYTES 4 /* scan_columns.cu: of a lane and row; twice that where it is better */

void ga_scan_aligned(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, unsigned int axis)
{
  v->aligned = v->store_vec = v->vector;
  v->moves = 1;
  for (unsigned int i = 0; i < st->noperand && v->vector; i++) {
    if (l->strides[i][axis] == 0) v->moves = 0;
    if (l->strides[i][axis] == 0 || (i < 64 && v->ragged >> i & 1)) continue;
    if (ga_vectors_aligned(st, l, align, i, v->vec, axis)) continue;
    if (st->operands[i].write)
      v->store_vec = 0;
    else
      v->aligned = 0;
  }
}

static int find_sizes(ga_scan_sizes *sizes, const ga_stage *st, size_t vec)
{
  ga_uses u;
  memset(sizes, 0, sizeof *sizes);
  GA_TRY(ga_uses_make(&u, st));
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i);
    if (u.in[i]) {
      sizes->in += size;
      sizes->slot += (size * vec + 3) / 4 * 4;
    }
    sizes->all += size;
  }
  ga_uses_clear(&u);
  return GA_NO_ERROR;
}

/* Whether all that is read before a scan of rows, or of tall columns, can be copied to where
 * it waits: by 16 bytes of a row, by a lane's neighbours of columns. */
static int find_copied(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align)
{
  int rows = v->skeleton == GA_SKEL_SCAN_ROWS, vec = rows ? 16 : v->vec;
  unsigned int axis = rows ? l->nk : l->nk - 1;
  ga_uses u;
  GA_TRY(ga_uses_make(&u, st));
  v->copied = v->hold == 1 && !v->bytes && v->ragged == 0 && (!rows || (v->vector && l->nr == 1));
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t bytes = (size_t)vec * size_of(st, i);
    if (!u.in[i] || (!rows && vec == 1 && bytes >= 4)) continue;
    if (bytes < 4 || l->strides[i][axis] == 0 || !ga_vectors_aligned(st, l, align, i, vec, axis))
      v->copied = 0;
  }
  ga_uses_clear(&u);
  if (v->copied) v->loads = 1;
  return GA_NO_ERROR;
}

/* Neighbouring columns of a lane: as many as give the widest operand `bytes`. */
static int column_vector(const ga_stage *st, const ga_layout *l, size_t bytes)
{
  unsigned int inner = l->nk - 1;
  size_t widest = ga_widest(st), vec;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner];
    if (step != (ssize_t)size_of(st, i) && (step != 0 || st->operands[i].write)) return 1;
  }
  vec = widest >= bytes ? 1 : bytes / widest;
  while (l->dims[inner] % vec != 0) vec /= 2;
  return (int)vec;
}

/* Whether there are so many columns, `vec` of a lane, that a warp may have all their rows. */
static int by_warps(const ga_layout *l, const ga_target *target, int vec)
{
  return l->reduced <= 16 ||
         ceil_div(l->kept, LANES * (uint64_t)vec) >= (uint64_t)target->nproc * LANES;
}

/* Whether eight lanes of 8 bytes have columns, and two blocks of such lanes fit a multiprocessor
 * where each has a unit of many rows. */
static int fits_tall(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  size_t room = GA_TALL_ROWS * GA_BLOCK * 2 * COLUMN_BYTES;
  room += STATIC_BYTES + GA_BLOCK * 2 * ga_acc_size(st) * 2;
  return l->kept >= 8 * 2 && 2 * room <= target->shared;
}

/* Blocks of columns that nearly fill the card. */
static uint64_t lane_blocks(const ga_target *target) { return target->nproc * 7 / 8; }

/* Whether rows of results begin inside sectors of memory. */
static int cuts_sectors(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && l->strides[i][l->nk] % SECTOR != 0) return 1;
  return 0;
}

/* Whether blocks, two of a multiprocessor at a time, leave little of their last turn empty. */
static int fills_turns(uint64_t blocks, const ga_target *target)
{
  uint64_t each = 2 * (uint64_t)target->nproc;
  return blocks <= each || blocks * 4 >= ceil_div(blocks, each) * each * 3;
}

/* Two columns a lane of wide results of what is narrow, in units, where they leave few of eight
 * lanes idle. */
static int has_pairs(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, size_t in)
{
  if (v->bytes || ga_widest(st) != 8 || in > 2 || l->kept <= 8 || column_vector(st, l, 16) != 2)
    return 0;
  v->vec = 2;
  v->vector = 1;
  ga_scan_aligned(v, st, l, align, l->nk - 1);
  return v->aligned && v->store_vec;
}

/* Columns of a lane: as many as make 8 bytes, where little is read of each, blocks have them,
 * they lie on 8 bytes and blocks enough are left, where rows cut sectors for their last turn too;
 * else, and of narrow ones in units, 4. */
static void choose_lane(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align, const ga_target *target, size_t in, int tall)
{
  int few = v->bytes ? 1 : column_vector(st, l, COLUMN_BYTES);
  uint64_t least = tall ? 1 : lane_blocks(target), blocks;
  size_t bytes = 2 * COLUMN_BYTES;
  if (tall && has_pairs(v, st, l, align, in)) return;
  if (in > COLUMN_BYTES || by_warps(l, target, few)) bytes = COLUMN_BYTES;
  if (tall && (few > 1 || !fits_tall(st, l, target))) bytes = COLUMN_BYTES;
  for (; bytes >= COLUMN_BYTES; bytes /= 2) {
    v->vec = v->bytes ? 1 : column_vector(st, l, bytes);
    v->vector = v->vec > 1;
    ga_scan_aligned(v, st, l, align, l->nk - 1);
    blocks = ceil_div(l->kept, LANES * (uint64_t)v->vec);
    if (v->aligned && v->store_vec && blocks >= least &&
        (tall || !cuts_sectors(st, l) || fills_turns(blocks, target)))
      break;
  }
}

/* Whole segments by a block, or, where there are warps enough, all rows by a warp. */
static void choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                           const ga_target *target)
{
  uint64_t units;
  v->skeleton = GA_SKEL_SCAN_COLUMNS;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->resident = (size_t)v->vec * ga_acc_size(st) <= 8 ? 2 : 1; /* more spill */
  units = ceil_div(l->kept, LANES * (uint64_t)v->vec);
  v->form = by_warps(l, target, v->vec) ? GA_FORM_WARP : GA_FORM_BLOCK;
  if (v->form == GA_FORM_BLOCK && v->resident > 1 && cuts_sectors(st, l) &&
      (v->vec > 1 || units >= 2 * lane_blocks(target))) {
    if (v->vec == 1) v->block = 2 * GA_BLOCK;
    v->resident = 1;
    v->shared = target->shared / 2; /* so that it is one: with two 0.62 for 0.74 */
  }
  v->grid = ceil_div(units, v->form == GA_FORM_WARP ? WARPS : v->block / GA_BLOCK);
}

/* Lanes side by side: 32, or fewer where many of them would have no column; of few narrow ones that
 * fill a sector 8, whose units have the more rows to a column, but where rows of 2 bytes an element
 * cut sectors. */
static int lanes_across(const ga_stage *st, const ga_layout *l, int vec)
{
  uint64_t kept = l->kept, least = ceil_div(kept, 8 * (uint64_t)vec) * 8;
  size_t widest = ga_widest(st);
  int across = 32;
  if (kept < MANY_NARROW && widest < COLUMN_BYTES && (size_t)vec * widest >= COLUMN_BYTES &&
      (widest == 1 || !cuts_sectors(st, l)))
    across = 8;
  while (across > 8 &&
         ceil_div(kept, (uint64_t)across * (uint64_t)vec) * (uint64_t)across * 4 > least * 5)
    across /= 2;
  return across;
}

/* Blocks that a multiprocessor's shared memory has room for. */
static size_t tall_blocks(const ga_variant *v, const ga_stage *st, const ga_target *target)
{
  return target->shared /
         (v->shared + STATIC_BYTES + GA_BLOCK * (size_t)v->vec * ga_acc_size(st) * 2);
}

/* Those that its registers have room for too. */
static void tall_resident(ga_variant *v, const ga_stage *st, const ga_target *target, size_t slot)
{
  size_t words = GA_TALL_ROWS / 4 * (size_t)v->vec * ga_acc_size(st) / 4;
  size_t most, blocks = tall_blocks(v, st, target);
  words += v->copied ? 40 : 32 + (size_t)v->loads * (slot / 4);
  most = REGISTERS / GA_BLOCK / ((words + 7) / 8 * 8);
  if (ga_acc_size(st) > 4 && most > WIDE_BLOCKS) most = WIDE_BLOCKS;
  v->resident = (unsigned int)(blocks < most ? blocks : most > 0 ? most : 1);
}

/* Many rows, cut into units; 0: they do not fit on chip. */
static int choose_tall(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const ga_target *target, size_t slot)
{
  size_t acc = ga_acc_size(st), held = slot, vec = (size_t)v->vec;
  const ga_variant was = *v;
  v->hold = held <= acc * vec ? 1 : 2;
  if (v->hold == 2) held = acc * vec;
  v->shared = GA_TALL_ROWS * GA_BLOCK * held;
  v->loads = 16;
  while (v->loads > 1 && (size_t)v->loads * slot > LOAD_BYTES) v->loads /= 2;
  if (tall_blocks(v, st, target) == 0) {
    *v = was;
    return 0;
  }
  v->skeleton = GA_SKEL_SCAN_TALL;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->form = GA_FORM_TILES;
  v->across = lanes_across(st, l, v->vec);
  v->tiles = ceil_div(l->kept, (uint64_t)v->across * vec);
  v->units = v->tiles * ceil_div(l->reduced, GA_TALL_ROWS * (GA_BLOCK / (uint64_t)v->across));
  v->grid = v->units;
  return 1;
}

/* Whether blocks that walk down all rows keep the card busy: then they are the faster
 * (H200, many columns of float32: 0.73 of the copy ceiling, by units 0.61; of 65536 x
 * 1000, where they do not, by units 0.57). Words of four bytes, whose joins take long, are to be
 * twice as many, where all lie in one row. */
static int enough_columns(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target)
{
  uint64_t columns = 32 * (uint64_t)(v->bytes ? 1 : column_vector(st, l, COLUMN_BYTES));
  uint64_t blocks = target->nproc * (l->nk == 1 && st->reductions[0].parts == 4 ? 2 : 1);
  return l->reduced <= CHUNK || ceil_div(l->kept, columns) >= blocks;
}

/* By way of registers, or of slots that threads have for themselves. */
static int choose_direct(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align, const ga_target *target)
{
  ga_scan_sizes sizes;
  int columns = l->cls == GA_CLASS_SCAN_COLUMNS;
  int tall = columns && !enough_columns(v, st, l, target);
  GA_TRY(find_sizes(&sizes, st, 1));
  if (ga_scan_beside(v, st, l, align, target, &sizes)) return GA_NO_ERROR;
  if (columns) {
    choose_lane(v, st, l, align, target, sizes.in, tall);
    GA_TRY(find_sizes(&sizes, st, (size_t)v->vec));
  }
  if (!columns)
    GA_TRY(ga_scan_rows(v, st, l, align, target, &sizes));
  else if (!tall || !choose_tall(v, st, l, target, sizes.slot))
    choose_columns(v, st, l, target);
  if (v->skeleton == GA_SKEL_SCAN_TALL ||
      (v->form == GA_FORM_TILES && v->vec == GROUP && v->copied == 0 && sizes.in < ga_sub_size(st)))
    GA_TRY(find_copied(v, st, l, align));
  if (v->skeleton == GA_SKEL_SCAN_TALL) tall_resident(v, st, target, sizes.slot);
  return GA_NO_ERROR;
}

int ga_scan_reads_after(const ga_stage *st, int *after)
{
  ga_uses u;
  GA_TRY(ga_uses_make(&u, st));
  *after = 0;
  for (unsigned int i = 0; i < st->noperand; i++) *after |= u.outer[i];
  ga_uses_clear(&u);
  return GA_NO_ERROR;
}

int ga_variant_scan(ga_variant *v, const ga_stage *st, const ga_layout *l,
                    const unsigned char *align, const ga_target *target)
{
  int chosen = 0, beside;
  ga_variant other = *v;
  ga_scan_sizes sizes;
  v->moves = 1;
  if (l->kept == 0 || l->nr == 0)
    return ga_error(GA_VALUE_ERROR, "kernel: a scan of one element or none");
  if (ga_scan_bytes(v, st, l, align, target)) return GA_NO_ERROR;
  GA_TRY(find_sizes(&sizes, st, 1));
  beside = ga_scan_beside(&other, st, l, align, target, &sizes);
  GA_TRY(ga_scan_cross(v, st, l, align, target, beside == 1, &chosen));
  if (!chosen) GA_TRY(ga_variant_scan_boxes(v, st, l, align, target, &chosen));
  if (!chosen) GA_TRY(ga_scan_sheets(v, st, l, align, target, &chosen));
  if (!chosen) GA_TRY(choose_direct(v, st, l, align, target));
  if (v->form == GA_FORM_TILES && v->units >= UINT32_MAX)
    return ga_error(GA_XLARGE_ERROR, "kernel: a scan of %llu tiles, at most %u",
                    (unsigned long long)v->units, UINT32_MAX - 1);
  return GA_NO_ERROR;
}

size_t ga_scan_tickets(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  uint64_t spans = ceil_div(l->reduced, GA_SCAN_SPAN), tiles = ceil_div(l->reduced, GA_SCAN_TILE);
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  uint64_t kept = l->kept, words = ga_acc_size(st) / 4, each; /* each: words of a row or column */
  if (v->form != GA_FORM_TILES) return 0;
  if (v->skeleton == GA_SKEL_SCAN_ROWS) {
    each = v->tiles * (uint64_t)v->turns * words + v->spans * SPREAD;
    return TICKETS + (size_t)(l->kept * each) * 2;
  }
  if (v->skeleton == GA_SKEL_SCAN_CROSS_LONG) kept = v->tiles * v->width;
  each = chunks + tiles + spans + (v->across > 8 ? ceil_div(l->reduced, SEGMENT) : 0);
  return TICKETS + (size_t)(kept * each * words) * 2 + (size_t)((chunks + tiles) * v->tiles);
}
