/* SPDX-License-Identifier: MIT */
/* ga_cast_<from>_<to> for every pair of dtypes.
 *
 * Integers wrap around. Anything but zero is True (NaN too). Floating numbers
 * round to nearest even, once: float64, int64 and uint64 reach float16 and
 * bfloat16 without stopping at a rounded float32 (rounding to odd on the way
 * keeps what the last rounding needs). A complex number loses its imaginary
 * part when it becomes real.
 *
 * A floating number becomes an integer by truncation. What fits the target is
 * exact; otherwise, with W = int32 for targets of 8 and 16 bits and int32, W =
 * int64 for uint32, int64 and uint64: the number truncated to W, or W's minimum
 * where that does not fit (NaN too), and its low bits are kept. 2^64 and more are
 * 0 of uint64, as they are where NumPy is compiled for x86-64. */
#ifndef GA_SCALAR_CAST_CUH
#define GA_SCALAR_CAST_CUH

#include "scalar_half.cuh"

#if GA_USE_CAST

/* ---- floating to the two wide integers ---- */

#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
/* The instruction gives the nearest that fits, and 0 for NaN. */
GA_FN ga_int ga_wide32_float32(ga_float a) {
  ga_int r;
  asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(r) : "f"(a));
  return a < 2147483648.0f ? r : -2147483647 - 1;
}
#else
GA_FN ga_int ga_wide32_float32(ga_float a) {
  ga_bool fits = (a >= -2147483648.0f) & (a < 2147483648.0f);
  ga_int r = (ga_int)(fits ? a : 0);
  return fits ? r : -2147483647 - 1;
}
#endif
GA_FN ga_int ga_wide32_float64(ga_double a) {
  ga_bool fits = (a > -2147483649.0) & (a < 2147483648.0);
  ga_int r = (ga_int)(fits ? a : 0);
  return fits ? r : -2147483647 - 1;
}
#define GA_WIDE64(T, C)                                                        \
  GA_FN ga_long ga_wide64_##T(C a) {                                           \
    ga_bool fits = (a >= (C)-0x1p63) & (a < (C)0x1p63);                        \
    ga_long r = (ga_long)(fits ? a : 0);                                       \
    return fits ? r : -9223372036854775807ll - 1;                              \
  }                                                                            \
  GA_FN ga_ulong ga_wideu64_##T(C a) {                                         \
    ga_bool upper = a >= (C)0x1p63;                                            \
    ga_long r = ga_wide64_##T(upper ? a - (C)0x1p63 : a);                      \
    return (ga_ulong)r + (upper ? 0x8000000000000000ull : 0);                  \
  }
GA_WIDE64(float32, ga_float)
GA_WIDE64(float64, ga_double)

/* ---- float64 and the 64-bit integers to the 16-bit floats ---- */

/* a as a float32 rounded to odd: cut, and the last bit set if anything was lost */
GA_FN ga_float ga_odd_float64(ga_double a) {
  ga_float f = (ga_float)a;
  ga_double back = f;
  ga_uint u = ga_bits_float32(f);
  u -= (GA_C(fabs)(back) > GA_C(fabs)(a));
  u |= ((back < a) | (back > a));
  return ga_frombits_float32(u);
}
/* a as a float64, inexact only far below a bfloat16's last bit, and then odd:
 * the low 16 bits are replaced by one that says whether they were zero */
GA_FN ga_double ga_odd_uint64(ga_ulong a) {
  ga_ulong cut = (a & ~0xffffull) | ((a & 0xffff) ? 0x10000 : 0);
  return (ga_double)(a >> 53 ? cut : a);
}

/* ---- the pairs ---- */

#define GA_CAST(from, F, to, T, expr) \
  GA_FN T ga_cast_##from##_##to(F a) { return expr; }

