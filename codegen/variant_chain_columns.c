/* SPDX-License-Identifier: MIT */
/* Chains along columns (kernels/chain_columns.cu): which fit on chip, and the lanes, columns and
 * threads of a block. */
#include "variant_chain.h"

#define COLUMN_REGISTERS 32          /* of a lane's fours of a column, ... */
#define COLUMN_CHUNKS    4           /* chain_strips.cuh: GA_STRIPS */
#define NEAR_LEAST       3           /* chain_columns.cu: GA_NEAR, log2 of a block's lanes, is */
#define NEAR_MOST        5           /* ... one of these */
#define COLUMN_VEC       8           /* columns of a thread, at most */
#define LANE_LEAST       4           /* fours of a lane, where lanes are more than need be */
#define COLUMN_THREADS   1024        /* of a block at most, ... */
#define COLUMN_BYTES     128         /* ... which has no more than this of a row beyond 256 */
#define COLUMN_ACC       16          /* bytes of an accumulator: shared memory has one a thread */
#define COLUMN_FEW       (1 << 20)   /* elements that one kernel is faster for on any grid */
#define BESIDE_LEAST     256         /* columns side by side, if there are so many */
#define BLOCKS_LEAST     4           /* of a multiprocessor, before they have several groups */
#define PAIR_FOURS       6           /* of pairs that functions are made of in 64 registers */
#define TURNED_PAIRS     256         /* elements of a column of which a thread has two */
#define TURNED_FOURS     32          /* side by side in a column that change places at once, ... */
#define TURNED_NARROW    8           /* ... of two bytes an element, ... */
#define TURNED_SHARED    (45 * 1024) /* ... in so many bytes, accumulators and all */
#define TILE_BYTES       512 /* of a row in a tile (kernels/chain_tiles.cuh), or half, ... */
#define TILE_LONG        512 /* ... of some columns that are longer than this */
#define TILE_ROWS        128 /* of a tile, at most */
#define TILE_LEAST       96  /* elements of a tiled column, of two bytes each, at least */
#define TILE_BLOCKS      4   /* of a multiprocessor, at most */
#define TILE_WASTE       4   /* part of the columns that tiles may have twice, or lack */

/* Whether columns go on along kept axis k as along the one inside it, in all operands of which they
 * have more than one element; `near`: or lie near, as those of views that go backwards, or begin
 * behind an element. */
static int goes_on(const ga_stage *st, const ga_layout *l, unsigned int k, int near)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][k], all = l->strides[i][k + 1] * (ssize_t)l->dims[k + 1];
    if (st->operands[i].outer || l->strides[i][l->nk] == 0 || step == all) continue;
    if (!near || ga_magnitude(step) < ga_magnitude(all)) return 0;
    if (ga_magnitude(step) > 2 * ga_magnitude(all)) return 0;
  }
  return 1;
}

/* Kept axes, from the innermost on, whose columns lie side by side: more than one where that is
 * short, as what each column has of its own, gamma over the last axis, does not go on. */
static unsigned int axes_beside(const ga_stage *st, const ga_layout *l, int near)
{
  unsigned int k = l->nk - 1;
  uint64_t n = l->dims[k], row = ga_widest_reduced(st);
  for (; k > 0 && n < BESIDE_LEAST && goes_on(st, l, k - 1, near && n * row < COLUMN_BYTES); k--)
    n *= l->dims[k - 1];
  return l->nk - k;
}

static uint64_t columns_beside(const ga_variant *v, const ga_layout *l)
{
  uint64_t n = 1;
  for (unsigned int k = l->nk - v->axes; k < l->nk; k++) n *= l->dims[k];
  return n;
}

/* Operand i lies in memory along the columns, each of which begins with a vector, or along the one
 * that all neighbours have. */
static int is_lengthwise(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                         unsigned int i)
{
  ssize_t size = ga_dtypes[st->operands[i].dtype].size, beside = l->strides[i][l->nk - 1];
  if (l->strides[i][l->nk] != size || (beside != 0 && is_near(st, l, i, l->nk - 1))) return 0;
  return ga_vectors_aligned(st, l, align, i, 4, l->nk);
}

/* Operand i is a result that lies along the columns, in runs of whole sectors or all of them.
 * (Single bytes, and short runs of two off vectors, take longer than another kernel's words.) */
static int is_result_along(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  size_t size = size_of(st, i), run = l->reduced * size;
  if (st->operands[i].outer || !st->operands[i].write || size == 1) return 0;
  return l->strides[i][l->nk] == (ssize_t)size && !is_near(st, l, i, l->nk - 1) &&
         (run >= SECTOR || (l->strides[i][l->nk - 1] == (ssize_t)run && run % 4 == 0));
}

