/* SPDX-License-Identifier: MIT */
/* The CPU device's libraries, for people who wonder which were found. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sleef.h>
#include <stdio.h>
#include <string.h>

#include "cpu.h"
#include "gpuarray/info.h"
#include "lib/util/error.h"

static void where(gpuarray_library *lib, const void *symbol)
{
  Dl_info info;
  if (symbol != NULL && dladdr(symbol, &info) != 0 && info.dli_fname != NULL)
    snprintf(lib->path, sizeof lib->path, "%s", info.dli_fname);
}

static void blas(gpuarray_library *lib)
{
  char *(*config)(void);
  snprintf(lib->name, sizeof lib->name, "BLAS");
  if (ga_cpu_blas_setup(NULL) != GA_NO_ERROR) {
    snprintf(lib->problem, sizeof lib->problem, "%s", ga_error_message());
    return;
  }
  where(lib, ga_cpu_blas_symbol());
  void *handle = dlopen(lib->path, RTLD_NOW | RTLD_NOLOAD);
  if (handle == NULL) return;
  *(void **)&config = dlsym(handle, "openblas_get_config");
  if (config != NULL) snprintf(lib->version, sizeof lib->version, "%s", config());
  dlclose(handle);
}

static void sleef(gpuarray_library *lib)
{
  void (*fn)(void) = (void (*)(void))Sleef_exp_u10;
  const void *symbol;
  snprintf(lib->name, sizeof lib->name, "SLEEF");
  memcpy(&symbol, &fn, sizeof symbol);
  where(lib, symbol);
}

int ga_cpu_library(unsigned int i, gpuarray_library *lib)
{
  static void (*const all[])(gpuarray_library *) = {blas, sleef};
  if (i >= sizeof all / sizeof all[0]) return 0;
  all[i](lib);
  return 1;
}
