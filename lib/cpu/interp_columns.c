/* SPDX-License-Identifier: MIT */
/* Reductions where a kept axis is the fastest: rows are read as they lie, and
 * joined with each other element by element, in the very order that a chunk's
 * tree has (DESIGN.md, "Order of a reduction"). Row number r of a chunk:
 *
 *   bit   9 8 7   6 5 4 3 2   1 0
 *           s         g        q
 *
 * First the eight rows that differ in s are joined (segments_at_once, or two by two
 * segment_tree), for one q or several following rows at once; then four q's (join_fours); then the
 * 32 g's. Missing rows are skipped: what is there passes. A moment is of its sum alone until it is
 * joined, and is told how many rows each side is of. */
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

/* For moments, how many rows number `row` of all segments that are congruent to s modulo
 * step there are. Rows before the last segment's end are in one more than those after it. */
static uint64_t rows_of(const walk *k, const ga_fold *f, size_t row, size_t s, size_t step)
{
  if (f->weigh == NULL) return 0;
  size_t there = row < k->n ? (k->n - row + SEGMENT - 1) / SEGMENT : 0;
  return there > s ? (there - s + step - 1) / step : 0;
}

/* The same of all rows of the fours that are congruent to g modulo step. */
static uint64_t rows_of_fours(const walk *k, const ga_fold *f, size_t g, size_t step)
{
  uint64_t n = 0;
  if (f->weigh == NULL) return 0;
  for (; g < FOURS; g += step)
    for (size_t row = 4 * g; row < 4 * g + 4; row++) n += rows_of(k, f, row, 0, 1);
  return n;
}

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

static int has_iota(const ga_fold *f) { return f->index && f->find == NULL; }

/* Where slot `slot` has its values (which = 0) and what is beside them, from row `done` on. */
static char *box_at(const walk *k, const ga_fold *f, const ga_fold_state *s, unsigned int slot,
                    int which, size_t quad_row, size_t done)
{
  size_t size = which && f->weigh == NULL ? f->second : f->from;
  return slot_at(s, slot, which, quad_row, k->cols, size) + done * k->cols * size;
}

/* `n` rows of the chunk from `row` on, which lie along the innermost reduced axis, into a
 * slot from its row `done` on; with `keep`, whatever comes after them. */
static void eval_box(walk *k, unsigned int slot, size_t quad_row, size_t row, size_t n, size_t done,
                     int keep)
{
  const ga_exec *e = k->w->e;
  ga_frame *f = &k->w->pre;
  set_row(k, k->first + row);
  k->b.n = n * k->cols;
  k->b.rows = e->cut.rows > 1 ? n : 0;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *fo = &e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    ga_frame_aim(f, fo->value, box_at(k, fo, s, slot, fo->weigh != NULL, quad_row, done));
    if (has_iota(fo)) ga_frame_aim(f, fo->iota, box_at(k, fo, s, slot, 1, quad_row, done));
  }
  ga_frame_eval(f, &k->b);
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *fo = &e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    int beside = fo->weigh != NULL;
    const void **at = k->w->state[i].at[slot];
    at[beside] = f->at[fo->value];
    at[!beside] = has_iota(fo) ? f->at[fo->iota] : NULL;
    if (!keep) continue;
    for (int j = 0; j < 2; j++) {
      if (at[j] == NULL) continue;
      char *to = box_at(k, fo, s, slot, j, quad_row, done);
      if (at[j] != to) memcpy(to, at[j], k->b.n * (j && !beside ? fo->second : fo->from));
      at[j] = box_at(k, fo, s, slot, j, quad_row, 0);
    }
  }
}

/* Rows [row, row + n) of the chunk, evaluated into slot `slot`: where they lie, if they are
 * one box, else put together. */
static void eval_rows(walk *k, unsigned int slot, size_t quad_row, size_t row, size_t n)
{
  const ga_exec *e = k->w->e;
  const size_t extent = e->dims[e->nk + e->nr - 1];
  for (size_t done = 0, m; done < n; done += m) {
    m = extent - (size_t)((k->first + row + done) % extent);
    if (m > n - done) m = n - done;
    eval_box(k, slot, quad_row, row + done, m, done, m < n);
  }
}

/* Brings elements [from, to) of a slot's block to where it is joined. */
static void bring(const void **at, char *to, size_t from, size_t end, size_t size)
{
  if (to != NULL && *at != to && from < end)
    memmove(to + from * size, (const char *)*at + from * size, (end - from) * size);
  if (to != NULL) *at = to;
}

