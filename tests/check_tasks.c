/* SPDX-License-Identifier: MIT */
/* Background tasks: done once, by a few threads or by who waits, dropped when
 * cancelled, taken over by forked children, waited for at exit. */
#include "lib/util/tasks.h"
#include "tests/common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, MOST_AT_ONCE = 4 };

static atomic_int begun, ended, at_once, most_at_once;
static atomic_int gate; /* tasks wait while it is 1 */

static void work(void *arg)
{
  int now = atomic_fetch_add(&at_once, 1) + 1, most = atomic_load(&most_at_once);
  atomic_fetch_add(&begun, 1);
  while (now > most && !atomic_compare_exchange_weak(&most_at_once, &most, now)) {
  }
  while (atomic_load(&gate)) usleep(1000);
  atomic_fetch_add((atomic_int *)arg, 1);
  atomic_fetch_sub(&at_once, 1);
  atomic_fetch_add(&ended, 1);
}

static ga_task task[N];
static atomic_int count[N];

static void start_all(void)
{
  for (int i = 0; i < N; i++) {
    task[i].run = work;
    task[i].arg = &count[i];
    ck_assert_int_eq(ga_task_start(&task[i]), 1);
  }
}

START_TEST(each_task_is_done_once)
{
  start_all();
  for (int i = 0; i < N; i++) ga_task_wait(&task[i]);
  for (int i = 0; i < N; i++) {
    ck_assert_int_eq(atomic_load(&count[i]), 1);
    ck_assert_int_eq(ga_task_ready(&task[i]), 1);
    ga_task_wait(&task[i]);
  }
}
END_TEST

START_TEST(threads_are_few_and_come_again)
{
  for (int round = 1; round < 4; round++) {
    start_all();
    while (atomic_load(&ended) < round * N) usleep(1000);
  }
  ck_assert_int_le(atomic_load(&most_at_once), MOST_AT_ONCE);
}
END_TEST

START_TEST(waiting_does_what_nobody_has_begun)
{
  atomic_store(&gate, 1);
  start_all();
  while (atomic_load(&begun) == 0) usleep(1000);
  ck_assert_int_eq(ga_task_ready(&task[N - 1]), 0);
  ck_assert_int_le(atomic_load(&begun), MOST_AT_ONCE); /* the queue is held up */
  atomic_store(&gate, 0);
  ga_task_wait(&task[N - 1]);
  ck_assert_int_eq(atomic_load(&count[N - 1]), 1);
  for (int i = 0; i < N; i++) ga_task_wait(&task[i]);
  ck_assert_int_eq(atomic_load(&ended), N);
}
END_TEST

static void *open_gate(void *unused)
{
  (void)unused;
  usleep(100000);
  atomic_store(&gate, 0);
  return NULL;
}

START_TEST(cancelling_drops_what_was_not_begun)
{
  pthread_t t;
  atomic_store(&gate, 1);
  start_all();
  while (atomic_load(&begun) == 0) usleep(1000);
  for (int i = N - 1; i >= MOST_AT_ONCE; i--) ga_task_cancel(&task[i]);
  ck_assert_int_eq(pthread_create(&t, NULL, open_gate, NULL), 0);
  for (int i = MOST_AT_ONCE - 1; i >= 0; i--) ga_task_cancel(&task[i]);
  ck_assert_int_eq(atomic_load(&ended), atomic_load(&begun)); /* begun ones were waited for */
  ck_assert_int_lt(atomic_load(&ended), N);
  for (int i = 0; i < N; i++) ck_assert_int_eq(ga_task_ready(&task[i]), 1);
  pthread_join(t, NULL);
}
END_TEST

START_TEST(idle_task_is_ready)
{
  ga_task idle = {0};
  ck_assert_int_eq(ga_task_ready(&idle), 1);
  ga_task_wait(&idle);
  ga_task_cancel(&idle);
}
END_TEST

static int in_child(void (*body)(void))
{
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    alarm(100);
    body();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
}

static void finish_all(void)
{
  atomic_store(&gate, 0);
#if !defined(__SANITIZE_THREAD__) /* which lets no child start threads */
  while (!ga_task_ready(&task[N - 1])) usleep(1000);
#endif
  for (int i = 0; i < N; i++) {
    ga_task_wait(&task[i]);
    if (atomic_load(&count[i]) != 1) _exit(1);
  }
}

START_TEST(forked_child_does_what_was_left)
{
  atomic_store(&gate, 1);
  start_all();
  while (atomic_load(&begun) == 0) usleep(1000);
  ck_assert_int_eq(in_child(finish_all), 0);
  finish_all();
}
END_TEST

static int told[2];

static void tell_late(void *unused)
{
  (void)unused;
  atomic_store(&begun, 1);
  usleep(200000);
  if (write(told[1], "x", 1) != 1) _exit(3);
}

static void leave_early(void)
{
  static ga_task late = {.run = tell_late};
  if (!ga_task_start(&late)) _exit(2);
  while (atomic_load(&begun) == 0) usleep(1000);
  exit(0);
}

START_TEST(exit_waits_for_what_was_begun)
{
  char x;
  ck_assert_int_eq(pipe(told), 0);
  ck_assert_int_eq(in_child(leave_early), 0);
  close(told[1]);
  ck_assert_int_eq(read(told[0], &x, 1), 1);
}
END_TEST

static const test_case cases[] = {CASE(each_task_is_done_once),
                                  CASE(threads_are_few_and_come_again),
                                  CASE(waiting_does_what_nobody_has_begun),
                                  CASE(cancelling_drops_what_was_not_begun),
                                  CASE(idle_task_is_ready),
                                  CASE(forked_child_does_what_was_left),
                                  CASE(exit_waits_for_what_was_begun),
                                  CASE_END};

int main(void) { return test_main("tasks", cases); }
