/* SPDX-License-Identifier: MIT */
/* The operations of real numbers that bottom out in ga_m_* (math.cuh). On
 * the host ga_m_* are to be declared before (lib/cpu/scalar.h does it). */
#ifndef GA_SCALAR_MATH_CUH
#define GA_SCALAR_MATH_CUH

#include "math.cuh"
#include "scalar_half.cuh"
#include "scalar_hypot.cuh"

#define GA_MATH1_OP(name, c, ulp, fix)                                                    \
  GA_FN ga_float ga_##name##_float32(ga_float a) { return ga_m_##name##_float32(a); }     \
  GA_FN ga_double ga_##name##_float64(ga_double a) { return ga_m_##name##_float64(a); }   \
  GA_HALF1(name, float16, ga_half)                                                        \
  GA_HALF1(name, bfloat16, ga_bfloat)
#define GA_MATH2_OP(name, c, ulp)                         \
  GA_FN ga_float ga_##name##_float32(ga_float a, ga_float b) { \
    return ga_m_##name##_float32(a, b);                   \
  }                                                       \
  GA_FN ga_double ga_##name##_float64(ga_double a, ga_double b) { \
    return ga_m_##name##_float64(a, b);                   \
  }                                                       \
  GA_HALF2(name, float16, ga_half)                        \
  GA_HALF2(name, bfloat16, ga_bfloat)
GA_MATH1(GA_MATH1_OP)
GA_MATH2(GA_MATH2_OP)

GA_FN ga_double ga_float_power_float64(ga_double a, ga_double b) {
  return ga_m_power_float64(a, b);
}

GA_HALF2(hypot, float16, ga_half)
GA_HALF2(hypot, bfloat16, ga_bfloat)

/* ---- log(exp(a) + exp(b)), in base e and 2, without overflow ---- */

#define GA_LOGADDEXP(T, C)                                                            \
  GA_FN C ga_logaddexp_##T(C a, C b) {                                                \
    C d = a - b;                                                                      \
    if (a == b) return a + (C)0.693147180559945309417;                                \
    if (d > 0) return a + ga_m_log1p_##T(ga_m_exp_##T(-d));                           \
    if (d <= 0) return b + ga_m_log1p_##T(ga_m_exp_##T(d));                           \
    return d;                                                                         \
  }                                                                                   \
  GA_FN C ga_logaddexp2_##T(C a, C b) {                                               \
    C d = a - b, log2e = (C)1.44269504088896340736;                                   \
    if (a == b) return a + (C)1;                                                      \
    if (d > 0) return a + log2e * ga_m_log1p_##T(ga_m_exp2_##T(-d));                  \
    if (d <= 0) return b + log2e * ga_m_log1p_##T(ga_m_exp2_##T(d));                  \
    return d;                                                                         \
  }
GA_LOGADDEXP(float32, ga_float)
GA_LOGADDEXP(float64, ga_double)
GA_HALF2(logaddexp, float16, ga_half)
GA_HALF2(logaddexp, bfloat16, ga_bfloat)
GA_HALF2(logaddexp2, float16, ga_half)
GA_HALF2(logaddexp2, bfloat16, ga_bfloat)

#endif
