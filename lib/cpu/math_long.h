/* SPDX-License-Identifier: MIT */
/* Functions of float64 computed in float64, by the methods of math_near.h and math_hyper.h, which
 * say more: within 1.6 units of the last place, in steps that a compiler turns into vectors of any
 * width. More of them are in math_long_arc.h and math_long_power.h. ga_long_<name>(x) is right
 * where ga_long_edge_<name>(x) is 0; the other arguments are SLEEF's. */
#ifndef GA_CPU_MATH_LONG_H
#define GA_CPU_MATH_LONG_H

/* a + b + rest, for a with no smaller last place than b's, or 0. */
GA_FN ga_double ga_long_sum(ga_double a, ga_double b, ga_double rest)
{
  ga_double s = a + b;
  return s + (rest + (b - (s - a)));
}

/* ---- powers of e -------------------------------------------------------------------------- */

/* x = n ln2 + r + c; k has n in its low bits. */
typedef struct ga_long_exponent {
  ga_double k, r, c;
} ga_long_exponent;
GA_FN ga_long_exponent ga_long_exponent_of(ga_double x)
{
  ga_double k = GA_WIDE_FMA(x, 0x1.71547652b82fep+0, GA_WIDE_ROUND), n = k - GA_WIDE_ROUND;
  ga_double h = GA_WIDE_FMA(n, -0x1.62e42fefp-1, x), l = n * -0x1.473de6af278edp-34;
  ga_long_exponent v = {k, h + l, 0};
  v.c = (h - v.r) + l;
  return v;
}
/* (e^r - 1 - r) / r^2 */
GA_FN ga_double ga_long_tail(ga_double r)
{
  ga_double p = 0x1.af38c67fbb53ep-26;
  p = GA_WIDE_FMA(p, r, 0x1.28919ccaf9211p-22);
  p = GA_WIDE_FMA(p, r, 0x1.71de0da24602dp-19);
  p = GA_WIDE_FMA(p, r, 0x1.a019b8f9792eep-16);
  p = GA_WIDE_FMA(p, r, 0x1.a01a01a7c73c0p-13);
  p = GA_WIDE_FMA(p, r, 0x1.6c16c17890eb4p-10);
  p = GA_WIDE_FMA(p, r, 0x1.11111111109afp-7);
  p = GA_WIDE_FMA(p, r, 0x1.5555555553d56p-5);
  p = GA_WIDE_FMA(p, r, 0x1.5555555555556p-3);
  return GA_WIDE_FMA(p, r, 0x1.0000000000001p-1);
}
/* e^(r + c) - 1 - r */
GA_FN ga_double ga_long_rest(ga_long_exponent v)
{
  return GA_WIDE_FMA(ga_long_tail(v.r), v.r * v.r, v.c);
}

GA_FN int ga_long_edge_expm1(ga_double x) { return x != x; }
GA_WIDE_FN ga_double ga_long_expm1(ga_double x)
{
  ga_long_exponent v = ga_long_exponent_of(ga_wide_clamp2(x, 710));
  ga_long n = (ga_long)(ga_wide_bits(v.k) - ga_wide_bits(GA_WIDE_ROUND));
  ga_double s = ga_wide_number((ga_ulong)((n < -100 ? -100 : n) + 1022) << 52);
  ga_double r = 2 * ga_long_sum(s - 0.5, s * v.r, s * ga_long_rest(v));
  return __builtin_fabs(x) < 0x1p-55 ? x : r;
}
GA_FN int ga_long_edge_tanh(ga_double x) { return x != x; }
GA_WIDE_FN ga_double ga_long_tanh(ga_double x)
{
  ga_long_exponent v = ga_long_exponent_of(2 * __builtin_fabs(ga_wide_clamp2(x, 22)));
  ga_double s = ga_wide_number((ga_wide_bits(v.k) + 1023) << 52);
  ga_double e = ga_long_sum(s - 1, s * v.r, s * ga_long_rest(v)), d = e + 2, i = 1 / d, q = e * i;
  q = GA_WIDE_FMA(GA_WIDE_FMA(-q, d, e) - q * (e - (d - 2)), i, q);
  return __builtin_copysign(q, x);
}

