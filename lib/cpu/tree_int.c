/* SPDX-License-Identifier: MIT */
/* Reductions inside a chunk, for bool and integer accumulators. */
#include "tree_impl.h"

GA_TREE_TABLE(bool)
GA_TREE_TABLE(int8)
GA_TREE_TABLE(uint8)
GA_TREE_TABLE(int16)
GA_TREE_TABLE(uint16)
GA_TREE_TABLE(int32)
GA_TREE_TABLE(uint32)
GA_TREE_TABLE(int64)
GA_TREE_TABLE(uint64)
