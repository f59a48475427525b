// SPDX-License-Identifier: MIT
// CUB for kernels compiled for the CPU: what its primitives share. A thread leaves its
// value in cells of the temporary storage, threads meet, and one of them does the work:
// on one core that is what costs least. So results are those of CUB where the order of
// the operations does not matter, and where it does for reductions (a tree in each warp,
// then the warps in turn).
#ifndef GA_HC_CUB_BASE
#define GA_HC_CUB_BASE

namespace cub
{

// ---- operators ------------------------------------------------------------------

struct Sum {
  template <class A, class B> auto operator()(const A &a, const B &b) const { return a + b; }
};
struct Difference {
  template <class A, class B> auto operator()(const A &a, const B &b) const { return a - b; }
};
struct Division {
  template <class A, class B> auto operator()(const A &a, const B &b) const { return a / b; }
};
struct Max {
  template <class T> T operator()(const T &a, const T &b) const { return b > a ? b : a; }
};
struct Min {
  template <class T> T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
struct Equality {
  template <class A, class B> bool operator()(const A &a, const B &b) const { return a == b; }
};
struct Inequality {
  template <class A, class B> bool operator()(const A &a, const B &b) const { return a != b; }
};
template <class E> struct InequalityWrapper {
  E op;
  InequalityWrapper(E op) : op(op) {}
  template <class A, class B> bool operator()(const A &a, const B &b) { return !op(a, b); }
};

template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  bool operator!=(const KeyValuePair &o) const { return value != o.value || key != o.key; }
};
struct ArgMax {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const
  {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const
  {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct NullType {
};

// ---- storage ----------------------------------------------------------------------

// Values that are not constructed, so that it may be part of a union.
template <class T, int N> struct ga_hc_cells {
  alignas(T) unsigned char bytes[N * sizeof(T)];
  T &operator[](int i) { return ((T *)(void *)bytes)[i]; }
};
template <int N> struct ga_hc_cells<NullType, N> {
  NullType none;
  NullType &operator[](int) { return none; }
};

template <class T> struct Uninitialized {
  alignas(T) unsigned char bytes[sizeof(T)];
  T &Alias() { return *(T *)(void *)bytes; }
};

// ---- threads -------------------------------------------------------------------------

inline int RowMajorTid(int = 0, int = 0, int = 0)
{
  return (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
inline unsigned LaneId() { return (unsigned)RowMajorTid() % 32; }
inline unsigned WarpId() { return (unsigned)RowMajorTid() / 32; }
inline void CTA_SYNC() { __syncthreads(); }
inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }
template <int N, class T> T ShuffleDown(T v, int d, int, unsigned mask)
{
  return __shfl_down_sync(mask, v, (unsigned)d, N);
}
template <int N, class T> T ShuffleUp(T v, int d, int, unsigned mask)
{
  return __shfl_up_sync(mask, v, (unsigned)d, N);
}
template <int N, class T> T ShuffleIndex(T v, int lane, unsigned mask)
{
  return __shfl_sync(mask, v, lane, N);
}

// ---- what one thread does --------------------------------------------------------------

// n cells from the first on: neighbours, then pairs of them, and so on.
template <class Cells, class Op> void ga_hc_tree(Cells &c, int first, int n, Op &op)
{
  for (int d = 1; d < n; d *= 2)
    for (int i = 0; i + d < n; i += 2 * d) c[first + i] = op(c[first + i], c[first + i + d]);
}

template <class T, int N, class Op> T ga_hc_fold(T (&v)[N], Op &op)
{
  T r = v[0];
  for (int i = 1; i < N; i++) r = op(r, v[i]);
  return r;
}

namespace internal
{
template <class T, int N, class Op> T ThreadReduce(T (&v)[N], Op op) { return ga_hc_fold(v, op); }
template <class T, int N, class Op> T ThreadReduce(T (&v)[N], Op op, T first)
{
  for (int i = 0; i < N; i++) first = op(first, v[i]);
  return first;
}
} // namespace internal
using internal::ThreadReduce;

// ---- loads with a modifier of caches, iterators ------------------------------------------

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier, class It> auto ThreadLoad(It it) { return *it; }
template <CacheStoreModifier, class It, class T> void ThreadStore(It it, const T &v) { *it = v; }

template <CacheLoadModifier, class T, class Offset = ptrdiff_t> struct CacheModifiedInputIterator {
  const T *at;
  CacheModifiedInputIterator(const T *at) : at(at) {}
  T operator*() const { return *at; }
  T operator[](Offset i) const { return at[i]; }
  CacheModifiedInputIterator operator+(Offset i) const { return at + i; }
};
template <class T, class Offset = ptrdiff_t> struct CountingInputIterator {
  T first;
  CountingInputIterator(T first) : first(first) {}
  T operator*() const { return first; }
  T operator[](Offset i) const { return first + (T)i; }
  CountingInputIterator operator+(Offset i) const { return first + (T)i; }
};
template <class T, class F, class It, class Offset = ptrdiff_t> struct TransformInputIterator {
  It it;
  F f;
  TransformInputIterator(It it, F f) : it(it), f(f) {}
  T operator*() const { return f(*it); }
  T operator[](Offset i) const { return f(it[i]); }
  TransformInputIterator operator+(Offset i) const { return {it + i, f}; }
};

} // namespace cub

#endif
