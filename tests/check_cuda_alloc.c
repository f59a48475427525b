/* SPDX-License-Identifier: MIT */
/* Every allocation of a program on the CUDA device failing in turn: each failure
 * is an error with its code or is got over, nothing crashes, nothing is left. */
#include "tests/cache_place.h"

#include "gpuarray.h"
#include "lib/util/pool.h"
#include "tests/short_memory.h"

static const char text[] = "#include \"cluda.h\"\n"
                           "extern \"C\" __global__ void first(float *x) {}\n"
                           "extern \"C\" __global__ void second(float *x) {}\n";

static const size_t one[3] = {1, 1, 1};

#define STEP(call)                 \
  do {                             \
    int step_err = (call);         \
    if (step_err != GA_NO_ERROR) { \
      err = step_err;              \
      goto done;                   \
    }                              \
  } while (0)

/* A program in small; the first error ends it. */
static int kernels(gpucontext *ctx)
{
  GpuModule m = {0};
  GpuKernel a = {0}, b = {0}, old = {0}, many = {0};
  gpudata *g = NULL, *data = NULL;
  const char *strings[] = {text}, *options[] = {"-DX", NULL};
  const int types[] = {GA_BUFFER};
  const size_t n = 0;
  char *words = NULL;
  int err;
  data = gpudata_alloc(ctx, 100, NULL, 0, &err);
  if (data == NULL) goto done;
  STEP(GpuModule_init(&m, ctx, text, options));
  STEP(GpuModule_kernel(&a, &m, "first"));
  STEP(GpuModule_global(&g, &m, "table"));
  STEP(GpuKernel_build(&b, ctx, text, "second"));
  STEP(GpuKernel_launch(&b, one, one, 0, GA_ARGS(ga_scalar(NULL, GA_SIZE, &n))));
  STEP(GpuKernel_init(&old, ctx, 1, strings, NULL, "first", 1, types, 0, &words));
  STEP(GpuKernel_setarg(&old, 0, data));
  if (GpuModule_init(&(GpuModule){0}, ctx, "#error\n", NULL) == GA_MEMORY_ERROR)
    STEP(GA_MEMORY_ERROR);
  err = GA_NO_ERROR;
done:
  free(words);
  gpudata_release(g);
  gpudata_release(data);
  GpuKernel_clear(&a);
  GpuKernel_clear(&b);
  GpuKernel_clear(&old);
  GpuKernel_clear(&many);
  GpuModule_clear(&m);
  return err;
}

/* Enough for staging.c to want its slots. */
static int large_write(gpucontext *ctx)
{
  size_t n = (size_t)32 << 20;
  char *host = __real_malloc(n);
  int err = GA_MEMORY_ERROR;
  gpudata *b = host != NULL ? gpudata_alloc(ctx, n, NULL, 0, &err) : NULL;
  if (b != NULL) err = gpudata_write(b, 0, host, n);
  gpudata_release(b);
  free(host);
  return err;
}

/* An expression, begun in the background and called. */
static int expression(gpucontext *ctx)
{
  GpuExpr *e = NULL;
  GpuArray a = {0}, r = {0};
  int err = GA_NO_ERROR;
  STEP(GpuArray_empty(&a, ctx, GA_FLOAT, GA_DIMS(9, 7), GA_C_ORDER));
  STEP(GpuExpr_new(&e, ctx, "a + a", GA_ARGS(ga_array("a", NULL))));
  STEP(GpuExpr_compile_async(e, NULL, GA_ARGS(ga_array("a", &a))));
  STEP(GpuExpr_wait(e));
  STEP(GpuExpr_call(e, &r, GA_ARGS(ga_array("a", &a))));
done:
  GpuExpr_free(e);
  GpuArray_clear(&a);
  GpuArray_clear(&r);
  return err;
}

