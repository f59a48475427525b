/* SPDX-License-Identifier: MIT */
/* A process whose threads are busy in the library is forked at any moment: the child
 * finds every lock free and what the locks guard whole. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray.h"
#include "lib/util/lock.h"

enum { FORKS = 200, N = 5 };

static atomic_int stop, failures;

/* Check's assertions belong to the main thread: the others count. */
#define EXPECT(cond) (void)((cond) || atomic_fetch_add(&failures, 1))

/* `child` runs in each of FORKS children beside a thread that does `work`, and
 * returns what is wrong: 0. */
static void fork_beside(void *(*work)(void *), int (*child)(void *), void *arg)
{
  pthread_t t;
  ck_assert_int_eq(pthread_create(&t, NULL, work, arg), 0);
  for (int i = 0; i < FORKS; i++) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
      signal(SIGALRM, SIG_DFL);
      alarm(100);
      _exit(child(arg));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "fork %d: status %#x", i, status);
  }
  atomic_store(&stop, 1);
  pthread_join(t, NULL);
  ck_assert_int_eq(failures, 0);
}

/* ---- a lock, and what it guards ---------------------------------------------- */

static ga_lock lock = GA_LOCK;
static unsigned int left, right;

static void *hold(void *unused)
{
  (void)unused;
  while (!atomic_load(&stop)) {
    ga_lock_take(&lock);
    ga_fork_delay();
    left++;
    usleep(50); /* most forks are asked for meanwhile */
    right++;
    ga_fork_allow();
    usleep(50);
    ga_lock_give(&lock);
  }
  return NULL;
}

static int take(void *unused)
{
  (void)unused;
  ga_lock_take(&lock);
  int bad = left != right;
  ga_lock_give(&lock);
  ga_lock_take(&lock);
  ga_lock_give(&lock);
  ga_lock_clear(&lock);
  return bad;
}

START_TEST(a_lock_is_free_and_what_it_guards_whole) { fork_beside(hold, take, NULL); }
END_TEST

static void *keep(void *started)
{
  ga_lock_take(&lock);
  atomic_store((atomic_int *)started, 1);
  while (!atomic_load(&stop)) usleep(1000);
  ga_lock_give(&lock);
  return NULL;
}

/* ThreadSanitizer knows no threads of forked children. */
#ifdef __SANITIZE_THREAD__
enum { TAKERS = 1 };
#else
enum { TAKERS = 2 };
#endif

static void *take_often(void *bad)
{
  for (int i = 0; i < 1000; i++) {
    ga_lock_take(&lock);
    if (left++ != right++) *(int *)bad = 1;
    ga_lock_give(&lock);
  }
  return NULL;
}

START_TEST(a_lock_that_was_held_all_along_locks_in_the_child)
{
  atomic_int started = 0;
  int status = 1, bad = 0;
  pthread_t t;
  ck_assert_int_eq(pthread_create(&t, NULL, keep, &started), 0);
  while (!atomic_load(&started)) usleep(100);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(100);
    pthread_t other;
    if (TAKERS > 1 && pthread_create(&other, NULL, take_often, &bad) != 0) _exit(2);
    take_often(&bad);
    if (TAKERS > 1) pthread_join(other, NULL);
    _exit(bad || left != TAKERS * 1000);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_int_eq(status, 0);
  atomic_store(&stop, 1);
  pthread_join(t, NULL);
}
END_TEST

/* ---- contexts and registered types --------------------------------------------- */

static void *open_and_register(void *unused)
{
  (void)unused;
  for (int i = 0; !atomic_load(&stop); i++) {
    static gpuarray_type types[20000];
    gpucontext *ctx = NULL;
    gpudata *b = NULL;
    EXPECT(gpucontext_init(&ctx, "cpu", NULL) == GA_NO_ERROR);
    EXPECT(gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &b) == GA_NO_ERROR && b != NULL);
    gpucontext_deref(ctx);
    if (i >= 20000) continue;
    types[i] = (gpuarray_type){.size = (size_t)i + 1, .align = 1};
    EXPECT(gpuarray_register_type(&types[i], NULL) == GA_ENDVEC + i);
  }
  return NULL;
}

static int use_contexts_and_types(void *unused)
{
  gpuarray_type more = {.size = 7, .align = 1};
  gpucontext *ctx = NULL;
  gpudata *b = NULL;
  (void)unused;
  int code = gpuarray_register_type(&more, NULL);
  if (gpuarray_get_type(code) != &more) return 1;
  for (int i = GA_ENDVEC; i < code; i++)
    if (gpuarray_get_elsize(i) != (size_t)(i - GA_ENDVEC) + 1) return 2;
  if (gpucontext_init(&ctx, "cpu", NULL) != GA_NO_ERROR) return 3;
  if (gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &b) != GA_NO_ERROR) return 4;
  gpucontext_deref(ctx);
  return 0;
}

