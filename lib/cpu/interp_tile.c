/* SPDX-License-Identifier: MIT */
/* Maps where operands' fast axes differ (m + m.T). Read row by row, a transposed
 * operand would use one element of each cache line and meet the line again a whole
 * row later, when it is long gone. So the loop is cut into tiles; a tile of every
 * such operand is turned into memory that stays in cache, and the tile's rows are
 * then blocks like any others, in which everything else is read in place.
 *
 *   tile of 64 x 1024 float32: of what lies in order 4 KiB are read at a time, of
 *   what is turned 256 bytes, each line of which is asked for before it is needed;
 *   where the last axis has but 100 elements, 400 and 1024 bytes. */
#include <stdlib.h>

#include "interp.h"

enum {
  TILE_BYTES = 256 << 10,
  ALONG_BYTES = 4096,  /* of a tile's edge along the last axis at most, */
  ACROSS_BYTES = 1024, /* and along the cross axis */
  LEAST = 32,          /* shorter axes are not worth tiles */
  LINE = 64,
  GROUP = 8, /* rows asked for together, */
  PART = 128 /* elements of each at least */
};

/* The operand is faster along axis k than along the last one, much faster. */
static int crosses(const ssize_t *s, unsigned int k, unsigned int last)
{
  return s[k] != 0 && labs(s[k]) <= 16 && labs(s[last]) >= 128;
}

/* The axis along which some operand that is read is fastest, else the last one. */
static unsigned int cross_axis(const ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  unsigned int last = l->nk - 1;
  if (l->dims[last] < LEAST) return last;
  for (unsigned int i = 0; i < e->noperand; i++)
    for (unsigned int k = 0; k < last; k++)
      if (!st->operands[i].write && l->dims[k] >= LEAST && crosses(e->strides[i], k, last))
        return k;
  return last;
}

static size_t less(size_t a, size_t b) { return a < b ? a : b; }

int ga_tile_cut(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  ga_map *m = &e->map;
  size_t widest = 1;
  if (l->nk < 2 || (m->first = cross_axis(e, st, l)) == l->nk - 1) return 0;
  for (unsigned int i = 0; i < st->noperand; i++)
    if (ga_dtypes[st->operands[i].dtype].size > widest)
      widest = ga_dtypes[st->operands[i].dtype].size;
  m->cols = less(less(ALONG_BYTES / widest, ga_code_block(e, st)), l->dims[l->nk - 1]);
  m->step = less(less(ACROSS_BYTES, TILE_BYTES / m->cols) / widest, l->dims[m->first]);
  m->rows = m->cols <= PART ? less(ga_code_block(e, st) / m->cols, m->step) : 1;
  m->nstep = (l->dims[m->first] + m->step - 1) / m->step;
  m->ncol = (l->dims[l->nk - 1] + m->cols - 1) / m->cols;
  m->nblock = (uint64_t)m->nstep * m->ncol;
  for (unsigned int k = 0; k + 1 < l->nk; k++)
    if (k != m->first) m->nblock *= l->dims[k];
  return 1;
}

/* Bytes from row to row of a turned tile: whole lines, and not a power of two, as columns of such
 * rows would share few places of the cache; no gaps where several rows are a block. */
static size_t pitch(const ga_map *m, size_t n, size_t size)
{
  return m->rows > 1 ? n * size : ((n * size + LINE - 1) / LINE | 1) * LINE;
}

void ga_tile_mark(ga_exec *e)
{
  ga_map *m = &e->map;
  for (unsigned int i = 0; i < e->pre.nload && m->cols > 0; i++) {
    ga_access *a = &e->pre.loads[i];
    a->turned = a->operand >= 0 && crosses(a->strides, m->first, e->nk - 1);
    if (a->turned) m->tile_bytes += m->step * pitch(m, m->cols, a->size);
  }
}

/* Tile number i as the block of its first row; returns its rows. Tiles follow each
 * other down the cross axis, along the rows of the operands that are fast there. */
static size_t tile_at(const ga_exec *e, ga_block *b, uint64_t i)
{
  const ga_map *m = &e->map;
  const size_t *dims = e->pre.dims;
  unsigned int last = e->nk - 1;
  size_t row = (size_t)(i % m->nstep) * m->step;
  i /= m->nstep;
  size_t col = (size_t)(i % m->ncol) * m->cols;
  i /= m->ncol;
  for (unsigned int k = last; k-- > 0;) {
    if (k == m->first) continue;
    b->pos[k] = (size_t)(i % dims[k]);
    i /= dims[k];
  }
  b->pos[m->first] = row;
  b->pos[last] = col;
  b->rows = 0;
  b->row_axis = m->first;
  b->col_axis = last;
  b->n = less(m->cols, dims[last] - col);
  return less(m->step, dims[m->first] - row);
}

