/* SPDX-License-Identifier: MIT */
/* The cuBLAS library, loaded at first use. */
#ifndef GA_CUBLAS_LOAD_H
#define GA_CUBLAS_LOAD_H

#include "cutypes.h"
#include "dl.h"

typedef struct ga_cublas_table {
#define FN(ret, name, args) ret(*name) args;
#define OPT                 FN
#include "cublas.def"
#undef FN
#undef OPT
} ga_cublas_table;

/* Valid after ga_cublas_load() gave GA_NO_ERROR. */
extern ga_cublas_table ga_cublas;

/* Loads the newest cuBLAS whose major version is at most `driver_major`, or the
 * file that GPUARRAY_CUBLAS names. GA_LOAD_ERROR. */
int ga_cublas_load(int driver_major);
const char *ga_cublas_path(void); /* "" before */

/* "OP: <words>"; returns GA_BLAS_ERROR, GA_MEMORY_ERROR. */
int ga_cublas_error(const char *op, cublasStatus_t status);

#endif
