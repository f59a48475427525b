/* SPDX-License-Identifier: MIT */
/* The CPU device behind the door of lib/backend.h: what it says of itself, its
 * buffers and their cache, moves of bytes, and BLAS with bad arguments. */
#include "tests/common.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpuarray/types.h"
#include "lib/cpu/cpu.h"
#include "lib/util/pool.h"

static const ga_backend *const cpu = &ga_cpu_backend;

static gpucontext *open_cpu(void)
{
  gpucontext *ctx;
  gpucontext_props props = {.dev = -1};
  OK(cpu->context_open(&ctx, &props));
  return ctx;
}

static size_t held(gpucontext *ctx) { return ((ga_cpu_context *)ctx)->cache.held; }

/* ---- contexts ---------------------------------------------------------------------- */

START_TEST(device_describes_itself)
{
  gpucontext *ctx = open_cpu();
  char name[256] = "", id[16];
  const char *bin = NULL;
  unsigned int n = 0;
  size_t total = 0, free_now = 0, x;
  OK(cpu->device_count(&n));
  ck_assert_uint_eq(n, 1);
  OK(cpu->context_property(ctx, GA_CTX_PROP_DEVNAME, name));
  ck_assert_uint_gt(strlen(name), 2);
  OK(cpu->context_property(ctx, GA_CTX_PROP_NUMPROCS, &n));
  ck_assert_uint_eq(n, ga_pool_threads());
  OK(cpu->context_property(ctx, GA_CTX_PROP_BIN_ID, &bin));
  ck_assert_int_eq(strncmp(bin, "cpu-", 4), 0);
  OK(cpu->context_property(ctx, GA_CTX_PROP_TOTAL_GMEM, &total));
  OK(cpu->context_property(ctx, GA_CTX_PROP_FREE_GMEM, &free_now));
  ck_assert_uint_gt(free_now, 0);
  ck_assert_uint_ge(total, free_now);
  OK(cpu->context_property(ctx, GA_CTX_PROP_MAXLSIZE0, &x));
  ck_assert_uint_ge(x, 1);
  OK(cpu->context_property(ctx, GA_CTX_PROP_UNIQUE_ID, id));
  FAILS(GA_INVALID_ERROR, "no property 99", cpu->context_property(ctx, 99, &x));
  OK(cpu->context_sync(ctx));
  cpu->context_close(ctx);
  cpu->context_close(NULL);
}
END_TEST

START_TEST(second_device_does_not_exist)
{
  gpucontext *ctx;
  gpucontext_props props = {.dev = 1};
  FAILS(GA_VALUE_ERROR, "device 1 does not exist", cpu->context_open(&ctx, &props));
}
END_TEST

/* ---- buffers ----------------------------------------------------------------------- */

static const size_t sizes[] = {1,     63,     64,     65535,   65536,   65537,
                               81920, 131072, 131073, 4194304, 4194305, 70000001};
enum { NSIZES = sizeof sizes / sizeof *sizes };

START_TEST(buffers_are_aligned_and_whole)
{
  gpucontext *ctx = open_cpu();
  gpudata *b;
  for (int round = 0; round < 3; round++) {
    OK(cpu->alloc(&b, ctx, sizes[_i], GA_BUFFER_READ_WRITE));
    ck_assert_uint_eq((uintptr_t)b->ptr % 64, 0);
    ck_assert_uint_eq(b->size, sizes[_i]);
    ck_assert_ptr_eq(b->ctx, ctx);
    memset(b->ptr, round, sizes[_i]);
    cpu->free(b);
  }
  cpu->free(NULL);
  cpu->context_close(ctx);
}
END_TEST

START_TEST(freed_blocks_come_back)
{
  gpucontext *ctx = open_cpu();
  gpudata *a, *b;
  OK(cpu->alloc(&a, ctx, 10 << 20, 0));
  void *p = a->ptr;
  cpu->free(a);
  ck_assert_uint_ge(held(ctx), 10 << 20);
  OK(cpu->alloc(&b, ctx, (10 << 20) - 5000, 0));
  ck_assert_ptr_eq(b->ptr, p);
  ck_assert_uint_eq(b->size, (10 << 20) - 5000);
  ck_assert_uint_eq(held(ctx), 0);
  cpu->free(b);
  cpu->context_close(ctx);
}
END_TEST

