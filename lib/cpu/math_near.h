/* SPDX-License-Identifier: MIT */
/* Functions of float32 computed in float32, in the manner of math_wide.h: within 1.6 units of the
 * last place. The last step adds what was lost in the one before it. Polynomials: Chebyshev fits on
 * the reduced range. Here logarithms, sine, cosine and tangent; the others are in math_power.h,
 * math_arc.h and math_hyper.h. */
#ifndef GA_CPU_MATH_NEAR_H
#define GA_CPU_MATH_NEAR_H

/* x 2^-shift = 2^(n 2^-23) (1 + f) with 1 + f in [sqrt 1/2, sqrt 2); e is n with the shift, as a
 * whole number. A subnormal x is multiplied by 2^25 before. */
typedef struct ga_near_root {
  ga_float n, f;
  ga_uint e;
} ga_near_root;
GA_FN ga_near_root ga_near_root_of(ga_float x, ga_float shift)
{
  ga_uint u = ga_wide_bits32(x);
  ga_near_root v = {0, 0, (u - 0x3f3504f3u) & 0xff800000u};
  v.n = (ga_float)(ga_int)v.e - shift * 0x1p23f;
  v.f = ga_wide_number32(u - v.e) - 1;
  return v;
}
GA_FN ga_near_root ga_near_root_of_all(ga_float x)
{
  int small = ga_wide_bits32(x) < 0x00800000u;
  return ga_near_root_of(small ? x * 0x1p25f : x, small ? 25 : 0);
}
/* (log(1 + f) - f) / w, w = f^2. Terms are taken by twos, so that few steps wait for each other. */
GA_FN ga_float ga_near_less(ga_float f, ga_float w)
{
  ga_float v = w * w, a = GA_NEAR_FMA(f, 0x1.555554p-2f, -0.5f);
  ga_float b = GA_NEAR_FMA(f, 0x1.999d5cp-3f, -0x1.fffffcp-3f);
  ga_float c = GA_NEAR_FMA(f, 0x1.23d1d6p-3f, -0x1.555b50p-3f);
  ga_float d = GA_NEAR_FMA(f, 0x1.dea656p-4f, -0x1.fcf30ep-4f);
  ga_float e = GA_NEAR_FMA(f, 0x1.1d9828p-4f, -0x1.d6453cp-4f);
  a = GA_NEAR_FMA(b, w, a);
  c = GA_NEAR_FMA(d, w, c);
  return GA_NEAR_FMA(GA_NEAR_FMA(e, v, c), v, a);
}

/* a + b + rest, for a with no smaller last place than b's, or 0. */
GA_FN ga_float ga_near_sum(ga_float a, ga_float b, ga_float rest)
{
  ga_float s = a + b;
  return s + (rest + (b - (s - a)));
}

/* The highest bit is set of all but normal positive numbers. */
GA_FN ga_uint ga_near_far_positive(ga_float x)
{
  return (ga_wide_bits32(x) - 0x00800000u) | (0x7f7fffffu - ga_wide_bits32(x));
}
GA_FN ga_float ga_near_ends(ga_float x, ga_float r)
{
  r = x < GA_INF_float32 ? r : x;
  r = x < 0 ? GA_NAN_float32 : r;
  return x == 0 ? -GA_INF_float32 : r;
}
/* n is added last: n log 2 is rounded with the sum, and what log 2 itself has lost is a twentieth
 * of the last place. Of log2 and log10 f is multiplied by what a factor has lost too. */
