/* SPDX-License-Identifier: MIT */
/* Tables of functions of float16 and bfloat16: of each of the 65536 numbers what the function
 * makes of it, as its loop does it, so that a number found costs no more than two loads whatever
 * the function. A table is made once as many elements have been computed that its making is a
 * quarter of them; it takes 128 KiB, which the second cache holds, and stays. */
#include "half_table.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "codegen/ops.h"

enum { NUMBERS = 1 << 16, BLOCK = 512 };
static const size_t WORTH = 4 * NUMBERS;

/* Elements that were computed without a table; it. */
typedef struct half_table {
  atomic_size_t seen;
  _Atomic(uint16_t *) made;
} half_table;

static half_table tables[2][GA_NOP]; /* of float16, of bfloat16 */

/* NULL where there is no memory, then for good. */
static uint16_t *make(ga_loop f)
{
  uint16_t *table = malloc(NUMBERS * sizeof *table), x[BLOCK];
  const void *const src[] = {x};
  for (size_t i = 0; table != NULL && i < NUMBERS; i += BLOCK) {
    for (size_t k = 0; k < BLOCK; k++) x[k] = (uint16_t)(i + k);
    f(BLOCK, table + i, src);
  }
  return table;
}

const uint16_t *ga_half_table(enum ga_dtype dtype, int op, size_t n, ga_loop f)
{
  half_table *t = &tables[dtype == GA_DT_BFLOAT16][op - GA_N_OP];
  uint16_t *table = atomic_load_explicit(&t->made, memory_order_acquire);
  if (table != NULL) return table;
  size_t seen = atomic_fetch_add_explicit(&t->seen, n, memory_order_relaxed);
  if (seen >= WORTH || seen + n < WORTH) return NULL; /* one thread alone goes on */
  table = make(f);
  atomic_store_explicit(&t->made, table, memory_order_release);
  return table;
}
