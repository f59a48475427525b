/* SPDX-License-Identifier: MIT */
/* Every function that may run out of memory says so, whichever of its allocations
 * fails: one call after the other (tests/calls.h), on the stub driver, where a
 * kernel is compiled at once. check_nomem.c does the same to whole programs. */
#include <unistd.h>

#include "tests/short_memory.h"

#include "tests/calls.h"
#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/cache.h"

static int err;

static void open_stub(void)
{
  char path[4096];
  setenv("GPUARRAY_CACHE", "off", 1);
  stub_use("libstubcuda")->params = -1;
  ck_assert(setenv("GPUARRAY_CUBLAS", stub_path(path, "libstubcublas"), 1) == 0);
  ck_assert(setenv("GPUARRAY_NCCL", stub_path(path, "libstubnccl"), 1) == 0);
  calls_open(stub_context());
  ck_assert_msg(f.ge != NULL, "%s", gpuarray_error_message());
}

static void close_stub(void)
{
  calls_close();
  gpucontext_deref(f.ctx);
}

#define RUNS_OUT(call) RUNS_OUT_OF(err, err = (call), GpuArray_clear(&r));

START_TEST(calls_of_arrays_run_out_of_memory)
{
  open_stub();
  CALLS_COPY(RUNS_OUT, &f.a) /* first: what they compile is kept */
  CALLS_RESHAPE(RUNS_OUT, &f.t)
  CALLS_OPS(RUNS_OUT, &f.a)
  CALLS_EXPR(RUNS_OUT, &f.a)
  CALLS_KERNEL(RUNS_OUT, &f.a)
  CALLS_MAKE(RUNS_OUT)
  CALLS_VIEW(RUNS_OUT)
  RUNS_OUT(GpuArray_reshape_inplace(&f.o, GA_DIMS(2, 3), GA_C_ORDER))
  close_stub();
}
END_TEST

