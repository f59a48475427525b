/* SPDX-License-Identifier: MIT */
/* GpuElemwise: text in C run over arrays, against loops in C; shapes and flags of
 * calls; what is refused, when it is made and when it is called. Without a
 * compiler for the device the tests have nothing to run. */
#include <pthread.h>

#include "tests/arrays.h"
#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/elemwise.h"
#include "gpuarray/ops.h"

static gpucontext *ctx;
static int have_compiler;

static GpuElemwise *simple(const char *text)
{
  gpuelemwise_arg args[2] = {{"a", GA_INT, GE_READ}, {"r", GA_INT, GE_WRITE}};
  return GpuElemwise_new(ctx, NULL, text, 2, args, 1, 0);
}

static void open_context(void)
{
  GpuElemwise *ge;
  const char *strict = getenv("GA_TEST_STRICT");
  ctx = test_context();
  ge = simple("r = a");
  have_compiler = ge != NULL;
  if (!have_compiler)
    ck_assert_msg(strict == NULL || strcmp(strict, "1") != 0, "%s", gpuarray_error_message());
  GpuElemwise_free(ge);
}
static void close_context(void) { gpucontext_deref(ctx); }

static GpuArray zeros(int typecode, unsigned int nd, const size_t *dims)
{
  GpuArray a = {0};
  OK(GpuArray_zeros(&a, ctx, typecode, nd, dims, GA_C_ORDER));
  return a;
}

static void expect(const GpuArray *a, size_t n, double (*want)(size_t))
{
  double *got = malloc(n * sizeof *got + 1);
  OK(GpuArray_tohost(got, n * sizeof *got, GA_DOUBLE, a));
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(got[i] == want(i), "element %zu is %g, expected %g", i, got[i], want(i));
  free(got);
}

static double plus_two(size_t i) { return 2 * (double)i + 2; }

START_TEST(elemwise_runs_text_over_every_size)
{
  static const size_t sizes[] = {0, 1, 31, 33, 1023, 1025, 100003};
  GpuElemwise *ge;
  if (!have_compiler) return;
  ge = simple("r = 2*a + 2; // a comment");
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  for (int s = 0; s < 7; s++) {
    GpuArray a = iota_of(ctx, GA_INT, GA_DIMS(sizes[s])), r = zeros(GA_INT, GA_DIMS(sizes[s]));
    void *args[2] = {&a, &r};
    OK(GpuElemwise_call(ge, args, 0));
    expect(&r, sizes[s], plus_two);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
  }
  GpuElemwise_free(ge);
}
END_TEST

START_TEST(elemwise_takes_any_layout)
{
  static const char *const specs[] = {"", "::-1", ":, ::2", "::2, ::-1", "1:, 3:"};
  GpuElemwise *ge;
  if (!have_compiler) return;
  ge = simple("r = 2*a + 2");
  for (int s = 0; s < 25; s++) {
    size_t dims[2] = {5, 40};
    GpuArray base = zeros(GA_INT, GA_DIMS(11, 90)), out = zeros(GA_INT, GA_DIMS(11, 90)), a = {0},
             r = {0}, part = {0}, values = iota_of(ctx, GA_INT, 2, dims);
    void *args[2] = {&a, &r};
    OK(GpuArray_slice(&part, &base, specs[s % 5]));
    OK(GpuArray_slice(&a, &part, ":5, :40"));
    GpuArray_clear(&part);
    OK(GpuArray_slice(&part, &out, specs[s / 5]));
    OK(GpuArray_slice(&r, &part, ":5, :40"));
    OK(GpuArray_move(&a, &values));
    OK(GpuElemwise_call(ge, args, s % 2 ? GE_NOCOLLAPSE : 0));
    expect(&r, 200, plus_two);
    GpuArray_clear(&values);
    GpuArray_clear(&part);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
    GpuArray_clear(&base);
    GpuArray_clear(&out);
  }
  GpuElemwise_free(ge);
}
END_TEST

static double mixed(size_t i) { return (double)i * (double)i * 3 + 100; }

