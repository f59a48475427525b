// SPDX-License-Identifier: MIT
// <cuda/semaphore> and <cuda/latch> for kernels compiled for the CPU: who waits lets others
// run.
#ifndef GA_HC_CUDA_SEMAPHORE
#define GA_HC_CUDA_SEMAPHORE
#include <cuda/atomic>

namespace cuda
{

template <thread_scope scope, ptrdiff_t most = 0x7fffffff> class counting_semaphore
{
  mutable int count;

public:
  counting_semaphore() = default;
  constexpr counting_semaphore(ptrdiff_t n) : count((int)n) {}
  static constexpr ptrdiff_t max() { return most; }
  GA_HC_ATOMIC_METHOD void release(ptrdiff_t n = 1)
  {
    ga_hc_atomic_on<int>::change(&count, __ATOMIC_ACQ_REL, [n](int c) { return c + (int)n; });
  }
  GA_HC_ATOMIC_METHOD bool try_acquire()
  {
    auto take = [](int c) { return c > 0 ? c - 1 : c; };
    return ga_hc_atomic_on<int>::change(&count, __ATOMIC_ACQ_REL, take) > 0;
  }
  GA_HC_ATOMIC_METHOD void acquire(const char *file = __builtin_FILE(),
                                   unsigned line = __builtin_LINE())
  {
    ::ga_hc_wait_begins();
    while (!try_acquire()) ::__ga_wait_at(file, line);
  }
};
template <thread_scope scope> using binary_semaphore = counting_semaphore<scope, 1>;

template <thread_scope scope> class latch
{
  mutable int left;

public:
  latch() = default;
  constexpr latch(ptrdiff_t n) : left((int)n) {}
  GA_HC_ATOMIC_METHOD void count_down(ptrdiff_t n = 1)
  {
    ga_hc_atomic_on<int>::change(&left, __ATOMIC_ACQ_REL, [n](int c) { return c - (int)n; });
  }
  GA_HC_ATOMIC_METHOD bool try_wait() const
  {
    if (ga_hc_atomic_on<int>::load(&left, __ATOMIC_ACQUIRE) > 0) return false;
    ::ga_hc_lib->met();
    return true;
  }
  GA_HC_ATOMIC_METHOD void wait(const char *file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) const
  {
    while (!try_wait()) ::__ga_wait_at(file, line);
  }
  GA_HC_ATOMIC_METHOD void arrive_and_wait(ptrdiff_t n = 1, const char *file = __builtin_FILE(),
                                           unsigned line = __builtin_LINE())
  {
    count_down(n);
    wait(file, line);
  }
};

namespace std
{
template <ptrdiff_t most = 0x7fffffff>
using counting_semaphore = ::cuda::counting_semaphore<thread_scope_system, most>;
using binary_semaphore = ::cuda::counting_semaphore<thread_scope_system, 1>;
using latch = ::cuda::latch<thread_scope_system>;
} // namespace std
} // namespace cuda

#endif
