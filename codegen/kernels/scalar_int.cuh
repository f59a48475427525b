/* SPDX-License-Identifier: MIT */
/* Bool and integer operations. Integers wrap around; no operation traps and
 * none has undefined behaviour in C:
 *
 *   x // 0, x % 0, fmod(x, 0)   0
 *   MIN // -1, -MIN, abs(MIN)   MIN; MIN % -1 is 0
 *   x << n, x >> n              n negative or >= width: 0, and -1 for x < 0 >> n
 *   x ** n, n < 0               0, but 1 for x = 1 and +-1 for x = -1
 *   reciprocal(0)               MIN of int32 and int64, 0 of the others (NumPy's answers)
 *
 * GA_INT(T, C, A) defines the operations of both signs: dtype T, C type C,
 * arithmetic in the unsigned type A (C's promotion to int would overflow); U is
 * its unsigned type. Division is apart: of 8 and 16 bits GA_SHORT_DIVIDE, of more
 * GA_SIGNED_DIVIDE and GA_UNSIGNED_DIVIDE. */
#ifndef GA_SCALAR_INT_CUH
#define GA_SCALAR_INT_CUH

#include "scalar_bits.cuh"

/* x, of which a GPU's compiler knows no more than its type. ptxas 13.0 forgets that -MIN and
 * abs(MIN) are MIN: it widens the neg.s16 of -32768 (which a - (a + b) is, too) to 32768, and
 * divides an abs.s32 as if it were never below 0. */
#if GA_DEVICE && defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
GA_FN ga_uint ga_hidden(ga_uint x) {
  asm("" : "+r"(x));
  return x;
}
GA_FN ga_ulong ga_hidden(ga_ulong x) {
  asm("" : "+l"(x));
  return x;
}
/* abs(a), of fewer bits than the magnitude has that it is cut from. */
GA_FN ga_int ga_magnitude(ga_int a) {
  asm("abs.s32 %0, %0;" : "+r"(a));
  return a;
}
#define GA_ABSOLUTE(T, C, a)                                        \
  (sizeof(C) < sizeof(ga_int) ? (C)ga_magnitude((ga_int)a) : a < 0 ? ga_negative_##T(a) : a)
#else
#define ga_hidden(x)         (x)
#define GA_ABSOLUTE(T, C, a) (a < 0 ? ga_negative_##T(a) : a)
#endif

#define GA_INT(T, C, A)                                                   \
  GA_FN C ga_add_##T(C a, C b) { return (C)((A)a + (A)b); }               \
  GA_FN C ga_subtract_##T(C a, C b) { return (C)ga_hidden((A)a - (A)b); } \
  GA_FN C ga_multiply_##T(C a, C b) { return (C)((A)a * (A)b); }          \
  GA_FN C ga_negative_##T(C a) { return (C)ga_hidden(0u - (A)a); }        \
  GA_FN C ga_square_##T(C a) { return (C)((A)a * (A)a); }                 \
  GA_FN C ga_minimum_##T(C a, C b) { return a < b ? a : b; }              \
  GA_FN C ga_maximum_##T(C a, C b) { return a > b ? a : b; }

#if GA_USE_MORE
#define GA_INT_MORE(T, C, A, U, bits)                         \
  GA_FN C ga_positive_##T(C a) { return a; }                  \
  GA_FN C ga_fmin_##T(C a, C b) { return a < b ? a : b; }     \
  GA_FN C ga_fmax_##T(C a, C b) { return a > b ? a : b; }     \
  GA_FN C ga_bitwise_and_##T(C a, C b) { return (C)(a & b); } \
  GA_FN C ga_bitwise_or_##T(C a, C b) { return (C)(a | b); }  \
  GA_FN C ga_bitwise_xor_##T(C a, C b) { return (C)(a ^ b); } \
  GA_FN C ga_invert_##T(C a) { return (C)~a; }                \
  GA_FN C ga_left_shift_##T(C a, C b) {                       \
    return (U)b < bits ? (C)((A)a << ((A)b & (bits - 1))) : (C)0; \
  }

