/* SPDX-License-Identifier: MIT */
/* Reductions: how the loop is cut. By columns, where rows of kept elements lie in
 * memory and are long enough to be joined as they are; else by rows, each kept
 * element's own values being brought together. */
#include <stdlib.h>
#include <string.h>

#include "interp.h"

enum {
  COLUMN_MIN = 16,      /* shorter rows of kept elements are gathered instead */
  COLUMN_BLOCK = 4096,  /* elements of a block of several rows */
  LONG_BYTES = 1024,    /* of a row that is read by itself rather than copied */
  COLUMN_BYTES = 16384, /* of a row: memory runs at speed from a few KiB on, ... */
  LINE_BYTES = 65536,   /* ... where it is read in place faster the longer, ... */
  RAKE_BYTES = 262144,  /* ... until accumulators do not stay in the second cache */
  ROW_BYTES = 16384,    /* of a row's chunk where no order is kept */
  UNIT = 1024,          /* kept elements that post sees at once */
  GROUP_BYTES = 16384,  /* of the chunks that are joined together, ... */
  LINED_BYTES = 65536,  /* ... or from beyond the cache are one block */
  ABREAST = 64,         /* kept elements whose chunks alternate ... */
  RUN = 16384,          /* ... where runs of theirs are of less bytes (a 16th where narrow) */
  LINED = 4 << 20       /* bytes, from which on a tree's eight parts are read slowly */
};

static size_t ceil_div(uint64_t a, uint64_t b) { return (size_t)((a + b - 1) / b); }
static size_t apart(ssize_t stride) { return (size_t)(stride < 0 ? -stride : stride); }

/* ---- axes ----------------------------------------------------------------------- */

/* Operand i is read before the reductions, or is the iota, which comes last. */
static int is_inner(const ga_exec *e, const ga_stage *st, unsigned int i)
{
  if (i == e->noperand) return 1;
  for (unsigned int k = 0; k < st->nnode; k++)
    if (st->nodes[k].op == GA_N_LOAD && st->nodes[k].index == (int)i && !(st->nodes[k].level & 1))
      return 1;
  return 0;
}

/* All that is reduced walks axes k and k + 1 as one. */
static int walked_as_one(const ga_exec *e, const ga_stage *st, unsigned int k)
{
  for (unsigned int i = 0; i <= e->noperand; i++) {
    ssize_t step, *s = e->strides[i] + k;
    if (is_inner(e, st, i) &&
        (__builtin_mul_overflow(s[1], (ssize_t)e->dims[k + 1], &step) || step != s[0]))
      return 0;
  }
  return 1;
}

/* Kept axes that only results tell apart become one, as rows of kept elements are then longer:
 * a of shape (28,8,309,29) whose axes lie in memory in the order 3, 0, 2, 1, reduced over the
 * first, has rows of 8 for a result in C order, and of 2472 for itself. */
static void join_kept(ga_exec *e, const ga_stage *st)
{
  for (unsigned int k = e->nk; k-- > 1;) {
    if (!walked_as_one(e, st, k - 1)) continue;
    size_t after = e->nk + e->nr - k - 1;
    e->dims[k - 1] *= e->dims[k];
    memmove(e->dims + k, e->dims + k + 1, after * sizeof *e->dims);
    for (unsigned int i = 0; i <= e->noperand; i++) {
      ssize_t *s = e->strides[i] + k;
      s[-1] = s[0];
      memmove(s, s + 1, after * sizeof *s);
    }
    e->nk--;
  }
}

/* ---- units ---------------------------------------------------------------------- */

/* All that is reduced lies in rows, one element after the other. */
static int lies_in_rows(const ga_exec *e, const ga_stage *st)
{
  for (unsigned int i = 0; i < e->noperand; i++)
    if (is_inner(e, st, i) && e->strides[i][e->nk - 1] != (ssize_t)e->folds[0].from) return 0;
  return 1;
}

/* There are gaps between rows of kept elements, or these run backwards, and several segments of
 * a chunk, which are read at once: blocks of several rows would be copied. */
