/* SPDX-License-Identifier: MIT */
/* CUDA's vocabulary on the CPU device, a row for each part of it: a kernel k that
 * leaves 1 in out[i] for each of n statements i that hold, run by 8 blocks of 64
 * threads with 256 bytes of dynamic shared memory, as it is and under the debugger.
 * tests/check_intrinsics.c has the results of functions. */
#include <gpuarray.h>

#include "tests/device.h"

typedef struct words {
  const char *name, *text;
  size_t n;
} words;

/* Statement i of a row: what all threads must agree on. */
#define HEAD                                                                      \
  "#define HOLDS(i, x) \\\n"                                                      \
  "  do { if (!(x)) out[i] = -1; else if (out[i] == 0) out[i] = 1; } while (0)\n" \
  "template <class A, class B> struct same { static const bool v = false; };\n"   \
  "template <class A> struct same<A, A> { static const bool v = true; };\n"       \
  "#define KERNEL __global__ void k(int *out, const __grid_constant__ int p)\n"   \
  "#define GIVES(T, e) same<T, decltype(e)>::v\n"

static const words rows[] = {
    {"spaces",
     "__constant__ int c[4] = {7}; __device__ int g[4];\n"
     "KERNEL {\n"
     "  __shared__ int s[4]; extern __shared__ int d[]; int l[4] = {1};\n"
     "  HOLDS(0, __isShared(s) && __isShared(d) && !__isShared(g) && !__isShared(l));\n"
     "  HOLDS(1, __isGlobal(out) && __isGlobal(g) && !__isGlobal(s) && !__isGlobal(c));\n"
     "  HOLDS(2, __isConstant(c + 3) && !__isConstant(g) && !__isConstant(s));\n"
     "  HOLDS(3, __isLocal(l) && !__isLocal(out) && !__isLocal(d));\n"
     "  HOLDS(4, __isGridConstant(&p) && !__isGridConstant(l));\n"
     "  s[0] = 5; __syncthreads();\n"
     "  HOLDS(5, *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(s)) == 5);\n"
     "  HOLDS(6, *(int *)__cvta_constant_to_generic(__cvta_generic_to_constant(c)) == 7);\n}\n",
     7},
    {"atomics of 16 bytes",
     "struct __align__(16) pair { unsigned long long a, b; };\n"
     "__device__ pair total; __device__ float4 last; __device__ int left;\n"
     "KERNEL {\n"
     "  pair was = {0, 0}, seen;\n"
     "  for (;;) {\n"
     "    seen = atomicCAS(&total, was, pair{was.a + 1, was.b + 3});\n"
     "    if (seen.a == was.a && seen.b == was.b) break;\n"
     "    was = seen;\n  }\n"
     "  HOLDS(0, seen.b == 3 * seen.a && seen.a < 512);\n"
     "  float4 o = atomicExch(&last, make_float4(1, 2, 3, 4));\n"
     "  HOLDS(1, (o.x == 0 && o.w == 0) || (o.x == 1 && o.w == 4));\n"
     "  if (seen.a == 511) HOLDS(2, atomicCAS_block(&total, pair{0, 0}, pair{9, 9}).b == "
     "1536);\n}\n",
     3},
    {"vector types",
     "KERNEL {\n"
     "  HOLDS(0, sizeof(double4_16a) == 32 && alignof(double4_16a) == 16 && "
     "alignof(double4_32a) == 32);\n"
     "  HOLDS(1, alignof(longlong4_16a) == 16 && alignof(ulonglong4_32a) == 32 && "
     "alignof(long4_32a) == 32);\n"
     "  double4_32a v = make_double4_32a(1, 2, 3, 4); ulong4_16a u = make_ulong4_16a(1, 2, 3, "
     "4);\n"
     "  HOLDS(2, v.x + v.w == 5 && u.y + u.z == 5);\n"
     "  HOLDS(3, sizeof(float3) == 12 && alignof(float3) == 4 && alignof(float4) == 16 && "
     "alignof(int2) == 8);\n"
     "  HOLDS(4, dim3(2).y == 1 && dim3(2, 3).z == 1 && sizeof(dim3) == 12);\n}\n",
     5},
    {"functions of float",
     "KERNEL {\n"
     "  float s, c; double S, C;\n"
     "  HOLDS(0, GIVES(float, sinpi(1.0f)) && sinpi(0.5f) == 1 && cospi(1.0f) == -1);\n"
     "  HOLDS(1, GIVES(float, rcbrt(1.0f)) && rcbrt(8.0f) == 0.5f && normcdf(0.0f) == 0.5f);\n"
     "  HOLDS(2, GIVES(float, exp10(1.0f)) && exp10(2.0f) == 100 && GIVES(double, exp10(1.0)));\n"
     "  HOLDS(3, GIVES(float, j0(1.0f)) && j0(0.0f) == 1 && jn(1, 0.0f) == 0 && y0(1.0) < 0.1);\n"
     "  sincos(0.0f, &s, &c); sincos(0.0, &S, &C); HOLDS(4, s == 0 && c == 1 && S == 0 && C "
     "== 1);\n"
     "  sincospi(0.5f, &s, &c); HOLDS(5, s == 1 && c == 0);\n"
     "  float nan = __int_as_float(0x7fffffff);\n"
     "  HOLDS(6, __isnanf(nan) && !__isinff(nan) && __finitef(1.0f) && __signbitf(-1.0f));\n"
     "  HOLDS(7, __isnan((double)nan) && !__finite(1.0 / 0.0) && __isinf(-1.0 / 0.0));\n"
     "  HOLDS(8, GIVES(float, rsqrt(4.0f)) && rsqrt(4.0f) == 0.5f && fdividef(6, 3) == 2);\n}\n",
     9},
    {"a NaN as a whole number",
     "KERNEL {\n"
     "  float f = __int_as_float(0x7fffffff); double d = f;\n"
     "  HOLDS(0, __float2int_rn(f) == 0 && __float2uint_rz(f) == 0);\n"
     "  HOLDS(1, __float2ll_rn(f) == -0x7fffffffffffffffll - 1);\n"
     "  HOLDS(2, __float2ull_rn(f) == 0x8000000000000000ull);\n"
     "  HOLDS(3, __double2int_rz(d) == -0x7fffffff - 1 && __double2uint_rz(d) == 0x80000000u);\n"
     "  HOLDS(4, __double2ull_ru(d) == 0x8000000000000000ull && __float2int_rz(1e30f) == "
     "0x7fffffff);\n}\n",
     5},
    {"bits",
     "KERNEL {\n"
     "  HOLDS(0, __nv_bswap16(0x1234) == 0x3412 && __nv_bswap32(0x12345678) == 0x78563412);\n"
     "  HOLDS(1, __nv_bswap64(1) == 1ull << 56);\n"
     "  HOLDS(2, __uni_sync(~0u, 1) && __uni_sync(~0u, 0) && !__uni_sync(~0u, threadIdx.x & 1));\n"
     "  float4 v[1] = {{1, 2, 3, 4}}, w[1]; int i = 5;\n"
     "  __stcs(w, __ldcs(v)); __stwt(&i, __ldlu(&i) + 1);\n"
     "  HOLDS(3, __ldg(w).w == 4 && __ldca(w).x == 1 && __ldcg(&i) == 6 && __ldcv(&i) == 6);\n}\n",
     4},
    {"cuda/atomic",
     "#include <cuda/atomic>\n"
     "__device__ cuda::atomic<int> a; __device__ cuda::atomic<float, "
     "cuda::thread_scope_device> f;\n"
     "__device__ unsigned long long plain; __device__ cuda::std::atomic<unsigned> low, bits;\n"
     "KERNEL {\n"
     "  __shared__ cuda::atomic<int, cuda::thread_scope_block> s; __shared__ int v[4];\n"
     "  if (threadIdx.x == 0) { s.store(0); s = 0; v[0] = 0; }\n  __syncthreads();\n"
     "  s.fetch_add(2, cuda::memory_order_relaxed); s++; --s;\n"
     "  cuda::atomic_ref<int, cuda::thread_scope_block> r(v[0]);\n"
     "  r.fetch_max((int)threadIdx.x); __syncthreads();\n"
     "  HOLDS(0, s.load() == 128 && s == 128 && v[0] == 63);\n"
     "  int old = a.fetch_add(1);\n"
     "  HOLDS(1, old >= 0 && old < 1024);\n"
     "  f += 0.5f; f -= 0.25f;\n"
     "  cuda::atomic_ref<unsigned long long> sum(plain);\n"
     "  unsigned long long was = sum.load(cuda::memory_order_relaxed);\n"
     "  while (!sum.compare_exchange_weak(was, was + 3, cuda::memory_order_acq_rel)) {}\n"
     "  low.fetch_min(3); bits |= 1u << (threadIdx.x & 31);\n"
     "  cuda::atomic<short> h{5}; short five = 5, six = 6;\n"
     "  HOLDS(2, h.compare_exchange_strong(five, 7) && !h.compare_exchange_strong(six, 8) && "
     "six == 7);\n"
     "  HOLDS(3, h.exchange(9) == 7 && h.fetch_and(8) == 9 && h.fetch_xor(1) == 8 && h.load() "
     "== 9);\n"
     "  cuda::atomic<bool> b{false}; cuda::atomic<int *> q{v};\n"
     "  HOLDS(4, !b.exchange(true) && b && q.fetch_add(2) == v && q.load() == v + 2);\n"
     "  cuda::atomic_flag<cuda::thread_scope_block> g;\n"
     "  HOLDS(5, !g.test_and_set() && g.test() && g.test_and_set());\n"
     "  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);\n"
     "  if (a.fetch_add(1) == 1023)\n"
     "    HOLDS(6, f.load() == 128 && plain == 1536 && low == 0 && bits == ~0u);\n"
     "  static_assert(cuda::atomic<int>::is_always_lock_free && sizeof(cuda::atomic<long "
     "long>) == 8, \"\");\n}\n",
     7},
    {"cuda/barrier",
     "#include <cuda/barrier>\n#include <cuda/std/utility>\n"
     "struct count { int *n; __device__ void operator()() { ++*n; } };\n"
     "KERNEL {\n"
     "  __shared__ cuda::barrier<cuda::thread_scope_block> bar, half, drop;\n"
     "  __shared__ int s[64], copy[64], phases; int t = threadIdx.x;\n"
     "  __shared__ cuda::barrier<cuda::thread_scope_block, count> counted;\n"
     "  if (t == 0) { init(&bar, 64); init(&half, 32); init(&drop, 64); phases = 0; "
     "init(&counted, 64, count{&phases}); }\n"
     "  __syncthreads();\n  int sum = 0;\n"
     "  for (int i = 0; i < 5; i++) {\n"
     "    s[t] = t + i; auto token = bar.arrive(); bar.wait(cuda::std::move(token));\n"
     "    sum += s[63 - t]; bar.arrive_and_wait();\n  }\n"
     "  HOLDS(0, sum == 5 * (63 - t) + 10);\n"
     "  if (t < 32) { s[t] = 100 + t; half.arrive(); }\n"
     "  else { half.wait_parity(false); HOLDS(1, s[t - 32] == 68 + t); }\n"
     "  if (t % 2) drop.arrive_and_drop(); else { drop.arrive_and_wait(); "
     "drop.arrive_and_wait(); }\n"
     "  for (int i = 0; i < 3; i++) counted.arrive_and_wait();\n"
     "  HOLDS(2, phases == 3);\n"
     "  cuda::memcpy_async(copy + t, s + t, cuda::aligned_size_t<4>(sizeof(int)), bar);\n"
     "  auto token = bar.arrive(); while (!bar.try_wait(token)) {}\n"
     "  HOLDS(3, copy[63 - t] == s[63 - t]);\n}\n",
     4},
    {"cuda/std",
     "#include <cuda/std/array>\n#include <cuda/std/limits>\n#include <cuda/std/type_traits>\n"
     "#include <cuda/std/cmath>\n#include <cuda/std/tuple>\n#include <cuda/std/cstdint>\n"
     "KERNEL {\n"
     "  HOLDS(0, (cuda::std::is_same_v<int, cuda::std::remove_const_t<const int>>));\n"
     "  HOLDS(1, cuda::std::numeric_limits<cuda::std::uint8_t>::max() == 255);\n"
     "  cuda::std::array<int, 3> a{1, 2, 3}; auto t = cuda::std::make_tuple(4, 5.0f);\n"
     "  HOLDS(2, a[0] + a.back() == 4 && cuda::std::get<1>(t) == 5 && a.size() == 3);\n"
     "  HOLDS(3, cuda::std::sqrt(4.0f) == 2 && cuda::std::isnan(0.0f / 0.0f));\n}\n",
     4},
    {"groups",
     "#include <cooperative_groups.h>\n#include <cooperative_groups/scan.h>\n"
     "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;\n"
     "KERNEL {\n"
     "  __shared__ int from[64], to[64]; int t = threadIdx.x;\n"
     "  auto g = cg::this_grid(); auto b = cg::this_thread_block(); auto q = "
     "cg::tiled_partition<8>(b);\n"
     "  HOLDS(0, g.size() == 512 && g.thread_rank() == blockIdx.x * 64 + t && g.is_valid());\n"
     "  HOLDS(1, g.num_blocks() == 8 && g.block_rank() == blockIdx.x && g.dim_blocks().x == 8);\n"
     "  int r = q.thread_rank();\n"
     "  HOLDS(2, cg::inclusive_scan(q, r) == r * (r + 1) / 2 && cg::exclusive_scan(q, 2) == 2 "
     "* r);\n"
     "  HOLDS(3, cg::inclusive_scan(q, 7 - r, cg::less<int>()) == 7 - r);\n"
     "  auto third = cg::labeled_partition(q, r % 3);\n"
     "  HOLDS(4, third.size() == (r % 3 == 2 ? 2 : 3) && third.thread_rank() == r / 3);\n"
     "  auto odd = cg::binary_partition(q, r & 1); HOLDS(5, odd.size() == 4 && odd.shfl(r, 3) "
     "== 6 + r % 2);\n"
     "  from[t] = 3 * t; b.sync();\n"
     "  cg::memcpy_async(b, to, from, sizeof to); cg::wait(b);\n"
     "  HOLDS(6, to[63 - t] == 3 * (63 - t));\n"
     "  b.sync();\n"
     "  cg::invoke_one(q, [&] { to[t] = -1; }); q.sync(); HOLDS(7, to[t - r] == -1);\n}\n",
     8},
    {"copies beside the thread",
     "#include <cuda_pipeline.h>\n"
     "KERNEL {\n"
     "  __shared__ int4 s[64]; int4 v = {1, 2, 3, 4};\n"
     "  __pipeline_memcpy_async(s + threadIdx.x, &v, 16, 8); __pipeline_commit();\n"
     "  __pipeline_wait_prior(0); __syncthreads();\n"
     "  HOLDS(0, s[63 - threadIdx.x].y == 2 && s[threadIdx.x].z == 0);\n"
     "  cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion();\n}\n",
     1},
    {"memory and C++",
     "struct thing { int v; __device__ thing(int v) : v(v) {} };\n"
     "__managed__ int m = 3;\n"
     "template <class T> __device__ __noinline__ int kind(T) {\n"
     "  if constexpr (sizeof(T) == 8) return 8; else return 4;\n}\n"
     "__device__ __forceinline__ int twice(int a) { return 2 * a; }\n"
     "__global__ void __launch_bounds__(64, 2) k(int *__restrict__ out, int) {\n"
     "  int *b = (int *)malloc(64); memset(b, 0, 64); b[3] = 4;\n"
     "  int *q = new int[4]; memcpy(q, b, 16); thing *t = new (b) thing(9), *u = new thing(2);\n"
     "  HOLDS(0, q[3] == 4 && t->v == 9 && u->v == 2); free(b); delete[] q; delete u;\n"
     "  auto f = [=] __device__(int a) { return a + m; };\n"
     "  HOLDS(1, f(1) == 4 && kind(1.0) == 8 && kind(1) == 4 && twice(2) == 4);\n"
     "  __builtin_assume(m > 0); __align__(16) char raw[16]; raw[0] = 1;\n"
     "  HOLDS(2, ((size_t)raw & 15) == 0 && raw[0] == 1 && warpSize == 32);\n"
     "  HOLDS(3, clock64() > 0 && clock() != 0);\n"
     "  void *a = __nv_aligned_device_malloc(100, 64); HOLDS(4, a && ((size_t)a & 63) == 0); "
     "free(a);\n}\n",
     5},
};

