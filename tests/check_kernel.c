/* SPDX-License-Identifier: MIT */
/* Raw kernels on the device under test: what they compute. */
#include "gpuarray.h"
#include "tests/device.h"

static gpucontext *ctx;

#define VALUE(code, ptr) ga_scalar(NULL, code, ptr)
#define ARRAY(a)         ga_array(NULL, a)

static void begin(void) { ctx = test_context(); }

static void end(void) { gpucontext_deref(ctx); }

static const char doublify[] = "__global__ void doublify(float *a, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) a[i] *= 2;\n"
                               "}\n";

static const size_t sizes[] = {1, 31, 33, 1023, 1025, 999983};

static void expect(const GpuArray *a, const float *want, size_t n)
{
  float *got = malloc(n * sizeof *got);
  ck_assert_ptr_nonnull(got);
  OK(GpuArray_tohost(got, n * sizeof *got, GA_FLOAT, a));
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(got[i] == want[i], "element %zu is %g, not %g", i, got[i], want[i]);
  free(got);
}

START_TEST(kernel_runs_on_views_with_their_offset)
{
  size_t n = sizes[_i], len = n + 5;
  float *x = malloc(len * sizeof *x);
  GpuArray a, v;
  GpuKernel k;
  ssize_t start = 3, stop = (ssize_t)(n + 3), step = 1;
  begin();
  for (size_t i = 0; i < len; i++) x[i] = (float)(i % 1000) - 500;
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(len), x));
  OK(GpuArray_index(&v, &a, &start, &stop, &step));
  OK(GpuKernel_build(&k, ctx, doublify, "doublify"));
  size_t grid[3] = {(n + 255) / 256, 1, 1}, block[3] = {256, 1, 1};
  int count = (int)n;
  OK(GpuKernel_launch(&k, grid, block, 0, GA_ARGS(ARRAY(&v), VALUE(GA_INT, &count))));
  for (size_t i = 3; i < n + 3; i++) x[i] *= 2;
  expect(&a, x, len);
  GpuKernel_clear(&k);
  GpuArray_clear(&v);
  GpuArray_clear(&a);
  free(x);
  end();
}
END_TEST

START_TEST(old_interface_computes)
{
  const char *text[] = {
      "#include \"cluda.h\"\n"
      "KERNEL void axpy(GLOBAL_MEM ga_float *y, GLOBAL_MEM ga_float *x, ga_float a, ga_size n) {\n"
      "  for (ga_size i = GID_0 * LDIM_0 + LID_0; i < n; i += GDIM_0 * LDIM_0) y[i] += a * x[i];\n"
      "}\n"};
  const int types[] = {GA_BUFFER, GA_BUFFER, GA_FLOAT, GA_SIZE};
  size_t n = sizes[_i], gs = 0, ls = 0;
  float *x = malloc(n * sizeof *x), f = 0.5f;
  GpuArray a, b;
  GpuKernel k;
  char *words;
  begin();
  for (size_t i = 0; i < n; i++) x[i] = (float)(i % 64);
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(n), x));
  OK(GpuArray_fromhost(&b, ctx, GA_FLOAT, GA_DIMS(n), x));
  OK(GpuKernel_init(&k, ctx, 1, text, NULL, "axpy", 4, types, 0, &words));
  OK(GpuKernel_sched(&k, n, &gs, &ls));
  void *args[] = {a.data, b.data, &f, &n};
  OK(GpuKernel_call(&k, 1, &gs, &ls, 0, args));
  for (size_t i = 0; i < n; i++) x[i] *= 1.5f;
  expect(&a, x, n);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  free(x);
  end();
}
END_TEST

START_TEST(each_module_has_its_globals)
{
  static const char source[] =
      "__device__ float scale = 2;\n"
      "extern \"C\" __global__ void mul(float *a) { a[threadIdx.x] *= scale; }\n";
  GpuModule m1, m2;
  GpuKernel k1, k2;
  GpuArray a;
  gpudata *g;
  float x[4] = {1, 2, 3, 4}, ten = 10, want[4] = {20, 40, 60, 80}, got;
  size_t grid[3] = {1, 1, 1}, block[3] = {4, 1, 1};
  begin();
  OK(GpuModule_init(&m1, ctx, source, NULL));
  OK(GpuModule_init(&m2, ctx, source, NULL));
  OK(GpuModule_kernel(&k1, &m1, "mul"));
  OK(GpuModule_kernel(&k2, &m2, "mul"));
  OK(GpuModule_global(&g, &m1, "scale"));
  OK(gpudata_read(&got, g, 0, sizeof got));
  ck_assert(got == 2);
  OK(gpudata_write(g, 0, &ten, sizeof ten));
  FAILS(GA_VALUE_ERROR, "bytes", gpudata_write(g, 4, &ten, sizeof ten));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4), x));
  OK(GpuKernel_launch(&k1, grid, block, 0, GA_ARGS(ARRAY(&a))));
  OK(GpuKernel_launch(&k2, grid, block, 0, GA_ARGS(ARRAY(&a))));
  expect(&a, want, 4);
  gpudata_release(g);
  GpuKernel_clear(&k1);
  GpuKernel_clear(&k2);
  GpuModule_clear(&m1);
  GpuModule_clear(&m2);
  GpuArray_clear(&a);
  end();
}
END_TEST

