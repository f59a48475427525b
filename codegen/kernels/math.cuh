/* SPDX-License-Identifier: MIT */
/* The transcendental functions that a device brings itself, one row each; all
 * others are written in terms of them. ga_m_<name>_<float32|float64> is the
 * function under one name everywhere: CUDA's here, SLEEF's in lib/cpu.
 *
 *   MATH(name, c, ulp, fix)
 *
 * name   ours (NumPy's)
 * c      C's name for float64, which with an f is float32's; SLEEF's name too
 * ulp    SLEEF's accuracy suffix: u10 is within 1.0 ulp
 * fix    FIXED where SLEEF's is put right at the ends of the range (of two
 *        arguments: float64's only) */
#ifndef GA_MATH_CUH
#define GA_MATH_CUH

#include "scalar_bits.cuh"

#define GA_MATH1(MATH) GA_MATH1_TURN(MATH, MATH)

/* TURN: those of angles, which are long where the angle is far from 0. */
#define GA_MATH1_TURN(MATH, TURN) \
  GA_MATH1_SHORT(MATH)            \
  GA_MATH1_LONG(MATH, TURN)

/* Those that have a short form for 16 bits (scalar_math.cuh), and the others. */
#define GA_MATH1_SHORT(MATH)        \
  MATH(exp, exp, u10, FIXED)        \
  MATH(log, log, u10, PLAIN)        \
  MATH(log2, log2, u10, PLAIN)      \
  MATH(log10, log10, u10, PLAIN)    \
  MATH(log1p, log1p, u10, FIXED)    \
  MATH(erf, erf, u10, PLAIN)
#define GA_MATH1_LONG(MATH, TURN)   \
  MATH(cbrt, cbrt, u10, PLAIN)      \
  MATH(exp2, exp2, u10, PLAIN)      \
  MATH(expm1, expm1, u10, PLAIN)    \
  TURN(sin, sin, u10, PLAIN)        \
  TURN(cos, cos, u10, PLAIN)        \
  TURN(tan, tan, u10, PLAIN)        \
  MATH(arcsin, asin, u10, PLAIN)    \
  MATH(arccos, acos, u10, PLAIN)    \
  MATH(arctan, atan, u10, PLAIN)    \
  MATH(sinh, sinh, u10, FIXED)      \
  MATH(cosh, cosh, u10, FIXED)      \
  MATH(tanh, tanh, u10, PLAIN)      \
  MATH(arcsinh, asinh, u10, FIXED)  \
  MATH(arccosh, acosh, u10, FIXED)  \
  MATH(arctanh, atanh, u10, PLAIN)  \
  MATH(erfc, erfc, u15, PLAIN)      \
  MATH(gamma, tgamma, u10, FIXED)   \
  MATH(gammaln, lgamma, u10, FIXED)

#define GA_MATH2(MATH)             \
  MATH(power, pow, u10, FIXED)     \
  MATH(arctan2, atan2, u10, PLAIN)

#if defined(__GPUARRAY_CPU__) /* kernels on the CPU: the interpreter's functions */
#define GA_MATH1_MEMBER(name, c, ulp, fix)    \
  ga_float (*name##_float32)(ga_float);       \
  ga_double (*name##_float64)(ga_double);
#define GA_MATH2_MEMBER(name, c, ulp, fix)              \
  ga_float (*name##_float32)(ga_float, ga_float);       \
  ga_double (*name##_float64)(ga_double, ga_double);
struct ga_hc_math { /* lib/cpu/hostcuda_math.c */
  GA_MATH1(GA_MATH1_MEMBER)
  GA_MATH2(GA_MATH2_MEMBER)
};
#define GA_MATH1_CALL(name, c, ulp, fix)                                                 \
  GA_FN ga_float ga_m_##name##_float32(ga_float a) {                                     \
    return ga_hc_lib->math->name##_float32(a);                                            \
  }                                                                                      \
  GA_FN ga_double ga_m_##name##_float64(ga_double a) {                                   \
    return ga_hc_lib->math->name##_float64(a);                                            \
  }
#define GA_MATH2_CALL(name, c, ulp, fix)                                                 \
  GA_FN ga_float ga_m_##name##_float32(ga_float a, ga_float b) {                         \
    return ga_hc_lib->math->name##_float32(a, b);                                         \
  }                                                                                      \
  GA_FN ga_double ga_m_##name##_float64(ga_double a, ga_double b) {                      \
    return ga_hc_lib->math->name##_float64(a, b);                                         \
  }
GA_MATH1(GA_MATH1_CALL)
GA_MATH2(GA_MATH2_CALL)
#elif GA_DEVICE && GA_USE_MATH
#define GA_MATH1_CUDA32(name, c, ulp, fix) \
  GA_FN ga_float ga_m_##name##_float32(ga_float a) { return c##f(a); }
#define GA_MATH1_CUDA64(name, c, ulp, fix) \
  GA_FN ga_double ga_m_##name##_float64(ga_double a) { return c(a); }
/* CUDA has its long way from the same angle on, and so none but here: once. */
#if GA_USE_REDUCE
#define GA_TURN_CUDA32(name, c, ulp, fix)                                               \
  GA_FN_LONG ga_float ga_far_##name##_float32(ga_float a) { return c##f(a); }           \
  GA_FN ga_float ga_m_##name##_float32(ga_float a) {                                    \
    return fabsf(a) >= 105615.0f ? ga_far_##name##_float32(a) : c##f(a);                \
  }
#else
#define GA_TURN_CUDA32 GA_MATH1_CUDA32
#endif
#define GA_MATH2_CUDA32(name, c, ulp, fix) \
  GA_FN ga_float ga_m_##name##_float32(ga_float a, ga_float b) { return c##f(a, b); }
#define GA_MATH2_CUDA64(name, c, ulp, fix) \
  GA_FN ga_double ga_m_##name##_float64(ga_double a, ga_double b) { return c(a, b); }
#if GA_USE_float32
GA_MATH1_TURN(GA_MATH1_CUDA32, GA_TURN_CUDA32)
GA_MATH2(GA_MATH2_CUDA32)
#endif
#if GA_USE_float64
GA_MATH1(GA_MATH1_CUDA64)
GA_MATH2(GA_MATH2_CUDA64)
#endif
#endif

#endif
