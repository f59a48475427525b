/* SPDX-License-Identifier: MIT */
/* Reductions along the reduced index: a block is one chunk of one kept element,
 * or, where a chunk holds them all, the elements of several kept ones. Chunk
 * results wait on a stack, as bits of a binary counter, until their neighbour of
 * equal size is there. */
#include <string.h>

#include "interp.h"

/* Copies a block that is not yet where the chunk is put together. */
static void put_together(ga_frame *f, unsigned int place, char *to, size_t n, size_t size)
{
  if (f->at[place] != to) memcpy(to, f->at[place], n * size);
}

/* A chunk of several blocks. */
static void eval_parts(ga_reducer *w, ga_block *b, uint64_t first, size_t n)
{
  const ga_exec *e = w->e;
  for (size_t at = 0; at < n; at += e->pre.block) {
    ga_code_position(&e->pre, b->pos, first + at);
    b->n = n - at < e->pre.block ? n - at : e->pre.block;
    for (unsigned int i = 0; i < e->nfold; i++) {
      const ga_fold *f = &e->folds[i];
      ga_frame_aim(&w->pre, f->value, w->state[i].whole[0] + at * f->from);
      if (f->index && f->find == NULL)
        ga_frame_aim(&w->pre, f->iota, w->state[i].whole[1] + at * sizeof(int64_t));
    }
    ga_frame_eval(&w->pre, b);
    for (unsigned int i = 0; i < e->nfold; i++) {
      const ga_fold *f = &e->folds[i];
      const ga_fold_state *s = &w->state[i];
      put_together(&w->pre, f->value, s->whole[0] + at * f->from, b->n, f->from);
      if (f->index && f->find == NULL)
        put_together(&w->pre, f->iota, s->whole[1] + at * sizeof(int64_t), b->n, sizeof(int64_t));
    }
  }
}

/* A tree reads eight parts of a chunk side by side. Where memory is fast from a beginning to an end
 * the n values are read that way before: a chunk of one row is halved as it is read, ... */
enum { HALF = GA_CHUNK / 2 };
static int is_halved(const ga_reducer *w, const ga_fold *f, size_t n)
{
  if (!w->e->cut.lined || w->e->cut.rows > 0 || f->free || f->second > 0 || f->size < 8) return 0;
  for (unsigned int i = 0; i < w->e->nfold; i++) { /* a copy lies where halves would */
    const ga_fold *other = &w->e->folds[i];
    if (other->value == f->value && !other->free && other->second > 0) return 0;
  }
  return n > HALF && n <= w->e->pre.block;
}

/* ... its second half joined to the first, as a tree begins. Returns how many values are left. */
static size_t halve(const ga_reducer *w, const ga_fold *f, const void **at, size_t n)
{
  char *buf = w->pre.buf[f->value];
  if (!is_halved(w, f, n) || *at == buf) return n;
  memcpy(buf, *at, HALF * f->size);
  ga_fold_join(f, n - HALF, buf, NULL, buf, NULL, (const char *)*at + HALF * f->size, NULL);
  *at = buf;
  return HALF;
}

/* Where the fold's n values are; those that are not halved are copied. */
static const void *values_of(const ga_reducer *w, const ga_fold *f, size_t n)
{
  const void *at = w->pre.at[f->value];
  void *buf = w->pre.buf[f->value];
  if (!w->e->cut.lined || f->free || at == buf || is_halved(w, f, n)) return at;
  return memcpy(buf, at, n * f->from);
}

/* The n values from element `first` of the whole loop on, at most a chunk, to the
 * states' at[0]. */
static void eval_chunk(ga_reducer *w, ga_block *b, uint64_t first, size_t n)
{
  const ga_exec *e = w->e;
  int parts = n > e->pre.block;
  if (parts) {
    eval_parts(w, b, first, n);
  } else {
    ga_code_position(&e->pre, b->pos, first);
    b->n = n;
    ga_frame_eval(&w->pre, b);
  }
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    ga_fold_state *s = &w->state[i];
    s->at[0][0] = parts ? s->whole[0] : values_of(w, f, n);
    s->at[0][1] = NULL;
    if (f->index && f->find == NULL) s->at[0][1] = parts ? s->whole[1] : w->pre.at[f->iota];
  }
}

/* The place of the value that argmin or argmax gives for the n at src, whose extreme is at
 * `value`; of bools the first that decides, if one does. */
static size_t place_of(const ga_fold *f, size_t n, const void *src, const void *value)
{
  const unsigned char decides = (unsigned char)f->ends;
  size_t at = f->find(n, src, f->ends < 0 ? value : &decides);
  return at < n ? at : 0;
}

