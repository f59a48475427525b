/* SPDX-License-Identifier: MIT */
/* Complex operations by written formulas, the same bits on every device. Each
 * operation below is one rounding in the part type, never contracted.
 *
 *   a * b        (ar br - ai bi, ar bi + ai br); square the same
 *   a / b        Smith's: with |br| >= |bi|, t = bi/br, s = 1/(br + bi t):
 *                ((ar + ai t) s, (ai - ar t) s); with |br| < |bi| the same with
 *                the parts of b exchanged; b = 0: (ar/|br|, ai/|br|)
 *   1 / b        Smith's with numerator 1
 *   |a|          hypot: float64 squares for complex64; for complex128 scaled by
 *                a power of two, squares in two parts, one Newton step
 *   sqrt(a)      t = sqrt((|re| + |a|) / 2) and im / 2t, the larger first; for
 *                complex64 in float64, for complex128 scaled by a power of four
 *   sign(a)      a / |a|
 *   a < b        by real parts, equal ones by imaginary parts; NaN is unordered
 *   min, max     of that order; a number with a NaN part wins, the first first
 *
 * + - * are NumPy's bits where NumPy does not contract; / and sign NumPy's. */
#ifndef GA_SCALAR_COMPLEX_CUH
#define GA_SCALAR_COMPLEX_CUH

#include "scalar_cast.cuh"
#include "scalar_hypot.cuh"

GA_FN ga_cfloat ga_pack_complex64(ga_float re, ga_float im) {
  ga_cfloat r;
  r.re = re;
  r.im = im;
  return r;
}
GA_FN ga_cdouble ga_pack_complex128(ga_double re, ga_double im) {
  ga_cdouble r;
  r.re = re;
  r.im = im;
  return r;
}

/* dtype T of type C, its part dtype P of type R, suffix s of R's C functions */
#define GA_COMPLEX(T, C, P, R, s)                                                         \
  GA_FN C ga_add_##T(C a, C b) { return ga_pack_##T(a.re + b.re, a.im + b.im); }          \
  GA_FN C ga_subtract_##T(C a, C b) { return ga_pack_##T(a.re - b.re, a.im - b.im); }     \
  GA_FN C ga_multiply_##T(C a, C b) {                                                     \
    return ga_pack_##T(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);             \
  }                                                                                       \
  GA_FN C ga_square_##T(C a) {                                                            \
    return ga_pack_##T(a.re * a.re - a.im * a.im, a.re * a.im + a.im * a.re);             \
  }                                                                                       \
  GA_FN C ga_divide_##T(C a, C b) {                                                       \
    R x = GA_C(fabs##s)(b.re), y = GA_C(fabs##s)(b.im), t, d, ut;                         \
    ga_bool first = x >= y;                                                               \
    R p = first ? b.re : b.im, q = first ? b.im : b.re;                                   \
    R u = first ? a.re : a.im, v = first ? a.im : a.re;                                   \
    if (x == 0 && y == 0) return ga_pack_##T(a.re * GA_INF_##P, a.im * GA_INF_##P);       \
    t = q / p;                                                                            \
    d = (R)1 / (p + q * t);                                                               \
    ut = u * t;                                                                           \
    return ga_pack_##T((u + v * t) * d, (first ? v - ut : ut - v) * d);                   \
  }                                                                                       \
  GA_FN C ga_negative_##T(C a) { return ga_pack_##T(-a.re, -a.im); }

/* What kernels of sums, products and quotients alone do not have: twice 30 functions, and all that
 * they stand on, are 8 ms of NVRTC. */
