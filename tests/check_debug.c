/* SPDX-License-Identifier: MIT */
/* The debugger for kernels: each documented mistake is reported with kernel,
 * line, block and thread, and the program goes on; kernels without one run. The
 * CPU device only. */
#include <gpuarray.h>
#include <stdint.h>

#include "lib/cpu/hostcuda_cxx.h"
#include "lib/cpu/hostcuda_lines.h"
#include "tests/device.h"

static const char *const check_option[] = {"--check", NULL};

typedef struct mistake {
  const char *text; /* of kernel k, called with an int array of 64 zeros */
  const char *where, *words;
  unsigned int block, shared;
  const char *thread;
} mistake;

/* Clang does not look at the alignment of a struct that is copied whole. */
static int unseen(const mistake *m)
{
  const ga_hc_cxx *cxx;
  OK(ga_hc_cxx_find(&cxx));
  return cxx->clang && strstr(m->text, "float4 v = *") != NULL;
}

static const mistake mistakes[] = {
    {"__global__ void k(int *a) {\n  int i = threadIdx.x;\n  a[i] = i;\n}\n", "source.cu:3",
     "outside every buffer, 0 bytes behind the end of a buffer of 256", 65, 0, "thread (64, 0, 0)"},
    {"__global__ void k(int *a) {\n  a[0] = a[-1 - (int)threadIdx.x];\n}\n", "source.cu:2",
     "reads 4 bytes outside every buffer", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  int *p = (int *)(size_t)a[1];\n\n  *p = 1;\n}\n",
     "source.cu:4", "NULL", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  ((float4 *)(a + threadIdx.x))[0].x = 1;\n}\n", "source.cu:2",
     "misaligned: not at a multiple of 16", 2, 0, "thread (1, 0, 0)"},
    {"__global__ void k(int *a) {\n\n  float4 v = *(float4 *)(a + 1);\n  a[0] = (int)v.x;\n}\n",
     "source.cu:3", "misaligned: not at a multiple of 16", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  int t[16] = {1};\n\n  memcpy(a + 60, t, 64);\n}\n",
     "source.cu:4", "writes 64 bytes outside every buffer", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  memset(a, 0, 257 + threadIdx.x);\n}\n", "source.cu:2",
     "writes 257 bytes outside every buffer", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  atomicAdd((unsigned long long *)(a + 1), 1ull);\n}\n",
     "source.cu:2", "4 past a multiple of 8", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  atomicAdd(a + 63 + threadIdx.x, 1);\n}\n", "source.cu:2",
     "changes 4 bytes outside every buffer", 2, 0, "thread (1, 0, 0)"},
    {"__global__ void k(int *a) {\n  __shared__ int *p; int own = threadIdx.x;\n"
     "  if (threadIdx.x == 0) p = &own;\n  __syncthreads();\n  a[threadIdx.x] = *p;\n}\n",
     "source.cu:5", "another thread's local memory", 32, 0, "thread ("},
    {"__device__ int f(int n) {\n  volatile int x[64]; x[0] = n;\n"
     "  return n <= 0 ? 0 : f(n - 1) + x[0];\n}\n"
     "__global__ void k(int *a) {\n  a[0] = f(1000000);\n}\n",
     "source.cu:", "local memory is used up", 2, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  a[1] = -1; a[2] = 1 << 31;\n"
     "  a[0] = a[2] / ((volatile int *)a)[1];\n}\n",
     "source.cu:3", "quotient that does not fit", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  __shared__ int s[64]; int t = threadIdx.x;\n  s[t] = t;\n"
     "  __syncthreads();\n  for (int h = 32; h > 0; h /= 2)\n    if (t < h) s[t] += s[t + h];\n"
     "  a[0] = s[0];\n}\n",
     "source.cu:", "race on shared memory", 64, 0, "thread ("},
    {"__global__ void k(int *a) {\n  __shared__ int s[32]; int t = threadIdx.x;\n"
     "  for (int i = 0; i < 3; i++) {\n    s[t] = t * i + i;\n    __syncthreads();\n"
     "    a[t] += s[31 - t];\n  }\n}\n",
     "source.cu:6", "race on shared memory", 32, 0, "thread ("},
    {"__global__ void k(int *a) {\n  __shared__ volatile int s[64]; int t = threadIdx.x;\n"
     "  s[t] = t; s[t + 32] = t;\n  s[t] += s[t + 16];\n  s[t] += s[t + 8];\n  a[t] = s[t];\n}\n",
     "source.cu:", "race on shared memory", 32, 0, "thread ("},
    {"__global__ void k(int *a) {\n  __shared__ int s[64];\n  s[threadIdx.x] = threadIdx.x;\n"
     "  __syncwarp();\n  a[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
     "source.cu:", "race on shared memory", 64, 0, "thread ("},
    {"__global__ void k(int *a) {\n  __shared__ int s[8];\n"
     "  if (blockIdx.x == 0) s[threadIdx.x] = 1;\n  __syncthreads();\n"
     "  a[threadIdx.x] = s[threadIdx.x];\n}\n",
     "source.cu:5", "never written", 8, 0, "block (1, 0, 0)"},
    {"__global__ void k(int *a) {\n  extern __shared__ int s[];\n\n"
     "  a[threadIdx.x] = s[threadIdx.x];\n}\n",
     "source.cu:4", "never written", 8, 64, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  int i = threadIdx.x;\n  a[i] = 5 % (i - 3);\n}\n",
     "source.cu:3", "division by zero", 8, 0, "thread (3, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 4)\n    a[0] = __syncthreads_or(1);\n"
     "  else\n    __syncthreads();\n}\n",
     "source.cu:", "diverged barrier", 8, 0, "thread ("},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 32)\n    __barrier_sync_count(1, 64);\n}\n",
     "source.cu:3", "32 of 64 threads are at barrier 1", 64, 0, "thread ("},
    {"__global__ void k(int *a) {\n  *(long long *)(a + 1 + threadIdx.x) = 1;\n}\n", "source.cu:2",
     "misaligned: not at a multiple of 8", 1, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  __shared__ int s[32];\n  if (threadIdx.x < 16) s[threadIdx.x] "
     "= 1;\n  __syncthreads();\n  a[threadIdx.x] = s[threadIdx.x];\n}\n",
     "source.cu:5", "never written", 32, 0, "thread ("},
    {"__global__ void k(int *a) {\n  extern __shared__ int s[];\n  s[threadIdx.x] = 1;\n"
     "  a[threadIdx.x] = s[threadIdx.x ^ 1];\n}\n",
     "source.cu:4", "race on shared memory", 32, 128, "thread ("},
    {"__global__ void k(int *a) {\n  __shared__ int s[64];\n  s[threadIdx.x] = 0;\n"
     "  __syncthreads();\n  if (threadIdx.x > 0) s[threadIdx.x - 1] += threadIdx.x;\n"
     "  a[threadIdx.x] = s[threadIdx.x];\n}\n",
     "source.cu:5", "race on shared memory", 64, 0, "thread ("},
    {"__global__ void k(int *a) {\n  extern __shared__ int s[];\n\n  s[threadIdx.x] = 1;\n}\n",
     "source.cu:4", "dynamic shared memory", 33, 128, "thread (32, 0, 0)"},
    {"__global__ void k(int *a) {\n  __shared__ int s[16];\n  s[threadIdx.x] = 1;\n}\n",
     "source.cu:3", "outside its array", 32, 0, "thread (16, 0, 0)"},
    {"__global__ void k(int *a) {\n\n  a[threadIdx.x] = 7 / a[threadIdx.x];\n}\n", "source.cu:3",
     "division by zero", 32, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 16) {\n    __syncthreads();\n  }\n"
     "  a[threadIdx.x] = 1;\n}\n",
     "source.cu:3", "diverged barrier", 32, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x % 2)\n    __syncthreads();\n  else\n"
     "    __syncthreads();\n}\n",
     "source.cu:", "diverged barrier", 32, 0, "thread ("},
    {"__global__ void k(int *a) {\n"
     "  if (threadIdx.x % 2) __syncthreads(); else { a[0]++; __syncthreads(); }\n}\n",
     "source.cu:2", "diverged barrier: thread (0, 0, 0) waits at another one, of source.cu:2", 32,
     0, "thread (1, 0, 0)"},
    {"#define EVEN_ODD(x) if (x % 2 == 0) __syncthreads(); else __syncthreads()\n"
     "__global__ void k(int *a) {\n\n  EVEN_ODD(threadIdx.x);\n}\n",
     "source.cu:4", "diverged barrier", 32, 0, "thread (1, 0, 0)"},
    {"__device__ int g[10]; __device__ int h[10];\n__global__ void k(int *a) {\n  int *p = g;\n"
     "  p[threadIdx.x + a[0]] = 1;\n}\n",
     "source.cu:4", "writes 4 bytes outside every global, 0 bytes behind the end of g of 40", 12, 0,
     "thread (10, 0, 0)"},
    {"__constant__ float c[4] = {1, 2, 3, 4};\n__constant__ float d[4] = {1, 2, 3, 4};\n"
     "__device__ float at(const float *p, int i) { return p[i]; }\n"
     "__global__ void k(int *a) {\n  a[0] = at(c + a[1], threadIdx.x + 3);\n}\n",
     "source.cu:3", "reads 4 bytes outside every global, 0 bytes behind the end of c of 16", 2, 0,
     "thread (1, 0, 0)"},
    {"namespace n { static __device__ const short x[3] = {1, 2, 3}, y[3] = {4, 5, 6}; }\n"
     "__global__ void k(int *a) {\n  const short *p = a[0] ? n::x : n::y;\n  a[0] = p[100];\n}\n",
     "source.cu:4", "outside every global, 194 bytes behind the end of n::y of 6", 1, 0,
     "thread (0, 0, 0)"},
    {"__device__ double g[4];\n__device__ double h[4];\n"
     "__global__ void k(int *a) {\n  double *p = h;\n  atomicAdd(p - 1 - a[0], 1.0);\n}\n",
     "source.cu:5", "8 bytes outside every global, 8 bytes before the beginning of h of 32", 1, 0,
     "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x < 8)\n    a[0] = __shfl_sync(0xffffffffu, 1, "
     "0);\n  else\n    __syncthreads();\n}\n",
     "source.cu:3", "diverged warp operation", 32, 0, "thread (0, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x > 8)\n    a[0] = __shfl_sync(0xffu, 1, "
     "0);\n}\n",
     "source.cu:3", "does not name", 32, 0, "thread (9, 0, 0)"},
    /* no mistakes: */
    {"__global__ void k(int *a) {\n  __shared__ int s[64], done;\n  s[threadIdx.x] = 1;\n"
     "  done = 1; __syncthreads();\n  a[threadIdx.x] = s[threadIdx.x ^ 1] + done;\n}\n",
     NULL, NULL, 64, 0, NULL},
    {"__global__ void k(int *a) {\n  __shared__ int s[32]; int l = threadIdx.x;\n  s[l] = l;\n"
     "  __syncwarp();\n  a[l] = s[l ^ 1];\n  __syncwarp();\n  s[l ^ 1] = 5;\n}\n",
     NULL, NULL, 32, 0, NULL},
    {"__global__ void k(int *a) {\n  __shared__ int s[32]; int l = threadIdx.x, v;\n"
     "  if (l < 16) { s[l] = l; __syncwarp(); v = s[l + 16]; }\n"
     "  else {\n    s[l] = l;\n    __syncwarp();\n    v = s[l - 16];\n  }\n"
     "  if (l % 2) a[l] = __shfl_xor_sync(0xffffffffu, v, 1);\n"
     "  else a[l] = __shfl_xor_sync(0xffffffffu, v, 1) + v;\n}\n",
     NULL, NULL, 32, 0, NULL},
    {"struct pair { int x[7]; };\n__device__ pair g[3], h; __constant__ const int c[3] = {1, 2, "
     "3};\n"
     "__device__ const char *const names[] = {\"one\", \"two\"};\n"
     "__global__ void k(int *a) {\n  static __device__ int own[8]; pair *p = g;\n"
     "  p[threadIdx.x % 3] = h; (&h)->x[6] = c[threadIdx.x % 3]; own[threadIdx.x % 8] = 1;\n"
     "  a[threadIdx.x] = names[threadIdx.x % 2][2];\n}\n",
     NULL, NULL, 32, 0, NULL},
    {"__constant__ int c[4] = {1, 2, 3, 4};\n__device__ int g[64];\nstruct box { int *p, n; };\n"
     "__global__ void k(int *a) {\n  __shared__ int n; box b = {a, 64}; int own[4] = {0, 1, 2, "
     "3};\n"
     "  if (threadIdx.x == 0) n = 0;\n  __syncthreads();\n  atomicAdd(&n, own[threadIdx.x % 4]);\n"
     "  g[threadIdx.x] = c[threadIdx.x % 4];\n  __syncthreads();\n  b.p[threadIdx.x] = n + "
     "g[5];\n}\n",
     NULL, NULL, 64, 0, NULL},
};

