/* SPDX-License-Identifier: MIT */
/* Vector loops of the functions of math_wide.h. The compiler makes the vectors, of the very scalar
 * functions. A block is asked for edges first, and where there are some its arguments are kept, as
 * the destination may be where they lie: elements at an edge are done again, by SLEEF's vectors or,
 * of two arguments, one by one. A block of a function that has a form for all arguments
 * (math_power.h) is done by it where there are some. The baseline of x86-64, which has no fused
 * multiply-add, uses the loops of loops_float.c. */
#include "loops_impl.h"

extern const ga_loop GA_SYM(ga_wide_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_wide_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_math_float32)[GA_NOP]; /* loops_math.c */
extern const ga_loop GA_SYM(ga_math_float64)[GA_NOP];
extern const ga_loop GA_SYM(ga_loops_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_loops_float64)[GA_NOP];

#if defined(__x86_64__) && !defined(__FMA__)

const ga_loop GA_SYM(ga_wide_float32)[GA_NOP] = {0};
const ga_loop GA_SYM(ga_wide_float64)[GA_NOP] = {0};

#else

enum { BLOCK = 512, PART = 32 };

/* SLEEF's loop, or one by one where it has no vectors. */
#define SLEEF(T, i) (GA_SYM(ga_math_##T)[i] ? GA_SYM(ga_math_##T)[i] : GA_SYM(ga_loops_##T)[i])

/* Elements of a block at an edge, x being its arguments: brought together, done by SLEEF's vectors
 * and put back. Parts that have none are passed over. */
