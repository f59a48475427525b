// SPDX-License-Identifier: MIT
// CUDA's vector types, with its alignments, and what makes them: a row for each
// element type, with the alignment of two and of four.
#pragma once

#define GA_HC_VECTORS(X)                     \
  X(char, signed char, 2, 4)                 \
  X(uchar, unsigned char, 2, 4)              \
  X(short, short, 4, 8)                      \
  X(ushort, unsigned short, 4, 8)            \
  X(int, int, 8, 16)                         \
  X(uint, unsigned int, 8, 16)               \
  X(long, long, 16, 16)                      \
  X(ulong, unsigned long, 16, 16)            \
  X(longlong, long long, 16, 16)             \
  X(ulonglong, unsigned long long, 16, 16)   \
  X(float, float, 8, 16)                     \
  X(double, double, 16, 16)

#define GA_HC_VECTOR(name, T, two, four)                                           \
  struct name##1 {                                                                 \
    T x;                                                                           \
  };                                                                               \
  struct __attribute__((aligned(two))) name##2 {                                   \
    T x, y;                                                                        \
  };                                                                               \
  struct name##3 {                                                                 \
    T x, y, z;                                                                     \
  };                                                                               \
  struct __attribute__((aligned(four))) name##4 {                                  \
    T x, y, z, w;                                                                  \
  };                                                                               \
  GA_HC_FN name##1 make_##name##1(T x) { return name##1{x}; }                      \
  GA_HC_FN name##2 make_##name##2(T x, T y) { return name##2{x, y}; }              \
  GA_HC_FN name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }      \
  GA_HC_FN name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
GA_HC_VECTORS(GA_HC_VECTOR)
#undef GA_HC_VECTOR

// Four of 8 bytes with their alignment named, as CUDA 13 has them.
#define GA_HC_ALIGNED(name, T, n)                                                  \
  struct __attribute__((aligned(n))) name##4_##n##a {                              \
    T x, y, z, w;                                                                  \
  };                                                                               \
  GA_HC_FN name##4_##n##a make_##name##4_##n##a(T x, T y, T z, T w) {              \
    return name##4_##n##a{x, y, z, w};                                             \
  }
#define GA_HC_ALIGNED2(name, T) GA_HC_ALIGNED(name, T, 16) GA_HC_ALIGNED(name, T, 32)
GA_HC_ALIGNED2(long, long)
GA_HC_ALIGNED2(ulong, unsigned long)
GA_HC_ALIGNED2(longlong, long long)
GA_HC_ALIGNED2(ulonglong, unsigned long long)
GA_HC_ALIGNED2(double, double)
#undef GA_HC_ALIGNED
#undef GA_HC_ALIGNED2

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
