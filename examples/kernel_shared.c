/* SPDX-License-Identifier: MIT */
/* Shared memory: the threads of a block write to it, meet at a barrier, and read
 * what others wrote. Once with the size in the source, threads past the end
 * returning early, and once with the size given at launch. */
#include <gpuarray.h>

static const char source[] = "#define N 16\n"
                             "__global__ void doublify(float *a_in, float *a_out)\n"
                             "{\n"
                             "  __shared__ float sdatas[N];\n"
                             "  int idx = threadIdx.x + threadIdx.y*blockDim.x;\n"
                             "  if (idx >= N) return;\n"
                             "  sdatas[idx] = 2*a_in[idx];\n"
                             "  __syncthreads();\n"
                             "  a_out[idx] = sdatas[idx];\n"
                             "}\n"
                             "__global__ void reverse(float *a_in, float *a_out)\n"
                             "{\n"
                             "  extern __shared__ float s[];\n"
                             "  s[threadIdx.x] = a_in[threadIdx.x];\n"
                             "  __syncthreads();\n"
                             "  a_out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n"
                             "}\n";

int main(void)
{
  static const size_t one[3] = {1, 1, 1}, square[3] = {32, 32, 1}, line[3] = {16, 1, 1};
  float x[16], y[16], z[16];
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) in = {0}, doubled = {0}, reversed = {0};
  GA_AUTO(GpuModule) m = {0};
  GA_AUTO(GpuKernel) doublify = {0}, reverse = {0};

  for (int i = 0; i < 16; i++) x[i] = (float)i + 0.5f;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuModule_init(&m, ctx, source, NULL));
  GA_OR_DIE(GpuModule_kernel(&doublify, &m, "doublify"));
  GA_OR_DIE(GpuModule_kernel(&reverse, &m, "reverse"));
  GA_OR_DIE(GpuArray_fromhost(&in, ctx, GA_FLOAT, GA_DIMS(4, 4), x));
  GA_OR_DIE(GpuArray_zeros(&doubled, ctx, GA_FLOAT, GA_DIMS(4, 4), GA_C_ORDER));
  GA_OR_DIE(GpuArray_zeros(&reversed, ctx, GA_FLOAT, GA_DIMS(4, 4), GA_C_ORDER));
  GA_OR_DIE(GpuKernel_launch(&doublify, one, square, 0,
                             GA_ARGS(ga_array(NULL, &in), ga_array(NULL, &doubled))));
  GA_OR_DIE(GpuKernel_launch(&reverse, one, line, sizeof x,
                             GA_ARGS(ga_array(NULL, &in), ga_array(NULL, &reversed))));
  GA_OR_DIE(GpuArray_print(stdout, &doubled));
  GA_OR_DIE(GpuArray_print(stdout, &reversed));

  GA_OR_DIE(GpuArray_tohost(y, sizeof y, GA_FLOAT, &doubled));
  GA_OR_DIE(GpuArray_tohost(z, sizeof z, GA_FLOAT, &reversed));
  for (int i = 0; i < 16; i++)
    if (y[i] != 2 * x[i] || z[i] != x[15 - i]) return 1;
  return 0;
}
