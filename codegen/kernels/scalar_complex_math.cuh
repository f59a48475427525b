/* SPDX-License-Identifier: MIT */
/* Transcendental operations of complex numbers, in terms of the real ones of
 * float64; complex64 is computed in complex128 and rounded. Special values are
 * C99's (annex G). The inverse functions follow W. Kahan, "Branch cuts for
 * complex elementary functions" (1987), so that signed zeros choose the side
 * of a cut. */
#ifndef GA_SCALAR_COMPLEX_MATH_CUH
#define GA_SCALAR_COMPLEX_MATH_CUH

#include "math.cuh"
#include "scalar_complex.cuh"

#if GA_USE_complex128 && GA_USE_MATH

#define GA_LN2 0.693147180559945309417
#define GA_PI 3.14159265358979323846

/* Functions that are their argument near 0, its least subnormals too, which some
 * devices round to 0: it counts beside an infinite factor. */
GA_FN ga_double ga_part_sin(ga_double x) {
  return GA_C(fabs)(x) < 0x1p-1000 ? x : ga_m_sin_float64(x);
}
GA_FN ga_double ga_part_tan(ga_double x) {
  return GA_C(fabs)(x) < 0x1p-1000 ? x : ga_m_tan_float64(x);
}

/* u e c + i v e s for e = exp(x), which alone might overflow: then it is h*h. u and
 * v come last, lest a half of the least subnormal be 0. */
GA_FN ga_cdouble ga_exp_times(ga_double x, ga_double c, ga_double s, ga_double u, ga_double v) {
  ga_double h = ga_m_exp_float64(x <= 709 ? x : x * 0.5), k = x <= 709 ? 1 : h;
  return ga_pack_complex128(h * c * (k * u), h * s * (k * v));
}
/* r (cos y + i sin y) for r = exp(x); zeros and infinities of r too */
GA_FN_MANY ga_cdouble ga_exp_turned(ga_double x, ga_double y) {
  if (y == 0) return ga_pack_complex128(ga_m_exp_float64(x), y);
  if (!ga_isfinite_float64(y)) {
    if (x == -GA_INF_float64)
      return ga_pack_complex128(0, y != y ? 0.0 : GA_C(copysign)(0.0, y));
    return ga_pack_complex128(x == GA_INF_float64 ? x : GA_NAN_float64, GA_NAN_float64);
  }
  return ga_exp_times(x, ga_m_cos_float64(y), ga_part_sin(y), 1, 1);
}
GA_FN ga_cdouble ga_exp_complex128(ga_cdouble a) { return ga_exp_turned(a.re, a.im); }

/* 2^re by exp2 where that is finite, so that whole powers are exact */
GA_FN_MANY ga_cdouble ga_exp2_complex128(ga_cdouble a) {
  ga_double y = a.im * GA_LN2, m;
  if (y == 0) return ga_pack_complex128(ga_m_exp2_float64(a.re), y);
  if (!ga_isfinite_float64(y) || !(a.re > -1020 && a.re < 1020))
    return ga_exp_turned(a.re * GA_LN2, y);
  m = ga_m_exp2_float64(a.re);
  return ga_pack_complex128(m * ga_m_cos_float64(y), m * ga_part_sin(y));
}
GA_FN_MANY ga_cdouble ga_expm1_complex128(ga_cdouble a) {
  ga_cdouble e;
  ga_double s;
  if (a.im == 0) return ga_pack_complex128(ga_m_expm1_float64(a.re), a.im);
  e = ga_exp_turned(a.re, a.im);
  if (!ga_isfinite_float64(a.im) || !(a.re < 40)) return ga_pack_complex128(e.re - 1, e.im);
  s = ga_m_sin_float64(a.im * 0.5);
  e.re = ga_m_expm1_float64(a.re) * ga_m_cos_float64(a.im) - 2 * s * s;
  return e;
}

