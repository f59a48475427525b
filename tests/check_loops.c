/* SPDX-License-Identifier: MIT */
/* The loops of every instruction set against the scalar functions, element by
 * element and to the bit: all lengths up to 130, addresses that are not aligned,
 * the destination in place of a source, nothing written past the end. */
#include <stdio.h>

#include "codegen/oploops.h"
#include "tests/common.h"
#include "tests/scalar_data.h"

enum { MAXN = 130, LONG = 1100, ROOM = (LONG + 2) * 16 };

/* Element i of one operation, by the scalar function. */
typedef void (*scalar_fn)(void *r, const void *const *src, size_t i);

#define AT(C, v, k) C v = ((const C *)src[k])[i];
#define REF_1(op, T, C, RC)                                             \
  static void ref_##op##_##T(void *r, const void *const *src, size_t i) \
  {                                                                     \
    AT(C, a, 0) RC v = ga_##op##_##T(a);                                \
    memcpy(r, &v, sizeof v);                                            \
  }
#define REF_2(op, T, C, RC)                                             \
  static void ref_##op##_##T(void *r, const void *const *src, size_t i) \
  {                                                                     \
    AT(C, a, 0) AT(C, b, 1) RC v = ga_##op##_##T(a, b);                 \
    memcpy(r, &v, sizeof v);                                            \
  }
#define REF_COND(op, T, C, RC)                                               \
  static void ref_##op##_##T(void *r, const void *const *src, size_t i)      \
  {                                                                          \
    AT(ga_bool, c, 0) AT(C, a, 1) AT(C, b, 2) RC v = ga_##op##_##T(c, a, b); \
    memcpy(r, &v, sizeof v);                                                 \
  }
#define REF(op, args, T, C, R, RC) REF_##args(op, T, C, RC)
#define REFS(ID, T, C)             GA_LOOPS_##T(REF)
GA_DTYPES(REFS)

#define CAST_REF(from, F, ID, to, C)                                            \
  static void ref_cast_##from##_##to(void *r, const void *const *src, size_t i) \
  {                                                                             \
    AT(F, a, 0) C v = ga_cast_##from##_##to(a);                                 \
    memcpy(r, &v, sizeof v);                                                    \
  }
#define CAST_REFS(ID, from, F) GA_DTYPES_WITH(CAST_REF, from, F)
GA_DTYPES(CAST_REFS)

typedef struct subject {
  const char *name;
  int op; /* -1: a cast from `loop` */
  enum ga_dtype loop, result;
  int nargs, cond;
  scalar_fn ref;
} subject;

#define DT_bool       GA_DT_BOOL
#define DT_int8       GA_DT_INT8
#define DT_uint8      GA_DT_UINT8
#define DT_int16      GA_DT_INT16
#define DT_uint16     GA_DT_UINT16
#define DT_int32      GA_DT_INT32
#define DT_uint32     GA_DT_UINT32
#define DT_int64      GA_DT_INT64
#define DT_uint64     GA_DT_UINT64
#define DT_float16    GA_DT_FLOAT16
#define DT_bfloat16   GA_DT_BFLOAT16
#define DT_float32    GA_DT_FLOAT32
#define DT_float64    GA_DT_FLOAT64
#define DT_complex64  GA_DT_COMPLEX64
#define DT_complex128 GA_DT_COMPLEX128

