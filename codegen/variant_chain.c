/* SPDX-License-Identifier: MIT */
/* Chains (codegen.h, ga_chain): which rows fit on chip, and how a kernel holds them
 * (kernels/chain_rows.cu). Short rows off vectors that are reduced alone go the same way. */
#include "variant_chain.h"

#define SHORT_ROW     128  /* elements whose fours are those of a warp's lanes */
#define TINY_ROW      64   /* the same of half as many fours a lane */
#define LANE_FOURS    4    /* of those for a lane */
#define WARP_ROW      1536 /* elements that a warp holds of a row: a second would be idle */
#define WARP_ALIGNED  1280 /* the same of aligned ones of 4 bytes */
#define PAIRED_ROW    2048 /* the same of staged ones of 2 bytes */
#define TEAM_CHUNKS   16   /* warps of a block whose registers hold the row, ... */
#define HELD_CHUNKS   3    /* ... rather than shared memory, where they are fewer or narrow */
#define PAIRS_WARPS   12   /* of a block whose warps have two chunks each, where that is enough */
#define TEAM_HALVES   8    /* warps, each of half a chunk */
#define WORDS_MAX     3    /* words of registers an element takes in any form */
#define WORDS_ALONE   4    /* the same of short rows that are reduced alone */
#define OTHER         32   /* registers of a thread besides its elements, ... */
#define OTHER_WIDE    72   /* ... and where those are wide: a float64 exp takes 40 more */
#define ACC_MAX       64   /* bytes of an accumulator */
#define NARROW_ROW    8    /* shorter ones of whole numbers are as fast by elements */
#define STAGED_ROW    512  /* elements of a row that is reduced alone */
#define APART_ROW     16   /* elements of rows apart that are as fast read as they lie */
#define STAGED_KEYS   3    /* bytes of registers that an element of keys counts for */
#define RESIDENT_MOST 16   /* blocks that bound registers */
#define SHARED_ROW    80   /* bytes of a row that is staged although vectors fit it */
#define REPEATED_ROW  256  /* the same of narrow ones that are joined with what all rows have */
#define FEW_BANKS     64   /* lanes whose rows are multiples of so many bytes ask the same banks, */
#define LINE_BANKS    128  /* ... and all of many rows */

/* Bytes of registers that an element takes at the worst level, at least 4 an operand
 * (16-bit floats are worked on as float32), and of shared memory where it is held
 * there. What the map alone reads it reads four by four. */
static int weigh(const ga_stage *st, size_t *live, size_t *held)
{
  ga_chain_reads r;
  int levels = ga_chain_levels(st);
  GA_TRY(ga_chain_reads_make(&r, st));
  *live = *held = 0;
  for (int level = 0; level <= levels; level++) {
    size_t n = 0;
    for (unsigned int i = 0; i < st->noperand; i++) {
      size_t size = ga_dtypes[st->operands[i].dtype].size;
      if (is_reduced(st, i) && r.at[i] <= level && r.last[i] >= level && r.at[i] < levels)
        n += size < 4 ? 4 : size;
    }
    if (n > *live) *live = n;
  }
  for (unsigned int i = 0; i < st->noperand; i++)
    if (is_reduced(st, i) && r.last[i] > r.at[i]) *held += ga_dtypes[st->operands[i].dtype].size;
  ga_chain_reads_clear(&r);
  return GA_NO_ERROR;
}

int ga_chain_is_wide(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (!(st->nodes[i].level & 1) && st->nodes[i].op != GA_N_IOTA &&
        ga_dtypes[st->nodes[i].dtype].size >= 8)
      return 1;
  return 0;
}

/* Warps that a block may have: for wide elements half as many where those do. */
static unsigned int team_chunks(const ga_stage *st, uint64_t chunks)
{
  return ga_chain_is_wide(st) && chunks <= TEAM_CHUNKS / 2 ? TEAM_CHUNKS / 2 : TEAM_CHUNKS;
}

/* Blocks whose registers hold a row: 1, or a power of two that the device lets share
 * their memory; 0 where shared memory is to hold it. */