/* log |re + i im|: near the unit circle from |z|^2 - 1 in two parts */
GA_FN_MANY ga_double ga_log_abs(ga_cdouble a) {
  ga_double x = GA_C(fabs)(a.re), y = GA_C(fabs)(a.im), t, xh, xl, yh, yl, k = 1, add = 0;
  if (x < y) t = x, x = y, y = t;
  if (x > 0.5 && x < 2 && y < 2) {
    ga_split_square(x, &xh, &xl);
    ga_split_square(y, &yh, &yl);
    return 0.5 * ga_m_log1p_float64(((xh - 1) + yh) + (xl + yl));
  }
  if (x > 0x1p1000 && x < GA_INF_float64) k = 0x1p-10, add = 10 * GA_LN2;
  if (x < 0x1p-1000 && x > 0) k = 0x1p60, add = -60 * GA_LN2;
  return ga_m_log_float64(ga_hypot_float64(x * k, y * k)) + add;
}
GA_FN ga_double ga_angle_complex128(ga_cdouble a) { return ga_m_arctan2_float64(a.im, a.re); }
GA_FN_MANY ga_cdouble ga_log_complex128(ga_cdouble a) {
  return ga_pack_complex128(ga_log_abs(a), ga_angle_complex128(a));
}
GA_FN ga_cdouble ga_log2_complex128(ga_cdouble a) {
  ga_cdouble r = ga_log_complex128(a);
  return ga_pack_complex128(r.re * 1.44269504088896340736, r.im * 1.44269504088896340736);
}
GA_FN ga_cdouble ga_log10_complex128(ga_cdouble a) {
  ga_cdouble r = ga_log_complex128(a);
  return ga_pack_complex128(r.re * 0.434294481903251827651, r.im * 0.434294481903251827651);
}
GA_FN_MANY ga_cdouble ga_log1p_complex128(ga_cdouble a) {
  ga_double x = a.re, y = a.im;
  ga_cdouble r = ga_log_complex128(ga_pack_complex128(1 + x, y));
  if (GA_C(fabs)(x) < 0.25 && GA_C(fabs)(y) < 0.25)
    r.re = 0.5 * ga_m_log1p_float64(2 * x + (x * x + y * y));
  return r;
}

/* ---- hyperbolic; the circular ones are these with the axes exchanged ---- */

/* Past |x| = 40, sinh and cosh are exp(|x|)/2 to the last bit. */
GA_FN_MANY ga_cdouble ga_sinh_complex128(ga_cdouble a) {
  ga_double x = a.re, y = a.im, s, c;
  if (y == 0) return ga_pack_complex128(ga_m_sinh_float64(x), y);
  if (!ga_isfinite_float64(y))
    return ga_pack_complex128(ga_isinf_float64(x) ? GA_INF_float64 : x == 0 ? x : GA_NAN_float64,
                              GA_NAN_float64);
  s = ga_part_sin(y);
  c = ga_m_cos_float64(y);
  if (x == 0) return ga_pack_complex128(GA_C(copysign)(1.0, c) * x, s);
  if (x > 40) return ga_exp_times(x, c, s, 0.5, 0.5);
  if (x < -40) return ga_exp_times(-x, c, s, -0.5, 0.5);
  return ga_pack_complex128(ga_m_sinh_float64(x) * c, ga_m_cosh_float64(x) * s);
}
GA_FN_MANY ga_cdouble ga_cosh_complex128(ga_cdouble a) {
  ga_double x = a.re, y = a.im, s, c;
  if (y == 0)
    return ga_pack_complex128(ga_m_cosh_float64(x), x != x ? y : GA_C(copysign)(1.0, x) * y);
  if (!ga_isfinite_float64(y)) {
    if (x == 0) return ga_pack_complex128(GA_NAN_float64, 0);
    return ga_pack_complex128(ga_isinf_float64(x) ? GA_INF_float64 : GA_NAN_float64,
                              GA_NAN_float64);
  }
  s = ga_part_sin(y);
  c = ga_m_cos_float64(y);
  if (x == 0) return ga_pack_complex128(c, GA_C(copysign)(1.0, s) * x);
  if (x > 40) return ga_exp_times(x, c, s, 0.5, 0.5);
  if (x < -40) return ga_exp_times(-x, c, s, 0.5, -0.5);
  return ga_pack_complex128(ga_m_cosh_float64(x) * c, ga_m_sinh_float64(x) * s);
}
GA_FN_MANY ga_cdouble ga_tanh_complex128(ga_cdouble a) {
  ga_double x = a.re, y = a.im, t, b, s, r, d;
  if (ga_isinf_float64(x)) {
    t = ga_isfinite_float64(y) ? ga_part_sin(y) * ga_m_cos_float64(y) : y;
    return ga_pack_complex128(GA_C(copysign)(1.0, x), GA_C(copysign)(0.0, t));
  }
  if (x != x) return ga_pack_complex128(x, y == 0 ? y : GA_NAN_float64);
  if (!ga_isfinite_float64(y))
    return ga_pack_complex128(x == 0 ? x : GA_NAN_float64, GA_NAN_float64);
  if (GA_C(fabs)(x) > 22) {
    d = ga_m_exp_float64(-GA_C(fabs)(x));
    return ga_pack_complex128(GA_C(copysign)(1.0, x),
                              4 * ga_part_sin(y) * ga_m_cos_float64(y) * d * d);
  }
  t = ga_part_tan(y);
  b = 1 + t * t;
  s = ga_m_sinh_float64(x);
  r = GA_C(sqrt)(1 + s * s);
  d = 1 + b * s * s;
  return ga_pack_complex128(b * r * s / d, t / d);
}
GA_FN ga_cdouble ga_swap_complex128(ga_cdouble a) { return ga_pack_complex128(a.im, a.re); }
GA_FN ga_cdouble ga_sin_complex128(ga_cdouble a) {
  return ga_swap_complex128(ga_sinh_complex128(ga_swap_complex128(a)));
}
GA_FN ga_cdouble ga_cos_complex128(ga_cdouble a) {
  return ga_cosh_complex128(ga_pack_complex128(-a.im, a.re));
}
GA_FN ga_cdouble ga_tan_complex128(ga_cdouble a) {
  return ga_swap_complex128(ga_tanh_complex128(ga_swap_complex128(a)));
}

