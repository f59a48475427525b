/* SPDX-License-Identifier: MIT */
/* Expressions compiled in the background, over a stub driver and a stub compiler that
 * counts, and takes its time or waits at a gate. */
#include "tests/cache_place.h"

#include <pthread.h>

#include "gpuarray.h"

#define ROWS 30

/* A context of the stub; compiling takes `ms`. */
static gpucontext *slow_context(stub_state **s, const char *ms)
{
  gpucontext *ctx = NULL;
  stub_state *stub = fresh();
  if (s != NULL) *s = stub;
  setenv("STUB_NVRTC_MS", ms, 1);
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  return ctx;
}

static GpuExpr *twice(gpucontext *ctx)
{
  GpuExpr *e;
  OK(GpuExpr_new(&e, ctx, "a + a", GA_ARGS(ga_array("a", NULL))));
  return e;
}

/* A description of an array without data; room for `nd` axes is in it. */
typedef struct shape {
  GpuArray a;
  size_t dims[2];
  ssize_t strides[2];
} shape;

static const GpuArray *describe(shape *s, size_t rows, size_t columns)
{
  memset(s, 0, sizeof *s);
  s->dims[0] = rows, s->dims[1] = columns;
  s->strides[0] = (ssize_t)columns * 4, s->strides[1] = 4;
  s->a.nd = 2;
  s->a.typecode = GA_FLOAT;
  s->a.flags = GA_ALIGNED | GA_WRITEABLE;
  s->a.dimensions = s->dims;
  s->a.strides = s->strides;
  return &s->a;
}

static void call(GpuExpr *e, gpucontext *ctx, size_t rows, size_t columns)
{
  GpuArray a, r;
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(rows, columns), GA_C_ORDER));
  OK(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a))));
  GpuArray_clear(&a);
  GpuArray_clear(&r);
}

static void all_freed(stub_state *s)
{
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->modules, 0);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->wrong_context, 0);
  cleanup();
}

START_TEST(returns_at_once_and_is_ready_later)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "0");
  GpuExpr *e = twice(ctx);
  shape a;
  ck_assert_int_eq(GpuExpr_ready(e), 1);
  shut_gate();
  OK(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", describe(&a, 9, 7)))));
  ck_assert_int_eq(GpuExpr_ready(e), 0);
  memset(&a, 0xff, sizeof a); /* nothing of it is needed any more */
  open_gate();
  while (!GpuExpr_ready(e)) usleep(1000);
  ck_assert_int_eq(compiled(), 1);
  OK(GpuExpr_wait(e));
  call(e, ctx, 9, 7);
  ck_assert_int_eq(compiled(), 1);
  ck_assert_int_eq(s->launches, 1);
  OK(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", describe(&a, 9, 7)))));
  ck_assert_int_eq(GpuExpr_ready(e), 1); /* there was nothing to do */
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

START_TEST(early_call_waits_and_compiles_nothing)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "300");
  GpuExpr *e = twice(ctx);
  shape a;
  for (int i = 0; i < 3; i++)
    OK(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", describe(&a, 9, 7)))));
  call(e, ctx, 9, 7);
  ck_assert_int_eq(compiled(), 1);
  ck_assert_int_eq(s->launches, 1);
  ck_assert_int_eq(GpuExpr_ready(e), 1);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

typedef struct caller {
  GpuExpr *e;
  gpucontext *ctx;
  pthread_t t;
} caller;

static void *call_in_thread(void *arg)
{
  const caller *c = arg;
  shape a;
  for (size_t rows = 1; rows < 6; rows++) {
    OK(GpuExpr_compile_async(c->e, NULL, GA_ARGS(ga_array("a", describe(&a, rows, 7)))));
    (void)GpuExpr_ready(c->e);
    OK(GpuExpr_wait(c->e));
  }
  return NULL;
}

START_TEST(threads_may_begin_and_wait_at_once)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "20");
  GpuExpr *e = twice(ctx);
  caller c[6];
  for (int i = 0; i < 6; i++) {
    c[i] = (caller){.e = e, .ctx = ctx};
    ck_assert_int_eq(pthread_create(&c[i].t, NULL, call_in_thread, &c[i]), 0);
  }
  for (int i = 0; i < 6; i++) pthread_join(c[i].t, NULL);
  ck_assert_int_eq(compiled(), 1); /* extents are no part of a kernel */
  for (size_t rows = 1; rows < 6; rows++) call(e, ctx, rows, 7);
  ck_assert_int_eq(compiled(), 1);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

START_TEST(failures_are_told_by_wait_and_call)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "0");
  GpuExpr *e = twice(ctx), *two;
  GpuArray a, r;
  shape x, y;
  setenv("GPUARRAY_NVRTC", "/nowhere/libnvrtc.so", 1);
  OK(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", describe(&x, 9, 7)))));
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so", GpuExpr_wait(e));
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so", GpuExpr_wait(e));
  ck_assert_int_eq(GpuExpr_ready(e), 1);
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so",
        GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", &x.a))));
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(9, 7), GA_C_ORDER));
  FAILS(GA_LOAD_ERROR, "/nowhere/libnvrtc.so", GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a))));
  stub_use("libstubcuda"); /* there is a compiler now */
  call(e, ctx, 9, 7);
  OK(GpuExpr_wait(e));
  OK(GpuExpr_new(&two, ctx, "a + b", GA_ARGS(ga_array("a", NULL), ga_array("b", NULL))));
  OK(GpuExpr_compile_async(
      two, NULL, GA_ARGS(ga_array("a", describe(&x, 9, 7)), ga_array("b", describe(&y, 9, 8)))));
  FAILS(GA_VALUE_ERROR, "axis -1 has 7 and 8", GpuExpr_wait(two));
  GpuArray_clear(&a);
  GpuExpr_free(two);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