START_TEST(template_instances_run)
{
  static const char source[] =
      "template <class T> __global__ void add(T *a, T b) { a[threadIdx.x] += b; }\n";
  GpuModule m;
  GpuKernel f, d;
  GpuArray a, b;
  float x[3] = {1, 2, 3}, bf = 4, want[3] = {5, 6, 7};
  double y[3] = {1, 2, 3}, bd = 4, got[3];
  size_t grid[3] = {1, 1, 1}, block[3] = {3, 1, 1};
  begin();
  OK(GpuModule_init(&m, ctx, source, NULL));
  OK(GpuModule_kernel(&f, &m, "add<float>"));
  OK(GpuModule_kernel(&d, &m, "add<double>"));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(3), x));
  OK(GpuArray_fromhost(&b, ctx, GA_DOUBLE, GA_DIMS(3), y));
  OK(GpuKernel_launch(&f, grid, block, 0, GA_ARGS(ARRAY(&a), VALUE(GA_FLOAT, &bf))));
  OK(GpuKernel_launch(&d, grid, block, 0, GA_ARGS(ARRAY(&b), VALUE(GA_DOUBLE, &bd))));
  expect(&a, want, 3);
  OK(GpuArray_tohost(got, sizeof got, GA_DOUBLE, &b));
  for (int i = 0; i < 3; i++) ck_assert(got[i] == want[i]);
  GpuKernel_clear(&f);
  GpuKernel_clear(&d);
  GpuModule_clear(&m);
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  end();
}
END_TEST

START_TEST(arguments_are_checked_against_the_kernel)
{
  GpuKernel k;
  GpuArray a;
  size_t n = 4, one[3] = {1, 1, 1}, many[3] = {2000, 1, 1};
  int count = 4;
  double wide = 4;
  begin();
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  OK(GpuKernel_build(&k, ctx, doublify, "doublify"));
  if (GpuKernel_launch(&k, one, one, 0, GA_ARGS(ARRAY(&a))) == GA_NO_ERROR)
    fprintf(stderr, "skipped: this driver does not tell a kernel's parameters\n");
  else {
    FAILS(GA_VALUE_ERROR, "takes 2 arguments, got 1",
          GpuKernel_launch(&k, one, one, 0, GA_ARGS(ARRAY(&a))));
    FAILS(GA_VALUE_ERROR, "the kernel takes 4 bytes",
          GpuKernel_launch(&k, one, one, 0, GA_ARGS(ARRAY(&a), VALUE(GA_DOUBLE, &wide))));
    FAILS(GA_VALUE_ERROR, "ga_scalar",
          GpuKernel_launch(&k, one, one, 0, GA_ARGS(ARRAY(&a), ga_int(NULL, 4))));
  }
  FAILS(GA_VALUE_ERROR, "block (2000, 1, 1)",
        GpuKernel_launch(&k, one, many, 0, GA_ARGS(ARRAY(&a), VALUE(GA_INT, &count))));
  FAILS(GA_VALUE_ERROR, "shared memory",
        GpuKernel_launch(&k, one, one, (size_t)1 << 20, GA_ARGS(ARRAY(&a), VALUE(GA_INT, &count))));
  OK(GpuKernel_launch(&k, one, one, 0, GA_ARGS(ARRAY(&a), VALUE(GA_INT, &count))));
  OK(gpucontext_sync(ctx)); /* nothing that was refused did harm */
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  end();
}
END_TEST

