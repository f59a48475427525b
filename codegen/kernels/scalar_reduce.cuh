/* SPDX-License-Identifier: MIT */
/* What reductions are made of, for every accumulator dtype T of reduce.def:
 *
 *   ga_reduce_<name>_<T>(a, b)   two accumulators joined, a the earlier one
 *   ga_identity_<name>_<T>()     what may stand for a missing one: joining it on
 *                                either side changes no bit of the other
 *   ga_empty_<name>_<T>()        the reduction of nothing (sum, prod, any, all)
 *   ga_pair_<T>                  accumulator of argmin and argmax: value, index
 *   ga_moment_<T>                that of moment
 *
 * A sum's identity is -0 (x + -0 is x, zeros too), of nothing it is +0. min and
 * max are minimum and maximum. argmin and argmax: NaN before all, then the order
 * of <, and of equals (-0 and +0 are equal) the smaller index. A product of
 * complex numbers passes the other factor when one is 1+0j, not 1-0j: by the formula
 * inf would not survive it, and 1+0j could not be the identity. */
#ifndef GA_SCALAR_REDUCE_CUH
#define GA_SCALAR_REDUCE_CUH

#include "scalar_complex.cuh"

#if GA_USE_REDUCE

#define GA_REDUCE2(name, op, T, C, identity)                                     \
  GA_FN C ga_reduce_##name##_##T(C a, C b) { return ga_##op##_##T(a, b); }       \
  GA_FN C ga_identity_##name##_##T(void) { return identity; }

#define GA_REDUCE_SUM(T, C, minuszero, zero, one)             \
  GA_REDUCE2(sum, add, T, C, minuszero)                       \
  GA_REDUCE2(prod, multiply, T, C, one)                       \
  GA_FN C ga_empty_sum_##T(void) { return zero; }             \
  GA_FN C ga_empty_prod_##T(void) { return one; }

#if GA_USE_int64
GA_REDUCE_SUM(int64, ga_long, 0, 0, 1)
#endif
#if GA_USE_uint64
GA_REDUCE_SUM(uint64, ga_ulong, 0, 0, 1)
#endif
#if GA_USE_float32
GA_REDUCE_SUM(float32, ga_float, -0.0f, 0, 1)
#endif
#if GA_USE_float64
GA_REDUCE_SUM(float64, ga_double, -0.0, 0, 1)
#endif

#define GA_REDUCE_SUM_COMPLEX(T, C, R)                                                     \
  GA_REDUCE2(sum, add, T, C, ga_pack_##T(-0.0f, -0.0f))                                    \
  GA_FN C ga_empty_sum_##T(void) { return ga_pack_##T(0, 0); }                             \
  GA_FN ga_bool ga_is_one_##T(C a) { return (a.re == 1) & (ga_bits_##R(a.im) == 0); }      \
  GA_FN C ga_reduce_prod_##T(C a, C b) {                                                   \
    return ga_where_##T(ga_is_one_##T(a), b,                                               \
                        ga_where_##T(ga_is_one_##T(b), a, ga_multiply_##T(a, b)));         \
  }                                                                                        \
  GA_FN C ga_identity_prod_##T(void) { return ga_pack_##T(1, 0); }                         \
  GA_FN C ga_empty_prod_##T(void) { return ga_pack_##T(1, 0); }
#if GA_USE_complex64
GA_REDUCE_SUM_COMPLEX(complex64, ga_cfloat, float32)
#endif
#if GA_USE_complex128
GA_REDUCE_SUM_COMPLEX(complex128, ga_cdouble, float64)
#endif

#if GA_USE_bool
GA_REDUCE2(any, logical_or, bool, ga_bool, 0)
GA_REDUCE2(all, logical_and, bool, ga_bool, 1)
GA_FN ga_bool ga_empty_any_bool(void) { return 0; }
GA_FN ga_bool ga_empty_all_bool(void) { return 1; }
#endif

/* NaN of each kind of dtype */
#define GA_NEVER(a) 0
#define GA_UNORDERED(a) ((a) != (a))

