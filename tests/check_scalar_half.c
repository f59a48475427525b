/* SPDX-License-Identifier: MIT */
/* float16 and bfloat16: every value through every operation of one argument, and
 * pairs (special with special, special with random, random) through those of
 * two, against long double rounded once. */
#include <math.h>
#include <stdio.h>

#include "codegen/oploops.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

#define GA_LONG_ROWS
#include "codegen/kernels/quotient.cuh"

typedef struct subject {
  const char *op;
  int brain; /* 1: bfloat16 */
  int nargs, boolean;
  unsigned int (*call)(unsigned int a, unsigned int b); /* bits in, bits out */
} subject;

#define OUT_bool(v)     (v)
#define OUT_float16(v)  (v).data
#define OUT_bfloat16(v) (v).data
#define CALL_1(op, T, R)                                              \
  static unsigned int call_##op##_##T(unsigned int a, unsigned int b) \
  {                                                                   \
    (void)b;                                                          \
    return OUT_##R(ga_##op##_##T(ga_frombits_##T(a)));                \
  }
#define CALL_2(op, T, R)                                                   \
  static unsigned int call_##op##_##T(unsigned int a, unsigned int b)      \
  {                                                                        \
    return OUT_##R(ga_##op##_##T(ga_frombits_##T(a), ga_frombits_##T(b))); \
  }
#define CALL_COND(op, T, R)                                                       \
  static unsigned int call_##op##_##T(unsigned int a, unsigned int b)             \
  {                                                                               \
    return OUT_##R(ga_##op##_##T(a & 1, ga_frombits_##T(a), ga_frombits_##T(b))); \
  }
#define CALL(op, args, T, C, R, RC) CALL_##args(op, T, R)
#define NARGS_1                     1
#define NARGS_2                     2
#define NARGS_COND                  2
#define BRAIN_float16               0
#define BRAIN_bfloat16              1
#define BOOLEAN_bool                1
#define BOOLEAN_float16             0
#define BOOLEAN_bfloat16            0
#define ROW(op, args, T, C, R, RC)  {#op, BRAIN_##T, NARGS_##args, BOOLEAN_##R, call_##op##_##T},
GA_LOOPS_float16(CALL) GA_LOOPS_bfloat16(CALL) static const subject subjects[] = {
    GA_LOOPS_float16(ROW) GA_LOOPS_bfloat16(ROW)};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

/* fraction bits and exponent of the smallest subnormal */
static int fraction(int brain) { return brain ? 7 : 10; }
static int least(int brain) { return brain ? -133 : -24; }

static long double value(int brain, unsigned int u)
{
  int f = fraction(brain);
  unsigned int e = (u & 0x7fff) >> f, m = u & ((1u << f) - 1);
  long double x = e ? ldexpl(m + (1u << f), least(brain) + (int)e - 1) : ldexpl(m, least(brain));
  if (e == (0x7fffu >> f)) x = m ? NAN : INFINITY;
  return u & 0x8000 ? -x : x;
}

/* The bits of x rounded to nearest even. */
static unsigned int round_bits(int brain, long double x)
{
  int f = fraction(brain), e;
  unsigned int sign = signbit(x) ? 0x8000 : 0, inf = (0x7fffu >> f) << f;
  long double m;
  if (x != x) return 0x7fff;
  if (isinf(x)) return sign | inf;
  if (x == 0) return sign;
  frexpl(x, &e);
  e -= f + 1;
  if (e < least(brain)) e = least(brain);
  m = rintl(ldexpl(fabsl(x), -e)); /* the carry into the exponent comes by itself */
  x = m + ldexpl(e - least(brain), f);
  return sign | (x >= inf ? inf : (unsigned int)x);
}

static int is(const subject *s, const char *op) { return strcmp(s->op, op) == 0; }

static unsigned int step(const subject *s, unsigned int a, unsigned int b)
{
  long double x = value(s->brain, a), y = value(s->brain, b);
  if (x != x || y != y) return 0x7fff;
  if (x == y) return a; /* NumPy's; of float32 and float64 b, as C's */
  if (x == 0) return y > 0 ? 1 : 0x8001;
  return a + ((x < y) == (x > 0) ? 1 : -1u);
}

/* Exactly computed results, not rounded yet; *known is 0 where there is none. */
static long double exact(const subject *s, long double a, long double b, int *known)
{
  *known = 1;
  if (is(s, "add")) return a + b;
  if (is(s, "subtract")) return a - b;
  if (is(s, "multiply") || is(s, "square")) return a * (is(s, "square") ? a : b);
  if (is(s, "divide")) return a / b;
  if (is(s, "reciprocal")) return 1 / a;
  if (is(s, "sqrt")) return sqrtl(a);
  if (is(s, "floor")) return floorl(a);
  if (is(s, "ceil")) return ceill(a);
  if (is(s, "trunc")) return truncl(a);
  if (is(s, "rint")) return rintl(a);
  if (is(s, "fmod")) return fmodl(a, b);
  if (is(s, "sign")) return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
  if (is(s, "heaviside")) return a > 0 ? 1 : a < 0 ? 0 : a == 0 ? b : a;
  if (is(s, "minimum"))
    return a != a ? a : b != b ? b : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
  if (is(s, "maximum"))
    return a != a ? a : b != b ? b : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
  if (is(s, "fmin")) return a != a ? b : b != b ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b;
  if (is(s, "fmax")) return a != a ? b : b != b ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b;
  *known = 0;
  return 0;
}

