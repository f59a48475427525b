// SPDX-License-Identifier: MIT
// What C++'s run-time library would have, so that kernels do not bring that into the
// process: new and delete as CUDA has them (of malloc()'s heap, NULL where there is no
// memory), and the ends that it would put to the process, which are errors of the launch.
#pragma once

// ---- new and delete ----------------------------------------------------------------------

namespace std
{
enum class align_val_t : size_t;
}

// GCC is told by -fcheck-new that `new` may give NULL; clang does not know it before 17, so
// the rewriter has it call a form that says so itself.
struct ga_hc_may_fail {
};
#ifdef __clang__
#define GA_HC_NEW new (::ga_hc_may_fail{})
#else
#define GA_HC_NEW new
#endif

GA_HC_FN void *ga_hc_new(size_t n, size_t align)
{
  ga_hc_before_call();
  if (n > (size_t)__PTRDIFF_MAX__) return nullptr;
  return align <= 16 ? malloc(n) : __nv_aligned_device_malloc(n, align);
}

#define GA_HC_OPERATORS(op)                                                            \
  inline void *operator new op(size_t n) { return ga_hc_new(n, 16); }                  \
  inline void *operator new op(size_t n, ga_hc_may_fail) noexcept                      \
  {                                                                                    \
    return ga_hc_new(n, 16);                                                           \
  }                                                                                    \
  inline void *operator new op(size_t n, std::align_val_t a)                           \
  {                                                                                    \
    return ga_hc_new(n, (size_t)a);                                                    \
  }                                                                                    \
  inline void *operator new op(size_t n, std::align_val_t a, ga_hc_may_fail) noexcept  \
  {                                                                                    \
    return ga_hc_new(n, (size_t)a);                                                    \
  }                                                                                    \
  inline void operator delete op(void *p) noexcept { free(p); }                        \
  inline void operator delete op(void *p, size_t) noexcept { free(p); }                \
  inline void operator delete op(void *p, std::align_val_t) noexcept { free(p); }      \
  inline void operator delete op(void *p, size_t, std::align_val_t) noexcept { free(p); }
GA_HC_OPERATORS()
GA_HC_OPERATORS([])
#undef GA_HC_OPERATORS

// ---- globals -----------------------------------------------------------------------------

// Of a global of the device: what is not initialized by a constant is refused, as by CUDA.
// Clang has a warning for it, and is to keep them between their pads (hostcuda_check.hpp).
#if defined(__clang__)
#define GA_HC_STATIC __attribute__((used))
#elif __GNUC__ >= 10
#define GA_HC_STATIC __constinit
#else
#define GA_HC_STATIC
#endif

// Nothing is destroyed when a module is unloaded, or a core's thread ends: no kernel runs then.
extern "C" {
int __cxa_atexit(void (*)(void *), void *, void *) noexcept { return 0; }
int __cxa_thread_atexit(void (*)(void *), void *, void *) noexcept { return 0; }
}

// ---- ends ---------------------------------------------------------------------------------

[[noreturn]] static __attribute__((noinline, cold, unused)) void ga_hc_end(const char *text)
{
  ga_hc_fault(GA_HC_ENDED, text, nullptr, 0);
}

extern "C" {
int vsnprintf(char *, size_t, const char *, __builtin_va_list) noexcept;
__attribute__((noreturn)) void abort() noexcept { ga_hc_end("abort()"); }
__attribute__((noreturn)) void exit(int) noexcept { ga_hc_end("exit()"); }
__attribute__((noreturn)) void _Exit(int) noexcept { ga_hc_end("_Exit()"); }
__attribute__((noreturn)) void quick_exit(int) noexcept { ga_hc_end("quick_exit()"); }
__attribute__((noreturn)) void __cxa_pure_virtual() { ga_hc_end("pure virtual call"); }
__attribute__((noreturn)) void __cxa_deleted_virtual() { ga_hc_end("deleted virtual call"); }
}

// What the templates of GCC's standard library call where they would throw.
#ifdef __GLIBCXX__
namespace std
{
#define GA_HC_THROWS(what) \
  __attribute__((noreturn)) inline void __throw_##what() { ga_hc_end("std::" #what); }
#define GA_HC_THROWS_TEXT(what) \
  __attribute__((noreturn)) inline void __throw_##what(const char *text) { ga_hc_end(text); }
GA_HC_THROWS(bad_alloc)
GA_HC_THROWS(bad_array_new_length)
GA_HC_THROWS(bad_function_call)
GA_HC_THROWS_TEXT(invalid_argument)
GA_HC_THROWS_TEXT(length_error)
GA_HC_THROWS_TEXT(logic_error)
GA_HC_THROWS_TEXT(out_of_range)
GA_HC_THROWS_TEXT(overflow_error)
#undef GA_HC_THROWS
#undef GA_HC_THROWS_TEXT
__attribute__((noreturn)) inline void __throw_out_of_range_fmt(const char *format, ...)
{
  char text[256];
  __builtin_va_list args;
  __builtin_va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  ga_hc_end(text);
}
}
#endif
