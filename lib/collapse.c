/* SPDX-License-Identifier: MIT */
/* Merging the axes of arrays that are walked together, for callers of the C
 * interface. Expressions have their own canonical form (codegen/layout.c). */
#include "gpuarray/util.h"

static void drop_axis(unsigned int n, unsigned int *nd, size_t *dim, ssize_t **strs,
                      unsigned int axis)
{
  for (unsigned int i = axis; i + 1 < *nd; i++) {
    dim[i] = dim[i + 1];
    for (unsigned int k = 0; k < n; k++)
      if (strs[k] != NULL) strs[k][i] = strs[k][i + 1];
  }
  (*nd)--;
}

/* 1 when every array steps over axis `i - 1` as over the whole of axis `i`. */
static int one_walk(unsigned int n, const size_t *dim, ssize_t **strs, unsigned int i)
{
  for (unsigned int k = 0; k < n; k++) {
    ssize_t whole;

    if (strs[k] == NULL) continue;
    if (__builtin_mul_overflow(strs[k][i], dim[i], &whole)) return 0;
    if (strs[k][i - 1] != whole) return 0;
  }
  return 1;
}

void gpuarray_elemwise_collapse(unsigned int n, unsigned int *nd, size_t *dim, ssize_t **strs)
{
  if (nd == NULL || dim == NULL || (n != 0 && strs == NULL)) return;
  for (unsigned int i = *nd; i-- > 0 && *nd > 1;)
    if (dim[i] == 1) drop_axis(n, nd, dim, strs, i);
  for (unsigned int i = *nd; i-- > 1;) {
    if (!one_walk(n, dim, strs, i)) continue;
    /* Axis i - 1 takes the steps and both extents; i goes. */
    for (unsigned int k = 0; k < n; k++)
      if (strs[k] != NULL) strs[k][i - 1] = strs[k][i];
    dim[i] *= dim[i - 1];
    dim[i - 1] = dim[i];
    drop_axis(n, nd, dim, strs, i);
  }
}
