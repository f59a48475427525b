/* SPDX-License-Identifier: MIT */
/* Chains (codegen.h, ga_chain): which rows or columns fit on chip, and how a kernel holds
 * them (kernels/chain_rows.cu, kernels/chain_columns.cu). Short rows off vectors that are
 * reduced alone go the same way. */
#include <stdlib.h>
#include <string.h>

#include "variant.h"

#define CHUNK            1024        /* chain_rows.cu: GA_CHUNK */
#define SHORT_ROW        128         /* elements whose fours are those of a warp's lanes */
#define LANE_FOURS       4           /* of those for a lane */
#define CHUNKS_MAX       128         /* chain_rows.cu: GA_CHUNKS, what a warp joins */
#define TEAM_CHUNKS      16          /* warps of a block whose registers hold the row, ... */
#define TEAM_HALVES      8           /* warps, each of half a chunk */
#define TEAM_WORDS       2           /* ... and words an element of it has at the most */
#define WORDS_MAX        3           /* words of registers an element takes in any form */
#define OTHER            32          /* registers of a thread besides its elements, ... */
#define OTHER_WIDE       72          /* ... and where those are wide: a float64 exp takes 40 more */
#define STEP_MAX         2           /* elements from one of a row to the next */
#define ACC_MAX          64          /* bytes of an accumulator */
#define NARROW_ROW       8           /* shorter ones of whole numbers are as fast by elements */
#define STAGED_ROW       512         /* elements of a row that is reduced alone; STAGED_: ... */
#define STAGED_SIZE      8           /* bytes of an element, ... */
#define STAGED_REGISTERS 48          /* registers of its fours, ... */
#define TINY_ROW         16          /* bytes of rows of which a thread has ... */
#define TINY_ROWS        8           /* ... so many */
#define STAGED_KEYS      3           /* bytes of registers that an element of keys counts for */
#define STAGED_SHARED    (56 * 1024) /* and bytes of a block that are staged */
#define ABREAST_ROWS     31          /* more are walked as columns */
#define ABREAST_EIGHTS   4           /* ga_variant.abreast: rows of a warp ask the same banks */
#define FEW_BANKS        64          /* so do lanes whose rows are multiples of so many bytes */
#define LINE_BANKS       128         /* ... and all of many rows */
#define ABREAST_THREADS  1024        /* of a block that has them */
#define COLUMN_REGISTERS 32          /* of a lane's fours of a column, ... */
#define COLUMN_CHUNKS    4           /* chain_strips.cuh: GA_STRIPS */
#define COLUMN_NEAR      3           /* chain_columns.cu: GA_NEAR, log2 of lanes */
#define COLUMN_THREADS   1024        /* of a block at most, ... */
#define COLUMN_BYTES     128         /* ... which has no more than this of a row beyond 256 */
#define COLUMN_ACC       16          /* bytes of an accumulator: shared memory has one a thread */
#define COLUMN_FEW       (1 << 20)   /* elements that one kernel is faster for on any grid */
#define SECTOR           32
#define STATIC_SHARED    8192 /* of accumulators, and what the device keeps for itself */

int ga_is_chain(const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nstore && st->nreduction != 0; i++)
    if (!st->operands[st->stores[i].operand].outer) return 1;
  for (unsigned int i = 0; i < st->nreduction; i++)
    if (st->nodes[st->reductions[i].node].level > 0) return 1;
  return 0;
}

int ga_chain_levels(const ga_stage *st)
{
  int n = 0;
  for (unsigned int i = 0; i < st->nreduction; i++) {
    int level = st->nodes[st->reductions[i].node].level / 2 + 1;
    if (level > n) n = level;
  }
  return n;
}

