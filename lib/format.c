/* SPDX-License-Identifier: MIT */
/* Numbers written as NumPy's dragon4_positional() and dragon4_scientific() do,
 * and scalars as str() of theirs. */
#include "lib/format.h"

#include <inttypes.h>
#include <string.h>

static void repeat(ga_str *s, char c, int n)
{
  for (; n > 0; n--) ga_str_addn(s, &c, 1);
}

static void add_sign(ga_str *s, const ga_real *x, const ga_format *f)
{
  if (x->neg)
    ga_str_add(s, "-");
  else if (f->plus)
    ga_str_add(s, "+");
}

/* The point and `n` digits of fraction after `zeros` zeros, trimmed; returns the
 * characters written. */
static int add_fraction(ga_str *s, int zeros, const char *digits, int n, const ga_format *f)
{
  int least = f->least >= 0 ? f->least : f->precision, more = 0;

  if (f->trim == GA_TRIM_KEEP) {
    more = least - (zeros + n);
  } else {
    while (n > 0 && digits[n - 1] == '0') n--;
    if (n == 0) zeros = 0;
    if (n == 0 && f->trim == GA_TRIM_POINT) return 0;
    if (n == 0 && f->trim == GA_TRIM_ONE) more = 1;
  }
  ga_str_add(s, ".");
  repeat(s, '0', zeros);
  ga_str_addn(s, digits, (size_t)n);
  repeat(s, '0', more);
  return 1 + zeros + n + (more > 0 ? more : 0);
}

static void add_positional(ga_str *s, const ga_real *x, const ga_format *f)
{
  ga_decimal d;
  int whole, wrote, right;

  ga_digits(&d, x, GA_CUT_FRACTION, f->precision, f->least);
  whole = d.exp >= 0 ? d.exp + 1 : 1; /* digits before the point */
  repeat(s, ' ', f->pad_left - whole - (x->neg || f->plus));
  add_sign(s, x, f);
  if (d.exp < 0) {
    ga_str_add(s, "0");
    wrote = add_fraction(s, -d.exp - 1, d.digits, d.n, f);
  } else if (d.n <= whole) {
    ga_str_addn(s, d.digits, (size_t)d.n);
    repeat(s, '0', whole - d.n);
    wrote = add_fraction(s, 0, d.digits, 0, f);
  } else {
    ga_str_addn(s, d.digits, (size_t)whole);
    wrote = add_fraction(s, 0, d.digits + whole, d.n - whole, f);
  }
  right = f->pad_right > 0 ? f->pad_right + 1 : 0; /* the point itself */
  repeat(s, ' ', right - wrote);
}

static void add_scientific(ga_str *s, const ga_real *x, const ga_format *f)
{
  int most = f->precision >= 0 ? f->precision + 1 : -1;
  int least = f->least >= 0 ? f->least + 1 : -1;
  ga_decimal d;

  ga_digits(&d, x, GA_CUT_TOTAL, most, least);
  repeat(s, ' ', f->pad_left - 1 - (x->neg || f->plus));
  add_sign(s, x, f);
  ga_str_addn(s, d.digits, 1);
  add_fraction(s, 0, d.digits + 1, d.n - 1, f);
  ga_str_addf(s, "e%c%0*d", d.exp < 0 ? '-' : '+', f->exp_digits > 0 ? f->exp_digits : 2,
              d.exp < 0 ? -d.exp : d.exp);
}

void ga_format_real(ga_str *s, const ga_real *x, const ga_format *f)
{
  if (f->exponent)
    add_scientific(s, x, f);
  else
    add_positional(s, x, f);
}

/* Magnitudes that str() writes without an exponent: [1e-4, 10^k). */
static int positional(const ga_real *x, double below)
{
  double abs = x->neg ? -x->value : x->value;

  return abs == 0 || (abs >= 1e-4 && abs < below);
}

static void add_real(ga_str *s, const ga_real *x, double below, enum ga_trim trim, int plus)
{
  ga_format f = {0};

  f.precision = f.least = -1;
  f.plus = plus;
  f.exponent = !positional(x, below);
  f.trim = f.exponent ? GA_TRIM_POINT : trim;
  if (x->cls == GA_REAL_FINITE) {
    ga_format_real(s, x, &f);
    return;
  }
  if (x->cls == GA_REAL_INF && x->neg)
    ga_str_add(s, "-");
  else if (plus)
    ga_str_add(s, "+");
  ga_str_add(s, x->cls == GA_REAL_NAN ? "nan" : "inf");
}

/* From here on str() writes an exponent: 10 to the decimal digits that the type
 * holds for certain; of float64 it has always been 16. */
static double large(enum ga_dtype t)
{
  return t == GA_DT_FLOAT64 ? 1e16 : t == GA_DT_FLOAT32 ? 1e6 : 1e3;
}

/* "2j" when the real part is +0, else "(1+2j)". */
static void add_complex(ga_str *s, enum ga_dtype part, const char *p)
{
  ga_real re = ga_real_load(part, p), im = ga_real_load(part, p + ga_dtypes[part].size);
  int alone = re.cls == GA_REAL_FINITE && re.value == 0 && !re.neg;
  double below = large(part);

  if (!alone) {
    ga_str_add(s, "(");
    add_real(s, &re, below, GA_TRIM_POINT, 0);
  }
  add_real(s, &im, below, GA_TRIM_POINT, !alone);
  ga_str_add(s, alone ? "j" : "j)");
}

static void add_integer(ga_str *s, enum ga_dtype t, const void *p)
{
  int64_t i = 0;
  uint64_t u = 0;

  switch (t) {
#define READ(type, var)      \
  do {                       \
    type v;                  \
    memcpy(&v, p, sizeof v); \
    var = v;                 \
  } while (0)
  case GA_DT_INT8: READ(int8_t, i); break;
  case GA_DT_INT16: READ(int16_t, i); break;
  case GA_DT_INT32: READ(int32_t, i); break;
  case GA_DT_INT64: READ(int64_t, i); break;
  case GA_DT_UINT8: READ(uint8_t, u); break;
  case GA_DT_UINT16: READ(uint16_t, u); break;
  case GA_DT_UINT32: READ(uint32_t, u); break;
  default: READ(uint64_t, u); break;
#undef READ
  }
  if (ga_dtypes[t].kind == 'i')
    ga_str_addf(s, "%" PRId64, i);
  else
    ga_str_addf(s, "%" PRIu64, u);
}

void ga_format_scalar(ga_str *s, enum ga_dtype t, const void *p)
{
  ga_real x;

  switch (ga_dtypes[t].kind) {
  case 'b': ga_str_add(s, *(const unsigned char *)p ? "True" : "False"); return;
  case 'i':
  case 'u': add_integer(s, t, p); return;
  case 'c': add_complex(s, t == GA_DT_COMPLEX64 ? GA_DT_FLOAT32 : GA_DT_FLOAT64, p); return;
  }
  x = ga_real_load(t, p);
  add_real(s, &x, large(t), GA_TRIM_ONE, 0);
}
