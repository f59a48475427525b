/* SPDX-License-Identifier: MIT */
/* Functions that share error codes (tests/calls.h) give each of them, the result being
 * left cleared: a failing driver, and a compiler that is not there, on the stub
 * driver; unaligned and cleared arrays on the device under test. */
#include <unistd.h>

#include "tests/calls.h"
#include "tests/device.h"
#include "tests/stub.h"

static stub_state *s;
static GpuArray bad, none;

static void open_stub(void)
{
  s = stub_use("libstubcuda");
  setenv("GPUARRAY_CACHE", "off", 1);
  calls_open(stub_context());
  ck_assert_msg(f.ge != NULL, "%s", gpuarray_error_message());
}

static void close_stub(void)
{
  calls_close();
  gpucontext_deref(f.ctx);
}

/* The driver refuses every call while one of ours is under way. */
#define FAULTY(call)                            \
  s->fault = 999;                               \
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", call); \
  s->fault = 0;                                 \
  ck_assert_ptr_null(r.data);

START_TEST(driver_failures_are_told)
{
  open_stub();
  CALLS_OPS(FAULTY, &f.a)
  CALLS_EXPR(FAULTY, &f.a)
  CALLS_COPY(FAULTY, &f.a)
  CALLS_RESHAPE(FAULTY, &f.t)
  CALLS_KERNEL(FAULTY, &f.a)
  CALLS_MAKE(FAULTY)
  close_stub();
}
END_TEST

START_TEST(driver_failures_in_the_background_are_told)
{
  GpuExpr *e;
  open_stub();
  OK(GpuExpr_new(&e, f.ctx, "a*3 - 1", 1, named(&f.a)));
  s->fault = 999;
  OK(GpuExpr_compile_async(e, NULL, 1, named(&f.a)));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuExpr_wait(e));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuExpr_compile_async(e, NULL, 1, named(&f.a)));
  s->fault = 0;
  GpuExpr_free(e);
  close_stub();
}
END_TEST

START_TEST(driver_failures_at_buffers_are_told)
{
  gpudata *made = NULL;
  size_t avail;
  int err;
  open_stub();
  FAULTY(gpudata_move(f.buf, 0, f.o.data, 0, 8))
  FAULTY(gpudata_read(host, f.buf, 0, 8))
  FAULTY(gpudata_write(f.buf, 0, host, 8))
  FAULTY(gpudata_memset(f.buf, 0, 1))
  FAULTY(gpudata_sync(f.buf))
  FAULTY(gpucontext_sync(f.ctx))
  FAULTY(gpucontext_property(f.ctx, GA_CTX_PROP_FREE_GMEM, &avail))
  FAULTY(gpudata_property(f.buf, GA_CTX_PROP_FREE_GMEM, &avail))
  FAULTY(GpuArray_write(&f.o, host, 8))
  FAULTY(GpuArray_read(host, 8, &f.o))
  FAULTY(GpuArray_memset(&f.o, 1))
  FAULTY(GpuArray_sync(&f.o))
  FAULTY(GpuArray_save("/dev/null", &f.o))
  s->fault = 999;
  GIVES(NULL, GA_IMPL_ERROR, "STUB_ERROR_999", err, made = gpudata_alloc(f.ctx, 8, NULL, 0, &err));
  s->fault = 0;
  ck_assert_ptr_null(made);
  close_stub();
}
END_TEST

#define UNCOMPILED(call)                        \
  FAILS(GA_LOAD_ERROR, "/nowhere/nvrtc", call); \
  ck_assert_ptr_null(r.data);

START_TEST(absent_compiler_is_told)
{
  s = stub_use("libstubcuda");
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("GPUARRAY_NVRTC", "/nowhere/nvrtc.so", 1);
  calls_open(stub_context());
  ck_assert_ptr_null(f.ge);
  CALLS_OPS(UNCOMPILED, &f.a)
  CALLS_EXPR(UNCOMPILED, &f.a)
  CALLS_COPY(UNCOMPILED, &f.a)
  CALLS_RESHAPE(UNCOMPILED, &f.t)
  UNCOMPILED(GpuArray_take1(&f.o, &f.a, &f.i, 1))
  UNCOMPILED(GpuArray_maxandargmax(&f.m, &f.n, &f.a, 1, &axis0))
  UNCOMPILED(GpuArray_full(&r, f.ctx, GA_FLOAT, GA_DIMS(6), 1))
  UNCOMPILED(GpuArray_arange(&r, f.ctx, GA_FLOAT, 0, 1 << 20, 1))
  close_stub();
}
END_TEST

#define UNALIGNED(call)                       \
  FAILS(GA_UNALIGNED_ERROR, "aligned", call); \
  ck_assert_ptr_null(r.data);
#define CLEARED(call)              \
  FAILS(GA_VALUE_ERROR, "", call); \
  ck_assert_ptr_null(r.data);
#define WORKS(call) \
  OK(call);         \
  GpuArray_clear(&r);

