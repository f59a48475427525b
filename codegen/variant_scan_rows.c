/* SPDX-License-Identifier: MIT */
/* Chooses the variant of a scan of rows (gen.h, kernels/scan_rows.cu, scan_beside.cu). */
#include "variant_scan.h"

#define SHORT_ROWS  4 /* scan_rows.cu: GA_ROWS */
#define SEGMENTS    8 /* of a chunk, and chunks of a tile */
#define SPAN_TILES  32
#define TURNS_MAX   4
#define GROUP_BYTES 16     /* of the widest operand, where the order is free */
#define ROW_BYTES   128    /* of a thread, on their way together */
#define WORK_BYTES  16     /* of an element, read and joined, that registers hold at most */
#define UNIT_BYTES  131072 /* read and written by a unit, at least */
#define SIDE_UNITS  4      /* of a row, at work at a time where rows are side by side, at least */
#define UNITS_EACH  12     /* of a multiprocessor, that rows of few units have */
#define HELD_BLOCKS 3      /* of a multiprocessor, that walk along rows of 8 bytes an element */
#define LOADS_EACH  2      /* units of a multiprocessor that are loaded at a time */

/* Blocks whose threads have registers for `n` accumulators at a time and `other` words of 4 bytes.
 */
static unsigned int resident(const ga_stage *st, size_t n, size_t other)
{
  size_t words = other + n * ga_acc_size(st) / 4;
  return words <= 64 ? 4 : words <= 80 ? 3 : words <= 128 ? 2 : 1;
}

static uint64_t tile_of(const ga_variant *v)
{
  return (uint64_t)LANES * SEGMENTS * WARPS * (uint64_t)v->vec;
}

int ga_scan_copies(int *how, const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  ga_uses u;
  GA_TRY(ga_uses_make(&u, st));
  *how = l->cls == GA_CLASS_SCAN_ROWS && l->nr == 1 && !ga_by_bytes(st, l, align);
  for (unsigned int i = 0; i < st->noperand && *how != 0; i++) {
    if (!u.in[i]) continue;
    if (l->strides[i][l->nk] == 0)
      *how = 0;
    else if (!ga_vectors_aligned(st, l, align, i, 16, l->nk))
      *how = GA_SHIFTED;
  }
  ga_uses_clear(&u);
  return GA_NO_ERROR;
}

/* Elements of a group that give the widest operand 16 bytes. */
static int widest_group(const ga_stage *st) { return GROUP_BYTES / (int)ga_widest(st); }

int ga_scan_widens(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  int aligned = 1;
  if (widest_group(st) <= GROUP || !ga_reduction_is_free(&st->reductions[0])) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!ga_rows_aligned(st, l, align, i, GROUP)) aligned = 0;
  return l->reduced >
         LANES * (uint64_t)(aligned ? SEGMENTS * WARPS * GROUP : widest_group(st) * 3 / 2);
}

int ga_scan_vector(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  int vec = GROUP_BYTES / (int)ga_widest(st);
  if (vec <= GROUP || l->reduced > LANES * (uint64_t)vec ||
      !ga_reduction_is_free(&st->reductions[0]))
    return GROUP;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (l->strides[i][l->nk + l->nr - 1] != 0 && !ga_rows_aligned(st, l, align, i, vec))
      return GROUP;
  return vec;
}

int ga_scan_knows_step(const ga_layout *l, ssize_t size, ssize_t step)
{
  if (step == -1) return size <= (l->reduced > GA_SCAN_TILE ? 4 : 8);
  return (step == 2 || step == -2) && size <= 4;
}

/* Whether groups are loaded at once: the scanned axis is one, of unit step, or still, in each
 * operand, or what is read has a step that kernels/steps.cuh knows (v->ragged). */
static int finds_neighbours(ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (v->bytes || l->nr != 1) return 0;
  v->ragged = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = (ssize_t)size_of(st, i), step = l->strides[i][l->nk] / size;
    if (step == 1 || (step == 0 && !st->operands[i].write)) continue;
    if (st->operands[i].write || i >= 64 || !ga_scan_knows_step(l, size, step)) {
      v->ragged = 0;
      return 0;
    }
    v->ragged |= (uint64_t)1 << i;
  }
  return 1;
}

