/* SPDX-License-Identifier: MIT */
/* float16 on the CPU: operands widened to float32, multiplied and added there, and
 * the result rounded once. */
#include <stdlib.h>

#include "blas_half.h"
#include "gpuarray/types.h"
#include "halves.h"

/* A matrix widened: its lines one after the other. */
typedef struct wide {
  gpudata b; /* looks like a buffer to the functions of float32 */
  float *p;
  size_t lines, line;
} wide;

static int open_wide(wide *w, const gpudata *from, size_t off, size_t ld, size_t lines, size_t line,
                     int load)
{
  const mem_float16 *p = (const mem_float16 *)from->ptr + off;
  size_t n = lines * line + 1; /* never nothing */

  w->lines = lines;
  w->line = line;
  w->p = malloc(n * sizeof *w->p);
  if (w->p == NULL) return ga_error_memory("blas", n * sizeof *w->p);
  w->b = (gpudata){.ptr = w->p, .ctx = from->ctx, .size = n * sizeof *w->p};
  for (size_t i = 0; i < lines && load; i++) ga_widen_float16(line, w->p + i * line, p + i * ld);
  return GA_NO_ERROR;
}

static void narrow(const wide *w, gpudata *to, size_t off, size_t ld)
{
  mem_float16 *p = (mem_float16 *)to->ptr + off;

  for (size_t i = 0; i < w->lines; i++) ga_narrow_float16(w->line, p + i * ld, w->p + i * w->line);
}

static size_t max1(size_t n) { return n != 0 ? n : 1; }

int ga_cpu_half_dot(size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y, size_t offy,
                    size_t incy, gpudata *z, size_t offz)
{
  wide a = {.p = NULL}, b = {.p = NULL}, r = {.p = NULL};
  int err = open_wide(&a, x, offx, incx, n, 1, 1);

  if (err == GA_NO_ERROR) err = open_wide(&b, y, offy, incy, n, 1, 1);
  if (err == GA_NO_ERROR) err = open_wide(&r, z, offz, 1, 1, 1, 0);
  if (err == GA_NO_ERROR) err = ga_cpu_dot(GA_FLOAT, n, &a.b, 0, 1, &b.b, 0, 1, &r.b, 0);
  if (err == GA_NO_ERROR) narrow(&r, z, offz, 1);
  free(a.p);
  free(b.p);
  free(r.p);
  return err;
}

int ga_cpu_half_gemm(cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n, size_t k,
                     double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b, size_t offb,
                     size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc)
{
  int row = order == cb_row;
  int turned_a = (ta == cb_no_trans) != row, turned_b = (tb == cb_no_trans) != row;
  size_t la = turned_a ? m : k, lb = turned_b ? k : n, lc = row ? n : m;
  wide wa = {.p = NULL}, wb = {.p = NULL}, wc = {.p = NULL};
  int err = open_wide(&wa, a, offa, lda, turned_a ? k : m, la, 1);

  if (err == GA_NO_ERROR) err = open_wide(&wb, b, offb, ldb, turned_b ? n : k, lb, 1);
  if (err == GA_NO_ERROR) err = open_wide(&wc, c, offc, ldc, row ? m : n, lc, beta != 0);
  if (err == GA_NO_ERROR)
    err = ga_cpu_gemm(GA_FLOAT, order, ta, tb, m, n, k, alpha, &wa.b, 0, max1(la), &wb.b, 0,
                      max1(lb), beta, &wc.b, 0, max1(lc));
  if (err == GA_NO_ERROR) narrow(&wc, c, offc, ldc);
  free(wa.p);
  free(wb.p);
  free(wc.p);
  return err;
}

/* A vector walked backwards starts at its far end. */
static int open_vector(wide *w, const gpudata *from, size_t off, int inc, size_t n, int load)
{
  size_t step = inc < 0 ? -(size_t)inc : (size_t)inc;

  GA_TRY(open_wide(w, from, off, step, n, 1, load));
  for (size_t i = 0; inc < 0 && i < n / 2; i++) {
    float t = w->p[i];

    w->p[i] = w->p[n - 1 - i];
    w->p[n - 1 - i] = t;
  }
  return GA_NO_ERROR;
}

int ga_cpu_half_gemv(cb_order order, cb_transpose ta, size_t m, size_t n, double alpha, gpudata *a,
                     size_t offa, size_t lda, gpudata *x, size_t offx, int incx, double beta,
                     gpudata *y, size_t offy, int incy)
{
  size_t nx = ta == cb_no_trans ? n : m, ny = ta == cb_no_trans ? m : n;
  size_t lines = order == cb_row ? m : n, line = order == cb_row ? n : m;
  wide wa = {.p = NULL}, wx = {.p = NULL}, wy = {.p = NULL};
  int err = open_wide(&wa, a, offa, lda, lines, line, 1);

  if (err == GA_NO_ERROR) err = open_vector(&wx, x, offx, incx, nx, 1);
  if (err == GA_NO_ERROR) err = open_vector(&wy, y, offy, incy, ny, beta != 0);
  if (err == GA_NO_ERROR)
    err = ga_cpu_gemv(GA_FLOAT, order, ta, m, n, alpha, &wa.b, 0, max1(line), &wx.b, 0, 1, beta,
                      &wy.b, 0, 1);
  for (size_t i = 0; err == GA_NO_ERROR && incy < 0 && i < ny / 2; i++) {
    float t = wy.p[i];

    wy.p[i] = wy.p[ny - 1 - i];
    wy.p[ny - 1 - i] = t;
  }
  if (err == GA_NO_ERROR) narrow(&wy, y, offy, incy < 0 ? -(size_t)incy : (size_t)incy);
  free(wa.p);
  free(wx.p);
  free(wy.p);
  return err;
}
