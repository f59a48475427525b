/* SPDX-License-Identifier: MIT */
/* Times problems (problem.h) on a device and prints a row each, with the share of
 * the ceiling for its bytes, which is measured in the same process.
 *
 *   bench [-d DEVICE] [-t SECONDS] [PROBLEM]...
 *
 * Without problems it runs the table below. Columns, tab-separated: problem,
 * device, dtype of the first array, median, p10 and p90 in microseconds, GB/s,
 * share of the ceiling. Bytes are those the expression must move: each input read
 * once, each output written once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ceilings.h"
#include "problem.h"
#include "timing.h"

/* %N is 2^24 elements on the CPU and 2^28 on a GPU; %R its square root. */
static const char *const table[] = {
    "double: 2*a -> o | a=float32[%N] o=float32[%N]",
    "add: a + b -> o | a=float32[%N] b=float32[%N] o=float32[%N]",
    "add-created: a + b | a=float32[%N] b=float32[%N]",
    "seed: (a*10+2)*((b+2)*10-5)*5 -> o | a=float32[%N] b=float32[%N] o=float32[%N]",
    "add-f64: a + b -> o | a=float64[%N] b=float64[%N] o=float64[%N]",
    "add-f16: a + b -> o | a=float16[%N] b=float16[%N] o=float16[%N]",
    "add-i32: a + b -> o | a=int32[%N] b=int32[%N] o=int32[%N]",
    "add-i8: a + b -> o | a=int8[%N] b=int8[%N] o=int8[%N]",
    "cast: float64(a) -> o | a=float32[%N] o=float64[%N]",
    "transcendental: exp(a)*sin(b)+sqrt(a) -> o | a=float32[%N] b=float32[%N] o=float32[%N]",
    "add-unaligned: a + b -> o | a=float32[%N]/u b=float32[%N] o=float32[%N]",
    "add-step2: a + b -> o | a=float32[%N]/s b=float32[%N]/s o=float32[%N]",
    "add-reversed: a + b -> o | a=float32[%N]/r b=float32[%N] o=float32[%N]",
    "bias: m + v -> o | m=float32[%R,%R] v=float32[%R] o=float32[%R,%R]",
    "bias-rows: m + v -> o | m=float32[%R,%R] v=float32[%R,1] o=float32[%R,%R]",
    "outer: u + v -> o | u=float32[%R,1] v=float32[%R] o=float32[%R,%R]",
    "transposed: m + n -> o | m=float32[%R,%R] n=float32[%R,%R]/t o=float32[%R,%R]",
    "sum: sum(a) | a=float32[%N]",
    "sumsq: sum(a*a) | a=float32[%N]",
    "sumsq-4000: sum(a*a) | a=float32[4000,4000]",
    "sumsq-1024: sum(a*a) | a=float32[1024]",
    "max: max(a) | a=float32[%N]",
    "argmax: argmax(a) | a=float32[%N]",
    "row-sums: sum(m, axis=1) | m=float32[%R,%R]",
    "column-sums: sum(m, axis=0) | m=float32[%R,%R]",
    "short-rows: sum(m, axis=1) | m=float32[524288,32]",
    "tall-columns: sum(m, axis=0) | m=float32[524288,32]",
    "middle-axis: sum(m, axis=1) | m=float32[1024,256,64]",
    "mean-var: var(a) | a=float32[%N]",
    "softmax: t = exp(m - max(m, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True) | "
    "m=float32[%R,%R]",
    "layernorm: t = m - mean(m, axis=1, keepdims=True); t / sqrt(mean(t*t, axis=1, keepdims=True) "
    "+ 1e-5) | m=float32[%R,%R]",
    "add-1000: a + b -> o | a=float32[1000] b=float32[1000] o=float32[1000]",
    NULL,
};

typedef struct job {
  gpucontext *ctx;
  problem p;
  GpuExpr *e;
} job;

static int job_call(void *arg) { return problem_run(&((job *)arg)->p, ((job *)arg)->e); }
static int job_wait(void *arg) { return gpucontext_sync(((job *)arg)->ctx); }

static size_t elements(const GpuArray *a) {
  size_t n = 1;
  unsigned int i;
  for (i = 0; i < a->nd; i++)
    if (a->strides[i] != 0) n *= a->dimensions[i];
  return n;
}

/* Bytes of memory that the elements of `a` lie in. A step over elements still
 * moves what it steps over, up to the 32-byte sectors memory is read in. */
