/* SPDX-License-Identifier: MIT */
/* The CUDA device over a stub driver: loading, contexts, memory, forks.
 * No GPU is needed; what a GPU computes is tested elsewhere. */
#include "lib/cuda/driver.h"
#include "tests/stub.h"

#include <sys/wait.h>
#include <unistd.h>

#define B (&ga_cuda_backend)

/* ---- loading ------------------------------------------------------------- */

START_TEST(absent_driver_is_named)
{
  unsigned int n = 7;
  setenv("GPUARRAY_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  FAILS(GA_LOAD_ERROR, "/nowhere/libcuda.so.1", B->device_count(&n));
  ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(missing_symbol_is_named_and_library_closed)
{
  char path[4096];
  unsigned int n;
  setenv("GPUARRAY_CUDA_DRIVER", stub_path(path, "libstubcuda_broken"), 1);
  FAILS(GA_LOAD_ERROR, "cuLaunchKernel", B->device_count(&n));
  FAILS(GA_LOAD_ERROR, path, B->device_count(&n));
  ck_assert_ptr_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}
END_TEST

START_TEST(driver_without_devices_is_nodev)
{
  stub_state *s = stub_use("libstubcuda");
  unsigned int n;
  s->init_result = 100;
  FAILS(GA_NODEV_ERROR, "NO_DEVICE", B->device_count(&n));
  s->init_result = 0; /* not remembered */
  OK(B->device_count(&n));
  ck_assert_uint_eq(n, 1);
}
END_TEST

START_TEST(zero_devices_is_nodev)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx;
  s->ndev = 0;
  FAILS(GA_NODEV_ERROR, "no CUDA device", B->context_open(&ctx, NULL));
  ck_assert_ptr_null(ctx);
}
END_TEST

/* ---- contexts ------------------------------------------------------------ */

START_TEST(closed_context_leaves_nothing)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  gpudata *b;
  void *scratch, *tickets;
  ck_assert_str_eq(ctx->bin_id, "sm_90");
  ck_assert_uint_eq(ctx->target.nproc, 132);
  OK(B->alloc(&b, ctx, 1000, 0));
  OK(B->scratch(ctx, 100, 100, &scratch, &tickets));
  B->free(b);
  B->context_close(ctx);
  stub_left_nothing(s);
}
END_TEST

START_TEST(device_numbers_are_checked)
{
  stub_state *s = stub_use("libstubcuda");
  struct _gpucontext_props props = {.dev = 2, .alloc_max = SIZE_MAX};
  gpucontext *ctx;
  s->ndev = 2;
  FAILS(GA_NODEV_ERROR, "cuda2", B->context_open(&ctx, &props));
  props.dev = 1;
  OK(B->context_open(&ctx, &props));
  ck_assert_uint_eq(ctx->device, 1);
  B->context_close(ctx);
}
END_TEST

START_TEST(callers_context_stays_current)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  gpudata *a, *b;
  CUcontext cur;
  char x[64], other;
  ga_cu.cuCtxSetCurrent((CUcontext)&other);
  OK(B->alloc(&a, ctx, 64, 0));
  OK(B->alloc(&b, ctx, 64, 0));
  OK(B->set(a, 0, 3, 64));
  OK(B->copy(b, 0, a, 0, 64));
  OK(B->read(x, b, 0, 64));
  OK(B->write(b, 0, x, 64));
  OK(B->sync(b));
  B->free(a);
  B->free(b);
  ga_cu.cuCtxGetCurrent(&cur);
  ck_assert_ptr_eq(cur, (CUcontext)&other);
  B->context_close(ctx);
  ga_cu.cuCtxGetCurrent(&cur);
  ck_assert_ptr_eq(cur, (CUcontext)&other);
  ck_assert_int_gt(s->pushes, 0);
  ck_assert_int_eq(s->pushes, s->pops);
  ck_assert_int_eq(s->bad_pops, 0);
}
END_TEST

START_TEST(two_contexts_of_one_device_are_apart)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *a = stub_context(), *b = stub_context();
  gpudata *x, *y;
  OK(B->alloc(&x, a, 64, 0));
  OK(B->alloc(&y, b, 64, 0));
  B->free(x);
  B->context_close(a);
  OK(B->set(y, 0, 1, 64));
  B->free(y);
  B->context_close(b);
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