int ga_chain_reads_make(ga_chain_reads *r, const ga_stage *st)
{
  size_t n = st->noperand + 1u;
  r->at = calloc(2 * n, sizeof *r->at);
  if (r->at == NULL) return ga_error_memory("kernel", 2 * n * sizeof *r->at);
  r->last = r->at + n;
  for (size_t i = 0; i < n; i++) r->at[i] = r->last[i] = -1;
  for (unsigned int i = 0; i < st->nnode; i++) {
    const ga_node *x = &st->nodes[i];
    if (x->op != GA_N_LOAD) continue;
    if (r->at[x->index] < 0 || r->at[x->index] > x->level / 2) r->at[x->index] = x->level / 2;
    if (r->last[x->index] < x->level / 2) r->last[x->index] = x->level / 2;
  }
  for (unsigned int i = 0; i < st->nstore; i++) {
    int to = st->stores[i].operand;
    r->at[to] =
        st->operands[to].outer ? st->nodes[st->stores[i].node].level / 2 : ga_chain_levels(st);
  }
  return GA_NO_ERROR;
}

void ga_chain_reads_clear(ga_chain_reads *r) { free(r->at); }

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

/* Elements are worked on in 8 bytes or more. */
static int is_wide(const ga_stage *st)
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
  return is_wide(st) && chunks <= TEAM_CHUNKS / 2 ? TEAM_CHUNKS / 2 : TEAM_CHUNKS;
}

/* Blocks whose registers hold a row: 1, or a power of two that the device lets share
 * their memory; 0 where shared memory is to hold it. */
static unsigned int blocks_of(uint64_t chunks, size_t live, const ga_target *target)
{
  unsigned int n = 1;
  if (live > 4 * TEAM_WORDS) return 0;
  while ((uint64_t)n * TEAM_CHUNKS < chunks) n *= 2;
  return n == 1 || n <= target->cluster ? n : 0;
}

/* Neighbours of a row lie close together in everything that is walked along it. */
static int walks_rows(const ga_stage *st, const ga_layout *l)
{
  unsigned int inner = l->nk + l->nr - 1;
  if (l->cls != GA_CLASS_ROWS && l->cls != GA_CLASS_GATHER) return 0;
  for (unsigned int i = 0; i < st->noperand && l->nr > 0; i++) {
    ssize_t step = l->strides[i][inner], size = ga_dtypes[st->operands[i].dtype].size;
    if (!st->operands[i].outer && (step > STEP_MAX * size || step < -STEP_MAX * size)) return 0;
  }
  return 1;
}

/* Blocks of `threads` that a multiprocessor is to have room for: what a thread holds,
 * in registers of 4 bytes, and what else it needs, bounds them. */
static unsigned int resident(const ga_stage *st, unsigned int threads, size_t fours, size_t live)
{
  size_t n = (is_wide(st) ? OTHER_WIDE : OTHER) + fours * live;
  size_t most = n <= 64 ? 1024 : n <= 80 ? 768 : n <= 128 ? 512 : 256;
  return threads < most ? (unsigned int)(most / threads) : 1;
}

/* ---- by way of shared memory (kernels/chain_staged.cuh) ------------------------- */

/* Rows of operand i have no gaps. */
static int is_dense(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t size = ga_dtypes[st->operands[i].dtype].size;
  return size <= STAGED_SIZE && l->strides[i][l->nk] == size;
}

/* Nor does it between them. */
static int is_packed(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t row = (ssize_t)(ga_dtypes[st->operands[i].dtype].size * l->dims[l->nk]);
  return is_dense(st, l, i) && (l->nk == 0 || l->strides[i][0] == row);
}

/* Or it is one row, or the same all along each. */
static int is_same_for_all(const ga_layout *l, unsigned int i)
{
  int rows = 0;
  for (unsigned int k = 0; k < l->nk; k++) rows |= l->strides[i][k] != 0;
  return !rows || l->strides[i][l->nk] == 0;
}

/* Operands that are staged, and bytes that an element of a row takes so; 0 if some
 * can neither be staged nor read as it is. A block of one row asks no more of rows
 * than to be without gaps. */
