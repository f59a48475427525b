/* SPDX-License-Identifier: MIT */
/** \file
 * GPUArray: NumPy expressions on arrays of a GPU, or of the CPU where there is
 * none. This header includes all the others.
 *
 *     #include <gpuarray.h>
 *
 *     int main(void) {
 *       float x[4] = {1, 2, 3, 4};
 *       GA_AUTOPTR(gpucontext) ctx = NULL;
 *       GA_AUTO(GpuArray) a = {0}, b = {0};
 *       GA_OR_DIE(gpucontext_init(&ctx, NULL, NULL));
 *       GA_OR_DIE(GpuArray_fromhost(&a, ctx, GA_FLOAT, GA_DIMS(2, 2), x));
 *       GA_OR_DIE(GpuArray_eval(&b, ctx, "2*a", GA_ARGS(ga_array("a", &a))));
 *       GA_OR_DIE(GpuArray_print(stdout, &b));
 *       return 0;
 *     }
 */
#ifndef GPUARRAY_H
#define GPUARRAY_H

#include <gpuarray/arg.h>
#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/buffer.h>
#include <gpuarray/buffer_blas.h>
#include <gpuarray/buffer_collectives.h>
#include <gpuarray/cache.h>
#include <gpuarray/collectives.h>
#include <gpuarray/config.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/error.h>
#include <gpuarray/expr.h>
#include <gpuarray/extension.h>
#include <gpuarray/graph.h>
#include <gpuarray/info.h>
#include <gpuarray/io.h>
#include <gpuarray/kernel.h>
#include <gpuarray/module.h>
#include <gpuarray/ops.h>
#include <gpuarray/program.h>
#include <gpuarray/types.h>
#include <gpuarray/util.h>
#include <gpuarray/version.h>

#endif
