/* SPDX-License-Identifier: MIT */
/* Scans of rows so short that it pays to turn many of them and to join them all at once, in the
 * order of DESIGN.md ("Order of a scan"). A row of 10 is three groups, of 4, 4 and 2:
 *
 *   in each group   x1 = x0 x1, x2 = x1 x2, x3 = x2 x3
 *   groups          v0 = x3 of the first, v1 = v0 x3 of the second
 *   what is before  v0 joined to each of the second group, v1 to each of the third
 *
 * Identities, which stand for what is not there, change nothing and are left out. */
#include <string.h>

#include "interp.h"

enum { GROUP = 4 };

size_t ga_scan_tiny_size(size_t size, size_t rows, size_t row)
{
  return size * rows * (row + row / GROUP);
}

static void join_all(const ga_fold *f, size_t rows, char *to, const char *before)
{
  ga_fold_join(f, rows, to, NULL, before, NULL, to, NULL);
}

/* v[i], the values of groups, to what groups 0 to i make. */
static void join_groups(const ga_fold *f, size_t rows, char *v, size_t groups)
{
  size_t bytes = rows * f->size;
  for (size_t half = 1; half < groups; half *= 2)
    for (size_t b = half; b < groups; b += 2 * half)
      for (size_t i = b; i < b + half && i < groups; i++)
        join_all(f, rows, v + i * bytes, v + (b - 1) * bytes);
}

/* Each element to what is before it. */
static void shift(const ga_exec *e, size_t rows, size_t row, char *x, const char *v)
{
  size_t bytes = rows * e->folds->size;
  for (size_t i = row; i-- > 1;)
    memcpy(x + i * bytes, i % GROUP ? x + (i - 1) * bytes : v + (i / GROUP - 1) * bytes, bytes);
  ga_cpu_fill(e->folds->size, rows, x, e->scan.first.bytes);
}

void ga_scan_tiny(const ga_exec *e, size_t rows, size_t row, char *value, const char *from,
                  char *mem)
{
  const ga_fold *f = e->folds;
  size_t bytes = rows * f->size, before = (row - 1) / GROUP;
  ssize_t size = (ssize_t)f->size, down = (ssize_t)bytes, along = (ssize_t)(row * f->size);
  char *x = mem, *v = mem + row * bytes;
  ga_cpu_move(f->size, row, rows, x, down, size, from, size, along);
  for (size_t i = 1; i < row; i++)
    if (i % GROUP) join_all(f, rows, x + i * bytes, x + (i - 1) * bytes);
  for (size_t g = 0; g < before; g++)
    memcpy(v + g * bytes, x + (GROUP * g + GROUP - 1) * bytes, bytes);
  join_groups(f, rows, v, before);
  for (size_t i = GROUP; i < row; i++)
    join_all(f, rows, x + i * bytes, v + (i / GROUP - 1) * bytes);
  if (e->scan.exclusive) shift(e, rows, row, x, v);
  ga_cpu_move(f->size, rows, row, value, along, size, x, size, down);
}