static uint64_t staged_operands(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                                size_t *bytes)
{
  size_t size[2] = {0, 0};
  uint64_t set = 0;
  if ((v->aligned && v->store_vec && !v->narrow) || !v->vector || l->nr != 1 || st->noperand > 64)
    return 0;
  if (!v->team && l->nk > 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    if (o->outer) continue;
    if (v->team ? is_dense(st, l, i) : is_packed(st, l, i)) {
      set |= (uint64_t)1 << i;
      size[o->write] += ga_dtypes[o->dtype].size;
    } else if (o->write || !is_same_for_all(l, i)) {
      return 0;
    }
  }
  *bytes = size[size[1] > size[0]];
  return set;
}

static void stage_rows(ga_variant *v, uint64_t set, size_t shared)
{
  v->staged = set;
  v->shared = shared;
  v->aligned = v->store_vec = 0;
}

/* Rows of a middle axis, which lie beside each other: operands are staged as they are, or are
 * the same for all rows, or do not move along them. */
static uint64_t abreast_operands(const ga_stage *st, const ga_layout *l, size_t *bytes)
{
  size_t area[2] = {0, 0};
  uint64_t set = 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    ssize_t size = ga_dtypes[o->dtype].size, beside = (ssize_t)l->dims[1] * size;
    const ssize_t *step = l->strides[i];
    if (o->outer) continue;
    if (size <= STAGED_SIZE && step[1] == size && step[2] == beside &&
        step[0] == beside * (ssize_t)l->dims[2]) {
      set |= (uint64_t)1 << i;
      area[o->write] += (size_t)size;
    } else if (o->write || !is_same_for_all(l, i) || (step[2] != 0 && step[2] != size)) {
      return 0;
    }
  }
  *bytes = area[area[1] > area[0]];
  return set;
}

/* Rows of a thread: very short ones would leave blocks too little to copy. */
static int rows_of(const ga_stage *st, const ga_layout *l)
{
  for (unsigned int i = 0; i < st->nstore; i++)
    if (!st->operands[st->stores[i].operand].outer) return 1;
  return l->reduced * ga_widest_reduced(st) <= TINY_ROW ? TINY_ROWS : 1;
}

/* Few lanes of few registers each, and groups of rows in little memory; returns 0 where rows
 * are not such, or too large. */
static int rows_abreast(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                        const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), beside, each, groups, threads, set;
  uint64_t rows = (uint64_t)rows_of(st, l);
  unsigned int lanes = 0;
  size_t bytes, room;
  if (l->cls != GA_CLASS_COLUMNS || l->nk != 2 || l->nr != 1 || st->noperand > 64) return 0;
  if (l->reduced > CHUNK || l->dims[1] > ABREAST_ROWS) return 0;
  beside = l->dims[1];
  if ((set = abreast_operands(st, l, &bytes)) == 0) return 0;
  for (;; lanes++) {
    each = ceil_div(fours, (uint64_t)1 << lanes);
    groups = (GA_BLOCK >> lanes) / beside;
    if (groups == 0) groups = 1;
    room =
        (size_t)beside * ((size_t)(groups * rows - 1) * l->reduced + (size_t)each * (4u << lanes)) +
        47;
    room = room / 16 * 16 * bytes;
    if (lanes == 5 || (each * live <= STAGED_REGISTERS && room <= STAGED_SHARED)) break;
  }
  threads = (groups * beside << lanes) + 31;
  if (2 * (room + STATIC_SHARED) > target->shared || threads / 32 * 32 > ABREAST_THREADS) return 0;
  stage_rows(v, set, room);
  v->lanes = lanes;
  v->abreast = beside % 8 == 0 ? ABREAST_EIGHTS : beside % 4 == 0 ? 3 : beside % 2 == 0 ? 2 : 1;
  v->block = (unsigned int)(threads / 32 * 32);
  v->threads = v->block <= GA_BLOCK ? GA_BLOCK : ABREAST_THREADS;
  v->rows = (int)rows;
  v->grid = ceil_div(l->dims[0], groups * rows);
  return 1;
}

