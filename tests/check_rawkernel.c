/* SPDX-License-Identifier: MIT */
/* Raw kernels over the stub driver: what is packed, checked, refused and released.
 * Names and templates go through the real compiler where there is one. What
 * kernels compute is in check_kernel.c. */
#include "gpuarray.h"
#include "tests/stub.h"

static gpucontext *ctx;
static stub_state *s;

static void open_stub(void)
{
  s = stub_use("libstubcuda");
  unsetenv("GPUARRAY_DEVICE");
  setenv("GPUARRAY_CACHE", "off", 1);
  OK(gpucontext_init(&ctx, "cuda", NULL));
}

/* All that was opened is closed again. */
static void close_stub(void)
{
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->modules, 0);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->pushes, s->pops);
}

static const char text[] =
  "#include \"cluda.h\"\n"
  "extern \"C\" __global__ void first(float *x) {}\n"
  "extern \"C\" __global__ void second(float *x) {}\n";

static const size_t grid[3] = {3, 2, 1}, block[3] = {32, 1, 1};

#define LAUNCH(k, ...) GpuKernel_launch(k, grid, block, 0, GA_ARGS(__VA_ARGS__))
#define VALUE(code, ptr) ga_scalar(NULL, code, ptr)
#define ARRAY(a) ga_array(NULL, a)

static GpuArray vector(size_t n)
{
  GpuArray a;
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  return a;
}

/* ---- packing -------------------------------------------------------------------- */

START_TEST(arguments_are_packed_as_in_a_struct)
{
  struct {
    char c;
    void *p;
    short s;
    float f;
    double d;
    unsigned char b;
    int64_t l;
  } want;
  GpuKernel k;
  GpuArray a, v;
  char c = 'x';
  short h = -3;
  float f = 1.5f;
  double d = -2.25;
  unsigned char b = 1;
  int64_t l = -5 * ((int64_t)1 << 40);
  ssize_t start = 7, stop = 10, step = 1;
  s = stub_use("libstubcuda_old"); /* does not tell parameters */
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  a = vector(10);
  OK(GpuArray_index(&v, &a, &start, &stop, &step));
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(GpuKernel_launch(&k, grid, block, 16,
                      GA_ARGS(VALUE(GA_BYTE, &c), ARRAY(&v),
                              VALUE(GA_SHORT, &h), VALUE(GA_FLOAT, &f),
                              VALUE(GA_DOUBLE, &d), VALUE(GA_BOOL, &b),
                              VALUE(GA_LONG, &l))));
  memset(&want, 0, sizeof want);
  want.c = c, want.p = *(char **)a.data + 28, want.s = h, want.f = f, want.d = d, want.b = b;
  want.l = l;
  ck_assert_uint_eq(s->nargs, sizeof want);
  ck_assert(memcmp(s->args, &want, sizeof want) == 0);
  ck_assert(s->grid[0] == 3 && s->grid[1] == 2 && s->block[0] == 32 && s->shared == 16);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  close_stub();
}
END_TEST