static void run(const words *r, const char *const *options)
{
  char text[8192];
  int out[16] = {0};
  int p = 7;
  size_t n = r->n;
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  ck_assert_uint_le(n, 16);
  ck_assert_uint_lt((size_t)snprintf(text, sizeof text, "%s%s", HEAD, r->text), sizeof text);
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, text, options));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, &n, GA_C_ORDER));
  OK(GpuKernel_launch(&k, (size_t[3]){8, 1, 1}, (size_t[3]){64, 1, 1}, 256,
                      GA_ARGS(ga_array(NULL, &a), ga_scalar(NULL, GA_INT, &p))));
  OK(GpuArray_tohost(out, n * sizeof *out, GA_INT, &a));
  for (size_t i = 0; i < n; i++)
    ck_assert_msg(out[i] == 1, "%s: statement %zu: %d", r->name, i, out[i]);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}

START_TEST(words_mean_what_cuda_says) { run(&rows[_i], NULL); }
END_TEST

START_TEST(the_debugger_finds_nothing_in_them)
{
  run(&rows[_i], (const char *const[]){"--check", NULL});
}
END_TEST

enum { NROW = sizeof rows / sizeof *rows };
static const test_case cases[] = {CASE_LOOP(words_mean_what_cuda_says, NROW),
                                  CASE_LOOP(the_debugger_finds_nothing_in_them, NROW), CASE_END};

int main(void) { return test_main("vocabulary", cases); }