#define EDGES1(name, own, T, C, U)                                              \
  static void edges_##name##_##T(size_t n, mem_##T *r, C *x)                    \
  {                                                                             \
    unsigned short at[BLOCK];                                                   \
    const void *const src[] = {x};                                              \
    size_t m = 0;                                                               \
    for (size_t i = 0; i < n; i += PART) {                                      \
      size_t end = n - i < PART ? n : i + PART;                                 \
      U edge = 0;                                                               \
      for (size_t j = i; j < end; j++) edge |= (U)ga_##own##_edge_##name(x[j]); \
      for (size_t j = i; edge && j < end; j++) {                                \
        at[m] = (unsigned short)j;                                              \
        x[m] = x[j];                                                            \
        m += ga_##own##_edge_##name(x[m]) != 0;                                 \
      }                                                                         \
    }                                                                           \
    SLEEF(T, GA_OP_##name - GA_N_OP)(m, x, src);                                \
    for (size_t j = 0; j < m; j++) r[at[j]] = x[j];                             \
  }                                                                             \
  /* A block of which most are at an edge. */                                   \
  static void far_##name##_##T(size_t n, mem_##T *r, const C *x)                \
  {                                                                             \
    const void *const src[] = {x};                                              \
    SLEEF(T, GA_OP_##name - GA_N_OP)(n, r, src);                                \
    for (size_t j = 0; j < n; j++)                                              \
      if (!ga_##own##_edge_##name(x[j])) r[j] = ga_##own##_##name(x[j]);        \
  }
#define LOOP1(name, own, T, C, U)                                                                 \
  EDGES1(name, own, T, C, U)                                                                      \
  static inline void block_##name##_##T(size_t n, mem_##T *r, const mem_##T *a)                   \
  {                                                                                               \
    GA_INDEPENDENT                                                                                \
    for (size_t i = 0; i < n; i++) r[i] = ga_##own##_##name(a[i]);                                \
  }                                                                                               \
  static void name##_##T(size_t n, void *dst, const void *const *src)                             \
  {                                                                                               \
    mem_##T *r = dst;                                                                             \
    const mem_##T *a = src[0];                                                                    \
    C x[BLOCK];                                                                                   \
    for (size_t i = 0; i < n; i += BLOCK) {                                                       \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                                   \
      U edges = 0;                                                                                \
      for (size_t j = 0; j < k; j++) edges += (U)ga_##own##_edge_##name(a[i + j]);                \
      if (__builtin_expect(edges != 0, 0)) memcpy(x, a + i, k * sizeof *x);                       \
      if (edges > k / 8 * 7) {                                                                    \
        far_##name##_##T(k, r + i, x);                                                            \
        continue;                                                                                 \
      }                                                                                           \
      k == BLOCK ? block_##name##_##T(BLOCK, r + i, a + i) : block_##name##_##T(k, r + i, a + i); \
      if (__builtin_expect(edges != 0, 0)) edges_##name##_##T(k, r + i, x);                       \
    }                                                                                             \
  }
#define LOOP2(name, own, T, C)                                                                    \
  static inline void block_##name##_##T(size_t n, mem_##T *r, const mem_##T *a, const mem_##T *b) \
  {                                                                                               \
    GA_INDEPENDENT                                                                                \
    for (size_t i = 0; i < n; i++) r[i] = ga_##own##_##name(a[i], b[i]);                          \
  }                                                                                               \
  static void name##_##T(size_t n, void *dst, const void *const *src)                             \
  {                                                                                               \
    mem_##T *r = dst;                                                                             \
    const mem_##T *a = src[0], *b = src[1];                                                       \
    C x[BLOCK], y[BLOCK];                                                                         \
    for (size_t i = 0; i < n; i += BLOCK) {                                                       \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                                   \
      int edge = 0;                                                                               \
      for (size_t j = 0; j < k; j++) edge |= ga_##own##_edge_##name(a[i + j], b[i + j]);          \
      if (__builtin_expect(edge, 0)) {                                                            \
        memcpy(x, a + i, k * sizeof *x);                                                          \
        memcpy(y, b + i, k * sizeof *y);                                                          \
      }                                                                                           \
      k == BLOCK ? block_##name##_##T(BLOCK, r + i, a + i, b + i)                                 \
                 : block_##name##_##T(k, r + i, a + i, b + i);                                    \
      for (size_t j = 0; edge && j < k; j++)                                                      \
        if (ga_##own##_edge_##name(x[j], y[j])) r[i + j] = ga_m_##name##_##T(x[j], y[j]);         \
    }                                                                                             \
  }

/* The highest bit of what is far is that of an edge. */
#define ALL1(name, own, T, C, U)                                             \
  static void name##_##T(size_t n, void *dst, const void *const *src)        \
  {                                                                          \
    mem_##T *r = dst;                                                        \
    const mem_##T *a = src[0];                                               \
    for (size_t i = 0; i < n; i += BLOCK) {                                  \
      size_t end = n - i < BLOCK ? n : i + BLOCK;                            \
      U far = 0;                                                             \
      for (size_t j = i; j < end; j++) far |= ga_##own##_far_##name(a[j]);   \
      if (__builtin_expect(far >> (8 * sizeof(U) - 1) != 0, 0)) {            \
        GA_INDEPENDENT                                                       \
        for (size_t j = i; j < end; j++) r[j] = ga_##own##_all_##name(a[j]); \
      } else {                                                               \
        GA_INDEPENDENT                                                       \
        for (size_t j = i; j < end; j++) r[j] = ga_##own##_##name(a[j]);     \
      }                                                                      \
    }                                                                        \
  }
#define ALL2(name, own, T, C, U)                                                   \
  static void name##_##T(size_t n, void *dst, const void *const *src)              \
  {                                                                                \
    mem_##T *r = dst;                                                              \
    const mem_##T *a = src[0], *b = src[1];                                        \
    for (size_t i = 0; i < n; i += BLOCK) {                                        \
      size_t end = n - i < BLOCK ? n : i + BLOCK;                                  \
      U far = 0;                                                                   \
      for (size_t j = i; j < end; j++) far |= ga_##own##_far_##name(a[j], b[j]);   \
      if (__builtin_expect(far >> (8 * sizeof(U) - 1) != 0, 0)) {                  \
        GA_INDEPENDENT                                                             \
        for (size_t j = i; j < end; j++) r[j] = ga_##own##_all_##name(a[j], b[j]); \
      } else {                                                                     \
        GA_INDEPENDENT                                                             \
        for (size_t j = i; j < end; j++) r[j] = ga_##own##_##name(a[j], b[j]);     \
      }                                                                            \
    }                                                                              \
  }

#define ONE(name, c, ulp, fix)             \
  GA_PASTE(ONE, GA_IS_WIDE(name))          \
  (name, wide, float32, ga_float, ga_uint) \
      GA_PASTE(ONE, GA_IS_LONG(name))(name, long, float64, ga_double, ga_ulong)
#define ONE_0(name, own, T, C, U)
#define ONE_1(name, own, T, C, U) LOOP1(name, own, T, C, U)
#define ONE_2(name, own, T, C, U) ALL1(name, own, T, C, U)
#define TWO(name, c, ulp, fix)             \
  GA_PASTE(TWO, GA_IS_WIDE(name))          \
  (name, wide, float32, ga_float, ga_uint) \
      GA_PASTE(TWO, GA_IS_LONG(name))(name, long, float64, ga_double, ga_ulong)
#define TWO_1(name, own, T, C, U) LOOP2(name, own, T, C)
#define TWO_2(name, own, T, C, U) ALL2(name, own, T, C, U)
GA_MATH1(ONE)
GA_MATH2(TWO)

#define WIDE(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_WIDE(name))(name, float32)
#define LONG(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_LONG(name))(name, float64)
#define ROW_0(name, T)
#define ROW_1(name, T) [GA_OP_##name - GA_N_OP] = name##_##T,
#define ROW_2(name, T) ROW_1(name, T)
const ga_loop GA_SYM(ga_wide_float32)[GA_NOP] = {GA_MATH1(WIDE) GA_MATH2(WIDE)};
const ga_loop GA_SYM(ga_wide_float64)[GA_NOP] = {
    GA_MATH1(LONG) GA_MATH2(LONG)[GA_OP_float_power - GA_N_OP] = power_float64,
};

#endif
