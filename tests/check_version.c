/* SPDX-License-Identifier: MIT */
/* The version a program was built for and the one it runs with. */
#include "tests/common.h"

#include "gpuarray/version.h"

START_TEST(library_and_headers_agree) { ck_assert_str_eq(gpuarray_version(), GPUARRAY_VERSION); }
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

static const test_case cases[] = {CASE(library_and_headers_agree), CASE(text_says_the_numbers),
                                  CASE(later_versions_are_not_reached), CASE_END};

int main(void) { return test_main("version", cases); }
