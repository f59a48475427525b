// SPDX-License-Identifier: MIT
// CUB's primitives of a block that reduce, scan, load and store, for kernels compiled for
// the CPU. As in CUB a barrier is needed before storage is used again.
#ifndef GA_HC_CUB_BLOCK
#define GA_HC_CUB_BLOCK
#include <cub/util_type.cuh>

namespace cub
{

// A block of X * Y * Z threads; Storage is shared by them.
template <class Storage, int X, int Y, int Z> class ga_hc_cub_block
{
  static Storage &own()
  {
    static __shared__ Storage s;
    return s;
  }

protected:
  enum { THREADS = X * Y * Z };
  Storage &cells;
  int tid;
  ga_hc_cub_block() : cells(own()), tid(RowMajorTid()) {}
  explicit ga_hc_cub_block(Storage &t) : cells(t), tid(RowMajorTid()) {}
};

// ---- reduction ----------------------------------------------------------------------

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockReduce : ga_hc_cub_block<ga_hc_cells<T, X * Y * Z>, X, Y, Z>
{
  typedef ga_hc_cub_block<ga_hc_cells<T, X * Y * Z>, X, Y, Z> block;

public:
  typedef ga_hc_cells<T, X * Y * Z> TempStorage;
  BlockReduce() {}
  BlockReduce(TempStorage &t) : block(t) {}
  template <class Op> T Reduce(T v, Op op, int valid)
  {
    this->cells[this->tid] = v;
    __syncthreads();
    if (this->tid != 0 || valid < 1) return v;
    for (int w = 0; w < valid; w += 32) {
      ga_hc_tree(this->cells, w, valid - w < 32 ? valid - w : 32, op);
      if (w > 0) this->cells[0] = op(this->cells[0], this->cells[w]);
    }
    return this->cells[0];
  }
  template <class Op> T Reduce(T v, Op op) { return Reduce(v, op, block::THREADS); }
  template <int N, class Op> T Reduce(T (&v)[N], Op op) { return Reduce(ga_hc_fold(v, op), op); }
  T Sum(T v) { return Reduce(v, cub::Sum()); }
  T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  template <int N> T Sum(T (&v)[N]) { return Reduce(v, cub::Sum()); }
};

// ---- scans ------------------------------------------------------------------------------

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockScan : ga_hc_cub_block<ga_hc_cells<T, X * Y * Z>, X, Y, Z>
{
  typedef ga_hc_cub_block<ga_hc_cells<T, X * Y * Z>, X, Y, Z> block;

  // Cell i: all of the threads up to i. The last is the block's.
  template <class Op> T scan(const T &v, Op &op)
  {
    this->cells[this->tid] = v;
    __syncthreads();
    if (this->tid == 0)
      for (int i = 1; i < block::THREADS; i++)
        this->cells[i] = op(this->cells[i - 1], this->cells[i]);
    __syncthreads();
    return this->cells[block::THREADS - 1];
  }
  // What the callback makes of the block's, for all threads: the first warp calls it.
  template <class F> T prefix(const T &all, F &f)
  {
    T p = all;
    if (this->tid < 32) p = f(all);
    T mine = this->cells[this->tid > 0 ? this->tid - 1 : 0];
    __syncthreads();
    if (this->tid == 0) this->cells[0] = p;
    __syncthreads();
    p = this->cells[0];
    __syncthreads();
    this->cells[this->tid] = mine;
    return p;
  }
  // What comes before this thread's own, `first` and then the threads before.
  template <class Op> T before(const T &first, Op &op)
  {
    return this->tid == 0 ? first : (T)op(first, this->cells[this->tid - 1]);
  }
  template <int N, class Op>
  static void spread(T (&v)[N], T (&out)[N], T first, bool inclusive, Op &op)
  {
    for (int i = 0; i < N; i++) {
      T next = op(first, v[i]);
      out[i] = inclusive ? next : first;
      first = next;
    }
  }

public:
  typedef ga_hc_cells<T, X * Y * Z> TempStorage;
  BlockScan() {}
  BlockScan(TempStorage &t) : block(t) {}

  template <int N, class Op> void ExclusiveScan(T (&v)[N], T (&out)[N], T first, Op op, T &all)
  {
    all = scan(ga_hc_fold(v, op), op);
    spread(v, out, before(first, op), false, op);
  }
  template <int N, class Op> void ExclusiveScan(T (&v)[N], T (&out)[N], T first, Op op)
  {
    T all;
    ExclusiveScan(v, out, first, op, all);
  }
  // Without a first value the first thread's first is not set.
  template <int N, class Op> void ExclusiveScan(T (&v)[N], T (&out)[N], Op op, T &all)
  {
    all = scan(ga_hc_fold(v, op), op);
    T next = this->tid > 0 ? this->cells[this->tid - 1] : v[0];
    for (int i = 0; i < N; i++) {
      const T own = v[i], sum = this->tid == 0 && i == 0 ? own : (T)op(next, own);
      out[i] = next;
      next = sum;
    }
  }
  template <int N, class Op> void ExclusiveScan(T (&v)[N], T (&out)[N], Op op)
  {
    T all;
    ExclusiveScan(v, out, op, all);
  }
  template <int N, class Op, class F> void ExclusiveScan(T (&v)[N], T (&out)[N], Op op, F &callback)
  {
    T all = scan(ga_hc_fold(v, op), op), p = prefix(all, callback);
    spread(v, out, this->tid == 0 ? p : (T)op(p, this->cells[this->tid]), false, op);
  }
  template <int N, class Op> void InclusiveScan(T (&v)[N], T (&out)[N], Op op, T &all)
  {
    all = scan(ga_hc_fold(v, op), op);
    T first = v[0];
    if (this->tid > 0) first = op(this->cells[this->tid - 1], v[0]);
    out[0] = first;
    for (int i = 1; i < N; i++) out[i] = first = op(first, v[i]);
  }
  template <int N, class Op> void InclusiveScan(T (&v)[N], T (&out)[N], Op op)
  {
    T all;
    InclusiveScan(v, out, op, all);
  }
  template <int N, class Op, class F> void InclusiveScan(T (&v)[N], T (&out)[N], Op op, F &callback)
  {
    T all = scan(ga_hc_fold(v, op), op), p = prefix(all, callback);
    spread(v, out, this->tid == 0 ? p : (T)op(p, this->cells[this->tid]), true, op);
  }

  // The same for one value each.
  template <class Op> void ExclusiveScan(T v, T &out, T first, Op op, T &all)
  {
    all = scan(v, op);
    out = before(first, op);
  }
  template <class Op> void ExclusiveScan(T v, T &out, T first, Op op)
  {
    T all;
    ExclusiveScan(v, out, first, op, all);
  }
  template <class Op> void ExclusiveScan(T v, T &out, Op op, T &all)
  {
    all = scan(v, op);
    if (this->tid > 0) out = this->cells[this->tid - 1];
  }
  template <class Op> void ExclusiveScan(T v, T &out, Op op)
  {
    T all;
    ExclusiveScan(v, out, op, all);
  }
  template <class Op, class F> void ExclusiveScan(T v, T &out, Op op, F &callback)
  {
    T one[1] = {v}, to[1];
    ExclusiveScan(one, to, op, callback);
    out = to[0];
  }
  template <class Op> void InclusiveScan(T v, T &out, Op op, T &all)
  {
    all = scan(v, op);
    out = this->cells[this->tid];
  }
  template <class Op> void InclusiveScan(T v, T &out, Op op)
  {
    T all;
    InclusiveScan(v, out, op, all);
  }
  template <class Op, class F> void InclusiveScan(T v, T &out, Op op, F &callback)
  {
    T one[1] = {v}, to[1];
    InclusiveScan(one, to, op, callback);
    out = to[0];
  }

  void ExclusiveSum(T v, T &out) { ExclusiveScan(v, out, T(), cub::Sum()); }
  void ExclusiveSum(T v, T &out, T &all) { ExclusiveScan(v, out, T(), cub::Sum(), all); }
  template <class F> void ExclusiveSum(T v, T &out, F &callback)
  {
    ExclusiveScan(v, out, cub::Sum(), callback);
  }
  template <int N> void ExclusiveSum(T (&v)[N], T (&out)[N])
  {
    ExclusiveScan(v, out, T(), cub::Sum());
  }
  template <int N> void ExclusiveSum(T (&v)[N], T (&out)[N], T &all)
  {
    ExclusiveScan(v, out, T(), cub::Sum(), all);
  }
  template <int N, class F> void ExclusiveSum(T (&v)[N], T (&out)[N], F &callback)
  {
    ExclusiveScan(v, out, cub::Sum(), callback);
  }
  void InclusiveSum(T v, T &out) { InclusiveScan(v, out, cub::Sum()); }
  void InclusiveSum(T v, T &out, T &all) { InclusiveScan(v, out, cub::Sum(), all); }
  template <class F> void InclusiveSum(T v, T &out, F &callback)
  {
    InclusiveScan(v, out, cub::Sum(), callback);
  }
  template <int N> void InclusiveSum(T (&v)[N], T (&out)[N]) { InclusiveScan(v, out, cub::Sum()); }
  template <int N> void InclusiveSum(T (&v)[N], T (&out)[N], T &all)
  {
    InclusiveScan(v, out, cub::Sum(), all);
  }
  template <int N, class F> void InclusiveSum(T (&v)[N], T (&out)[N], F &callback)
  {
    InclusiveScan(v, out, cub::Sum(), callback);
  }
};

// ---- loads and stores ---------------------------------------------------------------------

template <class T, int N, class It> void LoadDirectBlocked(int tid, It it, T (&v)[N])
{
  for (int i = 0; i < N; i++) v[i] = it[tid * N + i];
}
template <class T, int N, class It> void LoadDirectBlocked(int tid, It it, T (&v)[N], int valid)
{
  for (int i = 0; i < N; i++)
    if (tid * N + i < valid) v[i] = it[tid * N + i];
}
template <class T, class D, int N, class It>
void LoadDirectBlocked(int tid, It it, T (&v)[N], int valid, D other)
{
  for (int i = 0; i < N; i++) v[i] = tid * N + i < valid ? (T)it[tid * N + i] : (T)other;
}
template <int THREADS, class T, int N, class It> void LoadDirectStriped(int tid, It it, T (&v)[N])
{
  for (int i = 0; i < N; i++) v[i] = it[tid + i * THREADS];
}
template <int THREADS, class T, int N, class It>
void LoadDirectStriped(int tid, It it, T (&v)[N], int valid)
{
  for (int i = 0; i < N; i++)
    if (tid + i * THREADS < valid) v[i] = it[tid + i * THREADS];
}
template <int THREADS, class T, class D, int N, class It>
void LoadDirectStriped(int tid, It it, T (&v)[N], int valid, D other)
{
  for (int i = 0; i < N; i++)
    v[i] = tid + i * THREADS < valid ? (T)it[tid + i * THREADS] : (T)other;
}
template <class T, int N, class It> void StoreDirectBlocked(int tid, It it, T (&v)[N])
{
  for (int i = 0; i < N; i++) it[tid * N + i] = v[i];
}
template <class T, int N, class It> void StoreDirectBlocked(int tid, It it, T (&v)[N], int valid)
{
  for (int i = 0; i < N; i++)
    if (tid * N + i < valid) it[tid * N + i] = v[i];
}
template <int THREADS, class T, int N, class It> void StoreDirectStriped(int tid, It it, T (&v)[N])
{
  for (int i = 0; i < N; i++) it[tid + i * THREADS] = v[i];
}
template <int THREADS, class T, int N, class It>
void StoreDirectStriped(int tid, It it, T (&v)[N], int valid)
{
  for (int i = 0; i < N; i++)
    if (tid + i * THREADS < valid) it[tid + i * THREADS] = v[i];
}

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
template <class T, int X, int N, BlockLoadAlgorithm how = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int Arch = 0>
struct BlockLoad {
  struct TempStorage {
  };
  BlockLoad() {}
  BlockLoad(TempStorage &) {}
  // Those that transpose meet behind their loads, so what follows may write there.
  template <class It, class... A> void Load(It it, T (&v)[N], A... valid)
  {
    if (how == BLOCK_LOAD_STRIPED)
      LoadDirectStriped<X * Y * Z>(RowMajorTid(), it, v, valid...);
    else
      LoadDirectBlocked(RowMajorTid(), it, v, valid...);
    if (how >= BLOCK_LOAD_TRANSPOSE) __syncthreads();
  }
};

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
template <class T, int X, int N, BlockStoreAlgorithm how = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int Arch = 0>
struct BlockStore {
  struct TempStorage {
  };
  BlockStore() {}
  BlockStore(TempStorage &) {}
  // Those that transpose meet ahead of their stores.
  template <class It, class... A> void Store(It it, T (&v)[N], A... valid)
  {
    if (how >= BLOCK_STORE_TRANSPOSE) __syncthreads();
    if (how == BLOCK_STORE_STRIPED)
      StoreDirectStriped<X * Y * Z>(RowMajorTid(), it, v, valid...);
    else
      StoreDirectBlocked(RowMajorTid(), it, v, valid...);
  }
};

} // namespace cub

#endif
