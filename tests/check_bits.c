/* SPDX-License-Identifier: MIT */
/* The device gives the CPU's bits where orders of additions are easily mistaken: rows and
 * columns that several warps or blocks have, ends that fill no vector, several operands. And
 * where its compiler was mistaken: the magnitude of the least int16, widened. */
#include "tests/device.h"

#include "gpuarray.h"

static const struct {
  const char *text;
  size_t a[4], b[4];
} problems[] = {
    {"a = a + b; a - sum(a, axis=0, keepdims=True)", {1024, 5000}, {1024, 5000}},
    {"a = a + b; a - sum(a, axis=0, keepdims=True)", {2000, 333}, {2000, 333}},
    {"a - mean(a*b, axis=0, keepdims=True)", {777, 1001}, {777, 1}},
    {"a / sqrt(sum(a*a, axis=0, keepdims=True))", {4096, 129}, {1}},
    {"a - mean(a, axis=1, keepdims=True) + b", {5, 40001}, {40001}},
    {"c = float64(a); (c - mean(c, axis=1, keepdims=True))*b", {9, 5001}, {5001}},
    {"sum(a*b, axis=(0, 2))", {3000, 17, 8}, {3000, 17, 8}},
    {"sum(a, axis=(0, 2))", {3001, 3, 7}, {1}},
    {"sum(a + b, axis=1)", {3001, 33}, {33}},
    {"var(a, axis=0)", {30001, 33}, {1}},
    {"argmax(int8(a*100), axis=0)", {7003, 1001}, {1}},
    {"argmin(float16(a), axis=0)", {7003, 77}, {1}},
    {"cumsum(a*b, axis=0)", {20001, 40}, {20001, 1}},
    {"cumsum(float64(a), axis=1)", {3, 70001}, {1}},
    {"cumsum(float16(a))", {300001}, {1}},
    {"a.T + b", {1003, 805}, {805, 1003}},
    {"x = int16(int32(a*1000)%7 - 32768); int32(abs(x)) + int32(-x)", {1001}, {1}},
    {"sum(abs(int16(int32(a*1000)%7 - 32768)))", {1001}, {1}},
};

static float *numbers(size_t n)
{
  uint32_t r = 1;
  float *x = malloc(n * sizeof *x);
  ck_assert_ptr_nonnull(x);
  for (size_t i = 0; i < n; i++) {
    r = r * 1664525 + 1013904223;
    x[i] = (float)(int32_t)r / 2147483648.0f;
  }
  return x;
}

static GpuArray made(gpucontext *ctx, const size_t *dims)
{
  GpuArray a;
  unsigned int nd = 0;
  size_t n = 1;
  for (; nd < 4 && dims[nd] != 0; nd++) n *= dims[nd];
  float *x = numbers(n);
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, nd, dims, x));
  free(x);
  return a;
}

/* The result's bytes; `size` how many. */
static void *result(gpucontext *ctx, int i, size_t *size)
{
  GpuArray a = made(ctx, problems[i].a), b = made(ctx, problems[i].b), r;
  OK(GpuArray_eval(&r, ctx, problems[i].text, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  *size = gpuarray_get_elsize(r.typecode);
  for (unsigned int k = 0; k < r.nd; k++) *size *= r.dimensions[k];
  void *x = malloc(*size);
  ck_assert_ptr_nonnull(x);
  OK(GpuArray_read(x, *size, &r));
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&r);
  gpucontext_deref(ctx);
  return x;
}

START_TEST(bits_are_the_cpus)
{
  gpucontext *cpu = NULL;
  size_t n, m;
  OK(gpucontext_init(&cpu, "cpu", NULL));
  char *x = result(cpu, _i, &n), *y = result(test_context(), _i, &m);
  ck_assert_uint_eq(n, m);
  for (size_t k = 0; k < n; k++)
    ck_assert_msg(x[k] == y[k], "%s: byte %zu of %zu differs", problems[_i].text, k, n);
  free(x);
  free(y);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(bits_are_the_cpus, sizeof problems / sizeof problems[0]),
    CASE_END,
};

int main(void)
{
  if (test_on_cpu()) {
    printf("bits: the device is the CPU itself; skipped\n");
    return 77;
  }
  return test_main("bits", cases);
}
