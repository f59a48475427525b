/* SPDX-License-Identifier: MIT */
/* What it costs to bring arrays of the host to a device and back.
 *
 *   host [-d DEVICE]
 *
 * Columns, tab-separated: case, device, bytes moved, milliseconds (median, and the
 * first call), GB/s. "write" and "read" move one array of that size; "fresh" reads
 * into memory that nobody has touched yet; "in and out" writes a and b, computes
 * (a*10+2)*((b+2)*10-5)*5 of 90 Mi float32 and reads the result. All of the host's
 * memory is the ordinary, pageable kind. GPUARRAY_NUM_THREADS=1 leaves the copying
 * to the driver. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gpuarray.h>

#include "timing.h"

enum { REPEATS = 9 };
#define SEED_ELEMENTS ((size_t)90 << 20)

typedef struct host_work {
  gpucontext *ctx;
  GpuExpr *e;
  GpuArray a, b, r;
  float *x, *y, *z; /* of the host */
  size_t bytes;
} host_work;

typedef int (*host_fn)(host_work *w);

static int write_one(host_work *w)
{
  int err = GpuArray_write(&w->a, w->x, w->bytes);
  return err == GA_NO_ERROR ? gpucontext_sync(w->ctx) : err;
}

static int read_one(host_work *w) { return GpuArray_read(w->z, w->bytes, &w->a); }

static int in_and_out(host_work *w)
{
  int err = GpuArray_write(&w->a, w->x, w->bytes);
  if (err == GA_NO_ERROR) err = GpuArray_write(&w->b, w->y, w->bytes);
  if (err == GA_NO_ERROR)
    err = GpuExpr_call_into(w->e, &w->r, GA_ARGS(ga_array("a", &w->a), ga_array("b", &w->b)));
  return err == GA_NO_ERROR ? GpuArray_read(w->z, w->bytes, &w->r) : err;
}

/* Memory of its own for each call: mapped, never touched. */
static int read_fresh(host_work *w)
{
  float *kept = w->z;
  int err = GA_MEMORY_ERROR;
  void *p = mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) {
    w->z = p;
    err = read_one(w);
    w->z = kept;
    munmap(p, w->bytes);
  }
  return err;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void row(const char *name, host_work *w, host_fn fn, double bytes)
{
  double t[REPEATS], first;
  int i;
  for (i = 0; i < REPEATS; i++) {
    t[i] = now();
    GA_OR_DIE(fn(w));
    t[i] = now() - t[i];
  }
  first = t[0];
  qsort(t, REPEATS, sizeof *t, ascending);
  printf("%s\t%s\t%.0f\t%.3f\t%.3f\t%.2f\n", name, gpucontext_name(w->ctx), bytes,
         t[REPEATS / 2] * 1e3, first * 1e3, bytes / t[REPEATS / 2] / 1e9);
  fflush(stdout);
}

/* The numbers are small, so that floats hold the results exactly. */
static void fill(float *x, size_t n, size_t period)
{
  size_t i;
  for (i = 0; i < n; i++) x[i] = (float)(i % period);
}

static int right(const host_work *w)
{
  size_t i;
  for (i = 0; i < SEED_ELEMENTS; i += 4093)
    if (w->z[i] != (w->x[i] * 10 + 2) * ((w->y[i] + 2) * 10 - 5) * 5) return 0;
  return 1;
}

static void open_work(host_work *w)
{
  size_t bytes = SEED_ELEMENTS * sizeof(float);
  memset(w, 0, sizeof *w);
  GA_OR_DIE(gpucontext_init(&w->ctx, NULL, NULL));
  GA_OR_DIE(GpuArray_empty(&w->a, w->ctx, GA_FLOAT, GA_DIMS(SEED_ELEMENTS), GA_C_ORDER));
  GA_OR_DIE(GpuArray_empty(&w->b, w->ctx, GA_FLOAT, GA_DIMS(SEED_ELEMENTS), GA_C_ORDER));
  GA_OR_DIE(GpuArray_empty(&w->r, w->ctx, GA_FLOAT, GA_DIMS(SEED_ELEMENTS), GA_C_ORDER));
  GA_OR_DIE(GpuExpr_new(&w->e, w->ctx, "(a*10+2)*((b+2)*10-5)*5",
                        GA_ARGS(ga_array("a", &w->a), ga_array("b", &w->b))));
  w->x = malloc(bytes);
  w->y = malloc(bytes);
  w->z = malloc(bytes);
  if (w->x == NULL || w->y == NULL || w->z == NULL) {
    perror("host");
    exit(1);
  }
  fill(w->x, SEED_ELEMENTS, 31);
  fill(w->y, SEED_ELEMENTS, 37);
  memset(w->z, 0, bytes);
}

static void close_work(host_work *w)
{
  free(w->x);
  free(w->y);
  free(w->z);
  GpuExpr_free(w->e);
  GpuArray_clear(&w->a);
  GpuArray_clear(&w->b);
  GpuArray_clear(&w->r);
  gpucontext_deref(w->ctx);
}

int main(int argc, char **argv)
{
  host_work w;
  int opt, ok;
  while ((opt = getopt(argc, argv, "d:")) != -1) {
    if (opt != 'd') {
      fprintf(stderr, "usage: host [-d DEVICE]\n");
      return 2;
    }
    setenv("GPUARRAY_DEVICE", optarg, 1);
  }
  open_work(&w);
  printf("case\tdevice\tbytes\tms\tfirst_ms\tGB/s\n");
  for (w.bytes = (size_t)1 << 16; w.bytes <= (size_t)256 << 20; w.bytes *= 4) {
    row("write", &w, write_one, (double)w.bytes);
    row("read", &w, read_one, (double)w.bytes);
  }
  w.bytes = (size_t)256 << 20;
  row("read, fresh", &w, read_fresh, (double)w.bytes);
  w.bytes = SEED_ELEMENTS * sizeof(float);
  row("in and out", &w, in_and_out, 3.0 * (double)w.bytes);
  ok = right(&w);
  if (!ok) fprintf(stderr, "host: a result is wrong\n");
  close_work(&w);
  return !ok;
}
