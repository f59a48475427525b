/* SPDX-License-Identifier: MIT */
/* Two vector additions by raw CUDA C kernels: 100 elements by one block after
 * another, then (a*10 + 2)*((b + 2)*10 - 5)*5 in place on a million. */
#include <gpuarray.h>

static const char source[] = "__global__ void vector_add(float *a, float *b, float *c, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) {\n"
                             "    c[i] = a[i] + b[i];\n"
                             "  }\n"
                             "}\n"
                             "__global__ void func(float *a, float *b, size_t N) {\n"
                             "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i >= N) {\n"
                             "    return;\n"
                             "  }\n"
                             "  float temp_a = a[i];\n"
                             "  float temp_b = b[i];\n"
                             "  a[i] = (temp_a * 10 + 2) * ((temp_b + 2) * 10 - 5) * 5;\n"
                             "}\n";

static int add(gpucontext *ctx, GpuModule *m)
{
  enum { N = 100 };
  float x[N], y[N], z[N];
  int n = N;
  size_t grid[3] = {(N + 127) / 128, 1, 1}, block[3] = {128, 1, 1};
  GA_AUTO(GpuArray) a = {0}, b = {0}, c = {0};
  GA_AUTO(GpuKernel) k = {0};

  for (int i = 0; i < N; i++) x[i] = (float)i / 4, y[i] = (float)(i % 7);
  GA_OR_DIE(GpuModule_kernel(&k, m, "vector_add"));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), x));
  GA_OR_DIE(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(N), y));
  GA_OR_DIE(GpuArray_zeros(&c, ctx, GA_FLOAT, GA_DIMS(N), GA_C_ORDER));
  GA_OR_DIE(GpuKernel_launch(&k, grid, block, 0,
                             GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b), ga_array(NULL, &c),
                                     ga_scalar(NULL, GA_INT, &n))));
  GA_OR_DIE(GpuArray_tohost(z, sizeof z, GA_FLOAT, &c));
  for (int i = 0; i < N; i++)
    if (z[i] != x[i] + y[i]) return 1;
  printf("vector_add: c[99] = %g\n", z[99]);
  return 0;
}

static int in_place(gpucontext *ctx, GpuModule *m)
{
  enum { N = 1 << 20 };
  static float x[N], y[N], z[N];
  size_t n = N, grid[3] = {N / 256 + 1, 1, 1}, block[3] = {256, 1, 1};
  GA_AUTO(GpuArray) a = {0}, b = {0};
  GA_AUTO(GpuKernel) k = {0};

  for (int i = 0; i < N; i++) x[i] = (float)(i % 16), y[i] = (float)(i % 8); /* exact */
  GA_OR_DIE(GpuModule_kernel(&k, m, "func"));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), x));
  GA_OR_DIE(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(N), y));
  GA_OR_DIE(GpuKernel_launch(
      &k, grid, block, 0,
      GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b), ga_scalar(NULL, GA_SIZE, &n))));
  GA_OR_DIE(GpuArray_tohost(z, sizeof z, GA_FLOAT, &a));
  for (int i = 0; i < N; i++)
    if (z[i] != (x[i] * 10 + 2) * ((y[i] + 2) * 10 - 5) * 5) return 1;
  printf("func: a[1] = %g\n", z[1]);
  return 0;
}

int main(void)
{
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuModule) m = {0};
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuModule_init(&m, ctx, source, NULL));
  return add(ctx, &m) || in_place(ctx, &m);
}