static int rows_apart(const ga_exec *e, const ga_stage *st)
{
  if (e->reduced <= 128) return 0;
  for (unsigned int i = 0; i < e->noperand; i++)
    if (is_inner(e, st, i) &&
        e->strides[i][e->nk + e->nr - 1] != (ssize_t)(e->dims[e->nk - 1] * e->folds[0].from))
      return 1;
  return 0;
}

/* Parts of a row, of `size` bytes an accumulator: as few as may be that give all threads work. */
static size_t column_parts(const ga_exec *e, size_t row, size_t size, int in_place)
{
  size_t most = ceil_div(row, COLUMN_BYTES / size), want, least;
  if (!in_place) return most;
  least = ceil_div(row, (e->cut.raked ? RAKE_BYTES : LINE_BYTES) / size);
  want = ga_pool_threads() > 1 ? ceil_div(4 * ga_pool_threads(), e->kept / row) : 1;
  return want < least ? least : want < most ? want : most;
}

static void cut_columns(ga_cut *c, const ga_exec *e, int computed, int in_place, int apart)
{
  size_t row = e->dims[e->nk - 1], widest = 1;
  c->at_once = !c->raked;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    size_t size = !c->raked ? f->size : f->raked > f->from ? f->raked : f->from;
    if (size > widest) widest = size;
    if (f->abreast == NULL) c->at_once = 0;
  }
  size_t parts = column_parts(e, row, widest, in_place), most = c->raked ? GA_CHUNK : 128;
  int alone = c->at_once && in_place && apart && row * widest > LONG_BYTES;
  c->columns = 1;
  c->row = row;
  c->tile = ceil_div(row, parts);
  c->rows = 1;
  if (parts == 1 && row <= COLUMN_BLOCK / 4 && !alone)
    for (c->rows = 4; c->rows < most && 2 * c->rows * row <= COLUMN_BLOCK;) c->rows *= 2;
  if (parts == 1 && c->raked && !computed && c->rows < 4) c->rows = 4; /* as a rake takes them */
  if (c->rows == 1 && parts > 1) c->tile = (c->tile + 63) & ~(size_t)63;
  c->nunit = (size_t)(e->kept / row) * ceil_div(row, c->tile);
  c->block = (c->tile * c->rows + 63) & ~(size_t)63;
}

/* Bytes of the widest value that is reduced. */
static size_t widest(const ga_exec *e)
{
  size_t size = 1;
  for (unsigned int i = 0; i < e->nfold; i++)
    if (e->folds[i].from > size) size = e->folds[i].from;
  return size;
}

/* Whether rows beyond the cache are made of short runs, between which lie those of the next ones:
 * sums of (6250,50,32) over axes 0 and 2. */
static int runs_alternate(const ga_exec *e, const ga_stage *st)
{
  if (e->nk == 0 || e->nr < 2 || e->kept * e->reduced * widest(e) <= LINED) return 0;
  for (unsigned int i = 0; i < e->nfold; i++)
    if (e->folds[i].index || e->folds[i].ends >= 0 || e->folds[i].from < 4) return 0;
  for (unsigned int i = 0; i < e->noperand; i++) {
    const ssize_t *s = e->strides[i];
    ssize_t next = s[e->nk - 1], outer = s[e->nk + e->nr - 2], inner = s[e->nk + e->nr - 1];
    size_t run = e->dims[e->nk + e->nr - 1] * apart(inner), most = ga_cpu_narrow() ? RUN / 16 : RUN;
    if (next != 0 && is_inner(e, st, i) && run < most && apart(next) < apart(outer)) return 1;
  }
  return 0;
}

/* Whether short rows of several units lie between one row of a unit and its next: sums of
 * (64000,7,8) cut out of (64000,7,11) over axis 0. */
static int units_alternate(const ga_exec *e, const ga_stage *st)
{
  size_t bytes = e->kept * e->reduced * widest(e);
  if (e->nk < 2 || bytes <= LINED / 4 || e->cut.row * widest(e) >= RUN) return 0;
  for (unsigned int i = 0; i < e->noperand; i++) {
    ssize_t unit = e->strides[i][e->nk - 2], row = e->strides[i][e->nk + e->nr - 1];
    if (is_inner(e, st, i) && unit != 0 && apart(unit) < apart(row)) return 1;
  }
  return 0;
}

