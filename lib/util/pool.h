/* SPDX-License-Identifier: MIT */
/* The library's own threads: one pool a process, shared by every device, context
 * and calling thread.
 *
 *   static void part(void *arg, ga_share *share)
 *   {
 *     size_t i;
 *     while (ga_pool_next(share, &i)) work(arg, i);
 *   }
 *   ga_pool_run(n, part, arg);
 *
 * The function runs once in each thread that takes part, the caller's among
 * them, so what a thread needs for all its pieces is made once; pieces are
 * handed out one by one in rising order. ga_pool_run() returns when all are
 * done. A run from inside a run, and any run in a forked child whose parent had
 * started the pool, is done by the calling thread alone. The floating-point mode
 * of everyone who works is the default one. */
#ifndef GA_UTIL_POOL_H
#define GA_UTIL_POOL_H

#include <signal.h>
#include <stddef.h>

/* The signals of a thread's own faults, which threads of the library leave open.
 * __builtin_trap() is SIGILL, but of AArch64 a breakpoint. */
#if defined(__aarch64__)
#define GA_FAULTS                            \
  {                                          \
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP \
  }
#else
#define GA_FAULTS                   \
  {                                 \
    SIGSEGV, SIGBUS, SIGFPE, SIGILL \
  }
#endif

typedef struct ga_share ga_share;
typedef void (*ga_pool_fn)(void *arg, ga_share *share);

/* Runs pieces 0..n-1. Never fails: with no workers the caller does it all. */
void ga_pool_run(size_t n, ga_pool_fn fn, void *arg);

/* The next piece for this thread; 0 when there is none left. */
int ga_pool_next(ga_share *share, size_t *i);

/* Threads a run may use, the caller's included: set by ga_pool_limit(), else
 * GPUARRAY_NUM_THREADS, else OMP_NUM_THREADS, else the processors that the
 * process may run on. */
unsigned int ga_pool_threads(void);

/* The library must not be unloaded any more: a thread or a handler runs its code. */
void ga_pool_stay_loaded(void);

/* Sets the number of threads of later runs, 0: back to the environment's. For
 * tests and bench: results never depend on it. */
void ga_pool_limit(unsigned int n);

#endif
