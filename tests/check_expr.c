/* SPDX-License-Identifier: MIT */
/* Expressions from text to numbers on a device: values, what is created, how many
 * kernels run, and what is refused. */
#include <math.h>

#include "tests/device.h"
#include "tests/values.h"

#include "gpuarray.h"

static gpucontext *ctx;

static void setup(void) { ctx = test_context(); }
static void teardown(void) { gpucontext_deref(ctx); }

static const double ramp[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

START_TEST(numbers_are_checked_where_there_are_no_elements)
{
  GpuArray a, b;
  setup();
  make(ctx, &a, GA_BYTE, GA_DIMS(0), ramp);
  OK(GpuArray_eval(&b, ctx, "a + k", GA_ARGS(ga_array("a", &a), ga_int("k", 127))));
  GpuArray_clear(&b);
  FAILS(GA_VALUE_ERROR, "'k' = 128 does not fit int8",
        GpuArray_eval(&b, ctx, "a + k", GA_ARGS(ga_array("a", &a), ga_int("k", 128))));
  FAILS(GA_VALUE_ERROR, "zero",
        GpuArray_eval(&b, ctx, "a + 1 // k", GA_ARGS(ga_array("a", &a), ga_int("k", 0))));
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(doubles_an_array)
{
  GpuArray a, b;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(2, 3), ramp);
  OK(GpuArray_eval(&b, ctx, "2*a", GA_ARGS(ga_array("a", &a))));
  ck_assert_int_eq(b.typecode, GA_FLOAT);
  ck_assert_uint_eq(b.nd, 2);
  ck_assert_uint_eq(b.dimensions[0], 2);
  ck_assert_uint_eq(b.dimensions[1], 3);
  EXPECT(&b, 0, 2, 4, 6, 8, 10);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  teardown();
}
END_TEST

START_TEST(sums_squares)
{
  GpuArray a, r;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(2, 3), ramp);
  OK(GpuArray_eval(&r, ctx, "sum(a*a)", GA_ARGS(ga_array("a", &a))));
  ck_assert_uint_eq(r.nd, 0);
  EXPECT(&r, 55);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
  teardown();
}
END_TEST

START_TEST(new_names_are_created)
{
  GpuArray a, s = {0}, q = {0};
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(2, 3), ramp);
  OK(GpuArray_eval(NULL, ctx, "s = sum(a, axis=0); q = sum(a*a, axis=0)",
                   GA_ARGS(ga_array("a", &a), ga_new("s", &s), ga_new("q", &q))));
  EXPECT(&s, 3, 5, 7);
  EXPECT(&q, 9, 17, 29);
  GpuArray_clear(&a);
  GpuArray_clear(&s);
  GpuArray_clear(&q);
  teardown();
}
END_TEST

START_TEST(broadcast_rejects_output)
{
  GpuArray a, out;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(3), ramp);
  make(ctx, &out, GA_FLOAT, GA_DIMS(2, 3), ramp);
  FAILS(GA_VALUE_ERROR, "(2,3)", GpuArray_eval_into(&out, "a+1", GA_ARGS(ga_array("a", &a))));
  EXPECT(&out, 0, 1, 2, 3, 4, 5);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  teardown();
}
END_TEST

