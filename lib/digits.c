/* SPDX-License-Identifier: MIT */
/* Digits by the method of Steele and White ("How to print floating-point numbers
 * accurately", 1990), with the cut-offs that NumPy has: the number is kept as a
 * fraction value / scale of big integers, with the distances to the midpoints
 * below and above it; digits are divided out one by one until what is left is
 * within such a distance. Round half to even on reading lets the midpoints
 * themselves count when the mantissa is even.
 *
 * Printing is no inner loop: the simplest exact arithmetic serves. */
#include "lib/digits.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Enough for 2^1076 times a digit, and 10^324 * 2^55. */
enum { WORDS = 40 };

typedef struct big {
  int n; /* words in use; the highest is not 0 */
  uint32_t w[WORDS];
} big;

static void set(big *b, uint64_t u)
{
  b->n = 0;
  for (; u != 0; u >>= 32) b->w[b->n++] = (uint32_t)u;
}

static void mul(big *b, uint32_t by)
{
  uint64_t carry = 0;

  for (int i = 0; i < b->n; i++) {
    carry += (uint64_t)b->w[i] * by;
    b->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0 && b->n < WORDS) b->w[b->n++] = (uint32_t)carry;
}

static void shift(big *b, int bits)
{
  for (; bits >= 31; bits -= 31) mul(b, 1u << 31);
  mul(b, 1u << bits);
}

static void mul_pow10(big *b, int n)
{
  for (; n >= 9; n -= 9) mul(b, 1000000000u);
  for (; n > 0; n--) mul(b, 10);
}

static int compare(const big *a, const big *b)
{
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (int i = a->n; i-- > 0;)
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  return 0;
}

static void add(big *sum, const big *a, const big *b)
{
  uint64_t carry = 0;
  int n = a->n > b->n ? a->n : b->n;

  for (int i = 0; i < n; i++) {
    carry += (i < a->n ? a->w[i] : 0) + (uint64_t)(i < b->n ? b->w[i] : 0);
    sum->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0 && n < WORDS) sum->w[n++] = (uint32_t)carry;
  sum->n = n;
}

