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
  PARALLEL_COST = 400000, /* loads, stores and instructions worth waking threads */
  PIECE_COST = 400000,    /* a piece that no one notices being dealt */
  PLAIN_BLOCK = 16384     /* elements, where none are kept in cache */
};
/* Outputs larger than this leave the cache before anyone reads them again. Where tiles are
 * turned it is an eighth: their short runs are slow to write where lines are read first. Where
 * memory is asked for ahead it is less, as one core has few lines on their way at a time, and a
 * store has its line read first. */
#define STREAM_BYTES ((size_t)64 << 20)
#define STREAM_TILES ((size_t)8 << 20)
#define STREAM_ASKED ((size_t)6 << 20)
/* Where a core has few lines on their way it stores slower around the cache than through it, so
 * that it takes many cores to make up for the lines that are read first. */
enum { NARROW_MANY = 8 };

/* ---- making -------------------------------------------------------------------- */

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

static size_t stream_bytes(int tiles)
{
  if (ga_cpu_narrow() && ga_pool_threads() <= NARROW_MANY) return SIZE_MAX;
  if (tiles) return STREAM_TILES;
  return ga_cpu_asks() && !ga_cpu_narrow() ? STREAM_ASKED : STREAM_BYTES;
}

/* Nothing is kept between loads and the store: one instruction on arrays without gaps. */
static int is_plain(const ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  unsigned int ops = 0;
  if (l->nk != 1) return 0;
  for (unsigned int i = 0; i < st->nnode; i++) {
    if (st->nodes[i].op == GA_N_PARAM || st->nodes[i].op == GA_N_IOTA) return 0;
    ops += st->nodes[i].op == GA_N_CAST || st->nodes[i].op >= GA_N_OP;
  }
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = ga_dtypes[st->operands[i].dtype].size;
    if (e->strides[i][0] != (ssize_t)size || e->kept * size >= stream_bytes(0)) return 0;
  }
  return ops == 1 && st->nstore == 1;
}

/* Whether lines that are written should be asked for: where a core has few of them on their way
 * and writes more than it reads, computing little, to more than its caches hold. */
#define OWN_BYTES ((size_t)8 << 20)
static int should_own(const ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  size_t read = 0, written = 0;
  if (!ga_cpu_narrow() || l->nk == 0) return 0;
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].op >= GA_N_OP && !(ga_ops[st->nodes[i].op - GA_N_OP].flags & GA_OP_PLAIN))
      return 0;
  for (unsigned int i = 0; i < st->noperand; i++) {
    size_t size = ga_dtypes[st->operands[i].dtype].size;
    int spread = e->strides[i][0] == 0 || e->strides[i][l->nk - 1] == 0;
    if (ga_dtypes[st->operands[i].dtype].kind == 'c') return 0;
    if (st->operands[i].write)
      written += size;
    else if (!spread)
      read += size;
  }
  return written > read && e->kept * written >= OWN_BYTES;
}

int ga_map_make(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  if (l->kept == 0) return GA_NO_ERROR;
  unsigned char moves[GA_MAXND];
  ga_map *m = &e->map;
  ga_compile what = {.st = st, .l = l, .strides = e->strides, .nd = l->nk, .moves = moves};
  what.far = e->kept > GA_MANY;
  if (ga_tile_cut(e, st, l)) {
    what.block = m->cols * m->rows;
    memset(moves, 1, sizeof moves);
  } else {
    what.block = is_plain(e, st, l) ? PLAIN_BLOCK : ga_code_block(e, st);
    cut_rows(m, l, what.block);
    for (unsigned int k = 0; k < l->nk; k++)
      moves[k] = k < m->first || (k == m->first && m->nstep > 1);
    what.whole = m->first;
  }
  GA_TRY(ga_code_make(&e->pre, &what));
  ga_tile_mark(e);
  m->own = m->cols == 0 && should_own(e, st, l);
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
  memset(b->pos, 0, e->nk * sizeof *b->pos);
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

static void run_blocks(ga_frame *f, const ga_exec *e, uint64_t begin, uint64_t end)
{
  ga_block b;
  for (uint64_t i = begin; i < end; i++) {
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
  int same;
  size_t size = ga_frame_size(&c->e->pre);
  char *mem = ga_cpu_scratch(c->e, size + m->tile_bytes, &same);
  if (mem == NULL) {
    atomic_store_explicit(&c->failed, 1, memory_order_relaxed);
    return;
  }
  size_t piece = m->piece > 0 ? m->piece : (size_t)m->nblock;
  size_t most = m->cols > 0 ? m->cols * m->rows : m->step * m->row;
  ga_frame_init(&f, &c->e->pre, mem, same, c->addr, c->params, most);
  f.stream = c->stream;
  f.own = m->own && !c->stream;
  f.far = c->e->kept > GA_MANY && m->cols == 0 && !ga_cpu_narrow() ? GA_FAR_RUNS : GA_NEAR;
  do {
    uint64_t begin = (uint64_t)i * piece, end = begin + piece;
    if (end > m->nblock) end = m->nblock;
    if (m->cols > 0)
      ga_tile_run(&f, c->e, mem + size, begin, end);
    else
      run_blocks(&f, c->e, begin, end);
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
  const size_t least = stream_bytes(e->map.cols > 0);
  if (e->kept < least / 16) return 0;
  for (unsigned int i = 0; i < c->nput; i++) {
    const ga_access *to = &c->puts[i].to;
    if (e->kept * to->size < least || to->contig != 0) return 0;
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
  ga_pool_run(m->piece > 0 ? (size_t)((m->nblock + m->piece - 1) / m->piece) : 1, map_pieces, &c);
  if (atomic_load_explicit(&c.failed, memory_order_relaxed))
    return ga_error_memory("expression: cpu scratch", ga_frame_size(&e->pre) + m->tile_bytes);
  return GA_NO_ERROR;
}