static unsigned int blocks_of(uint64_t chunks, size_t live, const ga_target *target)
{
  unsigned int n = 1;
  if (live > 4 * TEAM_WORDS) return 0;
  while ((uint64_t)n * TEAM_CHUNKS < chunks) n *= 2;
  return n == 1 || n <= ga_chain_blocks(target) ? n : 0;
}

/* Neighbours of a row lie close together in everything that is walked along it. */
static int walks_rows(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->cls != GA_CLASS_ROWS && l->cls != GA_CLASS_GATHER) return 0;
  for (unsigned int i = 0; i < st->noperand && l->nr > 0; i++)
    if (!st->operands[i].outer && !is_near(st, l, i, inner)) return 0;
  return 1;
}

unsigned int ga_chain_resident(const ga_stage *st, unsigned int threads, size_t fours, size_t live)
{
  size_t n = (ga_chain_is_wide(st) ? OTHER_WIDE : OTHER) + fours * live;
  size_t most = n <= 64 ? 1024 : n <= 80 ? 768 : n <= 128 ? 512 : 256;
  most = threads < most ? most / threads : 1;
  return (unsigned int)(most < RESIDENT_MOST ? most : RESIDENT_MOST);
}

/* Chunks that a warp may have of a row: two of elements of two bytes, which stay packed. */
static unsigned int warp_chunks(const ga_stage *st, size_t live)
{
  return live == 4 && ga_widest_reduced(st) <= 2 && !ga_chain_is_wide(st) ? 2 : 1;
}

/* Rows, and what they make, are vectors; what does not move along them lies on its size. */
static int lies_aligned(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  if (l->cls != GA_CLASS_ROWS || l->nr != 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!ga_rows_aligned(st, l, align, i, l->strides[i][l->nk] != 0 ? 4 : 1)) return 0;
  return 1;
}

/* Long rows of narrow elements, two chunks a warp: more is on its way to a multiprocessor at once.
 * Where elements carry values as well these would spill; then only rows that do not fit else. Those
 * of several axes are so where several levels make no functions. */
static int choose_pairs(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                        const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), parts = ceil_div(chunks, 2), warps;
  unsigned int blocks = 1, most = ga_chain_blocks(target);
  if (!v->aligned || !v->store_vec || warp_chunks(st, live) == 1) return 0;
  if (l->nr > 1 && (ga_chain_levels(st) == 1 || ga_makes_functions(st, 1))) return 0;
  if (chunks <= TEAM_CHUNKS || (chunks <= CHUNKS_MAX && ga_chain_carries(st))) return 0;
  while ((uint64_t)blocks * PAIRS_WARPS < parts && 2 * blocks <= most) blocks *= 2;
  warps = ceil_div(parts, blocks);
  if (warps > TEAM_CHUNKS) return 0;
  v->fours = 16;
  v->cluster = blocks;
  v->block = 32 * (unsigned int)warps;
  v->threads = 32 * (warps <= PAIRS_WARPS ? PAIRS_WARPS : TEAM_CHUNKS);
  v->whole = l->reduced % ((uint64_t)2 * CHUNK * blocks) == 0 ? 2 : l->reduced % 4 == 0;
  v->resident = 2;
  v->grid = l->kept * blocks;
  return 1;
}

/* Rows of more chunks than registers hold one by one: two a warp, or in shared memory, which is
 * faster where elements carry values and a multiprocessor has many blocks. */
static int choose_long(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                       const ga_target *target)
{
  ga_variant w = *v;
  int held = ga_chain_hold_row(&w, st, l, target);
  if (!(held && w.resident > 2 && ga_chain_carries(st)) && choose_pairs(v, st, l, live, target))
    return 1;
  if (held) *v = w;
  return held;
}

static int long_row_fits(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                         const ga_target *target, size_t live)
{
  ga_variant v = {.team = 1};
  v.aligned = v.store_vec = lies_aligned(st, l, align);
  v.bytes = ga_by_bytes(st, l, align);
  return choose_long(&v, st, l, live, target);
}

/* Words of registers of an element: short rows that are reduced alone have as many lanes as leave
 * one few elements. */
static size_t most_words(const ga_stage *st, const ga_layout *l)
{
  return !ga_is_chain(st) && l->reduced <= STAGED_ROW ? WORDS_ALONE : WORDS_MAX;
}

