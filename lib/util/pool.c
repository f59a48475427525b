/* SPDX-License-Identifier: MIT */
/* The thread pool. Every run is a job on its caller's stack, linked into one
 * list while pieces are left; workers take jobs from the list, pieces from the
 * job's counter. A job may leave the list, and its caller return, only when no
 * worker is inside it (`users`, under the lock), so nothing points to it then.
 *
 * Workers are started when a run first needs them and never end. An idle one
 * watches `posted` for some microseconds, because runs come in quick
 * succession, and then sleeps; nobody is woken who is not asleep.
 *
 * A fork copies the pool's memory but none of its threads: the child marks the
 * pool dead and runs everything inline. The lock is held across fork(), so the
 * child never finds it taken. */
#define _GNU_SOURCE
#include "pool.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fpmode.h"

enum { MAX_THREADS = 1024, SPIN_NS = 20000 };

struct ga_share {
  atomic_size_t next;
  size_t n;
};

typedef struct job {
  ga_share share;
  ga_pool_fn fn;
  void *arg;
  unsigned int room; /* workers that may still join */
  atomic_uint users; /* workers inside; changed under the lock */
  struct job *link;
} job;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  job *jobs;
  unsigned int started, sleeping;
  int dead;            /* this is a child of the process that started the workers */
  atomic_uint posted;  /* changes when a job is added */
  atomic_uint threads; /* 0: not asked yet */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static _Thread_local int inside;

static inline void relax(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Waits a moment for *word to become other than `old`; 1 when it did. */
static int spin(atomic_uint *word, unsigned int old)
{
  struct timespec t0, t;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  do {
    for (int i = 0; i < 64; i++) {
      if (atomic_load_explicit(word, memory_order_acquire) != old) return 1;
      relax();
    }
    clock_gettime(CLOCK_MONOTONIC, &t);
  } while ((t.tv_sec - t0.tv_sec) * 1000000000LL + (t.tv_nsec - t0.tv_nsec) < SPIN_NS);
  return 0;
}

int ga_pool_next(ga_share *share, size_t *i)
{
  *i = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
  return *i < share->n;
}

/* ---- workers --------------------------------------------------------------- */

/* A job with pieces left and room; the lock is held. */
static job *find_job(void)
{
  for (job *j = pool.jobs; j != NULL; j = j->link)
    if (j->room > 0 && atomic_load_explicit(&j->share.next, memory_order_relaxed) < j->share.n)
      return j;
  return NULL;
}

static void serve(job *j)
{
  j->room--;
  atomic_fetch_add_explicit(&j->users, 1, memory_order_relaxed);
  pthread_mutex_unlock(&pool.lock);
  j->fn(j->arg, &j->share);
  pthread_mutex_lock(&pool.lock);
  /* Release: what this worker wrote is seen by a caller that only watches. */
  if (atomic_fetch_sub_explicit(&j->users, 1, memory_order_release) == 1)
    pthread_cond_broadcast(&pool.done);
}

static void *worker(void *unused)
{
  (void)unused;
  inside = 1;
  (void)ga_fpmode_enter();
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    unsigned int seen = atomic_load_explicit(&pool.posted, memory_order_relaxed);
    job *j = find_job();
    if (j != NULL) {
      serve(j);
      continue;
    }
    pthread_mutex_unlock(&pool.lock);
    int more = spin(&pool.posted, seen);
    pthread_mutex_lock(&pool.lock);
    if (more || find_job() != NULL) continue;
    pool.sleeping++;
    pthread_cond_wait(&pool.work, &pool.lock);
    pool.sleeping--;
  }
  return NULL;
}

/* ---- starting -------------------------------------------------------------- */

static void before_fork(void) { pthread_mutex_lock(&pool.lock); }

static void after_fork_parent(void) { pthread_mutex_unlock(&pool.lock); }

static void after_fork_child(void)
{
  pool.dead = pool.started > 0;
  pool.jobs = NULL;
  pool.started = pool.sleeping = 0;
  pthread_mutex_init(&pool.lock, NULL);
  pthread_cond_init(&pool.work, NULL);
  pthread_cond_init(&pool.done, NULL);
}

