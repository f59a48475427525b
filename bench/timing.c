/* SPDX-License-Identifier: MIT */
/* Times repeated work: warms up, finds how many calls make a sample of about a
 * millisecond, and takes the percentiles of the samples. */
#include "timing.h"

#include <stdlib.h>
#include <time.h>

#define MAXSAMPLES 201
#define SAMPLE     1e-3

double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sample(double *seconds, const work *w, unsigned int calls)
{
  double start = now();
  unsigned int i;
  int err = 0;
  for (i = 0; i < calls && err == 0; i++) err = w->call(w->arg);
  if (err == 0) err = w->wait(w->arg);
  *seconds = (now() - start) / calls;
  return err;
}

static int ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int timing_run(timing *t, const work *w, double budget)
{
  double s[MAXSAMPLES], one, start;
  unsigned int calls = 1, n = 0;
  int err;

  err = sample(&one, w, 1); /* compiles, touches pages */
  if (err == 0) err = sample(&one, w, 3);
  while (err == 0 && one * calls < SAMPLE && calls < 4096) {
    calls *= 2;
    err = sample(&one, w, calls);
  }
  for (start = now(); err == 0 && n < MAXSAMPLES && (n < 5 || now() - start < budget); n++)
    err = sample(&s[n], w, calls);
  if (err != 0) return err;
  qsort(s, n, sizeof *s, ascending);
  t->median = s[n / 2];
  t->p10 = s[n / 10];
  t->p90 = s[n - 1 - n / 10];
  return 0;
}
