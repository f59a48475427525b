/* SPDX-License-Identifier: MIT */
/* Scans, in the order of DESIGN.md ("Order of a scan"). Units are dealt to threads;
 * where there are too few of them, tiles are: first each tile's total, then, what the
 * tiles before it make being known, its values. Both ways give the same bits, as that
 * is how the order is put together. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "lib/util/fpmode.h"

enum {
  PIECE_COST = 200000,    /* work that a thread takes at a time */
  PARALLEL_COST = 300000, /* work worth waking threads */
  COLUMN_MIN = 16,        /* shorter rows of kept elements are gathered instead */
  COLUMN_MAX = 2048,      /* kept elements walked together at most */
  BLOCK = 1024            /* elements of a block */
};

static uint64_t ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/* ---- making -------------------------------------------------------------------- */

static void cut_scan(ga_exec *e, const ga_layout *l)
{
  ga_scan_cut *c = &e->scan;
  size_t row = e->nk > 0 ? e->dims[e->nk - 1] : 1;
  c->columns = l->cls == GA_CLASS_SCAN_COLUMNS && row >= COLUMN_MIN;
  c->ntile = ceil_div(e->reduced, GA_SCAN_TILE);
  c->whole = c->rows = c->cols = 1;
  c->block = BLOCK;
  if (c->columns) {
    size_t parts = (size_t)ceil_div(row, COLUMN_MAX);
    c->cols = (size_t)ceil_div(row, parts);
    c->rows = BLOCK / c->cols > 0 ? BLOCK / c->cols : 1;
    c->block = c->rows * c->cols;
    c->nunit = e->kept / row * parts;
  } else {
    if (e->reduced <= BLOCK / 2) c->whole = BLOCK / (size_t)e->reduced;
    c->nunit = ceil_div(e->kept, c->whole);
  }
}

/* Of floats many rows of a few are turned, and scanned at once, sooner. */
static ga_free_scan choose_free(const ga_exec *e, const ga_reduction *r)
{
  const char kind = ga_dtypes[r->acc].kind;
  if ((kind == 'f' || kind == 'c') && e->reduced <= GA_TINY) return NULL;
  return ga_cpu_free_scan(r->op, r->acc);
}

static int make_fold(ga_exec *e, const ga_stage *st)
{
  const ga_reduction *r = &st->reductions[0];
  e->folds = calloc(1, sizeof *e->folds);
  if (e->folds == NULL) return ga_error_memory("stage", sizeof *e->folds);
  e->nfold = 1;
  e->folds[0].combine = ga_cpu_combine(r->op, r->acc);
  e->folds[0].size = ga_dtypes[r->acc].size;
  e->scan.loop = ga_cpu_scan(r->op, r->acc);
  e->scan.free = choose_free(e, r);
  e->scan.exclusive = st->scan == GA_SCAN_EXCLUSIVE;
  if (st->nreduction != 1 || r->iota >= 0 || e->scan.loop == NULL)
    return ga_error(GA_IMPL_ERROR, "stage: the cpu device has no such scan of %s",
                    ga_dtypes[r->acc].name);
  ga_cpu_identity(r->op, r->acc, &e->scan.identity);
  if (!ga_cpu_empty(r->op, r->acc, &e->scan.first)) e->scan.first = e->scan.identity;
  return GA_NO_ERROR;
}

int ga_scan_make(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  unsigned char moves[GA_MAXND];
  ga_fold *f;
  GA_TRY(make_fold(e, st));
  if (e->kept == 0 || e->reduced == 0) return GA_NO_ERROR;
  f = e->folds;
  cut_scan(e, l);
  memset(moves, 1, sizeof moves);
  ga_compile what = {.st = st,
                     .l = l,
                     .strides = e->strides,
                     .moves = moves,
                     .nd = e->nk + e->nr,
                     .block = e->scan.block,
                     .far = e->kept * e->reduced > GA_MANY,
                     .nresult = 1,
                     .results = &st->reductions[0].node,
                     .places = &f->value};
  GA_TRY(ga_code_make(&e->pre, &what));
  f->result = GA_NOPLACE;
  what.level = 1;
  what.nresult = 0;
  what.reduced = &f->result;
  GA_TRY(ga_code_make(&e->post, &what));
  e->scan.unit_cost = (double)(e->scan.whole * e->scan.cols) * (double)e->reduced *
                      (e->pre.nload + e->pre.ninstr + e->post.nput + 4.0);
  return GA_NO_ERROR;
}

