/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk, for complex accumulators. */
#include "uncontracted.h"

#include "tree_impl.h"

GA_TREE_TABLE(complex64)
GA_TREE_TABLE(complex128)
