// SPDX-License-Identifier: MIT
// <cuda/std/bit> for kernels compiled for the CPU, of any standard.
#ifndef GA_HC_CUDA_BIT
#define GA_HC_CUDA_BIT
#include <cuda/std/utility>

namespace cuda
{
namespace std
{

enum class endian {
  little = __ORDER_LITTLE_ENDIAN__,
  big = __ORDER_BIG_ENDIAN__,
  native = __BYTE_ORDER__
};

template <class To, class From> constexpr To bit_cast(const From &v) noexcept
{
  static_assert(sizeof(To) == sizeof(From), "types of one size");
  return __builtin_bit_cast(To, v);
}
template <class T> constexpr int popcount(T v) noexcept
{
  return __builtin_popcountll((unsigned long long)v);
}
template <class T> constexpr int countl_zero(T v) noexcept
{
  constexpr int bits = (int)(8 * sizeof(T));
  return v == 0 ? bits : __builtin_clzll((unsigned long long)v) - (64 - bits);
}
template <class T> constexpr int countr_zero(T v) noexcept
{
  return v == 0 ? (int)(8 * sizeof(T)) : __builtin_ctzll((unsigned long long)v);
}
template <class T> constexpr int countl_one(T v) noexcept { return countl_zero((T)~v); }
template <class T> constexpr int countr_one(T v) noexcept { return countr_zero((T)~v); }
template <class T> constexpr int bit_width(T v) noexcept
{
  return (int)(8 * sizeof(T)) - countl_zero(v);
}
template <class T> constexpr bool has_single_bit(T v) noexcept
{
  return v != 0 && (v & (T)(v - 1)) == 0;
}
template <class T> constexpr T bit_floor(T v) noexcept
{
  return v == 0 ? (T)0 : (T)((T)1 << (bit_width(v) - 1));
}
template <class T> constexpr T bit_ceil(T v) noexcept
{
  return v <= 1 ? (T)1 : (T)((T)1 << bit_width((T)(v - 1)));
}
template <class T> constexpr T rotl(T v, int n) noexcept
{
  constexpr int bits = (int)(8 * sizeof(T));
  n = (n % bits + bits) % bits;
  return n == 0 ? v : (T)((T)(v << n) | (T)(v >> (bits - n)));
}
template <class T> constexpr T rotr(T v, int n) noexcept { return rotl(v, -n); }

} // namespace std
} // namespace cuda

#endif
