/* SPDX-License-Identifier: MIT */
/* CUDA's limits on local and shared memory, and what the processor refuses: kernels
 * within the limits run, what lies beyond is an error of the compilation or of the
 * launch that names kernel, block and thread, and the program goes on. The CPU
 * device only. */
#include <gpuarray.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cpu/hostcuda_shared.h"
#include "tests/device.h"

typedef struct limit {
  const char *text;        /* of kernel k, called with an int array of 64 zeros */
  int block;               /* threads */
  const char *words, *who; /* of the launch's error; NULL: a[0] becomes 5 */
} limit;

#define LARGE(kib)                                                      \
  "__global__ void k(int *a) {\n  volatile char b[" #kib " * 1024];\n"  \
  "  for (int i = 0; i < sizeof b; i += 512) b[i] = 5;\n  int s = 0;\n" \
  "  for (int i = 0; i < sizeof b; i += 512) s += b[i] == 5;\n"

#define RUNAWAY                                                                    \
  "__device__ __noinline__ int f(int n) {\n  volatile int x[64]; x[n % 64] = n;\n" \
  "  return n <= 0 ? 0 : f(n - 1) + x[n % 64];\n}\n"

#if defined(__x86_64__)
#define WRITES "writes"
#else
#define WRITES "es" /* under an emulator "accesses": it tells no more */
#endif

static const limit limits[] = {
    /* within the limit, as a loop over threads and as fibers, before and after small ones */
    {LARGE(300) "  a[threadIdx.x % 64] = s == 600 ? 5 : s;\n}\n", 64, NULL, NULL},
    {LARGE(512) "  a[threadIdx.x % 64] = s == 1024 ? 5 : s;\n}\n", 64, NULL, NULL},
    {"__global__ void k(int *a) { __syncthreads(); a[0] = 5; }\n", 1024, NULL, NULL},
    {LARGE(512) "  __syncthreads();\n  a[threadIdx.x % 64] = s == 1024 ? 5 : s;\n}\n", 256, NULL,
     NULL},
    {"__global__ void k(int *a) { __syncthreads(); a[0] = 5; }\n", 1024, NULL, NULL},
    {RUNAWAY "__global__ void k(int *a) {\n  int s = f(1500);\n  __syncthreads();\n"
             "  a[threadIdx.x % 64] = s == 1500 * 1501 / 2 ? 5 : s;\n}\n",
     128, NULL, NULL},
    {"template <int N> __device__ __noinline__ int f(int *a) { return f<N - 1>(a) + *a; }\n"
     "template <> __device__ int f<0>(int *a) { return 5; }\n"
     "__global__ void k(int *a) { int s = f<9>(a + 1); __syncthreads(); a[0] = s; }\n",
     64, NULL, NULL},
    /* a stack that is used up */
    {RUNAWAY "__global__ void k(int *a) { if (threadIdx.x == 7) a[0] = f(1 << 30); }\n", 64,
     "local memory is used up: a thread has 512 KiB", "thread (7, 0, 0)"},
    {RUNAWAY "__global__ void k(int *a) {\n  __syncthreads();\n"
             "  if (threadIdx.x == 7) a[0] = f(1 << 30);\n}\n",
     64, "local memory is used up: a thread has 512 KiB", "thread (7, 0, 0)"},
    {"__device__ int g(int n, int *a);\n"
     "__device__ __noinline__ int f(int n, int *a) { return n ? g(n - 1, a) + *a : 0; }\n"
     "__device__ __noinline__ int g(int n, int *a) { return n ? f(n - 1, a) + *a : 1; }\n"
     "__global__ void k(int *a) { a[0] = f(1 << 30, a + 1); }\n",
     2, "local memory is used up", "thread (0, 0, 0)"},
    {"struct tree { __device__ __noinline__ int f(int n, int *a) {\n"
     "  return n ? f(n - 1, a) + *a : 0; } };\n"
     "__global__ void k(int *a) { tree t; a[0] = t.f(1 << 30, a + 1); }\n",
     2, "local memory is used up", "thread (0, 0, 0)"},
    {"__device__ __noinline__ int f(int n, int *a) {\n  printf(\"\");\n"
     "  return n ? f(n - 1, a) + *a : 0; }\n"
     "__global__ void k(int *a) { if (threadIdx.x == 3) a[0] = f(1 << 30, a + 1); }\n",
     8, "local memory is used up", "thread (3, 0, 0)"},
    {"__global__ void k(int *a) {\n  volatile char *p = (char *)__builtin_alloca(8000000 + a[0]);\n"
     "  p[0] = 1; a[0] = p[a[1]];\n}\n",
     8, "local memory is used up", "thread (0, 0, 0)"},
    /* memory that is not there, and what ends a program */
    {"__global__ void k(int *a) {\n  __syncthreads();\n"
     "  if (threadIdx.x == 9) *(volatile int *)(size_t)a[0] = 1;\n}\n",
     64, WRITES " memory that is not there, at address 0x0 (a NULL pointer)", "thread (9, 0, 0)"},
    {"__global__ void k(int *a) { a[0] = *(volatile int *)(0x1234567890l + a[0]); }\n", 1,
     "memory that is not there, at address 0x1234567890", "block ("},
    {"struct large { int x[200]; };\n"
     "__global__ void k(large *a) {\n  __syncthreads();\n"
     "  if (threadIdx.x == 1) *(volatile int *)a, *a = *(large *)(size_t)a->x[0];\n}\n",
     2, "memory that is not there", "thread (1, 0, 0)"},
#if defined(__x86_64__) /* others give INT_MIN, as GPUs do */
    {"__global__ void k(int *a) {\n  a[1] = -1; a[2] = 1 << 31; __syncthreads();\n"
     "  a[0] = ((volatile int *)a)[2] / ((volatile int *)a)[1];\n}\n",
     4, "a quotient of integers that does not fit", "thread ("},
#endif
    {"__global__ void k(int *a) {\n  __syncthreads();\n"
     "  if (threadIdx.x == 5) __builtin_trap();\n}\n",
     8, "__builtin_trap()", "thread (5, 0, 0)"},
};

