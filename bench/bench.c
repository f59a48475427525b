/* SPDX-License-Identifier: MIT */
/* Times problems (problem.h) on a device and prints a row each, with the share of
 * the ceiling for its bytes, which is measured in the same process.
 *
 *   bench [-s] [-d DEVICE] [-t SECONDS] [PROBLEM]...
 *
 * A problem is a text (%N is the device's size), the name of one of problems.def, or - for those
 * of standard input, a line each. Without any it runs all of problems.def; -s runs a few of them at
 * many sizes. Columns, tab-separated:
 * class, problem, device, dtype of the first array, megabytes moved, median, p10 and p90 in
 * microseconds, GB/s, share of the ceiling. Bytes are those the expression must move: each input
 * read once, each output written once, by sectors of 32 bytes; those that an output fills in
 * part are read too. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ceilings.h"
#include "problem.h"
#include "timing.h"

static const struct {
  const char *kind, *spec;
} table[] = {
#define PROBLEM(kind, spec) {kind, spec},
#include "problems.def"
#undef PROBLEM
};

/* What -s runs at sizes from 2^10 up: one problem of each way through the memory. */
static const char *const sweep[] = {
    "add: a + b -> o | a=float32[%N] b=float32[%N] o=float32[%N]",
    "bias: m + v -> o | m=float32[%N/256,256] v=float32[256] o=float32[%N/256,256]",
    "transposed: m + n -> o | m=float32[%N/32,32] n=float32[%N/32,32]/t o=float32[%N/32,32]",
    "sumsq: sum(a*a) | a=float32[%N]",
    "row-sums: sum(m, axis=1) | m=float32[%N/1024,1024]",
    "column-sums: sum(m, axis=0) | m=float32[%N/512,512]",
    ("softmax: t = exp(m - max(m, axis=1, keepdims=True)); t / sum(t, axis=1, keepdims=True) | "
     "m=float32[%N/1024,1024]"),
};

typedef struct job {
  gpucontext *ctx;
  problem p;
  GpuExpr *e;
} job;

static int job_call(void *arg) { return problem_run(&((job *)arg)->p, ((job *)arg)->e); }
static int job_wait(void *arg) { return gpucontext_sync(((job *)arg)->ctx); }

static size_t elements(const GpuArray *a)
{
  size_t n = 1;
  unsigned int i;
  for (i = 0; i < a->nd; i++)
    if (a->strides[i] != 0) n *= a->dimensions[i];
  return n;
}

#define SECTOR 32.0 /* bytes that memory moves at least */

/* The axis that moves, by `least` bytes at least, with the smallest step; nd where none does. */
static unsigned int next_axis(const GpuArray *a, size_t least)
{
  unsigned int found = a->nd;
  size_t best = SIZE_MAX;
  for (unsigned int i = 0; i < a->nd; i++) {
    size_t s = (size_t)(a->strides[i] < 0 ? -a->strides[i] : a->strides[i]);
    if (s < least || s >= best || a->dimensions[i] < 2) continue;
    best = s;
    found = i;
  }
  return found;
}

/* Bytes of the sectors that the elements of `a` lie in, and (*cut) of those that they do not
 * fill: memory keeps whole ones, so writing those reads them too. Runs of neighbours begin
 * at any element of a sector; those with small gaps share sectors. */
static double touched(const GpuArray *a, double *cut)
{
  size_t size = gpuarray_get_elsize(a->typecode), run = size, pitch = 0;
  double n = (double)elements(a), slack = size < 32 ? SECTOR - (double)size : 0, bytes, full;
  for (unsigned int i; pitch == 0 && (i = next_axis(a, run)) < a->nd;) {
    size_t s = (size_t)(a->strides[i] < 0 ? -a->strides[i] : a->strides[i]);
    if (s == run)
      run *= a->dimensions[i];
    else
      pitch = s;
  }
  n /= (double)(run / size);
  *cut = 0;
  if (pitch == 0 || (run % 32 == 0 && pitch % 32 == 0)) return n * (double)run;
  bytes = (double)run + slack;
  full = (double)run > slack ? (double)run - slack : 0;
  if (bytes > (double)pitch) bytes = (double)pitch;
  if (full < bytes) *cut = n * (bytes - full);
  return n * bytes;
}

/* Bytes the problem must move, read and written. */
static int floor_bytes(double *r, double *w, job *j)
{
  gpuexpr_info info;
  size_t dims[64], n = 1;
  unsigned int i;
  int err;
  info.size = sizeof info;
  err = GpuExpr_query(j->e, &info, dims, j->p.n, j->p.args);
  *r = *w = 0;
  for (i = 0; i < j->p.n; i++) {
    double cut, bytes = touched(&j->p.arrays[i], &cut);
    if ((int)i == j->p.into) {
      *w += bytes;
      *r += cut;
    } else {
      *r += bytes;
    }
  }
  for (i = 0; i < info.nd; i++) n *= dims[i];
  if (err == GA_NO_ERROR && j->p.into < 0)
    *w = (double)n * (double)gpuarray_get_elsize(info.typecode);
  return err;
}

