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

#endif
