/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk, for floating accumulators. */
#include "tree_impl.h"

GA_TREE_TABLE(float16)
GA_TREE_TABLE(bfloat16)
GA_TREE_TABLE(float32)
GA_TREE_TABLE(float64)
