/* SPDX-License-Identifier: MIT */
/* A raw CUDA C kernel, on whatever device there is: doubles a 4x4 array with one
 * thread for each element. */
#include <gpuarray.h>

static const char source[] = "__global__ void doublify(float *a)\n"
                             "{\n"
                             "  int idx = threadIdx.x + threadIdx.y*4;\n"
                             "  a[idx] *= 2;\n"
                             "}\n";

int main(void)
{
  static const size_t grid[3] = {1, 1, 1}, block[3] = {4, 4, 1};
  float x[16], y[16];
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuKernel) doublify = {0};

  for (int i = 0; i < 16; i++) x[i] = (float)(i * i % 11) / 4 - 1;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuKernel_build(&doublify, ctx, source, "doublify"));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4, 4), x));
  GA_OR_DIE(GpuKernel_launch(&doublify, grid, block, 0, GA_ARGS(ga_array(NULL, &a))));
  GA_OR_DIE(GpuArray_print(stdout, &a));

  GA_OR_DIE(GpuArray_tohost(y, sizeof y, GA_FLOAT, &a));
  for (int i = 0; i < 16; i++)
    if (y[i] != 2 * x[i]) return 1;
  return 0;
}