/* The iota at reduced index r. */
static int64_t iota_at(const ga_exec *e, uint64_t r)
{
  int64_t index = e->first_index;
  for (unsigned int k = e->nk + e->nr; k-- > e->nk; r /= e->dims[k])
    index += (int64_t)(r % e->dims[k]) * (int64_t)e->strides[e->noperand][k];
  return index;
}

/* The least index of the value that argmin or argmax gives for the n at src, whose extreme is at
 * `value`: each run along the last reduced axis has one that leads. Returns the place, too. */
static size_t strewn_place(const ga_exec *e, const ga_fold *f, size_t n, const char *src,
                           const void *value, uint64_t r, int64_t *index)
{
  const unsigned int last = e->nk + e->nr - 1;
  const int64_t step = (int64_t)e->strides[e->noperand][last];
  size_t place = 0, run = e->dims[last] - (size_t)(r % e->dims[last]);
  *index = iota_at(e, r);
  int found = 0;
  for (size_t at = 0; at < n; at += run, run = e->dims[last]) {
    if (run > n - at) run = n - at;
    size_t i = f->find(run, src + at * f->from, value);
    if (i >= run) continue;
    int64_t one = iota_at(e, r + at) + (int64_t)i * step;
    if (found && one > *index) continue;
    found = 1;
    *index = one;
    place = at + i;
  }
  return place;
}

/* The n values at src, which are at reduced index r and after, into one accumulator. For argmin
 * and argmax their extreme may be at acc[0] (`known`). */
static void fold_run(const ga_exec *e, const ga_fold *f, size_t n, void *const *acc,
                     const void *const *src, uint64_t r, int known)
{
  if (f->find == NULL) {
    f->tree(n, acc, src);
    return;
  }
  if (!known && f->ends < 0) f->extreme(n, acc, src);
  size_t at;
  int64_t index;
  if (f->way == 0) {
    at = strewn_place(e, f, n, src[0], acc[0], r, &index);
  } else {
    at = place_of(f, n, src[0], acc[0]);
    index = e->first_index + f->way * (int64_t)(r + at);
  }
  memcpy(acc[0], (const char *)src[0] + at * f->from, f->from);
  memcpy(acc[1], &index, sizeof index);
}

static void fold_rows(const ga_exec *e, const ga_fold *f, const ga_fold_state *s, size_t first,
                      size_t nrow, size_t n)
{
  const char *v = s->at[0][0], *x = s->at[0][1];
  for (size_t row = 0; row < nrow; row++) {
    void *acc[2] = {s->acc[0] + (first + row) * f->size, NULL};
    const void *src[2] = {v + row * n * f->from, NULL};
    if (f->second > 0) acc[1] = s->acc[1] + (first + row) * f->second;
    if (x != NULL) src[1] = x + row * n * sizeof(int64_t);
    fold_run(e, f, n, acc, src, 0, 0);
  }
}

/* Joins rows of `n` accumulators, which lie one after the other, in the order of a
 * chunk: each by the tree over its number's bits. The result is row 0. */
static void join_rows(const ga_fold *f, char *v, char *x, size_t rows, size_t n)
{
  static const unsigned char steps[] = {1, 2, 16, 8, 4}; /* bits 0, 1, 4, 3, 2 */
  size_t done = 0, vs = n * f->size, xs = n * sizeof(int64_t);
  for (size_t i = 0; i < sizeof steps; i++) {
    size_t s = steps[i];
    done |= s;
    for (size_t r = 0; r + s < rows; r++)
      if ((r & done) == 0)
        ga_fold_join(f, n, v + r * vs, f->index ? x + r * xs : NULL, v + r * vs,
                     f->index ? x + r * xs : NULL, v + (r + s) * vs,
                     f->index ? x + (r + s) * xs : NULL);
  }
}

/* Values that are turned need their indices turned too, or a rake that counts; the
 * elements of moments are no moments. */
static int can_turn(const ga_fold *f)
{
  if (f->weigh != NULL) return 0;
  return f->rake != NULL || (f->from == f->size && f->find == NULL);
}

/* Turned rows in a rake. */
static void rake_tiny_rows(const ga_exec *e, const ga_fold *f, const ga_fold_state *s, size_t first,
                           size_t nrow, size_t n)
{
  void *acc[2] = {s->fours[0], s->fours[1]};
  char *to[2] = {s->acc[0] + first * f->size, NULL};
  if (f->index) to[1] = s->acc[1] + first * sizeof(int64_t);
  f->rake(n, nrow, acc, s->quad[0], 0);
  ga_fold_settle(e, f, nrow, to, s->fours, 0);
}

