/* SPDX-License-Identifier: MIT */
/* Loops that wait for ever. A thread in a loop that may wait lets others run each
 * round, so what it waits for comes if any thread of the block, or a block on
 * another core, brings it. A team stalls while its block stays in one state: no
 * thread begins, ends, or passes a barrier or an operation of its warp.
 *
 * Teams look at it now and then from within such loops. A round is over when each has
 * found itself stalled once since the round began: then all were waiting in it. Whoever goes
 * on in another state begins the count anew. When all wait, blocks that have not begun
 * may be waited for: they are begun in threads of their own, half as many more each
 * time. When none is left, and it goes on for GPUARRAY_WATCHDOG seconds (5; 0: for ever),
 * nobody could end the wait, and the launch fails. Loops whose bodies do more than wait may
 * work and not wait: they get twelve times as long, and half a second before blocks more
 * are begun. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hostcuda_team.h"
#include "lib/util/pool.h"

static double seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double limit(const ga_hc_all_wait *w)
{
  const char *s = getenv("GPUARRAY_WATCHDOG");
  char *end = NULL;
  double v = s != NULL ? strtod(s, &end) : 5;
  if (s != NULL && (end == s || *end != '\0' || !(v >= 0))) v = 5;
  if (v == 0) return HUGE_VAL;
  return w->works ? 12 * v : v;
}

/* Differs whenever something has gone on; never 0. */
static uint64_t state(const ga_hc_team *t)
{
  uint64_t s = t->epoch;
  for (unsigned int w = 0; w * GA_HC_WARP < t->nthread; w++) s = s * 31 + t->warp[w].epoch;
  s = (s * 31 + t->live) * 31 + t->nfree;
  return (s * 31 + t->arrived) | (uint64_t)1 << 63;
}

/* Somebody went on. */
static void begin_anew(ga_hc_all_wait *w)
{
  w->round++;
  w->found = 0;
  w->works = 0;
  w->since = 0;
}

GA_HC_PLAIN void ga_hc_watch_clear(ga_hc_team *t)
{
  ga_hc_all_wait *w = &t->run->wait;
  pthread_mutex_lock(&w->lock);
  begin_anew(w);
  pthread_mutex_unlock(&w->lock);
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
  ga_hc_report(t, t->current, where, "waits in a loop for what no other thread does");
  ga_hc_abandon(t);
}

/* Others may need the core: the more teams there are, the longer. */
static void rest(const ga_hc_run *run)
{
  enum { TEAM_NS = 20000, MOST_NS = 5000000 };
  const unsigned int teams = atomic_load(&run->teams);
  long ns = (long)teams * TEAM_NS;
  if (teams <= ga_pool_threads())
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = ns < MOST_NS ? ns : MOST_NS}, NULL);
}

/* All teams have waited for `now` seconds: what is to be done? */
enum verdict { REST, MORE, FAIL };
static enum verdict judge(const ga_hc_run *run, double now)
{
  const ga_hc_all_wait *w = &run->wait;
  const double patience = w->works ? 0.5 : atomic_load(&run->nhelper) > 0 ? 0 : 0.002;
  if (now >= patience && ga_hc_launch_left(run)) return MORE;
  return now > limit(w) ? FAIL : REST;
}

/* The team is as it was when it looked last. */
static enum verdict stalled(ga_hc_team *t, int waits)
{
  enum verdict v = REST;
  ga_hc_all_wait *w = &t->run->wait;
  pthread_mutex_lock(&w->lock);
  w->works |= !waits;
  if (t->watch.round != w->round || !t->watch.found) {
    t->watch.round = w->round;
    t->watch.found = 1;
    w->found++;
  }
  if (w->found >= atomic_load(&t->run->teams)) { /* the round is over */
    const double now = seconds();
    if (w->since == 0) w->since = now;
    v = judge(t->run, now - w->since);
    w->round++;
    w->found = 0;
  }
  pthread_mutex_unlock(&w->lock);
  return v;
}

GA_HC_PLAIN void ga_hc_watch_look(ga_hc_team *t, int waits, const char *file, unsigned int place)
{
  ga_hc_run *run = t->run;
  const uint64_t now = state(t);
  if (atomic_load_explicit(&run->failed, memory_order_relaxed) != 0) ga_hc_abandon(t);
  if (t->watch.state != now) {
    ga_hc_watch_clear(t);
    t->watch.state = now;
    sched_yield();
    return;
  }
  enum verdict v = stalled(t, waits);
  for (unsigned int n = atomic_load(&run->teams) / 2 + 1; v == MORE && n > 0; n--)
    if (!ga_hc_launch_more(run)) break;
  if (v == FAIL) waits_for_ever(t, file, place);
  rest(run);
}
