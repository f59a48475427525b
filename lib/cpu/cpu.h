/* SPDX-License-Identifier: MIT */
/* The CPU device, inside: its context and buffers, and the members of
 * ga_cpu_backend by the file that holds them. All work is done when a call
 * returns, so nothing is ever waited for. */
#ifndef GA_CPU_CPU_H
#define GA_CPU_CPU_H

#include <pthread.h>

#include "lib/backend.h"
#include "memory.h"

typedef struct ga_cpu_context {
  gpucontext base;
  ga_cpu_cache cache; /* freed blocks */
} ga_cpu_context;

/* memory.c */
int ga_cpu_alloc(gpudata **b, gpucontext *ctx, size_t size, int flags);
void ga_cpu_free(gpudata *b);

/* transfer.c */
int ga_cpu_copy(gpudata *dst, size_t dstoff, gpudata *src, size_t srcoff, size_t n);
int ga_cpu_read(void *dst, gpudata *src, size_t off, size_t n);
int ga_cpu_write(gpudata *dst, size_t off, const void *src, size_t n);
int ga_cpu_set(gpudata *dst, size_t off, int byte, size_t n);
int ga_cpu_sync(gpudata *b);

/* interp.c */
int ga_cpu_stage_new(void **exec, gpucontext *ctx, const ga_stage *st, const ga_layout *layout);
int ga_cpu_stage_run(const void *exec, gpucontext *ctx, void *const *addr, const ga_value *params);
void ga_cpu_stage_free(void *exec);

/* take.c */
int ga_cpu_take(const ga_take *t);

/* cpu_libraries.c */
int ga_cpu_library(unsigned int i, gpuarray_library *lib);

/* blas.c */
int ga_cpu_blas_setup(gpucontext *ctx);
/* A function of the library that was found, NULL before. */
const void *ga_cpu_blas_symbol(void);
int ga_cpu_dot(int typecode, size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y,
               size_t offy, size_t incy, gpudata *z, size_t offz);
int ga_cpu_gemv(int typecode, cb_order order, cb_transpose ta, size_t m, size_t n, double alpha,
                gpudata *a, size_t offa, size_t lda, gpudata *x, size_t offx, int incx, double beta,
                gpudata *y, size_t offy, int incy);
int ga_cpu_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n,
                size_t k, double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b,
                size_t offb, size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc);

#endif
