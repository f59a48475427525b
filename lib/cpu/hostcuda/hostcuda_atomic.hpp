// SPDX-License-Identifier: MIT
// Atomic functions, on every type CUDA has them for. All are overloads and not
// templates, so that a value is converted to the type that is pointed to.
// Relaxed, as CUDA's are; the order is the fences' business.
#pragma once

#ifdef GA_HC_CHECK
// Not followed by the compiler's own checks; noinline, so that the caller's
// address is that of the line.
#define GA_HC_ATOMIC_FN static __attribute__((noinline, unused)) GA_HC_UNCHECKED
#define GA_HC_ATOMIC_METHOD __attribute__((noinline)) GA_HC_UNCHECKED
#define GA_HC_LOOK_AS(p, how) \
  ga_hc_lib->access((void *)(p), sizeof *(p), how, __builtin_return_address(0))
#else
#define GA_HC_ATOMIC_FN GA_HC_FN
#define GA_HC_ATOMIC_METHOD __attribute__((always_inline))
#define GA_HC_LOOK_AS(p, how) ((void)0)
#endif
#define GA_HC_LOOK(p) GA_HC_LOOK_AS(p, GA_HC_ATOMIC)

// Replaces *p by `next`, an expression in `old`, of unsigned type W; gives the old.
#define GA_HC_REPLACE(T, W, p, next)                                                   \
  GA_HC_LOOK(p);                                                                       \
  W was = __atomic_load_n((W *)(void *)(p), __ATOMIC_RELAXED);                         \
  for (;;) {                                                                           \
    T old = ga_hc_bits<T>(was);                                                           \
    W now = ga_hc_bits<W>((T)(next));                                                     \
    if (__atomic_compare_exchange_n((W *)(void *)(p), &was, now, false, __ATOMIC_RELAXED, \
                                    __ATOMIC_RELAXED))                                 \
      return old;                                                                      \
  }