#if GA_USE_MORE
#define GA_COMPLEX_MORE(T, C, P, R, s)                                                    \
  GA_FN C ga_reciprocal_##T(C a) {                                                        \
    ga_bool first = GA_C(fabs##s)(a.im) <= GA_C(fabs##s)(a.re);                           \
    R p = first ? a.re : a.im, q = first ? a.im : a.re, t = q / p, d = p + q * t;         \
    return ga_pack_##T((first ? (R)1 : t) / d, (first ? -t : (R)-1) / d);                 \
  }                                                                                       \
  GA_FN C ga_positive_##T(C a) { return a; }                                              \
  GA_FN C ga_conjugate_##T(C a) { return ga_pack_##T(a.re, -a.im); }                      \
  GA_FN R ga_real_##T(C a) { return a.re; }                                               \
  GA_FN R ga_imag_##T(C a) { return a.im; }                                               \
  GA_FN R ga_absolute_##T(C a) { return ga_hypot_##P(a.re, a.im); }                       \
  GA_FN C ga_rint_##T(C a) {                                                              \
    return ga_pack_##T(GA_C(rint##s)(a.re), GA_C(rint##s)(a.im));                         \
  }                                                                                       \
  GA_FN C ga_sign_##T(C a) {                                                              \
    R m = ga_hypot_##P(a.re, a.im);                                                       \
    ga_bool x = ga_isinf_##P(a.re), y = ga_isinf_##P(a.im);                               \
    if (m != m || (x && y)) return ga_pack_##T(GA_NAN_##P, GA_NAN_##P);                   \
    if (x || y) return ga_pack_##T(x ? ga_sign_##P(a.re) : 0, y ? ga_sign_##P(a.im) : 0); \
    return m == 0 ? ga_pack_##T(0, 0) : ga_pack_##T(a.re / m, a.im / m);                  \
  }                                                                                       \
  GA_FN ga_bool ga_isnan_##T(C a) { return (a.re != a.re) | (a.im != a.im); }             \
  GA_FN ga_bool ga_isinf_##T(C a) { return ga_isinf_##P(a.re) | ga_isinf_##P(a.im); }     \
  GA_FN ga_bool ga_isfinite_##T(C a) {                                                    \
    return ga_isfinite_##P(a.re) & ga_isfinite_##P(a.im);                                 \
  }                                                                                       \
  GA_FN C ga_where_##T(ga_bool c, C a, C b) {                                             \
    return ga_pack_##T(c ? a.re : b.re, c ? a.im : b.im);                                 \
  }                                                                                       \
  GA_FN ga_bool ga_equal_##T(C a, C b) { return (a.re == b.re) & (a.im == b.im); }        \
  GA_FN ga_bool ga_not_equal_##T(C a, C b) { return (a.re != b.re) | (a.im != b.im); }    \
  GA_FN ga_bool ga_less_##T(C a, C b) {                                                   \
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) |                            \
           ((a.re == b.re) & (a.im < b.im));                                              \
  }                                                                                       \
  GA_FN ga_bool ga_less_equal_##T(C a, C b) {                                             \
    return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) |                            \
           ((a.re == b.re) & (a.im <= b.im));                                             \
  }                                                                                       \
  GA_FN ga_bool ga_greater_##T(C a, C b) { return ga_less_##T(b, a); }                    \
  GA_FN ga_bool ga_greater_equal_##T(C a, C b) { return ga_less_equal_##T(b, a); }        \
  GA_FN C ga_minimum_##T(C a, C b) {                                                      \
    return ga_where_##T(ga_isnan_##T(a) | ga_less_equal_##T(a, b), a, b);                 \
  }                                                                                       \
  GA_FN C ga_maximum_##T(C a, C b) {                                                      \
    return ga_where_##T(ga_isnan_##T(a) | ga_less_equal_##T(b, a), a, b);                 \
  }                                                                                       \
  GA_FN C ga_fmin_##T(C a, C b) {                                                         \
    return ga_where_##T(ga_isnan_##T(b) | ga_less_equal_##T(a, b), a, b);                 \
  }                                                                                       \
  GA_FN C ga_fmax_##T(C a, C b) {                                                         \
    return ga_where_##T(ga_isnan_##T(b) | ga_less_equal_##T(b, a), a, b);                 \
  }
#else
#define GA_COMPLEX_MORE(T, C, P, R, s)
#endif

#if GA_USE_complex64
GA_COMPLEX(complex64, ga_cfloat, float32, ga_float, f)
GA_COMPLEX_MORE(complex64, ga_cfloat, float32, ga_float, f)
#endif
#if GA_USE_complex128
GA_COMPLEX(complex128, ga_cdouble, float64, ga_double, )
GA_COMPLEX_MORE(complex128, ga_cdouble, float64, ga_double, )
#endif

#if GA_USE_complex128 && GA_USE_MORE
/* The root of finite re + i im, not both 0, in float64 where nothing overflows;
 * C99's values elsewhere. */
GA_FN ga_cdouble ga_sqrt_complex128(ga_cdouble a) {
  ga_double x = GA_C(fabs)(a.re), y = GA_C(fabs)(a.im), m = x > y ? x : y, up = 1, down = 1, t, u;
  if (ga_isinf_float64(a.im)) return ga_pack_complex128(GA_INF_float64, a.im);
  if (a.re != a.re) return ga_pack_complex128(a.re, a.re);
  if (ga_isinf_float64(a.re)) {
    if (a.re > 0) return ga_pack_complex128(a.re, y == y ? GA_C(copysign)(0.0, a.im) : a.im);
    return ga_pack_complex128(y == y ? 0.0 : a.im, y == y ? GA_C(copysign)(x, a.im) : x);
  }
  if (a.im != a.im) return ga_pack_complex128(a.im, a.im);
  if (m == 0) return ga_pack_complex128(0, a.im);
  if (m > 0x1p1000) up = 0x1p-4, down = 0x1p2;
  if (m < 0x1p-900) up = 0x1p200, down = 0x1p-100;
  x *= up;
  y *= up;
  t = GA_C(sqrt)((x + ga_hypot_float64(x, y)) * 0.5);
  u = y / (2 * t) * down;
  t *= down;
  return a.re >= 0 ? ga_pack_complex128(t, GA_C(copysign)(u, a.im))
                   : ga_pack_complex128(u, GA_C(copysign)(t, a.im));
}
#if GA_USE_complex64
GA_FN ga_cfloat ga_sqrt_complex64(ga_cfloat a) {
  return ga_cast_complex128_complex64(ga_sqrt_complex128(ga_cast_complex64_complex128(a)));
}
#endif
#endif

#endif