START_TEST(cache_keeps_its_bound)
{
  gpucontext *ctx;
  gpucontext_props props = {.dev = -1, .alloc_max = 8 << 20};
  gpudata *b[20];
  OK(cpu->context_open(&ctx, &props));
  for (int i = 0; i < 20; i++) OK(cpu->alloc(&b[i], ctx, 1 << 20, 0));
  for (int i = 0; i < 20; i++) {
    cpu->free(b[i]);
    ck_assert_uint_le(held(ctx), 8 << 20);
  }
  ck_assert_uint_gt(held(ctx), 6 << 20);
  OK(cpu->alloc(&b[0], ctx, 16 << 20, 0));
  cpu->free(b[0]); /* larger than the bound: not kept */
  ck_assert_uint_le(held(ctx), 8 << 20);
  cpu->context_close(ctx);
  setenv("GPUARRAY_CPU_CACHE_MB", "0", 1);
  ctx = open_cpu();
  OK(cpu->alloc(&b[0], ctx, 1 << 20, 0));
  cpu->free(b[0]);
  ck_assert_uint_eq(held(ctx), 0);
  cpu->context_close(ctx);
  unsetenv("GPUARRAY_CPU_CACHE_MB");
}
END_TEST

START_TEST(absurd_sizes_are_refused)
{
  static const size_t absurd[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)1 << 63, (size_t)1 << 62,
                                  (size_t)1 << 60};
  gpucontext *ctx = open_cpu();
  gpudata *b;
  for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++)
    FAILS(GA_MEMORY_ERROR, "out of memory", cpu->alloc(&b, ctx, absurd[i], 0));
  cpu->context_close(ctx);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
START_TEST(cache_is_given_back_before_memory_runs_out)
{
  gpucontext *ctx = open_cpu();
  struct rlimit old, tight;
  gpudata *a, *b;
  size_t big = (size_t)512 << 20;
  OK(cpu->alloc(&a, ctx, big, 0));
  cpu->free(a);
  if (held(ctx) < big) return; /* a machine too small to keep it */
  ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
  FILE *f = fopen("/proc/self/statm", "r");
  size_t pages = 0;
  ck_assert_ptr_nonnull(f);
  ck_assert_int_eq(fscanf(f, "%zu", &pages), 1);
  fclose(f);
  tight = old;
  tight.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + ((size_t)300 << 20);
  ck_assert_int_eq(setrlimit(RLIMIT_AS, &tight), 0);
  int err = cpu->alloc(&b, ctx, (size_t)700 << 20, 0);
  size_t left = held(ctx);
  setrlimit(RLIMIT_AS, &old);
  ck_assert_msg(err == GA_NO_ERROR, "%s", gpuarray_error_message());
  ck_assert_uint_eq(left, 0);
  cpu->free(b);
  cpu->context_close(ctx);
}
END_TEST
#endif

static void *churn(void *arg)
{
  gpucontext *ctx = arg;
  gpudata *b[8] = {NULL};
  for (int i = 0; i < 400; i++) {
    int k = i % 8;
    cpu->free(b[k]);
    if (cpu->alloc(&b[k], ctx, 70000 + (size_t)(i * 7919 % 50) * 4000, 0) != GA_NO_ERROR)
      return ctx;
    memset(b[k]->ptr, i, 100);
  }
  for (int k = 0; k < 8; k++) cpu->free(b[k]);
  return NULL;
}

START_TEST(threads_share_the_cache)
{
  gpucontext *ctx = open_cpu();
  pthread_t t[4];
  void *res;
  for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&t[i], NULL, churn, ctx), 0);
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], &res);
    ck_assert_ptr_null(res);
  }
  cpu->context_close(ctx);
}
END_TEST

START_TEST(forked_child_leaves_the_cache_alone)
{
  gpucontext *ctx = open_cpu();
  gpudata *a, *b;
  OK(cpu->alloc(&a, ctx, 1 << 20, 0));
  cpu->free(a);
  pthread_mutex_lock(&((ga_cpu_context *)ctx)->cache.lock); /* as another thread might */
  pid_t pid = fork();
  if (pid == 0) {
    alarm(100);
    int err = cpu->alloc(&b, ctx, 1 << 20, 0);
    if (err == GA_NO_ERROR) cpu->free(b);
    cpu->context_close(ctx);
    _exit(err != GA_NO_ERROR);
  }
  pthread_mutex_unlock(&((ga_cpu_context *)ctx)->cache.lock);
  int status;
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  cpu->context_close(ctx);
}
END_TEST

