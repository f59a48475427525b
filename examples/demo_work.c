/* SPDX-License-Identifier: MIT */
/* The four computations that people write first on a GPU, on the CPU. */
#include "demo.h"

#include <dlfcn.h>
#include <string.h>

static void (*sscal)(int n, float alpha, float *x, int incx);
static void (*saxpy)(int n, float alpha, const float *x, int incx, float *y, int incy);
static float (*sdot)(int n, const float *x, int incx, const float *y, int incy);

int demo_find_blas(void)
{
  void *lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) return 0;
  void *fns[] = {dlsym(lib, "cblas_sscal"), dlsym(lib, "cblas_saxpy"), dlsym(lib, "cblas_sdot")};
  if (fns[0] == NULL || fns[1] == NULL || fns[2] == NULL) return 0;
  memcpy(&sscal, &fns[0], sizeof fns[0]); /* ISO C has no cast from void * */
  memcpy(&saxpy, &fns[1], sizeof fns[1]);
  memcpy(&sdot, &fns[2], sizeof fns[2]);
  return 1;
}

/* ---- naive ------------------------------------------------------------------- */

static void twice(float *out, const float *a, const float *b, size_t n)
{
  (void)b;
  for (size_t i = 0; i < n; i++) out[i] = 2 * a[i];
}

static void add(float *out, const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i++) out[i] = a[i] + b[i];
}

static void polynomial(float *out, const float *a, const float *b, size_t n)
{
  for (size_t i = 0; i < n; i++) out[i] = (a[i] * 10 + 2) * ((b[i] + 2) * 10 - 5) * 5;
}

static void squares(float *out, const float *a, const float *b, size_t n)
{
  double sum = 0;
  (void)b;
  for (size_t i = 0; i < n; i++) sum += (double)a[i] * a[i];
  *out = (float)sum;
}

/* ---- BLAS -------------------------------------------------------------------- */

static void blas_twice(float *out, const float *a, const float *b, size_t n)
{
  if (sscal == NULL) {
    twice(out, a, b, n);
    return;
  }
  memcpy(out, a, n * sizeof *out);
  sscal((int)n, 2, out, 1);
}

static void blas_add(float *out, const float *a, const float *b, size_t n)
{
  if (saxpy == NULL) {
    add(out, a, b, n);
    return;
  }
  memcpy(out, b, n * sizeof *out);
  saxpy((int)n, 1, a, 1, out, 1);
}

static void blas_squares(float *out, const float *a, const float *b, size_t n)
{
  if (sdot == NULL)
    squares(out, a, b, n);
  else
    *out = sdot((int)n, a, 1, a, 1);
}

const demo_work demo_works[] = {
    {"2*a, 4x4", "2*a", {4, 4}, 2, 1, 0, twice, blas_twice, "copy, sscal"},
    {"a+b, 2^20", "a + b", {1 << 20, 0}, 1, 2, 0, add, blas_add, "copy, saxpy"},
    {"(a*10+2)*((b+2)*10-5)*5, 2^23",
     "(a*10 + 2) * ((b + 2)*10 - 5) * 5",
     {1 << 23, 0},
     1,
     2,
     0,
     polynomial,
     polynomial,
     "loop"},
    {"sum(a*a), 4000x4000", "sum(a*a)", {4000, 4000}, 2, 1, 1, squares, blas_squares, "sdot"},
};

const int demo_nwork = sizeof demo_works / sizeof demo_works[0];
