/* SPDX-License-Identifier: MIT */
/* A counter that every child of fork() finds one higher. */
#include "lib/util/forks.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint forks;

static void count(void) { atomic_fetch_add(&forks, 1); }

static void watch(void) { pthread_atfork(NULL, NULL, count); }

unsigned int ga_forks(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch);
  return atomic_load_explicit(&forks, memory_order_relaxed);
}