START_TEST(unaligned_and_cleared_arrays_are_refused)
{
  size_t six = 6;
  calls_open(test_context());
  OK(GpuArray_fromdata(&bad, f.base.data, 1, GA_FLOAT, 1, &six, (ssize_t[]){7}, 1));
  ck_assert(!GpuArray_ISALIGNED(&bad));
  CALLS_OPS(UNALIGNED, &bad)
  CALLS_EXPR(UNALIGNED, &bad)
  CALLS_COPY(UNALIGNED, &bad)
  GpuArray_clear(&bad);
  OK(GpuArray_fromdata(&bad, f.base.data, 1, GA_FLOAT, GA_DIMS(3, 2), (ssize_t[]){4, 12}, 1));
  CALLS_RESHAPE(UNALIGNED, &bad)
  GpuArray_clear(&bad);
  OK(GpuArray_fromdata(&bad, f.base.data, 1, GA_FLOAT, 1, &six, (ssize_t[]){7}, 1));
  UNALIGNED(GpuArray_take1(&f.o, &bad, &f.i, 1))
  UNALIGNED(GpuArray_maxandargmax(&f.m, &f.n, &bad, 1, &axis0))
  if (f.ge != NULL) UNALIGNED(GpuElemwise_call(f.ge, pointers(&bad, &f.o), 0))
  CALLS_OPS(CLEARED, &none)
  CALLS_EXPR(CLEARED, &none)
  CALLS_COPY(CLEARED, &none)
  if (f.ge != NULL) CLEARED(GpuElemwise_call(f.ge, pointers(&none, &f.o), 0))
  CALLS_OPS(WORKS, &f.a)
  CALLS_EXPR(WORKS, &f.a)
  CALLS_COPY(WORKS, &f.a)
  CALLS_RESHAPE(WORKS, &f.t)
  CALLS_MAKE(WORKS)
  CALLS_VIEW(WORKS)
  GpuArray_clear(&bad);
  calls_close();
  gpucontext_deref(f.ctx);
}
END_TEST

/* ---- one by one ------------------------------------------------------------------ */

static void calls_begin(void) { calls_open(test_context()); }

static void calls_end(void)
{
  calls_close();
  gpucontext_deref(f.ctx);
}

#define UNKNOWN(call)                    \
  FAILS(GA_UNSUPPORTED_ERROR, "", call); \
  ck_assert_ptr_null(r.data);

START_TEST(types_that_nothing_converts_are_refused)
{
  size_t dims[64];
  GpuArray v = {0}, deep = {0};
  gpuexpr_info info = {.size = sizeof info};
  GpuExpr *e = NULL;
  char *text = NULL;
  calls_begin();
  OK(GpuArray_zeros(&v, f.ctx, GA_FLOAT4, GA_DIMS(6), GA_C_ORDER));
  for (int k = 0; k < 64; k++) dims[k] = k < 2 ? 2 : 1;
  OK(GpuArray_zeros(&deep, f.ctx, GA_FLOAT4, 64, dims, GA_F_ORDER));
  UNKNOWN(GpuArray_move(&f.o, &v))
  UNKNOWN(GpuArray_setarray(&f.o, &v))
  UNKNOWN(GpuArray_take1(&f.o, &v, &f.i, 0))
  UNKNOWN(GpuArray_tohost(host, 24, GA_FLOAT, &v))
  UNKNOWN(GpuArray_concatenate(&r, listed(&v), 1, 0, GA_FLOAT))
  UNKNOWN(GpuArray_copy(&r, &deep, GA_C_ORDER))
  UNKNOWN(GpuArray_reshape(&r, &deep, GA_DIMS(4), GA_C_ORDER, 0))
  UNKNOWN(GpuArray_full(&r, f.ctx, GA_FLOAT4, GA_DIMS(3), 1))
  CALLS_EXPR(UNKNOWN, &v)
  UNKNOWN(GpuExpr_new(&e, f.ctx, "a + 1", 1, named(&v)))
  UNKNOWN(GpuExpr_query(f.e, &info, NULL, 1, named(&v)))
  UNKNOWN(GpuExpr_explain(f.e, &text, 1, named(&v)))
  ck_assert(e == NULL && text == NULL);
  GpuArray_clear(&v);
  GpuArray_clear(&deep);
  calls_end();
}
END_TEST

#define TOO_LARGE(call)             \
  FAILS(GA_XLARGE_ERROR, "", call); \
  ck_assert_ptr_null(r.data);