typedef struct ga_long_hyper {
  ga_double up, down, plus, minus;
} ga_long_hyper;
GA_FN ga_long_hyper ga_long_hyper_of(ga_double x)
{
  ga_long_exponent v = ga_long_exponent_of(__builtin_fabs(ga_wide_clamp2(x, 710.6)));
  ga_double w = v.r * v.r, c, t;
  ga_ulong n = ga_wide_bits(v.k) & 0x7ff, most = n < 60 ? n : 60;
  c = 0x1.2891c1456157fp-22;
  c = GA_WIDE_FMA(c, w, 0x1.a019b8dac4bc4p-16);
  c = GA_WIDE_FMA(c, w, 0x1.6c16c17898d4ap-10);
  c = GA_WIDE_FMA(c, w, 0x1.5555555553d42p-5);
  c = GA_WIDE_FMA(c, w, 0x1.0000000000001p-1);
  c = GA_WIDE_FMA(c, w, v.r * v.c);
  t = 0x1.af38f361ddc9ap-26;
  t = GA_WIDE_FMA(t, w, 0x1.71de0d8f622e8p-19);
  t = GA_WIDE_FMA(t, w, 0x1.a01a01a7cc1a1p-13);
  t = GA_WIDE_FMA(t, w, 0x1.11111111109a9p-7);
  t = GA_WIDE_FMA(t, w, 0x1.5555555555556p-3);
  t = GA_WIDE_FMA(t * w, v.r, v.c);
  ga_long_hyper h = {ga_wide_number((n + 1021) << 52), ga_wide_number((1021 - most) << 52),
                     v.r + (t + c), (c - t) - v.r};
  return h;
}
GA_FN int ga_long_edge_cosh(ga_double x) { return x != x; }
GA_WIDE_FN ga_double ga_long_cosh(ga_double x)
{
  ga_long_hyper h = ga_long_hyper_of(x);
  return 2 * (h.up + GA_WIDE_FMA(h.up, h.plus, GA_WIDE_FMA(h.down, h.minus, h.down)));
}
GA_FN int ga_long_edge_sinh(ga_double x) { return x != x; }
GA_WIDE_FN ga_double ga_long_sinh(ga_double x)
{
  ga_long_hyper h = ga_long_hyper_of(x);
  ga_double d = h.up - h.down, l = (h.up - d) - h.down;
  ga_double r = 2 * (d + (l + GA_WIDE_FMA(h.up, h.plus, -h.down * h.minus)));
  return __builtin_copysign(__builtin_fabs(x) < 0x1p-27 ? __builtin_fabs(x) : r, x);
}

/* ---- cube root ---------------------------------------------------------------------------- */

/* g = |x|^(-1/3): a third of the exponent by the bits, then twice the series of (1 - e)^(-1/3),
 * e = 1 - |x| g^3. Of c = |x| g^2 what c^3 leaves is added. */
GA_FN ga_double ga_long_third(ga_double a, ga_double g)
{
  ga_double e = GA_WIDE_FMA(-(a * g), g * g, 1.0);
  ga_double p = GA_WIDE_FMA(e, 0x1.61f9add3c0ca4p-3, 0x1.c71c71c71c71cp-3);
  return GA_WIDE_FMA(g * e, GA_WIDE_FMA(e, p, 0x1.5555555555555p-2), g);
}
GA_FN int ga_long_edge_cbrt(ga_double x)
{
  ga_double a = __builtin_fabs(x);
  return (!(a < GA_INF_float64)) | ((a > 0) & (a < 0x1p-1022));
}
GA_WIDE_FN ga_double ga_long_cbrt(ga_double x)
{
  ga_double a = __builtin_fabs(x);
  ga_double top = ga_wide_number((ga_wide_bits(a) >> 32) | 0x4330000000000000ull) - 0x1p52;
  ga_ulong third = ga_wide_bits(GA_WIDE_FMA(top, 0x1.5555555555555p-2, 0x1p52));
  ga_double g = ga_wide_number((0x553eeaabull - third) << 32), c, d, r;
  g = ga_long_third(a, ga_long_third(a, g));
  c = a * g * g;
  d = c * c;
  r = GA_WIDE_FMA(-c, d, a) - c * GA_WIDE_FMA(c, c, -d);
  c = GA_WIDE_FMA(r, g * g * 0x1.5555555555555p-2, c);
  return __builtin_copysign(c, x);
}

/* ---- log(1 + x) --------------------------------------------------------------------------- */