/* Arithmetic types of the target side for which C's conversion is right. */
#define GA_CAST_INT(from, F)                                                   \
  GA_CAST(from, F, bool, ga_bool, a != 0)                                      \
  GA_CAST(from, F, int8, ga_byte, (ga_byte)a)                                  \
  GA_CAST(from, F, uint8, ga_ubyte, (ga_ubyte)a)                               \
  GA_CAST(from, F, int16, ga_short, (ga_short)a)                               \
  GA_CAST(from, F, uint16, ga_ushort, (ga_ushort)a)                            \
  GA_CAST(from, F, int32, ga_int, (ga_int)a)                                   \
  GA_CAST(from, F, uint32, ga_uint, (ga_uint)a)                                \
  GA_CAST(from, F, int64, ga_long, (ga_long)a)                                 \
  GA_CAST(from, F, uint64, ga_ulong, (ga_ulong)a)                              \
  GA_CAST(from, F, float32, ga_float, (ga_float)a)                             \
  GA_CAST(from, F, float64, ga_double, (ga_double)a)                           \
  /* every integer that float32 rounds is infinite as a float16 */             \
  GA_CAST(from, F, float16, ga_half, ga_cast_float32_float16((ga_float)a))     \
  GA_CAST_COMPLEX(from, F)

/* Real to complex, through the real casts. */
#define GA_CAST_COMPLEX(from, F)                                               \
  GA_FN ga_cfloat ga_cast_##from##_complex64(F a) {                            \
    ga_cfloat r;                                                               \
    r.re = ga_cast_##from##_float32(a);                                        \
    r.im = 0;                                                                  \
    return r;                                                                  \
  }                                                                            \
  GA_FN ga_cdouble ga_cast_##from##_complex128(F a) {                          \
    ga_cdouble r;                                                              \
    r.re = ga_cast_##from##_float64(a);                                        \
    r.im = 0;                                                                  \
    return r;                                                                  \
  }

/* Integers that float32 holds exactly, and those that float64 does. */
#define GA_CAST_SMALL(from, F) \
  GA_CAST_INT(from, F)         \
  GA_CAST(from, F, bfloat16, ga_bfloat, ga_cast_float32_bfloat16((ga_float)a))
#define GA_CAST_WORD(from, F) \
  GA_CAST_INT(from, F)        \
  GA_CAST(from, F, bfloat16, ga_bfloat, ga_cast_float32_bfloat16(ga_odd_float64((ga_double)a)))

#if GA_USE_bool
GA_CAST_SMALL(bool, ga_bool)
#endif
#if GA_USE_int8
GA_CAST_SMALL(int8, ga_byte)
#endif
#if GA_USE_uint8
GA_CAST_SMALL(uint8, ga_ubyte)
#endif
#if GA_USE_int16
GA_CAST_SMALL(int16, ga_short)
#endif
#if GA_USE_uint16
GA_CAST_SMALL(uint16, ga_ushort)
#endif
#if GA_USE_int32
GA_CAST_WORD(int32, ga_int)
#endif
#if GA_USE_uint32
GA_CAST_WORD(uint32, ga_uint)
#endif
#if GA_USE_int64
GA_CAST_INT(int64, ga_long)
GA_FN ga_bfloat ga_cast_int64_bfloat16(ga_long a) {
  ga_double r = ga_odd_uint64(a < 0 ? 0 - (ga_ulong)a : (ga_ulong)a);
  return ga_cast_float32_bfloat16(ga_odd_float64(a < 0 ? -r : r));
}
#endif
#if GA_USE_uint64
GA_CAST_INT(uint64, ga_ulong)
GA_CAST(uint64, ga_ulong, bfloat16, ga_bfloat,
        ga_cast_float32_bfloat16(ga_odd_float64(ga_odd_uint64(a))))
#endif

