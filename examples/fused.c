/* SPDX-License-Identifier: MIT */
/* (a*10 + 2) * ((b + 2)*10 - 5) * 5 on eight million numbers: one kernel, no
 * array between its steps, and the same bits as C (and NumPy) gives. The compiled
 * object is called twice: the second call shows the time without compiling. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <gpuarray.h>
#include <time.h>

enum { N = 8 << 20 };

static float x[N], y[N], got[N];

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
  GA_AUTOPTR(gpucontext) ctx = NULL;
  GA_AUTOPTR(GpuExpr) e = NULL;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) b = {0};
  GA_AUTO(GpuArray) r = {0};

  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 1009) / 500 - 1;
    y[i] = (float)(i % 1013) / 500 - 1;
  }
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), x));
  GA_OR_DIE(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(N), y));
  GA_OR_DIE(GpuExpr_new(&e, ctx, "(a*10 + 2) * ((b + 2)*10 - 5) * 5",
                        GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
  for (int call = 1; call <= 2; call++) {
    GpuArray_clear(&r);
    double start = now();
    GA_OR_DIE(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
    GA_OR_DIE(gpucontext_sync(ctx));
    printf("call %d: %.6f s\n", call, now() - start);
  }

  GA_OR_DIE(GpuArray_tohost(got, sizeof got, GA_FLOAT, &r));
  int wrong = 0;
  for (int i = 0; i < N; i++) {
    /* Each step rounded to float, as NumPy does. */
    volatile float p = x[i] * 10, q = y[i] + 2;
    p = p + 2;
    q = q * 10;
    q = q - 5;
    p = p * q;
    p = p * 5;
    wrong += got[i] != p;
  }
  printf("%d of %d differ\n", wrong, N);
  return wrong != 0;
}
