/* SPDX-License-Identifier: MIT */
/* Kernels whose threads wait in loops of their own: on volatile memory, on
 * atomics, for threads that come later in the block and for earlier blocks. What
 * comes is waited for, and what cannot come is an error of the launch at the
 * loop's line. The CPU device only: on a GPU some of these never end. */
#include <gpuarray.h>

#include "tests/device.h"

typedef struct wait {
  const char *text;  /* of kernel k: leaves 5 in a[0], where a[1] is 0 before */
  const char *where; /* the line of the loop that waits for ever; NULL: none does */
  unsigned int grid, block;
} wait;

static const wait waits[] = {
    {"__device__ volatile int flag;\n"
     "__global__ void k(int *a) {\n"
     "  if (threadIdx.x == 0) { while (flag == 0) {} a[0] = 5; }\n"
     "  else if (threadIdx.x == 40) flag = 1;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(volatile int *a) {\n"
     "  if (threadIdx.x == 0) { while (a[1] == 0); a[0] = 5; } else a[1] = 1;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(int *a) {\n  volatile int *f = a; int n = 0;\n"
     "  if (threadIdx.x != 0) { f[1] = 1; return; }\n"
     "  do n++; while (f[1] == 0);\n  a[0] = 5;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(volatile int *a) {\n"
     "  if (threadIdx.x == 0) for (;;) { if (a[1]) break; } else a[1] = 1;\n  a[0] = 5;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(int *a) {\n  if (threadIdx.x == 0)\n"
     "    while (*(volatile int *)(a + 1) == 0);\n"
     "  else *(volatile int *)(a + 1) = 1;\n  a[0] = 5;\n}\n",
     NULL, 1, 64},
    {"struct gate { volatile int *f; __device__ void pass() { while (!*f); } };\n"
     "__global__ void k(int *a) {\n  gate g = {a + 1};\n"
     "  if (threadIdx.x == 0) g.pass(); else *g.f = 1;\n  a[0] = 5;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(int *a) {\n  __shared__ volatile int s; s = 0; __syncthreads();\n"
     "  if (threadIdx.x < 32) { while (!s) {} a[0] = 5; } else if (threadIdx.x == 63) s = 1;\n}\n",
     NULL, 1, 64},
    /* each thread's turn comes a hundred times */
    {"__global__ void k(int *a) {\n  volatile int *turn = a + 1;\n"
     "  for (int r = 0; r < 100; r++) {\n"
     "    while (*turn != r * 64 + threadIdx.x) ;\n    *turn = *turn + 1;\n  }\n"
     "  if (*turn == 6400) a[0] = 5;\n}\n",
     NULL, 1, 64},
    {"__global__ void k(int *a) {\n  bool done = false;\n  while (!done)\n"
     "    if (atomicCAS(a + 1, 0, 1) == 0) {\n"
     "      a[2] += 1; __threadfence(); atomicExch(a + 1, 0); done = true;\n    }\n"
     "  __threadfence(); if (*(volatile int *)(a + 2) == 512) a[0] = 5;\n}\n",
     NULL, 8, 64},
    /* a block waits for the one before it */
    {"__global__ void k(int *a) {\n"
     "  while (atomicAdd(a + 1, 0) < blockIdx.x) {}\n  __threadfence();\n"
     "  if (blockIdx.x == 7) a[0] = 5;\n  atomicAdd(a + 1, 1);\n}\n",
     NULL, 8, 1},
    {"#include <cuda/atomic>\n__device__ cuda::atomic<int> flag;\n"
     "__global__ void k(int *a) {\n"
     "  if (threadIdx.x == 0) { while (flag.load(cuda::memory_order_acquire) == 0) {} a[0] = 5; }\n"
     "  else if (threadIdx.x == 40) flag.store(1, cuda::memory_order_release);\n}\n",
     NULL, 1, 64},
    {"#include <cuda/atomic>\n__global__ void k(int *a) {\n"
     "  cuda::atomic_ref<int, cuda::thread_scope_device> r(a[1]);\n"
     "  if (blockIdx.x == 1) { r.wait(0); a[0] = 5; } else { r.store(1); r.notify_all(); }\n}\n",
     NULL, 2, 1},
    /* the look is in a function, a functor, a lambda, a conversion, PTX */
    {"__device__ int get(int *f) { return *(volatile int *)f; }\n"
     "__device__ int both(int *f) { return get(f); }\n"
     "__global__ void k(int *a) {\n"
     "  if (threadIdx.x == 0) { while (both(a + 1) == 0); a[0] = 5; }\n"
     "  else atomicExch(a + 1, 1);\n}\n",
     NULL, 1, 64},
    {"__device__ int get(int *f) { return atomicAdd(f, 0); }\n"
     "__global__ void k(int *a) {\n  int n = 0;\n"
     "  if (threadIdx.x == 0) { while (true) { if (get(a + 1)) break; n++; } a[0] = 5; }\n"
     "  else atomicExch(a + 1, 1);\n}\n",
     NULL, 1, 64},
    {"template <class F> __device__ void until(F f) { while (!f()) ; }\n"
     "__global__ void k(int *a) {\n  auto there = [=] { return atomicAdd(a + 1, 0) != 0; };\n"
     "  if (threadIdx.x == 0) { until(there); a[0] = 5; } else atomicExch(a + 1, 1);\n}\n",
     NULL, 1, 64},
    {"__global__ void k(int *a) {\n  auto there = [=] { return atomicAdd(a + 1, 0) != 0; };\n"
     "  int n = 0;\n  if (threadIdx.x == 0) { while (!there()) n++; a[0] = 5; }\n"
     "  else atomicExch(a + 1, 1);\n}\n",
     NULL, 1, 64},
    {"struct flag { volatile int *p; __device__ operator int() const { return *p; } };\n"
     "__global__ void k(int *a) {\n  flag f{a + 1}; int n = 0;\n"
     "  if (threadIdx.x == 0) { while (f == 0) n++; a[0] = 5; } else *f.p = 1;\n}\n",
     NULL, 1, 64},
    {"typedef volatile int vint;\n__global__ void k(vint *a) {\n  int n = 0;\n"
     "  if (threadIdx.x == 0) { while (a[1] == 0) n++; a[0] = 5; } else a[1] = 1;\n}\n",
     NULL, 1, 64},
    {"__device__ int get(const int *f) {\n  int v;\n"
     "  asm volatile(\"ld.acquire.gpu.global.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(f) : "
     "\"memory\");\n"
     "  return v;\n}\n"
     "__global__ void k(int *a) {\n  int n = 0;\n"
     "  if (threadIdx.x == 0) { do n++; while (get(a + 1) == 0); a[0] = 5; }\n"
     "  else atomicExch(a + 1, 1);\n}\n",
     NULL, 1, 64},
    {"__device__ int get(int *f) { return atomicAdd(f, 0); }\n"
     "__global__ void k(int *a) {\n  if (threadIdx.x != 0) { atomicExch(a + 1, 1); return; }\n"
     "again:\n  if (get(a + 1) == 0) goto again;\n  a[0] = 5;\n}\n",
     NULL, 1, 64},
    /* of a flag that is not said to change */
    {"__global__ void k(int *a) {\n"
     "  if (threadIdx.x == 0) { while (a[1] == 0) ; a[0] = 5; } else a[1] = 1;\n}\n",
     NULL, 1, 64},
    /* for later blocks, and all for all */
    {"__device__ int get(int *f) { return atomicAdd(f, 0); }\n"
     "__global__ void k(int *a) {\n"
     "  while (get(a + 1) != gridDim.x - 1 - blockIdx.x);\n  a[0] = 5;\n"
     "  atomicAdd(a + 1, 1);\n}\n",
     NULL, 300, 1},
    {"__device__ void everyone(int *n) {\n  __syncthreads();\n  if (threadIdx.x == 0) {\n"
     "    int want = (atomicAdd(n, 1) / gridDim.x + 1) * gridDim.x;\n"
     "    while (*(volatile int *)n < want) {}\n  }\n  __syncthreads();\n}\n"
     "__global__ void k(int *a) {\n  for (int r = 1; r <= 20; r++) {\n"
     "    if (threadIdx.x == 33) atomicAdd(a + 2, 1);\n    everyone(a + 1);\n"
     "    if (atomicAdd(a + 2, 0) != r * gridDim.x) atomicExch(a, 7);\n    everyone(a + 1);\n  }\n"
     "  atomicCAS(a, 0, 5);\n}\n",
     NULL, 24, 64},
    {"#include <cooperative_groups.h>\n__global__ void k(int *a) {\n"
     "  auto g = cooperative_groups::this_grid();\n  for (int r = 1; r <= 20; r++) {\n"
     "    if (threadIdx.x == 33) atomicAdd(a + 2, 1);\n    g.sync();\n"
     "    if (atomicAdd(a + 2, 0) != r * gridDim.x) atomicExch(a, 7);\n    g.sync();\n  }\n"
     "  atomicCAS(a, 0, 5);\n}\n",
     NULL, 24, 64},
    /* for a later block, by barriers and operations of warps */
    {"__global__ void k(int *a) {\n  volatile int *f = a + 1;\n"
     "  if (blockIdx.x < gridDim.x - 1)\n"
     "    while (!__syncthreads_or(threadIdx.x == 0 && *f == gridDim.x - 1 - blockIdx.x)) ;\n"
     "  __syncthreads();\n  if (threadIdx.x == 0) { a[0] = 5; *f = gridDim.x - blockIdx.x; }\n}\n",
     NULL, 16, 64},
    {"__global__ void k(int *a) {\n  volatile int *f = a + 1;\n"
     "  if (blockIdx.x == 0) {\n    __shared__ int s;\n"
     "    do {\n      __syncthreads();\n      if (threadIdx.x == 0) s = *f;\n"
     "      __syncthreads();\n    } while (s != 3);\n    a[0] = 5;\n"
     "  } else if (threadIdx.x == 0) {\n    atomicAdd(a + 1, 1);\n    while (*f != 3) ;\n  }\n}\n",
     NULL, 4, 64},
    {"#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
     "__global__ void k(int *a) {\n"
     "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n  volatile int *f = a + 1;\n"
     "  if (threadIdx.x < 32 && blockIdx.x == 0) while (!tile.any(*f)) ;\n"
     "  else if (blockIdx.x == gridDim.x - 1) *f = 1;\n  else while (*f == 0) ;\n  a[0] = 5;\n}\n",
     NULL, 8, 64},
    /* a block for the next, among more than there are threads for */
    {"__global__ void k(int *a) {\n  volatile int *f = a;\n  __shared__ int s;\n"
     "  if (threadIdx.x == 0) {\n    s = blockIdx.x % 3;\n"
     "    if (blockIdx.x % 2 == 0) { while (f[1] <= blockIdx.x) ; }\n"
     "    else atomicMax(a + 1, (int)blockIdx.x);\n  }\n"
     "  __syncthreads();\n  if (s == 0) a[0] = 5;\n}\n",
     NULL, 2000, 2},
    {"__global__ void k(volatile int *a) {\n  if (threadIdx.x == 0) {\n#pragma unroll 1\n"
     "    while (a[1] == 0) {}\n    a[0] = 5;\n  } else a[1] = 1;\n}\n",
     NULL, 1, 64},
    /* in a function that calls itself */
    {"__device__ void until(volatile int *f, int n) {\n  if (*f < n) until(f, n);\n}\n"
     "__global__ void k(int *a) {\n"
     "  if (threadIdx.x == 0) { until(a + 1, 63); a[0] = 5; } else atomicAdd(a + 1, 1);\n}\n",
     NULL, 1, 64},
    /* at barriers that count: a producer's two buffers */
    {"__device__ void meet(int id) { asm volatile(\"bar.sync %0, 96;\" :: \"r\"(id) : \"memory\"); "
     "}\n"
     "__global__ void k(int *a) {\n  __shared__ int s[2][32]; int sum = 0, t = threadIdx.x % 32;\n"
     "  for (int i = 0; i < 9; i++) {\n"
     "    if (threadIdx.x < 32) {\n      if (i > 1) meet(3 + i % 2);\n      s[i % 2][t] = i + t;\n"
     "      asm volatile(\"bar.arrive %0, %1;\" :: \"r\"(1 + i % 2), \"r\"(96) : \"memory\");\n"
     "    } else {\n      meet(1 + i % 2);\n      sum += s[i % 2][31 - t];\n"
     "      if (i < 7) asm volatile(\"barrier.cta.arrive %0, 96;\" :: \"r\"(3 + i % 2));\n    }\n  "
     "}\n"
     "  if (threadIdx.x >= 32 && sum != 36 + 9 * (31 - t)) atomicAdd(a + 2, 1);\n"
     "  __barrier_sync(4); if (a[2] == 0) a[0] = 5;\n}\n",
     NULL, 3, 96},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 32) return;\n"
     "  asm volatile(\"bar.sync 0;\");\n  __barrier_sync(1); __barrier_sync_count(15, 64);\n"
     "  asm volatile(\"bar.sync 2;\"); a[0] = 5;\n}\n",
     NULL, 2, 96},
    /* for ever: */
    {"__global__ void k(volatile int *a) {\n  while (!__syncthreads_or(a[1])) ;\n  a[0] = 5;\n}\n",
     "source.cu:2", 2, 64},
    {"__global__ void k(volatile int *a) {\n  do {\n    __syncthreads();\n  } while (a[1] == "
     "0);\n}\n",
     "source.cu:2", 2, 64},
    {"#include <cuda/barrier>\n__global__ void k(int *a) {\n"
     "  __shared__ cuda::barrier<cuda::thread_scope_block> b;\n"
     "  if (threadIdx.x == 0) init(&b, 65);\n  __syncthreads();\n"
     "  auto t = b.arrive();\n  b.wait(cuda::std::move(t));\n}\n",
     "source.cu:7", 1, 64},
    {"__global__ void k(volatile int *a) {\n\n  while (a[1] == 0) ;\n  a[0] = 5;\n}\n",
     "source.cu:3", 4, 64},
    {"__global__ void k(int *a) {\n"
     "  while (atomicCAS(a + 1, 0, 1) != 0)\n    __nanosleep(20);\n  a[0] = 5;\n}\n",
     "source.cu:2", 1, 64},
    {"__global__ void k(volatile int *a) {\n  if (threadIdx.x == 3)\n    while (a[1] == 0) {}\n"
     "  __syncthreads();\n  a[1] = 1;\n}\n",
     "source.cu:3", 1, 64},
    {"__device__ int get(int *f) { return atomicAdd(f, 0); }\n"
     "__global__ void k(int *a) {\n  if (blockIdx.x == 2)\n    while (get(a + 1) == 0);\n}\n",
     "source.cu:4", 4, 64},
    {"#include <cooperative_groups.h>\n__global__ void k(int *a) {\n"
     "  if (blockIdx.x > 0) cooperative_groups::this_grid().sync();\n}\n",
     "source.cu:3", 8, 64},
    {"__global__ void k(int *a) {\n  if (threadIdx.x == 3)\n    while (true);\n}\n", "source.cu:3",
     1, 64},
    {"__global__ void k(volatile int *a) {\n  int n = 0;\n"
     "  while (a[1] == 0) n++;\n  a[0] = n;\n}\n",
     "source.cu:3", 2, 2},
};

