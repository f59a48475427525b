/* SPDX-License-Identifier: MIT */
/* Up to eight rows of elements, wherever they lie, joined element by element as the first rows of
 * a chunk are (tree_impl.h), each read once and only the result written. For reductions that the
 * order changes; others have rakes. */
#include "tree_impl.h"

/* Any of the rows may be where the result goes. */
#define AT(k) row##k[j]
#define ROWS(count, name, T)                                                            \
  static void rows##count##_##name##_##T(size_t n, mem_##T *to, const void *const *row) \
  {                                                                                     \
    const mem_##T *row0 = row[0], *row1 = row[1], *row2 = row[count > 2 ? 2 : 0];       \
    const mem_##T *row3 = row[count > 3 ? 3 : 0], *row4 = row[count > 4 ? 4 : 0];       \
    const mem_##T *row5 = row[count > 5 ? 5 : 0], *row6 = row[count > 6 ? 6 : 0];       \
    const mem_##T *row7 = row[count > 7 ? 7 : 0];                                       \
    (void)row2, (void)row3, (void)row4, (void)row5, (void)row6, (void)row7;             \
    GA_INDEPENDENT                                                                      \
    for (size_t j = 0; j < n; j++) to[j] = GA_ROWS_##count(ga_reduce_##name##_##T, AT); \
  }

#define ABREAST(name, T)                                                                      \
  ROWS(2, name, T)                                                                            \
  ROWS(3, name, T)                                                                            \
  ROWS(4, name, T)                                                                            \
  ROWS(5, name, T)                                                                            \
  ROWS(6, name, T)                                                                            \
  ROWS(7, name, T)                                                                            \
  ROWS(8, name, T)                                                                            \
  static void abreast_##name##_##T(size_t n, size_t count, void *acc, const void *const *row) \
  {                                                                                           \
    static void (*const of[])(size_t n, mem_##T * to, const void *const *row) = {             \
        rows2_##name##_##T, rows3_##name##_##T, rows4_##name##_##T, rows5_##name##_##T,       \
        rows6_##name##_##T, rows7_##name##_##T, rows8_##name##_##T};                          \
    if (count > 1)                                                                            \
      of[count - 2](n, acc, row);                                                             \
    else                                                                                      \
      memmove(acc, row[0], n * sizeof(mem_##T));                                              \
  }
#define ROW(name, T) [GA_REDUCE_##name] = abreast_##name##_##T,

ABREAST(sum, float32)
ABREAST(prod, float32)
ABREAST(sum, float64)
ABREAST(prod, float64)
ABREAST(sum, complex64)
ABREAST(sum, complex128)

extern const ga_abreast GA_SYM(ga_abreasts)[GA_NDTYPE][GA_NREDUCE];
const ga_abreast GA_SYM(ga_abreasts)[GA_NDTYPE][GA_NREDUCE] = {
    [GA_DT_FLOAT32] = {ROW(sum, float32) ROW(prod, float32)},
    [GA_DT_FLOAT64] = {ROW(sum, float64) ROW(prod, float64)},
    [GA_DT_COMPLEX64] = {ROW(sum, complex64)},
    [GA_DT_COMPLEX128] = {ROW(sum, complex128)},
};
