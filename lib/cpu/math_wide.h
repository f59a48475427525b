/* SPDX-License-Identifier: MIT */
/* Functions of float32 and float64 of our own, faster than SLEEF's arithmetic on pairs of numbers:
 * which there are, and what they share. Short polynomials, in steps that a compiler turns into
 * vectors of any width; fused multiply-adds are asked for by name, so every instruction set gives
 * the same bits. ga_wide_<name>(x) of float32 is right where ga_wide_edge_<name>(x) is 0, and
 * ga_long_<name>(x) of float64 likewise; the other arguments (infinities, poles, far angles) are
 * SLEEF's, or, where ga_wide_far_<name>(x) tells them (math_power.h), our own
 * ga_wide_all_<name>(x).
 *
 * Polynomials: Chebyshev fits on the reduced range, made with mpmath's chebyfit. */
#ifndef GA_CPU_MATH_WIDE_H
#define GA_CPU_MATH_WIDE_H

#include <string.h>

#include "codegen/kernels/math.cuh"

/* The functions that are here, for GA_IS_WIDE(name): 1, 2 of those that have a second form for the
 * arguments at the edge (math_power.h), or 0. */
#define GA_WIDE_cbrt    ~, 2 /* math_power.h */
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
#define GA_WIDE_exp     ~, 2
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
#define GA_LONG_sin               ~, 1 /* math_long_turn.h */
#define GA_LONG_cos               ~, 1
#define GA_LONG_tan               ~, 1
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

/* A function that is right for all arguments. */
#define GA_NO_EDGE(own, name, C)        \
  GA_FN int ga_##own##_edge_##name(C x) \
  {                                     \
    (void)x;                            \
    return 0;                           \
  }

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

#define GA_NEAR_FMA(a, b, c) __builtin_fmaf(a, b, c)

/* a + b x + c x^2 + d x^3, y = x^2. Long polynomials are made of these: a processor has room for
 * the waiting steps of two or three vectors, so that the longest chain of them sets the time. */
GA_FN ga_float ga_near_four(ga_float x, ga_float y, ga_float a, ga_float b, ga_float c, ga_float d)
{
  return GA_NEAR_FMA(GA_NEAR_FMA(d, x, c), y, GA_NEAR_FMA(b, x, a));
}
typedef struct ga_long_powers {
  ga_double x, x2, x4;
} ga_long_powers;
GA_FN ga_long_powers ga_long_powers_of(ga_double x)
{
  ga_long_powers v = {x, x * x, (x * x) * (x * x)};
  return v;
}
GA_FN ga_double ga_long_four(ga_long_powers v, ga_double a, ga_double b, ga_double c, ga_double d)
{
  return GA_WIDE_FMA(GA_WIDE_FMA(d, v.x, c), v.x2, GA_WIDE_FMA(b, v.x, a));
}
/* The same with p x^4 */
GA_FN ga_double ga_long_next(ga_double p, ga_long_powers v, ga_double a, ga_double b, ga_double c,
                             ga_double d)
{
  return GA_WIDE_FMA(p, v.x4, ga_long_four(v, a, b, c, d));
}

/* x, or `none` < 0 where it is less than low < 0, high > 0 where more: as ga_near_between. */
GA_FN ga_double ga_long_between(ga_double x, ga_double low, ga_double none, ga_double high)
{
  ga_ulong u = ga_wide_bits(x);
  ga_long v = (ga_long)(u < ga_wide_bits(low) ? u : ga_wide_bits(none));
  ga_long h = (ga_long)ga_wide_bits(high);
  return ga_wide_number((ga_ulong)(v < h ? v : h));
}

#include "math_near.h"
#include "math_power.h"
#include "math_arc.h"
#include "math_hyper.h"
#include "math_long.h"
#include "math_long_arc.h"
#include "math_long_power.h"
#include "math_long_turn.h"

#endif
