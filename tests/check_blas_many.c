/* SPDX-License-Identifier: MIT */
/* Outer products, batches and float16 on buffers, against loops in C: on the
 * device under test, and on the CUDA device over a stub of cuBLAS. The values are
 * small whole numbers, so that every sum is exact in every type. */
#include "tests/device.h"
#include "tests/stub.h"

#include "gpuarray/arg.h"
#include "gpuarray/blas.h"
#include "gpuarray/ops.h"

enum { M = 7, N = 5, K = 9, BATCH = 4, MOST = 512 };

static gpucontext *ctx;

/* 0: the device under test, 1: the stub. 0 when there is no BLAS. */
static int open_device(int stub)
{
  char path[4096];
  int err;
  if (stub) {
    stub_use("libstubcuda");
    ck_assert(setenv("GPUARRAY_CUBLAS", stub_path(path, "libstubcublas"), 1) == 0);
    ctx = stub_context();
  } else {
    ctx = test_context();
  }
  err = gpublas_setup(ctx);
  if (err != GA_NO_ERROR) {
    const char *strict = getenv("GA_TEST_STRICT");
    ck_assert_int_eq(err, GA_UNSUPPORTED_ERROR);
    ck_assert_msg(strict == NULL || strcmp(strict, "1") != 0, "%s", gpuarray_error_message());
    gpucontext_deref(ctx);
  }
  return err == GA_NO_ERROR;
}

static const int types[3] = {GA_HALF, GA_FLOAT, GA_DOUBLE};

static void put(void *p, int type, size_t i, double x)
{
  if (type == GA_DOUBLE) ((double *)p)[i] = x;
  if (type == GA_FLOAT) ((float *)p)[i] = (float)x;
  if (type == GA_HALF) ((ga_half_t *)p)[i] = ga_float2half((float)x);
}

static double get(const void *p, int type, size_t i)
{
  if (type == GA_DOUBLE) return ((const double *)p)[i];
  if (type == GA_FLOAT) return ((const float *)p)[i];
  uint16_t h = ((const ga_half_t *)p)[i].h;
  unsigned int e = h >> 10 & 31, m = h & 1023;
  double f = e == 0 ? 0 : (1024.0 + m) * (double)((uint64_t)1 << e) / (double)((uint64_t)1 << 25);
  return h & 0x8000 ? -f : f;
}

typedef struct side {
  double v[MOST];
  gpudata *b;
} side;

static void fill(side *s, int type, int seed)
{
  double bytes[MOST];
  int err;
  for (size_t i = 0; i < MOST; i++) {
    s->v[i] = (double)(((size_t)seed + i) * 7 % 13) - 6;
    put(bytes, type, i, s->v[i]);
  }
  s->b = gpudata_alloc(ctx, MOST * gpuarray_get_elsize(type), bytes, GA_BUFFER_INIT, &err);
  ck_assert_msg(s->b != NULL, "%s", gpuarray_error_message());
}

static void expect(side *s, int type, const char *what)
{
  double bytes[MOST];
  OK(gpudata_read(bytes, s->b, 0, MOST * gpuarray_get_elsize(type)));
  for (size_t i = 0; i < MOST; i++)
    ck_assert_msg(get(bytes, type, i) == s->v[i], "%s type %d element %zu: %g, expected %g", what,
                  type, i, get(bytes, type, i), s->v[i]);
}

static void release(side *s) { gpudata_release(s->b); }

/* Where element (i, j) of a matrix with leading dimension ld is. */
static size_t at(cb_order order, size_t i, size_t j, size_t ld)
{
  return order == cb_row ? i * ld + j : j * ld + i;
}

static void ref_gemm(cb_order o, cb_transpose ta, cb_transpose tb, size_t m, size_t n, size_t k,
                     double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                     double beta, double *c, size_t ldc)
{
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0, *r = &c[at(o, i, j, ldc)];
      for (size_t l = 0; l < k; l++)
        s += a[ta ? at(o, l, i, lda) : at(o, i, l, lda)] *
             b[tb ? at(o, j, l, ldb) : at(o, l, j, ldb)];
      *r = alpha * s + beta * *r;
    }
}

