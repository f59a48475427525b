/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk, for complex accumulators. */
#include "uncontracted.h"

#include "loops_impl.h"

/* The rows of a chunk, half after half, each joined to the other: of longer joins compilers make
 * no vectors of so many rows at once. */
#define FOLD_BY_HALVES(name, T, C)                                                        \
  static inline void two_##name##_##T(size_t n, C *r, const mem_##T *a, const mem_##T *b) \
  {                                                                                       \
    GA_INDEPENDENT                                                                        \
    for (size_t j = 0; j < n; j++) r[j] = join_##name##_##T(a[j], b[j]);                  \
  }                                                                                       \
  static void rows_##name##_##T(size_t n, C *t, const mem_##T *a)                         \
  {                                                                                       \
    C u[GA_CHUNK / 2];                                                                    \
    for (size_t h = GA_CHUNK / 2; h >= GA_ROW; h /= 2) {                                  \
      C *to = h == GA_ROW ? t : u;                                                        \
      if (n <= h) continue;                                                               \
      two_##name##_##T(n - h, to, a, a + h);                                              \
      if (to != a) memcpy(to + (n - h), a + (n - h), (2 * h - n) * sizeof(C));            \
      a = to;                                                                             \
      n = h;                                                                              \
    }                                                                                     \
  }

#define GA_FOLD_ROWS(name, T, C) FOLD_##name(name, T, C)
#define FOLD_sum(name, T, C)     GA_FOLD_AT_ONCE(name, T, C)
#define FOLD_prod(name, T, C)    FOLD_BY_HALVES(name, T, C)
#define FOLD_min(name, T, C)     FOLD_BY_HALVES(name, T, C)
#define FOLD_max(name, T, C)     FOLD_BY_HALVES(name, T, C)
#include "tree_impl.h"

GA_TREE_TABLE(complex64)
GA_TREE_TABLE(complex128)
