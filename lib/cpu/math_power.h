/* SPDX-License-Identifier: MIT */
/* exp, exp2, power and cbrt of float32, in the manner of math_near.h; power in float64, as pairs of
 * float32 take longer. ga_wide_<name>(x) is for the ordinary arguments, of which
 * ga_wide_far_<name>(x) has its highest bit clear; ga_wide_all_<name>(x) is for all, and the same
 * for those: a block of ordinary arguments needs no ends of the range. */
#ifndef GA_CPU_MATH_POWER_H
#define GA_CPU_MATH_POWER_H

#define GA_NEAR_ROUND 0x1.8p23f
#define GA_NEAR_LN2   0x1.62e430p-1f

/* x, or `none` < 0 where it is less than low < 0, high > 0 where more: bits of negative numbers,
 * taken without a sign, grow with the magnitude. NaN becomes a number. */
GA_FN ga_float ga_near_between(ga_float x, ga_float low, ga_float none, ga_float high)
{
  ga_uint u = ga_wide_bits32(x);
  ga_int v = (ga_int)(u < ga_wide_bits32(low) ? u : ga_wide_bits32(none));
  ga_int h = (ga_int)ga_wide_bits32(high);
  return ga_wide_number32((ga_uint)(v < h ? v : h));
}

/* (e^r - 1 - r) / r^2 */
GA_FN ga_float ga_near_tail(ga_float r)
{
  ga_float p = 0x1.6d111cp-10f;
  p = GA_NEAR_FMA(p, r, 0x1.120b80p-7f);
  p = GA_NEAR_FMA(p, r, 0x1.55551ap-5f);
  p = GA_NEAR_FMA(p, r, 0x1.5554dcp-3f);
  return GA_NEAR_FMA(p, r, 0.5f);
}
/* x = n ln2 + r, e^r = 1 + r p; n + bias is in the low bits of k. For s a power of two s + (s r) p
 * rounds once what is added. */
typedef struct ga_near_turns {
  ga_uint k;
  ga_float r, p;
} ga_near_turns;
GA_FN ga_near_turns ga_near_turns_of(ga_float x, ga_float bias)
{
  ga_float k = GA_NEAR_FMA(x, 0x1.715476p+0f, GA_NEAR_ROUND + bias);
  ga_float n = k - (GA_NEAR_ROUND + bias), r = GA_NEAR_FMA(n, -0x1.62e4p-1f, x);
  ga_near_turns v = {ga_wide_bits32(k), GA_NEAR_FMA(n, -0x1.7f7d1cp-20f, r), 0};
  v.p = GA_NEAR_FMA(ga_near_tail(v.r), v.r, 1.0f);
  return v;
}
/* s 2^r */
GA_FN ga_float ga_near_times_exp2(ga_float s, ga_float r)
{
  ga_float p = 0x1.4413a4p-13f;
  p = GA_NEAR_FMA(p, r, 0x1.5f08b8p-10f);
  p = GA_NEAR_FMA(p, r, 0x1.3b2a52p-7f);
  p = GA_NEAR_FMA(p, r, 0x1.c6af6cp-5f);
  p = GA_NEAR_FMA(p, r, 0x1.ebfbe0p-3f);
  p = GA_NEAR_FMA(p, r, 0x1.62e430p-1f);
  return GA_NEAR_FMA(s * r, p, s);
}
/* 2^n in two factors, for k with n + 254 in its low bits, so that subnormal results are rounded
 * by the product with the second, and 2^128 is none of them. Both are 0 where n is -254, which
 * stands for what is less than any number: products that underflow take processors long. */
GA_FN ga_float ga_near_half(ga_uint k) { return ga_wide_number32((k >> 1) << 23); }
GA_FN ga_float ga_near_rest_of(ga_uint k) { return ga_wide_number32((k - (k >> 1)) << 23); }

