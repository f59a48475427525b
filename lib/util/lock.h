/* SPDX-License-Identifier: MIT */
/* Locks that a forked child finds free. What a lock guards may have been half changed
 * by a thread that the child does not have; there are two ways to keep it whole:
 * changes of one atomic store, or short ones that fork() waits for.
 *
 *     static ga_lock lock = GA_LOCK;
 *     ga_lock_take(&lock);
 *     ga_fork_delay();
 *     ...several stores that belong together...
 *     ga_fork_allow();
 *     ga_lock_give(&lock); */
#ifndef GA_UTIL_LOCK_H
#define GA_UTIL_LOCK_H

#include <pthread.h>
#include <stdatomic.h>

typedef struct ga_lock {
  pthread_mutex_t mutex;
  atomic_uint forks; /* behind the process whose the mutex is */
} ga_lock;

#define GA_LOCK                  \
  {                              \
    PTHREAD_MUTEX_INITIALIZER, 0 \
  }

void ga_lock_init(ga_lock *l);
void ga_lock_clear(ga_lock *l);

/** Takes the lock; the first to want it in a forked child makes it anew. */
void ga_lock_take(ga_lock *l);
void ga_lock_give(ga_lock *l);

/** What lies between the two is done before the process is forked, or after. No other
 * lock may be taken there, nor anything called that could fork. */
void ga_fork_delay(void);
void ga_fork_allow(void);

#endif
