/* SPDX-License-Identifier: MIT */
/* Scans where a kept axis is the fastest: rows of kept elements are read as they lie,
 * and each step of DESIGN.md's order ("Order of a scan") joins a whole row of them.
 * With g the number of a group in its segment, the groups before it are kept as the
 * totals of aligned powers of two of them: of group 13 (binary 1101) those of groups
 * 0-7, 8-11 and 12. */
#include <string.h>

#include "interp.h"

enum { GROUP = 4, SEGMENT = 128, CHUNK = 1024 };

/* Columns being walked. */
typedef struct walk {
  const ga_scanner *w;
  size_t cols;
} walk;

static char *level(const walk *k, unsigned int i)
{
  return k->w->state + i * k->w->e->scan.cols * k->w->e->folds[0].size;
}

static void join(const walk *k, char *to, const char *l, const char *r)
{
  ga_fold_join(k->w->e->folds, k->cols, to, NULL, l, NULL, r, NULL);
}

static void clear(const walk *k, unsigned int i)
{
  ga_cpu_fill(k->w->e->folds[0].size, k->cols, level(k, i), k->w->e->scan.identity.bytes);
}

/* Behind the segment's last row: its total is in SPARE. */
static void end_segment(const walk *k, uint64_t next)
{
  static const unsigned int ends[] = {0, GA_SCAN_SPAN, GA_SCAN_TILE, CHUNK};
  char *segments = level(k, GA_SCAN_SEGMENTS);
  join(k, segments, segments, level(k, GA_SCAN_SPARE));
  clear(k, GA_SCAN_SPARE);
  for (unsigned int i = GA_SCAN_SEGMENTS; i > 0 && next % ends[i] == 0; i--) {
    join(k, level(k, i - 1), level(k, i - 1), level(k, i));
    clear(k, i);
  }
}

/* What the group from row `next` on is joined to; SPARE is what the groups before it
 * in its segment make. */
static void begin_group(const walk *k, uint64_t next)
{
  char *base = level(k, GA_SCAN_BASE);
  if (next % SEGMENT == 0) end_segment(k, next);
  join(k, base, level(k, GA_SCAN_SPANS), level(k, GA_SCAN_TILES));
  join(k, base, base, level(k, GA_SCAN_CHUNKS));
  join(k, base, base, level(k, GA_SCAN_SEGMENTS));
  join(k, base, base, level(k, GA_SCAN_SPARE));
}

/* Group g of its segment is whole: SPARE becomes what the groups up to it make. */
static void end_group(const walk *k, unsigned int g)
{
  size_t bytes = k->cols * k->w->e->folds[0].size;
  char *sum = level(k, GA_SCAN_SPARE);
  memcpy(sum, level(k, GA_SCAN_GROUP), bytes);
  for (unsigned int b = 0; b < 5; b++) {
    char *left = level(k, GA_SCAN_GROUPS + b);
    unsigned int low = (1u << b) - 1;
    if (g >> b & 1)
      join(k, sum, left, sum);
    else if ((g & low) == low)
      memcpy(left, sum, bytes);
  }
}

/* One row, scanned where it lies. */
static void scan_row(const walk *k, uint64_t r, char *value)
{
  char *group = level(k, GA_SCAN_GROUP), *base = level(k, GA_SCAN_BASE);
  size_t size = k->w->e->folds[0].size, bytes = k->cols * size;
  int exclusive = k->w->e->scan.exclusive, first = r % GROUP == 0;
  if (first && exclusive) {
    memcpy(group, value, bytes);
    memcpy(value, base, bytes);
  } else if (exclusive) {
    char *spare = level(k, GA_SCAN_SPARE);
    memcpy(spare, value, bytes);
    join(k, value, base, group);
    join(k, group, group, spare);
  } else {
    if (first)
      memcpy(group, value, bytes);
    else
      join(k, group, group, value);
    join(k, value, base, group);
  }
  if (exclusive && r == 0) ga_cpu_fill(size, k->cols, value, k->w->e->scan.first.bytes);
  if ((r + 1) % GROUP != 0) return;
  end_group(k, (unsigned int)(r / GROUP % (SEGMENT / GROUP)));
  begin_group(k, r + 1);
}

/* `rows` rows at `from` where no order changes what they make: each is joined to the one before. */
static void scan_free(const walk *k, size_t rows, char *value, const char *from)
{
  size_t bytes = k->cols * k->w->e->folds[0].size;
  char *state = level(k, 0);
  const char *before = state;
  for (size_t i = 0; i < rows; i++, value += bytes, from += bytes) {
    if (k->w->e->scan.exclusive) {
      memcpy(level(k, GA_SCAN_SPARE), from, bytes);
      memcpy(value, state, bytes);
      join(k, state, state, level(k, GA_SCAN_SPARE));
    } else {
      join(k, value, before, from);
      before = value;
    }
  }
  if (before != state) memcpy(state, before, bytes);
}

static void set_row(const ga_exec *e, ga_block *b, uint64_t r)
{
  for (unsigned int a = e->nk + e->nr - 1; a > e->nk; a--) {
    b->pos[a] = (size_t)(r % e->dims[a]);
    r /= e->dims[a];
  }
  b->pos[e->nk] = (size_t)r;
}

void ga_scan_columns(ga_scanner *w, uint64_t k, size_t cols, uint64_t begin, uint64_t end,
                     int write)
{
  const ga_exec *e = w->e;
  const ga_fold *f = e->folds;
  const walk what = {w, cols};
  size_t rows;
  ga_block b = {.row_axis = e->nk, .col_axis = e->nk - 1};
  ga_code_position(&e->pre, b.pos, k * e->reduced);
  if (e->scan.free == NULL)
    begin_group(&what, begin + GROUP); /* the first, before which nothing ends */
  for (uint64_t r = begin; r < end; r += rows) {
    rows = end - r < e->scan.rows ? (size_t)(end - r) : e->scan.rows;
    b.rows = rows;
    b.n = rows * cols;
    set_row(e, &b, r);
    ga_frame_aim(&w->pre, f->value, w->value);
    ga_frame_eval(&w->pre, &b);
    const char *from = w->pre.at[f->value];
    char *value = write ? ga_scan_aim(w, &b) : w->value;
    if (e->scan.free != NULL) {
      scan_free(&what, rows, value, from);
    } else {
      if (from != value) memmove(value, from, b.n * f->size);
      for (size_t i = 0; i < rows; i++) scan_row(&what, r + i, value + i * cols * f->size);
    }
    if (write) ga_frame_eval(&w->post, &b);
  }
}
