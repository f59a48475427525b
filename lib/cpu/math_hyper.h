/* SPDX-License-Identifier: MIT */
/* expm1, the hyperbolic functions of float32 and their inverses, computed as those of
 * math_near.h. */
#ifndef GA_CPU_MATH_HYPER_H
#define GA_CPU_MATH_HYPER_H

/* x = n ln2 + r + c */
typedef struct ga_near_power {
  ga_float k, n, r, c;
} ga_near_power;
GA_FN ga_near_power ga_near_power_of(ga_float x)
{
  ga_near_power v;
  v.k = GA_NEAR_FMA(x, 0x1.715476p+0f, 0x1.8p23f);
  v.n = v.k - 0x1.8p23f;
  ga_float h = GA_NEAR_FMA(v.n, -0x1.62e4p-1f, x), l = v.n * -0x1.7f7d1cp-20f;
  v.r = h + l;
  v.c = (h - v.r) + l;
  return v;
}
/* 2^n - 1 + 2^n (e^r - 1): half of it, as there is no 2^128. */
GA_FN int ga_wide_edge_expm1(ga_float x) { return x != x; }
GA_WIDE_FN ga_float ga_wide_expm1(ga_float x)
{
  ga_near_power v = ga_near_power_of(ga_wide_clamp(x, 89));
  ga_float w = v.r * v.r, p = 0x1.6d112cp-10f;
  p = GA_NEAR_FMA(p, v.r, 0x1.120b90p-7f);
  p = GA_NEAR_FMA(p, v.r, 0x1.55551ap-5f);
  p = GA_NEAR_FMA(p, v.r, 0x1.5554dcp-3f);
  p = GA_NEAR_FMA(p, v.r, 0.5f);
  p = GA_NEAR_FMA(p, w, v.c);
  ga_int n = (ga_int)(ga_wide_bits32(v.k) - 0x4b400000u);
  ga_float s = ga_wide_number32((ga_uint)((n < -100 ? -100 : n) + 126) << 23);
  ga_float r = 2 * ga_near_sum(s - 0.5f, s * v.r, s * p);
  return __builtin_fabsf(x) < 0x1p-26f ? x : r;
}
/* e^|x| = 4 up (1 + c + t), e^-|x| = 4 down (1 + c - t), c and t being the even and the odd part of
 * e^r - 1; a quarter, as e^|x| may be too large where the result is not. */
typedef struct ga_near_hyper {
  ga_float up, down, plus, minus;
} ga_near_hyper;
GA_FN ga_near_hyper ga_near_hyper_of(ga_float x)
{
  ga_near_power v = ga_near_power_of(__builtin_fabsf(ga_wide_clamp(x, 89.6f)));
  ga_float w = v.r * v.r, c = 0x1.6d438cp-10f, t = 0x1.a1254ep-13f;
  ga_uint n = ga_wide_bits32(v.k) & 0xff, most = n < 60 ? n : 60;
  c = GA_NEAR_FMA(c, w, 0x1.5554e8p-5f);
  c = GA_NEAR_FMA(c, w, 0.5f);
  c = GA_NEAR_FMA(c, w, v.r * v.c);
  t = GA_NEAR_FMA(t, w, 0x1.1110e0p-7f);
  t = GA_NEAR_FMA(t, w, 0x1.555556p-3f);
  t = GA_NEAR_FMA(t * w, v.r, v.c);
  ga_near_hyper h = {ga_wide_number32((n + 125) << 23), ga_wide_number32((125 - most) << 23),
                     v.r + (t + c), (c - t) - v.r};
  return h;
}
GA_FN int ga_wide_edge_sinh(ga_float x) { return x != x; }
GA_WIDE_FN ga_float ga_wide_sinh(ga_float x)
{
  ga_near_hyper h = ga_near_hyper_of(x);
  ga_float a = __builtin_fabsf(ga_wide_clamp(x, 2)), w = a * a, s = 0x1.78a70ep-19f, r;
  s = GA_NEAR_FMA(s, w, 0x1.a00900p-13f);
  s = GA_NEAR_FMA(s, w, 0x1.11111ep-7f);
  s = GA_NEAR_FMA(s, w, 0x1.555556p-3f);
  s = GA_NEAR_FMA(a * w, s, a);
  r = 2 * ((h.up - h.down) + GA_NEAR_FMA(h.up, h.plus, -h.down * h.minus));
  return __builtin_copysignf(a < 1 ? s : r, x);
}
GA_FN int ga_wide_edge_cosh(ga_float x) { return x != x; }
GA_WIDE_FN ga_float ga_wide_cosh(ga_float x)
{
  ga_near_hyper h = ga_near_hyper_of(x);
  return 2 * (h.up + GA_NEAR_FMA(h.up, h.plus, GA_NEAR_FMA(h.down, h.minus, h.down)));
}

