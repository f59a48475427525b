// SPDX-License-Identifier: MIT
// CUDA's vocabulary for kernels compiled for the CPU: the first thing in every
// kernel's translation unit, behind the standard headers that its text includes.
// The words that are no names (__global__, __shared__, threadIdx, barriers) have
// been rewritten before (lib/cpu/hostcuda_rewrite.c). No standard header is
// included: compiling one takes longer than most kernels.
#pragma once

#include "hostcuda_abi.h"

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef NULL
#define NULL __null
#endif

#define GA_HC_FN static inline __attribute__((always_inline, unused))

#if GA_HC_DEEP
#define GA_HC_STACK GA_HC_STACK_LARGE
#else
#define GA_HC_STACK GA_HC_STACK_SMALL
#endif

// ---- the library -------------------------------------------------------------

extern "C" {
static const ga_hc_rt *ga_hc_lib;
int printf(const char *, ...);
int vprintf(const char *, __builtin_va_list);
void *malloc(size_t) noexcept;
void free(void *) noexcept;
void *memcpy(void *, const void *, size_t) noexcept;
void *memset(void *, int, size_t) noexcept;
}

#if !defined(_NEW) && !defined(_LIBCPP_NEW)
inline void *operator new(size_t, void *p) noexcept { return p; }
inline void *operator new[](size_t, void *p) noexcept { return p; }
#endif

GA_HC_FN ga_hc_thread *ga_hc_self()
{
  size_t base = (size_t)__builtin_frame_address(0) & ~(GA_HC_STACK - 1);
  __asm__("" : "+r"(base)); // else it is taken for a place in this frame, which nobody else writes
  return (ga_hc_thread *)(base + GA_HC_STACK - GA_HC_STAGGER(base, GA_HC_STACK));
}

// Bytes that the calling thread's stack has left.
GA_HC_FN size_t ga_hc_stack_left()
{
  size_t at = (size_t)__builtin_frame_address(0) & (GA_HC_STACK - 1);
  return at < GA_HC_GUARD(GA_HC_STACK) ? 0 : at - GA_HC_GUARD(GA_HC_STACK);
}

#include "hostcuda_vector.hpp"

GA_HC_FN uint3 ga_hc_index(const ga_hc_dim &d) { return uint3{d.x, d.y, d.z}; }
GA_HC_FN uint3 ga_hc_tid() { return ga_hc_index(ga_hc_self()->tid); }
GA_HC_FN uint3 ga_hc_bid() { return ga_hc_index(ga_hc_self()->block->bid); }
GA_HC_FN dim3 ga_hc_bdim() { return dim3(ga_hc_index(ga_hc_self()->block->bdim)); }
GA_HC_FN dim3 ga_hc_gdim() { return dim3(ga_hc_index(ga_hc_self()->block->gdim)); }
GA_HC_FN void *ga_hc_dynamic() { return ga_hc_self()->block->dynamic; }
GA_HC_FN void ga_hc_left() { ga_hc_lib->left(); }

enum { warpSize = GA_HC_WARP };

// ---- ending a launch ------------------------------------------------------------

[[noreturn]] static __attribute__((noinline, cold, unused)) void
ga_hc_fault(int kind, const char *text, const char *file, unsigned line)
{
  ga_hc_lib->fault(kind, text, file, line);
  __builtin_unreachable();
}

GA_HC_FN void __brkpt() {}
#ifndef __clang__
#define __builtin_assume(truth) ((void)0)
#endif
GA_HC_FN void __prof_trigger(int) {}

// ---- output ---------------------------------------------------------------------

// The C library keeps locks that a thread which overruns its stack could not let go.
GA_HC_FN void ga_hc_before_call()
{
  if (ga_hc_stack_left() < GA_HC_STACK_LEAST) ga_hc_fault(GA_HC_OVERFLOW, nullptr, nullptr, 0);
}

// CUDA's printf gives the number of its arguments, -1 without a format. The C
// library's writes a call's text in one piece.
template <class... A> static inline int ga_hc_printf(const char *format, A... a)
{
  if (format == nullptr) return -1;
  ga_hc_before_call();
  printf(format, a...);
  return (int)sizeof...(a);
}

