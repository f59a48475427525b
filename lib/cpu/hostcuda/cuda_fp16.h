// SPDX-License-Identifier: MIT
// __half and __half2 for kernels compiled for the CPU.
#pragma once
#define __CUDA_FP16_H__ // the toolkit's own is not wanted beside it

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  constexpr __half(const __half_raw &r) : __x(r.x) {}
  __half(float f) : __x(ga_hc_float_to_half(f)) {}
  __half(double f) : __x(ga_hc_double_to_half(f)) {}
  GA_HC_WHOLE_NUMBERS(__half)
  operator float() const { return ga_hc_half_to_float(__x); }
  operator __half_raw() const { return __half_raw{__x}; }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
typedef __half half;
typedef __half __nv_half;
typedef __half nv_half;

struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half x, __half y) : x(x), y(y) {}
  __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
  operator __half2_raw() const { return __half2_raw{x.__x, y.__x}; }
};
typedef __half2 half2;
typedef __half2 __nv_half2;
typedef __half2 nv_half2;

#define GA_HC_H        __half
#define GA_HC_H2       __half2
#define GA_HC_W(a, b)  a##half##b
#define GA_HC_INFINITE 0x7c00
#include "hostcuda_halves.hpp"
#undef GA_HC_INFINITE
#undef GA_HC_H
#undef GA_HC_H2
#undef GA_HC_W

GA_HC_FN __half2 __half2half2(__half a) { return __half2(a, a); }

#define CUDART_INF_FP16        __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16        __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16       __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16        __ushort_as_half((unsigned short)0x3c00)
