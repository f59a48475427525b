// SPDX-License-Identifier: MIT
// Cooperative groups as far as grids, thread blocks and tiled partitions of them, with
// reductions over a tile: for kernels compiled for the CPU. The words of barriers
// and warps in here are rewritten like those of the text that includes it.
#pragma once

namespace cooperative_groups
{

class thread_block
{
public:
  static void sync() { __syncthreads(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank()
  {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

// All threads of the launch. Blocks that wait for those not begun make them begin.
class grid_group
{
public:
  typedef unsigned long long arrival_token;
  static bool is_valid() { return true; }
  static arrival_token barrier_arrive()
  {
    __syncthreads();
    return thread_block::thread_rank() == 0 ? ::ga_hc_lib->grid(0) : 0;
  }
  static void barrier_wait(arrival_token &&ticket, const char *file = __builtin_FILE(),
                           unsigned line = __builtin_LINE())
  {
    while (ticket != 0 && ::ga_hc_lib->grid(ticket) == 0) ::__ga_wait_at(file, line);
    __syncthreads();
  }
  static void sync(const char *file = __builtin_FILE(), unsigned line = __builtin_LINE())
  {
    barrier_wait(barrier_arrive(), file, line);
  }
  static unsigned long long num_blocks()
  {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank()
  {
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank()
  {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 block_index() { return dim3(blockIdx); }
};

__device__ inline grid_group this_grid() { return grid_group(); }

// Lanes of one warp: `mask` are they, `first` the lowest of a tile, `outer` the
// threads of the tile that it is a part of, 0 for one of the block.
class ga_hc_lanes
{
protected:
  unsigned mask, first, n, outer;

public:
  ga_hc_lanes(unsigned mask, unsigned first, unsigned n, unsigned outer = 0)
      : mask(mask), first(first), n(n), outer(outer)
  {
  }
  unsigned size() const { return n; }
  unsigned num_threads() const { return n; }
  unsigned ga_hc_mask() const { return mask; }
  unsigned thread_rank() const { return ga_hc_lane() - first; }
  unsigned meta_group_rank() const
  {
    return (outer != 0 ? ga_hc_lane() % outer : thread_block::thread_rank()) / n;
  }
  unsigned meta_group_size() const
  {
    return ((outer != 0 ? outer : thread_block::size()) + n - 1) / n;
  }
  void sync() const { __syncwarp(mask); }
  template <class T> T shfl(T v, int src) const { return __shfl_sync(mask, v, src, (int)n); }
  template <class T> T shfl_up(T v, unsigned d) const { return __shfl_up_sync(mask, v, d, (int)n); }
  template <class T> T shfl_down(T v, unsigned d) const
  {
    return __shfl_down_sync(mask, v, d, (int)n);
  }
  template <class T> T shfl_xor(T v, unsigned bits) const
  {
    return __shfl_xor_sync(mask, v, (int)bits, (int)n);
  }
  int any(int p) const { return __any_sync(mask, p); }
  int all(int p) const { return __all_sync(mask, p); }
  unsigned ballot(int p) const { return __ballot_sync(mask, p) >> first; }
  template <class T> unsigned match_any(T v) const { return __match_any_sync(mask, v) >> first; }
  template <class T> unsigned match_all(T v, int &all) const
  {
    return __match_all_sync(mask, v, &all) >> first;
  }
};

template <unsigned N, class Parent = void> class thread_block_tile : public ga_hc_lanes
{
  static_assert(N != 0 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");

public:
  explicit thread_block_tile(unsigned outer)
      : ga_hc_lanes((N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << (ga_hc_lane() & ~(N - 1)),
                    ga_hc_lane() & ~(N - 1), N, outer)
  {
  }
  template <class P> thread_block_tile(const thread_block_tile<N, P> &t) : ga_hc_lanes(t) {}
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
};

inline unsigned ga_hc_outer(const thread_block &) { return 0; }
template <unsigned N, class P> unsigned ga_hc_outer(const thread_block_tile<N, P> &) { return N; }

template <unsigned N, class Parent> thread_block_tile<N, Parent> tiled_partition(const Parent &p)
{
  return thread_block_tile<N, Parent>(ga_hc_outer(p));
}

// The lanes that come here together. Ranks count them, so the lane of a rank is
// looked up, and the bits of a vote are moved together.
class coalesced_group : public ga_hc_lanes
{
  int ga_hc_lane_of(unsigned rank) const
  {
    unsigned m = mask;
    for (; rank > 0; rank--) m &= m - 1;
    return __ffs((int)m) - 1;
  }
  unsigned ga_hc_pack(unsigned lanes) const
  {
    unsigned bits = 0;
    for (unsigned i = 0, m = mask; m != 0; m &= m - 1, i++)
      bits |= (lanes >> (__ffs((int)m) - 1) & 1) << i;
    return bits;
  }

public:
  explicit coalesced_group(unsigned mask) : ga_hc_lanes(mask, 0, (unsigned)__popc(mask)) {}
  unsigned thread_rank() const { return (unsigned)__popc(mask & ((1u << ga_hc_lane()) - 1)); }
  static unsigned meta_group_rank() { return 0; }
  static unsigned meta_group_size() { return 1; }
  template <class T> T shfl(T v, int src) const
  {
    return __shfl_sync(mask, v, ga_hc_lane_of((unsigned)src));
  }
  template <class T> T shfl_up(T v, unsigned d) const
  {
    unsigned rank = thread_rank();
    return shfl(v, (int)(rank < d ? rank : rank - d));
  }
  template <class T> T shfl_down(T v, unsigned d) const
  {
    unsigned rank = thread_rank();
    return shfl(v, (int)(d >= n - rank ? rank : rank + d));
  }
  template <class T> T shfl_xor(T v, unsigned bits) const = delete;
  unsigned ballot(int p) const { return ga_hc_pack(__ballot_sync(mask, p)); }
  template <class T> unsigned match_any(T v) const { return ga_hc_pack(__match_any_sync(mask, v)); }
  template <class T> unsigned match_all(T v, int &all) const
  {
    return ga_hc_pack(__match_all_sync(mask, v, &all));
  }
};

#define coalesced_threads() coalesced_group(__activemask())

// Any of these, where its kind is not a matter of types: a block, with the mask 0,
// or lanes.
class thread_group
{
  unsigned mask, n;

public:
  thread_group(const thread_block &) : mask(0), n(thread_block::size()) {}
  thread_group(const ga_hc_lanes &g) : mask(g.ga_hc_mask()), n(g.size()) {}
  unsigned size() const { return n; }
  unsigned num_threads() const { return n; }
  unsigned thread_rank() const
  {
    return mask != 0 ? (unsigned)__popc(mask & ((1u << ga_hc_lane()) - 1))
                     : thread_block::thread_rank();
  }
  void sync() const
  {
    if (mask != 0)
      __syncwarp(mask);
    else
      __syncthreads();
  }
};

template <class Parent> thread_group tiled_partition(const Parent &, unsigned n)
{
  unsigned first = ga_hc_lane() & ~(n - 1);
  return ga_hc_lanes((n >= 32 ? 0xffffffffu : (1u << n) - 1) << first, first, n);
}

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
T reduce(const thread_block_tile<N, P> &g, T v, Op op)
{
  for (unsigned bits = N / 2; bits > 0; bits /= 2) v = op(v, g.shfl_xor(v, bits));
  return v;
}

template <class T, class Op> T reduce(const coalesced_group &g, T v, Op op)
{
  T all = g.shfl(v, 0);
  for (unsigned i = 1; i < g.size(); i++) all = op(all, g.shfl(v, (int)i));
  return all;
}

template <class Group> void sync(const Group &g) { g.sync(); }

// ---- lanes that agree ----------------------------------------------------------------

#define labeled_partition(g, label) coalesced_group(__match_any_sync((g).ga_hc_mask(), label))
#define binary_partition(g, pred)   labeled_partition(g, (int)((pred) ? 1 : 0))

template <class Group, class F, class... A> void invoke_one(const Group &g, F f, A... a)
{
  if (g.thread_rank() == 0) f(a...);
}

// ---- scans: the lanes' values folded from the left, with and without the lane's own -----

template <class Group, class T, class Op> T inclusive_scan(const Group &g, T v, Op op)
{
  T all = v;
  for (unsigned i = 0; i < g.size(); i++) {
    T other = g.shfl(v, (int)i);
    if (i <= g.thread_rank()) all = i == 0 ? other : op(all, other);
  }
  return all;
}
template <class Group, class T> T inclusive_scan(const Group &g, T v)
{
  return inclusive_scan(g, v, plus<T>());
}
// Of the first lane it is T().
template <class Group, class T, class Op> T exclusive_scan(const Group &g, T v, Op op)
{
  T all = inclusive_scan(g, v, op), before = g.shfl_up(all, 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> T exclusive_scan(const Group &g, T v)
{
  return exclusive_scan(g, v, plus<T>());
}

// ---- copies, done at once by the group's first thread ------------------------------------

template <class Group, class T, class N>
void memcpy_async(const Group &g, T *to, const T *from, const N &n)
{
  if (g.thread_rank() == 0) memcpy((void *)to, (const void *)from, (size_t)n);
}
template <class Group> void wait(const Group &g) { g.sync(); }
template <unsigned N, class Group> void wait_prior(const Group &g) { g.sync(); }

} // namespace cooperative_groups
