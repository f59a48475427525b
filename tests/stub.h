/* SPDX-License-Identifier: MIT */
/* Brings the stub driver and the stub compiler in for one test, which runs in a
 * process of its own. */
#ifndef TESTS_STUB_H
#define TESTS_STUB_H

#include <dlfcn.h>

#include "lib/backend.h"
#include "tests/common.h"
#include "tests/stub_cuda.h"

static inline const char *stub_path(char path[4096], const char *name)
{
  const char *top = getenv("top_builddir");
  snprintf(path, 4096, "%s/tests/.libs/%s.so", top != NULL ? top : ".", name);
  return path;
}

/* Makes lib/cuda load tests/.libs/NAME.so as the driver, and the stub compiler. */
static inline stub_state *stub_use(const char *name)
{
  char path[4096];
  void *lib;
  ck_assert(setenv("GPUARRAY_NVRTC", stub_path(path, "libstubnvrtc"), 1) == 0);
  ck_assert(setenv("GPUARRAY_CUDA_DRIVER", stub_path(path, name), 1) == 0);
  lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(lib != NULL, "%s", dlerror());
  stub_state *s = dlsym(lib, "stub");
  ck_assert_msg(s != NULL, "%s has no stub", path);
  return s;
}

/* A context of the stub's device 0, opened through the door. */
static inline gpucontext *stub_context(void)
{
  gpucontext *ctx = NULL;
  OK(ga_cuda_backend.context_open(&ctx, NULL));
  return ctx;
}

/* One opened as programs open it, on the stub that is in use; nothing is kept on disk. */
static inline gpucontext *stub_init(void)
{
  gpucontext *ctx = NULL;
  unsetenv("GPUARRAY_DEVICE");
  setenv("GPUARRAY_CACHE", "off", 1);
  OK(gpucontext_init(&ctx, "cuda", NULL));
  return ctx;
}

/* All that was asked of the driver has been given back. */
static inline void stub_left_nothing(const stub_state *s)
{
  ck_assert_int_eq(s->modules, 0);
  ck_assert_int_eq(s->blocks, 0);
  ck_assert_int_eq(s->retained, 0);
  ck_assert_int_eq(s->graphs, 0);
  ck_assert_int_eq(s->execs, 0);
  ck_assert_int_eq(s->streams, 0);
  ck_assert_int_eq(s->npools, 0);
  ck_assert_int_eq(s->capturing, 0);
  ck_assert_int_eq(s->bad_frees, 0);
  ck_assert_int_eq(s->pushes, s->pops);
  ck_assert_int_eq(s->wrong_context, 0);
  ck_assert_int_eq(s->depth, 0);
}

#endif
