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

/* blas.c: what all share. Ranges are those of elements in their buffers. */
int ga_blas_check_buffers(const char *op, const gpudata *x, const gpudata *y, const gpudata *z);
int ga_blas_check_order(const char *op, cb_order order, cb_transpose ta, cb_transpose tb);
int ga_blas_check_vec(const char *op, const char *what, int typecode, size_t n, ga_blas_vec v);
int ga_blas_check_mat(const char *op, const char *what, int typecode, cb_order order, size_t rows,
                      size_t cols, ga_blas_mat a);
/* y = beta * y; with 0 it is not read. */
int ga_blas_scale(int typecode, size_t n, double beta, ga_blas_vec y);

int ga_blas_dot(const char *op, int typecode, size_t n, ga_blas_vec x, ga_blas_vec y, gpudata *z,
                size_t offz);
int ga_blas_gemv(const char *op, int typecode, cb_order order, cb_transpose ta, size_t m, size_t n,
                 double alpha, ga_blas_mat a, ga_blas_vec x, double beta, ga_blas_vec y);
int ga_blas_gemm(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                 size_t m, size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                 double beta, ga_blas_mat c);

int ga_blas_ger(const char *op, int typecode, cb_order order, size_t m, size_t n, double alpha,
                ga_blas_vec x, ga_blas_vec y, ga_blas_mat a);

/* Matrices of one shape: at `b[i]`, `off[i]` each, or (stride not NULL) in b[0] at
 * off[0] + i * *stride. */
typedef struct ga_blas_mats {
  gpudata *const *b;
  const size_t *off;
  size_t ld;
  const ssize_t *stride;
} ga_blas_mats;

/* A call as a graph keeps it: operands A, B, C, or A, X, Y, or X, Y, Z. */
enum ga_blas_kind { GA_BLAS_DOT, GA_BLAS_GEMV, GA_BLAS_GEMM };

typedef struct ga_blas_call {
  void *at[3]; /* addresses of first elements; first in the struct */
  enum ga_blas_kind kind;
  int typecode;
  cb_order order;
  cb_transpose ta, tb;
  size_t m, n, k, ld[3];
  ssize_t step[3]; /* of vectors; between matrices of a batch */
  size_t batch;    /* 1: a single product */
  double alpha, beta;
} ga_blas_call;

/* blas_capture.c: into the thread's capture, `at` left to it. */
int ga_blas_capture(const ga_blas_call *c, gpudata *const b[3], const size_t off[3]);
/* A product, or `batch` of them whose matrices are `step` elements apart. */
int ga_blas_capture_gemm(int typecode, cb_order order, cb_transpose ta, cb_transpose tb, size_t m,
                         size_t n, size_t k, double alpha, ga_blas_mat a, ga_blas_mat b,
                         double beta, ga_blas_mat c, const ssize_t step[3], size_t batch);
/* Now. */
int ga_blas_run(gpucontext *ctx, const ga_blas_call *c);

/* blas_batch.c */
int ga_blas_gemms(const char *op, int typecode, cb_order order, cb_transpose ta, cb_transpose tb,
                  size_t m, size_t n, size_t k, double alpha, ga_blas_mats a, ga_blas_mats b,
                  double beta, ga_blas_mats c, size_t batch);

#endif
