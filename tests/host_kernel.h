/* SPDX-License-Identifier: MIT */
/* Runs generated kernels on the CPU device: their very text, as any CUDA C there,
 * launched with the packed arguments. */
#ifndef TESTS_HOST_KERNEL_H
#define TESTS_HOST_KERNEL_H

#include "codegen/codegen.h"

/* Operands of a stage, at most. */
enum { HOST_OPERANDS = 80 };

/* Whether there is a C++ compiler to do it with. */
int host_kernel_available(void);

/* Lays the stage out and runs its kernel. base[i] is the address that operand i
 * has its `offset` from; numbers[i] the value of parameter i. Blocks run in
 * descending order where `reverse` is not 0. The class is left in *cls where it
 * is not NULL. Fails the test where anything does. */
void host_kernel_run(const ga_stage *st, char *const *base, const ga_value *numbers,
                     const ga_target *target, int reverse, enum ga_class *cls);

#endif
