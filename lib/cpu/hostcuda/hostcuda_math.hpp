// SPDX-License-Identifier: MIT
// CUDA's maths for a user's own kernels: the C library's functions under CUDA's
// names. (Generated kernels call the interpreter's: codegen/kernels/math.cuh.) Where the text
// includes <cmath>, its overloads are taken.
#pragma once

#define GA_HC_MATH1(X)                                                                             \
  X(acos)                                                                                          \
  X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp)  \
      X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb)         \
          X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
#define GA_HC_MATH2(X)                                                                             \
  X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

#define GA_HC_DECLARE1(m)                                                                          \
  extern "C" double m(double) noexcept;                                                            \
  extern "C" float m##f(float) noexcept;
#define GA_HC_DECLARE2(m)                                                                          \
  extern "C" double m(double, double) noexcept;                                                    \
  extern "C" float m##f(float, float) noexcept;
GA_HC_MATH1(GA_HC_DECLARE1)
GA_HC_MATH2(GA_HC_DECLARE2)
extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double frexp(double, int *) noexcept;
float frexpf(float, int *) noexcept;
double modf(double, double *) noexcept;
float modff(float, float *) noexcept;
double remquo(double, double, int *) noexcept;
float remquof(float, float, int *) noexcept;
int ilogb(double) noexcept;
int ilogbf(float) noexcept;
long lrint(double) noexcept;
long lrintf(float) noexcept;
long lround(double) noexcept;
long lroundf(float) noexcept;
long long llrint(double) noexcept;
long long llrintf(float) noexcept;
long long llround(double) noexcept;
long long llroundf(float) noexcept;
double j0(double) noexcept;
float j0f(float) noexcept;
double j1(double) noexcept;
float j1f(float) noexcept;
double y0(double) noexcept;
float y0f(float) noexcept;
double y1(double) noexcept;
float y1f(float) noexcept;
double jn(int, double) noexcept;
float jnf(int, float) noexcept;
double yn(int, double) noexcept;
float ynf(int, float) noexcept;
int abs(int) noexcept;
long labs(long) noexcept;
long long llabs(long long) noexcept;
}

#if defined(_GLIBCXX_CMATH) || defined(_LIBCPP_CMATH)
#define GA_HC_USING(f) using std::f;
GA_HC_MATH1(GA_HC_USING)
GA_HC_MATH2(GA_HC_USING)
using std::abs;
using std::fma;
using std::frexp;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::ldexp;
using std::modf;
using std::signbit;
#else
template <class T> struct ga_hc_integer {
};
#define GA_HC_INTEGER(T)                                                                           \
  template <> struct ga_hc_integer<T> {                                                            \
    typedef double type;                                                                           \
  };
