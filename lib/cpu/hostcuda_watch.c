/* SPDX-License-Identifier: MIT */
/* Loops that wait for ever. A thread in a loop that may wait lets others run each
 * round, so what it waits for comes if any thread of the block, or a block on
 * another core, brings it. A team stalls while its block stays in one state: no
 * thread begins, ends, or passes a barrier or an operation of its warp. When all
 * teams of a launch have stalled for GPUARRAY_WATCHDOG seconds (5; 0: for ever)
 * nobody is left who could end the wait, and the launch fails. Loops whose bodies
 * do more than wait may work and not wait: they get twelve times as long. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hostcuda_team.h"

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double limit(const ga_hc_team *t)
{
  const char *s = getenv("GPUARRAY_WATCHDOG");
  char *end = NULL;
  double v = s != NULL ? strtod(s, &end) : 5;
  if (s != NULL && (end == s || *end != '\0' || !(v >= 0))) v = 5;
  if (v == 0) return HUGE_VAL;
  return t->watch.works ? 12 * v : v;
}

/* Differs whenever something has gone on; never 0. */
static uint64_t state(const ga_hc_team *t)
{
  uint64_t s = t->epoch;
  for (unsigned int w = 0; w * GA_HC_WARP < t->nthread; w++) s = s * 31 + t->warp[w].epoch;
  s = (s * 31 + t->live) * 31 + t->nfree;
  return (s * 31 + t->arrived) | (uint64_t)1 << 63;
}

GA_HC_PLAIN void ga_hc_watch_clear(ga_hc_team *t)
{
  if (t->watch.stalled) atomic_fetch_sub(&t->run->stalled, 1);
  memset(&t->watch, 0, sizeof t->watch);
}

static GA_HC_PLAIN _Noreturn void waits_for_ever(ga_hc_team *t, const char *file,
                                                 unsigned int place)
{
  char where[160];
  if (file != NULL)
    snprintf(where, sizeof where, "%s:%u", file, place);
  else
    ga_hc_place_text(where, sizeof where, t->run->f->m->table, place);
  ga_hc_report(t, t->current, where,
               "waits in a loop for what no other thread does (blocks run in rising order, one on "
               "each core)");
  ga_hc_abandon(t);
}

GA_HC_PLAIN void ga_hc_watch_look(ga_hc_team *t, int waits, const char *file, unsigned int place)
{
  ga_hc_run *run = t->run;
  const uint64_t now = state(t);
  if (atomic_load_explicit(&run->failed, memory_order_relaxed) != 0) ga_hc_abandon(t);
  if (t->watch.state != now) {
    ga_hc_watch_clear(t);
    t->watch.state = now;
    t->watch.since = seconds();
  } else if (!t->watch.stalled) {
    t->watch.stalled = 1;
    atomic_fetch_add(&run->stalled, 1);
  }
  t->watch.works |= !waits;
  if (atomic_load(&run->stalled) >= atomic_load(&run->teams) &&
      seconds() - t->watch.since > limit(t))
    waits_for_ever(t, file, place);
  sched_yield();
}
