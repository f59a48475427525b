// SPDX-License-Identifier: MIT
// Conversions between numbers as CUDA makes them.
#pragma once

// Into an integer type as the GPU does it: what does not fit saturates; a NaN is 0,
// where either has 64 bits the type's highest bit. `low` and `high` bound what fits:
// [low, high).
template <class T, class F> GA_HC_FN T ga_hc_saturate(F x, F low, F high, T least, T most)
{
  if (!(x == x)) return sizeof(F) > 4 || sizeof(T) > 4 ? (T)(1ull << (8 * sizeof(T) - 1)) : 0;
  return x < low ? least : x >= high ? most : (T)x;
}
#define GA_HC_INTO(name, T, low, high, least, most)                      \
  GA_HC_FN T ga_hc_into_##name(float x)                                  \
  {                                                                      \
    return ga_hc_saturate<T>(x, (float)low, (float)high, least, most);   \
  }                                                                      \
  GA_HC_FN T ga_hc_into_##name(double x)                                 \
  {                                                                      \
    return ga_hc_saturate<T>(x, (double)low, (double)high, least, most); \
  }
GA_HC_INTO(int, int, -0x1p31, 0x1p31, -__INT_MAX__ - 1, __INT_MAX__)
GA_HC_INTO(uint, unsigned, 0, 0x1p32, 0u, ~0u)
GA_HC_INTO(ll, long long, -0x1p63, 0x1p63, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__)
GA_HC_INTO(ull, unsigned long long, 0, 0x1p64, 0ull, ~0ull)

#define GA_HC_CONVERT(F, f, s, I)                                                       \
  GA_HC_FN auto __##F##2##I##_rn(f x) { return ga_hc_into_##I(__builtin_rint##s(x)); }  \
  GA_HC_FN auto __##F##2##I##_rz(f x) { return ga_hc_into_##I(__builtin_trunc##s(x)); } \
  GA_HC_FN auto __##F##2##I##_ru(f x) { return ga_hc_into_##I(__builtin_ceil##s(x)); }  \
  GA_HC_FN auto __##F##2##I##_rd(f x) { return ga_hc_into_##I(__builtin_floor##s(x)); }
GA_HC_CONVERT(float, float, f, int)
GA_HC_CONVERT(float, float, f, uint)
GA_HC_CONVERT(float, float, f, ll)
GA_HC_CONVERT(float, float, f, ull)
GA_HC_CONVERT(double, double, , int)
GA_HC_CONVERT(double, double, , uint)
GA_HC_CONVERT(double, double, , ll)
GA_HC_CONVERT(double, double, , ull)
GA_HC_FN float __int2float_rn(int x) { return (float)x; }
GA_HC_FN float __uint2float_rn(unsigned x) { return (float)x; }
GA_HC_FN float __ll2float_rn(long long x) { return (float)x; }
GA_HC_FN float __ull2float_rn(unsigned long long x) { return (float)x; }
GA_HC_FN double __int2double_rn(int x) { return x; }
GA_HC_FN double __uint2double_rn(unsigned x) { return x; }
GA_HC_FN double __ll2double_rn(long long x) { return (double)x; }
GA_HC_FN double __ull2double_rn(unsigned long long x) { return (double)x; }
GA_HC_FN float __double2float_rn(double x) { return (float)x; }

