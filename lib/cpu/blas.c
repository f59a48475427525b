/* SPDX-License-Identifier: MIT */
/* BLAS of the CPU device: OpenBLAS, or whatever gives the CBLAS interface, found
 * at first use. Linked, it would start its threads in every process.
 *
 * A CBLAS function given nonsense prints a message and may end the process, so
 * everything it would complain of is checked here. Its integers are 32 bits wide
 * and every extent is checked against that. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "blas_half.h"
#include "cpu.h"
#include "gpuarray/types.h"
#include "lib/util/fpmode.h"

enum { CBLAS_ROW = 101, CBLAS_COLUMN = 102, CBLAS_NO = 111, CBLAS_TRANS = 112 };

#define FUNCTIONS(FN)                                                                           \
  FN(float, sdot, (int n, const float *x, int incx, const float *y, int incy))                  \
  FN(double, ddot, (int n, const double *x, int incx, const double *y, int incy))               \
  FN(void, sgemv,                                                                               \
     (int order, int ta, int m, int n, float alpha, const float *a, int lda, const float *x,    \
      int incx, float beta, float *y, int incy))                                                \
  FN(void, dgemv,                                                                               \
     (int order, int ta, int m, int n, double alpha, const double *a, int lda, const double *x, \
      int incx, double beta, double *y, int incy))                                              \
  FN(void, sgemm,                                                                               \
     (int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,     \
      const float *b, int ldb, float beta, float *c, int ldc))                                  \
  FN(void, dgemm,                                                                               \
     (int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,   \
      const double *b, int ldb, double beta, double *c, int ldc))

static struct {
  int found;
  char tried[512]; /* what was looked for, in words */
#define FN(type, name, args) type(*name) args;
  FUNCTIONS(FN)
#undef FN
} blas;

/* ---- finding it ----------------------------------------------------------------- */

/* The missing symbol's name, NULL when all are there. */
static const char *bind_functions(void *lib)
{
  const char *missing = NULL;
#define FN(type, name, args)                         \
  *(void **)&blas.name = dlsym(lib, "cblas_" #name); \
  if (blas.name == NULL && missing == NULL) missing = "cblas_" #name;
  FUNCTIONS(FN)
#undef FN
  return missing;
}

static void note(const char *text)
{
  size_t n = 0;
  while (blas.tried[n] != '\0') n++;
  while (*text != '\0' && n + 1 < sizeof blas.tried) blas.tried[n++] = *text++;
}

static int try_library(const char *name)
{
  if (blas.tried[0] != '\0') note(", ");
  note(name);
  void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) return 0;
  const char *missing = bind_functions(lib);
  if (missing == NULL) return 1;
  note(" (has no ");
  note(missing);
  note(")");
  dlclose(lib);
  return 0;
}

static void find_blas(void)
{
  static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libcblas.so.3",
                                      "libblas.so.3"};
  const char *own = getenv("GPUARRAY_OPENBLAS");
  if (own != NULL && *own != '\0') {
    blas.found = try_library(own);
    return;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names && !blas.found; i++)
    blas.found = try_library(names[i]);
}

static int need_blas(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_blas);
  if (blas.found) return GA_NO_ERROR;
  return ga_error(GA_UNSUPPORTED_ERROR,
                  "Missing Blas library: looked for %s "
                  "(GPUARRAY_OPENBLAS names another)",
                  blas.tried);
}

int ga_cpu_blas_setup(gpucontext *ctx)
{
  (void)ctx;
  return need_blas();
}

const void *ga_cpu_blas_symbol(void) { return *(void **)&blas.sdot; }

/* ---- arguments ------------------------------------------------------------------ */

static int fits(const char *op, const char *what, size_t n)
{
  if (n <= INT_MAX) return GA_NO_ERROR;
  return ga_error(GA_XLARGE_ERROR, "%s: %s is %zu, BLAS takes at most %d", op, what, n, INT_MAX);
}

static size_t element_size(int typecode)
{
  return typecode == GA_FLOAT ? 4 : typecode == GA_DOUBLE ? 8 : typecode == GA_HALF ? 2 : 0;
}

