/* SPDX-License-Identifier: MIT */
/* A Python number as one element of a dtype: integers must fit, floats are
 * rounded to nearest even, once. */
#include <math.h>
#include <string.h>

#include "promote.h"
#include "weak.h"

void ga_int128_text(char text[48], ga_int128 v)
{
  char digits[48];
  int n = 0, k = 0;
  ga_uint128 u = v < 0 ? 0 - (ga_uint128)v : (ga_uint128)v;
  do {
    digits[n++] = (char)('0' + (int)(u % 10));
    u /= 10;
  } while (u != 0);
  if (v < 0) text[k++] = '-';
  while (n > 0) text[k++] = digits[--n];
  text[k] = '\0';
}

/* The nearest multiple of the format's last place: `mant` bits after the point,
 * exponents from `emin` (subnormals) to `emax`. */
static double round_to(double x, int mant, int emin, int emax)
{
  int e;
  if (x == 0 || !isfinite(x)) return x;
  frexp(x, &e); /* |x| = 0.5.. * 2^e */
  e = e - 1 < emin ? emin : e - 1;
  double r = ldexp(nearbyint(ldexp(x, mant - e)), e - mant);
  return fabs(r) >= ldexp(1, emax + 1) ? copysign(INFINITY, x) : r;
}

/* A double that round_to() made, packed into a 16-bit format. */
static uint16_t pack16(double x, int mant, int emin)
{
  int bias = 1 - emin, e;
  uint16_t sign = (uint16_t)(signbit(x) ? 0x8000 : 0), inf = (uint16_t)(0x7fff >> mant << mant);
  if (isnan(x)) return (uint16_t)(sign | inf | 1 << (mant - 1));
  if (isinf(x)) return (uint16_t)(sign | inf);
  if (x == 0) return sign;
  frexp(x, &e);
  e--;
  if (e < emin) return (uint16_t)(sign | (unsigned int)ldexp(fabs(x), mant - emin));
  unsigned int frac = (unsigned int)(ldexp(fabs(x), mant - e) - ldexp(1, mant));
  return (uint16_t)(sign | (unsigned int)(e + bias) << mant | frac);
}

int ga_number_fits(enum ga_dtype d, const ga_number *x)
{
  int bits = 8 * ga_dtypes[d].size;
  if (x->kind > GA_NUM_INT || !ga_is_int(d)) return 1;
  if (ga_kind(d) == 'u') return x->i >= 0 && x->i < (ga_int128)1 << bits;
  return x->i >= -((ga_int128)1 << (bits - 1)) && x->i < (ga_int128)1 << (bits - 1);
}

void ga_number_wrap(ga_number *x, enum ga_dtype d)
{
  int bits = 8 * ga_dtypes[d].size;
  if (ga_number_fits(d, x)) return;
  if (!ga_number_fits(GA_DT_INT64, x) && !ga_number_fits(GA_DT_UINT64, x)) return;
  x->i &= ((ga_int128)1 << bits) - 1;
  if (!ga_number_fits(d, x)) x->i -= (ga_int128)1 << bits;
}

/* The least or greatest of an integer dtype. */
static ga_int128 extreme(enum ga_dtype d, int upper)
{
  int bits = 8 * ga_dtypes[d].size, is_signed = ga_kind(d) == 'i';
  if (upper) return ((ga_int128)1 << (bits - is_signed)) - 1;
  return is_signed ? -((ga_int128)1 << (bits - 1)) : 0;
}

int ga_number_bounds(const ga_number *x, enum ga_dtype d, int upper)
{
  return upper ? x->i >= extreme(d, 1) : x->i <= extreme(d, 0);
}

void ga_number_bound(ga_number *x, enum ga_dtype d, enum ga_dtype all, int upper)
{
  if (!ga_number_bounds(x, d, upper)) return;
  if (ga_is_int(all)) {
    x->i = extreme(all, upper);
  } else {
    x->kind = GA_NUM_FLOAT;
    x->re = upper ? INFINITY : -INFINITY;
  }
}

int ga_number_store(ga_value *v, enum ga_dtype d, const ga_number *x)
{
  double re = ga_number_real(x), im = x->kind == GA_NUM_COMPLEX ? x->im : 0;
  uint16_t half;
  memset(v, 0, sizeof *v);
  if (!ga_number_fits(d, x)) {
    char text[48];
    ga_int128_text(text, x->i);
    return ga_error(GA_VALUE_ERROR, "the integer %s does not fit %s", text, ga_dtypes[d].name);
  }
  switch (d) {
  case GA_DT_BOOL: v->bytes[0] = x->kind <= GA_NUM_INT ? x->i != 0 : re != 0 || im != 0; break;
  case GA_DT_FLOAT16:
    half = pack16(round_to(re, 10, -14, 15), 10, -14);
    memcpy(v->bytes, &half, sizeof half);
    break;
  case GA_DT_BFLOAT16:
    half = pack16(round_to(re, 7, -126, 127), 7, -126);
    memcpy(v->bytes, &half, sizeof half);
    break;
  case GA_DT_FLOAT32: v->f = (float)re; break;
  case GA_DT_FLOAT64: v->d = re; break;
  case GA_DT_COMPLEX64: v->cf[0] = (float)re, v->cf[1] = (float)im; break;
  case GA_DT_COMPLEX128: v->cd[0] = re, v->cd[1] = im; break;
  default: {
    uint64_t low = (uint64_t)x->i; /* fits: two's complement, low bytes first */
    for (int k = 0; k < ga_dtypes[d].size; k++) v->bytes[k] = (unsigned char)(low >> 8 * k);
  }
  }
  return GA_NO_ERROR;
}
