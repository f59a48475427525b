/* SPDX-License-Identifier: MIT */
/* Contexts and buffers: opening by name and environment, properties, counts,
 * ranges, and bad arguments. */
#include <stdint.h>

#include "tests/common.h"
#include "tests/device.h"

static gpudata *filled(gpucontext *ctx, size_t n)
{
  unsigned char bytes[256];
  int err = -1;
  for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)i;
  gpudata *b = gpudata_alloc(ctx, n, bytes, GA_BUFFER_INIT, &err);
  ck_assert_msg(b != NULL && err == GA_NO_ERROR, "%s", gpuarray_error_message());
  return b;
}

static unsigned int refcnt(gpudata *b)
{
  unsigned int n = 0;
  OK(gpudata_property(b, GA_BUFFER_PROP_REFCNT, &n));
  return n;
}

START_TEST(unknown_device_is_refused)
{
  gpucontext *ctx = (gpucontext *)&ctx;
  unsigned int n = 77;
  unsetenv("GPUARRAY_DEVICE");
  FAILS(GA_INVALID_ERROR, "\"vulkan\"", gpucontext_init(&ctx, "vulkan", NULL));
  ck_assert_ptr_null(ctx);
  FAILS(GA_UNSUPPORTED_ERROR, "OpenCL", gpucontext_init(&ctx, "opencl", NULL));
  FAILS(GA_INVALID_ERROR, "cuda-1", gpucontext_init(&ctx, "cuda-1", NULL));
  FAILS(GA_INVALID_ERROR, "cuda99999999999", gpucontext_init(&ctx, "cuda99999999999", NULL));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpucontext_init(NULL, "cpu", NULL));
  FAILS(GA_INVALID_ERROR, "\"vulkan\"", gpu_get_device_count("vulkan", 0, &n));
  FAILS(GA_UNSUPPORTED_ERROR, "OpenCL", gpu_get_device_count("opencl", 0, &n));
  FAILS(GA_INVALID_ERROR, "\"\"", gpu_get_platform_count("", &n));
  FAILS(GA_VALUE_ERROR, "NULL", gpu_get_device_count(NULL, 0, &n));
  FAILS(GA_VALUE_ERROR, "NULL", gpu_get_device_count("cpu", 0, NULL));
  ck_assert_uint_eq(n, 77);
}
END_TEST

START_TEST(environment_takes_the_place_of_a_gpu)
{
  gpucontext *ctx;
  unsigned int n = 77;
  char name[256];
  setenv("GPUARRAY_DEVICE", "cpu", 1);
  OK(gpu_get_device_count("cuda", 0, &n));
  ck_assert_uint_eq(n, 1);
  OK(gpu_get_platform_count("cuda", &n));
  ck_assert_uint_eq(n, 1);
  static const char *const asked[] = {"cuda", "cuda3", "cpu", NULL};
  for (int i = 0; i < 4; i++) {
    gpucontext_props *props = NULL;
    OK(gpucontext_props_new(&props));
    OK(gpucontext_props_cuda_dev(props, 5));
    OK(gpucontext_init(&ctx, asked[i], props));
    OK(gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, name));
    ck_assert_uint_lt(strlen(name), 256);
    gpucontext_deref(ctx);
  }
  setenv("GPUARRAY_DEVICE", "toaster", 1);
  FAILS(GA_INVALID_ERROR, "GPUARRAY_DEVICE is \"toaster\"", gpucontext_init(&ctx, NULL, NULL));
  FAILS(GA_INVALID_ERROR, "toaster", gpucontext_init(&ctx, "cuda", NULL));
  OK(gpucontext_init(&ctx, "cpu", NULL)); /* never redirected */
  gpucontext_deref(ctx);
  setenv("GPUARRAY_DEVICE", "", 1);
  OK(gpucontext_init(&ctx, "cpu", NULL));
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(no_name_always_finds_a_device)
{
  gpucontext *ctx = NULL;
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, NULL, NULL));
  OK(gpucontext_sync(ctx));
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(properties_of_opening_are_checked)
{
  gpucontext_props *p = NULL;
  OK(gpucontext_props_new(&p));
  FAILS(GA_VALUE_ERROR, "-2", gpucontext_props_cuda_dev(p, -2));
  OK(gpucontext_props_cuda_dev(p, -1));
  FAILS(GA_INVALID_ERROR, "3", gpucontext_props_sched(p, 3));
  FAILS(GA_INVALID_ERROR, "-1", gpucontext_props_sched(p, -1));
  OK(gpucontext_props_sched(p, GA_CTX_SCHED_MULTI));
  OK(gpucontext_props_set_single_stream(p));
  FAILS(GA_VALUE_ERROR, "more than", gpucontext_props_alloc_cache(p, 2, 1));
  OK(gpucontext_props_alloc_cache(p, 0, 0));
  OK(gpucontext_props_kernel_cache(p, NULL));
  FAILS(GA_UNSUPPORTED_ERROR, "OpenCL", gpucontext_props_opencl_dev(p, 0, 0));
  gpucontext_props_del(p);
  gpucontext_props_del(NULL);
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_new(NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_cuda_dev(NULL, 0));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_sched(NULL, 0));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_set_single_stream(NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_kernel_cache(NULL, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_props_alloc_cache(NULL, 0, 0));
}
END_TEST

