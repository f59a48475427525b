/* SPDX-License-Identifier: MIT */
/* The extensions of CUDA, over a stub driver: every name has the type that
 * ext_cuda.h gives it, foreign memory and contexts stay their maker's, and memory
 * of another process is closed when its buffer goes. */
#include "lib/cuda/cutypes.h"
#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/extension.h"

static stub_state *s;
static gpucontext *ctx;

static void begin(void)
{
  s = stub_use("libstubcuda");
  ctx = stub_context();
}

#define EXT(type, name) ((type)gpuarray_get_extension(name))

START_TEST(extensions_are_found_by_name)
{
  static const char *const names[] = {
      "cuda_enter",  "cuda_exit", "cuda_make_ctx", "cuda_get_stream",     "cuda_make_buf",
      "cuda_get_sz", "cuda_wait", "cuda_record",   "cuda_get_ipc_handle", "cuda_open_ipc_handle"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    ck_assert_msg(gpuarray_get_extension(names[i]) != NULL, "%s", names[i]);
  ck_assert_ptr_null(gpuarray_get_extension("cl_make_ctx"));
  ck_assert_ptr_null(gpuarray_get_extension("cuda"));
  ck_assert_ptr_null(gpuarray_get_extension(NULL));
}
END_TEST

START_TEST(entered_context_is_left_as_often)
{
  begin();
  EXT(void (*)(gpucontext *), "cuda_enter")(ctx);
  EXT(void (*)(gpucontext *), "cuda_enter")(ctx);
  ck_assert_int_eq(s->depth, 2);
  EXT(void (*)(gpucontext *), "cuda_exit")(ctx);
  EXT(void (*)(gpucontext *), "cuda_exit")(ctx);
  ck_assert_int_eq(s->depth, 0);
  ck_assert_ptr_nonnull(EXT(void *(*)(gpucontext *), "cuda_get_stream")(ctx));
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(foreign_memory_is_not_freed)
{
  double own[4] = {1, 2, 3, 4}, got[2];
  gpudata *b;
  begin();
  b = EXT(gpudata * (*)(gpucontext *, CUdeviceptr, size_t),
          "cuda_make_buf")(ctx, (CUdeviceptr)(uintptr_t)own, sizeof own);
  ck_assert_ptr_nonnull(b);
  ck_assert_ptr_eq(*(void **)b, own);
  ck_assert_uint_eq(EXT(size_t(*)(gpudata *), "cuda_get_sz")(b), sizeof own);
  OK(EXT(int (*)(gpudata *, int), "cuda_wait")(b, GPUARRAY_CUDA_WAIT_READ));
  OK(EXT(int (*)(gpudata *, int), "cuda_record")(b, GPUARRAY_CUDA_WAIT_WRITE));
  FAILS(GA_VALUE_ERROR, "flags", EXT(int (*)(gpudata *, int), "cuda_wait")(b, 1));
  OK(gpudata_read(got, b, 8, sizeof got));
  ck_assert_double_eq(got[1], 3);
  gpucontext_deref(ctx); /* the buffer holds it */
  gpudata_release(b);
  ck_assert_int_eq(s->bad_frees, 0);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

START_TEST(foreign_context_stays_its_makers)
{
  gpucontext *other;
  gpucontext_props *props;
  begin();
  OK(gpucontext_props_new(&props));
  ck_assert_ptr_null(
      EXT(gpucontext * (*)(CUcontext, gpucontext_props *), "cuda_make_ctx")(NULL, props));
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "NULL"));
  OK(gpucontext_props_new(&props));
  other = EXT(gpucontext * (*)(CUcontext, gpucontext_props *),
              "cuda_make_ctx")((CUcontext)s->foreign, props);
  ck_assert_msg(other != NULL, "%s", gpuarray_error_message());
  ck_assert_int_eq(s->retained, 1); /* ctx's alone */
  gpucontext_deref(other);
  ck_assert_int_eq(s->retained, 1);
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->depth, 0);
}
END_TEST

typedef gpudata *open_fn(gpucontext *, GpuArrayIpcMemHandle *, size_t);
typedef int get_fn(gpudata *, GpuArrayIpcMemHandle *);

START_TEST(d16_ipc_memory_is_closed_with_its_buffer)
{
  int32_t x[4] = {1, 2, 3, 4}, got[4];
  GpuArrayIpcMemHandle h;
  gpudata *a, *b;
  int err;
  begin();
  a = gpudata_alloc(ctx, sizeof x, x, GA_BUFFER_INIT, &err);
  OK(EXT(get_fn *, "cuda_get_ipc_handle")(a, &h));
  b = EXT(open_fn *, "cuda_open_ipc_handle")(ctx, &h, sizeof x);
  ck_assert_msg(b != NULL, "%s", gpuarray_error_message());
  OK(gpudata_read(got, b, 0, sizeof got));
  ck_assert_mem_eq(got, x, sizeof x);
  FAILS(GA_VALUE_ERROR, "somebody", EXT(get_fn *, "cuda_get_ipc_handle")(b, &h));
  FAILS(GA_VALUE_ERROR, "NULL", EXT(get_fn *, "cuda_get_ipc_handle")(a, NULL));
  ck_assert_ptr_null(EXT(open_fn *, "cuda_open_ipc_handle")(ctx, NULL, 4));
  ck_assert_int_eq(s->ipc, 1);
  gpudata_release(b);
  ck_assert_int_eq(s->ipc, 0);
  gpudata_release(a);
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->bad_frees, 0);
  ck_assert_int_eq(s->depth, 0);
}
END_TEST

START_TEST(other_devices_have_no_cuda)
{
  gpucontext *cpu;
  OK(gpucontext_init(&cpu, "cpu", NULL));
  EXT(void (*)(gpucontext *), "cuda_enter")(cpu);
  EXT(void (*)(gpucontext *), "cuda_exit")(cpu);
  ck_assert_ptr_null(EXT(void *(*)(gpucontext *), "cuda_get_stream")(cpu));
  ck_assert_ptr_null(
      EXT(gpudata * (*)(gpucontext *, CUdeviceptr, size_t), "cuda_make_buf")(cpu, 16, 1));
  gpucontext_deref(cpu);
}
END_TEST

static const test_case cases[] = {CASE(extensions_are_found_by_name),
                                  CASE(entered_context_is_left_as_often),
                                  CASE(foreign_memory_is_not_freed),
                                  CASE(foreign_context_stays_its_makers),
                                  CASE(d16_ipc_memory_is_closed_with_its_buffer),
                                  CASE(other_devices_have_no_cuda),
                                  CASE_END};

int main(void) { return test_main("extension", cases); }
