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
/* of 16 bits, by float32's function or a short one */
#define GA_HALF_SHORT1(name, T, C)                                          \
  GA_FN C ga_##name##_##T(C a) {                                            \
    return ga_cast_float32_##T(ga_short_##name(ga_cast_##T##_float32(a))); \
  }
#define GA_HALF_SHORT2(name, T, C)                                                    \
  GA_FN C ga_##name##_##T(C a, C b) {                                                 \
    return ga_cast_float32_##T(                                                       \
        ga_short_##name(ga_cast_##T##_float32(a), ga_cast_##T##_float32(b)));         \
  }
#define GA_SHORT1_FLOAT16(name, c, ulp, fix) GA_HALF_SHORT1(name, float16, ga_half)
#define GA_MATH1_FLOAT16(name, c, ulp, fix) GA_HALF1(name, float16, ga_half)
#define GA_SHORT1_BFLOAT16(name, c, ulp, fix) GA_HALF_SHORT1(name, bfloat16, ga_bfloat)
#define GA_MATH1_BFLOAT16(name, c, ulp, fix) GA_HALF1(name, bfloat16, ga_bfloat)

/* For results of 11 digits and 8, of float32: within 2^-18 of the result, power of 2^-15
 * (2^-18 where a float16 can hold it). A GPU's 2^x is within 2 units of float32's last, its
 * log2(x) within 2^-22 of 1 for x in (1/2, 2) and of the result elsewhere (PTX ISA). */
#if GA_USE_float16 || GA_USE_bfloat16
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
/* 2^2x; a square has subnormals, which the instruction flushes */
GA_FN ga_float ga_short_square_exp2(ga_float x) {
  ga_float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r * r;
}
GA_FN ga_float ga_short_exp(ga_float a) { return ga_short_square_exp2(a * 0.72134752f); }

/* log(x), x = 1 + t, times per; around 1 the series */
GA_FN ga_float ga_short_log_times(ga_float t, ga_float x, ga_float per) {
  ga_float series = fmaf(t, -0.16666667f, 0.2f), r;
  series = fmaf(t, series, -0.25f);
  series = fmaf(t, series, 0.33333333f);
  series = fmaf(t, series, -0.5f);
  series = fmaf(t * t, series, t);
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return fabsf(t) < 0.125f ? series * per : r * (0.69314718f * per);
}
GA_FN ga_float ga_short_log(ga_float a) { return ga_short_log_times(a - 1, a, 1.0f); }
GA_FN ga_float ga_short_log2(ga_float a) { return ga_short_log_times(a - 1, a, 1.44269504f); }
GA_FN ga_float ga_short_log10(ga_float a) { return ga_short_log_times(a - 1, a, 0.43429448f); }
GA_FN ga_float ga_short_log1p(ga_float a) { return ga_short_log_times(a, a + 1, 1.0f); }

/* erf(a): a polynomial of a^2 below 1, from there on 1 - 2^p(|a|); both fitted for the
 * least relative error, 2^-19.7 and 2^-18.7, the second up to 4.2, where float32's erf is 1 */
GA_FN ga_float ga_short_erf(ga_float a) {
  const ga_float t = fabsf(a), s = a * a;
  ga_float near = fmaf(s, 0.00349406735f, -0.0254478045f);
  ga_float far = fmaf(t, -0.0405769870f, -1.10306251f), r;
  near = fmaf(s, near, 0.112341739f);
  near = fmaf(s, near, -0.376064152f);
  near = fmaf(s, near, 1.12837791f);
  far = fmaf(t, far, -1.47830606f);
  far = fmaf(t, far, -0.0464887694f);
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(far));
  return t < 1 ? a * near : copysignf(1 - r, a);
}

/* 2^(b log2|a|) */
GA_FN ga_float ga_short_power(ga_float a, ga_float b) {
  const ga_float size = fabsf(a), half = 0.5f * b;
  const ga_bool whole = truncf(b) == b, odd = whole && truncf(half) != half;
  ga_float r = ga_short_square_exp2(half * ga_m_log2_float32(size));
  if (b == 0 || a == 1 || (size == 1 && b == b)) r = 1;
  if (odd) r = copysignf(r, a);
  return a < 0 && size < GA_INF_float32 && !whole ? GA_NAN_float32 : r;
}
#else
#define GA_SHORT1(name, c, ulp, fix) \
  GA_FN ga_float ga_short_##name(ga_float a) { return ga_m_##name##_float32(a); }
GA_MATH1_SHORT(GA_SHORT1)
GA_FN ga_float ga_short_power(ga_float a, ga_float b) { return ga_m_power_float32(a, b); }
#endif
#endif

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
GA_MATH1_SHORT(GA_SHORT1_FLOAT16)
GA_MATH1_LONG(GA_MATH1_FLOAT16, GA_MATH1_FLOAT16)
GA_HALF_SHORT2(power, float16, ga_half)
GA_HALF2(arctan2, float16, ga_half)
GA_HALF2(hypot, float16, ga_half)
GA_HALF2(logaddexp, float16, ga_half)
GA_HALF2(logaddexp2, float16, ga_half)
#endif
#if GA_USE_bfloat16
GA_MATH1_SHORT(GA_SHORT1_BFLOAT16)
GA_MATH1_LONG(GA_MATH1_BFLOAT16, GA_MATH1_BFLOAT16)
GA_HALF_SHORT2(power, bfloat16, ga_bfloat)
GA_HALF2(arctan2, bfloat16, ga_bfloat)
GA_HALF2(hypot, bfloat16, ga_bfloat)
GA_HALF2(logaddexp, bfloat16, ga_bfloat)
GA_HALF2(logaddexp2, bfloat16, ga_bfloat)
#endif

#endif

#endif