#define GA_SIGNED_MORE(T, C, A, U, bits, RECIPROCAL0)                     \
  GA_INT_MORE(T, C, A, U, bits)                                           \
  GA_FN C ga_right_shift_##T(C a, C b) {                                  \
    return (C)(a >> ((U)b < bits ? (U)b : (U)(bits - 1)));                \
  }                                                                       \
  GA_FN C ga_sign_##T(C a) { return (C)((a > 0) - (a < 0)); }             \
  GA_FN C ga_reciprocal_##T(C a) {                                        \
    return a == 0 ? (C)RECIPROCAL0 : (C)(a == 1 ? 1 : a == -1 ? -1 : 0);  \
  }                                                                       \
  GA_FN C ga_power_##T(C a, C b) {                                        \
    A x = (A)a, r = 1;                                                    \
    if (b < 0) return (C)(a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0); \
    for (; b; b = (C)(b >> 1)) {                                          \
      if (b & 1) r *= x;                                                  \
      x *= x;                                                             \
    }                                                                     \
    return (C)r;                                                          \
  }

#define GA_UNSIGNED_MORE(T, C, A, bits, RECIPROCAL0)                               \
  GA_INT_MORE(T, C, A, C, bits)                                                    \
  GA_FN C ga_right_shift_##T(C a, C b) {                                           \
    return b < bits ? (C)(a >> (b & (bits - 1))) : (C)0;                           \
  }                                                                                \
  GA_FN C ga_sign_##T(C a) { return a > 0; }                                       \
  GA_FN C ga_reciprocal_##T(C a) { return a == 0 ? (C)RECIPROCAL0 : (C)(a == 1); } \
  GA_FN C ga_power_##T(C a, C b) {                                                 \
    A x = a, r = 1;                                                                \
    for (; b; b = (C)(b >> 1)) {                                                   \
      if (b & 1) r *= x;                                                           \
      x *= x;                                                                      \
    }                                                                              \
    return (C)r;                                                                   \
  }

/* x / y within 2^-21 of itself. */
GA_FN ga_float ga_near_quotient(ga_float x, ga_float y) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  ga_float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
  return x * r;
#else
  return x / y;
#endif
}

/* Quotients of 8 and 16 bits, in float32: the floor of a/b is that of a/b + 1/(2|b|), which is
 * 1/(2|b|) away from the integers, and below 2^17/|b|: 2^-21 of it is 2^-4/|b| at most. Truncation
 * is the same with the half on the side of a's sign. MIN // -1 wraps as it is stored. */
GA_FN ga_int ga_floor_quotient(ga_float a, ga_float b) {
  return (ga_int)GA_C(floorf)(ga_near_quotient(a + GA_C(copysignf)(0.5f, b), b));
}
GA_FN ga_int ga_trunc_quotient(ga_float a, ga_float b) {
  return (ga_int)ga_near_quotient(a + GA_C(copysignf)(0.5f, a), b);
}
#define GA_SHORT_DIVIDE(T, C)                                                     \
  GA_FN C ga_floor_divide_##T(C a, C b) {                                         \
    const ga_int q = ga_floor_quotient((ga_float)a, b == 0 ? 1.0f : (ga_float)b); \
    return b == 0 ? (C)0 : (C)q;                                                  \
  }                                                                               \
  GA_FN C ga_remainder_##T(C a, C b) {                                            \
    const ga_int q = ga_floor_quotient((ga_float)a, b == 0 ? 1.0f : (ga_float)b); \
    return b == 0 ? (C)0 : (C)(a - q * b);                                        \
  }                                                                               \
  GA_FN C ga_fmod_##T(C a, C b) {                                                 \
    const ga_int q = ga_trunc_quotient((ga_float)a, b == 0 ? 1.0f : (ga_float)b); \
    return b == 0 ? (C)0 : (C)(a - q * b);                                        \
  }