// What -fsanitize=integer-divide-by-zero and bounds call. Hidden, here and in
// hostcuda_check.hpp: a program may have the sanitizers' own functions.
struct ga_hc_spot {
  const char *file;
  unsigned line, column;
};
extern "C" {
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_divrem_overflow(void *p, void *,
                                                                                void *y)
{
  const ga_hc_spot *at = (const ga_hc_spot *)p;
  ga_hc_fault(GA_HC_DIVISION, y != nullptr ? ", or a quotient that does not fit" : nullptr,
              at->file, at->line);
}
#ifdef GA_HC_CHECK
// Sums and products wrap, as on a GPU; they are looked at only for the sake of
// quotients that do not fit.
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_add_overflow(void *, void *, void *)
{
}
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_sub_overflow(void *, void *, void *)
{
}
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_mul_overflow(void *, void *, void *)
{
}
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_negate_overflow(void *, void *) {}
struct ga_hc_mismatch {
  ga_hc_spot at;
  void *type;
  unsigned char log_align, kind;
};
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_type_mismatch_v1(void *p, void *)
{
  static const char *const of[] = {"1", "2", "4", "8", "16"};
  const ga_hc_mismatch *m = (const ga_hc_mismatch *)p;
  ga_hc_fault(GA_HC_ALIGNMENT, m->log_align < 5 ? of[m->log_align] : "its size", m->at.file,
              m->at.line);
}
#endif
__attribute__((visibility("hidden"), cold)) void __ubsan_handle_out_of_bounds(void *p, void *)
{
  const ga_hc_spot *at = (const ga_hc_spot *)p;
  ga_hc_fault(GA_HC_INDEX, nullptr, at->file, at->line);
}
}

// ---- waiting -----------------------------------------------------------------------

GA_HC_FN void __threadfence_cluster() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_FN void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_FN void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_FN void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_FN void __nanosleep(unsigned) { ga_hc_lib->pause(); }

// What the rewriter puts into loops that may wait; false.
GA_HC_FN bool ga_hc_spin(int how, unsigned place)
{
  ga_hc_lib->spin(how, place);
  return false;
}

GA_HC_FN void ga_hc_wait_begins() { ga_hc_lib->spin(GA_HC_SPIN_BEGINS, 0); }
GA_HC_FN void __ga_wait_at(const char *file, unsigned line) { ga_hc_lib->spin_at(file, line); }

// Kernels that overlap with the one before: here each begins when that has ended.
GA_HC_FN void cudaGridDependencySynchronize() {}
GA_HC_FN void cudaTriggerProgrammaticLaunchCompletion() {}

// ---- time ---------------------------------------------------------------------------

extern "C" int clock_gettime(int, struct timespec *) noexcept;
GA_HC_FN unsigned long long ga_hc_nanoseconds()
{
  long t[2] = {0, 0};
  clock_gettime(1, (struct timespec *)(void *)t);
  return (unsigned long long)t[0] * 1000000000ull + (unsigned long long)t[1];
}
GA_HC_FN long long clock64()
{
#if defined(__x86_64__)
  return (long long)__builtin_ia32_rdtsc();
#else
  return (long long)ga_hc_nanoseconds();
#endif
}
#if !defined(_TIME_H)
typedef long clock_t;
GA_HC_FN clock_t clock() { return (clock_t)clock64(); }
#endif

#include "hostcuda_warp.hpp"
#include "hostcuda_bits.hpp"
#include "hostcuda_convert.hpp"
#include "hostcuda_memory.hpp"
#include "hostcuda_runtime.hpp"
#include "hostcuda_math.hpp"
#include "hostcuda_special.hpp"
#include "hostcuda_round.hpp"
#include "hostcuda_simd.hpp"
#include "hostcuda_atomic.hpp"
#include "hostcuda_ptx.hpp"
#include "hostcuda_mma.hpp"
#ifdef GA_HC_CHECK
#include "hostcuda_check.hpp"
#endif
