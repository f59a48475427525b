/* SPDX-License-Identifier: MIT */
/* Where arithmetic takes over from memory: chains of k multiplications and additions
 * on each element, for growing k.
 *
 *   roofline [-d DEVICE] [-t SECONDS]
 *
 * Columns, tab-separated: operations per element, device, operations per byte, median
 * in microseconds, GFLOP/s, share of the roof. The roof is the lower of the arithmetic
 * ceiling, which adds and multiplies as expressions do, each rounded, and of the
 * ceiling of a copy; both measured in the same process (S. Williams, A. Waterman,
 * D. Patterson, "Roofline", CACM 52(4), 2009). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ceilings.h"
#include "timing.h"

#define MAXPAIRS 128

typedef struct job {
  gpucontext *ctx;
  GpuExpr *e;
  GpuArray *o;
  gpuarg args[2];
} job;

static int job_call(void *arg)
{
  job *j = arg;
  return GpuExpr_call_into(j->e, j->o, 2, j->args);
}

static int job_wait(void *arg) { return gpucontext_sync(((job *)arg)->ctx); }

/* ((a*k+a)*k+a)...: `pairs` times a product and a sum, each needing the one before. */
static void chain(char *out, int pairs)
{
  int i;
  *out = 0;
  for (i = 0; i < pairs; i++) strcat(out, "(");
  strcat(out, "a");
  for (i = 0; i < pairs; i++) strcat(out, "*0.5+a)");
}

static int row(gpucontext *ctx, const ceilings *c, GpuArray *a, GpuArray *o, int pairs,
               double budget)
{
  char text[8 * MAXPAIRS + 16];
  job j = {ctx, NULL, o, {ga_array("a", a), ga_array("o", o)}};
  work w = {job_call, job_wait, &j};
  double n = (double)a->dimensions[0], flops = 2.0 * pairs, roof, rate;
  timing t;
  int err;

  chain(text, pairs);
  err = GpuExpr_new(&j.e, ctx, text, 2, j.args);
  if (err == GA_NO_ERROR) err = timing_run(&t, &w, budget);
  if (err == GA_NO_ERROR) {
    roof = c->copy * flops / 8 < c->flops ? c->copy * flops / 8 : c->flops;
    rate = flops * n / t.median / 1e9;
    printf("%.0f\t%s\t%.3f\t%.2f\t%.1f\t%.3f\n", flops, gpucontext_name(ctx), flops / 8,
           t.median * 1e6, rate, rate / roof);
    fflush(stdout);
  } else {
    fprintf(stderr, "roofline: %d pairs: %s\n", pairs, gpuarray_error_message());
  }
  GpuExpr_free(j.e);
  return err;
}

int main(int argc, char **argv)
{
  char name[256] = "";
  double budget = 0.2;
  gpucontext *ctx;
  GpuArray a, o;
  ceilings c;
  int opt, gpu, pairs, failed = 0;
  size_t n;

  while ((opt = getopt(argc, argv, "d:t:")) != -1) {
    if (opt == 'd')
      setenv("GPUARRAY_DEVICE", optarg, 1);
    else if (opt == 't')
      budget = atof(optarg);
    else {
      fprintf(stderr, "usage: roofline [-d DEVICE] [-t SECONDS]\n");
      return 2;
    }
  }
  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  gpu = strncmp(gpucontext_name(ctx), "cuda", 4) == 0;
  n = (size_t)1 << (gpu ? 27 : 24);
  GA_OR_DIE(ceilings_measure(&c, ctx, gpu ? (size_t)1 << 29 : (size_t)1 << 26, budget));
  GA_OR_DIE(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(n), GA_C_ORDER));
  GA_OR_DIE(GpuArray_zeros(&o, ctx, GA_FLOAT, GA_DIMS(n), GA_C_ORDER));
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  printf("# device: %s\n# ceilings: copy %.0f GB/s, float32 %.0f GFLOP/s\n", name, c.copy, c.flops);
  printf("flops\tdevice\tflops_per_byte\tmedian_us\tGFLOP/s\tshare\n");
  for (pairs = 1; pairs <= MAXPAIRS; pairs *= 2) failed |= row(ctx, &c, &a, &o, pairs, budget);
  GpuArray_clear(&a);
  GpuArray_clear(&o);
  gpucontext_deref(ctx);
  return failed != 0;
}
