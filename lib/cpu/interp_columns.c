/* SPDX-License-Identifier: MIT */
/* Reductions where a kept axis is the fastest: rows are read as they lie, and
 * joined with each other element by element, in the very order that a chunk's
 * tree has (DESIGN.md, "Order of a reduction"). Row number r of a chunk:
 *
 *   bit   9 8 7   6 5 4 3 2   1 0
 *           s         g        q
 *
 * First the eight rows that differ in s are joined (segment_tree), for one q or
 * several following rows at once; then four q's (join_fours); then the 32 g's.
 * Missing rows are skipped: what is there passes. */
#include <string.h>

#include "interp.h"

enum { SEGMENT = 128, NSEGMENT = 8, FOURS = SEGMENT / 4 };

/* A chunk being walked: kept elements from b->pos, `cols` of them. */
typedef struct walk {
  ga_reducer *w;
  ga_block b;
  size_t cols;
  uint64_t first; /* reduced index of the chunk's first row */
  size_t n;       /* rows of the chunk */
} walk;

static char *acc_at(char *p, size_t i, size_t size) { return p == NULL ? NULL : p + i * size; }

/* Where blocks of slot k are joined: slot 0 is at row `row` of the quad. */
static char *slot_at(const ga_fold_state *s, unsigned int slot, int which, size_t row, size_t cols,
                     size_t size)
{
  return slot == 0 ? acc_at(s->quad[which], row * cols, size) : s->leaf[slot - 1][which];
}

/* ---- eight segments --------------------------------------------------------------- */

static void set_row(walk *k, uint64_t r)
{
  const ga_exec *e = k->w->e;
  for (unsigned int a = e->nk + e->nr - 1; a > e->nk; a--) {
    k->b.pos[a] = (size_t)(r % e->dims[a]);
    r /= e->dims[a];
  }
  k->b.pos[e->nk] = (size_t)r;
}

/* Rows [row, row + n) of the chunk, evaluated into slot `slot`. */
static void eval_rows(walk *k, unsigned int slot, size_t quad_row, size_t row, size_t n)
{
  const ga_exec *e = k->w->e;
  ga_frame *f = &k->w->pre;
  set_row(k, k->first + row);
  k->b.n = n * k->cols;
  k->b.rows = e->cut.rows > 1 ? n : 0;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *fo = &e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    ga_frame_aim(f, fo->value, slot_at(s, slot, 0, quad_row, k->cols, fo->size));
    if (fo->index)
      ga_frame_aim(f, fo->iota, slot_at(s, slot, 1, quad_row, k->cols, sizeof(int64_t)));
  }
  ga_frame_eval(f, &k->b);
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *fo = &e->folds[i];
    k->w->state[i].at[slot][0] = f->at[fo->value];
    k->w->state[i].at[slot][1] = fo->index ? f->at[fo->iota] : NULL;
  }
}

/* Brings elements [from, to) of a slot's block to where it is joined. */
static void bring(const void **at, char *to, size_t from, size_t end, size_t size)
{
  if (to != NULL && *at != to && from < end)
    memmove(to + from * size, (const char *)*at + from * size, (end - from) * size);
  if (to != NULL) *at = to;
}

/* Joins slot + 1, of `right` elements, to slot, of `left` of them; right 0 brings
 * the slot's block home. */
static void join_slots(walk *k, unsigned int slot, size_t quad_row, size_t left, size_t right)
{
  const ga_exec *e = k->w->e;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    ga_fold_state *s = &k->w->state[i];
    char *to = slot_at(s, slot, 0, quad_row, k->cols, f->size);
    char *toi = f->index ? slot_at(s, slot, 1, quad_row, k->cols, sizeof(int64_t)) : NULL;
    if (right > 0)
      ga_fold_join(f, right, to, toi, s->at[slot][0], s->at[slot][1], s->at[slot + 1][0],
                   s->at[slot + 1][1]);
    bring(&s->at[slot][0], to, right, left, f->size);
    bring(&s->at[slot][1], toi, right, left, sizeof(int64_t));
  }
}

/* Joins the segments congruent to s modulo step, rows [row, row + n) of each, into
 * slot `slot`; returns how many rows there are. Step 1 is bit 7, 4 is bit 9. */
