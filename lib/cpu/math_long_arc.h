/* SPDX-License-Identifier: MIT */
/* Arcus functions of float64: math_arc.h in float64. */
#ifndef GA_CPU_MATH_LONG_ARC_H
#define GA_CPU_MATH_LONG_ARC_H

GA_NO_EDGE(long, arctan, ga_double)
GA_WIDE_FN ga_double ga_long_arctan(ga_double x)
{
  ga_double a = __builtin_fabs(x), p;
  int some = a > 0.5, much = a > 2;
  ga_double over = much ? -1.0 : some ? a - 1 : a, under = much ? a : some ? a + 1 : 1.0;
  ga_double turn = much ? 0x1.921fb54442d18p+0 : some ? 0x1.921fb54442d18p-1 : 0.0;
  ga_double t = over / under, w = t * t;
  ga_long_powers ws = ga_long_powers_of(w);
  p = -0x1.2dfbaab9786efp-7;
  p = ga_long_next(p, ws, -0x1.ad44da04adea3p-5, 0x1.7b20b751c966ap-5, -0x1.37d750492dd9bp-5,
                   0x1.99b4e0c058248p-6);
  p = ga_long_next(p, ws, -0x1.745d16026efd7p-4, 0x1.3b138e6372dcap-4, -0x1.110ea50256abfp-4,
                   0x1.e1a7b2562efc5p-5);
  p = ga_long_next(p, ws, -0x1.5555555555555p-2, 0x1.99999999998e1p-3, -0x1.2492492488296p-3,
                   0x1.c71c71c01b24cp-4);
  p = GA_WIDE_FMA(turn, 0x1.678afae35cdd1p-55, t * w * p);
  return __builtin_copysign(ga_long_sum(turn, t, p), x);
}
GA_FN int ga_long_edge_arctan2(ga_double y, ga_double x)
{
  ga_double a = __builtin_fabs(x), b = __builtin_fabs(y);
  return (int)(a == GA_INF_float64) & (int)(b == GA_INF_float64);
}
GA_WIDE_FN ga_double ga_long_arctan2(ga_double y, ga_double x)
{
  ga_double a = __builtin_fabs(x), b = __builtin_fabs(y), p;
  int steep = b > a;
  ga_ulong back = ga_wide_bits(x) >> 63;
  ga_double least = a < b ? a : b, most = b > a ? b : a; /* NaN is one of them */
  most = 0x1p-1074 > most ? 0x1p-1074 : most;            /* 0 / 0 is to be 0 */
  ga_double t = least / most, w = t * t;
  ga_long_powers ws = ga_long_powers_of(w);
  p = -0x1.8d087295ab9f4p-17;
  p = ga_long_next(p, ws, -0x1.aef1a8e977bf8p-8, 0x1.57cc888719aa0p-9, -0x1.8a2f3ae537bb1p-11,
                   0x1.1f0adb240a1fbp-13);
  p = ga_long_next(p, ws, -0x1.147b2825d82f6p-5, 0x1.c3ac54a572735p-6, -0x1.4b974a27ac39fp-6,
                   0x1.a1fe88baf72d4p-7);
  p = ga_long_next(p, ws, -0x1.af00bd568a3d2p-5, 0x1.854a7b99af61dp-5, -0x1.60ebd1489b946p-5,
                   0x1.3d3f26d5ea7ffp-5);
  p = ga_long_next(p, ws, -0x1.745d16f26d0a3p-4, 0x1.3b13aaf4aba4ap-4, -0x1.1110bfea8ed5ep-4,
                   0x1.e1dc0d7679adcp-5);
  p = ga_long_next(p, ws, -0x1.5555555555555p-2, 0x1.99999999998f9p-3, -0x1.249249248c7dap-3,
                   0x1.c71c71c472843p-4);
  p = t * w * p;
  ga_double turn = steep ? 0x1.921fb54442d18p+0 : back ? 0x1.921fb54442d18p+1 : 0.0;
  ga_double rest = steep ? 0x1.1a62633145c07p-54 : back ? 0x1.1a62633145c07p-53 : 0.0;
  ga_ulong flip = (back ^ (steep ? 1u : 0u)) << 63;
  t = ga_wide_number(ga_wide_bits(t) ^ flip);
  p = ga_wide_number(ga_wide_bits(p) ^ flip);
  return __builtin_copysign(ga_long_sum(turn, t, p + rest), y);
}
GA_FN ga_double ga_long_arcsin_of(ga_double w)
{
  ga_double p;
  ga_long_powers ws = ga_long_powers_of(w);
  p = 0x1.d72b2bc8155f8p-6;
  p = ga_long_next(p, ws, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8, 0x1.1d189408314eep-6,
                   -0x1.e6aaa8a0a04ccp-7);
  p = ga_long_next(p, ws, 0x1.6e8bb1c8209a2p-6, 0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7,
                   0x1.782651caa6547p-7);
  p = ga_long_next(p, ws, 0x1.5555555555556p-3, 0x1.3333333332ecap-4, 0x1.6db6db6e31f13p-5,
                   0x1.f1c71c1db0623p-6);
  return p * w;
}
GA_NO_EDGE(long, arcsin, ga_double)
GA_WIDE_FN ga_double ga_long_arcsin(ga_double x)
{
  ga_double a = __builtin_fabs(x), w, s, p, r;
  int far = a > 0.5;
  w = far ? GA_WIDE_FMA(a, -0.5, 0.5) : a * a;
  s = far ? -2 * __builtin_sqrt(w) : a;
  p = ga_long_arcsin_of(w);
  r = ga_long_sum(far ? 0x1.921fb54442d18p+0 : 0.0, s,
                  GA_WIDE_FMA(s, p, far ? 0x1.1a62633145c07p-54 : 0.0));
  return __builtin_copysign(r, x);
}
GA_NO_EDGE(long, arccos, ga_double)
GA_WIDE_FN ga_double ga_long_arccos(ga_double x)
{
  ga_double a = __builtin_fabs(x), w, s, p, turn, rest;
  int far = a > 0.5;
  w = far ? GA_WIDE_FMA(a, -0.5, 0.5) : x * x;
  s = far ? 2 * __builtin_sqrt(w) : -x;
  p = ga_long_arcsin_of(w);
  turn = far ? 0.0 : 0x1.921fb54442d18p+0;
  rest = far ? 0.0 : 0x1.1a62633145c07p-54;
  s = (far & (x < 0)) ? -s : s;
  turn = (far & (x < 0)) ? 0x1.921fb54442d18p+1 : turn;
  rest = (far & (x < 0)) ? 0x1.1a62633145c07p-53 : rest;
  return ga_long_sum(turn, s, GA_WIDE_FMA(s, p, rest));
}

#endif