START_TEST(wrong_arguments_are_refused_at_once)
{
  gpucontext *ctx = slow_context(NULL, "0");
  GpuExpr *e = twice(ctx);
  shape x;
  FAILS(GA_VALUE_ERROR, "expression is NULL", GpuExpr_compile_async(NULL, NULL, 0, NULL));
  FAILS(GA_VALUE_ERROR, "expression is NULL", GpuExpr_wait(NULL));
  ck_assert_int_eq(GpuExpr_ready(NULL), 1);
  FAILS(GA_VALUE_ERROR, "args is NULL", GpuExpr_compile_async(e, NULL, 1, NULL));
  FAILS(GA_VALUE_ERROR, "made for 1", GpuExpr_compile_async(e, NULL, GA_ARGS()));
  FAILS(GA_VALUE_ERROR, "made by ga_int()",
        GpuExpr_compile_async(e, NULL, GA_ARGS(ga_int("a", 1))));
  FAILS(GA_VALUE_ERROR, "is NULL", GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", NULL))));
  describe(&x, 9, 7);
  x.a.typecode = GA_BUFFER;
  FAILS(GA_UNSUPPORTED_ERROR, "typecode",
        GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", &x.a))));
  ck_assert_int_eq(GpuExpr_ready(e), 1);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

START_TEST(output_and_alignment_are_part_of_it)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "0");
  GpuExpr *e = twice(ctx);
  GpuArray a, r, v;
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(64), GA_C_ORDER));
  OK(GpuArray_empty(&r, ctx, GA_FLOAT, GA_DIMS(63), GA_C_ORDER));
  OK(GpuArray_slice(&v, &a, "1:"));
  OK(GpuExpr_compile_async(e, &r, GA_ARGS(ga_array("a", &v))));
  OK(GpuExpr_wait(e));
  ck_assert_int_eq(compiled(), 1);
  OK(GpuExpr_call_into(e, &r, GA_ARGS(ga_array("a", &v))));
  ck_assert_int_eq(compiled(), 1);
  GpuArray_clear(&v);
  OK(GpuArray_slice(&v, &a, ":63")); /* aligned: another kernel */
  OK(GpuExpr_call_into(e, &r, GA_ARGS(ga_array("a", &v))));
  ck_assert_int_eq(compiled(), 2);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
  GpuExpr_free(e);
  gpucontext_deref(ctx);
  all_freed(s);
}
END_TEST

/* Texts that share no kernel, each begun; the last reference to the context goes
 * first. The four that the background may be at are freed last. */
START_TEST(freeing_while_compiling_is_safe)
{
  stub_state *s;
  gpucontext *ctx = slow_context(&s, "100");
  if (_i == 1) shut_gate();
  GpuExpr *e[ROWS];
  shape a;
  for (int i = 0; i < ROWS; i++) {
    char text[64];
    snprintf(text, sizeof text, "a%.*s", 2 * (i + 1),
             "+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a"
             "+a+a+a+a+a+a+a+a+a+a+a+a");
    OK(GpuExpr_new(&e[i], ctx, text, GA_ARGS(ga_array("a", NULL))));
    OK(GpuExpr_compile_async(e[i], NULL, GA_ARGS(ga_array("a", describe(&a, 9, 7)))));
  }
  gpucontext_deref(ctx);
  if (_i == 0) OK(GpuExpr_wait(e[ROWS / 2]));
  for (int i = ROWS - 1; i >= 0; i--) {
    if (i == 3) open_gate();
    GpuExpr_free(e[i]);
  }
  ck_assert_int_lt(compiled(), ROWS); /* what was not begun was dropped */
  all_freed(s);
}
END_TEST