static int asked(const subject *s, long double a, long double b, int *known)
{
  *known = 1;
  if (is(s, "equal")) return a == b;
  if (is(s, "not_equal")) return a != b;
  if (is(s, "less")) return a < b;
  if (is(s, "less_equal")) return a <= b;
  if (is(s, "greater")) return a > b;
  if (is(s, "greater_equal")) return a >= b;
  if (is(s, "isnan")) return a != a;
  if (is(s, "isinf")) return isinf(a) != 0;
  if (is(s, "isfinite")) return a - a == 0;
  if (is(s, "signbit")) return signbit(a) != 0;
  *known = 0;
  return 0;
}

/* Operations that another test has: transcendental ones and Python's division. */
static int elsewhere(const subject *s)
{
  static const char *const names =
      " floor_divide remainder power float_power cbrt hypot exp exp2 expm1 log log2 log10 log1p "
      "logaddexp logaddexp2 sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
      "arctanh arctan2 deg2rad rad2deg erf erfc gamma gammaln ";
  char name[64];
  snprintf(name, sizeof name, " %s ", s->op);
  return strstr(names, name) != NULL;
}

static unsigned int reference(const subject *s, unsigned int a, unsigned int b)
{
  long double x = value(s->brain, a), y = value(s->brain, b), r;
  unsigned int u;
  int known;
  if (is(s, "positive")) return a;
  if (is(s, "negative")) return a ^ 0x8000;
  if (is(s, "absolute") || is(s, "fabs")) return a & 0x7fff;
  if (is(s, "copysign")) return (a & 0x7fff) | (b & 0x8000);
  if (is(s, "where")) return a & 1 ? a : b;
  if (is(s, "nextafter")) return step(s, a, b);
  if (s->boolean) {
    u = (unsigned int)asked(s, x, y, &known);
  } else {
    r = exact(s, x, y, &known);
    u = round_bits(s->brain, r);
  }
  EXPECT(known, "%s has no reference", s->op);
  return u;
}

static void check_pair(const subject *s, unsigned int a, unsigned int b)
{
  unsigned int got = s->call(a, b), want = reference(s, a, b), nan = s->brain ? 0x7f80 : 0x7c00;
  int same = got == want || (!s->boolean && (got & 0x7fff) > nan && (want & 0x7fff) > nan);
  EXPECT(same, "%s of %s (%04x, %04x) gives %04x, not %04x", s->op,
         s->brain ? "bfloat16" : "float16", a, b, got, want);
}

START_TEST(every_value_agrees)
{
  for (int i = 0; i < NSUBJECT; i++)
    if (subjects[i].nargs == 1 && !elsewhere(&subjects[i]))
      for (unsigned int a = 0; a < 65536; a++) check_pair(&subjects[i], a, 0);
}
END_TEST

START_TEST(pairs_agree)
{
  static const unsigned int special[] = {
      0,      0x8000, 1,      0x8001, 2,      0x3ff,  0x400,  0x401,  0x7bff,
      0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00, 0x3c00, 0xbc00, 0x3bff,
      0x3c01, 0x4000, 0x3800, 0x7f,   0x80,   0x81,   0x7f7f, 0xff7f, 0x7f80,
      0xff80, 0x7f81, 0x7fc0, 0x3f80, 0xbf80, 0x3f7f, 0x3f81, 0x5640, 0x4248};
  enum { N = sizeof special / sizeof *special };
  uint64_t state = 31;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    if (s->nargs != 2 || elsewhere(s)) continue;
    for (int a = 0; a < N; a++)
      for (int b = 0; b < N; b++) check_pair(s, special[a], special[b]);
    for (int k = 0; k < 20000; k++) {
      unsigned int a = next_random(&state) >> 48, b = next_random(&state) >> 48;
      unsigned int near = (a & 0xff00) | (b & 0xff);
      check_pair(s, a, b);
      check_pair(s, a, near);
      check_pair(s, special[k % N], b);
      check_pair(s, a, special[k % N]);
    }
  }
}
END_TEST

