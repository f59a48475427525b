/* SPDX-License-Identifier: MIT */
/* Vectors of BYTES bytes, and what C has no sign for on them: the greater and the lesser of two,
 * which is the second where neither is (NaN, zeros); maximum and minimum as the scalar functions
 * have them; magnitudes, square roots, and a number in the place of NaN. */
#ifndef GA_CPU_EXTREMES_H
#define GA_CPU_EXTREMES_H

#include "loops_impl.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
enum { BYTES = 64 };
#define MM(name) _mm512_##name
#define FLOATS   __m512
#define DOUBLES  __m512d
#define WHOLES   __m512i
#elif defined(__AVX2__)
enum { BYTES = 32 };
#define MM(name) _mm256_##name
#define FLOATS   __m256
#define DOUBLES  __m256d
#define WHOLES   __m256i
#else
enum { BYTES = 16 };
#if defined(__SSE2__)
#define MM(name) _mm_##name
#define FLOATS   __m128
#define DOUBLES  __m128d
#endif
#endif

/* vec_<dtype>; bits_ and whole_ of its lanes' size, without and with a sign */
#define VECTORS(T, C, B, I)                                                      \
  typedef C vec_##T __attribute__((vector_size(BYTES), aligned(1), may_alias));  \
  typedef B bits_##T __attribute__((vector_size(BYTES), aligned(1), may_alias)); \
  typedef I whole_##T __attribute__((vector_size(BYTES), aligned(1), may_alias));
VECTORS(float32, ga_float, ga_uint, ga_int)
VECTORS(float64, ga_double, ga_ulong, ga_long)
VECTORS(uint32, ga_uint, ga_uint, ga_int)
VECTORS(uint64, ga_ulong, ga_ulong, ga_long)

#define BY_NAME(name, T, V, function) \
  static inline vec_##T name##_##T(vec_##T x, vec_##T y) { return (vec_##T)function((V)x, (V)y); }
#define BY_MASK(name, T, V, sign)                             \
  static inline vec_##T name##_##T(vec_##T x, vec_##T y)      \
  {                                                           \
    const bits_##T m = (bits_##T)((V)x sign(V) y);            \
    return (vec_##T)((m & (bits_##T)x) | (~m & (bits_##T)y)); \
  }
#define BY_NAMES(T, V, end) \
  BY_NAME(greater, T, V, MM(max_##end)) BY_NAME(lesser, T, V, MM(min_##end))
#define BY_MASKS(T) BY_MASK(greater, T, vec_##T, >) BY_MASK(lesser, T, vec_##T, <)
/* As if their numbers had a sign. */
#define SIGNED_BY_NAMES(T, V, end) \
  BY_NAME(upper, T, V, MM(max_##end)) BY_NAME(lower, T, V, MM(min_##end))
#define SIGNED_BY_MASKS(T) BY_MASK(upper, T, whole_##T, >) BY_MASK(lower, T, whole_##T, <)

#if defined(MM)
BY_NAMES(float32, FLOATS, ps)
BY_NAMES(float64, DOUBLES, pd)
#define ROOT(T, V, end) \
  static inline vec_##T root_##T(vec_##T x) { return (vec_##T)MM(sqrt_##end)((V)x); }
#else
BY_MASKS(float32)
BY_MASKS(float64)
#define ROOT(T, V, end)                                                           \
  static inline vec_##T root_##T(vec_##T x)                                       \
  {                                                                               \
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) x[i] = ga_sqrt_##T(x[i]); \
    return x;                                                                     \
  }
#endif
ROOT(float32, FLOATS, ps)
ROOT(float64, DOUBLES, pd)

#if defined(WHOLES)
BY_NAMES(uint32, WHOLES, epu32)
SIGNED_BY_NAMES(uint32, WHOLES, epi32)
#else
BY_MASKS(uint32)
SIGNED_BY_MASKS(uint32)
#endif
#if defined(WHOLES) && defined(__AVX512F__)
BY_NAMES(uint64, WHOLES, epu64)
SIGNED_BY_NAMES(uint64, WHOLES, epi64)
#else
BY_MASKS(uint64)
SIGNED_BY_MASKS(uint64)
#endif

#define REAL_ABSOLUTE(T)                                        \
  static inline vec_##T absolute_##T(vec_##T a)                 \
  {                                                             \
    return (vec_##T)((bits_##T)a & ~(bits_##T)(-(vec_##T){0})); \
  }
#define WHOLE_ABSOLUTE(T)                          \
  static inline vec_##T absolute_##T(vec_##T a)    \
  {                                                \
    const vec_##T m = (vec_##T)((whole_##T)a < 0); \
    return (a ^ m) - m;                            \
  }
REAL_ABSOLUTE(float32)
REAL_ABSOLUTE(float64)
WHOLE_ABSOLUTE(uint32)
WHOLE_ABSOLUTE(uint64)

/* Of zeros the extreme has the signs joined, and NaN stays. AVX-512's `range` knows zeros, and
 * takes a number before NaN. */
#if defined(WHOLES) && defined(__AVX512F__)
#define EXTREME(name, T, V, end, which, other, join)                                             \
  static inline vec_##T name##_##T(vec_##T a, vec_##T b)                                         \
  {                                                                                              \
    const V u = (V)a, v = (V)b, e = _mm512_range_##end(u, v, which);                             \
    return (vec_##T)_mm512_mask_add_##end(e, _mm512_cmp_##end##_mask(u, v, _CMP_UNORD_Q), u, v); \
  }
#define FILLED(T, V, end)                                                                          \
  static inline vec_##T filled_##T(vec_##T a, vec_##T b)                                           \
  {                                                                                                \
    return (vec_##T)_mm512_mask_mov_##end((V)a, _mm512_cmp_##end##_mask((V)a, (V)a, _CMP_UNORD_Q), \
                                          (V)b);                                                   \
  }
#else
#define EXTREME(name, T, V, end, which, other, join)                                 \
  static inline vec_##T name##_##T(vec_##T a, vec_##T b)                             \
  {                                                                                  \
    const bits_##T e = (bits_##T)other##_##T(a, b) join(bits_##T) other##_##T(b, a); \
    const bits_##T nan = (bits_##T)(a != a) | (bits_##T)(b != b);                    \
    return (vec_##T)((nan & (bits_##T)(a + b)) | (~nan & e));                        \
  }
#define FILLED(T, V, end)                                         \
  static inline vec_##T filled_##T(vec_##T a, vec_##T b)          \
  {                                                               \
    const bits_##T nan = (bits_##T)(a != a);                      \
    return (vec_##T)((nan & (bits_##T)b) | (~nan & (bits_##T)a)); \
  }
#endif
EXTREME(maximum, float32, FLOATS, ps, 5, greater, &)
EXTREME(minimum, float32, FLOATS, ps, 4, lesser, |)
EXTREME(maximum, float64, DOUBLES, pd, 5, greater, &)
EXTREME(minimum, float64, DOUBLES, pd, 4, lesser, |)
/* b where a is NaN */
FILLED(float32, FLOATS, ps)
FILLED(float64, DOUBLES, pd)

#endif
