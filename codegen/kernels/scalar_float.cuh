/* SPDX-License-Identifier: MIT */
/* The exact operations of float32 and float64: the same bits on every device,
 * and NumPy's. Compile without contraction (-ffp-contract=off, --fmad=false).
 *
 * // and % are Python's as NumPy computes them (npy_divmod): the remainder has
 * the divisor's sign, zeros are signed, x // 0 is x / 0 and x % 0 is NaN.
 * minimum and maximum give NaN when either is NaN, fmin and fmax when both are;
 * all four take -0 < +0. sign(-0) is +0.
 *
 * GA_REAL(T, C, s, U, ...): dtype T, C type C, suffix s of C's functions, U the
 * unsigned type of the same width. GA_REAL_MORE: what use.cuh tells apart. */
#ifndef GA_SCALAR_FLOAT_CUH
#define GA_SCALAR_FLOAT_CUH

#include "scalar_int.cuh"

/* Equal numbers have equal bits but for the sign of zero. */
#define GA_EXTREMES(T, C)                                                                  \
  GA_FN C ga_minimum_##T(C a, C b) {                                                       \
    C r = a < b ? a : b;                                                                   \
    r = a == b ? ga_frombits_##T(ga_bits_##T(a) | ga_bits_##T(b)) : r;                     \
    return a != a ? a : r;                                                                 \
  }                                                                                        \
  GA_FN C ga_maximum_##T(C a, C b) {                                                       \
    C r = a > b ? a : b;                                                                   \
    r = a == b ? ga_frombits_##T(ga_bits_##T(a) & ga_bits_##T(b)) : r;                     \
    return a != a ? a : r;                                                                 \
  }

#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
#define GA_HAS_EXTREMES (__CUDA_ARCH__ >= 800) /* in one instruction, NaN and -0 included */
#define GA_HAS_HALF     (__CUDA_ARCH__ >= 530) /* + - * of float16 */
#define GA_HAS_BFLOAT   (__CUDA_ARCH__ >= 900) /* + - of bfloat16 */
#else
#define GA_HAS_EXTREMES 0
#define GA_HAS_HALF     0
#define GA_HAS_BFLOAT   0
#endif

#if GA_USE_MORE
#define GA_REAL_MORE(T, C, s, U, SIGN, PI_)                                        \
  GA_FN C ga_reciprocal_##T(C a) { return (C)1 / a; }                              \
  GA_FN C ga_positive_##T(C a) { return a; }                                       \
  GA_FN C ga_fabs_##T(C a) { return GA_C(fabs##s)(a); }                            \
  GA_FN C ga_copysign_##T(C a, C b) { return GA_C(copysign##s)(a, b); }            \
  GA_FN C ga_floor_##T(C a) { return GA_C(floor##s)(a); }                          \
  GA_FN C ga_ceil_##T(C a) { return GA_C(ceil##s)(a); }                            \
  GA_FN C ga_trunc_##T(C a) { return GA_C(trunc##s)(a); }                          \
  GA_FN C ga_rint_##T(C a) { return GA_C(rint##s)(a); }                            \
  GA_FN C ga_deg2rad_##T(C a) { return a * (PI_ / (C)180); }                       \
  GA_FN C ga_rad2deg_##T(C a) { return a * ((C)180 / PI_); }                       \
  GA_FN ga_bool ga_isnan_##T(C a) { return a != a; }                               \
  GA_FN ga_bool ga_isinf_##T(C a) { return GA_C(fabs##s)(a) == GA_INF_##T; }       \
  GA_FN ga_bool ga_isfinite_##T(C a) { return GA_C(fabs##s)(a) < GA_INF_##T; }     \
  GA_FN ga_bool ga_signbit_##T(C a) { return (ga_bits_##T(a) & SIGN) != 0; }       \
  GA_FN C ga_sign_##T(C a) {                                                       \
    return a > 0 ? (C)1 : a < 0 ? (C)-1 : a == 0 ? (C)0 : a;                       \
  }                                                                                \
  GA_FN C ga_heaviside_##T(C a, C b) {                                             \
    return a > 0 ? (C)1 : a < 0 ? (C)0 : a == 0 ? b : a;                           \
  }                                                                                \
  GA_FN C ga_fmin_##T(C a, C b) {                                                  \
    C r = a < b ? a : b;                                                           \
    r = a == b ? ga_frombits_##T(ga_bits_##T(a) | ga_bits_##T(b)) : r;             \
    return b != b ? a : r;                                                         \
  }                                                                                \
  GA_FN C ga_fmax_##T(C a, C b) {                                                  \
    C r = a > b ? a : b;                                                           \
    r = a == b ? ga_frombits_##T(ga_bits_##T(a) & ga_bits_##T(b)) : r;             \
    return b != b ? a : r;                                                         \
  }                                                                                \
  GA_FN C ga_fmod_##T(C a, C b) { return GA_C(fmod##s)(a, b); }                    \
  /* C's remainder of b != 0, moved to the divisor's sign; a zero takes it too. */ \
  GA_FN C ga_pymod_##T(C b, C m) {                                                 \
    return m == 0 ? GA_C(copysign##s)((C)0, b) : (b < 0) != (m < 0) ? m + b : m;   \
  }                                                                                \
  GA_FN C ga_remainder_##T(C a, C b) {                                             \
    C m = GA_C(fmod##s)(a, b);                                                     \
    return b == 0 ? m : ga_pymod_##T(b, m);                                        \
  }                                                                                \
  /* (a - m) / b is all but an integer: it is snapped to the nearest. */           \
  /* The quotient that goes with C's remainder m. */                               \
  GA_FN C ga_quotient_##T(C a, C b, C m) {                                         \
    C q = (a - m) / b, f;                                                          \
    q = m != 0 && (b < 0) != (m < 0) ? q - 1 : q;                                  \
    f = GA_C(floor##s)(q);                                                         \
    f = q - f > (C)0.5 ? f + 1 : f;                                                \
    f = q == 0 ? GA_C(copysign##s)((C)0, a / b) : f;                               \
    return f;                                                                      \
  }                                                                                \
  GA_FN C ga_floor_divide_##T(C a, C b) {                                          \
    return b == 0 ? a / b : ga_quotient_##T(a, b, GA_C(fmod##s)(a, b));            \
  }                                                                                \
  /* One step of the bits, which count away from zero on both sides of it. */      \
  GA_FN C ga_nextafter_##T(C a, C b) {                                             \
    U u = ga_bits_##T(a);                                                          \
    if (a != a || b != b) return a + b;                                            \
    if (a == b) return b;                                                          \
    if (a == 0) return ga_frombits_##T((ga_bits_##T(b) & SIGN) | 1);               \
    return ga_frombits_##T((a < b) == (a > 0) ? u + 1 : u - 1);                    \
  }