/* By every divisor: numbers of few bits, whose subnormal quotients are ties, and others. */
#define DIVIDES_ALIKE(T, C)                                                               \
  START_TEST(quotients_by_a_known_##T##_agree)                                            \
  {                                                                                       \
    uint64_t state = 7;                                                                   \
    for (unsigned int b = 0; b < 0x10000; b++) {                                          \
      struct ga_divisor by = ga_divisor_##T(ga_frombits_##T(b));                          \
      for (int k = 0; k < 96; k++) {                                                      \
        unsigned int a = k < 48 ? next_random(&state) >> 48                               \
                                : (unsigned int)(next_random(&state) >> 48) & 0x83ffu;    \
        C want = ga_divide_##T(ga_frombits_##T(a), ga_frombits_##T(b));                   \
        C got = ga_divide_by_##T(ga_frombits_##T(a), by);                                 \
        ck_assert_msg(got.data == want.data || (ga_isnan_##T(got) && ga_isnan_##T(want)), \
                      "%04x / %04x: %04x for %04x", a, b, got.data, want.data);           \
      }                                                                                   \
    }                                                                                     \
  }                                                                                       \
  END_TEST
DIVIDES_ALIKE(float16, ga_half)
DIVIDES_ALIKE(bfloat16, ga_bfloat)

/* The same of float32: any bits, special ones, and ties: b = 2m, a = km 2^-149. */
START_TEST(quotients_by_a_known_float32_agree)
{
  static const uint32_t special[] = {0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u,
                                     1, 0x7f7fffffu, 0x00800000u, 0x007fffffu, 0x3f800000u};
  const size_t n = sizeof special / sizeof special[0];
  uint64_t state = 11;
  for (size_t k = 0; k < 100000; k++) {
    uint32_t r = (uint32_t)(next_random(&state) >> 32), m = 1 + (r >> 20);
    float b = k % 4 == 0 ? 2.0f * (float)m : ga_frombits_float32(k < n ? special[k] : r);
    struct ga_long_divisor by = ga_divisor_float32(b);
    for (size_t j = 0; j < n + 24; j++) {
      uint32_t x = (uint32_t)(next_random(&state) >> 32);
      float a = ga_frombits_float32(j < n ? special[j] : k % 4 == 0 ? (x >> 20) * m : x);
      float want = a / b, got = ga_divide_by_float32(a, by);
      ck_assert_msg(ga_bits_float32(got) == ga_bits_float32(want) || (got != got && want != want),
                    "%a / %a: %a for %a", (double)a, (double)b, (double)got, (double)want);
    }
  }
}
END_TEST

static void check_quotient(double a, double b)
{
  double want = a / b, got = ga_divide_by_float64(a, ga_divisor_float64(b));
  ck_assert_msg(ga_bits_float64(got) == ga_bits_float64(want) || (got != got && want != want),
                "%a / %a: %a for %a", a, b, got, want);
}

/* Of float64: any bits, special ones and both sides of what is far, and the neighbours of ties. */
START_TEST(quotients_by_a_known_float64_agree)
{
  static const double special[] = {0.0,      -0.0,     INFINITY, NAN,     0x1p-1074, 0x1p-1022,
                                   0x1p-900, 0x1p900,  0x1p-60,  0x1p60,  1,         -3,
                                   0x1p-901, 0x1p1023, 0x1p-61,  0x1.fp59};
  const size_t n = sizeof special / sizeof special[0];
  const uint64_t digits = ~0ull >> 12, one = 0x3ffull << 52;
  uint64_t state = 13;
  for (size_t k = 0; k < n * n; k++) {
    double a = special[k / n], b = special[k % n];
    for (int j = 0; j < 4; j++)
      check_quotient(j & 1 ? nextafter(a, 0) : a, j & 2 ? nextafter(b, 0) : b);
  }
  for (size_t k = 0; k < 300000; k++) {
    uint64_t r = next_random(&state), s = next_random(&state);
    double b = ga_frombits_float64((r & digits) | one), q = ga_frombits_float64((s & digits) | one);
    double tie = __builtin_fma(b, q, b * 0x1p-53);
    double round = ga_frombits_float64(one | (s & -s) >> 12);
    check_quotient(ga_frombits_float64(r), ga_frombits_float64(s));
    check_quotient(ldexp(q, (int)(s % 1900) - 950), ldexp(b, (int)(r % 130) - 65));
    check_quotient(tie, b);
    check_quotient(nextafter(tie, 0), b);
    check_quotient(nextafter(tie, 8), b);
    check_quotient(q, nextafter(round, k % 2 ? 0 : 8));
    check_quotient(b * q, b);
  }
}
END_TEST

static const test_case cases[] = {
    CASE(every_value_agrees),
    CASE(pairs_agree),
    CASE(quotients_by_a_known_float16_agree),
    CASE(quotients_by_a_known_bfloat16_agree),
    CASE(quotients_by_a_known_float32_agree),
    CASE(quotients_by_a_known_float64_agree),
    CASE_END,
};

int main(void)
{
  ga_cpu_isa();
  return test_main("scalar_half", cases);
}