/* Bytes of an element of those results; whole: of those that threads may store as they have them,
 * which they do not in small parts of sectors, nor in halves where but one other kernel would read
 * all again. */
static size_t results_along(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                            int whole)
{
  size_t n = 0, least = ga_chain_levels(st) > 1 ? 4 : 8;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_result_along(st, l, i) &&
        (!whole || (size_of(st, i) >= least && is_lengthwise(st, l, align, i))))
      n += size_of(st, i);
  return n;
}

/* Fours of a thread that change places at once: none where several blocks have a column, which
 * have its chunks' lanes in turns or, if not, are as fast without. */
static int choose_turned(const ga_variant *v, const ga_stage *st, size_t size)
{
  unsigned int at_once = (size < 4 ? TURNED_NARROW : TURNED_FOURS) >> v->lanes;
  unsigned int slots = v->threads / (unsigned int)v->across;
  size_t room;
  if (at_once == 0) at_once = 1;
  while (at_once / 2 >= (unsigned int)v->fours) at_once /= 2;
  room = 4 * size * (v->threads * at_once + (v->threads >> v->lanes));
  room += ga_acc_size(st) * (v->threads + slots + (v->threads >> v->lanes));
  room *= (size_t)v->vec;
  return size == 0 || v->cluster > 1 || room > TURNED_SHARED ? 0 : (int)at_once;
}

/* Log2 of the lanes that hold so many registers; 8 hold twice what others do, as 16 leave
 * a block fewer columns than fill a line of memory. */
static unsigned int column_lanes(const ga_variant *v, uint64_t registers)
{
  unsigned int lanes = 0;
  while (lanes < 5 && registers > (uint64_t)COLUMN_REGISTERS << lanes) lanes++;
  return lanes == 4 && v->vec == 1 ? 3 : lanes;
}

/* Elements of 8 bytes of which half as many would fit: they are made functions of, or a block could
 * have them all, and they are a chunk's or wait for several levels. */
static int waits_wide(const ga_stage *st, uint64_t chunks)
{
  if (!ga_chain_is_wide(st)) return 0;
  if (ga_widest_reduced(st) < 8 || ga_makes_functions(st, 8)) return 1;
  return chunks == 1 || (ga_chain_levels(st) > 1 && chunks <= COLUMN_CHUNKS);
}

/* Blocks that together have long columns, of as many lanes and registers as shorter ones have:
 * of as many columns as fill a line of memory, or half of one, or a sector. */
static void share_columns(ga_variant *v, size_t live, uint64_t beside, uint64_t reduced,
                          const ga_target *target)
{
  uint64_t fours = ceil_div(reduced, 4), chunks = ceil_div(reduced, CHUNK), blocks;
  uint64_t most = fours < CHUNK / 4 ? fours : CHUNK / 4;
  unsigned int lanes = 4, near = NEAR_LEAST;
  if (v->vec > 1 || most * live > (uint64_t)COLUMN_REGISTERS << (NEAR_LEAST + 2)) lanes = 5;
  while ((uint64_t)GA_BLOCK >> near > beside && near < NEAR_MOST) near++;
  while ((blocks = ceil_div(chunks << lanes, (uint64_t)1 << near)) > ga_chain_blocks(target))
    if (++near > NEAR_MOST) return;
  if (blocks < 2) return;
  v->cluster = (unsigned int)blocks;
  v->lanes = lanes;
  v->fours = (int)ceil_div(most, (uint64_t)1 << lanes);
  v->across = GA_BLOCK >> near;
  v->threads = v->block = GA_BLOCK;
}

/* Lanes of a column, fours of a lane, columns and threads of a block: sectors of memory
 * at the least, four of them where lanes are few, or all columns that lie side by side: where
 * those are few, more lanes. Returns 0 if columns are too long or a block's part of a row is
 * less than a sector. */