static int row_fits(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                    const ga_target *target, size_t live, size_t held)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  ga_variant v = {0};
  if (!walks_rows(st, l) && !ga_chain_abreast(&v, st, l, live, target)) return 0;
  if (l->kept == 0 || l->kept > GA_GRID_MAX / 8 || ga_chain_cut(st, l, align)) return 0;
  if (chunks == 0 || ga_acc_size(st) > ACC_MAX || live > 4 * most_words(st, l)) return 0;
  if (chunks > CHUNKS_MAX) return long_row_fits(st, l, align, target, live);
  return chunks == 1 || blocks_of(chunks, live, target) != 0 ||
         chunks * CHUNK * held + STATIC_SHARED <= target->shared;
}

/* Fours of a lane at most: of short rows few, of longer ones and of keys of a byte, which are
 * soon read, more. */
static uint64_t lane_fours(const ga_variant *v, const ga_stage *st, uint64_t reduced)
{
  if (v->iota && ga_widest_reduced(st) == 1) return 2 * LANE_FOURS;
  if (reduced > SHORT_ROW) return 2 * LANE_FOURS;
  return reduced <= TINY_ROW && !v->iota ? LANE_FOURS / 2 : LANE_FOURS;
}

/* Log2 of the lanes whose fours, side by side, fill a sector of memory, of wide elements, which
 * are loaded by halves, a line. (Keys take longer to be joined across lanes than to be read.) */
static unsigned int sector_lanes(const ga_variant *v, const ga_stage *st, uint64_t reduced)
{
  size_t size = ga_widest_reduced(st), least = size < 8 ? SECTOR : 4 * SECTOR;
  unsigned int lanes = 0;
  if (v->iota || (size < 4 && reduced * size % SECTOR != 0)) return 0;
  while (reduced >= (uint64_t)8 << lanes && 4 * size << lanes < least) lanes++;
  return lanes;
}

/* Many fours stay packed: half the registers, where elements carry values nearly all (77 were
 * counted of 13 fours, 99 of 16). */
static unsigned int packed_resident(const ga_variant *v, const ga_stage *st, size_t live)
{
  size_t fours = (size_t)v->fours;
  if (fours <= 12 || v->iota) return ga_chain_resident(st, v->threads, fours, live);
  if (ga_chain_carries(st)) return ga_chain_resident(st, v->threads, fours - 2, live);
  return ga_chain_resident(st, v->threads, fours, live / 2);
}

/* Some lanes for a row. */
static void choose_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), most = lane_fours(v, st, l->reduced);
  v->cluster = 1;
  v->threads = v->block = GA_BLOCK;
  if (!ga_chain_abreast(v, st, l, live, target)) ga_chain_stage_lanes(v, st, l, live, target);
  if (v->staged == 0) v->lanes = sector_lanes(v, st, l->reduced);
  while (v->staged == 0 && v->lanes < 5 && ((uint64_t)most << v->lanes) < fours) v->lanes++;
  v->fours = (int)ceil_div(fours, (uint64_t)1 << v->lanes);
  v->whole = (uint64_t)v->fours * (4u << v->lanes) == l->reduced ? 2 : l->reduced % 4 == 0;
  v->resident = packed_resident(v, st, live);
  if (!v->abreast) v->grid = ceil_div(l->kept << v->lanes, GA_BLOCK * (uint64_t)v->rows);
}

/* Blocks of a row whose chunks have two warps each. */
static unsigned int halves_cluster(uint64_t chunks)
{
  return (unsigned int)ceil_div(chunks, TEAM_HALVES / 2);
}

/* Elements are worked on in 8 bytes, and held in as many, be it from one reduction to the next
 * (differences from a mean), or stored in as many, or functions of such are made. */
static int is_held_wide(const ga_stage *st, size_t live)
{
  if (live > 4 || !ga_chain_is_wide(st)) return live > 4;
  if (ga_chain_levels(st) > 1 || ga_widest_reduced(st) >= 8) return 1;
  for (unsigned int i = 0; i < st->nnode; i++)
    if (!(st->nodes[i].level & 1) && ga_dtypes[st->nodes[i].dtype].size >= 8 &&
        ga_needs_math(st, &st->nodes[i]))
      return 1;
  return 0;
}

