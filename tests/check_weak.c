/* SPDX-License-Identifier: MIT */
/* Python's numbers: arithmetic against Python's own (tests/data/weak.txt), what
 * fits which dtype, and rounding into the small floats. */
#include <math.h>

#include "codegen/weak.h"
#include "tests/program.h"

/* The program's one number, for k and x bound to these values. */
static int value_of(ga_value *v, enum ga_dtype *dtype, const char *text, long long k, double x)
{
  ga_value numbers[2];
  ga_program *p;
  int err = program_try(&p, text, "k=int x=float");
  if (err != GA_NO_ERROR) return err;
  numbers[0].i = k;
  numbers[1].d = x;
  const ga_param *param = &p->stages[0].params[0];
  ck_assert_uint_eq(p->stages[0].nparam, 1);
  *dtype = param->dtype;
  err = ga_param_value(v, p, param, numbers);
  ga_program_free(p);
  return err;
}

static void show(char *out, size_t size, int err, const ga_value *v, enum ga_dtype dtype)
{
  if (err != GA_NO_ERROR)
    snprintf(out, size, "error");
  else if (dtype == GA_DT_BOOL)
    snprintf(out, size, "b %d", v->bytes[0]);
  else if (dtype == GA_DT_INT64)
    snprintf(out, size, "i %lld", (long long)v->i);
  else if (dtype == GA_DT_UINT64)
    snprintf(out, size, "i %llu", (unsigned long long)v->u);
  else if (dtype == GA_DT_FLOAT64)
    snprintf(out, size, "f %a", v->d);
  else
    snprintf(out, size, "c %a %a", v->cd[0], v->cd[1]);
}

/* The same value, in whatever spelling of hexadecimal floats. */
static int same(const char *got, const char *want)
{
  double x[2] = {0, 0}, y[2] = {0, 0};
  if (strcmp(got, want) == 0) return 1;
  if (got[0] != want[0] || (got[0] != 'f' && got[0] != 'c')) return 0;
  int n = got[0] == 'f' ? 1 : 2;
  if (sscanf(got + 2, "%lf %lf", &x[0], &x[1]) != n) return 0;
  if (sscanf(want + 2, "%lf %lf", &y[0], &y[1]) != n) return 0;
  for (int i = 0; i < n; i++)
    if (!(isnan(x[i]) && isnan(y[i])) && (x[i] != y[i] || !signbit(x[i]) != !signbit(y[i])))
      return 0;
  return 1;
}

START_TEST(arithmetic_is_pythons)
{
  char line[512], path[4096], got[128];
  const char *top = getenv("top_srcdir");
  int n = 0, wrong = 0;
  snprintf(path, sizeof path, "%s/tests/data/weak.txt", top ? top : ".");
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "cannot open %s", path);
  for (; fgets(line, sizeof line, f) != NULL; n++) {
    char *field[4] = {line, NULL, NULL, NULL};
    for (int i = 3; i > 0; i--) { /* from the end: " | " is an operator as well */
      char *at = NULL;
      for (char *s = strstr(line, " | "); s != NULL; s = strstr(s + 1, " | ")) at = s;
      ck_assert_ptr_nonnull(at);
      *at = '\0';
      field[i] = at + 3;
    }
    field[3][strcspn(field[3], "\n")] = '\0';
    ga_value v;
    enum ga_dtype dtype = GA_DT_NONE;
    int err = value_of(&v, &dtype, field[0], strtoll(field[1], NULL, 10), strtod(field[2], NULL));
    show(got, sizeof got, err, &v, dtype);
    if (same(got, field[3])) continue;
    wrong++;
    printf("%s  with k=%s x=%s: %s, Python has %s\n", field[0], field[1], field[2], got, field[3]);
  }
  fclose(f);
  ck_assert_int_gt(n, 1500);
  ck_assert_msg(wrong == 0, "%d of %d differ", wrong, n);
}
END_TEST