/* ---- inverse ---- */

/* infinite or NaN: the angle is that of the infinite parts */
GA_FN ga_cdouble ga_arcsinh_edge(ga_double x, ga_double y) {
  if (ga_isinf_float64(x))
    return ga_pack_complex128(
        x, y != y ? y : GA_C(copysign)(ga_isinf_float64(y) ? GA_PI / 4 : 0.0, y));
  if (ga_isinf_float64(y))
    return ga_pack_complex128(GA_C(copysign)(GA_INF_float64, x),
                              x != x ? x : GA_C(copysign)(GA_PI / 2, y));
  return ga_pack_complex128(GA_NAN_float64, y == 0 ? y : GA_NAN_float64);
}
/* so large that arcsinh z is log 2z, and the products below might overflow */
GA_FN ga_bool ga_is_far(ga_cdouble z) {
  return (GA_C(fabs)(z.re) > 0x1p500) | (GA_C(fabs)(z.im) > 0x1p500);
}
GA_FN_LONG ga_cdouble ga_arcsinh_complex128(ga_cdouble z) {
  ga_cdouble a, b; /* sqrt(1 - iz'), sqrt(1 + iz') with z' = -iz: of arcsin(im, re) */
  ga_double x = z.im, y = z.re;
  if (!ga_isfinite_float64(x) || !ga_isfinite_float64(y)) return ga_arcsinh_edge(y, x);
  if (x == 0) return ga_pack_complex128(ga_m_arcsinh_float64(y), x);
  if (ga_is_far(z))
    return ga_pack_complex128(GA_C(copysign)(ga_log_abs(z) + GA_LN2, y),
                              ga_m_arctan2_float64(x, GA_C(fabs)(y)));
  a = ga_sqrt_complex128(ga_pack_complex128(1 - x, -y));
  b = ga_sqrt_complex128(ga_pack_complex128(1 + x, y));
  return ga_pack_complex128(ga_m_arcsinh_float64(a.re * b.im - a.im * b.re),
                            ga_m_arctan2_float64(x, a.re * b.re - a.im * b.im));
}
GA_FN ga_cdouble ga_arcsin_complex128(ga_cdouble a) {
  return ga_swap_complex128(ga_arcsinh_complex128(ga_swap_complex128(a)));
}
GA_FN ga_cdouble ga_arccos_edge(ga_double x, ga_double y) {
  ga_double far = -GA_C(copysign)(GA_INF_float64, y);
  if (ga_isinf_float64(x)) {
    if (y != y) return ga_pack_complex128(y, -GA_INF_float64);
    if (ga_isinf_float64(y)) return ga_pack_complex128(x > 0 ? GA_PI / 4 : 3 * GA_PI / 4, far);
    return ga_pack_complex128(x > 0 ? 0.0 : GA_PI, far);
  }
  if (ga_isinf_float64(y)) return ga_pack_complex128(x != x ? x : GA_PI / 2, far);
  return ga_pack_complex128(x == 0 ? GA_PI / 2 : GA_NAN_float64, GA_NAN_float64);
}
GA_FN_LONG ga_cdouble ga_arccos_complex128(ga_cdouble z) {
  ga_cdouble a, b;
  if (!ga_isfinite_float64(z.re) || !ga_isfinite_float64(z.im)) return ga_arccos_edge(z.re, z.im);
  if (ga_is_far(z))
    return ga_pack_complex128(ga_m_arctan2_float64(GA_C(fabs)(z.im), z.re),
                              -GA_C(copysign)(ga_log_abs(z) + GA_LN2, z.im));
  a = ga_sqrt_complex128(ga_pack_complex128(1 - z.re, -z.im));
  b = ga_sqrt_complex128(ga_pack_complex128(1 + z.re, z.im));
  return ga_pack_complex128(2 * ga_m_arctan2_float64(a.re, b.re),
                            ga_m_arcsinh_float64(b.re * a.im - b.im * a.re));
}
GA_FN ga_cdouble ga_arccosh_complex128(ga_cdouble z) {
  ga_cdouble w = ga_arccos_complex128(z);
  if (w.re != w.re) return ga_pack_complex128(GA_C(fabs)(w.im), w.re);
  if (w.im != w.im) return ga_pack_complex128(w.im, z.re == 0 ? GA_C(copysign)(w.re, z.im) : w.im);
  return ga_pack_complex128(GA_C(fabs)(w.im), GA_C(copysign)(w.re, z.im));
}
GA_FN_LONG ga_cdouble ga_arctanh_complex128(ga_cdouble z) {
  ga_double x = GA_C(fabs)(z.re), y = GA_C(fabs)(z.im), m = x > y ? x : y, re, im;
  if (z.im == 0 && x <= 1) return ga_pack_complex128(ga_m_arctanh_float64(z.re), z.im);
  if (z.re == 0) return ga_pack_complex128(z.re, ga_m_arctan_float64(z.im));
  if (ga_isinf_float64(x) || ga_isinf_float64(y))
    return ga_pack_complex128(GA_C(copysign)(0.0, z.re),
                              y != y ? y : GA_C(copysign)(GA_PI / 2, z.im));
  if (x != x || y != y) return ga_pack_complex128(GA_NAN_float64, GA_NAN_float64);
  if (m > 0x1p500) {
    re = (x / m) / ((x / m) * (x / m) + (y / m) * (y / m)) / m;
    im = GA_PI / 2;
  } else {
    re = x == 1 && y < 0x1p-500
             ? 0.5 * (GA_LN2 - ga_m_log_float64(y))
             : 0.25 * ga_m_log1p_float64(4 * x / ((1 - x) * (1 - x) + y * y));
    im = 0.5 * ga_m_arctan2_float64(2 * y, (1 - x) * (1 + x) - y * y);
  }
  return ga_pack_complex128(GA_C(copysign)(re, z.re), GA_C(copysign)(im, z.im));
}
GA_FN ga_cdouble ga_arctan_complex128(ga_cdouble a) {
  return ga_swap_complex128(ga_arctanh_complex128(ga_swap_complex128(a)));
}

