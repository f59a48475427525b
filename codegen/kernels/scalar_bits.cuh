/* SPDX-License-Identifier: MIT */
/* Bit patterns of floating numbers, and the C functions that compile to one
 * instruction, under one name for every compiler. What the other scalar files
 * stand on. */
#ifndef GA_SCALAR_BITS_CUH
#define GA_SCALAR_BITS_CUH

#include "types.cuh"
#include "use.cuh"

/* GA_C(floorf): the function of C's maths library. On the host the builtin,
 * which needs no header; only functions that are exact are called so. */
#if GA_DEVICE
#define GA_C(f) f
#else
#define GA_C(f) __builtin_##f
#endif

#if GA_DEVICE
GA_FN ga_uint ga_bits_float32(ga_float x) { return __float_as_uint(x); }
GA_FN ga_float ga_frombits_float32(ga_uint u) { return __uint_as_float(u); }
GA_FN ga_ulong ga_bits_float64(ga_double x) { return (ga_ulong)__double_as_longlong(x); }
GA_FN ga_double ga_frombits_float64(ga_ulong u) { return __longlong_as_double((ga_long)u); }
#else
GA_FN ga_uint ga_bits_float32(ga_float x) {
  union { ga_float f; ga_uint u; } v = {.f = x};
  return v.u;
}
GA_FN ga_float ga_frombits_float32(ga_uint u) {
  union { ga_uint u; ga_float f; } v = {.u = u};
  return v.f;
}
GA_FN ga_ulong ga_bits_float64(ga_double x) {
  union { ga_double f; ga_ulong u; } v = {.f = x};
  return v.u;
}
GA_FN ga_double ga_frombits_float64(ga_ulong u) {
  union { ga_ulong u; ga_double f; } v = {.u = u};
  return v.f;
}
#endif

#define GA_INF_float32 ga_frombits_float32(0x7f800000u)
#define GA_INF_float64 ga_frombits_float64(0x7ff0000000000000ull)
#define GA_NAN_float32 ga_frombits_float32(0x7fc00000u)
#define GA_NAN_float64 ga_frombits_float64(0x7ff8000000000000ull)

/* What integers, bool and real floats have in common. */
#if GA_USE_ORDER
#define GA_ORDER(T, C)                                                 \
  GA_FN ga_bool ga_equal_##T(C a, C b) { return a == b; }              \
  GA_FN ga_bool ga_not_equal_##T(C a, C b) { return a != b; }          \
  GA_FN ga_bool ga_less_##T(C a, C b) { return a < b; }                \
  GA_FN ga_bool ga_less_equal_##T(C a, C b) { return a <= b; }         \
  GA_FN ga_bool ga_greater_##T(C a, C b) { return a > b; }             \
  GA_FN ga_bool ga_greater_equal_##T(C a, C b) { return a >= b; }      \
  GA_FN C ga_where_##T(ga_bool c, C a, C b) { return c ? a : b; }
#else
#define GA_ORDER(T, C)
#endif

#endif
