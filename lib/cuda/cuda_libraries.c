/* SPDX-License-Identifier: MIT */
/* The CUDA device's libraries, for people who wonder which were found. NVRTC and
 * cuBLAS are told of without a driver too: kernels can be compiled there. */
#include <stdio.h>
#include <string.h>

#include "cublas_load.h"
#include "cuda_device.h"
#include "driver.h"
#include "gpuarray/info.h"
#include "nvrtc.h"

enum { ANY_MAJOR = 99, USUAL_CC = 80 };

static void say(char *to, size_t size, const char *text) { snprintf(to, size, "%s", text); }

static void driver(gpuarray_library *lib)
{
  say(lib->name, sizeof lib->name, "CUDA driver");
  if (ga_cu_load() != GA_NO_ERROR) {
    say(lib->problem, sizeof lib->problem, ga_error_message());
    return;
  }
  say(lib->path, sizeof lib->path, ga_cu_path());
  snprintf(lib->version, sizeof lib->version, "CUDA %d.%d", ga_cu_version() / 1000,
           ga_cu_version() % 1000 / 10);
}

static int driver_major(void)
{
  return ga_cu_load() == GA_NO_ERROR ? ga_cu_version() / 1000 : ANY_MAJOR;
}

static void nvrtc(gpuarray_library *lib)
{
  int arch;
  say(lib->name, sizeof lib->name, "NVRTC");
  const ga_nvrtc *n = ga_nvrtc_pick(driver_major(), USUAL_CC, &arch);
  if (n == NULL) {
    say(lib->problem, sizeof lib->problem, ga_error_message());
    return;
  }
  say(lib->path, sizeof lib->path, n->lib.path);
  snprintf(lib->version, sizeof lib->version, "%d.%d", n->major, n->minor);
}

static void cublas(gpuarray_library *lib)
{
  say(lib->name, sizeof lib->name, "cuBLAS");
  if (ga_cublas_load(driver_major()) != GA_NO_ERROR)
    say(lib->problem, sizeof lib->problem, ga_error_message());
  else
    say(lib->path, sizeof lib->path, ga_cublas_path());
}

int ga_cuda_library(unsigned int i, gpuarray_library *lib)
{
  static void (*const all[])(gpuarray_library *) = {driver, nvrtc, cublas};
  if (i >= sizeof all / sizeof all[0]) return 0;
  all[i](lib);
  return 1;
}
