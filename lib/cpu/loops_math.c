/* SPDX-License-Identifier: MIT */
/* Vector loops of the transcendental functions of float32 and float64, over
 * SLEEF's deterministic functions. A tail shorter than a vector is computed as a
 * whole vector, and lanes at the edges of math_sleef.h by the scalar function;
 * all give the bits of the scalar function. Baseline builds have none and use
 * the loops of loops_float.c. */
#include "loops_impl.h"
#include "vectors.h"

extern const ga_loop GA_SYM(ga_math_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_math_float64)[GA_NOP];

#if defined(__AVX512F__) && defined(__AVX512DQ__) /* as vectors.h */
#define SLEEF_float32(c, ulp) Sleef_finz_##c##f16_##ulp##avx512f
#define SLEEF_float64(c, ulp) Sleef_finz_##c##d8_##ulp##avx512f
#else
#define SLEEF_float32(c, ulp) Sleef_finz_##c##f8_##ulp##avx2
#define SLEEF_float64(c, ulp) Sleef_finz_##c##d4_##ulp##avx2
#endif

#ifdef GA_VECTORS

enum { BLOCK = 512 };

/* The tail is copied to where a whole vector can be read. */
#define LOOP1_PLAIN(name, c, ulp, T, C)                               \
  VECTOR_##T SLEEF_##T(c, ulp)(VECTOR_##T);                           \
  static void name##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                   \
    enum { LANES = sizeof(VECTOR_##T) / sizeof(C) };                  \
    mem_##T *r = dst;                                                 \
    const mem_##T *a = src[0];                                        \
    C x[LANES] = {0};                                                 \
    size_t i = 0;                                                     \
    for (; i + LANES <= n; i += LANES)                                \
      STORE_##T((void *)(r + i), SLEEF_##T(c, ulp)(LOAD_##T(a + i))); \
    if (i < n) {                                                      \
      memcpy(x, a + i, (n - i) * sizeof(C));                          \
      STORE_##T(x, SLEEF_##T(c, ulp)(LOAD_##T(x)));                   \
      memcpy(r + i, x, (n - i) * sizeof(C));                          \
    }                                                                 \
  }

/* Block by block, so that asking for edges costs little where there are none; where
 * there are, the arguments are kept, as the destination may be where they lie. */
#define LOOP1_FIXED(name, c, ulp, T, C)                                      \
  LOOP1_PLAIN(inner_##name, c, ulp, T, C)                                    \
  static void name##_##T(size_t n, void *dst, const void *const *src)        \
  {                                                                          \
    mem_##T *r = dst;                                                        \
    const mem_##T *a = src[0];                                               \
    C x[BLOCK];                                                              \
    for (size_t i = 0; i < n; i += BLOCK) {                                  \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                              \
      const void *from = a + i;                                              \
      int edge = 0;                                                          \
      for (size_t j = 0; j < k; j++) edge |= ga_edge_##name##_##T(a[i + j]); \
      if (edge) from = memcpy(x, a + i, k * sizeof(C));                      \
      inner_##name##_##T(k, r + i, &from);                                   \
      for (size_t j = 0; edge && j < k; j++)                                 \
        if (ga_edge_##name##_##T(x[j])) r[i + j] = ga_m_##name##_##T(x[j]);  \
    }                                                                        \
  }

/* Those of which loops_wide.c has all arguments are left out. */
#define LOOPS1(name, c, ulp, fix)        \
  GA_PASTE(LOOP1, GA_IS_WIDE(name))      \
  (name, c, ulp, fix, float32, ga_float) \
      GA_PASTE(LOOP1, GA_IS_LONG(name))(name, c, ulp, fix, float64, ga_double)
#define LOOP1_0(name, c, ulp, fix, T, C) LOOP1_##fix(name, c, ulp, T, C)
#define LOOP1_1(name, c, ulp, fix, T, C) LOOP1_0(name, c, ulp, fix, T, C)
#define LOOP1_2(name, c, ulp, fix, T, C)
GA_MATH1(LOOPS1)

#define ROW_float32(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_WIDE(name))(name, float32)
#define ROW_float64(name, c, ulp, fix) GA_PASTE(ROW, GA_IS_LONG(name))(name, float64)
#define ROW_0(name, T)                 [GA_OP_##name - GA_N_OP] = name##_##T,
#define ROW_1(name, T)                 ROW_0(name, T)
#define ROW_2(name, T)

const ga_loop GA_SYM(ga_math_float32)[GA_NOP] = {GA_MATH1(ROW_float32)};
const ga_loop GA_SYM(ga_math_float64)[GA_NOP] = {GA_MATH1(ROW_float64)};

#else

const ga_loop GA_SYM(ga_math_float32)[GA_NOP] = {0};
const ga_loop GA_SYM(ga_math_float64)[GA_NOP] = {0};

#endif
