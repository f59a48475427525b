/* SPDX-License-Identifier: MIT */
/* Raw kernels through the real compiler, where there is one, over the stub driver:
 * names and templates, errors, headers, the vocabulary of cluda.h. */
#include "gpuarray.h"
#include "tests/stub.h"

static gpucontext *ctx;
static stub_state *s;

/* A context whose compiler is NVRTC itself; 0, after saying so, without one. */
static int open_nvrtc(void)
{
  const char *strict = getenv("GA_TEST_STRICT");
  ga_source src = {.text = "extern \"C\" __global__ void k() {}\n"};
  ga_module *m;
  s = stub_use("libstubcuda");
  setenv("GPUARRAY_CACHE", "off", 1);
  unsetenv("GPUARRAY_NVRTC");
  ctx = stub_context();
  int err = ga_cache_module(&m, ctx, &src, NULL);
  if (err == GA_NO_ERROR) return 1;
  ck_assert_int_eq(err, GA_LOAD_ERROR);
  ck_assert_msg(strict == NULL || strcmp(strict, "1") != 0, "%s", gpuarray_error_message());
  fprintf(stderr, "skipped: %s\n", gpuarray_error_message());
  gpucontext_deref(ctx);
  return 0;
}

static void close_stub(void)
{
  gpucontext_deref(ctx);
  stub_left_nothing(s);
}

static const char names_text[] =
    "#include \"cluda.h\"\n"
    "KERNEL void plain(GLOBAL_MEM ga_float *x, ga_size n) { x[LID_0] = n; }\n"
    "__global__ void cpp(float *x) { x[0] = 1; }\n"
    "__global__ void cpp2(float *x) { x[0] = 1; }\n"
    "__global__ void twice(float *x) { x[0] = 1; }\n"
    "__global__ void twice(double *x) { x[0] = 1; }\n"
    "namespace ns { namespace in { __global__ void deep(float *x) { x[0] = 1; } } }\n"
    "template <class T, int N> __global__ void scale(T *x) { x[threadIdx.x] *= N; }\n"
    "__device__ float table[4];\n";

START_TEST(names_are_found_however_they_are_mangled)
{
  static const char *const there[] = {
      "plain",          "cpp", "cpp2", "ns::in::deep", "::cpp", "_Z3cppPf", "scale<float, 3>",
      "scale<double,2>"};
  static const char *const absent[] = {"twice", "cp",    "cpp3",        "deep", "ns::deep", "scale",
                                       "",      "table", "cpp(float*)", "::",   "ns::"};
  GpuModule m;
  GpuKernel k;
  if (!open_nvrtc()) return;
  OK(GpuModule_init(&m, ctx, names_text, NULL));
  for (size_t i = 0; i < sizeof there / sizeof *there; i++) {
    OK(GpuModule_kernel(&k, &m, there[i]));
    GpuKernel_clear(&k);
    OK(GpuKernel_build(&k, ctx, names_text, there[i]));
    GpuKernel_clear(&k);
  }
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    FAILS(GA_VALUE_ERROR, "no kernel", GpuModule_kernel(&k, &m, absent[i]));
    FAILS(GA_VALUE_ERROR, "no kernel", GpuKernel_build(&k, ctx, names_text, absent[i]));
  }
  FAILS(GA_IMPL_ERROR, "scale<no_type, 1>", GpuModule_kernel(&k, &m, "scale<no_type, 1>"));
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

START_TEST(compile_error_has_words_and_numbered_lines)
{
  GpuModule m;
  if (!open_nvrtc()) return;
  FAILS(GA_IMPL_ERROR, "   2    undefined_name = 3;",
        GpuModule_init(&m, ctx, "__global__ void k() {\n  undefined_name = 3;\n}\n", NULL));
  FAILS(GA_IMPL_ERROR, "(2): error: identifier \"undefined_name\" is undefined",
        GpuModule_init(&m, ctx, "__global__ void k() {\n  undefined_name = 3;\n}\n", NULL));
  close_stub();
}
END_TEST

