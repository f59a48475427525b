/* SPDX-License-Identifier: MIT */
/* Memory for the operands of a stage that runs on the host (tests/host_kernel.h), and a walk
 * over the positions of its axes. */
#ifndef TESTS_KERNEL_MEMORY_H
#define TESTS_KERNEL_MEMORY_H

#include "tests/common.h"
#include "tests/stages.h"

/* Memory of one operand, 16-aligned, with room around it. */
typedef struct mem {
  char *all, *base; /* base: where `offset` counts from */
  size_t size;
} mem;

/* Room for the operand's reach on both sides, filled with small values. */
static inline mem mem_new(const ga_stage *st, unsigned int i)
{
  const ga_operand *op = &st->operands[i];
  size_t low = 64, high = 64 + 16;
  mem m;
  for (unsigned int k = 0; k < st->nd; k++) {
    if (st->dims[k] == 0) continue;
    ssize_t reach = op->strides[k] * (ssize_t)(st->dims[k] - 1);
    if (reach < 0)
      low += (size_t)-reach;
    else
      high += (size_t)reach;
  }
  high += (size_t)(op->offset < 0 ? -op->offset : op->offset);
  low = (low + 63) / 64 * 64;
  m.size = (low + high + 63) / 64 * 64;
  ck_assert_int_eq(posix_memalign((void **)&m.all, 64, m.size), 0);
  m.base = m.all + low;
  uint32_t x = 12345 + i;
  for (size_t n = 0; n + 4 <= m.size; n += 4) {
    x = x * 1664525 + 1013904223;
    switch (op->dtype) {
    case GA_DT_FLOAT32: {
      float f = (float)(int)(x >> 8) / 65536.0f - 100;
      memcpy(m.all + n, &f, 4);
      break;
    }
    case GA_DT_FLOAT64:
      if (n % 8 == 0) {
        double d = (double)(int)(x >> 4) / 65536.0 - 1000;
        memcpy(m.all + n, &d, 8);
      }
      break;
    default: memcpy(m.all + n, &x, 4);
    }
  }
  return m;
}

/* Byte offset of loop position `pos` for operand i. */
static inline ssize_t at(const ga_stage *st, unsigned int i, const size_t *pos)
{
  ssize_t off = st->operands[i].offset;
  for (unsigned int k = 0; k < st->nd; k++) off += st->operands[i].strides[k] * (ssize_t)pos[k];
  return off;
}

/* The next position in C order among the axes with reduced == which (2: all);
 * 0 at the end. */
static inline int next(const ga_stage *st, size_t *pos, int which)
{
  for (unsigned int k = st->nd; k-- > 0;) {
    if (which != 2 && st->reduced[k] != which) continue;
    if (++pos[k] < st->dims[k]) return 1;
    pos[k] = 0;
  }
  return 0;
}

static inline size_t count(const ga_stage *st, int which)
{
  size_t n = 1;
  for (unsigned int k = 0; k < st->nd; k++)
    if (which == 2 || st->reduced[k] == which) n *= st->dims[k];
  return n;
}

#endif
