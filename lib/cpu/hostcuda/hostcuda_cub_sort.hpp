// SPDX-License-Identifier: MIT
// CUB's primitives of a block that move values: sorts, exchanges, histograms and flags, for
// kernels compiled for the CPU. One thread sorts, with scratch from the heap.
#ifndef GA_HC_CUB_SORT
#define GA_HC_CUB_SORT
#include <cub/block/block_reduce.cuh>

namespace cub
{

// ---- sorting --------------------------------------------------------------------------

// A key's bits as an integer in the same order; zeros of both signs are equal.
template <class K> unsigned long long ga_hc_radix(const K &k)
{
  constexpr int bits = (int)(8 * sizeof(K));
  constexpr unsigned long long ones = ~0ull >> (64 - bits), top = 1ull << (bits - 1);
  unsigned long long u = 0;
  memcpy(&u, &k, sizeof k);
  if ((float)(K)0.5f == 0.5f) { /* a float */
    if (u == top) u = 0;
    return u & top ? u ^ ones : u | top;
  }
  return (K)-1 < (K)0 ? u ^ top : u;
}

// Sorts numbers 0 to n - 1 by less(i, j), keeping the order of equals; `at` and `to` have n.
template <class Less> int *ga_hc_merge_sort(int *at, int *to, int n, const Less &less)
{
  for (int i = 0; i < n; i++) at[i] = i;
  for (int d = 1; d < n; d *= 2) {
    for (int a = 0; a < n; a += 2 * d) {
      const int mid = a + d < n ? a + d : n, end = mid + d < n ? mid + d : n;
      for (int i = a, j = mid, k = a; k < end; k++)
        to[k] = j == end || (i < mid && !less(at[j], at[i])) ? at[i++] : at[j++];
    }
    int *t = at;
    at = to;
    to = t;
  }
  return at;
}

template <class K, int X, int N, class V, int Y, int Z> struct ga_hc_sort_storage {
  ga_hc_cells<K, X * Y * Z * N> keys;
  ga_hc_cells<V, X * Y * Z * N> values;
};

template <class K, int X, int N, class V, int Y, int Z>
class ga_hc_cub_sort : protected ga_hc_cub_block<ga_hc_sort_storage<K, X, N, V, Y, Z>, X, Y, Z>
{
  typedef ga_hc_cub_block<ga_hc_sort_storage<K, X, N, V, Y, Z>, X, Y, Z> block;
  enum { ALL = X * Y * Z * N };

  template <class T> static void order(ga_hc_cells<T, ALL> &c, const int *by, T *room)
  {
    for (int i = 0; i < ALL; i++) room[i] = c[by[i]];
    for (int i = 0; i < ALL; i++) c[i] = room[i];
  }
  static void order(ga_hc_cells<NullType, ALL> &, const int *, NullType *) {}

protected:
  ga_hc_cub_sort() {}
  explicit ga_hc_cub_sort(ga_hc_sort_storage<K, X, N, V, Y, Z> &t) : block(t) {}
  template <class Less> void sort(K (&k)[N], V *v, bool striped, int valid, const Less &less)
  {
    auto &keys = this->cells.keys;
    auto &values = this->cells.values;
    for (int i = 0; i < N; i++) {
      keys[this->tid * N + i] = k[i];
      if (v != nullptr) values[this->tid * N + i] = v[i];
    }
    __syncthreads();
    if (this->tid == 0) {
      const size_t wide = sizeof(K) > sizeof(V) ? sizeof(K) : sizeof(V);
      const size_t cells = (ALL * wide + 7) / 8 * 8;
      char *room = (char *)malloc(cells + ALL * 2 * sizeof(int));
      if (room == nullptr) ga_hc_fault(GA_HC_ENDED, "no memory to sort with", nullptr, 0);
      int *at = (int *)(void *)(room + cells);
      auto key_less = [&](int i, int j) { return less(keys[i], keys[j]); };
      const int *by = ga_hc_merge_sort(at, at + ALL, valid, key_less);
      for (int i = valid; i < ALL; i++) const_cast<int *>(by)[i] = i;
      order(keys, by, (K *)(void *)room);
      if (v != nullptr) order(values, by, (V *)(void *)room);
      free(room);
    }
    __syncthreads();
    for (int i = 0; i < N; i++) {
      const int from = striped ? this->tid + i * block::THREADS : this->tid * N + i;
      k[i] = keys[from];
      if (v != nullptr) v[i] = values[from];
    }
  }
};

template <class K, int X, int N, class V = NullType, int Bits = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int Config = 0, int Y = 1, int Z = 1,
          int Arch = 0>
class BlockRadixSort : ga_hc_cub_sort<K, X, N, V, Y, Z>
{
  typedef ga_hc_cub_sort<K, X, N, V, Y, Z> base;
  void radix(K (&k)[N], V *v, bool striped, bool down, int begin, int end)
  {
    const unsigned long long mask = end - begin >= 64 ? ~0ull : (1ull << (end - begin)) - 1;
    this->sort(k, v, striped, X * Y * Z * N, [=](const K &a, const K &b) {
      const auto i = ga_hc_radix(a) >> begin & mask, j = ga_hc_radix(b) >> begin & mask;
      return down ? j < i : i < j;
    });
  }
  enum { ALL_BITS = 8 * sizeof(K) };

public:
  typedef ga_hc_sort_storage<K, X, N, V, Y, Z> TempStorage;
  BlockRadixSort() {}
  BlockRadixSort(TempStorage &t) : base(t) {}
  void Sort(K (&k)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, nullptr, false, false, begin, end);
  }
  void Sort(K (&k)[N], V (&v)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, v, false, false, begin, end);
  }
  void SortDescending(K (&k)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, nullptr, false, true, begin, end);
  }
  void SortDescending(K (&k)[N], V (&v)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, v, false, true, begin, end);
  }
  void SortBlockedToStriped(K (&k)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, nullptr, true, false, begin, end);
  }
  void SortBlockedToStriped(K (&k)[N], V (&v)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, v, true, false, begin, end);
  }
  void SortDescendingBlockedToStriped(K (&k)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, nullptr, true, true, begin, end);
  }
  void SortDescendingBlockedToStriped(K (&k)[N], V (&v)[N], int begin = 0, int end = ALL_BITS)
  {
    radix(k, v, true, true, begin, end);
  }
};