START_TEST(integers_fit_or_are_refused)
{
  static const struct {
    enum ga_dtype d;
    long long low;
    unsigned long long high;
  } ranges[] = {{GA_DT_INT8, -128, 127},
                {GA_DT_UINT8, 0, 255},
                {GA_DT_INT16, -32768, 32767},
                {GA_DT_UINT16, 0, 65535},
                {GA_DT_INT32, INT32_MIN, INT32_MAX},
                {GA_DT_UINT32, 0, UINT32_MAX},
                {GA_DT_INT64, INT64_MIN, INT64_MAX},
                {GA_DT_UINT64, 0, UINT64_MAX}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    ga_number x = {.kind = GA_NUM_INT};
    ga_value v;
    const char *name = ga_dtypes[ranges[i].d].name;
    x.i = ranges[i].low;
    OK(ga_number_store(&v, ranges[i].d, &x));
    x.i--;
    FAILS(GA_VALUE_ERROR, name, ga_number_store(&v, ranges[i].d, &x));
    x.i = (ga_int128)ranges[i].high;
    OK(ga_number_store(&v, ranges[i].d, &x));
    ck_assert_mem_eq(v.bytes, &ranges[i].high, ga_dtypes[ranges[i].d].size);
    x.i++;
    FAILS(GA_VALUE_ERROR, name, ga_number_store(&v, ranges[i].d, &x));
  }
}
END_TEST