START_TEST(large_shared_memory_is_opted_into)
{
  static const char source[] =
      "extern __shared__ int room[];\n"
      "extern \"C\" __global__ void turn(int *a, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = a[i];\n"
      "  __syncthreads();\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = room[n - 1 - i];\n"
      "}\n";
  enum { n = 60 * 256 }; /* 60 KiB */
  GpuKernel k;
  GpuArray a;
  int *x = malloc(n * sizeof *x), count = n;
  size_t one[3] = {1, 1, 1}, block[3] = {128, 1, 1};
  begin();
  for (int i = 0; i < n; i++) x[i] = i;
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(n), x));
  OK(GpuKernel_build(&k, ctx, source, "turn"));
  OK(GpuKernel_launch(&k, one, block, n * sizeof *x, GA_ARGS(ARRAY(&a), VALUE(GA_INT, &count))));
  OK(GpuArray_tohost(x, n * sizeof *x, GA_INT, &a));
  for (int i = 0; i < n; i++) ck_assert_int_eq(x[i], n - 1 - i);
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  free(x);
  end();
}
END_TEST

START_TEST(atomics_of_cluda_add_and_swap)
{
  static const char source[] =
      "#include \"cluda.h\"\n"
      "KERNEL void count(ga_int *i, ga_uint *u, ga_long *l, ga_ulong *ul, ga_float *f,\n"
      "                  ga_double *d, ga_half *h) {\n"
      "  LOCAL_MEM ga_int part;\n"
      "  if (LID_0 == 0) part = 0;\n"
      "  local_barrier();\n"
      "  atom_add_il(&part, 1);\n"
      "  local_barrier();\n"
      "  if (LID_0 == 0) atom_add_ig(i, part);\n"
      "  atom_add_Ig(u, 2u); atom_add_lg(l, -1); atom_add_Lg(ul, 3ull);\n"
      "  atom_add_fg(f, 1.f); atom_add_dg(d, 0.5);\n"
      "  atom_add_eg(h + 1, ga_float2half(0.25f));\n"
      "}\n";
  size_t grid[3] = {10, 1, 1}, block[3] = {96, 1, 1}, n = 2;
  static const int codes[] = {GA_INT, GA_UINT, GA_LONG, GA_ULONG, GA_FLOAT, GA_DOUBLE, GA_HALF};
  GpuArray a[7];
  gpuarg args[7];
  double got[7][2];
  GpuKernel k;
  begin();
  OK(GpuKernel_build(&k, ctx, source, "count"));
  for (int i = 0; i < 7; i++) {
    OK(GpuArray_zeros(&a[i], ctx, codes[i], 1, &n, GA_C_ORDER));
    args[i] = ARRAY(&a[i]);
  }
  OK(GpuKernel_launch(&k, grid, block, 0, 7, args));
  for (int i = 0; i < 7; i++) {
    OK(GpuArray_tohost(got[i], sizeof got[i], GA_DOUBLE, &a[i]));
    GpuArray_clear(&a[i]);
  }
  ck_assert(got[0][0] == 960 && got[1][0] == 1920 && got[2][0] == -960 && got[3][0] == 2880);
  ck_assert(got[4][0] == 960 && got[5][0] == 480);
  ck_assert(got[6][0] == 0 && got[6][1] == 240);
  GpuKernel_clear(&k);
  end();
}
END_TEST

START_TEST(fault_names_the_kernel_and_stays)
{
  static const char source[] =
      "extern \"C\" __global__ void wild(float *a) { a[(long long)threadIdx.x << 44] = 1; }\n";
  size_t one[3] = {1, 1, 1}, block[3] = {32, 1, 1}, n = 4;
  GpuKernel k;
  GpuArray a, b;
  float x[4];
  if (test_on_cpu()) return; /* a fault of the process there, unless checked: check_debug.c */
  begin();
  OK(GpuArray_zeros(&a, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  OK(GpuKernel_build(&k, ctx, source, "wild"));
  OK(GpuKernel_launch(&k, one, block, 0, GA_ARGS(ARRAY(&a))));
  FAILS(GA_IMPL_ERROR, "ILLEGAL_ADDRESS", GpuArray_read(x, sizeof x, &a));
  FAILS(GA_IMPL_ERROR, "wild", gpucontext_sync(ctx));
  FAILS(GA_IMPL_ERROR, "unusable", GpuArray_zeros(&b, ctx, GA_FLOAT, 1, &n, GA_C_ORDER));
  GpuKernel_clear(&k);
  GpuArray_clear(&a);
  end();
}
END_TEST

static const test_case cases[] = {CASE_LOOP(kernel_runs_on_views_with_their_offset, 6),
                                  CASE_LOOP(old_interface_computes, 6),
                                  CASE(each_module_has_its_globals),
                                  CASE(template_instances_run),
                                  CASE(arguments_are_checked_against_the_kernel),
                                  CASE(large_shared_memory_is_opted_into),
                                  CASE(atomics_of_cluda_add_and_swap),
                                  CASE(fault_names_the_kernel_and_stays),
                                  CASE_END};

int main(void) { return test_main("kernel", cases); }