START_TEST(properties_have_their_types)
{
  gpucontext *ctx;
  struct {
    char c[300];
  } text;
  size_t size = 0;
  unsigned int procs = 0;
  stub_use("libstubcuda");
  ctx = stub_context();
  memset(&text, 'x', sizeof text);
  OK(B->context_property(ctx, GA_CTX_PROP_DEVNAME, text.c));
  ck_assert_str_eq(text.c, "Stub 0");
  ck_assert_int_eq(text.c[256], 'x');
  memset(&text, 'x', sizeof text);
  OK(B->context_property(ctx, GA_CTX_PROP_UNIQUE_ID, text.c));
  ck_assert_str_eq(text.c, "0000:00:00.0");
  ck_assert_int_eq(text.c[16], 'x');
  OK(B->context_property(ctx, GA_CTX_PROP_LMEMSIZE, &size));
  ck_assert_uint_eq(size, 49152);
  OK(B->context_property(ctx, GA_CTX_PROP_NUMPROCS, &procs));
  ck_assert_uint_eq(procs, 132);
  OK(B->context_property(ctx, GA_CTX_PROP_TOTAL_GMEM, &size));
  ck_assert_uint_eq(size, (size_t)1 << 30);
  OK(B->context_property(ctx, GA_CTX_PROP_FREE_GMEM, &size));
  ck_assert_uint_eq(size, (size_t)1 << 30);
  OK(B->context_property(ctx, GA_CTX_PROP_MAXGSIZE1, &size));
  ck_assert_uint_eq(size, 65535);
  OK(B->context_property(ctx, GA_CTX_PROP_MAXLSIZE2, &size));
  ck_assert_uint_eq(size, 64);
  FAILS(GA_INVALID_ERROR, "18", B->context_property(ctx, 18, &size));
  B->context_close(ctx);
}
END_TEST

/* ---- memory -------------------------------------------------------------- */

static const struct {
  const char *lib;
  size_t cache;
} modes[] = {
    {"libstubcuda", SIZE_MAX},     /* pool */
    {"libstubcuda_old", SIZE_MAX}, /* cache of our own */
    {"libstubcuda", 0}             /* no cache */
};

START_TEST(d18_freed_memory_is_given_back_when_full)
{
  stub_state *s = stub_use(modes[_i].lib);
  struct _gpucontext_props props = {.dev = -1, .alloc_max = modes[_i].cache};
  gpucontext *ctx;
  gpudata *a, *b;
  s->total = 1 << 20;
  OK(B->context_open(&ctx, &props));
  OK(B->alloc(&a, ctx, 600 << 10, 0));
  B->free(a);
  OK(B->alloc(&a, ctx, 700 << 10, 0));
  FAILS(GA_MEMORY_ERROR, "1 buffers of this context hold 716800", B->alloc(&b, ctx, 400 << 10, 0));
  FAILS(GA_MEMORY_ERROR, "of 1048576 bytes free", B->alloc(&b, ctx, SIZE_MAX - 4096, 0));
  B->free(a);
  OK(B->alloc(&a, ctx, 900 << 10, 0));
  B->free(a);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->bad_frees, 0);
  ck_assert_int_eq(s->wrong_context, 0);
}
END_TEST

