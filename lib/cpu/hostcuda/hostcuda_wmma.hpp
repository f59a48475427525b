// SPDX-License-Identifier: MIT
// mma.h for kernels compiled for the CPU: matrices that a warp holds between its lanes. Element e,
// counted by rows, is x[e / 32] of lane e % 32; programs may not rely on where it is. Sums are
// those of hostcuda_mma.hpp.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}

// What an element is kept in, and what it counts as in a product.
template <class T> struct ga_element {
  typedef T storage;
  static T value(T v) { return v; }
};
template <> struct ga_element<precision::tf32> {
  typedef float storage;
  static float value(float v) { return __uint_as_float(__float_as_uint(v) & ~0x1fffu); }
};
__device__ inline float __float_to_tf32(float v) { return (float)ga_ptx_tf32(v); }

template <class Use, int m, int n, int k> struct ga_shape {
  enum { rows = m, cols = n };
};
template <int m, int n, int k> struct ga_shape<matrix_a, m, n, k> {
  enum { rows = m, cols = k };
};
template <int m, int n, int k> struct ga_shape<matrix_b, m, n, k> {
  enum { rows = k, cols = n };
};

template <class Use, int m, int n, int k, class T, class Layout = void> class fragment
{
public:
  typedef T element_type;
  typedef typename ga_element<T>::storage storage_element_type;
  enum {
    ga_rows = ga_shape<Use, m, n, k>::rows,
    ga_cols = ga_shape<Use, m, n, k>::cols,
    num_elements = ga_rows * ga_cols / 32,
    num_storage_elements = num_elements
  };
  storage_element_type x[num_elements];
};

template <class F> __device__ inline size_t ga_offset(int i, unsigned ldm, bool by_rows)
{
  const unsigned e = (unsigned)i * 32 + ga_hc_lane(), row = e / F::ga_cols, col = e % F::ga_cols;
  return by_rows ? (size_t)row * ldm + col : (size_t)col * ldm + row;
}
template <class F, class T>
__device__ inline void ga_load(F &f, const T *p, unsigned ldm, bool by_rows)
{
  __syncwarp();
  for (int i = 0; i < F::num_elements; i++) f.x[i] = p[ga_offset<F>(i, ldm, by_rows)];
  __syncwarp();
}
template <class Use, int m, int n, int k, class T, class P>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, row_major> &f, const P *p,
                                        unsigned ldm)
{
  ga_load(f, p, ldm, true);
}
template <class Use, int m, int n, int k, class T, class P>
__device__ inline void load_matrix_sync(fragment<Use, m, n, k, T, col_major> &f, const P *p,
                                        unsigned ldm)
{
  ga_load(f, p, ldm, false);
}
template <int m, int n, int k, class T>
__device__ inline void load_matrix_sync(fragment<accumulator, m, n, k, T> &f, const T *p,
                                        unsigned ldm, layout_t layout)
{
  ga_load(f, p, ldm, layout == mem_row_major);
}
template <int m, int n, int k, class T>
__device__ inline void store_matrix_sync(T *p, const fragment<accumulator, m, n, k, T> &f,
                                         unsigned ldm, layout_t layout)
{
  typedef fragment<accumulator, m, n, k, T> F;
  __syncwarp();
  for (int i = 0; i < F::num_elements; i++)
    p[ga_offset<F>(i, ldm, layout == mem_row_major)] = f.x[i];
  __syncwarp();
}

template <class Use, int m, int n, int k, class T, class Layout, class V>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &v)
{
  for (int i = 0; i < f.num_elements; i++) f.x[i] = (typename ga_element<T>::storage)v;
}

template <class A, class B> struct ga_factors {
  const A *a;
  const B *b;
};

template <int m, int n, int k, class T, class LA, class LB, class D, class C>
__device__ GA_HC_UNCHECKED void mma_sync(fragment<accumulator, m, n, k, D> &d,
                                         const fragment<matrix_a, m, n, k, T, LA> &a,
                                         const fragment<matrix_b, m, n, k, T, LB> &b,
                                         const fragment<accumulator, m, n, k, C> &c,
                                         bool satf = false)
{
  typedef ga_mma_sum<typename ga_element<T>::storage> S;
  typedef ga_factors<fragment<matrix_a, m, n, k, T, LA>, fragment<matrix_b, m, n, k, T, LB>> both;
  both mine = {&a, &b};
  both *const *all = __ga_gather(&mine);
  fragment<accumulator, m, n, k, D> r;
  for (unsigned i = 0; i < r.num_elements; i++) {
    const unsigned e = i * 32 + ga_hc_lane(), row = e / n, col = e % n;
    typename S::type sum = (typename S::type)c.x[i];
    for (unsigned j = 0; j < k; j++) {
      const unsigned p = row * k + j, q = j * n + col;
      const auto x = ga_element<T>::value(all[p % 32]->a->x[p / 32]);
      const auto y = ga_element<T>::value(all[q % 32]->b->x[q / 32]);
      sum = S::add(sum, x, (typename S::type)y);
    }
    r.x[i] = sizeof(a.x[0]) == 1 && satf ? (D)ga_mma_cut((long long)sum) : (D)sum;
  }
  __syncwarp();
  d = r;
}

} // namespace wmma
} // namespace nvcuda