START_TEST(what_comes_is_waited_for_and_what_cannot_is_told)
{
  const wait *w = &waits[_i];
  int x[3] = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  if (w->where != NULL) setenv("GPUARRAY_WATCHDOG", "0.05", 1);
  OK(GpuKernel_build(&k, ctx, w->text, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(3), x));
  for (int again = 0; again < 2; again++) {
    OK(GpuArray_write(&a, x, sizeof x));
    int err = GpuKernel_launch(&k, (size_t[3]){w->grid, 1, 1}, (size_t[3]){w->block, 1, 1}, 0,
                               GA_ARGS(ga_array(NULL, &a)));
    const char *said = gpuarray_error_message();
    ck_assert_msg(err == (w->where != NULL ? GA_IMPL_ERROR : GA_NO_ERROR), "%d %s\n%s", err, said,
                  w->text);
    if (w->where != NULL)
      ck_assert_msg(strstr(said, "kernel k") && strstr(said, w->where) && strstr(said, "block (") &&
                        strstr(said, "thread (") && strstr(said, "waits in a loop"),
                    "%s\n%s", said, w->text);
  }
  int y[3];
  OK(GpuArray_read(y, sizeof y, &a));
  if (w->where == NULL) ck_assert_msg(y[0] == 5, "%d\n%s", y[0], w->text);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

/* A fault in one block ends the wait of another. */
START_TEST(a_fault_elsewhere_ends_the_wait)
{
  static const char text[] = "#include <assert.h>\n"
                             "__global__ void k(volatile int *a) {\n"
                             "  if (blockIdx.x == 0) { while (a[1] == 0) {} }\n"
                             "  else { assert(blockIdx.x != 1); }\n}\n";
  int x[2] = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  setenv("GPUARRAY_WATCHDOG", "1", 1);
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(2), x));
  int err = GpuKernel_launch(&k, (size_t[3]){64, 1, 1}, (size_t[3]){1, 1, 1}, 0,
                             GA_ARGS(ga_array(NULL, &a)));
  ck_assert_int_eq(err, GA_IMPL_ERROR); /* with one core the wait is the fault */
  ck_assert(strstr(gpuarray_error_message(), "assertion failed") ||
            strstr(gpuarray_error_message(), "waits in a loop"));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