static int program(void)
{
  gpucontext *ctx = NULL;
  gpucontext_props *props = NULL;
  void *scratch, *tickets;
  int err = gpucontext_props_new(&props);
  if (err == GA_NO_ERROR) err = gpucontext_props_kernel_cache(props, dir);
  if (err != GA_NO_ERROR) return err;
  err = gpucontext_init(&ctx, "cuda", props);
  if (err == GA_NO_ERROR) err = kernels(ctx);
  if (err == GA_NO_ERROR) err = ctx->backend->scratch(ctx, 100000, 1000, &scratch, &tickets);
  if (err == GA_NO_ERROR) err = expression(ctx);
  if (err == GA_NO_ERROR) err = large_write(ctx);
  gpucontext_deref(ctx);
  return err;
}

START_TEST(failed_allocations_leave_nothing)
{
  stub_state *s = fresh();
  long at, failed = 0;
  ga_pool_limit(4);
  s->params = _i ? 1 : -1;
  unsetenv("GPUARRAY_DEVICE");
  OK(program()); /* the libraries are loaded now */
  for (at = 0;; at++) {
    char cmd[700];
    if (at % 2 == 0) { /* half of the time with nothing on disk */
      snprintf(cmd, sizeof cmd, "rm -rf %s/*", dir);
      ck_assert_int_eq(system(cmd), 0);
    }
    countdown = at;
    int err = program();
    int reached = countdown < 0;
    countdown = -1;
    ck_assert_msg(err == GA_NO_ERROR || err == GA_MEMORY_ERROR, "allocation %ld: error %d: %s", at,
                  err, gpuarray_error_message());
    ck_assert_msg(s->retained == 0 && s->streams == 0 && s->npools == 0 && s->modules == 0 &&
                      s->blocks == 0 && s->host_blocks == 0 && s->pushes == s->pops,
                  "allocation %ld: something is left: %d contexts, %d streams, %d pools, %d "
                  "modules, %d blocks",
                  at, s->retained, s->streams, s->npools, s->modules, s->blocks);
    failed += err != GA_NO_ERROR;
    if (!reached && at % 2 == 0) break; /* the whole program made fewer */
  }
  ck_assert_int_gt(failed, 30);
  OK(program());
  cleanup();
}
END_TEST

/* The entries of one directory, packed and unpacked into another. */
static int carry(const char *to, uint64_t *entries)
{
  FILE *f = tmpfile();
  if (f == NULL) abort();
  int err = gpuarray_cache_pack(f, NULL, NULL, NULL);
  rewind(f);
  setenv("GPUARRAY_CACHE_DIR", to, 1);
  if (err == GA_NO_ERROR) err = gpuarray_cache_unpack(f, entries, NULL);
  setenv("GPUARRAY_CACHE_DIR", dir, 1);
  fclose(f);
  return err;
}

START_TEST(packs_survive_failed_allocations)
{
  char to[600], cmd[700];
  uint64_t n = 0, kept;
  long at;
  int err;
  fresh();
  OK(get(text_a));
  snprintf(to, sizeof to, "%s/elsewhere", dir);
  snprintf(cmd, sizeof cmd, "rm -rf %s", to);
  for (at = 0;; at++) {
    ck_assert_int_eq(system(cmd), 0);
    countdown = at;
    err = carry(to, &n);
    int reached = countdown < 0;
    countdown = -1;
    ck_assert_msg(err == GA_NO_ERROR || err == GA_MEMORY_ERROR || err == GA_SYS_ERROR,
                  "allocation %ld: error %d: %s", at, err, gpuarray_error_message());
    setenv("GPUARRAY_CACHE_DIR", to, 1);
    OK(gpuarray_cache_prune(UINT64_MAX, &kept, NULL));
    ck_assert_uint_eq(kept, 0); /* none was broken */
    setenv("GPUARRAY_CACHE_DIR", dir, 1);
    if (!reached) break;
  }
  ck_assert(err == GA_NO_ERROR && n == 1 && at > 5);
  cleanup();
}
END_TEST

static const test_case cases[] = {CASE_LOOP(failed_allocations_leave_nothing, 2),
                                  CASE(packs_survive_failed_allocations), CASE_END};

int main(void) { return test_main("cuda_alloc", cases); }
