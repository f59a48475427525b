/* SPDX-License-Identifier: MIT */
/* Maps: how the loop is cut into blocks, and the blocks dealt to threads.
 *
 * A block begins at the start of a row, so that operands which are contiguous in
 * their rows alone are read where they lie. With extents 5 x 1500 and blocks of at
 * most 1024 a row makes two blocks of 768 and 732; with extents 1000 x 30 a block
 * is 34 whole rows. */
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "interp.h"

enum {
  EDGE = 32,              /* of a tile: cache lines used whole, few of them at a time */
  PARALLEL_COST = 400000, /* loads, stores and instructions worth waking threads */
  PIECE_COST = 400000     /* a piece that no one notices being dealt */
};
/* Outputs larger than this leave the cache before anyone reads them again. */
#define STREAM_BYTES ((size_t)64 << 20)

/* ---- making -------------------------------------------------------------------- */

/* Elements a block should have: registers of 4 KiB, or 8 for wide types. */
static size_t block_elements(const ga_stage *st)
{
  size_t widest = 1;
  for (unsigned int i = 0; i < st->nnode; i++) {
    size_t s = ga_dtypes[st->nodes[i].dtype].size;
    if (s > widest) widest = s;
  }
  return widest <= 2 ? 2048 : widest <= 8 ? 1024 : 512;
}

static void cut_rows(ga_map *m, const ga_layout *l, size_t block)
{
  m->row = m->step = m->nstep = 1;
  m->nblock = 1;
  if (l->nk == 0) return;
  unsigned int k = l->nk - 1;
  while (k > 0 && l->dims[k] <= block / m->row) m->row *= l->dims[k--];
  m->first = k;
  m->step = block / m->row;
  if (m->step > l->dims[k]) m->step = l->dims[k];
  m->nstep = (l->dims[k] + m->step - 1) / m->step;
  /* Equal blocks rather than a short last one. */
  size_t even = (l->dims[k] + m->nstep - 1) / m->nstep;
  if (m->row == 1) even = (even + 63) & ~(size_t)63;
  if (even < m->step) m->step = even;
  m->nblock = m->nstep;
  while (k-- > 0) m->nblock *= l->dims[k];
}

/* The axis along which some operand is fastest while others are so along the last
 * one; the last one when there is none such. */
static unsigned int cross_axis(const ga_exec *e, const ga_layout *l)
{
  unsigned int last = l->nk - 1;
  for (unsigned int i = 0; i < e->noperand; i++) {
    const ssize_t *s = e->strides[i];
    unsigned int best = last;
    for (unsigned int k = 0; k < last; k++)
      if (s[k] != 0 && labs(s[k]) < labs(s[best]) && l->dims[k] >= EDGE) best = k;
    if (best != last && labs(s[last]) >= 128) return best;
  }
  return last;
}

static void cut_tiles(ga_map *m, const ga_layout *l, unsigned int cross, size_t block)
{
  m->first = cross;
  m->step = EDGE;
  m->cols = block / EDGE;
  m->nstep = (l->dims[cross] + m->step - 1) / m->step;
  m->ncol = (l->dims[l->nk - 1] + m->cols - 1) / m->cols;
  m->nblock = (uint64_t)m->nstep * m->ncol;
  for (unsigned int k = 0; k + 1 < l->nk; k++)
    if (k != cross) m->nblock *= l->dims[k];
}

/* Axes along which blocks begin at several places. */
static void find_moves(unsigned char *moves, const ga_map *m, const ga_layout *l)
{
  for (unsigned int k = 0; k < l->nk; k++)
    moves[k] = m->cols > 0 || k < m->first || (k == m->first && m->nstep > 1);
}

int ga_map_make(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  if (l->kept == 0) return GA_NO_ERROR;
  size_t block = block_elements(st);
  unsigned char moves[GA_MAXND] = {0};
  ga_map *m = &e->map;
  unsigned int cross = l->nk > 1 ? cross_axis(e, l) : 0;
  if (l->nk > 1 && cross != l->nk - 1)
    cut_tiles(m, l, cross, block);
  else
    cut_rows(m, l, block);
  find_moves(moves, m, l);
  ga_compile what = {.st = st, .l = l, .strides = e->strides, .nd = l->nk,
                     .block = block, .moves = moves};
  GA_TRY(ga_code_make(&e->pre, &what));
  double per_block = (double)(m->cols > 0 ? m->step * m->cols : m->step * m->row) *
                     (e->pre.nload + e->pre.nput + e->pre.ninstr);
  m->piece = (size_t)(PIECE_COST / (per_block + 1)) + 1;
  if (per_block * (double)m->nblock < PARALLEL_COST) m->piece = 0;
  return GA_NO_ERROR;
}

