/* SPDX-License-Identifier: MIT */
/* Casts between all pairs of dtypes against a reference in long double, which
 * holds every real number of every dtype: every value of the 8- and 16-bit
 * types, special and random ones of the others. */
#include <stdio.h>

#include "tests/common.h"
#include "tests/scalar_data.h"

/* A number of any dtype: real ones have im 0. */
typedef struct number {
  long double re, im;
} number;

/* significant bits and the exponent of the smallest subnormal */
typedef struct format {
  int digits, least, most; /* numbers from 2^most on are infinite */
} format;

static const format *format_of(enum ga_dtype t)
{
  static const format f16 = {11, -24, 16}, b16 = {8, -133, 128}, f32 = {24, -149, 128},
                      f64 = {53, -1074, 1024};
  switch (t) {
  case GA_DT_FLOAT16: return &f16;
  case GA_DT_BFLOAT16: return &b16;
  case GA_DT_FLOAT32:
  case GA_DT_COMPLEX64: return &f32;
  default: return &f64;
  }
}

/* x rounded to nearest even in a format */
static long double round_to(const format *f, long double x)
{
  int e;
  long double unit, r;
  if (x == 0 || x != x || isinf(x)) return x;
  frexpl(x, &e);
  e -= f->digits;
  unit = ldexpl(1, e < f->least ? f->least : e);
  r = rintl(x / unit) * unit;
  return fabsl(r) >= ldexpl(1, f->most) ? copysignl(INFINITY, x) : r;
}

static uint64_t bits_of(const void *p, size_t size)
{
  uint64_t u = 0;
  memcpy(&u, p, size);
  return u;
}

/* The number a format's bits stand for, from their definition. */
static long double decode(enum ga_dtype t, uint64_t u, size_t size)
{
  const format *f = format_of(t);
  int fraction = f->digits - 1, width = (int)(8 * size) - 1 - fraction;
  uint64_t m = u & (((uint64_t)1 << fraction) - 1),
           e = u >> fraction & (((uint64_t)1 << width) - 1);
  long double x = e ? ldexpl((long double)(m | (uint64_t)1 << fraction), f->least + (int)e - 1)
                    : ldexpl((long double)m, f->least);
  if (e == ((uint64_t)1 << width) - 1) x = m ? NAN : INFINITY;
  return u >> (8 * size - 1) & 1 ? -x : x;
}

static number read_number(enum ga_dtype t, const char *p)
{
  number v = {0, 0};
  size_t size = ga_dtypes[t].size;
  uint64_t u = size <= 8 ? bits_of(p, size) : 0;
  switch (ga_dtypes[t].kind) {
  case 'c':
    v.re = decode(t, bits_of(p, size / 2), size / 2);
    v.im = decode(t, bits_of(p + size / 2, size / 2), size / 2);
    break;
  case 'f': v.re = decode(t, u, size); break;
  case 'i': v.re = (long double)((int64_t)(u << (64 - 8 * size)) >> (64 - 8 * size)); break;
  default: v.re = (long double)u;
  }
  return v;
}

/* The integer that x becomes, by the rule of scalar_cast.cuh, as its low bits. */
static uint64_t to_integer(enum ga_dtype t, long double x)
{
  int bits = 8 * ga_dtypes[t].size, wide = bits == 64 || t == GA_DT_UINT32 ? 64 : 32;
  long double low = ga_dtypes[t].kind == 'i' ? -ldexpl(1, bits - 1) : 0;
  uint64_t u;
  if (t == GA_DT_UINT64 && x >= 0x1p64L) return 0;
  x = truncl(x);
  if (!(x >= low && x < low + ldexpl(1, bits)) &&
      !(x >= -ldexpl(1, wide - 1) && x < ldexpl(1, wide - 1)))
    x = -ldexpl(1, wide - 1);
  u = x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
  return bits == 64 ? u : u & (((uint64_t)1 << bits) - 1);
}

/* Integers wrap, whatever their size; `from` is an integer. */
static uint64_t to_wrapped(enum ga_dtype t, long double x)
{
  int bits = 8 * ga_dtypes[t].size;
  uint64_t u = x < 0 ? 0 - (uint64_t)-x : (uint64_t)x;
  return bits == 64 ? u : u & (((uint64_t)1 << bits) - 1);
}