static size_t segment_tree(walk *k, size_t s, size_t step, unsigned int slot, size_t quad_row,
                           size_t row, size_t n)
{
  size_t at = s * SEGMENT + row;
  if (at >= k->n) return 0;
  if (step == NSEGMENT) {
    if (n > k->n - at) n = k->n - at;
    eval_rows(k, slot, quad_row, at, n);
    return n;
  }
  size_t left = segment_tree(k, s, 2 * step, slot, quad_row, row, n);
  size_t right = segment_tree(k, s + step, 2 * step, slot + 1, quad_row, row, n);
  if (right > 0) join_slots(k, slot, quad_row, left * k->cols, right * k->cols);
  return left;
}

/* ---- the rest of a chunk ------------------------------------------------------------ */

/* Rows 4i.. of the quad, `rows` of them at most 4, into element g of the fours. */
static void join_four(const walk *k, const ga_fold *f, const ga_fold_state *s, size_t i,
                      size_t rows, size_t g)
{
  size_t c = k->cols, v = f->size, x = sizeof(int64_t);
  char *q[4], *qi[4];
  char *u = s->fours[0] + g * c * v, *ui = acc_at(s->fours[1], g * c, x);
  for (size_t j = 0; j < 4; j++) {
    q[j] = s->quad[0] + (4 * i + j) * c * v;
    qi[j] = acc_at(s->quad[1], (4 * i + j) * c, x);
  }
  if (rows == 1) {
    memcpy(u, q[0], c * v);
    if (ui != NULL) memcpy(ui, qi[0], c * x);
    return;
  }
  ga_fold_join(f, c, u, ui, q[0], qi[0], q[1], qi[1]);
  if (rows == 4) ga_fold_join(f, c, q[2], qi[2], q[2], qi[2], q[3], qi[3]);
  if (rows > 2) ga_fold_join(f, c, u, ui, u, ui, q[2], qi[2]);
}

/* The fours that `rows` rows of the quad make, into elements `slot`... */
static void join_fours(const walk *k, size_t rows, size_t slot)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++)
    for (size_t j = 0; 4 * j < rows; j++)
      join_four(k, &k->w->e->folds[i], &k->w->state[i], j, rows - 4 * j < 4 ? rows - 4 * j : 4,
                slot + j);
}

/* Joins n elements of the fours from `from` on to those from `to` on. */
static void join_halves(const walk *k, size_t to, size_t from, size_t n)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    size_t v = k->cols * f->size, x = k->cols * sizeof(int64_t);
    char *u = k->w->state[i].fours[0], *ui = k->w->state[i].fours[1];
    ga_fold_join(f, n * k->cols, u + to * v, acc_at(ui, to, x), u + to * v, acc_at(ui, to, x),
                 u + from * v, acc_at(ui, from, x));
  }
}

/* Fills the quad with rows [row, row + n), those of all segments joined. */
static void fill_quad(walk *k, size_t row, size_t n)
{
  const size_t rows = k->w->e->cut.rows;
  for (size_t i = 0; i < n; i += rows) {
    size_t got = segment_tree(k, 0, 1, 0, i, row + i, n - i < rows ? n - i : rows);
    join_slots(k, 0, i, got * k->cols, 0);
  }
}

/* Several rows a block: all fours are made, then joined in halves. */
static void walk_narrow(walk *k, size_t rows)
{
  const size_t per = k->w->e->cut.rows;
  for (size_t row = 0; row < rows; row += per) {
    size_t n = rows - row < per ? rows - row : per;
    fill_quad(k, row, n);
    join_fours(k, n, row / 4);
  }
  size_t left = (rows + 3) / 4;
  for (size_t h = FOURS / 2; h > 0; h /= 2) {
    if (left <= h) continue;
    join_halves(k, 0, h, left - h);
    left = h;
  }
}

/* One row a block: the fours congruent to g modulo step are joined in element
 * `slot`, so that few wait at a time. Returns whether there are any. */
