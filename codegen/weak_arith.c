/* SPDX-License-Identifier: MIT */
/* Python's operators on Python's numbers: / gives floats, // and % round towards
 * minus infinity, int ** negative int is a float, bools count as 0 and 1, and an
 * integer never wraps: beyond 127 bits it is an error. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "weak.h"

static const char too_big[] = "Python arithmetic leaves the 127 bits kept of an integer";
static const char by_zero[] = "division by zero";
static const char no_bits[] = "bit operators take integers; a float stands here";
static const char no_complex[] = "no operator of complex numbers";
static const char no_order[] = "Python does not order complex numbers";

static int fail(const char **why, const char *what)
{
  *why = what;
  return GA_VALUE_ERROR;
}

double ga_number_real(const ga_number *x) { return x->kind <= GA_NUM_INT ? (double)x->i : x->re; }

static int is_compare(int op) { return op >= GA_OP_equal && op <= GA_OP_greater_equal; }

static int is_bits(int op) { return op >= GA_OP_bitwise_and && op <= GA_OP_bitwise_xor; }

enum ga_number_kind ga_number_op_type(int op, enum ga_number_kind x, enum ga_number_kind y)
{
  enum ga_number_kind k = x > y ? x : y;
  if (is_compare(op)) return GA_NUM_BOOL;
  if (k == GA_NUM_BOOL && is_bits(op)) return GA_NUM_BOOL;
  if (k < GA_NUM_INT) k = GA_NUM_INT;
  if (op == GA_OP_divide && k < GA_NUM_FLOAT) return GA_NUM_FLOAT;
  return k;
}

int ga_number_op_check(int op, enum ga_number_kind x, enum ga_number_kind y, const char **why)
{
  enum ga_number_kind k = x > y ? x : y;
  int bits = is_bits(op) || op == GA_OP_invert || op == GA_OP_left_shift || op == GA_OP_right_shift;
  if (k >= GA_NUM_FLOAT && bits) return fail(why, no_bits);
  if (k == GA_NUM_COMPLEX && (op == GA_OP_floor_divide || op == GA_OP_remainder))
    return fail(why, no_complex);
  if (k == GA_NUM_COMPLEX && is_compare(op) && op != GA_OP_equal && op != GA_OP_not_equal)
    return fail(why, no_order);
  return GA_NO_ERROR;
}

/* ---- integers ---------------------------------------------------------- */

static int ipow(ga_int128 *r, ga_int128 x, ga_int128 n)
{
  ga_int128 v = 1;
  if (x == 0 || x == 1 || n == 0) {
    *r = n == 0 ? 1 : x;
    return 1;
  }
  if (x == -1) {
    *r = n & 1 ? -1 : 1;
    return 1;
  }
  if (n > 127) return 0;
  for (; n > 0; n--)
    if (__builtin_mul_overflow(v, x, &v)) return 0;
  *r = v;
  return 1;
}

static int shift_left(ga_int128 *r, ga_int128 x, ga_int128 n, const char **why)
{
  if (n < 0) return fail(why, "a negative number of bits to shift by");
  *r = x;
  if (x == 0) return GA_NO_ERROR;
  if (n > 126) return fail(why, too_big);
  return __builtin_mul_overflow(x, (ga_int128)1 << n, r) ? fail(why, too_big) : GA_NO_ERROR;
}

static int shift_right(ga_int128 *r, ga_int128 x, ga_int128 n, const char **why)
{
  if (n < 0) return fail(why, "a negative number of bits to shift by");
  if (n > 126)
    *r = x < 0 ? -1 : 0;
  else
    *r = x >= 0 ? x >> n : ~(~x >> n);
  return GA_NO_ERROR;
}

static ga_int128 floor_div(ga_int128 x, ga_int128 y)
{
  ga_int128 q = x / y;
  return q - (x % y != 0 && (x < 0) != (y < 0));
}