START_TEST(count_and_sizes_are_checked_where_told)
{
  GpuKernel k;
  GpuArray a;
  double d = 4;
  float f = 2;
  open_stub();
  s->params = 2; /* two of 8 bytes */
  a = vector(1);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(LAUNCH(&k, ARRAY(&a), VALUE(GA_DOUBLE, &d)));
  ck_assert_uint_eq(s->nargs, 16);
  FAILS(GA_VALUE_ERROR, "takes 2 arguments, got 1",
        LAUNCH(&k, ARRAY(&a)));
  FAILS(GA_VALUE_ERROR, "argument 1 of kernel first is ga_float (4 bytes), the kernel takes 8",
        LAUNCH(&k, ARRAY(&a), VALUE(GA_FLOAT, &f)));
  ck_assert_int_eq(s->launches, 1);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  close_stub();
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
  GpuKernel k, cleared = {0};
  GpuArray a, none = {0};
  double d = 4;
  size_t empty[3] = {0, 1, 1};
  s = stub_use("libstubcuda_old");
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  a = vector(1);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  FAILS(GA_VALUE_ERROR, "ga_scalar", LAUNCH(&k, ga_int(NULL, 3)));
  FAILS(GA_VALUE_ERROR, "ga_scalar", LAUNCH(&k, ga_float(NULL, 3)));
  FAILS(GA_VALUE_ERROR, "argument 0", LAUNCH(&k, ARRAY(NULL)));
  FAILS(GA_VALUE_ERROR, "without data", LAUNCH(&k, ARRAY(&none)));
  FAILS(GA_VALUE_ERROR, "no array", LAUNCH(&k, ga_new(NULL, &none)));
  FAILS(GA_VALUE_ERROR, "address", LAUNCH(&k, VALUE(GA_INT, NULL)));
  FAILS(GA_VALUE_ERROR, "typecode", LAUNCH(&k, VALUE(99, &d)));
  FAILS(GA_VALUE_ERROR, "typecode", LAUNCH(&k, VALUE(GA_BUFFER, &d)));
  FAILS(GA_VALUE_ERROR, "argument 1", GpuKernel_launch(NULL, grid, block, 0, 0, NULL));
  FAILS(GA_VALUE_ERROR, "cleared", GpuKernel_launch(&cleared, grid, block, 0, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 2", GpuKernel_launch(&k, NULL, block, 0, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 3", GpuKernel_launch(&k, grid, NULL, 0, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 6", GpuKernel_launch(&k, grid, block, 0, 1, NULL));
  FAILS(GA_VALUE_ERROR, "(0, 1, 1)", GpuKernel_launch(&k, empty, block, 0, 0, NULL));
  ck_assert_int_eq(s->launches, 0);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  close_stub();
}
END_TEST

START_TEST(array_of_another_context_is_refused)
{
  gpucontext *first, *second;
  GpuKernel k;
  GpuArray a;
  open_stub();
  s->params = 1;
  first = ctx;
  OK(gpucontext_init(&second, "cuda", NULL));
  ctx = second;
  a = vector(4);
  OK(GpuKernel_build(&k, first, text, "first"));
  FAILS(GA_VALUE_ERROR, "another context", LAUNCH(&k, ARRAY(&a)));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(first);
  close_stub();
}
END_TEST

START_TEST(many_arguments_outgrow_the_stack)
{
  enum { n = 300 };
  gpuarg args[n];
  double d[n];
  GpuKernel k;
  s = stub_use("libstubcuda_old");
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  for (int i = 0; i < n; i++) {
    d[i] = i;
    args[i] = VALUE(GA_DOUBLE, &d[i]);
  }
  OK(GpuKernel_build(&k, ctx, text, "first"));
  OK(GpuKernel_launch(&k, grid, block, 0, n, args));
  ck_assert_uint_eq(s->nargs, sizeof d);
  ck_assert(memcmp(s->args, d, sizeof d) == 0);
  GpuKernel_clear(&k);
  close_stub();
}
END_TEST

/* ---- the old interface ------------------------------------------------------------ */

static const int types[] = {GA_BUFFER, GA_SIZE, GA_FLOAT};

START_TEST(gpukernel_tells_its_properties)
{
  const char *plain[] = {text};
  size_t gs[2] = {5, 6}, ls[2] = {7, 8}, n = 42;
  float f = 1.25f;
  gpudata *b;
  gpukernel *k;
  int err = -1;
  unsigned int nargs;
  const int *got_types;
  gpucontext *c;
  size_t size;
  open_stub();
  s->params = 0;
  b = gpudata_alloc(ctx, 16, NULL, 0, &err);
  OK(err);
  k = gpukernel_init(ctx, 1, plain, NULL, "first", 3, types, GA_USE_CUDA | GA_USE_SMALL,
                     &err, NULL);
  OK(err);
  ck_assert_ptr_nonnull(k);
  /* the stub says it takes none: the declared count is held against it */
  void *args[] = {b, &n, &f};
  FAILS(GA_VALUE_ERROR, "takes 0 arguments, got 3", gpukernel_call(k, 2, gs, ls, 0, args));
  OK(gpukernel_property(k, GA_KERNEL_PROP_NUMARGS, &nargs));
  ck_assert_uint_eq(nargs, 3);
  OK(gpukernel_property(k, GA_KERNEL_PROP_TYPES, &got_types));
  ck_assert_int_eq(got_types[1], GA_SIZE);
  OK(gpukernel_property(k, GA_KERNEL_PROP_CTX, &c));
  ck_assert_ptr_eq(c, ctx);
  ck_assert_ptr_eq(gpukernel_context(k), ctx);
  OK(gpukernel_property(k, GA_KERNEL_PROP_MAXLSIZE, &size));
  ck_assert_uint_eq(size, 512);
  OK(gpukernel_property(k, GA_KERNEL_PROP_PREFLSIZE, &size));
  ck_assert_uint_eq(size, 32);
  OK(gpukernel_property(k, GA_CTX_PROP_NUMPROCS, &nargs));
  ck_assert_uint_eq(nargs, 132);
  FAILS(GA_VALUE_ERROR, "buffers", gpukernel_property(k, GA_BUFFER_PROP_SIZE, &size));
  FAILS(GA_INVALID_ERROR, "99", gpukernel_property(k, 99, &size));
  FAILS(GA_VALUE_ERROR, "argument 1", gpukernel_property(NULL, GA_KERNEL_PROP_CTX, &c));
  gpukernel_retain(k);
  gpukernel_release(k);
  gpukernel_release(k);
  gpukernel_release(NULL);
  gpudata_release(b);
  close_stub();
}
END_TEST

START_TEST(gpukernel_call_packs_declared_types)
{
  const char *plain[] = {text};
  size_t gs[2] = {5, 6}, ls[2] = {7, 8}, n = 42;
  float f = 1.25f;
  struct {
    void *p;
    size_t n;
    float f;
  } want = {0};
  GpuKernel k;
  gpudata *b;
  int err;
  s = stub_use("libstubcuda_old");
  unsetenv("GPUARRAY_DEVICE");
  OK(gpucontext_init(&ctx, "cuda", NULL));
  b = gpudata_alloc(ctx, 16, NULL, 0, &err);
  OK(GpuKernel_init(&k, ctx, 1, plain, NULL, "first", 3, types, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 0 of kernel first is not set",
        GpuKernel_call(&k, 2, gs, ls, 0, NULL));
  OK(GpuKernel_setarg(&k, 0, b));
  OK(GpuKernel_setarg(&k, 1, &n));
  OK(GpuKernel_setarg(&k, 2, &f));
  FAILS(GA_VALUE_ERROR, "no argument 3", GpuKernel_setarg(&k, 3, &f));
  n = 43; /* read at the call */
  OK(GpuKernel_call(&k, 2, gs, ls, 9, NULL));
  want.p = *(void **)b, want.n = 43, want.f = f;
  ck_assert_uint_eq(s->nargs, 20);
  ck_assert(memcmp(s->args, &want, 20) == 0);
  ck_assert(s->grid[0] == 5 && s->grid[1] == 6 && s->grid[2] == 1);
  ck_assert(s->block[0] == 7 && s->block[1] == 8 && s->block[2] == 1 && s->shared == 9);
  FAILS(GA_VALUE_ERROR, "not 1 to 3", GpuKernel_call(&k, 0, gs, ls, 0, NULL));
  FAILS(GA_VALUE_ERROR, "not 1 to 3", GpuKernel_call(&k, 4, gs, ls, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 3", GpuKernel_call(&k, 1, NULL, ls, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 4", GpuKernel_call(&k, 1, gs, NULL, 0, NULL));
  gpudata_release(b);
  GpuKernel_clear(&k);
  GpuKernel_clear(&k);
  GpuKernel_clear(NULL);
  close_stub();
}
END_TEST

START_TEST(gpukernel_init_checks_its_arguments)
{
  const char *one[] = {text}, *null[] = {NULL}, *bad[] = {"#error no\nline two\n"};
  const char *joined[] = {"extern \"C\" __global__ void ", "joined(float *x) {}#error"};
  size_t lengths[] = {0, 19};
  int unknown[] = {99}, err;
  char *words = NULL;
  gpukernel *k;
  GpuKernel gk;
  open_stub();
#define REFUSED(code, words_, ...)                                  \
  do {                                                              \
    err = GA_NO_ERROR;                                              \
    ck_assert_ptr_null(gpukernel_init(__VA_ARGS__, &err, NULL));    \
    FAILS(code, words_, err);                                       \
  } while (0)
  REFUSED(GA_VALUE_ERROR, "argument 1", NULL, 1, one, NULL, "first", 0, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "argument 2", ctx, 0, one, NULL, "first", 0, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "argument 3", ctx, 1, NULL, NULL, "first", 0, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "string 0", ctx, 1, null, NULL, "first", 0, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "argument 5", ctx, 1, one, NULL, NULL, 0, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "argument 7", ctx, 1, one, NULL, "first", 1, NULL, 0);
  REFUSED(GA_VALUE_ERROR, "typecode 99", ctx, 1, one, NULL, "first", 1, unknown, 0);
  REFUSED(GA_DEVSUP_ERROR, "OpenCL", ctx, 1, one, NULL, "first", 0, NULL, GA_USE_OPENCL);
  REFUSED(GA_UNSUPPORTED_ERROR, "complex", ctx, 1, one, NULL, "first", 0, NULL, GA_USE_COMPLEX);
  REFUSED(GA_VALUE_ERROR, "first, second", ctx, 1, one, NULL, "third", 0, NULL, 0);
  ck_assert_ptr_null(gpukernel_init(ctx, 1, one, NULL, "third", 0, NULL, 0, NULL, NULL));
  k = gpukernel_init(ctx, 1, bad, NULL, "first", 0, NULL, 0, &err, &words);
  ck_assert(k == NULL && err == GA_IMPL_ERROR);
  ck_assert_ptr_nonnull(words);
  ck_assert_ptr_nonnull(strstr(words, "   2  line two\n"));
  ck_assert_ptr_nonnull(strstr(words, "error: #error directive"));
  free(words);
  k = gpukernel_init(ctx, 2, joined, lengths, "joined", 0, NULL, 0, &err, &words);
  OK(err);
  ck_assert(k != NULL && words == NULL);
  gpukernel_release(k);
  memset(&gk, 1, sizeof gk);
  FAILS(GA_VALUE_ERROR, "third", GpuKernel_init(&gk, ctx, 1, one, NULL, "third", 0, NULL, 0, NULL));
  ck_assert(gk.k == NULL && gk.args == NULL);
  FAILS(GA_VALUE_ERROR, "argument 1",
        GpuKernel_init(NULL, ctx, 1, one, NULL, "first", 0, NULL, 0, NULL));
  close_stub();
}
END_TEST

START_TEST(kernel_outlives_its_context_reference)
{
  GpuKernel k;
  open_stub();
  OK(GpuKernel_build(&k, ctx, text, "first"));
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->retained, 1);
  OK(GpuKernel_launch(&k, grid, block, 0, 0, NULL));
  ck_assert_ptr_eq(GpuKernel_context(&k), ctx);
  GpuKernel_clear(&k);
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->modules, 0);
  ck_assert_ptr_null(GpuKernel_context(&k));
  ck_assert_ptr_null(GpuKernel_context(NULL));
}
END_TEST

START_TEST(sched_fills_the_grid_first)
{
  static const struct { size_t n, gs, ls, want_gs, want_ls; } cases_[] = {
    {0, 0, 0, 1, 32}, {1, 0, 0, 1, 32}, {31, 0, 0, 1, 32}, {33, 0, 0, 2, 32},
    {4224 * 32, 0, 0, 4224, 32}, {4224 * 32 + 1, 0, 0, 4224, 32},
    {4224 * 64, 0, 0, 4224, 64}, {100000000, 0, 0, 4224, 512},
    {1000, 10, 0, 10, 96}, {1000, 0, 64, 16, 64}, {1000, 3, 64, 3, 64}};
  GpuKernel k, none = {0};
  size_t gs, ls;
  open_stub();
  OK(GpuKernel_build(&k, ctx, text, "first"));
  for (size_t i = 0; i < sizeof cases_ / sizeof *cases_; i++) {
    gs = cases_[i].gs, ls = cases_[i].ls;
    OK(GpuKernel_sched(&k, cases_[i].n, &gs, &ls));
    ck_assert_msg(gs == cases_[i].want_gs && ls == cases_[i].want_ls, "n %zu: %zu x %zu",
                  cases_[i].n, gs, ls);
  }
  FAILS(GA_VALUE_ERROR, "cleared", GpuKernel_sched(&none, 1, &gs, &ls));
  FAILS(GA_VALUE_ERROR, "argument 3", GpuKernel_sched(&k, 1, NULL, &ls));
  GpuKernel_clear(&k);
  close_stub();
}
END_TEST

/* ---- modules ----------------------------------------------------------------------- */

START_TEST(module_gives_kernels_and_globals_that_outlive_it)
{
  GpuModule m = {NULL}, none = {NULL};
  GpuKernel k1, k2, k3;
  gpudata *g;
  size_t size, n = 1;
  open_stub();
  OK(GpuModule_init(&m, ctx, text, NULL));
  OK(GpuModule_kernel(&k1, &m, "first"));
  OK(GpuModule_kernel(&k2, &m, "second"));
  FAILS(GA_VALUE_ERROR, "first, second", GpuModule_kernel(&k3, &m, "third"));
  ck_assert_ptr_null(k3.k);
  OK(GpuModule_global(&g, &m, "table"));
  OK(gpudata_property(g, GA_BUFFER_PROP_SIZE, &size));
  ck_assert_uint_eq(size, 32);
  GpuModule_clear(&m);
  GpuModule_clear(&m);
  GpuModule_clear(NULL);
  OK(GpuKernel_launch(&k1, grid, block, 0, 0, NULL));
  OK(gpudata_memset(g, 0, 1));
  FAILS(GA_INVALID_ERROR, "GpuKernel_launch", GpuKernel_call(&k1, 1, &n, &n, 0, NULL));
  GpuKernel_clear(&k1);
  GpuKernel_clear(&k2);
  ck_assert_int_eq(s->modules, 1); /* for the global */
  gpudata_release(g);
  OK(GpuModule_init(&m, ctx, text, NULL));
  FAILS(GA_VALUE_ERROR, "'absent'", GpuModule_global(&g, &m, "absent"));
  ck_assert_ptr_null(g);
  GpuModule_clear(&m);
  ck_assert_int_eq(s->modules, 1);
  FAILS(GA_VALUE_ERROR, "cleared", GpuModule_kernel(&k1, &none, "first"));
  FAILS(GA_VALUE_ERROR, "cleared", GpuModule_global(&g, &none, "first"));
  FAILS(GA_VALUE_ERROR, "argument 1", GpuModule_init(NULL, ctx, text, NULL));
  FAILS(GA_VALUE_ERROR, "argument 2", GpuModule_init(&m, NULL, text, NULL));
  FAILS(GA_VALUE_ERROR, "argument 3", GpuModule_init(&m, ctx, NULL, NULL));
  FAILS(GA_VALUE_ERROR, "argument 4", GpuKernel_build(&k1, ctx, text, NULL));
  close_stub();
}
END_TEST

START_TEST(modules_of_one_source_are_loaded_apart)
{
  GpuModule a, b;
  GpuKernel k1, k2;
  open_stub();
  OK(GpuModule_init(&a, ctx, text, NULL));
  OK(GpuModule_init(&b, ctx, text, NULL));
  ck_assert_int_eq(s->modules, 2);
  OK(GpuKernel_build(&k1, ctx, text, "first"));
  OK(GpuKernel_build(&k2, ctx, text, "second"));
  ck_assert_int_eq(s->modules, 3);
  GpuModule_clear(&a);
  GpuModule_clear(&b);
  ck_assert_int_eq(s->modules, 1);
  GpuKernel_clear(&k1);
  GpuKernel_clear(&k2);
  close_stub();
}
END_TEST

START_TEST(options_reach_the_compiler)
{
  const char *bad[] = {"--bad-option", NULL}, *good[] = {"-DX=1", NULL};
  GpuModule m;
  open_stub();
  FAILS(GA_VALUE_ERROR, "STUB_ERROR", GpuModule_init(&m, ctx, text, bad));
  ck_assert_ptr_null(m.m);
  OK(GpuModule_init(&m, ctx, text, good));
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

/* ---- the real compiler ----------------------------------------------------------------- */

/* A context whose compiler is NVRTC itself; 0, after saying so, without one. */
static int open_nvrtc(void)
{
  const char *strict = getenv("GA_TEST_STRICT");
  ga_source src = {.text = "extern \"C\" __global__ void k() {}\n"};
  ga_module *m;
  open_stub();
  unsetenv("GPUARRAY_NVRTC");
  int err = ga_cache_module(&m, ctx, &src, NULL);
  if (err == GA_NO_ERROR) return 1;
  ck_assert_int_eq(err, GA_LOAD_ERROR);
  ck_assert_msg(strict == NULL || strcmp(strict, "1") != 0, "%s", gpuarray_error_message());
  fprintf(stderr, "skipped: %s\n", gpuarray_error_message());
  gpucontext_deref(ctx);
  return 0;
}

static const char names_text[] =
  "#include \"cluda.h\"\n"
  "KERNEL void plain(GLOBAL_MEM ga_float *x, ga_size n) { x[LID_0] = n; }\n"
  "__global__ void cpp(float *x) { x[0] = 1; }\n"
  "__global__ void cpp2(float *x) { x[0] = 1; }\n"
  "__global__ void twice(float *x) { x[0] = 1; }\n"
  "__global__ void twice(double *x) { x[0] = 1; }\n"
  "namespace ns { namespace in { __global__ void deep(float *x) { x[0] = 1; } } }\n"
  "template <class T, int N> __global__ void scale(T *x) { x[threadIdx.x] *= N; }\n"
  "__device__ float table[4];\n";

START_TEST(names_are_found_however_they_are_mangled)
{
  static const char *const there[] = {"plain", "cpp", "cpp2", "ns::in::deep", "::cpp", "_Z3cppPf",
                                      "scale<float, 3>", "scale<double,2>"};
  static const char *const absent[] = {"twice", "cp", "cpp3", "deep", "ns::deep", "scale", "",
                                       "table", "cpp(float*)", "::", "ns::"};
  GpuModule m;
  GpuKernel k;
  if (!open_nvrtc()) return;
  OK(GpuModule_init(&m, ctx, names_text, NULL));
  for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
    OK(GpuModule_kernel(&k, &m, there[i]));
    GpuKernel_clear(&k);
    OK(GpuKernel_build(&k, ctx, names_text, there[i]));
    GpuKernel_clear(&k);
  }
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    FAILS(GA_VALUE_ERROR, "no kernel", GpuModule_kernel(&k, &m, absent[i]));
    FAILS(GA_VALUE_ERROR, "no kernel", GpuKernel_build(&k, ctx, names_text, absent[i]));
  }
  FAILS(GA_IMPL_ERROR, "scale<no_type, 1>", GpuModule_kernel(&k, &m, "scale<no_type, 1>"));
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

START_TEST(compile_error_has_words_and_numbered_lines)
{
  GpuModule m;
  if (!open_nvrtc()) return;
  FAILS(GA_IMPL_ERROR, "   2    undefined_name = 3;",
        GpuModule_init(&m, ctx, "__global__ void k() {\n  undefined_name = 3;\n}\n", NULL));
  FAILS(GA_IMPL_ERROR, "(2): error: identifier \"undefined_name\" is undefined",
        GpuModule_init(&m, ctx, "__global__ void k() {\n  undefined_name = 3;\n}\n", NULL));
  close_stub();
}
END_TEST

START_TEST(toolkit_headers_are_found_and_user_options_win)
{
  static const char source[] =
    "#include <cuda_fp16.h>\n"
    "#if __cplusplus < 202002L\n#error C++20 was asked for\n#endif\n"
    "__global__ void k(__half *x) { x[0] = __hadd(x[1], x[2]); }\n";
  const char *options[] = {"-std=c++20", "--fmad=false", "--use_fast_math", NULL};
  GpuModule m;
  if (!open_nvrtc()) return;
  int err = GpuModule_init(&m, ctx, source, options);
  if (err != GA_NO_ERROR && strstr(gpuarray_error_message(), "cannot open source file") != NULL)
    fprintf(stderr, "skipped: NVRTC without the toolkit's headers\n");
  else
    OK(err);
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

START_TEST(cluda_vocabulary_compiles)
{
  static const char source[] =
    "#include \"cluda.h\"\n"
    "WITHIN_KERNEL ga_float helper(ga_float x) { return x * (ga_float)M_PI; }\n"
    "KERNEL void all(GLOBAL_MEM ga_bool *a, GLOBAL_MEM ga_byte *b, GLOBAL_MEM ga_ubyte *c,\n"
    "  GLOBAL_MEM ga_short *d, GLOBAL_MEM ga_ushort *e, GLOBAL_MEM ga_int *f,\n"
    "  GLOBAL_MEM ga_uint *g,\n"
    "  GLOBAL_MEM ga_long *h, GLOBAL_MEM ga_ulong *i, GLOBAL_MEM ga_float *j,\n"
    "  GLOBAL_MEM ga_double *k,\n"
    "  GLOBAL_MEM ga_half *l, ga_size m, ga_ssize n GA_DECL_SHARED_PARAM(ga_float, sh)) {\n"
    "  GA_DECL_SHARED_BODY(ga_float, sh)\n"
    "  LOCAL_MEM ga_int part[4];\n"
    "  LOCAL_MEM ga_half parth[2];\n"
    "  part[LID_0 & 3] = LID_1 + LID_2 + LDIM_0 + LDIM_1 + LDIM_2 + GID_0 + GID_1 + GID_2\n"
    "    + GDIM_0 + GDIM_1 + GDIM_2 + GA_WARP_SIZE;\n"
    "  local_barrier();\n"
    "  sh[0] = helper(NAN) + INFINITY + HUGE_VALF + MAXFLOAT + (float)HUGE_VAL;\n"
    "  l[0] = ga_float2half(ga_half2float(l[1]) + (float)(M_E + M_SQRT1_2));\n"
    "  f[0] = atom_add_ig(f, 1) + atom_xchg_ig(f, 2);\n"
    "  f[1] = atom_add_il(part, 1) + atom_xchg_il(part, 2);\n"
    "  g[0] = atom_add_Ig(g, 1u) + atom_xchg_Ig(g, 2u);\n"
    "  h[0] = atom_add_lg(h, 1) + atom_xchg_lg(h, 2);\n"
    "  i[0] = atom_add_Lg(i, 1ull) + atom_xchg_Lg(i, 2ull);\n"
    "  j[0] = atom_add_fg(j, 1.f) + atom_xchg_fg(j, 2.f);\n"
    "  k[0] = atom_add_dg(k, 1.) + atom_xchg_dg(k, 2.);\n"
    "  l[2] = atom_add_eg(l, l[1]); l[3] = atom_xchg_eg(l, l[1]);\n"
    "  l[4] = atom_add_el(parth, l[1]); l[5] = atom_xchg_el(parth, l[1]);\n"
    "  a[0] = b[0] = c[0] = d[0] = e[0] = m + n;\n"
    "}\n";
  static const int ccs[] = {75, 80, 90, 100, 120};
  GpuKernel k;
  if (!open_nvrtc()) return;
  OK(GpuKernel_build(&k, ctx, source, "all"));
  GpuKernel_clear(&k);
  close_stub();
  for (size_t i = 0; i < sizeof ccs / sizeof *ccs; i++) {
    s->cc = ccs[i];
    OK(gpucontext_init(&ctx, "cuda", NULL));
    OK(GpuKernel_build(&k, ctx, source, "all"));
    GpuKernel_clear(&k);
    close_stub();
  }
}
END_TEST

static const test_case cases[] = {
  CASE(arguments_are_packed_as_in_a_struct),
  CASE(count_and_sizes_are_checked_where_told),
  CASE(bad_arguments_are_refused),
  CASE(array_of_another_context_is_refused),
  CASE(many_arguments_outgrow_the_stack),
  CASE(gpukernel_tells_its_properties),
  CASE(gpukernel_call_packs_declared_types),
  CASE(gpukernel_init_checks_its_arguments),
  CASE(kernel_outlives_its_context_reference),
  CASE(sched_fills_the_grid_first),
  CASE(module_gives_kernels_and_globals_that_outlive_it),
  CASE(modules_of_one_source_are_loaded_apart),
  CASE(options_reach_the_compiler),
  CASE(names_are_found_however_they_are_mangled),
  CASE(compile_error_has_words_and_numbered_lines),
  CASE(toolkit_headers_are_found_and_user_options_win),
  CASE(cluda_vocabulary_compiles),
  CASE_END};

int main(void) { return test_main("rawkernel", cases); }
