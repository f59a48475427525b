/* SPDX-License-Identifier: MIT */
/* A lock notes the number of forks behind its process. Where that is not the
 * process's own, the lock was made for another, in which a thread may have held it. */
#include "lib/util/lock.h"

#include "lib/util/forks.h"

static pthread_mutex_t renewing = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;

static void before(void)
{
  pthread_mutex_lock(&renewing);
  pthread_mutex_lock(&whole);
}

static void after(void)
{
  pthread_mutex_unlock(&whole);
  pthread_mutex_unlock(&renewing);
}

/* At load, as ga_forks counts. */
__attribute__((constructor)) static void watch(void) { pthread_atfork(before, after, after); }

void ga_lock_init(ga_lock *l)
{
  pthread_mutex_init(&l->mutex, NULL);
  atomic_init(&l->forks, ga_forks());
}

/* One that a thread held which is not there any more is left as it is. */
void ga_lock_clear(ga_lock *l)
{
  if (atomic_load(&l->forks) == ga_forks()) pthread_mutex_destroy(&l->mutex);
}

static void renew(ga_lock *l, unsigned int forks)
{
  pthread_mutex_lock(&renewing);
  if (atomic_load(&l->forks) != forks) {
    pthread_mutex_init(&l->mutex, NULL);
    atomic_store_explicit(&l->forks, forks, memory_order_release);
  }
  pthread_mutex_unlock(&renewing);
}

void ga_lock_take(ga_lock *l)
{
  unsigned int forks = ga_forks();
  if (atomic_load_explicit(&l->forks, memory_order_acquire) != forks) renew(l, forks);
  pthread_mutex_lock(&l->mutex);
}

void ga_lock_give(ga_lock *l) { pthread_mutex_unlock(&l->mutex); }

void ga_fork_delay(void) { pthread_mutex_lock(&whole); }

void ga_fork_allow(void) { pthread_mutex_unlock(&whole); }