static int int_op(ga_number *r, int op, ga_int128 x, ga_int128 y, const char **why)
{
  const ga_int128 least = -(ga_int128)(~(ga_uint128)0 >> 1);
  int over = 0;
  r->kind = GA_NUM_INT;
  switch (op) {
  case GA_OP_add: over = __builtin_add_overflow(x, y, &r->i); break;
  case GA_OP_subtract: over = __builtin_sub_overflow(x, y, &r->i); break;
  case GA_OP_multiply: over = __builtin_mul_overflow(x, y, &r->i); break;
  case GA_OP_negative: r->i = -x; break;
  case GA_OP_positive: r->i = x; break;
  case GA_OP_invert: r->i = ~x; break;
  case GA_OP_bitwise_and: r->i = x & y; break;
  case GA_OP_bitwise_or: r->i = x | y; break;
  case GA_OP_bitwise_xor: r->i = x ^ y; break;
  case GA_OP_left_shift: return shift_left(&r->i, x, y, why);
  case GA_OP_right_shift: return shift_right(&r->i, x, y, why);
  case GA_OP_floor_divide:
    if (y == 0) return fail(why, by_zero);
    r->i = floor_div(x, y);
    break;
  case GA_OP_remainder:
    if (y == 0) return fail(why, by_zero);
    r->i = x % y;
    if (r->i != 0 && (r->i < 0) != (y < 0)) r->i += y;
    break;
  case GA_OP_power:
    if (y >= 0) {
      over = !ipow(&r->i, x, y);
      break;
    }
    if (x == 0) return fail(why, "0 to a negative power");
    r->kind = GA_NUM_FLOAT;
    r->re = pow((double)x, (double)y);
    return GA_NO_ERROR;
  default: return fail(why, "no operator of integers");
  }
  /* the most negative value is given up, so that negation cannot overflow */
  return over || r->i < least ? fail(why, too_big) : GA_NO_ERROR;
}

/* int / int, correctly rounded as Python's where both are below 2^53. */
static int int_divide(ga_number *r, ga_int128 x, ga_int128 y, const char **why)
{
  if (y == 0) return fail(why, by_zero);
  r->kind = GA_NUM_FLOAT;
  const ga_int128 exact = (ga_int128)1 << 53;
  if (x >= -exact && x <= exact && y >= -exact && y <= exact)
    r->re = (double)x / (double)y;
  else
    r->re = (double)((long double)x / (long double)y);
  return GA_NO_ERROR;
}

/* ---- floats ------------------------------------------------------------ */

/* CPython's float_divmod. */
static void float_divmod(double x, double y, double *quotient, double *rest)
{
  double mod = fmod(x, y), div = (x - mod) / y;
  if (mod != 0) {
    if ((y < 0) != (mod < 0)) {
      mod += y;
      div -= 1;
    }
  } else {
    mod = copysign(0.0, y);
  }
  if (div != 0) {
    *quotient = floor(div);
    if (div - *quotient > 0.5) *quotient += 1;
  } else {
    *quotient = copysign(0.0, x / y);
  }
  *rest = mod;
}

static int complex_pow(ga_number *r, const ga_number *x, const ga_number *y, const char **why);

static int float_pow(ga_number *r, double x, double y, const char **why)
{
  ga_number a = {GA_NUM_COMPLEX, 0, x, 0}, b = {GA_NUM_COMPLEX, 0, y, 0};
  if (x == 0 && y < 0) return fail(why, "0.0 to a negative power");
  if (x < 0 && isfinite(x) && isfinite(y) && y != floor(y)) return complex_pow(r, &a, &b, why);
  r->re = pow(x, y);
  if (isinf(r->re) && isfinite(x) && isfinite(y)) return fail(why, "the power is too large");
  return GA_NO_ERROR;
}

static int float_op(ga_number *r, int op, double x, double y, const char **why)
{
  double other;
  r->kind = GA_NUM_FLOAT;
  switch (op) {
  case GA_OP_add: r->re = x + y; return GA_NO_ERROR;
  case GA_OP_subtract: r->re = x - y; return GA_NO_ERROR;
  case GA_OP_multiply: r->re = x * y; return GA_NO_ERROR;
  case GA_OP_negative: r->re = -x; return GA_NO_ERROR;
  case GA_OP_positive: r->re = x; return GA_NO_ERROR;
  case GA_OP_power: return float_pow(r, x, y, why);
  case GA_OP_divide:
  case GA_OP_floor_divide:
  case GA_OP_remainder:
    if (y == 0) return fail(why, by_zero);
    if (op == GA_OP_divide)
      r->re = x / y;
    else if (op == GA_OP_remainder)
      float_divmod(x, y, &other, &r->re);
    else
      float_divmod(x, y, &r->re, &other);
    return GA_NO_ERROR;
  default: return fail(why, no_bits);
  }
}

/* ---- complex ----------------------------------------------------------- */

static void complex_multiply(ga_number *r, const ga_number *x, const ga_number *y)
{
  double re = x->re * y->re - x->im * y->im;
  r->im = x->re * y->im + x->im * y->re;
  r->re = re;
}

/* Smith's method, as Python's. */
static int complex_divide(ga_number *r, const ga_number *x, const ga_number *y, const char **why)
{
  if (y->re == 0 && y->im == 0) return fail(why, by_zero);
  if (fabs(y->re) >= fabs(y->im)) {
    double q = y->im / y->re, d = y->re + y->im * q, re = (x->re + x->im * q) / d;
    r->im = (x->im - x->re * q) / d;
    r->re = re;
  } else {
    double q = y->re / y->im, d = y->re * q + y->im, re = (x->re * q + x->im) / d;
    r->im = (x->im * q - x->re) / d;
    r->re = re;
  }
  return GA_NO_ERROR;
}