/* ---- power ---- */

/* a^n by repeated squaring, as NumPy does for whole |n| < 100 */
GA_FN ga_cdouble ga_power_whole(ga_cdouble a, ga_int n) {
  ga_cdouble r = ga_pack_complex128(1, 0);
  ga_int k = n < 0 ? -n : n;
  if (n == 1) return a;
  if (n == 2 || n == 3) {
    r = ga_multiply_complex128(a, a);
    return n == 2 ? r : ga_multiply_complex128(a, r);
  }
  for (; k; k >>= 1) {
    if (k & 1) r = ga_multiply_complex128(r, a);
    if (k > 1) a = ga_multiply_complex128(a, a);
  }
  return n < 0 ? ga_divide_complex128(ga_pack_complex128(1, 0), r) : r;
}
/* 1 or -1 with the sign of an infinite x, 0 with that of another: what stands for
 * it in a product whose other factor is infinite */
GA_FN ga_double ga_box(ga_double x) {
  return GA_C(copysign)(ga_isinf_float64(x) ? 1.0 : 0.0, x);
}
GA_FN ga_cdouble ga_without_nan(ga_cdouble a) {
  return ga_pack_complex128(a.re == a.re ? a.re : GA_C(copysign)(0.0, a.re),
                            a.im == a.im ? a.im : GA_C(copysign)(0.0, a.im));
}
/* a b, where a product without a number is infinite if a factor or a term of it is
 * (C99, G.5.1) */
