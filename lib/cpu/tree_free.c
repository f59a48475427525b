/* SPDX-License-Identifier: MIT */
/* Trees of reductions that no order changes: loops over any number of elements (a sum of
 * narrow integers: as many as its accumulator holds), made as fast as they can be read.
 * What is here gives what the trees of tree_impl.h give. Vectors side by side stay in registers
 * only where loops are unrolled, whatever the build's flags. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "halves.h"
#include "order.h"
#include "vectors.h"

/* ---- extremes of floats -------------------------------------------------------------- */

/* Compared as integers. NaN, on whose sign no order can be built, is looked for apart: its bits
 * without the sign are above infinity's. LESS = all bits but the sign. */
#define EXTREME(name, BETTER, T, K, LESS, INF)                                      \
  static void tree_##name##_##T(size_t n, void *const *acc, const void *const *src) \
  {                                                                                 \
    const word_##T *a = src[0];                                                     \
    K best = key_##T(a[0]), most = 0;                                               \
    for (size_t i = 0; i < n; i++) {                                                \
      K k = key_##T(a[i]), m = (K)(a[i] & LESS);                                    \
      best = k BETTER best ? k : best;                                              \
      most = m > most ? m : most;                                                   \
    }                                                                               \
    *(word_##T *)acc[0] = most > INF ? most : key_##T(best);                        \
  }
#define EXTREMES(T, K, LESS, INF)  \
  EXTREME(min, <, T, K, LESS, INF) \
  EXTREME(max, >, T, K, LESS, INF)
EXTREMES(float16, int16_t, 0x7fff, 0x7c00)
EXTREMES(bfloat16, int16_t, 0x7fff, 0x7f80)
EXTREMES(float32, int32_t, 0x7fffffff, 0x7f800000)
EXTREMES(float64, int64_t, 0x7fffffffffffffff, 0x7ff0000000000000)

/* Where there are vectors: compared as floats, by lanes, which NaN does not enter; the sums of the
 * lanes are NaN where some element was (or infinities of both signs). A least element that is 0 is
 * -0 where any sign is set, as no element is less, and a greatest where all are. */
#ifdef GA_VECTORS
#define TAKE(NAME, T, k)            \
  v = LOAD_##T(at + (k)*LANES);     \
  best##k = NAME##_##T(v, best##k); \
  sum##k = ADD_##T(v, sum##k);
#define FAST(name, NAME, BETTER, WITH, T, C)                                        \
  static void fast_##name##_##T(size_t n, void *const *acc, const void *const *src) \
  {                                                                                 \
    enum { LANES = sizeof(VECTOR_##T) / sizeof(C), STEP = 4 * LANES };              \
    const mem_##T *a = src[0];                                                      \
    if (n < 2 * STEP) {                                                             \
      tree_##name##_##T(n, acc, src);                                               \
      return;                                                                       \
    }                                                                               \
    VECTOR_##T best0 = LOAD_##T(a), best1 = best0, best2 = best0, best3 = best0;    \
    VECTOR_##T sum0 = best0, sum1 = best0, sum2 = best0, sum3 = best0, v;           \
    for (size_t i = 0; i < n; i += STEP) {                                          \
      const mem_##T *at = a + (i + STEP <= n ? i : n - STEP);                       \
      TAKE(NAME, T, 0) TAKE(NAME, T, 1) TAKE(NAME, T, 2) TAKE(NAME, T, 3)           \
    }                                                                               \
    C x[LANES], most;                                                               \
    VECTOR_##T sum = ADD_##T(ADD_##T(sum0, sum1), ADD_##T(sum2, sum3));             \
    STORE_##T(x, NAME##_##T(NAME##_##T(best0, best1), NAME##_##T(best2, best3)));   \
    for (int h = LANES / 2; h > 0; h /= 2)                                          \
      for (int k = 0; k < h; k++) x[k] = x[k + h] BETTER x[k] ? x[k + h] : x[k];    \
    most = x[0];                                                                    \
    if (SAME_##T(sum, sum) != (1u << LANES) - 1) {                                  \
      tree_##name##_##T(n, acc, src);                                               \
      return;                                                                       \
    }                                                                               \
    *(mem_##T *)acc[0] = most;                                                      \
    if (most == 0) {                                                                \
      const word_##T *bits = src[0];                                                \
      word_##T signs = bits[0];                                                     \
      for (size_t i = 1; i < n; i++) signs WITH bits[i];                            \
      *(mem_##T *)acc[0] = signs < 0 ? -(C)0 : (C)0;                                \
    }                                                                               \
  }
#else
#define FAST(name, NAME, BETTER, WITH, T, C)                                        \
  static void fast_##name##_##T(size_t n, void *const *acc, const void *const *src) \
  {                                                                                 \
    tree_##name##_##T(n, acc, src);                                                 \
  }
#endif
FAST(min, MIN, <, |=, float32, ga_float)
FAST(max, MAX, >, &=, float32, ga_float)
FAST(min, MIN, <, |=, float64, ga_double)
FAST(max, MAX, >, &=, float64, ga_double)

/* ---- integers and bools ---------------------------------------------------------------- */

/* Bytes of four vectors, which a loop takes in a step. */
#if defined(__AVX512F__)
enum { WIDTH = 4 * 64 };
#elif defined(__AVX2__)
enum { WIDTH = 4 * 32 };
#else
enum { WIDTH = 4 * 16 };
#endif

/* Asks for what a step reads 512 bytes on, which processors do too late of what lies in the second
 * cache: Zen 4 reads it twice as fast. */
static inline void ask(const void *step)
{
  for (size_t i = 0; i < WIDTH; i += 64) __builtin_prefetch((const char *)step + 512 + i);
}

/* Four vectors side by side, which follow each other in memory, where there are many elements. */
#define FREE(name, T, C)                                                                  \
  static void tree_##name##_##T(size_t n, void *const *acc, const void *const *src)       \
  {                                                                                       \
    enum { LANES = WIDTH / sizeof(C) };                                                   \
    const mem_##T *a = src[0];                                                            \
    C r = ga_identity_##name##_##T(), x[LANES];                                           \
    size_t i = 0;                                                                         \
    if (n >= 1024) {                                                                      \
      memcpy(x, a, sizeof x);                                                             \
      for (i = LANES; i + LANES <= n; i += LANES) {                                       \
        ask(a + i);                                                                       \
        for (size_t j = 0; j < LANES; j++) x[j] = ga_reduce_##name##_##T(x[j], a[i + j]); \
      }                                                                                   \
      for (size_t h = LANES / 2; h > 0; h /= 2)                                           \
        for (size_t j = 0; j < h; j++) x[j] = ga_reduce_##name##_##T(x[j], x[j + h]);     \
      r = x[0];                                                                           \
    }                                                                                     \
    for (; i < n; i++) r = ga_reduce_##name##_##T(r, a[i]);                               \
    *(mem_##T *)acc[0] = r;                                                               \
  }
#define WHOLE(X)  \
  X(BOOL, bool)   \
  X(INT8, int8)   \
  X(UINT8, uint8) \
  X(INT16, int16) \
  X(UINT16, uint16) X(INT32, int32) X(UINT32, uint32) X(INT64, int64) X(UINT64, uint64)
#define FREES(ID, T) GA_REDUCES_##T(FREE)
WHOLE(FREES)

/* ---- extremes of complex numbers, for argmin and argmax ------------------------------- */

/* Which of several equal ones it is does not matter there. A lane keeps its own; the first number
 * with a NaN leads. */
extern const ga_tree GA_SYM(ga_trees_complex64)[GA_NREDUCE];
extern const ga_tree GA_SYM(ga_trees_complex128)[GA_NREDUCE];
#define LEAD(name, BETTER, T, C, R, K)                                                      \
  static void lead_##name##_##T(size_t n, void *const *acc, const void *const *src)         \
  {                                                                                         \
    enum { LANES = 16 };                                                                    \
    const mem_##T *a = src[0];                                                              \
    if (n < 4 * LANES) {                                                                    \
      GA_SYM(ga_trees_##T)[GA_REDUCE_##name](n, acc, src);                                  \
      return;                                                                               \
    }                                                                                       \
    const C first = a[0];                                                                   \
    R x[LANES], y[LANES];                                                                   \
    K nan[LANES] = {0}, some = 0;                                                           \
    for (size_t j = 0; j < LANES; j++) {                                                    \
      x[j] = first.re;                                                                      \
      y[j] = first.im;                                                                      \
    }                                                                                       \
    size_t i = 0;                                                                           \
    for (; i + LANES <= n; i += LANES)                                                      \
      for (size_t j = 0; j < LANES; j++) LEAD_STEP(BETTER, R, K)                            \
    for (size_t j = 0; i + j < n; j++) LEAD_STEP(BETTER, R, K)                              \
    for (size_t j = 0; j < LANES; j++) some |= nan[j];                                      \
    for (i = 0; some && i < n; i++)                                                         \
      if (ga_isnan_##T(a[i])) {                                                             \
        *(mem_##T *)acc[0] = a[i];                                                          \
        return;                                                                             \
      }                                                                                     \
    for (size_t j = 1; j < LANES; j++)                                                      \
      if (x[j] BETTER x[0] || (x[j] == x[0] && y[j] BETTER y[0])) x[0] = x[j], y[0] = y[j]; \
    *(mem_##T *)acc[0] = ga_pack_##T(x[0], y[0]);                                           \
  }
#define LEAD_STEP(BETTER, R, K)                                 \
  {                                                             \
    R u = a[i + j].re, v = a[i + j].im;                         \
    int is = (u BETTER x[j]) | ((u == x[j]) & (v BETTER y[j])); \
    x[j] = is ? u : x[j];                                       \
    y[j] = is ? v : y[j];                                       \
    nan[j] |= (K)((u != u) | (v != v));                         \
  }
LEAD(min, <, complex64, ga_cfloat, ga_float, uint32_t)
LEAD(max, >, complex64, ga_cfloat, ga_float, uint32_t)
LEAD(min, <, complex128, ga_cdouble, ga_double, uint64_t)
LEAD(max, >, complex128, ga_cdouble, ga_double, uint64_t)

#define EXTREME_ROW(ID, kind, T) \
  [GA_DT_##ID] = {[GA_REDUCE_min] = kind##_min_##T, [GA_REDUCE_max] = kind##_max_##T},
#define FREE_ROW(name, T, C) [GA_REDUCE_##name] = tree_##name##_##T,
#define FREE_ROWS(ID, T)     [GA_DT_##ID] = {GA_REDUCES_##T(FREE_ROW)},

extern const ga_tree GA_SYM(ga_free_trees)[GA_NDTYPE][GA_NREDUCE];
const ga_tree GA_SYM(ga_free_trees)[GA_NDTYPE][GA_NREDUCE] = {
    EXTREME_ROW(FLOAT16, tree, float16) EXTREME_ROW(BFLOAT16, tree, bfloat16)
        EXTREME_ROW(FLOAT32, fast, float32) EXTREME_ROW(FLOAT64, fast, float64) WHOLE(FREE_ROWS)};

extern const ga_tree GA_SYM(ga_leads)[GA_NDTYPE][GA_NREDUCE];
const ga_tree GA_SYM(ga_leads)[GA_NDTYPE][GA_NREDUCE] = {
    EXTREME_ROW(COMPLEX64, lead, complex64) EXTREME_ROW(COMPLEX128, lead, complex128)};

/* ---- sums of narrow integers ------------------------------------------------------------ */

/* What whole vectors hold of n bytes, less `zero` each, is added to *s by the instruction that adds
 * eight differences; returns how many. */
#if defined(__AVX512BW__)
typedef uint64_t eights __attribute__((vector_size(64)));
#define EIGHTS(v) (eights) _mm512_sad_epu8((__m512i)(v), _mm512_setzero_si512())
#elif defined(__AVX2__)
typedef uint64_t eights __attribute__((vector_size(32)));
#define EIGHTS(v) (eights) _mm256_sad_epu8((__m256i)(v), _mm256_setzero_si256())
#endif
#ifdef EIGHTS
static size_t sum_bytes(size_t n, const void *src, uint8_t zero, int32_t *s)
{
  typedef eights memory __attribute__((aligned(1), may_alias));
  const char *a = src;
  const eights flip = (eights){0} + 0x0101010101010101u * zero;
  eights sums = {0};
  size_t i = 0;
  for (; i + sizeof sums <= n; i += sizeof sums) {
    __builtin_prefetch(a + i + 512);
    sums += EIGHTS(*(const memory *)(a + i) ^ flip);
  }
  for (size_t j = 0; j < sizeof sums / sizeof sums[0]; j++) *s += (int32_t)sums[j];
  *s -= (int32_t)(i * zero);
  return i;
}
#else
#define sum_bytes(n, src, zero, s) 0
#endif
#define quick_bool(n, a, s)   sum_bytes(n, a, 0, s)
#define quick_uint8(n, a, s)  sum_bytes(n, a, 0, s)
#define quick_int8(n, a, s)   sum_bytes(n, a, 0x80, s)
#define quick_int16(n, a, s)  0
#define quick_uint16(n, a, s) 0
#define quick_int32(n, a, s)  0
#define quick_uint32(n, a, s) 0

/* P: wide enough for the sum of 2^15 elements. */
#define WIDE(ID, T, P, PID)                                               \
  static void sum_##T(size_t n, void *const *acc, const void *const *src) \
  {                                                                       \
    const mem_##T *a = src[0];                                            \
    P s = 0;                                                              \
    for (size_t i = quick_##T(n, a, &s); i < n; i++) s += (P)a[i];        \
    *(mem_int64 *)acc[0] = s;                                             \
  }
GA_NARROW_INTEGERS(WIDE)

#define WIDE_ROW(ID, T, P, PID) [GA_DT_##ID] = sum_##T,
extern const ga_tree GA_SYM(ga_wide_sums)[GA_NDTYPE];
const ga_tree GA_SYM(ga_wide_sums)[GA_NDTYPE] = {GA_NARROW_INTEGERS(WIDE_ROW)};
