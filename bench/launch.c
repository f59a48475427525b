/* SPDX-License-Identifier: MIT */
/* What a small call costs: additions of 1000 floats by every way into the library,
 * beside what the driver itself takes for a launch and for a node of a replayed
 * graph, in one process.
 *
 *   launch [-d DEVICE] [-t SECONDS]
 *
 * Columns, tab-separated: way, device, median, p10 and p90 in microseconds a call (a
 * node), and the median's distance from the driver's own. */
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "timing.h"

enum { N = 1000, NODES = 100 };

static const char source[] =
    "extern \"C\" __global__ void add(float *r, const float *a, const float *b, unsigned n) {"
    " unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) r[i] = a[i] + b[i]; }";

typedef struct setting {
  gpucontext *ctx;
  GpuArray a, b, r;
  GpuExpr *into, *made;
  GpuKernel k;
  gpugraph *g;
  double budget, launch, node; /* seconds the driver takes; 0: no driver */
} setting;

static const size_t grid[3] = {(N + 127) / 128, 1, 1}, block[3] = {128, 1, 1};

static int finish(void *arg) { return gpucontext_sync(((setting *)arg)->ctx); }

static int raw(void *arg)
{
  setting *s = arg;
  unsigned int n = N;
  return GpuKernel_launch(&s->k, grid, block, 0,
                          GA_ARGS(ga_array(NULL, &s->r), ga_array(NULL, &s->a),
                                  ga_array(NULL, &s->b), ga_scalar(NULL, GA_UINT, &n)));
}

static int prepared(void *arg)
{
  setting *s = arg;
  return GpuExpr_call_into(s->into, &s->r, GA_ARGS(ga_array("a", &s->a), ga_array("b", &s->b)));
}

static int prepared_created(void *arg)
{
  setting *s = arg;
  GpuArray r;
  int err = GpuExpr_call(s->made, &r, GA_ARGS(ga_array("a", &s->a), ga_array("b", &s->b)));
  if (err == GA_NO_ERROR) GpuArray_clear(&r);
  return err;
}

static int named(void *arg)
{
  setting *s = arg;
  return GpuArray_add_into(&s->r, &s->a, &s->b);
}

static int named_created(void *arg)
{
  setting *s = arg;
  GpuArray r;
  int err = GpuArray_add(&r, &s->a, &s->b);
  if (err == GA_NO_ERROR) GpuArray_clear(&r);
  return err;
}

static int text(void *arg)
{
  setting *s = arg;
  return GpuArray_eval_into(&s->r, "a + b", GA_ARGS(ga_array("a", &s->a), ga_array("b", &s->b)));
}

static int replay(void *arg) { return gpugraph_replay(((setting *)arg)->g); }

/* A row; the driver's own figure is `base`, 0 where it is the row itself. */
static double row(setting *s, const char *name, int (*call)(void *), void *arg, int per,
                  double base)
{
  work w = {call, finish, arg};
  timing t;
  if (call == driver_launch || call == driver_replay) w.wait = driver_wait;
  if (timing_run(&t, &w, s->budget) != 0) {
    fprintf(stderr, "launch: %s: %s\n", name, gpuarray_error_message());
    exit(1);
  }
  printf("%s\t%s\t%.3f\t%.3f\t%.3f\t", name, gpucontext_name(s->ctx), t.median / per * 1e6,
         t.p10 / per * 1e6, t.p90 / per * 1e6);
  if (base > 0)
    printf("%+.3f\n", (t.median / per - base) * 1e6);
  else
    printf("\n");
  fflush(stdout);
  return t.median / per;
}

static void capture(setting *s, int (*call)(void *))
{
  int i;
  gpugraph_free(s->g);
  GA_OR_DIE(gpugraph_begin(s->ctx));
  for (i = 0; i < NODES; i++) GA_OR_DIE(call(s));
  GA_OR_DIE(gpugraph_end(&s->g, s->ctx));
}

static void all_rows(setting *s, driver *d)
{
  if (d != NULL) s->launch = row(s, "cuLaunchKernel", driver_launch, d, 1, 0);
  if (s->k.k != NULL) row(s, "raw kernel", raw, s, 1, s->launch);
  row(s, "prepared call", prepared, s, 1, s->launch);
  row(s, "prepared call, new array", prepared_created, s, 1, s->launch);
  row(s, "named operation", named, s, 1, s->launch);
  row(s, "named operation, new array", named_created, s, 1, s->launch);
  row(s, "text", text, s, 1, s->launch);
  if (d != NULL && driver_capture(d, NODES) == 0)
    s->node = row(s, "cuGraphLaunch, a node", driver_replay, d, NODES, 0);
  if (s->k.k != NULL) {
    capture(s, raw);
    row(s, "replayed raw kernel, a node", replay, s, NODES, s->node);
  }
  capture(s, prepared);
  row(s, "replayed prepared call, a node", replay, s, NODES, s->node);
}

int main(int argc, char **argv)
{
  setting s = {.budget = 0.3};
  driver *d;
  int opt;
  while ((opt = getopt(argc, argv, "d:t:")) != -1) {
    if (opt == 'd')
      setenv("GPUARRAY_DEVICE", optarg, 1);
    else if (opt == 't')
      s.budget = atof(optarg);
    else {
      fprintf(stderr, "usage: launch [-d DEVICE] [-t SECONDS]\n");
      return 2;
    }
  }
  GA_OR_DIE(gpucontext_init(&s.ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_zeros(&s.a, s.ctx, GA_FLOAT, GA_DIMS(N), GA_C_ORDER));
  GA_OR_DIE(GpuArray_zeros(&s.b, s.ctx, GA_FLOAT, GA_DIMS(N), GA_C_ORDER));
  GA_OR_DIE(GpuArray_zeros(&s.r, s.ctx, GA_FLOAT, GA_DIMS(N), GA_C_ORDER));
  GA_OR_DIE(
      GpuExpr_new(&s.into, s.ctx, "a + b", GA_ARGS(ga_array("a", &s.a), ga_array("b", &s.b))));
  GA_OR_DIE(
      GpuExpr_new(&s.made, s.ctx, "a + b", GA_ARGS(ga_array("a", &s.a), ga_array("b", &s.b))));
  if (GpuKernel_build(&s.k, s.ctx, source, "add") != GA_NO_ERROR) memset(&s.k, 0, sizeof s.k);
  d = driver_open(s.ctx, &s.r, &s.a, &s.b, N);
  printf("way\tdevice\tmedian_us\tp10_us\tp90_us\tover_driver_us\n");
  all_rows(&s, d);
  driver_close(d);
  gpugraph_free(s.g);
  GpuKernel_clear(&s.k);
  GpuExpr_free(s.into);
  GpuExpr_free(s.made);
  GpuArray_clear(&s.a);
  GpuArray_clear(&s.b);
  GpuArray_clear(&s.r);
  gpucontext_deref(s.ctx);
  return 0;
}
