/* SPDX-License-Identifier: MIT */
/** \file
 * A device's own functions, for programs that call its driver themselves.
 * ext_cuda.h has those of CUDA with their types.
 */
#ifndef GPUARRAY_EXTENSIONS_H
#define GPUARRAY_EXTENSIONS_H

#include <gpuarray/config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUARRAY_CUDA_CTX_NOFREE 0x10000000 /**< the CUDA context stays its maker's */
#define GPUARRAY_CUDA_WAIT_READ  0x10000    /**< before the buffer is read */
#define GPUARRAY_CUDA_WAIT_WRITE 0x20000    /**< before it is written */

/** A handle of device memory for another process. */
typedef struct _GpuArrayIpcMemHandle {
  char priv[64]; /**< the driver's */
} GpuArrayIpcMemHandle;

/** Looks a function up:
 *
 *   cuda_enter, cuda_exit    void (gpucontext *): its CUDA context is current
 *                            between them; they nest
 *   cuda_make_ctx            gpucontext *(CUcontext, gpucontext_props *): a context
 *                            over an existing CUDA context, which stays its
 *                            maker's; the properties are freed
 *   cuda_get_stream          CUstream (gpucontext *): where its work is queued
 *   cuda_make_buf            gpudata *(gpucontext *, CUdeviceptr, size_t): a buffer
 *                            over memory that is not freed with it
 *   cuda_get_sz              size_t (gpudata *): bytes
 *   cuda_wait, cuda_record   int (gpudata *, int): before and after own work on the
 *                            context's stream; GPUARRAY_CUDA_WAIT_ flags
 *   cuda_get_ipc_handle      int (gpudata *, GpuArrayIpcMemHandle *); may move the
 *                            buffer's contents, and so change its address
 *   cuda_open_ipc_handle     gpudata *(gpucontext *, GpuArrayIpcMemHandle *, size_t):
 *                            closed when the buffer goes
 *
 * \param name a name, may be NULL
 * \returns the function, to be converted to its type; NULL for another name */
GPUARRAY_PUBLIC void *gpuarray_get_extension(const char *name);

#ifdef __cplusplus
}
#endif
#endif
