/* SPDX-License-Identifier: MIT */
/* double.c without macros and inline functions: what a binding for another
 * language does. Every call is an exported function, every struct is filled in
 * field by field. */
#include <gpuarray.h>
#include <string.h>

static int failed(const char *what)
{
  fprintf(stderr, "%s: %s\n", what, gpuarray_error_message());
  return 1;
}

static int double_it(gpucontext *ctx, const float *x, float *y)
{
  size_t dims[2] = {4, 4};
  GpuArray a, doubled;
  gpuarg arg;
  int err;

  err = GpuArray_fromhost(&a, ctx, GA_FLOAT, 2, dims, x);
  if (err != GA_NO_ERROR) return failed("fromhost");

  memset(&arg, 0, sizeof arg);
  arg.name = "a";
  arg.kind = GA_ARG_ARRAY;
  arg.v.array = &a;
  err = GpuArray_eval(&doubled, ctx, "2*a", 1, &arg);
  if (err == GA_NO_ERROR) err = GpuArray_print(stdout, &doubled);
  if (err == GA_NO_ERROR) err = GpuArray_print(stdout, &a);
  if (err == GA_NO_ERROR) err = GpuArray_tohost(y, 16 * sizeof *y, GA_FLOAT, &doubled);
  GpuArray_clear(&doubled); /* zeroed when the evaluation failed */
  GpuArray_clear(&a);
  return err == GA_NO_ERROR ? 0 : failed("2*a");
}

int main(void)
{
  gpucontext *ctx;
  float x[16], y[16];
  int i, status;

  for (i = 0; i < 16; i++) x[i] = (float)(i * i % 11) / 4 - 1;
  if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) return failed("gpucontext_init");
  status = double_it(ctx, x, y);
  gpucontext_deref(ctx);
  for (i = 0; i < 16 && status == 0; i++) status = y[i] != 2 * x[i];
  return status;
}