START_TEST(expressions_and_files_run_out_of_memory)
{
  char path[64];
  char *text = NULL;
  GpuExpr *e = NULL;
  gpuexpr_info info = {.size = sizeof info};
  GpuArray all = {0};
  open_stub();
  snprintf(path, sizeof path, "/tmp/check_nomem_calls.%ld.npy", (long)getpid());
  RUNS_OUT_OF(err, err = GpuExpr_new(&e, f.ctx, "a*3", 1, named(&f.a)), GpuExpr_free(e));
  RUNS_OUT(GpuExpr_query(f.e, &info, NULL, 1, named(&f.b)))
  RUNS_OUT_OF(err, err = GpuExpr_explain(f.e, &text, 1, named(&f.a)), free(text));
  RUNS_OUT(GpuArray_save(path, &f.a))
  RUNS_OUT(GpuArray_load(&r, f.ctx, path))
  OK(GpuArray_zeros(&all, f.ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  GpuArray_clear(&all);
  unlink(path);
  close_stub();
}
END_TEST

/* Each expression is asked once: when it is the background that runs out, the next
 * call would answer for that. */
static void another(GpuExpr **e)
{
  (void)GpuExpr_wait(*e);
  GpuExpr_free(*e);
  OK(GpuExpr_new(e, f.ctx, "a*5 - 1", 1, named(&f.a)));
}

/* Some allocation of the background fails, which one is not known. */
START_TEST(background_runs_out_of_memory)
{
  GpuExpr *e = NULL;
  open_stub();
  RUNS_OUT_OF(err, err = GpuExpr_compile_async(f.e, NULL, 1, named(&f.a)), another(&f.e));
  for (long at = 0, code = 0; code != GA_MEMORY_ERROR; at++) {
    ck_assert_int_lt(at, 1000);
    GpuExpr_free(e);
    OK(GpuExpr_new(&e, f.ctx, "a*4 - 1", 1, named(&f.a)));
    atomic_store(&countdown, at);
    code = GpuExpr_compile_async(e, NULL, 1, named(&f.a));
    if (code == GA_NO_ERROR)
      code = GpuExpr_wait(e);
    else
      code = GA_NO_ERROR;
    atomic_store(&countdown, -1);
  }
  FAILS(GA_MEMORY_ERROR, "out of memory", GpuExpr_wait(e));
  GpuExpr_free(e);
  close_stub();
}
END_TEST

START_TEST(buffers_and_contexts_run_out_of_memory)
{
  gpucontext *ctx = NULL, *cpu = NULL;
  gpucontext_props *props = NULL;
  gpudata *b = NULL, *there = NULL, *errbuf;
  GpuArray far = {0};
  open_stub();
  RUNS_OUT_OF(err, err = gpucontext_props_new(&props), gpucontext_props_del(props));
  RUNS_OUT_OF(err, err = gpucontext_init(&ctx, "cuda", NULL), gpucontext_deref(ctx));
  RUNS_OUT_OF(err, b = gpudata_alloc(f.ctx, 64, NULL, 0, &err), gpudata_release(b));
  RUNS_OUT(gpucontext_property(f.ctx, GA_CTX_PROP_ERRBUF, &errbuf))
  ctx = stub_context();
  b = gpudata_alloc(ctx, 8, NULL, 0, &err);
  RUNS_OUT(gpudata_property(b, GA_CTX_PROP_ERRBUF, &errbuf))
  gpudata_release(b);
  gpucontext_deref(ctx);
  OK(gpucontext_init(&cpu, "cpu", NULL));
  there = gpudata_alloc(cpu, 64, NULL, 0, &err);
  OK(err);
  RUNS_OUT(gpudata_transfer(there, 0, f.buf, 0, 64))
  OK(GpuArray_zeros(&far, cpu, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  RUNS_OUT(GpuArray_transfer(&far, &f.o))
  GpuArray_clear(&far);
  gpudata_release(there);
  gpucontext_deref(cpu);
  close_stub();
}
END_TEST

static const char *source = "extern \"C\" __global__ void k(int a) {}\n"
                            "template <class T> __global__ void t(T a) {}\n";

START_TEST(kernels_run_out_of_memory)
{
  const int types[1] = {GA_INT};
  const char *options[2] = {"-DX", NULL};
  static gpuarg many[1000];
  const size_t one[3] = {1, 1, 1};
  gpukernel *k = NULL;
  gpudata *b = NULL, *errbuf;
  GpuKernel gk = {0};
  GpuModule m = {0};
  int x = 0;
  open_stub();
  RUNS_OUT_OF(err, k = gpukernel_init(f.ctx, 1, &source, NULL, "k", 1, types, 0, &err, NULL),
              gpukernel_release(k));
  RUNS_OUT_OF(err, err = GpuKernel_init(&gk, f.ctx, 1, &source, NULL, "k", 1, types, 0, NULL),
              GpuKernel_clear(&gk));
  RUNS_OUT_OF(err, err = GpuKernel_build(&gk, f.ctx, source, "k"), GpuKernel_clear(&gk));
  RUNS_OUT_OF(err, err = GpuModule_init(&m, f.ctx, source, options), GpuModule_clear(&m));
  OK(GpuModule_init(&m, f.ctx, source, NULL));
  RUNS_OUT_OF(err, err = GpuModule_kernel(&gk, &m, "t<int>"), GpuKernel_clear(&gk));
  RUNS_OUT_OF(err, err = GpuModule_global(&b, &m, "table"), gpudata_release(b));
  OK(GpuModule_kernel(&gk, &m, "k"));
  RUNS_OUT(gpukernel_property(gk.k, GA_CTX_PROP_ERRBUF, &errbuf))
  for (int i = 0; i < 1000; i++) many[i] = ga_scalar(NULL, GA_INT, &x);
  RUNS_OUT(GpuKernel_launch(&gk, one, one, 0, 1000, many))
  GpuKernel_clear(&gk);
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

#define CALLS_BATCHES(DO, t)                                                                       \
  DO(gpublas_##t##gemmBatch(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, &f.buf, &zero, 1,        \
                            &f.buf, &zero, 1, 0, &out, &zero, 1, 1, 0))                            \
  DO(gpublas_##t##gemvBatch(cb_row, cb_no_trans, 1, 1, 1, &f.buf, &zero, 1, &f.buf, &zero, 1, 0,   \
                            &out, &zero, 1, 1, 0))                                                 \
  DO(gpublas_##t##gerBatch(cb_row, 1, 1, 1, &f.buf, &zero, 1, &f.buf, &zero, 1, &out, &zero, 1, 1, \
                           0))

START_TEST(batches_run_out_of_memory)
{
  size_t zero = 0;
  gpudata *out;
  open_stub();
  out = gpudata_alloc(f.ctx, 64, NULL, 0, &err);
  OK(err);
  OK(gpudata_memset(f.buf, 0, 0));
  OK(gpublas_setup(f.ctx));
  CALLS_BATCHES(RUNS_OUT, h)
  CALLS_BATCHES(RUNS_OUT, s)
  CALLS_BATCHES(RUNS_OUT, d)
  gpudata_release(out);
  close_stub();
}
END_TEST

START_TEST(blas_and_collectives_run_out_of_memory)
{
  GpuArray big = {0}, A = {0}, back = {0}, C = {0}, T = {0}, T2 = {0};
  gpucommCliqueId id;
  gpucomm *comm = NULL;
  open_stub();
  OK(GpuArray_zeros(&big, f.ctx, GA_FLOAT, GA_DIMS(6, 6), GA_C_ORDER));
  OK(GpuArray_zeros(&C, f.ctx, GA_FLOAT, GA_DIMS(6, 6), GA_C_ORDER));
  OK(GpuArray_slice(&A, &big, "::-1"));
  OK(GpuArray_slice(&back, &f.a, "::-1"));
  OK(GpuArray_zeros(&T, f.ctx, GA_FLOAT, GA_DIMS(1, 6, 6), GA_C_ORDER));
  OK(GpuArray_zeros(&T2, f.ctx, GA_FLOAT, GA_DIMS(1, 6, 6), GA_C_ORDER));
  RUNS_OUT(GpuArray_rdot(&back, &f.b, &f.s, 0))
  RUNS_OUT(GpuArray_rgemv(cb_no_trans, 1, &A, &f.b, 0, &f.o, 0))
  RUNS_OUT(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &A, &big, 0, &C, 0))
  RUNS_OUT(GpuArray_rger(1, &back, &f.b, &C, 0))
  RUNS_OUT(GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &T, &T, 0, &T2, 0))
  OK(gpucomm_gen_clique_id(f.ctx, &id));
  RUNS_OUT_OF(err, err = gpucomm_new(&comm, f.ctx, id, 1, 0), gpucomm_free(comm));
  GpuArray_clear(&big);
  GpuArray_clear(&A);
  GpuArray_clear(&back);
  GpuArray_clear(&C);
  GpuArray_clear(&T);
  GpuArray_clear(&T2);
  close_stub();
}
END_TEST

