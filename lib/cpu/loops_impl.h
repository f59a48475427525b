/* SPDX-License-Identifier: MIT */
/* How the loops of one dtype are made from its list in codegen/oploops.h. Every
 * file that includes this is compiled once for each instruction set, with GA_ISA
 * its name, and puts that name at the end of what it exports.
 *
 * Elements are read and written through types of alignment 1. Iterations are
 * independent: dst may be a source, but only at the same element, so that the
 * compiler need not check for overlap. */
#ifndef GA_CPU_LOOPS_IMPL_H
#define GA_CPU_LOOPS_IMPL_H

#include <string.h>

#include "codegen/oploops.h"
#include "loops.h"
#include "scalar.h"

#define GA_PASTE2(a, b) a##_##b
#define GA_PASTE(a, b)  GA_PASTE2(a, b)
#define GA_SYM(name)    GA_PASTE(name, GA_ISA) /* ga_loops_int8_avx2 */

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* not every loop can be a vector */
#define GA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define GA_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* mem_<dtype>: an element in memory */
#define GA_MEM(ID, T, C) typedef C mem_##T __attribute__((aligned(1), unused));
GA_DTYPES(GA_MEM)

#define GA_LOOP_1(op, T, R)                                                \
  static void loop_##op##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                        \
    mem_##R *r = dst;                                                      \
    const mem_##T *a = src[0];                                             \
    GA_INDEPENDENT                                                         \
    for (size_t i = 0; i < n; i++) r[i] = ga_##op##_##T(a[i]);             \
  }
#define GA_LOOP_2(op, T, R)                                                \
  static void loop_##op##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                        \
    mem_##R *r = dst;                                                      \
    const mem_##T *a = src[0], *b = src[1];                                \
    GA_INDEPENDENT                                                         \
    for (size_t i = 0; i < n; i++) r[i] = ga_##op##_##T(a[i], b[i]);       \
  }
#define GA_LOOP_COND(op, T, R)                                             \
  static void loop_##op##_##T(size_t n, void *dst, const void *const *src) \
  {                                                                        \
    mem_##R *r = dst;                                                      \
    const ga_bool *c = src[0];                                             \
    const mem_##T *a = src[1], *b = src[2];                                \
    GA_INDEPENDENT                                                         \
    for (size_t i = 0; i < n; i++) r[i] = ga_##op##_##T(c[i], a[i], b[i]); \
  }

#define GA_LOOP_DEFINE(op, args, T, C, R, RC) GA_LOOP_##args(op, T, R)
#define GA_LOOP_ROW(op, args, T, C, R, RC)    [GA_OP_##op - GA_N_OP] = loop_##op##_##T,

/* The loops of dtype T, and their table indexed by op - GA_N_OP. */
#define GA_LOOP_TABLE(T)                             \
  extern const ga_loop GA_SYM(ga_loops_##T)[GA_NOP]; \
  GA_LOOPS_##T(GA_LOOP_DEFINE)                       \
      const ga_loop GA_SYM(ga_loops_##T)[GA_NOP] = {GA_LOOPS_##T(GA_LOOP_ROW)};

#endif
