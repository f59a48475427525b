/* SPDX-License-Identifier: MIT */
/* float16 and bfloat16 to and from float32, and their exact operations:
 * computed in float32 and rounded to nearest even after each. For + - * / and
 * sqrt this is the correctly rounded result (float32 has more than twice their
 * digits plus two; products and quotients of bfloat16 that are subnormal may be
 * rounded twice). So a GPU's own + - * of float16 and + - of bfloat16 give the
 * same, without conversions.
 *
 * The conversions have no branch, so that a loop over them becomes vector code.
 * float16's are M. Dukhan's (FP16): to float32, by a multiplication that shifts
 * the exponent and for subnormals by a subtraction of a magic number; back, by
 * two multiplications that saturate and an addition that rounds at the right
 * bit. A GPU has instructions for both. A NaN keeps its upper bits and becomes
 * quiet, as the processors' instructions have it. */
#ifndef GA_SCALAR_HALF_CUH
#define GA_SCALAR_HALF_CUH

#include "scalar_float.cuh"

#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
GA_FN ga_float ga_cast_float16_float32(ga_half a) {
  ga_float r;
  asm("{ .reg .b16 h; mov.b16 h, %1; cvt.f32.f16 %0, h; }" : "=f"(r) : "h"(a.data));
  return r;
}
GA_FN ga_half ga_cast_float32_float16(ga_float a) {
  ga_half r;
  asm("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; mov.b16 %0, h; }" : "=h"(r.data) : "f"(a));
  return r;
}
#else
GA_FN ga_float ga_cast_float16_float32(ga_half a) {
  ga_uint w = (ga_uint)a.data << 16, sign = w & 0x80000000u, two = w + w;
  ga_uint normal = ga_bits_float32(ga_frombits_float32((two >> 4) + 0x70000000u) * 0x1p-112f);
  ga_uint tiny = ga_bits_float32(ga_frombits_float32((two >> 17) | 0x3f000000u) - 0.5f);
  return ga_frombits_float32(sign | (two < 0x08000000u ? tiny : normal));
}
GA_FN ga_half ga_cast_float32_float16(ga_float a) {
  ga_uint w = ga_bits_float32(a), two = w + w, sign = (w >> 16) & 0x8000u, bias, bits, number;
  ga_float base = (ga_frombits_float32(w & 0x7fffffffu) * 0x1p+112f) * 0x1p-110f;
  ga_half r;
  bias = two & 0xff000000u;
  bias = bias < 0x71000000u ? 0x71000000u : bias;
  base = ga_frombits_float32((bias >> 1) + 0x07800000u) + base;
  bits = ga_bits_float32(base);
  number = ((bits >> 13) & 0x7c00u) + (bits & 0x0fffu);
  r.data = (ga_ushort)(sign | (two > 0xff000000u ? 0x7e00u | ((w >> 13) & 0x3ffu) : number));
  return r;
}
#endif

GA_FN ga_float ga_cast_bfloat16_float32(ga_bfloat a) {
  return ga_frombits_float32((ga_uint)a.data << 16);
}
#if GA_HAS_EXTREMES
GA_FN ga_bfloat ga_cast_float32_bfloat16(ga_float a) {
  ga_bfloat r;
  asm("{ .reg .b32 w; .reg .b16 none; cvt.rn.bf16x2.f32 w, 0f00000000, %1;"
      " mov.b32 {%0, none}, w; }"
      : "=h"(r.data)
      : "f"(a));
  return r;
}
#else
GA_FN ga_bfloat ga_cast_float32_bfloat16(ga_float a) {
  ga_uint w = ga_bits_float32(a), up = w + 0x7fffu + ((w >> 16) & 1);
  ga_bfloat r;
  r.data = (ga_ushort)((a != a ? w | 0x400000u : up) >> 16);
  return r;
}
#endif

GA_FN ga_half ga_frombits_float16(ga_uint u) {
  ga_half r;
  r.data = (ga_ushort)u;
  return r;
}
GA_FN ga_bfloat ga_frombits_bfloat16(ga_uint u) {
  ga_bfloat r;
  r.data = (ga_ushort)u;
  return r;
}

/* An operation through float32, of one or two arguments; the float32 function
 * of the same name computes it. */
#define GA_HALF1(op, T, C)                                                \
  GA_FN C ga_##op##_##T(C a) {                                            \
    return ga_cast_float32_##T(ga_##op##_float32(ga_cast_##T##_float32(a))); \
  }
#define GA_HALF2(op, T, C)                                                        \
  GA_FN C ga_##op##_##T(C a, C b) {                                               \
    return ga_cast_float32_##T(                                                   \
        ga_##op##_float32(ga_cast_##T##_float32(a), ga_cast_##T##_float32(b)));   \
  }
#define GA_HALF_ASK2(op, T, C)                                                    \
  GA_FN ga_bool ga_##op##_##T(C a, C b) {                                         \
    return ga_##op##_float32(ga_cast_##T##_float32(a), ga_cast_##T##_float32(b)); \
  }

