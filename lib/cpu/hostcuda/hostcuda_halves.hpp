// SPDX-License-Identifier: MIT
// What cuda_fp16.h and cuda_bf16.h have in common, for the one that includes it:
// GA_HC_H is its type, GA_HC_H2 the pair of it, GA_HC_W(a, b) the name made of a, the
// type's word and b, as __float2half_rn of __float2 and _rn, GA_HC_INFINITE infinity's bits.
//
// A result is rounded once, to nearest even where no mode is named, but where the
// toolkit's is rounded twice: quotients, roots and functions by way of float32. A NaN
// is the canonical one, 0x7fff.

// ---- operators -------------------------------------------------------------------

#define GA_HC_OPERATOR(op, expr)                                                 \
  GA_HC_FN GA_HC_H operator op(GA_HC_H a, GA_HC_H b) { return expr; }            \
  GA_HC_FN GA_HC_H &operator op##=(GA_HC_H &a, GA_HC_H b) { return a = a op b; } \
  GA_HC_FN GA_HC_H2 operator op(GA_HC_H2 a, GA_HC_H2 b)                          \
  {                                                                              \
    return GA_HC_H2(a.x op b.x, a.y op b.y);                                     \
  }                                                                              \
  GA_HC_FN GA_HC_H2 &operator op##=(GA_HC_H2 &a, GA_HC_H2 b) { return a = a op b; }
GA_HC_OPERATOR(+, GA_HC_H((float)a + (float)b))
GA_HC_OPERATOR(-, GA_HC_H((float)a - (float)b))
GA_HC_OPERATOR(*, GA_HC_H((double)(float)a *(double)(float)b))
GA_HC_OPERATOR(/, GA_HC_H((float)a / (float)b))
#define GA_HC_COMPARISON(op)                                                       \
  GA_HC_FN bool operator op(GA_HC_H a, GA_HC_H b) { return (float)a op(float) b; } \
  GA_HC_FN bool operator op(GA_HC_H2 a, GA_HC_H2 b) { return a.x op b.x && a.y op b.y; }
GA_HC_COMPARISON(==)
GA_HC_COMPARISON(!=)
GA_HC_COMPARISON(<)
GA_HC_COMPARISON(>)
GA_HC_COMPARISON(<=)
GA_HC_COMPARISON(>=)
GA_HC_FN GA_HC_H operator+(GA_HC_H a) { return a; }
GA_HC_FN GA_HC_H2 operator+(GA_HC_H2 a) { return a; }
#define GA_HC_STEP(op, type, one)                                  \
  GA_HC_FN type &operator op##op(type &a) { return a = a op one; } \
  GA_HC_FN type operator op##op(type &a, int)                      \
  {                                                                \
    type old = a;                                                  \
    a = a op one;                                                  \
    return old;                                                    \
  }
GA_HC_STEP(+, GA_HC_H, GA_HC_H(1))
GA_HC_STEP(-, GA_HC_H, GA_HC_H(1))
GA_HC_STEP(+, GA_HC_H2, GA_HC_H2(GA_HC_H(1), GA_HC_H(1)))
GA_HC_STEP(-, GA_HC_H2, GA_HC_H2(GA_HC_H(1), GA_HC_H(1)))

// ---- one of them --------------------------------------------------------------------