template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1>
class BlockMergeSort : ga_hc_cub_sort<K, X, N, V, Y, Z>
{
  typedef ga_hc_cub_sort<K, X, N, V, Y, Z> base;
  enum { ALL = X * Y * Z * N };
  // The keys from `valid` on are taken to be `last`.
  template <class Less> void some(K (&k)[N], V *v, Less less, int valid, K last)
  {
    for (int i = 0; i < N; i++)
      if (this->tid * N + i >= valid) k[i] = last;
    this->sort(k, v, false, valid < ALL ? valid : (int)ALL, less);
  }

public:
  typedef ga_hc_sort_storage<K, X, N, V, Y, Z> TempStorage;
  BlockMergeSort() {}
  BlockMergeSort(TempStorage &t) : base(t) {}
  template <class Less> void Sort(K (&k)[N], Less less)
  {
    this->sort(k, nullptr, false, ALL, less);
  }
  template <class Less> void Sort(K (&k)[N], Less less, int valid, K last)
  {
    some(k, nullptr, less, valid, last);
  }
  template <class Less> void Sort(K (&k)[N], V (&v)[N], Less less)
  {
    this->sort(k, v, false, ALL, less);
  }
  template <class Less> void Sort(K (&k)[N], V (&v)[N], Less less, int valid, K last)
  {
    some(k, v, less, valid, last);
  }
  template <class... A> void StableSort(A &&...a) { Sort(a...); }
};

// ---- exchanges ---------------------------------------------------------------------------