/* ---- a thread's memory ------------------------------------------------------------ */

static size_t round_up(size_t n) { return (n + 63) & ~(size_t)63; }

static size_t tiny_size(const ga_exec *e)
{
  if (e->scan.columns || e->scan.free != NULL || e->reduced > GA_TINY) return 0;
  return ga_scan_tiny_size(e->folds[0].size, e->scan.whole, (size_t)e->reduced);
}

static size_t scanner_size(const ga_exec *e)
{
  size_t size = e->folds[0].size;
  return ga_frame_size(&e->pre) + ga_frame_size(&e->post) + round_up(size * e->scan.block) +
         round_up(size * GA_SCAN_LEVELS * e->scan.cols) + tiny_size(e);
}

static int scanner_init(ga_scanner *w, const ga_exec *e, void *const *addr, const ga_value *params)
{
  int same;
  char *mem = ga_cpu_scratch(e, scanner_size(e), &same);
  if (mem == NULL) return 0;
  w->e = e;
  ga_frame_init(&w->pre, &e->pre, mem, same, addr, params, e->scan.block);
  mem += ga_frame_size(&e->pre);
  ga_frame_init(&w->post, &e->post, mem, same, addr, params, e->scan.block);
  mem += ga_frame_size(&e->post);
  w->value = mem;
  w->state = mem + round_up(e->folds[0].size * e->scan.block);
  w->tiny = w->state + round_up(e->folds[0].size * GA_SCAN_LEVELS * e->scan.cols);
  if (e->folds[0].result != GA_NOPLACE) w->post.at[e->folds[0].result] = w->value;
  return 1;
}

/* ---- rows --------------------------------------------------------------------------- */

static void set_state(ga_scanner *w, const void *tiles)
{
  const ga_exec *e = w->e;
  size_t size = e->folds[0].size, cols = e->scan.columns ? e->scan.cols : 1;
  ga_cpu_fill(size, (e->scan.columns ? GA_SCAN_LEVELS : 4) * cols, w->state,
              e->scan.identity.bytes);
  if (tiles != NULL) memcpy(w->state, tiles, cols * size);
}

/* Where the values of n elements from element i on of the loop in C order are. */
static const char *eval_block(ga_scanner *w, uint64_t i, size_t n, ga_block *b)
{
  const ga_fold *f = w->e->folds;
  b->n = n;
  b->rows = 0;
  ga_code_position(&w->e->pre, b->pos, i);
  ga_frame_aim(&w->pre, f->value, w->value);
  ga_frame_eval(&w->pre, b);
  return w->pre.at[f->value];
}

char *ga_scan_aim(ga_scanner *w, const ga_block *b)
{
  unsigned int result = w->e->folds[0].result;
  char *to = result == GA_NOPLACE ? NULL : ga_frame_target(&w->post, result, b);
  if (to == NULL) to = w->value;
  if (result != GA_NOPLACE) w->post.at[result] = to;
  return to;
}

static void scan_piece(ga_scanner *w, size_t n, uint64_t at, char *value, const char *from)
{
  const ga_scan_cut *c = &w->e->scan;
  if (c->free != NULL) {
    c->free(n, 1, c->exclusive, w->state, value, from);
    return;
  }
  c->loop(n, at, c->exclusive, w->state, value, from);
  if (c->exclusive && at == 0) memcpy(value, c->first.bytes, w->e->folds[0].size);
}

