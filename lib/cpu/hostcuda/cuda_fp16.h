// SPDX-License-Identifier: MIT
// __half and __half2 for kernels compiled for the CPU: computed in float32 and
// rounded to nearest even after each operation, as the GPU's results are for
// + - * / and sqrt.
#pragma once

struct __half_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  constexpr __half(const __half_raw &r) : __x(r.x) {}
  __half(float f) : __x(ga_hc_float_to_half(f)) {}
  __half(double f) : __x(ga_hc_double_to_half(f)) {}
  __half(int i) : __half((double)i) {}
  __half(unsigned i) : __half((double)i) {}
  __half(long i) : __half((double)i) {}
  __half(unsigned long i) : __half((double)i) {}
  __half(long long i) : __half((double)i) {}
  __half(unsigned long long i) : __half((double)i) {}
  __half(short i) : __half((double)i) {}
  __half(unsigned short i) : __half((double)i) {}
  operator float() const { return ga_hc_half_to_float(__x); }
  operator __half_raw() const { return __half_raw{__x}; }
  explicit operator int() const { return (int)(float)*this; }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
typedef __half half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;

#define GA_HC_HALF_OPERATOR(op)                                                                  \
  GA_HC_FN __half operator op(__half a, __half b) { return __half((float)a op(float) b); }       \
  GA_HC_FN __half &operator op##=(__half &a, __half b) { return a = a op b; }                    \
  GA_HC_FN __half2 operator op(__half2 a, __half2 b) { return __half2(a.x op b.x, a.y op b.y); } \
  GA_HC_FN __half2 &operator op##=(__half2 &a, __half2 b) { return a = a op b; }
GA_HC_HALF_OPERATOR(+)
GA_HC_HALF_OPERATOR(-)
GA_HC_HALF_OPERATOR(*)
GA_HC_HALF_OPERATOR(/)
#define GA_HC_HALF_COMPARE(op) \
  GA_HC_FN bool operator op(__half a, __half b) { return (float)a op(float) b; }
GA_HC_HALF_COMPARE(==)
GA_HC_HALF_COMPARE(!=)
GA_HC_HALF_COMPARE(<)
GA_HC_HALF_COMPARE(>)
GA_HC_HALF_COMPARE(<=)
GA_HC_HALF_COMPARE(>=)
GA_HC_FN __half operator-(__half a) { return __half_raw{(unsigned short)(a.__x ^ 0x8000)}; }
GA_HC_FN __half operator+(__half a) { return a; }
GA_HC_FN __half2 operator-(__half2 a) { return __half2(-a.x, -a.y); }

GA_HC_FN float __half2float(__half h) { return (float)h; }
GA_HC_FN __half __float2half(float f) { return __half(f); }
GA_HC_FN __half __float2half_rn(float f) { return __half(f); }
GA_HC_FN __half __double2half(double f) { return __half(f); }
GA_HC_FN __half2 __floats2half2_rn(float x, float y) { return __half2(__half(x), __half(y)); }
GA_HC_FN __half2 __float2half2_rn(float x) { return __floats2half2_rn(x, x); }
GA_HC_FN __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
GA_HC_FN float2 __half22float2(__half2 h) { return float2{(float)h.x, (float)h.y}; }
GA_HC_FN __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
GA_HC_FN __half2 make_half2(__half x, __half y) { return __half2(x, y); }
GA_HC_FN __half2 __half2half2(__half x) { return __half2(x, x); }
GA_HC_FN __half __low2half(__half2 h) { return h.x; }
GA_HC_FN __half __high2half(__half2 h) { return h.y; }
GA_HC_FN float __low2float(__half2 h) { return (float)h.x; }
GA_HC_FN float __high2float(__half2 h) { return (float)h.y; }
GA_HC_FN __half2 __lowhigh2highlow(__half2 h) { return __half2(h.y, h.x); }
GA_HC_FN __half __ushort_as_half(unsigned short u) { return __half_raw{u}; }
GA_HC_FN __half __short_as_half(short u) { return __half_raw{(unsigned short)u}; }
GA_HC_FN unsigned short __half_as_ushort(__half h) { return h.__x; }
GA_HC_FN short __half_as_short(__half h) { return (short)h.__x; }
GA_HC_FN int __half2int_rn(__half h) { return __float2int_rn(h); }
GA_HC_FN int __half2int_rz(__half h) { return __float2int_rz(h); }
GA_HC_FN int __half2int_rd(__half h) { return __float2int_rd(h); }
GA_HC_FN int __half2int_ru(__half h) { return __float2int_ru(h); }
GA_HC_FN __half __int2half_rn(int i) { return __half(i); }
GA_HC_FN __half __uint2half_rn(unsigned i) { return __half(i); }

