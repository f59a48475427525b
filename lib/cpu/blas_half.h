/* SPDX-License-Identifier: MIT */
/* BLAS in float16 on the CPU, over that in float32. The arguments were checked. */
#ifndef GA_CPU_BLAS_HALF_H
#define GA_CPU_BLAS_HALF_H

#include "cpu.h"

int ga_cpu_half_dot(size_t n, gpudata *x, size_t offx, size_t incx, gpudata *y, size_t offy,
                    size_t incy, gpudata *z, size_t offz);
int ga_cpu_half_gemv(cb_order order, cb_transpose ta, size_t m, size_t n, double alpha, gpudata *a,
                     size_t offa, size_t lda, gpudata *x, size_t offx, int incx, double beta,
                     gpudata *y, size_t offy, int incy);
int ga_cpu_half_gemm(cb_order order, cb_transpose ta, cb_transpose tb, size_t m, size_t n, size_t k,
                     double alpha, gpudata *a, size_t offa, size_t lda, gpudata *b, size_t offb,
                     size_t ldb, double beta, gpudata *c, size_t offc, size_t ldc);

#endif
