/* SPDX-License-Identifier: MIT */
/* The device against the CPU's BLAS and a plain loop: sscal, saxpy, sdot, sgemm.
 *
 *   blas [-d DEVICE] [-t SECONDS] [-n LOG2]
 *
 * Columns, tab-separated: problem, who, dtype, median, p10 and p90 in
 * microseconds, GB/s (GFLOP/s for sgemm), times as fast as CPU BLAS. OpenBLAS is
 * looked for at run time; without it those rows are left out. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpuarray.h>

#include "timing.h"

enum { ROW_MAJOR = 101, NO_TRANS = 111 };

static struct {
  void (*sscal)(int n, float k, float *x, int incx);
  void (*saxpy)(int n, float k, const float *x, int incx, float *y, int incy);
  float (*sdot)(int n, const float *x, int incx, const float *y, int incy);
  void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                int lda, const float *b, int ldb, float beta, float *c, int ldc);
} cblas;

typedef struct bench {
  gpucontext *ctx;
  size_t n;    /* elements of x and y */
  size_t side; /* of the square matrices */
  float *x, *y, *a, *b, *c;
  GpuArray dx, dy, da, db, dc;
  GpuExpr *scal, *axpy, *dot;
} bench;

static volatile float sink;

static int load_blas(void)
{
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) return 0;
  *(void **)&cblas.sscal = dlsym(lib, "cblas_sscal");
  *(void **)&cblas.saxpy = dlsym(lib, "cblas_saxpy");
  *(void **)&cblas.sdot = dlsym(lib, "cblas_sdot");
  *(void **)&cblas.sgemm = dlsym(lib, "cblas_sgemm");
  return cblas.sscal && cblas.saxpy && cblas.sdot && cblas.sgemm;
}

static int wait_none(void *arg)
{
  (void)arg;
  return 0;
}
static int wait_device(void *arg) { return gpucontext_sync(((bench *)arg)->ctx); }

static int blas_scal(void *p)
{
  bench *s = p;
  cblas.sscal((int)s->n, 1.0000001f, s->x, 1);
  return 0;
}
static int blas_axpy(void *p)
{
  bench *s = p;
  cblas.saxpy((int)s->n, 1e-9f, s->x, 1, s->y, 1);
  return 0;
}
static int blas_dot(void *p)
{
  bench *s = p;
  sink = cblas.sdot((int)s->n, s->x, 1, s->y, 1);
  return 0;
}
static int blas_gemm(void *p)
{
  bench *s = p;
  int m = (int)s->side;
  cblas.sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, m, m, m, 1, s->a, m, s->b, m, 0, s->c, m);
  return 0;
}

static int loop_scal(void *p)
{
  bench *s = p;
  size_t i;
  for (i = 0; i < s->n; i++) s->x[i] *= 1.0000001f;
  return 0;
}
static int loop_axpy(void *p)
{
  bench *s = p;
  size_t i;
  for (i = 0; i < s->n; i++) s->y[i] += 1e-9f * s->x[i];
  return 0;
}
static int loop_dot(void *p)
{
  bench *s = p;
  float r = 0;
  size_t i;
  for (i = 0; i < s->n; i++) r += s->x[i] * s->y[i];
  sink = r;
  return 0;
}

static int ours_scal(void *p)
{
  bench *s = p;
  return GpuExpr_call(s->scal, NULL, GA_ARGS(ga_array("x", &s->dx), ga_float("k", 1.0000001)));
}
static int ours_axpy(void *p)
{
  bench *s = p;
  return GpuExpr_call(s->axpy, NULL,
                      GA_ARGS(ga_array("x", &s->dx), ga_array("y", &s->dy), ga_float("k", 1e-9)));
}
static int ours_dot(void *p)
{
  bench *s = p;
  GpuArray r;
  int err = GpuExpr_call(s->dot, &r, GA_ARGS(ga_array("x", &s->dx), ga_array("y", &s->dy)));
  if (err == GA_NO_ERROR) GpuArray_clear(&r);
  return err;
}
static int ours_gemm(void *p)
{
  bench *s = p;
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &s->da, &s->db, 0, &s->dc, 1);
}

static const struct {
  const char *name;
  int arrays; /* of n floats moved; 0: counts multiplications and additions */
  int (*ours)(void *), (*blas)(void *), (*loop)(void *);
} rows[] = {
    {"sscal", 2, ours_scal, blas_scal, loop_scal},
    {"saxpy", 3, ours_axpy, blas_axpy, loop_axpy},
    {"sdot", 2, ours_dot, blas_dot, loop_dot},
    {"sgemm", 0, ours_gemm, blas_gemm, NULL},
};

