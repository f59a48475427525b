/* SPDX-License-Identifier: MIT */
/* What every Check program here shares: the assertion that a call succeeds or
 * fails as it should, with the library's own message in the report, and the
 * body of main.
 *
 *     static const test_case cases[] = {CASE(version_is_a_string), CASE_END};
 *     int main(void) { return test_main("version", cases); }
 *
 * Tests that need a device include tests/device.h as well.
 */
#ifndef TESTS_COMMON_H
#define TESTS_COMMON_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/error.h"

/* With GA_COVERAGE, for tests/check-covered.sh, what each assertion covers is left
 * in the preprocessed text: the code, and the call. */
#ifdef GA_COVERAGE
#define OK(call)                             GA_COVERS(GA_NO_ERROR, call)
#define FAILS(code, text, call)              GA_COVERS(code, call)
#define GIVES(result, code, text, err, call) GA_COVERS(code, call)
#else

/* The call succeeds. */
#define OK(call)                                                              \
  do {                                                                        \
    int ok_err_ = (call);                                                     \
    ck_assert_msg(ok_err_ == GA_NO_ERROR, "%s: error %d: %s", #call, ok_err_, \
                  gpuarray_error_message());                                  \
  } while (0)

/* The call fails with `code` and a message that contains `text`. */
#define FAILS(code, text, call)                                                                  \
  do {                                                                                           \
    int fails_err_ = (call);                                                                     \
    ck_assert_msg(fails_err_ == (code), "%s: returned %d, not %s: %s", #call, fails_err_, #code, \
                  gpuarray_error_message());                                                     \
    ck_assert_msg(strstr(gpuarray_error_message(), (text)) != NULL,                              \
                  "%s: \"%s\" is not in the message: %s", #call, (text),                         \
                  gpuarray_error_message());                                                     \
  } while (0)

/* The call gives `result` (NULL, -1), and `code` in the variable `err`, whose
 * address it has, with a message that contains `text`. */
#define GIVES(result, code, text, err, call)                        \
  do {                                                              \
    (err) = -1;                                                     \
    ck_assert_msg((call) == (result), "%s: another result", #call); \
    FAILS(code, text, (err));                                       \
  } while (0)
#endif

/* Whether a process may be forked while other threads of it allocate: the child finds
 * the C library's locks free, but not those of a sanitizer's allocator (GCC 12). */
static inline int may_fork_beside_threads(void)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  fputs("skipped: a sanitizer's allocator is left locked in forked children\n", stderr);
  return 0;
#else
  return 1;
#endif
}

typedef struct test_case {
  const TTest *const *test;
  int start, end; /* loop tests run with _i in [start, end) */
} test_case;

#define CASE(name) \
  {                \
    &name, 0, 1    \
  }
#define CASE_LOOP(name, n) \
  {                        \
    &name, 0, (int)(n)     \
  }
#define CASE_END \
  {              \
    NULL, 0, 0   \
  }

/* Runs the cases as one suite; the exit status of the program. CK_RUN_CASE, the name of a test, and
 * the other variables of Check apply. `setup` and `teardown`, which may be NULL,
 * run before and after each test, in its process. */
static inline int test_main_with(const char *name, const test_case *cases, void (*setup)(void),
                                 void (*teardown)(void))
{
  Suite *s = suite_create(name);
  for (; cases->test != NULL; cases++) {
    TCase *tc = tcase_create((*cases->test)->name);
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, *cases->test, cases->start, cases->end);
    suite_add_tcase(s, tc);
  }
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_ENV);
  int failed = srunner_ntests_failed(sr);
  int ran = srunner_ntests_run(sr);
  srunner_free(sr);
  return failed || !ran ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int test_main(const char *name, const test_case *cases)
{
  return test_main_with(name, cases, NULL, NULL);
}

#endif
