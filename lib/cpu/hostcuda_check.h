/* SPDX-License-Identifier: MIT */
/* The debugger for kernels: a checked kernel's object calls it at every access
 * of memory. */
#ifndef GA_CPU_HOSTCUDA_CHECK_H
#define GA_CPU_HOSTCUDA_CHECK_H

#include "hostcuda_team.h"

/* Whether kernels are to be checked: GPUARRAY_CHECK is set, and not to 0. */
int ga_hc_check_wanted(void);

/* Before a team's first block of a run; 0: no memory. In the worker's thread. */
int ga_hc_check_begin(ga_hc_team *t);

/* For a checked run's team. Before each block, `barriers` being those that the
 * block before had; at each barrier; after each thread. */
void ga_hc_check_block(ga_hc_team *t, unsigned int barriers);
void ga_hc_check_barrier(ga_hc_team *t);
void ga_hc_check_end(ga_hc_team *t);

/* An access at code address `pc`; does not return where it is not allowed. */
void ga_hc_check_access(void *p, unsigned long size, int how, void *pc);

void ga_hc_shadow_free(struct ga_hc_shadow *s); /* accepts NULL */

#endif
