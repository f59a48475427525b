/* SPDX-License-Identifier: MIT */
/* Generated kernels through NVRTC, for every architecture that is promised, with no GPU.
 * A warning of the compiler fails the test too. Skipped, and said, where there is no NVRTC
 * or it does not list an architecture. */
#ifndef TESTS_COMPILE_H
#define TESTS_COMPILE_H

#include <string.h>

#include "lib/backend.h"
#include "lib/cuda/nvrtc.h"

#include "tests/common.h"
#include "tests/stages.h"

static const int archs[] = {75, 80, 86, 89, 90, 100, 120};
#define NARCHS (sizeof archs / sizeof archs[0])

/* NULL where this machine cannot compile for `arch`. */
static inline const ga_nvrtc *compiler(int arch)
{
  int got = 0;
  const ga_nvrtc *n = ga_nvrtc_pick(99, arch, &got);
  return n != NULL && got == arch ? n : NULL;
}

/* Every skeleton waits for the kernels ahead of it, so that it may start early. */
static inline ga_target target_of(int arch)
{
  const int early = arch >= 90;
  const ga_target t = {132, 227 * 1024, 0, arch >= 110 ? 8 : early ? 16 : 0, early};
  return t;
}

/* `at`: the operands' addresses modulo 16. */
static inline void compile_stage(const ga_stage *st, int arch, unsigned int at, const char *name)
{
  const ga_nvrtc *n = compiler(arch);
  char option[32];
  const char *options[1 + GA_NVRTC_OPTIONS] = {option};
  unsigned char align[80];
  nvrtcProgram p = NULL;
  ga_layout l;
  ga_text t;
  size_t size = 0;
  const ga_target target = target_of(arch);
  char *image;
  memset(align, (int)at, sizeof align);
  OK(ga_layout_make(&l, st));
  OK(ga_gen_text(&t, st, &l, align, &target));
  ck_assert_int_eq(strstr(ga_str_text(&t.main), "#define GA_WAITS") != NULL, target.overlap);
  if (n == NULL) {
    ga_text_clear(&t);
    ga_layout_clear(&l);
    return;
  }
  snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
  ck_assert_int_eq(n->fn.nvrtcCreateProgram(&p, ga_str_text(&t.main), "kernel.cu", (int)t.nheader,
                                            t.bodies, t.names),
                   0);
  ga_source src = {.nheader = t.nheader, .header_names = t.names};
  int r = n->fn.nvrtcCompileProgram(p, 1 + (int)ga_nvrtc_options(n, &src, options + 1), options);
  n->fn.nvrtcGetProgramLogSize(p, &size);
  if (r != 0 || size > 1) {
    char *log = calloc(1, size + 1);
    n->fn.nvrtcGetProgramLog(p, log);
    ck_abort_msg("%s for sm_%d:\n%s\n%s", name, arch, log, ga_str_text(&t.generated));
  }
  n->fn.nvrtcGetCUBINSize(p, &size);
  ck_assert_uint_gt(size, 0);
  image = malloc(size);
  ck_assert_ptr_nonnull(image);
  n->fn.nvrtcGetCUBIN(p, image);
  ck_assert_int_eq(memmem(image, size, "ga_waits", 8) != NULL, target.overlap);
  free(image);
  n->fn.nvrtcDestroyProgram(&p);
  ga_text_clear(&t);
  ga_layout_clear(&l);
}

static inline void compile(const stage_box *b, int arch, unsigned int at, const char *name)
{
  compile_stage(&b->st, arch, at, name);
}

/* The exit status of a program of `cases`: each is compiled where that can be done. */
static inline int compile_main(const char *name, const test_case *cases)
{
  int strict = getenv("GA_TEST_STRICT") != NULL, missing = 0;
  for (size_t i = 0; i < NARCHS; i++)
    if (compiler(archs[i]) == NULL) {
      printf("%s: no NVRTC that lists sm_%d; skipped\n", name, archs[i]);
      missing++;
    }
  if (missing != 0 && strict) return EXIT_FAILURE;
  if (missing == (int)NARCHS) return 77;
  setenv("CK_FORK", "no", 0); /* NVRTC starts slowly: once is enough */
  return test_main(name, cases);
}

#endif
