/* SPDX-License-Identifier: MIT */
/* Teams between launches: their stacks are kept, because a page that was touched
 * once need not be asked from the system again. At most as many are kept as
 * there are cores to use them. Stacks are reserved, not filled: a page takes
 * memory when a thread first touches it. What large stacks took is given back when
 * the team next runs a module of small ones. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hostcuda_check.h"
#include "hostcuda_team.h"
#include "lib/util/lock.h"
#include "lib/util/pool.h"

static ga_lock lock = GA_LOCK;
static ga_hc_team *kept;
static unsigned int nkept;

/* ---- stacks ---------------------------------------------------------------------- */

/* Guards are marks in the tables of pages where the system has them (Linux 6.13), else
 * mappings of their own, of which a process may not have too many: stacks beyond
 * that go without. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
enum { MAX_SPLIT = 8192, NO_ADVICE = -1 };
static atomic_int nsplit;

static void guard(ga_hc_stacks *s, size_t size)
{
  char *p = s->base + s->safe++ * size;
  /* a system that takes every advice follows none (qemu's user mode) */
  if (madvise(p, GA_HC_GUARD(size), NO_ADVICE) != 0 &&
      madvise(p, GA_HC_GUARD(size), MADV_GUARD_INSTALL) == 0)
    return;
  if (atomic_fetch_add(&nsplit, 1) >= MAX_SPLIT || mprotect(p, GA_HC_GUARD(size), PROT_NONE) != 0)
    atomic_fetch_sub(&nsplit, 1);
  else
    s->split++;
}

static void unmap(ga_hc_stacks *s)
{
  if (s->mapping != NULL) munmap(s->mapping, s->mapping_size);
  atomic_fetch_sub(&nsplit, s->split);
  memset(s, 0, sizeof *s);
}

static void free_team(ga_hc_team *t)
{
  if (t == NULL) return;
  unmap(&t->small);
  unmap(&t->large);
  ga_hc_shadow_free(t->shadow);
  free(t->dynamic);
  free(t);
}

/* `n` stacks, each on a multiple of its size; below the first lies as much again, so
 * that the debugger sees a thread run over its stack's end. */
static int map(ga_hc_stacks *s, unsigned int n, size_t size)
{
  s->mapping_size = ((size_t)n + 2) * size;
  s->mapping = mmap(NULL, s->mapping_size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (s->mapping == MAP_FAILED) {
    s->mapping = NULL;
    return 0;
  }
#ifdef MADV_NOHUGEPAGE
  madvise(s->mapping, s->mapping_size, MADV_NOHUGEPAGE);
#endif
  uintptr_t at = ((uintptr_t)s->mapping + size - 1) & ~(uintptr_t)(size - 1);
  s->base = (char *)at + size;
  s->n = n;
  return 1;
}

static unsigned int stacks_for(const ga_hc_run *run)
{
  return run->f->k->block != NULL ? 1 : run->nthread;
}

/* Enough stacks for the run, all a block can need where the system lets us. */
static int enough_stacks(ga_hc_team *t, const ga_hc_run *run)
{
  const unsigned int need = stacks_for(run);
  const size_t size = run->f->m->table->stack;
  ga_hc_stacks *s = size > GA_HC_STACK_SMALL ? &t->large : &t->small;
  if (s == &t->small && t->stack > size)
    madvise(t->large.mapping, t->large.mapping_size, MADV_DONTNEED);
  t->stack = 0;
  if (s->n < need) {
    unmap(s);
    if (!map(s, need == 1 ? 1 : GA_HC_MAX_THREADS, size) && !map(s, need, size)) return 0;
  }
  while (s->safe < need) guard(s, size);
  t->stacks = s->base;
  t->nstack = s->n;
  t->stack = size;
  return 1;
}

/* ---- teams ------------------------------------------------------------------------- */

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

static int has_stacks(const ga_hc_team *t, const ga_hc_run *run)
{
  const ga_hc_stacks *s = run->f->m->table->stack > GA_HC_STACK_SMALL ? &t->large : &t->small;
  return s->n >= stacks_for(run);
}

/* Of the teams kept, one that has stacks enough if there is one. */
static ga_hc_team *from_kept(const ga_hc_run *run)
{
  ga_hc_team *t = NULL;
  ga_lock_take(&lock);
  ga_fork_delay();
  ga_hc_team **at = &kept;
  while (*at != NULL && !has_stacks(*at, run) && (*at)->next != NULL) at = &(*at)->next;
  if (*at != NULL) {
    t = *at;
    *at = t->next;
    nkept--;
  }
  ga_fork_allow();
  ga_lock_give(&lock);
  return t;
}

ga_hc_team *ga_hc_team_take(ga_hc_run *run)
{
  ga_hc_team *t = from_kept(run);
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
  ga_lock_take(&lock);
  ga_fork_delay();
  int keep = nkept < most;
  if (keep) {
    t->next = kept;
    kept = t;
    nkept++;
  }
  ga_fork_allow();
  ga_lock_give(&lock);
  if (!keep) free_team(t);
}
