/* SPDX-License-Identifier: MIT */
/* Collectives: arguments refused in the order that is promised, and what reaches
 * NCCL, over a stub of it. */
#include <limits.h>

#include "lib/cuda/cutypes.h"
#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/arg.h"
#include "gpuarray/collectives.h"
#include "gpuarray/extension.h"
#include "gpuarray/graph.h"

static gpucontext *ctx;
static gpucomm *comm;
static void *lib;
static stub_state *s;
enum { RANKS = 3, RANK = 1, N = 12 };

static void *fn(const char *name)
{
  void *p = dlsym(lib, name);
  ck_assert_ptr_nonnull(p);
  return p;
}

static void open_clique(void)
{
  char path[4096];
  gpucommCliqueId id;
  s = stub_use("libstubcuda");
  ck_assert(setenv("GPUARRAY_NCCL", stub_path(path, "libstubnccl"), 1) == 0);
  lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(lib != NULL, "%s", dlerror());
  ctx = stub_context();
  OK(gpucomm_gen_clique_id(ctx, &id));
  OK(gpucomm_new(&comm, ctx, id, RANKS, RANK));
}

static gpudata *filled(size_t n)
{
  int32_t x[64];
  int err;
  for (size_t i = 0; i < n; i++) x[i] = (int32_t)i + 1;
  gpudata *b = gpudata_alloc(ctx, n * sizeof *x, x, GA_BUFFER_INIT, &err);
  ck_assert_msg(b != NULL, "%s", gpuarray_error_message());
  return b;
}

static int first(gpudata *b, size_t i)
{
  int32_t x = 0;
  OK(gpudata_read(&x, b, i * sizeof x, sizeof x));
  return x;
}

START_TEST(cpu_device_has_no_clique)
{
  gpucommCliqueId id = {{0}};
  gpucontext *cpu = test_context();
  gpucomm *c = (gpucomm *)&id;
  if (test_on_cpu()) {
    FAILS(GA_UNSUPPORTED_ERROR, "no collectives", gpucomm_new(&c, cpu, id, 1, 0));
    ck_assert_ptr_null(c);
    FAILS(GA_DEVSUP_ERROR, "no collectives", gpucomm_gen_clique_id(cpu, &id));
  }
  gpucontext_deref(cpu);
}
END_TEST

START_TEST(absent_nccl_is_unsupported)
{
  gpucommCliqueId id = {{0}};
  gpucomm *c;
  stub_use("libstubcuda");
  ctx = stub_context();
  setenv("GPUARRAY_NCCL", "/nowhere/libnccl.so", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "/nowhere/libnccl.so", gpucomm_new(&c, ctx, id, 1, 0));
  FAILS(GA_UNSUPPORTED_ERROR, "/nowhere/libnccl.so", gpucomm_gen_clique_id(ctx, &id));
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(communicator_knows_its_place)
{
  int n = 0, rank = 0;
  gpucommCliqueId id = {{0}};
  gpucomm *c;
  open_clique();
  OK(gpucomm_get_count(comm, &n));
  OK(gpucomm_get_rank(comm, &rank));
  ck_assert_int_eq(n, RANKS);
  ck_assert_int_eq(rank, RANK);
  ck_assert_ptr_eq(gpucomm_context(comm), ctx);
  ck_assert_ptr_null(gpucomm_context(NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_get_count(NULL, &n));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_get_rank(comm, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_new(NULL, ctx, id, 1, 0));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_new(&c, NULL, id, 1, 0));
  FAILS(GA_VALUE_ERROR, "rank 1 of 1", gpucomm_new(&c, ctx, id, 1, 1));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_gen_clique_id(ctx, NULL));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_gen_clique_id(NULL, &id));
  FAILS(GA_COMM_ERROR, "said by the stub", gpucomm_new(&c, ctx, id, 1, 0));
  ck_assert_ptr_nonnull(strstr(gpucomm_error(ctx), "said by the stub"));
  gpucomm_free(NULL);
  gpucontext_deref(ctx); /* the communicator holds it */
  gpucomm_free(comm);
  ck_assert_int_eq(((int (*)(void))fn("stub_nccl_live"))(), 0);
}
END_TEST