#define GA_HC_HALF_NAMED(name, expr)                             \
  GA_HC_FN __half __h##name(__half a, __half b) { return expr; } \
  GA_HC_FN __half2 __h##name##2(__half2 a, __half2 b)            \
  {                                                              \
    return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y));    \
  }
GA_HC_HALF_NAMED(add, a + b)
GA_HC_HALF_NAMED(sub, a - b)
GA_HC_HALF_NAMED(mul, a *b)
GA_HC_HALF_NAMED(max, __half(__builtin_fmaxf(a, b)))
GA_HC_HALF_NAMED(min, __half(__builtin_fminf(a, b)))
GA_HC_FN __half __hdiv(__half a, __half b) { return a / b; }
GA_HC_FN __half2 __h2div(__half2 a, __half2 b) { return a / b; }
GA_HC_FN __half __hneg(__half a) { return -a; }
GA_HC_FN __half2 __hneg2(__half2 a) { return -a; }
GA_HC_FN __half __habs(__half a) { return __half_raw{(unsigned short)(a.__x & 0x7fff)}; }
GA_HC_FN __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
// The product of two halfs is exact in float32 and the sum in float64.
GA_HC_FN __half __hfma(__half a, __half b, __half c)
{
  return __half((double)(float)a * (double)(float)b + (double)(float)c);
}
GA_HC_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
  return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
GA_HC_FN bool __heq(__half a, __half b) { return a == b; }
GA_HC_FN bool __hne(__half a, __half b) { return a != b; }
GA_HC_FN bool __hlt(__half a, __half b) { return a < b; }
GA_HC_FN bool __hgt(__half a, __half b) { return a > b; }
GA_HC_FN bool __hle(__half a, __half b) { return a <= b; }
GA_HC_FN bool __hge(__half a, __half b) { return a >= b; }
GA_HC_FN bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
GA_HC_FN int __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00; }

#define GA_HC_HALF_MATH(name, f)                                    \
  GA_HC_FN __half h##name(__half a) { return __half(f((float)a)); } \
  GA_HC_FN __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
GA_HC_HALF_MATH(sqrt, __builtin_sqrtf)
GA_HC_HALF_MATH(rsqrt, rsqrtf)
GA_HC_HALF_MATH(exp, __builtin_expf)
GA_HC_HALF_MATH(exp2, __builtin_exp2f)
GA_HC_HALF_MATH(log, __builtin_logf)
GA_HC_HALF_MATH(log2, __builtin_log2f)
GA_HC_HALF_MATH(log10, __builtin_log10f)
GA_HC_HALF_MATH(sin, __builtin_sinf)
GA_HC_HALF_MATH(cos, __builtin_cosf)
GA_HC_HALF_MATH(floor, __builtin_floorf)
GA_HC_HALF_MATH(ceil, __builtin_ceilf)
GA_HC_HALF_MATH(trunc, __builtin_truncf)
GA_HC_HALF_MATH(rint, __builtin_rintf)
GA_HC_FN __half hrcp(__half a) { return __half(1.0f / (float)a); }

GA_HC_ATOMIC_FN __half atomicAdd(__half *p, __half v){
    GA_HC_REPLACE(__half, unsigned short, p, old + v)} GA_HC_FN __half2
    atomicAdd(__half2 *p, __half2 v)
{
  return __half2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}