/* Workers run this library's code for as long as the process lives. */
void ga_pool_stay_loaded(void)
{
  Dl_info info;
  if (dladdr((void *)(size_t)&ga_pool_run, &info) && info.dli_fname)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

static void init_once(void)
{
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
  ga_pool_stay_loaded();
}

/* Starts workers until there are `want`, or as many as the system gives; the
 * lock is held. Signals stay with the program's own threads, but for those of a
 * thread's own faults. */
static void start_workers(unsigned int want)
{
  static const int faults[] = GA_FAULTS;
  sigset_t all, old;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return;
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool.started < want) {
    pthread_t t;
    if (pthread_create(&t, &attr, worker, NULL) != 0) break;
    pool.started++;
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
}

/* The number that variable `name` begins with, 0 where it is none or absurd. */
static unsigned int env_threads(const char *name)
{
  const char *s = getenv(name);
  if (s == NULL) return 0;
  char *end;
  errno = 0;
  long v = strtol(s, &end, 10);
  if (end == s || errno != 0 || v < 1) return 0;
  return v > MAX_THREADS ? MAX_THREADS : (unsigned int)v;
}

static unsigned int processors(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return (unsigned int)CPU_COUNT(&set);
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned int)n;
}

void ga_pool_limit(unsigned int n)
{
  atomic_store(&pool.threads, n > MAX_THREADS ? MAX_THREADS : n);
}

unsigned int ga_pool_threads(void)
{
  unsigned int n = atomic_load_explicit(&pool.threads, memory_order_relaxed);
  if (n != 0) return n;
  n = env_threads("GPUARRAY_NUM_THREADS");
  if (n == 0) n = env_threads("OMP_NUM_THREADS");
  if (n == 0) n = processors();
  atomic_store_explicit(&pool.threads, n, memory_order_relaxed);
  return n;
}

/* ---- running --------------------------------------------------------------- */

/* Adds the job and wakes who is asleep; 0 when there are no workers. */
static int post(job *j)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_once);
  pthread_mutex_lock(&pool.lock);
  if (!pool.dead && pool.started < j->room) start_workers(j->room);
  int any = pool.started > 0;
  if (any) {
    j->link = pool.jobs;
    pool.jobs = j;
    atomic_fetch_add_explicit(&pool.posted, 1, memory_order_release);
    for (unsigned int i = 0; i < j->room && i < pool.sleeping; i++) pthread_cond_signal(&pool.work);
  }
  pthread_mutex_unlock(&pool.lock);
  return any;
}

/* Takes the job off the list, so that no worker joins, and waits for those that
 * are inside it: they are on their last pieces. */
static void finish(job *j)
{
  pthread_mutex_lock(&pool.lock);
  for (job **p = &pool.jobs; *p != NULL; p = &(*p)->link)
    if (*p == j) {
      *p = j->link;
      break;
    }
  pthread_mutex_unlock(&pool.lock);
  unsigned int left;
  while ((left = atomic_load_explicit(&j->users, memory_order_acquire)) > 0)
    if (!spin(&j->users, left)) break;
  if (left == 0) return;
  pthread_mutex_lock(&pool.lock);
  while (atomic_load_explicit(&j->users, memory_order_acquire) > 0)
    pthread_cond_wait(&pool.done, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

void ga_pool_run(size_t n, ga_pool_fn fn, void *arg)
{
  if (n == 0) return;
  job j = {.share = {.n = n}, .fn = fn, .arg = arg};
  atomic_init(&j.share.next, 0);
  atomic_init(&j.users, 0);
  unsigned int threads = n == 1 || inside ? 1 : ga_pool_threads();
  if (threads > n) threads = (unsigned int)n;
  j.room = threads - 1;
  int posted = j.room > 0 && post(&j);
  ga_fpmode mode = ga_fpmode_enter();
  int nested = inside;
  inside = 1;
  fn(arg, &j.share);
  inside = nested;
  ga_fpmode_leave(mode);
  if (posted) finish(&j);
}