START_TEST(contexts_and_types_are_there)
{
  if (!may_fork_beside_threads()) return;
  fork_beside(open_and_register, use_contexts_and_types, NULL);
}
END_TEST

/* ---- a graph ------------------------------------------------------------------- */

typedef struct scene {
  gpucontext *ctx;
  gpugraph *g;
  GpuArray ones, twos, r;
} scene;

static int set(scene *s, int twos)
{
  return gpugraph_set(
      s->g, GA_ARGS(ga_array("a", twos ? &s->twos : &s->ones), ga_float("k", twos ? 2 : 1)));
}

static void *set_and_replay(void *arg)
{
  for (int i = 0; !atomic_load(&stop); i++) {
    EXPECT(set(arg, i % 2) == GA_NO_ERROR);
    EXPECT(gpugraph_replay(((scene *)arg)->g) == GA_NO_ERROR);
  }
  return NULL;
}

/* Array and number change together: 1*1 or 2*2. */
static int replay(void *arg)
{
  scene *s = arg;
  float x[N];
  for (int round = 0; round < 2; round++) {
    if (gpugraph_replay(s->g) != GA_NO_ERROR) return 1;
    if (GpuArray_tohost(x, sizeof x, GA_FLOAT, &s->r) != GA_NO_ERROR) return 2;
    for (int i = 0; i < N; i++)
      if (x[i] != x[0] || (x[i] != 1 && x[i] != 4)) return 3;
    if (set(s, x[0] == 1) != GA_NO_ERROR) return 4;
  }
  return 0;
}

START_TEST(a_graph_is_as_it_was_or_as_it_will_be)
{
  scene s = {0};
  if (!may_fork_beside_threads()) return;
  OK(gpucontext_init(&s.ctx, "cpu", NULL));
  OK(GpuArray_full(&s.ones, s.ctx, GA_FLOAT, GA_DIMS(N), 1));
  OK(GpuArray_full(&s.twos, s.ctx, GA_FLOAT, GA_DIMS(N), 2));
  OK(gpugraph_begin(s.ctx));
  OK(GpuArray_eval(&s.r, s.ctx, "a*k", GA_ARGS(ga_array("a", &s.ones), ga_float("k", 1))));
  OK(gpugraph_end(&s.g, s.ctx));
  fork_beside(set_and_replay, replay, &s);
  gpugraph_free(s.g);
  GpuArray_clear(&s.ones);
  GpuArray_clear(&s.twos);
  GpuArray_clear(&s.r);
  gpucontext_deref(s.ctx);
}
END_TEST

/* ---- expressions ------------------------------------------------------------------ */

static void *evaluate(void *ctx)
{
  for (int i = 0; !atomic_load(&stop); i++) {
    GpuArray r = {0};
    char text[32];
    snprintf(text, sizeof text, "float32(%d) + 1", i % 3000);
    EXPECT(GpuArray_eval(&r, ctx, text, 0, NULL) == GA_NO_ERROR);
    GpuArray_clear(&r);
  }
  return NULL;
}

static int evaluate_one(void *ctx)
{
  GpuArray r = {0};
  double x = 0;
  if (GpuArray_eval(&r, ctx, "float32(3) + 1", 0, NULL) != GA_NO_ERROR) return 1;
  if (GpuArray_tohost(&x, sizeof x, GA_DOUBLE, &r) != GA_NO_ERROR || x != 4) return 2;
  GpuArray_clear(&r);
  return 0;
}

START_TEST(expressions_evaluate)
{
  gpucontext *ctx = NULL;
  if (!may_fork_beside_threads()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  fork_beside(evaluate, evaluate_one, ctx);
  gpucontext_deref(ctx);
}
END_TEST

/* ---- modules -------------------------------------------------------------------- */

static void *find_kernels(void *m)
{
  while (!atomic_load(&stop)) {
    GpuKernel k = {0};
    EXPECT(GpuModule_kernel(&k, m, "k") == GA_NO_ERROR);
    GpuKernel_clear(&k);
  }
  return NULL;
}

static int launch(void *m)
{
  GpuKernel k = {0};
  if (GpuModule_kernel(&k, m, "k") != GA_NO_ERROR) return 1;
  int err = GpuKernel_launch(&k, (size_t[3]){2, 1, 1}, (size_t[3]){3, 1, 1}, 0, 0, NULL);
  GpuKernel_clear(&k);
  return err;
}

START_TEST(modules_give_kernels)
{
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  if (!may_fork_beside_threads()) return;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, "__global__ void k() { __syncthreads(); }", NULL));
  fork_beside(find_kernels, launch, &m);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(a_lock_is_free_and_what_it_guards_whole),
                                    CASE(a_lock_that_was_held_all_along_locks_in_the_child),
                                    CASE(contexts_and_types_are_there),
                                    CASE(a_graph_is_as_it_was_or_as_it_will_be),
                                    CASE(expressions_evaluate),
                                    CASE(modules_give_kernels),
                                    CASE_END};
  return test_main("forks", cases);
}
