// SPDX-License-Identifier: MIT
// CUB's primitives of a warp, for kernels compiled for the CPU.
#ifndef GA_HC_CUB_WARP
#define GA_HC_CUB_WARP
#include <cub/util_type.cuh>

namespace cub
{

// Threads that work together: N lanes of a warp.
template <class T, int N> class ga_hc_cub_lanes
{
  static_assert(N >= 1 && N <= 32, "a logical warp has 1 to 32 threads");

public:
  struct TempStorage : ga_hc_cells<T, N> {
  };

protected:
  TempStorage &cells;
  int lane;
  unsigned mask;
  explicit ga_hc_cub_lanes(TempStorage &t) : cells(t)
  {
    const int in_warp = (int)LaneId(), first = in_warp / N * N;
    lane = in_warp - first;
    mask = (N == 32 ? 0xffffffffu : (1u << N % 32) - 1) << first;
  }
  // Leaves v; the lane that is to work is told so, and says done() when it has.
  bool leave(const T &v)
  {
    cells[lane] = v;
    __syncwarp(mask);
    return lane == 0;
  }
  void done() { __syncwarp(mask); }
};

template <class T, int N = 32, int Arch = 0> class WarpReduce : ga_hc_cub_lanes<T, N>
{
  typedef ga_hc_cub_lanes<T, N> lanes;
  // Of the segments that begin (heads) or end where a flag is set.
  template <class Op> T segments(T v, int flag, bool heads, Op op)
  {
    T r = v;
    const unsigned all = __ballot_sync(this->mask, flag) >> (LaneId() - (unsigned)this->lane);
    (void)this->leave(v);
    for (int i = this->lane; i < N - 1; i++) {
      if (heads ? all >> (i + 1) & 1 : all >> i & 1) break;
      r = op(r, this->cells[i + 1]);
    }
    this->done();
    return r;
  }

public:
  typedef typename lanes::TempStorage TempStorage;
  WarpReduce(TempStorage &t) : lanes(t) {}
  template <class Op> T Reduce(T v, Op op, int valid = N)
  {
    if (this->leave(v)) {
      ga_hc_tree(this->cells, 0, valid < N ? valid : N, op);
      v = this->cells[0];
    }
    this->done();
    return v;
  }
  T Sum(T v, int valid = N) { return Reduce(v, cub::Sum(), valid); }
  T Max(T v, int valid = N) { return Reduce(v, cub::Max(), valid); }
  T Min(T v, int valid = N) { return Reduce(v, cub::Min(), valid); }
  template <class F> T HeadSegmentedSum(T v, F flag)
  {
    return segments(v, flag ? 1 : 0, true, cub::Sum());
  }
  template <class F> T TailSegmentedSum(T v, F flag)
  {
    return segments(v, flag ? 1 : 0, false, cub::Sum());
  }
  template <class Op, class F> T HeadSegmentedReduce(T v, F flag, Op op)
  {
    return segments(v, flag ? 1 : 0, true, op);
  }
  template <class Op, class F> T TailSegmentedReduce(T v, F flag, Op op)
  {
    return segments(v, flag ? 1 : 0, false, op);
  }
};

template <class T, int N = 32, int Arch = 0> class WarpScan : ga_hc_cub_lanes<T, N>
{
  typedef ga_hc_cub_lanes<T, N> lanes;
  // The lanes before this one, and all: `inclusive` with this lane's own.
  template <class Op> void scan(const T &v, T &inclusive, T &exclusive, T &all, Op op)
  {
    if (this->leave(v))
      for (int i = 1; i < N; i++) this->cells[i] = op(this->cells[i - 1], this->cells[i]);
    this->done();
    inclusive = this->cells[this->lane];
    if (this->lane > 0) exclusive = this->cells[this->lane - 1];
    all = this->cells[N - 1];
    this->done();
  }

public:
  typedef typename lanes::TempStorage TempStorage;
  WarpScan(TempStorage &t) : lanes(t) {}
  template <class Op> void InclusiveScan(T v, T &out, Op op, T &all)
  {
    T e = v;
    scan(v, out, e, all, op);
  }
  template <class Op> void InclusiveScan(T v, T &out, Op op)
  {
    T all = v;
    InclusiveScan(v, out, op, all);
  }
  template <class Op> void ExclusiveScan(T v, T &out, T first, Op op, T &all)
  {
    T i = v, e = v;
    scan(v, i, e, all, op);
    out = this->lane == 0 ? first : (T)op(first, e);
  }
  template <class Op> void ExclusiveScan(T v, T &out, T first, Op op)
  {
    T all = v;
    ExclusiveScan(v, out, first, op, all);
  }
  template <class Op> void ExclusiveScan(T v, T &out, Op op, T &all)
  {
    T i = v;
    scan(v, i, out, all, op);
  }
  template <class Op> void ExclusiveScan(T v, T &out, Op op)
  {
    T all = v;
    ExclusiveScan(v, out, op, all);
  }
  template <class Op> void Scan(T v, T &inclusive, T &exclusive, Op op)
  {
    T all = v;
    scan(v, inclusive, exclusive, all, op);
  }
  template <class Op> void Scan(T v, T &inclusive, T &exclusive, T first, Op op)
  {
    T all = v, e = v;
    scan(v, inclusive, e, all, op);
    inclusive = op(first, inclusive);
    exclusive = this->lane == 0 ? first : (T)op(first, e);
  }
  void InclusiveSum(T v, T &out) { InclusiveScan(v, out, cub::Sum()); }
  void InclusiveSum(T v, T &out, T &all) { InclusiveScan(v, out, cub::Sum(), all); }
  void ExclusiveSum(T v, T &out) { ExclusiveScan(v, out, T(), cub::Sum()); }
  void ExclusiveSum(T v, T &out, T &all) { ExclusiveScan(v, out, T(), cub::Sum(), all); }
  T Broadcast(T v, unsigned from)
  {
    (void)this->leave(v);
    T r = this->cells[(int)from];
    this->done();
    return r;
  }
};

} // namespace cub

#endif
