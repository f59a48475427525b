/* SPDX-License-Identifier: MIT */
/* Sine, cosine and tangent of float64, as math_near.h has those of float32: within 0.85 units of
 * the last place. The tangent is made of that of half the angle, t: 2t / (1 - t^2), as the
 * polynomial is then short. */
#ifndef GA_CPU_MATH_LONG_TURN_H
#define GA_CPU_MATH_LONG_TURN_H

/* x = q pi/2 + r + l, |r| <= pi/4, pi/2 in three pieces, as ga_near_angle_of; m is exact, as the
 * second piece has 26 bits. Right to |x| = 1e8. */
typedef struct ga_long_angle {
  ga_ulong q;
  ga_double r, l;
} ga_long_angle;
GA_FN ga_long_angle ga_long_angle_of(ga_double x)
{
  ga_double k = GA_WIDE_FMA(x, 0x1.45f306dc9c883p-1, GA_WIDE_ROUND), n = k - GA_WIDE_ROUND;
  ga_double h = GA_WIDE_FMA(n, -0x1.921fb54442d18p+0, x), m = n * -0x1.1a6263p-54, r = h + m;
  ga_long_angle v = {ga_wide_bits(k), r, GA_WIDE_FMA(n, -0x1.8a2e03707344ap-81, m - (r - h))};
  return v;
}
GA_FN int ga_long_turn_edge(ga_double x) { return __builtin_fabs(x) > 1e8; }

/* The sine of x + quarters pi/2. */
GA_FN ga_double ga_long_turn(ga_double x, ga_ulong quarters)
{
  ga_long_angle v = ga_long_angle_of(x);
  ga_double r = v.r, l = v.l, w = r * r, u = w * w, a = GA_WIDE_FMA(w, -0.5, 1.0);
  ga_ulong q = v.q + quarters;
  ga_double s = GA_WIDE_FMA(0x1.5d8f70312470fp-33, w, -0x1.ae5e58a19220bp-26);
  ga_double c = GA_WIDE_FMA(-0x1.8fa966c213950p-37, w, 0x1.1ee9e112c986bp-29);
  s = GA_WIDE_FMA(s, u, GA_WIDE_FMA(0x1.71de35641c164p-19, w, -0x1.a01a019bf74e5p-13));
  c = GA_WIDE_FMA(c, u, GA_WIDE_FMA(-0x1.27e4f7f890353p-22, w, 0x1.a01a019c971c9p-16));
  s = GA_WIDE_FMA(s, u, GA_WIDE_FMA(0x1.111111110f77ap-7, w, -0x1.5555555555548p-3));
  c = GA_WIDE_FMA(c, u, GA_WIDE_FMA(-0x1.6c16c16c15049p-10, w, 0x1.555555555554bp-5));
  s = r + GA_WIDE_FMA(s * w, r, l * a);
  c = a + GA_WIDE_FMA(c, u, GA_WIDE_FMA(-r, l, GA_WIDE_FMA(w, -0.5, 1 - a)));
  return ga_wide_number(ga_wide_bits(q & 1 ? c : s) ^ ((q & 2) << 62));
}
GA_FN int ga_long_edge_sin(ga_double x) { return ga_long_turn_edge(x); }
GA_WIDE_FN ga_double ga_long_sin(ga_double x)
{
  ga_double r = ga_long_turn(x, 0);
  return x == 0 ? x : r;
}
GA_FN int ga_long_edge_cos(ga_double x) { return ga_long_turn_edge(x); }
GA_WIDE_FN ga_double ga_long_cos(ga_double x) { return ga_long_turn(x, 1); }

/* The tangent of half the angle is t + tl, (1 - t^2) / 2 is d + dl; the quotient of them, or -1
 * over it, and what it leaves. */
GA_FN int ga_long_edge_tan(ga_double x) { return ga_long_turn_edge(x); }
GA_WIDE_FN ga_double ga_long_tan(ga_double x)
{
  ga_long_angle v = ga_long_angle_of(x);
  ga_double r = 0.5 * v.r, l = 0.5 * v.l, w = r * r;
  ga_long_powers ws = ga_long_powers_of(w);
  ga_double p = ga_long_four(ws, 0x1.226e5f1ad2095p-7, 0x1.d6c7b87b54c41p-9, 0x1.7ea976de75a95p-10,
                             0x1.288f103cfc7b7p-11);
  p = GA_WIDE_FMA(0x1.4e8263987b454p-12, ws.x4, p);
  p = ga_long_next(p, ws, 0x1.5555555555556p-2, 0x1.11111111109d9p-3, 0x1.ba1ba1bb52f81p-5,
                   0x1.664f47e18260dp-6);
  p = GA_WIDE_FMA(p * w, r, GA_WIDE_FMA(l, w, l));
  ga_double t = r + p, tl = p - (t - r), u = 0.5 * t, d = GA_WIDE_FMA(-u, t, 0.5);
  ga_double dl = GA_WIDE_FMA(-t, tl, GA_WIDE_FMA(-u, t, 0.5 - d));
  int odd = (int)(v.q & 1);
  ga_double over = odd ? -d : t, rest = odd ? -dl : tl, under = odd ? t : d, left = odd ? tl : dl;
  ga_double i = 1 / under, q = over * i;
  q = GA_WIDE_FMA(GA_WIDE_FMA(-q, under, over) + GA_WIDE_FMA(-q, left, rest), i, q);
  return __builtin_fabs(x) < 0x1p-28 ? x : q; /* subnormal ones have no halves */
}

#endif
