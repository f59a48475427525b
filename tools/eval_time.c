/* SPDX-License-Identifier: MIT */
/* gpuarray eval --time: what the evaluation cost, to stderr. The results are
 * saved or printed already, so that more calls may run, which write in place
 * what the text writes in place. */
#include "cmd_eval.h"

#include <stdlib.h>
#include <time.h>

double eval_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* One call more, its new arrays freed; its seconds, negative when it fails. */
static double again(const eval_job *job, gpucontext *ctx, GpuExpr *e, int has_value,
                    const gpuarg *args)
{
  GpuArray result = {0};
  for (unsigned int i = 0; i < job->nvalue; i++)
    if (args[i].kind == GA_ARG_NEW) GpuArray_clear(args[i].v.array);
  double start = eval_clock();
  int err = GpuExpr_call(e, has_value ? &result : NULL, job->nvalue, args);
  if (err == GA_NO_ERROR) err = gpucontext_sync(ctx);
  double seconds = eval_clock() - start;
  GpuArray_clear(&result);
  return err == GA_NO_ERROR ? seconds : -1;
}

void eval_report(const eval_job *job, gpucontext *ctx, GpuExpr *e, int has_value, double load,
                 double first)
{
  enum { LEAST = 5, MOST = 101 };
  double t[MOST], start = eval_clock();
  char device[256] = "?";
  gpuexpr_info info = {.size = sizeof info};
  int n = 0;
  gpuarg *args = calloc(job->nvalue + 1u, sizeof *args);
  if (args == NULL) return;
  for (unsigned int i = 0; i < job->nvalue; i++) args[i] = job->values[i].arg;
  gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, device);
  if (GpuExpr_query(e, &info, NULL, job->nvalue, args) != GA_NO_ERROR) info.stages = 0;
  while (n < MOST && (n < LEAST || eval_clock() - start < 0.5)) {
    if ((n > 0 ? t[n - 1] : first) > 0.1)
      tool_progress("%s: call %d of %d more", tool_where, n + 1, LEAST);
    t[n] = again(job, ctx, e, has_value, args);
    if (t[n] < 0) break;
    n++;
  }
  free(args);
  tool_progress_end();
  fflush(stdout);
  fprintf(stderr, "device      %s\n", device);
  fprintf(stderr, "load        %10.6f s\n", load);
  fprintf(stderr, "first call  %10.6f s, with planning and compiling\n", first);
  if (n == 0) return;
  qsort(t, (size_t)n, sizeof t[0], compare);
  double bytes = (double)(info.bytes_read + info.bytes_written);
  fprintf(stderr, "next calls  %10.6f s, median of %d; %u kernel%s, %.0f bytes, %.2f GB/s\n",
          t[n / 2], n, info.stages, info.stages == 1 ? "" : "s", bytes, bytes / t[n / 2] * 1e-9);
}