/* The others, in D: a floating type in which the quotient of two C is exact after truncation (the
 * division of vectors has no integer instruction), or C itself. a/b in D cannot round up to an
 * integer while |a| is below 2^precision: the distance to it is at least 1/|b|. The divisor is made
 * harmless first: 1 for 0, and 1 for -1 under MIN, where MIN / 1 is what wrapping gives. */
#define GA_SIGNED_DIVIDE(T, C, A, D, MIN)                       \
  GA_FN C ga_divisor_##T(C a, C b) {                            \
    return ((b == 0) | ((a == MIN) & (b == -1))) ? (C)1 : b;    \
  }                                                             \
  GA_FN C ga_fmod_##T(C a, C b) {                               \
    C d = ga_divisor_##T(a, b);                                 \
    C r = (C)((A)a - (A)(C)((D)a / (D)d) * (A)d);               \
    return b == 0 ? (C)0 : r;                                   \
  }                                                             \
  GA_FN C ga_floor_divide_##T(C a, C b) {                       \
    C d = ga_divisor_##T(a, b);                                 \
    C q = (C)((D)a / (D)d);                                     \
    C r = (C)((A)a - (A)q * (A)d);                              \
    q = (C)(q - ((r != 0) & ((r ^ d) < 0)));                    \
    return b == 0 ? (C)0 : q;                                   \
  }                                                             \
  GA_FN C ga_remainder_##T(C a, C b) {                          \
    C d = ga_divisor_##T(a, b);                                 \
    C r = (C)((A)a - (A)(C)((D)a / (D)d) * (A)d);               \
    r = (C)((A)r + (((r != 0) & ((r ^ d) < 0)) ? (A)d : (A)0)); \
    return b == 0 ? (C)0 : r;                                   \
  }
#define GA_UNSIGNED_DIVIDE(T, C, D)                          \
  GA_FN C ga_floor_divide_##T(C a, C b) {                    \
    C q = (C)((D)a / (D)(b == 0 ? (C)1 : b));                \
    return b == 0 ? (C)0 : q;                                \
  }                                                          \
  GA_FN C ga_fmod_##T(C a, C b) {                            \
    C r = a - (C)((D)a / (D)(b == 0 ? (C)1 : b)) * b;        \
    return b == 0 ? (C)0 : r;                                \
  }                                                          \
  GA_FN C ga_remainder_##T(C a, C b) { return ga_fmod_##T(a, b); }
#else
#define GA_SIGNED_MORE(T, C, A, U, bits, RECIPROCAL0)
#define GA_UNSIGNED_MORE(T, C, A, bits, RECIPROCAL0)
#define GA_SHORT_DIVIDE(T, C)
#define GA_SIGNED_DIVIDE(T, C, A, D, MIN)
#define GA_UNSIGNED_DIVIDE(T, C, D)
#endif

#define GA_SIGNED(T, C, A, U, bits, RECIPROCAL0)                          \
  GA_INT(T, C, A)                                                         \
  GA_FN C ga_absolute_##T(C a) { return GA_ABSOLUTE(T, C, a); }           \
  GA_ORDER(T, C)                                                          \
  GA_SIGNED_MORE(T, C, A, U, bits, RECIPROCAL0)

#define GA_UNSIGNED(T, C, A, bits, RECIPROCAL0) \
  GA_INT(T, C, A)                               \
  GA_FN C ga_absolute_##T(C a) { return a; }    \
  GA_ORDER(T, C)                                \
  GA_UNSIGNED_MORE(T, C, A, bits, RECIPROCAL0)

/* A GPU divides integers well, and floats not exactly where fast maths is asked for. */
#if GA_DEVICE
#define GA_DIVIDE(C, D) C
#else
#define GA_DIVIDE(C, D) D
#endif

