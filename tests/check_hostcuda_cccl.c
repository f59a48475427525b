/* SPDX-License-Identifier: MIT */
/* What kernels include of CUB and libcu++ on the CPU: one block of 128 threads, four
 * numbers each, and what comes out by plain loops. The texts are such that NVRTC takes them
 * with the toolkit's own headers. */
#include <stdlib.h>
#include <string.h>

#include <gpuarray.h>

#include "tests/device.h"

enum { THREADS = 128, ITEMS = 4, N = THREADS * ITEMS };

typedef struct row {
  const char *name, *text; /* of kernel k(const int *in, int *out) */
  void (*want)(const int *in, int *out);
} row;

/* Texts that count what is wrong themselves; of a block of 16 threads. */
static void flawless(const int *in, int *out)
{
  (void)in;
  out[1] = 5;
}
static void half_warp(const int *in, int *out) { flawless(in, out); }

static int by_value(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void sums(const int *in, int *out)
{
  int most = in[0], valid = 0;
  for (int i = 0; i < N; i++) out[0] += in[i];
  for (int t = 0; t < THREADS; t++) {
    if (in[t * ITEMS] > most) most = in[t * ITEMS];
    if (t < 77) valid += in[t];
    out[3 + t / 32] += in[t];
    out[7 + t / 8] += in[t];
  }
  out[1] = most;
  out[2] = valid;
}

static void scans(const int *in, int *out)
{
  int sum = 0, most = 5;
  for (int i = 0; i < N; i++) {
    out[i] = sum;
    sum += in[i];
    if (in[i] > most) most = in[i];
    out[N + i] = most;
    out[2 * N + i] = 100 + sum;
  }
  for (int t = 0; t < THREADS; t++) out[3 * N + t] = in[t] + (t % 32 > 0 ? out[3 * N + t - 1] : 0);
  out[3 * N + THREADS] = sum;
}

static void sorted(const int *in, int *out)
{
  memcpy(out, in, N * sizeof *in);
  qsort(out, N, sizeof *out, by_value);
  for (int i = 0; i < N; i++) {
    out[N + i] = out[N - 1 - i];
    out[2 * N + i] = 1;
    out[3 * N + i] = out[i];
  }
}

static void moved(const int *in, int *out)
{
  for (int i = 0; i < N; i++) {
    out[i] = in[i / ITEMS + i % ITEMS * THREADS]; /* blocked from striped */
    out[N + i] = i == 0 || in[i] != in[i - 1];
    out[2 * N + i] = i == 0 ? in[0] : in[i] - in[i - 1];
    out[3 * N + (in[i] & 15)]++;
  }
}

static void one(const int *in, int *out)
{
  (void)in;
  for (int i = 0; i < 16; i++) out[i] = 1;
}

static void piped(const int *in, int *out)
{
  for (int t = 0; t < THREADS; t++)
    for (int c = 0; c < ITEMS; c++) out[t] += in[c * THREADS + (t + 1) % THREADS];
  for (int i = 0; i < N; i++) out[THREADS + i % 64] += 2 * in[i];
}

static void counted(const int *in, int *out)
{
  for (int t = 0; t < THREADS; t++) out[0] += in[t];
  out[1] = out[0];
}

static const row rows[] = {
    {"reductions",
     "#include <cub/block/block_reduce.cuh>\n#include <cub/warp/warp_reduce.cuh>\n"
     "struct most { __device__ int operator()(int a, int b) const { return a < b ? b : a; } };\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  using reduce = cub::BlockReduce<int, 128>; using warp = cub::WarpReduce<int>;\n"
     "  using eight = cub::WarpReduce<int, 8>;\n"
     "  __shared__ union { reduce::TempStorage r; warp::TempStorage w[4];\n"
     "                     eight::TempStorage e[16]; } s;\n"
     "  int t = threadIdx.x, v[4]; for (int i = 0; i < 4; i++) v[i] = in[t * 4 + i];\n"
     "  int sum = reduce(s.r).Sum(v); __syncthreads();\n"
     "  int top = reduce(s.r).Reduce(v[0], most()); __syncthreads();\n"
     "  int some = reduce(s.r).Sum(in[t], 77); __syncthreads();\n"
     "  if (t == 0) { out[0] = sum; out[1] = top; out[2] = some; }\n"
     "  int w = warp(s.w[t / 32]).Sum(in[t]); if (t % 32 == 0) out[3 + t / 32] = w;\n"
     "  __syncthreads();\n"
     "  int e = eight(s.e[t / 8]).Sum(in[t]); if (t % 8 == 0) out[7 + t / 8] = e;\n}\n",
     sums},
    {"scans",
     "#include <cub/block/block_scan.cuh>\n#include <cub/warp/warp_scan.cuh>\n"
     "#include <cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh>\n"
     "struct most { __device__ int operator()(int a, int b) const { return a < b ? b : a; } };\n"
     "struct running { int total;\n  __device__ int operator()(int block) {\n"
     "    int old = total; total += block; return old; } };\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  typedef cub::BlockScan<int, 128> scan; typedef cub::WarpScan<int> warp;\n"
     "  typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> load;\n"
     "  typedef cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE> store;\n"
     "  __shared__ union { typename load::TempStorage l; typename store::TempStorage o;\n"
     "                     typename scan::TempStorage s; typename warp::TempStorage w[4]; } s;\n"
     "  int t = threadIdx.x, v[4], r[4], sum; load(s.l).Load(in, v); __syncthreads();\n"
     "  scan(s.s).ExclusiveSum(v, r, sum); __syncthreads();\n"
     "  store(s.o).Store(out, r); __syncthreads();\n"
     "  scan(s.s).InclusiveScan(v, r, most()); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) r[i] = r[i] < 5 ? 5 : r[i];\n"
     "  store(s.o).Store(out + 512, r); __syncthreads();\n"
     "  running f{100}; scan(s.s).InclusiveSum(v, r, f); __syncthreads();\n"
     "  store(s.o).Store(out + 1024, r, 512); __syncthreads();\n"
     "  int x; warp(s.w[t / 32]).InclusiveSum(in[t], x); out[1536 + t] = x;\n"
     "  if (t == 127) out[1536 + 128] = sum;\n}\n",
     scans},
    {"sorts",
     "#include <cub/block/block_radix_sort.cuh>\n#include <cub/block/block_merge_sort.cuh>\n"
     "#include <cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh>\n"
     "struct less { __device__ bool operator()(float a, float b) const { return a < b; } };\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  typedef cub::BlockRadixSort<int, 128, 4> keys; typedef cub::BlockMergeSort<float, 128, 4> "
     "merge;\n"
     "  typedef cub::BlockRadixSort<float, 128, 4, int> pairs;\n"
     "  __shared__ union { keys::TempStorage k; merge::TempStorage m; pairs::TempStorage p; } s;\n"
     "  int t = threadIdx.x, v[4], w[4]; float f[4], g[4];\n"
     "  for (int i = 0; i < 4; i++) { w[i] = v[i] = in[t * 4 + i]; g[i] = f[i] = v[i]; }\n"
     "  keys(s.k).Sort(v); __syncthreads();\n"
     "  cub::StoreDirectBlocked(t, out, v);\n"
     "  keys(s.k).SortDescending(v); __syncthreads();\n"
     "  cub::StoreDirectBlocked(t, out + 512, v);\n"
     "  pairs(s.p).SortBlockedToStriped(f, w); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) out[1024 + t + 128 * i] = w[i] == (int)f[i];\n"
     "  merge(s.m).Sort(g, less());\n"
     "  for (int i = 0; i < 4; i++) out[1536 + t * 4 + i] = (int)g[i];\n}\n",
     sorted},
    {"moves",
     "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_discontinuity.cuh>\n"
     "#include <cub/block/block_adjacent_difference.cuh>\n#include <cub/block/block_load.cuh>\n"
     "#include <cub/block/block_histogram.cuh>\n"
     "struct differ { __device__ int operator()(int a, int b) const { return a != b; } };\n"
     "struct minus { __device__ int operator()(int a, int b) const { return a - b; } };\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  typedef cub::BlockExchange<int, 128, 4> turn; typedef cub::BlockDiscontinuity<int, 128> "
     "edge;\n"
     "  typedef cub::BlockAdjacentDifference<int, 128> gap;\n"
     "  typedef cub::BlockHistogram<unsigned char, 128, 4, 16> bins;\n"
     "  __shared__ union { turn::TempStorage t; edge::TempStorage e; gap::TempStorage g;\n"
     "                     bins::TempStorage b; } s;\n  __shared__ int h[16];\n"
     "  int t = threadIdx.x, v[4], r[4]; cub::LoadDirectBlocked(t, in, v);\n"
     "  turn(s.t).BlockedToStriped(v, r); __syncthreads();\n"
     "  turn(s.t).StripedToBlocked(r, r); __syncthreads();\n"
     "  bool same = true; for (int i = 0; i < 4; i++) same &= r[i] == v[i];\n"
     "  turn(s.t).StripedToBlocked(v, r); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) v[i] = in[t + i * 128];\n"
     "  turn(s.t).StripedToBlocked(v, r); __syncthreads();\n"
     "  turn(s.t).BlockedToStriped(r, v); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) { same &= v[i] == in[t + i * 128]; v[i] = in[t * 4 + i]; }\n"
     "  turn(s.t).StripedToBlocked(v, r); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) out[t * 4 + i] = same ? in[t + i * 128] : -1;\n"
     "  edge(s.e).FlagHeads(r, v, differ()); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) out[512 + t * 4 + i] = r[i];\n"
     "  gap(s.g).SubtractLeft(v, r, minus()); __syncthreads();\n"
     "  for (int i = 0; i < 4; i++) out[1024 + t * 4 + i] = r[i];\n"
     "  unsigned char c[4]; for (int i = 0; i < 4; i++) c[i] = in[t * 4 + i] & 15;\n"
     "  bins(s.b).Histogram(c, h); __syncthreads();\n"
     "  if (t < 16) out[1536 + t] = h[t];\n}\n",
     moved},
    {"bits and integers",
     "#include <cuda/std/bit>\n#include <cuda/std/span>\n#include <cuda/cmath>\n"
     "#include <cuda/functional>\n"
     "__global__ void k(const int *in, int *out) {\n  namespace s = cuda::std;\n"
     "  if (threadIdx.x != 0) return;\n"
     "  out[0] = s::popcount(0xffu) == 8 && s::popcount((unsigned char)7) == 3;\n"
     "  out[1] = s::countl_zero((unsigned short)1) == 15 && s::countl_zero(0ull) == 64;\n"
     "  out[2] = s::countr_zero(8u) == 3 && s::countr_one(7u) == 3 && s::countl_one(~0u) == 32;\n"
     "  out[3] = s::bit_width(8u) == 4 && s::bit_ceil(9u) == 16 && s::bit_floor(9u) == 8;\n"
     "  out[4] = s::has_single_bit(8u) && !s::has_single_bit(0u) && s::bit_ceil(0u) == 1;\n"
     "  out[5] = s::rotl(0x80000001u, 1) == 3 && s::rotr(3u, 1) == 0x80000001u;\n"
     "  out[6] = s::rotl((unsigned char)0x81, 4) == 0x18 && s::rotr(5u, 0) == 5;\n"
     "  out[7] = s::bit_cast<unsigned>(1.0f) == 0x3f800000;\n"
     "  out[8] = cuda::ceil_div(10, 3) == 4 && cuda::ceil_div(9u, 3u) == 3;\n"
     "  out[9] = cuda::round_up(10, 4) == 12 && cuda::round_down(10, 4) == 8;\n"
     "  out[10] = cuda::ilog2(1000) == 9 && cuda::ilog10(1000) == 3;\n"
     "  s::span<const int> v(in, 5); int n = 0; for (int x : v) n += x == in[n];\n"
     "  out[11] = n == 5 && v.subspan(2).size() == 3 && v.first(2).size() == 2;\n"
     "  out[12] = &v.back() == in + 4 && !v.empty() && v.size_bytes() == 20;\n"
     "  out[13] = cuda::maximum<int>()(2, 3) == 3 && cuda::minimum<>()(2, 3) == 2;\n"
     "  out[14] = s::popcount(0ull) == 0 && s::countl_zero(0u) == 32;\n"
     "  out[15] = s::bit_floor(0u) == 0 && s::bit_ceil(1u) == 1;\n}\n",
     one},
    {"pipelines",
     "#include <cooperative_groups.h>\n#include <cuda/pipeline>\n"
     "__global__ void k(const int *in, int *out) {\n  constexpr int stages = 2;\n"
     "  auto g = cooperative_groups::this_thread_block(); int t = threadIdx.x, sum = 0;\n"
     "  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state, roles;\n"
     "  __shared__ int s[stages][128];\n  auto p = cuda::make_pipeline(g, &state);\n"
     "  for (int c = 0, f = 0; c < 4; c++) {\n    for (; f < 4 && f < c + stages; f++) {\n"
     "      p.producer_acquire();\n"
     "      cuda::memcpy_async(g, s[f % stages], in + f * 128, 512, p); p.producer_commit();\n"
     "    }\n    p.consumer_wait(); sum += s[c % stages][(t + 1) % 128]; p.consumer_release();\n"
     "  }\n  out[t] = sum; g.sync();\n"
     "  auto role = t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;\n"
     "  auto q = cuda::make_pipeline(g, &roles, role); sum = 0;\n"
     "  for (int c = 0; c < 8; c++) {\n    if (t < 64) {\n      q.producer_acquire();\n"
     "      s[c % stages][t] = 2 * in[c * 64 + t]; q.producer_commit();\n    } else {\n"
     "      q.consumer_wait(); sum += s[c % stages][t - 64]; q.consumer_release();\n    }\n  }\n"
     "  if (t >= 64) out[64 + t] = sum;\n}\n",
     piped},
    {"semaphores and latches",
     "#include <cuda/latch>\n#include <cuda/semaphore>\n#include <cuda/std/utility>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  using semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 4>;\n"
     "  using latch = cuda::latch<cuda::thread_scope_block>;\n"
     "  __shared__ alignas(16) char a[sizeof(semaphore)], b[sizeof(latch)];\n"
     "  semaphore *s = (semaphore *)a; latch *l = (latch *)b;\n"
     "  if (threadIdx.x == 0) { new (s) semaphore(1); new (l) latch(128); }\n  __syncthreads();\n"
     "  s->acquire(); out[0] = *(volatile int *)out + in[threadIdx.x]; s->release();\n"
     "  l->arrive_and_wait(); if (threadIdx.x == 5) out[1] = out[0];\n}\n",
     counted},
    {"scans without a first value",
     "#include <cub/cub.cuh>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  enum { X = 128, N = 3 };\n"
     "  typedef cub::BlockScan<int, X> S;\n"
     "  __shared__ typename S::TempStorage s;\n"
     "  int t = threadIdx.x, v[N], o[N], one, all, bad = 0, m = -1000;\n"
     "  for (int i = 0; i < N; i++) v[i] = in[t * N + i];\n"
     "  S(s).ExclusiveScan(v, o, cub::Max(), all); __syncthreads();\n"
     "  for (int i = 0; i < X * N; m = max(m, in[i++]))\n"
     "    if (i / N == t && i > 0) bad += o[i % N] != m;\n"
     "  bad += all != m;\n"
     "  S(s).ExclusiveScan(o, o, cub::Max()); __syncthreads();\n"
     "  S(s).ExclusiveScan(v[0], one, cub::Sum(), all); __syncthreads();\n"
     "  m = 0;\n"
     "  for (int i = 0; i < X; m += in[i++ * N]) if (i == t && i > 0) bad += one != m;\n"
     "  bad += all != m;\n"
     "  cub::WarpScan<int>::TempStorage &w = *(cub::WarpScan<int>::TempStorage *)&s;\n"
     "  if (t < 32) {\n"
     "    cub::WarpScan<int>(w).ExclusiveScan(t, one, cub::Sum(), all);\n"
     "    bad += all != 496 || (t > 0 && one != t * (t - 1) / 2);\n"
     "  }\n"
     "  atomicAdd(out, bad); out[1] = 5;\n"
     "}\n",
     flawless},
    {"heads and tails",
     "#include <cub/cub.cuh>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  enum { X = 128, N = 3 };\n"
     "  typedef cub::BlockDiscontinuity<int, X> D;\n"
     "  __shared__ typename D::TempStorage s;\n"
     "  int t = threadIdx.x, v[N], h[N], l[N], bad = 0;\n"
     "  for (int i = 0; i < N; i++) v[i] = (t * N + i) / 5;\n"
     "  for (int how = 0; how < 4; how++) {\n"
     "    if (how == 0) D(s).FlagHeadsAndTails(h, l, v, cub::Inequality());\n"
     "    if (how == 1) D(s).FlagHeadsAndTails(h, 0, l, v, cub::Inequality());\n"
     "    if (how == 2) D(s).FlagHeadsAndTails(h, l, 76, v, cub::Inequality());\n"
     "    if (how == 3) D(s).FlagHeadsAndTails(h, 0, l, 76, v, cub::Inequality());\n"
     "    __syncthreads();\n"
     "    for (int i = 0; i < N; i++) {\n"
     "      const int g = t * N + i;\n"
     "      bad += h[i] != (g % 5 == 0 && (g > 0 || how % 2 == 0));\n"
     "      bad += l[i] != (g % 5 == 4 || (g == X * N - 1 && how < 2));\n"
     "    }\n"
     "  }\n"
     "  atomicAdd(out, bad); out[1] = 5;\n"
     "}\n",
     flawless},
    {"differences of partial tiles",
     "#include <cub/cub.cuh>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  enum { X = 128, N = 3, ALL = X * N };\n"
     "  typedef cub::BlockAdjacentDifference<int, X> D;\n"
     "  __shared__ typename D::TempStorage s;\n"
     "  int t = threadIdx.x, v[N], o[N], bad = 0;\n"
     "  for (int i = 0; i < N; i++) v[i] = in[t * N + i];\n"
     "  for (int how = 0; how < 6; how++) {\n"
     "    const int valid = how == 0 || how == 5 ? ALL : 200, right = how >= 4;\n"
     "    if (how == 0) D(s).SubtractLeft(v, o, cub::Difference(), 3);\n"
     "    if (how == 1) D(s).SubtractLeftPartialTile(v, o, cub::Difference(), valid);\n"
     "    if (how == 2) D(s).SubtractLeftPartialTile(v, o, cub::Difference(), valid, 3);\n"
     "    if (how == 3) D(s).SubtractLeftPartialTile(v, o, cub::Difference(), 0, 3);\n"
     "    if (how == 4) D(s).SubtractRightPartialTile(v, o, cub::Difference(), valid);\n"
     "    if (how == 5) D(s).SubtractRight(v, o, cub::Difference(), 9);\n"
     "    __syncthreads();\n"
     "    for (int i = 0; i < N; i++) {\n"
     "      const int g = t * N + i;\n"
     "      int other = 0;\n"
     "      if (right) other = g + 1 < valid ? in[g + 1] : how == 5 ? 9 : 0;\n"
     "      else if (how != 3 && g < valid) other = g > 0 ? in[g - 1] : how != 1 ? 3 : 0;\n"
     "      bad += o[i] != in[g] - other;\n"
     "    }\n"
     "  }\n"
     "  atomicAdd(out, bad); out[1] = 5;\n"
     "}\n",
     flawless},
    {"loads and stores in place",
     "#include <cub/cub.cuh>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  enum { X = 128, N = 4 };\n"
     "  typedef cub::BlockLoad<int, X, N, cub::BLOCK_LOAD_STRIPED> L;\n"
     "  typedef cub::BlockStore<int, X, N, cub::BLOCK_STORE_TRANSPOSE> S;\n"
     "  typedef cub::BlockLoad<int, X, N, cub::BLOCK_LOAD_WARP_TRANSPOSE> LT;\n"
     "  typedef cub::BlockStore<int, X, N, cub::BLOCK_STORE_STRIPED> SS;\n"
     "  __shared__ typename L::TempStorage l; __shared__ typename S::TempStorage s;\n"
     "  __shared__ typename LT::TempStorage lt; __shared__ typename SS::TempStorage ss;\n"
     "  int t = threadIdx.x, v[N], bad = 0, *a = out + 2;\n"
     "  for (int i = 0; i < N; i++) a[t * N + i] = t * N + i;\n"
     "  __syncthreads();\n"
     "  L(l).Load(a, v); S(s).Store(a, v); __syncthreads();\n"
     "  for (int i = 0; i < N; i++) bad += a[t * N + i] != t + i * X;\n"
     "  __syncthreads();\n"
     "  LT(lt).Load(a, v); SS(ss).Store(a, v); __syncthreads();\n"
     "  for (int i = 0; i < N; i++) { bad += a[t * N + i] != t * N + i; a[t * N + i] = 0; }\n"
     "  atomicAdd(out, bad); out[1] = 5;\n"
     "}\n",
     flawless},
    {"a block of half a warp",
     "#include <cub/cub.cuh>\n"
     "__global__ void k(const int *in, int *out) {\n"
     "  enum { X = 16, N = 5 };\n"
     "  typedef cub::BlockExchange<char, X, N> E;\n"
     "  typedef cub::BlockRadixSort<char, X, N> R;\n"
     "  __shared__ typename E::TempStorage e; __shared__ int guard[64];\n"
     "  int t = threadIdx.x, bad = 0;\n"
     "  char v[N], o[N];\n"
     "  for (int i = t; i < 64; i += X) guard[i] = 77;\n"
     "  __syncthreads();\n"
     "  for (int i = 0; i < N; i++) v[i] = t * N + i;\n"
     "  E(e).BlockedToWarpStriped(v, o); __syncthreads();\n"
     "  for (int i = 0; i < N; i++) bad += o[i] != t + i * X;\n"
     "  E(e).WarpStripedToBlocked(o, o); __syncthreads();\n"
     "  for (int i = 0; i < N; i++) bad += o[i] != t * N + i;\n"
     "  __shared__ typename R::TempStorage r;\n"
     "  R(r).SortDescending(v);\n"
     "  for (int i = 0; i < N; i++) bad += v[i] != X * N - 1 - t * N - i;\n"
     "  for (int i = 0; i < 64; i++) bad += guard[i] != 77;\n"
     "  atomicAdd(out, bad); out[1] = 5;\n"
     "}\n",
     half_warp},
};

static void run(const row *r, const char *const *options)
{
  enum { OUT = 4 * N };
  static int in[N], out[OUT], want[OUT];
  unsigned int seed = 12345;
  const size_t n = N, nout = OUT;
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  GpuKernel k = {0};
  GpuArray a = {0}, b = {0};
  memset(want, 0, sizeof want);
  for (int i = 0; i < N; i++) in[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 24) - 100;
  r->want(in, want);
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, r->text, options));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, 1, &n, in));
  OK(GpuArray_zeros(&b, ctx, GA_INT, 1, &nout, GA_C_ORDER));
  for (int again = 0; again < 2; again++) {
    if (again) OK(GpuArray_memset(&b, 0));
    OK(GpuKernel_launch(&k, (size_t[3]){1, 1, 1},
                        (size_t[3]){r->want == half_warp ? 16 : THREADS, 1, 1}, 0,
                        GA_ARGS(ga_array(NULL, &a), ga_array(NULL, &b))));
    OK(GpuArray_tohost(out, sizeof out, GA_INT, &b));
    for (int i = 0; i < OUT; i++)
      ck_assert_msg(out[i] == want[i], "%s: number %d is %d, not %d", r->name, i, out[i], want[i]);
  }
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}

START_TEST(they_do_what_plain_loops_do) { run(&rows[_i], NULL); }
END_TEST

START_TEST(the_debugger_finds_nothing_in_them)
{
  run(&rows[_i], (const char *const[]){"--check", NULL});
}
END_TEST

enum { NROW = sizeof rows / sizeof *rows };
static const test_case cases[] = {CASE_LOOP(they_do_what_plain_loops_do, NROW),
                                  CASE_LOOP(the_debugger_finds_nothing_in_them, NROW), CASE_END};

int main(void) { return test_main("hostcuda_cccl", cases); }
