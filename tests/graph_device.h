/* SPDX-License-Identifier: MIT */
/* What the suites of graphs share: a context, arrays to compute with. */
#ifndef TESTS_GRAPH_DEVICE_H
#define TESTS_GRAPH_DEVICE_H

#include "tests/common.h"
#include "tests/device.h"

#include "gpuarray.h"

static gpucontext *ctx;
static int have_compiler, have_blas;

static const char add_source[] =
    "extern \"C\" __global__ void add(float *r, const float *a, float k, unsigned n) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) r[i] = a[i] + k;\n"
    "}\n";

static inline void open_context(void)
{
  const char *strict = getenv("GA_TEST_STRICT");
  GpuKernel k;
  ctx = test_context();
  have_compiler = GpuKernel_build(&k, ctx, add_source, "add") == GA_NO_ERROR;
  if (have_compiler) GpuKernel_clear(&k);
  have_blas = gpublas_setup(ctx) == GA_NO_ERROR;
  if (strict != NULL && strcmp(strict, "1") == 0)
    ck_assert_msg(have_compiler && have_blas, "%s", gpuarray_error_message());
}
static inline void close_context(void) { gpucontext_deref(ctx); }

/* start, start + 1, ... */
static inline GpuArray ramp(size_t n, double start)
{
  GpuArray a;
  OK(GpuArray_arange(&a, ctx, GA_FLOAT, start, start + (double)n, 1));
  return a;
}

static inline GpuArray zeros(size_t n)
{
  GpuArray a;
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  return a;
}

static inline float at(const GpuArray *a, size_t i)
{
  size_t n = sizeof(float);
  float *v, r;
  for (unsigned int k = 0; k < a->nd; k++) n *= a->dimensions[k];
  v = malloc(n);
  ck_assert_ptr_nonnull(v);
  OK(GpuArray_tohost(v, n, GA_FLOAT, a));
  r = v[i];
  free(v);
  return r;
}

static inline gpugraph *end(void)
{
  gpugraph *g;
  OK(gpugraph_end(&g, ctx));
  return g;
}

static inline void refs(unsigned int want, const GpuArray *a)
{
  unsigned int n;
  OK(gpudata_property(a->data, GA_BUFFER_PROP_REFCNT, &n));
  ck_assert_uint_eq(n, want);
}

static inline GpuArray square(size_t n, double start)
{
  GpuArray a = ramp(n * n, start);
  size_t dims[2] = {n, n};
  OK(GpuArray_reshape_inplace(&a, 2, dims, GA_C_ORDER));
  return a;
}

#endif