template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int Arch = 0>
class BlockExchange : ga_hc_cub_block<ga_hc_cells<T, X * Y * Z * N>, X, Y, Z>
{
  typedef ga_hc_cub_block<ga_hc_cells<T, X * Y * Z * N>, X, Y, Z> block;
  int blocked(int i) const { return this->tid * N + i; }
  int striped(int i) const { return this->tid + i * block::THREADS; }
  int warp_striped(int i) const
  {
    const int lanes = block::THREADS < 32 ? (int)block::THREADS : 32;
    return this->tid / 32 * 32 * N + i * lanes + this->tid % 32;
  }
  template <class U, class From, class To>
  void move(const T (&v)[N], U (&out)[N], const From &from, const To &to)
  {
    for (int i = 0; i < N; i++) this->cells[from(i)] = v[i];
    __syncthreads();
    for (int i = 0; i < N; i++) out[i] = this->cells[to(i)];
  }

public:
  typedef ga_hc_cells<T, X * Y * Z * N> TempStorage;
  BlockExchange() {}
  BlockExchange(TempStorage &t) : block(t) {}
#define GA_HC_EXCHANGE(name, from, to)                                               \
  template <class U> void name(const T(&v)[N], U(&out)[N])                           \
  {                                                                                  \
    move(                                                                            \
        v, out, [this](int i) { return from(i); }, [this](int i) { return to(i); }); \
  }                                                                                  \
  void name(T(&v)[N]) { name(v, v); }
  GA_HC_EXCHANGE(StripedToBlocked, striped, blocked)
  GA_HC_EXCHANGE(BlockedToStriped, blocked, striped)
  GA_HC_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  GA_HC_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef GA_HC_EXCHANGE
  template <class U, class R> void ScatterToBlocked(const T (&v)[N], U (&out)[N], R (&rank)[N])
  {
    move(
        v, out, [&](int i) { return (int)rank[i]; }, [this](int i) { return blocked(i); });
  }
  template <class U, class R> void ScatterToStriped(const T (&v)[N], U (&out)[N], R (&rank)[N])
  {
    move(
        v, out, [&](int i) { return (int)rank[i]; }, [this](int i) { return striped(i); });
  }
  template <class R> void ScatterToBlocked(T (&v)[N], R (&rank)[N])
  {
    ScatterToBlocked(v, v, rank);
  }
  template <class R> void ScatterToStriped(T (&v)[N], R (&rank)[N])
  {
    ScatterToStriped(v, v, rank);
  }
};

// ---- histograms ---------------------------------------------------------------------------

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int X, int N, int BINS, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1,
          int Z = 1, int Arch = 0>
struct BlockHistogram {
  struct TempStorage {
  };
  BlockHistogram() {}
  BlockHistogram(TempStorage &) {}
  template <class C> void InitHistogram(C (&h)[BINS])
  {
    for (int i = RowMajorTid(); i < BINS; i += X * Y * Z) h[i] = 0;
  }
  template <class C> void Composite(T (&v)[N], C (&h)[BINS])
  {
    for (int i = 0; i < N; i++) atomicAdd(&h[(int)v[i]], (C)1);
  }
  template <class C> void Histogram(T (&v)[N], C (&h)[BINS])
  {
    InitHistogram(h);
    __syncthreads();
    Composite(v, h);
  }
};

// ---- neighbours -----------------------------------------------------------------------------

template <class T, int X, int Y, int Z>
class ga_hc_cub_near : protected ga_hc_cub_block<ga_hc_cells<T, 2 * X * Y * Z>, X, Y, Z>
{
  typedef ga_hc_cub_block<ga_hc_cells<T, 2 * X * Y * Z>, X, Y, Z> block;

protected:
  ga_hc_cub_near() {}
  explicit ga_hc_cub_near(ga_hc_cells<T, 2 * X * Y * Z> &t) : block(t) {}
  bool first() const { return this->tid == 0; }
  bool last() const { return this->tid == block::THREADS - 1; }
  template <int N> void share(const T (&v)[N])
  {
    this->cells[2 * this->tid] = v[0];
    this->cells[2 * this->tid + 1] = v[N - 1];
    __syncthreads();
  }
  T before() { return this->cells[2 * this->tid - 1]; } // the last of the thread before
  T after() { return this->cells[2 * this->tid + 2]; }  // the first of the thread behind
};

