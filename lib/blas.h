/* SPDX-License-Identifier: MIT */
/* BLAS, to the rest of the library: arguments checked, and products over nothing
 * done here, so that every device answers alike. Offsets and increments count
 * elements. */
#ifndef GA_BLAS_H
#define GA_BLAS_H

#include "lib/backend.h"

/* A vector and a matrix in a buffer. */
typedef struct ga_blas_vec {
  gpudata *b;
  size_t off;
  ssize_t inc;
} ga_blas_vec;

typedef struct ga_blas_mat {
  gpudata *b;
  size_t off, ld;
} ga_blas_mat;

int ga_blas_dot(const char *op, int typecode, size_t n, ga_blas_vec x, ga_blas_vec y, gpudata *z,
                size_t offz);
int ga_blas_gemv(const char *op, int typecode, cb_order order, cb_transpose ta, size_t m, size_t n,
                 double alpha, ga_blas_mat a, ga_blas_vec x, double beta, ga_blas_vec y);
int ga_blas_gemm(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                 size_t m, size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                 double beta, ga_blas_mat c);

#endif
