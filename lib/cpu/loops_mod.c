/* SPDX-License-Identifier: MIT */
/* Vector loops of fmod, remainder and floor_divide for float32 and float64. C's
 * fmod has no vector form; but where the quotient is moderate, one division and
 * one exact subtraction give the same remainder:
 *
 *   float32  in float64, q = trunc(|a| / |b|) is the exact integer quotient while
 *            |a| / |b| < 2^28 (it cannot round up to an integer: n |b| - |a| is a
 *            multiple of b's last place), q |b| is exact, and so is |a| - q |b|
 *   float64  r = |a| - q |b| by a fused multiply-add is exact while |a| / |b| < 2^52,
 *            also if q was rounded up to the next integer; then r < 0 and r + |b|
 *            is the remainder
 *
 * With a larger quotient, a zero divisor, an infinity or NaN it is made NaN, and so
 * is the result: those elements are left to the scalar functions. */
#include "loops_impl.h"

enum { BLOCK = 64 };

#define FMOD_float32(a, b)                                             \
  double x = __builtin_fabsf(a), y = __builtin_fabsf(b), q = x / y;    \
  double d = q < 0x1p28 ? x - __builtin_trunc(q) * y : GA_NAN_float64; \
  ga_float m = (ga_float)(y < 0x1p128 ? d : GA_NAN_float64);           \
  m = __builtin_copysignf(m, a);

#define FMOD_float64(a, b)                                        \
  double x = __builtin_fabs(a), y = __builtin_fabs(b), q = x / y; \
  double m = __builtin_fma(-__builtin_trunc(q), y, x);            \
  m = m < 0 ? m + y : m;                                          \
  m = ((q < 0x1p52) & (y < GA_INF_float64)) ? m : GA_NAN_float64; \
  m = __builtin_copysign(m, a);

/* What each operation makes of C's remainder m, as the scalar functions do. */
#define FROM_fmod(T, C, s)         m
#define FROM_remainder(T, C, s)    ga_pymod_##T(b, m)
#define FROM_floor_divide(T, C, s) ga_quotient_##T(a, b, m)

#define LOOP(op, T, C, s)                                           \
  static void op##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                 \
    mem_##T *r = dst;                                               \
    const mem_##T *u = src[0], *v = src[1];                         \
    C t[BLOCK];                                                     \
    for (size_t i = 0; i < n; i += BLOCK) {                         \
      size_t k = n - i < BLOCK ? n - i : BLOCK;                     \
      int nan = 0;                                                  \
      for (size_t j = 0; j < k; j++) {                              \
        C a = u[i + j], b = v[i + j];                               \
        FMOD_##T(a, b) t[j] = FROM_##op(T, C, s);                   \
      }                                                             \
      for (size_t j = 0; j < k; j++) nan |= t[j] != t[j];           \
      for (size_t j = 0; nan && j < k; j++)                         \
        if (t[j] != t[j]) t[j] = ga_##op##_##T(u[i + j], v[i + j]); \
      memcpy(r + i, t, k * sizeof(C));                              \
    }                                                               \
  }
#define LOOPS(T, C, s)     \
  LOOP(fmod, T, C, s)      \
  LOOP(remainder, T, C, s) \
  LOOP(floor_divide, T, C, s)

/* Without a fused multiply-add float64 is left to loops_float.c. */
#define ROW(op, T) [GA_OP_##op - GA_N_OP] = op##_##T,
extern const ga_loop GA_SYM(ga_mod_float32)[GA_NOP];
extern const ga_loop GA_SYM(ga_mod_float64)[GA_NOP];

LOOPS(float32, ga_float, f)
const ga_loop GA_SYM(ga_mod_float32)[GA_NOP] = {ROW(fmod, float32) ROW(remainder, float32)
                                                    ROW(floor_divide, float32)};

#ifdef __FMA__
LOOPS(float64, ga_double, )
const ga_loop GA_SYM(ga_mod_float64)[GA_NOP] = {ROW(fmod, float64) ROW(remainder, float64)
                                                    ROW(floor_divide, float64)};
#else
const ga_loop GA_SYM(ga_mod_float64)[GA_NOP] = {0};
#endif
