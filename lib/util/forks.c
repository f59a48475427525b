/* SPDX-License-Identifier: MIT */
/* A counter that every child of fork() finds one higher. */
#include "lib/util/forks.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint forks;

static void count(void) { atomic_fetch_add(&forks, 1); }

/* At load: no thread can be in the middle of it when the process is forked. */
__attribute__((constructor)) static void watch(void) { pthread_atfork(NULL, NULL, count); }

unsigned int ga_forks(void) { return atomic_load_explicit(&forks, memory_order_relaxed); }
