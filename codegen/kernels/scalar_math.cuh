/* SPDX-License-Identifier: MIT */
/* The operations of real numbers that bottom out in ga_m_* (math.cuh). On
 * the host ga_m_* are to be declared before (lib/cpu/scalar.h does it). */
#ifndef GA_SCALAR_MATH_CUH
#define GA_SCALAR_MATH_CUH

#include "math.cuh"
#include "scalar_half.cuh"
#include "scalar_hypot.cuh"

#if GA_USE_MATH

#define GA_MATH1_REAL32(name, c, ulp, fix) \
  GA_FN ga_float ga_##name##_float32(ga_float a) { return ga_m_##name##_float32(a); }
#define GA_MATH1_REAL64(name, c, ulp, fix) \
  GA_FN ga_double ga_##name##_float64(ga_double a) { return ga_m_##name##_float64(a); }
#define GA_MATH2_REAL(name, T, C) \
  GA_FN C ga_##name##_##T(C a, C b) { return ga_m_##name##_##T(a, b); }
#define GA_MATH2_REAL32(name, c, ulp, fix) GA_MATH2_REAL(name, float32, ga_float)
#define GA_MATH2_REAL64(name, c, ulp, fix) GA_MATH2_REAL(name, float64, ga_double)
#define GA_HALF_MATH(name, T, C, function)                              \
  GA_FN C ga_##name##_##T(C a) {                                        \
    return ga_cast_float32_##T(function(ga_cast_##T##_float32(a)));     \
  }
#define GA_MATH1_FLOAT16(name, c, ulp, fix) GA_HALF1(name, float16, ga_half)
#define GA_MATH2_FLOAT16(name, c, ulp, fix) GA_HALF2(name, float16, ga_half)
#define GA_MATH1_BFLOAT16(name, c, ulp, fix) GA_HALF1(name, bfloat16, ga_bfloat)
#define GA_MATH2_BFLOAT16(name, c, ulp, fix) GA_HALF2(name, bfloat16, ga_bfloat)

/* exp for results of 11 digits: a GPU's 2^x is within 2 units of float32's last, and
 * the product with log2(e) adds 2^-19 of the result at most. A square has subnormals,
 * which the instruction flushes. */
GA_FN ga_float ga_short_exp(ga_float a) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  ga_float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a * 0.72134752f));
  return r * r;
#else
  return ga_m_exp_float32(a);
#endif
}

/* log(exp(a) + exp(b)), in base e and 2, without overflow */
#define GA_LOGADDEXP(T, C)                                            \
  GA_FN C ga_logaddexp_##T(C a, C b) {                                \
    C d = a - b;                                                      \
    if (a == b) return a + (C)0.693147180559945309417;                \
    if (d > 0) return a + ga_m_log1p_##T(ga_m_exp_##T(-d));           \
    if (d <= 0) return b + ga_m_log1p_##T(ga_m_exp_##T(d));           \
    return d;                                                         \
  }                                                                   \
  GA_FN C ga_logaddexp2_##T(C a, C b) {                               \
    C d = a - b, log2e = (C)1.44269504088896340736;                   \
    if (a == b) return a + (C)1;                                      \
    if (d > 0) return a + log2e * ga_m_log1p_##T(ga_m_exp2_##T(-d));  \
    if (d <= 0) return b + log2e * ga_m_log1p_##T(ga_m_exp2_##T(d));  \
    return d;                                                         \
  }

#if GA_USE_float32
GA_MATH1(GA_MATH1_REAL32)
GA_MATH2(GA_MATH2_REAL32)
GA_LOGADDEXP(float32, ga_float)
#endif
#if GA_USE_float64
GA_MATH1(GA_MATH1_REAL64)
GA_MATH2(GA_MATH2_REAL64)
GA_LOGADDEXP(float64, ga_double)
GA_FN ga_double ga_float_power_float64(ga_double a, ga_double b) {
  return ga_m_power_float64(a, b);
}
#endif
#if GA_USE_float16
GA_HALF_MATH(exp, float16, ga_half, ga_short_exp)
GA_MATH1_LONG(GA_MATH1_FLOAT16)
GA_MATH2(GA_MATH2_FLOAT16)
GA_HALF2(hypot, float16, ga_half)
GA_HALF2(logaddexp, float16, ga_half)
GA_HALF2(logaddexp2, float16, ga_half)
#endif
#if GA_USE_bfloat16
GA_HALF_MATH(exp, bfloat16, ga_bfloat, ga_short_exp)
GA_MATH1_LONG(GA_MATH1_BFLOAT16)
GA_MATH2(GA_MATH2_BFLOAT16)
GA_HALF2(hypot, bfloat16, ga_bfloat)
GA_HALF2(logaddexp, bfloat16, ga_bfloat)
GA_HALF2(logaddexp2, bfloat16, ga_bfloat)
#endif

#endif

#endif