/* ---- moves ------------------------------------------------------------------------- */

START_TEST(bytes_arrive)
{
  gpucontext *ctx = open_cpu();
  size_t n = sizes[_i];
  unsigned char *x = malloc(n), *y = malloc(n);
  gpudata *a, *b;
  ck_assert(x != NULL && y != NULL);
  for (size_t i = 0; i < n; i++) x[i] = (unsigned char)(i * 2654435761u >> 13);
  OK(cpu->alloc(&a, ctx, n, 0));
  OK(cpu->alloc(&b, ctx, n, 0));
  OK(cpu->write(a, 0, x, n));
  OK(cpu->set(b, 0, 0x5a, n));
  OK(cpu->read(y, b, 0, n));
  for (size_t i = 0; i < n; i++)
    if (y[i] != 0x5a) ck_abort_msg("byte %zu of %zu was not set", i, n);
  OK(cpu->copy(b, 0, a, 0, n));
  OK(cpu->sync(b));
  OK(cpu->read(y, b, n / 2, n - n / 2));
  ck_assert_int_eq(memcmp(y, x + n / 2, n - n / 2), 0);
  /* onto itself, one byte on */
  OK(cpu->copy(b, 1 % n, b, 0, n - 1 % n));
  OK(cpu->read(y, b, 0, n));
  ck_assert_int_eq(memcmp(y + 1 % n, x, n - 1 % n), 0);
  OK(cpu->read(y, b, 0, 0));
  cpu->free(a);
  cpu->free(b);
  free(x);
  free(y);
  cpu->context_close(ctx);
}
END_TEST

/* ---- BLAS --------------------------------------------------------------------------- */

static gpudata *floats(gpucontext *ctx, size_t n)
{
  gpudata *b;
  OK(cpu->alloc(&b, ctx, n * sizeof(float), 0));
  for (size_t i = 0; i < n; i++) ((float *)b->ptr)[i] = (float)(i % 7) - 2;
  return b;
}

START_TEST(blas_follows_order_transposition_and_steps)
{
  gpucontext *ctx = open_cpu();
  enum { M = 5, N = 3, K = 4 };
  if (cpu->blas_setup(ctx) != GA_NO_ERROR) {
    fprintf(stderr, "skipped: %s\n", gpuarray_error_message());
    return;
  }
  gpudata *a = floats(ctx, 100), *b = floats(ctx, 100), *c = floats(ctx, 100);
  const float *x = a->ptr, *y = b->ptr;
  float *z = c->ptr;
  for (int order = 0; order < 2; order++)
    for (int ta = 0; ta < 2; ta++)
      for (int tb = 0; tb < 2; tb++) {
        size_t lda = 7, ldb = 6, ldc = 8;
        OK(cpu->set(c, 0, 0, 400));
        OK(cpu->gemm(GA_FLOAT, (cb_order)order, (cb_transpose)ta, (cb_transpose)tb, M, N, K, 2, a,
                     1, lda, b, 2, ldb, 0, c, 3, ldc));
        for (size_t i = 0; i < M; i++)
          for (size_t j = 0; j < N; j++) {
            float s = 0;
            for (size_t k = 0; k < K; k++) {
              int ra = (order == cb_row) != ta, rb = (order == cb_row) != tb;
              s +=
                  x[1 + (ra ? i * lda + k : k * lda + i)] * y[2 + (rb ? k * ldb + j : j * ldb + k)];
            }
            float got = z[3 + (order == cb_row ? i * ldc + j : j * ldc + i)];
            ck_assert_float_eq(got, 2 * s);
          }
      }
  OK(cpu->dot(GA_FLOAT, 10, a, 1, 2, b, 0, 3, c, 5));
  float s = 0;
  for (int i = 0; i < 10; i++) s += x[1 + 2 * i] * y[3 * i];
  ck_assert_float_eq(z[5], s);
  OK(cpu->dot(GA_FLOAT, 0, a, 0, 1, b, 0, 1, c, 5));
  ck_assert_float_eq(z[5], 0);
  OK(cpu->gemv(GA_FLOAT, cb_row, cb_trans, 4, 3, 1, a, 0, 5, b, 0, 2, 0, c, 0, 1));
  for (size_t j = 0; j < 3; j++) {
    for (size_t i = s = 0; i < 4; i++) s += x[i * 5 + j] * y[2 * i];
    ck_assert_float_eq(z[j], s);
  }
  cpu->free(a);
  cpu->free(b);
  cpu->free(c);
  cpu->context_close(ctx);
}
END_TEST

