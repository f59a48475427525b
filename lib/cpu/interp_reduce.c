/* SPDX-License-Identifier: MIT */
/* Reductions: units dealt to threads, or, where there are too few of them, groups
 * of a unit's chunks; the groups' results joined, and what follows a reduction
 * computed. Pieces depend on the number of threads and the bits do not, because a
 * group is a subtree of the one tree that DESIGN.md ("Order of a reduction")
 * defines. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"
#include "lib/util/fpmode.h"

enum {
  PIECE_COST = 200000,   /* work that a thread takes at a time */
  PARALLEL_COST = 300000 /* work worth waking threads */
};

static size_t ceil_div(uint64_t a, uint64_t b) { return (size_t)((a + b - 1) / b); }

void ga_fold_mark(ga_exec *e)
{
  const unsigned int every = 1u << GA_MARKED;
  const ga_code *c = &e->pre;
  for (unsigned int i = c->ninstr; i-- > 0;) {
    ga_instr *in = &c->instrs[i];
    unsigned int users = 0;
    for (unsigned int k = 0; k < e->nfold; k++) {
      const ga_fold *f = &e->folds[k];
      if (f->value == in->dst) users |= k < GA_MARKED ? 1u << k : every;
      if (f->index && f->find == NULL && f->iota == in->dst) users |= every;
    }
    for (unsigned int k = i + 1; k < c->ninstr; k++)
      for (unsigned int s = 0; s < c->instrs[k].nsrc; s++)
        if (c->instrs[k].src[s] == in->dst) users |= c->instrs[k].only ? c->instrs[k].only : every;
    for (unsigned int k = 0; k < c->nput; k++)
      if (c->puts[k].to.place == in->dst) users |= every;
    in->only = users < every && (users & (users - 1)) == 0 ? users : 0;
  }
}

/* ---- a thread's memory ------------------------------------------------------------ */

/* Takes room for n values of `size` bytes and the fold's indices from the scratch
 * memory; with no memory yet, only counts. */
static void take(char **mem, size_t *used, char *pair[2], const ga_fold *f, size_t size, size_t n)
{
  size_t sizes[2] = {size * n, f->second * n};
  for (int i = 0; i < 2; i++) {
    pair[i] = *mem != NULL && sizes[i] > 0 ? *mem + *used : NULL;
    *used += (sizes[i] + 63) & ~(size_t)63;
  }
}

/* Lays a reducer out in `mem`, or counts the bytes it needs when mem is NULL. */
static size_t reducer_lay(ga_reducer *w, const ga_exec *e, char *mem)
{
  const ga_cut *c = &e->cut;
  ga_fold_state none, *s = (ga_fold_state *)mem;
  size_t used = (e->nfold * sizeof *s + 63) & ~(size_t)63;
  size_t cols = c->columns || c->abreast ? c->tile : 1, quad = c->rows < 4 ? 4 : c->rows;
  w->e = e;
  w->state = s;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    s = mem != NULL ? &w->state[i] : &none;
    take(&mem, &used, s->acc, f, f->size, c->tile);
    take(&mem, &used, s->stack, f, f->size,
         cols * (c->columns && c->raked ? 1 : (size_t)(c->levels + 1)));
    if (e->pre.block < GA_CHUNK) take(&mem, &used, s->whole, f, f->from, GA_CHUNK);
    if (!c->columns && e->reduced <= GA_TINY) {
      take(&mem, &used, s->quad, f, f->from, c->block);
      if (f->rake != NULL) take(&mem, &used, s->fours, f, f->raked, c->block);
    }
    if (!c->columns) continue;
    take(&mem, &used, s->quad, f, f->from, quad * cols);
    take(&mem, &used, s->fours, f, c->raked ? f->raked : f->size,
         (c->raked      ? 1
          : c->rows > 1 ? 32
                        : 6) *
             cols);
    for (int k = 0; k < (c->at_once ? 7 : 3) && !c->raked; k++)
      take(&mem, &used, s->leaf[k], f, f->from, c->rows * cols);
  }
  return used;
}

static size_t reducer_size(const ga_exec *e)
{
  ga_reducer w;
  return reducer_lay(&w, e, NULL) + ga_frame_size(&e->pre) + ga_frame_size(&e->post);
}

static int reducer_init(ga_reducer *w, const ga_exec *e, void *const *addr, const ga_value *params)
{
  int same;
  char *mem = ga_cpu_scratch(e, reducer_size(e), &same);
  if (mem == NULL) return 0;
  size_t used = reducer_lay(w, e, mem);
  ga_frame_init(&w->pre, &e->pre, mem + used, same, addr, params, e->pre.block);
  w->pre.far = e->cut.far;
  used += ga_frame_size(&e->pre);
  ga_frame_init(&w->post, &e->post, mem + used, same, addr, params, e->cut.tile);
  return 1;
}