/* What a join is of: rows [row, row + left) of the segments congruent to s modulo step on
 * one side, [row, row + right) of those congruent to s + step on the other. */
typedef struct sides {
  size_t row, left, right, s, step;
} sides;

static const char *past(const void *at, size_t bytes)
{
  return at == NULL ? NULL : (const char *)at + bytes;
}

/* Rows [from, end) of both sides, which are of as many rows each. */
static void join_sides(const walk *k, const ga_fold *f, ga_fold_state *st, unsigned int slot,
                       char *const *to, const sides *x, size_t from, size_t end)
{
  const void *const *a = st->at[slot], *const *b = st->at[slot + 1];
  size_t n = from * k->cols, v = n * f->size, w = n * f->second;
  ga_fold_weigh(f, (end - from) * k->cols, to[0] + v, acc_at(to[1], n, f->second), past(a[0], v),
                past(a[1], w), past(b[0], v), past(b[1], w),
                rows_of(k, f, x->row + from, x->s, 2 * x->step),
                rows_of(k, f, x->row + from, x->s + x->step, 2 * x->step));
}

/* Several runs of some hundred bytes to some thousand are read slowly at once from beyond the
 * cache. How many depends on what is done with them: measured on a Zen 4. */
enum { SHORT = 256, LONG = 4096 };
static int reads_slowly(const walk *k, size_t row, size_t shortest, size_t longest)
{
  return k->w->e->cut.far != GA_NEAR && !ga_cpu_asks() && row >= shortest && row < longest;
}

/* Rows are joined where they lie, or brought home one after the other. */
static int stays(const walk *k, const ga_fold *f)
{
  return !reads_slowly(k, k->cols * f->size, SHORT, LONG);
}

/* Joins slot + 1 to slot; where there is nothing on the right, the slot's block stays where it
 * is or is brought home. */
static void join_slots(walk *k, unsigned int slot, size_t quad_row, const sides *x)
{
  const ga_exec *e = k->w->e;
  const size_t cut = k->n % SEGMENT;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    ga_fold_state *s = &k->w->state[i];
    char *to[2] = {slot_at(s, slot, 0, quad_row, k->cols, f->size), NULL};
    size_t from = 0, rest = x->right * k->cols, all = x->left * k->cols;
    if (f->second > 0) to[1] = slot_at(s, slot, 1, quad_row, k->cols, f->second);
    if (f->weigh != NULL && x->row < cut && x->row + x->right > cut) {
      from = cut - x->row;
      join_sides(k, f, s, slot, to, x, 0, from);
    }
    if (from < x->right) join_sides(k, f, s, slot, to, x, from, x->right);
    if (f->weigh != NULL && s->at[slot][0] == NULL && k->n > SEGMENT) {
      const void *ones[] = {(const char *)s->at[slot][1] + rest * f->size, NULL};
      ones[1] = ones[0];
      f->lift(all - rest, to[0] + rest * f->size, ones);
      s->at[slot][0] = to[0];
    }
    if (x->right == 0 && stays(k, f)) continue;
    if (s->at[slot][0] != NULL) bring(&s->at[slot][0], to[0], rest, all, f->size);
    bring(&s->at[slot][1], to[1], rest, all, f->second);
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
  if (right > 0) join_slots(k, slot, quad_row, &(sides){row, left, right, s, step});
  return left;
}

/* The same of all segments by one loop, each being read once; a single one is left to join_slots.
 */
static size_t segments_at_once(walk *k, size_t quad_row, size_t row, size_t n)
{
  const ga_exec *e = k->w->e;
  size_t count = 0, last = 0; /* segments; rows of the last one */
  for (size_t at = row; count < NSEGMENT && at < k->n; at += SEGMENT, count++) {
    last = n < k->n - at ? n : k->n - at;
    eval_rows(k, (unsigned int)count, quad_row, at, last);
  }
  if (count == 1) return last;
  for (unsigned int i = 0; i < e->nfold; i++) {
    const ga_fold *f = &e->folds[i];
    ga_fold_state *s = &k->w->state[i];
    char *to = slot_at(s, 0, 0, quad_row, k->cols, f->size);
    const void *at[NSEGMENT];
    for (size_t j = 0; j < count; j++) at[j] = s->at[j][0];
    f->abreast(last * k->cols, count, to, at);
    for (size_t j = 0; j < count; j++) at[j] = past(at[j], last * k->cols * f->size);
    if (last < n) f->abreast((n - last) * k->cols, count - 1, to + last * k->cols * f->size, at);
    s->at[0][0] = to;
  }
  return n;
}

