/* SPDX-License-Identifier: MIT */
/* Powers and logarithms of float64, as those of float32 in math_power.h: within 1.1 units of the
 * last place. ga_long_<name>(x) is for the ordinary arguments, of which ga_long_far_<name>(x) has
 * its highest bit clear; ga_long_all_<name>(x) is for all, and the same for those. */
#ifndef GA_CPU_MATH_LONG_POWER_H
#define GA_CPU_MATH_LONG_POWER_H

#define GA_LONG_LEAST \
  0x0010000000000000ull /* bits of the least normal number, and of the largest */
#define GA_LONG_MOST 0x7fefffffffffffffull
#define GA_LONG_LN2  0x1.62e42fefa39efp-1

/* ---- exp and exp2 ------------------------------------------------------------------------- */

/* s 2^r */
GA_FN ga_double ga_long_times_exp2(ga_double s, ga_double r)
{
  ga_long_powers rs = ga_long_powers_of(r);
  ga_double p = GA_WIDE_FMA(0x1.e9d400f144ca3p-32, r, 0x1.e60642a220885p-28);
  p = ga_long_next(p, rs, 0x1.43091309705fdp-13, 0x1.ffcbfc670e3f6p-17, 0x1.62bfd475db30ep-20,
                   0x1.b524fae4cb89bp-24);
  p = ga_long_next(p, rs, 0x1.ebfbdff82c598p-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba1dd8p-7,
                   0x1.5d87fe78a5275p-10);
  p = GA_WIDE_FMA(p, r, 0x1.62e42fefa39efp-1);
  return GA_WIDE_FMA(s * r, p, s);
}
/* 2^n in two factors, for k with n + 2046 in its low bits; 0 where n is -2046. */
GA_FN ga_double ga_long_half(ga_ulong k) { return ga_wide_number((k >> 1) << 52); }
GA_FN ga_double ga_long_rest_of(ga_ulong k) { return ga_wide_number((k - (k >> 1)) << 52); }

GA_FN ga_ulong ga_long_far_exp(ga_double x)
{
  return ga_wide_bits(664) - ga_wide_bits(__builtin_fabs(x));
}
GA_WIDE_FN ga_double ga_long_exp(ga_double x)
{
  ga_long_turns v = ga_long_turns_of(x, 1023);
  ga_double s = ga_wide_number(v.k << 52);
  return GA_WIDE_FMA(s * v.r, v.p, s);
}
GA_WIDE_FN ga_double ga_long_all_exp(ga_double x)
{
  ga_long_turns v = ga_long_turns_of(ga_long_between(x, -746, -2046 * GA_LONG_LN2, 710), 2046);
  ga_double s = ga_long_half(v.k), r = GA_WIDE_FMA(s * v.r, v.p, s) * ga_long_rest_of(v.k);
  return x == x ? r : x;
}
GA_FN ga_ulong ga_long_far_exp2(ga_double x)
{
  return ga_wide_bits(1022) - ga_wide_bits(__builtin_fabs(x));
}
GA_WIDE_FN ga_double ga_long_exp2(ga_double x)
{
  ga_double k = x + (GA_WIDE_ROUND + 1023);
  return ga_long_times_exp2(ga_wide_number(ga_wide_bits(k) << 52),
                            x - (k - (GA_WIDE_ROUND + 1023)));
}
GA_WIDE_FN ga_double ga_long_all_exp2(ga_double x)
{
  ga_double y = ga_long_between(x, -1076, -2046, 1025), k = y + (GA_WIDE_ROUND + 2047);
  ga_ulong u = ga_wide_bits(k) - 1;
  ga_double r = ga_long_times_exp2(ga_long_half(u), y - (k - (GA_WIDE_ROUND + 2047)));
  return x == x ? r * ga_long_rest_of(u) : x;
}

/* ---- logarithms --------------------------------------------------------------------------- */

