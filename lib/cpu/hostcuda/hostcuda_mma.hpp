// SPDX-License-Identifier: MIT
// Products of small matrices that a warp holds between its lanes, as PTX's mma and ldmatrix have
// them. Lane 4g + t has of A (M x K) the rows g and g + 8, of B (K x 8) the column g, of the sums
// the columns 2t and 2t + 1 of A's rows. Along k a register holds as many elements as fit into 32
// bits, and a group's four lanes follow each other:
//
//   A of float16, m16n8k16, lane 4g + t    register 0: (g, 2t) (g, 2t+1)      1: (g+8, 2t) ...
//                                          register 2: (g, 2t+8) (g, 2t+9)    3: (g+8, 2t+8) ...
//
// A sum of floats is made in float64 and rounded once. GPUs have no order of their own that is
// documented, and may cut where this rounds.
#pragma once

template <class T> GA_HC_FN T ga_mma_part(const ga_ptx_reg &r, unsigned i)
{
  T v;
  __builtin_memcpy((void *)&v, (const char *)&r + i * sizeof v, sizeof v);
  return v;
}

// What products of A's and B's elements are added up in.
template <class A> struct ga_mma_sum {
  typedef double type;
  static double add(double sum, A a, double b) { return __builtin_fma((double)(float)a, b, sum); }
};
template <> struct ga_mma_sum<double> {
  typedef double type;
  static double add(double sum, double a, double b) { return __builtin_fma(a, b, sum); }
};
template <> struct ga_mma_sum<signed char> {
  typedef long long type;
  static long long add(long long sum, int a, long long b) { return sum + a * b; }
};
template <> struct ga_mma_sum<unsigned char> : ga_mma_sum<signed char> {
};
GA_HC_FN int ga_mma_cut(long long v)
{
  return v > 0x7fffffff ? 0x7fffffff : v < -0x7fffffffll - 1 ? -0x7fffffff - 1 : (int)v;
}

struct ga_mma_share {
  const ga_ptx_reg *a, *b;
};

// d = a b + c, of M / 4 sums a lane; with `sat` integers end at their bounds.
template <class D, class A, class B, class C, unsigned M, unsigned K>
GA_HC_UNCHECKED void ga_ptx_mma(const ga_hc_at &at, const ga_ptx_reg *a, const ga_ptx_reg *b,
                                const ga_ptx_reg *c, ga_ptx_reg *d, bool sat)
{
  typedef ga_mma_sum<A> S;
  constexpr unsigned per = sizeof(A) < 4 ? 4 / sizeof(A) : 1, cs = sizeof(C) < 4 ? 2 : 1,
                     ds = sizeof(D) < 4 ? 2 : 1;
  const unsigned g = ga_hc_lane() / 4, t = ga_hc_lane() % 4;
  ga_mma_share mine = {a, b};
  ga_mma_share *const *all = at.__ga_gather(&mine);
  for (unsigned i = 0; i < M / 4; i++) {
    typename S::type sum = ga_mma_part<C>(c[i / cs], i % cs);
    for (unsigned k = 0; k < K; k++) {
      const unsigned block = k / (4 * per), lane = k / per % 4, j = k % per;
      const A x = ga_mma_part<A>(all[4 * g + lane]->a[block * (M / 8) + i / 2], j);
      const B y = ga_mma_part<B>(all[4 * (2 * t + i % 2) + lane]->b[block], j);
      sum = S::add(sum, x, (typename S::type)y);
    }
    const D r = sizeof(A) == 1 && sat ? (D)ga_mma_cut((long long)sum) : (D)sum;
    if (i % ds == 0) d[i / ds] = 0;
    d[i / ds] |= ga_ptx_bits(r) << (i % ds * 16);
  }
  at.__syncwarp();
}

// n matrices of 8 rows of 8 halves: lane i gives the address of row i % 8 of matrix i / 8, and has
// of each two neighbours of row lane / 4, of the transposed one with `trans`.
GA_HC_UNCHECKED inline void ga_ptx_matrices(const ga_hc_at &at, ga_ptx_reg row, unsigned n,
                                            bool trans, bool store, ga_ptx_reg *r)
{
  const unsigned g = ga_hc_lane() / 4, t = ga_hc_lane() % 4;
  if (store) at.__syncwarp();
  unsigned short *const *rows = at.__ga_gather((unsigned short *)row);
  for (unsigned i = 0; i < n; i++) {
    unsigned short *low = trans ? &rows[8 * i + 2 * t][g] : &rows[8 * i + g][2 * t];
    unsigned short *high = trans ? &rows[8 * i + 2 * t + 1][g] : low + 1;
    if (store) {
      *low = (unsigned short)r[i];
      *high = (unsigned short)(r[i] >> 16);
    } else {
      r[i] = *low | (unsigned)*high << 16;
    }
  }
  at.__syncwarp();
}