START_TEST(graphs_run_out_of_memory)
{
  gpugraph *g = NULL;
  gpucontext *cpu = NULL;
  OK(gpucontext_init(&cpu, "cpu", NULL));
  calls_open(cpu);
  RUNS_OUT_OF(err, err = gpugraph_begin(cpu), (void)gpugraph_end(NULL, cpu));
  OK(gpugraph_begin(cpu));
  OK(GpuArray_eval_into(&f.o, "a + 1", 1, named(&f.a)));
  OK(gpugraph_end(&g, cpu));
  RUNS_OUT(gpugraph_set(g, 1, named(&f.a)))
  RUNS_OUT(gpugraph_replace(g, 1, listed(&f.a), listed(&f.a)))
  gpugraph_free(g);
  calls_close();
  gpucontext_deref(cpu);
}
END_TEST

static int make_elemwise(gpucontext *ctx)
{
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ}, {"y", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge = GpuElemwise_new(ctx, "", "y = x", 2, args, 1, 0);
  GpuElemwise_free(ge);
  return ge == NULL;
}

static int make_reshaped(gpucontext *ctx)
{
  GpuArray a = {0};
  int code = GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER);
  if (code == GA_NO_ERROR) code = GpuArray_reshape_inplace(&a, GA_DIMS(2, 3), GA_C_ORDER);
  GpuArray_clear(&a);
  return code;
}

