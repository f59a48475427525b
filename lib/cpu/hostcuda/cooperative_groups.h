// SPDX-License-Identifier: MIT
// Cooperative groups as far as thread blocks and tiled partitions of them, with
// reductions over a tile: for kernels compiled for the CPU. The words of barriers
// and warps in here are rewritten like those of the text that includes it.
#pragma once

namespace cooperative_groups {

class thread_block {
public:
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

// Lanes of one warp: `mask` are they, `first` the lowest of a tile.
class ga_hc_lanes {
protected:
  unsigned mask, first, n;

public:
  ga_hc_lanes(unsigned mask, unsigned first, unsigned n) : mask(mask), first(first), n(n) {}
  unsigned size() const { return n; }
  unsigned num_threads() const { return n; }
  unsigned thread_rank() const { return ga_hc_lane() - first; }
  unsigned meta_group_rank() const { return thread_block::thread_rank() / n; }
  unsigned meta_group_size() const { return (thread_block::size() + n - 1) / n; }
  void sync() const { __syncwarp(mask); }
  template <class T> T shfl(T v, int src) const { return __shfl_sync(mask, v, src, (int)n); }
  template <class T> T shfl_up(T v, unsigned d) const {
    return __shfl_up_sync(mask, v, d, (int)n);
  }
  template <class T> T shfl_down(T v, unsigned d) const {
    return __shfl_down_sync(mask, v, d, (int)n);
  }
  template <class T> T shfl_xor(T v, unsigned bits) const {
    return __shfl_xor_sync(mask, v, (int)bits, (int)n);
  }
  int any(int p) const { return __any_sync(mask, p); }
  int all(int p) const { return __all_sync(mask, p); }
  unsigned ballot(int p) const { return __ballot_sync(mask, p) >> first; }
  template <class T> unsigned match_any(T v) const { return __match_any_sync(mask, v) >> first; }
  template <class T> unsigned match_all(T v, int &all) const {
    return __match_all_sync(mask, v, &all) >> first;
  }
};

template <unsigned N, class Parent = thread_block>
class thread_block_tile : public ga_hc_lanes {
  static_assert(N != 0 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");

public:
  thread_block_tile()
      : ga_hc_lanes((N == 32 ? 0xffffffffu : (1u << N % 32) - 1)
                        << (ga_hc_lane() & ~(N - 1)),
                    ga_hc_lane() & ~(N - 1), N) {}
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
};

template <unsigned N, class Parent> thread_block_tile<N, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<N, Parent>();
}

// The lanes that come here together.
class coalesced_group : public ga_hc_lanes {
public:
  explicit coalesced_group(unsigned mask)
      : ga_hc_lanes(mask, 0, (unsigned)__popc(mask)) {}
  unsigned thread_rank() const { return (unsigned)__popc(mask & ((1u << ga_hc_lane()) - 1)); }
  template <class T> T shfl(T v, int src) const {
    unsigned m = mask;
    for (; src > 0; src--) m &= m - 1;
    return __shfl_sync(mask, v, __ffs((int)m) - 1);
  }
};

#define coalesced_threads() coalesced_group(__activemask())

template <class T> struct plus {
  T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T> struct less {
  T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  T operator()(const T &a, const T &b) const { return a & b; }
};
template <class T> struct bit_or {
  T operator()(const T &a, const T &b) const { return a | b; }
};
template <class T> struct bit_xor {
  T operator()(const T &a, const T &b) const { return a ^ b; }
};

template <unsigned N, class P, class T, class Op>
T reduce(const thread_block_tile<N, P> &g, T v, Op op) {
  for (unsigned bits = N / 2; bits > 0; bits /= 2) v = op(v, g.shfl_xor(v, bits));
  return v;
}

template <class Group> void sync(const Group &g) { g.sync(); }

} // namespace cooperative_groups
