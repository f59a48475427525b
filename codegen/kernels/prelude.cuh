/* SPDX-License-Identifier: MIT */
/* What every generated kernel stands on: index types, division by a number known
 * at launch, walks over axes, loads and stores of single elements and of vectors.
 * CUDA C++ without a header; types.cuh comes first.
 *
 * The generator defines before this file:
 *   GA_WIDE   1: indices and byte offsets take 64 bits
 *   GA_BYTES  1: some operand is not aligned to its elements; all are then read
 *             and written byte by byte
 *   GA_NOP    operands of the stage
 *   GA_IOTA   1: elements know their position; it is walked like an operand
 *   GA_WAITS  defined: kernels are launched before those ahead of them have ended
 */
#ifndef GA_PRELUDE_CUH
#define GA_PRELUDE_CUH

/* The first statement of every kernel: nothing before it may touch memory. Where
 * blocks are started early it waits until all earlier kernels have ended and what
 * they wrote can be seen. The symbol tells the launcher that the kernel does so. */
#if defined(GA_WAITS)
extern "C" {
__device__ char ga_waits;
}
#define GA_ENTER() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define GA_ENTER()
#endif

#define GA_BLOCK 256
#define GA_NOFF (GA_NOP + GA_IOTA)

#if GA_WIDE
typedef ga_ulong ga_index;
typedef ga_long ga_offset;
#else
typedef ga_uint ga_index;
typedef ga_int ga_offset;
#endif

/* ---- division ------------------------------------------------------------ */

/* Division by d through a multiplication: 2^shift is the first power of two not
 * below d, and n/d = (high(n * mul) + n) >> shift for n below half the range of
 * ga_index (Granlund and Montgomery, 1994, figure 4.1). Filled in by the host. */
struct ga_div {
  ga_index d, mul;
  ga_uint shift;
};

GA_FN ga_index ga_quotient(ga_index n, const ga_div &v) {
#if GA_WIDE
  return (__umul64hi(n, v.mul) + n) >> v.shift;
#else
  return (__umulhi(n, v.mul) + n) >> v.shift;
#endif
}

/* Whether n to n+3 lie in one row of d. */
GA_FN bool ga_in_row(ga_index n, const ga_div &v) {
  return n - ga_quotient(n, v) * v.d + 4 <= v.d;
}

/* ---- axes ---------------------------------------------------------------- */

/* A group of axes, outermost first, and what one step along each adds to each
 * operand's byte offset (and to the position, last, where GA_IOTA). N is 1, 2, 3
 * or an upper bound, n the number in use. */
template <int N> struct ga_axes {
  ga_div dim[N];
  ga_offset step[N][GA_NOFF];
  ga_uint n;
};

/* X(o) for each of a place's offsets. Written out where they are few: NVRTC takes longer, by a
 * millisecond each, for loops that it unrolls than for what they become. */
#if GA_NOP + GA_IOTA == 1
#define GA_OFFSETS(X) X(0)
#elif GA_NOP + GA_IOTA == 2
#define GA_OFFSETS(X) X(0) X(1)
#elif GA_NOP + GA_IOTA == 3
#define GA_OFFSETS(X) X(0) X(1) X(2)
#elif GA_NOP + GA_IOTA == 4
#define GA_OFFSETS(X) X(0) X(1) X(2) X(3)
#elif GA_NOP + GA_IOTA == 5
#define GA_OFFSETS(X) X(0) X(1) X(2) X(3) X(4)
#else
#define GA_OFFSETS(X) _Pragma("unroll") for (int o = 0; o < GA_NOFF; o++) { X(o) }
#endif

/* What position i stands for along axis k of the group and those inside it: `off` moves along k,
 * and i becomes the position along the others. */
template <int N>
GA_FN void ga_walk_axis(const ga_axes<N> &a, int k, ga_index &i, ga_offset (&off)[GA_NOFF]) {
  const ga_index q = ga_quotient(i, a.dim[k]);
  const ga_offset p = (ga_offset)(i - q * a.dim[k].d);
#define X(o) off[o] += p * a.step[k][o];
  GA_OFFSETS(X)
#undef X
  i = q;
}

