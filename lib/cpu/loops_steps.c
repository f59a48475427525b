/* SPDX-License-Identifier: MIT */
/* Several operations one after the other on values that stay in registers meanwhile: for
 * (a*10 + 2)*b - c four steps on a. A strip of eight vectors goes through all steps, each found by
 * a switch, before the next strip begins; then single vectors. Each step rounds as the scalar
 * function of its name does. */
#include "loops_impl.h"

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

#define EIGHT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define ONE(X)   X(0)

#define GET(k)          vec a##k = ((const vec *)(first + at))[k];
#define PUT(k)          ((vec *)to)[k] = a##k;
#define ADD(k)          a##k += x[k];
#define SUBTRACT(k)     a##k -= x[k];
#define FROM(k)         a##k = x[k] - a##k;
#define MULTIPLY(k)     a##k *= x[k];
#define DIVIDE(k)       a##k /= x[k];
#define INTO(k)         a##k = x[k] / a##k;
#define ADD_ONE(k)      a##k += one;
#define SUBTRACT_ONE(k) a##k -= one;
#define FROM_ONE(k)     a##k = one - a##k;
#define MULTIPLY_ONE(k) a##k *= one;
#define DIVIDE_ONE(k)   a##k /= one;
#define INTO_ONE(k)     a##k = one / a##k;
#define SQUARE(k)       a##k *= a##k;
#define NEGATE(k)       a##k = -a##k;

#define CASE(op, EACH) \
  case GA_STEP_##op: { \
    EACH(op) break;    \
  }
#define CASES(op, EACH) CASE(op, EACH) CASE(op##_ONE, EACH)
#define REAL(EACH)      CASES(DIVIDE, EACH) CASES(INTO, EACH)
#define WHOLE(EACH)

/* One strip, `at` bytes from where each source begins, to `to`. */
#define STRIP(T, C, name, EACH, MORE)                                               \
  static inline __attribute__((always_inline)) void name##_##T(                     \
      size_t at, char *to, const char *first, const void *const *src, size_t nstep, \
      const unsigned char *steps)                                                   \
  {                                                                                 \
    typedef C vec __attribute__((vector_size(BYTES), aligned(1), may_alias));       \
    EACH(GET)                                                                       \
    for (size_t i = 0; i < nstep; i++) {                                            \
      const vec *x = (const vec *)((const char *)src[i] + at);                      \
      const vec one = *(const mem_##T *)src[i] - (vec){0};                          \
      switch (steps[i]) {                                                           \
        CASES(ADD, EACH)                                                            \
        CASES(SUBTRACT, EACH)                                                       \
        CASES(FROM, EACH)                                                           \
        CASES(MULTIPLY, EACH)                                                       \
        MORE(EACH)                                                                  \
        CASE(SQUARE, EACH)                                                          \
      default: EACH(NEGATE) break;                                                  \
      }                                                                             \
    }                                                                               \
    EACH(PUT)                                                                       \
  }

/* What is no whole vector is made first, as the end of one, and stored last, as dst may be a
 * source. */
#define STEPS(T, C, MORE)                                                                      \
  STRIP(T, C, strip, EIGHT, MORE)                                                              \
  STRIP(T, C, vector, ONE, MORE)                                                               \
  static void few_##T(size_t size, char *to, const void *const *src, size_t nstep,             \
                      const unsigned char *steps)                                              \
  {                                                                                            \
    char copy[GA_STEPS + 1][BYTES] = {{0}};                                                    \
    const void *from[GA_STEPS + 1];                                                            \
    for (size_t i = 0; i <= nstep; i++)                                                        \
      from[i] = i > 0 && steps[i - 1] >= GA_STEP_ONE ? src[i] : memcpy(copy[i], src[i], size); \
    vector_##T(0, copy[0], from[0], from + 1, nstep, steps);                                   \
    memcpy(to, copy[0], size);                                                                 \
  }                                                                                            \
  static void steps_##T(size_t n, void *dst, const void *const *src, size_t nstep,             \
                        const unsigned char *steps)                                            \
  {                                                                                            \
    const size_t size = n * sizeof(C);                                                         \
    size_t at = 0;                                                                             \
    char *to = dst, end[BYTES] = {0};                                                          \
    if (size < BYTES) {                                                                        \
      if (size > 0) few_##T(size, to, src, nstep, steps);                                      \
      return;                                                                                  \
    }                                                                                          \
    if (size % BYTES != 0) vector_##T(size - BYTES, end, src[0], src + 1, nstep, steps);       \
    for (; at + 8 * BYTES <= size; at += 8 * BYTES)                                            \
      strip_##T(at, to + at, src[0], src + 1, nstep, steps);                                   \
    for (; at + BYTES <= size; at += BYTES)                                                    \
      vector_##T(at, to + at, src[0], src + 1, nstep, steps);                                  \
    if (size % BYTES != 0) memcpy(to + size - BYTES, end, BYTES);                              \
  }

STEPS(float32, ga_float, REAL)
STEPS(float64, ga_double, REAL)
STEPS(uint32, ga_uint, WHOLE)
STEPS(uint64, ga_ulong, WHOLE)

extern const ga_steps GA_SYM(ga_step_loops)[GA_NDTYPE];
const ga_steps GA_SYM(ga_step_loops)[GA_NDTYPE] = {
    [GA_DT_FLOAT32] = steps_float32, [GA_DT_FLOAT64] = steps_float64,
    [GA_DT_INT32] = steps_uint32,    [GA_DT_UINT32] = steps_uint32,
    [GA_DT_INT64] = steps_uint64,    [GA_DT_UINT64] = steps_uint64};
