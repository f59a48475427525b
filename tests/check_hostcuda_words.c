/* SPDX-License-Identifier: MIT */
/* CUDA's vocabulary beyond its core, for kernels on the CPU: groups of every kind,
 * the functions of its maths that C has not, the standard headers, and names that
 * only look like those of what there is not. */
#include <stdlib.h>
#include <gpuarray.h>

#include "tests/device.h"

/* Runs kernel `k` of `text` on 64 threads; it leaves 1 in out[i] for each of n
 * statements i that holds. */
static void all_hold(const char *text, size_t n)
{
  gpucontext *ctx = NULL;
  GpuKernel k = {0};
  GpuArray a = {0};
  int out[32];
  ck_assert_uint_le(n, 32);
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, &n, GA_C_ORDER));
  OK(GpuKernel_launch(&k, (size_t[3]){1, 1, 1}, (size_t[3]){64, 1, 1}, 256,
                      GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, n * sizeof *out, GA_INT, &a));
  for (size_t i = 0; i < n; i++) ck_assert_msg(out[i] == 1, "statement %zu: %d", i, out[i]);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}

START_TEST(tiles_of_tiles_know_their_place)
{
  all_hold("#include <cooperative_groups.h>\n"
           "using namespace cooperative_groups;\n"
           "__device__ int rank(thread_block_tile<4> t) { return t.thread_rank(); }\n"
           "__global__ void k(int *out) {\n"
           "  thread_block b = this_thread_block();\n"
           "  thread_block_tile<32> t = tiled_partition<32>(b);\n"
           "  thread_block_tile<4> q = tiled_partition<4>(t);\n"
           "  auto whole = tiled_partition<4>(b);\n"
           "  if (threadIdx.x != 55) return;\n"
           "  out[0] = q.meta_group_rank() == 5 && q.meta_group_size() == 8;\n"
           "  out[1] = whole.meta_group_rank() == 13 && whole.meta_group_size() == 16;\n"
           "  out[2] = t.meta_group_rank() == 1 && t.meta_group_size() == 2;\n"
           "  out[3] = rank(q) == 3 && rank(whole) == 3;\n"
           "}\n",
           4);
}
END_TEST

/* What stands for a word begins with ::, which joins a % or a : before it to another token. */
START_TEST(words_need_no_space_before_them)
{
  all_hold("__device__ int left(int i) { return i%blockDim.x; }\n"
           "__device__ int other(int i) { return i ? 5:threadIdx.x; }\n"
           "__device__ int waits(int i) {\n"
           "  switch (i) { case 1:__syncthreads(); break; default:__syncthreads(); }\n"
           "  return i<blockDim.x ? i:__shfl_sync(~0u, i, 0)%warpSize;\n"
           "}\n"
           "__global__ void k(int *out) {\n"
           "  int w = waits(1), v = waits(100);\n"
           "  if (threadIdx.x != 7) return;\n"
           "  out[0] = left(67) == 3;\n"
           "  out[1] = other(0) == 7 && other(1) == 5;\n"
           "  out[2] = w == 1 && v == 4;\n"
           "}\n",
           3);
}
END_TEST

/* The compiler says what it is, and a kernel may be inline. */
START_TEST(texts_may_ask_for_the_compilers_version)
{
  all_hold("#if __CUDACC_VER_MAJOR__ < 12 || !defined __CUDACC_VER_MINOR__ || __CUDA_ARCH_LIST__ "
           "!= 700\n"
           "#error an old compiler\n"
           "#endif\n"
           "__global__ inline void a(int *out) { out[1] = 1; }\n"
           "__forceinline__ __global__ void b(int *out) { out[1] = 1; }\n"
           "template<class T> inline __global__ void c(T *out) { out[1] = 1; }\n"
           "static inline __global__ void k(int *out) { out[0] = __CUDACC_VER_BUILD__ >= 0; }\n",
           1);
}
END_TEST