/* Adds to `off` what position i of the group, in C order, stands for. */
template <int N>
GA_FN void ga_walk(const ga_axes<N> &a, ga_index i, ga_offset (&off)[GA_NOFF]) {
  if constexpr (N > 3)
#pragma unroll 1
    for (int k = (int)a.n - 1; k > 0; k--) ga_walk_axis(a, k, i, off);
  if constexpr (N == 3) ga_walk_axis(a, 2, i, off);
  if constexpr (N == 2 || N == 3) ga_walk_axis(a, 1, i, off);
#define X(o) off[o] += (ga_offset)i * a.step[0][o];
  GA_OFFSETS(X)
#undef X
}

/* ---- elements and vectors ------------------------------------------------ */

/* N elements that are moved 16 bytes at a time, or all at once where they are
 * fewer. */
template <class T, int N>
struct GA_ALIGN(N * sizeof(T) < 16 ? N * sizeof(T) : 16) ga_vec {
  T v[N];
};

/* N elements at p, which is aligned to min(16, N * sizeof(T)). */
template <class T, int N> GA_FN ga_vec<T, N> ga_load_aligned(const char *p) {
  return *(const ga_vec<T, N> *)p;
}

template <class T, int N> GA_FN void ga_store_aligned(char *p, const ga_vec<T, N> &v) {
  *(ga_vec<T, N> *)p = v;
}

/* The same for what is not read again: the multiprocessor's own cache is left to what
 * is (a vector added to each row is read from there, not from the second cache). */
template <class T, int N> GA_FN void ga_store_past(char *p, const ga_vec<T, N> &v) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  if constexpr (N * sizeof(T) == 16) {
    ga_uint w[4];
    memcpy(w, &v, 16);
    asm volatile("st.global.L1::no_allocate.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(w[0]),
                 "r"(w[1]), "r"(w[2]), "r"(w[3])
                 : "memory");
    return;
  }
#endif
  ga_store_aligned<T, N>(p, v);
}

/* Asks for the sector of memory at p, of which only a part will be stored: memory keeps
 * whole ones, and reads the rest of those better together than one by one. */
GA_FN void ga_ask_sector(const char *p) {
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#endif
}

/* One element. */
template <class T> GA_FN T ga_load(const char *p) {
#if GA_BYTES
  T v;
  unsigned char b[sizeof(T)];
#pragma unroll
  for (int k = 0; k < (int)sizeof(T); k++) b[k] = ((const unsigned char *)p)[k];
  memcpy(&v, b, sizeof(T));
  return v;
#else
  return *(const T *)p;
#endif
}

template <class T> GA_FN void ga_store(char *p, T v) {
#if GA_BYTES
  unsigned char b[sizeof(T)];
  memcpy(b, &v, sizeof(T));
#pragma unroll
  for (int k = 0; k < (int)sizeof(T); k++) ((unsigned char *)p)[k] = b[k];
#else
  *(T *)p = v;
#endif
}

/* The element at `bit` of a word. (Where `bit` is known late, the sign of a byte that was moved to
 * the low end takes two instructions.) */
template <class T> GA_FN void ga_cut(ga_uint w, int bit, T &x) {
  w >>= bit;
  memcpy(&x, &w, sizeof(T));
}
GA_FN void ga_cut(ga_uint w, int bit, ga_byte &x) {
  x = (ga_byte)((ga_int)(w << (24 - bit)) >> 24);
}

/* N elements as they were loaded: those of less than 4 bytes stay together in
 * words until they are used, which saves registers. */
