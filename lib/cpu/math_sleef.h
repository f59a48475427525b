/* SPDX-License-Identifier: MIT */
/* ga_m_<name>_<float32|float64> of codegen/kernels/math.cuh on the CPU: SLEEF's
 * deterministic functions, whose scalar and vector forms give the same bits,
 * put right where they leave C99's values at the ends of the range (most are our own,
 * of math_wide.h, and SLEEF's only at their edges):
 *
 *   sinh, cosh        overflow too early: exp(|x| - k ln2) 2^(k-1) there, for a
 *                     k that makes k ln2 all but a number (FreeBSD's msun)
 *   arcsinh, arccosh  overflow for large |x|: log|x| + ln2 there
 *   log1p             overflows for large x: log x there
 *   log1p, arcsinh    lose the smallest float32: x there
 *   exp, power        of float64 overflow up to 2e-6 too early: expm1(x), which is exp(x)
 *                     there, and C's own pow
 *   gamma             loses digits where it is small, and the sign of a value that
 *                     underflows: by float64, or by the recurrence from -167 on; its last
 *                     finite value too
 *   gammaln           of float32 overflows too early: by float64
 *
 * ga_edge_<name>_<T>(x) says where; a vector loop of SLEEF's takes those lanes one by one.
 * SLEEF's deterministic functions need a fused multiply-add: an x86-64 processor
 * without one gets SLEEF's other set, and with it other last bits. */
#ifndef GA_CPU_MATH_SLEEF_H
#define GA_CPU_MATH_SLEEF_H

#include "codegen/kernels/math.cuh"

#include "math_wide.h"

/* 1 where the processor has fused multiply-add. */
#if defined(__x86_64__) && !defined(__FMA__)
extern int ga_cpu_has_fma; /* lib/cpu/isa.c */
#define GA_HAS_FMA __builtin_expect(ga_cpu_has_fma, 1)
#else
#define GA_HAS_FMA 1
#endif

/* Declared here because sleef.h hides the forms of instruction sets other than
 * the compiler's. */
#define GA_SLEEF1(name, c, ulp, fix)                          \
  float Sleef_finz_##c##f1_##ulp##purecfma(float);            \
  double Sleef_finz_##c##d1_##ulp##purecfma(double);          \
  float Sleef_cinz_##c##f1_##ulp##purec(float);               \
  double Sleef_cinz_##c##d1_##ulp##purec(double);             \
  GA_FN float ga_sleef_##name##_float32(float a)              \
  {                                                           \
    return GA_HAS_FMA ? Sleef_finz_##c##f1_##ulp##purecfma(a) \
                      : Sleef_cinz_##c##f1_##ulp##purec(a);   \
  }                                                           \
  GA_FN double ga_sleef_##name##_float64(double a)            \
  {                                                           \
    return GA_HAS_FMA ? Sleef_finz_##c##d1_##ulp##purecfma(a) \
                      : Sleef_cinz_##c##d1_##ulp##purec(a);   \
  }                                                           \
  GA_SLEEF_##fix(name)
#define GA_SLEEF2(name, c, ulp, fix)                             \
  float Sleef_finz_##c##f1_##ulp##purecfma(float, float);        \
  double Sleef_finz_##c##d1_##ulp##purecfma(double, double);     \
  float Sleef_cinz_##c##f1_##ulp##purec(float, float);           \
  double Sleef_cinz_##c##d1_##ulp##purec(double, double);        \
  GA_FN float ga_sleef_##name##_float32(float a, float b)        \
  {                                                              \
    return GA_HAS_FMA ? Sleef_finz_##c##f1_##ulp##purecfma(a, b) \
                      : Sleef_cinz_##c##f1_##ulp##purec(a, b);   \
  }                                                              \
  GA_FN double ga_sleef_##name##_float64(double a, double b)     \
  {                                                              \
    return GA_HAS_FMA ? Sleef_finz_##c##d1_##ulp##purecfma(a, b) \
                      : Sleef_cinz_##c##d1_##ulp##purec(a, b);   \
  }                                                              \
  GA_SLEEF_PASTE(GA_SLEEF_PAIR_, GA_IS_WIDE(name))               \
  (name) GA_SLEEF_PAIR_##fix(name)
#define GA_SLEEF_PAIR_PLAIN(name) GA_SLEEF_PASTE(GA_SLEEF_PAIRS_, GA_IS_LONG(name))(name)
#define GA_SLEEF_PAIR_FIXED(name)
#define GA_SLEEF_PAIRS_1(name)                                                         \
  GA_FN double ga_m_##name##_float64(double a, double b)                               \
  {                                                                                    \
    return GA_HAS_FMA && !ga_long_edge_##name(a, b) ? ga_long_##name(a, b)             \
                                                    : ga_sleef_##name##_float64(a, b); \
  }