static void cut_rows(ga_cut *c, const ga_exec *e, const ga_stage *st)
{
  uint64_t fit = e->reduced <= c->chunk ? c->block / e->reduced : 0, unit = UNIT;
  if (fit == 0 && e->reduced <= c->chunk) fit = 1;
  c->rows = (size_t)fit;
  if (e->reduced > 64) unit = 65536 / e->reduced + 1;
  if (fit > 0) unit = (unit + fit - 1) / fit * fit;
  c->abreast = fit == 0 && runs_alternate(e, st);
  if (c->abreast) unit = ABREAST;
  c->tile = (size_t)(unit < e->kept ? unit : e->kept);
  c->nunit = ceil_div(e->kept, c->tile);
}

int ga_fold_undone(const ga_exec *e, const ga_stage *st, int node)
{
  int undone = 0;
  for (unsigned int i = 0; i < e->nfold; i++) {
    if (st->reductions[i].node != node) continue;
    if (e->folds[i].from == e->folds[i].size) return 0;
    undone = 1;
  }
  return undone;
}

static int is_computed(const ga_exec *e, const ga_stage *st)
{
  for (unsigned int i = 0; i < st->nnode; i++)
    if (st->nodes[i].level == 0 && !ga_fold_undone(e, st, (int)i) &&
        (st->nodes[i].op == GA_N_CAST || st->nodes[i].op >= GA_N_OP))
      return 1;
  return 0;
}

/* A row's chunk where no fold depends on the order: as much as is worth a call, or a block where
 * elements are computed. */
static size_t row_chunk(const ga_exec *e, const ga_stage *st)
{
  for (unsigned int i = 0; i < e->nfold; i++)
    if (!e->folds[i].free) return GA_CHUNK;
  size_t most = is_computed(e, st) ? ga_code_block(e, st) : ROW_BYTES / widest(e);
  return most > GA_CHUNK ? most : GA_CHUNK;
}

/* A chunk is one block, if all that computes it stays in cache; of tiny rows to be read many are.
 */
static size_t chunk_block(const ga_exec *e, const ga_stage *st)
{
  enum { MANY = 4 * GA_CHUNK };
  size_t block = ga_code_block(e, st);
  if (is_computed(e, st)) return block < e->cut.chunk ? block : e->cut.chunk;
  return e->reduced <= GA_TINY && e->folds[0].from <= 4 ? MANY : e->cut.chunk;
}

/* Chunks of a row that are joined by one call, as several short rows are, where they lie; from
 * beyond the cache, that are one block. */
static size_t chunk_group(const ga_exec *e, const ga_stage *st)
{
  size_t fit = (e->cut.lined ? LINED_BYTES : GROUP_BYTES) / widest(e) / GA_CHUNK;
  if (e->reduced < fit * GA_CHUNK) fit = (size_t)e->reduced / GA_CHUNK;
  if (e->cut.rows > 0 || e->cut.abreast || is_computed(e, st)) return 1;
  if (e->cut.lined && (e->nr > 1 || widest(e) > 4)) return 1; /* of more they are halved */
  for (unsigned int i = 0; i < e->nfold; i++)
    if (e->folds[i].shorts == NULL || e->folds[i].free || e->folds[i].second > 0) return 1;
  for (unsigned int i = 0; i < e->noperand; i++)
    if (is_inner(e, st, i) && e->strides[i][e->nk + e->nr - 1] != (ssize_t)e->folds[0].from)
      return 1;
  return fit > 1 ? fit : 1;
}

static int by_columns(const ga_exec *e, const ga_layout *l)
{
  size_t row = e->nk > 0 ? e->dims[e->nk - 1] : 0;
  if (e->kept == 0 || e->reduced == 0) return 0;
  return l->cls == GA_CLASS_COLUMNS && e->nr > 0 &&
         (row >= COLUMN_MIN || (row >= 2 && e->reduced >= 256));
}

