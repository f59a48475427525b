/* SPDX-License-Identifier: MIT */
/* What C++'s run-time library gives, in CUDA C on the CPU: new and delete as CUDA has them,
 * classes, and ends that are errors of the launch; and that the library itself stays out. */
#include <gpuarray.h>

#include <dlfcn.h>

#include "tests/device.h"

static const size_t one[3] = {1, 1, 1};

/* Builds and runs the text's kernel k(int *out, long n), with n = -1, by one thread. */
static int launch(int *out, size_t nout, const char *text, int check)
{
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  GpuKernel k = {0};
  GpuArray a = {0};
  long n = -1;
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, text, check ? (const char *const[]){"--check", NULL} : NULL));
  OK(GpuModule_kernel(&k, &m, "k"));
  OK(GpuArray_zeros(&a, ctx, GA_INT, 1, &nout, GA_C_ORDER));
  int err =
      GpuKernel_launch(&k, one, one, 0, GA_ARGS(ga_array(NULL, &a), ga_scalar(NULL, GA_LONG, &n)));
  OK(GpuArray_tohost(out, nout * sizeof *out, GA_INT, &a));
  GpuArray_clear(&a);
  GpuKernel_clear(&k);
  GpuModule_clear(&m);
  gpucontext_deref(ctx);
  return err;
}

/* Statements i that hold leave 1 in out[i]. */
static const struct {
  const char *name, *text;
  size_t n;
} rows[] = {
    {"new gives NULL where there is no memory",
     "struct c { int v; __device__ c() : v(3) {} };\n"
     "__device__ void *volatile seen;\n"
     "template <class T> __device__ int none(T *p) { seen = p; return p == nullptr; }\n"
     "__global__ void k(int *out, long n) {\n"
     "  out[0] = none(new int[n]) && none(new double[(unsigned long)n / 4]);\n"
     "  out[1] = none(new char[(unsigned long)n / 2 + 1]) && none(new c[n]);\n"
     "  out[2] = none(__nv_aligned_device_malloc(n, 256));\n"
     "  int *p = new int[2 - n]; seen = p;\n"
     "  for (int i = 0; i < 3; i++) p[i] = i;\n"
     "  out[3] = p != nullptr && p[2] == 2;\n"
     "  delete[] p; delete (c *)nullptr;\n}\n",
     4},
    {"alignments and operators of one's own are kept",
     "struct alignas(64) wide { char c[64]; };\n"
     "struct own {\n"
     "  int v;\n"
     "  static __device__ void *operator new(size_t n) {\n"
     "    own *p = (own *)malloc(n + sizeof(int)); return p;\n  }\n"
     "  static __device__ void operator delete(void *p) { free(p); }\n};\n"
     "__global__ void k(int *out, long n) {\n"
     "  wide *w = new wide, *v = new wide[2];\n"
     "  double4 *d = ::new double4(make_double4(1, 2, 3, 4));\n"
     "  out[0] = ((size_t)w & 63) == 0 && ((size_t)v & 63) == 0 && d->w == 4;\n"
     "  delete w; delete[] v; ::delete d;\n"
     "  own *o = new own{5}; out[1] = o->v == 5; delete o;\n"
     "  int *i = new (int); *i = 3; int *j = new (i) int(4);\n"
     "  out[2] = *i == 4 && j == i; delete i;\n"
     "  auto l = new auto(2.5f); out[3] = *l == 2.5f; delete l;\n}\n",
     4},
    {"classes are whole",
     "struct base {\n"
     "  int v; __device__ base(int v) : v(v) {}\n"
     "  virtual __device__ ~base() {} virtual __device__ int get() const = 0;\n};\n"
     "struct once : base { using base::base; __device__ int get() const override { return v; } };\n"
     "struct twice : once {\n"
     "  using once::once; __device__ int get() const override { return 2 * v; }\n};\n"
     "__device__ int count; struct counts { __device__ counts() { count++; } int v = 7; };\n"
     "struct leaves { int v = 1; __device__ ~leaves() { printf(\"%u\", threadIdx.x); } };\n"
     "__device__ int still() { static counts c; static leaves l; return c.v * l.v; }\n"
     "__global__ void k(int *out, long n) {\n"
     "  base *b[2] = {new once(4), new twice(4)};\n"
     "  out[0] = b[0]->get() == 4 && b[1]->get() == 8;\n"
     "  delete b[0]; delete b[1];\n"
     "  out[1] = still() == 7 && still() == 7 && count == 1;\n"
     "  counts *c = new counts[3]; out[2] = c[2].v == 7 && count == 4; delete[] c;\n}\n",
     3},
};

static void hold(size_t row, int check)
{
  int out[4] = {0};
  OK(launch(out, rows[row].n, rows[row].text, check));
  for (size_t i = 0; i < rows[row].n; i++)
    ck_assert_msg(out[i] == 1, "%s: statement %zu", rows[row].name, i);
}

START_TEST(classes_and_their_memory_are_as_in_cuda) { hold(_i, 0); }
END_TEST

START_TEST(the_debugger_finds_nothing_in_them) { hold(_i, 1); }
END_TEST