#define GA_SLEEF_PAIR_1(name)                                                          \
  GA_FN float ga_m_##name##_float32(float a, float b)                                  \
  {                                                                                    \
    return GA_HAS_FMA && !ga_wide_edge_##name(a, b) ? ga_wide_##name(a, b)             \
                                                    : ga_sleef_##name##_float32(a, b); \
  }
#define GA_SLEEF_PAIR_2(name)                                                       \
  GA_FN float ga_m_##name##_float32(float a, float b)                               \
  {                                                                                 \
    return GA_HAS_FMA ? ga_wide_all_##name(a, b) : ga_sleef_##name##_float32(a, b); \
  }
#define GA_SLEEF_FIXED(name)
#define GA_SLEEF_PLAIN(name)  GA_SLEEF_OWN(name, ga_sleef_##name)
#define GA_SLEEF_PASTE(a, b)  GA_SLEEF_PASTE2(a, b)
#define GA_SLEEF_PASTE2(a, b) a##b
#define GA_SLEEF_FLOAT_0(name, sleef) \
  GA_FN float ga_m_##name##_float32(float a) { return sleef(a); }
#define GA_SLEEF_FLOAT_1(name, sleef)                                            \
  GA_FN float ga_m_##name##_float32(float a)                                     \
  {                                                                              \
    return GA_HAS_FMA && !ga_wide_edge_##name(a) ? ga_wide_##name(a) : sleef(a); \
  }
#define GA_SLEEF_FLOAT_2(name, sleef)                     \
  GA_FN float ga_m_##name##_float32(float a)              \
  {                                                       \
    return GA_HAS_FMA ? ga_wide_all_##name(a) : sleef(a); \
  }
#define GA_SLEEF_DOUBLE_0(name, sleef) \
  GA_FN double ga_m_##name##_float64(double a) { return sleef(a); }
#define GA_SLEEF_DOUBLE_1(name, sleef)                                           \
  GA_FN double ga_m_##name##_float64(double a)                                   \
  {                                                                              \
    return GA_HAS_FMA && !ga_long_edge_##name(a) ? ga_long_##name(a) : sleef(a); \
  }
#define GA_SLEEF_DOUBLE_2(name, sleef)                    \
  GA_FN double ga_m_##name##_float64(double a)            \
  {                                                       \
    return GA_HAS_FMA ? ga_long_all_##name(a) : sleef(a); \
  }