static GpuExpr *begun;
static gpucontext *begun_ctx;

static int exits_while_compiling(void *unused)
{
  shape a;
  (void)unused;
  begun_ctx = slow_context(NULL, "200");
  begun = twice(begun_ctx);
  if (GpuExpr_compile_async(begun, NULL, GA_ARGS(ga_array("a", describe(&a, 9, 7)))) != 0) return 1;
  await_compiled(1);
  exit(0); /* nothing is freed */
}

START_TEST(process_may_exit_while_compiling)
{
  ck_assert_int_eq(in_child(exits_while_compiling, NULL), 0);
}
END_TEST

/* CUDA does not work after a fork: the call is an error, and comes back. */
static int call_in_fork(void *arg)
{
  GpuArray *a = arg, r;
  alarm(100);
  open_gate();
  if (GpuExpr_wait(begun) == GA_NO_ERROR) return 1;
  if (GpuExpr_call(begun, &r, GA_ARGS(ga_array("a", a))) == GA_NO_ERROR) return 2;
  GpuExpr_free(begun);
  return 0;
}

START_TEST(forked_child_does_not_hang)
{
  stub_state *s;
  GpuArray a;
  begun_ctx = slow_context(&s, "0");
  begun = twice(begun_ctx);
  shut_gate();
  OK(GpuArray_empty(&a, begun_ctx, GA_FLOAT, GA_DIMS(9, 7), GA_C_ORDER));
  OK(GpuExpr_compile_async(begun, NULL, GA_ARGS(ga_array("a", &a))));
  await_compiled(1);
  ck_assert_int_eq(in_child(call_in_fork, &a), 0);
  OK(GpuExpr_wait(begun));
  call(begun, begun_ctx, 9, 7);
  GpuArray_clear(&a);
  GpuExpr_free(begun);
  gpucontext_deref(begun_ctx);
  all_freed(s);
}
END_TEST

/* 0: the value is right, in a child of a process that had begun it too. */
static int sum_on_cpu(void *arg)
{
  GpuArray *a = arg, r;
  double sum = 0;
  alarm(100);
  if (GpuExpr_call(begun, &r, GA_ARGS(ga_array("a", a))) != GA_NO_ERROR) return 1;
  if (GpuArray_tohost(&sum, sizeof sum, GA_DOUBLE, &r) != GA_NO_ERROR) return 2;
  GpuArray_clear(&r);
  return sum == 6 ? 0 : 3;
}

START_TEST(cpu_device_does_it_too)
{
  double x[3] = {1, 2, 3};
  GpuArray a;
  OK(gpucontext_init(&begun_ctx, "cpu", NULL));
  OK(GpuArray_fromhost(&a, begun_ctx, GA_DOUBLE, GA_DIMS(3), x));
  OK(GpuExpr_new(&begun, begun_ctx, "sum(a)", GA_ARGS(ga_array("a", NULL))));
  OK(GpuExpr_compile_async(begun, NULL, GA_ARGS(ga_array("a", &a))));
  ck_assert_int_eq(in_child(sum_on_cpu, &a), 0);
  ck_assert_int_eq(sum_on_cpu(&a), 0);
  OK(GpuExpr_wait(begun));
  GpuArray_clear(&a);
  GpuExpr_free(begun);
  gpucontext_deref(begun_ctx);
}
END_TEST

static const test_case cases[] = {CASE(returns_at_once_and_is_ready_later),
                                  CASE(early_call_waits_and_compiles_nothing),
                                  CASE(threads_may_begin_and_wait_at_once),
                                  CASE(failures_are_told_by_wait_and_call),
                                  CASE(wrong_arguments_are_refused_at_once),
                                  CASE(output_and_alignment_are_part_of_it),
                                  CASE_LOOP(freeing_while_compiling_is_safe, 2),
                                  CASE(process_may_exit_while_compiling),
                                  CASE(forked_child_does_not_hang),
                                  CASE(cpu_device_does_it_too),
                                  CASE_END};

int main(void) { return test_main("ahead", cases); }
