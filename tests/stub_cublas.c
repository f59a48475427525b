/* SPDX-License-Identifier: MIT */
/* A cuBLAS on the host's memory, loaded through GPUARRAY_CUBLAS: plain loops over
 * matrices stored by columns, with the checks of leading dimensions that cuBLAS
 * makes. float16 is that of whole numbers below 2048 only, which is enough for
 * exact tests. STUB_OLD: without the functions of 64-bit sizes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define API __attribute__((visibility("default")))

enum { OK = 0, INVALID = 7, HALF = 2 };

static int mode, wide_calls, handles, made, result;

API int stub_cublas_wide(void) { return wide_calls; }
API int stub_cublas_handles(void) { return handles; } /* made, less destroyed */
API int stub_cublas_made(void) { return made; }
API void stub_cublas_fail(int r) { result = r; } /* what every call returns, 0: it works */

API int cublasCreate_v2(void **h)
{
  *h = result == OK ? malloc(1) : NULL;
  if (*h == NULL) return result != OK ? result : 3;
  handles++;
  made++;
  return OK;
}

API int cublasDestroy_v2(void *h)
{
  free(h);
  handles--;
  return OK;
}

API int cublasGetVersion_v2(void *h, int *version)
{
  (void)h;
  *version = 130000;
  return OK;
}

API int cublasSetStream_v2(void *h, void *s)
{
  (void)h;
  return s != NULL ? OK : INVALID;
}

API int cublasSetWorkspace_v2(void *h, void *space, size_t size)
{
  (void)h;
  return space != NULL && size >= 1 << 20 ? OK : INVALID;
}

API int cublasSetPointerMode_v2(void *h, int m)
{
  (void)h;
  mode = m;
  return OK;
}

static float from_half(uint16_t h)
{
  unsigned int e = h >> 10 & 31, m = h & 1023;
  float f = e == 0 ? 0 : (float)(1024 + m) * (float)((uint64_t)1 << e) / (float)((uint64_t)1 << 25);
  return h & 0x8000 ? -f : f;
}

static uint16_t to_half(float f)
{
  uint16_t sign = f < 0 ? 0x8000 : 0;
  unsigned int e = 25;
  float a = f < 0 ? -f : f;
  if (a == 0) return 0;
  while (a < 1024) a *= 2, e--;
  while (a >= 2048) a /= 2, e++;
  return (uint16_t)(sign | e << 10 | ((unsigned int)a - 1024));
}

#define LOAD_f(p, i)     ((const float *)(p))[i]
#define LOAD_d(p, i)     ((const double *)(p))[i]
#define LOAD_h(p, i)     from_half(((const uint16_t *)(p))[i])
#define STORE_f(p, i, v) ((float *)(p))[i] = (float)(v)
#define STORE_d(p, i, v) ((double *)(p))[i] = (v)
#define STORE_h(p, i, v) ((uint16_t *)(p))[i] = to_half((float)(v))

#define MAX1(a) ((a) > 1 ? (a) : 1)
/* A vector walked backwards starts at its far end, as in BLAS. */
#define FIRST(n, inc) ((inc) < 0 ? (1 - (n)) * (inc) : 0)