GA_FN ga_long_root ga_long_root_of_all(ga_double x)
{
  int small = ga_wide_bits(x) < GA_LONG_LEAST;
  return ga_long_root_of(small ? x * 0x1p54 : x, small ? 54 : 0);
}
GA_FN ga_double ga_long_ends(ga_double x, ga_double r)
{
  r = x < GA_INF_float64 ? r : x;
  r = x < 0 ? GA_NAN_float64 : r;
  return x == 0 ? -GA_INF_float64 : r;
}
GA_FN ga_ulong ga_long_far_positive(ga_double x)
{
  return (ga_wide_bits(x) - GA_LONG_LEAST) | (GA_LONG_MOST - ga_wide_bits(x));
}
/* n is added last, as in math_near.h. */
GA_FN ga_double ga_long_log_from(ga_long_root v)
{
  ga_double l = GA_WIDE_FMA(v.n, 0x1.abc9e3b39803fp-56, ga_long_less(v.f));
  return GA_WIDE_FMA(v.n, 0x1.62e42fefa39efp-1, v.f + l);
}
GA_FN ga_double ga_long_log2_from(ga_long_root v)
{
  ga_double l = GA_WIDE_FMA(ga_long_less(v.f), 0x1.71547652b82fep+0, v.f * 0x1.777d0ffda0d24p-56);
  return v.n + GA_WIDE_FMA(v.f, 0x1.71547652b82fep+0, l);
}
GA_FN ga_double ga_long_log10_from(ga_long_root v)
{
  ga_double l = GA_WIDE_FMA(v.n, -0x1.9dc1da994fd21p-59, v.f * 0x1.95355baaafad3p-57);
  l = GA_WIDE_FMA(ga_long_less(v.f), 0x1.bcb7b1526e50ep-2, l);
  return GA_WIDE_FMA(v.n, 0x1.34413509f79ffp-2, GA_WIDE_FMA(v.f, 0x1.bcb7b1526e50ep-2, l));
}
#define GA_LONG_LOGARITHM(name)                                                      \
  GA_FN ga_ulong ga_long_far_##name(ga_double x) { return ga_long_far_positive(x); } \
  GA_WIDE_FN ga_double ga_long_##name(ga_double x)                                   \
  {                                                                                  \
    return ga_long_##name##_from(ga_long_root_of(x, 0));                             \
  }                                                                                  \
  GA_WIDE_FN ga_double ga_long_all_##name(ga_double x)                               \
  {                                                                                  \
    return ga_long_ends(x, ga_long_##name##_from(ga_long_root_of_all(x)));           \
  }
GA_LONG_LOGARITHM(log)
GA_LONG_LOGARITHM(log2)
GA_LONG_LOGARITHM(log10)

/* ---- power -------------------------------------------------------------------------------- */

/* log x = high + low, to 2^-65 of it: of s = f / (2 + f) = s + sl the series 2 (s + s^3/3 + ...),
 * all but the tail of which, p, is pairs of numbers. */
typedef struct ga_long_pair {
  ga_double high, low;
} ga_long_pair;
GA_FN ga_long_pair ga_long_log_pair(ga_long_root v)
{
  ga_double d = v.f + 2, dl = v.f - (d - 2), i = 1 / d, s = v.f * i, t = s + s, w = s * s;
  ga_double sl = GA_WIDE_FMA(-s, dl, GA_WIDE_FMA(-s, d, v.f)) * i;
  ga_double wl = GA_WIDE_FMA(t, sl, GA_WIDE_FMA(s, s, -w));
  ga_long_powers ws = ga_long_powers_of(w);
  ga_double p = ga_long_four(ws, 0x1.3b1395d4f9e41p-4, 0x1.1118c74824097p-4, 0x1.df7ce9a6a755fp-5,
                             0x1.e02d197ce13f2p-5);
  p = ga_long_next(p, ws, 0x1.999999999999ap-3, 0x1.2492492492521p-3, 0x1.c71c71c6eaa8dp-4,
                   0x1.745d177a8f200p-4);
  ga_double a = GA_WIDE_FMA(p, w, 0x1.5555555555555p-2);
  ga_double al = GA_WIDE_FMA(p, w, 0x1.5555555555555p-2 - a) + 0x1.5555555555555p-56;
  ga_double b = w * a, bl = GA_WIDE_FMA(w, a, -b) + GA_WIDE_FMA(w, al, wl * a);
  ga_double c = t * b, cl = GA_WIDE_FMA(t, b, -c) + 2 * GA_WIDE_FMA(sl, b, s * bl);
  ga_double n = v.n * 0x1.62e42fefa3800p-1, m = n + t, h = m + c;
  ga_double l = GA_WIDE_FMA(v.n, 0x1.ef35793c76730p-45, GA_WIDE_FMA(2.0, sl, cl));
  ga_long_pair r = {h, ((n - m) + t) + ((m - h) + c) + l};
  return r;
}
/* e^(y (high + low)), q being y high, or what is to stand for it. What the steps before the last
 * lose is added in it, as powers of whole numbers are to be exact. */
GA_FN ga_double ga_long_power_from(ga_long_pair l, ga_double y, ga_double q)
{
  ga_double z = ga_long_between(q, -746, -2046 * GA_LONG_LN2, 710);
  ga_double rest = GA_WIDE_FMA(y, l.low, GA_WIDE_FMA(y, l.high, -q));
  ga_double k = GA_WIDE_FMA(z, 0x1.71547652b82fep+0, GA_WIDE_ROUND + 2046);
  ga_double n = k - (GA_WIDE_ROUND + 2046);
  ga_double h = GA_WIDE_FMA(n, -0x1.62e42fefp-1, z);
  ga_double t = GA_WIDE_FMA(n, -0x1.473de6af278edp-34, z == q ? rest : 0);
  ga_double r = h + t, c = (h - r) + t, m = 1 + r, up = ga_long_half(ga_wide_bits(k));
  c = GA_WIDE_FMA(ga_long_tail(r), r * r, c + (r - (m - 1)));
  return GA_WIDE_FMA(up, c, up * m) * ga_long_rest_of(ga_wide_bits(k));
}
GA_FN ga_ulong ga_long_far_power(ga_double x, ga_double y)
{
  return ga_long_far_positive(x) | (GA_LONG_MOST - ga_wide_bits(__builtin_fabs(y)));
}
GA_WIDE_FN ga_double ga_long_power(ga_double x, ga_double y)
{
  ga_long_pair l = ga_long_log_pair(ga_long_root_of(x, 0));
  return ga_long_power_from(l, y, y * l.high);
}
/* |x|^y, with x's sign where y is odd, and NaN where x < 0 and y is no integer; x^0 and 1^y are 1
 * even of NaN. */
GA_WIDE_FN ga_double ga_long_all_power(ga_double x, ga_double y)
{
  ga_double a = __builtin_fabs(x), half = 0.5 * y;
  int whole = __builtin_trunc(y) == y, odd = whole & (__builtin_trunc(half) != half);
  int one = (y == 0) | (x == 1) | ((a == 1) & (__builtin_fabs(y) == GA_INF_float64));
  ga_long_pair l = ga_long_log_pair(ga_long_root_of_all(a));
  ga_double q = a == 0 ? -y * GA_INF_float64 : y * l.high;
  q = a < GA_INF_float64 ? q : y * a;
  ga_double r = ga_long_power_from(l, y, q);
  r = q == q ? r : GA_NAN_float64;
  r = ((x < 0) & (a < GA_INF_float64) & !whole) ? GA_NAN_float64 : r;
  r = one ? 1 : r;
  return ga_wide_number(ga_wide_bits(r) ^ (odd ? ga_wide_bits(x) & (1ull << 63) : 0));
}

#endif