GA_FN ga_cdouble ga_multiply_far(ga_cdouble a, ga_cdouble b) {
  ga_cdouble r = ga_multiply_complex128(a, b);
  ga_bool x = ga_isinf_complex128(a), y = ga_isinf_complex128(b);
  if (r.re == r.re || r.im == r.im) return r;
  if (!x && !y && !ga_isinf_float64(a.re * b.re) && !ga_isinf_float64(a.im * b.im) &&
      !ga_isinf_float64(a.re * b.im) && !ga_isinf_float64(a.im * b.re))
    return r;
  if (x) a = ga_pack_complex128(ga_box(a.re), ga_box(a.im));
  if (y) b = ga_pack_complex128(ga_box(b.re), ga_box(b.im));
  r = ga_multiply_complex128(ga_without_nan(a), ga_without_nan(b));
  return ga_pack_complex128(GA_INF_float64 * r.re, GA_INF_float64 * r.im);
}
/* z^0 is 1; 0^w is 0 for Re w > 0, else NaN; else |z|^w e^(i w angle z), which is
 * exp(w log z): in those words where a part is infinite, NaN or too large */
GA_FN_LONG ga_cdouble ga_power_complex128(ga_cdouble a, ga_cdouble b) {
  ga_cdouble l;
  ga_double turn, m;
  if (b.re == 0 && b.im == 0) return ga_pack_complex128(1, 0);
  if (a.re == 0 && a.im == 0)
    return b.re > 0 ? ga_pack_complex128(0, 0) : ga_pack_complex128(GA_NAN_float64, GA_NAN_float64);
  if (b.im == 0 && GA_C(fabs)(b.re) < 100 && b.re == GA_C(rint)(b.re))
    return ga_power_whole(a, (ga_int)b.re);
  l = ga_log_complex128(a);
  turn = b.re * l.im + b.im * l.re;
  if (!ga_isfinite_float64(turn)) {
    l = ga_multiply_far(b, l);
    return ga_exp_turned(l.re, l.im);
  }
  m = ga_m_power_float64(ga_hypot_float64(a.re, a.im), b.re);
  if (b.im != 0) m *= ga_m_exp_float64(-b.im * l.im);
  if (b.im != 0 ? !(m > 1e-290 && m < 1e290) : m == GA_INF_float64)
    return ga_exp_turned(b.re * l.re - b.im * l.im, turn);
  if (turn == 0) return ga_pack_complex128(m, turn);
  return ga_pack_complex128(m * ga_m_cos_float64(turn), m * ga_part_sin(turn));
}
GA_FN ga_cdouble ga_float_power_complex128(ga_cdouble a, ga_cdouble b) {
  return ga_power_complex128(a, b);
}

/* ---- complex64 ---- */

#if GA_USE_complex64
#define GA_COMPLEX64(name)                                                              \
  GA_FN ga_cfloat ga_##name##_complex64(ga_cfloat a) {                                  \
    return ga_cast_complex128_complex64(                                                \
        ga_##name##_complex128(ga_cast_complex64_complex128(a)));                       \
  }
GA_COMPLEX64(exp)
GA_COMPLEX64(exp2)
GA_COMPLEX64(expm1)
GA_COMPLEX64(log)
GA_COMPLEX64(log2)
GA_COMPLEX64(log10)
GA_COMPLEX64(log1p)
GA_COMPLEX64(sin)
GA_COMPLEX64(cos)
GA_COMPLEX64(tan)
GA_COMPLEX64(arcsin)
GA_COMPLEX64(arccos)
GA_COMPLEX64(arctan)
GA_COMPLEX64(sinh)
GA_COMPLEX64(cosh)
GA_COMPLEX64(tanh)
GA_COMPLEX64(arcsinh)
GA_COMPLEX64(arccosh)
GA_COMPLEX64(arctanh)
GA_FN ga_float ga_angle_complex64(ga_cfloat a) { return ga_m_arctan2_float32(a.im, a.re); }
GA_FN ga_cfloat ga_power_complex64(ga_cfloat a, ga_cfloat b) {
  return ga_cast_complex128_complex64(
      ga_power_complex128(ga_cast_complex64_complex128(a), ga_cast_complex64_complex128(b)));
}
#endif

#endif

#endif
