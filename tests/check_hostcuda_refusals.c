/* SPDX-License-Identifier: MIT */
/* What CUDA C on the CPU refuses, and how it says so: what a text holds that there is
 * not, errors of the compiler, failed assertions, launches beyond CUDA's limits. */
#include <stdlib.h>
#include <gpuarray.h>

#include "tests/device.h"

static gpucontext *ctx;

static const size_t one[3] = {1, 1, 1};

START_TEST(failed_assertion_is_an_error_and_no_end)
{
  static const char text[] = "#include <assert.h>\n"
                             "__global__ void k(int *out) {\n"
                             "  assert(out[threadIdx.x] == 1);\n"
                             "}\n";
  GpuKernel k = {0};
  GpuArray a = {0};
  int x[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  if (!test_on_cpu()) return; /* it would leave the GPU's context unusable */
  ctx = test_context();
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(8), x));
  OK(GpuKernel_launch(&k, one, (size_t[3]){8, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  x[5] = 2;
  OK(GpuArray_write(&a, x, sizeof x));
  FAILS(GA_IMPL_ERROR, "source.cu:3: assertion failed: out[threadIdx.x] == 1",
        GpuKernel_launch(&k, one, (size_t[3]){8, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  x[5] = 1;
  OK(GpuArray_write(&a, x, sizeof x));
  OK(GpuKernel_launch(&k, one, (size_t[3]){8, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

static const struct {
  const char *text, *words;
} refused[] = {
    {"__global__ void k(int *a) {\n  asm(\"mov.u32 %0, %%envreg0;\" : \"=r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (mov.u32)"},
    {"__global__ void k(int *a) {\n  asm(\"bar.arrive 1;\");\n}\n",
     "source.cu:2: inline PTX (bar.arrive)"},
    {"__global__ void k(int *a) {\n  asm(\"ld.global.v4.u32 %0, [%1];\" : \"=r\"(a[0]) : "
     "\"l\"(a));\n}\n",
     "source.cu:2: inline PTX (ld.global.v4.u32)"},
    {"__global__ void k(float *a) {\n  asm(\"add.rz.sat.f32 %0, %1, 0f3F800000;\" : \"=f\"(a[0]) : "
     "\"f\"(a[1]));\n}\n",
     "source.cu:2: inline PTX (add.rz.sat.f32)"},
    {"__global__ void k(int *a) {\n  asm(\"add.f16 %0, %0, 1.5;\" : \"+h\"(*(short *)a));\n}\n",
     "source.cu:2: inline PTX (add.f16)"},
    {"__global__ void k(int *a) {\n  asm(\".cc %0, %0, 0;\" : \"+r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (.cc)"},
    {"__global__ void k(int *a) {\n  asm(\"{ .reg .u32 t;\");\n  asm(\"}\");\n}\n",
     "source.cu:2: inline PTX (a block of several asm)"},
    {"__constant__ char t[] = \"s32\";\n__global__ void k(int *a) {\n  asm(\"add.%1 %0, %0, 1;\" : "
     "\"+r\"(a[0]) : \"C\"(t));\n}\n",
     "source.cu:3: inline PTX (asm)"},
    {"__global__ void k(int *a) {\n  asm(\"min.NaN.f32 %0, %0, %0;\" : \"+r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (min.NaN.f32)"},
    {"__global__ void k(int *a) {\n  asm(\"bfind.shiftamt.u32 %0, %0;\" : \"+r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (bfind.shiftamt.u32)"},
    {"__global__ void k(int *a) {\n  asm(\"dp4a.u32.s32 %0, %0, %0, %0;\" : \"+r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (dp4a.u32.s32)"},
    {"__global__ void k(int *a) {\n  asm(\"cp.async.ca.shared.global.L2::cache_hint [%0], [%1], "
     "16, %1;\" : \"+r\"(a[0]) : \"l\"(a));\n}\n",
     "source.cu:2: inline PTX (cp.async.ca.shared.global.L2::cache_hint)"},
    {"__global__ void k(int *a) {\n  asm(\"cp.async.ca.shared.global [%0], [x], 16;\" : "
     "\"+r\"(a[0]));\n}\n",
     "source.cu:2: inline PTX (cp.async.ca.shared.global)"},
    {"\ntexture<float> t;\n__global__ void k() {}\n", "source.cu:2: a texture"},
    {"__global__ void k(cudaTextureObject_t t, float *a) {\n  a[0] = tex2D<float>(t, 0, 0);\n}\n",
     "source.cu:1: a texture"},
    {"__global__ void k(int *a) {\n  asm(\"mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0, "
     "%1}, "
     "{%2}, {%2}, {%0, %1};\" : \"+r\"(a[0]), \"+r\"(a[1]) : \"r\"(a[2]));\n}\n",
     "source.cu:2: inline PTX (mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32)"},
    {"__global__ void k() {\n\n  nvcuda::wmma::bmma_sync(0, 0);\n}\n",
     "source.cu:3: a tensor-core instruction on bits"},
    {"__global__ void c() {}\n__global__ void k() {\n  c<<<1, 1>>>();\n}\n",
     "source.cu:3: a launch from a kernel"},
    {"surface<void, 2> s;\n__global__ void k() {}\n", "source.cu:1: a surface"},
    {"__global__ void k(cudaSurfaceObject_t s) {\n  surf2Dwrite(1, s, 0, 0);\n}\n",
     "source.cu:1: a surface"},
    {"__global__ void k(unsigned long long t, float *a) {\n  a[0] = tex1Dfetch<float>(t, 0);\n}\n",
     "source.cu:2: a texture"},
    {"__global__ void k(unsigned long long t, float *a) {\n\n  a[0] = tex2DLod<float>(t, 0, 0, "
     "0);\n"
     "}\n",
     "source.cu:3: a texture"},
    {"#define BREAK asm volatile(\"brkpt;\")\n__global__ void k() {\n  BREAK;\n}\n",
     "source.cu:3: inline PTX (brkpt)"},
    {"__global__ void k(int *a) {\n  __asm__(\"\" ::: \"memory\");\n"
     "  __asm__ volatile(\"exit;\");\n}\n",
     "source.cu:3: inline PTX (exit)"},
    {"__global__ void __cluster_dims__(2) k() {}\n", "source.cu:1: a thread block cluster"},
    {"__global__ void k() {\n  cudaDeviceSynchronize();\n}\n",
     "source.cu:2: the run-time of the device"},
    {"__global__ void k(int *a) {\n  a[0] = __mma_m16n8k8(a[0]);\n}\n",
     "source.cu:2: a tensor-core instruction"},
    {"#include <cooperative_groups.h>\n__global__ void k() {\n"
     "  auto c = cooperative_groups::this_cluster();\n}\n",
     "source.cu:3: a thread block cluster"},
    {"__global__ void k(int *a) {\n\n  a[0] = __any(a[1]);\n}\n",
     "source.cu:3: a warp operation without a mask (use __any_sync)"},
    {"__global__ void k(int *a) {\n  a[0] = __shfl(a[1], 0);\n}\n",
     "source.cu:2: a warp operation without a mask (use __shfl_sync)"},
    {"__global__ void k(float **a) {\n\n  cudaMalloc((void **)a, 4);\n}\n",
     "source.cu:3: the run-time of the device"},
    {"__global__ void k(const __grid_constant__ CUtensorMap m) {}\n", "source.cu:1: a bulk copy"},
    {"__global__ void k(cudaGraphExec_t g) {\n  cudaGraphLaunch(g, 0);\n}\n",
     "source.cu:1: a graph launched from a kernel"},
};

START_TEST(what_there_is_not_is_named_with_its_line)
{
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  FAILS(GA_UNSUPPORTED_ERROR, refused[_i].words, GpuModule_init(&m, ctx, refused[_i].text, NULL));
  gpucontext_deref(ctx);
}
END_TEST

/* Of blocks of 96 threads; a[0] is 0. */
static const struct {
  const char *text, *words;
} launches[] = {
    {"__global__ void k(int *a) {\n  asm volatile(\"bar.sync %0, 64;\" :: \"r\"(a[0] + 16));\n}\n",
     "source.cu:2: there is no such barrier: they are 0 to 15"},
    {"__global__ void k(int *a) {\n  asm volatile(\"bar.sync 1, 33;\");\n}\n",
     "source.cu:2: barrier 1 counts 33 threads, which are no whole warps"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 32)\n    asm volatile(\"bar.sync 1, "
     "64;\");\n"
     "  else\n    asm volatile(\"bar.sync 1, 96;\");\n}\n",
     "source.cu:5: barrier 1 counts 96 threads here, and 64 where others arrived"},
    {"__global__ void k(int *a) {\n  float c[4] = {}; unsigned r = 0;\n  if (threadIdx.x < 40)\n"
     "    asm volatile(\"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, "
     "{%4}, {%0,%1,%2,%3};\" : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : "
     "\"r\"(r));\n}\n",
     "source.cu:4: diverged warp operation: all lanes must be there, and 0x000000ff are"},
    {"#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(int *a) {\n"
     "  if (threadIdx.x % 32 == 31) return;\n  fragment<matrix_a, 16, 16, 16, half, row_major> x;\n"
     "  fragment<matrix_b, 16, 16, 16, half, row_major> y;\n"
     "  fragment<accumulator, 16, 16, 16, float> c;\n  mma_sync(c, x, y, c);\n}\n",
     "diverged warp operation: all lanes must be there, and 0x7fffffff are"},
};

START_TEST(launches_that_cannot_end_well_are_named_with_their_line)
{
  GpuKernel k = {0};
  GpuArray a = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  OK(GpuKernel_build(&k, ctx, launches[_i].text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[]){1}, GA_C_ORDER));
  FAILS(GA_IMPL_ERROR, launches[_i].words,
        GpuKernel_launch(&k, one, (size_t[3]){96, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(compile_errors_have_the_sources_lines)
{
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  FAILS(GA_IMPL_ERROR, "source.cu:3",
        GpuModule_init(&m, ctx, "__global__ void k(int *a) {\n\n  a[0] = nothing;\n}\n", NULL));
  ck_assert_ptr_null(strstr(gpuarray_error_message(), "/gpuarray-"));
  /* the user's text, and nothing of what was made of it */
  FAILS(GA_IMPL_ERROR, "   2    __syncthreads(); int x = threadIdx.x; a[0] = nothing + x;",
        GpuModule_init(&m, ctx,
                       "__global__ void k(int *a) {\n"
                       "  __syncthreads(); int x = threadIdx.x; a[0] = nothing + x;\n}\n",
                       NULL));
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "source.cu:2: error: "));
  ck_assert_ptr_null(strstr(gpuarray_error_message(), "uint3"));
  ck_assert_ptr_null(strstr(gpuarray_error_message(), "ga_hc_"));
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(shared_memory_has_no_initializers)
{
  static const char *const texts[] = {
      "__global__ void k() {\n  __shared__ int s = 3;\n  s++;\n}\n",
      ("template<int N> __device__ void f() {\n  static __shared__ float s[2][N] = {{1}};\n}\n"
       "__global__ void k() { f<2>(); }\n"),
      "\n__shared__ struct { int a[2]; } s, t = {};\n__global__ void k() { s = t; }\n"};
  static const char right[] = "template<bool is, class T> struct pair { T a, b; };\n"
                              "template<int N> __device__ void f() {\n"
                              "  __shared__ pair<N == 2, int> s; s.a = N;\n"
                              "  __shared__ pair<N != 2, pair<(2) == N, int>> t[N]; t[0].a.a = N;\n"
                              "  __shared__ pair<N <= 2, int> u; u.a = N;\n"
                              "  __shared__ pair<N >= 2, int> v; v.a = N;\n"
                              "}\n"
                              "__global__ void k(int *a, int n = 1) {\n"
                              "  __shared__ int s[sizeof(int) == 4 ? 1 : 2]; int *p = NULL;\n"
                              "  p = s; *p = 1; f<2>();\n"
                              "}\n";
  GpuModule m = {0};
  ctx = test_context();
  for (size_t i = 0; i < 3; i++)
    FAILS(GA_IMPL_ERROR, "initializ", GpuModule_init(&m, ctx, texts[i], NULL));
  OK(GpuModule_init(&m, ctx, right, NULL));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

/* A text that runs into what stands behind it, and no word of that. */
START_TEST(what_follows_an_error_is_left_out)
{
  static const struct {
    const char *words, *text;
  } broken[] = {
      {"source.cu:2: error: no '}' closes this '{'",
       "__device__ int f() { return 1; }\n__global__ void k(int *a) {\n  if (*a) { *a = 1;\n}\n"},
      {"source.cu:2: error: a __global__ function returns void",
       "\n__global__ int k(int *a) { return a[0]; }\n"},
      {"source.cu:1: error: ", "__global__ void k(int *a) { const char *s = \"abc; }\n"},
      {"source.cu:1: error: ", "struct s { int x; }\n__global__ void k(int *a) { *a = 1; }\n"}};
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    FAILS(GA_IMPL_ERROR, broken[i].words, GpuModule_init(&m, ctx, broken[i].text, NULL));
    ck_assert_ptr_null(strstr(gpuarray_error_message(), "ga_hc_"));
  }
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(without_a_compiler_the_message_says_what_was_looked_for)
{
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  setenv("GPUARRAY_CACHE", "off", 1);
  setenv("GPUARRAY_CXX", "no-such-compiler", 1);
  FAILS(GA_UNSUPPORTED_ERROR, "no-such-compiler",
        GpuModule_init(&m, ctx, "__global__ void k() {}", NULL));
  unsetenv("GPUARRAY_CXX");
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(launches_outside_cudas_limits_are_refused)
{
  static const size_t bad[][6] = {
      {0, 1, 1, 1, 1, 1},   {1, 65536, 1, 1, 1, 1}, {1, 1, 1, 0, 1, 1},  {1, 1, 1, 1025, 1, 1},
      {1, 1, 1, 32, 33, 1}, {1, 1, 1, 1, 1, 65},    {1, 1, 1, 129, 1, 1}};
  GpuKernel k = {0};
  if (!test_on_cpu()) return;
  ctx = test_context();
  OK(GpuKernel_build(&k, ctx, "__global__ void __launch_bounds__(64 * 2) k() {}", "k"));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    FAILS(GA_VALUE_ERROR, "launch of k", GpuKernel_launch(&k, bad[i], bad[i] + 3, 0, 0, NULL));
  FAILS(GA_VALUE_ERROR, "shared", GpuKernel_launch(&k, one, one, 1 << 20, 0, NULL));
  OK(GpuKernel_launch(&k, one, (size_t[3]){128, 1, 1}, 0, 0, NULL));
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

/* Kernels of one name: it does not say which is meant. */
START_TEST(overloads_are_named_as_the_fault)
{
  GpuKernel k;
  if (!test_on_cpu()) return;
  ctx = test_context();
  FAILS(GA_VALUE_ERROR, "kernel 'f': the module has none, or overloads",
        GpuKernel_build(&k, ctx, "__global__ void f(int *) {}\n__global__ void f(float *) {}\n",
                        "f"));
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE(failed_assertion_is_an_error_and_no_end),
    CASE_LOOP(what_there_is_not_is_named_with_its_line, sizeof refused / sizeof *refused),
    CASE_LOOP(launches_that_cannot_end_well_are_named_with_their_line,
              sizeof launches / sizeof *launches),
    CASE(compile_errors_have_the_sources_lines),
    CASE(shared_memory_has_no_initializers),
    CASE(what_follows_an_error_is_left_out),
    CASE(without_a_compiler_the_message_says_what_was_looked_for),
    CASE(launches_outside_cudas_limits_are_refused),
    CASE(overloads_are_named_as_the_fault),
    CASE_END};

int main(void)
{
  setenv("GPUARRAY_CACHE", "off", 1); /* what was built once is not looked at again */
  return test_main("hostcuda_refusals", cases);
}