static int shape_columns(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), chunks = ceil_div(l->reduced, CHUNK);
  uint64_t inner = ceil_div(columns_beside(v, l), (uint64_t)v->vec), beside = pow2_ceil(inner);
  size_t widest = 1;
  unsigned int most;
  int all, fits;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && ga_dtypes[st->operands[i].dtype].size > widest)
      widest = ga_dtypes[st->operands[i].dtype].size;
  widest *= (size_t)v->vec;
  if (beside > GA_BLOCK) beside = GA_BLOCK;
  v->team = chunks > 1;
  v->lanes = v->team ? 5 : column_lanes(v, fours * live);
  while (v->lanes < 5 && beside << v->lanes < GA_BLOCK && fours >> v->lanes >= 2 * LANE_LEAST)
    v->lanes++;
  v->fours = v->team ? 8 : (int)ceil_div(fours, (uint64_t)1 << v->lanes);
  most = ga_chain_is_wide(st) ? COLUMN_THREADS / 2 : COLUMN_THREADS;
  for (v->across = (int)beside; v->across > 1; v->across /= 2) {
    uint64_t threads = ((uint64_t)v->across << v->lanes) * (v->team ? chunks : 1);
    if (threads <= GA_BLOCK) break;
    if (threads <= most && (size_t)v->across * widest <= COLUMN_BYTES) break;
  }
  all = (uint64_t)v->across >= inner;
  fits = chunks <= COLUMN_CHUNKS && (all || (size_t)v->across * widest >= SECTOR);
  v->cluster = 1;
  v->threads = ((unsigned int)v->across << v->lanes) * (unsigned int)(v->team ? chunks : 1);
  v->block = v->threads;
  if (v->lanes == 5 && !waits_wide(st, chunks) && !(fits && v->turned) &&
      !(all && v->threads <= 2 * GA_BLOCK && chunks <= COLUMN_CHUNKS))
    share_columns(v, live, beside, l->reduced, target);
  return v->cluster > 1 || fits;
}

/* A thread may have `vec` columns that lie side by side in all operands, 16 bytes at most, but in
 * results that change places. Elements that wait in registers are packed where they are of two
 * bytes at most. */
static int has_vectors(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                       size_t live, int vec)
{
  unsigned int inner = l->nk - 1;
  size_t words = ceil_div(l->reduced, 4) * live * (size_t)vec;
  int narrow = ga_widest_reduced(st) <= 2;
  if (narrow && !ga_chain_carries(st)) words /= 2;
  if (l->dims[inner] % (uint64_t)vec != 0) return 0;
  if (words > COLUMN_REGISTERS && !(narrow && vec == 2)) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t size = ga_dtypes[st->operands[i].dtype].size;
    if (st->operands[i].outer || is_result_along(st, l, i)) continue;
    if (l->strides[i][inner] == 0 && is_lengthwise(st, l, align, i)) continue;
    if (size * vec > 16 || l->strides[i][inner] != size) return 0;
    if (align[i] % (vec * size) != 0) return 0;
    for (unsigned int k = 0; k < l->nk + l->nr; k++)
      if (k != inner && l->strides[i][k] % (vec * size) != 0) return 0;
  }
  return 1;
}

/* Results that lie along the columns and change places are of two columns a thread where elements
 * have two bytes and carry nothing, and columns are long: short ones would rather have more blocks.
 */
static int pairs_turned(const ga_stage *st, const ga_layout *l)
{
  return ga_widest_reduced(st) == 2 && l->reduced >= TURNED_PAIRS && !ga_chain_carries(st);
}

/* One input and one result that lies as it does, columns side by side, whose rows do not all begin
 * with sectors: those two operands go by way of shared memory (kernels/chain_tiles.cuh). */
static uint64_t tiled_operands(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  unsigned int inner = l->nk - 1, from = st->noperand, to = st->noperand;
  int cuts = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (o->outer || (!o->write && l->strides[i][inner] == 0)) continue;
    if (i >= 64 || align[i] % 16 != 0 || (o->write ? to : from) != st->noperand) return 0;
    if (l->strides[i][inner] != (ssize_t)size_of(st, i)) return 0;
    if (o->write)
      to = i;
    else
      from = i;
  }
  if (from == st->noperand || to == st->noperand || size_of(st, from) != size_of(st, to)) return 0;
  for (unsigned int k = 0; k <= l->nk; k++) {
    if (l->strides[from][k] != l->strides[to][k]) return 0;
    if (l->strides[to][k] % (ssize_t)size_of(st, to) != 0) return 0;
    cuts |= k != inner && l->strides[to][k] % SECTOR != 0;
  }
  return cuts ? (uint64_t)1 << from | (uint64_t)1 << to : 0;
}

/* Whether tiles are faster: narrow elements lie in small parts of sectors. (Functions would be
 * made again by each level.) */
