// SPDX-License-Identifier: MIT
// Integer and bit intrinsics, and the same bits as another type.
#pragma once

GA_HC_FN int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
GA_HC_FN int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
GA_HC_FN int __popc(unsigned x) { return __builtin_popcount(x); }
GA_HC_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
GA_HC_FN int __ffs(int x) { return __builtin_ffs(x); }
GA_HC_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
GA_HC_FN unsigned __brev(unsigned x)
{
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
GA_HC_FN unsigned long long __brevll(unsigned long long x)
{
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
GA_HC_FN unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
GA_HC_FN unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
GA_HC_FN unsigned long long __nv_bswap64(unsigned long long x) { return __builtin_bswap64(x); }
GA_HC_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
  unsigned long long v = (unsigned long long)b << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) {
    unsigned k = s >> 4 * i & 15, byte = (unsigned)(v >> 8 * (k & 7)) & 255;
    if (k & 8) byte = byte & 128 ? 255 : 0;
    r |= byte << 8 * i;
  }
  return r;
}
GA_HC_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s)
{
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (s & 31)) >> 32);
}
GA_HC_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s)
{
  return (unsigned)(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
GA_HC_FN unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s)
{
  return s >= 32 ? lo : __funnelshift_l(lo, hi, s);
}
GA_HC_FN unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s)
{
  return s >= 32 ? hi : __funnelshift_r(lo, hi, s);
}

GA_HC_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
GA_HC_FN unsigned __umulhi(unsigned a, unsigned b)
{
  return (unsigned)((unsigned long long)a * b >> 32);
}
__extension__ typedef __int128 ga_hc_int128;
__extension__ typedef unsigned __int128 ga_hc_uint128;
GA_HC_FN long long __mul64hi(long long a, long long b)
{
  return (long long)((ga_hc_int128)a * b >> 64);
}
GA_HC_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
  return (unsigned long long)((ga_hc_uint128)a * b >> 64);
}
GA_HC_FN int __mul24(int a, int b)
{
  return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
GA_HC_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
GA_HC_FN unsigned __sad(int a, int b, unsigned c)
{
  return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
GA_HC_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
GA_HC_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
GA_HC_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
GA_HC_FN unsigned __uhadd(unsigned a, unsigned b)
{
  return (unsigned)(((unsigned long long)a + b) >> 1);
}
GA_HC_FN unsigned __urhadd(unsigned a, unsigned b)
{
  return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
// The place of the n-th bit set from `base` on: upwards, downwards for a negative n;
// for 0 `base` itself must be set. ~0: there is none.
GA_HC_FN unsigned __fns(unsigned mask, unsigned base, int n)
{
  const int step = n < 0 ? -1 : 1;
  if (n == 0) return mask >> (base & 31) & 1 ? base : ~0u;
  for (int i = (int)base; i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) != 0 && (n -= step) == 0) return (unsigned)i;
  return ~0u;
}

// ---- the same bits as another type -------------------------------------------------

template <class T, class F> GA_HC_FN T ga_hc_bits(F f)
{
  static_assert(sizeof(T) == sizeof(F), "");
  T t;
  __builtin_memcpy(&t, &f, sizeof t);
  return t;
}
GA_HC_FN int __float_as_int(float x) { return ga_hc_bits<int>(x); }
GA_HC_FN unsigned __float_as_uint(float x) { return ga_hc_bits<unsigned>(x); }
GA_HC_FN float __int_as_float(int x) { return ga_hc_bits<float>(x); }
GA_HC_FN float __uint_as_float(unsigned x) { return ga_hc_bits<float>(x); }
GA_HC_FN long long __double_as_longlong(double x) { return ga_hc_bits<long long>(x); }
GA_HC_FN double __longlong_as_double(long long x) { return ga_hc_bits<double>(x); }
GA_HC_FN int __double2hiint(double x) { return (int)(ga_hc_bits<long long>(x) >> 32); }
GA_HC_FN int __double2loint(double x) { return (int)ga_hc_bits<long long>(x); }
GA_HC_FN double __hiloint2double(int hi, int lo)
{
  return ga_hc_bits<double>((long long)hi << 32 | (unsigned)lo);
}
