/* SPDX-License-Identifier: MIT */
/* What CUDA C costs on the CPU device, measured in one run beside plain loops:
 *
 *   barrier      ns a thread and barrier, blocks of 256 threads
 *   reduction    1056 blocks of 256 threads walk 16 Mi float32 and join in shared
 *                memory, over a plain loop that sums them
 *   elementwise  16 Mi float32 without barriers, over a plain loop
 *   compile      a kernel of 50 lines: nothing cached, and in a second context
 *                from the disk
 *
 *   hostcuda
 *
 * Columns, tab-separated: what, threads of the pool, value, unit, bound. The first
 * rows use one core (a plain loop's share), the later ones all. The smallest of
 * several times counts: what disturbs a run only adds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpuarray.h>

#include "timing.h"

enum { TIMES = 9, N = 16 << 20 };

static const char source[] =
    "extern \"C\" __global__ void barrier(int *out, int n) {\n"
    "  for (int i = 0; i < n; i++) __syncthreads();\n"
    "  if (threadIdx.x == 0) out[blockIdx.x] = n;\n"
    "}\n"
    "extern \"C\" __global__ void reduction(const float *a, float *out, int n) {\n"
    "  __shared__ float s[256];\n"
    "  unsigned t = threadIdx.x;\n"
    "  float x = 0;\n"
    "  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) x += a[i];\n"
    "  s[t] = x;\n"
    "  __syncthreads();\n"
    "  for (unsigned h = 128; h > 0; h /= 2) {\n"
    "    if (t < h) s[t] += s[t + h];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (t == 0) out[blockIdx.x] = s[0];\n"
    "}\n";
static const char plain[] =
    "extern \"C\" __global__ void elementwise(float *c, const float *a, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = (a[i] * 10 + 2) * ((c[i] + 2) * 10 - 5) * 5;\n"
    "}\n";

static __attribute__((noinline)) float loop_sum(const float *a, int n)
{
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

static __attribute__((noinline)) void loop_elementwise(float *c, const float *a, int n)
{
  for (int i = 0; i < n; i++) c[i] = (a[i] * 10 + 2) * ((c[i] + 2) * 10 - 5) * 5;
}

/* The shortest of several launches, in seconds. */
static double launch(gpucontext *ctx, GpuKernel *k, size_t grid, unsigned int n, const gpuarg *args)
{
  const size_t g[3] = {grid, 1, 1}, b[3] = {256, 1, 1};
  double best = 1e9;
  for (int i = 0; i < TIMES; i++) {
    double t = now();
    GA_OR_DIE(GpuKernel_launch(k, g, b, 0, n, args));
    GA_OR_DIE(gpucontext_sync(ctx));
    t = now() - t;
    if (t < best) best = t;
  }
  return best;
}

static void row(const char *what, const char *threads, double value, const char *unit, double bound)
{
  printf("%s\t%s\t%.3f\t%s\t%g\n", what, threads, value, unit, bound);
}

static void barrier(gpucontext *ctx, GpuModule *m, const char *threads, GpuArray *out)
{
  const int n = 1000;
  GpuKernel k;
  GA_OR_DIE(GpuModule_kernel(&k, m, "barrier"));
  double t = launch(ctx, &k, 8, GA_ARGS(ga_array(NULL, out), ga_scalar(NULL, GA_INT, &n)));
  row("barrier", threads, t * 1e9 / (8 * 256.0 * n), "ns", 15);
  GpuKernel_clear(&k);
}

static void reduction(gpucontext *ctx, GpuModule *m, const char *threads, GpuArray *out,
                      GpuArray *a, const float *data)
{
  const int n = N;
  static volatile float sink;
  double best = 1e9;
  GpuKernel k;
  GA_OR_DIE(GpuModule_kernel(&k, m, "reduction"));
  double t = launch(ctx, &k, 1056,
                    GA_ARGS(ga_array(NULL, a), ga_array(NULL, out), ga_scalar(NULL, GA_INT, &n)));
  for (int i = 0; i < TIMES; i++) {
    double u = now();
    sink = loop_sum(data, N);
    u = now() - u;
    if (u < best) best = u;
  }
  (void)sink;
  row("reduction", threads, t / best, "plain loops", 6);
  GpuKernel_clear(&k);
}

