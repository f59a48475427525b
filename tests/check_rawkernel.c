/* SPDX-License-Identifier: MIT */
/* Raw kernels over the stub driver: what is packed, checked, refused and released.
 * What the real compiler makes of them is in check_rawnames.c, what kernels compute
 * in check_kernel.c. */
#include "gpuarray.h"
#include "tests/stub.h"

static gpucontext *ctx;
static stub_state *s;

static void open_stub(void)
{
  s = stub_use("libstubcuda");
  ctx = stub_init();
}

static void close_stub(void)
{
  gpucontext_deref(ctx);
  stub_left_nothing(s);
}

static const char text[] = "#include \"cluda.h\"\n"
                           "extern \"C\" __global__ void first(float *x) {}\n"
                           "extern \"C\" __global__ void second(float *x) {}\n";

static const size_t grid[3] = {3, 2, 1}, block[3] = {32, 1, 1};

#define LAUNCH(k, ...)   GpuKernel_launch(k, grid, block, 0, GA_ARGS(__VA_ARGS__))
#define VALUE(code, ptr) ga_scalar(NULL, code, ptr)
#define ARRAY(a)         ga_array(NULL, a)

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
                      GA_ARGS(VALUE(GA_BYTE, &c), ARRAY(&v), VALUE(GA_SHORT, &h),
                              VALUE(GA_FLOAT, &f), VALUE(GA_DOUBLE, &d), VALUE(GA_BOOL, &b),
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
  FAILS(GA_VALUE_ERROR, "takes 2 arguments, got 1", LAUNCH(&k, ARRAY(&a)));
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
  ctx = stub_init();
  a = vector(1);
  OK(GpuKernel_build(&k, ctx, text, "first"));
  FAILS(GA_VALUE_ERROR, "ga_scalar", LAUNCH(&k, ga_int(NULL, 3)));
  FAILS(GA_VALUE_ERROR, "ga_scalar", LAUNCH(&k, ga_float(NULL, 3)));
  FAILS(GA_VALUE_ERROR, "argument 0", LAUNCH(&k, ARRAY(NULL)));
  FAILS(GA_VALUE_ERROR, "without data", LAUNCH(&k, ARRAY(&none)));
  FAILS(GA_VALUE_ERROR, "made by ga_new()", LAUNCH(&k, ga_new(NULL, &none)));
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
  ctx = stub_init();
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
  gpudata *b;
  gpukernel *k;
  int err = -1;
  unsigned int nargs;
  const int *got_types;
  gpucontext *c;
  size_t size;
  open_stub();
  b = gpudata_alloc(ctx, 16, NULL, 0, &err);
  OK(err);
  s->params = -1;
  k = gpukernel_init(ctx, 1, plain, NULL, "first", 3, types, GA_USE_CUDA | GA_USE_SMALL, &err,
                     NULL);
  OK(err);
  ck_assert_ptr_nonnull(k);
  FAILS(GA_VALUE_ERROR, "argument 2 is 4, not 1 to 3", gpukernel_call(k, 4, grid, block, 0, NULL));
  FAILS(GA_VALUE_ERROR, "argument 0 of kernel first is not set",
        gpukernel_call(k, 3, grid, block, 0, NULL));
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

/* The stub's kernels take any number of pointers. */
START_TEST(declared_types_are_held_against_the_kernel)
{
  const char *plain[] = {text};
  const char *without[] = {"extern \"C\" __global__ void first() {}\n"};
  const int buffers[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER};
  gpukernel *k;
  GpuKernel gk;
  int err = -1;
  open_stub();
  s->params = 2;
  GIVES(NULL, GA_VALUE_ERROR, "gpukernel_init: kernel first takes 2 arguments, got 3", err,
        gpukernel_init(ctx, 1, plain, NULL, "first", 3, types, 0, &err, NULL));
  OK(GpuKernel_init(&gk, ctx, 1, plain, NULL, "first", 0, NULL, 0, NULL));
  FAILS(GA_VALUE_ERROR, "gpukernel_call: kernel first takes 2 arguments, got 0",
        GpuKernel_call(&gk, 1, grid, block, 0, NULL));
  GpuKernel_clear(&gk);
  s->params = 3;
  GIVES(NULL, GA_VALUE_ERROR,
        "argument 2 of kernel second is ga_float (4 bytes), the kernel takes 8 bytes", err,
        gpukernel_init(ctx, 1, plain, NULL, "second", 3, types, 0, &err, NULL));
  k = gpukernel_init(ctx, 1, plain, NULL, "second", 3, buffers, 0, &err, NULL);
  OK(err);
  gpukernel_release(k);
  s->params = 0; /* one without arguments needs no list of types */
  OK(GpuKernel_init(&gk, ctx, 1, without, NULL, "first", 0, NULL, 0, NULL));
  OK(GpuKernel_call(&gk, 1, grid, block, 0, NULL));
  GpuKernel_clear(&gk);
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
  ctx = stub_init();
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
#define REFUSED(code, words_, ...)                               \
  do {                                                           \
    err = GA_NO_ERROR;                                           \
    ck_assert_ptr_null(gpukernel_init(__VA_ARGS__, &err, NULL)); \
    FAILS(code, words_, err);                                    \
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
  static const struct {
    size_t n, gs, ls, want_gs, want_ls;
  } cases_[] = {{0, 0, 0, 1, 32},
                {1, 0, 0, 1, 32},
                {31, 0, 0, 1, 32},
                {33, 0, 0, 2, 32},
                {4224 * 32, 0, 0, 4224, 32},
                {4224 * 32 + 1, 0, 0, 4224, 32},
                {4224 * 64, 0, 0, 4224, 64},
                {100000000, 0, 0, 4224, 512},
                {1000, 10, 0, 10, 96},
                {1000, 0, 64, 16, 64},
                {1000, 3, 64, 3, 64}};
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

static const test_case cases[] = {CASE(arguments_are_packed_as_in_a_struct),
                                  CASE(count_and_sizes_are_checked_where_told),
                                  CASE(bad_arguments_are_refused),
                                  CASE(array_of_another_context_is_refused),
                                  CASE(many_arguments_outgrow_the_stack),
                                  CASE(gpukernel_tells_its_properties),
                                  CASE(declared_types_are_held_against_the_kernel),
                                  CASE(gpukernel_call_packs_declared_types),
                                  CASE(gpukernel_init_checks_its_arguments),
                                  CASE(kernel_outlives_its_context_reference),
                                  CASE(sched_fills_the_grid_first),
                                  CASE(module_gives_kernels_and_globals_that_outlive_it),
                                  CASE(modules_of_one_source_are_loaded_apart),
                                  CASE(options_reach_the_compiler),
                                  CASE_END};

int main(void) { return test_main("rawkernel", cases); }
