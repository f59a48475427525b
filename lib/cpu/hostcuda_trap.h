/* SPDX-License-Identifier: MIT */
/* What the processor refuses while a kernel runs: an error of the launch. */
#ifndef GA_CPU_HOSTCUDA_TRAP_H
#define GA_CPU_HOSTCUDA_TRAP_H

/* Makes the calling thread ready to run blocks: it can take a signal when its
 * stack is used up. The first call of the process sets the handlers, unless
 * GPUARRAY_SIGNALS is 0. */
void ga_hc_trap_ready(void);

#endif
