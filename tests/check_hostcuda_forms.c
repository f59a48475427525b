/* SPDX-License-Identifier: MIT */
/* Kernels on the CPU in whatever form CUDA lets them be written: attributes among
 * CUDA's words, names in parentheses, other standards of C++, and barriers behind
 * another name than their function's. */
#include "tests/forms.h"

START_TEST(attributes_stand_among_cudas_words)
{
  static const form forms[] = {
      {0, 0, "__global__ [[maybe_unused]] void k(int *out) { out[0] = 1; }"},
      {0, 0, "[[maybe_unused]] __global__ void k(int *out) { out[0] = 1; }"},
      {0, 0,
       "__global__ __launch_bounds__(64) [[maybe_unused]] static void k(int *out) { *out = 1; }"},
      {0, 0,
       "__device__ __forceinline__ [[nodiscard]] int f() { return 1; }\n"
       "__device__ __noinline__ [[nodiscard]] int g() { return 1; }\n"
       "__device__ __inline_hint__ int h() { return 1; }\n"
       "__global__ void k(int *out) { out[0] = f() * g() * h(); }"},
      {0, 0,
       "__device__ alignas(64) char c[3];\n__constant__ [[maybe_unused]] alignas(32) int d = 1;\n"
       "__global__ void k(int *out) {\n"
       "  __shared__ alignas(float4) float s[4];\n"
       "  __shared__ [[maybe_unused]] alignas(8 * (2 + 2)) int t[2];\n"
       "  alignas(16) __shared__ float u[4];\n"
       "  size_t low = (size_t)s % 16 | (size_t)t % 32 | (size_t)u % 16 | (size_t)c % 64 | "
       "(size_t)&d % 32;\n"
       "  out[0] = low == 0 && d == 1;\n}"}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(names_stand_in_parentheses)
{
  static const form forms[] = {
      {0, 0, "__global__ void (k)(int *out) { __syncthreads(); out[0] = threadIdx.x < 32; }"},
      {0, 0,
       "__device__ int (f)(int a) { return __shfl_xor_sync(~0u, a, 31); }\n"
       "__device__ int (*p)(int) = nullptr;\n"
       "__global__ void k(int *out) { int r = f(threadIdx.x); if (r == 31) out[0] = p == nullptr; "
       "}"}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(dynamic_memory_is_declared_in_any_order)
{
  static const form forms[] = {
      {0, 0,
       "__global__ void k(int *out) {\n  extern double __shared__ a[];\n"
       "  __shared__ extern int b[];\n  extern volatile __shared__ unsigned int c[];\n"
       "  extern unsigned long long __shared__ d[];\n"
       "  out[0] = (void *)a == (void *)b && (void *)c == (void *)d && a == (double *)d && "
       "sizeof *d == 8;\n}"}};
  ALL_HOLD(forms);
}
END_TEST

/* Loops that look like those that wait. */
START_TEST(any_loop_may_be_written)
{
  static const form forms[] = {
      {0, 0,
       "__device__ volatile int v;\n__global__ void k(int *out) {\n  int n = 0, i = 0;\n"
       "  do if (i < 3) { n++; } while (++i < 5 + v);\n  do if (i < 3) n++; else { n += 2; } "
       "while (--i > v);\n"
       "  while (i++ < 9) ;\n  for (; i-- > v;) {}\n  do ; while (i++ < 3);\n"
       "  do { do n++; while (v != 0); } while (v);\n  while (v) while (v) ;\n"
       "  int js[] = {1, 2};\n  for (int j : js) while (j-- > v) n++;\n"
       "#pragma unroll\n  while (v) n--;\n"
       "  out[0] = n == 15;\n}"}};
  ALL_HOLD(forms);
}
END_TEST

START_TEST(standards_of_c_are_chosen)
{
  static const form forms[] = {{0, "--std=c++20",
                                "template <class T> concept word = sizeof(T) == 4;\ntemplate <word "
                                "T> T one() { return 1; }\n"
                                "__global__ void k(int *out) { out[0] = one<int>(); }"},
                               {0, "-std=c++14", "__global__ void k(int *out) { out[0] = 1; }"}};
  ALL_HOLD(forms);
}
END_TEST

#define RUN                                                                       \
  "__device__ int run(int v) {\n  __shared__ int t[32];\n  t[threadIdx.x] = v;\n" \
  "  __syncthreads();\n  return t[31 - threadIdx.x];\n}\n"
#define TURN \
  "struct turn { __device__ int operator()(int v) { return __shfl_xor_sync(~0u, v, 31); } };\n"
#define CALLS(f) "{ int r = " f "; if (threadIdx.x == 3) out[0] = r == 28; }\n"

START_TEST(barriers_are_found_behind_other_names)
{
  static const form forms[] = {
      {0, 0,
       RUN "typedef int (*fn)(int);\n__device__ fn table[] = {run};\n"
           "__global__ void k(int *out) " CALLS("table[0](threadIdx.x)")},
      {0, 0,
       RUN "static constexpr auto p = run;\n__global__ void k(int *out) " CALLS("p(threadIdx.x)")},
      {0, 0,
       "__device__ auto f = [](int v) { return __shfl_xor_sync(~0u, v, 31); };\n"
       "__global__ void k(int *out) " CALLS("f(threadIdx.x)")},
      {0, 0,
       TURN "using other = turn;\n__global__ void k(int *out) " CALLS("other{}(threadIdx.x)")},
      {"k<run>", 0,
       RUN "template <int (*f)(int)> __global__ void k(int *out) " CALLS("f(threadIdx.x)")},
      {"k<turn>", 0,
       TURN "template <class F> __global__ void k(int *out) " CALLS("F()(threadIdx.x)")},
      {"k<other>", 0,
       TURN "typedef turn other;\n"
            "template <class F> __global__ void k(int *out) " CALLS("F()(threadIdx.x)")},
      /* default arguments, of functions and templates; a base; a member's initializer in braces */
      {0, 0,
       RUN "__device__ int g(int v, int (*f)(int) = run) { return f(v); }\n"
           "__global__ void k(int *out) " CALLS("g(threadIdx.x)")},
      {"k<>", 0,
       TURN "template <class F = turn> __global__ void k(int *out) " CALLS("F()(threadIdx.x)")},
      {0, 0,
       TURN "struct same : turn {};\n__global__ void k(int *out) " CALLS("same()(threadIdx.x)")},
      {0, 0,
       RUN "struct one { int a, b; __device__ one(int v); };\n"
           "__device__ one::one(int v) : a{1} { b = run(v); }\n"
           "__global__ void k(int *out) " CALLS("one(threadIdx.x).b")}};
  ALL_HOLD(forms);
}
END_TEST

/* A pointer that another kernel has left in memory names no function. */
START_TEST(barriers_behind_unknown_pointers_are_told)
{
  static const char text[] = RUN "__device__ int (*p)(int);\n__global__ void set() { p = run; }\n"
                                 "__global__ void k(int *out) " CALLS("p(threadIdx.x)");
  const size_t one[3] = {1, 1, 1}, n = 1;
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  GpuKernel set = {0}, k = {0};
  GpuArray a = {0};
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, text, NULL));
  OK(GpuModule_kernel(&set, &m, "set"));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, &n, GA_C_ORDER));
  OK(GpuKernel_launch(&set, one, one, 0, GA_ARGS()));
  ck_assert_int_eq(GpuKernel_launch(&k, one, (size_t[3]){32, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))),
                   GA_IMPL_ERROR);
  ck_assert_msg(strstr(gpuarray_error_message(), "source.cu:4: it is reached by a pointer") != NULL,
                "%s", gpuarray_error_message());
  OK(GpuKernel_launch(&k, one, one, 0,
                      GA_ARGS(ga_array(NULL, &a)))); /* a thread alone waits for none */
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuKernel_clear(&set);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(lanes_that_take_no_part_give_zero)
{
  static const form forms[] = {
      {0, 0,
       "__global__ void k(int *out) {\n  int v = threadIdx.x + 1;\n  if (v > 8) return;\n"
       "  for (int i = 16; i > 0; i /= 2) v += __shfl_down_sync(0xff, v, i);\n"
       "  if (threadIdx.x == 0) out[0] = v == 36;\n}"}};
  ALL_HOLD(forms);
}
END_TEST