/* Rows of 2 to less than GA_CHUNK elements, as many at once as are a chunk, of GA_ROW each at
 * the most. */
static void fold_short_rows(const ga_fold *f, const ga_fold_state *s, size_t first, size_t nrow,
                            size_t n)
{
  size_t most = GA_CHUNK;
  for (size_t width = 1; width < n && width < GA_ROW; width *= 2) most /= 2;
  for (size_t i = 0; i < nrow; i += most)
    f->shorts(n, nrow - i < most ? nrow - i : most, s->acc[0] + (first + i) * f->size,
              (const char *)s->at[0][0] + i * n * f->size);
}

/* The same for rows so short that it pays to turn them and join all at once. */
static void fold_tiny_rows(const ga_exec *e, const ga_fold *f, const ga_fold_state *s, size_t first,
                           size_t nrow, size_t n)
{
  ssize_t v = (ssize_t)f->from, x = sizeof(int64_t);
  ga_cpu_move(f->from, n, nrow, s->quad[0], (ssize_t)nrow * v, v, s->at[0][0], v, (ssize_t)n * v);
  if (f->rake != NULL) {
    rake_tiny_rows(e, f, s, first, nrow, n);
    return;
  }
  if (f->index)
    ga_cpu_move(sizeof(int64_t), n, nrow, s->quad[1], (ssize_t)nrow * x, x, s->at[0][1], x,
                (ssize_t)n * x);
  join_rows(f, s->quad[0], s->quad[1], n, nrow);
  memcpy(s->acc[0] + first * f->size, s->quad[0], nrow * f->size);
  if (f->index) memcpy(s->acc[1] + first * sizeof(int64_t), s->quad[1], nrow * sizeof(int64_t));
}

/* Rows that are one chunk or less, several a block. */
static void short_rows(ga_reducer *w, uint64_t k, size_t n)
{
  const ga_exec *e = w->e;
  size_t row = (size_t)e->reduced;
  ga_block b = {.rows = 0};
  for (size_t at = 0; at < n; at += e->cut.rows) {
    size_t nrow = n - at < e->cut.rows ? n - at : e->cut.rows;
    int tiny = row <= GA_TINY && nrow >= GA_TINY;
    eval_chunk(w, &b, (k + at) * row, nrow * row);
    for (unsigned int i = 0; i < e->nfold; i++) {
      const ga_fold *f = &e->folds[i];
      if (f->shorts != NULL && row > 1 && row < (f->free ? GA_TINY + 1 : GA_CHUNK))
        fold_short_rows(f, &w->state[i], at, nrow, row);
      else if (tiny && can_turn(f))
        fold_tiny_rows(e, f, &w->state[i], at, nrow, row);
      else
        fold_rows(e, f, &w->state[i], at, nrow, row);
    }
  }
}

/* Whether what is at src[0] is not equal to itself: NaN, which leads for good. */
static int is_nan(const ga_fold *f, const void *value)
{
  const void *src[2] = {value, value};
  unsigned char res = 1;
  if (f->equal != NULL) f->equal(1, &res, src);
  return !res;
}

/* argmin and argmax: whether the chunk's extreme, which is put at acc[0], is behind the leading
 * value, so that it need not be known where it is. */
static int is_behind(const ga_fold *f, const ga_fold_state *s, size_t n, void *const *acc)
{
  unsigned char res = 0;
  if (is_nan(f, s->best[0].bytes)) return 1;
  f->extreme(n, acc, s->at[0]);
  const void *src[2] = {acc[0], s->best[0].bytes};
  f->behind(1, &res, src);
  return res;
}

/* A chunk's (value, index). The result of such a reduction is the same whatever
 * its order, and so a chunk that is behind may give the leader again. */
static void fold_best(const ga_exec *e, const ga_fold *f, ga_fold_state *s, size_t n,
                      void *const *acc, uint64_t r)
{
  void *lead[2] = {s->best[0].bytes, s->best[1].bytes};
  const void *left[2] = {lead[0], lead[1]}, *right[2] = {acc[0], acc[1]};
  int known = s->leads && f->extreme != NULL && f->behind != NULL && f->ends < 0;
  if (known && is_behind(f, s, n, acc)) {
    memcpy(acc[0], lead[0], f->size);
    memcpy(acc[1], lead[1], sizeof(int64_t));
    return;
  }
  fold_run(e, f, n, acc, s->at[0], r, known);
  if (s->leads)
    f->combine(1, lead, left, right);
  else {
    memcpy(lead[0], acc[0], f->size);
    memcpy(lead[1], acc[1], sizeof(int64_t));
  }
  s->leads = 1;
}

