/* SPDX-License-Identifier: MIT */
/* Arrays of evenly spaced values: short ones are written by the host, long ones computed on the
 * device but for their first and last elements. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/expr.h"

enum { PIECE = 65536, MANY = 16 * PIECE }; /* elements */

/* A range of type `t`: value i is start + i * step. NumPy sets the
 * first two values in the element type and steps by their difference there, in
 * float32 for the 16-bit types. */
typedef struct range {
  enum ga_dtype t;
  uint64_t i0, istep; /* integers wrap around */
  double d0, dstep;
} range;

static float bfloat(float f)
{
  uint32_t u;

  memcpy(&u, &f, 4);
  if (isfinite(f)) u += 0x7fff + (u >> 16 & 1);
  u &= 0xffff0000u;
  memcpy(&f, &u, 4);
  return f;
}

/* A half's value; the inverse of ga_float2half(). */
static float half(uint16_t h)
{
  float mant = h & 0x3ff;
  int exp = h >> 10 & 0x1f;
  float f = exp == 31  ? (mant != 0 ? NAN : INFINITY)
            : exp == 0 ? ldexpf(mant, -24)
                       : ldexpf(mant + 1024, exp - 25);

  return h & 0x8000 ? -f : f;
}

/* `d` rounded to the real type `t`. */
static double rounded(enum ga_dtype t, double d)
{
  switch (t) {
  case GA_DT_FLOAT16: return half(ga_float2half((float)d).h);
  case GA_DT_BFLOAT16: return bfloat((float)d);
  case GA_DT_FLOAT32:
  case GA_DT_COMPLEX64: return (float)d;
  default: return d;
  }
}

static double real_at(const range *r, uint64_t i)
{
  if (r->t == GA_DT_FLOAT64 || r->t == GA_DT_COMPLEX128) return r->d0 + (double)i * r->dstep;
  return rounded(r->t, (float)r->d0 + (float)i * (float)r->dstep);
}

static void put_real(void *p, enum ga_dtype t, double value)
{
  float f[2] = {(float)value, 0};
  double d[2] = {value, 0};
  uint32_t bits;
  uint16_t h;

  switch (t) {
  case GA_DT_FLOAT16:
    h = ga_float2half(f[0]).h;
    memcpy(p, &h, 2);
    return;
  case GA_DT_BFLOAT16:
    memcpy(&bits, f, 4);
    h = (uint16_t)(bits >> 16);
    memcpy(p, &h, 2);
    return;
  case GA_DT_FLOAT32:
  case GA_DT_COMPLEX64: memcpy(p, f, ga_dtypes[t].size); return;
  default: memcpy(p, d, ga_dtypes[t].size);
  }
}

static void put(void *p, const range *r, uint64_t i)
{
  uint64_t u = r->i0 + i * r->istep;

  switch (ga_dtypes[r->t].kind) {
  case 'f':
  case 'c': put_real(p, r->t, i == 0 ? r->d0 : real_at(r, i)); return;
  case 'b': *(unsigned char *)p = u != 0; return;
  }
  switch (ga_dtypes[r->t].size) {
  case 1: *(uint8_t *)p = (uint8_t)u; return;
  case 2: *(uint16_t *)p = (uint16_t)u; return;
  case 4: *(uint32_t *)p = (uint32_t)u; return;
  default: *(uint64_t *)p = u;
  }
}

/* `d` truncated to 64 bits; 0 when it does not fit. */
static int whole(double d, uint64_t *u)
{
  if (d >= -9223372036854775808.0 && d < 9223372036854775808.0) {
    *u = (uint64_t)(int64_t)d;
    return 1;
  }
  if (d >= 0 && d < 18446744073709551616.0) {
    *u = (uint64_t)d;
    return 1;
  }
  return 0;
}

static int range_init(range *r, enum ga_dtype t, double start, double step)
{
  static const char op[] = "GpuArray_arange";
  uint64_t next;

  r->t = t;
  r->d0 = rounded(t, start);
  r->dstep = rounded(t, start + step) - r->d0;
  if (ga_dtypes[t].size <= 2) r->dstep = (float)r->dstep;
  r->i0 = r->istep = 0;
  if (ga_dtypes[t].kind == 'f' || ga_dtypes[t].kind == 'c') return GA_NO_ERROR;
  if (!whole(start, &r->i0) || !whole(start + step, &next))
    return ga_error(GA_VALUE_ERROR, "%s: %.17g and %.17g do not fit 64 bits", op, start,
                    start + step);
  r->istep = next - r->i0;
  return GA_NO_ERROR;
}