#define KERNELS(t, T)                                                                          \
  static int dot_##t(int64_t n, const void *x, int64_t ix, const void *y, int64_t iy, void *r) \
  {                                                                                            \
    double s = 0;                                                                              \
    if (mode != 1 || result != OK) return result != OK ? result : INVALID;                     \
    for (int64_t i = 0; i < n; i++)                                                            \
      s += (double)LOAD_##t(x, FIRST(n, ix) + i * ix) * LOAD_##t(y, FIRST(n, iy) + i * iy);    \
    STORE_##t(r, 0, s);                                                                        \
    return OK;                                                                                 \
  }                                                                                            \
  static int gemm_##t(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha,           \
                      const void *a, int64_t lda, const void *b, int64_t ldb, double beta,     \
                      void *c, int64_t ldc)                                                    \
  {                                                                                            \
    if (result != OK) return result;                                                           \
    if (mode != 0 || lda < MAX1(ta ? k : m) || ldb < MAX1(tb ? n : k) || ldc < MAX1(m))        \
      return INVALID;                                                                          \
    for (int64_t i = 0; i < m; i++)                                                            \
      for (int64_t j = 0; j < n; j++) {                                                        \
        double s = 0;                                                                          \
        for (int64_t l = 0; l < k; l++)                                                        \
          s += (double)LOAD_##t(a, ta ? l + i * lda : i + l * lda) *                           \
               LOAD_##t(b, tb ? j + l * ldb : l + j * ldb);                                    \
        s *= alpha;                                                                            \
        if (beta != 0) s += beta * (double)LOAD_##t(c, i + j * ldc);                           \
        STORE_##t(c, i + j * ldc, s);                                                          \
      }                                                                                        \
    return OK;                                                                                 \
  }

KERNELS(f, float)
KERNELS(d, double)
KERNELS(h, uint16_t)

#define GEMV(t)                                                                               \
  static int gemv_##t(int ta, int64_t m, int64_t n, double alpha, const void *a, int64_t lda, \
                      const void *x, int64_t ix, double beta, void *y, int64_t iy)            \
  {                                                                                           \
    int64_t rows = ta ? n : m, cols = ta ? m : n;                                             \
    if (result != OK) return result;                                                          \
    if (mode != 0 || lda < MAX1(m) || ix == 0 || iy == 0) return INVALID;                     \
    for (int64_t i = 0; i < rows; i++) {                                                      \
      double s = 0;                                                                           \
      for (int64_t l = 0; l < cols; l++)                                                      \
        s += (double)LOAD_##t(a, ta ? l + i * lda : i + l * lda) *                            \
             LOAD_##t(x, FIRST(cols, ix) + l * ix);                                           \
      s *= alpha;                                                                             \
      if (beta != 0) s += beta * (double)LOAD_##t(y, FIRST(rows, iy) + i * iy);               \
      STORE_##t(y, FIRST(rows, iy) + i * iy, s);                                              \
    }                                                                                         \
    return OK;                                                                                \
  }

GEMV(f)
GEMV(d)

#define EXPORT(I, S, wide)                                                                         \
  API int cublasSdot_v2##S(void *h, I n, const float *x, I ix, const float *y, I iy, float *r)     \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return dot_f(n, x, ix, y, iy, r);                                                              \
  }                                                                                                \
  API int cublasDdot_v2##S(void *h, I n, const double *x, I ix, const double *y, I iy, double *r)  \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return dot_d(n, x, ix, y, iy, r);                                                              \
  }                                                                                                \
  API int cublasDotEx##S(void *h, I n, const void *x, int xt, I ix, const void *y, int yt, I iy,   \
                         void *r, int rt, int et)                                                  \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    if (xt != HALF || yt != HALF || rt != HALF || et != 0) return INVALID;                         \
    return dot_h(n, x, ix, y, iy, r);                                                              \
  }                                                                                                \
  API int cublasSgemv_v2##S(void *h, int ta, I m, I n, const float *alpha, const float *a, I lda,  \
                            const float *x, I ix, const float *beta, float *y, I iy)               \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return gemv_f(ta, m, n, *alpha, a, lda, x, ix, *beta, y, iy);                                  \
  }                                                                                                \
  API int cublasDgemv_v2##S(void *h, int ta, I m, I n, const double *alpha, const double *a,       \
                            I lda, const double *x, I ix, const double *beta, double *y, I iy)     \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return gemv_d(ta, m, n, *alpha, a, lda, x, ix, *beta, y, iy);                                  \
  }                                                                                                \
  API int cublasSgemm_v2##S(void *h, int ta, int tb, I m, I n, I k, const float *alpha,            \
                            const float *a, I lda, const float *b, I ldb, const float *beta,       \
                            float *c, I ldc)                                                       \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return gemm_f(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                         \
  }                                                                                                \
  API int cublasDgemm_v2##S(void *h, int ta, int tb, I m, I n, I k, const double *alpha,           \
                            const double *a, I lda, const double *b, I ldb, const double *beta,    \
                            double *c, I ldc)                                                      \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    return gemm_d(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                         \
  }                                                                                                \
  API int cublasGemmEx##S(void *h, int ta, int tb, I m, I n, I k, const void *alpha,               \
                          const void *a, int at, I lda, const void *b, int bt, I ldb,              \
                          const void *beta, void *c, int ct, I ldc, int compute, int algo)         \
  {                                                                                                \
    (void)h;                                                                                       \
    wide_calls += wide;                                                                            \
    if (at != HALF || bt != HALF || ct != HALF || compute != 68 || algo != -1) return INVALID;     \
    return gemm_h(ta, tb, m, n, k, *(const float *)alpha, a, lda, b, ldb, *(const float *)beta, c, \
                  ldc);                                                                            \
  }

