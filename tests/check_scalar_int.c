/* SPDX-License-Identifier: MIT */
/* Integer and bool operations against a reference in 128-bit integers: every
 * pair of 8-bit values, every 16-bit value against special ones, random and
 * special 32- and 64-bit values. */
#include <stdio.h>

#include "codegen/oploops.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

typedef __int128 wide;

typedef struct subject {
  const char *op, *dtype;
  int bits, is_signed, nargs;
  wide (*call)(wide a, wide b);
} subject;

#define CALL_1(op, T, C) \
  static wide call_##op##_##T(wide a, wide b) { return (void)b, (wide)ga_##op##_##T((C)a); }
#define CALL_2(op, T, C) \
  static wide call_##op##_##T(wide a, wide b) { return (wide)ga_##op##_##T((C)a, (C)b); }
#define CALL_COND(op, T, C) \
  static wide call_##op##_##T(wide a, wide b) { return (wide)ga_##op##_##T(a & 1, (C)a, (C)b); }
#define CALL(op, args, T, C, R, RC) CALL_##args(op, T, C)
#define NARGS_1                     1
#define NARGS_2                     2
#define NARGS_COND                  2
#define ROW(op, args, T, C, R, RC) \
  {#op, #T, 8 * (int)sizeof(C), (C)-1 < (C)1, NARGS_##args, call_##op##_##T},
#define INTEGERS(X)                                                                         \
  GA_LOOPS_int8(X) GA_LOOPS_uint8(X) GA_LOOPS_int16(X) GA_LOOPS_uint16(X) GA_LOOPS_int32(X) \
      GA_LOOPS_uint32(X) GA_LOOPS_int64(X) GA_LOOPS_uint64(X)
INTEGERS(CALL)
GA_LOOPS_bool(CALL) static const subject subjects[] = {INTEGERS(ROW)};
#undef ROW
#define ROW(op, args, T, C, R, RC) {#op, #T, 1, 0, NARGS_##args, call_##op##_##T},
static const subject bools[] = {GA_LOOPS_bool(ROW)};
enum { NSUBJECT = sizeof subjects / sizeof *subjects, NBOOL = sizeof bools / sizeof *bools };

/* v modulo 2^bits, as the type shows it. */
static wide wrap(const subject *s, wide v)
{
  wide m = (wide)1 << s->bits;
  v %= m;
  if (v < 0) v += m;
  return s->is_signed && v >= m / 2 ? v - m : v;
}

static int is(const subject *s, const char *op) { return strcmp(s->op, op) == 0; }

static wide floor_of(wide a, wide b)
{
  wide q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* modulo 2^128 */
static wide times(wide a, wide b) { return (wide)((unsigned __int128)a * (unsigned __int128)b); }

static wide power_of(const subject *s, wide a, wide b)
{
  wide r = 1;
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
  if (b > 200) { /* by squares of squares, as schoolbooks have it */
    wide half = power_of(s, a, b / 2);
    half = wrap(s, half);
    r = wrap(s, times(half, half));
    return wrap(s, b % 2 ? times(r, wrap(s, a)) : r);
  }
  for (wide i = 0; i < b; i++) r = wrap(s, times(r, a));
  return r;
}

static wide low(wide v) { return v & (wide)UINT64_MAX; }

/* *known is 0 for an operation that has no reference here. */
static wide reference(const subject *s, wide a, wide b, int *known)
{
  *known = 1;
  if (is(s, "add")) return a + b;
  if (is(s, "subtract")) return a - b;
  if (is(s, "multiply")) return times(a, b);
  if (is(s, "negative")) return -a;
  if (is(s, "positive")) return a;
  if (is(s, "absolute")) return a < 0 ? -a : a;
  if (is(s, "square")) return times(a, a);
  if (is(s, "sign")) return a > 0 ? 1 : a < 0 ? -1 : 0;
  if (is(s, "floor_divide")) return b == 0 ? 0 : floor_of(a, b);
  if (is(s, "remainder")) return b == 0 ? 0 : a - floor_of(a, b) * b;
  if (is(s, "fmod")) return b == 0 ? 0 : a % b;
  if (is(s, "power")) return power_of(s, a, b);
  if (is(s, "reciprocal")) {
    if (a) return 1 / a;
    return s->is_signed && s->bits >= 32 ? -((wide)1 << (s->bits - 1)) : 0;
  }
  if (is(s, "minimum") || is(s, "fmin")) return a < b ? a : b;
  if (is(s, "maximum") || is(s, "fmax")) return a < b ? b : a;
  if (is(s, "equal")) return a == b;
  if (is(s, "not_equal")) return a != b;
  if (is(s, "less")) return a < b;
  if (is(s, "less_equal")) return !(a > b);
  if (is(s, "greater")) return a > b;
  if (is(s, "greater_equal")) return !(a < b);
  if (is(s, "where")) return a % 2 ? a : b;
  if (is(s, "bitwise_and")) return low(a) & low(b);
  if (is(s, "bitwise_or")) return low(a) | low(b);
  if (is(s, "bitwise_xor")) return low(a) ^ low(b);
  if (is(s, "invert")) return -1 - a;
  if (is(s, "left_shift")) return b < 0 || b >= s->bits ? 0 : wrap(s, a) * ((wide)1 << b);
  if (is(s, "right_shift")) {
    if (b < 0 || b >= s->bits) return a < 0 ? -1 : 0;
    return floor_of(a, (wide)1 << b);
  }
  *known = 0;
  return 0;
}

static void check_pair(const subject *s, wide a, wide b)
{
  int known, boolean;
  wide got = s->call(a, b), want = reference(s, a, b, &known);
  EXPECT(known, "%s has no reference", s->op);
  boolean = strstr("equal not_equal less less_equal greater greater_equal", s->op) != NULL;
  want = boolean ? want : wrap(s, want);
  EXPECT(got == want, "%s of %s: (%lld, %lld) gives %lld, not %lld", s->op, s->dtype, (long long)a,
         (long long)b, (long long)got, (long long)want);
}

/* Values at and around the ends of the range, zero and the width. */
static int specials(const subject *s, wide *v)
{
  wide m = (wide)1 << s->bits, low_end = s->is_signed ? -m / 2 : 0;
  int n = 0;
  static const int small[] = {0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 31, 32, 63, 64, 100};
  for (int i = 0; i < 3; i++) {
    v[n++] = low_end + i;
    v[n++] = low_end + m - 1 - i;
  }
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    v[n++] = small[i];
    if (s->is_signed) v[n++] = -small[i];
  }
  v[n++] = s->bits - 1;
  v[n++] = s->bits;
  return n;
}

START_TEST(bytes_agree_for_every_pair)
{
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    int first = s->is_signed ? -128 : 0;
    if (s->bits != 8) continue;
    for (int a = first; a < first + 256; a++)
      for (int b = first; b < first + (s->nargs == 2 ? 256 : 1); b++) check_pair(s, a, b);
  }
}
END_TEST

