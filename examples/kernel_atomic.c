/* SPDX-License-Identifier: MIT */
/* The sum of squares of a million numbers by blocks of 256 threads: each thread
 * squares one number into shared memory and adds it to the result atomically.
 * The order of the additions is not fixed; the numbers here make it not matter. */
#include <gpuarray.h>

static const char source[] = "__global__ void sumsq(float *a_in, float *a_out, int N)\n"
                             "{\n"
                             "  __shared__ float sdatas[256];\n"
                             "  int idx = threadIdx.x + blockIdx.x*blockDim.x;\n"
                             "  int tid = threadIdx.x;\n"
                             "  if (idx >= N) return;\n"
                             "  sdatas[tid] = a_in[idx]*a_in[idx];\n"
                             "  __syncthreads();\n"
                             "  atomicAdd(&a_out[0], sdatas[tid]);\n"
                             "}\n";

int main(void)
{
  enum { N = 1000003 };
  static float x[N];
  const int n = N;
  const size_t grid[3] = {N / 256 + 1, 1, 1}, block[3] = {256, 1, 1};
  float want = 0, got = -1;
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0}, sum = {0};
  GA_AUTO(GpuKernel) k = {0};

  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 5 - 2);
    want += x[i] * x[i]; /* below 2^24: exact */
  }
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuKernel_build(&k, ctx, source, "sumsq"));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), x));
  GA_OR_DIE(GpuArray_zeros(&sum, ctx, GA_FLOAT, GA_DIMS(1), GA_C_ORDER));
  GA_OR_DIE(GpuKernel_launch(
      &k, grid, block, 0,
      GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &sum), ga_scalar(NULL, GA_INT, &n))));
  GA_OR_DIE(GpuArray_tohost(&got, sizeof got, GA_FLOAT, &sum));
  printf("%.1f\n", got);
  return got != want;
}