/* 1 - 2 / (e^2|x| + 1), for small |x| a polynomial. */
GA_FN int ga_wide_edge_tanh(ga_float x) { return x != x; }
GA_WIDE_FN ga_float ga_wide_tanh(ga_float x)
{
  ga_float a = __builtin_fabsf(ga_wide_clamp(x, 10)), w = a * a;
  ga_float k = GA_NEAR_FMA(a, 0x1.715476p+1f, 0x1.8p23f), n = k - 0x1.8p23f;
  ga_float r = GA_NEAR_FMA(a, 0x1.4ae0c0p-25f, GA_NEAR_FMA(a, 0x1.715476p+1f, -n));
  ga_float e = 0x1.444p-13f, s = 0x1.0b3ea8p-9f;
  e = GA_NEAR_FMA(e, r, 0x1.5f48c0p-10f);
  e = GA_NEAR_FMA(e, r, 0x1.3b2a1cp-7f);
  e = GA_NEAR_FMA(e, r, 0x1.c6aeccp-5f);
  e = GA_NEAR_FMA(e, r, 0x1.ebfbe0p-3f);
  e = GA_NEAR_FMA(e, r, 0x1.62e430p-1f);
  e = GA_NEAR_FMA(e, r, 1.0f);
  e = GA_NEAR_FMA(e, ga_wide_number32((ga_wide_bits32(k) + 127) << 23), 1.0f);
  s = GA_NEAR_FMA(s, w, -0x1.091136p-7f);
  s = GA_NEAR_FMA(s, w, 0x1.63347ap-6f);
  s = GA_NEAR_FMA(s, w, -0x1.b9ee70p-5f);
  s = GA_NEAR_FMA(s, w, 0x1.111096p-3f);
  s = GA_NEAR_FMA(s, w, -0x1.555554p-2f);
  s = GA_NEAR_FMA(a * w, s, a);
  return __builtin_copysignf(a < 0.7f ? s : 1 - 2 / e, x);
}

/* log(1 + 2a / (1 - a)) / 2: y and what it leaves, c. */
GA_FN int ga_wide_edge_arctanh(ga_float x) { return !(__builtin_fabsf(x) < 1); }
GA_WIDE_FN ga_float ga_wide_arctanh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), b = 1 - a, e = (1 - b) - a, i = 1 / b, t = a + a, y = t * i;
  ga_float c = GA_NEAR_FMA(-y, b, GA_NEAR_FMA(-y, e, t)) * i;
  ga_float r = 0.5f * ga_near_log1p(y, c);
  return __builtin_copysignf(a < 0x1p-12f ? a : r, x);
}
/* log(1 + a + a^2 / (1 + sqrt(1 + a^2))) */
GA_FN int ga_wide_edge_arcsinh(ga_float x) { return !(__builtin_fabsf(x) < 1e18f); }
GA_WIDE_FN ga_float ga_wide_arcsinh(ga_float x)
{
  ga_float a = __builtin_fabsf(x), w = a * a, q = w / (1 + __builtin_sqrtf(1 + w)), y = a + q;
  ga_float r = ga_near_log1p(y, q - (y - a));
  return __builtin_copysignf(a < 0x1p-12f ? a : r, x);
}
/* log(1 + t + sqrt(t^2 + 2t)), t = x - 1; of x < 1, which would meet subnormal numbers, another.
 * What the root s rounds off is (w - s^2) / 2s, for which half an inverse by the bits will do. */
GA_FN int ga_wide_edge_arccosh(ga_float x) { return !(x < 1e18f); }
GA_WIDE_FN ga_float ga_wide_arccosh(ga_float x)
{
  ga_float a = x < 1 ? 1 : x, t = a - 1, w = GA_NEAR_FMA(t, t, 2 * t), s = __builtin_sqrtf(w);
  ga_float big = s > t ? s : t, small = s > t ? t : s, y = s + t;
  ga_float off = GA_NEAR_FMA(-s, s, w) * ga_wide_number32(0x7e7311c3u - ga_wide_bits32(s));
  ga_float r = ga_near_log1p(y, (small - (y - big)) + off);
  return x < 1 ? GA_NAN_float32 : r;
}

#endif
