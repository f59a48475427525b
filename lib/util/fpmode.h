/* SPDX-License-Identifier: MIT */
/* The floating-point mode in which elements are computed: round to nearest, no
 * flush to zero, no exception trapped. A caller's thread may have another one
 * (compilers' -ffast-math set flush to zero at start-up); it is saved on the way
 * in and put back on the way out. Where it already is the default one, which is
 * nearly always, nothing is written: setting a mode costs more than asking. */
#ifndef GA_UTIL_FPMODE_H
#define GA_UTIL_FPMODE_H

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned int ga_fpmode;

enum { GA_FPMODE_DEFAULT = 0x1f80, GA_FPMODE_FLAGS = 0x3f };

static inline ga_fpmode ga_fpmode_enter(void)
{
  ga_fpmode old = _mm_getcsr();
  if ((old & ~GA_FPMODE_FLAGS) != GA_FPMODE_DEFAULT) _mm_setcsr(GA_FPMODE_DEFAULT);
  return old;
}

static inline void ga_fpmode_leave(ga_fpmode old)
{
  if ((old & ~GA_FPMODE_FLAGS) != GA_FPMODE_DEFAULT) _mm_setcsr(old);
}

#else
#include <fenv.h>

typedef fenv_t ga_fpmode;

static inline ga_fpmode ga_fpmode_enter(void)
{
  ga_fpmode old;
  fegetenv(&old);
  fesetenv(FE_DFL_ENV);
  return old;
}

static inline void ga_fpmode_leave(ga_fpmode old) { fesetenv(&old); }

#endif
#endif