static int tiles_well(const ga_stage *st, const ga_layout *l)
{
  size_t size = ga_widest_reduced(st);
  if (size < 2 || size > 8 || l->reduced > CHUNK || ga_makes_functions(st, 1)) return 0;
  if (size == 8) return l->reduced > TILE_LONG && ga_chain_levels(st) == 1;
  return l->reduced >= (size == 2 ? TILE_LEAST : TILE_ROWS + 1);
}

/* Tiles of as many columns as take a few sectors, in blocks that share longer columns. */
static int tile_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align, const ga_target *target)
{
  size_t size = ga_widest_reduced(st), bytes = TILE_BYTES, room;
  uint64_t columns = columns_beside(v, l), parts = 1, tiles;
  unsigned int slots;
  if (!tiles_well(st, l) || (v->tiled = tiled_operands(st, l, align)) == 0) return 0;
  while (ceil_div(l->reduced, parts) > TILE_ROWS) parts *= 2;
  if (parts > 1 && parts > ga_chain_blocks(target)) return 0;
  if (l->reduced > TILE_LONG && (size == 2 || ga_chain_levels(st) > 1)) bytes /= 2;
  v->vec = 1;
  v->held = 1;
  v->threads = v->block = GA_BLOCK;
  v->across = (int)(bytes / size);
  v->cluster = (unsigned int)parts;
  slots = v->threads / (unsigned int)v->across;
  while ((uint64_t)1 << v->lanes < slots * parts) v->lanes++;
  v->fours = (int)ceil_div(ceil_div(l->reduced, 4), (uint64_t)1 << v->lanes);
  v->common = (unsigned int)(SECTOR / size - 1);
  v->shared = (size_t)v->fours * 4 * slots * (bytes + 16);
  room = target->shared / (v->shared + STATIC_SHARED);
  v->resident = (unsigned int)(room < TILE_BLOCKS ? room : TILE_BLOCKS);
  tiles = ceil_div(columns, (uint64_t)v->across - v->common);
  if (tiles * (uint64_t)v->across > columns + columns / TILE_WASTE) return 0;
  return v->resident > 1 &&
         l->kept / columns * tiles * parts >= ga_enough(target, 2 * BLOCKS_LEAST);
}

/* The same with a thread's columns: one, where more do not fit. */
static int shape_threads(ga_variant *v, const ga_stage *st, const ga_layout *l,
                         const unsigned char *align, size_t live, const ga_target *target)
{
  size_t along = results_along(st, l, align, 0);
  int turned = along != 0; /* then blocks would rather have whole columns */
  ga_variant none = *v;
  v->axes = none.axes = axes_beside(st, l, 0);
  if (tile_columns(v, st, l, align, target)) return 1;
  *v = none;
  if (!turned) v->axes = axes_beside(st, l, 1);
  for (v->vec = turned ? 1 + pairs_turned(st, l) : COLUMN_VEC; v->vec > 1; v->vec /= 2) {
    v->turned = turned;
    if (!has_vectors(st, l, align, live, v->vec) || !shape_columns(v, st, l, live, target))
      continue;
    v->turned = choose_turned(v, st, along);
    if (v->turned || !turned) return 1;
  }
  v->turned = turned;
  if (!shape_columns(v, st, l, live, target)) return 0;
  v->turned = choose_turned(v, st, along);
  return v->turned || results_along(st, l, align, 1) == along;
}

/* A block's part of a row is less than a sector. */
static int splits_sectors(const ga_variant *v, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && (size_t)(v->across * v->vec) * size_of(st, i) < SECTOR) return 1;
  return 0;
}

/* A block's part of a row is two sectors at most, and does not begin with one. */
static int cuts_rows(const ga_variant *v, const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t part = (size_t)(v->across * v->vec) * size_of(st, i);
    if (!st->operands[i].outer && part <= 2 * SECTOR && l->strides[i][l->nk] % SECTOR != 0)
      return 1;
  }
  return 0;
}

/* The same of one sector, of what lies side by side: each block reads two for one, and they are
 * stored in parts. */
static int cuts_sectors(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  unsigned int inner = l->nk - 1;
  for (unsigned int i = 0; i < st->noperand; i++) {
    int cut = align[i] % 16 != 0 || l->strides[i][l->nk] % SECTOR != 0;
    for (unsigned int k = 0; k + v->axes < l->nk; k++) cut |= l->strides[i][k] % SECTOR != 0;
    if (st->operands[i].outer || l->strides[i][inner] == 0 || !is_near(st, l, i, inner)) continue;
    if (cut && (size_t)(v->across * v->vec) * size_of(st, i) <= SECTOR) return 1;
  }
  return 0;
}

