/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk, for float32 and float64. */
#include "tree_impl.h"

GA_TREE_TABLE(float32)
GA_TREE_TABLE(float64)