/* a -= b, b not the larger. */
static void subtract(big *a, const big *b)
{
  int64_t borrow = 0;

  for (int i = 0; i < a->n; i++) {
    borrow += (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0);
    a->w[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  while (a->n > 0 && a->w[a->n - 1] == 0) a->n--;
}

/* value / scale of a number, and half the gaps to its neighbours. */
typedef struct state {
  big value, scale, low, high;
  int exp; /* of the digit that comes next */
} state;

static void start(state *s, const ga_real *x)
{
  /* A gap below of half the width is 1 where the one above is 2. */
  int extra = x->uneven ? 2 : 1, bits = 0;

  for (uint64_t m = x->mant; m != 0; m >>= 1) bits++;
  set(&s->value, x->mant);
  set(&s->scale, 1);
  set(&s->low, 1);
  set(&s->high, x->uneven ? 2 : 1);
  shift(&s->value, extra);
  shift(&s->scale, extra);
  if (x->exp2 >= 0) {
    shift(&s->value, x->exp2);
    shift(&s->low, x->exp2);
    shift(&s->high, x->exp2);
  } else {
    shift(&s->scale, -x->exp2);
  }
  /* |x| is in [2^(e-1), 2^e): the power of ten above it, or one too low. */
  s->exp = (int)ceil((x->exp2 + bits - 1) * 0.30102999566398119521 - 0.69);
  if (s->exp > 0) {
    mul_pow10(&s->scale, s->exp);
  } else {
    mul_pow10(&s->value, -s->exp);
    mul_pow10(&s->low, -s->exp);
    mul_pow10(&s->high, -s->exp);
  }
  if (compare(&s->value, &s->scale) >= 0) {
    s->exp++;
  } else {
    mul(&s->value, 10);
    mul(&s->low, 10);
    mul(&s->high, 10);
  }
  s->exp--;
}

/* Divides the next digit out. */
static int digit(state *s)
{
  int d = 0;

  while (compare(&s->value, &s->scale) >= 0) {
    subtract(&s->value, &s->scale);
    d++;
  }
  return d;
}

/* The last digit, up by one when `up`; a nine carries. */
static void last_digit(ga_decimal *d, int digit, int up)
{
  if (up) digit++;
  if (digit < 10) {
    d->digits[d->n++] = (char)('0' + digit);
    return;
  }
  while (d->n > 0 && d->digits[d->n - 1] == '9') d->n--;
  if (d->n > 0) {
    d->digits[d->n - 1]++;
    return;
  }
  d->digits[d->n++] = '1';
  d->exp++;
}

/* 1 when what is left after the last digit rounds up. */
static int rounds_up(state *s, int digit, int low, int high)
{
  int cmp;

  if (low != high) return high;
  shift(&s->value, 1);
  cmp = compare(&s->value, &s->scale);
  return cmp > 0 || (cmp == 0 && (digit & 1));
}

void ga_digits(ga_decimal *d, const ga_real *x, enum ga_cut cut, int most, int least)
{
  int even = (x->mant & 1) == 0, last, enough, next, low, high, cmp;
  state s;
  big above;

  d->n = 0;
  d->exp = 0;
  if (x->mant == 0) {
    d->digits[d->n++] = '0';
    return;
  }
  start(&s, x);
  d->exp = s.exp;
  last = s.exp - ((int)sizeof d->digits - 2);
  enough = s.exp + 1;
  if (most >= 0) {
    int exp = cut == GA_CUT_TOTAL ? s.exp + 1 - most : -most;
    if (exp > last) last = exp;
  }
  if (least >= 0) {
    int exp = cut == GA_CUT_TOTAL ? s.exp + 1 - least : -least;
    if (exp < enough) enough = exp;
  }
  for (;;) {
    next = digit(&s);
    cmp = compare(&s.value, &s.low);
    low = even ? cmp <= 0 : cmp < 0;
    add(&above, &s.value, &s.high);
    cmp = compare(&above, &s.scale);
    high = even ? cmp >= 0 : cmp > 0;
    /* Numbers below the last digit allowed are written in full. */
    if (((low || high) && s.exp <= enough) || s.exp == last || d->n == (int)sizeof d->digits - 2)
      break;
    d->digits[d->n++] = (char)('0' + next);
    mul(&s.value, 10);
    mul(&s.low, 10);
    mul(&s.high, 10);
    s.exp--;
  }
  last_digit(d, next, rounds_up(&s, next, low, high));
}

/* Bits of a number with `frac` bits of fraction and `expbits` of exponent. */
static ga_real take_apart(uint64_t bits, int frac, int expbits)
{
  int bias = (1 << (expbits - 1)) - 1, exp = (int)(bits >> frac) & ((1 << expbits) - 1);
  ga_real x = {GA_REAL_FINITE, (int)(bits >> (frac + expbits) & 1), 0, 0, 0, 0};

  x.mant = bits & ((UINT64_C(1) << frac) - 1);
  if (exp == (1 << expbits) - 1) {
    x.cls = x.mant != 0 ? GA_REAL_NAN : GA_REAL_INF;
    x.value = x.mant != 0 ? NAN : x.neg ? -INFINITY : INFINITY;
    return x;
  }
  x.uneven = x.mant == 0 && exp > 1;
  if (exp != 0)
    x.mant |= UINT64_C(1) << frac;
  else
    exp = 1;
  x.exp2 = exp - bias - frac;
  x.value = ldexp((double)x.mant, x.exp2);
  if (x.neg) x.value = -x.value;
  return x;
}

ga_real ga_real_load(enum ga_dtype t, const void *p)
{
  uint16_t h;
  uint32_t f;
  uint64_t d;

  switch (t) {
  case GA_DT_FLOAT16: memcpy(&h, p, sizeof h); return take_apart(h, 10, 5);
  case GA_DT_BFLOAT16: memcpy(&h, p, sizeof h); return take_apart(h, 7, 8);
  case GA_DT_FLOAT32: memcpy(&f, p, sizeof f); return take_apart(f, 23, 8);
  default: memcpy(&d, p, sizeof d); return take_apart(d, 52, 11);
  }
}