/* The name of dynamic memory outside of functions is a parameter's in some. */
START_TEST(parameters_hide_dynamic_memory)
{
  all_hold("extern __shared__ int s[];\n"
           "__device__ int at(const volatile int *s, int i) { return s[i]; }\n"
           "__device__ int second(int (&s)[4]) { return s[1]; }\n"
           "__device__ int third(int s[]) { return s[2]; }\n"
           "__device__ int by(int i, const int *p = s) { return p[i]; }\n"
           "__global__ void k(int *out) {\n"
           "  int l[4] = {1, 2, 3, 4};\n"
           "  s[threadIdx.x%8] = threadIdx.x%8;\n"
           "  __syncthreads();\n"
           "  if (threadIdx.x != 0) return;\n"
           "  out[0] = at(s, 5) == 5 && at(l, 0) == 1;\n"
           "  out[1] = second(l) == 2 && third(l) == 3 && third(s) == 2;\n"
           "  out[2] = by(6) == 6 && 9%s[2] == 1 && (l[0]?s[3]:s[4]) == 3;\n"
           "}\n",
           3);
}
END_TEST

START_TEST(a_group_may_be_of_any_kind)
{
  all_hold("#include <cooperative_groups.h>\n"
           "using namespace cooperative_groups;\n"
           "__device__ int total(thread_group g, int *temp, int v) {\n"
           "  int lane = g.thread_rank();\n"
           "  for (int i = g.size() / 2; i > 0; i /= 2) {\n"
           "    temp[lane] = v; g.sync();\n"
           "    if (lane < i) v += temp[lane + i];\n"
           "    g.sync();\n"
           "  }\n"
           "  return v;\n"
           "}\n"
           "__global__ void k(int *out) {\n"
           "  extern __shared__ int temp[];\n"
           "  int t = threadIdx.x, v = total(this_thread_block(), temp, t);\n"
           "  if (t == 0) out[0] = v == 2016;\n"
           "  auto g = tiled_partition(this_thread_block(), 16);\n"
           "  v = total(g, temp + t / 16 * 16, t);\n"
           "  if (t == 48) out[1] = v == 888 && g.size() == 16;\n"
           "  v = total(tiled_partition<8>(this_thread_block()), temp + t / 8 * 8, t);\n"
           "  if (t == 8) out[2] = v == 92;\n"
           "}\n",
           3);
}
END_TEST

START_TEST(ranks_of_coalesced_threads_are_dense)
{
  all_hold("#include <cooperative_groups.h>\n"
           "namespace cg = cooperative_groups;\n"
           "__global__ void k(int *out) {\n"
           "  int t = threadIdx.x;\n"
           "  if (t % 3 != 0 || t >= 32) return;\n" /* 0, 3, ... 30: eleven of them */
           "  auto g = cg::coalesced_threads();\n"
           "  int down = g.shfl_down(t, 1), up = g.shfl_up(t, 2), last = g.shfl(t, 10);\n"
           "  unsigned even = g.ballot(t % 2 == 0), mine = g.match_any(t > 20);\n"
           "  int most = cg::reduce(g, t, cg::greater<int>());\n"
           "  out[t / 3] = g.thread_rank() == t / 3 && g.size() == 11 && last == 30 &&\n"
           "               down == (t == 30 ? 30 : t + 3) && up == (t < 6 ? t : t - 6) &&\n"
           "               even == 0x555 && mine == (t > 20 ? 0x780 : 0x7f) && most == 30;\n"
           "}\n",
           11);
}
END_TEST