/* float32 and float64 to integers */
#define GA_CAST_REAL(from, F)                                                  \
  GA_CAST(from, F, bool, ga_bool, a != 0)                                      \
  GA_CAST(from, F, int8, ga_byte, (ga_byte)ga_wide32_##from(a))                \
  GA_CAST(from, F, uint8, ga_ubyte, (ga_ubyte)ga_wide32_##from(a))             \
  GA_CAST(from, F, int16, ga_short, (ga_short)ga_wide32_##from(a))             \
  GA_CAST(from, F, uint16, ga_ushort, (ga_ushort)ga_wide32_##from(a))          \
  GA_CAST(from, F, int32, ga_int, ga_wide32_##from(a))                         \
  GA_CAST(from, F, uint32, ga_uint, (ga_uint)ga_wide64_##from(a))              \
  GA_CAST(from, F, int64, ga_long, ga_wide64_##from(a))                        \
  GA_CAST(from, F, uint64, ga_ulong, ga_wideu64_##from(a))

#if GA_USE_float32
GA_CAST_REAL(float32, ga_float)
GA_CAST(float32, ga_float, float32, ga_float, a)
GA_CAST(float32, ga_float, float64, ga_double, (ga_double)a)
GA_CAST_COMPLEX(float32, ga_float)
#endif

#if GA_USE_float64
GA_CAST_REAL(float64, ga_double)
GA_CAST(float64, ga_double, float16, ga_half, ga_cast_float32_float16(ga_odd_float64(a)))
GA_CAST(float64, ga_double, bfloat16, ga_bfloat, ga_cast_float32_bfloat16(ga_odd_float64(a)))
GA_CAST(float64, ga_double, float32, ga_float, (ga_float)a)
GA_CAST(float64, ga_double, float64, ga_double, a)
GA_CAST_COMPLEX(float64, ga_double)
#endif

/* `from` by way of the exact value `part` of dtype P */
#define GA_CAST_VIA(from, F, P, part)                                          \
  GA_CAST(from, F, int8, ga_byte, ga_cast_##P##_int8(part))                    \
  GA_CAST(from, F, uint8, ga_ubyte, ga_cast_##P##_uint8(part))                 \
  GA_CAST(from, F, int16, ga_short, ga_cast_##P##_int16(part))                 \
  GA_CAST(from, F, uint16, ga_ushort, ga_cast_##P##_uint16(part))              \
  GA_CAST(from, F, int32, ga_int, ga_cast_##P##_int32(part))                   \
  GA_CAST(from, F, uint32, ga_uint, ga_cast_##P##_uint32(part))                \
  GA_CAST(from, F, int64, ga_long, ga_cast_##P##_int64(part))                  \
  GA_CAST(from, F, uint64, ga_ulong, ga_cast_##P##_uint64(part))               \
  GA_CAST(from, F, float64, ga_double, ga_cast_##P##_float64(part))

#if GA_USE_float16
GA_CAST_VIA(float16, ga_half, float32, ga_cast_float16_float32(a))
GA_CAST(float16, ga_half, bool, ga_bool, (a.data & 0x7fffu) != 0)
GA_CAST(float16, ga_half, float16, ga_half, a)
GA_CAST(float16, ga_half, bfloat16, ga_bfloat,
        ga_cast_float32_bfloat16(ga_cast_float16_float32(a)))
GA_CAST_COMPLEX(float16, ga_half)
#endif

#if GA_USE_bfloat16
GA_CAST_VIA(bfloat16, ga_bfloat, float32, ga_cast_bfloat16_float32(a))
GA_CAST(bfloat16, ga_bfloat, bool, ga_bool, (a.data & 0x7fffu) != 0)
GA_CAST(bfloat16, ga_bfloat, float16, ga_half,
        ga_cast_float32_float16(ga_cast_bfloat16_float32(a)))
GA_CAST(bfloat16, ga_bfloat, bfloat16, ga_bfloat, a)
GA_CAST_COMPLEX(bfloat16, ga_bfloat)
#endif

#define GA_CAST_PARTS(from, F, P)                                              \
  GA_CAST_VIA(from, F, P, a.re)                                                \
  GA_CAST(from, F, bool, ga_bool, (a.re != 0) | (a.im != 0))                   \
  GA_CAST(from, F, float16, ga_half, ga_cast_##P##_float16(a.re))              \
  GA_CAST(from, F, bfloat16, ga_bfloat, ga_cast_##P##_bfloat16(a.re))          \
  GA_CAST(from, F, float32, ga_float, ga_cast_##P##_float32(a.re))             \
  GA_FN ga_cfloat ga_cast_##from##_complex64(F a) {                            \
    ga_cfloat r;                                                               \
    r.re = (ga_float)a.re;                                                     \
    r.im = (ga_float)a.im;                                                     \
    return r;                                                                  \
  }                                                                            \
  GA_FN ga_cdouble ga_cast_##from##_complex128(F a) {                          \
    ga_cdouble r;                                                              \
    r.re = a.re;                                                               \
    r.im = a.im;                                                               \
    return r;                                                                  \
  }
#if GA_USE_complex64
GA_CAST_PARTS(complex64, ga_cfloat, float32)
#endif
#if GA_USE_complex128
GA_CAST_PARTS(complex128, ga_cdouble, float64)
#endif

#endif

#endif
