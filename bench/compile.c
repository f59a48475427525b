/* SPDX-License-Identifier: MIT */
/* What the first call of an expression costs: with nothing cached, with its
 * kernel on disk, with its kernel in memory, and prepared.
 *
 *   compile [-d DEVICE]
 *
 * Columns, tab-separated: case, device, milliseconds (median of several
 * expressions). The disk cache is a fresh folder, removed at the end. On the CPU
 * nothing is compiled: the rows tell what planning costs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpuarray.h>

#include "timing.h"

#define N 9

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double call(gpucontext *ctx, GpuArray *a, const char *text) {
  GpuArray r;
  double start = now();
  GA_OR_DIE(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", a))));
  GA_OR_DIE(gpucontext_sync(ctx));
  start = now() - start;
  GpuArray_clear(&r);
  return start;
}

/* N expressions that share no kernel, each called once. */
static void row(const char *name, gpucontext *ctx, GpuArray *a) {
  static const char *const texts[N] = {"a+1",      "a*a", "sqrt(a)", "a-2",  "abs(a)+a",
                                       "floor(a)", "a/3", "-a",      "a*2+1"};
  double t[N];
  int i;
  for (i = 0; i < N; i++) t[i] = call(ctx, a, texts[i]);
  qsort(t + 1, N - 1, sizeof *t, ascending); /* the first pays for the compiler itself */
  printf("%s, first\t%s\t%.3f\n", name, gpucontext_name(ctx), t[0] * 1e3);
  printf("%s\t%s\t%.3f\n", name, gpucontext_name(ctx), t[N / 2] * 1e3);
}

static void with_context(const char *name, int twice) {
  gpucontext *ctx;
  GpuArray a;
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(1000), GA_C_ORDER));
  GA_OR_DIE(gpucontext_sync(ctx));
  row(name, ctx, &a);
  if (twice) row("kernel in memory", ctx, &a);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}

int main(int argc, char **argv) {
  char dir[] = "/tmp/gpuarray-bench-XXXXXX", command[64];
  int opt;
  while ((opt = getopt(argc, argv, "d:")) != -1) {
    if (opt != 'd') { fprintf(stderr, "usage: compile [-d DEVICE]\n"); return 2; }
    setenv("GPUARRAY_DEVICE", optarg, 1);
  }
  if (mkdtemp(dir) == NULL) { perror(dir); return 1; }
  setenv("GPUARRAY_CACHE_DIR", dir, 1);
  printf("case\tdevice\tms\n");
  with_context("nothing cached", 0);
  with_context("kernel on disk", 1);
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command) != 0;
}
