/* SPDX-License-Identifier: MIT */
/* Vector loops of the float32 functions of math_wide.h. The compiler makes the vectors, of
 * the very scalar functions; elements at an edge are done again one by one. A block is asked
 * for edges first, and where there are some its arguments are kept, as the destination may be
 * where they lie. The baseline of x86-64, which has no fused multiply-add, uses the loops of
 * loops_float.c. */
#include "loops_impl.h"

extern const ga_loop GA_SYM(ga_wide_float32)[GA_NOP];

#if defined(__x86_64__) && !defined(__FMA__)

const ga_loop GA_SYM(ga_wide_float32)[GA_NOP] = {0};

#else

enum { BLOCK = 512 };

#define LOOP1(name)                                                                   \
  static inline void block_##name(size_t n, mem_float32 *r, const mem_float32 *a)     \
  {                                                                                   \
    GA_INDEPENDENT                                                                    \
    for (size_t i = 0; i < n; i++) r[i] = ga_wide_##name(a[i]);                       \
  }                                                                                   \
  static void name##_float32(size_t n, void *dst, const void *const *src)             \
  {                                                                                   \
    mem_float32 *r = dst;                                                             \
    const mem_float32 *a = src[0];                                                    \
    ga_float x[BLOCK];                                                                \
    for (size_t i = 0; i < n; i += BLOCK) {                                           \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                       \
      int edge = 0;                                                                   \
      for (size_t j = 0; j < k; j++) edge |= ga_wide_edge_##name(a[i + j]);           \
      if (__builtin_expect(edge, 0)) memcpy(x, a + i, k * sizeof *x);                 \
      k == BLOCK ? block_##name(BLOCK, r + i, a + i) : block_##name(k, r + i, a + i); \
      for (size_t j = 0; edge && j < k; j++)                                          \
        if (ga_wide_edge_##name(x[j])) r[i + j] = ga_m_##name##_float32(x[j]);        \
    }                                                                                 \
  }
#define LOOP2(name)                                                                        \
  static inline void block_##name(size_t n, mem_float32 *r, const mem_float32 *a,          \
                                  const mem_float32 *b)                                    \
  {                                                                                        \
    GA_INDEPENDENT                                                                         \
    for (size_t i = 0; i < n; i++) r[i] = ga_wide_##name(a[i], b[i]);                      \
  }                                                                                        \
  static void name##_float32(size_t n, void *dst, const void *const *src)                  \
  {                                                                                        \
    mem_float32 *r = dst;                                                                  \
    const mem_float32 *a = src[0], *b = src[1];                                            \
    ga_float x[BLOCK], y[BLOCK];                                                           \
    for (size_t i = 0; i < n; i += BLOCK) {                                                \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                            \
      int edge = 0;                                                                        \
      for (size_t j = 0; j < k; j++) edge |= ga_wide_edge_##name(a[i + j], b[i + j]);      \
      if (__builtin_expect(edge, 0)) {                                                     \
        memcpy(x, a + i, k * sizeof *x);                                                   \
        memcpy(y, b + i, k * sizeof *y);                                                   \
      }                                                                                    \
      k == BLOCK ? block_##name(BLOCK, r + i, a + i, b + i)                                \
                 : block_##name(k, r + i, a + i, b + i);                                   \
      for (size_t j = 0; edge && j < k; j++)                                               \
        if (ga_wide_edge_##name(x[j], y[j])) r[i + j] = ga_m_##name##_float32(x[j], y[j]); \
    }                                                                                      \
  }

#define ONE(name, c, ulp, fix) GA_PASTE(ONE, GA_IS_WIDE(name))(name)
#define ONE_0(name)
#define ONE_1(name)            LOOP1(name)
#define TWO(name, c, ulp, fix) GA_PASTE(TWO, GA_IS_WIDE(name))(name)
#define TWO_0(name)
#define TWO_1(name) LOOP2(name)
GA_MATH1(ONE)
GA_MATH2(TWO)

#define ROW1(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_WIDE(name))(name)
#define ROW2(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_WIDE(name))(name)
#define ROW_0(name)
#define ROW_1(name) [GA_OP_##name - GA_N_OP] = name##_float32,
const ga_loop GA_SYM(ga_wide_float32)[GA_NOP] = {GA_MATH1(ROW1) GA_MATH2(ROW2)};

#endif
