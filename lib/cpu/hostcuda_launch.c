/* SPDX-License-Identifier: MIT */
/* A launch: its blocks spread over the pool's threads in rising order, so that a
 * block may wait for earlier ones. Where all blocks at work wait in loops, it is for later
 * ones, maybe, as at a barrier of the whole grid: then a thread more takes the next block
 * (hostcuda_watch.c says when), up to as many as a large GPU has blocks at once. All is
 * done when the launch returns. */
#include <pthread.h>
#include <signal.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hostcuda_shared.h"
#include "hostcuda_team.h"
#include "hostcuda_trap.h"
#include "lib/util/fpmode.h"
#include "lib/util/pool.h"

enum { MAX_GRID_YZ = 65535, MAX_BLOCK_Z = 64, PIECES = 64 };

int ga_hc_reverse;

int ga_hc_func_info(ga_func_info *info, ga_func *f)
{
  info->nargs = f->k->nargs;
  info->arg_size = (const size_t *)f->k->arg_size;
  info->arg_offset = (const size_t *)f->k->arg_offset;
  info->args_size = f->k->args_size;
  info->max_threads = f->k->max_threads;
  info->preferred_threads = GA_HC_WARP;
  return GA_NO_ERROR;
}

static int check_launch(const ga_func *f, const size_t g[3], const size_t b[3], size_t shared,
                        size_t nargs)
{
  if (g[0] == 0 || g[1] == 0 || g[2] == 0 || g[0] > INT_MAX || g[1] > MAX_GRID_YZ ||
      g[2] > MAX_GRID_YZ)
    return ga_error(GA_VALUE_ERROR,
                    "launch of %s: grid (%zu, %zu, %zu); extents from 1 to 2^31-1, 65535 and "
                    "65535 are possible",
                    f->k->name, g[0], g[1], g[2]);
  if (b[0] == 0 || b[1] == 0 || b[2] == 0 || b[0] > GA_HC_MAX_THREADS || b[1] > GA_HC_MAX_THREADS ||
      b[2] > MAX_BLOCK_Z || b[0] * b[1] * b[2] > GA_HC_MAX_THREADS)
    return ga_error(GA_VALUE_ERROR,
                    "launch of %s: block (%zu, %zu, %zu); extents from 1 to 1024, 1024 and 64, "
                    "and 1024 threads in all, are possible",
                    f->k->name, b[0], b[1], b[2]);
  if (b[0] * b[1] * b[2] > f->k->max_threads)
    return ga_error(GA_VALUE_ERROR,
                    "launch of %s: block (%zu, %zu, %zu) has %zu threads, the kernel's "
                    "__launch_bounds__ allows %u",
                    f->k->name, b[0], b[1], b[2], b[0] * b[1] * b[2], f->k->max_threads);
  if (shared > GA_HC_SHARED_MOST - f->shared)
    return ga_error(GA_VALUE_ERROR,
                    "launch of %s: %zu bytes of shared memory asked for, beside %zu of its static "
                    "arrays; the cpu device has %d",
                    f->k->name, shared, f->shared, GA_HC_SHARED_MOST);
  if (nargs < f->k->args_size)
    return ga_error(GA_VALUE_ERROR, "launch of %s: %zu bytes of arguments, it takes %zu",
                    f->k->name, nargs, (size_t)f->k->args_size);
  return GA_NO_ERROR;
}

/* A team for the calling thread; NULL: no memory, which is the run's error. */
static ga_hc_team *take_team(ga_hc_run *run)
{
  int none = 0;
  ga_hc_team *t = ga_hc_team_take(run);
  if (t == NULL && atomic_compare_exchange_strong(&run->failed, &none, 1)) {
    snprintf(run->message, sizeof run->message, "launch of %s: out of memory for %u stacks",
             run->f->k->name, run->nthread);
    run->code = GA_MEMORY_ERROR;
    atomic_store(&run->failed, 2);
  }
  if (t != NULL) ga_hc_trap_ready();
  return t;
}