#else
#define GA_REAL_MORE(T, C, s, U, SIGN, PI_)
#endif

#define GA_REAL(T, C, s, U, SIGN, PI_)                      \
  GA_FN C ga_add_##T(C a, C b) { return a + b; }            \
  GA_FN C ga_subtract_##T(C a, C b) { return a - b; }       \
  GA_FN C ga_multiply_##T(C a, C b) { return a * b; }       \
  GA_FN C ga_divide_##T(C a, C b) { return a / b; }         \
  GA_FN C ga_square_##T(C a) { return a * a; }              \
  GA_FN C ga_negative_##T(C a) { return -a; }               \
  GA_FN C ga_absolute_##T(C a) { return GA_C(fabs##s)(a); } \
  GA_FN C ga_sqrt_##T(C a) { return GA_C(sqrt##s)(a); }     \
  GA_ORDER(T, C)                                            \
  GA_REAL_MORE(T, C, s, U, SIGN, PI_)

#if GA_USE_float32 && GA_HAS_EXTREMES
GA_FN ga_float ga_minimum_float32(ga_float a, ga_float b) {
  ga_float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
GA_FN ga_float ga_maximum_float32(ga_float a, ga_float b) {
  ga_float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}
#elif GA_USE_float32
GA_EXTREMES(float32, ga_float)
#endif
#if GA_USE_float64
GA_EXTREMES(float64, ga_double)
#endif

#if GA_USE_float32
GA_REAL(float32, ga_float, f, ga_uint, 0x80000000u, 3.14159265358979323846f)
#endif
#if GA_USE_float64
GA_REAL(float64, ga_double, , ga_ulong, 0x8000000000000000ull, 3.14159265358979323846)
#endif

/* a / b where many a have the same b, as of 16-bit floats (scalar_half.cuh). Of 24 digits two in
 * 48, by products of float64 without a branch, where a device has half as many of these a clock
 * as of float32, and threads have some elements of a row (GA_LONG_ROWS); the quotient is never as
 * near to a tie as they err, and ties, which only subnormal ones are, come out exactly. */
#if GA_USE_DIVISOR && GA_USE_float32
#if !defined(__CUDA_ARCH__) || defined(__GPUARRAY_CPU__)
#define GA_HAS_DOUBLE 1
#elif defined(GA_LONG_ROWS)
#define GA_HAS_DOUBLE \
  (__CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#else
#define GA_HAS_DOUBLE 0
#endif
#if GA_HAS_DOUBLE
struct ga_long_divisor {
  ga_double high, low;
};
GA_FN struct ga_long_divisor ga_divisor_float32(ga_float b) {
  const ga_double y = b;
  struct ga_long_divisor d;
  ga_double rest;
  d.high = 1.0 / y;
  rest = GA_C(fma)(-y, d.high, 1.0);
  if (rest < 0) {
    d.high = ga_frombits_float64(ga_bits_float64(d.high) - 1);
    rest = GA_C(fma)(-y, d.high, 1.0);
  }
  d.low = d.high * (rest > 0 ? rest : 0x1p-60);
  return d;
}
GA_FN ga_float ga_divide_by_float32(ga_float a, struct ga_long_divisor d) {
  const ga_double x = a;
  return (ga_float)GA_C(fma)(x, d.high, x * d.low);
}
#else
struct ga_long_divisor {
  ga_float b;
};
GA_FN struct ga_long_divisor ga_divisor_float32(ga_float b) {
  struct ga_long_divisor d;
  d.b = b;
  return d;
}
GA_FN ga_float ga_divide_by_float32(ga_float a, struct ga_long_divisor d) { return a / d.b; }
#endif
#endif

#endif
