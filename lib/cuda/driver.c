/* SPDX-License-Identifier: MIT */
/* Loading the CUDA driver. Once cuInit has succeeded the library stays loaded
 * until the process ends: the driver has threads of its own by then. In a child that is
 * forked after it no call to the driver is possible. */
#include "driver.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/util/forks.h"
#include "lib/util/lock.h"

ga_cu_table ga_cu;

static const ga_dl_symbol symbols[] = {
#define FN(ret, name, args)  {#name, offsetof(ga_cu_table, name), 0},
#define OPT(ret, name, args) {#name, offsetof(ga_cu_table, name), 1},
#include "cuda.def"
#undef FN
#undef OPT
};

static ga_dl lib;
static int version;
static atomic_int ready;
static unsigned int forks; /* behind the process that made it ready */
static ga_lock lock = GA_LOCK;

int ga_cu_forked(void)
{
  return atomic_load_explicit(&ready, memory_order_acquire) && forks != ga_forks();
}

int ga_cu_forked_error(const char *op)
{
  return ga_error(GA_INVALID_ERROR,
                  "%s: this process was forked after CUDA was initialised; CUDA does not work "
                  "in such a child (fork before the first context, or exec)",
                  op);
}

static int init(void)
{
  CUresult r = ga_cu.cuInit(0);
  if (r == CUDA_SUCCESS) r = ga_cu.cuDriverGetVersion(&version);
  if (r == CUDA_SUCCESS) return GA_NO_ERROR;
  char name[64];
  return ga_error(r == CUDA_ERROR_NO_DEVICE ? GA_NODEV_ERROR : GA_IMPL_ERROR,
                  "cuda: initialising the driver %s failed: %s", lib.path,
                  ga_cu_error_name(r, name, sizeof name));
}

static int load_locked(void)
{
  const char *file = getenv("GPUARRAY_CUDA_DRIVER");
  if (file == NULL || file[0] == 0) file = "libcuda.so.1";
  GA_TRY(ga_dl_open(&lib, "cuda driver", file, symbols, sizeof symbols / sizeof *symbols, &ga_cu));
  int err = init();
  if (err != GA_NO_ERROR) {
    ga_dl_close(&lib);
    return err;
  }
  forks = ga_forks();
  atomic_store(&ready, 1);
  return GA_NO_ERROR;
}

int ga_cu_load(void)
{
  if (ga_cu_forked()) return ga_cu_forked_error("cuda");
  if (atomic_load(&ready)) return GA_NO_ERROR;
  ga_lock_take(&lock);
  int err = atomic_load(&ready) ? GA_NO_ERROR : load_locked();
  ga_lock_give(&lock);
  return err;
}

const char *ga_cu_path(void) { return atomic_load(&ready) ? lib.path : ""; }
int ga_cu_version(void) { return atomic_load(&ready) ? version : 0; }

const char *ga_cu_error_name(CUresult r, char *buf, size_t size)
{
  const char *name = NULL;
  if (ga_cu.cuGetErrorName(r, &name) == CUDA_SUCCESS && name != NULL) return name;
  snprintf(buf, size, "CUDA error %d", r);
  return buf;
}

static int code_of(CUresult r)
{
  switch (r) {
  case CUDA_ERROR_OUT_OF_MEMORY: return GA_MEMORY_ERROR;
  case CUDA_ERROR_INVALID_VALUE: return GA_VALUE_ERROR;
  case CUDA_ERROR_NO_DEVICE: return GA_NODEV_ERROR;
  case CUDA_ERROR_INVALID_DEVICE: return GA_VALUE_ERROR;
  default: return GA_IMPL_ERROR;
  }
}

int ga_cu_error(const char *op, CUresult r)
{
  char buf[64];
  const char *words = NULL;
  if (ga_cu.cuGetErrorString(r, &words) != CUDA_SUCCESS || words == NULL) words = "no description";
  return ga_error(code_of(r), "%s: %s (%s)", op, ga_cu_error_name(r, buf, sizeof buf), words);
}