#define NARGS_1    1, 0
#define NARGS_2    2, 0
#define NARGS_COND 3, 1
#define ROW(op, args, T, C, R, RC) \
  {#op " of " #T, GA_OP_##op, DT_##T, DT_##R, NARGS_##args, ref_##op##_##T},
#define ROWS(ID, T, C) GA_LOOPS_##T(ROW)
#define CAST_ROW(from, F, ID, to, C) \
  {"cast of " #from " to " #to, -1, DT_##from, DT_##to, 1, 0, ref_cast_##from##_##to},
#define CAST_ROWS(ID, from, F) GA_DTYPES_WITH(CAST_ROW, from, F)
static const subject subjects[] = {GA_DTYPES(ROWS) GA_DTYPES(CAST_ROWS)};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

static _Alignas(16) char args[3][ROOM], expected[ROOM], store[4][ROOM + 64];

static enum ga_dtype arg_dtype(const subject *s, int k)
{
  return s->cond && k == 0 ? GA_DT_BOOL : s->loop;
}

static void compare(const ga_loops *l, const subject *s, size_t n, const char *got, const char *how)
{
  size_t size = ga_dtypes[s->result].size;
  char x[64], y[64];
  for (size_t i = 0; i < n; i++)
    EXPECT(same_element(s->result, got + i * size, expected + i * size),
           "%s, %s, %s: element %zu of %zu is %s, not %s", s->name, l->name, how, i, n,
           show_element(s->result, got + i * size, x),
           show_element(s->result, expected + i * size, y));
  for (size_t i = 0; i < 16; i++)
    EXPECT(got[n * size + i] == 0x5a, "%s, %s, %s: wrote past %zu elements", s->name, l->name, how,
           n);
}

/* Runs the loop on copies of the arguments `shift` bytes off; into != NULL: the
 * destination is that argument. */
static void run(const ga_loops *l, const subject *s, ga_loop f, size_t n, size_t shift, int into)
{
  const void *src[3];
  char *dst = store[3] + shift;
  for (int k = 0; k < s->nargs; k++) {
    memset(store[k], 0x5a, sizeof store[k]);
    memcpy(store[k] + shift, args[k], n * ga_dtypes[arg_dtype(s, k)].size);
    src[k] = store[k] + shift;
  }
  memset(store[3], 0x5a, sizeof store[3]);
  if (into >= 0) dst = store[into] + shift;
  f(n, dst, src);
  compare(l, s, n, dst, into >= 0 ? "in place" : shift ? "not aligned" : "aligned");
}

static void check_subject(const ga_loops *l, const subject *s, uint64_t *state)
{
  ga_loop f = s->op < 0 ? ga_cpu_cast_in(l, s->loop, s->result) : ga_cpu_loop_in(l, s->op, s->loop);
  const void *const src[] = {args[0], args[1], args[2]};
  EXPECT(f != NULL, "%s, %s: no loop", s->name, l->name);
  for (int k = 0; k < s->nargs; k++) put_elements(arg_dtype(s, k), args[k], MAXN, state);
  for (size_t i = 0; i < MAXN; i++) s->ref(expected + i * ga_dtypes[s->result].size, src, i);
  for (size_t n = 0; n <= MAXN; n++) {
    run(l, s, f, n, 0, -1);
    run(l, s, f, n, 1 + n % 15, -1);
    for (int k = 0; k < s->nargs; k++)
      if (ga_dtypes[arg_dtype(s, k)].size == ga_dtypes[s->result].size) run(l, s, f, n, 0, k);
  }
}

START_TEST(loops_are_the_scalar_functions)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 88172645463325252ull;
  if (l == NULL) return; /* this processor lacks it */
  for (int i = 0; i < NSUBJECT; i++) check_subject(l, &subjects[i], &state);
}
END_TEST

/* Blocks longer than those that loops cut for themselves, in place too, and more values. */
START_TEST(loops_agree_on_many_values)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 1181783497276652981ull;
  if (l == NULL) return;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    const void *const src[] = {args[0], args[1], args[2]};
    ga_loop f =
        s->op < 0 ? ga_cpu_cast_in(l, s->loop, s->result) : ga_cpu_loop_in(l, s->op, s->loop);
    for (int round = 0; round < 5; round++) {
      for (int k = 0; k < s->nargs; k++) put_elements(arg_dtype(s, k), args[k], LONG, &state);
      for (size_t e = 0; e < LONG; e++) s->ref(expected + e * ga_dtypes[s->result].size, src, e);
      run(l, s, f, LONG, 0, -1);
      for (int k = 0; k < s->nargs; k++)
        if (ga_dtypes[arg_dtype(s, k)].size == ga_dtypes[s->result].size) run(l, s, f, LONG, 0, k);
    }
  }
}
END_TEST

/* Ordinary numbers alone, which a loop may do in another way than a block that has some of the ends
 * of the range. */
