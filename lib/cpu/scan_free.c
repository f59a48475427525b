/* SPDX-License-Identifier: MIT */
/* Scans of sums and products of integers, which no order changes: element after element, as
 * each is there a cycle (a product three) after the one before it. */
#include "loops_impl.h"

#define SCAN(name, T, C)                                                                      \
  static void scan_##name##_##T(size_t n, size_t rows, int exclusive, void *state, void *dst, \
                                const void *src)                                              \
  {                                                                                           \
    mem_##T *s = state, *to = dst;                                                            \
    const mem_##T *from = src;                                                                \
    C total = s[0];                                                                           \
    for (size_t r = 0; r < rows; r++, to += n, from += n) {                                   \
      if (r > 0) total = ga_identity_##name##_##T();                                          \
      for (size_t i = 0; !exclusive && i < n; i++)                                            \
        to[i] = total = ga_reduce_##name##_##T(total, from[i]);                               \
      for (size_t i = 0; exclusive && i < n; i++) {                                           \
        C x = from[i];                                                                        \
        to[i] = total;                                                                        \
        total = ga_reduce_##name##_##T(total, x);                                             \
      }                                                                                       \
    }                                                                                         \
    s[0] = total;                                                                             \
  }
SCAN(sum, int64, ga_long)
SCAN(prod, int64, ga_long)
SCAN(sum, uint64, ga_ulong)
SCAN(prod, uint64, ga_ulong)

#define ROW(ID, T) \
  [GA_DT_##ID] = {[GA_REDUCE_sum] = scan_sum_##T, [GA_REDUCE_prod] = scan_prod_##T},
extern const ga_free_scan GA_SYM(ga_free_scans)[GA_NDTYPE][GA_NREDUCE];
const ga_free_scan GA_SYM(ga_free_scans)[GA_NDTYPE][GA_NREDUCE] = {ROW(INT64, int64)
                                                                       ROW(UINT64, uint64)};
