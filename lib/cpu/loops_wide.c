/* SPDX-License-Identifier: MIT */
/* Vector loops of the float32 functions of math_wide.h. The compiler makes the vectors, of
 * the very scalar functions; a block with an argument at an edge is done again element by
 * element, which gives the same bits where there was none. */
#include "loops_impl.h"

enum { BLOCK = 512 };

#define LOOP1(name)                                                               \
  static inline int block_##name(size_t n, ga_float *t, const mem_float32 *a)     \
  {                                                                               \
    int edge = 0;                                                                 \
    GA_INDEPENDENT                                                                \
    for (size_t i = 0; i < n; i++) {                                              \
      edge |= ga_wide_edge_##name(a[i]);                                          \
      t[i] = ga_wide_##name(a[i]);                                                \
    }                                                                             \
    return edge;                                                                  \
  }                                                                               \
  static void name##_float32(size_t n, void *dst, const void *const *src)         \
  {                                                                               \
    mem_float32 *r = dst;                                                         \
    const mem_float32 *a = src[0];                                                \
    ga_float t[BLOCK];                                                            \
    for (size_t i = 0; i < n; i += BLOCK) {                                       \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                   \
      if (k == BLOCK ? block_##name(BLOCK, t, a + i) : block_##name(k, t, a + i)) \
        for (size_t j = 0; j < k; j++) t[j] = ga_m_##name##_float32(a[i + j]);    \
      memcpy(r + i, t, k * sizeof *t);                                            \
    }                                                                             \
  }
#define LOOP2(name)                                                                             \
  static inline int block_##name(size_t n, ga_float *t, const mem_float32 *a,                   \
                                 const mem_float32 *b)                                          \
  {                                                                                             \
    int edge = 0;                                                                               \
    GA_INDEPENDENT                                                                              \
    for (size_t i = 0; i < n; i++) {                                                            \
      edge |= ga_wide_edge_##name(a[i], b[i]);                                                  \
      t[i] = ga_wide_##name(a[i], b[i]);                                                        \
    }                                                                                           \
    return edge;                                                                                \
  }                                                                                             \
  static void name##_float32(size_t n, void *dst, const void *const *src)                       \
  {                                                                                             \
    mem_float32 *r = dst;                                                                       \
    const mem_float32 *a = src[0], *b = src[1];                                                 \
    ga_float t[BLOCK];                                                                          \
    for (size_t i = 0; i < n; i += BLOCK) {                                                     \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                                 \
      if (k == BLOCK ? block_##name(BLOCK, t, a + i, b + i) : block_##name(k, t, a + i, b + i)) \
        for (size_t j = 0; j < k; j++) t[j] = ga_m_##name##_float32(a[i + j], b[i + j]);        \
      memcpy(r + i, t, k * sizeof *t);                                                          \
    }                                                                                           \
  }

#define ONE(name, c, ulp, fix) GA_PASTE(ONE, GA_IS_WIDE(name))(name)
#define ONE_0(name)
#define ONE_1(name)       LOOP1(name)
#define TWO(name, c, ulp) GA_PASTE(TWO, GA_IS_WIDE(name))(name)
#define TWO_0(name)
#define TWO_1(name) LOOP2(name)
GA_MATH1(ONE)
GA_MATH2(TWO)

#define ROW1(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_WIDE(name))(name)
#define ROW2(name, c, ulp)      GA_PASTE(ROW, GA_IS_WIDE(name))(name)
#define ROW_0(name)
#define ROW_1(name) [GA_OP_##name - GA_N_OP] = name##_float32,
extern const ga_loop GA_SYM(ga_wide_float32)[GA_NOP];
const ga_loop GA_SYM(ga_wide_float32)[GA_NOP] = {GA_MATH1(ROW1) GA_MATH2(ROW2)};
