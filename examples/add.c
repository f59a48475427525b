/* SPDX-License-Identifier: MIT */
/* Adds two arrays of 2^20 numbers, checks every one, and prints the first ten. */
#include <gpuarray.h>

enum { N = 1 << 20 };

static float x[N], y[N], sum[N];

int main(void)
{
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) b = {0};
  GA_AUTO(GpuArray) r = {0};
  GA_AUTO(GpuArray) first = {0};

  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 1009) / 8;
    y[i] = (float)(i % 1013) / 16;
  }
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), x));
  GA_OR_DIE(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(N), y));
  GA_OR_DIE(GpuArray_eval(&r, ctx, "a + b", GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  GA_OR_DIE(GpuArray_slice(&first, &r, ":10"));
  GA_OR_DIE(GpuArray_print(stdout, &first));

  GA_OR_DIE(GpuArray_tohost(sum, sizeof sum, GA_FLOAT, &r));
  for (int i = 0; i < N; i++)
    if (sum[i] != x[i] + y[i]) {
      printf("Results are incorrect at %d: %g\n", i, (double)sum[i]);
      return 1;
    }
  puts("Results are correct!");
  return 0;
}
