/* SPDX-License-Identifier: MIT */
/* Chains of rows that go by way of shared memory (kernels/chain_staged.cuh): which operands are
 * copied there, and how many rows a block has. */
#include <stdlib.h>

#include "variant_chain.h"

#define STAGED_SIZE      8           /* bytes of an element, at the most, ... */
#define STAGED_REGISTERS 48          /* registers of its fours, ... */
#define TINY_ROW         16          /* bytes of rows of which a thread has ... */
#define TINY_ROWS        8           /* ... at most so many, ... */
#define TINY_MAPPED      128         /* ... of so many bytes where there are results of them, ... */
#define TINY_BLOCKS      4           /* ... so that a multiprocessor has as many blocks */
#define STAGED_SHARED    (56 * 1024) /* and bytes of a block that are staged */
#define HELD_SHARED      (64 * 1024) /* of a block that holds a row, or a part, if it may, ... */
#define HELD_WARPS       8           /* with so many warps at most, ... */
#define HELD_BLOCKS      4           /* of which a multiprocessor has so many: of fewer more */
#define HELD_HALVES      (81 * 1024) /* parts that are not better halved, if more blocks may */
#define HELD_PLACES      6144        /* bytes of accumulators of the longest rows */
#define HELD_MANY        512         /* chunks that more blocks than eight have at most */
#define VECTOR           16          /* bytes that are copied together */
#define APART_MOST       3           /* operands whose rows are copied one by one */
#define ABREAST_ROWS     31          /* more are walked as columns; ... */
#define ABREAST_ALONE    255         /* ... of a reduction alone, more than these, ... */
#define ABREAST_NARROW   4           /* ... or such as are multiples of this, of 2 bytes */
#define CUT_ROW          64          /* elements of cut rows of several axes that are a chain ... */
#define CUT_LEVELS       128         /* ... of one level, or of more */
#define ABREAST_THREADS  1024        /* of a block that has them */

/* Elements from one of a row of operand i to the next: 1 or -1, or where others lie between 2 or
 * -2; else 0. */
static int step_of(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t size = ga_dtypes[st->operands[i].dtype].size, step = l->strides[i][l->nk];
  return size <= STAGED_SIZE && step % size == 0 && is_near(st, l, i, l->nk) ? (int)(step / size)
                                                                             : 0;
}

/* Rows follow each other without a gap, as they are numbered. */
static int is_packed(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t row = (ssize_t)(ga_dtypes[st->operands[i].dtype].size * l->dims[l->nk]);
  for (unsigned int k = l->nk; k-- > 0; row *= (ssize_t)l->dims[k])
    if (l->strides[i][k] != row) return 0;
  return 1;
}

/* All rows are one, or each has one value. */
static int is_same_for_all(const ga_layout *l, unsigned int i)
{
  int rows = 0;
  for (unsigned int k = 0; k < l->nk; k++) rows |= l->strides[i][k] != 0;
  return !rows || l->strides[i][l->nk] == 0;
}

size_t ga_chain_slack(size_t least) { return ceil_div(46, least); }

/* Rows that lie end to end are staged as they do; but such as go backwards are read by elements,
 * which would ask few banks if rows were vectors. */
static int is_apart(const ga_stage *st, const ga_layout *l, unsigned int i, int step)
{
  if (!is_packed(st, l, i)) return 1;
  return step != 1 && (step != -1 || size_of(st, i) * l->dims[l->nk] % VECTOR == 0);
}

/* Adds operand i; returns 0 where it can neither be staged nor read as it is. */
static int stage_operand(ga_staging *g, size_t *size, const ga_variant *v, const ga_stage *st,
                         const ga_layout *l, unsigned int i)
{
  const ga_operand *o = &st->operands[i];
  int step = step_of(st, l, i), apart = !v->team && is_apart(st, l, i, step);
  size_t bytes = ga_dtypes[o->dtype].size;
  if (o->write ? step != 1 && step != -1 : step == 0) return !o->write && l->strides[i][l->nk] == 0;
  if (step != 1 && abs(step) > g->spread) g->spread = abs(step);
  if (abs(step) == 1 && is_repeated(st, l, i) && (!v->team || is_same_for_all(l, i))) {
    g->repeats |= (uint64_t)1 << i;
    return 1;
  }
  g->set |= (uint64_t)1 << i;
  size[o->write] += bytes;
  if (bytes < g->least) g->least = bytes;
  if (apart) g->apart |= (uint64_t)1 << i;
  g->napart += (unsigned int)apart;
  return 1;
}

