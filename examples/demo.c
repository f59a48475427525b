/* SPDX-License-Identifier: MIT */
/* ./bootstrap demo: the four computations that people write first on a GPU, from
 * .npy files to .npy files, on the best device of the machine. Each result is
 * read back from its file and checked; the exit status is 0 only when all are
 * right. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <gpuarray.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"

static char dir[] = "/tmp/gpuarray-demo.XXXXXX";

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *file(const char *name)
{
  static char path[64];
  snprintf(path, sizeof path, "%s/%s.npy", dir, name);
  return path;
}

/* Roughly normal numbers, the same on every machine. */
static void fill(float *x, size_t n, unsigned int seed)
{
  for (size_t i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < 4; k++) {
      seed = seed * 1664525u + 1013904223u;
      sum += (float)(seed >> 8) / 16777216.0f;
    }
    x[i] = (sum - 2) * 1.7320508f;
  }
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

enum { MOST = 99 };

static int enough(int n, double start) { return n == MOST || (n >= 5 && now() - start > 0.3); }

static double median(double *t, int n)
{
  qsort(t, (size_t)n, sizeof *t, by_value);
  return t[n / 2];
}

/* ---- one row -------------------------------------------------------------------- */

typedef struct row {
  const demo_work *w;
  size_t n;          /* elements of an input */
  float *a, *b;      /* inputs on the host */
  float *got, *want; /* results on the host */
  double ours, theirs, bytes;
} row;

static float *numbers(size_t n)
{
  float *x = malloc(n * sizeof *x);
  if (x == NULL) {
    fputs("demo: out of memory\n", stderr);
    exit(1);
  }
  memset(x, 0, n * sizeof *x);
  return x;
}

static void write_input(gpucontext *ctx, const demo_work *w, const char *name, const float *x)
{
  GA_AUTO(GpuArray) a = {0};
  GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, w->nd, w->dims, x));
  GA_OR_DIE(GpuArray_save(file(name), &a));
}

/* Files in, file out: what the library is for. */
static void compute(gpucontext *ctx, row *r)
{
  const demo_work *w = r->w;
  GA_AUTO(GpuArray) a = {0};
  GA_AUTO(GpuArray) b = {0};
  GA_AUTO(GpuArray) out = {0};
  GA_AUTOPTR(GpuExpr) e = NULL;
  gpuarg args[2] = {ga_array("a", &a), ga_array("b", &b)};
  gpuexpr_info info = {.size = sizeof info};
  double t[MOST], start = now();
  int n = 0;

  GA_OR_DIE(GpuArray_load(&a, ctx, file("a")));
  if (w->ninput == 2) GA_OR_DIE(GpuArray_load(&b, ctx, file("b")));
  GA_OR_DIE(GpuExpr_new(&e, ctx, w->text, w->ninput, args));
  GA_OR_DIE(GpuExpr_call(e, &out, w->ninput, args));
  GA_OR_DIE(GpuExpr_query(e, &info, NULL, w->ninput, args));
  r->bytes = (double)(info.bytes_read + info.bytes_written);
  GA_OR_DIE(gpucontext_sync(ctx));
  for (start = now(); !enough(n, start); n++) {
    double begin = now();
    GA_OR_DIE(GpuExpr_call_into(e, &out, w->ninput, args));
    GA_OR_DIE(gpucontext_sync(ctx));
    t[n] = now() - begin;
  }
  r->ours = median(t, n);
  GA_OR_DIE(GpuArray_save(file("result"), &out));
}

static void read_result(gpucontext *ctx, row *r)
{
  GA_AUTO(GpuArray) result = {0};
  GA_OR_DIE(GpuArray_load(&result, ctx, file("result")));
  GA_OR_DIE(GpuArray_tohost(r->got, (r->w->sum ? 1 : r->n) * sizeof *r->got, GA_FLOAT, &result));
}

static void race(row *r)
{
  double t[MOST], start = now();
  int n = 0;
  r->w->fast(r->want, r->a, r->b, r->n); /* memory is touched, threads are started */
  for (; !enough(n, start); n++) {
    double begin = now();
    r->w->fast(r->want, r->a, r->b, r->n);
    t[n] = now() - begin;
  }
  r->theirs = median(t, n);
}

/* The largest difference from the reference; nan counts. Elementwise work has none. A
 * sum in a tree is within log2(n) + 3 rounding errors: the squares, the tree, the reference. */
static int check(const row *r, double *worst)
{
  size_t n = r->w->sum ? 1 : r->n;
  double bound = 0;
  r->w->reference(r->want, r->a, r->b, r->n);
  if (r->w->sum) bound = (log2((double)r->n) + 3) * 0x1p-24 * fabs((double)r->want[0]);
  *worst = 0;
  for (size_t i = 0; i < n; i++) {
    double d = fabs((double)r->got[i] - r->want[i]);
    if (!(d <= *worst)) *worst = d;
  }
  return *worst <= bound;
}

static int run_row(gpucontext *ctx, const demo_work *w, const char *device)
{
  row r = {.w = w};
  double worst;
  r.n = w->dims[0] * (w->nd > 1 ? w->dims[1] : 1);
  r.a = numbers(r.n);
  r.b = numbers(r.n);
  r.got = numbers(r.n);
  r.want = numbers(r.n);
  fill(r.a, r.n, 1);
  fill(r.b, r.n, 2);
  write_input(ctx, w, "a", r.a);
  if (w->ninput == 2) write_input(ctx, w, "b", r.b);
  compute(ctx, &r);
  read_result(ctx, &r);
  race(&r);
  int right = check(&r, &worst);
  printf("%-29s  %-6s %9.2f %8.2f   %9.2f %-11s  %8.2g  %s\n", w->what, device, 1e6 * r.ours,
         1e-9 * r.bytes / r.ours, 1e6 * r.theirs, w->rival, worst, right ? "ok" : "WRONG");
  free(r.a);
  free(r.b);
  free(r.got);
  free(r.want);
  return right;
}

static void remove_files(void)
{
  unlink(file("a"));
  unlink(file("b"));
  unlink(file("result"));
  rmdir(dir);
}

int main(void)
{
  char name[256] = "?";
  const char *device = NULL;
  int right = 1, blas = demo_find_blas();
  GA_AUTOPTR(gpucontext) ctx = NULL;

  GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
  GA_OR_DIE(gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name));
  device = gpucontext_name(ctx);
  if (mkdtemp(dir) == NULL) {
    perror(dir);
    return 1;
  }
  atexit(remove_files);
  printf("GPUArray %s on %s (%s); float32 from .npy files to .npy files\n", gpuarray_version(),
         name, device);
  if (!blas) puts("libopenblas.so.0 is not here: loops take the place of BLAS");
  printf("\n%-29s  %-6s %9s %8s   %-21s  %8s\n", "what", "device", "us", "GB/s",
         "CPU BLAS or loop, us", "largest");
  printf("%-29s  %-6s %9s %8s   %-21s  %8s\n", "", "", "", "", "", "diff.");
  for (int i = 0; i < demo_nwork; i++) right &= run_row(ctx, &demo_works[i], device);
  puts(right ? "\nall right" : "\nWRONG RESULTS");
  return !right;
}
