/* SPDX-License-Identifier: MIT */
/* Messages, growing strings, half precision, merged axes. */
#include <errno.h>
#include <math.h>
#include <pthread.h>

#include "tests/common.h"

#include "gpuarray/util.h"
#include "lib/util/error.h"
#include "lib/util/str.h"

START_TEST(error_keeps_code_message_and_errno)
{
  errno = ENOENT;
  ck_assert_int_eq(ga_error(GA_VALUE_ERROR, "copy: %d of %s", 3, "x"), GA_VALUE_ERROR);
  ck_assert_str_eq(gpuarray_error_message(), "copy: 3 of x");
  ck_assert_int_eq(errno, ENOENT);
  ga_error_memory("op", 12);
  ck_assert_str_eq(gpuarray_error_message(), "op: out of memory (12 bytes)");
}
END_TEST

START_TEST(message_may_quote_the_one_before)
{
  ga_error(GA_VALUE_ERROR, "first");
  ga_error(GA_VALUE_ERROR, "second after %s", ga_error_message());
  ck_assert_str_eq(ga_error_message(), "second after first");
}
END_TEST

START_TEST(long_message_is_kept_and_bounded)
{
  char *text = malloc(200001);
  ck_assert_ptr_nonnull(text);
  memset(text, 'x', 200000);
  text[200000] = '\0';
  ga_error(GA_IMPL_ERROR, "%.5000s", text);
  ck_assert_uint_eq(strlen(ga_error_message()), 5000);
  ga_error(GA_IMPL_ERROR, "%s%s", "again ", ga_error_message());
  ck_assert_uint_eq(strlen(ga_error_message()), 5006);
  ga_error(GA_IMPL_ERROR, "%s", text);
  ck_assert_uint_eq(strlen(ga_error_message()), 65535);
  ga_error(GA_IMPL_ERROR, "short");
  ck_assert_str_eq(ga_error_message(), "short");
  free(text);
}
END_TEST

static void *other_thread(void *seen)
{
  char big[3000];
  memset(big, 'y', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  strcpy(seen, ga_error_message());
  ga_error(GA_VALUE_ERROR, "%s", big);
  return NULL;
}

START_TEST(threads_have_messages_of_their_own)
{
  pthread_t t;
  char seen[64] = "unset";
  ga_error(GA_VALUE_ERROR, "mine");
  ck_assert_int_eq(pthread_create(&t, NULL, other_thread, seen), 0);
  pthread_join(t, NULL);
  ck_assert_str_eq(seen, "");
  ck_assert_str_eq(ga_error_message(), "mine");
}
END_TEST

START_TEST(codes_have_their_text)
{
  static const char *const texts[] = {"No error",
                                      "Out of memory",
                                      "Value invalid or out of range",
                                      "Unknown device error",
                                      "Invalid value or operation",
                                      "Unsupported operation",
                                      NULL,
                                      "Could not execute helper program",
                                      "Device does not support operation",
                                      "Buffer is read-only",
                                      "Buffer is write-only",
                                      "Error in BLAS call",
                                      "Unaligned array",
                                      "Copy is needed but disallowed by parameters",
                                      "No devices are available",
                                      "Undeterminate error",
                                      "Error in collectives call",
                                      "Input size too large for operation",
                                      "Error loading library"};
  for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++)
    if (texts[i] != NULL) ck_assert_str_eq(gpuarray_error_str(i), texts[i]);
  ck_assert_str_eq(gpuarray_error_str(-1), "Unknown GA error");
  ck_assert_str_eq(gpuarray_error_str(19), "Unknown GA error");
  ck_assert_str_eq(gpuarray_error_str(99), "Unknown GA error");
}
END_TEST

START_TEST(system_error_keeps_its_own_errno)
{
  errno = EACCES;
  ck_assert_int_eq(ga_error_sys("cache", "cannot open x"), GA_SYS_ERROR);
  errno = ENOENT;
  ck_assert_str_eq(gpuarray_error_str(GA_SYS_ERROR), strerror(EACCES));
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), strerror(EACCES)));
}
END_TEST

START_TEST(string_grows)
{
  ga_str s = {0};
  ck_assert_str_eq(ga_str_text(&s), "");
  for (int i = 0; i < 1000; i++) ga_str_addf(&s, "%d,", i % 10);
  ck_assert_uint_eq(s.len, 2000);
  ck_assert_int_eq(memcmp(s.s, "0,1,2,", 6), 0);
  ga_str_addn(&s, "abc", 2);
  ga_str_add(&s, "");
  ck_assert_str_eq(s.s + 2000, "ab");
  ck_assert_int_eq(s.failed, 0);
  ga_str_clear(&s);
  ck_assert_str_eq(ga_str_text(&s), "");
  ga_str_clear(&s);
  ga_str_clear(NULL);
}
END_TEST