/* Where it is installed: what it says of halves is ours. */
START_TEST(the_toolkits_small_floats_are_there)
{
  static const form forms[] = {
      {0, 0,
       "#if __has_include(<cuda_fp8.hpp>)\n#include <cuda_fp8.h>\n"
       "__device__ bool good() {\n  __nv_fp8_e5m2 a(__float2half(3.f));\n"
       "  __nv_fp8x4_e4m3 q(make_float4(1, 2, 3, 4));\n"
       "  return (float)a == 3 && ((float4)q).w == 4 &&\n"
       "         __nv_cvt_float_to_fp8(1000.f, __NV_SATFINITE, __NV_E4M3) == 0x7e;\n}\n"
       "#else\n__device__ bool good() { return true; }\n#endif\n"
       "__global__ void k(int *out) { out[0] = good(); }"}};
  ALL_HOLD(forms);
}
END_TEST

static const test_case cases[] = {CASE(attributes_stand_among_cudas_words),
                                  CASE(names_stand_in_parentheses),
                                  CASE(dynamic_memory_is_declared_in_any_order),
                                  CASE(any_loop_may_be_written),
                                  CASE(standards_of_c_are_chosen),
                                  CASE(barriers_are_found_behind_other_names),
                                  CASE(barriers_behind_unknown_pointers_are_told),
                                  CASE(lanes_that_take_no_part_give_zero),
                                  CASE(the_toolkits_small_floats_are_there),
                                  CASE_END};

int main(void)
{
  setenv("GPUARRAY_CACHE", "off", 1); /* what was built once is not looked at again */
  return test_main("hostcuda_forms", cases);
}