/* Whichever allocation fails, none of the others stays. */
START_TEST(d27_failed_allocations_leak_nothing)
{
  static int (*const made[])(gpucontext *) = {make_elemwise, make_reshaped};
  setenv("GPUARRAY_CACHE", "off", 1);
  stub_use("libstubcuda")->params = -1;
  for (long at = -1;; at++) { /* once with none failing: what stays for ever is made */
    long before = 0;
    gpucontext *ctx = NULL;
    if (at >= 0) before = atomic_load(&live);
    atomic_store(&hit, 0);
    ctx = stub_context();
    atomic_store(&countdown, at);
    int failed = made[_i](ctx);
    atomic_store(&countdown, -1);
    gpucontext_deref(ctx);
    if (at < 0) {
      ck_assert_int_eq(failed, 0);
      continue;
    }
    ck_assert_msg(atomic_load(&live) == before, "allocation %ld failed: %ld blocks are left", at,
                  atomic_load(&live) - before);
    if (!atomic_load(&hit)) break;
  }
}
END_TEST

static int count(const gpuarray_cache_entry *e, void *n)
{
  (void)e;
  ++*(int *)n;
  return 0;
}

START_TEST(cache_runs_out_of_memory)
{
  char dir[64], path[4096], cmd[128];
  gpukernel *k;
  FILE *pack = tmpfile();
  uint64_t entries, bytes, limit;
  int n = 0;
  snprintf(dir, sizeof dir, "/tmp/check_nomem_calls.%ld", (long)getpid());
  setenv("GPUARRAY_CACHE_DIR", dir, 1);
  stub_use("libstubcuda")->params = -1;
  f.ctx = stub_context();
  k = gpukernel_init(f.ctx, 1, &source, NULL, "k", 1, (int[]){GA_INT}, 0, &err, NULL);
  OK(err);
  RUNS_OUT(gpuarray_cache_path(path, sizeof path))
  RUNS_OUT(gpuarray_cache_usage(&entries, &bytes, &limit))
  RUNS_OUT(gpuarray_cache_list(count, &n))
  RUNS_OUT(gpuarray_cache_prune(UINT64_MAX, &entries, &bytes))
  ck_assert_int_gt(n, 0);
  RUNS_OUT_OF(err, err = gpuarray_cache_pack(pack, NULL, &entries, &bytes), rewind(pack));
  RUNS_OUT_OF(err, err = gpuarray_cache_unpack(pack, &entries, &bytes), rewind(pack));
  RUNS_OUT(gpuarray_cache_clear(&entries, &bytes))
  fclose(pack);
  gpukernel_release(k);
  gpucontext_deref(f.ctx);
  snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
  ck_assert_int_eq(system(cmd), 0);
}
END_TEST

static const test_case cases[] = {CASE(calls_of_arrays_run_out_of_memory),
                                  CASE(expressions_and_files_run_out_of_memory),
                                  CASE(background_runs_out_of_memory),
                                  CASE(buffers_and_contexts_run_out_of_memory),
                                  CASE(kernels_run_out_of_memory),
                                  CASE(batches_run_out_of_memory),
                                  CASE(blas_and_collectives_run_out_of_memory),
                                  CASE_LOOP(d27_failed_allocations_leak_nothing, 2),
                                  CASE(graphs_run_out_of_memory),
                                  CASE(cache_runs_out_of_memory),
                                  CASE_END};

int main(void) { return test_main("nomem_calls", cases); }