/* Runs it with option --check, or under GPUARRAY_CHECK. */
static void run_one(const mistake *m, const char *const *options)
{
  if (unseen(m)) return;
  gpucontext *ctx = test_context();
  GpuModule mod = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(GpuModule_init(&mod, ctx, m->text, options));
  OK(GpuModule_kernel(&k, &mod, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){64}, GA_C_ORDER));
  for (int again = 0; again < 2; again++) { /* the program goes on */
    int err = GpuKernel_launch(&k, (size_t[3]){2, 1, 1}, (size_t[3]){m->block, 1, 1}, m->shared,
                               GA_ARGS(ga_array(NULL, &a)));
    if (m->where == NULL) {
      ck_assert_msg(err == GA_NO_ERROR, "%s\n%s", gpuarray_error_message(), m->text);
      continue;
    }
    const char *said = gpuarray_error_message();
    ck_assert_msg(err == GA_IMPL_ERROR, "returned %d\n%s", err, m->text);
    ck_assert_msg(strstr(said, "kernel k") && strstr(said, m->where) && strstr(said, m->words) &&
                      strstr(said, "block (") && strstr(said, m->thread),
                  "%s\n%s", said, m->text);
  }
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&mod);
  gpucontext_deref(ctx);
}

START_TEST(each_mistake_is_reported_at_its_line)
{
  if (test_on_cpu()) run_one(&mistakes[_i], check_option);
}
END_TEST

