/* SPDX-License-Identifier: MIT */
/* Teams between launches: their stacks are kept, because a page that was touched
 * once need not be asked from the system again. At most as many are kept as
 * there are cores to use them. Stacks are reserved, not filled: a page takes
 * memory when a thread first touches it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hostcuda_check.h"
#include "hostcuda_team.h"
#include "lib/util/pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ga_hc_team *kept;
static unsigned int nkept;

/* A child of fork() finds the list whole and the lock free. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void hold(void) { pthread_mutex_lock(&lock); }
static void let_go(void) { pthread_mutex_unlock(&lock); }
static void renew(void) { pthread_mutex_init(&lock, NULL); }
static void prepare(void) { pthread_atfork(hold, let_go, renew); }

static void free_team(ga_hc_team *t)
{
  if (t == NULL) return;
  if (t->mapping != NULL) munmap(t->mapping, t->mapping_size);
  ga_hc_shadow_free(t->shadow);
  free(t->dynamic);
  free(t);
}

/* `n` stacks, each on a multiple of its size; below the first lies as much again, so
 * that the debugger sees a thread run over its stack's end. */
static int map_stacks(ga_hc_team *t, unsigned int n)
{
  t->mapping_size = ((size_t)n + 2) * GA_HC_STACK;
  t->mapping = mmap(NULL, t->mapping_size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (t->mapping == MAP_FAILED) {
    t->mapping = NULL;
    return 0;
  }
#ifdef MADV_NOHUGEPAGE
  madvise(t->mapping, t->mapping_size, MADV_NOHUGEPAGE);
#endif
  uintptr_t at = ((uintptr_t)t->mapping + GA_HC_STACK - 1) & ~(uintptr_t)(GA_HC_STACK - 1);
  t->stacks = (char *)at + GA_HC_STACK;
  t->nstack = n;
  return 1;
}

/* Enough stacks for the run, all a block can need where the system lets us. */
static int enough_stacks(ga_hc_team *t, const ga_hc_run *run)
{
  unsigned int need = run->f->k->block != NULL ? 1 : run->nthread;
  if (t->nstack >= need) return 1;
  if (t->mapping != NULL) munmap(t->mapping, t->mapping_size);
  t->mapping = NULL;
  t->nstack = 0;
  return map_stacks(t, need == 1 ? 1 : GA_HC_MAX_THREADS) || map_stacks(t, need);
}

/* More than enough: a checked kernel's access past the end is then known for one. */
static int enough_dynamic(ga_hc_team *t, size_t size)
{
  enum { ALIGN = 128, MORE = 4096 };
  if (size == 0 || size + MORE <= t->dynamic_size) return 1;
  size = (size + MORE + ALIGN - 1) / ALIGN * ALIGN;
  free(t->dynamic);
  t->dynamic_size = 0;
  t->dynamic = aligned_alloc(ALIGN, size);
  if (t->dynamic == NULL) return 0;
  t->dynamic_size = size;
  return 1;
}

/* Of the teams kept, one that has stacks enough if there is one. */
static ga_hc_team *from_kept(unsigned int need)
{
  ga_hc_team *t = NULL;
  pthread_once(&once, prepare);
  pthread_mutex_lock(&lock);
  ga_hc_team **at = &kept;
  while (*at != NULL && (*at)->nstack < need && (*at)->next != NULL) at = &(*at)->next;
  if (*at != NULL) {
    t = *at;
    *at = t->next;
    nkept--;
  }
  pthread_mutex_unlock(&lock);
  return t;
}

ga_hc_team *ga_hc_team_take(ga_hc_run *run)
{
  ga_hc_team *t = from_kept(run->f->k->block != NULL ? 1 : run->nthread);
  if (t == NULL) t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->run = run;
  if (!enough_stacks(t, run) || !enough_dynamic(t, run->shared)) {
    free_team(t);
    return NULL;
  }
  ga_hc_team_ready(t);
  if (run->f->m->table->check && !ga_hc_check_begin(t)) {
    free_team(t);
    return NULL;
  }
  return t;
}

void ga_hc_team_give(ga_hc_team *t)
{
  const unsigned int most = ga_pool_threads(); /* which may take a lock of its own */
  pthread_mutex_lock(&lock);
  int keep = nkept < most;
  if (keep) {
    t->next = kept;
    kept = t;
    nkept++;
  }
  pthread_mutex_unlock(&lock);
  if (!keep) free_team(t);
}
