/* SPDX-License-Identifier: MIT */
/* The sum of the squares of a 4000x4000 array. Summing sixteen million floats in
 * a float one after the other stops at 2^24; in a tree it does not. */
#include <gpuarray.h>

enum { H = 4000, W = 4000 };

int main(void)
{
  double s = 0;
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) r = {0};

  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_full(&a, ctx, GA_FLOAT, GA_DIMS(H, W), 1.5));
  GA_OR_DIE(GpuArray_eval(&r, ctx, "sum(a*a)", GA_ARGS(ga_array("a", &a))));
  GA_OR_DIE(GpuArray_tohost(&s, sizeof s, GA_DOUBLE, &r));
  printf("%.1f\n", s);
  return s != 1.5 * 1.5 * H * W;
}
