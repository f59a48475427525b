/* SPDX-License-Identifier: MIT */
/* The version a program was built for and the one it runs with. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuarray/version.h"

START_TEST(library_and_headers_agree)
{
  ck_assert_str_eq(gpuarray_version(), GPUARRAY_VERSION);
}
END_TEST

START_TEST(text_says_the_numbers)
{
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", GPUARRAY_VERSION_MAJOR, GPUARRAY_VERSION_MINOR,
           GPUARRAY_VERSION_MICRO);
  ck_assert_str_eq(text, GPUARRAY_VERSION);
}
END_TEST

START_TEST(later_versions_are_not_reached)
{
  ck_assert(GPUARRAY_VERSION_AT_LEAST(GPUARRAY_VERSION_MAJOR, GPUARRAY_VERSION_MINOR,
                                      GPUARRAY_VERSION_MICRO));
  ck_assert(!GPUARRAY_VERSION_AT_LEAST(GPUARRAY_VERSION_MAJOR, GPUARRAY_VERSION_MINOR,
                                       GPUARRAY_VERSION_MICRO + 1));
  ck_assert(!GPUARRAY_VERSION_AT_LEAST(GPUARRAY_VERSION_MAJOR + 1, 0, 0));
}
END_TEST

int main(void)
{
  Suite *s = suite_create("version");
  TCase *tc = tcase_create("all");
  tcase_add_test(tc, library_and_headers_agree);
  tcase_add_test(tc, text_says_the_numbers);
  tcase_add_test(tc, later_versions_are_not_reached);
  suite_add_tcase(s, tc);
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_ENV);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