START_TEST(loops_agree_on_ordinary_numbers)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  uint64_t state = 2862933555777941757ull;
  if (l == NULL) return;
  for (int i = 0; i < NSUBJECT; i++) {
    const subject *s = &subjects[i];
    const void *const src[] = {args[0], args[1], args[2]};
    if (s->op < 0 || s->cond || (s->loop != GA_DT_FLOAT32 && s->loop != GA_DT_FLOAT64)) continue;
    for (size_t e = 0; e < LONG; e++)
      for (int k = 0; k < s->nargs; k++) {
        double v = (double)(next_random(&state) % 400000 + 1) * 1e-4;
        if (s->loop == GA_DT_FLOAT32)
          ((ga_float *)args[k])[e] = (ga_float)v;
        else
          ((ga_double *)args[k])[e] = v;
      }
    for (size_t e = 0; e < LONG; e++) s->ref(expected + e * ga_dtypes[s->result].size, src, e);
    run(l, s, ga_cpu_loop_in(l, s->op, s->loop), LONG, 0, -1);
  }
}
END_TEST

/* Bases to 999, as long as the power is a number of the dtype. */
#define WHOLE_POWERS(ID, T, C, most)                                                   \
  static void check_whole_powers_##T(const ga_loops *l)                                \
  {                                                                                    \
    for (int b = 2; b < 1000; b++) {                                                   \
      C base[64], exponent[64], want[64], r[64];                                       \
      const void *const src[] = {base, exponent};                                      \
      size_t n = 0;                                                                    \
      for (double v = b; v < most; v *= b, n++) {                                      \
        base[n] = (C)b;                                                                \
        exponent[n] = (C)(n + 1);                                                      \
        want[n] = (C)v;                                                                \
      }                                                                                \
      ga_cpu_loop_in(l, GA_OP_power, GA_DT_##ID)(n, r, src);                           \
      for (size_t i = 0; i < n; i++)                                                   \
        EXPECT(r[i] == want[i], "%s: %d ** %zu of " #T " is %.17g", l->name, b, i + 1, \
               (double)r[i]);                                                          \
    }                                                                                  \
  }
WHOLE_POWERS(FLOAT32, float32, ga_float, 0x1p24)
WHOLE_POWERS(FLOAT64, float64, ga_double, 0x1p53)

START_TEST(powers_of_whole_numbers_are_exact)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  check_whole_powers_float32(l);
  check_whole_powers_float64(l);
}
END_TEST

/* A block of complex numbers to one whole power takes a way of its own. */
#define ONE_POWERS(ID, T, C, R)                                                                    \
  static void check_one_powers_##T(const ga_loops *l)                                              \
  {                                                                                                \
    static const R parts[] = {0, (R)-0.0, 1, (R)-1.5, (R)1e-30, (R)3e30, (R)NAN, (R)INFINITY};     \
    C base[64], exponent[64], r[64];                                                               \
    const void *const src[] = {base, exponent};                                                    \
    for (int k = 2; k < 100; k++) {                                                                \
      for (int i = 0; i < 64; i++) {                                                               \
        base[i] = (C){parts[i / 8], parts[i % 8]};                                                 \
        exponent[i] = (C){(R)k, 0};                                                                \
      }                                                                                            \
      ga_cpu_loop_in(l, GA_OP_power, GA_DT_##ID)(64, r, src);                                      \
      for (int i = 0; i < 64; i++) {                                                               \
        C want = ga_power_##T(base[i], exponent[i]);                                               \
        EXPECT(same_element(GA_DT_##ID, &r[i], &want), "%s: " #T " %g %g ** %d is %g %g", l->name, \
               (double)base[i].re, (double)base[i].im, k, (double)r[i].re, (double)r[i].im);       \
      }                                                                                            \
    }                                                                                              \
  }
ONE_POWERS(COMPLEX64, complex64, ga_cfloat, ga_float)
ONE_POWERS(COMPLEX128, complex128, ga_cdouble, ga_double)

START_TEST(one_whole_power_is_that_of_each_number)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  check_one_powers_complex64(l);
  check_one_powers_complex128(l);
}
END_TEST

static const int functions[] = {GA_OP_exp,     GA_OP_exp2,    GA_OP_expm1,   GA_OP_log,
                                GA_OP_log2,    GA_OP_log10,   GA_OP_log1p,   GA_OP_sin,
                                GA_OP_cos,     GA_OP_tan,     GA_OP_sinh,    GA_OP_cosh,
                                GA_OP_tanh,    GA_OP_arcsin,  GA_OP_arccos,  GA_OP_arctan,
                                GA_OP_arcsinh, GA_OP_arccosh, GA_OP_arctanh, GA_OP_cbrt};

/* What an element gives does not depend on the others of its block: not on a NaN, nor on a huge
 * one, for which a loop may take another way. Halves are ties of exp2, and below -82 (-701) parts
 * of exp are subnormal. */
#define NEIGHBOURS(T, C, wide)                                                         \
  static void check_neighbours_##T(const ga_loops *l, enum ga_dtype t)                 \
  {                                                                                    \
    enum { N = 512 };                                                                  \
    static C a[N], r[N], q[N];                                                         \
    const C odd[] = {(C)NAN, (C)200, (C)1e30, (C)-INFINITY};                           \
    const void *const src[] = {a};                                                     \
    uint64_t state = 17;                                                               \
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)                  \
      for (int round = 0; round < 40; round++) {                                       \
        const C reach = round % 4 == 0 ? 1 : round % 4 == 1 ? 128 : wide;              \
        for (int i = 0; i < N; i++) {                                                  \
          a[i] = (C)((double)(int64_t)next_random(&state) * 0x1p-63) * reach;          \
          if (round % 4 == 1 && i % 2) a[i] = (C)floor(a[i]) + (C)0.5;                 \
        }                                                                              \
        for (int i = 0; i < N; i += 8) {                                               \
          const void *const some[] = {a + i};                                          \
          ga_cpu_loop_in(l, functions[f], t)(8, q + i, some);                          \
        }                                                                              \
        a[N - 1] = odd[round / 4 % 4];                                                 \
        ga_cpu_loop_in(l, functions[f], t)(N, r, src);                                 \
        for (int i = 0; i < N - 1; i++)                                                \
          EXPECT(same_element(t, &r[i], &q[i]), "function %zu of %a: %a, alone %a", f, \
                 (double)a[i], (double)r[i], (double)q[i]);                            \
      }                                                                                \
  }
