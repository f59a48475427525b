// SPDX-License-Identifier: MIT
// <cuda/std/span> for kernels compiled for the CPU, of any standard.
#ifndef GA_HC_CUDA_SPAN
#define GA_HC_CUDA_SPAN
#include <cuda/std/utility>

namespace cuda
{
namespace std
{

inline constexpr size_t dynamic_extent = ~(size_t)0;

template <class T, size_t N = dynamic_extent> class span
{
  T *from;
  size_t n;

public:
  typedef T element_type;
  typedef T *iterator, *pointer;
  typedef T &reference;
  typedef size_t size_type;
  static constexpr size_t extent = N;
  constexpr span() : from(nullptr), n(0) {}
  constexpr span(T *p, size_t n) : from(p), n(n) {}
  constexpr span(T *p, T *end) : from(p), n((size_t)(end - p)) {}
  template <size_t M> constexpr span(T (&a)[M]) : from(a), n(M) {}
  template <class C, class = decltype(static_cast<T *>(((C *)nullptr)->data()))>
  constexpr span(C &c) : from(c.data()), n(c.size())
  {
  }
  template <class U, size_t M, class = decltype(static_cast<T *>((U *)nullptr))>
  constexpr span(const span<U, M> &s) : from(s.data()), n(s.size())
  {
  }
  constexpr T *data() const { return from; }
  constexpr size_t size() const { return n; }
  constexpr size_t size_bytes() const { return n * sizeof(T); }
  constexpr bool empty() const { return n == 0; }
  constexpr T &operator[](size_t i) const { return from[i]; }
  constexpr T &front() const { return from[0]; }
  constexpr T &back() const { return from[n - 1]; }
  constexpr T *begin() const { return from; }
  constexpr T *end() const { return from + n; }
  constexpr span<T> first(size_t k) const { return {from, k}; }
  constexpr span<T> last(size_t k) const { return {from + (n - k), k}; }
  constexpr span<T> subspan(size_t at, size_t k = dynamic_extent) const
  {
    return {from + at, k == dynamic_extent ? n - at : k};
  }
};
template <class T, size_t N> span(T (&)[N]) -> span<T, N>;
template <class T> span(T *, size_t) -> span<T>;

} // namespace std
} // namespace cuda

#endif
