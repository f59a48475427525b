/* SPDX-License-Identifier: MIT */
/* What was wrong in the library whose interface this one keeps, number by number:
 * each test fails on the old behaviour. Those of devices run over the stub driver.
 * Others stand where their subject is: d16 in check_extension, d18 in check_cuda, d22
 * in check_cache_shared, d27 in check_nomem_calls. */
#include <math.h>
#include <pthread.h>

#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/arg.h"
#include "gpuarray/blas.h"
#include "gpuarray/elemwise.h"
#include "gpuarray/kernel.h"
#include "gpuarray/ops.h"

static gpucontext *ctx;

static GpuArray ints(size_t n)
{
  GpuArray a = {0};
  OK(GpuArray_arange(&a, ctx, GA_INT, 0, (double)n, 1));
  return a;
}

/* 1, 2, 3. Three elements, three billion bytes apart: few, but far. */
START_TEST(d01_d02_d03_offsets_past_4_gib_are_right)
{
  const size_t far = (size_t)3 << 30;
  const ssize_t step = (ssize_t)far;
  size_t three = 3;
  int32_t x[3] = {7, 8, 9}, got[3], index[2] = {2, -2};
  gpuelemwise_arg args[2] = {{"a", GA_INT, GE_READ}, {"r", GA_INT, GE_WRITE}};
  GpuArray a = {0}, r = {0}, i = {0}, t = {0}, sum = {0};
  GpuElemwise *ge;
  gpudata *b;
  int err;
  if (!test_on_cpu()) return; /* its memory is taken when it is touched */
  ctx = test_context();
  b = gpudata_alloc(ctx, 2 * far + 4, NULL, 0, &err);
  if (b != NULL) {
    void *both[2] = {&a, &r};
    for (size_t k = 0; k < 3; k++) OK(gpudata_write(b, k * far, &x[k], 4));
    OK(GpuArray_fromdata(&a, b, 0, GA_INT, 1, &three, &step, 1));
    OK(GpuArray_copy(&r, &a, GA_C_ORDER));
    OK(GpuArray_read(got, sizeof got, &r));
    ck_assert_mem_eq(got, x, sizeof x);
    OK(GpuArray_sum(&sum, &a));
    OK(GpuArray_tohost(got, 4, GA_INT, &sum));
    ck_assert_int_eq(got[0], 24);
    GpuArray_clear(&sum);
    OK(GpuArray_memset(&r, 0));
    ge = GpuElemwise_new(ctx, NULL, "r = a", 2, args, 1, 0);
    if (ge != NULL) {
      OK(GpuElemwise_call(ge, both, 0));
      OK(GpuArray_read(got, sizeof got, &r));
      ck_assert_mem_eq(got, x, sizeof x);
      GpuElemwise_free(ge);
      ge = GpuElemwise_new(ctx, NULL, "r = a", 2, args, 1, GE_NOADDR64);
      FAILS(GA_XLARGE_ERROR, "64-bit", GpuElemwise_call(ge, both, 0));
      GpuElemwise_free(ge);
    }
    OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(2), index));
    OK(GpuArray_empty(&t, ctx, GA_INT, GA_DIMS(2), GA_C_ORDER));
    OK(GpuArray_take1(&t, &a, &i, 1));
    OK(GpuArray_read(got, 8, &t));
    ck_assert_int_eq(got[0], 9);
    ck_assert_int_eq(got[1], 8);
    GpuArray_clear(&a);
    GpuArray_clear(&r);
    GpuArray_clear(&i);
    GpuArray_clear(&t);
    gpudata_release(b);
  }
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d04_memset_of_a_view_stays_in_it)
{
  int32_t got[8];
  ctx = test_context();
  GpuArray a = ints(8), v = {0};
  OK(GpuArray_slice(&v, &a, "2:4"));
  OK(GpuArray_memset(&v, 0));
  OK(GpuArray_read(got, sizeof got, &a));
  for (int k = 0; k < 8; k++) ck_assert_int_eq(got[k], k == 2 || k == 3 ? 0 : k);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d05_dot_of_two_types_fails)
{
  GpuArray x = {0}, y = {0}, z = {0};
  ctx = test_context();
  OK(GpuArray_zeros(&x, ctx, GA_FLOAT, GA_DIMS(3), GA_C_ORDER));
  OK(GpuArray_zeros(&y, ctx, GA_DOUBLE, GA_DIMS(3), GA_C_ORDER));
  OK(GpuArray_zeros(&z, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "typecode", GpuArray_rdot(&x, &y, &z, 0));
  ck_assert_str_eq(GpuArray_error(&x, GA_VALUE_ERROR), gpuarray_error_message());
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  GpuArray_clear(&z);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d06_d26_elemwise_checks_its_arrays)
{
  gpuelemwise_arg args[2] = {{"a", GA_UINT, GE_READ}, {"r", GA_INT, GE_WRITE}};
  GpuElemwise *ge;
  ctx = test_context();
  GpuArray a = {0}, f = {0}, r = ints(3);
  void *both[2] = {&f, &r};
  OK(GpuArray_zeros(&a, ctx, GA_UINT, GA_DIMS(2, 3), GA_C_ORDER));
  OK(GpuArray_zeros(&f, ctx, GA_FLOAT, GA_DIMS(3), GA_C_ORDER));
  ge = GpuElemwise_new(ctx, NULL, "r = a", 2, args, 1, 0);
  if (ge != NULL) {
    FAILS(GA_VALUE_ERROR, "typecode", GpuElemwise_call(ge, both, 0));
    both[0] = &a; /* of more axes than the output */
    FAILS(GA_VALUE_ERROR, "shape", GpuElemwise_call(ge, both, GE_PADSHAPE));
    r.flags &= ~GA_WRITEABLE;
    FAILS(GA_VALUE_ERROR, "read-only", GpuElemwise_call(ge, both, GE_PADSHAPE));
  }
  GpuElemwise_free(ge);
  GpuArray_clear(&a);
  GpuArray_clear(&f);
  GpuArray_clear(&r);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d07_unchecked_take_leaves_no_mark)
{
  int32_t bad[2] = {0, 99}, good[2] = {0, 1};
  ctx = test_context();
  GpuArray v = ints(4), a = ints(2), i = {0};
  OK(GpuArray_fromhost(&i, ctx, GA_INT, GA_DIMS(2), bad));
  OK(GpuArray_take1(&a, &v, &i, 0));
  OK(GpuArray_write(&i, good, sizeof good));
  OK(GpuArray_take1(&a, &v, &i, 1));
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  GpuArray_clear(&i);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d08_transpose_refuses_axes_that_are_not_there)
{
  unsigned int axes[2] = {0, 7};
  GpuArray a = {0};
  ctx = test_context();
  OK(GpuArray_zeros(&a, ctx, GA_INT, GA_DIMS(2, 3), GA_C_ORDER));
  FAILS(GA_VALUE_ERROR, "7", GpuArray_transpose_inplace(&a, axes));
  ck_assert_uint_eq(a.dimensions[1], 3);
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

/* 9. Every batch is done, and row-major matrices need not be square. */
START_TEST(d09_gemv_batches_beyond_65535_are_done)
{
  enum { N = 65537 };
  static gpudata *pa[N], *px[N], *py[N];
  static size_t zero[N], at[N];
  float a[6] = {1, 2, 3, 4, 5, 6}, x[3] = {1, 10, 100}, got[2];
  int err;
  ctx = test_context();
  if (gpublas_setup(ctx) == GA_NO_ERROR) {
    gpudata *ba = gpudata_alloc(ctx, sizeof a, a, GA_BUFFER_INIT, &err);
    gpudata *bx = gpudata_alloc(ctx, sizeof x, x, GA_BUFFER_INIT, &err);
    gpudata *by = gpudata_alloc(ctx, N * 8, NULL, 0, &err);
    ck_assert(ba != NULL && bx != NULL && by != NULL);
    for (size_t k = 0; k < N; k++) {
      pa[k] = ba, px[k] = bx, py[k] = by;
      at[k] = 8 * k;
    }
    OK(gpublas_sgemvBatch(cb_row, cb_no_trans, 2, 3, 1, pa, zero, 3, px, zero, 1, 0, py, at, 1, N,
                          0));
    OK(gpudata_read(got, by, 8 * (N - 1), sizeof got));
    ck_assert_float_eq(got[0], 321);
    ck_assert_float_eq(got[1], 654);
    gpudata_release(ba);
    gpudata_release(bx);
    gpudata_release(by);
  }
  gpublas_teardown(ctx);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d10_argmax_sees_nan_and_empty_axes)
{
  float x[4] = {1, NAN, 3, 2}, max;
  int64_t where;
  unsigned int axis = 0;
  GpuArray s = {0}, none = {0}, m = {0}, i = {0};
  ctx = test_context();
  OK(GpuArray_fromhost(&s, ctx, GA_FLOAT, GA_DIMS(4), x));
  OK(GpuArray_zeros(&m, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&i, ctx, GA_LONG, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&none, ctx, GA_FLOAT, GA_DIMS(0), GA_C_ORDER));
  OK(GpuArray_maxandargmax(&m, &i, &s, 1, &axis));
  OK(GpuArray_read(&max, sizeof max, &m));
  OK(GpuArray_read(&where, sizeof where, &i));
  ck_assert(isnan(max) && where == 1);
  FAILS(GA_VALUE_ERROR, "no elements", GpuArray_maxandargmax(&m, &i, &none, 1, &axis));
  GpuArray_clear(&s);
  GpuArray_clear(&none);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  gpucontext_deref(ctx);
}
END_TEST

/* 12. 4096 ones added in float16 would stay at 2048. */
START_TEST(d12_half_batches_add_in_float32)
{
  enum { K = 4096 };
  static ga_half_t ones[K];
  ga_half_t got;
  int err;
  ctx = test_context();
  for (int k = 0; k < K; k++) ones[k] = ga_float2half(1);
  if (gpublas_setup(ctx) == GA_NO_ERROR) {
    gpudata *a = gpudata_alloc(ctx, sizeof ones, ones, GA_BUFFER_INIT, &err);
    gpudata *c = gpudata_alloc(ctx, 2, NULL, 0, &err);
    OK(gpublas_hgemm3D(cb_row, cb_no_trans, cb_trans, 1, 1, K, 1, a, 0, K, 0, a, 0, K, 0, 0, c, 0,
                       1, 0, 1, 0));
    OK(gpudata_read(&got, c, 0, 2));
    ck_assert_uint_eq(got.h, ga_float2half(K).h);
    gpudata_release(a);
    gpudata_release(c);
  }
  gpucontext_deref(ctx);
}
END_TEST

static const char source[] = "extern \"C\" __global__ void k(int a, int b) {}\n";

/* The stub must not tell parameters, which are pointers. */
static gpukernel *kernel(unsigned int nargs)
{
  const char *text = source;
  int types[2] = {GA_INT, GA_INT}, err;
  gpukernel *k = gpukernel_init(ctx, 1, &text, NULL, "k", nargs, types, GA_USE_CUDA, &err, NULL);
  ck_assert_msg(k != NULL, "%s", gpuarray_error_message());
  return k;
}

/* 13, 14. The context is left as it was found, and goes with its last kernel. */
START_TEST(d13_d14_cached_kernels_hold_nothing)
{
  stub_state *s = stub_use("libstubcuda");
  gpukernel *one, *two;
  s->params = -1;
  ctx = stub_context();
  one = kernel(2);
  two = kernel(2);
  ck_assert_int_eq(s->depth, 0);
  gpukernel_release(one);
  gpukernel_release(two);
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

/* 11. What a kernel reads is not overwritten before it has: with another copy between,
 * small or large, all goes down one stream. */
START_TEST(d11_copies_are_ordered_behind_kernels)
{
  const size_t sizes[2] = {64, (size_t)20 << 20};
  stub_state *s = stub_use("libstubcuda");
  size_t n = sizes[_i], one = 1;
  char *host = calloc(1, n);
  gpukernel *k;
  gpudata *b;
  int x = 1, err;
  void *args[2] = {&x, &x};
  s->params = -1;
  ctx = stub_context();
  k = kernel(2);
  b = gpudata_alloc(ctx, n, NULL, 0, &err);
  OK(gpukernel_call(k, 1, &one, &one, 0, args));
  ck_assert_ptr_nonnull(s->launch_stream);
  OK(gpudata_read(host, b, 0, n));
  OK(gpudata_write(b, 0, host, n));
  OK(gpudata_memset(b, 0, 1));
  ck_assert_int_eq(s->strays, 0);
  gpudata_release(b);
  gpukernel_release(k);
  gpucontext_deref(ctx);
  free(host);
}
END_TEST

START_TEST(d15_kernels_of_one_text_have_their_own_arguments)
{
  unsigned int n = 0;
  int x = 1;
  stub_use("libstubcuda")->params = -1;
  ctx = stub_context();
  gpukernel *one = kernel(1), *two = kernel(2);
  GpuKernel k = {two, NULL};
  OK(gpukernel_property(two, GA_KERNEL_PROP_NUMARGS, &n));
  ck_assert_uint_eq(n, 2);
  FAILS(GA_VALUE_ERROR, "no argument 1", gpukernel_setarg(one, 1, &x));
  OK(gpukernel_setarg(two, 1, &x));
  ck_assert_str_eq(GpuKernel_error(&k, GA_VALUE_ERROR), gpuarray_error_message());
  gpukernel_release(one);
  gpukernel_release(two);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(d17_memory_without_a_cache_is_given_back)
{
  stub_state *s = stub_use("libstubcuda");
  gpucontext_props *p;
  int err;
  OK(gpucontext_props_new(&p));
  OK(gpucontext_props_alloc_cache(p, 0, 0));
  OK(gpucontext_init(&ctx, "cuda", p));
  gpudata_release(gpudata_alloc(ctx, 1000, NULL, 0, &err));
  ck_assert_int_eq(s->blocks, 0);
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->wrong_context, 0);
  ck_assert_int_eq(s->bad_frees, 0);
}
END_TEST

START_TEST(d19_unknown_devices_are_refused)
{
  ctx = (gpucontext *)&ctx;
  FAILS(GA_INVALID_ERROR, "nothing", gpucontext_init(&ctx, "nothing", NULL));
  ck_assert_ptr_null(ctx);
}
END_TEST

START_TEST(d20_types_without_alignment_make_arrays)
{
  static gpuarray_type type = {"three", 3, 0, 0};
  GpuArray a = {0};
  int err, code = gpuarray_register_type(&type, &err);
  ctx = test_context();
  OK(err);
  OK(GpuArray_empty(&a, ctx, code, GA_DIMS(5), GA_C_ORDER));
  GpuArray_fix_flags(&a);
  ck_assert(GpuArray_ISALIGNED(&a));
  GpuArray_clear(&a);
  OK(GpuArray_empty(&a, ctx, GA_FLOAT4, GA_DIMS(5), GA_C_ORDER));
  GpuArray_fix_flags(&a);
  ck_assert(GpuArray_ISALIGNED(&a));
  GpuArray_clear(&a);
  gpucontext_deref(ctx);
}
END_TEST

static int stub_blas(const char *what, int arg)
{
  char path[4096];
  void *lib = dlopen(stub_path(path, "libstubcublas"), RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(lib != NULL, "%s", dlerror());
  return ((int (*)(int))dlsym(lib, what))(arg);
}

static void open_blas(stub_state **s)
{
  char path[4096];
  *s = stub_use("libstubcuda");
  ck_assert(setenv("GPUARRAY_CUBLAS", stub_path(path, "libstubcublas"), 1) == 0);
  ctx = stub_context();
  OK(gpublas_setup(ctx));
}

static void *many_products(void *arg)
{
  enum { MANY = 200000 };
  gpudata *b = arg, **p = calloc(MANY, sizeof *p);
  size_t *off = calloc(MANY, sizeof *off);
  int err;
  for (size_t i = 0; i < MANY; i++) p[i] = b;
  err = gpublas_sgemmBatch(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, p, off, 1, p, off, 1, 1, p,
                           off, 1, MANY, 0);
  free(p);
  free(off);
  return err == GA_NO_ERROR ? b : NULL;
}

/* 21. maxandargmax keeps no kernel, a batch that fails leaves the caller's context as it
 * was, and a long one fits a small stack. */
START_TEST(d21_reductions_and_batches_leave_nothing)
{
  unsigned int axis = 0;
  stub_state *s;
  GpuArray a = {0}, m = {0}, i = {0};
  size_t zero = 0;
  pthread_attr_t small;
  pthread_t t;
  void *done = NULL;
  open_blas(&s);
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, GA_DIMS(9), GA_C_ORDER));
  OK(GpuArray_zeros(&m, ctx, GA_FLOAT, GA_DIMS(), GA_C_ORDER));
  OK(GpuArray_zeros(&i, ctx, GA_LONG, GA_DIMS(), GA_C_ORDER));
  for (int k = 0; k < 3; k++) OK(GpuArray_maxandargmax(&m, &i, &a, 1, &axis));
  ck_assert_int_eq(s->modules, 1);
  stub_blas("stub_cublas_fail", 14);
  FAILS(GA_BLAS_ERROR, "14",
        gpublas_sgemmBatch(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, &a.data, &zero, 1, &a.data,
                           &zero, 1, 0, &m.data, &zero, 1, 1, 0));
  ck_assert_int_eq(s->depth, 0);
  stub_blas("stub_cublas_fail", 0);
  ck_assert_int_eq(pthread_attr_init(&small), 0);
  ck_assert_int_eq(pthread_attr_setstacksize(&small, 256 << 10), 0);
  ck_assert_int_eq(pthread_create(&t, &small, many_products, a.data), 0);
  ck_assert_int_eq(pthread_join(t, &done), 0);
  ck_assert_ptr_nonnull(done);
  GpuArray_clear(&a);
  GpuArray_clear(&m);
  GpuArray_clear(&i);
  gpucontext_deref(ctx);
  ck_assert_int_eq(s->modules, 0);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

/* 23. One reference less does not take the others' BLAS away. */
START_TEST(d23_blas_stays_while_the_context_does)
{
  stub_state *s;
  float two = 2, got = 0;
  gpudata *b, *r;
  int err;
  open_blas(&s);
  b = gpudata_alloc(ctx, sizeof two, &two, GA_BUFFER_INIT, &err);
  r = gpudata_alloc(ctx, sizeof two, NULL, 0, &err);
  gpucontext_deref(ctx); /* the buffers hold it */
  ck_assert_int_eq(stub_blas("stub_cublas_handles", 0), 1);
  OK(gpublas_sdot(1, b, 0, 1, b, 0, 1, r, 0));
  OK(gpudata_read(&got, r, 0, sizeof got));
  ck_assert_float_eq(got, 4);
  ck_assert_int_eq(stub_blas("stub_cublas_made", 0), 1);
  gpudata_release(b);
  gpudata_release(r);
  ck_assert_int_eq(stub_blas("stub_cublas_handles", 0), 0);
  ck_assert_int_eq(s->retained, 0);
}
END_TEST

START_TEST(d24_negative_typecodes_are_unknown)
{
  ck_assert_uint_eq(gpuarray_get_elsize(-2), 0);
  ck_assert_int_eq(gpuarray_get_type(-1000000)->typecode, -1);
}
END_TEST

START_TEST(d25_architectures_of_three_digits_are_whole)
{
  const char *id = NULL;
  stub_use("libstubcuda")->cc = 103;
  ctx = stub_context();
  OK(gpucontext_property(ctx, GA_CTX_PROP_BIN_ID, &id));
  ck_assert_str_eq(id, "sm_103");
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(d01_d02_d03_offsets_past_4_gib_are_right),
                                  CASE(d04_memset_of_a_view_stays_in_it),
                                  CASE(d05_dot_of_two_types_fails),
                                  CASE(d06_d26_elemwise_checks_its_arrays),
                                  CASE(d07_unchecked_take_leaves_no_mark),
                                  CASE(d08_transpose_refuses_axes_that_are_not_there),
                                  CASE(d09_gemv_batches_beyond_65535_are_done),
                                  CASE(d10_argmax_sees_nan_and_empty_axes),
                                  CASE(d12_half_batches_add_in_float32),
                                  CASE(d13_d14_cached_kernels_hold_nothing),
                                  CASE_LOOP(d11_copies_are_ordered_behind_kernels, 2),
                                  CASE(d15_kernels_of_one_text_have_their_own_arguments),
                                  CASE(d17_memory_without_a_cache_is_given_back),
                                  CASE(d19_unknown_devices_are_refused),
                                  CASE(d20_types_without_alignment_make_arrays),
                                  CASE(d21_reductions_and_batches_leave_nothing),
                                  CASE(d23_blas_stays_while_the_context_does),
                                  CASE(d24_negative_typecodes_are_unknown),
                                  CASE(d25_architectures_of_three_digits_are_whole),
                                  CASE_END};

int main(void) { return test_main("defects", cases); }
