/* SPDX-License-Identifier: MIT */
/* expm1, the hyperbolic functions of float32 and their inverses, computed as those of
 * math_near.h. */
#ifndef GA_CPU_MATH_HYPER_H
#define GA_CPU_MATH_HYPER_H

/* 2 (2^(n-1) - 1/2 + 2^(n-1) (e^r - 1)), as there is no 2^128, for x = n ln2 + r + c. What the sum
 * loses is added. */
GA_NO_EDGE(wide, expm1, ga_float)
GA_WIDE_FN ga_float ga_wide_expm1(ga_float x)
{
  ga_float y = ga_near_between(x, -18, -18, 89);
  ga_float k = GA_NEAR_FMA(y, 0x1.715476p+0f, GA_NEAR_ROUND + 126), n = k - (GA_NEAR_ROUND + 126);
  ga_float h = GA_NEAR_FMA(n, -0x1.62e4p-1f, y), r = GA_NEAR_FMA(n, -0x1.7f7d1cp-20f, h);
  ga_float c = GA_NEAR_FMA(n, -0x1.7f7d1cp-20f, h - r), p = GA_NEAR_FMA(ga_near_tail(r), r * r, c);
  ga_float s = ga_wide_number32(ga_wide_bits32(k) << 23), a = s - 0.5f, b = GA_NEAR_FMA(s, r, a);
  b += GA_NEAR_FMA(s, p, GA_NEAR_FMA(s, r, a - b));
  return __builtin_fabsf(x) >= 0x1p-26f ? b + b : x;
}

/* e^a / 4, as e^a may be too large where cosh is not; 1/16 over it is e^-a / 4. */
GA_FN ga_float ga_near_quarter(ga_float a)
{
  ga_near_turns v = ga_near_turns_of(a, 125);
  ga_float s = ga_wide_number32(v.k << 23);
  return GA_NEAR_FMA(s * v.r, v.p, s);
}
/* a, or most where it is larger, for a with no sign; NaN becomes a number. */
GA_FN ga_float ga_near_most(ga_float a, ga_float most)
{
  ga_uint u = ga_wide_bits32(a), m = ga_wide_bits32(most);
  return ga_wide_number32(u < m ? u : m);
}
GA_NO_EDGE(wide, sinh, ga_float)
GA_WIDE_FN ga_float ga_wide_sinh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), w = a * a;
  ga_float s = 0x1.814d8ep-19f;
  ga_float q = ga_near_quarter(ga_near_most(a, 89.6f)), r = q - 0x1p-4f / q;
  s = GA_NEAR_FMA(s, w, 0x1.9fc2a8p-13f);
  s = GA_NEAR_FMA(s, w, 0x1.1111aep-7f);
  s = GA_NEAR_FMA(s, w, 0x1.555554p-3f);
  s = GA_NEAR_FMA(a * w, s, a);
  return __builtin_copysignf(a >= 1.5f ? r + r : s, x);
}
GA_NO_EDGE(wide, cosh, ga_float)
GA_WIDE_FN ga_float ga_wide_cosh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), q = ga_near_quarter(ga_near_most(a, 89.6f)), r = q + 0x1p-4f / q;
  return a >= 0 ? r + r : a;
}

/* 1 - 2 / (e^2|x| + 1), for small |x| a polynomial. */
GA_NO_EDGE(wide, tanh, ga_float)
GA_WIDE_FN ga_float ga_wide_tanh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), y = ga_near_most(a, 10), w = a * a, v = w * w;
  ga_float k = GA_NEAR_FMA(y, 0x1.715476p+1f, 0x1.8p23f), n = k - 0x1.8p23f;
  ga_float r = GA_NEAR_FMA(y, 0x1.4ae0c0p-25f, GA_NEAR_FMA(y, 0x1.715476p+1f, -n)), q = r * r;
  ga_float e = GA_NEAR_FMA(0x1.444p-13f, q, GA_NEAR_FMA(0x1.5f48c0p-10f, r, 0x1.3b2a1cp-7f));
  ga_float s = GA_NEAR_FMA(0x1.0b3ea8p-9f, w, -0x1.091136p-7f);
  e = GA_NEAR_FMA(e, q * q, ga_near_four(r, q, 1, 0x1.62e430p-1f, 0x1.ebfbe0p-3f, 0x1.c6aeccp-5f));
  e = GA_NEAR_FMA(e, ga_wide_number32((ga_wide_bits32(k) + 127) << 23), 1.0f);
  s = GA_NEAR_FMA(s, v, GA_NEAR_FMA(0x1.63347ap-6f, w, -0x1.b9ee70p-5f));
  s = GA_NEAR_FMA(s, v, GA_NEAR_FMA(0x1.111096p-3f, w, -0x1.555554p-2f));
  s = GA_NEAR_FMA(a * w, s, a);
  return __builtin_copysignf(a >= 0.7f ? 1 - 2 / e : s, x);
}

/* log(1 + 2a / (1 - a)) / 2: y and what it leaves, c. */
GA_NO_EDGE(wide, arctanh, ga_float)
GA_WIDE_FN ga_float ga_wide_arctanh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), b = 1 - a, e = (1 - b) - a, i = 1 / b, t = a + a, y = t * i;
  ga_float c = GA_NEAR_FMA(-y, b, GA_NEAR_FMA(-y, e, t)) * i;
  ga_float r = 0.5f * ga_near_log1p(y, c), none = a > 1 ? GA_NAN_float32 : i; /* 1: infinity */
  r = a < 1 ? r : none;
  return __builtin_copysignf(a < 0x1p-12f ? a : r, x);
}
/* log(1 + a + a^2 / (1 + sqrt(1 + a^2))) */
GA_FN int ga_wide_edge_arcsinh(ga_float x) { return __builtin_fabsf(x) >= 1e18f; }
GA_WIDE_FN ga_float ga_wide_arcsinh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), w = a * a, q = w / (1 + __builtin_sqrtf(1 + w)), y = a + q;
  ga_float r = ga_near_log1p(y, q - (y - a));
  return __builtin_copysignf(a < 0x1p-12f ? a : r, x);
}
/* log(1 + t + sqrt(t^2 + 2t)), t = x - 1; of x < 1, which would meet subnormal numbers, another.
 * What the root s rounds off is (w - s^2) / 2s, for which half an inverse by the bits will do. */
GA_FN int ga_wide_edge_arccosh(ga_float x) { return x >= 1e18f; }
GA_WIDE_FN ga_float ga_wide_arccosh(ga_float x)
{
  ga_float a = x < 1 ? 1 : x, t = a - 1, w = GA_NEAR_FMA(t, t, 2 * t), s = __builtin_sqrtf(w);
  ga_float y = s + t;
  ga_float off = GA_NEAR_FMA(-s, s, w) * ga_wide_number32(0x7e7311c3u - ga_wide_bits32(s));
  ga_float r = ga_near_log1p(y, (t - (y - s)) + off);
  return x < 1 ? GA_NAN_float32 : r;
}

#endif
