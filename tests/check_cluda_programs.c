/* SPDX-License-Identifier: MIT */
/* Programs on libgpuarray's interface that bring kernels in cluda.h's words and ask
 * for "cuda": with GPUARRAY_DEVICE=cpu they run here as they are. One is elementwise
 * text with a preamble, one a reduction of blocks in shared memory. Elsewhere
 * they run on the device under test. */
#include <gpuarray/array.h>
#include <gpuarray/buffer.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/kernel.h>

#include "tests/device.h"

enum { N = 100003 };

/* The programs' own opening: they know of no CPU. */
static gpucontext *open_gpu(void)
{
  gpucontext *ctx = NULL;
  if (test_on_cpu()) setenv("GPUARRAY_DEVICE", "cpu", 1);
  OK(gpucontext_init(&ctx, "cuda", NULL));
  return ctx;
}

static GpuArray put(gpucontext *ctx, const float *x)
{
  GpuArray a;
  size_t dims[1] = {N};
  OK(GpuArray_empty(&a, ctx, GA_FLOAT, 1, dims, GA_C_ORDER));
  OK(GpuArray_write(&a, x, N * sizeof *x));
  return a;
}

START_TEST(elementwise_text_with_a_preamble)
{
  static float x[N], y[N], z[N];
  gpucontext *ctx = open_gpu();
  for (int i = 0; i < N; i++) x[i] = (float)(i % 200 - 100) / 64, y[i] = (float)(i % 7);
  gpuelemwise_arg args[] = {{"x", GA_FLOAT, GE_READ},
                            {"y", GA_FLOAT, GE_READ},
                            {"low", GA_FLOAT, GE_SCALAR},
                            {"z", GA_FLOAT, GE_WRITE}};
  GpuElemwise *ge = GpuElemwise_new(ctx,
                                    "#define SCALE 2.0f\n"
                                    "WITHIN_KERNEL ga_float relu(ga_float v, ga_float low) {\n"
                                    "  return v > low ? v : low;\n}\n",
                                    "z = relu(x, low) * SCALE + y", 4, args, 1, 0);
  ck_assert_msg(ge != NULL, "%s", gpuarray_error_message());
  GpuArray a = put(ctx, x), b = put(ctx, y), c = put(ctx, z);
  float low = -0.5f;
  void *values[] = {&a, &b, &low, &c};
  OK(GpuElemwise_call(ge, values, 0));
  OK(GpuArray_read(z, sizeof z, &c));
  for (int i = 0; i < N; i++) {
    float want = (x[i] > low ? x[i] : low) * 2 + y[i];
    if (z[i] != want) ck_abort_msg("element %d: %g, not %g", i, (double)z[i], (double)want);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  GpuElemwise_free(ge);
  gpucontext_deref(ctx);
}
END_TEST

static const char *reduction[] = {
    "#include \"cluda.h\"\n",
    "KERNEL void block_sums(GLOBAL_MEM const ga_float *x, ga_size n, GLOBAL_MEM ga_double *out\n"
    "                       GA_DECL_SHARED_PARAM(ga_double, s)) {\n"
    "  GA_DECL_SHARED_BODY(ga_double, s)\n"
    "  LOCAL_MEM ga_uint last;\n"
    "  ga_double mine = 0;\n"
    "  for (ga_size i = GID_0 * LDIM_0 + LID_0; i < n; i += LDIM_0 * GDIM_0)\n"
    "    mine += (ga_double)x[i] * x[i];\n"
    "  s[LID_0] = mine;\n"
    "  if (LID_0 == 0) last = LDIM_0;\n"
    "  local_barrier();\n",
    "  while (last > 1) {\n"
    "    ga_uint half = last / 2;\n"
    "    local_barrier();\n"
    "    if (LID_0 < half) s[LID_0] += s[LID_0 + half];\n"
    "    if (LID_0 == 0) last = half;\n"
    "    local_barrier();\n"
    "  }\n"
    "  if (LID_0 == 0) out[GID_0] = s[0];\n"
    "}\n"};

START_TEST(blocks_reduce_in_shared_memory)
{
  enum { BLOCKS = 12, THREADS = 128 };
  static float x[N];
  double sums[BLOCKS], want = 0, got = 0;
  gpucontext *ctx = open_gpu();
  GpuKernel k;
  GpuArray out;
  char *words = NULL;
  const int types[] = {GA_BUFFER, GA_SIZE, GA_BUFFER};
  size_t n = N, blocks = BLOCKS, threads = THREADS;
  for (int i = 0; i < N; i++) {
    x[i] = (float)(i % 17 - 8);
    want += (double)x[i] * x[i];
  }
  GpuArray a = put(ctx, x);
  OK(GpuArray_empty(&out, ctx, GA_DOUBLE, 1, &blocks, GA_C_ORDER));
  int err =
      GpuKernel_init(&k, ctx, 3, reduction, NULL, "block_sums", 3, types, GA_USE_DOUBLE, &words);
  ck_assert_msg(err == GA_NO_ERROR, "%s\n%s", gpuarray_error_message(), words ? words : "");
  void *args[] = {a.data, &n, out.data};
  OK(GpuKernel_call(&k, 1, &blocks, &threads, THREADS * sizeof(double), args));
  OK(GpuArray_read(sums, sizeof sums, &out));
  for (int i = 0; i < BLOCKS; i++) got += sums[i];
  ck_assert_double_eq(got, want);
  free(words);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&out);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(elementwise_text_with_a_preamble),
                                  CASE(blocks_reduce_in_shared_memory), CASE_END};

int main(void) { return test_main("cluda_programs", cases); }