/* keep: whether (a, i) stays before (b, j) */
#if GA_USE_ORDER
#define GA_ARGREDUCE(name, ask, T, C, ISNAN, identity)                             \
  GA_FN ga_bool ga_keep_##name##_##T(C a, ga_long i, C b, ga_long j) {             \
    ga_bool an = ISNAN(a), bn = ISNAN(b);                                          \
    return (ga_bool)(ga_##ask##_##T(a, b) | (an & !bn) |                           \
                     ((ga_equal_##T(a, b) | (an & bn)) & (i < j)));                \
  }                                                                                \
  GA_FN ga_pair_##T ga_reduce_##name##_##T(ga_pair_##T a, ga_pair_##T b) {         \
    return ga_keep_##name##_##T(a.value, a.index, b.value, b.index) ? a : b;       \
  }                                                                                \
  GA_FN ga_pair_##T ga_identity_##name##_##T(void) {                               \
    ga_pair_##T r;                                                                 \
    r.value = identity;                                                            \
    r.index = 0x7fffffffffffffffll;                                                \
    return r;                                                                      \
  }
#else
#define GA_ARGREDUCE(name, ask, T, C, ISNAN, identity)
#endif

#define GA_REDUCE_ORDER(T, C, ISNAN, least, greatest)       \
  typedef struct ga_pair_##T {                              \
    C value;                                                \
    ga_long index;                                          \
  } ga_pair_##T;                                            \
  GA_REDUCE2(min, minimum, T, C, greatest)                  \
  GA_REDUCE2(max, maximum, T, C, least)                     \
  GA_ARGREDUCE(argmin, less, T, C, ISNAN, greatest)         \
  GA_ARGREDUCE(argmax, greater, T, C, ISNAN, least)

#if GA_USE_bool
GA_REDUCE_ORDER(bool, ga_bool, GA_NEVER, 0, 1)
#endif
#if GA_USE_int8
GA_REDUCE_ORDER(int8, ga_byte, GA_NEVER, -128, 127)
#endif
#if GA_USE_uint8
GA_REDUCE_ORDER(uint8, ga_ubyte, GA_NEVER, 0, 255)
#endif
#if GA_USE_int16
GA_REDUCE_ORDER(int16, ga_short, GA_NEVER, -32768, 32767)
#endif
#if GA_USE_uint16
GA_REDUCE_ORDER(uint16, ga_ushort, GA_NEVER, 0, 65535)
#endif
#if GA_USE_int32
GA_REDUCE_ORDER(int32, ga_int, GA_NEVER, -2147483647 - 1, 2147483647)
#endif
#if GA_USE_uint32
GA_REDUCE_ORDER(uint32, ga_uint, GA_NEVER, 0, 0xffffffffu)
#endif
#if GA_USE_int64
GA_REDUCE_ORDER(int64, ga_long, GA_NEVER, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll)
#endif
#if GA_USE_uint64
GA_REDUCE_ORDER(uint64, ga_ulong, GA_NEVER, 0, 0xffffffffffffffffull)
#endif
#if GA_USE_float16
GA_REDUCE_ORDER(float16, ga_half, ga_isnan_float16, ga_frombits_float16(0xfc00u),
                ga_frombits_float16(0x7c00u))
#endif
#if GA_USE_bfloat16
GA_REDUCE_ORDER(bfloat16, ga_bfloat, ga_isnan_bfloat16, ga_frombits_bfloat16(0xff80u),
                ga_frombits_bfloat16(0x7f80u))
#endif
#if GA_USE_float32
GA_REDUCE_ORDER(float32, ga_float, GA_UNORDERED, -GA_INF_float32, GA_INF_float32)
#endif
#if GA_USE_float64
GA_REDUCE_ORDER(float64, ga_double, GA_UNORDERED, -GA_INF_float64, GA_INF_float64)
#endif
#if GA_USE_complex64
GA_REDUCE_ORDER(complex64, ga_cfloat, ga_isnan_complex64,
                ga_pack_complex64(-GA_INF_float32, -GA_INF_float32),
                ga_pack_complex64(GA_INF_float32, GA_INF_float32))
#endif
#if GA_USE_complex128
GA_REDUCE_ORDER(complex128, ga_cdouble, ga_isnan_complex128,
                ga_pack_complex128(-GA_INF_float64, -GA_INF_float64),
                ga_pack_complex128(GA_INF_float64, GA_INF_float64))
#endif

#if GA_USE_float64
/* A float64 as a whole number, of the order that min or max has: -0 below +0; NaN, whose sign is
 * lost, where it wins. */