/* x = 2^n (1 + f) with 1 + f in [sqrt 1/2, sqrt 2), log(1 + f) = f + y; e = n + 1024. */
typedef struct ga_long_log_parts {
  ga_ulong e;
  ga_double n, f, y;
} ga_long_log_parts;
GA_FN ga_long_log_parts ga_long_log_of(ga_double x)
{
  ga_ulong u = ga_wide_bits(x), e = (u - 0x3fe6a09e667f3bcdull + (1024ull << 52)) >> 52;
  ga_double f = ga_wide_number(u - ((e - 1024) << 52)) - 1, p;
  ga_long_log_parts v = {e, ga_wide_number(e | 0x4330000000000000ull) - (0x1p52 + 1024), f, 0};
  p = -0x1.9a9cef0cc4827p-6;
  p = GA_WIDE_FMA(p, f, 0x1.d0342d40bb1a4p-5);
  p = GA_WIDE_FMA(p, f, -0x1.f623ad1f747c6p-5);
  p = GA_WIDE_FMA(p, f, 0x1.b8100fb3d5d8dp-5);
  p = GA_WIDE_FMA(p, f, -0x1.b7c4797395838p-5);
  p = GA_WIDE_FMA(p, f, 0x1.de2b19de6ddd7p-5);
  p = GA_WIDE_FMA(p, f, -0x1.009da79ff9644p-4);
  p = GA_WIDE_FMA(p, f, 0x1.1148d89d6cafdp-4);
  p = GA_WIDE_FMA(p, f, -0x1.248bba9b104c6p-4);
  p = GA_WIDE_FMA(p, f, 0x1.3b10573a95ebfp-4);
  p = GA_WIDE_FMA(p, f, -0x1.555574d23dce0p-4);
  p = GA_WIDE_FMA(p, f, 0x1.745d343b07444p-4);
  p = GA_WIDE_FMA(p, f, -0x1.99999996fd0bbp-4);
  p = GA_WIDE_FMA(p, f, 0x1.c71c713cc27b3p-4);
  p = GA_WIDE_FMA(p, f, -0x1.fffffffe0395dp-4);
  p = GA_WIDE_FMA(p, f, 0x1.24924925377bcp-3);
  p = GA_WIDE_FMA(p, f, -0x1.5555555558074p-3);
  p = GA_WIDE_FMA(p, f, 0x1.999999999900fp-3);
  p = GA_WIDE_FMA(p, f, -0x1.fffffffffffe7p-3);
  p = GA_WIDE_FMA(p, f, 0x1.5555555555556p-2);
  v.y = f * f * GA_WIDE_FMA(p, f, -0.5);
  return v;
}

/* log(1 + y + c) */
GA_FN ga_double ga_long_log1p_of(ga_double y, ga_double c)
{
  ga_double u = 1 + y, b = u - 1;
  ga_long_log_parts v = ga_long_log_of(u);
  c += (1 - (u - b)) + (y - b);
  c *= ga_wide_number((2047 - v.e) << 52);
  c *= GA_WIDE_FMA(v.f, v.f - 1, 1.0);
  return ga_long_sum(v.n * 0x1.62e42fefp-1, v.f, GA_WIDE_FMA(v.n, 0x1.473de6af278edp-34, v.y + c));
}
GA_FN int ga_long_edge_log1p(ga_double x) { return !((x > -1) & (x < 1e300)); }
GA_WIDE_FN ga_double ga_long_log1p(ga_double x)
{
  ga_double r = ga_long_log1p_of(x, 0);
  return x == 0 ? x : r;
}
GA_FN int ga_long_edge_arctanh(ga_double x) { return !(__builtin_fabs(x) < 1); }
GA_WIDE_FN ga_double ga_long_arctanh(ga_double x)
{
  ga_double a = __builtin_fabs(x), b = 1 - a, e = (1 - b) - a, i = 1 / b, t = a + a, y = t * i;
  ga_double c = GA_WIDE_FMA(-y, b, GA_WIDE_FMA(-y, e, t)) * i;
  ga_double r = 0.5 * ga_long_log1p_of(y, c);
  return __builtin_copysign(a < 0x1p-27 ? a : r, x);
}
GA_FN int ga_long_edge_arcsinh(ga_double x) { return !(__builtin_fabs(x) < 1e150); }
GA_WIDE_FN ga_double ga_long_arcsinh(ga_double x)
{
  ga_double a = __builtin_fabs(x), w = a * a, q = w / (1 + __builtin_sqrt(1 + w)), y = a + q;
  ga_double r = ga_long_log1p_of(y, q - (y - a));
  return __builtin_copysign(a < 0x1p-27 ? a : r, x);
}
GA_FN int ga_long_edge_arccosh(ga_double x) { return !(x < 1e150); }
GA_WIDE_FN ga_double ga_long_arccosh(ga_double x)
{
  ga_double a = x < 1 ? 1 : x, t = a - 1, w = GA_WIDE_FMA(t, t, 2 * t), s = __builtin_sqrt(w);
  ga_double big = s > t ? s : t, small = s > t ? t : s, y = s + t;
  ga_double off = GA_WIDE_FMA(-s, s, w) * ga_wide_number(0x7fce623822fc16e6ull - ga_wide_bits(s));
  ga_double r = ga_long_log1p_of(y, (small - (y - big)) + off);
  return x < 1 ? GA_NAN_float64 : r;
}

#endif