int ga_chain_staged_operands(ga_staging *g, const ga_variant *v, const ga_stage *st,
                             const ga_layout *l)
{
  size_t size[2] = {0, 0};
  *g = (ga_staging){.least = STAGED_SIZE};
  if ((v->aligned && v->store_vec && !v->narrow) || v->bytes || l->nr != 1 || st->noperand > 64)
    return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (!st->operands[i].outer && !stage_operand(g, size, v, st, l, i)) return 0;
  if (g->napart > APART_MOST || (v->held && g->spread != 0)) return 0;
  g->bytes = size[!v->held && size[1] > size[0]];
  g->all = size[0] + size[1];
  return g->set != 0;
}

static void stage_rows(ga_variant *v, const ga_staging *g, size_t shared)
{
  v->staged = g->set;
  v->by_row = g->apart;
  v->spread = g->spread;
  v->shared = shared;
  v->aligned = v->store_vec = 0;
}

/* Rows of a middle axis, which lie beside each other: operands are staged as they are, or are
 * the same for all rows, or do not move along them. */
static int abreast_operands(ga_staging *g, const ga_stage *st, const ga_layout *l)
{
  size_t area[2] = {0, 0};
  *g = (ga_staging){.least = STAGED_SIZE};
  for (unsigned int i = 0; i < st->noperand; i++) {
    const ga_operand *o = &st->operands[i];
    ssize_t size = ga_dtypes[o->dtype].size, beside = (ssize_t)l->dims[1] * size;
    const ssize_t *step = l->strides[i];
    if (o->outer) continue;
    if (size <= STAGED_SIZE && step[1] == size && step[2] == beside &&
        step[0] == beside * (ssize_t)l->dims[2]) {
      g->set |= (uint64_t)1 << i;
      area[o->write] += (size_t)size;
    } else if (o->write || !is_same_for_all(l, i) || (step[2] != 0 && step[2] != size)) {
      return 0;
    }
  }
  g->bytes = area[area[1] > area[0]];
  g->all = area[0] + area[1];
  return g->set != 0;
}

/* Rows beside each other are not better walked as columns. */
static int are_few(const ga_stage *st, uint64_t beside)
{
  size_t widest = ga_widest_reduced(st);
  if (beside <= ABREAST_ROWS) return 1;
  if (ga_is_chain(st) || st->reductions[0].iota >= 0 || beside > ABREAST_ALONE) return 0;
  return widest > 2 || (widest == 2 && beside % ABREAST_NARROW != 0);
}

/* Rows of a thread: very short ones would leave blocks too little to copy, and what all rows have
 * is read and taken apart once, where there are blocks enough. */
static uint64_t rows_of(const ga_staging *g, const ga_stage *st, const ga_layout *l,
                        unsigned int lanes, const ga_target *target)
{
  uint64_t row = l->reduced * ga_widest_reduced(st), rows = row <= TINY_ROW ? TINY_ROWS : 1;
  int maps = 0;
  if (g->apart != 0) return 1;
  for (unsigned int i = 0; i < st->nstore; i++) maps |= !st->operands[st->stores[i].operand].outer;
  if (!maps && g->repeats != 0) rows = TINY_ROWS;
  if (maps)
    for (rows = TINY_ROWS; rows > 1 && rows * row > TINY_MAPPED;) rows /= 2;
  while (rows > 1 && (l->kept << lanes) / (GA_BLOCK * rows) < (uint64_t)TINY_BLOCKS * target->nproc)
    rows /= 2;
  return rows;
}

/* Two blocks a multiprocessor, of STAGED_SHARED at most. */
static int is_little(size_t room, const ga_target *target)
{
  return room <= STAGED_SHARED && 2 * (room + STATIC_SHARED) <= target->shared;
}

/* How a block is shared out: 2^lanes lanes a row, `groups` of rows that lie beside each other,
 * `rows` times over, in `room` bytes. */
typedef struct sharing {
  unsigned int lanes;
  uint64_t groups, rows;
  size_t room;
} sharing;

