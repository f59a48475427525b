/* SPDX-License-Identifier: MIT */
/* minimum, maximum, fmin and fmax of float32 and float64 with AVX-512, in five instructions where
 * the compiler makes eleven of the scalar functions: the processor's extreme is the second of two
 * that are equal or of which one is NaN, as theirs is at first; then the signs of equal zeros are
 * joined, and the first takes its place where NaN says so. Lines are asked for 512 bytes on, as so
 * short a loop waits for the second cache. Other processors use loops_float.c. */
#include "loops_impl.h"
#include "vectors.h"

extern const ga_loop GA_SYM(ga_extreme_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_extreme_float64)[GA_NOP];

#if defined(__AVX512F__) && defined(__AVX512DQ__)

/* Read once: the compiler would read memory for each use. */
#define IN_REGISTER(v) __asm__("" : "+x"(v))

#define LOOP(op, EXTREME, WITH, x, T, C, p)                                           \
  static void op##_##T(size_t n, void *dst, const void *const *src)                   \
  {                                                                                   \
    enum { LANES = sizeof(VECTOR_##T) / sizeof(C) };                                  \
    mem_##T *r = dst;                                                                 \
    const mem_##T *u = src[0], *v = src[1];                                           \
    size_t i = 0;                                                                     \
    for (; i + LANES <= n; i += LANES) {                                              \
      __builtin_prefetch((const char *)(u + i) + 512);                                \
      __builtin_prefetch((const char *)(v + i) + 512);                                \
      VECTOR_##T a = LOAD_##T(u + i), b = LOAD_##T(v + i);                            \
      IN_REGISTER(b);                                                                 \
      VECTOR_##T e = EXTREME##_##T(a, b);                                             \
      e = _mm512_mask_##WITH##_##p(e, _mm512_cmp_##p##_mask(a, b, _CMP_EQ_OQ), a, b); \
      e = _mm512_mask_mov_##p(e, _mm512_cmp_##p##_mask(x, x, _CMP_UNORD_Q), a);       \
      STORE_##T((void *)(r + i), e);                                                  \
    }                                                                                 \
    for (; i < n; i++) r[i] = ga_##op##_##T(u[i], v[i]);                              \
  }
#define LOOPS(T, C, p)                \
  LOOP(minimum, MIN, or, a, T, C, p)  \
  LOOP(maximum, MAX, and, a, T, C, p) \
  LOOP(fmin, MIN, or, b, T, C, p)     \
  LOOP(fmax, MAX, and, b, T, C, p)
LOOPS(float32, ga_float, ps)
LOOPS(float64, ga_double, pd)

#define ROW(op, T) [GA_OP_##op - GA_N_OP] = op##_##T,
#define ROWS(T)    ROW(minimum, T) ROW(maximum, T) ROW(fmin, T) ROW(fmax, T)
const ga_loop GA_SYM(ga_extreme_float32)[GA_NOP] = {ROWS(float32)};
const ga_loop GA_SYM(ga_extreme_float64)[GA_NOP] = {ROWS(float64)};

#else

const ga_loop GA_SYM(ga_extreme_float32)[GA_NOP] = {0};
const ga_loop GA_SYM(ga_extreme_float64)[GA_NOP] = {0};

#endif
