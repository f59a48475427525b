/* SPDX-License-Identifier: MIT */
/* What the tests of arrays share: one to look at, and one that is cleared. */
#ifndef TESTS_ARRAYS_H
#define TESTS_ARRAYS_H

#include "tests/common.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/ops.h"

/* 0, 1, 2, ... as int32. */
static inline GpuArray iota(gpucontext *ctx, unsigned int nd, const size_t *dims)
{
  GpuArray a = {0};
  size_t n = 1;
  for (unsigned int k = 0; k < nd; k++) n *= dims[k];
  int *x = malloc((n + 1) * sizeof *x);
  ck_assert_ptr_nonnull(x);
  for (size_t i = 0; i < n; i++) x[i] = (int)i;
  OK(GpuArray_fromhost(&a, ctx, GA_INT, nd, dims, x));
  free(x);
  return a;
}

/* The same as any type. */
static inline GpuArray iota_of(gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims)
{
  GpuArray i = iota(ctx, nd, dims), a = {0};
  OK(GpuArray_cast(&a, &i, typecode));
  GpuArray_clear(&i);
  return a;
}

#define IS_ZEROED(a)                                       \
  do {                                                     \
    static const GpuArray none = {0};                      \
    ck_assert_int_eq(memcmp(&(a), &none, sizeof none), 0); \
  } while (0)

#endif
