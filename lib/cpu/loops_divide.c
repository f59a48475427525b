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

#define DIVISOR(T, C, U, W, NEGATIVE)                                          \
  typedef struct divisor_##T {                                                 \
    U m, first, last;                                                          \
  } divisor_##T;                                                               \
  static divisor_##T divisor_of_##T(U d)                                       \
  {                                                                            \
    unsigned int bits = 8 * sizeof(U),                                         \
                 l = d > 1 ? 64 - (unsigned int)__builtin_clzll(d - 1ull) : 0; \
    return (divisor_##T){(U)((((((W)1 << l) - d) << bits) / d) + 1), l > 0,    \
                         (U)(l > 0 ? l - 1 : 0)};                              \
  }                                                                            \
  static inline U divide_##T(U n, divisor_##T by)                              \
  {                                                                            \
    U t = (U)((W)((W)by.m * n) >> 8 * sizeof(U));                              \
    return (U)((U)(t + (U)((U)(n - t) >> by.first)) >> by.last);               \
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

/* Vectors, where the compiler would take longer ways: high products of 64 bits from four of 32, of
 * 32 bits from those of every second number, of bytes in two halves of 16 bits. quick_<T> does what
 * whole vectors hold, quotients or remainders, and says how many. */
#if defined(__AVX512BW__) || defined(__AVX2__)
#include <immintrin.h>
#if defined(__AVX512BW__)
enum { VECTOR = 64 };
#define PRODUCT(a, b) (words) _mm512_mul_epu32((__m512i)(a), (__m512i)(b))
#define HIGH_16(a, b) (shorts) _mm512_mulhi_epu16((__m512i)(a), (__m512i)(b))
#else
enum { VECTOR = 32 };
#define PRODUCT(a, b) (words) _mm256_mul_epu32((__m256i)(a), (__m256i)(b))
#define HIGH_16(a, b) (shorts) _mm256_mulhi_epu16((__m256i)(a), (__m256i)(b))
#endif
typedef uint64_t words __attribute__((vector_size(VECTOR)));
typedef uint16_t shorts __attribute__((vector_size(VECTOR)));

static inline words high_64(words n, words m)
{
  words nh = n >> 32, mh = m >> 32;
  words middle = PRODUCT(nh, m) + (PRODUCT(n, m) >> 32);
  words low = PRODUCT(n, mh) + (middle & 0xffffffff);
  return PRODUCT(nh, mh) + (middle >> 32) + (low >> 32);
}
static inline words high_32(words n, words m)
{
  return (PRODUCT(n, m) >> 32) | (PRODUCT(n >> 32, m) & ~(uint64_t)0xffffffff);
}

/* VECTOR bytes of numbers without a sign by one number. */
#define QUOTIENTS(T, U, V, HIGH)                                         \
  typedef U numbers_##T __attribute__((vector_size(VECTOR)));            \
  static inline numbers_##T quotients_##T(numbers_##T x, divisor_##T by) \
  {                                                                      \
    numbers_##T m = (numbers_##T){0} + by.m;                             \
    numbers_##T t = (numbers_##T)HIGH((V)x, (V)m);                       \
    return (t + ((x - t) >> by.first)) >> by.last;                       \
  }
QUOTIENTS(int16, uint16_t, shorts, HIGH_16)
QUOTIENTS(uint16, uint16_t, shorts, HIGH_16)
QUOTIENTS(int32, uint32_t, words, high_32)
QUOTIENTS(uint32, uint32_t, words, high_32)
QUOTIENTS(int64, uint64_t, words, high_64)
QUOTIENTS(uint64, uint64_t, words, high_64)

#define BYTE_QUOTIENTS(T)                                                \
  typedef uint8_t numbers_##T __attribute__((vector_size(VECTOR)));      \
  static inline numbers_##T quotients_##T(numbers_##T x, divisor_##T by) \
  {                                                                      \
    shorts v = (shorts)x, m = (shorts){0} + by.m;                        \
    shorts q = HIGH_16(v & 0xff, m) | HIGH_16(v >> 8, m) << 8;           \
    return (numbers_##T)(q | (v & by.one));                              \
  }
BYTE_QUOTIENTS(int8)
BYTE_QUOTIENTS(uint8)

/* floor(a / d) is that of -a and -d; what is negative is divided as its complement. */
#define FLOORS_BELOW(T, S)                                                                \
  static inline numbers_##T floors_##T(numbers_##T a, int negative, divisor_##T by)       \
  {                                                                                       \
    typedef S whole __attribute__((vector_size(VECTOR)));                                 \
    numbers_##T x = negative ? 0 - a : a;                                                 \
    numbers_##T s = negative ? (numbers_##T)(0 < (whole)a) : (numbers_##T)((whole)a < 0); \
    return quotients_##T(x ^ s, by) ^ s;                                                  \
  }
#define FLOORS_NEVER(T, S)                                                          \
  static inline numbers_##T floors_##T(numbers_##T a, int negative, divisor_##T by) \
  {                                                                                 \
    (void)negative;                                                                 \
    return quotients_##T(a, by);                                                    \
  }
#define QUICK(T, C, U, W, NEGATIVE)                                                            \
  FLOORS_##NEGATIVE(T, C) static size_t quick_##T(size_t n, mem_##T *r, const mem_##T *a, C d, \
                                                  divisor_##T by, int rest)                    \
  {                                                                                            \
    typedef numbers_##T memory __attribute__((aligned(1), may_alias));                         \
    enum { LANES = VECTOR / sizeof(C) };                                                       \
    size_t i = 0;                                                                              \
    for (; i + LANES <= n; i += LANES) {                                                       \
      numbers_##T v = *(const memory *)(a + i), q = floors_##T(v, NEGATIVE(d), by);            \
      *(memory *)(r + i) = rest ? v - q * (U)d : q;                                            \
    }                                                                                          \
    return i;                                                                                  \
  }
#else
#define QUICK(T, C, U, W, NEGATIVE)                                                              \
  static size_t quick_##T(size_t n, mem_##T *r, const mem_##T *a, C d, divisor_##T by, int rest) \
  {                                                                                              \
    (void)n, (void)r, (void)a, (void)d, (void)by, (void)rest;                                    \
    return 0;                                                                                    \
  }
#endif
INTEGERS(QUICK)

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