/* Turns the tile of every load that needs it. */
static void turn_tiles(const ga_frame *f, const ga_exec *e, char *mem, const ga_block *b,
                       size_t rows)
{
  for (unsigned int i = 0; i < e->pre.nload; i++) {
    const ga_access *a = &e->pre.loads[i];
    if (!a->turned) continue;
    ga_cpu_move(a->size, rows, b->n, mem, (ssize_t)pitch(&e->map, b->n, a->size), (ssize_t)a->size,
                (const void *)ga_frame_address(f, a, b->pos), a->strides[e->map.first],
                a->strides[e->nk - 1]);
    mem += e->map.step * pitch(&e->map, e->map.cols, a->size);
  }
}

/* Points the turned loads at row r of their tiles. */
static void aim_row(ga_frame *f, const ga_exec *e, const char *mem, size_t n, size_t r)
{
  for (unsigned int i = 0; i < e->pre.nload; i++) {
    const ga_access *a = &e->pre.loads[i];
    if (!a->turned) continue;
    f->at[a->place] = mem + r * pitch(&e->map, n, a->size);
    mem += e->map.step * pitch(&e->map, e->map.cols, a->size);
  }
}

/* Asks for a part of the other loads' next group of rows, of all of its rows; where several rows
 * are a block, for the next one. */
static void ask_ahead(const ga_frame *f, const ga_exec *e, const ga_block *b, size_t r)
{
  unsigned int axis = e->map.first;
  size_t group = e->map.rows > 1 ? e->map.rows : GROUP, n = b->rows > 0 ? b->n / b->rows : b->n;
  size_t part = n <= GROUP * PART ? PART : (n + GROUP - 1) / GROUP, from = r % group * part;
  size_t row = b->pos[axis] + group - r % group, rows = e->pre.dims[axis];
  if (from >= n || row >= rows) return;
  ga_block next = *b;
  next.rows = 0;
  next.n = less(part, n - from);
  next.pos[e->nk - 1] += from;
  next.pos[axis] = row;
  ga_frame_prefetch(f, &next, less(group, rows - row), axis);
}

/* Asks for what of the next tile's turned loads no tile asks for itself: its first rows. */
static void ask_next(const ga_frame *f, const ga_exec *e, const ga_block *next, size_t rows)
{
  for (unsigned int i = 0; i < e->pre.nload; i++) {
    const ga_access *a = &e->pre.loads[i];
    if (!a->turned) continue;
    ssize_t step = a->strides[e->map.first], along = a->strides[e->nk - 1];
    const char *p = (const char *)ga_frame_address(f, a, next->pos);
    if (step < 0) p += (ssize_t)(rows - 1) * step;
    for (size_t k = 0; k < next->n && k < GA_TURN_AHEAD; k++, p += along)
      for (size_t at = 0; at < rows * (size_t)labs(step); at += LINE)
        __builtin_prefetch(p + at, 0, 2);
  }
}

/* There are loads that are read where they lie. */
static int reads_in_order(const ga_exec *e)
{
  for (unsigned int i = 0; i < e->pre.nload; i++)
    if (e->pre.loads[i].operand >= 0 && !e->pre.loads[i].turned && !e->pre.loads[i].once) return 1;
  return 0;
}

void ga_tile_run(ga_frame *f, const ga_exec *e, char *mem, uint64_t begin, uint64_t end)
{
  ga_block b, next;
  int ordered = reads_in_order(e);
  for (uint64_t i = begin; i < end; i++) {
    size_t rows = tile_at(e, &b, i);
    turn_tiles(f, e, mem, &b, rows);
    size_t follow = i + 1 < end ? tile_at(e, &next, i + 1) : 0;
    if (follow > 0) ask_next(f, e, &next, follow);
    size_t cols = b.n, some = e->map.rows;
    for (size_t r = 0; r < rows; r += some, b.pos[e->map.first] += some) {
      aim_row(f, e, mem, cols, r);
      if (some > 1) {
        b.rows = less(some, rows - r);
        b.n = b.rows * cols;
      }
      if (ordered) ask_ahead(f, e, &b, r);
      ga_frame_eval(f, &b);
    }
  }
}