START_TEST(blas_refuses_nonsense)
{
  gpucontext *ctx = open_cpu();
  if (cpu->blas_setup(ctx) != GA_NO_ERROR) return;
  gpudata *a = floats(ctx, 16), *b = floats(ctx, 16), *c = floats(ctx, 16);
  size_t huge = (size_t)1 << 31;
  FAILS(GA_DEVSUP_ERROR, "typecode", cpu->dot(GA_INT, 4, a, 0, 1, b, 0, 1, c, 0));
  FAILS(GA_VALUE_ERROR, "increment of x is 0", cpu->dot(GA_FLOAT, 4, a, 0, 0, b, 0, 1, c, 0));
  FAILS(GA_VALUE_ERROR, "y needs", cpu->dot(GA_FLOAT, 16, a, 0, 1, b, 1, 1, c, 0));
  FAILS(GA_VALUE_ERROR, "z needs", cpu->dot(GA_FLOAT, 4, a, 0, 1, b, 0, 1, c, 16));
  FAILS(GA_XLARGE_ERROR, "increment", cpu->dot(GA_FLOAT, 2, a, 0, huge, b, 0, 1, c, 0));
  FAILS(GA_XLARGE_ERROR, "spans", cpu->dot(GA_FLOAT, SIZE_MAX, a, 0, 2, b, 0, 2, c, 0));
  FAILS(GA_VALUE_ERROR, "leading dimension of a",
        cpu->gemm(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 4, 4, 4, 1, a, 0, 3, b, 0, 4, 0, c, 0,
                  4));
  FAILS(GA_VALUE_ERROR, "c needs",
        cpu->gemm(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, 4, 4, 4, 1, a, 0, 4, b, 0, 4, 0, c, 1,
                  4));
  FAILS(GA_XLARGE_ERROR, "m is",
        cpu->gemm(GA_FLOAT, cb_row, cb_no_trans, cb_no_trans, huge, 4, 4, 1, a, 0, 4, b, 0, 4, 0, c,
                  0, 4));
  FAILS(GA_VALUE_ERROR, "increment of y is 0",
        cpu->gemv(GA_FLOAT, cb_row, cb_no_trans, 4, 4, 1, a, 0, 4, b, 0, 1, 0, c, 0, 0));
  cpu->free(a);
  cpu->free(b);
  cpu->free(c);
  cpu->context_close(ctx);
}
END_TEST

START_TEST(missing_blas_is_named)
{
  gpucontext *ctx = open_cpu();
  setenv("GPUARRAY_OPENBLAS", "/nowhere/libnothing.so", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "/nowhere/libnothing.so", cpu->blas_setup(ctx));
  unsetenv("GPUARRAY_OPENBLAS");
  cpu->context_close(ctx);
}
END_TEST

int main(void)
{
  static const test_case cases[] = {
    CASE(device_describes_itself),
    CASE(second_device_does_not_exist),
    CASE_LOOP(buffers_are_aligned_and_whole, NSIZES),
    CASE(freed_blocks_come_back),
    CASE(cache_keeps_its_bound),
    CASE(absurd_sizes_are_refused),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CASE(cache_is_given_back_before_memory_runs_out),
#endif
    CASE(threads_share_the_cache),
    CASE(forked_child_leaves_the_cache_alone),
    CASE_LOOP(bytes_arrive, NSIZES),
    CASE(blas_follows_order_transposition_and_steps),
    CASE(blas_refuses_nonsense),
    CASE(missing_blas_is_named),
    CASE_END
  };
  return test_main("cpu_device", cases);
}