#define BY_TYPE(type, name, ...)                       \
  ((type) == GA_HALF    ? gpublas_h##name(__VA_ARGS__) \
   : (type) == GA_FLOAT ? gpublas_s##name(__VA_ARGS__) \
                        : gpublas_d##name(__VA_ARGS__))

START_TEST(batched_products_match_loops)
{
  if (!open_device(_i)) return;
  for (int c = 0; c < 3 * 2 * 2 * 2 * 2; c++) {
    int type = types[c % 3];
    cb_order o = c / 3 % 2 ? cb_row : cb_column;
    cb_transpose ta = c / 6 % 2 ? cb_trans : cb_no_trans, tb = c / 12 % 2 ? cb_trans : cb_no_trans;
    int pointers = c / 24;
    size_t offa[BATCH], offb[BATCH], offc[BATCH];
    side a, b, r;
    fill(&a, type, c);
    fill(&b, type, c + 1);
    fill(&r, type, c + 2);
    for (size_t i = 0; i < BATCH; i++) {
      offa[i] = 3 + 100 * i;
      offb[i] = 400 - 100 * i; /* a step of -100 */
      offc[i] = 7 + 100 * i;
      ref_gemm(o, ta, tb, M, N, K, 2, a.v + offa[i], K + 1, b.v + offb[i], K + 1, -1, r.v + offc[i],
               M + 2);
    }
    if (pointers) {
      gpudata *pa[BATCH] = {a.b, a.b, a.b, a.b}, *pb[BATCH] = {b.b, b.b, b.b, b.b},
              *pc[BATCH] = {r.b, r.b, r.b, r.b};
      OK(BY_TYPE(type, gemmBatch, o, ta, tb, M, N, K, 2, pa, offa, K + 1, pb, offb, K + 1, -1, pc,
                 offc, M + 2, BATCH, 0));
    } else {
      OK(BY_TYPE(type, gemm3D, o, ta, tb, M, N, K, 2, a.b, offa[0], K + 1, 100, b.b, offb[0], K + 1,
                 -100, -1, r.b, offc[0], M + 2, 100, BATCH, 0));
    }
    expect(&r, type, pointers ? "gemmBatch" : "gemm3D");
    release(&a);
    release(&b);
    release(&r);
  }
  gpucontext_deref(ctx);
}
END_TEST

/* Row-major matrices that are not square, and offsets in bytes, too. */
START_TEST(batched_vectors_match_loops)
{
  if (!open_device(_i)) return;
  for (int c = 0; c < 3 * 2 * 2 * 2; c++) {
    int type = types[c % 3];
    cb_order o = c / 3 % 2 ? cb_row : cb_column;
    cb_transpose ta = c / 6 % 2 ? cb_trans : cb_no_trans;
    size_t incx = c / 12 ? 2 : 1, incy = c / 12 ? 3 : 1, size = gpuarray_get_elsize(type);
    size_t nx = ta ? M : N, ny = ta ? N : M, off[3][BATCH];
    side a, x, y;
    gpudata *pa[BATCH], *px[BATCH], *py[BATCH];
    fill(&a, type, c);
    fill(&x, type, c + 1);
    fill(&y, type, c + 2);
    for (size_t i = 0; i < BATCH; i++) {
      const double *A = a.v + 1 + 100 * i;
      for (size_t j = 0; j < ny; j++) {
        double s = 0;
        for (size_t l = 0; l < nx; l++)
          s += (ta ? A[at(o, l, j, 8)] : A[at(o, j, l, 8)]) * x.v[100 * i + l * incx];
        y.v[5 + 100 * i + j * incy] = 2 * s - y.v[5 + 100 * i + j * incy];
      }
      off[0][i] = (1 + 100 * i) * size;
      off[1][i] = 100 * i * size;
      off[2][i] = (5 + 100 * i) * size;
      pa[i] = a.b;
      px[i] = x.b;
      py[i] = y.b;
    }
    OK(BY_TYPE(type, gemvBatch, o, ta, M, N, 2, pa, off[0], 8, px, off[1], incx, -1, py, off[2],
               incy, BATCH, 0));
    expect(&y, type, "gemvBatch");
    /* a += 3 x y': x of M elements, y of N. */
    for (size_t i = 0; i < BATCH; i++)
      for (size_t j = 0; j < M; j++)
        for (size_t l = 0; l < N; l++)
          a.v[1 + 100 * i + at(o, j, l, 8)] +=
              x.v[100 * i + j * incx] * x.v[3 + 100 * i + l * incy];
    for (size_t i = 0; i < BATCH; i++) off[2][i] = (3 + 100 * i) * size;
    OK(BY_TYPE(type, gerBatch, o, M, N, 1, px, off[1], incx, px, off[2], incy, pa, off[0], 8, BATCH,
               0));
    expect(&a, type, "gerBatch");
    release(&a);
    release(&x);
    release(&y);
  }
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(outer_products_and_half_match_loops)
{
  if (!open_device(_i)) return;
  for (int c = 0; c < 3 * 2 * 3; c++) {
    int type = types[c % 3], incx = c / 6 == 1 && !_i ? -2 : 1 + c / 6, incy = c / 6 == 2 ? 3 : 1;
    cb_order o = c / 3 % 2 ? cb_row : cb_column;
    size_t step = (size_t)(incx < 0 ? -incx : incx), s;
    side a, x, y;
    fill(&a, type, c);
    fill(&x, type, c + 1);
    fill(&y, type, c + 2);
    for (size_t i = 0; i < M; i++)
      for (size_t j = 0; j < N; j++)
        a.v[2 + at(o, i, j, 8)] +=
            2 * x.v[1 + (incx < 0 ? M - 1 - i : i) * step] * y.v[j * (size_t)incy];
    OK(BY_TYPE(type, ger, o, M, N, 2, x.b, 1, incx, y.b, 0, incy, a.b, 2, 8));
    expect(&a, type, "ger");
    /* dot, gemv, gemm of the same type */
    y.v[400] = 0;
    for (s = 0; s < 21; s++) y.v[400] += x.v[s * 2] * x.v[s];
    OK(BY_TYPE(type, dot, 21, x.b, 0, 2, x.b, 0, 1, y.b, 400));
    for (size_t i = 0; i < M; i++) {
      double sum = 0;
      for (size_t j = 0; j < N; j++) sum += x.v[at(o, i, j, 8)] * x.v[100 + j];
      y.v[300 + i * 2] = sum + 2 * y.v[300 + i * 2];
    }
    OK(BY_TYPE(type, gemv, o, cb_no_trans, M, N, 1, x.b, 0, 8, x.b, 100, 1, 2, y.b, 300, 2));
    ref_gemm(o, cb_trans, cb_no_trans, M, N, K, 1, x.v, 10, x.v + 100, 10, 0, y.v + 100, 8);
    OK(BY_TYPE(type, gemm, o, cb_trans, cb_no_trans, M, N, K, 1, x.b, 0, 10, x.b, 100, 10, 0, y.b,
               100, 8));
    expect(&y, type, "dot, gemv, gemm");
    release(&a);
    release(&x);
    release(&y);
  }
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(batches_refuse_what_does_not_fit)
{
  side a;
  gpudata *p[2], *null[2] = {NULL, NULL};
  size_t off[2] = {0, 100}, far[2] = {0, MOST}, odd[2] = {0, 3};
  if (!open_device(_i)) return;
  fill(&a, GA_FLOAT, 0);
  p[0] = p[1] = a.b;
#define GEMM_OF(pa, oa, ld, n, flags)                                                           \
  gpublas_sgemmBatch(cb_row, cb_no_trans, cb_no_trans, 2, 2, 2, 1, pa, oa, ld, p, off, 2, 0, p, \
                     off, 2, n, flags)
  FAILS(GA_INVALID_ERROR, "flags", GEMM_OF(p, off, 2, 2, 1));
  FAILS(GA_VALUE_ERROR, "NULL", GEMM_OF(null, off, 2, 2, 0));
  FAILS(GA_VALUE_ERROR, "list", GEMM_OF(NULL, off, 2, 2, 0));
  FAILS(GA_VALUE_ERROR, "leading dimension", GEMM_OF(p, off, 1, 2, 0));
  FAILS(GA_VALUE_ERROR, "buffer", GEMM_OF(p, far, 2, 2, 0));
  OK(GEMM_OF(NULL, NULL, 0, 0, 0));
  FAILS(GA_INVALID_ERROR, "flags",
        gpublas_dgemm3D(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, a.b, 0, 1, 1, a.b, 0, 1, 1, 0,
                        a.b, 0, 1, 1, 1, 2));
  FAILS(GA_VALUE_ERROR, "leave its buffer",
        gpublas_sgemm3D(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, a.b, 0, 1, -1, a.b, 0, 1, 1,
                        0, a.b, 0, 1, 1, 2, 0));
  FAILS(GA_VALUE_ERROR, "buffer",
        gpublas_sgemm3D(cb_row, cb_no_trans, cb_no_trans, 1, 1, 1, 1, a.b, 0, 1, MOST, a.b, 0, 1, 1,
                        0, a.b, 0, 1, 1, 2, 0));
  FAILS(GA_UNALIGNED_ERROR, "3 bytes",
        gpublas_sgemvBatch(cb_row, cb_no_trans, 1, 1, 1, p, odd, 1, p, off, 1, 0, p, off, 1, 2, 0));
  FAILS(GA_VALUE_ERROR, "increment",
        gpublas_sgemvBatch(cb_row, cb_no_trans, 1, 1, 1, p, off, 1, p, off, 0, 0, p, off, 1, 2, 0));
  FAILS(GA_INVALID_ERROR, "flags",
        gpublas_sgerBatch(cb_row, 1, 1, 1, p, off, 1, p, off, 1, p, off, 1, 2, 1));
  FAILS(GA_VALUE_ERROR, "increment",
        gpublas_sgerBatch(cb_row, 1, 1, 1, p, off, 0, p, off, 1, p, off, 1, 2, 0));
  FAILS(GA_VALUE_ERROR, "NULL", gpublas_sger(cb_row, 1, 1, 1, NULL, 0, 1, a.b, 0, 1, a.b, 0, 1));
  FAILS(GA_VALUE_ERROR, "increment",
        gpublas_dger(cb_row, 1, 1, 1, a.b, 0, 0, a.b, 0, 1, a.b, 0, 1));
  release(&a);
  gpucontext_deref(ctx);
}
END_TEST

/* ---- arrays ------------------------------------------------------------------ */

static GpuArray cube(int type, size_t b, size_t m, size_t n, int layout, double *v)
{
  static const char *const specs[] = {"", "::-1", ":, :, ::2"};
  GpuArray base = {0}, part = {0}, d = {0};
  for (size_t i = 0; i < b * m * n; i++) v[i] = (double)(i * 5 % 11) - 5;
  OK(GpuArray_zeros(&base, ctx, type, GA_DIMS(b, m, layout == 2 ? 2 * n : n), GA_C_ORDER));
  OK(GpuArray_slice(&part, &base, specs[layout]));
  OK(GpuArray_fromhost(&d, ctx, GA_DOUBLE, GA_DIMS(b, m, n), v));
  OK(GpuArray_move(&part, &d));
  GpuArray_clear(&d);
  GpuArray_clear(&base);
  return part;
}

START_TEST(arrays_of_matrices_and_outer_products_match_loops)
{
  static double a[200], b[200], c[200], got[200];
  if (!open_device(0)) return;
  for (int i = 0; i < 3 * 3 * 4; i++) {
    int type = types[i % 3], layout = i / 3 % 3;
    cb_transpose ta = i / 9 % 2 ? cb_trans : cb_no_trans, tb = i / 18 ? cb_trans : cb_no_trans;
    GpuArray A = cube(type, 3, ta ? 5 : 4, ta ? 4 : 5, layout, a);
    GpuArray B = cube(type, 3, tb ? 6 : 5, tb ? 5 : 6, layout, b), C = cube(type, 3, 4, 6, 0, c);
    for (size_t k = 0; k < 3; k++)
      ref_gemm(cb_row, ta, tb, 4, 6, 5, 2, a + 20 * k, ta ? 4 : 5, b + 30 * k, tb ? 5 : 6, 1,
               c + 24 * k, 6);
    if (layout == 2)
      FAILS(GA_COPY_ERROR, "argument 4", GpuArray_rgemmBatch_3d(ta, tb, 2, &A, &B, 1, &C, 1));
    OK(GpuArray_rgemmBatch_3d(ta, tb, 2, &A, &B, 1, &C, layout != 2));
    OK(GpuArray_tohost(got, 72 * sizeof *got, GA_DOUBLE, &C));
    for (int k = 0; k < 72; k++)
      ck_assert_msg(got[k] == c[k], "case %d element %d: %g, expected %g", i, k, got[k], c[k]);
    GpuArray_clear(&A);
    GpuArray_clear(&B);
    GpuArray_clear(&C);
  }
  for (int t = 0; t < 3; t++) {
    GpuArray x = {0}, y = {0}, r = {0};
    GpuArray cx = cube(types[t], 1, 1, 7, 0, a), cy = cube(types[t], 1, 1, 5, 2, b);
    OK(GpuArray_slice(&x, &cx, "0, 0, ::-1"));
    OK(GpuArray_slice(&y, &cy, "0, 0"));
    OK(GpuArray_zeros(&r, ctx, types[t], GA_DIMS(7, 5), t == 1 ? GA_F_ORDER : GA_C_ORDER));
    FAILS(GA_COPY_ERROR, "argument 2", GpuArray_rger(3, &x, &y, &r, 1));
    OK(GpuArray_rger(3, &x, &y, &r, 0));
    OK(GpuArray_tohost(got, 35 * sizeof *got, GA_DOUBLE, &r));
    for (int k = 0; k < 35; k++) ck_assert_double_eq(got[k], 3 * a[6 - k / 5] * b[k % 5]);
    GpuArray_clear(&x);
    GpuArray_clear(&y);
    GpuArray_clear(&cx);
    GpuArray_clear(&cy);
    GpuArray_clear(&r);
  }
  gpucontext_deref(ctx);
}
END_TEST

/* B has no elements, so its matrices may follow each other backwards from the start. */
START_TEST(empty_matrices_of_any_order_scale_the_result)
{
  GpuArray A = {0}, B = {0}, C = {0}, all = {0};
  double got[12];
  if (!open_device(0)) return;
  OK(GpuArray_zeros(&A, ctx, GA_FLOAT, GA_DIMS(3, 2, 0), GA_C_ORDER));
  OK(GpuArray_zeros(&all, ctx, GA_FLOAT, GA_DIMS(3, 0, 2), GA_C_ORDER));
  OK(GpuArray_slice(&B, &all, "::-1"));
  B.strides[0] = -8;
  OK(GpuArray_full(&C, ctx, GA_FLOAT, GA_DIMS(3, 2, 2), 5));
  OK(GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, &A, &B, 2, &C, 0));
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &C));
  for (int k = 0; k < 12; k++) ck_assert(got[k] == 10);
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&all);
  GpuArray_clear(&C);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(arrays_that_do_not_fit_are_refused)
{
  double v[200];
  GpuArray A, B, C, i = {0}, flat = {0}, x = {0}, two = {0};
  if (!open_device(0)) return;
  A = cube(GA_FLOAT, 3, 4, 5, 0, v);
  B = cube(GA_FLOAT, 3, 5, 6, 0, v);
  C = cube(GA_FLOAT, 3, 4, 6, 0, v);
  OK(GpuArray_zeros(&i, ctx, GA_INT, GA_DIMS(3, 4, 6), GA_C_ORDER));
  OK(GpuArray_zeros(&flat, ctx, GA_FLOAT, GA_DIMS(4, 6), GA_C_ORDER));
  OK(GpuArray_zeros(&x, ctx, GA_FLOAT, GA_DIMS(4), GA_C_ORDER));
  OK(GpuArray_zeros(&two, ctx, GA_DOUBLE, GA_DIMS(3, 4, 6), GA_C_ORDER));
#define BATCH_3D(a, b, c) GpuArray_rgemmBatch_3d(cb_no_trans, cb_no_trans, 1, a, b, 0, c, 0)
  FAILS(GA_VALUE_ERROR, "NULL", BATCH_3D(NULL, &B, &C));
  FAILS(GA_VALUE_ERROR, "NULL", BATCH_3D(&A, &B, NULL));
  FAILS(GA_INVALID_ERROR, "typecode 5", BATCH_3D(&i, &i, &i));
  FAILS(GA_VALUE_ERROR, "axes", BATCH_3D(&flat, &B, &C));
  FAILS(GA_VALUE_ERROR, "inner axis", BATCH_3D(&A, &A, &C));
  FAILS(GA_VALUE_ERROR, "typecode", BATCH_3D(&A, &B, &two));
  FAILS(GA_VALUE_ERROR, "axis", GpuArray_rger(1, &x, &x, &flat, 0));
  FAILS(GA_VALUE_ERROR, "axes", GpuArray_rger(1, &flat, &x, &flat, 0));
  FAILS(GA_VALUE_ERROR, "NULL", GpuArray_rger(1, NULL, &x, &flat, 0));
  A.flags &= ~GA_ALIGNED;
  FAILS(GA_UNALIGNED_ERROR, "argument 4", BATCH_3D(&A, &B, &C));
  C.flags &= ~GA_WRITEABLE;
  FAILS(GA_VALUE_ERROR, "read-only", BATCH_3D(&A, &B, &C));
  GpuArray_clear(&A);
  GpuArray_clear(&B);
  GpuArray_clear(&C);
  GpuArray_clear(&i);
  GpuArray_clear(&flat);
  GpuArray_clear(&x);
  GpuArray_clear(&two);
  gpucontext_deref(ctx);
}
END_TEST

