/* SPDX-License-Identifier: MIT */
/* floor, ceil, trunc and rint for an x86-64 processor's oldest instruction set, which has no
 * instruction for them: in place of the compiler's builtins, which would call the C library
 * for each element and keep loops from becoming vectors.
 *
 * Adding 2^23 (float64: 2^52) to a smaller positive number rounds it to an integer, to nearest
 * and ties to even; one step towards where it was to go corrects it. */
#ifndef GA_CPU_ROUNDING_H
#define GA_CPU_ROUNDING_H

#if defined(__SSE2__) && !defined(__SSE4_1__)

#include "codegen/kernels/scalar_bits.cuh"

#define GA_ROUNDING(T, C, U, s, WHOLE)                                                \
  GA_FN C ga_plain_signed_##T(C r, C x)                                               \
  {                                                                                   \
    return ga_frombits_##T(ga_bits_##T(r) | (ga_bits_##T(x) & ga_bits_##T((C)-0.0))); \
  }                                                                                   \
  GA_FN C ga_plain_near_##T(C x)                                                      \
  {                                                                                   \
    return ga_plain_signed_##T((__builtin_fabs##s(x) + WHOLE) - WHOLE, x);            \
  }                                                                                   \
  GA_FN C ga_plain_rint_##T(C x)                                                      \
  {                                                                                   \
    C r = ga_plain_near_##T(x);                                                       \
    return __builtin_fabs##s(x) < WHOLE ? r : x;                                      \
  }                                                                                   \
  GA_FN C ga_plain_floor_##T(C x)                                                     \
  {                                                                                   \
    C r = ga_plain_near_##T(x);                                                       \
    r -= r > x ? (C)1 : (C)0;                                                         \
    return __builtin_fabs##s(x) < WHOLE ? r : x;                                      \
  }                                                                                   \
  GA_FN C ga_plain_ceil_##T(C x)                                                      \
  {                                                                                   \
    C r = ga_plain_near_##T(x);                                                       \
    r = ga_plain_signed_##T(r + (r < x ? (C)1 : (C)0), x);                            \
    return __builtin_fabs##s(x) < WHOLE ? r : x;                                      \
  }                                                                                   \
  GA_FN C ga_plain_trunc_##T(C x)                                                     \
  {                                                                                   \
    return ga_plain_signed_##T(ga_plain_floor_##T(__builtin_fabs##s(x)), x);          \
  }
GA_ROUNDING(float32, ga_float, ga_uint, f, 0x1p23f)
GA_ROUNDING(float64, ga_double, ga_ulong, , 0x1p52)

#define __builtin_rintf  ga_plain_rint_float32
#define __builtin_rint   ga_plain_rint_float64
#define __builtin_floorf ga_plain_floor_float32
#define __builtin_floor  ga_plain_floor_float64
#define __builtin_ceilf  ga_plain_ceil_float32
#define __builtin_ceil   ga_plain_ceil_float64
#define __builtin_truncf ga_plain_trunc_float32
#define __builtin_trunc  ga_plain_trunc_float64

#endif

#endif
