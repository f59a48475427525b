/* SPDX-License-Identifier: MIT */
/* What the files of cuBLAS share: the context's handle, taken for one call. */
#ifndef GA_CUDA_BLAS_H
#define GA_CUDA_BLAS_H

#include "cuda_device.h"

/* Makes the context current and takes the handle, with the pointer mode set;
 * ga_cuda_blas_end gives both back and turns the status into a code. */
int ga_cuda_blas_begin(ga_cuda *c, const char *op, int mode, int *pushed);
int ga_cuda_blas_end(ga_cuda *c, const char *op, int pushed, cublasStatus_t r);
/* The error for extents that this cuBLAS has no functions for. */
int ga_cuda_blas_large(const char *op);
/* Address of element `off`. */
void *ga_cuda_at(const gpudata *b, size_t off, int typecode);

#endif