/* A kernel's text, and what it ends with. */
static const struct {
  const char *text, *words;
} ends[] = {
    {"#include <stdlib.h>\n__global__ void k(int *out, long n) { if (n < 0) exit(3); }\n",
     "ended: exit()"},
    {"#include <stdlib.h>\n__global__ void k(int *out, long n) { if (n < 0) abort(); }\n",
     "ended: abort()"},
    {"#include <cuda/std/optional>\n"
     "__global__ void k(int *out, long n) {\n"
     "  std::optional<int> o; if (n > 0) o = 1; out[0] = o.value();\n}\n",
     "ended: abort()"},
    {"#include <cuda/std/array>\n"
     "__global__ void k(int *out, long n) { std::array<int, 3> a = {}; out[0] = a.at(2 - n); }\n",
     "ended: array::at: __n (which is 3) >= _Nm (which is 3)"},
    {"#include <cuda/std/functional>\n"
     "__global__ void k(int *out, long n) { std::function<int()> f; out[0] = f(); }\n",
     "ended: std::bad_function_call"},
    {"#include <vector>\n"
     "__global__ void k(int *out, long n) { std::vector<int> v(-n); v.reserve(n); }\n",
     "ended: vector::reserve"},
    {"struct base {\n"
     "  __device__ base() { call(); } __device__ __noinline__ void call() { get(); }\n"
     "  virtual __device__ int get() = 0;\n};\n"
     "struct derived : base { __device__ int get() override { return 1; } };\n"
     "__global__ void k(int *out, long n) { derived d; out[0] = d.get(); }\n",
     "ended: pure virtual call"},
};

START_TEST(what_would_end_the_process_is_the_launchs_error)
{
  int out[1];
  for (int check = 0; check < 2; check++)
    FAILS(GA_IMPL_ERROR, ends[_i].words, launch(out, 1, ends[_i].text, check));
}
END_TEST

START_TEST(headers_of_containers_are_there)
{
  static const char text[] = "#include <map>\n#include <string>\n#include <set>\n#include <queue>\n"
                             "__global__ void k(int *out, long n) {\n"
                             "  std::map<int, int> m; std::priority_queue<int> q;\n"
                             "  for (int i = 0; i < 9 + n; i++) m[i % 3] += i, q.push(i);\n"
                             "  out[0] = m[0]; out[1] = m[2]; out[2] = q.top();\n}\n";
  int out[3] = {0};
  OK(launch(out, 3, text, 0));
  ck_assert(out[0] == 9 && out[1] == 7 && out[2] == 7);
}
END_TEST

START_TEST(globals_are_initialized_by_constants)
{
  static const char *const bad[] = {
      "struct c { int v; __device__ c() { v = threadIdx.x; } };\n__device__ c global;\n",
      "__device__ int f() { return 7; }\nstatic __constant__ __device__ int global = f();\n"};
  static const char good[] =
      "#include <cuda_fp16.h>\n#include <cuda/atomic>\n"
      "struct c { int v; __device__ constexpr c(int v) : v(v) {} };\n"
      "__device__ c one(3), two[2] = {4, 5}; __device__ __half h; __constant__ __half2 hh[2];\n"
      "__device__ cuda::atomic<int> count; __device__ float4 f = {1, 2, 3, 4}; static __device__ "
      "struct { int a; } s = {6}, t;\n"
      "__device__ float4 *p = &f; template <class T> __device__ T third = T(1) / 3;\n"
      "__device__ constexpr int ce = 7; static constexpr __device__ float tab[2] = {1, 2};\n"
      "__device__ alignas(64) int wide; alignas(64) __device__ int wider = 1;\n"
      "__global__ void k(int *out, long n) {\n"
      "  out[0] = one.v == 3 && two[1].v == 5 && (float)h == 0 && s.a == 6 && t.a == 0;\n"
      "  out[1] = p->w == 4 && third<double> == 1. / 3 && ++count == 1;\n"
      "  out[2] = ce == 7 && tab[1] == 2 && wide == 0 && wider == 1 && ((size_t)&wide & 63) == 0;\n"
      "}\n";
  int out[3] = {0};
  gpucontext *ctx = NULL;
  GpuModule m = {0};
  OK(gpucontext_init(&ctx, "cpu", NULL));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    FAILS(GA_IMPL_ERROR, "source.cu:2: error: ", GpuModule_init(&m, ctx, bad[i], NULL));
    ck_assert_ptr_nonnull(strstr(gpuarray_error_message(), "const"));
  }
  OK(launch(out, 3, good, 0));
  ck_assert(out[0] && out[1] && out[2]);
  gpucontext_deref(ctx);
}
END_TEST

START_TEST(kernels_bring_no_cxx_library)
{
  static const int flags = RTLD_NOW | RTLD_NOLOAD;
  gpucontext *ctx = NULL;
  static const char shared[] =
      "struct c { int v; __device__ ~c() { v = 0; } };\n"
      "__global__ void k(int *out, long n) { __shared__ c block; block.v = 1; }\n";
  GpuModule m = {0}, s = {0};
  if (dlopen("libstdc++.so.6", flags) != NULL) return; /* it was there: a sanitizer's */
  OK(gpucontext_init(&ctx, "cpu", NULL));
  OK(GpuModule_init(&m, ctx, rows[_i].text, NULL));
  OK(GpuModule_init(&s, ctx, shared, NULL));
  ck_assert_ptr_null(dlopen("libstdc++.so.6", flags));
  GpuModule_clear(&m);
  GpuModule_clear(&s);
  gpucontext_deref(ctx);
}
END_TEST

enum { NROW = sizeof rows / sizeof *rows };
static const test_case cases[] = {
    CASE_LOOP(classes_and_their_memory_are_as_in_cuda, NROW),
    CASE_LOOP(the_debugger_finds_nothing_in_them, NROW),
    CASE_LOOP(what_would_end_the_process_is_the_launchs_error, sizeof ends / sizeof *ends),
    CASE(headers_of_containers_are_there),
    CASE(globals_are_initialized_by_constants),
    CASE_LOOP(kernels_bring_no_cxx_library, NROW),
    CASE_END};

int main(void) { return test_main("hostcuda_runtime", cases); }