/* Elements of a group: 4 are DESIGN.md's order, or, where it cannot be told, what gives
 * the widest operand 16 bytes. */
static void choose_vector(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const unsigned char *align, int copied)
{
  v->vec = v->vector ? ga_scan_vector(st, l, align) : GROUP;
  if (!v->vector || v->vec > GROUP || !ga_reduction_is_free(&st->reductions[0])) return;
  if (widest_group(st) > GROUP && (copied ? ga_scan_widens(st, l, align) : l->reduced > tile_of(v)))
    v->vec = widest_group(st);
  while (!copied && v->vec > GROUP && tile_of(v) >= l->reduced) v->vec /= 2;
}

/* Whether units of `turns` tiles, twice those before, are enough for the card, of one row or
 * of all, and do not leave much more of the last one empty. */
static int enough_units(const ga_variant *v, const ga_layout *l, const ga_target *target,
                        uint64_t turns)
{
  uint64_t each = turns * tile_of(v), units = ceil_div(l->reduced, each);
  if (units * each - ceil_div(l->reduced, each / 2) * (each / 2) > l->reduced / 8) return 0;
  return each * 2 < l->reduced || (each < l->reduced + tile_of(v) &&
                                   l->kept * units >= (uint64_t)target->nproc * UNITS_EACH);
}

/* Whether elements pass through shared memory one by one (kernels/scan_turned.cuh): rows do
 * not lie on vectors, and none is small that comes in a row, which costs more instructions. */
static int is_turned(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  if (v->form == GA_FORM_SHORT || v->bytes || (v->vector && v->aligned && v->store_vec)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][l->nk + l->nr - 1];
    if (size_of(st, i) < 4 && (st->operands[i].write || step == (ssize_t)size_of(st, i))) return 0;
  }
  return 1;
}

/* Whether more tiles wait in shared memory of `blocks` than in registers, which have room for
 * one of a unit. As many in registers are the faster: all of them are asked for together. */
static int holds_more(const ga_variant *v, size_t blocks)
{
  size_t tiles = blocks * (size_t)v->turns;
  return tiles > v->resident || (v->turns > 1 && tiles == v->resident);
}

/* Bytes of shared memory by way of which results go (kernels/scan_turned.cuh: ga_room). */
static size_t room_bytes(const ga_variant *v, const ga_stage *st)
{
  size_t segment = LANES * (size_t)v->vec * ga_widest(st);
  return WARPS * (segment < 1024 ? 1024 : segment);
}

/* Bytes of shared memory for chunks of `turns` tiles that are copied, by `warps`. */
static size_t copied_bytes(const ga_variant *v, const ga_stage *st, size_t in, size_t warps,
                           size_t turns)
{
  size_t chunk = LANES * SEGMENTS * (size_t)v->vec * in;
  if (v->copied == GA_SHIFTED) chunk += 32 * (size_t)st->noperand;
  return turns * warps * chunk;
}

/* Whether as many rows as there are leave few multiprocessors with one less to do than others; of
 * shifted ones, which take more instructions, fewer. */
static int enough_rows(const ga_layout *l, const ga_target *target, int copied)
{
  uint64_t each = ceil_div(l->kept, target->nproc), most = copied == GA_SHIFTED ? 20 : 10;
  return each >= ROWS_EACH && l->kept * most >= each * target->nproc * (most - 1);
}

/* Whether whole numbers of 8 bytes are worked on before they are joined: registers that hold a tile
 * would be spilt. */
static int works_wide(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode && ga_sub_size(st) == 8; i++) {
    const ga_node *n = &st->nodes[i];
    int whole = n->dtype == GA_DT_INT64 || n->dtype == GA_DT_UINT64;
    if (whole && n->level == 0 && n->op != GA_N_LOAD && n->op != GA_N_PARAM && n->op != GA_N_CAST)
      return 1;
  }
  return 0;
}

/* Whether rows of 8 bytes an element, as read and as scanned, are better off in shared memory of
 * three blocks than in registers of two: those that are walked along, or worked on before. */