static int row_fits(const ga_stage *st, const ga_layout *l, const ga_target *target, size_t live,
                    size_t held)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  ga_variant v = {0};
  if (!walks_rows(st, l) && !rows_abreast(&v, st, l, live, target)) return 0;
  if (l->kept == 0 || l->kept > GA_GRID_MAX / 8) return 0;
  if (chunks == 0 || chunks > CHUNKS_MAX) return 0;
  if (ga_acc_size(st) > ACC_MAX || live > 4 * WORDS_MAX) return 0;
  return chunks == 1 || blocks_of(chunks, live, target) != 0 ||
         chunks * CHUNK * held + STATIC_SHARED <= target->shared;
}

/* Lanes that hold a row in few registers, and rows of a block in little memory. */
static void stage_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                        const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), set, each, rows = (uint64_t)rows_of(st, l);
  unsigned int lanes = 0;
  size_t bytes, room;
  if ((set = staged_operands(v, st, l, &bytes)) == 0) return;
  for (;; lanes++) {
    each = ceil_div(fours, (uint64_t)1 << lanes);
    room = ((rows * GA_BLOCK >> lanes) - 1) * l->reduced + (size_t)each * (4u << lanes) + 47;
    room = room / 16 * 16 * bytes;
    if (lanes == 5 || (each * live <= STAGED_REGISTERS && room <= STAGED_SHARED)) break;
  }
  if (2 * (room + STATIC_SHARED) > target->shared) return;
  stage_rows(v, set, room);
  v->lanes = lanes;
  v->rows = (int)rows;
}

/* Shared memory of a block with so many chunks in it, all that it has included. */
static size_t staged_room(uint64_t chunks, size_t bytes)
{
  return ((size_t)chunks * CHUNK + 16) * bytes + STATIC_SHARED;
}

static void stage_block(ga_variant *v, const ga_stage *st, const ga_layout *l,
                        const ga_target *target)
{
  size_t bytes, room;
  uint64_t set = v->held ? 0 : staged_operands(v, st, l, &bytes);
  if (set == 0) return;
  room = staged_room(v->block / (v->halves ? 64 : 32), bytes);
  if (room <= target->shared) stage_rows(v, set, room - STATIC_SHARED);
}

/* Some lanes for a row: four fours each, of longer rows eight. */
static void choose_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), most = l->reduced <= SHORT_ROW ? LANE_FOURS : 8;
  v->cluster = 1;
  v->threads = v->block = GA_BLOCK;
  if (v->vector && !rows_abreast(v, st, l, live, target)) stage_lanes(v, st, l, live, target);
  if (v->staged == 0) v->lanes = 0;
  while (v->staged == 0 && ((uint64_t)most << v->lanes) < fours) v->lanes++;
  v->fours = (int)ceil_div(fours, (uint64_t)1 << v->lanes);
  v->whole = (uint64_t)v->fours * (4u << v->lanes) == l->reduced ? 2 : l->reduced % 4 == 0;
  v->resident = resident(st, v->threads, (size_t)v->fours, live);
  if (!v->abreast) v->grid = ceil_div(l->kept << v->lanes, GA_BLOCK * (uint64_t)v->rows);
}

/* Blocks of a row whose chunks have two warps each. */
static unsigned int halves_cluster(uint64_t chunks)
{
  return (unsigned int)ceil_div(chunks, TEAM_HALVES / 2);
}

/* Elements of 8 bytes leave a thread too few registers, and a multiprocessor too few warps,
 * where a warp has a chunk. */
static int takes_halves(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                        const ga_target *target)
{
  unsigned int most = TEAM_HALVES / 2 * (target->cluster > 1 ? target->cluster : 1);
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  size_t bytes;
  if (!is_wide(st) || live > 4 * TEAM_WORDS || l->nr != 1 || l->cls != GA_CLASS_ROWS) return 0;
  if (l->reduced <= CHUNK / 2 || l->reduced > (uint64_t)CHUNK * most) return 0;
  if (v->aligned && v->store_vec) return 1;
  return staged_operands(v, st, l, &bytes) != 0 &&
         staged_room(ceil_div(chunks, halves_cluster(chunks)), bytes) <= target->shared;
}