START_TEST(elemwise_has_preamble_numbers_and_updates)
{
  gpuelemwise_arg args[4] = {{"x", GA_FLOAT, GE_READ},
                             {"y", GA_DOUBLE, GE_READ | GE_WRITE},
                             {"k", GA_SHORT, GE_SCALAR},
                             {"n", GA_SIZE, GE_SCALAR}};
  GpuArray x = iota_of(ctx, GA_FLOAT, GA_DIMS(500)), y = iota_of(ctx, GA_DOUBLE, GA_DIMS(500));
  int16_t k = 3;
  size_t n = 100;
  void *values[4] = {&x, &y, &k, &n};
  GpuElemwise *ge;
  if (have_compiler) {
    ge = GpuElemwise_new(ctx,
                         "WITHIN_KERNEL ga_double times(ga_double a, ga_float b) {\n"
                         "  return a * b;\n}\n",
                         "y = times(y, x) * k; y += n", 4, args, 1, 0);
    ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
    OK(GpuElemwise_call(ge, values, 0));
    expect(&y, 500, mixed);
    GpuElemwise_free(ge);
  }
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}
END_TEST

static double halved(size_t i) { return (double)i / 2; }

START_TEST(elemwise_sees_half_as_float_or_as_it_is)
{
  gpuelemwise_arg args[3] = {
      {"a", GA_HALF, GE_READ}, {"r", GA_HALF, GE_WRITE}, {"h", GA_HALF, GE_SCALAR}};
  GpuArray a = iota_of(ctx, GA_HALF, GA_DIMS(77)), r = zeros(GA_HALF, GA_DIMS(77));
  ga_half_t h = ga_float2half(0.5f);
  void *values[3] = {&a, &r, &h};
  GpuElemwise *ge;
  if (have_compiler) {
    ge = GpuElemwise_new(ctx, "", "r = a * h", 3, args, 1, GE_CONVERT_F16);
    ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
    OK(GpuElemwise_call(ge, values, 0));
    expect(&r, 77, halved);
    GpuElemwise_free(ge);
    OK(GpuArray_memset(&r, 0));
    ge = GpuElemwise_new(ctx, "", "r = ga_float2half(ga_half2float(a) * ga_half2float(h))", 3, args,
                         1, 0);
    ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
    OK(GpuElemwise_call(ge, values, 0));
    expect(&r, 77, halved);
    GpuElemwise_free(ge);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}
END_TEST

static double outer(size_t i) { return (double)(i / 4) * 10 + (double)(i % 4); }

START_TEST(elemwise_broadcasts_and_pads_only_when_told)
{
  gpuelemwise_arg args[3] = {
      {"a", GA_INT, GE_READ}, {"b", GA_INT, GE_READ}, {"r", GA_INT, GE_WRITE}};
  GpuArray a = iota_of(ctx, GA_INT, GA_DIMS(3, 1)), b = iota_of(ctx, GA_INT, GA_DIMS(1, 4)),
           flat = iota_of(ctx, GA_INT, GA_DIMS(4)), r = zeros(GA_INT, GA_DIMS(3, 4)),
           small = zeros(GA_INT, GA_DIMS(4));
  void *values[3] = {&a, &b, &r};
  GpuElemwise *ge = NULL;
  if (!have_compiler) goto clear;
  ge = GpuElemwise_new(ctx, NULL, "r = a * 10 + b", 3, args, 2, 0);
  FAILS(GA_VALUE_ERROR, "GE_BROADCAST would", GpuElemwise_call(ge, values, 0));
  OK(GpuElemwise_call(ge, values, GE_BROADCAST));
  expect(&r, 12, outer);
  OK(GpuArray_memset(&r, 0));
  values[1] = &flat;
  FAILS(GA_VALUE_ERROR, "GE_PADSHAPE would", GpuElemwise_call(ge, values, GE_BROADCAST));
  OK(GpuElemwise_call(ge, values, GE_BROADCAST | GE_PADSHAPE));
  expect(&r, 12, outer);
  /* An output is never repeated, and its missing axes have extent 1. */
  values[2] = &small;
  FAILS(GA_VALUE_ERROR, "shape (3, 1)", GpuElemwise_call(ge, values, GE_BROADCAST | GE_PADSHAPE));
  GpuElemwise_free(ge);
clear:
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&flat);
  GpuArray_clear(&r);
  GpuArray_clear(&small);
}
END_TEST