static void cut_stage(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  ga_cut *c = &e->cut;
  c->chunk = by_columns(e, l) || e->reduced <= GA_TINY ? GA_CHUNK : row_chunk(e, st);
  c->block = chunk_block(e, st);
  if (e->kept == 0 || e->reduced == 0) {
    c->tile = (size_t)(e->kept < UNIT ? e->kept : UNIT);
    c->nunit = c->tile > 0 ? ceil_div(e->kept, c->tile) : 0;
    return;
  }
  if (by_columns(e, l))
    cut_columns(c, e, is_computed(e, st), !is_computed(e, st) && lies_in_rows(e, st),
                rows_apart(e, st));
  else
    cut_rows(c, e, st);
  if (c->columns) c->abreast = units_alternate(e, st);
  c->nchunk = ceil_div(e->reduced, c->chunk);
  c->far = c->columns ? ga_columns_far(c, c->row * widest(e)) : GA_FAR_RUNS;
  uint64_t bytes = e->kept * e->reduced * widest(e);
  if (bytes <= 4 * GA_MANY) c->far = GA_NEAR;
  c->lined = bytes > LINED && e->reduced > GA_ROW && !ga_cpu_asks();
  c->group = c->columns ? 1 : chunk_group(e, st);
  if (c->group > 1) c->block = c->group * GA_CHUNK;
  c->levels = 65 - __builtin_clzll(c->nchunk) + (int)c->group;
}

/* ---- folds and code ---------------------------------------------------------------- */

/* What is read is beyond the cache. */
static int is_far(const ga_exec *e) { return e->kept * e->reduced > GA_MANY; }

/* The loops of reductions that read elements of dtype t; halves are more work than reading. */
static const ga_loops *loops_for(const ga_exec *e, enum ga_dtype t)
{
  int half = ga_dtypes[t].kind == 'f' && ga_dtypes[t].size < 4;
  return ga_far_loops(is_far(e) && !half);
}

/* The iota goes on by `step` along the reduced index: by 1, so that of equal values the later
 * loses, or by -1. */
static int iota_steps(const ga_exec *e, ssize_t step)
{
  for (unsigned int k = e->nk + e->nr; k-- > e->nk; step *= (ssize_t)e->dims[k])
    if (e->strides[e->noperand][k] != step) return 0;
  return 1;
}

/* It is the reduced index, counted up or down, but for where it begins, or counts evenly in runs
 * worth a call, and nothing else asks for it. */
static int iota_is_index(const ga_exec *e, const ga_stage *st)
{
  const unsigned int run = e->nk + e->nr - 1; /* of nr > 0, if it takes no steps of 1 */
  if (!iota_steps(e, 1) && !iota_steps(e, -1))
    if (e->dims[run] <= GA_TINY || e->strides[e->noperand][run] == 0) return 0;
  for (unsigned int k = 0; k < e->nk; k++)
    if (e->dims[k] > 1 && e->strides[e->noperand][k] != 0) return 0;
  for (unsigned int i = 0; i < st->nnode; i++)
    for (int k = 0; k < 3; k++) {
      int arg = st->nodes[i].arg[k];
      if (st->nodes[i].op != GA_N_REDUCE && arg >= 0 && st->nodes[arg].op == GA_N_IOTA) return 0;
    }
  return 1;
}

/* The node whose values are reduced: that of a sum of narrow integers before it is cast. */
static int reduced_node(const ga_stage *st, const ga_reduction *r)
{
  const ga_node *n = &st->nodes[r->node];
  int wide = r->acc == GA_DT_INT64 || r->acc == GA_DT_UINT64;
  if (r->op != GA_REDUCE_sum || !wide || n->op != GA_N_CAST) return r->node;
  return ga_cpu_wide_sum(st->nodes[n->arg[0]].dtype) != NULL ? n->arg[0] : r->node;
}

/* How argmin and argmax get along without an index for every value. Tiny rows that no rake takes
 * are turned with their indices. */
static void make_index_fold(const ga_exec *e, const ga_stage *st, const ga_reduction *r, ga_fold *f)
{
  int least = r->op == GA_REDUCE_argmin, rising = iota_steps(e, 1);
  const ga_loops *l = loops_for(e, r->acc);
  const enum ga_reduce_op op = least ? GA_REDUCE_min : GA_REDUCE_max;
  f->extreme = l->lead[r->acc][op] ? l->lead[r->acc][op] : ga_cpu_tree_in(l, op, r->acc);
  f->behind = least ? ga_cpu_loop(rising ? GA_OP_greater_equal : GA_OP_greater, r->acc)
                    : ga_cpu_loop(rising ? GA_OP_less_equal : GA_OP_less, r->acc);
  f->equal = rising ? ga_cpu_loop(GA_OP_equal, r->acc) : NULL;
  f->way = rising ? 1 : -iota_steps(e, -1);
  if (e->reduced <= GA_TINY && (!rising || ga_dtypes[r->acc].kind == 'c')) return;
  const int last = !rising && e->strides[e->noperand][e->nk + e->nr - 1] < 0;
  if (f->extreme != NULL && iota_is_index(e, st)) f->find = ga_cpu_find(r->acc, last);
}