START_TEST(context_answers_every_property)
{
  gpucontext *ctx = test_context();
  char text[256];
  const char *id = NULL;
  size_t size, total;
  unsigned int n = 0;
  int half = 7;
  gpudata *errbuf = NULL, *again = NULL;
  static const int sizes[] = {GA_CTX_PROP_LMEMSIZE,  GA_CTX_PROP_MAXGSIZE0,
                              GA_CTX_PROP_MAXGSIZE1, GA_CTX_PROP_MAXGSIZE2,
                              GA_CTX_PROP_MAXLSIZE0, GA_CTX_PROP_MAXLSIZE1,
                              GA_CTX_PROP_MAXLSIZE2, GA_CTX_PROP_LARGEST_MEMBLOCK};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    size = 0;
    OK(gpucontext_property(ctx, sizes[i], &size));
    ck_assert_uint_gt(size, 0);
  }
  OK(gpucontext_property(ctx, GA_CTX_PROP_DEVNAME, text));
  OK(gpucontext_property(ctx, GA_CTX_PROP_UNIQUE_ID, text));
  OK(gpucontext_property(ctx, GA_CTX_PROP_NUMPROCS, &n));
  ck_assert_uint_gt(n, 0);
  OK(gpucontext_property(ctx, GA_CTX_PROP_BIN_ID, &id));
  ck_assert_ptr_nonnull(id);
  OK(gpucontext_property(ctx, GA_CTX_PROP_TOTAL_GMEM, &total));
  OK(gpucontext_property(ctx, GA_CTX_PROP_FREE_GMEM, &size));
  ck_assert_uint_le(size, total);
  OK(gpucontext_property(ctx, GA_CTX_PROP_NATIVE_FLOAT16, &half));
  ck_assert_int_eq(half, 0);
  OK(gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &errbuf));
  OK(gpucontext_property(ctx, GA_CTX_PROP_ERRBUF, &again));
  ck_assert_ptr_eq(errbuf, again);
  uint64_t zero = 1;
  OK(gpudata_read(&zero, errbuf, 0, 8));
  ck_assert_uint_eq(zero, 0);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(properties_of_another_object_are_refused)
{
  gpucontext *ctx = test_context(), *of = NULL;
  gpudata *b = filled(ctx, 16);
  size_t size = 0;
  FAILS(GA_VALUE_ERROR, "buffers", gpucontext_property(ctx, GA_BUFFER_PROP_SIZE, &size));
  FAILS(GA_VALUE_ERROR, "kernels", gpucontext_property(ctx, GA_KERNEL_PROP_MAXLSIZE, &size));
  FAILS(GA_INVALID_ERROR, "property 2", gpucontext_property(ctx, 2, &size));
  FAILS(GA_INVALID_ERROR, "property -1", gpucontext_property(ctx, -1, &size));
  FAILS(GA_INVALID_ERROR, "no property 5000", gpucontext_property(ctx, 5000, &size));
  FAILS(GA_INVALID_ERROR, "no property 515", gpucontext_property(ctx, 515, &size));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_property(NULL, GA_CTX_PROP_DEVNAME, &size));
  FAILS(GA_VALUE_ERROR, "NULL", gpucontext_property(ctx, GA_CTX_PROP_LMEMSIZE, NULL));
  FAILS(GA_VALUE_ERROR, "kernels", gpudata_property(b, GA_KERNEL_PROP_MAXLSIZE, &size));
  FAILS(GA_INVALID_ERROR, "property 600", gpudata_property(b, 600, &size));
  FAILS(GA_VALUE_ERROR, "NULL", gpudata_property(NULL, GA_BUFFER_PROP_SIZE, &size));
  OK(gpudata_property(b, GA_BUFFER_PROP_SIZE, &size));
  ck_assert_uint_eq(size, 16);
  OK(gpudata_property(b, GA_BUFFER_PROP_CTX, &of));
  ck_assert_ptr_eq(of, ctx);
  OK(gpudata_property(b, GA_CTX_PROP_LMEMSIZE, &size));
  ck_assert_ptr_eq(gpudata_context(b), ctx);
  ck_assert_ptr_null(gpudata_context(NULL));
  gpudata_release(b);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(buffer_outlives_the_callers_context)
{
  gpucontext *ctx = test_context();
  gpudata *b = filled(ctx, 16);
  unsigned char back[16];
  gpucontext_deref(ctx);
  OK(gpudata_read(back, b, 0, 16));
  ck_assert_int_eq(back[15], 15);
  gpudata_retain(b);
  ck_assert_uint_eq(refcnt(b), 2);
  gpudata_release(b);
  ck_assert_uint_eq(refcnt(b), 1);
  gpudata_release(b);
  gpudata_release(NULL);
  gpudata_retain(NULL);
  gpucontext_deref(NULL);
}
END_TEST