/* INF: the bits of infinity, above which are the NaNs. */
#if GA_USE_ORDER
#define GA_HALF_ORDER(T, C, INF)                                       \
  GA_HALF_ASK2(equal, T, C)                                            \
  GA_HALF_ASK2(not_equal, T, C)                                        \
  GA_HALF_ASK2(less, T, C)                                             \
  GA_HALF_ASK2(less_equal, T, C)                                       \
  GA_HALF_ASK2(greater, T, C)                                          \
  GA_HALF_ASK2(greater_equal, T, C)                                    \
  GA_FN C ga_where_##T(ga_bool c, C a, C b) {                          \
    return ga_frombits_##T(c ? a.data : b.data);                       \
  }                                                                    \
  GA_FN ga_bool ga_isnan_##T(C a) { return (a.data & 0x7fffu) > INF; }
#else
#define GA_HALF_ORDER(T, C, INF)
#endif

#if GA_USE_MORE
#define GA_HALF_MORE(T, C, INF)                                             \
  GA_HALF2(floor_divide, T, C)                                              \
  GA_HALF2(remainder, T, C)                                                 \
  GA_HALF2(fmod, T, C)                                                      \
  GA_HALF2(fmin, T, C)                                                      \
  GA_HALF2(fmax, T, C)                                                      \
  GA_HALF2(heaviside, T, C)                                                 \
  GA_HALF1(reciprocal, T, C)                                                \
  GA_HALF1(sign, T, C)                                                      \
  GA_HALF1(floor, T, C)                                                     \
  GA_HALF1(ceil, T, C)                                                      \
  GA_HALF1(trunc, T, C)                                                     \
  GA_HALF1(rint, T, C)                                                      \
  GA_HALF1(deg2rad, T, C)                                                   \
  GA_HALF1(rad2deg, T, C)                                                   \
  GA_FN C ga_positive_##T(C a) { return a; }                                \
  GA_FN C ga_fabs_##T(C a) { return ga_frombits_##T(a.data & 0x7fffu); }    \
  GA_FN C ga_copysign_##T(C a, C b) {                                       \
    return ga_frombits_##T((a.data & 0x7fffu) | (b.data & 0x8000u));        \
  }                                                                         \
  GA_FN ga_bool ga_isinf_##T(C a) { return (a.data & 0x7fffu) == INF; }     \
  GA_FN ga_bool ga_isfinite_##T(C a) { return (a.data & 0x7fffu) < INF; }   \
  GA_FN ga_bool ga_signbit_##T(C a) { return a.data >> 15; }                \
  GA_FN C ga_nextafter_##T(C a, C b) {                                      \
    ga_float x = ga_cast_##T##_float32(a), y = ga_cast_##T##_float32(b);    \
    if (x != x || y != y) return ga_cast_float32_##T(x + y);                \
    if (x == y) return a;                                                   \
    if (x == 0) return ga_frombits_##T((b.data & 0x8000u) | 1u);            \
    return ga_frombits_##T((x < y) == (x > 0) ? a.data + 1u : a.data - 1u); \
  }
#else
#define GA_HALF_MORE(T, C, INF)
#endif

#define GA_HALF(T, C, INF)                                                   \
  GA_FN C ga_square_##T(C a) { return ga_multiply_##T(a, a); }               \
  GA_HALF1(sqrt, T, C)                                                       \
  GA_FN C ga_negative_##T(C a) { return ga_frombits_##T(a.data ^ 0x8000u); } \
  GA_FN C ga_absolute_##T(C a) { return ga_frombits_##T(a.data & 0x7fffu); } \
  GA_HALF_ORDER(T, C, INF)                                                   \
  GA_HALF_MORE(T, C, INF)

/* An instruction of a GPU for the operation. */
#define GA_HALF_ASM2(op, instruction, T, C)                                            \
  GA_FN C ga_##op##_##T(C a, C b) {                                                    \
    C r;                                                                               \
    asm(instruction " %0, %1, %2;" : "=h"(r.data) : "h"(a.data), "h"(b.data));         \
    return r;                                                                          \
  }
#if GA_HAS_EXTREMES
#define GA_HALF_EXTREMES(T, C, type)                                                   \
  GA_HALF_ASM2(minimum, "min.NaN." type, T, C)                                         \
  GA_HALF_ASM2(maximum, "max.NaN." type, T, C)
#else
#define GA_HALF_EXTREMES(T, C, type)                                                   \
  GA_HALF2(minimum, T, C)                                                              \
  GA_HALF2(maximum, T, C)
#endif

