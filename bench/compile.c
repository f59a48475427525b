/* SPDX-License-Identifier: MIT */
/* What the first call of an expression costs: with nothing cached, with its
 * kernel on disk, with its kernel in memory.
 *
 *   compile [-d DEVICE]
 *
 * Columns, tab-separated: case, device, milliseconds (median of several
 * expressions that share no kernel), and what that is more than the compiler takes
 * for a kernel with nothing in it (median of as many, in turns with those). The disk
 * cache is a fresh folder, removed at the end, and the driver's own is off. On the
 * CPU nothing is compiled: the rows tell what planning costs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpuarray.h>

#include "timing.h"

enum { MOST = 9 };

typedef struct group {
  const char *name;
  const char *texts[MOST + 1]; /* of a and b, float32, of the shapes below; c is complex64 */
} group;

static const group groups[] = {
    {"maps", {"a+1", "a*a", "sqrt(a)", "a-2", "abs(a)+a", "floor(a)", "a/3", "-a", "a*2+1"}},
    {"maps of two", {"a+b", "a*b", "a/b-1", "(a*10+2)*((b+2)*10-5)*5", "maximum(a,b)"}},
    {"functions", {"exp(a)", "sin(a)*2", "log(a)+b", "tanh(a)", "exp(a)*sin(b)+sqrt(a)"}},
    {"broadcasts", {"a+b[0]", "a*b[:,:1]", "a[:,:1]-b[:1]", "a/b[0]"}},
    {"transposed", {"a+b.T", "a*b.T", "a-b.T", "a.T/b"}},
    {"complex", {"c+c", "c*c", "exp(c)", "c/(c+1)", "abs(c)"}},
    {"sums", {"sum(a)", "sum(a*a)", "sum(a+b)", "sum(abs(a))", "max(a)"}},
    {"row sums", {"sum(a,axis=1)", "sum(a*a,axis=1)", "sum(a+b,axis=1)", "max(a,axis=1)"}},
    {"column sums", {"sum(a,axis=0)", "sum(a*a,axis=0)", "sum(a+b,axis=0)", "max(a,axis=0)"}},
    {"argmax", {"argmax(a)", "argmin(a)", "argmax(a*2)"}},
    {"two kernels",
     {"sum(a-1,axis=0)+sum(b*2,axis=1)", "max(a+1,axis=0)-min(b+1,axis=1)",
      "sum(a*b,axis=0)*max(a*b,axis=1)"}},
};

enum { NGROUP = sizeof groups / sizeof *groups };

typedef struct arrays {
  gpucontext *ctx;
  GpuArray a, b, c;
} arrays;

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double call(arrays *w, const char *text)
{
  GpuArray r;
  double start = now();
  GA_OR_DIE(GpuArray_eval(
      &r, w->ctx, text, GA_ARGS(ga_array("a", &w->a), ga_array("b", &w->b), ga_array("c", &w->c))));
  GA_OR_DIE(gpucontext_sync(w->ctx));
  start = now() - start;
  GpuArray_clear(&r);
  return start;
}

static double median(double *t, int n)
{
  qsort(t, (size_t)n, sizeof *t, ascending);
  return t[n / 2];
}

/* A kernel with nothing in it, compiled and loaded; a new one each time. */
static double empty_kernel(arrays *w)
{
  static int n;
  GpuModule m;
  char text[64];
  double t;
  snprintf(text, sizeof text, "extern \"C\" __global__ void empty%d() {}\n", n++);
  t = now();
  GA_OR_DIE(GpuModule_init(&m, w->ctx, text, NULL));
  t = now() - t;
  GpuModule_clear(&m);
  return t;
}

/* The first call of each text of each group; where `empty` is asked for, one of those
 * before each, so that both meet the same machine. */
static void rows(const char *name, arrays *w, int empty, double floor[NGROUP])
{
  int g, i;
  for (g = 0; g < NGROUP; g++) {
    double t[MOST], e[MOST], m;
    for (i = 0; groups[g].texts[i] != NULL; i++) {
      if (empty) e[i] = empty_kernel(w);
      t[i] = call(w, groups[g].texts[i]);
    }
    if (empty) floor[g] = median(e, i);
    m = median(t, i);
    printf("%s, %s\t%s\t%.3f\t%+.3f\n", name, groups[g].name, gpucontext_name(w->ctx), m * 1e3,
           (m - floor[g]) * 1e3);
  }
}

static void make(GpuArray *a, arrays *w, int typecode)
{
  GA_OR_DIE(GpuArray_zeros(a, w->ctx, typecode, GA_DIMS(512, 512), GA_C_ORDER));
}

static void with_context(const char *name, int cold, double floor[NGROUP])
{
  arrays w;
  int empty;
  GA_OR_DIE(gpucontext_init(&w.ctx, NULL, NULL));
  make(&w.a, &w, GA_FLOAT);
  make(&w.b, &w, GA_FLOAT);
  make(&w.c, &w, GA_CFLOAT);
  GA_OR_DIE(gpucontext_sync(w.ctx));
  empty = cold && strncmp(gpucontext_name(w.ctx), "cuda", 4) == 0;
  if (empty)
    printf("empty kernel, first\t%s\t%.3f\t\n", gpucontext_name(w.ctx), empty_kernel(&w) * 1e3);
  rows(name, &w, empty, floor);
  if (empty) {
    double t[NGROUP];
    memcpy(t, floor, sizeof t);
    printf("empty kernel\t%s\t%.3f\t\n", gpucontext_name(w.ctx), median(t, NGROUP) * 1e3);
  }
  if (!cold) rows("kernel in memory", &w, 0, floor);
  GpuArray_clear(&w.a);
  GpuArray_clear(&w.b);
  GpuArray_clear(&w.c);
  gpucontext_deref(w.ctx);
}

int main(int argc, char **argv)
{
  char dir[] = "/tmp/gpuarray-bench-XXXXXX", command[64];
  double floor[NGROUP] = {0};
  int opt;
  while ((opt = getopt(argc, argv, "d:")) != -1) {
    if (opt != 'd') {
      fprintf(stderr, "usage: compile [-d DEVICE]\n");
      return 2;
    }
    setenv("GPUARRAY_DEVICE", optarg, 1);
  }
  if (mkdtemp(dir) == NULL) {
    perror(dir);
    return 1;
  }
  setenv("GPUARRAY_CACHE_DIR", dir, 1);
  setenv("CUDA_CACHE_DISABLE", "1", 1); /* where NVRTC keeps what it has compiled */
  printf("case\tdevice\tms\tmore_than_empty_ms\n");
  with_context("nothing cached", 1, floor);
  with_context("kernel on disk", 0, floor);
  snprintf(command, sizeof command, "rm -rf %s", dir);
  return system(command) != 0;
}
