/* SPDX-License-Identifier: MIT */
/* hypot by one written formula, the same bits on every device: what the absolute
 * value of a complex number is too. inf wins over NaN, as in C. */
#ifndef GA_SCALAR_HYPOT_CUH
#define GA_SCALAR_HYPOT_CUH

#include "scalar_float.cuh"

#if GA_USE_float32 && (GA_USE_MATH || GA_USE_complex64)
/* A product of two float32 is exact in float64 and a sum of two such squares
 * cannot overflow there. */
GA_FN ga_float ga_hypot_float32(ga_float a, ga_float b) {
  ga_double x = a, y = b;
  if (ga_isinf_float32(a) || ga_isinf_float32(b)) return GA_INF_float32;
  return (ga_float)GA_C(sqrt)(x * x + y * y);
}
#endif

#if GA_USE_float64 && (GA_USE_MATH || GA_USE_complex128)
/* x*x = *hi + *lo exactly (Dekker), for x far from overflow and underflow */
GA_FN void ga_split_square(ga_double x, ga_double *hi, ga_double *lo) {
  ga_double c = 134217729.0 * x, h = c - (c - x), l = x - h;
  *hi = x * x;
  *lo = ((h * h - *hi) + 2 * h * l) + l * l;
}

/* Scaled by a power of two; squares and their sum in two parts each; the root
 * corrected by one step of Newton. Within 0.51 ulp. */
GA_FN ga_double ga_hypot_float64(ga_double a, ga_double b) {
  ga_double x = GA_C(fabs)(a), y = GA_C(fabs)(b), up = 1, down = 1, t, xh, xl, yh, yl, s, e, r;
  if (ga_isinf_float64(a) || ga_isinf_float64(b)) return GA_INF_float64;
  if (x < y) t = x, x = y, y = t;
  if (x > 0x1p500) up = 0x1p-600, down = 0x1p600;
  if (x < 0x1p-400) up = 0x1p600, down = 0x1p-600;
  x *= up;
  y *= up;
  ga_split_square(x, &xh, &xl);
  ga_split_square(y, &yh, &yl);
  s = xh + yh;
  e = (xh - s) + yh + (xl + yl);
  r = GA_C(sqrt)(s);
  if (!(r > 0)) return r; /* 0 or NaN */
  ga_split_square(r, &xh, &xl);
  return (r + ((s - xh) - xl + e) / (2 * r)) * down;
}
#endif

#endif
