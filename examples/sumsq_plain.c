/* SPDX-License-Identifier: MIT */
/* sumsq.c without macros and inline functions: what a binding for another
 * language does. */
#include <gpuarray.h>
#include <string.h>

enum { H = 4000, W = 4000 };

static int sum_squares(gpucontext *ctx, double *s)
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
  err = GpuArray_full(&a, ctx, GA_FLOAT, 2, dims, 1.5);
  if (err == GA_NO_ERROR) err = GpuArray_eval(&r, ctx, "sum(a*a)", 1, &arg);
  if (err == GA_NO_ERROR) err = GpuArray_tohost(s, sizeof *s, GA_DOUBLE, &r);
  if (err != GA_NO_ERROR) fprintf(stderr, "sumsq: %s\n", gpuarray_error_message());
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  return err;
}

int main(void)
{
  gpucontext *ctx;
  double s = 0;
  int err;

  if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "gpucontext_init: %s\n", gpuarray_error_message());
    return 1;
  }
  err = sum_squares(ctx, &s);
  gpucontext_deref(ctx);
  if (err != GA_NO_ERROR) return 1;
  printf("%.1f\n", s);
  return s != 1.5 * 1.5 * H * W;
}