/* Elements of 8 bytes leave a thread too few registers, and a multiprocessor too few warps,
 * where a warp has a chunk; narrower ones do not, although sums and quotients are float64. */
static int takes_halves(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                        const ga_target *target)
{
  unsigned int most = TEAM_HALVES / 2 * (target->cluster > 1 ? ga_chain_blocks(target) : 1);
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  ga_staging g;
  if (!ga_chain_is_wide(st) || !is_held_wide(st, live) || live > 4 * TEAM_WORDS || l->nr != 1 ||
      l->cls != GA_CLASS_ROWS)
    return 0;
  if (l->reduced <= CHUNK / 2 || l->reduced > (uint64_t)CHUNK * most) return 0;
  if (v->aligned && v->store_vec) return 1;
  return ga_chain_staged_operands(&g, v, st, l) &&
         ga_chain_staged_room(ceil_div(chunks, halves_cluster(chunks)), &g) <= target->shared;
}

/* Elements of a row that one warp is to hold: more than a chunk where a block of warps has them
 * as vectors, or stages them in little memory. (Aligned float32 of 1536 are as fast by two.) */
static uint64_t warp_row(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         const ga_target *target)
{
  uint64_t most = warp_chunks(st, live) > 1 ? PAIRED_ROW : WARP_ROW;
  if (is_held_wide(st, live)) return CHUNK;
  if (v->aligned && v->store_vec) return ga_widest_reduced(st) == 4 ? WARP_ALIGNED : WARP_ROW;
  return ga_chain_stages_warps(v, st, l, live, target) ? most : CHUNK;
}

/* Rows that are staged stay in shared memory where registers would take blocks that run together
 * to hold them, and shorter ones of 4 bytes an element. (Narrower ones would do functions again.)
 */
static int holds_staged(const ga_variant *v, const ga_stage *st, uint64_t chunks)
{
  return !v->halves &&
         (chunks > TEAM_CHUNKS || (ga_widest_reduced(st) == 4 && chunks >= HELD_CHUNKS));
}

static void choose_block(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         size_t held, const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  v->lanes = 5;
  v->fours = 8;
  if (chunks > CHUNKS_MAX && choose_long(v, st, l, live, target)) return;
  if (holds_staged(v, st, chunks) && ga_chain_hold_row(v, st, l, target)) return;
  if (choose_pairs(v, st, l, live, target)) return;
  v->cluster = v->halves ? halves_cluster(chunks) : blocks_of(chunks, live, target);
  v->held = v->cluster == 0;
  if (v->held) v->cluster = 1;
  v->threads = 32 * (v->held ? TEAM_CHUNKS : team_chunks(st, chunks));
  v->block = (v->halves ? 64 : 32) * (unsigned int)ceil_div(chunks, v->cluster);
  if (v->halves) v->threads = v->block;
  if (v->block > v->threads) v->block = v->threads;
  v->whole = l->reduced % ((uint64_t)CHUNK * v->cluster) == 0 ? 2 : l->reduced % 4 == 0;
  v->resident = ga_chain_resident(st, v->threads, v->halves ? 4 : 8, live);
  if (v->held) v->shared = (size_t)chunks * CHUNK * held;
  if (v->held && 2 * (v->shared + STATIC_SHARED) > target->shared) v->resident = 1;
  ga_chain_stage_block(v, st, l, target);
  v->grid = l->kept * v->cluster;
}

/* Rows of several axes whose fours are no vectors: those would be read and stored one by one. */
static int lies_in_parts(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->nr < 2) return 0;
  if (l->cls != GA_CLASS_ROWS || l->dims[inner] % 4 != 0) return 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && l->strides[i][inner] != 0 && !ga_rows_aligned(st, l, align, i, 4))
      return 1;
  return 0;
}

