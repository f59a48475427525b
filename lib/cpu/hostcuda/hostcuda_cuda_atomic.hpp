// SPDX-License-Identifier: MIT
// <cuda/atomic> for kernels compiled for the CPU: cuda::atomic, cuda::atomic_ref and
// fences, on types of 1, 2, 4 and 8 bytes. Scopes mean nothing here: what is atomic is
// so for all.
#ifndef GA_HC_CUDA_ATOMIC
#define GA_HC_CUDA_ATOMIC
#include <cuda/std/cstddef>

namespace cuda
{

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

namespace std
{
enum memory_order {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
};
} // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

template <unsigned> struct ga_hc_word_type;
template <> struct ga_hc_word_type<1> {
  typedef unsigned char type;
};
template <> struct ga_hc_word_type<2> {
  typedef unsigned short type;
};
template <> struct ga_hc_word_type<4> {
  typedef unsigned type;
};
template <> struct ga_hc_word_type<8> {
  typedef unsigned long long type;
};
template <class T> struct ga_hc_step {
  typedef T type;
};
template <class T> struct ga_hc_step<T *> {
  typedef ptrdiff_t type;
};

// The operations, on the object that `p` points to.
template <class T> struct ga_hc_atomic_on {
  typedef typename ga_hc_word_type<sizeof(T)>::type word;
  GA_HC_FN int failing(int order)
  {
    return order == __ATOMIC_ACQ_REL   ? __ATOMIC_ACQUIRE
           : order == __ATOMIC_RELEASE ? __ATOMIC_RELAXED
                                       : order;
  }
  GA_HC_FN T load(const T *p, int order)
  {
    GA_HC_LOOK(p);
    return ::ga_hc_bits<T>(__atomic_load_n((const word *)(const void *)p, order));
  }
  GA_HC_FN void store(T *p, T v, int order)
  {
    GA_HC_LOOK_AS(p, GA_HC_STORE);
    __atomic_store_n((word *)(void *)p, ::ga_hc_bits<word>(v), order);
  }
  GA_HC_FN T exchange(T *p, T v, int order)
  {
    GA_HC_LOOK(p);
    return ::ga_hc_bits<T>(__atomic_exchange_n((word *)(void *)p, ::ga_hc_bits<word>(v), order));
  }
  GA_HC_FN bool swap(T *p, T &old, T v, int order, int otherwise)
  {
    GA_HC_LOOK(p);
    word was = ::ga_hc_bits<word>(old);
    bool done = __atomic_compare_exchange_n((word *)(void *)p, &was, ::ga_hc_bits<word>(v), false,
                                            order, otherwise);
    if (!done) {
      old = ::ga_hc_bits<T>(was);
      ::ga_hc_lib->pause();
    }
    return done;
  }
  template <class F> GA_HC_FN T change(T *p, int order, F next)
  {
    GA_HC_LOOK(p);
    word was = __atomic_load_n((word *)(void *)p, __ATOMIC_RELAXED);
    for (;;) {
      T old = ::ga_hc_bits<T>(was);
      if (__atomic_compare_exchange_n((word *)(void *)p, &was, ::ga_hc_bits<word>((T)next(old)),
                                      true, order, __ATOMIC_RELAXED))
        return old;
    }
  }
};

#define GA_HC_FETCH(name, expr)                                                             \
  template <class V>                                                                        \
  GA_HC_ATOMIC_METHOD T name(V v, memory_order order = memory_order_seq_cst) const          \
  {                                                                                         \
    const typename ga_hc_step<T>::type d = (typename ga_hc_step<T>::type)v;                 \
    return ga_hc_atomic_on<T>::change(this->at(), order, [d](T old) { return (T)(expr); }); \
  }

// What atomic and atomic_ref share; At says where the object is.
template <class T, class At> class ga_hc_atomic : public At
{
  typedef ga_hc_atomic_on<T> on;

public:
  typedef T value_type;
  static constexpr bool is_always_lock_free = true;
  using At::At;
  ga_hc_atomic() = default;
  bool is_lock_free() const { return true; }
  GA_HC_ATOMIC_METHOD T load(memory_order order = memory_order_seq_cst) const
  {
    return on::load(this->at(), order);
  }
  GA_HC_ATOMIC_METHOD void store(T v, memory_order order = memory_order_seq_cst) const
  {
    on::store(this->at(), v, order);
  }
  GA_HC_ATOMIC_METHOD T exchange(T v, memory_order order = memory_order_seq_cst) const
  {
    return on::exchange(this->at(), v, order);
  }
  GA_HC_ATOMIC_METHOD bool compare_exchange_strong(T &old, T v, memory_order order,
                                                   memory_order otherwise) const
  {
    return on::swap(this->at(), old, v, order, otherwise);
  }
  GA_HC_ATOMIC_METHOD bool compare_exchange_strong(T &old, T v,
                                                   memory_order order = memory_order_seq_cst) const
  {
    return on::swap(this->at(), old, v, order, on::failing(order));
  }
  GA_HC_ATOMIC_METHOD bool compare_exchange_weak(T &old, T v, memory_order order,
                                                 memory_order otherwise) const
  {
    return on::swap(this->at(), old, v, order, otherwise);
  }
  GA_HC_ATOMIC_METHOD bool compare_exchange_weak(T &old, T v,
                                                 memory_order order = memory_order_seq_cst) const
  {
    return on::swap(this->at(), old, v, order, on::failing(order));
  }
  GA_HC_FETCH(fetch_add, old + d)
  GA_HC_FETCH(fetch_sub, old - d)
  GA_HC_FETCH(fetch_and, old &d)
  GA_HC_FETCH(fetch_or, old | d)
  GA_HC_FETCH(fetch_xor, old ^ d)
  GA_HC_FETCH(fetch_min, d < old ? d : old)
  GA_HC_FETCH(fetch_max, old < d ? d : old)
  GA_HC_ATOMIC_METHOD operator T() const { return load(); }
  GA_HC_ATOMIC_METHOD T operator++() const { return (T)(fetch_add(1) + 1); }
  GA_HC_ATOMIC_METHOD T operator--() const { return (T)(fetch_sub(1) - 1); }
  GA_HC_ATOMIC_METHOD T operator++(int) const { return fetch_add(1); }
  GA_HC_ATOMIC_METHOD T operator--(int) const { return fetch_sub(1); }
  template <class V> GA_HC_ATOMIC_METHOD T operator+=(V v) const { return (T)(fetch_add(v) + v); }
  template <class V> GA_HC_ATOMIC_METHOD T operator-=(V v) const { return (T)(fetch_sub(v) - v); }
  template <class V> GA_HC_ATOMIC_METHOD T operator&=(V v) const { return (T)(fetch_and(v) & v); }
  template <class V> GA_HC_ATOMIC_METHOD T operator|=(V v) const { return (T)(fetch_or(v) | v); }
  template <class V> GA_HC_ATOMIC_METHOD T operator^=(V v) const { return (T)(fetch_xor(v) ^ v); }
};
#undef GA_HC_FETCH

// Apart, as those that name it are taken to wait for others.
template <class T, class Self> class ga_hc_atomic_waiting
{
public:
  void wait(T old, memory_order order = memory_order_seq_cst, const char *file = __builtin_FILE(),
            unsigned line = __builtin_LINE()) const
  {
    typedef typename ga_hc_atomic_on<T>::word word;
    const Self *self = (const Self *)this;
    ::ga_hc_wait_begins();
    while (::ga_hc_bits<word>(self->load(order)) == ::ga_hc_bits<word>(old))
      ::__ga_wait_at(file, line);
  }
  void notify_one() const {}
  void notify_all() const {}
};

template <class T> class ga_hc_atomic_here
{
  alignas(sizeof(T)) mutable T value;

protected:
  T *at() const { return &value; }

public:
  ga_hc_atomic_here() = default;
  constexpr ga_hc_atomic_here(T v) : value(v) {}
};
template <class T> class ga_hc_atomic_there
{
  T *place;

protected:
  T *at() const { return place; }

public:
  explicit ga_hc_atomic_there(T &v) : place(&v) {}
};

template <class T, thread_scope s = thread_scope_system>
class atomic : public ga_hc_atomic<T, ga_hc_atomic_here<T>>,
               public ga_hc_atomic_waiting<T, atomic<T, s>>
{
public:
  using ga_hc_atomic<T, ga_hc_atomic_here<T>>::ga_hc_atomic;
  atomic() = default;
  constexpr atomic(T v) : ga_hc_atomic<T, ga_hc_atomic_here<T>>(v) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  GA_HC_ATOMIC_METHOD T operator=(T v)
  {
    this->store(v);
    return v;
  }
};

template <class T, thread_scope s = thread_scope_system>
class atomic_ref : public ga_hc_atomic<T, ga_hc_atomic_there<T>>,
                   public ga_hc_atomic_waiting<T, atomic_ref<T, s>>
{
public:
  static constexpr size_t required_alignment = sizeof(T);
  explicit atomic_ref(T &v) : ga_hc_atomic<T, ga_hc_atomic_there<T>>(v) {}
  GA_HC_ATOMIC_METHOD T operator=(T v) const
  {
    this->store(v);
    return v;
  }
};

template <thread_scope = thread_scope_system> class ga_hc_flag
{
  atomic<int> set{0};

public:
  bool test_and_set(memory_order order = memory_order_seq_cst)
  {
    return set.exchange(1, order) != 0;
  }
  void clear(memory_order order = memory_order_seq_cst) { set.store(0, order); }
  bool test(memory_order order = memory_order_seq_cst) const { return set.load(order) != 0; }
};
template <thread_scope s = thread_scope_system> using atomic_flag = ga_hc_flag<s>;

GA_HC_FN void atomic_thread_fence(memory_order order, thread_scope = thread_scope_system)
{
  __atomic_thread_fence(order);
}
GA_HC_FN void atomic_signal_fence(memory_order order) { __atomic_signal_fence(order); }

namespace std
{
template <class T> using atomic = ::cuda::atomic<T>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T>;
using ::cuda::atomic_thread_fence;
} // namespace std

} // namespace cuda

#endif
