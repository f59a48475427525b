// SPDX-License-Identifier: MIT
// What a checked kernel's code calls at its accesses of memory: the functions that
// -fsanitize=thread makes the compiler call, gcc and clang alike.
#pragma once

// What stands between a text's globals in memory: in each of the sections that they
// may lie in.
#define GA_HC_PADS(n)                                                                      \
  static char ga_hc_pad_##n##z[GA_HC_PAD] __attribute__((used, aligned(1)));               \
  static char ga_hc_pad_##n##d[GA_HC_PAD] __attribute__((used, aligned(1))) = {1};         \
  static const char ga_hc_pad_##n##c[GA_HC_PAD] __attribute__((used, aligned(1))) = {1};
#define GA_HC_PAD_ROW(scope, n) \
  scope ga_hc_pad_##n##z, scope ga_hc_pad_##n##d, scope ga_hc_pad_##n##c,

#define GA_HC_HOOK extern "C" __attribute__((noinline, used, visibility("hidden"))) GA_HC_UNCHECKED
#define GA_HC_ACCESS(p, n, how) \
  ga_hc_lib->access((void *)(p), n, how, __builtin_return_address(0))

#define GA_HC_HOOKS(n)                                                                         \
  GA_HC_HOOK void __tsan_read##n(void *p) { GA_HC_ACCESS(p, n, GA_HC_READ); }                  \
  GA_HC_HOOK void __tsan_write##n(void *p) { GA_HC_ACCESS(p, n, GA_HC_WRITE); }                \
  GA_HC_HOOK void __tsan_read_write##n(void *p) {                                              \
    GA_HC_ACCESS(p, n, GA_HC_READ);                                                            \
    GA_HC_ACCESS(p, n, GA_HC_WRITE);                                                           \
  }                                                                                            \
  GA_HC_HOOK void __tsan_volatile_read##n(void *p) { GA_HC_ACCESS(p, n, GA_HC_READ); }         \
  GA_HC_HOOK void __tsan_volatile_write##n(void *p) { GA_HC_ACCESS(p, n, GA_HC_WRITE); }       \
  GA_HC_HOOK void __tsan_unaligned_read##n(void *p) {                                          \
    GA_HC_ACCESS(p, n, GA_HC_READ | GA_HC_LOOSE);                                              \
  }                                                                                            \
  GA_HC_HOOK void __tsan_unaligned_write##n(void *p) {                                         \
    GA_HC_ACCESS(p, n, GA_HC_WRITE | GA_HC_LOOSE);                                             \
  }
GA_HC_HOOKS(1)
GA_HC_HOOKS(2)
GA_HC_HOOKS(4)
GA_HC_HOOKS(8)
GA_HC_HOOKS(16)

GA_HC_HOOK void __tsan_read_range(void *p, long n) {
  if (n != 0) GA_HC_ACCESS(p, n, GA_HC_READ | GA_HC_LOOSE);
}
GA_HC_HOOK void __tsan_write_range(void *p, long n) {
  if (n != 0) GA_HC_ACCESS(p, n, GA_HC_WRITE | GA_HC_LOOSE);
}
GA_HC_HOOK void __tsan_init() {}
// A function that begins near its stack's end is taken to touch what lies below.
GA_HC_HOOK void __tsan_func_entry(void *) {
  size_t at = (size_t)__builtin_frame_address(0) & ~(GA_HC_STACK - 1);
  if (ga_hc_stack_left() < GA_HC_STACK_LEAST) GA_HC_ACCESS(at - 1, 1, GA_HC_WRITE);
}
GA_HC_HOOK void __tsan_func_exit(void *) {}
GA_HC_HOOK void __tsan_vptr_update(void *, void *) {}
GA_HC_HOOK void __tsan_vptr_read(void *) {}
GA_HC_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_HOOK void __tsan_atomic_signal_fence(int) {}
// Of its own, so that no compiler makes calls of memcpy of it.
GA_HC_FN void *ga_hc_move(void *to, const void *from, unsigned long n) {
  volatile char *t = (volatile char *)to;
  const volatile char *f = (const volatile char *)from;
  if (t < f)
    for (unsigned long i = 0; i < n; i++) t[i] = f[i];
  else
    while (n-- > 0) t[n] = f[n];
  return to;
}

// A kernel's own calls, and those that gcc makes for structs. (clang calls the
// __tsan_ ones.)
extern "C" {
__attribute__((noinline, used)) GA_HC_UNCHECKED void *memmove(void *to, const void *from,
                                                             size_t n) noexcept {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return ga_hc_move(to, from, n);
}
__attribute__((noinline, used)) GA_HC_UNCHECKED void *memcpy(void *to, const void *from,
                                                            size_t n) noexcept {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return ga_hc_move(to, from, n);
}
__attribute__((noinline, used)) GA_HC_UNCHECKED void *memset(void *to, int byte,
                                                            size_t n) noexcept {
  if (n != 0) GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  for (size_t i = 0; i < n; i++) ((volatile char *)to)[i] = (char)byte;
  return to;
}
}

GA_HC_HOOK void *__tsan_memcpy(void *to, const void *from, unsigned long n) {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return ga_hc_move(to, from, n);
}
GA_HC_HOOK void *__tsan_memmove(void *to, const void *from, unsigned long n) {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return ga_hc_move(to, from, n);
}
GA_HC_HOOK void *__tsan_memset(void *to, int byte, unsigned long n) {
  if (n != 0) GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  for (size_t i = 0; i < n; i++) ((volatile char *)to)[i] = (char)byte;
  return to;
}