/* A bound number is known at the call only: it fits then, or is refused then. */
START_TEST(bound_integers_are_checked_at_the_call)
{
  ga_value numbers[2], v;
  ga_program *p = program_of("a*k", "k=int a=int8[3]");
  const ga_param *param = &p->stages[0].params[0];
  numbers[0].i = 127;
  OK(ga_param_value(&v, p, param, numbers));
  numbers[0].i = 128;
  FAILS(GA_VALUE_ERROR, "'k' = 128 does not fit int8", ga_param_value(&v, p, param, numbers));
  ga_program_free(p);
  p = program_of("a*(1/k)", "k=int a=float32[3]");
  numbers[0].i = 0;
  FAILS(GA_VALUE_ERROR, "division by zero",
        ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ga_program_free(p);
  p = program_of("a*2**k", "k=int a=float32[3]");
  numbers[0].i = -1;
  FAILS(GA_VALUE_ERROR, "negative power", ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  numbers[0].i = 5;
  OK(ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ck_assert(v.f == 32);
  ga_program_free(p);
  p = program_of("a*x**x", "x=float a=float32[3]");
  numbers[0].d = -1.5;
  FAILS(GA_VALUE_ERROR, "is complex", ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ga_program_free(p);
}
END_TEST

/* where() stores its numbers, known or bound, as a C cast does; beyond 64 bits
 * there is nothing to cast. */
START_TEST(integers_wrap_in_where)
{
  static const struct {
    long long k;
    unsigned char stored;
  } rows[] = {{127, 127}, {300, 44}, {-1, 255}, {-129, 127}, {1LL << 40, 0}};
  ga_value numbers[2], v;
  ga_program *p = program_of("where(a > a, a, k + 0)", "k=int a=int8[3]");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    numbers[0].i = rows[i].k;
    OK(ga_param_value(&v, p, &p->stages[0].params[0], numbers));
    ck_assert_uint_eq(v.bytes[0], rows[i].stored);
  }
  ga_program_free(p);
  p = program_of("where(a > a, a, -1)", "a=uint64[3]");
  OK(ga_param_value(&v, p, &p->stages[0].params[0], NULL));
  ck_assert(v.u == UINT64_MAX);
  ga_program_free(p);
  p = program_of("where(a > a, 2**64 - 1, 1)", "a=uint64[3]");
  ck_assert_int_eq(p->stages[0].params[0].dtype, GA_DT_INT64);
  ga_program_free(p);
  FAILS(GA_VALUE_ERROR, "does not fit uint64",
        program_try(&p, "where(a > a, a, 2**64)", "a=uint64[3]"));
}
END_TEST

/* A bound of clip() that no element can pass is none, known or bound by name; one
 * that all of them pass does not fit. */
START_TEST(clip_drops_bounds_that_do_not_fit)
{
  ga_value numbers[2], v;
  ga_program *p = program_of("clip(a, None, k)", "k=int a=int8[3]");
  static const struct {
    long long k;
    signed char most;
  } rows[] = {{100, 100}, {-128, -128}, {128, 127}, {INT64_MAX, 127}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    numbers[0].i = rows[i].k;
    OK(ga_param_value(&v, p, &p->stages[0].params[0], numbers));
    ck_assert_int_eq((signed char)v.bytes[0], rows[i].most);
  }
  numbers[0].i = -129;
  FAILS(GA_VALUE_ERROR, "does not fit int8",
        ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ga_program_free(p);
  p = program_of("clip(a, k, None)", "k=int a=uint8[3]");
  numbers[0].i = -1;
  OK(ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ck_assert_uint_eq(v.bytes[0], 0);
  ga_program_free(p);
  p = program_of("clip(a, b, k)", "k=int a=int8[3] b=float32[3]");
  numbers[0].i = 127; /* b may be above it */
  OK(ga_param_value(&v, p, &p->stages[0].params[0], numbers));
  ck_assert(v.f == INFINITY);
  ga_program_free(p);
}
END_TEST

/* What Python has no operator for is refused before any number is there. */
START_TEST(types_are_checked_before_the_call)
{
  static const char *const bad[] = {"x | x", "~x", "k << x", "k*2j // k", "k*2j < 1", "x*1j % 2"};
  ga_program *p;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    FAILS(GA_VALUE_ERROR, "^ ", program_try(&p, bad[i], "k=int x=float"));
}
END_TEST

static double half_value(unsigned int h, int mant, int bias)
{
  int e = (int)(h >> mant & ((1u << (15 - mant)) - 1));
  double frac = h & ((1u << mant) - 1), x;
  if (e == (1 << (15 - mant)) - 1)
    x = frac != 0 ? NAN : INFINITY;
  else
    x = e == 0 ? ldexp(frac, 1 - bias - mant) : ldexp(frac + ldexp(1, mant), e - bias - mant);
  return h & 0x8000 ? -x : x;
}

/* Every value of a 16-bit format is itself; between two neighbours the nearer
 * one, the even one in the middle. */
START_TEST(small_floats_are_rounded_once)
{
  static const struct {
    enum ga_dtype d;
    int mant, bias;
  } formats[] = {{GA_DT_FLOAT16, 10, 15}, {GA_DT_BFLOAT16, 7, 127}};
  for (size_t i = 0; i < 2; i++) {
    unsigned int inf = 0x7fffu >> formats[i].mant << formats[i].mant;
    for (unsigned int h = 0; h < inf; h++) {
      double x = half_value(h, formats[i].mant, formats[i].bias);
      double up = h + 1 == inf ? 2 * x - half_value(h - 1, formats[i].mant, formats[i].bias)
                               : half_value(h + 1, formats[i].mant, formats[i].bias);
      double middle = (x + up) / 2;
      double tests[4] = {x, middle, nextafter(middle, 0), nextafter(middle, INFINITY)};
      unsigned int want[4] = {h, h + (h & 1), h, h + 1};
      for (int k = 0; k < 4; k++) {
        ga_number n = {GA_NUM_FLOAT, 0, tests[k], 0};
        ga_value v;
        uint16_t got;
        OK(ga_number_store(&v, formats[i].d, &n));
        memcpy(&got, v.bytes, 2);
        ck_assert_msg(got == want[k], "%a as %s is %04x, expected %04x", tests[k],
                      ga_dtypes[formats[i].d].name, got, want[k]);
      }
    }
  }
}
END_TEST

static const test_case cases[] = {CASE(arithmetic_is_pythons),
                                  CASE(integers_fit_or_are_refused),
                                  CASE(bound_integers_are_checked_at_the_call),
                                  CASE(integers_wrap_in_where),
                                  CASE(clip_drops_bounds_that_do_not_fit),
                                  CASE(types_are_checked_before_the_call),
                                  CASE(small_floats_are_rounded_once),
                                  CASE_END};

int main(void) { return test_main("weak", cases); }