/* ---- running ------------------------------------------------------------------- */

typedef struct reduce_call {
  const ga_exec *e;
  void *const *addr;
  const ga_value *params;
  size_t units;     /* a piece: so many units, ... */
  size_t ngroup;    /* ... or one unit over one of so many groups of chunks */
  size_t group;     /* chunks of a group */
  char *(*part)[2]; /* [nfold]: groups' results, [ngroup][kept] */
  atomic_int failed;
} reduce_call;

/* The kept elements of unit u; returns how many. */
static size_t unit_at(const ga_exec *e, size_t u, uint64_t *k)
{
  const ga_cut *c = &e->cut;
  if (!c->columns) {
    *k = (uint64_t)u * c->tile;
    return e->kept - *k < c->tile ? (size_t)(e->kept - *k) : c->tile;
  }
  size_t per = ceil_div(c->row, c->tile), at = u % per * c->tile;
  *k = (uint64_t)(u / per) * c->row + at;
  return c->row - at < c->tile ? c->row - at : c->tile;
}

static void fill_empty(ga_reducer *w, size_t n)
{
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    ga_cpu_fill(f->size, n, w->state[i].acc[0], f->empty.bytes);
  }
}

void ga_fold_settle(const ga_exec *e, const ga_fold *f, size_t n, char *const *to,
                    char *const *raked, uint64_t r)
{
  const void *src[] = {raked[0]};
  f->settle(n, to[0], src);
  if (!f->index) return;
  int64_t *index = (int64_t *)to[1], first = e->first_index + (int64_t)r;
  const int32_t *row = (const int32_t *)raked[1];
  for (size_t i = 0; i < n; i++) index[i] = first + row[i];
}

static void reduce_unit(ga_reducer *w, uint64_t k, size_t n, size_t begin, size_t end)
{
  if (w->e->reduced == 0)
    fill_empty(w, n);
  else if (w->e->cut.columns)
    ga_columns_unit(w, k, n, begin, end);
  else
    ga_rows_unit(w, k, n, begin, end);
}

/* Moments whose sum is not finite are not numbers, whatever they were joined to. */
static void settle_moments(const ga_fold *f, size_t n, char *const *acc)
{
  if (f->size == sizeof(float)) {
    float *m = (float *)acc[0], *sum = (float *)acc[1];
    for (size_t i = 0; i < n; i++) m[i] += sum[i] - sum[i];
  } else {
    double *m = (double *)acc[0], *sum = (double *)acc[1];
    for (size_t i = 0; i < n; i++) m[i] += sum[i] - sum[i];
  }
}

/* What follows the reductions, for the kept elements in the states' acc. */
static void finish_unit(ga_reducer *w, uint64_t k, size_t n)
{
  ga_block b = {.n = n};
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    if (f->weigh != NULL) settle_moments(f, n, w->state[i].acc);
    if (f->result != GA_NOPLACE) w->post.at[f->result] = w->state[i].acc[f->index];
  }
  ga_code_position(&w->e->post, b.pos, k);
  ga_frame_eval(&w->post, &b);
}

/* Points acc at element k of group g's results. */
static void aim_parts(const reduce_call *c, ga_reducer *w, size_t g, uint64_t k)
{
  for (unsigned int i = 0; i < c->e->nfold; i++) {
    size_t at = (size_t)(g * c->e->kept + k);
    w->state[i].acc[0] = c->part[i][0] + at * c->e->folds[i].size;
    if (c->e->folds[i].second > 0) w->state[i].acc[1] = c->part[i][1] + at * c->e->folds[i].second;
  }
}

static void run_piece(const reduce_call *c, ga_reducer *w, size_t i)
{
  const ga_cut *cut = &c->e->cut;
  uint64_t k;
  if (c->ngroup > 1) {
    size_t u = cut->abreast ? i % cut->nunit : i / c->ngroup;
    size_t g = cut->abreast ? i / cut->nunit : i % c->ngroup, end = (g + 1) * c->group;
    size_t n = unit_at(c->e, u, &k);
    aim_parts(c, w, g, k);
    reduce_unit(w, k, n, g * c->group, end < cut->nchunk ? end : cut->nchunk);
    return;
  }
  for (size_t u = i * c->units; u < (i + 1) * c->units && u < cut->nunit; u++) {
    size_t n = unit_at(c->e, u, &k);
    reduce_unit(w, k, n, 0, cut->nchunk);
    finish_unit(w, k, n);
  }
}

static void reduce_pieces(void *arg, ga_share *share)
{
  reduce_call *c = arg;
  ga_reducer w;
  size_t i;
  if (!ga_pool_next(share, &i)) return;
  if (!reducer_init(&w, c->e, c->addr, c->params)) {
    atomic_store_explicit(&c->failed, 1, memory_order_relaxed);
    return;
  }
  do run_piece(c, &w, i);
  while (ga_pool_next(share, &i));
}

