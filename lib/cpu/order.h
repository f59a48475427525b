/* SPDX-License-Identifier: MIT */
/* What tree_free.c and rake.c share: floats as integers that have their order, and the
 * accumulators of sums of narrow integers. */
#ifndef GA_CPU_ORDER_H
#define GA_CPU_ORDER_H

#include <stdint.h>

/* A float's bits as an integer K that orders as minimum and maximum do, -0 below +0;
 * the way back is the same. LESS = all bits but the sign. */
#define GA_ORDER_KEY(T, K, TOP, LESS)             \
  typedef K word_##T __attribute__((aligned(1))); \
  static inline K key_##T(K bits) { return (K)(bits ^ ((bits >> TOP) & LESS)); }
GA_ORDER_KEY(float16, int16_t, 15, 0x7fff)
GA_ORDER_KEY(bfloat16, int16_t, 15, 0x7fff)
GA_ORDER_KEY(float32, int32_t, 31, 0x7fffffff)
GA_ORDER_KEY(float64, int64_t, 63, 0x7fffffffffffffff)

/* X(ID, T, P, PID): P, of dtype PID, is wide enough for the sum of 2^15 elements of T. */
#define GA_NARROW_INTEGERS(X)       \
  X(BOOL, bool, int32_t, INT32)     \
  X(INT8, int8, int32_t, INT32)     \
  X(UINT8, uint8, int32_t, INT32)   \
  X(INT16, int16, int32_t, INT32)   \
  X(UINT16, uint16, int32_t, INT32) \
  X(INT32, int32, int64_t, INT64)   \
  X(UINT32, uint32, int64_t, INT64)

#endif
