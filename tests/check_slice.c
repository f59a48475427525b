/* SPDX-License-Identifier: MIT */
/* GpuArray_slice against what NumPy took (tests/data/slice.def), and its
 * messages. */
#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray/arg.h"
#include "gpuarray/array.h"
#include "gpuarray/expr.h"

typedef struct vector {
  const char *spec;
  unsigned int nd;
  size_t dims[4];
  int refused;
  unsigned int rnd;
  size_t rdims[8];
  int values[64];
} vector;

#define LIST(...) __VA_ARGS__
#define RANK(...) (sizeof((size_t[]){0, __VA_ARGS__}) / sizeof(size_t) - 1)
#define SLICE(spec, dims, rdims, values) \
  {spec, RANK dims, {LIST dims}, 0, RANK rdims, {LIST rdims}, {LIST values}},
#define REFUSED(spec, dims) {spec, RANK dims, {LIST dims}, 1, 0, {0}, {0}},
static const vector vectors[] = {
#include "tests/data/slice.def"
};
enum { NVECTOR = sizeof vectors / sizeof vectors[0], BATCH = 64 /* share a context */ };

static void make(GpuArray *a, gpucontext *ctx, const vector *v)
{
  int data[64];
  for (int i = 0; i < 64; i++) data[i] = i;
  OK(GpuArray_fromhost(a, ctx, GA_INT, v->nd, v->dims, data));
}

static void check_vector(gpucontext *ctx, const vector *v)
{
  GpuArray a = {0}, r = {0};
  int got[64];
  size_t n = 1;
  make(&a, ctx, v);
  if (v->refused) {
    FAILS(GA_VALUE_ERROR, "GpuArray_slice: ", GpuArray_slice(&r, &a, v->spec));
    ck_assert_ptr_null(r.data);
    GpuArray_clear(&a);
    return;
  }
  OK(GpuArray_slice(&r, &a, v->spec));
  ck_assert_msg(r.nd == v->rnd, "\"%s\": %u axes, NumPy has %u", v->spec, r.nd, v->rnd);
  for (unsigned int k = 0; k < r.nd; k++) {
    ck_assert_msg(r.dimensions[k] == v->rdims[k], "\"%s\": axis %u has %zu, NumPy %zu", v->spec, k,
                  r.dimensions[k], v->rdims[k]);
    n *= r.dimensions[k];
  }
  OK(GpuArray_tohost(got, n * sizeof *got, GA_INT, &r));
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(got[i] == v->values[i], "\"%s\": element %zu is %d, NumPy's %d", v->spec, i,
                  got[i], v->values[i]);
  ck_assert_int_eq(GpuArray_share(&r, &a), 1);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
}

START_TEST(slices_as_numpy)
{
  gpucontext *ctx = test_context();
  for (int i = _i * BATCH; i < (_i + 1) * BATCH && i < NVECTOR; i++) check_vector(ctx, &vectors[i]);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(message_points_at_the_fault)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, r = {0};
  OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(4, 5), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "::2, x\n         ^", GpuArray_slice(&r, &a, "::2, x"));
  FAILS(GA_VALUE_ERROR, "index 5 is out of range for axis 1 of extent 5",
        GpuArray_slice(&r, &a, "1, 5"));
  FAILS(GA_VALUE_ERROR, "step is 0", GpuArray_slice(&r, &a, "::0"));
  FAILS(GA_VALUE_ERROR, "more axes than the 2", GpuArray_slice(&r, &a, "0, 0, 0"));
  FAILS(GA_VALUE_ERROR, "a second ...", GpuArray_slice(&r, &a, "..., ..."));
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(axes_have_a_bound)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, r = {0};
  char spec[65 * 5 + 1] = "";
  OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(4), GA_C_ORDER));
  for (int i = 0; i < 63; i++) strcat(spec, "None,");
  OK(GpuArray_slice(&r, &a, spec));
  ck_assert_uint_eq(r.nd, 64);
  GpuArray_clear(&r);
  strcat(spec, "None,");
  FAILS(GA_VALUE_ERROR, "more than 64 axes", GpuArray_slice(&r, &a, spec));
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

/* An index may add an axis to the most there are where it takes one away. */
START_TEST(only_the_results_axes_count)
{
  static const char *const specs[] = {"None, ..., 0", "..., None, 0", "0, None", "0, None, ..., :"};
  gpucontext *ctx = test_context();
  GpuArray a = {0}, r = {0};
  size_t dims[64];
  char text[32];
  for (int i = 0; i < 64; i++) dims[i] = 1;
  OK(GpuArray_zeros(&a, ctx, GA_INT, 64, dims, GA_C_ORDER));
  for (int i = 0; i < 4; i++) {
    OK(GpuArray_slice(&r, &a, specs[i]));
    ck_assert_uint_eq(r.nd, 64);
    GpuArray_clear(&r);
    snprintf(text, sizeof text, "a[%s]", specs[i]);
    OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
    ck_assert_uint_eq(r.nd, 64);
    GpuArray_clear(&r);
  }
  FAILS(GA_VALUE_ERROR, "more than 64 axes", GpuArray_slice(&r, &a, "None"));
  FAILS(GA_VALUE_ERROR, "more than 64 axes",
        GpuArray_eval(&r, ctx, "a[None]", GA_ARGS(ga_array("a", &a))));
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(null_and_cleared_are_refused)
{
  gpucontext *ctx = test_context();
  GpuArray a = {0}, r = {0};
  FAILS(GA_VALUE_ERROR, "cleared", GpuArray_slice(&r, &a, ":"));
  FAILS(GA_VALUE_ERROR, "argument 2 is NULL", GpuArray_slice(&r, NULL, ":"));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", GpuArray_slice(NULL, &a, ":"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(4), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "argument 3 is NULL", GpuArray_slice(&r, &a, NULL));
  FAILS(GA_VALUE_ERROR, "one array", GpuArray_slice(&a, &a, "::2"));
  ck_assert_uint_eq(a.dimensions[0], 4);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE_LOOP(slices_as_numpy, (NVECTOR + BATCH - 1) / BATCH),
                                    CASE(message_points_at_the_fault),
                                    CASE(axes_have_a_bound),
                                    CASE(only_the_results_axes_count),
                                    CASE(null_and_cleared_are_refused),
                                    CASE_END};
  return test_main("slice", cases);
}