GA_HC_FN GA_HC_H GA_HC_W(__ushort_as_, )(unsigned short u) { return ga_hc_bits<GA_HC_H>(u); }
GA_HC_FN GA_HC_H GA_HC_W(__short_as_, )(short u) { return ga_hc_bits<GA_HC_H>(u); }
GA_HC_FN unsigned short GA_HC_W(__, _as_ushort)(GA_HC_H h) { return h.__x; }
GA_HC_FN short GA_HC_W(__, _as_short)(GA_HC_H h) { return (short)h.__x; }
GA_HC_FN GA_HC_H __hneg(GA_HC_H a) { return GA_HC_W(__ushort_as_, )(a.__x ^ 0x8000); }
GA_HC_FN GA_HC_H __habs(GA_HC_H a) { return GA_HC_W(__ushort_as_, )(a.__x & 0x7fff); }
GA_HC_FN GA_HC_H operator-(GA_HC_H a) { return __hneg(a); }
GA_HC_FN GA_HC_H2 operator-(GA_HC_H2 a) { return GA_HC_H2(-a.x, -a.y); }
GA_HC_FN bool __hisnan(GA_HC_H a) { return (a.__x & 0x7fff) > GA_HC_INFINITE; }
GA_HC_FN int __hisinf(GA_HC_H a)
{
  return (a.__x & 0x7fff) == GA_HC_INFINITE ? 1 - 2 * (a.__x >> 15) : 0;
}