START_TEST(sizes_beyond_the_limits_are_refused)
{
  static const size_t much = (size_t)1 << 61;
  size_t dims[65];
  ssize_t strides[65];
  char deep[1000] = "";
  GpuArray wide = {0}, byte = {0}, many = {0};
  gpuexpr_info info = {.size = sizeof info};
  GpuExpr *e = NULL;
  char *text = NULL;
  calls_begin();
  for (int k = 0; k < 65; k++) dims[k] = 1, strides[k] = 4;
  wide = f.o; /* of one axis more than there may be */
  wide.nd = 65;
  wide.dimensions = dims;
  wide.strides = strides;
  memset(deep, '(', 400);
  CALLS_EXPR(TOO_LARGE, &wide)
  TOO_LARGE(GpuExpr_new(&e, f.ctx, deep, 1, named(&f.a)))
  TOO_LARGE(GpuExpr_query(f.e, &info, NULL, 1, named(&wide)))
  TOO_LARGE(GpuExpr_explain(f.e, &text, 1, named(&wide)))
  TOO_LARGE(GpuExpr_compile_async(f.e, NULL, 1, named(&wide)))
  OK(GpuArray_zeros(&byte, f.ctx, GA_BYTE, GA_DIMS(1), GA_C_ORDER));
  OK(GpuArray_broadcast_to(&many, &byte, GA_DIMS(much)));
  TOO_LARGE(GpuArray_concatenate(&r, listed(&many), 1, 0, GA_DOUBLE))
  TOO_LARGE(GpuArray_broadcast_to(&r, &f.o, GA_DIMS(much, 1, 6)))
  TOO_LARGE(GpuArray_reshape_inplace(&f.o, GA_DIMS(much, much), GA_C_ORDER))
  ck_assert_uint_eq(f.o.nd, 1);
  GpuArray_clear(&byte);
  GpuArray_clear(&many);
  calls_end();
}
END_TEST

#define NOT_SO(call)                       \
  FAILS(GA_VALUE_ERROR, "argument", call); \
  ck_assert_ptr_null(r.data);

START_TEST(arguments_are_refused)
{
  FILE *full = fopen("/dev/full", "w");
  calls_begin();
  NOT_SO(GpuArray_empty_like(&r, NULL))
  NOT_SO(GpuArray_empty_like(&r, &none))
  NOT_SO(GpuArray_zeros(&r, f.ctx, GA_FLOAT, GA_DIMS(2), (ga_order)7))
  NOT_SO(GpuArray_full(&r, f.ctx, 99, GA_DIMS(2), 1))
  NOT_SO(GpuArray_sync(NULL))
  NOT_SO(GpuArray_sync(&none))
  NOT_SO(GpuArray_reshape_inplace(&f.o, GA_DIMS(2, 3), (ga_order)7))
  if (full != NULL) {
    setvbuf(full, NULL, _IONBF, 0);
    FAILS(GA_SYS_ERROR, "", GpuArray_fdump(full, &f.o));
    FAILS(GA_SYS_ERROR, "", GpuArray_print(full, &f.o));
    fclose(full);
  }
  calls_end();
}
END_TEST

START_TEST(files_and_transfers_tell_the_drivers_failures)
{
  char path[64];
  gpucontext *other;
  GpuArray there = {0};
  open_stub();
  snprintf(path, sizeof path, "/tmp/check_codes.%ld.npy", (long)getpid());
  OK(GpuArray_save(path, &f.o));
  OK(gpucontext_init(&other, "cpu", NULL));
  OK(GpuArray_zeros(&there, other, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  FAULTY(GpuArray_load(&r, f.ctx, path))
  FAULTY(GpuArray_transfer(&there, &f.o))
  FAULTY(gpudata_transfer(there.data, 0, f.o.data, 0, 8))
  GpuArray_clear(&there);
  gpucontext_deref(other);
  unlink(path);
  close_stub();
}
END_TEST

START_TEST(file_of_too_many_axes_is_refused)
{
  char path[64], head[1000];
  FILE *file;
  int n;
  calls_begin();
  snprintf(path, sizeof path, "/tmp/check_codes.%ld.npy", (long)getpid());
  n = snprintf(head + 10, 900, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
  for (int k = 0; k < 65; k++) n += snprintf(head + 10 + n, 900 - (size_t)n, "1, ");
  n += snprintf(head + 10 + n, 900 - (size_t)n, "), }\n");
  memcpy(head, "\x93NUMPY\x01\x00", 8);
  head[8] = (char)(n & 255);
  head[9] = (char)(n >> 8);
  file = fopen(path, "wb");
  ck_assert(file != NULL && fwrite(head, (size_t)n + 10, 1, file) == 1 && fclose(file) == 0);
  TOO_LARGE(GpuArray_load(&r, f.ctx, path))
  unlink(path);
  calls_end();
}
END_TEST

static const test_case cases[] = {CASE(driver_failures_are_told),
                                  CASE(driver_failures_in_the_background_are_told),
                                  CASE(driver_failures_at_buffers_are_told),
                                  CASE(absent_compiler_is_told),
                                  CASE(unaligned_and_cleared_arrays_are_refused),
                                  CASE(types_that_nothing_converts_are_refused),
                                  CASE(sizes_beyond_the_limits_are_refused),
                                  CASE(arguments_are_refused),
                                  CASE(files_and_transfers_tell_the_drivers_failures),
                                  CASE(file_of_too_many_axes_is_refused),
                                  CASE_END};

int main(void) { return test_main("codes", cases); }