START_TEST(weak_numbers_follow_their_neighbours)
{
  GpuArray a, r;
  setup();
  make(ctx, &a, GA_BYTE, GA_DIMS(3), ramp);
  OK(GpuArray_eval(&r, ctx, "a*k", GA_ARGS(ga_array("a", &a), ga_int("k", 7))));
  ck_assert_int_eq(r.typecode, GA_BYTE);
  EXPECT(&r, 0, 7, 14);
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "300",
        GpuArray_eval(&r, ctx, "a*k", GA_ARGS(ga_array("a", &a), ga_int("k", 300))));
  ck_assert_ptr_null(r.data);
  OK(GpuArray_eval(&r, ctx, "a*k", GA_ARGS(ga_array("a", &a), ga_float("k", 0.5))));
  ck_assert_int_eq(r.typecode, GA_DOUBLE);
  EXPECT(&r, 0, 0.5, 1);
  GpuArray_clear(&r);
  {
    float half = 0.5f;
    OK(GpuArray_eval(&r, ctx, "a*k", GA_ARGS(ga_array("a", &a), ga_scalar("k", GA_FLOAT, &half))));
  }
  ck_assert_int_eq(r.typecode, GA_FLOAT);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(compiled_object_is_called_with_other_shapes_and_values)
{
  GpuArray a, b, r;
  GpuExpr *e;
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(3), ramp);
  make(ctx, &b, GA_INT, GA_DIMS(2, 2), ramp);
  OK(GpuExpr_new(&e, ctx, "a*k + 1", GA_ARGS(ga_array("a", &a), ga_int("k", 2))));
  OK(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a), ga_int("k", 2))));
  EXPECT(&r, 1, 3, 5);
  GpuArray_clear(&r);
  OK(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a), ga_int("k", -1))));
  EXPECT(&r, 1, 0, -1);
  GpuArray_clear(&r);
  OK(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &b), ga_int("k", 3))));
  ck_assert_int_eq(r.typecode, GA_INT);
  EXPECT(&r, 1, 4, 7, 10);
  OK(GpuExpr_call_into(e, &r, GA_ARGS(ga_array("a", &b), ga_int("k", 0))));
  EXPECT(&r, 1, 1, 1, 1);
  FAILS(GA_VALUE_ERROR, "made by ga_int()",
        GpuExpr_call(e, NULL, GA_ARGS(ga_int("a", 1), ga_int("k", 0))));
  FAILS(GA_VALUE_ERROR, "arguments", GpuExpr_call(e, NULL, GA_ARGS(ga_array("a", &b))));
  GpuArray_clear(&r);
  GpuExpr_free(e);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  teardown();
}
END_TEST

/* text, stages, temporaries; a is float32(40,30), v float32(30). `chain`: one kernel,
 * and no temporary, on devices that compile. */
static const struct {
  const char *text;
  unsigned int stages, temporaries;
  int chain;
} costs[] = {
    {"2*a", 1, 0, 0},
    {"(a*10+2)*((a+2)*10-5)*5", 1, 0, 0},
    {"a + v", 1, 0, 0},
    {"sum(a*a)", 1, 0, 0},
    {"sum(a, axis=1)*2 + 1", 1, 0, 0},
    {"sqrt(mean(a*a, axis=0) + 1e-5)", 1, 0, 0},
    {"sum(a) + sum(a*a)", 1, 0, 0},
    {"s = sum(a); q = sum(a*a)", 1, 0, 0},
    {"t = exp(a - max(a, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True)", 3, 2, 1},
    {"t = a - mean(a, axis=1, keepdims=True); t / sqrt(mean(t*t, axis=1, keepdims=True) + 1e-5)", 3,
     2, 1},
    {"where(a > 0, a, 0)", 1, 0, 0},
    {"argmax(a, axis=1)", 1, 0, 0},
};

START_TEST(typical_texts_take_this_many_kernels)
{
  GpuArray a, v, s, q;
  GpuExpr *e;
  gpuexpr_info info;
  int makes = strstr(costs[_i].text, "q =") != NULL;
  setup();
  int one = costs[_i].chain && !test_on_cpu();
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(40, 30), GA_C_ORDER));
  OK(GpuArray_zeros(&v, ctx, GA_FLOAT, GA_DIMS(30), GA_C_ORDER));
  const gpuarg args[] = {ga_array("a", &a), ga_array("v", &v), ga_new("s", &s), ga_new("q", &q)};
  OK(GpuExpr_new(&e, ctx, costs[_i].text, makes ? 4 : 2, args));
  info.size = sizeof info;
  OK(GpuExpr_query(e, &info, NULL, makes ? 4 : 2, args));
  ck_assert_msg(info.stages == (one ? 1 : costs[_i].stages) &&
                    info.temporaries == (one ? 0 : costs[_i].temporaries),
                "%s: %u stages, %u temporaries", costs[_i].text, info.stages, info.temporaries);
  GpuExpr_free(e);
  GpuArray_clear(&a);
  GpuArray_clear(&v);
  teardown();
}
END_TEST