START_TEST(alloc_checks_its_arguments)
{
  gpucontext *ctx = test_context();
  int err = 0;
  size_t size = 0;
  ck_assert_ptr_null(gpudata_alloc(NULL, 4, NULL, 0, &err));
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_ptr_null(gpudata_alloc(ctx, 4, NULL, GA_BUFFER_INIT, &err));
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_ptr_null(gpudata_alloc(ctx, 4, NULL, GA_BUFFER_READ_ONLY | GA_BUFFER_WRITE_ONLY, &err));
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_ptr_null(gpudata_alloc(ctx, (size_t)-1, NULL, 0, &err));
  ck_assert_int_eq(err, GA_MEMORY_ERROR);
  ck_assert_ptr_null(gpudata_alloc(ctx, (size_t)-1 / 2, NULL, 0, &err));
  ck_assert_int_eq(err, GA_MEMORY_ERROR);
  ck_assert_ptr_null(gpudata_alloc(NULL, 4, NULL, 0, NULL));
  gpudata *b = gpudata_alloc(ctx, 0, NULL, 0, NULL);
  ck_assert_ptr_nonnull(b);
  OK(gpudata_property(b, GA_BUFFER_PROP_SIZE, &size));
  ck_assert_uint_eq(size, 1);
  gpudata_release(b);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(move_handles_overlap)
{
  gpucontext *ctx = test_context();
  static const size_t n = 200;
  for (size_t from = 0; from <= 40; from += 20)
    for (size_t to = 0; to <= 40; to += 10) {
      unsigned char want[256], got[256];
      gpudata *b = filled(ctx, n);
      for (int i = 0; i < 256; i++) want[i] = (unsigned char)i;
      memmove(want + to, want + from, 150);
      OK(gpudata_move(b, to, b, from, 150));
      OK(gpudata_read(got, b, 0, n));
      ck_assert_int_eq(memcmp(got, want, n), 0);
      gpudata_release(b);
    }
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(ranges_beyond_a_buffer_are_refused)
{
  gpucontext *ctx = test_context();
  gpudata *a = filled(ctx, 16), *b = filled(ctx, 32);
  char host[64] = {0};
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_move(a, 0, b, 0, 17));
  FAILS(GA_VALUE_ERROR, "32 bytes", gpudata_move(a, 0, b, 20, 13));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_move(a, 17, b, 0, 0));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_transfer(a, 8, b, 0, 9));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_read(host, a, 1, 16));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_read(host, a, (size_t)-8, 16));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_write(a, 0, host, 17));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_write(a, 16, host, 1));
  FAILS(GA_VALUE_ERROR, "16 bytes", gpudata_memset(a, 17, 0));
  OK(gpudata_move(a, 16, b, 32, 0));
  OK(gpudata_read(NULL, a, 16, 0));
  OK(gpudata_write(a, 0, NULL, 0));
  OK(gpudata_memset(a, 16, 1));
  OK(gpudata_read(host, a, 0, 16));
  for (int i = 0; i < 16; i++) ck_assert_int_eq(host[i], i);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(null_buffers_are_refused)
{
  gpucontext *ctx = test_context();
  gpudata *a = filled(ctx, 16);
  int err = 0;
  char host[4];
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_move(NULL, 0, a, 0, 1));
  FAILS(GA_VALUE_ERROR, "argument 3 is NULL", gpudata_move(a, 0, NULL, 0, 1));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_transfer(NULL, 0, a, 0, 1));
  FAILS(GA_VALUE_ERROR, "argument 2 is NULL", gpudata_read(host, NULL, 0, 1));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_read(NULL, a, 0, 1));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_write(NULL, 0, host, 1));
  FAILS(GA_VALUE_ERROR, "argument 3 is NULL", gpudata_write(a, 0, NULL, 1));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_memset(NULL, 0, 0));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpudata_sync(NULL));
  FAILS(GA_VALUE_ERROR, "argument 1 is NULL", gpucontext_sync(NULL));
  ck_assert_int_eq(gpudata_share(a, NULL, &err), -1);
  ck_assert_int_eq(err, GA_VALUE_ERROR);
  ck_assert_int_eq(gpudata_share(NULL, a, NULL), -1);
  OK(gpudata_sync(a));
  gpudata_release(a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(memset_goes_to_the_end)
{
  gpucontext *ctx = test_context();
  gpudata *a = filled(ctx, 100);
  unsigned char got[100];
  OK(gpudata_memset(a, 30, 0x1ff));
  OK(gpudata_read(got, a, 0, 100));
  for (int i = 0; i < 100; i++) ck_assert_int_eq(got[i], i < 30 ? i : 0xff);
  gpudata_release(a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(contexts_do_not_mix)
{
  gpucontext *one = test_context(), *two = test_context();
  gpudata *a = filled(one, 64), *b = filled(two, 64);
  unsigned char got[64];
  int err = 7;
  FAILS(GA_VALUE_ERROR, "different contexts", gpudata_move(a, 0, b, 0, 8));
  ck_assert_int_eq(gpudata_share(a, b, &err), 0);
  ck_assert_int_eq(err, GA_NO_ERROR);
  ck_assert_int_eq(gpudata_share(a, a, &err), 1);
  OK(gpudata_transfer(a, 8, b, 20, 40)); /* but transfer does */
  OK(gpudata_read(got, a, 0, 64));
  for (int i = 0; i < 64; i++) ck_assert_int_eq(got[i], i >= 8 && i < 48 ? i + 12 : i);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(one);
  gpucontext_deref(two);
}
END_TEST

START_TEST(large_transfer_goes_in_pieces)
{
  gpucontext *one = test_context(), *two = test_context();
  size_t n = (9u << 20) + 13;
  unsigned char *host = malloc(n), *back = malloc(n);
  ck_assert_ptr_nonnull(host);
  ck_assert_ptr_nonnull(back);
  for (size_t i = 0; i < n; i++) host[i] = (unsigned char)(i * 31 >> 3);
  gpudata *a = gpudata_alloc(one, n, host, GA_BUFFER_INIT, NULL);
  gpudata *b = gpudata_alloc(two, n, NULL, 0, NULL);
  OK(gpudata_transfer(b, 0, a, 0, n));
  OK(gpudata_read(back, b, 0, n));
  ck_assert_int_eq(memcmp(host, back, n), 0);
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(one);
  gpucontext_deref(two);
  free(host);
  free(back);
}
END_TEST

START_TEST(message_is_the_threads_not_the_contexts)
{
  gpucontext *ctx = test_context();
  FAILS(GA_VALUE_ERROR, "gpudata_sync", gpudata_sync(NULL));
  ck_assert_str_eq(gpucontext_error(ctx, GA_VALUE_ERROR), gpuarray_error_message());
  ck_assert_str_eq(gpucontext_error(NULL, GA_VALUE_ERROR), gpuarray_error_message());
  gpucontext_deref(ctx);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {CASE(unknown_device_is_refused),
                                    CASE(environment_takes_the_place_of_a_gpu),
                                    CASE(no_name_always_finds_a_device),
                                    CASE(properties_of_opening_are_checked),
                                    CASE(context_answers_every_property),
                                    CASE(properties_of_another_object_are_refused),
                                    CASE(buffer_outlives_the_callers_context),
                                    CASE(alloc_checks_its_arguments),
                                    CASE(move_handles_overlap),
                                    CASE(ranges_beyond_a_buffer_are_refused),
                                    CASE(null_buffers_are_refused),
                                    CASE(memset_goes_to_the_end),
                                    CASE(contexts_do_not_mix),
                                    CASE(large_transfer_goes_in_pieces),
                                    CASE(message_is_the_threads_not_the_contexts),
                                    CASE_END};
  return test_main("buffer", cases);
}