/* ---- the rest of a chunk ------------------------------------------------------------ */

/* Rows 4i.. of the quad, `rows` of them at most 4, into element g of the fours; `row`:
 * their number in a segment. */
static void join_four(const walk *k, const ga_fold *f, const ga_fold_state *s, size_t i,
                      size_t rows, size_t g, size_t row)
{
  size_t c = k->cols, v = f->size, x = f->second;
  uint64_t n[4];
  const char *q[4], *qi[4];
  char *u = s->fours[0] + g * c * v, *ui = acc_at(s->fours[1], g * c, x);
  char *third = s->quad[0] + (4 * i + 2) * c * v, *thirdi = acc_at(s->quad[1], (4 * i + 2) * c, x);
  int one = f->weigh != NULL && k->n <= SEGMENT; /* nothing is joined yet */
  for (size_t j = 0; j < 4; j++) {
    q[j] = past(s->row[j][0], 4 * i * c * v);
    qi[j] = past(s->row[j][1], 4 * i * c * x);
    n[j] = rows_of(k, f, row + j, 0, 1);
  }
  if (rows == 1) {
    if (one)
      f->lift(c, u, (const void *[]){qi[0], qi[0]});
    else
      memcpy(u, q[0], c * v);
    if (ui != NULL) memcpy(ui, qi[0], c * x);
    return;
  }
  if (f->abreast != NULL) { /* bit 1 counts as the lower one */
    f->abreast(c, rows, u,
               rows == 2 ? (const void *[]){q[0], q[1]} : (const void *[]){q[0], q[2], q[1], q[3]});
    return;
  }
  ga_fold_weigh(f, c, u, ui, q[0], qi[0], q[1], qi[1], n[0], n[1]);
  if (rows == 4) ga_fold_weigh(f, c, third, thirdi, q[2], qi[2], q[3], qi[3], n[2], n[3]);
  if (rows > 2)
    ga_fold_weigh(f, c, u, ui, u, ui, rows == 4 ? third : q[2], rows == 4 ? thirdi : qi[2],
                  n[0] + n[1], n[2] + n[3]);
}

/* The fours that `rows` rows of the quad make, from row `row` of a segment on, into
 * elements `slot`... */
static void join_fours(const walk *k, size_t rows, size_t slot, size_t row)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++)
    for (size_t j = 0; 4 * j < rows; j++)
      join_four(k, &k->w->e->folds[i], &k->w->state[i], j, rows - 4 * j < 4 ? rows - 4 * j : 4,
                slot + j, row + 4 * j);
}

/* Joins n elements of the fours from `from` on to those from `to` on, the first of which
 * holds the fours congruent to g modulo 2 step, its neighbours those to g + 1, ..., and on
 * the other side to g + step. */
static void join_halves(const walk *k, size_t to, size_t from, size_t n, size_t g, size_t step)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    size_t v = k->cols * f->size, x = k->cols * f->second;
    size_t each = f->weigh == NULL || k->n == GA_CHUNK ? n : 1;
    char *u = k->w->state[i].fours[0], *ui = k->w->state[i].fours[1];
    for (size_t j = 0; j < n; j += each) {
      char *l = u + (to + j) * v, *li = acc_at(ui, to + j, x);
      ga_fold_weigh(f, each * k->cols, l, li, l, li, u + (from + j) * v, acc_at(ui, from + j, x),
                    rows_of_fours(k, f, g + j, 2 * step),
                    rows_of_fours(k, f, g + j + step, 2 * step));
    }
  }
}

/* Where the `n` rows in slot 0 are, as the quad's rows from `row` on. */
static void note_rows(const walk *k, size_t row, size_t n)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    ga_fold_state *s = &k->w->state[i];
    for (size_t j = 0; j < n && row + j < 4; j++) {
      s->row[row + j][0] = past(s->at[0][0], j * k->cols * f->size);
      s->row[row + j][1] = past(s->at[0][1], j * k->cols * f->second);
    }
  }
}