/* Few lanes of few registers each, and little memory; returns 0 where it is too much. */
static int share_block(sharing *s, const ga_staging *g, const ga_stage *st, const ga_layout *l,
                       size_t live, uint64_t beside, const ga_target *target)
{
  uint64_t apart =
      (l->reduced - 1) * (g->spread > 1 ? (uint64_t)g->spread : 1) + 1 + ga_chain_slack(g->least);
  for (s->lanes = 0;; s->lanes++) {
    uint64_t each = ceil_div(ceil_div(l->reduced, 4), (uint64_t)1 << s->lanes);
    s->groups = (GA_BLOCK >> s->lanes) / beside;
    if (s->groups == 0) s->groups = 1;
    if (s->lanes == 0 || g->repeats != 0) s->rows = rows_of(g, st, l, s->lanes, target);
    for (;; s->rows /= 2) {
      s->room = beside * ((s->groups * s->rows - 1) * l->reduced + (each << s->lanes) * 4) + 47;
      if (g->apart != 0) s->room = s->groups * apart + (each << s->lanes) * 4 + 47;
      s->room = s->room / 16 * 16 * (s->rows > 1 ? g->all : g->bytes);
      if (s->rows == 1 || is_little(s->room, target)) break;
    }
    if (s->lanes == 5 || (each * live <= STAGED_REGISTERS && s->room <= STAGED_SHARED)) break;
  }
  return 2 * (s->room + STATIC_SHARED) <= target->shared;
}

int ga_chain_abreast(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                     const ga_target *target)
{
  uint64_t beside, threads;
  ga_staging g;
  sharing s;
  if (l->cls != GA_CLASS_COLUMNS || l->nk != 2 || l->nr != 1 || st->noperand > 64) return 0;
  beside = l->dims[1];
  if (l->reduced > CHUNK || !are_few(st, beside)) return 0;
  if (!abreast_operands(&g, st, l)) return 0;
  if (!share_block(&s, &g, st, l, live, beside, target)) return 0;
  threads = ((s.groups * beside << s.lanes) + 31) / 32 * 32;
  if (threads > ABREAST_THREADS) return 0;
  stage_rows(v, &g, s.room);
  v->lanes = s.lanes;
  v->abreast = beside % 8 == 0 ? ABREAST_EIGHTS : beside % 4 == 0 ? 3 : beside % 2 == 0 ? 2 : 1;
  v->block = (unsigned int)threads;
  v->threads = v->block <= GA_BLOCK ? GA_BLOCK : ABREAST_THREADS;
  v->rows = (int)s.rows;
  v->grid = ceil_div(l->dims[0], s.groups * s.rows);
  return 1;
}

int ga_chain_piece(const ga_variant *v, const ga_stage *st, const ga_layout *l,
                   const unsigned char *align)
{
  int piece = l->reduced % 4 == 0 ? 4 : l->reduced % 2 == 0 ? 2 : 1;
  if (v->staged == 0 || v->abreast || v->halves || v->spread != 0) return 1;
  if (ga_widest_reduced(st) > 4) return 1;
  for (unsigned int i = 0; i < st->noperand; i++)
    while (v->staged >> i & 1 && piece > 1 && !ga_rows_aligned(st, l, align, i, piece)) piece /= 2;
  return piece;
}

/* Log2 of the rows between those of neighbouring teams of a warp: where the fewest of its lanes
 * ask the same bank for the first elements of their fours. (Rows apart lie on odd vectors.) */
static unsigned int space_rows(const ga_stage *st, const ga_layout *l, unsigned int lanes)
{
  size_t size = ga_widest_reduced(st), word = size < 8 ? 4 : 8;
  unsigned int bits = 8 - lanes, best = 0, least = 33;
  for (unsigned int spaced = 0; spaced < bits; spaced++) {
    unsigned char asked[32] = {0};
    unsigned int most = 0;
    for (unsigned int t = 0; t < 128 / word; t++) {
      unsigned int team = t >> lanes, bank;
      uint64_t row = ((team << spaced) | (team >> (bits - spaced))) & ((1u << bits) - 1);
      bank = (row * l->reduced + 4 * (t & ((1u << lanes) - 1))) * size % 128 / word;
      if (++asked[bank] > most) most = asked[bank];
    }
    if (most < least) best = spaced;
    if (most < least) least = most;
  }
  return best;
}

