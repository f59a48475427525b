/* SPDX-License-Identifier: MIT */
/* Functions of float64 computed in float64, by the methods of math_near.h and math_hyper.h, which
 * say more: within 1.7 units of the last place, in steps that a compiler turns into vectors of any
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

/* a, or most where it is larger, for a with no sign; NaN becomes a number. */
GA_FN ga_double ga_long_most(ga_double a, ga_double most)
{
  ga_ulong u = ga_wide_bits(a), m = ga_wide_bits(most);
  return ga_wide_number(u < m ? u : m);
}

/* ---- powers of e -------------------------------------------------------------------------- */

/* (e^r - 1 - r) / r^2 */
GA_FN ga_double ga_long_tail(ga_double r)
{
  ga_long_powers rs = ga_long_powers_of(r);
  ga_double p = GA_WIDE_FMA(0x1.af38c67fbb53ep-26, r, 0x1.28919ccaf9211p-22);
  p = ga_long_next(p, rs, 0x1.6c16c17890eb4p-10, 0x1.a01a01a7c73c0p-13, 0x1.a019b8f9792eep-16,
                   0x1.71de0da24602dp-19);
  return ga_long_next(p, rs, 0x1.0000000000001p-1, 0x1.5555555555556p-3, 0x1.5555555553d56p-5,
                      0x1.11111111109afp-7);
}
/* x = n ln2 + r, e^r = 1 + r p; n + bias is in the low bits of k. For s a power of two s + (s r) p
 * rounds once what is added. */
typedef struct ga_long_turns {
  ga_ulong k;
  ga_double r, p;
} ga_long_turns;
GA_FN ga_long_turns ga_long_turns_of(ga_double x, ga_double bias)
{
  ga_double k = GA_WIDE_FMA(x, 0x1.71547652b82fep+0, GA_WIDE_ROUND + bias);
  ga_double n = k - (GA_WIDE_ROUND + bias), r = GA_WIDE_FMA(n, -0x1.62e42fefp-1, x);
  ga_long_turns v = {ga_wide_bits(k), GA_WIDE_FMA(n, -0x1.473de6af278edp-34, r), 0};
  v.p = GA_WIDE_FMA(ga_long_tail(v.r), v.r, 1.0);
  return v;
}

/* (s - one) + s (e^r - 1) for x = n ln2 + r and s = 2^(n + bias - 1023), n + bias being above 0;
 * what the sum loses is added. */
GA_FN ga_double ga_long_less_one(ga_double x, ga_double bias, ga_double one)
{
  ga_double k = GA_WIDE_FMA(x, 0x1.71547652b82fep+0, GA_WIDE_ROUND + bias);
  ga_double n = k - (GA_WIDE_ROUND + bias), h = GA_WIDE_FMA(n, -0x1.62e42fefp-1, x);
  ga_double r = GA_WIDE_FMA(n, -0x1.473de6af278edp-34, h);
  ga_double c = GA_WIDE_FMA(n, -0x1.473de6af278edp-34, h - r);
  ga_double p = GA_WIDE_FMA(ga_long_tail(r), r * r, c);
  ga_double s = ga_wide_number(ga_wide_bits(k) << 52), a = s - one, b = GA_WIDE_FMA(s, r, a);
  return b + GA_WIDE_FMA(s, p, GA_WIDE_FMA(s, r, a - b));
}
GA_NO_EDGE(long, expm1, ga_double)
GA_WIDE_FN ga_double ga_long_expm1(ga_double x)
{
  ga_double r = ga_long_less_one(ga_long_between(x, -38, -38, 710), 1022, 0.5);
  return __builtin_fabs(x) >= 0x1p-55 ? r + r : x;
}
GA_NO_EDGE(long, tanh, ga_double)
GA_WIDE_FN ga_double ga_long_tanh(ga_double x)
{
  ga_double a = __builtin_fabs(x), e = ga_long_less_one(2 * ga_long_most(a, 22), 1023, 1);
  ga_double d = e + 2, i = 1 / d, q = e * i;
  q = GA_WIDE_FMA(GA_WIDE_FMA(-q, d, e) - q * (e - (d - 2)), i, q);
  return __builtin_copysign(a >= 0 ? q : a, x);
}

