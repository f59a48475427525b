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

#define SIZE       int
#define CALL(name) name
#define WIDE       0
#include "tests/stub_cublas_calls.h"
#ifndef STUB_OLD
#undef SIZE
#undef CALL
#undef WIDE
#define SIZE       int64_t
#define CALL(name) name##_64
#define WIDE       1
#include "tests/stub_cublas_calls.h"
#endif
