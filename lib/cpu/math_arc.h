/* SPDX-License-Identifier: MIT */
/* Arcus functions of float32, computed as those of math_near.h. */
#ifndef GA_CPU_MATH_ARC_H
#define GA_CPU_MATH_ARC_H

/* arctan |x| = turn + arctan t, |t| <= 1/2: turn is 0, pi/4 or pi/2. */
GA_NO_EDGE(wide, arctan, ga_float)
GA_WIDE_FN ga_float ga_wide_arctan(ga_float x)
{
  ga_float a = __builtin_fabsf(x);
  int some = a > 0.5f, much = a > 2;
  ga_float over = much ? -1.0f : some ? a - 1 : a, under = much ? a : some ? a + 1 : 1.0f;
  ga_float turn = much ? 0x1.921fb6p+0f : some ? 0x1.921fb6p-1f : 0.0f;
  ga_float t = over / under, w = t * t;
  ga_float p = 0x1.5a2b0ep-5f;
  p = GA_NEAR_FMA(p, w, -0x1.51538ap-4f);
  p = GA_NEAR_FMA(p, w, 0x1.c2d782p-4f);
  p = GA_NEAR_FMA(p, w, -0x1.247348p-3f);
  p = GA_NEAR_FMA(p, w, 0x1.9998f2p-3f);
  p = GA_NEAR_FMA(p, w, -0x1.555556p-2f);
  p = GA_NEAR_FMA(turn, -0x1.de9de0p-26f, t * w * p);
  return __builtin_copysignf(ga_near_sum(turn, t, p), x);
}

/* r = arctan of the smaller over the larger; pi/2 - r where y is the larger, pi less that where x
 * has a sign. */
GA_FN int ga_wide_edge_arctan2(ga_float y, ga_float x)
{
  ga_float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  return (int)(a == GA_INF_float32) & (int)(b == GA_INF_float32);
}
GA_WIDE_FN ga_float ga_wide_arctan2(ga_float y, ga_float x)
{
  ga_float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  int steep = b > a, back = ga_wide_bits32(x) >> 31;
  ga_int u = (ga_int)ga_wide_bits32(a), v = (ga_int)ga_wide_bits32(b);
  ga_int least = u < v ? u : v, most = u > v ? u : v;
  most = most > 1 ? most : 1; /* 0 / 0 is to be 0 */
  ga_float t = ga_wide_number32((ga_uint)least) / ga_wide_number32((ga_uint)most), w = t * t;
  ga_float p = -0x1.38de56p-9f;
  p = GA_NEAR_FMA(p, w, 0x1.ba9f66p-7f);
  p = GA_NEAR_FMA(p, w, -0x1.25dc12p-5f);
  p = GA_NEAR_FMA(p, w, 0x1.0001c6p-4f);
  p = GA_NEAR_FMA(p, w, -0x1.6295f8p-4f);
  p = GA_NEAR_FMA(p, w, 0x1.c3f168p-4f);
  p = GA_NEAR_FMA(p, w, -0x1.246cd2p-3f);
  p = GA_NEAR_FMA(p, w, 0x1.99983cp-3f);
  p = GA_NEAR_FMA(p, w, -0x1.555554p-2f);
  p = t * w * p;
  ga_float turn = steep ? 0x1.921fb6p+0f : back ? 0x1.921fb6p+1f : 0.0f;
  ga_float rest = steep ? -0x1.777a5cp-25f : back ? -0x1.777a5cp-24f : 0.0f;
  ga_uint flip = (ga_uint)(steep != back) << 31;
  t = ga_wide_number32(ga_wide_bits32(t) ^ flip);
  p = ga_wide_number32(ga_wide_bits32(p) ^ flip);
  return __builtin_copysignf(ga_near_sum(turn, t, p + rest), y);
}

/* arcsin s = s + s P for w = s^2 <= 1/4: P. Beyond, arcsin x is pi/2 - 2 arcsin sqrt((1 - x)/2). */
GA_FN ga_float ga_near_arcsin(ga_float w)
{
  ga_float p = 0x1.13fed4p-5f;
  p = GA_NEAR_FMA(p, w, 0x1.18f91ep-6f);
  p = GA_NEAR_FMA(p, w, 0x1.fd8da2p-6f);
  p = GA_NEAR_FMA(p, w, 0x1.6d5bbap-5f);
  p = GA_NEAR_FMA(p, w, 0x1.333430p-4f);
  return GA_NEAR_FMA(p, w, 0x1.555554p-3f) * w;
}
GA_NO_EDGE(wide, arcsin, ga_float)
GA_WIDE_FN ga_float ga_wide_arcsin(ga_float x)
{
  ga_float a = __builtin_fabsf(x), w, s, p, r;
  int far = a > 0.5f;
  w = far ? GA_NEAR_FMA(a, -0.5f, 0.5f) : a * a;
  s = far ? -2 * __builtin_sqrtf(w) : a;
  p = ga_near_arcsin(w);
  r = ga_near_sum(far ? 0x1.921fb6p+0f : 0.0f, s, GA_NEAR_FMA(s, p, far ? -0x1.777a5cp-25f : 0.0f));
  return __builtin_copysignf(r, x);
}
GA_NO_EDGE(wide, arccos, ga_float)
GA_WIDE_FN ga_float ga_wide_arccos(ga_float x)
{
  ga_float a = __builtin_fabsf(x), w, s, p, turn, rest;
  int far = a > 0.5f;
  w = far ? GA_NEAR_FMA(a, -0.5f, 0.5f) : x * x;
  s = far ? 2 * __builtin_sqrtf(w) : -x;
  p = ga_near_arcsin(w);
  turn = far ? 0.0f : 0x1.921fb6p+0f;
  rest = far ? 0.0f : -0x1.777a5cp-25f;
  s = (far & (x < 0)) ? -s : s;
  turn = (far & (x < 0)) ? 0x1.921fb6p+1f : turn;
  rest = (far & (x < 0)) ? -0x1.777a5cp-24f : rest;
  return ga_near_sum(turn, s, GA_NEAR_FMA(s, p, rest));
}

#endif
