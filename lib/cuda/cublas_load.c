/* SPDX-License-Identifier: MIT */
/* Finding cuBLAS, and its errors. One version serves the whole process. */
#include "cublas_load.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/util/lock.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

ga_cublas_table ga_cublas;

static const ga_dl_symbol symbols[] = {
#define FN(ret, name, args)  {#name, offsetof(ga_cublas_table, name), 0},
#define OPT(ret, name, args) {#name, offsetof(ga_cublas_table, name), 1},
#include "cublas.def"
#undef FN
#undef OPT
};

static const struct {
  int major;
  const char *name;
} versions[] = {{13, "libcublas.so.13"}, {12, "libcublas.so.12"}, {11, "libcublas.so.11"}};

static ga_dl lib;
static atomic_int ready;
static ga_lock lock = GA_LOCK;

static int load_locked(int driver_major)
{
  const char *file = getenv("GPUARRAY_CUBLAS");
  if (file != NULL && file[0] != 0)
    return ga_dl_open(&lib, "cublas", file, symbols, COUNT(symbols), &ga_cublas);
  for (size_t i = 0; i < COUNT(versions); i++)
    if (versions[i].major <= driver_major && ga_dl_find(&lib, "cublas", versions[i].name, symbols,
                                                        COUNT(symbols), &ga_cublas) == GA_NO_ERROR)
      return GA_NO_ERROR;
  return ga_error(GA_LOAD_ERROR,
                  "cublas: none found for the driver, which is of CUDA %d; looked for "
                  "libcublas.so.13, .12, .11 up to that version in the loader's path, CUDA_HOME, "
                  "CUDA_PATH, /usr/local/cuda*, /opt/cuda, /usr/lib; GPUARRAY_CUBLAS may name the "
                  "file",
                  driver_major);
}

int ga_cublas_load(int driver_major)
{
  int err = GA_NO_ERROR;
  if (atomic_load(&ready)) return err;
  ga_lock_take(&lock);
  if (!atomic_load(&ready)) {
    err = load_locked(driver_major);
    if (err == GA_NO_ERROR) atomic_store(&ready, 1);
  }
  ga_lock_give(&lock);
  return err;
}

const char *ga_cublas_path(void) { return atomic_load(&ready) ? lib.path : ""; }

int ga_cublas_error(const char *op, cublasStatus_t status)
{
  int code = status == CUBLAS_STATUS_ALLOC_FAILED ? GA_MEMORY_ERROR : GA_BLAS_ERROR;
  if (ga_cublas.cublasGetStatusString != NULL)
    return ga_error(code, "%s: %s", op, ga_cublas.cublasGetStatusString(status));
  return ga_error(code, "%s: cuBLAS status %d", op, status);
}
