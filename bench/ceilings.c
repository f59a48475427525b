/* SPDX-License-Identifier: MIT */
/* Measures ceilings: raw kernels (ceilings.cu) on a GPU, threads over plain loops
 * on the CPU. */
#include "ceilings.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ceilings_cu.h"
#include "timing.h"

double ceiling_for(const ceilings *c, double r, double w)
{
  double reads = r / (r + w);
  return reads > 0.9 ? c->read : reads > 0.6 ? c->add : reads > 0.1 ? c->copy : c->write;
}

/* ---- GPU --------------------------------------------------------------- */

typedef struct gpu_work {
  gpucontext *ctx;
  GpuKernel k;
  size_t grid[3], block[3];
  unsigned int n;
  gpuarg args[4];
} gpu_work;

static int gpu_call(void *arg)
{
  gpu_work *w = arg;
  return GpuKernel_launch(&w->k, w->grid, w->block, 0, w->n, w->args);
}

static int gpu_wait(void *arg) { return gpucontext_sync(((gpu_work *)arg)->ctx); }

/* Seconds of one kernel of ceilings.cu over `n` vectors in each of `buffers`. */
static int gpu_time(double *seconds, GpuModule *m, gpucontext *ctx, const char *name,
                    unsigned int narray, GpuArray *arrays, size_t n, size_t blocks, double budget)
{
  gpu_work g = {ctx, {0}, {blocks, 1, 1}, {256, 1, 1}, narray + 1, {{0}}};
  work w = {gpu_call, gpu_wait, &g};
  timing t = {0};
  unsigned int i;
  int err = GpuModule_kernel(&g.k, m, name);
  for (i = 0; i < narray; i++) g.args[i] = ga_array(NULL, &arrays[i]);
  g.args[narray] = ga_scalar(NULL, GA_ULONG, &n);
  if (err == GA_NO_ERROR) err = timing_run(&t, &w, budget);
  GpuKernel_clear(&g.k);
  *seconds = t.median;
  return err;
}

static int gpu_launch(double *seconds, GpuModule *m, gpucontext *ctx, GpuArray *a, double budget)
{
  unsigned int n = 0;
  gpu_work g = {ctx, {0}, {4, 1, 1}, {128, 1, 1}, 4, {{0}}};
  work w = {gpu_call, gpu_wait, &g};
  timing t = {0};
  int err = GpuModule_kernel(&g.k, m, "empty"), i;
  for (i = 0; i < 3; i++) g.args[i] = ga_array(NULL, a);
  g.args[3] = ga_scalar(NULL, GA_UINT, &n);
  if (err == GA_NO_ERROR) err = timing_run(&t, &w, budget);
  GpuKernel_clear(&g.k);
  *seconds = t.median;
  return err;
}

static int gpu_measure(ceilings *c, gpucontext *ctx, size_t bytes, double budget)
{
  static const struct {
    const char *name;
    unsigned int narray;
    double moved; /* vectors a thread reads and writes */
  } kernels[] = {{"copy", 2, 2}, {"add", 3, 3}, {"fill", 1, 1}, {"read", 2, 1}, {"flops", 1, 0}};
  double *rate[] = {&c->copy, &c->add, &c->write, &c->read, &c->flops};
  GpuModule m = {0};
  GpuArray a[3] = {{0}};
  size_t n = bytes / 16, dims[1] = {bytes / 4}, blocks;
  unsigned int procs = 1;
  double seconds;
  int i, err = GpuModule_init(&m, ctx, ga_kernel_ceilings_cu, NULL);

  gpucontext_property(ctx, GA_CTX_PROP_NUMPROCS, &procs);
  for (i = 0; i < 3 && err == GA_NO_ERROR; i++)
    err = GpuArray_zeros(&a[i], ctx, GA_FLOAT, 1, dims, GA_C_ORDER);
  for (i = 0; i < 5 && err == GA_NO_ERROR; i++) {
    blocks = rate[i] == &c->read    ? 16 * (size_t)procs
             : rate[i] == &c->flops ? 256 * (size_t)procs
                                    : (n + 255) / 256;
    err = gpu_time(&seconds, &m, ctx, kernels[i].name, kernels[i].narray, a, n, blocks, budget);
    *rate[i] =
        1e-9 / seconds *
        (rate[i] == &c->flops ? 1024.0 * 256 * (double)blocks : kernels[i].moved * 16 * (double)n);
  }
  if (err == GA_NO_ERROR) err = gpu_launch(&c->launch, &m, ctx, &a[0], budget);
  for (i = 0; i < 3; i++) GpuArray_clear(&a[i]);
  GpuModule_clear(&m);
  return err;
}