static void make_moment_fold(const ga_reduction *r, ga_fold *f)
{
  f->second = f->size;
  f->weigh = ga_cpu_moment_join(r->acc);
  f->lift = ga_cpu_loop(GA_OP_subtract, r->acc);
}

/* No order changes it, and its tree takes any number of elements of dtype `from`. */
static int is_free(const ga_reduction *r, const ga_fold *f, enum ga_dtype from)
{
  if (f->index && f->find == NULL) return 0;
  if (from != r->acc) return 1;
  return ga_cpu_free_tree(f->index ? GA_REDUCE_max : r->op, r->acc) != NULL;
}

/* The ways of a reduction that no order changes. */
static void make_free_fold(const ga_stage *st, const ga_reduction *r, ga_fold *f)
{
  enum ga_dtype from = st->nodes[reduced_node(st, r)].dtype, raked;
  f->from = ga_dtypes[from].size;
  if (from != r->acc) f->tree = ga_cpu_wide_sum(from);
  f->free = is_free(r, f, from);
  f->rake = f->index && (f->find == NULL || f->way < 1) ? NULL : ga_cpu_rake(r->op, from, &raked);
  if (f->rake == NULL) return;
  f->raked = ga_dtypes[raked].size;
  f->settle = ga_cpu_cast(raked, r->acc);
}

/* Rows of kept elements are raked if all folds can be; otherwise they are joined in the
 * order of the tree, of the accumulator's dtype and with their indices. */
static void choose_rakes(ga_exec *e, const ga_stage *st)
{
  e->cut.raked = 1;
  for (unsigned int i = 0; i < e->nfold; i++)
    if (e->folds[i].rake == NULL) e->cut.raked = 0;
  for (unsigned int i = 0; i < e->nfold && !e->cut.raked; i++) {
    ga_fold *f = &e->folds[i];
    f->from = f->size;
    f->tree = ga_cpu_tree(st->reductions[i].op, st->reductions[i].acc);
    f->find = NULL;
    f->rake = NULL;
  }
}

/* The value of a bool that decides a reduction of elements that come in order. */
static int deciding(const ga_reduction *r, const ga_fold *f)
{
  if (r->acc != GA_DT_BOOL || (f->index && (f->find == NULL || f->way < 1))) return -1;
  return r->op == GA_REDUCE_any || r->op == GA_REDUCE_max || r->op == GA_REDUCE_argmax;
}

static int make_folds(ga_exec *e, const ga_stage *st)
{
  e->folds = calloc(st->nreduction, sizeof *e->folds);
  if (e->folds == NULL) return ga_error_memory("stage", st->nreduction * sizeof *e->folds);
  e->nfold = st->nreduction;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_reduction *r = &st->reductions[i];
    ga_fold *f = &e->folds[i];
    f->tree = ga_cpu_tree_in(loops_for(e, r->acc), r->op, r->acc);
    f->combine = ga_cpu_combine(r->op, r->acc);
    f->abreast = ga_cpu_abreast_in(loops_for(e, r->acc), r->op, r->acc);
    f->size = ga_dtypes[r->acc].size;
    f->index = r->op == GA_REDUCE_argmin || r->op == GA_REDUCE_argmax;
    f->second = f->index ? sizeof(int64_t) : 0;
    if (r->op == GA_REDUCE_moment) make_moment_fold(r, f);
    f->result = GA_NOPLACE;
    if (f->index) make_index_fold(e, st, r, f);
    make_free_fold(st, r, f);
    f->ends = deciding(r, f);
    if (f->from == f->size && f->size >= 4) f->shorts = ga_cpu_short_rows(r->op, r->acc);
    if (f->tree == NULL || (f->combine == NULL && f->weigh == NULL) || f->index != (r->iota >= 0))
      return ga_error(GA_IMPL_ERROR, "stage: the cpu device has no such reduction of %s",
                      ga_dtypes[r->acc].name);
    if (e->reduced == 0 && e->kept > 0 && !ga_cpu_empty(r->op, r->acc, &f->empty))
      return ga_error(GA_VALUE_ERROR, "reduction over no elements, which has no identity");
  }
  return GA_NO_ERROR;
}