START_TEST(query_counts_each_byte_once)
{
  size_t dims[2] = {1000, 500}, vdims[1] = {500}, shape[64];
  ssize_t strides[2] = {2000, 4}, vstrides[1] = {4};
  GpuArray a = {0}, v = {0};
  GpuExpr *e;
  gpuexpr_info info;
  setup();
  a.nd = 2;
  a.dimensions = dims;
  a.strides = strides;
  a.typecode = GA_FLOAT;
  v.nd = 1;
  v.dimensions = vdims;
  v.strides = vstrides;
  v.typecode = GA_FLOAT;
  OK(GpuExpr_new(&e, ctx, "a + v", GA_ARGS(ga_array("a", &a), ga_array("v", &v))));
  info.size = sizeof info;
  OK(GpuExpr_query(e, &info, shape, GA_ARGS(ga_array("a", &a), ga_array("v", &v))));
  ck_assert_uint_eq(info.bytes_read, 1000 * 500 * 4 + 500 * 4);
  ck_assert_uint_eq(info.bytes_written, 1000 * 500 * 4);
  ck_assert_int_eq(info.typecode, GA_FLOAT);
  ck_assert_uint_eq(info.nd, 2);
  ck_assert_uint_eq(shape[0], 1000);
  ck_assert_uint_eq(shape[1], 500);
  GpuExpr_free(e);
  teardown();
}
END_TEST

