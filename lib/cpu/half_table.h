/* SPDX-License-Identifier: MIT */
/* Functions of 16-bit floats by table. */
#ifndef GA_CPU_HALF_TABLE_H
#define GA_CPU_HALF_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "loops.h"

/* What `op`, whose loop on `dtype` is f, makes of each number of 16 bits; NULL while too few
 * elements have been computed, of which these n are some: f is to compute them. */
const uint16_t *ga_half_table(enum ga_dtype dtype, int op, size_t n, ga_loop f);

#endif