START_TEST(functions_that_c_has_not_are_there)
{
  all_hold(
      "__device__ bool near(double a, double b) { return fabs(a - b) <= 4e-16 * fabs(b); }\n"
      "__global__ void k(int *out) {\n"
      "  double v[4] = {1, 2, 4, 10}; float f[2] = {3, 4};\n"
      "  out[0] = near(erfinv(0.3), 0.27246271472675435) && near(erfinv(0.9), 1.1630871536766743)\n"
      "           && erfinv(-1.0) == -INFINITY && isnan(erfinv(1.1)) && near(erfinv(1e-300), "
      "8.862269254527581e-301);\n"
      "  out[1] = near(erfcinv(1e-20), 6.601580622355143) && erfcinv(2.0) == -INFINITY;\n"
      "  out[2] = near(normcdfinv(0.975), 1.9599639845400545) && normcdfinv(0.5) == 0;\n"
      "  out[3] = near(erfcx(2.0), 0.2553956763105057) && near(erfcx(30.0), "
      "0.018795888861416751);\n"
      "  out[4] = near(cyl_bessel_i0(1.0), 1.2660658777520084);\n"
      "  out[5] = near(cyl_bessel_i1(-40.0), -14707396163259352.0);\n"
      "  out[6] = norm(4, v) == 11 && rnorm4d(1, 1, 1, 1) == 0.5 && normf(2, f) == 5;\n"
      "  out[7] = erfinvf(0) == 0 && erfcxf(0) == 1 && isnan(nanf(\"\")) && fdivide(1., 4.) == "
      ".25;\n"
      "  out[8] = scalbln(3.0, 2l) == 12 && jn(0, 0.0) == 1 && ullmax(2ull, 3ull) == 3;\n"
      "}\n",
      9);
}
END_TEST

START_TEST(standard_headers_agree_with_the_vocabulary)
{
  all_hold(
      "#include <cmath>\n#include <math.h>\n#include <limits>\n#include <type_traits>\n"
      "#include <cuda_bf16.h>\n"
      "__global__ void k(int *out) {\n"
      "  __shared__ __nv_bfloat162 sum;\n"
      "  if (threadIdx.x == 0) sum = __floats2bfloat162_rn(0, 0);\n"
      "  __syncthreads();\n"
      "  atomicAdd(&sum, __floats2bfloat162_rn(1, 2));\n"
      "  __syncthreads();\n"
      "  out[0] = (float)sum.x == 64 && (float)sum.y == 128;\n"
      "  out[1] = std::sqrt(4.0f) == 2 && __tanhf(0) == 0 && nan(\"\") != 0 && jn(0, 0.0) == 1;\n"
      "}\n",
      2);
}
END_TEST

START_TEST(names_like_those_of_textures_are_names)
{
  all_hold(
      "struct pass { int texture, wmma; };\n"
      "__device__ int tex2D_weight(int a) { return a; }\n"
      "__device__ int __pmul(int a, int any) { return a * any; }\n"
      "__global__ void k(int *out) {\n"
      "  pass p = {1, 2};\n"
      "  int surf2Dness = 3, wmma = 4;\n"
      "  out[0] = tex2D_weight(p.texture < 2 && p.wmma > 1) + surf2Dness + __pmul(wmma, 1) == 8;\n"
      "}\n",
      1);
}
END_TEST

START_TEST(globals_may_be_of_a_class_declared_with_them)
{
  all_hold("__constant__ struct { int a; float b; } p = {4, 2.0f}, q = {1, 0};\n"
           "__device__ struct pair { int a, b; } r[2] = {{5, 6}, {7, 8}};\n"
           "__global__ void k(int *out) {\n"
           "  __builtin_assume(out != nullptr);\n"
           "  out[0] = p.a == 4 && p.b == 2 && q.a == 1;\n"
           "  out[1] = r[1].b == 8 && sizeof(pair) == 8;\n"
           "}\n",
           2);
}
END_TEST

static const test_case cases[] = {CASE(tiles_of_tiles_know_their_place),
                                  CASE(words_need_no_space_before_them),
                                  CASE(texts_may_ask_for_the_compilers_version),
                                  CASE(parameters_hide_dynamic_memory),
                                  CASE(a_group_may_be_of_any_kind),
                                  CASE(ranks_of_coalesced_threads_are_dense),
                                  CASE(functions_that_c_has_not_are_there),
                                  CASE(standard_headers_agree_with_the_vocabulary),
                                  CASE(names_like_those_of_textures_are_names),
                                  CASE(globals_may_be_of_a_class_declared_with_them),
                                  CASE_END};

int main(void)
{
  setenv("GPUARRAY_CACHE", "off", 1); /* what was built once is not looked at again */
  return test_main("hostcuda_words", cases);
}
