/* SPDX-License-Identifier: MIT */
/* Arrays filled with one value, and with evenly spaced ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

int GpuArray_full(GpuArray *a, gpucontext *ctx, int typecode, unsigned int nd, const size_t *dims,
                  double value)
{
  static const char op[] = "GpuArray_full";
  GpuArray one = {0}, all = {0};
  int err;

  GA_TRY(ga_array_new(op, a, ctx, typecode, nd, dims, GA_C_ORDER));
  err = GpuArray_fromhost(&one, ctx, GA_DOUBLE, 0, NULL, &value);
  if (err == GA_NO_ERROR) err = ga_array_broadcast(op, &all, &one, nd, dims);
  if (err == GA_NO_ERROR) err = ga_array_move(op, a, &all);
  GpuArray_clear(&all);
  GpuArray_clear(&one);
  if (err != GA_NO_ERROR) GpuArray_clear(a);
  return err;
}

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

/* Filled on the host, piece by piece. */
static int fill(GpuArray *a, const range *r, size_t n)
{
  size_t itemsize = ga_dtypes[r->t].size, most = 65536;
  size_t piece = n < most ? n : most;
  char *host = malloc(piece * itemsize + 1);
  int err = GA_NO_ERROR;

  if (host == NULL) return ga_error_memory("GpuArray_arange", piece * itemsize);
  for (size_t i = 0; i < n && err == GA_NO_ERROR; i += piece) {
    if (piece > n - i) piece = n - i;
    for (size_t k = 0; k < piece; k++) put(host + k * itemsize, r, i + k);
    err = gpudata_write(a->data, i * itemsize, host, piece * itemsize);
  }
  free(host);
  return err;
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