/* Elements [begin, end) of row k, begin being a tile's. */
static void scan_row(ga_scanner *w, uint64_t k, uint64_t begin, uint64_t end, int write)
{
  ga_block b;
  for (uint64_t at = begin; at < end; at += w->e->scan.block) {
    size_t n = end - at < w->e->scan.block ? (size_t)(end - at) : w->e->scan.block;
    const char *from = eval_block(w, k * w->e->reduced + at, n, &b);
    scan_piece(w, n, at, write ? ga_scan_aim(w, &b) : w->value, from);
    if (write) ga_frame_eval(&w->post, &b);
  }
}

/* Rows [k, k + n), which make one block. */
static void scan_rows(ga_scanner *w, uint64_t k, size_t n)
{
  size_t row = (size_t)w->e->reduced;
  int tiny = row <= GA_TINY && n >= GA_TINY / 2;
  ga_block b;
  const char *from = eval_block(w, k * row, n * row, &b);
  char *value = ga_scan_aim(w, &b);
  if (w->e->scan.free != NULL) {
    set_state(w, NULL);
    w->e->scan.free(row, n, w->e->scan.exclusive, w->state, value, from);
  } else if (tiny) {
    ga_scan_tiny(w->e, n, row, value, from, w->tiny);
  } else {
    for (size_t i = 0; i < n; i++) {
      size_t at = i * row * w->e->folds[0].size;
      set_state(w, NULL);
      scan_piece(w, row, 0, value + at, from + at);
    }
  }
  ga_frame_eval(&w->post, &b);
}

/* ---- running ------------------------------------------------------------------------ */

typedef struct scan_call {
  const ga_exec *e;
  void *const *addr;
  const ga_value *params;
  uint64_t units; /* of a piece; 0: a piece is a tile of a unit */
  int write;      /* 0: only the tiles' totals are wanted */
  char *tiles;    /* [nunit][ntile][cols]: a tile's total, then what the tiles before
                     it make; and [3][cols] to work with */
  atomic_int failed;
} scan_call;

/* The kept elements of unit u; returns how many. */
static size_t unit_at(const ga_exec *e, uint64_t u, uint64_t *k)
{
  const ga_scan_cut *c = &e->scan;
  if (!c->columns) {
    *k = u * c->whole;
    return e->kept - *k < c->whole ? (size_t)(e->kept - *k) : c->whole;
  }
  size_t row = e->dims[e->nk - 1], parts = (size_t)ceil_div(row, c->cols);
  size_t at = (size_t)(u % parts) * c->cols;
  *k = u / parts * row + at;
  return row - at < c->cols ? row - at : c->cols;
}

static void walk_unit(ga_scanner *w, uint64_t u, uint64_t begin, uint64_t end, const void *tiles,
                      int write)
{
  const ga_scan_cut *c = &w->e->scan;
  uint64_t k;
  size_t n = unit_at(w->e, u, &k);
  if (c->whole > 1) {
    scan_rows(w, k, n);
    return;
  }
  set_state(w, tiles);
  if (c->columns)
    ga_scan_columns(w, k, n, begin, end, write);
  else
    scan_row(w, k, begin, end, write);
}

static void run_piece(const scan_call *c, ga_scanner *w, uint64_t i)
{
  const ga_scan_cut *cut = &c->e->scan;
  uint64_t n = c->e->reduced, t = i % cut->ntile;
  size_t bytes = cut->cols * c->e->folds[0].size;
  if (c->units > 0) {
    for (uint64_t u = i * c->units; u < (i + 1) * c->units && u < cut->nunit; u++)
      walk_unit(w, u, 0, n, NULL, 1);
    return;
  }
  char *tile = c->tiles + i * bytes;
  uint64_t begin = t * GA_SCAN_TILE, end = begin + GA_SCAN_TILE < n ? begin + GA_SCAN_TILE : n;
  if (!c->write && t + 1 == cut->ntile) return; /* no one asks for the last one's total */
  walk_unit(w, i / cut->ntile, begin, end, c->write ? tile : NULL, c->write);
  if (!c->write) /* one of them is the total, the other the identity */
    ga_fold_join(c->e->folds, cut->cols, tile, NULL, w->state, NULL, w->state + bytes, NULL);
}

