/* SPDX-License-Identifier: MIT */
/* Every scalar function, cast and combine through NVRTC, for an old, a present
 * and a new architecture, with the options of the library: one kernel for each
 * dtype that calls them all. Skipped, and said, where NVRTC is missing or does
 * not list the architecture. */
#include "codegen/codegen.h"
#include "codegen/kernels.h"
#include "codegen/oploops.h"
#include "lib/backend.h"
#include "lib/cuda/nvrtc.h"
#include "tests/common.h"

static const int archs[] = {75, 90, 120};

typedef struct header {
  const char *name, *body;
} header;
static const header headers[] = {
    {"types.cuh", ga_kernel_types_cuh},
#define SCALAR(file, symbol, uses) {file, symbol},
#include "codegen/scalar_files.def"
#undef SCALAR
};
enum { NHEADER = sizeof headers / sizeof *headers };

/* Kernel text: r[k] = f(...) for each function, r of every type at once. */
#define SLOT(R)                     "  ((" #R " *)r)[i++] = "
#define CALL(op, args, T, C, R, RC) SLOT(RC) "ga_" #op "_" #T ARGS_##args(C) ";\n"
#define ARG(C, k)                   "((const " #C " *)a)[" #k "]"
#define ARGS_1(C)                   "(" ARG(C, 0) ")"
#define ARGS_2(C)                   "(" ARG(C, 0) ", " ARG(C, 1) ")"
#define ARGS_COND(C)                "(((const ga_bool *)a)[9], " ARG(C, 0) ", " ARG(C, 1) ")"
#define CONVERT(from, F, ID, to, C) SLOT(C) "ga_cast_" #from "_" #to "(" ARG(F, 0) ");\n"
#define REDUCE(name, T, C) \
  SLOT(C) "ga_reduce_" #name "_" #T ARGS_2(C) ";\n" SLOT(C) "ga_identity_" #name "_" #T "();\n"
#define ARGREDUCE(name, T, C)                       \
  "  ((ga_pair_" #T " *)r)[i++] = ga_reduce_" #name \
  "_" #T ARGS_2(ga_pair_##T) ";\n"                  \
                             "  ((ga_pair_" #T " *)r)[i++] = ga_identity_" #name "_" #T "();\n"
#define TEXT(ID, T, C)                                                             \
  [GA_DT_##ID] = "extern \"C\" __global__ void k(void *r, const void *a) {\n"      \
                 "  int i = 0;\n" GA_LOOPS_##T(CALL) GA_DTYPES_WITH(CONVERT, T, C) \
                     GA_REDUCES_##T(REDUCE) GA_ARGREDUCES_##T(ARGREDUCE) "}\n",
static const char *const texts[GA_NDTYPE] = {GA_DTYPES(TEXT)};

/* only: the text asks for the functions of its dtype alone (use.cuh) */
static void compile(const ga_nvrtc *rtc, int arch, int dtype, int only)
{
  char option[64];
  const char *names[NHEADER], *bodies[NHEADER];
  const char *options[1 + GA_NVRTC_OPTIONS] = {option};
  ga_source src = {0};
  nvrtcProgram p;
  ga_str s = {0};
  size_t size = 0;
  if (only)
    ga_str_addf(&s,
                "#define GA_ONLY 1\n#define GA_USE_%s 1\n#define GA_USE_CAST 1\n"
                "#define GA_USE_MATH 1\n#define GA_USE_REDUCE 1\n",
                ga_dtypes[dtype].name);
  for (int i = 0; i < NHEADER; i++) {
    names[i] = headers[i].name;
    bodies[i] = headers[i].body;
    ga_str_addf(&s, "#include \"%s\"\n", headers[i].name);
  }
  ga_str_add(&s, texts[dtype]);
  snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
  int err = rtc->fn.nvrtcCreateProgram(&p, ga_str_text(&s), "k.cu", NHEADER, bodies, names);
  ck_assert_int_eq(err, 0);
  int noption = 1 + (int)ga_nvrtc_options(rtc, &src, options + 1);
  err = rtc->fn.nvrtcCompileProgram(p, noption, options);
  rtc->fn.nvrtcGetProgramLogSize(p, &size);
  char *log = calloc(1, size + 1);
  ck_assert_ptr_nonnull(log);
  if (size) rtc->fn.nvrtcGetProgramLog(p, log);
  ck_assert_msg(err == 0 && log[0] == 0, "%s for sm_%d: %.2000s", ga_dtypes[dtype].name, arch, log);
  size = 0;
  ck_assert_int_eq(rtc->fn.nvrtcGetCUBINSize(p, &size), 0);
  ck_assert_uint_gt(size, 0);
  free(log);
  rtc->fn.nvrtcDestroyProgram(&p);
  ga_str_clear(&s);
}

START_TEST(every_scalar_function_compiles_for_the_gpu)
{
  int got = 0, cc = archs[_i];
  const ga_nvrtc *rtc = ga_nvrtc_pick(1000, cc, &got);
  if (rtc == NULL || got != cc) {
    printf("skipped: %s\n", rtc == NULL ? gpuarray_error_message() : "architecture not listed");
    ck_assert_msg(getenv("GA_TEST_STRICT") == NULL, "sm_%d: no compiler", cc);
    return;
  }
  for (int t = 0; t < GA_NDTYPE; t++) compile(rtc, cc, t, cc == 90);
}
END_TEST

static const test_case cases[] = {
    CASE_LOOP(every_scalar_function_compiles_for_the_gpu, sizeof archs / sizeof *archs),
    CASE_END,
};

int main(void) { return test_main("scalar_compile", cases); }