GA_FN ga_float ga_near_log_from(ga_near_root v)
{
  ga_float w = v.f * v.f;
  return GA_NEAR_FMA(v.n, 0x1.62e430p-24f, GA_NEAR_FMA(w, ga_near_less(v.f, w), v.f));
}
GA_FN ga_float ga_near_log2_from(ga_near_root v)
{
  ga_float w = v.f * v.f, l = w * ga_near_less(v.f, w);
  l = GA_NEAR_FMA(l, 0x1.715476p+0f, v.f * 0x1.4ae0c0p-26f);
  return GA_NEAR_FMA(v.n, 0x1p-23f, GA_NEAR_FMA(v.f, 0x1.715476p+0f, l));
}
GA_FN ga_float ga_near_log10_from(ga_near_root v)
{
  ga_float w = v.f * v.f, l = w * ga_near_less(v.f, w);
  l = GA_NEAR_FMA(l, 0x1.bcb7b2p-2f, GA_NEAR_FMA(v.n, -0x1.ec10c0p-50f, v.f * -0x1.5b235ep-27f));
  return GA_NEAR_FMA(v.n, 0x1.344136p-25f, GA_NEAR_FMA(v.f, 0x1.bcb7b2p-2f, l));
}
/* Of the ordinary arguments and of all, as math_power.h has it. */
#define GA_NEAR_LOGARITHM(name)                                                    \
  GA_FN ga_uint ga_wide_far_##name(ga_float x) { return ga_near_far_positive(x); } \
  GA_WIDE_FN ga_float ga_wide_##name(ga_float x)                                   \
  {                                                                                \
    return ga_near_##name##_from(ga_near_root_of(x, 0));                           \
  }                                                                                \
  GA_WIDE_FN ga_float ga_wide_all_##name(ga_float x)                               \
  {                                                                                \
    return ga_near_ends(x, ga_near_##name##_from(ga_near_root_of_all(x)));         \
  }
GA_NEAR_LOGARITHM(log)
GA_NEAR_LOGARITHM(log2)
GA_NEAR_LOGARITHM(log10)

/* log(1 + y + c), c small beside y < 2^127: u = 1 + y = 2^n (1 + f) has lost what is added to c,
 * and the logarithm of 2^n (1 + f + c 2^-n) has c 2^-n / (1 + f) more than log u. */
GA_FN ga_float ga_near_log1p(ga_float y, ga_float c)
{
  ga_float u = 1 + y, b = u - 1;
  c += (1 - (u - b)) + (y - b);
  ga_near_root v = ga_near_root_of(u, 0);
  ga_float w = v.f * v.f;
  c *= ga_wide_number32(0x3f800000u - v.e);
  c = GA_NEAR_FMA(w, ga_near_less(v.f, w), GA_NEAR_FMA(-v.f, c, c));
  return GA_NEAR_FMA(v.n, 0x1.62e430p-24f, v.f + c);
}
GA_FN int ga_wide_edge_log1p(ga_float x) { return (x <= -1) | (x >= 0x1p127f); }
GA_WIDE_FN ga_float ga_wide_log1p(ga_float x)
{
  ga_float r = ga_near_log1p(x, 0);
  return x == 0 ? x : r;
}

/* x = q pi/2 + r + l, |r| <= pi/4, pi/2 in three pieces. h is exact, and no finer than the last
 * place of m, so that l has all that r lost. q is right to |x| = 1e5, beyond which SLEEF's
 * reduction is needed. */
typedef struct ga_near_angle {
  ga_uint q;
  ga_float r, l;
} ga_near_angle;
GA_FN ga_near_angle ga_near_angle_of(ga_float x)
{
  ga_float k = GA_NEAR_FMA(x, 0x1.45f306p-1f, 0x1.8p23f), n = k - 0x1.8p23f;
  ga_float h = GA_NEAR_FMA(n, -0x1.921fb6p+0f, x), m = n * 0x1.777a5cp-25f, r = h + m;
  ga_float l = GA_NEAR_FMA(n, 0x1.ee59dap-50f, GA_NEAR_FMA(n, 0x1.777a5cp-25f, -m)) + (m - (r - h));
  ga_near_angle v = {ga_wide_bits32(k), r, l};
  return v;
}
GA_FN int ga_near_turn_edge(ga_float x) { return __builtin_fabsf(x) > 1e5f; }

/* The sine of x + quarters pi/2. */
GA_FN ga_float ga_near_turn(ga_float x, ga_uint quarters)
{
  ga_near_angle v = ga_near_angle_of(x);
  ga_float r = v.r, l = v.l;
  ga_float w = r * r, a = GA_NEAR_FMA(w, -0.5f, 1.0f), s = -0x1.9aae86p-13f;
  ga_float c = 0x1.9bc2d4p-16f;
  ga_uint q = v.q + quarters;
  s = GA_NEAR_FMA(s, w, 0x1.110bf6p-7f);
  s = GA_NEAR_FMA(s, w, -0x1.555552p-3f);
  s = r + GA_NEAR_FMA(s * w, r, l);
  c = GA_NEAR_FMA(c, w, -0x1.6c12aap-10f);
  c = GA_NEAR_FMA(c, w, 0x1.555554p-5f);
  c = a + GA_NEAR_FMA(c * w, w, GA_NEAR_FMA(-r, l, GA_NEAR_FMA(w, -0.5f, 1 - a)));
  return ga_wide_number32(ga_wide_bits32(q & 1 ? c : s) ^ ((q & 2) << 30));
}
GA_FN int ga_wide_edge_sin(ga_float x) { return ga_near_turn_edge(x); }
GA_WIDE_FN ga_float ga_wide_sin(ga_float x)
{
  ga_float r = ga_near_turn(x, 0);
  return x == 0 ? x : r;
}
GA_FN int ga_wide_edge_cos(ga_float x) { return ga_near_turn_edge(x); }
GA_WIDE_FN ga_float ga_wide_cos(ga_float x) { return ga_near_turn(x, 1); }

/* tan r = hi + lo, or -1/(hi + lo): q, and what it leaves. */
GA_FN int ga_wide_edge_tan(ga_float x) { return ga_near_turn_edge(x); }
GA_WIDE_FN ga_float ga_wide_tan(ga_float x)
{
  ga_near_angle v = ga_near_angle_of(x);
  ga_float w = v.r * v.r, p = 0x1.f80994p-9f, hi, lo, q, e;
  p = GA_NEAR_FMA(p, w, 0x1.35ae90p-10f);
  p = GA_NEAR_FMA(p, w, 0x1.468572p-7f);
  p = GA_NEAR_FMA(p, w, 0x1.623a9ap-6f);
  p = GA_NEAR_FMA(p, w, 0x1.ba52cap-5f);
  p = GA_NEAR_FMA(p, w, 0x1.111088p-3f);
  p = GA_NEAR_FMA(p, w, 0x1.555556p-2f);
  p = GA_NEAR_FMA(p * w, v.r, GA_NEAR_FMA(v.l, w, v.l));
  hi = v.r + p;
  lo = p - (hi - v.r);
  q = -1 / hi;
  e = GA_NEAR_FMA(q, hi, 1.0f);
  q = GA_NEAR_FMA(q, GA_NEAR_FMA(q, lo, e), q);
  q = v.q & 1 ? q : hi;
  return x == 0 ? x : q;
}

#endif