NEIGHBOURS(float32, float, 90)
NEIGHBOURS(float64, double, 715)

START_TEST(neighbours_change_no_bit)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  check_neighbours_float32(l, GA_DT_FLOAT32);
  check_neighbours_float64(l, GA_DT_FLOAT64);
}
END_TEST

/* Those that begin as x + O(x^2) give tiny x back, subnormal ones too. */
START_TEST(tiny_arguments_come_back)
{
  static const int through[] = {GA_OP_expm1,   GA_OP_log1p,  GA_OP_sin,    GA_OP_tan,
                                GA_OP_sinh,    GA_OP_tanh,   GA_OP_arcsin, GA_OP_arctan,
                                GA_OP_arcsinh, GA_OP_arctanh};
  static const double x[] = {
      0x1p-1074, -0x1p-1074, 0x3p-1074, 1e-310, -1e-310, 3.500809186954194e-308, -0.0, 0.0};
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  double r[8];
  const void *const src[] = {x};
  if (l == NULL) return;
  for (size_t f = 0; f < sizeof through / sizeof *through; f++) {
    ga_cpu_loop_in(l, through[f], GA_DT_FLOAT64)(8, r, src);
    for (int i = 0; i < 8; i++)
      EXPECT(same_element(GA_DT_FLOAT64, &r[i], &x[i]), "function %zu of %a: %a", f, x[i], r[i]);
  }
}
END_TEST

START_TEST(absent_loops_are_null)
{
  ck_assert_ptr_null(ga_cpu_loop(GA_OP_bitwise_and, GA_DT_FLOAT32));
  ck_assert_ptr_null(ga_cpu_loop(GA_OP_subtract, GA_DT_BOOL));
  ck_assert_ptr_null(ga_cpu_loop(GA_OP_add, GA_DT_NONE));
  ck_assert_ptr_null(ga_cpu_loop(GA_N_CAST, GA_DT_FLOAT32));
  ck_assert_ptr_null(ga_cpu_loop(GA_OP_END, GA_DT_FLOAT32));
  ck_assert_ptr_null(ga_cpu_cast(GA_DT_NONE, GA_DT_INT8));
  ck_assert_ptr_null(ga_cpu_cast(GA_DT_INT8, GA_DT_NONE));
}
END_TEST