static int measure(const bench *s, unsigned int i, const char *who, int (*call)(void *),
                   int (*wait)(void *), double budget, double *blas)
{
  work w = {call, wait, (void *)s};
  timing t;
  double amount = rows[i].arrays ? (double)rows[i].arrays * 4 * (double)s->n
                                 : 2.0 * (double)s->side * (double)s->side * (double)s->side;
  int err = timing_run(&t, &w, budget);
  if (err != GA_NO_ERROR) {
    fprintf(stderr, "blas: %s on %s: %s\n", rows[i].name, who, gpuarray_error_message());
    return err;
  }
  if (call == rows[i].blas) *blas = t.median;
  printf("%s\t%s\tfloat32\t%.2f\t%.2f\t%.2f\t%.1f\t", rows[i].name, who, t.median * 1e6,
         t.p10 * 1e6, t.p90 * 1e6, amount / t.median / 1e9);
  printf(*blas > 0 ? "%.2f\n" : "-\n", *blas / t.median);
  fflush(stdout);
  return GA_NO_ERROR;
}

static void setup(bench *s)
{
  size_t i, m = s->side * s->side;
  s->x = malloc(s->n * sizeof(float));
  s->y = malloc(s->n * sizeof(float));
  s->a = malloc(m * sizeof(float));
  s->b = malloc(m * sizeof(float));
  s->c = malloc(m * sizeof(float));
  if (!s->x || !s->y || !s->a || !s->b || !s->c) {
    fprintf(stderr, "blas: out of memory\n");
    exit(1);
  }
  for (i = 0; i < s->n; i++) s->x[i] = s->y[i] = 0.5f + (float)(i % 1021) / 1021;
  for (i = 0; i < m; i++) s->a[i] = s->b[i] = 0.5f + (float)(i % 1021) / 1021;
  GA_OR_DIE(GpuArray_fromhost(&s->dx, s->ctx, GA_FLOAT, GA_DIMS(s->n), s->x));
  GA_OR_DIE(GpuArray_fromhost(&s->dy, s->ctx, GA_FLOAT, GA_DIMS(s->n), s->y));
  GA_OR_DIE(GpuArray_fromhost(&s->da, s->ctx, GA_FLOAT, GA_DIMS(s->side, s->side), s->a));
  GA_OR_DIE(GpuArray_fromhost(&s->db, s->ctx, GA_FLOAT, GA_DIMS(s->side, s->side), s->b));
  GA_OR_DIE(GpuArray_zeros(&s->dc, s->ctx, GA_FLOAT, GA_DIMS(s->side, s->side), GA_C_ORDER));
  GA_OR_DIE(
      GpuExpr_new(&s->scal, s->ctx, "x = x*k", GA_ARGS(ga_array("x", &s->dx), ga_float("k", 1))));
  GA_OR_DIE(GpuExpr_new(&s->axpy, s->ctx, "y = k*x + y",
                        GA_ARGS(ga_array("x", &s->dx), ga_array("y", &s->dy), ga_float("k", 1))));
  GA_OR_DIE(GpuExpr_new(&s->dot, s->ctx, "sum(x*y)",
                        GA_ARGS(ga_array("x", &s->dx), ga_array("y", &s->dy))));
}

static void teardown(bench *s)
{
  GpuExpr_free(s->scal);
  GpuExpr_free(s->axpy);
  GpuExpr_free(s->dot);
  GpuArray_clear(&s->dx);
  GpuArray_clear(&s->dy);
  GpuArray_clear(&s->da);
  GpuArray_clear(&s->db);
  GpuArray_clear(&s->dc);
  free(s->x);
  free(s->y);
  free(s->a);
  free(s->b);
  free(s->c);
  gpucontext_deref(s->ctx);
}

int main(int argc, char **argv)
{
  bench s = {0};
  double budget = 0.3, blas;
  int opt, log2n = 24, have, failed = 0;
  unsigned int i;

  while ((opt = getopt(argc, argv, "d:t:n:")) != -1) {
    if (opt == 'd')
      setenv("GPUARRAY_DEVICE", optarg, 1);
    else if (opt == 't')
      budget = atof(optarg);
    else if (opt == 'n')
      log2n = atoi(optarg);
    else {
      fprintf(stderr, "usage: blas [-d DEVICE] [-t SECONDS] [-n LOG2]\n");
      return 2;
    }
  }
  GA_OR_DIE(gpucontext_init(&s.ctx, NULL, NULL));
  s.n = (size_t)1 << log2n;
  s.side = strncmp(gpucontext_name(s.ctx), "cuda", 4) == 0 ? 4096 : 1024;
  setup(&s);
  have = load_blas();
  printf("problem\twho\tdtype\tmedian_us\tp10_us\tp90_us\tGB/s|GFLOP/s\ttimes_blas\n");
  for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    blas = 0;
    if (have) failed |= measure(&s, i, "openblas", rows[i].blas, wait_none, budget, &blas);
    if (rows[i].loop) failed |= measure(&s, i, "loop", rows[i].loop, wait_none, budget, &blas);
    failed |= measure(&s, i, gpucontext_name(s.ctx), rows[i].ours, wait_device, budget, &blas);
  }
  teardown(&s);
  return failed != 0;
}