/* Our own functions where there are some, else SLEEF's. */
#define GA_SLEEF_OWN(name, sleef)                   \
  GA_SLEEF_PASTE(GA_SLEEF_FLOAT_, GA_IS_WIDE(name)) \
  (name, sleef##_float32) GA_SLEEF_PASTE(GA_SLEEF_DOUBLE_, GA_IS_LONG(name))(name, sleef##_float64)

GA_MATH1(GA_SLEEF1)
GA_MATH2(GA_SLEEF2)

/* ---- where they are put right ---- */

/* FixT(T, C, s, ...): BIG, above which arcsinh(x) is log(2x) and log1p(x) log(x)
 * to the last bit; TINY, below which both are x; OVER, above which exp(x) or its
 * helpers overflow; KLN2 = k ln2, and two factors whose product is 2^(k-1). */
#define GA_EDGES(T, C, s, BIG, TINY, OVER, KLN2, P, Q)                                          \
  GA_FN int ga_edge_log1p_##T(C x)                                                              \
  {                                                                                             \
    C a = __builtin_fabs##s(x);                                                                 \
    return (x > BIG) | (a < TINY);                                                              \
  }                                                                                             \
  GA_FN C ga_fixed_log1p_##T(C x)                                                               \
  {                                                                                             \
    if (__builtin_expect(!ga_edge_log1p_##T(x), 1)) return ga_sleef_log1p_##T(x);               \
    return x > BIG ? ga_sleef_log_##T(x) : x;                                                   \
  }                                                                                             \
  GA_FN int ga_edge_arcsinh_##T(C x)                                                            \
  {                                                                                             \
    C a = __builtin_fabs##s(x);                                                                 \
    return (a > BIG) | (a < TINY);                                                              \
  }                                                                                             \
  GA_FN C ga_fixed_arcsinh_##T(C x)                                                             \
  {                                                                                             \
    C a = __builtin_fabs##s(x);                                                                 \
    if (__builtin_expect(!ga_edge_arcsinh_##T(x), 1)) return ga_sleef_arcsinh_##T(x);           \
    return a > BIG ? __builtin_copysign##s(ga_sleef_log_##T(a) + (C)0.693147180559945309417, x) \
                   : x;                                                                         \
  }                                                                                             \
  GA_FN int ga_edge_arccosh_##T(C x) { return x > BIG; }                                        \
  GA_FN C ga_fixed_arccosh_##T(C x)                                                             \
  {                                                                                             \
    if (__builtin_expect(!ga_edge_arccosh_##T(x), 1)) return ga_sleef_arccosh_##T(x);           \
    return ga_sleef_log_##T(x) + (C)0.693147180559945309417;                                    \
  }                                                                                             \
  GA_FN int ga_edge_cosh_##T(C x) { return __builtin_fabs##s(x) > OVER; }                       \
  GA_FN C ga_fixed_cosh_##T(C x)                                                                \
  {                                                                                             \
    if (__builtin_expect(!ga_edge_cosh_##T(x), 1)) return ga_sleef_cosh_##T(x);                 \
    return ga_sleef_exp_##T(__builtin_fabs##s(x) - KLN2) * P * Q;                               \
  }                                                                                             \
  GA_FN int ga_edge_sinh_##T(C x) { return __builtin_fabs##s(x) > OVER; }                       \
  GA_FN C ga_fixed_sinh_##T(C x)                                                                \
  {                                                                                             \
    if (__builtin_expect(!ga_edge_sinh_##T(x), 1)) return ga_sleef_sinh_##T(x);                 \
    return __builtin_copysign##s(ga_fixed_cosh_##T(x), x);                                      \
  }

GA_EDGES(float32, float, f, 1e18f, 1e-30f, 88.0f, 162.88958740f, 0x1p117f, 0x1p117f)
GA_EDGES(float64, double, , 1e150, 1e-290, 709.0, 1246.97177782734161156, 0x1p899, 0x1p899)

GA_FN float ga_fixed_exp_float32(float x) { return ga_sleef_exp_float32(x); }
GA_FN double ga_fixed_exp_float64(double x)
{
  return x > 709.7827 ? ga_sleef_expm1_float64(x) : ga_sleef_exp_float64(x);
}

GA_FN double ga_fixed_power_float64(double x, double y)
{
  double r = ga_sleef_power_float64(x, y);
  return __builtin_isinf(r) ? __builtin_pow(x, y) : r;
}
GA_FN double ga_m_power_float64(double x, double y)
{
  return GA_HAS_FMA ? ga_long_all_power(x, y) : ga_fixed_power_float64(x, y);
}

GA_FN int ga_edge_gammaln_float32(float x) { return x > 4e36f; }
GA_FN float ga_fixed_gammaln_float32(float x)
{
  return __builtin_expect(ga_edge_gammaln_float32(x), 0) ? (float)ga_sleef_gammaln_float64(x)
                                                         : ga_sleef_gammaln_float32(x);
}
GA_FN int ga_edge_gammaln_float64(double x)
{
  (void)x;
  return 0;
}
GA_FN double ga_fixed_gammaln_float64(double x) { return ga_sleef_gammaln_float64(x); }

/* gamma(x) = gamma(x + k) / (x (x+1) ... (x+k-1)); the sums are exact, the product is a
 * pair of numbers. */
GA_FN double ga_gamma_below(double x)
{
  double hi = 1, lo = 0, y = x, g;
  for (; y < -167; y++) {
    double p = hi * y;
    lo = lo * y + GA_WIDE_FMA(hi, y, -p);
    hi = p;
  }
  g = ga_sleef_gamma_float64(y);
  return (g - g * (lo / hi)) / hi;
}
GA_FN int ga_edge_gamma_float64(double x) { return (x < -168) | (x > 171.624); }
GA_FN double ga_fixed_gamma_float64(double x)
{
  double low = __builtin_floor(x);
  if (__builtin_expect(!ga_edge_gamma_float64(x), 1) || low == x) return ga_sleef_gamma_float64(x);
  if (x > 0) return ga_sleef_gamma_float64(x - 1) * (x - 1);
  if (x > -190) return ga_gamma_below(x);
  return 0.5 * low == __builtin_floor(0.5 * low) ? 0.0 : -0.0;
}
GA_FN int ga_edge_gamma_float32(float x) { return x < -33.0f; }
GA_FN float ga_fixed_gamma_float32(float x)
{
  return __builtin_expect(ga_edge_gamma_float32(x), 0) ? (float)ga_fixed_gamma_float64(x)
                                                       : ga_sleef_gamma_float32(x);
}

#define GA_FIXED(name) GA_SLEEF_OWN(name, ga_fixed_##name)
#define GA_FIXED_PLAIN(name)
#define GA_FIXED_FIXED(name)        GA_FIXED(name)
#define GA_FIXES(name, c, ulp, fix) GA_FIXED_##fix(name)
GA_MATH1(GA_FIXES)

#endif