/* e^a / 4, as ga_near_quarter. */
GA_FN ga_double ga_long_quarter(ga_double a)
{
  ga_long_turns v = ga_long_turns_of(a, 1021);
  ga_double s = ga_wide_number(v.k << 52);
  return GA_WIDE_FMA(s * v.r, v.p, s);
}
GA_NO_EDGE(long, cosh, ga_double)
GA_WIDE_FN ga_double ga_long_cosh(ga_double x)
{
  ga_double a = __builtin_fabs(x), q = ga_long_quarter(ga_long_most(a, 710.6)), r = q + 0x1p-4 / q;
  return a >= 0 ? r + r : a;
}
GA_NO_EDGE(long, sinh, ga_double)
GA_WIDE_FN ga_double ga_long_sinh(ga_double x)
{
  ga_double a = __builtin_fabs(x), w = a * a;
  ga_long_powers ws = ga_long_powers_of(w);
  ga_double q = ga_long_quarter(ga_long_most(a, 710.6)), r = q - 0x1p-4 / q;
  ga_double s = ga_long_four(ws, 0x1.ae6455df98ba4p-26, 0x1.6124acde024e1p-33,
                             0x1.ae579834838f1p-41, 0x1.9ff9124816beap-49);
  s = ga_long_next(s, ws, 0x1.5555555555555p-3, 0x1.1111111111117p-7, 0x1.a01a01a019339p-13,
                   0x1.71de3a56238b1p-19);
  s = GA_WIDE_FMA(a * w, s, a);
  return __builtin_copysign(a >= 1.5 ? r + r : s, x);
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
  return (a == GA_INF_float64) | ((a > 0) & (a < 0x1p-1022));
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

/* ---- logarithms --------------------------------------------------------------------------- */

/* x 2^shift = 2^n (1 + f) with 1 + f in [sqrt 1/2, sqrt 2); e has n + shift at its exponent's
 * place. A subnormal x is multiplied by 2^54 before. */
typedef struct ga_long_root {
  ga_double n, f;
  ga_ulong e;
} ga_long_root;
GA_FN ga_long_root ga_long_root_of(ga_double x, ga_double shift)
{
  ga_ulong u = ga_wide_bits(x), e = (u - 0x3fe6a09e667f3bcdull + (1024ull << 52)) >> 52;
  ga_long_root v = {ga_wide_number(e | 0x4330000000000000ull) - (shift + (0x1p52 + 1024)), 0,
                    (e - 1024) << 52};
  v.f = ga_wide_number(u - v.e) - 1;
  return v;
}
/* log(1 + f) - f, of s = f / (2 + f) and w = s^2: -f^2/2 + s (f^2/2 + w (2/3 + 2/5 w + ...)) */
GA_FN ga_double ga_long_less(ga_double f)
{
  ga_double s = f / (f + 2), w = s * s, h = 0.5 * f * f, v = w * w;
  ga_double a = GA_WIDE_FMA(w, 0x1.99999999952e2p-2, 0x1.5555555555558p-1);
  ga_double b = GA_WIDE_FMA(w, 0x1.c71c62e580090p-3, 0x1.2492492df148dp-2);
  ga_double c = GA_WIDE_FMA(w, 0x1.39fe606539350p-3, 0x1.7462b4ab2f411p-3);
  c = GA_WIDE_FMA(v, 0x1.2b584aaef00b2p-3, c);
  a = GA_WIDE_FMA(GA_WIDE_FMA(c, v, b), v, a);
  return GA_WIDE_FMA(s, GA_WIDE_FMA(a, w, h), -h);
}

/* log(1 + y + c), as ga_near_log1p. */
GA_FN ga_double ga_long_log1p_of(ga_double y, ga_double c)
{
  ga_double u = 1 + y, b = u - 1;
  ga_long_root v = ga_long_root_of(u, 0);
  c += (1 - (u - b)) + (y - b);
  c *= ga_wide_number(0x3ff0000000000000ull - v.e);
  c = GA_WIDE_FMA(v.n, 0x1.abc9e3b39803fp-56, GA_WIDE_FMA(-v.f, c, c)) + ga_long_less(v.f);
  return GA_WIDE_FMA(v.n, 0x1.62e42fefa39efp-1, v.f + c);
}
GA_FN int ga_long_edge_log1p(ga_double x) { return (x <= -1) | (x >= 1e300); }
GA_WIDE_FN ga_double ga_long_log1p(ga_double x)
{
  ga_double r = ga_long_log1p_of(x, 0);
  return x == 0 ? x : r;
}
GA_NO_EDGE(long, arctanh, ga_double)
GA_WIDE_FN ga_double ga_long_arctanh(ga_double x)
{
  ga_double a = __builtin_fabs(x), b = 1 - a, e = (1 - b) - a, i = 1 / b, t = a + a, y = t * i;
  ga_double c = GA_WIDE_FMA(-y, b, GA_WIDE_FMA(-y, e, t)) * i;
  ga_double r = 0.5 * ga_long_log1p_of(y, c), none = a > 1 ? GA_NAN_float64 : i;
  r = a < 1 ? r : none;
  return __builtin_copysign(a < 0x1p-27 ? a : r, x);
}
GA_FN int ga_long_edge_arcsinh(ga_double x) { return __builtin_fabs(x) >= 1e150; }
GA_WIDE_FN ga_double ga_long_arcsinh(ga_double x)
{
  ga_double a = __builtin_fabs(x), w = a * a, q = w / (1 + __builtin_sqrt(1 + w)), y = a + q;
  ga_double r = ga_long_log1p_of(y, q - (y - a));
  return __builtin_copysign(a < 0x1p-27 ? a : r, x);
}
GA_FN int ga_long_edge_arccosh(ga_double x) { return x >= 1e150; }
GA_WIDE_FN ga_double ga_long_arccosh(ga_double x)
{
  ga_double a = x < 1 ? 1 : x, t = a - 1, w = GA_WIDE_FMA(t, t, 2 * t), s = __builtin_sqrt(w);
  ga_double y = s + t;
  ga_double off = GA_WIDE_FMA(-s, s, w) * ga_wide_number(0x7fce623822fc16e6ull - ga_wide_bits(s));
  ga_double r = ga_long_log1p_of(y, (t - (y - s)) + off);
  return x < 1 ? GA_NAN_float64 : r;
}

#endif
