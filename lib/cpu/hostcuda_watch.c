/* SPDX-License-Identifier: MIT */
/* Loops that wait for ever. A thread in a loop that may wait lets others run each
 * round, so what it waits for comes if any thread of the block, or a block on
 * another core, brings it. A team stalls while its block stays in one state: no
 * thread begins, ends, begins to wait anew, or passes a barrier or an operation of its warp;
 * but for those that may be part of such a loop: `while (!__syncthreads_or(*flag));`.
 *
 * Teams look at it now and then from within such loops. A round is over when each has
 * found itself stalled once since the round began: then all were waiting in it. Whoever goes
 * on in another state begins the count anew. When all wait, blocks that have not begun
 * may be waited for: they are begun in threads of their own, half as many more each
 * time. When none is left, and it goes on for GPUARRAY_WATCHDOG seconds (5; 0: for ever),
 * nobody could end the wait, and the launch fails. Loops that do more than wait, or look by a
 * function of the user's, may work: they get twelve times as long, and twelve times that where
 * threads meet meanwhile, as in a solver; where their bodies work it also takes half a second or
 * one before blocks more are begun. */
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

static double limit(int how)
{
  const char *s = getenv("GPUARRAY_WATCHDOG");
  char *end = NULL;
  double v = s != NULL ? strtod(s, &end) : 5;
  const int may_work = (how & (GA_HC_SPIN_WORKS | GA_HC_SPIN_CALLS)) != 0;
  if (s != NULL && (end == s || *end != '\0' || !(v >= 0))) v = 5;
  if (v == 0) return HUGE_VAL;
  return !may_work ? v : (how & GA_HC_SPIN_MEETS) != 0 ? 144 * v : 12 * v;
}

/* Differs whenever threads have met, or begun to wait. */
static uint64_t met(const ga_hc_team *t)
{
  uint64_t s = (t->begun * (uint64_t)31 + t->epoch) * 31 + t->arrived;
  for (unsigned int w = 0; w * GA_HC_WARP < t->nthread; w++) s = s * 31 + t->warp[w].epoch;
  return s;
}

/* Differs whenever something has gone on; never 0. */
static uint64_t state(const ga_hc_team *t)
{
  uint64_t s = t->loose ? 0 : met(t);
  return ((s * 31 + t->live) * 31 + t->nfree) | (uint64_t)1 << 63;
}

/* Somebody went on. */
static void begin_anew(ga_hc_all_wait *w)
{
  w->round++;
  w->found = 0;
  w->how = 0;
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
static void rest(const ga_hc_run *run, int how)
{
  enum { TEAM_NS = 20000, MOST_NS = 5000000, BUSY = GA_HC_SPIN_WORKS | GA_HC_SPIN_MEETS };
  const unsigned int teams = atomic_load(&run->teams);
  long ns = (long)teams * TEAM_NS;
  if (teams <= ga_pool_threads() || (how & BUSY) == BUSY)
    sched_yield();
  else
    nanosleep(&(struct timespec){.tv_nsec = ns < MOST_NS ? ns : MOST_NS}, NULL);
}

/* How many seconds all wait before blocks more are begun. */
static double patience(const ga_hc_run *run)
{
  const int how = run->wait.how;
  if ((how & GA_HC_SPIN_WORKS) != 0) return (how & GA_HC_SPIN_MEETS) != 0 ? 1 : 0.5;
  return atomic_load(&run->nhelper) > 0 ? 0 : 0.002;
}

/* All teams have waited for `now` seconds: what is to be done? */
enum verdict { REST, MORE, FAIL };
static enum verdict judge(const ga_hc_run *run, double now)
{
  if (now >= patience(run) && ga_hc_launch_left(run)) return MORE;
  return now > limit(run->wait.how) ? FAIL : REST;
}

/* The team is as it was when it looked last. */
static enum verdict stalled(ga_hc_team *t, int how)
{
  enum verdict v = REST;
  ga_hc_all_wait *w = &t->run->wait;
  pthread_mutex_lock(&w->lock);
  w->how |= how;
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

GA_HC_PLAIN void ga_hc_watch_look(ga_hc_team *t, int how, const char *file, unsigned int place)
{
  ga_hc_run *run = t->run;
  const uint64_t meetings = met(t);
  if (t->loose && meetings != t->watch.met) how |= GA_HC_SPIN_MEETS;
  const uint64_t now = state(t);
  if (atomic_load_explicit(&run->failed, memory_order_relaxed) != 0) ga_hc_abandon(t);
  if (t->watch.state != now) {
    ga_hc_watch_clear(t);
    t->watch.state = now;
    t->watch.met = meetings;
    sched_yield();
    return;
  }
  t->watch.met = meetings;
  enum verdict v = stalled(t, how);
  for (unsigned int n = atomic_load(&run->teams) / 2 + 1; v == MORE && n > 0; n--)
    if (!ga_hc_launch_more(run)) break;
  if (v == FAIL) waits_for_ever(t, file, place);
  rest(run, how);
}