GA_FN ga_long ga_rank_bits_float64(ga_ulong u) {
  return (ga_long)(u ^ ((0 - (u >> 63)) >> 1));
}
GA_FN ga_long ga_rank_max_float64(ga_double a) {
  const ga_ulong u = ga_bits_float64(a), sign = 0x8000000000000000ull;
  return ga_rank_bits_float64(a != a ? u & ~sign : u);
}
GA_FN ga_long ga_rank_min_float64(ga_double a) {
  const ga_ulong u = ga_bits_float64(a), sign = 0x8000000000000000ull;
  return ga_rank_bits_float64(a != a ? u | sign : u);
}
GA_FN ga_double ga_unrank_float64(ga_long r) {
  return ga_frombits_float64((ga_ulong)ga_rank_bits_float64((ga_ulong)r));
}
#endif

#if GA_USE_MOMENT

/* Of some elements: the sum of their squared differences from their mean, their sum,
 * how many they are. One of x: -0, x, 1; to what is read at last sum - sum is added (0, NaN
 * where that is not finite). Joined as by Chan, Golub and LeVeque (1983): for n elements
 * each, m2 grows by the square of the difference of the sums over 2n; else by that of the
 * sums, each by the other's count, over the product of both counts and all. None: n is 0.
 *
 * Most are joined where n is the same power of two on both sides: 1/2n is made of its
 * exponent then (ONES: the bits of 2^k and those of 2^-k together), without a division;
 * `even`: where that is known; `cut`: n may be any but 0, and there is no jump. */
#define GA_MOMENT(T, C, ONES, MANTISSA)                                             \
  typedef struct ga_moment_##T {                                                       \
    C m2, sum, n;                                                                      \
  } ga_moment_##T;                                                                     \
  GA_FN ga_moment_##T ga_pack_moment_##T(C m2, C sum, C n) {                           \
    ga_moment_##T r;                                                                   \
    r.m2 = m2;                                                                         \
    r.sum = sum;                                                                       \
    r.n = n;                                                                           \
    return r;                                                                          \
  }                                                                                    \
  GA_FN C ga_weight_moment_##T(C na, C nb) {                                           \
    return 1 / (na == nb ? na + na : na * nb * (na + nb));                             \
  }                                                                                    \
  GA_FN ga_moment_##T ga_reduce_even_moment_##T(ga_moment_##T a, ga_moment_##T b) {    \
    C d = a.sum - b.sum, w = ga_frombits_##T(ONES - ga_bits_##T(a.n + b.n));           \
    return ga_pack_moment_##T((a.m2 + b.m2) + d * w * d, a.sum + b.sum, a.n + b.n);    \
  }                                                                                    \
  GA_FN ga_moment_##T ga_reduce_cut_moment_##T(ga_moment_##T a, ga_moment_##T b) {     \
    const int same = a.n == b.n;                                                       \
    C d = a.sum * (same ? 1 : b.n) - b.sum * (same ? 1 : a.n);                         \
    C w = ga_weight_moment_##T(a.n, b.n);                                              \
    return ga_pack_moment_##T((a.m2 + b.m2) + d * w * d, a.sum + b.sum, a.n + b.n);    \
  }                                                                                    \
  GA_FN ga_moment_##T ga_reduce_moment_##T(ga_moment_##T a, ga_moment_##T b) {         \
    C d = a.sum - b.sum, w = ga_frombits_##T(ONES - ga_bits_##T(a.n + b.n));           \
    if (a.n != b.n || (ga_bits_##T(a.n) & MANTISSA) != 0) {                            \
      if (b.n == 0) return a;                                                          \
      if (a.n == 0) return b;                                                          \
      if (a.n != b.n) d = a.sum * b.n - b.sum * a.n;                                   \
      w = ga_weight_moment_##T(a.n, b.n);                                              \
    }                                                                                  \
    return ga_pack_moment_##T((a.m2 + b.m2) + d * w * d, a.sum + b.sum, a.n + b.n);    \
  }

#if GA_USE_float32
GA_MOMENT(float32, ga_float, 0x7f000000u, 0x7fffffu)
#endif
#if GA_USE_float64
GA_MOMENT(float64, ga_double, 0x7fe0000000000000ull, 0xfffffffffffffull)
#endif

#endif

#endif

#endif
