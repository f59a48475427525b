/* SPDX-License-Identifier: MIT */
/* softmax.c without macros and inline functions: what a binding for another
 * language does. */
#include <gpuarray.h>
#include <math.h>
#include <string.h>

enum { H = 1000, W = 1023 };

static float x[H][W], y[H][W];

static int softmax(gpucontext *ctx)
{
  size_t dims[2] = {H, W};
  GpuArray a, r;
  gpuarg arg;
  int err;

  memset(&a, 0, sizeof a);
  memset(&r, 0, sizeof r);
  memset(&arg, 0, sizeof arg);
  arg.name = "a";
  arg.kind = GA_ARG_ARRAY;
  arg.v.array = &a;
  err = GpuArray_fromhost(&a, ctx, GA_FLOAT, 2, dims, x);
  if (err == GA_NO_ERROR)
    err = GpuArray_eval(&r, ctx,
                        "t = exp(a - max(a, axis=1, keepdims=True));"
                        "t / sum(t, axis=1, keepdims=True)",
                        1, &arg);
  if (err == GA_NO_ERROR) err = GpuArray_tohost(y, sizeof y, GA_FLOAT, &r);
  if (err != GA_NO_ERROR) fprintf(stderr, "softmax: %s\n", gpuarray_error_message());
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  return err;
}

/* The largest difference from the definition, computed in doubles. */
static double worst_row(const float *in, const float *out)
{
  double top = in[0], total = 0, worst = 0;
  int j;
  for (j = 0; j < W; j++) top = fmax(top, in[j]);
  for (j = 0; j < W; j++) total += exp(in[j] - top);
  for (j = 0; j < W; j++) worst = fmax(worst, fabs(out[j] - exp(in[j] - top) / total));
  return worst;
}

int main(void)
{
  gpucontext *ctx;
  double worst = 0;
  int err, i, j;

  for (i = 0; i < H; i++)
    for (j = 0; j < W; j++) x[i][j] = (float)((i * 31 + j * 17) % 257) / 16;
  if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "gpucontext_init: %s\n", gpuarray_error_message());
    return 1;
  }
  err = softmax(ctx);
  gpucontext_deref(ctx);
  if (err != GA_NO_ERROR) return 1;
  for (i = 0; i < H; i++) worst = fmax(worst, worst_row(x[i], y[i]));
  printf("largest difference: %.1e\n", worst);
  return !(worst < 1e-7);
}
