/* SPDX-License-Identifier: MIT */
/* What makes bools of numbers of 4 and 8 bytes, with AVX2: 32 answers at a time, each all bits or
 * none of its lane, are packed to bytes. (The compiler narrows them step by step, or goes by
 * masks.) No wider vectors: these read memory faster (ga_far_loops), and in cache as fast. */
#include "loops_impl.h"

#define DECLARE(T)                                     \
  extern const ga_loop GA_SYM(ga_loops_##T)[GA_NOP];   \
  extern const ga_loop GA_SYM(ga_compare_##T)[GA_NOP]; \
  extern const ga_loop GA_SYM(ga_compare_one_##T)[GA_NOP];
DECLARE(float32)
DECLARE(float64)
DECLARE(int32)
DECLARE(uint32)
DECLARE(int64)
DECLARE(uint64)

#if defined(__AVX2__)
#include <immintrin.h>

enum { SOME = 32 }; /* elements that make a vector of bools */

/* The answers in four vectors of eight, or eight of four, as bytes. */
static inline __m256i pack_4(const __m256i *v)
{
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i r = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
  return _mm256_permutevar8x32_epi32(r, order);
}
static inline __m256i half(__m256i a, __m256i b)
{
  return _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}
/* Halves have two answers of each of their vectors on end, and so have bytes: 16 bits are those of
 * one, the first two in the lower half. */
static inline __m256i pack_8(const __m256i *v)
{
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
  __m256i a = _mm256_packs_epi32(half(v[0], v[1]), half(v[2], v[3]));
  __m256i b = _mm256_packs_epi32(half(v[4], v[5]), half(v[6], v[7]));
  __m256i r = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xd8);
  return _mm256_shuffle_epi8(r, order);
}

/* dst[i] = what ANSWER says of the vectors u of src[0] and v of src[last], or (TAKE being andnot)
 * the contrary; last = 2: of src[1], which is one number. The last 32 may begin among those
 * before. */
#define BOOLS(name, T, size, FEW, last, V, GET, ANSWER, TAKE)                               \
  void name(size_t n, void *dst, const void *const *src)                                    \
  {                                                                                         \
    enum { LANES = 32 / size };                                                             \
    const mem_##T *a = src[0], *b = src[last > 0];                                          \
    if (n < SOME) {                                                                         \
      FEW(n, dst, src);                                                                     \
      return;                                                                               \
    }                                                                                       \
    for (size_t i = 0; i < n; i += SOME) {                                                  \
      __m256i answer[size];                                                                 \
      if (n - i < SOME) i = n - SOME;                                                       \
      UNROLLED for (size_t k = 0; k < size; k++)                                            \
      {                                                                                     \
        const V u = GET((const void *)(a + i + k * LANES));                                 \
        const V v = GET((const void *)(b + (last < 2 ? i + k * LANES : 0)));                \
        (void)v;                                                                            \
        answer[k] = ANSWER;                                                                 \
      }                                                                                     \
      _mm256_storeu_si256((void *)((ga_bool *)dst + i),                                     \
                          _mm256_##TAKE##_si256(pack_##size(answer), _mm256_set1_epi8(1))); \
    }                                                                                       \
  }
#define UNROLLED _Pragma("GCC unroll 8")

/* Floats: every answer has its predicate. `less` than infinity is finite without the sign. */
#define REAL_BOOLS(one, name, T, size, last, V, end, x, y, is)                                  \
  static BOOLS(one##name##_##T, T, size, GA_SYM(ga_loops_##T)[GA_OP_##name - GA_N_OP], last, V, \
               _mm256_loadu_##end, _mm256_cast##end##_si256(_mm256_cmp_##end(x, y, _CMP_##is)), \
               and)
#define REAL_PAIRS(one, T, size, last, V, end)                    \
  REAL_BOOLS(one, equal, T, size, last, V, end, u, v, EQ_OQ)      \
  REAL_BOOLS(one, not_equal, T, size, last, V, end, u, v, NEQ_UQ) \
  REAL_BOOLS(one, less, T, size, last, V, end, u, v, LT_OQ)       \
  REAL_BOOLS(one, less_equal, T, size, last, V, end, u, v, LE_OQ) \
  REAL_BOOLS(one, greater, T, size, last, V, end, u, v, GT_OQ)    \
  REAL_BOOLS(one, greater_equal, T, size, last, V, end, u, v, GE_OQ)
#define NO_SIGN(end)  _mm256_andnot_##end(_mm256_set1_##end(-0.0), u)
#define INFINITE(end) _mm256_set1_##end(GA_INF_float32)
#define REAL(T, size, V, end)                                                 \
  REAL_PAIRS(, T, size, 1, V, end)                                            \
  REAL_PAIRS(one_, T, size, 2, V, end)                                        \
  REAL_BOOLS(, isnan, T, size, 0, V, end, u, u, UNORD_Q)                      \
  REAL_BOOLS(, isinf, T, size, 0, V, end, NO_SIGN(end), INFINITE(end), EQ_OQ) \
  REAL_BOOLS(, isfinite, T, size, 0, V, end, NO_SIGN(end), INFINITE(end), LT_OQ)
REAL(float32, 4, __m256, ps)
REAL(float64, 8, __m256d, pd)

/* Whole numbers: equal or greater, as if with a sign, which that of numbers without is turned for.
 */
#define WHOLE_BOOLS(one, name, T, size, last, ANSWER, TAKE)                                  \
  static BOOLS(one##name##_##T, T, size, GA_SYM(ga_loops_##T)[GA_OP_##name - GA_N_OP], last, \
               __m256i, _mm256_loadu_si256, ANSWER, TAKE)
#define EQUAL(size)            _mm256_cmpeq_epi##size(u, v)
#define ABOVE_int(size, x, y)  _mm256_cmpgt_epi##size(x, y)
#define TURNED_32(x)           _mm256_xor_si256(x, _mm256_set1_epi32(INT32_MIN))
#define TURNED_64(x)           _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN))
#define ABOVE_uint(size, x, y) _mm256_cmpgt_epi##size(TURNED_##size(x), TURNED_##size(y))
#define WHOLE_PAIRS(one, T, size, last, bits, ABOVE)                     \
  WHOLE_BOOLS(one, equal, T, size, last, EQUAL(bits), and)               \
  WHOLE_BOOLS(one, not_equal, T, size, last, EQUAL(bits), andnot)        \
  WHOLE_BOOLS(one, less, T, size, last, ABOVE(bits, v, u), and)          \
  WHOLE_BOOLS(one, less_equal, T, size, last, ABOVE(bits, u, v), andnot) \
  WHOLE_BOOLS(one, greater, T, size, last, ABOVE(bits, u, v), and)       \
  WHOLE_BOOLS(one, greater_equal, T, size, last, ABOVE(bits, v, u), andnot)
#define WHOLE(T, size, bits, ABOVE)      \
  WHOLE_PAIRS(, T, size, 1, bits, ABOVE) \
  WHOLE_PAIRS(one_, T, size, 2, bits, ABOVE)
WHOLE(int32, 4, 32, ABOVE_int)
WHOLE(uint32, 4, 32, ABOVE_uint)
WHOLE(int64, 8, 64, ABOVE_int)
WHOLE(uint64, 8, 64, ABOVE_uint)

/* Casts. */
#define TRUTH(T, size, V, GET, ANSWER, TAKE)                             \
  extern const ga_loop GA_SYM(ga_casts_##T)[GA_NDTYPE];                  \
  extern void GA_SYM(ga_truth_##T)(size_t, void *, const void *const *); \
  BOOLS(GA_SYM(ga_truth_##T), T, size, GA_SYM(ga_casts_##T)[GA_DT_BOOL], 0, V, GET, ANSWER, TAKE)
#define REAL_TRUTH(T, size, V, end)     \
  TRUTH(T, size, V, _mm256_loadu_##end, \
        _mm256_cast##end##_si256(_mm256_cmp_##end(u, _mm256_setzero_##end(), _CMP_NEQ_UQ)), and)
#define WHOLE_TRUTH(T, size, bits)                                                               \
  TRUTH(T, size, __m256i, _mm256_loadu_si256, _mm256_cmpeq_epi##bits(u, _mm256_setzero_si256()), \
        andnot)
REAL_TRUTH(float32, 4, __m256, ps)
REAL_TRUTH(float64, 8, __m256d, pd)
WHOLE_TRUTH(int32, 4, 32)
WHOLE_TRUTH(uint32, 4, 32)
WHOLE_TRUTH(int64, 8, 64)
WHOLE_TRUTH(uint64, 8, 64)

#define ROW(one, op, T) [GA_OP_##op - GA_N_OP] = one##op##_##T,
#define ROWS(one, T)     \
  ROW(one, equal, T)     \
  ROW(one, not_equal, T) \
  ROW(one, less, T) ROW(one, less_equal, T) ROW(one, greater, T) ROW(one, greater_equal, T)
#define TESTS(T) ROW(, isnan, T) ROW(, isinf, T) ROW(, isfinite, T)
#else
#define ROWS(one, T) 0
#define TESTS(T)
#endif

#define TABLES(T, MORE)                                            \
  const ga_loop GA_SYM(ga_compare_##T)[GA_NOP] = {ROWS(, T) MORE}; \
  const ga_loop GA_SYM(ga_compare_one_##T)[GA_NOP] = {ROWS(one_, T)};
TABLES(float32, TESTS(float32))
TABLES(float64, TESTS(float64))
TABLES(int32, )
TABLES(uint32, )
TABLES(int64, )
TABLES(uint64, )