static int walk_wide(walk *k, size_t rows, size_t g, size_t step, size_t slot)
{
  if (4 * g >= rows) return 0;
  if (step == FOURS) {
    size_t n = rows - 4 * g < 4 ? rows - 4 * g : 4;
    fill_quad(k, 4 * g, n);
    join_fours(k, n, slot);
    return 1;
  }
  walk_wide(k, rows, g, 2 * step, slot);
  if (walk_wide(k, rows, g + step, 2 * step, slot + 1)) join_halves(k, slot, slot + 1, 1);
  return 1;
}

/* The chunk's result, in the first element of the fours. */
static void walk_chunk(walk *k)
{
  size_t rows = k->n < SEGMENT ? k->n : SEGMENT;
  if (k->w->e->cut.rows > 1)
    walk_narrow(k, rows);
  else
    walk_wide(k, rows, 0, 1, 0);
}

/* ---- chunks -------------------------------------------------------------------------- */

static void push_chunk(const walk *k, size_t depth)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    memcpy(s->stack[0] + depth * k->cols * f->size, s->fours[0], k->cols * f->size);
    if (f->index)
      memcpy(s->stack[1] + depth * k->cols * sizeof(int64_t), s->fours[1],
             k->cols * sizeof(int64_t));
  }
}

static void join_top(const walk *k, size_t depth)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    size_t v = k->cols * f->size, x = k->cols * sizeof(int64_t);
    char *l = s->stack[0] + (depth - 2) * v;
    char *li = f->index ? s->stack[1] + (depth - 2) * x : NULL;
    ga_fold_join(f, k->cols, l, li, l, li, l + v, f->index ? li + x : NULL);
  }
}

/* ---- rakes --------------------------------------------------------------------------- */

/* One chunk of folds that no order changes, row after row, to the stacks. */
static void rake_chunk(walk *k)
{
  const ga_exec *e = k->w->e;
  for (size_t row = 0; row < k->n; row += e->cut.rows) {
    size_t n = k->n - row < e->cut.rows ? k->n - row : e->cut.rows;
    eval_rows(k, 0, 0, row, n);
    for (unsigned int i = 0; i < e->nfold; i++) {
      const ga_fold_state *s = &k->w->state[i];
      void *acc[2] = {s->fours[0], s->fours[1]};
      e->folds[i].rake(n, k->cols, acc, s->at[0][0], row);
    }
  }
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold_state *s = &k->w->state[i];
    ga_fold_settle(e, &e->folds[i], k->cols, s->stack, s->fours, k->first);
  }
}

/* The chunk to the unit's results; the first one begins them. */
static void keep_chunk(const walk *k, int first)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    if (!first) {
      ga_fold_join(f, k->cols, s->acc[0], s->acc[1], s->acc[0], s->acc[1], s->stack[0],
                   s->stack[1]);
      continue;
    }
    memcpy(s->acc[0], s->stack[0], k->cols * f->size);
    if (f->index) memcpy(s->acc[1], s->stack[1], k->cols * sizeof(int64_t));
  }
}

/* ---- units --------------------------------------------------------------------------- */

static void set_chunk(walk *k, size_t c)
{
  k->first = (uint64_t)c * GA_CHUNK;
  uint64_t left = k->w->e->reduced - k->first;
  k->n = left < GA_CHUNK ? (size_t)left : GA_CHUNK;
}

static void join_chunks(walk *k, size_t begin, size_t end)
{
  size_t depth = 0;
  for (size_t c = begin; c < end; c++) {
    set_chunk(k, c);
    walk_chunk(k);
    push_chunk(k, depth++);
    for (size_t j = c - begin; j & 1; j >>= 1) join_top(k, depth--);
  }
  while (depth > 1) join_top(k, depth--);
  keep_chunk(k, 1);
}

void ga_columns_unit(ga_reducer *w, uint64_t kept, size_t n, size_t begin, size_t end)
{
  const ga_exec *e = w->e;
  walk k = {.w = w, .cols = n};
  ga_code_position(&e->pre, k.b.pos, kept);
  k.b.row_axis = e->nk;
  k.b.col_axis = e->nk - 1;
  if (!e->cut.raked) {
    join_chunks(&k, begin, end);
    return;
  }
  for (size_t c = begin; c < end; c++) {
    set_chunk(&k, c);
    rake_chunk(&k);
    keep_chunk(&k, c == begin);
  }
}