/* Which axes the blocks of pre move along. */
static void find_moves(unsigned char *moves, const ga_exec *e)
{
  const ga_cut *c = &e->cut;
  for (unsigned int k = 0; k < e->nk + e->nr; k++)
    moves[k] = c->columns || k < e->nk || c->rows == 0 || e->reduced > c->block;
}

static int make_pre(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  unsigned char moves[GA_MAXND];
  const ga_cut *c = &e->cut;
  int *results = calloc(2 * (size_t)e->nfold, sizeof *results);
  unsigned int *places = calloc(2 * (size_t)e->nfold, sizeof *places);
  int err = GA_NO_ERROR;
  if (results == NULL || places == NULL) {
    err = ga_error_memory("stage", 2 * e->nfold * (sizeof *results + sizeof *places));
    goto fail;
  }
  find_moves(moves, e);
  ga_layout own = *l;
  own.nk = e->nk;
  memcpy(own.dims, e->dims, sizeof own.dims);
  ga_compile what = {.st = st,
                     .l = &own,
                     .strides = e->strides,
                     .moves = moves,
                     .results = results,
                     .places = places};
  what.nd = c->columns ? e->nk : e->nk + e->nr;
  what.whole = c->columns || c->rows > 1 ? 0 : e->nk;
  what.block = c->block;
  what.far = is_far(e);
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_reduction *r = &st->reductions[i];
    int narrow = e->folds[i].from < e->folds[i].size;
    results[what.nresult++] = narrow ? reduced_node(st, r) : r->node;
  }
  for (unsigned int i = 0; i < e->nfold; i++)
    if (e->folds[i].index && e->folds[i].find == NULL)
      results[what.nresult++] = st->reductions[i].iota;
  err = ga_code_make(&e->pre, &what);
  if (err != GA_NO_ERROR) goto fail;
  for (unsigned int i = 0, k = e->nfold; i < e->nfold; i++) {
    e->folds[i].value = places[i];
    if (e->folds[i].index && e->folds[i].find == NULL) e->folds[i].iota = places[k++];
  }
fail:
  free(results);
  free(places);
  return err;
}

static int make_post(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  unsigned char moves[GA_MAXND];
  memset(moves, 1, sizeof moves);
  unsigned int *reduced = malloc(e->nfold * sizeof *reduced);
  if (reduced == NULL) return ga_error_memory("stage", e->nfold * sizeof *reduced);
  for (unsigned int i = 0; i < e->nfold; i++) reduced[i] = GA_NOPLACE;
  ga_compile what = {.st = st,
                     .l = l,
                     .strides = e->post_strides,
                     .level = 1,
                     .nd = l->nk,
                     .block = (e->cut.tile + 63) & ~(size_t)63,
                     .moves = moves,
                     .reduced = reduced};
  int err = ga_code_make(&e->post, &what);
  for (unsigned int i = 0; i < e->nfold && err == GA_NO_ERROR; i++) e->folds[i].result = reduced[i];
  free(reduced);
  return err;
}

int ga_reduce_make(ga_exec *e, const ga_stage *st, const ga_layout *l)
{
  join_kept(e, st);
  GA_TRY(make_folds(e, st));
  e->first_index = (int64_t)l->iota_base;
  if (by_columns(e, l)) choose_rakes(e, st);
  cut_stage(e, st, l);
  GA_TRY(make_pre(e, st, l));
  ga_fold_mark(e);
  GA_TRY(make_post(e, st, l));
  e->cut.unit_cost =
      (double)e->cut.tile * (double)e->reduced * (e->pre.nload + e->pre.ninstr + 2.0 * e->nfold);
  return GA_NO_ERROR;
}
