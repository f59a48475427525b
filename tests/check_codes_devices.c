/* SPDX-License-Identifier: MIT */
/* The error codes of devices, contexts, kernels, modules, the cache and the types that
 * no other test gives, over the stub driver and with compilers that go away. */
#include "tests/cache_place.h"
#include "tests/device.h"
#include "tests/short_memory.h"

#include "gpuarray.h"
#include "gpuarray/elemwise.h"

static const char *source = "extern \"C\" __global__ void k(int a) {}\n"
                            "template <class T> __global__ void t(T a) {}\n";
static const size_t one[3] = {1, 1, 1};
static const int types[1] = {GA_INT};

/* ---- devices and contexts ---------------------------------------------------- */

START_TEST(absent_driver_is_told)
{
  unsigned int n;
  gpucontext *ctx;
  unsetenv("GPUARRAY_DEVICE");
  setenv("GPUARRAY_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  FAILS(GA_LOAD_ERROR, "/nowhere/libcuda.so", gpu_get_device_count("cuda", 0, &n));
  FAILS(GA_LOAD_ERROR, "/nowhere/libcuda.so", gpucontext_init(&ctx, "cuda", NULL));
  ck_assert_ptr_null(ctx);
  FAILS(GA_UNSUPPORTED_ERROR, "OpenCL", gpu_get_platform_count("opencl", &n));
  FAILS(GA_VALUE_ERROR, "NULL", gpu_get_platform_count(NULL, &n));
}
END_TEST

START_TEST(failing_driver_is_told)
{
  unsigned int n;
  gpucontext *ctx;
  stub_state *s = stub_use("libstubcuda");
  unsetenv("GPUARRAY_DEVICE");
  s->init_result = 999;
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", gpu_get_device_count("cuda", 0, &n));
  s->init_result = 0;
  OK(gpu_get_device_count("cuda", 0, &n));
  s->fault = 999;
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", gpucontext_init(&ctx, "cuda", NULL));
  s->fault = 0;
  FAILS(GA_NODEV_ERROR, "cuda7", gpucontext_init(&ctx, "cuda7", NULL));
  ck_assert_ptr_null(ctx);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

START_TEST(buffers_of_the_device_are_refused)
{
  int err;
  gpucontext *ctx;
  stub_use("libstubcuda");
  ctx = stub_context();
  GIVES(NULL, GA_DEVSUP_ERROR, "GA_BUFFER_HOST", err,
        gpudata_alloc(ctx, 8, NULL, GA_BUFFER_HOST, &err));
  GIVES(NULL, GA_VALUE_ERROR, "argument 1", err, gpudata_alloc(NULL, 8, NULL, 0, &err));
  GIVES(-1, GA_VALUE_ERROR, "NULL", err, gpudata_share(NULL, NULL, &err));
  gpucontext_deref(ctx);
}
END_TEST

/* ---- kernels ------------------------------------------------------------------- */

static gpukernel *make(gpucontext *ctx, const char *text, const char *name, int flags, int *err)
{
  return gpukernel_init(ctx, 1, &text, NULL, name, 1, types, flags, err, NULL);
}

START_TEST(kernels_give_every_code)
{
  int err, x = 1;
  size_t avail, gs = 0, ls = 0;
  const char *broken = "#error\n", *null = NULL;
  void *args[1] = {&x};
  gpudata *b;
  GpuKernel g = {0}, untyped = {0};
  GpuModule m = {0};
  stub_state *s = fresh();
  gpucontext *ctx = stub_context();
  s->params = -1;
#define INIT(text, name, flags) \
  gpukernel_init(ctx, 1, text, NULL, name, 1, types, flags, &err, NULL)
#define GINIT(text, name, flags) GpuKernel_init(&g, ctx, 1, text, NULL, name, 1, types, flags, NULL)
  GIVES(NULL, GA_VALUE_ERROR, "NULL", err, INIT(&null, "k", 0));
  GIVES(NULL, GA_DEVSUP_ERROR, "OpenCL", err, INIT(&source, "k", GA_USE_OPENCL));
  GIVES(NULL, GA_UNSUPPORTED_ERROR, "complex", err, INIT(&source, "k", GA_USE_COMPLEX));
  GIVES(NULL, GA_IMPL_ERROR, "#error", err, INIT(&broken, "k", 0));
  FAILS(GA_DEVSUP_ERROR, "OpenCL", GINIT(&source, "k", GA_USE_OPENCL));
  FAILS(GA_UNSUPPORTED_ERROR, "complex", GINIT(&source, "k", GA_USE_COMPLEX));
  FAILS(GA_IMPL_ERROR, "#error", GINIT(&broken, "k", 0));
  FAILS(GA_IMPL_ERROR, "#error", GpuKernel_build(&g, ctx, broken, "k"));
  OK(GINIT(&source, "k", 0));
  OK(GpuModule_init(&m, ctx, source, NULL));
  OK(GpuModule_kernel(&untyped, &m, "k"));
  OK(gpukernel_call(g.k, 1, one, one, 0, args));
  ck_assert_int_eq(s->launches, 1);
  ck_assert_mem_eq(s->args, &x, sizeof x);
  FAILS(GA_VALUE_ERROR, "argument 2 is 4, not 1 to 3", gpukernel_call(g.k, 4, one, one, 0, args));
  FAILS(GA_INVALID_ERROR, "knows no types", gpukernel_call(untyped.k, 1, one, one, 0, args));
  FAILS(GA_INVALID_ERROR, "knows no types", GpuKernel_call(&untyped, 1, one, one, 0, args));
  s->fault = 999;
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", gpukernel_call(g.k, 1, one, one, 0, args));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuKernel_call(&g, 1, one, one, 0, args));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuKernel_launch(&untyped, one, one, 0, 0, NULL));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", gpukernel_property(g.k, GA_CTX_PROP_FREE_GMEM, &avail));
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuModule_global(&b, &m, "table"));
  s->fault = 0;
  s->attribute_result = 999;
  FAILS(GA_IMPL_ERROR, "STUB_ERROR_999", GpuKernel_sched(&g, 100, &gs, &ls));
  s->attribute_result = 0;
  GpuKernel_clear(&g);
  GpuKernel_clear(&untyped);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

START_TEST(absent_compiler_is_told)
{
  int err;
  GpuKernel g = {0};
  GpuModule m = {0};
  gpucontext *ctx;
  fresh();
  setenv("GPUARRAY_NVRTC", "/nowhere/nvrtc.so", 1);
  ctx = stub_context();
  GIVES(NULL, GA_LOAD_ERROR, "/nowhere/nvrtc.so", err, make(ctx, source, "k", 0, &err));
  GIVES(NULL, GA_LOAD_ERROR, "/nowhere/nvrtc.so", err, INIT(&source, "k", 0));
  FAILS(GA_LOAD_ERROR, "/nowhere/nvrtc.so", GINIT(&source, "k", 0));
  FAILS(GA_LOAD_ERROR, "/nowhere/nvrtc.so", GpuKernel_build(&g, ctx, source, "k"));
  FAILS(GA_LOAD_ERROR, "/nowhere/nvrtc.so", GpuModule_init(&m, ctx, source, NULL));
  ck_assert(g.k == NULL && m.m == NULL);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

static GpuElemwise *twice(gpucontext *ctx)
{
  gpuelemwise_arg args[2] = {{"x", GA_FLOAT, GE_READ}, {"y", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge = GpuElemwise_new(ctx, NULL, "y = 2*x", 2, args, 1, 0);
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  return ge;
}

/* What was compiled is on disk; what another layout or type needs is not. */
static void use_the_rest(gpucontext *ctx, int code, const char *words)
{
  GpuArray a = {0}, y = {0}, x = {0};
  GpuElemwise *ge = twice(ctx);
  void *args[2] = {&x, &y};
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(12), GA_C_ORDER));
  OK(GpuArray_zeros(&y, ctx, GA_FLOAT, GA_DIMS(6), GA_C_ORDER));
  OK(GpuArray_slice(&x, &a, "::2"));
  if (code == GA_LOAD_ERROR)
    FAILS(GA_LOAD_ERROR, words, GpuElemwise_call(ge, args, 0));
  else
    FAILS(GA_UNSUPPORTED_ERROR, words, GpuElemwise_call(ge, args, 0));
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
}

/* In another process, which has loaded no compiler yet. */
START_TEST(compiler_that_is_gone_is_told)
{
  char cmd[8192], copy[640], from[4096];
  GpuModule m = {0};
  GpuKernel g = {0};
  gpucontext *ctx;
  int status;
  fresh();
  snprintf(copy, sizeof copy, "%s/libstubnvrtc.so", dir);
  snprintf(cmd, sizeof cmd, "cp %s %s", stub_path(from, "libstubnvrtc"), copy);
  ck_assert_int_eq(system(cmd), 0);
  setenv("GPUARRAY_NVRTC", copy, 1);
  pid_t pid = fork();
  if (pid == 0) {
    ctx = stub_context();
    GpuElemwise_free(twice(ctx));
    OK(GpuModule_init(&m, ctx, source, NULL));
    GpuModule_clear(&m);
    gpucontext_deref(ctx);
    _exit(0);
  }
  ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
  ctx = stub_context();
  GpuElemwise_free(twice(ctx));
  OK(GpuModule_init(&m, ctx, source, NULL));
  ck_assert_int_eq(compiled(), 2); /* by the child */
  unlink(copy);
  use_the_rest(ctx, GA_LOAD_ERROR, "libstubnvrtc.so");
  FAILS(GA_LOAD_ERROR, "libstubnvrtc.so", GpuModule_kernel(&g, &m, "t<int>"));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

START_TEST(compiler_of_the_cpu_that_is_gone_is_told)
{
  GpuModule m = {0};
  GpuKernel g = {0};
  gpucontext *ctx = NULL;
  fresh();
  OK(gpucontext_init(&ctx, "cpu", NULL));
  if (GpuModule_init(&m, ctx, source, NULL) != GA_NO_ERROR) { /* there is none here */
    gpucontext_deref(ctx);
    cleanup();
    return;
  }
  GpuElemwise_free(twice(ctx));
  setenv("GPUARRAY_CXX", "no-such-compiler", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "no-such-compiler", GpuKernel_build(&g, ctx, source, "t<int>"));
  FAILS(GA_UNSUPPORTED_ERROR, "no-such-compiler", GpuModule_kernel(&g, &m, "t<int>"));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  cleanup();
}
END_TEST

/* ---- the cache ------------------------------------------------------------------- */

static int visit(const gpuarray_cache_entry *e, void *arg)
{
  (void)e, (void)arg;
  return 0;
}

#define OFF(call)         FAILS(GA_UNSUPPORTED_ERROR, "switched off", call);
#define NOWHERE(call)     FAILS(GA_SYS_ERROR, "/dev/null/cache", call);
#define OPEN_TO_ALL(call) FAILS(GA_VALUE_ERROR, dir, call);
#define CALLS_CACHE(DO)                            \
  DO(gpuarray_cache_path(path, sizeof path))       \
  DO(gpuarray_cache_usage(&n, &bytes, &limit))     \
  DO(gpuarray_cache_list(visit, NULL))             \
  DO(gpuarray_cache_prune(UINT64_MAX, &n, &bytes)) \
  DO(gpuarray_cache_clear(&n, &bytes))             \
  DO(gpuarray_cache_pack(pack, NULL, &n, &bytes))  \
  DO(gpuarray_cache_unpack(pack, &n, &bytes))

START_TEST(cache_gives_every_code)
{
  char path[1024];
  uint64_t n, bytes, limit;
  FILE *pack = tmpfile();
  fresh();
  ck_assert_ptr_nonnull(pack);
  OK(gpuarray_cache_pack(pack, NULL, &n, &bytes));
  rewind(pack);
  OK(gpuarray_cache_unpack(pack, &n, &bytes));
  ck_assert_int_eq(chmod(dir, 0777), 0);
  CALLS_CACHE(OPEN_TO_ALL)
  cleanup();
  setenv("GPUARRAY_CACHE_DIR", "/dev/null/cache", 1);
  CALLS_CACHE(NOWHERE)
  setenv("GPUARRAY_CACHE", "off", 1);
  CALLS_CACHE(OFF)
  fclose(pack);
}
END_TEST

/* ---- types and libraries ------------------------------------------------------------ */

START_TEST(types_and_libraries_give_every_code)
{
  static gpuarray_type mine = {"mine", 3, 1, 0};
  gpuarray_library lib = {.size = sizeof lib};
  int err;
  GIVES(-1, GA_VALUE_ERROR, "NULL", err, gpuarray_register_type(NULL, &err));
  atomic_store(&countdown, 0);
  GIVES(-1, GA_SYS_ERROR, "", err, gpuarray_register_type(&mine, &err));
  OK(gpuarray_library_get(0, &lib));
  FAILS(GA_INVALID_ERROR, "99", gpuarray_library_get(99, &lib));
  FAILS(GA_VALUE_ERROR, "NULL", gpuarray_library_get(0, NULL));
}
END_TEST

static const test_case cases[] = {CASE(absent_driver_is_told),
                                  CASE(failing_driver_is_told),
                                  CASE(buffers_of_the_device_are_refused),
                                  CASE(kernels_give_every_code),
                                  CASE(absent_compiler_is_told),
                                  CASE(compiler_that_is_gone_is_told),
                                  CASE(compiler_of_the_cpu_that_is_gone_is_told),
                                  CASE(cache_gives_every_code),
                                  CASE(types_and_libraries_give_every_code),
                                  CASE_END};

int main(void) { return test_main("codes_devices", cases); }
