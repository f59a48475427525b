/* SPDX-License-Identifier: MIT */
/* Functions of float32 computed in float64, where that is faster than SLEEF's arithmetic on
 * pairs of float32: short polynomials, whose error of 2^-32 leaves a result within 0.51
 * units of its last place, in steps that a compiler turns into vectors of any width. Fused
 * multiply-adds are asked for by name, so every instruction set gives the same bits.
 * ga_wide_<name>(x) is right where ga_wide_edge_<name>(x) is 0; the other arguments
 * (infinities, NaN, zeros and poles) are SLEEF's.
 *
 * Polynomials: Chebyshev fits on the reduced range, made with mpmath's chebyfit. */
#ifndef GA_CPU_MATH_WIDE_H
#define GA_CPU_MATH_WIDE_H

#include <string.h>

#include "codegen/kernels/math.cuh"

/* The functions that are here, for GA_IS_WIDE(name): 1, 2 of those that have a second form for the
 * arguments at the edge (math_power.h), or 0. */
#define GA_WIDE_cbrt    ~, 1
#define GA_WIDE_log     ~, 2 /* math_near.h */
#define GA_WIDE_log2    ~, 2
#define GA_WIDE_log10   ~, 2
#define GA_WIDE_log1p   ~, 1
#define GA_WIDE_sin     ~, 1
#define GA_WIDE_cos     ~, 1
#define GA_WIDE_tan     ~, 1
#define GA_WIDE_arcsin  ~, 1 /* math_arc.h */
#define GA_WIDE_arccos  ~, 1
#define GA_WIDE_arctan  ~, 1
#define GA_WIDE_arctan2 ~, 1
#define GA_WIDE_expm1   ~, 1 /* math_hyper.h */
#define GA_WIDE_sinh    ~, 1
#define GA_WIDE_cosh    ~, 1
#define GA_WIDE_tanh    ~, 1
#define GA_WIDE_arcsinh ~, 1
#define GA_WIDE_arccosh ~, 1
#define GA_WIDE_arctanh ~, 1
#define GA_WIDE_exp     ~, 2 /* math_power.h */
#define GA_WIDE_exp2    ~, 2
#define GA_WIDE_power   ~, 2

/* Those of float64, for GA_IS_LONG(name). */
#define GA_LONG_cbrt              ~, 1 /* math_long.h */
#define GA_LONG_expm1             ~, 1
#define GA_LONG_sinh              ~, 1
#define GA_LONG_cosh              ~, 1
#define GA_LONG_tanh              ~, 1
#define GA_LONG_log1p             ~, 1
#define GA_LONG_arcsinh           ~, 1
#define GA_LONG_arccosh           ~, 1
#define GA_LONG_arctanh           ~, 1
#define GA_LONG_arcsin            ~, 1 /* math_long_arc.h */
#define GA_LONG_arccos            ~, 1
#define GA_LONG_arctan            ~, 1
#define GA_LONG_arctan2           ~, 1
#define GA_LONG_exp               ~, 2 /* math_long_power.h */
#define GA_LONG_exp2              ~, 2
#define GA_LONG_log               ~, 2
#define GA_LONG_log2              ~, 2
#define GA_LONG_log10             ~, 2
#define GA_LONG_power             ~, 2
#define GA_WIDE_SECOND(a, b, ...) b
#define GA_WIDE_CHOOSE(...)       GA_WIDE_SECOND(__VA_ARGS__, 0, 0)
#define GA_IS_WIDE(name)          GA_WIDE_CHOOSE(GA_WIDE_##name)
#define GA_IS_LONG(name)          GA_WIDE_CHOOSE(GA_LONG_##name)

#define GA_WIDE_FMA(a, b, c) __builtin_fma(a, b, c)

/* The baseline of x86-64 has no fused multiply-add. Its functions are made with it all the
 * same, each one by itself, and called on processors that have it (GA_HAS_FMA). */
#if defined(__x86_64__) && !defined(__FMA__)
#define GA_WIDE_FN static __attribute__((target("fma"), noinline, unused))
#else
#define GA_WIDE_FN GA_FN
#endif

/* Added to a float64 below 2^51, rounds it to an integer, which is then in its low bits. */
#define GA_WIDE_ROUND 0x1.8p52

GA_FN ga_ulong ga_wide_bits(ga_double a)
{
  ga_ulong u;
  memcpy(&u, &a, sizeof u);
  return u;
}
GA_FN ga_double ga_wide_number(ga_ulong u)
{
  ga_double a;
  memcpy(&a, &u, sizeof a);
  return a;
}

GA_FN ga_uint ga_wide_bits32(ga_float a)
{
  ga_uint u;
  memcpy(&u, &a, sizeof u);
  return u;
}
GA_FN ga_float ga_wide_number32(ga_uint u)
{
  ga_float a;
  memcpy(&a, &u, sizeof a);
  return a;
}

/* x, or +-most where it is larger, for most > 0: by the bits, as compilers make branches of
 * comparisons of numbers and carry them on into what follows. */
GA_FN ga_float ga_wide_clamp(ga_float x, ga_float most)
{
  ga_uint a = ga_wide_bits32(__builtin_fabsf(x)), b = ga_wide_bits32(most);
  return __builtin_copysignf(ga_wide_number32(a < b ? a : b), x);
}
GA_FN ga_double ga_wide_clamp2(ga_double x, ga_double most)
{
  ga_ulong a = ga_wide_bits(__builtin_fabs(x)), b = ga_wide_bits(most);
  return __builtin_copysign(ga_wide_number(a < b ? a : b), x);
}

/* ---- the functions ---------------------------------------------------------------------- */

/* |x| g g for g = |x|^(-1/3): a third of the exponent by the bits, then of e = 1 - |x| g^3 the
 * series of (1 - e)^(-1/3), in float32 and once more in float64. */
GA_FN int ga_wide_edge_cbrt(ga_float x)
{
  ga_float a = __builtin_fabsf(x);
  return (a >= GA_INF_float32) | (a != a) | ((a > 0) & (a < 0x1p-126f));
}
GA_WIDE_FN ga_float ga_wide_cbrt(ga_float x)
{
  ga_float a = __builtin_fabsf(x), third = (ga_float)(ga_int)ga_wide_bits32(a) * 0x1.555556p-2f;
  ga_float g = ga_wide_number32(0x54a20000u - (ga_uint)(ga_int)third);
  ga_float e = __builtin_fmaf(-(a * g), g * g, 1.0f);
  ga_double r = __builtin_fmaf(g * e, __builtin_fmaf(e, 0x1.c8e772p-3f, 0x1.5668a8p-2f), g);
  ga_double d = GA_WIDE_FMA(-(a * r), r * r, 1.0);
  r = GA_WIDE_FMA(r * d, GA_WIDE_FMA(d, 0x1.c71c71dfdb145p-3, 0x1.5555555555555p-2), r);
  return __builtin_copysignf((ga_float)(a * r * r), x);
}

#include "math_near.h"

#include "math_arc.h"
#include "math_hyper.h"
#include "math_long.h"
#include "math_long_arc.h"
#include "math_long_power.h"
#include "math_power.h"

#endif