template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockDiscontinuity : ga_hc_cub_near<T, X, Y, Z>
{
  typedef ga_hc_cub_near<T, X, Y, Z> base;

public:
  typedef ga_hc_cells<T, 2 * X * Y * Z> TempStorage;
  BlockDiscontinuity() {}
  BlockDiscontinuity(TempStorage &t) : base(t) {}
  template <int N, class F, class Op> void FlagHeads(F (&flag)[N], T (&v)[N], Op op)
  {
    this->share(v);
    flag[0] = this->first() ? (F)1 : (F)op(this->before(), v[0]);
    for (int i = 1; i < N; i++) flag[i] = (F)op(v[i - 1], v[i]);
  }
  template <int N, class F, class Op> void FlagHeads(F (&flag)[N], T (&v)[N], Op op, T before)
  {
    FlagHeads(flag, v, op);
    if (this->first()) flag[0] = (F)op(before, v[0]);
  }
  template <int N, class F, class Op> void FlagTails(F (&flag)[N], T (&v)[N], Op op)
  {
    this->share(v);
    for (int i = 0; i + 1 < N; i++) flag[i] = (F)op(v[i], v[i + 1]);
    flag[N - 1] = this->last() ? (F)1 : (F)op(v[N - 1], this->after());
  }
  template <int N, class F, class Op> void FlagTails(F (&flag)[N], T (&v)[N], Op op, T after)
  {
    FlagTails(flag, v, op);
    if (this->last()) flag[N - 1] = (F)op(v[N - 1], after);
  }
  template <int N, class F, class Op>
  void FlagHeadsAndTails(F (&head)[N], F (&tail)[N], T (&v)[N], Op op)
  {
    FlagHeads(head, v, op);
    for (int i = 0; i + 1 < N; i++) tail[i] = head[i + 1];
    tail[N - 1] = this->last() ? (F)1 : (F)op(v[N - 1], this->after());
  }
  template <int N, class F, class Op>
  void FlagHeadsAndTails(F (&head)[N], F (&tail)[N], T after, T (&v)[N], Op op)
  {
    FlagHeadsAndTails(head, tail, v, op);
    if (this->last()) tail[N - 1] = (F)op(v[N - 1], after);
  }
  template <int N, class F, class Op>
  void FlagHeadsAndTails(F (&head)[N], T before, F (&tail)[N], T (&v)[N], Op op)
  {
    FlagHeadsAndTails(head, tail, v, op);
    if (this->first()) head[0] = (F)op(before, v[0]);
  }
  template <int N, class F, class Op>
  void FlagHeadsAndTails(F (&head)[N], T before, F (&tail)[N], T after, T (&v)[N], Op op)
  {
    FlagHeadsAndTails(head, tail, after, v, op);
    if (this->first()) head[0] = (F)op(before, v[0]);
  }
};

template <class T, int X, int Y = 1, int Z = 1, int Arch = 0>
class BlockAdjacentDifference : ga_hc_cub_near<T, X, Y, Z>
{
  typedef ga_hc_cub_near<T, X, Y, Z> base;
  template <int N> static constexpr int block_items() { return X * Y * Z * N; }

public:
  typedef ga_hc_cells<T, 2 * X * Y * Z> TempStorage;
  BlockAdjacentDifference() {}
  BlockAdjacentDifference(TempStorage &t) : base(t) {}
  // Of a tile's numbers only the first `valid` differ from what they were; the first of all is
  // compared with `before`, the last with `after`, where they are given.
  template <int N, class U, class Op>
  void SubtractLeftPartialTile(T (&v)[N], U (&out)[N], Op op, int valid)
  {
    this->share(v);
    for (int i = N - 1; i >= 0; i--) {
      const int at = this->tid * N + i;
      out[i] = at == 0 || at >= valid ? (U)v[i] : (U)op(v[i], i > 0 ? v[i - 1] : this->before());
    }
  }
  template <int N, class U, class Op>
  void SubtractLeftPartialTile(T (&v)[N], U (&out)[N], Op op, int valid, T before)
  {
    const T own = v[0];
    SubtractLeftPartialTile(v, out, op, valid);
    if (this->first() && valid > 0) out[0] = op(own, before);
  }
  template <int N, class U, class Op> void SubtractLeft(T (&v)[N], U (&out)[N], Op op)
  {
    SubtractLeftPartialTile(v, out, op, block_items<N>());
  }
  template <int N, class U, class Op> void SubtractLeft(T (&v)[N], U (&out)[N], Op op, T before)
  {
    SubtractLeftPartialTile(v, out, op, block_items<N>(), before);
  }
  template <int N, class U, class Op>
  void SubtractRightPartialTile(T (&v)[N], U (&out)[N], Op op, int valid)
  {
    this->share(v);
    for (int i = 0; i < N; i++)
      out[i] = this->tid * N + i + 1 >= valid
                   ? (U)v[i]
                   : (U)op(v[i], i + 1 < N ? v[i + 1] : this->after());
  }
  template <int N, class U, class Op> void SubtractRight(T (&v)[N], U (&out)[N], Op op)
  {
    SubtractRightPartialTile(v, out, op, block_items<N>());
  }
  template <int N, class U, class Op> void SubtractRight(T (&v)[N], U (&out)[N], Op op, T after)
  {
    const T own = v[N - 1];
    SubtractRight(v, out, op);
    if (this->last()) out[N - 1] = op(own, after);
  }
};

} // namespace cub

#endif
