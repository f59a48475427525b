/* SPDX-License-Identifier: MIT */
/* The device gives the CPU's bits where orders of additions are easily mistaken: rows and
 * columns that several warps or blocks have, ends that fill no vector, several operands. And
 * where its compiler was mistaken: integers whose magnitude or negative is the least again. */
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
    {"max(float64(a), axis=0) + max(b, axis=0)", {7003, 77}, {7003, 77}},
    {"argmax(int8(a*100), axis=0)", {7003, 1001}, {1}},
    {"argmin(float16(a), axis=0)", {7003, 77}, {1}},
    {"cumsum(a*b, axis=0)", {20001, 40}, {20001, 1}},
    {"cumsum(float64(a), axis=1)", {3, 70001}, {1}},
    {"cumsum(float16(a))", {300001}, {1}},
    {"a.T + b", {1003, 805}, {805, 1003}},
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

/* The bytes of text's result, `size` of them. The arrays and the context are given up. */
static char *result(gpucontext *ctx, const char *text, GpuArray *a, GpuArray *b, size_t *size)
{
  GpuArray r;
  OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", a), ga_array("b", b))));
  *size = gpuarray_get_elsize(r.typecode);
  for (unsigned int k = 0; k < r.nd; k++) *size *= r.dimensions[k];
  char *x = malloc(*size);
  ck_assert_ptr_nonnull(x);
  OK(GpuArray_read(x, *size, &r));
  GpuArray_clear(a);
  GpuArray_clear(b);
  GpuArray_clear(&r);
  gpucontext_deref(ctx);
  return x;
}

/* The CPU's bytes x and the device's y, which are freed. */
static void compare(const char *text, char *x, char *y, size_t n, size_t m)
{
  ck_assert_uint_eq(n, m);
  for (size_t k = 0; k < n; k++)
    ck_assert_msg(x[k] == y[k], "%s: byte %zu of %zu differs", text, k, n);
  free(x);
  free(y);
}

static gpucontext *new_cpu(void)
{
  gpucontext *cpu = NULL;
  OK(gpucontext_init(&cpu, "cpu", NULL));
  return cpu;
}

START_TEST(bits_are_the_cpus)
{
  size_t n[2];
  char *x[2];
  for (int k = 0; k < 2; k++) {
    gpucontext *ctx = k == 0 ? new_cpu() : test_context();
    GpuArray a = made(ctx, problems[_i].a), b = made(ctx, problems[_i].b);
    x[k] = result(ctx, problems[_i].text, &a, &b, &n[k]);
  }
  compare(problems[_i].text, x[0], x[1], n[0], n[1]);
}
END_TEST

static const struct {
  int type;
  const char *name, *wider;
} integers[] = {
    {GA_BYTE, "int8", "int16"},
    {GA_SHORT, "int16", "int32"},
    {GA_INT, "int32", "int64"},
    {GA_LONG, "int64", "int64"},
};

static const char *const signs[] = {
    "-a",
    "0-a",
    "a*-1",
    "~a+1",
    "a-(a+b)",
    "abs(a)",
    "abs(a-b)",
    "-abs(a)",
    "-(a*b)",
    "b%abs(a)",
    "abs(a)%b",
    "abs(a)//b",
    "b//abs(a)",
    "(-a)//b",
    "abs(a)>>1",
    "where(a<0,-a,a)",
    "maximum(a,-a)",
    "a**3",
};

/* Every sign of every integer, of the least ones and their neighbours most: as it is, wider, and
 * beside another. */
START_TEST(least_integers_are_the_cpus)
{
  const char *text = signs[_i];
  for (size_t t = 0; t < sizeof integers / sizeof integers[0]; t++) {
    size_t bytes = gpuarray_get_elsize(integers[t].type), count = 4099, n[2];
    char *numbers[2] = {calloc(count, bytes), calloc(count, bytes)}, *x[2], all[200];
    uint64_t state = 7, least = (uint64_t)1 << (8 * bytes - 1);
    for (size_t i = 0; i < 2 * count; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      uint64_t r = state >> 33, v = i % 3 == 0 ? state >> 8 : (i % 3 == 1 ? least : 0) + r % 7 - 3;
      memcpy(numbers[i % 2] + i / 2 * bytes, &v, bytes); /* little-endian */
    }
    snprintf(all, sizeof all, "x = %s; %s(x)*3 + (x < 0) + x", text, integers[t].wider);
    for (int k = 0; k < 2; k++) {
      gpucontext *ctx = k == 0 ? new_cpu() : test_context();
      GpuArray a, b;
      OK(GpuArray_fromhost(&a, ctx, integers[t].type, 1, &count, numbers[0]));
      OK(GpuArray_fromhost(&b, ctx, integers[t].type, 1, &count, numbers[1]));
      x[k] = result(ctx, all, &a, &b, &n[k]);
    }
    compare(all, x[0], x[1], n[0], n[1]);
    free(numbers[0]);
    free(numbers[1]);
  }
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(bits_are_the_cpus, sizeof problems / sizeof problems[0]),
    CASE_LOOP(least_integers_are_the_cpus, sizeof signs / sizeof signs[0]),
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
