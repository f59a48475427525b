/* SPDX-License-Identifier: MIT */
/* The softmax of the rows of a matrix, in one text with a temporary of its own. */
#include <gpuarray.h>
#include <math.h>

enum { H = 1000, W = 1023 };

static float x[H][W], y[H][W];

/* The largest difference from the definition, computed in doubles. */
static double worst_row(const float *in, const float *out)
{
  double top = in[0], total = 0, worst = 0;
  for (int j = 0; j < W; j++) top = fmax(top, in[j]);
  for (int j = 0; j < W; j++) total += exp(in[j] - top);
  for (int j = 0; j < W; j++) worst = fmax(worst, fabs(out[j] - exp(in[j] - top) / total));
  return worst;
}

int main(void)
{
  double worst = 0;
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) r = {0};

  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) x[i][j] = (float)((i * 31 + j * 17) % 257) / 16;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(H, W), x));
  GA_OR_DIE(GpuArray_eval(&r, ctx,
                          "t = exp(a - max(a, axis=1, keepdims=True));"
                          "t / sum(t, axis=1, keepdims=True)",
                          GA_ARGS(ga_array("a", &a))));
  GA_OR_DIE(GpuArray_print(stdout, &r));
  GA_OR_DIE(GpuArray_tohost(y, sizeof y, GA_FLOAT, &r));
  for (int i = 0; i < H; i++) worst = fmax(worst, worst_row(x[i], y[i]));
  printf("largest difference: %.1e\n", worst);
  return !(worst < 1e-7);
}