/* ---- running ------------------------------------------------------------------- */

typedef struct map_call {
  const ga_exec *e;
  void *const *addr;
  const ga_value *params;
  int stream;
  atomic_int failed;
} map_call;

/* Block number i: whole rows. */
static void row_block(const ga_exec *e, ga_block *b, uint64_t i)
{
  const ga_map *m = &e->map;
  const size_t *dims = e->pre.dims;
  b->rows = 0;
  if (e->nk == 0) {
    b->n = 1;
    return;
  }
  size_t at = (size_t)(i % m->nstep) * m->step, left = dims[m->first] - at;
  i /= m->nstep;
  b->pos[m->first] = at;
  b->n = (left < m->step ? left : m->step) * m->row;
  for (unsigned int k = m->first; k-- > 0; i /= dims[k]) b->pos[k] = (size_t)(i % dims[k]);
}

/* Block number i: a tile. Tiles follow each other down the cross axis, and so
 * along the rows of the operands that are fastest there. */
static void tile_block(const ga_exec *e, ga_block *b, uint64_t i)
{
  const ga_map *m = &e->map;
  const size_t *dims = e->pre.dims;
  unsigned int last = e->nk - 1;
  size_t row = (size_t)(i % m->nstep) * m->step, rows = dims[m->first] - row;
  i /= m->nstep;
  size_t col = (size_t)(i % m->ncol) * m->cols, cols = dims[last] - col;
  i /= m->ncol;
  if (rows > m->step) rows = m->step;
  if (cols > m->cols) cols = m->cols;
  b->rows = rows;
  b->n = rows * cols;
  b->row_axis = m->first;
  b->col_axis = last;
  for (unsigned int k = last; k-- > 0;) {
    if (k == m->first) continue;
    b->pos[k] = (size_t)(i % dims[k]);
    i /= dims[k];
  }
  b->pos[m->first] = row;
  b->pos[last] = col;
}

static void run_blocks(ga_frame *f, const ga_exec *e, uint64_t begin, uint64_t end)
{
  ga_block b;
  memset(b.pos, 0, e->nk * sizeof *b.pos);
  for (uint64_t i = begin; i < end; i++) {
    if (e->map.cols > 0)
      tile_block(e, &b, i);
    else
      row_block(e, &b, i);
    ga_frame_eval(f, &b);
  }
}

static void map_pieces(void *arg, ga_share *share)
{
  map_call *c = arg;
  const ga_map *m = &c->e->map;
  ga_frame f;
  size_t i;
  if (!ga_pool_next(share, &i)) return;
  void *mem = ga_cpu_scratch(ga_frame_size(&c->e->pre));
  if (mem == NULL) {
    atomic_store_explicit(&c->failed, 1, memory_order_relaxed);
    return;
  }
  size_t piece = m->piece > 0 ? m->piece : (size_t)m->nblock;
  size_t most = m->cols > 0 ? m->step * m->cols : m->step * m->row;
  ga_frame_init(&f, &c->e->pre, mem, c->addr, c->params, most);
  f.stream = c->stream;
  do {
    uint64_t begin = (uint64_t)i * piece, end = begin + piece;
    run_blocks(&f, c->e, begin, end < m->nblock ? end : m->nblock);
  } while (ga_pool_next(share, &i));
#if defined(__x86_64__)
  if (c->stream) _mm_sfence();
#endif
}

/* Whether stores should go around the cache: the output is large, and is no input,
 * whose lines the cache would hold anyway. */
static int should_stream(const ga_exec *e, void *const *addr)
{
  const ga_code *c = &e->pre;
  if (e->kept < STREAM_BYTES / 16) return 0;
  for (unsigned int i = 0; i < c->nput; i++) {
    const ga_access *to = &c->puts[i].to;
    if (e->kept * to->size < STREAM_BYTES || to->contig != 0) return 0;
    for (unsigned int k = 0; k < c->nload; k++)
      if (c->loads[k].operand >= 0 && addr[c->loads[k].operand] == addr[to->operand]) return 0;
  }
  return 1;
}

int ga_map_run(const ga_exec *e, void *const *addr, const ga_value *params)
{
  map_call c = {.e = e, .addr = addr, .params = params};
  const ga_map *m = &e->map;
  if (e->kept == 0) return GA_NO_ERROR;
  c.stream = should_stream(e, addr);
  ga_pool_run(m->piece > 0 ? (size_t)((m->nblock + m->piece - 1) / m->piece) : 1,
              map_pieces, &c);
  if (atomic_load_explicit(&c.failed, memory_order_relaxed))
    return ga_error_memory("expression: cpu scratch", ga_frame_size(&e->pre));
  return GA_NO_ERROR;
}
