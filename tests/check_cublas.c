/* SPDX-License-Identifier: MIT */
/* dot, gemv and gemm of the CUDA device over a stub cuBLAS: operands swapped for
 * rows, transposes, steps, float16, and the functions of 64-bit sizes. */
#include "gpuarray/types.h"
#include "tests/stub.h"

#include <limits.h>

#define B (&ga_cuda_backend)

static gpucontext *ctx;
static stub_state *s;

static void begin(const char *cublas)
{
  char path[4096];
  s = stub_use("libstubcuda");
  setenv("GPUARRAY_CUBLAS", stub_path(path, cublas), 1);
  ctx = stub_context();
}

static void end(void)
{
  B->context_close(ctx);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->wrong_context, 0);
}

static const int types[] = {GA_FLOAT, GA_DOUBLE, GA_HALF};

static size_t elsize(int t) { return t == GA_DOUBLE ? 8 : t == GA_FLOAT ? 4 : 2; }

/* Whole numbers below 2048 as float16, exactly. */
static uint16_t half_of(double v)
{
  uint16_t sign = v < 0 ? 0x8000 : 0;
  unsigned int e = 25;
  double a = v < 0 ? -v : v;
  if (a == 0) return 0;
  while (a < 1024) a *= 2, e--;
  return (uint16_t)(sign | e << 10 | ((unsigned int)a - 1024));
}

static void put(void *p, int t, size_t i, double v)
{
  if (t == GA_FLOAT)
    ((float *)p)[i] = (float)v;
  else if (t == GA_DOUBLE)
    ((double *)p)[i] = v;
  else
    ((uint16_t *)p)[i] = half_of(v);
}

static int same(const void *p, int t, size_t i, double v)
{
  if (t == GA_FLOAT) return ((const float *)p)[i] == (float)v;
  if (t == GA_DOUBLE) return ((const double *)p)[i] == v;
  return ((const uint16_t *)p)[i] == half_of(v);
}

/* A buffer of n small whole numbers, which are left in v. */
static gpudata *filled(int t, size_t n, int seed, double *v)
{
  gpudata *b;
  OK(B->alloc(&b, ctx, n * elsize(t), 0));
  for (size_t i = 0; i < n; i++) {
    v[i] = (double)((i * 7 + (size_t)seed) % 11) - 5;
    put(b->ptr, t, i, v[i]);
  }
  return b;
}

enum { M = 3, N = 4, K = 5, OFF = 2 };

/* Element (i, j) of op(x), which is stored by rows or columns with step ld. */
static size_t at(int order, int trans, size_t i, size_t j, size_t ld)
{
  if (trans) {
    size_t t = i;
    i = j, j = t;
  }
  return OFF + (order == cb_row ? i * ld + j : i + j * ld);
}

START_TEST(gemm_follows_order_transposes_and_steps)
{
  int t = types[_i % 3], order = _i / 3 % 2, ta = _i / 6 % 2, tb = _i / 12 % 2;
  double va[100], vb[100], vc[100];
  begin("libstubcublas");
  gpudata *a = filled(t, 100, 1, va), *b = filled(t, 100, 4, vb), *c = filled(t, 100, 9, vc);
  OK(B->gemm(t, order, ta, tb, M, N, K, 2, a, OFF, 7, b, OFF, 8, -1, c, OFF, 6));
  for (size_t i = 0; i < M; i++)
    for (size_t j = 0; j < N; j++) {
      double sum = 0;
      for (size_t k = 0; k < K; k++) sum += va[at(order, ta, i, k, 7)] * vb[at(order, tb, k, j, 8)];
      vc[at(order, 0, i, j, 6)] = 2 * sum - vc[at(order, 0, i, j, 6)];
    }
  for (size_t i = 0; i < 100; i++) ck_assert_msg(same(c->ptr, t, i, vc[i]), "element %zu", i);
  B->free(a);
  B->free(b);
  B->free(c);
  end();
}
END_TEST

START_TEST(gemv_follows_order_transpose_and_steps)
{
  int t = types[_i % 3], order = _i / 3 % 2, ta = _i / 6 % 2, negative = _i / 12 % 2;
  int incx = 2, incy = negative && t != GA_HALF ? -3 : 3;
  size_t rows = ta ? N : M, cols = ta ? M : N;
  double va[100], vx[100], vy[100];
  begin("libstubcublas");
  gpudata *a = filled(t, 100, 1, va), *x = filled(t, 100, 4, vx), *y = filled(t, 100, 9, vy);
  OK(B->gemv(t, order, ta, M, N, 3, a, OFF, 7, x, OFF, incx, 2, y, OFF, incy));
  for (size_t i = 0; i < rows; i++) {
    size_t to = OFF + 3 * (incy < 0 ? rows - 1 - i : i);
    double sum = 0;
    for (size_t k = 0; k < cols; k++) sum += va[at(order, ta, i, k, 7)] * vx[OFF + 2 * k];
    vy[to] = 3 * sum + 2 * vy[to];
  }
  for (size_t i = 0; i < 100; i++) ck_assert_msg(same(y->ptr, t, i, vy[i]), "element %zu", i);
  if (t == GA_HALF)
    FAILS(GA_UNSUPPORTED_ERROR, "positive",
          B->gemv(t, order, ta, M, N, 3, a, OFF, 7, x, OFF, -1, 2, y, OFF, 1));
  B->free(a);
  B->free(x);
  B->free(y);
  end();
}
END_TEST