/* ---- CPU --------------------------------------------------------------- */

typedef struct cpu_work {
  int kind; /* c copy, a add, r read, w write, f flops */
  unsigned int threads;
  size_t n; /* floats */
  float *o, *a, *b;
} cpu_work;

typedef struct slice {
  const cpu_work *w;
  unsigned int i;
} slice;

static volatile float sink;

/* For the widest vectors of the machine, where the compiler can choose at run time. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#endif
static void *
cpu_slice(void *arg)
{
  const slice *s = arg;
  const cpu_work *w = s->w;
  size_t lo = w->n / w->threads * s->i, hi = s->i + 1 == w->threads ? w->n : lo + w->n / w->threads,
         i;
  float acc[64] = {0}, sum = 0;
  if (w->kind == 'c') memcpy(w->o + lo, w->a + lo, (hi - lo) * sizeof(float));
  if (w->kind == 'w')
    for (i = lo; i < hi; i++) w->o[i] = 1.5f;
  if (w->kind == 'a')
    for (i = lo; i < hi; i++) w->o[i] = w->a[i] + w->b[i];
  if (w->kind == 'r')
    for (i = lo; i + 64 <= hi; i += 64) {
      int k;
      for (k = 0; k < 64; k++) acc[k] += w->a[i + (size_t)k] * w->a[i + (size_t)k];
    }
  if (w->kind == 'f')
    for (i = 0; i < w->n / 64; i++) {
      int k;
      for (k = 0; k < 64; k++) acc[k] = acc[k] * 0.5f + 0.25f;
    }
  for (i = 0; i < 64; i++) sum += acc[i];
  if (sum == 1.25f) sink = sum;
  return NULL;
}

static int cpu_call(void *arg)
{
  const cpu_work *w = arg;
  pthread_t id[256];
  slice s[256];
  unsigned int i, started = 0;
  for (i = 0; i < w->threads; i++) s[i] = (slice){w, i};
  for (i = 1; i < w->threads; i++, started++)
    if (pthread_create(&id[i], NULL, cpu_slice, &s[i]) != 0) break;
  cpu_slice(&s[0]);
  for (i = 1; i <= started; i++) pthread_join(id[i], NULL);
  return started + 1 == w->threads ? 0 : GA_SYS_ERROR;
}

static int cpu_wait(void *arg)
{
  (void)arg;
  return 0;
}

static int cpu_measure(ceilings *c, gpucontext *ctx, size_t bytes, double budget)
{
  static const struct {
    int kind;
    double moved;
  } kinds[5] = {{'c', 2}, {'a', 3}, {'r', 1}, {'w', 1}, {'f', 0}};
  double *rate[5] = {&c->copy, &c->add, &c->read, &c->write, &c->flops};
  cpu_work k = {0, 1, bytes / 4, NULL, NULL, NULL};
  work w = {cpu_call, cpu_wait, &k};
  unsigned int procs = 1;
  int i, err = GA_NO_ERROR;

  gpucontext_property(ctx, GA_CTX_PROP_NUMPROCS, &procs);
  k.threads = procs > 256 ? 256 : procs;
  k.o = aligned_alloc(64, bytes);
  k.a = aligned_alloc(64, bytes);
  k.b = aligned_alloc(64, bytes);
  if (k.o == NULL || k.a == NULL || k.b == NULL) err = GA_MEMORY_ERROR;
  for (i = 0; i < 5 && err == GA_NO_ERROR; i++) {
    timing t = {0};
    size_t j;
    if (i == 0)
      for (j = 0; j < k.n; j++) k.o[j] = k.a[j] = k.b[j] = 1.0f + (float)(j % 7);
    k.kind = kinds[i].kind;
    err = timing_run(&t, &w, budget);
    /* the arithmetic: two operations on each of n floats, in every thread */
    *rate[i] =
        1e-9 / t.median *
        (kinds[i].moved > 0 ? kinds[i].moved * (double)bytes : 2.0 * (double)k.n * k.threads);
  }
  free(k.o);
  free(k.a);
  free(k.b);
  return err;
}

int ceilings_measure(ceilings *c, gpucontext *ctx, size_t bytes, double budget)
{
  memset(c, 0, sizeof *c);
  bytes &= ~(size_t)63;
  return strncmp(gpucontext_name(ctx), "cuda", 4) == 0 ? gpu_measure(c, ctx, bytes, budget)
                                                       : cpu_measure(c, ctx, bytes, budget);
}
