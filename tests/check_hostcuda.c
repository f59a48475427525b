/* SPDX-License-Identifier: MIT */
/* CUDA C kernels run as CUDA has it: indices, shared memory, barriers, warps,
 * atomics, types, globals. Bodies run on either device. */
#include <gpuarray.h>
#include <math.h>
#include <stdint.h>

#include "tests/device.h"

static gpucontext *ctx;


static const size_t one[3] = {1, 1, 1};

/* Runs kernel `name` of `text` on one int array of n elements, zero before. */
static void run_int(int *out, size_t n, const char *text, const char *name, size_t grid,
                    size_t block, size_t shared)
{
  GpuKernel k = {0};
  GpuArray a = {0};
  memset(out, 0, n * sizeof *out);
  OK(GpuKernel_build(&k, ctx, text, name));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(n), out));
  OK(GpuKernel_launch(&k, (size_t[3]){grid, 1, 1}, (size_t[3]){block, 1, 1}, shared,
                      GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, n * sizeof *out, GA_INT, &a));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
}

START_TEST(doublify_doubles_a_4x4_block)
{
  ctx = test_context();
  static const char text[] = "__global__ void doublify(float *a)\n"
                             "{\n"
                             "  int idx = threadIdx.x + threadIdx.y*4;\n"
                             "  a[idx] *= 2;\n"
                             "}\n";
  GpuKernel k = {0};
  GpuArray a = {0};
  float x[16], y[16];
  for (int i = 0; i < 16; i++) x[i] = (float)i - 7.5f;
  OK(GpuKernel_build(&k, ctx, text, "doublify"));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4, 4), x));
  OK(GpuKernel_launch(&k, one, (size_t[3]){4, 4, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(y, sizeof y, GA_FLOAT, &a));
  for (int i = 0; i < 16; i++) ck_assert_float_eq(y[i], 2 * x[i]);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(vector_add_adds_all_and_no_more)
{
  ctx = test_context();
  static const char text[] =
      "__global__ void vector_add(float *a, float *b, float *c, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) { c[i] = a[i] + b[i]; }\n"
      "}\n";
  enum { N = 1000, ROOM = 1024 };
  float a[ROOM], b[ROOM], c[ROOM];
  int n = N;
  GpuKernel k = {0};
  GpuArray ga = {0}, gb = {0}, gc = {0};
  for (int i = 0; i < ROOM; i++) a[i] = (float)i, b[i] = 0.5f * (float)i, c[i] = -1;
  OK(GpuKernel_build(&k, ctx, text, "vector_add"));
  OK(GpuArray_fromhost(&ga, ctx, GA_FLOAT, GA_DIMS(ROOM), a));
  OK(GpuArray_fromhost(&gb, ctx, GA_FLOAT, GA_DIMS(ROOM), b));
  OK(GpuArray_fromhost(&gc, ctx, GA_FLOAT, GA_DIMS(ROOM), c));
  OK(GpuKernel_launch(&k, (size_t[3]){8, 1, 1}, (size_t[3]){128, 1, 1}, 0,
                      GA_ARGS(ga_array(NULL, &ga), ga_array(NULL, &gb), ga_array(NULL, &gc),
                              ga_scalar(NULL, GA_INT, &n))));
  OK(GpuArray_tohost(c, sizeof c, GA_FLOAT, &gc));
  for (int i = 0; i < ROOM; i++) ck_assert_float_eq(c[i], i < N ? a[i] + b[i] : -1.0f);
  GpuArray_clear(&ga);
  GpuArray_clear(&gb);
  GpuArray_clear(&gc);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(shared_reduction_sums_each_block)
{
  ctx = test_context();
  static const char text[] = "extern \"C\" __global__ void sum(int *out) {\n"
                             "  __shared__ int s[256];\n"
                             "  int t = threadIdx.x;\n"
                             "  s[t] = t + blockIdx.x;\n"
                             "  __syncthreads();\n"
                             "  for (int h = blockDim.x / 2; h > 0; h /= 2) {\n"
                             "    if (t < h) s[t] += s[t + h];\n"
                             "    __syncthreads();\n"
                             "  }\n"
                             "  if (t == 0) out[blockIdx.x] = s[0];\n"
                             "}\n";
  int out[33];
  run_int(out, 33, text, "sum", 33, 256, 0);
  for (int i = 0; i < 33; i++) ck_assert_int_eq(out[i], 255 * 128 + 256 * i);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(doublify_doubles_a_4x4_block),
                                  CASE(vector_add_adds_all_and_no_more),
                                  CASE(shared_reduction_sums_each_block), CASE_END};

int main(void) { return test_main("hostcuda", cases); }