START_TEST(collectives_reach_nccl)
{
  static const int types[][2] = {{GA_BYTE, 0},   {GA_UBYTE, 1}, {GA_INT, 2},  {GA_UINT, 3},
                                 {GA_LONG, 4},   {GA_ULONG, 5}, {GA_HALF, 6}, {GA_FLOAT, 7},
                                 {GA_DOUBLE, 8}, {GA_BFLOAT, 9}};
  gpudata *src, *dst;
  int *last;
  open_clique();
  last = ((int *(*)(void))fn("stub_nccl_last"))();
  src = filled(N);
  dst = filled(3 * N);
  OK(gpucomm_reduce(src, 8, dst, 0, 4, GA_INT, GA_MAX, RANK, comm));
  ck_assert_int_eq(first(dst, 0), 3);
  ck_assert_int_eq(last[1], 2);
  ck_assert_int_eq(last[2], RANK);
  OK(gpucomm_reduce(src, 0, NULL, 0, 4, GA_INT, GA_MIN, 0, comm));
  ck_assert_int_eq(last[1], 3);
  OK(gpucomm_all_reduce(src, 4, dst, 0, 4, GA_INT, GA_PROD, comm));
  ck_assert_int_eq(first(dst, 0), 2);
  OK(gpucomm_reduce_scatter(src, 0, dst, 4, 4, GA_INT, GA_SUM, comm));
  ck_assert_int_eq(first(dst, 1), 5); /* part 1 */
  OK(gpucomm_broadcast(dst, 0, 4, GA_INT, 2, comm));
  ck_assert_int_eq(last[2], 2);
  OK(gpucomm_all_gather(src, 0, dst, 0, N, GA_INT, comm));
  ck_assert_int_eq(first(dst, 2 * N), 1);
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    OK(gpucomm_all_reduce(src, 0, dst, 0, 2, types[t][0], GA_SUM, comm));
    ck_assert_int_eq(last[0], types[t][1]);
    ck_assert_int_eq(last[3], 1);
  }
  ((void (*)(int))fn("stub_nccl_fail"))(3);
  FAILS(GA_COMM_ERROR, "said by the stub", gpucomm_broadcast(dst, 0, 4, GA_INT, 2, comm));
  gpudata_release(src);
  gpudata_release(dst);
  gpucomm_free(comm);
  gpucontext_deref(ctx);
}
END_TEST