static double reversed(size_t i) { return 2 * (99 - (double)i) + 2; }

START_TEST(elemwise_reads_overlapping_inputs_first)
{
  GpuArray r = iota_of(ctx, GA_INT, GA_DIMS(100)), a = {0}, b = {0};
  void *args[2] = {&a, &r};
  GpuElemwise *ge;
  OK(GpuArray_slice(&a, &r, "::-1"));
  OK(GpuArray_broadcast_to(&b, &r, GA_DIMS(2, 100)));
  if (have_compiler) {
    ge = simple("r = 2*a + 2");
    OK(GpuElemwise_call(ge, args, 0));
    expect(&r, 100, reversed);
    b.flags |= GA_WRITEABLE;
    args[0] = args[1] = &b;
    FAILS(GA_VALUE_ERROR, "overlap each other", GpuElemwise_call(ge, args, 0));
    GpuElemwise_free(ge);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
}
END_TEST

START_TEST(elemwise_call_checks_every_array)
{
  GpuArray a = iota_of(ctx, GA_INT, GA_DIMS(6)), f = zeros(GA_FLOAT, GA_DIMS(6)),
           r = zeros(GA_INT, GA_DIMS(6)), none = {0};
  void *args[2] = {&a, &r};
  GpuElemwise *ge = NULL;
  FAILS(GA_VALUE_ERROR, "argument 1", GpuElemwise_call(NULL, args, 0));
  if (!have_compiler) goto clear;
  ge = simple("r = a");
  FAILS(GA_VALUE_ERROR, "argument 2", GpuElemwise_call(ge, NULL, 0));
  FAILS(GA_VALUE_ERROR, "flags", GpuElemwise_call(ge, args, 1));
  args[0] = NULL;
  FAILS(GA_VALUE_ERROR, "'a' is NULL", GpuElemwise_call(ge, args, 0));
  args[0] = &none;
  FAILS(GA_VALUE_ERROR, "cleared", GpuElemwise_call(ge, args, 0));
  args[0] = &f;
  FAILS(GA_VALUE_ERROR, "typecode 11", GpuElemwise_call(ge, args, 0));
  args[0] = &a;
  a.flags &= ~GA_ALIGNED;
  FAILS(GA_UNALIGNED_ERROR, "'a'", GpuElemwise_call(ge, args, 0));
  a.flags |= GA_ALIGNED;
  r.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", GpuElemwise_call(ge, args, 0));
  GpuElemwise_free(ge);
clear:
  GpuArray_clear(&a);
  GpuArray_clear(&f);
  GpuArray_clear(&r);
}
END_TEST

#define NEW(args) GpuElemwise_new(ctx, NULL, "r = 1", 1, args, 1, 0)
#define REFUSED(text, call)                                                                     \
  do {                                                                                          \
    ck_assert_ptr_null(call);                                                                   \
    ck_assert_msg(strstr(gpuarray_error_message(), text) != NULL, "\"%s\" is not in: %s", text, \
                  gpuarray_error_message());                                                    \
  } while (0)

START_TEST(elemwise_refuses_what_it_cannot_be_made_of)
{
  gpuelemwise_arg r[1] = {{"r", GA_INT, GE_WRITE}}, in[1] = {{"r", GA_INT, GE_READ}},
                  bad[1] = {{"1r", GA_INT, GE_WRITE}}, type[1] = {{"r", GA_FLOAT4, GE_WRITE}},
                  number[1] = {{"r", GA_INT, GE_WRITE | GE_SCALAR}}, none[1] = {{"r", GA_INT, 0}},
                  size[1] = {{"r", GA_SIZE, GE_WRITE}}, null[1] = {{NULL, GA_INT, GE_WRITE}},
                  two[2] = {{"r", GA_INT, GE_WRITE}, {"r", GA_INT, GE_READ}};
  REFUSED("argument 1 is NULL", GpuElemwise_new(NULL, NULL, "r = 1", 1, r, 1, 0));
  REFUSED("argument 3 is NULL", GpuElemwise_new(ctx, NULL, NULL, 1, r, 1, 0));
  REFUSED("argument 5 is NULL", GpuElemwise_new(ctx, NULL, "r = 1", 1, NULL, 1, 0));
  REFUSED("flags", GpuElemwise_new(ctx, NULL, "r = 1", 1, r, 1, 64));
  REFUSED("no argument has GE_WRITE", NEW(in));
  REFUSED("not a name", NEW(bad));
  REFUSED("not a name", NEW(null));
  REFUSED("typecode 297", NEW(type));
  REFUSED("number that is written", NEW(number));
  REFUSED("neither", NEW(none));
  REFUSED("sizes", NEW(size));
  REFUSED("two arguments", GpuElemwise_new(ctx, NULL, "r = 1", 2, two, 1, 0));
  if (have_compiler)
    REFUSED("undeclared_name", GpuElemwise_new(ctx, NULL, "r = undeclared_name", 1, r, 1, 0));
  GpuElemwise_free(NULL);
}
END_TEST

/* Words of C++, CUDA and cluda.h; what only begins or ends like one is a name. */
START_TEST(elemwise_refuses_names_that_mean_something_else)
{
  static const struct {
    const char *name, *words;
  } taken[] = {
      {"int", "argument 1 is named 'int', which is a keyword of C++"},
      {"class", "'class', which is a keyword of C++"},
      {"xor_eq", "keyword"},
      {"alignas", "keyword"},
      {"threadIdx", "'threadIdx', which is a variable of CUDA"},
      {"warpSize", "variable of CUDA"},
      {"float4", "'float4', which is a type of CUDA"},
      {"dim3", "type of CUDA"},
      {"LID_0", "'LID_0', which is a word of cluda.h"},
      {"ga_float", "cluda.h"},
      {"WITHIN_KERNEL", "cluda.h"},
      {"unix", "macro"},
      {"__shared__", "begin with __"},
  };
  static const char *const free_names[] = {"in",       "i",     "float5", "Int",
                                           "hreadIdx", "long_", "_x",     "a"};
  gpuelemwise_arg args[2] = {{"result", GA_INT, GE_WRITE}, {NULL, GA_INT, GE_READ}};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    args[1].name = taken[i].name;
    REFUSED(taken[i].words, GpuElemwise_new(ctx, NULL, "result = 1", 2, args, 1, 0));
  }
  for (size_t i = 0; have_compiler && i < sizeof free_names / sizeof *free_names; i++) {
    args[1].name = free_names[i];
    GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "result = 1", 2, args, 1, 0);
    ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
    GpuElemwise_free(ge);
  }
}
END_TEST