template <class T, int N, bool SMALL = (sizeof(T) < 4 && N * sizeof(T) >= 4)> struct ga_pack {
  ga_vec<T, N> v;
  GA_FN_MEMBER T get(int k) const { return v.v[k]; }
  GA_FN_MEMBER void set(int k, T x) { v.v[k] = x; }
  GA_FN_MEMBER void fill(T x) {
    for (int k = 0; k < N; k++) v.v[k] = x;
  }
  GA_FN_MEMBER void take(const ga_vec<T, N> &x) { v = x; }
  GA_FN_MEMBER void load(const char *p) { v = ga_load_aligned<T, N>(p); }
  GA_FN_MEMBER void store(char *p) const { ga_store_aligned<T, N>(p, v); }
};
template <class T, int N> struct ga_pack<T, N, true> {
  ga_vec<ga_uint, N * (int)sizeof(T) / 4> v;
  GA_FN_MEMBER T get(int k) const {
    const int bit = k * 8 * (int)sizeof(T);
    T x;
#if defined(__CUDA_ARCH__) && !defined(__GPUARRAY_CPU__)
    if (sizeof(T) == 2) {
      ga_ushort low, high;
      asm("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "r"(v.v[bit / 32]));
      low = bit & 31 ? high : low;
      memcpy(&x, &low, sizeof(T));
      return x;
    }
#endif
    ga_cut(v.v[bit / 32], bit & 31, x);
    return x;
  }
  GA_FN_MEMBER void set(int k, T x) {
    const int bit = k * 8 * (int)sizeof(T);
    const ga_uint mask = ((1u << (8 * sizeof(T))) - 1) << (bit & 31);
    ga_uint u = 0;
    memcpy(&u, &x, sizeof(T));
    v.v[bit / 32] = (v.v[bit / 32] & ~mask) | u << (bit & 31);
  }
  GA_FN_MEMBER void fill(T x) {
    const int each = 4 / (int)sizeof(T);
    T t[each];
    ga_uint u;
    for (int k = 0; k < each; k++) t[k] = x;
    memcpy(&u, t, 4);
    for (int k = 0; k < N / each; k++) v.v[k] = u;
  }
  GA_FN_MEMBER void take(const ga_vec<T, N> &x) { memcpy(&v, &x, sizeof v); }
  GA_FN_MEMBER void load(const char *p) { v = ga_load_aligned<ga_uint, N * (int)sizeof(T) / 4>(p); }
  GA_FN_MEMBER void store(char *p) const {
    ga_store_aligned<ga_uint, N * (int)sizeof(T) / 4>(p, v);
  }
};

/* 4*N (4, 8 or 16) bytes, from byte `at` of `low` on, which `high` follows. For at = 6 and
 * N = 4: one uint up, then a funnel shift by 16 bits (WHOLE: `at` is of whole ones). */
template <int N, bool WHOLE = false>
GA_FN void ga_shift_words(const ga_uint (&low)[N], const ga_uint (&high)[N], ga_uint at,
                          ga_uint (&w)[N]) {
  ga_uint u[2 * N];
#pragma unroll
  for (int k = 0; k < N; k++) {
    u[k] = low[k];
    u[N + k] = high[k];
  }
#pragma unroll
  for (int s = N / 2; s > 0; s >>= 1) {
    const bool up = (at & (4 * s)) != 0;
#pragma unroll
    for (int k = 0; k + s < 2 * N; k++) u[k] = up ? u[k + s] : u[k];
  }
#pragma unroll
  for (int k = 0; k < N; k++)
    w[k] = WHOLE ? u[k] : __funnelshift_r(u[k], u[k + 1], (at & 3) * 8);
}

template <int N, bool WHOLE = false>
GA_FN ga_vec<ga_uint, N> ga_shift_words(const ga_vec<ga_uint, N> &low,
                                        const ga_vec<ga_uint, N> &high, ga_uint at) {
  ga_vec<ga_uint, N> r;
  ga_shift_words<N, WHOLE>(low.v, high.v, at, r.v);
  return r;
}

/* 4*N (4, 8 or 16) bytes at p, which is aligned to elements only (WHOLE: of 4 bytes and more): the
 * two aligned words around them, shifted together. Touches no aligned word that holds none of
 * the bytes asked for, so it never leaves the 16-byte granule of an allocation.
 * For p = 6 modulo 16 and N = 4: uint 0-3 and 4-7, from byte 6. */
template <int N, bool WHOLE> GA_FN ga_vec<ga_uint, N> ga_load_shifted(const char *p) {
  typedef ga_vec<ga_uint, N> word;
  const ga_uint at = (ga_uint)((ga_ulong)p & (4 * N - 1));
  const word *q = (const word *)(p - at);
  const word low = q[0], high = q[at != 0]; /* neither waits for the other */
  return ga_shift_words<N, WHOLE>(low, high, at);
}

/* N elements at p, which is aligned to one. */
template <class T, int N> GA_FN ga_vec<T, N> ga_load_any(const char *p) {
  const int bytes = N * (int)sizeof(T);
  ga_vec<T, N> r;
  if constexpr (bytes < 4 || (int)sizeof(T) >= 16 || GA_BYTES) {
#pragma unroll
    for (int k = 0; k < N; k++) r.v[k] = ga_load<T>(p + k * (int)sizeof(T));
  } else {
    const int size = bytes < 16 ? bytes : 16; /* of one shifted load */
    ga_vec<ga_uint, size / 4> w[bytes / size];
#pragma unroll
    for (int k = 0; k < bytes / size; k++)
      w[k] = ga_load_shifted<size / 4, sizeof(T) >= 4>(p + k * size);
    memcpy(&r, w, bytes);
  }
  return r;
}

/* N neighbours from p on: GA_ALIGNED says that vectors lie on their own size. */
template <class T, int N, bool ALIGNED> GA_FN ga_vec<T, N> ga_load_vec(const char *p) {
  if constexpr (ALIGNED) return ga_load_aligned<T, N>(p);
  else return ga_load_any<T, N>(p);
}

/* N elements as the words they are moved in. Kernels ask for all their operands
 * before they take any apart: elements of 1 and 2 bytes cost instructions that
 * would wait for one operand before the next is asked for. Others stay elements. */
template <class T, int N, bool SMALL = (sizeof(T) < 4)> struct ga_moved {
  typedef ga_vec<T, N> type;
};
template <class T, int N> struct ga_moved<T, N, true> {
  typedef ga_vec<ga_uint, (N * (int)sizeof(T) + 3) / 4> type;
};
template <class T, int N> using ga_words = typename ga_moved<T, N>::type;

template <class T, int N> GA_FN ga_words<T, N> ga_words_of(const ga_vec<T, N> &v) {
  if constexpr (sizeof(T) >= 4) {
    return v;
  } else {
    ga_words<T, N> w;
    if (N * sizeof(T) < sizeof w) w.v[0] = 0;
    memcpy(&w, &v, N * sizeof(T));
    return w;
  }
}

template <class T, int N> GA_FN ga_vec<T, N> ga_elements(const ga_words<T, N> &w) {
  if constexpr (sizeof(T) >= 4) {
    return w;
  } else {
    ga_vec<T, N> v;
    memcpy(&v, &w, N * sizeof(T));
    return v;
  }
}

template <class T, int N, bool ALIGNED> GA_FN ga_words<T, N> ga_load_words(const char *p) {
  if constexpr (N == 1 || N * sizeof(T) < 4) {
    ga_vec<T, N> v;
#pragma unroll
    for (int k = 0; k < N; k++) v.v[k] = ga_load<T>(p + k * (int)sizeof(T));
    return ga_words_of<T, N>(v);
  } else if constexpr (ALIGNED) {
    return *(const ga_words<T, N> *)p;
  } else {
    return ga_words_of<T, N>(ga_load_any<T, N>(p));
  }
}

template <class T, int N> GA_FN ga_vec<T, N> ga_splat(T x) {
  ga_vec<T, N> r;
#pragma unroll
  for (int k = 0; k < N; k++) r.v[k] = x;
  return r;
}

#endif
