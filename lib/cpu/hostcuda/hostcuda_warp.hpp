// SPDX-License-Identifier: MIT
// Barriers and the operations over a warp. Each is a member of ga_hc_at, which holds
// the place of the call: the rewriter makes ga_hc_at(12).__syncthreads() of the
// text's twelfth, so that threads which wait at different ones are told apart.
#pragma once

GA_HC_FN unsigned ga_hc_lane() { return ga_hc_self()->index % GA_HC_WARP; }

// A value of up to 8 bytes as a word, and back.
template <class T> GA_HC_FN unsigned long long ga_hc_word_of(T v) {
  static_assert(sizeof(T) <= 8, "a warp operation takes values of up to 8 bytes");
  unsigned long long w = 0;
  __builtin_memcpy(&w, &v, sizeof v);
  return w;
}

template <class T> GA_HC_FN T ga_hc_of_word(unsigned long long w) {
  T v;
  __builtin_memcpy((void *)&v, &w, sizeof v);
  return v;
}

struct ga_hc_at {
  unsigned place;
  explicit ga_hc_at(unsigned place) : place(place) {}

  // Other threads run inside: the compiler knows nothing of memory afterwards.
  int sync(int kind, int predicate) const {
    __asm__ volatile("" ::: "memory");
    int r = ga_hc_lib->sync(kind, predicate, place);
    __asm__ volatile("" ::: "memory");
    return r;
  }
  unsigned long long warp(int kind, unsigned mask, unsigned long long v, unsigned arg = 0) const {
    __asm__ volatile("" ::: "memory");
    unsigned long long r = ga_hc_lib->warp(kind, mask, v, arg, place);
    __asm__ volatile("" ::: "memory");
    return r;
  }

  void __syncthreads() const { sync(GA_HC_SYNC, 0); }
  int __syncthreads_count(int p) const { return sync(GA_HC_SYNC_COUNT, p); }
  int __syncthreads_and(int p) const { return sync(GA_HC_SYNC_AND, p); }
  int __syncthreads_or(int p) const { return sync(GA_HC_SYNC_OR, p); }
  void named(unsigned id, unsigned n, bool waits) const {
    __asm__ volatile("" ::: "memory");
    ga_hc_lib->named(id, n, waits, place);
    __asm__ volatile("" ::: "memory");
  }
  void __barrier_sync_count(unsigned id, unsigned n) const {
    const dim3 b = ga_hc_bdim();
    if (id == 0 && (n == 0 || n == b.x * b.y * b.z))
      __syncthreads();
    else
      named(id, n, true);
  }
  void __barrier_sync(unsigned id) const { __barrier_sync_count(id, 0); }
  void __syncwarp(unsigned mask = 0xffffffffu) const { warp(GA_HC_WARP_SYNC, mask, 0); }
  unsigned __activemask() const { return (unsigned)warp(GA_HC_ACTIVE, 0, 0); }

  // A lane that would read outside its segment of `width` lanes reads its own.
  template <class T> T __shfl_sync(unsigned mask, T v, int src, int width = 32) const {
    unsigned base = ga_hc_lane() & ~(unsigned)(width - 1);
    return shuffle(mask, v, base | ((unsigned)src & (unsigned)(width - 1)));
  }
  template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) const {
    unsigned lane = ga_hc_lane();
    return shuffle(mask, v, (lane & (unsigned)(width - 1)) < delta ? lane : lane - delta);
  }
  template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) const {
    unsigned lane = ga_hc_lane(), at = lane & (unsigned)(width - 1);
    return shuffle(mask, v, at + delta >= (unsigned)width ? lane : lane + delta);
  }
  template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32) const {
    unsigned lane = ga_hc_lane(), src = lane ^ (unsigned)bits;
    unsigned end = (lane & ~(unsigned)(width - 1)) + (unsigned)width;
    return shuffle(mask, v, src >= end ? lane : src);
  }
  template <class T> T shuffle(unsigned mask, T v, unsigned src) const {
    return ga_hc_of_word<T>(warp(GA_HC_SHFL, mask, ga_hc_word_of(v), src));
  }

  unsigned __ballot_sync(unsigned mask, int p) const {
    return (unsigned)warp(GA_HC_BALLOT, mask, p != 0);
  }
  int __any_sync(unsigned mask, int p) const { return __ballot_sync(mask, p) != 0; }
  int __all_sync(unsigned mask, int p) const { return __ballot_sync(mask, !p) == 0; }
  int __uni_sync(unsigned mask, int p) const {
    unsigned yes = __ballot_sync(mask, p), no = __ballot_sync(mask, !p);
    return yes == 0 || no == 0;
  }
  template <class T> unsigned __match_any_sync(unsigned mask, T v) const {
    return (unsigned)warp(GA_HC_MATCH_ANY, mask, ga_hc_word_of(v));
  }
  template <class T> unsigned __match_all_sync(unsigned mask, T v, int *all) const {
    unsigned r = (unsigned)warp(GA_HC_MATCH_ALL, mask, ga_hc_word_of(v));
    *all = r != 0;
    return r;
  }

  // What each lane gives, to be read before the next operation or barrier; all lanes come.
  template <class T> T *const *__ga_gather(T *p) const {
    return (T *const *)warp(GA_HC_GATHER, 0xffffffffu, (unsigned long long)p);
  }

  unsigned reduce(int kind, unsigned mask, unsigned v) const {
    return (unsigned)warp(kind, mask, v);
  }
  unsigned __reduce_add_sync(unsigned m, unsigned v) const { return reduce(GA_HC_ADD, m, v); }
  int __reduce_add_sync(unsigned m, int v) const {
    return (int)reduce(GA_HC_ADD, m, (unsigned)v);
  }
  unsigned __reduce_min_sync(unsigned m, unsigned v) const { return reduce(GA_HC_UMIN, m, v); }
  int __reduce_min_sync(unsigned m, int v) const {
    return (int)reduce(GA_HC_MIN, m, (unsigned)v);
  }
  unsigned __reduce_max_sync(unsigned m, unsigned v) const { return reduce(GA_HC_UMAX, m, v); }
  int __reduce_max_sync(unsigned m, int v) const {
    return (int)reduce(GA_HC_MAX, m, (unsigned)v);
  }
  unsigned __reduce_and_sync(unsigned m, unsigned v) const { return reduce(GA_HC_AND, m, v); }
  unsigned __reduce_or_sync(unsigned m, unsigned v) const { return reduce(GA_HC_OR, m, v); }
  unsigned __reduce_xor_sync(unsigned m, unsigned v) const { return reduce(GA_HC_XOR, m, v); }
};
