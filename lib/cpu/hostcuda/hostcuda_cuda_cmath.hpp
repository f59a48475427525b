// SPDX-License-Identifier: MIT
// <cuda/cmath> and <cuda/functional> for kernels compiled for the CPU.
#ifndef GA_HC_CUDA_CMATH
#define GA_HC_CUDA_CMATH
#include <cuda/std/bit>

namespace cuda
{

template <class A, class B> constexpr auto ceil_div(A a, B b) noexcept
{
  return a / b + (a % b != 0 ? 1 : 0);
}
template <class A, class B> constexpr auto round_up(A a, B b) noexcept
{
  return ceil_div(a, b) * b;
}
template <class A, class B> constexpr auto round_down(A a, B b) noexcept { return a / b * b; }
template <class T> constexpr bool is_power_of_two(T v) noexcept
{
  return v > 0 && (v & (T)(v - 1)) == 0;
}
template <class T> constexpr T next_power_of_two(T v) noexcept { return std::bit_ceil(v); }
template <class T> constexpr T prev_power_of_two(T v) noexcept { return std::bit_floor(v); }
template <class T> constexpr int ilog2(T v) noexcept
{
  return 63 - __builtin_clzll((unsigned long long)v);
}
template <class T> constexpr int ilog10(T v) noexcept
{
  int n = 0;
  for (; v >= 10; v /= 10) n++;
  return n;
}
// Without a type, of whatever they are called with.
template <class T = void> struct maximum {
  constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <> struct maximum<void> {
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const
  {
    return a < b ? b : a;
  }
};
template <class T = void> struct minimum {
  constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <> struct minimum<void> {
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const
  {
    return b < a ? b : a;
  }
};
template <class R, class F> constexpr F proclaim_return_type(F f) { return f; }
template <class F> constexpr F proclaim_copyable_arguments(F f) { return f; }

} // namespace cuda

#endif
