/* SPDX-License-Identifier: MIT */
/* Work in the background: a queue and a few threads, which are there only while
 * there is something to do.
 *
 *   task->run = work; task->arg = what;
 *   if (!ga_task_start(task)) work(what);
 *   ...
 *   ga_task_wait(task);
 *
 * A task that nobody has begun is done by whoever waits for it. The memory is the
 * caller's, who gives it back after ga_task_wait() or ga_task_cancel(). A forked
 * child has all tasks that its parent had not finished, begun ones too: what a
 * task does must bear being begun again. When the process exits, tasks that were
 * begun are waited for and the others are not done. */
#ifndef GA_UTIL_TASKS_H
#define GA_UTIL_TASKS_H

enum ga_task_state { GA_TASK_IDLE, GA_TASK_QUEUED, GA_TASK_RUNNING, GA_TASK_DONE };

typedef struct ga_task {
  void (*run)(void *arg);
  void *arg;
  struct ga_task *next; /* the rest is this file's */
  enum ga_task_state state;
} ga_task;

/* Queues an idle task. 0: there is no thread to be had, and it stays idle. */
int ga_task_start(ga_task *t);

/* Is it done, or was it never started? */
int ga_task_ready(ga_task *t);

/* Returns when the task is done: at once when it is idle. */
void ga_task_wait(ga_task *t);

/* As ga_task_wait(), but what was not begun is not done. */
void ga_task_cancel(ga_task *t);

/* To be called by who has loaded a library that tasks use: when the process exits,
 * tasks end before that library does. */
void ga_tasks_before_exit(void);

#endif
