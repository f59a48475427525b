/* SPDX-License-Identifier: MIT */
/* The CUDA device's side of the door (lib/backend.h). */
#include "cuda_device.h"

const ga_backend ga_cuda_backend = {
  .name = "cuda",
  .library = ga_cuda_library,
  .device_count = ga_cuda_device_count,
  .context_open = ga_cuda_context_open,
  .context_close = ga_cuda_context_close,
  .context_property = ga_cuda_context_property,
  .context_sync = ga_cuda_context_sync,
  .alloc = ga_cuda_alloc,
  .free = ga_cuda_free,
  .copy = ga_cuda_copy,
  .read = ga_cuda_read,
  .write = ga_cuda_write,
  .set = ga_cuda_set,
  .sync = ga_cuda_sync,
  .compile = ga_cuda_compile,
  .module_new = ga_cuda_module_new,
  .module_free = ga_cuda_module_free,
  .module_func = ga_cuda_module_func,
  .module_global = ga_cuda_module_global,
  .func_info = ga_cuda_func_info,
  .launch = ga_cuda_launch,
  .scratch = ga_cuda_scratch,
  .compiler_id = ga_cuda_compiler_id,
  .blas_setup = ga_cuda_blas_setup,
  .dot = ga_cuda_dot,
  .gemv = ga_cuda_gemv,
  .gemm = ga_cuda_gemm,
};
