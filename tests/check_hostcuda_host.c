/* SPDX-License-Identifier: MIT */
/* What a kernel tells the host: printf, whose texts arrive whole and in a thread's
 * own order when the context is synchronised (CUDA promises no more), and assert,
 * whose failure is the launch's error; and launches of a forked child. */
#include <gpuarray.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device.h"

static void run(gpucontext *ctx, GpuKernel *k, GpuArray *a, unsigned int grid, unsigned int block)
{
  OK(GpuKernel_launch(k, (size_t[3]){grid, 1, 1}, (size_t[3]){block, 1, 1}, 0,
                      GA_ARGS(ga_array(NULL, a))));
  OK(gpucontext_sync(ctx));
}

/* Runs kernel k and returns what it printed, to be freed. */
static char *printed(gpucontext *ctx, GpuKernel *k, GpuArray *a, unsigned int grid,
                     unsigned int block)
{
  FILE *f = tmpfile();
  ck_assert_ptr_nonnull(f);
  fflush(stdout);
  int kept = dup(1);
  ck_assert(dup2(fileno(f), 1) == 1);
  run(ctx, k, a, grid, block);
  fflush(stdout);
  dup2(kept, 1);
  close(kept);
  long n = (fseek(f, 0, SEEK_END), ftell(f));
  char *text = calloc(1, (size_t)n + 1);
  ck_assert_ptr_nonnull(text);
  rewind(f);
  ck_assert_uint_eq(fread(text, 1, (size_t)n, f), (size_t)n);
  fclose(f);
  return text;
}