static int same_real(long double a, long double b)
{
  return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

static void check_cast(enum ga_dtype from, enum ga_dtype to, const char *p, const char *r)
{
  number v = read_number(from, p), got = read_number(to, r);
  char x[64], y[64];
  int ok;
  switch (ga_dtypes[to].kind) {
  case 'b': ok = *r == (v.re != 0 || v.im != 0); break;
  case 'f': ok = same_real(got.re, round_to(format_of(to), v.re)); break;
  case 'c':
    ok = same_real(got.re, round_to(format_of(to), v.re)) &&
         same_real(got.im, round_to(format_of(to), v.im));
    break;
  default:
    ok = bits_of(r, ga_dtypes[to].size) ==
         (strchr("biu", ga_dtypes[from].kind) ? to_wrapped(to, v.re) : to_integer(to, v.re));
  }
  EXPECT(ok, "cast of %s %s to %s gives %s", ga_dtypes[from].name, show_element(from, p, x),
         ga_dtypes[to].name, show_element(to, r, y));
}

static void cast_all(enum ga_dtype from, const char *p, size_t n)
{
  static char r[65536 * 16];
  for (int to = 0; to < GA_NDTYPE; to++) {
    const void *src[] = {p};
    ga_cpu_cast(from, (enum ga_dtype)to)(n, r, src);
    for (size_t i = 0; i < n; i++)
      check_cast(from, (enum ga_dtype)to, p + i * ga_dtypes[from].size, r + i * ga_dtypes[to].size);
  }
}

static char source[65536 * 16];

START_TEST(every_short_value_casts_exactly)
{
  size_t size = ga_dtypes[_i].size, n = _i == GA_DT_BOOL ? 2 : size == 1 ? 256 : 65536;
  if (size > 2) return;
  for (size_t i = 0; i < n; i++) {
    uint16_t u = (uint16_t)i;
    memcpy(source + i * size, &u, size);
  }
  cast_all((enum ga_dtype)_i, source, n);
}
END_TEST

START_TEST(random_values_cast_exactly)
{
  uint64_t state = 21;
  for (int round = 0; round < 4; round++) {
    put_elements((enum ga_dtype)_i, source, 10000, &state);
    cast_all((enum ga_dtype)_i, source, 10000);
  }
}
END_TEST

/* Numbers halfway between two of the target, and next to it on both sides: where
 * rounding twice goes wrong, and where ranges end. */
START_TEST(borders_round_to_even)
{
  static const enum ga_dtype targets[] = {GA_DT_FLOAT16, GA_DT_BFLOAT16, GA_DT_FLOAT32};
  uint64_t state = 22;
  size_t n = 0;
  for (int k = 0; k < 3; k++) {
    const format *f = format_of(targets[k]);
    for (int i = 0; i < 3000; i++) {
      uint64_t m = (next_random(&state) >> (64 - f->digits)) | 1;
      int range = f->most - f->least,
          e = f->least - 1 + (int)(next_random(&state) % (unsigned)range);
      double x = (double)ldexpl((long double)(2 * m + 1), e - (i % 2 ? f->digits : 0));
      for (int step = -1; step < 2; step++) {
        double y = step < 0 ? nextafter(x, 0) : step ? nextafter(x, INFINITY) : x;
        if (i & 4) y = -y;
        memcpy(source + 8 * n++, &y, 8);
      }
    }
  }
  cast_all(GA_DT_FLOAT64, source, n);
}
END_TEST

START_TEST(wide_integers_round_once)
{
  uint64_t state = 23;
  size_t n = 0;
  for (int i = 0; i < 9000; i++) { /* halfway in bfloat16, float32, float64, off by little */
    static const int digits[] = {8, 24, 53};
    int d = digits[i % 3], shift = (int)(next_random(&state) % (unsigned)(63 - d));
    uint64_t m = (next_random(&state) >> (64 - d)) | (uint64_t)1 << (d - 1);
    uint64_t u = (2 * m + 1) << shift;
    u += (uint64_t)(i / 3 % 3) - 1;
    memcpy(source + 8 * n++, &u, 8);
  }
  cast_all(GA_DT_UINT64, source, n);
  cast_all(GA_DT_INT64, source, n);
}
END_TEST

START_TEST(integers_end_where_they_should)
{
  static const double ends[] = {127,
                                128,
                                255,
                                256,
                                32767,
                                32768,
                                65535,
                                65536,
                                2147483647.,
                                2147483648.,
                                4294967295.,
                                4294967296.,
                                0x1p63,
                                0x1p64,
                                0x1.fffffffffffffp62,
                                0x1.fffffffffffffp63};
  size_t n = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    for (int k = 0; k < 10; k++) {
      static const double off[] = {0, 0.5, -0.5, 1, -1};
      double x = ends[i] + off[k % 5];
      if (k >= 5) x = -x;
      memcpy(source + 8 * n++, &x, 8);
    }
  cast_all(GA_DT_FLOAT64, source, n);
  for (size_t i = 0; i < n; i++) {
    double x;
    float f;
    memcpy(&x, source + 8 * i, 8);
    f = (float)x;
    memcpy(source + 4 * i, &f, 4);
  }
  cast_all(GA_DT_FLOAT32, source, n);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(every_short_value_casts_exactly, GA_NDTYPE),
    CASE_LOOP(random_values_cast_exactly, GA_NDTYPE),
    CASE(borders_round_to_even),
    CASE(wide_integers_round_once),
    CASE(integers_end_where_they_should),
    CASE_END,
};

int main(void) { return test_main("scalar_cast", cases); }
