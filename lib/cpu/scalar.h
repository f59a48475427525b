/* SPDX-License-Identifier: MIT */
/* Every scalar function of codegen/kernels on the host: ga_<op>_<dtype>,
 * ga_cast_<from>_<to>, ga_reduce_<name>_<dtype>. To be compiled with
 * -ffp-contract=off. */
#ifndef GA_CPU_SCALAR_H
#define GA_CPU_SCALAR_H

#include "rounding.h"

#include "math_sleef.h"

#include "codegen/kernels/scalar_cast.cuh"
#include "codegen/kernels/scalar_complex.cuh"
#include "codegen/kernels/scalar_complex_math.cuh"
#include "codegen/kernels/scalar_math.cuh"
#include "codegen/kernels/scalar_reduce.cuh"

#endif
