/* SPDX-License-Identifier: MIT */
/* CUDA C kernels run as CUDA has it: indices, shared memory, barriers, warps,
 * atomics, types, globals. Bodies run on either device. */
#include <gpuarray.h>
#include <math.h>
#include <stdint.h>

#include "tests/device.h"

/* For texts that on a GPU need the toolkit's headers, which NVRTC does not bring. */
static gpucontext *cpu_context(void)
{
  gpucontext *c = NULL;
  OK(gpucontext_init(&c, "cpu", NULL));
  return c;
}

static gpucontext *ctx;

static const size_t one[3] = {1, 1, 1};

/* Runs kernel `name` of `text` on one int array of n elements, zero before. */
static void run_int(int *out, size_t n, const char *text, const char *name, size_t grid,
                    size_t block, size_t shared)
{
  GpuKernel k = {0};
  GpuArray a = {0};
  memset(out, 0, n * sizeof *out);
  OK(GpuKernel_build(&k, ctx, text, name));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(n), out));
  OK(GpuKernel_launch(&k, (size_t[3]){grid, 1, 1}, (size_t[3]){block, 1, 1}, shared,
                      GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, n * sizeof *out, GA_INT, &a));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
}

START_TEST(doublify_doubles_a_4x4_block)
{
  ctx = test_context();
  static const char text[] = "__global__ void doublify(float *a)\n"
                             "{\n"
                             "  int idx = threadIdx.x + threadIdx.y*4;\n"
                             "  a[idx] *= 2;\n"
                             "}\n";
  GpuKernel k = {0};
  GpuArray a = {0};
  float x[16], y[16];
  for (int i = 0; i < 16; i++) x[i] = (float)i - 7.5f;
  OK(GpuKernel_build(&k, ctx, text, "doublify"));
  OK(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(4, 4), x));
  OK(GpuKernel_launch(&k, one, (size_t[3]){4, 4, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(y, sizeof y, GA_FLOAT, &a));
  for (int i = 0; i < 16; i++) ck_assert_float_eq(y[i], 2 * x[i]);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(vector_add_adds_all_and_no_more)
{
  ctx = test_context();
  static const char text[] = "__global__ void vector_add(float *a, float *b, float *c, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) { c[i] = a[i] + b[i]; }\n"
                             "}\n";
  enum { N = 1000, ROOM = 1024 };
  float a[ROOM], b[ROOM], c[ROOM];
  int n = N;
  GpuKernel k = {0};
  GpuArray ga = {0}, gb = {0}, gc = {0};
  for (int i = 0; i < ROOM; i++) a[i] = (float)i, b[i] = 0.5f * (float)i, c[i] = -1;
  OK(GpuKernel_build(&k, ctx, text, "vector_add"));
  OK(GpuArray_fromhost(&ga, ctx, GA_FLOAT, GA_DIMS(ROOM), a));
  OK(GpuArray_fromhost(&gb, ctx, GA_FLOAT, GA_DIMS(ROOM), b));
  OK(GpuArray_fromhost(&gc, ctx, GA_FLOAT, GA_DIMS(ROOM), c));
  OK(GpuKernel_launch(&k, (size_t[3]){8, 1, 1}, (size_t[3]){128, 1, 1}, 0,
                      GA_ARGS(ga_array(NULL, &ga), ga_array(NULL, &gb), ga_array(NULL, &gc),
                              ga_scalar(NULL, GA_INT, &n))));
  OK(GpuArray_tohost(c, sizeof c, GA_FLOAT, &gc));
  for (int i = 0; i < ROOM; i++) ck_assert_float_eq(c[i], i < N ? a[i] + b[i] : -1.0f);
  GpuArray_clear(&ga);
  GpuArray_clear(&gb);
  GpuArray_clear(&gc);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(shared_reduction_sums_each_block)
{
  ctx = test_context();
  static const char text[] = "extern \"C\" __global__ void sum(int *out) {\n"
                             "  __shared__ int s[256];\n"
                             "  int t = threadIdx.x;\n"
                             "  s[t] = t + blockIdx.x;\n"
                             "  __syncthreads();\n"
                             "  for (int h = blockDim.x / 2; h > 0; h /= 2) {\n"
                             "    if (t < h) s[t] += s[t + h];\n"
                             "    __syncthreads();\n"
                             "  }\n"
                             "  if (t == 0) out[blockIdx.x] = s[0];\n"
                             "}\n";
  int out[33];
  run_int(out, 33, text, "sum", 33, 256, 0);
  for (int i = 0; i < 33; i++) ck_assert_int_eq(out[i], 255 * 128 + 256 * i);
  gpucontext_deref(ctx);
}
END_TEST

/* A kernel that leaves 1 in out[i] for each statement i that holds. */
static void all_hold(const char *text, const char *name, size_t n, size_t block)
{
  int out[64];
  run_int(out, n, text, name, 1, block, 1024);
  for (size_t i = 0; i < n; i++) ck_assert_msg(out[i] == 1, "statement %zu: %d", i, out[i]);
}

START_TEST(indices_have_three_dimensions)
{
  static const char text[] =
      "__device__ int where() { return threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z; }\n"
      "__global__ void k(int *out) {\n"
      "  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
      "  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
      "  out[b * 24 + t] = where() + 1000 * (blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z);\n"
      "}\n";
  int out[12 * 24], *p = out;
  ctx = test_context();
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){288}, GA_C_ORDER));
  OK(GpuKernel_launch(&k, (size_t[3]){3, 2, 2}, (size_t[3]){4, 3, 2}, 0,
                      GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, sizeof out, GA_INT, &a));
  for (int b = 0; b < 12; b++)
    for (int t = 0; t < 24; t++)
      ck_assert_int_eq(*p++, t % 4 + 10 * (t / 4 % 3) + 100 * (t / 12) +
                                 1000 * (b % 3 + 10 * (b / 3 % 2) + 100 * (b / 6)));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(barrier_forms_combine_predicates)
{
  static const char text[] =
      "__global__ void k(int *out) {\n"
      "  int t = threadIdx.x, c = __syncthreads_count(t % 3 == 0);\n"
      "  int a = __syncthreads_and(t < 100), b = __syncthreads_and(t < 99);\n"
      "  int d = __syncthreads_or(t == 77), e = __syncthreads_or(t == 1000);\n"
      "  if (t == 0) { out[0] = c == 34; out[1] = a != 0; out[2] = b == 0; out[3] = d != 0;\n"
      "                out[4] = e == 0; }\n"
      "}\n";
  ctx = test_context();
  all_hold(text, "k", 5, 100);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(warp_operations_of_every_kind)
{
  static const char text[] =
      "__device__ int good(int i) {\n"
      "  unsigned full = 0xffffffffu; int l = threadIdx.x % 32, all;\n"
      "  switch (i) {\n"
      "  case 0: return __shfl_sync(full, l * 3, 5) == 15;\n"
      "  case 1: return __shfl_sync(full, l, 1, 8) == (l & ~7) + 1;\n"
      "  case 2: return __shfl_up_sync(full, l, 2) == (l < 2 ? l : l - 2);\n"
      "  case 3: return __shfl_down_sync(full, l, 3, 16) == (l % 16 > 12 ? l : l + 3);\n"
      "  case 4: return __shfl_xor_sync(full, (double)l, 9) == (double)(l ^ 9);\n"
      "  case 5: return __ballot_sync(full, l % 2) == 0xaaaaaaaau;\n"
      "  case 6: return __any_sync(full, l == 3) != 0;\n"
      "  case 7: return __all_sync(full, l < 31) == 0;\n"
      "  case 8: return __match_any_sync(full, l / 4) == 15u << (l & ~3);\n"
      "  case 9: return __match_all_sync(full, 7, &all) == full && all;\n"
      "  case 10: return __match_all_sync(full, l, &all) == 0 && !all;\n"
      "  case 11: return __reduce_add_sync(full, (unsigned)l) == 496;\n"
      "  case 12: return __reduce_max_sync(full, l - 40) == -9;\n"
      "  case 13: return l < 16 ? __ballot_sync(0xffffu, 1) == 0xffffu\n"
      "                         : __shfl_sync(0xffff0000u, l, 31) == 31;\n"
      "  case 14: if (l % 4 != 1) return 1; return __activemask() == 0x22222222u;\n"
      "  default: return __reduce_xor_sync(full, 1u << l) == full;\n"
      "  }\n"
      "}\n"
      "__global__ void k(int *out) {\n"
      "  for (int i = 0; i < 16; i++) {\n"
      "    int n = __syncthreads_count(good(i));\n"
      "    if (threadIdx.x == 0) out[i] = n == blockDim.x;\n"
      "  }\n"
      "}\n";
  ctx = test_context();
  all_hold(text, "k", 16, 96);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(shared_memory_is_the_blocks_own)
{
  static const char text[] =
      "struct pair { int a; float b; };\n"
      "template <class T> __device__ T turn(T x) {\n"
      "  __shared__ T s[64];\n"
      "  s[threadIdx.x] = x; __syncthreads();\n"
      "  T r = s[63 - threadIdx.x]; __syncthreads();\n"
      "  return r;\n"
      "}\n"
      "extern __shared__ int outside[];\n"
      "__global__ void k(int *out) {\n"
      "  extern __shared__ __align__(16) float dyn[];\n"
      "  __shared__ volatile int one; __shared__ pair p[2];\n"
      "  static __shared__ float m[4][17];\n"
      "  int t = threadIdx.x;\n"
      "  dyn[t] = t; if (t == 0) { one = 7; p[1].a = 8; m[3][16] = 9; }\n"
      "  __syncthreads();\n"
      "  int ok = dyn[63 - t] == 63 - t && one == 7 && p[1].a == 8 && m[3][16] == 9;\n"
      "  ok &= turn(t) == 63 - t && turn((double)t) == 63 - t;\n"
      "  ok &= (void *)outside == (void *)dyn && ((size_t)dyn & 15) == 0;\n"
      "  ok = __syncthreads_and(ok);\n"
      "  if (t == 0) out[0] = ok != 0;\n"
      "}\n";
  ctx = test_context();
  all_hold(text, "k", 1, 64);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(early_return_leaves_the_barrier_to_the_others)
{
  static const char text[] = "__global__ void k(int *out) {\n"
                             "  __shared__ int s[64];\n"
                             "  if (threadIdx.x >= 40) return;\n"
                             "  s[threadIdx.x] = 1; __syncthreads();\n"
                             "  if (threadIdx.x == 0) { int n = 0;\n"
                             "    for (int i = 0; i < 40; i++) n += s[i]; out[0] = n == 40; }\n"
                             "}\n";
  ctx = test_context();
  all_hold(text, "k", 1, 64);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(atomics_lose_nothing)
{
  static const char text[] =
      "__device__ unsigned long long big; __device__ float f; __device__ double d;\n"
      "__device__ unsigned inc; __device__ int low, high, bits; __device__ unsigned lock, held;\n"
      "__global__ void k() {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  atomicAdd(&big, 1ull << 20); atomicAdd(&f, 1); atomicAdd(&d, 0.5);\n"
      "  atomicInc(&inc, 99); atomicMin(&low, -i); atomicMax(&high, i); atomicXor(&bits, 1 << i % "
      "32);\n"
      "  while (atomicCAS(&lock, 0u, 1u) != 0) {}\n"
      "  held = held + 1; __threadfence(); atomicExch(&lock, 0u);\n"
      "}\n"
      "__global__ void look(int *out) {\n"
      "  out[0] = big == 10000ull << 20; out[1] = f == 10000; out[2] = d == 5000;\n"
      "  out[3] = inc == 0; out[4] = low == -9999; out[5] = high == 9999;\n"
      "  out[6] = bits == 0xffff; out[7] = held == 10000;\n"
      "}\n";
  int out[8];
  GpuModule m = {0};
  GpuKernel k = {0}, look = {0};
  GpuArray a = {0};
  ctx = test_context();
  OK(GpuModule_init(&m, ctx, text, NULL));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuModule_kernel(&look, &m, "look"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){8}, GA_C_ORDER));
  OK(GpuKernel_launch(&k, (size_t[3]){100, 1, 1}, (size_t[3]){100, 1, 1}, 0, 0, NULL));
  OK(GpuKernel_launch(&look, one, one, 0, GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, sizeof out, GA_INT, &a));
  for (int i = 0; i < 8; i++) ck_assert_msg(out[i] == 1, "statement %d", i);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuKernel_clear(&look);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(vector_types_have_cudas_layout)
{
  static const char text[] =
      "__global__ void k(int *out) {\n"
      "  float4 v = make_float4(1, 2, 3, 4); int2 i = make_int2(5, 6); dim3 d(2, 3);\n"
      "  out[0] = sizeof(float4) == 16 && alignof(float4) == 16 && v.w == 4;\n"
      "  out[1] = sizeof(int2) == 8 && alignof(int2) == 8 && i.y == 6;\n"
      "  out[2] = sizeof(float3) == 12 && alignof(float3) == 4;\n"
      "  out[3] = sizeof(double2) == 16 && alignof(double4) == 16 && alignof(uchar4) == 4;\n"
      "  out[4] = d.x == 2 && d.y == 3 && d.z == 1 && warpSize == 32;\n"
      "  out[5] = sizeof(longlong4) == 32 && alignof(ushort4) == 8 && alignof(char3) == 1;\n"
      "}\n";
  ctx = test_context();
  all_hold(text, "k", 6, 1);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(intrinsics_compute)
{
  static const char text[] =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "__global__ void k(int *out) {\n"
      "  float z = out[0]; int n = out[0];\n"
      "  out[0] = sinf(z) == 0 && sqrt(z + 4.0f) == 2 && rsqrtf(z + 4) == 0.5f && max(n, 3) == 3;\n"
      "  out[1] = __clz(n + 1) == 31 && __popc(0xff) == 8 && __ffs(8) == 4 && __brev(1) == 1u << "
      "31;\n"
      "  out[2] = __umulhi(1u << 31, 4) == 2 && __mul64hi(1ll << 62, 4) == 1;\n"
      "  out[3] = __float2int_rn(2.5f) == 2 && __float2int_ru(2.1f) == 3 && __float2int_rz(3e9f) "
      "== 0x7fffffff;\n"
      "  out[4] = __int_as_float(0x3f800000) == 1 && __double_as_longlong(1.0) == "
      "0x3ff0000000000000ll;\n"
      "  out[5] = fmaf(2, 3, 4) == 10 && fmodf(7, 4) == 3 && isnan(NAN) && isinf(INFINITY);\n"
      "  out[6] = __byte_perm(0x33221100, 0x77665544, 0x7520) == 0x77552200;\n"
      "  out[7] = __funnelshift_l(0x80000000u, 1, 1) == 3 && __saturatef(2.f) == 1;\n"
      "  __half h = __float2half(1.5f); half2 hh = __floats2half2_rn(1, 2);\n"
      "  out[8] = __half2float(h * h) == 2.25f && __high2float(hh + hh) == 4 && sizeof(half2) == "
      "4;\n"
      "  __nv_bfloat16 b = __float2bfloat16(3.0f); out[9] = (float)(b / b) == 1;\n"
      "  out[10] = clock64() != 0 && pow(2, 10) == 1024 && abs(-3) == 3 && fabs(-2.5) == 2.5;\n"
      "}\n";
  ctx = cpu_context();
  all_hold(text, "k", 11, 1);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(groups_and_templates_work)
{
  static const char text[] =
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "namespace cg = cooperative_groups;\n"
      "template <int N, class T> __global__ void tile(T *out) {\n"
      "  auto block = cg::this_thread_block(); auto t = cg::tiled_partition<N>(block);\n"
      "  int sum = cg::reduce(t, (int)block.thread_rank(), cg::plus<int>());\n"
      "  int first = block.thread_rank() / N * N;\n"
      "  int ok = sum == N * first + N * (N - 1) / 2 && t.shfl(first, 0) == first;\n"
      "  block.sync();\n"
      "  if (!ok) atomicExch(out, 0); block.sync();\n"
      "  auto g = cg::coalesced_threads();\n"
      "  if (g.thread_rank() == 0 && block.thread_rank() == 0) out[1] = g.size() == 32;\n"
      "}\n";
  int out[2] = {1, 0};
  GpuModule m = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  ctx = cpu_context();
  OK(GpuModule_init(&m, ctx, text, NULL));
  OK(GpuModule_kernel(&k, &m, "tile<8, int>"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(2), out));
  OK(GpuKernel_launch(&k, one, (size_t[3]){64, 1, 1}, 0, GA_ARGS(ga_array(NULL, &a))));
  OK(GpuArray_tohost(out, sizeof out, GA_INT, &a));
  ck_assert_int_eq(out[0], 1);
  ck_assert_int_eq(out[1], 1);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(a_lambda_or_local_class_may_ask_for_indices)
{
  static const char text[] =
      "__global__ void k(int *out) {\n"
      "  struct where { static __device__ int x() { return threadIdx.x; } };\n"
      "  auto y = [] () { return blockDim.x; };\n"
      "  out[where::x()] = y() == 2;\n"
      "}\n";
  ctx = test_context();
  all_hold(text, "k", 2, 2);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE(doublify_doubles_a_4x4_block),
                                  CASE(vector_add_adds_all_and_no_more),
                                  CASE(shared_reduction_sums_each_block),
                                  CASE(indices_have_three_dimensions),
                                  CASE(barrier_forms_combine_predicates),
                                  CASE(warp_operations_of_every_kind),
                                  CASE(shared_memory_is_the_blocks_own),
                                  CASE(early_return_leaves_the_barrier_to_the_others),
                                  CASE(atomics_lose_nothing),
                                  CASE(vector_types_have_cudas_layout),
                                  CASE(intrinsics_compute),
                                  CASE(groups_and_templates_work),
                                  CASE(a_lambda_or_local_class_may_ask_for_indices),
                                  CASE_END};

int main(void) { return test_main("hostcuda", cases); }
