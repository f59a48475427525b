/* SPDX-License-Identifier: MIT */
/* What the files of cuBLAS share: the context's handle, taken for one call. */
#ifndef GA_CUDA_BLAS_H
#define GA_CUDA_BLAS_H

#include "cuda_device.h"

/* Makes the context current and takes the handle, with the pointer mode set;
 * ga_cuda_blas_end gives both back and turns the status into a code. */
int ga_cuda_blas_begin(ga_cuda *c, const char *op, int mode, int *pushed);
int ga_cuda_blas_end(ga_cuda *c, const char *op, int pushed, cublasStatus_t r);
/* Where the calling thread's calls go instead of the context's stream, while a graph
 * captures them (cuda_graph.c); and the memory that they then use, allocated before. */
extern _Thread_local CUstream ga_cuda_blas_side;
int ga_cuda_blas_space(ga_cuda *c);
/* The error for extents that this cuBLAS has no functions for. */
int ga_cuda_blas_large(const char *op);
/* Address of element `off`. */
void *ga_cuda_at(const gpudata *b, size_t off, int typecode);

#endif