static int row(gpucontext *ctx, const ceilings *c, const char *kind, const char *spec,
               double budget)
{
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
    printf("%s\t%s\t%s\t%s\t%.6g\t%.2f\t%.2f\t%.2f\t%.1f\t%.3f\n", kind, j.p.name,
           gpucontext_name(ctx), gpuarray_typename(j.p.arrays[0].typecode), (r + wr) / 1e6,
           t.median * 1e6, t.p10 * 1e6, t.p90 * 1e6, rate, rate / ceiling_for(c, r, wr));
    fflush(stdout);
  } else {
    fprintf(stderr, "bench: %s: %s\n", spec, gpuarray_error_message());
  }
  GpuExpr_free(j.e);
  problem_clear(&j.p);
  return err;
}

static int run_table(gpucontext *ctx, const ceilings *c, int log2n, double budget)
{
  char spec[1024];
  size_t i;
  int failed = 0;
  for (i = 0; i < sizeof table / sizeof *table; i++) {
    problem_expand(spec, sizeof spec, table[i].spec, log2n);
    failed |= row(ctx, c, table[i].kind, spec, budget);
  }
  return failed;
}

/* The problem of that name, or the text itself. */
static const char *spec_of(const char *given)
{
  size_t n = strlen(given);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strncmp(table[i].spec, given, n) == 0 && table[i].spec[n] == ':') return table[i].spec;
  return given;
}

static int run_given(gpucontext *ctx, const ceilings *c, const char *given, int log2n,
                     double budget)
{
  char spec[1024];
  problem_expand(spec, sizeof spec, spec_of(given), log2n);
  return row(ctx, c, "given", spec, budget);
}

static int run_lines(gpucontext *ctx, const ceilings *c, int log2n, double budget)
{
  char *line = NULL;
  size_t room = 0;
  int failed = 0;
  while (getline(&line, &room, stdin) > 0) {
    line[strcspn(line, "\n")] = 0;
    failed |= run_given(ctx, c, line, log2n, budget);
  }
  free(line);
  return failed;
}

static int run_sweep(gpucontext *ctx, const ceilings *c, int log2n, double budget)
{
  char spec[1024];
  size_t i;
  int failed = 0, k;
  for (i = 0; i < sizeof sweep / sizeof *sweep; i++)
    for (k = 10; k <= log2n; k += 2) {
      problem_expand(spec, sizeof spec, sweep[i], k);
      failed |= row(ctx, c, "sizes", spec, budget / 3);
    }
  return failed;
}

/* The card's own name and the software under it, for who reads the figures later. */
static void print_header(gpucontext *ctx, const ceilings *c)
{
  char name[256] = "";
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name);
  printf("# device: %s\n", name);
  printf("# ceilings, GB/s: copy %.0f, add %.0f, read %.0f, write %.0f; bare launch %.2f us\n",
         c->copy, c->add, c->read, c->write, c->launch * 1e6);
  printf("class\tproblem\tdevice\tdtype\tMB\tmedian_us\tp10_us\tp90_us\tGB/s\tshare\n");
}

static int open_device(gpucontext **ctx, const char *device)
{
  if (device != NULL) setenv("GPUARRAY_DEVICE", device, 1);
  return gpucontext_init(ctx, NULL, NULL);
}

int main(int argc, char **argv)
{
  const char *device = NULL;
  double budget = 0.3;
  gpucontext *ctx;
  ceilings c;
  int opt, sizes = 0, gpu, log2n, failed = 0;

  while ((opt = getopt(argc, argv, "sd:t:h")) != -1) {
    if (opt == 's')
      sizes = 1;
    else if (opt == 'd')
      device = optarg;
    else if (opt == 't')
      budget = atof(optarg);
    else {
      fprintf(opt == 'h' ? stdout : stderr,
              "usage: bench [-s] [-d DEVICE] [-t SECONDS] [PROBLEM]...\n");
      return opt == 'h' ? 0 : 2;
    }
  }
  GA_OR_DIE(open_device(&ctx, device));
  gpu = strncmp(gpucontext_name(ctx), "cuda", 4) == 0;
  GA_OR_DIE(ceilings_measure(&c, ctx, gpu ? (size_t)1 << 30 : (size_t)1 << 26, budget));
  print_header(ctx, &c);
  log2n = gpu ? 28 : 24;
  if (optind == argc) failed = (sizes ? run_sweep : run_table)(ctx, &c, log2n, budget);
  for (; optind < argc; optind++)
    failed |= strcmp(argv[optind], "-") == 0 ? run_lines(ctx, &c, log2n, budget)
                                             : run_given(ctx, &c, argv[optind], log2n, budget);
  gpucontext_deref(ctx);
  return failed != 0;
}