static int complex_pow(ga_number *r, const ga_number *x, const ga_number *y, const char **why)
{
  r->kind = GA_NUM_COMPLEX;
  if (y->im == 0 && y->re == floor(y->re) && fabs(y->re) <= 100) {
    ga_number one = {GA_NUM_COMPLEX, 0, 1, 0}, v = one, p = *x;
    for (int n = (int)fabs(y->re); n > 0; n >>= 1) {
      if (n & 1) complex_multiply(&v, &v, &p);
      complex_multiply(&p, &p, &p);
    }
    r->re = v.re;
    r->im = v.im;
    return y->re < 0 ? complex_divide(r, &one, &v, why) : GA_NO_ERROR;
  }
  double length = hypot(x->re, x->im), angle = atan2(x->im, x->re);
  if (length == 0) {
    if (y->re < 0 || y->im != 0) return fail(why, "0.0 to a negative or complex power");
    r->re = r->im = 0;
    return GA_NO_ERROR;
  }
  double len = pow(length, y->re), at = angle * y->re;
  if (y->im != 0) {
    len *= exp(-angle * y->im);
    at += y->im * log(length);
  }
  r->re = len * cos(at);
  r->im = len * sin(at);
  return GA_NO_ERROR;
}

static int complex_op(ga_number *r, int op, const ga_number *x, const ga_number *y,
                      const char **why)
{
  r->kind = GA_NUM_COMPLEX;
  switch (op) {
  case GA_OP_add: r->re = x->re + y->re, r->im = x->im + y->im; return GA_NO_ERROR;
  case GA_OP_subtract: r->re = x->re - y->re, r->im = x->im - y->im; return GA_NO_ERROR;
  case GA_OP_multiply: complex_multiply(r, x, y); return GA_NO_ERROR;
  case GA_OP_divide: return complex_divide(r, x, y, why);
  case GA_OP_power: return complex_pow(r, x, y, why);
  case GA_OP_negative: r->re = -x->re, r->im = -x->im; return GA_NO_ERROR;
  case GA_OP_positive: r->re = x->re, r->im = x->im; return GA_NO_ERROR;
  default: return fail(why, no_complex);
  }
}

/* ---- all --------------------------------------------------------------- */

static ga_number as_complex(const ga_number *x)
{
  ga_number c = {GA_NUM_COMPLEX, 0, ga_number_real(x), x->kind == GA_NUM_COMPLEX ? x->im : 0};
  return c;
}

static int compare(ga_number *r, int op, const ga_number *x, const ga_number *y, const char **why)
{
  int less, equal;
  if (x->kind == GA_NUM_COMPLEX || y->kind == GA_NUM_COMPLEX) {
    ga_number a = as_complex(x), b = as_complex(y);
    if (op != GA_OP_equal && op != GA_OP_not_equal) return fail(why, no_order);
    less = 0;
    equal = a.re == b.re && a.im == b.im;
  } else if (x->kind <= GA_NUM_INT && y->kind <= GA_NUM_INT) {
    less = x->i < y->i;
    equal = x->i == y->i;
  } else {
    double a = ga_number_real(x), b = ga_number_real(y);
    less = a < b;
    equal = a == b;
    if (isnan(a) || isnan(b)) { /* only != holds */
      r->kind = GA_NUM_BOOL;
      r->i = op == GA_OP_not_equal;
      return GA_NO_ERROR;
    }
  }
  r->kind = GA_NUM_BOOL;
  switch (op) {
  case GA_OP_equal: r->i = equal; break;
  case GA_OP_not_equal: r->i = !equal; break;
  case GA_OP_less: r->i = less; break;
  case GA_OP_less_equal: r->i = less || equal; break;
  case GA_OP_greater: r->i = !less && !equal; break;
  default: r->i = !less; break;
  }
  return GA_NO_ERROR;
}

int ga_number_op(ga_number *r, int op, const ga_number *x, const ga_number *y, const char **why)
{
  ga_number a = *x, b = *y; /* r may be one of them */
  enum ga_number_kind kind = a.kind > b.kind ? a.kind : b.kind;
  memset(r, 0, sizeof *r);
  *why = "";
  if (is_compare(op)) return compare(r, op, &a, &b, why);
  if (kind == GA_NUM_COMPLEX) {
    a = as_complex(&a);
    b = as_complex(&b);
    return complex_op(r, op, &a, &b, why);
  }
  if (kind == GA_NUM_FLOAT) return float_op(r, op, ga_number_real(&a), ga_number_real(&b), why);
  if (op == GA_OP_divide) return int_divide(r, a.i, b.i, why);
  GA_TRY(int_op(r, op, a.i, b.i, why));
  if (kind == GA_NUM_BOOL && is_bits(op)) r->kind = GA_NUM_BOOL;
  return GA_NO_ERROR;
}