/* Runs it twice; of its error both times are looked at. */
static void run_one(gpucontext *ctx, const limit *l)
{
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(GpuKernel_build(&k, ctx, l->text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){256}, GA_C_ORDER));
  for (int again = 0; again < 2; again++) {
    int x[256] = {0};
    OK(GpuArray_write(&a, x, sizeof x));
    int err = GpuKernel_launch(&k, (size_t[3]){2, 1, 1}, (size_t[3]){(size_t)l->block, 1, 1}, 0,
                               GA_ARGS(ga_array(NULL, &a)));
    OK(GpuArray_read(x, sizeof x, &a));
    const char *said = gpuarray_error_message();
    if (l->words == NULL)
      ck_assert_msg(err == GA_NO_ERROR && x[0] == 5, "%d %s: %d\n%s", err, said, x[0], l->text);
    else
      ck_assert_msg(err == GA_IMPL_ERROR && strstr(said, "kernel k: ") && strstr(said, l->words) &&
                        strstr(said, "block (") && strstr(said, l->who),
                    "%d %s\n%s", err, said, l->text);
  }
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
}

START_TEST(limits_are_cudas_and_what_lies_beyond_is_told)
{
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  run_one(ctx, &limits[_i]);
  gpucontext_deref(ctx);
}
END_TEST

/* One after the other in one process: small stacks and large ones take turns. */
START_TEST(one_process_goes_on_after_all_of_them)
{
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) run_one(ctx, &limits[i]);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(local_arrays_beyond_the_limit_are_refused)
{
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  FAILS(GA_IMPL_ERROR, "uses too much local memory",
        GpuModule_init(&m, ctx, LARGE(600) "  a[0] = s;\n}\n", NULL));
  ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "524288 are possible"));
  gpucontext_deref(ctx);
}
END_TEST

static const struct {
  const char *text, *words; /* words: NULL where kernel k is compiled */
} shared[] = {
    {"__global__ void k(int *a) { __shared__ float s[12288]; s[a[0]] = 1; a[0] = s[a[1]]; }\n",
     NULL},
    {"__global__ void k(int *a) { __shared__ float s[12289]; s[a[0]] = 1; a[0] = s[a[1]]; }\n",
     "k uses too much shared memory: 49156 bytes"},
    {"__global__ void k(int *a) {\n  __shared__ double s[32][100], t[32][100];\n"
     "  s[a[0]][0] = t[a[1]][0]; __syncthreads();\n  t[a[2]][1] = s[a[0]][1]; a[0] = "
     "t[a[3]][2];\n}\n",
     "k uses too much shared memory: 51200 bytes"},
    /* each has its own */
    {"__global__ void j(int *a) { __shared__ char s[40000]; s[a[0]] = 1; a[0] = s[a[1]]; }\n"
     "__global__ void k(int *a) { __shared__ char s[40000]; s[a[0]] = 1; a[0] = s[a[1]]; }\n",
     NULL},
    {"namespace n { template <class T, int N> __device__ T turn(T x) {\n"
     "  __shared__ T s[N]; s[threadIdx.x] = x; __syncthreads(); return s[N - 1 - threadIdx.x];\n} "
     "}\n"
     "__global__ void k(int *a) { a[0] = n::turn<double, 8192>(a[0]); }\n",
     "turn uses too much shared memory: 65536 bytes"},
};