// float16 to and from float32, to nearest even, as M. Dukhan's FP16 does it
// (codegen/kernels/scalar_half.cuh says how).
GA_HC_FN float ga_hc_half_to_float(unsigned short h)
{
  unsigned w = (unsigned)h << 16, sign = w & 0x80000000u, two = w + w;
  unsigned normal = __float_as_uint(__uint_as_float((two >> 4) + 0x70000000u) * 0x1p-112f);
  unsigned tiny = __float_as_uint(__uint_as_float((two >> 17) | 0x3f000000u) - 0.5f);
  return __uint_as_float(sign | (two < 0x08000000u ? tiny : normal));
}
GA_HC_FN unsigned short ga_hc_float_to_half(float a)
{
  unsigned w = __float_as_uint(a), two = w + w, sign = w >> 16 & 0x8000u;
  float base = (__uint_as_float(w & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;
  unsigned bias = two & 0xff000000u;
  if (bias < 0x71000000u) bias = 0x71000000u;
  base = __uint_as_float((bias >> 1) + 0x07800000u) + base;
  unsigned bits = __float_as_uint(base);
  unsigned number = (bits >> 13 & 0x7c00u) + (bits & 0x0fffu);
  return (unsigned short)(two > 0xff000000u ? 0x7fffu : sign | number);
}

GA_HC_FN unsigned short ga_hc_float_to_bfloat(float a)
{
  unsigned w = __float_as_uint(a);
  bool number = (w & 0x7fffffffu) <= 0x7f800000u;
  return (unsigned short)(number ? (w + 0x7fffu + (w >> 16 & 1)) >> 16 : 0x7fffu);
}

// From wider types by one rounded to odd, so that the result is rounded once.
GA_HC_FN float ga_hc_odd_float(double d)
{
  float f = (float)d;
  unsigned w = __float_as_uint(f);
  if ((double)f != d && d == d && !(w & 1) && (w & 0x7f800000u) != 0x7f800000u)
    w += (__builtin_fabs((double)f) < __builtin_fabs(d)) ? 1u : ~0u;
  return __uint_as_float(w);
}
GA_HC_FN unsigned short ga_hc_double_to_half(double d)
{
  return ga_hc_float_to_half(ga_hc_odd_float(d));
}
GA_HC_FN unsigned short ga_hc_double_to_bfloat(double d)
{
  return ga_hc_float_to_bfloat(ga_hc_odd_float(d));
}
// The sum, rounded to odd where it is not exact: what is rounded again is as if rounded once.
GA_HC_FN double ga_hc_add_odd(double a, double b)
{
  double sum = a + b, back = sum - a, rest = (a - (sum - back)) + (b - back);
  long long bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if ((rest < 0 || rest > 0) && (bits & 1) == 0) bits += rest > 0 == sum > 0 ? 1 : -1;
  __builtin_memcpy(&sum, &bits, sizeof sum);
  return sum;
}
GA_HC_FN double ga_hc_odd_double(unsigned long long i)
{
  return i >> 53 == 0 ? (double)i : (double)(i >> 11 | ((i & 2047) != 0)) * 2048;
}
GA_HC_FN double ga_hc_odd_double(long long i)
{
  return i < 0 ? -ga_hc_odd_double(0 - (unsigned long long)i)
               : ga_hc_odd_double((unsigned long long)i);
}
GA_HC_FN double ga_hc_odd_double(unsigned long i)
{
  return ga_hc_odd_double((unsigned long long)i);
}
GA_HC_FN double ga_hc_odd_double(long i) { return ga_hc_odd_double((long long)i); }

// A whole number to a narrower type, which it saturates.
template <class T, class W> GA_HC_FN T ga_hc_narrow(W i)
{
  const bool is_signed = (T)-1 < 0;
  if (sizeof(T) >= sizeof(W)) return (T)i;
  const W most = ((W)1 << (8 * sizeof(T) - is_signed) % (8 * sizeof(W))) - 1;
  const W least = is_signed ? -most - 1 : 0;
  return (T)(i < least ? least : i > most ? most : i);
}

// Members of a type of 16 bits: from whole numbers, and towards zero to them.
#define GA_HC_WHOLE_NUMBER(self, type, real, wide)                                \
  self(type i) : self(real(i)) {}                                                 \
  explicit operator type() const                                                  \
  {                                                                               \
    return ga_hc_narrow<type>(ga_hc_into_##wide(__builtin_truncf((float)*this))); \
  }
#define GA_HC_WHOLE_NUMBERS(self)                                \
  GA_HC_WHOLE_NUMBER(self, char, (double), int)                  \
  GA_HC_WHOLE_NUMBER(self, signed char, (double), int)           \
  GA_HC_WHOLE_NUMBER(self, unsigned char, (double), uint)        \
  GA_HC_WHOLE_NUMBER(self, short, (double), int)                 \
  GA_HC_WHOLE_NUMBER(self, unsigned short, (double), uint)       \
  GA_HC_WHOLE_NUMBER(self, int, (double), int)                   \
  GA_HC_WHOLE_NUMBER(self, unsigned, (double), uint)             \
  GA_HC_WHOLE_NUMBER(self, long, ga_hc_odd_double, ll)           \
  GA_HC_WHOLE_NUMBER(self, unsigned long, ga_hc_odd_double, ull) \
  GA_HC_WHOLE_NUMBER(self, long long, ga_hc_odd_double, ll)      \
  GA_HC_WHOLE_NUMBER(self, unsigned long long, ga_hc_odd_double, ull)
