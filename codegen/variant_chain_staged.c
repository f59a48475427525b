/* SPDX-License-Identifier: MIT */
/* Chains of rows that go by way of shared memory (kernels/chain_staged.cuh): which operands are
 * copied there, and how many rows a block has. */
#include "variant_chain.h"

#define STAGED_SIZE      8           /* bytes of an element, at the most, ... */
#define STAGED_REGISTERS 48          /* registers of its fours, ... */
#define TINY_ROW         16          /* bytes of rows of which a thread has ... */
#define TINY_ROWS        8           /* ... at most so many, ... */
#define TINY_BLOCKS      4           /* ... so that a multiprocessor has as many blocks */
#define STAGED_SHARED    (56 * 1024) /* and bytes of a block that are staged */
#define HELD_SHARED      (64 * 1024) /* of a block that holds a row, or a part, if it may, ... */
#define HELD_WARPS       8           /* with so many warps at most, ... */
#define HELD_BLOCKS      4           /* of which a multiprocessor has so many */
#define ABREAST_ROWS     31          /* more are walked as columns */
#define ABREAST_THREADS  1024        /* of a block that has them */

/* Rows of operand i have no gaps. */
static int is_dense(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t size = ga_dtypes[st->operands[i].dtype].size;
  return size <= STAGED_SIZE && l->strides[i][l->nk] == size;
}

/* Nor are there any between them. */
static int is_packed(const ga_stage *st, const ga_layout *l, unsigned int i)
{
  ssize_t row = (ssize_t)(ga_dtypes[st->operands[i].dtype].size * l->dims[l->nk]);
  return is_dense(st, l, i) && (l->nk == 0 || l->strides[i][0] == row);
}

/* All rows are one, or each has one value. */
static int is_same_for_all(const ga_layout *l, unsigned int i)
{
  int rows = 0;
  for (unsigned int k = 0; k < l->nk; k++) rows |= l->strides[i][k] != 0;
  return !rows || l->strides[i][l->nk] == 0;
}

uint64_t ga_chain_staged_operands(const ga_variant *v, const ga_stage *st, const ga_layout *l,
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
  *bytes = size[!v->held && size[1] > size[0]];
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

/* Rows of a thread: very short ones would leave blocks too little to copy, where there are
 * blocks enough. */
static uint64_t rows_of(const ga_stage *st, const ga_layout *l, const ga_target *target)
{
  uint64_t rows = l->reduced * ga_widest_reduced(st) <= TINY_ROW ? TINY_ROWS : 1;
  for (unsigned int i = 0; i < st->nstore; i++)
    if (!st->operands[st->stores[i].operand].outer) return 1;
  while (rows > 1 && l->kept / (GA_BLOCK * rows) < (uint64_t)TINY_BLOCKS * target->nproc) rows /= 2;
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
static int share_block(sharing *s, const ga_stage *st, const ga_layout *l, size_t live,
                       size_t bytes, uint64_t beside, const ga_target *target)
{
  s->lanes = 0;
  s->rows = rows_of(st, l, target);
  for (;;) {
    uint64_t each = ceil_div(ceil_div(l->reduced, 4), (uint64_t)1 << s->lanes);
    s->groups = (GA_BLOCK >> s->lanes) / beside;
    if (s->groups == 0) s->groups = 1;
    s->room = beside * ((s->groups * s->rows - 1) * l->reduced + (each << s->lanes) * 4) + 47;
    s->room = s->room / 16 * 16 * bytes;
    if (s->rows > 1 && !is_little(s->room, target)) {
      s->rows /= 2;
      continue;
    }
    if (s->lanes == 5 || (each * live <= STAGED_REGISTERS && s->room <= STAGED_SHARED)) break;
    s->lanes++;
  }
  return 2 * (s->room + STATIC_SHARED) <= target->shared;
}

int ga_chain_abreast(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                     const ga_target *target)
{
  uint64_t beside, threads, set;
  size_t bytes;
  sharing s;
  if (l->cls != GA_CLASS_COLUMNS || l->nk != 2 || l->nr != 1 || st->noperand > 64) return 0;
  if (l->reduced > CHUNK || l->dims[1] > ABREAST_ROWS) return 0;
  beside = l->dims[1];
  if ((set = abreast_operands(st, l, &bytes)) == 0) return 0;
  if (!share_block(&s, st, l, live, bytes, beside, target)) return 0;
  threads = ((s.groups * beside << s.lanes) + 31) / 32 * 32;
  if (threads > ABREAST_THREADS) return 0;
  stage_rows(v, set, s.room);
  v->lanes = s.lanes;
  v->abreast = beside % 8 == 0 ? ABREAST_EIGHTS : beside % 4 == 0 ? 3 : beside % 2 == 0 ? 2 : 1;
  v->block = (unsigned int)threads;
  v->threads = v->block <= GA_BLOCK ? GA_BLOCK : ABREAST_THREADS;
  v->rows = (int)s.rows;
  v->grid = ceil_div(l->dims[0], s.groups * s.rows);
  return 1;
}

void ga_chain_stage_lanes(ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target)
{
  uint64_t set;
  size_t bytes;
  sharing s;
  if ((set = ga_chain_staged_operands(v, st, l, &bytes)) == 0) return;
  if (!share_block(&s, st, l, live, bytes, 1, target)) return;
  stage_rows(v, set, s.room);
  v->lanes = s.lanes;
  v->rows = (int)s.rows;
}

int ga_chain_stages_warps(const ga_variant *v, const ga_stage *st, const ga_layout *l, size_t live,
                          const ga_target *target)
{
  ga_variant w = *v;
  size_t bytes;
  sharing s;
  w.team = 0;
  return ga_chain_staged_operands(&w, st, l, &bytes) != 0 &&
         share_block(&s, st, l, live, bytes, 1, target) && is_little(s.room, target);
}

size_t ga_chain_staged_room(uint64_t chunks, size_t bytes)
{
  return ((size_t)chunks * CHUNK + 16) * bytes + STATIC_SHARED;
}

void ga_chain_stage_block(ga_variant *v, const ga_stage *st, const ga_layout *l,
                          const ga_target *target)
{
  size_t bytes, room;
  uint64_t set = v->held ? 0 : ga_chain_staged_operands(v, st, l, &bytes);
  if (set == 0) return;
  room = ga_chain_staged_room(v->block / (v->halves ? 64 : 32), bytes);
  if (room <= target->shared) stage_rows(v, set, room - STATIC_SHARED);
}

int ga_chain_hold_row(ga_variant *v, const ga_stage *st, const ga_layout *l,
                      const ga_target *target)
{
  uint64_t chunks = ceil_div(l->reduced, CHUNK), set, each;
  ga_variant w = *v;
  size_t bytes, room;
  w.held = 1;
  if ((set = ga_chain_staged_operands(&w, st, l, &bytes)) == 0) return 0;
  for (w.cluster = 1;; w.cluster *= 2) {
    each = ceil_div(chunks, w.cluster);
    room = ga_chain_staged_room(each, bytes);
    if (room <= HELD_SHARED || 2 * w.cluster > target->cluster) break;
  }
  if (room > target->shared) return 0;
  stage_rows(&w, set, room - STATIC_SHARED);
  w.block = 32 * (unsigned int)ceil_div(each, ceil_div(each, HELD_WARPS));
  w.threads = 32 * HELD_WARPS;
  w.resident = ga_chain_is_wide(st) ? HELD_BLOCKS / 2 : HELD_BLOCKS;
  w.whole = l->reduced % CHUNK == 0 ? 2 : 0;
  w.grid = l->kept * w.cluster;
  *v = w;
  return 1;
}