static GpuElemwise *shared;

static void *call_shared(void *arg)
{
  int *bad = arg;
  for (int i = 1; i < 40; i++) {
    GpuArray a = {0}, r = {0};
    void *args[2] = {&a, &r};
    double got[40];
    *bad |= GpuArray_arange(&a, ctx, GA_INT, 0, i, 1) || GpuArray_empty_like(&r, &a) ||
            GpuElemwise_call(shared, args, 0) ||
            GpuArray_tohost(got, (size_t)i * sizeof *got, GA_DOUBLE, &r);
    for (int k = 0; k < i && !*bad; k++) *bad |= got[k] != plus_two((size_t)k);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
  }
  return NULL;
}

START_TEST(elemwise_may_be_called_by_many_threads)
{
  pthread_t t[4];
  int bad[4] = {0};
  if (!have_compiler) return;
  shared = simple("r = 2*a + 2");
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(pthread_create(&t[i], NULL, call_shared, &bad[i]), 0);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(bad[i], 0);
  GpuElemwise_free(shared);
}
END_TEST

static const test_case cases[] = {CASE(elemwise_runs_text_over_every_size),
                                  CASE(elemwise_takes_any_layout),
                                  CASE(elemwise_has_preamble_numbers_and_updates),
                                  CASE(elemwise_sees_half_as_float_or_as_it_is),
                                  CASE(elemwise_broadcasts_and_pads_only_when_told),
                                  CASE(elemwise_reads_overlapping_inputs_first),
                                  CASE(elemwise_call_checks_every_array),
                                  CASE(elemwise_refuses_what_it_cannot_be_made_of),
                                  CASE(elemwise_refuses_names_that_mean_something_else),
                                  CASE(elemwise_may_be_called_by_many_threads),
                                  CASE_END};

int main(void) { return test_main_with("elemwise", cases, open_context, close_context); }