static int fills_registers(const ga_variant *v, const ga_stage *st, size_t in)
{
  return v->vec == GROUP && v->copied != GA_TURNED && ga_sub_size(st) == 8 && in == 8 &&
         (v->form == GA_FORM_TILES || works_wide(st));
}

/* Rows that wait, as they lie, in shared memory: those of several tiles a few of them, which the
 * block walks along. Groups are then held in registers, but long ones and those that fill these,
 * whose elements are worked on twice. Returns 0 where there is no room. */
static int choose_copied(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const ga_target *target, int copied, size_t in)
{
  size_t warps = WARPS, turns = 1, words, fixed = STATIC_BYTES, sub = ga_sub_size(st);
  const ga_variant was = *v;
  int along = v->form == GA_FORM_TILES;
  if (copied == GA_TURNED || !v->store_vec || !v->vector) fixed += room_bytes(v, st);
  v->copied = copied;
  if (v->form == GA_FORM_BLOCK) { /* slots are those of GA_BLOCK threads */
    v->copied = GA_SHIFTED;
    warps = ceil_div(l->reduced, SEGMENTS * LANES * (uint64_t)v->vec);
  }
  v->hold = v->vec > GROUP || fills_registers(v, st, in);
  v->loads = 1;
  if (fills_registers(v, st, in)) {
    v->resident = HELD_BLOCKS;
  } else if (v->hold) {
    words = 32 + SEGMENTS * sub / 4 + GROUP * (in + sub < WORK_BYTES ? in + sub : WORK_BYTES);
    v->resident = (unsigned int)(REGISTERS / GA_BLOCK / ((words + 7) / 8 * 8));
    if (along) turns = 2;
  } else if (along) {
    v->resident = resident(st, 32 + 8, 24);
  }
  for (; v->resident > 1; v->resident--) {
    /* tiles on their way are worth a block */
    size_t more = along && !v->hold && v->resident > 2 ? 2 : turns;
    if (v->resident * (copied_bytes(v, st, in, warps, more) + fixed) <= target->shared) break;
  }
  if (along && v->resident * (copied_bytes(v, st, in, warps, 2) + fixed) <= target->shared)
    turns = 2;
  v->turns = (int)turns;
  v->shared = copied_bytes(v, st, in, warps, turns);
  if (along) v->form = GA_FORM_ALONG;
  if (v->shared + fixed <= target->shared) return 1;
  *v = was;
  return 0;
}

/* Where groups wait, and how many tiles a unit has: shared memory, if it has room for
 * more of them than registers, or if elements have to pass through it. */
static void choose_hold(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target, int copied, const ga_scan_sizes *sizes)
{
  const size_t in = sizes->in;
  size_t held, words, blocks, most, sub = ga_sub_size(st), fixed = STATIC_BYTES;
  size_t work = in + sub < WORK_BYTES ? in + sub : WORK_BYTES;
  int turned = is_turned(v, st, l), shifted;
  int near = turned && v->vector && v->ragged == 0; /* one tile a unit is the faster */
  v->loads = SEGMENTS;
  v->turns = 1;
  v->resident = resident(st, 32 + 8, 24);
  if (v->form == GA_FORM_SHORT) return;
  if (!copied && turned) copied = GA_TURNED;
  if (v->form == GA_FORM_TILES
          ? copied && enough_rows(l, target, copied)
          : (copied && v->vec > GROUP) || (copied == GA_SHIFTED && !v->aligned))
    if (choose_copied(v, st, l, target, copied, in)) return;
  if (v->form == GA_FORM_WARP && v->vec == GROUP && !turned) { /* as many as rows have */
    while (l->reduced * 2 <= LANES * (uint64_t)v->vec * (uint64_t)v->loads) v->loads /= 2;
    v->resident = resident(st, GROUP * (size_t)v->loads + 8, 24);
  }
  if (v->form != GA_FORM_TILES && !turned) return;
  held = in < sub || turned ? in : sub;
  while (v->form == GA_FORM_TILES && v->vec == GROUP && !near && v->turns < TURNS_MAX &&
         (uint64_t)v->turns * tile_of(v) * sizes->all < UNIT_BYTES &&
         (!turned || (uint64_t)v->turns * tile_of(v) * in < UNIT_BYTES / 2) &&
         enough_units(v, l, target, (uint64_t)v->turns * 2))
    v->turns *= 2;
  if (turned || (v->vector && !v->store_vec)) fixed += room_bytes(v, st);
  while (turned && v->turns > 1 &&
         target->shared / ((size_t)v->turns * tile_of(v) * held + fixed) < 2)
    v->turns /= 2;
  words = 24 + (size_t)(SEGMENTS * v->turns) * sub / 4 + GROUP * (turned ? 4 : work);
  most = REGISTERS / GA_BLOCK / ((words + 7) / 8 * 8);
  shifted = copied == GA_SHIFTED && !turned && v->vec == GROUP && in < sub;
  v->copied = turned ? GA_TURNED : shifted ? GA_SHIFTED : 0;
  v->shared = shifted ? copied_bytes(v, st, in, WARPS, (size_t)v->turns)
                      : (size_t)v->turns * tile_of(v) * held;
  blocks = target->shared / (v->shared + fixed);
  if (turned || v->vec > GROUP || works_wide(st)
          ? blocks > 0
          : holds_more(v, in <= sub && blocks > most ? most : blocks)) {
    v->hold = in <= sub || turned ? 1 : 2;
    v->resident = (unsigned int)(blocks < most ? blocks : most);
    while (v->loads > 1 && (v->copied != 0 || (size_t)v->loads * (size_t)v->vec * in > ROW_BYTES))
      v->loads /= 2;
  } else {
    v->copied = 0;
    v->turns = 1;
    v->shared = 0;
  }
}