GA_FN ga_uint ga_wide_far_exp(ga_float x)
{
  return ga_wide_bits32(80) - ga_wide_bits32(__builtin_fabsf(x));
}
GA_WIDE_FN ga_float ga_wide_exp(ga_float x)
{
  ga_near_turns v = ga_near_turns_of(x, 127);
  ga_float s = ga_wide_number32(v.k << 23);
  return GA_NEAR_FMA(s * v.r, v.p, s);
}
GA_WIDE_FN ga_float ga_wide_all_exp(ga_float x)
{
  ga_near_turns v = ga_near_turns_of(ga_near_between(x, -105, -254 * GA_NEAR_LN2, 89), 254);
  ga_float s = ga_near_half(v.k), r = GA_NEAR_FMA(s * v.r, v.p, s) * ga_near_rest_of(v.k);
  return x == x ? r : x;
}
GA_FN ga_uint ga_wide_far_exp2(ga_float x)
{
  return ga_wide_bits32(126) - ga_wide_bits32(__builtin_fabsf(x));
}
GA_WIDE_FN ga_float ga_wide_exp2(ga_float x)
{
  ga_float k = x + (GA_NEAR_ROUND + 127);
  return ga_near_times_exp2(ga_wide_number32(ga_wide_bits32(k) << 23),
                            x - (k - (GA_NEAR_ROUND + 127)));
}
GA_WIDE_FN ga_float ga_wide_all_exp2(ga_float x)
{
  ga_float y = ga_near_between(x, -151, -254, 129), k = y + (GA_NEAR_ROUND + 255);
  ga_uint u = ga_wide_bits32(k) - 1;
  ga_float r = ga_near_times_exp2(ga_near_half(u), y - (k - (GA_NEAR_ROUND + 255)));
  return x == x ? r * ga_near_rest_of(u) : x;
}

/* The logarithm to base 2 of x 2^-shift, in float64 to 2^-33 of it: n + f Q(f), as
 * ga_near_root_of. */
GA_FN ga_double ga_near_log2_long(ga_float x, ga_int shift)
{
  ga_uint u = ga_wide_bits32(x);
  ga_int e = (ga_int)(u - 0x3f3504f3u) >> 23;
  ga_double f = (ga_double)ga_wide_number32(u - ((ga_uint)e << 23)) - 1;
  ga_long_powers fs = ga_long_powers_of(f);
  ga_double p = ga_long_four(fs, 0x1.45a4d2a6d2795p-3, -0x1.4181f7ac623a5p-3, 0x1.3d1bfc808dff4p-3,
                             -0x1.618eb4244fbbcp-4);
  p = ga_long_next(p, fs, 0x1.277733967fc59p-2, -0x1.ec8d721ed60b1p-3, 0x1.a6159cf3e3fbfp-3,
                   -0x1.6eb02638d38dcp-3);
  p = ga_long_next(p, fs, 0x1.71547652efe46p+0, -0x1.7154767ba79aep-1, 0x1.ec709bfe82beep-2,
                   -0x1.715435f37ae50p-2);
  return GA_WIDE_FMA(f, p, (ga_double)(e - shift));
}
/* 2^z, exact for whole z; what is less than any number is 0 before it is rounded, as that takes
 * processors long. */