// To nearest, and a step back where that went the wrong way.
GA_HC_FN GA_HC_H GA_HC_W(ga_hc_directed_, )(double x, ga_hc_rounding r)
{
  GA_HC_H h(x);
  double v = (double)(float)h;
  if (r == GA_HC_RZ && __builtin_fabs(v) > __builtin_fabs(x)) h.__x--;
  if (r == GA_HC_RU && v < x) h.__x += h.__x >> 15 ? -1 : 1;
  if (r == GA_HC_RD && v > x) h.__x += h.__x >> 15 ? 1 : -1;
  return h;
}
#define GA_HC_OF(name, type, real)                                          \
  GA_HC_FN GA_HC_H GA_HC_W(__##name##2, _rn)(type x) { return GA_HC_H(x); } \
  GA_HC_FN GA_HC_H GA_HC_W(__##name##2, _rz)(type x)                        \
  {                                                                         \
    return GA_HC_W(ga_hc_directed_, )(real(x), GA_HC_RZ);                   \
  }                                                                         \
  GA_HC_FN GA_HC_H GA_HC_W(__##name##2, _ru)(type x)                        \
  {                                                                         \
    return GA_HC_W(ga_hc_directed_, )(real(x), GA_HC_RU);                   \
  }                                                                         \
  GA_HC_FN GA_HC_H GA_HC_W(__##name##2, _rd)(type x)                        \
  {                                                                         \
    return GA_HC_W(ga_hc_directed_, )(real(x), GA_HC_RD);                   \
  }
GA_HC_OF(float, float, )
GA_HC_OF(short, short, )
GA_HC_OF(ushort, unsigned short, )
GA_HC_OF(int, int, )
GA_HC_OF(uint, unsigned, )
GA_HC_OF(ll, long long, ga_hc_odd_double)
GA_HC_OF(ull, unsigned long long, ga_hc_odd_double)
GA_HC_FN GA_HC_H GA_HC_W(__float2, )(float x) { return GA_HC_H(x); }
GA_HC_FN GA_HC_H GA_HC_W(__double2, )(double x) { return GA_HC_H(x); }
GA_HC_FN float GA_HC_W(__, 2float)(GA_HC_H h) { return (float)h; }

#define GA_HC_TO(name, type, mode) \
  GA_HC_FN type GA_HC_W(__, 2##name##mode)(GA_HC_H h) { return __float2##name##mode(h); }
#define GA_HC_TO_ALL(name, type) \
  GA_HC_TO(name, type, _rn)      \
  GA_HC_TO(name, type, _rz)      \
  GA_HC_TO(name, type, _ru)      \
  GA_HC_TO(name, type, _rd)
GA_HC_TO_ALL(int, int)
GA_HC_TO_ALL(uint, unsigned)
GA_HC_TO_ALL(ll, long long)
GA_HC_TO_ALL(ull, unsigned long long)
#define GA_HC_TO_NARROW(name, type, wide, mode)         \
  GA_HC_FN type GA_HC_W(__, 2##name##mode)(GA_HC_H h)   \
  {                                                     \
    return ga_hc_narrow<type>(__float2##wide##mode(h)); \
  }
#define GA_HC_TO_SHORT(mode)               \
  GA_HC_TO_NARROW(short, short, int, mode) \
  GA_HC_TO_NARROW(ushort, unsigned short, uint, mode)
GA_HC_TO_SHORT(_rn)
GA_HC_TO_SHORT(_rz)
GA_HC_TO_SHORT(_ru)
GA_HC_TO_SHORT(_rd)
GA_HC_TO_NARROW(char, signed char, int, _rz)
GA_HC_TO_NARROW(uchar, unsigned char, uint, _rz)

// ---- two of them --------------------------------------------------------------------

GA_HC_FN GA_HC_H2 GA_HC_W(make_, 2)(GA_HC_H x, GA_HC_H y) { return GA_HC_H2(x, y); }
GA_HC_FN GA_HC_H2 GA_HC_W(__halves2, 2)(GA_HC_H x, GA_HC_H y) { return GA_HC_H2(x, y); }
GA_HC_FN GA_HC_H2 GA_HC_W(__floats2, 2_rn)(float x, float y)
{
  return GA_HC_H2(GA_HC_H(x), GA_HC_H(y));
}
GA_HC_FN GA_HC_H2 GA_HC_W(__float2, 2_rn)(float x) { return GA_HC_W(__floats2, 2_rn)(x, x); }
GA_HC_FN GA_HC_H2 GA_HC_W(__float22, 2_rn)(float2 v) { return GA_HC_W(__floats2, 2_rn)(v.x, v.y); }
GA_HC_FN float2 GA_HC_W(__, 22float2)(GA_HC_H2 h) { return float2{(float)h.x, (float)h.y}; }
GA_HC_FN GA_HC_H GA_HC_W(__low2, )(GA_HC_H2 h) { return h.x; }
GA_HC_FN GA_HC_H GA_HC_W(__high2, )(GA_HC_H2 h) { return h.y; }
GA_HC_FN GA_HC_H2 GA_HC_W(__low2, 2)(GA_HC_H2 h) { return GA_HC_H2(h.x, h.x); }
GA_HC_FN GA_HC_H2 GA_HC_W(__high2, 2)(GA_HC_H2 h) { return GA_HC_H2(h.y, h.y); }
GA_HC_FN GA_HC_H2 GA_HC_W(__lows2, 2)(GA_HC_H2 a, GA_HC_H2 b) { return GA_HC_H2(a.x, b.x); }
GA_HC_FN GA_HC_H2 GA_HC_W(__highs2, 2)(GA_HC_H2 a, GA_HC_H2 b) { return GA_HC_H2(a.y, b.y); }
GA_HC_FN GA_HC_H2 __lowhigh2highlow(GA_HC_H2 h) { return GA_HC_H2(h.y, h.x); }
GA_HC_FN float __low2float(GA_HC_H2 h) { return (float)h.x; }
GA_HC_FN float __high2float(GA_HC_H2 h) { return (float)h.y; }

#define GA_HC_NAMED1(one, two) \
  GA_HC_FN GA_HC_H2 two(GA_HC_H2 a) { return GA_HC_H2(one(a.x), one(a.y)); }
#define GA_HC_NAMED2(one, two, expr)                          \
  GA_HC_FN GA_HC_H one(GA_HC_H a, GA_HC_H b) { return expr; } \
  GA_HC_FN GA_HC_H2 two(GA_HC_H2 a, GA_HC_H2 b) { return GA_HC_H2(one(a.x, b.x), one(a.y, b.y)); }
#define GA_HC_NAMED3(one, two, expr)                                     \
  GA_HC_FN GA_HC_H one(GA_HC_H a, GA_HC_H b, GA_HC_H c) { return expr; } \
  GA_HC_FN GA_HC_H2 two(GA_HC_H2 a, GA_HC_H2 b, GA_HC_H2 c)              \
  {                                                                      \
    return GA_HC_H2(one(a.x, b.x, c.x), one(a.y, b.y, c.y));             \
  }
GA_HC_NAMED1(__hneg, __hneg2)
GA_HC_NAMED1(__habs, __habs2)
GA_HC_FN GA_HC_H2 __hisnan2(GA_HC_H2 a)
{
  return GA_HC_W(__floats2, 2_rn)(__hisnan(a.x), __hisnan(a.y));
}

// ---- named arithmetic -----------------------------------------------------------------

// To [0, 1], a NaN to 0; and to what is not negative.
GA_HC_FN GA_HC_H ga_hc_sat(GA_HC_H a)
{
  return GA_HC_H((float)a > 0 ? (float)a < 1 ? (float)a : 1.0f : 0.0f);
}
GA_HC_FN GA_HC_H ga_hc_relu(GA_HC_H a) { return (float)a <= 0 ? GA_HC_H(0.0f) : a; }

GA_HC_NAMED2(__hadd, __hadd2, a + b)
GA_HC_NAMED2(__hsub, __hsub2, a - b)
GA_HC_NAMED2(__hmul, __hmul2, a *b)
GA_HC_NAMED2(__hdiv, __h2div, a / b)
GA_HC_NAMED2(__hadd_rn, __hadd2_rn, a + b)
GA_HC_NAMED2(__hsub_rn, __hsub2_rn, a - b)
GA_HC_NAMED2(__hmul_rn, __hmul2_rn, a *b)
GA_HC_NAMED2(__hadd_sat, __hadd2_sat, ga_hc_sat(a + b))
GA_HC_NAMED2(__hsub_sat, __hsub2_sat, ga_hc_sat(a - b))
GA_HC_NAMED2(__hmul_sat, __hmul2_sat, ga_hc_sat(a *b))
// The product is exact in float64; the sum has what is needed to round it once.
GA_HC_NAMED3(__hfma, __hfma2,
             GA_HC_H(ga_hc_add_odd((double)(float)a *(double)(float)b, (double)(float)c)))
GA_HC_NAMED3(__hfma_sat, __hfma2_sat, ga_hc_sat(__hfma(a, b, c)))
GA_HC_NAMED3(__hfma_relu, __hfma2_relu, ga_hc_relu(__hfma(a, b, c)))
GA_HC_FN GA_HC_H2 __hcmadd(GA_HC_H2 a, GA_HC_H2 b, GA_HC_H2 c)
{
  return GA_HC_H2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)),
                  __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// Of zeros the negative one is the smaller; of a NaN and a number the number.
GA_HC_FN GA_HC_H ga_hc_larger(GA_HC_H a, GA_HC_H b)
{
  if ((float)a == (float)b) return a.__x >> 15 ? b : a;
  return __hisnan(b) || (float)a > (float)b ? a : b;
}
GA_HC_FN GA_HC_H ga_hc_smaller(GA_HC_H a, GA_HC_H b)
{
  if ((float)a == (float)b) return a.__x >> 15 ? a : b;
  return __hisnan(b) || (float)a < (float)b ? a : b;
}
#define GA_HC_NO_NUMBER(test, otherwise) ((test) ? GA_HC_H(__builtin_nanf("")) : otherwise)
#define GA_HC_EXTREME(name, which)                                                      \
  GA_HC_NAMED2(name, name##2, GA_HC_NO_NUMBER(__hisnan(a) && __hisnan(b), which(a, b))) \
  GA_HC_NAMED2(name##_nan, name##2_nan, GA_HC_NO_NUMBER(__hisnan(a) || __hisnan(b), which(a, b)))
GA_HC_EXTREME(__hmax, ga_hc_larger)
GA_HC_EXTREME(__hmin, ga_hc_smaller)

// ---- comparisons -------------------------------------------------------------------------

// Of a pair: ones and zeros, masks, whether both hold. name##u: a NaN makes it true.
#define GA_HC_COMPARE_AS(name, test)                                                      \
  GA_HC_FN bool __h##name(GA_HC_H p, GA_HC_H q)                                           \
  {                                                                                       \
    const float a = (float)p, b = (float)q;                                               \
    return test;                                                                          \
  }                                                                                       \
  GA_HC_FN GA_HC_H2 __h##name##2(GA_HC_H2 p, GA_HC_H2 q)                                  \
  {                                                                                       \
    return GA_HC_W(__floats2, 2_rn)(__h##name(p.x, q.x), __h##name(p.y, q.y));            \
  }                                                                                       \
  GA_HC_FN unsigned __h##name##2_mask(GA_HC_H2 p, GA_HC_H2 q)                             \
  {                                                                                       \
    return (__h##name(p.x, q.x) ? 0xffffu : 0) | (__h##name(p.y, q.y) ? 0xffff0000u : 0); \
  }                                                                                       \
  GA_HC_FN bool __hb##name##2(GA_HC_H2 p, GA_HC_H2 q)                                     \
  {                                                                                       \
    return __h##name(p.x, q.x) && __h##name(p.y, q.y);                                    \
  }
#define GA_HC_COMPARE_BOTH(name, test, not_unordered) \
  GA_HC_COMPARE_AS(name, test) GA_HC_COMPARE_AS(name##u, !(not_unordered))
GA_HC_COMPARE_BOTH(eq, a == b, a<b || a> b)
GA_HC_COMPARE_BOTH(ne, a<b || a> b, a == b)
GA_HC_COMPARE_BOTH(lt, a < b, a >= b)
GA_HC_COMPARE_BOTH(gt, a > b, a <= b)
GA_HC_COMPARE_BOTH(le, a <= b, a > b)
GA_HC_COMPARE_BOTH(ge, a >= b, a < b)

// ---- functions ---------------------------------------------------------------------------

#define GA_HC_FUNCTION(name, f)                                        \
  GA_HC_FN GA_HC_H h##name(GA_HC_H a) { return GA_HC_H(f((float)a)); } \
  GA_HC_NAMED1(h##name, h2##name)
GA_HC_FUNCTION(sqrt, __builtin_sqrtf)
GA_HC_FUNCTION(rsqrt, rsqrtf)
GA_HC_FUNCTION(rcp, 1.0f /)
GA_HC_FUNCTION(exp, __builtin_expf)
GA_HC_FUNCTION(exp2, __builtin_exp2f)
GA_HC_FUNCTION(exp10, ga_hc_exp10f)
GA_HC_FUNCTION(log, __builtin_logf)
GA_HC_FUNCTION(log2, __builtin_log2f)
GA_HC_FUNCTION(log10, __builtin_log10f)
GA_HC_FUNCTION(sin, __builtin_sinf)
GA_HC_FUNCTION(cos, __builtin_cosf)
GA_HC_FUNCTION(tanh, __builtin_tanhf)
GA_HC_FUNCTION(tanh_approx, __builtin_tanhf)
GA_HC_FUNCTION(floor, __builtin_floorf)
GA_HC_FUNCTION(ceil, __builtin_ceilf)
GA_HC_FUNCTION(trunc, __builtin_truncf)
GA_HC_FUNCTION(rint, __builtin_rintf)

// ---- atomics -----------------------------------------------------------------------------

GA_HC_ATOMIC_FN GA_HC_H atomicAdd(GA_HC_H *p, GA_HC_H v)
{
  GA_HC_REPLACE(GA_HC_H, unsigned short, p, old + v);
}
GA_HC_FN GA_HC_H2 atomicAdd(GA_HC_H2 *p, GA_HC_H2 v)
{
  return GA_HC_H2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y));
}

#undef GA_HC_OPERATOR
#undef GA_HC_COMPARISON
#undef GA_HC_STEP
#undef GA_HC_OF
#undef GA_HC_TO
#undef GA_HC_TO_ALL
#undef GA_HC_TO_NARROW
#undef GA_HC_TO_SHORT
#undef GA_HC_NAMED1
#undef GA_HC_NAMED2
#undef GA_HC_NAMED3
#undef GA_HC_NO_NUMBER
#undef GA_HC_EXTREME
#undef GA_HC_COMPARE_AS
#undef GA_HC_COMPARE_BOTH
#undef GA_HC_FUNCTION
