/* SPDX-License-Identifier: MIT */
/* Chains along columns (kernels/chain_columns.cu): which fit on chip, and the lanes, columns and
 * threads of a block. */
#include "variant_chain.h"

#define COLUMN_REGISTERS 32        /* of a lane's fours of a column, ... */
#define COLUMN_CHUNKS    4         /* chain_strips.cuh: GA_STRIPS */
#define COLUMN_NEAR      3         /* chain_columns.cu: GA_NEAR, log2 of lanes */
#define COLUMN_THREADS   1024      /* of a block at most, ... */
#define COLUMN_BYTES     128       /* ... which has no more than this of a row beyond 256 */
#define COLUMN_ACC       16        /* bytes of an accumulator: shared memory has one a thread */
#define COLUMN_FEW       (1 << 20) /* elements that one kernel is faster for on any grid */
#define SECTOR           32

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
  most = ga_chain_is_wide(st) ? COLUMN_THREADS / 2 : COLUMN_THREADS;
  for (v->across = GA_BLOCK; v->across > 1; v->across /= 2) {
    uint64_t threads = ((uint64_t)v->across << v->lanes) * (v->team ? chunks : 1);
    if (threads <= GA_BLOCK) break;
    if (threads <= most && (size_t)v->across * widest <= COLUMN_BYTES) break;
  }
  v->cluster = 1;
  if (v->lanes == 5 && !ga_chain_is_wide(st)) share_columns(v, live, fours, chunks, target);
  if (v->cluster > 1) return 1;
  v->threads =
      (unsigned int)((unsigned int)v->across << v->lanes) * (unsigned int)(v->team ? chunks : 1);
  v->block = v->threads;
  return chunks <= COLUMN_CHUNKS && (size_t)v->across * widest >= SECTOR;
}

int ga_chain_columns_fit(const ga_stage *st, const ga_layout *l, const ga_target *target,
                         size_t live)
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

void ga_chain_choose_columns(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
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
  v->resident = ga_chain_resident(st, v->threads, (size_t)v->fours + 2, live);
  v->tiles = ceil_div(inner, (uint64_t)v->across);
  v->grid = l->kept / inner * v->tiles * v->cluster;
}
