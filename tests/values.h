/* SPDX-License-Identifier: MIT */
/* Arrays made of doubles and compared with doubles, whatever their type. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H

#include "tests/common.h"

#include "gpuarray/array.h"

/* The values of an array as doubles, C order. */
static inline void expect(const GpuArray *a, size_t n, const double *want)
{
  double *got = calloc(n + 1, sizeof *got);
  size_t i;
  OK(GpuArray_tohost(got, n * sizeof *got, GA_DOUBLE, a));
  for (i = 0; i < n; i++)
    ck_assert_msg(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i]),
                  "element %zu is %.17g, expected %.17g", i, got[i], want[i]);
  free(got);
}

#define EXPECT(a, ...)                                  \
  do {                                                  \
    const double want_[] = {__VA_ARGS__};               \
    expect((a), sizeof want_ / sizeof want_[0], want_); \
  } while (0)

/* The `values`, C order, as an array of type `typecode`. */
static inline void make(gpucontext *ctx, GpuArray *a, int typecode, unsigned int nd,
                        const size_t *dims, const double *values)
{
  GpuArray d;
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, nd, dims, values));
  OK(GpuArray_empty(a, ctx, typecode, nd, dims, GA_C_ORDER));
  OK(GpuArray_move(a, &d));
  GpuArray_clear(&d);
}

#endif