GA_FN ga_float ga_near_exp2_long(ga_double z)
{
  z = ga_long_between(z, -151, -1023, 129);
  ga_double k = z + (GA_WIDE_ROUND + 1023), r = z - (k - (GA_WIDE_ROUND + 1023)), w = r * r;
  ga_double p = GA_WIDE_FMA(0x1.5f3e7973dac3bp-10, r, 0x1.3b2d4a792ab34p-7);
  p = GA_WIDE_FMA(0x1.41fd892ad3892p-13, w, p);
  p = GA_WIDE_FMA(p, w, GA_WIDE_FMA(0x1.c6aee826a3ad3p-5, r, 0x1.ebfbdc3f273f0p-3));
  p = GA_WIDE_FMA(p, w, GA_WIDE_FMA(0x1.62e430afa039ap-1, r, 1.0));
  return (ga_float)(p * ga_wide_number(ga_wide_bits(k) << 52));
}
GA_FN ga_uint ga_wide_far_power(ga_float x, ga_float y)
{
  return ga_near_far_positive(x) | (0x7f7fffffu - ga_wide_bits32(__builtin_fabsf(y)));
}
GA_WIDE_FN ga_float ga_wide_power(ga_float x, ga_float y)
{
  return ga_near_exp2_long(y * ga_near_log2_long(x, 0));
}
/* |x|^y, with x's sign where y is odd, and NaN where x < 0 and y is no integer; x^0 and 1^y are 1
 * even of NaN. */
GA_WIDE_FN ga_float ga_wide_all_power(ga_float x, ga_float y)
{
  ga_float a = __builtin_fabsf(x), half = 0.5f * y;
  int whole = __builtin_truncf(y) == y, odd = whole & (__builtin_truncf(half) != half);
  int one = (y == 0) | (x == 1) | ((a == 1) & (__builtin_fabsf(y) == GA_INF_float32));
  int small = a < 0x1p-126f;
  ga_double q = y * ga_near_log2_long(small ? a * 0x1p25f : a, small ? 25 : 0);
  q = a == 0 ? -y * GA_INF_float32 : q;
  q = a < GA_INF_float32 ? q : y * a;
  ga_float r = ga_near_exp2_long(q);
  r = q == q ? r : GA_NAN_float32;
  r = ((x < 0) & (a < GA_INF_float32) & !whole) ? GA_NAN_float32 : r;
  r = one ? 1 : r;
  return ga_wide_number32(ga_wide_bits32(r) ^ (odd ? ga_wide_bits32(x) & (1u << 31) : 0));
}

/* g = a^(-1/3): a third of the exponent by the bits, then of e = 1 - a g^3 the series of
 * (1 - e)^(-1/3); of c = a g^2 what c^3 leaves is added. */
GA_FN ga_float ga_near_cbrt(ga_float a)
{
  ga_float third = (ga_float)(ga_int)ga_wide_bits32(a) * 0x1.555556p-2f;
  ga_float g = ga_wide_number32(0x54a20000u - (ga_uint)(ga_int)third), c, d, p;
  ga_float e = GA_NEAR_FMA(-(a * g), g * g, 1.0f);
  p = GA_NEAR_FMA(e, GA_NEAR_FMA(e, 0x1.65132cp-3f, 0x1.c9adb2p-3f), 0x1.55543cp-2f);
  g = GA_NEAR_FMA(g * e, p, g);
  p = g * g;
  c = a * p;
  d = c * c;
  e = GA_NEAR_FMA(-c, d, a) - c * GA_NEAR_FMA(c, c, -d);
  return GA_NEAR_FMA(e, p * 0x1.555556p-2f, c);
}
/* Of less than 2^-64 what c^3 leaves would be subnormal. */
GA_FN ga_uint ga_wide_far_cbrt(ga_float x)
{
  ga_uint u = ga_wide_bits32(__builtin_fabsf(x));
  return (u - 0x1f800000u) | (0x7f7fffffu - u);
}
GA_WIDE_FN ga_float ga_wide_cbrt(ga_float x)
{
  return __builtin_copysignf(ga_near_cbrt(__builtin_fabsf(x)), x);
}
GA_WIDE_FN ga_float ga_wide_all_cbrt(ga_float x)
{
  ga_float a = __builtin_fabsf(x);
  int small = ga_wide_bits32(a) < 0x1f800000u;
  ga_float r = ga_near_cbrt(small ? a * 0x1p72f : a) * (small ? 0x1p-24f : 1.0f);
  return __builtin_copysignf(((a < GA_INF_float32) & (a > 0)) ? r : a, x);
}

#endif
