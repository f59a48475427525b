/* SPDX-License-Identifier: MIT */
/* The kernels of a plan that has several, over a stub driver and a stub compiler that
 * waits at a gate. */
#include "tests/cache_place.h"

#include <pthread.h>

#include "gpuarray.h"

/* A chain whose one row fits on no chip: a kernel for the mean and one for the rest. */
static const char text[] = "a - mean(a)";

static gpucontext *context(stub_state **s)
{
  gpucontext *ctx;
  *s = fresh();
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  return ctx;
}

static void make(GpuArray *a, gpucontext *ctx)
{
  OK(GpuArray_empty(a, ctx, GA_FLOAT, GA_DIMS(4096, 4096), GA_C_ORDER));
}

static void all_freed(const stub_state *s)
{
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->modules, 0);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->wrong_context, 0);
  cleanup();
}

static void *open_for_two(void *unused)
{
  await_compiled(2);
  open_gate();
  return unused;
}

/* The gate opens when two have begun. */
START_TEST(are_compiled_side_by_side)
{
  stub_state *s;
  gpucontext *ctx = context(&s);
  GpuArray a, r;
  pthread_t t;
  make(&a, ctx);
  shut_gate();
  ck_assert_int_eq(pthread_create(&t, NULL, open_for_two, NULL), 0);
  OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
  pthread_join(t, NULL);
  ck_assert_int_eq(compiled(), 2);
  ck_assert_int_eq(s->launches, 2);
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

/* In memory nothing is made, on disk all are found. */
START_TEST(are_found_where_they_are)
{
  stub_state *s;
  gpucontext *ctx = context(&s);
  for (int i = 0; i < 3; i++) {
    GpuArray a, r;
    if (i == 2) {
      gpucontext_deref(ctx);
      OK(gpucontext_init(&ctx, "cuda", NULL));
    }
    make(&a, ctx);
    OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
    ck_assert_int_eq(compiled(), 2);
    ck_assert_int_eq(s->launches, 2 * (i + 1));
    GpuArray_clear(&r);
    GpuArray_clear(&a);
  }
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

START_TEST(failures_are_the_callers)
{
  stub_state *s;
  gpucontext *ctx = context(&s);
  GpuArray a, r;
  make(&a, ctx);
  setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1);
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so",
        GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
  stub_use("libstubcuda");
  OK(GpuArray_eval(&r, ctx, text, GA_ARGS(ga_array("a", &a))));
  GpuArray_clear(&r);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

/* Rows times columns: b is copied as a lies where there is memory for that. */
START_TEST(copies_are_done_without_where_there_is_no_memory)
{
  stub_state *s;
  gpucontext *ctx = context(&s);
  GpuArray a, b, r;
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(2000, 4100), GA_C_ORDER));
  OK(GpuArray_empty(&b, ctx, GA_FLOAT, GA_DIMS(2000, 4100), GA_F_ORDER));
  for (int i = 0; i < 2; i++) {
    const int before = s->launches;
    if (i == 1) s->total = s->used + (1 << 20);
    OK(GpuArray_eval(&r, ctx, "sum(a*b)", GA_ARGS(ga_array("a", &a), ga_array("b", &b))));
    ck_assert_int_eq(s->launches - before, i == 0 ? 2 : 1);
    GpuArray_clear(&r);
    OK(gpucontext_sync(ctx));
  }
  FAILS(GA_MEMORY_ERROR, "cannot give", GpuArray_eval(&r, ctx, "a*2", GA_ARGS(ga_array("a", &a))));
  GpuArray_clear(&b);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

static const test_case cases[] = {CASE(copies_are_done_without_where_there_is_no_memory),
                                  CASE(are_compiled_side_by_side), CASE(are_found_where_they_are),
                                  CASE(failures_are_the_callers), CASE_END};

int main(void) { return test_main("plan_kernels", cases); }
