/* SPDX-License-Identifier: MIT */
/* add.c without macros and inline functions: what a binding for another language
 * does. */
#include <gpuarray.h>
#include <string.h>

enum { N = 1 << 20 };

static float x[N], y[N], sum[N];

static void bind(gpuarg *arg, const char *name, GpuArray *a)
{
  memset(arg, 0, sizeof *arg);
  arg->name = name;
  arg->kind = GA_ARG_ARRAY;
  arg->v.array = a;
}

/* A zeroed GpuArray may be cleared, so one exit serves every failure. */
static int add(gpucontext *ctx)
{
  GpuArray a, b, r, first;
  size_t dims[1] = {N};
  gpuarg args[2];
  int err;

  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  memset(&r, 0, sizeof r);
  memset(&first, 0, sizeof first);
  bind(&args[0], "a", &a);
  bind(&args[1], "b", &b);
  err = GpuArray_fromhost(&a, ctx, GA_FLOAT, 1, dims, x);
  if (err == GA_NO_ERROR) err = GpuArray_fromhost(&b, ctx, GA_FLOAT, 1, dims, y);
  if (err == GA_NO_ERROR) err = GpuArray_eval(&r, ctx, "a + b", 2, args);
  if (err == GA_NO_ERROR) err = GpuArray_slice(&first, &r, ":10");
  if (err == GA_NO_ERROR) err = GpuArray_print(stdout, &first);
  if (err == GA_NO_ERROR) err = GpuArray_tohost(sum, sizeof sum, GA_FLOAT, &r);
  if (err != GA_NO_ERROR) fprintf(stderr, "add: %s\n", gpuarray_error_message());
  GpuArray_clear(&first);
  GpuArray_clear(&r);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  return err;
}

int main(void)
{
  gpucontext *ctx;
  int err, i;

  for (i = 0; i < N; i++) {
    x[i] = (float)(i % 1009) / 8;
    y[i] = (float)(i % 1013) / 16;
  }
  if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "gpucontext_init: %s\n", gpuarray_error_message());
    return 1;
  }
  err = add(ctx);
  gpucontext_deref(ctx);
  if (err != GA_NO_ERROR) return 1;
  for (i = 0; i < N; i++)
    if (sum[i] != x[i] + y[i]) {
      printf("Results are incorrect at %d: %g\n", i, (double)sum[i]);
      return 1;
    }
  puts("Results are correct!");
  return 0;
}
