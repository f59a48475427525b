// SPDX-License-Identifier: MIT
// <cuda/barrier> for kernels compiled for the CPU. Whoever arrives last runs what is
// to be run on completion and opens the next phase; who waits lets others run.
#ifndef GA_HC_CUDA_BARRIER
#define GA_HC_CUDA_BARRIER
#include <cuda/atomic>

namespace cuda
{
namespace std
{
struct ga_hc_empty_completion {
  void operator()() const {}
};
} // namespace std

template <thread_scope scope, class Completion = std::ga_hc_empty_completion> class barrier
{
  mutable unsigned phase;
  mutable int pending, expected;
  Completion completion;

  template <class T> GA_HC_FN T read(const T &v)
  {
    return ga_hc_atomic_on<T>::load(&v, __ATOMIC_ACQUIRE);
  }
  GA_HC_FN int add(int &v, int n)
  {
    return ga_hc_atomic_on<int>::change(&v, __ATOMIC_ACQ_REL, [n](int old) { return old + n; }) + n;
  }
  GA_HC_ATOMIC_METHOD void complete()
  {
    completion();
    ::ga_hc_lib->met();
    ga_hc_atomic_on<int>::store(&pending, read(expected), __ATOMIC_RELAXED);
    ga_hc_atomic_on<unsigned>::change(&phase, __ATOMIC_ACQ_REL, [](unsigned p) { return p + 1; });
  }

public:
  typedef unsigned arrival_token;
  barrier() = default;
  barrier(ptrdiff_t n, Completion f = Completion())
      : phase(0), pending((int)n), expected((int)n), completion(f)
  {
  }
  barrier(const barrier &) = delete;
  barrier &operator=(const barrier &) = delete;
  static constexpr ptrdiff_t max() { return (1 << 20) - 1; }
  friend void init(barrier *b, ptrdiff_t n) { new (b) barrier(n); }
  friend void init(barrier *b, ptrdiff_t n, Completion f) { new (b) barrier(n, f); }

  GA_HC_ATOMIC_METHOD arrival_token arrive(ptrdiff_t n = 1)
  {
    unsigned now = read(phase);
    if (add(pending, -(int)n) == 0) complete();
    return now;
  }
  GA_HC_ATOMIC_METHOD bool try_wait(arrival_token now) const
  {
    if (read(phase) != now) return true;
    ::ga_hc_lib->pause();
    return false;
  }
  template <class D> GA_HC_ATOMIC_METHOD bool try_wait_for(arrival_token now, D) const
  {
    return try_wait(now);
  }
  GA_HC_ATOMIC_METHOD bool try_wait_parity(bool parity) const
  {
    if ((read(phase) & 1) != parity) return true;
    ::ga_hc_lib->pause();
    return false;
  }
  GA_HC_ATOMIC_METHOD void wait(arrival_token now, const char *file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) const
  {
    while (read(phase) == now) ::__ga_wait_at(file, line);
  }
  GA_HC_ATOMIC_METHOD void wait_parity(bool parity, const char *file = __builtin_FILE(),
                                       unsigned line = __builtin_LINE()) const
  {
    while ((read(phase) & 1) == parity) ::__ga_wait_at(file, line);
  }
  GA_HC_ATOMIC_METHOD void arrive_and_wait(const char *file = __builtin_FILE(),
                                           unsigned line = __builtin_LINE())
  {
    wait(arrive(), file, line);
  }
  GA_HC_ATOMIC_METHOD void arrive_and_drop()
  {
    add(expected, -1);
    (void)arrive();
  }
};

namespace std
{
template <class Completion = ga_hc_empty_completion>
using barrier = ::cuda::barrier<thread_scope_system, Completion>;
}

// Copies at once: nothing is left to be waited for. Of a group one thread does it.
template <size_t Align> struct aligned_size_t {
  size_t value;
  explicit aligned_size_t(size_t n) : value(n) {}
  operator size_t() const { return value; }
};
template <class Barrier> void memcpy_async(void *to, const void *from, size_t n, Barrier &)
{
  memcpy(to, from, n);
}
template <class Group, class Barrier>
void memcpy_async(const Group &g, void *to, const void *from, size_t n, Barrier &)
{
  if (g.thread_rank() == 0) memcpy(to, from, n);
}

} // namespace cuda

#endif