/* Fills the quad with rows [row, row + n), those of all segments joined. */
static void fill_quad(walk *k, size_t row, size_t n)
{
  const size_t rows = k->w->e->cut.rows;
  for (size_t i = 0; i < n; i += rows) {
    size_t got = n - i < rows ? n - i : rows;
    got = k->w->e->cut.at_once ? segments_at_once(k, i, row + i, got)
                               : segment_tree(k, 0, 1, 0, i, row + i, got);
    join_slots(k, 0, i, &(sides){.row = row + i, .left = got});
    note_rows(k, i, got);
  }
}

/* Several rows a block: all fours are made, then joined in halves. */
static void walk_narrow(walk *k, size_t rows)
{
  const size_t per = k->w->e->cut.rows;
  for (size_t row = 0; row < rows; row += per) {
    size_t n = rows - row < per ? rows - row : per;
    fill_quad(k, row, n);
    join_fours(k, n, row / 4, row);
  }
  size_t left = (rows + 3) / 4;
  for (size_t h = FOURS / 2; h > 0; h /= 2) {
    if (left <= h) continue;
    join_halves(k, 0, h, left - h, 0, h);
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
    join_fours(k, n, slot, 4 * g);
    return 1;
  }
  walk_wide(k, rows, g, 2 * step, slot);
  if (walk_wide(k, rows, g + step, 2 * step, slot + 1)) join_halves(k, slot, slot + 1, 1, g, step);
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
    if (f->second > 0)
      memcpy(s->stack[1] + depth * k->cols * f->second, s->fours[1], k->cols * f->second);
  }
}

/* `sizes`: rows of each chunk or joined chunks. */
static void join_top(const walk *k, size_t depth, uint64_t *sizes)
{
  for (unsigned int i = 0; i < k->w->e->nfold; i++) {
    const ga_fold *f = &k->w->e->folds[i];
    const ga_fold_state *s = &k->w->state[i];
    size_t v = k->cols * f->size, x = k->cols * f->second;
    char *l = s->stack[0] + (depth - 2) * v;
    char *li = x > 0 ? s->stack[1] + (depth - 2) * x : NULL;
    ga_fold_weigh(f, k->cols, l, li, l, li, l + v, x > 0 ? li + x : NULL, sizes[depth - 2],
                  sizes[depth - 1]);
  }
  sizes[depth - 2] += sizes[depth - 1];
}

/* ---- rakes --------------------------------------------------------------------------- */

/* Rows [row, row + n) of the chunk, which a rake takes by fours. */
static void rake_rows(const walk *k, const ga_fold *f, const ga_fold_state *s, size_t row, size_t n)
{
  int widens = f->raked > f->from;
  size_t bytes = k->cols * f->from;
  size_t step =
      reads_slowly(k, bytes, widens ? 2 * SHORT : SHORT, widens ? LONG / 2 : 2 * LONG) ? 1 : n;
  void *acc[2] = {s->fours[0], s->fours[1]};
  for (size_t i = 0; i < n; i += step)
    f->rake(step, k->cols, acc, past(s->at[0][0], i * bytes), row + i);
}

/* One chunk of folds that no order changes, row after row, to the stacks. */
static void rake_chunk(walk *k)
{
  const ga_exec *e = k->w->e;
  for (size_t row = 0; row < k->n; row += e->cut.rows) {
    size_t n = k->n - row < e->cut.rows ? k->n - row : e->cut.rows;
    eval_rows(k, 0, 0, row, n);
    for (unsigned int i = 0; i < e->nfold; i++) rake_rows(k, &e->folds[i], &k->w->state[i], row, n);
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
    if (f->second > 0) memcpy(s->acc[1], s->stack[1], k->cols * f->second);
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
  uint64_t sizes[65];
  for (size_t c = begin; c < end; c++) {
    set_chunk(k, c);
    walk_chunk(k);
    push_chunk(k, depth);
    sizes[depth++] = k->n;
    for (size_t j = c - begin; j & 1; j >>= 1) join_top(k, depth--, sizes);
  }
  while (depth > 1) join_top(k, depth--, sizes);
  keep_chunk(k, 1);
}

void ga_columns_unit(ga_reducer *w, uint64_t kept, size_t n, size_t begin, size_t end)
{
  const ga_exec *e = w->e;
  walk k = {.w = w, .cols = n};
  ga_code_position(&e->pre, k.b.pos, kept);
  k.b.row_axis = e->nk + e->nr - 1;
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