static void choose_block(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         size_t held, const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK);
  v->lanes = 5;
  v->fours = 8;
  v->cluster = v->halves ? halves_cluster(chunks) : blocks_of(chunks, live, target);
  v->held = v->cluster == 0;
  if (v->held) v->cluster = 1;
  v->threads = 32 * (v->held ? TEAM_CHUNKS : team_chunks(st, chunks));
  v->block = (v->halves ? 64 : 32) * (unsigned int)ceil_div(chunks, v->cluster);
  if (v->halves) v->threads = v->block;
  if (v->block > v->threads) v->block = v->threads;
  v->whole = l->reduced % ((uint64_t)CHUNK * v->cluster) == 0 ? 2 : l->reduced % 4 == 0;
  v->resident = resident(st, v->threads, v->halves ? 4 : 8, live);
  if (v->held) v->shared = (size_t)chunks * CHUNK * held;
  if (v->held && 2 * (v->shared + STATIC_SHARED) > target->shared) v->resident = 1;
  stage_block(v, st, l, target);
  v->grid = l->kept * v->cluster;
}

/* ---- columns (kernels/chain_columns.cu) -------------------------------------------- */

/* Log2 of the lanes that hold so many registers; 8 hold twice what others do, as 16 leave
 * a block fewer columns than fill a line of memory. */
static unsigned int column_lanes(uint64_t registers)
{
  unsigned int lanes = 0;
  while (lanes < 5 && registers > (uint64_t)COLUMN_REGISTERS << lanes) lanes++;
  return lanes == 4 ? 3 : lanes;
}

/* Blocks of as many lanes, and registers of a lane, as shorter columns have, and as many columns
 * as fill a line, that together have long ones. */
static void share_columns(ga_variant *v, size_t live, uint64_t fours, uint64_t chunks,
                          const ga_target *target)
{
  uint64_t most = fours < CHUNK / 4 ? fours : CHUNK / 4, blocks;
  unsigned int lanes = most * live > (uint64_t)COLUMN_REGISTERS << (COLUMN_NEAR + 2) ? 5 : 4;
  blocks = chunks << (lanes - COLUMN_NEAR);
  if (blocks > target->cluster) return;
  v->cluster = (unsigned int)blocks;
  v->lanes = lanes;
  v->fours = (int)ceil_div(most, (uint64_t)1 << lanes);
  v->across = GA_BLOCK >> COLUMN_NEAR;
  v->threads = v->block = GA_BLOCK;
}

/* Lanes of a column, fours of a lane, columns and threads of a block: sectors of memory
 * at the least, four of them where lanes are few. Returns 0 if columns are too long or a
 * block's part of a row is less than a sector. */
static int shape_columns(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                         const ga_target *target)
{
  uint64_t fours = ceil_div(l->reduced, 4), chunks = ceil_div(l->reduced, CHUNK);
  size_t widest = 1;
  unsigned int most;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && ga_dtypes[st->operands[i].dtype].size > widest)
      widest = ga_dtypes[st->operands[i].dtype].size;
  v->team = chunks > 1;
  v->lanes = v->team ? 5 : column_lanes(fours * live);
  v->fours = v->team ? 8 : (int)ceil_div(fours, (uint64_t)1 << v->lanes);
  most = is_wide(st) ? COLUMN_THREADS / 2 : COLUMN_THREADS;
  for (v->across = GA_BLOCK; v->across > 1; v->across /= 2) {
    uint64_t threads = ((uint64_t)v->across << v->lanes) * (v->team ? chunks : 1);
    if (threads <= GA_BLOCK) break;
    if (threads <= most && (size_t)v->across * widest <= COLUMN_BYTES) break;
  }
  v->cluster = 1;
  if (v->lanes == 5 && !is_wide(st)) share_columns(v, live, fours, chunks, target);
  if (v->cluster > 1) return 1;
  v->threads =
      (unsigned int)((unsigned int)v->across << v->lanes) * (unsigned int)(v->team ? chunks : 1);
  v->block = v->threads;
  return chunks <= COLUMN_CHUNKS && (size_t)v->across * widest >= SECTOR;
}

