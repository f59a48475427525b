/* SPDX-License-Identifier: MIT */
/* Loops of integers that are vectors where the scalar functions are not: powers, by as many
 * steps as the longest exponent of a block has bits, and quotients where all have the same
 * divisor, as a literal's have: two multiplications each. Negative exponents, several
 * divisors and few elements are left to loops_int.c.
 *
 * Unsigned, of N bits, by d (Granlund and Montgomery, "Division by invariant integers using
 * multiplication", figure 4.1): l = ceil(log2 d), m = floor(2^N (2^l - d) / d) + 1,
 * t = floor(m n / 2^N), n / d = (t + (n - t) / 2^min(l,1)) / 2^max(l-1,0).
 * Signed: floor(a / d) for d > 0 is a / d where a >= 0 and ~(~a / d) elsewhere; for d < 0 it is
 * that of -a and -d, where -MIN is 2^(N-1), so that MIN // -1 wraps to MIN. */
#include "loops_impl.h"

enum { BLOCK = 512, FEW = 32 };

/* T, C as in types.def; U: unsigned, W: of twice the bits; what is negative */
#define BELOW(x) ((x) < 0)
#define NEVER(x) 0

#define INTEGERS(X)                            \
  X(int8, ga_byte, uint8_t, uint16_t, BELOW)   \
  X(uint8, ga_ubyte, uint8_t, uint16_t, NEVER) \
  LONGER(X)
#define LONGER(X)                                   \
  X(int16, ga_short, uint16_t, uint32_t, BELOW)     \
  X(uint16, ga_ushort, uint16_t, uint32_t, NEVER)   \
  X(int32, ga_int, uint32_t, uint64_t, BELOW)       \
  X(uint32, ga_uint, uint32_t, uint64_t, NEVER)     \
  X(int64, ga_long, uint64_t, ga_divide_128, BELOW) \
  X(uint64, ga_ulong, uint64_t, ga_divide_128, NEVER)

__extension__ typedef unsigned __int128 ga_divide_128;

#define DIVISOR(T, C, U, W, NEGATIVE)                                       \
  typedef struct divisor_##T {                                              \
    U m, first, last;                                                       \
  } divisor_##T;                                                            \
  static divisor_##T divisor_of_##T(U d)                                    \
  {                                                                         \
    unsigned int bits = 8 * sizeof(U), l = 0;                               \
    while (l < bits && ((W)1 << l) < d) l++;                                \
    return (divisor_##T){(U)((((((W)1 << l) - d) << bits) / d) + 1), l > 0, \
                         (U)(l > 0 ? l - 1 : 0)};                           \
  }                                                                         \
  static inline U divide_##T(U n, divisor_##T by)                           \
  {                                                                         \
    U t = (U)((W)((W)by.m * n) >> 8 * sizeof(U));                           \
    return (U)((U)(t + (U)((U)(n - t) >> by.first)) >> by.last);            \
  }
LONGER(DIVISOR)

/* Of bytes in vectors of 16 bits: n / d = floor(m n / 2^16) for m = floor(2^16 / d) + 1, as
 * d n < 2^16; d = 1 apart. */
