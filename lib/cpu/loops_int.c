/* SPDX-License-Identifier: MIT */
/* Elementwise loops of bool and the integers. */
#include "loops_impl.h"

GA_LOOP_TABLE(bool)
GA_LOOP_TABLE(int8)
GA_LOOP_TABLE(uint8)
GA_LOOP_TABLE(int16)
GA_LOOP_TABLE(uint16)
GA_LOOP_TABLE(int32)
GA_LOOP_TABLE(uint32)
GA_LOOP_TABLE(int64)
GA_LOOP_TABLE(uint64)