START_TEST(explain_names_stages_and_operands)
{
  GpuArray a;
  GpuExpr *e;
  char *text;
  setup();
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(40, 30), GA_C_ORDER));
  OK(GpuExpr_new(&e, ctx, "sum(exp(a), axis=1)", GA_ARGS(ga_array("a", &a))));
  OK(GpuExpr_explain(e, &text, GA_ARGS(ga_array("a", &a))));
  ck_assert_ptr_nonnull(strstr(text, "1 kernel, 0 temporaries"));
  ck_assert_ptr_nonnull(strstr(text, "reads  a float32(40,30), 4800 bytes"));
  ck_assert_ptr_nonnull(strstr(text, "ga_exp_float32"));
  free(text);
  GpuExpr_free(e);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(bad_calls_are_refused)
{
  GpuArray a, r, none = {0};
  GpuExpr *e;
  gpuexpr_info info = {.size = sizeof info};
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(3), ramp);
  FAILS(GA_VALUE_ERROR, "context", GpuArray_eval(&r, NULL, "a", GA_ARGS(ga_array("a", &a))));
  FAILS(GA_VALUE_ERROR, "text", GpuArray_eval(&r, ctx, NULL, GA_ARGS(ga_array("a", &a))));
  FAILS(GA_VALUE_ERROR, "args", GpuArray_eval(&r, ctx, "a", 1, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_eval(&r, ctx, "a", GA_ARGS(ga_array("a", NULL))));
  FAILS(GA_VALUE_ERROR, "data", GpuArray_eval(&r, ctx, "a", GA_ARGS(ga_array("a", &none))));
  FAILS(GA_VALUE_ERROR, "name", GpuArray_eval(&r, ctx, "a", GA_ARGS(ga_array(NULL, &a))));
  FAILS(GA_VALUE_ERROR, "no name", GpuArray_eval(&r, ctx, "a", GA_ARGS(ga_array("", &a))));
  FAILS(GA_VALUE_ERROR, "output", GpuArray_eval(NULL, ctx, "a", GA_ARGS(ga_array("a", &a))));
  FAILS(GA_VALUE_ERROR, "in place", GpuArray_eval(&a, ctx, "a", GA_ARGS(ga_array("a", &a))));
  OK(GpuArray_eval(&r, ctx, "2", 0, NULL)); /* no arguments are needed */
  EXPECT(&r, 2);
  GpuArray_clear(&r);
  FAILS(GA_VALUE_ERROR, "unknown name", GpuArray_eval(&r, ctx, "a*c", GA_ARGS(ga_array("a", &a))));
  FAILS(GA_VALUE_ERROR, "no value", GpuArray_eval(&r, ctx, "t = 1", 0, NULL));
  FAILS(GA_VALUE_ERROR, "unknown name", GpuExpr_new(&e, ctx, "a*c", GA_ARGS(ga_array("a", &a))));
  ck_assert_ptr_null(e);
  OK(GpuExpr_new(&e, ctx, "a*c", GA_ARGS(ga_array("a", NULL)))); /* not known yet */
  FAILS(GA_VALUE_ERROR, "unknown name", GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a))));
  FAILS(GA_VALUE_ERROR, "args is NULL", GpuExpr_call(e, &r, 1, NULL));
  FAILS(GA_VALUE_ERROR, "args is NULL", GpuExpr_call_into(e, &a, 1, NULL));
  FAILS(GA_VALUE_ERROR, "args is NULL", GpuExpr_query(e, &info, NULL, 1, NULL));
  GpuExpr_free(e);
  {
    gpuarg odd = ga_array("a", &a);
    odd.flags = 4;
    FAILS(GA_VALUE_ERROR, "flags 0x4", GpuArray_eval(&r, ctx, "a", 1, &odd));
  }
  FAILS(GA_VALUE_ERROR, "NULL", GpuExpr_new(NULL, ctx, "1", 0, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuExpr_new(&e, NULL, "1", 0, NULL));
  ck_assert_ptr_null(e);
  FAILS(GA_VALUE_ERROR, "NULL", GpuExpr_call(NULL, &r, 0, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuExpr_query(NULL, NULL, NULL, 0, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", GpuExpr_explain(NULL, NULL, 0, NULL));
  GpuExpr_free(NULL);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

START_TEST(arrays_of_another_context_are_refused)
{
  GpuArray a, b, r;
  gpucontext *other = test_context();
  setup();
  make(ctx, &a, GA_FLOAT, GA_DIMS(3), ramp);
  OK(GpuArray_zeros(&b, other, GA_FLOAT, GA_DIMS(3), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "'b' belongs to another context",
        GpuArray_eval(&r, ctx, "a+b", GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  gpucontext_deref(other);
  teardown();
}
END_TEST

START_TEST(many_shapes_of_one_text_stay_right)
{
  GpuArray a, r;
  double want[64];
  size_t n, i;
  setup();
  for (n = 0; n < 64; n++) {
    OK(GpuArray_fromhost(&a, ctx, GA_DOUBLE, GA_DIMS(n < 12 ? n : 12), ramp));
    OK(GpuArray_eval(&r, ctx, "a*a", GA_ARGS(ga_array("a", &a))));
    for (i = 0; i < 12; i++) want[i] = ramp[i] * ramp[i];
    expect(&r, n < 12 ? n : 12, want);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
  }
  teardown();
}
END_TEST

/* All values of float16 and bfloat16, and as many of float32, to all powers that are products: the
 * power, rounded. */
START_TEST(whole_powers_are_the_nearest)
{
  static const struct {
    int type;
    const char *name;
  } rows[] = {{GA_HALF, "float16"}, {GA_BFLOAT, "bfloat16"}, {GA_FLOAT, "float32"}};
  enum { N = 65536 };
  unsigned int *bits = calloc(N, sizeof *bits);
  double *x = calloc(N, sizeof *x), *power = calloc(N, sizeof *power);
  GpuArray a, p, wrong;
  char text[128];
  setup();
  for (unsigned int i = 0; i < N; i++)
    if (rows[_i].type == GA_FLOAT)
      bits[i] = i << 16 | (i * 40503 & 0xffff);
    else
      ((unsigned short *)bits)[i] = (unsigned short)i;
  OK(GpuArray_fromhost(&a, ctx, rows[_i].type, GA_DIMS(N), bits));
  OK(GpuArray_tohost(x, N * sizeof *x, GA_DOUBLE, &a));
  for (int e = rows[_i].type == GA_FLOAT ? 4 : -5; e <= 16; e++) {
    if (e == -1) e = 2; /* not powers' own */
    for (int i = 0; i < N; i++) power[i] = (float)powl(x[i], e);
    OK(GpuArray_fromhost(&p, ctx, GA_DOUBLE, GA_DIMS(N), power));
    snprintf(text, sizeof text, "r = a**%d; w = %s(p); sum((r != w) & ~(isnan(r) & isnan(w)))", e,
             rows[_i].name);
    OK(GpuArray_eval(&wrong, ctx, text, GA_ARGS(ga_array("a", &a), ga_array("p", &p))));
    EXPECT(&wrong, 0);
    GpuArray_clear(&wrong);
    GpuArray_clear(&p);
  }
  GpuArray_clear(&a);
  free(bits);
  free(x);
  free(power);
  teardown();
}
END_TEST

/* Products wrap as the loop does that an array of exponents has. */
START_TEST(whole_powers_of_integers_are_their_loops)
{
  static const int types[] = {GA_BYTE, GA_UINT, GA_LONG};
  double x[256];
  GpuArray a, k, wrong;
  char text[64];
  setup();
  for (int i = 0; i < 256; i++) x[i] = types[_i] == GA_UINT ? i * 12345677.0 : i - 128;
  make(ctx, &a, types[_i], GA_DIMS(256), x);
  for (int e = 2; e < 20; e++) {
    double exponent = e;
    make(ctx, &k, types[_i], GA_DIMS(1), &exponent);
    snprintf(text, sizeof text, "sum(a**%d != a**k)", e);
    OK(GpuArray_eval(&wrong, ctx, text, GA_ARGS(ga_array("a", &a), ga_array("k", &k))));
    EXPECT(&wrong, 0);
    GpuArray_clear(&wrong);
    GpuArray_clear(&k);
  }
  GpuArray_clear(&a);
  teardown();
}
END_TEST

/* a is [1, 7, 1], of elements 0 to 6, b those. */
static const char *const of_one[] = {
    "sum(a, axis=0)[:, 0]",
    "max(a, axis=(0, 2)) - min(a*0, axis=(0, 2))",
    "prod(a, axis=2, keepdims=True)[0, :, 0]",
    "sum(a[:, ::-1], axis=(0, 2))[::-1]",
    "mean(a, axis=2)[0]",
    "argmax(a, axis=0)[:, 0] + b",
    "any(a, axis=(0, 2))*b",
    "sum(a, axis=0, initial=3)[:, 0] - 3",
    "var(a, axis=2)[0] + b",
};

START_TEST(axes_of_one_element_leave_it)
{
  GpuArray a, b, r;
  setup();
  OK(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(7), ((float[]){0, 1, 2, 3, 4, 5, 6})));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(1, 7, 1), ((float[]){0, 1, 2, 3, 4, 5, 6})));
  OK(GpuArray_eval(&r, ctx, of_one[_i], GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  EXPECT(&r, 0, 1, 2, 3, 4, 5, 6);
  GpuArray_clear(&r);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  teardown();
}
END_TEST

static const test_case cases[] = {
    CASE(doubles_an_array),
    CASE(numbers_are_checked_where_there_are_no_elements),
    CASE(sums_squares),
    CASE(new_names_are_created),
    CASE(broadcast_rejects_output),
    CASE(weak_numbers_follow_their_neighbours),
    CASE(compiled_object_is_called_with_other_shapes_and_values),
    CASE_LOOP(typical_texts_take_this_many_kernels, sizeof costs / sizeof costs[0]),
    CASE(query_counts_each_byte_once),
    CASE(explain_names_stages_and_operands),
    CASE(bad_calls_are_refused),
    CASE(arrays_of_another_context_are_refused),
    CASE(many_shapes_of_one_text_stay_right),
    CASE_LOOP(axes_of_one_element_leave_it, sizeof of_one / sizeof of_one[0]),
    CASE_LOOP(whole_powers_are_the_nearest, 3),
    CASE_LOOP(whole_powers_of_integers_are_their_loops, 3),
    CASE_END,
};

int main(void) { return test_main("expr", cases); }