#define BYTE_DIVISOR(T)                                                                       \
  typedef struct divisor_##T {                                                                \
    uint16_t m, one;                                                                          \
  } divisor_##T;                                                                              \
  static divisor_##T divisor_of_##T(uint8_t d)                                                \
  {                                                                                           \
    return d == 1 ? (divisor_##T){0, 0xffff} : (divisor_##T){(uint16_t)(0x10000 / d + 1), 0}; \
  }                                                                                           \
  static inline uint8_t divide_##T(uint8_t n, divisor_##T by)                                 \
  {                                                                                           \
    uint16_t x = n, q = (uint16_t)(((uint32_t)x * by.m) >> 16);                               \
    return (uint8_t)(q | (x & by.one));                                                       \
  }
BYTE_DIVISOR(int8)
BYTE_DIVISOR(uint8)

/* Of 64 bits, whose high product no instruction has, by the vector: from four products of 32 bits.
 * quick_<T> does what whole vectors hold, quotients or remainders, and says how many. */
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#if defined(__AVX512F__)
typedef uint64_t words __attribute__((vector_size(64)));
#define PRODUCT(a, b) (words) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#else
typedef uint64_t words __attribute__((vector_size(32)));
#define PRODUCT(a, b) (words) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#endif
typedef words words_from __attribute__((aligned(1), may_alias));

static inline words high_words(words n, words m)
{
  words nh = n >> 32, mh = m >> 32;
  words middle = PRODUCT(nh, m) + (PRODUCT(n, m) >> 32);
  words low = PRODUCT(n, mh) + (middle & 0xffffffff);
  return PRODUCT(nh, mh) + (middle >> 32) + (low >> 32);
}
/* floor(a / d) is that of -a and -d; what is negative is divided as its complement. */
static inline words floor_words_int64(words a, ga_long d, divisor_int64 by)
{
  typedef int64_t whole __attribute__((vector_size(sizeof(words))));
  words x = d < 0 ? 0 - a : a, s = d < 0 ? (words)(0 < (whole)a) : (words)((whole)a < 0), t;
  x ^= s;
  t = high_words(x, (words){0} + by.m);
  return ((t + ((x - t) >> by.first)) >> by.last) ^ s;
}
static inline words floor_words_uint64(words a, ga_ulong d, divisor_uint64 by)
{
  words t = high_words(a, (words){0} + by.m);
  (void)d;
  return (t + ((a - t) >> by.first)) >> by.last;
}
#define QUICK(T, C)                                                                              \
  static size_t quick_##T(size_t n, mem_##T *r, const mem_##T *a, C d, divisor_##T by, int rest) \
  {                                                                                              \
    enum { LANES = sizeof(words) / sizeof(C) };                                                  \
    size_t i = 0;                                                                                \
    for (; i + LANES <= n; i += LANES) {                                                         \
      words v = *(const words_from *)(a + i), q = floor_words_##T(v, d, by);                     \
      *(words_from *)(r + i) = rest ? v - q * (uint64_t)d : q;                                   \
    }                                                                                            \
    return i;                                                                                    \
  }
QUICK(int64, ga_long)
QUICK(uint64, ga_ulong)
#else
#define quick_int64(...)  0
#define quick_uint64(...) 0
#endif
#define quick_int8(...)   0
#define quick_uint8(...)  0
#define quick_int16(...)  0
#define quick_uint16(...) 0
#define quick_int32(...)  0
#define quick_uint32(...) 0

#define DIVISION(T, C, U, W, NEGATIVE)                                                             \
  extern const ga_loop GA_SYM(ga_loops_##T)[GA_NOP];                                               \
  static int same_##T(size_t n, const mem_##T *b)                                                  \
  {                                                                                                \
    C d = b[0], other = 0;                                                                         \
    if (n < FEW || b[n / 2] != d || b[n - 1] != d) return 0;                                       \
    for (size_t i = 0; i < n; i++) other |= (C)(b[i] ^ d);                                         \
    return other == 0;                                                                             \
  }                                                                                                \
  static inline C floor_##T(C a, C d, divisor_##T by)                                              \
  {                                                                                                \
    (void)d;                                                                                       \
    U x = (U)(NEGATIVE(d) ? 0 - (U)a : (U)a), s = (U)(0 - (U)(NEGATIVE(d) ? a > 0 : NEGATIVE(a))); \
    return (C)(U)(divide_##T((U)(x ^ s), by) ^ s);                                                 \
  }                                                                                                \
  static void floor_divide_##T(size_t n, void *dst, const void *const *src)                        \
  {                                                                                                \
    mem_##T *r = dst;                                                                              \
    const mem_##T *a = src[0], *b = src[1];                                                        \
    const C d = n > 0 ? b[0] : 0;                                                                  \
    if (d == 0 || !same_##T(n, b)) {                                                               \
      GA_SYM(ga_loops_##T)[GA_OP_floor_divide - GA_N_OP](n, dst, src);                             \
      return;                                                                                      \
    }                                                                                              \
    const divisor_##T by = divisor_of_##T((U)(NEGATIVE(d) ? 0 - (U)d : (U)d));                     \
    GA_INDEPENDENT                                                                                 \
    for (size_t i = quick_##T(n, r, a, d, by, 0); i < n; i++) r[i] = floor_##T(a[i], d, by);       \
  }                                                                                                \
  static void remainder_##T(size_t n, void *dst, const void *const *src)                           \
  {                                                                                                \
    mem_##T *r = dst;                                                                              \
    const mem_##T *a = src[0], *b = src[1];                                                        \
    const C d = n > 0 ? b[0] : 0;                                                                  \
    if (d == 0 || !same_##T(n, b)) {                                                               \
      GA_SYM(ga_loops_##T)[GA_OP_remainder - GA_N_OP](n, dst, src);                                \
      return;                                                                                      \
    }                                                                                              \
    const divisor_##T by = divisor_of_##T((U)(NEGATIVE(d) ? 0 - (U)d : (U)d));                     \
    GA_INDEPENDENT                                                                                 \
    for (size_t i = quick_##T(n, r, a, d, by, 1); i < n; i++)                                      \
      r[i] = (C)(U)((U)a[i] - (W)(U)floor_##T(a[i], d, by) * (U)d);                                \
  }                                                                                                \
  static void power_##T(size_t n, void *dst, const void *const *src)                               \
  {                                                                                                \
    mem_##T *r = dst;                                                                              \
    const mem_##T *a = src[0], *b = src[1];                                                        \
    U x[BLOCK], y[BLOCK], e[BLOCK];                                                                \
    for (size_t i = 0; i < n; i += BLOCK) {                                                        \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                                                    \
      const void *rest[2] = {a + i, b + i};                                                        \
      int negative = 0;                                                                            \
      U all = 0;                                                                                   \
      for (size_t j = 0; j < k; j++) {                                                             \
        x[j] = (U)a[i + j];                                                                        \
        e[j] = (U)b[i + j];                                                                        \
        y[j] = 1;                                                                                  \
        all |= e[j];                                                                               \
        negative |= NEGATIVE(b[i + j]);                                                            \
      }                                                                                            \
      if (negative) {                                                                              \
        GA_SYM(ga_loops_##T)[GA_OP_power - GA_N_OP](k, r + i, rest);                               \
        continue;                                                                                  \
      }                                                                                            \
      for (; all != 0; all = (U)(all >> 1))                                                        \
        for (size_t j = 0; j < k; j++) {                                                           \
          y[j] = (U)((W)y[j] * (e[j] & 1 ? x[j] : (U)1));                                          \
          x[j] = (U)((W)x[j] * x[j]);                                                              \
          e[j] = (U)(e[j] >> 1);                                                                   \
        }                                                                                          \
      for (size_t j = 0; j < k; j++) r[i + j] = (C)y[j];                                           \
    }                                                                                              \
  }                                                                                                \
  extern const ga_loop GA_SYM(ga_divide_##T)[GA_NOP];                                              \
  const ga_loop GA_SYM(ga_divide_##T)[GA_NOP] = {                                                  \
      [GA_OP_floor_divide - GA_N_OP] = floor_divide_##T,                                           \
      [GA_OP_remainder - GA_N_OP] = remainder_##T,                                                 \
      [GA_OP_power - GA_N_OP] = power_##T,                                                         \
  };

INTEGERS(DIVISION)