START_TEST(cache_reuses_blocks_of_a_size)
{
  stub_state *s = stub_use("libstubcuda_old");
  gpucontext *ctx = stub_context();
  gpudata *a;
  for (int i = 0; i < 10; i++) {
    OK(B->alloc(&a, ctx, 100000 + (size_t)i, 0));
    B->free(a);
  }
  ck_assert_int_eq(s->allocs, 1);
  size_t avail;
  OK(B->context_property(ctx, GA_CTX_PROP_FREE_GMEM, &avail));
  ck_assert_uint_eq(avail, s->total);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

START_TEST(cache_keeps_no_more_than_asked)
{
  stub_state *s = stub_use("libstubcuda_old");
  struct _gpucontext_props props = {.dev = -1, .alloc_max = 1 << 20};
  gpucontext *ctx;
  gpudata *a[4];
  OK(B->context_open(&ctx, &props));
  for (int i = 0; i < 4; i++) OK(B->alloc(&a[i], ctx, 512 << 10, 0));
  for (int i = 0; i < 4; i++) B->free(a[i]);
  ck_assert_int_eq(s->blocks, 2);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

START_TEST(initial_cache_is_reserved)
{
  stub_state *s = stub_use("libstubcuda");
  struct _gpucontext_props props = {.dev = -1, .alloc_initial = 1 << 20, .alloc_max = SIZE_MAX};
  gpucontext *ctx;
  OK(B->context_open(&ctx, &props));
  ck_assert_uint_eq(s->reserved, 1 << 20);
  ck_assert_int_eq(s->blocks, 0);
  B->context_close(ctx);
}
END_TEST

/* One call of the driver serves blocks of a size that follow each other; at the
 * end, and when memory is short, all goes back. */
START_TEST(small_blocks_stay_within_reach)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  size_t sizes[] = {1, 512, 513, 2048, 2049, 4096, 100000, 1 << 20}, avail, before;
  gpudata *b[6];
  OK(B->context_property(ctx, GA_CTX_PROP_FREE_GMEM, &before));
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int allocs = s->allocs;
    for (int i = 0; i < 10; i++) {
      OK(B->alloc(&b[0], ctx, sizes[k] - (i == 9 && sizes[k] > 1), 0));
      memset(b[0]->ptr, i, b[0]->size);
      B->free(b[0]);
    }
    ck_assert_int_le(s->allocs - allocs, 1);
  }
  OK(B->context_property(ctx, GA_CTX_PROP_FREE_GMEM, &avail));
  ck_assert_uint_eq(avail, before);
  for (int i = 0; i < 6; i++) OK(B->alloc(&b[i], ctx, 3000, 0));
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < i; k++) ck_assert_ptr_ne(b[i]->ptr, b[k]->ptr);
  int frees = s->frees;
  for (int i = 0; i < 6; i++) B->free(b[i]);
  ck_assert_int_eq(s->frees - frees, 2); /* four are kept */
  s->total = s->reserved;
  OK(B->alloc(&b[0], ctx, s->total - 4096, 0));
  ck_assert_int_eq(s->blocks, 1);
  B->free(b[0]);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->bad_frees, 0);
}
END_TEST

START_TEST(host_buffers_are_refused)
{
  gpucontext *ctx;
  gpudata *b;
  stub_use("libstubcuda");
  ctx = stub_context();
  FAILS(GA_DEVSUP_ERROR, "GA_BUFFER_HOST", B->alloc(&b, ctx, 8, GA_BUFFER_HOST));
  B->context_close(ctx);
}
END_TEST

/* ---- transfers ------------------------------------------------------------ */

static const size_t lengths[] = {1, 2, 31, 33, 1023, 1025, 4099};

START_TEST(overlapping_copies_are_moves)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  size_t n = lengths[_i], shifts[] = {0, 1, n / 40, n / 3, n / 2, n - 1, n};
  unsigned char want[3 * 4099], got[3 * 4099];
  gpudata *b;
  OK(B->alloc(&b, ctx, 3 * n, 0));
  for (int k = 0; k < 14; k++) {
    size_t from = k < 7 ? n : n + shifts[k - 7], to = k < 7 ? n + shifts[k] : n;
    for (size_t i = 0; i < 3 * n; i++) want[i] = (unsigned char)(i * 7 + i / 256);
    OK(B->write(b, 0, want, 3 * n));
    memmove(want + to, want + from, n);
    OK(B->copy(b, to, b, from, n));
    OK(B->read(got, b, 0, 3 * n));
    ck_assert_msg(memcmp(want, got, 3 * n) == 0, "n %zu from %zu to %zu", n, from, to);
  }
  ck_assert_int_eq(s->overlaps, 0);
  B->free(b);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

/* Two contexts, of devices 0 and `_i`: the second's memory is opened to the other
 * device once, and each stream waits for the other. */
START_TEST(transfer_between_contexts_stays_on_devices)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext_props *props;
  gpucontext *one = stub_context(), *two;
  gpudata *a, *b;
  int x[4] = {1, 2, 3, 4}, got[2] = {0}, err, syncs;
  s->ndev = 2;
  OK(gpucontext_props_new(&props));
  OK(gpucontext_props_cuda_dev(props, _i));
  OK(gpucontext_init(&two, "cuda", props));
  a = gpudata_alloc(one, sizeof x, x, GA_BUFFER_INIT, &err);
  b = gpudata_alloc(two, sizeof x, NULL, 0, &err);
  syncs = s->syncs;
  for (int k = 0; k < 2; k++) OK(gpudata_transfer(b, 4, a, 8, 8));
  ck_assert_int_eq(s->syncs, syncs);
  ck_assert_int_eq(s->waits, 4);
  ck_assert_int_eq(s->peers, _i == 0 ? 0 : 2);
  ck_assert_int_eq(s->granted, _i == 0 ? 0 : 2);
  OK(gpudata_read(got, b, 4, sizeof got));
  ck_assert_mem_eq(got, x + 2, sizeof got);
  ck_assert_int_eq(s->wrong_context, 0);
  s->fault = 999;
  FAILS(GA_IMPL_ERROR, "transfer", gpudata_transfer(b, 0, a, 0, 16));
  s->fault = 0;
  gpudata_release(a);
  gpudata_release(b);
  gpucontext_deref(one);
  gpucontext_deref(two);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

