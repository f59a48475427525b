/* SPDX-License-Identifier: MIT */
/* The queue of background tasks. One lock guards all of it; it is held across
 * fork(), so that a child finds the lists whole. In the child there are no threads:
 * what they were doing goes back to the queue. */
#include "lib/util/tasks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 4 };

static struct {
  pthread_mutex_t lock;
  pthread_cond_t done; /* some task is */
  ga_task *queue;      /* oldest first */
  ga_task *running;    /* by our threads or by who waits */
  unsigned int threads;
  int quitting;
} tasks = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void append(ga_task **list, ga_task *t)
{
  while (*list != NULL) list = &(*list)->next;
  t->next = NULL;
  *list = t;
}

static void take_out(ga_task **list, const ga_task *t)
{
  while (*list != NULL && *list != t) list = &(*list)->next;
  if (*list != NULL) *list = t->next;
}

/* Does a queued task; the lock is held, but not meanwhile. */
static void perform(ga_task *t)
{
  take_out(&tasks.queue, t);
  append(&tasks.running, t);
  t->state = GA_TASK_RUNNING;
  pthread_mutex_unlock(&tasks.lock);
  t->run(t->arg);
  pthread_mutex_lock(&tasks.lock);
  take_out(&tasks.running, t);
  t->state = GA_TASK_DONE;
  pthread_cond_broadcast(&tasks.done);
}

static void *worker(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&tasks.lock);
  while (tasks.queue != NULL && !tasks.quitting) perform(tasks.queue);
  tasks.threads--;
  pthread_cond_broadcast(&tasks.done);
  pthread_mutex_unlock(&tasks.lock);
  return NULL;
}

/* ---- threads --------------------------------------------------------------- */

static unsigned int most_threads(void)
{
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : (unsigned int)n;
}

/* One thread more, unless there are enough; 1 when there is any. Signals stay with
 * the program's own threads. The lock is held. */
static int hire(void)
{
  sigset_t all, old;
  pthread_attr_t attr;
  pthread_t t;
  if (tasks.threads >= most_threads()) return 1;
  if (pthread_attr_init(&attr) != 0) return tasks.threads > 0;
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_create(&t, &attr, worker, NULL) == 0) tasks.threads++;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
  return tasks.threads > 0;
}

static void before_fork(void) { pthread_mutex_lock(&tasks.lock); }

static void after_fork_parent(void) { pthread_mutex_unlock(&tasks.lock); }

static void after_fork_child(void)
{
  while (tasks.running != NULL) {
    ga_task *t = tasks.running;
    tasks.running = t->next;
    append(&tasks.queue, t);
    t->state = GA_TASK_QUEUED;
  }
  tasks.threads = 0;
  pthread_mutex_init(&tasks.lock, NULL);
  pthread_cond_init(&tasks.done, NULL);
}

static void quit(void)
{
  pthread_mutex_lock(&tasks.lock);
  tasks.quitting = 1;
  while (tasks.threads > 0) pthread_cond_wait(&tasks.done, &tasks.lock);
  pthread_mutex_unlock(&tasks.lock);
}

void ga_tasks_before_exit(void) { (void)atexit(quit); }

static void init_once(void)
{
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
  ga_tasks_before_exit();
}

/* ---- tasks ------------------------------------------------------------------- */

int ga_task_start(ga_task *t)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_once);
  pthread_mutex_lock(&tasks.lock);
  int any = !tasks.quitting && hire();
  if (any) {
    t->state = GA_TASK_QUEUED;
    append(&tasks.queue, t);
  }
  pthread_mutex_unlock(&tasks.lock);
  return any;
}

int ga_task_ready(ga_task *t)
{
  pthread_mutex_lock(&tasks.lock);
  int ready = t->state == GA_TASK_IDLE || t->state == GA_TASK_DONE;
  if (!ready && tasks.threads == 0 && !tasks.quitting) (void)hire(); /* in a forked child */
  pthread_mutex_unlock(&tasks.lock);
  return ready;
}

void ga_task_wait(ga_task *t)
{
  pthread_mutex_lock(&tasks.lock);
  if (t->state == GA_TASK_QUEUED) perform(t);
  while (t->state == GA_TASK_RUNNING) pthread_cond_wait(&tasks.done, &tasks.lock);
  pthread_mutex_unlock(&tasks.lock);
}

void ga_task_cancel(ga_task *t)
{
  pthread_mutex_lock(&tasks.lock);
  if (t->state == GA_TASK_QUEUED) {
    take_out(&tasks.queue, t);
    t->state = GA_TASK_IDLE;
  }
  while (t->state == GA_TASK_RUNNING) pthread_cond_wait(&tasks.done, &tasks.lock);
  pthread_mutex_unlock(&tasks.lock);
}