START_TEST(printed_lines_are_whole_and_in_each_threads_order)
{
  static const char text[] =
      "__global__ void k(int *a) {\n"
      "  for (int i = 0; i < 3; i++) {\n"
      "    printf(\"<%d %d %d>\\n\", (int)blockIdx.x, (int)threadIdx.x, i);\n"
      "    if (a[0]) __syncthreads();\n"
      "  }\n}\n";
  enum { BLOCKS = 5, THREADS = 33 };
  gpucontext *ctx = test_context();
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(1), &_i)); /* with barriers and without */
  char *out = printed(ctx, &k, &a, BLOCKS, THREADS);
  int next[BLOCKS][THREADS] = {{0}}, lines = 0;
  for (const char *p = out; *p != '\0'; p = strchr(p, '\n') + 1, lines++) {
    int b, t, i, n = 0;
    ck_assert_msg(sscanf(p, "<%d %d %d>%n", &b, &t, &i, &n) == 3 && n > 0 && p[n] == '\n', "%s", p);
    ck_assert(b >= 0 && b < BLOCKS && t >= 0 && t < THREADS);
    ck_assert_int_eq(i, next[b][t]++);
  }
  ck_assert_int_eq(lines, 3 * BLOCKS * THREADS);
  free(out);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(printf_formats_and_counts_its_arguments)
{
  static const char text[] =
      "__device__ void say(const char *what, double x) { printf(\"%s %.3f|\", what, x); }\n"
      "__global__ void k(int *a) {\n"
      "  a[0] = printf(\"plain%%|\");\n"
      "  a[1] = printf(\"%d %5.2f %c %s %08x %lld|\", -7, 2.5f, 'x', \"str\", 0xabcu, 1ll << 40);\n"
      "  a[2] = printf(\"%-6d|%6u|%e|%g|%p|\", 12, 34u, 0.5, 1e100, (void *)0) == 5;\n"
      "  say(\"in a function\", -1.5);\n"
      "  printf(\"\\n\");\n"
      "}\n";
  int x[3];
  gpucontext *ctx = test_context();
  GpuKernel k = {0};
  GpuArray a = {0};
  OK(GpuKernel_build(&k, ctx, text, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, (size_t[1]){3}, GA_C_ORDER));
  char *out = printed(ctx, &k, &a, 1, 1);
  static const char head[] = "plain%|-7  2.50 x str 00000abc 1099511627776|12    |    34|"
                             "5.000000e-01|1e+100|";
  ck_assert_msg(strncmp(out, head, sizeof head - 1) == 0, "%s", out);
  ck_assert_msg(strstr(out, "|in a function -1.500|\n") != NULL, "%s", out);
  free(out);
  OK(GpuArray_read(x, sizeof x, &a));
  ck_assert_int_eq(x[0], 0);
  ck_assert_int_eq(x[1], 6);
  ck_assert_int_eq(x[2], 1);
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

static const struct {
  const char *text, *words, *at;
} asserts[] = {
    {"#include <assert.h>\n__global__ void k(int *a) {\n\n  assert(threadIdx.x < 3);\n}\n",
     "source.cu:4: assertion failed: threadIdx.x < 3", "thread (3, 0, 0)"},
    {"#include <cassert>\n__global__ void k(int *a) {\n  __syncthreads();\n"
     "  assert(blockIdx.x != 1 && \"why\");\n}\n",
     "source.cu:4: assertion failed: blockIdx.x != 1 && \"why\"", "block (1, 0, 0), thread ("},
    {"__device__ void deep(int x) {\n  assert(x != 2);\n}\n"
     "__global__ void k(int *a) {\n  deep(threadIdx.x);\n}\n",
     "source.cu:2: assertion failed: x != 2", "thread (2, 0, 0)"},
    {"__global__ void k(int *a) {\n  if (threadIdx.x == 1) __trap();\n}\n", "__trap()",
     "thread (1, 0, 0)"},
};

START_TEST(a_failed_assertion_names_kernel_line_block_and_thread)
{
  GpuKernel k = {0}, after = {0};
  GpuArray a = {0};
  int x = 0;
  if (!test_on_cpu()) return; /* it would leave a GPU's context unusable */
  gpucontext *ctx = test_context();
  OK(GpuKernel_build(&k, ctx, asserts[_i].text, "k"));
  OK(GpuKernel_build(&after, ctx, "__global__ void k(int *a) { atomicAdd(a, 1); }", "k"));
  OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(1), &x));
  for (int again = 1; again < 3; again++) {
    FAILS(GA_IMPL_ERROR, asserts[_i].words,
          GpuKernel_launch(&k, (size_t[3]){2, 1, 1}, (size_t[3]){8, 1, 1}, 0,
                           GA_ARGS(ga_array(NULL, &a))));
    ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "kernel k: "));
    ck_assert_msg(strstr(gpuarray_error_message(), asserts[_i].at), "%s", gpuarray_error_message());
    run(ctx, &after, &a, 2, 8); /* the program goes on */
    OK(GpuArray_read(&x, sizeof x, &a));
    ck_assert_int_eq(x, 16 * again);
  }
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuKernel_clear(&after);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(without_assertions_nothing_is_asserted)
{
  static const char text[] = "#define NDEBUG\n#include <assert.h>\n"
                             "__global__ void k(int *a) { assert(a == 0); a[0] = 1; }\n";
  int x = 0;
  gpucontext *ctx = test_context();
  GpuKernel k = {0};
  GpuArray a = {0};
  if (test_on_cpu()) {
    OK(GpuKernel_build(&k, ctx, text, "k"));
    OK(GpuArray_fromhost(&a, ctx, GA_INT, GA_DIMS(1), &x));
    run(ctx, &k, &a, 1, 1);
    OK(GpuArray_read(&x, sizeof x, &a));
    ck_assert_int_eq(x, 1);
  }
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

static atomic_int stop;

static void *launch_on(void *arg)
{
  GpuKernel *k = arg;
  while (!stop) OK(GpuKernel_launch(k, (size_t[3]){4, 1, 1}, (size_t[3]){33, 1, 1}, 0, 0, NULL));
  return NULL;
}

/* Of a process that launches in another thread, at any moment of it. */
START_TEST(a_forked_child_launches_too)
{
  static const char text[] = "__global__ void k() { __syncthreads(); }";
  GpuKernel k = {0};
  pthread_t other;
  if (!test_on_cpu() || !may_fork_beside_threads()) return;
  gpucontext *ctx = test_context();
  OK(GpuKernel_build(&k, ctx, text, "k"));
  ck_assert_int_eq(pthread_create(&other, NULL, launch_on, &k), 0);
  for (int i = 0; i < 40; i++) {
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
      alarm(100);
      _exit(GpuKernel_launch(&k, (size_t[3]){4, 1, 1}, (size_t[3]){33, 1, 1}, 0, 0, NULL));
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
  }
  stop = 1;
  pthread_join(other, NULL);
  GpuKernel_clear(&k);
  gpucontext_deref(ctx);
}
END_TEST

/* Where the CUDA toolkit is installed, its headers may be included: what one takes from its
 * neighbours is ours already, and what it takes of CUDA's standard library is the machine's. */
START_TEST(a_header_of_the_toolkit_leaves_our_types_alone)
{
  static const char *const header = "#include <cuda/std/type_traits>\n#include \"vector_types.h\"\n"
                                    "__NV_SILENCE_DEPRECATION_BEGIN\n"
                                    "template <class T> __device__ int lanes(T) { return "
                                    "cuda::std::is_same<T, float2>::value; }\n"
                                    "__NV_SILENCE_DEPRECATION_END\n";
  static const char *const types = "#if !defined(__VECTOR_TYPES_H__)\n#define __VECTOR_TYPES_H__\n"
                                   "struct float2 { float x, y; };\n#endif\n";
  char dir[] = "/tmp/gpuarray-test-XXXXXX", path[2][64], option[64];
  const char *options[] = {option, NULL};
  GpuModule m = {0};
  if (!test_on_cpu()) return;
  gpucontext *ctx = test_context();
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(option, sizeof option, "-I%s", dir);
  for (int i = 0; i < 2; i++) {
    snprintf(path[i], sizeof path[i], "%s/%s", dir, i == 0 ? "lanes.h" : "vector_types.h");
    FILE *f = fopen(path[i], "w");
    ck_assert_ptr_nonnull(f);
    fputs(i == 0 ? header : types, f);
    fclose(f);
  }
  OK(GpuModule_init(&m, ctx,
                    "#include <lanes.h>\n"
                    "__global__ void k(int *a) { a[0] = lanes(make_float2(1, 2)); }\n",
                    options));
  GpuModule_clear(&m);
  for (int i = 0; i < 2; i++) unlink(path[i]);
  rmdir(dir);
  gpucontext_deref(ctx);
}
END_TEST

static const test_case cases[] = {CASE_LOOP(printed_lines_are_whole_and_in_each_threads_order, 2),
                                  CASE(printf_formats_and_counts_its_arguments),
                                  CASE_LOOP(a_failed_assertion_names_kernel_line_block_and_thread,
                                            sizeof asserts / sizeof *asserts),
                                  CASE(without_assertions_nothing_is_asserted),
                                  CASE(a_forked_child_launches_too),
                                  CASE(a_header_of_the_toolkit_leaves_our_types_alone),
                                  CASE_END};

int main(void) { return test_main("hostcuda_host", cases); }