void ga_chain_stage_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target)
{
  ga_staging g;
  sharing s;
  if (!ga_chain_staged_operands(&g, v, st, l)) return;
  if (!share_block(&s, &g, st, l, live, 1, target)) return;
  stage_rows(v, &g, s.room);
  v->lanes = s.lanes;
  v->rows = (int)s.rows;
  if (v->rows > 1) v->repeats = g.repeats;
  if (g.apart == 0) v->spaced = space_rows(st, l, s.lanes);
}

int ga_chain_stages_warps(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target)
{
  ga_variant w = *v;
  ga_staging g;
  sharing s;
  w.team = 0;
  return ga_chain_staged_operands(&g, &w, st, l) && share_block(&s, &g, st, l, live, 1, target) &&
         is_little(s.room, target);
}

size_t ga_chain_staged_room(uint64_t chunks, const ga_staging *g)
{
  size_t spread = g->spread > 1 ? (size_t)g->spread : 1;
  return ((size_t)chunks * CHUNK * spread + 16) * g->bytes + STATIC_SHARED;
}

void ga_chain_stage_block(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target)
{
  ga_staging g;
  size_t room;
  if (v->held || !ga_chain_staged_operands(&g, v, st, l)) return;
  room = ga_chain_staged_room(v->block / (v->halves ? 64 : 32), &g);
  if (room <= target->shared) stage_rows(v, &g, room - STATIC_SHARED);
}

/* A multiprocessor has room for two blocks of half as many chunks. */
static int fits_twice(uint64_t chunks, const ga_staging *g, const ga_target *target)
{
  return 2 * ga_chain_staged_room(ceil_div(chunks, 2), g) <= target->shared;
}

int ga_chain_hold_row(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), each;
  int many = chunks > CHUNKS_MAX && chunks <= HELD_MANY;
  unsigned int warps = HELD_WARPS, most = many ? target->cluster : ga_chain_blocks(target);
  ga_variant w = *v;
  ga_staging g;
  size_t room;
  w.held = 1;
  if (chunks > CHUNKS_MAX) w.aligned = 0; /* vectors or not */
  if (!ga_chain_staged_operands(&g, &w, st, l)) return 0;
  for (w.cluster = 1;; w.cluster *= 2) {
    each = ceil_div(chunks, w.cluster);
    room = ga_chain_staged_room(each, &g);
    if (room <= (w.cluster < CLUSTER_MOST ? HELD_SHARED : HELD_HALVES)) break;
    if (2 * w.cluster > most || (w.cluster == CLUSTER_MOST && !fits_twice(each, &g, target))) break;
  }
  if (room > target->shared) return 0;
  w.places = chunks > CHUNKS_MAX ? (unsigned int)pow2_ceil(chunks) : CHUNKS_MAX;
  stage_rows(&w, &g, room - STATIC_SHARED);
  w.resident = ga_chain_is_wide(st) ? HELD_BLOCKS / 2 : HELD_BLOCKS;
  warps *= w.resident;
  if (room > HELD_SHARED && w.resident * room > target->shared)
    w.resident = (unsigned int)(target->shared / room);
  warps /= w.resident;
  if (chunks > CHUNKS_MAX && (warps > 2 * HELD_WARPS || w.places * ga_acc_size(st) > HELD_PLACES))
    return 0;
  w.block = 32 * (unsigned int)ceil_div(each, ceil_div(each, warps));
  w.threads = 32 * warps;
  w.whole = l->reduced % CHUNK == 0 ? 2 : 0;
  w.grid = l->kept * w.cluster;
  *v = w;
  return 1;
}

int ga_chain_cut(const ga_stage *st, const ga_layout *l, const unsigned char *align)
{
  unsigned int inner = l->nk + l->nr - 1;
  uint64_t least = ga_chain_levels(st) == 1 ? CUT_ROW : CUT_LEVELS;
  int maps = 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    maps |= st->operands[i].write && !st->operands[i].outer;
  if (l->nr < 2 || !maps) return 0;
  if (l->reduced > CHUNK && ga_chain_levels(st) > 1 && ga_makes_functions(st, 8)) return 1;
  if (l->cls != GA_CLASS_ROWS || l->dims[inner] % 4 != 0) return l->reduced > least;
  for (unsigned int i = 0; i < st->noperand && l->reduced > CHUNK; i++)
    if (!st->operands[i].outer && l->strides[i][inner] != 0 && !ga_rows_aligned(st, l, align, i, 4))
      return 1;
  return 0;
}