int ga_chain_columns_fit(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                         const ga_target *target, size_t live)
{
  ga_variant v = {0};
  unsigned int inner = l->nk - 1;
  uint64_t columns, tiles;
  int beside = l->cls == GA_CLASS_COLUMNS;
  if (l->nk == 0 || l->nr != 1 || l->kept == 0 || l->kept > GA_GRID_MAX / 8) return 0;
  if (ga_acc_size(st) > COLUMN_ACC || live > 4 * TEAM_WORDS) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    if (st->operands[i].outer) continue;
    if (!is_near(st, l, i, inner) && !is_result_along(st, l, i) &&
        (st->operands[i].write || !is_lengthwise(st, l, align, i)))
      return 0;
    beside |= l->strides[i][inner] != 0 && is_near(st, l, i, inner) && !is_near(st, l, i, l->nk);
  }
  if (!beside) return 0;
  if (!shape_threads(&v, st, l, align, live, target)) return 0;
  columns = columns_beside(&v, l);
  tiles = ceil_div(columns, (uint64_t)(v.across * v.vec) - v.common);
  if (tiles > 1 && !v.turned && cuts_sectors(&v, st, l, align)) return 0;
  if (v.cluster > 1 && tiles > 1 && ga_chain_levels(st) == 1 && cuts_rows(&v, st, l)) return 0;
  if (v.cluster > 1 && tiles > 1 && splits_sectors(&v, st)) return 0;
  return l->kept / columns * tiles * v.cluster >= target->nproc ||
         l->kept * l->reduced <= COLUMN_FEW;
}

/* Groups of columns that a block has, where no thread needs another's: as many as leave blocks
 * enough. */
static uint64_t choose_groups(ga_variant *v, uint64_t units, const ga_target *target)
{
  uint64_t groups = 1;
  if (v->lanes != 0 || v->team || v->cluster > 1 || v->turned) return 1;
  while (2 * v->threads <= GA_BLOCK && units / groups >= ga_enough(target, 2 * BLOCKS_LEAST)) {
    v->threads *= 2;
    groups *= 2;
  }
  v->block = v->threads;
  return groups;
}

/* Pairs of elements of two bytes stay packed: 64 registers do where blocks are large, which would
 * be one a multiprocessor, unless functions are made of many fours, and 80 for others (ncu: a chain
 * of 300 rows had 24 % of the warps). */
static unsigned int pairs_resident(const ga_variant *v, const ga_stage *st)
{
  if (v->threads <= GA_BLOCK) return 3;
  return v->fours > PAIR_FOURS && ga_makes_functions(st, 1) ? 1 : COLUMN_THREADS / v->threads;
}

void ga_chain_choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l,
                             const unsigned char *align, size_t live, const ga_target *target)
{
  uint64_t columns, own, units;
  shape_threads(v, st, l, align, live, target);
  columns = columns_beside(v, l);
  own = v->threads / (unsigned int)v->across >> v->lanes; /* chunks of a block, 0: a part of one */
  v->skeleton = GA_SKEL_CHAIN_COLUMNS;
  v->nk = ga_rank_bound(v->axes > 1 ? l->nk : l->nk - 1);
  v->nr = 1;
  for (unsigned int i = 0; i < st->noperand && i < 64; i++)
    if (!st->operands[i].outer && !v->bytes && is_lengthwise(st, l, align, i))
      v->lengthwise |= (uint64_t)1 << i;
    else if (v->turned && is_result_along(st, l, i))
      v->ragged |= (uint64_t)1 << i;
  v->whole = (uint64_t)v->fours * (4u << v->lanes) == l->reduced ||
                     (v->team && l->reduced % (CHUNK * (own > 1 ? own : 1)) == 0)
                 ? 2
                 : l->reduced % 4 == 0;
  if (ga_widest_reduced(st) <= 2 && !ga_chain_carries(st) && v->vec == 1) live /= 2; /* packed */
  v->tiles = ceil_div(columns, (uint64_t)(v->across * v->vec) - v->common);
  units = l->kept / columns * v->tiles;
  v->grid = ceil_div(units, choose_groups(v, units, target)) * v->cluster;
  if (v->tiled != 0) return;
  v->resident = ga_chain_resident(st, v->threads, (size_t)v->fours + (v->vec > 1 ? 6 : 2), live);
  if (v->vec == 2 && ga_widest_reduced(st) == 2 && !ga_chain_carries(st) &&
      v->resident < pairs_resident(v, st))
    v->resident = pairs_resident(v, st);
}