/* The loops long enough to be cut into blocks (float16 through float32). */
START_TEST(long_half_loops_are_the_scalar_function)
{
  enum { N = 1537 };
  static ga_half a[N], b[N], r[N];
  const void *const src[] = {a, b};
  uint64_t state = 7;
  put_elements(GA_DT_FLOAT16, a, N, &state);
  put_elements(GA_DT_FLOAT16, b, N, &state);
  ga_cpu_loop(GA_OP_multiply, GA_DT_FLOAT16)(N, r, src);
  for (int i = 0; i < N; i++) {
    ga_half e = ga_multiply_float16(a[i], b[i]);
    EXPECT(same_element(GA_DT_FLOAT16, &r[i], &e), "element %d: %04x, not %04x", i, r[i].data,
           e.data);
  }
}
END_TEST

/* Dividends next to multiples of the divisor, with quotients of every size: where
 * a remainder made from a rounded quotient goes wrong. */
#define REMAINDERS(T, C, next)                                                                     \
  static void check_remainders_##T(const ga_loops *l, enum ga_dtype t)                             \
  {                                                                                                \
    enum { N = 999 };                                                                              \
    static C a[N], b[N], r[N];                                                                     \
    const void *const src[] = {a, b};                                                              \
    uint64_t state = 91;                                                                           \
    for (int round = 0; round < 700; round++) {                                                    \
      int bits = round % 65; /* of the quotient */                                                 \
      for (int i = 0; i < N; i++) {                                                                \
        uint64_t u = next_random(&state);                                                          \
        C q = bits ? (C)(next_random(&state) >> (64 - bits)) : (C)0;                               \
        b[i] = (C)ldexp((double)(int64_t)u, (int)(u % 40) - 60);                                   \
        a[i] = q * b[i];                                                                           \
        if (u & 64) a[i] = next(a[i], 0);                                                          \
        if (u & 128) a[i] = next(a[i], -a[i]);                                                     \
        if (u & 256) a[i] = -a[i];                                                                 \
      }                                                                                            \
      ga_cpu_loop_in(l, GA_OP_fmod, t)(N, r, src);                                                 \
      for (int i = 0; i < N; i++) {                                                                \
        C want = ga_fmod_##T(a[i], b[i]);                                                          \
        EXPECT(same_element(t, &r[i], &want), "%s: fmod(%a, %a) is %a, not %a", l->name,           \
               (double)a[i], (double)b[i], (double)r[i], (double)want);                            \
      }                                                                                            \
      ga_cpu_loop_in(l, GA_OP_floor_divide, t)(N, r, src);                                         \
      for (int i = 0; i < N; i++) {                                                                \
        C want = ga_floor_divide_##T(a[i], b[i]);                                                  \
        EXPECT(same_element(t, &r[i], &want), "%s: %a // %a is %a, not %a", l->name, (double)a[i], \
               (double)b[i], (double)r[i], (double)want);                                          \
      }                                                                                            \
    }                                                                                              \
  }
REMAINDERS(float32, ga_float, nextafterf)
REMAINDERS(float64, ga_double, nextafter)

START_TEST(remainders_are_exact_at_any_quotient)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  check_remainders_float32(l, GA_DT_FLOAT32);
  check_remainders_float64(l, GA_DT_FLOAT64);
}
END_TEST

/* All elements by one number, of each size and sign; one element has another in every third
 * round, and of every fourth n is odd. */