START_TEST(pinned_source_is_waited_for)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  gpudata *b;
  int before;
  char x[8] = {0};
  OK(B->alloc(&b, ctx, 8, 0));
  before = s->syncs;
  OK(B->write(b, 0, x, 8));
  ck_assert_int_eq(s->syncs, before);
  s->pinned = 1;
  OK(B->write(b, 0, x, 8));
  ck_assert_int_eq(s->syncs, before + 1);
  B->free(b);
  B->context_close(ctx);
}
END_TEST

/* ---- scratch ---------------------------------------------------------------- */

START_TEST(tickets_start_zeroed_and_scratch_grows)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  void *m1, *t1, *m2, *t2;
  OK(B->scratch(ctx, 0, 0, &m1, &t1));
  ck_assert(m1 == NULL && t1 == NULL);
  OK(B->scratch(ctx, 1000, 10, &m1, &t1));
  OK(B->scratch(ctx, 1, 1, &m2, &t2));
  ck_assert(m1 == m2 && t1 == t2);
  OK(B->scratch(ctx, 1 << 20, 1 << 20, &m2, &t2));
  for (int i = 0; i < 1 << 20; i++) ck_assert_uint_eq(((uint32_t *)t2)[i], 0);
  memset(m1, 1, 1000); /* the outgrown area is still there */
  FAILS(GA_XLARGE_ERROR, "tickets", B->scratch(ctx, 0, SIZE_MAX / 2, &m2, &t2));
  FAILS(GA_MEMORY_ERROR, "cannot give", B->scratch(ctx, SIZE_MAX / 2, 0, &m2, &t2));
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

/* ---- forks ---------------------------------------------------------------- */

START_TEST(forked_child_fails_and_frees_nothing)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext *ctx = stub_context();
  gpudata *b, *c;
  int status, before;
  char x[8];
  OK(B->alloc(&b, ctx, 8, 0));
  before = s->frees;
  pid_t pid = fork();
  if (pid == 0) {
    unsigned int n;
    gpucontext *other;
    int bad = B->read(x, b, 0, 8) != GA_INVALID_ERROR;
    bad |= strstr(ga_error_message(), "forked") == NULL;
    bad |= B->alloc(&c, ctx, 8, 0) != GA_INVALID_ERROR;
    bad |= B->context_sync(ctx) != GA_INVALID_ERROR;
    bad |= B->device_count(&n) != GA_INVALID_ERROR;
    bad |= B->context_open(&other, NULL) != GA_INVALID_ERROR;
    B->free(b);
    B->context_close(ctx);
    bad |= s->frees != before || s->retained != 1 || s->streams != 1;
    _exit(bad);
  }
  ck_assert_int_gt(pid, 0);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child saw something else");
  OK(B->read(x, b, 0, 8));
  B->free(b);
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
}
END_TEST

static const test_case cases[] = {CASE(absent_driver_is_named),
                                  CASE(missing_symbol_is_named_and_library_closed),
                                  CASE(driver_without_devices_is_nodev),
                                  CASE(zero_devices_is_nodev),
                                  CASE(closed_context_leaves_nothing),
                                  CASE(device_numbers_are_checked),
                                  CASE(callers_context_stays_current),
                                  CASE(two_contexts_of_one_device_are_apart),
                                  CASE(properties_have_their_types),
                                  CASE_LOOP(d18_freed_memory_is_given_back_when_full, 3),
                                  CASE(cache_reuses_blocks_of_a_size),
                                  CASE(cache_keeps_no_more_than_asked),
                                  CASE(initial_cache_is_reserved),
                                  CASE(small_blocks_stay_within_reach),
                                  CASE(host_buffers_are_refused),
                                  CASE_LOOP(overlapping_copies_are_moves, 7),
                                  CASE_LOOP(transfer_between_contexts_stays_on_devices, 2),
                                  CASE(pinned_source_is_waited_for),
                                  CASE(tickets_start_zeroed_and_scratch_grows),
                                  CASE(forked_child_fails_and_frees_nothing),
                                  CASE_END};

int main(void) { return test_main("cuda", cases); }