/* Boxes are better than what there is else, or there is nothing. */
static int takes_boxes(ga_variant *v, const ga_stage *st, const ga_layout *l,
                       const unsigned char *align, size_t live, size_t held, int abreast,
                       const ga_target *target)
{
  ga_variant columns = *v;
  if (ga_chain_columns_fit(st, l, align, target, live) && !abreast) {
    ga_chain_choose_columns(&columns, st, l, align, live, target);
    if (!ga_chain_is_few(&columns, st, l)) return 0;
  } else if (!lies_in_parts(st, l, align) && row_fits(st, l, align, target, live, held)) {
    return 0;
  }
  return ga_chain_boxes(v, st, l, live, target);
}

int ga_gen_chain_fits(const ga_stage *st, const ga_layout *l, const unsigned char *align,
                      const ga_target *target)
{
  size_t live, held;
  ga_variant v = {.bytes = ga_by_bytes(st, l, align)};
  return weigh(st, &live, &held) == GA_NO_ERROR &&
         (row_fits(st, l, align, target, live, held) ||
          ga_chain_columns_fit(st, l, align, target, live) ||
          ga_chain_boxes(&v, st, l, live, target));
}

/* Short rows of narrow elements, of which lanes would store vectors that are small parts of
 * sectors; in shared memory no more than two lanes ask the same bank. Those of 8 bytes whose fours
 * an end cuts, which are stored by elements; those of two, of which a warp has several that begin
 * within sectors. */
static int shares_sectors(const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest_reduced(st);
  uint64_t row = l->reduced * widest;
  if (widest == 8) return row <= SHARED_ROW && l->reduced % 4 != 0;
  if (widest == 2 && l->reduced > TINY_ROW && l->reduced <= SHORT_ROW)
    return row % SECTOR != 0 && !ga_chain_is_wide(st);
  return widest <= 2 && row <= SHARED_ROW && row % 16 != 0;
}

/* Rows beside each other whose lanes do. */
static int asks_few_banks(const ga_variant *v)
{
  return v->abreast == ABREAST_EIGHTS && v->lanes == 5;
}

int ga_variant_chain(ga_variant *v, const ga_stage *st, const ga_layout *l,
                     const unsigned char *align, const ga_target *target)
{
  unsigned int inner = l->nk + l->nr - 1;
  ga_variant w = {0};
  size_t live, held;
  int abreast;
  GA_TRY(weigh(st, &live, &held));
  if (v->iota && ga_has_keys(st)) live = STAGED_KEYS;
  abreast = ga_chain_abreast(&w, st, l, live, target) && !v->bytes;
  if (takes_boxes(v, st, l, align, live, held, abreast, target)) return GA_NO_ERROR;
  if ((!abreast || (asks_few_banks(&w) && ga_is_chain(st))) &&
      ga_chain_columns_fit(st, l, align, target, live)) {
    ga_chain_choose_columns(v, st, l, align, live, target);
    return GA_NO_ERROR;
  }
  if (!row_fits(st, l, align, target, live, held))
    return ga_error(GA_UNSUPPORTED_ERROR, "kernel: rows of %llu elements do not fit on chip",
                    (unsigned long long)l->reduced);
  v->skeleton = GA_SKEL_CHAIN;
  v->rows = 1;
  v->nk = ga_rank_bound(l->nk);
  v->nr = ga_rank_bound(l->nr);
  v->vec = 4;
  v->vector = v->aligned = v->store_vec = abreast || (l->cls == GA_CLASS_ROWS && !v->bytes);
  if (l->nr > 1 && l->dims[inner] % 4 != 0) v->aligned = v->store_vec = 0;
  v->moves = v->vector && l->nr == 1;
  v->falls = v->iota && l->iota_step[inner] < 0;
  for (unsigned int i = 0; i < st->noperand && v->vector; i++) {
    if (st->operands[i].outer) continue;
    if (l->strides[i][inner] == 0) {
      v->moves = 0;
      continue;
    }
    if (ga_rows_aligned(st, l, align, i, 4)) continue;
    if (st->operands[i].write)
      v->store_vec = 0;
    else
      v->aligned = 0;
  }
  if (ga_is_chain(st) && shares_sectors(st, l)) v->narrow = 1;
  v->team = 1;
  v->halves = takes_halves(v, st, l, live, target);
  v->team = v->halves || l->reduced > warp_row(v, st, l, live, target);
  if (!v->team) {
    choose_lanes(v, st, l, live, target);
  } else {
    choose_block(v, st, l, live, held, target);
  }
  if (!v->vector || (l->nr > 1 && l->dims[inner] % 4 != 0)) v->whole = 0;
  v->piece = ga_chain_piece(v, st, l, align);
  return GA_NO_ERROR;
}

