/* SPDX-License-Identifier: MIT */
/** \file
 * CUDA's extensions (extension.h) as function pointers, each with its type. Needs
 * the CUDA toolkit's <cuda.h>; a program calls setup_ext_cuda() first, in every
 * file that includes this.
 */
#ifndef LIBGPU_EXT_CUDA
#define LIBGPU_EXT_CUDA

#include <cuda.h>

#include <gpuarray/config.h>
#include <gpuarray/buffer.h>
#include <gpuarray/extension.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file may use some of them only. */
#if defined(__GNUC__)
#define GA_EXT_STATIC __attribute__((unused)) static
#else
#define GA_EXT_STATIC static
#endif

GA_EXT_STATIC void (*cuda_enter)(gpucontext *);
GA_EXT_STATIC void (*cuda_exit)(gpucontext *);
GA_EXT_STATIC gpucontext *(*cuda_make_ctx)(CUcontext, gpucontext_props *);
GA_EXT_STATIC CUstream (*cuda_get_stream)(gpucontext *);
GA_EXT_STATIC gpudata *(*cuda_make_buf)(gpucontext *, CUdeviceptr, size_t);
GA_EXT_STATIC size_t (*cuda_get_sz)(gpudata *);
GA_EXT_STATIC int (*cuda_wait)(gpudata *, int);
GA_EXT_STATIC int (*cuda_record)(gpudata *, int);
GA_EXT_STATIC int (*cuda_get_ipc_handle)(gpudata *, GpuArrayIpcMemHandle *);
GA_EXT_STATIC gpudata *(*cuda_open_ipc_handle)(gpucontext *, GpuArrayIpcMemHandle *, size_t);

/* ISO C gives functions no address of an object's type; POSIX and Windows do. */
#if defined(__GNUC__)
#define GA_EXT_FUNCTION __extension__
#else
#define GA_EXT_FUNCTION
#endif

/** Fills the pointers. */
GA_EXT_STATIC void setup_ext_cuda(void)
{
  cuda_enter = GA_EXT_FUNCTION(void (*)(gpucontext *)) gpuarray_get_extension("cuda_enter");
  cuda_exit = GA_EXT_FUNCTION(void (*)(gpucontext *)) gpuarray_get_extension("cuda_exit");
  cuda_make_ctx = GA_EXT_FUNCTION(gpucontext * (*)(CUcontext, gpucontext_props *))
      gpuarray_get_extension("cuda_make_ctx");
  cuda_get_stream =
      GA_EXT_FUNCTION(CUstream(*)(gpucontext *)) gpuarray_get_extension("cuda_get_stream");
  cuda_make_buf = GA_EXT_FUNCTION(gpudata * (*)(gpucontext *, CUdeviceptr, size_t))
      gpuarray_get_extension("cuda_make_buf");
  cuda_get_sz = GA_EXT_FUNCTION(size_t(*)(gpudata *)) gpuarray_get_extension("cuda_get_sz");
  cuda_wait = GA_EXT_FUNCTION(int (*)(gpudata *, int)) gpuarray_get_extension("cuda_wait");
  cuda_record = GA_EXT_FUNCTION(int (*)(gpudata *, int)) gpuarray_get_extension("cuda_record");
  cuda_get_ipc_handle = GA_EXT_FUNCTION(int (*)(gpudata *, GpuArrayIpcMemHandle *))
      gpuarray_get_extension("cuda_get_ipc_handle");
  cuda_open_ipc_handle =
      GA_EXT_FUNCTION(gpudata * (*)(gpucontext *, GpuArrayIpcMemHandle *, size_t))
          gpuarray_get_extension("cuda_open_ipc_handle");
}

#ifdef __cplusplus
}
#endif
#endif
