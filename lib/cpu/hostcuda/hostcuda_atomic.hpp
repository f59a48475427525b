// SPDX-License-Identifier: MIT
// Atomic functions, on every type CUDA has them for. All are overloads and not
// templates, so that a value is converted to the type that is pointed to.
// Relaxed, as CUDA's are; the order is the fences' business.
#pragma once

#ifdef GA_HC_CHECK
// Not followed by the compiler's own checks; noinline, so that the caller's
// address is that of the line.
#define GA_HC_ATOMIC_FN static __attribute__((noinline, unused)) GA_HC_UNCHECKED
#define GA_HC_LOOK(p) \
  ga_hc_lib->access((void *)(p), sizeof *(p), GA_HC_ATOMIC, __builtin_return_address(0))
#else
#define GA_HC_ATOMIC_FN GA_HC_FN
#define GA_HC_LOOK(p) ((void)0)
#endif

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