START_TEST(string_that_cannot_grow_says_so)
{
  ga_str s = {0};
  ga_str_add(&s, "kept");
  ga_str_addn(&s, "x", (size_t)-1 / 2);
  ck_assert_int_eq(s.failed, 1);
  ga_str_add(&s, "more");
  ck_assert_str_eq(ga_str_text(&s), "kept");
  ga_str_clear(&s);
}
END_TEST

START_TEST(half_rounds_to_nearest_even)
{
  static const struct {
    float f;
    unsigned h;
  } cases[] = {{0, 0},
               {-0.f, 0x8000},
               {1, 0x3c00},
               {-2, 0xc000},
               {65504, 0x7bff},
               {65519.f, 0x7bff},
               {65520.f, 0x7c00},
               {1e30f, 0x7c00},
               {-1e30f, 0xfc00},
               {2.9831426e-08f, 0x0001},
               {2.9802322e-08f, 0x0000}, /* 2^-25: a tie, to even */
               {8.940697e-08f, 0x0002},  /* 1.5 * 2^-24: a tie, to even */
               {2e-25f, 0},
               {2e-26f, 0},
               {1.0005035f, 0x3c01},
               {1.0002441f, 0x3c00},
               {1.00048828125f, 0x3c00}, /* 1 + 2^-11: a tie, to even */
               {1.00146484375f, 0x3c02}, /* 1 + 3 * 2^-11: a tie, to even */
               {6.1035156e-05f, 0x0400}, /* 2^-14 */
               {6.0975552e-05f, 0x03ff}, /* the largest subnormal */
               {6.1005353e-05f, 0x0400}, /* a tie between them, to even */
               {2047.5f, 0x6800}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    ck_assert_msg(ga_float2half(cases[i].f).h == cases[i].h, "%a became %#x, not %#x",
                  (double)cases[i].f, ga_float2half(cases[i].f).h, cases[i].h);
  ck_assert_int_eq(ga_float2half(INFINITY).h, 0x7c00);
  ck_assert_int_eq(ga_float2half(NAN).h & 0x7c00, 0x7c00);
  ck_assert_int_ne(ga_float2half(NAN).h & 0x3ff, 0);
}
END_TEST

START_TEST(collapse_merges_what_walks_as_one)
{
  size_t dims[4] = {2, 1, 3, 4};
  ssize_t a[4] = {96, 7, 32, 8}, b[4] = {48, 7, 16, 4};
  ssize_t *strs[3] = {a, NULL, b};
  unsigned int nd = 4;
  gpuarray_elemwise_collapse(3, &nd, dims, strs);
  ck_assert_uint_eq(nd, 1);
  ck_assert_uint_eq(dims[0], 24);
  ck_assert_int_eq(a[0], 8);
  ck_assert_int_eq(b[0], 4);
}
END_TEST

START_TEST(collapse_keeps_what_differs)
{
  size_t dims[3] = {2, 3, 4};
  ssize_t a[3] = {48, 16, 4}, b[3] = {60, 20, 4};
  ssize_t *strs[2] = {a, b};
  unsigned int nd = 3;
  gpuarray_elemwise_collapse(2, &nd, dims, strs);
  ck_assert_uint_eq(nd, 2);
  ck_assert_uint_eq(dims[0], 6);
  ck_assert_uint_eq(dims[1], 4);
  ck_assert_int_eq(a[0], 16);
  ck_assert_int_eq(b[0], 20);
}
END_TEST

START_TEST(collapse_leaves_one_axis)
{
  size_t dims[3] = {1, 1, 1};
  ssize_t a[3] = {4, 4, 4};
  ssize_t *strs[1] = {a};
  unsigned int nd = 3;
  gpuarray_elemwise_collapse(1, &nd, dims, strs);
  ck_assert_uint_eq(nd, 1);
  ck_assert_uint_eq(dims[0], 1);
  nd = 0;
  gpuarray_elemwise_collapse(1, &nd, dims, strs);
  ck_assert_uint_eq(nd, 0);
  gpuarray_elemwise_collapse(1, NULL, dims, strs);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(error_keeps_code_message_and_errno),
                                    CASE(message_may_quote_the_one_before),
                                    CASE(long_message_is_kept_and_bounded),
                                    CASE(threads_have_messages_of_their_own),
                                    CASE(codes_have_their_text),
                                    CASE(system_error_keeps_its_own_errno),
                                    CASE(string_grows),
                                    CASE(string_that_cannot_grow_says_so),
                                    CASE(half_rounds_to_nearest_even),
                                    CASE(collapse_merges_what_walks_as_one),
                                    CASE(collapse_keeps_what_differs),
                                    CASE(collapse_leaves_one_axis),
                                    CASE_END};
  return test_main("util", cases);
}
