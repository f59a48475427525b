/* SPDX-License-Identifier: MIT */
/* What the processor is: which instruction set's loops are used, the best that it has or a
 * lower one that GPUARRAY_CPU_ISA names; and how it reads memory fastest. Asked once. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"

extern const ga_loops ga_loops_base;
#if defined(__x86_64__) && !defined(__ILP32__)
extern const ga_loops ga_loops_avx2, ga_loops_avx512;
#endif

/* 0 on an x86-64 processor without fused multiply-add (math_sleef.h). Set
 * before any loop can be had. */
extern int ga_cpu_has_fma;
int ga_cpu_has_fma = 1;

static const ga_loops *all[GA_NISA];
static enum ga_cpu_isa chosen;
static int asks, narrow;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose(void)
{
  const char *want = getenv("GPUARRAY_CPU_ISA");
  all[GA_ISA_BASE] = &ga_loops_base;
#if defined(__x86_64__) && !defined(__ILP32__)
  __builtin_cpu_init();
  asks = __builtin_cpu_is("intel") != 0;
  narrow = asks && !__builtin_cpu_supports("gfni"); /* which came with Ice Lake */
  ga_cpu_has_fma = __builtin_cpu_supports("fma") != 0;
  if (__builtin_cpu_supports("avx2") && ga_cpu_has_fma) all[GA_ISA_AVX2] = &ga_loops_avx2;
  if (all[GA_ISA_AVX2] && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    all[GA_ISA_AVX512] = &ga_loops_avx512;
#endif
  for (int i = 0; i < GA_NISA; i++)
    if (all[i]) chosen = (enum ga_cpu_isa)i;
  for (int i = 0; want && i < GA_NISA; i++)
    if (all[i] && strcmp(want, all[i]->name) == 0) chosen = (enum ga_cpu_isa)i;
}

const ga_loops *ga_cpu_loops(enum ga_cpu_isa isa)
{
  pthread_once(&once, choose);
  return all[isa];
}

enum ga_cpu_isa ga_cpu_isa(void)
{
  pthread_once(&once, choose);
  return chosen;
}

int ga_cpu_asks(void)
{
  pthread_once(&once, choose);
  return asks;
}

int ga_cpu_narrow(void)
{
  pthread_once(&once, choose);
  return narrow;
}