static void scan_pieces(void *arg, ga_share *share)
{
  scan_call *c = arg;
  ga_scanner w;
  size_t i;
  if (!ga_pool_next(share, &i)) return;
  if (!scanner_init(&w, c->e, c->addr, c->params)) {
    atomic_store_explicit(&c->failed, 1, memory_order_relaxed);
    return;
  }
  do run_piece(c, &w, i);
  while (ga_pool_next(share, &i));
}

/* A unit's totals to what the tiles before each make. state: spans, tiles, one spare. */
static void carry_unit(const ga_exec *e, char *tile, char *state)
{
  const ga_fold *f = e->folds;
  size_t cols = e->scan.cols, bytes = cols * f->size;
  char *spans = state, *tiles = state + bytes, *spare = tiles + bytes;
  ga_cpu_fill(f->size, 2 * cols, state, e->scan.identity.bytes);
  for (uint64_t t = 0; t < e->scan.ntile; t++, tile += bytes) {
    memcpy(spare, tile, bytes);
    ga_fold_join(f, cols, tile, NULL, spans, NULL, tiles, NULL);
    if (t + 1 == e->scan.ntile) return; /* its total is not there */
    ga_fold_join(f, cols, tiles, NULL, tiles, NULL, spare, NULL);
    if ((t + 1) * GA_SCAN_TILE % GA_SCAN_SPAN != 0) continue;
    ga_fold_join(f, cols, spans, NULL, spans, NULL, tiles, NULL);
    ga_cpu_fill(f->size, cols, tiles, e->scan.identity.bytes);
  }
}

static void carry_tiles(const scan_call *c)
{
  const ga_exec *e = c->e;
  size_t bytes = e->scan.cols * e->folds[0].size, n = (size_t)(e->scan.nunit * e->scan.ntile);
  ga_fpmode mode = ga_fpmode_enter();
  for (uint64_t u = 0; u < e->scan.nunit; u++)
    carry_unit(e, c->tiles + u * e->scan.ntile * bytes, c->tiles + n * bytes);
  ga_fpmode_leave(mode);
}

static int run_tiles(scan_call *c)
{
  const ga_scan_cut *cut = &c->e->scan;
  size_t n = (size_t)(cut->nunit * cut->ntile);
  size_t bytes = (n + 3) * cut->cols * c->e->folds[0].size;
  c->tiles = malloc(bytes);
  if (c->tiles == NULL) return ga_error_memory("expression: partial results", bytes);
  ga_pool_run(n, scan_pieces, c);
  if (!atomic_load_explicit(&c->failed, memory_order_relaxed)) {
    carry_tiles(c);
    c->write = 1;
    ga_pool_run(n, scan_pieces, c);
  }
  free(c->tiles);
  return GA_NO_ERROR;
}

/* Tiles cost their evaluation twice: worth it for three threads and more. */
static int deal_tiles(const ga_exec *e)
{
  const ga_scan_cut *c = &e->scan;
  return c->whole == 1 && c->ntile > 3 && c->nunit < ga_pool_threads() && ga_pool_threads() > 2 &&
         c->unit_cost * (double)c->nunit > 4.0 * PARALLEL_COST;
}

int ga_scan_run(const ga_exec *e, void *const *addr, const ga_value *params)
{
  scan_call c = {.e = e, .addr = addr, .params = params};
  const ga_scan_cut *cut = &e->scan;
  int err = GA_NO_ERROR;
  if (e->kept == 0 || e->reduced == 0) return GA_NO_ERROR;
  if (deal_tiles(e)) {
    err = run_tiles(&c);
  } else {
    c.units = cut->nunit;
    if (cut->unit_cost * (double)cut->nunit >= PARALLEL_COST)
      c.units = (uint64_t)(PIECE_COST / (cut->unit_cost + 1)) + 1;
    ga_pool_run((size_t)ceil_div(cut->nunit, c.units), scan_pieces, &c);
  }
  if (err == GA_NO_ERROR && atomic_load_explicit(&c.failed, memory_order_relaxed))
    return ga_error_memory("expression: cpu scratch", scanner_size(e));
  return err;
}