/* Quotients of float16 on a GPU, without the branches of float32's: the product with an approximate
 * reciprocal and one step by what is left over, which is exact. That is nearer to the quotient than
 * this ever is to a place where float16 rounds the other way: all pairs were compared. Where
 * nothing is left over, or no number (zeros and infinities), the product is the quotient. */
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__) && GA_USE_float16
GA_FN ga_half ga_divide_float16(ga_half a, ga_half b) {
  const ga_float x = ga_cast_float16_float32(a), y = ga_cast_float16_float32(b);
  ga_float r, q, rest;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  q = x * r;
  rest = GA_C(fmaf)(-q, y, x);
  return ga_cast_float32_float16(GA_C(fabsf)(rest) > 0 ? GA_C(fmaf)(rest, r, q) : q);
}
#elif GA_USE_float16
GA_HALF2(divide, float16, ga_half)
#endif

/* The same of bfloat16, whose divisors are scaled so that they and their reciprocals are no
 * subnormals: all pairs were compared, with reciprocals that are one unit in the last place off
 * either way, as approximate ones may be. A rest that is none is infinite where the quotient is. */
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__) && GA_USE_bfloat16
GA_FN ga_bfloat ga_divide_bfloat16(ga_bfloat a, ga_bfloat b) {
  const ga_float by = ga_cast_bfloat16_float32(b), size = GA_C(fabsf)(by);
  const ga_float scale = size >= 0x1p64f ? 0x1p-64f : size < 0x1p-64f ? 0x1p64f : 1.0f;
  const ga_float x = ga_cast_bfloat16_float32(a) * scale, y = by * scale;
  ga_float r, q, rest;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  q = x * r;
  rest = GA_C(fmaf)(-q, y, x);
  if (ga_bits_float32(rest) * 2u - 1u < 0xfeffffffu) q = GA_C(fmaf)(rest, r, q);
  return ga_cast_float32_bfloat16(q);
}
#elif GA_USE_bfloat16
GA_HALF2(divide, bfloat16, ga_bfloat)
#endif

#if GA_USE_float16
#if GA_HAS_HALF
GA_HALF_ASM2(add, "add.rn.f16", float16, ga_half)
GA_HALF_ASM2(subtract, "sub.rn.f16", float16, ga_half)
GA_HALF_ASM2(multiply, "mul.rn.f16", float16, ga_half)
#else
GA_HALF2(add, float16, ga_half)
GA_HALF2(subtract, float16, ga_half)
GA_HALF2(multiply, float16, ga_half)
#endif
GA_HALF_EXTREMES(float16, ga_half, "f16")
GA_HALF(float16, ga_half, 0x7c00u)
#endif
#if GA_USE_bfloat16
#if GA_HAS_BFLOAT
GA_HALF_ASM2(add, "add.rn.bf16", bfloat16, ga_bfloat)
GA_HALF_ASM2(subtract, "sub.rn.bf16", bfloat16, ga_bfloat)
#else
GA_HALF2(add, bfloat16, ga_bfloat)
GA_HALF2(subtract, bfloat16, ga_bfloat)
#endif
GA_HALF2(multiply, bfloat16, ga_bfloat)
GA_HALF_EXTREMES(bfloat16, ga_bfloat, "bf16")
GA_HALF(bfloat16, ga_bfloat, 0x7f80u)
#endif

#if GA_USE_DIVISOR
/* a / b where many a have the same b: ga_divide_by_<dtype>(a, ga_divisor_<dtype>(b)),
 * the first of two products and a sum. All pairs were compared with the quotient in
 * float32, rounded. The reciprocal of a float16 is in two parts of one sign, so that
 * zeros and infinities come out right; that of a bfloat16 in one, a subnormal one's
 * scaled. */
struct ga_divisor {
  ga_float high, low;
};
#if GA_USE_float16
GA_FN struct ga_divisor ga_divisor_float16(ga_half b) {
  const ga_float y = ga_cast_float16_float32(b);
  struct ga_divisor d;
  ga_float rest;
  d.high = 1.0f / y;
  rest = GA_C(fmaf)(-y, d.high, 1.0f);
  if (rest < 0) {
    d.high = ga_frombits_float32(ga_bits_float32(d.high) - 1);
    rest = GA_C(fmaf)(-y, d.high, 1.0f);
  }
  d.low = d.high * (rest > 0 ? rest : 0x1p-30f);
  return d;
}
GA_FN ga_half ga_divide_by_float16(ga_half a, struct ga_divisor d) {
  const ga_float x = ga_cast_float16_float32(a);
  return ga_cast_float32_float16(GA_C(fmaf)(x, d.high, x * d.low));
}
#endif
#if GA_USE_bfloat16
GA_FN struct ga_divisor ga_divisor_bfloat16(ga_bfloat b) {
  struct ga_divisor d;
  d.low = (b.data & 0x7fffu) < 0x80u ? 0x1p64f : 1.0f;
  d.high = 1.0f / (ga_cast_bfloat16_float32(b) * d.low);
  return d;
}
GA_FN ga_bfloat ga_divide_by_bfloat16(ga_bfloat a, struct ga_divisor d) {
  return ga_cast_float32_bfloat16(ga_cast_bfloat16_float32(a) * d.low * d.high);
}
#endif
#endif

#endif