/* Each call has the faults of those after it too. */
START_TEST(faults_are_told_in_order)
{
  gpudata *b, *far;
  gpucontext *other;
  int err;
  const size_t much = (size_t)INT_MAX + 1;
  open_clique();
  b = filled(N);
  OK(gpucontext_init(&other, "cpu", NULL));
  far = gpudata_alloc(other, 4, NULL, 0, &err);
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_all_reduce(NULL, 0, far, 0, much, 99, 9, comm));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_all_reduce(b, 0, b, 0, much, 99, 9, NULL));
  FAILS(GA_XLARGE_ERROR, "elements", gpucomm_all_reduce(b, 0, far, 0, much, 99, 9, comm));
  FAILS(GA_VALUE_ERROR, "contexts", gpucomm_all_reduce(b, 0, far, 0, 99, 99, 9, comm));
  FAILS(GA_INVALID_ERROR, "typecode", gpucomm_all_reduce(b, 0, b, 0, 99, 99, 9, comm));
  FAILS(GA_INVALID_ERROR, "typecode", gpucomm_all_gather(b, 0, b, 0, 1, GA_SHORT, comm));
  FAILS(GA_INVALID_ERROR, "operation", gpucomm_all_reduce(b, 0, b, 0, 99, GA_INT, 9, comm));
  FAILS(GA_VALUE_ERROR, "fit", gpucomm_all_reduce(b, 0, b, 0, 99, GA_INT, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "fit", gpucomm_all_reduce(b, SIZE_MAX, b, 0, 1, GA_INT, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "source", gpucomm_reduce_scatter(b, 0, b, 0, N, GA_INT, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "destination", gpucomm_all_gather(b, 0, b, 0, N, GA_INT, comm));
  FAILS(GA_VALUE_ERROR, "root", gpucomm_broadcast(b, 0, 1, GA_INT, RANKS, comm));
  FAILS(GA_VALUE_ERROR, "root", gpucomm_reduce(b, 0, b, 0, 1, GA_INT, GA_SUM, -1, comm));
  FAILS(GA_VALUE_ERROR, "NULL", gpucomm_reduce(b, 0, NULL, 0, 1, GA_INT, GA_SUM, RANK, comm));
  gpudata_release(far);
  gpucontext_deref(other);
  gpudata_release(b);
  gpucomm_free(comm);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(arrays_are_given_and_checked)
{
  GpuArray s = {0}, d = {0}, three = {0}, f = {0}, view = {0};
  open_clique();
  OK(GpuArray_zeros(&s, ctx, GA_INT, GA_DIMS(2, 3), GA_C_ORDER));
  OK(GpuArray_zeros(&d, ctx, GA_INT, GA_DIMS(6), GA_C_ORDER));
  OK(GpuArray_zeros(&three, ctx, GA_INT, GA_DIMS(3, 6), GA_C_ORDER));
  OK(GpuArray_zeros(&f, ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  OK(GpuArray_slice(&view, &three, ":, ::3"));
  OK(GpuArray_all_reduce(&s, &d, GA_SUM, comm));
  OK(GpuArray_reduce(&s, &d, GA_SUM, RANK, comm));
  OK(GpuArray_reduce(&s, NULL, GA_SUM, 0, comm));
  OK(GpuArray_reduce_from(&s, GA_SUM, 0, comm));
  OK(GpuArray_reduce_scatter(&three, &d, GA_SUM, comm));
  OK(GpuArray_broadcast(&d, 0, comm));
  OK(GpuArray_all_gather(&s, &three, comm));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_all_reduce(NULL, &d, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_all_reduce(&s, &d, GA_SUM, NULL));
  FAILS(GA_VALUE_ERROR, "elements", GpuArray_all_reduce(&s, &three, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "elements", GpuArray_reduce_scatter(&s, &d, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "elements", GpuArray_all_gather(&s, &d, comm));
  FAILS(GA_VALUE_ERROR, "typecode", GpuArray_all_reduce(&s, &f, GA_SUM, comm));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_reduce(&s, NULL, GA_SUM, RANK, comm));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_reduce_from(NULL, GA_SUM, 0, comm));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_broadcast(NULL, 0, comm));
  FAILS(GA_UNSUPPORTED_ERROR, "argument 1 has gaps", GpuArray_broadcast(&view, 0, comm));
  FAILS(GA_UNSUPPORTED_ERROR, "argument 2 has gaps", GpuArray_all_reduce(&d, &view, GA_SUM, comm));
  FAILS(GA_INVALID_ERROR, "operation", GpuArray_all_reduce(&s, &d, 7, comm));
  s.flags &= ~GA_ALIGNED;
  FAILS(GA_UNALIGNED_ERROR, "argument 1 is not aligned", GpuArray_all_reduce(&s, &d, GA_SUM, comm));
  d.flags &= ~GA_WRITEABLE;
  FAILS(GA_INVALID_ERROR, "argument 1 is read-only", GpuArray_broadcast(&d, 0, comm));
  GpuArray_clear(&s);
  GpuArray_clear(&d);
  GpuArray_clear(&three);
  GpuArray_clear(&f);
  GpuArray_clear(&view);
  gpucomm_free(comm);
  gpucontext_deref(ctx);
}
END_TEST

/* Every operation, of `n` elements of buffers, and of arrays whose result is `d`. */
#define CALLS_BUFFERS(DO, b, n, type)                           \
  DO(gpucomm_reduce(b, 0, b, 0, n, type, GA_SUM, RANK, comm))   \
  DO(gpucomm_all_reduce(b, 0, b, 0, n, type, GA_SUM, comm))     \
  DO(gpucomm_reduce_scatter(b, 0, b, 0, n, type, GA_SUM, comm)) \
  DO(gpucomm_broadcast(b, 0, n, type, RANK, comm))              \
  DO(gpucomm_all_gather(b, 0, b, 0, n, type, comm))
#define CALLS_ARRAYS(DO, one, all)                      \
  DO(GpuArray_reduce(&one, &one, GA_SUM, RANK, comm))   \
  DO(GpuArray_all_reduce(&one, &one, GA_SUM, comm))     \
  DO(GpuArray_reduce_scatter(&all, &one, GA_SUM, comm)) \
  DO(GpuArray_broadcast(&one, RANK, comm))              \
  DO(GpuArray_all_gather(&one, &all, comm))

#define WORKS(call)           OK(call);
#define TOO_LARGE(call)       FAILS(GA_XLARGE_ERROR, "elements", call);
#define TYPED(call)           FAILS(GA_INVALID_ERROR, "typecode", call);
#define REFUSED_BY_NCCL(call) FAILS(GA_COMM_ERROR, "said by the stub", call);
#define UNUSABLE(call)        FAILS(GA_IMPL_ERROR, "unusable", call);
#define UNALIGNED(call)       FAILS(GA_UNALIGNED_ERROR, "aligned", call);
#define READ_ONLY(call)       FAILS(GA_INVALID_ERROR, "read-only", call);
#define GAPS(call)            FAILS(GA_UNSUPPORTED_ERROR, "gaps", call);

static GpuArray over(gpudata *b, size_t n)
{
  GpuArray a = {0};
  OK(GpuArray_fromdata(&a, b, 0, GA_BYTE, 1, &n, NULL, 1));
  return a;
}

START_TEST(every_operation_tells_every_fault)
{
  const size_t much = (size_t)INT_MAX + 1;
  gpucommCliqueId id;
  gpudata *b, *huge;
  GpuArray one, all, large, larger, wide, gaps = {0};
  open_clique();
  b = filled(3 * N);
  /* Memory that nothing touches. */
  huge = ((gpudata * (*)(gpucontext *, CUdeviceptr, size_t))
              gpuarray_get_extension("cuda_make_buf"))(ctx, 4096, 4 * much);
  one = over(b, N);
  all = over(b, RANKS * N);
  large = over(huge, much);
  larger = over(huge, RANKS * much);
  CALLS_BUFFERS(TOO_LARGE, b, much, GA_INT)
  CALLS_BUFFERS(TYPED, b, 1, GA_SHORT)
  CALLS_ARRAYS(TOO_LARGE, large, larger)
  TOO_LARGE(GpuArray_reduce_from(&large, GA_SUM, 0, comm))
  ((void (*)(int))fn("stub_nccl_fail"))(3);
  REFUSED_BY_NCCL(gpucomm_gen_clique_id(ctx, &id))
  CALLS_BUFFERS(REFUSED_BY_NCCL, b, 4, GA_INT)
  CALLS_ARRAYS(REFUSED_BY_NCCL, one, all)
  REFUSED_BY_NCCL(GpuArray_reduce_from(&one, GA_SUM, 0, comm))
  ((void (*)(int))fn("stub_nccl_fail"))(0);
  wide = over(b, 2 * N);
  OK(GpuArray_slice(&gaps, &wide, "::2"));
  CALLS_ARRAYS(WORKS, one, all)
  GAPS(GpuArray_reduce(&gaps, &one, GA_SUM, RANK, comm))
  GAPS(GpuArray_reduce_from(&gaps, GA_SUM, 0, comm))
  GAPS(GpuArray_all_reduce(&gaps, &one, GA_SUM, comm))
  GAPS(GpuArray_reduce_scatter(&all, &gaps, GA_SUM, comm))
  GAPS(GpuArray_all_gather(&gaps, &all, comm))
  one.flags &= ~GA_WRITEABLE;
  READ_ONLY(GpuArray_reduce(&one, &one, GA_SUM, RANK, comm))
  READ_ONLY(GpuArray_all_reduce(&one, &one, GA_SUM, comm))
  READ_ONLY(GpuArray_reduce_scatter(&all, &one, GA_SUM, comm))
  all.flags &= ~GA_WRITEABLE;
  READ_ONLY(GpuArray_all_gather(&one, &all, comm))
  FAILS(GA_INVALID_ERROR, "operation", GpuArray_reduce_from(&one, 9, 0, comm));
  one.flags = all.flags = GA_C_CONTIGUOUS | GA_WRITEABLE;
  CALLS_ARRAYS(UNALIGNED, one, all)
  UNALIGNED(GpuArray_reduce_from(&one, GA_SUM, 0, comm))
  one.flags = all.flags |= GA_ALIGNED;
  s->fault = 700;
  FAILS(GA_IMPL_ERROR, "unusable", gpucontext_sync(ctx));
  CALLS_BUFFERS(UNUSABLE, b, 4, GA_INT)
  CALLS_ARRAYS(UNUSABLE, one, all)
  UNUSABLE(GpuArray_reduce_from(&one, GA_SUM, 0, comm))
  GpuArray_clear(&one);
  GpuArray_clear(&all);
  GpuArray_clear(&large);
  GpuArray_clear(&larger);
  GpuArray_clear(&wide);
  GpuArray_clear(&gaps);
  gpudata_release(b);
  gpudata_release(huge);
  gpucomm_free(comm);
  gpucontext_deref(ctx);
}
END_TEST

#define REFUSED_IN_CAPTURE(call) FAILS(GA_INVALID_ERROR, "no collectives", call);

/* The calls before it are captured in vain, the ones after it run. */
START_TEST(no_operation_runs_while_a_graph_is_captured)
{
  gpugraph *g = (gpugraph *)&lib;
  gpudata *b;
  GpuArray one, all;
  int *last;
  open_clique();
  last = ((int *(*)(void))fn("stub_nccl_last"))();
  b = filled(RANKS * N);
  one = over(b, N);
  all = over(b, RANKS * N);
  OK(gpucomm_all_gather(b, 0, b, 0, 1, GA_FLOAT, comm));
  const int before = last[0];
  OK(gpugraph_begin(ctx));
  CALLS_BUFFERS(REFUSED_IN_CAPTURE, b, 4, GA_INT)
  CALLS_ARRAYS(REFUSED_IN_CAPTURE, one, all)
  REFUSED_IN_CAPTURE(GpuArray_reduce_from(&one, GA_SUM, 0, comm))
  ck_assert_int_eq(last[0], before); /* nothing has reached NCCL since */
  FAILS(GA_INVALID_ERROR, "no collectives", gpugraph_end(&g, ctx));
  ck_assert_ptr_null(g);
  CALLS_BUFFERS(WORKS, b, 4, GA_INT)
  GpuArray_clear(&one);
  GpuArray_clear(&all);
  gpudata_release(b);
  gpucomm_free(comm);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(cpu_device_has_no_clique),
                                  CASE(absent_nccl_is_unsupported),
                                  CASE(communicator_knows_its_place),
                                  CASE(collectives_reach_nccl),
                                  CASE(faults_are_told_in_order),
                                  CASE(arrays_are_given_and_checked),
                                  CASE(every_operation_tells_every_fault),
                                  CASE(no_operation_runs_while_a_graph_is_captured),
                                  CASE_END};

int main(void) { return test_main("comm", cases); }