START_TEST(shorts_agree_for_every_value)
{
  wide v[64];
  uint64_t state = 11;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    int first = s->is_signed ? -32768 : 0, n = specials(s, v);
    if (s->bits != 16) continue;
    for (int a = first; a < first + 65536; a++) {
      if (s->nargs == 1) {
        check_pair(s, a, 0);
        continue;
      }
      for (int k = 0; k < 4; k++) {
        check_pair(s, a, v[next_random(&state) % (unsigned)n]);
        check_pair(s, a, wrap(s, (wide)next_random(&state)));
      }
    }
  }
}
END_TEST

START_TEST(words_agree_for_special_and_random_values)
{
  wide v[64];
  uint64_t state = 12;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    int n = specials(s, v);
    if (s->bits < 32) continue;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n; b++) check_pair(s, v[a], v[b]);
    for (int k = 0; k < 20000; k++) {
      uint64_t r = next_random(&state);
      wide a = (wide)(int64_t)next_random(&state) >> r % 64;
      wide b = (wide)(int64_t)next_random(&state) >> r / 64 % 64;
      check_pair(s, wrap(s, a), wrap(s, b));
    }
  }
}
END_TEST

/* Numbers near a multiple of the divisor: where a quotient made in floating
 * point would round up. */
START_TEST(quotients_are_not_rounded_up)
{
  uint64_t state = 13;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    if (!is(s, "floor_divide") && !is(s, "remainder") && !is(s, "fmod")) continue;
    for (int k = 0; k < 100000; k++) {
      wide b = wrap(s, (wide)(next_random(&state) >> next_random(&state) % 64));
      wide q = (wide)(next_random(&state) >> next_random(&state) % 64);
      wide a = wrap(s, times(q, b));
      check_pair(s, a, b);
      check_pair(s, wrap(s, a - 1), b);
      check_pair(s, wrap(s, a + 1), b);
    }
  }
}
END_TEST

/* NumPy's: + is or, * is and. */
START_TEST(bools_follow_their_truth_tables)
{
  static const struct {
    const char *op;
    int table; /* bit 2a + b: the result */
  } truth[] = {
      {"add", 14},           {"multiply", 8},    {"absolute", 12},   {"minimum", 8},
      {"maximum", 14},       {"fmin", 8},        {"fmax", 14},       {"equal", 9},
      {"not_equal", 6},      {"less", 2},        {"less_equal", 11}, {"greater", 4},
      {"greater_equal", 13}, {"where", 14},      {"logical_and", 8}, {"logical_or", 14},
      {"logical_xor", 6},    {"logical_not", 3}, {"bitwise_and", 8}, {"bitwise_or", 14},
      {"bitwise_xor", 6},    {"invert", 3},
  };
  for (int i = 0; i < NBOOL; i++) {
    int table = -1;
    for (size_t k = 0; k < sizeof truth / sizeof *truth; k++)
      if (is(&bools[i], truth[k].op)) table = truth[k].table;
    EXPECT(table >= 0, "%s of bool has no truth table", bools[i].op);
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++)
        EXPECT(bools[i].call(a, b) == (table >> (2 * a + b) & 1), "%s of bool (%d, %d)",
               bools[i].op, a, b);
  }
}
END_TEST

static const test_case cases[] = {
    CASE(bytes_agree_for_every_pair),
    CASE(shorts_agree_for_every_value),
    CASE(words_agree_for_special_and_random_values),
    CASE(quotients_are_not_rounded_up),
    CASE(bools_follow_their_truth_tables),
    CASE_END,
};

int main(void) { return test_main("scalar_int", cases); }
