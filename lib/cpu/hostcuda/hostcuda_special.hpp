// SPDX-License-Identifier: MIT
// The functions of CUDA's maths that C has not and that are no one-liners: inverse
// error functions, the scaled one, Bessel functions, norms. In float64 they are a
// few ulp from the exact result; the float ones are those, rounded.
#pragma once

extern "C" {
double nan(const char *) noexcept;
float nanf(const char *) noexcept;
double scalbln(double, long) noexcept;
float scalblnf(float, long) noexcept;
}

// ---- error functions -------------------------------------------------------------------

// Halley's method on erfc(x) = y for y <= 1, from Hastings' approximation.
GA_HC_FN double ga_hc_erfcinv1(double y)
{
  double t = __builtin_sqrt(-2 * __builtin_log(y / 2));
  double x =
      0.70710678118654752 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  for (int i = 0; i < 3; i++) {
    double d = 1.12837916709551257 * __builtin_exp(-x * x), e = __builtin_erfc(x) - y;
    if (d == 0) break;
    x += e / (d - x * e);
  }
  return x;
}

// Near 0 by erf, which keeps small results exact to their last bits.
GA_HC_FN double ga_hc_erfinv_small(double y)
{
  double x = y * 0.88622692545275801 * (1 + 0.26179938779914944 * y * y);
  for (int i = 0; i < 3; i++) {
    double e = __builtin_erf(x) - y;
    x -= e / (1.12837916709551257 * __builtin_exp(-x * x) + e * x);
  }
  return x;
}

GA_HC_FN double erfinv(double y)
{
  double a = __builtin_fabs(y);
  if (!(a <= 1)) return __builtin_nan("");
  if (a == 1) return __builtin_copysign(__builtin_inf(), y);
  if (a < 1e-150) return y * 0.88622692545275801;
  return a <= 0.5 ? ga_hc_erfinv_small(y) : __builtin_copysign(ga_hc_erfcinv1(1 - a), y);
}
GA_HC_FN double erfcinv(double y)
{
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  if (y == 0 || y == 2) return y == 0 ? __builtin_inf() : -__builtin_inf();
  if (y >= 0.5 && y <= 1.5) return y == 1 ? 0 : ga_hc_erfinv_small(1 - y);
  return y < 1 ? ga_hc_erfcinv1(y) : -ga_hc_erfcinv1(2 - y);
}
GA_HC_FN double normcdfinv(double y) { return 0 - 1.41421356237309505 * erfcinv(2 * y); }

// exp(x x) erfc(x): by its continued fraction where the two factors would overflow.
GA_HC_FN double erfcx(double x)
{
  double s = x * x;
  if (x > 4) {
    double f = x;
    for (int i = 100; i > 0; i--) f = x + 0.5 * i / f;
    return 0.56418958354775629 / f;
  }
  if (s > 800) return __builtin_inf();
  return __builtin_exp(s) * (1 + __builtin_fma(x, x, -s)) * __builtin_erfc(x);
}

// ---- modified Bessel functions of order n, 0 or 1 ------------------------------------------

GA_HC_FN double ga_hc_bessel_i(int n, double x)
{
  double a = __builtin_fabs(x), q = a * a / 4, term = 1, sum = 1;
  if (a < 30) { /* the power series: no term is negative */
    for (int k = 1; term > sum * 1e-17; k++) sum += term *= q / ((double)k * (k + n));
    return n == 0 ? sum : sum * x / 2;
  }
  for (int k = 1; k < 40; k++) { /* the asymptotic one */
    term *= ((2.0 * k - 1) * (2.0 * k - 1) - 4.0 * n) / (8 * a * k);
    sum += term;
  }
  double e = __builtin_exp(a / 2), r = e * (sum / __builtin_sqrt(2 * GA_HC_PI * a)) * e;
  if (a == __builtin_inf()) r = a;
  return n != 0 && x < 0 ? -r : r;
}
GA_HC_FN double cyl_bessel_i0(double x) { return ga_hc_bessel_i(0, x); }
GA_HC_FN double cyl_bessel_i1(double x) { return ga_hc_bessel_i(1, x); }

#define GA_HC_OF_DOUBLE(g)                                                                         \
  GA_HC_FN float g##f(float x) { return (float)g((double)x); }                                     \
  GA_HC_FN float g(float x) { return g##f(x); }
GA_HC_OF_DOUBLE(erfinv)
GA_HC_OF_DOUBLE(erfcinv)
GA_HC_OF_DOUBLE(normcdfinv)
GA_HC_OF_DOUBLE(erfcx)
GA_HC_OF_DOUBLE(cyl_bessel_i0)
GA_HC_OF_DOUBLE(cyl_bessel_i1)

// ---- norms --------------------------------------------------------------------------------

GA_HC_FN double norm4d(double a, double b, double c, double d)
{
  return __builtin_hypot(__builtin_hypot(a, b), __builtin_hypot(c, d));
}
GA_HC_FN float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }
GA_HC_FN double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
GA_HC_FN float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
GA_HC_FN double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
GA_HC_FN float rnorm4df(float a, float b, float c, float d) { return (float)rnorm4d(a, b, c, d); }
GA_HC_FN double norm(int n, const double *p)
{
  double s = 0;
  for (int i = 0; i < n; i++) s = __builtin_hypot(s, p[i]);
  return s;
}
GA_HC_FN double rnorm(int n, const double *p) { return 1 / norm(n, p); }
GA_HC_FN float normf(int n, const float *p)
{
  double s = 0; /* squares of floats neither overflow nor vanish here */
  for (int i = 0; i < n; i++) s += (double)p[i] * p[i];
  return (float)__builtin_sqrt(s);
}
GA_HC_FN float rnormf(int n, const float *p) { return 1 / normf(n, p); }

GA_HC_FN double fdivide(double x, double y) { return x / y; }
GA_HC_FN long long llmin(long long a, long long b) { return min(a, b); }
GA_HC_FN long long llmax(long long a, long long b) { return max(a, b); }
GA_HC_FN unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
GA_HC_FN unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
