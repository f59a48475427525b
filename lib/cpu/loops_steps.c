/* SPDX-License-Identifier: MIT */
/* Several operations one after the other on values that stay in registers meanwhile: for
 * (a*10 + 2)*b - c four steps on a. A strip of eight vectors goes through all steps, each found by
 * a switch, before the next strip begins; then single vectors. Each step rounds as the scalar
 * function of its name does. */
#include "extremes.h"

#define EIGHT(X, T) X(0, T) X(1, T) X(2, T) X(3, T) X(4, T) X(5, T) X(6, T) X(7, T)
#define ONE(X, T)   X(0, T)

/* A step on a##k, x[k] being the other source's vector, or `one` the number that it is. */
#define GET(k, T)          vec_##T a##k = ((const vec_##T *)(first + at))[k];
#define PUT(k, T)          ((vec_##T *)to)[k] = a##k;
#define ADD(k, T)          a##k += x[k];
#define SUBTRACT(k, T)     a##k -= x[k];
#define FROM(k, T)         a##k = x[k] - a##k;
#define MULTIPLY(k, T)     a##k *= x[k];
#define DIVIDE(k, T)       a##k /= x[k];
#define INTO(k, T)         a##k = x[k] / a##k;
#define ADD_ONE(k, T)      a##k += one;
#define SUBTRACT_ONE(k, T) a##k -= one;
#define FROM_ONE(k, T)     a##k = one - a##k;
#define MULTIPLY_ONE(k, T) a##k *= one;
#define DIVIDE_ONE(k, T)   a##k /= one;
#define INTO_ONE(k, T)     a##k = one / a##k;
#define SQUARE(k, T)       a##k *= a##k;
#define NEGATE(k, T)       a##k = -a##k;
#define ROOT_OF(k, T)      a##k = root_##T(a##k);
#define NO_SIGN(k, T)      a##k = absolute_##T(a##k);
#define GREATEST(k, T)     a##k = maximum_##T(a##k, x[k]);
#define LEAST(k, T)        a##k = minimum_##T(a##k, x[k]);
#define GREATEST_ONE(k, T) a##k = maximum_##T(a##k, one);
#define LEAST_ONE(k, T)    a##k = minimum_##T(a##k, one);
#define GREATER(k, T)      a##k = greater_##T(x[k], a##k);
#define LESSER(k, T)       a##k = lesser_##T(x[k], a##k);
#define GREATER_ONE(k, T)  a##k = greater_##T(one, a##k);
#define LESSER_ONE(k, T)   a##k = lesser_##T(one, a##k);
#define UPPER(k, T)        a##k = upper_##T(x[k], a##k);
#define LOWER(k, T)        a##k = lower_##T(x[k], a##k);
#define UPPER_ONE(k, T)    a##k = upper_##T(one, a##k);
#define LOWER_ONE(k, T)    a##k = lower_##T(one, a##k);
#define FILL_ONE(k, T)     a##k = filled_##T(a##k, one);

#define CASE(step, EACH, op, T) \
  case GA_STEP_##step: {        \
    EACH(op, T) break;          \
  }
#define CASES(step, EACH, op, T) CASE(step, EACH, op, T) CASE(step##_ONE, EACH, op##_ONE, T)
/* NaN and zeros apart a number is above or below, or it is not. */
#define EXTREME_CASE(step, EACH, op, quick, T) \
  CASE(step, EACH, op, T)                      \
  case GA_STEP_##step##_ONE:                   \
    if (one[0] < 0 || one[0] > 0) {            \
      EACH(quick, T)                           \
    } else {                                   \
      EACH(op##_ONE, T)                        \
    }                                          \
    break;
#define REAL(EACH, T)                                   \
  CASES(DIVIDE, EACH, DIVIDE, T)                        \
  CASES(INTO, EACH, INTO, T)                            \
  CASE(ROOT, EACH, ROOT_OF, T)                          \
  CASE(ABSOLUTE, EACH, NO_SIGN, T)                      \
  CASE(FILL_ONE, EACH, FILL_ONE, T)                     \
  EXTREME_CASE(MAXIMUM, EACH, GREATEST, GREATER_ONE, T) \
  EXTREME_CASE(MINIMUM, EACH, LEAST, LESSER_ONE, T)
#define WHOLE(EACH, T)                  \
  CASE(ABSOLUTE, EACH, NO_SIGN, T)      \
  CASES(MAXIMUM, EACH, GREATER, T)      \
  CASES(MINIMUM, EACH, LESSER, T)       \
  CASES(SIGNED_MAXIMUM, EACH, UPPER, T) \
  CASES(SIGNED_MINIMUM, EACH, LOWER, T)

/* One strip, `at` bytes from where each source begins, to `to`. */
#define STRIP(T, C, name, EACH, MORE)                                               \
  static inline __attribute__((always_inline)) void name##_##T(                     \
      size_t at, char *to, const char *first, const void *const *src, size_t nstep, \
      const unsigned char *steps)                                                   \
  {                                                                                 \
    EACH(GET, T)                                                                    \
    for (size_t i = 0; i < nstep; i++) {                                            \
      const vec_##T *x = (const vec_##T *)((const char *)src[i] + at);              \
      const vec_##T one = *(const mem_##T *)src[i] - (vec_##T){0};                  \
      switch (steps[i]) {                                                           \
        CASES(ADD, EACH, ADD, T)                                                    \
        CASES(SUBTRACT, EACH, SUBTRACT, T)                                          \
        CASES(FROM, EACH, FROM, T)                                                  \
        CASES(MULTIPLY, EACH, MULTIPLY, T)                                          \
        MORE(EACH, T)                                                               \
        CASE(SQUARE, EACH, SQUARE, T)                                               \
      default: EACH(NEGATE, T) break;                                               \
      }                                                                             \
    }                                                                               \
    EACH(PUT, T)                                                                    \
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
