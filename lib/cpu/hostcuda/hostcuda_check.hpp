// SPDX-License-Identifier: MIT
// What a checked kernel's code calls at its accesses of memory: the functions that
// -fsanitize=thread makes the compiler call, gcc and clang alike.
#pragma once

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
GA_HC_HOOK void __tsan_func_entry(void *) {}
GA_HC_HOOK void __tsan_func_exit(void *) {}
GA_HC_HOOK void __tsan_vptr_update(void *, void *) {}
GA_HC_HOOK void __tsan_vptr_read(void *) {}
GA_HC_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GA_HC_HOOK void __tsan_atomic_signal_fence(int) {}
GA_HC_HOOK void *__tsan_memcpy(void *to, const void *from, unsigned long n) {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return __builtin_memcpy(to, from, n);
}
GA_HC_HOOK void *__tsan_memmove(void *to, const void *from, unsigned long n) {
  if (n != 0) {
    GA_HC_ACCESS(from, n, GA_HC_READ | GA_HC_LOOSE);
    GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  }
  return __builtin_memmove(to, from, n);
}
GA_HC_HOOK void *__tsan_memset(void *to, int byte, unsigned long n) {
  if (n != 0) GA_HC_ACCESS(to, n, GA_HC_WRITE | GA_HC_LOOSE);
  return __builtin_memset(to, byte, n);
}