#define GA_HC_INTEGER_ATOMICS(T, W)                                                    \
  GA_HC_ATOMIC_FN T atomicAdd(T *p, T v) {                                             \
    GA_HC_LOOK(p);                                                                     \
    return (T)__atomic_fetch_add((W *)p, (W)v, __ATOMIC_RELAXED);                      \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicSub(T *p, T v) {                                             \
    GA_HC_LOOK(p);                                                                     \
    return (T)__atomic_fetch_sub((W *)p, (W)v, __ATOMIC_RELAXED);                      \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicAnd(T *p, T v) {                                             \
    GA_HC_LOOK(p);                                                                     \
    return (T)__atomic_fetch_and((W *)p, (W)v, __ATOMIC_RELAXED);                      \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicOr(T *p, T v) {                                              \
    GA_HC_LOOK(p);                                                                     \
    return (T)__atomic_fetch_or((W *)p, (W)v, __ATOMIC_RELAXED);                       \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicXor(T *p, T v) {                                             \
    GA_HC_LOOK(p);                                                                     \
    return (T)__atomic_fetch_xor((W *)p, (W)v, __ATOMIC_RELAXED);                      \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicMin(T *p, T v) { GA_HC_REPLACE(T, W, p, v < old ? v : old) } \
  GA_HC_ATOMIC_FN T atomicMax(T *p, T v) { GA_HC_REPLACE(T, W, p, old < v ? v : old) }

#define GA_HC_ANY_ATOMICS(T, W)                                                        \
  GA_HC_ATOMIC_FN T atomicExch(T *p, T v) {                                            \
    GA_HC_LOOK(p);                                                                     \
    return ga_hc_bits<T>(__atomic_exchange_n((W *)(void *)p, ga_hc_bits<W>(v), __ATOMIC_SEQ_CST)); \
  }                                                                                    \
  GA_HC_ATOMIC_FN T atomicCAS(T *p, T old, T v) {                                      \
    GA_HC_LOOK(p);                                                                     \
    W was = ga_hc_bits<W>(old);                                                           \
    if (!__atomic_compare_exchange_n((W *)(void *)p, &was, ga_hc_bits<W>(v), false,       \
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))              \
      ga_hc_lib->pause();                                                                  \
    return ga_hc_bits<T>(was);                                                            \
  }

GA_HC_INTEGER_ATOMICS(int, unsigned)
GA_HC_INTEGER_ATOMICS(unsigned, unsigned)
GA_HC_INTEGER_ATOMICS(long, unsigned long)
GA_HC_INTEGER_ATOMICS(unsigned long, unsigned long)
GA_HC_INTEGER_ATOMICS(long long, unsigned long long)
GA_HC_INTEGER_ATOMICS(unsigned long long, unsigned long long)
GA_HC_ANY_ATOMICS(int, unsigned)
GA_HC_ANY_ATOMICS(unsigned, unsigned)
GA_HC_ANY_ATOMICS(long, unsigned long)
GA_HC_ANY_ATOMICS(unsigned long, unsigned long)
GA_HC_ANY_ATOMICS(long long, unsigned long long)
GA_HC_ANY_ATOMICS(unsigned long long, unsigned long long)
GA_HC_ANY_ATOMICS(float, unsigned)
GA_HC_ANY_ATOMICS(double, unsigned long long)
GA_HC_ANY_ATOMICS(unsigned short, unsigned short)

GA_HC_ATOMIC_FN float atomicAdd(float *p, float v) { GA_HC_REPLACE(float, unsigned, p, old + v) }
GA_HC_ATOMIC_FN double atomicAdd(double *p, double v) {
  GA_HC_REPLACE(double, unsigned long long, p, old + v)
}
GA_HC_ATOMIC_FN unsigned atomicInc(unsigned *p, unsigned v) {
  GA_HC_REPLACE(unsigned, unsigned, p, old >= v ? 0 : old + 1)
}
GA_HC_ATOMIC_FN unsigned atomicDec(unsigned *p, unsigned v) {
  GA_HC_REPLACE(unsigned, unsigned, p, old == 0 || old > v ? v : old - 1)
}
GA_HC_FN float2 atomicAdd(float2 *p, float2 v) {
  return float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)};
}
GA_HC_FN float4 atomicAdd(float4 *p, float4 v) {
  return float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z),
                atomicAdd(&p->w, v.w)};
}

// ---- 16 bytes -----------------------------------------------------------------------

#if defined(__x86_64__)
GA_HC_FN bool ga_hc_swap16(void *p, ga_hc_uint128 *was, ga_hc_uint128 now) {
  unsigned long long low = (unsigned long long)*was, high = (unsigned long long)(*was >> 64);
  bool done;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(*(ga_hc_uint128 *)p), "+a"(low), "+d"(high)
                   : "b"((unsigned long long)now), "c"((unsigned long long)(now >> 64))
                   : "memory");
  *was = (ga_hc_uint128)high << 64 | low;
  return done;
}
#elif defined(__aarch64__)
// What was read is whole only when something was stored too: itself, where it differs.
GA_HC_FN bool ga_hc_swap16(void *p, ga_hc_uint128 *was, ga_hc_uint128 now) {
  unsigned long long low, high;
  for (;;) {
    unsigned failed;
    __asm__ volatile("ldaxp %0, %1, %2"
                     : "=r"(low), "=r"(high)
                     : "Q"(*(ga_hc_uint128 *)p)
                     : "memory");
    ga_hc_uint128 is = (ga_hc_uint128)high << 64 | low, next = is == *was ? now : is;
    __asm__ volatile("stlxp %w0, %2, %3, %1"
                     : "=&r"(failed), "=Q"(*(ga_hc_uint128 *)p)
                     : "r"((unsigned long long)next), "r"((unsigned long long)(next >> 64))
                     : "memory");
    if (failed) continue;
    bool done = is == *was;
    *was = is;
    return done;
  }
}
#endif
template <class T, bool fits> struct ga_hc_sixteen {};
template <class T> struct ga_hc_sixteen<T, true> {
  typedef T type;
};
#define GA_HC_SIXTEEN(T) typename ga_hc_sixteen<T, sizeof(T) == 16 && alignof(T) >= 16>::type
template <class T> GA_HC_ATOMIC_FN GA_HC_SIXTEEN(T) atomicCAS(T *p, T old, T v) {
  GA_HC_LOOK(p);
  ga_hc_uint128 was = ga_hc_bits<ga_hc_uint128>(old);
  if (!ga_hc_swap16(p, &was, ga_hc_bits<ga_hc_uint128>(v))) ga_hc_lib->pause();
  return ga_hc_bits<T>(was);
}
template <class T> GA_HC_ATOMIC_FN GA_HC_SIXTEEN(T) atomicExch(T *p, T v) {
  GA_HC_LOOK(p);
  ga_hc_uint128 was = 0;
  while (!ga_hc_swap16(p, &was, ga_hc_bits<ga_hc_uint128>(v))) {
  }
  return ga_hc_bits<T>(was);
}

// What is atomic for all is atomic for a block, and for the system.
#define GA_HC_SCOPED(f)                                                                     \
  template <class T, class V> GA_HC_FN T f##_block(T *p, V v) { return f(p, (T)v); }        \
  template <class T, class V> GA_HC_FN T f##_system(T *p, V v) { return f(p, (T)v); }
GA_HC_SCOPED(atomicAdd)
GA_HC_SCOPED(atomicSub)
GA_HC_SCOPED(atomicExch)
GA_HC_SCOPED(atomicMin)
GA_HC_SCOPED(atomicMax)
GA_HC_SCOPED(atomicInc)
GA_HC_SCOPED(atomicDec)
GA_HC_SCOPED(atomicAnd)
GA_HC_SCOPED(atomicOr)
GA_HC_SCOPED(atomicXor)
template <class T, class U, class V> GA_HC_FN T atomicCAS_block(T *p, U old, V v) {
  return atomicCAS(p, (T)old, (T)v);
}
template <class T, class U, class V> GA_HC_FN T atomicCAS_system(T *p, U old, V v) {
  return atomicCAS(p, (T)old, (T)v);
}
