/* SPDX-License-Identifier: MIT */
/* Scans that no order changes, sums and products of integers and extremes: element after element,
 * as each is there a cycle or two (a product three) after the one before it. */
#include "loops_impl.h"
#include "order.h"

#define SCAN(name, T, C)                                                                      \
  static void scan_##name##_##T(size_t n, size_t rows, int exclusive, void *state, void *dst, \
                                const void *src)                                              \
  {                                                                                           \
    mem_##T *s = state, *to = dst;                                                            \
    const mem_##T *from = src;                                                                \
    C total = s[0];                                                                           \
    for (size_t r = 0; r < rows; r++, to += n, from += n) {                                   \
      if (r > 0) total = ga_identity_##name##_##T();                                          \
      for (size_t i = 0; !exclusive && i < n; i++)                                            \
        to[i] = total = ga_reduce_##name##_##T(total, from[i]);                               \
      for (size_t i = 0; exclusive && i < n; i++) {                                           \
        C x = from[i];                                                                        \
        to[i] = total;                                                                        \
        total = ga_reduce_##name##_##T(total, x);                                             \
      }                                                                                       \
    }                                                                                         \
    s[0] = total;                                                                             \
  }
SCAN(sum, int64, ga_long)
SCAN(prod, int64, ga_long)
SCAN(sum, uint64, ga_ulong)
SCAN(prod, uint64, ga_ulong)

#define WHOLE(X)               \
  X(BOOL, bool, ga_bool)       \
  X(INT8, int8, ga_byte)       \
  X(UINT8, uint8, ga_ubyte)    \
  X(INT16, int16, ga_short)    \
  X(UINT16, uint16, ga_ushort) \
  X(INT32, int32, ga_int)      \
  X(UINT32, uint32, ga_uint)   \
  X(INT64, int64, ga_long)     \
  X(UINT64, uint64, ga_ulong)
#define EXTREMES(ID, T, C) SCAN(min, T, C) SCAN(max, T, C)
WHOLE(EXTREMES)

/* Floats are compared by integers of their order. Those of NaN come before all others, so that
 * the first one stays. LESS = all bits but the sign. */
#define FLOATS(name, BETTER, FIRST, T, K, LESS, INF)                                          \
  static inline K rank_##name##_##T(K bits)                                                   \
  {                                                                                           \
    return (K)(bits & LESS) > INF ? FIRST : key_##T(bits);                                    \
  }                                                                                           \
  static void scan_##name##_##T(size_t n, size_t rows, int exclusive, void *state, void *dst, \
                                const void *src)                                              \
  {                                                                                           \
    const mem_##T none = ga_identity_##name##_##T();                                          \
    word_##T *s = state, *to = dst;                                                           \
    const word_##T *from = src;                                                               \
    K total = s[0], lead;                                                                     \
    for (size_t r = 0; r < rows; r++, to += n, from += n) {                                   \
      if (r > 0) memcpy(&total, &none, sizeof total);                                         \
      lead = rank_##name##_##T(total);                                                        \
      for (size_t i = 0; i < n; i++) {                                                        \
        const K x = from[i], k = rank_##name##_##T(x);                                        \
        if (exclusive) to[i] = total;                                                         \
        total = k BETTER lead ? x : total;                                                    \
        lead = k BETTER lead ? k : lead;                                                      \
        if (!exclusive) to[i] = total;                                                        \
      }                                                                                       \
    }                                                                                         \
    s[0] = total;                                                                             \
  }
#define FLOAT(T, K, TOP, LESS, INF)              \
  FLOATS(min, <, (K)(-TOP - 1), T, K, LESS, INF) \
  FLOATS(max, >, TOP, T, K, LESS, INF)
FLOAT(float16, int16_t, INT16_MAX, 0x7fff, 0x7c00)
FLOAT(bfloat16, int16_t, INT16_MAX, 0x7fff, 0x7f80)
FLOAT(float32, int32_t, INT32_MAX, 0x7fffffff, 0x7f800000)
FLOAT(float64, int64_t, INT64_MAX, 0x7fffffffffffffff, 0x7ff0000000000000)

/* A complex number whose real part alone is behind need not be compared: most are. */
#define COMPLEX(name, BETTER, T, C)                                                            \
  static void scan_##name##_##T(size_t n, size_t rows, int exclusive, void *state, void *dst,  \
                                const void *src)                                               \
  {                                                                                            \
    mem_##T *s = state, *to = dst;                                                             \
    const mem_##T *from = src;                                                                 \
    C total = s[0];                                                                            \
    for (size_t r = 0; r < rows; r++, to += n, from += n) {                                    \
      if (r > 0) total = ga_identity_##name##_##T();                                           \
      for (size_t i = 0; i < n; i++) {                                                         \
        const C x = from[i];                                                                   \
        if (exclusive) to[i] = total;                                                          \
        if (!(total.re BETTER x.re) || x.im != x.im) total = ga_reduce_##name##_##T(total, x); \
        if (!exclusive) to[i] = total;                                                         \
      }                                                                                        \
    }                                                                                          \
    s[0] = total;                                                                              \
  }
COMPLEX(min, <, complex64, ga_cfloat)
COMPLEX(max, >, complex64, ga_cfloat)
COMPLEX(min, <, complex128, ga_cdouble)
COMPLEX(max, >, complex128, ga_cdouble)

#define TWO(T)           [GA_REDUCE_min] = scan_min_##T, [GA_REDUCE_max] = scan_max_##T
#define FOUR(T)          TWO(T), [GA_REDUCE_sum] = scan_sum_##T, [GA_REDUCE_prod] = scan_prod_##T
#define ROW(ID, T, SOME) [GA_DT_##ID] = {SOME(T)},
extern const ga_free_scan GA_SYM(ga_free_scans)[GA_NDTYPE][GA_NREDUCE];
const ga_free_scan GA_SYM(ga_free_scans)[GA_NDTYPE][GA_NREDUCE] = {
    ROW(BOOL, bool, TWO) ROW(INT8, int8, TWO) ROW(UINT8, uint8, TWO) ROW(INT16, int16, TWO)
        ROW(UINT16, uint16, TWO) ROW(INT32, int32, TWO) ROW(UINT32, uint32, TWO)
            ROW(INT64, int64, FOUR) ROW(UINT64, uint64, FOUR) ROW(FLOAT16, float16, TWO)
                ROW(BFLOAT16, bfloat16, TWO) ROW(FLOAT32, float32, TWO) ROW(FLOAT64, float64, TWO)
                    ROW(COMPLEX64, complex64, TWO) ROW(COMPLEX128, complex128, TWO)};