static double touched(const GpuArray *a) {
  size_t size = gpuarray_get_elsize(a->typecode), step = SIZE_MAX;
  unsigned int i;
  for (i = 0; i < a->nd; i++) {
    size_t s = (size_t)(a->strides[i] < 0 ? -a->strides[i] : a->strides[i]);
    if (s != 0 && a->dimensions[i] > 1 && s < step) step = s;
  }
  if (step == SIZE_MAX || step < size) step = size;
  return (double)elements(a) * (double)(step > 32 ? (size > 32 ? size : 32) : step);
}

/* Bytes the problem must move, read and written. */
static int floor_bytes(double *r, double *w, job *j) {
  gpuexpr_info info;
  size_t dims[64], n = 1;
  unsigned int i;
  int err;
  info.size = sizeof info;
  err = GpuExpr_query(j->e, &info, dims, j->p.n, j->p.args);
  *r = *w = 0;
  for (i = 0; i < j->p.n; i++) {
    double bytes = touched(&j->p.arrays[i]);
    if ((int)i == j->p.into) *w += bytes;
    else *r += bytes;
  }
  for (i = 0; i < info.nd; i++) n *= dims[i];
  if (err == GA_NO_ERROR && j->p.into < 0)
    *w = (double)n * (double)gpuarray_get_elsize(info.typecode);
  return err;
}

static int row(gpucontext *ctx, const ceilings *c, const char *spec, double budget) {
  job j;
  work w = {job_call, job_wait, &j};
  timing t;
  double r, wr, rate;
  int err;

  memset(&j, 0, sizeof j);
  j.ctx = ctx;
  err = problem_init(&j.p, ctx, spec);
  if (err == GA_NO_ERROR) err = GpuExpr_new(&j.e, ctx, j.p.text, j.p.n, j.p.args);
  if (err == GA_NO_ERROR) err = floor_bytes(&r, &wr, &j);
  if (err == GA_NO_ERROR) err = timing_run(&t, &w, budget);
  if (err == GA_NO_ERROR) {
    rate = (r + wr) / t.median / 1e9;
    printf("%s\t%s\t%s\t%.2f\t%.2f\t%.2f\t%.1f\t%.3f\n", j.p.name, gpucontext_name(ctx),
           gpuarray_typename(j.p.arrays[0].typecode), t.median * 1e6, t.p10 * 1e6, t.p90 * 1e6,
           rate, rate / ceiling_for(c, r, wr));
    fflush(stdout);
  } else {
    fprintf(stderr, "bench: %s: %s\n", spec, gpuarray_error_message());
  }
  GpuExpr_free(j.e);
  problem_clear(&j.p);
  return err;
}

/* Copies `spec` with %N and %R replaced. */
static void expand(char *out, size_t size, const char *spec, int log2n) {
  size_t n = 0;
  for (; *spec && n + 24 < size; spec++) {
    if (spec[0] == '%' && (spec[1] == 'N' || spec[1] == 'R'))
      n += (size_t)snprintf(out + n, size - n, "%zu",
                            (size_t)1 << (*++spec == 'N' ? log2n : log2n / 2));
    else
      out[n++] = *spec;
  }
  out[n] = 0;
}

static int open_device(gpucontext **ctx, const char *device) {
  if (device != NULL) setenv("GPUARRAY_DEVICE", device, 1);
  return gpucontext_init(ctx, NULL, NULL);
}

int main(int argc, char **argv) {
  const char *device = NULL;
  double budget = 0.3;
  gpucontext *ctx;
  ceilings c;
  char spec[1024];
  int opt, gpu, failed = 0, i;

  while ((opt = getopt(argc, argv, "d:t:")) != -1) {
    if (opt == 'd') device = optarg;
    else if (opt == 't') budget = atof(optarg);
    else { fprintf(stderr, "usage: bench [-d DEVICE] [-t SECONDS] [PROBLEM]...\n"); return 2; }
  }
  GA_OR_DIE(open_device(&ctx, device));
  gpu = strncmp(gpucontext_name(ctx), "cuda", 4) == 0;
  GA_OR_DIE(ceilings_measure(&c, ctx, gpu ? (size_t)1 << 30 : (size_t)1 << 26, budget));
  printf("# ceilings, GB/s: copy %.0f, add %.0f, read %.0f, write %.0f; bare launch %.2f us\n",
         c.copy, c.add, c.read, c.write, c.launch * 1e6);
  printf("problem\tdevice\tdtype\tmedian_us\tp10_us\tp90_us\tGB/s\tshare\n");
  for (i = optind; i < argc; i++) failed |= row(ctx, &c, argv[i], budget);
  for (i = 0; optind == argc && table[i] != NULL; i++) {
    expand(spec, sizeof spec, table[i], gpu ? 28 : 24);
    failed |= row(ctx, &c, spec, budget);
  }
  gpucontext_deref(ctx);
  return failed != 0;
}