/* argmin or argmax, and nothing else that asks for positions. */
static int is_place(const ga_stage *st)
{
  return st->nreduction == 1 && st->reductions[0].iota >= 0;
}

/* Rows of keys that would ask few banks are read as they lie, where they are vectors. Those of one
 * byte take as long to be joined as to be read: longer ones are as fast staged. */
static int keys_lie_well(const ga_variant *v, const ga_stage *st, uint64_t row)
{
  if (!v->iota || v->abreast || !ga_has_keys(st) || row % SECTOR != 0) return 0;
  return ga_widest_reduced(st) == 2 || row <= FEW_BANKS ||
         (row <= STAGED_ROW && row % LINE_BANKS == 0);
}

/* Elements of a row, or of one of rows abreast, at the most. Rows in order that begin at other
 * places of their vectors than what all of them are joined with are read there, which is by
 * elements, unless they are staged. */
static uint64_t longest(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const unsigned char *align)
{
  int narrow = ga_widest_reduced(st) <= 2;
  if (l->cls == GA_CLASS_ROWS && any_repeated(st, l) && !ga_stage_is_free(st) &&
      !lies_aligned(st, l, align))
    return CHUNK;
  if (l->cls == GA_CLASS_ROWS) return v->iota && narrow ? CHUNK : STAGED_ROW;
  if (l->cls == GA_CLASS_GATHER) return v->iota ? 0 : narrow ? CHUNK : STAGED_ROW;
  return CHUNK;
}

/* Rows that have steps are as fast read as they lie, but for such as are read by single elements:
 * of 4 bytes and more they are where they have steps alone. Of rows that lie apart short ones are,
 * if they are whole vectors or wide. */
static int stages_well(const ga_variant *w, const ga_stage *st, const ga_layout *l)
{
  size_t widest = ga_widest_reduced(st);
  if (l->cls == GA_CLASS_GATHER) return widest <= 2 || w->spread <= 1;
  if (w->spread != 0) return 0;
  if (w->by_row == 0) return 1;
  return l->reduced * widest % 16 == 0 ? l->reduced > 2 * APART_ROW
                                       : widest <= 2 || l->reduced > APART_ROW;
}

int ga_variant_staged(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const unsigned char *align, const ga_target *target)
{
  ga_variant w = *v;
  int narrow = ga_widest_reduced(st) <= 2;
  uint64_t row = l->reduced * ga_widest_reduced(st);
  size_t live, held;
  if (l->nr != 1 || l->reduced == 0 || v->bytes || ga_has_moment(st) ||
      (ga_narrows(st) && l->reduced < NARROW_ROW) || (v->iota && !is_place(st)))
    return 0;
  if (l->reduced > longest(v, st, l, align)) return 0;
  if (weigh(st, &live, &held) != GA_NO_ERROR || !row_fits(st, l, align, target, live, held))
    return 0;
  w.narrow = v->iota ? narrow || row % FEW_BANKS != 0 : narrow && row % 16 != 0;
  if (narrow && row <= REPEATED_ROW && any_repeated(st, l)) w.narrow = 1;
  if (ga_variant_chain(&w, st, l, align, target) != GA_NO_ERROR || w.staged == 0) return 0;
  if (!stages_well(&w, st, l)) return 0;
  if (asks_few_banks(&w)) return 0;
  if (keys_lie_well(&w, st, row)) {
    w = *v;
    if (ga_variant_chain(&w, st, l, align, target) != GA_NO_ERROR) return 0;
  }
  if (v->iota && w.staged != 0 && !w.abreast && w.lanes < 2 && row % LINE_BANKS == 0) return 0;
  w.by_bytes = w.staged != 0 && !w.team && ga_sums_bytes(st);
  *v = w;
  return 1;
}