/* Groups of chunks, where there are too few units for the threads, or where units abreast are to
 * find in cache what the first one has read. */
static void choose_pieces(reduce_call *c)
{
  const ga_cut *cut = &c->e->cut;
  size_t threads = ga_pool_threads();
  c->units = cut->nunit;
  c->ngroup = 1;
  if (cut->columns && cut->abreast) {
    c->group = 1;
    while (2 * c->group * cut->chunk * c->e->kept <= GA_MANY / 2) c->group *= 2;
    c->ngroup = ceil_div(cut->nchunk, c->group);
    return;
  }
  if (threads == 1 || cut->unit_cost * (double)cut->nunit < PARALLEL_COST) return;
  c->units = (size_t)(PIECE_COST / (cut->unit_cost + 1)) + 1;
  if (cut->nunit >= 4 * threads || cut->nchunk < 2) return;
  c->group = 1;
  size_t most = 8 * threads / cut->nunit + 1;
  double chunk_cost = cut->unit_cost / (double)cut->nchunk;
  while (c->group < cut->nchunk &&
         (ceil_div(cut->nchunk, c->group) > most || chunk_cost * (double)c->group < PIECE_COST))
    c->group *= 2;
  c->ngroup = ceil_div(cut->nchunk, c->group);
}

/* Joins what `step` groups from g + step on gave to what as many from g on did. */
static void join_groups(const reduce_call *c, size_t g, size_t step)
{
  const ga_exec *e = c->e;
  size_t n = (size_t)e->kept;
  uint64_t nl = (uint64_t)step * c->group * e->cut.chunk, left = e->reduced - (g / step + 1) * nl;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    char *l = c->part[i][0] + g * n * f->size, *r = l + step * n * f->size;
    char *li = f->second > 0 ? c->part[i][1] + g * n * f->second : NULL;
    ga_fold_weigh(f, n, l, li, l, li, r, li != NULL ? li + step * n * f->second : NULL, nl,
                  left < nl ? left : nl);
  }
}

/* Joins the groups' results, all kept elements at once, and finishes. */
static int finish_groups(reduce_call *c)
{
  const ga_exec *e = c->e;
  ga_reducer w;
  uint64_t k;
  if (!reducer_init(&w, e, c->addr, c->params))
    return ga_error_memory("expression: cpu scratch", reducer_size(e));
  for (size_t step = 1; step < c->ngroup; step *= 2)
    for (size_t g = 0; g + step < c->ngroup; g += 2 * step) join_groups(c, g, step);
  for (size_t u = 0; u < e->cut.nunit; u++) {
    size_t m = unit_at(e, u, &k);
    aim_parts(c, &w, 0, k);
    finish_unit(&w, k, m);
  }
  return GA_NO_ERROR;
}

static int run_groups(reduce_call *c)
{
  const ga_exec *e = c->e;
  size_t n = c->ngroup * (size_t)e->kept, bytes = e->nfold * sizeof *c->part;
  for (unsigned int i = 0; i < e->nfold; i++)
    bytes += n * (e->folds[i].size + sizeof(int64_t)) + 32;
  char *mem = malloc(bytes), *p = mem + e->nfold * sizeof *c->part;
  if (mem == NULL) return ga_error_memory("expression: partial results", bytes);
  c->part = (char *(*)[2])mem;
  for (unsigned int i = 0; i < e->nfold; i++) {
    p = (char *)(((uintptr_t)p + 15) & ~(uintptr_t)15);
    c->part[i][0] = p;
    p += n * e->folds[i].size;
    p = (char *)(((uintptr_t)p + 15) & ~(uintptr_t)15);
    c->part[i][1] = p;
    p += n * e->folds[i].second;
  }
  ga_pool_run(e->cut.nunit * c->ngroup, reduce_pieces, c);
  int err = GA_NO_ERROR;
  if (!atomic_load_explicit(&c->failed, memory_order_relaxed)) {
    ga_fpmode mode = ga_fpmode_enter();
    err = finish_groups(c);
    ga_fpmode_leave(mode);
  }
  free(mem);
  return err;
}

int ga_reduce_run(const ga_exec *e, void *const *addr, const ga_value *params)
{
  reduce_call c = {.e = e, .addr = addr, .params = params};
  int err = GA_NO_ERROR;
  if (e->kept == 0) return GA_NO_ERROR;
  choose_pieces(&c);
  if (c.ngroup > 1)
    err = run_groups(&c);
  else
    ga_pool_run(ceil_div(e->cut.nunit, c.units), reduce_pieces, &c);
  if (err == GA_NO_ERROR && atomic_load_explicit(&c.failed, memory_order_relaxed))
    return ga_error_memory("expression: cpu scratch", reducer_size(e));
  return err;
}
