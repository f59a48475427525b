// SPDX-License-Identifier: MIT
// Arithmetic and conversions with a rounding mode of their own: to nearest (_rn),
// towards zero (_rz), up (_ru), down (_rd). The processor's mode is set around the one
// operation, whose operands and result are hidden from the compiler, so that it
// stays between.
#pragma once

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

enum ga_hc_rounding { GA_HC_RN, GA_HC_RD, GA_HC_RU, GA_HC_RZ };

#if defined(__x86_64__)
GA_HC_FN unsigned long ga_hc_mode() { return __builtin_ia32_stmxcsr(); }
GA_HC_FN void ga_hc_set_mode(unsigned long m) { __builtin_ia32_ldmxcsr((unsigned)m); }
GA_HC_FN unsigned long ga_hc_with(unsigned long m, ga_hc_rounding r)
{
  return (m & ~0x6000ul) | (unsigned long)r << 13;
}
#define GA_HC_HIDE(x) __asm__ volatile("" : "+x"(x)::"memory")
#elif defined(__aarch64__)
GA_HC_FN unsigned long ga_hc_mode()
{
  unsigned long m;
  __asm__ volatile("mrs %0, fpcr" : "=r"(m));
  return m;
}
GA_HC_FN void ga_hc_set_mode(unsigned long m) { __asm__ volatile("msr fpcr, %0" ::"r"(m)); }
GA_HC_FN unsigned long ga_hc_with(unsigned long m, ga_hc_rounding r)
{
  const unsigned long of[] = {0, 2, 1, 3};
  return (m & ~0xc00000ul) | of[r] << 22;
}
#define GA_HC_HIDE(x) __asm__ volatile("" : "+w"(x)::"memory")
#else
#include <fenv.h>
GA_HC_FN unsigned long ga_hc_mode() { return (unsigned long)fegetround(); }
GA_HC_FN void ga_hc_set_mode(unsigned long m) { fesetround((int)m); }
GA_HC_FN unsigned long ga_hc_with(unsigned long, ga_hc_rounding r)
{
  const int of[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  return (unsigned long)of[r];
}
#define GA_HC_HIDE(x) __asm__ volatile("" : "+m"(x)::"memory")
#endif
#define GA_HC_HIDE_INTEGER(x) __asm__ volatile("" : "+r"(x)::"memory")

// Declares T name(parameters) { return value; } in mode r; `hide` hides what it reads.
#define GA_HC_ROUND(T, name, parameters, hide, value, r)                                           \
  GA_HC_FN T name parameters                                                                       \
  {                                                                                                \
    const unsigned long ga_hc_kept = ga_hc_mode();                                                 \
    ga_hc_set_mode(ga_hc_with(ga_hc_kept, r));                                                     \
    hide;                                                                                          \
    T ga_hc_result = (T)(value);                                                                   \
    GA_HC_HIDE(ga_hc_result);                                                                      \
    ga_hc_set_mode(ga_hc_kept);                                                                    \
    return ga_hc_result;                                                                           \
  }
#define GA_HC_DIRECTED(X) X(_rd, GA_HC_RD) X(_ru, GA_HC_RU) X(_rz, GA_HC_RZ)

#define GA_HC_ROUND1(T, name, value, r) GA_HC_ROUND(T, name, (T a), GA_HC_HIDE(a), value, r)
#define GA_HC_ROUND2(T, name, value, r)                                                            \
  GA_HC_ROUND(T, name, (T a, T b), GA_HC_HIDE(a); GA_HC_HIDE(b), value, r)
#define GA_HC_ROUND3(T, name, value, r)                                                            \
  GA_HC_ROUND(T, name, (T a, T b, T c), GA_HC_HIDE(a); GA_HC_HIDE(b); GA_HC_HIDE(c), value, r)

#define GA_HC_ARITHMETIC(p, T, s, m, r)                                                            \
  GA_HC_ROUND2(T, __##p##add##m, a + b, r)                                                         \
  GA_HC_ROUND2(T, __##p##sub##m, a - b, r)                                                         \
  GA_HC_ROUND2(T, __##p##mul##m, a * b, r)                                                         \
  GA_HC_ROUND2(T, __##p##div##m, a / b, r)                                                         \
  GA_HC_ROUND1(T, __##p##rcp##m, 1 / a, r)                                                         \
  GA_HC_ROUND1(T, __##p##sqrt##m, __builtin_sqrt##s(a), r)
#define GA_HC_FLOATS(m, r)                                                                         \
  GA_HC_ARITHMETIC(f, float, f, m, r)                                                              \
  GA_HC_ROUND3(float, __fmaf##m, __builtin_fmaf(a, b, c), r)                                       \
  GA_HC_FN float __fmaf_ieee##m(float a, float b, float c) { return __fmaf##m(a, b, c); }          \
  GA_HC_ARITHMETIC(d, double, , m, r)                                                              \
  GA_HC_ROUND3(double, __fma##m, __builtin_fma(a, b, c), r)
GA_HC_DIRECTED(GA_HC_FLOATS)

// Clang makes of 64 bits the difference of two numbers, which is -0 where rounding down: of 0.
#define GA_HC_FROM(T, I, i, m, r)                                                                  \
  GA_HC_ROUND(T, ga_hc_##I##2##T##m, (i a), GA_HC_HIDE_INTEGER(a), a, r)                           \
  GA_HC_FN T __##I##2##T##m(i a)                                                                   \
  {                                                                                                \
    T x = ga_hc_##I##2##T##m(a);                                                                   \
    return a != 0 ? x : 0;                                                                         \
  }
#define GA_HC_CONVERSIONS(m, r)                                                                    \
  GA_HC_FROM(float, int, int, m, r)                                                                \
  GA_HC_FROM(float, uint, unsigned, m, r)                                                          \
  GA_HC_FROM(float, ll, long long, m, r)                                                           \
  GA_HC_FROM(float, ull, unsigned long long, m, r)                                                 \
  GA_HC_FROM(double, ll, long long, m, r)                                                          \
  GA_HC_FROM(double, ull, unsigned long long, m, r)                                                \
  GA_HC_ROUND(float, __double2float##m, (double a), GA_HC_HIDE(a), a, r)
GA_HC_DIRECTED(GA_HC_CONVERSIONS)
#undef GA_HC_ARITHMETIC

// To nearest is the mode there is; only fast maths has to be kept off.
#ifdef __FAST_MATH__
#define GA_HC_ARITHMETIC(p, T, s, m, r)                                                            \
  GA_HC_ROUND2(T, __##p##add##m, a + b, r)                                                         \
  GA_HC_ROUND2(T, __##p##sub##m, a - b, r)                                                         \
  GA_HC_ROUND2(T, __##p##mul##m, a * b, r)                                                         \
  GA_HC_ROUND2(T, __##p##div##m, a / b, r)                                                         \
  GA_HC_ROUND1(T, __##p##rcp##m, 1 / a, r)                                                         \
  GA_HC_ROUND1(T, __##p##sqrt##m, __builtin_sqrt##s(a), r)
#else
#define GA_HC_ARITHMETIC(p, T, s, m, r)                                                            \
  GA_HC_FN T __##p##add##m(T a, T b) { return a + b; }                                             \
  GA_HC_FN T __##p##sub##m(T a, T b) { return a - b; }                                             \
  GA_HC_FN T __##p##mul##m(T a, T b) { return a * b; }                                             \
  GA_HC_FN T __##p##div##m(T a, T b) { return a / b; }                                             \
  GA_HC_FN T __##p##rcp##m(T a) { return 1 / a; }                                                  \
  GA_HC_FN T __##p##sqrt##m(T a) { return __builtin_sqrt##s(a); }
#endif
GA_HC_ARITHMETIC(f, float, f, _rn, GA_HC_RN)
GA_HC_ARITHMETIC(d, double, , _rn, GA_HC_RN)
GA_HC_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GA_HC_FN float __fmaf_ieee_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GA_HC_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define GA_HC_PAIRS(m, r)                                                                          \
  GA_HC_FN float2 __fadd2##m(float2 a, float2 b)                                                   \
  {                                                                                                \
    return float2{__fadd##m(a.x, b.x), __fadd##m(a.y, b.y)};                                       \
  }                                                                                                \
  GA_HC_FN float2 __fmul2##m(float2 a, float2 b)                                                   \
  {                                                                                                \
    return float2{__fmul##m(a.x, b.x), __fmul##m(a.y, b.y)};                                       \
  }                                                                                                \
  GA_HC_FN float2 __ffma2##m(float2 a, float2 b, float2 c)                                         \
  {                                                                                                \
    return float2{__fmaf##m(a.x, b.x, c.x), __fmaf##m(a.y, b.y, c.y)};                             \
  }
GA_HC_PAIRS(_rn, GA_HC_RN)
GA_HC_DIRECTED(GA_HC_PAIRS)

// 1/sqrt(a): the float64 result decides but where it lies next to the middle m of
// two float32 numbers; there a*m*m against 1 does, in whole numbers.
GA_HC_FN float __frsqrt_rn(float a)
{
  double d = 1.0 / __builtin_sqrt((double)a);
  float f = (float)d, g;
  if (!(a > 0) || !(d < 0x1p127)) return f;
  g = __uint_as_float(__float_as_uint(f) + ((double)f < d ? 1u : ~0u));
  double mid = 0.5 * ((double)f + (double)g);
  if ((double)f == d || __builtin_fabs(d - mid) > d * 0x1p-50) return f;
  int ea, em;
  ga_hc_uint128 x = (unsigned long long)(__builtin_frexp((double)a, &ea) * 0x1p24);
  ga_hc_uint128 m = (unsigned long long)(__builtin_frexp(mid, &em) * 0x1p25);
  bool above = x * m * m < (ga_hc_uint128)1 << (24 + 50 - ea - 2 * em); // the result > mid
  return above == (f < g) ? g : f;
}