START_TEST(toolkit_headers_are_found_and_user_options_win)
{
  static const char source[] = "#include <cuda_fp16.h>\n"
                               "#if __cplusplus < 202002L\n#error C++20 was asked for\n#endif\n"
                               "__global__ void k(__half *x) { x[0] = __hadd(x[1], x[2]); }\n";
  const char *options[] = {"-std=c++20", "--fmad=false", "--use_fast_math", NULL};
  GpuModule m;
  if (!open_nvrtc()) return;
  int err = GpuModule_init(&m, ctx, source, options);
  if (err != GA_NO_ERROR && strstr(gpuarray_error_message(), "cannot open source file") != NULL)
    fprintf(stderr, "skipped: NVRTC without the toolkit's headers\n");
  else
    OK(err);
  GpuModule_clear(&m);
  close_stub();
}
END_TEST

START_TEST(cluda_vocabulary_compiles)
{
  static const char source[] =
      "#include \"cluda.h\"\n"
      "WITHIN_KERNEL ga_float helper(ga_float x) { return x * (ga_float)M_PI; }\n"
      "KERNEL void all(GLOBAL_MEM ga_bool *a, GLOBAL_MEM ga_byte *b, GLOBAL_MEM ga_ubyte *c,\n"
      "  GLOBAL_MEM ga_short *d, GLOBAL_MEM ga_ushort *e, GLOBAL_MEM ga_int *f,\n"
      "  GLOBAL_MEM ga_uint *g,\n"
      "  GLOBAL_MEM ga_long *h, GLOBAL_MEM ga_ulong *i, GLOBAL_MEM ga_float *j,\n"
      "  GLOBAL_MEM ga_double *k,\n"
      "  GLOBAL_MEM ga_half *l, ga_size m, ga_ssize n GA_DECL_SHARED_PARAM(ga_float, sh)) {\n"
      "  GA_DECL_SHARED_BODY(ga_float, sh)\n"
      "  LOCAL_MEM ga_int part[4];\n"
      "  LOCAL_MEM ga_half parth[2];\n"
      "  part[LID_0 & 3] = LID_1 + LID_2 + LDIM_0 + LDIM_1 + LDIM_2 + GID_0 + GID_1 + GID_2\n"
      "    + GDIM_0 + GDIM_1 + GDIM_2 + GA_WARP_SIZE;\n"
      "  local_barrier();\n"
      "  sh[0] = helper(NAN) + INFINITY + HUGE_VALF + MAXFLOAT + (float)HUGE_VAL;\n"
      "  l[0] = ga_float2half(ga_half2float(l[1]) + (float)(M_E + M_SQRT1_2));\n"
      "  f[0] = atom_add_ig(f, 1) + atom_xchg_ig(f, 2);\n"
      "  f[1] = atom_add_il(part, 1) + atom_xchg_il(part, 2);\n"
      "  g[0] = atom_add_Ig(g, 1u) + atom_xchg_Ig(g, 2u);\n"
      "  h[0] = atom_add_lg(h, 1) + atom_xchg_lg(h, 2);\n"
      "  i[0] = atom_add_Lg(i, 1ull) + atom_xchg_Lg(i, 2ull);\n"
      "  j[0] = atom_add_fg(j, 1.f) + atom_xchg_fg(j, 2.f);\n"
      "  k[0] = atom_add_dg(k, 1.) + atom_xchg_dg(k, 2.);\n"
      "  l[2] = atom_add_eg(l, l[1]); l[3] = atom_xchg_eg(l, l[1]);\n"
      "  l[4] = atom_add_el(parth, l[1]); l[5] = atom_xchg_el(parth, l[1]);\n"
      "  a[0] = b[0] = c[0] = d[0] = e[0] = m + n;\n"
      "}\n";
  static const int ccs[] = {75, 80, 90, 100, 120};
  GpuKernel k;
  if (!open_nvrtc()) return;
  OK(GpuKernel_build(&k, ctx, source, "all"));
  GpuKernel_clear(&k);
  close_stub();
  for (size_t i = 0; i < sizeof ccs / sizeof *ccs; i++) {
    s->cc = ccs[i];
    OK(gpucontext_init(&ctx, "cuda", NULL));
    OK(GpuKernel_build(&k, ctx, source, "all"));
    GpuKernel_clear(&k);
    close_stub();
  }
}
END_TEST

static const test_case cases[] = {CASE(names_are_found_however_they_are_mangled),
                                  CASE(compile_error_has_words_and_numbered_lines),
                                  CASE(toolkit_headers_are_found_and_user_options_win),
                                  CASE(cluda_vocabulary_compiles), CASE_END};

int main(void) { return test_main("rawnames", cases); }
