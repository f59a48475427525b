/* SPDX-License-Identifier: MIT */
/* Times of repeated work: median, 10th and 90th percentile of many samples,
 * each sample several calls long so that the clock does not matter. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

typedef struct timing {
  double median, p10, p90; /* seconds a call */
} timing;

/* A piece of work: `call` starts it once, `wait` returns when all started work
 * is done. Both return 0, or not to stop. */
typedef struct work {
  int (*call)(void *arg);
  int (*wait)(void *arg);
  void *arg;
} work;

double now(void); /* seconds */

/* Runs `w` for about `budget` seconds after warming up; 0, or the first error. */
int timing_run(timing *t, const work *w, double budget);

#endif