static int known_type(const char *op, int typecode)
{
  if (element_size(typecode) > 0) return GA_NO_ERROR;
  return ga_error(GA_DEVSUP_ERROR,
                  "%s: the cpu device has float16, float32 and float64, not "
                  "typecode %d",
                  op, typecode);
}

/* `count` elements from element `off` lie in the buffer. */
static int within(const char *op, const char *what, const gpudata *b, size_t off, size_t count,
                  size_t size)
{
  size_t have = b->size / size;
  if (count <= have && off <= have - count) return GA_NO_ERROR;
  return ga_error(GA_VALUE_ERROR, "%s: %s needs elements %zu to %zu, its buffer has %zu", op, what,
                  off, off + count, have);
}

static int vector_ok(const char *op, const char *what, const gpudata *b, size_t off, size_t n,
                     size_t inc, size_t size)
{
  size_t span;
  if (inc == 0) return ga_error(GA_VALUE_ERROR, "%s: the increment of %s is 0", op, what);
  GA_TRY(fits(op, "an increment", inc));
  if (n == 0) return GA_NO_ERROR;
  if (__builtin_mul_overflow(n - 1, inc, &span) || span == SIZE_MAX)
    return ga_error(GA_XLARGE_ERROR, "%s: %s spans more than the address space", op, what);
  return within(op, what, b, off, span + 1, size);
}

/* A matrix of rows x cols, as it lies in memory in this order. */
static int matrix_ok(const char *op, const char *what, const gpudata *b, size_t off, size_t rows,
                     size_t cols, size_t ld, cb_order order, size_t size)
{
  size_t lines = order == cb_row ? rows : cols, line = order == cb_row ? cols : rows, span;
  GA_TRY(fits(op, "a leading dimension", ld));
  if (ld < line || ld == 0)
    return ga_error(GA_VALUE_ERROR, "%s: the leading dimension of %s is %zu, it needs %zu", op,
                    what, ld, line > 0 ? line : 1);
  if (lines == 0 || line == 0) return GA_NO_ERROR;
  if (__builtin_mul_overflow(lines - 1, ld, &span) || __builtin_add_overflow(span, line, &span))
    return ga_error(GA_XLARGE_ERROR, "%s: %s spans more than the address space", op, what);
  return within(op, what, b, off, span, size);
}

static void *at(const gpudata *b, size_t off, size_t size) { return (char *)b->ptr + off * size; }

static int order_of(cb_order order) { return order == cb_row ? CBLAS_ROW : CBLAS_COLUMN; }

static int trans_of(cb_transpose t) { return t == cb_no_trans ? CBLAS_NO : CBLAS_TRANS; }

/* ---- the operations ---------------------------------------------------------------- */

/* In parts, so that any n is possible. */
static double dot_parts(int typecode, size_t n, const char *x, size_t incx, const char *y,
                        size_t incy)
{
  enum { PART = 1 << 30 };
  size_t size = element_size(typecode);
  double sum = 0;
  while (n > 0) {
    int m = n < PART ? (int)n : PART;
    if (typecode == GA_FLOAT)
      sum += blas.sdot(m, (const float *)x, (int)incx, (const float *)y, (int)incy);
    else
      sum += blas.ddot(m, (const double *)x, (int)incx, (const double *)y, (int)incy);
    x += (size_t)m * incx * size;
    y += (size_t)m * incy * size;
    n -= (size_t)m;
  }
  return sum;
}

int ga_cpu_dot(int typecode, size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y,
               size_t offy, size_t incy, gpudata *z, size_t offz)
{
  GA_TRY(need_blas());
  GA_TRY(known_type("dot", typecode));
  size_t size = element_size(typecode);
  GA_TRY(vector_ok("dot", "x", x, offx, n, incx, size));
  GA_TRY(vector_ok("dot", "y", y, offy, n, incy, size));
  GA_TRY(within("dot", "z", z, offz, 1, size));
  if (typecode == GA_HALF) return ga_cpu_half_dot(n, x, offx, incx, y, offy, incy, z, offz);
  ga_fpmode mode = ga_fpmode_enter();
  double sum = dot_parts(typecode, n, at(x, offx, size), incx, at(y, offy, size), incy);
  ga_fpmode_leave(mode);
  if (typecode == GA_FLOAT)
    *(float *)at(z, offz, size) = (float)sum;
  else
    *(double *)at(z, offz, size) = sum;
  return GA_NO_ERROR;
}