/* Many products: the Ex functions, of the type that `at` names. */
static int gemm_ex(int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha,
                   const void *a, int at, int64_t lda, const void *b, int bt, int64_t ldb,
                   const void *beta, void *c, int ct, int64_t ldc, int compute)
{
  if (at != bt || at != ct || compute != (at == 1 ? 70 : 68)) return INVALID;
  if (at == 1)
    return gemm_d(ta, tb, m, n, k, *(const double *)alpha, a, lda, b, ldb, *(const double *)beta, c,
                  ldc);
  if (at == HALF)
    return gemm_h(ta, tb, m, n, k, *(const float *)alpha, a, lda, b, ldb, *(const float *)beta, c,
                  ldc);
  return gemm_f(ta, tb, m, n, k, *(const float *)alpha, a, lda, b, ldb, *(const float *)beta, c,
                ldc);
}

static int size_of(int type) { return type == 1 ? 8 : type == HALF ? 2 : 4; }

#define EXPORT_MANY(I, S, wide)                                                                    \
  API int cublasGemmStridedBatchedEx##S(                                                           \
      void *h, int ta, int tb, I m, I n, I k, const void *alpha, const void *a, int at, I lda,     \
      long long sa, const void *b, int bt, I ldb, long long sb, const void *beta, void *c, int ct, \
      I ldc, long long sc, I batch, int compute, int algo)                                         \
  {                                                                                                \
    (void)h;                                                                                       \
    (void)algo;                                                                                    \
    wide_calls += wide;                                                                            \
    for (I i = 0; i < batch; i++) {                                                                \
      int r = gemm_ex(ta, tb, m, n, k, alpha, (const char *)a + i * sa * size_of(at), at, lda,     \
                      (const char *)b + i * sb * size_of(at), bt, ldb, beta,                       \
                      (char *)c + i * sc * size_of(at), ct, ldc, compute);                         \
      if (r != OK) return r;                                                                       \
    }                                                                                              \
    return OK;                                                                                     \
  }                                                                                                \
  API int cublasGemmBatchedEx##S(void *h, int ta, int tb, I m, I n, I k, const void *alpha,        \
                                 const void *const *a, int at, I lda, const void *const *b,        \
                                 int bt, I ldb, const void *beta, void *const *c, int ct, I ldc,   \
                                 I batch, int compute, int algo)                                   \
  {                                                                                                \
    (void)h;                                                                                       \
    (void)algo;                                                                                    \
    wide_calls += wide;                                                                            \
    for (I i = 0; i < batch; i++) {                                                                \
      int r = gemm_ex(ta, tb, m, n, k, alpha, a[i], at, lda, b[i], bt, ldb, beta, c[i], ct, ldc,   \
                      compute);                                                                    \
      if (r != OK) return r;                                                                       \
    }                                                                                              \
    return OK;                                                                                     \
  }

EXPORT(int, , 0)
EXPORT_MANY(int, , 0)
#ifndef STUB_OLD
EXPORT(int64_t, _64, 1)
EXPORT_MANY(int64_t, _64, 1)
#endif