/* A chunk, from reduced index r on, to the stacks. */
static void fold_chunk(ga_reducer *w, size_t depth, size_t n, uint64_t r)
{
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    ga_fold_state *s = &w->state[i];
    void *acc[2] = {s->stack[0] + depth * f->size, NULL};
    if (f->second > 0) acc[1] = s->stack[1] + depth * f->second;
    if (w->pre.skip >> i & 1)
      memset(acc[0], f->ends, 1);
    else if (f->index)
      fold_best(w->e, f, s, n, acc, r);
    else
      f->tree(halve(w, f, &s->at[0][0], n), acc, s->at[0]);
  }
}

/* Joins the two results on top of the stacks; `sizes`: elements of each there. */
static void join_top(ga_reducer *w, size_t depth, const uint64_t *sizes)
{
  uint64_t nl = sizes[depth - 2], nr = sizes[depth - 1];
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    ga_fold_state *s = &w->state[i];
    char *l = s->stack[0] + (depth - 2) * f->size;
    char *li = f->second > 0 ? s->stack[1] + (depth - 2) * f->second : NULL;
    char *ri = li != NULL ? li + f->second : NULL;
    ga_fold_weigh(f, 1, l, li, l, li, l + f->size, ri, nl, nr);
  }
}

/* Goes on to the stacks of the row that is so many on. */
static void next_stacks(ga_reducer *w, ssize_t rows)
{
  ssize_t at = rows * (w->e->cut.levels + 1);
  for (unsigned int i = 0; i < w->e->nfold && at != 0; i++) {
    const ga_fold *f = &w->e->folds[i];
    ga_fold_state *s = &w->state[i];
    s->stack[0] += at * (ssize_t)f->size;
    if (f->second > 0) s->stack[1] += at * (ssize_t)f->second;
  }
}

static void join_tops(ga_reducer *w, size_t rows, size_t depth, uint64_t *sizes)
{
  for (size_t i = 0; i < rows; i++) {
    join_top(w, depth, sizes);
    next_stacks(w, i + 1 < rows ? 1 : 1 - (ssize_t)rows);
  }
  sizes[depth - 2] += sizes[depth - 1];
}

/* The only fold's result at `depth` of the stack is one that nothing changes. */
static int is_decided(const ga_reducer *w, size_t depth)
{
  const ga_fold *f = w->e->folds;
  return w->e->nfold == 1 && f->ends >= 0 && f->ends == w->state[0].stack[0][depth];
}

static void keep_row(const ga_reducer *w, size_t at)
{
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    const ga_fold_state *s = &w->state[i];
    memcpy(s->acc[0] + at * f->size, s->stack[0], f->size);
    if (f->second > 0) memcpy(s->acc[1] + at * f->second, s->stack[1], f->second);
  }
}

/* A fold that nothing changes any more needs no values: any(~isnan(a)) of nanmax, mostly. */
static void skip_decided(ga_reducer *w, size_t depth)
{
  for (unsigned int i = 0; i < w->e->nfold && i < GA_MARKED; i++) {
    const ga_fold *f = &w->e->folds[i];
    if (f->ends >= 0 && !f->index && f->ends == w->state[i].stack[0][depth]) w->pre.skip |= 1u << i;
  }
}

/* Reads a byte of each line of what the steps [from, end) of the last reduced axis but one have of
 * `rows` rows, as memory that is read from a beginning to an end comes twice as fast. All of it is
 * between two elements of the operand. */
static void touch(const ga_reducer *w, uint64_t k, size_t rows, uint64_t from, uint64_t end)
{
  enum { PAGE = 4096, LINE = 64 };
  const ga_exec *e = w->e;
  const unsigned int kept = e->nk - 1, inner = e->nk + e->nr - 1;
  size_t pos[GA_MAXND];
  for (unsigned int i = 0; i < e->pre.nload; i++) {
    const ga_access *a = &e->pre.loads[i];
    if (a->operand < 0 || a->once || a->strides[kept] <= 0) continue;
    for (uint64_t step = from; step < end; step++) {
      ga_code_position(&e->pre, pos, k * e->reduced + step * e->dims[inner]);
      size_t left = e->dims[kept] - pos[kept], n = rows < left ? rows : left;
      const char *p = (const char *)ga_frame_address(&w->pre, a, pos);
      const char *last = p + (ssize_t)(n - 1) * a->strides[kept];
      if (last - p < PAGE) break;
      for (; p <= last; p += LINE) __asm__ volatile("" ::"r"(*p));
    }
  }
}

/* Chunk j of the group that was evaluated, to the stacks: from beyond the cache it is read in line
 * before, and little is done between one chunk and the next, as memory waits meanwhile. */
