// SPDX-License-Identifier: MIT
// Memory: loads and stores with a cache hint, which is ignored, and the space that an
// address lies in.
#pragma once

// ---- loads and stores with a hint -----------------------------------------------------

template <class T> GA_HC_FN T __ldg(const T *p) { return *p; }
template <class T> GA_HC_FN T __ldca(const T *p) { return *p; }
template <class T> GA_HC_FN T __ldcs(const T *p) { return *p; }
template <class T> GA_HC_FN T __ldlu(const T *p) { return *p; }
// Those that see what another block has written: the compiler may not keep them.
template <class T> GA_HC_FN T __ldcg(const T *p)
{
  __asm__ volatile("" ::: "memory");
  return *p;
}
template <class T> GA_HC_FN T __ldcv(const T *p) { return __ldcg(p); }
template <class T> GA_HC_FN void __stwb(T *p, T v) { *p = v; }
template <class T> GA_HC_FN void __stcg(T *p, T v) { *p = v; }
template <class T> GA_HC_FN void __stcs(T *p, T v) { *p = v; }
template <class T> GA_HC_FN void __stwt(T *p, T v) { *p = v; }

// ---- spaces ---------------------------------------------------------------------------

// An address in a space is the address itself here.
#define GA_HC_IN_SPACE(Name, name, which)                                              \
  GA_HC_FN unsigned __is##Name(const void *p) { return ga_hc_lib->space(p) == which; } \
  GA_HC_FN size_t __cvta_generic_to_##name(const void *p) { return (size_t)p; }        \
  GA_HC_FN void *__cvta_##name##_to_generic(size_t p) { return (void *)p; }
GA_HC_IN_SPACE(Global, global, GA_HC_IN_GLOBAL)
GA_HC_IN_SPACE(Shared, shared, GA_HC_IN_SHARED)
GA_HC_IN_SPACE(Constant, constant, GA_HC_IN_CONSTANT)
GA_HC_IN_SPACE(Local, local, GA_HC_IN_LOCAL)
GA_HC_IN_SPACE(GridConstant, grid_constant, GA_HC_IN_ARGUMENTS)
#undef GA_HC_IN_SPACE
GA_HC_FN unsigned __isCtaShared(const void *p) { return __isShared(p); }

// ---- the heap --------------------------------------------------------------------------

// Where accesses are checked it is told of what lies on the heap.
#ifdef GA_HC_CHECK
#define GA_HC_OWN __attribute__((noinline, used))
GA_HC_FN void *__nv_aligned_device_malloc(size_t size, size_t align)
{
  return ga_hc_lib->allocate(align, size);
}
extern "C" {
__attribute__((visibility("hidden"))) GA_HC_OWN void *malloc(size_t n) noexcept
{
  return ga_hc_lib->allocate(16, n);
}
__attribute__((visibility("hidden"))) GA_HC_OWN void free(void *p) noexcept
{
  ga_hc_lib->release(p);
}
}
#else
extern "C" void *aligned_alloc(size_t, size_t) noexcept;
GA_HC_FN void *__nv_aligned_device_malloc(size_t size, size_t align)
{
  return size > (size_t)__PTRDIFF_MAX__ - align
             ? nullptr
             : aligned_alloc(align, (size + align - 1) / align * align);
}
#endif
