/* SPDX-License-Identifier: MIT */
/* Elementwise loops of float32 and float64. loops_math.c has faster ones for
 * the transcendental rows. */
#include "loops_impl.h"

GA_LOOP_TABLE(float32)
GA_LOOP_TABLE(float64)