static void fold_lined(ga_reducer *w, size_t depth, size_t j)
{
  for (unsigned int i = 0; i < w->e->nfold; i++) {
    const ga_fold *f = &w->e->folds[i];
    char *buf = w->pre.buf[f->value];
    const char *at = w->pre.at[f->value], *from = at + j * GA_CHUNK * f->size;
    void *const acc[] = {w->state[i].stack[0] + depth * f->size};
    const void *src[] = {at == buf ? from : memcpy(buf, from, GA_CHUNK * f->size)};
    f->tree(GA_CHUNK, acc, src);
  }
}

/* A group of chunks of the row at `first`, number c of the work at hand and those after it, to the
 * stacks. Returns their new depth. */
static size_t fold_group(ga_reducer *w, ga_block *b, uint64_t first, size_t c, size_t depth,
                         uint64_t *sizes)
{
  const ga_exec *e = w->e;
  const size_t group = e->cut.group, at = depth;
  ga_code_position(&e->pre, b->pos, first);
  b->n = group * GA_CHUNK;
  ga_frame_eval(&w->pre, b);
  for (unsigned int i = 0; i < e->nfold && !e->cut.lined; i++)
    e->folds[i].shorts(GA_CHUNK, group, w->state[i].stack[0] + at * e->folds[i].size,
                       w->pre.at[e->folds[i].value]);
  for (size_t j = 0; j < group; j++) {
    if (e->cut.lined) fold_lined(w, depth, j);
    for (unsigned int i = 0; i < e->nfold && !e->cut.lined; i++) {
      const size_t size = e->folds[i].size;
      char *stack = w->state[i].stack[0];
      memmove(stack + depth * size, stack + (at + j) * size, size);
    }
    sizes[depth++] = GA_CHUNK;
    for (size_t k = c + j; k & 1; k >>= 1) join_tops(w, 1, depth--, sizes);
  }
  return depth;
}

/* Rows [k, k + rows), to the results from `at` on: of several, whose runs lie between each other's,
 * a chunk of each before the next. */
static void long_rows(ga_reducer *w, uint64_t k, size_t at, size_t rows, size_t begin, size_t end)
{
  const ga_exec *e = w->e;
  size_t depth = 0;
  uint64_t sizes[65], touched = 0;
  ga_block b = {.rows = 0};
  for (unsigned int i = 0; i < e->nfold; i++) w->state[i].leads = 0;
  const size_t group = e->cut.group;
  for (size_t c = begin; c < end; c++) {
    uint64_t r = (uint64_t)c * e->cut.chunk, left = e->reduced - r;
    if (group > 1 && c + group <= end && left >= group * GA_CHUNK) {
      depth = fold_group(w, &b, k * e->reduced + r, c - begin, depth, sizes);
      c += group - 1;
      continue;
    }
    size_t n = left < e->cut.chunk ? (size_t)left : e->cut.chunk;
    if (rows > 1) {
      uint64_t run = e->dims[e->nk + e->nr - 1], from = r / run, to = (r + n + run - 1) / run;
      touch(w, k, rows, from > touched ? from : touched, to);
      touched = to;
    }
    for (size_t i = 0; i < rows; i++) {
      eval_chunk(w, &b, (k + i) * e->reduced + r, n);
      fold_chunk(w, depth, n, r);
      next_stacks(w, i + 1 < rows ? 1 : 1 - (ssize_t)rows);
    }
    if (is_decided(w, depth)) {
      size_t index = sizeof(int64_t);
      memmove(w->state[0].stack[0], w->state[0].stack[0] + depth, 1);
      if (e->folds[0].index)
        memmove(w->state[0].stack[1], w->state[0].stack[1] + depth * index, index);
      depth = 1;
      break;
    }
    if (rows == 1) skip_decided(w, depth);
    sizes[depth++] = n;
    for (size_t j = c - begin; j & 1; j >>= 1) join_tops(w, rows, depth--, sizes);
  }
  w->pre.skip = 0;
  while (depth > 1) join_tops(w, rows, depth--, sizes);
  for (size_t i = 0; i < rows; i++) {
    keep_row(w, at + i);
    next_stacks(w, i + 1 < rows ? 1 : 1 - (ssize_t)rows);
  }
}

void ga_rows_unit(ga_reducer *w, uint64_t k, size_t n, size_t begin, size_t end)
{
  if (w->e->cut.rows > 0)
    short_rows(w, k, n);
  else
    for (size_t i = 0, rows = w->e->cut.abreast ? n : 1; i < n; i += rows)
      long_rows(w, k + i, i, rows, begin, end);
}