/* One thread's part, which is counted in `teams`: pieces of `chunk` blocks, until there are
 * none or a block failed. */
static void work(ga_hc_run *run)
{
  ga_hc_team *t = NULL;
  for (size_t i; (i = atomic_fetch_add(&run->next, run->chunk)) < run->nblock;) {
    size_t end = run->nblock - i > run->chunk ? i + run->chunk : run->nblock;
    if (atomic_load_explicit(&run->failed, memory_order_relaxed) != 0) break;
    if (t == NULL && (t = take_team(run)) == NULL) break;
    for (; i < end; i++)
      if (!ga_hc_team_block(t, run->reverse ? run->nblock - 1 - i : i)) break;
  }
  if (t != NULL) ga_hc_team_give(t);
}

static void part(void *arg, ga_share *share)
{
  ga_hc_run *run = arg;
  size_t piece;
  atomic_fetch_add(&run->teams, 1);
  while (ga_pool_next(share, &piece)) work(run);
  atomic_fetch_sub(&run->teams, 1);
}

/* ---- more threads ------------------------------------------------------------- */

static void *helper(void *arg)
{
  ga_hc_run *run = arg;
  (void)ga_fpmode_enter();
  work(run);
  atomic_fetch_sub(&run->teams, 1);
  return NULL;
}

/* Starts helper number i. */
static int start(ga_hc_run *run, unsigned int i)
{
  enum { STACK = 256 * 1024 };
  static const int faults[] = GA_FAULTS;
  sigset_t all, old;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return 0;
  pthread_attr_setstacksize(&attr, STACK);
  sigfillset(&all);
  for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) sigdelset(&all, faults[k]);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int started = pthread_create(&run->helper[i], &attr, helper, run) == 0;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
  return started;
}

int ga_hc_launch_left(const ga_hc_run *run)
{
  return !run->full && atomic_load(&run->nhelper) < GA_HC_HELPERS &&
         atomic_load(&run->next) < run->nblock;
}

int ga_hc_launch_more(ga_hc_run *run)
{
  int started = 0;
  pthread_mutex_lock(&run->wait.lock);
  if (ga_hc_launch_left(run)) {
    atomic_fetch_add(&run->teams, 1);
    started = start(run, atomic_load(&run->nhelper));
    atomic_fetch_add(&run->nhelper, (unsigned int)started);
    atomic_fetch_sub(&run->teams, (unsigned int)!started);
    run->full = !started;
  }
  pthread_mutex_unlock(&run->wait.lock);
  return started;
}

int ga_hc_launch(ga_func *f, const size_t grid[3], const size_t block[3], size_t shared,
                 const void *args, size_t nargs)
{
  GA_TRY(check_launch(f, grid, block, shared, nargs));
  ga_hc_run run = {
      .f = f,
      .grid = {(unsigned int)grid[0], (unsigned int)grid[1], (unsigned int)grid[2]},
      .block = {(unsigned int)block[0], (unsigned int)block[1], (unsigned int)block[2]},
      .nblock = grid[0] * grid[1] * grid[2],
      .nthread = (unsigned int)(block[0] * block[1] * block[2]),
      .shared = shared,
      .args = args,
      .reverse = ga_hc_reverse,
      .wait.lock = PTHREAD_MUTEX_INITIALIZER};
  const size_t threads = ga_pool_threads();
  run.chunk = run.nblock / (PIECES * threads);
  if (run.chunk > PIECES) run.chunk = PIECES;
  if (run.chunk < 1 || f->k->block == NULL) run.chunk = 1; /* one may wait for the next */
  ga_pool_run(run.nblock < threads ? run.nblock : threads, part, &run);
  for (unsigned int i = 0; i < atomic_load(&run.nhelper); i++) pthread_join(run.helper[i], NULL);
  pthread_mutex_destroy(&run.wait.lock);
  if (atomic_load(&run.failed) == 0) return GA_NO_ERROR;
  return ga_error(run.code, "%s", run.message);
}