/* What looks like a wait for ever may go on, for longer than the watchdog's 0.2 and 2.4 seconds. */
START_TEST(what_goes_on_is_no_wait_for_ever)
{
#define NOW                                        \
  "__device__ long long now() {\n  long long t;\n" \
  "  asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));\n  return t;\n}\n"
  static const char *const texts[] = {
      /* a function that works */
      NOW "__device__ bool step(int *a, long long end) {\n"
          "  return atomicAdd(a + 1, 1) >= 0 && now() < end;\n}\n"
          "__global__ void k(int *a) {\n  const long long end = now() + 800000000ll;\n"
          "  while (step(a, end)) ;\n  a[0] = 5;\n}\n",
      /* threads that wait for each other, in turn */
      NOW "__global__ void k(volatile int *a) {\n  const long long end = now() + 800000000ll;\n"
          "  for (int i = 0; i < 1000000000; i++) {\n"
          "    while (a[1] != i * 32 + threadIdx.x) ;\n    if (now() > end) a[2] = 1;\n"
          "    a[1] = a[1] + 1;\n    if (a[2] != 0 && i % 1000 == 999) break;\n  }\n"
          "  a[0] = 5;\n}\n",
      "#include <cuda/semaphore>\n" NOW
      "__device__ cuda::binary_semaphore<cuda::thread_scope_device> turn[2];\n"
      "__global__ void k(int *a) {\n  const int t = threadIdx.x;\n"
      "  const long long end = now() + 800000000ll;\n  if (t > 1) return;\n"
      "  if (t == 0) turn[0].release();\n  for (int go = 1; go; ) {\n    turn[t].acquire();\n"
      "    if (now() > end) a[2] = 1;\n    go = !a[2];\n    turn[1 - t].release();\n  }\n"
      "  a[0] = 5;\n}\n"};
#undef NOW
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  setenv("GPUARRAY_WATCHDOG", "0.2", 1);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    int x[3] = {0};
    GpuKernel k = {0};
    GpuArray a = {0};
    OK(GpuKernel_build(&k, ctx, texts[i], "k"));
    OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(3), x));
    OK(GpuKernel_launch(&k, (size_t[3]){1, 1, 1}, (size_t[3]){32, 1, 1}, 0,
                        GA_ARGS(ga_array(NULL, &a))));
    OK(GpuArray_read(x, sizeof x, &a));
    ck_assert_msg(x[0] == 5, "%d\n%s", x[0], texts[i]);
    GpuArray_clear(&a);
    GpuKernel_clear(&k);
  }
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(what_comes_is_waited_for_and_what_cannot_is_told, sizeof waits / sizeof *waits),
    CASE(a_fault_elsewhere_ends_the_wait), CASE(what_goes_on_is_no_wait_for_ever), CASE_END};

int main(void) { return test_main("hostcuda_waits", cases); }