/* Columns lie side by side, and there are blocks enough, or little to do. */
static int columns_fit(const ga_stage *st, const ga_layout *l, const ga_target *target, size_t live)
{
  ga_variant v = {0};
  unsigned int inner = l->nk - 1;
  if (l->cls != GA_CLASS_COLUMNS || l->nr != 1 || l->kept == 0 || l->kept > GA_GRID_MAX / 8)
    return 0;
  if (ga_acc_size(st) > COLUMN_ACC || live > 4 * TEAM_WORDS) return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    ssize_t step = l->strides[i][inner], size = ga_dtypes[st->operands[i].dtype].size;
    if (!st->operands[i].outer && (step > STEP_MAX * size || step < -STEP_MAX * size)) return 0;
  }
  if (!shape_columns(&v, st, l, live, target)) return 0;
  return l->kept / l->dims[inner] * ceil_div(l->dims[inner], (uint64_t)v.across) * v.cluster >=
             target->nproc ||
         l->kept * l->reduced <= COLUMN_FEW;
}

int ga_gen_chain_fits(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  size_t live, held;
  return weigh(st, &live, &held) == GA_NO_ERROR &&
         (row_fits(st, l, target, live, held) || columns_fit(st, l, target, live));
}

static void choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                           const ga_target *target)
{
  uint64_t inner = l->dims[l->nk - 1];
  shape_columns(v, st, l, live, target);
  v->skeleton = GA_SKEL_CHAIN_COLUMNS;
  v->nk = ga_rank_bound(l->nk - 1);
  v->nr = 1;
  v->whole =
      (uint64_t)v->fours * (4u << v->lanes) == l->reduced || (v->team && l->reduced % CHUNK == 0)
          ? 2
          : l->reduced % 4 == 0;
  v->resident = resident(st, v->threads, (size_t)v->fours + 2, live);
  v->tiles = ceil_div(inner, (uint64_t)v->across);
  v->grid = l->kept / inner * v->tiles * v->cluster;
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
  abreast = rows_abreast(&w, st, l, live, target) && !v->bytes;
  if (!abreast && columns_fit(st, l, target, live)) {
    choose_columns(v, st, l, live, target);
    return GA_NO_ERROR;
  }
  if (!row_fits(st, l, target, live, held))
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
  v->team = 1;
  v->halves = takes_halves(v, st, l, live, target);
  if (l->reduced <= CHUNK && !v->halves) {
    v->team = 0;
    choose_lanes(v, st, l, live, target);
  } else {
    choose_block(v, st, l, live, held, target);
  }
  if (!v->vector || l->nr > 1) v->whole = 0;
  return GA_NO_ERROR;
}

/* argmin or argmax, and nothing else that asks for positions. */
static int is_place(const ga_stage *st)
{
  return st->nreduction == 1 && st->reductions[0].iota >= 0;
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
  if (l->cls == GA_CLASS_ROWS ? l->reduced > (v->iota && narrow ? CHUNK : STAGED_ROW)
                              : l->cls != GA_CLASS_COLUMNS || l->reduced > CHUNK)
    return 0;
  if (weigh(st, &live, &held) != GA_NO_ERROR || !row_fits(st, l, target, live, held)) return 0;
  w.narrow = v->iota ? narrow || row % FEW_BANKS != 0 : narrow && row % 16 != 0;
  if (ga_variant_chain(&w, st, l, align, target) != GA_NO_ERROR || w.staged == 0) return 0;
  if (w.abreast == ABREAST_EIGHTS && w.lanes == 5) return 0;
  if (v->iota && !w.abreast && w.lanes < 2 && row % LINE_BANKS == 0) return 0;
  *v = w;
  return 1;
}
