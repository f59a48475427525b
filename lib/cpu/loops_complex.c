/* SPDX-License-Identifier: MIT */
/* Elementwise loops of complex numbers. */
#include "uncontracted.h"

#include "loops_impl.h"

GA_LOOP_TABLE(complex64)
GA_LOOP_TABLE(complex128)