#if GA_USE_int8
GA_SIGNED(int8, ga_byte, ga_uint, ga_ubyte, 8, 0)
GA_SHORT_DIVIDE(int8, ga_byte)
#endif
#if GA_USE_uint8
GA_UNSIGNED(uint8, ga_ubyte, ga_uint, 8, 0)
GA_SHORT_DIVIDE(uint8, ga_ubyte)
#endif
#if GA_USE_int16
GA_SIGNED(int16, ga_short, ga_uint, ga_ushort, 16, 0)
GA_SHORT_DIVIDE(int16, ga_short)
#endif
#if GA_USE_uint16
GA_UNSIGNED(uint16, ga_ushort, ga_uint, 16, 0)
GA_SHORT_DIVIDE(uint16, ga_ushort)
#endif
#if GA_USE_int32
GA_SIGNED(int32, ga_int, ga_uint, ga_uint, 32, (-2147483647 - 1))
GA_SIGNED_DIVIDE(int32, ga_int, ga_uint, GA_DIVIDE(ga_int, ga_double), (-2147483647 - 1))
#endif
#if GA_USE_uint32
GA_UNSIGNED(uint32, ga_uint, ga_uint, 32, 0)
GA_UNSIGNED_DIVIDE(uint32, ga_uint, GA_DIVIDE(ga_uint, ga_double))
#endif
#if GA_USE_int64
GA_SIGNED(int64, ga_long, ga_ulong, ga_ulong, 64, (-9223372036854775807ll - 1))
GA_SIGNED_DIVIDE(int64, ga_long, ga_ulong, ga_long, (-9223372036854775807ll - 1))
#endif
#if GA_USE_uint64
GA_UNSIGNED(uint64, ga_ulong, ga_ulong, 64, 0)
GA_UNSIGNED_DIVIDE(uint64, ga_ulong, ga_ulong)
#endif

#if GA_USE_bool
/* Bool adds by "or" and multiplies by "and", as NumPy's. */
GA_FN ga_bool ga_add_bool(ga_bool a, ga_bool b) { return (ga_bool)(a | b); }
GA_FN ga_bool ga_multiply_bool(ga_bool a, ga_bool b) { return (ga_bool)(a & b); }
GA_FN ga_bool ga_absolute_bool(ga_bool a) { return a; }
GA_FN ga_bool ga_minimum_bool(ga_bool a, ga_bool b) { return (ga_bool)(a & b); }
GA_FN ga_bool ga_maximum_bool(ga_bool a, ga_bool b) { return (ga_bool)(a | b); }
GA_FN ga_bool ga_fmin_bool(ga_bool a, ga_bool b) { return (ga_bool)(a & b); }
GA_FN ga_bool ga_fmax_bool(ga_bool a, ga_bool b) { return (ga_bool)(a | b); }
GA_FN ga_bool ga_bitwise_and_bool(ga_bool a, ga_bool b) { return (ga_bool)(a & b); }
GA_FN ga_bool ga_bitwise_or_bool(ga_bool a, ga_bool b) { return (ga_bool)(a | b); }
GA_FN ga_bool ga_bitwise_xor_bool(ga_bool a, ga_bool b) { return (ga_bool)(a ^ b); }
GA_FN ga_bool ga_invert_bool(ga_bool a) { return !a; }
GA_FN ga_bool ga_logical_and_bool(ga_bool a, ga_bool b) { return (ga_bool)(a & b); }
GA_FN ga_bool ga_logical_or_bool(ga_bool a, ga_bool b) { return (ga_bool)(a | b); }
GA_FN ga_bool ga_logical_xor_bool(ga_bool a, ga_bool b) { return (ga_bool)(a ^ b); }
GA_FN ga_bool ga_logical_not_bool(ga_bool a) { return !a; }
GA_ORDER(bool, ga_bool)
#endif

#endif