START_TEST(the_environment_asks_for_it_too)
{
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_CHECK", "1", 1);
  run_one(&mistakes[0], NULL);
  unsetenv("GPUARRAY_CHECK");
}
END_TEST

START_TEST(unchecked_kernels_still_find_what_would_hang_or_kill)
{
  if (!test_on_cpu()) return;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    if (mistakes[i].words != NULL &&
        (strstr(mistakes[i].words, "diverged") || strstr(mistakes[i].words, "division")))
      run_one(&mistakes[i], NULL);
}
END_TEST

START_TEST(a_damaged_line_table_is_no_harm)
{
  unsigned char junk[512];
  uint32_t x = 1;
  for (size_t i = 0; i < sizeof junk; i++) {
    x = x * 1664525 + 1013904223;
    junk[i] = (unsigned char)(x >> 24);
  }
  memcpy(junk, "\177ELF\2\1\1", 7);
  for (size_t n = 0; n <= sizeof junk; n++) ga_hc_lines_free(ga_hc_lines_read(junk, n));
  const char *file;
  unsigned int line;
  ck_assert_int_eq(ga_hc_lines_find(NULL, 0, &file, &line), 0);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(each_mistake_is_reported_at_its_line, sizeof mistakes / sizeof *mistakes),
    CASE(the_environment_asks_for_it_too),
    CASE(unchecked_kernels_still_find_what_would_hang_or_kill),
    CASE(a_damaged_line_table_is_no_harm), CASE_END};

int main(void) { return test_main("debug", cases); }