int ga_scan_rows(ga_variant *v, const ga_stage *st, const ga_layout *l, const unsigned char *align,
                 const ga_target *target, const ga_scan_sizes *sizes)
{
  unsigned int inner = l->nk + l->nr - 1;
  uint64_t segment, each;
  int copied;
  GA_TRY(ga_scan_copies(&copied, st, l, align));
  v->skeleton = GA_SKEL_SCAN_ROWS;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vector = finds_neighbours(v, st, l);
  choose_vector(v, st, l, align, copied);
  segment = LANES * (uint64_t)v->vec;
  if (l->reduced <= segment && (v->vec == GROUP || ga_scan_vector(st, l, align) > GROUP))
    v->form = GA_FORM_SHORT;
  else if (l->reduced <= SEGMENTS * segment)
    v->form = GA_FORM_WARP;
  else
    v->form = l->reduced <= tile_of(v) ? GA_FORM_BLOCK : GA_FORM_TILES;
  ga_scan_aligned(v, st, l, align, inner);
  choose_hold(v, st, l, target, copied, sizes);
  if (v->copied == GA_TURNED && v->ragged != 0) { /* by elements, whatever their step */
    v->vector = v->aligned = v->store_vec = 0;
    v->ragged = 0;
  }
  v->units = l->kept;
  v->tiles = 1;
  if (v->form == GA_FORM_SHORT) {
    while (((uint64_t)v->vec << v->lanes) < l->reduced) v->lanes++;
    v->grid = ceil_div(l->kept, (uint64_t)(GA_BLOCK >> v->lanes) * SHORT_ROWS);
  } else if (v->form == GA_FORM_WARP) {
    v->grid = ceil_div(l->kept, WARPS);
  } else if (v->form == GA_FORM_BLOCK) {
    v->block = LANES * (unsigned int)ceil_div(l->reduced, SEGMENTS * segment);
    v->grid = v->units;
  } else if (v->form == GA_FORM_ALONG) {
    v->tiles = ceil_div(l->reduced, tile_of(v));
    v->grid = v->units;
  } else {
    each = tile_of(v) * (uint64_t)v->turns;
    v->tiles = ceil_div(l->reduced, each);
    v->spans = ceil_div(l->reduced, tile_of(v) * SPAN_TILES);
    v->units = l->kept * v->tiles;
    v->grid = v->units;
    if (ga_widest(st) <= 4 && v->copied != GA_TURNED) v->ahead = LOADS_EACH * target->nproc;
    v->side = l->kept * SIDE_UNITS <= (uint64_t)target->nproc * v->resident;
  }
  return GA_NO_ERROR;
}

