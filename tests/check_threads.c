/* SPDX-License-Identifier: MIT */
/* One context, its arrays and the process-wide tables used by many threads at
 * once: counts stay right, messages stay each thread's own. Worth most under
 * ThreadSanitizer. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray.h"

enum { THREADS = 8, ROUNDS = 50, ROWS = 37, COLS = 41 };

static gpucontext *ctx;
static GpuArray shared;
static int failures[THREADS];

static void open_context(void)
{
  int x[ROWS * COLS];
  for (int i = 0; i < ROWS * COLS; i++) x[i] = i;
  ctx = test_context();
  OK(GpuArray_fromhost(&shared, ctx, GA_INT, GA_DIMS(ROWS, COLS), x));
}

static void close_context(void)
{
  unsigned int n = 0;
  OK(gpudata_property(shared.data, GA_BUFFER_PROP_REFCNT, &n));
  ck_assert_uint_eq(n, 1);
  GpuArray_clear(&shared);
  gpucontext_deref(ctx);
}

/* Check's assertions belong to the main thread: the others count. */
#define EXPECT(cond)       \
  do {                     \
    if (!(cond)) (*bad)++; \
  } while (0)

static void views_and_copies(int self, int *bad)
{
  GpuArray v = {0}, c = {0};
  int x[ROWS * COLS];
  char spec[32];
  snprintf(spec, sizeof spec, "%d::2, ::-1", self);
  EXPECT(GpuArray_slice(&v, &shared, spec) == GA_NO_ERROR);
  EXPECT(GpuArray_copy(&c, &v, GA_F_ORDER) == GA_NO_ERROR);
  size_t n = c.nd == 2 ? c.dimensions[0] * c.dimensions[1] : 0;
  EXPECT(n != 0 && GpuArray_tohost(x, n * sizeof *x, GA_INT, &c) == GA_NO_ERROR);
  EXPECT(x[0] == self * COLS + COLS - 1);
  GpuArray_clear(&v);
  GpuArray_clear(&c);
}

static void sums(int self, int *bad)
{
  GpuArray r = {0};
  long long got = 0;
  long long n = ROWS * COLS;
  EXPECT(GpuArray_eval(&r, ctx, "sum(a + k)", GA_ARGS(ga_array("a", &shared), ga_int("k", self))) ==
         GA_NO_ERROR);
  EXPECT(GpuArray_tohost(&got, sizeof got, GA_LONG, &r) == GA_NO_ERROR);
  EXPECT(got == n * (n - 1) / 2 + n * self);
  GpuArray_clear(&r);
}

static void messages(int self, int *bad)
{
  GpuArray r = {0};
  char spec[32], want[64];
  snprintf(spec, sizeof spec, "%d", 1000 + self);
  snprintf(want, sizeof want, "index %d is out of range", 1000 + self);
  EXPECT(GpuArray_slice(&r, &shared, spec) == GA_VALUE_ERROR);
  EXPECT(strstr(gpuarray_error_message(), want) != NULL);
}

static void tables(int self, int *bad)
{
  static gpuarray_type types[THREADS][ROUNDS];
  static int round[THREADS];
  gpuarray_type *t = &types[self][round[self]++ % ROUNDS];
  gpudata *errbuf = NULL;
  *t = (gpuarray_type){"mine", (size_t)self + 1, 1, 0};
  int code = gpuarray_register_type(t, NULL);
  EXPECT(code >= 512 && gpuarray_get_elsize(code) == (size_t)self + 1);
  EXPECT(gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &errbuf) == GA_NO_ERROR && errbuf != NULL);
}

static void *work(void *arg)
{
  int self = (int)((int *)arg - failures);
  for (int i = 0; i < ROUNDS; i++) {
    views_and_copies(self, arg);
    sums(self, arg);
    messages(self, arg);
    tables(self, arg);
  }
  return NULL;
}

START_TEST(threads_share_a_context)
{
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&t[i], NULL, work, &failures[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(t[i], NULL);
    ck_assert_msg(failures[i] == 0, "thread %d: %d failures", i, failures[i]);
  }
}
END_TEST

static void *open_and_close(void *arg)
{
  int *bad = arg;
  for (int i = 0; i < 10; i++) {
    gpucontext *own = NULL;
    GpuArray a = {0};
    int x = 0;
    EXPECT(gpucontext_init(&own, test_on_cpu() ? "cpu" : "cuda", NULL) == GA_NO_ERROR);
    EXPECT(GpuArray_full(&a, own, GA_INT, GA_DIMS(100), i) == GA_NO_ERROR);
    gpucontext_deref(own);
    GpuArray v = {0};
    EXPECT(GpuArray_slice(&v, &a, "99") == GA_NO_ERROR);
    GpuArray_clear(&a);
    EXPECT(GpuArray_tohost(&x, sizeof x, GA_INT, &v) == GA_NO_ERROR && x == i);
    GpuArray_clear(&v);
  }
  return NULL;
}

START_TEST(threads_open_contexts_of_their_own)
{
  pthread_t t[THREADS];
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&t[i], NULL, open_and_close, &failures[i]), 0);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(t[i], NULL);
    ck_assert_msg(failures[i] == 0, "thread %d: %d failures", i, failures[i]);
  }
}
END_TEST

static atomic_int stop;

static void *evaluate(void *arg)
{
  int *bad = arg;
  for (int i = 0; !atomic_load(&stop); i++) {
    GpuArray r = {0};
    char text[32];
    snprintf(text, sizeof text, "a[%d]", i % ROWS);
    EXPECT(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &shared))) == GA_NO_ERROR);
    GpuArray_clear(&r);
  }
  return NULL;
}

/* A lock that a thread held when the process was forked is nobody's in the child. */
START_TEST(a_child_forked_from_busy_threads_does_not_wait)
{
  pthread_t t[THREADS];
  if (!may_fork_beside_threads()) return;
  atomic_store(&stop, 0);
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&t[i], NULL, evaluate, &failures[i]), 0);
  for (int i = 0; i < 40; i++) {
    pid_t pid = fork();
    int status = 0;
    if (pid == 0) {
      signal(SIGALRM, SIG_DFL);
      alarm(100);
      GpuArray r = {0};
      int err = GpuArray_eval(&r, ctx, "sum(a)", GA_ARGS(ga_array("a", &shared)));
      GpuArray_clear(&r);
      _exit((err == GA_NO_ERROR) != test_on_cpu());
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "fork %d: status %d", i, status);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(t[i], NULL);
    ck_assert_msg(failures[i] == 0, "thread %d: %d failures", i, failures[i]);
  }
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(threads_share_a_context),
                                    CASE(threads_open_contexts_of_their_own),
                                    CASE(a_child_forked_from_busy_threads_does_not_wait), CASE_END};
  return test_main_with("threads", cases, open_context, close_context);
}
