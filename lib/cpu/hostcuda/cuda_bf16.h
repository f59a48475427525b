// SPDX-License-Identifier: MIT
// __nv_bfloat16 and __nv_bfloat162 for kernels compiled for the CPU.
#pragma once
#define __CUDA_BF16_H__ // the toolkit's own is not wanted beside it

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
  __nv_bfloat16(float f) : __x(ga_hc_float_to_bfloat(f)) {}
  __nv_bfloat16(double f) : __x(ga_hc_double_to_bfloat(f)) {}
  GA_HC_WHOLE_NUMBERS(__nv_bfloat16)
  operator float() const { return __uint_as_float((unsigned)__x << 16); }
  operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  explicit operator bool() const { return (__x & 0x7fff) != 0; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
  __nv_bfloat162(const __nv_bfloat162_raw &r) : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y})
  {
  }
  operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{x.__x, y.__x}; }
};
typedef __nv_bfloat162 nv_bfloat162;

#define GA_HC_H        __nv_bfloat16
#define GA_HC_H2       __nv_bfloat162
#define GA_HC_W(a, b)  a##bfloat16##b
#define GA_HC_INFINITE 0x7f80
#include "hostcuda_halves.hpp"
#undef GA_HC_INFINITE
#undef GA_HC_H
#undef GA_HC_H2
#undef GA_HC_W

GA_HC_FN __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }

#define CUDART_INF_BF16        __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16        __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16        __ushort_as_bfloat16((unsigned short)0x3f80)