START_TEST(dot_follows_steps)
{
  int t = types[_i];
  double vx[100], vy[100], want = 0;
  begin("libstubcublas");
  gpudata *x = filled(t, 100, 1, vx), *y = filled(t, 100, 4, vy);
  for (size_t i = 0; i < 20; i++) want += vx[3 + 2 * i] * vy[1 + 3 * i];
  OK(B->dot(t, 20, x, 3, 2, y, 1, 3, y, 99));
  ck_assert(same(y->ptr, t, 99, want));
  OK(B->dot(t, 0, x, 3, 2, y, 1, 3, y, 98)); /* nothing sums to zero */
  ck_assert(same(y->ptr, t, 98, 0));
  FAILS(GA_INVALID_ERROR, "typecode", B->dot(GA_INT, 20, x, 3, 2, y, 1, 3, y, 99));
  B->free(x);
  B->free(y);
  end();
}
END_TEST

START_TEST(empty_products_touch_nothing_or_scale)
{
  double va[20], vc[20];
  begin("libstubcublas");
  gpudata *a = filled(GA_FLOAT, 20, 1, va), *c = filled(GA_FLOAT, 20, 9, vc);
  OK(B->gemm(GA_FLOAT, cb_row, 0, 0, 0, 3, 4, 1, a, 0, 4, a, 0, 3, 2, c, 0, 3));
  for (size_t i = 0; i < 20; i++) ck_assert(same(c->ptr, GA_FLOAT, i, vc[i]));
  OK(B->gemm(GA_FLOAT, cb_row, 0, 0, 2, 3, 0, 1, a, 0, 1, a, 0, 3, 2, c, 0, 3));
  for (size_t i = 0; i < 6; i++) ck_assert(same(c->ptr, GA_FLOAT, i, 2 * vc[i]));
  B->free(a);
  B->free(c);
  end();
}
END_TEST

START_TEST(huge_steps_take_the_wide_functions)
{
  double va[8], vx[8];
  char path[4096];
  begin(_i ? "libstubcublas_old" : "libstubcublas");
  gpudata *a = filled(GA_DOUBLE, 8, 1, va), *x = filled(GA_DOUBLE, 8, 2, vx);
  size_t huge = (size_t)INT_MAX + 10; /* steps of extents of 1 are never taken */
  int codes[3] = {
      B->gemm(GA_DOUBLE, cb_row, 0, 0, 1, 1, 1, 1, a, 0, huge, x, 0, huge, 0, x, 7, huge),
      B->gemv(GA_DOUBLE, cb_row, 0, 1, 1, 1, a, 0, huge, x, 0, 1, 0, x, 6, 1),
      B->dot(GA_DOUBLE, 1, a, 0, huge, x, 0, 1, x, 5)};
  if (_i) {
    for (int i = 0; i < 3; i++) ck_assert_int_eq(codes[i], GA_XLARGE_ERROR);
  } else {
    void *lib = dlopen(stub_path(path, "libstubcublas"), RTLD_NOW | RTLD_NOLOAD);
    ck_assert_ptr_nonnull(lib);
    int (*wide)(void) = (int (*)(void))dlsym(lib, "stub_cublas_wide");
    for (int i = 0; i < 3; i++) ck_assert_int_eq(codes[i], GA_NO_ERROR);
    ck_assert_int_eq(wide(), 3);
    for (size_t i = 5; i < 8; i++) ck_assert(same(x->ptr, GA_DOUBLE, i, va[0] * vx[0]));
  }
  B->free(a);
  B->free(x);
  end();
}
END_TEST

START_TEST(missing_library_and_bad_calls_are_told)
{
  double va[20];
  begin("nowhere");
  gpudata *a = filled(GA_FLOAT, 20, 1, va);
  FAILS(GA_UNSUPPORTED_ERROR, "nowhere.so", B->blas_setup(ctx));
  FAILS(GA_UNSUPPORTED_ERROR, "nowhere.so", B->dot(GA_FLOAT, 2, a, 0, 1, a, 0, 1, a, 9));
  B->free(a);
  end();
  begin("libstubcublas");
  a = filled(GA_FLOAT, 20, 1, va);
  OK(B->blas_setup(ctx));
  OK(B->blas_setup(ctx));
  FAILS(GA_BLAS_ERROR, "status 7",
        B->gemm(GA_FLOAT, cb_row, 0, 0, 2, 2, 2, 1, a, 0, 1, a, 0, 2, 0, a, 8, 2));
  OK(B->gemm(GA_FLOAT, cb_row, 0, 0, 2, 2, 2, 1, a, 0, 2, a, 0, 2, 0, a, 8, 2));
  B->free(a);
  end();
}
END_TEST

static const test_case cases[] = {CASE_LOOP(gemm_follows_order_transposes_and_steps, 24),
                                  CASE_LOOP(gemv_follows_order_transpose_and_steps, 24),
                                  CASE_LOOP(dot_follows_steps, 3),
                                  CASE(empty_products_touch_nothing_or_scale),
                                  CASE_LOOP(huge_steps_take_the_wide_functions, 2),
                                  CASE(missing_library_and_bad_calls_are_told),
                                  CASE_END};

int main(void) { return test_main("cublas", cases); }