GA_HC_INTEGER(char)
GA_HC_INTEGER(signed char)
GA_HC_INTEGER(unsigned char)
GA_HC_INTEGER(short)
GA_HC_INTEGER(unsigned short)
GA_HC_INTEGER(int)
GA_HC_INTEGER(unsigned)
GA_HC_INTEGER(long)
GA_HC_INTEGER(unsigned long)
GA_HC_INTEGER(long long)
GA_HC_INTEGER(unsigned long long)
GA_HC_INTEGER(bool)
#define GA_HC_OVERLOAD1(m)                                                                         \
  GA_HC_FN float m(float x) { return __builtin_##m##f(x); }                                        \
  template <class T> GA_HC_FN typename ga_hc_integer<T>::type m(T x)                               \
  {                                                                                                \
    return __builtin_##m((double)x);                                                               \
  }
#define GA_HC_OVERLOAD2(m)                                                                         \
  GA_HC_FN float m(float x, float y) { return __builtin_##m##f(x, y); }                            \
  template <class T> GA_HC_FN typename ga_hc_integer<T>::type m(double x, T y)                     \
  {                                                                                                \
    return __builtin_##m(x, (double)y);                                                            \
  }                                                                                                \
  template <class T> GA_HC_FN typename ga_hc_integer<T>::type m(float x, T y)                      \
  {                                                                                                \
    return __builtin_##m((double)x, (double)y);                                                    \
  }                                                                                                \
  template <class T> GA_HC_FN typename ga_hc_integer<T>::type m(T x, double y)                     \
  {                                                                                                \
    return __builtin_##m((double)x, y);                                                            \
  }                                                                                                \
  template <class T> GA_HC_FN typename ga_hc_integer<T>::type m(T x, float y)                      \
  {                                                                                                \
    return __builtin_##m((double)x, (double)y);                                                    \
  }                                                                                                \
  template <class T, class U, class = typename ga_hc_integer<U>::type>                             \
  GA_HC_FN typename ga_hc_integer<T>::type m(T x, U y)                                             \
  {                                                                                                \
    return __builtin_##m((double)x, (double)y);                                                    \
  }                                                                                                \
  GA_HC_FN double m(float x, double y) { return __builtin_##m((double)x, y); }                     \
  GA_HC_FN double m(double x, float y) { return __builtin_##m(x, (double)y); }
GA_HC_MATH1(GA_HC_OVERLOAD1)
GA_HC_MATH2(GA_HC_OVERLOAD2)
GA_HC_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
GA_HC_FN float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
GA_HC_FN float frexp(float x, int *e) { return __builtin_frexpf(x, e); }
GA_HC_FN float modf(float x, float *i) { return __builtin_modff(x, i); }
#if defined(_GLIBCXX_BITS_STD_ABS_H) // by stdlib.h
using std::abs;
#else
GA_HC_FN float abs(float x) { return __builtin_fabsf(x); }
GA_HC_FN double abs(double x) { return __builtin_fabs(x); }
GA_HC_FN long abs(long x) { return x < 0 ? -x : x; }
GA_HC_FN long long abs(long long x) { return x < 0 ? -x : x; }
#endif
#define GA_HC_TEST(f, test)                                                                        \
  GA_HC_FN bool f(float x) { return test; }                                                        \
  GA_HC_FN bool f(double x) { return test; }
GA_HC_TEST(isnan, __builtin_isnan(x))
GA_HC_TEST(isinf, __builtin_isinf(x) != 0)
GA_HC_TEST(isfinite, __builtin_isfinite(x) != 0)
GA_HC_TEST(signbit, __builtin_signbit(x) != 0)
#endif

// ---- functions that C has not --------------------------------------------------------

#define GA_HC_PI 3.14159265358979323846
GA_HC_FN float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
GA_HC_FN double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
GA_HC_FN float rsqrt(float x) { return rsqrtf(x); }
GA_HC_FN float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
GA_HC_FN double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
GA_HC_FN float ga_hc_exp10f(float x) { return (float)__builtin_pow(10.0, (double)x); }
#if !defined(_MATH_H) || !defined(__USE_GNU)
GA_HC_FN float exp10f(float x) { return ga_hc_exp10f(x); }
GA_HC_FN double exp10(double x) { return __builtin_pow(10.0, x); }
#endif
// sin(pi x): reduced exactly, to a quarter of a period.
GA_HC_FN double sinpi(double x)
{
  double r = __builtin_fmod(x, 2.0), s = r < 0 ? -1 : 1;
  r = __builtin_fabs(r);
  if (r >= 1) r -= 1, s = -s;
  if (r == 0) return __builtin_copysign(0.0, x);
  if (r > 0.5) r = 1 - r;
  return s * __builtin_sin(GA_HC_PI * r);
}
GA_HC_FN double cospi(double x)
{
  double r = __builtin_fabs(__builtin_fmod(x, 2.0)), s = 1;
  if (r > 1) r = 2 - r;
  if (r > 0.5) r = 1 - r, s = -1;
  return r == 0.5 ? 0.0 : s * __builtin_cos(GA_HC_PI * r);
}
GA_HC_FN float sinpif(float x) { return (float)sinpi((double)x); }
GA_HC_FN float cospif(float x) { return (float)cospi((double)x); }
#if !defined(_MATH_H) || !defined(__USE_GNU)
GA_HC_FN void sincosf(float x, float *s, float *c)
{
  *s = __builtin_sinf(x);
  *c = __builtin_cosf(x);
}
GA_HC_FN void sincos(double x, double *s, double *c)
{
  *s = __builtin_sin(x);
  *c = __builtin_cos(x);
}
#endif
GA_HC_FN void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
GA_HC_FN void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
GA_HC_FN float normcdff(float x) { return 0.5f * __builtin_erfcf(-x * 0.70710678118654752f); }
GA_HC_FN double normcdf(double x) { return 0.5 * __builtin_erfc(-x * 0.70710678118654752440); }
GA_HC_FN double rhypot(double x, double y) { return 1.0 / __builtin_hypot(x, y); }
GA_HC_FN float rhypotf(float x, float y) { return 1.0f / __builtin_hypotf(x, y); }
GA_HC_FN double norm3d(double a, double b, double c)
{
  return __builtin_hypot(__builtin_hypot(a, b), c);
}
GA_HC_FN float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
GA_HC_FN float fdividef(float x, float y) { return x / y; }

extern "C" { // the C library's
int __isinf(double) noexcept;
int __isinff(float) noexcept;
int __isnan(double) noexcept;
int __isnanf(float) noexcept;
int __finite(double) noexcept;
int __finitef(float) noexcept;
int __signbit(double) noexcept;
int __signbitf(float) noexcept;
}
// Of float, where C has one name for float and one for double.
#define GA_HC_OF_FLOAT(m) \
  GA_HC_FN float m(float x) { return m##f(x); }
GA_HC_FN float exp10(float x) { return ga_hc_exp10f(x); }
GA_HC_OF_FLOAT(rcbrt)
GA_HC_OF_FLOAT(sinpi)
GA_HC_OF_FLOAT(cospi)
GA_HC_OF_FLOAT(normcdf)
GA_HC_OF_FLOAT(j0)
GA_HC_OF_FLOAT(j1)
GA_HC_OF_FLOAT(y0)
GA_HC_OF_FLOAT(y1)
GA_HC_FN float jn(int n, float x) { return jnf(n, x); }
GA_HC_FN float yn(int n, float x) { return ynf(n, x); }
GA_HC_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
GA_HC_FN void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }

// ---- minimum and maximum ------------------------------------------------------------------

#define GA_HC_MINMAX(T)                                                                            \
  GA_HC_FN T min(T a, T b) { return b < a ? b : a; }                                               \
  GA_HC_FN T max(T a, T b) { return a < b ? b : a; }
GA_HC_MINMAX(int)
GA_HC_MINMAX(unsigned)
GA_HC_MINMAX(long)
GA_HC_MINMAX(unsigned long)
GA_HC_MINMAX(long long)
GA_HC_MINMAX(unsigned long long)
#define GA_HC_MIXED(S, U)                                                                          \
  GA_HC_FN U min(S a, U b) { return min((U)a, b); }                                                \
  GA_HC_FN U min(U a, S b) { return min(a, (U)b); }                                                \
  GA_HC_FN U max(S a, U b) { return max((U)a, b); }                                                \
  GA_HC_FN U max(U a, S b) { return max(a, (U)b); }
GA_HC_MIXED(int, unsigned)
GA_HC_MIXED(long, unsigned long)
GA_HC_MIXED(long long, unsigned long long)
GA_HC_FN float min(float a, float b) { return __builtin_fminf(a, b); }
GA_HC_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
GA_HC_FN double min(double a, double b) { return __builtin_fmin(a, b); }
GA_HC_FN double max(double a, double b) { return __builtin_fmax(a, b); }
GA_HC_FN double min(float a, double b) { return __builtin_fmin(a, b); }
GA_HC_FN double max(float a, double b) { return __builtin_fmax(a, b); }
GA_HC_FN double min(double a, float b) { return __builtin_fmin(a, b); }
GA_HC_FN double max(double a, float b) { return __builtin_fmax(a, b); }
GA_HC_FN unsigned umin(unsigned a, unsigned b) { return min(a, b); }
GA_HC_FN unsigned umax(unsigned a, unsigned b) { return max(a, b); }

// ---- the fast intrinsics, which are not faster here -----------------------------------------

GA_HC_FN float __fdividef(float a, float b) { return a / b; }
GA_HC_FN float ga_hc_fast_expf(float x) { return __builtin_expf(x); }
GA_HC_FN float ga_hc_fast_exp10f(float x) { return ga_hc_exp10f(x); }
GA_HC_FN float ga_hc_fast_logf(float x) { return __builtin_logf(x); }
GA_HC_FN float ga_hc_fast_log2f(float x) { return __builtin_log2f(x); }
GA_HC_FN float ga_hc_fast_log10f(float x) { return __builtin_log10f(x); }
GA_HC_FN float ga_hc_fast_sinf(float x) { return __builtin_sinf(x); }
GA_HC_FN float ga_hc_fast_cosf(float x) { return __builtin_cosf(x); }
GA_HC_FN float ga_hc_fast_tanf(float x) { return __builtin_tanf(x); }
GA_HC_FN void ga_hc_fast_sincosf(float x, float *s, float *c)
{
  *s = ga_hc_fast_sinf(x), *c = ga_hc_fast_cosf(x);
}
GA_HC_FN float ga_hc_fast_powf(float x, float y) { return __builtin_powf(x, y); }
GA_HC_FN float ga_hc_fast_tanhf(float x) { return __builtin_tanhf(x); }
// The C library has functions of these names, of its own.
#define __expf    ga_hc_fast_expf
#define __exp10f  ga_hc_fast_exp10f
#define __logf    ga_hc_fast_logf
#define __log2f   ga_hc_fast_log2f
#define __log10f  ga_hc_fast_log10f
#define __sinf    ga_hc_fast_sinf
#define __cosf    ga_hc_fast_cosf
#define __tanf    ga_hc_fast_tanf
#define __tanhf   ga_hc_fast_tanhf
#define __sincosf ga_hc_fast_sincosf
#define __powf    ga_hc_fast_powf
GA_HC_FN float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }

#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__builtin_huge_val())
#endif
#ifndef HUGE_VALF
#define HUGE_VALF (__builtin_huge_valf())
#endif
#ifndef M_PI
#define M_PI GA_HC_PI
#endif
