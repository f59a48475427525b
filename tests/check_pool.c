/* SPDX-License-Identifier: MIT */
/* The CPU device's thread pool: every piece is done once, whoever calls, from
 * wherever, with whatever floating-point mode, and in a forked child too. */
#include "tests/common.h"

#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "lib/util/pool.h"

enum { PIECES = 5000 };

typedef struct tally {
  atomic_int done[PIECES];
  atomic_int wrong_mode;
  int nested;
} tally;

static void count_pieces(void *arg, ga_share *share)
{
  tally *t = arg;
  size_t i;
  while (ga_pool_next(share, &i)) atomic_fetch_add(&t->done[i], 1);
}

static void each_once(tally *t, size_t n)
{
  for (size_t i = 0; i < PIECES; i++)
    if (atomic_load(&t->done[i]) != (i < n))
      ck_abort_msg("piece %zu of %zu was done %d times", i, n, atomic_load(&t->done[i]));
}

static tally *new_tally(void)
{
  tally *t = calloc(1, sizeof *t);
  ck_assert_ptr_nonnull(t);
  return t;
}

static void run_once(size_t n)
{
  tally *t = new_tally();
  ga_pool_run(n, count_pieces, t);
  each_once(t, n);
  free(t);
}

START_TEST(every_piece_is_done_once)
{
  static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, PIECES};
  ga_pool_limit((unsigned int)_i + 1);
  ck_assert_uint_eq(ga_pool_threads(), (unsigned int)_i + 1);
  for (int round = 0; round < 200; round++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) run_once(sizes[i]);
}
END_TEST

static void *caller(void *arg)
{
  for (int i = 0; i < 300; i++) run_once(1 + (size_t)i % 50);
  return arg;
}

START_TEST(callers_share_the_pool)
{
  pthread_t t[6];
  ga_pool_limit(4);
  for (int i = 0; i < 6; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, caller, NULL), 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], NULL);
}
END_TEST

static void nest(void *arg, ga_share *share)
{
  size_t i;
  while (ga_pool_next(share, &i)) ga_pool_run(PIECES, count_pieces, (tally *)arg + i);
}

START_TEST(a_run_inside_a_run_is_done_by_its_caller)
{
  tally *t = calloc(10, sizeof *t);
  ck_assert_ptr_nonnull(t);
  ga_pool_limit(3);
  ga_pool_run(10, nest, t);
  for (int i = 0; i < 10; i++) each_once(t + i, PIECES);
  free(t);
}
END_TEST

START_TEST(a_forked_child_works_alone)
{
  ga_pool_limit(4);
  run_once(PIECES);
  pid_t pid = fork();
  ck_assert_int_ge(pid, 0);
  if (pid == 0) {
    alarm(100);
    tally *t = calloc(1, sizeof *t);
    ga_pool_run(PIECES, count_pieces, t);
    for (size_t i = 0; i < PIECES; i++)
      if (t == NULL || t->done[i] != 1) _exit(1);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child's status is %d", status);
  run_once(PIECES);
}
END_TEST

START_TEST(an_idle_pool_wakes_again)
{
  ga_pool_limit(3);
  for (int i = 0; i < 20; i++) {
    run_once(100);
    usleep(i % 2 ? 2000 : 10);
  }
}
END_TEST

#if defined(__x86_64__)
static void look_at_mode(void *arg, ga_share *share)
{
  tally *t = arg;
  size_t i;
  volatile float tiny = FLT_MIN;
  while (ga_pool_next(share, &i))
    if (tiny / 4 == 0 || (_mm_getcsr() & 0xffc0) != 0x1f80) atomic_store(&t->wrong_mode, 1);
}

START_TEST(work_is_done_in_the_default_mode)
{
  tally *t = new_tally();
  unsigned int old = _mm_getcsr(), odd = old | 0x8040 | 0x2000; /* FTZ, DAZ, round down */
  _mm_setcsr(odd);
  ga_pool_limit((unsigned int)_i + 1);
  ga_pool_run(PIECES, look_at_mode, t);
  unsigned int after = _mm_getcsr();
  _mm_setcsr(old);
  ck_assert_int_eq(atomic_load(&t->wrong_mode), 0);
  ck_assert_uint_eq(after & 0xffc0, odd & 0xffc0);
  free(t);
}
END_TEST
#endif

START_TEST(the_environment_sets_the_number)
{
  static const struct {
    const char *own, *omp;
    unsigned int want;
  } cases[] = {{"3", "5", 3},    {NULL, "5", 5}, {NULL, "2,4", 2},
               {"junk", "4", 4}, {"-1", "6", 6}, {"0", "7", 7}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsetenv("GPUARRAY_NUM_THREADS");
    unsetenv("OMP_NUM_THREADS");
    if (cases[i].own) setenv("GPUARRAY_NUM_THREADS", cases[i].own, 1);
    if (cases[i].omp) setenv("OMP_NUM_THREADS", cases[i].omp, 1);
    ga_pool_limit(0);
    ck_assert_uint_eq(ga_pool_threads(), cases[i].want);
  }
  unsetenv("GPUARRAY_NUM_THREADS");
  unsetenv("OMP_NUM_THREADS");
  ga_pool_limit(0);
  ck_assert_uint_ge(ga_pool_threads(), 1);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {
    CASE_LOOP(every_piece_is_done_once, 4),
    CASE(callers_share_the_pool),
    CASE(a_run_inside_a_run_is_done_by_its_caller),
    CASE(a_forked_child_works_alone),
    CASE(an_idle_pool_wakes_again),
#if defined(__x86_64__)
    CASE_LOOP(work_is_done_in_the_default_mode, 3),
#endif
    CASE(the_environment_sets_the_number),
    CASE_END
  };
  return test_main("pool", cases);
}
