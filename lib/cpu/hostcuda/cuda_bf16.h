// SPDX-License-Identifier: MIT
// __nv_bfloat16 and __nv_bfloat162 for kernels compiled for the CPU: computed in
// float32 and rounded to nearest even after each operation.
#pragma once

GA_HC_FN unsigned short ga_hc_float_to_bfloat(float a)
{
  unsigned w = __float_as_uint(a), up = w + 0x7fffu + (w >> 16 & 1);
  return (unsigned short)((a != a ? w | 0x400000u : up) >> 16);
}

struct __nv_bfloat16_raw {
  unsigned short x;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
  __nv_bfloat16(float f) : __x(ga_hc_float_to_bfloat(f)) {}
  __nv_bfloat16(double f) : __nv_bfloat16((float)f) {}
  __nv_bfloat16(int i) : __nv_bfloat16((float)i) {}
  operator float() const { return __uint_as_float((unsigned)__x << 16); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat162 nv_bfloat162;

#define GA_HC_BFLOAT_OPERATOR(op)                                                                  \
  GA_HC_FN __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b)                             \
  {                                                                                                \
    return __nv_bfloat16((float)a op(float) b);                                                    \
  }                                                                                                \
  GA_HC_FN __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = a op b; } \
  GA_HC_FN __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b)                          \
  {                                                                                                \
    return __nv_bfloat162(a.x op b.x, a.y op b.y);                                                 \
  }
GA_HC_BFLOAT_OPERATOR(+)
GA_HC_BFLOAT_OPERATOR(-)
GA_HC_BFLOAT_OPERATOR(*)
GA_HC_BFLOAT_OPERATOR(/)
#define GA_HC_BFLOAT_COMPARE(op) \
  GA_HC_FN bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op(float) b; }
GA_HC_BFLOAT_COMPARE(==)
GA_HC_BFLOAT_COMPARE(!=)
GA_HC_BFLOAT_COMPARE(<)
GA_HC_BFLOAT_COMPARE(>)
GA_HC_BFLOAT_COMPARE(<=)
GA_HC_BFLOAT_COMPARE(>=)
GA_HC_FN __nv_bfloat16 operator-(__nv_bfloat16 a)
{
  return __nv_bfloat16_raw{(unsigned short)(a.__x ^ 0x8000)};
}

GA_HC_FN float __bfloat162float(__nv_bfloat16 h) { return (float)h; }
GA_HC_FN __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
GA_HC_FN __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
GA_HC_FN __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
GA_HC_FN __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
  return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
GA_HC_FN float2 __bfloat1622float2(__nv_bfloat162 h) { return float2{(float)h.x, (float)h.y}; }
GA_HC_FN __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __nv_bfloat16_raw{u}; }
GA_HC_FN unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
GA_HC_FN __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
GA_HC_FN __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
GA_HC_FN __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
GA_HC_FN __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
GA_HC_FN __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
GA_HC_FN __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
  return __nv_bfloat16(__builtin_fmaf(a, b, c));
}
GA_HC_ATOMIC_FN __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v){
    GA_HC_REPLACE(__nv_bfloat16, unsigned short, p, old + v)} GA_HC_FN __nv_bfloat162
    atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
  return __nv_bfloat162(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}