#define BY_ONE(ID, T, C)                                                                   \
  static void check_by_one_##T(const ga_loops *l, int op, const char *name, C (*fn)(C, C)) \
  {                                                                                        \
    enum { N = 600 };                                                                      \
    static C a[N], b[N], r[N];                                                             \
    const void *const src[] = {a, b};                                                      \
    uint64_t state = 17;                                                                   \
    for (int round = 0; round < 400; round++) {                                            \
      size_t n = round % 4 ? N : (size_t)(next_random(&state) % N) + 1;                    \
      C d = (C)(next_random(&state) >> round % 64);                                        \
      if (round < 100) d = (C)(round - 50);                                                \
      if (round == 100) d = (C)((uint64_t)1 << (8 * sizeof d - 1));                        \
      for (size_t i = 0; i < n; i++) {                                                     \
        C q = (C)(next_random(&state) >> next_random(&state) % 64);                        \
        a[i] = i % 2 ? q : (C)((uint64_t)q * (uint64_t)d - i % 3);                         \
        b[i] = d;                                                                          \
      }                                                                                    \
      a[0] = (C)((uint64_t)1 << (8 * sizeof d - 1));                                       \
      if (round % 3 == 0) b[n - 1 - n / 3] = 3;                                            \
      ga_cpu_loop_in(l, op, GA_DT_##ID)(n, r, src);                                        \
      for (size_t i = 0; i < n; i++)                                                       \
        EXPECT(r[i] == fn(a[i], b[i]), "%s: %s of " #T " %lld and %lld is %lld, not %lld", \
               l->name, name, (long long)a[i], (long long)b[i], (long long)r[i],           \
               (long long)fn(a[i], b[i]));                                                 \
    }                                                                                      \
  }                                                                                        \
  static void check_integer_##T(const ga_loops *l)                                         \
  {                                                                                        \
    check_by_one_##T(l, GA_OP_floor_divide, "//", ga_floor_divide_##T);                    \
    check_by_one_##T(l, GA_OP_remainder, "%", ga_remainder_##T);                           \
    check_by_one_##T(l, GA_OP_power, "**", ga_power_##T);                                  \
  }
BY_ONE(INT8, int8, ga_byte)
BY_ONE(UINT8, uint8, ga_ubyte)
BY_ONE(INT16, int16, ga_short)
BY_ONE(UINT16, uint16, ga_ushort)
BY_ONE(INT32, int32, ga_int)
BY_ONE(UINT32, uint32, ga_uint)
BY_ONE(INT64, int64, ga_long)
BY_ONE(UINT64, uint64, ga_ulong)

START_TEST(integers_divide_by_one_number_exactly)
{
  const ga_loops *l = ga_cpu_loops((enum ga_cpu_isa)_i);
  if (l == NULL) return;
  check_integer_int8(l);
  check_integer_uint8(l);
  check_integer_int16(l);
  check_integer_uint16(l);
  check_integer_int32(l);
  check_integer_uint32(l);
  check_integer_int64(l);
  check_integer_uint64(l);
}
END_TEST

/* Every number, by the loop and by the table that it becomes, from where it is not aligned. */
START_TEST(functions_of_halves_are_tables_of_themselves)
{
  enum { N = 1 << 16, AGAIN = 5 };
  static uint16_t first[N], r[N];
  static char odd[2 * N + 1];
  const void *const src[] = {odd + 1};
  for (int i = 0; i < N; i++) r[i] = (uint16_t)i;
  memcpy(odd + 1, r, sizeof r);
  for (unsigned int s = 0; s < NSUBJECT; s++) {
    const subject *f = &subjects[s];
    if (f->op < 0 || f->nargs != 1 || f->result != f->loop) continue;
    if (f->loop != GA_DT_FLOAT16 && f->loop != GA_DT_BFLOAT16) continue;
    for (int k = 0; k <= AGAIN; k++) {
      size_t n = N - (size_t)k;
      ga_cpu_loop(f->op, f->loop)(n, k > 0 ? r : first, src);
      EXPECT(k == 0 || memcmp(r, first, 2 * n) == 0, "%s: call %d differs", f->name, k);
    }
  }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(loops_are_the_scalar_functions, GA_NISA),
    CASE_LOOP(loops_agree_on_many_values, GA_NISA),
    CASE_LOOP(loops_agree_on_ordinary_numbers, GA_NISA),
    CASE_LOOP(powers_of_whole_numbers_are_exact, GA_NISA),
    CASE_LOOP(one_whole_power_is_that_of_each_number, GA_NISA),
    CASE_LOOP(tiny_arguments_come_back, GA_NISA),
    CASE_LOOP(neighbours_change_no_bit, GA_NISA),
    CASE(absent_loops_are_null),
    CASE(long_half_loops_are_the_scalar_function),
    CASE(functions_of_halves_are_tables_of_themselves),
    CASE_LOOP(remainders_are_exact_at_any_quotient, GA_NISA),
    CASE_LOOP(integers_divide_by_one_number_exactly, GA_NISA),
    CASE_END,
};

int main(void)
{
  ga_cpu_isa(); /* the scalar functions ask what the processor has */
  return test_main("loops", cases);
}
