/* SPDX-License-Identifier: MIT */
/* Doubles a 4x4 array and prints both: `2*a` of PyCUDA's gpuarray. */
#include <gpuarray.h>

int main(void)
{
  float x[16], y[16];
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) doubled = {0};

  for (int i = 0; i < 16; i++) x[i] = (float)(i * i % 11) / 4 - 1;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4, 4), x));
  GA_OR_DIE(GpuArray_eval(&doubled, ctx, "2*a", GA_ARGS(ga_array("a", &a))));
  GA_OR_DIE(GpuArray_print(stdout, &doubled));
  GA_OR_DIE(GpuArray_print(stdout, &a));

  GA_OR_DIE(GpuArray_tohost(y, sizeof y, GA_FLOAT, &doubled));
  for (int i = 0; i < 16; i++)
    if (y[i] != 2 * x[i]) return 1;
  return 0;
}