START_TEST(static_shared_memory_has_cudas_limit)
{
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  if (shared[_i].words == NULL)
    OK(GpuModule_init(&m, ctx, shared[_i].text, NULL));
  else
    FAILS(GA_IMPL_ERROR, shared[_i].words, GpuModule_init(&m, ctx, shared[_i].text, NULL));
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(static_and_dynamic_shared_memory_share_a_limit)
{
  static const size_t one[3] = {1, 1, 1};
  GpuKernel k = {0};
  GpuArray a = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  OK(GpuKernel_build(&k, ctx, shared[0].text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){64}, GA_C_ORDER));
  OK(GpuKernel_launch(&k, one, one, 232448 - 49152, GA_ARGS(ga_array(NULL, &a))));
  FAILS(GA_VALUE_ERROR, "beside 49152 of its static arrays; the cpu device has 232448",
        GpuKernel_launch(&k, one, one, 232448 - 49151, GA_ARGS(ga_array(NULL, &a))));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

/* Damaged objects of a cache are no harm. */
START_TEST(any_bytes_may_be_asked_for_their_shared_memory)
{
  unsigned char junk[600];
  char name[128];
  uint32_t x = 7;
  for (int round = 0; round < 200; round++) {
    for (size_t i = 0; i < sizeof junk; i++) {
      x = x * 1664525 + 1013904223;
      junk[i] = (unsigned char)(x >> 24) & (round % 2 ? 0xff : 0x7f & (x >> 9));
    }
    memcpy(junk, "\177ELF\2\1\1", 7);
    for (size_t n = 0; n <= sizeof junk; n += 13) (void)ga_hc_shared_largest(junk, n, name);
  }
  ck_assert_uint_eq(ga_hc_shared_of(junk, 0, "k"), 0);
}
END_TEST

static sigjmp_buf back;
static void jump(int sig) { siglongjmp(back, sig); }

/* The program's own faults stay its own: they go to its handler, or end it. */
START_TEST(the_programs_own_faults_stay_its_own)
{
  static volatile int *volatile nowhere = (volatile int *)64; /* a sanitizer stops at NULL */
  int status;
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  pid_t pid = fork();
  if (pid == 0) {
    run_one(ctx, &limits[7]);
    *nowhere = 1;
    _exit(0);
  }
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "%x", (unsigned int)status);
  signal(SIGSEGV, jump);
  run_one(ctx, &limits[7]);
  int sig = sigsetjmp(back, 1);
  if (sig == 0) *nowhere = 1;
  ck_assert_int_eq(sig, SIGSEGV);
  run_one(ctx, &limits[7]);
  sig = sigsetjmp(back, 1);
  if (sig == 0) raise(SIGSEGV);
  ck_assert_int_eq(sig, SIGSEGV);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(signals_may_be_left_alone)
{
  struct sigaction before, now;
  if (!test_on_cpu()) return;
  setenv("GPUARRAY_SIGNALS", "0", 1);
  gpucontext *ctx = test_context();
  ck_assert_int_eq(sigaction(SIGSEGV, NULL, &before), 0); /* a sanitizer has one */
  run_one(ctx, &limits[0]);
  ck_assert_int_eq(sigaction(SIGSEGV, NULL, &now), 0);
  ck_assert(now.sa_handler == before.sa_handler);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(limits_are_cudas_and_what_lies_beyond_is_told, sizeof limits / sizeof *limits),
    CASE(one_process_goes_on_after_all_of_them),
    CASE(local_arrays_beyond_the_limit_are_refused),
    CASE_LOOP(static_shared_memory_has_cudas_limit, sizeof shared / sizeof *shared),
    CASE(static_and_dynamic_shared_memory_share_a_limit),
    CASE(any_bytes_may_be_asked_for_their_shared_memory),
    CASE(the_programs_own_faults_stay_its_own),
    CASE(signals_may_be_left_alone),
    CASE_END};

int main(void) { return test_main("hostcuda_limits", cases); }
