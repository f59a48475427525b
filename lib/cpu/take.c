/* SPDX-License-Identifier: MIT */
/* Rows gathered by index on the CPU: the rows are spread over the threads, and a
 * row that lies without gaps is one copy. */
#include <stdatomic.h>
#include <string.h>

#include "cpu.h"
#include "lib/util/pool.h"

enum { PIECE_BYTES = 1 << 16 };

typedef struct work {
  const ga_take *t;
  uint64_t rows, each; /* of the result; of a piece */
  atomic_uint bad;
} work;

/* The row that index `i` asks for; `rows` when there is none. */
static uint64_t row_of(const ga_take *t, uint64_t i)
{
  int64_t s = 0;
  uint64_t u = 0;

  switch (t->dtype) {
  case GA_DT_INT8: s = ((const int8_t *)t->index)[i]; break;
  case GA_DT_INT16: s = ((const int16_t *)t->index)[i]; break;
  case GA_DT_INT32: s = ((const int32_t *)t->index)[i]; break;
  case GA_DT_INT64: s = ((const int64_t *)t->index)[i]; break;
  case GA_DT_UINT8: u = ((const uint8_t *)t->index)[i]; break;
  case GA_DT_UINT16: u = ((const uint16_t *)t->index)[i]; break;
  case GA_DT_UINT32: u = ((const uint32_t *)t->index)[i]; break;
  default: u = ((const uint64_t *)t->index)[i];
  }
  if (ga_dtypes[t->dtype].kind == 'i') u = (uint64_t)(s < 0 ? s + (int64_t)t->rows : s);
  return u < t->rows ? u : t->rows;
}

static void copy_row(const ga_take *t, char *r, const char *v)
{
  uint64_t pos[GA_MAXND] = {0};

  if (t->nk == 1 && t->steps[0] == (int64_t)t->word) {
    memcpy(r, v, t->row * t->word);
    return;
  }
  for (uint64_t i = 0; i < t->row; i++) {
    memcpy(r + i * t->word, v, t->word);
    for (unsigned int k = t->nk; k-- > 0;) {
      v += t->steps[k];
      if (++pos[k] < (uint64_t)t->dims[k]) break;
      v -= t->steps[k] * t->dims[k];
      pos[k] = 0;
    }
  }
}

static void take_pieces(void *arg, ga_share *share)
{
  work *w = arg;
  const ga_take *t = w->t;
  size_t piece;

  while (ga_pool_next(share, &piece)) {
    uint64_t i = piece * w->each, end = w->rows - i < w->each ? w->rows : i + w->each;

    for (; i < end; i++) {
      uint64_t from = row_of(t, i);

      if (from == t->rows)
        atomic_store_explicit(&w->bad, 1, memory_order_relaxed);
      else
        copy_row(t, t->r + i * t->row * t->word, t->v + (int64_t)from * t->step);
    }
  }
}

int ga_cpu_take(const ga_take *t)
{
  work w = {.t = t, .rows = t->n / t->row, .each = PIECE_BYTES / (t->row * t->word) + 1};

  atomic_init(&w.bad, 0);
  ga_pool_run((size_t)((w.rows - 1) / w.each + 1), take_pieces, &w);
  if (t->bad != NULL && atomic_load(&w.bad)) *t->bad = 1;
  return GA_NO_ERROR;
}
