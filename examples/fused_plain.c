/* SPDX-License-Identifier: MIT */
/* fused.c without macros and inline functions: what a binding for another
 * language does with a compiled object. */
#include <gpuarray.h>
#include <string.h>

enum { N = 8 << 20 };

static float x[N], y[N], got[N];

static void bind(gpuarg *arg, const char *name, GpuArray *a)
{
  memset(arg, 0, sizeof *arg);
  arg->name = name;
  arg->kind = GA_ARG_ARRAY;
  arg->v.array = a;
}

static int run(gpucontext *ctx)
{
  GpuExpr *e = NULL;
  GpuArray a, b, r;
  size_t dims[1] = {N};
  gpuarg args[2];
  int err;

  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  memset(&r, 0, sizeof r);
  bind(&args[0], "a", &a);
  bind(&args[1], "b", &b);
  err = GpuArray_fromhost(&a, ctx, GA_FLOAT, 1, dims, x);
  if (err == GA_NO_ERROR) err = GpuArray_fromhost(&b, ctx, GA_FLOAT, 1, dims, y);
  if (err == GA_NO_ERROR) err = GpuExpr_new(&e, ctx, "(a*10 + 2) * ((b + 2)*10 - 5) * 5", 2, args);
  if (err == GA_NO_ERROR) err = GpuExpr_call(e, &r, 2, args);
  if (err == GA_NO_ERROR) err = GpuArray_tohost(got, sizeof got, GA_FLOAT, &r);
  if (err != GA_NO_ERROR) fprintf(stderr, "fused: %s\n", gpuarray_error_message());
  GpuExpr_free(e);
  GpuArray_clear(&r);
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  return err;
}

/* Each step rounded to float, as NumPy does. */
static float expected(float u, float v)
{
  volatile float p = u * 10, q = v + 2;
  p = p + 2;
  q = q * 10;
  q = q - 5;
  p = p * q;
  return p * 5;
}

int main(void)
{
  gpucontext *ctx;
  int err, i, wrong = 0;

  for (i = 0; i < N; i++) {
    x[i] = (float)(i % 1009) / 500 - 1;
    y[i] = (float)(i % 1013) / 500 - 1;
  }
  if (gpucontext_init(&ctx, NULL, NULL) != GA_NO_ERROR) {
    fprintf(stderr, "gpucontext_init: %s\n", gpuarray_error_message());
    return 1;
  }
  err = run(ctx);
  gpucontext_deref(ctx);
  if (err != GA_NO_ERROR) return 1;
  for (i = 0; i < N; i++) wrong += got[i] != expected(x[i], y[i]);
  printf("%d of %d differ\n", wrong, N);
  return wrong != 0;
}