/* Rows of a block beside each other: 32 small ones, or 16. */
static int most_beside(size_t widest) { return widest < 4 ? 32 : widest > 8 ? WARPS : 16; }

/* The same or fewer, so that there are blocks for the card; 0: there are none, or rows would be
 * parts of sectors. */
static int rows_beside(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  size_t widest = ga_widest(st);
  int rows = most_beside(widest);
  while (rows > WARPS && ceil_div(l->kept, (uint64_t)rows) < target->nproc) rows /= 2;
  if ((size_t)rows * widest < SECTOR) return 0;
  return ceil_div(l->kept, (uint64_t)rows) * 2 < target->nproc ? 0 : rows;
}

/* The kept axis along which some operand that is read, before the scan or after it, is fast, though
 * results are neighbours along the scanned one; -1: there is none. `across`: bit i: operand i is
 * so. */
static int find_across(uint64_t *across, const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  int found = -1;
  *across = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (st->operands[i].write && l->strides[i][inner] != (ssize_t)size_of(st, i)) return -1;
    if (st->operands[i].write || is_near(st, l, i, inner)) continue;
    for (unsigned int k = 0; k < l->nk; k++) {
      if (l->strides[i][k] == 0 || !is_near(st, l, i, k) || l->dims[k] < (uint64_t)WARPS) continue;
      if (found >= 0 && found != (int)k) continue;
      found = (int)k;
      *across |= (uint64_t)1 << i;
    }
  }
  return found;
}

/* Whether small elements of rows beside each other are words, in all operands that are across. */
static int are_words(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = size_of(st, i);
    if (!is_boxed(v, i) || size >= 4) continue;
    if (l->strides[i][v->cross] != (ssize_t)size || l->dims[v->cross] % (4 / size) != 0 ||
        !ga_vectors_aligned(st, l, align, i, (int)(4 / size), (unsigned int)v->cross))
      return 0;
  }
  return 1;
}

/* Whether rows are fewer than would be worth it, so that there are blocks; or still no blocks for
 * the card. */
static int are_few(const ga_variant *v, const ga_stage *st, const ga_target *target)
{
  size_t widest = ga_widest(st);
  return v->grid < target->nproc || (widest < 4 && v->rows < most_beside(widest));
}

int ga_scan_beside(ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align, const ga_target *target, const ga_scan_sizes *sizes)
{
  const ga_variant was = *v;
  size_t room, fixed = STATIC_BYTES;
  if (l->cls != GA_CLASS_SCAN_GATHER || v->bytes || st->noperand > 63 || l->reduced < BESIDE_LEAST)
    return 0;
  v->cross = find_across(&v->boxed, st, l);
  v->rows = rows_beside(st, l, target);
  if (v->cross < 0 || v->rows == 0) {
    *v = was;
    return 0;
  }
  v->skeleton = GA_SKEL_SCAN_BESIDE;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->form = GA_FORM_ALONG;
  v->vec = GROUP;
  v->units = l->kept;
  v->grid = ceil_div(l->kept, (uint64_t)v->rows);
  v->whole = are_words(v, st, l, align);
  v->copied = GA_TURNED;
  v->loads = 1;
  v->store_vec = 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (st->operands[i].write && !ga_rows_aligned(st, l, align, i, GROUP)) v->store_vec = 0;
  if (!v->store_vec) fixed += room_bytes(v, st);
  fixed += (size_t)v->rows * st->noperand * 8;
  room = (size_t)v->rows * (LANES * GROUP * sizes->in + 16 * st->noperand) +
         LANES * 16 * (size_t)st->noperand;
  v->resident = resident(st, (size_t)v->rows / WARPS * (GROUP + 4), ga_acc_size(st) > 4 ? 56 : 40);
  if (v->resident > 3) v->resident = 3;
  v->turns = TURNS_MAX;
  while (v->resident > 1 && v->resident * ((size_t)v->turns * room + fixed) > target->shared)
    v->resident--;
  while (v->turns > 2 && (size_t)v->turns * room + fixed > target->shared) v->turns--;
  v->shared = (size_t)v->turns * room;
  if (v->shared + fixed <= target->shared) return are_few(v, st, target) ? 2 : 1;
  *v = was;
  return 0;
}