static void elementwise(gpucontext *ctx, const char *threads, GpuArray *a, float *data)
{
  const int n = N;
  double best = 1e9;
  GpuArray c;
  GpuKernel k;
  GA_OR_DIE(GpuKernel_build(&k, ctx, plain, "elementwise"));
  GA_OR_DIE(GpuArray_zeros(&c, ctx, GA_FLOAT, GA_DIMS(N), GA_C_ORDER));
  double t = launch(ctx, &k, N / 256,
                    GA_ARGS(ga_array(NULL, &c), ga_array(NULL, a), ga_scalar(NULL, GA_INT, &n)));
  float *other = calloc(N, sizeof *other);
  if (other == NULL) exit(1);
  for (int i = 0; i < TIMES; i++) {
    double u = now();
    loop_elementwise(other, data, N);
    u = now() - u;
    if (u < best) best = u;
  }
  free(other);
  row("elementwise", threads, t / best, "plain loops", 3);
  GpuArray_clear(&c);
  GpuKernel_clear(&k);
}

static void costs(const char *threads)
{
  gpucontext *ctx = NULL;
  GpuArray a, out;
  GpuModule m;
  float *data = malloc(N * sizeof *data);
  if (data == NULL) exit(1);
  for (int i = 0; i < N; i++) data[i] = (float)(i % 7);
  GA_OR_DIE(gpucontext_init(&ctx, "cpu", NULL));
  GA_OR_DIE(GpuModule_init(&m, ctx, source, NULL));
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(N), data));
  GA_OR_DIE(GpuArray_zeros(&out, ctx, GA_FLOAT, GA_DIMS(2048), GA_C_ORDER));
  barrier(ctx, &m, threads, &out);
  reduction(ctx, &m, threads, &out, &a, data);
  elementwise(ctx, threads, &a, data);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  free(data);
}

/* A kernel of 50 lines. */
static double build(void)
{
  char text[4096] = "extern \"C\" __global__ void k(float *a, int n) {\n"
                    "  __shared__ float s[256];\n  int t = threadIdx.x;\n  s[t] = a[t];\n";
  for (int i = 0; i < 22; i++)
    sprintf(text + strlen(text), "  __syncthreads();\n  s[t] += s[(t + %d) %% 256] * %d;\n", i, i);
  strcat(text, "  a[t] = s[t];\n}\n");
  gpucontext *ctx = NULL;
  GpuKernel k;
  GA_OR_DIE(gpucontext_init(&ctx, "cpu", NULL));
  double t = now();
  GA_OR_DIE(GpuKernel_build(&k, ctx, text, "k"));
  t = now() - t;
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
  return t;
}

int main(int argc, char **argv)
{
  char dir[] = "/tmp/gpuarray-bench-XXXXXX", command[64];
  if (argc > 1) { /* the second run of ourselves: the pool has all cores */
    costs(argv[1]);
    return 0;
  }
  if (mkdtemp(dir) == NULL) {
    perror(dir);
    return 1;
  }
  setenv("GPUARRAY_CACHE_DIR", dir, 1);
  printf("what\tthreads\tvalue\tunit\tbound\n");
  row("compile", "1", build(), "s", 1.5);
  double best = 1;
  for (int i = 0; i < TIMES; i++) {
    double t = build();
    if (t < best) best = t;
  }
  row("from cache", "1", best * 1e3, "ms", 5);
  const char *asked = getenv("GPUARRAY_NUM_THREADS");
  char *kept = asked != NULL ? strdup(asked) : NULL;
  setenv("GPUARRAY_NUM_THREADS", "1", 1);
  costs("1");
  if (kept != NULL)
    setenv("GPUARRAY_NUM_THREADS", kept, 1);
  else
    unsetenv("GPUARRAY_NUM_THREADS");
  free(kept);
  fflush(stdout);
  snprintf(command, sizeof command, "rm -rf %s", dir);
  char all[300];
  snprintf(all, sizeof all, "'%s' all", argv[0]);
  int failed = system(all) != 0;
  return (system(command) != 0) | failed;
}