static size_t magnitude(int inc) { return inc < 0 ? -(size_t)inc : (size_t)inc; }

int ga_cpu_gemv(int typecode, cb_order order, cb_transpose ta, size_t m, size_t n, double alpha,
                gpudata *a, size_t offa, size_t lda, gpudata *x, size_t offx, int incx, double beta,
                gpudata *y, size_t offy, int incy)
{
  size_t nx = ta == cb_no_trans ? n : m, ny = ta == cb_no_trans ? m : n;
  GA_TRY(need_blas());
  GA_TRY(known_type("gemv", typecode));
  size_t size = element_size(typecode);
  GA_TRY(fits("gemv", "m", m));
  GA_TRY(fits("gemv", "n", n));
  GA_TRY(matrix_ok("gemv", "a", a, offa, m, n, lda, order, size));
  GA_TRY(vector_ok("gemv", "x", x, offx, nx, magnitude(incx), size));
  GA_TRY(vector_ok("gemv", "y", y, offy, ny, magnitude(incy), size));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  if (typecode == GA_HALF)
    return ga_cpu_half_gemv(order, ta, m, n, alpha, a, offa, lda, x, offx, incx, beta, y, offy,
                            incy);
  ga_fpmode mode = ga_fpmode_enter();
  if (typecode == GA_FLOAT)
    blas.sgemv(order_of(order), trans_of(ta), (int)m, (int)n, (float)alpha, at(a, offa, size),
               (int)lda, at(x, offx, size), incx, (float)beta, at(y, offy, size), incy);
  else
    blas.dgemv(order_of(order), trans_of(ta), (int)m, (int)n, alpha, at(a, offa, size), (int)lda,
               at(x, offx, size), incx, beta, at(y, offy, size), incy);
  ga_fpmode_leave(mode);
  return GA_NO_ERROR;
}

int ga_cpu_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n,
                size_t k, double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b,
                size_t offb, size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc)
{
  int na = ta == cb_no_trans, nb = tb == cb_no_trans;
  GA_TRY(need_blas());
  GA_TRY(known_type("gemm", typecode));
  size_t size = element_size(typecode);
  GA_TRY(fits("gemm", "m", m));
  GA_TRY(fits("gemm", "n", n));
  GA_TRY(fits("gemm", "k", k));
  GA_TRY(matrix_ok("gemm", "a", a, offa, na ? m : k, na ? k : m, lda, order, size));
  GA_TRY(matrix_ok("gemm", "b", b, offb, nb ? k : n, nb ? n : k, ldb, order, size));
  GA_TRY(matrix_ok("gemm", "c", c, offc, m, n, ldc, order, size));
  if (m == 0 || n == 0) return GA_NO_ERROR;
  if (typecode == GA_HALF)
    return ga_cpu_half_gemm(order, ta, tb, m, n, k, alpha, a, offa, lda, b, offb, ldb, beta, c,
                            offc, ldc);
  ga_fpmode mode = ga_fpmode_enter();
  if (typecode == GA_FLOAT)
    blas.sgemm(order_of(order), trans_of(ta), trans_of(tb), (int)m, (int)n, (int)k, (float)alpha,
               at(a, offa, size), (int)lda, at(b, offb, size), (int)ldb, (float)beta,
               at(c, offc, size), (int)ldc);
  else
    blas.dgemm(order_of(order), trans_of(ta), trans_of(tb), (int)m, (int)n, (int)k, alpha,
               at(a, offa, size), (int)lda, at(b, offb, size), (int)ldb, beta, at(c, offc, size),
               (int)ldc);
  ga_fpmode_leave(mode);
  return GA_NO_ERROR;
}
