// SPDX-License-Identifier: MIT
// <cub/cub.cuh> for kernels compiled for the CPU: what is called within kernels.
#ifndef GA_HC_CUB
#define GA_HC_CUB
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#endif