/* As BLAS has it: a vector of a negative increment begins at its far end. */
static size_t walked(size_t i, size_t n, int inc)
{
  return inc > 0 ? i * (size_t)inc : (n - 1 - i) * (size_t)-inc;
}

START_TEST(gemv_walks_vectors_backwards)
{
  if (!open_device(_i)) return;
  for (int c = 0; c < 3 * 2 * 2 * 2 * 2; c++) {
    int type = types[c % 3], incx = c / 3 % 2 ? 2 : -2, incy = c / 6 % 2 ? 3 : -3;
    cb_order o = c / 12 % 2 ? cb_row : cb_column;
    cb_transpose ta = c / 24 % 2 ? cb_trans : cb_no_trans;
    size_t nx = ta ? M : N, ny = ta ? N : M;
    side a, x, y;
    if (_i == 1 && type == GA_HALF) continue; /* a kernel turns these; the stub runs none */
    fill(&a, type, c);
    fill(&x, type, c + 1);
    fill(&y, type, c + 2);
    for (size_t i = 0; i < ny; i++) {
      double s = 0, *r = &y.v[5 + walked(i, ny, incy)];
      for (size_t l = 0; l < nx; l++)
        s += a.v[3 + (ta ? at(o, l, i, K) : at(o, i, l, K))] * x.v[4 + walked(l, nx, incx)];
      *r = 2 * s - *r;
    }
    OK(BY_TYPE(type, gemv, o, ta, M, N, 2, a.b, 3, K, x.b, 4, incx, -1, y.b, 5, incy));
    expect(&y, type, "gemv");
    release(&a);
    release(&x);
    release(&y);
  }
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(batched_products_match_loops, 2),
                                  CASE_LOOP(batched_vectors_match_loops, 2),
                                  CASE_LOOP(outer_products_and_half_match_loops, 2),
                                  CASE_LOOP(batches_refuse_what_does_not_fit, 2),
                                  CASE(arrays_of_matrices_and_outer_products_match_loops),
                                  CASE(arrays_that_do_not_fit_are_refused),
                                  CASE(empty_matrices_of_any_order_scale_the_result),
                                  CASE_LOOP(gemv_walks_vectors_backwards, 2),
                                  CASE_END};

int main(void) { return test_main("blas_many", cases); }
