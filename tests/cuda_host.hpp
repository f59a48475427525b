// SPDX-License-Identifier: MIT
// Enough of CUDA's vocabulary to run the generated kernels on the host, so that
// the very text that a GPU would get is checked where there is none. A block's
// threads are fibers (ucontext): each runs until it meets a barrier or a shuffle
// and the warp, or the block, goes on when all of its live threads are there.
// Blocks run one after the other, in an order that the caller may reverse.
// Slow, and only for tests.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#define __CUDACC_RTC__ 1
#define __device__
#define __global__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__

struct cuda_dim3 {
  unsigned int x, y, z;
};
struct __align__(8) uint2 {
  unsigned int x, y;
};
struct __align__(16) uint4 {
  unsigned int x, y, z, w;
};

static cuda_dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_host {

const int MAX_THREADS = 1024;
const size_t STACK = 256 * 1024;
enum state { RUNNING, AT_WARP, AT_BLOCK, DONE };

struct fiber {
  ucontext_t context;
  state at;
  unsigned int slot;
};

static fiber fibers[MAX_THREADS];
static ucontext_t scheduler;
static unsigned int current, nthreads;
static char *stacks;
static void (*body)(void *);
static void *body_arg;

static void wait(state at) {
  unsigned int me = current;
  fibers[me].at = at;
  swapcontext(&fibers[me].context, &scheduler);
  current = me;
  threadIdx.x = me;
}

static void start() {
  body(body_arg);
  fibers[current].at = DONE;
}

static void resume(unsigned int t) {
  current = t;
  threadIdx.x = t;
  fibers[t].at = RUNNING;
  swapcontext(&scheduler, &fibers[t].context);
}

// Runs warp w until each of its threads waits for the block or has ended.
static bool run_warp(unsigned int w) {
  unsigned int end = w * 32 + 32 < nthreads ? w * 32 + 32 : nthreads;
  bool ran = false;
  for (;;) {
    bool more = false;
    for (unsigned int t = w * 32; t < end; t++)
      if (fibers[t].at == RUNNING || fibers[t].at == AT_WARP) {
        resume(t);
        ran = true;
      }
    for (unsigned int t = w * 32; t < end; t++) more |= fibers[t].at == AT_WARP;
    if (!more) return ran;
  }
}

static void run_block() {
  if (stacks == nullptr) stacks = (char *)malloc(MAX_THREADS * STACK);
  for (unsigned int t = 0; t < nthreads; t++) {
    getcontext(&fibers[t].context);
    fibers[t].context.uc_stack.ss_sp = stacks + t * STACK;
    fibers[t].context.uc_stack.ss_size = STACK;
    fibers[t].context.uc_link = &scheduler;
    fibers[t].at = RUNNING;
    makecontext(&fibers[t].context, (void (*)())start, 0);
  }
  for (;;) {
    bool ran = false;
    for (unsigned int w = 0; w * 32 < nthreads; w++) ran |= run_warp(w);
    bool waiting = false;
    for (unsigned int t = 0; t < nthreads; t++)
      if (fibers[t].at == AT_BLOCK) {
        fibers[t].at = RUNNING;
        waiting = true;
      }
    if (!waiting || !ran) break;
  }
}

// Runs `f(arg)` for every thread of a grid.
static void launch(void (*f)(void *), void *arg, const size_t grid[3], const size_t block[3],
                   int barriers, int reverse) {
  body = f;
  body_arg = arg;
  nthreads = (unsigned int)block[0];
  blockDim.x = nthreads;
  blockDim.y = blockDim.z = 1;
  gridDim.x = (unsigned int)grid[0];
  gridDim.y = gridDim.z = 1;
  for (unsigned int b = 0; b < gridDim.x; b++) {
    blockIdx.x = reverse ? gridDim.x - 1 - b : b;
    if (barriers) {
      run_block();
      continue;
    }
    for (unsigned int t = 0; t < nthreads; t++) {
      threadIdx.x = t;
      f(arg);
    }
  }
}

}  // namespace cuda_host

// ---- what kernels call ------------------------------------------------------

static inline void __syncthreads() { cuda_host::wait(cuda_host::AT_BLOCK); }
static inline void __syncwarp(unsigned int = 0) { cuda_host::wait(cuda_host::AT_WARP); }
static inline void __threadfence() {}

static inline unsigned int __shfl_xor_sync(unsigned int, unsigned int v, int mask) {
  using namespace cuda_host;
  unsigned int me = current;
  fibers[me].slot = v;
  wait(AT_WARP);
  v = fibers[me ^ (unsigned int)mask].slot;
  wait(AT_WARP);
  return v;
}

template <class T> static inline T __ldcg(const T *p) { return *p; }
template <class T> static inline T __ldcs(const T *p) { return *p; }
template <class T> static inline void __stcs(T *p, T v) { *p = v; }

static inline unsigned int atomicAdd(unsigned int *p, unsigned int v) {
  unsigned int old = *p;
  *p += v;
  return old;
}

static inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return (unsigned int)((uint64_t)a * b >> 32);
}

static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}

static inline unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int s) {
  return (unsigned int)((((uint64_t)hi << 32) | lo) >> (s & 31));
}

template <class To, class From> static inline To cuda_bits(From v) {
  To r;
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  memcpy(&r, &v, sizeof r);
  return r;
}
static inline unsigned int __float_as_uint(float v) { return cuda_bits<unsigned int>(v); }
static inline float __uint_as_float(unsigned int v) { return cuda_bits<float>(v); }
static inline int __float_as_int(float v) { return cuda_bits<int>(v); }
static inline float __int_as_float(int v) { return cuda_bits<float>(v); }
static inline long long __double_as_longlong(double v) { return cuda_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return cuda_bits<double>(v); }
static inline float rsqrtf(float v) { return 1 / std::sqrt(v); }