static int length(size_t *n, double start, double stop, double step)
{
  static const char op[] = "GpuArray_arange";
  double len;

  if (step == 0) return ga_error(GA_VALUE_ERROR, "%s: argument 6, the step, is 0", op);
  len = ceil((stop - start) / step);
  if (isnan(len) || isinf(len) || isinf(start))
    return ga_error(GA_VALUE_ERROR, "%s: from %g to %g by %g is no number of elements", op, start,
                    stop, step);
  if (len >= 9223372036854775808.0) return ga_error(GA_XLARGE_ERROR, "%s: %g elements", op, len);
  *n = len > 0 ? (size_t)len : 0;
  return GA_NO_ERROR;
}

/* Elements `from` to `to`, from the host. */
static int write(GpuArray *a, const range *r, size_t from, size_t to)
{
  size_t itemsize = ga_dtypes[r->t].size, piece = to - from < PIECE ? to - from : PIECE;
  char *host = malloc(piece * itemsize + 1);
  int err = GA_NO_ERROR;

  if (host == NULL) return ga_error_memory("GpuArray_arange", piece * itemsize);
  for (size_t i = from; i < to && err == GA_NO_ERROR; i += piece) {
    if (piece > to - i) piece = to - i;
    for (size_t k = 0; k < piece; k++) put(host + k * itemsize, r, i + k);
    err = gpudata_write(a->data, i * itemsize, host, piece * itemsize);
  }
  free(host);
  return err;
}

/* v: start, start + step and so on, `n` numbers on the device. */
static int steps(GpuArray *v, gpucontext *ctx, size_t n, uint64_t start, uint64_t step)
{
  uint64_t *u = malloc(n * sizeof *u);

  if (u == NULL) return ga_error_memory("GpuArray_arange", n * sizeof *u);
  for (size_t i = 0; i < n; i++) u[i] = start + i * step;
  int err = GpuArray_fromhost(v, ctx, GA_LONG, 1, &n, u);
  free(u);
  return err;
}

/* Pieces 1 to `pieces`, on the device: an outer sum of numbers of pieces and places in them. */
static int compute(GpuArray *a, const range *r, size_t pieces)
{
  static const char *const real[] = {"float32", "float64"};
  const int is_real = ga_dtypes[r->t].kind == 'f' || ga_dtypes[r->t].kind == 'c';
  const uint64_t step = is_real ? 1 : r->istep, start = is_real ? 0 : r->i0;
  const size_t dims[2] = {pieces, PIECE};
  gpucontext *ctx = a->data->ctx;
  GpuArray to = {0}, high = {0}, low = {0};
  char text[96];

  snprintf(text, sizeof text,
           is_real ? "%s(start + %s(h[:,None] + l) * step)" : "%s(h[:,None] + l)",
           ga_dtypes[r->t].name, real[r->t == GA_DT_FLOAT64 || r->t == GA_DT_COMPLEX128]);
  int err = steps(&high, ctx, pieces, start + PIECE * step, PIECE * step);
  if (err == GA_NO_ERROR) err = steps(&low, ctx, PIECE, 0, step);
  if (err == GA_NO_ERROR)
    err = GpuArray_fromdata(&to, a->data, PIECE * ga_dtypes[r->t].size, a->typecode, 2, dims, NULL,
                            1);
  if (err == GA_NO_ERROR)
    err = GpuArray_eval_into(&to, text,
                             GA_ARGS(ga_array("h", &high), ga_array("l", &low),
                                     ga_float("start", r->d0), ga_float("step", r->dstep)));
  GpuArray_clear(&to);
  GpuArray_clear(&low);
  GpuArray_clear(&high);
  return err;
}

/* Few are not worth a kernel. */
static int fill(GpuArray *a, const range *r, size_t n)
{
  const size_t pieces = n >= MANY ? n / PIECE - 1 : 0;

  if (pieces == 0) return write(a, r, 0, n);
  GA_TRY(write(a, r, 0, PIECE)); /* the first element may be a -0.0, which no sum is */
  GA_TRY(compute(a, r, pieces));
  return write(a, r, (pieces + 1) * PIECE, n);
}

int GpuArray_arange(GpuArray *a, gpucontext *ctx, int typecode, double start, double stop,
                    double step)
{
  static const char op[] = "GpuArray_arange";
  enum ga_dtype t = ga_dtype_of(typecode);
  range r;
  size_t n;
  int err;

  GA_NOT_NULL(op, 1, a);
  memset(a, 0, sizeof *a);
  GA_NOT_NULL(op, 2, ctx);
  if (t == GA_DT_NONE)
    return ga_error(GA_VALUE_ERROR, "%s: argument 3 is %d, expected a type of numbers", op,
                    typecode);
  GA_TRY(length(&n, start, stop, step));
  if (t == GA_DT_BOOL && n > 2)
    return ga_error(GA_VALUE_ERROR, "%s: %zu bools, expected 2 at most", op, n);
  GA_TRY(range_init(&r, t, start, step));
  GA_TRY(ga_array_new(op, a, ctx, typecode, 1, &n, GA_C_ORDER));
  err = fill(a, &r, n);
  if (err != GA_NO_ERROR) GpuArray_clear(a);
  return err;
}
